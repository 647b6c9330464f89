/* SPDX-License-Identifier: Apache-2.0 */
/* copy.c - verified copies of a whole ledger, and schema migration. */
#include <assert.h>
#include <string.h>

#include "ledger/admin.h"
#include "ledger/ledger_internal.h"

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
    const struct bt_ledger_options options = {.store = is_file ? place->url.ptr : place->path.ptr};
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
    bt_str *step = &migrating->steps[migrating->count++];
    migrating->status =
        missing->operation
            ? bt_arena_printf(migrating->arena, step, "restore the guard of %.*s against %s",
                              BT_STR_ARG(missing->table), missing->operation)
        : !missing->column ? bt_arena_printf(migrating->arena, step, "make and fill the table %.*s",
                                             BT_STR_ARG(missing->table))
                           : bt_arena_printf(migrating->arena, step, "add an index of %.*s on %s",
                                             BT_STR_ARG(missing->table), missing->column);
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

/* Migrate the tables, within the transaction. */
static enum bt_status migrate_tables(struct bt_ledger *ledger,
                                     struct ledger_migrate_state *migrating, bool is_dry,
                                     struct bt_error *error)
{
    bt_str before;
    bt_str after;
    BT_TRY(signed_root(ledger, migrating->arena, &before, error));
    BT_TRY(bt_store_migrate(ledger->store, is_dry, note_step, migrating, error));
    if (migrating->status != BT_OK) {
        return bt_error_set(error, migrating->status, "%s", bt_status_text(migrating->status));
    }
    BT_TRY(signed_root(ledger, migrating->arena, &after, error));
    return bt_str_eq(before, after) ? BT_OK
                                    : bt_error_set(error, BT_ECORRUPT, "the root is another one");
}

/* Compare again with the lock held, since the data may have changed, and then migrate. */
static enum bt_status migrate_really(struct bt_ledger *ledger,
                                     struct ledger_migrate_state *migrating, struct bt_error *error)
{
    migrating->count = 0;
    BT_TRY(bt_store_begin(ledger->store, error));
    const enum bt_status status = migrate_tables(ledger, migrating, false, error);
    if (status != BT_OK) {
        bt_store_rollback(ledger->store);
        return status;
    }
    return bt_store_commit(ledger->store, error);
}

enum bt_status bt_ledger_migrate(struct bt_ledger *ledger, struct bt_arena *arena, bool is_dry,
                                 struct bt_ledger_migrate_result *out, struct bt_error *error)
{
    assert(ledger);
    assert(out);
    struct ledger_migrate_state migrating = {.arena = arena,
                                             .steps = BT_NEW_ARRAY(arena, bt_str, STEPS_MAX)};
    if (!migrating.steps) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_store_begin_read(ledger->store, error));
    enum bt_status status = migrate_tables(ledger, &migrating, true, error);
    bt_store_rollback(ledger->store);
    if (status == BT_OK && !is_dry && migrating.count > 0) {
        status = migrate_really(ledger, &migrating, error);
    }
    BT_TRY(status);
    *out = (struct bt_ledger_migrate_result){BT_STORE_SCHEMA, BT_STORE_SCHEMA, migrating.count,
                                             migrating.steps};
    return BT_OK;
}
