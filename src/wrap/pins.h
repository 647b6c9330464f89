/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pins.h - what a server shows in a session, beside its entry of the lock if it has one: which
 * items are hidden, and the definitions of tools.
 *
 * What is hidden stays hidden until the end of the session.
 */
#ifndef BATON_SRC_WRAP_PINS_H
#define BATON_SRC_WRAP_PINS_H

#include "base/map.h"
#include "wrap/first_use.h"
#include "wrap/lock.h"
#include "wrap/policy.h"
#include "wrap/record.h"
#include "wrap/texts.h"

struct bt_wrap_session;
struct bt_wrap_message;
struct bt_wrap_request;

/* Why an item is hidden. In the order of the words of WRAP_TOOL_HIDDEN. */
enum bt_wrap_hidden {
    BT_WRAP_VISIBLE = 0,
    BT_WRAP_HIDDEN_CHANGED,
    BT_WRAP_HIDDEN_ADDED,
    BT_WRAP_HIDDEN_DUPLICATE,
    BT_WRAP_HIDDEN_TEXTS,
};

/* Who walks through a list: the client, or we for a call that waits. */
enum bt_wrap_walker { BT_WRAP_WALKER_CLIENT = 0, BT_WRAP_WALKER_OWN, BT_WRAP_WALKERS };

/* An item that the server has shown. */
struct bt_wrap_known {
    enum bt_wrap_hidden hidden;
    char sha256[BT_SHA256_HEX_BYTES];
    uint64_t walks[BT_WRAP_WALKERS]; /* the last walk of each that met it */
    struct bt_buf *definition;       /* of a tool that the lock does not have; NULL: not kept */
};

enum bt_wrap_listing { BT_WRAP_UNLISTED = 0, BT_WRAP_LISTING, BT_WRAP_LISTED, BT_WRAP_LIST_FAILED };

/* The items of one kind. */
struct bt_wrap_catalogue {
    struct bt_map known;             /* key -> struct bt_wrap_known */
    uint64_t walks[BT_WRAP_WALKERS]; /* the present walk of each; 0: none */
    bool removed_are_reported;
    bool form_is_reported;        /* a list was not one */
    enum bt_wrap_listing listing; /* by us */
    unsigned failure;             /* the reason of a listing that failed */
    bool failure_is_reported;
    uint64_t request; /* the number of our open request */
    uint64_t pages;
    struct bt_wrap_part list_params; /* of that request, for the record */
    struct bt_buf *unchanged; /* the last list, if it was one page without hidden items; or NULL */
    uint64_t deadline_ms;
};

struct bt_wrap_pins {
    struct bt_wrap_catalogue kinds[BT_WRAP_KINDS];
    uint64_t walks;          /* so far */
    uint64_t requests;       /* that we made so far */
    struct bt_buf *metadata; /* of the modern request that our requests are made for; NULL: none */
    bool is_initialized;     /* the client has sent notifications/initialized */
    bool version_is_known;   /* the first answer that names it has come */
    bool must_block;         /* a definition is not the pinned one, and the policy is to block */
    size_t definition_bytes; /* of all definitions that are kept */
    bool texts_have_hidden;  /* an item of the list that is being compared, or instructions */
    bool texts_are_ready;    /* the next two are made when they are first needed */
    struct bt_wrap_texts texts;
    struct bt_wrap_other_tools others;
    struct bt_wrap_first_use first_use;
};

void bt_wrap_pins_init(struct bt_wrap_session *session);
void bt_wrap_pins_free(struct bt_wrap_session *session);

/* Add what is known before the first message: another command, or no entry. */
BT_MUST_USE enum bt_status bt_wrap_pins_begin(struct bt_wrap_session *session);

/* What the server has shown under a key, or NULL. */
const struct bt_wrap_known *bt_wrap_pins_find(const struct bt_wrap_session *session,
                                              enum bt_wrap_kind kind, bt_str key);

/* A page of a list. */
struct bt_wrap_page {
    enum bt_wrap_kind kind;
    enum bt_wrap_walker walker;
    bool is_first;
};

/*
 * Compare the items of a list result. *out_hidden has one flag for each, in the arena of the
 * message; NULL: none is hidden.
 */
BT_MUST_USE enum bt_status bt_wrap_pins_compare(struct bt_wrap_session *session,
                                                const struct bt_wrap_message *message,
                                                const struct bt_wrap_page *page,
                                                const bool **out_hidden);
/* Pass the answer to a list request of the client on, without what is hidden. */
BT_MUST_USE enum bt_status bt_wrap_pins_pass_list(struct bt_wrap_session *session,
                                                  const struct bt_wrap_message *message,
                                                  const struct bt_wrap_request *request,
                                                  bt_str line);
/* Pass the answer to initialize or server/discover on, without instructions that are hidden. */
BT_MUST_USE enum bt_status bt_wrap_pins_pass_identity(struct bt_wrap_session *session,
                                                      const struct bt_wrap_message *message,
                                                      const struct bt_wrap_request *request,
                                                      bt_str line);

/* How many tools are hidden. */
size_t bt_wrap_pins_hidden_count(const struct bt_wrap_session *session);
/* Names of the tools that are hidden, sorted, in the arena of the session. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_pins_hidden_tools(struct bt_wrap_session *session,
                                                     struct bt_str_list *out);

#endif
