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

/* Take the next run of letters and digits off the text; "" at its end. */
static bt_str take_word(bt_str *text)
{
    size_t begin = 0;
    while (begin < text->len && !bt_ascii_is_alnum(text->ptr[begin])) {
        begin++;
    }
    size_t end = begin;
    while (end < text->len && bt_ascii_is_alnum(text->ptr[end])) {
        end++;
    }
    const bt_str word = bt_str_slice(*text, begin, end);
    *text = bt_str_slice(*text, end, text->len);
    return word;
}

static bool has_word(bt_str text, bt_str word)
{
    for (bt_str other = take_word(&text); other.len > 0; other = take_word(&text)) {
        if (bt_ascii_equal_nocase(other, word)) {
            return true;
        }
    }
    return false;
}

bool bt_governed_prompt_label_matches(bt_str label, const struct bt_governed_agent *domain)
{
    const bt_str tail = bt_str_slice(domain->id, ID_TAIL_AT, domain->id.len);
    bt_str word = take_word(&label);
    if (word.len == 0) {
        return false;
    }
    for (; word.len > 0; word = take_word(&label)) {
        if (!has_word(domain->name, word) && !has_word(tail, word)) {
            return false;
        }
    }
    return true;
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
    out->text = line;
    out->relation = bt_governed_relation_of(line);
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

/* ---- What a prompt says about itself --------------------------------------------------------- */

enum { SCOPE_CHARACTERS_MAX = 200 };

/* Take the mark between the kind of an agent and its name off the text. */
static bool skip_mark(bt_str *text)
{
    static const bt_str marks[] = {BT_STR_INIT(":"), BT_STR_INIT("-"), BT_STR_INIT("\xE2\x80\x93"),
                                   BT_STR_INIT("\xE2\x80\x94")};
    *text = bt_ascii_trim(*text, bt_ascii_is_blank);
    for (size_t i = 0; i < BT_COUNT_OF(marks); i++) {
        if (skip_prefix(text, marks[i])) {
            *text = bt_ascii_trim(*text, bt_ascii_is_blank);
            return true;
        }
    }
    return text->len == 0;
}

/* The text of a heading without "Domain NN:", "Archetype:" or "Orchestrator:". */
static bt_str strip_kind(bt_str heading)
{
    bt_str rest = heading;
    unsigned number = 0;
    const bool has_kind =
        skip_prefix(&rest, BT_STR("Archetype")) || skip_prefix(&rest, BT_STR("Orchestrator")) ||
        (skip_prefix(&rest, BT_STR("Domain ")) && take_number(&rest, 2, 2, &number));
    return has_kind && skip_mark(&rest) ? rest : heading;
}

static bt_str cut_characters(bt_str text, size_t characters_max)
{
    size_t at = 0;
    for (size_t i = 0; i < characters_max && at < text.len; i++) {
        uint32_t character = 0;
        at += bt_utf8_decode(text, at, &character);
    }
    return bt_str_slice(text, 0, at);
}

/* Whether a line is part of a paragraph: no list, quotation, table, rule or bold label. */
static bool is_plain_text(bt_str line)
{
    static const bt_str marks = BT_STR_INIT("-*+>|=<`~_");
    size_t digits = 0;
    while (digits < line.len && bt_ascii_is_digit(line.ptr[digits])) {
        digits++;
    }
    const bool is_numbered =
        digits > 0 && digits < line.len && (line.ptr[digits] == '.' || line.ptr[digits] == ')');
    return line.len > 0 && bt_str_find_byte(marks, line.ptr[0], 0) == marks.len && !is_numbered;
}

/* The text after the label, wherever the label stands in the line; "" when it does not. */
static bt_str text_after_label(bt_str line)
{
    const bt_str label = BT_STR("**Boundary:**");
    for (size_t at = 0; at + label.len <= line.len; at++) {
        bt_str rest = bt_str_slice(line, at, line.len);
        if (skip_prefix(&rest, label)) {
            return bt_ascii_trim(rest, bt_ascii_is_blank);
        }
    }
    return BT_STR("");
}

struct bt_governed_prompt_head bt_governed_prompt_read_head(bt_str text)
{
    struct bt_governed_prompt_reader reader = {.text = text};
    struct bt_governed_prompt_head head = {BT_STR(""), BT_STR("")};
    bt_str plain = BT_STR("");
    bool has_heading = false;
    if (bt_utf8_check(text) != text.len) {
        return head; /* a manifest cannot quote it */
    }
    while (reader.at < text.len && head.scope.len == 0) {
        const bt_str line = next_line(&reader);
        const bt_str heading = heading_of(line);
        if (is_fence(line)) {
            reader.is_fenced = !reader.is_fenced;
        } else if (reader.is_fenced) {
            continue;
        } else if (heading.ptr) {
            head.name = has_heading ? head.name : strip_kind(heading);
            has_heading = true;
        } else {
            const bt_str trimmed = bt_ascii_trim(line, bt_ascii_is_blank);
            head.scope = text_after_label(trimmed);
            plain = plain.len == 0 && is_plain_text(trimmed) ? trimmed : plain;
        }
    }
    head.scope = cut_characters(head.scope.len > 0 ? head.scope : plain, SCOPE_CHARACTERS_MAX);
    return head;
}
