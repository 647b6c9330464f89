/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handler_test.c - call one handler once, in its sandbox, without store, ledger and routing.
 *
 *     payload -> checked -> host -> one call -> result -> fragments, as the pump would judge them
 */
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/vec.h"
#include "dialect/xml/message_check.h"
#include "json/emit.h"
#include "pump/fragments.h"
#include "pump/output.h"
#include "sandbox/handler_probe.h"
#include "sandbox/private_dir.h"

enum {
    PAYLOAD_BYTES_MAX = 4 << 20,
    SHOWN_BYTES_MAX = 16 << 20,
    PARAMS_BYTES_MAX = 8192,
    WAIT_MS = 50,
    START_MS = 15000, /* HELLO has 10 s */
    LEAVE_MS = 2000,  /* for what a handler prints at its end */
};

/* One run of a handler. */
struct pump_test_run {
    struct bt_env *env;
    struct bt_arena *arena;
    const struct bt_organism *organism;
    const struct bt_organism_listener *listener;
    const struct bt_pump_test_input *input;
    bt_str payload; /* canonical */
    struct bt_host_launch_context context;
    bt_str folder; /* that holds its work directory; "": not made */
    struct bt_host_pool *pool;
    struct bt_pump_output_line lines[BT_HOST_STREAM__COUNT];
    BT_VEC(struct bt_pump_output) output;
    BT_VEC(struct bt_pump_event) events;
    bt_str body; /* of the result */
    uint64_t called_ms;
    bool is_over; /* the call */
    bool has_ended;
    struct bt_pump_test_result *out;
    struct bt_error *error;
};

/* ---- The payload ----------------------------------------------------------------------------- */

bool bt_pump_test_field_is_valid(const struct bt_pump_test_field *field)
{
    return bt_payload_field_name_is_valid(field->name);
}

static bool is_declared(const struct bt_payload_type *type, bt_str name)
{
    return type && bt_message_field_named(type, name) < type->count;
}

/* Put the given fields of this name; with "", those that the type does not declare. */
static void put_fields(struct bt_buf *buf, const struct pump_test_run *run, bt_str name)
{
    for (size_t i = 0; i < run->input->field_count; i++) {
        const struct bt_pump_test_field *field = &run->input->fields[i];
        if (name.len > 0 ? bt_str_eq(field->name, name)
                         : !is_declared(run->listener->takes.type, field->name)) {
            bt_buf_printf(buf, "<%.*s>", BT_STR_ARG(field->name));
            bt_xml_put_text(buf, field->value);
            bt_buf_printf(buf, "</%.*s>", BT_STR_ARG(field->name));
        }
    }
}

/* Build the payload with its fields in the order of their declaration. */
static enum bt_status build_payload(const struct pump_test_run *run, bt_str *out)
{
    const struct bt_organism_capability *takes = &run->listener->takes;
    const bool has_fields = takes->type && takes->type->kind == BT_TYPE_RECORD;
    struct bt_buf buf;
    bt_buf_init(&buf, PAYLOAD_BYTES_MAX);
    bt_buf_printf(&buf, "<%.*s>", BT_STR_ARG(takes->tag));
    for (size_t i = 0; has_fields && i < takes->type->count; i++) {
        put_fields(&buf, run, takes->type->parts[i].name);
    }
    put_fields(&buf, run, BT_STR(""));
    bt_buf_printf(&buf, "</%.*s>", BT_STR_ARG(takes->tag));
    return bt_buf_finish(&buf, run->arena, out);
}

static enum bt_status find_target(const struct pump_test_run *run,
                                  struct bt_message_payload_target *out)
{
    const struct bt_organism_capability *takes = &run->listener->takes;
    const struct bt_organism_group *group = bt_organism_group(run->organism, run->listener->group);
    *out = (struct bt_message_payload_target){.tag = takes->tag,
                                              .group_tag = group ? group->tag : BT_STR(""),
                                              .suffix = BT_STR(""),
                                              .is_any = run->input->is_alone && !takes->type,
                                              .type = takes->type};
    return run->input->is_alone && takes->type
               ? bt_organism_tag(run->arena, BT_STR(""), takes->type_name, &out->suffix)
               : BT_OK;
}

