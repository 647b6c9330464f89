/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* nftw() */
#include "made.h"

#include <ftw.h>
#include <unistd.h>

#include "engine/submit.h"
#include "ledger/proof_api.h"
#include "test.h"

enum { ARENA_BYTES = 512 << 20 };

void made_open(struct made *made)
{
    made_open_as(made, 1);
}

void made_open_as(struct made *made, unsigned entries)
{
    const char *place = test_place();
    const struct bt_ledger_init_options plan = {.origin = BT_STR(MADE_ORIGIN),
                                                .key_text = BT_STR(""),
                                                .has_seed = true,
                                                .seed = 1,
                                                .entries = entries};
    struct bt_ledger_init_result out;
    (void)snprintf(made->folder, sizeof(made->folder), "%s/baton-XXXXXX", place);
    assert_non_null(mkdtemp(made->folder));
    (void)snprintf(made->store, sizeof(made->store), "%s/store.db", made->folder);
    assert_int_equal(bt_env_init(&made->env), BT_OK);
    bt_arena_init(&made->arena, ARENA_BYTES);
    const struct bt_ledger_options options = {.store = made->store};
    if (bt_ledger_init(&made->env, &made->arena, &options, &plan, &out, &made->error) != BT_OK) {
        fail_msg("%s", made->error.text);
    }
}

static int delete_one(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

void made_close(struct made *made)
{
    bt_arena_free(&made->arena);
    (void)nftw(made->folder, delete_one, 16, FTW_DEPTH | FTW_PHYS);
}

struct bt_ledger *made_ledger(struct made *made, bool writing)
{
    struct bt_ledger *ledger = NULL;
    const struct bt_ledger_options options = {.store = made->store};
    if (bt_ledger_open(&options, writing, &ledger, &made->error) != BT_OK) {
        return NULL;
    }
    return ledger;
}

enum bt_status made_append(struct made *made, struct bt_ledger *ledger, size_t count,
                           bool *out_recorded)
{
    struct bt_findings *none = bt_findings_new(&made->arena);
    struct bt_findings *alarms = bt_findings_new(&made->arena);
    struct bt_judgement *judged = BT_NEW_ARRAY(&made->arena, struct bt_judgement, count);
    struct bt_submission *all = BT_NEW_ARRAY(&made->arena, struct bt_submission, count);
    struct bt_submission **items = BT_NEW_ARRAY(&made->arena, struct bt_submission *, count);
    if (!none || !alarms || !judged || !all || !items) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        judged[i] = (struct bt_judgement){.path = BT_STR("x"),
                                          .dialect = BT_DIALECT_RAW,
                                          .verdict = BT_VERDICT_RECORDED,
                                          .findings = none};
        items[i] = &all[i];
        bt_submission_init(items[i], &made->arena, &judged[i], BT_STR("cli"), BT_STR("hello\n"),
                           UINT64_MAX);
        items[i]->entry.kind = BT_STR("raw");
    }
    struct bt_ledger_batch batch = {.items = items, .count = count};
    const enum bt_status status =
        bt_ledger_append(ledger, &made->env, &made->arena, &batch, alarms, &made->error);
    *out_recorded = batch.is_recorded;
    return bt_findings_count(alarms) > 0 ? BT_ECORRUPT : status;
}

bool made_verifies(struct made *made)
{
    struct bt_judgement judged = {.verdict = BT_VERDICT_NONE};
    struct bt_ledger *ledger = made_ledger(made, false);
    struct bt_verifier_keys *keys = bt_verifier_keys_new(&made->arena, BT_VERIFIER_KEY_LOG);
    assert_non_null(ledger);
    assert_int_equal(bt_verifier_keys_add(keys, BT_STR(MADE_VKEY), &made->error), BT_OK);
    const struct bt_ledger_verify_options options = {.keys = keys};
    assert_int_equal(bt_ledger_verify(ledger, &made->arena, &options, &judged, &made->error),
                     BT_OK);
    bt_ledger_close(ledger);
    return judged.verdict == BT_VERDICT_ACCEPTED;
}
