/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - the normal form of a shell command. */
#include "evidence/command.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/vec.h"
#include "shell/shell.h"

#define WORD(text) BT_STR_INIT(text)

enum { SHELLS_NESTED_MAX = 4 };

static const bt_str WRAPPERS[] = {WORD("command"), WORD("builtin"), WORD("exec"), WORD("nohup"),
                                  WORD("time"),    WORD("env"),     WORD("sudo")};
static const bt_str RUNNERS[] = {WORD("npx"), WORD("bunx"), WORD("uvx")};
static const bt_str PYTHONS[] = {WORD("python"), WORD("python3")};
static const struct runner_pair {
    bt_str program;
    bt_str verb;
} RUNNER_PAIRS[] = {
    {WORD("uv"), WORD("run")},    {WORD("poetry"), WORD("run")}, {WORD("pipenv"), WORD("run")},
    {WORD("pdm"), WORD("run")},   {WORD("hatch"), WORD("run")},  {WORD("bundle"), WORD("exec")},
    {WORD("pnpm"), WORD("exec")}, {WORD("yarn"), WORD("exec")},  {WORD("npm"), WORD("exec")}};
/* Commands that do nothing that a claim could mean. */
static const bt_str SILENT[] = {
    WORD("cd"),     WORD("pushd"), WORD("popd"),  WORD("set"),    WORD("export"), WORD("unset"),
    WORD("source"), WORD("."),     WORD("true"),  WORD(":"),      WORD("echo"),   WORD("printf"),
    WORD("pwd"),    WORD("sleep"), WORD("umask"), WORD("ulimit"), WORD("trap"),   WORD("exit")};
/* Commands that only pass on, behind a pipe, what comes in. */
static const bt_str FILTERS[] = {WORD("tail"), WORD("head"),  WORD("cat"),   WORD("tee"),
                                 WORD("grep"), WORD("egrep"), WORD("fgrep"), WORD("rg"),
                                 WORD("sed"),  WORD("awk"),   WORD("sort"),  WORD("uniq"),
                                 WORD("wc"),   WORD("less"),  WORD("more"),  WORD("jq"),
                                 WORD("cut"),  WORD("tr"),    WORD("nl"),    WORD("column")};
static const bt_str READERS[] = {
    WORD("ls"),    WORD("cat"),    WORD("head"),  WORD("tail"),   WORD("grep"),   WORD("egrep"),
    WORD("fgrep"), WORD("rg"),     WORD("wc"),    WORD("pwd"),    WORD("stat"),   WORD("file"),
    WORD("diff"),  WORD("tree"),   WORD("du"),    WORD("df"),     WORD("which"),  WORD("type"),
    WORD("date"),  WORD("whoami"), WORD("uname"), WORD("less"),   WORD("more"),   WORD("jq"),
    WORD("cut"),   WORD("sort"),   WORD("uniq"),  WORD("tr"),     WORD("nl"),     WORD("column"),
    WORD("cd"),    WORD("pushd"),  WORD("popd"),  WORD("set"),    WORD("export"), WORD("unset"),
    WORD("true"),  WORD(":"),      WORD("echo"),  WORD("printf"), WORD("sleep")};
static const bt_str GIT_READERS[] = {WORD("status"),  WORD("diff"),      WORD("log"),
                                     WORD("show"),    WORD("rev-parse"), WORD("blame"),
                                     WORD("ls-files")};
static const bt_str FIND_ACTIONS[] = {WORD("-exec"), WORD("-execdir"), WORD("-ok"), WORD("-delete"),
                                      WORD("-fprint")};
/* Programs whose next word says what they do. */
static const bt_str VERB_PROGRAMS[] = {
    WORD("git"),     WORD("go"),      WORD("npm"),       WORD("yarn"),   WORD("pnpm"),
    WORD("bun"),     WORD("deno"),    WORD("cargo"),     WORD("make"),   WORD("just"),
    WORD("python"),  WORD("python3"), WORD("node"),      WORD("ruby"),   WORD("bundle"),
    WORD("mvn"),     WORD("gradle"),  WORD("gradlew"),   WORD("dotnet"), WORD("docker"),
    WORD("kubectl"), WORD("helm"),    WORD("terraform"), WORD("tofu"),   WORD("aws"),
    WORD("gcloud"),  WORD("az"),      WORD("gh"),        WORD("pip"),    WORD("pip3"),
    WORD("uv"),      WORD("poetry"),  WORD("composer"),  WORD("php"),    WORD("swift"),
    WORD("bazel"),   WORD("ctest"),   WORD("cmake"),     WORD("ninja"),  WORD("meson")};

