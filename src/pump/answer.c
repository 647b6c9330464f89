/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.c - a call is over: what its result causes, and who is told when it is a bad one.
 *
 * Sender, thread and parent were known before the call and are used after it; nothing of that is
 * read from the answer.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "pump/inside.h"

/* The answer that is being looked at. */
struct answer {
    struct bt_core *core;
    struct bt_thread *thread; /* of the emitter */
    uint64_t document;
    uint64_t request;             /* that was being served */
    uint64_t message;             /* that was answered */
    struct bt_pump_message *over; /* the same */
    uint64_t next;                /* number of the first message that comes of it */
    bool is_to_huh;               /* a fault while answering a huh goes up */
    bool is_over;                 /* halted: nothing more is done */
};

static const struct bt_core_listener *emitter(const struct answer *answer)
{
    return &answer->core->listeners[answer->thread->listener];
}

static enum bt_status tell(const struct answer *answer, const char *code, bt_str root,
                           bt_str params)
{
    const struct bt_core_event event = {.code = code,
                                        .listener = answer->thread->listener,
                                        .document = answer->document,
                                        .root = root,
                                        .params = params,
                                        .message = answer->message,
                                        .thread = answer->thread->uuid};
    return bt_core_tell(answer->core, &event);
}

/* ---- Faults ---------------------------------------------------------------------------------- */

/* Tell the emitter what it wrote, if it can correct itself, else whoever called it. */
static enum bt_status huh(const struct answer *answer, const char *code, bt_str attempt)
{
    struct bt_core *core = answer->core;
    if (answer->is_to_huh || !emitter(answer)->tells_emitter) {
        return bt_core_tell_caller(core, answer->thread, answer->request, answer->message, code,
                                   answer->document);
    }
    const struct bt_draft_message to = {.root = answer->thread->root,
                                        .thread = answer->thread,
                                        .document = answer->document,
                                        .cause = answer->message};
    return bt_core_queue_huh(core, &to, code, attempt);
}

static enum bt_status refuse(const struct answer *answer, const struct bt_fragment *fragment)
{
    BT_TRY(tell(answer, fragment->code, fragment->root, fragment->params));
    return huh(answer, fragment->code, fragment->canonical);
}

/* ---- Ways ------------------------------------------------------------------------------------ */

static enum bt_status go_on(const struct answer *answer, const struct bt_fragment *fragment)
{
    struct bt_thread *thread = answer->thread;
    if (thread->self_iterations >= answer->core->limits.self_iterations) {
        BT_TRY(
            tell(answer, "PUMP_LIMIT", fragment->root, BT_STR("{\"limit\":\"self_iterations\"}")));
        return bt_core_tell_caller(answer->core, thread, answer->request, answer->message,
                                   "PUMP_LIMIT", answer->document);
    }
    thread->self_iterations++;
    const struct bt_draft_message draft = {.kind = BT_MESSAGE_SELF,
                                           .sender = thread->listener,
                                           .root = thread->root,
                                           .thread = thread,
                                           .tag = fragment->root,
                                           .payload = fragment->payload,
                                           .document = answer->document,
                                           .cause = answer->message};
    return bt_core_queue(answer->core, &draft);
}

static enum bt_status call(const struct answer *answer, const struct bt_fragment *fragment)
{
    struct bt_core *core = answer->core;
    struct bt_thread *thread = answer->thread;
    if (thread->depth >= core->limits.depth) {
        BT_TRY(tell(answer, "PUMP_LIMIT", fragment->root, BT_STR("{\"limit\":\"depth\"}")));
        return huh(answer, "PUMP_LIMIT", fragment->canonical);
    }
    for (size_t i = 0; i < fragment->targets_count; i++) {
        struct bt_draft_message draft = {.kind = BT_MESSAGE_CALL,
                                         .sender = thread->listener,
                                         .root = thread->root,
                                         .tag = fragment->root,
                                         .payload = fragment->payload,
                                         .document = answer->document,
                                         .cause = answer->message};
        BT_TRY(
            bt_core_make_thread(core, thread->root, thread, fragment->targets[i], &draft.thread));
        draft.thread->self_iterations = 0;
        BT_TRY(bt_core_queue(core, &draft));
    }
    return BT_OK;
}

