/* SPDX-License-Identifier: Apache-2.0 */
/*
 * audit.c - read the entries in their order, and compare what they promise with what they say
 * later.
 *
 * The entries come from the pass of verify.c, so that an audit reads the log once.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <baton/json.h>

#include "json/emit.h"
#include "ledger/audit_state.h"
#include "report/findings.h"

enum { SECOND_MS = 1000, TIME_BOUND_MS = 5 * SECOND_MS, SILENCES_MAX = 10000 };

/* ---- Range ----------------------------------------------------------------------------------- */

static bool is_before(const struct bt_ledger_bound *bound, uint64_t seq, bt_str time)
{
    char text[BT_ENTRY_TIME_BYTES + 1];
    if (!bound->is_time) {
        return seq < bound->seq;
    }
    bt_entry_time_put(bound->time, text);
    return bt_str_compare(time, bt_str_of(text)) < 0;
}

static bool is_after(const struct bt_ledger_bound *bound, uint64_t seq, bt_str time)
{
    char text[BT_ENTRY_TIME_BYTES + 1];
    if (!bound->is_time) {
        return seq > bound->seq;
    }
    bt_entry_time_put(bound->time, text);
    return bt_str_compare(time, bt_str_of(text)) > 0;
}

bool bt_audit_has(const struct bt_audit *audit, uint64_t seq, bt_str time)
{
    const struct bt_ledger_bound *from = &audit->options->from;
    const struct bt_ledger_bound *to = &audit->options->to;
    return !(from->is_given && is_before(from, seq, time)) &&
           !(to->is_given && is_after(to, seq, time));
}

static struct bt_location entry_location(struct bt_audit *audit, uint64_t seq)
{
    return bt_ledger_location(audit->arena, "/entries/%" PRIu64, seq);
}

/* ---- Deliveries ------------------------------------------------------------------------------ */

enum bt_audit_end bt_audit_end_of(const struct bt_audit *audit, uint64_t seq, bool is_webhook)
{
    const unsigned unit = is_webhook ? BT_AUDIT_WEBHOOK_END : BT_AUDIT_INBOX_END;
    const unsigned marks = seq < audit->marks.len ? (uint8_t)audit->marks.ptr[seq] : 0;
    return (enum bt_audit_end)(marks / unit % 4);
}

static void set_end(struct bt_audit *audit, uint64_t seq, bool is_webhook, enum bt_audit_end end)
{
    const unsigned unit = is_webhook ? BT_AUDIT_WEBHOOK_END : BT_AUDIT_INBOX_END;
    audit->marks.ptr[seq] = (char)((uint8_t)audit->marks.ptr[seq] + unit * (unsigned)end);
}

static void clear_end(struct bt_audit *audit, uint64_t seq, bool is_webhook)
{
    const unsigned unit = is_webhook ? BT_AUDIT_WEBHOOK_END : BT_AUDIT_INBOX_END;
    audit->marks.ptr[seq] = (char)((uint8_t)audit->marks.ptr[seq] & ~(unit * 3));
}

/* True for "h" or "w" and a number: an item of an inbox or a webhook. */
static bool read_message(bt_str message, uint64_t *out_seq, bool *out_is_webhook)
{
    const bt_str digits = bt_str_slice(message, 1, message.len);
    if (message.len < 2 || (message.ptr[0] != 'h' && message.ptr[0] != 'w') ||
        bt_str_to_u64(digits, out_seq) != BT_OK || (digits.len > 1 && digits.ptr[0] == '0')) {
        return false;
    }
    *out_is_webhook = message.ptr[0] == 'w';
    return true;
}

/* An item that was dead and is delivered again has not ended. */
static bool is_retry(const struct bt_audit *audit, uint64_t seq, bool is_webhook,
                     const struct bt_entry *entry)
{
    return bt_str_eq(entry->refs.event, BT_STR("failed")) &&
           bt_str_eq(entry->refs.reason, BT_STR(BT_DELIVERY_RETRIED)) &&
           bt_audit_end_of(audit, seq, is_webhook) == BT_AUDIT_DEAD;
}

static enum bt_audit_end end_of_event(bt_str event)
{
    return bt_str_eq(event, BT_STR("delivered"))   ? BT_AUDIT_DELIVERED
           : bt_str_eq(event, BT_STR("dead"))      ? BT_AUDIT_DEAD
           : bt_str_eq(event, BT_STR("cancelled")) ? BT_AUDIT_CANCELLED
                                                   : BT_AUDIT_OPEN;
}

