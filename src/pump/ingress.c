/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ingress.c - a message of a client: judged, then accepted or rejected. The store is read last:
 * used ids, spent tokens.
 */
#include <assert.h>
#include <string.h>

#include "engine/submit.h"
#include "pump/core_internal.h"
#include "pump/fragments.h"
#include "pump/ingress.h"
#include "report/findings.h"

struct pump_ingress {
    struct bt_pump *pump;
    const struct bt_pump_input *input;
    struct bt_message_check message;
    uint32_t client;                 /* BT_NOBODY: unknown */
    char thread[BT_UUID_TEXT_BYTES]; /* that replies have */
    uint8_t digest[BT_SHA256_BYTES]; /* of the canonical message */
    bool is_repeated;                /* it was accepted before */
};

/* The thread of the replies: the client's if it is a version 4 UUID, else a new one. */
static enum bt_status choose_thread(struct pump_ingress *ingress)
{
    const bt_str thread = ingress->message.envelope.thread;
    if (!ingress->message.has_envelope || !bt_uuid_is_v4(thread)) {
        return bt_env_uuid(ingress->pump->env, ingress->thread);
    }
    memcpy(ingress->thread, thread.ptr, thread.len);
    ingress->thread[thread.len] = '\0';
    return BT_OK;
}

/* What is known of the message's id. Those that are not kept yet count as well. BT_ENOENT: it was
 * never used. */
static enum bt_status find_id(const struct pump_ingress *ingress, struct bt_pump_store_id *out)
{
    struct bt_pump_store *rows = &ingress->pump->storage.rows;
    const bt_str id = ingress->message.envelope.id;
    for (const struct bt_pump_store_id *at = rows->ids; at; at = at->next) {
        if (at->client == ingress->client && bt_str_eq(at->id, id)) {
            *out = *at;
            return BT_OK;
        }
    }
    return bt_pump_store_find_id(rows, ingress->client, id, out);
}

static enum bt_status check_id(struct pump_ingress *ingress)
{
    struct bt_message_check *message = &ingress->message;
    struct bt_pump_store_id known;
    if (!message->envelope.has_id) {
        return BT_OK;
    }
    bt_str canonical;
    BT_TRY(bt_message_check_canonical(message, &canonical));
    BT_TRY(bt_sha256(canonical, ingress->digest));
    const enum bt_status status = find_id(ingress, &known);
    if (status == BT_ENOENT) {
        return BT_OK;
    }
    BT_TRY(status);
    const struct bt_xml_node *node = bt_xml_first(bt_xml_first(message->root));
    while (node && !bt_xml_is(node, BT_SPACE_BATON, BT_STR("id"))) {
        node = bt_xml_next(node);
    }
    ingress->is_repeated = memcmp(known.digest, ingress->digest, sizeof(known.digest)) == 0;
    if (ingress->is_repeated) { /* a refusal goes to the thread of the refused message */
        memcpy(ingress->thread, known.thread, sizeof(ingress->thread));
    }
    const struct bt_location at = bt_message_locate(message, node);
    return ingress->is_repeated ? bt_add_xml_duplicate(message->findings, at, message->envelope.id)
                                : bt_add_xml_id_reused(message->findings, at, message->envelope.id);
}

static enum bt_status check_budget(struct pump_ingress *ingress)
{
    const struct bt_pump_core *core = &ingress->pump->core;
    return bt_pump_core_budget_is_spent(core, ingress->client, ingress->thread)
               ? bt_add_pump_budget(ingress->message.findings, bt_location_whole(),
                                    core->limits.tokens)
               : BT_OK;
}

static enum bt_status remember_id(struct pump_ingress *ingress)
{
    struct bt_pump_store *rows = &ingress->pump->storage.rows;
    struct bt_pump_store_id *id = BT_NEW(&rows->arena, struct bt_pump_store_id);
    if (!id) {
        return BT_ENOMEM;
    }
    const uint64_t days = ingress->pump->organism->limits.history_days;
    *id = (struct bt_pump_store_id){.next = rows->ids,
                                    .client = ingress->client,
                                    .expiry = (uint64_t)bt_env_now(ingress->pump->env).seconds +
                                              days * 86400};
    memcpy(id->digest, ingress->digest, sizeof(id->digest));
    memcpy(id->thread, ingress->thread, sizeof(id->thread));
    BT_TRY(bt_arena_copy(&rows->arena, ingress->message.envelope.id, &id->id));
    rows->ids = id;
    return BT_OK;
}

