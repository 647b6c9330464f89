/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prompt.c - the lines of a prompt file that Baton reads.
 *
 * A prompt is Markdown for a model; only headings, fences and one form of list item are read.
 */
#include "dialect/governed/governed_root.h"

#include "base/ascii.h"
#include "base/str.h"

enum { INDENT_MAX = 3, LEVELS_MAX = 6, ID_TAIL_AT = sizeof("domain-NN-") - 1 };

static bt_str trim_end(bt_str text)
{
    size_t end = text.len;
    while (end > 0 && (text.ptr[end - 1] == ' ' || text.ptr[end - 1] == '\t')) {
        end--;
    }
    return bt_str_slice(text, 0, end);
}

/* True when `text` has `phrase` at `at`, ignoring the case of ASCII letters. */
static bool has_at(bt_str text, size_t at, bt_str phrase)
{
    return bt_ascii_equal_nocase(bt_str_slice(text, at, at + phrase.len), phrase);
}

static bool has_phrase(bt_str text, bt_str phrase)
{
    for (size_t at = 0; at < text.len; at++) {
        if (has_at(text, at, phrase)) {
            return true;
        }
    }
    return false;
}

/* Take the next run of letters, and of digits where they count, off the text; "" at its end. */
static bt_str take_word(bt_str *text, bool digits_count)
{
    size_t begin = 0;
    while (begin < text->len && !bt_ascii_is_alpha(text->ptr[begin]) &&
           !(digits_count && bt_ascii_is_digit(text->ptr[begin]))) {
        begin++;
    }
    size_t end = begin;
    while (end < text->len && (bt_ascii_is_alpha(text->ptr[end]) ||
                               (digits_count && bt_ascii_is_digit(text->ptr[end])))) {
        end++;
    }
    const bt_str word = bt_str_slice(*text, begin, end);
    *text = bt_str_slice(*text, end, text->len);
    return word;
}

static bool has_word(bt_str text, bt_str word)
{
    for (bt_str other = take_word(&text, true); other.len > 0; other = take_word(&text, true)) {
        if (bt_ascii_equal_nocase(other, word)) {
            return true;
        }
    }
    return false;
}

bool bt_governed_prompt_label_matches(bt_str label, const struct bt_governed_agent *domain)
{
    const bt_str tail = bt_str_slice(domain->id, ID_TAIL_AT, domain->id.len);
    bt_str word = take_word(&label, true);
    if (word.len == 0) {
        return false;
    }
    for (; word.len > 0; word = take_word(&label, true)) {
        if (!has_word(domain->name, word) && !has_word(tail, word)) {
            return false;
        }
    }
    return true;
}

static const bt_str separating[] = {
    BT_STR_INIT("separate from"), BT_STR_INIT("distinct from"), BT_STR_INIT("independent of"),
    BT_STR_INIT("not part of"),   BT_STR_INIT("no overlap"),    BT_STR_INIT("does not overlap"),
    BT_STR_INIT("no handoff"),
};

static const bt_str receiving[] = {
    BT_STR_INIT("receive"), BT_STR_INIT("receives"), BT_STR_INIT("take"),   BT_STR_INIT("takes"),
    BT_STR_INIT("get"),     BT_STR_INIT("gets"),     BT_STR_INIT("accept"), BT_STR_INIT("accepts"),
    BT_STR_INIT("use"),     BT_STR_INIT("uses"),
};
static const bt_str providing[] = {
    BT_STR_INIT("provide"), BT_STR_INIT("provides"), BT_STR_INIT("give"),
    BT_STR_INIT("gives"),   BT_STR_INIT("hand"),     BT_STR_INIT("hands"),
    BT_STR_INIT("supply"),  BT_STR_INIT("supplies"), BT_STR_INIT("return"),
    BT_STR_INIT("returns"), BT_STR_INIT("deliver"),  BT_STR_INIT("delivers"),
    BT_STR_INIT("send"),    BT_STR_INIT("sends"),
};

static bool is_listed(bt_str word, const bt_str *words, size_t count)
{
    size_t i = 0;
    while (i < count && !bt_ascii_equal_nocase(word, words[i])) {
        i++;
    }
    return i < count;
}

static enum bt_governed_relation relation_of(bt_str text)
{
    for (size_t i = 0; i < sizeof(separating) / sizeof(separating[0]); i++) {
        if (has_phrase(text, separating[i])) {
            return BT_GOVERNED_RELATION_DEMARCATES;
        }
    }
    const bt_str first = take_word(&text, false);
    return is_listed(first, receiving, BT_COUNT_OF(receiving))   ? BT_GOVERNED_RELATION_RECEIVES
           : is_listed(first, providing, BT_COUNT_OF(providing)) ? BT_GOVERNED_RELATION_PROVIDES
                                                                 : BT_GOVERNED_RELATION_COORDINATES;
}

/* Take `prefix`, as it is, off the text. */
static bool skip_prefix(bt_str *text, bt_str prefix)
{
    if (!bt_str_starts_with(*text, prefix)) {
        return false;
    }
    *text = bt_str_slice(*text, prefix.len, text->len);
    return true;
}