static enum bt_status audit_delivery(struct bt_audit *audit, uint64_t seq,
                                     const struct bt_entry *entry, bool is_in_range)
{
    uint64_t promised = 0;
    bool is_webhook = false;
    if (!read_message(entry->refs.message, &promised, &is_webhook)) {
        return BT_OK; /* of the pump, which promises nothing here */
    }
    const unsigned marks = promised < seq ? (uint8_t)audit->marks.ptr[promised] : 0;
    const enum bt_audit_end end = end_of_event(entry->refs.event);
    const bool is_promised =
        !(marks & BT_AUDIT_VERSION_2) || marks & (is_webhook ? BT_AUDIT_WEBHOOK : BT_AUDIT_INBOX);
    const bool is_accepted = marks & BT_AUDIT_ACCEPTED && entry->refs.parent == promised;
    const bool is_over = bt_audit_end_of(audit, promised, is_webhook) != BT_AUDIT_OPEN;
    if (is_accepted && is_retry(audit, promised, is_webhook, entry)) {
        clear_end(audit, promised, is_webhook);
        return BT_OK;
    }
    audit->counts.failed_attempts += is_in_range && bt_str_eq(entry->refs.event, BT_STR("failed"));
    if (is_accepted && is_promised && !is_over) {
        set_end(audit, promised, is_webhook, end);
        return BT_OK;
    }
    return is_in_range ? bt_add_audit_delivery_stray(
                             audit->findings, entry_location(audit, seq), entry->refs.message,
                             !is_accepted   ? BT_AUDIT_DELIVERY_STRAY_REASON_NO_ACCEPTANCE
                             : !is_promised ? BT_AUDIT_DELIVERY_STRAY_REASON_NOT_PROMISED
                                            : BT_AUDIT_DELIVERY_STRAY_REASON_AFTER_END)
                       : BT_OK;
}

enum bt_status bt_audit_add_promise(struct bt_audit *audit, const struct bt_entry *entry,
                                    bool is_in_range, bool is_webhook)
{
    struct bt_audit_promise promise = {
        .seq = entry->seq, .is_webhook = is_webhook, .is_in_range = is_in_range};
    memcpy(promise.since, entry->time.ptr, BT_ENTRY_TIME_BYTES);
    bt_buf_put(&audit->promises, (bt_str){(const char *)&promise, sizeof(promise)});
    return audit->promises.status;
}

static enum bt_status audit_handoff(struct bt_audit *audit, uint64_t seq,
                                    const struct bt_entry *entry, bool is_in_range)
{
    const bool is_accepted = bt_str_eq(entry->verdict, BT_STR("accepted"));
    unsigned marks = is_accepted ? BT_AUDIT_ACCEPTED : 0;
    for (size_t i = 0; i < 2 && entry->deliver[i].len > 0; i++) {
        const bool is_webhook = entry->deliver[i].ptr[0] == 'w';
        marks |= is_webhook ? BT_AUDIT_WEBHOOK : BT_AUDIT_INBOX;
        BT_TRY(bt_audit_add_promise(audit, entry, is_in_range, is_webhook));
    }
    audit->marks.ptr[seq] = (char)((uint8_t)audit->marks.ptr[seq] | marks);
    if (is_in_range) {
        audit->counts.handoffs++;
        audit->counts.refused += !is_accepted;
        audit->has_xml |= bt_str_eq(entry->dialect, bt_dialect_name(BT_DIALECT_XML));
        audit->has_unpromised |= is_accepted && entry->v < 2;
    }
    return BT_OK;
}

/* ---- Approvals ------------------------------------------------------------------------------- */

enum bt_status bt_audit_find_approval(struct bt_audit *audit, bt_str id,
                                      struct bt_audit_approval **out)
{
    struct bt_map_key key = bt_map_text(id);
    struct bt_map_entry *entry = bt_map_find(&audit->approvals, key);
    if (!entry) {
        struct bt_audit_approval *approval = BT_NEW(audit->arena, struct bt_audit_approval);
        if (!approval) {
            return BT_ENOMEM;
        }
        BT_TRY(bt_arena_copy(audit->arena, id, &key.text));
        BT_TRY(bt_map_add(&audit->approvals, key, &entry));
        approval->fingerprint = BT_STR("");
        entry->value.pointer = approval;
    }
    *out = entry->value.pointer;
    return BT_OK;
}

