/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_completion.c - baton completion: bash, zsh and fish, from the table of commands */
#include <assert.h>

#include "cli.h"
#include "help.h"
#include "output.h"
#include "suggest.h"

/* Put the words of a kind, separated by spaces; a repeated word is put once. */
static void put_words(struct bt_buf *buf, enum cli_kind kind)
{
    bt_str last = BT_STR("");
    bt_str word = cli_kind_word(kind, 0);
    for (size_t i = 1; word.len > 0; i++) {
        if (!bt_str_eq(word, last)) {
            bt_buf_put_text(buf, last.len > 0 ? " " : "");
            bt_buf_put(buf, word);
        }
        last = word;
        word = cli_kind_word(kind, i);
    }
}

/* True when the kind has words. */
static bool kind_has_words(enum cli_kind kind)
{
    return cli_kind_word(kind, 0).len > 0;
}

/*
 * Put the full names of all commands except `baton`, each in double quotes, separated by `between`.
 */
static void put_names(struct bt_buf *buf, const char *between)
{
    const struct cli_command *command = NULL;
    for (size_t i = 1; (command = cli_command_at(i)); i++) {
        bt_buf_printf(buf, "%s\"%s\"", i > 1 ? between : "", command->name);
    }
}

/* ---- bash ------------------------------------------------------------------------------------ */

/* bash splits --flag=value into three words, so the flag may be two words back. */
static const char head[] = "# bash completion for baton; made by: baton completion bash\n"
                           "_baton()\n"
                           "{\n"
                           "    local at=baton cur=${COMP_WORDS[COMP_CWORD]} i prev words=\n"
                           "    prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
                           "    COMPREPLY=()\n"
                           "    if [[ $cur == = ]]; then\n"
                           "        cur=\n"
                           "    elif [[ $prev == = ]]; then\n"
                           "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
                           "    fi\n"
                           "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                           "        case \"$at ${COMP_WORDS[i]}\" in\n"
                           "        ";

static const char files[] = "compopt -o filenames; "
                            "mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); return";
static const char folders[] = "compopt -o filenames; "
                              "mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"); return";

/* Put the completion of a value of this kind. */
static void put_bash_action(struct bt_buf *buf, enum cli_kind kind)
{
    if (kind_has_words(kind)) {
        bt_buf_put_text(buf, kind == CLI_LIMIT ? "compopt -o nospace; words='" : "words='");
        put_words(buf, kind);
        bt_buf_put_char(buf, '\'');
    } else if (kind == CLI_FILE) {
        bt_buf_put_text(buf, files);
    } else if (kind == CLI_FOLDER) {
        bt_buf_put_text(buf, folders);
    } else {
        bt_buf_put_text(buf, "return");
    }
}

/* Put the flags of a command that take a value, and what may follow them. */
static void put_values(struct bt_buf *buf, const struct cli_command *command)
{
    for (const struct cli_flag *const *flag = command->flags; *flag; flag++) {
        if (!(*flag)->argument) {
            continue;
        }
        bt_buf_printf(buf, "    \"%s --%s\"", command->name, (*flag)->name);
        if ((*flag)->letter) {
            bt_buf_printf(buf, " | \"%s -%c\"", command->name, (*flag)->letter);
        }
        bt_buf_put_text(buf, ") ");
        put_bash_action(buf, (*flag)->kind);
        bt_buf_put_text(buf, " ;;\n");
    }
}

static void put_flags(struct bt_buf *buf, const struct cli_command *command)
{
    for (const struct cli_flag *const *flag = command->flags; *flag; flag++) {
        bt_buf_printf(buf, "%s--%s", flag == command->flags ? "" : " ", (*flag)->name);
        if ((*flag)->letter) {
            bt_buf_printf(buf, " -%c", (*flag)->letter);
        }
    }
}

/*
 * Put what is offered where no flag waits for its value: flags after a dash, else sub-commands or
 * operands.
 */
static void put_offer(struct bt_buf *buf, const struct cli_command *command)
{
    bt_buf_printf(buf, "        \"%s\")\n            if [[ $cur == -* ]]; then words='",
                  command->name);
    put_flags(buf, command);
    bt_buf_put_text(buf, "'; else ");
    if (command->parts) {
        bt_buf_put_text(buf, "words='");
        for (const struct cli_command *const *part = command->parts; *part; part++) {
            bt_buf_printf(buf, "%s%s", part == command->parts ? "" : " ", cli_command_word(*part));
        }
        bt_buf_put_char(buf, '\'');
    } else {
        put_bash_action(buf, command->operand_kind);
    }
    bt_buf_put_text(buf, "; fi ;;\n");
}

