/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sim_pump.c - the whole pump under a seeded simulator: XML in, XML out, and in between hosts that
 * lie and die, a clock that jumps, and power that goes before and after commits.
 *
 *     sim_pump [FIRST [COUNT [FAULT]]]        a failing seed is named, and repeats itself
 *
 * Every payload carries a number, so that what arrives can be compared with what was written:
 * nobody speaks in another's name or on another's thread, nothing that was accepted is lost,
 * replies reach whoever called, what is repeated comes with the same call id, depth and budget
 * hold, deliveries come without a gap, and when all is quiet no thread is left.
 *
 * With FAULT, something is broken on purpose; `all` tries each, and each must be found.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim.h"

enum { STEPS = 120, TURNS_MAX = 4000, TURN_MS = 400, IDLE_S = 60, FAULT_SEEDS = 1000, FOUND = 3 };

const char *const listener_names[LISTENERS] = {"a", "b", "tool", "m1", "m2"};
const char *const client_names[CLIENTS] = {"alice", "bob"};
const char *const fault_names[FAULT__MAX] = {
    [FAULT_NONE] = "none",     [FAULT_LOSE] = "lose",       [FAULT_EARLY] = "early",
    [FAULT_SENDER] = "sender", [FAULT_CALL_ID] = "call-id", [FAULT_ALIVE] = "alive",
    [FAULT_TOKENS] = "tokens", [FAULT_THREAD] = "thread",   [FAULT_MIXED] = "mixed",
    [FAULT_TAKEN] = "taken",   [FAULT_PARENT] = "parent",   [FAULT_LEAK] = "leak",
    [FAULT_TWICE] = "twice",
};

static const char *const client_uuids[CLIENT_THREADS] = {
    "00000000-0000-4000-8000-000000000001",
    "00000000-0000-4000-8000-000000000002",
    "00000000-0000-4000-8000-000000000003",
};

void violated(const struct sim *sim, const char *what)
{
    if (sim->fault == FAULT_NONE) {
        printf("not ok - seed %" PRIu64 ": not so: %s\n# again: sim_pump %" PRIu64 " 1\n",
               sim->seed, what, sim->seed);
    } else {
        printf("# %s: seed %" PRIu64 ": not so: %s\n", fault_names[sim->fault], sim->seed, what);
    }
    (void)fflush(stdout);
    _exit(FOUND);
}

uint64_t draw(struct sim *sim, uint64_t below)
{
    sim->rng = sim->rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (sim->rng >> 33) % below;
}

uint64_t write_down(struct sim *sim, struct written written)
{
    must(sim, sim->written_count < PAYLOADS_MAX, "there is room for a payload");
    sim->written[sim->written_count++] = written;
    return sim->written_count;
}

/* ---- What hosts get -------------------------------------------------------------------------- */

struct edge *edge_of(struct sim *sim, bt_str uuid)
{
    for (size_t i = 0; i < sim->edges_count; i++) {
        if (bt_str_eq(bt_str_of(sim->edges[i].uuid), uuid)) {
            return &sim->edges[i];
        }
    }
    return NULL;
}

/* The number in a payload; 0: there is none. What it shows of somebody's attempt does not count. */
static uint64_t number_in(bt_str payload)
{
    const size_t end = bt_str_find_byte(payload, '>', 0);
    size_t at = end;
    if (bt_str_starts_with(payload, BT_STR("<huh ")) ||
        bt_str_starts_with(payload, BT_STR("<halt "))) {
        return 0;
    }
    while (at < payload.len && (payload.ptr[at] < '0' || payload.ptr[at] > '9')) {
        at++;
    }
    size_t last = at;
    while (last < payload.len && payload.ptr[last] >= '0' && payload.ptr[last] <= '9') {
        last++;
    }
    uint64_t number = 0;
    return bt_str_to_u64(bt_str_slice(payload, at, last), &number) == BT_OK ? number : 0;
}

static bool is_meant(const struct written *written, uint32_t listener)
{
    if (written->how != SAID_CALL) {
        return true;
    }
    return written->target == GROUP ? listener == MEMBER_1 || listener == MEMBER_2
                                    : written->target == listener;
}