static enum bt_status audit_use(struct bt_audit *audit, uint64_t seq, const struct bt_entry *entry,
                                struct bt_audit_approval *approval, bool is_in_range)
{
    const bool is_approved =
        approval->fingerprint.len > 0 && bt_str_eq(approval->fingerprint, entry->refs.fingerprint);
    approval->used++;
    audit->counts.approvals_used += is_in_range;
    const enum bt_audit_approval_stray_reason reason =
        !is_approved         ? BT_AUDIT_APPROVAL_STRAY_REASON_NOT_APPROVED
        : approval->is_ended ? BT_AUDIT_APPROVAL_STRAY_REASON_ENDED
        : approval->has_grant && approval->used > approval->uses
            ? BT_AUDIT_APPROVAL_STRAY_REASON_OVER_USED
            : 0;
    return reason && is_in_range
               ? bt_add_audit_approval_stray(audit->findings, entry_location(audit, seq),
                                             entry->refs.approval, reason)
               : BT_OK;
}

static enum bt_status audit_approval(struct bt_audit *audit, uint64_t seq,
                                     const struct bt_entry *entry, bool is_in_range)
{
    struct bt_audit_approval *approval = NULL;
    const bt_str event = entry->refs.event;
    BT_TRY(bt_audit_find_approval(audit, entry->refs.approval, &approval));
    if (bt_str_eq(event, BT_STR("APPROVED"))) {
        approval->is_ended = false;
        return bt_arena_copy(audit->arena, entry->refs.fingerprint, &approval->fingerprint);
    }
    approval->is_ended |=
        bt_str_eq(event, BT_STR("REVOKED")) || bt_str_eq(event, BT_STR("EXPIRED"));
    return bt_str_eq(event, BT_STR("CONSUMED"))
               ? audit_use(audit, seq, entry, approval, is_in_range)
               : BT_OK;
}

/* ---- Times and numbers ----------------------------------------------------------------------- */

static int64_t millis_of(bt_instant instant)
{
    return instant.seconds * SECOND_MS + instant.nanos / 1000000;
}

static int64_t millis_of_text(bt_str time)
{
    bt_instant instant = {0};
    return bt_instant_parse(time, &instant) == BT_OK ? millis_of(instant) : 0;
}

/* True when the time is longer than so many seconds, which are a duration of at most 11 digits. */
static bool is_longer(int64_t millis, uint64_t seconds)
{
    return millis > 0 && (uint64_t)millis > seconds * SECOND_MS;
}

static enum bt_status add_silence(struct bt_audit *audit, uint64_t seq, bt_str to, uint64_t seconds,
                                  bool is_attested)
{
    struct bt_audit_silence *silence = BT_NEW(audit->arena, struct bt_audit_silence);
    if (!silence) {
        return BT_ENOMEM;
    }
    silence->seconds = seconds;
    silence->is_attested = is_attested;
    memcpy(silence->from, audit->last.time, sizeof(silence->from));
    memcpy(silence->to, to.ptr, BT_ENTRY_TIME_BYTES);
    if (audit->silences.count++ < SILENCES_MAX) {
        *audit->silences.end = silence;
        audit->silences.end = &silence->next;
    }
    return is_attested
               ? BT_OK
               : bt_add_audit_silence(audit->findings, entry_location(audit, seq),
                                      bt_str_of(silence->from), bt_str_of(silence->to), seconds);
}

static enum bt_status audit_silence(struct bt_audit *audit, uint64_t seq,
                                    const struct bt_entry *entry, bool is_in_range)
{
    const bool is_beat = bt_str_eq(entry->kind, BT_STR("heartbeat"));
    const bool is_start = is_beat && bt_str_eq(entry->refs.event, BT_STR("start"));
    const bool applies =
        audit->options->silence_s > 0 && audit->last.time[0] != '\0' && audit->last.is_in_range &&
        is_in_range &&
        (audit->options->silence_is_given || (audit->last.is_version_2 && entry->v >= 2));
    const int64_t millis =
        applies ? millis_of_text(entry->time) - millis_of_text(bt_str_of(audit->last.time)) : 0;
    if (applies && is_longer(millis, audit->options->silence_s)) {
        BT_TRY(add_silence(audit, seq, entry->time, (uint64_t)millis / SECOND_MS,
                           audit->last.is_stop && is_start));
    }
    memcpy(audit->last.time, entry->time.ptr, BT_ENTRY_TIME_BYTES);
    audit->last.is_stop = is_beat && bt_str_eq(entry->refs.event, BT_STR("stop"));
    audit->last.is_version_2 = entry->v >= 2;
    audit->last.is_in_range = is_in_range;
    audit->counts.heartbeats += is_beat && is_in_range;
    return BT_OK;
}

