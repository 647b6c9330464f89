/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit_tool.c - submit_tool STORE ROOT NOW BATCH FILE...
 *
 * A node that submits handoffs: BATCH of them in one transaction, in the order of the files, and
 * prints for each `accepted FILE` or `CODE FILE` once that is durable.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decide/governed_state.h"
#include "engine/submit.h"

enum { ARENA_BYTES = 256 << 20, FILE_BYTES = 1 << 20, BATCH_MAX = 256 };

struct node {
    struct bt_env env;
    struct bt_arena arena;
    struct bt_governed_checker *governed;
    struct bt_governed_options options;
    struct bt_ledger *ledger;
    struct bt_dir *root;
    struct bt_error error;
};

static bool open_node(struct node *node, char **argv)
{
    bt_instant now;
    const struct bt_ledger_options where = {.store = argv[1], .deadline_ms = 60000};
    if (bt_env_init(&node->env) != BT_OK || bt_instant_parse(bt_str_of(argv[3]), &now) != BT_OK ||
        bt_dir_open(bt_str_of(argv[2]), &node->root, &node->error) != BT_OK) {
        return false;
    }
    bt_env_pin_clock(&node->env, &now);
    bt_arena_init(&node->arena, ARENA_BYTES);
    node->options = bt_governed_options_default();
    node->options.dir = node->root;
    return bt_governed_checker_create(&node->env, &node->governed) == BT_OK &&
           bt_ledger_open(&where, true, &node->ledger, &node->error) == BT_OK;
}

static bool open_case(struct node *node, const char *file, bt_str *text,
                      struct bt_governed_submission **out)
{
    const struct bt_governed_input document = {.kind = BT_GOVERNED_SUBMISSION_HANDOFF,
                                               .path = bt_str_of(file),
                                               .text = BT_STR(""),
                                               .options = &node->options};
    struct bt_governed_input read = document;
    if (bt_file_read(&node->arena, bt_str_of(file), FILE_BYTES, text, &node->error) != BT_OK) {
        return false;
    }
    read.text = *text;
    return bt_governed_submission_open(node->governed, &node->arena, &read, out) == BT_OK;
}

/* Submit so many files in one transaction. */
static bool submit(struct node *node, char **files, size_t count)
{
    struct bt_governed_submission *cases[BATCH_MAX];
    bt_str texts[BATCH_MAX];
    bt_arena_reset(&node->arena);
    struct bt_findings *alarms = bt_findings_new(&node->arena);
    for (size_t i = 0; i < count; i++) {
        if (!open_case(node, files[i], &texts[i], &cases[i])) {
            return false;
        }
    }
    const struct bt_deliver deliver = {.ledger = node->ledger,
                                       .env = &node->env,
                                       .arena = &node->arena,
                                       .actor = BT_STR("node"),
                                       .alarms = alarms};
    struct bt_judgement judged[BATCH_MAX];
    struct bt_submission submissions[BATCH_MAX];
    struct bt_submission *items[BATCH_MAX];
    for (size_t i = 0; i < count; i++) {
        items[i] = &submissions[i];
        judged[i] = (struct bt_judgement){.dialect = BT_DIALECT_GOVERNED};
        bt_submission_init(items[i], &node->arena, &judged[i], BT_STR("node"), texts[i],
                           UINT64_MAX);
        bt_governed_submission_name(cases[i], items[i]);
        items[i]->decision = cases[i];
    }
    if (!alarms || bt_submit(&deliver, items, count, &node->error) != BT_OK ||
        bt_findings_count(alarms) > 0) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct bt_governed_decision *decision = bt_governed_submission_decision(cases[i]);
        const bt_str code = decision->primary ? decision->primary->rule->code : BT_STR("accepted");
        (void)printf("%.*s %s\n", BT_STR_ARG(code), files[i]);
    }
    return fflush(stdout) == 0;
}

int main(int argc, char **argv)
{
    struct node node = {.error = {.text = ""}};
    uint64_t batch = 0;
    if (argc < 6 || bt_str_to_u64(bt_str_of(argv[4]), &batch) != BT_OK || batch == 0 ||
        batch > BATCH_MAX || !open_node(&node, argv)) {
        (void)fprintf(stderr, "submit_tool: %s\n", node.error.text);
        return 2;
    }
    bool fine = true;
    for (int i = 5; i < argc && fine; i += (int)batch) {
        const size_t left = (size_t)(argc - i);
        fine = submit(&node, argv + i, left < batch ? left : (size_t)batch);
    }
    if (!fine) {
        (void)fprintf(stderr, "submit_tool: %s\n", node.error.text);
    }
    bt_ledger_close(node.ledger);
    bt_governed_checker_destroy(node.governed);
    bt_dir_close(node.root);
    bt_arena_free(&node.arena);
    return fine ? 0 : 1;
}
