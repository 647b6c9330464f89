/* SPDX-License-Identifier: Apache-2.0 */
/* copy.c - verified copies of a whole ledger, and schema migration. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "ledger/admin.h"
#include "ledger/counts.h"
#include "ledger/figures.h"
#include "ledger/ledger_internal.h"
#include "store/queue.h"

/* Verify the copy with the key of the store it was made from. */
static enum bt_status verify_copy(struct bt_ledger *ledger, struct bt_arena *arena,
                                  struct bt_ledger *copy, struct bt_ledger_head *out,
                                  struct bt_error *error)
{
    struct bt_judgement judged;
    struct bt_findings *alarms = bt_findings_new(arena);
    if (!alarms) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    const struct bt_ledger_verify_options options = {.keys = ledger->keys, .no_head = true};
    BT_TRY(bt_ledger_verify(copy, arena, &options, &judged, error));
    if (judged.verdict != BT_VERDICT_ACCEPTED) {
        return bt_error_set(error, BT_ECORRUPT,
                            "the copy does not verify; run baton ledger verify");
    }
    copy->keys = ledger->keys; /* the copy has no key file beside it */
    BT_TRY(bt_ledger_head(copy, arena, alarms, out, error));
    return bt_findings_count(alarms) == 0
               ? BT_OK
               : bt_error_set(error, BT_ECORRUPT, "the copy cannot be believed");
}

/* Open the copy and verify it; a description goes to `out`. */
static enum bt_status judge_copy(struct bt_ledger *ledger, struct bt_arena *arena,
                                 const struct bt_store_location *place, struct bt_ledger_head *out,
                                 struct bt_error *error)
{
    struct bt_ledger *copy = NULL;
    const bool is_file = place->backend == BT_STORE_SQLITE;
    const struct bt_ledger_options options = {.store = is_file ? place->url.ptr : place->path.ptr,
                                              .accepts_statements = true};
    BT_TRY(bt_ledger_open(&options, false, &copy, error));
    const enum bt_status status = verify_copy(ledger, arena, copy, out, error);
    if (status == BT_OK) {
        out->store = place->url; /* outlives the copy's handle */
        out->origin = bt_ledger_origin(ledger);
        out->vkey = ledger->vkey_text;
    }
    bt_ledger_close(copy);
    return status;
}

enum bt_status bt_ledger_back_up(struct bt_ledger *ledger, struct bt_arena *arena, const char *path,
                                 struct bt_ledger_head *out, struct bt_error *error)
{
    assert(ledger);
    assert(path);
    assert(out);
    struct bt_store_location place;
    BT_TRY(bt_store_get_location(arena, bt_str_of(path), &place, error));
    if (place.backend != BT_STORE_SQLITE) {
        return bt_error_set(error, BT_EINVAL, "a backup is a file; see baton store copy");
    }
    BT_TRY(bt_store_backup(ledger->store, place.path, error));
    return judge_copy(ledger, arena, &place, out, error);
}

enum bt_status bt_ledger_copy_store(struct bt_ledger *ledger, struct bt_arena *arena,
                                    const char *target, struct bt_ledger_head *out,
                                    struct bt_error *error)
{
    assert(ledger);
    assert(target);
    assert(out);
    struct bt_store_location place;
    struct bt_error why;
    BT_TRY(bt_store_get_location(arena, bt_str_of(target), &place, error));
    const enum bt_status status = bt_store_copy(ledger->store, &place, &why);
    if (status != BT_OK) {
        return bt_error_set(error, status, "%.90s: %s", place.url.ptr, why.text);
    }
    return judge_copy(ledger, arena, &place, out, error);
}

/* The steps that were done, as sentences. */
struct ledger_migrate_state {
    struct bt_arena *arena;
    unsigned entries; /* the version that the log shall write; 0: as it does */
    bt_str *steps;
    size_t count;
    enum bt_status status;
};

enum { STEPS_MAX = 256 };

static void note_step(void *context, const struct bt_store_missing_part *missing)
{
    struct ledger_migrate_state *migrating = context;
    if (migrating->status != BT_OK || migrating->count == STEPS_MAX) {
        return;
    }
    const char *detail = missing->operation ? missing->operation : missing->column;
    const char *what = missing->operation      ? "restore the guard of"
                       : missing->column       ? "add an index of"
                       : missing->is_rebuilt   ? "make again, with its rows, the table"
                       : missing->is_completed ? "add computed rows to the table"
                                               : "make the table";
    const char *joint = missing->operation ? " against " : missing->column ? " on " : "";
    migrating->status =
        bt_arena_printf(migrating->arena, &migrating->steps[migrating->count++], "%s %.*s%s%s",
                        what, BT_STR_ARG(missing->table), joint, detail ? detail : "");
}

/* The root that was signed last. */
static enum bt_status signed_root(struct bt_ledger *ledger, struct bt_arena *arena, bt_str *out,
                                  struct bt_error *error)
{
    struct bt_store_checkpoint head;
    BT_TRY(bt_store_checkpoint_get(ledger->store, arena, BT_STORE_NONE, &head, error));
    *out = head.root;
    return BT_OK;
}

/* Count the entries of a store that was made before the counters, or whose counters are wrong. */
static enum bt_status restore_figures(struct bt_ledger *ledger,
                                      struct ledger_migrate_state *migrating,
                                      struct bt_error *error)
{
    struct bt_store_checkpoint head;
    bool is_changed = false;
    BT_TRY(bt_store_checkpoint_get(ledger->store, migrating->arena, BT_STORE_NONE, &head, error));
    BT_TRY(bt_ledger_restore_figures(ledger, head.size, &is_changed, error));
    if (is_changed && migrating->count < STEPS_MAX) {
        migrating->steps[migrating->count++] =
            BT_STR("count the entries in the table ledger_count");
    }
    return BT_OK;
}

