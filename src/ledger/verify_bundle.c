/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_bundle.c - check a bundle: its form, its checkpoint, the proof of its entries, and whether
 * something is left out.
 */
#include <assert.h>
#include <inttypes.h>

#include "json/emit.h"
#include "ledger/bundle_check.h"
#include "ledger/disclosure.h"
#include "ledger/policy.h"
#include "ledger/verify_receipt.h"
#include "report/findings.h"

enum {
    WORK_BYTES_MAX = 16 << 20,
    FINDINGS_PER_CODE = 100,
};

/* ---- 2, 3: the checkpoint and the proof ------------------------------------------------------ */

static enum bt_status check_checkpoint(struct bt_bundle_check *check)
{
    const bt_json_value *log = bt_bundle_member(check, check->root, "log");
    const struct bt_checkpoint_input input = {bt_bundle_text(check, log, "checkpoint"),
                                              BT_STR("/log/checkpoint"),
                                              &check->options->keys->keys, check->shown.origin};
    struct bt_checkpoint *checkpoint = BT_NEW(check->arena, struct bt_checkpoint);
    bool is_fine = false;
    BT_TRY(checkpoint ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_ledger_check_checkpoint(&input, check->findings, checkpoint, &is_fine));
    if (!is_fine) {
        return BT_OK;
    }
    check->checkpoint = checkpoint;
    check->shown.size = checkpoint->size;
    BT_TRY(bt_ledger_check_witnesses(checkpoint, check->options->witnesses, check->findings,
                                     &check->witnessed));
    const bool is_beyond = check->shown.counts.is_empty
                               ? checkpoint->size > 0
                               : check->shown.counts.to >= checkpoint->size;
    return is_beyond ? bt_bundle_add_syntax(check,
                                            "/selection: the range is not that of a log of %" PRIu64
                                            " entries",
                                            checkpoint->size)
                     : BT_OK;
}

/* The hashes of the proof, taken one after the other. */
struct bundle_proof {
    const bt_json_value *list;
    size_t next;
};

static enum bt_status take_hash(void *context, uint64_t lo, uint64_t hi, struct bt_merkle_hash *out)
{
    struct bundle_proof *proof = context;
    (void)lo;
    (void)hi;
    return proof->next < bt_json_count(proof->list) &&
                   bt_merkle_hash_from_hex(bt_json_text(&bt_json_items(proof->list)[proof->next++]),
                                           out)
               ? BT_OK
               : BT_ENOENT;
}

static enum bt_status check_proof(struct bt_bundle_check *check)
{
    const size_t count = check->shown.counts.disclosed;
    uint64_t *seqs = BT_NEW_ARRAY(check->arena, uint64_t, count + 1);
    struct bt_merkle_hash *leaves = BT_NEW_ARRAY(check->arena, struct bt_merkle_hash, count + 1);
    struct bundle_proof proof = {.list = bt_bundle_member(check, check->root, "proof")};
    struct bt_merkle_hash root;
    BT_TRY(seqs && leaves ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        seqs[i] = check->entries[i].seq;
        bt_merkle_hash_leaf(check->entries[i].text, &leaves[i]);
    }
    const struct bt_disclosure disclosure = {seqs, leaves, count, check->shown.size};
    const bool holds = bt_disclosure_root(&disclosure, take_hash, &proof, &root) == BT_OK &&
                       proof.next == bt_json_count(proof.list) &&
                       bt_merkle_hash_eq(&root, &check->checkpoint->root);
    return holds ? BT_OK
                 : bt_add_receipt_proof_invalid(check->findings, bt_ledger_part(BT_STR("/proof")),
                                                count > 0 ? seqs[0] : 0, check->shown.size);
}

/* ---- 4, 5: the entries ----------------------------------------------------------------------- */

static struct bt_location item_location(struct bt_bundle_check *check, const char *list,
                                        size_t index)
{
    return bt_ledger_location(check->arena, "/%s/%zu", list, index);
}

