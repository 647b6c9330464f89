/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_wrap.c - what `baton wrap` costs, beside a bare relay, a bare sync of the disk and a bare
 * parser.
 *
 * One program in three roles: the server answers each line at once, the relay copies bytes between
 * two pipes without looking at them, and the client measures calls of about 300 bytes: one after
 * the other, and 64 at a time. Ways take turns, and the median of five rounds counts. Stores and
 * locks are made in the folder that the second argument names. BATON_BENCH_CALLS is the number of
 * calls that memory is watched over.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"
#include "wrap_append.h"
#include "wrap_list.h"

enum {
    ROUNDS = 5,
    CALLS = 4000,
    WARM_UP = 200,
    SYNCS = 200,
    OPEN = 64,
    OPEN_CALLS = 20000,
    STARTS = 11,
    TOOLS = 1000,
    TOOL_BYTES = 4096,
    LINE_BYTES = 8 << 20,
    COPY_BYTES = 65536,
    ARGUMENTS_MAX = 16,
    MEMORY_CALLS = 1000000,
};

static void stop(const char *what)
{
    fail(what, strerror(errno));
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t first = *(const uint64_t *)a;
    const uint64_t second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

static uint64_t median(uint64_t *numbers, size_t count)
{
    qsort(numbers, count, sizeof(numbers[0]), compare_numbers);
    return numbers[count / 2];
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static void write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t count = write(fd, bytes, size);
        if (count < 0 && errno != EINTR) {
            exit(0);
        }
        bytes += count > 0 ? count : 0;
        size -= count > 0 ? (size_t)count : 0;
    }
}

struct reader {
    int fd;
    char *bytes; /* LINE_BYTES of them */
    size_t size;
    size_t at;
};

static struct reader reader_of(int fd)
{
    struct reader reader = {.fd = fd, .bytes = malloc(LINE_BYTES)};
    if (!reader.bytes) {
        stop("memory");
    }
    return reader;
}

/* The next line, which is valid until the one after; NULL: the end. */
static char *read_line(struct reader *reader)
{
    for (;;) { /* ends with the line, or with the input */
        char *begin = reader->bytes + reader->at;
        char *end = memchr(begin, '\n', reader->size - reader->at);
        if (end) {
            *end = '\0';
            reader->at = (size_t)(end - reader->bytes) + 1;
            return begin;
        }
        memmove(reader->bytes, begin, reader->size - reader->at);
        reader->size -= reader->at;
        reader->at = 0;
        const ssize_t count =
            read(reader->fd, reader->bytes + reader->size, LINE_BYTES - reader->size);
        if (count == 0 || (count < 0 && errno != EINTR)) {
            return NULL;
        }
        reader->size += count > 0 ? (size_t)count : 0;
    }
}

/* ---- The server ------------------------------------------------------------------------------ */

#define SCHEMA                                                                                     \
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"query\":{\"type\":\"string\","         \
    "\"maxLength\":200},\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100},"           \
    "\"offset\":{\"type\":\"integer\",\"minimum\":0},\"sort\":{\"enum\":[\"relevance\","           \
    "\"date\"]},\"filter\":{\"type\":\"string\"}},\"required\":[\"query\"],"                       \
    "\"additionalProperties\":false},\"annotations\":{\"readOnlyHint\":true}"

/* Put the tools: `search`, and others of TOOL_BYTES each. */
static size_t put_tools(char *out, size_t size, int count)
{
    size_t at = (size_t)snprintf(
        out, size, "{\"tools\":[{\"name\":\"search\",\"description\":\"Search.\"," SCHEMA "}");
    for (int i = 1; i < count; i++) {
        const size_t begin = at;
        at += (size_t)snprintf(out + at, size - at,
                               ",{\"name\":\"tool_%d\"," SCHEMA ",\"description\":\"", i);
        for (int word = 0; at - begin < TOOL_BYTES - 10; word++) {
            at += (size_t)snprintf(out + at, size - at, "word%d ", word);
        }
        at += (size_t)snprintf(out + at, size - at, "\"}");
    }
    return at + (size_t)snprintf(out + at, size - at, "]}");
}

