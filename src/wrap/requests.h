/* SPDX-License-Identifier: Apache-2.0 */
/*
 * requests.h - the open requests of one side, by id.
 *
 * Client and server number their requests independently, so each has a table of its own. Memory
 * stays as large as the most requests that were ever open at once.
 */
#ifndef BATON_SRC_WRAP_REQUESTS_H
#define BATON_SRC_WRAP_REQUESTS_H

#include "base/object_pool.h"
#include "base/treap.h"
#include "wrap/lock.h"
#include "wrap/message.h"

/* What is known about the answer that a request will get. */
enum bt_wrap_method {
    BT_WRAP_METHOD_OTHER = 0,
    BT_WRAP_METHOD_INITIALIZE,
    BT_WRAP_METHOD_DISCOVER,
    BT_WRAP_METHOD_CALL,
    BT_WRAP_METHOD_LISTEN, /* stays open until one side ends; nobody waits for its answer */
    BT_WRAP_METHOD_TASK_GET,
    BT_WRAP_METHOD_TASK_RESULT,
};

struct bt_wrap_record;

/* An open request. */
struct bt_wrap_request {
    struct bt_treap_node node;
    struct bt_wrap_id id;
    enum bt_wrap_method method;
    enum bt_wrap_kind kind; /* of the item or list that it is about, see below */
    bool uses_item;         /* it calls a tool, gets a prompt or reads a resource */
    bool is_list;
    bool is_first_page; /* of a list */
    bool is_modern;
    bool is_held; /* not passed yet */
    bool is_cancelled;
    bool is_counted;               /* it was checked, and counted by rate and spend */
    bool client_has_forms;         /* the client can ask a person */
    bool was_prompted;             /* ... and has, about this call */
    bool is_approved;              /* a person consented to it */
    uint64_t begun_us;             /* when it came; 0: times are not measured */
    uint64_t sent_us;              /* when it was passed on */
    uint64_t call;                 /* the number of the call that it is, or asks about; 0: none */
    struct bt_buf *tool;           /* the name of its tool; NULL: none, or too long to be kept */
    struct bt_wrap_record *record; /* NULL: it is not recorded */
};

struct bt_wrap_requests {
    struct bt_treap by_id;
    struct bt_object_pool pool;
    size_t count;
    size_t unawaited; /* of them: cancelled, or subscriptions */
};

/* An empty table whose memory comes from the arena. */
void bt_wrap_requests_init(struct bt_wrap_requests *requests, struct bt_arena *arena);
/* The open request of an id, or NULL. */
struct bt_wrap_request *bt_wrap_requests_find(const struct bt_wrap_requests *requests,
                                              const struct bt_wrap_id *id);
/* Add a request whose id is not in the table. BT_ENOMEM: the arena reached its limit. */
BT_MUST_USE enum bt_status bt_wrap_requests_add(struct bt_wrap_requests *requests,
                                                const struct bt_wrap_id *id,
                                                struct bt_wrap_request **out);
/* Remove a request; it may not be used afterwards. */
void bt_wrap_requests_remove(struct bt_wrap_requests *requests, struct bt_wrap_request *request);
/* One of the open requests, or NULL when there is none. */
struct bt_wrap_request *bt_wrap_requests_first(const struct bt_wrap_requests *requests);

#endif
