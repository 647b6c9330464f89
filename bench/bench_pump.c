/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_pump.c - the whole pump under load: messages are judged, kept durably, called in sandboxed
 * hosts, answered and delivered; all of that is counted.
 *
 *     bench_pump FOLDER BATON LIBADD.so [MESSAGES [THREADS [c|python|hostile]]]
 *
 * Run by script/bench pump.
 *
 * One message counted is a round trip: a client's request and the reply that it is delivered, which
 * the pump handles as two messages.
 * The store is made below FOLDER, since what counts is this disk. `a CPU second` is of the pump and
 * its host together. `alone` is one message at a time: what a caller waits for.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure.h"
#include "pump/pump.h"
#include "pump_hostile.h"

extern char **environ;

enum {
    MESSAGES = 200000,
    THREADS = 10000,
    ALONE = 100,
    WINDOW = 4000, /* messages that are on their way at once */
    WAIT_MS = 100,
    WAIT_ALONE_MS = 2, /* nobody speaks after the only reply was delivered */
    TEXT_BYTES = 512,
    ORIGINAL = 1000, /* messages a CPU second of the pump that Baton is measured against */
};

static const char handler[] =
    "from dataclasses import dataclass\n"
    "from baton import xmlify, HandlerMetadata\n"
    "@xmlify\n@dataclass\nclass AddPayload:\n    a: int\n    b: int\n"
    "async def add_handler(payload: AddPayload, metadata: HandlerMetadata) -> bytes:\n"
    "    return f\"<result>{payload.a + payload.b}</result>\".encode(\"utf-8\")\n";

#define ORGANISM(store, handler)                                                                   \
    "organism: {name: bench}\n"                                                                    \
    "clients: [{name: bench, may_call: [\"*\"]}]\n"                                                \
    "max_concurrent_handlers: 1000\n"                                                              \
    "store: " store "\n"                                                                           \
    "listeners:\n"                                                                                 \
    "  - name: calculator.add\n"                                                                   \
    "    description: adds two integers\n"                                                         \
    "    handler: " handler "\n"                                                                   \
    "    payload_type: AddPayload\n"                                                               \
    "    fields: {a: int, b: int}\n"                                                               \
    "    result: int\n"

struct bench {
    const char *folder;
    const char *baton;
    uint64_t messages;
    uint64_t threads;
    struct bt_env env;
    struct bt_pump *pump;
    uint64_t sent;
    uint64_t delivered;
    double *sent_at; /* by message */
    double *waited;
};

/* ---- Measures -------------------------------------------------------------------------------- */

/* Memory of this process that lies in RAM, in MiB. */
static double resident(void)
{
    unsigned long all = 0;
    unsigned long here = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu %lu", &all, &here) != 2) {
        fail("/proc/self/statm", "cannot be read");
    }
    (void)fclose(file);
    return (double)here * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

static int by_size(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* ---- The organism ---------------------------------------------------------------------------- */

static void write_file(const char *folder, const char *name, const void *bytes, size_t size)
{
    char path[4096];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        fail(path, "cannot be written");
    }
}

static void copy_library(const char *folder, const char *from)
{
    static char block[1 << 20];
    FILE *in = fopen(from, "rb");
    const size_t size = in ? fread(block, 1, sizeof(block), in) : 0;
    if (size == 0 || fclose(in) != 0) {
        fail(from, "cannot be read");
    }
    write_file(folder, "libadd.so", block, size);
}

/* ---- Messages -------------------------------------------------------------------------------- */

static bool hear_delivery(void *context, const struct bt_pump_delivery *delivery)
{
    static const bt_str head = BT_STR_INIT("<result>");
    struct bench *bench = context;
    uint64_t number = 0;
    const bt_str text =
        bt_str_slice(delivery->payload, head.len, bt_str_find_byte(delivery->payload, '<', 1));
    if (bt_str_to_u64(text, &number) != BT_OK || number >= bench->sent) {
        (void)fprintf(stderr, "%.*s\n", BT_STR_ARG(delivery->payload));
        fail("delivery", "it is not one of the sums");
    }
    if (bench->sent_at[number] == 0) {
        fail("delivery", "it was delivered before");
    }
    bench->waited[bench->delivered++] = now_s() - bench->sent_at[number];
    bench->sent_at[number] = 0;
    return true;
}