/* Judge the payload; run->payload stays "" when it is refused. */
static enum bt_status check_payload(struct pump_test_run *run)
{
    const struct bt_message_options options = {.organism = run->organism, .client = BT_STR("")};
    struct bt_message_check message = {.env = run->env,
                                       .options = &options,
                                       .findings = bt_findings_new(run->arena),
                                       .text = run->input->payload};
    struct bt_message_payload_target target;
    struct bt_judgement *judged = BT_NEW(run->arena, struct bt_judgement);
    if (!judged || !message.findings) {
        return BT_ENOMEM;
    }
    if (!message.text.ptr) {
        BT_TRY(build_payload(run, &message.text));
    }
    BT_TRY(find_target(run, &target));
    BT_TRY(bt_message_check_payload(&message, &target));
    if (!bt_message_has_hard(&message)) {
        return bt_message_check_canonical(&message, &run->payload);
    }
    BT_TRY(bt_findings_finish(message.findings, message.text));
    *judged = (struct bt_judgement){.path = BT_STR("payload"),
                                    .dialect = BT_DIALECT_XML,
                                    .source = message.text,
                                    .verdict = BT_VERDICT_REJECTED,
                                    .findings = message.findings,
                                    .facts = BT_STR("{}")};
    run->out->outcome = BT_PUMP_TEST_REFUSED;
    run->out->refused = judged;
    return BT_OK;
}

/* ---- The call -------------------------------------------------------------------------------- */

static enum bt_status add_event(struct pump_test_run *run, enum bt_code code, bool is_attack,
                                bt_str root, bt_str params)
{
    const struct bt_rule *rule = bt_rule_of_dialect(code, BT_DIALECT_XML);
    struct bt_pump_event event = {.rule = rule,
                                  .security = rule->security || is_attack,
                                  .pointer = BT_STR(""),
                                  .listener =
                                      run->input->is_alone ? BT_STR("") : run->listener->takes.name,
                                  .params = params};
    if (root.len > 0) {
        BT_TRY(bt_arena_printf(run->arena, &event.pointer, "/%.*s",
                               BT_STR_ARG(bt_str_slice(root, 0, 200))));
    }
    return bt_vec_push(run->arena, &run->events, event);
}

static enum bt_status add_line(struct pump_test_run *run, int stream)
{
    struct bt_pump_output_line *line = &run->lines[stream];
    struct bt_pump_output output = {.listener = run->listener->takes.name,
                                    .is_error = stream == BT_HOST_STREAM_ERROR};
    struct bt_buf text;
    bt_buf_init(&text, BT_PLAIN_BYTES_MAX);
    bt_plain_put(&text, (bt_str){line->bytes, line->len});
    line->len = 0;
    BT_TRY(bt_buf_finish(&text, run->arena, &output.text));
    if (run->output.count == BT_PUMP_TEST_LINES_MAX) {
        run->out->output_more++;
        return BT_OK;
    }
    return bt_vec_push(run->arena, &run->output, output);
}

static enum bt_status take_output(struct pump_test_run *run, const struct bt_host_event *event)
{
    for (size_t at = 0; at < event->body.len;) {
        if (bt_output_take_line(&run->lines[event->stream], event->body, &at)) {
            BT_TRY(add_line(run, event->stream));
        }
    }
    return BT_OK;
}

static void end_call(struct pump_test_run *run, enum bt_pump_test_outcome outcome)
{
    run->out->outcome = outcome;
    run->out->ms = bt_clock_monotonic_ms() - run->called_ms;
    run->is_over = true;
}

static enum bt_status start_call(struct pump_test_run *run, bt_host_id host)
{
    const struct bt_organism_listener *listener = run->listener;
    char uuid[BT_UUID_TEXT_BYTES];
    struct bt_host_request request = {.call = 1,
                                      .thread_id = run->input->thread,
                                      .own_name =
                                          listener->is_agent ? listener->takes.name : BT_STR(""),
                                      .payload = run->payload,
                                      .timeout_ms = listener->limits.timeout_ms};
    if (request.thread_id.len == 0) {
        BT_TRY(bt_env_uuid(run->env, uuid));
        request.thread_id = bt_uuid_str(uuid);
    }
    BT_TRY(bt_pump_send_ready(run->pool, host, run->arena, run->organism, listener));
    run->called_ms = bt_clock_monotonic_ms();
    return bt_host_call(run->pool, host, &request);
}

