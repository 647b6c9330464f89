/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sim_core.c - the core of the pump under a seeded simulator: handlers that call, reply, loop,
 * halt, fail, hang and die; a store that keeps what was committed; power that goes at any moment.
 *
 *     sim_core [FIRST [COUNT]]        the seeds to run; a failing one is named, and repeats itself
 *
 * After every commit and every restart the invariants are checked: nobody speaks in another's name,
 * nothing that was accepted is lost, nothing ends twice, replies reach whoever called, depth and
 * budget hold, and when all is quiet no thread is left.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "kept.h"

enum {
    LISTENERS = 5,
    CLIENTS = 2,
    CLIENT_THREADS = 3,
    MESSAGES_MAX = 4096,
    STEPS = 400,
    IN_FLIGHT_MAX = 64,
    FRAGMENTS_MAX = 4,
};

/* ---- What is kept ---------------------------------------------------------------------------- */

struct kept_message {
    uint64_t number;
    enum bt_pump_message_kind kind;
    enum bt_pump_message_state state;
    char thread[BT_UUID_TEXT_BYTES];
    uint32_t listener;
    uint32_t sender;
    uint64_t call;
    char payload[64];
};

struct store {
    struct kept kept;
    struct kept_message messages[MESSAGES_MAX];
    size_t messages_count;
    uint64_t deliveries[CLIENTS]; /* the last that was kept */
    uint64_t calls[LISTENERS];    /* the same */
    uint64_t next_number;
};

struct flight {
    uint32_t listener;
    uint64_t call;
    bool is_cancelled;
};

struct sim {
    uint64_t seed;
    uint64_t rng;
    struct bt_env env;
    struct bt_pump_core core;
    struct bt_pump_core_listener listeners[LISTENERS];
    struct bt_pump_core_client clients[CLIENTS];
    struct store store;
    struct flight flights[IN_FLIGHT_MAX];
    size_t flights_count;
    uint64_t accepted; /* that were kept */
    uint64_t finished;
    uint64_t events;
    uint64_t restarts;
};

static const char *const client_uuids[CLIENT_THREADS] = {
    "00000000-0000-4000-8000-000000000001",
    "00000000-0000-4000-8000-000000000002",
    "00000000-0000-4000-8000-000000000003",
};

static void must(const struct sim *sim, bool held, const char *what)
{
    if (!held) {
        printf("not ok - seed %" PRIu64 ": %s\n", sim->seed, what);
        exit(1);
    }
}

static uint64_t draw(struct sim *sim, uint64_t below)
{
    sim->rng = sim->rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (sim->rng >> 33) % below;
}

/* ---- The driver ------------------------------------------------------------------------------ */

static enum bt_status note_event(void *context, const struct bt_pump_core_event *event)
{
    struct sim *sim = context;
    must(sim, event->code != BT_CODE_NONE, "an event has a code");
    sim->events++;
    return BT_OK;
}

static void cancel(void *context, uint32_t listener, uint64_t call)
{
    struct sim *sim = context;
    for (size_t i = 0; i < sim->flights_count; i++) {
        if (sim->flights[i].listener == listener && sim->flights[i].call == call) {
            must(sim, !sim->flights[i].is_cancelled, "a call is cancelled once");
            sim->flights[i].is_cancelled = true;
            return;
        }
    }
    must(sim, false, "only calls in flight are cancelled");
}

static struct kept_message *kept_by_number(struct sim *sim, uint64_t number)
{
    for (size_t i = 0; i < sim->store.messages_count; i++) {
        if (sim->store.messages[i].number == number) {
            return &sim->store.messages[i];
        }
    }
    return NULL;
}

static enum bt_status recall(void *context, uint64_t number, struct bt_arena *arena, bt_str *out)
{
    struct sim *sim = context;
    const struct kept_message *kept = kept_by_number(sim, number);
    must(sim, kept != NULL, "a request that is being served was kept");
    must(sim, kept->kind == BT_PUMP_MESSAGE_KIND_INGRESS || kept->kind == BT_PUMP_MESSAGE_KIND_CALL,
         "a request is something that was called");
    return bt_arena_copy(arena, bt_str_of(kept->payload), out);
}

/* ---- Keeping --------------------------------------------------------------------------------- */

