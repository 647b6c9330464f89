/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logs.c - the table of open logs: opened on demand, closed least recently used first.
 *
 * A log in the table is being opened or closed, is open, or has failed. Only one thread opens or
 * closes a log, without the lock; others that want it wait. A log with users stays.
 */
#include "serve/logs.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "serve/heartbeat.h"
#include "serve/server.h"

enum {
    BUCKETS = 4096,
    WRITERS_MAX = 64,
    CACHE_KIB = 1024, /* of each handle; a log that is as busy as a server alone is its default */
    OPENING_MS = 2000,
    WAITING_MS = 5000, /* for another thread that opens or closes the log */
    FAILED_MS = 1000,  /* before a failed log is opened again */
    COUNTED_MS = 10000,
    SECOND_MS = 1000,
    ARENA_BYTES_MAX = 64 << 20,
    PREFIX_BYTES = 6, /* of "/logs/" */
    ISSUER_KEY_BYTES_MAX = 4096,
};

enum log_state { LOG_CHANGING = 1, LOG_OPEN, LOG_FAILED };

/* A handle that no thread uses. */
struct log_reader {
    struct bt_ledger *ledger;
    struct log_reader *next;
};

struct serve_open_log {
    struct serve_logs *logs;
    char name[BT_LOG_NAME_BYTES_MAX + 1];
    enum log_state state;
    size_t users;
    uint64_t failed_ms; /* when it could not be opened */
    struct bt_ledger *ledger;
    struct bt_ledger_writer *writer;
    atomic_bool is_contradicted;
    bool has_statements;   /* instead of decisions; it never changes */
    bool has_started;      /* its start is on record, so its stop must be */
    uint64_t requested_ms; /* when a heartbeat was last asked for */
    uint64_t wait_s;       /* from then to the next one; 0: the whole interval */
    struct log_reader *readers;
    bt_str store;
    struct bt_arena arena;       /* of `store` */
    struct serve_open_log *next; /* in its bucket */
    struct serve_open_log *newer;
    struct serve_open_log *older;
};

struct serve_logs {
    struct serve_server *gateway;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a log was opened, closed or released */
    struct serve_open_log *buckets[BUCKETS];
    struct serve_open_log *newest; /* by use */
    struct serve_open_log *oldest;
    size_t count;
    size_t waiting; /* threads that wait for room, or for another thread */
    struct bt_ledger_writer_thread *threads[WRITERS_MAX]; /* NULL: not started yet */
    size_t known;                                         /* when they were last counted */
    uint64_t counted_ms;
};

/* ---- Settings -------------------------------------------------------------------------------- */

/* Read the keys of scitt.issuers. */
static enum bt_status read_issuers(struct bt_arena *arena, const struct bt_config *config,
                                   struct bt_issuers *out, struct bt_error *error)
{
    struct bt_issuer_source sources[BT_CONFIG_ISSUERS_MAX];
    const size_t count = bt_config_count(config, "scitt.issuers");
    struct bt_error why;
    assert(count <= BT_CONFIG_ISSUERS_MAX);
    for (size_t i = 0; i < count; i++) {
        struct bt_config_issuer issuer;
        BT_TRY(bt_config_issuer(config, i, arena, &issuer));
        sources[i].name = issuer.name;
        const enum bt_status status =
            bt_file_read(arena, issuer.key, ISSUER_KEY_BYTES_MAX, &sources[i].pem, &why);
        if (status != BT_OK) {
            return bt_error_set(error, BT_EINVAL, "cannot read the key %.100s of scitt.issuers: %s",
                                issuer.key.ptr, why.text);
        }
    }
    return bt_issuers_read(arena, sources, count, out, error);
}

enum bt_status serve_log_settings_read(struct bt_arena *arena, const struct bt_config *config,
                                       struct serve_log_settings *out, struct bt_error *error)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t usual = cores > 0 && cores < WRITERS_MAX / 2 ? 2 * (size_t)cores : WRITERS_MAX;
    BT_TRY(read_issuers(arena, config, &out->issuers, error));
    out->open_max = (size_t)bt_config_u64(config, "logs.open");
    out->writers = bt_config_has(config, "logs.writers")
                       ? (size_t)bt_config_u64(config, "logs.writers")
                       : usual;
    return config_find_logs(arena, config, &out->where);
}

