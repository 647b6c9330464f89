/* SPDX-License-Identifier: Apache-2.0 */
/*
 * visit.c - one connection to the bus. Anything out of place ends it.
 */
#include "door/visit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pump/control.h"
#include "sandbox/frame.h"

enum {
    STRANGER_BYTES_MAX = BT_FRAME_HEAD_BYTES + 65536,
    UNSAID_BYTES_MAX = 1 << 20, /* with more than that on its way, nothing is added */
    OUT_BYTES_MAX = 64 << 20,
};

void bt_visit_begin(struct bt_visitor *visitor, int fd, uint64_t now_ms)
{
    bt_wire_init(&visitor->wire, fd, STRANGER_BYTES_MAX, OUT_BYTES_MAX);
    visitor->waiting = BT_VISITOR_HELLO;
    visitor->waiting_ms = now_ms;
    visitor->looked = UINT64_MAX;
}

bool bt_visit_challenge(struct bt_door *door, struct bt_visitor *visitor)
{
    struct bt_env *env = door->pump->env;
    if (!env->random(env->context, visitor->challenge, sizeof(visitor->challenge))) {
        return false;
    }
    bt_frame_put(&visitor->wire.out, BT_BUS_CHALLENGE, 0,
                 (bt_str){(const char *)visitor->challenge, sizeof(visitor->challenge)});
    return visitor->wire.out.status == BT_OK;
}

bool bt_visit_is_heard(const struct bt_door *door, const struct bt_visitor *visitor)
{
    const struct bt_pump *pump = door->pump;
    return visitor->state != BT_VISITOR_FAILED && !visitor->is_leaving &&
           !visitor->wire.is_broken && pump->state == BT_PUMP_RUNNING && bt_pump_has_room(pump) &&
           bt_wire_unsaid(&visitor->wire) <= UNSAID_BYTES_MAX;
}

/* ---- Proving --------------------------------------------------------------------------------- */

static void log_failure(struct bt_door *door, const struct bt_visitor *visitor)
{
    char text[96];
    const int size =
        snprintf(text, sizeof(text), "%s did not prove to be a client", visitor->address);
    bt_pump_log(door->pump, BT_STR("bus"), (bt_str){text, (size_t)size});
}

/* The newest connection of a client gets what is delivered. */
static void replace_others(struct bt_door *door, const struct bt_visitor *visitor)
{
    for (struct bt_visitor *at = door->bus.first; at; at = at->next) {
        if (at != visitor && at->state == BT_VISITOR_KNOWN && at->client == visitor->client) {
            at->is_replaced = true;
        }
    }
}

void bt_visit_end(struct bt_door *door, const struct bt_visitor *visitor)
{
    struct bt_visitor *heir = door->bus.first; /* the newest first */
    while (heir && (heir->state != BT_VISITOR_KNOWN || heir->client != visitor->client ||
                    heir->wire.is_broken)) {
        heir = heir->next;
    }
    if (visitor->state == BT_VISITOR_KNOWN && heir && heir->is_replaced) {
        heir->is_replaced = false;
        heir->untaken_count = 0;
        heir->told = 0;
        heir->looked = UINT64_MAX;
    }
}

static enum bt_status take_hello(struct bt_door *door, struct bt_visitor *visitor, bt_str body)
{
    const struct bt_claim claim = {
        .hello = body,
        .challenge = {(const char *)visitor->challenge, sizeof(visitor->challenge)},
        .is_local = visitor->is_local,
        .uid = visitor->uid};
    const struct bt_client *client = NULL;
    BT_TRY(bt_guard_check(&door->arena, door->pump->organism, &claim, &client));
    if (!client) {
        visitor->state = BT_VISITOR_FAILED;
        bt_guard_failed(&door->bus.guard, visitor->address, door->now_ms);
        log_failure(door, visitor);
        return BT_OK;
    }
    visitor->state = BT_VISITOR_KNOWN;
    visitor->client = bt_core_client_called(&door->pump->core, client->name);
    visitor->wire.in.max = BT_FRAME_BYTES_MAX;
    replace_others(door, visitor);
    bt_frame_put(&visitor->wire.out, BT_BUS_WELCOME, 0, BT_STR(""));
    return BT_OK;
}