/* A thread is made at the first call along an edge, and stays what it is. */
static void check_edge(struct sim *sim, const struct written *written, uint32_t listener,
                       bt_str thread)
{
    struct edge *edge = edge_of(sim, thread);
    const struct edge *above = edge_of(sim, bt_str_of(written->thread));
    if (edge) {
        must(sim, edge->listener == listener, "a thread belongs to one listener");
        must(sim, strcmp(edge->above, written->thread) == 0, "a thread has one caller");
        must(sim, edge->client == written->client && edge->thread == written->uuid,
             "a thread stays in its root");
        return;
    }
    must(sim, sim->edges_count < EDGES_MAX, "there is room for an edge");
    edge = &sim->edges[sim->edges_count++];
    *edge = (struct edge){.listener = listener,
                          .client = written->client,
                          .thread = written->uuid,
                          .depth = above ? above->depth + 1 : 1};
    memcpy(edge->uuid, thread.ptr, thread.len);
    memcpy(edge->above, written->thread, sizeof(edge->above));
    must(sim, edge->depth <= sim->depth_max, "a call is not deeper than it may be");
}

static void check_written(struct sim *sim, struct written *written, uint32_t listener,
                          const struct bt_host_request *request)
{
    must(sim, is_meant(written, listener), "a call reaches whom it names, and nobody else");
    must(sim, written->calls[listener] == 0 || written->calls[listener] == request->call,
         "what is repeated has the call id that it had");
    written->calls[listener] = request->call;
    if (written->how == SAID_CALL) {
        check_edge(sim, written, listener, request->thread_id);
        return;
    }
    const struct edge *edge = edge_of(sim, bt_str_of(written->thread));
    const char *due = written->how == SAID_SELF ? written->thread : edge->above;
    must(sim, bt_str_eq(request->thread_id, bt_str_of(due)),
         written->how == SAID_SELF ? "who goes on, goes on by itself"
                                   : "a reply reaches whoever called");
}

void check_call(struct sim *sim, uint32_t listener, const struct bt_host_request *request)
{
    const uint64_t number = number_in(request->payload);
    must(sim, number <= sim->written_count, "a number was written by somebody");
    if (number > 0) {
        check_written(sim, &sim->written[number - 1], listener, request);
    }
    const struct edge *edge = edge_of(sim, request->thread_id);
    must(sim, edge && edge->listener == listener, "a listener is called on its own thread");
    must(sim, request->call < CALLS_MAX, "calls are counted from 1");
    sim->calls++;
    bool *is_called = &sim->is_called[listener][request->call];
    if (!*is_called) {
        uint64_t *tokens = &sim->tokens[edge->client][edge->thread];
        *tokens += request->payload.len < 4 ? 1 : request->payload.len / 4;
        must(sim, *tokens <= sim->tokens_max, "a root stays within its budget");
    }
    *is_called = true;
}

/* ---- What clients get ------------------------------------------------------------------------ */

static uint32_t client_called(const struct sim *sim, bt_str name)
{
    for (uint32_t i = 0; i < CLIENTS; i++) {
        if (bt_str_eq(bt_str_of(client_names[i]), name)) {
            return i;
        }
    }
    must(sim, false, "deliveries go to clients");
    return 0;
}

static uint64_t digest_of(bt_str text)
{
    uint64_t digest = UINT64_C(1469598103934665603);
    for (size_t i = 0; i < text.len; i++) {
        digest = (digest ^ (uint8_t)text.ptr[i]) * UINT64_C(1099511628211);
    }
    return digest | 1;
}

