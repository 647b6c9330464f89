/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_wrap_install.c - baton wrap install and uninstall: servers in the settings of hosts. */
#include <string.h>

#include "base/vec.h"
#include "cli/output.h"
#include "edit/edit.h"
#include "net/http_client.h"
#include "wrap/host_settings.h"
#include "wrap/server_flags.h"
#include "wrap/server_name.h"

enum { WORDS_MAX = 8192, HEADERS_MAX = 64, DIFF_BYTES_MAX = 1 << 30 };

/* One run of install or uninstall. */
struct wrap_install {
    struct cli_run *run;
    struct wrap_host_settings settings;
    struct bt_edit_list edits; /* of the settings, one for each server that changes */
    bool has_url;              /* a server with a URL changes */
};

/* Words that grow up to a maximum; failure sticks. */
struct wrap_words {
    struct bt_arena *arena;
    bt_str *items;
    size_t count;
    enum bt_status status;
};

static void add_word(struct wrap_words *words, bt_str word)
{
    if (words->count == WORDS_MAX) {
        words->status = BT_ELIMIT;
    } else if (words->status == BT_OK) {
        words->items[words->count++] = word;
    }
}

static void add_words(struct wrap_words *words, struct bt_str_list list, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        add_word(words, list.items[i]);
    }
}

/* ---- Flags ----------------------------------------------------------------------------------- */

enum value_kind { VALUE_NONE = 0, VALUE_PATH, VALUE_STORE, VALUE_WORD };

/* The flags of `baton wrap` that become part of an entry, in their order there. */
struct entry_flag {
    const struct cli_flag *flag;
    const char *name;
    enum value_kind kind;
};

static const struct entry_flag entry_flags[] = {
    {&flag_config, "--config", VALUE_PATH},        {&flag_lock_file, "--lock", VALUE_PATH},
    {&flag_store, "--store", VALUE_STORE},         {&flag_wrap_observe, "--observe", VALUE_NONE},
    {&flag_wrap_enforce, "--enforce", VALUE_NONE}, {&flag_record_mode, "--record", VALUE_WORD},
    {&flag_record_wait, "--wait", VALUE_WORD},     {&flag_fail_mode, "--fail", VALUE_WORD},
    {&flag_calling_agent, "--agent", VALUE_WORD},
};

/* Hosts start servers in folders of their own, so paths must be absolute. */
static enum bt_status make_value(struct bt_arena *arena, enum value_kind kind, const char *given,
                                 bt_str *out)
{
    const bt_str scheme = BT_STR("sqlite:");
    const bt_str text = bt_str_of(given);
    const bool has_scheme = bt_str_starts_with(text, scheme);
    bt_str path;
    *out = text;
    if (kind == VALUE_WORD || bt_str_starts_with(text, BT_STR("postgres"))) {
        return BT_OK;
    }
    BT_TRY(settings_absolute_path(arena, bt_str_slice(text, has_scheme ? scheme.len : 0, text.len),
                                  &path));
    return bt_arena_printf(arena, out, "%s%.*s", has_scheme ? "sqlite:" : "", BT_STR_ARG(path));
}

static enum bt_status add_flags(const struct cli_options *options, struct wrap_words *words)
{
    for (size_t i = 0; i < BT_COUNT_OF(entry_flags); i++) {
        const struct entry_flag *flag = &entry_flags[i];
        const char *given = cli_given(options, flag->flag);
        bt_str value;
        if (!given) {
            continue;
        }
        add_word(words, bt_str_of(flag->name));
        if (flag->kind != VALUE_NONE) {
            BT_TRY(make_value(words->arena, flag->kind, given, &value));
            add_word(words, value);
        }
    }
    return BT_OK;
}

/* The number of words that one of these flags has at this place of a command: 0 when it is none. */
static size_t count_flag_words(bt_str word)
{
    if (bt_str_eq(word, BT_STR("--name"))) {
        return 2;
    }
    for (size_t i = 0; i < BT_COUNT_OF(entry_flags); i++) {
        const bt_str name = bt_str_of(entry_flags[i].name);
        if (bt_str_eq(word, name)) {
            return entry_flags[i].kind == VALUE_NONE ? 1 : 2;
        }
        if (bt_str_starts_with(word, name) && word.ptr[name.len] == '=') {
            return 1;
        }
    }
    return 0;
}

/* ---- The new command ------------------------------------------------------------------------- */

