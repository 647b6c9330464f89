/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_check.c - inspect a store: what it holds, whether its tables agree with the log, and
 * copies.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <baton/json.h>

#include "json/emit.h"
#include "ledger/admin.h"
#include "ledger/counts.h"
#include "ledger/figures.h"
#include "ledger/hold_check.h"
#include "ledger/ledger_internal.h"
#include "ledger/statement.h"
#include "store/name_index.h"
#include "store/queue.h"

static bool put_setting(void *context, const char *name, bt_str value, const char *expected)
{
    (void)expected;
    bt_emit_member_string(context, name, value);
    return true;
}

static void put_counts(struct bt_emit *emit, const struct bt_store_counts *counts)
{
    bt_emit_name(emit, "content");
    bt_emit_begin_object(emit);
    bt_emit_member_u64(emit, "kept", counts->documents_kept);
    bt_emit_member_u64(emit, "redacted", counts->documents_redacted);
    bt_emit_member_u64(emit, "bytes", counts->document_bytes);
    bt_emit_end(emit);
    bt_emit_member_u64(emit, "seen", counts->seen);
    bt_emit_member_u64(emit, "agents", counts->agents);
    bt_emit_member_u64(emit, "approvals", counts->approvals);
    bt_emit_member_u64(emit, "blocked", counts->blocked);
    bt_emit_member_u64(emit, "contexts", counts->contexts);
    bt_emit_member_u64(emit, "threads", counts->threads);
    bt_emit_member_u64(emit, "queue", counts->queue);
}

static enum bt_status put_info(struct bt_ledger *ledger, struct bt_arena *arena, struct bt_buf *buf,
                               struct bt_error *error)
{
    struct bt_emit emit;
    struct bt_store_counts counts;
    struct bt_store_checkpoint head;
    struct bt_merkle_hash root = {{0}};
    char hex[BT_HASH_HEX_BYTES];
    BT_TRY(bt_store_counts(ledger->store, &counts, error));
    BT_TRY(bt_store_checkpoint_get(ledger->store, arena, BT_STORE_NONE, &head, error));
    memcpy(root.bytes, head.root.ptr, head.root.len == BT_HASH_BYTES ? BT_HASH_BYTES : 0);
    bt_merkle_hash_hex(&root, hex);
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "store", bt_ledger_url(ledger));
    bt_emit_member_string(&emit, "backend", bt_store_backend(ledger->store));
    bt_emit_member_u64(&emit, "schema", BT_STORE_SCHEMA);
    if (bt_ledger_has_statements(ledger)) {
        bt_emit_member_string(&emit, "entries", BT_STR(BT_STORE_STATEMENTS));
    } else {
        bt_emit_member_u64(&emit, "entries", ledger->form.version);
    }
    bt_emit_member_string(&emit, "origin", bt_ledger_origin(ledger));
    bt_emit_member_u64(&emit, "size", head.size);
    bt_emit_member_string(&emit, "root", bt_str_of(hex));
    bt_emit_member_string(&emit, "vkey", ledger->vkey_text);
    bt_emit_name(&emit, "test_key");
    bt_emit_bool(&emit, ledger->is_test_key);
    put_counts(&emit, &counts);
    bt_emit_name(&emit, "settings");
    bt_emit_begin_object(&emit);
    BT_TRY(bt_store_settings(ledger->store, put_setting, &emit, error));
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
    return buf->status;
}

enum bt_status bt_ledger_put_info(struct bt_ledger *ledger, struct bt_buf *buf,
                                  struct bt_error *error)
{
    assert(ledger);
    assert(buf);
    struct bt_arena arena;
    bt_arena_init(&arena, 1 << 20);
    enum bt_status status = bt_store_begin_read(ledger->store, error);
    if (status == BT_OK) {
        status = put_info(ledger, &arena, buf, error);
        bt_store_rollback(ledger->store);
    }
    bt_arena_free(&arena);
    return status;
}

/* The first is the largest. */
static bool take_witnessed(void *context, uint64_t size)
{
    *(uint64_t *)context = size;
    return false;
}

