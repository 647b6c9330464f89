/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_day.c - a simulated day of handoffs on several arrangements of nodes and logs.
 *
 *     bench_day FIGURES [HANDOFFS]
 *
 * FIGURES has lines `name value`; bench/scale.txt says which bench each value comes from. Arrivals
 * are random (Poisson), with a rate that follows the day: the busiest moment has `peak` times the
 * mean. Every log commits what waits for it as one group, at most 256, in one commit at a time; the
 * commits of a node take turns at its disk. The nodes of an arrangement are alike, so one is
 * simulated, with its share of the handoffs. Each line has the figure of the formula beside the
 * simulated one; a difference of more than a tenth is marked, and ends the program with 1.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846 /* M_PI is not in C17 */

enum { DAY_S = 86400, LOGS_MAX = 10000, BATCH_MAX = 256, SAMPLE_EVERY = 64, BUCKETS = 4096 };

/* What the benches measured. */
struct figures {
    double handoffs;         /* of a day */
    double peak;             /* the busiest rate, in means */
    double writer_us;        /* processor time of the writer for each handoff */
    double commit_us;        /* processor time of the writer for each commit */
    double rest_us;          /* processor time of other threads for each handoff */
    double syncs_s;          /* syncs a second of one disk */
    double commit_syncs;     /* syncs of one commit of a file */
    double server_commits_s; /* commits a second of one PostgreSQL, from many connections */
};

struct arrangement {
    const char *name;
    int nodes;
    int logs;       /* of all nodes */
    bool is_server; /* the commits of a node end at a PostgreSQL of its own */
};

static const struct arrangement arrangements[] = {
    {"one log, one node", 1, 1, false},
    {"16 shared logs, 4 nodes", 4, 16, false},
    {"10,000 logs, 7 nodes", 7, 10000, false},
    {"10,000 logs, 35 nodes", 35, 10000, false},
    {"10,000 logs, 10 PostgreSQL", 10, 10000, true},
};

/* ---- The day --------------------------------------------------------------------------------- */

/* The exponent p for which ((1 + cos) / 2)^p has the mean 1 / peak over a day. */
static double find_exponent(double peak)
{
    double low = 0.0;
    double high = 1000.0;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        double sum = 0;
        for (int k = 0; k < 2000; k++) {
            sum += pow((1 + cos(2 * PI * k / 2000)) / 2, middle);
        }
        *(sum / 2000 > 1 / peak ? &low : &high) = middle;
    }
    return low;
}

/* ---- Random numbers: splitmix64, the same every time ----------------------------------------- */

static uint64_t random_state = 1;

