/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_completion.c - baton completion: a short script for bash, zsh and fish; baton complete: the
 * candidates that these scripts ask for, from the table of commands.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/file.h"
#include "cli.h"
#include "config/load.h"
#include "csv/csv.h"
#include "decide/contract_state.h"
#include "dialect/plan/plan_check.h"
#include "help.h"
#include "ledger/ledger.h"
#include "output.h"
#include "skill/skill.h"
#include "suggest.h"

/* ---- Scripts --------------------------------------------------------------------------------- */

/* bash splits --flag=value at the sign of equality, so the parts are joined again. */
static const char bash_script[] =
    "# bash completion for baton; made by: baton completion bash\n"
    "_baton()\n"
    "{\n"
    "    local line i last='' prefix='' words=() word\n"
    "    for ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [[ $last == --*= || ($word == = && $last == --*) ]]; then\n"
    "            words[${#words[@]} - 1]=$last$word\n"
    "            last=$last$word\n"
    "        else\n"
    "            words+=(\"$word\")\n"
    "            last=$word\n"
    "        fi\n"
    "    done\n"
    "    if [[ $last == --*=* ]]; then\n"
    "        prefix=${last%%=*}=\n"
    "    fi\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r line; do\n"
    "        line=${line%%$'\\t'*}\n"
    "        line=${line#\"$prefix\"}\n"
    "        COMPREPLY+=(\"$line\")\n"
    "    done < <(baton complete -- \"${words[@]}\" 2>/dev/null)\n"
    "    if [[ ${COMPREPLY[0]-} == */* || -e ${COMPREPLY[0]-} ]]; then\n"
    "        compopt -o filenames\n"
    "    fi\n"
    "    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=/] ]]; then\n"
    "        compopt -o nospace\n"
    "    fi\n"
    "}\n"
    "complete -F _baton baton\n";

/*
 * When found through fpath the file is the function; when read with `source` it must register
 * itself.
 */
static const char zsh_script[] =
    "#compdef baton\n"
    "# zsh completion for baton; made by: baton completion zsh\n"
    "_baton()\n"
    "{\n"
    "    local line name\n"
    "    local -a open described\n"
    "    for line in \"${(@f)$(baton complete -- \"${(@)words[2,CURRENT]}\" 2>/dev/null)}\"; do\n"
    "        name=${line%%$'\\t'*}\n"
    "        if [[ $name == *[=/] ]]; then\n"
    "            open+=(\"$name\")\n"
    "        elif [[ -n $name ]]; then\n"
    "            described+=(\"${name//:/\\\\:}:${line#*$'\\t'}\")\n"
    "        fi\n"
    "    done\n"
    "    (( ${#open} )) && compadd -S '' -- \"${open[@]}\"\n"
    "    (( ${#described} )) && _describe -o baton described\n"
    "    return 0\n"
    "}\n"
    "if [[ $funcstack[1] == _baton ]]; then\n"
    "    _baton \"$@\"\n"
    "else\n"
    "    compdef _baton baton\n"
    "fi\n";

static const char fish_script[] =
    "# fish completion for baton; made by: baton completion fish\n"
    "complete -c baton -f -a '(baton complete -- (commandline -opc)[2..-1] "
    "(commandline -ct) 2>/dev/null)'\n";

int cmd_completion(const struct cli_options *options)
{
    /* In the order of the words of CLI_SHELL. */
    static const char *const scripts[] = {bash_script, zsh_script, fish_script};
    size_t shell = 0;
    if (!cli_kind_find(CLI_SHELL, options->operands[0], &shell)) {
        (void)cli_refuse_word(options, CLI_SHELL, options->operands[0]);
        return CLI_FAILED;
    }
    return cli_print(bt_str_of(scripts[shell]));
}

/* ---- Candidates ------------------------------------------------------------------------------ */

enum { CANDIDATES_BYTES_MAX = 4 << 20, PATH_BYTES_MAX = 4096 };

/* One request for candidates. */
struct cli_completion {
    struct bt_buf out;
    const struct cli_command *command; /* that the words name */
    const struct cli_flag *flag;       /* whose value is completed; NULL: none is */
    size_t operands;                   /* before the last word */
    bool flags_over;                   /* "--" was given */
    bt_str word;                       /* to be completed */
    bt_str before;                     /* printed before each candidate: "--as=" */
    char **words;
    size_t count;
};

