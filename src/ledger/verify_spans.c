/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_spans.c - read, hash and check spans ahead of the pass.
 *
 * A free thread takes the next span, and so does the pass's own thread while it waits, so a single
 * thread uses the same code. Results wait in a ring buffer that the pass empties in order. Each
 * thread reads through its own connection.
 */
#include "ledger/verify_spans.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "ledger/entry_shape.h"
#include "ledger/entry_template.h"
#include "ledger/sha256_pair.h"

enum {
    RING_MAX = 16,
    HELPERS_MAX = BT_LEDGER_VERIFY_THREADS_MAX - 1,
    SPANS_PER_THREAD = 64,    /* for fewer a connection or a thread is not worth opening */
    TEXT_BYTES_MAX = 1 << 20, /* of a span, with padding; larger ones are left to the pass */
    WORK_BYTES_MAX = 64 << 20,
    NAME_BYTES_MAX = 200, /* as the schema has it */
};

/* A name and its key. */
struct ledger_verify_spans_name {
    size_t len;
    char text[NAME_BYTES_MAX];
    struct bt_ledger_name_key key;
};

/* The state of one thread. */
struct ledger_verify_spans_worker {
    struct bt_verify_spans *spans;
    pthread_t thread;
    struct bt_verify_input input;
    bool has_input; /* one of its own */
    struct bt_arena work;
    struct bt_error error; /* unused: the pass will meet the same error */

    uint64_t first;                              /* position of the span */
    size_t count;                                /* of its entries so far */
    size_t used;                                 /* bytes of `texts` */
    struct bt_sha256_text leaves[BT_TILE_WIDTH]; /* size 0: not there */
    struct bt_merkle_hash stored[BT_TILE_WIDTH];
    struct bt_entry entry;
    struct bt_entry_templates templates;
    struct ledger_verify_spans_name names[2]; /* the last actor and the last source */
    char digest[2 * BT_HASH_BYTES];           /* the last that was reported to the pass */
    struct bt_sha256_nodes nodes;
    uint8_t *texts; /* TEXT_BYTES_MAX bytes: each with its prefix and its padding */
};

struct bt_verify_spans {
    const struct bt_verify *verify;
    struct bt_arena memory; /* of results and workers */
    bool in_pairs;
    uint64_t count; /* of spans in the log */
    size_t ring;    /* results that are used */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t next;     /* the first that no thread has taken yet */
    uint64_t given;    /* number of results given to the pass, ... */
    uint64_t released; /* ... and of those that it does not read any more */
    bool is_over;
    bool is_done[RING_MAX];
    struct bt_verify_plain_span *results;
    struct ledger_verify_spans_worker *own;     /* of the thread of the pass */
    struct ledger_verify_spans_worker *helpers; /* in an array */
    size_t helper_count;
};

/* Take an entry with its leaf. False: the span is not plain. */
static bool take_row(void *context, const struct bt_store_entry *row)
{
    struct ledger_verify_spans_worker *worker = context;
    const uint64_t index = row->seq - worker->first;
    const size_t size = 1 + row->entry.len;
    if (index >= BT_TILE_WIDTH || worker->leaves[index].size > 0 ||
        row->leaf.len != BT_HASH_BYTES || row->entry.len > BT_ENTRY_BYTES_MAX ||
        bt_sha256_padded_size(size) > TEXT_BYTES_MAX - worker->used) {
        return false;
    }
    uint8_t *text = worker->texts + worker->used;
    text[0] = BT_HASH_LEAF_PREFIX;
    memcpy(text + 1, row->entry.ptr, row->entry.len);
    bt_sha256_pad(text, size);
    worker->used += bt_sha256_padded_size(size);
    worker->leaves[index] = (struct bt_sha256_text){text, size};
    memcpy(worker->stored[index].bytes, row->leaf.ptr, BT_HASH_BYTES);
    worker->count++;
    return true;
}