static enum bt_status audit_number(struct bt_audit *audit, uint64_t seq,
                                   const struct bt_entry *entry, bool is_in_range)
{
    struct bt_map_key key = bt_map_text(entry->actor);
    struct bt_map_entry *last = bt_map_find(&audit->numbers, key);
    if (entry->n.client == BT_SEQ_ABSENT) {
        return BT_OK;
    }
    if (!last) {
        BT_TRY(bt_arena_copy(audit->arena, entry->actor, &key.text));
        BT_TRY(bt_map_add(&audit->numbers, key, &last));
    } else if (entry->n.client != last->value.number + 1 && is_in_range) {
        BT_TRY(bt_add_audit_number_gap(audit->findings, entry_location(audit, seq), entry->actor,
                                       last->value.number + 1, entry->n.client));
    }
    last->value.number = entry->n.client;
    return BT_OK;
}

static enum bt_status audit_time(struct bt_audit *audit, uint64_t seq, const struct bt_entry *entry,
                                 bool is_in_range)
{
    const struct bt_audit_sighting *sightings = (const void *)audit->sightings.ptr;
    const size_t count = audit->sightings.len / sizeof(*sightings);
    char witnessed[BT_ENTRY_TIME_BYTES + 1];
    while (audit->next_sighting < count && sightings[audit->next_sighting].size <= seq) {
        audit->next_sighting++;
    }
    if (!is_in_range || audit->next_sighting == count ||
        millis_of_text(entry->time) <=
            sightings[audit->next_sighting].bound * SECOND_MS + TIME_BOUND_MS) {
        return BT_OK;
    }
    bt_entry_time_put((bt_instant){sightings[audit->next_sighting].bound, 0}, witnessed);
    return bt_add_audit_time_bound(audit->findings, entry_location(audit, seq), entry->time,
                                   bt_str_of(witnessed));
}

/* ---- One entry ------------------------------------------------------------------------------- */

static enum bt_status audit_kind(struct bt_audit *audit, uint64_t seq, const struct bt_entry *entry,
                                 bool is_in_range)
{
    if (bt_str_eq(entry->kind, BT_STR("handoff"))) {
        return audit_handoff(audit, seq, entry, is_in_range);
    }
    if (bt_str_eq(entry->kind, BT_STR("delivery"))) {
        return audit_delivery(audit, seq, entry, is_in_range);
    }
    return bt_str_eq(entry->kind, BT_STR("approval"))
               ? audit_approval(audit, seq, entry, is_in_range)
               : BT_OK;
}

/* Called for every entry of a log that is sound so far, in order. */
static enum bt_status audit_entry(void *context, uint64_t seq, const struct bt_entry *entry)
{
    struct bt_audit *audit = context;
    const bool is_in_range = bt_audit_has(audit, seq, entry->time);
    while (audit->marks.len <= seq && audit->marks.status == BT_OK) {
        bt_buf_put_char(&audit->marks, '\0');
    }
    BT_TRY(audit->marks.status);
    audit->marks.ptr[seq] = (char)(entry->v >= 2 ? BT_AUDIT_VERSION_2 : 0);
    if (is_in_range) {
        audit->range.first = audit->range.first == BT_SEQ_ABSENT ? seq : audit->range.first;
        audit->range.last = seq;
        audit->counts.entries++;
    }
    BT_TRY(audit_kind(audit, seq, entry, is_in_range));
    BT_TRY(audit_silence(audit, seq, entry, is_in_range));
    BT_TRY(audit_number(audit, seq, entry, is_in_range));
    return audit_time(audit, seq, entry, is_in_range);
}

/* ---- After the last entry -------------------------------------------------------------------- */

/* What became of each promise, and which have waited too long. */
static enum bt_status audit_promises(struct bt_audit *audit)
{
    const struct bt_audit_promise *promises = (const void *)audit->promises.ptr;
    const size_t count = audit->promises.len / sizeof(*promises);
    for (size_t i = 0; i < count; i++) {
        const struct bt_audit_promise *promise = &promises[i];
        const enum bt_audit_end end = bt_audit_end_of(audit, promise->seq, promise->is_webhook);
        char message[24];
        if (!promise->is_in_range) {
            continue;
        }
        audit->counts.ends[end]++;
        const int64_t age =
            millis_of(audit->options->now) - millis_of_text(bt_str_of(promise->since));
        if (end == BT_AUDIT_OPEN && is_longer(age, audit->options->open_s)) {
            (void)snprintf(message, sizeof(message), "%c%" PRIu64, promise->is_webhook ? 'w' : 'h',
                           promise->seq);
            BT_TRY(bt_add_audit_delivery_open(audit->findings, entry_location(audit, promise->seq),
                                              bt_str_of(message), bt_str_of(promise->since)));
        }
    }
    return BT_OK;
}