static enum bt_status read_figures(struct bt_ledger *ledger, struct bt_arena *arena,
                                   uint64_t now_ms, struct bt_ledger_stats *out,
                                   struct bt_error *error)
{
    struct bt_store_checkpoint head;
    struct bt_store_queue_counts waiting;
    uint64_t witnessed = 0;
    BT_TRY(bt_store_checkpoint_get(ledger->store, arena, BT_STORE_NONE, &head, error));
    BT_TRY(bt_store_count_queue(ledger->store, now_ms, &waiting, error));
    BT_TRY(bt_store_cosigned_scan(ledger->store, take_witnessed, &witnessed, error));
    *out = (struct bt_ledger_stats){head.size, witnessed, waiting.inbox, waiting.webhook,
                                    waiting.blocked};
    return BT_OK;
}

enum bt_status bt_ledger_read_stats(struct bt_ledger *ledger, const struct bt_env *env,
                                    struct bt_ledger_stats *out, struct bt_error *error)
{
    assert(ledger);
    assert(env);
    assert(out);
    const bt_instant now = bt_env_now(env);
    const uint64_t now_ms = (uint64_t)now.seconds * 1000 + (uint64_t)now.nanos / 1000000;
    struct bt_arena arena;
    bt_arena_init(&arena, 1 << 20);
    enum bt_status status = bt_store_begin_read(ledger->store, error);
    if (status == BT_OK) {
        status = read_figures(ledger, &arena, now_ms, out, error);
        bt_store_rollback(ledger->store);
    }
    bt_arena_free(&arena);
    return status;
}

static int64_t now_ms(const struct bt_env *env)
{
    const bt_instant now = bt_env_now(env);
    return now.seconds * 1000 + now.nanos / 1000000;
}

/* The store's clock was read at some moment between two readings of our clock. */
enum bt_status bt_ledger_clock_skew(struct bt_ledger *ledger, const struct bt_env *env,
                                    uint64_t *out_ms, struct bt_error *error)
{
    assert(ledger);
    assert(env);
    assert(out_ms);
    int64_t there = 0;
    const int64_t before = now_ms(env);
    const enum bt_status status = bt_store_clock(ledger->store, &there, error);
    const int64_t after = now_ms(env);
    if (status != BT_OK && status != BT_ENOENT) {
        return status;
    }
    const int64_t ahead = there > after ? there - after : 0;
    const int64_t behind = there < before ? before - there : 0;
    *out_ms = status == BT_OK ? (uint64_t)(ahead > behind ? ahead : behind) : 0;
    return BT_OK;
}

/* A check in progress; the first failure ends it. */
struct store_check_state {
    struct bt_ledger *ledger;
    struct bt_arena *arena;
    struct bt_findings *findings;
    bool is_damaged; /* then the check stops */
    uint64_t size;
    struct bt_ledger_recount recount;
    struct bt_ledger_hold_check holds;
    uint64_t counters; /* that the table has and that are right */
    enum bt_status status;
    struct bt_error *error;
};

static void keep_status(struct store_check_state *checking, enum bt_status status)
{
    checking->status = checking->status == BT_OK ? status : checking->status;
}

static enum bt_status add_mismatch_finding(struct store_check_state *checking, const char *table,
                                           bt_str key, enum bt_store_state_mismatch_problem problem)
{
    return bt_add_store_state_mismatch(checking->findings,
                                       bt_ledger_location(checking->arena, "/tables/%s", table),
                                       key, bt_str_of(table), problem);
}

static void note_damage(void *context, bt_str detail)
{
    struct store_check_state *checking = context;
    checking->is_damaged = true;
    keep_status(checking, bt_add_store_integrity(checking->findings, bt_location_whole(), detail));
}

static struct bt_location table_location(struct store_check_state *checking, bt_str table)
{
    return bt_ledger_location(checking->arena, "/tables/%.*s", BT_STR_ARG(table));
}

static void note_trigger(void *context, bt_str table, const char *operation)
{
    struct store_check_state *checking = context;
    keep_status(checking,
                bt_add_store_trigger_missing(checking->findings, table_location(checking, table),
                                             bt_str_of(operation), table));
}

