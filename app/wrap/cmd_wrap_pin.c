/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_wrap_pin.c - baton wrap pin: ask a server what it shows, and write its entry of the lock. */
#include "base/file.h"
#include "cli/output.h"
#include "cli/suggest.h"
#include "json/emit.h"
#include "token/tokens.h"
#include "wrap/compare.h"
#include "wrap/server_flags.h"
#include "wrap/server_name.h"
#include "wrap/server_query.h"
#include "wrap/texts.h"

enum { FACTS_BYTES_MAX = 64 << 20 };

/* One pinning. */
struct wrap_pin {
    struct cli_run *run;
    struct wrap_server server;
    struct wrap_lock_file file;
    struct bt_wrap_entry shown; /* what the server shows ... */
    struct bt_wrap_entry kept;  /* ... and what is written */
    struct bt_findings *findings;
};

static bool take_query_options(struct cli_run *run, struct wrap_query_options *out)
{
    const char *era = cli_given(run->options, &flag_server_era);
    size_t index = WRAP_QUERY_AUTO;
    if (era && !cli_kind_find(CLI_MCP_ERA, era, &index)) {
        return cli_refuse_value(run->options, &flag_server_era, era);
    }
    *out = (struct wrap_query_options){.era = (enum wrap_query_era)index,
                                       .with_resources =
                                           cli_given(run->options, &flag_with_resources) != NULL};
    return true;
}

bool wrap_query_shown(struct cli_run *run, const struct wrap_server *server, const char *lock_path,
                      const struct bt_wrap_entry *locked, struct bt_wrap_entry *out)
{
    const struct bt_wrap_memory memory = wrap_memory(run);
    struct wrap_query_options options;
    *out = (struct bt_wrap_entry){.name = server->name};
    if (!take_query_options(run, &options) || !wrap_describe_command(run, server, lock_path, out)) {
        return false;
    }
    options.with_resources = options.with_resources || (locked && locked->has_resources);
    const enum bt_status status =
        wrap_query_server(&memory, &server->start, &options, out, &run->error);
    return status == BT_OK ||
           (status == BT_EIO ? cli_refuse("%s", run->error.text) : cli_refuse_status(status));
}

/* ---- What is taken over ---------------------------------------------------------------------- */

/* Replace, add or remove one tool of the entry. */
static bool take_tool(struct wrap_pin *pin, const struct bt_wrap_items *before, const char *name,
                      struct bt_wrap_items *out)
{
    const struct bt_wrap_memory memory = wrap_memory(pin->run);
    const bt_str key = bt_str_of(name);
    const struct bt_wrap_items *all = &pin->shown.items[BT_WRAP_TOOL];
    *out = (struct bt_wrap_items){0};
    if (!bt_wrap_items_find(all, key) && !bt_wrap_items_find(before, key)) {
        return cli_refuse("neither the server nor the lock has a tool called %s", name);
    }
    enum bt_status status = BT_OK;
    for (size_t i = 0; status == BT_OK && i < before->list.count; i++) {
        struct bt_wrap_item item = before->list.items[i];
        if (!bt_str_eq(item.key, key)) {
            status = bt_wrap_items_push(&memory, out, &item);
        }
    }
    for (size_t i = 0; status == BT_OK && i < all->list.count; i++) { /* two of them are refused */
        struct bt_wrap_item item = all->list.items[i];
        if (bt_str_eq(item.key, key)) {
            status = bt_wrap_items_push(&memory, out, &item);
        }
    }
    return status == BT_OK || cli_refuse_status(status);
}

/* With --tool the entry keeps everything but these tools. */
static bool choose_kept(struct wrap_pin *pin)
{
    const struct cli_options *options = pin->run->options;
    const struct bt_wrap_entry *before = bt_wrap_lock_find(&pin->file.lock, pin->server.name);
    const char *name = cli_given_at(options, &flag_pinned_tool, 0);
    if (!name) {
        pin->kept = pin->shown;
        return true;
    }
    if (!before) {
        return cli_refuse("the lock %s has no server %.*s; pin all of it first", pin->file.path,
                          BT_STR_ARG(pin->server.name));
    }
    pin->kept = *before;
    for (size_t i = 0; name; name = cli_given_at(options, &flag_pinned_tool, ++i)) {
        struct bt_wrap_items items;
        if (!take_tool(pin, &pin->kept.items[BT_WRAP_TOOL], name, &items)) {
            return false;
        }
        pin->kept.items[BT_WRAP_TOOL] = items;
    }
    return true;
}

/* ---- Findings -------------------------------------------------------------------------------- */

static enum bt_status check_texts(struct wrap_pin *pin, struct bt_wrap_texts *texts)
{
    const struct bt_wrap_text_check check = {.texts = texts,
                                             .memory = wrap_memory(pin->run),
                                             .findings = pin->findings,
                                             .severity = BT_SEVERITY_WARN};
    for (size_t i = 0; i < BT_WRAP_KINDS; i++) {
        const struct bt_wrap_items *items = &pin->kept.items[i];
        for (size_t j = 0; j < items->list.count; j++) {
            BT_TRY(bt_wrap_check_item_texts(&check, (enum bt_wrap_kind)i, &items->list.items[j]));
        }
    }
    return pin->kept.instructions.ptr
               ? bt_wrap_check_text(&check, BT_STR("/instructions"), pin->kept.instructions)
               : BT_OK;
}

