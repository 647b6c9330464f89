/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random_inside.h - what the files that make schemas share: schemas, and values of keywords.
 */
#ifndef BATON_TESTS_SCHEMA_RANDOM_INSIDE_H
#define BATON_TESTS_SCHEMA_RANDOM_INSIDE_H

#include "json/json_test.h"
#include "random_schema.h"

#define RANDOM_BASE "http://example.com/"
#define RANDOM_DEFINITIONS_MAX 4

struct random_definition {
    bool is_resource;
    bool has_anchor;
};

struct random_maker {
    struct bt_buf *out;
    struct rng rng;
    enum bt_schema_draft draft;
    const struct bt_json_doc *about;
    struct random_definition definitions[RANDOM_DEFINITIONS_MAX + 1]; /* 0 is the root */
    size_t definitions_count;
    size_t depth;
    size_t schemas; /* made for this definition so far */
};

/* Where a schema stands: in definition `number`, applied to the same value as it or to a child. */
struct random_place {
    size_t number;
    bool is_here;
};

/* Put the keyword with its value, about that value of the instance. */
typedef void random_put_fn(struct random_maker *maker, const char *name, const bt_json_value *about,
                           struct random_place place);

struct random_keyword {
    const char *name;
    enum bt_schema_draft first;
    enum bt_schema_draft last;
    unsigned types; /* 1 << type for the values it is likely to be used for */
    random_put_fn *put;
};

extern const struct random_keyword random_keywords[];
extern const size_t random_keywords_count;

/* True so many times out of a hundred. */
bool random_hit(struct random_maker *maker, size_t percent);
/* A comma if one is due, the name and a colon. */
void random_put_name(struct random_maker *maker, bt_str name);
void random_put_comma(struct random_maker *maker, size_t index);
void random_put_value(struct random_maker *maker, const bt_json_value *value);
const bt_json_value *random_any_value(struct random_maker *maker);
void random_put_schema(struct random_maker *maker, const bt_json_value *about,
                       struct random_place place);

#endif
