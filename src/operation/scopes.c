/* SPDX-License-Identifier: Apache-2.0 */
/* scopes.c - the scopes of a caller, as words and as bits. */
#include "operation/scopes.h"

#include <baton/json.h>

static const bt_str names[SCOPES] = {
    BT_STR_INIT("check"),   BT_STR_INIT("submit"), BT_STR_INIT("approve"),
    BT_STR_INIT("operate"), BT_STR_INIT("admin"),
};

bt_str bt_scope_name(size_t index)
{
    return index < SCOPES ? names[index] : BT_STR("");
}

unsigned bt_scope_find(bt_str name)
{
    for (size_t i = 0; i < SCOPES; i++) {
        if (bt_str_eq(names[i], name)) {
            return 1U << i;
        }
    }
    return 0;
}

bool bt_scopes_parse(bt_str list, unsigned *out)
{
    unsigned scopes = 0;
    for (size_t from = 0; from <= list.len;) {
        const size_t end = bt_str_find_byte(list, ',', from);
        const unsigned scope = bt_scope_find(bt_str_slice(list, from, end));
        if (scope == 0) {
            return false;
        }
        scopes |= scope;
        from = end + 1;
    }
    *out = scopes;
    return true;
}

bool bt_scopes_hold(unsigned scopes, unsigned scope)
{
    return (scopes & (scope | BT_SCOPE_ADMIN)) != 0;
}

bt_str bt_scopes_find_missing(unsigned scopes, unsigned wanted)
{
    bt_str missing = BT_STR("");
    for (size_t i = SCOPES; i > 0; i--) {
        if (wanted & (1U << (i - 1))) {
            missing = names[i - 1];
        }
    }
    return bt_scopes_hold(scopes, wanted) ? BT_STR("") : missing;
}

void bt_scopes_emit(struct bt_emit *emit, unsigned scopes)
{
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < SCOPES; i++) {
        if (scopes & (1U << i)) {
            bt_emit_string(emit, names[i]);
        }
    }
    bt_emit_end(emit);
}
