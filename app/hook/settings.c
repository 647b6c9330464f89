/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.c - change settings in small steps, each on the text of the step before, until nothing
 * is left to do.
 */
#include "settings.h"

#include <assert.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "json/builder.h"
#include "json/emit.h"
#include "json_splice.h"

enum { STEPS_MAX = 256 };

struct hook_settings {
    struct bt_arena *arena;
    const struct agent_host *host;
    const struct hook_entry_options *options;
    const struct bt_json_doc *wanted; /* the entry that is wanted in the present list */
    bt_str entry;                     /* as a compact text */
    struct bt_error *error;
    const struct bt_json_doc *document;
    const bt_json_value *hooks; /* NULL: none */
};

/* ---- Reading --------------------------------------------------------------------------------- */

static enum bt_status read_settings(struct hook_settings *settings, bt_str text)
{
    struct bt_json_read_result read = {0};
    /* from: file */
    BT_TRY(bt_json_read(settings->arena, text, NULL, &read));
    if (!read.document || bt_json_type(bt_json_root(read.document)) != BT_JSON_OBJECT) {
        return bt_error_set(settings->error, BT_EINVAL, "it is not a strict JSON object");
    }
    settings->document = read.document;
    settings->hooks = bt_json_get(read.document, bt_json_root(read.document), BT_STR("hooks"));
    if (settings->hooks && bt_json_type(settings->hooks) != BT_JSON_OBJECT) {
        return bt_error_set(settings->error, BT_EINVAL, "its hooks are not an object");
    }
    return BT_OK;
}

/* ---- Ownership ------------------------------------------------------------------------------- */

/* True when the word before `end` names Baton, perhaps with a path or quotes. */
static bool names_program(bt_str words, size_t end, const char *program)
{
    while (end > 0 && (words.ptr[end - 1] == '\'' || words.ptr[end - 1] == '"')) {
        end--;
    }
    size_t start = end;
    while (start > 0 && words.ptr[start - 1] != ' ') {
        start--;
    }
    while (start < end && (words.ptr[start] == '\'' || words.ptr[start] == '"')) {
        start++;
    }
    const bt_str name = bt_str_after_last(bt_str_slice(words, start, end), '/');
    return bt_str_eq(name, BT_STR("baton")) ||
           (program && bt_str_eq(name, bt_str_after_last(bt_str_of(program), '/')));
}

/* True when the words run the hook of this agent host. */
static bool is_own(bt_str words, const struct hook_settings *settings)
{
    const bt_str mark = BT_STR(" hook ");
    const bt_str name = bt_str_of(settings->host->name);
    for (size_t i = 0; i + mark.len <= words.len; i++) {
        const bt_str rest = bt_str_slice(words, i, words.len);
        const bt_str after = bt_str_slice(rest, mark.len, rest.len);
        const bool is_whole =
            after.len == name.len || (after.len > name.len && after.ptr[name.len] == ' ');
        if (bt_str_starts_with(rest, mark) && bt_str_starts_with(after, name) && is_whole &&
            names_program(words, i, settings->options->program)) {
            return true;
        }
    }
    return false;
}

/* The command of an object if it is Baton's, else NULL. */
static const bt_json_value *own_command(const struct hook_settings *settings,
                                        const bt_json_value *object)
{
    const bt_json_value *command =
        bt_json_get(settings->document, object, bt_str_of(settings->host->command));
    return command && bt_json_type(command) == BT_JSON_STRING &&
                   is_own(bt_json_text(command), settings)
               ? command
               : NULL;
}

/* The commands of an entry: those of its group, or the entry itself. */
static const bt_json_value *commands_of(const struct hook_settings *settings,
                                        const bt_json_value *entry, size_t *out_count)
{
    if (!settings->host->traits.groups) {
        *out_count = 1;
        return entry;
    }
    const bt_json_value *list = bt_json_get(settings->document, entry, BT_STR("hooks"));
    *out_count = list && bt_json_type(list) == BT_JSON_ARRAY ? bt_json_count(list) : 0;
    return *out_count > 0 ? bt_json_items(list) : NULL;
}