static void note_privilege(void *context, bt_str table, const char *privilege)
{
    struct store_check_state *checking = context;
    keep_status(checking,
                bt_add_store_grant_excess(checking->findings, table_location(checking, table),
                                          bt_str_of(privilege), table));
}

static bool note_setting(void *context, const char *name, bt_str value, const char *expected)
{
    struct store_check_state *checking = context;
    if (expected[0] == '\0') {
        return true;
    }
    const enum bt_status status = bt_add_store_setting_unsafe(
        checking->findings, bt_ledger_location(checking->arena, "/settings/%s", name),
        bt_str_of(expected), value, bt_str_of(name));
    keep_status(checking, status);
    return status == BT_OK;
}

static enum bt_status check_key_file(struct store_check_state *checking)
{
    struct stat info;
    bt_str path;
    char text[16];
    BT_TRY(bt_ledger_companion_path(checking->arena, bt_store_url(checking->ledger->store), ".key",
                                    &path));
    if (stat(path.ptr, &info) != 0) {
        return BT_OK; /* a store without its key can be read and verified */
    }
    const unsigned mode = (unsigned)info.st_mode & 07777U;
    if ((mode & 077U) == 0 && info.st_uid == geteuid()) {
        return BT_OK;
    }
    (void)snprintf(text, sizeof(text), "%04o", mode);
    return bt_add_store_key_mode(checking->findings, bt_ledger_part(BT_STR("/key")),
                                 bt_str_of(text));
}

static bool is_same_text(bt_str copy, bt_str text)
{
    return bt_str_eq((bt_str){copy.ptr ? copy.ptr : "", copy.len}, text);
}

static bool has_word(const struct bt_entry_words *words, bt_str word)
{
    for (size_t i = 0; i < words->count; i++) {
        if (bt_str_eq(words->items[i], word)) {
            return true;
        }
    }
    return false;
}

static bool copies_agree(const struct bt_store_entry *row, const struct bt_entry *entry)
{
    struct bt_merkle_hash digest;
    const bool has_document = bt_merkle_hash_from_hex(entry->document.sha256, &digest);
    const bt_str document = {has_document ? (const char *)digest.bytes : "",
                             has_document ? BT_HASH_BYTES : 0};
    return is_same_text(row->kind, entry->kind) && is_same_text(row->verdict, entry->verdict) &&
           is_same_text(row->handoff_id, entry->handoff_id) &&
           is_same_text(row->trace_id, entry->trace_id) && is_same_text(row->document, document);
}

/* Check that an entry that used an id has its row in `seen`. */
static enum bt_status check_used(struct store_check_state *checking, const struct bt_entry *entry,
                                 bt_str key)
{
    struct bt_store_used_id seen;
    const bt_str id[2] = {entry->dialect, entry->handoff_id};
    const bool uses = entry->handoff_id.len > 0 && !bt_str_eq(entry->verdict, BT_STR("rejected")) &&
                      !bt_str_eq(entry->dialect, BT_STR("baton"));
    if (!uses) {
        return BT_OK;
    }
    const enum bt_status status =
        bt_store_used_id_get(checking->ledger->store, checking->arena, id, &seen, checking->error);
    if (status == BT_ENOENT || (status == BT_OK && seen.seq != entry->seq)) {
        return add_mismatch_finding(checking, "seen", key,
                                    BT_STORE_STATE_MISMATCH_PROBLEM_OTHER_ENTRY);
    }
    return status;
}

/* The names that a row of a log of statements is found by must be those of its statement. */
static enum bt_status check_statement(struct store_check_state *checking,
                                      const struct bt_store_entry *row)
{
    struct bt_signed_statement statement;
    struct bt_merkle_hash digest;
    char id[BT_HASH_HEX_BYTES];
    bt_str key;
    if (row->seq >= checking->size || bt_statement_read_leaf(row->entry, &statement).refusal) {
        return BT_OK; /* verify reports that */
    }
    BT_TRY(bt_statement_digest(&statement, &digest));
    bt_merkle_hash_hex(&digest, id);
    const bool is_list = bt_str_eq(statement.issuer, bt_ledger_origin(checking->ledger));
    if (is_same_text(row->kind, BT_STR("statement")) &&
        is_same_text(row->verdict, BT_STR("recorded")) &&
        is_same_text(row->handoff_id, bt_str_of(id)) &&
        is_same_text(row->trace_id, is_list ? BT_STR("issuers") : BT_STR("")) &&
        row->document.len == 0) {
        return BT_OK;
    }
    BT_TRY(bt_arena_printf(checking->arena, &key, "%" PRIu64, row->seq));
    return add_mismatch_finding(checking, "ledger_entry", key,
                                BT_STORE_STATE_MISMATCH_PROBLEM_COPIES);
}