static void keep_roots(struct sim *sim)
{
    for (const struct bt_pump_root_thread *root = sim->core.dirty.roots; root;
         root = root->next_touched) {
        must(sim, kept_put_root(&sim->store.kept, root), "there is room for a root");
        if (root->is_gone) {
            continue;
        }
        must(sim, root->tokens <= sim->core.limits.tokens, "a root stays within its budget");
        must(sim, root->tokens_kept <= root->tokens, "what is over was charged before");
        must(sim, root->tokens_kept <= root->tokens_stored, "the store never says too little");
    }
}

static void keep_threads(struct sim *sim)
{
    for (const struct bt_pump_thread *thread = sim->core.dirty.threads; thread;
         thread = thread->next_touched) {
        must(sim, kept_put_thread(&sim->store.kept, thread), "there is room for a thread");
        must(sim, thread->is_gone || thread->depth <= sim->core.limits.depth,
             "a thread stays within its depth");
    }
}

/* Who may have written a message, and where it may have gone. */
static void check_message(struct sim *sim, const struct bt_pump_message *message)
{
    const bool is_huh = bt_str_eq(message->payload.tag, BT_STR("huh"));
    must(sim, message->payload.is_spilled || is_huh == (message->sender == BT_FROM_CORE),
         "only the core says huh");
    if (message->kind == BT_PUMP_MESSAGE_KIND_EGRESS) {
        must(sim, !message->thread, "a client has no thread of ours");
        return;
    }
    const struct bt_pump_thread *thread = message->thread;
    must(sim, message->root == thread->root, "a message stays in its root");
    if (message->kind == BT_PUMP_MESSAGE_KIND_SELF) {
        must(sim, message->sender == thread->listener, "only a listener goes on by itself");
    }
    if (message->kind == BT_PUMP_MESSAGE_KIND_CALL) {
        must(sim, thread->parent && thread->parent->listener == message->sender,
             "a call comes from the listener above");
    }
    if (message->kind == BT_PUMP_MESSAGE_KIND_INGRESS) {
        must(sim, !thread->parent && message->sender == BT_FROM_CLIENT,
             "what a client sends is at the top");
    }
}

static bool is_final(enum bt_pump_message_state state)
{
    return state >= BT_PUMP_MESSAGE_STATE_DONE;
}

static void keep_message(struct sim *sim, const struct bt_pump_message *message)
{
    struct kept_message *kept = kept_by_number(sim, message->number);
    if (!kept) {
        must(sim, sim->store.messages_count < MESSAGES_MAX, "there is room for a message");
        kept = &sim->store.messages[sim->store.messages_count++];
        *kept = (struct kept_message){.number = message->number, .kind = message->kind};
        sim->accepted += message->kind == BT_PUMP_MESSAGE_KIND_INGRESS;
    } else {
        must(sim, !is_final(kept->state), "nothing ends twice");
        must(sim, kept->call == message->call, "a call keeps its id");
    }
    kept->state = message->state;
    kept->sender = message->sender;
    kept->call = message->call;
    if (!message->payload.is_spilled) {
        const bt_str payload = bt_buf_str(&message->payload.bytes);
        const size_t size =
            payload.len < sizeof(kept->payload) ? payload.len : sizeof(kept->payload) - 1;
        memcpy(kept->payload, payload.ptr, size);
        kept->payload[size] = '\0';
    }
    if (message->kind == BT_PUMP_MESSAGE_KIND_EGRESS) {
        must(sim, message->call == ++sim->store.deliveries[message->root->client],
             "deliveries are counted without a gap");
        kept->state = BT_PUMP_MESSAGE_STATE_DONE;
        return;
    }
    if (!is_final(message->state) || !message->thread->is_gone) {
        memcpy(kept->thread, message->thread->uuid, sizeof(kept->thread));
        kept->listener = message->thread->listener;
    }
}

static void commit(struct sim *sim)
{
    for (uint64_t i = 0; i < sim->core.dirty.count; i++) {
        struct bt_pump_message *message = sim->core.dirty.messages[i];
        check_message(sim, message);
        keep_message(sim, message);
    }
    keep_roots(sim);
    keep_threads(sim);
    for (size_t i = 0; i < LISTENERS; i++) {
        sim->store.calls[i] = sim->listeners[i].next_call;
    }
    sim->store.next_number = sim->core.next.number;
    bt_pump_core_forget_finished(&sim->core);
}

/* ---- Beginning and beginning again ----------------------------------------------------------- */

