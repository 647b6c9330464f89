/* SPDX-License-Identifier: Apache-2.0 */
/* recorder.c - records -> submissions of the ledger's writer, in order; gaps after failures. */
#include "wrap/recorder.h"

#include <assert.h>
#include <inttypes.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/treap.h"
#include "ledger/call_key.h"

enum {
    WAITING_BYTES_MAX = 64 << 20,
    REFS_MAX = 9,
    NUMBER_BYTES = 24,
    RETRY_MS = BT_LEDGER_ABANDON_RETRY_MS,
};

/* A record that the writer has. It lies in the memory of the record. */
struct wrap_waiting {
    struct wrap_waiting *next;
    struct bt_wrap_record *record;
    struct bt_wrap_recorder *recorder;
    struct bt_submission item;
    struct bt_judgement judged;
    struct bt_entry_ref refs[REFS_MAX];
    char parent[NUMBER_BYTES];
    bt_str origin;              /* of the log, and ... */
    struct bt_merkle_hash leaf; /* ... the hash of the entry; see record_item() */
    uint64_t until_ms;
    uint64_t memory; /* of the record, when it was put */
    atomic_bool is_done;
};

/* Requests that are missing in the log. */
struct wrap_gap {
    uint64_t first; /* the number of the first */
    uint64_t count;
    bt_instant started; /* of the first */
};

struct bt_wrap_recorder {
    struct bt_wrap_recorder_options options;
    struct bt_ledger_writer *writer;
    struct wrap_waiting *first; /* in the order in which they were put */
    struct wrap_waiting *last;
    uint64_t count;
    uint64_t bytes;    /* of their documents */
    uint64_t memory;   /* of the records */
    uint64_t retry_ms; /* when the first may be given up; 0: at its deadline */
    struct wrap_gap gap;
    struct wrap_gap sent_gap; /* that the writer has */
    enum bt_wrap_store_failure failure;
    bool is_stuck;         /* the writer does not come back from the store */
    atomic_uint notifying; /* the writer's thread is in note_done() */
    atomic_bool is_woken;  /* the caller was woken, and has not looked since */
    uint64_t recorded;
    uint64_t unrecorded;
    struct bt_error error;
};

enum bt_status bt_wrap_recorder_open(const struct bt_wrap_recorder_options *options,
                                     struct bt_wrap_recorder **out, struct bt_error *error)
{
    struct bt_wrap_recorder *recorder = bt_handle_create(sizeof(*recorder));
    if (!recorder) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    recorder->options = *options;
    recorder->writer = options->writer;
    const enum bt_status status =
        options->writer
            ? BT_OK
            : bt_ledger_writer_open(options->ledger, options->env, &recorder->writer, error);
    if (status != BT_OK) {
        bt_handle_destroy(recorder);
        return status;
    }
    *out = recorder;
    return BT_OK;
}

bool bt_wrap_recorder_close(struct bt_wrap_recorder *recorder)
{
    if (!recorder || (recorder->is_stuck && !recorder->options.writer)) {
        return !recorder;
    }
    assert(recorder->count == 0);
    while (atomic_load(&recorder->notifying) > 0) { /* for as long as `wake` takes */
        (void)sched_yield();
    }
    if (!recorder->options.writer) {
        bt_ledger_writer_close(recorder->writer);
    }
    bt_handle_destroy(recorder);
    return true;
}

/* ---- Failures ------------------------------------------------------------------------------ */

static void add_missing(struct wrap_gap *gap, const struct wrap_gap *more)
{
    if (more->count > 0 && (gap->count == 0 || more->first < gap->first)) {
        gap->first = more->first;
        gap->started = more->started;
    }
    gap->count += more->count;
}

/* Note that a record will not be in the log. Only calls are numbered, and only they leave a gap. */
static void miss_record(struct bt_wrap_recorder *recorder, const struct bt_wrap_record *record)
{
    const struct wrap_gap one = {record->subject.n, 1, record->started};
    if (record->event == BT_WRAP_EVENT_GAP) {
        add_missing(&recorder->gap, &recorder->sent_gap);
        recorder->sent_gap = (struct wrap_gap){0};
    } else if (record->subject.n > 0) {
        add_missing(&recorder->gap, &one);
        recorder->unrecorded++;
    }
}

