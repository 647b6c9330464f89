/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_absent.c - ledgers in a build without a store: there is none to open, and what commands
 * ask of one before that gets the same error.
 */
#include "base/error.h"
#include "ledger/ledger.h"
#include "ledger/proof_api.h"

static enum bt_status fail_without_store(struct bt_error *error)
{
    return bt_error_set(error, BT_EINVAL, "this build has no store");
}

enum bt_status bt_ledger_init(struct bt_env *env, struct bt_arena *arena,
                              const struct bt_ledger_options *options,
                              const struct bt_ledger_init_options *plan,
                              struct bt_ledger_init_result *out, struct bt_error *error)
{
    (void)out;
    (void)env;
    (void)arena;
    (void)options;
    (void)plan;
    return fail_without_store(error);
}

enum bt_status bt_ledger_locate(struct bt_arena *arena, const struct bt_ledger_options *options,
                                struct bt_ledger_location *out, struct bt_error *error)
{
    (void)out;
    (void)arena;
    (void)options;
    return fail_without_store(error);
}

enum bt_status bt_ledger_check_memory(struct bt_ledger *ledger, struct bt_arena *arena,
                                      struct bt_findings *alarms, struct bt_error *error)
{
    (void)ledger;
    (void)arena;
    (void)alarms;
    return fail_without_store(error);
}

enum bt_status bt_verifier_keys_from_store(struct bt_arena *arena,
                                           const struct bt_ledger_options *options,
                                           struct bt_verifier_keys **out, struct bt_error *error)
{
    (void)out;
    (void)arena;
    (void)options;
    return fail_without_store(error);
}

enum bt_status bt_ledger_copy_keys(struct bt_ledger *ledger, struct bt_verifier_keys *out,
                                   struct bt_error *error)
{
    (void)ledger;
    (void)out;
    return fail_without_store(error);
}

enum bt_status bt_ledger_check_receipt_state(struct bt_ledger *ledger, struct bt_arena *arena,
                                             const struct bt_receipt_state *shown,
                                             struct bt_findings *alarms, struct bt_error *error)
{
    (void)ledger;
    (void)arena;
    (void)shown;
    (void)alarms;
    return fail_without_store(error);
}

bt_str bt_ledger_origin(const struct bt_ledger *ledger)
{
    (void)ledger;
    return BT_STR("");
}

bool bt_ledger_has_test_key(const struct bt_ledger *ledger)
{
    (void)ledger;
    return false;
}

bool bt_ledger_misses_head(const struct bt_ledger *ledger, bt_str *out_path)
{
    (void)ledger;
    (void)out_path;
    return false;
}

bool bt_ledger_memory_has_failed(const struct bt_ledger *ledger, bt_str *out_path)
{
    (void)ledger;
    (void)out_path;
    return false;
}

void bt_ledger_set_withheld(struct bt_ledger *ledger, uint32_t names)
{
    (void)ledger;
    (void)names;
}

void bt_ledger_set_deadline(struct bt_ledger *ledger, uint64_t until_ms)
{
    (void)ledger;
    (void)until_ms;
}

enum bt_status bt_ledger_open(const struct bt_ledger_options *options, bool writing,
                              struct bt_ledger **out, struct bt_error *error)
{
    (void)out;
    (void)options;
    (void)writing;
    return fail_without_store(error);
}

void bt_ledger_close(struct bt_ledger *ledger)
{
    (void)ledger;
}

bool bt_ledger_commit_is_unknown(const struct bt_ledger *ledger)
{
    (void)ledger;
    return false;
}

enum bt_status bt_ledger_check_writable(struct bt_ledger *ledger, struct bt_env *env,
                                        struct bt_arena *arena, struct bt_findings *alarms,
                                        struct bt_error *error)
{
    (void)ledger;
    (void)env;
    (void)arena;
    (void)alarms;
    return fail_without_store(error);
}

enum bt_status bt_ledger_head(struct bt_ledger *ledger, struct bt_arena *arena,
                              struct bt_findings *alarms, struct bt_ledger_head *out,
                              struct bt_error *error)
{
    (void)out;
    (void)ledger;
    (void)arena;
    (void)alarms;
    return fail_without_store(error);
}

bt_str bt_ledger_url(const struct bt_ledger *ledger)
{
    (void)ledger;
    return BT_STR("");
}
