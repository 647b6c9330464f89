/* SPDX-License-Identifier: Apache-2.0 */
/* entry_template.c - make templates of entries, and match other entries with them. */
#include "ledger/entry_template.h"

#include <assert.h>
#include <string.h>

#include "ledger/entry_shape.h"

/* So many digits are always within the bound. */
#define NUMBER_MAX UINT64_C(999999999999999)
enum { DIGITS_MAX = 15, NAME_MAX = 200, SHA256_HEX_BYTES = 64, TEMPLATE_COST = 64 };

/* The length of the name that begins there: most have the length of the one before. 0: none. */
static size_t match_name(const char *at, size_t left, size_t usual)
{
    if (usual < left && at[usual] == '"' && bt_entry_name_fits(at, usual, left)) {
        return usual;
    }
    const char *quote = memchr(at, '"', left < NAME_MAX + 1 ? left : NAME_MAX + 1);
    const size_t len = quote ? (size_t)(quote - at) : 0;
    return bt_entry_name_fits(at, len, left) ? len : 0;
}

/* The length of the number that begins there. Other numbers are left to the full reader. */
static size_t match_number(const char *at, size_t left, uint64_t *out)
{
    size_t len = 0;
    uint64_t number = 0;
    while (len < left && len <= DIGITS_MAX && (unsigned)(at[len] - '0') <= 9) {
        number = number * 10 + (uint64_t)(at[len++] - '0');
    }
    *out = number;
    return len > DIGITS_MAX || at[0] == '0' ? 0 : len;
}

/* The length of the value that begins there, which is put into its place; 0: it does not fit.
 * `left` is above 0. */
static size_t match_value(struct bt_entry_template_cut *cut, const char *at, size_t left,
                          uint64_t seq)
{
    size_t len = 0;
    uint64_t number = 0;
    switch (cut->value) {
    case BT_ENTRY_TEMPLATE_NAME:
        len = match_name(at, left, cut->len);
        break;
    case BT_ENTRY_TEMPLATE_SHA256:
        len = left > SHA256_HEX_BYTES && bt_entry_sha256_is_valid((bt_str){at, SHA256_HEX_BYTES})
                  ? SHA256_HEX_BYTES
                  : 0;
        break;
    case BT_ENTRY_TEMPLATE_TIME:
        len =
            left > BT_ENTRY_TIME_BYTES && bt_entry_time_is_valid((bt_str){at, BT_ENTRY_TIME_BYTES})
                ? BT_ENTRY_TIME_BYTES
                : 0;
        break;
    case BT_ENTRY_TEMPLATE_NUMBER:
        return match_number(at, left, cut->place);
    case BT_ENTRY_TEMPLATE_SEQ:
        len = match_number(at, left, &number);
        return number == seq ? len : 0;
    case BT_ENTRY_TEMPLATE_END:
        break;
    }
    cut->len = len;
    return len;
}

static bool match_cuts(struct bt_entry_template *template, bt_str text, uint64_t seq)
{
    size_t at = 0;
    for (size_t i = 0; i < template->cut_count; i++) {
        struct bt_entry_template_cut *cut = &template->cuts[i];
        if (text.len - at < cut->size ||
            !bt_entry_same_bytes(text.ptr + at, template->text + cut->from, cut->size)) {
            return false;
        }
        at += cut->size;
        if (cut->value == BT_ENTRY_TEMPLATE_END) {
            return at == text.len;
        }
        const size_t len = at < text.len ? match_value(cut, text.ptr + at, text.len - at, seq) : 0;
        if (len == 0) {
            return false;
        }
        if (cut->place && cut->value <= BT_ENTRY_TEMPLATE_TIME) {
            *(bt_str *)cut->place = (bt_str){text.ptr + at, len};
        }
        at += len;
    }
    return false;
}

const struct bt_entry *bt_entry_templates_match(struct bt_entry_templates *templates, bt_str text,
                                                uint64_t seq)
{
    assert(templates);
    templates->debt -= templates->debt > 0;
    for (size_t i = 0; i < BT_ENTRY_TEMPLATES_MAX; i++) {
        const size_t number = (templates->last + i) % BT_ENTRY_TEMPLATES_MAX;
        struct bt_entry_template *template = &templates->items[number];
        if (match_cuts(template, text, seq)) {
            templates->last = number;
            template->entry.seq = seq;
            return &template->entry;
        }
    }
    return NULL;
}