static bool begins_with(bt_str text, bt_str beginning)
{
    return bt_ascii_equal_nocase(bt_str_slice(text, 0, beginning.len), beginning);
}

/* Put a candidate if it begins with the word. Names with control characters are left out. */
static void offer_name(struct cli_completion *completion, bt_str name, bt_str meaning)
{
    if (!begins_with(name, completion->word)) {
        return;
    }
    for (size_t i = 0; i < name.len; i++) {
        if (bt_ascii_is_control(name.ptr[i])) {
            return;
        }
    }
    bt_buf_put(&completion->out, completion->before);
    bt_buf_put(&completion->out, name);
    bt_buf_put_char(&completion->out, '\t');
    bt_buf_put_printable(&completion->out, meaning, SIZE_MAX);
    bt_buf_put_char(&completion->out, '\n');
}

/* The meaning of a word of a kind. */
static bt_str find_meaning(enum cli_kind kind, bt_str word)
{
    if (kind == CLI_CODE) {
        return bt_rules_at(bt_rules_find(word))->meaning;
    }
    if (kind == CLI_DIALECT) {
        return bt_dialect_summary(bt_dialect_find(word));
    }
    return bt_str_of(cli_kinds[kind].noun);
}

static void offer_words(struct cli_completion *completion, enum cli_kind kind)
{
    bt_str last = BT_STR("");
    for (size_t i = 0; cli_kind_word(kind, i).len > 0; i++) {
        const bt_str word = cli_kind_word(kind, i);
        if (!bt_str_eq(word, last)) {
            offer_name(completion, word, find_meaning(kind, word));
        }
        last = word;
    }
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* True when a file of this kind may have the name. */
static bool has_kind(enum cli_kind kind, bt_str name)
{
    const bt_str *suffixes = cli_kinds[kind].suffixes;
    for (size_t i = 0; suffixes && suffixes[i].len > 0; i++) {
        if (bt_str_ends_with(name, suffixes[i])) {
            return true;
        }
    }
    return kind == CLI_FILE;
}

/* Offer one entry of the folder `typed`, which the user wrote that way. */
static void offer_entry(struct cli_completion *completion, enum cli_kind kind, bt_str typed,
                        const char *folder, const char *name)
{
    char path[PATH_BYTES_MAX];
    char shown[PATH_BYTES_MAX];
    struct stat info;
    if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= PATH_BYTES_MAX ||
        stat(path, &info) != 0) {
        return;
    }
    const bool is_folder = S_ISDIR(info.st_mode);
    if (!is_folder && !has_kind(kind, bt_str_of(name))) {
        return;
    }
    if (snprintf(shown, sizeof(shown), "%.*s%s%s", BT_STR_ARG(typed), name, is_folder ? "/" : "") <
        PATH_BYTES_MAX) {
        offer_name(completion, bt_str_of(shown), is_folder ? BT_STR("folder") : BT_STR("file"));
    }
}

/* The folder of a path as the system knows it. False when it is too long. */
static bool find_folder(bt_str typed, char out[PATH_BYTES_MAX])
{
    const char *home = getenv("HOME");
    const bool is_home = home && bt_str_starts_with(typed, BT_STR("~/"));
    const bt_str rest = is_home ? bt_str_slice(typed, 1, typed.len) : typed;
    const int size = snprintf(out, PATH_BYTES_MAX, "%s%.*s", is_home ? home : "", BT_STR_ARG(rest));
    return size >= 0 && size < PATH_BYTES_MAX;
}

static void offer_files(struct cli_completion *completion, enum cli_kind kind)
{
    const bt_str word = completion->word;
    size_t slash = word.len;
    while (slash > 0 && word.ptr[slash - 1] != '/') {
        slash--;
    }
    const bt_str typed = bt_str_slice(word, 0, slash);
    const bool shows_hidden = slash < word.len && word.ptr[slash] == '.';
    char folder[PATH_BYTES_MAX] = ".";
    struct bt_arena arena;
    if (slash > 0 && !find_folder(typed, folder)) {
        return;
    }
    bt_arena_init(&arena, CANDIDATES_BYTES_MAX);
    const struct cli_folder_names *names = cli_folder_names_new(&arena, folder);
    for (size_t i = 0; names && i < names->count; i++) {
        if (shows_hidden || names->names[i].ptr[0] != '.') {
            offer_entry(completion, kind, typed, folder, names->names[i].ptr);
        }
    }
    bt_arena_free(&arena);
}