/* ---- Words ----------------------------------------------------------------------------------- */

/* The words of a command while it is put into its normal form. */
struct form_words {
    const struct bt_shell_word *items;
    size_t count;
};

static void drop_words(struct form_words *words, size_t count)
{
    words->items += count;
    words->count -= count;
}

/* A word that is known, or "". */
static bt_str word_at(const struct form_words *words, size_t index)
{
    return index < words->count && !words->items[index].is_dynamic ? words->items[index].text
                                                                   : BT_STR("");
}

static bt_str program_of(const struct form_words *words)
{
    return bt_str_after_last(word_at(words, 0), '/');
}

static bool is_assignment(bt_str word)
{
    const size_t equals = bt_str_find_byte(word, '=', 0);
    bool is_name = equals > 0 && equals < word.len && !bt_ascii_is_digit(word.ptr[0]);
    for (size_t i = 0; is_name && i < equals; i++) {
        is_name = bt_ascii_is_alnum(word.ptr[i]) || word.ptr[i] == '_';
    }
    return is_name;
}

/* Digits with an optional unit. */
static bool is_duration(bt_str word)
{
    size_t digits = 0;
    while (digits < word.len && bt_ascii_is_digit(word.ptr[digits])) {
        digits++;
    }
    const bt_str units = BT_STR("smhd");
    return digits > 0 &&
           (digits == word.len ||
            (digits + 1 == word.len && bt_str_find_byte(units, word.ptr[digits], 0) < units.len));
}

/* Take away what only says how a program is started: `sudo`, `env A=1`, `timeout 60`. */
static void drop_wrappers(struct form_words *words)
{
    for (;;) {
        const bt_str program = program_of(words);
        const bool has_next = words->count > 1 && !words->items[1].is_option;
        if (bt_str_is_one_of(program, WRAPPERS) && has_next) {
            drop_words(words, 1);
            while (bt_str_eq(program, BT_STR("env")) && words->count > 1 &&
                   is_assignment(word_at(words, 0))) {
                drop_words(words, 1);
            }
        } else if (bt_str_eq(program, BT_STR("timeout")) && words->count > 2 &&
                   is_duration(word_at(words, 1))) {
            drop_words(words, 2);
        } else {
            return;
        }
    }
}

/* Take away what runs a program of a project: `npx`, `poetry run`, `python3 -m`. */
static void drop_runner(struct form_words *words)
{
    const bt_str program = program_of(words);
    size_t count = bt_str_is_one_of(program, RUNNERS) ? 1 : 0;
    if (bt_str_is_one_of(program, PYTHONS) && bt_str_eq(word_at(words, 1), BT_STR("-m"))) {
        count = 2;
    }
    for (size_t i = 0; i < BT_COUNT_OF(RUNNER_PAIRS); i++) {
        if (bt_str_eq(program, RUNNER_PAIRS[i].program) &&
            bt_str_eq(word_at(words, 1), RUNNER_PAIRS[i].verb)) {
            count = 2;
        }
    }
    if (count > 0 && bt_str_eq(word_at(words, count), BT_STR("--"))) {
        count++;
    }
    if (count < words->count) {
        drop_words(words, count);
    }
}

/* The text of `sh -c TEXT`; "": the command is something else. */
static bt_str shell_text(const struct form_words *words)
{
    if (!bt_shell_is_shell(program_of(words))) {
        return BT_STR("");
    }
    for (size_t i = 1; i + 1 < words->count && words->items[i].is_option; i++) {
        const bt_str option = word_at(words, i);
        const bool is_long = bt_str_starts_with(option, BT_STR("--"));
        if (!is_long && bt_str_find_byte(option, 'c', 0) < option.len) {
            return word_at(words, i + 1);
        }
        i += bt_str_eq(option, BT_STR("-o")) ? 1 : 0;
    }
    return BT_STR("");
}

