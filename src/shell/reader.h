/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.h - what the parts of the reader share: frames.
 *
 * A stack of frames, one for each substitution that is open, takes the place of recursion.
 */
#ifndef BATON_SRC_SHELL_READER_H
#define BATON_SRC_SHELL_READER_H

#include "base/vec.h"
#include "shell/shell.h"

enum {
    BT_SHELL_FRAMES_MAX = BT_SHELL_NESTING_MAX + 1,
    BT_SHELL_DOCUMENTS_MAX = 16, /* here-documents that begin in one line */
};

enum bt_shell_frame_kind {
    BT_SHELL_FRAME_COMMANDS = 0, /* to the end of its text, or to `)` */
    BT_SHELL_FRAME_PARAMETER,    /* ${...} */
    BT_SHELL_FRAME_ARITHMETIC,   /* $((...)) */
    BT_SHELL_FRAME_DOCUMENT,     /* the body of a here-document, where only substitutions count */
};

/* The redirection whose word comes next. */
enum bt_shell_redirection {
    BT_SHELL_REDIRECT_NONE = 0,
    BT_SHELL_REDIRECT_OTHER, /* the word is dropped */
    BT_SHELL_REDIRECT_WRITE, /* the word is a path that is written to */
    BT_SHELL_REDIRECT_BOTH,  /* the word is a descriptor or, in some shells, such a path */
    BT_SHELL_REDIRECT_STRING,
    BT_SHELL_REDIRECT_DOCUMENT,
    BT_SHELL_REDIRECT_DOCUMENT_TABS, /* tabs at the start of its lines do not count */
};

/* The word that is being read. Its bytes are in the frame's buffer. */
struct bt_shell_word_state {
    size_t begin; /* of its source in the frame's text */
    size_t end;
    size_t size;
    size_t plain; /* the first bytes, which stand there without quotes and substitutions */
    bool is_started;
    bool is_quoted; /* a part of it is in quotes or behind a backslash */
    bool is_dynamic;
    bool is_dynamic_bare;
};

/* What the command that is being read has beside its words. */
struct bt_shell_command_state {
    bool is_bare; /* an assignment or a redirection */
    bool is_fed;  /* a here-document or a here-string */
};

struct bt_shell_document {
    bt_str end;
    bool is_literal; /* the word after << was quoted, so its body has no substitutions */
    bool drops_tabs;
};

/* The here-documents that began in a line. */
struct bt_shell_document_list {
    struct bt_shell_document items[BT_SHELL_DOCUMENTS_MAX];
    size_t count;
    size_t next; /* the one whose body comes next */
    bool begin;  /* the line with their operators has ended */
};

struct bt_shell_frame {
    enum bt_shell_frame_kind kind;
    bt_str text;
    size_t at;
    bool shares_text; /* with the frame below, which continues where this one ends */
    bool in_quotes;   /* double quotes */
    /* ${...} within double quotes or a here-document, where shells do not agree on quotes */
    bool is_in_quotes;
    size_t parens;    /* open, of a list of commands or an expression */
    size_t groups;    /* `{` without `}` */
    size_t compounds; /* `if`, `while`, `for` and the like without their end */
    char *buffer;     /* for the word */
    struct bt_shell_word_state word;
    BT_VEC(struct bt_shell_word) words;
    enum bt_shell_redirection redirection;
    struct bt_shell_command_state command;
    bool is_piped;     /* the command reads a pipe */
    size_t piped_in;   /* 1 + what was open where a group began that reads a pipe; 0: none */
    size_t loop_words; /* of `for`: 1 + the words so far; 0: not in one */
    struct bt_shell_document_list documents;
    const struct bt_shell_command *carrier; /* its words are read as texts of their own */
    size_t carrier_next;
};

struct bt_shell_reader {
    struct bt_arena *arena;
    struct bt_shell_frame
        *frames[BT_SHELL_FRAMES_MAX]; /* kept for the next substitution at this depth */
    size_t depth;                     /* frames in use */
    bool failed;                      /* the text is not understood */
    bool has_interpreter;             /* a command was read that runs its input */
    bool is_doubtful;
    bool has_groups;
    size_t bare_commands_end;
    enum bt_status status;
    BT_VEC(struct bt_shell_command) commands;
    BT_VEC(struct bt_shell_word) written;
};

static inline void bt_shell_fail(struct bt_shell_reader *reader)
{
    reader->failed = true;
}

static inline struct bt_shell_frame *bt_shell_top_frame(struct bt_shell_reader *reader)
{
    return reader->frames[reader->depth - 1];
}

/* What is open in a frame. */
static inline size_t bt_shell_open_count(const struct bt_shell_frame *frame)
{
    return frame->parens + frame->groups + frame->compounds;
}

/* A group begins that may read a pipe. */
static inline void bt_shell_begin_piped(struct bt_shell_frame *frame, bool is_piped)
{
    if (is_piped && frame->piped_in == 0) {
        frame->piped_in = 1 + bt_shell_open_count(frame);
    }
}

/* A group has ended. */
static inline void bt_shell_end_piped(struct bt_shell_frame *frame)
{
    if (frame->piped_in > 1 + bt_shell_open_count(frame)) {
        frame->piped_in = 0;
    }
}

static inline char bt_shell_peek(const struct bt_shell_frame *frame, size_t ahead)
{
    const size_t at = frame->at + ahead;
    return at < frame->text.len ? frame->text.ptr[at] : '\0'; /* a text has no NUL */
}

/* Finish the word that is being read, if there is one: keep it, or act on it. */
void bt_shell_finish_word(struct bt_shell_reader *reader, struct bt_shell_frame *frame);
/* Finish the command that is being read, if there is one. */
void bt_shell_finish_command(struct bt_shell_reader *reader, enum bt_shell_connector connector);

#endif