static enum bt_status check_entries(struct bt_bundle_check *check)
{
    for (size_t i = 0; i < check->shown.counts.disclosed; i++) {
        const struct bt_ledger_bundle_entry *shown = &check->entries[i];
        struct bt_entry_check_result judged;
        bt_arena_reset(&check->work);
        BT_TRY(bt_entry_check(&check->work, shown->text, check->entry, &judged));
        if (judged.judgement != BT_ENTRY_FINE) {
            BT_TRY(bt_ledger_add_entry_finding(check->findings, item_location(check, "entries", i),
                                               &judged));
        } else if (check->entry->seq != shown->seq) {
            BT_TRY(bt_add_ledger_seq_mismatch(check->findings, item_location(check, "entries", i),
                                              shown->seq, check->entry->seq));
        }
    }
    return BT_OK;
}

static enum bt_status add_gap(struct bt_bundle_check *check, size_t index, uint64_t expected,
                              const uint64_t *actual, enum bt_bundle_gap_name name)
{
    return bt_add_bundle_gap(check->findings, item_location(check, "entries", index), expected,
                             actual, name);
}

/* Every number of the range is there. */
static enum bt_status check_numbers(struct bt_bundle_check *check)
{
    uint64_t next = check->shown.counts.from;
    for (size_t i = 0; i < check->shown.counts.disclosed; i++) {
        if (check->entries[i].seq != next) {
            BT_TRY(add_gap(check, i, next, &check->entries[i].seq, BT_BUNDLE_GAP_NAME_SEQ));
        }
        next = check->entries[i].seq + 1;
    }
    return check->shown.counts.is_empty || next > check->shown.counts.to
               ? BT_OK
               : add_gap(check, check->shown.counts.disclosed, next, NULL, BT_BUNDLE_GAP_NAME_SEQ);
}

/* The counters of entries of version 2 have no gap. Those of version 1 are counted, too. */
static enum bt_status check_counters(struct bt_bundle_check *check, bool is_trace)
{
    bool is_known = check->shown.counts.from == 0; /* how many there were before */
    uint64_t last = 0;
    for (size_t i = 0; i < check->shown.counts.disclosed; i++) {
        const struct bt_entry *entry = check->entry;
        if (!bt_entry_read(check->entries[i].text, check->entry) ||
            !bt_str_eq(is_trace ? entry->trace_id : entry->source, check->shown.value)) {
            continue;
        }
        const uint64_t number = is_trace ? entry->n.trace : entry->n.source;
        if (number == BT_SEQ_ABSENT) {
            last++;
            continue;
        }
        if (is_known && number != last + 1) {
            BT_TRY(add_gap(check, i, last + 1, &number,
                           is_trace ? BT_BUNDLE_GAP_NAME_TRACE : BT_BUNDLE_GAP_NAME_SOURCE));
        }
        is_known = true;
        last = number;
    }
    return BT_OK;
}

static enum bt_status check_gaps(struct bt_bundle_check *check)
{
    const bt_str by = check->shown.by;
    if (bt_str_eq(by, bt_ledger_bundle_by_names[BT_LEDGER_BUNDLE_ALL])) {
        return check_numbers(check);
    }
    if (bt_str_eq(by, bt_ledger_bundle_by_names[BT_LEDGER_BUNDLE_HANDOFF])) {
        return BT_OK;
    }
    return check_counters(check, bt_str_eq(by, bt_ledger_bundle_by_names[BT_LEDGER_BUNDLE_TRACE]));
}

/* ---- 6: documents ---------------------------------------------------------------------------- */

static enum bt_status compare_bytes(struct bt_bundle_check *check, struct bt_location at,
                                    bt_str bytes, bt_str sha256)
{
    struct bt_merkle_hash actual;
    char hex[BT_HASH_HEX_BYTES];
    bt_merkle_hash_plain(bytes, &actual);
    bt_merkle_hash_hex(&actual, hex);
    return bt_str_eq(sha256, bt_str_of(hex))
               ? BT_OK
               : bt_add_ledger_document_mismatch(check->findings, at, bt_str_of(hex));
}

