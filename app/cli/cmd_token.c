/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_token.c - baton token new|list|revoke
 *
 * The file is replaced atomically, by one process at a time.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <baton/json.h>

#include "base/buf.h"
#include "base/file.h"
#include "cli.h"
#include "json/emit.h"
#include "ledger/ledger.h"
#include "operation/scopes.h"
#include "output.h"
#include "report/table.h"
#include "run.h"
#include "serve/credentials.h"

enum { OUTPUT_BYTES_MAX = 16 << 20, CERTIFICATE_BYTES_MAX = 1 << 20 };

/* One run of such a command. */
struct cli_token_run {
    struct cli_run *base;
    const struct cli_options *options;
    const char *path;
    struct serve_credentials tokens;
    int lock; /* a descriptor, or -1 */
};

/* ---- The file -------------------------------------------------------------------------------- */

static int print_file_error(struct cli_token_run *run, const char *what)
{
    return cli_failed("%s %s: %s", what, run->path, run->base->error.text);
}

/* The directory of the file, with a NUL. */
static bool folder_of(struct cli_token_run *run, bt_str *out)
{
    const char *slash = strrchr(run->path, '/');
    const size_t length = slash ? (size_t)(slash - run->path) : 0;
    const bt_str folder = slash && length > 0 ? (bt_str){run->path, length}
                          : slash             ? BT_STR("/")
                                              : BT_STR(".");
    return bt_arena_copy(&run->base->arena, folder, out) == BT_OK;
}

/* Lock the directory until this run ends, because two runs at once would lose an entry. */
static bool lock_folder(struct cli_token_run *run)
{
    bt_str folder;
    if (folder_of(run, &folder)) {
        run->lock = open(folder.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (run->lock < 0 || flock(run->lock, LOCK_EX) != 0) {
        return cli_refuse("cannot lock the folder of %s", run->path);
    }
    return true;
}

static bool read_tokens(struct cli_token_run *run, bool may_be_missing)
{
    const enum bt_status status = tokens_read(
        &run->base->env, &run->base->arena, bt_str_of(run->path), &run->tokens, &run->base->error);
    if (status == BT_ENOENT && may_be_missing) {
        return true;
    }
    if (status != BT_OK) {
        (void)print_file_error(run, "cannot use");
    }
    return status == BT_OK;
}

static enum bt_status make_file(struct cli_token_run *run, bt_str content)
{
    struct bt_dir *folder = NULL;
    bt_str path;
    if (!folder_of(run, &path)) {
        return bt_error_set(&run->base->error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_dir_open(path, &folder, &run->base->error));
    const char *slash = strrchr(run->path, '/');
    const enum bt_status status = bt_dir_create_file(
        folder, bt_str_of(slash ? slash + 1 : run->path), content, &run->base->error);
    bt_dir_close(folder);
    return status;
}

static bool write_tokens(struct cli_token_run *run)
{
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    tokens_put(&buf, &run->tokens);
    enum bt_status status = buf.status;
    if (status != BT_OK) {
        (void)bt_error_set(&run->base->error, status, "%s", bt_status_text(status));
    } else if (bt_file_kind_of(bt_str_of(run->path)) == BT_FILE_NONE) {
        status = make_file(run, bt_buf_str(&buf)); /* readable only by its owner */
    } else {
        status = bt_file_replace(bt_str_of(run->path), bt_buf_str(&buf), &run->base->error);
    }
    bt_buf_free(&buf);
    if (status != BT_OK) {
        (void)print_file_error(run, "cannot write");
    }
    return status == BT_OK;
}

/* ---- Output ---------------------------------------------------------------------------------- */

/* scopes, agents, pump_client */
static void put_rights(struct bt_emit *emit, const struct serve_credential *token)
{
    bt_emit_name(emit, "scopes");
    bt_scopes_emit(emit, token->scopes);
    cli_json_array(emit, "agents");
    for (size_t i = 0; i < token->agent_count; i++) {
        bt_emit_string(emit, token->agents[i]);
    }
    bt_emit_end(emit);
    bt_emit_member_string_or_null(emit, "pump_client", token->pump_client);
    serve_credential_put_logs(emit, token);
}

static int print_new(const struct cli_token_run *run, const struct serve_credential *token,
                     bt_str text)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (cli_wants_json(run->options)) {
        cli_json_begin(&emit, &buf);
        bt_emit_member_string_or_null(&emit, "token", text);
        bt_emit_member_string(&emit, "name", token->name);
        put_rights(&emit, token);
        bt_emit_member_string_or_null(&emit, "expires", token->expires);
        cli_json_end(&emit);
    } else if (text.len > 0) {
        bt_buf_put(&buf, text);
        bt_buf_put_char(&buf, '\n');
    }
    return cli_print_buf(&buf);
}

static void put_listed(struct bt_emit *emit, const struct serve_credential *token, bool is_expired)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "name", token->name);
    bt_emit_member_string(emit, "kind",
                          token->is_certificate ? BT_STR("certificate") : BT_STR("token"));
    put_rights(emit, token);
    bt_emit_member_string(emit, "created", token->created);
    bt_emit_member_string_or_null(emit, "expires", token->expires);
    cli_json_bool(emit, "expired", is_expired);
    bt_emit_end(emit);
}

