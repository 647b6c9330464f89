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
#include "base/error.h"
#include "shell/reader.h"

/* ---- Frames ---------------------------------------------------------------------------------- */

/* Push a frame that reads `text` from `at`. */
static void push_frame(struct bt_shell_reader *reader, enum bt_shell_frame_kind kind, bt_str text,
                       size_t at)
{
    if (reader->depth == BT_SHELL_FRAMES_MAX) {
        bt_shell_fail(reader);
        return;
    }
    struct bt_shell_frame *frame = reader->frames[reader->depth];
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
    *frame = (struct bt_shell_frame){.kind = kind, .text = text, .at = at, .buffer = buffer};
    reader->depth++;
}

/* Push a frame that continues in the text of the present one, after `skip` bytes. */
static void push_shared(struct bt_shell_reader *reader, enum bt_shell_frame_kind kind, size_t skip)
{
    struct bt_shell_frame *frame = bt_shell_top_frame(reader);
    push_frame(reader, kind, frame->text, frame->at + skip);
    if (!reader->failed && reader->status == BT_OK) {
        bt_shell_top_frame(reader)->shares_text = true;
    }
}

static void pop_frame(struct bt_shell_reader *reader)
{
    const struct bt_shell_frame *frame = bt_shell_top_frame(reader);
    reader->depth--;
    if (frame->shares_text) {
        bt_shell_top_frame(reader)->at = frame->at;
    }
}

/* ---- Words ----------------------------------------------------------------------------------- */

static void add_byte(struct bt_shell_frame *frame, char byte, bool is_plain)
{
    struct bt_shell_word_state *word = &frame->word;
    word->is_quoted = word->is_quoted || !is_plain;
    if (!word->is_quoted && word->plain == word->size && !word->is_dynamic) {
        word->plain++;
    }
    frame->buffer[word->size++] = byte; /* a word is not longer than the text */
    word->is_started = true;
}

static void add_dynamic(struct bt_shell_frame *frame)
{
    frame->word.is_started = true;
    frame->word.is_dynamic = true;
    frame->word.is_dynamic_bare = frame->word.is_dynamic_bare || !frame->in_quotes;
}

/* ---- Quotes and substitutions ---------------------------------------------------------------- */

/* '...', which begins here. */
static void read_single_quotes(struct bt_shell_reader *reader, struct bt_shell_frame *frame)
{
    const char *start = frame->text.ptr + frame->at + 1;
    const char *end = memchr(start, '\'', frame->text.len - frame->at - 1);
    if (!end) {
        bt_shell_fail(reader);
        return;
    }
    frame->word.is_started = true;
    frame->word.is_quoted = true;
    for (const char *byte = start; byte < end; byte++) {
        add_byte(frame, *byte, false);
    }
    frame->at = (size_t)(end - frame->text.ptr) + 1;
}

/* $'...', which begins here: its escapes are not read, so the word is dynamic. */
static void read_escaped_quotes(struct bt_shell_reader *reader, struct bt_shell_frame *frame)
{
    size_t at = frame->at + 2;
    while (at < frame->text.len && frame->text.ptr[at] != '\'') {
        at += frame->text.ptr[at] == '\\' ? 2 : 1;
    }
    if (at >= frame->text.len) {
        bt_shell_fail(reader);
        return;
    }
    add_dynamic(frame);
    frame->at = at + 1;
}

/* `...`, which begins here: its text, without the backslashes that protect it, is read apart. */
static void read_backticks(struct bt_shell_reader *reader, struct bt_shell_frame *frame)
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
        bt_shell_fail(reader);
        return;
    }
    add_dynamic(frame);
    frame->at = at + 1;
    push_frame(reader, BT_SHELL_FRAME_COMMANDS, (bt_str){inner, size}, 0);
}

static bool is_special_parameter(char byte)
{
    return byte != '\0' && strchr("@*#?-$!", byte) != NULL;
}

/*
 * What shells read in different ways: a line that continues behind `$`, `${ commands; }`, and
 * quotes in an expression or in ${...} within double quotes.
 */
