/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relation.c - what a line about a partner says: whether the two work together or are kept apart.
 *
 * A line is prose. Only its first word and a few phrases count; a line that begins like neither
 * kind, or like both, is unclear and authorises no agent.
 */
#include "dialect/governed/governed_root.h"

#include "base/ascii.h"
#include "base/str.h"

static const bt_str strong_phrases[] = {
    BT_STR_INIT("separate from"), BT_STR_INIT("distinct from"), BT_STR_INIT("independent of"),
    BT_STR_INIT("not part of"),   BT_STR_INIT("no overlap"),    BT_STR_INIT("does not overlap"),
    BT_STR_INIT("no handoff"),    BT_STR_INIT("no handoffs"),   BT_STR_INIT("not hand"),
    BT_STR_INIT("never hand"),
};

static const bt_str separating_phrases[] = {
    BT_STR_INIT("not"),         BT_STR_INIT("never"),      BT_STR_INIT("nor"),
    BT_STR_INIT("vs"),          BT_STR_INIT("versus"),     BT_STR_INIT("unlike"),
    BT_STR_INIT("rather than"), BT_STR_INIT("instead of"), BT_STR_INIT("as opposed to"),
    BT_STR_INIT("apart from"),
};

/* Verbs, separated by spaces. */
static const bt_str separating_verbs =
    BT_STR_INIT("distinguish separate differentiate demarcate delimit exclude contrast");
static const bt_str receiving_verbs = BT_STR_INIT("receive take get accept use");
static const bt_str providing_verbs = BT_STR_INIT("provide give hand supply return deliver send");
static const bt_str cooperating_verbs = BT_STR_INIT(
    "adapt agree align analyse analyze answer ask assist brief build collaborate collect combine "
    "communicate connect consult contribute cooperate coordinate define delegate design develop "
    "discuss draft ensure escalate estimate exchange feed help implement inform integrate involve "
    "join link measure negotiate notify offer pass plan prepare present propose publish refer "
    "report request review route schedule share specify submit support sync synchronise "
    "synchronize talk teach tell test translate validate verify work write");

static bool is_word_byte(char byte)
{
    return bt_ascii_is_alpha(byte) || bt_ascii_is_digit(byte) || (unsigned char)byte > 0x7F;
}

/* The next run of bytes of one kind, from *at on; "" at the end. */
static bt_str take_run(bt_str text, size_t *at, bool (*is_of_kind)(char byte))
{
    size_t begin = *at;
    while (begin < text.len && !is_of_kind(text.ptr[begin])) {
        begin++;
    }
    size_t end = begin;
    while (end < text.len && is_of_kind(text.ptr[end])) {
        end++;
    }
    *at = end;
    return bt_str_slice(text, begin, end);
}

/* Whether the words of the phrase are the next words of the text. */
static bool has_phrase_at(bt_str text, size_t at, bt_str phrase)
{
    size_t phrase_at = 0;
    bt_str wanted = take_run(phrase, &phrase_at, is_word_byte);
    while (wanted.len > 0 && bt_ascii_equal_nocase(take_run(text, &at, is_word_byte), wanted)) {
        wanted = take_run(phrase, &phrase_at, is_word_byte);
    }
    return wanted.len == 0;
}

static bool has_any_phrase(bt_str text, const bt_str *phrases, size_t count)
{
    for (size_t at = 0; at < text.len;) {
        for (size_t i = 0; i < count; i++) {
            if (has_phrase_at(text, at, phrases[i])) {
                return true;
            }
        }
        (void)take_run(text, &at, is_word_byte);
    }
    return false;
}

/* Whether a word is the verb, the verb with s or es, or the verb with ies for its final y. */
static bool is_form_of(bt_str word, bt_str verb)
{
    const bool ends_in_y = verb.ptr[verb.len - 1] == 'y';
    const size_t stem = verb.len - (ends_in_y ? 1 : 0);
    if (bt_ascii_equal_nocase(bt_str_slice(word, 0, verb.len), verb)) {
        const bt_str ending = bt_str_slice(word, verb.len, word.len);
        return ending.len == 0 || bt_ascii_equal_nocase(ending, BT_STR("s")) ||
               bt_ascii_equal_nocase(ending, BT_STR("es"));
    }
    return ends_in_y &&
           bt_ascii_equal_nocase(bt_str_slice(word, 0, stem), bt_str_slice(verb, 0, stem)) &&
           bt_ascii_equal_nocase(bt_str_slice(word, stem, word.len), BT_STR("ies"));
}

static bool is_form_of_any(bt_str word, bt_str verbs)
{
    size_t at = 0;
    for (bt_str verb = take_run(verbs, &at, bt_ascii_is_alpha); verb.len > 0;
         verb = take_run(verbs, &at, bt_ascii_is_alpha)) {
        if (is_form_of(word, verb)) {
            return true;
        }
    }
    return false;
}

enum bt_governed_relation bt_governed_relation_of(bt_str text)
{
    size_t at = 0;
    const bt_str first = take_run(text, &at, bt_ascii_is_alpha);
    const bool separates =
        has_any_phrase(text, separating_phrases, BT_COUNT_OF(separating_phrases));
    if (has_any_phrase(text, strong_phrases, BT_COUNT_OF(strong_phrases)) ||
        is_form_of_any(first, separating_verbs)) {
        return BT_GOVERNED_RELATION_DEMARCATES;
    }
    const enum bt_governed_relation relation =
        is_form_of_any(first, receiving_verbs)     ? BT_GOVERNED_RELATION_RECEIVES
        : is_form_of_any(first, providing_verbs)   ? BT_GOVERNED_RELATION_PROVIDES
        : is_form_of_any(first, cooperating_verbs) ? BT_GOVERNED_RELATION_COORDINATES
                                                   : BT_GOVERNED_RELATION_UNCLEAR;
    if (!separates) {
        return relation;
    }
    return relation == BT_GOVERNED_RELATION_UNCLEAR ? BT_GOVERNED_RELATION_DEMARCATES
                                                    : BT_GOVERNED_RELATION_UNCLEAR;
}