static int serve(int tools)
{
    static const char padding[] =
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt "
        "ut labore et dolore magna aliqua. Ut enim ad minim veniam, quis nostrud exercitation.";
    struct reader client = reader_of(STDIN_FILENO);
    char *list = malloc(LINE_BYTES);
    char *answer = malloc(LINE_BYTES);
    if (!list || !answer) {
        stop("memory");
    }
    (void)put_tools(list, LINE_BYTES, tools);
    for (char *line = read_line(&client); line; line = read_line(&client)) {
        const char *id = strstr(line, "\"id\":");
        const char *text = id ? id + 5 : "";
        const int id_size = (int)strcspn(text, ",}");
        int size = 0;
        if (!id) {
            continue;
        }
        if (strstr(line, "\"tools/call\"")) {
            size = snprintf(answer, LINE_BYTES,
                            "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":{\"content\":[{\"type\":"
                            "\"text\",\"text\":\"%s\"}],\"isError\":false}}\n",
                            id_size, text, padding);
        } else if (strstr(line, "\"tools/list\"")) {
            size = snprintf(answer, LINE_BYTES, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":%s}\n",
                            id_size, text, list);
        } else if (strstr(line, "\"initialize\"")) {
            size = snprintf(answer, LINE_BYTES,
                            "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":{\"protocolVersion\":"
                            "\"2025-11-25\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{"
                            "\"name\":\"bench\",\"version\":\"1\"}}}\n",
                            id_size, text);
        } else {
            size = snprintf(answer, LINE_BYTES,
                            "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"error\":{\"code\":-32601,"
                            "\"message\":\"Method not found\"}}\n",
                            id_size, text);
        }
        write_all(STDOUT_FILENO, answer, (size_t)size);
    }
    return 0;
}

/* ---- The relay ------------------------------------------------------------------------------- */

/* Start a program with pipes; fds[0] is read from it, fds[1] written to it. */
static pid_t start(char *const argv[], int fds[2])
{
    int in[2];
    int out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) {
        stop("pipe");
    }
    const pid_t pid = fork();
    if (pid < 0) {
        stop("fork");
    }
    if (pid == 0) {
        (void)dup2(in[0], STDIN_FILENO);
        (void)dup2(out[1], STDOUT_FILENO);
        (void)execv(argv[0], argv);
        _exit(127);
    }
    (void)close(in[0]);
    (void)close(out[1]);
    fds[0] = out[0];
    fds[1] = in[1];
    return pid;
}

static int relay(char *const server_argv[])
{
    static char bytes[COPY_BYTES];
    int server[2];
    const pid_t pid = start(server_argv, server);
    struct pollfd sources[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
                                {.fd = server[0], .events = POLLIN}};
    const int targets[2] = {server[1], STDOUT_FILENO};
    while (poll(sources, 2, -1) > 0) {
        for (size_t i = 0; i < 2; i++) {
            const ssize_t count =
                sources[i].revents != 0 ? read(sources[i].fd, bytes, sizeof(bytes)) : -1;
            if (count == 0) {
                (void)close(server[1]);
                (void)waitpid(pid, NULL, 0);
                return 0;
            }
            write_all(targets[i], bytes, count > 0 ? (size_t)count : 0);
        }
    }
    return 1;
}

/* ---- The client ------------------------------------------------------------------------------ */

/* A program that is talked to. */
struct peer {
    pid_t pid;
    int to;
    struct reader from;
};

static char *hear(struct peer *peer)
{
    char *line = read_line(&peer->from);
    if (!line) {
        (void)fprintf(stderr, "bench_wrap: a program ended\n");
        exit(2);
    }
    return line;
}

static void say(const struct peer *peer, const char *line)
{
    write_all(peer->to, line, strlen(line));
}

static const char HELLO[] =
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
    "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}\n";
static const char READY[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
static const char LIST[] = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"tools/list\"}\n";

/* Start a program and shake hands. */
static struct peer begin(char *const argv[])
{
    int fds[2];
    struct peer peer = {.pid = start(argv, fds)};
    peer.from = reader_of(fds[0]);
    peer.to = fds[1];
    say(&peer, HELLO);
    (void)hear(&peer);
    say(&peer, READY);
    say(&peer, LIST);
    (void)hear(&peer);
    return peer;
}

static void end(struct peer *peer)
{
    (void)close(peer->to);
    while (read_line(&peer->from)) {
    }
    (void)close(peer->from.fd);
    free(peer->from.bytes);
    (void)waitpid(peer->pid, NULL, 0);
}

static void send_call(const struct peer *peer, int number)
{
    char line[1024];
    const int size = snprintf(
        line, sizeof(line),
        "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"search\","
        "\"arguments\":{\"query\":\"the quick brown fox jumps over the lazy dog\",\"limit\":25,"
        "\"offset\":0,\"sort\":\"relevance\",\"filter\":\"type:document language:en "
        "after:2026-01-01 before:2026-11-01 owner:anybody folder:/projects/baton\"}}}\n",
        number);
    write_all(peer->to, line, (size_t)size);
}

/* The median time of one call through a program, in nanoseconds. */
static uint64_t measure_calls(char *const argv[])
{
    static uint64_t times[CALLS];
    struct peer peer = begin(argv);
    for (int i = 0; i < CALLS + WARM_UP; i++) {
        const double began = now_ns();
        send_call(&peer, i + 1);
        (void)hear(&peer);
        if (i >= WARM_UP) {
            times[i - WARM_UP] = (uint64_t)(now_ns() - began);
        }
    }
    end(&peer);
    return median(times, CALLS);
}

/* Make calls, so many of them at a time. */
static void make_calls(struct peer *peer, int first, int count, int open)
{
    for (int i = 0; i < count + open; i++) {
        if (i >= open) {
            (void)hear(peer);
        }
        if (i < count) {
            send_call(peer, first + i);
        }
    }
}

/* Calls a second through a program. */
static uint64_t measure_rate(char *const argv[])
{
    struct peer peer = begin(argv);
    make_calls(&peer, 1, OPEN_CALLS / 10, OPEN);
    const double began = now_ns();
    make_calls(&peer, OPEN_CALLS, OPEN_CALLS, OPEN);
    const uint64_t took = (uint64_t)(now_ns() - began);
    end(&peer);
    return (uint64_t)OPEN_CALLS * 1000000000U / took;
}

/* The median time from the start of a program until the first answer came through it. */
static uint64_t measure_start(char *const argv[])
{
    uint64_t times[STARTS];
    for (size_t i = 0; i < STARTS; i++) {
        int fds[2];
        const double began = now_ns();
        struct peer peer = {.pid = start(argv, fds)};
        peer.from = reader_of(fds[0]);
        peer.to = fds[1];
        say(&peer, HELLO);
        (void)hear(&peer);
        times[i] = (uint64_t)(now_ns() - began);
        end(&peer);
    }
    return median(times, STARTS);
}

/* The median time of a write of 512 bytes at the end of a file and its sync. */
static uint64_t measure_sync(const char *folder)
{
    static const char bytes[512] = "x";
    uint64_t times[SYNCS];
    char path[4096];
    (void)snprintf(path, sizeof(path), "%s/sync", folder);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    for (size_t i = 0; i < SYNCS; i++) {
        const double began = now_ns();
        if (fd < 0 || write(fd, bytes, sizeof(bytes)) != (ssize_t)sizeof(bytes) ||
            fdatasync(fd) != 0) {
            stop(path);
        }
        times[i] = (uint64_t)(now_ns() - began);
    }
    (void)close(fd);
    return median(times, SYNCS);
}

/* ---- Ways ------------------------------------------------------------------------------------ */

static char self[4096];
static char *baton;
static const char *folder;

/* A command line: words until NULL; %s in the first of a pair stands for FOLDER. */
struct way {
    char *argv[ARGUMENTS_MAX];
    char words[ARGUMENTS_MAX][4200];
};

static struct way *make_way(const char *first, ...)
{
    struct way *way = calloc(1, sizeof(*way));
    va_list words;
    size_t count = 0;
    if (!way) {
        stop("memory");
    }
    va_start(words, first);
    for (const char *word = first; word; word = va_arg(words, const char *)) {
        const bool is_path = word[0] == '@'; /* in FOLDER */
        (void)snprintf(way->words[count], sizeof(way->words[count]), "%s%s%s",
                       is_path ? folder : "", is_path ? "/" : "", word + is_path);
        way->argv[count] = way->words[count];
        count++;
    }
    va_end(words);
    return way;
}

static double in_us(uint64_t ns)
{
    return (double)ns / 1000;
}

/* The medians of ROUNDS rounds, in which the ways take turns. */
static void take_turns(struct way *const *ways, size_t count, uint64_t (*measure)(char *const *),
                       double *out)
{
    uint64_t rounds[8][ROUNDS];
    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < count; i++) {
            rounds[i][round] = measure(ways[i]->argv);
        }
    }
    for (size_t i = 0; i < count; i++) {
        out[i] = (double)median(rounds[i], ROUNDS);
    }
}

