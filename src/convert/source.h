/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.h - what a document of any dialect says, as one JSON object and the table that knows where
 * its members go.
 */
#ifndef BATON_SRC_CONVERT_SOURCE_H
#define BATON_SRC_CONVERT_SOURCE_H

#include "convert/map.h"

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
