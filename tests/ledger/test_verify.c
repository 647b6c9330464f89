/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_verify.c - a large log and its export are verified, whole and damaged: entry by entry, by
 * spans, and by spans in several threads, always with the same report.
 */
#include "test.h"

#include <sqlite3.h>

#include "ledger/admin.h"
#include "ledger/verify.h"
#include "made.h"
#include "params.h"

enum { ENTRIES = 40 * 1000 + 77, BATCH = 10000 };

#define ALTER(from, to)                                                                            \
    "UPDATE ledger_entry SET entry = CAST(REPLACE(CAST(entry AS TEXT), " from ", " to              \
    ") AS BLOB), leaf = leaf(CAST(REPLACE(CAST(entry AS TEXT), " from ", " to ") AS BLOB))"

/* SQL: leaf(ENTRY) */
static void hash_leaf(sqlite3_context *call, int count, sqlite3_value **values)
{
    struct bt_merkle_hash leaf;
    assert_int_equal(count, 1);
    const char *entry = sqlite3_value_blob(values[0]);
    bt_merkle_hash_leaf((bt_str){entry, (size_t)sqlite3_value_bytes(values[0])}, &leaf);
    sqlite3_result_blob(call, leaf.bytes, BT_HASH_BYTES, SQLITE_TRANSIENT);
}

