/* SPDX-License-Identifier: Apache-2.0 */
/*
 * postgres_connect.c - from a URL to a connection that can be trusted with a record.
 *
 * A host on the network is only used over verified TLS; of several hosts the one that accepts
 * writes is wanted. Durability settings are read on every new connection: after a failover it is
 * another server that answers.
 */
#include "store/postgres.h"

#include <arpa/inet.h>
#include <assert.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "store/postgres_url.h"
#include "store/statements.h"

enum { PAUSE_MS = 50, VERSION_MIN = 150000 };

/* Parameters that we add at most, those of a host, and the terminating NULL. */
enum { OUR_WORDS = 5, HOST_WORDS = 3, WORDS_EXTRA = OUR_WORDS + HOST_WORDS + 1 };

/* True when an address is the local machine: a socket in the file system, or loopback. */
static bool is_here(bt_str host)
{
    char text[INET6_ADDRSTRLEN];
    struct in_addr four;
    struct in6_addr six;
    if (host.len == 0 || host.ptr[0] == '/' || host.ptr[0] == '@' ||
        bt_str_eq(host, BT_STR("localhost"))) {
        return true;
    }
    if (host.len >= sizeof(text)) {
        return false;
    }
    memcpy(text, host.ptr, host.len);
    text[host.len] = '\0';
    return (inet_pton(AF_INET, text, &four) == 1 && ntohl(four.s_addr) >> 24 == 127) ||
           (inet_pton(AF_INET6, text, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six));
}

struct store_postgres_connect_hosts {
    size_t count;
    bool all_here;
};

/* The hosts of a comma-separated list. */
static struct store_postgres_connect_hosts read_hosts(const char *list)
{
    const bt_str text = bt_str_of(list ? list : "");
    struct store_postgres_connect_hosts hosts = {.all_here = true};
    for (size_t at = 0; at <= text.len; hosts.count++) {
        const size_t end = bt_str_find_byte(text, ',', at);
        hosts.all_here = hosts.all_here && is_here(bt_str_slice(text, at, end));
        at = end + 1;
    }
    return hosts;
}

/* The value that libpq would use for a parameter: from the URL, else from the environment. */
static const char *value_of(const PQconninfoOption *given, const PQconninfoOption *usual,
                            const char *word)
{
    const PQconninfoOption *const lists[] = {given, usual};
    for (size_t i = 0; i < 2; i++) {
        for (const PQconninfoOption *option = lists[i]; option && option->keyword; option++) {
            if (strcmp(option->keyword, word) == 0 && option->val && option->val[0] != '\0') {
                return option->val;
            }
        }
    }
    return NULL;
}

/* The parameters that we set, after those of the URL; libpq takes the last of a name. */
static enum bt_status add_ours(struct bt_postgres *postgres, size_t count,
                               const PQconninfoOption *given, const PQconninfoOption *usual,
                               struct bt_error *error)
{
    const char *mode = value_of(given, NULL, "sslmode");
    const struct store_postgres_connect_hosts hosts = read_hosts(value_of(given, usual, "host"));
    const struct store_postgres_connect_hosts addresses =
        read_hosts(value_of(given, usual, "hostaddr"));
    const bool all_here = hosts.all_here && addresses.all_here;
    if (!all_here && mode && strcmp(mode, "verify-full") != 0) {
        return bt_error_set(error, BT_EINVAL,
                            "sslmode=%.20s is too weak for a host on the network: "
                            "use verify-full",
                            mode);
    }
    const struct {
        const char *word;
        const char *value;
    } ours[] = {
        {"client_encoding", "UTF8"},
        {"fallback_application_name", "baton"},
        {hosts.count > 1 || addresses.count > 1 ? "target_session_attrs" : NULL, "read-write"},
        {all_here ? NULL : "sslmode", "verify-full"},
        {all_here ? NULL : "gssencmode", "disable"}, /* it would replace TLS */
    };
    _Static_assert(sizeof(ours) / sizeof(ours[0]) == OUR_WORDS, "room for each");
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
        if (ours[i].word) {
            postgres->target.words[count] = ours[i].word;
            postgres->target.values[count++] = ours[i].value;
        }
    }
    postgres->target.host_word = count;
    return BT_OK;
}