/* ---- What the exit status proves ------------------------------------------------------------- */

static bool is_pipe(enum bt_shell_connector connector)
{
    return connector == BT_SHELL_PIPE || connector == BT_SHELL_PIPE_BOTH;
}

/* Whether a connector joins two commands of one list: `a && b`, `a | b`. */
static bool joins_commands(enum bt_shell_connector connector)
{
    return connector == BT_SHELL_AND || connector == BT_SHELL_OR || is_pipe(connector);
}

/* Whether `set` with this word, or with this letter among its options, stands before a command. */
static bool is_set_before(const struct bt_shell_command *const *commands, size_t end, bt_str word,
                          char letter)
{
    for (size_t i = 0; i < end; i++) {
        const struct form_words words = {commands[i]->words, commands[i]->word_count};
        for (size_t n = 1; bt_str_eq(program_of(&words), BT_STR("set")) && n < words.count; n++) {
            const bt_str option = word_at(&words, n);
            if ((word.len > 0 && bt_str_eq(option, word)) ||
                (letter != '\0' && words.items[n].is_option &&
                 bt_str_find_byte(option, letter, 0) < option.len)) {
                return true;
            }
        }
    }
    return false;
}

/* The place of command `index` of those that stand in the text itself. */
static enum bt_segment_place find_place(const struct bt_shell_command *const *commands,
                                        size_t count, size_t index)
{
    size_t end = index; /* the last command of its pipeline */
    while (end + 1 < count && is_pipe(commands[end]->connector)) {
        end++;
    }
    if (end > index && !is_set_before(commands, index, BT_STR("pipefail"), '\0')) {
        return BT_SEGMENT_PIPED;
    }
    bool has_or = false;
    for (size_t i = index; i > 0 && joins_commands(commands[i - 1]->connector); i--) {
        has_or = has_or || commands[i - 1]->connector == BT_SHELL_OR;
    }
    size_t last = end; /* of its list */
    while (last + 1 < count && joins_commands(commands[last]->connector)) {
        has_or = has_or || commands[last]->connector == BT_SHELL_OR;
        last++;
    }
    const bool is_followed = last + 1 < count;
    if (has_or || commands[last]->connector == BT_SHELL_BACKGROUND ||
        (is_followed && !is_set_before(commands, index, BT_STR(""), 'e'))) {
        return BT_SEGMENT_LISTED;
    }
    return end + 1 == count ? BT_SEGMENT_LAST : BT_SEGMENT_AND;
}

/* ---- The form -------------------------------------------------------------------------------- */

struct form_reader {
    struct bt_arena *arena;
    struct bt_shell_text text;
    const struct bt_shell_command **top; /* those of the text itself */
    size_t top_count;
    BT_VEC(struct bt_segment) segments;
};

static bool is_reading_command(const struct bt_shell_command *command)
{
    const struct form_words words = {command->words, command->word_count};
    const bt_str program = program_of(&words);
    if (bt_str_eq(program, BT_STR("git"))) {
        return bt_str_is_one_of(word_at(&words, 1), GIT_READERS);
    }
    if (bt_str_eq(program, BT_STR("find"))) {
        for (size_t i = 1; i < words.count; i++) {
            if (words.items[i].is_dynamic || bt_str_is_one_of(words.items[i].text, FIND_ACTIONS)) {
                return false;
            }
        }
        return true;
    }
    return bt_str_is_one_of(program, READERS);
}

static bool is_reading_text(const struct bt_shell_text *text)
{
    bool is_reading = text->is_understood;
    for (size_t i = 0; is_reading && i < text->written_count; i++) {
        is_reading =
            !text->written[i].is_dynamic && bt_str_eq(text->written[i].text, BT_STR("/dev/null"));
    }
    for (size_t i = 0; is_reading && i < text->command_count; i++) {
        is_reading = is_reading_command(&text->commands[i]);
    }
    return is_reading;
}

