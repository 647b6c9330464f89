/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_call.c - one check through bt_call(), again and again: the request on standard input, the
 * best processor time of a call in microseconds on standard output. bench/python.py compares it
 * with Python.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <baton/call.h>

enum { REQUEST_BYTES_MAX = 1 << 20, ROUNDS = 15, CALLS = 2000 };

static double read_clock(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* The time of a call in microseconds, over one round. */
static double time_round(struct bt_engine *engine, bt_str request)
{
    const double start = read_clock();
    for (int i = 0; i < CALLS; i++) {
        struct bt_reply *reply = NULL;
        if (bt_call(engine, BT_STR("check"), request, &reply, NULL) != BT_OK) {
            exit(2);
        }
        bt_reply_destroy(reply);
    }
    return (read_clock() - start) / CALLS;
}

int main(void)
{
    static char bytes[REQUEST_BYTES_MAX];
    struct bt_engine *engine = NULL;
    const bt_str request = {bytes, fread(bytes, 1, sizeof(bytes), stdin)};
    double best = 1e12;
    if (bt_engine_create(BT_STR(""), &engine, NULL) != BT_OK) {
        return 2;
    }
    for (int i = 0; i < ROUNDS; i++) {
        const double took = time_round(engine, request);
        best = took < best ? took : best;
    }
    bt_engine_destroy(engine);
    printf("%.3f\n", best);
    return 0;
}
