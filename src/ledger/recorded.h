/* SPDX-License-Identifier: Apache-2.0 */
/* recorded.h - the handoffs of a log with their documents, to be judged again. */
#ifndef BATON_SRC_LEDGER_RECORDED_H
#define BATON_SRC_LEDGER_RECORDED_H

#include "ledger/ledger.h"
#include "ledger/sha256_pair.h"

/* Whether the bytes of a recorded document can be read. */
enum bt_recorded_document {
    BT_RECORDED_READ = 1,
    BT_RECORDED_NOT_KEPT,
    BT_RECORDED_REDACTED,
    BT_RECORDED_TRUNCATED,
};

/* What the entry of a handoff says, and its document. */
struct bt_recorded_handoff {
    uint64_t seq;
    bt_str dialect;
    bt_str handoff_id; /* "": it has none */
    bool is_rejected;
    const bt_str *codes; /* of the findings that rejected it, sorted */
    size_t code_count;
    bt_instant time; /* at which it was judged: refs.pinned, else the time of the entry */
    bool is_pinned;
    bt_str manifest; /* digests of the governed root that judged it, or "" */
    bt_str lock;
    bool is_attested; /* of governed documents only handoffs are, and answers are not */
    enum bt_recorded_document document;
    bt_str bytes; /* BT_RECORDED_READ */
};

/* Called for each handoff in the order of the log; it is valid until the call returns. A status
 * other than BT_OK ends the reading and is returned. */
typedef enum bt_status bt_recorded_fn(void *context, const struct bt_recorded_handoff *handoff);

struct bt_recorded_options {
    uint64_t first;              /* of the entries to read ... */
    uint64_t end;                /* ... and the one after the last; the log has all of them */
    struct bt_str_list dialects; /* only handoffs of these; none: all */
};

/* Working memory of one thread. */
struct bt_recorded_memory {
    struct bt_arena entries; /* emptied when a range was read */
    struct bt_arena work;    /* for the function that is called; emptied after each handoff */
    bool in_pairs;           /* this processor hashes two texts at once */
};

/* Make memory of which each part may take up to `limit` bytes from the system. */
void bt_recorded_memory_init(struct bt_recorded_memory *memory, size_t limit);
/* Free all of it. */
void bt_recorded_memory_free(struct bt_recorded_memory *memory);

/*
 * Read the handoffs of a range. Some documents are in memory at a time, and more than 256 KiB only
 * for a larger document.
 * BT_ECORRUPT: an entry does not hash to its leaf, or document bytes are missing or not those that
 * were recorded; `error` says which. Only bt_ledger_verify() checks the whole record.
 */
BT_MUST_USE enum bt_status bt_ledger_read_handoffs(struct bt_ledger *ledger,
                                                   struct bt_recorded_memory *memory,
                                                   const struct bt_recorded_options *options,
                                                   bt_recorded_fn *each, void *context,
                                                   struct bt_error *error);

#endif
