/* SPDX-License-Identifier: Apache-2.0 */
/* verify.h - a verification in progress, over a store or over a tree of files. */
#ifndef BATON_SRC_LEDGER_VERIFY_H
#define BATON_SRC_LEDGER_VERIFY_H

#include "json/emit.h"
#include "ledger/counts.h"
#include "ledger/ledger_internal.h"
#include "ledger/tile.h"

/* 256 positions of the log, or as many as its size has there: what is known of each. */
struct bt_verify_span {
    uint64_t first;
    uint32_t width;
    bool has_entry[BT_TILE_WIDTH];
    bool has_hash[BT_TILE_WIDTH];
    bt_str entries[BT_TILE_WIDTH];
    struct bt_merkle_hash hashes[BT_TILE_WIDTH];
};

/* A root that was signed at a size; it is compared when the pass reaches that size. */
struct bt_verify_known_root {
    uint64_t size;
    struct bt_merkle_hash root;
    struct bt_merkle_hash computed; /* from the entries, once the pass has reached the size */
    bt_str pointer;
    bt_str path;
    const char *result; /* the outcome */
};

/* Where entries and hashes are read from; each thread has its own. */
struct bt_verify_input {
    struct bt_arena *work;
    struct bt_store *store;    /* NULL ... */
    const struct bt_dir *root; /* ... for a tree, and vice versa */
    struct bt_error *error;
};

struct bt_verify;

/* The source of the data. Each source adds its own findings about what is missing. */
struct bt_verify_source {
    /* Open another input, for another thread or for a scan of the whole log. It may fail. */
    enum bt_status (*open_input)(const struct bt_verify *verify, struct bt_verify_input *out);
    void (*close_input)(struct bt_verify_input *input);
    /* Give each of the 256 entries from `first` on that is there, with its leaf if that is there,
     * until one is refused. */
    enum bt_status (*read)(const struct bt_verify_input *input, uint64_t first,
                           bt_store_entry_fn *take, void *context);
    /* Fill in the entries and leaf hashes that exist, and add findings about those that do not;
     * first and width are set. */
    enum bt_status (*stretch)(struct bt_verify *verify, struct bt_verify_span *out);
    /* Fill in the hashes of a tile of level 1 or above; first and width are set. */
    enum bt_status (*tile)(struct bt_verify *verify, struct bt_tile tile,
                           struct bt_verify_span *out);
    /* Prepare the checkpoints of sizes above `first`, up to `end`, for the next call ... */
    enum bt_status (*collect)(struct bt_verify *verify, uint64_t first, uint64_t end);
    /* ... which compares those of the size that the pass has reached. */
    enum bt_status (*checkpoints)(struct bt_verify *verify);
    /* Check whether this root was signed at this size, as far as the source knows. */
    enum bt_status (*is_signed)(struct bt_verify *verify, const struct bt_verify_known_root *probe,
                                bool *out_is);
    /* Check what remains after the pass: entries beyond the signed size. */
    enum bt_status (*tail)(struct bt_verify *verify);
    enum bt_status (*documents)(struct bt_verify *verify);
    enum bt_status (*witnesses)(struct bt_verify *verify);
};

enum { BT_VERIFY_FINDINGS_PER_CODE = 100 };

/* Where the trusted keys came from: the caller, the file beside the store, or the store itself. */
enum bt_verify_key_source { BT_VERIFY_KEY_ARGUMENT, BT_VERIFY_KEY_FILE, BT_VERIFY_KEY_STORE };

/* One level of the tree above the leaves, partly filled. */
struct bt_verify_level {
    uint64_t first;
    uint32_t count;
    bool is_sound[BT_TILE_WIDTH];
    struct bt_merkle_hash hashes[BT_TILE_WIDTH];
};

/* The checkpoint rows of a store, for the current span. */
struct bt_verify_rows {
    struct bt_store_checkpoint *items;
    size_t count;
    size_t next;
};

/* The roots of the head file and of --against, sorted by size. */
struct bt_verify_known_roots {
    struct bt_verify_known_root *items;
    size_t count;
    size_t next;
};