/* Take a number of `digits_max` digits at most and at least `digits_min`. */
static bool take_number(bt_str *text, size_t digits_min, size_t digits_max, unsigned *out)
{
    size_t digits = 0;
    *out = 0;
    while (digits < text->len && digits < digits_max && bt_ascii_is_digit(text->ptr[digits])) {
        *out = *out * 10 + (unsigned)(text->ptr[digits++] - '0');
    }
    *text = bt_str_slice(*text, digits, text->len);
    return digits >= digits_min;
}

/* "- **With Domain NN (LABEL):** TEXT" */
static bool read_partner(bt_str line, struct bt_governed_prompt_line *out)
{
    unsigned number = 0;
    if (!skip_prefix(&line, BT_STR("- **With Domain ")) || !take_number(&line, 2, 2, &number) ||
        !skip_prefix(&line, BT_STR(" ("))) {
        return false;
    }
    const size_t end = bt_str_find_byte(line, ')', 0);
    const bt_str label = bt_str_slice(line, 0, end);
    line = bt_str_slice(line, end, line.len);
    if (!skip_prefix(&line, BT_STR("):** ")) || line.len == 0) {
        return false;
    }
    out->kind = BT_PROMPT_PARTNER;
    out->number = (int)number;
    out->label = label;
    out->relation = relation_of(line);
    return true;
}

/* The text of a heading; a NULL pointer when the line is none. */
static bt_str heading_of(bt_str line)
{
    size_t level = 0;
    while (level < line.len && line.ptr[level] == '#') {
        level++;
    }
    if (level == 0 || level > LEVELS_MAX || (level < line.len && line.ptr[level] != ' ')) {
        return (bt_str){NULL, 0};
    }
    while (level < line.len && line.ptr[level] == ' ') {
        level++;
    }
    bt_str text = trim_end(bt_str_slice(line, level, line.len));
    size_t end = text.len;
    while (end > 0 && text.ptr[end - 1] == '#') {
        end--;
    }
    return trim_end(bt_str_slice(text, 0, end));
}

/* "KIND Domain: NAME (Domain NN) - PP%" */
static bool read_share(bt_str heading, struct bt_governed_prompt_line *out)
{
    unsigned number = 0;
    if (!skip_prefix(&heading, BT_STR("Primary Domain: ")) &&
        !skip_prefix(&heading, BT_STR("Supporting Domain: ")) &&
        !skip_prefix(&heading, BT_STR("Minor Domain: "))) {
        return false;
    }
    const bt_str mark = BT_STR(" (Domain ");
    size_t at = heading.len; /* the last one: a name may hold brackets of its own */
    for (size_t i = 0; i + mark.len <= heading.len; i++) {
        if (bt_str_starts_with(bt_str_slice(heading, i, heading.len), mark)) {
            at = i;
        }
    }
    bt_str rest = bt_str_slice(heading, at, heading.len);
    if (at == 0 || !skip_prefix(&rest, mark) || !take_number(&rest, 2, 2, &number) ||
        !skip_prefix(&rest, BT_STR(") - ")) || !take_number(&rest, 1, 3, &out->percent) ||
        !bt_str_eq(rest, BT_STR("%"))) {
        return false;
    }
    out->kind = BT_PROMPT_SHARE;
    out->number = (int)number;
    return true;
}

static bt_str next_line(struct bt_governed_prompt_reader *reader)
{
    const size_t end = bt_str_find_byte(reader->text, '\n', reader->at);
    bt_str line = bt_str_slice(reader->text, reader->at, end);
    reader->at = end + 1;
    if (bt_str_ends_with(line, BT_STR("\r"))) {
        line = bt_str_slice(line, 0, line.len - 1);
    }
    return line;
}

static bool is_fence(bt_str line)
{
    size_t at = 0;
    while (at < line.len && at < INDENT_MAX && line.ptr[at] == ' ') {
        at++;
    }
    const bt_str rest = bt_str_slice(line, at, line.len);
    return bt_str_starts_with(rest, BT_STR("```")) || bt_str_starts_with(rest, BT_STR("~~~"));
}

static bool read_line(struct bt_governed_prompt_reader *reader, bt_str line,
                      struct bt_governed_prompt_line *out)
{
    const bt_str heading = heading_of(line);
    if (heading.ptr) {
        reader->in_section = bt_str_eq(heading, BT_STR("Collaboration Boundaries")) ||
                             bt_str_eq(heading, BT_STR("Collaboration with Other Domains"));
        out->kind = BT_PROMPT_SECTION;
        return reader->in_section || read_share(heading, out);
    }
    if (!reader->in_section || !bt_str_starts_with(line, BT_STR("- "))) {
        return false;
    }
    if (!read_partner(line, out)) {
        out->kind = BT_PROMPT_ODD;
    }
    return true;
}

bool bt_governed_prompt_next_line(struct bt_governed_prompt_reader *reader,
                                  struct bt_governed_prompt_line *out)
{
    while (reader->at < reader->text.len) {
        *out = (struct bt_governed_prompt_line){.offset = reader->at, .label = BT_STR("")};
        const bt_str line = next_line(reader);
        if (is_fence(line)) {
            reader->is_fenced = !reader->is_fenced;
        } else if (!reader->is_fenced && read_line(reader, line, out)) {
            return true;
        }
    }
    return false;
}
