/* SPDX-License-Identifier: Apache-2.0 */
/* peers.c - the thread that has new checkpoints cosigned by peers, and looks for evidence. */
#include "serve/peers.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "ledger/proof_api.h"
#include "ledger/witness.h"
#include "serve/background_threads.h"
#include "serve/peers_send.h"

enum {
    LIST_BYTES_MAX = 1 << 20,
    ROUND_BYTES_MAX = 16 << 20,
    ANSWER_BYTES_MAX = 64 * 1024,
    REQUEST_MS = 5000,
    STORE_MS = 5000,
    SECOND_MS = 1000,
    PAUSE_MS_MAX = 300 * SECOND_MS,
    PAUSE_DOUBLINGS = 9,
    LINES_MAX = 32, /* log lines that wait for the event loop; more are left out */
    LINE_BYTES = 300,
    STATUS_OK = 200,
    STATUS_CONFLICT = 409,
    STATUS_INCONSISTENT = 422,
};

/* A configured peer. Only the thread uses what follows `origin`. */
struct serve_peer {
    bt_str name;
    struct http_url where;
    struct bt_verifier_keys *keys; /* its witness */
    bt_str origin;                 /* of its log */
    uint64_t witnessed;            /* the size that it cosigned last, as far as is known here */
    uint64_t done_ms;              /* when it did; 0: never */
    unsigned failures;             /* since then */
    uint64_t rest_ms;              /* not used before this time of the monotonic clock */
    uint64_t evidence;             /* number of requests of its log that our witness refused */
};

/* One configuration. */
struct serve_peer_list {
    struct bt_arena arena;
    size_t users; /* the thread, and the peers */
    struct serve_peer *items;
    size_t count;
    const char *witness; /* NULL: none */
    uint64_t every_ms;
    uint64_t heartbeat_ms; /* 0: off */
};

struct serve_peer_line {
    enum serve_log_level level;
    char text[LINE_BYTES];
};

struct serve_peers {
    struct serve_server *gateway;
    struct bt_peer_reports *reports;
    struct serve_threads threads; /* its lock guards what follows */
    struct serve_peer_list *list; /* NULL: not configured yet */
    struct serve_peer_line lines[LINES_MAX];
    size_t line_count;
};

/* One round of the thread. */
struct serve_peer_round {
    struct serve_peers *peers;
    struct serve_peer_list *list;
    struct bt_ledger *ledger; /* NULL: not open */
    struct bt_arena arena;
};

/* ---- Log ------------------------------------------------------------------------------------- */

static void add_line(struct serve_peers *peers, enum serve_log_level level, const char *format, ...)
    BT_PRINTF(3, 4);

static void add_line(struct serve_peers *peers, enum serve_log_level level, const char *format, ...)
{
    va_list values;
    serve_monitor_lock(&peers->threads.monitor);
    if (peers->line_count < LINES_MAX) {
        struct serve_peer_line *line = &peers->lines[peers->line_count++];
        line->level = level;
        va_start(values, format);
        (void)vsnprintf(line->text, sizeof(line->text), format, values);
        va_end(values);
    }
    serve_monitor_unlock(&peers->threads.monitor);
}

void peers_log(struct serve_peers *peers)
{
    struct serve_log *log = &peers->gateway->observers.log;
    serve_monitor_lock(&peers->threads.monitor);
    for (size_t i = 0; i < peers->line_count; i++) {
        const struct serve_log_line line = {
            .level = peers->lines[i].level, .event = "peer", .detail = peers->lines[i].text};
        log_put(log, bt_env_now(&peers->gateway->env), &line);
    }
    peers->line_count = 0;
    serve_monitor_unlock(&peers->threads.monitor);
}

/* ---- Outcomes -------------------------------------------------------------------------------- */

