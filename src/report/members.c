/* SPDX-License-Identifier: Apache-2.0 */
/* members.c - more members of a document in the JSON reports. */
#include "report/members.h"

#include "base/buf.h"

/* A whole document, escaped, and what belongs to it. */
enum { MEMBERS_BYTES_MAX = 256 << 20 };

enum bt_status bt_judgement_add_member(struct bt_judgement *judged, struct bt_arena *arena,
                                       const char *name, bt_str json)
{
    struct bt_buf buf;
    bt_buf_init(&buf, MEMBERS_BYTES_MAX);
    bt_buf_put(&buf, judged->extra_members);
    bt_buf_printf(&buf, "%s\"%s\":", judged->extra_members.len > 0 ? "," : "", name);
    bt_buf_put(&buf, json);
    return bt_buf_finish(&buf, arena, &judged->extra_members);
}