/* Count the commands of an entry that are Baton's; *out_first is the first of them. */
static size_t count_own(const struct hook_settings *settings, const bt_json_value *entry,
                        size_t *out_first)
{
    size_t count = 0;
    size_t own = 0;
    const bt_json_value *commands = commands_of(settings, entry, &count);
    for (size_t i = 0; i < count; i++) {
        if (own_command(settings, &commands[i])) {
            *out_first = own == 0 ? i : *out_first;
            own++;
        }
    }
    return own;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Each function makes one change to *text, or sets *out_done when there is none to make. */

/* Remove what is Baton's from the entry at `index`: the entry, or one of its commands. */
static enum bt_status take_out(const struct hook_settings *settings, const bt_json_value *list,
                               size_t index, bt_str *text)
{
    const bt_json_value *entry = &bt_json_items(list)[index];
    size_t count = 0;
    size_t first = 0;
    (void)commands_of(settings, entry, &count);
    if (count_own(settings, entry, &first) < count) {
        const bt_json_value *commands = bt_json_get(settings->document, entry, BT_STR("hooks"));
        return json_splice_remove(settings->arena, settings->document, commands, first, text);
    }
    return json_splice_remove(settings->arena, settings->document, list, index, text);
}

/* True when an entry is wanted in the list called `name`. */
static bool is_wanted_list(const struct hook_settings *settings, bt_str name)
{
    const struct hook_entry_options *options = settings->options;
    for (size_t i = 0; i < options->count; i++) {
        if (bt_str_eq(name, bt_str_of(options->entries[i].event))) {
            return true;
        }
    }
    return false;
}

/* Remove one entry of Baton from a list that is to have none; a list that would become empty is
 * removed as a whole. */
static enum bt_status remove_one(struct hook_settings *settings, bt_str *text, bool *out_done)
{
    const size_t lists = settings->hooks ? bt_json_count(settings->hooks) : 0;
    size_t first = 0;
    *out_done = false;
    for (size_t i = 0; i < lists; i++) {
        if (is_wanted_list(settings, bt_json_name(&bt_json_members(settings->hooks)[i]))) {
            continue;
        }
        const bt_json_value *list = &bt_json_members(settings->hooks)[i].value;
        const size_t count = bt_json_type(list) == BT_JSON_ARRAY ? bt_json_count(list) : 0;
        for (size_t j = 0; j < count; j++) {
            const bt_json_value *entry = &bt_json_items(list)[j];
            size_t commands = 0;
            (void)commands_of(settings, entry, &commands);
            const size_t own = count_own(settings, entry, &first);
            if (own > 0 && own == commands && count == 1) {
                return json_splice_remove(settings->arena, settings->document, settings->hooks, i,
                                          text);
            }
            if (own > 0) {
                return take_out(settings, list, j, text);
            }
        }
    }
    *out_done = true;
    return BT_OK;
}

/* Set whether the entry equals the wanted one. */
static enum bt_status is_wanted(const struct hook_settings *settings, const bt_json_value *entry,
                                bool *out)
{
    return bt_json_equal(settings->document, entry, settings->wanted,
                         bt_json_root(settings->wanted), settings->arena, out);
}

/*
 * Update one list: the first entry that is only Baton's becomes the wanted one, and others lose
 * what is Baton's; if there is none, the wanted one is added at the end.
 */
static enum bt_status update_list(struct hook_settings *settings, const bt_json_value *list,
                                  bt_str *text, bool *out_done)
{
    bool has_wanted = false;
    size_t first = 0;
    *out_done = false;
    for (size_t i = 0; i < bt_json_count(list); i++) {
        const bt_json_value *entry = &bt_json_items(list)[i];
        size_t count = 0;
        (void)commands_of(settings, entry, &count);
        const size_t own = count_own(settings, entry, &first);
        if (own == 0) {
            continue;
        }
        if (own < count || has_wanted) {
            return take_out(settings, list, i, text);
        }
        BT_TRY(is_wanted(settings, entry, &has_wanted));
        if (!has_wanted) {
            return json_splice_replace(settings->arena, settings->document, entry, settings->entry,
                                       text);
        }
    }
    *out_done = has_wanted;
    return has_wanted ? BT_OK
                      : json_splice_append(settings->arena, settings->document, list, "",
                                           settings->entry, text);
}

static enum bt_status update_version(struct hook_settings *settings, bt_str *text, bool *out_done)
{
    const bt_json_value *root = bt_json_root(settings->document);
    const bt_json_value *version = bt_json_get(settings->document, root, BT_STR("version"));
    *out_done = true;
    if (!settings->host->traits.has_version) {
        return BT_OK;
    }
    if (!version) {
        *out_done = false;
        return json_splice_append(settings->arena, settings->document, root, "version", BT_STR("1"),
                                  text);
    }
    return bt_json_type(version) == BT_JSON_INTEGER && version->as.integer == 1
               ? BT_OK
               : bt_error_set(settings->error, BT_EINVAL, "its version is not 1");
}

/* Add a list with the wanted entry. */
static enum bt_status add_list(struct hook_settings *settings, const char *event, bt_str *text)
{
    bt_str list;
    BT_TRY(bt_arena_printf(settings->arena, &list, "[%.*s]", BT_STR_ARG(settings->entry)));
    return json_splice_append(settings->arena, settings->document, settings->hooks, event, list,
                              text);
}

static void put_entry(struct bt_emit *emit, const struct hook_entry_options *options,
                      const struct hook_entry *entry)
{
    const struct agent_host *host = options->host;
    bt_emit_begin_object(emit);
    if (host->traits.groups) {
        if (options->matcher && !entry->is_tool) {
            bt_emit_member_string(emit, "matcher", bt_str_of(options->matcher));
        }
        bt_emit_member_array(emit, "hooks");
        bt_emit_begin_object(emit);
    }
    if (host->traits.has_type) {
        bt_emit_member_string(emit, "type", BT_STR("command"));
    }
    bt_emit_member_string(emit, host->command, entry->command);
    if (!(entry->is_tool && host->traits.limits_stops_only)) {
        bt_emit_member_u64(emit, host->limit, host->limit_number);
    }
    bt_emit_end(emit);
    if (host->traits.groups) {
        bt_emit_end(emit);
        bt_emit_end(emit);
    }
}

/* Build the entry that is wanted in a list. */
static enum bt_status build_entry(struct hook_settings *settings, const struct hook_entry *entry)
{
    struct bt_json_builder builder;
    put_entry(bt_json_builder_begin(&builder, settings->arena, NULL), settings->options, entry);
    BT_TRY(bt_json_builder_finish(&builder, BT_OK, &settings->wanted));
    return bt_json_write_text(settings->wanted, bt_json_root(settings->wanted),
                              BT_JSON_FORM_COMPACT, settings->arena, &settings->entry);
}

static enum bt_status add_one(struct hook_settings *settings, bt_str *text, bool *out_done)
{
    BT_TRY(update_version(settings, text, out_done));
    if (!*out_done) {
        return BT_OK;
    }
    if (!settings->hooks) {
        *out_done = false;
        return json_splice_append(settings->arena, settings->document,
                                  bt_json_root(settings->document), "hooks", BT_STR("{}"), text);
    }
    for (size_t i = 0; i < settings->options->count && *out_done; i++) {
        const char *event = settings->options->entries[i].event;
        const bt_json_value *list =
            bt_json_get(settings->document, settings->hooks, bt_str_of(event));
        BT_TRY(build_entry(settings, &settings->options->entries[i]));
        if (!list) {
            *out_done = false;
            return add_list(settings, event, text);
        }
        if (bt_json_type(list) != BT_JSON_ARRAY) {
            return bt_error_set(settings->error, BT_EINVAL, "its hooks.%s is not a list", event);
        }
        BT_TRY(update_list(settings, list, text, out_done));
    }
    return *out_done ? remove_one(settings, text, out_done) : BT_OK;
}

typedef enum bt_status step_fn(struct hook_settings *settings, bt_str *text, bool *out_done);

static enum bt_status apply_steps(struct hook_settings *settings, step_fn *step, bt_str text,
                                  bt_str *out)
{
    bool done = false;
    for (size_t i = 0; i < STEPS_MAX && !done; i++) {
        BT_TRY(read_settings(settings, text));
        BT_TRY(step(settings, &text, &done));
    }
    if (!done) {
        return bt_error_set(settings->error, BT_EINVAL, "it has too many entries of Baton");
    }
    *out = text;
    return BT_OK;
}

enum bt_status hook_settings_add(struct bt_arena *arena, bt_str text,
                                 const struct hook_entry_options *options, bt_str *out,
                                 struct bt_error *error)
{
    assert(options);
    assert(options->count > 0);
    struct hook_settings settings = {
        .arena = arena, .host = options->host, .options = options, .error = error};
    return apply_steps(&settings, add_one, text, out);
}

enum bt_status hook_settings_remove(struct bt_arena *arena, bt_str text,
                                    const struct hook_entry_options *options, bt_str *out,
                                    struct bt_error *error)
{
    struct hook_entry_options none = *options;
    struct hook_settings settings = {
        .arena = arena, .host = options->host, .options = &none, .error = error};
    none.count = 0;
    return apply_steps(&settings, remove_one, text, out);
}

/* The first command of Baton in a list; "": none. */
static bt_str find_in_list(const struct hook_settings *settings, const bt_json_value *list)
{
    const size_t count = bt_json_type(list) == BT_JSON_ARRAY ? bt_json_count(list) : 0;
    for (size_t i = 0; i < count; i++) {
        size_t commands = 0;
        size_t first = 0;
        const bt_json_value *entry = &bt_json_items(list)[i];
        const bt_json_value *all = commands_of(settings, entry, &commands);
        if (count_own(settings, entry, &first) > 0) {
            return bt_json_text(own_command(settings, &all[first]));
        }
    }
    return BT_STR("");
}

enum bt_status hook_settings_find(struct bt_arena *arena, bt_str text,
                                  const struct hook_entry_options *options,
                                  struct hook_settings_found *out, struct bt_error *error)
{
    struct hook_settings settings = {
        .arena = arena, .host = options->host, .options = options, .error = error};
    const bt_str stop = bt_str_of(hook_host_stop_event(options->host));
    BT_TRY(read_settings(&settings, text));
    const size_t lists = settings.hooks ? bt_json_count(settings.hooks) : 0;
    bt_str *events = BT_NEW_ARRAY(arena, bt_str, lists + 1);
    bt_str *commands = BT_NEW_ARRAY(arena, bt_str, lists + 1);
    BT_TRY(events && commands ? BT_OK : BT_ENOMEM);
    *out = (struct hook_settings_found){BT_STR(""), events, commands, 0};
    for (size_t i = 0; i < lists; i++) {
        const struct bt_json_member *member = &bt_json_members(settings.hooks)[i];
        const bt_str command = find_in_list(&settings, &member->value);
        if (command.len == 0) {
            continue;
        }
        commands[out->event_count] = command;
        events[out->event_count++] = bt_json_name(member);
        /* the command of the stop event is the plain one: others may name their event */
        if (out->command.len == 0 || bt_str_eq(bt_json_name(member), stop)) {
            out->command = command;
        }
    }
    return BT_OK;
}

/* ---- Commands -------------------------------------------------------------------------------- */

/* Put one word; returns where the rest begins. */
static size_t put_shell_word(struct bt_buf *buf, bt_str text, size_t at)
{
    bool is_quoted = false;
    for (; at < text.len && (is_quoted || text.ptr[at] != ' '); at++) {
        if (text.ptr[at] == '\'') {
            is_quoted = !is_quoted;
        } else if (text.ptr[at] == '\\' && !is_quoted && at + 1 < text.len) {
            bt_buf_put_char(buf, text.ptr[++at]);
        } else {
            bt_buf_put_char(buf, text.ptr[at]);
        }
    }
    return at;
}

enum bt_status hook_words(struct bt_arena *arena, bt_str command, const char ***out,
                          size_t *out_count)
{
    const char **words = BT_NEW_ARRAY(arena, const char *, command.len + 1);
    size_t count = 0;
    if (!words) {
        return BT_ENOMEM;
    }
    for (size_t at = 0; at < command.len;) {
        struct bt_buf buf;
        bt_str word;
        if (command.ptr[at] == ' ') {
            at++;
            continue;
        }
        bt_buf_init(&buf, command.len + 1);
        at = put_shell_word(&buf, command, at);
        const enum bt_status status = bt_buf_copy(&buf, arena, &word);
        bt_buf_free(&buf);
        BT_TRY(status);
        words[count++] = word.ptr;
    }
    *out = words;
    *out_count = count;
    return BT_OK;
}

const char *hook_settings_mode(bt_str command)
{
    static const char *const modes[] = {"observe", "fail-closed"};
    const bt_str flag = BT_STR(" --");
    for (size_t i = 0; i + flag.len <= command.len; i++) {
        const bt_str rest = bt_str_slice(command, i, command.len);
        const bt_str word = bt_str_slice(rest, flag.len, bt_str_find_byte(rest, ' ', flag.len));
        for (size_t j = 0; j < 2 && bt_str_starts_with(rest, flag); j++) {
            if (bt_str_eq(word, bt_str_of(modes[j]))) {
                return modes[j];
            }
        }
    }
    return command.len > 0 ? "enforce" : NULL;
}