static enum bt_status check_bytes(struct bt_bundle_check *check, size_t index,
                                  const bt_json_value *item)
{
    const bt_json_value *text = bt_bundle_member(check, item, "text");
    const bt_str sha256 = bt_bundle_text(check, item, "sha256");
    const struct bt_location at = item_location(check, "documents", index);
    if (text) {
        return compare_bytes(check, at, bt_json_text(text), sha256);
    }
    const bt_str encoded = bt_bundle_text(check, item, "base64");
    const size_t size = bt_base64_decoded_size(encoded);
    if (size == SIZE_MAX) {
        return bt_bundle_add_syntax(
            check, "/documents/%zu/base64: it is not base64 in its one form", index);
    }
    char *bytes = BT_NEW_ARRAY(&check->work, char, size + 1);
    BT_TRY(bytes ? BT_OK : BT_ENOMEM);
    bt_base64_decode(encoded, bytes);
    return compare_bytes(check, at, (bt_str){bytes, size}, sha256);
}

/* The receipt proves, in the same log, an entry that redacts these bytes. */
static enum bt_status check_redaction(struct bt_bundle_check *check, size_t index,
                                      const bt_json_value *item)
{
    const struct bt_receipt_judge_options options = {.keys = check->options->keys,
                                                     .any_verdict = true};
    const struct bt_json_span span =
        bt_json_span(check->document, bt_bundle_member(check, item, "redaction"));
    const bt_str sha256 = bt_bundle_text(check, item, "sha256");
    struct bt_receipt_check *receipt = NULL;
    bt_str pointer;
    BT_TRY(bt_receipt_check_new(&check->work, &options, &receipt));
    BT_TRY(bt_receipt_check_bytes(receipt, bt_str_slice(check->data, span.begin, span.end)));
    BT_TRY(bt_arena_printf(check->arena, &pointer, "/documents/%zu/redaction", index));
    BT_TRY(bt_receipt_add_below(check->findings, receipt->findings, pointer));
    if (!receipt->is_proven || receipt->is_newer) {
        return BT_OK;
    }
    const bool fits = bt_str_eq(receipt->checkpoint.origin, check->checkpoint->origin) &&
                      bt_str_eq(receipt->entry.kind, BT_STR("redaction")) &&
                      bt_str_eq(receipt->entry.document.sha256, sha256);
    return fits ? BT_OK
                : bt_add_receipt_statement_mismatch(check->findings, bt_ledger_part(pointer),
                                                    sha256, receipt->entry.document.sha256);
}

static enum bt_status check_document(struct bt_bundle_check *check, size_t index,
                                     const bt_json_value *item)
{
    const bt_str state = bt_bundle_text(check, item, "state");
    size_t number = 0;
    while (!bt_str_eq(bt_ledger_bundle_state_names[number], state)) {
        number++; /* the schema has exactly these names */
    }
    check->shown.counts.documents[number]++;
    bt_arena_reset(&check->work);
    return number == BT_LEDGER_BUNDLE_INCLUDED   ? check_bytes(check, index, item)
           : number == BT_LEDGER_BUNDLE_REDACTED ? check_redaction(check, index, item)
                                                 : BT_OK;
}

static enum bt_status check_documents(struct bt_bundle_check *check)
{
    const bt_json_value *list = bt_bundle_member(check, check->root, "documents");
    for (size_t i = 0; i < bt_json_count(list); i++) {
        BT_TRY(check_document(check, i, &bt_json_items(list)[i]));
    }
    for (size_t i = 0; i < check->shown.policy_count; i++) {
        const struct bt_ledger_bundle_policy *policy = &check->shown.policies[i];
        if (policy->text.ptr) {
            BT_TRY(compare_bytes(check, item_location(check, "policies", i), policy->text,
                                 policy->sha256));
        }
    }
    return BT_OK;
}

/* ---- 7, 8: witnesses and page ---------------------------------------------------------------- */

static enum bt_status check_witnesses(struct bt_bundle_check *check)
{
    const struct bt_ledger_bundle_judge_options *options = check->options;
    bool is_met = false;
    if (options->policy) {
        struct bt_findings *findings = bt_findings_new(check->arena);
        BT_TRY(findings ? BT_OK : BT_ENOMEM);
        BT_TRY(bt_witness_policy_add_unsupported(options->policy, check->findings));
        BT_TRY(bt_witness_policy_judge(options->policy, &check->witnessed, findings,
                                       &check->policy_facts, &is_met));
        return bt_receipt_add_below(check->findings, findings, BT_STR("/log"));
    }
    return check->witnessed.count < options->witnesses_required
               ? bt_add_ledger_witness_missing(check->findings,
                                               bt_ledger_part(BT_STR("/log/checkpoint")),
                                               options->witnesses_required, check->witnessed.count)
               : BT_OK;
}