static void put_bash(struct bt_buf *buf)
{
    assert(buf);
    bt_buf_put_text(buf, head);
    put_names(buf, " | \\\n        ");
    bt_buf_put_text(buf, ") at=\"$at ${COMP_WORDS[i]}\" ;;\n"
                         "        esac\n"
                         "    done\n"
                         "    case \"$at $prev\" in\n");
    const struct cli_command *command = NULL;
    for (size_t i = 0; (command = cli_command_at(i)); i++) {
        put_values(buf, command);
    }
    bt_buf_put_text(buf, "    *)\n        case $at in\n");
    for (size_t i = 0; (command = cli_command_at(i)); i++) {
        put_offer(buf, command);
    }
    bt_buf_put_text(buf, "        esac ;;\n    esac\n"
                         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
                         "}\n"
                         "complete -F _baton baton\n");
}

/* ---- zsh ------------------------------------------------------------------------------------- */

/* Put text within single quotes and within the brackets or colons of a specification. */
static void put_spec_text(struct bt_buf *buf, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'') {
            bt_buf_put_text(buf, "'\\''");
        } else if (*text == '[' || *text == ']' || *text == ':' || *text == '\\') {
            bt_buf_printf(buf, "\\%c", *text);
        } else {
            bt_buf_put_char(buf, *text);
        }
    }
}

static void put_zsh_action(struct bt_buf *buf, enum cli_kind kind)
{
    if (kind == CLI_LIMIT) {
        /* Without a space after the equals sign, because the number belongs to the same word. */
        bt_buf_put_text(buf, "{compadd -S \"\" -- ");
        put_words(buf, kind);
        bt_buf_put_char(buf, '}');
    } else if (kind_has_words(kind)) {
        bt_buf_put_char(buf, '(');
        put_words(buf, kind);
        bt_buf_put_char(buf, ')');
    } else if (kind == CLI_FILE) {
        bt_buf_put_text(buf, "_files");
    } else if (kind == CLI_FOLDER) {
        bt_buf_put_text(buf, "_files -/");
    }
}

/* Put '*--name=[help]:ARGUMENT:action', once for each spelling of the flag. */
static void put_spelling(struct bt_buf *buf, const struct cli_flag *flag, bool is_short)
{
    if (is_short) {
        bt_buf_printf(buf, " \\\n            '*-%c", flag->letter);
    } else {
        bt_buf_printf(buf, " \\\n            '*--%s%s", flag->name, flag->argument ? "=" : "");
    }
    bt_buf_put_char(buf, '[');
    put_spec_text(buf, flag->help);
    bt_buf_put_char(buf, ']');
    if (flag->argument) {
        bt_buf_put_char(buf, ':');
        put_spec_text(buf, flag->argument);
        bt_buf_put_char(buf, ':');
        put_zsh_action(buf, flag->kind);
    }
    bt_buf_put_char(buf, '\'');
}

/* To _arguments the words that name the command are operands, hence the `*`. */
static void put_operands(struct bt_buf *buf, const struct cli_command *command)
{
    bt_buf_put_text(buf, " \\\n            '*:");
    put_spec_text(buf, command->operands[0] ? command->operands : "nothing");
    bt_buf_put_char(buf, ':');
    if (command->parts) {
        bt_buf_put_text(buf, "((");
        for (const struct cli_command *const *part = command->parts; *part; part++) {
            bt_buf_printf(buf, "%s%s\\:\"", part == command->parts ? "" : " ",
                          cli_command_word(*part));
            put_spec_text(buf, (*part)->summary);
            bt_buf_put_char(buf, '"');
        }
        bt_buf_put_text(buf, "))");
    } else {
        put_zsh_action(buf, command->operand_kind);
    }
    bt_buf_put_char(buf, '\'');
}

static void put_case(struct bt_buf *buf, const struct cli_command *command)
{
    bt_buf_printf(buf, "    (\"%s\")\n        _arguments", command->name);
    for (const struct cli_flag *const *flag = command->flags; *flag; flag++) {
        put_spelling(buf, *flag, false);
        if ((*flag)->letter) {
            put_spelling(buf, *flag, true);
        }
    }
    put_operands(buf, command);
    bt_buf_put_text(buf, "\n        ;;\n");
}

