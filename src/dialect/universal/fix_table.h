/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fix_table.h - one table from finding to fix.
 *
 * bt_universal_find_fix() returns the fix for a finding, and everything else follows from it: the
 * `fix` that a finding announces, and the operations that --fix and repair carry out. So the two
 * cannot differ.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_FIX_TABLE_H
#define BATON_SRC_DIALECT_UNIVERSAL_FIX_TABLE_H

#include <baton/report.h>

#include "dialect/universal/revision.h"
#include "report/fixes.h"

/* What is done, in the order in which it is done. */
enum bt_universal_fix_step {
    BT_UNIVERSAL_FIX_STEP_NONE =
        0, /* of its own: the rename of another finding may fix this one too */
    BT_UNIVERSAL_FIX_STEP_RENAME,  /* `pointer` moves to `to` */
    BT_UNIVERSAL_FIX_STEP_NULL,    /* a null optional member goes */
    BT_UNIVERSAL_FIX_STEP_REMOVE,  /* a member that is not allowed goes */
    BT_UNIVERSAL_FIX_STEP_DEFAULT, /* `pointer` gets its default, in place of null or of nothing */
    BT_UNIVERSAL_FIX_STEP_CONVERT, /* `pointer` gets `value` */
    BT_UNIVERSAL_FIX_STEP_RECOUNT, /* meta.token_count is counted */
};

/* What would fix one finding. The texts live in the arena that was given. */
struct bt_universal_fix_row {
    enum bt_fix fix;
    enum bt_universal_fix_step step;
    bool onto_required; /* rename: the object must have a member of the new name */
    uint8_t level;      /* rename: the depth of the object ... */
    uint8_t name;       /* ... and the place of the new name among those that it may have */
    bt_str pointer;
    bt_str to;
    struct bt_universal_fix_value {
        enum bt_json_type type; /* string, integer, object without members, array of strings */
        struct bt_str_list texts;
    } value; /* of BT_JSON_NONE: made when it is written */
};

/* Set the `fix` of each finding of a judged handoff. */
BT_MUST_USE enum bt_status bt_universal_mark_fixable(const struct bt_universal_check *handoff);

/* The pointer of the member that a SCHEMA_REQUIRED finding says is missing; in the arena. */
BT_MUST_USE enum bt_status bt_universal_put_missing_pointer(const struct bt_finding *finding,
                                                            struct bt_arena *arena, bt_str *out);

enum {
    BT_UNIVERSAL_FIX_LEVELS_MAX = 8
}; /* objects that the schema describes are not nested deeper */

/* What is remembered from one finding to the next. Begin with {.handoff = ...}. */
struct bt_universal_fix_finder {
    const struct bt_universal_check *handoff;
    struct bt_universal_fix_level {
        const bt_json_value *object; /* the one at this depth that was looked at last */
        uint32_t taken;              /* bit per declared name: it has such a member, or will */
        bool has_meant;              /* `meant` was computed */
        uint32_t meant; /* bit per declared name: the nearest of an undeclared member */
    } levels[BT_UNIVERSAL_FIX_LEVELS_MAX];
};

/* What would fix `finding`, which is one of the handoff's. Most have nothing that would. */
BT_MUST_USE enum bt_status bt_universal_find_fix(struct bt_universal_fix_finder *finder,
                                                 const struct bt_finding *finding,
                                                 struct bt_arena *arena,
                                                 struct bt_universal_fix_row *out);
/* The fix will be applied: from now on no other member is to get the same name. */
void bt_universal_fix_finder_next(struct bt_universal_fix_finder *finder,
                                  const struct bt_universal_fix_row *fix_row);

/*
 * Make the fixes that were chosen (NULL: those of repair, all of HARD findings and the safe ones of
 * others), one step after the other, seal again what was truly sealed, and count. `notes` gets
 * TRACE_ID_GENERATED when a trace_id was made up.
 */
BT_MUST_USE enum bt_status bt_universal_apply_fixes(struct bt_universal_revision *revision,
                                                    const struct bt_universal_options *options,
                                                    const struct bt_fix_choice *choice,
                                                    struct bt_findings *notes);

/* ---- Other spellings ------------------------------------------------------------------------- */

/*
 * A date and time in the common spellings -> UTC with Z. Safe when a zone is given; unsafe when it
 * is taken to be UTC, or when the text is a date alone and midnight is taken; none when it is
 * neither, or names no instant.
 */
enum bt_fix bt_universal_fix_date(bt_str text, struct bt_buf *out);

/* A UUID in upper case, in braces, with urn:uuid: or without hyphens. False: it is none. */
bool bt_universal_fix_uuid(bt_str text, struct bt_buf *out);

/* A SHA-256 in upper case or without its prefix -> "sha256:..." in lower case. False: it is none.*/
bool bt_universal_fix_hash(bt_str text, struct bt_buf *out);

/* The text without ASCII white space around it, with A to Z in lower case. */
void bt_universal_fix_case(bt_str text, struct bt_buf *out);

/* The first `keep` code points and "...". */
void bt_universal_fix_truncate(bt_str text, size_t keep, struct bt_buf *out);

/* Whether the text is 1 to 15 digits without sign or leading zero: a number as it stands. */
bool bt_json_is_plain_integer(bt_str text);

#endif
