/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_pump_run.c - baton pump run FILE
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <baton/json.h>

#include "base/clock.h"
#include "cli.h"
#include "config/memory.h"
#include "input.h"
#include "json/emit.h"
#include "organism_file.h"
#include "output.h"
#include "pump/pump.h"

enum {
    MESSAGE_BYTES_MAX = 2 << 20,
    LINES_BYTES_MAX = 1 << 30,
    SHOWN_BYTES_MAX = 1 << 30,
    OUTPUT_LINES_MAX = 1000,
    LISTED_MAX = 1000, /* deliveries in text output */
    PARAMS_SHOWN = 400,
    PAYLOAD_SHOWN = 4096,
    THREAD_SHOWN = 8,
    ROOT_SHOWN = 200,
    NANOS_PER_MS = 1000000,
    SECONDS_DEFAULT = 300,
    SECONDS_MAX = 86400,
    TURN_MS = 100,
    DRAIN_MS = 30000,
};

/* ---- Observer -------------------------------------------------------------------------------- */

/* What is listed in the report. */
enum { DELIVERIES, EVENTS, ANSWERS /* to --rpc */, OUTPUT /* of handlers */, LISTS };
static const char *const list_names[LISTS] = {"deliveries", "events", "oob", "output"};

struct cli_pump_run_state {
    const struct cli_options *options;
    struct bt_env env;
    struct cli_organism_file file;
    struct bt_arena arena; /* for what is printed */
    struct bt_pump *pump;
    struct bt_report *report;
    FILE *out;
    FILE *trace;
    bool is_json;
    bool is_lost; /* something could not be written */
    bool is_hard;
    bool is_refused;
    uint64_t documents;
    double end;                 /* the deadline */
    struct bt_buf lists[LISTS]; /* JSON, separated by commas */
    uint64_t output_lines;      /* number of all lines */
    uint64_t waiting;           /* deliveries that were listed, or would be */
};

static void put_separator(struct bt_buf *buf)
{
    if (buf->len > 0) {
        bt_buf_put_char(buf, ',');
    }
}

static bool write_line(FILE *file, bt_str text)
{
    return fwrite(text.ptr, 1, text.len, file) == text.len && fputc('\n', file) != EOF;
}

static void put_event(struct bt_buf *buf, const struct bt_pump_event *event)
{
    struct bt_emit emit;
    put_separator(buf);
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_pump_event_emit(&emit, event);
    bt_emit_end(&emit);
}

/* Whether deliveries and events are listed after the documents. */
static bool lists_text(const struct cli_pump_run_state *running)
{
    const struct cli_options *options = running->options;
    bool is_text = !running->out && cli_given(options, &flag_once);
    for (size_t i = 0; i < options->output_count; i++) {
        is_text = is_text && (options->outputs[i].format == BT_REPORT_FORMAT_FULL ||
                              options->outputs[i].format == BT_REPORT_FORMAT_CONCISE);
    }
    return is_text;
}

static void put_event_line(struct bt_buf *buf, const struct bt_pump_event *event)
{
    bt_buf_printf(buf, "  %.*s", BT_STR_ARG(event->rule->code));
    if (event->listener.len > 0) {
        bt_buf_printf(buf, " at %.*s", BT_STR_ARG(event->listener));
    }
    if (event->document > 0) {
        bt_buf_printf(buf, ", message %llu", (unsigned long long)event->document);
    }
    bt_buf_printf(buf, ": %.*s", BT_STR_ARG(event->rule->meaning));
    if (event->params.len > 0) {
        bt_buf_put_char(buf, ' ');
        bt_buf_put_printable(buf, event->params, PARAMS_SHOWN);
    }
    bt_buf_put_char(buf, '\n');
}

static void receive_event(void *context, const struct bt_pump_event *event)
{
    struct cli_pump_run_state *running = context;
    running->is_hard = running->is_hard || event->rule->severity == BT_SEVERITY_HARD;
    if (running->is_json) {
        put_event(&running->lists[EVENTS], event);
    } else if (lists_text(running)) {
        put_event_line(&running->lists[EVENTS], event);
    } else {
        cli_print_error("%.*s%s%.*s: %.*s", BT_STR_ARG(event->rule->code),
                        event->listener.len > 0 ? " at " : "", BT_STR_ARG(event->listener),
                        BT_STR_ARG(event->rule->meaning));
    }
}

