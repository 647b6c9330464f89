/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_pump_send.c - baton pump send --in FILE
 */
#include <stdio.h>

#include <baton/json.h>

#include "cli.h"
#include "config/memory.h"
#include "input.h"
#include "json/emit.h"
#include "operation/rule_codes.h"
#include "organism_file.h"
#include "output.h"
#include "pump/pump.h"

enum {
    MESSAGE_BYTES_MAX = 2 << 20,
    SHOWN_BYTES_MAX = 1 << 26,
    LINE_BYTES_MAX = 1 << 20, /* of the control channel */
    CONNECT_MS = 5000,
    ANSWER_MS = 60000,
};

struct cli_pump_send_run {
    const struct cli_options *options;
    struct bt_env env;
    struct cli_organism_file file;
    struct bt_arena arena;
    struct bt_pump *pump;              /* NULL: it runs in another process ... */
    struct bt_control_client *control; /* ... and is reached through this */
    struct bt_buf messages;            /* JSON, separated by commas */
    uint64_t count;
    uint64_t accepted;
    uint64_t refused;
    uint64_t busy;
};

/* The result of one message. */
struct cli_pump_send_result {
    enum { ACCEPTED, REFUSED, BUSY } state;
    bt_str thread; /* "": its sender is not told */
    bool is_repeated;
    bt_str error; /* the text of the diagnostic; "": none */
    /* of a refused message that was judged here: who runs this can read the organism; else NULL */
    const struct bt_judgement *judged;
};

/* Say on standard error that a message was refused, and what is known about it. */
static void print_refusal(struct cli_pump_send_run *sending, const struct cli_input *input,
                          const struct cli_pump_send_result *outcome)
{
    if (outcome->error.len > 0) {
        cli_print_error("%.*s: refused: %.*s", BT_STR_ARG(input->path), BT_STR_ARG(outcome->error));
    } else {
        cli_print_error("%.*s: refused, and no reason is given to this sender",
                        BT_STR_ARG(input->path));
    }
    if (outcome->judged && !cli_wants_json(sending->options)) {
        cli_report_complain(&sending->arena, outcome->judged);
    }
}

