/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bundle_make.c - write a bundle: the selected entries, their documents, rules and policies, and
 * the proof that they are in the log.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "json/emit.h"
#include "ledger/bundle_internal.h"
#include "ledger/disclosure.h"
#include "report/add.h"
#include "report/version.h"
#include "select/rule_json.h"

enum { DOCUMENT_ARENA_BYTES = 64 << 20, MAPPING_VERSION = 1 };

const bt_str bt_ledger_bundle_by_names[] = {BT_STR_INIT("all"), BT_STR_INIT("handoff"),
                                            BT_STR_INIT("trace"), BT_STR_INIT("agent")};
const bt_str bt_ledger_bundle_state_names[] = {BT_STR_INIT("included"), BT_STR_INIT("redacted"),
                                               BT_STR_INIT("not_kept"), BT_STR_INIT("left_out")};

/* A document that a disclosed entry names. */
struct ledger_bundle_document {
    struct bt_merkle_hash sha256;
    uint64_t size;
    bool is_kept; /* a disclosed entry says that its bytes are stored */
};

/* A bundle while it is written. */
struct ledger_bundle_writer {
    struct bt_ledger *ledger;
    struct bt_arena *arena;
    const struct bt_ledger_bundle_options *options;
    struct bt_ledger_bundle_selection selection;
    struct bt_ledger_checkpoint checkpoint;
    BT_VEC(struct ledger_bundle_document) documents; /* sorted, each once */
    struct bt_map codes;
    struct bt_map policies; /* digests, in hexadecimal digits */
    BT_VEC(struct bt_merkle_hash) proof;
    struct bt_buf audit; /* JSON object, or nothing */
    char time[BT_ENTRY_TIME_BYTES + 1];
    struct bt_ledger_bundle made; /* for the page */
    struct bt_error *error;
};

/* ---- What the entries name ------------------------------------------------------------------- */

static enum bt_status note_text(struct ledger_bundle_writer *in, struct bt_map *map, bt_str text)
{
    struct bt_map_key key = bt_map_text(text);
    struct bt_map_entry *added = NULL;
    if (text.len == 0 || bt_map_find(map, key)) {
        return BT_OK;
    }
    BT_TRY(bt_arena_copy(in->arena, text, &key.text));
    return bt_map_add(map, key, &added);
}

static int compare_documents(const void *a, const void *b)
{
    return memcmp(((const struct ledger_bundle_document *)a)->sha256.bytes,
                  ((const struct ledger_bundle_document *)b)->sha256.bytes, BT_HASH_BYTES);
}

static int compare_entries(const void *a, const void *b)
{
    return bt_str_compare(((const struct bt_map_entry *)a)->key.text,
                          ((const struct bt_map_entry *)b)->key.text);
}

static void sort_documents(struct ledger_bundle_writer *in)
{
    struct ledger_bundle_document *items = in->documents.items;
    size_t count = 0;
    if (in->documents.count > 0) {
        qsort(items, in->documents.count, sizeof(items[0]), compare_documents);
    }
    for (size_t i = 0; i < in->documents.count; i++) {
        if (count > 0 && bt_merkle_hash_eq(&items[count - 1].sha256, &items[i].sha256)) {
            items[count - 1].is_kept = items[count - 1].is_kept || items[i].is_kept;
        } else {
            items[count++] = items[i];
        }
    }
    in->documents.count = count;
}

static enum bt_status note_names(struct ledger_bundle_writer *in, const struct bt_entry *entry)
{
    struct ledger_bundle_document document = {.size = entry->document.size,
                                              .is_kept = entry->document.kept == BT_TRUE};
    for (size_t i = 0; i < entry->codes.count; i++) {
        BT_TRY(note_text(in, &in->codes, entry->codes.items[i]));
    }
    BT_TRY(note_text(in, &in->policies, entry->refs.policy));
    return bt_merkle_hash_from_hex(entry->document.sha256, &document.sha256)
               ? bt_vec_push(in->arena, &in->documents, document)
               : BT_OK;
}

