/* SPDX-License-Identifier: Apache-2.0 */
/* entry_template.c - make templates of entries, and match other entries with them. */
#include "ledger/entry_template.h"

#include <assert.h>
#include <string.h>

enum { DIGITS_MAX = 15 }; /* so many digits are always within the bound */

/* True when the text is a number as entries spell it. Longer numbers are left to the full
 * reader. */
static bool is_number(bt_str text)
{
    uint8_t odd = 0;
    for (size_t i = 0; i < text.len; i++) {
        odd |= (uint8_t)((uint8_t)(text.ptr[i] - '0') > 9);
    }
    return odd == 0 && text.len <= DIGITS_MAX && (text.len == 1 || text.ptr[0] != '0');
}

static bool is_this_number(bt_str text, uint64_t number)
{
    size_t at = text.len;
    while (at > 0 && text.ptr[at - 1] == (char)('0' + number % 10)) {
        number /= 10;
        at--;
    }
    return at == 0 && number == 0 && (text.len == 1 || text.ptr[0] != '0');
}

static bool is_template_match(const struct bt_entry_template *entry_template, bt_str text,
                              uint64_t seq)
{
    size_t at = 0;
    for (size_t i = 0; i < entry_template->cut_count; i++) {
        const struct bt_entry_template_hole *cut = &entry_template->cuts[i];
        const bt_str value = {text.ptr + cut->at, cut->len};
        if (memcmp(text.ptr + at, entry_template->text + at, cut->at - at) != 0 ||
            !(cut->fits ? cut->fits(value) : is_this_number(value, seq))) {
            return false;
        }
        at = cut->at + cut->len;
    }
    return memcmp(text.ptr + at, entry_template->text + at, text.len - at) == 0;
}

bool bt_entry_templates_match(const struct bt_entry_templates *templates, bt_str text, uint64_t seq,
                              struct bt_entry_digest *out)
{
    assert(templates);
    assert(out);
    for (size_t i = 0; i < BT_ENTRY_TEMPLATES_MAX; i++) {
        const struct bt_entry_template *entry_template = &templates->items[i];
        if (text.len == 0 || entry_template->len != text.len ||
            !is_template_match(entry_template, text, seq)) {
            continue;
        }
        out->time = (bt_str){text.ptr + entry_template->time_at, BT_ENTRY_TIME_BYTES};
        out->kept = entry_template->kept_at > 0 ? (bt_str){text.ptr + entry_template->kept_at, 64}
                                                : BT_STR("");
        return true;
    }
    return false;
}

void bt_entry_digest_read(const struct bt_entry *entry, struct bt_entry_digest *out)
{
    assert(entry);
    assert(out);
    out->time = entry->time;
    out->kept = entry->document.kept == BT_TRUE ? entry->document.sha256 : BT_STR("");
}

static void add_hole(struct bt_entry_template *entry_template, size_t at, size_t len,
                     bool (*value_fits)(bt_str text))
{
    assert(entry_template->cut_count < BT_ENTRY_TEMPLATE_HOLES_MAX);
    entry_template->cuts[entry_template->cut_count++] =
        (struct bt_entry_template_hole){at, len, value_fits};
}

/* A string value of the entry, which points into the text; an absent value is not cut out. */
static void cut_string(struct bt_entry_template *entry_template, bt_str text, bt_str value,
                       bool (*value_fits)(bt_str text))
{
    if (value.len > 0) {
        add_hole(entry_template, (size_t)(value.ptr - text.ptr), value.len, value_fits);
    }
}

/* The digits after a name. No value contains quotes, so the name is found at its own position. */
static void cut_number(struct bt_entry_template *entry_template, bt_str text, bt_str name,
                       bool (*value_fits)(bt_str text))
{
    for (size_t at = 0; at + name.len < text.len; at++) {
        if (memcmp(text.ptr + at, name.ptr, name.len) == 0) {
            size_t end = at + name.len;
            while (end < text.len && text.ptr[end] >= '0' && text.ptr[end] <= '9') {
                end++;
            }
            add_hole(entry_template, at + name.len, end - at - name.len, value_fits);
            return;
        }
    }
}

void bt_entry_templates_add(struct bt_entry_templates *templates, bt_str text,
                            const struct bt_entry *entry)
{
    assert(templates);
    assert(entry);
    struct bt_entry_template *entry_template = &templates->items[templates->next];
    if (text.len > BT_ENTRY_TEMPLATE_BYTES_MAX || entry->refs.parent != BT_SEQ_ABSENT) {
        return; /* rule E6 compares two numbers */
    }
    templates->next = (templates->next + 1) % BT_ENTRY_TEMPLATES_MAX;
    entry_template->len = text.len;
    entry_template->cut_count = 0;
    /* In the order of the text. */
    cut_string(entry_template, text, entry->document.sha256, bt_entry_sha256_is_valid);
    cut_number(entry_template, text, BT_STR("\"size\":"), is_number);
    cut_string(entry_template, text, entry->handoff_id, bt_entry_name_is_valid);
    cut_number(entry_template, text, BT_STR("\"seq\":"), NULL);
    cut_string(entry_template, text, entry->source, bt_entry_name_is_valid);
    cut_string(entry_template, text, entry->target, bt_entry_name_is_valid);
    cut_string(entry_template, text, entry->time, bt_entry_time_is_valid);
    cut_string(entry_template, text, entry->trace_id, bt_entry_name_is_valid);
    memcpy(entry_template->text, text.ptr, text.len);
    entry_template->time_at = (size_t)(entry->time.ptr - text.ptr);
    entry_template->kept_at =
        entry->document.kept == BT_TRUE ? (size_t)(entry->document.sha256.ptr - text.ptr) : 0;
}