/* A word as it is compared: of one that is not known its source, without quotes. */
static enum bt_status write_word(struct form_reader *reader, const struct bt_shell_word *word,
                                 bt_str *out)
{
    *out = word->text;
    if (!word->is_dynamic) {
        return BT_OK;
    }
    char *bytes = bt_arena_alloc(reader->arena, word->source.len + 1);
    size_t size = 0;
    BT_TRY(bytes ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < word->source.len; i++) {
        const char byte = word->source.ptr[i];
        if (byte != '"' && byte != '\'') {
            bytes[size++] = byte;
        }
    }
    *out = (bt_str){bytes, size};
    return BT_OK;
}

static enum bt_status add_segment(struct form_reader *reader, const struct form_words *words,
                                  enum bt_segment_place place)
{
    bt_str *texts = BT_NEW_ARRAY(reader->arena, bt_str, words->count);
    BT_TRY(texts ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < words->count; i++) {
        BT_TRY(write_word(reader, &words->items[i], &texts[i]));
    }
    texts[0] = bt_str_after_last(texts[0], '/');
    return bt_vec_push(reader->arena, &reader->segments,
                       (struct bt_segment){texts, words->count, place});
}

/* The place of a command, given the number of commands of the text itself before it. */
static enum bt_segment_place place_of(const struct form_reader *reader, size_t index, size_t top)
{
    const struct bt_shell_command *command = &reader->text.commands[index];
    if (reader->text.has_groups || command->depth > 0) {
        return BT_SEGMENT_NESTED;
    }
    const enum bt_segment_place place = find_place(reader->top, reader->top_count, top);
    const bool hides_status = index < reader->text.bare_commands_end;
    return hides_status && place > BT_SEGMENT_LISTED ? BT_SEGMENT_LISTED : place;
}

static enum bt_status read_segments(struct form_reader *reader)
{
    enum bt_shell_connector before[BT_SHELL_NESTING_MAX + 2] = {0}; /* at each depth */
    size_t top = 0;
    for (size_t i = 0; i < reader->text.command_count; i++) {
        const struct bt_shell_command *command = &reader->text.commands[i];
        struct form_words words = {command->words, command->word_count};
        const bool is_piped = is_pipe(before[command->depth]);
        before[command->depth] = command->connector;
        drop_wrappers(&words);
        const bt_str program = program_of(&words);
        const bool is_dropped =
            bt_str_is_one_of(program, SILENT) || (is_piped && bt_str_is_one_of(program, FILTERS));
        if (!is_dropped) {
            const enum bt_segment_place place = place_of(reader, i, top);
            drop_runner(&words);
            BT_TRY(add_segment(reader, &words, place));
        }
        top += command->depth == 0 ? 1 : 0;
    }
    return BT_OK;
}

static enum bt_status list_top(struct form_reader *reader)
{
    reader->top_count = 0;
    reader->top = (const struct bt_shell_command **)(void *)BT_NEW_ARRAY(
        reader->arena, const struct bt_shell_command *, reader->text.command_count + 1);
    BT_TRY(reader->top ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < reader->text.command_count; i++) {
        if (reader->text.commands[i].depth == 0) {
            reader->top[reader->top_count++] = &reader->text.commands[i];
        }
    }
    return BT_OK;
}

/* The text of a shell with -c that is the only command, or "". */
static bt_str lone_shell_text(const struct form_reader *reader)
{
    if (reader->top_count != 1 || reader->text.has_groups || reader->text.bare_commands_end > 0) {
        return BT_STR("");
    }
    struct form_words words = {reader->top[0]->words, reader->top[0]->word_count};
    drop_wrappers(&words);
    return shell_text(&words);
}