static void bench_calls(void)
{
    enum { DIRECT, RELAY, CHECKED, RECORDED, DURABLE, WAYS };
    static const char *const names[] = {"direct", "bare relay", "checked", "recorded", "durable"};
    struct way *const ways[WAYS] = {
        [DIRECT] = make_way(self, "--server", "1", NULL),
        [RELAY] = make_way(self, "--relay", "1", NULL),
        [CHECKED] =
            make_way(baton, "wrap", "--no-lock", "--no-record", "--", self, "--server", "1", NULL),
        [RECORDED] = make_way(baton, "wrap", "--no-lock", "--store", "@recorded.db", "--", self,
                              "--server", "1", NULL),
        [DURABLE] = make_way(baton, "wrap", "--no-lock", "--store", "@durable.db", "--wait",
                             "durable", "--", self, "--server", "1", NULL)};
    uint64_t syncs[ROUNDS];
    double p50[WAYS];
    for (size_t i = 0; i < ROUNDS; i++) {
        syncs[i] = measure_sync(folder);
    }
    take_turns(ways, WAYS, measure_calls, p50);
    for (size_t i = 0; i < WAYS; i++) {
        (void)printf("one call, %-12s p50 %8.1f us", names[i], p50[i] / 1000);
        (void)printf(i > RELAY ? ", adds %8.1f us, %.2f times what the relay adds\n"
                     : i > 0   ? ", adds %8.1f us\n"
                               : "\n",
                     (p50[i] - p50[DIRECT]) / 1000,
                     (p50[i] - p50[DIRECT]) / (p50[RELAY] - p50[DIRECT]));
    }
    const double sync_us = in_us(median(syncs, ROUNDS));
    (void)printf("gate: checked at most 4.00 times the relay; recorded at most 6.00 times\n");
    (void)printf(
        "a bare write and fdatasync: p50 %.1f us; gate: durable at most %.1f us, is %.1f\n",
        sync_us, 1.5 * sync_us + 150, p50[DURABLE] / 1000);
}