static enum bt_status join_names(struct bt_arena *arena, const bt_str *names, size_t count,
                                 bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    for (size_t i = 0; i < count; i++) {
        bt_buf_put_text(&buf, i == 0 ? "" : ",");
        bt_buf_put(&buf, names[i]);
    }
    return bt_buf_finish(&buf, arena, out);
}

static enum bt_status add_row(struct cli_token_run *run, struct bt_table *table,
                              const struct serve_credential *token, bt_instant now)
{
    struct bt_arena *arena = &run->base->arena;
    bt_str names[SCOPES];
    bt_str text;
    size_t count = 0;
    for (size_t i = 0; i < SCOPES; i++) {
        if (token->scopes & (1U << i)) {
            names[count++] = bt_scope_name(i);
        }
    }
    bt_table_add(table, token->name);
    bt_table_add(table, token->is_certificate ? BT_STR("certificate") : BT_STR("token"));
    BT_TRY(join_names(arena, names, count, &text));
    bt_table_add(table, text);
    BT_TRY(join_names(arena, token->agents, token->agent_count, &text));
    bt_table_add(table, text);
    BT_TRY(cli_time_text(run->options, arena, now, token->expires, &text));
    bt_table_add(table, text);
    return table->status;
}

static enum bt_status put_table(struct cli_token_run *run, struct bt_buf *buf)
{
    static const char *const names[] = {"NAME", "KIND", "SCOPES", "AGENTS", "EXPIRES", NULL};
    const bt_instant now = bt_env_now(&run->base->env);
    struct bt_table table;
    bt_table_init(&table, &run->base->arena, names);
    for (size_t i = 0; i < run->tokens.count; i++) {
        BT_TRY(add_row(run, &table, &run->tokens.items[i], now));
    }
    return bt_table_put(&table, cli_terminal_columns(), buf);
}

static int print_list(struct cli_token_run *run)
{
    if (!read_tokens(run, false)) {
        return CLI_FAILED;
    }
    const bt_instant now = bt_env_now(&run->base->env);
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (cli_wants_json(run->options)) {
        cli_json_begin(&emit, &buf);
        cli_json_array(&emit, "tokens");
        for (size_t i = 0; i < run->tokens.count; i++) {
            const struct serve_credential *token = &run->tokens.items[i];
            put_listed(&emit, token, token_is_expired(token, now));
        }
        bt_emit_end(&emit);
        cli_json_end(&emit);
    } else if (run->tokens.count == 0) {
        cli_print_empty(run->options, "No tokens. `baton token new` makes one.");
    } else if (put_table(run, &buf) != BT_OK) {
        bt_buf_free(&buf);
        return cli_fail_status(BT_ENOMEM);
    }
    return cli_print_buf(&buf);
}