static void begin_core(struct sim *sim)
{
    for (size_t i = 0; i < LISTENERS; i++) {
        const struct bt_pump_core_listener kept = sim->listeners[i];
        sim->listeners[i] = (struct bt_pump_core_listener){
            .lane = {.max = kept.lane.max, .is_serial = kept.lane.is_serial, .is_open = true},
            .name = kept.name,
            .is_agent = kept.is_agent,
            .diagnostics_go_to_emitter = kept.diagnostics_go_to_emitter};
    }
    for (size_t i = 0; i < CLIENTS; i++) {
        sim->clients[i] = (struct bt_pump_core_client){.name = BT_STR("client")};
    }
    const struct bt_pump_core_limits limits = sim->core.limits;
    const bool depth_first = sim->core.schedule.depth_first;
    const uint64_t max = sim->core.schedule.max;
    const uint64_t now_ms = sim->core.now_ms;
    sim->core = (struct bt_pump_core){
        .env = &sim->env,
        .limits = limits,
        .driver = {sim, note_event, cancel, recall},
        .listeners = sim->listeners,
        .listeners_count = LISTENERS,
        .clients = sim->clients,
        .clients_count = CLIENTS,
        .schedule = {.depth_first = depth_first, .max = max},
        .now_ms = now_ms,
    };
    bt_pump_core_begin(&sim->core, (size_t)64 << 20);
}

static void load(struct sim *sim)
{
    const struct store *store = &sim->store;
    for (size_t i = 0; i < store->kept.roots_count; i++) {
        const struct bt_pump_core_row row = kept_root_row(&store->kept.roots[i]);
        must(sim, bt_pump_core_load_root(&sim->core, &row) == BT_OK, "a root is there again");
    }
    for (size_t i = 0; i < store->kept.threads_count; i++) {
        const struct bt_pump_core_row row = kept_thread_row(&store->kept.threads[i]);
        must(sim, bt_pump_core_load_thread(&sim->core, &row) == BT_OK, "a thread is there again");
    }
    for (size_t i = 0; i < store->messages_count; i++) {
        const struct kept_message *kept = &store->messages[i];
        if (is_final(kept->state)) {
            continue;
        }
        const struct bt_pump_core_row row = {
            .id = bt_str_of(kept->thread),
            .number = kept->number,
            .kind = kept->kind,
            .sender = kept->sender,
            .call = kept->call,
            .tag = kept->kind == BT_PUMP_MESSAGE_KIND_DIAGNOSTIC ? BT_STR("huh") : BT_STR("t"),
            .payload = bt_str_of(kept->payload)};
        must(sim, bt_pump_core_load_message(&sim->core, &row) == BT_OK, "a message is there again");
    }
}

/* The power goes: what was not committed is gone, and so are all hosts. */
static void restart(struct sim *sim)
{
    size_t live = 0;
    bt_pump_core_end(&sim->core);
    begin_core(sim);
    sim->flights_count = 0;
    for (size_t i = 0; i < sim->store.messages_count; i++) {
        live += !is_final(sim->store.messages[i].state);
    }
    load(sim);
    must(sim, sim->core.counts.unhandled == live, "nothing that was accepted is lost");
    for (size_t i = 0; i < LISTENERS; i++) {
        if (sim->listeners[i].next_call < sim->store.calls[i]) {
            sim->listeners[i].next_call = sim->store.calls[i];
        }
    }
    for (size_t i = 0; i < CLIENTS; i++) {
        sim->clients[i].next_delivery = sim->store.deliveries[i] + 1;
    }
    sim->core.next.number = sim->store.next_number > 0 ? sim->store.next_number : 1;
    bt_pump_core_forget_finished(&sim->core);
    sim->restarts++;
}

