/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - the record of a request: what was asked and what was answered, by digests, and as much
 * of the content as the operator wants kept.
 *
 *     struct bt_wrap_record *record = NULL;
 *     status = bt_wrap_record_create(&begin, &record);
 *     status = bt_wrap_record_set_request(record, document, params);
 *     ...
 *     status = bt_wrap_record_set_answer(record, document, result, error);
 *     status = bt_wrap_record_write(record, limit, &text);
 *
 * Digests are of what was sent; in what is kept credentials are replaced by ***. A record has an
 * arena of its own, because it lives until it is durable, which may be after its request is gone.
 */
#ifndef BATON_SRC_WRAP_RECORD_H
#define BATON_SRC_WRAP_RECORD_H

#include <baton/json.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/str.h"
#include "base/vec.h"
#include "report/report.h"
#include "wrap/policy.h"

/* How a request ended. The words of refs.event, in this order. */
enum bt_wrap_event {
    BT_WRAP_EVENT_NONE = 0,
    BT_WRAP_EVENT_RETURNED,
    BT_WRAP_EVENT_FAILED, /* the tool says so, or an error */
    BT_WRAP_EVENT_REFUSED,
    BT_WRAP_EVENT_WITHHELD,
    BT_WRAP_EVENT_CANCELLED, /* and never answered, or never sent */
    BT_WRAP_EVENT_LOST,      /* the server ended */
    BT_WRAP_EVENT_REPLAYED,
    BT_WRAP_EVENT_CHANGED, /* a list with definitions that were not reviewed */
    BT_WRAP_EVENT_GAP,     /* requests that could not be recorded */
    BT_WRAP_EVENTS,
};

/* The word of an event; "" for none. */
bt_str bt_wrap_event_name(enum bt_wrap_event event);
/* The event of a word; NONE: there is none. */
enum bt_wrap_event bt_wrap_event_find(bt_str name);

/* A value by its canonical text. */
struct bt_wrap_part {
    bool is_exact;                    /* that text is its exact canonical form */
    char sha256[BT_SHA256_HEX_BYTES]; /* "": there is no such value */
    uint64_t size;
};

/* What can be kept of a request, in the order in which it is given up when it is too large. */
enum bt_wrap_kept { BT_WRAP_KEPT_RESULT = 0, BT_WRAP_KEPT_ERROR, BT_WRAP_KEPT_ARGUMENTS };
enum { BT_WRAP_KEPT_PARTS = 3 };

/* Who asked what of whom. Absent texts are "". */
struct bt_wrap_record_subject {
    bt_str server;
    bt_str session;
    bt_str method;
    bt_str name;       /* of the tool, the prompt or the resource */
    bt_str class_name; /* of the tool; "": null */
    bt_str source;     /* who called */
    bt_str trace_id;
    uint64_t n; /* the number of the call in its session; 0: it is not a call */
    bool is_modern;
};

/* Digests and names that an entry refers to. Absent texts are "". */
struct bt_wrap_record_refs {
    bt_str manifest; /* the definition of the tool */
    bt_str lock;
    bt_str policy;
    bt_str approval;
    bt_str fingerprint;
    bt_str key_sha256;
    bt_str task;
    uint64_t parent; /* an entry; UINT64_MAX: none */
};

/* What the policy says about one record. */
struct bt_wrap_record_policy {
    enum bt_wrap_recording keeps;
    bool waits;     /* the answer waits until the record is durable */
    bool is_closed; /* while the store fails, such requests are refused */
    bool needs_approval;
    bool is_idempotent;
};

/* The key of a call that may be repeated. */
struct bt_wrap_record_key {
    struct bt_wrap_record *next; /* of those whose fate is open, in a session */
    bool is_open;                /* it is one of them */
    bool is_given;               /* by the client; else it stands for the content */
    bool is_lost;                /* the client no longer waits for the answer */
    bool is_freed;               /* the call was not executed */
    bt_str text;                 /* "": it has none, or its row stays as it is */
    bt_str path;
    bt_str digest; /* of the call, 32 bytes */
    uint64_t status;
    bt_str body; /* of the answer; its pointer is NULL when it is too large */
};

/* What a result takes of a model's context. */
struct bt_wrap_record_tokens {
    bool is_known;
    uint64_t text;
    uint64_t structured;
};

struct bt_wrap_record {
    struct bt_arena arena; /* holds the record itself, too */
    struct bt_wrap_record_policy policy;
    struct bt_wrap_record_subject subject;
    struct bt_wrap_record_refs refs;
    enum bt_wrap_event event;
    bt_instant started;
    uint64_t ms;      /* until it ended */
    uint64_t missing; /* of a gap */
    uint64_t cost;
    struct bt_wrap_record_tokens tokens;
    struct bt_wrap_record_key key;
    struct bt_wrap_part request;
    struct bt_wrap_part response;
    struct bt_wrap_part delivered; /* when it is not the response */
    struct bt_findings *findings;
    bt_str kept[BT_WRAP_KEPT_PARTS]; /* JSON texts; "": not kept */
    bool is_left_out[BT_WRAP_KEPT_PARTS];
    BT_VEC(bt_str) redacted; /* pointers */
    char salt[33];
};

/*
 * Begin a record; the texts of `subject` are copied. It must be destroyed. BT_ENOMEM; BT_EIO: the
 * system provided no randomness.
 */
BT_MUST_USE enum bt_status bt_wrap_record_create(const struct bt_env *env,
                                                 const struct bt_wrap_record_subject *subject,
                                                 struct bt_wrap_record **out);
/* NULL is allowed. */
void bt_wrap_record_destroy(struct bt_wrap_record *record);

/* Copy a text into the record. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_record_set(struct bt_wrap_record *record, bt_str *place,
                                              bt_str text);

/* Take the digest of `params` without its metadata; NULL counts as {}. BT_ENOMEM, BT_EIO. */
BT_MUST_USE enum bt_status bt_wrap_record_set_request(struct bt_wrap_record *record,
                                                      const struct bt_json_doc *document,
                                                      const bt_json_value *params);
/* Take the digest of a value, without the metadata of an object, as one of the record's parts. */
BT_MUST_USE enum bt_status bt_wrap_record_set_part(struct bt_wrap_record *record,
                                                   struct bt_wrap_part *part,
                                                   const struct bt_json_doc *document,
                                                   const bt_json_value *value);
/* The part of a value, without the metadata of an object; the arena is working memory. */
BT_MUST_USE enum bt_status bt_wrap_part_of(struct bt_arena *arena,
                                           const struct bt_json_doc *document,
                                           const bt_json_value *value, struct bt_wrap_part *part);
/* Take the digest of a text of our own, which is a canonical form. */
BT_MUST_USE enum bt_status bt_wrap_part_set_text(struct bt_wrap_part *part, bt_str canonical);

/*
 * Keep a value, in which credentials are masked. A value with a credential in the name of a member
 * is left out. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_record_keep(struct bt_wrap_record *record,
                                               enum bt_wrap_kept what,
                                               const struct bt_json_doc *document,
                                               const bt_json_value *value);
/* Copy findings into the record. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_record_add_findings(struct bt_wrap_record *record,
                                                       const struct bt_findings *findings);

/*
 * Write the document of the record, in its arena. When it would be longer than `limit`, the result,
 * then the error, then the arguments are left out. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_record_write(struct bt_wrap_record *record, uint64_t limit,
                                                bt_str *out);

#endif