/* ---- Flags ----------------------------------------------------------------------------------- */

static bool take_agents(struct cli_token_run *run, struct serve_credential *out)
{
    bt_str *agents = BT_NEW_ARRAY(&run->base->arena, bt_str, run->options->given_count + 1);
    const char *given = cli_given_at(run->options, &flag_for_agent, 0);
    for (size_t i = 1; agents && given; i++) {
        agents[out->agent_count++] = bt_str_of(given);
        if (!bt_entry_name_is_valid(bt_str_of(given))) {
            return cli_refuse_usage(run->options,
                                    "--agent wants a name of 1 to 200 of [A-Za-z0-9._:/@+-]");
        }
        given = cli_given_at(run->options, &flag_for_agent, i);
    }
    out->agents = agents;
    if (out->agent_count > 0 && (out->scopes & SCOPES_DECIDING)) {
        return cli_refuse_usage(run->options,
                                "a token for an agent cannot hold approve, operate or admin");
    }
    return agents != NULL;
}

static bool take_logs(struct cli_token_run *run, struct serve_credential *out)
{
    struct bt_str_list logs;
    if (!cli_given_list(run->options, &flag_token_log, &run->base->arena, &logs)) {
        return false;
    }
    for (size_t i = 0; i < logs.count; i++) {
        if (!serve_credential_log_is_valid(logs.items[i])) {
            return cli_refuse_usage(run->options,
                                    "--log wants the name of a log, 1 to 63 of [a-z0-9-], or *");
        }
        for (size_t k = 0; k < i; k++) {
            if (bt_str_eq(logs.items[k], logs.items[i])) {
                return cli_refuse_usage(run->options, "--log names %.*s twice",
                                        BT_STR_ARG(logs.items[i]));
            }
        }
    }
    out->logs = logs.items;
    out->log_count = logs.count;
    return true;
}

static bool format_time(struct cli_token_run *run, bt_instant instant, bt_str *out)
{
    char text[BT_INSTANT_TEXT_BYTES];
    (void)bt_instant_format(instant, text);
    return bt_arena_copy(&run->base->arena, bt_str_of(text), out) == BT_OK;
}

static bool take_times(struct cli_token_run *run, struct serve_credential *out)
{
    bt_instant now = bt_env_now(&run->base->env);
    const char *given = cli_given(run->options, &flag_expires);
    bt_instant expires;
    if (given && bt_instant_parse(bt_str_of(given), &expires) != BT_OK) {
        return cli_refuse_usage(run->options, "--expires wants a time like 2026-06-01T00:00:00Z");
    }
    if (given && !format_time(run, expires, &out->expires)) {
        return false;
    }
    if (given && token_is_expired(out, now)) {
        return cli_refuse_usage(run->options, "--expires lies in the past");
    }
    now.nanos = 0;
    return format_time(run, now, &out->created);
}

static bool take_words(struct cli_token_run *run, struct serve_credential *out)
{
    const char *client = cli_given(run->options, &flag_pump_client);
    *out = (struct serve_credential){.name = bt_str_of(cli_given(run->options, &flag_name)),
                                     .pump_client = bt_str_of(client),
                                     .expires = BT_STR("")};
    if (!serve_credential_name_is_valid(out->name)) {
        return cli_refuse_usage(
            run->options, "--name wants 1 to 64 letters, digits, . _ and -, and none of local, "
                          "console, witness");
    }
    if (!bt_scopes_parse(bt_str_of(cli_given(run->options, &flag_scopes)), &out->scopes)) {
        return cli_refuse_usage(run->options,
                                "--scopes wants some of check, submit, approve, operate, admin");
    }
    if (client && !bt_entry_name_is_valid(out->pump_client)) {
        return cli_refuse_usage(run->options,
                                "--pump-client wants a name of 1 to 200 of [A-Za-z0-9._:/@+-]");
    }
    return take_agents(run, out) && take_logs(run, out) && take_times(run, out);
}

/* ---- Commands -------------------------------------------------------------------------------- */

