/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_certificate.c - check the certificate of a redaction: every receipt in it must verify, and
 * what it says must follow from the entries that they prove.
 */
#include <assert.h>
#include <inttypes.h>

#include <baton/json.h>

#include "json/options.h"
#include "ledger/verify_receipt.h"
#include "report/json_rules.h"

enum { ITEM_ARENA_BYTES = 16 << 20, MEMBERS = 8 };

/* A certificate while it is checked. */
struct certificate_check {
    struct bt_receipt_check *in; /* of the redaction's own receipt */
    bt_str bytes;
    const struct bt_json_doc *document;
    const bt_json_value *root;
};

bool bt_certificate_recognise(bt_str bytes)
{
    const bt_str name = BT_STR("\"baton_redaction\"");
    size_t at = 0;
    while (at < bytes.len && (bytes.ptr[at] == ' ' || bytes.ptr[at] == '\t' ||
                              bytes.ptr[at] == '\n' || bytes.ptr[at] == '\r')) {
        at++;
    }
    return at < bytes.len && bytes.ptr[at] == '{' && bt_str_find(bytes, name) < bytes.len;
}

static const bt_json_value *get_member(const struct certificate_check *check, const char *name)
{
    return bt_json_get(check->document, check->root, bt_str_of(name));
}

static bt_str source_of(const struct certificate_check *check, const bt_json_value *value)
{
    const struct bt_json_span span = bt_json_span(check->document, value);
    return bt_str_slice(check->bytes, span.begin, span.end);
}

/* Read it as a closed object. NULL, or what is wrong with it. */
static const char *check_shape(const struct certificate_check *check)
{
    const bt_json_value *version = get_member(check, "baton_redaction");
    const bt_json_value *receipt = get_member(check, "receipt");
    const bt_json_value *entries = get_member(check, "entries");
    if (bt_json_type(check->root) != BT_JSON_OBJECT || bt_json_count(check->root) != MEMBERS ||
        !version || !receipt || !entries || !get_member(check, "sha256") ||
        !get_member(check, "size") || !get_member(check, "time") || !get_member(check, "reason") ||
        !get_member(check, "early")) {
        return "it is not an object of baton_redaction, sha256, size, time, reason, early, receipt "
               "and entries";
    }
    if (bt_json_type(version) != BT_JSON_INTEGER || version->as.integer != 1) {
        return "baton_redaction is not 1";
    }
    return bt_json_type(receipt) != BT_JSON_OBJECT || bt_json_type(entries) != BT_JSON_ARRAY ||
                   bt_json_count(entries) > BT_CERTIFICATE_ENTRIES_MAX
               ? "receipt is not an object, or entries is not a list of at most 10,000"
               : NULL;
}

enum bt_status bt_receipt_add_below(struct bt_findings *to, const struct bt_findings *from,
                                    bt_str pointer)
{
    for (size_t i = 0; i < bt_findings_count(from); i++) {
        struct bt_finding finding = *bt_findings_at(from, i);
        finding.offset = BT_OFFSET_NONE; /* within a receipt it means nothing in the document */
        BT_TRY(bt_arena_printf(bt_findings_arena(to), &finding.pointer, "%.*s%.*s",
                               BT_STR_ARG(pointer), BT_STR_ARG(finding.pointer)));
        BT_TRY(bt_findings_add(to, &finding));
    }
    return BT_OK;
}

static enum bt_status add_mismatch(const struct certificate_check *check, bt_str pointer,
                                   bt_str expected, bt_str actual)
{
    return bt_add_receipt_statement_mismatch(check->in->findings, bt_ledger_part(pointer), expected,
                                             actual);
}

/* Check the redaction's own receipt, whose facts are those of the certificate. */
static enum bt_status check_redaction(struct certificate_check *check, bool *out_go_on)
{
    struct bt_receipt_check *in = check->in;
    struct bt_findings *outer = in->findings;
    in->findings = bt_findings_new(in->arena);
    if (!in->findings) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_receipt_check_bytes(in, source_of(check, get_member(check, "receipt"))));
    *out_go_on = in->is_proven && !in->is_newer &&
                 bt_verdict_of(in->findings, BT_SEVERITY_HARD) == BT_VERDICT_ACCEPTED;
    BT_TRY(bt_receipt_add_below(outer, in->findings, BT_STR("/receipt")));
    in->findings = outer;
    in->receipt.form = BT_RECEIPT_REDACTION;
    return BT_OK;
}

/* Compare a member with what the redaction's entry says. */
static enum bt_status compare_text(const struct certificate_check *check, const char *name,
                                   bt_str expected)
{
    const bt_json_value *value = get_member(check, name);
    bt_str pointer;
    const bool is_same =
        bt_json_type(value) == BT_JSON_STRING && bt_str_eq(bt_json_text(value), expected);
    BT_TRY(bt_arena_printf(check->in->arena, &pointer, "/%s", name));
    return is_same ? BT_OK
                   : add_mismatch(check, pointer, expected,
                                  bt_json_type(value) == BT_JSON_STRING ? bt_json_text(value)
                                                                        : source_of(check, value));
}

