/* SPDX-License-Identifier: Apache-2.0 */
/*
 * injection.c - phrases that try to take over the reader of a text: list 1.
 *
 * A text is folded first, so that look-alike letters, digits for letters and invisible characters
 * do not hide a phrase. What is left is a list of words, and each phrase is a row of patterns over
 * words. The list finds careless attacks and accidents; it proves nothing about a text that it
 * passes. It changes only with a new list number.
 */
#include "dialect/governed/governed_check.h"

#include <string.h>

#include "base/ascii.h"
#include "base/str.h"

enum {
    STEPS_MAX = 7,
    FOLD_DROPPED = 0, /* instead of an ASCII character */
    FOLD_OTHER = 1,
    SPELLED_MIN = 4, /* one-letter words in a row that are one word */
};

/* ---- Folding --------------------------------------------------------------------------------- */

/* U+00C0 to U+017F: the base letters. */
static const char latin_letters[] =
    "aaaaaaaceeeeiiiidnooooo ouuuuytsaaaaaaaceeeeiiiidnooooo ouuuuyty"
    "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllll"
    "lllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

/* Cyrillic and Greek letters that look like Latin ones, capitals included. */
static const struct governed_similar_letter {
    uint16_t small;
    uint16_t capital;
    char letter;
} similar_letters[] = {
    {0x430, 0x410, 'a'}, {0x432, 0x412, 'b'}, {0x435, 0x415, 'e'}, {0x43A, 0x41A, 'k'},
    {0x43C, 0x41C, 'm'}, {0x43D, 0x41D, 'h'}, {0x43E, 0x41E, 'o'}, {0x440, 0x420, 'p'},
    {0x441, 0x421, 'c'}, {0x442, 0x422, 't'}, {0x443, 0x423, 'y'}, {0x445, 0x425, 'x'},
    {0x456, 0x406, 'i'}, {0x458, 0x408, 'j'}, {0x455, 0x405, 's'}, {0x501, 0x500, 'd'},
    {0x4BB, 0x4BA, 'h'}, {0x51B, 0x51A, 'q'}, {0x51D, 0x51C, 'w'}, {0x3B1, 0x391, 'a'},
    {0x3B2, 0x392, 'b'}, {0x3B5, 0x395, 'e'}, {0x3B7, 0x397, 'n'}, {0x3B9, 0x399, 'i'},
    {0x3BA, 0x39A, 'k'}, {0x3BD, 0x39D, 'v'}, {0x3BF, 0x39F, 'o'}, {0x3C1, 0x3A1, 'p'},
    {0x3C4, 0x3A4, 't'}, {0x3C5, 0x3A5, 'u'}, {0x3C7, 0x3A7, 'x'}, {0x3C9, 0x3A9, 'w'},
};

static bool is_dropped(uint32_t point)
{
    return point == 0xAD || (point >= 0x0300 && point <= 0x036F) ||
           (point >= 0x200B && point <= 0x200F) || (point >= 0x202A && point <= 0x202E) ||
           (point >= 0x2060 && point <= 0x2064) || (point >= 0x2066 && point <= 0x2069) ||
           point == 0xFEFF || (point >= 0xE0000 && point <= 0xE007F);
}

/* A mathematical letter or digit as what it is a style of: an ASCII or a Greek character. */
static uint32_t strip_style(uint32_t point)
{
    if (point < 0x1D400 || point > 0x1D7FF) {
        return point;
    }
    if (point >= 0x1D7CE) {
        return '0' + (point - 0x1D7CE) % 10;
    }
    if (point >=
        0x1D6A8) { /* five styles of 25 capitals, a sign, 25 lower-case letters and 7 signs */
        const uint32_t index = (point - 0x1D6A8) % 58;
        return index < 26 ? 0x391 + index : 0x3B1 + (index - 26);
    }
    if (point >= 0x1D6A4) {
        return point == 0x1D6A4 ? 'i' : 'j'; /* dotless */
    }
    const uint32_t index = (point - 0x1D400) % 52;
    return index < 26 ? 'a' + index : 'a' + (index - 26);
}

/* The ASCII character in lower case, FOLD_DROPPED or FOLD_OTHER. */
static char fold_point(uint32_t point)
{
    if (is_dropped(point)) {
        return FOLD_DROPPED;
    }
    point = strip_style(point);
    if (point >= 0xFF01 && point <= 0xFF5E) {
        point -= 0xFF01 - '!';
    }
    if (point < 0x80) {
        return point > ' ' ? bt_ascii_lower((char)point) : FOLD_OTHER;
    }
    if (point >= 0xC0 && point <= 0x17F) {
        return latin_letters[point - 0xC0] == ' ' ? FOLD_OTHER : latin_letters[point - 0xC0];
    }
    for (size_t i = 0; i < BT_COUNT_OF(similar_letters) && point < 0x600; i++) {
        if (point == similar_letters[i].small || point == similar_letters[i].capital) {
            return similar_letters[i].letter;
        }
    }
    return FOLD_OTHER;
}

