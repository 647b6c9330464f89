/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_json_patch.c - baton json patch DOCUMENT PATCH
 */
#include <stdio.h>

#include "commands.h"
#include "json_run.h"
#include "print.h"

enum {
    RESULT_BYTES_MAX = 1 << 30,
    MESSAGE_BYTES = 160,
};

static cli_run_fn run;

const struct cli_command cmd_json_patch = {
    .name = "baton json patch",
    .operands = "DOCUMENT PATCH",
    .summary = "apply an RFC 6902 patch to a document",
    .about =
        "Prints the patched document, without white space if DOCUMENT has none and laid out for "
        "reading otherwise. A patch applies as a whole or not at all; the operation that could "
        "not be done is reported. One of the two may be - for standard input.\n",
    .missing = "give a document and a patch",
    .operands_min = 2,
    .operands_max = 2,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(&flag_format, &flag_config, &flag_no_config, &flag_limit, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton json patch handoff.json change.json > new.json", "apply a patch"},
        {"baton json diff a b | baton json patch a -", "turn a into something equal to b"}),
    .run = run,
};

/* Report the failed operation, or the whole patch when it is not a list of operations. */
static void reject_patch(struct cli_json_run *run, const struct cli_json_input *patch,
                         const struct bt_json_patch_result *result)
{
    const bt_json_value *operations = bt_json_root(patch->document);
    const bool in_list =
        bt_json_type(operations) == BT_JSON_ARRAY && result->operation < bt_json_count(operations);
    const bt_json_value *culprit =
        in_list ? bt_json_items(operations) + result->operation : operations;
    char message[MESSAGE_BYTES];
    const int size =
        in_list ? snprintf(message, sizeof(message), "operation %zu was refused: %s",
                           result->operation, result->detail)
                : snprintf(message, sizeof(message), "the patch was refused: %s", result->detail);
    const struct cli_json_error refusal = {
        .code = BT_CODE_JSON_PATCH_REFUSED,
        .culprit = culprit,
        .message = size > 0 ? bt_str_of(message) : BT_STR("the patch was refused"),
        .hint = BT_STR(""),
    };
    json_run_refuse(run, patch, &refusal);
}

static void apply_patch(struct cli_json_run *run, const struct cli_json_input inputs[2],
                        struct bt_buf *out)
{
    const struct bt_json_doc *document = inputs[0].document;
    const struct bt_json_patch_options options = {
        .form = bt_json_is_minified(document) ? BT_JSON_FORM_COMPACT : BT_JSON_FORM_PRETTY,
        .result = bt_json_options_from_env(&run->env),
    };
    struct bt_json_patch_result result;
    const enum bt_status status =
        bt_json_patch(out, document, inputs[1].document, &options, &run->arena, &result);
    if (status != BT_OK) {
        json_run_fail(run, status);
    } else if (result.code != BT_JSON_PATCH_OK) {
        reject_patch(run, &inputs[1], &result);
    }
}

static int run(const struct cli_options *options)
{
    struct cli_json_run run;
    struct cli_json_input inputs[2];
    struct bt_buf result;
    if (!json_run_begin(&run, options)) {
        return CLI_FAILED;
    }
    bt_buf_init(&result, RESULT_BYTES_MAX);
    if (json_run_read_both(&run, inputs)) {
        apply_patch(&run, inputs, &result);
    }
    return json_run_end(&run, &result);
}
