/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_suite.c - JSON and what only looks like it: the cases of parsing.txt, and the public JSON
 * parsing suite where it lies beside the tree (y_ is accepted, n_ refused, i_ as
 * docs/formats/json.md says).
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "json/reading.h"

#include <dirent.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/str.h"

/* The files on which RFC 8259 leaves the choice, and ours. */
static const struct choice {
    const char *name;
    enum bt_json_error code;
} choices[] = {
    {"i_number_double_huge_neg_exp.json", BT_JSON_ERROR_NONE},
    {"i_number_huge_exp.json", BT_JSON_ERROR_NONE},
    {"i_number_neg_int_huge_exp.json", BT_JSON_ERROR_NONE},
    {"i_number_pos_double_huge_exp.json", BT_JSON_ERROR_NONE},
    {"i_number_real_neg_overflow.json", BT_JSON_ERROR_NONE},
    {"i_number_real_pos_overflow.json", BT_JSON_ERROR_NONE},
    {"i_number_real_underflow.json", BT_JSON_ERROR_NONE},
    {"i_number_too_big_neg_int.json", BT_JSON_ERROR_NONE},
    {"i_number_too_big_pos_int.json", BT_JSON_ERROR_NONE},
    {"i_number_very_big_negative_int.json", BT_JSON_ERROR_NONE},
    {"i_object_key_lone_2nd_surrogate.json", BT_JSON_ERROR_NONE},
    {"i_string_1st_surrogate_but_2nd_missing.json", BT_JSON_ERROR_NONE},
    {"i_string_1st_valid_surrogate_2nd_invalid.json", BT_JSON_ERROR_NONE},
    {"i_string_incomplete_surrogate_and_escape_valid.json", BT_JSON_ERROR_NONE},
    {"i_string_incomplete_surrogate_pair.json", BT_JSON_ERROR_NONE},
    {"i_string_incomplete_surrogates_escape_valid.json", BT_JSON_ERROR_NONE},
    {"i_string_invalid_lonely_surrogate.json", BT_JSON_ERROR_NONE},
    {"i_string_invalid_surrogate.json", BT_JSON_ERROR_NONE},
    {"i_string_inverted_surrogates_U+1D11E.json", BT_JSON_ERROR_NONE},
    {"i_string_lone_second_surrogate.json", BT_JSON_ERROR_NONE},
    {"i_string_UTF-16LE_with_BOM.json", BT_JSON_ERROR_UTF8},
    {"i_string_UTF-8_invalid_sequence.json", BT_JSON_ERROR_UTF8},
    {"i_string_UTF8_surrogate_U+D800.json", BT_JSON_ERROR_UTF8},
    {"i_string_invalid_utf-8.json", BT_JSON_ERROR_UTF8},
    {"i_string_iso_latin_1.json", BT_JSON_ERROR_UTF8},
    {"i_string_lone_utf8_continuation_byte.json", BT_JSON_ERROR_UTF8},
    {"i_string_not_in_unicode_range.json", BT_JSON_ERROR_UTF8},
    {"i_string_overlong_sequence_2_bytes.json", BT_JSON_ERROR_UTF8},
    {"i_string_overlong_sequence_6_bytes.json", BT_JSON_ERROR_UTF8},
    {"i_string_overlong_sequence_6_bytes_null.json", BT_JSON_ERROR_UTF8},
    {"i_string_truncated-utf-8.json", BT_JSON_ERROR_UTF8},
    {"i_string_utf16BE_no_BOM.json", BT_JSON_ERROR_UTF8},
    {"i_string_utf16LE_no_BOM.json", BT_JSON_ERROR_UTF8},
    {"i_structure_500_nested_arrays.json", BT_JSON_ERROR_TOO_DEEP},
    {"i_structure_UTF-8_BOM_empty_object.json", BT_JSON_ERROR_SYNTAX},
};

/* What must become of a text. */
enum rule {
    MUST_ACCEPT,
    MUST_REJECT,
    MUST_REJECT_DUPLICATE, /* and accept it when duplicates are allowed */
    MUST_BE,               /* exactly this code, where RFC 8259 leaves the choice */
    RULE__MAX,
};

struct expectation {
    enum rule rule;
    enum bt_json_error code; /* of MUST_BE */
};

struct counts {
    size_t of[RULE__MAX];
};

static enum bt_json_error code_of(const struct bt_json_kernel *kernel, bt_str text, bool duplicates)
{
    struct bt_arena arena;
    struct bt_json_options options = bt_json_options_default();
    options.duplicates_allowed = duplicates;
    bt_arena_init(&arena, 64 << 20);
    const enum bt_json_error code = read_with(kernel, &arena, text, &options).code;
    bt_arena_free(&arena);
    return code;
}

