/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fix.h - change a document of any dialect so that findings disappear.
 *
 * `check --fix` and the code actions of an editor both use this, so they make the same changes.
 */
#ifndef BATON_SRC_ENGINE_FIX_H
#define BATON_SRC_ENGINE_FIX_H

#include <baton/check.h>

#include "edit/edit.h"
#include "engine/check.h"
#include "report/fixes.h"

/* A document that is to be fixed, how it is judged, and which of its fixes are made. */
struct bt_fix_input {
    struct bt_env *env;
    bt_str path; /* for messages and recognition */
    bt_str content;
    const struct bt_check_options *options; /* with a checker */
    struct bt_fix_choice choice;
};

/* A fixed document. */
struct bt_fix_result {
    struct bt_judgement judged; /* of the fixed document; judged.changes is never NULL */
    bt_str text;                /* the fixed document; the given one when nothing changed */
    struct bt_edit_list edits;  /* from the given document to `text` */
    struct bt_fix_shown {
        bt_str before; /* both texts without secrets, where the dialect masks them; else as above */
        bt_str after;
    } shown;
};

/*
 * Make the fixes that were chosen and judge the result. The edits of a single finding (choice.only,
 * a finding of bt_check_document() on the same bytes) are those that fix it alone; of a universal
 * handoff they leave meta.token_count as it is. Documents of a dialect without fixes are only
 * judged. *out lives in the arena and points into path and content.
 *
 * BT_ENOENT: no dialect was named and none recognises the document. BT_ELIMIT: the fixed document
 * would be larger than a document may be. BT_ENOMEM: the arena reached its limit, or the system has
 * no memory.
 */
BT_MUST_USE enum bt_status bt_fix(const struct bt_fix_input *input, struct bt_arena *arena,
                                  struct bt_fix_result *out);

#endif
