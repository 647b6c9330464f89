/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_parallel.c - read, hash and check spans ahead of the walk.
 *
 * A free thread takes the next span, and so does the walk's own thread while it waits, so a single
 * thread uses the same code. Results wait in a ring buffer that the walk empties in order. Each
 * thread reads through its own connection.
 */
#include "ledger/verify_parallel.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "ledger/entry_template.h"
#include "ledger/sha256_pair.h"

enum {
    RING = 16,
    HELPERS_MAX = 7,
    STRETCHES_PER_HELPER = 64, /* for fewer spans a thread is not worth starting */
    WORK_BYTES_MAX = 64 << 20,
    NOTED = 256,
};

/* The state of one thread. */
struct ledger_verify_ahead_worker {
    struct bt_verify_workers *ahead;
    pthread_t thread;
    struct bt_arena work;
    struct bt_verify_reader reader;
    struct bt_error error; /* unused: the pass will meet the same error */
    struct bt_verify_span stretch;
    struct bt_entry entry;
    struct bt_entry_templates templates;
    char noted[NOTED][2 * BT_HASH_BYTES]; /* digests that were already reported to the pass */
    struct bt_merkle_hash nodes[BT_TILE_WIDTH / 2];
};

struct bt_verify_workers {
    const struct bt_verify *verify;
    bool has_lanes;
    uint64_t count; /* of spans in the log */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t next;     /* the first that no thread has taken yet */
    uint64_t consumed; /* number of results given to the pass */
    bool is_over;
    bool is_done[RING];
    struct bt_verify_span_result ring[RING];
    struct ledger_verify_ahead_worker own; /* of the thread of the pass */
    struct ledger_verify_ahead_worker *helpers;
    size_t helper_count;
};

/* True when an entry needs no finding, except perhaps for its time. */
static bool keeps_rules(struct ledger_verify_ahead_worker *worker, uint64_t seq, bt_str text,
                        struct bt_entry_digest *out)
{
    struct bt_entry_check_result judged;
    if (bt_entry_templates_match(&worker->templates, text, seq, out)) {
        return true;
    }
    if (bt_entry_check(&worker->work, text, &worker->entry, &judged) != BT_OK ||
        judged.judgement != BT_ENTRY_FINE || worker->entry.seq != seq) {
        return false;
    }
    bt_entry_templates_add(&worker->templates, text, &worker->entry);
    bt_entry_digest_read(&worker->entry, out);
    return true;
}

/* A document named by consecutive handoffs is reported only once in a while. */
static void note_digest(struct ledger_verify_ahead_worker *worker, bt_str hex,
                        struct bt_verify_span_result *out)
{
    assert(hex.len == sizeof(worker->noted[0]));
    char *noted = worker->noted[((uint8_t)hex.ptr[0] * 31 + (uint8_t)hex.ptr[1]) % NOTED];
    if (memcmp(noted, hex.ptr, hex.len) == 0) {
        return;
    }
    const bool is_digest = bt_merkle_hash_from_hex(hex, &out->digests[out->digest_count++]);
    assert(is_digest);
    memcpy(noted, hex.ptr, hex.len);
}

static bool judge_entry(struct ledger_verify_ahead_worker *worker, uint32_t index,
                        struct bt_verify_span_result *out)
{
    struct bt_entry_digest entry_digest;
    const struct bt_verify *verify = worker->ahead->verify;
    const struct bt_verify_span *stretch = &worker->stretch;
    const bool any = verify->options->any_entries;
    if (!keeps_rules(worker, stretch->first + index, stretch->entries[index], &entry_digest)) {
        return any;
    }
    if (!any && memcmp(entry_digest.time.ptr, out->latest, BT_ENTRY_TIME_BYTES) < 0) {
        return false;
    }
    memcpy(out->latest, entry_digest.time.ptr, BT_ENTRY_TIME_BYTES);
    if (verify->wants_digests && entry_digest.kept.len > 0) {
        note_digest(worker, entry_digest.kept, out);
    }
    return true;
}

