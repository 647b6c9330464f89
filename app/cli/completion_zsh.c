/* SPDX-License-Identifier: Apache-2.0 */
/*
 * completion_zsh.c - the completion script for zsh.
 */
#include "completion.h"

#include <assert.h>

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

static void put_action(struct bt_buf *buf, enum cli_kind kind)
{
    if (kind == CLI_LIMIT) {
        /* Without a space after the equals sign, because the number belongs to the same word. */
        bt_buf_put_text(buf, "{compadd -S \"\" -- ");
        cli_put_words(buf, kind);
        bt_buf_put_char(buf, '}');
    } else if (cli_kind_has_words(kind)) {
        bt_buf_put_char(buf, '(');
        cli_put_words(buf, kind);
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
        put_action(buf, flag->kind);
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
        put_action(buf, command->operand_kind);
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

void cli_put_zsh(struct bt_buf *buf)
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
    cli_put_names(buf, " | \\\n        ");
    bt_buf_put_text(buf, ") at=\"$at $words[i]\" ;;\n"
                         "        esac\n"
                         "    done\n"
                         "    case $at in\n");
    const struct cli_command *command = cli_command_at(0);
    for (size_t i = 1; command; i++) {
        put_case(buf, command);
        command = cli_command_at(i);
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
