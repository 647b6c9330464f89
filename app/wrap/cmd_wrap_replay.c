/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_wrap_replay.c - baton wrap replay: recorded calls beside the rules of today. */
#include "cli/output.h"
#include "cli/run.h"
#include "json/emit.h"
#include "report/table.h"
#include "wrap/history_flags.h"
#include "wrap/policy_flags.h"
#include "wrap/replay.h"
#include "wrap/server_flags.h"

enum { OUTPUT_BYTES_MAX = 1 << 30, SERVERS_MAX = 1000 };

/* A call that would end differently. */
struct wrap_changed_call {
    uint64_t seq;
    bt_str target;
    bt_str was;
    bt_str now;
    struct bt_str_list codes;
};

/* What the calls of one server are judged with. */
struct wrap_replayed_server {
    struct bt_wrap_settings settings;
    struct bt_wrap_session session;
};

struct wrap_replay_run {
    struct cli_run *run;
    struct wrap_lock_file lock;
    struct bt_schema_limits schema_limits;
    struct bt_map servers; /* name -> struct wrap_replayed_server */
    uint64_t calls;
    uint64_t same;
    uint64_t undecided;
    BT_VEC(struct wrap_changed_call) changed;
};

/* ---- Servers --------------------------------------------------------------------------------- */

static void free_servers(struct wrap_replay_run *replay)
{
    for (size_t i = 0; i < replay->servers.count; i++) {
        struct wrap_replayed_server *server = replay->servers.entries[i].value.pointer;
        bt_wrap_session_free(&server->session);
    }
    bt_map_init(&replay->servers, &replay->run->arena, replay->run->env.hash_seed);
}

/* Begin a session of a server, in which nothing but replayed calls happens. */
static bool begin_server(struct wrap_replay_run *replay, struct wrap_replayed_server *server)
{
    struct cli_run *run = replay->run;
    struct bt_wrap_settings *settings = &server->settings;
    if (!wrap_take_policy(run, settings->name, &settings->policy)) {
        return false;
    }
    settings->is_quiet = true;
    settings->schema_limits = &replay->schema_limits;
    settings->lock = &replay->lock.lock;
    settings->entry = bt_wrap_lock_find(&replay->lock.lock, settings->name);
    settings->started = settings->entry; /* the command is not compared */
    const enum bt_status status = bt_wrap_session_init(&server->session, settings, &run->env);
    if (status != BT_OK) {
        bt_wrap_session_free(&server->session);
    }
    return status == BT_OK || cli_refuse_status(status);
}

