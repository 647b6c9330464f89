/* SPDX-License-Identifier: Apache-2.0 */
/* bus_connection.c - one connection to the bus. Any unexpected frame ends it. */
#include "pump_net/bus_connection.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pump/control_query.h"
#include "sandbox/host_frame.h"
#include "sandbox/plain.h"

enum {
    STRANGER_BYTES_MAX = BT_FRAME_HEAD_BYTES + 65536,
    UNSAID_BYTES_MAX = 1 << 20, /* nothing is added while more is unsent */
    OUT_BYTES_MAX = 64 << 20,
    LOG_LINES_MAX = 20, /* about refused clients, in a second */
    NAME_SHOWN = 64,
    LINE_BYTES_MAX = 1024,
};

void bt_bus_connection_init(struct bt_bus_connection *connection, int fd, uint64_t now_ms)
{
    bt_net_connection_init(&connection->wire, fd, STRANGER_BYTES_MAX, OUT_BYTES_MAX);
    connection->waiting = BT_BUS_WAIT_REASON_HELLO;
    connection->waiting_ms = now_ms;
    connection->deliveries_seen = UINT64_MAX;
}

bool bt_bus_connection_send_challenge(struct bt_pump_net *net, struct bt_bus_connection *connection)
{
    struct bt_env *env = net->pump->env;
    if (!env->random(env->context, connection->challenge, sizeof(connection->challenge))) {
        return false;
    }
    bt_host_frame_put(&connection->wire.out, BT_BUS_CHALLENGE, 0,
                      (bt_str){(const char *)connection->challenge, sizeof(connection->challenge)});
    return connection->wire.out.status == BT_OK;
}

bool bt_bus_connection_can_receive(const struct bt_pump_net *net,
                                   const struct bt_bus_connection *connection)
{
    const struct bt_pump *pump = net->pump;
    return connection->state != BT_BUS_CONNECTION_STATE_FAILED && !connection->is_leaving &&
           !connection->wire.is_broken && pump->run.state == BT_PUMP_RUNNING &&
           bt_pump_can_accept(pump) &&
           bt_net_connection_unsent(&connection->wire) <= UNSAID_BYTES_MAX;
}

/* Whether another line may be written: unknown clients must not fill the operator's disk. */
static bool may_log(struct bt_pump_net *net)
{
    struct bt_bus_log *log = &net->bus.log;
    if (net->now_ms - log->since_ms >= 1000) {
        *log = (struct bt_bus_log){.since_ms = net->now_ms};
    }
    return log->lines++ < LOG_LINES_MAX;
}

void bt_bus_connection_log_refusal(struct bt_pump_net *net,
                                   const struct bt_bus_connection *connection, bt_str name,
                                   enum bt_bus_refusal refusal)
{
    struct bt_buf shown;
    size_t end = name.len < NAME_SHOWN ? name.len : NAME_SHOWN;
    while (end < name.len && end > 0 && ((unsigned char)name.ptr[end] & 0xc0) == 0x80) {
        end--; /* do not split a code point */
    }
    if (!may_log(net)) {
        return;
    }
    bt_buf_init(&shown, LINE_BYTES_MAX);
    bt_buf_put_text(&shown, "client ");
    bt_plain_put(&shown,
                 name.len > 0 ? bt_str_slice(name, 0, end) : bt_str_of(connection->address));
    bt_buf_printf(&shown, " refused: %s", bt_bus_refusal_name(refusal));
    bt_pump_log(net->pump, BT_STR(""), bt_buf_str(&shown));
    bt_buf_free(&shown);
}

/* The name of an authenticated client; "" for others. */
static bt_str name_of(const struct bt_pump_net *net, const struct bt_bus_connection *connection)
{
    return connection->state == BT_BUS_CONNECTION_STATE_AUTHENTICATED
               ? net->pump->core.clients[connection->client].name
               : BT_STR("");
}

/* Deliveries go to the newest connection of a client. */
static void replace_others(struct bt_pump_net *net, const struct bt_bus_connection *connection)
{
    for (struct bt_bus_connection *at = net->bus.first; at; at = at->next) {
        if (at != connection && at->state == BT_BUS_CONNECTION_STATE_AUTHENTICATED &&
            at->client == connection->client) {
            at->is_replaced = true;
        }
    }
}

void bt_bus_connection_close(struct bt_pump_net *net, const struct bt_bus_connection *connection)
{
    struct bt_bus_connection *heir = net->bus.first; /* the newest first */
    while (heir && (heir->state != BT_BUS_CONNECTION_STATE_AUTHENTICATED ||
                    heir->client != connection->client || heir->wire.is_broken)) {
        heir = heir->next;
    }
    if (connection->state == BT_BUS_CONNECTION_STATE_AUTHENTICATED && heir && heir->is_replaced) {
        heir->is_replaced = false;
        heir->untaken_count = 0;
        heir->last_sent = 0;
        heir->deliveries_seen = UINT64_MAX;
    }
}