static enum bt_status take_fail(struct pump_test_run *run, const struct bt_host_event *event)
{
    const bool is_no_bytes = event->fail == BT_FAIL_NONE || event->fail == BT_FAIL_NOT_BYTES;
    struct bt_buf detail;
    struct bt_buf params;
    bt_str text;
    end_call(run, BT_PUMP_TEST_FAIL);
    run->out->kind = bt_error_set_name(event->fail);
    bt_buf_init(&detail, BT_PLAIN_BYTES_MAX);
    bt_plain_put(&detail, event->body);
    BT_TRY(bt_buf_finish(&detail, run->arena, &run->out->detail));
    bt_buf_init(&params, PARAMS_BYTES_MAX);
    bt_output_put_fail(&params, run->out->kind, run->out->detail);
    BT_TRY(bt_buf_finish(&params, run->arena, &text));
    return add_event(run, is_no_bytes ? BT_CODE_PUMP_RESULT_NOT_BYTES : BT_CODE_PUMP_HANDLER_FAILED,
                     false, BT_STR(""), text);
}

static enum bt_status take_timeout(struct pump_test_run *run)
{
    bt_str params;
    end_call(run, BT_PUMP_TEST_TIMEOUT);
    BT_TRY(bt_arena_printf(run->arena, &params, "{\"seconds\":%g}",
                           (double)run->listener->limits.timeout_ms / 1000));
    return add_event(run, BT_CODE_PUMP_HANDLER_TIMEOUT, false, BT_STR(""), params);
}

static enum bt_status take_crash(struct pump_test_run *run, const struct bt_host_event *event)
{
    char text[BT_OUTPUT_DEATH_BYTES];
    bt_str params;
    end_call(run, BT_PUMP_TEST_CRASHED);
    if (run->out->detail.len == 0) {
        BT_TRY(bt_arena_copy(run->arena, bt_output_death(&event->end, text), &run->out->detail));
    }
    BT_TRY(bt_arena_printf(run->arena, &params, "{\"attempt\":1,\"detail\":\"%.*s\"}",
                           BT_STR_ARG(bt_output_death(&event->end, text))));
    return add_event(run, BT_CODE_PUMP_HANDLER_CRASHED, false, BT_STR(""), params);
}

static enum bt_status take_violation(struct pump_test_run *run, const struct bt_host_event *event)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_str params;
    BT_TRY(bt_arena_copy(run->arena, bt_str_of(event->reason), &run->out->detail));
    bt_buf_init(&buf, PARAMS_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "reason", run->out->detail);
    bt_emit_end(&emit);
    BT_TRY(bt_buf_finish(&buf, run->arena, &params));
    return add_event(run, BT_CODE_PUMP_PROTOCOL, false, BT_STR(""), params);
}

/* The host is gone. Before a call it could not be started. */
static enum bt_status take_end(struct pump_test_run *run, const struct bt_host_event *event)
{
    run->has_ended = true;
    for (int i = 0; i < BT_HOST_STREAM__COUNT; i++) {
        if (run->lines[i].len > 0) {
            BT_TRY(add_line(run, i));
        }
    }
    return run->called_ms > 0 ? BT_OK : bt_error_set(run->error, BT_ENOENT, "%s", event->reason);
}

static enum bt_status take_event(struct pump_test_run *run, const struct bt_host_event *event)
{
    if (run->is_over && event->kind != BT_HOST_EVENT_LOG && event->kind != BT_HOST_EVENT_ENDED) {
        return BT_OK;
    }
    switch (event->kind) {
    case BT_HOST_EVENT_LOG:
        return take_output(run, event);
    case BT_HOST_EVENT_ENDED:
        return take_end(run, event);
    case BT_HOST_EVENT_HELLO:
        return start_call(run, event->host);
    case BT_HOST_EVENT_REFUSED:
        return bt_error_set(run->error, BT_ENOENT, "%.*s", BT_STR_ARG(event->hello->detail));
    case BT_HOST_EVENT_RESULT:
        end_call(run, BT_PUMP_TEST_RESULT);
        return bt_arena_copy(run->arena, event->body, &run->body);
    case BT_HOST_EVENT_FAIL:
        return take_fail(run, event);
    case BT_HOST_EVENT_TIMEOUT:
        return take_timeout(run);
    case BT_HOST_EVENT_LOST:
        return take_crash(run, event);
    case BT_HOST_EVENT_BROKE:
        return take_violation(run, event);
    case BT_HOST_EVENT_NONE:
    case BT_HOST_EVENT_LATE:
    case BT_HOST_EVENT_CANCELLED:
    case BT_HOST_EVENT_STUCK:
        break;
    }
    return BT_OK;
}