/* The session of a server; NULL after an error message. */
static struct bt_wrap_session *find_server(struct wrap_replay_run *replay, bt_str name)
{
    struct bt_arena *arena = &replay->run->arena;
    struct bt_map_entry *entry = bt_map_find(&replay->servers, bt_map_text(name));
    bt_str kept;
    if (entry) {
        return &((struct wrap_replayed_server *)entry->value.pointer)->session;
    }
    if (replay->servers.count >= SERVERS_MAX) {
        free_servers(replay);
    }
    struct wrap_replayed_server *server = BT_NEW(arena, struct wrap_replayed_server);
    if (!server || bt_arena_copy(arena, name, &kept) != BT_OK) {
        (void)cli_fail_status(BT_ENOMEM);
        return NULL;
    }
    server->settings = bt_wrap_settings_default(kept);
    if (!begin_server(replay, server)) {
        return NULL;
    }
    if (bt_map_add(&replay->servers, bt_map_text(kept), &entry) != BT_OK) {
        bt_wrap_session_free(&server->session);
        (void)cli_fail_status(BT_ENOMEM);
        return NULL;
    }
    entry->value.pointer = server;
    return &server->session;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static enum bt_status keep_changed(struct wrap_replay_run *replay,
                                   const struct bt_wrap_past_call *past,
                                   const struct bt_wrap_replay_result *result)
{
    struct bt_arena *arena = &replay->run->arena;
    const size_t count = result->codes.count;
    bt_str *codes = BT_NEW_ARRAY(arena, bt_str, count + 1);
    BT_TRY(codes ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        codes[i] = result->codes.items[i];
    }
    struct wrap_changed_call changed = {.seq = past->seq,
                                        .now = result->is_refused ? BT_STR("rejected")
                                                                  : BT_STR("recorded"),
                                        .codes = {codes, count}};
    BT_TRY(bt_arena_printf(arena, &changed.target, "%.*s/%.*s", BT_STR_ARG(past->server),
                           BT_STR_ARG(past->tool)));
    BT_TRY(bt_arena_copy(arena, past->verdict, &changed.was));
    return bt_vec_push(arena, &replay->changed, changed);
}

/* Judge a call again; the arena is working memory. False after an error message. */
static bool replay_call(struct wrap_replay_run *replay, const struct bt_wrap_past_call *past,
                        struct bt_arena *scratch)
{
    struct bt_wrap_replay_result result = {0};
    if (!bt_wrap_past_call_is_call(past)) {
        return true;
    }
    struct bt_wrap_session *session = find_server(replay, past->server);
    if (!session) {
        return false;
    }
    enum bt_status status = bt_wrap_replay_call(session, past, scratch, &result);
    if (status == BT_OK && result.outcome == BT_WRAP_REPLAY_CHANGED) {
        status = keep_changed(replay, past, &result);
    }
    replay->calls++;
    replay->same += result.outcome == BT_WRAP_REPLAY_SAME;
    replay->undecided += result.outcome == BT_WRAP_REPLAY_UNDECIDED;
    return status == BT_OK || cli_refuse_status(status);
}

/* Judge all calls that match. Returns an exit code. */
static int replay_calls(struct wrap_replay_run *replay, const struct bt_wrap_history_filter *filter)
{
    struct cli_run *run = replay->run;
    struct bt_wrap_history_filter page = bt_wrap_history_first_page(filter);
    struct bt_wrap_past_calls calls = {0};
    struct bt_arena scratch;
    struct bt_wrap_history history = {run->ledger, {&scratch, &run->env}, run->alarms};
    bool is_judged = true;
    enum bt_status status = BT_OK;
    bt_arena_init(&scratch, SIZE_MAX);
    do { /* ends with the log: each page begins behind the one before */
        bt_arena_reset(&scratch);
        status = bt_wrap_history_list(&history, &page, &calls, &run->error);
        for (size_t i = 0; status == BT_OK && is_judged && i < calls.count; i++) {
            is_judged = replay_call(replay, &calls.items[i], &scratch);
        }
    } while (status == BT_OK && is_judged && bt_wrap_history_turn_page(&history, &calls, &page));
    bt_arena_free(&scratch);
    if (status != BT_OK) {
        return cli_run_failed(run, "cannot read the ledger");
    }
    return !is_judged ? CLI_FAILED : cli_run_alarmed(run) ? CLI_REJECTED : CLI_DONE;
}

/* ---- Output ---------------------------------------------------------------------------------- */

static void put_json(const struct wrap_replay_run *replay, struct bt_buf *buf)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_object(&emit, "replay");
    bt_emit_member_u64(&emit, "calls", replay->calls);
    bt_emit_member_u64(&emit, "same", replay->same);
    bt_emit_member_u64(&emit, "undecided", replay->undecided);
    bt_emit_member_array(&emit, "changed");
    for (size_t i = 0; i < replay->changed.count; i++) {
        const struct wrap_changed_call *changed = &replay->changed.items[i];
        bt_emit_begin_object(&emit);
        bt_emit_member_u64(&emit, "seq", changed->seq);
        bt_emit_member_string(&emit, "target", changed->target);
        bt_emit_member_string(&emit, "was", changed->was);
        bt_emit_member_string(&emit, "now", changed->now);
        bt_emit_member_array(&emit, "codes");
        for (size_t j = 0; j < changed->codes.count; j++) {
            bt_emit_string(&emit, changed->codes.items[j]);
        }
        bt_emit_end(&emit);
        bt_emit_end(&emit);
    }
    for (size_t depth = 0; depth < 3; depth++) { /* the list and both objects */
        bt_emit_end(&emit);
    }
    bt_buf_put_char(buf, '\n');
}

static enum bt_status put_table(const struct wrap_replay_run *replay, struct bt_buf *buf)
{
    static const char *const names[] = {"#SEQ", "CALL", "WAS", "NOW", "BECAUSE OF", NULL};
    struct bt_table table;
    bt_table_init(&table, &replay->run->arena, names);
    for (size_t i = 0; i < replay->changed.count; i++) {
        const struct wrap_changed_call *changed = &replay->changed.items[i];
        bt_table_add_u64(&table, changed->seq);
        bt_table_add(&table, changed->target);
        bt_table_add(&table, changed->was);
        bt_table_add(&table, changed->now);
        bt_table_add(&table, changed->codes.count > 0 ? changed->codes.items[0] : BT_STR(""));
    }
    BT_TRY(replay->changed.count > 0 ? bt_table_put(&table, cli_terminal_columns(), buf)
                                     : table.status);
    bt_buf_printf(buf, "%llu calls: %llu as before, %llu undecided, %zu different\n",
                  (unsigned long long)replay->calls, (unsigned long long)replay->same,
                  (unsigned long long)replay->undecided, replay->changed.count);
    return BT_OK;
}

static int print_replay(const struct wrap_replay_run *replay)
{
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (cli_run_is_json(replay->run->options)) {
        put_json(replay, &buf);
    } else if (put_table(replay, &buf) != BT_OK) {
        bt_buf_free(&buf);
        return cli_fail_status(BT_ENOMEM);
    }
    const int code = cli_run_print(replay->run, &buf);
    return code == CLI_DONE && replay->changed.count > 0 ? CLI_REJECTED : code;
}

int cmd_wrap_replay(struct cli_run *run)
{
    struct wrap_replay_run replay = {.run = run,
                                     .schema_limits = wrap_schema_limits(run->options->config)};
    struct bt_wrap_history_filter filter;
    if (!wrap_take_history_filter(run, &filter) || !wrap_read_lock(run, true, &replay.lock) ||
        !wrap_check_lock(run, &replay.lock) || !cli_run_open_ledger(run, CLI_READ)) {
        return CLI_FAILED;
    }
    bt_map_init(&replay.servers, &run->arena, run->env.hash_seed);
    const int code = replay_calls(&replay, &filter);
    free_servers(&replay);
    return code == CLI_DONE ? print_replay(&replay) : code;
}
