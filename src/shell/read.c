/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - the text of a shell command -> simple commands.
 *
 * A stack of frames, one for each substitution that is open, takes the place of recursion. A frame
 * reads its text byte by byte; a substitution pushes a frame, whose commands are therefore listed
 * before the one it stands in. After any fault the text counts as not understood.
 */
#include <string.h>

#include "base/ascii.h"
#include "base/vec.h"
#include "shell/shell.h"

enum {
    FRAMES_MAX = BT_SHELL_NESTING_MAX + 1,
    DOCUMENTS_MAX = 16, /* here-documents that begin in one line */
};

enum frame_kind {
    FRAME_COMMANDS = 0, /* to the end of its text, or to `)` */
    FRAME_PARAMETER,    /* ${...} */
    FRAME_ARITHMETIC,   /* $((...)) */
    FRAME_DOCUMENT,     /* the body of a here-document, where only substitutions count */
};

/* The redirection whose word comes next. */
enum redirection {
    REDIRECT_NONE = 0,
    REDIRECT_OTHER, /* the word is dropped */
    REDIRECT_WRITE, /* the word is a path that is written to */
    REDIRECT_STRING,
    REDIRECT_DOCUMENT,
    REDIRECT_DOCUMENT_TABS, /* tabs at the start of its lines do not count */
};

/* The word that is being read. Its bytes are in the frame's buffer. */
struct word_state {
    size_t size;
    size_t plain; /* the first bytes, which stand there without quotes and substitutions */
    bool is_started;
    bool is_dynamic;
    bool is_dynamic_bare;
};

struct here_document {
    bt_str end;
    bool is_literal; /* the word after << was quoted, so its body has no substitutions */
    bool drops_tabs;
};

struct frame {
    enum frame_kind kind;
    bt_str text;
    size_t at;
    bool shares_text; /* with the frame below, which continues where this one ends */
    bool in_quotes;   /* double quotes */
    size_t parens;    /* open, of a list of commands or an expression */
    size_t groups;    /* `{` without `}` */
    char *buffer;     /* for the word */
    struct word_state word;
    BT_VEC(struct bt_shell_word) words;
    enum redirection redirection;
    bool is_fed;       /* the command has a here-document or a here-string */
    bool is_piped;     /* the command reads a pipe */
    size_t piped_in;   /* 1 + parens + groups where a group began that reads a pipe; 0: none */
    size_t loop_words; /* of `for`: 1 + the words so far; 0: not in one */
    struct here_document documents[DOCUMENTS_MAX];
    size_t document_count;
    size_t document_next;
    const struct bt_shell_command *carrier; /* its words are read as texts of their own */
    size_t carrier_next;
};

struct reader {
    struct bt_arena *arena;
    struct frame *frames[FRAMES_MAX]; /* kept for the next substitution at this depth */
    size_t depth;                     /* frames in use */
    bool failed;                      /* the text is not understood */
    bool has_interpreter;             /* a command was read that runs its input */
    bool is_doubtful;
    enum bt_status status;
    BT_VEC(struct bt_shell_command) commands;
    BT_VEC(struct bt_shell_word) written;
};

/* ---- Words with a meaning -------------------------------------------------------------------- */

static bool is_one_of(bt_str word, const char *list)
{
    const bt_str all = bt_str_of(list);
    for (size_t start = 0; start < all.len;) {
        size_t end = start;
        while (end < all.len && all.ptr[end] != ' ') {
            end++;
        }
        if (bt_str_eq(word, (bt_str){all.ptr + start, end - start})) {
            return true;
        }
        start = end + 1;
    }
    return false;
}

static const char SHELLS[] = "sh bash zsh dash ksh";
static const char RUNNING_TEXT[] = "sh bash zsh dash ksh eval su ssh"; /* carriers that run text */
static const char INTERPRETERS[] =
    "sh bash zsh dash ksh python python3 perl ruby node ssh psql mysql sqlite3";
static const char CARRIERS[] =
    "command builtin exec nohup time nice ionice stdbuf setsid timeout env sudo doas su xargs find "
    "parallel watch ssh sh bash zsh dash ksh eval flock strace script chroot runuser";