/* ---- Sending --------------------------------------------------------------------------------- */

static void acknowledge(struct bt_visitor *visitor, uint64_t id, const struct bt_pump_taken *taken)
{
    char body[96];
    const int size = snprintf(body, sizeof(body), "{\"thread\":\"%.*s\",\"duplicate\":%s}",
                              BT_STR_ARG(taken->thread), taken->is_repeated ? "true" : "false");
    bt_frame_put(&visitor->wire.out, BT_BUS_ACK, id, (bt_str){body, (size_t)size});
}

/* A refused message is answered by its huh; who may learn nothing is sent away. */
static enum bt_status refuse(struct bt_door *door, struct bt_visitor *visitor,
                             const struct bt_frame *frame, const struct bt_pump_taken *taken)
{
    struct bt_buf huh;
    struct bt_buf message;
    if (!taken->error) {
        bt_frame_put(&visitor->wire.out, BT_BUS_NAK, frame->id, BT_STR(""));
        visitor->is_leaving = true;
        return BT_OK;
    }
    bt_buf_init(&huh, SIZE_MAX);
    bt_buf_init(&message, BT_FRAME_BODY_MAX);
    bt_core_put_huh(&huh, taken->error, frame->body);
    const struct bt_pump_envelope envelope = {.from = BT_STR("core"),
                                              .to = door->pump->core.clients[visitor->client].name,
                                              .thread = taken->thread,
                                              .payload = bt_buf_str(&huh)};
    bt_pump_put_message(&message, &envelope);
    const enum bt_status status = huh.status != BT_OK ? huh.status : message.status;
    if (status == BT_OK) {
        bt_frame_put(&visitor->wire.out, BT_BUS_NAK, frame->id, bt_buf_str(&message));
    }
    bt_buf_free(&huh);
    bt_buf_free(&message);
    return status;
}

static enum bt_status take_message(struct bt_door *door, struct bt_visitor *visitor,
                                   const struct bt_frame *frame)
{
    struct bt_pump *pump = door->pump;
    struct bt_judged *judged = BT_NEW(&door->arena, struct bt_judged);
    struct bt_pump_input input = {
        .path = BT_STR("bus"), .client = pump->core.clients[visitor->client].name, .is_told = true};
    if (!judged) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_arena_copy(&door->arena, frame->body, &input.text));
    BT_TRY(bt_pump_submit(pump, &door->arena, &input, judged, NULL));
    const struct bt_pump_taken taken = bt_pump_taken(pump);
    if (judged->verdict != BT_ACCEPTED) {
        return refuse(door, visitor, frame, &taken);
    }
    acknowledge(visitor, frame->id, &taken);
    return BT_OK;
}

/* ---- Taking ---------------------------------------------------------------------------------- */