static uint64_t next_random(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double next_fraction(void)
{
    return ((double)(next_random() >> 11) + 0.5) * 0x1p-53;
}

/* ---- One node -------------------------------------------------------------------------------- */

struct day_log {
    uint32_t waiting;
    bool is_busy;
};

/* A commit that has begun. Commits end in the order in which they begin: they share a disk. */
struct day_commit {
    double end_s;
    uint32_t log;
};

struct day_node {
    const struct figures *figures;
    double service_s; /* of the disk or server, for one commit */
    int logs;
    double disk_free_s;
    struct day_log log[LOGS_MAX];
    struct day_commit commits[LOGS_MAX]; /* a ring: a log has at most one commit open */
    uint64_t first;
    uint64_t next;
    /* what came of it */
    uint64_t recorded;
    uint64_t begun;
    uint64_t waiting;
    uint64_t waiting_max;
    double busy_s;
    double delay_sum_s;
    uint64_t delays[BUCKETS]; /* of sampled commits, by 0.1 ms */
    uint64_t samples;
};

static void begin_commit(struct day_node *node, uint32_t log, double now_s)
{
    struct day_log *at = &node->log[log];
    const uint32_t count = at->waiting < BATCH_MAX ? at->waiting : BATCH_MAX;
    const double ready_s =
        now_s + (node->figures->commit_us + count * node->figures->writer_us) * 1e-6;
    const double start_s = ready_s > node->disk_free_s ? ready_s : node->disk_free_s;
    node->disk_free_s = start_s + node->service_s;
    node->busy_s += node->service_s;
    at->waiting -= count;
    at->is_busy = true;
    node->waiting -= count;
    node->recorded += count;
    node->begun++;
    if (node->begun % SAMPLE_EVERY == 0) {
        const double delay = (node->disk_free_s - now_s) * 1e4;
        node->delays[delay < BUCKETS - 1 ? (size_t)delay : BUCKETS - 1]++;
        node->samples++;
    }
    node->commits[node->next++ % LOGS_MAX] =
        (struct day_commit){.end_s = node->disk_free_s, .log = log};
}

/* End the commits that are over by `until_s`; what waits for their logs is committed next. */
static void end_commits(struct day_node *node, double until_s)
{
    while (node->first < node->next && node->commits[node->first % LOGS_MAX].end_s <= until_s) {
        const struct day_commit done = node->commits[node->first++ % LOGS_MAX];
        node->log[done.log].is_busy = false;
        if (node->log[done.log].waiting > 0) {
            begin_commit(node, done.log, done.end_s);
        }
    }
}

static void add_handoff(struct day_node *node, double now_s)
{
    end_commits(node, now_s);
    const uint32_t log = (uint32_t)(next_random() % (uint64_t)node->logs);
    node->log[log].waiting++;
    node->waiting++;
    node->waiting_max = node->waiting > node->waiting_max ? node->waiting : node->waiting_max;
    if (!node->log[log].is_busy) {
        begin_commit(node, log, now_s);
    }
}

/* Arrivals from `from_s` on, for `length_s`, at a steady rate. */
static void run_span(struct day_node *node, double from_s, double length_s, double rate)
{
    double now_s = from_s;
    for (;;) {
        now_s -= log(next_fraction()) / rate;
        if (now_s >= from_s + length_s) {
            return;
        }
        add_handoff(node, now_s);
    }
}

static double find_delay_ms(const struct day_node *node, double share)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < BUCKETS; i++) {
        seen += node->delays[i];
        if ((double)seen >= share * (double)node->samples) {
            return (double)(i + 1) / 10;
        }
    }
    return BUCKETS / 10.0;
}

/* ---- The formula ----------------------------------------------------------------------------- */

/* Commits a second of one node at a steady rate, by approximate mean value analysis of a closed
 * network: each log is one customer. After a commit it is idle until a handoff comes, if none came
 * meanwhile; then it needs the processor, then its turn at the disk, where on average half of a
 * commit is left. */
static double calculate_commits(const struct day_node *node, double rate)
{
    const double service = node->service_s;
    const double logs = node->logs;
    const double own = rate / logs;
    double commits = fmin(rate, 0.9 / service);
    for (int i = 0; i < 2000; i++) {
        const double batch = fmax(rate / commits, 1);
        const double work = (node->figures->commit_us + batch * node->figures->writer_us) * 1e-6;
        const double load = fmin(commits * service, 1);
        double turn = service;
        for (int k = 0; k < 20; k++) {
            const double queue = fmin(commits * turn, logs);
            turn = service * (1 + (1 - 1 / logs) * fmax(queue - load / 2, 0));
        }
        const double idle = exp(-own * (work + turn)) / own;
        const double most = fmin(rate, 1 / service);
        commits += (fmin(logs / (idle + work + turn), most) - commits) * 0.05;
    }
    return fmax(commits, rate / BATCH_MAX);
}

/* ---- Printing -------------------------------------------------------------------------------- */

static bool print_row(const char *what, double calculated, double simulated)
{
    const double ratio = calculated > 0 ? simulated / calculated : 1;
    const bool fits = ratio > 0.9 && ratio < 1.1;
    printf("  %-34s %14.1f %14.1f %7.2f%s\n", what, calculated, simulated, ratio,
           fits ? "" : "  differs");
    return fits;
}

static struct day_node *make_node(const struct figures *figures, const struct arrangement *at)
{
    struct day_node *node = calloc(1, sizeof(*node));
    if (!node) {
        exit(2);
    }
    node->figures = figures;
    node->logs = (at->logs + at->nodes - 1) / at->nodes;
    node->service_s =
        at->is_server ? 1 / figures->server_commits_s : figures->commit_syncs / figures->syncs_s;
    return node;
}