/* Whether a delivery is a diagnostic of the pump; *out is what it says. */
static bool read_diagnostic(struct cli_pump_run_state *running,
                            const struct bt_pump_delivery *delivery, struct bt_pump_diagnostic *out)
{
    return bt_str_eq(delivery->root, BT_STR("huh")) &&
           bt_pump_diagnostic_read(&running->env, &running->arena, delivery->payload, out) == BT_OK;
}

static void put_delivery(struct cli_pump_run_state *running,
                         const struct bt_pump_delivery *delivery)
{
    struct bt_buf *buf = &running->lists[DELIVERIES];
    struct bt_pump_diagnostic diagnostic;
    struct bt_emit emit;
    put_separator(buf);
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "id", delivery->id);
    bt_emit_member_string(&emit, "client", delivery->client);
    bt_emit_member_string(&emit, "from", delivery->from);
    bt_emit_member_string(&emit, "thread", delivery->thread);
    bt_emit_member_string(&emit, "root", delivery->root);
    bt_emit_member_string(&emit, "payload", delivery->payload);
    bt_emit_member_string(&emit, "message", delivery->message);
    if (read_diagnostic(running, delivery, &diagnostic)) {
        bt_emit_name(&emit, "huh");
        bt_emit_begin_object(&emit);
        bt_emit_member_string(&emit, "error", diagnostic.error);
        bt_emit_member_string(&emit, "attempt", diagnostic.attempt);
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
}

/* A delivery is taken when a client has received it. */
static bool receive_delivery(void *context, const struct bt_pump_delivery *delivery)
{
    struct cli_pump_run_state *running = context;
    bool is_seen = running->is_json;
    if (running->is_json) {
        put_delivery(running, delivery);
    }
    if (running->out) {
        /* Written before the store is told that it was taken. */
        is_seen = write_line(running->out, delivery->message) && fflush(running->out) == 0;
        running->is_lost = running->is_lost || !is_seen;
    }
    return is_seen;
}

static void receive_trace(void *context, bt_str message)
{
    struct cli_pump_run_state *running = context;
    running->is_lost = !write_line(running->trace, message) || running->is_lost;
}

static void receive_log(void *context, bt_str listener, bt_str text)
{
    (void)context;
    if (listener.len > 0) {
        cli_print_error("[%.*s] %.*s", BT_STR_ARG(listener), BT_STR_ARG(text));
    } else {
        cli_print_error("%.*s", BT_STR_ARG(text));
    }
}

/* With --verbose: a line for each step of a message. */
static void receive_step(void *context, const struct bt_pump_step *step)
{
    static const char *const names[] = {
        [BT_PUMP_STEP_ACCEPTED] = "accepted", [BT_PUMP_STEP_REFUSED] = "refused",
        [BT_PUMP_STEP_CALL] = "call",         [BT_PUMP_STEP_RESULT] = "result",
        [BT_PUMP_STEP_DELIVERY] = "delivery", [BT_PUMP_STEP_CUT] = "cut"};
    struct cli_pump_run_state *running = context;
    const bt_str thread = bt_str_slice(step->thread, 0, THREAD_SHOWN);
    const bt_str none = BT_STR("-");
    char time[BT_INSTANT_TEXT_BYTES];
    bt_instant now = bt_env_now(&running->env);
    now.nanos -= now.nanos % NANOS_PER_MS;
    (void)bt_instant_format(now, time);
    cli_print_error("%s [%.*s] %s %.*s %.*s %llu ms", time,
                    BT_STR_ARG(step->listener.len > 0 ? step->listener : none), names[step->kind],
                    BT_STR_ARG(thread.len > 0 ? thread : none),
                    BT_STR_ARG(step->root.len > 0 ? bt_str_slice(step->root, 0, ROOT_SHOWN) : none),
                    (unsigned long long)step->ms);
}

