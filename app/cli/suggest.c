/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.c - errors about unknown values: what is allowed, and what was probably meant. */
#include "suggest.h"

#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "output.h"

enum {
    ALLOWED_MAX = 48, /* longer lists are not printed */
    MEANT_MAX = 5,
    PREFIX_BYTES_MIN = 3,
    ERROR_BYTES_MAX = 4096,
    FLAGS_MAX = 128,
    FOLDER_BYTES_MAX = 4096,
    NAMES_BYTES_MAX = 4 << 20,
};

/* ---- What was meant -------------------------------------------------------------------------- */

static bt_str get_kind_word(const void *context, size_t index)
{
    const struct cli_kind_words *words = context;
    const bt_str word = cli_kind_word((enum cli_kind)(words - cli_kinds), index);
    /* The words of limits end in the equals sign that must follow them. */
    return bt_str_slice(word, 0, bt_str_find_byte(word, '=', 0));
}

struct cli_allowed cli_allow_kind(enum cli_kind kind)
{
    return (struct cli_allowed){
        .at = get_kind_word, .context = &cli_kinds[kind], .count = cli_kind_count(kind)};
}

static bt_str get_allowed(const struct cli_allowed *allowed, size_t index)
{
    return allowed->at(allowed->context, index);
}

/* Collect up to five values that begin with the word, each once. */
static size_t find_longer(bt_str word, const struct cli_allowed *allowed, bt_str out[MEANT_MAX])
{
    size_t count = 0;
    if (word.len < (allowed->prefers_longer ? 1 : PREFIX_BYTES_MIN)) {
        return 0;
    }
    for (size_t i = 0; i < allowed->count && count < MEANT_MAX; i++) {
        const bt_str value = get_allowed(allowed, i);
        if (bt_ascii_equal_nocase(bt_str_slice(value, 0, word.len), word) &&
            (count == 0 || !bt_str_eq(out[count - 1], value))) {
            out[count++] = value;
        }
    }
    return count;
}

void cli_put_meant(struct bt_buf *buf, bt_str word, const struct cli_allowed *allowed)
{
    const char *dashes = allowed->dashes ? allowed->dashes : "";
    bt_str meant[MEANT_MAX];
    size_t count = find_longer(word, allowed, meant);
    const size_t nearest = bt_nearest_word(word, allowed->at, allowed->context, allowed->count);
    if (nearest < allowed->count && !(allowed->prefers_longer && count > 0)) {
        meant[0] = get_allowed(allowed, nearest);
        count = 1;
    }
    for (size_t i = 0; i < count; i++) {
        bt_buf_put_text(buf, i == 0 ? ", did you mean " : i + 1 == count ? " or " : ", ");
        bt_buf_put_text(buf, dashes);
        bt_buf_put(buf, meant[i]);
    }
    bt_buf_put_text(buf, count > 0 ? "?" : "");
}

/* ---- Errors ---------------------------------------------------------------------------------- */

void cli_print_allowed(const struct cli_allowed *allowed)
{
    struct bt_buf buf;
    bt_buf_init(&buf, ERROR_BYTES_MAX);
    for (size_t i = 0; i < allowed->count && allowed->count <= ALLOWED_MAX; i++) {
        bt_buf_put_text(&buf, i > 0 ? ", " : "");
        bt_buf_put_text(&buf, allowed->dashes ? allowed->dashes : "");
        bt_buf_put(&buf, get_allowed(allowed, i));
    }
    if (buf.len > 0 && buf.status == BT_OK) {
        cli_print_hint("allowed: %.*s", BT_STR_ARG(bt_buf_str(&buf)));
    }
    bt_buf_free(&buf);
}