/* Answer introspection at once, without a call. */
static enum bt_status answer_request(struct pump_ingress *ingress)
{
    struct bt_buf payload;
    bt_str tag;
    bt_buf_init(&payload, SIZE_MAX);
    enum bt_status status = bt_pump_ingress_introspect(&ingress->message, &payload, &tag);
    if (status == BT_OK) {
        const struct bt_pump_core_notice words = {.client = ingress->client,
                                                  .uuid = ingress->thread,
                                                  .tag = tag,
                                                  .payload = bt_buf_str(&payload),
                                                  .document = ingress->input->document};
        status = bt_pump_core_send_notice(&ingress->pump->core, &words);
    }
    bt_buf_free(&payload);
    return status;
}

static enum bt_status accept_message(struct pump_ingress *ingress)
{
    struct bt_pump *pump = ingress->pump;
    struct bt_message_check *message = &ingress->message;
    struct bt_pump_core_ingress order = {.client = ingress->client,
                                         .uuid = ingress->thread,
                                         .tag = message->payload->name,
                                         .document = ingress->input->document,
                                         .item = pump->storage.rows.items_count + 1};
    struct bt_buf payload;
    BT_TRY(bt_pump_target_numbers(pump->organism, message->arena, message->target.name, UINT32_MAX,
                                  &order.targets, &order.targets_count));
    bt_buf_init(&payload, SIZE_MAX);
    enum bt_status status =
        bt_xml_put_canonical(&payload, message->arena, message->document, message->payload);
    order.payload = bt_buf_str(&payload);
    status = status == BT_OK ? bt_pump_core_accept(&pump->core, &order) : status;
    bt_buf_free(&payload);
    BT_TRY(status);
    return message->envelope.has_id ? remember_id(ingress) : BT_OK;
}

/* A forger gets no answer, and a diagnostic never causes a diagnostic. */
static bool is_silent(const struct pump_ingress *ingress, enum bt_code code)
{
    const struct bt_xml_node *payload = ingress->message.payload;
    return code == BT_CODE_XML_PRIVILEGED || code == BT_CODE_XML_FROM_RESERVED ||
           code == BT_CODE_XML_FROM_UNKNOWN || (payload && bt_str_eq(payload->name, BT_STR("huh")));
}

static const struct bt_finding *first_hard(const struct bt_findings *findings)
{
    size_t i = 0;
    while (bt_findings_at(findings, i)->severity != BT_SEVERITY_HARD) {
        i++;
    }
    return bt_findings_at(findings, i);
}

static enum bt_status answer_refusal(struct pump_ingress *ingress)
{
    const enum bt_code code = (enum bt_code)first_hard(ingress->message.findings)->code;
    if (ingress->client == BT_NOBODY || is_silent(ingress, code)) {
        return BT_OK;
    }
    ingress->pump->submitted.result.error = bt_pump_core_diagnostic_text(code);
    if (ingress->input->sender_is_waiting) {
        return BT_OK;
    }
    return bt_pump_core_reject_ingress(&ingress->pump->core, ingress->client, ingress->thread, code,
                                       ingress->input->text);
}

static enum bt_status build_judgement(struct pump_ingress *ingress, struct bt_judgement *out)
{
    struct bt_message_check *message = &ingress->message;
    BT_TRY(bt_judgement_make(ingress->input->path, BT_DIALECT_XML, ingress->input->text,
                             message->findings, BT_STR(""), out));
    if (message->has_envelope) {
        message->envelope.thread = bt_str_of(ingress->thread);
    }
    if (!ingress->input->wants_facts) {
        return BT_OK;
    }
    bt_str facts;
    BT_TRY(bt_message_check_facts(message, NULL, &facts));
    return bt_arena_copy(bt_findings_arena(message->findings), facts, &out->facts);
}

