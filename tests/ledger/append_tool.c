/* SPDX-License-Identifier: Apache-2.0 */
/*
 * append_tool.c - append_tool STORE PREFIX [early]
 *
 * Records one raw document after the other, each with the id PREFIX-N, and prints the id when it is
 * acknowledged, until it is killed. With `early` it prints first: the mistake that a test must see.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/submit.h"
#include "ledger/ledger.h"

enum { ARENA_BYTES = 16 << 20 };

static bool say(const char *id)
{
    char line[300];
    const int size = snprintf(line, sizeof(line), "%s\n", id);
    return size > 0 && write(STDOUT_FILENO, line, (size_t)size) == size;
}

/* Record one document; false when that failed. */
static bool append(struct bt_ledger *ledger, struct bt_env *env, struct bt_arena *arena,
                   const char *id)
{
    struct bt_error error = {.text = ""};
    struct bt_findings *none = bt_findings_new(arena);
    struct bt_findings *alarms = bt_findings_new(arena);
    if (!none || !alarms) {
        return false;
    }
    struct bt_judgement judged = {.path = BT_STR("x"),
                                  .dialect = BT_DIALECT_RAW,
                                  .verdict = BT_VERDICT_RECORDED,
                                  .findings = none};
    struct bt_submission submission;
    struct bt_submission *item = &submission;
    bt_submission_init(item, arena, &judged, BT_STR("cli"), bt_str_of(id), UINT64_MAX);
    item->entry.kind = BT_STR("raw");
    item->entry.handoff_id = bt_str_of(id);
    struct bt_ledger_batch batch = {.items = &item, .count = 1};
    const enum bt_status status = bt_ledger_append(ledger, env, arena, &batch, alarms, &error);
    if (status != BT_OK || bt_findings_count(alarms) > 0) {
        (void)fprintf(stderr, "append: %s\n", error.text);
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct bt_env env;
    struct bt_arena arena;
    struct bt_error error;
    struct bt_ledger *ledger = NULL;
    if (argc < 3 || bt_env_init(&env) != BT_OK) {
        return 2;
    }
    const struct bt_ledger_options options = {.store = argv[1], .deadline_ms = 10000};
    const bool early = argc > 3 && strcmp(argv[3], "early") == 0;
    if (bt_ledger_open(&options, true, &ledger, &error) != BT_OK) {
        (void)fprintf(stderr, "open: %s\n", error.text);
        return 2;
    }
    bt_arena_init(&arena, ARENA_BYTES);
    bool going = true;
    for (uint64_t n = 0; going; n++) {
        char id[256];
        (void)snprintf(id, sizeof(id), "%s-%" PRIu64, argv[2], n);
        bt_arena_reset(&arena);
        going = early ? say(id) && append(ledger, &env, &arena, id)
                      : append(ledger, &env, &arena, id) && say(id);
    }
    bt_ledger_close(ledger);
    return 1;
}