/* The n-th item of a comma-separated list, in the arena; a list of one counts for all. NULL:
 * there is none, or no memory. */
static const char *copy_list_item(struct bt_arena *arena, const char *list, size_t n)
{
    const bt_str text = bt_str_of(list ? list : "");
    bt_str part;
    size_t at = 0;
    const bool is_one = bt_str_find_byte(text, ',', 0) == text.len;
    for (size_t i = 0; i < n && !is_one; i++) {
        at = bt_str_find_byte(text, ',', at) + 1;
    }
    const bt_str found = bt_str_slice(text, at, bt_str_find_byte(text, ',', at));
    return list && bt_arena_copy(arena, found, &part) == BT_OK ? part.ptr : NULL;
}

/*
 * libpq would try the hosts by itself, but without a limit for each: one that never answers would
 * keep us from the next. So each host gets its own call.
 */
static enum bt_status keep_hosts(struct bt_arena *arena, struct bt_postgres *postgres,
                                 const PQconninfoOption *given, const PQconninfoOption *usual,
                                 struct bt_error *error)
{
    const char *names = value_of(given, usual, "host");
    const char *addresses = value_of(given, usual, "hostaddr");
    const char *ports = value_of(given, usual, "port");
    const size_t by_name = read_hosts(names).count;
    const size_t by_address = read_hosts(addresses).count;
    const size_t by_port = read_hosts(ports).count;
    const size_t count = addresses ? by_address : by_name;
    if ((names && addresses && by_name != by_address) || (by_port > 1 && by_port != count)) {
        return bt_error_set(error, BT_EINVAL, "it names not as many ports or addresses as hosts");
    }
    struct bt_postgres_host *hosts = BT_NEW_ARRAY(arena, struct bt_postgres_host, count);
    for (size_t i = 0; hosts && i < count; i++) {
        hosts[i] = (struct bt_postgres_host){copy_list_item(arena, names, i),
                                             copy_list_item(arena, addresses, i),
                                             copy_list_item(arena, ports, i)};
        if ((names && !hosts[i].name) || (addresses && !hosts[i].address) ||
            (ports && !hosts[i].port)) {
            hosts = NULL;
        }
    }
    postgres->target.hosts = hosts;
    postgres->target.host_count = count;
    return hosts ? BT_OK : bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
}

/* True when a parameter is set for each host. */
static bool is_of_host(const char *word)
{
    return strcmp(word, "host") == 0 || strcmp(word, "hostaddr") == 0 || strcmp(word, "port") == 0;
}

static enum bt_status keep_words(struct bt_arena *arena, struct bt_postgres *postgres,
                                 const PQconninfoOption *given, const PQconninfoOption *usual,
                                 struct bt_error *error)
{
    size_t count = 0;
    for (const PQconninfoOption *option = given; option->keyword; option++) {
        count += option->val ? 1 : 0;
    }
    postgres->target.words = BT_NEW_ARRAY(arena, const char *, count + WORDS_EXTRA);
    postgres->target.values = BT_NEW_ARRAY(arena, const char *, count + WORDS_EXTRA);
    if (!postgres->target.words || !postgres->target.values) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    count = 0;
    for (const PQconninfoOption *option = given; option->keyword; option++) {
        bt_str word;
        bt_str value;
        if (!option->val || is_of_host(option->keyword)) {
            continue;
        }
        if (bt_arena_copy(arena, bt_str_of(option->keyword), &word) != BT_OK ||
            bt_arena_copy(arena, bt_str_of(option->val), &value) != BT_OK) {
            return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
        }
        postgres->target.words[count] = word.ptr;
        postgres->target.values[count++] = value.ptr;
    }
    BT_TRY(keep_hosts(arena, postgres, given, usual, error));
    return add_ours(postgres, count, given, usual, error);
}

/*
 * True when hosts and ports are plausible. A password with a character that should have been
 * escaped ends up in one of them, from where it would be repeated in messages and sent to a name
 * server.
 */