/* What follows the flags of an entry that is wrapped already: further flags, and the server. */
static void add_wrapped_rest(struct wrap_words *words, struct bt_str_list args)
{
    size_t i = 1;
    while (i < args.count && !bt_str_eq(args.items[i], BT_STR("--"))) {
        const size_t size = count_flag_words(args.items[i]);
        add_words(words, args, i, size == 0 ? i + 1 : i);
        i += size == 0 ? 1 : size;
    }
    add_words(words, args, i, args.count);
}

/* A variable for the value of a header, which the entry does not have yet. */
static enum bt_status name_variable(const struct wrap_install *install,
                                    const struct wrap_host_server *server, size_t *number,
                                    bt_str *out)
{
    const struct bt_json_doc *document = install->settings.text.document;
    const bt_json_value *env = bt_json_get(document, &server->member->value, BT_STR("env"));
    do { /* ends, because the environment has a limited number of names */
        *number += 1;
        BT_TRY(bt_arena_printf(&install->run->arena, out, "BATON_WRAP_%zu", *number));
    } while (env && bt_json_get(document, env, *out));
    return BT_OK;
}

/* The flags of a server with a URL; the values of its headers become variables. */
static enum bt_status add_upstream(struct wrap_install *install,
                                   const struct wrap_host_server *server, struct wrap_words *words,
                                   struct wrap_host_change *change)
{
    struct wrap_pair *variables =
        BT_NEW_ARRAY(words->arena, struct wrap_pair, server->header_count + 1);
    size_t number = 0;
    BT_TRY(variables ? BT_OK : BT_ENOMEM);
    add_word(words, BT_STR("--upstream"));
    add_word(words, server->url);
    if (server->bearer_env.len > 0) {
        add_word(words, BT_STR("--bearer-env"));
        add_word(words, server->bearer_env);
    }
    for (size_t i = 0; i < server->header_count; i++) {
        bt_str word;
        BT_TRY(name_variable(install, server, &number, &variables[i].name));
        variables[i].value = server->headers[i].value;
        BT_TRY(bt_arena_printf(words->arena, &word, "%.*s=%.*s",
                               BT_STR_ARG(server->headers[i].name), BT_STR_ARG(variables[i].name)));
        add_word(words, BT_STR("--header-env"));
        add_word(words, word);
    }
    change->variables = variables;
    change->variable_count = server->header_count;
    install->has_url = true;
    return BT_OK;
}

static enum bt_status make_change(struct wrap_install *install,
                                  const struct wrap_host_server *server,
                                  struct wrap_host_change *out)
{
    struct bt_arena *arena = &install->run->arena;
    const bool is_wrapped = wrap_host_server_is_wrapped(server);
    struct wrap_words words = {.arena = arena, .items = BT_NEW_ARRAY(arena, bt_str, WORDS_MAX)};
    bt_str name = is_wrapped ? wrap_host_flag(server, "--name") : BT_STR("");
    BT_TRY(words.items ? BT_OK : BT_ENOMEM);
    if (name.len == 0) {
        BT_TRY(bt_wrap_name_clean(arena, server->name, &name));
    }
    *out = (struct wrap_host_change){.command = is_wrapped ? server->command : BT_STR("baton")};
    add_word(&words, BT_STR("wrap"));
    add_word(&words, BT_STR("--name"));
    add_word(&words, name);
    BT_TRY(add_flags(install->run->options, &words));
    if (is_wrapped) {
        add_wrapped_rest(&words, server->args);
    } else if (server->url.len > 0) {
        BT_TRY(add_upstream(install, server, &words, out));
    } else {
        add_word(&words, BT_STR("--"));
        add_word(&words, server->command);
        add_words(&words, server->args, 0, server->args.count);
    }
    out->args = (struct bt_str_list){words.items, words.count};
    return words.status;
}

/* ---- Installing ------------------------------------------------------------------------------ */

static bt_str part_of(const struct wrap_install *install, const struct wrap_host_server *server)
{
    return bt_str_slice(install->settings.text.text, server->span.begin, server->span.end);
}

/* True when both lists have the same words. */
static bool lists_equal(struct bt_str_list a, struct bt_str_list b)
{
    bool is_equal = a.count == b.count;
    for (size_t i = 0; is_equal && i < a.count; i++) {
        is_equal = bt_str_eq(a.items[i], b.items[i]);
    }
    return is_equal;
}