static void put_outcome(struct cli_pump_send_run *sending,
                        const struct cli_pump_send_result *outcome)
{
    struct bt_emit emit;
    if (sending->messages.len > 0) {
        bt_buf_put_char(&sending->messages, ',');
    }
    bt_emit_init(&emit, &sending->messages, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "index", sending->count);
    bt_emit_member_string(&emit, "state",
                          outcome->state == ACCEPTED  ? BT_STR("accepted")
                          : outcome->state == REFUSED ? BT_STR("refused")
                                                      : BT_STR("busy"));
    if (outcome->thread.len > 0) {
        bt_emit_member_string(&emit, "thread", outcome->thread);
    }
    if (outcome->state == ACCEPTED) {
        cli_json_bool(&emit, "duplicate", outcome->is_repeated);
    } else if (outcome->state == BUSY) {
        bt_emit_member_string(&emit, "code", bt_rule_of_code(BT_CODE_PUMP_BUSY)->code);
    }
    if (outcome->error.len > 0) {
        bt_emit_member_string(&emit, "error", outcome->error);
    }
    if (outcome->judged) {
        cli_json_array(&emit, "findings");
        bt_findings_emit(&emit, outcome->judged->findings);
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    sending->busy += outcome->state == BUSY;
    sending->accepted += outcome->state == ACCEPTED;
    sending->refused += outcome->state == REFUSED;
}

static const struct cli_pump_send_result no_room = {.state = BUSY,
                                                    .error = BT_STR_INIT("Limit exceeded")};

/* ---- Into the store -------------------------------------------------------------------------- */

/* Judge one message. False after an error message: there is no result. */
static bool store_one(struct cli_pump_send_run *sending, const struct cli_input *input,
                      struct cli_pump_send_result *out)
{
    const char *client = cli_given(sending->options, &flag_client);
    const struct bt_pump_input message = {.path = input->path,
                                          .text = input->content,
                                          .client = client ? bt_str_of(client) : BT_STR(""),
                                          .document = sending->count,
                                          .sender_is_waiting = true};
    struct bt_judgement *judged = bt_arena_calloc(&sending->arena, 1, sizeof(*judged));
    struct bt_error error = {.text = ""};
    if (!bt_pump_can_accept(sending->pump)) {
        *out = no_room;
        return true;
    }
    if (!judged ||
        bt_pump_submit(sending->pump, &sending->arena, &message, judged, &error) != BT_OK) {
        return cli_refuse_error(&error);
    }
    const struct bt_pump_ingress_result taken = bt_pump_last_ingress(sending->pump);
    const bool is_accepted = judged->verdict == BT_VERDICT_ACCEPTED;
    *out = (struct cli_pump_send_result){.state = is_accepted ? ACCEPTED : REFUSED,
                                         .thread =
                                             is_accepted || taken.error ? taken.thread : BT_STR(""),
                                         .is_repeated = taken.is_repeated,
                                         .error = is_accepted ? BT_STR("") : bt_str_of(taken.error),
                                         .judged = is_accepted ? NULL : judged};
    return true;
}

/* ---- To a running pump ----------------------------------------------------------------------- */

/* Bytes that are not text are sent as base64. */
static bool put_params(struct cli_pump_send_run *sending, const struct cli_input *input,
                       bt_str *out)
{
    const char *client = cli_given(sending->options, &flag_client);
    const bool is_text = bt_utf8_check(input->content) == input->content.len;
    struct bt_buf params;
    struct bt_buf coded;
    struct bt_emit emit;
    bt_buf_init(&params, LINE_BYTES_MAX - 256);
    bt_buf_init(&coded, LINE_BYTES_MAX);
    bt_emit_init(&emit, &params, false);
    bt_emit_begin_object(&emit);
    if (client) {
        bt_emit_member_string(&emit, "client", bt_str_of(client));
    }
    if (is_text) {
        bt_emit_member_string(&emit, "message", input->content);
    } else {
        bt_base64_put(&coded, input->content);
        bt_emit_member_string(&emit, "message_base64", bt_buf_str(&coded));
    }
    bt_emit_end(&emit);
    const bool is_kept =
        coded.status == BT_OK && bt_buf_copy(&params, &sending->arena, out) == BT_OK;
    bt_buf_free(&params);
    bt_buf_free(&coded);
    return is_kept;
}

static bt_str member_of(const struct bt_json_doc *document, const char *name)
{
    const bt_json_value *value = bt_json_get(document, bt_json_root(document), bt_str_of(name));
    return value ? bt_json_text(value) : BT_STR("");
}

static bool read_answer(struct cli_pump_send_run *sending, const struct bt_control_result *answer,
                        struct cli_pump_send_result *out)
{
    const bt_str text = answer->error == 0 ? answer->result : answer->data;
    struct bt_json_read_result read = {.document = NULL};
    if (answer->error == BT_CONTROL_ERROR_BUSY) {
        *out = no_room;
        return true;
    }
    /* from: socket */
    if (text.len == 0 || bt_json_read(&sending->arena, text, NULL, &read) != BT_OK ||
        !read.document) {
        return cli_refuse("%.*s", BT_STR_ARG(answer->message));
    }
    const bt_json_value *repeated =
        bt_json_get(read.document, bt_json_root(read.document), BT_STR("duplicate"));
    *out = (struct cli_pump_send_result){.state = answer->error == 0 ? ACCEPTED : REFUSED,
                                         .thread = member_of(read.document, "thread"),
                                         .is_repeated =
                                             repeated && bt_json_type(repeated) == BT_JSON_TRUE,
                                         .error = member_of(read.document, "error")};
    return true;
}

static bool send_one(struct cli_pump_send_run *sending, const struct cli_input *input,
                     struct cli_pump_send_result *out)
{
    struct bt_control_request question = {.method = BT_STR("inject"), .wait_ms = ANSWER_MS};
    struct bt_control_result answer;
    struct bt_error error;
    if (!put_params(sending, input, &question.params)) {
        return cli_refuse(
            "%.*s: %zu bytes do not fit a line of the control channel (1 MiB): send it over "
            "the bus (organism.socket), or while the pump does not run",
            BT_STR_ARG(input->path), input->content.len);
    }
    if (bt_control_client_call(sending->control, &sending->arena, &question, &answer, &error) !=
        BT_OK) {
        return cli_refuse("%s", error.text);
    }
    return read_answer(sending, &answer, out);
}

/* ---- Run ------------------------------------------------------------------------------------- */

static int print_json(const struct cli_pump_send_run *sending)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SHOWN_BYTES_MAX);
    cli_json_begin(&emit, &buf);
    bt_emit_member_string(&emit, "mode", sending->pump ? BT_STR("stored") : BT_STR("sent"));
    bt_emit_member_u64(&emit, "accepted", sending->accepted);
    bt_emit_member_u64(&emit, "refused", sending->refused);
    cli_json_array(&emit, "messages");
    bt_emit_raw(&emit, bt_buf_str(&sending->messages));
    bt_emit_end(&emit);
    cli_json_end(&emit);
    return cli_print_buf(&buf);
}