static void put_zsh(struct bt_buf *buf)
{
    assert(buf);
    bt_buf_put_text(buf, "#compdef baton\n"
                         "# zsh completion for baton; made by: baton completion zsh\n"
                         "_baton()\n"
                         "{\n"
                         "    local at=baton i\n"
                         "    for ((i = 2; i < CURRENT; i++)); do\n"
                         "        case \"$at $words[i]\" in\n"
                         "        (");
    put_names(buf, " | \\\n        ");
    bt_buf_put_text(buf, ") at=\"$at $words[i]\" ;;\n"
                         "        esac\n"
                         "    done\n"
                         "    case $at in\n");
    const struct cli_command *command = NULL;
    for (size_t i = 0; (command = cli_command_at(i)); i++) {
        put_case(buf, command);
    }
    /*
     * When found through fpath the file is the function; when read with `source` it must register
     * itself.
     */
    bt_buf_put_text(buf, "    esac\n"
                         "}\n"
                         "if [[ $funcstack[1] == _baton ]]; then\n"
                         "    _baton \"$@\"\n"
                         "else\n"
                         "    compdef _baton baton\n"
                         "fi\n");
}

/* ---- fish ------------------------------------------------------------------------------------ */

static void put_quoted(struct bt_buf *buf, const char *text)
{
    bt_buf_put_char(buf, '\'');
    for (; *text; text++) {
        bt_buf_put_text(buf, *text == '\'' || *text == '\\' ? "\\" : "");
        bt_buf_put_char(buf, *text);
    }
    bt_buf_put_char(buf, '\'');
}

/* Begin a line of the script; everything offered for a command has one. */
static void put_rule(struct bt_buf *buf, const struct cli_command *command)
{
    bt_buf_printf(buf, "complete -c baton -n '__baton_at %s'", command->name);
}

/* Put the completion of a flag's value (-x: only the words; -F: files) or of an operand. */
static void put_fish_action(struct bt_buf *buf, enum cli_kind kind)
{
    if (kind_has_words(kind)) {
        bt_buf_put_text(buf, " -a '");
        put_words(buf, kind);
        bt_buf_put_char(buf, '\'');
    } else if (kind == CLI_FILE) {
        bt_buf_put_text(buf, " -F");
    } else if (kind == CLI_FOLDER) {
        bt_buf_put_text(buf, " -a '(__fish_complete_directories)'");
    }
}

static void put_flag(struct bt_buf *buf, const struct cli_command *command,
                     const struct cli_flag *flag)
{
    put_rule(buf, command);
    bt_buf_printf(buf, " -l %s", flag->name);
    if (flag->letter) {
        bt_buf_printf(buf, " -s %c", flag->letter);
    }
    if (flag->argument) {
        bt_buf_put_text(buf, flag->kind == CLI_FILE ? " -r" : " -x");
        put_fish_action(buf, flag->kind);
    }
    bt_buf_put_text(buf, " -d ");
    put_quoted(buf, flag->help);
    bt_buf_put_char(buf, '\n');
}

static void put_command(struct bt_buf *buf, const struct cli_command *command)
{
    for (const struct cli_command *const *part = command->parts; part && *part; part++) {
        put_rule(buf, command);
        bt_buf_printf(buf, " -a %s -d ", cli_command_word(*part));
        put_quoted(buf, (*part)->summary);
        bt_buf_put_char(buf, '\n');
    }
    for (const struct cli_flag *const *flag = command->flags; *flag; flag++) {
        put_flag(buf, command, *flag);
    }
    if (command->operand_kind != CLI_ANY) {
        put_rule(buf, command);
        put_fish_action(buf, command->operand_kind);
        bt_buf_put_char(buf, '\n');
    }
}

static void put_fish(struct bt_buf *buf)
{
    assert(buf);
    bt_buf_put_text(buf, "# fish completion for baton; made by: baton completion fish\n"
                         "function __baton_at\n"
                         "    set -l at baton\n"
                         "    for word in (commandline -opc)[2..-1]\n"
                         "        switch \"$at $word\"\n"
                         "            case ");
    put_names(buf, " ");
    bt_buf_put_text(buf, "\n"
                         "                set at \"$at $word\"\n"
                         "        end\n"
                         "    end\n"
                         "    test \"$at\" = \"$argv\"\n"
                         "end\n"
                         "complete -c baton -f\n");
    const struct cli_command *command = NULL;
    for (size_t i = 0; (command = cli_command_at(i)); i++) {
        put_command(buf, command);
    }
}

/* ---- baton completion ------------------------------------------------------------------------ */

/* In the order of the words of CLI_SHELL. */
static void (*const scripts[])(struct bt_buf *buf) = {put_bash, put_zsh, put_fish};

int cmd_completion(const struct cli_options *options)
{
    struct bt_buf buf;
    size_t shell = 0;
    if (!cli_kind_find(CLI_SHELL, options->operands[0], &shell)) {
        (void)cli_refuse_word(options, "shell", CLI_SHELL, options->operands[0]);
        return CLI_FAILED;
    }
    bt_buf_init(&buf, HELP_BYTES_MAX);
    scripts[shell](&buf);
    return cli_print_buf(&buf);
}
