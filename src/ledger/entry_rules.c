/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry_rules.c - the rules for entries beyond their spelling: E0 to E11.
 *
 * The scan of entry_read.c decides E1 (canonical) and E0 (the schema) for every valid entry. Only
 * when it fails the text is read as JSON, to tell which of the two was violated.
 */
#include <assert.h>
#include <stddef.h>

#include <baton/json.h>

#include "ledger/entry_shape.h"

#define AT(member) offsetof(struct bt_entry, member)
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { MUST_HAVE_MAX = 3 };

/* The values that a kind of entry allows. */
static const struct ledger_entry_rules_kind_row {
    bt_str kind;
    bool is_ours; /* dialect `baton`, verdict `recorded` */
    bool needs_document;
    size_t needs[MUST_HAVE_MAX]; /* offsets of strings; 0 is none */
} kind_rows[] = {
    {BT_STR_INIT("handoff"), false, true, {0}},
    {BT_STR_INIT("raw"), false, true, {0}},
    {BT_STR_INIT("approval"),
     true,
     false,
     {AT(refs.approval), AT(refs.event), AT(refs.fingerprint)}},
    {BT_STR_INIT("block"), true, false, {AT(refs.agent), AT(refs.reason)}},
    {BT_STR_INIT("unblock"), true, false, {AT(refs.agent), AT(refs.reason)}},
    {BT_STR_INIT("context"), true, false, {AT(refs.context), AT(refs.after)}},
    {BT_STR_INIT("delivery"), true, false, {AT(refs.message), AT(refs.event)}},
    {BT_STR_INIT("redaction"), true, true, {AT(refs.reason)}},
    {BT_STR_INIT("key"), true, false, {AT(refs.old_key), AT(refs.new_key)}},
    {BT_STR_INIT("heartbeat"), true, false, {0}},
    {BT_STR_INIT("policy"), true, false, {0}},
    {BT_STR_INIT("hold"), true, false, {0}},
};

static bool is_sorted(const struct bt_entry_words *words)
{
    for (size_t i = 1; i < words->count; i++) {
        if (bt_str_compare(words->items[i - 1], words->items[i]) >= 0) {
            return false;
        }
    }
    return true;
}

static bool keeps_e2(const struct bt_entry *entry)
{
    return bt_entry_time_is_valid(entry->time) &&
           (entry->refs.pinned.len == 0 || bt_entry_time_is_valid(entry->refs.pinned));
}

static bool keeps_e3(const struct bt_entry *entry)
{
    const bool is_rejected = bt_str_eq(entry->verdict, BT_STR("rejected"));
    return is_sorted(&entry->codes) && is_sorted(&entry->withheld) &&
           (entry->codes.count > 0) == is_rejected;
}

static bool fits_dialect(const struct bt_entry *entry,
                         const struct ledger_entry_rules_kind_row *row)
{
    const bool is_raw = bt_str_eq(entry->dialect, BT_STR("raw"));
    const bool is_baton = bt_str_eq(entry->dialect, BT_STR("baton"));
    if (row->is_ours) {
        return is_baton;
    }
    return bt_str_eq(row->kind, BT_STR("raw")) ? is_raw : !is_raw && !is_baton;
}

static bool fits_verdict(const struct bt_entry *entry,
                         const struct ledger_entry_rules_kind_row *row)
{
    const bool is_recorded = bt_str_eq(entry->verdict, BT_STR("recorded"));
    if (row->is_ours) {
        return is_recorded;
    }
    const bool is_accepted = bt_str_eq(entry->verdict, BT_STR("accepted"));
    return bt_str_eq(row->kind, BT_STR("raw")) ? !is_accepted : !is_recorded;
}