static enum bt_status reply(const struct answer *answer, const struct bt_fragment *fragment)
{
    struct bt_thread *thread = answer->thread;
    struct bt_thread *parent = thread->parent;
    const struct bt_draft_message draft = {.kind = parent ? BT_MESSAGE_REPLY : BT_MESSAGE_EGRESS,
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
    return bt_core_queue(answer->core, &draft);
}

static enum bt_status cut(const struct answer *answer, bool itself, uint64_t skipped)
{
    const struct bt_cut cut = {.root = answer->thread->root,
                               .thread = answer->thread,
                               .itself = itself,
                               .skipped = skipped,
                               .listener = answer->thread->listener,
                               .document = answer->document};
    return bt_core_cut(answer->core, &cut);
}

/* One fragment; `left` others follow it. */
static enum bt_status take(struct answer *answer, const struct bt_fragment *fragment, size_t left)
{
    switch (fragment->way) {
    case BT_WAY_REFUSED:
        return refuse(answer, fragment);
    case BT_WAY_SELF:
        return go_on(answer, fragment);
    case BT_WAY_CALL:
        return call(answer, fragment);
    case BT_WAY_REPLY:
        BT_TRY(reply(answer, fragment));
        answer->thread->has_replied = true;
        return BT_OK;
    case BT_WAY_RETURN:
        BT_TRY(reply(answer, fragment));
        return cut(answer, false, 0);
    case BT_WAY_HALT:
        BT_TRY(reply(answer, fragment));
        answer->is_over = true;
        return cut(answer, true, left);
    case BT_WAY_NONE:
        break;
    }
    assert(false); /* every fragment was judged */
    return BT_EINVAL;
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* The call is over, whatever comes of it. */
static struct answer begin(struct bt_core *core, struct bt_pump_message *message,
                           enum bt_message_state state)
{
    const struct answer answer = {.core = core,
                                  .thread = message->thread,
                                  .document = message->document,
                                  .request = bt_core_is_request(message) ? message->number
                                                                         : message->thread->request,
                                  .message = message->number,
                                  .over = message,
                                  .next = core->next_number,
                                  .is_to_huh = message->kind == BT_MESSAGE_HUH};
    bt_core_finish(core, message, state);
    core->next_result++;
    core->next_index = 0;
    return answer;
}

/* What it caused is queued: threads that nobody needs any more end, and the others are kept. */
static void end(const struct answer *answer)
{
    if (answer->over) {
        answer->over->has_led_on = answer->core->next_number > answer->next;
    }
    if (!answer->is_over) {
        bt_core_prune(answer->core, answer->thread);
        bt_core_note_thread(answer->core, answer->thread);
    }
}

static enum bt_status take_all(struct answer *answer, bt_str raw,
                               const struct bt_fragments *fragments)
{
    if (fragments->fault) {
        BT_TRY(tell(answer, fragments->fault, BT_STR(""), fragments->params));
        BT_TRY(huh(answer, fragments->fault, raw));
    } else if (fragments->repairs.len > 0) {
        BT_TRY(tell(answer, "PUMP_RESULT_REPAIRED", BT_STR(""), fragments->repairs));
    }
    for (size_t i = 0; !fragments->fault && !answer->is_over && i < fragments->count; i++) {
        BT_TRY(take(answer, &fragments->items[i], fragments->count - i - 1));
    }
    end(answer);
    return BT_OK;
}

enum bt_status bt_core_answer(struct bt_core *core, struct bt_pump_message *message, bt_str raw,
                              const struct bt_fragments *fragments)
{
    assert(message->state == BT_MESSAGE_IN_FLIGHT);
    struct answer answer = begin(core, message, BT_MESSAGE_DONE);
    return take_all(&answer, raw, fragments);
}

/* Something more is said on a thread whose call is over. */
static struct answer begin_again(struct bt_core *core, struct bt_thread *thread)
{
    core->next_result++;
    core->next_index = 0;
    /* After a restart the request may wait to be sent again: what names it as its cause ends it. */
    const bool is_open = bt_core_message(core, thread->request) != NULL;
    return (struct answer){.core = core,
                           .thread = thread,
                           .request = thread->request,
                           .message = is_open ? 0 : thread->request};
}

enum bt_status bt_core_answer_again(struct bt_core *core, struct bt_thread *thread, bt_str raw,
                                    const struct bt_fragments *fragments)
{
    struct answer answer = begin_again(core, thread);
    return take_all(&answer, raw, fragments);
}

enum bt_status bt_core_fail_again(struct bt_core *core, struct bt_thread *thread, const char *code)
{
    const struct answer answer = begin_again(core, thread);
    BT_TRY(tell(&answer, code, BT_STR(""), BT_STR("")));
    BT_TRY(huh(&answer, code, BT_STR("")));
    end(&answer);
    return BT_OK;
}

enum bt_status bt_core_fail(struct bt_core *core, struct bt_pump_message *message, const char *code,
                            bt_str params)
{
    assert(message->state == BT_MESSAGE_IN_FLIGHT);
    const struct answer answer = begin(core, message, BT_MESSAGE_DONE);
    BT_TRY(tell(&answer, code, BT_STR(""), params));
    BT_TRY(huh(&answer, code, BT_STR("")));
    end(&answer);
    return BT_OK;
}

/* A fault that only the caller can do something about. */
static enum bt_status give_up(struct bt_core *core, struct bt_pump_message *message,
                              const char *code, bt_str params)
{
    const enum bt_message_state state = message->attempts > 0 ? BT_MESSAGE_DEAD : BT_MESSAGE_DONE;
    const struct answer answer = begin(core, message, state);
    BT_TRY(tell(&answer, code, BT_STR(""), params));
    BT_TRY(bt_core_tell_caller(core, answer.thread, answer.request, answer.message, code,
                               answer.document));
    end(&answer);
    return BT_OK;
}

enum bt_status bt_core_timeout(struct bt_core *core, struct bt_pump_message *message, bt_str params)
{
    assert(message->state == BT_MESSAGE_IN_FLIGHT);
    message->attempts = 0; /* it may have had effects: it is over, and not dead */
    return give_up(core, message, "PUMP_HANDLER_TIMEOUT", params);
}

enum bt_status bt_core_crash(struct bt_core *core, struct bt_pump_message *message, bt_str detail)
{
    assert(message->state == BT_MESSAGE_IN_FLIGHT);
    char params[96];
    assert(detail.len < 48);
    message->attempts++;
    int size = snprintf(params, sizeof(params), "{\"attempt\":%" PRIu32 ",\"detail\":\"%.*s\"}",
                        message->attempts, BT_STR_ARG(detail));
    const struct bt_core_event event = {.code = "PUMP_HANDLER_CRASHED",
                                        .listener = message->thread->listener,
                                        .document = message->document,
                                        .params = {params, (size_t)size},
                                        .message = message->number,
                                        .thread = message->thread->uuid};
    BT_TRY(bt_core_tell(core, &event));
    if (message->attempts >= core->limits.attempts) {
        size = snprintf(params, sizeof(params), "{\"attempts\":%" PRIu32 "}", message->attempts);
        return give_up(core, message, "PUMP_CALL_ABANDONED", (bt_str){params, (size_t)size});
    }
    bt_schedule_done(&core->schedule, &message->slot);
    bt_schedule_repeat(&core->schedule, &message->slot);
    message->state = BT_MESSAGE_QUEUED;
    return BT_OK;
}
