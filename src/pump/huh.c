/* SPDX-License-Identifier: Apache-2.0 */
/*
 * huh.c - the diagnostic that only the pump makes. Its words are few, and what it shows is
 * something that its receiver wrote: so it tells nobody anything about anybody else.
 */
#include <assert.h>
#include <string.h>

#include "pump/inside.h"

enum { ATTEMPT_BYTES_MAX = 4096 };

#define CORE_SPACE "https://xml-pipeline.org/ns/core/v1"

const char *bt_core_huh_words(const char *code)
{
    static const struct words {
        const char *code;
        const char *words;
    } table[] = {
        {"PUMP_BUDGET", "Limit exceeded"},
        {"PUMP_BUSY", "Limit exceeded"},
        {"PUMP_CALL_ABANDONED", "Handler failed"},
        {"PUMP_FORGED_ENVELOPE", "Reserved element"},
        {"PUMP_HANDLER_FAILED", "Handler failed"},
        {"PUMP_HANDLER_TIMEOUT", "Handler timed out"},
        {"PUMP_LIMIT", "Limit exceeded"},
        {"PUMP_PRIVILEGED", "Reserved element"},
        {"PUMP_RESERVED", "Reserved element"},
        {"PUMP_RESULT_EMPTY", "Handler returned no payload"},
        {"PUMP_RESULT_NOT_BYTES", "Handler returned no payload"},
        {"XML_TOO_DEEP", "Limit exceeded"},
        {"XML_TOO_LARGE", "Limit exceeded"},
        {"XML_TOO_MANY_ATTRIBUTES", "Limit exceeded"},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (strcmp(table[i].code, code) == 0) {
            return table[i].words;
        }
    }
    return "Invalid payload structure";
}

void bt_core_put_huh(struct bt_buf *buf, const char *words, bt_str attempt)
{
    bt_buf_put_text(buf, "<huh xmlns=\"" CORE_SPACE "\"><error>");
    bt_buf_put_text(buf, words);
    bt_buf_put_text(buf, "</error><original-attempt>");
    bt_base64_put(buf, bt_str_slice(attempt, 0, ATTEMPT_BYTES_MAX));
    bt_buf_put_text(buf, "</original-attempt></huh>");
}

enum bt_status bt_core_queue_huh(struct bt_core *core, const struct bt_draft_message *to,
                                 const char *code, bt_str attempt)
{
    struct bt_draft_message draft = *to;
    struct bt_buf huh;
    bt_buf_init(&huh, SIZE_MAX);
    bt_core_put_huh(&huh, bt_core_huh_words(code), attempt);
    draft.kind = draft.thread ? BT_MESSAGE_HUH : BT_MESSAGE_EGRESS;
    draft.sender = BT_FROM_CORE;
    draft.tag = BT_STR("huh");
    draft.payload = bt_buf_str(&huh);
    const enum bt_status status = huh.status == BT_OK ? bt_core_queue(core, &draft) : huh.status;
    bt_buf_free(&huh);
    return status;
}

/* A huh about a request that was kept. */
static enum bt_status send(struct bt_core *core, const struct bt_draft_message *to,
                           uint64_t request, const char *code)
{
    bt_str attempt = BT_STR("");
    const struct bt_arena_mark mark = bt_arena_mark(&core->work);
    enum bt_status status =
        core->driver.recall(core->driver.context, request, &core->work, &attempt);
    if (status == BT_OK || status == BT_ENOENT) { /* forgotten: the fault itself is still told */
        status = bt_core_queue_huh(core, to, code, attempt);
    }
    bt_arena_rewind(&core->work, mark);
    return status;
}

enum bt_status bt_core_tell_caller(struct bt_core *core, struct bt_thread *thread, uint64_t request,
                                   uint64_t cause, const char *code, uint64_t document)
{
    const struct bt_draft_message to = {
        .root = thread->root, .thread = thread->parent, .document = document, .cause = cause};
    return send(core, &to, request, code);
}

enum bt_status bt_core_tell_client(struct bt_core *core, const struct bt_pump_message *message,
                                   const char *code)
{
    const struct bt_thread *top = message->thread;
    while (top->parent) {
        top = top->parent;
    }
    const struct bt_draft_message to = {
        .root = message->root, .document = message->document, .cause = message->number};
    const bool is_own = message->kind == BT_MESSAGE_INGRESS;
    return send(core, &to, is_own ? message->number : top->request, code);
}
