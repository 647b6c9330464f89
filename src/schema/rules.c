/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - the rows of the rules of JSON Schema.
 *
 * An example is an object with a `schema` and an `instance`, the one judged by the other, and with
 * a `draft` when it is not 2020-12.
 */
#include "schema/rules.h"

#include <assert.h>

/* clang-format off */
#define TEXT BT_STR_INIT
#define ROW(code_, dialect_, meaning_)                                                             \
    .code = TEXT(code_), .dialect = TEXT(dialect_), .severity = BT_SEVERITY_HARD, \
    .stage = BT_STAGE_SCHEMA, .meaning = TEXT(meaning_)

const struct bt_rule bt_schema_rules[] = {
    {
        ROW("PATTERN_INVALID", "schema", "a pattern in the schema is no regular expression"),
        .explanation = TEXT(
            "Patterns are ECMA-262 regular expressions, read with the u flag and, when that "
            "fails, with the leniency of Annex B. params say what is wrong. Until the "
            "pattern is corrected nothing can be judged by the schema."),
        .bad = TEXT("{\"schema\":{\"pattern\":\"(a\"},\"instance\":\"\"}"),
        .good = TEXT("{\"schema\":{\"pattern\":\"(a)\"},\"instance\":\"a\"}"),
    },
    {
        ROW("PATTERN_TOO_COMPLEX", "schema",
            "a pattern in the schema is too large to be matched within bounds"),
        .security = true,
        .explanation = TEXT(
            "Matching takes time linear in the text, at the price of an automaton whose "
            "size is bounded. Counted repeats inside counted repeats are the usual cause. "
            "Write the pattern with fewer or smaller repeats, or check the length with "
            "maxLength."),
        .bad = TEXT("{\"schema\":{\"pattern\":\"^((a?b?){1000}){1000}$\"},\"instance\":\"\"}"),
        .good = TEXT("{\"schema\":{\"pattern\":\"^a{1000}$\"},\"instance\":1}"),
    },
    {
        ROW("SCHEMA_ADDITIONAL_ITEMS", "json",
            "an array has an item that the schema does not allow for"),
        .explanation = TEXT(
            "The schema lists the items one by one and closes the array behind them with "
            "additionalItems false. Remove the item; the pointer names it."),
        .bad = TEXT(" {\"draft\":7,\"schema\":{\"items\":[true],\"additionalItems\":false},\"inst"
                    "ance\":[1,2]}"),
        .good = TEXT(" {\"draft\":7,\"schema\":{\"items\":[true],\"additionalItems\":false},\"ins"
                     "tance\":[1]}"),
    },
    {
        ROW("SCHEMA_ADDITIONAL_PROPERTIES", "json",
            "an object has a member that the schema does not allow for"),
        .explanation = TEXT(
            "The schema names the members of this object and closes it with "
            "additionalProperties false. Often the name is misspelled: params.allowed lists "
            "the names, params.nearest the one most like it."),
        .bad = TEXT(" {\"schema\":{\"properties\":{\"a\":true},\"additionalProperties\":false},\""
                    "instance\":{\"b\":1}}"),
        .good = TEXT(" {\"schema\":{\"properties\":{\"a\":true},\"additionalProperties\":false},"
                     "\"instance\":{\"a\":1}}"),
    },
    {
        ROW("SCHEMA_ANY_OF", "json", "a value meets none of the alternatives"),
        .explanation = TEXT(
            "At least one of the schemas of anyOf must accept the value. params.branches "
            "says, one by one, what each of them lacked; mending one of them is enough."),
        .bad = TEXT(" {\"schema\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]},\"insta"
                    "nce\":1}"),
        .good = TEXT(" {\"schema\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]},\"inst"
                     "ance\":null}"),
    },
    {
        ROW("SCHEMA_BUDGET", "json", "judging took more work, time or memory than it may"),
        .security = true,
        .explanation = TEXT(
            "The work and the memory of a validation, and with a clock its time, are bounded, so "
            "that no schema and no document can hold up whoever asks. When a bound is reached "
            "nothing is known: the document is neither valid nor invalid. params.spent says "
            "which it was: work, time or memory. Simplify the schema (nested alternatives that "
            "refer to each other are the usual cause), or raise the bound. For a schema that is "
            "itself too large the same code is given."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("SCHEMA_CONST", "json", "a value is not the one the schema demands"),
        .explanation = TEXT(
            "Only one value is allowed here; params.expected is it. Numbers are compared by "
            "value, so 1.0 is 1; true is not 1; members of objects may stand in any order."),
        .bad = TEXT("{\"schema\":{\"const\":1},\"instance\":2}"),
        .good = TEXT("{\"schema\":{\"const\":1},\"instance\":1.0}"),
    },
    {
        ROW("SCHEMA_CONTAINS", "json", "an array holds no item of the kind the schema asks for"),
        .explanation = TEXT(
            "At least one item must be accepted by the schema of contains. params.branches "
            "says what each of the first items lacked."),
        .bad = TEXT("{\"schema\":{\"contains\":{\"type\":\"string\"}},\"instance\":[1]}"),
        .good = TEXT("{\"schema\":{\"contains\":{\"type\":\"string\"}},\"instance\":[1,\"a\"]}"),
    },
    {
        ROW("SCHEMA_CONTENT_ENCODING", "json", "a string is not in the encoding the schema names"),
        .explanation = TEXT(
            "In draft 7, with formats asserted, contentEncoding base64 asks for RFC 4648 "
            "base64 with padding. Encode the content again."),
        .bad = TEXT(" {\"draft\":7,\"schema\":{\"contentEncoding\":\"base64\"},\"instance\":\"%\""
                    "}"),
        .good = TEXT(" {\"draft\":7,\"schema\":{\"contentEncoding\":\"base64\"},\"instance\":\"YQ"
                     "==\"}"),
    },
    {
        ROW("SCHEMA_CONTENT_MEDIA_TYPE", "json",
            "the content of a string is not of the type the schema names"),
        .explanation = TEXT(
            "In draft 7, with formats asserted, contentMediaType application/json asks for "
            "a string that is JSON, after undoing contentEncoding. Write the content as "
            "JSON."),
        .bad = TEXT(" {\"draft\":7,\"schema\":{\"contentMediaType\":\"application/json\"},\"insta"
                    "nce\":\"{\"}"),
        .good = TEXT(" {\"draft\":7,\"schema\":{\"contentMediaType\":\"application/json\"},\"inst"
                     "ance\":\"{}\"}"),
    },
    {
        ROW("SCHEMA_CYCLE", "schema",
            "references in the schema go in a circle without going into the value"),
        .explanation = TEXT(
            "Judging a value by this reference would lead to the same reference and the "
            "same value again, forever. A schema may refer to itself only below a keyword "
            "that goes on to members or items. The finding stands at one reference of the "
            "circle."),
        .bad = TEXT("{\"schema\":{\"$ref\":\"#\"},\"instance\":1}"),
        .good = TEXT("{\"schema\":{\"items\":{\"$ref\":\"#\"}},\"instance\":1}"),
    },
    {
        ROW("SCHEMA_DEPENDENCIES", "json", "a member is missing that another one needs"),
        .explanation = TEXT(
            "When the member in params.trigger is there, the one in params.property must be "
            "there too. Add it, or remove the other."),
        .bad = TEXT("{\"schema\":{\"dependencies\":{\"a\":[\"b\"]}},\"instance\":{\"a\":1}}"),
        .good = TEXT("{\"schema\":{\"dependencies\":{\"a\":[\"b\"]}},\"instance\":{\"a\":1,\"b\":"
                     "1}}"),
    },
    {
        ROW("SCHEMA_DEPENDENT_REQUIRED", "json", "a member is missing that another one needs"),
        .explanation = TEXT(
            "When the member in params.trigger is there, the one in params.property must be "
            "there too. Add it, or remove the other."),
        .bad = TEXT("{\"schema\":{\"dependentRequired\":{\"a\":[\"b\"]}},\"instance\":{\"a\":1}}"),
        .good = TEXT(" {\"schema\":{\"dependentRequired\":{\"a\":[\"b\"]}},\"instance\":{\"a\":1,"
                     "\"b\":1}}"),
    },
    {
        ROW("SCHEMA_DISALLOW", "json", "a value is of a kind the schema rules out"),
        .explanation = TEXT(
            "Draft 3: none of the types and schemas of disallow may accept the value."),
        .bad = TEXT(" {\"draft\":3,\"schema\":{\"disallow\":\"string\"},\"instance\":\"a\"}"),
        .good = TEXT(" {\"draft\":3,\"schema\":{\"disallow\":\"string\"},\"instance\":1}"),
    },
    {
        ROW("SCHEMA_DIVISIBLE_BY", "json", "a number is no multiple of what the schema demands"),
        .explanation = TEXT(
            "Draft 3: the number divided by params.divisor must be whole. Decimals are "
            "exact, so 0.3 is divisible by 0.1."),
        .bad = TEXT(" {\"draft\":3,\"schema\":{\"divisibleBy\":0.1},\"instance\":0.35}"),
        .good = TEXT(" {\"draft\":3,\"schema\":{\"divisibleBy\":0.1},\"instance\":0.3}"),
    },
    {
        ROW("SCHEMA_ENUM", "json", "a value is none of those the schema lists"),
        .explanation = TEXT(
            "params.allowed lists what may stand here, params.nearest the one most like the "
            "value. Numbers are compared by value, members of objects in any order."),
        .bad = TEXT("{\"schema\":{\"enum\":[\"red\",\"green\"]},\"instance\":\"gren\"}"),
        .good = TEXT("{\"schema\":{\"enum\":[\"red\",\"green\"]},\"instance\":\"green\"}"),
    },
    {
        ROW("SCHEMA_EXCLUSIVE_MAXIMUM", "json", "a number is not below its bound"),
        .explanation = TEXT(
            "The number must be less than params.limit; the bound itself does not count. "
            "Decimals are compared exactly, whatever their length."),
        .bad = TEXT("{\"schema\":{\"exclusiveMaximum\":3},\"instance\":3}"),
        .good = TEXT("{\"schema\":{\"exclusiveMaximum\":3},\"instance\":2.9}"),
    },
    {
        ROW("SCHEMA_EXCLUSIVE_MINIMUM", "json", "a number is not above its bound"),
        .explanation = TEXT(
            "The number must be greater than params.limit; the bound itself does not count. "
            "Decimals are compared exactly, whatever their length."),
        .bad = TEXT("{\"schema\":{\"exclusiveMinimum\":3},\"instance\":3}"),
        .good = TEXT("{\"schema\":{\"exclusiveMinimum\":3},\"instance\":3.1}"),
    },
    {
        ROW("SCHEMA_FALSE", "json", "a value stands where the schema allows none"),
        .explanation = TEXT(
            "The schema false accepts nothing, and it is the one that applies here. Remove "
            "the value."),
        .bad = TEXT("{\"schema\":{\"properties\":{\"a\":false}},\"instance\":{\"a\":1}}"),
        .good = TEXT("{\"schema\":{\"properties\":{\"a\":false}},\"instance\":{}}"),
    },
    {
        ROW("SCHEMA_FORMAT", "json", "a string does not have the format the schema names"),
        .explanation = TEXT(
            "Formats decide only when that is asked for, or when the vocabulary of the "
            "schema says so. params.format names the format."),
        .bad = TEXT("{\"schema\":{\"format\":\"ipv4\"},\"instance\":\"1.2.3.400\"}"),
        .good = TEXT("{\"schema\":{\"format\":\"ipv4\"},\"instance\":\"1.2.3.4\"}"),
    },
    {
        .code = TEXT("SCHEMA_LINT"),
        .dialect = TEXT("schema"),
        .severity = BT_SEVERITY_WARN,
        .stage = BT_STAGE_SCHEMA,
        .meaning = TEXT("the schema is valid, but hardly meant as it is"),
        .explanation = TEXT(
            "params.rule says what was noticed. unbounded-unique-items: uniqueItems without "
            "maxItems compares any number of items with each other. unbounded-pattern: a pattern "
            "without maxLength is matched with strings of any length, which some validators do "
            "in exponential time. unreachable-branch: a branch of anyOf, oneOf, allOf or if that "
            "no value can take, because its types and those around it exclude each other. "
            "required-without-property: a required name that properties does not describe, "
            "often a misspelling. The schema is used as it is."),
        .bad = TEXT("{\"schema\":{\"uniqueItems\":true},\"instance\":[]}"),
        .good = TEXT("{\"schema\":{\"uniqueItems\":true,\"maxItems\":9},\"instance\":[]}"),
    },
    {
        ROW("SCHEMA_MAXIMUM", "json", "a number is above its bound"),
        .explanation = TEXT(
            "The number must not be greater than params.limit. Decimals are compared "
            "exactly, whatever their length."),
        .bad = TEXT("{\"schema\":{\"maximum\":3},\"instance\":3.1}"),
        .good = TEXT("{\"schema\":{\"maximum\":3},\"instance\":3}"),
    },
    {
        ROW("SCHEMA_MAX_CONTAINS", "json", "an array holds too many items of a kind"),
        .explanation = TEXT(
            "At most params.limit items may be accepted by the schema of contains; "
            "params.actual is their number, or the number at which counting ended."),
        .bad = TEXT(" {\"schema\":{\"contains\":{\"type\":\"string\"},\"maxContains\":1},\"instan"
                    "ce\":[\"a\",\"b\"]}"),
        .good = TEXT(" {\"schema\":{\"contains\":{\"type\":\"string\"},\"maxContains\":1},\"insta"
                     "nce\":[\"a\",1]}"),
    },
    {
        ROW("SCHEMA_MAX_ITEMS", "json", "an array has too many items"),
        .explanation = TEXT(
            "The array may have at most params.limit items and has params.actual."),
        .bad = TEXT("{\"schema\":{\"maxItems\":1},\"instance\":[1,2]}"),
        .good = TEXT("{\"schema\":{\"maxItems\":1},\"instance\":[1]}"),
    },
    {
        ROW("SCHEMA_MAX_LENGTH", "json", "a string is too long"),
        .explanation = TEXT(
            "The string may have at most params.limit characters and has params.actual. "
            "Characters are Unicode code points, not bytes."),
        .bad = TEXT("{\"schema\":{\"maxLength\":2},\"instance\":\"abc\"}"),
        .good = TEXT("{\"schema\":{\"maxLength\":2},\"instance\":\"ab\"}"),
    },
    {
        ROW("SCHEMA_MAX_PROPERTIES", "json", "an object has too many members"),
        .explanation = TEXT(
            "The object may have at most params.limit members and has params.actual."),
        .bad = TEXT("{\"schema\":{\"maxProperties\":1},\"instance\":{\"a\":1,\"b\":2}}"),
        .good = TEXT("{\"schema\":{\"maxProperties\":1},\"instance\":{\"a\":1}}"),
    },
    {
        ROW("SCHEMA_MINIMUM", "json", "a number is below its bound"),
        .explanation = TEXT(
            "The number must not be less than params.limit. Decimals are compared exactly, "
            "whatever their length."),
        .bad = TEXT("{\"schema\":{\"minimum\":3},\"instance\":2.9}"),
        .good = TEXT("{\"schema\":{\"minimum\":3},\"instance\":3}"),
    },
    {
        ROW("SCHEMA_MIN_CONTAINS", "json", "an array holds too few items of a kind"),
        .explanation = TEXT(
            "At least params.limit items must be accepted by the schema of contains; "
            "params.actual is their number."),
        .bad = TEXT(" {\"schema\":{\"contains\":{\"type\":\"string\"},\"minContains\":2},\"instan"
                    "ce\":[\"a\"]}"),
        .good = TEXT(" {\"schema\":{\"contains\":{\"type\":\"string\"},\"minContains\":2},\"insta"
                     "nce\":[\"a\",\"b\"]}"),
    },
    {
        ROW("SCHEMA_MIN_ITEMS", "json", "an array has too few items"),
        .explanation = TEXT(
            "The array must have at least params.limit items and has params.actual."),
        .bad = TEXT("{\"schema\":{\"minItems\":2},\"instance\":[1]}"),
        .good = TEXT("{\"schema\":{\"minItems\":2},\"instance\":[1,2]}"),
    },
    {
        ROW("SCHEMA_MIN_LENGTH", "json", "a string is too short"),
        .explanation = TEXT(
            "The string must have at least params.limit characters and has params.actual. "
            "Characters are Unicode code points, not bytes."),
        .bad = TEXT("{\"schema\":{\"minLength\":2},\"instance\":\"a\"}"),
        .good = TEXT("{\"schema\":{\"minLength\":2},\"instance\":\"ab\"}"),
    },
    {
        ROW("SCHEMA_MIN_PROPERTIES", "json", "an object has too few members"),
        .explanation = TEXT(
            "The object must have at least params.limit members and has params.actual."),
        .bad = TEXT("{\"schema\":{\"minProperties\":2},\"instance\":{\"a\":1}}"),
        .good = TEXT("{\"schema\":{\"minProperties\":2},\"instance\":{\"a\":1,\"b\":2}}"),
    },
    {
        ROW("SCHEMA_MULTIPLE_OF", "json", "a number is no multiple of what the schema demands"),
        .explanation = TEXT(
            "The number divided by params.divisor must be whole. Decimals are exact, so 0.3 "
            "is a multiple of 0.1, and 4.35 one of 0.01."),
        .bad = TEXT("{\"schema\":{\"multipleOf\":0.1},\"instance\":0.35}"),
        .good = TEXT("{\"schema\":{\"multipleOf\":0.1},\"instance\":0.3}"),
    },
    {
        ROW("SCHEMA_NOT", "json", "a value is just what the schema rules out"),
        .explanation = TEXT(
            "The schema of not accepts the value, and therefore the value is refused. The "
            "place that params.keyword names says what is ruled out."),
        .bad = TEXT("{\"schema\":{\"not\":{\"type\":\"string\"}},\"instance\":\"a\"}"),
        .good = TEXT("{\"schema\":{\"not\":{\"type\":\"string\"}},\"instance\":1}"),
    },
    {
        ROW("SCHEMA_ONE_OF", "json", "a value does not meet exactly one of the alternatives"),
        .explanation = TEXT(
            "Exactly one of the schemas of oneOf must accept the value. params.passed is "
            "the number of those that did; when it is zero, params.branches says what each "
            "lacked; otherwise params.passing lists them."),
        .bad = TEXT(" {\"schema\":{\"oneOf\":[{\"type\":\"number\"},{\"minimum\":1}]},\"instance"
                    "\":2}"),
        .good = TEXT(" {\"schema\":{\"oneOf\":[{\"type\":\"number\"},{\"minimum\":1}]},\"instance"
                     "\":0}"),
    },
    {
        ROW("SCHEMA_PATTERN", "json", "a string does not match the pattern"),
        .explanation = TEXT(
            "The pattern is an ECMA-262 regular expression and may match anywhere in the "
            "string unless it is anchored with ^ and $. params.pattern is the pattern."),
        .bad = TEXT("{\"schema\":{\"pattern\":\"^[a-z]+$\"},\"instance\":\"A\"}"),
        .good = TEXT("{\"schema\":{\"pattern\":\"^[a-z]+$\"},\"instance\":\"a\"}"),
    },
    {
        ROW("SCHEMA_REF_UNRESOLVED", "schema", "a reference in the schema leads nowhere"),
        .explanation = TEXT(
            "params.ref is the reference, params.reason why it cannot be followed. "
            "References lead to parts of the schema, to schemas that were handed over with "
            "it, and to the built-in meta-schemas; nothing is fetched from a network. The "
            "same is said of a $schema that names no known meta-schema, and of a vocabulary "
            "that is needed and unknown."),
        .bad = TEXT("{\"schema\":{\"$ref\":\"#/$defs/a\"},\"instance\":1}"),
        .good = TEXT("{\"schema\":{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":true}},\"instance\":1}"),
    },
    {
        ROW("SCHEMA_REQUIRED", "json", "an object lacks a member that it must have"),
        .explanation = TEXT(
            "The member in params.property must be there; the pointer names the object that "
            "lacks it."),
        .bad = TEXT("{\"schema\":{\"required\":[\"a\"]},\"instance\":{}}"),
        .good = TEXT("{\"schema\":{\"required\":[\"a\"]},\"instance\":{\"a\":1}}"),
    },
    {
        ROW("SCHEMA_TYPE", "json", "a value is of the wrong type"),
        .explanation = TEXT(
            "params.expected is the type, or the types, that may stand here; params.actual "
            "is what stands there. 1.0 is an integer from draft 6 on; true is no number."),
        .bad = TEXT("{\"schema\":{\"type\":\"string\"},\"instance\":1}"),
        .good = TEXT("{\"schema\":{\"type\":\"string\"},\"instance\":\"1\"}"),
    },
    {
        ROW("SCHEMA_UNEVALUATED_ITEMS", "json",
            "an array has an item that no part of the schema allows for"),
        .explanation = TEXT(
            "The array is closed with unevaluatedItems false: only items that some other "
            "part of the schema accepted may be there. Alternatives that failed do not "
            "count."),
        .bad = TEXT(" {\"schema\":{\"prefixItems\":[true],\"unevaluatedItems\":false},\"instance"
                    "\":[1,2]}"),
        .good = TEXT(" {\"schema\":{\"prefixItems\":[true],\"unevaluatedItems\":false},\"instance"
                     "\":[1]}"),
    },
    {
        ROW("SCHEMA_UNEVALUATED_PROPERTIES", "json",
            "an object has a member that no part of the schema allows for"),
        .explanation = TEXT(
            "The object is closed with unevaluatedProperties false: only members that some "
            "other part of the schema accepted may be there. Alternatives that failed do "
            "not count. Often the name is misspelled: params.nearest is the known name most "
            "like it."),
        .bad = TEXT(" {\"schema\":{\"properties\":{\"a\":true},\"unevaluatedProperties\":false},"
                    "\"instance\":{\"b\":1}}"),
        .good = TEXT(" {\"schema\":{\"properties\":{\"a\":true},\"unevaluatedProperties\":false},"
                     "\"instance\":{\"a\":1}}"),
    },
    {
        ROW("SCHEMA_UNIQUE_ITEMS", "json", "an array holds the same item twice"),
        .explanation = TEXT(
            "Items are compared by value: 1 and 1.0 are the same, and so are objects whose "
            "members stand in another order. params.first and params.second are the indexes "
            "of the two."),
        .bad = TEXT("{\"schema\":{\"uniqueItems\":true},\"instance\":[1,1.0]}"),
        .good = TEXT("{\"schema\":{\"uniqueItems\":true},\"instance\":[1,2]}"),
    },
};
/* clang-format on */

const size_t bt_schema_rules_count = sizeof(bt_schema_rules) / sizeof(bt_schema_rules[0]);

const struct bt_rule *bt_schema_rule(bt_str code)
{
    size_t i = 0;
    while (i < bt_schema_rules_count && !bt_str_eq(bt_schema_rules[i].code, code)) {
        i++;
    }
    assert(i < bt_schema_rules_count);
    return &bt_schema_rules[i];
}