static enum bt_status collect_names(struct ledger_bundle_writer *in)
{
    struct bt_entry *entry = BT_NEW(in->arena, struct bt_entry);
    uint64_t seed[2];
    if (!entry || bt_env_make_seed(seed) != BT_OK) {
        return BT_ENOMEM;
    }
    bt_map_init(&in->codes, in->arena, seed);
    bt_map_init(&in->policies, in->arena, seed);
    for (size_t i = 0; i < in->selection.count; i++) {
        if (bt_entry_read(in->selection.items[i].text, entry)) {
            BT_TRY(note_names(in, entry));
        }
    }
    sort_documents(in);
    /* The maps are not searched any more. */
    if (in->codes.count > 0) {
        qsort(in->codes.entries, in->codes.count, sizeof(in->codes.entries[0]), compare_entries);
    }
    if (in->policies.count > 0) {
        qsort(in->policies.entries, in->policies.count, sizeof(in->policies.entries[0]),
              compare_entries);
    }
    return BT_OK;
}

/* ---- Proof ----------------------------------------------------------------------------------- */

static enum bt_status prove_gap(void *context, uint64_t lo, uint64_t hi, struct bt_merkle_hash *out)
{
    struct ledger_bundle_writer *in = context;
    const struct bt_merkle_subtrees log = bt_ledger_subtrees(in->ledger);
    BT_TRY(bt_merkle_subtrees_range(&log, lo, hi, out));
    return bt_vec_push(in->arena, &in->proof, *out);
}

/* Make the proof, which must lead to the root that was signed. */
static enum bt_status make_proof(struct ledger_bundle_writer *in)
{
    const size_t count = in->selection.count;
    uint64_t *seqs = BT_NEW_ARRAY(in->arena, uint64_t, count + 1);
    struct bt_merkle_hash *leaves = BT_NEW_ARRAY(in->arena, struct bt_merkle_hash, count + 1);
    struct bt_merkle_hash root;
    char hex[BT_HASH_HEX_BYTES];
    if (!seqs || !leaves) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        seqs[i] = in->selection.items[i].seq;
        bt_merkle_hash_leaf(in->selection.items[i].text, &leaves[i]);
    }
    const struct bt_disclosure disclosure = {seqs, leaves, count, in->checkpoint.size};
    BT_TRY(bt_disclosure_root(&disclosure, prove_gap, in, &root));
    bt_merkle_hash_hex(&root, hex);
    return bt_str_eq(in->checkpoint.root, bt_str_of(hex)) ? BT_OK : BT_ECORRUPT;
}

/* ---- Documents ------------------------------------------------------------------------------- */

void bt_ledger_put_bytes(struct bt_emit *emit, bt_str bytes)
{
    if (bt_utf8_check(bytes) == bytes.len) {
        bt_emit_member_string(emit, "text", bytes);
        return;
    }
    bt_emit_name(emit, "base64");
    bt_emit_raw(emit, BT_STR("\""));
    bt_base64_put(emit->buf, bytes);
    bt_buf_put_char(emit->buf, '"');
}

static enum bt_status put_redaction(struct ledger_bundle_writer *in, struct bt_arena *work,
                                    struct bt_emit *emit, uint64_t seq)
{
    const struct bt_receipt_request request = {
        .seq = seq,
        .size = seq < in->checkpoint.size ? in->checkpoint.size : BT_LEDGER_SEQ_NONE,
        .format = BT_RECEIPT_FORMAT_JSON};
    struct bt_receipt_result receipt;
    BT_TRY(bt_ledger_make_receipt(in->ledger, work, &request, &receipt, in->error));
    bt_emit_member_raw(emit, "redaction",
                       bt_str_slice(receipt.receipt, 0, receipt.receipt.len - 1));
    return BT_OK;
}

static enum bt_ledger_bundle_state state_of(const struct ledger_bundle_writer *in,
                                            const struct ledger_bundle_document *document,
                                            const struct bt_store_document *stored)
{
    if (stored->redacted_seq != BT_STORE_NONE) {
        return BT_LEDGER_BUNDLE_REDACTED;
    }
    if (!stored->has_bytes || !document->is_kept) {
        return BT_LEDGER_BUNDLE_NOT_KEPT;
    }
    return in->options->no_documents || document->size > in->options->document_bytes_max
               ? BT_LEDGER_BUNDLE_LEFT_OUT
               : BT_LEDGER_BUNDLE_INCLUDED;
}

