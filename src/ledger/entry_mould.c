/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry_mould.c - cut the values out of an entry, and hold others against what is left.
 */
#include "ledger/entry_mould.h"

#include <assert.h>
#include <string.h>

enum { DIGITS_MAX = 15 }; /* so many are always within the bound */

/* ---- Values ---------------------------------------------------------------------------------- */

/* Whether it is a number as an entry spells it. Longer ones are left to whoever reads entries. */
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

/* ---- Fitting --------------------------------------------------------------------------------- */

static bool fits(const struct bt_mould *mould, bt_str text, uint64_t seq)
{
    size_t at = 0;
    for (size_t i = 0; i < mould->cut_count; i++) {
        const struct bt_mould_cut *cut = &mould->cuts[i];
        const bt_str value = {text.ptr + cut->at, cut->len};
        if (memcmp(text.ptr + at, mould->text + at, cut->at - at) != 0 ||
            !(cut->fits ? cut->fits(value) : is_this_number(value, seq))) {
            return false;
        }
        at = cut->at + cut->len;
    }
    return memcmp(text.ptr + at, mould->text + at, text.len - at) == 0;
}

bool bt_moulds_fit(const struct bt_moulds *moulds, bt_str text, uint64_t seq,
                   struct bt_entry_gist *out)
{
    assert(moulds);
    assert(out);
    for (size_t i = 0; i < BT_MOULDS_MAX; i++) {
        const struct bt_mould *mould = &moulds->items[i];
        if (text.len == 0 || mould->len != text.len || !fits(mould, text, seq)) {
            continue;
        }
        out->time = (bt_str){text.ptr + mould->time_at, BT_ENTRY_TIME_BYTES};
        out->kept = mould->kept_at > 0 ? (bt_str){text.ptr + mould->kept_at, 64} : BT_STR("");
        return true;
    }
    return false;
}

void bt_entry_gist(const struct bt_entry *entry, struct bt_entry_gist *out)
{
    assert(entry);
    assert(out);
    out->time = entry->time;
    out->kept = entry->document.kept == BT_TRUE ? entry->document.sha256 : BT_STR("");
}

/* ---- Making ---------------------------------------------------------------------------------- */

static void cut(struct bt_mould *mould, size_t at, size_t len, bool (*value_fits)(bt_str text))
{
    assert(mould->cut_count < BT_MOULD_CUTS_MAX);
    mould->cuts[mould->cut_count++] = (struct bt_mould_cut){at, len, value_fits};
}

/* A string value of the entry, which points into the text; an absent one is not cut. */
static void cut_string(struct bt_mould *mould, bt_str text, bt_str value,
                       bool (*value_fits)(bt_str text))
{
    if (value.len > 0) {
        cut(mould, (size_t)(value.ptr - text.ptr), value.len, value_fits);
    }
}

/* The digits behind a name. No value has quotes in it, so the name is found where it stands. */
static void cut_number(struct bt_mould *mould, bt_str text, bt_str name,
                       bool (*value_fits)(bt_str text))
{
    for (size_t at = 0; at + name.len < text.len; at++) {
        if (memcmp(text.ptr + at, name.ptr, name.len) == 0) {
            size_t end = at + name.len;
            while (end < text.len && text.ptr[end] >= '0' && text.ptr[end] <= '9') {
                end++;
            }
            cut(mould, at + name.len, end - at - name.len, value_fits);
            return;
        }
    }
}

void bt_moulds_add(struct bt_moulds *moulds, bt_str text, const struct bt_entry *entry)
{
    assert(moulds);
    assert(entry);
    struct bt_mould *mould = &moulds->items[moulds->next];
    if (text.len > BT_MOULD_BYTES_MAX || entry->refs.parent != BT_SEQ_ABSENT) {
        return; /* rule E6 compares two numbers */
    }
    moulds->next = (moulds->next + 1) % BT_MOULDS_MAX;
    mould->len = text.len;
    mould->cut_count = 0;
    /* In the order in which they stand in the text. */
    cut_string(mould, text, entry->document.sha256, bt_entry_sha256_is_valid);
    cut_number(mould, text, BT_STR("\"size\":"), is_number);
    cut_string(mould, text, entry->handoff_id, bt_entry_name_is_valid);
    cut_number(mould, text, BT_STR("\"seq\":"), NULL);
    cut_string(mould, text, entry->source, bt_entry_name_is_valid);
    cut_string(mould, text, entry->target, bt_entry_name_is_valid);
    cut_string(mould, text, entry->time, bt_entry_time_is_valid);
    cut_string(mould, text, entry->trace_id, bt_entry_name_is_valid);
    memcpy(mould->text, text.ptr, text.len);
    mould->time_at = (size_t)(entry->time.ptr - text.ptr);
    mould->kept_at =
        entry->document.kept == BT_TRUE ? (size_t)(entry->document.sha256.ptr - text.ptr) : 0;
}
