/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xsd.h - the profile of XSD in which a listener may describe its payload and its result.
 *
 * What lies outside the profile is refused: a rule that is not enforced must not look enforced.
 */
#ifndef BATON_SRC_ORGANISM_XSD_H
#define BATON_SRC_ORGANISM_XSD_H

#include <baton/regex.h>

#include "organism/payload_type.h"
#include "report/rules.h"

enum { BT_XSD_BYTES_MAX = 1 << 20 };

#define BT_XSD_UNBOUNDED UINT32_MAX
#define BT_XSD_NO_LENGTH UINT64_MAX

/* The built-in types of the profile. */
enum bt_xsd_base {
    BT_XSD_STRING = 0,
    BT_XSD_TOKEN,
    BT_XSD_BOOLEAN,
    BT_XSD_DECIMAL,
    BT_XSD_INTEGER,
    BT_XSD_INT,
    BT_XSD_LONG,
    BT_XSD_NON_NEGATIVE,
    BT_XSD_POSITIVE,
    BT_XSD_DATE,
    BT_XSD_DATE_TIME,
    BT_XSD_BASE64,
    BT_XSD__MAX,
};

/* The facets of one restriction; those of what it restricts hold as well. */
struct bt_xsd_simple {
    bt_str name;                        /* "xs:integer", or the name of the type */
    enum bt_xsd_base base;              /* when it is built in */
    const struct bt_payload_type *over; /* what it restricts; NULL: it is built in */
    uint64_t length;                    /* BT_XSD_NO_LENGTH: no facet */
    uint64_t length_min;
    uint64_t length_max;
    bt_str inclusive_min; /* ptr NULL: no facet */
    bt_str inclusive_max;
    bt_str exclusive_min;
    bt_str exclusive_max;
    uint64_t total_digits;
    uint64_t fraction_digits;
    const bt_str *values; /* of an enumeration; count 0: no facet */
    size_t values_count;
    const struct bt_regex *const *patterns; /* one of them must match; count 0: no facet */
    size_t patterns_count;
};

struct bt_xsd_group;

/* An element, or a group inside a group. */
struct bt_xsd_particle {
    struct bt_payload_field element; /* when `group` is NULL */
    const struct bt_xsd_group *group;
    uint32_t min;
    uint32_t max; /* or BT_XSD_UNBOUNDED */
};

struct bt_xsd_group {
    bool is_choice;
    bool may_be_empty; /* no element at all matches it */
    uint32_t levels;   /* of groups and elements in it, itself counted */
    const struct bt_xsd_particle *particles;
    size_t count;
};

struct bt_xsd {
    bt_str text;                        /* of the file */
    bt_str root;                        /* name of the global element */
    const struct bt_payload_type *type; /* NULL: see `reason` */
    bt_str declarations; /* the children of xs:schema, one canonical element per line */
    enum bt_pump_xsd_invalid_reason reason; /* why there is no type, or 0 */
    const char *detail;                     /* for people */
};

/*
 * Read a schema whose global element must be called `root` ("": any name without a dot). BT_ENOMEM
 * is the only failure.
 */
BT_MUST_USE enum bt_status bt_xsd_read(struct bt_arena *arena, bt_str text, bt_str root,
                                       const uint64_t seed[2], struct bt_xsd *out);

/* The built-in type behind it; BT_XSD__MAX: it restricts itself. */
enum bt_xsd_base bt_xsd_base_of(const struct bt_xsd_simple *simple);

/* Whether a text is a value of the built-in type and, if so, the facet that it breaks, or 0. */
BT_MUST_USE enum bt_status bt_xsd_judge(struct bt_arena *arena, const struct bt_xsd_simple *simple,
                                        bt_str text, bool *out_is_of_type,
                                        enum bt_xml_field_facet_facet *out_facet);

/* ---- Matching -------------------------------------------------------------------------------- */

/* The state of matching the children of one element. */
struct bt_xsd_match;

enum bt_xsd_match_result {
    BT_XSD_UNDECLARED = 0,
    BT_XSD_FITS,
    BT_XSD_DUPLICATE, /* more often than allowed */
    BT_XSD_ORDER,     /* after its position in the order */
    BT_XSD_CHOICE,    /* excluded by an earlier child */
};

BT_MUST_USE enum bt_status bt_xsd_match_begin(struct bt_arena *arena,
                                              const struct bt_xsd_group *content,
                                              struct bt_xsd_match **out);
/* Match the next child. One that does not fit is skipped. *out_type is set when it fits. */
enum bt_xsd_match_result bt_xsd_match_child(struct bt_xsd_match *match, bt_str name,
                                            const struct bt_payload_type **out_type);
/* The index-th missing element at the end, or "" for a choice. False: no more are missing. */
bool bt_xsd_match_missing(const struct bt_xsd_match *match, size_t index, bt_str *out);

/* ---- Simple types ---------------------------------------------------------------------------- */

enum { BT_XSD_CHAIN_MAX = 32 }; /* restrictions of restrictions */

static inline bool bt_xsd_is_number(enum bt_xsd_base base)
{
    return base >= BT_XSD_DECIMAL && base <= BT_XSD_POSITIVE;
}

/* True when the facets of length apply to a type. */
static inline bool bt_xsd_has_length(enum bt_xsd_base base)
{
    return base == BT_XSD_STRING || base == BT_XSD_TOKEN || base == BT_XSD_BASE64;
}

/* True when a text is a decimal number of XSD. */
bool bt_xsd_is_decimal(bt_str text);

/* The built-in type of this local name, or NULL. */
const struct bt_payload_type *bt_xsd_built_in(bt_str name);

/* A restriction without facets. NULL: no memory. */
struct bt_xsd_simple *bt_xsd_simple_new(struct bt_arena *arena, bt_str name);

/* The facets of one restriction while they are read. */
struct bt_xsd_facets {
    struct bt_arena *arena;
    struct bt_xsd_simple *simple;
    enum bt_status status; /* other than BT_OK: no memory */
};

/* Add a facet. NULL: it is one of the profile; else what is wrong with it. Whether it fits the
 * built-in type is known only when all types are: bt_xsd_simple_finish() decides. */
const char *bt_xsd_facet(struct bt_xsd_facets *facets, bt_str name, bt_str value);

/* Find the built-in type behind a restriction. False: it restricts itself, or a facet does not go
 * with the type. */
bool bt_xsd_simple_finish(const struct bt_xsd_simple *simple);

/* Put an XSD pattern as an anchored ECMA-262 one. False: it is outside of what can be enforced. */
bool bt_xsd_pattern_put(struct bt_buf *buf, bt_str pattern);

#endif