static bool hear_delivery(void *context, const struct bt_pump_delivery *delivery)
{
    struct sim *sim = context;
    const uint32_t client = client_called(sim, delivery->client);
    const uint64_t number = number_in(delivery->payload);
    const uint64_t digest = digest_of(delivery->message);
    if (!sim->is_draining && draw(sim, 8) == 0) {
        return false; /* it has no time */
    }
    must(sim, number <= sim->written_count, "a number was written by somebody");
    if (bt_str_eq(delivery->root, BT_STR("huh"))) {
        must(sim, bt_str_eq(delivery->from, BT_STR("core")), "only core says huh");
    } else if (number > 0) {
        const struct written *written = &sim->written[number - 1];
        const struct edge *edge = edge_of(sim, bt_str_of(written->thread));
        must(sim, written->how == SAID_REPLY && edge && edge->above[0] == '\0',
             "only what a client called answers it");
        must(sim, bt_str_eq(delivery->from, bt_str_of(listener_names[written->writer])),
             "nobody speaks in another's name");
        must(sim,
             written->client == client &&
                 bt_str_eq(delivery->thread, bt_str_of(client_uuids[written->uuid])),
             "a reply comes on the thread of its client");
    }
    must(sim, delivery->id < DELIVERIES_MAX, "there is room for a delivery");
    uint64_t *heard = &sim->heard[client][delivery->id];
    must(sim, *heard == 0 || *heard == digest, "what is delivered again is the same");
    *heard = digest;
    sim->heard_last[client] =
        delivery->id > sim->heard_last[client] ? delivery->id : sim->heard_last[client];
    return true;
}

static void hear_event(void *context, const struct bt_pump_event *event)
{
    struct sim *sim = context;
    must(sim, event->rule != NULL, "an event has a rule");
    sim->events++;
}

/* ---- The pump -------------------------------------------------------------------------------- */

static void start(struct sim *sim)
{
    uint64_t passed = 0;
    struct bt_arena memory;
    bt_arena_init(&memory, (size_t)8 << 20);
    struct bt_pump *pump = BT_NEW(&memory, struct bt_pump);
    must(sim, pump != NULL, "there is memory");
    pump->memory = memory;
    pump->env = &sim->env;
    pump->organism = pump->first.organism = sim->organism;
    pump->generation = &pump->first;
    pump->observer =
        (struct bt_pump_observer){.context = sim, .event = hear_event, .delivery = hear_delivery};
    bt_arena_init(&pump->arena, (size_t)8 << 20);
    bt_buf_init(&pump->handover.envelope, SIZE_MAX);
    must(sim, bt_pump_make_core(pump) == BT_OK, "there is a core");
    pump->core.limits.held = draw(sim, 400);
    pump->core.now_ms = sim->now_ms;
    pump->hosting.pool = sim->hosts = sim_hosts_new(sim);
    must(sim, bt_vec_reserve(&pump->memory, &pump->hosting.by_id, LISTENERS) == BT_OK,
         "there is memory");
    pump->hosting.by_id.count = LISTENERS;
    for (uint32_t i = 0; i < LISTENERS; i++) {
        pump->hosting.slots[i].has_host = true;
        pump->hosting.slots[i].host = i;
        pump->hosting.by_id.items[i] =
            (struct bt_pump_host){.number = i,
                                  .listener = pump->hosting.slots[i].listener,
                                  .under = pump->generation,
                                  .state = BT_PUMP_HOST_SERVES};
    }
    must(sim,
         bt_pump_store_open(&pump->storage.rows, &pump->core, (struct bt_ledger *)(void *)sim,
                            &pump->memory) == BT_OK,
         "there is a store");
    pump->storage.rows.items = pump->storage.items;
    must(sim, bt_pump_store_load(&pump->storage.rows, &passed, NULL) == BT_OK, "the store is read");
    pump->run.state = BT_PUMP_RUNNING;
    sim->pump = pump;
}

/* Everything in memory is gone. */
static void stop(struct sim *sim)
{
    struct bt_pump *pump = sim->pump;
    sim_hosts_free(sim->hosts);
    bt_pump_store_close(&pump->storage.rows);
    bt_pump_core_end(&pump->core);
    bt_arena_free(&pump->arena);
    bt_buf_free(&pump->handover.envelope);
    bt_pump_forget_slots(pump);
    struct bt_arena memory = pump->memory;
    bt_arena_free(&memory);
}