static void fail_store(struct bt_wrap_recorder *recorder, enum bt_wrap_store_failure failure)
{
    if (recorder->failure != BT_WRAP_STORE_UNKNOWN) {
        recorder->failure = failure;
    }
}

enum bt_wrap_store_failure bt_wrap_recorder_failure(const struct bt_wrap_recorder *recorder)
{
    return recorder->failure;
}

void bt_wrap_recorder_stop(struct bt_wrap_recorder *recorder, const struct bt_error *error)
{
    recorder->error = *error;
    recorder->failure = BT_WRAP_STORE_UNKNOWN;
}

const char *bt_wrap_recorder_error(const struct bt_wrap_recorder *recorder)
{
    return recorder->error.text;
}

struct bt_wrap_recorder_counts bt_wrap_recorder_counts(const struct bt_wrap_recorder *recorder)
{
    return (struct bt_wrap_recorder_counts){recorder->count, recorder->memory, recorder->recorded,
                                            recorder->unrecorded};
}

/* ---- Submissions --------------------------------------------------------------------------- */

static void add_ref(struct wrap_waiting *waiting, const char *name, bt_str value)
{
    if (value.len > 0) {
        assert(waiting->item.entry.ref_count < REFS_MAX);
        waiting->refs[waiting->item.entry.ref_count++] =
            (struct bt_entry_ref){bt_str_of(name), value};
    }
}

static enum bt_status set_refs(struct wrap_waiting *waiting)
{
    const struct bt_wrap_record *record = waiting->record;
    const struct bt_wrap_record_refs *refs = &record->refs;
    bt_str message;
    BT_TRY(bt_arena_printf(waiting->item.arena, &message, "mcp:%.*s",
                           BT_STR_ARG(record->subject.method)));
    add_ref(waiting, "message", message);
    add_ref(waiting, "event", bt_wrap_event_name(record->event));
    add_ref(waiting, "thread", record->subject.session);
    add_ref(waiting, "manifest", refs->manifest);
    add_ref(waiting, "lock", refs->lock);
    add_ref(waiting, "policy", refs->policy);
    add_ref(waiting, "approval", refs->approval);
    add_ref(waiting, "fingerprint", refs->fingerprint);
    if (refs->parent != UINT64_MAX) {
        (void)snprintf(waiting->parent, sizeof(waiting->parent), "%" PRIu64, refs->parent);
        add_ref(waiting, "parent", bt_str_of(waiting->parent));
    }
    waiting->item.entry.refs = waiting->refs;
    return BT_OK;
}

static bool is_rejected(const struct bt_wrap_record *record)
{
    return bt_verdict_of(record->findings, BT_SEVERITY_HARD) == BT_VERDICT_REJECTED &&
           (record->event == BT_WRAP_EVENT_REFUSED || record->event == BT_WRAP_EVENT_WITHHELD ||
            record->event == BT_WRAP_EVENT_CHANGED);
}

static enum bt_status make_submission(struct bt_wrap_recorder *recorder,
                                      struct wrap_waiting *waiting)
{
    struct bt_wrap_record *record = waiting->record;
    const struct bt_wrap_record_subject *subject = &record->subject;
    struct bt_submission *item = &waiting->item;
    waiting->origin = BT_STR("");
    *item = (struct bt_submission){
        .arena = &record->arena,
        .judged = &waiting->judged,
        .bytes = BT_STR(""),
        .entry = {.kind = BT_STR("raw"),
                  .actor = recorder->options.actor,
                  .dialect = BT_DIALECT_RAW,
                  .handoff_id = BT_STR(""),
                  .id_pointer = BT_STR(""),
                  .trace_id = subject->trace_id,
                  .source = subject->source,
                  .target = BT_STR(""),
                  .policy = record->refs.policy.len > 0 ? recorder->options.policy : BT_STR("")},
        .delivery = {.traceparent = BT_STR("")}};
    BT_TRY(bt_wrap_record_write(record, recorder->options.document_bytes, &item->bytes));
    BT_TRY(bt_findings_finish(record->findings, BT_STR("")));
    if (subject->name.len > 0) {
        BT_TRY(bt_arena_printf(&record->arena, &item->entry.target, "%.*s/%.*s",
                               BT_STR_ARG(subject->server), BT_STR_ARG(subject->name)));
    }
    waiting->judged = (struct bt_judgement){.path = subject->server,
                                            .dialect = BT_DIALECT_RAW,
                                            .source = BT_STR(""),
                                            .verdict = is_rejected(record) ? BT_VERDICT_REJECTED
                                                                           : BT_VERDICT_RECORDED,
                                            .findings = record->findings};
    return set_refs(waiting);
}

