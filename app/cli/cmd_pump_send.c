/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_pump_send.c - baton pump send --in FILE
 */
#include <stdio.h>

#include <baton/json.h>
#include <baton/pump.h>

#include "commands.h"
#include "input.h"
#include "ledger_run.h"
#include "organism_file.h"
#include "output.h"
#include "say.h"

enum { MESSAGE_BYTES_MAX = 2 << 20, SHOWN_BYTES_MAX = 1 << 26 };

static cli_run_fn run;

/* clang-format off */
static const struct cli_flag flag_in = {"in", 0, "FILE", CLI_FILE,
    "a file that is one message, or - (repeatable)", NULL};

static const struct cli_flag *const flags[] = {
    &flag_in, &flag_organism, &flag_client, &flag_store, &flag_table_format, &flag_now, &flag_seed,
    &flag_help, NULL,
};
/* clang-format on */

static const struct cli_example examples[] = {
    {"baton pump send --in ask.xml", "leave a message for the pump's next run"},
    {NULL, NULL},
};

const struct cli_command cmd_pump_send = {
    .name = "baton pump send",
    .operands = "",
    .summary = "put messages into the store of a pump",
    .about = "Each message is judged as at the bus and, when it is good, kept: it is acknowledged "
             "when it is durable, and handled when the pump runs. The answer to a refused one is "
             "all that its sender learns. Exit code 1: refused; 2: no room, or nothing to send.\n",
    .flags = flags,
    .examples = examples,
    .run = run,
};

struct sending {
    const struct cli_options *options;
    struct bt_env env;
    struct organism_file file;
    struct bt_arena arena;
    struct bt_pump *pump;
    struct bt_buf messages; /* JSON, separated by commas */
    uint64_t count;
    uint64_t accepted;
    uint64_t refused;
    uint64_t busy;
};

static void put_busy(struct bt_emit *emit)
{
    bt_emit_member_string(emit, "state", BT_STR("busy"));
    bt_emit_member_string(emit, "code", BT_STR("PUMP_BUSY"));
    bt_emit_member_string(emit, "error", BT_STR("Limit exceeded"));
}

static void put_answer(struct bt_emit *emit, bool is_accepted, const struct bt_pump_taken *taken)
{
    bt_emit_member_string(emit, "state", is_accepted ? BT_STR("accepted") : BT_STR("refused"));
    if (is_accepted || taken->error) {
        bt_emit_member_string(emit, "thread", taken->thread);
    }
    if (is_accepted) {
        bt_emit_name(emit, "duplicate");
        bt_emit_bool(emit, taken->is_repeated);
    } else if (taken->error) {
        bt_emit_member_string(emit, "error", bt_str_of(taken->error));
    }
}

/* Judge one message. False after a complaint: nothing can be said of it. */
static bool send_one(struct sending *sending, const struct cli_input *input)
{
    const char *client = cli_given(sending->options, &flag_client);
    const struct bt_pump_input message = {.path = input->path,
                                          .text = input->content,
                                          .client = client ? bt_str_of(client) : BT_STR(""),
                                          .document = ++sending->count,
                                          .is_told = true};
    struct bt_judged *judged = bt_arena_calloc(&sending->arena, 1, sizeof(*judged));
    struct bt_error error = {.text = ""};
    struct bt_emit emit;
    const bool is_busy = !bt_pump_has_room(sending->pump);
    if (!judged || (!is_busy && bt_pump_submit(sending->pump, &sending->arena, &message, judged,
                                               &error) != BT_OK)) {
        cli_complain("%s", error.text[0] ? error.text : bt_status_text(BT_ENOMEM));
        return false;
    }
    const struct bt_pump_taken taken = bt_pump_taken(sending->pump);
    const bool is_accepted = !is_busy && judged->verdict == BT_ACCEPTED;
    if (sending->messages.len > 0) {
        bt_buf_put_char(&sending->messages, ',');
    }
    bt_emit_init(&emit, &sending->messages, false);
    bt_emit_object(&emit);
    bt_emit_member_u64(&emit, "index", sending->count);
    if (is_busy) {
        put_busy(&emit);
    } else {
        put_answer(&emit, is_accepted, &taken);
    }
    bt_emit_end(&emit);
    sending->busy += is_busy;
    sending->accepted += is_accepted;
    sending->refused += !is_busy && !is_accepted;
    return true;
}

static int show(const struct sending *sending)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SHOWN_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "mode", BT_STR("stored"));
    bt_emit_member_u64(&emit, "accepted", sending->accepted);
    bt_emit_member_u64(&emit, "refused", sending->refused);
    bt_emit_name(&emit, "messages");
    bt_emit_array(&emit);
    bt_emit_raw(&emit, bt_buf_str(&sending->messages));
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_buf_put_char(&buf, '\n');
    return cli_print_buf(&buf);
}

static int show_words(const struct sending *sending)
{
    char text[128];
    const int size =
        snprintf(text, sizeof(text), "%llu stored, %llu refused, %llu without room\n",
                 (unsigned long long)sending->accepted, (unsigned long long)sending->refused,
                 (unsigned long long)sending->busy);
    return cli_print((bt_str){text, (size_t)size});
}

static int send_all(struct sending *sending)
{
    const struct cli_options *options = sending->options;
    const bool is_json = cli_wants_json(options);
    struct bt_error error;
    const char *path = NULL;
    for (size_t i = 0; (path = cli_given_at(options, &flag_in, i)) != NULL; i++) {
        struct cli_input input;
        if (!cli_input_read(&sending->arena, path, MESSAGE_BYTES_MAX, &input) ||
            !send_one(sending, &input)) {
            return CLI_FAILED;
        }
    }
    if (bt_pump_keep(sending->pump, &error) != BT_OK) {
        cli_complain("%s", error.text);
        return CLI_FAILED;
    }
    const int shown = is_json ? show(sending) : show_words(sending);
    return shown != CLI_DONE || sending->busy > 0 ? CLI_FAILED
           : sending->refused > 0                 ? CLI_REJECTED
                                                  : CLI_DONE;
}

static int open_and_send(struct sending *sending)
{
    const char *path = cli_given(sending->options, &flag_organism);
    const struct bt_pump_options wanted = {.store = cli_given(sending->options, &flag_store),
                                           .hosts = &sending->file.hosts,
                                           .is_stopped = true};
    struct bt_error error;
    if (!cli_given(sending->options, &flag_in)) {
        return cli_misused(sending->options->command, "nothing to send: name a file with --in");
    }
    if (!organism_file_need(&sending->file, path ? path : "organism.yaml", &sending->env)) {
        return CLI_FAILED;
    }
    if (bt_pump_open(&sending->env, sending->file.organism, &wanted, &sending->pump, &error) !=
        BT_OK) {
        cli_complain("%s", error.text);
        return CLI_FAILED;
    }
    const int code = send_all(sending);
    bt_pump_close(sending->pump);
    return code;
}

static int run(const struct cli_options *options)
{
    struct sending sending = {.options = options};
    if (!cli_world(options, &sending.env)) {
        return CLI_FAILED;
    }
    bt_arena_init(&sending.arena, (size_t)1 << 30);
    bt_buf_init(&sending.messages, SHOWN_BYTES_MAX);
    organism_file_begin(&sending.file);
    const int code = open_and_send(&sending);
    organism_file_end(&sending.file);
    bt_buf_free(&sending.messages);
    bt_arena_free(&sending.arena);
    return code;
}
