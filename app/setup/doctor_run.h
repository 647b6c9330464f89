/* SPDX-License-Identifier: Apache-2.0 */
/* doctor_run.h - one run of the checks, for the files of this folder. */
#ifndef BATON_APP_SETUP_DOCTOR_RUN_H
#define BATON_APP_SETUP_DOCTOR_RUN_H

#include "config/load.h"
#include "doctor.h"
#include "hook/agent_host.h"
#include "ledger/ledger.h"
#include "sandbox/support.h"

struct setup_doctor {
    struct bt_env *env;
    struct bt_arena *arena;
    const struct setup_doctor_options *options;
    struct setup_report *report;
    bt_str home;                      /* "": unknown */
    struct config_load_loaded loaded; /* the configuration, as far as it can be read */
    struct bt_ledger_location store;  /* where the store is ... */
    bool has_store_location;          /* ... if that is known */
    bool store_exists;
};

/* Add the result of a check. `hint` may be NULL. */
BT_MUST_USE enum bt_status setup_add_check(struct setup_doctor *doctor, bt_str id,
                                           enum setup_status status, bt_str message,
                                           const char *hint);

/* Each of these adds its checks. BT_ENOMEM: the arena reached its limit. */
BT_MUST_USE enum bt_status setup_check_program(struct setup_doctor *doctor);
BT_MUST_USE enum bt_status setup_check_configs(struct setup_doctor *doctor);
BT_MUST_USE enum bt_status setup_check_store(struct setup_doctor *doctor);
BT_MUST_USE enum bt_status setup_check_permissions(struct setup_doctor *doctor);
BT_MUST_USE enum bt_status setup_check_git(struct setup_doctor *doctor);
BT_MUST_USE enum bt_status setup_check_hook(struct setup_doctor *doctor,
                                            const struct agent_host *host);
BT_MUST_USE enum bt_status setup_check_servers(struct setup_doctor *doctor,
                                               const struct agent_host *host);
BT_MUST_USE enum bt_status setup_check_sandbox(struct setup_doctor *doctor,
                                               const struct bt_sandbox_support *support);
/* `release` is the date of the release, YYYY-MM-DD; "": this build is not a release. */
BT_MUST_USE enum bt_status setup_check_clock(struct setup_doctor *doctor, bt_str release);
BT_MUST_USE enum bt_status setup_check_terminal(struct setup_doctor *doctor);

#endif