static bool is_ambiguous_dollar(const struct bt_shell_frame *frame)
{
    const char next = bt_shell_peek(frame, 1);
    const char after = bt_shell_peek(frame, 2);
    const bool has_quote = next == '\'' || next == '"';
    return (next == '\\' && after == '\n') ||
           (next == '{' && (bt_ascii_is_blank(after) || after == '\n' || after == '|')) ||
           (has_quote && (frame->kind == BT_SHELL_FRAME_ARITHMETIC || frame->is_in_quotes));
}

/* Read what begins with `$` here. */
static void read_dollar(struct bt_shell_reader *reader, struct bt_shell_frame *frame)
{
    const char next = bt_shell_peek(frame, 1);
    if (is_ambiguous_dollar(frame)) {
        bt_shell_fail(reader);
    } else if (next == '(') {
        add_dynamic(frame);
        const bool is_arithmetic = bt_shell_peek(frame, 2) == '(';
        push_shared(reader, is_arithmetic ? BT_SHELL_FRAME_ARITHMETIC : BT_SHELL_FRAME_COMMANDS,
                    is_arithmetic ? 3 : 2);
    } else if (next == '{') {
        const bool is_in_quotes =
            frame->in_quotes || frame->is_in_quotes || frame->kind == BT_SHELL_FRAME_DOCUMENT;
        add_dynamic(frame);
        push_shared(reader, BT_SHELL_FRAME_PARAMETER, 2);
        bt_shell_top_frame(reader)->is_in_quotes = is_in_quotes;
    } else if (next == '\'' && !frame->in_quotes && frame->kind != BT_SHELL_FRAME_DOCUMENT) {
        read_escaped_quotes(reader, frame);
    } else if (bt_ascii_is_alpha(next) || next == '_') {
        add_dynamic(frame);
        frame->at += 2;
        while (bt_ascii_is_alnum(bt_shell_peek(frame, 0)) || bt_shell_peek(frame, 0) == '_') {
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
static void read_backslash(struct bt_shell_reader *reader, struct bt_shell_frame *frame)
{
    const char next = bt_shell_peek(frame, 1);
    if (next == '\0') {
        if (frame->in_quotes || frame->kind == BT_SHELL_FRAME_PARAMETER) {
            bt_shell_fail(reader);
            return;
        }
        add_byte(frame, '\\', false);
        frame->at++;
        return;
    }
    const bool is_protected = next == '$' || next == '`' || next == '"' || next == '\\';
    frame->word.is_quoted = frame->word.is_quoted || next != '\n';
    if (frame->in_quotes && !is_protected && next != '\n') {
        add_byte(frame, '\\', false);
    }
    if (next != '\n') {
        add_byte(frame, next, false);
    }
    frame->at += 2;
}

/* What counts inside and outside double quotes alike. False: the byte is none of it. */
static bool read_expansion(struct bt_shell_reader *reader, struct bt_shell_frame *frame, char byte)
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

static void toggle_quotes(struct bt_shell_frame *frame)
{
    frame->in_quotes = !frame->in_quotes;
    frame->word.is_started = true;
    frame->word.is_quoted = true;
    frame->at++;
}

/* ---- Redirections and operators -------------------------------------------------------------- */

/* Operators, the longest first. */
static const struct redirect_operator {
    const char *text;
    enum bt_shell_redirection redirection;
} redirect_operators[] = {
    {"&>>", BT_SHELL_REDIRECT_WRITE},         {"<<<", BT_SHELL_REDIRECT_STRING},
    {"<<-", BT_SHELL_REDIRECT_DOCUMENT_TABS}, {"&>", BT_SHELL_REDIRECT_WRITE},
    {"<<", BT_SHELL_REDIRECT_DOCUMENT},       {"<&", BT_SHELL_REDIRECT_OTHER},
    {"<>", BT_SHELL_REDIRECT_WRITE},          {">>", BT_SHELL_REDIRECT_WRITE},
    {">&", BT_SHELL_REDIRECT_BOTH},           {">|", BT_SHELL_REDIRECT_WRITE},
    {"<", BT_SHELL_REDIRECT_OTHER},           {">", BT_SHELL_REDIRECT_WRITE},
};

static const struct command_operator {
    const char *text;
    enum bt_shell_connector connector;
} command_operators[] = {
    {"&&", BT_SHELL_AND},      {"||", BT_SHELL_OR},  {"|&", BT_SHELL_PIPE_BOTH},
    {";", BT_SHELL_SEMICOLON}, {"|", BT_SHELL_PIPE}, {"&", BT_SHELL_BACKGROUND},
    {"\n", BT_SHELL_NEWLINE},
};

static bool stands_here(const struct bt_shell_frame *frame, const char *operator)
{
    const size_t size = strlen(operator);
    return frame->text.len - frame->at >= size &&
           memcmp(frame->text.ptr + frame->at, operator, size) == 0;
}

/* False: there is no redirection here. */
static bool read_redirection(struct bt_shell_reader *reader, struct bt_shell_frame *frame)
{
    for (size_t i = 0; i < sizeof(redirect_operators) / sizeof(redirect_operators[0]); i++) {
        const char *operator= redirect_operators[i].text;
        if (!stands_here(frame, operator)) {
            continue;
        }
        bool is_number = frame->word.size > 0 && !frame->word.is_quoted && !frame->word.is_dynamic;
        for (size_t n = 0; n < frame->word.size; n++) {
            is_number = is_number && bt_ascii_is_digit(frame->buffer[n]);
        }
        if (is_number) {
            frame->word = (struct bt_shell_word_state){0};
        }
        bt_shell_finish_word(reader, frame);
        if (frame->redirection != BT_SHELL_REDIRECT_NONE) {
            bt_shell_fail(reader);
        }
        frame->redirection = redirect_operators[i].redirection;
        frame->at += strlen(operator);
        return true;
    }
    return false;
}

static bool read_connector(struct bt_shell_reader *reader, struct bt_shell_frame *frame)
{
    for (size_t i = 0; i < sizeof(command_operators) / sizeof(command_operators[0]); i++) {
        if (stands_here(frame, command_operators[i].text)) {
            frame->at += strlen(command_operators[i].text);
            bt_shell_finish_command(reader, command_operators[i].connector);
            if (command_operators[i].connector == BT_SHELL_NEWLINE) {
                frame->documents.next = 0; /* the bodies of here-documents begin here */
                frame->documents.begin = frame->documents.count > 0;
            }
            return true;
        }
    }
    return false;
}

/* `(`: a list of its own, unless it makes the word before it a function. */
static void open_list(struct bt_shell_reader *reader, struct bt_shell_frame *frame)
{
    size_t ahead = 1;
    while (bt_ascii_is_blank(bt_shell_peek(frame, ahead))) {
        ahead++;
    }
    if (bt_shell_peek(frame, ahead) == ')' && (frame->word.is_started || frame->words.count > 0)) {
        bt_shell_fail(reader);
        return;
    }
    const bool is_piped = frame->is_piped && frame->words.count == 0 && !frame->word.is_started;
    reader->has_groups = true;
    frame->at++;
    bt_shell_finish_command(reader, BT_SHELL_OPEN);
    frame->parens++;
    bt_shell_begin_piped(frame, is_piped);
}

/* `)`: the end of a list, or of this substitution. */
static void close_list(struct bt_shell_reader *reader, struct bt_shell_frame *frame)
{
    if (frame->parens > 0) {
        frame->at++;
        bt_shell_finish_command(reader, BT_SHELL_CLOSE);
        frame->parens--;
        bt_shell_end_piped(frame);
        return;
    }
    if (!frame->shares_text) {
        bt_shell_fail(reader);
        return;
    }
    bt_shell_finish_command(reader, BT_SHELL_END);
    if (frame->groups > 0 || frame->documents.count > 0) {
        bt_shell_fail(reader);
    } else if (!reader->failed && !frame->carrier) {
        frame->at++;
        pop_frame(reader);
    }
}

/* ---- Frames, byte by byte -------------------------------------------------------------------- */

/*
 * Whether a line from `line` to `stop` that continues lines before it, from `start`, could end the
 * here-document: shells join such lines before they compare them.
 */
static bool may_end_joined(const struct bt_shell_frame *frame,
                           const struct bt_shell_document *document, size_t start, size_t stop)
{
    size_t matched = 0;
    for (size_t i = start; i < stop; i++) {
        const char byte = frame->text.ptr[i];
        if (byte == '\\' && i + 1 < stop && frame->text.ptr[i + 1] == '\n') {
            i++;
        } else if (document->drops_tabs && byte == '\t') {
            continue;
        } else if (matched == document->end.len || document->end.ptr[matched] != byte) {
            return false;
        } else {
            matched++;
        }
    }
    return matched == document->end.len;
}

/* Whether a line ends with a backslash that continues it. */
static bool line_continues(bt_str line)
{
    size_t slashes = 0;
    while (slashes < line.len && line.ptr[line.len - 1 - slashes] == '\\') {
        slashes++;
    }
    return slashes % 2 == 1;
}

/*
 * Go on with the here-documents of the line that has ended: find the end of the next one, and read
 * the substitutions in it.
 */
static void read_document(struct bt_shell_reader *reader, struct bt_shell_frame *frame)
{
    const struct bt_shell_document *document = &frame->documents.items[frame->documents.next++];
    const size_t start = frame->at;
    size_t end = frame->text.len;
    size_t after = frame->text.len;
    size_t logical = start; /* where the lines began that this one continues */
    for (size_t line = start; line < frame->text.len;) {
        const char *feed = memchr(frame->text.ptr + line, '\n', frame->text.len - line);
        const size_t stop = feed ? (size_t)(feed - frame->text.ptr) : frame->text.len;
        size_t from = line;
        while (document->drops_tabs && from < stop && frame->text.ptr[from] == '\t') {
            from++;
        }
        const bt_str text = {frame->text.ptr + from, stop - from};
        const bool continues = !document->is_literal && line_continues(text);
        if (!continues && logical == line && bt_str_eq(text, document->end)) {
            end = line;
            after = feed ? stop + 1 : stop;
            break;
        }
        if (!continues && logical < line && may_end_joined(frame, document, logical, stop)) {
            bt_shell_fail(reader);
            return;
        }
        line = stop + 1;
        logical = continues ? logical : line;
    }
    frame->at = after;
    if (frame->documents.next == frame->documents.count) {
        frame->documents.count = 0;
        frame->documents.begin = false;
    }
    if (!document->is_literal) {
        push_frame(reader, BT_SHELL_FRAME_DOCUMENT, (bt_str){frame->text.ptr + start, end - start},
                   0);
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
static void read_carrier(struct bt_shell_reader *reader, struct bt_shell_frame *frame)
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
            push_frame(reader, BT_SHELL_FRAME_COMMANDS, word->text, 0);
            return;
        }
    }
    frame->carrier = NULL;
}

static void read_comment(struct bt_shell_frame *frame)
{
    while (bt_shell_peek(frame, 0) != '\0' && bt_shell_peek(frame, 0) != '\n') {
        frame->at++;
    }
}

/* One step in a list of commands, outside double quotes. */
static void read_in_list(struct bt_shell_reader *reader, struct bt_shell_frame *frame, char byte)
{
    const bool starts_process = (byte == '<' || byte == '>') && bt_shell_peek(frame, 1) == '(';
    if (read_expansion(reader, frame, byte)) {
        return;
    }
    if (starts_process) {
        add_dynamic(frame);
        push_shared(reader, BT_SHELL_FRAME_COMMANDS, 2);
    } else if (byte == '\'') {
        read_single_quotes(reader, frame);
    } else if (byte == '"') {
        toggle_quotes(frame);
    } else if (byte == ' ' || byte == '\t') {
        frame->at++;
        bt_shell_finish_word(reader, frame);
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
static void read_in_substitution(struct bt_shell_reader *reader, struct bt_shell_frame *frame,
                                 char byte)
{
    if (byte == '\'' && (frame->kind == BT_SHELL_FRAME_ARITHMETIC || frame->is_in_quotes)) {
        bt_shell_fail(reader); /* shells do not agree whether this is a quote */
        return;
    }
    if (byte == '"' && frame->kind == BT_SHELL_FRAME_ARITHMETIC) {
        bt_shell_fail(reader);
        return;
    }
    if (read_expansion(reader, frame, byte)) {
        /* done */
    } else if (frame->kind == BT_SHELL_FRAME_PARAMETER && byte == '"') {
        toggle_quotes(frame);
    } else if (frame->kind == BT_SHELL_FRAME_PARAMETER && byte == '\'' && !frame->in_quotes) {
        read_single_quotes(reader, frame);
    } else if (frame->kind == BT_SHELL_FRAME_PARAMETER && byte == '}' && !frame->in_quotes) {
        frame->at++;
        pop_frame(reader);
        return;
    } else if (frame->kind == BT_SHELL_FRAME_ARITHMETIC && byte == '(') {
        frame->parens++;
        frame->at++;
    } else if (frame->kind == BT_SHELL_FRAME_ARITHMETIC && byte == ')') {
        if (frame->parens == 0 && bt_shell_peek(frame, 1) == ')') {
            frame->at += 2;
            pop_frame(reader);
            return;
        }
        if (frame->parens == 0) {
            bt_shell_fail(reader); /* a list in a substitution: $((a); b) */
            return;
        }
        frame->parens--;
        frame->at++;
    } else {
        frame->at++;
    }
    frame->word = (struct bt_shell_word_state){0}; /* what stands here is not a word */
}

/* The text of a frame has ended. */
static void end_frame(struct bt_shell_reader *reader, struct bt_shell_frame *frame)
{
    if (frame->shares_text || frame->in_quotes) {
        bt_shell_fail(reader); /* something is not closed */
        return;
    }
    if (frame->kind == BT_SHELL_FRAME_COMMANDS) {
        bt_shell_finish_command(reader, BT_SHELL_END);
        if (frame->carrier) {
            return; /* its words come first */
        }
    }
    if (frame->parens > 0 || frame->groups > 0) {
        bt_shell_fail(reader);
    } else if (!reader->failed && reader->status == BT_OK) {
        pop_frame(reader);
    }
}

/* One step: each moves a frame on, pushes one or pops one, so the work is bounded by the text. */
static void take_step(struct bt_shell_reader *reader)
{
    struct bt_shell_frame *frame = bt_shell_top_frame(reader);
    frame->word.begin = frame->word.is_started ? frame->word.begin : frame->at;
    frame->word.end = frame->at;
    if (frame->carrier) {
        read_carrier(reader, frame);
        return;
    }
    if (frame->documents.begin && frame->at < frame->text.len) {
        read_document(reader, frame);
        return;
    }
    if (frame->at >= frame->text.len) {
        frame->documents.count = 0; /* without a body */
        frame->documents.begin = false;
        end_frame(reader, frame);
        return;
    }
    const char byte = frame->text.ptr[frame->at];
    if (frame->kind != BT_SHELL_FRAME_COMMANDS) {
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
    struct bt_shell_reader reader = {.arena = arena};
    *out = (struct bt_shell_text){.is_understood = false};
    if (text.len > BT_SHELL_TEXT_BYTES_MAX || (text.len > 0 && memchr(text.ptr, '\0', text.len)) ||
        bt_utf8_check(text) != text.len) {
        return BT_OK;
    }
    push_frame(&reader, BT_SHELL_FRAME_COMMANDS, text, 0);
    while (reader.depth > 0 && !reader.failed && reader.status == BT_OK) {
        take_step(&reader);
    }
    BT_TRY(reader.status);
    if (!reader.failed) {
        *out = (struct bt_shell_text){.is_understood = true,
                                      .is_doubtful = reader.is_doubtful,
                                      .has_groups = reader.has_groups,
                                      .bare_commands_end = reader.bare_commands_end,
                                      .commands = reader.commands.items,
                                      .command_count = reader.commands.count,
                                      .written = reader.written.items,
                                      .written_count = reader.written.count};
    }
    return BT_OK;
}
