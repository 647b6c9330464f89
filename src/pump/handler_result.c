/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handler_result.c - a call is over: what its result causes, and who gets a diagnostic when it is
 * bad.
 *
 * Sender, thread and parent were known before the call; none of them is read from the result.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "pump/core_internal.h"

/* The answer that is being handled. */
struct pump_result_state {
    struct bt_pump_core *core;
    struct bt_pump_thread *thread; /* of the emitter */
    uint64_t document;
    uint64_t request;             /* that the call served */
    uint64_t message;             /* that was answered */
    struct bt_pump_message *over; /* the message that was answered */
    uint64_t next;                /* number of the first message that it causes */
    bool answers_diagnostic;      /* a fault in the answer to a diagnostic goes to the caller */
    bool is_over;                 /* halted: the other fragments are skipped */
};

static const struct bt_pump_core_listener *get_emitter(const struct pump_result_state *answer)
{
    return &answer->core->listeners[answer->thread->listener];
}

static struct bt_pump_core_event event_of(const struct pump_result_state *answer, enum bt_code code,
                                          bt_str root, bt_str params)
{
    return (struct bt_pump_core_event){.code = code,
                                       .listener = answer->thread->listener,
                                       .document = answer->document,
                                       .root = root,
                                       .params = params,
                                       .message = answer->message,
                                       .thread = answer->thread->uuid};
}

static enum bt_status add_answer_event(const struct pump_result_state *answer, enum bt_code code,
                                       bt_str root, bt_str params)
{
    const struct bt_pump_core_event event = event_of(answer, code, root, params);
    return bt_pump_core_add_event(answer->core, &event);
}

static enum bt_status add_fault_event(const struct pump_result_state *answer,
                                      const struct bt_pump_fragments *fragments)
{
    struct bt_pump_core_event event =
        event_of(answer, fragments->fault, BT_STR(""), fragments->params);
    event.is_attack = fragments->is_attack;
    return bt_pump_core_add_event(answer->core, &event);
}

/* Send a diagnostic to the emitter, if it can correct itself, else to its caller. */
static enum bt_status send_diagnostic(const struct pump_result_state *answer, enum bt_code code,
                                      bt_str attempt)
{
    struct bt_pump_core *core = answer->core;
    if (answer->answers_diagnostic || !get_emitter(answer)->diagnostics_go_to_emitter) {
        return bt_pump_core_send_diagnostic_to_caller(core, answer->thread, answer->request,
                                                      answer->message, code, answer->document);
    }
    const struct bt_pump_new_message to = {.root = answer->thread->root,
                                           .thread = answer->thread,
                                           .document = answer->document,
                                           .cause = answer->message};
    return bt_pump_core_queue_diagnostic(core, &to, code, attempt);
}

static enum bt_status reject_fragment(const struct pump_result_state *answer,
                                      const struct bt_pump_fragment *fragment)
{
    BT_TRY(add_answer_event(answer, fragment->code, fragment->root, fragment->params));
    return send_diagnostic(answer, fragment->code, fragment->canonical);
}

static enum bt_status queue_self_iteration(const struct pump_result_state *answer,
                                           const struct bt_pump_fragment *fragment)
{
    struct bt_pump_thread *thread = answer->thread;
    if (thread->self_iterations >= answer->core->limits.self_iterations) {
        BT_TRY(add_answer_event(answer, BT_CODE_PUMP_LIMIT, fragment->root,
                                BT_STR("{\"limit\":\"self_iterations\"}")));
        return bt_pump_core_send_diagnostic_to_caller(answer->core, thread, answer->request,
                                                      answer->message, BT_CODE_PUMP_LIMIT,
                                                      answer->document);
    }
    thread->self_iterations++;
    const struct bt_pump_new_message draft = {.kind = BT_PUMP_MESSAGE_KIND_SELF,
                                              .sender = thread->listener,
                                              .root = thread->root,
                                              .thread = thread,
                                              .tag = fragment->root,
                                              .payload = fragment->payload,
                                              .document = answer->document,
                                              .cause = answer->message};
    return bt_pump_core_queue(answer->core, &draft);
}

static enum bt_status queue_calls(const struct pump_result_state *answer,
                                  const struct bt_pump_fragment *fragment)
{
    struct bt_pump_core *core = answer->core;
    struct bt_pump_thread *thread = answer->thread;
    if (thread->depth >= core->limits.depth) {
        BT_TRY(add_answer_event(answer, BT_CODE_PUMP_LIMIT, fragment->root,
                                BT_STR("{\"limit\":\"depth\"}")));
        return send_diagnostic(answer, BT_CODE_PUMP_LIMIT, fragment->canonical);
    }
    for (size_t i = 0; i < fragment->targets_count; i++) {
        struct bt_pump_new_message draft = {.kind = BT_PUMP_MESSAGE_KIND_CALL,
                                            .sender = thread->listener,
                                            .root = thread->root,
                                            .tag = fragment->root,
                                            .payload = fragment->payload,
                                            .document = answer->document,
                                            .cause = answer->message};
        BT_TRY(bt_pump_core_make_thread(core, thread->root, thread, fragment->targets[i],
                                        &draft.thread));
        draft.thread->self_iterations = 0;
        BT_TRY(bt_pump_core_queue(core, &draft));
    }
    return BT_OK;
}

