/* SPDX-License-Identifier: Apache-2.0 */
/*
 * completion_bash.c - the completion script for bash.
 */
#include "completion.h"

#include <assert.h>

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
static void put_action(struct bt_buf *buf, enum cli_kind kind)
{
    if (cli_kind_has_words(kind)) {
        bt_buf_put_text(buf, kind == CLI_LIMIT ? "compopt -o nospace; words='" : "words='");
        cli_put_words(buf, kind);
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
        put_action(buf, (*flag)->kind);
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
        put_action(buf, command->operand_kind);
    }
    bt_buf_put_text(buf, "; fi ;;\n");
}

void cli_put_bash(struct bt_buf *buf)
{
    assert(buf);
    bt_buf_put_text(buf, head);
    cli_put_names(buf, " | \\\n        ");
    bt_buf_put_text(buf, ") at=\"$at ${COMP_WORDS[i]}\" ;;\n"
                         "        esac\n"
                         "    done\n"
                         "    case \"$at $prev\" in\n");
    const struct cli_command *command = cli_command_at(0);
    for (size_t i = 1; command; i++) {
        put_values(buf, command);
        command = cli_command_at(i);
    }
    bt_buf_put_text(buf, "    *)\n        case $at in\n");
    command = cli_command_at(0);
    for (size_t i = 1; command; i++) {
        put_offer(buf, command);
        command = cli_command_at(i);
    }
    bt_buf_put_text(buf, "        esac ;;\n    esac\n"
                         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
                         "}\n"
                         "complete -F _baton baton\n");
}
