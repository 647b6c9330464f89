/* SPDX-License-Identifier: Apache-2.0 */
/*
 * served.h - a service without a store, and a caller who may do everything, for targets that speak
 * the protocol of a door.
 */
#ifndef FUZZ_SERVED_H
#define FUZZ_SERVED_H

#include "fuzz.h"

#include "operation/operation.h"

struct served {
    struct bt_env env;
    struct bt_worker_settings keys;
    struct bt_worker service;
    struct bt_caller caller;
};

static inline void served_begin(struct served *served, bt_str actor)
{
    static const bt_instant now = {.seconds = 1777881600};
    PROMISE(bt_env_init(&served->env) == BT_OK);
    bt_env_pin_clock(&served->env, &now);
    bt_env_pin_seed(&served->env, 1);
    served->keys = bt_worker_settings_from_config(bt_config_defaults());
    served->service = (struct bt_worker){.env = &served->env,
                                         .config = bt_config_defaults(),
                                         .keys = &served->keys,
                                         .checker = bt_checker_create(&served->env),
                                         .root = BT_STR(""),
                                         .input = BT_STR(""),
                                         .policy = {BT_STR(""), BT_STR("")}};
    served->caller = (struct bt_caller){
        .actor = actor, .scopes = SCOPES_ALL, .workspace = BT_STR("w"), .session = BT_STR("s")};
    PROMISE(served->service.checker);
}

#endif