static void begin(struct sim *sim, uint64_t seed)
{
    memset(sim, 0, sizeof(*sim));
    sim->seed = seed;
    sim->rng = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    must(sim, bt_env_init(&sim->env) == BT_OK, "there is a world");
    bt_env_pin_seed(&sim->env, seed);
    sim->core.limits = (struct bt_pump_core_limits){.depth = 1 + draw(sim, 4),
                                                    .self_iterations = 1 + draw(sim, 3),
                                                    .queue = 5 + draw(sim, 50),
                                                    .attempts = 1 + draw(sim, 3),
                                                    .tokens = 20 + draw(sim, 400),
                                                    .idle_ms = 1000,
                                                    .held = draw(sim, 200)};
    sim->core.schedule.depth_first = draw(sim, 2) == 0;
    sim->core.schedule.max = 1 + draw(sim, 8);
    for (size_t i = 0; i < LISTENERS; i++) {
        sim->listeners[i].lane.max = 1 + draw(sim, 4);
        sim->listeners[i].lane.is_serial = draw(sim, 2) == 0;
        sim->listeners[i].is_agent = draw(sim, 2) == 0;
        sim->listeners[i].diagnostics_go_to_emitter = draw(sim, 2) == 0;
        sim->listeners[i].name = BT_STR("listener");
    }
    begin_core(sim);
}

/* ---- What happens ---------------------------------------------------------------------------- */

static void accept(struct sim *sim)
{
    const uint32_t client = (uint32_t)draw(sim, CLIENTS);
    const char *uuid = client_uuids[draw(sim, CLIENT_THREADS)];
    if (!bt_pump_core_can_accept(&sim->core) ||
        bt_pump_core_budget_is_spent(&sim->core, client, uuid)) {
        must(sim,
             bt_pump_core_reject_ingress(&sim->core, client, uuid, BT_CODE_PUMP_BUSY,
                                         BT_STR("x")) == BT_OK,
             "a refusal is told");
        return;
    }
    const uint32_t targets[2] = {(uint32_t)draw(sim, LISTENERS), (uint32_t)draw(sim, LISTENERS)};
    const struct bt_pump_core_ingress order = {.client = client,
                                               .uuid = uuid,
                                               .targets = targets,
                                               .targets_count =
                                                   targets[0] == targets[1] ? 1 : 1 + draw(sim, 2),
                                               .tag = BT_STR("t"),
                                               .payload = BT_STR("<t>0123456789</t>")};
    must(sim, bt_pump_core_accept(&sim->core, &order) == BT_OK, "a message is accepted");
}

static void dispatch(struct sim *sim)
{
    struct bt_pump_message *message = NULL;
    if (sim->flights_count == IN_FLIGHT_MAX) {
        return;
    }
    must(sim, bt_pump_core_next(&sim->core, &message) == BT_OK, "the next call is found");
    if (!message) {
        return;
    }
    const uint32_t listener = message->thread->listener;
    for (size_t i = 0; i < sim->flights_count; i++) {
        const struct flight *other = &sim->flights[i];
        must(sim,
             other->is_cancelled || other->listener != listener || other->call != message->call,
             "a call is not made twice at once");
    }
    sim->flights[sim->flights_count++] = (struct flight){listener, message->call, false};
}

static enum bt_pump_fragment_action any_way(struct sim *sim)
{
    static const enum bt_pump_fragment_action ways[] = {
        BT_PUMP_FRAGMENT_ACTION_REPLY,  BT_PUMP_FRAGMENT_ACTION_REPLY,
        BT_PUMP_FRAGMENT_ACTION_REPLY,  BT_PUMP_FRAGMENT_ACTION_CALL,
        BT_PUMP_FRAGMENT_ACTION_CALL,   BT_PUMP_FRAGMENT_ACTION_SELF,
        BT_PUMP_FRAGMENT_ACTION_RETURN, BT_PUMP_FRAGMENT_ACTION_HALT,
        BT_PUMP_FRAGMENT_ACTION_REJECT};
    return ways[draw(sim, sizeof(ways) / sizeof(ways[0]))];
}

/* Whoever speaks for another pump may say more after the call is over, while its thread lives. */
static void speak_again(struct sim *sim, const char *uuid)
{
    static const struct bt_pump_fragment reply = {.action = BT_PUMP_FRAGMENT_ACTION_REPLY,
                                                  .root = BT_STR_INIT("t"),
                                                  .canonical = BT_STR_INIT("<t>9</t>"),
                                                  .payload = BT_STR_INIT("<t>987</t>")};
    const struct bt_pump_fragments fragments = {.items = &reply, .count = 1};
    struct bt_pump_thread *thread = bt_pump_core_find_thread(&sim->core, bt_str_of(uuid));
    if (thread) {
        must(sim,
             (draw(sim, 2) == 0 ? bt_pump_core_handle_late_failure(&sim->core, thread,
                                                                   BT_CODE_PUMP_HANDLER_FAILED)
                                : bt_pump_core_handle_late_result(&sim->core, thread, BT_STR("raw"),
                                                                  &fragments)) == BT_OK,
             "a further answer is taken");
    }
}

