/* SPDX-License-Identifier: Apache-2.0 */
/* match.c - compare commands with patterns. */
#include <string.h>

#include "base/ascii.h"
#include "base/str.h"
#include "shell/shell.h"

/* A pattern or a command has at most so many words; more do not match. */
enum { PATTERN_WORDS_MAX = 100 };

/* Take the next word of a pattern. False when there is none. */
static bool next_word(bt_str *pattern, bt_str *out)
{
    size_t start = 0;
    while (start < pattern->len && pattern->ptr[start] == ' ') {
        start++;
    }
    size_t end = start;
    while (end < pattern->len && pattern->ptr[end] != ' ') {
        end++;
    }
    *out = (bt_str){pattern->ptr + start, end - start};
    *pattern = (bt_str){pattern->ptr + end, pattern->len - end};
    return end > start;
}

static bool program_matches(const struct bt_shell_word *word, bt_str pattern, bool has_more)
{
    if (word->is_dynamic) {
        return has_more;
    }
    const bool is_path = memchr(pattern.ptr, '/', pattern.len) != NULL;
    return bt_str_glob_matches(pattern, is_path ? word->text : bt_str_after_last(word->text, '/'),
                               BT_GLOB_ANY);
}

static bool word_matches(const struct bt_shell_word *word, bt_str pattern)
{
    if (word->is_dynamic || word->expands) {
        return pattern.ptr[0] != '-';
    }
    if (bt_str_eq(pattern, BT_STR("*")) && word->is_option) {
        return false;
    }
    return bt_str_glob_matches(pattern, word->text, BT_GLOB_ANY);
}

/*
 * Words of a command, perhaps with one dynamic word at their end: xargs and parallel add words that
 * they read.
 */
struct word_list {
    const struct bt_shell_word *words;
    size_t count;
    bool has_more;
};

static const struct bt_shell_word *word_at(const struct word_list *list, size_t index)
{
    static const struct bt_shell_word added = {.is_dynamic = true, .is_dynamic_bare = true};
    return index < list->count ? &list->words[index] : &added;
}

static bool may_be_many(const struct bt_shell_word *word)
{
    return word->is_dynamic_bare || word->expands;
}

/*
 * Compare a list with a pattern. reach[j]: the words of the pattern so far match, the last of them
 * at word j. Between two matched words only options and the word after an option may stand, unless
 * the pattern says `**` or its next word is an option itself.
 */
static bool list_matches(const struct word_list *list, bt_str pattern)
{
    const size_t count = list->count + (list->has_more ? 1 : 0);
    bt_str word;
    bt_str rest = pattern;
    if (count == 0 || !next_word(&rest, &word)) {
        return false;
    }
    bt_str ahead = rest;
    bt_str ignored;
    if (!program_matches(word_at(list, 0), word, next_word(&ahead, &ignored))) {
        return false;
    }
    bool reach[BT_SHELL_WORDS_MAX + 1] = {true};
    size_t last = 0; /* the last word that is reached */
    bool is_free = false;
    bool matches = true;
    for (size_t i = 0; i < PATTERN_WORDS_MAX && next_word(&rest, &word); i++) {
        if (bt_str_eq(word, BT_STR("**"))) {
            is_free = true;
            continue;
        }
        const bool any_gap = is_free || word.ptr[0] == '-';
        bool may_match = false; /* the next word may be compared with the pattern's */
        matches = false;
        const size_t last_before = last;
        for (size_t j = 0; j < count && (j <= last_before || may_match); j++) {
            const bool was_reached = reach[j];
            /* what is not in quotes may become several words */
            const bool may_go_on = was_reached && j > 0 && may_be_many(word_at(list, j));
            reach[j] = (may_match || may_go_on) && word_matches(word_at(list, j), word);
            matches = matches || reach[j];
            last = reach[j] ? j : last;
            const bool may_stand = any_gap || word_at(list, j)->is_option ||
                                   (j > 0 && word_at(list, j - 1)->is_option);
            may_match = was_reached || (may_match && may_stand);
        }
        is_free = false;
        if (!matches) {
            return false;
        }
    }
    return matches;
}

bool bt_shell_command_matches(const struct bt_shell_command *command, bt_str pattern)
{
    const bt_str program = bt_str_after_last(command->words[0].text, '/');
    const bool adds_words = command->is_carrier && (bt_str_eq(program, BT_STR("xargs")) ||
                                                    bt_str_eq(program, BT_STR("parallel")));
    const size_t tails = command->is_carrier ? command->word_count : 1;
    for (size_t i = 0; i < tails; i++) {
        const struct word_list list = {.words = command->words + i,
                                       .count = command->word_count - i,
                                       .has_more = adds_words && i > 0};
        if (list_matches(&list, pattern)) {
            return true;
        }
    }
    return false;
}

/* ---- Texts that are not understood ----------------------------------------------------------- */

static bool is_word_byte(char c)
{
    return bt_ascii_is_alnum(c) || c == '_' || c == '.' || c == '-';
}

static bool is_dropped(char c)
{
    return c == '\'' || c == '"' || c == '\\';
}

bool bt_shell_mentions(bt_str text, bt_str pattern)
{
    enum { WORD_BYTES_MAX = 256 }; /* a pattern is shorter */
    bt_str first;
    if (!next_word(&pattern, &first)) {
        return false;
    }
    first = bt_str_after_last(first, '/');
    char word[WORD_BYTES_MAX];
    size_t size = 0;
    for (size_t i = 0; i <= text.len; i++) {
        if (i < text.len && is_dropped(text.ptr[i])) {
            /* a line that continues has no end */
            i += text.ptr[i] == '\\' && i + 1 < text.len && text.ptr[i + 1] == '\n' ? 1 : 0;
            continue;
        }
        if (i < text.len && is_word_byte(text.ptr[i])) {
            if (size < WORD_BYTES_MAX) {
                word[size] = text.ptr[i];
            }
            size++;
            continue;
        }
        if (size > 0 && size <= WORD_BYTES_MAX &&
            bt_str_glob_matches(first, (bt_str){word, size}, BT_GLOB_ANY)) {
            return true;
        }
        size = 0;
    }
    return false;
}