/* Replace the text of a server, and note what it was. */
static enum bt_status install_server(struct wrap_install *install,
                                     const struct wrap_host_server *server)
{
    struct wrap_backup *backup = &install->settings.backup;
    const struct wrap_backup_entry *known = wrap_backup_find(backup, server->name);
    const bt_str before = part_of(install, server);
    struct wrap_host_change change;
    struct wrap_backup_entry entry = {.name = server->name, .before = before};
    BT_TRY(make_change(install, server, &change));
    if (server->url.len == 0 && bt_str_eq(change.command, server->command) &&
        lists_equal(change.args, server->args)) {
        return BT_OK;
    }
    BT_TRY(wrap_host_text_change(&install->settings.text, server, &change, &entry.after));
    BT_TRY(wrap_host_add_edit(&install->settings.text, &install->edits, server->span, entry.after));
    if (known && wrap_host_server_is_wrapped(server)) {
        if (!bt_str_eq(known->after, before)) {
            return BT_OK; /* somebody has edited it since: the first text stays, and so does this */
        }
        entry.before = known->before;
    }
    return wrap_backup_set(&install->run->arena, backup, entry);
}

/* List the names that there are. Returns false. */
static bool refuse_unknown(const struct wrap_install *install, const char *name)
{
    const struct wrap_host_text *text = &install->settings.text;
    struct bt_buf names;
    bt_buf_init(&names, 4096);
    for (size_t i = 0; i < text->count; i++) {
        bt_buf_printf(&names, "%s%.*s", i > 0 ? ", " : "", BT_STR_ARG(text->servers[i].name));
    }
    (void)(!install->settings.exists
               ? cli_refuse("%.*s does not exist, so it has no server %s",
                            BT_STR_ARG(install->settings.place.name), name)
               : cli_refuse("%.*s has no server %s%s%.*s", BT_STR_ARG(install->settings.place.name),
                            name, names.len > 0 ? "; there are " : "",
                            BT_STR_ARG(bt_buf_str(&names))));
    bt_buf_free(&names);
    return false;
}

/* What keeps a server from being wrapped, or NULL. A URL with a variable is complete only in the
 * host. */
static const char *find_problem(const struct wrap_install *install,
                                const struct wrap_host_server *server)
{
    struct http_url where;
    const bool is_clear = bt_str_starts_with(server->url, BT_STR("http://")) &&
                          bt_str_find_byte(server->url, '$', 0) == server->url.len;
    return server->problem ? server->problem
           : is_clear && (bt_http_url_parse(&install->run->arena, server->url, &where) != BT_OK ||
                          !wrap_host_is_local(where.host))
               ? "its URL is http and not of this machine: baton wrap wants https there"
               : NULL;
}

/* Plan the change of one server or of all. False after an error message. */
static bool plan_install(struct wrap_install *install)
{
    const struct cli_options *options = install->run->options;
    const struct wrap_host_text *text = &install->settings.text;
    const char *name = options->operand_count > 1 ? options->operands[1] : NULL;
    const struct wrap_host_server *only = name ? wrap_host_text_find(text, bt_str_of(name)) : NULL;
    enum bt_status status = BT_OK;
    if (name && !only) {
        return refuse_unknown(install, name);
    }
    if (only && find_problem(install, only)) {
        return cli_refuse("cannot wrap %s: %s; nothing was changed", name,
                          find_problem(install, only));
    }
    for (size_t i = 0; status == BT_OK && i < text->count; i++) {
        const struct wrap_host_server *server = &text->servers[i];
        if (only && server != only) {
            continue;
        }
        if (find_problem(install, server)) {
            cli_print_error("note: %.*s stays as it is: %s", BT_STR_ARG(server->name),
                            find_problem(install, server));
            continue;
        }
        status = install_server(install, server);
    }
    return cli_is_ok(status);
}

/* ---- Uninstalling ---------------------------------------------------------------------------- */

/* Bring the command back that follows the dashes. False after an error message. */
static bool unwrap_server(struct wrap_install *install, const struct wrap_host_server *server,
                          bt_str *out)
{
    size_t dashes = 0;
    while (dashes < server->args.count && !bt_str_eq(server->args.items[dashes], BT_STR("--"))) {
        dashes++;
    }
    if (server->problem || dashes + 1 >= server->args.count) {
        return cli_refuse("%.*s was changed since it was wrapped, and what it was cannot be told "
                          "from it; nothing was changed",
                          BT_STR_ARG(server->name));
    }
    const struct wrap_host_change change = {
        .command = server->args.items[dashes + 1],
        .args = {server->args.items + dashes + 2, server->args.count - dashes - 2}};
    return cli_is_ok(wrap_host_text_change(&install->settings.text, server, &change, out));
}