/* Leave the peer alone for a while. Only the first failure is logged. */
static void note_failure(struct serve_peer_round *in, struct serve_peer *peer, const char *why)
{
    const unsigned doublings = peer->failures < PAUSE_DOUBLINGS ? peer->failures : PAUSE_DOUBLINGS;
    uint64_t pause_ms = (uint64_t)SECOND_MS << doublings;
    pause_ms = pause_ms > PAUSE_MS_MAX ? PAUSE_MS_MAX : pause_ms;
    peer->failures++;
    peer->rest_ms = bt_clock_monotonic_ms() + pause_ms;
    bt_peer_reports_set(in->peers->reports, peer->name, why);
    if (peer->failures == 1) {
        add_line(in->peers, LOG_WARN, "%.*s: %s", BT_STR_ARG(peer->name), why);
    }
}

static void note_success(struct serve_peer_round *in, struct serve_peer *peer, uint64_t size)
{
    if (peer->failures > 0) {
        add_line(in->peers, LOG_INFO, "%.*s: it cosigns again", BT_STR_ARG(peer->name));
    }
    peer->failures = 0;
    peer->rest_ms = 0;
    peer->witnessed = size;
    peer->done_ms = bt_clock_monotonic_ms();
    bt_peer_reports_set(in->peers->reports, peer->name, "");
}

/* Two histories were signed: by us, as a peer says, or by a peer. */
static void raise_alarm(struct serve_peer_round *in, const struct serve_peer *peer, const char *why)
{
    bt_peer_reports_raise(in->peers->reports);
    add_line(in->peers, LOG_ERROR, "%.*s: %s", BT_STR_ARG(peer->name), why);
}

/* ---- Submitting ------------------------------------------------------------------------------ */

/* A checkpoint on its way to one peer. */
struct serve_peer_attempt {
    struct serve_peer *peer;
    struct bt_consistency_result growth;
    struct bt_buf answer;
    unsigned status; /* of the last answer; 0: there was none */
    bool is_waiting; /* for an answer */
};

/* Ask for cosignatures of the newest checkpoint, which extends what each peer has. All that wait
 * are asked at once: a peer that is silent for 5 s delays no other, nor the look for evidence. */
static bool send_checkpoints(struct serve_peer_round *in, struct serve_peer_attempt *attempts,
                             size_t count)
{
    struct serve_peer_request *requests =
        BT_NEW_ARRAY(&in->arena, struct serve_peer_request, count + 1);
    const uint64_t until_ms = bt_clock_monotonic_ms() + REQUEST_MS;
    size_t sent = 0;
    for (size_t i = 0; requests && i < count; i++) {
        if (attempts[i].is_waiting) {
            bt_buf_clear(&attempts[i].answer);
            requests[sent++] = (struct serve_peer_request){
                .post = {.where = &attempts[i].peer->where,
                         .path = "/add-checkpoint",
                         .fields = BT_STR("Content-Type: text/plain\r\n"),
                         .body = attempts[i].growth.request,
                         .until_ms = until_ms,
                         .end_ms = &in->peers->threads.end_ms},
                .answer = &attempts[i].answer};
        }
    }
    if (!requests) {
        return false;
    }
    serve_peers_send(requests, sent);
    for (size_t i = 0, next = 0; i < count; i++) {
        attempts[i].status = attempts[i].is_waiting ? requests[next++].status : attempts[i].status;
        attempts[i].is_waiting = false;
    }
    return true;
}

static bool prove_growth(struct serve_peer_round *in, uint64_t old,
                         struct bt_consistency_result *out, struct bt_error *error)
{
    bt_ledger_set_deadline(in->ledger, bt_clock_monotonic_ms() + STORE_MS);
    return bt_ledger_prove_consistency(in->ledger, &in->arena, old, BT_LEDGER_SEQ_NONE, out,
                                       error) == BT_OK;
}

