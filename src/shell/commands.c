/* SPDX-License-Identifier: Apache-2.0 */
/* commands.c - what becomes of a word and of a command that has been read. */
#include <string.h>

#include "base/ascii.h"
#include "base/str.h"
#include "shell/reader.h"

/* ---- Words with a meaning -------------------------------------------------------------------- */

static const bt_str SHELLS[] = {BT_STR_INIT("sh"), BT_STR_INIT("bash"), BT_STR_INIT("zsh"),
                                BT_STR_INIT("dash"), BT_STR_INIT("ksh")};
static const bt_str RUNNING_TEXT[] = {
    BT_STR_INIT("sh"),   BT_STR_INIT("bash"), BT_STR_INIT("zsh"),
    BT_STR_INIT("dash"), BT_STR_INIT("ksh"),  BT_STR_INIT("eval"),
    BT_STR_INIT("su"),   BT_STR_INIT("ssh")}; /* carriers that run text */
static const bt_str INTERPRETERS[] = {
    BT_STR_INIT("sh"),    BT_STR_INIT("bash"),   BT_STR_INIT("zsh"),     BT_STR_INIT("dash"),
    BT_STR_INIT("ksh"),   BT_STR_INIT("python"), BT_STR_INIT("python3"), BT_STR_INIT("perl"),
    BT_STR_INIT("ruby"),  BT_STR_INIT("node"),   BT_STR_INIT("ssh"),     BT_STR_INIT("psql"),
    BT_STR_INIT("mysql"), BT_STR_INIT("sqlite3")};
static const bt_str CARRIERS[] = {
    BT_STR_INIT("command"),  BT_STR_INIT("builtin"), BT_STR_INIT("exec"),   BT_STR_INIT("nohup"),
    BT_STR_INIT("time"),     BT_STR_INIT("nice"),    BT_STR_INIT("ionice"), BT_STR_INIT("stdbuf"),
    BT_STR_INIT("setsid"),   BT_STR_INIT("timeout"), BT_STR_INIT("env"),    BT_STR_INIT("sudo"),
    BT_STR_INIT("doas"),     BT_STR_INIT("su"),      BT_STR_INIT("xargs"),  BT_STR_INIT("find"),
    BT_STR_INIT("parallel"), BT_STR_INIT("watch"),   BT_STR_INIT("ssh"),    BT_STR_INIT("sh"),
    BT_STR_INIT("bash"),     BT_STR_INIT("zsh"),     BT_STR_INIT("dash"),   BT_STR_INIT("ksh"),
    BT_STR_INIT("eval"),     BT_STR_INIT("flock"),   BT_STR_INIT("strace"), BT_STR_INIT("script"),
    BT_STR_INIT("chroot"),   BT_STR_INIT("runuser")};
static const bt_str ADDING_WORDS[] = {BT_STR_INIT("xargs"), BT_STR_INIT("parallel")};
static const bt_str SKIPPED[] = {BT_STR_INIT("!"),     BT_STR_INIT("{"),    BT_STR_INIT("}"),
                                 BT_STR_INIT("if"),    BT_STR_INIT("then"), BT_STR_INIT("elif"),
                                 BT_STR_INIT("else"),  BT_STR_INIT("fi"),   BT_STR_INIT("while"),
                                 BT_STR_INIT("until"), BT_STR_INIT("do"),   BT_STR_INIT("done"),
                                 BT_STR_INIT("time")};
static const bt_str COMPOUND_STARTS[] = {BT_STR_INIT("if"), BT_STR_INIT("while"),
                                         BT_STR_INIT("until"), BT_STR_INIT("for"),
                                         BT_STR_INIT("select")};
static const bt_str COMPOUND_ENDS[] = {BT_STR_INIT("fi"), BT_STR_INIT("done")};
static const bt_str LOOPS[] = {BT_STR_INIT("for"), BT_STR_INIT("select")};
static const bt_str UNREADABLE[] = {BT_STR_INIT("case"), BT_STR_INIT("function"),
                                    BT_STR_INIT("coproc")};