/* Write what a handler printed to the log, and the first lines of it into the report. */
static void receive_output(void *context, const struct bt_pump_output *output)
{
    struct cli_pump_run_state *running = context;
    struct bt_emit emit;
    receive_log(context, output->listener, output->text);
    if (running->output_lines++ >= OUTPUT_LINES_MAX || !running->is_json) {
        return;
    }
    put_separator(&running->lists[OUTPUT]);
    bt_emit_init(&emit, &running->lists[OUTPUT], false);
    bt_emit_begin_object(&emit);
    bt_pump_output_emit(&emit, output);
    bt_emit_end(&emit);
}

/* ---- Main loop ------------------------------------------------------------------------------- */

static volatile sig_atomic_t stop_signal_count;

static void end_soon(int number)
{
    (void)number;
    stop_signal_count = stop_signal_count == 0 ? 1 : 2;
}

static bool run_pump_iteration(struct cli_pump_run_state *running)
{
    struct bt_error error;
    return bt_pump_run_once(running->pump, TURN_MS, &error) == BT_OK ||
           cli_refuse("%s", error.text);
}

/* Run until nothing is left to do. False after an error message. */
static bool turn_until_quiet(struct cli_pump_run_state *running)
{
    do {
        if (!run_pump_iteration(running)) {
            return false;
        }
        if ((double)bt_clock_monotonic_ns() / 1e9 > running->end) {
            return cli_refuse("gave up after --max-seconds; what is left stays in the store");
        }
    } while (bt_pump_pending_count(running->pump) > 0);
    return run_pump_iteration(running); /* deliver the last results */
}

static bool submit_message(struct cli_pump_run_state *running, bt_str path, bt_str text)
{
    const char *client = cli_given(running->options, &flag_client);
    const struct bt_pump_input input = {.path = path,
                                        .text = text,
                                        .client = client ? bt_str_of(client) : BT_STR(""),
                                        .document = ++running->documents,
                                        .wants_facts = true};
    struct bt_judgement *judged = bt_arena_calloc(&running->arena, 1, sizeof(*judged));
    struct bt_error error = {.text = ""};
    while (!bt_pump_can_accept(running->pump)) {
        if (!run_pump_iteration(running)) {
            return false;
        }
    }
    if (!judged ||
        bt_pump_submit(running->pump, &running->arena, &input, judged, &error) != BT_OK ||
        bt_report_add(running->report, judged) != BT_OK) {
        return cli_refuse("%.*s: %s", BT_STR_ARG(path),
                          error.text[0] ? error.text : bt_status_text(BT_ENOMEM));
    }
    running->is_refused = running->is_refused || judged->verdict != BT_VERDICT_ACCEPTED;
    return !cli_given(running->options, &flag_one_by_one) || turn_until_quiet(running);
}

static bool submit_lines(struct cli_pump_run_state *running, const char *path)
{
    struct cli_input input;
    if (!cli_input_read_all(&running->arena, path, LINES_BYTES_MAX, &input)) {
        return false;
    }
    uint64_t line = 0;
    for (size_t at = 0; at < input.content.len;) {
        const size_t end = bt_str_find_byte(input.content, '\n', at);
        const bt_str text = bt_str_slice(input.content, at, end);
        bt_str name;
        line++;
        at = end + 1;
        if (bt_str_is_blank(text)) {
            continue;
        }
        if (bt_arena_printf(&running->arena, &name, "%.*s:%llu", BT_STR_ARG(input.path),
                            (unsigned long long)line) != BT_OK ||
            !submit_message(running, name, text)) {
            return false;
        }
    }
    return true;
}

/* Run the lines of --rpc; their errors are answers. */
static bool run_control_lines(struct cli_pump_run_state *running, const char *path)
{
    struct cli_input input;
    struct bt_error error;
    if (!cli_input_read_all(&running->arena, path, LINES_BYTES_MAX, &input)) {
        return false;
    }
    for (size_t at = 0; at < input.content.len;) {
        const size_t end = bt_str_find_byte(input.content, '\n', at);
        const bt_str line = bt_str_slice(input.content, at, end);
        bt_str answer = BT_STR("");
        at = end + 1;
        if (bt_str_is_blank(line)) {
            continue;
        }
        /* Commit what a line decided, so that the next one sees it. */
        if (bt_pump_run_control_line(running->pump, &running->arena, line, &answer, &error) !=
                BT_OK ||
            bt_pump_commit(running->pump, &error) != BT_OK) {
            return cli_refuse("%s", error.text);
        }
        if (answer.len > 0) {
            put_separator(&running->lists[ANSWERS]);
            bt_buf_put(&running->lists[ANSWERS], answer);
        }
    }
    return true;
}

