/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_scarce.c - every act of the ledger on a machine that fails once, at every place in turn:
 * memory, writes, syncs, renames. An act that succeeds has been done, and one that fails has left
 * nothing half behind it. The negative controls are a disk that lies and an act that does not look
 * at its status.
 *
 * BATON_SCARCE_STEP=1 in the environment tries every place where SQLite and libcrypto take memory.
 */
#include "test.h"

#include <errno.h>
#include <unistd.h>

#include <sqlite3.h>

#include "ledger/admin.h"
#include "ledger/proof_api.h"
#include "ledger/witness.h"
#include "made.h"
#include "scarce.h"

enum { ENTRIES = 300, SPAN = 256, COUNTDOWN_MAX = 1000000, STEP_USUAL = 97 };

/* What the acts work on. */
struct world {
    struct made made;
    int round;
    uint64_t size; /* of the ledger, before the act */
    char path[512];
    struct bt_arena arena; /* of the act */
    struct bt_buf buf;
    bt_str request; /* to the witness */
    bool is_recorded;
    struct bt_judgement judged;
    struct bt_witness_cosign_result answer;
    struct bt_error error;
};

static const struct bt_ledger_init_options plan = {
    .origin = BT_STR_INIT(MADE_ORIGIN), .key_text = BT_STR_INIT(""), .has_seed = true, .seed = 1};
static const struct bt_ledger_init_options witness_plan = {.origin =
                                                               BT_STR_INIT("witness.example/w1"),
                                                           .key_text = BT_STR_INIT(""),
                                                           .has_seed = true,
                                                           .seed = 7};

static uint64_t size_of(struct world *world)
{
    struct bt_ledger_head head = {.size = 0};
    struct bt_ledger *ledger = made_ledger(&world->made, false);
    struct bt_findings *alarms = bt_findings_new(&world->made.arena);
    assert_non_null(ledger);
    assert_int_equal(bt_ledger_head(ledger, &world->made.arena, alarms, &head, &world->made.error),
                     BT_OK);
    bt_ledger_close(ledger);
    return head.size;
}

static struct bt_verifier_keys *keys_of(struct bt_arena *arena)
{
    struct bt_error error;
    struct bt_verifier_keys *keys = bt_verifier_keys_new(arena, BT_VERIFIER_KEY_LOG);
    return keys && bt_verifier_keys_add(keys, BT_STR(MADE_VKEY), &error) == BT_OK ? keys : NULL;
}

/* ---- Acts ------------------------------------------------------------------------------------ */

static enum bt_status act_init(struct world *world)
{
    struct bt_ledger_init_result made;
    const struct bt_ledger_options options = {.store = world->path};
    return bt_ledger_init(&world->made.env, &world->arena, &options, &plan, &made, &world->error);
}

/* An interrupted one can be repeated, and then there is a ledger; one that succeeded cannot. */
static bool held_init(struct world *world, bool succeeded)
{
    const bool repeated = act_init(world) == BT_OK;
    struct made made = world->made;
    (void)snprintf(made.store, sizeof(made.store), "%s", world->path);
    bool recorded = false;
    struct bt_ledger *ledger = made_ledger(&made, true);
    const bool appends = ledger && made_append(&made, ledger, 1, &recorded) == BT_OK && recorded;
    bt_ledger_close(ledger);
    return appends && repeated != succeeded;
}

static enum bt_status act_append(struct world *world)
{
    struct made made = world->made;
    made.arena = world->arena;
    struct bt_ledger *ledger = made_ledger(&made, true);
    const enum bt_status status =
        ledger ? made_append(&made, ledger, 1, &world->is_recorded) : BT_EIO;
    bt_ledger_close(ledger);
    world->arena = made.arena;
    return status;
}

static bool held_append(struct world *world, bool succeeded)
{
    const uint64_t grown = size_of(world) - world->size;
    return grown <= 1 && (!succeeded || grown == 1) && (!world->is_recorded || grown == 1);
}

/* The entry that completes a span of marks is recorded with them, or not at all. */
static bool held_span(struct world *world, bool succeeded)
{
    struct bt_judgement judged = {.verdict = BT_VERDICT_NONE};
    struct bt_ledger *ledger = made_ledger(&world->made, false);
    const bool checks =
        ledger && bt_ledger_check_store(ledger, &world->arena, &judged, &world->error) == BT_OK;
    bt_ledger_close(ledger);
    return held_append(world, succeeded) && checks && judged.verdict == BT_VERDICT_ACCEPTED;
}