/* Make the secret of an entry, or read the key of its certificate. */
static bool take_secret(struct cli_token_run *run, struct serve_credential *token,
                        char text[TOKEN_TEXT_BYTES])
{
    const char *path = cli_given(run->options, &flag_cert);
    bt_str pem;
    if (!path) {
        return serve_credential_generate(&run->base->env, text, token->digest) == BT_OK ||
               cli_refuse("the system gave no randomness");
    }
    token->is_certificate = true;
    if (bt_file_read(&run->base->arena, bt_str_of(path), CERTIFICATE_BYTES_MAX, &pem,
                     &run->base->error) != BT_OK ||
        (pem.len > CERTIFICATE_BYTES_MAX &&
         bt_error_set(&run->base->error, BT_ELIMIT, "it is larger than %d bytes",
                      CERTIFICATE_BYTES_MAX) != BT_OK) ||
        serve_certificate_digest(pem, token->digest, &run->base->error) != BT_OK) {
        return cli_refuse("cannot use %s: %s", path, run->base->error.text);
    }
    return true;
}

static int add_token(struct cli_token_run *run)
{
    struct serve_credential made;
    char text[TOKEN_TEXT_BYTES];
    if (!take_words(run, &made) || !lock_folder(run) || !read_tokens(run, true)) {
        return CLI_FAILED;
    }
    const size_t count = run->tokens.count;
    struct serve_credential *items =
        BT_NEW_ARRAY(&run->base->arena, struct serve_credential, count + 1);
    for (size_t i = 0; items && i < count; i++) {
        items[i] = run->tokens.items[i];
        if (bt_str_eq(items[i].name, made.name)) {
            return cli_failed("%s has a token called %.*s already", run->path,
                              BT_STR_ARG(made.name));
        }
    }
    if (!items || !take_secret(run, &made, text)) {
        return CLI_FAILED;
    }
    items[count] = made;
    run->tokens = (struct serve_credentials){items, count + 1};
    const bt_str shown = {text, made.is_certificate ? 0 : sizeof(text)};
    return write_tokens(run) ? print_new(run, &made, shown) : CLI_FAILED;
}

static int take_back(struct cli_token_run *run)
{
    const bt_str name = bt_str_of(run->options->operands[0]);
    if (!lock_folder(run) || !read_tokens(run, false)) {
        return CLI_FAILED;
    }
    struct serve_credential *items =
        BT_NEW_ARRAY(&run->base->arena, struct serve_credential, run->tokens.count + 1);
    size_t left = 0;
    for (size_t i = 0; items && i < run->tokens.count; i++) {
        if (!bt_str_eq(run->tokens.items[i].name, name)) {
            items[left++] = run->tokens.items[i];
        }
    }
    if (!items || left == run->tokens.count) {
        return cli_failed("%s has no token called %.*s", run->path, BT_STR_ARG(name));
    }
    run->tokens = (struct serve_credentials){items, left};
    if (!write_tokens(run)) {
        return CLI_FAILED;
    }
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    bt_buf_printf(&buf,
                  cli_wants_json(run->options)
                      ? "{\"baton\":1,\"revoked\":\"%.*s\",\"tokens\":%zu}\n"
                      : "revoked %.*s; %zu left\n",
                  BT_STR_ARG(name), left);
    return cli_print_buf(&buf);
}

typedef int cli_token_fn(struct cli_token_run *run);

static int run_with_file(struct cli_run *base, cli_token_fn *act)
{
    struct cli_token_run run = {.base = base,
                                .options = base->options,
                                .path = cli_given(base->options, &flag_tokens_file),
                                .lock = -1};
    const int code = act(&run);
    if (run.lock >= 0) {
        (void)close(run.lock); /* releases the lock */
    }
    return code;
}

int cmd_token_new(struct cli_run *run)
{
    return run_with_file(run, add_token);
}

int cmd_token_list(struct cli_run *run)
{
    return run_with_file(run, print_list);
}

int cmd_token_revoke(struct cli_run *run)
{
    return run_with_file(run, take_back);
}