static const char SKIPPED[] = "! { } if then elif else fi while until do done time";
static const char UNREADABLE[] = "case function coproc";

static bt_str program_of(const struct bt_shell_word *word)
{
    size_t start = word->text.len;
    while (start > 0 && word->text.ptr[start - 1] != '/') {
        start--;
    }
    return word->is_dynamic ? BT_STR("") : (bt_str){word->text.ptr + start, word->text.len - start};
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static void fail(struct reader *reader)
{
    reader->failed = true;
}

static struct frame *top_frame(struct reader *reader)
{
    return reader->frames[reader->depth - 1];
}

/* Push a frame that reads `text` from `at`. */
static void push_frame(struct reader *reader, enum frame_kind kind, bt_str text, size_t at)
{
    if (reader->depth == FRAMES_MAX) {
        fail(reader);
        return;
    }
    struct frame *frame = reader->frames[reader->depth];
    if (!frame) {
        frame = bt_arena_alloc(reader->arena, sizeof(*frame));
        char *buffer = frame ? bt_arena_alloc(reader->arena, BT_SHELL_TEXT_BYTES_MAX) : NULL;
        if (!buffer) {
            reader->status = BT_ENOMEM;
            return;
        }
        frame->buffer = buffer;
        reader->frames[reader->depth] = frame;
    }
    char *buffer = frame->buffer;
    *frame = (struct frame){.kind = kind, .text = text, .at = at, .buffer = buffer};
    reader->depth++;
}

/* Push a frame that continues in the text of the present one, after `skip` bytes. */
static void push_shared(struct reader *reader, enum frame_kind kind, size_t skip)
{
    struct frame *frame = top_frame(reader);
    push_frame(reader, kind, frame->text, frame->at + skip);
    if (!reader->failed && reader->status == BT_OK) {
        top_frame(reader)->shares_text = true;
    }
}

static void pop_frame(struct reader *reader)
{
    const struct frame *frame = top_frame(reader);
    reader->depth--;
    if (frame->shares_text) {
        top_frame(reader)->at = frame->at;
    }
}

static char peek_byte(const struct frame *frame, size_t ahead)
{
    const size_t at = frame->at + ahead;
    return at < frame->text.len ? frame->text.ptr[at] : '\0'; /* a text has no NUL */
}

/* ---- Words ----------------------------------------------------------------------------------- */

static void add_byte(struct frame *frame, char byte, bool is_plain)
{
    struct word_state *word = &frame->word;
    if (is_plain && word->plain == word->size && !word->is_dynamic) {
        word->plain++;
    }
    frame->buffer[word->size++] = byte; /* a word is not longer than the text */
    word->is_started = true;
}

static void add_dynamic(struct frame *frame)
{
    frame->word.is_started = true;
    frame->word.is_dynamic = true;
    frame->word.is_dynamic_bare = frame->word.is_dynamic_bare || !frame->in_quotes;
}

/* Whether the word assigns a variable: NAME=... or NAME+=..., the name without quotes. */
static bool is_assignment(const struct frame *frame)
{
    size_t i = 0;
    while (i < frame->word.plain &&
           (bt_ascii_is_alnum(frame->buffer[i]) || frame->buffer[i] == '_')) {
        i++;
    }
    if (i == 0 || bt_ascii_is_digit(frame->buffer[0])) {
        return false;
    }
    i += i + 1 < frame->word.plain && frame->buffer[i] == '+' ? 1 : 0;
    return i < frame->word.plain && frame->buffer[i] == '=';
}

/* Whether the word after the present place begins with "-". */
static bool option_follows(const struct frame *frame)
{
    size_t ahead = 0;
    while (bt_ascii_is_blank(peek_byte(frame, ahead))) {
        ahead++;
    }
    return peek_byte(frame, ahead) == '-';
}

/*
 * Act on a word of the shell's own where a command starts. False: it is an ordinary word. `time`
 * with options is a program like others, a carrier.
 */
static bool take_reserved(struct reader *reader, struct frame *frame, bt_str word)
{
    if (is_one_of(word, UNREADABLE)) {
        fail(reader);
        return true;
    }
    if (is_one_of(word, "for select")) {
        frame->loop_words = 1;
        return true;
    }
    if (!is_one_of(word, SKIPPED) || (bt_str_eq(word, BT_STR("time")) && option_follows(frame))) {
        return false;
    }
    if (word.ptr[0] == '{') {
        frame->groups++;
        if (frame->is_piped && frame->piped_in == 0) {
            frame->piped_in = 1 + frame->parens + frame->groups;
        }
    } else if (word.ptr[0] == '}') {
        if (frame->groups == 0) {
            fail(reader);
            return true;
        }
        frame->groups--;
        frame->piped_in = frame->piped_in > 1 + frame->parens + frame->groups ? 0 : frame->piped_in;
    }
    return true;
}

/* A word of `for NAME in ...`, which is dropped; `for NAME do` has no list. */
static void take_loop_word(struct frame *frame, bt_str word, bool is_plain)
{
    frame->loop_words++;
    if (frame->loop_words == 3 && is_plain && bt_str_eq(word, BT_STR("do"))) {
        frame->loop_words = 0;
    }
}

static void take_target(struct reader *reader, struct frame *frame,
                        const struct bt_shell_word *word)
{
    const enum redirection redirection = frame->redirection;
    frame->redirection = REDIRECT_NONE;
    if (redirection == REDIRECT_WRITE) {
        reader->status = bt_vec_push(reader->arena, &reader->written, *word);
    } else if (redirection == REDIRECT_STRING) {
        frame->is_fed = true;
    } else if (redirection == REDIRECT_DOCUMENT || redirection == REDIRECT_DOCUMENT_TABS) {
        frame->is_fed = true;
        if (frame->document_count == DOCUMENTS_MAX || word->is_dynamic) {
            fail(reader);
            return;
        }
        frame->documents[frame->document_count++] = (struct here_document){
            .end = word->text,
            .is_literal = frame->word.plain < frame->word.size || frame->word.size == 0,
            .drops_tabs = redirection == REDIRECT_DOCUMENT_TABS};
    }
}

static void finish_word(struct reader *reader, struct frame *frame)
{
    if (!frame->word.is_started) {
        return;
    }
    const bool is_plain = frame->word.plain == frame->word.size && !frame->word.is_dynamic;
    struct bt_shell_word word = {.is_dynamic = frame->word.is_dynamic,
                                 .is_dynamic_bare = frame->word.is_dynamic_bare,
                                 .is_option = frame->word.size > 0 && frame->buffer[0] == '-' &&
                                              (!frame->word.is_dynamic || frame->word.plain > 0)};
    const bt_str bytes = {frame->buffer, frame->word.size};
    reader->status = bt_arena_copy(reader->arena, bytes, &word.text);
    if (reader->status != BT_OK) {
        return;
    }
    if (frame->redirection != REDIRECT_NONE) {
        take_target(reader, frame, &word);
    } else if (frame->loop_words > 0) {
        take_loop_word(frame, bytes, is_plain);
    } else if (frame->words.count == 0 &&
               (is_assignment(frame) || (is_plain && take_reserved(reader, frame, bytes)))) {
        /* nothing to keep */
    } else if (frame->words.count == BT_SHELL_WORDS_MAX) {
        fail(reader);
    } else {
        reader->status = bt_vec_push(reader->arena, &frame->words, word);
    }
    frame->word = (struct word_state){0};
}

/* ---- Commands -------------------------------------------------------------------------------- */

/* Whether a shell at words[index] has only options behind it, or is told to read its input. */
static bool reads_its_input(const struct frame *frame, size_t index)
{
    for (size_t i = index + 1; i < frame->words.count; i++) {
        if (bt_str_eq(frame->words.items[i].text, BT_STR("-s"))) {
            return true;
        }
        if (!frame->words.items[i].is_option) {
            return false;
        }
    }
    return true;
}

/* Whether the command runs text that it gets as its input, which is not read here. */
static bool runs_input(const struct frame *frame, bool is_carrier)
{
    const bool is_piped = frame->is_piped || frame->piped_in > 0;
    const bt_str first = program_of(&frame->words.items[0]);
    const bool adds_words =
        bt_str_eq(first, BT_STR("xargs")) || bt_str_eq(first, BT_STR("parallel"));
    for (size_t i = 0; i < (is_carrier ? frame->words.count : 1); i++) {
        const bt_str program = program_of(&frame->words.items[i]);
        if (frame->is_fed && is_one_of(program, INTERPRETERS)) {
            return true;
        }
        if (is_piped && !(adds_words && i > 0) && is_one_of(program, SHELLS) &&
            reads_its_input(frame, i)) {
            return true;
        }
    }
    return false;
}

static bool is_doubtful(const struct bt_shell_command *command)
{
    const bool runs_text = is_one_of(program_of(&command->words[0]), RUNNING_TEXT);
    for (size_t i = 1; i < command->word_count; i++) {
        const struct bt_shell_word *word = &command->words[i];
        if (runs_text ? word->is_dynamic : word->is_dynamic_bare) {
            return true;
        }
    }
    return false;
}

static void add_command(struct reader *reader, struct frame *frame,
                        enum bt_shell_connector connector)
{
    const bool is_carrier = is_one_of(program_of(&frame->words.items[0]), CARRIERS);
    if (reader->commands.count == BT_SHELL_COMMANDS_MAX || runs_input(frame, is_carrier)) {
        fail(reader);
        return;
    }
    reader->has_interpreter =
        reader->has_interpreter || is_one_of(program_of(&frame->words.items[0]), INTERPRETERS);
    const struct bt_shell_command command = {.words = frame->words.items,
                                             .word_count = frame->words.count,
                                             .connector = connector,
                                             .is_carrier = is_carrier};
    reader->status = bt_vec_push(reader->arena, &reader->commands, command);
    if (reader->status == BT_OK && is_carrier) {
        reader->is_doubtful = reader->is_doubtful || is_doubtful(&command);
        /* The vector may move; the words do not. */
        frame->carrier = &reader->commands.items[reader->commands.count - 1];
        frame->carrier_next = 1;
    }
}

static void finish_command(struct reader *reader, enum bt_shell_connector connector)
{
    struct frame *frame = top_frame(reader);
    finish_word(reader, frame);
    if (reader->failed || reader->status != BT_OK) {
        return;
    }
    if (frame->redirection != REDIRECT_NONE ||
        (frame->words.count == 0 && frame->is_fed && reader->has_interpreter)) {
        fail(reader); /* no target; or a group that may hold an interpreter is fed */
        return;
    }
    if (frame->words.count > 0) {
        add_command(reader, frame, connector);
    }
    frame->words.items = NULL;
    frame->words.count = 0;
    frame->words.capacity = 0;
    frame->is_fed = false;
    frame->loop_words = 0;
    if (connector != BT_SHELL_OPEN && connector != BT_SHELL_CLOSE) {
        frame->is_piped = connector == BT_SHELL_PIPE || connector == BT_SHELL_PIPE_BOTH;
    }
}

/* ---- Quotes and substitutions ---------------------------------------------------------------- */

/* '...', which begins here. */
static void read_single_quotes(struct reader *reader, struct frame *frame)
{
    const char *start = frame->text.ptr + frame->at + 1;
    const char *end = memchr(start, '\'', frame->text.len - frame->at - 1);
    if (!end) {
        fail(reader);
        return;
    }
    frame->word.is_started = true;
    for (const char *byte = start; byte < end; byte++) {
        add_byte(frame, *byte, false);
    }
    frame->at = (size_t)(end - frame->text.ptr) + 1;
}

/* $'...', which begins here: its escapes are not read, so the word is dynamic. */
static void read_escaped_quotes(struct reader *reader, struct frame *frame)
{
    size_t at = frame->at + 2;
    while (at < frame->text.len && frame->text.ptr[at] != '\'') {
        at += frame->text.ptr[at] == '\\' ? 2 : 1;
    }
    if (at >= frame->text.len) {
        fail(reader);
        return;
    }
    add_dynamic(frame);
    frame->at = at + 1;
}

/* `...`, which begins here: its text, without the backslashes that protect it, is read apart. */
static void read_backticks(struct reader *reader, struct frame *frame)
{
    char *inner = bt_arena_alloc(reader->arena, frame->text.len - frame->at);
    size_t size = 0;
    size_t at = frame->at + 1;
    if (!inner) {
        reader->status = BT_ENOMEM;
        return;
    }
    while (at < frame->text.len && frame->text.ptr[at] != '`') {
        const char next = at + 1 < frame->text.len ? frame->text.ptr[at + 1] : '\0';
        const bool is_escape =
            frame->text.ptr[at] == '\\' &&
            (next == '`' || next == '\\' || next == '$' || (next == '"' && frame->in_quotes));
        at += is_escape ? 1 : 0;
        inner[size++] = frame->text.ptr[at++];
    }
    if (at >= frame->text.len) {
        fail(reader);
        return;
    }
    add_dynamic(frame);
    frame->at = at + 1;
    push_frame(reader, FRAME_COMMANDS, (bt_str){inner, size}, 0);
}

static bool is_special_parameter(char byte)
{
    return byte != '\0' && strchr("@*#?-$!", byte) != NULL;
}

/* Read what begins with `$` here. */
static void read_dollar(struct reader *reader, struct frame *frame)
{
    const char next = peek_byte(frame, 1);
    if (next == '(') {
        add_dynamic(frame);
        const bool is_arithmetic = peek_byte(frame, 2) == '(';
        push_shared(reader, is_arithmetic ? FRAME_ARITHMETIC : FRAME_COMMANDS,
                    is_arithmetic ? 3 : 2);
    } else if (next == '{') {
        add_dynamic(frame);
        push_shared(reader, FRAME_PARAMETER, 2);
    } else if (next == '\'' && !frame->in_quotes && frame->kind != FRAME_DOCUMENT) {
        read_escaped_quotes(reader, frame);
    } else if (bt_ascii_is_alpha(next) || next == '_') {
        add_dynamic(frame);
        frame->at += 2;
        while (bt_ascii_is_alnum(peek_byte(frame, 0)) || peek_byte(frame, 0) == '_') {
            frame->at++;
        }
    } else if (bt_ascii_is_digit(next) || is_special_parameter(next)) {
        add_dynamic(frame);
        frame->at += 2;
    } else if (next == '"' && !frame->in_quotes) {
        add_dynamic(frame); /* a text to be translated */
        frame->at++;
    } else {
        add_byte(frame, '$', false);
        frame->at++;
    }
}

/* A backslash outside single quotes. */
static void read_backslash(struct reader *reader, struct frame *frame)
{
    const char next = peek_byte(frame, 1);
    if (next == '\0') {
        if (frame->in_quotes || frame->kind == FRAME_PARAMETER) {
            fail(reader);
            return;
        }
        add_byte(frame, '\\', false);
        frame->at++;
        return;
    }
    const bool is_protected = next == '$' || next == '`' || next == '"' || next == '\\';
    if (frame->in_quotes && !is_protected && next != '\n') {
        add_byte(frame, '\\', false);
    }
    if (next != '\n') {
        add_byte(frame, next, false);
    }
    frame->at += 2;
}

/* What counts inside and outside double quotes alike. False: the byte is none of it. */
static bool read_expansion(struct reader *reader, struct frame *frame, char byte)
{
    if (byte == '$') {
        read_dollar(reader, frame);
    } else if (byte == '`') {
        read_backticks(reader, frame);
    } else if (byte == '\\') {
        read_backslash(reader, frame);
    } else {
        return false;
    }
    return true;
}

static void toggle_quotes(struct frame *frame)
{
    frame->in_quotes = !frame->in_quotes;
    frame->word.is_started = true;
    frame->word.plain = frame->word.plain < frame->word.size ? frame->word.plain : frame->word.size;
    frame->at++;
}

/* ---- Redirections and operators -------------------------------------------------------------- */

/* Operators, the longest first. */
static const struct redirect_operator {
    const char *text;
    enum redirection redirection;
} redirect_operators[] = {
    {"&>>", REDIRECT_WRITE}, {"<<<", REDIRECT_STRING},  {"<<-", REDIRECT_DOCUMENT_TABS},
    {"&>", REDIRECT_WRITE},  {"<<", REDIRECT_DOCUMENT}, {"<&", REDIRECT_OTHER},
    {"<>", REDIRECT_WRITE},  {">>", REDIRECT_WRITE},    {">&", REDIRECT_OTHER},
    {">|", REDIRECT_WRITE},  {"<", REDIRECT_OTHER},     {">", REDIRECT_WRITE},
};

static const struct command_operator {
    const char *text;
    enum bt_shell_connector connector;
} command_operators[] = {
    {"&&", BT_SHELL_AND},      {"||", BT_SHELL_OR},  {"|&", BT_SHELL_PIPE_BOTH},
    {";", BT_SHELL_SEMICOLON}, {"|", BT_SHELL_PIPE}, {"&", BT_SHELL_BACKGROUND},
    {"\n", BT_SHELL_NEWLINE},
};

static bool stands_here(const struct frame *frame, const char *operator)
{
    const size_t size = strlen(operator);
    return frame->text.len - frame->at >= size &&
           memcmp(frame->text.ptr + frame->at, operator, size) == 0;
}

/* False: there is no redirection here. */
static bool read_redirection(struct reader *reader, struct frame *frame)
{
    for (size_t i = 0; i < sizeof(redirect_operators) / sizeof(redirect_operators[0]); i++) {
        const char *operator= redirect_operators[i].text;
        if (!stands_here(frame, operator)) {
            continue;
        }
        bool is_number = frame->word.size > 0 && frame->word.plain == frame->word.size;
        for (size_t n = 0; n < frame->word.size; n++) {
            is_number = is_number && bt_ascii_is_digit(frame->buffer[n]);
        }
        if (is_number) {
            frame->word = (struct word_state){0};
        }
        finish_word(reader, frame);
        if (frame->redirection != REDIRECT_NONE) {
            fail(reader);
        }
        frame->redirection = redirect_operators[i].redirection;
        frame->at += strlen(operator);
        return true;
    }
    return false;
}

static bool read_connector(struct reader *reader, struct frame *frame)
{
    for (size_t i = 0; i < sizeof(command_operators) / sizeof(command_operators[0]); i++) {
        if (stands_here(frame, command_operators[i].text)) {
            frame->at += strlen(command_operators[i].text);
            finish_command(reader, command_operators[i].connector);
            if (command_operators[i].connector == BT_SHELL_NEWLINE) {
                frame->document_next = 0; /* the bodies of here-documents begin here */
            }
            return true;
        }
    }
    return false;
}

/* `(`: a list of its own, unless it makes the word before it a function. */
static void open_list(struct reader *reader, struct frame *frame)
{
    size_t ahead = 1;
    while (bt_ascii_is_blank(peek_byte(frame, ahead))) {
        ahead++;
    }
    if (peek_byte(frame, ahead) == ')' && (frame->word.is_started || frame->words.count > 0)) {
        fail(reader);
        return;
    }
    const bool is_piped = frame->is_piped && frame->words.count == 0 && !frame->word.is_started;
    frame->at++;
    finish_command(reader, BT_SHELL_OPEN);
    frame->parens++;
    if (is_piped && frame->piped_in == 0) {
        frame->piped_in = 1 + frame->parens + frame->groups;
    }
}

/* `)`: the end of a list, or of this substitution. */
static void close_list(struct reader *reader, struct frame *frame)
{
    if (frame->parens > 0) {
        frame->at++;
        finish_command(reader, BT_SHELL_CLOSE);
        frame->parens--;
        frame->piped_in = frame->piped_in > 1 + frame->parens + frame->groups ? 0 : frame->piped_in;
        return;
    }
    if (!frame->shares_text) {
        fail(reader);
        return;
    }
    finish_command(reader, BT_SHELL_END);
    if (frame->groups > 0 || frame->document_count > 0) {
        fail(reader);
    } else if (!reader->failed && !frame->carrier) {
        frame->at++;
        pop_frame(reader);
    }
}

/* ---- Frames, byte by byte -------------------------------------------------------------------- */

/*
 * Go on with the here-documents of the line that has ended: find the end of the next one, and read
 * the substitutions in it.
 */
static void read_document(struct reader *reader, struct frame *frame)
{
    const struct here_document *document = &frame->documents[frame->document_next++];
    const size_t start = frame->at;
    size_t end = frame->text.len;
    size_t after = frame->text.len;
    for (size_t line = start; line < frame->text.len;) {
        const char *feed = memchr(frame->text.ptr + line, '\n', frame->text.len - line);
        const size_t stop = feed ? (size_t)(feed - frame->text.ptr) : frame->text.len;
        size_t from = line;
        while (document->drops_tabs && from < stop && frame->text.ptr[from] == '\t') {
            from++;
        }
        if (bt_str_eq((bt_str){frame->text.ptr + from, stop - from}, document->end)) {
            end = line;
            after = feed ? stop + 1 : stop;
            break;
        }
        line = stop + 1;
    }
    frame->at = after;
    if (frame->document_next == frame->document_count) {
        frame->document_count = 0;
    }
    if (!document->is_literal) {
        push_frame(reader, FRAME_DOCUMENT, (bt_str){frame->text.ptr + start, end - start}, 0);
    }
}

/* Whether a word of a carrier may hold commands. */
static bool may_hold_commands(const struct bt_shell_word *word)
{
    for (size_t i = 0; !word->is_dynamic && i < word->text.len; i++) {
        if (strchr(" \t;|&\n", word->text.ptr[i])) {
            return true;
        }
    }
    return false;
}

/* Read the next word of a carrier that may hold commands. */
static void read_carrier(struct reader *reader, struct frame *frame)
{
    const struct bt_shell_word *words = frame->carrier->words;
    const size_t count = frame->carrier->word_count;
    while (frame->carrier_next < count) {
        const struct bt_shell_word *word = &words[frame->carrier_next++];
        if (may_hold_commands(word)) {
            /* The list of commands may move while the word is read. */
            struct bt_shell_command *copy = bt_arena_alloc(reader->arena, sizeof(*copy));
            if (!copy) {
                reader->status = BT_ENOMEM;
                return;
            }
            *copy = (struct bt_shell_command){.words = words, .word_count = count};
            frame->carrier = copy;
            push_frame(reader, FRAME_COMMANDS, word->text, 0);
            return;
        }
    }
    frame->carrier = NULL;
}

static void read_comment(struct frame *frame)
{
    while (peek_byte(frame, 0) != '\0' && peek_byte(frame, 0) != '\n') {
        frame->at++;
    }
}

/* One step in a list of commands, outside double quotes. */
static void read_in_list(struct reader *reader, struct frame *frame, char byte)
{
    const bool starts_process = (byte == '<' || byte == '>') && peek_byte(frame, 1) == '(';
    if (read_expansion(reader, frame, byte)) {
        return;
    }
    if (starts_process) {
        add_dynamic(frame);
        push_shared(reader, FRAME_COMMANDS, 2);
    } else if (byte == '\'') {
        read_single_quotes(reader, frame);
    } else if (byte == '"') {
        toggle_quotes(frame);
    } else if (byte == ' ' || byte == '\t') {
        frame->at++;
        finish_word(reader, frame);
    } else if (byte == '#' && !frame->word.is_started) {
        read_comment(frame);
    } else if (byte == '(') {
        open_list(reader, frame);
    } else if (byte == ')') {
        close_list(reader, frame);
    } else if (!read_redirection(reader, frame) && !read_connector(reader, frame)) {
        add_byte(frame, byte, true);
        frame->at++;
    }
}

/* One step in ${...}, an expression or a here-document: only substitutions and the end count. */
static void read_in_substitution(struct reader *reader, struct frame *frame, char byte)
{
    if (read_expansion(reader, frame, byte)) {
        /* done */
    } else if (frame->kind == FRAME_PARAMETER && byte == '"') {
        toggle_quotes(frame);
    } else if (frame->kind == FRAME_PARAMETER && byte == '\'' && !frame->in_quotes) {
        read_single_quotes(reader, frame);
    } else if (frame->kind == FRAME_PARAMETER && byte == '}' && !frame->in_quotes) {
        frame->at++;
        pop_frame(reader);
        return;
    } else if (frame->kind == FRAME_ARITHMETIC && byte == '(') {
        frame->parens++;
        frame->at++;
    } else if (frame->kind == FRAME_ARITHMETIC && byte == ')') {
        if (frame->parens == 0 && peek_byte(frame, 1) == ')') {
            frame->at += 2;
            pop_frame(reader);
            return;
        }
        if (frame->parens == 0) {
            fail(reader); /* a list in a substitution: $((a); b) */
            return;
        }
        frame->parens--;
        frame->at++;
    } else {
        frame->at++;
    }
    frame->word = (struct word_state){0}; /* what stands here is not a word */
}

/* The text of a frame has ended. */
static void end_frame(struct reader *reader, struct frame *frame)
{
    if (frame->shares_text || frame->in_quotes) {
        fail(reader); /* something is not closed */
        return;
    }
    if (frame->kind == FRAME_COMMANDS) {
        finish_command(reader, BT_SHELL_END);
        if (frame->carrier) {
            return; /* its words come first */
        }
    }
    if (frame->parens > 0 || frame->groups > 0) {
        fail(reader);
    } else if (!reader->failed && reader->status == BT_OK) {
        pop_frame(reader);
    }
}

/* One step: each moves a frame on, pushes one or pops one, so the work is bounded by the text. */
static void take_step(struct reader *reader)
{
    struct frame *frame = top_frame(reader);
    if (frame->carrier) {
        read_carrier(reader, frame);
        return;
    }
    const bool at_line = frame->kind == FRAME_COMMANDS && frame->document_count > 0 &&
                         frame->at > 0 && frame->text.ptr[frame->at - 1] == '\n' &&
                         !frame->in_quotes && !frame->word.is_started && frame->words.count == 0;
    if (at_line && frame->at < frame->text.len) {
        read_document(reader, frame);
        return;
    }
    if (frame->at >= frame->text.len) {
        frame->document_count = 0; /* without a body */
        end_frame(reader, frame);
        return;
    }
    const char byte = frame->text.ptr[frame->at];
    if (frame->kind != FRAME_COMMANDS) {
        read_in_substitution(reader, frame, byte);
    } else if (!frame->in_quotes) {
        read_in_list(reader, frame, byte);
    } else if (byte == '"') {
        toggle_quotes(frame);
    } else if (!read_expansion(reader, frame, byte)) {
        add_byte(frame, byte, false);
        frame->at++;
    }
}

enum bt_status bt_shell_read(struct bt_arena *arena, bt_str text, struct bt_shell_text *out)
{
    struct reader reader = {.arena = arena};
    *out = (struct bt_shell_text){.is_understood = false};
    if (text.len > BT_SHELL_TEXT_BYTES_MAX || (text.len > 0 && memchr(text.ptr, '\0', text.len)) ||
        bt_utf8_check(text) != text.len) {
        return BT_OK;
    }
    push_frame(&reader, FRAME_COMMANDS, text, 0);
    while (reader.depth > 0 && !reader.failed && reader.status == BT_OK) {
        take_step(&reader);
    }
    BT_TRY(reader.status);
    if (!reader.failed) {
        *out = (struct bt_shell_text){.is_understood = true,
                                      .is_doubtful = reader.is_doubtful,
                                      .commands = reader.commands.items,
                                      .command_count = reader.commands.count,
                                      .written = reader.written.items,
                                      .written_count = reader.written.count};
    }
    return BT_OK;
}