int cli_print_unknown(const struct cli_command *command, const struct cli_unknown *unknown)
{
    const struct cli_allowed *allowed = &unknown->allowed;
    struct bt_buf buf;
    bt_buf_init(&buf, ERROR_BYTES_MAX);
    cli_put_meant(&buf, unknown->word, allowed);
    cli_print_error("%s%sunknown %s %s%.*s%.*s", unknown->where ? unknown->where : "",
                    unknown->where ? ": " : "", unknown->noun,
                    allowed->dashes ? allowed->dashes : "", BT_STR_ARG(unknown->word),
                    BT_STR_ARG(bt_buf_str(&buf)));
    bt_buf_free(&buf);
    cli_print_allowed(allowed);
    cli_print_hint("see %s --help", command->name);
    return cli_misuse_code(command);
}

bool cli_refuse_word(const struct cli_options *options, enum cli_kind kind, const char *word)
{
    const struct cli_unknown unknown = {
        .noun = cli_kinds[kind].noun, .word = bt_str_of(word), .allowed = cli_allow_kind(kind)};
    (void)cli_print_unknown(options->command, &unknown);
    return false;
}

/* True when a value is one of a closed list, or begins with one of its words that end in "=". */
static bool is_in_kind(enum cli_kind kind, const char *value)
{
    const bt_str text = bt_str_of(value);
    const size_t equals = bt_str_find_byte(text, '=', 0);
    const bt_str first = cli_kind_word(kind, 0);
    enum bt_severity severity = BT_SEVERITY_NONE;
    size_t index = 0;
    if (kind == CLI_SEVERITY) { /* it has several spellings */
        return bt_severity_parse(text, &severity) == BT_OK;
    }
    if (first.len == 0 || cli_kinds[kind].is_open || cli_kind_find(kind, value, &index)) {
        return true;
    }
    if (first.ptr[first.len - 1] != '=') {
        return false;
    }
    for (size_t i = 0; cli_kind_word(kind, i).len > 0; i++) {
        if (bt_str_eq(cli_kind_word(kind, i), bt_str_slice(text, 0, equals + 1))) {
            return true;
        }
    }
    return equals == text.len; /* the command says what is missing */
}

bool cli_refuse_value(const struct cli_options *options, const struct cli_flag *flag,
                      const char *value)
{
    char where[64];
    const bt_str text = bt_str_of(value);
    /* A flag of the same name may take other words in another command. */
    const struct cli_flag *own = cli_find_flag(options->command, bt_str_of(flag->name), '\0');
    flag = own ? own : flag;
    (void)snprintf(where, sizeof(where), "--%s", flag->name);
    const struct cli_unknown unknown = {
        .where = where,
        .noun = cli_kinds[flag->kind].noun,
        .word = bt_str_slice(text, 0, bt_str_find_byte(text, '=', 0)),
        .allowed = cli_allow_kind(flag->kind),
    };
    (void)cli_print_unknown(options->command, &unknown);
    return false;
}

bool cli_check_value(const struct cli_options *options, const struct cli_flag *flag,
                     const char *value)
{
    return is_in_kind(flag->kind, value) || cli_refuse_value(options, flag, value);
}

static bt_str get_part(const void *context, size_t index)
{
    const struct cli_command *command = context;
    return bt_str_of(cli_command_word(command->parts[index]));
}

/* True when a row of cli_absent is the sub-command or flag `word` of `command`. */
static bool is_absent_row(const struct cli_absent *row, const struct cli_command *command,
                          bt_str word, bool is_flag)
{
    const bt_str name = bt_str_of(row->command);
    const bt_str above = bt_str_of(command->name);
    if (is_flag || row->flag) {
        return is_flag && row->flag && bt_str_eq(name, above) &&
               bt_str_eq(bt_str_of(row->flag), word);
    }
    return bt_str_starts_with(name, above) && name.len == above.len + 1 + word.len &&
           name.ptr[above.len] == ' ' && bt_str_ends_with(name, word);
}

bool cli_print_absent(const struct cli_command *command, bt_str word, bool is_flag)
{
    assert(command);
    for (const struct cli_absent *row = cli_absent; row->command; row++) {
        if (is_absent_row(row, command, word, is_flag)) {
            cli_print_error("this build has no %s", row->part);
            return true;
        }
    }
    return false;
}

