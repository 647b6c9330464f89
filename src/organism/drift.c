/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drift.c - schemas that were written before, against those that would be written now.
 */
#include <assert.h>

#include "base/file.h"
#include "organism/organism.h"

static enum bt_status compare_schema_file(struct bt_organism_reader *reader,
                                          const struct bt_organism_listener *listener)
{
    struct bt_dir_file found = {.content = BT_STR("")};
    struct bt_buf buf;
    bt_str path;
    BT_TRY(bt_arena_printf(reader->arena, &path, "%.*s/%.*s/v1.xsd",
                           BT_STR_ARG(reader->organism->schemas),
                           BT_STR_ARG(listener->takes.name)));
    bt_buf_init(&buf, SIZE_MAX);
    enum bt_status status = bt_organism_put_text(&buf, reader->arena, reader->organism,
                                                 listener->takes.name, BT_ORGANISM_TEXT_SCHEMA);
    if (status == BT_OK) {
        status = bt_dir_read_linked(reader->root, reader->arena, path, buf.len, &found, NULL);
    }
    const bool is_other =
        status == BT_OK && found.error == BT_PATH_OK && !bt_str_eq(found.content, bt_buf_str(&buf));
    bt_buf_free(&buf);
    if (status == BT_EDENIED) {
        return BT_OK; /* it cannot be compared; running reports that */
    }
    BT_TRY(status);
    return is_other ? bt_add_pump_schema_drift(reader->findings,
                                               bt_organism_locate(reader, listener->node), path)
                    : BT_OK;
}

enum bt_status bt_organism_check_drift(struct bt_organism_reader *reader)
{
    const struct bt_organism *organism = reader->organism;
    for (size_t i = 0; reader->root && i < organism->listeners_count; i++) {
        if (organism->listeners[i].takes.type) {
            BT_TRY(compare_schema_file(reader, &organism->listeners[i]));
        }
    }
    return BT_OK;
}
