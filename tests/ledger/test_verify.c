/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_verify.c - a large log and its export are verified, whole and damaged.
 */
#include "test.h"

#include <sqlite3.h>

#include "ledger/proof_api.h"
#include "made.h"
#include "params.h"

enum { ENTRIES = 40 * 1000 + 77, BATCH = 10000 };

/* Change the store behind the ledger's back. */
static void damage(const struct made *made, const char *sql)
{
    sqlite3 *db = NULL;
    char *why = NULL;
    assert_int_equal(sqlite3_open(made->store, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK) {
        fail_msg("%s: %s", sql, why);
    }
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* Every finding as `CODE pointer params`, one a line. */
static void verify(struct made *made, const char *tree, struct bt_buf *out)
{
    struct bt_judgement judged;
    struct bt_ledger *ledger = made_ledger(made, false);
    struct bt_verifier_keys *keys = bt_verifier_keys_new(&made->arena, BT_VERIFIER_KEY_LOG);
    assert_non_null(ledger);
    assert_int_equal(bt_verifier_keys_add(keys, BT_STR(MADE_VKEY), &made->error), BT_OK);
    const struct bt_ledger_verify_options options = {.keys = keys};
    const enum bt_status status =
        tree
            ? bt_ledger_verify_files(bt_str_of(tree), &made->arena, &options, &judged, &made->error)
            : bt_ledger_verify(ledger, &made->arena, &options, &judged, &made->error);
    assert_int_equal(status, BT_OK);
    bt_buf_clear(out);
    for (size_t i = 0; i < bt_findings_count(judged.findings); i++) {
        const struct bt_finding *finding = bt_findings_at(judged.findings, i);
        bt_buf_printf(out, "%.*s %.*s %.*s\n", BT_STR_ARG(finding->rule->code),
                      BT_STR_ARG(finding->pointer), BT_STR_ARG(test_params(finding)));
    }
    bt_buf_printf(out, "%.*s", BT_STR_ARG(judged.facts));
    assert_int_equal(out->status, BT_OK);
    bt_ledger_close(ledger);
}

/* The report must contain `expected`; NULL: it must have no finding. */
static void expect_report(struct made *made, const char *tree, const char *expected)
{
    struct bt_buf report;
    bt_buf_init(&report, 1 << 20);
    verify(made, tree, &report);
    bt_buf_put_char(&report, '\0');
    if (expected ? !strstr(report.ptr, expected) : report.ptr[0] != '{') {
        fail_msg("%s is not in %s", expected ? expected : "nothing", report.ptr);
    }
    bt_buf_free(&report);
}

static void fill(struct made *made)
{
    struct bt_ledger *ledger = made_ledger(made, true);
    assert_non_null(ledger);
    for (size_t done = 0; done < ENTRIES;) {
        bool recorded = false;
        const size_t count = ENTRIES - done < BATCH ? ENTRIES - done : BATCH;
        assert_int_equal(made_append(made, ledger, count, &recorded), BT_OK);
        done += count;
    }
    bt_ledger_close(ledger);
}

static void a_whole_log_and_its_export_have_no_finding(void **state)
{
    struct made *made = *state;
    char tree[600];
    struct bt_ledger_export_result out;
    expect_report(made, NULL, NULL);
    (void)snprintf(tree, sizeof(tree), "%s/tree", made->folder);
    struct bt_ledger *ledger = made_ledger(made, false);
    struct bt_findings *alarms = bt_findings_new(&made->arena);
    const struct bt_ledger_export_options wanted = {.folder = tree, .with_documents = true};
    assert_int_equal(
        bt_ledger_export_options(ledger, &made->arena, &wanted, alarms, &out, &made->error), BT_OK);
    bt_ledger_close(ledger);
    expect_report(made, tree, NULL);
}

struct heard {
    size_t times;
    uint64_t done;
    uint64_t total;
};

static void hear(void *context, uint64_t done, uint64_t total)
{
    struct heard *heard = context;
    assert_true(done > heard->done);
    assert_true(done <= total);
    assert_true(heard->times == 0 || total == heard->total);
    *heard = (struct heard){heard->times + 1, done, total};
}

static void progress_is_reported_up_to_the_end(void **state)
{
    struct made *made = *state;
    char tree[600];
    struct bt_judgement judged;
    struct bt_ledger_export_result out;
    struct heard verifying = {0};
    struct heard exporting = {0};
    struct bt_findings *alarms = bt_findings_new(&made->arena);
    struct bt_ledger *ledger = made_ledger(made, false);
    (void)snprintf(tree, sizeof(tree), "%s/told", made->folder);
    const struct bt_ledger_verify_options options = {.progress = {hear, &verifying}};
    const struct bt_ledger_export_options wanted = {.folder = tree, .progress = {hear, &exporting}};
    assert_int_equal(bt_ledger_verify(ledger, &made->arena, &options, &judged, &made->error),
                     BT_OK);
    assert_int_equal(
        bt_ledger_export_options(ledger, &made->arena, &wanted, alarms, &out, &made->error), BT_OK);
    bt_ledger_close(ledger);
    assert_int_equal(verifying.total, ENTRIES);
    assert_int_equal(verifying.done, ENTRIES);
    assert_true(verifying.times > 10);
    assert_int_equal(exporting.total, out.files - 1); /* the checkpoint comes last */
    assert_int_equal(exporting.done, exporting.total);
}

static void each_damage_has_its_finding(void **state)
{
    /* One after the other, in the same store. */
    static const struct {
        const char *sql;
        const char *expected;
    } rows[] = {
        {"DROP TRIGGER ledger_entry_update; UPDATE ledger_entry SET entry = "
         "CAST(REPLACE(CAST(entry AS TEXT), 'cli', 'eli') AS BLOB) WHERE seq = 20000",
         "LEDGER_LEAF_MISMATCH /entries/20000"},
        {"UPDATE ledger_entry SET leaf = zeroblob(32) WHERE seq = 30001",
         "LEDGER_LEAF_MISMATCH /entries/30001"},
        {"UPDATE ledger_entry SET entry = (SELECT entry FROM ledger_entry WHERE seq = 12), leaf = "
         "(SELECT leaf FROM ledger_entry WHERE seq = 12) WHERE seq = 35000",
         "LEDGER_SEQ_MISMATCH /entries/35000"},
        {"DROP TRIGGER ledger_hash_update; UPDATE ledger_hash SET hash = "
         "zeroblob(32) WHERE level = 1 AND n = 100",
         "LEDGER_TILE_MISMATCH /tile/1/0 {\"index\":100}"},
        {"DROP TRIGGER document_delete; DELETE FROM document",
         "LEDGER_DOCUMENT_MISSING /documents/"},
        {"DROP TRIGGER ledger_entry_delete; DELETE FROM ledger_entry WHERE seq = 300",
         "LEDGER_INCOMPLETE /entries/300"},
        {"WITH RECURSIVE sizes(n) AS (SELECT 1000 UNION ALL SELECT n + 1 FROM sizes WHERE n < "
         "1149) "
         "INSERT INTO ledger_checkpoint SELECT n, root, frontier, 'odd', batch FROM sizes, "
         "ledger_checkpoint WHERE size = 0",
         ",\"more\":50}"},
    };
    struct made *made = *state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        damage(made, rows[i].sql);
        expect_report(made, NULL, rows[i].expected);
    }
}

/* Filling takes longest, so all share one log; the one that damages it comes last. */
static int set_up(void **state)
{
    static struct made made;
    made_open(&made);
    fill(&made);
    *state = &made;
    return 0;
}

static int tear_down(void **state)
{
    made_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_log_and_its_export_have_no_finding),
        cmocka_unit_test(progress_is_reported_up_to_the_end),
        cmocka_unit_test(each_damage_has_its_finding),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