/* Plan to bring one server back. False after an error message. */
static bool uninstall_server(struct wrap_install *install, bt_str name)
{
    struct wrap_backup *backup = &install->settings.backup;
    const struct wrap_backup_entry *known = wrap_backup_find(backup, name);
    const struct wrap_host_server *server = wrap_host_text_find(&install->settings.text, name);
    if (!known || !server) {
        return true;
    }
    bt_str part = known->before;
    const bool is_edited = !bt_str_eq(part_of(install, server), known->after);
    if (is_edited && !server->problem && !wrap_host_server_is_wrapped(server)) {
        return true; /* somebody has brought it back */
    }
    if (is_edited && !unwrap_server(install, server, &part)) {
        return false;
    }
    wrap_backup_remove(backup, server->name);
    return cli_is_ok(
        wrap_host_add_edit(&install->settings.text, &install->edits, server->span, part));
}

static bool plan_uninstall(struct wrap_install *install)
{
    const struct cli_options *options = install->run->options;
    if (options->operand_count > 1) {
        return uninstall_server(install, bt_str_of(options->operands[1]));
    }
    for (size_t i = 0; i < install->settings.text.count; i++) {
        if (!uninstall_server(install, install->settings.text.servers[i].name)) {
            return false;
        }
    }
    return true;
}

/* ---- The commands ---------------------------------------------------------------------------- */

static void note_after_install(struct wrap_install *install)
{
    if (install->has_url) {
        cli_print_error("note: a sign-in of the host no longer applies to a server that has a URL: "
                        "a token comes from its headers");
    }
    settings_note_program(&install->run->arena, install->settings.place.base, "baton");
}

/* Show the change, ask, and write both files. Returns the exit code. */
static int write_change(struct wrap_install *install, bool is_install)
{
    const struct wrap_host_settings *settings = &install->settings;
    struct bt_arena *arena = &install->run->arena;
    struct bt_buf diff;
    bt_str after;
    bool go = false;
    bt_buf_init(&diff, DIFF_BYTES_MAX);
    if (bt_edit_list_sort(&install->edits, arena) != BT_OK ||
        bt_edit_list_apply(&install->edits, settings->text.text, arena, &after) != BT_OK ||
        settings_put_change(&diff, arena, settings->place.name, settings->text.text, after) !=
            BT_OK) {
        bt_buf_free(&diff);
        return cli_failed("cannot show the change");
    }
    const int code = settings_confirm(install->run->options, &diff, &go);
    if (!go) {
        return code;
    }
    const bool is_written =
        is_install
            ? wrap_host_settings_keep(settings) && settings_replace(settings->place.path, after)
            : settings_replace(settings->place.path, after) && wrap_host_settings_keep(settings);
    if (is_written && is_install) {
        note_after_install(install);
    }
    return is_written ? code : CLI_FAILED;
}

static int run_with(struct cli_run *run, bool is_install)
{
    const struct cli_options *options = run->options;
    const bool is_all = cli_given(options, &flag_every_server) != NULL;
    const struct wrap_host *host = wrap_host_of_run(run);
    struct wrap_install install = {.run = run};
    if (!host) {
        return CLI_FAILED;
    }
    if (is_all == (options->operand_count > 1)) {
        return cli_usage_error(options->command, "which server? give its name, or --all");
    }
    if (cli_given(options, &flag_hook_dry_run) && cli_given(options, &flag_hook_yes)) {
        return cli_usage_error(options->command, "--dry-run and --yes exclude each other");
    }
    if (is_install && settings_store_has_secret(options)) {
        return cli_usage_error(options->command,
                               "--store has a password, which every reader of the settings would "
                               "see: leave it out and use BATON_STORE, PGPASSWORD or ~/.pgpass");
    }
    if (!wrap_host_settings_load(run, host, &install.settings) ||
        !(is_install ? plan_install(&install) : plan_uninstall(&install))) {
        return CLI_FAILED;
    }
    return install.edits.count == 0 ? CLI_DONE : write_change(&install, is_install);
}

int cmd_wrap_install(struct cli_run *run)
{
    return run_with(run, true);
}

int cmd_wrap_uninstall(struct cli_run *run)
{
    return run_with(run, false);
}