static enum bt_status check_row(struct store_check_state *checking,
                                const struct bt_store_entry *row)
{
    struct bt_entry entry;
    bt_str key;
    if (bt_ledger_has_statements(checking->ledger)) {
        return check_statement(checking, row);
    }
    if (row->seq >= checking->size || !bt_entry_read(row->entry, &entry)) {
        return BT_OK; /* verify reports that */
    }
    struct bt_entry_counts counts;
    BT_TRY(bt_ledger_recount_add(&checking->recount, &entry, &counts));
    BT_TRY(bt_ledger_hold_check_add(&checking->holds, &entry));
    const struct bt_arena_mark before = bt_arena_mark(checking->arena);
    const size_t found = bt_findings_count(checking->findings);
    BT_TRY(bt_arena_printf(checking->arena, &key, "%" PRIu64, row->seq));
    if (!copies_agree(row, &entry)) {
        BT_TRY(add_mismatch_finding(checking, "ledger_entry", key,
                                    BT_STORE_STATE_MISMATCH_PROBLEM_COPIES));
    }
    BT_TRY(check_used(checking, &entry, key));
    if (bt_findings_count(checking->findings) == found) {
        bt_arena_rewind(checking->arena, before);
    }
    return BT_OK;
}

static bool take_row(void *context, const struct bt_store_entry *row)
{
    struct store_check_state *checking = context;
    keep_status(checking, check_row(checking, row));
    return checking->status == BT_OK;
}

/* The acceptance that a row of `seen` refers to. */
struct store_check_acceptance {
    bt_str dialect;
    bt_str id;
    const struct bt_store_used_id *seen;
    bool is_there;
};

static bool take_acceptance(void *context, const struct bt_store_entry *row)
{
    struct store_check_acceptance *acceptance = context;
    struct bt_entry entry;
    struct bt_merkle_hash digest;
    acceptance->is_there = row->seq == acceptance->seen->seq && bt_entry_read(row->entry, &entry) &&
                           !bt_str_eq(entry.verdict, BT_STR("rejected")) &&
                           bt_str_eq(entry.dialect, acceptance->dialect) &&
                           (bt_str_eq(entry.handoff_id, acceptance->id) ||
                            has_word(&entry.withheld, BT_STR("handoff_id")) ||
                            bt_str_starts_with(acceptance->id, BT_STR("response:"))) &&
                           bt_merkle_hash_from_hex(entry.document.sha256, &digest) &&
                           is_same_text(acceptance->seen->document,
                                        (bt_str){(const char *)digest.bytes, BT_HASH_BYTES});
    return false;
}

static enum bt_status check_seen(struct store_check_state *checking, bt_str dialect, bt_str id,
                                 const struct bt_store_used_id *seen)
{
    struct store_check_acceptance acceptance = {dialect, id, seen, false};
    const struct bt_store_scan scan = {.order = BT_STORE_UP, .from = seen->seq};
    BT_TRY(bt_store_entry_scan(checking->ledger->store, &scan, take_acceptance, &acceptance,
                               checking->error));
    return acceptance.is_there && seen->seq < checking->size
               ? BT_OK
               : add_mismatch_finding(checking, "seen", id,
                                      BT_STORE_STATE_MISMATCH_PROBLEM_NO_ACCEPTANCE);
}

static bool take_seen(void *context, bt_str dialect, bt_str id, const struct bt_store_used_id *seen)
{
    struct store_check_state *checking = context;
    keep_status(checking, check_seen(checking, dialect, id, seen));
    return checking->status == BT_OK;
}