/* Handle events until the call is over, or with `to_end` until the host has ended. */
static enum bt_status receive_events(struct pump_test_run *run, uint64_t within_ms, bool to_end)
{
    const uint64_t end = bt_clock_monotonic_ms() + within_ms;
    while (!run->has_ended && (to_end || !run->is_over) && bt_clock_monotonic_ms() < end) {
        struct bt_host_event event;
        BT_TRY(bt_host_pool_wait(run->pool, WAIT_MS, run->error));
        while (bt_host_pool_next(run->pool, &event)) {
            BT_TRY(take_event(run, &event));
        }
    }
    return BT_OK;
}

static enum bt_status run_host(struct pump_test_run *run)
{
    const uint64_t within_ms = START_MS + run->listener->limits.timeout_ms;
    struct bt_host_options how = {.in_flight_max = 1, .once = true};
    struct bt_host_spec spec;
    bt_host_id host;
    BT_TRY(bt_organism_listener_spec(run->arena, run->input->hosts, run->listener, &spec));
    BT_TRY(bt_pump_open_context(run->arena, run->organism, run->input->hosts, &run->context,
                                run->error));
    BT_TRY(bt_private_dir_create(run->arena, run->input->hosts->temporary_dir, &run->folder,
                                 run->error));
    BT_TRY(bt_handler_make_work(run->arena, &run->context, run->folder, 0, &how.work, run->error));
    BT_TRY(bt_host_pool_open(NULL, &run->pool, run->error));
    BT_TRY(bt_host_pool_add(run->pool, &run->context, &spec, &how, &host, run->error));
    BT_TRY(receive_events(run, within_ms, false));
    if (!run->is_over) {
        return bt_error_set(run->error, BT_ENOENT, "the host did not say that it is ready in time");
    }
    if (run->out->outcome == BT_PUMP_TEST_TIMEOUT) {
        bt_host_kill(run->pool, host, false);
    } else {
        bt_host_stop(run->pool, host);
    }
    return receive_events(run, LEAVE_MS, true);
}

/* ---- The result ------------------------------------------------------------------------------ */

static struct bt_pump_test_fragment place_fragment(const struct pump_test_run *run,
                                                   const struct bt_pump_fragment *fragment)
{
    struct bt_pump_test_fragment shown = {.root = fragment->root, .to = BT_STR("")};
    switch (fragment->action) {
    case BT_PUMP_FRAGMENT_ACTION_SELF:
        shown.goes = BT_PUMP_TEST_TO_SELF;
        shown.to = run->input->is_alone ? BT_STR("") : run->listener->takes.name;
        break;
    case BT_PUMP_FRAGMENT_ACTION_CALL:
        shown.goes = BT_PUMP_TEST_TO_PEER;
        shown.to = fragment->peer;
        break;
    case BT_PUMP_FRAGMENT_ACTION_REPLY:
    case BT_PUMP_FRAGMENT_ACTION_RETURN:
    case BT_PUMP_FRAGMENT_ACTION_HALT:
        shown.goes = BT_PUMP_TEST_TO_PARENT;
        break;
    case BT_PUMP_FRAGMENT_ACTION_NONE:
    case BT_PUMP_FRAGMENT_ACTION_REJECT:
        shown.goes = BT_PUMP_TEST_DROPPED;
        shown.rule = bt_rule_of_dialect(fragment->code, BT_DIALECT_XML);
        break;
    }
    return shown;
}

