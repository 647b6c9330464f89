/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handler_probe.h - look at handlers without running a pump: start each host in its sandbox, hear
 * its HELLO, say BYE. This is the group "load" of `pump check`, and what a pump needs before it
 * says READY.
 *
 *     struct bt_sandbox_support use;
 *     bt_sandbox_detect_support(&use);                             // clear what --without names
 *     struct bt_host_python python;
 *     bt_host_python_query_run(&arena, &question, &python, &error) // when a listener needs Python
 *     const struct bt_host_launch_context context = {.root = ..., .root_fd = ..., .use = use, ...};
 *     struct bt_handler_probe_result results[N];
 *     bt_handler_probe_run_open(&arena, &context, &load, results, &run, &error);
 *     until bt_handler_probe_run_is_done(run): bt_handler_probe_run_step(run, 1000, &error);
 *     bt_handler_probe_run_close(run);
 *     for each: results[i].problem, results[i].hello.payload.name, .fields ...
 */
#ifndef BATON_SRC_SANDBOX_HANDLER_PROBE_H
#define BATON_SRC_SANDBOX_HANDLER_PROBE_H

#include "sandbox/hello.h"
#include "sandbox/launch.h"

struct bt_handler_probe {
    const struct bt_host_spec *specs; /* one for each listener */
    size_t count;
    bt_str temporary; /* an absolute folder where work directories are made, and removed again */
};

/* The result for one handler. */
struct bt_handler_probe_result {
    bool loaded; /* `hello` describes it; hello.payload.name is empty when the host does not say */
    /* Else: the problem that the host named, which decides the code of the finding (hello.h). For a
     * host that died, was silent for 10 s or broke the protocol it is BT_HELLO_IMPORT, that is
     * PUMP_HANDLER_LOAD. */
    enum bt_host_hello_error problem;
    bt_str reason;              /* for params.reason, one line; empty when loaded */
    struct bt_host_hello hello; /* in the arena */
    bt_str printed;             /* the first 4096 bytes of what it printed, for the operator */
};

/* Make the work directory of a host in a private folder, for the account that hosts run as. */
BT_MUST_USE enum bt_status bt_handler_make_work(struct bt_arena *arena,
                                                const struct bt_host_launch_context *context,
                                                bt_str folder, size_t number, bt_str *out,
                                                struct bt_error *error);

/* The probe of several handlers at a time; each has 10 s from its own start. */
struct bt_handler_probe_run;

/*
 * Begin. `out` has load->count entries. Everything that is passed must outlive it, also what `load`
 * points at; `load` itself is copied. Ended with bt_handler_probe_run_close(). A handler that
 * cannot be loaded is a result, not a failure. BT_EIO, BT_ENOMEM, here or from a step: nothing can
 * be said about any of them.
 */
BT_MUST_USE enum bt_status
bt_handler_probe_run_open(struct bt_arena *arena, const struct bt_host_launch_context *context,
                          const struct bt_handler_probe *load, struct bt_handler_probe_result *out,
                          struct bt_handler_probe_run **out_loading, struct bt_error *error);
/* Readable when the next step has work to do. */
int bt_handler_probe_run_fd(const struct bt_handler_probe_run *loading);
/* Continue, waiting up to wait_ms for events (0: do not wait). */
BT_MUST_USE enum bt_status bt_handler_probe_run_step(struct bt_handler_probe_run *loading,
                                                     uint32_t wait_ms, struct bt_error *error);
/* True when all results are known. */
bool bt_handler_probe_run_is_done(const struct bt_handler_probe_run *loading);
/* Kill whatever still runs. NULL is allowed. */
void bt_handler_probe_run_close(struct bt_handler_probe_run *loading);

#endif
