/* SPDX-License-Identifier: Apache-2.0 */
/* audit_state.h - an audit while the entries are read, for its files. */
#ifndef BATON_SRC_LEDGER_AUDIT_STATE_H
#define BATON_SRC_LEDGER_AUDIT_STATE_H

#include "base/map.h"
#include "ledger/audit.h"
#include "ledger/verify.h"

/* What an entry is and what became of its promises: one byte for each entry. */
enum bt_audit_mark {
    BT_AUDIT_ACCEPTED = 1,   /* an accepted handoff */
    BT_AUDIT_VERSION_2 = 2,  /* of entries of version 2 */
    BT_AUDIT_INBOX = 4,      /* promises hSEQ ... */
    BT_AUDIT_WEBHOOK = 8,    /* ... and wSEQ */
    BT_AUDIT_INBOX_END = 16, /* the lowest bit of an enum bt_audit_end */
    BT_AUDIT_WEBHOOK_END = 64,
};

enum bt_audit_end {
    BT_AUDIT_OPEN = 0,
    BT_AUDIT_DELIVERED,
    BT_AUDIT_DEAD,
    BT_AUDIT_CANCELLED,
};

/* A promised delivery. */
struct bt_audit_promise {
    uint64_t seq;
    bool is_webhook;
    bool is_in_range;
    char since[BT_ENTRY_TIME_BYTES + 1];
};

/* An approval, as far as the entries tell. */
struct bt_audit_approval {
    bt_str fingerprint; /* that was approved; "" before */
    bool is_ended;      /* revoked or expired since */
    bool has_grant;     /* of the store */
    uint64_t uses;      /* that were granted */
    uint64_t used;
};

/* A witness saw this size at this time; `bound` is the earliest time of this and larger sizes. */
struct bt_audit_sighting {
    uint64_t size;
    int64_t time;
    int64_t bound;
};

/* A time without entries. */
struct bt_audit_silence {
    struct bt_audit_silence *next;
    char from[BT_ENTRY_TIME_BYTES + 1];
    char to[BT_ENTRY_TIME_BYTES + 1];
    uint64_t seconds;
    bool is_attested;
};

/* What is counted, of entries in the range. */
struct bt_audit_counts {
    uint64_t entries;
    uint64_t handoffs;
    uint64_t refused;
    uint64_t ends[BT_AUDIT_CANCELLED + 1]; /* of promises */
    uint64_t failed_attempts;
    uint64_t approvals_used;
    uint64_t heartbeats;
};

/* The entry before. */
struct bt_audit_last {
    char time[BT_ENTRY_TIME_BYTES + 1]; /* "" before the first */
    bool is_stop;
    bool is_version_2;
    bool is_in_range;
};

/* The first and the last entry of the range. */
struct bt_audit_range {
    uint64_t first; /* BT_SEQ_ABSENT: no entry is in it */
    uint64_t last;
};

struct bt_audit_silences {
    struct bt_audit_silence *first;
    struct bt_audit_silence **end;
    size_t count;
};

struct bt_audit {
    const struct bt_ledger_audit_options *options;
    struct bt_arena *arena;
    struct bt_findings *findings; /* of the audit, until verification has succeeded */
    struct bt_buf marks;          /* of each entry: set of enum bt_audit_mark */
    struct bt_buf promises;       /* struct bt_audit_promise */
    struct bt_map approvals;      /* by id: struct bt_audit_approval */
    struct bt_map numbers;        /* by actor: its last number */
    struct bt_buf sightings;      /* struct bt_audit_sighting, by size */
    size_t next_sighting;
    struct bt_audit_last last;
    struct bt_audit_range range;
    bool has_xml;
    bool has_unpromised; /* an accepted handoff of version 1 */
    struct bt_audit_counts counts;
    struct bt_audit_silences silences;
};

/* True when the entry is in the range. */
bool bt_audit_has(const struct bt_audit *audit, uint64_t seq, bt_str time);
/* What became of a promise. */
enum bt_audit_end bt_audit_end_of(const struct bt_audit *audit, uint64_t seq, bool is_webhook);
/* Note a promise of an entry. */
BT_MUST_USE enum bt_status bt_audit_add_promise(struct bt_audit *audit,
                                                const struct bt_entry *entry, bool is_in_range,
                                                bool is_webhook);
/* The approval of this id; a new one when there is none. */
BT_MUST_USE enum bt_status bt_audit_find_approval(struct bt_audit *audit, bt_str id,
                                                  struct bt_audit_approval **out);
/* Before the entries: read grants and what witnesses saw. */
BT_MUST_USE enum bt_status bt_audit_begin_tables(struct bt_verify *verify, struct bt_audit *audit);
/* After them: compare the queue and the events of approvals with the entries. */
BT_MUST_USE enum bt_status bt_audit_compare_tables(struct bt_verify *verify,
                                                   struct bt_audit *audit);
/* Take the valid cosignatures of a checkpoint of this size. */
BT_MUST_USE enum bt_status bt_audit_take_sightings(struct bt_audit *audit,
                                                   const struct bt_checkpoint *checkpoint,
                                                   const struct bt_verifier_keys *witnesses);
/* Sort what was taken, and set each bound: an entry was there when any larger size was seen. */
void bt_audit_bound_sightings(struct bt_audit *audit);

#endif
