/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diagnostic.c - the diagnostic message, which only the pump sends. It is short, and quotes only
 * what its receiver wrote, so it reveals nothing about others.
 */
#include "base/buf.h"
#include "dialect/xml/message_check.h"
#include "pump/core_internal.h"
#include "pump/pump.h"
#include "sandbox/plain.h"

enum { ATTEMPT_BYTES_MAX = 4096 };

#define CORE_SPACE "https://xml-pipeline.org/ns/core/v1"

const char *bt_pump_core_diagnostic_text(enum bt_code code)
{
    static const char *const texts[BT_CODE__MAX] = {
        [BT_CODE_PUMP_BUDGET] = "Limit exceeded",
        [BT_CODE_PUMP_BUSY] = "Limit exceeded",
        [BT_CODE_PUMP_CALL_ABANDONED] = "Handler failed",
        [BT_CODE_PUMP_FORGED_ENVELOPE] = "Reserved element",
        [BT_CODE_PUMP_HANDLER_FAILED] = "Handler failed",
        [BT_CODE_PUMP_HANDLER_TIMEOUT] = "Handler timed out",
        [BT_CODE_PUMP_LIMIT] = "Limit exceeded",
        [BT_CODE_PUMP_PRIVILEGED] = "Reserved element",
        [BT_CODE_PUMP_RESERVED] = "Reserved element",
        [BT_CODE_PUMP_RESULT_EMPTY] = "Handler returned no payload",
        [BT_CODE_PUMP_RESULT_NOT_BYTES] = "Handler returned no payload",
        [BT_CODE_XML_TOO_DEEP] = "Limit exceeded",
        [BT_CODE_XML_TOO_LARGE] = "Limit exceeded",
        [BT_CODE_XML_TOO_MANY_ATTRIBUTES] = "Limit exceeded",
    };
    return texts[code] ? texts[code] : "Invalid payload structure";
}

void bt_pump_core_put_diagnostic(struct bt_buf *buf, const char *words, bt_str attempt)
{
    bt_buf_put_text(buf, "<huh xmlns=\"" CORE_SPACE "\"><error>");
    bt_buf_put_text(buf, words);
    bt_buf_put_text(buf, "</error><original-attempt>");
    bt_base64_put(buf, bt_str_slice(attempt, 0, ATTEMPT_BYTES_MAX));
    bt_buf_put_text(buf, "</original-attempt></huh>");
}

/* The text of a child of the diagnostic; BT_EINVAL: it has none of this name. */
static enum bt_status read_child(struct bt_arena *arena, const struct bt_xml_node *root,
                                 const char *name, bt_str *out)
{
    const struct bt_xml_node *child = bt_xml_first(root);
    while (child && !bt_xml_is(child, BT_SPACE_CORE, bt_str_of(name))) {
        child = bt_xml_next(child);
    }
    return child ? bt_xml_text(arena, child, out) : BT_EINVAL;
}

static enum bt_status decode_attempt(struct bt_arena *arena, bt_str text, bt_str *out)
{
    const size_t size = text.len > 0 ? bt_base64_decoded_size(text) : 0;
    char *bytes = size <= ATTEMPT_BYTES_MAX ? bt_arena_alloc(arena, size + 1) : NULL;
    struct bt_buf shown;
    if (size > ATTEMPT_BYTES_MAX) {
        return BT_EINVAL;
    }
    BT_TRY(bytes ? BT_OK : BT_ENOMEM);
    if (size > 0) {
        bt_base64_decode(text, bytes);
    }
    bt_buf_init(&shown, SIZE_MAX);
    bt_plain_put_text(&shown, (bt_str){bytes, size});
    return bt_buf_finish(&shown, arena, out);
}

enum bt_status bt_pump_diagnostic_read(const struct bt_env *env, struct bt_arena *arena,
                                       bt_str payload, struct bt_pump_diagnostic *out)
{
    const struct bt_xml_options options = {.mode = BT_XML_STRICT,
                                           .bytes_max = UINT32_MAX,
                                           .depth_max = BT_XML_DEPTH_MAX,
                                           .seed = {env->hash_seed[0], env->hash_seed[1]}};
    struct bt_xml_result read;
    struct bt_pump_diagnostic found;
    bt_str attempt;
    BT_TRY(bt_xml_read(arena, payload, &options, &read));
    if (!read.document || !bt_xml_is(read.document->root, BT_SPACE_CORE, BT_STR("huh"))) {
        return BT_EINVAL;
    }
    BT_TRY(read_child(arena, read.document->root, "error", &found.error));
    BT_TRY(read_child(arena, read.document->root, "original-attempt", &attempt));
    BT_TRY(decode_attempt(arena, attempt, &found.attempt));
    *out = found;
    return BT_OK;
}

enum bt_status bt_pump_core_queue_diagnostic(struct bt_pump_core *core,
                                             const struct bt_pump_new_message *to,
                                             enum bt_code code, bt_str attempt)
{
    struct bt_pump_new_message draft = *to;
    struct bt_buf diagnostic;
    bt_buf_init(&diagnostic, SIZE_MAX);
    bt_pump_core_put_diagnostic(&diagnostic, bt_pump_core_diagnostic_text(code), attempt);
    draft.kind = draft.thread ? BT_PUMP_MESSAGE_KIND_DIAGNOSTIC : BT_PUMP_MESSAGE_KIND_EGRESS;
    draft.sender = BT_FROM_CORE;
    draft.tag = BT_STR("huh");
    draft.payload = bt_buf_str(&diagnostic);
    const enum bt_status status =
        diagnostic.status == BT_OK ? bt_pump_core_queue(core, &draft) : diagnostic.status;
    bt_buf_free(&diagnostic);
    return status;
}

/* Send a diagnostic about a request that was stored. */
static enum bt_status send_diagnostic(struct bt_pump_core *core,
                                      const struct bt_pump_new_message *to, uint64_t request,
                                      enum bt_code code)
{
    bt_str attempt = BT_STR("");
    const struct bt_arena_mark mark = bt_arena_mark(&core->work);
    enum bt_status status =
        core->driver.recall(core->driver.context, request, &core->work, &attempt);
    if (status == BT_OK ||
        status == BT_ENOENT) { /* send it without the text of a deleted request */
        status = bt_pump_core_queue_diagnostic(core, to, code, attempt);
    }
    bt_arena_rewind(&core->work, mark);
    return status;
}

enum bt_status bt_pump_core_send_diagnostic_to_caller(struct bt_pump_core *core,
                                                      struct bt_pump_thread *thread,
                                                      uint64_t request, uint64_t cause,
                                                      enum bt_code code, uint64_t document)
{
    const struct bt_pump_new_message to = {
        .root = thread->root, .thread = thread->parent, .document = document, .cause = cause};
    return send_diagnostic(core, &to, request, code);
}

enum bt_status bt_pump_core_send_diagnostic_to_client(struct bt_pump_core *core,
                                                      const struct bt_pump_message *message,
                                                      enum bt_code code)
{
    const struct bt_pump_thread *top = message->thread;
    while (top->parent) {
        top = top->parent;
    }
    const struct bt_pump_new_message to = {
        .root = message->root, .document = message->document, .cause = message->number};
    const bool is_own = message->kind == BT_PUMP_MESSAGE_KIND_INGRESS;
    return send_diagnostic(core, &to, is_own ? message->number : top->request, code);
}