static enum bt_status take_hello(struct bt_pump_net *net, struct bt_bus_connection *connection,
                                 bt_str body)
{
    const struct bt_bus_credentials claim = {
        .hello = body,
        .challenge = {(const char *)connection->challenge, sizeof(connection->challenge)},
        .is_local = connection->is_local,
        .uid = connection->uid};
    struct bt_bus_auth_result known;
    BT_TRY(bt_bus_auth_check(&net->arena, net->pump->organism, &claim, &known));
    if (!known.client) {
        connection->state = BT_BUS_CONNECTION_STATE_FAILED;
        bt_bus_auth_count_failure(&net->bus.guard, connection->address, net->now_ms);
        bt_bus_connection_log_refusal(net, connection, known.name, known.refusal);
        return BT_OK;
    }
    connection->state = BT_BUS_CONNECTION_STATE_AUTHENTICATED;
    connection->client = bt_pump_core_find_client(&net->pump->core, known.client->name);
    connection->wire.in.max = BT_FRAME_BYTES_MAX;
    replace_others(net, connection);
    bt_host_frame_put(&connection->wire.out, BT_BUS_WELCOME, 0, BT_STR(""));
    return BT_OK;
}

static void put_ack(struct bt_bus_connection *connection, uint64_t id,
                    const struct bt_pump_ingress_result *taken)
{
    char body[96];
    const int size = snprintf(body, sizeof(body), "{\"thread\":\"%.*s\",\"duplicate\":%s}",
                              BT_STR_ARG(taken->thread), taken->is_repeated ? "true" : "false");
    bt_host_frame_put(&connection->wire.out, BT_BUS_ACK, id, (bt_str){body, (size_t)size});
}

/* Answer a refused message with a diagnostic, or close the connection when there must be none. */
static enum bt_status send_rejection(struct bt_pump_net *net, struct bt_bus_connection *connection,
                                     const struct bt_host_frame *frame,
                                     const struct bt_pump_ingress_result *taken)
{
    struct bt_buf diagnostic;
    struct bt_buf message;
    if (!taken->error) {
        bt_host_frame_put(&connection->wire.out, BT_BUS_NAK, frame->id, BT_STR(""));
        connection->is_leaving = true;
        return BT_OK;
    }
    bt_buf_init(&diagnostic, SIZE_MAX);
    bt_buf_init(&message, BT_FRAME_BODY_MAX);
    bt_pump_core_put_diagnostic(&diagnostic, taken->error, frame->body);
    const struct bt_pump_envelope envelope = {.from = BT_STR("core"),
                                              .to =
                                                  net->pump->core.clients[connection->client].name,
                                              .thread = taken->thread,
                                              .payload = bt_buf_str(&diagnostic)};
    bt_pump_put_message(&message, &envelope);
    const enum bt_status status = diagnostic.status != BT_OK ? diagnostic.status : message.status;
    if (status == BT_OK) {
        bt_host_frame_put(&connection->wire.out, BT_BUS_NAK, frame->id, bt_buf_str(&message));
    }
    bt_buf_free(&diagnostic);
    bt_buf_free(&message);
    return status;
}

static enum bt_status take_message(struct bt_pump_net *net, struct bt_bus_connection *connection,
                                   const struct bt_host_frame *frame)
{
    struct bt_pump *pump = net->pump;
    struct bt_judgement *judged = BT_NEW(&net->arena, struct bt_judgement);
    struct bt_pump_input input = {.path = BT_STR("bus"),
                                  .client = pump->core.clients[connection->client].name,
                                  .sender_is_waiting = true};
    if (!judged) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_arena_copy(&net->arena, frame->body, &input.text));
    BT_TRY(bt_pump_submit(pump, &net->arena, &input, judged, NULL));
    const struct bt_pump_ingress_result taken = bt_pump_last_ingress(pump);
    if (judged->verdict != BT_VERDICT_ACCEPTED) {
        return send_rejection(net, connection, frame, &taken);
    }
    put_ack(connection, frame->id, &taken);
    return BT_OK;
}

/* False: no delivery of this number was sent. */
static bool take_taken(struct bt_pump_net *net, struct bt_bus_connection *connection, uint64_t id)
{
    for (size_t i = 0; i < connection->untaken_count; i++) {
        if (connection->unacknowledged[i].id != id) {
            continue;
        }
        if (!connection->is_replaced) {
            net->status = bt_pump_mark_delivered(net->pump, connection->client,
                                                 &connection->unacknowledged[i]);
        }
        connection->unacknowledged[i] = connection->unacknowledged[--connection->untaken_count];
        connection->deliveries_seen = UINT64_MAX; /* look for more deliveries */
        return true;
    }
    return id <= connection->highest_sent; /* taken before, here or by another connection */
}