static bool is_met(struct expectation want, enum bt_json_error code, enum bt_json_error as_rfc)
{
    switch (want.rule) {
    case MUST_ACCEPT:
        return as_rfc == BT_JSON_ERROR_NONE && code == BT_JSON_ERROR_NONE;
    case MUST_REJECT:
        return as_rfc != BT_JSON_ERROR_NONE && code != BT_JSON_ERROR_NONE;
    case MUST_REJECT_DUPLICATE:
        return as_rfc == BT_JSON_ERROR_NONE && code == BT_JSON_ERROR_DUPLICATE_KEY;
    case MUST_BE:
    case RULE__MAX:
        break;
    }
    return code == want.code;
}

static void judge(const char *name, struct expectation want, bt_str text, struct counts *counts)
{
    FOR_EACH_KERNEL(kernel)
    {
        const enum bt_json_error as_rfc = code_of(kernel, text, true);
        const enum bt_json_error code = code_of(kernel, text, false);
        if (!is_met(want, code, as_rfc)) {
            fail_msg("%s, %s: code %d, as RFC 8259 %d", kernel->name, name, code, as_rfc);
        }
    }
    counts->of[want.rule]++;
}

/* Judge the text with its end against a page that cannot be read. */
static void judge_guarded(const char *name, struct expectation want, bt_str text,
                          struct counts *counts)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t room = (text.len / page + 1) * page;
    char *pages =
        mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(mprotect(pages + room, page, PROT_NONE), 0);
    char *at = pages + room - text.len;
    if (text.len > 0) {
        memcpy(at, text.ptr, text.len);
    }
    judge(name, want, (bt_str){at, text.len}, counts);
    assert_int_equal(munmap(pages, room + page), 0);
}

/* ---- parsing.txt ---- */

static const struct verdict {
    const char *word;
    struct expectation want;
} verdicts[] = {
    {"accept", {MUST_ACCEPT, BT_JSON_ERROR_NONE}},
    {"reject", {MUST_REJECT, BT_JSON_ERROR_NONE}},
    {"duplicate", {MUST_REJECT_DUPLICATE, BT_JSON_ERROR_NONE}},
    {"either:accept", {MUST_BE, BT_JSON_ERROR_NONE}},
    {"either:reject", {MUST_BE, BT_JSON_ERROR_SYNTAX}},
    {"either:utf8", {MUST_BE, BT_JSON_ERROR_UTF8}},
    {"either:too-deep", {MUST_BE, BT_JSON_ERROR_TOO_DEEP}},
};

static struct expectation expectation_of(bt_str word)
{
    for (size_t i = 0; i < COUNT_OF(verdicts); i++) {
        if (bt_str_eq(word, bt_str_of(verdicts[i].word))) {
            return verdicts[i].want;
        }
    }
    fail_msg("there is no verdict '%.*s'", BT_STR_ARG(word));
    return verdicts[0].want;
}

/* Add `written` with %HH as a byte; the repetitions are resolved. */
static void put_bytes(struct bt_buf *out, bt_str written)
{
    for (size_t i = 0; i < written.len; i++) {
        char byte = written.ptr[i];
        if (byte == '%') {
            unsigned value = 0;
            assert_int_equal(sscanf(written.ptr + i + 1, "%2x", &value), 1);
            byte = (char)value;
            i += 2;
        }
        bt_buf_put(out, (bt_str){&byte, 1});
    }
}

/* Add `written` with %HH as a byte and %(N*T) as N times T. */
static void put_text(struct bt_buf *out, bt_str written)
{
    for (size_t i = 0; i < written.len;) {
        const bt_str rest = bt_str_slice(written, i, written.len);
        if (!bt_str_starts_with(rest, BT_STR("%("))) {
            const size_t size = rest.ptr[0] == '%' ? 3 : 1;
            put_bytes(out, bt_str_slice(rest, 0, size));
            i += size;
            continue;
        }
        const size_t star = bt_str_find_byte(rest, '*', 0);
        const size_t end = bt_str_find_byte(rest, ')', 0);
        uint64_t times = 0;
        assert_true(star < end && end < rest.len);
        assert_int_equal(bt_str_to_u64(bt_str_slice(rest, 2, star), &times), BT_OK);
        for (; times > 0; times--) {
            put_bytes(out, bt_str_slice(rest, star + 1, end));
        }
        i += end + 1;
    }
}