/* On the writer's thread: the entry, its name, and what becomes of the key of the call. */
static enum bt_status record_item(struct bt_submission *item,
                                  struct bt_ledger_transaction *transaction, struct bt_error *error)
{
    struct wrap_waiting *waiting = BT_WITHIN(struct wrap_waiting, item, item);
    const struct bt_wrap_record_key *own = &waiting->record->key;
    BT_TRY(bt_ledger_transaction_add_submission(transaction, item, error));
    waiting->origin = bt_ledger_origin(transaction->ledger);
    waiting->leaf = item->recorded->leaf;
    if (own->text.len == 0) {
        return BT_OK;
    }
    const struct bt_call_key key = bt_wrap_repeat_key(waiting->recorder->options.repeats, own);
    return own->is_freed ? bt_call_key_free(transaction, &key, error)
                         : bt_call_key_answer(transaction, &key, own->status,
                                              own->body.ptr ? &own->body : NULL, item->seq, error);
}

/* On the writer's thread. */
static void note_done(void *context)
{
    struct wrap_waiting *waiting = context;
    struct bt_wrap_recorder *recorder = waiting->recorder;
    (void)atomic_fetch_add(&recorder->notifying, 1);
    atomic_store(&waiting->is_done, true);             /* the record may be gone from now on */
    if (!atomic_exchange(&recorder->is_woken, true)) { /* a batch has up to 256 records */
        recorder->options.wake(recorder->options.context);
    }
    (void)atomic_fetch_sub(&recorder->notifying, 1); /* and the recorder from now on */
}

static enum bt_status submit_record(struct bt_wrap_recorder *recorder,
                                    struct bt_wrap_record *record)
{
    struct wrap_waiting *waiting = BT_NEW(&record->arena, struct wrap_waiting);
    BT_TRY(waiting ? BT_OK : BT_ENOMEM);
    waiting->record = record;
    waiting->recorder = recorder;
    BT_TRY(make_submission(recorder, waiting));
    waiting->item.record = record->key.text.len > 0 || record->policy.waits ? record_item : NULL;
    waiting->memory = 2 * record->arena.taken; /* the writer's thread adds as much from now on */
    waiting->until_ms = bt_clock_monotonic_ms() + recorder->options.deadline_ms;
    const struct bt_ledger_completion wait = {
        .deadline = bt_clock_deadline(waiting->until_ms), .notify = note_done, .context = waiting};
    BT_TRY(bt_ledger_writer_submit(recorder->writer, &waiting->item, &wait));
    *(recorder->last ? &recorder->last->next : &recorder->first) = waiting;
    recorder->last = waiting;
    recorder->count++;
    recorder->bytes += waiting->item.bytes.len;
    recorder->memory += waiting->memory;
    return BT_OK;
}

/* True when a record may be submitted now. While the store is failing one at a time tries it. */
static bool may_submit(struct bt_wrap_recorder *recorder)
{
    const bool is_full =
        recorder->count >= recorder->options.records_max || recorder->bytes >= WAITING_BYTES_MAX;
    if (is_full && recorder->failure == BT_WRAP_STORE_WORKS) {
        (void)bt_error_set(&recorder->error, BT_ELIMIT, "%" PRIu64 " records wait",
                           recorder->count);
        fail_store(recorder, BT_WRAP_STORE_QUEUE);
    }
    return recorder->failure == BT_WRAP_STORE_WORKS ||
           (recorder->failure != BT_WRAP_STORE_UNKNOWN && recorder->count == 0);
}