struct serve_logs *serve_logs_create(struct serve_server *gateway)
{
    struct serve_logs *logs = calloc(1, sizeof(*logs));
    if (!logs || pthread_mutex_init(&logs->lock, NULL) != 0 ||
        !bt_clock_cond_init(&logs->changed)) {
        free(logs);
        return NULL;
    }
    logs->gateway = gateway;
    return logs;
}

/* ---- Table ----------------------------------------------------------------------------------- */

/* FNV-1a: every node and every start chooses the same. */
static size_t hash_name(bt_str name)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < name.len; i++) {
        hash = (hash ^ (unsigned char)name.ptr[i]) * UINT64_C(1099511628211);
    }
    return (size_t)(hash ^ hash >> 32);
}

static struct serve_open_log *find_log(struct serve_logs *logs, bt_str name)
{
    struct serve_open_log *log = logs->buckets[hash_name(name) % BUCKETS];
    while (log && !bt_str_eq(bt_str_of(log->name), name)) {
        log = log->next;
    }
    return log;
}

static void unlink_by_use(struct serve_open_log *log)
{
    struct serve_logs *logs = log->logs;
    *(log->newer ? &log->newer->older : &logs->newest) = log->older;
    *(log->older ? &log->older->newer : &logs->oldest) = log->newer;
}

static void link_newest(struct serve_open_log *log)
{
    struct serve_logs *logs = log->logs;
    log->newer = NULL;
    log->older = logs->newest;
    *(logs->newest ? &logs->newest->newer : &logs->oldest) = log;
    logs->newest = log;
}

/* Add a log that the caller opens. NULL when memory runs out. */
static struct serve_open_log *add_log(struct serve_logs *logs, bt_str name)
{
    struct serve_open_log *log = calloc(1, sizeof(*log));
    struct serve_open_log **bucket = &logs->buckets[hash_name(name) % BUCKETS];
    if (!log) {
        return NULL;
    }
    assert(name.len <= BT_LOG_NAME_BYTES_MAX);
    log->logs = logs;
    memcpy(log->name, name.ptr, name.len);
    log->state = LOG_CHANGING;
    bt_arena_init(&log->arena, 1 << 20);
    log->next = *bucket;
    *bucket = log;
    link_newest(log);
    logs->count++;
    return log;
}

/* Remove a log whose handles are closed. */
static void remove_log(struct serve_open_log *log)
{
    struct serve_logs *logs = log->logs;
    struct serve_open_log **at = &logs->buckets[hash_name(bt_str_of(log->name)) % BUCKETS];
    while (*at != log) {
        at = &(*at)->next;
    }
    *at = log->next;
    unlink_by_use(log);
    logs->count--;
    bt_arena_free(&log->arena);
    free(log);
}

/* ---- Opening and closing --------------------------------------------------------------------- */

/* The writer thread of a log, started when it is first needed; with the lock held. */
static struct bt_ledger_writer_thread *thread_of(struct serve_open_log *log, size_t writers)
{
    struct bt_ledger_writer_thread **thread =
        &log->logs->threads[hash_name(bt_str_of(log->name)) % writers];
    struct bt_error error;
    if (!*thread && bt_ledger_writer_thread_start(thread, &error) != BT_OK) {
        *thread = NULL;
    }
    return *thread;
}

static struct bt_ledger_options options_of(const struct serve_open_log *log)
{
    struct bt_ledger_options options = log->logs->gateway->flags->store;
    options.store = log->store.ptr;
    options.root = NULL;
    options.key_file = NULL;
    options.cache_kib = CACHE_KIB;
    options.open_deadline_ms = OPENING_MS;
    options.accepts_statements = true;
    return options;
}

/* Open a handle. A log with a test key is served only if the operator allows it. */
static enum bt_status open_handle(const struct serve_open_log *log, struct bt_ledger **out)
{
    const struct serve_flags *flags = log->logs->gateway->flags;
    const struct bt_ledger_options options = options_of(log);
    struct bt_error error;
    BT_TRY(bt_ledger_open(&options, !flags->is_read_only, out, &error));
    if (bt_ledger_has_test_key(*out) && !flags->allows_test_key) {
        bt_ledger_close(*out);
        *out = NULL;
        return BT_EDENIED;
    }
    bt_ledger_set_observer(*out, serve_count_ledger_event, log->logs->gateway);
    return BT_OK;
}