static enum bt_status put_document(struct ledger_bundle_writer *in, struct bt_arena *work,
                                   struct bt_emit *emit,
                                   const struct ledger_bundle_document *document)
{
    const bt_str key = {(const char *)document->sha256.bytes, BT_HASH_BYTES};
    struct bt_store_document stored = {.redacted_seq = BT_STORE_NONE};
    struct bt_merkle_hash actual;
    char hex[BT_HASH_HEX_BYTES];
    const enum bt_status status =
        bt_store_document_get(in->ledger->store, work, key, &stored, in->error);
    if (status != BT_OK && status != BT_ENOENT) {
        return status;
    }
    in->error->text[0] = '\0'; /* a document that is not kept is not an error */
    const enum bt_ledger_bundle_state state = state_of(in, document, &stored);
    in->made.counts.documents[state]++;
    bt_merkle_hash_hex(&document->sha256, hex);
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "sha256", bt_str_of(hex));
    bt_emit_member_u64(emit, "size", document->size);
    bt_emit_member_string(emit, "state", bt_ledger_bundle_state_names[state]);
    if (state == BT_LEDGER_BUNDLE_INCLUDED) {
        bt_merkle_hash_plain(stored.bytes, &actual);
        BT_TRY(bt_merkle_hash_eq(&actual, &document->sha256) ? BT_OK : BT_ECORRUPT);
        bt_ledger_put_bytes(emit, stored.bytes);
    } else if (state == BT_LEDGER_BUNDLE_REDACTED) {
        BT_TRY(put_redaction(in, work, emit, stored.redacted_seq));
    }
    bt_emit_end(emit);
    return emit->buf->status;
}

static enum bt_status put_documents(struct ledger_bundle_writer *in, struct bt_emit *emit)
{
    enum bt_status status = BT_OK;
    struct bt_arena work;
    bt_arena_init(&work, DOCUMENT_ARENA_BYTES);
    bt_emit_member_array(emit, "documents");
    for (size_t i = 0; i < in->documents.count && status == BT_OK; i++) {
        bt_arena_reset(&work);
        status = put_document(in, &work, emit, &in->documents.items[i]);
    }
    bt_emit_end(emit);
    bt_arena_free(&work);
    return status;
}

/* ---- Rules and policies ---------------------------------------------------------------------- */

/* The first row of a code; the number of rows when this program does not know it. */
static size_t find_rule(bt_str code)
{
    size_t row = 0;
    while (row < bt_rules_count() && !bt_str_eq(bt_rules_at(row)->code, code)) {
        row++;
    }
    return row;
}

static enum bt_status put_rules(struct ledger_bundle_writer *in, struct bt_emit *emit)
{
    struct bt_ledger_bundle_rule *rules =
        BT_NEW_ARRAY(in->arena, struct bt_ledger_bundle_rule, in->codes.count + 1);
    if (!rules) {
        return BT_ENOMEM;
    }
    bt_emit_member_array(emit, "rules");
    for (size_t i = 0; i < in->codes.count; i++) {
        const size_t row = find_rule(in->codes.entries[i].key.text);
        if (row < bt_rules_count()) {
            const struct bt_rule *rule = bt_rules_at(row);
            rules[in->made.rule_count++] = (struct bt_ledger_bundle_rule){
                rule->code, bt_severity_name(rule->severity), rule->meaning};
            bt_rule_emit_group(emit, row);
        }
    }
    bt_emit_end(emit);
    in->made.rules = rules;
    return BT_OK;
}

static bool take_policy(void *context, const struct bt_store_entry *row)
{
    bool *is_policy = context;
    *is_policy = bt_str_eq(row->kind, BT_STR("policy"));
    return !*is_policy;
}

