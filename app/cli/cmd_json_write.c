/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_json_write.c - baton json fmt, min, canon, stringify: write a document in another form. */
#include <math.h>

#include "commands.h"
#include "json_run.h"
#include "print.h"

enum {
    RESULT_BYTES_MAX = 1 << 30,
    VALUE_SHOWN = 80, /* bytes of the rejected value in a message */
};

static cli_run_fn run_fmt;
static cli_run_fn run_min;
static cli_run_fn run_canon;
static cli_run_fn run_stringify;

static const struct cli_flag *const flags[] = {&flag_format, &flag_config, &flag_no_config,
                                               &flag_limit,  &flag_help,   NULL};

const struct cli_command cmd_json_fmt = {
    .name = "baton json fmt",
    .operands = "[FILE|-]",
    .summary = "lay a document out for reading",
    .about = "Prints the document with one member or item on a line and two blanks for each level. "
             "Without a FILE it reads standard input.\n",
    .missing = "",
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = flags,
    .examples = CLI_EXAMPLES(
        {"baton json fmt handoff.json", "two blanks for each level, one member on a line"}),
    .run = run_fmt,
};

const struct cli_command cmd_json_min = {
    .name = "baton json min",
    .operands = "[FILE|-]",
    .summary = "leave out all white space",
    .about = "Prints the document without white space between its parts and without a line feed at "
             "its end. Without a FILE it reads standard input.\n",
    .missing = "",
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = flags,
    .examples = CLI_EXAMPLES({"baton json min handoff.json", "the same document on one line"}),
    .run = run_min,
};

const struct cli_command cmd_json_canon = {
    .name = "baton json canon",
    .operands = "[FILE|-]",
    .summary = "write the canonical form of RFC 8785",
    .about = "Prints the one form that all spellings of a document share: members sorted, numbers "
             "as ECMAScript writes them, no white space, no line feed at the end. A number beyond "
             "the doubles or half of a surrogate pair has no such form and is reported. Without a "
             "FILE it reads standard input.\n",
    .missing = "",
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = flags,
    .examples = CLI_EXAMPLES(
        {"baton json canon handoff.json | sha256sum", "a digest that does not depend on spelling"}),
    .run = run_canon,
};

const struct cli_command cmd_json_stringify = {
    .name = "baton json stringify",
    .operands = "[FILE|-]",
    .summary = "write what JavaScript's JSON.stringify would",
    .about = "Prints the document as JSON.stringify(JSON.parse(text)) would: names that look like "
             "indexes first, numbers rounded to doubles, no white space, no line feed at the end. "
             "Without a FILE it reads standard input.\n",
    .missing = "",
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = flags,
    .examples = CLI_EXAMPLES(
        {"baton json stringify payload.json", "what JSON.stringify(JSON.parse(text)) gives"}),
    .run = run_stringify,
};

/* Report the value that has no canonical form, or whose name has none. */
static void reject_value(struct cli_json_run *run, const struct cli_json_input *input,
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

static void write_form(struct cli_json_run *run, const struct cli_json_input *input,
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

static int run_form(const struct cli_options *options, enum bt_json_form form)
{
    struct cli_json_run run;
    struct cli_json_input input;
    struct bt_buf result;
    if (!json_run_begin(&run, options)) {
        return CLI_FAILED;
    }
    bt_buf_init(&result, RESULT_BYTES_MAX);
    if (json_run_read(&run, 0, &input)) {
        write_form(&run, &input, form, &result);
    }
    return json_run_end(&run, &result);
}

static int run_fmt(const struct cli_options *options)
{
    return run_form(options, BT_JSON_FORM_PRETTY);
}

static int run_min(const struct cli_options *options)
{
    return run_form(options, BT_JSON_FORM_COMPACT);
}

static int run_canon(const struct cli_options *options)
{
    return run_form(options, BT_JSON_FORM_CANONICAL);
}

static int run_stringify(const struct cli_options *options)
{
    return run_form(options, BT_JSON_FORM_STRINGIFY);
}