/* Store the cosignature. */
static void take_cosignature(struct serve_peer_round *in, struct serve_peer *peer, uint64_t size,
                             bt_str lines)
{
    struct bt_findings *findings = bt_findings_new(&in->arena);
    struct bt_error error = {0};
    bt_ledger_set_deadline(in->ledger, bt_clock_monotonic_ms() + STORE_MS);
    if (!findings || bt_ledger_add_cosignatures(in->ledger, size, lines, peer->keys, findings,
                                                &error) != BT_OK) {
        note_failure(in, peer, "its cosignature could not be stored");
    } else if (bt_findings_count(findings) > 0) {
        note_failure(in, peer, "its answer is not a valid cosignature of its key");
    } else {
        note_success(in, peer, size);
    }
}

/* The peer holds another size than was thought: prove from there, and ask again. */
static void follow_conflict(struct serve_peer_round *in, struct serve_peer_attempt *attempt)
{
    struct bt_ledger_checkpoint newest;
    struct bt_error error;
    uint64_t held = 0;
    if (bt_str_to_u64(bt_str_trim(bt_buf_str(&attempt->answer)), &held) != BT_OK) {
        return;
    }
    bt_ledger_set_deadline(in->ledger, bt_clock_monotonic_ms() + STORE_MS);
    if (bt_ledger_get_checkpoint(in->ledger, &in->arena, BT_LEDGER_SEQ_NONE, &newest, &error) !=
        BT_OK) {
        attempt->status = 0;
        return;
    }
    if (held > newest.size) { /* read after the answer, so that entries of other nodes are in it */
        raise_alarm(in, attempt->peer, "it has cosigned more entries than this log has");
        return;
    }
    attempt->is_waiting = prove_growth(in, held, &attempt->growth, &error);
    attempt->status = 0;
}

static void take_answer(struct serve_peer_round *in, const struct serve_peer_attempt *attempt)
{
    struct serve_peer *peer = attempt->peer;
    char why[64];
    if (attempt->status == STATUS_OK) {
        take_cosignature(in, peer, attempt->growth.new_size, bt_buf_str(&attempt->answer));
    } else if (attempt->status == STATUS_INCONSISTENT) {
        raise_alarm(in, peer, "it says that this log signed two histories");
        note_failure(in, peer, "it says that this log signed two histories");
    } else if (attempt->status == 0) {
        note_failure(in, peer, "it did not answer");
    } else {
        (void)snprintf(why, sizeof(why), "it answered with status %u", attempt->status);
        note_failure(in, peer, why);
    }
}

/* Submit to the peers of all attempts. A conflict is followed once. */
static void submit_checkpoints(struct serve_peer_round *in, struct serve_peer_attempt *attempts,
                               size_t count)
{
    bool is_sent = send_checkpoints(in, attempts, count);
    for (size_t i = 0; is_sent && i < count; i++) {
        if (attempts[i].status == STATUS_CONFLICT) {
            follow_conflict(in, &attempts[i]);
        }
    }
    is_sent = is_sent && send_checkpoints(in, attempts, count);
    for (size_t i = 0; i < count; i++) {
        if (is_sent) {
            take_answer(in, &attempts[i]);
        }
        bt_buf_free(&attempts[i].answer);
    }
}

/* Look whether our witness has refused a history of this peer since. */
static void check_evidence(struct serve_peer_round *in, struct serve_peer *peer)
{
    struct bt_witness_known known;
    struct bt_error error;
    if (!in->list->witness || bt_witness_read_known(&in->arena, in->list->witness, peer->origin,
                                                    &known, &error) != BT_OK) {
        return;
    }
    if (known.evidence > peer->evidence) { /* also what an earlier run of this server kept */
        raise_alarm(in, peer, "its log has signed two histories: see the evidence of our witness");
    }
    peer->evidence = known.evidence;
}

/* True when the peer is to cosign now. */
static bool is_due(struct serve_peer_round *in, struct serve_peer *peer, uint64_t size)
{
    const uint64_t now_ms = bt_clock_monotonic_ms();
    const uint64_t heartbeat_ms = in->list->heartbeat_ms;
    const bool is_quiet = heartbeat_ms > 0 && now_ms - peer->done_ms >= heartbeat_ms;
    return size > 0 && now_ms >= peer->rest_ms &&
           (peer->done_ms == 0 || size > peer->witnessed || is_quiet);
}

