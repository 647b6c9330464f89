/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draft.h - what a draft is: its meta-schema, its vocabularies, its keywords.
 *
 * Keywords are rows. The row says which drafts and which vocabulary have it, where schemas stand in
 * its value, and to which value they apply.
 */
#ifndef BATON_SRC_SCHEMA_DRAFT_H
#define BATON_SRC_SCHEMA_DRAFT_H

#include <baton/schema.h>

enum bt_schema_vocabulary {
    BT_SCHEMA_VOCAB_CORE = 1 << 0,
    BT_SCHEMA_VOCAB_APPLICATOR = 1 << 1,
    BT_SCHEMA_VOCAB_UNEVALUATED = 1 << 2, /* in 2019-09 a part of the applicators */
    BT_SCHEMA_VOCAB_VALIDATION = 1 << 3,
    BT_SCHEMA_VOCAB_FORMAT = 1 << 4,
    BT_SCHEMA_VOCAB_CONTENT = 1 << 5,
    BT_SCHEMA_VOCAB_META = 1 << 6,
    BT_SCHEMA_VOCAB_ALL = (1 << 7) - 1,
};

/* What $schema says about a resource. */
struct bt_schema_dialect {
    enum bt_schema_draft draft;
    uint32_t vocabularies; /* enum bt_schema_vocabulary; drafts before 2019-09 have all */
    bool asserts_format;
};

/* Where schemas stand in a keyword's value. */
enum bt_schema_keyword_shape {
    BT_SCHEMA_KEYWORD_SHAPE_NONE = 0,
    BT_SCHEMA_KEYWORD_SHAPE_ONE,         /* the value is a schema */
    BT_SCHEMA_KEYWORD_SHAPE_LIST,        /* an array of schemas */
    BT_SCHEMA_KEYWORD_SHAPE_MAP,         /* an object of schemas */
    BT_SCHEMA_KEYWORD_SHAPE_MAP_OF_MAPS, /* an object of objects of schemas */
    BT_SCHEMA_KEYWORD_SHAPE_ONE_OR_LIST,
    BT_SCHEMA_KEYWORD_SHAPE_UNION, /* draft 3: among the items, objects are schemas */
    /* an object; among its values, arrays and strings are not schemas */
    BT_SCHEMA_KEYWORD_SHAPE_DEPENDENCY,
};

/* To which value the schemas of a keyword apply. */
enum bt_schema_location_kind {
    BT_NOWHERE = 0, /* to none: they are only referred to */
    BT_IN_PLACE,    /* to the same value */
    BT_NEGATED,     /* to the same value, but what they evaluate does not count */
    BT_DESCEND,     /* to children of the value, or to its names */
};

/* In the order of their names. */
enum bt_schema_keyword {
    BT_SCHEMA_KW_ANCHOR = 0,
    BT_SCHEMA_KW_DEFS,
    BT_SCHEMA_KW_DYNAMIC_ANCHOR,
    BT_SCHEMA_KW_DYNAMIC_REF,
    BT_SCHEMA_KW_DOLLAR_ID,
    BT_SCHEMA_KW_RECURSIVE_ANCHOR,
    BT_SCHEMA_KW_RECURSIVE_REF,
    BT_SCHEMA_KW_REF,
    BT_SCHEMA_KW_ADDITIONAL_ITEMS,
    BT_SCHEMA_KW_ADDITIONAL_PROPERTIES,
    BT_SCHEMA_KW_ALL_OF,
    BT_SCHEMA_KW_ANY_OF,
    BT_SCHEMA_KW_CONST,
    BT_SCHEMA_KW_CONTAINS,
    BT_SCHEMA_KW_CONTENT_ENCODING,
    BT_SCHEMA_KW_CONTENT_MEDIA_TYPE,
    BT_SCHEMA_KW_CONTENT_SCHEMA,
    BT_SCHEMA_KW_DEFINITIONS,
    BT_SCHEMA_KW_DEPENDENCIES,
    BT_SCHEMA_KW_DEPENDENT_REQUIRED,
    BT_SCHEMA_KW_DEPENDENT_SCHEMAS,
    BT_SCHEMA_KW_DISALLOW,
    BT_SCHEMA_KW_DIVISIBLE_BY,
    BT_SCHEMA_KW_ELSE,
    BT_SCHEMA_KW_ENUM,
    BT_SCHEMA_KW_EXCLUSIVE_MAXIMUM,
    BT_SCHEMA_KW_EXCLUSIVE_MINIMUM,
    BT_SCHEMA_KW_EXTENDS,
    BT_SCHEMA_KW_FORMAT,
    BT_SCHEMA_KW_ID,
    BT_SCHEMA_KW_IF,
    BT_SCHEMA_KW_ITEMS,
    BT_SCHEMA_KW_MAX_CONTAINS,
    BT_SCHEMA_KW_MAX_ITEMS,
    BT_SCHEMA_KW_MAX_LENGTH,
    BT_SCHEMA_KW_MAX_PROPERTIES,
    BT_SCHEMA_KW_MAXIMUM,
    BT_SCHEMA_KW_MIN_CONTAINS,
    BT_SCHEMA_KW_MIN_ITEMS,
    BT_SCHEMA_KW_MIN_LENGTH,
    BT_SCHEMA_KW_MIN_PROPERTIES,
    BT_SCHEMA_KW_MINIMUM,
    BT_SCHEMA_KW_MULTIPLE_OF,
    BT_SCHEMA_KW_NOT,
    BT_SCHEMA_KW_ONE_OF,
    BT_SCHEMA_KW_PATTERN,
    BT_SCHEMA_KW_PATTERN_PROPERTIES,
    BT_SCHEMA_KW_PREFIX_ITEMS,
    BT_SCHEMA_KW_PROPERTIES,
    BT_SCHEMA_KW_PROPERTY_DEPENDENCIES,
    BT_SCHEMA_KW_PROPERTY_NAMES,
    BT_SCHEMA_KW_REQUIRED,
    BT_SCHEMA_KW_THEN,
    BT_SCHEMA_KW_TYPE,
    BT_SCHEMA_KW_UNEVALUATED_ITEMS,
    BT_SCHEMA_KW_UNEVALUATED_PROPERTIES,
    BT_SCHEMA_KW_UNIQUE_ITEMS,
    BT_SCHEMA_KW__MAX,
};

struct bt_schema_keyword_row {
    bt_str name;
    uint32_t drafts; /* 1 << draft for each draft that has it */
    uint8_t vocabulary;
    uint8_t shape; /* enum bt_schema_keyword_shape */
    uint8_t place; /* enum bt_schema_location_kind */
};

/* By enum bt_schema_keyword. */
extern const struct bt_schema_keyword_row bt_keyword_rows[BT_SCHEMA_KW__MAX];

/* The keyword that `dialect` calls `name`, or BT_SCHEMA_KW__MAX: unknown members are
 * annotations. */
enum bt_schema_keyword bt_schema_keyword_find(bt_str name, const struct bt_schema_dialect *dialect);

/* The dialect of a built-in meta-schema; false when `uri` (it may end in '#') names none. */
bool bt_schema_dialect_find(bt_str uri, struct bt_schema_dialect *out);
/* All of a draft. */
struct bt_schema_dialect bt_schema_dialect_of(enum bt_schema_draft draft);
/* The URI of a draft's meta-schema. */
bt_str bt_schema_draft_uri(enum bt_schema_draft draft);

/* Add the vocabulary that `uri` names to the dialect; false when it is unknown. */
bool bt_schema_dialect_add(struct bt_schema_dialect *dialect, bt_str uri);

#endif