static void hear_event(void *context, const struct bt_pump_event *event)
{
    (void)context;
    (void)fprintf(stderr, "event %.*s\n", BT_STR_ARG(event->rule->code));
}

static void hear_log(void *context, bt_str listener, bt_str text)
{
    (void)context;
    (void)fprintf(stderr, "[%.*s] %.*s\n", BT_STR_ARG(listener), BT_STR_ARG(text));
}

static char *put(char *to, bt_str text)
{
    memcpy(to, text.ptr, text.len);
    return to + text.len;
}

/* Decimal, with zeros in front up to `width`. */
static char *put_number(char *to, uint64_t number, size_t width)
{
    char digits[20];
    size_t first = sizeof(digits);
    while (number > 0 || sizeof(digits) - first < width) {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    }
    return put(to, (bt_str){digits + first, sizeof(digits) - first});
}

/* The client's time counts as the pump's does, so it takes little. */
static bt_str put_message(char *text, uint64_t thread, uint64_t number)
{
    char *to = put(text, BT_STR("<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\"><meta>"
                                "<from>bench</from><thread>550e8400-e29b-41d4-a716-"));
    to = put_number(to, thread, 12);
    to = put(to, BT_STR("</thread></meta><calculator.add.addpayload xmlns=\"\"><a>"));
    to = put_number(to, number, 1);
    to = put(to, BT_STR("</a><b>0</b></calculator.add.addpayload></message>"));
    return (bt_str){text, (size_t)(to - text)};
}

static void submit(struct bench *bench, struct bt_arena *arena)
{
    const uint64_t number = bench->sent;
    char *text = bt_arena_alloc(arena, TEXT_BYTES);
    struct bt_judgement *judged = bt_arena_calloc(arena, 1, sizeof(*judged));
    struct bt_error error = {.text = ""};
    if (!text || !judged) {
        fail("submit", "no memory");
    }
    const struct bt_pump_input input = {.path = BT_STR("bench"),
                                        .text = put_message(text, number % bench->threads, number),
                                        .document = number + 1};
    bench->sent_at[number] = now_s();
    bench->sent++;
    if (bt_pump_submit(bench->pump, arena, &input, judged, &error) != BT_OK ||
        judged->verdict != BT_VERDICT_ACCEPTED) {
        fail("submit", error.text[0] ? error.text : "refused");
    }
}

/* Send `count` messages with at most `window` on their way, until the last is delivered. */
static void send_all(struct bench *bench, uint64_t count, uint64_t window)
{
    struct bt_error error = {.text = ""};
    struct bt_arena arena;
    const uint64_t end = bench->sent + count;
    uint64_t shown = bench->sent + count / 4;
    bt_arena_init(&arena, (size_t)1 << 30);
    while (bench->delivered < end) {
        while (bench->sent < end && bench->sent - bench->delivered < window) {
            submit(bench, &arena);
        }
        const uint32_t wait_ms =
            window > 1 && bt_pump_pending_count(bench->pump) > 0 ? WAIT_MS : WAIT_ALONE_MS;
        if (bt_pump_run_once(bench->pump, wait_ms, &error) != BT_OK) {
            fail("turn", error.text);
        }
        bt_arena_reset(&arena);
        if (bench->delivered >= shown && window > 1) {
            (void)fprintf(stderr, "    %9" PRIu64 " delivered, %6.1f MiB in memory\n",
                          bench->delivered, resident());
            shown += count / 4;
        }
    }
    bt_arena_free(&arena);
}

static void open_pump(struct bench *bench, struct bt_arena *arena, const char *organism,
                      bool is_stopped)
{
    char path[4096];
    struct bt_judgement judged;
    const struct bt_organism *read = NULL;
    struct bt_error error = {.text = ""};
    (void)snprintf(path, sizeof(path), "%s/organism.yaml", bench->folder);
    write_file(bench->folder, "organism.yaml", organism, strlen(organism));
    struct bt_host_launch_options *hosts = bt_arena_calloc(arena, 1, sizeof(*hosts));
    if (!hosts) {
        fail("hosts", "no memory");
    }
    *hosts = (struct bt_host_launch_options){.search_path = bt_str_of(getenv("PATH")),
                                             .environment = environ,
                                             .baton = bt_str_of(bench->baton),
                                             .temporary_dir = BT_STR("/tmp")};
    const struct bt_organism_source source = {bt_str_of(path), bt_str_of(organism)};
    const struct bt_organism_options wanted = {.has_files = true, .hosts = hosts};
    const struct bt_pump_options options = {
        .hosts = hosts,
        .without_hosts = is_stopped,
        .observer = {
            .context = bench, .event = hear_event, .delivery = hear_delivery, .log = hear_log}};
    if (bt_organism_read(&bench->env, arena, &source, &wanted, &judged, &read) != BT_OK || !read) {
        fail(path, "cannot be used");
    }
    if (bt_pump_open(&bench->env, read, &options, &bench->pump, &error) != BT_OK) {
        fail("open", error.text);
    }
}

