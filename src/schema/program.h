/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.h - the compiled schema: blocks of instructions and the tables they point to.
 *
 * A block is what one schema demands of one value: instructions up to BT_SCHEMA_OP_END, all of
 * which must hold. An instruction applies only to values of its `types`; other values pass it. A
 * block is applied to a child, or to the same value as one of several alternatives, through a
 * `struct bt_schema_block_ref`, which repeats the block's TYPE instruction, so that most children
 * are judged without entering their block.
 *
 *     struct bt_schema ── code ──> [TYPE][OBJECT][END][TYPE][RANGE][END]...
 *                     ├─ origins > [schema][schema][schema]...    same index as code, for people
 *                     └─ entry ──> where the document's root begins
 *
 * Everything is immutable once linked and lives in the schema's arena.
 */
#ifndef BATON_SRC_SCHEMA_PROGRAM_H
#define BATON_SRC_SCHEMA_PROGRAM_H

#include <assert.h>

#include <baton/schema.h>

#include "base/arena.h"
#include "schema/draft.h"

struct bt_regex;
struct bt_schema_format;
struct bt_schema_object;
struct bt_schema_items;
struct bt_schema_contains;
struct bt_schema_choice;
struct bt_schema_condition;
struct bt_schema_bounds;
struct bt_schema_multiple;
struct bt_schema_set;
struct bt_schema_guard;
struct bt_schema_scope;
struct bt_schema_dynamic;
struct bt_schema_names_rule;
struct bt_schema_unevaluated;
struct bt_schema_quick;

/* ---- Types ----------------------------------------------------------------------------------- */

/* Sets of types: 1 << enum bt_json_type, and how numbers that are not BT_JSON_INTEGER may still
 * be integers. */
enum bt_schema_type_set {
    BT_SCHEMA_TYPE_SET_NULL = 1 << BT_JSON_NULL,
    BT_SCHEMA_TYPE_SET_BOOLEAN = 1 << BT_JSON_FALSE | 1 << BT_JSON_TRUE,
    BT_SCHEMA_TYPE_SET_NUMBER = 1 << BT_JSON_INTEGER | 1 << BT_JSON_NUMBER,
    BT_SCHEMA_TYPE_SET_STRING = 1 << BT_JSON_STRING,
    BT_SCHEMA_TYPE_SET_ARRAY = 1 << BT_JSON_ARRAY,
    BT_SCHEMA_TYPE_SET_OBJECT = 1 << BT_JSON_OBJECT,
    BT_SCHEMA_TYPE_SET_ALL = BT_SCHEMA_TYPE_SET_NULL | BT_SCHEMA_TYPE_SET_BOOLEAN |
                             BT_SCHEMA_TYPE_SET_NUMBER | BT_SCHEMA_TYPE_SET_STRING |
                             BT_SCHEMA_TYPE_SET_ARRAY | BT_SCHEMA_TYPE_SET_OBJECT,
    BT_SCHEMA_TYPE_SET_WHOLE = 1 << 9, /* numbers whose value is whole: 1.0, 1e30 */
    BT_SCHEMA_TYPE_SET_UNBROKEN =
        1 << 10, /* numbers written without fraction or exponent: drafts 3, 4 */
};

/* ---- Instructions ---------------------------------------------------------------------------- */

enum bt_schema_op {
    BT_SCHEMA_OP_END = 0, /* all holds */
    /* Judged on the spot. */
    BT_SCHEMA_OP_FAIL,
    BT_SCHEMA_OP_TYPE,
    BT_SCHEMA_OP_LENGTH, /* number <= code points <= limit */
    BT_SCHEMA_OP_PATTERN,
    BT_SCHEMA_OP_FORMAT,
    BT_SCHEMA_OP_CONTENT,
    BT_SCHEMA_OP_RANGE,
    BT_SCHEMA_OP_MULTIPLE,
    BT_SCHEMA_OP_SET,   /* const, enum */
    BT_SCHEMA_OP_COUNT, /* number <= children <= limit; of arrays or of objects */
    BT_SCHEMA_OP_UNIQUE,
    BT_SCHEMA_OP_QUICK, /* asks nothing: what passes the look passes the rest of the block */
    /* Alternatives. */
    BT_SCHEMA_OP_ANY,
    BT_SCHEMA_OP_ONE,
    BT_SCHEMA_OP_NOT,
    BT_SCHEMA_OP_IF,
    /* Children. */
    BT_SCHEMA_OP_OBJECT,
    BT_SCHEMA_OP_NAMES, /* propertyNames */
    BT_SCHEMA_OP_ITEMS,
    BT_SCHEMA_OP_CONTAINS,
    /* In place: another block for the same value. */
    BT_SCHEMA_OP_CALL,
    BT_SCHEMA_OP_DYNAMIC,
    BT_SCHEMA_OP_SCOPE,
    BT_SCHEMA_OP_WHEN, /* dependentSchemas and its counterparts in older drafts */
    BT_SCHEMA_OP_MEMO,
    BT_SCHEMA_OP_MARKS,
    BT_SCHEMA_OP_UNEVALUATED,
    BT_SCHEMA_OP__MAX,
};