/* Place every fragment; what stands behind a halt is skipped. */
static enum bt_status place_fragments(struct pump_test_run *run,
                                      const struct bt_pump_fragments *fragments)
{
    struct bt_pump_test_fragment *shown =
        BT_NEW_ARRAY(run->arena, struct bt_pump_test_fragment, fragments->count);
    size_t skipped = 0;
    bool is_halted = false;
    BT_TRY(shown ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < fragments->count; i++) {
        const struct bt_pump_fragment *fragment = &fragments->items[i];
        shown[i] = place_fragment(run, fragment);
        if (is_halted) {
            shown[i].goes = BT_PUMP_TEST_DROPPED;
            shown[i].to = BT_STR("");
            shown[i].rule = bt_rule_of_dialect(BT_CODE_PUMP_PRUNED, BT_DIALECT_XML);
            skipped++;
        } else if (shown[i].goes == BT_PUMP_TEST_DROPPED) {
            BT_TRY(add_event(run, fragment->code, false, fragment->root, fragment->params));
        }
        is_halted = is_halted || fragment->action == BT_PUMP_FRAGMENT_ACTION_HALT;
        run->out->is_delivered = run->out->is_delivered && shown[i].goes != BT_PUMP_TEST_DROPPED;
    }
    run->out->fragments = shown;
    run->out->fragment_count = fragments->count;
    if (skipped > 0) {
        bt_str params;
        BT_TRY(bt_arena_printf(run->arena, &params, "{\"count\":%zu}", skipped));
        return add_event(run, BT_CODE_PUMP_PRUNED, false, BT_STR(""), params);
    }
    return BT_OK;
}

static enum bt_status judge_result(struct pump_test_run *run)
{
    const struct bt_pump_fragment_reader reader = {
        .env = run->env, .organism = run->organism, .now = run->organism, .emitter = run->listener};
    struct bt_pump_fragments fragments;
    struct bt_buf shown;
    bt_buf_init(&shown, SHOWN_BYTES_MAX);
    bt_plain_put_text(&shown, run->body);
    BT_TRY(bt_buf_finish(&shown, run->arena, &run->out->result));
    BT_TRY(bt_pump_fragments_read(&reader, run->arena, run->body, &fragments));
    if (fragments.fault != BT_CODE_NONE) {
        return add_event(run, fragments.fault, fragments.is_attack, BT_STR(""), fragments.params);
    }
    if (fragments.repairs.len > 0) {
        BT_TRY(add_event(run, BT_CODE_PUMP_RESULT_REPAIRED, false, BT_STR(""), fragments.repairs));
    }
    run->out->is_delivered = true;
    return place_fragments(run, &fragments);
}

static void close_run(struct pump_test_run *run)
{
    bt_host_pool_close(run->pool);
    if (run->folder.len > 0) {
        bt_private_dir_remove(run->folder);
    }
    if (run->context.root_fd >= 0) {
        (void)close(run->context.root_fd);
    }
}

enum bt_status bt_pump_test(struct bt_env *env, struct bt_arena *arena,
                            const struct bt_organism *organism,
                            const struct bt_pump_test_input *input, struct bt_pump_test_result *out,
                            struct bt_error *error)
{
    struct pump_test_run *run = BT_NEW(arena, struct pump_test_run);
    if (!run) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    *out = (struct bt_pump_test_result){
        .kind = BT_STR(""), .detail = BT_STR(""), .result = BT_STR("")};
    run->env = env;
    run->arena = arena;
    run->organism = organism;
    run->listener = bt_organism_listener(organism, input->listener);
    run->input = input;
    run->context.root_fd = -1;
    run->out = out;
    run->error = error;
    enum bt_status status = check_payload(run);
    if (status == BT_OK && out->outcome != BT_PUMP_TEST_REFUSED) {
        status = run_host(run);
    }
    if (status == BT_OK && out->outcome == BT_PUMP_TEST_RESULT) {
        status = judge_result(run);
    }
    close_run(run);
    out->output = run->output.items;
    out->output_count = run->output.count;
    out->events = run->events.items;
    out->event_count = run->events.count;
    if (status == BT_OK) {
        return BT_OK;
    }
    return error->text[0] ? status : bt_error_set(error, status, "%s", bt_status_text(status));
}