static bool keeps_e4(const struct bt_entry *entry)
{
    const struct ledger_entry_rules_kind_row *row = kind_rows;
    while (!bt_str_eq(row->kind, entry->kind)) {
        row++;
        assert(row < kind_rows + COUNT_OF(kind_rows)); /* the schema has no other kind */
    }
    for (size_t i = 0; i < MUST_HAVE_MAX && row->needs[i] != 0; i++) {
        if (((const bt_str *)(const void *)((const char *)entry + row->needs[i]))->len == 0) {
            return false;
        }
    }
    return fits_dialect(entry, row) && fits_verdict(entry, row) &&
           (!row->needs_document || entry->document.sha256.len > 0);
}

static bool is_withheld(const struct bt_entry *entry, bt_str name)
{
    for (size_t i = 0; i < entry->withheld.count; i++) {
        if (bt_str_eq(entry->withheld.items[i], name)) {
            return true;
        }
    }
    return false;
}

static bool keeps_e5(const struct bt_entry *entry)
{
    return (entry->handoff_id.len == 0 || !is_withheld(entry, BT_STR("handoff_id"))) &&
           (entry->source.len == 0 || !is_withheld(entry, BT_STR("source"))) &&
           (entry->target.len == 0 || !is_withheld(entry, BT_STR("target"))) &&
           (entry->trace_id.len == 0 || !is_withheld(entry, BT_STR("trace_id")));
}

static bool keeps_e6(const struct bt_entry *entry)
{
    return entry->refs.parent == BT_SEQ_ABSENT || entry->refs.parent < entry->seq;
}

static bool keeps_e7(const struct bt_entry *entry)
{
    return entry->attest.composition_valid == BT_ABSENT ||
           bt_str_eq(entry->dialect, bt_dialect_name(BT_DIALECT_GOVERNED));
}

static bool keeps_e8(const struct bt_entry *entry)
{
    return entry->v == 1 || ((entry->n.source != BT_SEQ_ABSENT) == (entry->source.len > 0) &&
                             (entry->n.trace != BT_SEQ_ABSENT) == (entry->trace_id.len > 0));
}

/* True for a letter and the number of the entry. */
static bool is_own_delivery(bt_str word, uint64_t seq)
{
    uint64_t number = 0;
    const bt_str digits = bt_str_slice(word, 1, word.len);
    return bt_str_to_u64(digits, &number) == BT_OK && number == seq &&
           (digits.len == 1 || digits.ptr[0] != '0');
}

static bool keeps_e9(const struct bt_entry *entry)
{
    const bt_str *deliver = entry->deliver;
    if (deliver[0].len == 0) {
        return true;
    }
    return bt_str_eq(entry->kind, BT_STR("handoff")) &&
           bt_str_eq(entry->verdict, BT_STR("accepted")) &&
           is_own_delivery(deliver[0], entry->seq) &&
           (deliver[1].len == 0 || (bt_str_compare(deliver[0], deliver[1]) < 0 &&
                                    is_own_delivery(deliver[1], entry->seq)));
}

static bool keeps_e10(const struct bt_entry *entry)
{
    return entry->v == 1 ||
           (entry->judge.rules.len > 0) == bt_str_eq(entry->kind, BT_STR("handoff"));
}

static bool is_event(const struct bt_entry *entry, const bt_str *words)
{
    return bt_entry_is_one_of(entry->refs.event, words);
}

static bool keeps_e11(const struct bt_entry *entry)
{
    static const bt_str beats[] = {BT_STR_INIT("start"), BT_STR_INIT("beat"), BT_STR_INIT("stop"),
                                   BT_STR_INIT("")};
    static const bt_str holds[] = {BT_STR_INIT("set"), BT_STR_INIT("released"), BT_STR_INIT("")};
    const bool has_document = entry->document.sha256.len > 0;
    if (bt_str_eq(entry->kind, BT_STR("heartbeat"))) {
        return is_event(entry, beats) && entry->refs.message.len > 0;
    }
    if (bt_str_eq(entry->kind, BT_STR("policy"))) {
        return has_document && entry->document.kept == BT_TRUE &&
               bt_str_eq(entry->refs.after, entry->document.sha256);
    }
    return !bt_str_eq(entry->kind, BT_STR("hold")) ||
           (is_event(entry, holds) && entry->refs.reason.len > 0 &&
            (entry->trace_id.len > 0) + (entry->handoff_id.len > 0) + has_document == 1);
}