enum bt_schema_instr_flag {
    BT_SCHEMA_INSTR_FLAG_LEAF = 1,    /* all blocks that it applies are leaves, and so is it */
    BT_SCHEMA_INSTR_FLAG_TRACKED = 2, /* marks the children that it evaluates */
};

struct bt_schema_instr {
    uint8_t op;
    uint8_t flags;
    uint16_t types; /* of the values it looks at; TYPE: of the values that pass */
    uint32_t number;
    union {
        uint64_t limit;
        const struct bt_schema_instr *code; /* CALL */
        const struct bt_regex *regex;
        const struct bt_schema_format *format;
        const struct bt_schema_bounds *bounds;
        const struct bt_schema_multiple *multiple;
        const struct bt_schema_set *set;
        const struct bt_schema_choice *choice;
        const struct bt_schema_condition *condition;
        const struct bt_schema_object *object;
        const struct bt_schema_names_rule *names;
        const struct bt_schema_items *items;
        const struct bt_schema_contains *contains;
        const struct bt_schema_dynamic *dynamic;
        const struct bt_schema_scope *scope;
        const struct bt_schema_guard *when;
        const struct bt_schema_unevaluated *unevaluated;
        const struct bt_schema_quick *quick;
    } as;
};

_Static_assert(sizeof(struct bt_schema_instr) == 16, "an instruction is 16 bytes");

/* How many blocks within blocks a leaf has at most: leaves are judged by calls within calls. */
enum { BT_RANK_MAX = 8 };

enum bt_schema_block_ref_kind {
    BT_USE_NONE = 0, /* there is no such schema: anything goes, and nothing is evaluated */
    BT_USE_TYPES,    /* the types decide */
    BT_USE_OBJECT,   /* judged on the spot: an object by one OBJECT instruction ... */
    BT_USE_ITEMS,    /* ... an array by one ITEMS instruction ... */
    BT_USE_QUICK,    /* ... a number or string by a quick look, else by several ... */
    BT_USE_ONE,      /* ... any value by one instruction ... */
    BT_USE_LEAF,     /* ... or by several */
    BT_USE_BLOCK,    /* put on the stack */
};

_Static_assert(BT_USE_QUICK >> 1 == BT_USE_ONE >> 1, "see run_block_ref()");

/* A block as somebody applies it. */
struct bt_schema_block_ref {
    const struct bt_schema_instr *rest; /* what is left to ask when the types are right */
    uint16_t types;                     /* what its TYPE instruction says */
    uint8_t skip;                       /* instructions of the block before `rest` */
    uint8_t kind;                       /* enum bt_schema_block_ref_kind */
    union {
        uint32_t block;  /* BT_USE_BLOCK: its number, until it is linked */
        uint16_t passes; /* types of which a value passes without entering the block */
    };
};

_Static_assert(sizeof(struct bt_schema_block_ref) == 8 + sizeof(void *),
               "a use is two words of 64 bits");

/* The whole block, of a use that has one: types may be all there is. */
static inline const struct bt_schema_instr *bt_use_block(const struct bt_schema_block_ref *use)
{
    assert(use->rest);
    return use->rest - use->skip;
}

/* What demands nothing. */
#define BT_USE_ANYTHING                                                                            \
    ((struct bt_schema_block_ref){.types = BT_SCHEMA_TYPE_SET_ALL,                                 \
                                  .passes = BT_SCHEMA_TYPE_SET_ALL})

/* ---- Tables of the instructions -------------------------------------------------------------- */

