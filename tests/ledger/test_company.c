/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_company.c - several who write to one ledger: each believes what the others added only when
 * it grows out of what it saw itself.
 */
#include "test.h"

#include <sqlite3.h>

#include "ledger/figures.h"
#include "ledger/transaction.h"
#include "made.h"

enum { SQL_BYTES = 4096, MANY = 1500 };

/* Two that have one ledger open. */
struct company {
    struct made made;
    struct bt_ledger *one;
    struct bt_ledger *other;
};

static void add(struct company *company, struct bt_ledger *ledger, size_t count)
{
    bool is_recorded = false;
    assert_int_equal(made_append(&company->made, ledger, count, &is_recorded), BT_OK);
    assert_true(is_recorded);
}

static void company_open(struct company *company)
{
    made_open(&company->made);
    company->one = made_ledger(&company->made, true);
    company->other = made_ledger(&company->made, true);
    assert_non_null(company->one);
    assert_non_null(company->other);
    add(company, company->one, 5);
    add(company, company->other, 3);
}

static void company_close(struct company *company)
{
    bt_ledger_close(company->one);
    bt_ledger_close(company->other);
    made_close(&company->made);
}

/* What the first finds when it begins a transaction; "" when nothing is wrong. */
static bt_str found(struct company *company)
{
    struct made *made = &company->made;
    struct bt_findings *alarms = bt_findings_new(&made->arena);
    assert_non_null(alarms);
    assert_int_equal(
        bt_ledger_check_writable(company->one, &made->env, &made->arena, alarms, &made->error),
        BT_OK);
    return bt_findings_count(alarms) > 0 ? bt_findings_at(alarms, 0)->rule->code : BT_STR("");
}

/* ---- Damage ---------------------------------------------------------------------------------- */

static int put_drop(void *context, int count, char **cells, char **names)
{
    char *sql = context;
    const size_t used = strlen(sql);
    (void)count;
    (void)names;
    (void)snprintf(sql + used, SQL_BYTES - used, "DROP TRIGGER \"%s\";", cells[0]);
    return 0;
}

