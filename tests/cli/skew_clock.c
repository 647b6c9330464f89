/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skew_clock.c - for LD_PRELOAD: the clock of a node that is BATON_SKEW seconds off.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int clock_fn(clockid_t, struct timespec *);

int clock_gettime(clockid_t clock, struct timespec *out)
{
    const char *skew = getenv("BATON_SKEW");
    void *symbol = dlsym(RTLD_NEXT, "clock_gettime");
    clock_fn *real = NULL;
    memcpy(&real, &symbol, sizeof(symbol)); /* C has no cast for it */
    const int code = real(clock, out);
    if (code == 0 && skew && clock == CLOCK_REALTIME) {
        out->tv_sec += (time_t)strtoimax(skew, NULL, 10);
    }
    return code;
}