/* The next word of a line, and what follows the blanks after it. */
static bt_str take_word(bt_str *line)
{
    const size_t end = bt_str_find_byte(*line, ' ', 0);
    const bt_str word = bt_str_slice(*line, 0, end);
    size_t next = end;
    while (next < line->len && line->ptr[next] == ' ') {
        next++;
    }
    *line = bt_str_slice(*line, next, line->len);
    return word;
}

static void judge_line(bt_str line, struct counts *counts)
{
    const struct expectation want = expectation_of(take_word(&line));
    char name[64];
    const bt_str word = take_word(&line);
    struct bt_buf text;
    (void)snprintf(name, sizeof(name), "%.*s", BT_STR_ARG(word));
    bt_buf_init(&text, 1 << 22);
    put_text(&text, line);
    assert_int_equal(text.status, BT_OK);
    judge_guarded(name, want, bt_buf_str(&text), counts);
    bt_buf_free(&text);
}

static void every_case_has_its_verdict(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct counts counts = {0};
    bt_str text = {0};
    bt_arena_init(&arena, 1 << 20);
    assert_int_equal(
        bt_file_read(&arena, BT_STR(BATON_JSON_TESTS "/parsing.txt"), 1 << 18, &text, NULL), BT_OK);
    for (size_t at = 0; at < text.len;) {
        const size_t end = bt_str_find_byte(text, '\n', at);
        const bt_str line = bt_str_slice(text, at, end);
        if (line.len > 0 && line.ptr[0] != '#') {
            judge_line(line, &counts);
        }
        at = end + 1;
    }
    bt_arena_free(&arena);
    assert_true(counts.of[MUST_ACCEPT] >= 156 && counts.of[MUST_REJECT] >= 267);
    assert_true(counts.of[MUST_BE] >= 67 && counts.of[MUST_REJECT_DUPLICATE] >= 8);
}

/* ---- The public suite ---- */

/* Two of the y_ files repeat a name. */
static bool is_duplicate_file(const char *name)
{
    return strcmp(name, "y_object_duplicated_key.json") == 0 ||
           strcmp(name, "y_object_duplicated_key_and_value.json") == 0;
}

static struct expectation expectation_of_file(const char *name)
{
    if (name[0] == 'y') {
        const bool repeats = is_duplicate_file(name);
        return (struct expectation){repeats ? MUST_REJECT_DUPLICATE : MUST_ACCEPT,
                                    BT_JSON_ERROR_NONE};
    }
    if (name[0] == 'n') {
        return (struct expectation){MUST_REJECT, BT_JSON_ERROR_NONE};
    }
    for (size_t i = 0; i < COUNT_OF(choices); i++) {
        if (strcmp(choices[i].name, name) == 0) {
            return (struct expectation){MUST_BE, choices[i].code};
        }
    }
    fail_msg("%s is not in the table of choices", name);
    return (struct expectation){MUST_BE, BT_JSON_ERROR_NONE};
}

static const char folder[] = BATON_SHARED_DATA "/json-parsing";

static void the_public_parsing_suite_is_met(void **state)
{
    (void)state;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    struct counts counts = {0};
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (!strstr(entry->d_name, ".json")) {
            continue;
        }
        char path[1024];
        struct bt_arena arena;
        bt_str text = {0};
        (void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        bt_arena_init(&arena, 64 << 20);
        assert_int_equal(bt_file_read(&arena, bt_str_of(path), 8 << 20, &text, NULL), BT_OK);
        judge_guarded(entry->d_name, expectation_of_file(entry->d_name), text, &counts);
        bt_arena_free(&arena);
    }
    assert_int_equal(closedir(directory), 0);
    assert_int_equal(counts.of[MUST_ACCEPT] + counts.of[MUST_REJECT_DUPLICATE], 95);
    assert_int_equal(counts.of[MUST_REJECT], 188);
    assert_int_equal(counts.of[MUST_BE], COUNT_OF(choices));
}

/* Our cases, or with the argument `public` the public suite. */
int main(int argc, char **argv)
{
    const struct CMUnitTest ours[] = {cmocka_unit_test(every_case_has_its_verdict)};
    const struct CMUnitTest theirs[] = {cmocka_unit_test(the_public_parsing_suite_is_met)};
    if (argc < 2 || strcmp(argv[1], "public") != 0) {
        return RUN_TESTS(ours);
    }
    if (access(folder, R_OK) != 0) {
        (void)printf("1..0 # SKIP the public JSON parsing suite is not in "
                     "../shared/data/json-parsing\n");
        return 0;
    }
    return RUN_TESTS(theirs);
}