static enum bt_status act_prove(struct world *world)
{
    struct bt_ledger *ledger = made_ledger(&world->made, false);
    const enum bt_status status =
        ledger ? bt_ledger_prove_inclusion(ledger, 100, BT_LEDGER_SEQ_NONE, BT_RECEIPT_FORMAT_TEXT,
                                           &world->buf, &world->error)
               : BT_EIO;
    bt_ledger_close(ledger);
    return status;
}

static enum bt_status judge_receipt(struct world *world)
{
    const struct bt_receipt_judge_options options = {.keys = keys_of(&world->arena)};
    return options.keys ? bt_receipt_judge(&world->arena, BT_STR("r"), bt_buf_str(&world->buf),
                                           &options, &world->judged)
                        : BT_ENOMEM;
}

static bool held_prove(struct world *world, bool succeeded)
{
    return !succeeded ||
           (judge_receipt(world) == BT_OK && world->judged.verdict == BT_VERDICT_ACCEPTED);
}

/* A receipt that was made without a fault, judged under one; and one with a flaw. */
static enum bt_status act_judge_receipt(struct world *world)
{
    world->judged.verdict = BT_VERDICT_NONE;
    return judge_receipt(world);
}

static bool held_judge_receipt(struct world *world, bool succeeded)
{
    return !succeeded || world->judged.verdict == BT_VERDICT_ACCEPTED;
}

static bool held_judge_forgery(struct world *world, bool succeeded)
{
    return !succeeded || world->judged.verdict == BT_VERDICT_REJECTED;
}

static enum bt_status act_verify(struct world *world)
{
    const struct bt_ledger_verify_options options = {.keys = keys_of(&world->arena)};
    struct bt_ledger *ledger = made_ledger(&world->made, false);
    const enum bt_status status =
        ledger && options.keys
            ? bt_ledger_verify(ledger, &world->arena, &options, &world->judged, &world->error)
            : BT_EIO;
    bt_ledger_close(ledger);
    return status;
}

static enum bt_status act_export(struct world *world)
{
    struct bt_ledger_export_result out;
    const struct bt_ledger_export_options wanted = {.folder = world->path, .with_documents = true};
    struct bt_findings *alarms = bt_findings_new(&world->arena);
    struct bt_ledger *ledger = made_ledger(&world->made, false);
    const enum bt_status status =
        ledger && alarms
            ? bt_ledger_export_options(ledger, &world->arena, &wanted, alarms, &out, &world->error)
            : BT_EIO;
    bt_ledger_close(ledger);
    return status;
}

static bool tree_verifies(struct world *world)
{
    const struct bt_ledger_verify_options options = {.keys = keys_of(&world->made.arena)};
    struct bt_judgement judged;
    return bt_ledger_verify_files(bt_str_of(world->path), &world->made.arena, &options, &judged,
                                  &world->error) == BT_OK &&
           judged.verdict == BT_VERDICT_ACCEPTED;
}

/* A checkpoint stands in a folder only when everything it promises does. Without one, a folder that
 * is not empty is not written to again. */
static bool held_export(struct world *world, bool succeeded)
{
    char checkpoint[700];
    (void)snprintf(checkpoint, sizeof(checkpoint), "%s/checkpoint", world->path);
    const bool has_checkpoint = access(checkpoint, F_OK) == 0;
    return has_checkpoint ? tree_verifies(world) : !succeeded;
}

static enum bt_status act_witness_init(struct world *world)
{
    struct bt_witness_init_result made;
    struct bt_witness_trust_result trusted;
    const enum bt_status status = bt_witness_init(&world->made.env, &world->arena, world->path,
                                                  &witness_plan, &made, &world->error);
    return status != BT_OK ? status
                           : bt_witness_trust_log(&world->arena, world->path, BT_STR(MADE_VKEY),
                                                  false, &trusted, &world->error);
}

static enum bt_status act_witness_add(struct world *world)
{
    const struct bt_witness_request request = {world->path, BT_STR("r"), world->request};
    world->answer.line = BT_STR("");
    return bt_witness_cosign(&world->made.env, &world->arena, &request, &world->answer,
                             &world->error);
}

/* A witness whose making failed may have to be made anew elsewhere, but never signs without its
 * log's key. One that was made does sign. */
static bool held_witness_init(struct world *world, bool succeeded)
{
    const bool answers = act_witness_add(world) == BT_OK;
    return !succeeded || (answers && world->answer.line.len > 0);
}

/* Asked again, it signs: what failed either was not remembered, or is remembered as the same. */
static bool held_witness_add(struct world *world, bool succeeded)
{
    const bool signed_once = succeeded && world->answer.line.len > 0;
    bt_str note;
    const bool remembers =
        bt_witness_get_checkpoint(&world->arena, world->path, BT_STR(MADE_ORIGIN), &note,
                                  &world->error) == BT_OK;
    if (signed_once) {
        return remembers;
    }
    return remembers || (act_witness_add(world) == BT_OK && world->answer.line.len > 0);
}