static void answer(struct sim *sim, struct bt_pump_message *message)
{
    struct bt_pump_fragment items[FRAGMENTS_MAX];
    uint32_t targets[FRAGMENTS_MAX];
    char uuid[BT_UUID_TEXT_BYTES];
    struct bt_pump_fragments fragments = {.items = items, .count = draw(sim, FRAGMENTS_MAX)};
    memcpy(uuid, message->thread->uuid, sizeof(uuid));
    for (size_t i = 0; i < fragments.count; i++) {
        targets[i] = (uint32_t)draw(sim, LISTENERS);
        items[i] = (struct bt_pump_fragment){.action = any_way(sim),
                                             .root = BT_STR("t"),
                                             .canonical = BT_STR("<t>9</t>"),
                                             .payload = BT_STR("<t>987</t>"),
                                             .targets = &targets[i],
                                             .targets_count = 1,
                                             .code = BT_CODE_PUMP_BLOCKED};
        /* Nobody is its own peer. */
        if (items[i].action == BT_PUMP_FRAGMENT_ACTION_CALL &&
            targets[i] == message->thread->listener) {
            items[i].action = BT_PUMP_FRAGMENT_ACTION_REPLY;
        }
    }
    if (fragments.count == 0) {
        fragments.fault = BT_CODE_PUMP_RESULT_EMPTY;
    }
    must(sim, bt_pump_core_handle_result(&sim->core, message, BT_STR("raw"), &fragments) == BT_OK,
         "an answer is taken");
    if (draw(sim, 6) == 0) {
        speak_again(sim, uuid);
    }
}

/* Everything that a call caused stands in the name of its emitter, and went where it may. */
static void check_caused(struct sim *sim, uint64_t from, const struct bt_pump_thread *emitter)
{
    for (uint64_t i = 0; i < sim->core.dirty.count; i++) {
        const struct bt_pump_message *at = sim->core.dirty.messages[i];
        if (at->number < from) {
            continue;
        }
        const bool is_huh = at->sender == BT_FROM_CORE;
        must(sim, is_huh || at->sender == emitter->listener, "nobody speaks in another's name");
        must(sim, at->root == emitter->root, "nothing leaves its root");
        switch (at->kind) {
        case BT_PUMP_MESSAGE_KIND_SELF:
            must(sim, at->thread == emitter, "who goes on, goes on by itself");
            break;
        case BT_PUMP_MESSAGE_KIND_CALL:
            must(sim, at->thread->parent == emitter, "a call goes one down");
            break;
        case BT_PUMP_MESSAGE_KIND_REPLY:
            must(sim, at->thread == emitter->parent, "a reply reaches whoever called");
            break;
        case BT_PUMP_MESSAGE_KIND_DIAGNOSTIC:
            must(sim, at->thread == emitter || at->thread == emitter->parent,
                 "a huh reaches the emitter or whoever called");
            break;
        case BT_PUMP_MESSAGE_KIND_EGRESS:
            must(sim, !emitter->parent, "only what a client called answers a client");
            break;
        case BT_PUMP_MESSAGE_KIND_INGRESS:
        case BT_PUMP_MESSAGE_KIND_NONE:
            must(sim, false, "an answer is not an ingress");
        }
    }
}

/* One of the calls in flight ends, in one of the ways in which calls end. */
static void end_call(struct sim *sim)
{
    if (sim->flights_count == 0) {
        return;
    }
    const size_t at = draw(sim, sim->flights_count);
    const struct flight flight = sim->flights[at];
    sim->flights[at] = sim->flights[--sim->flights_count];
    struct bt_pump_message *message =
        bt_pump_core_find_call(&sim->core, flight.listener, flight.call);
    must(sim, (message == NULL) == flight.is_cancelled, "a call in flight is known");
    if (!message) {
        return;
    }
    const struct bt_pump_thread *emitter = message->thread;
    const uint64_t from = sim->core.next.number;
    enum bt_status status = BT_OK;
    switch (draw(sim, 10)) {
    case 0:
        status = bt_pump_core_handle_failure(&sim->core, message, BT_CODE_PUMP_HANDLER_FAILED,
                                             BT_STR(""));
        break;
    case 1:
        status = bt_pump_core_handle_timeout(&sim->core, message, BT_STR("{\"seconds\":1}"));
        break;
    case 2:
        status = bt_pump_core_handle_crash(&sim->core, message, BT_STR("signal 9"));
        break;
    default:
        answer(sim, message);
    }
    must(sim, status == BT_OK, "the end of a call is taken");
    check_caused(sim, from, emitter);
}

