/* SPDX-License-Identifier: Apache-2.0 */
/* heartbeat.c - entries that say that a program runs although nothing is decided. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "ledger/admin.h"
#include "ledger/transaction.h"

enum { BEAT_BYTES_MAX = 1 << 20 };

struct ledger_beat {
    struct bt_ledger_beat_options *options;
    char newest[BT_ENTRY_TIME_BYTES + 1]; /* the time of the last entry; "" for an empty log */
};

static bool take_time(void *context, const struct bt_store_entry *row)
{
    struct ledger_beat *beat = context;
    struct bt_entry entry;
    if (bt_entry_read(row->entry, &entry)) {
        memcpy(beat->newest, entry.time.ptr, BT_ENTRY_TIME_BYTES);
    }
    return false;
}

/* True when the newest entry is older than the beat wants it to be, or of the future. */
static enum bt_status is_due(struct bt_ledger_transaction *recording, struct ledger_beat *beat,
                             bool *out, struct bt_error *error)
{
    const uint64_t size = recording->state.tree.size;
    const struct bt_store_scan last = {.order = BT_STORE_DOWN, .from = size - 1};
    bt_instant now;
    bt_instant newest;
    *out = beat->options->age_s == 0 || size == 0;
    if (*out) {
        return BT_OK;
    }
    BT_TRY(bt_store_entry_scan(recording->ledger->store, &last, take_time, beat, error));
    if (bt_instant_parse(bt_str_of(beat->newest), &newest) != BT_OK ||
        bt_instant_parse(bt_str_of(recording->time), &now) != BT_OK) {
        *out = true;
        return BT_OK;
    }
    const int64_t age = now.seconds - newest.seconds;
    *out = age >= (int64_t)beat->options->age_s;
    if (!*out) {
        beat->options->wait_s = beat->options->age_s - (uint64_t)(age > 0 ? age : 0);
    }
    return BT_OK;
}

/* Add the entry, when it is due; else *out is NULL. Within the transaction, so that one of several
 * nodes writes. */
static enum bt_status add_entry(struct bt_ledger_transaction *recording,
                                struct bt_ledger_beat_options *options,
                                struct bt_ledger_record **out, struct bt_error *error)
{
    struct ledger_beat beat = {.options = options};
    bool due = false;
    struct bt_entry *entry = BT_NEW(recording->arena, struct bt_entry);
    struct bt_ledger_record *recorded = BT_NEW(recording->arena, struct bt_ledger_record);
    *out = NULL;
    options->wait_s = options->age_s;
    if (!entry || !recorded) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    if (recording->ledger->form.version < 2) {
        return options->is_lenient
                   ? BT_OK
                   : bt_error_set(error, BT_EINVAL,
                                  "entries of version 1 have no heartbeats; baton store migrate "
                                  "--entries 2 switches the log over");
    }
    BT_TRY(is_due(recording, &beat, &due, error));
    if (!due) {
        return BT_OK;
    }
    bt_entry_init(entry);
    entry->actor = options->actor;
    entry->kind = BT_STR("heartbeat");
    entry->dialect = BT_STR("baton");
    entry->verdict = BT_STR("recorded");
    entry->refs.event = options->event;
    entry->refs.message = options->run;
    *out = recorded;
    return bt_ledger_transaction_add_entry(recording, entry, NULL, recorded, error);
}

static enum bt_status add_beat(struct bt_ledger_transaction *recording, void *context,
                               struct bt_error *error)
{
    struct bt_ledger_beat_options *options = context;
    struct bt_ledger_record *recorded = NULL;
    BT_TRY(add_entry(recording, options, &recorded, error));
    return recorded ? bt_ledger_transaction_copy_record(recording, recorded, &options->record)
                    : BT_OK;
}

/* For a writer: the submission is the heartbeat, or is skipped. */
static enum bt_status record_beat(struct bt_submission *item,
                                  struct bt_ledger_transaction *recording, struct bt_error *error)
{
    struct bt_ledger_record *recorded = NULL;
    BT_TRY(add_entry(recording, item->decision, &recorded, error));
    item->is_skipped = !recorded;
    if (recorded) {
        item->recorded = recorded;
        item->seq = recorded->entry.seq;
    }
    return BT_OK;
}

void bt_ledger_beat_submission(struct bt_submission *item, struct bt_ledger_beat_options *options)
{
    assert(item);
    assert(options);
    item->bytes = BT_STR("");
    item->entry = (struct bt_submission_entry){.kind = BT_STR("heartbeat"),
                                               .actor = options->actor,
                                               .dialect = BT_DIALECT_RAW,
                                               .handoff_id = BT_STR(""),
                                               .id_pointer = BT_STR(""),
                                               .trace_id = BT_STR(""),
                                               .source = BT_STR(""),
                                               .target = BT_STR("")};
    item->record = record_beat;
    item->decision = options;
}

enum bt_status bt_ledger_beat(struct bt_ledger *ledger, struct bt_env *env, struct bt_arena *arena,
                              struct bt_ledger_beat_options *options, struct bt_findings *alarms,
                              struct bt_error *error)
{
    assert(ledger);
    assert(options);
    struct bt_ledger_transaction recording = {.ledger = ledger, .env = env, .arena = arena};
    options->record = BT_STR("");
    const enum bt_status status =
        bt_ledger_transaction_run(&recording, add_beat, options, alarms, error);
    options->is_recorded = recording.is_recorded;
    return status;
}

enum bt_status bt_ledger_beat_name(const struct bt_env *env, char out[BT_LEDGER_RUN_BYTES],
                                   struct bt_error *error)
{
    uint8_t name[4];
    assert(env);
    if (!env->random(env->context, name, sizeof(name))) {
        return bt_error_set(error, BT_EIO, "the system gave no randomness");
    }
    (void)snprintf(out, BT_LEDGER_RUN_BYTES, "run-%02x%02x%02x%02x", name[0], name[1], name[2],
                   name[3]);
    return BT_OK;
}

enum bt_status bt_ledger_beat_alone(struct bt_ledger *ledger, struct bt_env *env,
                                    struct bt_ledger_beat_options *options, struct bt_error *error)
{
    struct bt_arena arena;
    assert(options);
    options->is_lenient = true;
    bt_arena_init(&arena, BEAT_BYTES_MAX);
    struct bt_findings *alarms = bt_findings_new(&arena);
    enum bt_status status = alarms
                                ? bt_ledger_beat(ledger, env, &arena, options, alarms, error)
                                : bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    options->record = BT_STR("");
    if (status == BT_OK && bt_findings_count(alarms) > 0) {
        const struct bt_finding *alarm = bt_findings_at(alarms, 0);
        status = bt_error_set(error, BT_EIO, "%.*s: %.*s", BT_STR_ARG(alarm->rule->code),
                              BT_STR_ARG(alarm->message));
    }
    bt_arena_free(&arena);
    return status;
}