static bool submit_all(struct cli_pump_run_state *running)
{
    const char *path = NULL;
    for (size_t i = 0; (path = cli_given_at(running->options, &flag_in, i)) != NULL; i++) {
        struct cli_input input;
        if (!cli_input_read(&running->arena, path, MESSAGE_BYTES_MAX, &input) ||
            !submit_message(running, input.path, input.content)) {
            return false;
        }
    }
    path = cli_given(running->options, &flag_in_lines);
    return !path || submit_lines(running, path);
}

/* ---- Output ---------------------------------------------------------------------------------- */

static void put_list(struct bt_emit *emit, const struct bt_buf *items)
{
    bt_emit_begin_array(emit);
    if (items->len > 0) {
        bt_emit_raw(emit, bt_buf_str(items));
    }
    bt_emit_end(emit);
}

static enum bt_status put_members(const struct cli_pump_run_state *running, struct bt_buf *buf)
{
    struct bt_emit emit;
    struct bt_pump_listener_stats count;
    bt_buf_put_text(buf, "\"pump\":");
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "organism", bt_pump_organism_name(running->pump));
    bt_emit_name(&emit, "calls");
    bt_emit_begin_object(&emit);
    for (size_t i = 0; bt_pump_listener_stats_at(running->pump, i, &count); i++) {
        bt_emit_name_str(&emit, count.name);
        bt_emit_u64(&emit, count.calls);
    }
    bt_emit_end(&emit);
    bt_emit_member_u64(&emit, "pending", bt_pump_pending_count(running->pump));
    enum bt_status status = BT_OK;
    for (size_t i = 0; i < LISTS; i++) {
        bt_emit_name(&emit, list_names[i]);
        put_list(&emit, &running->lists[i]);
        status = status == BT_OK ? running->lists[i].status : status;
    }
    if (running->output_lines > OUTPUT_LINES_MAX) {
        bt_emit_member_u64(&emit, "output_more", running->output_lines - OUTPUT_LINES_MAX);
    }
    bt_emit_end(&emit);
    return status == BT_OK ? buf->status : status;
}

static bool put_delivery_line(void *context, const struct bt_pump_delivery *delivery)
{
    struct cli_pump_run_state *running = context;
    struct bt_buf *buf = &running->lists[DELIVERIES];
    struct bt_pump_diagnostic diagnostic;
    if (running->waiting++ >= LISTED_MAX) {
        return true; /* they are only counted */
    }
    bt_buf_printf(buf, "  %.*s to %.*s, thread %.*s: ", BT_STR_ARG(delivery->from),
                  BT_STR_ARG(delivery->client),
                  BT_STR_ARG(bt_str_slice(delivery->thread, 0, THREAD_SHOWN)));
    const bool is_diagnostic = read_diagnostic(running, delivery, &diagnostic);
    if (is_diagnostic) {
        bt_buf_printf(buf, "huh: %.*s\n    ", BT_STR_ARG(diagnostic.error));
    }
    bt_buf_put_printable(buf, is_diagnostic ? diagnostic.attempt : delivery->payload,
                         PAYLOAD_SHOWN);
    bt_buf_put_char(buf, '\n');
    return true;
}

/* List the deliveries that wait, and the events. */
static bool print_lists(struct cli_pump_run_state *running)
{
    struct bt_error error;
    struct bt_buf buf;
    if (bt_pump_each_waiting(running->pump, put_delivery_line, running, &error) != BT_OK) {
        return cli_refuse("%s", error.text);
    }
    bt_buf_init(&buf, SHOWN_BYTES_MAX);
    if (running->waiting > 0) {
        bt_buf_put_text(&buf, "\nwaiting for their clients (--out and -f json hand them over):\n");
        bt_buf_put(&buf, bt_buf_str(&running->lists[DELIVERIES]));
    }
    if (running->waiting > LISTED_MAX) {
        bt_buf_printf(&buf, "  and %llu more\n",
                      (unsigned long long)(running->waiting - LISTED_MAX));
    }
    if (running->lists[EVENTS].len > 0) {
        bt_buf_put_text(&buf, "\nevents:\n");
        bt_buf_put(&buf, bt_buf_str(&running->lists[EVENTS]));
    }
    return cli_print_buf(&buf) == CLI_DONE;
}