/* Rules D9 and D11: the log is the one that this node has seen before, and can be trusted. */
static enum bt_status check_log(struct serve_open_log *log)
{
    struct serve_server *gateway = log->logs->gateway;
    struct bt_env env = gateway->env;
    struct bt_arena arena;
    struct bt_error error;
    bt_arena_init(&arena, ARENA_BYTES_MAX);
    struct bt_findings *alarms = bt_findings_new(&arena);
    enum bt_status status = alarms ? BT_OK : BT_ENOMEM;
    if (status == BT_OK) {
        status = gateway->flags->is_read_only
                     ? bt_ledger_check_memory(log->ledger, &arena, alarms, &error)
                     : bt_ledger_check_writable(log->ledger, &env, &arena, alarms, &error);
    }
    if (status == BT_OK && bt_findings_count(alarms) > 0) {
        status = BT_ECORRUPT;
    }
    bt_arena_free(&arena);
    return status;
}

bool serve_log_has_statements(const struct serve_open_log *log)
{
    return log->has_statements;
}

static bool has_failed(const struct serve_open_log *log)
{
    return log->writer && atomic_load(bt_ledger_writer_failure(log->writer));
}

/* Close the handles. With `records_stop` the stop of a log is recorded whose start was. */
static void close_handles(struct serve_open_log *log, bool records_stop)
{
    const bool was_lost = has_failed(log) || atomic_load(&log->is_contradicted);
    bt_ledger_writer_close(log->writer);
    log->writer = NULL;
    if (records_stop && log->has_started && !was_lost) {
        heartbeat_stop(log->logs->gateway->observers.heartbeat, log->ledger);
    }
    log->has_started = false;
    bt_ledger_close(log->ledger);
    log->ledger = NULL;
    while (log->readers) {
        struct log_reader *reader = log->readers;
        log->readers = reader->next;
        bt_ledger_close(reader->ledger);
        free(reader);
    }
}

/* Open the log, without the lock. BT_ENOENT: there is none of this name. */
static enum bt_status open_log(struct serve_open_log *log,
                               const struct serve_log_settings *settings,
                               struct bt_ledger_writer_thread *thread)
{
    struct serve_server *gateway = log->logs->gateway;
    struct bt_error error;
    bt_arena_reset(&log->arena);
    BT_TRY(bt_log_find(&settings->where, &log->arena, bt_str_of(log->name), &log->store, &error));
    enum bt_status status = open_handle(log, &log->ledger);
    if (status == BT_OK) {
        log->has_statements = bt_ledger_entries(log->ledger) == 0;
        status = check_log(log);
    }
    /* statements are registered one by one, through the handles of requests */
    if (status == BT_OK && !gateway->flags->is_read_only && !log->has_statements) {
        status = thread ? bt_ledger_writer_open_on(thread, log->ledger, &gateway->env, &log->writer,
                                                   &error)
                        : BT_ENOMEM;
    }
    if (status != BT_OK) {
        close_handles(log, false);
    }
    return status == BT_ENOENT ? BT_EIO : status; /* the log is there, but something of it is not */
}

static void lock_logs(struct serve_logs *logs)
{
    (void)pthread_mutex_lock(&logs->lock);
}

static void unlock_logs(struct serve_logs *logs)
{
    (void)pthread_mutex_unlock(&logs->lock);
}

/* Close a log that nobody uses, and remove it; the lock is held, and free meanwhile. */
static void close_log(struct serve_open_log *log)
{
    struct serve_logs *logs = log->logs;
    assert(log->users == 0 && log->state != LOG_CHANGING);
    log->state = LOG_CHANGING;
    unlock_logs(logs);
    close_handles(log, true);
    lock_logs(logs);
    remove_log(log);
    (void)pthread_cond_broadcast(&logs->changed);
}