/* False: the frame is not permitted now. */
static bool take_frame(struct bt_pump_net *net, struct bt_bus_connection *connection,
                       const struct bt_host_frame *frame)
{
    if (connection->state == BT_BUS_CONNECTION_STATE_NEW) {
        if (frame->type == BT_BUS_HELLO && frame->id == 0) {
            net->status = take_hello(net, connection, frame->body);
            return true;
        }
        return false;
    }
    if (frame->type == BT_BUS_SEND) {
        net->status = take_message(net, connection, frame);
        return true;
    }
    if (frame->type == BT_BUS_TAKEN && frame->body.len == 0) {
        return take_taken(net, connection, frame->id);
    }
    if (frame->type == BT_BUS_BYE && frame->id == 0) {
        connection->is_leaving = true;
        return true;
    }
    return false;
}

/* The head of a frame announces more than is allowed: do not wait for the rest. */
static bool is_too_long(const struct bt_bus_connection *connection, bt_str received)
{
    return received.len >= connection->wire.in.max;
}

bool bt_bus_connection_receive(struct bt_pump_net *net, struct bt_bus_connection *connection)
{
    struct bt_host_frame frame;
    size_t offset = 0;
    if (!bt_bus_connection_can_receive(net, connection)) {
        return false;
    }
    const bt_str received = bt_net_connection_received(&connection->wire);
    const enum bt_host_frame_result found = bt_host_frame_read(received, &offset, &frame);
    if (found == BT_FRAME_CUT && !is_too_long(connection, received)) {
        connection->is_leaving = connection->is_leaving || connection->wire.peer_has_closed;
        return false;
    }
    const bool is_right = found == BT_FRAME_WHOLE && take_frame(net, connection, &frame);
    connection->wire.in_done += offset;
    connection->waiting = BT_BUS_WAIT_REASON_NONE; /* the next wait starts again */
    if (!is_right) {
        bt_bus_connection_log_refusal(net, connection, name_of(net, connection),
                                      BT_BUS_REFUSAL_ORDER);
    }
    if (!is_right || connection->wire.out.status != BT_OK) {
        connection->wire.is_broken = true;
    }
    return is_right;
}

static bool put_delivery(void *context, const struct bt_pump_outgoing *outgoing, bt_str message)
{
    struct bt_bus_connection *connection = context;
    bt_host_frame_put(&connection->wire.out, BT_BUS_DELIVER, outgoing->id, message);
    connection->unacknowledged[connection->untaken_count++] = *outgoing;
    connection->last_sent = outgoing->id;
    connection->highest_sent =
        connection->highest_sent > outgoing->id ? connection->highest_sent : outgoing->id;
    return connection->untaken_count < BT_UNTAKEN_MAX &&
           bt_net_connection_unsent(&connection->wire) < UNSAID_BYTES_MAX;
}

static void deliver_all(struct bt_pump_net *net, struct bt_bus_connection *connection)
{
    struct bt_pump *pump = net->pump;
    const size_t room = BT_UNTAKEN_MAX - connection->untaken_count;
    const size_t before = connection->untaken_count;
    if (connection->state != BT_BUS_CONNECTION_STATE_AUTHENTICATED || connection->is_replaced ||
        connection->is_leaving || room == 0 ||
        connection->deliveries_seen == pump->core.counts.deliveries ||
        bt_net_connection_unsent(&connection->wire) >= UNSAID_BYTES_MAX) {
        return;
    }
    const uint64_t deliveries = pump->core.counts.deliveries;
    if (bt_pump_outbox(pump, connection->client, connection->last_sent, room, put_delivery,
                       connection) != BT_OK ||
        connection->wire.out.status != BT_OK) {
        connection->wire.is_broken = true;
        return;
    }
    if (connection->untaken_count - before < room) {
        connection->deliveries_seen = deliveries; /* all of them were sent */
    }
}

static enum bt_bus_wait_reason waits_for(const struct bt_bus_connection *connection, size_t unsaid)
{
    return connection->state == BT_BUS_CONNECTION_STATE_FAILED     ? BT_BUS_WAIT_REASON_CLOSE
           : unsaid > 0                                            ? BT_BUS_WAIT_REASON_SEND
           : connection->state == BT_BUS_CONNECTION_STATE_NEW      ? BT_BUS_WAIT_REASON_HELLO
           : bt_net_connection_received(&connection->wire).len > 0 ? BT_BUS_WAIT_REASON_FRAME
                                                                   : BT_BUS_WAIT_REASON_NONE;
}

void bt_bus_connection_send(struct bt_pump_net *net, struct bt_bus_connection *connection)
{
    const size_t before = bt_net_connection_unsent(&connection->wire);
    deliver_all(net, connection);
    bt_net_connection_write(&connection->wire);
    const size_t unsaid = bt_net_connection_unsent(&connection->wire);
    const enum bt_bus_wait_reason waiting = waits_for(connection, unsaid);
    if (waiting != connection->waiting || (waiting == BT_BUS_WAIT_REASON_SEND && unsaid < before)) {
        connection->waiting = waiting;
        connection->waiting_ms = net->now_ms;
    }
}