static bool judge_entries(struct ledger_verify_ahead_worker *worker,
                          struct bt_verify_span_result *out)
{
    out->digest_count = 0;
    memset(out->latest, '0', sizeof(out->latest));
    for (uint32_t i = 0; i < BT_TILE_WIDTH; i++) {
        if (!judge_entry(worker, i, out)) {
            return false;
        }
        if (i == 0) {
            memcpy(out->earliest, out->latest, sizeof(out->latest));
        }
    }
    return true;
}

static bool is_whole(const struct bt_verify_span *stretch)
{
    bool whole = true;
    for (uint32_t i = 0; i < BT_TILE_WIDTH; i++) {
        whole &= stretch->has_entry[i] && stretch->has_hash[i];
    }
    return whole;
}

static void hash_tile(struct ledger_verify_ahead_worker *worker, struct bt_verify_span_result *out)
{
    const bool has_lanes = worker->ahead->has_lanes;
    bt_sha256_pair_nodes(out->leaves, BT_TILE_WIDTH / 2, has_lanes, worker->nodes);
    for (size_t width = BT_TILE_WIDTH / 4; width > 0; width /= 2) {
        bt_sha256_pair_nodes(worker->nodes, width, has_lanes, worker->nodes);
    }
    out->root = worker->nodes[0];
}

static bool check_span(struct ledger_verify_ahead_worker *worker, uint64_t number,
                       struct bt_verify_span_result *out)
{
    const struct bt_verify_workers *ahead = worker->ahead;
    struct bt_verify_span *stretch = &worker->stretch;
    bt_arena_reset(&worker->work);
    stretch->first = number * BT_TILE_WIDTH;
    stretch->width = BT_TILE_WIDTH;
    memset(stretch->has_entry, 0, sizeof(stretch->has_entry));
    memset(stretch->has_hash, 0, sizeof(stretch->has_hash));
    if (ahead->verify->source->read(&worker->reader, stretch) != BT_OK || !is_whole(stretch)) {
        return false;
    }
    bt_sha256_pair_leaves(stretch->entries, BT_TILE_WIDTH, ahead->has_lanes, out->leaves);
    if (memcmp(out->leaves, stretch->hashes, sizeof(out->leaves)) != 0) {
        return false;
    }
    hash_tile(worker, out);
    const bool matters = !ahead->verify->options->any_entries || ahead->verify->wants_digests;
    return !matters || judge_entries(worker, out);
}

/* Called with the lock held, when there is a span to take. */
static void check_next_span(struct ledger_verify_ahead_worker *worker)
{
    struct bt_verify_workers *ahead = worker->ahead;
    const uint64_t number = ahead->next++;
    struct bt_verify_span_result *span_result = &ahead->ring[number % RING];
    (void)pthread_mutex_unlock(&ahead->lock);
    span_result->is_plain = check_span(worker, number, span_result);
    (void)pthread_mutex_lock(&ahead->lock);
    ahead->is_done[number % RING] = true;
    (void)pthread_cond_broadcast(&ahead->changed);
}

/* The pass still reads the result that it was given last. */
static bool has_room(const struct bt_verify_workers *ahead)
{
    const uint64_t in_use = ahead->consumed > 0 ? ahead->consumed - 1 : 0;
    return ahead->next < ahead->count && ahead->next - in_use < RING;
}

static void *run_worker(void *context)
{
    struct ledger_verify_ahead_worker *worker = context;
    struct bt_verify_workers *ahead = worker->ahead;
    (void)pthread_mutex_lock(&ahead->lock);
    while (!ahead->is_over && ahead->next < ahead->count) {
        if (has_room(ahead)) {
            check_next_span(worker);
        } else {
            (void)pthread_cond_wait(&ahead->changed, &ahead->lock);
        }
    }
    (void)pthread_mutex_unlock(&ahead->lock);
    return NULL;
}