/* ---- Preparations ---------------------------------------------------------------------------- */

/* The next entry is the last of 256. */
static void prepare_span(struct world *world)
{
    bool recorded = false;
    const uint64_t wanted = SPAN - 1 - world->size % SPAN;
    struct bt_ledger *ledger = made_ledger(&world->made, true);
    assert_non_null(ledger);
    if (wanted > 0) {
        assert_int_equal(made_append(&world->made, ledger, wanted, &recorded), BT_OK);
    }
    bt_ledger_close(ledger);
    world->size += wanted;
}

static void prepare_nothing(struct world *world)
{
    (void)world;
}

static void prepare_receipt(struct world *world)
{
    assert_int_equal(act_prove(world), BT_OK);
}

static void prepare_forgery(struct world *world)
{
    prepare_receipt(world);
    world->buf.ptr[world->buf.len - 8] = world->buf.ptr[world->buf.len - 8] == 'A' ? 'B' : 'A';
}

static void prepare_request(struct world *world)
{
    struct bt_ledger *ledger = made_ledger(&world->made, false);
    struct bt_ledger_checkpoint checkpoint;
    assert_non_null(ledger);
    assert_int_equal(bt_ledger_get_checkpoint(ledger, &world->arena, BT_LEDGER_SEQ_NONE,
                                              &checkpoint, &world->error),
                     BT_OK);
    assert_int_equal(bt_arena_printf(&world->arena, &world->request, "old 0\n\n%.*s",
                                     BT_STR_ARG(checkpoint.note)),
                     BT_OK);
    bt_ledger_close(ledger);
}

static void prepare_witness(struct world *world)
{
    prepare_request(world);
    assert_int_equal(act_witness_init(world), BT_OK);
}