static const char organism_text[] =
    "organism: {name: sim, max_tokens_per_thread: %" PRIu64 "}\n"
    "clients: [{name: alice, may_call: ['*']}, {name: bob, may_call: [a, both, tool]}]\n"
    "max_concurrent_handlers: %" PRIu64 "\n"
    "thread_scheduling: %s\n"
    "limits: {depth: %" PRIu64 ", self_iterations: %" PRIu64 ", attempts: %" PRIu64
    ", queue: %" PRIu64 ", fragments: 3, thread_idle_s: %d}\n"
    "listeners:\n"
    "  - {name: a, description: x, handler: x.py:a, payload_type: P, fields: {n: int}, result: int,"
    " replies: {thought: int}, agent: true, peers: [b, tool, both], timeout_seconds: 3}\n"
    "  - {name: b, description: x, handler: x.py:b, payload_type: P, fields: {n: int}, result: int,"
    " replies: {thought: int}, agent: true, peers: [a, tool], on_huh: caller}\n"
    "  - {name: tool, description: x, handler: x.py:t, payload_type: P, fields: {n: int},"
    " result: int, max_concurrent: 2}\n"
    "  - {name: m1, description: x, handler: x.py:m, payload_type: P, fields: {n: int},"
    " result: int, group: both}\n"
    "  - {name: m2, description: x, handler: x.py:m, payload_type: P, fields: {n: int},"
    " result: int, group: both, on_huh: emitter}\n";

static void begin(struct sim *sim, uint64_t seed, enum fault fault)
{
    char text[4096];
    struct bt_judgement judged;
    memset(sim, 0, sizeof(*sim));
    sim->seed = seed;
    sim->fault = fault;
    sim->rng = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    sim->now_ms = 1000000;
    must(sim, bt_env_init(&sim->env) == BT_OK, "there is a world");
    bt_env_pin_seed(&sim->env, seed);
    const bt_instant now = {.seconds = 1000};
    bt_env_pin_clock(&sim->env, &now);
    sim->tokens_max = 20 + draw(sim, 2) * 380 + draw(sim, 100);
    sim->depth_max = 1 + draw(sim, 4);
    const int size = snprintf(text, sizeof(text), organism_text, sim->tokens_max, 1 + draw(sim, 8),
                              draw(sim, 2) == 0 ? "breadth-first" : "depth-first", sim->depth_max,
                              1 + draw(sim, 3), 1 + draw(sim, 3), 5 + draw(sim, 40), IDLE_S);
    bt_arena_init(&sim->arena, (size_t)16 << 20);
    const struct bt_organism_source source = {BT_STR("sim.yaml"), {text, (size_t)size}};
    const struct bt_organism_options options = {.has_files = false};
    must(sim,
         bt_organism_read(&sim->env, &sim->arena, &source, &options, &judged, &sim->organism) ==
                 BT_OK &&
             sim->organism,
         "there is an organism");
    static const bt_str hello = BT_STR_INIT("{\"protocol\":1,\"host\":\"sim\",\"ok\":true}");
    const char *why = NULL;
    must(sim, bt_host_hello_read(&sim->arena, hello, &sim->hello, &why) == BT_OK,
         "a host says hello");
    sim->store = sim_store_new(sim);
    start(sim);
}

/* ---- What happens ---------------------------------------------------------------------------- */

/* What clients sent since the last commit. */
struct sending {
    struct bt_arena arena;
    uint64_t numbers[16];
    size_t count;
    char again[TEXT_BYTES]; /* something with an id, to be sent once more */
    uint64_t again_number;
};

static void restart(struct sim *sim, struct sending *sending)
{
    stop(sim);
    sim_store_recount(sim);
    sending->count = 0;
    bt_arena_reset(&sending->arena);
    sim->restarts++;
    start(sim);
}

static void submit(struct sim *sim, struct sending *sending, const char *text, uint64_t number)
{
    struct bt_judgement *judged = bt_arena_calloc(&sending->arena, 1, sizeof(*judged));
    bt_str copy = BT_STR("");
    if (!judged) {
        violated(sim, "there is memory");
    }
    must(sim, bt_arena_copy(&sending->arena, bt_str_of(text), &copy) == BT_OK, "there is memory");
    const struct bt_pump_input input = {.path = BT_STR("sim"), .text = copy};
    must(sim, bt_pump_submit(sim->pump, &sending->arena, &input, judged, NULL) == BT_OK,
         "a message is judged");
    if (judged->verdict != BT_VERDICT_ACCEPTED) {
        return;
    }
    must(sim, number > 0, "what is bad is refused");
    if (sim->fault == FAULT_EARLY) {
        sim->written[number - 1].is_accepted = true;
    }
    sending->numbers[sending->count++] = number;
}