static enum bt_status compare_members(const struct certificate_check *check)
{
    const struct bt_entry *entry = &check->in->entry;
    const bt_json_value *size = get_member(check, "size");
    const bt_json_value *early = get_member(check, "early");
    const bool is_early = bt_str_eq(entry->refs.event, BT_STR("early"));
    if (!bt_str_eq(entry->kind, BT_STR("redaction"))) {
        return add_mismatch(check, BT_STR("/receipt"), BT_STR("redaction"), entry->kind);
    }
    BT_TRY(compare_text(check, "sha256", entry->document.sha256));
    BT_TRY(compare_text(check, "time", entry->time));
    BT_TRY(compare_text(check, "reason", entry->refs.reason));
    if (bt_json_type(size) != BT_JSON_INTEGER || size->as.integer < 0 ||
        (uint64_t)size->as.integer != entry->document.size) {
        bt_str expected;
        BT_TRY(bt_arena_printf(check->in->arena, &expected, "%" PRIu64, entry->document.size));
        BT_TRY(add_mismatch(check, BT_STR("/size"), expected, source_of(check, size)));
    }
    const bt_str wanted = is_early ? BT_STR("true") : BT_STR("false");
    return bt_str_eq(source_of(check, early), wanted)
               ? BT_OK
               : add_mismatch(check, BT_STR("/early"), wanted, source_of(check, early));
}

/* True when the proven entry is one that lost its bytes by this redaction. */
static bool entry_fits(const struct certificate_check *check, const struct bt_receipt_check *item)
{
    const struct bt_receipt_check *in = check->in;
    return item->receipt.form == BT_RECEIPT_JSON &&
           bt_str_eq(item->entry.document.sha256, in->entry.document.sha256) &&
           !bt_str_eq(item->entry.kind, BT_STR("redaction")) &&
           item->receipt.index < in->receipt.index &&
           item->checkpoint.size == in->checkpoint.size &&
           bt_str_eq(item->checkpoint.origin, in->checkpoint.origin) &&
           bt_merkle_hash_eq(&item->checkpoint.root, &in->checkpoint.root);
}

/* Check the receipt of one entry, with working memory of its own. */
static enum bt_status check_item(const struct certificate_check *check, struct bt_arena *work,
                                 const struct bt_receipt_judge_options *options, size_t index,
                                 const bt_json_value *value)
{
    struct bt_receipt_check *item = NULL;
    bt_str pointer;
    BT_TRY(bt_receipt_check_new(work, options, &item));
    BT_TRY(bt_receipt_check_bytes(item, source_of(check, value)));
    BT_TRY(bt_arena_printf(check->in->arena, &pointer, "/entries/%zu", index));
    if (bt_verdict_of(item->findings, BT_SEVERITY_HARD) != BT_VERDICT_ACCEPTED) {
        struct bt_receipt_check *again = NULL; /* its findings must outlive the working memory */
        BT_TRY(bt_receipt_check_new(check->in->arena, options, &again));
        BT_TRY(bt_receipt_check_bytes(again, source_of(check, value)));
        return bt_receipt_add_below(check->in->findings, again->findings, pointer);
    }
    return item->is_proven && !item->is_newer && entry_fits(check, item)
               ? BT_OK
               : add_mismatch(check, pointer, BT_STR_ABSENT, BT_STR_ABSENT);
}

static enum bt_status check_entries(const struct certificate_check *check)
{
    const bt_json_value *entries = get_member(check, "entries");
    const struct bt_receipt_judge_options options = {.keys = check->in->options->keys,
                                                     .any_verdict = true};
    enum bt_status status = BT_OK;
    struct bt_arena work;
    bt_arena_init(&work, ITEM_ARENA_BYTES);
    for (size_t i = 0; i < bt_json_count(entries) && status == BT_OK; i++) {
        bt_arena_reset(&work);
        status = check_item(check, &work, &options, i, &bt_json_items(entries)[i]);
    }
    bt_arena_free(&work);
    return status;
}

enum bt_status bt_receipt_check_certificate(struct bt_receipt_check *in, bt_str bytes)
{
    assert(in);
    struct bt_json_options options = bt_json_options_default();
    struct bt_json_read_result read = {0};
    struct certificate_check check = {.in = in, .bytes = bytes};
    bool go_on = false;
    options.document_bytes_max = BT_CERTIFICATE_BYTES_MAX;
    in->receipt.form = BT_RECEIPT_REDACTION;
    /* from: caller */
    BT_TRY(bt_json_read(in->arena, bytes, &options, &read));
    if (!read.document) {
        return bt_findings_add_json(in->findings, &read, bytes);
    }
    check.document = read.document;
    check.root = bt_json_root(read.document);
    const char *reason = check_shape(&check);
    if (reason) {
        return bt_add_receipt_syntax(in->findings, bt_location_whole(), NULL, bt_str_of(reason));
    }
    BT_TRY(check_redaction(&check, &go_on));
    if (!go_on) {
        return BT_OK;
    }
    BT_TRY(compare_members(&check));
    return check_entries(&check);
}