/* LENGTH, COUNT: beyond what any document has. */
#define BT_NO_LIMIT UINT64_MAX

struct bt_schema_bounds {
    int64_t low; /* an integer passes when low <= it <= high */
    int64_t high;
    double low_real; /* for other numbers; the text decides when the double is equal */
    double high_real;
    bt_str low_text; /* "" when there is no such bound */
    bt_str high_text;
    bool low_excluded; /* the bound itself does not pass */
    bool high_excluded;
};

/* A word as it is compared with 16 bytes of a source. */
struct bt_schema_word {
    uint8_t head[16];
    uint8_t beyond[16]; /* 0xff for the bytes of the head that are none of the word */
    uint32_t size;
    uint32_t spare[3];
};

_Static_assert(sizeof(struct bt_schema_word) % 16 == 0, "heads are loaded from multiples of 16");

/* What is enough to pass a block; see quick.h. */
struct bt_schema_quick {
    int64_t low; /* integers: low <= it <= low + span, if there are any */
    uint64_t span;
    double low_real; /* other numbers: strictly within */
    double high_real;
    uint32_t size_low; /* strings of ASCII: size_low <= its size <= size_low + size_span ... */
    uint32_t size_span;
    const struct bt_schema_word *words; /* ... or, of all strings, these alone */
    uint16_t words_count;
    uint16_t types; /* null, false, true: those that are in the set */
    bool has_words;
    bool is_exact; /* no other string is accepted */
    bool has_integers;
};

struct bt_schema_multiple {
    uint64_t whole; /* the divisor, when it is an integer below 2^63; else 0 */
    bt_str text;
};

/* The values of const or enum. */
struct bt_schema_set {
    const struct bt_json_doc *document;
    const bt_json_value *values;
    uint32_t count;
    uint32_t mask;         /* of the table; 0: few values, compared one by one */
    const uint32_t *table; /* 1 + index, by hash; 0 is free */
    const uint64_t *hashes;
};

/* Properties, found by the keys of their names: one place to look when `probes` is 1. */
struct bt_schema_names {
    const struct bt_schema_property *const *slots; /* where there is none, one that has no name */
    uint64_t multiplier;
    uint8_t shift;  /* 64 - log2 of the number of slots */
    uint8_t probes; /* slots to look at, one behind the other */
};

struct bt_schema_property {
    uint8_t head[16];   /* the name, if it has no more bytes; else what no name begins with */
    uint8_t beyond[16]; /* 0xff for the bytes of the head that are none of the name */
    uint64_t key;       /* size and hash of the name; see bt_name_key() */
    uint64_t others;    /* all bits of bt_object.required but its own, if it has one */
    struct bt_schema_block_ref use; /* BT_USE_NONE: the name is only required */
};

_Static_assert(sizeof(struct bt_schema_property) == 64, "a property is a line of the cache");

/* How many required properties have a bit. */
enum { BT_BITS = 64 };

struct bt_schema_name_pattern {
    const struct bt_regex *regex;
    struct bt_schema_block_ref use;
};

/* When the first property is there, the others must be. */
struct bt_schema_dependency {
    uint32_t trigger;
    uint32_t needed_count;
    const uint32_t *needed; /* indexes of properties */
};

/* How the members of an object are judged: `number` of an OBJECT instruction. */
enum bt_schema_object_plan {
    BT_OBJECT_RICH = 0, /* by all that can be asked */
    BT_OBJECT_NAMED,    /* by name, where marks are set or a name is only required */
    BT_OBJECT_MAP,      /* plain, and no property has a name: all alike */
    BT_OBJECT_FEW,      /* plain, and a few properties are looked for among the members */
    BT_OBJECT_PLAIN,    /* by name: no pattern that matches a property, no dependencies, no more
                           required names than there are bits, not tracked, and no name that is
                           only required in an object that judges other members */
};

/* How many these are at most. */
enum { BT_FEW = 2 };

struct bt_schema_object {
    struct bt_schema_names names;
    const struct bt_schema_property
        *properties;     /* those of which presence matters come first; one that
                                             has no name is behind the last */
    const bt_str *texts; /* their names */
    uint32_t count;
    uint32_t present_count; /* so many */
    uint64_t required;      /* bit per property, of the first BT_BITS */
    const uint32_t *required_more;
    uint32_t required_more_count;
    uint32_t patterns_count;
    const struct bt_schema_name_pattern *patterns;
    struct bt_schema_block_ref additional;
    const struct bt_schema_dependency *dependencies;
    uint32_t dependencies_count;
    bool is_closed;       /* additionalProperties is false */
    uint64_t few[BT_FEW]; /* the keys of BT_OBJECT_FEW; BT_NO_KEY where there is none */
};