/* Make room for one more. False: all of them are in use. */
static bool make_room(struct serve_logs *logs, size_t open_max)
{
    while (logs->count >= open_max) { /* ends, because each turn removes one or returns */
        struct serve_open_log *log = logs->oldest;
        while (log && (log->users > 0 || log->state == LOG_CHANGING)) {
            log = log->newer;
        }
        if (!log) {
            return false;
        }
        close_log(log);
    }
    return true;
}

/* Open a log in the table that the caller has marked; the lock is held, and free meanwhile. */
static enum serve_log_result finish_opening(struct serve_open_log *log,
                                            const struct serve_log_settings *settings)
{
    struct serve_logs *logs = log->logs;
    struct bt_ledger_writer_thread *thread = thread_of(log, settings->writers);
    unlock_logs(logs);
    const enum bt_status status = open_log(log, settings, thread);
    lock_logs(logs);
    (void)pthread_cond_broadcast(&logs->changed);
    if (status == BT_ENOENT) {
        remove_log(log);
        return SERVE_LOG_UNKNOWN;
    }
    log->state = status == BT_OK ? LOG_OPEN : LOG_FAILED;
    log->failed_ms = bt_clock_monotonic_ms();
    return status == BT_OK ? SERVE_LOG_OPEN : SERVE_LOG_UNAVAILABLE;
}

/* ---- Use ------------------------------------------------------------------------------------- */

/* Wait until a log is opened, closed or released. False: the time is over. */
static bool await_change(struct serve_logs *logs, const struct timespec *until)
{
    logs->waiting++;
    const bool has_changed =
        pthread_cond_timedwait(&logs->changed, &logs->lock, until) != ETIMEDOUT;
    logs->waiting--;
    return has_changed;
}

/* Mark the log for opening by this thread. NULL: not now. */
static struct serve_open_log *claim_log(struct serve_logs *logs, struct serve_open_log *log,
                                        const struct serve_call *x)
{
    if (log) {
        log->state = LOG_CHANGING;
        return log;
    }
    /* making room frees the lock, so that another thread may have been faster */
    return make_room(logs, x->settings->logs.open_max) && !find_log(logs, x->target.name)
               ? add_log(logs, x->target.name)
               : NULL;
}

/* True when another thread has opened the log in the meantime. */
static bool was_changed(struct serve_logs *logs, const struct serve_call *x)
{
    const struct serve_open_log *log = find_log(logs, x->target.name);
    return log && log->state != LOG_CHANGING;
}

/* Find or open the log; with the lock held. */
static enum serve_log_result use_log(struct serve_logs *logs, const struct serve_call *x,
                                     struct serve_open_log **out)
{
    const struct timespec until = bt_clock_deadline(bt_clock_monotonic_ms() + WAITING_MS);
    do { /* ends at the deadline */
        struct serve_open_log *log = find_log(logs, x->target.name);
        if (log && log->state == LOG_CHANGING) {
            continue;
        }
        if (log && log->state == LOG_OPEN && !has_failed(log)) {
            *out = log;
            return SERVE_LOG_OPEN;
        }
        if (log && log->state == LOG_OPEN && log->users == 0) {
            close_log(log); /* the state on disk is unknown: read it again */
            log = NULL;
        }
        if (log &&
            (log->state == LOG_OPEN || bt_clock_monotonic_ms() - log->failed_ms < FAILED_MS)) {
            return SERVE_LOG_UNAVAILABLE;
        }
        log = claim_log(logs, log, x);
        if (log) {
            *out = log;
            return finish_opening(log, &x->settings->logs);
        }
    } while (was_changed(logs, x) || await_change(logs, &until));
    return SERVE_LOG_UNAVAILABLE;
}

/* Record that this server accepts work for the log; the lock is held, and free meanwhile. */
static bool record_start(struct serve_open_log *log)
{
    struct serve_logs *logs = log->logs;
    uint64_t wait_s = 0;
    log->state = LOG_CHANGING;
    unlock_logs(logs);
    const bool is_done =
        heartbeat_append(logs->gateway->observers.heartbeat, log->writer, "start", 0, &wait_s);
    lock_logs(logs);
    log->state = LOG_OPEN;
    log->has_started = is_done;
    log->requested_ms = bt_clock_monotonic_ms();
    log->wait_s = 0;
    (void)pthread_cond_broadcast(&logs->changed);
    return is_done;
}