enum bt_status bt_command_form_read(struct bt_arena *arena, bt_str text,
                                    struct bt_command_form *out)
{
    assert(arena);
    assert(out);
    struct form_reader reader = {.arena = arena};
    *out = (struct bt_command_form){0};
    if (bt_utf8_check(text) < text.len) {
        return BT_OK; /* the shell reader does not understand it either */
    }
    text = bt_str_trim(text);
    if (bt_str_starts_with(text, BT_STR("$ ")) || bt_str_starts_with(text, BT_STR("> "))) {
        text = bt_str_trim(bt_str_slice(text, 2, text.len));
    }
    for (size_t level = 0; level < SHELLS_NESTED_MAX; level++) {
        BT_TRY(bt_shell_read(arena, text, &reader.text));
        if (!reader.text.is_understood) {
            return BT_OK;
        }
        out->is_reading = level == 0 ? is_reading_text(&reader.text) : out->is_reading;
        BT_TRY(list_top(&reader));
        const bt_str inner = lone_shell_text(&reader);
        if (inner.len == 0) {
            break;
        }
        text = inner;
    }
    out->is_understood = true;
    BT_TRY(read_segments(&reader));
    out->segments = reader.segments.items;
    out->segment_count = reader.segments.count;
    return BT_OK;
}

/* ---- Keys and hashes ------------------------------------------------------------------------- */

struct bt_command_key bt_command_key_of(const struct bt_command_form *form)
{
    assert(form);
    assert(form->segment_count > 0);
    const struct bt_segment *first = &form->segments[0];
    struct bt_command_key key = {.words = {first->words[0], BT_STR_INIT("")}, .count = 1};
    const bool has_verb = first->word_count > 1 && first->words[1].len > 0 &&
                          first->words[1].ptr[0] != '-' &&
                          bt_str_find_byte(first->words[1], '$', 0) == first->words[1].len;
    if (has_verb && bt_str_is_one_of(first->words[0], VERB_PROGRAMS)) {
        key.words[1] = first->words[1];
        key.count = 2;
    }
    return key;
}

static bool is_word_byte(char byte)
{
    return bt_ascii_is_alnum(byte) || byte == '_' || byte == '-' || (byte & 0x80) != 0;
}

/* Whether a word that ends at `at` ends there: a full stop counts when the sentence ends. */
static bool ends_word(bt_str text, size_t at)
{
    if (at >= text.len) {
        return true;
    }
    const bool is_stop =
        text.ptr[at] == '.' && (at + 1 == text.len || !is_word_byte(text.ptr[at + 1]));
    return is_stop || (!is_word_byte(text.ptr[at]) && text.ptr[at] != '/' && text.ptr[at] != '.');
}

/* The offset behind the rest of the key, from `at` on; 0: it does not stand there. */
static size_t match_rest(const struct bt_command_key *key, bt_str text, size_t at)
{
    size_t end = at;
    for (size_t i = 1; i < key->count; i++) {
        while (end < text.len && bt_ascii_is_space(text.ptr[end])) {
            end++;
        }
        const bt_str rest = bt_str_slice(text, end, text.len);
        if (end == at || !bt_str_starts_with(rest, key->words[i])) {
            return 0;
        }
        end += key->words[i].len;
    }
    return end;
}

bool bt_command_key_occurs(const struct bt_command_key *key, bt_str text)
{
    assert(key);
    for (size_t at = 0; at < text.len;) {
        const bt_str rest = bt_str_slice(text, at, text.len);
        const size_t found = at + bt_str_find(rest, key->words[0]);
        if (found >= text.len) {
            return false;
        }
        const bool begins =
            found == 0 || (!is_word_byte(text.ptr[found - 1]) && text.ptr[found - 1] != '.');
        const size_t end = begins ? match_rest(key, text, found + key->words[0].len) : 0;
        if (end > 0 && ends_word(text, end)) {
            return true;
        }
        at = found + 1;
    }
    return false;
}

enum bt_status bt_segment_hash(const struct bt_segment *segment, struct bt_segment_hash *out)
{
    assert(segment);
    assert(out);
    struct bt_sha256_state state;
    uint8_t digest[BT_SHA256_BYTES];
    BT_TRY(bt_sha256_begin(&state));
    for (size_t i = 0; i < segment->word_count; i++) {
        const uint64_t size = segment->words[i].len;
        BT_TRY(bt_sha256_add(&state, (bt_str){(const char *)&size, sizeof(size)}));
        BT_TRY(bt_sha256_add(&state, segment->words[i]));
    }
    BT_TRY(bt_sha256_end(&state, digest));
    memcpy(out->bytes, digest, sizeof(out->bytes));
    out->place = (uint8_t)segment->place;
    return BT_OK;
}
