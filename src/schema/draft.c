/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draft.c - the rows of drafts, vocabularies and keywords.
 */
#include "schema/draft.h"

#include <assert.h>

/* clang-format off */
#define TEXT BT_STR_INIT
/* clang-format on */

enum {
    D3 = 1 << BT_SCHEMA_DRAFT_3,
    D4 = 1 << BT_SCHEMA_DRAFT_4,
    D6 = 1 << BT_SCHEMA_DRAFT_6,
    D7 = 1 << BT_SCHEMA_DRAFT_7,
    D19 = 1 << BT_SCHEMA_DRAFT_2019_09,
    D20 = 1 << BT_SCHEMA_DRAFT_2020_12,
    V1 = 1 << BT_SCHEMA_DRAFT_V1,
    FROM_20 = D20 | V1,
    FROM_19 = D19 | FROM_20,
    FROM_7 = D7 | FROM_19,
    FROM_6 = D6 | FROM_7,
    FROM_4 = D4 | FROM_6,
    ALL = D3 | FROM_4,
};

enum {
    CORE = BT_SCHEMA_VOCAB_CORE,
    APPLY = BT_SCHEMA_VOCAB_APPLICATOR,
    UNEVAL = BT_SCHEMA_VOCAB_UNEVALUATED,
    VALID = BT_SCHEMA_VOCAB_VALIDATION,
    FORMAT = BT_SCHEMA_VOCAB_FORMAT,
    CONTENT = BT_SCHEMA_VOCAB_CONTENT,
};

/* Identifiers and definitions are known whatever the vocabularies say: without them references
 * would lead elsewhere. */
