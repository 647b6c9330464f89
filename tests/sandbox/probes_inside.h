/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probes_inside.h - what the files with probes share: answers, paths, and how rows are written.
 */
#ifndef BATON_TESTS_SANDBOX_PROBES_INSIDE_H
#define BATON_TESTS_SANDBOX_PROBES_INSIDE_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "probes.h"

typedef const struct probe_target *target_of;

enum { PATH_BYTES = 256 };

static inline int answer(long result)
{
    return result < 0 ? errno : 0;
}

/* Close what was opened; an open descriptor is a success. */
static inline int opened(int fd)
{
    const int why = errno;
    if (fd >= 0) {
        (void)close(fd);
        return 0;
    }
    return why;
}

static inline const char *at_root(target_of t, const char *name, char out[PATH_BYTES])
{
    (void)snprintf(out, PATH_BYTES, "%s/%s", t->root, name);
    return out;
}

static inline const char *at_proc(target_of t, const char *name, char out[PATH_BYTES])
{
    (void)snprintf(out, PATH_BYTES, "/proc/%d/%s", t->pid, name);
    return out;
}

#define S(probe_)                                                                                  \
    {                                                                                              \
        .name = #probe_, .attempt = probe_, .kind = PROBE_SUCCESS                                  \
    }
#define R(probe_)                                                                                  \
    {                                                                                              \
        .name = #probe_, .attempt = probe_, .kind = PROBE_REACH                                    \
    }
#define S_BUT(probe_, why_)                                                                        \
    {                                                                                              \
        .name = #probe_, .attempt = probe_, .kind = PROBE_SUCCESS, .excuse = why_                  \
    }
#define R_BUT(probe_, why_)                                                                        \
    {                                                                                              \
        .name = #probe_, .attempt = probe_, .kind = PROBE_REACH, .excuse = why_                    \
    }
#define ROOT "only root may"
#define BUILT "the kernel may be built without it"

#endif