/* True when a request has to wait for the start of the log to be recorded. */
static bool needs_start(const struct serve_open_log *log, const struct serve_call *x)
{
    return (x->route->flags & ROUTE_RECORDS) && log->writer && !log->has_started;
}

enum serve_log_result serve_log_hold(struct serve_logs *logs, struct serve_call *x)
{
    struct serve_open_log *log = x->target.held;
    if (log) {
        return SERVE_LOG_OPEN;
    }
    lock_logs(logs);
    enum serve_log_result result = use_log(logs, x, &log);
    if (result == SERVE_LOG_OPEN && needs_start(log, x) && !record_start(log)) {
        result = SERVE_LOG_UNAVAILABLE;
    }
    if (result == SERVE_LOG_OPEN) {
        log->users++;
        x->target.held = log;
    }
    unlock_logs(logs);
    return result;
}

/* With the lock held. */
static void end_use(struct serve_open_log *log)
{
    assert(log->users > 0);
    log->users--;
    if (log->users == 0 && log->logs->waiting > 0) {
        (void)pthread_cond_broadcast(&log->logs->changed);
    }
}

void serve_log_release(struct serve_open_log *log)
{
    if (log) {
        struct serve_logs *logs = log->logs;
        lock_logs(logs);
        unlink_by_use(log);
        link_newest(log);
        end_use(log);
        unlock_logs(logs);
    }
}

bool serve_log_is_open(struct serve_logs *logs, const struct serve_call *x)
{
    lock_logs(logs);
    const struct serve_open_log *log = find_log(logs, x->target.name);
    const bool is_open = x->target.held || (log && log->state == LOG_OPEN && !needs_start(log, x));
    unlock_logs(logs);
    return is_open;
}

struct bt_ledger_writer *serve_log_writer(struct serve_open_log *log)
{
    return log->writer;
}

atomic_bool *serve_log_contradiction(struct serve_open_log *log)
{
    return &log->is_contradicted;
}

struct bt_ledger *serve_log_take_reader(struct serve_open_log *log)
{
    struct bt_ledger *ledger = NULL;
    lock_logs(log->logs);
    struct log_reader *reader = log->readers;
    if (reader) {
        log->readers = reader->next;
    }
    unlock_logs(log->logs);
    if (reader) {
        ledger = reader->ledger;
        free(reader);
        return ledger;
    }
    return open_handle(log, &ledger) == BT_OK ? ledger : NULL;
}

void serve_log_return_reader(struct serve_open_log *log, struct bt_ledger *ledger, bool has_failed)
{
    struct log_reader *reader = ledger && !has_failed ? calloc(1, sizeof(*reader)) : NULL;
    if (!reader) {
        bt_ledger_close(ledger);
        return;
    }
    reader->ledger = ledger;
    lock_logs(log->logs);
    reader->next = log->readers;
    log->readers = reader;
    unlock_logs(log->logs);
}

/* ---- Heartbeats ------------------------------------------------------------------------------ */

/* Find a log whose heartbeat is due at `now_ms`; else lower *due_ms to the next one. */
static struct serve_open_log *find_quiet(struct serve_logs *logs, uint64_t interval_s,
                                         uint64_t now_ms, uint64_t *due_ms)
{
    for (struct serve_open_log *log = logs->newest; log; log = log->older) {
        const bool waits = log->wait_s > 0 && log->wait_s < interval_s;
        const uint64_t next_ms = log->requested_ms + (waits ? log->wait_s : interval_s) * SECOND_MS;
        if (log->state != LOG_OPEN || !log->has_started || has_failed(log) ||
            atomic_load(&log->is_contradicted)) {
            continue;
        }
        if (next_ms <= now_ms) {
            return log;
        }
        *due_ms = next_ms < *due_ms ? next_ms : *due_ms;
    }
    return NULL;
}