/* ---- Names ----------------------------------------------------------------------------------- */

enum {
    NAMES_BYTES_MAX = 64 << 20,
    PLAN_BYTES_MAX = 8 << 20,
    STORE_MS_MAX = 100, /* a person waits for the candidates */
};

/* The values of a flag before the last word, `--store x` or `--store=x`; NULL after the last. */
static const char *find_value(const struct cli_completion *completion, const struct cli_flag *flag,
                              size_t index)
{
    const bt_str name = bt_str_of(flag->name);
    for (size_t i = 0; i + 1 < completion->count; i++) {
        const bt_str word = bt_str_of(completion->words[i]);
        const bt_str rest = bt_str_slice(word, name.len + 2, word.len);
        if (!bt_str_starts_with(word, BT_STR("--")) ||
            !bt_str_eq(bt_str_slice(word, 2, name.len + 2), name) ||
            (rest.len > 0 && rest.ptr[0] != '=') || (rest.len == 0 && i + 2 >= completion->count)) {
            continue;
        }
        if (index-- == 0) {
            return rest.len > 0 ? rest.ptr + 1 : completion->words[i + 1];
        }
    }
    return NULL;
}

/* The configuration that the command would have; defaults where it cannot be used. */
static const struct bt_config *load_config(const struct cli_completion *completion,
                                           struct bt_arena *arena)
{
    const struct cli_command *command = completion->command;
    const struct config_load_options wanted = {.use = command->config.use ? command->config.use
                                                                          : BT_CONFIG_JUDGES,
                                               .file = find_value(completion, &flag_config, 0)};
    struct config_load_loaded loaded;
    struct bt_error error;
    return config_load(arena, &wanted, &loaded, &error) == BT_OK && loaded.config
               ? loaded.config
               : bt_config_defaults();
}

static void offer_skills(struct cli_completion *completion, struct bt_arena *arena)
{
    const struct bt_config *config = load_config(completion, arena);
    const struct bt_skill_catalogue *catalogue = NULL;
    struct bt_error error;
    size_t count = 0;
    while (find_value(completion, &flag_skills, count)) {
        count++;
    }
    const bool is_flagged = count > 0;
    count = is_flagged ? count : bt_config_count(config, "skills");
    bt_str *folders = BT_NEW_ARRAY(arena, bt_str, count + 1);
    for (size_t i = 0; folders && i < count; i++) {
        folders[i] = bt_str_of(find_value(completion, &flag_skills, i));
        if (!is_flagged && bt_config_item_path(config, "skills", i, arena, &folders[i]) != BT_OK) {
            return;
        }
    }
    const struct bt_skill_catalogue_options wanted = {
        .folders = folders, .folder_count = count, .registry = BT_STR("")};
    if (!folders || count == 0 ||
        bt_skill_catalogue_open(arena, &wanted, &catalogue, &error) != BT_OK) {
        return;
    }
    for (size_t i = 0; i < bt_skill_catalogue_count(catalogue); i++) {
        offer_name(completion, bt_skill_catalogue_at(catalogue, i)->name, BT_STR("skill"));
    }
}

/* The plan among the words: the value of --plan, or a word that ends as plans do. */
static const char *find_plan(const struct cli_completion *completion)
{
    const char *plan = find_value(completion, &flag_plan, 0);
    for (size_t i = 0; !plan && i < completion->count; i++) {
        plan = has_kind(CLI_PLAN, bt_str_of(completion->words[i])) ? completion->words[i] : NULL;
    }
    return plan;
}

static void offer_steps(struct cli_completion *completion, struct bt_arena *arena)
{
    const char *plan = find_plan(completion);
    struct bt_csv_read_result read;
    bt_str text;
    if (!plan || bt_file_read(arena, bt_str_of(plan), PLAN_BYTES_MAX, &text, NULL) != BT_OK ||
        bt_csv_read(arena, text, NULL, &read) != BT_OK || !read.table) {
        return;
    }
    const struct bt_csv_row *rows = read.table->rows;
    size_t column = 0;
    while (column < rows[0].count &&
           !bt_str_eq(bt_plan_trim(rows[0].cells[column].text), BT_STR("step")) &&
           !bt_str_eq(bt_plan_trim(rows[0].cells[column].text), BT_STR("step_id"))) {
        column++;
    }
    for (size_t i = 1; i < read.table->count; i++) {
        if (column < rows[i].count) {
            offer_name(completion, bt_plan_trim(rows[i].cells[column].text), BT_STR("step"));
        }
    }
}

