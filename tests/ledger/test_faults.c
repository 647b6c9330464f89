/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_faults.c - the disk or the memory fails once, at every place in turn: nothing is
 * acknowledged that is not there, and nothing is there half.
 *
 * The disk is SQLite's own: a shim between it and the file system fails the n-th write or sync. A
 * shim that lies instead of failing is the negative control.
 */
#include "test.h"

#include <sqlite3.h>

#include "ledger/proof_api.h"
#include "ledger/witness.h"
#include "made.h"

/* ---- The shim -------------------------------------------------------------------------------- */

enum fault_kind { FAULT_NONE, FAULT_FAIL, FAULT_SYNC, FAULT_LIE };

/* Tests alone may have such state. */
static struct shim {
    sqlite3_vfs vfs;
    sqlite3_vfs *below;
    enum fault_kind kind;
    int code;      /* that a failing call gives */
    int countdown; /* calls until the fault */
    bool struck;
} shim;

struct shim_file {
    sqlite3_file base;
    sqlite3_io_methods methods; /* those of the file below, but for ours */
    sqlite3_file *below;
};

/* Whether the fault strikes now. A disk that lies goes on lying. */
static bool strikes(void)
{
    if (shim.kind == FAULT_NONE) {
        return false;
    }
    if (shim.countdown > 0) {
        shim.countdown--;
        return false;
    }
    shim.struck = true;
    if (shim.kind != FAULT_LIE) {
        shim.countdown = INT32_MAX;
    }
    return true;
}

static sqlite3_file *below(sqlite3_file *file)
{
    return ((struct shim_file *)file)->below;
}

static int shim_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 at)
{
    if (shim.kind != FAULT_SYNC && strikes()) {
        return shim.kind == FAULT_LIE ? SQLITE_OK : shim.code;
    }
    return below(file)->pMethods->xWrite(below(file), bytes, size, at);
}

static int shim_sync(sqlite3_file *file, int flags)
{
    if (strikes()) {
        return shim.kind == FAULT_LIE ? SQLITE_OK : SQLITE_IOERR_FSYNC;
    }
    return below(file)->pMethods->xSync(below(file), flags);
}

static int shim_close(sqlite3_file *file)
{
    const int code = below(file)->pMethods->xClose(below(file));
    sqlite3_free(below(file));
    return code;
}

/* Everything else is handed on. */
#define HAND_ON(name, method, parameters, arguments)                                               \
    static int name parameters                                                                     \
    {                                                                                              \
        return below(f)->pMethods->method arguments;                                               \
    }

/* clang-format off */
HAND_ON(shim_read, xRead, (sqlite3_file *f, void *b, int n, sqlite3_int64 at), (below(f), b, n, at))
HAND_ON(shim_truncate, xTruncate, (sqlite3_file *f, sqlite3_int64 n), (below(f), n))
HAND_ON(shim_size, xFileSize, (sqlite3_file *f, sqlite3_int64 *n), (below(f), n))
HAND_ON(shim_lock, xLock, (sqlite3_file *f, int l), (below(f), l))
HAND_ON(shim_unlock, xUnlock, (sqlite3_file *f, int l), (below(f), l))
HAND_ON(shim_reserved, xCheckReservedLock, (sqlite3_file *f, int *l), (below(f), l))
HAND_ON(shim_control, xFileControl, (sqlite3_file *f, int o, void *a), (below(f), o, a))
HAND_ON(shim_sector, xSectorSize, (sqlite3_file *f), (below(f)))
HAND_ON(shim_traits, xDeviceCharacteristics, (sqlite3_file *f), (below(f)))
HAND_ON(shim_map, xShmMap, (sqlite3_file *f, int r, int s, int e, void volatile **p),
        (below(f), r, s, e, p))
HAND_ON(shim_shm_lock, xShmLock, (sqlite3_file *f, int o, int n, int g), (below(f), o, n, g))
HAND_ON(shim_unmap, xShmUnmap, (sqlite3_file *f, int d), (below(f), d))
/* clang-format on */

static void shim_barrier(sqlite3_file *file)
{
    below(file)->pMethods->xShmBarrier(below(file));
}

