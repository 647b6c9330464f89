/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handler.h - handlers of the pump in C: the functions they implement, and the host that runs them.
 *
 * A handler is a shared object with the three functions below, named in the organism as `handler:
 * libs/libfoo.so` and run by `baton handler-host libs/libfoo.so` in a sandboxed process. It needs
 * this header and no library:
 *
 *     int baton_handler_init(uint32_t abi, const char *ready_json, void **state)
 *     {
 *         (void)ready_json;
 *         *state = NULL;
 *         return abi == BATON_HANDLER_ABI ? 0 : 1;
 *     }
 *
 *     void baton_handler_call(void *state, const baton_call *call, baton_done_fn done, void *token)
 *     {
 *         (void)state;
 *         done(token, 0, "<result>ok</result>", 19);
 *     }
 *
 * A program that implements the protocol itself (`command:`) may use bt_handler_serve() with its
 * own functions instead; it links libbaton.
 *
 * Threads: the host calls the functions of a handler from one thread, one call at a time. A call
 * may be answered from any thread. Several threads may run bt_handler_serve(), each with a channel
 * of its own.
 */
#ifndef BATON_HANDLER_H
#define BATON_HANDLER_H

#include <baton/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Functions of a handler ------------------------------------------------------------------ */

/* The version of these functions, which baton_handler_init() gets. It counts by itself. */
#define BATON_HANDLER_ABI 1u

/*
 * One call. The strings and the payload end in a NUL byte; everything is valid until `done` is
 * called.
 */
typedef struct {
    const char *thread_id;
    const char *own_name; /* NULL unless the listener is an agent */
    const char *payload;  /* canonical XML */
    size_t payload_len;
    uint64_t call_id; /* equal when a call is repeated after a crash */
} baton_call;

BT_SIZE_IS(baton_call, 40, 24);

/*
 * Answer a call: before or after baton_handler_call() returns, from any thread, exactly once; a
 * second answer ends the host. `bytes` are copied before it returns. With `failed` the handler
 * failed, and `bytes`, if any, are text for the operator's log. NULL bytes mean that there is no
 * answer.
 */
typedef void (*baton_done_fn)(void *token, int failed, const void *bytes, size_t len);

/*
 * Initialise the handler. `ready_json` is the READY object of the pump, with `config`. Return 0
 * when ready.
 */
int baton_handler_init(uint32_t abi, const char *ready_json, void **state);
/* Handle a call and return promptly, because the next call waits. */
void baton_handler_call(void *state, const baton_call *call, baton_done_fn done, void *token);
/* The result of a call is no longer wanted; the call must still be answered. Optional. */
void baton_handler_cancel(void *state, uint64_t call_id);

/* ---- Host ------------------------------------------------------------------------------------ */

/*
 * The functions of a handler, from a shared object or from the program itself; `cancel` may be
 * NULL.
 */
struct bt_handler {
    int (*init)(uint32_t abi, const char *ready_json, void **state);
    void (*call)(void *state, const baton_call *call, baton_done_fn done, void *token);
    void (*cancel)(void *state, uint64_t call_id);
};

BT_SIZE_IS(struct bt_handler, 24, 12);

/*
 * Load the shared object at `path`; it stays loaded. BT_ENOENT: no such file, or it cannot be
 * loaded. BT_EINVAL: a required function is missing. `error` says why.
 */
BT_API BT_MUST_USE enum bt_status bt_handler_load(bt_str path, struct bt_handler *out,
                                                  struct bt_error *error);

/* The descriptors for frames, often one descriptor for both. They must be blocking. */
struct bt_handler_channel {
    int in_fd;
    int out_fd;
};

BT_SIZE_IS(struct bt_handler_channel, 8, 8);

/*
 * Send HELLO, wait for READY, then serve calls until the pump closes the channel. BT_EINVAL: `init`
 * did not return 0. BT_ECORRUPT: the pump broke the protocol. BT_EIO: reading or writing failed.
 * BT_ENOMEM: no memory.
 */
BT_API BT_MUST_USE enum bt_status bt_handler_serve(const struct bt_handler *handler,
                                                   const struct bt_handler_channel *channel,
                                                   struct bt_error *error);

#ifdef __cplusplus
}
#endif

#endif