/* Do what the triggers would refuse. */
static void change(const struct company *company, const char *sql)
{
    sqlite3 *db = NULL;
    char drops[SQL_BYTES] = "";
    assert_int_equal(sqlite3_open(company->made.store, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "SELECT name FROM sqlite_master WHERE type = 'trigger'",
                                  put_drop, drops, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, drops, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void those_who_take_turns_believe_each_other(void **state)
{
    (void)state;
    struct company company;
    company_open(&company);
    for (size_t i = 1; i < 40; i++) {
        add(&company, i % 2 ? company.one : company.other, i);
    }
    add(&company, company.other, MANY);
    add(&company, company.one, 1);
    assert_true(made_verifies(&company.made));
    company_close(&company);
}

static void leaves_that_do_not_give_the_signed_root_are_refused(void **state)
{
    (void)state;
    static const char *const damages[] = {
        "UPDATE ledger_entry SET leaf = zeroblob(32) WHERE seq = 6",
        "UPDATE ledger_entry SET leaf = zeroblob(31) WHERE seq = 6",
        "DELETE FROM ledger_entry WHERE seq = 7",
        "UPDATE ledger_entry SET seq = 9 WHERE seq = 5",
    };
    for (size_t i = 0; i < COUNT_OF(damages); i++) {
        struct company company;
        bool is_recorded = true;
        company_open(&company);
        change(&company, damages[i]);
        assert_true(bt_str_eq(found(&company), BT_STR("LEDGER_ROOT_MISMATCH")));
        assert_int_equal(made_append(&company.made, company.one, 1, &is_recorded), BT_ECORRUPT);
        assert_false(is_recorded);
        company_close(&company);
    }
}

static void what_nobody_damaged_is_believed(void **state)
{
    (void)state;
    struct company company;
    company_open(&company);
    change(&company, "UPDATE ledger_entry SET leaf = leaf");
    assert_true(bt_str_eq(found(&company), BT_STR("")));
    company_close(&company);
}

/* The same key has signed another log, which is in the place of ours now. */
static void another_log_is_a_fork_however_much_it_has_grown(void **state)
{
    (void)state;
    static const size_t more[] = {0, 1, MANY};
    for (size_t i = 0; i < COUNT_OF(more); i++) {
        struct company company;
        struct company foreign;
        char sql[SQL_BYTES];
        company_open(&company);
        company_open(&foreign);
        add(&foreign, foreign.one, 1 + more[i]); /* the other one of ours saw 8 of its own */
        assert_true(bt_str_eq(found(&company), BT_STR("")));
        (void)snprintf(
            sql, sizeof(sql),
            "ATTACH '%s' AS a; DELETE FROM ledger_entry; DELETE FROM ledger_checkpoint;"
            "DELETE FROM ledger_hash; INSERT INTO ledger_hash SELECT * FROM a.ledger_hash;"
            "INSERT INTO ledger_entry SELECT * FROM a.ledger_entry;"
            "INSERT INTO ledger_checkpoint SELECT * FROM a.ledger_checkpoint;",
            foreign.made.store);
        change(&company, sql);
        assert_true(bt_str_eq(found(&company), BT_STR("LEDGER_FORK")));
        company_close(&foreign);
        company_close(&company);
    }
}

static void a_log_that_has_shrunk_is_a_rollback(void **state)
{
    (void)state;
    struct company company;
    company_open(&company);
    assert_true(bt_str_eq(found(&company), BT_STR("")));
    change(&company, "DELETE FROM ledger_checkpoint WHERE size > 5");
    assert_true(bt_str_eq(found(&company), BT_STR("LEDGER_ROLLBACK")));
    company_close(&company);
}

/* Ten entries by an agent "lost", and then a failure. */
static enum bt_status add_and_fail(struct bt_ledger_transaction *recording, void *context,
                                   struct bt_error *error)
{
    (void)context;
    for (size_t i = 0; i < 10; i++) {
        struct bt_entry entry;
        struct bt_ledger_record recorded;
        bt_entry_init(&entry);
        entry.actor = BT_STR("cli");
        entry.dialect = BT_STR("raw");
        entry.kind = BT_STR("raw");
        entry.source = BT_STR("lost");
        entry.document.sha256 =
            BT_STR("00000000000000000000000000000000000000000000000000000000000000aa");
        entry.document.size = 1;
        entry.verdict = BT_STR("recorded");
        BT_TRY(bt_ledger_transaction_add_entry(recording, &entry, NULL, &recorded, error));
    }
    return BT_EIO;
}

static void count_figure(void *context, const struct bt_figure *figure)
{
    uint64_t *counts = context;
    counts[figure->query] += figure->count;
}

static void figures_count_what_was_recorded_by_either_of_two(void **state)
{
    (void)state;
    struct company company;
    struct bt_figures_result result;
    bool agrees = false;
    uint64_t counts[2] = {0, 0};
    const struct bt_figures_query queries[2] = {
        {BT_FIGURE_VERDICT, 60, 0, INT64_C(60) * UINT32_MAX, 1000},
        {BT_FIGURE_AGENT, 60, 0, INT64_C(60) * UINT32_MAX, 1000},
    };
    company_open(&company); /* 5 and 3 entries: the first segment has to be read */
    struct made *made = &company.made;
    add(&company, company.one, 1016);
    add(&company, company.one, 1024);
    struct bt_findings *alarms = bt_findings_new(&made->arena);
    struct bt_ledger_transaction lost = {
        .ledger = company.one, .env = &made->env, .arena = &made->arena};
    assert_int_equal(bt_ledger_transaction_run(&lost, add_and_fail, NULL, alarms, &made->error),
                     BT_EIO);
    add(&company, company.other, 10); /* as many as were lost */
    add(&company, company.one, 2100);
    add(&company, company.one, 10);
    assert_int_equal(bt_ledger_figures_agree(company.one, BT_SEQ_MAX, &agrees, &made->error),
                     BT_OK);
    assert_true(agrees);
    assert_int_equal(bt_ledger_read_figures(company.one, queries, 2, count_figure, counts, &result,
                                            &made->error),
                     BT_OK);
    assert_int_equal(result.size, 4096);
    assert_int_equal(counts[0], 4096);
    assert_int_equal(counts[1], 0); /* nothing was recorded for "lost" */
    company_close(&company);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_who_take_turns_believe_each_other),
        cmocka_unit_test(leaves_that_do_not_give_the_signed_root_are_refused),
        cmocka_unit_test(what_nobody_damaged_is_believed),
        cmocka_unit_test(another_log_is_a_fork_however_much_it_has_grown),
        cmocka_unit_test(a_log_that_has_shrunk_is_a_rollback),
        cmocka_unit_test(figures_count_what_was_recorded_by_either_of_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