static int shim_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    static const sqlite3_io_methods methods = {
        2,           shim_close, shim_read,     shim_write,    shim_truncate, shim_sync,
        shim_size,   shim_lock,  shim_unlock,   shim_reserved, shim_control,  shim_sector,
        shim_traits, shim_map,   shim_shm_lock, shim_barrier,  shim_unmap,    NULL,
        NULL,
    };
    (void)vfs;
    struct shim_file *shimmed = (struct shim_file *)(void *)file;
    shimmed->below = sqlite3_malloc(shim.below->szOsFile);
    if (!shimmed->below) {
        return SQLITE_NOMEM;
    }
    memset(shimmed->below, 0, (size_t)shim.below->szOsFile);
    const int code = shim.below->xOpen(shim.below, name, shimmed->below, flags, out);
    if (code != SQLITE_OK) {
        sqlite3_free(shimmed->below);
        shimmed->base.pMethods = NULL;
        return code;
    }
    shimmed->base.pMethods = &methods;
    return SQLITE_OK;
}

static void shim_register(void)
{
    shim.below = sqlite3_vfs_find(NULL);
    assert_non_null(shim.below);
    shim.vfs = *shim.below;
    shim.vfs.zName = "shim";
    shim.vfs.szOsFile = (int)sizeof(struct shim_file);
    shim.vfs.pNext = NULL;
    shim.vfs.xOpen = shim_open;
    assert_int_equal(sqlite3_vfs_register(&shim.vfs, 1), SQLITE_OK);
}

static void set_fault(enum fault_kind kind, int code, int countdown)
{
    shim.kind = kind;
    shim.code = code;
    shim.countdown = countdown;
    shim.struck = false;
}

/* ---- Trying ---------------------------------------------------------------------------------- */

static uint64_t size_of(struct made *made)
{
    struct bt_ledger_head head = {.size = 0};
    struct bt_findings *alarms = bt_findings_new(&made->arena);
    struct bt_ledger *ledger = made_ledger(made, false);
    assert_non_null(ledger);
    if (bt_ledger_head(ledger, &made->arena, alarms, &head, &made->error) != BT_OK) {
        head.size = UINT64_MAX;
    }
    bt_ledger_close(ledger);
    return head.size;
}

/* What became of one append under a fault. */
struct outcome {
    bool acknowledged;
    bool claims_record; /* the batch says that it is durable */
    bool struck;
    uint64_t grown;
};

static struct outcome try_append(struct made *made, enum fault_kind kind, int code, int countdown)
{
    const uint64_t before = size_of(made);
    struct outcome outcome = {false, false, false, 0};
    set_fault(kind, code, countdown);
    struct bt_ledger *ledger = made_ledger(made, true);
    if (ledger) {
        outcome.acknowledged = made_append(made, ledger, 3, &outcome.claims_record) == BT_OK;
        outcome.struck = shim.struck;
        if (kind == FAULT_LIE) {
            set_fault(FAULT_LIE, 0, INT32_MAX); /* the power is cut: nothing more is written */
            shim.countdown = 0;
        }
        bt_ledger_close(ledger);
    }
    outcome.struck = outcome.struck || shim.struck;
    set_fault(FAULT_NONE, 0, 0);
    outcome.grown = size_of(made) - before;
    return outcome;
}

static void a_disk_that_fails_is_never_acknowledged_falsely(void **state)
{
    (void)state;
    static const int codes[] = {SQLITE_IOERR_WRITE, SQLITE_FULL, SQLITE_READONLY};
    size_t refused = 0;
    for (size_t i = 0; i < COUNT_OF(codes); i++) {
        struct made made;
        made_open(&made);
        bool struck = true;
        for (int countdown = 0; struck && countdown < 500; countdown++) {
            const struct outcome outcome = try_append(&made, FAULT_FAIL, codes[i], countdown);
            assert_true(!outcome.acknowledged || outcome.grown == 3);
            assert_true(!outcome.claims_record || outcome.grown == 3);
            assert_true(outcome.grown == 0 || outcome.grown == 3);
            refused += !outcome.acknowledged;
            struck = outcome.struck;
        }
        assert_false(struck); /* every write and sync had its turn */
        assert_true(made_verifies(&made));
        made_close(&made);
    }
    assert_true(refused > 10);
}