bool bt_shell_is_shell(bt_str program)
{
    return bt_str_is_one_of(program, SHELLS);
}

static bt_str program_of(const struct bt_shell_word *word)
{
    return word->is_dynamic ? BT_STR("") : bt_str_after_last(word->text, '/');
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* Whether the word assigns a variable: NAME=... or NAME+=..., the name without quotes. */
static bool is_assignment(const struct bt_shell_frame *frame)
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
static bool option_follows(const struct bt_shell_frame *frame)
{
    size_t ahead = 0;
    while (bt_ascii_is_blank(bt_shell_peek(frame, ahead))) {
        ahead++;
    }
    return bt_shell_peek(frame, ahead) == '-';
}

/*
 * Act on a word of the shell's own where a command starts. False: it is an ordinary word. `time`
 * with options is a program like others, a carrier.
 */
static bool take_reserved(struct bt_shell_reader *reader, struct bt_shell_frame *frame, bt_str word)
{
    if (bt_str_is_one_of(word, UNREADABLE)) {
        bt_shell_fail(reader);
        return true;
    }
    if (bt_str_is_one_of(word, COMPOUND_STARTS)) {
        frame->compounds++;
        bt_shell_begin_piped(frame, frame->is_piped);
    } else if (bt_str_is_one_of(word, COMPOUND_ENDS) && frame->compounds > 0) {
        frame->compounds--;
        bt_shell_end_piped(frame);
    }
    if (bt_str_is_one_of(word, LOOPS)) {
        reader->has_groups = true;
        frame->loop_words = 1;
        return true;
    }
    if (!bt_str_is_one_of(word, SKIPPED) ||
        (bt_str_eq(word, BT_STR("time")) && option_follows(frame))) {
        return false;
    }
    reader->has_groups = reader->has_groups || !bt_str_eq(word, BT_STR("time"));
    if (word.ptr[0] == '{') {
        frame->groups++;
        bt_shell_begin_piped(frame, frame->is_piped);
    } else if (word.ptr[0] == '}') {
        if (frame->groups == 0) {
            bt_shell_fail(reader);
            return true;
        }
        frame->groups--;
        bt_shell_end_piped(frame);
    }
    return true;
}

/* A word of `for NAME in ...`, which is dropped; `for NAME do` has no list. */
static void take_loop_word(struct bt_shell_frame *frame, bt_str word, bool is_plain)
{
    frame->loop_words++;
    if (frame->loop_words == 3 && is_plain && bt_str_eq(word, BT_STR("do"))) {
        frame->loop_words = 0;
    }
}

/* Whether the word behind `>&` names a descriptor, as 1, 2- and - do. */
static bool is_descriptor(const struct bt_shell_word *word)
{
    bool is_number = !word->is_dynamic && word->text.len > 0;
    for (size_t i = 0; is_number && i < word->text.len; i++) {
        const char byte = word->text.ptr[i];
        is_number = bt_ascii_is_digit(byte) || (byte == '-' && i + 1 == word->text.len);
    }
    return is_number;
}

static void take_target(struct bt_shell_reader *reader, struct bt_shell_frame *frame,
                        const struct bt_shell_word *word)
{
    const enum bt_shell_redirection redirection = frame->redirection;
    frame->redirection = BT_SHELL_REDIRECT_NONE;
    if (redirection == BT_SHELL_REDIRECT_WRITE ||
        (redirection == BT_SHELL_REDIRECT_BOTH && !is_descriptor(word))) {
        reader->status = bt_vec_push(reader->arena, &reader->written, *word);
    } else if (redirection == BT_SHELL_REDIRECT_STRING) {
        frame->command.is_fed = true;
    } else if (redirection == BT_SHELL_REDIRECT_DOCUMENT ||
               redirection == BT_SHELL_REDIRECT_DOCUMENT_TABS) {
        frame->command.is_fed = true;
        if (frame->documents.count == BT_SHELL_DOCUMENTS_MAX || word->is_dynamic) {
            bt_shell_fail(reader);
            return;
        }
        frame->documents.items[frame->documents.count++] = (struct bt_shell_document){
            .end = word->text,
            .is_literal = frame->word.is_quoted,
            .drops_tabs = redirection == BT_SHELL_REDIRECT_DOCUMENT_TABS};
    }
}

static bool has_file_pattern(const struct bt_shell_frame *frame)
{
    bool has_pattern = false;
    for (size_t i = 0; i < frame->word.size; i++) {
        has_pattern = has_pattern || strchr("*?[", frame->buffer[i]) != NULL;
    }
    return has_pattern && !frame->word.is_quoted && !frame->word.is_dynamic;
}

/* Whether the word may become several words: it has braces with a comma or a range. A word with
 * quotes is taken as it stands. */
static bool expands_words(const struct bt_shell_frame *frame)
{
    const bt_str text = {frame->buffer, frame->word.size};
    const size_t brace = bt_str_find_byte(text, '{', 0);
    const bt_str inner = bt_str_slice(text, brace, text.len);
    const bool is_list =
        bt_str_find_byte(inner, ',', 0) < inner.len || bt_str_find(inner, BT_STR("..")) < inner.len;
    return !frame->word.is_quoted && brace < text.len &&
           bt_str_find_byte(inner, '}', 0) < inner.len && is_list;
}

void bt_shell_finish_word(struct bt_shell_reader *reader, struct bt_shell_frame *frame)
{
    if (!frame->word.is_started) {
        return;
    }
    const bool is_plain = !frame->word.is_quoted && !frame->word.is_dynamic;
    struct bt_shell_word word = {.source =
                                     bt_str_slice(frame->text, frame->word.begin, frame->word.end),
                                 .is_dynamic = frame->word.is_dynamic,
                                 .is_dynamic_bare = frame->word.is_dynamic_bare,
                                 .expands = expands_words(frame),
                                 .has_pattern = has_file_pattern(frame),
                                 .is_option = frame->word.size > 0 && frame->buffer[0] == '-' &&
                                              (!frame->word.is_dynamic || frame->word.plain > 0)};
    const bt_str bytes = {frame->buffer, frame->word.size};
    reader->status = bt_arena_copy(reader->arena, bytes, &word.text);
    if (reader->status != BT_OK) {
        return;
    }
    if (frame->redirection != BT_SHELL_REDIRECT_NONE) {
        take_target(reader, frame, &word);
        frame->command.is_bare = true;
    } else if (frame->loop_words > 0) {
        take_loop_word(frame, bytes, is_plain);
    } else if (frame->words.count == 0 && is_assignment(frame)) {
        frame->command.is_bare = true;
    } else if (frame->words.count == 0 && is_plain && take_reserved(reader, frame, bytes)) {
        /* nothing to keep */
    } else if (frame->words.count == BT_SHELL_WORDS_MAX) {
        bt_shell_fail(reader);
    } else {
        reader->status = bt_vec_push(reader->arena, &frame->words, word);
    }
    frame->word = (struct bt_shell_word_state){0};
}

/* ---- Commands -------------------------------------------------------------------------------- */

/* Whether a shell at words[index] has only options behind it, or is told to read its input. */
static bool reads_its_input(const struct bt_shell_frame *frame, size_t index)
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
static bool runs_input(const struct bt_shell_frame *frame, bool is_carrier)
{
    const bool is_piped = frame->is_piped || frame->piped_in > 0;
    const bool adds_words = bt_str_is_one_of(program_of(&frame->words.items[0]), ADDING_WORDS);
    for (size_t i = 0; i < (is_carrier ? frame->words.count : 1); i++) {
        const bt_str program = program_of(&frame->words.items[i]);
        if (frame->command.is_fed && bt_str_is_one_of(program, INTERPRETERS)) {
            return true;
        }
        if (is_piped && !(adds_words && i > 0) && bt_shell_is_shell(program) &&
            reads_its_input(frame, i)) {
            return true;
        }
    }
    return false;
}

/*
 * Whether it cannot be told what a command runs: it is a carrier, or one of the commands that it
 * may run is, and gets words that are not known. xargs and parallel add such words.
 */
static bool is_doubtful(const struct bt_shell_command *command)
{
    bool runs_text = false;
    bool is_doubtful = false;
    for (size_t i = 0; i < command->word_count; i++) {
        const struct bt_shell_word *word = &command->words[i];
        is_doubtful =
            is_doubtful || (i > 0 && (runs_text ? word->is_dynamic : word->is_dynamic_bare));
        runs_text = runs_text || bt_str_is_one_of(program_of(word), RUNNING_TEXT);
    }
    return is_doubtful ||
           (runs_text && bt_str_is_one_of(program_of(&command->words[0]), ADDING_WORDS));
}

/* Whether the shell replaces the word where the program stands by others: {a,b}, g?t. */
static bool has_unknown_program(const struct bt_shell_word *word)
{
    const bool is_test = bt_str_eq(word->text, BT_STR("[")) || bt_str_eq(word->text, BT_STR("[["));
    return word->expands || (word->has_pattern && !is_test);
}

static void add_command(struct bt_shell_reader *reader, struct bt_shell_frame *frame,
                        enum bt_shell_connector connector)
{
    const struct bt_shell_word *first = &frame->words.items[0];
    const bool is_known_carrier = bt_str_is_one_of(program_of(first), CARRIERS);
    const bool is_carrier = is_known_carrier || first->is_dynamic; /* it may be one */
    if (reader->commands.count == BT_SHELL_COMMANDS_MAX || runs_input(frame, is_carrier)) {
        bt_shell_fail(reader);
        return;
    }
    reader->is_doubtful = reader->is_doubtful || has_unknown_program(&frame->words.items[0]);
    reader->has_interpreter = reader->has_interpreter ||
                              bt_str_is_one_of(program_of(&frame->words.items[0]), INTERPRETERS);
    const struct bt_shell_command command = {.words = frame->words.items,
                                             .word_count = frame->words.count,
                                             .connector = connector,
                                             .is_carrier = is_carrier,
                                             .depth = (uint8_t)(reader->depth - 1)};
    reader->status = bt_vec_push(reader->arena, &reader->commands, command);
    if (reader->status == BT_OK && is_carrier) {
        reader->is_doubtful = reader->is_doubtful || (is_known_carrier && is_doubtful(&command));
        /* The vector may move; the words do not. */
        frame->carrier = &reader->commands.items[reader->commands.count - 1];
        frame->carrier_next = 1;
    }
}

void bt_shell_finish_command(struct bt_shell_reader *reader, enum bt_shell_connector connector)
{
    struct bt_shell_frame *frame = bt_shell_top_frame(reader);
    bt_shell_finish_word(reader, frame);
    if (reader->failed || reader->status != BT_OK) {
        return;
    }
    if (frame->redirection != BT_SHELL_REDIRECT_NONE ||
        (frame->words.count == 0 && frame->command.is_fed && reader->has_interpreter)) {
        bt_shell_fail(reader); /* no target; or a group that may hold an interpreter is fed */
        return;
    }
    if (frame->words.count > 0) {
        add_command(reader, frame, connector);
    } else if (frame->command.is_bare) {
        reader->bare_commands_end = reader->commands.count;
    }
    frame->words.items = NULL;
    frame->words.count = 0;
    frame->words.capacity = 0;
    frame->command = (struct bt_shell_command_state){0};
    frame->loop_words = 0;
    if (connector != BT_SHELL_OPEN && connector != BT_SHELL_CLOSE) {
        frame->is_piped = connector == BT_SHELL_PIPE || connector == BT_SHELL_PIPE_BOTH;
    }
}
