/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.h - one line of a conversation -> a JSON-RPC message, or the reason why it is none.
 *
 * Strict JSON, read once: what is judged is what is passed on. A message points into its line and
 * into the arena it was read in.
 */
#ifndef BATON_SRC_WRAP_MESSAGE_H
#define BATON_SRC_WRAP_MESSAGE_H

#include <baton/json.h>

#include "base/env.h"

enum { BT_WRAP_ID_BYTES_MAX = 256, BT_WRAP_METHOD_BYTES_MAX = 256 };

enum bt_wrap_message_kind {
    BT_WRAP_MESSAGE_NONE = 0, /* see `reason` */
    BT_WRAP_MESSAGE_REQUEST,
    BT_WRAP_MESSAGE_NOTIFICATION,
    BT_WRAP_MESSAGE_RESPONSE,
};

/* Why a line is not passed on. In the order of the words of the rules about messages. */
enum bt_wrap_reason {
    BT_WRAP_REASON_NONE = 0,
    BT_WRAP_REASON_SYNTAX,
    BT_WRAP_REASON_UTF8,
    BT_WRAP_REASON_DUPLICATE,
    BT_WRAP_REASON_LIMIT, /* too deep, or too many members */
    BT_WRAP_REASON_SIZE,
    BT_WRAP_REASON_BATCH,
    BT_WRAP_REASON_FORM,
    BT_WRAP_REASON_ID,
    BT_WRAP_REASON_ID_IN_USE,
    BT_WRAP_REASON_ID_RESERVED,
    BT_WRAP_REASON_UNMATCHED,
    BT_WRAP_REASON_NOISE, /* of the server: neither an object nor an array */
};

/* The id of a request: a text, or a number with an integer value. 1.0 and 1 are one id. */
struct bt_wrap_id {
    bool is_text;
    uint16_t size;  /* of the text */
    int64_t number; /* within 2^53-1 on both sides of zero */
    char text[BT_WRAP_ID_BYTES_MAX];
};

struct bt_wrap_message {
    enum bt_wrap_message_kind kind;
    enum bt_wrap_reason reason;         /* of a line that is not a message */
    const struct bt_json_doc *document; /* NULL: the line is not JSON */
    struct bt_wrap_id id;               /* of requests and responses */
    bt_str method;                      /* "" in responses */
    const bt_json_value *params;        /* NULL: absent */
    const bt_json_value *result;        /* of a response; NULL: it has an error */
    const bt_json_value *error;
};

/*
 * Read a line of at most `bytes_max` bytes. Everything is in the arena; `env` has the limits and
 * the seed. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_wrap_message_read(struct bt_arena *arena, const struct bt_env *env,
                                                bt_str line, uint64_t bytes_max,
                                                struct bt_wrap_message *out);

/* Read the id in a value. False: ids are not like this. */
BT_MUST_USE bool bt_wrap_id_read(const struct bt_json_doc *document, const bt_json_value *value,
                                 struct bt_wrap_id *out);
/* Put the id as JSON. */
void bt_wrap_id_put(struct bt_buf *buf, const struct bt_wrap_id *id);
bool bt_wrap_ids_equal(const struct bt_wrap_id *a, const struct bt_wrap_id *b);
/* True for ids that only Baton gives to its own requests. */
bool bt_wrap_id_is_reserved(const struct bt_wrap_id *id);

/*
 * Find the ids that the members "id" of the root object give in a text that is not a usable
 * message, as far as it can be read: at most `max` of them, different or not. Returns their number.
 */
size_t bt_wrap_ids_scan(struct bt_arena *arena, const struct bt_env *env, bt_str line,
                        struct bt_wrap_id *out, size_t max);

/* The text that a reason has in findings and answers. */
bt_str bt_wrap_reason_text(enum bt_wrap_reason reason);

#endif