static int show_words(const struct cli_pump_send_run *sending)
{
    char text[128];
    const int size =
        snprintf(text, sizeof(text), "%llu %s, %llu refused, %llu without room\n",
                 (unsigned long long)sending->accepted, sending->pump ? "stored" : "sent",
                 (unsigned long long)sending->refused, (unsigned long long)sending->busy);
    return cli_print((bt_str){text, (size_t)size});
}

static int send_all(struct cli_pump_send_run *sending)
{
    const struct cli_options *options = sending->options;
    const bool is_json = cli_wants_json(options);
    struct bt_error error;
    const char *path = NULL;
    for (size_t i = 0; (path = cli_given_at(options, &flag_in, i)) != NULL; i++) {
        struct cli_input input;
        struct cli_pump_send_result outcome = {.state = REFUSED};
        if (!cli_input_read(&sending->arena, path, MESSAGE_BYTES_MAX, &input)) {
            return CLI_FAILED;
        }
        sending->count++;
        if (!(sending->pump ? store_one : send_one)(sending, &input, &outcome)) {
            return CLI_FAILED;
        }
        put_outcome(sending, &outcome);
        if (outcome.state == REFUSED) {
            print_refusal(sending, &input, &outcome);
        }
    }
    if (sending->pump && bt_pump_commit(sending->pump, &error) != BT_OK) {
        return cli_failed("%s", error.text);
    }
    const int shown = is_json ? print_json(sending) : show_words(sending);
    return shown != CLI_DONE || sending->busy > 0 ? CLI_FAILED
           : sending->refused > 0                 ? CLI_REJECTED
                                                  : CLI_DONE;
}

/* Connect to the pump, if it runs. False after an error message. */
static bool find_pump(struct cli_pump_send_run *sending)
{
    struct bt_error error;
    bt_str path;
    enum bt_status status = bt_pump_control_path(sending->file.organism, &sending->arena, &path);
    if (status == BT_OK && path.len > 0) {
        status = bt_control_client_open(path.ptr, CONNECT_MS, &sending->control, &error);
        if (status != BT_OK && status != BT_ENOENT) {
            return cli_refuse("%s", error.text);
        }
        return true;
    }
    return status == BT_OK;
}

/* No pump runs: send into its store. */
static int open_and_send(struct cli_pump_send_run *sending, const char *path)
{
    struct bt_ledger_memory memory;
    const char *agent = NULL;
    if (!cli_is_ok(config_find_memory(&sending->arena, sending->options->config, &memory)) ||
        !cli_is_ok(config_find_agent(&sending->arena, sending->options->config, &agent))) {
        return CLI_FAILED;
    }
    const struct bt_pump_options wanted = {.store = cli_given(sending->options, &flag_store),
                                           .memory = memory,
                                           .agent = agent,
                                           .hosts = &sending->file.hosts,
                                           .without_hosts = true};
    struct bt_error error;
    organism_file_end(&sending->file);
    organism_file_begin(&sending->file);
    if (!organism_file_require(&sending->file, path, &sending->env, ORGANISM_CLASSES)) {
        return CLI_FAILED;
    }
    if (bt_pump_open(&sending->env, sending->file.organism, &wanted, &sending->pump, &error) !=
        BT_OK) {
        return cli_failed("%s", error.text);
    }
    const int code = send_all(sending);
    bt_pump_close(sending->pump);
    return code;
}

static int find_and_send(struct cli_pump_send_run *sending)
{
    const char *given = cli_given(sending->options, &flag_organism);
    const char *path = given ? given : "organism.yaml";
    if (!organism_file_require(&sending->file, path, &sending->env, ORGANISM_NOT_LOADED) ||
        !find_pump(sending)) {
        return CLI_FAILED;
    }
    if (!sending->control) {
        return open_and_send(sending, path);
    }
    const int code = send_all(sending);
    bt_control_client_close(sending->control);
    return code;
}

int cmd_pump_send(const struct cli_options *options)
{
    struct cli_pump_send_run sending = {.options = options};
    if (!cli_env_init(options, &sending.env)) {
        return CLI_FAILED;
    }
    bt_arena_init(&sending.arena, (size_t)1 << 30);
    bt_buf_init(&sending.messages, SHOWN_BYTES_MAX);
    organism_file_begin(&sending.file);
    const int code = find_and_send(&sending);
    organism_file_end(&sending.file);
    bt_buf_free(&sending.messages);
    bt_arena_free(&sending.arena);
    return code;
}
