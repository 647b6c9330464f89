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
#include "cli.h"
#include "help.h"
#include "output.h"
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
    bt_buf_put(&completion->out, meaning);
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

/* ---- Flags and operands ---------------------------------------------------------------------- */

static void offer_kind(struct cli_completion *completion, enum cli_kind kind)
{
    if (kind == CLI_FILE || kind == CLI_FOLDER || cli_kinds[kind].suffixes) {
        offer_files(completion, kind);
    } else {
        offer_words(completion, kind);
    }
}

static void offer_flags(struct cli_completion *completion)
{
    char name[128];
    for (const struct cli_flag *const *flag = completion->command->flags; *flag; flag++) {
        if ((*flag)->name[0]) {
            (void)snprintf(name, sizeof(name), "--%s", (*flag)->name);
        } else {
            (void)snprintf(name, sizeof(name), "-%c", (*flag)->letter);
        }
        offer_name(completion, bt_str_of(name), bt_str_of((*flag)->help));
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
            offer_kind(completion, command->operand_kind);
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