static void bench_rate(void)
{
    struct way *const ways[] = {make_way(self, "--relay", "1", NULL),
                                make_way(baton, "wrap", "--no-lock", "--store", "@rate.db", "--",
                                         self, "--server", "1", NULL)};
    double rates[2];
    take_turns(ways, 2, measure_rate, rates);
    (void)printf("64 open calls: bare relay %.0f a second, recorded %.0f a second, %.2f of the "
                 "relay; gate: at least 0.40, and 10,000 a second\n",
                 rates[0], rates[1], rates[1] / rates[0]);
    uint64_t alone[ROUNDS];
    uint64_t processor_ns[ROUNDS];
    for (size_t i = 0; i < ROUNDS; i++) {
        const struct wrap_append append = bench_wrap_append(folder);
        alone[i] = (uint64_t)append.rate;
        processor_ns[i] = (uint64_t)(append.processor_us * 1000);
    }
    const double most = (double)median(alone, ROUNDS);
    (void)printf("recording alone, without a conversation: %.0f a second, %.2f of the relay; %.1f "
                 "us of the processors each\n",
                 most, most / rates[0], in_us(median(processor_ns, ROUNDS)));
}

static void bench_start(void)
{
    struct way *const ways[] = {
        make_way(self, "--server", "1", NULL),
        make_way(baton, "wrap", "--no-lock", "--no-record", "--", self, "--server", "1", NULL),
        make_way(baton, "wrap", "--lock", "@tools.lock", "--name", "bench", "--no-record", "--",
                 self, "--server", "1000", NULL),
        make_way(self, "--server", "1000", NULL)};
    double p50[4];
    take_turns(ways, 4, measure_start, p50);
    (void)printf("start until the first answer: adds %.1f ms (goal 10); with %d pinned tools of "
                 "%d bytes %.1f ms (goal 60)\n",
                 (p50[1] - p50[0]) / 1e6, TOOLS, TOOL_BYTES, (p50[2] - p50[3]) / 1e6);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* The memory of a process in KiB, now and at its largest. */
static void read_memory(pid_t pid, unsigned long *now, unsigned long *most)
{
    char path[64];
    char line[256];
    (void)snprintf(path, sizeof(path), "/proc/%ld/status", (long)pid);
    FILE *file = fopen(path, "re");
    if (!file) {
        stop(path);
    }
    while (fgets(line, sizeof(line), file)) {
        (void)sscanf(line, "VmRSS: %lu", now);
        (void)sscanf(line, "VmHWM: %lu", most);
    }
    (void)fclose(file);
}

static void tell_memory(const struct peer *peer, const char *after, int count)
{
    unsigned long now = 0;
    unsigned long most = 0;
    read_memory(peer->pid, &now, &most);
    (void)printf("memory after %8d %s: %6.1f MiB, at most %6.1f MiB\n", count, after,
                 (double)now / 1024, (double)most / 1024);
    (void)fflush(stdout);
}

static void bench_memory(void)
{
    struct way *way = make_way(baton, "wrap", "--no-lock", "--store", "@memory.db", "--", self,
                               "--server", "1", NULL);
    const char *wanted = getenv("BATON_BENCH_CALLS");
    const int calls = wanted ? (int)strtol(wanted, NULL, 10) : MEMORY_CALLS;
    struct peer peer = begin(way->argv);
    tell_memory(&peer, "calls", 0);
    int done = 0;
    for (int part = 0; part < 10; part++) {
        make_calls(&peer, done + 1, calls / 10, 1);
        done += calls / 10;
        if (part == 0 || part == 9) {
            tell_memory(&peer, "calls", done);
        }
    }
    for (int i = 1; i <= calls / 10; i++) {
        say(&peer, LIST);
        (void)hear(&peer);
        if (i == calls / 100 || i == calls / 10) {
            tell_memory(&peer, "list results", i);
        }
    }
    (void)printf("goal: at most 24 MiB and 8 MiB of buffers, and flat\n");
    make_calls(&peer, done + 1, calls / 10, OPEN);
    tell_memory(&peer, "calls more, 64 open; records that wait fill a buffer", calls / 10);
    end(&peer);
}

/* ---- A list of many tools -------------------------------------------------------------------- */

/* Pin the tools of the server into FOLDER/tools.lock. */
static void pin_tools(void)
{
    struct way *way = make_way(baton, "wrap", "pin", "--lock", "@tools.lock", "--name", "bench",
                               "--", self, "--server", "1000", NULL);
    int fds[2];
    int status = 0;
    const pid_t pid = start(way->argv, fds);
    struct reader reader = reader_of(fds[0]);
    (void)close(fds[1]);
    while (read_line(&reader)) {
    }
    free(reader.bytes);
    if (waitpid(pid, &status, 0) != pid || status != 0) {
        stop("baton wrap pin");
    }
}

static void bench_list(void)
{
    char path[4200];
    char *list = malloc(LINE_BYTES);
    if (!list) {
        stop("memory");
    }
    (void)snprintf(path, sizeof(path), "%s/tools.lock", folder);
    (void)put_tools(list, LINE_BYTES, TOOLS);
    bench_wrap_list(path, list);
    free(list);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"calls", bench_calls},
                 {"rate", bench_rate},
                 {"start", bench_start},
                 {"list", bench_list},
                 {"memory", bench_memory}};
    (void)signal(SIGPIPE, SIG_IGN);
    const ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (size < 0 || argc < 3 || argc > 4) {
        (void)fprintf(stderr, "usage: bench_wrap BATON FOLDER [calls|rate|start|list|memory]\n");
        return 2;
    }
    if (strcmp(argv[1], "--server") == 0) {
        return serve((int)strtol(argv[2], NULL, 10));
    }
    if (strcmp(argv[1], "--relay") == 0) {
        char word[] = "--server";
        char *const server[] = {self, word, argv[2], NULL};
        return relay(server);
    }
    baton = argv[1];
    folder = argv[2];
    pin_tools();
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (argc == 3 || strcmp(argv[3], parts[i].name) == 0) {
            parts[i].run();
            (void)fflush(stdout);
        }
    }
    return 0;
}