enum bt_status bt_wrap_recorder_put_gap(struct bt_wrap_recorder *recorder)
{
    const struct bt_wrap_record_subject subject = {.server = recorder->options.server,
                                                   .session = recorder->options.session,
                                                   .method = BT_STR("tools/call"),
                                                   .name = BT_STR(""),
                                                   .class_name = BT_STR(""),
                                                   .source = BT_STR(""),
                                                   .trace_id = recorder->options.session,
                                                   .n = recorder->gap.first};
    struct bt_wrap_record *record = NULL;
    if (recorder->gap.count == 0 || recorder->sent_gap.count > 0 || !may_submit(recorder)) {
        return BT_OK;
    }
    BT_TRY(bt_wrap_record_create(recorder->options.env, &subject, &record));
    record->event = BT_WRAP_EVENT_GAP;
    record->missing = recorder->gap.count;
    record->started = recorder->gap.started;
    enum bt_status status = bt_wrap_record_set_request(record, NULL, NULL);
    if (status == BT_OK) {
        status = submit_record(recorder, record);
    }
    if (status != BT_OK) {
        bt_wrap_record_destroy(record);
        return status;
    }
    recorder->sent_gap = recorder->gap;
    recorder->gap = (struct wrap_gap){0};
    return BT_OK;
}

enum bt_status bt_wrap_recorder_put(struct bt_wrap_recorder *recorder,
                                    struct bt_wrap_record *record, bool *out_is_missing)
{
    const bool may = may_submit(recorder);
    *out_is_missing = !may;
    enum bt_status status = may ? bt_wrap_recorder_put_gap(recorder) : BT_OK;
    if (may && status == BT_OK) {
        status = submit_record(recorder, record);
    }
    if (!may || status != BT_OK) {
        miss_record(recorder, record);
    }
    if (status != BT_OK) {
        bt_wrap_record_destroy(record);
    }
    return status;
}

/* ---- Results ------------------------------------------------------------------------------- */

uint64_t bt_wrap_recorder_deadline(const struct bt_wrap_recorder *recorder)
{
    return !recorder->first         ? UINT64_MAX
           : recorder->retry_ms > 0 ? recorder->retry_ms
                                    : recorder->first->until_ms + RETRY_MS;
}

/* Get the first submission back, or give it up when it is late. False: not yet. */
static bool take_back(struct bt_wrap_recorder *recorder, uint64_t now_ms, enum bt_status *out)
{
    struct wrap_waiting *first = recorder->first;
    atomic_store(&recorder->is_woken, false); /* before it looks: what is done later wakes again */
    if (first && atomic_load(&first->is_done)) {
        *out = bt_ledger_writer_finish(&first->item, &recorder->error);
        return true;
    }
    if (!first || now_ms < bt_wrap_recorder_deadline(recorder)) {
        return false;
    }
    *out = bt_ledger_writer_abandon(&first->item, &recorder->error);
    recorder->retry_ms = *out == BT_OK ? now_ms + RETRY_MS : 0;
    recorder->is_stuck = recorder->is_stuck || *out != BT_OK;
    return *out != BT_OK;
}

static void note_result(struct bt_wrap_recorder *recorder, const struct wrap_waiting *waiting,
                        bool is_durable)
{
    const bool is_final = atomic_load(bt_ledger_writer_failure(recorder->writer));
    if (is_durable) {
        const bool is_gap = waiting->record->event == BT_WRAP_EVENT_GAP;
        recorder->recorded += !is_gap && waiting->record->subject.n > 0;
        if (is_gap) {
            recorder->sent_gap = (struct wrap_gap){0};
        }
        if (recorder->failure != BT_WRAP_STORE_UNKNOWN) {
            recorder->failure = BT_WRAP_STORE_WORKS;
            recorder->is_stuck = false;
        }
        return;
    }
    fail_store(recorder, BT_WRAP_STORE_COMMIT);
    recorder->failure = is_final ? BT_WRAP_STORE_UNKNOWN : recorder->failure;
    miss_record(recorder, waiting->record);
}

bool bt_wrap_recorder_next(struct bt_wrap_recorder *recorder, uint64_t now_ms,
                           struct bt_wrap_recorded *out)
{
    enum bt_status status = BT_OK;
    struct wrap_waiting *waiting = recorder->first;
    if (!take_back(recorder, now_ms, &status)) {
        return false;
    }
    recorder->first = waiting->next;
    recorder->last = waiting->next ? recorder->last : NULL;
    recorder->count--;
    recorder->bytes -= waiting->item.bytes.len;
    recorder->memory -= waiting->memory;
    note_result(recorder, waiting, status == BT_OK);
    *out = (struct bt_wrap_recorded){.record = waiting->record,
                                     .is_durable = status == BT_OK,
                                     .seq = waiting->item.seq,
                                     .origin = waiting->origin};
    if (out->is_durable && out->origin.len > 0) {
        bt_merkle_hash_hex(&waiting->leaf, out->leaf_hash);
    }
    return true;
}