static bool is_split_well(const PQconninfoOption *given)
{
    const bt_str hosts = bt_str_of(value_of(given, NULL, "host"));
    const bt_str ports = bt_str_of(value_of(given, NULL, "port"));
    for (size_t i = 0; i < hosts.len; i++) { /* an abstract socket begins with @ */
        if (hosts.ptr[i] == '@' && i > 0 && hosts.ptr[i - 1] != ',') {
            return false;
        }
    }
    for (size_t i = 0; i < ports.len; i++) {
        if (ports.ptr[i] != ',' && (ports.ptr[i] < '0' || ports.ptr[i] > '9')) {
            return false;
        }
    }
    return true;
}

static enum bt_status read_url(struct bt_arena *arena, struct bt_postgres *postgres, bt_str url,
                               struct bt_error *error)
{
    bt_str schema;
    bt_str rest;
    BT_TRY(bt_postgres_url_split(arena, url, &schema, &rest, error));
    postgres->schema = schema.ptr;
    char *why = NULL;
    PQconninfoOption *given = postgres->pq.conninfo_parse(rest.ptr, &why);
    PQconninfoOption *usual = postgres->pq.conn_defaults();
    /* libpq's own message may repeat the URL, including the password. */
    const enum bt_status status =
        !given   ? bt_error_set(error, BT_EINVAL, "it is not a URL that PostgreSQL's library reads")
        : !usual ? bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM))
        : !is_split_well(given)
            ? bt_error_set(
                  error, BT_EINVAL,
                  "its host or port is none: write @ / ? # : in a password as %%40 %%2F %%3F "
                  "%%23 %%3A")
            : keep_words(arena, postgres, given, usual, error);
    postgres->pq.conninfo_free(given);
    postgres->pq.conninfo_free(usual);
    postgres->pq.free_memory(why);
    return status;
}

