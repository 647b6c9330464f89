/* SPDX-License-Identifier: Apache-2.0 */
/* append_check.c - judge documents like `baton check`, for `ledger append`. */
#include "append_check.h"

#include "print.h"

/* Set the options once. References are resolved below the directory of --root. */
static bool make_ready(struct cli_append_check *check, struct cli_ledger_run *run)
{
    const struct cli_options *options = run->options;
    const char *root = cli_given(options, &flag_store_root);
    if (check->checker) {
        return true;
    }
    if (!cli_universal_options(options, &check->universal) ||
        !cli_plan_options(options, &check->plan) || !cli_dir_open(root, &check->root) ||
        !cli_skills_open(options, &run->arena, &check->universal.catalogue) ||
        !cli_message_options_init(options, &run->env, &check->xml)) {
        return false;
    }
    check->universal.root = bt_str_of(root);
    check->plan.dir = check->root;
    check->checker = bt_checker_create(&run->env);
    if (!check->checker) {
        cli_print_error("%s", bt_status_text(BT_ENOMEM));
    }
    return check->checker != NULL;
}

bool append_check_add(struct cli_append_check *check, struct cli_ledger_run *run,
                      const struct cli_input *input, struct bt_submission *item)
{
    if (!make_ready(check, run)) {
        return false;
    }
    const struct bt_check_options options = {.dialect = run->options->dialect,
                                             .fail_level = run->options->fail_level,
                                             .checker = check->checker,
                                             .universal = &check->universal,
                                             .plan = &check->plan,
                                             .xml = &check->xml.options};
    const enum bt_status status =
        bt_check(&run->env, &run->arena, input->path, input->content, &options, item->judged);
    if (status != BT_OK) {
        cli_print_error("cannot judge %.*s: %s", BT_STR_ARG(input->path), bt_status_text(status));
        return false;
    }
    bt_submission_set_names(item);
    return true;
}

void append_check_end(struct cli_append_check *check)
{
    bt_checker_destroy(check->checker);
    bt_dir_close(check->root);
    cli_message_options_free(&check->xml);
}