const struct bt_ledger_audit_limit bt_ledger_audit_limits[] = {
    [BT_LEDGER_AUDIT_UNSUBMITTED] = {"unsubmitted",
                                     "what never reached Baton has no entry; a caller without a "
                                     "receipt should ask why"},
    [BT_LEDGER_AUDIT_ACTED] = {"acted",
                               "delivered means that the receiver said so, not what it did with "
                               "it"},
    [BT_LEDGER_AUDIT_HOPS] = {"hops", "steps between listeners of a pump have no entry"},
    [BT_LEDGER_AUDIT_PROMISES] = {"promises", "version 1 does not record what was promised"},
    [BT_LEDGER_AUDIT_CLOCK] = {"clock",
                               "times are those of the deciding node; nobody else bounds them"},
    [BT_LEDGER_AUDIT_REWRITE] = {"rewrite",
                                 "whoever holds key and disk could have written another history"},
    [BT_LEDGER_AUDIT_LAST] = {"last", "counters show gaps between the entries shown, not entries "
                                      "after the last one"},
};

static void put_unproven(struct bt_emit *emit, const struct bt_audit *audit)
{
    const bool is_witnessed = audit->sightings.len > 0;
    const bool applies[] = {[BT_LEDGER_AUDIT_UNSUBMITTED] = true,
                            [BT_LEDGER_AUDIT_ACTED] = true,
                            [BT_LEDGER_AUDIT_HOPS] = audit->has_xml,
                            [BT_LEDGER_AUDIT_PROMISES] = audit->has_unpromised,
                            [BT_LEDGER_AUDIT_CLOCK] = !is_witnessed,
                            [BT_LEDGER_AUDIT_REWRITE] = !is_witnessed,
                            [BT_LEDGER_AUDIT_LAST] = audit->options->is_partial};
    bt_emit_member_array(emit, "unproven");
    for (size_t i = 0; i < BT_LEDGER_AUDIT_LIMIT__MAX; i++) {
        if (applies[i]) {
            bt_emit_string(emit, bt_str_of(bt_ledger_audit_limits[i].word));
        }
        if (applies[i] && audit->options->out_limits) {
            *audit->options->out_limits |= UINT32_C(1) << i;
        }
    }
    bt_emit_end(emit);
}