/* Submit to each peer that is to cosign now. */
static void submit_due(struct serve_peer_round *in, uint64_t size)
{
    struct serve_peer_attempt *attempts =
        BT_NEW_ARRAY(&in->arena, struct serve_peer_attempt, in->list->count + 1);
    struct bt_error error;
    size_t count = 0;
    for (size_t i = 0; attempts && i < in->list->count; i++) {
        struct serve_peer *peer = &in->list->items[i];
        struct serve_peer_attempt *attempt = &attempts[count];
        if (!is_due(in, peer, size)) {
            continue;
        }
        if (!prove_growth(in, peer->witnessed, &attempt->growth, &error)) {
            peer->witnessed = 0; /* what a peer said, and this log does not have */
            note_failure(in, peer, "the checkpoint could not be read");
            continue;
        }
        attempt->peer = peer;
        attempt->is_waiting = true;
        bt_buf_init(&attempt->answer, ANSWER_BYTES_MAX);
        count++;
    }
    if (count > 0) {
        submit_checkpoints(in, attempts, count);
    }
}

static void serve_round(struct serve_peer_round *in)
{
    struct bt_ledger_checkpoint newest = {0};
    struct bt_error error;
    for (size_t i = 0; i < in->list->count; i++) {
        check_evidence(in, &in->list->items[i]);
    }
    if (!gateway_open_store(in->peers->gateway, &in->ledger)) {
        return;
    }
    bt_ledger_set_deadline(in->ledger, bt_clock_monotonic_ms() + STORE_MS);
    if (bt_ledger_get_checkpoint(in->ledger, &in->arena, BT_LEDGER_SEQ_NONE, &newest, &error) !=
        BT_OK) {
        bt_ledger_close(in->ledger); /* the next round opens it again */
        in->ledger = NULL;
        return;
    }
    submit_due(in, newest.size);
}

/* ---- Thread ---------------------------------------------------------------------------------- */

/* With the lock, if others may use it: release one user. NULL is allowed. */
static void drop_list(struct serve_peer_list *list)
{
    if (list && --list->users == 0) {
        bt_arena_free(&list->arena);
        free(list);
    }
}

static void *submit_to_peers(void *context)
{
    struct serve_peers *peers = context;
    struct serve_peer_round in = {.peers = peers};
    struct serve_monitor *monitor = &peers->threads.monitor;
    bt_arena_init(&in.arena, ROUND_BYTES_MAX);
    serve_monitor_lock(monitor);
    while (!serve_threads_are_stopping(&peers->threads)) {
        in.list = peers->list;
        in.list->users++;
        serve_monitor_unlock(monitor);
        serve_round(&in);
        bt_arena_reset(&in.arena);
        const uint64_t next_ms = bt_clock_monotonic_ms() + in.list->every_ms;
        serve_monitor_lock(monitor);
        const bool is_same = in.list == peers->list;
        drop_list(in.list);
        while (is_same && in.list == peers->list && bt_clock_monotonic_ms() < next_ms &&
               !serve_threads_are_stopping(&peers->threads)) {
            serve_monitor_wait(monitor, next_ms);
        }
    }
    serve_monitor_unlock(monitor);
    bt_ledger_close(in.ledger);
    bt_arena_free(&in.arena);
    return NULL;
}

/* ---- Configuration --------------------------------------------------------------------------- */