/* The ledger that the command would open, for reading only; NULL: there is none. */
static struct bt_ledger *open_ledger(const struct cli_completion *completion,
                                     struct bt_arena *arena)
{
    const char *environment = getenv("BATON_STORE");
    const char *given = find_value(completion, &flag_store, 0);
    bt_str store = bt_str_of(given ? given : environment);
    struct bt_ledger *ledger = NULL;
    struct bt_error error;
    if (store.len == 0 &&
        bt_config_path(load_config(completion, arena), "store", arena, &store) != BT_OK) {
        return NULL;
    }
    const struct bt_ledger_options where = {.store = store.len > 0 ? store.ptr : NULL,
                                            .root = find_value(completion, &flag_store_root, 0),
                                            .deadline_ms = STORE_MS_MAX};
    return bt_ledger_open(&where, false, &ledger, &error) == BT_OK ? ledger : NULL;
}

/* Offer the requests that still can be decided, revoked or used. */
static void offer_approvals(struct cli_completion *completion, struct bt_arena *arena)
{
    const uint64_t until_ms = bt_clock_monotonic_ms() + STORE_MS_MAX;
    struct bt_env env;
    struct bt_contract_state gate = {
        .arena = arena, .actor = BT_STR("cli"), .alarms = bt_findings_new(arena)};
    const struct bt_approval_filter filter = {.status = BT_STR(""), .workspace = BT_STR("")};
    struct bt_approval_list found = {0};
    struct bt_error error;
    if (!gate.alarms || bt_env_init(&env) != BT_OK ||
        bt_contract_checker_create(&env, &gate.contract) != BT_OK) {
        return;
    }
    gate.ledger = open_ledger(completion, arena);
    if (gate.ledger) {
        bt_ledger_set_deadline(gate.ledger, until_ms);
        if (bt_approvals_list(&gate, &filter, &found, &error) != BT_OK) {
            found.count = 0;
        }
    }
    for (size_t i = 0; i < found.count; i++) {
        const struct bt_approval *approval = &found.items[i];
        bt_str meaning;
        if ((bt_str_eq(approval->status, BT_STR("pending")) ||
             bt_str_eq(approval->grant, BT_STR("active"))) &&
            bt_arena_printf(arena, &meaning, "%.*s, requested by %.*s",
                            BT_STR_ARG(approval->status),
                            BT_STR_ARG(approval->agent_id)) == BT_OK) {
            offer_name(completion, approval->id, meaning);
        }
    }
    bt_ledger_close(gate.ledger);
    bt_contract_checker_destroy(gate.contract);
}

/* Offer names that files or a store hold. What cannot be read offers nothing. */
static void offer_names(struct cli_completion *completion, enum cli_kind kind)
{
    struct bt_arena arena;
    bt_arena_init(&arena, NAMES_BYTES_MAX);
    if (kind == CLI_SKILL) {
        offer_skills(completion, &arena);
    } else if (kind == CLI_STEP) {
        offer_steps(completion, &arena);
    } else {
        offer_approvals(completion, &arena);
    }
    bt_arena_free(&arena);
}

/* ---- Flags and operands ---------------------------------------------------------------------- */

static void offer_kind(struct cli_completion *completion, enum cli_kind kind)
{
    if (kind == CLI_SKILL || kind == CLI_STEP || kind == CLI_APPROVAL) {
        offer_names(completion, kind);
    } else if (kind == CLI_FILE || kind == CLI_FOLDER || cli_kinds[kind].suffixes) {
        offer_files(completion, kind);
    } else {
        offer_words(completion, kind);
    }
}

static void offer_flags(struct cli_completion *completion)
{
    char name[128];
    for (const uint16_t *number = completion->command->flags; *number; number++) {
        const struct cli_flag *flag = cli_flag_rows[*number];
        if (flag->name[0]) {
            (void)snprintf(name, sizeof(name), "--%s", flag->name);
        } else {
            (void)snprintf(name, sizeof(name), "-%c", flag->letter);
        }
        offer_name(completion, bt_str_of(name), bt_str_of(flag->help));
    }
}

