/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup_ledger.c - entries, receipts and traces, as far as they are the caller's.
 */
#include <inttypes.h>

#include "service/records.h"
#include "service/shown_json.h"

enum { RECEIPT_BYTES_MAX = 1 << 20, HOPS_MAX = 10000 };

/* ---- Whose it is ----------------------------------------------------------------------------- */

/* An entry, read. */
struct entry {
    const struct bt_doc *document;
    const bt_value *root;
};

static bool read_entry(struct work *work, bt_str text, struct entry *out)
{
    struct bt_json_result read;
    if (bt_json_read(work->arena, text, NULL, &read) != BT_OK || !read.document) {
        return false;
    }
    *out = (struct entry){read.document, bt_json_root(read.document)};
    return true;
}

static bt_str text_of(const struct entry *entry, const char *name)
{
    const bt_value *value = bt_json_get(entry->document, entry->root, bt_str_of(name));
    return value ? bt_json_text(value) : BT_STR("");
}

/* What the caller submitted itself, and what names an agent that it is bound to. */
static bool is_theirs(const struct work *work, const struct entry *entry)
{
    const struct caller *caller = work->caller;
    const bool is_bound = caller->agent_count > 0;
    return scopes_hold(caller->scopes, SCOPE_OPERATE) ||
           bt_str_eq(text_of(entry, "actor"), caller->actor) ||
           (is_bound && (caller_is(caller, text_of(entry, "source")) ||
                         caller_is(caller, text_of(entry, "target"))));
}

/* The entry that an id names, if it is there and the caller's. */
static bool find(struct work *work, bt_str id, struct bt_ledger_shown *out)
{
    struct bt_ledger *ledger = work->service->ledger;
    struct bt_findings *alarms = bt_findings_new(work->arena);
    struct bt_error error;
    struct entry entry;
    uint64_t seq = 0;
    const bool is_number = bt_str_to_u64(id, &seq) == BT_OK;
    if (!alarms || (!is_number && bt_ledger_find_handoff(ledger, id, &seq, &error) != BT_OK) ||
        bt_ledger_show(ledger, work->arena, seq, alarms, out, &error) != BT_OK) {
        return false;
    }
    return bt_findings_count(alarms) == 0 && read_entry(work, out->entry.text, &entry) &&
           is_theirs(work, &entry);
}

/* ---- Entries and receipts -------------------------------------------------------------------- */

enum bt_status op_handoff(struct work *work, bt_str id)
{
    struct bt_ledger_shown shown;
    if (!find(work, id, &shown)) {
        return answer_unusable(work, "NOT_FOUND: there is no such handoff");
    }
    shown_put(&work->answer->body, bt_ledger_origin(work->service->ledger), &shown);
    work->answer->kind = ANSWER_DONE;
    return work->answer->body.status;
}

static bool prove(struct work *work, bt_str id, enum bt_receipt_format format, struct bt_buf *buf)
{
    struct bt_ledger_shown shown;
    struct bt_error error;
    return find(work, id, &shown) && bt_ledger_prove(work->service->ledger, shown.entry.seq,
                                                     BT_LEDGER_NONE, format, buf, &error) == BT_OK;
}

bool receipt_put(struct work *work, bt_str id, struct bt_buf *buf)
{
    return prove(work, id, BT_RECEIPT_AS_TEXT, buf);
}

enum bt_status op_receipt(struct work *work, bt_str id)
{
    struct bt_buf *body = &work->answer->body;
    if (!prove(work, id, BT_RECEIPT_AS_JSON, body)) {
        bt_buf_clear(body);
        return answer_unusable(work, "NOT_FOUND: there is no such handoff");
    }
    body->len -= body->len > 0 && body->ptr[body->len - 1] == '\n' ? 1 : 0;
    work->answer->kind = ANSWER_DONE;
    return body->status;
}

/* ---- Traces ---------------------------------------------------------------------------------- */

static int64_t ms_between(bt_str from, bt_str to)
{
    bt_instant begin;
    bt_instant end;
    if (bt_instant_parse(from, &begin) != BT_OK || bt_instant_parse(to, &end) != BT_OK) {
        return 0;
    }
    return (end.seconds - begin.seconds) * 1000 + (end.nanos - begin.nanos) / 1000000;
}