static enum bt_status read_peer(struct serve_peer_list *list, const struct bt_config *config,
                                size_t index, bt_str own_origin, struct bt_error *error)
{
    struct serve_peer *peer = &list->items[index];
    struct bt_config_peer item;
    struct bt_witness_trust_result trusted;
    struct bt_error why = {0};
    BT_TRY(bt_config_peer(config, index, &list->arena, &item));
    peer->keys = bt_verifier_keys_new(&list->arena, BT_VERIFIER_KEY_WITNESS);
    BT_TRY(peer->keys ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_arena_copy(&list->arena, item.name, &peer->name));
    BT_TRY(bt_arena_copy(&list->arena,
                         bt_str_slice(item.log, 0, bt_str_find_byte(item.log, '+', 0)),
                         &peer->origin));
    BT_TRY(bt_http_url_parse(&list->arena, item.url, &peer->where));
    BT_TRY(bt_verifier_keys_add(peer->keys, item.vkey, error));
    if (bt_str_eq(peer->origin, own_origin)) {
        return bt_error_set(error, BT_EINVAL, "the log of the peer %.*s is the one of this server",
                            BT_STR_ARG(peer->name));
    }
    if (list->witness && bt_witness_trust_log(&list->arena, list->witness, item.log, true, &trusted,
                                              &why) != BT_OK) {
        return bt_error_set(error, BT_EIO, "the witness cannot trust the log of the peer %.*s: %s",
                            BT_STR_ARG(peer->name), why.text);
    }
    return BT_OK;
}

static enum bt_status read_list(struct serve_peer_list *list, const struct serve_server *gateway,
                                const struct bt_config *config, struct bt_error *error)
{
    bt_str witness = BT_STR("");
    list->count = bt_config_count(config, "ledger.peers");
    list->items = BT_NEW_ARRAY(&list->arena, struct serve_peer, list->count + 1);
    BT_TRY(list->items ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_config_path(config, "ledger.witness", &list->arena, &witness));
    list->witness = gateway->flags->witness ? gateway->flags->witness
                    : witness.len > 0       ? witness.ptr
                                            : NULL;
    list->every_ms = bt_config_seconds(config, "ledger.cosign_every") * SECOND_MS;
    list->heartbeat_ms = bt_config_heartbeat_seconds(config) * SECOND_MS;
    for (size_t i = 0; i < list->count; i++) {
        BT_TRY(read_peer(list, config, i, gateway->store.origin, error));
    }
    return BT_OK;
}

bool peers_change(struct serve_peers *peers, const struct bt_config *config, struct bt_error *error)
{
    struct serve_peer_list *list = calloc(1, sizeof(*list));
    if (!list) {
        (void)bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
        return false;
    }
    list->users = 1;
    bt_arena_init(&list->arena, LIST_BYTES_MAX);
    error->text[0] = '\0';
    const enum bt_status status = read_list(list, peers->gateway, config, error);
    if (status != BT_OK) {
        drop_list(list);
        if (!error->text[0]) {
            (void)bt_error_set(error, status, "ledger.peers: %s", bt_status_text(status));
        }
        return false;
    }
    const bool is_wanted = list->count > 0 && peers->gateway->store.writer;
    serve_monitor_lock(&peers->threads.monitor);
    drop_list(peers->list);
    peers->list = list;
    const bool is_running =
        serve_threads_start(&peers->threads, is_wanted ? 1 : 0, submit_to_peers, peers);
    serve_monitor_notify_all(&peers->threads.monitor);
    serve_monitor_unlock(&peers->threads.monitor);
    if (is_wanted && !is_running) {
        (void)bt_error_set(error, BT_EIO, "cannot start a thread for ledger.peers");
    }
    return is_running || !is_wanted;
}

/* ---- Lifecycle ------------------------------------------------------------------------------- */

struct serve_peers *peers_create(struct serve_server *gateway)
{
    struct serve_peers *peers = calloc(1, sizeof(*peers));
    struct bt_peer_reports *reports = bt_peer_reports_create();
    if (!peers || !reports || !serve_threads_init(&peers->threads)) {
        bt_peer_reports_destroy(reports);
        free(peers);
        return NULL;
    }
    peers->gateway = gateway;
    peers->reports = reports;
    return peers;
}

struct bt_peer_reports *peers_reports(const struct serve_peers *peers)
{
    return peers->reports;
}

void peers_destroy(struct serve_peers *peers, uint64_t until_ms)
{
    if (peers) {
        serve_threads_stop(&peers->threads, until_ms);
        drop_list(peers->list);
        bt_peer_reports_destroy(peers->reports);
        free(peers);
    }
}