static void send_bad(struct sim *sim, struct sending *sending)
{
    static const char *const bad[] = {
        "",
        "<message",
        "<!DOCTYPE a><a/>",
        "<tool.p><n>1</n></tool.p>",
        "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\"><meta><from>core</from>"
        "<thread>x</thread></meta><tool.p xmlns=\"\"><n>1</n></tool.p></message>",
        "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\"><meta><from>bob</from>"
        "<thread>x</thread></meta><b.p xmlns=\"\"><n>1</n></b.p></message>",
        "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\"><meta><from>alice</from>"
        "<thread>x</thread></meta><tool.p xmlns=\"\"><n>one</n></tool.p></message>",
        "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\"><meta><from>tool</from>"
        "<thread>x</thread></meta><result xmlns=\"\">1</result></message>",
    };
    submit(sim, sending, bad[draw(sim, sizeof(bad) / sizeof(bad[0]))], 0);
}

static void send_good(struct sim *sim, struct sending *sending)
{
    static const uint32_t targets[] = {AGENT_A, TOOL, GROUP, AGENT_B};
    char text[TEXT_BYTES];
    char id[96] = "";
    const uint32_t client = (uint32_t)draw(sim, CLIENTS);
    const uint32_t target = targets[draw(sim, client == 0 ? 4 : 3)];
    const uint32_t thread = (uint32_t)draw(sim, CLIENT_THREADS);
    const uint64_t number = write_down(sim, (struct written){.how = SAID_CALL,
                                                             .writer = CLIENT,
                                                             .target = target,
                                                             .client = client,
                                                             .uuid = thread});
    const bool has_id = draw(sim, 3) == 0;
    if (has_id) {
        (void)snprintf(id, sizeof(id), "<id xmlns=\"urn:baton:pump:1\">k%" PRIu64 "</id>", number);
    }
    const char *name = target == GROUP ? "both" : listener_names[target];
    (void)snprintf(text, sizeof(text),
                   "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\"><meta><from>%s"
                   "</from><thread>%s</thread>%s</meta><%s.p xmlns=\"\"><n>%" PRIu64
                   "</n></%s.p></message>",
                   client_names[client], client_uuids[thread], id, name, number, name);
    submit(sim, sending, text, number);
    if (has_id) {
        memcpy(sending->again, text, sizeof(text));
        sending->again_number = number;
    }
}

static void send_something(struct sim *sim, struct sending *sending)
{
    if (!bt_pump_can_accept(sim->pump) ||
        sending->count == sizeof(sending->numbers) / sizeof(sending->numbers[0])) {
        return;
    }
    const uint64_t which = draw(sim, 8);
    if (which == 0) {
        send_bad(sim, sending);
    } else if (which == 1 && sending->again_number > 0) {
        submit(sim, sending, sending->again, sending->again_number);
    } else {
        send_good(sim, sending);
    }
}

/* A turn; what was sent before it is accepted when it is over. */
static void turn(struct sim *sim, struct sending *sending)
{
    if (bt_pump_run_once(sim->pump, TURN_MS, NULL) != BT_OK) {
        restart(sim, sending);
        return;
    }
    for (size_t i = 0; i < sending->count; i++) {
        sim->written[sending->numbers[i] - 1].is_accepted = true;
        sim->accepted++;
    }
    sending->count = 0;
    bt_arena_reset(&sending->arena);
}

static void step(struct sim *sim, struct sending *sending)
{
    switch (draw(sim, 16)) {
    case 0:
        sim_store_cut(sim->store, draw(sim, 2) == 0);
        break;
    case 1:
        if (draw(sim, 4) == 0) {
            restart(sim, sending);
        }
        break;
    case 2:
    case 3:
    case 4:
    case 5:
        send_something(sim, sending);
        break;
    default:
        turn(sim, sending);
    }
}