static void measure(struct bench *bench, const char *name, const char *organism)
{
    struct bt_arena arena;
    bt_arena_init(&arena, 256 << 20);
    bench->sent = bench->delivered = 0;
    open_pump(bench, &arena, organism, false);
    send_all(bench, ALONE, 1);
    qsort(bench->waited, ALONE, sizeof(double), by_size);
    const double alone = bench->waited[ALONE / 2];
    const double theirs = children_s();
    const double ours = processor_s();
    const double began = now_s();
    send_all(bench, bench->messages, WINDOW);
    const double took = now_s() - began;
    const double pump = processor_s() - ours;
    bt_pump_close(bench->pump);
    /* All of the host's life counts for it: start, load, warm-up. */
    const double host = children_s() - theirs;
    const double n = (double)bench->messages;
    double *waited = bench->waited + ALONE;
    qsort(waited, bench->messages, sizeof(double), by_size);
    const double rate = n / (pump + host) / ORIGINAL;
    (void)printf(
        "%-8s %8.0f round trips/s  %6.2f us pump  %6.2f us host  %8.0f a CPU second, %5.1f "
        "x %d (requests and replies both counted: %5.1f x)  p50 %.1f ms  p99 %.1f ms  "
        "alone %.2f ms\n",
        name, n / took, pump / n * 1e6, host / n * 1e6, rate * ORIGINAL, rate, ORIGINAL, 2 * rate,
        waited[bench->messages / 2] * 1e3, waited[bench->messages * 99 / 100] * 1e3, alone * 1e3);
    bt_arena_free(&arena);
}

static void refuse_hostile(struct bench *bench)
{
    struct bt_arena arena;
    bt_arena_init(&arena, 256 << 20);
    open_pump(bench, &arena, ORGANISM("hostile", "calc.py:add_handler"), true);
    bench_hostile_messages(bench->pump);
    bt_pump_close(bench->pump);
    bt_arena_free(&arena);
}

int main(int argc, char **argv)
{
    static struct bench bench = {.messages = MESSAGES, .threads = THREADS};
    if (argc < 4 || argc > 7 ||
        (argc > 4 && bt_str_to_u64(bt_str_of(argv[4]), &bench.messages) != BT_OK) ||
        (argc > 5 && bt_str_to_u64(bt_str_of(argv[5]), &bench.threads) != BT_OK)) {
        fail("usage", "bench_pump FOLDER BATON LIBADD.so [MESSAGES [THREADS [c|python]]]");
    }
    bench.folder = argv[1];
    bench.baton = realpath(argv[2], NULL);
    bench.sent_at = calloc(bench.messages + ALONE, sizeof(double));
    bench.waited = calloc(bench.messages + ALONE, sizeof(double));
    for (uint64_t i = 0; bench.sent_at && bench.waited && i < bench.messages + ALONE; i++) {
        bench.sent_at[i] = bench.waited[i] = 1; /* so that this memory counts from the beginning */
    }
    if (!bench.baton || !bench.sent_at || !bench.waited || bt_env_init(&bench.env) != BT_OK) {
        fail("set-up", "failed");
    }
    write_file(bench.folder, "calc.py", handler, strlen(handler));
    copy_library(bench.folder, argv[3]);
    const char *only = argc > 6 ? argv[6] : "";
    if (strcmp(only, "") == 0 || strcmp(only, "hostile") == 0) {
        refuse_hostile(&bench);
    }
    if (strcmp(only, "") == 0 || strcmp(only, "c") == 0) {
        measure(&bench, "C", ORGANISM("c", "libadd.so"));
    }
    if (strcmp(only, "") == 0 || strcmp(only, "python") == 0) {
        measure(&bench, "Python", ORGANISM("python", "calc.py:add_handler"));
    }
    return 0;
}