static bool is_word_byte(char byte)
{
    return bt_ascii_is_alpha(byte) || bt_ascii_is_digit(byte);
}

/* Write letters for digits in a word that has a letter. */
static void read_digits_as_letters(char *word, size_t length)
{
    static const char letters[] = "oi\0eas\0t"; /* for 0 to 7 */
    bool has_letter = false;
    for (size_t i = 0; i < length; i++) {
        has_letter = has_letter || bt_ascii_is_alpha(word[i]);
    }
    for (size_t i = 0; has_letter && i < length; i++) {
        if (word[i] >= '0' && word[i] <= '7' && letters[word[i] - '0'] != '\0') {
            word[i] = letters[word[i] - '0'];
        }
    }
}

/* Steps 1 to 4 of folding; `out` has room for the length of the text. Returns the new length. */
static size_t fold_text(bt_str text, char *out)
{
    size_t length = 0;
    size_t word = 0; /* where the word at hand begins */
    for (size_t at = 0; at < text.len;) {
        uint32_t point = 0;
        at += bt_utf8_decode(text, at, &point);
        const char folded = fold_point(point);
        if (folded == FOLD_DROPPED) {
            continue;
        }
        out[length++] = folded;
        if (!is_word_byte(folded)) {
            read_digits_as_letters(out + word, length - 1 - word);
            word = length;
        }
    }
    read_digits_as_letters(out + word, length - word);
    return length;
}

/* Steps 5 and 6, in place: words with one space between them. Returns the new length. */
static size_t join_words(char *text, size_t length)
{
    const size_t gaps = SPELLED_MIN - 1;
    size_t put = 0;
    size_t spelled = 0; /* one-letter words at the end of what was put */
    for (size_t at = 0; at < length;) {
        size_t end = at;
        while (end < length && is_word_byte(text[end])) {
            end++;
        }
        if (end == at) {
            at++;
            continue;
        }
        spelled = end - at == 1 && bt_ascii_is_alpha(text[at]) ? spelled + 1 : 0;
        if (put > 0 && spelled <= SPELLED_MIN) {
            text[put++] = ' ';
        }
        memmove(text + put, text + at, end - at);
        put += end - at;
        if (spelled == SPELLED_MIN) { /* "a b c d" becomes "abcd" */
            char *first = text + put - SPELLED_MIN - gaps;
            for (size_t i = 0; i < SPELLED_MIN; i++) {
                first[i] = first[2 * i];
            }
            put -= gaps;
        }
        at = end;
    }
    return put;
}

/* ---- List 1 ---------------------------------------------------------------------------------- */

enum governed_phrase_step_kind {
    STEPS_END = 0,
    ONE,
    MAYBE, /* none or one */
    UP_TO_TWO,
    ANY,       /* any number */
    SOME,      /* one or more */
    ANY_YOURS, /* any number, one of them `your` */
};

/* Words of the text, each one of these. */
struct governed_phrase_step {
    enum governed_phrase_step_kind kind;
    const char *words; /* separated by spaces */
};

#define FILLERS "all any each every of the these those this that your my our its"
#define RULES                                                                                      \
    "instruction instructions prompt prompts rule rules direction directions directive "           \
    "directives "                                                                                  \
    "guideline guidelines message messages policy policies"
#define OVERRIDE "ignore disregard forget override bypass discard"
#define MODES "developer debug god jailbreak admin sudo"
#define WARN_PEOPLE                                                                                \
    {ONE, "tell inform mention reveal alert notify warn"}, {UP_TO_TWO, "it this to"},              \
        {ANY, FILLERS},                                                                            \
    {                                                                                              \
        ONE, "user users operator operators human humans anyone anybody supervisor administrator"  \
    }