static enum bt_status queue_reply(const struct pump_result_state *answer,
                                  const struct bt_pump_fragment *fragment)
{
    struct bt_pump_thread *thread = answer->thread;
    struct bt_pump_thread *parent = thread->parent;
    const struct bt_pump_new_message draft = {.kind = parent ? BT_PUMP_MESSAGE_KIND_REPLY
                                                             : BT_PUMP_MESSAGE_KIND_EGRESS,
                                              .sender = thread->listener,
                                              .root = thread->root,
                                              .thread = parent,
                                              .tag = fragment->root,
                                              .payload = fragment->payload,
                                              .document = answer->document,
                                              .cause = answer->message};
    if (parent) {
        parent->self_iterations = 0;
    }
    return bt_pump_core_queue(answer->core, &draft);
}

static enum bt_status cut_threads(const struct pump_result_state *answer, bool itself,
                                  uint64_t skipped)
{
    const struct bt_pump_cut cut = {.root = answer->thread->root,
                                    .thread = answer->thread,
                                    .itself = itself,
                                    .skipped = skipped,
                                    .listener = answer->thread->listener,
                                    .document = answer->document};
    return bt_pump_core_cut(answer->core, &cut);
}

/* One fragment; `left` others follow it. */
static enum bt_status handle_fragment(struct pump_result_state *answer,
                                      const struct bt_pump_fragment *fragment, size_t left)
{
    switch (fragment->action) {
    case BT_PUMP_FRAGMENT_ACTION_REJECT:
        return reject_fragment(answer, fragment);
    case BT_PUMP_FRAGMENT_ACTION_SELF:
        return queue_self_iteration(answer, fragment);
    case BT_PUMP_FRAGMENT_ACTION_CALL:
        return queue_calls(answer, fragment);
    case BT_PUMP_FRAGMENT_ACTION_REPLY:
        BT_TRY(queue_reply(answer, fragment));
        answer->thread->has_replied = true;
        return BT_OK;
    case BT_PUMP_FRAGMENT_ACTION_RETURN:
        BT_TRY(queue_reply(answer, fragment));
        return cut_threads(answer, false, 0);
    case BT_PUMP_FRAGMENT_ACTION_HALT:
        BT_TRY(queue_reply(answer, fragment));
        answer->is_over = true;
        return cut_threads(answer, true, left);
    case BT_PUMP_FRAGMENT_ACTION_NONE:
        break;
    }
    assert(false); /* every fragment was judged */
    return BT_EINVAL;
}

/* End the call of a message. */
static struct pump_result_state end_call(struct bt_pump_core *core, struct bt_pump_message *message,
                                         enum bt_pump_message_state state)
{
    const struct pump_result_state answer = {
        .core = core,
        .thread = message->thread,
        .document = message->document,
        .request = bt_pump_core_is_request(message) ? message->number : message->thread->request,
        .message = message->number,
        .over = message,
        .next = core->next.number,
        .answers_diagnostic = message->kind == BT_PUMP_MESSAGE_KIND_DIAGNOSTIC};
    bt_pump_core_finish(core, message, state);
    core->next.result++;
    core->next.index = 0;
    return answer;
}

/* All consequences are queued: end the threads that are not needed, and store the others. */
static void queue_consequences(const struct pump_result_state *answer)
{
    if (answer->over) {
        answer->over->has_consequences = answer->core->next.number > answer->next;
    }
    if (!answer->is_over) {
        bt_pump_core_prune(answer->core, answer->thread);
        bt_pump_core_consider_thread(answer->core, answer->thread);
    }
}

static enum bt_status take_all(struct pump_result_state *answer, bt_str raw,
                               const struct bt_pump_fragments *fragments)
{
    if (fragments->fault) {
        BT_TRY(add_fault_event(answer, fragments));
        BT_TRY(send_diagnostic(answer, fragments->fault, raw));
    } else if (fragments->repairs.len > 0) {
        BT_TRY(
            add_answer_event(answer, BT_CODE_PUMP_RESULT_REPAIRED, BT_STR(""), fragments->repairs));
    }
    for (size_t i = 0; !fragments->fault && !answer->is_over && i < fragments->count; i++) {
        BT_TRY(handle_fragment(answer, &fragments->items[i], fragments->count - i - 1));
    }
    queue_consequences(answer);
    return BT_OK;
}