int cli_print_unknown_command(const struct cli_command *command, const char *word)
{
    if (cli_print_absent(command, bt_str_of(word), false)) {
        return CLI_FAILED;
    }
    struct cli_unknown unknown = {.noun = "command",
                                  .word = bt_str_of(word),
                                  .allowed = {.at = get_part, .context = command}};
    while (command->parts && command->parts[unknown.allowed.count]) {
        unknown.allowed.count++;
    }
    if (word) {
        return cli_print_unknown(command, &unknown);
    }
    cli_print_error("%s", command->missing);
    cli_print_allowed(&unknown.allowed);
    cli_print_hint("see %s --help", command->name);
    return cli_misuse_code(command);
}

static bt_str get_flag_name(const void *context, size_t index)
{
    return bt_str_of(((const struct cli_flag *const *)context)[index]->name);
}

bool cli_refuse_flag(const struct cli_command *command, bt_str name)
{
    if (cli_print_absent(command, name, true)) {
        return false;
    }
    const struct cli_flag *named[FLAGS_MAX];
    size_t count = 0;
    for (size_t i = 0; command->flags[i] && count < FLAGS_MAX; i++) {
        const struct cli_flag *flag = cli_flag_rows[command->flags[i]];
        if (flag->name[0]) {
            named[count++] = flag;
        }
    }
    const struct cli_unknown unknown = {
        .noun = "flag",
        .word = name,
        .allowed = {.at = get_flag_name, .context = named, .count = count, .dashes = "--"}};
    (void)cli_print_unknown(command, &unknown);
    return false;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static bt_str get_name(const void *context, size_t index)
{
    return ((const struct cli_folder_names *)context)->names[index];
}

static int compare_names(const void *a, const void *b)
{
    return bt_str_compare(*(const bt_str *)a, *(const bt_str *)b);
}

struct cli_folder_names *cli_folder_names_new(struct bt_arena *arena, const char *folder)
{
    struct cli_folder_names *out = BT_NEW(arena, struct cli_folder_names);
    DIR *dir = out ? opendir(folder) : NULL;
    const struct dirent *entry = NULL;
    if (!dir) {
        return NULL;
    }
    while (out->count < CLI_NAMES_MAX && (entry = readdir(dir))) {
        const bt_str name = bt_str_of(entry->d_name);
        if (!bt_str_eq(name, BT_STR(".")) && !bt_str_eq(name, BT_STR("..")) &&
            bt_arena_copy(arena, name, &out->names[out->count]) == BT_OK) {
            out->count++;
        }
    }
    (void)closedir(dir);
    qsort(out->names, out->count, sizeof(out->names[0]), compare_names);
    return out;
}

void cli_print_near_file(bt_str path)
{
    char folder[FOLDER_BYTES_MAX];
    size_t slash = path.len;
    while (slash > 0 && path.ptr[slash - 1] != '/') {
        slash--;
    }
    const bt_str name = bt_str_slice(path, slash, path.len);
    if (name.len == 0 || slash >= sizeof(folder)) {
        return;
    }
    (void)snprintf(folder, sizeof(folder), "%.*s", (int)slash, path.ptr);
    struct bt_arena arena;
    bt_arena_init(&arena, NAMES_BYTES_MAX);
    const struct cli_folder_names *names = cli_folder_names_new(&arena, slash > 0 ? folder : ".");
    if (names) {
        const size_t nearest = bt_nearest_word(name, get_name, names, names->count);
        /* A link that leads nowhere has the very name. */
        if (nearest < names->count && !bt_str_eq(names->names[nearest], name)) {
            cli_print_hint("did you mean %s%.*s?", folder, BT_STR_ARG(names->names[nearest]));
        }
    }
    bt_arena_free(&arena);
}