/* The entry when it keeps the rules; NULL otherwise. */
static const struct bt_entry *check_entry(struct ledger_verify_spans_worker *worker, uint64_t seq,
                                          bt_str text)
{
    struct bt_entry_check_result judged;
    const struct bt_entry *known = bt_entry_templates_match(&worker->templates, text, seq);
    if (known) {
        return known;
    }
    bt_arena_reset(&worker->work);
    if (bt_entry_check(&worker->work, text, &worker->entry, &judged) != BT_OK ||
        judged.judgement != BT_ENTRY_FINE || worker->entry.seq != seq) {
        return NULL;
    }
    bt_entry_templates_add(&worker->templates, text, &worker->entry);
    return &worker->entry;
}

/* Entries about the same document often follow each other. */
static void note_digest(struct ledger_verify_spans_worker *worker, bt_str hex,
                        struct bt_verify_plain_span *out)
{
    assert(hex.len == sizeof(worker->digest));
    if (memcmp(worker->digest, hex.ptr, hex.len) == 0) {
        return;
    }
    const bool is_digest = bt_merkle_hash_from_hex(hex, &out->digests[out->digest_count++]);
    assert(is_digest);
    memcpy(worker->digest, hex.ptr, hex.len);
}

/* False: the time is too far behind one before it. */
static bool note_time(bt_str time, bool is_first, struct bt_verify_plain_span *out)
{
    const bt_str latest = {out->latest, sizeof(out->latest)};
    assert(time.len == BT_ENTRY_TIME_BYTES);
    if (is_first || memcmp(time.ptr, out->earliest, BT_ENTRY_TIME_BYTES) < 0) {
        memcpy(out->earliest, time.ptr, BT_ENTRY_TIME_BYTES);
    }
    if (is_first || memcmp(time.ptr, out->latest, BT_ENTRY_TIME_BYTES) >= 0) {
        memcpy(out->latest, time.ptr, BT_ENTRY_TIME_BYTES);
        return true;
    }
    return bt_verify_regression_ms(time, latest) == 0;
}

/* The key of an actor or a source, which is often that of the entry before. */
static void find_key(struct ledger_verify_spans_worker *worker, enum bt_store_count_space space,
                     bt_str name, struct bt_ledger_name_key *out)
{
    struct ledger_verify_spans_name *last = &worker->names[space == BT_STORE_COUNT_SOURCE];
    if (name.len != last->len || !bt_entry_same_bytes(name.ptr, last->text, name.len)) {
        assert(name.len <= sizeof(last->text));
        bt_ledger_recount_key(&worker->spans->verify->pass.recount, space, name, &last->key);
        memcpy(last->text, name.ptr, name.len);
        last->len = name.len;
    }
    out->words[0] = last->key.words[0];
    out->words[1] = last->key.words[1];
}

static bool judge_entry(struct ledger_verify_spans_worker *worker, uint32_t index,
                        struct bt_verify_plain_span *out)
{
    const struct bt_verify *verify = worker->spans->verify;
    const struct bt_sha256_text *leaf = &worker->leaves[index];
    const bt_str text = {(const char *)leaf->bytes + 1, leaf->size - 1};
    const struct bt_entry *entry = check_entry(worker, worker->first + index, text);
    if (entry && verify->wants_digests && entry->document.kept == BT_TRUE) {
        note_digest(worker, entry->document.sha256, out);
    }
    if (verify->options->any_entries) {
        return true;
    }
    if (!entry || bt_str_eq(entry->kind, BT_STR("policy")) ||
        !note_time(entry->time, index == 0, out)) {
        return false;
    }
    struct bt_verify_plain_entry *plain = &out->entries[index];
    find_key(worker, BT_STORE_COUNT_ACTOR, entry->actor, &plain->keys.actor);
    find_key(worker, BT_STORE_COUNT_SOURCE, entry->source, &plain->keys.source);
    bt_ledger_recount_key(&verify->pass.recount, BT_STORE_COUNT_TRACE, entry->trace_id,
                          &plain->keys.trace);
    plain->v = entry->v;
    plain->n = entry->n;
    return true;
}

