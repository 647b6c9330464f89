/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handler.h - handlers of the pump that are written in C: what they implement, and the host that
 * runs them.
 *
 * A handler is a shared object with the three functions below, named in the organism as
 * `handler: libs/libfoo.so` and run by `baton handler-host libs/libfoo.so` in a sandboxed process.
 * It needs this header and no library:
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
 * A program of one's own that speaks the protocol (`command:`) may use bt_handler_serve() with its
 * functions instead; it links libbaton.
 */
#ifndef BATON_HANDLER_H
#define BATON_HANDLER_H

#include <baton/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What a handler implements --------------------------------------------------------------- */

#define BATON_HANDLER_ABI 1u

/* One call. The strings end in a NUL byte, the payload too; all is valid until `done`. */
typedef struct {
    const char *thread_id;
    const char *own_name; /* NULL unless agent */
    const char *payload;  /* canonical XML */
    size_t payload_len;
    uint64_t call_id; /* the same when a call is repeated after a crash */
} baton_call;

/*
 * Answer a call: before or after baton_handler_call() returns, from any thread, exactly once; a
 * second time ends the host. `bytes` are copied before it returns. `failed` means that the handler
 * failed (`bytes`, if any, are then text for the operator's log); NULL bytes, that there is no
 * answer.
 */
typedef void (*baton_done_fn)(void *token, int failed, const void *bytes, size_t len);

/* Get ready; 0 = ready. `ready_json` is the READY object of the pump, with `config`. */
int baton_handler_init(uint32_t abi, const char *ready_json, void **state);
/* Take a call and return promptly: the next one waits. */
void baton_handler_call(void *state, const baton_call *call, baton_done_fn done, void *token);
/* A call is wanted no more; it must still be answered. This function may be left out. */
void baton_handler_cancel(void *state, uint64_t call_id);

/* ---- The host -------------------------------------------------------------------------------- */

/* The same three functions, wherever they come from; `cancel` may be NULL. */
struct bt_handler {
    int (*init)(uint32_t abi, const char *ready_json, void **state);
    void (*call)(void *state, const baton_call *call, baton_done_fn done, void *token);
    void (*cancel)(void *state, uint64_t call_id);
};

/*
 * Load the shared object at `path`. It stays loaded. BT_ENOENT: there is no such file, or it cannot
 * be loaded; BT_EINVAL: it lacks a function. `error` says more.
 */
BT_API BT_MUST_USE enum bt_status bt_handler_load(bt_str path, struct bt_handler *out,
                                                  struct bt_error *error);

/* Where frames come from and go to; often the same descriptor. Both must block. */
struct bt_handler_channel {
    int in_fd;
    int out_fd;
};

/*
 * Say HELLO, wait for READY, then serve calls until the pump leaves. BT_EINVAL: `init` did not
 * return 0. BT_ECORRUPT: the pump broke the protocol. BT_EIO, BT_ENOMEM: as always.
 */
BT_API BT_MUST_USE enum bt_status bt_handler_serve(const struct bt_handler *handler,
                                                   const struct bt_handler_channel *channel,
                                                   struct bt_error *error);

#ifdef __cplusplus
}
#endif

#endif