/* False: nothing of this number was on its way. */
static bool take_taken(struct bt_door *door, struct bt_visitor *visitor, uint64_t id)
{
    for (size_t i = 0; i < visitor->untaken_count; i++) {
        if (visitor->untaken[i].id != id) {
            continue;
        }
        if (!visitor->is_replaced) {
            door->status = bt_pump_taken_by(door->pump, visitor->client, &visitor->untaken[i]);
        }
        visitor->untaken[i] = visitor->untaken[--visitor->untaken_count];
        visitor->looked = UINT64_MAX; /* there is room for more */
        return true;
    }
    return id <= visitor->told_ever; /* taken before, here or by another connection */
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* False: it is out of place. */
static bool take_frame(struct bt_door *door, struct bt_visitor *visitor,
                       const struct bt_frame *frame)
{
    if (visitor->state == BT_VISITOR_STRANGER) {
        if (frame->type == BT_BUS_HELLO && frame->id == 0) {
            door->status = take_hello(door, visitor, frame->body);
            return true;
        }
        return false;
    }
    if (frame->type == BT_BUS_SEND) {
        door->status = take_message(door, visitor, frame);
        return true;
    }
    if (frame->type == BT_BUS_TAKEN && frame->body.len == 0) {
        return take_taken(door, visitor, frame->id);
    }
    if (frame->type == BT_BUS_BYE && frame->id == 0) {
        visitor->is_leaving = true;
        return true;
    }
    return false;
}

/* A head that announces more than there is room for: nobody waits for the rest. */
static bool is_too_long(const struct bt_visitor *visitor, bt_str heard)
{
    return heard.len >= visitor->wire.in.max;
}

bool bt_visit_hear(struct bt_door *door, struct bt_visitor *visitor)
{
    struct bt_frame frame;
    size_t offset = 0;
    if (!bt_visit_is_heard(door, visitor)) {
        return false;
    }
    const bt_str heard = bt_wire_heard(&visitor->wire);
    const enum bt_frame_found found = bt_frame_read(heard, &offset, &frame);
    if (found == BT_FRAME_CUT && !is_too_long(visitor, heard)) {
        visitor->is_leaving = visitor->is_leaving || visitor->wire.is_ended;
        return false;
    }
    const bool is_right = found == BT_FRAME_WHOLE && take_frame(door, visitor, &frame);
    visitor->wire.in_done += offset;
    visitor->waiting = BT_VISITOR_NOTHING; /* what is waited for next begins anew */
    if (!is_right || visitor->wire.out.status != BT_OK) {
        visitor->wire.is_broken = true;
    }
    return is_right;
}

/* ---- Speaking -------------------------------------------------------------------------------- */

static bool deliver(void *context, const struct bt_outgoing *outgoing, bt_str message)
{
    struct bt_visitor *visitor = context;
    bt_frame_put(&visitor->wire.out, BT_BUS_DELIVER, outgoing->id, message);
    visitor->untaken[visitor->untaken_count++] = *outgoing;
    visitor->told = outgoing->id;
    visitor->told_ever = visitor->told_ever > outgoing->id ? visitor->told_ever : outgoing->id;
    return visitor->untaken_count < BT_UNTAKEN_MAX &&
           bt_wire_unsaid(&visitor->wire) < UNSAID_BYTES_MAX;
}

static void deliver_all(struct bt_door *door, struct bt_visitor *visitor)
{
    struct bt_pump *pump = door->pump;
    const size_t room = BT_UNTAKEN_MAX - visitor->untaken_count;
    const size_t before = visitor->untaken_count;
    if (visitor->state != BT_VISITOR_KNOWN || visitor->is_replaced || visitor->is_leaving ||
        room == 0 || visitor->looked == pump->core.deliveries ||
        bt_wire_unsaid(&visitor->wire) >= UNSAID_BYTES_MAX) {
        return;
    }
    const uint64_t deliveries = pump->core.deliveries;
    if (bt_pump_outbox(pump, visitor->client, visitor->told, room, deliver, visitor) != BT_OK ||
        visitor->wire.out.status != BT_OK) {
        visitor->wire.is_broken = true;
        return;
    }
    if (visitor->untaken_count - before < room) {
        visitor->looked = deliveries; /* that was all */
    }
}

static enum bt_visitor_waiting waits_for(const struct bt_visitor *visitor, size_t unsaid)
{
    return visitor->state == BT_VISITOR_FAILED     ? BT_VISITOR_SHUT
           : unsaid > 0                            ? BT_VISITOR_TAKING
           : visitor->state == BT_VISITOR_STRANGER ? BT_VISITOR_HELLO
           : bt_wire_heard(&visitor->wire).len > 0 ? BT_VISITOR_FRAME
                                                   : BT_VISITOR_NOTHING;
}

void bt_visit_speak(struct bt_door *door, struct bt_visitor *visitor)
{
    const size_t before = bt_wire_unsaid(&visitor->wire);
    deliver_all(door, visitor);
    bt_wire_write(&visitor->wire);
    const size_t unsaid = bt_wire_unsaid(&visitor->wire);
    const enum bt_visitor_waiting waiting = waits_for(visitor, unsaid);
    if (waiting != visitor->waiting || (waiting == BT_VISITOR_TAKING && unsaid < before)) {
        visitor->waiting = waiting;
        visitor->waiting_ms = door->now_ms;
    }
}
