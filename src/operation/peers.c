/* SPDX-License-Identifier: Apache-2.0 */
/* peers.c - what is known of peers, from the store, our witness and the thread that submits. */
#include "operation/peers.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "json/emit.h"
#include "ledger/proof_api.h"
#include "ledger/witness.h"
#include "operation/operation.h"

enum { NAME_BYTES = 65, ERROR_BYTES = 200, REPORTS_BYTES_MAX = 1 << 16 };

struct bt_peer_report {
    char name[NAME_BYTES];
    char error[ERROR_BYTES];
};

struct bt_peer_reports {
    struct bt_arena arena; /* holds the reports themselves */
    pthread_mutex_t lock;  /* guards all but the alarm */
    size_t count;
    struct bt_peer_report items[BT_CONFIG_PEERS_MAX];
    atomic_bool has_alarm;
};

/* ---- Reports --------------------------------------------------------------------------------- */

struct bt_peer_reports *bt_peer_reports_create(void)
{
    struct bt_arena arena;
    bt_arena_init(&arena, REPORTS_BYTES_MAX);
    struct bt_peer_reports *reports = BT_NEW(&arena, struct bt_peer_reports);
    if (!reports || pthread_mutex_init(&reports->lock, NULL) != 0) {
        bt_arena_free(&arena);
        return NULL;
    }
    reports->arena = arena;
    return reports;
}

void bt_peer_reports_destroy(struct bt_peer_reports *reports)
{
    if (reports) {
        struct bt_arena arena = reports->arena;
        (void)pthread_mutex_destroy(&reports->lock);
        bt_arena_free(&arena);
    }
}

/* With the lock: the report of a peer; NULL: there is none. */
static struct bt_peer_report *find_report(struct bt_peer_reports *reports, bt_str peer)
{
    for (size_t i = 0; i < reports->count; i++) {
        if (bt_str_eq(bt_str_of(reports->items[i].name), peer)) {
            return &reports->items[i];
        }
    }
    return NULL;
}

void bt_peer_reports_set(struct bt_peer_reports *reports, bt_str peer, const char *error)
{
    assert(peer.len < NAME_BYTES);
    (void)pthread_mutex_lock(&reports->lock);
    struct bt_peer_report *report = find_report(reports, peer);
    if (!report) {
        /* a new configuration may have other names; the oldest report makes room */
        if (reports->count == BT_CONFIG_PEERS_MAX) {
            reports->count--;
            memmove(&reports->items[0], &reports->items[1],
                    reports->count * sizeof(reports->items[0]));
        }
        report = &reports->items[reports->count++];
        memcpy(report->name, peer.ptr, peer.len);
        report->name[peer.len] = '\0';
    }
    const size_t length = strlen(error);
    const size_t kept = length < ERROR_BYTES ? length : ERROR_BYTES - 1;
    memcpy(report->error, error, kept);
    report->error[kept] = '\0';
    (void)pthread_mutex_unlock(&reports->lock);
}

void bt_peer_reports_raise(struct bt_peer_reports *reports)
{
    atomic_store(&reports->has_alarm, true);
}

bool bt_peer_reports_have_alarm(const struct bt_peer_reports *reports)
{
    return reports && atomic_load(&reports->has_alarm);
}

/* ---- Peers ----------------------------------------------------------------------------------- */

static enum bt_status copy_error(struct bt_arena *arena, struct bt_peer_reports *reports,
                                 bt_str peer, bt_str *out)
{
    *out = BT_STR("");
    if (!reports) {
        return BT_OK;
    }
    (void)pthread_mutex_lock(&reports->lock);
    const struct bt_peer_report *report = find_report(reports, peer);
    const enum bt_status status =
        report ? bt_arena_copy(arena, bt_str_of(report->error), out) : BT_OK;
    (void)pthread_mutex_unlock(&reports->lock);
    return status;
}