static enum bt_status record_message(struct pump_ingress *ingress, struct bt_judgement *judged)
{
    struct bt_pump *pump = ingress->pump;
    const struct bt_message_check *message = &ingress->message;
    assert(pump->storage.rows.items_count < BT_PUMP_ITEMS_MAX);
    struct bt_submission *item = &pump->storage.items[pump->storage.rows.items_count++];
    bt_submission_init(item, bt_findings_arena(message->findings), judged, BT_STR("pump"),
                       ingress->input->text, pump->organism->limits.message_bytes);
    if (message->has_envelope) {
        struct bt_arena *arena = bt_findings_arena(message->findings);
        item->entry.target = message->listener;
        BT_TRY(bt_arena_copy(arena, message->envelope.from, &item->entry.source));
        BT_TRY(bt_arena_copy(arena, bt_uuid_str(ingress->thread), &item->entry.trace_id));
    }
    return BT_OK;
}

static enum bt_status run(struct pump_ingress *ingress, struct bt_judgement *out)
{
    struct bt_message_check *message = &ingress->message;
    BT_TRY(bt_message_check_judge(message));
    const bt_str known =
        ingress->input->client.len > 0 ? ingress->input->client : message->envelope.from;
    ingress->client = bt_pump_core_find_client(&ingress->pump->core, known);
    BT_TRY(choose_thread(ingress));
    if (!bt_message_has_hard(message)) {
        BT_TRY(check_id(ingress));
    }
    if (!bt_message_has_hard(message) && !ingress->is_repeated) {
        BT_TRY(check_budget(ingress));
    }
    BT_TRY(build_judgement(ingress, out));
    if (bt_message_has_hard(message)) {
        BT_TRY(answer_refusal(ingress));
    } else if (!ingress->is_repeated) {
        BT_TRY(bt_str_eq(message->payload->space, BT_SPACE_META) ? answer_request(ingress)
                                                                 : accept_message(ingress));
    }
    memcpy(ingress->pump->submitted.thread, ingress->thread, sizeof(ingress->thread));
    ingress->pump->submitted.result.thread = bt_str_of(ingress->pump->submitted.thread);
    ingress->pump->submitted.result.is_repeated = ingress->is_repeated;
    const struct bt_pump_step step = {
        .kind = bt_message_has_hard(message) ? BT_PUMP_STEP_REFUSED : BT_PUMP_STEP_ACCEPTED,
        .listener = message->listener,
        .thread = ingress->pump->submitted.result.thread,
        .root = message->payload ? message->payload->name : BT_STR("")};
    bt_pump_notify_step(ingress->pump, &step);
    /* A message that was accepted before is recorded already. */
    return ingress->is_repeated ? BT_OK : record_message(ingress, out);
}

bool bt_pump_can_accept(const struct bt_pump *pump)
{
    return bt_pump_core_can_accept(&pump->core);
}

enum bt_status bt_pump_submit(struct bt_pump *pump, struct bt_arena *arena,
                              const struct bt_pump_input *input, struct bt_judgement *out,
                              struct bt_error *error)
{
    assert(pump);
    assert(input);
    assert(out);
    const struct bt_message_options options = {.organism = pump->organism, .client = input->client};
    /* What is only found out on the way lies where that of the message before lay: thousands of
     * messages are recorded together, and only what the record needs stays until then. */
    struct pump_ingress ingress = {.pump = pump,
                                   .input = input,
                                   .message = {.env = pump->env,
                                               .options = &options,
                                               .findings = bt_findings_new(arena),
                                               .arena = &pump->arena,
                                               .text = input->text}};
    if (!ingress.message.findings) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    pump->submitted.result = (struct bt_pump_ingress_result){.error = NULL};
    if (pump->storage.rows.items_count == BT_PUMP_ITEMS_MAX) {
        BT_TRY(bt_pump_commit(pump, error));
    }
    const struct bt_arena_mark mark = bt_arena_mark(&pump->arena);
    const enum bt_status status = run(&ingress, out);
    bt_arena_rewind(&pump->arena, mark);
    return status == BT_OK ? BT_OK : bt_error_set(error, status, "%s", bt_status_text(status));
}

struct bt_pump_ingress_result bt_pump_last_ingress(const struct bt_pump *pump)
{
    assert(pump);
    return pump->submitted.result;
}
