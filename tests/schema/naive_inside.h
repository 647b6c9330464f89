/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naive_inside.h - what the files of the naive interpreter share.
 *
 *     naive_load.c       documents -> resources and anchors     naive_refer.c    $ref and its kin
 *     naive_dialect.c    $schema -> draft and vocabularies      naive_logic.c    allOf, not, if ...
 *     naive_keywords.c   the table of keywords                  naive_scalar.c   numbers, strings
 *     naive.c            a schema applied to a value            naive_array.c, naive_object.c
 */
#ifndef BATON_TESTS_SCHEMA_NAIVE_INSIDE_H
#define BATON_TESTS_SCHEMA_NAIVE_INSIDE_H

#include "naive.h"
#include "naive_regex.h"

/* Vocabularies, as bits. Drafts before 2019-09 have none and know all their keywords. */
enum naive_vocabulary {
    NAIVE_CORE = 1 << 0,
    NAIVE_APPLICATOR = 1 << 1,
    NAIVE_UNEVALUATED = 1 << 2, /* in 2019-09 part of the applicator vocabulary */
    NAIVE_VALIDATION = 1 << 3,
    NAIVE_FORMAT = 1 << 4,
    NAIVE_CONTENT = 1 << 5,
    NAIVE_METADATA = 1 << 6,
    NAIVE_ALL = (1 << 7) - 1,
};

struct naive_dialect {
    enum bt_schema_draft draft;
    unsigned vocabularies;
    bool asserts_format; /* because its vocabulary says so */
};

/* A name by which a fragment finds a schema of a resource. */
struct naive_anchor {
    const struct naive_anchor *next;
    bt_str name;
    const bt_json_value *value;
    bool is_dynamic;
};

/* A schema with a URI of its own, or a whole document. */
struct naive_resource {
    struct naive_resource *next;
    bt_str uri; /* its base URI, without fragment; "" when nothing gave it one */
    bt_str
        found; /* the URI under which its document was found; uri, if it is not a whole document */
    const struct bt_json_doc *document;
    const bt_json_value *root;
    struct naive_dialect dialect;
    const struct naive_anchor *anchors;
    bool is_recursive; /* $recursiveAnchor of 2019-09 */
};

/* A schema, and the resource it belongs to. */
typedef struct naive_node {
    const struct naive_resource *home;
    const bt_json_value *value; /* NULL: none */
} naive_node;

/* A reference that stands somewhere in a loaded document. */
struct naive_reference {
    struct naive_reference *next;
    const struct naive_resource *home;
    bt_str text;
};

struct naive {
    struct bt_arena arena;   /* what lives as long as the schema */
    struct bt_arena marks;   /* which children have been evaluated, while a judgement runs */
    struct bt_arena scratch; /* what lives for a moment */
    struct judge_options options;
    struct naive_resource *resources;
    const struct naive_resource *root;  /* of the schema itself */
    struct naive_reference *references; /* still to be resolved for the first time */
    struct naive_dialect dialect;       /* of documents that do not say */
    struct naive_regexes regexes;
    const struct bt_json_doc *instance;
    uint64_t work;
    bool load_failed;
    const char *reason; /* "": no fault so far */
};

/* One application of a schema to a value, and those it happens within: the dynamic scope. */
struct naive_frame {
    struct naive *naive;
    const struct naive_frame *outer;
    naive_node schema;
    const bt_json_value *instance;
    bool *seen;      /* for each child of the instance: evaluated by a keyword so far */
    size_t depth;    /* frames further out */
    size_t in_place; /* of these, the innermost that look at this very value */
};

/* A keyword's own function: whether the instance passes. A fault is told to naive_fault(). */
typedef bool naive_check(const struct naive_frame *frame, const bt_json_value *keyword);

/* Where schemas stand inside the value of a keyword. */
enum naive_shape {
    NAIVE_NO_SCHEMA = 0,
    NAIVE_ONE,           /* it is one */
    NAIVE_MANY,          /* items of an array */
    NAIVE_ONE_OR_MANY,   /* draft 3's extends, items before 2020-12 */
    NAIVE_NAMED,         /* members of an object */
    NAIVE_NAMED_OR_TEXT, /* those that are neither strings nor arrays: dependencies */
    NAIVE_TYPES,         /* items of an array that are objects: draft 3's type */
    NAIVE_NAMED_TWICE,   /* members of members: propertyDependencies */
};

struct naive_keyword {
    bt_str name;
    enum bt_schema_draft first;
    enum bt_schema_draft last;
    unsigned vocabulary;
    enum naive_shape shape;
    naive_check *check; /* NULL: says nothing by itself */
};