/* A sync that is tried again may succeed falsely. */
static void after_a_failed_sync_nothing_more_is_recorded(void **state)
{
    (void)state;
    struct made made;
    size_t failed = 0;
    bool struck = true;
    made_open(&made);
    for (int countdown = 0; struck && countdown < 100; countdown++) {
        bool recorded = false;
        struct bt_ledger *ledger = made_ledger(&made, true);
        assert_non_null(ledger);
        set_fault(FAULT_SYNC, 0, countdown);
        const bool acknowledged = made_append(&made, ledger, 1, &recorded) == BT_OK;
        struck = shim.struck;
        set_fault(FAULT_NONE, 0, 0);
        const uint64_t before = size_of(&made);
        if (!acknowledged) {
            assert_int_not_equal(made_append(&made, ledger, 1, &recorded), BT_OK);
            assert_int_equal(size_of(&made), before);
            failed++;
        }
        bt_ledger_close(ledger);
        ledger = made_ledger(&made, true); /* the next start reads the truth */
        assert_non_null(ledger);
        assert_int_equal(made_append(&made, ledger, 1, &recorded), BT_OK);
        bt_ledger_close(ledger);
    }
    assert_false(struck);
    assert_true(failed > 0);
    assert_true(made_verifies(&made));
    made_close(&made);
}