static void offer_parts(struct cli_completion *completion, const struct cli_command *command)
{
    for (const struct cli_command *const *part = command->parts; part && *part; part++) {
        offer_name(completion, bt_str_of(cli_command_word(*part)), bt_str_of((*part)->summary));
    }
}

/* The words after help and man are those of commands. */
static void offer_command_words(struct cli_completion *completion)
{
    const struct cli_command *command = &cli_baton;
    for (size_t i = completion->count - 1 - completion->operands; i + 1 < completion->count; i++) {
        command = command ? cli_command_part(command, completion->words[i]) : NULL;
    }
    if (command) {
        offer_parts(completion, command);
    }
    if (completion->operands == 0 && completion->command->operand_kind == CLI_TOPIC) {
        offer_words(completion, CLI_TOPIC);
    }
}

/* The kind of the operand in place of the last word: those of `plan status set` differ. */
static enum cli_kind find_operand_kind(const struct cli_completion *completion)
{
    static const enum cli_kind status_kinds[] = {CLI_PLAN, CLI_STEP, CLI_STEP_STATUS};
    const struct cli_command *command = completion->command;
    return command->work == cmd_plan_status_set ? status_kinds[completion->operands]
                                                : command->operand_kind;
}

/* Offer what can stand in place of the last word. */
static void offer_all(struct cli_completion *completion)
{
    const struct cli_command *command = completion->command;
    const bt_str word = completion->word;
    const size_t equals = bt_str_find_byte(word, '=', 0);
    const bool is_flag = !completion->flags_over && word.len > 0 && word.ptr[0] == '-';
    if (completion->flag) {
        offer_kind(completion, completion->flag->kind);
    } else if (is_flag && equals < word.len && bt_str_starts_with(word, BT_STR("--"))) {
        const struct cli_flag *flag = cli_find_flag(command, bt_str_slice(word, 2, equals), 0);
        completion->before = bt_str_slice(word, 0, equals + 1);
        completion->word = bt_str_slice(word, equals + 1, word.len);
        if (flag && flag->argument) {
            offer_kind(completion, flag->kind);
        }
    } else if (is_flag) {
        offer_flags(completion);
    } else if (command->operand_kind == CLI_TOPIC || command->operand_kind == CLI_COMMAND) {
        offer_command_words(completion);
    } else {
        if (completion->operands == 0) {
            offer_parts(completion, command);
        }
        if (completion->operands < command->operands_max) {
            offer_kind(completion, find_operand_kind(completion));
        }
    }
}

/* Read a word that begins with a dash, before the last one. */
static void read_flag(struct cli_completion *completion, const char *word)
{
    const bt_str name = bt_str_of(word[1] == '-' ? word + 2 : "");
    if (strcmp(word, "--") == 0) {
        completion->flags_over = true;
        return;
    }
    const struct cli_flag *flag = cli_find_flag(completion->command, name, word[1]);
    const bool is_attached = name.len == 0 && word[2] != '\0';
    completion->flag = flag && flag->argument && !is_attached ? flag : NULL;
}

/* Follow the words before the last one. */
static void read_words(struct cli_completion *completion)
{
    for (size_t i = 0; i + 1 < completion->count; i++) {
        const char *word = completion->words[i];
        const struct cli_command *part =
            completion->operands == 0 ? cli_command_part(completion->command, word) : NULL;
        if (completion->flag) {
            completion->flag = NULL; /* this is its value */
        } else if (!completion->flags_over && word[0] == '-' && word[1]) {
            read_flag(completion, word);
        } else if (part) {
            completion->command = part;
        } else {
            completion->operands++;
        }
    }
}

int cmd_complete(const struct cli_options *options)
{
    struct cli_completion completion = {
        .command = &cli_baton,
        .before = BT_STR(""),
        .words = options->operands,
        .count = options->operand_count,
    };
    if (completion.count > 0) {
        completion.word = bt_str_of(completion.words[completion.count - 1]);
    }
    bt_buf_init(&completion.out, CANDIDATES_BYTES_MAX);
    read_words(&completion);
    offer_all(&completion);
    return cli_print_document(&completion.out);
}