static bool print_report(struct cli_pump_run_state *running)
{
    struct bt_buf members;
    if (running->out && !running->is_json) {
        return true;
    }
    bt_buf_init(&members, SHOWN_BYTES_MAX);
    const bool is_text = lists_text(running);
    if (!is_text && !cli_is_ok(put_members(running, &members))) {
        bt_buf_free(&members);
        return false;
    }
    const bool shown =
        cli_report_write_with(running->options, running->report, bt_buf_str(&members));
    bt_buf_free(&members);
    return shown && (!is_text || print_lists(running));
}

/* ---- Run ------------------------------------------------------------------------------------- */

static FILE *open_out(const char *path)
{
    if (!path) {
        return NULL;
    }
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (!file) {
        cli_print_error("cannot write %s", path);
    }
    return file;
}

/* The requests of --rpc come first, and may end the run. */
static bool process_inputs(struct cli_pump_run_state *running)
{
    const char *rpc = cli_given(running->options, &flag_rpc);
    if (rpc && !run_control_lines(running, rpc)) {
        return false;
    }
    return (bt_pump_get_state(running->pump) != BT_PUMP_RUNNING || submit_all(running)) &&
           (bt_pump_get_state(running->pump) == BT_PUMP_STOPPED ? run_pump_iteration(running)
                                                                : turn_until_quiet(running));
}

static int run_once(struct cli_pump_run_state *running)
{
    if (!process_inputs(running) || !print_report(running)) {
        return CLI_FAILED;
    }
    if (running->is_lost) {
        return cli_failed("the output could not be written");
    }
    return running->is_refused || running->is_hard ? CLI_REJECTED : CLI_DONE;
}

/* Print the path of the control socket, so that the starter of the pump can continue. */
static bool open_sockets(struct cli_pump_run_state *running)
{
    struct bt_error error;
    bt_str path = BT_STR("");
    if (bt_pump_listen(running->pump, &error) != BT_OK) {
        return cli_refuse("%s", error.text);
    }
    if (bt_pump_control_path(running->file.organism, &running->arena, &path) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    cli_print_error("the pump is ready%s%.*s", path.len > 0 ? ", control socket " : "",
                    BT_STR_ARG(path));
    return true;
}

/* Installed before the pump is opened, so that it can be stopped from the beginning. */
static void install_signal_handlers(void)
{
    /* Opening is not interrupted, but waiting for hosts is. */
    const struct sigaction action = {.sa_handler = end_soon, .sa_flags = SA_RESTART};
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGPIPE, &ignored, NULL); /* TLS writes to sockets that may be closed */
}

static int serve_until_stopped(struct cli_pump_run_state *running)
{
    sig_atomic_t obeyed = 0;
    if (!open_sockets(running)) {
        return CLI_FAILED;
    }
    while (bt_pump_get_state(running->pump) != BT_PUMP_STOPPED) {
        const sig_atomic_t signal_count = stop_signal_count;
        if (signal_count != obeyed) { /* the first signal stops gracefully, the second at once */
            bt_pump_drain(running->pump, obeyed == 0 ? DRAIN_MS : 0);
            obeyed = signal_count;
        }
        if (!run_pump_iteration(running)) {
            return CLI_FAILED;
        }
    }
    return run_pump_iteration(running) ? CLI_DONE : CLI_FAILED; /* send the last answers */
}