static void step(struct sim *sim)
{
    switch (draw(sim, 12)) {
    case 0:
    case 1:
        accept(sim);
        break;
    case 2:
        sim->core.now_ms += draw(sim, 400);
        must(sim, bt_pump_core_expire_roots(&sim->core) == BT_OK, "quiet roots are forgotten");
        break;
    case 3:
        sim->listeners[draw(sim, LISTENERS)].lane.is_open = draw(sim, 3) != 0;
        break;
    case 4:
        if (draw(sim, 8) == 0) {
            restart(sim);
        }
        break;
    case 5:
    case 6:
    case 7:
        commit(sim); /* a call goes out only when everything before it is kept */
        dispatch(sim);
        break;
    default:
        end_call(sim);
    }
}

/* Let everything come to its end: no more input, hosts that only reply. */
static void drain(struct sim *sim)
{
    for (size_t i = 0; i < LISTENERS; i++) {
        sim->listeners[i].lane.is_open = true;
    }
    for (size_t turn = 0; sim->core.counts.unhandled > 0; turn++) {
        must(sim, turn < 100000, "everything comes to its end");
        commit(sim);
        dispatch(sim);
        if (sim->flights_count == 0) {
            continue;
        }
        const struct flight flight = sim->flights[--sim->flights_count];
        struct bt_pump_message *message =
            bt_pump_core_find_call(&sim->core, flight.listener, flight.call);
        const struct bt_pump_fragment reply = {.action = BT_PUMP_FRAGMENT_ACTION_REPLY,
                                               .root = BT_STR("t"),
                                               .canonical = BT_STR("<t/>"),
                                               .payload = BT_STR("<t/>")};
        /* A reply to a reply would go round for ever: only what was called replies. */
        const struct bt_pump_fragments fragments = {
            .items = &reply, .count = message && bt_pump_core_is_request(message) ? 1 : 0};
        if (message) {
            must(sim,
                 bt_pump_core_handle_result(&sim->core, message, BT_STR(""), &fragments) == BT_OK,
                 "an answer is taken");
        }
    }
    commit(sim);
    sim->core.now_ms += sim->core.limits.idle_ms;
    must(sim, bt_pump_core_expire_roots(&sim->core) == BT_OK, "quiet roots are forgotten");
    commit(sim);
    must(sim, !sim->core.index.threads_by_uuid.root && !sim->core.oldest, "no thread is left");
    must(sim, sim->store.kept.threads_count == 0 && sim->store.kept.roots_count == 0,
         "no thread is left in the store");
    must(sim, sim->core.schedule.in_flight == 0, "no slot is left taken");
    for (size_t i = 0; i < sim->store.messages_count; i++) {
        must(sim, is_final(sim->store.messages[i].state), "every message has come to an end");
    }
}

int main(int argc, char **argv)
{
    uint64_t first = 1;
    uint64_t count = 1000;
    if ((argc > 1 && bt_str_to_u64(bt_str_of(argv[1]), &first) != BT_OK) ||
        (argc > 2 && bt_str_to_u64(bt_str_of(argv[2]), &count) != BT_OK) || argc > 3) {
        (void)fprintf(stderr, "usage: sim_core [FIRST [COUNT]]\n");
        return 2;
    }
    struct sim *sim = malloc(sizeof(*sim));
    uint64_t accepted = 0;
    uint64_t events = 0;
    uint64_t restarts = 0;
    if (!sim) {
        return 2;
    }
    for (uint64_t seed = first; seed < first + count; seed++) {
        begin(sim, seed);
        for (size_t i = 0; i < STEPS; i++) {
            step(sim);
        }
        drain(sim);
        bt_pump_core_end(&sim->core);
        accepted += sim->accepted;
        events += sim->events;
        restarts += sim->restarts;
    }
    free(sim);
    printf("1..1\nok 1 - %" PRIu64 " seeds: %" PRIu64 " messages accepted, %" PRIu64
           " events, %" PRIu64 " restarts, no violation\n",
           count, accepted, events, restarts);
    return 0;
}