/* The text of a policy, if an entry of kind `policy` holds it. */
static enum bt_status find_policy(struct ledger_bundle_writer *in, bt_str sha256, bt_str *out)
{
    struct bt_store_document stored = {.redacted_seq = BT_STORE_NONE};
    struct bt_merkle_hash digest;
    struct bt_merkle_hash actual;
    bool is_policy = false;
    *out = BT_STR_ABSENT;
    if (!bt_merkle_hash_from_hex(sha256, &digest)) {
        return BT_OK;
    }
    const bt_str key = {(const char *)digest.bytes, BT_HASH_BYTES};
    const struct bt_store_scan scan = {.order = BT_STORE_BY_DOCUMENT, .key = key};
    BT_TRY(bt_store_entry_scan(in->ledger->store, &scan, take_policy, &is_policy, in->error));
    const enum bt_status status =
        is_policy ? bt_store_document_get(in->ledger->store, in->arena, key, &stored, in->error)
                  : BT_ENOENT;
    if (status == BT_OK && stored.has_bytes && stored.redacted_seq == BT_STORE_NONE) {
        bt_merkle_hash_plain(stored.bytes, &actual);
        BT_TRY(bt_merkle_hash_eq(&actual, &digest) ? BT_OK : BT_ECORRUPT);
        *out = bt_utf8_check(stored.bytes) == stored.bytes.len ? stored.bytes : BT_STR_ABSENT;
    }
    return status == BT_ENOENT ? BT_OK : status;
}