static bool add_bad_rows_finding(void *context, bt_str table, uint64_t rows)
{
    struct store_check_state *checking = context;
    bt_str name;
    bt_str key;
    enum bt_status status = bt_arena_copy(checking->arena, table, &name);
    if (status == BT_OK) {
        status = bt_arena_printf(checking->arena, &key, "%" PRIu64 " rows", rows);
    }
    if (status == BT_OK) {
        status =
            add_mismatch_finding(checking, name.ptr, key, BT_STORE_STATE_MISMATCH_PROBLEM_NO_ENTRY);
    }
    keep_status(checking, status);
    return checking->status == BT_OK;
}

static bool take_absent(void *context, const struct bt_store_entry *row)
{
    struct store_check_state *checking = context;
    struct bt_entry entry;
    bt_str digest;
    if (row->seq >= checking->size || !bt_entry_read(row->entry, &entry) ||
        entry.document.kept != BT_TRUE) {
        return true;
    }
    enum bt_status status = bt_arena_copy(checking->arena, entry.document.sha256, &digest);
    if (status == BT_OK) {
        status = add_mismatch_finding(checking, "document", digest,
                                      BT_STORE_STATE_MISMATCH_PROBLEM_NO_BYTES);
    }
    keep_status(checking, status);
    return checking->status == BT_OK;
}

static enum bt_status check_marks(struct store_check_state *checking)
{
    uint64_t wrong = 0;
    bt_str key;
    BT_TRY(bt_store_name_index_check(checking->ledger->store, &wrong, checking->error));
    if (wrong == 0) {
        return BT_OK;
    }
    BT_TRY(bt_arena_printf(checking->arena, &key, "%" PRIu64 " rows", wrong));
    return add_mismatch_finding(checking, "ledger_mark", key,
                                BT_STORE_STATE_MISMATCH_PROBLEM_NAMES);
}

/* The counters may be behind the log, but not differ from it. */
static enum bt_status check_figures(struct store_check_state *checking)
{
    bool is_fine = false;
    BT_TRY(bt_ledger_figures_agree(checking->ledger, checking->size, &is_fine, checking->error));
    return is_fine ? BT_OK
                   : add_mismatch_finding(checking, "ledger_count", BT_STR("figures"),
                                          BT_STORE_STATE_MISMATCH_PROBLEM_SUMS);
}

static enum bt_status check_queue_counts(struct store_check_state *checking)
{
    bool has_counts = false;
    bool is_fine = false;
    BT_TRY(bt_queue_has_counts(checking->ledger->store, &has_counts, checking->error));
    BT_TRY(bt_queue_counts_agree(checking->ledger->store, &is_fine, checking->error));
    return is_fine || !has_counts ? BT_OK
                                  : add_mismatch_finding(checking, "ledger_count", BT_STR("queue"),
                                                         BT_STORE_STATE_MISMATCH_PROBLEM_SUMS);
}

static bool take_counter(void *context, bt_str space, bt_str name, uint64_t count)
{
    struct store_check_state *checking = context;
    enum bt_store_count_space at = BT_STORE_COUNT_ACTOR;
    bt_str key;
    while (at < BT_STORE_COUNT_KIND && !bt_str_eq(space, bt_store_count_space_name(at))) {
        at++;
    }
    if (bt_str_eq(space, bt_store_count_space_name(at)) &&
        count == bt_ledger_recount_find(&checking->recount, at, name)) {
        checking->counters++;
        return true;
    }
    enum bt_status status =
        bt_arena_printf(checking->arena, &key, "%.*s %.*s", BT_STR_ARG(space), BT_STR_ARG(name));
    if (status == BT_OK) {
        status = add_mismatch_finding(checking, "ledger_count", key,
                                      BT_STORE_STATE_MISMATCH_PROBLEM_COUNT);
    }
    keep_status(checking, status);
    return checking->status == BT_OK;
}

/* A log of version 2 has the counter of every name, one of version 1 none. Around them lie those of
 * figures.c, of queues and of budgets. */