static const struct governed_phrase {
    bt_str name;
    struct governed_phrase_step steps[STEPS_MAX];
} phrases[] = {
    {BT_STR_INIT("ignore-previous"),
     {{ONE, OVERRIDE},
      {ANY, FILLERS},
      {ONE, "previous prior preceding earlier above former foregoing existing"},
      {ANY, FILLERS},
      {ONE, RULES}}},
    {BT_STR_INIT("ignore-previous"),
     {{ONE, OVERRIDE}, {ANY, FILLERS}, {ONE, RULES}, {ONE, "above before"}}},
    {BT_STR_INIT("ignore-yours"), {{ONE, OVERRIDE}, {ANY_YOURS, FILLERS}, {ONE, RULES}}},
    {BT_STR_INIT("system-prompt"),
     {{ONE, "reveal print show repeat output display leak disclose expose"},
      {MAYBE, "me us"},
      {ANY, FILLERS},
      {SOME, "system hidden initial original secret"},
      {ONE, "prompt prompts instruction instructions"}}},
    {BT_STR_INIT("mode"),
     {{ONE, "enter enable activate"}, {ANY, FILLERS}, {ONE, MODES}, {ONE, "mode"}}},
    {BT_STR_INIT("mode"),
     {{ONE, "you"}, {ONE, "are"}, {ONE, "now"}, {ONE, "in"}, {ONE, MODES}, {ONE, "mode"}}},
    {BT_STR_INIT("unrestricted"),
     {{ONE, "you"},
      {ONE, "are"},
      {ONE, "now"},
      {MAYBE, "a an"},
      {ONE, "unrestricted unfiltered jailbroken dan"}}},
    {BT_STR_INIT("no-rules"),
     {{ONE, "act behave respond answer"},
      {ONE, "as"},
      {ONE, "if though"},
      {ONE, "you"},
      {ONE, "have had"},
      {ONE, "no"},
      {ONE, "rules restrictions limits limitations guidelines filters"}}},
    {BT_STR_INIT("hide-from-people"), {{ONE, "do"}, {ONE, "not"}, WARN_PEOPLE}},
    {BT_STR_INIT("hide-from-people"), {{ONE, "don"}, {ONE, "t"}, WARN_PEOPLE}},
    {BT_STR_INIT("hide-from-people"), {{ONE, "never"}, WARN_PEOPLE}},
    {BT_STR_INIT("from-now-on"),
     {{ONE, "from"}, {ONE, "now"}, {ONE, "on"}, {ONE, "you"}, {ONE, "are will must should shall"}}},
    {BT_STR_INIT("anything-now"), {{ONE, "do"}, {ONE, "anything"}, {ONE, "now"}}},
};

/* These are looked for before words are made. */
static const bt_str control_tags[] = {
    BT_STR_INIT("<|im_start|>"), BT_STR_INIT("<|im_end|>"), BT_STR_INIT("<|system|>"),
    BT_STR_INIT("[inst]"),       BT_STR_INIT("<<sys>>"),
};

/* The word that begins at `at`; "" at the end. */
static bt_str word_at(bt_str words, size_t at)
{
    return at < words.len ? bt_str_slice(words, at, bt_str_find_byte(words, ' ', at)) : BT_STR("");
}

static bool is_one_of(bt_str word, const char *words)
{
    const bt_str list = bt_str_of(words);
    for (size_t at = 0; word.len > 0 && at < list.len; at = bt_str_find_byte(list, ' ', at) + 1) {
        if (bt_str_eq(word, word_at(list, at))) {
            return true;
        }
    }
    return false;
}

/* Pass over the words of a step. False when the text does not have them. */
static bool take_step(bt_str words, size_t *at, const struct governed_phrase_step *step)
{
    const bool is_single = step->kind == ONE || step->kind == MAYBE;
    const size_t count_max = is_single ? 1 : step->kind == UP_TO_TWO ? 2 : SIZE_MAX;
    size_t count = 0;
    bool has_your = false;
    for (bt_str word = word_at(words, *at); count < count_max && is_one_of(word, step->words);
         word = word_at(words, *at)) {
        has_your = has_your || bt_str_eq(word, BT_STR("your"));
        *at += word.len + 1;
        count++;
    }
    return step->kind == ANY_YOURS                   ? has_your
           : step->kind == ONE || step->kind == SOME ? count > 0
                                                     : true;
}

static bool has_phrase_at(bt_str words, size_t at, const struct governed_phrase *phrase)
{
    for (size_t i = 0; i < STEPS_MAX && phrase->steps[i].kind != STEPS_END; i++) {
        if (!take_step(words, &at, &phrase->steps[i])) {
            return false;
        }
    }
    return true;
}

static bt_str find_phrase(bt_str words)
{
    for (size_t i = 0; i < BT_COUNT_OF(phrases); i++) {
        for (size_t at = 0; at < words.len; at = bt_str_find_byte(words, ' ', at) + 1) {
            if (has_phrase_at(words, at, &phrases[i])) {
                return phrases[i].name;
            }
        }
    }
    return BT_STR("");
}

static bool has_control_tag(bt_str text)
{
    for (size_t at = 0; at < text.len; at++) {
        for (size_t i = 0;
             (text.ptr[at] == '<' || text.ptr[at] == '[') && i < BT_COUNT_OF(control_tags); i++) {
            if (bt_str_starts_with(bt_str_slice(text, at, text.len), control_tags[i])) {
                return true;
            }
        }
    }
    return false;
}

enum bt_status bt_governed_find_injection(struct bt_arena *arena, bt_str text, bt_str *out)
{
    const struct bt_arena_mark mark = bt_arena_mark(arena);
    *out = BT_STR("");
    if (text.len == 0) {
        return BT_OK;
    }
    char *folded = BT_NEW_ARRAY(arena, char, text.len);
    BT_TRY(folded ? BT_OK : BT_ENOMEM);
    const size_t length = fold_text(text, folded);
    const bool has_tag = has_control_tag((bt_str){folded, length});
    *out = find_phrase((bt_str){folded, join_words(folded, length)});
    if (out->len == 0 && has_tag) {
        *out = BT_STR("control-tag");
    }
    bt_arena_rewind(arena, mark);
    return BT_OK;
}
