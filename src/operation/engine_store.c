/* SPDX-License-Identifier: Apache-2.0 */
/* engine_store.c - the store of an engine. */
#include "operation/engine.h"

#include <assert.h>

/* Check that the ledger is the one that this node has seen before. */
static enum bt_status check_ledger(struct bt_engine *engine, struct bt_ledger *ledger,
                                   struct bt_error *error)
{
    struct bt_findings *alarms = bt_findings_new(&engine->call);
    if (!alarms) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_ledger_check_writable(ledger, &engine->env, &engine->call, alarms, error));
    return bt_engine_report_finding(alarms, error) == BT_OK ? BT_OK : BT_ECORRUPT;
}

enum bt_status bt_engine_store(struct bt_engine *engine, bt_str url, struct bt_error *error)
{
    assert(engine);
    struct bt_ledger *ledger = NULL;
    bt_str text;
    if (engine->worker.ledger) {
        return bt_error_set(error, BT_EEXIST, "the engine has a store");
    }
    if (bt_arena_copy(&engine->memory, url, &text) != BT_OK) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    struct bt_ledger_options options = {.store = text.ptr,
                                        .deadline_ms = engine->worker.keys->record_deadline_ms};
    if (bt_ledger_memory_find(&engine->memory, false, BT_STR(""), &options.memory) != BT_OK) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_ledger_open(&options, true, &ledger, error));
    const enum bt_status status = check_ledger(engine, ledger, error);
    bt_arena_reset(&engine->call);
    if (status != BT_OK) {
        bt_ledger_close(ledger);
        return status;
    }
    engine->worker.ledger = ledger;
    return BT_OK;
}