static void put_silences(struct bt_emit *emit, const struct bt_audit *audit)
{
    bt_emit_member_array(emit, "silences");
    for (const struct bt_audit_silence *at = audit->silences.first; at; at = at->next) {
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "from", bt_str_of(at->from));
        bt_emit_member_string(emit, "to", bt_str_of(at->to));
        bt_emit_member_u64(emit, "seconds", at->seconds);
        bt_emit_member_bool(emit, "attested", at->is_attested);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

static void put_seq(struct bt_emit *emit, const char *name, uint64_t seq)
{
    if (seq == BT_SEQ_ABSENT) {
        bt_emit_member_null(emit, name);
    } else {
        bt_emit_member_u64(emit, name, seq);
    }
}

static void put_counts(struct bt_emit *emit, const struct bt_audit *audit)
{
    const struct bt_audit_counts *counts = &audit->counts;
    uint64_t promised = 0;
    for (size_t i = 0; i <= BT_AUDIT_CANCELLED; i++) {
        promised += counts->ends[i];
    }
    bt_emit_member_u64(emit, "entries", counts->entries);
    bt_emit_member_u64(emit, "handoffs", counts->handoffs);
    bt_emit_member_u64(emit, "refused", counts->refused);
    bt_emit_member_u64(emit, "promised", promised);
    bt_emit_member_u64(emit, "delivered", counts->ends[BT_AUDIT_DELIVERED]);
    bt_emit_member_u64(emit, "dead", counts->ends[BT_AUDIT_DEAD]);
    bt_emit_member_u64(emit, "cancelled", counts->ends[BT_AUDIT_CANCELLED]);
    bt_emit_member_u64(emit, "open", counts->ends[BT_AUDIT_OPEN]);
    bt_emit_member_u64(emit, "failed_attempts", counts->failed_attempts);
    bt_emit_member_u64(emit, "approvals_used", counts->approvals_used);
    bt_emit_member_u64(emit, "heartbeats", counts->heartbeats);
}

static void put_object(struct bt_emit *emit, const struct bt_audit *audit)
{
    bt_emit_begin_object(emit);
    put_seq(emit, "from", audit->range.first);
    put_seq(emit, "to", audit->counts.entries > 0 ? audit->range.last : BT_SEQ_ABSENT);
    put_counts(emit, audit);
    put_silences(emit, audit);
    put_unproven(emit, audit);
    bt_emit_end(emit);
}

/* The member `audit` of the facts. */
static void put_audit(void *context, struct bt_emit *emit)
{
    const struct bt_audit *audit = context;
    struct bt_emit alone;
    bt_emit_name(emit, "audit");
    put_object(emit, audit);
    if (audit->options->facts) {
        bt_emit_init(&alone, audit->options->facts, false);
        put_object(&alone, audit);
    }
}

static enum bt_status begin_audit(struct bt_verify *verify, void *context)
{
    struct bt_audit *audit = context;
    BT_TRY(verify->ledger
               ? bt_audit_begin_tables(verify, audit)
               : bt_audit_take_sightings(audit, &verify->newest, verify->options->witnesses));
    bt_audit_bound_sightings(audit);
    return BT_OK;
}

/* All entries were read; without a finding that blocks, those of the audit are added. */
static enum bt_status end_audit(struct bt_verify *verify, void *context)
{
    struct bt_audit *audit = context;
    if (audit->counts.entries == 0 &&
        (audit->options->from.is_given || audit->options->to.is_given)) {
        return bt_error_set(verify->error, BT_EINVAL, "no entry is in this range");
    }
    if (verify->ledger) {
        BT_TRY(bt_audit_compare_tables(verify, audit));
    }
    BT_TRY(audit_promises(audit));
    BT_TRY(bt_findings_finish(audit->findings, BT_STR("")));
    for (size_t i = 0; i < bt_findings_count(audit->findings); i++) {
        BT_TRY(bt_findings_add(verify->findings, bt_findings_at(audit->findings, i)));
    }
    return BT_OK;
}

enum bt_status bt_ledger_audit(struct bt_ledger *ledger, bt_str folder, struct bt_arena *arena,
                               const struct bt_ledger_audit_options *options,
                               struct bt_judgement *out, struct bt_error *error)
{
    assert(options);
    assert(out);
    struct bt_audit audit = {.options = options,
                             .arena = arena,
                             .findings = bt_findings_new(arena),
                             .range.first = BT_SEQ_ABSENT};
    uint64_t seed[2];
    if (!audit.findings || bt_env_make_seed(seed) != BT_OK) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    const struct bt_verify_reader reader = {&audit, begin_audit, audit_entry, end_audit, put_audit};
    struct bt_ledger_verify_options verify = options->verify;
    verify.no_documents = true;
    verify.reader = &reader;
    audit.silences.end = &audit.silences.first;
    bt_findings_limit_codes(audit.findings, BT_VERIFY_FINDINGS_PER_CODE);
    bt_map_init(&audit.approvals, arena, seed);
    bt_map_init(&audit.numbers, arena, seed);
    bt_buf_init(&audit.marks, SIZE_MAX);
    bt_buf_init(&audit.promises, SIZE_MAX);
    bt_buf_init(&audit.sightings, SIZE_MAX);
    const enum bt_status status = ledger
                                      ? bt_ledger_verify(ledger, arena, &verify, out, error)
                                      : bt_ledger_verify_files(folder, arena, &verify, out, error);
    bt_buf_free(&audit.marks);
    bt_buf_free(&audit.promises);
    bt_buf_free(&audit.sightings);
    return status;
}

void bt_ledger_audit_put_unproven(struct bt_buf *buf, const struct bt_judgement *judged)
{
    assert(buf);
    assert(judged);
    for (size_t i = 0; i < BT_LEDGER_AUDIT_LIMIT__MAX; i++) {
        const struct bt_ledger_audit_limit *at = &bt_ledger_audit_limits[i];
        char word[32];
        (void)snprintf(word, sizeof(word), "\"%s\"", at->word);
        if (bt_str_find(judged->facts, bt_str_of(word)) < judged->facts.len) {
            bt_buf_printf(buf, "not proven: %s\n", at->sentence);
        }
    }
}