static bool check_span(struct ledger_verify_spans_worker *worker, uint64_t number,
                       struct bt_verify_plain_span *out)
{
    const struct bt_verify_spans *spans = worker->spans;
    const struct bt_verify *verify = spans->verify;
    worker->first = number * BT_TILE_WIDTH;
    worker->count = 0;
    worker->used = 0;
    memset(worker->leaves, 0, sizeof(worker->leaves));
    bt_arena_reset(&worker->work);
    if (verify->source->read(&worker->input, worker->first, take_row, worker) != BT_OK ||
        worker->count != BT_TILE_WIDTH) {
        return false;
    }
    bt_sha256_pair_hash(worker->leaves, BT_TILE_WIDTH, spans->in_pairs, out->leaves);
    if (memcmp(out->leaves, worker->stored, sizeof(out->leaves)) != 0) {
        return false;
    }
    bt_sha256_nodes_root(&worker->nodes, out->leaves, BT_TILE_WIDTH, spans->in_pairs, &out->root);
    out->digest_count = 0;
    const bool matters = !verify->options->any_entries || verify->wants_digests;
    for (uint32_t i = 0; i < BT_TILE_WIDTH && matters; i++) {
        if (!judge_entry(worker, i, out)) {
            worker->digest[0] = '\0'; /* what was noted is not used */
            return false;
        }
    }
    return true;
}

/* Called with the lock held, when there is a span to take. */
static void check_next_span(struct ledger_verify_spans_worker *worker)
{
    struct bt_verify_spans *spans = worker->spans;
    const uint64_t number = spans->next++;
    struct bt_verify_plain_span *result = &spans->results[number % spans->ring];
    (void)pthread_mutex_unlock(&spans->lock);
    result->is_plain = check_span(worker, number, result);
    (void)pthread_mutex_lock(&spans->lock);
    spans->is_done[number % spans->ring] = true;
    (void)pthread_cond_broadcast(&spans->changed);
}

static bool has_room(const struct bt_verify_spans *spans)
{
    return spans->next < spans->count && spans->next - spans->released < spans->ring;
}

static void *run_helper(void *context)
{
    struct ledger_verify_spans_worker *worker = context;
    struct bt_verify_spans *spans = worker->spans;
    (void)pthread_mutex_lock(&spans->lock);
    while (!spans->is_over && spans->next < spans->count) {
        if (has_room(spans)) {
            check_next_span(worker);
        } else {
            (void)pthread_cond_wait(&spans->changed, &spans->lock);
        }
    }
    (void)pthread_mutex_unlock(&spans->lock);
    return NULL;
}

const struct bt_verify_plain_span *bt_verify_spans_next(struct bt_verify_spans *spans)
{
    assert(spans);
    assert(spans->given < spans->count);
    (void)pthread_mutex_lock(&spans->lock);
    spans->released = spans->given;
    (void)pthread_cond_broadcast(&spans->changed);
    const size_t at = (size_t)(spans->given++ % spans->ring);
    while (!spans->is_done[at]) {
        if (has_room(spans)) {
            check_next_span(spans->own);
        } else {
            (void)pthread_cond_wait(&spans->changed, &spans->lock);
        }
    }
    spans->is_done[at] = false;
    (void)pthread_mutex_unlock(&spans->lock);
    return &spans->results[at];
}

static void init_worker(struct ledger_verify_spans_worker *worker, struct bt_verify_spans *spans)
{
    worker->spans = spans;
    bt_arena_init(&worker->work, WORK_BYTES_MAX);
    worker->input = spans->verify->input;
    worker->input.work = &worker->work;
    worker->input.error = &worker->error;
    bt_sha256_nodes_init(&worker->nodes, BT_TILE_WIDTH / 2);
}

static void open_input(struct ledger_verify_spans_worker *worker)
{
    const struct bt_verify *verify = worker->spans->verify;
    worker->has_input = verify->source->open_input(verify, &worker->input) == BT_OK;
}

static void close_worker(struct ledger_verify_spans_worker *worker)
{
    if (worker->has_input) {
        worker->spans->verify->source->close_input(&worker->input);
    }
    bt_arena_free(&worker->work);
}