/* No more input, hosts that only reply: everything comes to its end. */
static void drain(struct sim *sim, struct sending *sending)
{
    sim->is_draining = true;
    turn(sim, sending);
    for (size_t i = 0; bt_pump_pending_count(sim->pump) > 0 || sim_store_waiting(sim->store) > 0;
         i++) {
        must(sim, i < TURNS_MAX, "everything comes to its end");
        turn(sim, sending);
    }
    turn(sim, sending);
    sim->now_ms += (uint64_t)(IDLE_S + 1) * 1000;
    for (size_t i = 0; i < 3; i++) {
        turn(sim, sending);
    }
    must(sim, !sim->pump->core.index.threads_by_uuid.root && !sim->pump->core.oldest,
         "no thread is left");
    must(sim, sim->pump->core.schedule.in_flight == 0 && sim->pump->core.counts.payload_bytes == 0,
         "no slot and no memory is left taken");
    sim_store_check(sim);
    for (size_t i = 0; i < CLIENTS; i++) {
        must(sim, sim->heard_last[i] + 1 == sim->pump->core.clients[i].next_delivery,
             "every delivery arrives");
        for (uint64_t id = 1; id <= sim->heard_last[i]; id++) {
            must(sim, sim->heard[i][id] != 0, "deliveries arrive without a gap");
        }
    }
}

static void run(struct sim *sim, uint64_t seed, enum fault fault)
{
    static struct sending sending;
    sending = (struct sending){.count = 0};
    bt_arena_init(&sending.arena, (size_t)8 << 20);
    begin(sim, seed, fault);
    for (size_t i = 0; i < STEPS; i++) {
        step(sim, &sending);
    }
    drain(sim, &sending);
    stop(sim);
    sim_store_free(sim->store);
    bt_arena_free(&sim->arena);
    bt_arena_free(&sending.arena);
}

/* ---- Faults ---------------------------------------------------------------------------------- */

/* Whether a fault is found by one of the seeds, in a process of its own, which it ends. */
static bool is_found(struct sim *sim, enum fault fault)
{
    int status = 0;
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        for (uint64_t seed = 1; seed <= FAULT_SEEDS; seed++) {
            run(sim, seed, fault);
        }
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child &&
           ((WIFEXITED(status) && WEXITSTATUS(status) == FOUND) || WIFSIGNALED(status));
}

static int find_faults(struct sim *sim, const char *name)
{
    int missed = 0;
    int number = 0;
    for (enum fault fault = FAULT_NONE + 1; fault < FAULT__MAX; fault++) {
        if (strcmp(name, "all") == 0 || strcmp(name, fault_names[fault]) == 0) {
            const bool found = is_found(sim, fault);
            printf("%s %d - %s is found\n", found ? "ok" : "not ok", ++number, fault_names[fault]);
            missed += !found;
        }
    }
    printf("1..%d\n", number);
    return missed > 0 || number == 0 ? 1 : 0;
}

int main(int argc, char **argv)
{
    uint64_t first = 1;
    uint64_t count = 1000;
    uint64_t sums[4] = {0};
    if ((argc > 1 && bt_str_to_u64(bt_str_of(argv[1]), &first) != BT_OK) ||
        (argc > 2 && bt_str_to_u64(bt_str_of(argv[2]), &count) != BT_OK) || argc > 4) {
        (void)fprintf(stderr, "usage: sim_pump [FIRST [COUNT [FAULT]]]\n");
        return 2;
    }
    struct sim *sim = malloc(sizeof(*sim));
    if (!sim) {
        return 2;
    }
    if (argc > 3) {
        const int code = find_faults(sim, argv[3]);
        free(sim);
        return code;
    }
    for (uint64_t seed = first; seed < first + count; seed++) {
        run(sim, seed, FAULT_NONE);
        sums[0] += sim->accepted;
        sums[1] += sim->calls;
        sums[2] += sim->events;
        sums[3] += sim->restarts;
    }
    free(sim);
    printf("1..1\nok 1 - %" PRIu64 " seeds: %" PRIu64 " messages accepted, %" PRIu64
           " calls, %" PRIu64 " events, %" PRIu64 " restarts, no violation\n",
           count, sums[0], sums[1], sums[2], sums[3]);
    return 0;
}
