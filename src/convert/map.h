/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.h - the members of a document of another kind, each carried to its place in a draft of a
 * universal handoff or named as not carried.
 *
 * What goes where is a table. The input is walked along it: a member with a row goes where the row
 * says, a member on the way to a row is entered, and every other member is named.
 */
#ifndef BATON_SRC_CONVERT_MAP_H
#define BATON_SRC_CONVERT_MAP_H

#include "base/vec.h"
#include "dialect/universal/universal_check.h"

enum bt_convert_rule_kind {
    BT_CARRY_NOT = 0,   /* `to` is the reason */
    BT_CARRY_NEVER,     /* `to` is the reason; the value is not copied to the remaining members
                         * either */
    BT_CARRY_COUNTED,   /* it is made anew, and that is enough */
    BT_CARRY_TEXT,      /* a text of the draft */
    BT_CARRY_TIME,      /* a text of the draft, converted to UTC */
    BT_CARRY_SUMMARY,   /* a text of the draft, truncated when it is too long; the full text then
                         * goes to working */
    BT_CARRY_LEVEL,     /* convergence: the confidence, and a member of working */
    BT_CARRY_REQUEST,   /* the type of a request: the problem type */
    BT_CARRY_CHAIN,     /* a list of texts */
    BT_CARRY_GAPS,      /* a list, whose texts are known gaps */
    BT_CARRY_CRITERION, /* a text: the only criterion of success */
    BT_CARRY_WORKING,   /* a member of payload.working */
    BT_CARRY_STATE,     /* a member of payload.session.state */
    BT_CARRY_TAG,       /* a text: a tag of the trace */
};

struct bt_convert_rule {
    const char *from; /* a pointer; "/..." + "/" + "*" stands for every member of an object */
    enum bt_convert_rule_kind kind;
    const char *to; /* a pointer, of the container for members that keep their name */
};

struct bt_convert_table {
    const char *converted_from;         /* for tracing.tags */
    const struct bt_convert_rule *rows; /* ended by one without `from` */
    const struct bt_convert_rule *also; /* the same: taken a second time from what `rows` carry */
    const char *phase;                  /* of the source, where no flag says; or NULL */
    bool hour;                          /* without an end, validity lasts an hour */
    bool prompt;                        /* without a summary, the user's words are one */
};

extern const struct bt_convert_table bt_carry_universal_2;
extern const struct bt_convert_table bt_carry_governed;
extern const struct bt_convert_table bt_carry_contract;
extern const struct bt_convert_table bt_carry_plan;

/* Where the object of an input is made, people know its parts by other pointers. */
struct bt_convert_names {
    struct bt_convert_name {
        bt_str inner; /* a pointer; "": none */
        bt_str shown; /* what stands for it */
    } items[2];
};

struct bt_convert_unmapped {
    bt_str pointer;
    const char *reason;
    const bt_json_value *value;
    bool never; /* it may not even be kept among the rest */
};

struct bt_convert_run {
    struct bt_universal_checker *universal;
    struct bt_arena *arena;
    const struct bt_json_doc *document; /* the input */
    struct bt_universal_draft draft;    /* what flags say, and then what is carried */
    bool has_working;                   /* payload.working is the flags' affair */
    bool has_session;                   /* payload.session is */
    struct bt_convert_names names;
    struct bt_buf working;            /* members, as JSON ... */
    BT_VEC(bt_str) working_names;     /* ... and their names */
    struct bt_buf state;              /* members, as JSON */
    bool state_has_rest;              /* one of them has the name `rest` */
    struct bt_buf mapped;             /* {"from","to"}, separated by commas */
    struct bt_convert_unmapped *left; /* what was not carried */
    size_t left_count;
    size_t left_capacity;
};

/* Begin with what `draft` says, which may be NULL. Ended with bt_convert_run_end(). */
void bt_convert_run_begin(struct bt_convert_run *conversion, struct bt_universal_checker *universal,
                          struct bt_arena *arena, const struct bt_json_doc *document,
                          const struct bt_universal_draft *draft);
void bt_convert_run_end(struct bt_convert_run *conversion);

/* Carry everything the table knows a place for, and name the rest. */
BT_MUST_USE enum bt_status bt_convert_map(struct bt_convert_run *conversion,
                                          const struct bt_convert_table *table);
/* Keep what was left, and may be kept, in payload.session.state.rest; it counts as carried then. */
BT_MUST_USE enum bt_status bt_convert_keep_unmapped(struct bt_convert_run *conversion);
/* Complete carrying->draft with the payload. */
BT_MUST_USE enum bt_status bt_convert_map_finish(struct bt_convert_run *conversion);

/* Put facts.carried and facts.not_carried, as members of an object. */
BT_MUST_USE enum bt_status bt_convert_put_facts(const void *conversion, struct bt_emit *emit);

/* ---- Sources --------------------------------------------------------------------------------- */

struct bt_convert_source {
    struct bt_env *env;
    struct bt_arena *arena;
    bt_str path;
    bt_str text;
    bt_str step; /* of a plan; "": none was named */
    struct bt_error *error;

    const struct bt_convert_table *table;
    const struct bt_json_doc
        *document; /* an object; NULL: it is refused, or nothing is to be carried */
    struct bt_convert_names names;
    bool is_refused;
    struct bt_judgement refusal; /* what its own dialect says of it */
};

/*
 * Read source->text as a document of `dialect`, which "" leaves to the text. BT_ENOENT: it is not
 * recognised. BT_EINVAL: it cannot be converted as it was asked for. source->error says why.
 */
BT_MUST_USE enum bt_status bt_convert_source_read(struct bt_convert_source *source,
                                                  enum bt_dialect_id dialect);

/* One step of a plan. */
BT_MUST_USE enum bt_status bt_convert_source_read_plan(struct bt_convert_source *source);

#endif
