/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixed_world.c - for LD_PRELOAD: the wall clock stands still at BATON_FIXED_TIME (seconds since 1970), and getentropy() gives
 * the same bytes in every run. Monotonic clocks go on, because deadlines need them.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef int clock_fn(clockid_t, struct timespec *);

static time_t fixed_time(void)
{
    const char *text = getenv("BATON_FIXED_TIME");
    return text ? (time_t)strtoll(text, NULL, 10) : 1772366400; /* 2026-03-01T12:00:00Z */
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) {
        *out = (struct timespec){.tv_sec = fixed_time()};
        return 0;
    }
    void *symbol = dlsym(RTLD_NEXT, "clock_gettime");
    clock_fn *real = NULL;
    memcpy(&real, &symbol,
           sizeof(symbol)); /* C has no cast from an object pointer to a function pointer */
    return real(clock, out);
}

time_t time(time_t *out)
{
    const time_t now = fixed_time();
    if (out) {
        *out = now;
    }
    return now;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    (void)zone;
    *out = (struct timeval){.tv_sec = fixed_time()};
    return 0;
}

/* One sequence for all threads: two of them must not make the same identifier. */
int getentropy(void *out, size_t size)
{
    static _Atomic uint64_t state;
    unsigned char *bytes = out;
    for (size_t i = 0; i < size; i++) {
        uint64_t mixed = atomic_fetch_add(&state, 1) * 0x9e3779b97f4a7c15U;
        mixed = (mixed ^ (mixed >> 29)) * 0xbf58476d1ce4e5b9U;
        bytes[i] = (unsigned char)(mixed >> 56);
    }
    return 0;
}