static enum bt_status put_policies(struct ledger_bundle_writer *in, struct bt_emit *emit)
{
    struct bt_ledger_bundle_policy *policies =
        BT_NEW_ARRAY(in->arena, struct bt_ledger_bundle_policy, in->policies.count + 1);
    if (!policies) {
        return BT_ENOMEM;
    }
    bt_emit_member_array(emit, "policies");
    for (size_t i = 0; i < in->policies.count; i++) {
        struct bt_ledger_bundle_policy *policy = &policies[i];
        policy->sha256 = in->policies.entries[i].key.text;
        BT_TRY(find_policy(in, policy->sha256, &policy->text));
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "sha256", policy->sha256);
        bt_emit_member_string(emit, "state",
                              policy->text.ptr ? BT_STR("included") : BT_STR("unknown"));
        if (policy->text.ptr) {
            bt_emit_member_string(emit, "text", policy->text);
        }
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    in->made.policies = policies;
    in->made.policy_count = in->policies.count;
    return BT_OK;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static enum bt_status audit_range(struct ledger_bundle_writer *in)
{
    const struct bt_ledger_bundle_options *options = in->options;
    const bool has_range = !in->selection.is_empty;
    const struct bt_ledger_audit_options audit = {
        .from = {.is_given = has_range, .seq = in->selection.from},
        .to = {.is_given = has_range, .seq = in->selection.to},
        .silence_s = options->silence_s,
        .open_s = UINT64_MAX,
        .now = options->now,
        .is_partial = options->by != BT_LEDGER_BUNDLE_ALL,
        .facts = &in->audit,
        .out_limits = &in->made.limits,
    };
    struct bt_judgement judged;
    BT_TRY(bt_ledger_audit(in->ledger, BT_STR(""), in->arena, &audit, &judged, in->error));
    if (in->audit.len == 0) { /* the log as a whole has a fault, which its verification reports */
        in->made.limits = bt_ledger_bundle_limits(audit.is_partial);
    }
    return BT_OK;
}

static enum bt_status put_log(struct ledger_bundle_writer *in, struct bt_emit *emit)
{
    struct bt_buf keys;
    bt_buf_init(&keys, 1 << 20);
    const enum bt_status status =
        bt_ledger_put_keys(in->ledger, in->arena, BT_PUBLIC_KEYS_VKEY, &keys, in->error);
    bt_emit_member_object(emit, "log");
    bt_emit_member_string(emit, "origin", in->made.origin);
    bt_emit_member_array(emit, "vkeys");
    for (size_t from = 0; status == BT_OK && from < keys.len;) {
        const size_t end = bt_str_find_byte(bt_buf_str(&keys), '\n', from);
        bt_emit_string(emit, bt_str_slice(bt_buf_str(&keys), from, end));
        from = end + 1;
    }
    bt_emit_end(emit);
    bt_emit_member_string(emit, "checkpoint", in->checkpoint.note);
    bt_emit_end(emit);
    bt_buf_free(&keys);
    return status;
}

static void put_head(const struct ledger_bundle_writer *in, struct bt_emit *emit)
{
    bt_emit_member_u64(emit, "baton_bundle", 1);
    bt_emit_member_object(emit, "made");
    bt_emit_member_string(emit, "time", in->made.time);
    bt_emit_member_string(emit, "program", in->made.program);
    bt_emit_member_string(emit, "title", in->made.title);
    bt_emit_end(emit);
}

static void put_selection(const struct ledger_bundle_writer *in, struct bt_emit *emit)
{
    const bool has_range = !in->selection.is_empty;
    bt_emit_member_object(emit, "selection");
    bt_emit_member_u64_or_null(emit, "from", has_range, in->selection.from);
    bt_emit_member_u64_or_null(emit, "to", has_range, in->selection.to);
    bt_emit_member_string(emit, "by", in->made.by);
    bt_emit_member_string_or_null(emit, "value", in->made.value);
    bt_emit_end(emit);
}

static void put_entries(const struct ledger_bundle_writer *in, struct bt_emit *emit)
{
    bt_emit_member_array(emit, "entries");
    for (size_t i = 0; i < in->selection.count; i++) {
        bt_emit_begin_object(emit);
        bt_emit_member_u64(emit, "seq", in->selection.items[i].seq);
        bt_emit_member_string(emit, "entry", in->selection.items[i].text);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    bt_emit_member_array(emit, "proof");
    for (size_t i = 0; i < in->proof.count; i++) {
        char hex[BT_HASH_HEX_BYTES];
        bt_merkle_hash_hex(&in->proof.items[i], hex);
        bt_emit_string(emit, bt_str_of(hex));
    }
    bt_emit_end(emit);
}

static enum bt_status put_data(struct ledger_bundle_writer *in, struct bt_buf *buf)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    put_head(in, &emit);
    BT_TRY(put_log(in, &emit));
    put_selection(in, &emit);
    put_entries(in, &emit);
    BT_TRY(put_documents(in, &emit));
    BT_TRY(put_rules(in, &emit));
    BT_TRY(put_policies(in, &emit));
    bt_emit_member_raw(&emit, "audit", in->audit.len > 0 ? bt_buf_str(&in->audit) : BT_STR("null"));
    bt_emit_member_u64(&emit, "mapping", MAPPING_VERSION);
    bt_emit_end(&emit);
    return buf->status;
}

/* Put JSON in which no character has a meaning in HTML; these characters occur only in strings. */
static void put_escaped(struct bt_buf *buf, bt_str json)
{
    size_t from = 0;
    for (size_t at = 0; at < json.len; at++) {
        const char byte = json.ptr[at];
        const bool is_separator = byte == '\xe2' && at + 2 < json.len &&
                                  json.ptr[at + 1] == '\x80' &&
                                  (json.ptr[at + 2] == '\xa8' || json.ptr[at + 2] == '\xa9');
        if (byte == '<' || byte == '>' || byte == '&' || is_separator) {
            bt_buf_put(buf, bt_str_slice(json, from, at));
            if (is_separator) {
                bt_buf_put_text(buf, json.ptr[at + 2] == '\xa8' ? "\\u2028" : "\\u2029");
                at += 2;
            } else {
                bt_buf_printf(buf, "\\u%04x", (unsigned)(unsigned char)byte);
            }
            from = at + 1;
        }
    }
    bt_buf_put(buf, bt_str_slice(json, from, json.len));
}

static enum bt_status collect_bundle(struct ledger_bundle_writer *in)
{
    BT_TRY(bt_ledger_get_checkpoint(in->ledger, in->arena, BT_LEDGER_SEQ_NONE, &in->checkpoint,
                                    in->error));
    BT_TRY(bt_ledger_bundle_select(in->ledger, in->arena, in->checkpoint.size, in->options,
                                   &in->selection, in->error));
    BT_TRY(collect_names(in));
    BT_TRY(make_proof(in));
    BT_TRY(audit_range(in));
    bt_entry_time_put(in->options->now, in->time);
    in->made.time = bt_str_of(in->time);
    in->made.program = BT_STR(BATON_VERSION);
    in->made.title = in->options->title;
    in->made.origin = bt_ledger_origin(in->ledger);
    in->made.size = in->checkpoint.size;
    in->made.by = bt_ledger_bundle_by_names[in->options->by];
    in->made.value = in->options->by == BT_LEDGER_BUNDLE_ALL ? BT_STR_ABSENT : in->options->value;
    in->made.counts = (struct bt_ledger_bundle_counts){.is_empty = in->selection.is_empty,
                                                       .from = in->selection.from,
                                                       .to = in->selection.to,
                                                       .disclosed = in->selection.count};
    in->made.entries = in->selection.items;
    return BT_OK;
}

static enum bt_status put_bundle(struct ledger_bundle_writer *in, struct bt_buf *buf)
{
    struct bt_buf plain;
    struct bt_buf json;
    BT_TRY(collect_bundle(in));
    bt_buf_init(&plain, BT_LEDGER_BUNDLE_BYTES_MAX);
    bt_buf_init(&json, BT_LEDGER_BUNDLE_BYTES_MAX);
    enum bt_status status = put_data(in, &plain);
    put_escaped(&json, bt_buf_str(&plain));
    bt_buf_free(&plain);
    if (status == BT_OK && in->options->is_page) {
        bt_ledger_bundle_put_page(buf, &in->made, bt_buf_str(&json));
    } else if (status == BT_OK) {
        bt_buf_put(buf, bt_buf_str(&json));
        bt_buf_put_char(buf, '\n');
    }
    status = status == BT_OK ? json.status : status;
    bt_buf_free(&json);
    if (status == BT_OK && buf->len > BT_LEDGER_BUNDLE_BYTES_MAX) {
        return BT_ELIMIT;
    }
    return status == BT_OK ? buf->status : status;
}

enum bt_status bt_ledger_put_bundle(struct bt_ledger *ledger, struct bt_arena *arena,
                                    const struct bt_ledger_bundle_options *options,
                                    struct bt_buf *buf, struct bt_ledger_bundle_result *out,
                                    struct bt_error *error)
{
    assert(ledger);
    assert(options);
    assert(out);
    struct ledger_bundle_writer in = {
        .ledger = ledger, .arena = arena, .options = options, .error = error};
    if (options->title.len > BT_LEDGER_BUNDLE_TITLE_BYTES_MAX ||
        bt_utf8_check(options->title) != options->title.len ||
        options->document_bytes_max > BT_LEDGER_BUNDLE_DOCUMENT_BYTES_MAX) {
        return bt_error_set(error, BT_EINVAL,
                            "a title has up to 200 bytes of UTF-8, a document up to 1048576");
    }
    error->text[0] = '\0';
    bt_buf_init(&in.audit, BT_LEDGER_BUNDLE_BYTES_MAX);
    const enum bt_status status = put_bundle(&in, buf);
    bt_buf_free(&in.audit);
    if (status != BT_OK && error->text[0] == '\0') {
        return bt_error_set(error, status, "%s",
                            status == BT_ELIMIT
                                ? "more than 64 MiB; narrow it with --from, --to, --handoff, "
                                  "--trace, --agent, --max-document or --no-documents"
                            : status == BT_ECORRUPT ? "the log is damaged; run baton ledger verify"
                                                    : bt_status_text(status));
    }
    *out = (struct bt_ledger_bundle_result){in.checkpoint.size, in.made.counts};
    return status;
}

void bt_ledger_bundle_put_counts(struct bt_emit *emit, const struct bt_ledger_bundle_counts *counts)
{
    const uint64_t all = counts->is_empty ? 0 : counts->to - counts->from + 1;
    bt_emit_member_u64(emit, "disclosed", counts->disclosed);
    bt_emit_member_u64(emit, "undisclosed", all - counts->disclosed);
    bt_emit_member_object(emit, "documents");
    for (size_t i = 0; i < BT_LEDGER_BUNDLE_STATE__MAX; i++) {
        bt_emit_name_str(emit, bt_ledger_bundle_state_names[i]);
        bt_emit_u64(emit, counts->documents[i]);
    }
    bt_emit_end(emit);
}