static void prepare_damage(struct world *world)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(world->made.store, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "DROP TRIGGER IF EXISTS ledger_entry_update; UPDATE ledger_entry "
                                  "SET leaf = zeroblob(32) WHERE seq = 280",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static const struct act {
    const char *name;
    void (*prepare)(struct world *world);
    enum bt_status (*run)(struct world *world);
    bool (*held)(struct world *world, bool succeeded);
    bool writes_files;
    bool has_store;
} acts[] = {
    {"init", prepare_nothing, act_init, held_init, true, true},
    {"append", prepare_nothing, act_append, held_append, true, true},
    {"append the last of a span", prepare_span, act_append, held_span, true, true},
    {"prove", prepare_nothing, act_prove, held_prove, false, true},
    {"judge a receipt", prepare_receipt, act_judge_receipt, held_judge_receipt, false, false},
    {"judge a forgery", prepare_forgery, act_judge_receipt, held_judge_forgery, false, false},
    {"verify", prepare_nothing, act_verify, held_judge_receipt, false, true},
    {"export", prepare_nothing, act_export, held_export, true, true},
    {"witness init", prepare_request, act_witness_init, held_witness_init, true, false},
    {"witness add", prepare_witness, act_witness_add, held_witness_add, true, false},
    /* From here on the ledger is damaged. */
    {"verify what is damaged", prepare_damage, act_verify, held_judge_forgery, false, true},
};

static void world_open(struct world *world)
{
    bool recorded = false;
    memset(world, 0, sizeof(*world));
    made_open(&world->made);
    struct bt_ledger *ledger = made_ledger(&world->made, true);
    assert_non_null(ledger);
    assert_int_equal(made_append(&world->made, ledger, ENTRIES, &recorded), BT_OK);
    bt_ledger_close(ledger);
}

/* Run an act with one fault. Whether the fault struck; *out_held is whether all is as it should be
 * afterwards. */
static bool try_act(struct world *world, const struct act *act, enum scarce_sort sort,
                    const int fault[2], bool *out_held)
{
    const bool needs_size = act->run == act_append;
    (void)snprintf(world->path, sizeof(world->path), "%s/x%d", world->made.folder, world->round++);
    bt_arena_init(&world->arena, 64 << 20);
    bt_buf_init(&world->buf, 1 << 20);
    world->is_recorded = false;
    world->size = needs_size ? size_of(world) : 0;
    act->prepare(world);
    scarce_set(sort, fault[0], fault[1]);
    const bool succeeded = act->run(world) == BT_OK;
    const bool struck = scarce_end();
    *out_held = act->held(world, succeeded);
    bt_buf_free(&world->buf);
    bt_arena_free(&world->arena);
    return struck;
}

/* SQLite takes memory at thousands of places, and libcrypto at the same few again and again: of
 * them one in so many, unless the environment asks for another number. */
static int step_of(enum scarce_sort sort, int countdown)
{
    const char *wish = getenv("BATON_SCARCE_STEP");
    uint64_t step = STEP_USUAL;
    if (wish && bt_str_to_u64(bt_str_of(wish), &step) != BT_OK) {
        fail_msg("BATON_SCARCE_STEP is not a number");
    }
    const bool repeats = sort == SCARCE_CRYPTO_MEMORY && countdown >= STEP_USUAL;
    return (repeats || sort == SCARCE_SQLITE_MEMORY) && step > 0 ? (int)step : 1;
}

/* Every place has its turn, until the act is through before the fault strikes. */
static size_t try_everywhere(struct world *world, const struct act *act, enum scarce_sort sort,
                             int code)
{
    int countdown = 0;
    size_t places = 0;
    bool held = true;
    while (try_act(world, act, sort, (int[]){countdown, code}, &held)) {
        if (!held) {
            fail_msg("%s does not hold after fault %d of sort %d", act->name, countdown, sort);
        }
        countdown += step_of(sort, countdown);
        places++;
        assert_true(countdown < COUNTDOWN_MAX);
    }
    assert_true(held);
    return places;
}

/* Whether an act makes calls of this sort at all. */
static bool can_strike(const struct act *act, enum scarce_sort sort)
{
    if (sort == SCARCE_FILES || sort == SCARCE_HALF_FILES) {
        return act->writes_files;
    }
    return sort != SCARCE_SQLITE_MEMORY || act->has_store;
}

static void run_sort(enum scarce_sort sort, int code)
{
    struct world world;
    world_open(&world);
    for (size_t i = 0; i < COUNT_OF(acts); i++) {
        const size_t places = try_everywhere(&world, &acts[i], sort, code);
        assert_int_equal(places > 0, can_strike(&acts[i], sort));
        print_message("# %s, sort %d: failed at %zu places\n", acts[i].name, sort, places);
    }
    made_close(&world.made);
}

static void no_act_goes_wrong_without_memory(void **state)
{
    (void)state;
    run_sort(SCARCE_MEMORY, 0);
}

static void no_act_goes_wrong_when_libcrypto_has_no_memory(void **state)
{
    (void)state;
    run_sort(SCARCE_CRYPTO_MEMORY, 0);
}

static void no_act_goes_wrong_when_sqlite_has_no_memory(void **state)
{
    (void)state;
    run_sort(SCARCE_SQLITE_MEMORY, 0);
}

static void no_act_goes_wrong_when_files_cannot_be_written(void **state)
{
    (void)state;
    static const int codes[] = {EIO, ENOSPC, EROFS, EDQUOT};
    for (size_t i = 0; i < COUNT_OF(codes); i++) {
        run_sort(SCARCE_FILES, codes[i]);
    }
}

static void no_act_goes_wrong_when_files_are_written_by_half(void **state)
{
    (void)state;
    run_sort(SCARCE_HALF_FILES, ENOSPC);
}

/* ---- Negative controls ----------------------------------------------------------------------- */

static void a_disk_that_lies_would_be_noticed(void **state)
{
    (void)state;
    const struct act act = {"export", prepare_nothing, act_export, held_export, true, true};
    struct world world;
    bool held = true;
    world_open(&world);
    assert_true(try_act(&world, &act, SCARCE_LYING_FILES, (int[]){1, 0}, &held));
    assert_false(held);
    made_close(&world.made);
}

static enum bt_status act_carelessly(struct world *world)
{
    return act_append(world) == BT_OK ? BT_OK : BT_OK;
}

static void a_status_that_nobody_looks_at_would_be_noticed(void **state)
{
    (void)state;
    const struct act act = {"append", prepare_nothing, act_carelessly, held_append, true, true};
    struct world world;
    bool held = true;
    world_open(&world);
    world.size = size_of(&world);
    assert_true(try_act(&world, &act, SCARCE_MEMORY, (int[]){0, 0}, &held));
    assert_false(held);
    made_close(&world.made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_act_goes_wrong_without_memory),
        cmocka_unit_test(no_act_goes_wrong_when_libcrypto_has_no_memory),
        cmocka_unit_test(no_act_goes_wrong_when_sqlite_has_no_memory),
        cmocka_unit_test(no_act_goes_wrong_when_files_cannot_be_written),
        cmocka_unit_test(no_act_goes_wrong_when_files_are_written_by_half),
        cmocka_unit_test(a_disk_that_lies_would_be_noticed),
        cmocka_unit_test(a_status_that_nobody_looks_at_would_be_noticed),
    };
    return scarce_begin() ? RUN_TESTS(tests) : 1;
}
