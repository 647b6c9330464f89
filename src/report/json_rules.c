/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_rules.c - the rows of the rules about JSON as such, whatever the dialect.
 *
 * Two of them are not about reading: they say why `baton json canon` and `baton json patch` gave
 * nothing back. Their examples are a document without canonical form, and a patch for {}.
 */
#include "report/json_rules.h"

#include <assert.h>

/* clang-format off */
#define TEXT BT_STR_INIT
/* clang-format on */

const struct bt_rule bt_json_rules[] = {
    {
        .code = TEXT("JSON_DUPLICATE_KEY"),
        .dialect = TEXT("json"),
        .severity = BT_SEVERITY_HARD,
        .stage = BT_STAGE_READ,
        .meaning = TEXT("an object has two members of the same name"),
        .explanation = TEXT(
            "RFC 8259 leaves open which of two members with one name counts, so two readers can "
            "see "
            "two different documents in the same bytes, and what was checked need not be what is "
            "used. Names are compared after unescaping: \"a\" and \"\\u0061\" are the same. Keep "
            "one of the members, or rename one."),
        .bad = TEXT("{\"a\":1,\"a\":2}"),
        .good = TEXT("{\"a\":1,\"b\":2}"),
    },
    {
        .code = TEXT("JSON_LONE_SURROGATE"),
        .dialect = TEXT("json"),
        .severity = BT_SEVERITY_WARN,
        .stage = BT_STAGE_READ,
        .meaning = TEXT("a string or name holds half of a surrogate pair"),
        .explanation = TEXT(
            "A character above U+FFFF is escaped as two \\uXXXX escapes, a surrogate pair. One "
            "half "
            "alone is grammatical JSON but no Unicode text: it cannot be written as UTF-8, and "
            "many "
            "readers drop or replace it. Usually a text was cut in the middle of a character. It "
            "is kept as it is; write the whole character instead."),
        .bad = TEXT("[\"\\ud83d\"]"),
        .good = TEXT("[\"\\ud83d\\ude00\"]"),
    },
    {
        .code = TEXT("JSON_NOT_CANONICAL"),
        .dialect = TEXT("json"),
        .severity = BT_SEVERITY_HARD,
        .stage = BT_STAGE_READ,
        .meaning = TEXT("a value has no canonical form"),
        .explanation = TEXT(
            "The canonical form of RFC 8785 exists only for Unicode text and for numbers that an "
            "IEEE 754 double can hold. Half of a surrogate pair and a number such as 1e400 have "
            "none, so the document cannot be hashed or signed in that form. Write the whole "
            "character; write the number as a string."),
        .bad = TEXT("[1e400]"),
        .good = TEXT("[\"1e400\"]"),
    },
    {
        .code = TEXT("JSON_PATCH_REFUSED"),
        .dialect = TEXT("json"),
        .severity = BT_SEVERITY_HARD,
        .stage = BT_STAGE_SEMANTICS,
        .meaning = TEXT("a patch cannot be applied"),
        .explanation = TEXT(
            "An RFC 6902 patch is applied entirely or not at all. It is refused when it is no "
            "patch "
            "(a member is missing, an operation is unknown), when a pointer names nothing, when a "
            "test does not hold, or when the result would break a limit. The document is "
            "unchanged. "
            "Make the patch again from the document as it is now."),
        .bad = TEXT("[{\"op\":\"remove\",\"path\":\"/a\"}]"),
        .good = TEXT("[{\"op\":\"add\",\"path\":\"/a\",\"value\":1}]"),
    },
    {
        .code = TEXT("JSON_SYNTAX"),
        .dialect = TEXT("json"),
        .severity = BT_SEVERITY_HARD,
        .stage = BT_STAGE_READ,
        .meaning = TEXT("the text is not JSON"),
        .explanation = TEXT(
            "Strict RFC 8259: one value, names and strings in double quotes, no comments, no comma "
            "after the last item, no NaN or Infinity, no byte order mark, nothing behind the "
            "value. "
            "The position is the byte at which reading could not go on; the mistake is there or "
            "just before it."),
        .bad = TEXT("[1,]"),
        .good = TEXT("[1]"),
    },
    {
        .code = TEXT("JSON_TOO_DEEP"),
        .dialect = TEXT("json"),
        .severity = BT_SEVERITY_HARD,
        .stage = BT_STAGE_READ,
        .meaning = TEXT("arrays and objects are nested too deeply"),
        .explanation = TEXT(
            "Nesting is bounded (128 by default, the outermost container counts 1), because deep "
            "documents exhaust the stack of other readers and are hardly ever meant. Flatten the "
            "document. --limit depth=N lowers the bound."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        .code = TEXT("JSON_TOO_LARGE"),
        .dialect = TEXT("json"),
        .severity = BT_SEVERITY_HARD,
        .stage = BT_STAGE_READ,
        .meaning =
            TEXT("the document, one of its strings or the number of its values is too large"),
        .explanation = TEXT(
            "By default a document has at most 8 MiB, one string 4 MiB, and all containers "
            "together "
            "1,000,000 members and items. Put large content into files and refer to them. --limit "
            "document_bytes=N, string_bytes=N and nodes=N lower the bounds; params say which one "
            "was exceeded."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        .code = TEXT("JSON_UTF8"),
        .dialect = TEXT("json"),
        .severity = BT_SEVERITY_HARD,
        .stage = BT_STAGE_READ,
        .meaning = TEXT("the text is not UTF-8"),
        .explanation = TEXT(
            "JSON that is exchanged is UTF-8 (RFC 8259 section 8.1). Overlong forms, surrogates in "
            "three bytes and values above U+10FFFF are no UTF-8 either. Usually the file was saved "
            "in another encoding, such as Latin-1 or UTF-16, or cut in the middle of a character."),
        .bad = TEXT("[\"\xe9\"]"),
        .good = TEXT("[\"\xc3\xa9\"]"),
    },
};

const size_t bt_json_rules_count = sizeof(bt_json_rules) / sizeof(bt_json_rules[0]);

const struct bt_rule *bt_json_rule(bt_str code)
{
    size_t i = 0;
    while (i < bt_json_rules_count && !bt_str_eq(bt_json_rules[i].code, code)) {
        i++;
    }
    assert(i < bt_json_rules_count);
    return &bt_json_rules[i];
}