/* Count what waits in a store from before those counters, or whose counters are wrong. */
static enum bt_status restore_queue_counts(struct bt_ledger *ledger,
                                           struct ledger_migrate_state *migrating,
                                           struct bt_error *error)
{
    struct bt_store_checkpoint head;
    bool is_fine = false;
    BT_TRY(bt_queue_counts_agree(ledger->store, &is_fine, error));
    if (is_fine || migrating->count == STEPS_MAX) {
        return BT_OK;
    }
    BT_TRY(bt_store_checkpoint_get(ledger->store, migrating->arena, BT_STORE_NONE, &head, error));
    migrating->steps[migrating->count++] = BT_STR("count what waits in the table ledger_count");
    return bt_queue_count_again(ledger->store, head.size > 0 ? head.size - 1 : 0, error);
}

/* Switch the log to entries of version 2, unless it has them, and count what it has so far. */
static enum bt_status switch_entries(struct bt_ledger *ledger,
                                     struct ledger_migrate_state *migrating, struct bt_error *error)
{
    struct bt_store_checkpoint head;
    BT_TRY(bt_store_checkpoint_get(ledger->store, migrating->arena, BT_STORE_NONE, &head, error));
    if (head.entries >= 2 || migrating->count == STEPS_MAX) {
        return BT_OK;
    }
    migrating->steps[migrating->count++] = BT_STR("write entries of version 2 from now on");
    BT_TRY(bt_ledger_counts_fill(ledger, head.size, error));
    return bt_store_set_entries(ledger->store, BT_STR("2"), error);
}

/* Migrate the tables, within a transaction that is then rolled back or committed. */
static enum bt_status migrate_tables(struct bt_ledger *ledger,
                                     struct ledger_migrate_state *migrating, struct bt_error *error)
{
    bt_str before;
    bt_str after;
    BT_TRY(signed_root(ledger, migrating->arena, &before, error));
    BT_TRY(bt_store_migrate(ledger->store, note_step, migrating, error));
    if (!bt_ledger_has_statements(ledger)) { /* which has no entries to count */
        BT_TRY(restore_figures(ledger, migrating, error));
    }
    BT_TRY(restore_queue_counts(ledger, migrating, error));
    if (migrating->status != BT_OK) {
        return bt_error_set(error, migrating->status, "%s", bt_status_text(migrating->status));
    }
    if (migrating->entries == 2) {
        BT_TRY(switch_entries(ledger, migrating, error));
    }
    BT_TRY(signed_root(ledger, migrating->arena, &after, error));
    return bt_str_eq(before, after) ? BT_OK
                                    : bt_error_set(error, BT_ECORRUPT, "the root is another one");
}

static enum bt_status run_migration(struct bt_ledger *ledger,
                                    struct ledger_migrate_state *migrating, bool is_dry,
                                    struct bt_error *error)
{
    migrating->count = 0;
    BT_TRY(bt_store_begin(ledger->store, error));
    const enum bt_status status = migrate_tables(ledger, migrating, error);
    if (status != BT_OK || is_dry) {
        bt_store_rollback(ledger->store);
        return status;
    }
    return bt_store_commit(ledger->store, error);
}

/* Keep a copy of a file whose schema will change; a server has backups of its own. */
static enum bt_status keep_old_file(struct bt_ledger *ledger, struct bt_arena *arena, uint64_t from,
                                    struct bt_error *error)
{
    const struct bt_store_location *place = bt_store_url(ledger->store);
    struct bt_error why;
    bt_str path;
    if (from == BT_STORE_SCHEMA || place->backend != BT_STORE_SQLITE) {
        return BT_OK;
    }
    BT_TRY(bt_arena_printf(arena, &path, "%.*s.v%" PRIu64 ".bak", BT_STR_ARG(place->path), from));
    const enum bt_status status = bt_store_backup(ledger->store, path, &why);
    return status == BT_OK ? BT_OK
                           : bt_error_set(error, status, "cannot keep the old store as %.200s: %s",
                                          path.ptr, why.text);
}

enum bt_status bt_ledger_migrate(struct bt_ledger *ledger, struct bt_arena *arena,
                                 const struct bt_ledger_migrate_options *options,
                                 struct bt_ledger_migrate_result *out, struct bt_error *error)
{
    assert(options);
    assert(ledger);
    assert(out);
    struct ledger_migrate_state migrating = {.arena = arena,
                                             .entries = options->entries,
                                             .steps = BT_NEW_ARRAY(arena, bt_str, STEPS_MAX)};
    if (!migrating.steps) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    uint64_t from = 0;
    BT_TRY(bt_store_schema(ledger->store, &from, error));
    if (options->entries > 0 && bt_ledger_has_statements(ledger)) {
        return bt_error_set(error, BT_EINVAL, "a log of statements has no entries of any version");
    }
    if (options->entries == 1 && ledger->form.version >= 2) {
        return bt_error_set(error, BT_EINVAL,
                            "the log has entries of version 2, and does not go back to 1");
    }
    BT_TRY(run_migration(ledger, &migrating, true, error));
    if (!options->is_dry && migrating.count > 0) {
        BT_TRY(keep_old_file(ledger, arena, from, error));
        BT_TRY(run_migration(ledger, &migrating, false, error));
    }
    *out =
        (struct bt_ledger_migrate_result){from, BT_STORE_SCHEMA, migrating.count, migrating.steps};
    return BT_OK;
}