static enum bt_status check_counters(struct store_check_state *checking)
{
    static const bt_str ranges[][2] = {{BT_STR_INIT(""), BT_STR_INIT("budget")},
                                       {BT_STR_INIT("budget0"), BT_STR_INIT("figures")},
                                       {BT_STR_INIT("figures0"), BT_STR_INIT("queue/")},
                                       {BT_STR_INIT("queue0"), BT_STR_INIT("\x7f")}};
    const size_t before = bt_findings_count(checking->findings);
    const uint64_t names = checking->ledger->form.version >= 2 ? checking->recount.count : 0;
    bt_str key;
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        BT_TRY(bt_store_count_scan(checking->ledger->store, ranges[i], INT64_MAX, take_counter,
                                   checking, checking->error));
        BT_TRY(checking->status);
    }
    if (bt_findings_count(checking->findings) > before || checking->counters == names) {
        return BT_OK;
    }
    BT_TRY(bt_arena_printf(checking->arena, &key, "%" PRIu64 " of %" PRIu64 " names",
                           checking->counters, names));
    return add_mismatch_finding(checking, "ledger_count", key,
                                BT_STORE_STATE_MISMATCH_PROBLEM_COUNT);
}

static enum bt_status check_holds(struct store_check_state *checking)
{
    bt_str wrong;
    BT_TRY(
        bt_ledger_hold_check_compare(&checking->holds, checking->ledger, &wrong, checking->error));
    return wrong.len == 0 ? BT_OK
                          : add_mismatch_finding(checking, "hold", wrong,
                                                 BT_STORE_STATE_MISMATCH_PROBLEM_OTHER_ENTRY);
}

static enum bt_status check_tables(struct store_check_state *checking)
{
    struct bt_store *store = checking->ledger->store;
    struct bt_store_checkpoint head;
    const struct bt_store_scan all = {.order = BT_STORE_UP};
    const struct bt_store_scan absent = {.order = BT_STORE_ABSENT};
    BT_TRY(bt_store_checkpoint_get(store, checking->arena, BT_STORE_NONE, &head, checking->error));
    checking->size = head.size;
    checking->ledger->form.version = head.entries;
    BT_TRY(bt_store_entry_scan(store, &all, take_row, checking, checking->error));
    BT_TRY(bt_store_used_id_scan(store, take_seen, checking, checking->error));
    BT_TRY(bt_store_each_bad_row(store, checking->size, add_bad_rows_finding, checking,
                                 checking->error));
    BT_TRY(bt_store_entry_scan(store, &absent, take_absent, checking, checking->error));
    BT_TRY(check_marks(checking));
    BT_TRY(check_figures(checking));
    BT_TRY(check_queue_counts(checking));
    BT_TRY(check_counters(checking));
    BT_TRY(check_holds(checking));
    return checking->status;
}

enum bt_status bt_ledger_check_store(struct bt_ledger *ledger, struct bt_arena *arena,
                                     struct bt_judgement *out, struct bt_error *error)
{
    assert(ledger);
    assert(out);
    struct store_check_state checking = {
        .ledger = ledger, .arena = arena, .findings = bt_findings_new(arena), .error = error};
    const struct bt_store_checker checker = {&checking, note_damage, note_trigger, note_privilege};
    if (!checking.findings) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_store_check(ledger->store, &checker, error));
    BT_TRY(bt_store_settings(ledger->store, note_setting, &checking, error));
    BT_TRY(check_key_file(&checking));
    BT_TRY(checking.status);
    if (!checking.is_damaged) {
        BT_TRY(bt_store_begin_read(ledger->store, error));
        enum bt_status status = bt_ledger_recount_init(&checking.recount);
        status = status == BT_OK ? bt_ledger_hold_check_init(&checking.holds, arena) : status;
        if (status == BT_OK) {
            status = check_tables(&checking);
        }
        bt_ledger_recount_free(&checking.recount);
        bt_store_rollback(ledger->store);
        BT_TRY(status);
    }
    return bt_judgement_make(bt_ledger_url(ledger), BT_DIALECT_STORE, BT_STR(""), checking.findings,
                             BT_STR(""), out);
}