static void a_disk_that_lies_would_be_noticed(void **state)
{
    (void)state;
    struct made made;
    size_t lost = 0;
    made_open(&made);
    for (int countdown = 0; countdown < 12; countdown++) {
        const struct outcome outcome = try_append(&made, FAULT_LIE, 0, countdown);
        lost += outcome.acknowledged && outcome.grown != 3;
        if (outcome.grown != 0 && outcome.grown != 3) {
            break; /* it cannot even be read any more */
        }
    }
    assert_true(lost > 0);
    made_close(&made);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static struct memory {
    sqlite3_mem_methods below;
    int countdown; /* negative: never */
    bool struck;
} memory;

static void *scarce_malloc(int size)
{
    if (memory.countdown >= 0 && memory.countdown-- == 0) {
        memory.struck = true;
        return NULL;
    }
    return memory.below.xMalloc(size);
}

static void sqlite_without_memory_is_a_failure_and_no_more(void **state)
{
    (void)state;
    struct made made;
    made_open(&made);
    memory.struck = true;
    size_t refused = 0;
    for (int countdown = 0; memory.struck && countdown < 4000; countdown += 7) {
        bool recorded = false;
        const uint64_t before = size_of(&made);
        memory.struck = false;
        memory.countdown = countdown;
        struct bt_ledger *ledger = made_ledger(&made, true);
        const bool acknowledged = ledger && made_append(&made, ledger, 1, &recorded) == BT_OK;
        memory.countdown = -1;
        bt_ledger_close(ledger);
        const uint64_t grown = size_of(&made) - before;
        assert_true(grown <= 1);
        assert_true(!acknowledged || grown == 1);
        assert_true(!recorded || grown == 1);
        refused += !acknowledged;
    }
    assert_false(memory.struck);
    assert_true(refused > 10);
    assert_true(made_verifies(&made));
    made_close(&made);
}

static void an_exhausted_arena_is_a_failure_and_no_more(void **state)
{
    (void)state;
    struct made made;
    made_open(&made);
    bool acknowledged = false;
    size_t refused = 0;
    for (size_t limit = 256; !acknowledged && limit < 1 << 20; limit += 512) {
        bool recorded = false;
        const uint64_t before = size_of(&made);
        struct bt_ledger *ledger = made_ledger(&made, true);
        assert_non_null(ledger);
        struct made poor = made;
        bt_arena_init(&poor.arena, limit);
        acknowledged = made_append(&poor, ledger, 1, &recorded) == BT_OK;
        bt_arena_free(&poor.arena);
        bt_ledger_close(ledger);
        const uint64_t grown = size_of(&made) - before;
        assert_int_equal(grown, recorded ? 1 : 0);
        assert_true(!acknowledged || recorded);
        refused += !acknowledged;
    }
    assert_true(acknowledged);
    assert_true(refused > 10);
    assert_true(made_verifies(&made));
    made_close(&made);
}

/* A request to the witness in the folder, and what a server would answer. */
static void ask_witness(struct made *made, const char *folder, bt_str body,
                        struct bt_witness_cosign_result *out)
{
    const struct bt_witness_request request = {folder, BT_STR("r"), body};
    assert_int_equal(bt_witness_cosign(&made->env, &made->arena, &request, out, &made->error),
                     BT_OK);
}

static void a_witness_says_what_a_server_answers(void **state)
{
    (void)state;
    static const struct bt_ledger_init_options plan = {
        .origin = BT_STR_INIT("witness.example/w1"), .key_text = BT_STR_INIT(""), .has_seed = true};
    struct made made;
    bool recorded = false;
    char folder[600];
    struct bt_witness_init_result witness;
    struct bt_witness_trust_result trusted;
    struct bt_consistency_result growth;
    struct bt_witness_cosign_result answer;
    made_open(&made);
    struct bt_ledger *ledger = made_ledger(&made, true);
    assert_non_null(ledger);
    assert_int_equal(made_append(&made, ledger, 3, &recorded), BT_OK);
    assert_int_equal(bt_ledger_prove_consistency(ledger, &made.arena, 0, BT_LEDGER_SEQ_NONE,
                                                 &growth, &made.error),
                     BT_OK);
    (void)snprintf(folder, sizeof(folder), "%s/w", made.folder);
    assert_int_equal(bt_witness_init(&made.env, &made.arena, folder, &plan, &witness, &made.error),
                     BT_OK);
    ask_witness(&made, folder, growth.request, &answer);
    assert_int_equal(answer.status, 404);
    assert_true(answer.body.len > 1);
    assert_int_equal(
        bt_witness_trust_log(&made.arena, folder, BT_STR(MADE_VKEY), false, &trusted, &made.error),
        BT_OK);
    ask_witness(&made, folder, growth.request, &answer);
    assert_int_equal(answer.status, 200);
    assert_true(answer.body.len > 0 && bt_str_eq(answer.body, answer.line));
    ask_witness(&made, folder, growth.request, &answer);
    assert_int_equal(answer.status, 409);
    assert_str(answer.body, "3\n");
    assert_str(answer.body_type, "text/x.tlog.size");
    ask_witness(&made, folder, BT_STR("old x\n"), &answer);
    assert_int_equal(answer.status, 400);
    assert_int_equal(answer.line.len, 0);
    bt_ledger_close(ledger);
    made_close(&made);
}

/* Show the first entry; how many findings there are about it. */
static size_t show_first(struct made *made, struct bt_ledger_entry_view *out)
{
    struct bt_ledger *ledger = made_ledger(made, false);
    struct bt_findings *alarms = bt_findings_new(&made->arena);
    assert_non_null(ledger);
    assert_non_null(alarms);
    memset(out, 0xA5, sizeof(*out)); /* what is left of an earlier use must not show */
    assert_int_equal(bt_ledger_get_entry(ledger, &made->arena, 0, alarms, out, &made->error),
                     BT_OK);
    bt_ledger_close(ledger);
    return bt_findings_count(alarms);
}

static void nothing_is_shown_of_a_damaged_entry(void **state)
{
    (void)state;
    struct made made;
    struct bt_ledger_entry_view shown;
    bool recorded = false;
    sqlite3 *store = NULL;
    made_open(&made);
    struct bt_ledger *ledger = made_ledger(&made, true);
    assert_non_null(ledger);
    assert_int_equal(made_append(&made, ledger, 1, &recorded), BT_OK);
    bt_ledger_close(ledger);
    assert_int_equal(show_first(&made, &shown), 0);
    assert_true(shown.entry.text.len > 0); /* the control */
    assert_int_equal(sqlite3_open(made.store, &store), SQLITE_OK);
    assert_int_equal(sqlite3_exec(store,
                                  "DROP TRIGGER ledger_entry_update; UPDATE ledger_entry SET entry "
                                  "= CAST(entry || ' ' AS BLOB)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_close(store), SQLITE_OK);
    assert_int_equal(show_first(&made, &shown), 1);
    assert_int_equal(shown.entry.text.len, 0);
    assert_int_equal(shown.bytes.len, 0);
    made_close(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disk_that_fails_is_never_acknowledged_falsely),
        cmocka_unit_test(after_a_failed_sync_nothing_more_is_recorded),
        cmocka_unit_test(a_disk_that_lies_would_be_noticed),
        cmocka_unit_test(sqlite_without_memory_is_a_failure_and_no_more),
        cmocka_unit_test(an_exhausted_arena_is_a_failure_and_no_more),
        cmocka_unit_test(a_witness_says_what_a_server_answers),
        cmocka_unit_test(nothing_is_shown_of_a_damaged_entry),
    };
    memory.countdown = -1;
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory.below) != SQLITE_OK) {
        return 1;
    }
    sqlite3_mem_methods scarce = memory.below;
    scarce.xMalloc = scarce_malloc;
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &scarce) != SQLITE_OK) {
        return 1;
    }
    shim_register();
    return RUN_TESTS(tests);
}