static void put_hop(struct bt_emit *emit, const struct entry *entry, uint64_t seq, bt_str before)
{
    const bt_value *codes = bt_json_get(entry->document, entry->root, BT_STR("codes"));
    bt_emit_object(emit);
    bt_emit_member_u64(emit, "seq", seq);
    bt_emit_member_string(emit, "time", text_of(entry, "time"));
    bt_emit_member_string(emit, "dialect", text_of(entry, "dialect"));
    bt_emit_member_or_null(emit, "source", text_of(entry, "source"));
    bt_emit_member_or_null(emit, "target", text_of(entry, "target"));
    bt_emit_member_string(emit, "verdict", text_of(entry, "verdict"));
    bt_emit_name(emit, "codes");
    bt_emit_array(emit);
    for (size_t i = 0; codes && i < bt_json_count(codes); i++) {
        bt_emit_string(emit, bt_json_text(&bt_json_items(codes)[i]));
    }
    bt_emit_end(emit);
    bt_emit_name(emit, "gap_ms");
    if (before.len > 0) {
        bt_emit_i64(emit, ms_between(before, text_of(entry, "time")));
    } else {
        bt_emit_null(emit);
    }
    bt_emit_end(emit);
}

struct hops {
    struct entry *entries;
    const uint64_t *seqs;
    size_t count;
};

/* The agents in the order in which they first appear. */
static void put_agents(struct bt_emit *emit, const struct hops *hops)
{
    static const char *const names[] = {"source", "target"};
    bt_emit_name(emit, "agents");
    bt_emit_array(emit);
    for (size_t i = 0; i < 2 * hops->count; i++) {
        const bt_str agent = text_of(&hops->entries[i / 2], names[i % 2]);
        bool is_known = agent.len == 0;
        for (size_t k = 0; k < i && !is_known; k++) {
            is_known = bt_str_eq(agent, text_of(&hops->entries[k / 2], names[k % 2]));
        }
        if (!is_known) {
            bt_emit_string(emit, agent);
        }
    }
    bt_emit_end(emit);
}

static void put_trace(struct bt_buf *buf, bt_str trace_id, const struct hops *hops)
{
    struct bt_emit emit;
    bt_str before = BT_STR("");
    bt_emit_init(&emit, buf, false);
    bt_emit_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "trace_id", trace_id);
    bt_emit_member_string(&emit, "started", text_of(&hops->entries[0], "time"));
    bt_emit_member_string(&emit, "ended", text_of(&hops->entries[hops->count - 1], "time"));
    put_agents(&emit, hops);
    bt_emit_name(&emit, "hops");
    bt_emit_array(&emit);
    for (size_t i = 0; i < hops->count; i++) {
        put_hop(&emit, &hops->entries[i], hops->seqs[i], before);
        before = text_of(&hops->entries[i], "time");
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
}

enum bt_status op_trace(struct work *work, bt_str trace_id)
{
    const struct bt_ledger_filter filter = {.count = HOPS_MAX,
                                            .from = 0,
                                            .kind = BT_STR("handoff"),
                                            .verdict = BT_STR(""),
                                            .handoff_id = BT_STR(""),
                                            .trace_id = trace_id};
    struct bt_findings *alarms = bt_findings_new(work->arena);
    struct bt_ledger_entries found;
    struct bt_error error;
    if (!alarms) {
        return BT_ENOMEM;
    }
    if (!bt_ledger_name_is(trace_id)) {
        return answer_unusable(work, "NOT_FOUND: there is no such trace");
    }
    if (bt_ledger_tail(work->service->ledger, work->arena, &filter, alarms, &found, &error) !=
            BT_OK ||
        bt_findings_count(alarms) > 0) {
        return answer_failed(work, "STORE_UNAVAILABLE: the ledger cannot be read");
    }
    struct entry *entries = BT_NEW_ARRAY(work->arena, struct entry, found.count + 1);
    uint64_t *seqs = BT_NEW_ARRAY(work->arena, uint64_t, found.count + 1);
    struct hops hops = {entries, seqs, 0};
    if (!entries || !seqs) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < found.count; i++) {
        seqs[hops.count] = found.items[i].seq;
        const bool is_read = read_entry(work, found.items[i].text, &entries[hops.count]);
        hops.count += is_read && is_theirs(work, &entries[hops.count]) ? 1 : 0;
    }
    if (hops.count == 0) {
        return answer_unusable(work, "NOT_FOUND: there is no such trace");
    }
    put_trace(&work->answer->body, trace_id, &hops);
    work->answer->kind = ANSWER_DONE;
    return work->answer->body.status;
}