static bool run_day(const struct figures *figures, const struct arrangement *at, double exponent)
{
    enum { SPANS = 1440 };
    struct day_node *node = make_node(figures, at);
    const double mean = figures->handoffs / DAY_S / at->nodes;
    double calculated = 0;
    uint64_t peak_begun = 0;
    for (int i = 0; i < SPANS; i++) {
        const double shape = pow((1 + cos(2 * PI * (i + 0.5 - SPANS / 2.0) / SPANS)) / 2, exponent);
        const double rate = mean * figures->peak * shape;
        const uint64_t before = node->begun;
        const double length = (double)DAY_S / SPANS;
        run_span(node, i * length, length, rate);
        calculated += calculate_commits(node, rate) * length;
        peak_begun = i == SPANS / 2 ? node->begun - before : peak_begun;
    }
    end_commits(node, 2.0 * DAY_S);
    const double cpu = figures->writer_us + figures->rest_us;
    printf("%s\n  %-34s %14s %14s %7s\n", at->name, "for each node", "calculated", "simulated",
           "ratio");
    bool fits =
        print_row("handoffs recorded, millions", mean * DAY_S / 1e6, (double)node->recorded / 1e6);
    fits &= print_row("commits of the day, millions", calculated / 1e6, (double)node->begun / 1e6);
    fits &= print_row("commits a second at the peak", calculate_commits(node, mean * figures->peak),
                      (double)peak_begun / (DAY_S / 1440.0));
    fits &= print_row("disk or server busy, % of the day",
                      calculated * node->service_s / DAY_S * 100, node->busy_s / DAY_S * 100);
    printf("  processors busy at the peak %.2f; commit p50 %.1f ms, p99 %.1f ms; at most %llu "
           "waiting\n\n",
           mean * figures->peak * cpu * 1e-6, find_delay_ms(node, 0.5), find_delay_ms(node, 0.99),
           (unsigned long long)node->waiting_max);
    free(node);
    return fits;
}

/* ---- Figures --------------------------------------------------------------------------------- */

static void read_figures(const char *path, struct figures *out)
{
    const struct {
        const char *name;
        double *place;
    } names[] = {
        {"handoffs", &out->handoffs},         {"peak", &out->peak},
        {"writer_us", &out->writer_us},       {"commit_us", &out->commit_us},
        {"rest_us", &out->rest_us},           {"syncs_s", &out->syncs_s},
        {"commit_syncs", &out->commit_syncs}, {"server_commits_s", &out->server_commits_s},
    };
    enum { NAMES = sizeof(names) / sizeof(names[0]) };
    char line[512];
    char name[64];
    double value;
    FILE *file = fopen(path, "r");
    for (int lines = 0; file && lines < 200 && fgets(line, sizeof(line), file); lines++) {
        for (size_t i = 0; sscanf(line, "%63s %lf", name, &value) == 2 && i < NAMES; i++) {
            *(strcmp(name, names[i].name) == 0 ? names[i].place : &value) = value;
        }
    }
    for (size_t i = 0; i < NAMES; i++) {
        if (!(*names[i].place > 0)) {
            fprintf(stderr, "bench_day: %s: %s is missing%s%s\n", path, names[i].name,
                    file ? "" : ": ", file ? "" : strerror(errno));
            exit(2);
        }
    }
    (void)fclose(file);
}

int main(int argc, char **argv)
{
    struct figures figures = {0};
    bool fits = true;
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: bench_day FIGURES [HANDOFFS]\n");
        return 2;
    }
    read_figures(argv[1], &figures);
    if (argc == 3) {
        figures.handoffs = strtod(argv[2], NULL);
    }
    printf("%.0f handoffs a day, %.0f a second, at the peak %.0f\n\n", figures.handoffs,
           figures.handoffs / DAY_S, figures.handoffs / DAY_S * figures.peak);
    const double exponent = find_exponent(figures.peak);
    for (size_t i = 0; i < sizeof(arrangements) / sizeof(arrangements[0]); i++) {
        fits &= run_day(&figures, &arrangements[i], exponent);
    }
    return fits ? 0 : 1;
}
