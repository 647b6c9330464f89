/* SPDX-License-Identifier: Apache-2.0 */
/* scopes.h - the scopes of a caller. */
#ifndef BATON_SRC_OPERATION_SCOPES_H
#define BATON_SRC_OPERATION_SCOPES_H

#include <baton/base.h>

/* A set of scopes is the sum of these. */
enum bt_scope {
    BT_SCOPE_CHECK = 1,   /* judge, repair, convert, count, explain, verify; nothing is stored */
    BT_SCOPE_SUBMIT = 2,  /* record handoffs, answer, use approvals, hooks, inboxes */
    BT_SCOPE_APPROVE = 4, /* see and decide approvals */
    BT_SCOPE_OPERATE = 8, /* read everything, unblock, clear state, store INPUTs */
    BT_SCOPE_ADMIN = 16,  /* configuration, reload, redaction; includes the others */
};

enum { SCOPES = 5, SCOPES_ALL = 31 };

/* Scopes that a caller bound to an agent cannot hold, since an agent must not decide about
 * itself. */
enum { SCOPES_DECIDING = BT_SCOPE_APPROVE | BT_SCOPE_OPERATE | BT_SCOPE_ADMIN };

/* The scopes in their order: "check" ...; "" after the last. */
bt_str bt_scope_name(size_t index);
/* The scope of this name, or 0. */
unsigned bt_scope_find(bt_str name);
/* Parse a comma-separated list. False when a word of it is not a scope. */
bool bt_scopes_parse(bt_str list, unsigned *out);
/* True when a set holds a scope; admin holds all. */
bool bt_scopes_hold(unsigned scopes, unsigned scope);

/* "" when a set holds one of the wanted scopes, or none is wanted; else the name of the first. */
bt_str bt_scopes_find_missing(unsigned scopes, unsigned wanted);

struct bt_emit;

/* Put the array of names, in their order. */
void bt_scopes_emit(struct bt_emit *emit, unsigned scopes);

#endif
