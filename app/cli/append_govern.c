/* SPDX-License-Identifier: Apache-2.0 */
/*
 * append_govern.c - governed submissions with the default options of `govern submit` and `govern
 * respond`.
 */
#include "append_govern.h"

#include "print.h"

/* Load settings, governed root and schemas once. False after an error message. */
static bool make_ready(struct cli_append_govern *govern, struct cli_ledger_run *run, bt_str actor)
{
    if (govern->governed) {
        return true;
    }
    /* Here --root has two uses: to find the store, and as the governed root. */
    struct cli_options options = *run->options;
    options.root = cli_given(run->options, &flag_store_root);
    if (!cli_governed_options(&options, &run->arena, &govern->flags) ||
        !cli_governed_open(&options, &govern->flags)) {
        return false;
    }
    if (!govern->flags.options.dir) {
        (void)cli_usage_error(run->options->command,
                              "a governed document needs a catalogue: give --root DIR");
        return false;
    }
    govern->govern =
        (struct bt_governed_state){.env = &run->env, .arena = &run->arena, .actor = actor};
    const enum bt_status status = bt_governed_checker_create(&run->env, &govern->governed);
    if (status != BT_OK) {
        cli_print_error("%s", bt_status_text(status));
    }
    return status == BT_OK;
}

bool append_govern_add(struct cli_append_govern *govern, struct cli_ledger_run *run,
                       const struct cli_input *input, struct bt_submission *item)
{
    if (!make_ready(govern, run, item->actor)) {
        return false;
    }
    const bool is_response = item->judged->dialect == BT_DIALECT_RESPONSE;
    const struct bt_governed_input document = {.kind = is_response ? BT_GOVERNED_SUBMISSION_RESPONSE
                                                                   : BT_GOVERNED_SUBMISSION_HANDOFF,
                                               .path = input->path,
                                               .text = input->content,
                                               .options = &govern->flags.options};
    struct bt_case_append *append = BT_NEW(&run->arena, struct bt_case_append);
    enum bt_status status = append ? BT_OK : BT_ENOMEM;
    if (status == BT_OK) {
        append->govern = &govern->govern;
        status =
            bt_governed_submission_open(govern->governed, &run->arena, &document, &append->item);
    }
    if (status != BT_OK) {
        const char *trouble = bt_governed_last_error(govern->governed);
        cli_print_error("cannot judge %.*s: %s", BT_STR_ARG(input->path),
                        trouble[0] ? trouble : bt_status_text(status));
        return false;
    }
    bt_governed_submission_prepare(append, item);
    return true;
}

void append_govern_end(struct cli_append_govern *govern)
{
    bt_governed_checker_destroy(govern->governed);
    cli_governed_close(&govern->flags);
}