/* The position of the pass over the log. */
struct bt_verify_pass {
    struct bt_merkle_tree tree;
    bool has_bad_leaf;
    uint64_t last_bad_leaf;
    struct bt_verify_level levels[BT_TILE_LEVELS];
    char latest_time[BT_ENTRY_TIME_BYTES + 1]; /* "" before the first entry */
    struct bt_ledger_recount recount;
    bool has_gap; /* an entry is missing or altered, so that counts prove nothing after it */
};

/* What is reported besides findings. */
struct bt_verify_result {
    uint64_t entries_checked;
    uint64_t checkpoints_checked;
    uint64_t documents_checked;
    enum bt_verify_key_source key_source;
    bool has_witnessed;
    bt_str policy_facts; /* JSON object; "" without a policy */
    uint64_t witnessed;  /* the size that enough witnesses have cosigned */
};

/* What this node remembers of the log. ptr NULL: nothing. */
struct bt_verify_memories {
    bool are_used;
    bt_str head; /* the head file ... */
    bt_str seen; /* ... and the state file */
};

struct bt_verify {
    struct bt_arena *arena;
    struct bt_arena work; /* reset for each span */
    const struct bt_ledger_verify_options *options;
    const struct bt_vkey_list *keys;
    const struct bt_verify_source *source;
    struct bt_findings *findings; /* at most BT_VERIFY_FINDINGS_PER_CODE of each */
    struct bt_error *error;
    struct bt_verify_input input; /* of the pass */
    struct bt_ledger *ledger;     /* NULL for a tree */
    struct bt_verify_rows rows;
    struct bt_checkpoint newest;
    struct bt_verify_pass pass;
    struct bt_verify_known_roots probes;
    struct bt_verify_memories memories;

    bool is_trusted;       /* the newest checkpoint can be trusted */
    bool is_stopped;       /* too much is missing */
    bool is_read;          /* options->reader has got to its end */
    bool wants_digests;    /* the source checks documents */
    struct bt_buf digests; /* of documents that entries name as stored, 32 bytes each */
    struct bt_verify_result result;
};

/* What reads the entries of a log while it is verified. */
struct bt_verify_reader {
    void *context;
    /* The newest checkpoint can be trusted; the entries follow. */
    enum bt_status (*begin)(struct bt_verify *verify, void *context);
    /* An entry that no rule refuses, in the order of the log. */
    enum bt_status (*entry)(void *context, uint64_t seq, const struct bt_entry *entry);
    /* Nothing that blocks was found; more findings may be added. */
    enum bt_status (*end)(struct bt_verify *verify, void *context);
    /* Put members of the facts; after `end`. */
    void (*facts)(void *context, struct bt_emit *emit);
};

/* True when the leaves are statements of others, and not entries: a store says so, and of files the
 * caller. */
static inline bool bt_verify_has_statements(const struct bt_verify *verify)
{
    return verify->ledger ? bt_ledger_has_statements(verify->ledger)
                          : verify->options->are_statements;
}

/* LEDGER_INCOMPLETE. `expected` is 0 for a bundle that is missing. */
BT_MUST_USE enum bt_status bt_verify_add_missing_finding(struct bt_verify *verify,
                                                         struct bt_location at, bt_str path,
                                                         uint64_t expected, uint64_t actual);
/* By how many milliseconds a time is before the latest one, if that is too many; 0 otherwise. */
uint64_t bt_verify_regression_ms(bt_str time, bt_str latest);
/* The root at the position of the pass. */
bool bt_verify_root(const struct bt_verify *verify, struct bt_merkle_hash *out);
/* Run all steps after the newest checkpoint, which is `note`. */
BT_MUST_USE enum bt_status bt_verify_run(struct bt_verify *verify, bt_str note, bt_str path,
                                         struct bt_judgement *out);
/* Compare a signed root with the computed one of the same size. */
BT_MUST_USE enum bt_status bt_verify_compare(struct bt_verify *verify,
                                             const struct bt_merkle_hash *root,
                                             struct bt_location at);
/* The digests that were collected, sorted, without duplicates. */
size_t bt_verify_digests(struct bt_verify *verify, const struct bt_merkle_hash **out);
/* Check the bytes that are stored for a digest. */
BT_MUST_USE enum bt_status bt_verify_document(struct bt_verify *verify, bt_str digest, bt_str bytes,
                                              uint64_t size);

#endif