uint64_t serve_logs_beat(struct serve_logs *logs, uint64_t interval_s)
{
    const uint64_t now_ms = bt_clock_monotonic_ms();
    /* a log that starts while nobody looks is due an interval later */
    uint64_t due_ms = now_ms + interval_s * SECOND_MS;
    uint64_t wait_s = 0;
    lock_logs(logs);
    struct serve_open_log *log = find_quiet(logs, interval_s, now_ms, &due_ms);
    if (log) {
        log->users++;
        unlock_logs(logs);
        (void)heartbeat_append(logs->gateway->observers.heartbeat, log->writer, "beat", interval_s,
                               &wait_s);
        lock_logs(logs);
        log->requested_ms = bt_clock_monotonic_ms();
        log->wait_s = wait_s;
        end_use(log); /* in its place: a beat is not a use */
        due_ms = now_ms;
    }
    unlock_logs(logs);
    return due_ms;
}

/* ---- Admission ------------------------------------------------------------------------------- */

void serve_logs_take_prefix(struct serve_call *x)
{
    const bt_str path = x->request->raw_path;
    const size_t end = bt_str_find_byte(path, '/', PREFIX_BYTES);
    if (x->settings->logs.where.root.len == 0 || end >= path.len ||
        !bt_str_starts_with(path, BT_STR("/logs/"))) {
        return;
    }
    const bt_str name = bt_str_slice(path, PREFIX_BYTES, end);
    if (bt_log_name_is_valid(name)) {
        x->target = (struct serve_call_target){.path = bt_str_slice(path, end, path.len),
                                               .prefix = bt_str_slice(path, 0, end),
                                               .name = name};
    }
}

bool serve_logs_is_default(struct serve_logs *logs, const struct serve_call *x)
{
    const char *store = logs->gateway->flags->store.store;
    struct bt_error error;
    bt_str own;
    return store &&
           bt_log_store(&x->settings->logs.where, x->arena, x->target.name, &own, &error) ==
               BT_OK &&
           bt_str_eq(own, bt_str_of(store));
}

bool serve_logs_exists(struct serve_logs *logs, struct serve_call *x)
{
    struct bt_error error;
    bt_str store;
    return serve_log_is_open(logs, x) ||
           bt_log_find(&x->settings->logs.where, x->arena, x->target.name, &store, &error) == BT_OK;
}

/* ---- Figures --------------------------------------------------------------------------------- */

/* Count the logs below the root, at most every ten seconds. */
static void count_known(struct serve_logs *logs, const struct serve_log_settings *settings)
{
    const uint64_t now_ms = bt_clock_monotonic_ms();
    struct bt_arena arena;
    struct bt_str_list names;
    struct bt_error error;
    lock_logs(logs);
    const bool is_due = logs->counted_ms == 0 || now_ms - logs->counted_ms > COUNTED_MS;
    logs->counted_ms = is_due ? now_ms : logs->counted_ms;
    unlock_logs(logs);
    if (!is_due) {
        return;
    }
    bt_arena_init(&arena, ARENA_BYTES_MAX);
    if (bt_logs_list(&settings->where, &arena, &names, &error) == BT_OK) {
        lock_logs(logs);
        logs->known = names.count;
        unlock_logs(logs);
    }
    bt_arena_free(&arena);
}

bool serve_logs_count(struct serve_call *x, size_t *out_known, size_t *out_open)
{
    struct serve_logs *logs = x->gateway->store.logs;
    if (x->settings->logs.where.root.len == 0) {
        return false;
    }
    count_known(logs, &x->settings->logs);
    lock_logs(logs);
    *out_known = logs->known;
    *out_open = 0;
    for (const struct serve_open_log *log = logs->newest; log; log = log->older) {
        *out_open += log->state == LOG_OPEN;
    }
    unlock_logs(logs);
    return true;
}

void serve_logs_destroy(struct serve_logs *logs)
{
    if (!logs) {
        return;
    }
    while (logs->newest) { /* the workers have ended */
        /* a stop that would come too late is left to the next audit */
        const struct serve_server *gateway = logs->gateway;
        close_handles(logs->newest,
                      gateway->stop.is_stopped && bt_clock_monotonic_ms() < gateway->stop.stop_ms);
        remove_log(logs->newest);
    }
    for (size_t i = 0; i < WRITERS_MAX; i++) {
        bt_ledger_writer_thread_stop(logs->threads[i]);
    }
    (void)pthread_cond_destroy(&logs->changed);
    (void)pthread_mutex_destroy(&logs->lock);
    free(logs);
}