static enum bt_status check_entry(struct wrap_pin *pin)
{
    const struct bt_wrap_memory memory = wrap_memory(pin->run);
    struct bt_wrap_texts texts;
    enum bt_status status = bt_wrap_texts_init(&texts);
    if (status == BT_OK) {
        status = check_texts(pin, &texts);
    }
    bt_wrap_texts_free(&texts);
    BT_TRY(status);
    BT_TRY(bt_wrap_check_names(&memory, &pin->file.lock, &pin->kept, pin->findings));
    return bt_wrap_check_review(&memory, &pin->kept, pin->findings);
}

/* ---- Facts ----------------------------------------------------------------------------------- */

static enum bt_status put_tool_tokens(struct wrap_pin *pin, struct bt_emit *emit)
{
    const struct bt_wrap_items *tools = &pin->kept.items[BT_WRAP_TOOL];
    struct bt_arena *arena = &pin->run->arena;
    struct bt_tokens counter;
    enum bt_encoding encoding;
    uint64_t total = 0;
    BT_TRY(bt_encoding_parse(bt_config_text(pin->run->options->config, "check.tokens"), &encoding));
    uint64_t *counts = BT_NEW_ARRAY(arena, uint64_t, tools->list.count + 1);
    BT_TRY(counts ? BT_OK : BT_ENOMEM);
    bt_tokens_init(&counter, encoding);
    enum bt_status status = BT_OK;
    for (size_t i = 0; status == BT_OK && i < tools->list.count; i++) {
        const struct bt_json_doc *definition = tools->list.items[i].document;
        bt_str text;
        status = bt_json_write_text(definition, bt_json_root(definition), BT_JSON_FORM_COMPACT,
                                    arena, &text);
        status = status == BT_OK ? bt_tokens_count(&counter, text, &counts[i]) : status;
        total += counts[i];
    }
    bt_tokens_free(&counter);
    bt_emit_member_object(emit, "tokens");
    bt_emit_member_u64(emit, "total", total);
    bt_emit_member_object(emit, "tools");
    for (size_t i = 0; i < tools->list.count; i++) {
        if (!tools->list.items[i].is_duplicate) {
            bt_emit_name_str(emit, tools->list.items[i].key);
            bt_emit_u64(emit, counts[i]);
        }
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
    return status;
}

static enum bt_status put_facts(struct wrap_pin *pin, bool is_written, bt_str *out)
{
    struct bt_object_text text;
    struct bt_emit *emit = bt_object_text_begin(&text, FACTS_BYTES_MAX, NULL);
    bt_emit_member_string(emit, "lock", bt_str_of(pin->file.path));
    bt_emit_member_bool(emit, "written", is_written);
    for (size_t i = 0; i < BT_WRAP_KINDS; i++) {
        bt_emit_name_str(emit, bt_wrap_kind_names((enum bt_wrap_kind)i)->in_lock);
        if (i == BT_WRAP_RESOURCE && !pin->kept.has_resources) {
            bt_emit_null(emit);
        } else {
            bt_emit_u64(emit, pin->kept.items[i].list.count);
        }
    }
    return bt_object_text_finish(&text, put_tool_tokens(pin, emit), &pin->run->arena, out);
}

/* ---- The command ----------------------------------------------------------------------------- */

/* Nothing is written when something is HARD. */
static int finish_pin(struct wrap_pin *pin)
{
    const bool is_accepted = bt_verdict_of(pin->findings, BT_SEVERITY_HARD) == BT_VERDICT_ACCEPTED;
    struct bt_judgement judged = {.path = pin->server.name,
                                  .dialect = BT_DIALECT_MCP,
                                  .source = BT_STR(""),
                                  .findings = pin->findings};
    if (is_accepted && !wrap_write_lock(pin->run, &pin->file, &pin->kept, NULL)) {
        return CLI_FAILED;
    }
    enum bt_status status = bt_findings_finish(pin->findings, BT_STR(""));
    status = status == BT_OK ? put_facts(pin, is_accepted, &judged.facts) : status;
    if (status != BT_OK) {
        return cli_fail_status(status);
    }
    judged.verdict = is_accepted ? BT_VERDICT_ACCEPTED : BT_VERDICT_REJECTED;
    return cli_run_report_one(pin->run, &judged, BT_STR(""));
}

int cmd_wrap_pin(struct cli_run *run)
{
    struct wrap_pin pin = {.run = run, .findings = bt_findings_new(&run->arena)};
    if (!pin.findings) {
        return cli_fail_status(BT_ENOMEM);
    }
    if (!wrap_take_server(run, &pin.server) || !wrap_read_lock(run, false, &pin.file) ||
        !wrap_check_lock(run, &pin.file) ||
        !wrap_query_shown(run, &pin.server, pin.file.path, NULL, &pin.shown) ||
        !choose_kept(&pin)) {
        return CLI_FAILED;
    }
    const enum bt_status status = check_entry(&pin);
    return status == BT_OK ? finish_pin(&pin) : cli_fail_status(status);
}