static enum bt_status read_peer(struct bt_arena *arena, const struct bt_peer_sources *sources,
                                size_t index, uint64_t size, struct bt_peer_view *out,
                                struct bt_error *error)
{
    struct bt_config_peer peer;
    struct bt_ledger_cosigned cosigned;
    struct bt_witness_known known = {0};
    BT_TRY(bt_config_peer(sources->config, index, arena, &peer));
    BT_TRY(bt_ledger_find_cosigned(sources->ledger, peer.vkey, &cosigned, error));
    if (sources->witness) {
        const bt_str origin = bt_str_slice(peer.log, 0, bt_str_find_byte(peer.log, '+', 0));
        BT_TRY(bt_witness_read_known(arena, sources->witness, origin, &known, error));
    }
    *out = (struct bt_peer_view){.name = peer.name,
                                 .witnessed = cosigned.size,
                                 .behind = size > cosigned.size ? size - cosigned.size : 0,
                                 .seen = known.size,
                                 .last = cosigned.time};
    return copy_error(arena, sources->reports, peer.name, &out->error);
}

enum bt_status bt_peers_read(struct bt_arena *arena, const struct bt_peer_sources *sources,
                             struct bt_peer_list *out, struct bt_error *error)
{
    assert(sources);
    assert(out);
    const size_t count = bt_config_count(sources->config, "ledger.peers");
    struct bt_findings *alarms = bt_findings_new(arena);
    struct bt_ledger_head head = {0};
    *out = (struct bt_peer_list){BT_NEW_ARRAY(arena, struct bt_peer_view, count + 1), count};
    if (!out->items || !alarms) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_ledger_head(sources->ledger, arena, alarms, &head, error));
    if (bt_findings_count(alarms) > 0) {
        return bt_error_set(error, BT_ECORRUPT, "the ledger cannot be trusted");
    }
    for (size_t i = 0; i < count; i++) {
        BT_TRY(read_peer(arena, sources, i, head.size, &out->items[i], error));
    }
    return BT_OK;
}

enum bt_peer_state bt_peer_state(const struct bt_peer_view *peer)
{
    return peer->error.len > 0 ? BT_PEER_FAILING : peer->behind > 0 ? BT_PEER_BEHIND : BT_PEER_OK;
}

/* A text, or null when it is empty. */
static void emit_or_null(struct bt_emit *emit, const char *name, bt_str text)
{
    if (text.len > 0) {
        bt_emit_member_string(emit, name, text);
    } else {
        bt_emit_name(emit, name);
        bt_emit_raw(emit, BT_STR("null"));
    }
}

void bt_peers_put(struct bt_buf *buf, const struct bt_peer_list *peers)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_array(&emit, "peers");
    for (size_t i = 0; i < peers->count; i++) {
        const struct bt_peer_view *peer = &peers->items[i];
        char last[BT_INSTANT_TEXT_BYTES];
        const size_t length =
            peer->last > 0 ? bt_instant_format((bt_instant){.seconds = (int64_t)peer->last}, last)
                           : 0;
        bt_emit_begin_object(&emit);
        bt_emit_member_string(&emit, "name", peer->name);
        bt_emit_member_u64(&emit, "witnessed", peer->witnessed);
        bt_emit_member_u64(&emit, "behind", peer->behind);
        bt_emit_member_u64(&emit, "seen", peer->seen);
        emit_or_null(&emit, "last", (bt_str){last, length});
        emit_or_null(&emit, "error", peer->error);
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
}

enum bt_status bt_op_ledger_list_peers(struct bt_call *call, const struct bt_args *args)
{
    const struct bt_worker *service = call->service;
    const struct bt_peer_sources sources = {.ledger = service->ledger,
                                            .config = service->config,
                                            .witness = bt_op_witness_folder(call),
                                            .reports = service->peers};
    struct bt_peer_list peers;
    struct bt_error error;
    (void)args;
    if (bt_peers_read(call->arena, &sources, &peers, &error) != BT_OK) {
        return bt_result_set_failed(call, BT_PROBLEM_STORE_UNAVAILABLE,
                                    "the ledger or the witness cannot be read");
    }
    bt_peers_put(&call->answer->body, &peers);
    return bt_result_set_done(call);
}
