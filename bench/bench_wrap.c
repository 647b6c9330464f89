/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_wrap.c - what `baton wrap` adds to one call of an MCP server, beside a bare relay.
 *
 * One program in three roles: the server answers each line at once, the relay copies bytes between
 * two pipes without looking at them, and the client measures calls of about 300 bytes one after the
 * other: direct, through the relay, through baton wrap without a lock. The ways take turns, and the
 * median of five rounds counts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 5, CALLS = 4000, WARM_UP = 200, LINE_BYTES = 4096, COPY_BYTES = 65536 };

static void fail(const char *what)
{
    (void)fprintf(stderr, "bench_wrap: %s: %s\n", what, strerror(errno));
    exit(2);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

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

/* Read one line, which comes alone. Returns its length; 0: the end. */
static size_t read_line(int fd, char *line)
{
    size_t size = 0;
    while (size == 0 || line[size - 1] != '\n') {
        const ssize_t count = read(fd, line + size, LINE_BYTES - size);
        if (count == 0 || (count < 0 && errno != EINTR) || size == LINE_BYTES) {
            return 0;
        }
        size += count > 0 ? (size_t)count : 0;
    }
    return size;
}

/* ---- The server and the relay ---------------------------------------------------------------- */

static int serve(void)
{
    static const char padding[] =
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt "
        "ut labore et dolore magna aliqua. Ut enim ad minim veniam, quis nostrud exercitation.";
    char line[LINE_BYTES];
    char answer[LINE_BYTES];
    while (read_line(STDIN_FILENO, line) > 0) {
        const char *id = strstr(line, "\"id\":");
        const int size =
            snprintf(answer, sizeof(answer),
                     "{\"jsonrpc\":\"2.0\",\"id\":%lu,\"result\":{\"content\":[{\"type\":\"text\","
                     "\"text\":\"%s\"}],\"isError\":false}}\n",
                     id ? strtoul(id + 5, NULL, 10) : 0, padding);
        write_all(STDOUT_FILENO, answer, (size_t)size);
    }
    return 0;
}

/* Start a program with pipes; fds[0] is read from it, fds[1] written to it. */
static pid_t start(char *const argv[], int fds[2])
{
    int in[2];
    int out[2];
    if (pipe(in) != 0 || pipe(out) != 0) {
        fail("pipe");
    }
    const pid_t pid = fork();
    if (pid < 0) {
        fail("fork");
    }
    if (pid == 0) {
        (void)dup2(in[0], STDIN_FILENO);
        (void)dup2(out[1], STDOUT_FILENO);
        (void)close(in[0]);
        (void)close(in[1]);
        (void)close(out[0]);
        (void)close(out[1]);
        (void)execv(argv[0], argv);
        _exit(127);
    }
    (void)close(in[0]);
    (void)close(out[1]);
    fds[0] = out[0];
    fds[1] = in[1];
    return pid;
}

static int relay(char *self)
{
    char word[] = "--server";
    char *const argv[] = {self, word, NULL};
    char bytes[COPY_BYTES];
    int server[2];
    const pid_t pid = start(argv, server);
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

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t first = *(const uint64_t *)a;
    const uint64_t second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

/* The median time of one call through a program. */
static uint64_t measure(char *const argv[])
{
    static uint64_t times[CALLS];
    char line[LINE_BYTES];
    int fds[2];
    const pid_t pid = start(argv, fds);
    for (int i = 0; i < CALLS + WARM_UP; i++) {
        const int size = snprintf(
            line, sizeof(line),
            "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/"
            "call\",\"params\":{\"name\":\"search\","
            "\"arguments\":{\"query\":\"the quick brown fox jumps over the lazy dog\",\"limit\":25,"
            "\"offset\":0,\"sort\":\"relevance\",\"filter\":\"type:document language:en "
            "after:2026-01-01 before:2026-11-01 owner:anybody folder:/projects/baton\"}}}\n",
            i);
        const uint64_t begin = now_ns();
        write_all(fds[1], line, (size_t)size);
        if (read_line(fds[0], line) == 0) {
            (void)fprintf(stderr, "bench_wrap: %s ended\n", argv[0]);
            exit(2);
        }
        if (i >= WARM_UP) {
            times[i - WARM_UP] = now_ns() - begin;
        }
    }
    (void)close(fds[1]);
    (void)close(fds[0]);
    (void)waitpid(pid, NULL, 0);
    qsort(times, CALLS, sizeof(times[0]), compare_numbers);
    return times[CALLS / 2];
}

int main(int argc, char **argv)
{
    char server_word[] = "--server";
    char relay_word[] = "--relay";
    char wrap_word[] = "wrap";
    char no_lock[] = "--no-lock";
    char dashes[] = "--";
    (void)signal(SIGPIPE, SIG_IGN);
    if (argc == 2 && strcmp(argv[1], server_word) == 0) {
        return serve();
    }
    char self[4096];
    const ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (size < 0 || argc != 2) {
        (void)fprintf(stderr, "usage: bench_wrap BATON\n");
        return 2;
    }
    self[size] = '\0';
    if (strcmp(argv[1], relay_word) == 0) {
        return relay(self);
    }
    char *const ways[3][7] = {
        {self, server_word, NULL},
        {self, relay_word, NULL},
        {argv[1], wrap_word, no_lock, dashes, self, server_word, NULL},
    };
    uint64_t medians[3][ROUNDS];
    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < 3; i++) {
            medians[i][round] = measure(ways[i]);
        }
    }
    static const char *const names[] = {"direct", "bare relay", "baton wrap"};
    double p50[3];
    for (size_t i = 0; i < 3; i++) {
        qsort(medians[i], ROUNDS, sizeof(uint64_t), compare_numbers);
        p50[i] = (double)medians[i][ROUNDS / 2] / 1000;
        (void)printf("%-12s p50 %7.1f us%s", names[i], p50[i], i == 0 ? "\n" : "");
        if (i > 0) {
            (void)printf(", adds %6.1f us\n", p50[i] - p50[0]);
        }
    }
    (void)printf("baton wrap adds %.2f times what the bare relay adds\n",
                 (p50[2] - p50[0]) / (p50[1] - p50[0]));
    return 0;
}
