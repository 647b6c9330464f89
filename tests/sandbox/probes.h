/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probes.h - attempts to get out of a sandbox, each of which does no harm where it succeeds.
 *
 * The same functions run inside, in a handler, and outside, in a child of the test: a probe that
 * fails outside for no stated reason proves nothing.
 */
#ifndef BATON_TESTS_SANDBOX_PROBES_H
#define BATON_TESTS_SANDBOX_PROBES_H

#include <stddef.h>

/* What a probe aims at; set up by the test. */
struct probe_target {
    char root[128];    /* the organism's folder: organism.yaml, victim; readable: code/ */
    char work[128];    /* the host's own folder, which is also where it stands */
    int pid;           /* a process of the same user */
    int port;          /* of a TCP listener on the loopback interface */
    char abstract[64]; /* name of an abstract Unix socket that listens */
    char control[96];  /* path of a Unix socket that listens */
    char datagram[96]; /* path of a Unix datagram socket */
};

/* Whether it is an escape. */
enum probe_kind {
    PROBE_SUCCESS = 0, /* when it returns 0 */
    PROBE_REACH,       /* when it gets as far as to be told anything but "not permitted" */
};

struct probe {
    const char *name;
    /* 0, or an errno. */
    int (*attempt)(const struct probe_target *target);
    enum probe_kind kind;
    const char *excuse; /* why it may fail outside too; NULL: it may not */
};

/* The probe of this number, from 0; NULL after the last. */
const struct probe *probe_at(size_t number);

/* The parts of the table, by file. */
extern const struct probe probes_of_files[];
extern const size_t probes_of_files_count;
extern const struct probe probes_of_world[];
extern const size_t probes_of_world_count;
extern const struct probe probes_of_kernel[];
extern const size_t probes_of_kernel_count;
extern const struct probe probes_of_descriptors[];
extern const size_t probes_of_descriptors_count;

/* Whether a probe with this answer got out. */
int probe_escaped(const struct probe *probe, int answer);

#endif