const struct bt_verify_span_result *bt_verify_workers_next(struct bt_verify_workers *ahead)
{
    assert(ahead);
    assert(ahead->consumed < ahead->count);
    (void)pthread_mutex_lock(&ahead->lock);
    const uint64_t number = ahead->consumed;
    while (!ahead->is_done[number % RING]) {
        if (has_room(ahead)) {
            check_next_span(&ahead->own);
        } else {
            (void)pthread_cond_wait(&ahead->changed, &ahead->lock);
        }
    }
    ahead->is_done[number % RING] = false;
    ahead->consumed++;
    (void)pthread_cond_broadcast(&ahead->changed);
    (void)pthread_mutex_unlock(&ahead->lock);
    return &ahead->ring[number % RING];
}

static void worker_init(struct ledger_verify_ahead_worker *worker, struct bt_verify_workers *ahead)
{
    worker->ahead = ahead;
    bt_arena_init(&worker->work, WORK_BYTES_MAX);
    worker->reader = ahead->verify->reader;
    worker->reader.work = &worker->work;
    worker->reader.error = &worker->error;
}

/* False: this thread could not be started. */
static bool helper_start(struct ledger_verify_ahead_worker *worker, struct bt_verify_workers *ahead)
{
    const struct bt_verify_source *source = ahead->verify->source;
    worker_init(worker, ahead);
    if (source->open_reader(ahead->verify, &worker->reader) != BT_OK) {
        bt_arena_free(&worker->work);
        return false;
    }
    if (pthread_create(&worker->thread, NULL, run_worker, worker) != 0) {
        source->close_reader(&worker->reader);
        bt_arena_free(&worker->work);
        return false;
    }
    return true;
}

static size_t helpers_for(const struct bt_verify *verify, uint64_t stretches)
{
    const uint64_t requested = verify->options->threads > 1 ? verify->options->threads - 1 : 0;
    const uint64_t worth = stretches / STRETCHES_PER_HELPER;
    const uint64_t count = requested < worth ? requested : worth;
    return count < HELPERS_MAX ? (size_t)count : HELPERS_MAX;
}

enum bt_status bt_verify_workers_open(const struct bt_verify *verify,
                                      struct bt_verify_workers **out)
{
    assert(verify);
    assert(out);
    const uint64_t stretches = verify->newest.size / BT_TILE_WIDTH;
    const size_t wanted = helpers_for(verify, stretches);
    if (stretches == 0) {
        *out = NULL;
        return BT_OK;
    }
    struct bt_verify_workers *ahead = BT_NEW(verify->arena, struct bt_verify_workers);
    struct ledger_verify_ahead_worker *helpers =
        BT_NEW_ARRAY(verify->arena, struct ledger_verify_ahead_worker, wanted + 1);
    if (!ahead || !helpers || pthread_mutex_init(&ahead->lock, NULL) != 0) {
        return BT_ENOMEM;
    }
    if (pthread_cond_init(&ahead->changed, NULL) != 0) {
        (void)pthread_mutex_destroy(&ahead->lock);
        return BT_ENOMEM;
    }
    ahead->verify = verify;
    ahead->has_lanes = bt_sha256_pair_is_supported();
    ahead->count = stretches;
    ahead->helpers = helpers;
    worker_init(&ahead->own, ahead);
    while (ahead->helper_count < wanted && helper_start(&helpers[ahead->helper_count], ahead)) {
        ahead->helper_count++;
    }
    *out = ahead;
    return BT_OK;
}

void bt_verify_workers_close(struct bt_verify_workers *ahead)
{
    if (!ahead) {
        return;
    }
    (void)pthread_mutex_lock(&ahead->lock);
    ahead->is_over = true;
    (void)pthread_cond_broadcast(&ahead->changed);
    (void)pthread_mutex_unlock(&ahead->lock);
    for (size_t i = 0; i < ahead->helper_count; i++) {
        (void)pthread_join(ahead->helpers[i].thread, NULL);
        ahead->verify->source->close_reader(&ahead->helpers[i].reader);
        bt_arena_free(&ahead->helpers[i].work);
    }
    bt_arena_free(&ahead->own.work);
    (void)pthread_cond_destroy(&ahead->changed);
    (void)pthread_mutex_destroy(&ahead->lock);
}