/* Cut out `len` bytes of the text; the cuts are made in the order of the text. */
static void add_cut(struct bt_entry_template *template, size_t at, size_t len,
                    enum bt_entry_template_value value, void *place)
{
    assert(template->cut_count < BT_ENTRY_TEMPLATE_CUTS_MAX);
    size_t from = 0;
    if (template->cut_count > 0) {
        const struct bt_entry_template_cut *before = &template->cuts[template->cut_count - 1];
        from = before->from + before->size + before->len;
    }
    assert(at >= from);
    template->cuts[template->cut_count++] =
        (struct bt_entry_template_cut){value, from, at - from, len, place};
}

/* A string, which lies in the text of the template; an absent one is not cut out. */
static void cut_string(struct bt_entry_template *template, bt_str *string,
                       enum bt_entry_template_value value)
{
    if (string->len > 0) {
        add_cut(template, (size_t)(string->ptr - template->text), string->len, value, string);
    }
}

/* The digits after a name. Values have no quotes, so the name is found at its own place: where a
 * string has the same name, no digit follows. */
static void cut_number(struct bt_entry_template *template, const char *name, size_t len,
                       enum bt_entry_template_value value, uint64_t *place)
{
    const size_t size = strlen(name);
    for (size_t at = 0; at + size < len; at++) {
        uint64_t number = 0;
        if (memcmp(template->text + at, name, size) != 0) {
            continue;
        }
        const char *digits = template->text + at + size;
        const size_t count = match_number(digits, len - at - size, &number);
        if (count > 0) {
            add_cut(template, at + size, count, value, place);
            return;
        }
    }
}

/* Promised deliveries: a letter and the entry's own number, in a list before everything else. */
static void cut_deliver(struct bt_entry_template *template)
{
    for (size_t i = 0; i < 2; i++) {
        const bt_str word = template->entry.deliver[i];
        if (word.len > 0) {
            add_cut(template, (size_t)(word.ptr + 1 - template->text), word.len - 1,
                    BT_ENTRY_TEMPLATE_SEQ, NULL);
        }
    }
}

/* In the order of the text. */
static void cut_values(struct bt_entry_template *template, size_t len)
{
    struct bt_entry *entry = &template->entry;
    template->cut_count = 0;
    cut_deliver(template);
    cut_string(template, &entry->document.sha256, BT_ENTRY_TEMPLATE_SHA256);
    cut_number(template, "\"size\":", len, BT_ENTRY_TEMPLATE_NUMBER, &entry->document.size);
    cut_string(template, &entry->handoff_id, BT_ENTRY_TEMPLATE_NAME);
    cut_number(template, "\"actor\":", len, BT_ENTRY_TEMPLATE_NUMBER, &entry->n.actor);
    cut_number(template, "\"client\":", len, BT_ENTRY_TEMPLATE_NUMBER, &entry->n.client);
    cut_number(template, "\"source\":", len, BT_ENTRY_TEMPLATE_NUMBER, &entry->n.source);
    cut_number(template, "\"trace\":", len, BT_ENTRY_TEMPLATE_NUMBER, &entry->n.trace);
    cut_number(template, "\"seq\":", len, BT_ENTRY_TEMPLATE_SEQ, NULL);
    cut_string(template, &entry->source, BT_ENTRY_TEMPLATE_NAME);
    cut_string(template, &entry->target, BT_ENTRY_TEMPLATE_NAME);
    cut_string(template, &entry->time, BT_ENTRY_TEMPLATE_TIME);
    cut_string(template, &entry->trace_id, BT_ENTRY_TEMPLATE_NAME);
    add_cut(template, len, 0, BT_ENTRY_TEMPLATE_END, NULL);
}

void bt_entry_templates_add(struct bt_entry_templates *templates, bt_str text,
                            const struct bt_entry *entry)
{
    assert(templates);
    assert(entry);
    struct bt_entry_template *template = &templates->items[templates->next];
    const bool can_be =
        bt_str_eq(entry->kind, BT_STR("handoff")) || bt_str_eq(entry->kind, BT_STR("raw"));
    if (!can_be || templates->debt >= BT_ENTRY_TEMPLATES_MAX * TEMPLATE_COST ||
        text.len > BT_ENTRY_TEMPLATE_BYTES_MAX || entry->seq == 0 || entry->seq > NUMBER_MAX ||
        entry->refs.parent != BT_SEQ_ABSENT) {
        return; /* its number cannot be cut out, or rule E6 compares it with another */
    }
    memcpy(template->text, text.ptr, text.len);
    const bool is_entry = bt_entry_read((bt_str){template->text, text.len}, &template->entry);
    assert(is_entry);
    cut_values(template, text.len);
    templates->debt += TEMPLATE_COST;
    templates->last = templates->next;
    templates->next = (templates->next + 1) % BT_ENTRY_TEMPLATES_MAX;
}