static int open_and_run(struct cli_pump_run_state *running)
{
    const struct cli_options *options = running->options;
    const bool is_once = cli_given(options, &flag_once) != NULL;
    struct bt_ledger_memory memory;
    const char *agent = NULL;
    if (!cli_is_ok(config_find_memory(&running->arena, options->config, &memory)) ||
        !cli_is_ok(config_find_agent(&running->arena, options->config, &agent))) {
        return CLI_FAILED;
    }
    const struct bt_pump_options wanted = {
        .store = cli_given(options, &flag_store),
        .memory = memory,
        .agent = agent,
        .heartbeat_s = bt_config_heartbeat_seconds(options->config),
        .hosts = &running->file.hosts,
        .observer = {.context = running,
                     .event = receive_event,
                     .delivery = is_once ? receive_delivery : NULL,
                     .trace = running->trace ? receive_trace : NULL,
                     .log = receive_log,
                     .step = cli_given(options, &flag_verbose) ? receive_step : NULL,
                     .output = receive_output}};
    struct bt_error error;
    if (!is_once) {
        install_signal_handlers();
    }
    if (bt_pump_open(&running->env, running->file.organism, &wanted, &running->pump, &error) !=
        BT_OK) {
        return cli_failed("%s", error.text);
    }
    if (is_once && bt_pump_connect_gateways(running->pump, &error) != BT_OK) {
        cli_print_error("%s", error.text);
        bt_pump_close(running->pump);
        return CLI_FAILED;
    }
    const int code = is_once ? run_once(running) : serve_until_stopped(running);
    bt_pump_close(running->pump);
    return code;
}

static bool take_seconds(struct cli_pump_run_state *running)
{
    const char *text = cli_given(running->options, &flag_max_seconds);
    uint64_t seconds = SECONDS_DEFAULT;
    if (text && (bt_str_to_u64(bt_str_of(text), &seconds) != BT_OK || seconds == 0 ||
                 seconds > SECONDS_MAX)) {
        return cli_refuse_usage(running->options, "--max-seconds wants 1 to %d", SECONDS_MAX);
    }
    running->end = (double)bt_clock_monotonic_ns() / 1e9 + (double)seconds;
    return true;
}

/*
 * Refuse input for a pump that serves, because its caller would wait for an end that never comes.
 */
static bool is_for_batch(const struct cli_options *options)
{
    static const struct cli_flag *const batch[] = {&flag_in,     &flag_in_lines,   &flag_one_by_one,
                                                   &flag_client, &flag_rpc,        &flag_deliveries,
                                                   &flag_trace,  &flag_max_seconds};
    for (size_t i = 0; i < sizeof(batch) / sizeof(batch[0]); i++) {
        if (cli_given(options, batch[i]) && !cli_given(options, &flag_once)) {
            return cli_refuse_usage(options, "--%s goes with --once: without, the pump serves",
                                    batch[i]->name);
        }
    }
    return true;
}

static bool take_words(struct cli_pump_run_state *running)
{
    const struct cli_options *options = running->options;
    const char *out = cli_given(options, &flag_deliveries);
    const char *trace = cli_given(options, &flag_trace);
    running->is_json = cli_wants_json(options);
    if (running->is_json && out && strcmp(out, "-") == 0) {
        return cli_refuse_usage(options, "--out - and -f json both want standard output");
    }
    if (!is_for_batch(options) || !take_seconds(running) ||
        !organism_file_require(&running->file, options->operands[0], &running->env,
                               ORGANISM_LOADED)) {
        return false;
    }
    running->out = open_out(out);
    running->trace = open_out(trace);
    return (!out || running->out) && (!trace || running->trace);
}

static void close_out(FILE *file)
{
    if (file && file != stdout) {
        (void)fclose(file);
    } else if (file) {
        (void)fflush(file);
    }
}

int cmd_pump_run(const struct cli_options *options)
{
    struct cli_pump_run_state running = {.options = options};
    if (!cli_env_init(options, &running.env)) {
        return CLI_FAILED;
    }
    bt_arena_init(&running.arena, (size_t)4 << 30);
    for (size_t i = 0; i < LISTS; i++) {
        bt_buf_init(&running.lists[i], SHOWN_BYTES_MAX);
    }
    organism_file_begin(&running.file);
    running.report = bt_report_new(&running.arena);
    const int code = running.report && take_words(&running) ? open_and_run(&running) : CLI_FAILED;
    close_out(running.out);
    close_out(running.trace);
    organism_file_end(&running.file);
    for (size_t i = 0; i < LISTS; i++) {
        bt_buf_free(&running.lists[i]);
    }
    bt_arena_free(&running.arena);
    return code;
}