/* In the order in which they are checked; the first violated one is reported. */
static const struct ledger_entry_rules_rule {
    bool (*keeps)(const struct bt_entry *entry);
    const char *name;
    const char *why;
} rules[] = {
    {keeps_e2, "E2", "its time is not a real date and time"},
    {keeps_e3, "E3", "codes and withheld are sorted, and codes stand exactly in refusals"},
    {keeps_e4, "E4", "dialect, verdict and members do not fit its kind"},
    {keeps_e5, "E5", "a member is both there and withheld"},
    {keeps_e6, "E6", "refs.parent is not an earlier entry"},
    {keeps_e7, "E7", "only governed handoffs are attested"},
    {keeps_e8, "E8", "the counters do not fit source and trace_id"},
    {keeps_e9, "E9", "deliver stands only in an accepted handoff, sorted, with its own number"},
    {keeps_e10, "E10", "judge stands exactly in handoffs"},
    {keeps_e11, "E11", "a member that its kind needs is missing"},
};

/* Why the scan failed: not canonical, of a newer format, or not what the schema says. */
static enum bt_status judge_odd(struct bt_arena *arena, bt_str text,
                                struct bt_entry_check_result *out)
{
    struct bt_json_read_result read = {0};
    struct bt_buf canonical;
    *out = (struct bt_entry_check_result){BT_ENTRY_BROKEN, "E1",
                                          "it is not in the form of RFC 8785", BT_STR("")};
    /* from: store */
    BT_TRY(bt_json_read(arena, text, NULL, &read));
    if (!read.document || text.len > BT_ENTRY_BYTES_MAX) {
        return BT_OK;
    }
    const bt_json_value *root = bt_json_root(read.document);
    bt_buf_init(&canonical, text.len);
    const enum bt_status status =
        bt_json_write(&canonical, read.document, root, BT_JSON_FORM_CANONICAL, arena, NULL);
    const bool is_canonical = status == BT_OK && bt_str_eq(bt_buf_str(&canonical), text);
    bt_buf_free(&canonical);
    if (!is_canonical) {
        /* A text without canonical form, or with a longer one, is not canonical either. */
        return status == BT_ENOMEM ? BT_ENOMEM : BT_OK;
    }
    const bt_json_value *v = bt_json_get(read.document, root, BT_STR("v"));
    if (v && bt_json_is_number(v)) {
        const bt_str number = bt_json_number_text(read.document, v);
        if (bt_json_decimal_is_integer(number) &&
            bt_json_decimal_compare(number, BT_STR("2")) > 0) {
            *out = (struct bt_entry_check_result){BT_ENTRY_NEWER, NULL, NULL, number};
            return BT_OK;
        }
    }
    out->rule = "E0";
    out->why = "it does not fit the schema of its version";
    return BT_OK;
}

enum bt_status bt_entry_check(struct bt_arena *arena, bt_str text, struct bt_entry *out,
                              struct bt_entry_check_result *out_judged)
{
    assert(arena);
    assert(out);
    assert(out_judged);
    if (!bt_entry_read(text, out)) {
        return judge_odd(arena, text, out_judged);
    }
    *out_judged = (struct bt_entry_check_result){BT_ENTRY_FINE, NULL, NULL, BT_STR("")};
    for (size_t i = 0; i < COUNT_OF(rules); i++) {
        if (!rules[i].keeps(out)) {
            *out_judged = (struct bt_entry_check_result){BT_ENTRY_BROKEN, rules[i].name,
                                                         rules[i].why, BT_STR("")};
            return BT_OK;
        }
    }
    return BT_OK;
}