/* Change the store behind the ledger's back. */
static void damage(const struct made *made, const char *sql)
{
    sqlite3 *db = NULL;
    char *why = NULL;
    assert_int_equal(sqlite3_open(made->store, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_create_function(db, "leaf", 1, SQLITE_UTF8, NULL, hash_leaf, NULL, NULL),
        SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK) {
        fail_msg("%s: %s", sql, why);
    }
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static enum bt_status begin_reading(struct bt_verify *verify, void *context)
{
    (void)verify;
    (void)context;
    return BT_OK;
}

static enum bt_status read_nothing(void *context, uint64_t seq, const struct bt_entry *entry)
{
    (void)context;
    (void)seq;
    (void)entry;
    return BT_OK;
}

static void put_nothing(void *context, struct bt_emit *emit)
{
    (void)context;
    (void)emit;
}

/* Every finding as `CODE pointer params`, one a line. Without threads a reader of all entries is
 * given, so that each entry is checked by the rules alone. */
static void verify(struct made *made, size_t threads, const char *tree, struct bt_buf *out)
{
    static const struct bt_verify_reader reader = {
        .begin = begin_reading, .entry = read_nothing, .end = begin_reading, .facts = put_nothing};
    struct bt_judgement judged;
    struct bt_ledger *ledger = made_ledger(made, false);
    struct bt_verifier_keys *keys = bt_verifier_keys_new(&made->arena, BT_VERIFIER_KEY_LOG);
    assert_non_null(ledger);
    assert_int_equal(bt_verifier_keys_add(keys, BT_STR(MADE_VKEY), &made->error), BT_OK);
    const struct bt_ledger_verify_options options = {
        .keys = keys, .threads = threads, .reader = threads == 0 ? &reader : NULL};
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

/* The report must contain `expected`, and be the same in every way of verifying; NULL: it must have
 * no finding. */
static void expect_report(struct made *made, const char *tree, const char *expected)
{
    static const size_t threads[] = {1, 3};
    struct bt_buf report;
    struct bt_buf other;
    bt_buf_init(&report, 1 << 20);
    bt_buf_init(&other, 1 << 20);
    verify(made, 0, tree, &report);
    bt_buf_put_char(&report, '\0');
    if (expected ? !strstr(report.ptr, expected) : report.ptr[0] != '{') {
        fail_msg("%s is not in %s", expected ? expected : "nothing", report.ptr);
    }
    for (size_t i = 0; i < COUNT_OF(threads); i++) {
        verify(made, threads[i], tree, &other);
        bt_buf_put_char(&other, '\0');
        assert_string_equal(other.ptr, report.ptr);
    }
    bt_buf_free(&report);
    bt_buf_free(&other);
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
    const struct bt_ledger_verify_options options = {.threads = 2, .progress = {hear, &verifying}};
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
        /* From here on with the leaf of what was altered. */
        {ALTER("'cli'", "'\"li'") " WHERE seq = 5000", "LEDGER_ENTRY_INVALID /entries/5000"},
        {ALTER("'\"v\":1'", "'\"v\":9'") " WHERE seq = 6000", " /entries/6000 "},
        {ALTER("'\"time\":\"2'", "'\"time\":\"1'") " WHERE seq = 7000", " /entries/7000 "},
        {ALTER("'\"time\":\"20'", "'\"time\":\"29'") " WHERE seq = 7424",
         "LEDGER_TIME_REGRESSION /entries/7425"},
        {ALTER("'\"time\":\"20'", "'\"time\":\"29'") " WHERE seq = 8191", "LEDGER_ROOT_MISMATCH"},
        {"UPDATE ledger_entry SET leaf = x'00' WHERE seq = 31000",
         "LEDGER_INCOMPLETE /entries/31000"},
        {"UPDATE ledger_entry SET entry = zeroblob(70000) WHERE seq = 32000",
         "LEDGER_LEAF_MISMATCH /entries/32000"},
        {"UPDATE ledger_entry SET entry = x'' WHERE seq = 33000",
         "LEDGER_LEAF_MISMATCH /entries/33000"},
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

/* In the second version entries are counted by their names. */
static void counters_are_compared_in_every_way_of_verifying(void **state)
{
    (void)state;
    static struct made made;
    made_open_as(&made, 2);
    fill(&made);
    expect_report(&made, NULL, NULL);
    damage(&made, "DROP TRIGGER ledger_entry_update");
    damage(&made, ALTER("'\"n\":{\"actor\":'", "'\"n\":{\"actor\":1'") " WHERE seq = 3000");
    expect_report(&made, NULL, "LEDGER_COUNT_MISMATCH /entries/3000");
    damage(&made, ALTER("'\"cli\"'", "'\"odd\"'") " WHERE seq IN (2000, 2500)");
    expect_report(&made, NULL, "LEDGER_COUNT_MISMATCH /entries/2001");
    damage(&made, "DROP TRIGGER ledger_entry_delete; DELETE FROM ledger_entry WHERE seq = 1000");
    expect_report(&made, NULL, "LEDGER_INCOMPLETE /entries/1000");
    made_close(&made);
}

/* True when an open ledger accepts its newest checkpoint. */
static bool accepts_head(struct made *made, struct bt_ledger *ledger)
{
    struct bt_ledger_head head = {.size = 0};
    struct bt_findings *alarms = bt_findings_new(&made->arena);
    const enum bt_status status = bt_ledger_head(ledger, &made->arena, alarms, &head, &made->error);
    return status == BT_OK && bt_findings_count(alarms) == 0 && head.size > 0;
}

/* Rotate the key, so that only the new one, which is in the file beside the store, has signed. */
static void rotate(struct made *made)
{
    bool recorded = false;
    struct bt_ledger *ledger = made_ledger(made, true);
    struct bt_findings *alarms = bt_findings_new(&made->arena);
    for (int i = 0; i < 2; i++) {
        struct bt_ledger_rotate_options rotation = {.ends = i == 1,
                                                    .is_seeded = i == 0,
                                                    .seed = 2,
                                                    .agent_key = BT_STR(""),
                                                    .actor = BT_STR("test")};
        if (bt_ledger_rotate_key(ledger, &made->env, &made->arena, &rotation, alarms,
                                 &made->error) != BT_OK) {
            fail_msg("%s", made->error.text);
        }
    }
    assert_int_equal(made_append(made, ledger, 3, &recorded), BT_OK);
    bt_ledger_close(ledger);
}

/* Let another file, which may be the same again, stand where the later keys are. */
static void move_keys(const struct made *made, const char *from, const char *to)
{
    char paths[2][sizeof(made->store) + 16];
    (void)snprintf(paths[0], sizeof(paths[0]), "%s/ledger%s", made->folder, from);
    (void)snprintf(paths[1], sizeof(paths[1]), "%s/ledger%s", made->folder, to);
    assert_int_equal(rename(paths[0], paths[1]), 0);
}

static void write_first_key(const struct made *made)
{
    char path[sizeof(made->store) + 16];
    (void)snprintf(path, sizeof(path), "%s/ledger.vkey", made->folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(MADE_VKEY "\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void a_checkpoint_is_verified_again_when_it_or_the_keys_change(void **state)
{
    (void)state;
    struct made made;
    made_open(&made);
    rotate(&made);
    struct bt_ledger *ledger = made_ledger(&made, false);
    assert_true(accepts_head(&made, ledger));
    assert_true(accepts_head(&made, ledger));
    move_keys(&made, ".vkey", ".kept");
    write_first_key(&made);
    assert_false(accepts_head(&made, ledger));
    move_keys(&made, ".kept", ".vkey");
    assert_true(accepts_head(&made, ledger));
    damage(&made, "DROP TRIGGER ledger_checkpoint_update; UPDATE ledger_checkpoint SET note = "
                  "replace(note, 'example/team', 'example/tean')");
    assert_false(accepts_head(&made, ledger));
    damage(&made, "UPDATE ledger_checkpoint SET note = replace(note, 'example/tean', "
                  "'example/team')");
    assert_true(accepts_head(&made, ledger));
    damage(&made, "UPDATE ledger_checkpoint SET root = zeroblob(32)");
    assert_false(accepts_head(&made, ledger));
    bt_ledger_close(ledger);
    made_close(&made);
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
        cmocka_unit_test(counters_are_compared_in_every_way_of_verifying),
        cmocka_unit_test(each_damage_has_its_finding),
        cmocka_unit_test(a_checkpoint_is_verified_again_when_it_or_the_keys_change),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