const struct bt_schema_keyword_row bt_keyword_rows[BT_SCHEMA_KW__MAX] = {
    {TEXT("$anchor"), FROM_19, CORE, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("$defs"), FROM_19, CORE, BT_SCHEMA_KEYWORD_SHAPE_MAP, BT_NOWHERE},
    {TEXT("$dynamicAnchor"), FROM_20, CORE, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("$dynamicRef"), FROM_20, CORE, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_IN_PLACE},
    {TEXT("$id"), FROM_6, CORE, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("$recursiveAnchor"), D19, CORE, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("$recursiveRef"), D19, CORE, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_IN_PLACE},
    {TEXT("$ref"), ALL, CORE, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_IN_PLACE},
    {TEXT("additionalItems"), D3 | D4 | D6 | D7 | D19, APPLY, BT_SCHEMA_KEYWORD_SHAPE_ONE,
     BT_DESCEND},
    {TEXT("additionalProperties"), ALL, APPLY, BT_SCHEMA_KEYWORD_SHAPE_ONE, BT_DESCEND},
    {TEXT("allOf"), FROM_4, APPLY, BT_SCHEMA_KEYWORD_SHAPE_LIST, BT_IN_PLACE},
    {TEXT("anyOf"), FROM_4, APPLY, BT_SCHEMA_KEYWORD_SHAPE_LIST, BT_IN_PLACE},
    {TEXT("const"), FROM_6, VALID, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("contains"), FROM_6, APPLY, BT_SCHEMA_KEYWORD_SHAPE_ONE, BT_DESCEND},
    {TEXT("contentEncoding"), FROM_7, CONTENT, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("contentMediaType"), FROM_7, CONTENT, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("contentSchema"), FROM_19, CONTENT, BT_SCHEMA_KEYWORD_SHAPE_ONE, BT_NOWHERE},
    {TEXT("definitions"), ALL, CORE, BT_SCHEMA_KEYWORD_SHAPE_MAP, BT_NOWHERE},
    {TEXT("dependencies"), ALL, APPLY, BT_SCHEMA_KEYWORD_SHAPE_DEPENDENCY, BT_IN_PLACE},
    {TEXT("dependentRequired"), FROM_19, VALID, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("dependentSchemas"), FROM_19, APPLY, BT_SCHEMA_KEYWORD_SHAPE_MAP, BT_IN_PLACE},
    {TEXT("disallow"), D3, VALID, BT_SCHEMA_KEYWORD_SHAPE_UNION, BT_NEGATED},
    {TEXT("divisibleBy"), D3, VALID, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("else"), FROM_7, APPLY, BT_SCHEMA_KEYWORD_SHAPE_ONE, BT_IN_PLACE},
    {TEXT("enum"), ALL, VALID, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("exclusiveMaximum"), ALL, VALID, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("exclusiveMinimum"), ALL, VALID, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("extends"), D3, APPLY, BT_SCHEMA_KEYWORD_SHAPE_ONE_OR_LIST, BT_IN_PLACE},
    {TEXT("format"), ALL, FORMAT, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("id"), D3 | D4, CORE, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("if"), FROM_7, APPLY, BT_SCHEMA_KEYWORD_SHAPE_ONE, BT_IN_PLACE},
    {TEXT("items"), ALL, APPLY, BT_SCHEMA_KEYWORD_SHAPE_ONE_OR_LIST, BT_DESCEND},
    {TEXT("maxContains"), FROM_19, VALID, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("maxItems"), ALL, VALID, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("maxLength"), ALL, VALID, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("maxProperties"), FROM_4, VALID, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("maximum"), ALL, VALID, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("minContains"), FROM_19, VALID, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("minItems"), ALL, VALID, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("minLength"), ALL, VALID, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("minProperties"), FROM_4, VALID, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("minimum"), ALL, VALID, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("multipleOf"), FROM_4, VALID, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("not"), FROM_4, APPLY, BT_SCHEMA_KEYWORD_SHAPE_ONE, BT_NEGATED},
    {TEXT("oneOf"), FROM_4, APPLY, BT_SCHEMA_KEYWORD_SHAPE_LIST, BT_IN_PLACE},
    {TEXT("pattern"), ALL, VALID, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("patternProperties"), ALL, APPLY, BT_SCHEMA_KEYWORD_SHAPE_MAP, BT_DESCEND},
    {TEXT("prefixItems"), FROM_20, APPLY, BT_SCHEMA_KEYWORD_SHAPE_LIST, BT_DESCEND},
    {TEXT("properties"), ALL, APPLY, BT_SCHEMA_KEYWORD_SHAPE_MAP, BT_DESCEND},
    {TEXT("propertyDependencies"), V1, APPLY, BT_SCHEMA_KEYWORD_SHAPE_MAP_OF_MAPS, BT_IN_PLACE},
    {TEXT("propertyNames"), FROM_6, APPLY, BT_SCHEMA_KEYWORD_SHAPE_ONE, BT_DESCEND},
    {TEXT("required"), ALL, VALID, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
    {TEXT("then"), FROM_7, APPLY, BT_SCHEMA_KEYWORD_SHAPE_ONE, BT_IN_PLACE},
    {TEXT("type"), ALL, VALID, BT_SCHEMA_KEYWORD_SHAPE_UNION, BT_IN_PLACE},
    {TEXT("unevaluatedItems"), FROM_19, UNEVAL, BT_SCHEMA_KEYWORD_SHAPE_ONE, BT_DESCEND},
    {TEXT("unevaluatedProperties"), FROM_19, UNEVAL, BT_SCHEMA_KEYWORD_SHAPE_ONE, BT_DESCEND},
    {TEXT("uniqueItems"), ALL, VALID, BT_SCHEMA_KEYWORD_SHAPE_NONE, BT_NOWHERE},
};

enum bt_schema_keyword bt_schema_keyword_find(bt_str name, const struct bt_schema_dialect *dialect)
{
    size_t low = 0;
    size_t high = BT_SCHEMA_KW__MAX;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct bt_schema_keyword_row *row = &bt_keyword_rows[middle];
        const int order = bt_str_compare(row->name, name);
        if (order == 0) {
            const bool known =
                (row->drafts >> dialect->draft & 1) != 0 &&
                (row->vocabulary & (dialect->vocabularies | BT_SCHEMA_VOCAB_CORE)) != 0;
            return known ? (enum bt_schema_keyword)middle : BT_SCHEMA_KW__MAX;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return BT_SCHEMA_KW__MAX;
}

struct schema_draft_row {
    bt_str uri;
    enum bt_schema_draft draft;
};

/* The first row of a draft has the URI of its meta-schema. */
static const struct schema_draft_row drafts[] = {
    {TEXT("https://json-schema.org/draft/2020-12/schema"), BT_SCHEMA_DRAFT_2020_12},
    {TEXT("https://json-schema.org/draft/2019-09/schema"), BT_SCHEMA_DRAFT_2019_09},
    {TEXT("http://json-schema.org/draft-07/schema"), BT_SCHEMA_DRAFT_7},
    {TEXT("http://json-schema.org/draft-06/schema"), BT_SCHEMA_DRAFT_6},
    {TEXT("http://json-schema.org/draft-04/schema"), BT_SCHEMA_DRAFT_4},
    {TEXT("http://json-schema.org/draft-03/schema"), BT_SCHEMA_DRAFT_3},
    {TEXT("https://json-schema.org/v1"), BT_SCHEMA_DRAFT_V1},
    /* Often written so, and there is nothing else it could mean. */
    {TEXT("https://json-schema.org/draft-07/schema"), BT_SCHEMA_DRAFT_7},
    {TEXT("https://json-schema.org/draft-06/schema"), BT_SCHEMA_DRAFT_6},
    {TEXT("https://json-schema.org/draft-04/schema"), BT_SCHEMA_DRAFT_4},
    {TEXT("https://json-schema.org/draft-03/schema"), BT_SCHEMA_DRAFT_3},
};

struct bt_schema_dialect bt_schema_dialect_of(enum bt_schema_draft draft)
{
    return (struct bt_schema_dialect){.draft = draft, .vocabularies = BT_SCHEMA_VOCAB_ALL};
}

bool bt_schema_dialect_find(bt_str uri, struct bt_schema_dialect *out)
{
    if (bt_str_ends_with(uri, BT_STR("#"))) {
        uri.len--;
    }
    for (size_t i = 0; i < sizeof(drafts) / sizeof(drafts[0]); i++) {
        if (bt_str_eq(drafts[i].uri, uri)) {
            *out = bt_schema_dialect_of(drafts[i].draft);
            return true;
        }
    }
    return false;
}

bt_str bt_schema_draft_uri(enum bt_schema_draft draft)
{
    size_t i = 0;
    while (drafts[i].draft != draft) {
        i++;
        assert(i < sizeof(drafts) / sizeof(drafts[0]));
    }
    return drafts[i].uri;
}

struct schema_draft_vocabulary_row {
    bt_str name;
    uint32_t bits;
    bool asserts_format;
};

static const struct schema_draft_vocabulary_row vocabularies[] = {
    {TEXT("core"), BT_SCHEMA_VOCAB_CORE, false},
    {TEXT("applicator"), BT_SCHEMA_VOCAB_APPLICATOR, false},
    {TEXT("unevaluated"), BT_SCHEMA_VOCAB_UNEVALUATED, false},
    {TEXT("validation"), BT_SCHEMA_VOCAB_VALIDATION, false},
    {TEXT("meta-data"), BT_SCHEMA_VOCAB_META, false},
    {TEXT("format"), BT_SCHEMA_VOCAB_FORMAT, false},
    {TEXT("format-annotation"), BT_SCHEMA_VOCAB_FORMAT, false},
    {TEXT("format-assertion"), BT_SCHEMA_VOCAB_FORMAT, true},
    {TEXT("content"), BT_SCHEMA_VOCAB_CONTENT, false},
};

static const bt_str vocabulary_homes[] = {
    TEXT("https://json-schema.org/draft/2020-12/vocab/"),
    TEXT("https://json-schema.org/draft/2019-09/vocab/"),
    TEXT("https://json-schema.org/v1/vocab/"),
};

bool bt_schema_dialect_add(struct bt_schema_dialect *dialect, bt_str uri)
{
    for (size_t i = 0; i < sizeof(vocabulary_homes) / sizeof(vocabulary_homes[0]); i++) {
        if (!bt_str_starts_with(uri, vocabulary_homes[i])) {
            continue;
        }
        const bt_str name = bt_str_slice(uri, vocabulary_homes[i].len, uri.len);
        for (size_t k = 0; k < sizeof(vocabularies) / sizeof(vocabularies[0]); k++) {
            if (bt_str_eq(vocabularies[k].name, name)) {
                dialect->vocabularies |= vocabularies[k].bits;
                dialect->asserts_format = dialect->asserts_format || vocabularies[k].asserts_format;
                if (dialect->draft == BT_SCHEMA_DRAFT_2019_09 &&
                    vocabularies[k].bits == BT_SCHEMA_VOCAB_APPLICATOR) {
                    dialect->vocabularies |= BT_SCHEMA_VOCAB_UNEVALUATED;
                }
                return true;
            }
        }
    }
    return false;
}