/* Notices must not go to standard error; a warning matters to a commit. */
static void take_notice(void *context, const PGresult *notice)
{
    struct bt_postgres *postgres = context;
    const char *severity = postgres->pq.error_field(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
    postgres->is_warned = postgres->is_warned || (severity && strcmp(severity, "WARNING") == 0);
}

static enum bt_status fail_connect(struct bt_postgres *postgres, struct bt_error *error)
{
    const bt_str text =
        bt_str_of(postgres->db ? postgres->pq.error_message(postgres->db) : "out of memory");
    const size_t line = bt_str_find_byte(text, '\n', 0);
    (void)bt_error_set(error, BT_EIO, "cannot connect: %.*s",
                       BT_STR_ARG(bt_str_slice(text, 0, line < 130 ? line : 130)));
    bt_postgres_disconnect(postgres);
    return BT_EIO;
}

/* Set the parameters of a host. */
static void set_host_words(struct bt_postgres *postgres, const struct bt_postgres_host *host)
{
    const char *const words[HOST_WORDS] = {"host", "hostaddr", "port"};
    const char *const values[HOST_WORDS] = {host->name, host->address, host->port};
    for (size_t i = 0; i < HOST_WORDS; i++) {
        postgres->target.words[postgres->target.host_word + i] = words[i];
        postgres->target.values[postgres->target.host_word + i] = values[i];
    }
}

static enum bt_status dial_address(struct bt_postgres *postgres,
                                   const struct bt_postgres_host *host, uint64_t until_ms,
                                   struct bt_error *error)
{
    bt_postgres_disconnect(postgres);
    set_host_words(postgres, host);
    postgres->db = postgres->pq.connect_start(postgres->target.words, postgres->target.values, 0);
    PostgresPollingStatusType state = PGRES_POLLING_WRITING;
    if (!postgres->db || postgres->pq.status(postgres->db) == CONNECTION_BAD) {
        return fail_connect(postgres, error);
    }
    while (state != PGRES_POLLING_OK && state != PGRES_POLLING_FAILED) {
        const short events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT;
        if (!bt_postgres_wait(postgres, events, until_ms)) {
            bt_postgres_disconnect(postgres);
            return bt_error_set(error, BT_EIO, "cannot connect: no answer before the deadline");
        }
        state = postgres->pq.connect_poll(postgres->db);
    }
    if (state == PGRES_POLLING_FAILED || postgres->pq.set_nonblocking(postgres->db, 1) != 0) {
        return fail_connect(postgres, error);
    }
    (void)postgres->pq.set_notice_receiver(postgres->db, take_notice, postgres);
    memset(postgres->prepared, 0, 2 * bt_store_statements_count() * sizeof(postgres->prepared[0]));
    return BT_OK;
}

/* libpq would look a name up by itself, without a deadline. So it gets the address in addition
 * to the name, with which it still verifies the certificate. */
static enum bt_status dial_host(struct bt_postgres *postgres, const struct bt_postgres_host *host,
                                uint64_t until_ms, struct bt_error *error)
{
    if (host->address || !bt_postgres_host_is_name(host->name)) {
        return dial_address(postgres, host, until_ms, error);
    }
    struct bt_postgres_addresses *found = &postgres->target.found;
    BT_TRY(bt_postgres_resolve(host->name, until_ms, found, error));
    enum bt_status status = BT_EIO;
    for (size_t i = 0; i < found->count && status != BT_OK; i++) {
        const struct bt_postgres_host known = {host->name, found->texts[i], host->port};
        const uint64_t share = bt_postgres_ms_left(until_ms) / (found->count - i);
        status = dial_address(postgres, &known, bt_clock_monotonic_ms() + share, error);
    }
    return status;
}

/* One round over the hosts, beginning with the last one that answered. Each gets its share of
 * the time. */
static enum bt_status connect_any_host(struct bt_postgres *postgres, uint64_t until_ms,
                                       struct bt_error *error)
{
    const size_t count = postgres->target.host_count;
    enum bt_status status = BT_EIO;
    for (size_t i = 0; i < count && status != BT_OK; i++) {
        const size_t at = (postgres->target.host + i) % count;
        const uint64_t share = bt_postgres_ms_left(until_ms) / (count - i);
        status = dial_host(postgres, &postgres->target.hosts[at], bt_clock_monotonic_ms() + share,
                           error);
        postgres->target.host = status == BT_OK ? at : postgres->target.host;
    }
    return status;
}

static bool note_unsafe(void *context, const char *name, bt_str value, const char *expected)
{
    (void)value;
    const char **unsafe = context;
    *unsafe = expected[0] != '\0' ? name : *unsafe;
    return expected[0] == '\0';
}

/* Only our schema is in the search path: a table of another user cannot replace one of Baton's. */
static enum bt_status init_session(struct bt_postgres *postgres, struct bt_error *error)
{
    char path[100];
    const char *unsafe = NULL;
    PGresult *result = NULL;
    if (postgres->pq.server_version(postgres->db) < VERSION_MIN) {
        return bt_error_set(error, BT_EINVAL, "PostgreSQL 15 or newer is needed");
    }
    (void)snprintf(path, sizeof(path), "%s, pg_temp", postgres->schema);
    const struct bt_store_cell cell = bt_store_cell_text(bt_str_of(path));
    BT_TRY(bt_postgres_query_one(postgres, "SELECT pg_catalog.set_config('search_path', $1, false)",
                                 &cell, 1, &result, error));
    postgres->pq.clear(result);
    if (!postgres->is_lenient) {
        BT_TRY(bt_postgres_settings(postgres, note_unsafe, &unsafe, error));
    }
    return unsafe ? bt_error_set(error, BT_EIO, "unsafe: %s", unsafe) : BT_OK;
}

/* Pause before a server is tried again, but not longer than there is time. */
static void sleep_before_retry(uint64_t left_ms)
{
    const long ms = left_ms < PAUSE_MS ? (long)left_ms : PAUSE_MS;
    const struct timespec moment = {.tv_nsec = ms * 1000000};
    (void)nanosleep(&moment, NULL);
}

/* Try until it succeeds, or the deadline has passed. */
static enum bt_status connect_again(struct bt_postgres *postgres, struct bt_error *error)
{
    while (bt_postgres_is_lost(postgres)) {
        enum bt_status status = connect_any_host(postgres, bt_postgres_deadline(postgres), error);
        if (status == BT_OK) {
            status = init_session(postgres, error);
        }
        if (status != BT_OK && !bt_postgres_is_lost(postgres)) {
            bt_postgres_disconnect(postgres);
            return status;
        }
        if (status != BT_OK && bt_clock_monotonic_ms() >= bt_postgres_deadline(postgres)) {
            return status;
        }
        if (status != BT_OK) {
            sleep_before_retry(bt_postgres_ms_left(bt_postgres_deadline(postgres)));
        }
    }
    return BT_OK;
}

enum bt_status bt_postgres_reconnect(struct bt_postgres *postgres, struct bt_error *error)
{
    const bool is_own = bt_postgres_set_end(postgres);
    const enum bt_status status = connect_again(postgres, error);
    postgres->time.has_end = !is_own;
    return status;
}

/* With several hosts one may be about to take over; a single one answers or does not. */
static enum bt_status connect_first(struct bt_postgres *postgres, struct bt_error *error)
{
    if (postgres->target.host_count > 1) {
        return bt_postgres_reconnect(postgres, error);
    }
    const bool is_own = bt_postgres_set_end(postgres);
    enum bt_status status = connect_any_host(postgres, bt_postgres_deadline(postgres), error);
    status = status == BT_OK ? init_session(postgres, error) : status;
    postgres->time.has_end = !is_own;
    return status;
}

enum bt_status bt_postgres_open(struct bt_arena *arena, const struct bt_store_location *place,
                                const struct bt_store_options *options, void **out_connection,
                                struct bt_error *error)
{
    struct bt_postgres *postgres = BT_NEW(arena, struct bt_postgres);
    bool *prepared = BT_NEW_ARRAY(arena, bool, 2 * bt_store_statements_count());
    if (!postgres || !prepared) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    postgres->prepared = prepared;
    postgres->time.deadline_ms = options->deadline_ms ? options->deadline_ms : BT_STORE_DEADLINE_MS;
    postgres->time.patience_ms = bt_store_set_open_deadline(options);
    postgres->time.limit_ms = BT_STORE_NONE;
    postgres->is_lenient = true; /* the caller checks the settings itself, and reports more */
    BT_TRY(bt_libpq_load(&postgres->pq, error));
    enum bt_status status = read_url(arena, postgres, place->path, error);
    if (status == BT_OK) {
        status = connect_first(postgres, error);
    }
    if (status != BT_OK) {
        bt_postgres_close(postgres);
        return status;
    }
    postgres->is_lenient = options->is_lenient;
    postgres->time.patience_ms = postgres->time.deadline_ms;
    *out_connection = postgres;
    return BT_OK;
}

void bt_postgres_close(void *connection)
{
    struct bt_postgres *postgres = connection;
    bt_postgres_disconnect(postgres);
    bt_libpq_unload(&postgres->pq);
}

enum bt_status bt_postgres_settings(void *connection, bt_setting_fn *each, void *context,
                                    struct bt_error *error)
{
    static const struct {
        const char *name;
        bt_str also; /* equivalent to "on" */
    } wanted[] = {
        {"synchronous_commit", BT_STR_INIT("remote_apply")},
        {"fsync", BT_STR_INIT("on")},
        {"full_page_writes", BT_STR_INIT("on")},
    };
    struct bt_postgres *postgres = connection;
    PGresult *result = NULL;
    BT_TRY(bt_postgres_query_one(postgres,
                                 "SELECT pg_catalog.current_setting('synchronous_commit'), "
                                 "pg_catalog.current_setting('fsync'), "
                                 "pg_catalog.current_setting('full_page_writes')",
                                 NULL, 0, &result, error));
    bool go_on = true;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]) && go_on; i++) {
        const bt_str value = bt_postgres_cell(postgres, result, 0, (int)i).text;
        const bool is_safe = bt_str_eq(value, BT_STR("on")) || bt_str_eq(value, wanted[i].also);
        go_on = each(context, wanted[i].name, value, is_safe ? "" : "on");
    }
    postgres->pq.clear(result);
    return BT_OK;
}
