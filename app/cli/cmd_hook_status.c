/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_hook_status.c - baton hook status [HOST]
 */
#include <string.h>

#include <baton/json.h>

#include "commands.h"
#include "hook/settings.h"
#include "hook_files.h"
#include "hook_flags.h"
#include "ledger_run.h"
#include "say.h"

enum { RUN_BYTES_MAX = 1 << 30, OUTPUT_BYTES_MAX = 1 << 20, HOSTS_MAX = 8 };

static cli_run_fn run;

/* clang-format off */
static const struct cli_flag *const flags[] = {
    &flag_dir, &flag_scope, &flag_format, &flag_help, NULL,
};
/* clang-format on */

static const struct cli_example examples[] = {
    {"baton hook status", "which hosts run Baton in this project"},
    {NULL, NULL},
};

const struct cli_command cmd_hook_status = {
    .name = "baton hook status",
    .operands = "[HOST]",
    .summary = "say whether Baton's hook is in the settings of hosts",
    .about = "Without HOST all five. \"modified\" means that somebody changed the settings since "
             "Baton did.\n",
    .missing = "",
    .operands_max = 1,
    .flags = flags,
    .examples = examples,
    .run = run,
};

/* What is known about one host. */
struct finding {
    struct hook_files files;
    bt_str command; /* "": not installed */
};

/* How the command that is installed behaves; NULL when there is none. */
static const char *mode_of(bt_str command)
{
    static const char *const modes[] = {"observe", "fail-closed"};
    const bt_str flag = BT_STR(" --");
    for (size_t i = 0; i + flag.len <= command.len; i++) {
        const bt_str rest = bt_str_slice(command, i, command.len);
        const bt_str word = bt_str_slice(rest, flag.len, bt_str_find(rest, ' ', flag.len));
        for (size_t j = 0; j < 2 && bt_str_starts(rest, flag); j++) {
            if (bt_str_eq(word, bt_str_of(modes[j]))) {
                return modes[j];
            }
        }
    }
    return command.len > 0 ? "enforce" : NULL;
}

static void put_json(struct bt_buf *buf, const struct finding *found, size_t count)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_name(&emit, "hosts");
    bt_emit_array(&emit);
    for (size_t i = 0; i < count; i++) {
        const struct hook_files *files = &found[i].files;
        const char *mode = mode_of(found[i].command);
        bt_emit_object(&emit);
        bt_emit_member_string(&emit, "host", bt_str_of(files->host->name));
        bt_emit_member_string(&emit, "path", files->name);
        bt_emit_name(&emit, "installed");
        bt_emit_bool(&emit, mode != NULL);
        bt_emit_name(&emit, "mode");
        if (mode) {
            bt_emit_string(&emit, bt_str_of(mode));
        } else {
            bt_emit_null(&emit);
        }
        bt_emit_name(&emit, "modified");
        bt_emit_bool(&emit, files->is_modified);
        bt_emit_name(&emit, "backup");
        bt_emit_bool(&emit, files->has_backup);
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
}

static void put_text(struct bt_buf *buf, const struct finding *found, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct hook_files *files = &found[i].files;
        const char *mode = mode_of(found[i].command);
        bt_buf_printf(buf, "%s: %s in %.*s%s%s\n", files->host->name, mode ? mode : "not installed",
                      BT_STR_ARG(files->name),
                      files->is_modified ? ", changed since by somebody else" : "",
                      files->has_backup ? ", the old settings are kept" : "");
    }
}

static bool look(const struct cli_options *options, const struct hook_host *host,
                 struct bt_arena *arena, struct finding *out)
{
    struct bt_error error = {0};
    out->command = BT_STR("");
    if (!hook_files_load(options, host, arena, &out->files)) {
        return false;
    }
    if (out->files.exists &&
        hook_settings_find(arena, out->files.content, host, &out->command, &error) != BT_OK) {
        cli_complain("cannot understand %.*s: %s", BT_STR_ARG(out->files.name),
                     error.text[0] ? error.text : bt_status_text(BT_ENOMEM));
        return false;
    }
    return true;
}

static int tell(const struct cli_options *options, const struct hook_host *only,
                struct bt_arena *arena)
{
    struct finding found[HOSTS_MAX];
    size_t count = 0;
    struct bt_buf buf;
    for (size_t i = 0; i < HOSTS_MAX && hook_host_at(i); i++) {
        const struct hook_host *host = hook_host_at(i);
        if (only && only != host) {
            continue;
        }
        if (!look(options, host, arena, &found[count++])) {
            return CLI_FAILED;
        }
    }
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (ledger_run_is_json(options)) {
        put_json(&buf, found, count);
    } else {
        put_text(&buf, found, count);
    }
    return cli_print_buf(&buf);
}

static int run(const struct cli_options *options)
{
    const struct hook_host *only = NULL;
    struct bt_arena arena;
    if (options->operand_count > 0) {
        only = hook_host_find(options->operands[0]);
        if (!only) {
            return hook_host_unknown(options->command, options->operands[0]);
        }
    }
    bt_arena_init(&arena, RUN_BYTES_MAX);
    const int code = tell(options, only, &arena);
    bt_arena_free(&arena);
    return code;
}