enum bt_status bt_pump_core_handle_result(struct bt_pump_core *core,
                                          struct bt_pump_message *message, bt_str raw,
                                          const struct bt_pump_fragments *fragments)
{
    assert(message->state == BT_PUMP_MESSAGE_STATE_IN_FLIGHT);
    struct pump_result_state answer = end_call(core, message, BT_PUMP_MESSAGE_STATE_DONE);
    return take_all(&answer, raw, fragments);
}

/* A further answer on a thread whose call is over. */
static struct pump_result_state begin_again(struct bt_pump_core *core,
                                            struct bt_pump_thread *thread)
{
    core->next.result++;
    core->next.index = 0;
    /* After a restart the request may be queued again; a message caused by it would end it. */
    const bool is_open = bt_pump_core_find_message(core, thread->request) != NULL;
    return (struct pump_result_state){.core = core,
                                      .thread = thread,
                                      .request = thread->request,
                                      .message = is_open ? 0 : thread->request};
}

enum bt_status bt_pump_core_handle_late_result(struct bt_pump_core *core,
                                               struct bt_pump_thread *thread, bt_str raw,
                                               const struct bt_pump_fragments *fragments)
{
    struct pump_result_state answer = begin_again(core, thread);
    return take_all(&answer, raw, fragments);
}

enum bt_status bt_pump_core_handle_late_failure(struct bt_pump_core *core,
                                                struct bt_pump_thread *thread, enum bt_code code)
{
    const struct pump_result_state answer = begin_again(core, thread);
    BT_TRY(add_answer_event(&answer, code, BT_STR(""), BT_STR("")));
    BT_TRY(send_diagnostic(&answer, code, BT_STR("")));
    queue_consequences(&answer);
    return BT_OK;
}

enum bt_status bt_pump_core_handle_failure(struct bt_pump_core *core,
                                           struct bt_pump_message *message, enum bt_code code,
                                           bt_str params)
{
    assert(message->state == BT_PUMP_MESSAGE_STATE_IN_FLIGHT);
    const struct pump_result_state answer = end_call(core, message, BT_PUMP_MESSAGE_STATE_DONE);
    BT_TRY(add_answer_event(&answer, code, BT_STR(""), params));
    BT_TRY(send_diagnostic(&answer, code, BT_STR("")));
    queue_consequences(&answer);
    return BT_OK;
}

/* End a call with a diagnostic to the caller. */
static enum bt_status give_up(struct bt_pump_core *core, struct bt_pump_message *message,
                              enum bt_code code, bt_str params)
{
    const enum bt_pump_message_state state =
        message->attempts > 0 ? BT_PUMP_MESSAGE_STATE_DEAD : BT_PUMP_MESSAGE_STATE_DONE;
    const struct pump_result_state answer = end_call(core, message, state);
    BT_TRY(add_answer_event(&answer, code, BT_STR(""), params));
    BT_TRY(bt_pump_core_send_diagnostic_to_caller(core, answer.thread, answer.request,
                                                  answer.message, code, answer.document));
    queue_consequences(&answer);
    return BT_OK;
}

enum bt_status bt_pump_core_handle_timeout(struct bt_pump_core *core,
                                           struct bt_pump_message *message, bt_str params)
{
    assert(message->state == BT_PUMP_MESSAGE_STATE_IN_FLIGHT);
    message->attempts = 0; /* it may have had effects, so it is done and not dead */
    return give_up(core, message, BT_CODE_PUMP_HANDLER_TIMEOUT, params);
}

enum bt_status bt_pump_core_handle_crash(struct bt_pump_core *core, struct bt_pump_message *message,
                                         bt_str detail)
{
    assert(message->state == BT_PUMP_MESSAGE_STATE_IN_FLIGHT);
    char params[96];
    assert(detail.len < 48);
    message->attempts++;
    int size = snprintf(params, sizeof(params), "{\"attempt\":%" PRIu32 ",\"detail\":\"%.*s\"}",
                        message->attempts, BT_STR_ARG(detail));
    const struct bt_pump_core_event event = {.code = BT_CODE_PUMP_HANDLER_CRASHED,
                                             .listener = message->thread->listener,
                                             .document = message->document,
                                             .params = {params, (size_t)size},
                                             .message = message->number,
                                             .thread = message->thread->uuid};
    BT_TRY(bt_pump_core_add_event(core, &event));
    if (message->attempts >= core->limits.attempts) {
        size = snprintf(params, sizeof(params), "{\"attempts\":%" PRIu32 "}", message->attempts);
        return give_up(core, message, BT_CODE_PUMP_CALL_ABANDONED, (bt_str){params, (size_t)size});
    }
    bt_pump_schedule_done(&core->schedule, &message->slot);
    bt_pump_schedule_repeat(&core->schedule, &message->slot);
    message->state = BT_PUMP_MESSAGE_STATE_QUEUED;
    return BT_OK;
}