/* False: this thread could not be started. */
static bool start_helper(struct ledger_verify_spans_worker *worker, struct bt_verify_spans *spans)
{
    init_worker(worker, spans);
    open_input(worker);
    if (worker->has_input && pthread_create(&worker->thread, NULL, run_helper, worker) == 0) {
        return true;
    }
    close_worker(worker);
    return false;
}

static size_t count_helpers(const struct bt_verify *verify, uint64_t spans)
{
    const uint64_t wanted = verify->options->threads > 1 ? verify->options->threads - 1 : 0;
    const uint64_t worth = spans / SPANS_PER_THREAD;
    const uint64_t count = wanted < worth ? wanted : worth;
    return count < HELPERS_MAX ? (size_t)count : HELPERS_MAX;
}

/* Start as many as possible. */
static void start_workers(struct bt_verify_spans *spans, size_t helpers)
{
    init_worker(spans->own, spans);
    if (spans->count >= SPANS_PER_THREAD) {
        open_input(spans->own);
    }
    while (spans->own->has_input && spans->helper_count < helpers &&
           start_helper(&spans->helpers[spans->helper_count], spans)) {
        spans->helper_count++;
    }
}

static struct ledger_verify_spans_worker *make_workers(struct bt_arena *memory, size_t count)
{
    struct ledger_verify_spans_worker *workers =
        BT_NEW_ARRAY(memory, struct ledger_verify_spans_worker, count);
    for (size_t i = 0; workers && i < count; i++) {
        workers[i].texts = bt_arena_alloc(memory, TEXT_BYTES_MAX);
        if (!workers[i].texts) {
            return NULL;
        }
    }
    return workers;
}

static enum bt_status make_spans(struct bt_verify_spans *spans, size_t helpers)
{
    spans->ring = helpers > 0 ? RING_MAX : 1;
    spans->results = BT_NEW_ARRAY(&spans->memory, struct bt_verify_plain_span, spans->ring);
    spans->own = make_workers(&spans->memory, 1 + helpers);
    if (!spans->results || !spans->own || pthread_mutex_init(&spans->lock, NULL) != 0) {
        return BT_ENOMEM;
    }
    if (pthread_cond_init(&spans->changed, NULL) != 0) {
        (void)pthread_mutex_destroy(&spans->lock);
        return BT_ENOMEM;
    }
    spans->helpers = spans->own + 1;
    start_workers(spans, helpers);
    return BT_OK;
}

enum bt_status bt_verify_spans_open(const struct bt_verify *verify, struct bt_verify_spans **out)
{
    assert(verify);
    assert(out);
    const uint64_t count = verify->newest.size / BT_TILE_WIDTH;
    *out = NULL;
    if (count == 0 || verify->options->reader) {
        return BT_OK;
    }
    struct bt_verify_spans *spans = BT_NEW(verify->arena, struct bt_verify_spans);
    if (!spans) {
        return BT_ENOMEM;
    }
    spans->verify = verify;
    spans->in_pairs = bt_sha256_pair_is_supported();
    spans->count = count;
    bt_arena_init(&spans->memory, WORK_BYTES_MAX);
    const enum bt_status status = make_spans(spans, count_helpers(verify, count));
    if (status != BT_OK) {
        bt_arena_free(&spans->memory);
        return status;
    }
    *out = spans;
    return BT_OK;
}

void bt_verify_spans_close(struct bt_verify_spans *spans)
{
    if (!spans) {
        return;
    }
    (void)pthread_mutex_lock(&spans->lock);
    spans->is_over = true;
    (void)pthread_cond_broadcast(&spans->changed);
    (void)pthread_mutex_unlock(&spans->lock);
    for (size_t i = 0; i < spans->helper_count; i++) {
        (void)pthread_join(spans->helpers[i].thread, NULL);
        close_worker(&spans->helpers[i]);
    }
    close_worker(spans->own);
    (void)pthread_cond_destroy(&spans->changed);
    (void)pthread_mutex_destroy(&spans->lock);
    bt_arena_free(&spans->memory);
}
