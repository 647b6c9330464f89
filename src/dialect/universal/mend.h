/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mend.h - one table from finding to fix.
 *
 * bt_mend_of() says what would mend a finding, and everything else follows from it: the `fix` that
 * a finding promises, and the operations that --fix and repair carry out. So what is promised and
 * what is done cannot differ.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_MEND_H
#define BATON_SRC_DIALECT_UNIVERSAL_MEND_H

#include "dialect/universal/revision.h"

/* What is done, in the order in which it is done. */
enum bt_mend_step {
    BT_MEND_NOTHING = 0, /* of its own: the rename of another finding may mend this one too */
    BT_MEND_RENAME,      /* `pointer` moves to `to` */
    BT_MEND_NULL,        /* a null optional member goes */
    BT_MEND_REMOVE,      /* a member that is not allowed goes */
    BT_MEND_DEFAULT,     /* `pointer` gets its default, in place of null or of nothing */
    BT_MEND_CONVERT,     /* `pointer` gets `value` */
    BT_MEND_RECOUNT,     /* meta.token_count is counted */
};

/* What would mend one finding. The texts live in the arena that was given. */
struct bt_mend {
    enum bt_fix fix;
    enum bt_mend_step step;
    bool onto_required; /* rename: the object must have a member of the new name */
    uint8_t level;      /* rename: the depth of the object ... */
    uint8_t name;       /* ... and the place of the new name among those that it may have */
    bt_str pointer;
    bt_str to;
    bt_str value; /* JSON text */
};

/* Which mends are carried out. Zero is none. */
enum bt_mend_scope {
    BT_MEND_NONE = 0,
    BT_MEND_SAFE,   /* check --fix */
    BT_MEND_ALL,    /* check --fix --unsafe-fixes */
    BT_MEND_LADDER, /* repair: all of HARD findings, the safe ones of others */
};

/* Set the `fix` of each finding of a judged handoff. */
BT_MUST_USE enum bt_status bt_mend_promise(const struct bt_handoff *handoff);

/* The pointer of the member that a SCHEMA_REQUIRED finding says is missing; in the arena. */
BT_MUST_USE enum bt_status bt_missing_pointer(const struct bt_finding *finding,
                                              struct bt_arena *arena, bt_str *out);

enum { BT_MENDER_LEVELS = 8 }; /* objects that the schema describes are not nested deeper */

/* What is remembered from one finding to the next. Begin with {.handoff = ...}. */
struct bt_mender {
    const struct bt_handoff *handoff;
    struct bt_mender_level {
        const bt_value *object; /* the one at this depth that was looked at last */
        uint32_t taken;         /* bit per declared name: it has such a member, or will */
        bool has_meant;         /* `meant` was computed */
        uint32_t meant;         /* bit per declared name: the nearest of an undeclared member */
    } levels[BT_MENDER_LEVELS];
};

/* What would mend `finding`, which is one of the handoff's. Most have nothing that would. */
BT_MUST_USE enum bt_status bt_mend_of(struct bt_mender *mender, const struct bt_finding *finding,
                                      struct bt_arena *arena, struct bt_mend *out);
/* The mend will be carried out: from now on no other member is to get the same name. */
void bt_mender_take(struct bt_mender *mender, const struct bt_mend *mend);

/*
 * Carry out all mends of the scope, one step after the other, seal again what was truly sealed, and
 * count. `notes` gets TRACE_ID_GENERATED when a trace_id was made up.
 */
BT_MUST_USE enum bt_status bt_mend_all(struct bt_revision *revision,
                                       const struct bt_universal_options *options,
                                       enum bt_mend_scope scope, struct bt_findings *notes);

#endif