/* In the order in which they are applied: what looks at the marks of others comes last. */
extern const struct naive_keyword naive_keywords[];
extern const size_t naive_keywords_count;

bool naive_dialect_has(const struct naive_dialect *dialect, const struct naive_keyword *keyword);

/* naive.c */
/* Record why there will be no verdict (the first reason stays). Always false. */
bool naive_fault(struct naive *naive, const char *reason);
/* The value of a keyword in the frame's schema, or NULL. */
const bt_json_value *naive_sibling(const struct naive_frame *frame, bt_str name);
/* Apply a schema to the frame's instance. On success, what it evaluated counts as evaluated. */
bool naive_apply_here(const struct naive_frame *frame, naive_node schema);
/* The same for a schema that stands inside the frame's schema. */
bool naive_apply_sub(const struct naive_frame *frame, const bt_json_value *schema);
/* The same, but nothing counts: for not, and where a failure is not a failure. */
bool naive_try_sub(const struct naive_frame *frame, const bt_json_value *schema);
/* Apply a schema inside the frame's schema to another value, a child or a name. */
bool naive_apply_to(const struct naive_frame *frame, const bt_json_value *schema,
                    const bt_json_value *value);

/* naive_load.c */
/* Note the resources, anchors and references of a document. NULL is a fault. */
const struct naive_resource *naive_load(struct naive *naive, bt_str uri,
                                        const struct bt_json_doc *document);
/* The resource that begins at `value`, or NULL. */
const struct naive_resource *naive_resource_at(const struct naive *naive,
                                               const bt_json_value *value);
/* A document of the options or a meta-schema; NULL when there is none. */
const struct bt_json_doc *naive_find_document(struct naive *naive, bt_str uri);

/* naive_dialect.c */
/* What the $schema of `root` says, else `inherited`. False is a fault. */
bool naive_dialect_of(struct naive *naive, const struct bt_json_doc *document,
                      const bt_json_value *root, const struct naive_dialect *inherited,
                      struct naive_dialect *out);

/* naive_refer.c */
/* What a reference means, loading its document when needed. A fault when it means nothing. */
naive_node naive_resolve(struct naive *naive, const struct naive_resource *home, bt_str reference);
/* Resolve every reference in the loaded documents, and in those that this loads. */
bool naive_resolve_all(struct naive *naive);

/* The keywords, each in the file of its kind. */
naive_check naive_check_ref, naive_check_dynamic_ref, naive_check_recursive_ref;
naive_check naive_check_all_of, naive_check_any_of, naive_check_one_of, naive_check_not;
naive_check naive_check_if, naive_check_extends, naive_check_disallow, naive_check_type;
naive_check naive_check_enum, naive_check_const;
naive_check naive_check_minimum, naive_check_maximum, naive_check_exclusive_minimum;
naive_check naive_check_exclusive_maximum, naive_check_multiple_of;
naive_check naive_check_min_length, naive_check_max_length, naive_check_pattern;
naive_check naive_check_format, naive_check_content;
naive_check naive_check_prefix_items, naive_check_items, naive_check_additional_items;
naive_check naive_check_contains, naive_check_min_items, naive_check_max_items;
naive_check naive_check_unique_items, naive_check_unevaluated_items;
naive_check naive_check_properties, naive_check_pattern_properties;
naive_check naive_check_additional_properties, naive_check_property_names;
naive_check naive_check_min_properties, naive_check_max_properties, naive_check_required;
naive_check naive_check_dependencies, naive_check_dependent_required;
naive_check naive_check_dependent_schemas, naive_check_property_dependencies;
naive_check naive_check_unevaluated_properties;

/* naive_scalar.c: a count against the number of a keyword, which may be 2.0 or 1e400. */
bool naive_count_is_at_least(const struct naive_frame *frame, size_t count,
                             const bt_json_value *bound);
bool naive_count_is_at_most(const struct naive_frame *frame, size_t count,
                            const bt_json_value *bound);
/* Equality of values, numbers by value; instance against instance, and against the schema. */
bool naive_equal_instances(const struct naive_frame *frame, const bt_json_value *a,
                           const bt_json_value *b);
/* Whether the name of a type fits the frame's instance. */
bool naive_type_fits(const struct naive_frame *frame, bt_str type);
/* Whether the text matches a pattern of the schema. */
bool naive_matches(const struct naive_frame *frame, bt_str pattern, bt_str text);

#endif
