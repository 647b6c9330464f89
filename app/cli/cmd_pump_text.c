/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_pump_text.c - baton pump schema|example|prompt LISTENER
 */
#include <string.h>

#include <baton/json.h>

#include "commands.h"
#include "organism_file.h"
#include "output.h"
#include "print.h"

static cli_run_fn run_schema;
static cli_run_fn run_example;
static cli_run_fn run_prompt;

enum { TEXT_BYTES_MAX = 1 << 26 };

/* clang-format off */
static const struct cli_flag flag_result = {"result", 0, NULL, CLI_ANY,
    "the schema of what it replies", NULL};

static const struct cli_flag *const flags[] = {
    &flag_organism, &flag_table_format, &flag_help, NULL,
};
/* clang-format on */

#define ABOUT                                                                                      \
    "The organism is organism.yaml unless --organism says otherwise; handlers whose classes must " \
    "be known are loaded in their sandbox. The name may be written in any case.\n"

const struct cli_command cmd_pump_schema = {
    .name = "baton pump schema",
    .operands = "LISTENER",
    .summary = "print the XSD of a listener's payload or replies",
    .about = ABOUT,
    .missing = "which listener?",
    .operands_min = 1,
    .operands_max = 1,
    .flags = CLI_FLAGS(&flag_result, &flag_organism, &flag_table_format, &flag_help),
    .examples =
        CLI_EXAMPLES({"baton pump schema calculator.add", "the XSD of its payload"},
                     {"baton pump schema calculator.add --result", "the XSD of its replies"}),
    .run = run_schema,
};

const struct cli_command cmd_pump_example = {
    .name = "baton pump example",
    .operands = "LISTENER",
    .summary = "print a payload that a listener takes",
    .about = ABOUT,
    .missing = "which listener?",
    .operands_min = 1,
    .operands_max = 1,
    .flags = flags,
    .examples = CLI_EXAMPLES({"baton pump example calculator.add", "a payload that fits"}),
    .run = run_example,
};

const struct cli_command cmd_pump_prompt = {
    .name = "baton pump prompt",
    .operands = "LISTENER",
    .summary = "print how to call a listener, or what an agent is told",
    .about = ABOUT,
    .missing = "which listener?",
    .operands_min = 1,
    .operands_max = 1,
    .flags = flags,
    .examples =
        CLI_EXAMPLES({"baton pump prompt researcher", "what the agent is told, peers included"}),
    .run = run_prompt,
};

static int print_json(const struct bt_listener_view *listener, const char *kind, bt_str text)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, 2 * (size_t)TEXT_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "listener", listener->name);
    bt_emit_member_string(&emit, "tag", listener->tag);
    bt_emit_member_string(&emit, "kind", bt_str_of(kind));
    bt_emit_member_string(&emit, "text", text);
    bt_emit_end(&emit);
    bt_buf_put_char(&buf, '\n');
    return cli_print_buf(&buf);
}

static int print_text(const struct cli_options *options, struct cli_organism_file *file,
                      enum bt_organism_text text, const char *kind)
{
    const bt_str name = bt_str_of(options->operands[0]);
    struct bt_listener_view listener;
    struct bt_buf buf;
    if (bt_organism_find_listener(file->organism, &file->arena, name, &listener) != BT_OK) {
        cli_print_error("the organism has no listener %s", options->operands[0]);
        return CLI_FAILED;
    }
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    const enum bt_status status =
        bt_organism_put_text(&buf, &file->arena, file->organism, name, text);
    if (status != BT_OK) {
        cli_print_error("%s has no %s: %s", options->operands[0], kind,
                        status == BT_EINVAL ? "its replies are not declared"
                                            : bt_status_text(status));
        bt_buf_free(&buf);
        return CLI_FAILED;
    }
    if (!cli_wants_json(options)) {
        return cli_print_document(&buf);
    }
    const int code = print_json(&listener, kind, bt_buf_str(&buf));
    bt_buf_free(&buf);
    return code;
}

static int run(const struct cli_options *options, enum bt_organism_text text, const char *kind)
{
    const char *path = cli_given(options, &flag_organism);
    struct cli_organism_file file;
    struct bt_env env;
    if (!cli_env_init(options, &env)) {
        return CLI_FAILED;
    }
    organism_file_begin(&file);
    const int code = cli_organism_file_require(&file, path ? path : "organism.yaml", &env)
                         ? print_text(options, &file, text, kind)
                         : CLI_FAILED;
    organism_file_end(&file);
    return code;
}

static int run_schema(const struct cli_options *options)
{
    return run(options,
               cli_given(options, &flag_result) ? BT_ORGANISM_TEXT_RESULT : BT_ORGANISM_TEXT_SCHEMA,
               "schema");
}

static int run_example(const struct cli_options *options)
{
    return run(options, BT_ORGANISM_TEXT_EXAMPLE, "example");
}

static int run_prompt(const struct cli_options *options)
{
    return run(options, BT_ORGANISM_TEXT_PROMPT, "prompt");
}