struct bt_schema_items {
    const struct bt_schema_block_ref *prefix;
    uint32_t prefix_count;
    struct bt_schema_block_ref rest;
    uint32_t low; /* so many items at least, and at most; see join_count() */
    uint64_t high;
};

struct bt_schema_contains {
    struct bt_schema_block_ref use;
    uint64_t low;
    uint64_t high;
};

/* Which branches can pass, judged by one member of the value. */
struct bt_schema_switch {
    bt_str name;
    uint32_t name_hash;
    const struct bt_schema_set *values; /* without children */
    const uint64_t *branches;           /* by index of the value; of more than 64 branches: 1 + the
                                           number of the only one that can pass, or 0 */
    uint64_t other;                     /* for any other value of the member */
    uint64_t absent;                    /* when there is no such member */
};

/* A member that some branches require and others do not. */
struct bt_schema_presence {
    bt_str name;
    uint32_t name_hash;
    uint64_t absent; /* which branches can pass without the member */
};

/* The core profile has to be small: it does without what makes large schemas faster. */
#ifdef BT_PROFILE_CORE
enum { BT_SCHEMA_IS_SMALL = 1 };
#else
enum { BT_SCHEMA_IS_SMALL = 0 };
#endif

/* Of so many branches an entry of the stack remembers which are open. */
enum { BT_CHOICE_KEPT = 32 };

struct bt_schema_choice {
    const struct bt_schema_block_ref *branches;
    uint32_t count;
    bool is_pruned;                       /* the members below hold; at most 64 branches */
    uint64_t by_type[BT_JSON_OBJECT + 1]; /* which branches can pass for a value of this type */
    const struct bt_schema_switch *key;   /* for objects; or NULL. It alone may be there when the
                                             choice is not pruned: it then leaves one branch open */
    /* What is worth asking only where a branch is a block that needs the stack. */
    const struct bt_schema_switch *block_key; /* tells one branch from the others; or NULL */
    const struct bt_schema_presence *presences;
    uint32_t presences_count;
};

struct bt_schema_condition {
    struct bt_schema_block_ref test;
    struct bt_schema_block_ref then;
    struct bt_schema_block_ref otherwise;
};

struct bt_schema_names_rule {
    struct bt_schema_block_ref use;
};

/* In place, when the object has this member, and with this string as its value if there is one. */
struct bt_schema_guard {
    bt_str name;
    uint32_t name_hash;
    bool has_value;
    bt_str value;
    struct bt_schema_block_ref use;
};

struct bt_schema_unevaluated {
    struct bt_schema_block_ref use;
    bool of_items;
};

/* What a dynamic anchor can mean: the same schema, untracked and tracked. */
struct bt_schema_dynamic_target {
    struct bt_schema_block_ref uses[2];
};

struct bt_schema_binding {
    uint32_t place; /* the register of the anchor's name */
    uint32_t candidate;
};

/* A resource is entered: the names that are not bound yet are bound to its anchors. */
struct bt_schema_scope {
    struct bt_schema_block_ref use;
    const struct bt_schema_binding *bindings;
    uint32_t bindings_count;
};

struct bt_schema_dynamic {
    uint32_t place;
    struct bt_schema_block_ref
        fallback; /* BT_USE_NONE: there is none, and the value does not pass */
};

/* ---- The schema ------------------------------------------------------------------------------ */

/* Where an instruction came from. */
struct bt_schema_origin {
    const bt_json_value *schema;
    uint32_t document;
};

struct bt_schema_program_document {
    bt_str uri; /* "" for the schema itself, unless it has an $id */
    const struct bt_json_doc *document;
};

struct bt_schema {
    struct bt_arena arena;
    uint64_t seed[2];
    struct bt_schema_block_ref entry;
    const struct bt_schema_instr *code;
    const struct bt_schema_origin *origins;
    uint32_t code_count;
    uint32_t nodes_count;
    uint32_t registers_count;
    const struct bt_schema_dynamic_target *candidates;
    const struct bt_schema_program_document *documents;
};

#endif
