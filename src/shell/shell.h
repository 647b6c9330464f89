/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell.h - read the text of a shell command as simple commands, and compare them with patterns.
 *
 * Nothing is run or expanded. The reader follows the token recognition of POSIX; a text with
 * anything beyond it is *not understood*, and the caller decides by the words in it. A word whose
 * value only a shell could tell (`$x`, `$(...)`) is *dynamic*.
 */
#ifndef BATON_SRC_SHELL_SHELL_H
#define BATON_SRC_SHELL_SHELL_H

#include <baton/base.h>

/* Beyond these a text is not understood. */
enum {
    BT_SHELL_TEXT_BYTES_MAX = 65536,
    BT_SHELL_COMMANDS_MAX = 256,
    BT_SHELL_WORDS_MAX = 1024, /* of one command */
    BT_SHELL_NESTING_MAX = 8,  /* substitutions and texts inside carriers */
};

struct bt_shell_word {
    bt_str text;          /* without quotes; of a dynamic word only its literal parts */
    bt_str source;        /* as it is written, quotes included */
    bool is_dynamic;      /* its value is not known */
    bool is_dynamic_bare; /* a dynamic part stands outside double quotes, so it may be many words */
    bool is_option;       /* it begins with a literal "-" */
    bool expands;         /* {a,b}: some shells make several words of it */
    bool has_pattern;     /* it has one of *?[ without quotes: the names of files may replace it */
};

/* What ends a command. */
enum bt_shell_connector {
    BT_SHELL_END = 0, /* the end of the text or of a substitution */
    BT_SHELL_SEMICOLON,
    BT_SHELL_BACKGROUND,
    BT_SHELL_NEWLINE,
    BT_SHELL_AND,
    BT_SHELL_OR,
    BT_SHELL_PIPE,
    BT_SHELL_PIPE_BOTH,
    BT_SHELL_OPEN,
    BT_SHELL_CLOSE,
};

struct bt_shell_command {
    const struct bt_shell_word *words; /* at least one */
    size_t word_count;
    enum bt_shell_connector connector; /* what follows it */
    bool is_carrier;                   /* it runs, or may run, what its later words are */
    uint8_t depth; /* 0: of the text itself; else inside substitutions or words of carriers */
};

struct bt_shell_text {
    bool is_understood;
    bool is_doubtful; /* it cannot be told what one of the commands runs */
    bool has_groups;  /* it has parentheses, or words of the shell such as `if`, `!`, `{` */
    /* How many of the commands were read before the last one that only assigns or redirects. */
    size_t bare_commands_end;
    /* In the order in which they were read: those of a substitution before the command that it
     * stands in, those of a text inside a carrier after it. None when it is not understood. */
    const struct bt_shell_command *commands;
    size_t command_count;
    const struct bt_shell_word *written; /* paths that redirections write to */
    size_t written_count;
};

/* Read a text. BT_ENOMEM: the arena reached its limit; nothing else fails. */
BT_MUST_USE enum bt_status bt_shell_read(struct bt_arena *arena, bt_str text,
                                         struct bt_shell_text *out);

/*
 * Whether a command, or, when it is a carrier, one of the commands that it may run, matches a
 * pattern: words separated by spaces; `*` stands for any run of characters within a word, a word
 * `**` for any words. Takes time linear in the words for each word of the pattern and each command.
 */
bool bt_shell_command_matches(const struct bt_shell_command *command, bt_str pattern);

/* Whether the text holds a word that the pattern's first word matches: for texts that are not
 * understood. Quotes and backslashes in the text do not count. */
bool bt_shell_mentions(bt_str text, bt_str pattern);

/* Whether a program, without its folder, is one of the shells sh, bash, zsh, dash and ksh. */
bool bt_shell_is_shell(bt_str program);

/* Put a word as a shell reads it back, in single quotes where it needs them. */
void bt_shell_put_word(struct bt_buf *buf, bt_str word);

#endif