/* Write the page again, and compare it with what was given. */
static enum bt_status check_page(struct bt_bundle_check *check)
{
    struct bt_buf buf;
    check->page = "none";
    if (!check->is_page) {
        return BT_OK;
    }
    bt_buf_init(&buf, check->bytes.len);
    bt_ledger_bundle_put_page(&buf, &check->shown, check->data);
    const bool is_known = buf.status == BT_OK && bt_str_eq(bt_buf_str(&buf), check->bytes);
    bt_buf_free(&buf);
    check->page = is_known ? "known" : "unknown";
    return is_known ? BT_OK
                    : bt_add_bundle_page_unknown(check->findings, bt_location_whole(),
                                                 check->shown.program);
}

/* ---- The report ------------------------------------------------------------------------------ */

static void put_range(struct bt_emit *emit, const struct bt_ledger_bundle_counts *counts)
{
    bt_emit_member_u64_or_null(emit, "from", !counts->is_empty, counts->from);
    bt_emit_member_u64_or_null(emit, "to", !counts->is_empty, counts->to);
}

static enum bt_status put_facts(const struct bt_bundle_check *check, bt_str *out)
{
    const struct bt_ledger_bundle *shown = &check->shown;
    struct bt_object_text text;
    struct bt_emit *emit = bt_object_text_begin(&text, SIZE_MAX, NULL);
    if (check->checkpoint) {
        char root[BT_HASH_HEX_BYTES];
        bt_merkle_hash_hex(&check->checkpoint->root, root);
        bt_emit_member_string(emit, "origin", check->checkpoint->origin);
        bt_emit_member_u64(emit, "size", check->checkpoint->size);
        bt_emit_member_string(emit, "root", bt_str_of(root));
    }
    if (check->page) { /* nothing ended the run */
        put_range(emit, &shown->counts);
        bt_emit_member_string(emit, "by", shown->by);
        bt_ledger_bundle_put_counts(emit, &shown->counts);
        bt_emit_member_raw(emit, "witnesses",
                           check->witnessed.list.len > 0 ? check->witnessed.list : BT_STR("[]"));
        if (check->policy_facts.len > 0) {
            bt_emit_member_raw(emit, "policy", check->policy_facts);
        }
        bt_emit_member_string(emit, "page", bt_str_of(check->page));
        bt_emit_member_object(emit, "made");
        bt_emit_member_string(emit, "time", shown->time);
        bt_emit_member_string(emit, "program", shown->program);
        bt_emit_member_string(emit, "title", shown->title);
        bt_emit_end(emit);
    }
    return bt_object_text_finish(&text, BT_OK, check->arena, out);
}

static enum bt_status run_steps(struct bt_bundle_check *check)
{
    enum { BLOCKING = 4 };
    static enum bt_status (*const steps[])(struct bt_bundle_check *) = {
        bt_bundle_check_form, check_checkpoint, check_proof,     check_entries,
        check_gaps,           check_documents,  check_witnesses, check_page};
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        BT_TRY(steps[i](check));
        if (i < BLOCKING && bt_bundle_is_blocked(check)) {
            break;
        }
    }
    return BT_OK;
}

enum bt_status bt_ledger_bundle_judge(struct bt_arena *arena, bt_str path, bt_str bytes,
                                      const struct bt_ledger_bundle_judge_options *options,
                                      struct bt_judgement *out)
{
    assert(options);
    assert(options->keys);
    assert(out);
    struct bt_bundle_check check = {.arena = arena,
                                    .options = options,
                                    .bytes = bytes,
                                    .data = bytes,
                                    .findings = bt_findings_new(arena)};
    bt_str facts;
    BT_TRY(check.findings ? BT_OK : BT_ENOMEM);
    bt_findings_limit_codes(check.findings, FINDINGS_PER_CODE);
    bt_arena_init(&check.work, WORK_BYTES_MAX);
    const enum bt_status status = run_steps(&check);
    bt_arena_free(&check.work);
    BT_TRY(status);
    BT_TRY(put_facts(&check, &facts));
    return bt_judgement_make(path, BT_DIALECT_BUNDLE, check.data, check.findings, facts, out);
}
