/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_json.c - the commands of `baton json` */
#include <math.h>
#include <stdio.h>

#include "cli.h"
#include "json/options.h"
#include "json_run.h"
#include "output.h"

/* ---- baton json fmt, min, canon and stringify ------------------------------------------------ */

enum {
    RESULT_BYTES_MAX = 1 << 30,
    VALUE_SHOWN = 80, /* bytes of the rejected value in a message */
};

/* Report the value that has no canonical form, or whose name has none. */
static void reject_value(struct cli_run *run, const struct cli_json_input *input,
                         const bt_json_value *culprit)
{
    struct bt_buf message;
    bt_buf_init(&message, (size_t)8 * VALUE_SHOWN);
    bool is_number = false;
    if (bt_json_is_number(culprit) && isinf(bt_json_to_double(culprit))) {
        is_number = true;
        bt_buf_put_text(&message, "the number ");
        bt_buf_put_printable(&message, bt_json_number_text(input->document, culprit), VALUE_SHOWN);
        bt_buf_put_text(&message, " is beyond the doubles and has no canonical form");
    } else if (culprit->flags & BT_JSON_FLAG_LONE_SURROGATE) {
        bt_buf_put_text(&message, "the string \"");
        bt_buf_put_printable(&message, bt_json_text(culprit), VALUE_SHOWN);
        bt_buf_put_text(&message, "\" holds half of a surrogate pair and has no canonical form");
    } else {
        bt_buf_put_text(&message,
                        "the name holds half of a surrogate pair and has no canonical form");
    }
    const struct cli_json_error refusal = {
        .code = BT_CODE_JSON_NOT_CANONICAL,
        .culprit = culprit,
        .message = bt_buf_str(&message),
        .hint = is_number ? BT_STR("write the number as a string")
                          : BT_STR("write the whole character"),
    };
    if (message.status == BT_OK) {
        json_run_refuse(run, input, &refusal);
    } else {
        json_run_fail(run, message.status);
    }
    bt_buf_free(&message);
}

static void write_form(struct cli_run *run, const struct cli_json_input *input,
                       enum bt_json_form form, struct bt_buf *out)
{
    const bt_json_value *culprit = NULL;
    const enum bt_status status = bt_json_write(out, input->document, bt_json_root(input->document),
                                                form, &run->arena, &culprit);
    if (status == BT_EINVAL && culprit) {
        reject_value(run, input, culprit);
    } else if (status != BT_OK) {
        json_run_fail(run, status);
    }
}

int cmd_json_write(struct cli_run *run)
{
    const enum bt_json_form form = (enum bt_json_form)run->options->command->variant;
    struct cli_json_input input;
    struct bt_buf result;
    bt_buf_init(&result, RESULT_BYTES_MAX);
    if (json_run_read(run, 0, &input)) {
        write_form(run, &input, form, &result);
    }
    return json_run_end(run, &result);
}

/* ---- baton json get -------------------------------------------------------------------------- */

static void put_value(struct cli_run *run, const struct cli_json_input *input,
                      const bt_json_value *value, struct bt_buf *out)
{
    if (!cli_given(run->options, &flag_raw) || bt_json_type(value) != BT_JSON_STRING) {
        const enum bt_status status =
            bt_json_write(out, input->document, value, BT_JSON_FORM_COMPACT, &run->arena, NULL);
        if (status != BT_OK) {
            json_run_fail(run, status);
        }
    } else if (value->flags & BT_JSON_FLAG_LONE_SURROGATE) {
        cli_print_error(
            "the string holds half of a surrogate pair and has no text; leave out --raw");
        run->failed = true;
    } else {
        bt_buf_put(out, bt_json_text(value));
    }
    bt_buf_put_char(out, '\n');
}

int cmd_json_get(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const bt_str pointer = bt_str_of(options->operands[0]);
    if (!bt_json_pointer_is_valid(pointer)) {
        return cli_usage_error(options->command, "%s is not a JSON Pointer", options->operands[0]);
    }
    struct cli_json_input input;
    struct bt_buf result;
    bool absent = false;
    bt_buf_init(&result, RESULT_BYTES_MAX);
    if (json_run_read(run, 1, &input)) {
        const bt_json_value *value =
            bt_json_resolve(input.document, bt_json_root(input.document), pointer);
        absent = !value;
        if (absent) {
            cli_print_error("nothing at %s", options->operands[0]);
        } else {
            put_value(run, &input, value, &result);
        }
    }
    const int code = json_run_end(run, &result);
    return code == CLI_DONE && absent ? CLI_REJECTED : code;
}

/* ---- baton json diff ------------------------------------------------------------------------- */

int cmd_json_diff(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    struct cli_json_input inputs[2];
    struct bt_buf result;
    bool differs = false;
    bt_buf_init(&result, RESULT_BYTES_MAX);
    if (json_run_read_both(run, inputs)) {
        const enum bt_status status =
            bt_json_diff(&result, inputs[0].document, inputs[1].document, &run->arena);
        if (status != BT_OK) {
            json_run_fail(run, status);
        }
        differs = !bt_str_eq(bt_buf_str(&result), BT_STR("[]"));
        bt_buf_put_char(&result, '\n');
    }
    const int code = json_run_end(run, &result);
    return code == CLI_DONE && differs && cli_given(options, &flag_exit_code) ? CLI_REJECTED : code;
}

/* ---- baton json patch ------------------------------------------------------------------------ */

enum {
    MESSAGE_BYTES = 160,
};

/* Report the failed operation, or the whole patch when it is not a list of operations. */
static void reject_patch(struct cli_run *run, const struct cli_json_input *patch,
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

static void apply_patch(struct cli_run *run, const struct cli_json_input inputs[2],
                        struct bt_buf *out)
{
    const struct bt_json_doc *document = inputs[0].document;
    const struct bt_json_options limits = bt_json_options_from_env(&run->env);
    const struct bt_json_patch_options options = {
        .form = bt_json_is_minified(document) ? BT_JSON_FORM_COMPACT : BT_JSON_FORM_PRETTY,
        .result = &limits,
    };
    struct bt_json_patch_result result = {0};
    const enum bt_status status =
        bt_json_patch(out, document, inputs[1].document, &options, &run->arena, &result);
    if (status != BT_OK) {
        json_run_fail(run, status);
    } else if (result.code != BT_JSON_PATCH_OK) {
        reject_patch(run, &inputs[1], &result);
    }
}

int cmd_json_patch(struct cli_run *run)
{
    struct cli_json_input inputs[2];
    struct bt_buf result;
    bt_buf_init(&result, RESULT_BYTES_MAX);
    if (json_run_read_both(run, inputs)) {
        apply_patch(run, inputs, &result);
    }
    return json_run_end(run, &result);
}
