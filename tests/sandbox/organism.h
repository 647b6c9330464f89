/* SPDX-License-Identifier: Apache-2.0 */
/*
 * organism.h - a folder with handlers in it, and the world in which their hosts are started.
 */
#ifndef BATON_TESTS_SANDBOX_ORGANISM_H
#define BATON_TESTS_SANDBOX_ORGANISM_H

#include "test.h"

#include "sandbox/handler_probe.h"
#include "sandbox/host_pool.h"

struct organism {
    struct bt_arena arena;
    char folder[64]; /* of the test: root/ and work/ are below */
    char root[80];
    char work[80];
    struct bt_host_python python;
    struct bt_host_launch_context world;
    struct bt_host_pool *hosts;
};

/* Make an empty organism and find out what this machine has. */
void organism_open(struct organism *organism);
void organism_close(struct organism *organism);
/* Write a file below the root; folders in its path are made. */
void organism_write(struct organism *organism, const char *path, const char *text);
/* Copy a file that is executable when `path` is. */
void organism_copy(struct organism *organism, const char *from, const char *to);

/* A listener with the usual limits. */
struct bt_host_spec python_spec(const char *handler, const char *payload_class);
struct bt_host_spec command_spec(const bt_str *words, size_t count);

/* Probe handlers, waiting until all results are known. */
enum bt_status organism_probe(struct organism *organism, const struct bt_handler_probe *load,
                              struct bt_handler_probe_result *out, struct bt_error *error);

/* Add a host, wait for its HELLO, say READY. */
bt_host_id organism_start(struct organism *organism, const struct bt_host_spec *spec,
                          uint32_t in_flight_max);
/* Wait for the next event of a host other than LOG; fails the test after 20 s. */
struct bt_host_event organism_event(struct organism *organism, bt_host_id id);
/* Make a call; the payload is XML. */
void organism_call(struct organism *organism, bt_host_id id, uint64_t call, const char *payload);
/* Call and expect a RESULT, whose text is put to `out`, NUL-terminated. */
void organism_ask(struct organism *organism, bt_host_id id, const char *payload, char *out,
                  size_t size);

/* Payloads of handlers/many.py. */
#define DO(what) "<do.do><what>" what "</what><truth>1</truth></do.do>"
#define DO_N(what, n) "<do.do><what>" what "</what><number>" n "</number><truth> 0 </truth></do.do>"

/* An organism with a host of handlers/many.py or handlers/raw.py. */
bt_host_id start_many(struct organism *organism, const char *function);
bt_host_id start_raw(struct organism *organism, const char *mode, bool exec);

#endif
