/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry.h - one entry of the log: a decision as the text whose hash is a leaf.
 *
 * An entry is the RFC 8785 form of one JSON object, and every string in it matches a pattern of
 * plain ASCII. So it has exactly one spelling, and reading one is a linear scan of that spelling.
 */
#ifndef BATON_SRC_LEDGER_ENTRY_H
#define BATON_SRC_LEDGER_ENTRY_H

#include "base/env.h"

#include "ledger/ledger.h"

enum { BT_ENTRY_BYTES_MAX = 65535, BT_ENTRY_WORDS_MAX = 100, BT_ENTRY_VERSION_MAX = 2 };

#define BT_SEQ_MAX INT64_C(9007199254740991)
#define BT_SEQ_ABSENT UINT64_MAX

/* A boolean that may be absent. */
enum bt_entry_optional_bool { BT_ABSENT = 0, BT_FALSE, BT_TRUE };

/* refs.reason of a delivery that was dead and waits again; its event is "failed". */
#define BT_DELIVERY_RETRIED "retried"

struct bt_entry_words {
    size_t count;
    bt_str items[BT_ENTRY_WORDS_MAX];
};

/* Absent strings are empty, absent numbers BT_SEQ_ABSENT; an object whose members are all absent is
 * absent itself. See ledger-entry.json and ledger-entry-v2.json for what each may be. */
struct bt_entry {
    bt_str actor;
    struct {
        enum bt_entry_optional_bool boundaries_respected;
        enum bt_entry_optional_bool composition_valid;
        enum bt_entry_optional_bool source_agent_verified;
        enum bt_entry_optional_bool target_agent_verified;
    } attest;
    bt_str deliver[2]; /* version 2: the deliveries that are promised with this decision */
    bt_str dialect;
    struct bt_entry_document {
        enum bt_entry_optional_bool kept;
        bt_str sha256;
        uint64_t size;
        enum bt_entry_optional_bool truncated;
    } document;
    bt_str handoff_id;
    struct bt_entry_judge { /* version 2: the program that decided */
        bt_str rules;       /* SHA-256 of its rules */
        bt_str version;
    } judge;
    bt_str kind;
    struct bt_entry_counts { /* version 2: how many entries, with this one, have the same ... */
        uint64_t actor;
        uint64_t client; /* the number that the caller gave */
        uint64_t source;
        uint64_t trace;
    } n;
    struct bt_entry_refs {
        bt_str after;
        bt_str agent;
        bt_str approval;
        uint64_t attempts;
        bt_str before;
        bt_str context;
        bt_str event;
        bt_str fingerprint;
        bt_str grant;
        bt_str lock;
        bt_str manifest;
        bt_str message;
        bt_str new_key;
        bt_str old_key;
        uint64_t parent;
        bt_str pinned; /* the instant that judged it, when a person chose one */
        bt_str policy;
        bt_str reason;
        bt_str thread;
    } refs;
    uint64_t seq;
    bt_str source;
    bt_str target;
    bt_str time;
    bt_str trace_id;
    uint64_t v;
    bt_str verdict;
    struct bt_entry_words
        codes; /* the lists come last, because clearing them would cost more than reading */
    struct bt_entry_words withheld;
};

static inline bool bt_entry_version_is_known(uint64_t version)
{
    return version >= 1 && version <= BT_ENTRY_VERSION_MAX;
}

/* Set v to 1, and make everything else absent. */
void bt_entry_init(struct bt_entry *entry);
/* Copy like an assignment, but without the unused space of lists, which is most of an entry. */
void bt_entry_copy(struct bt_entry *to, const struct bt_entry *from);
/* Put the canonical text. */
void bt_entry_put(struct bt_buf *buf, const struct bt_entry *entry);

/* Scan the text: true when it is the canonical text of an entry that the schema accepts, and
 * then *out points into it. This checks the rules E1 and E0 at once, without memory. */
BT_MUST_USE bool bt_entry_read(bt_str text, struct bt_entry *out);

enum bt_entry_check_outcome {
    BT_ENTRY_UNDECIDED = 0,
    BT_ENTRY_FINE,
    BT_ENTRY_NEWER,  /* of a later format */
    BT_ENTRY_BROKEN, /* violates a rule */
};

struct bt_entry_check_result {
    enum bt_entry_check_outcome judgement;
    const char *rule; /* broken: "E0" to "E11" ... */
    const char *why;  /* ... explained */
    bt_str v;         /* newer: its number */
};

/* Check the rules E0 to E11; *out is set when the entry is valid. `arena` is working memory. */
BT_MUST_USE enum bt_status bt_entry_check(struct bt_arena *arena, bt_str text, struct bt_entry *out,
                                          struct bt_entry_check_result *out_judged);

/* True when it is a time as entries spell it, with a real date and time. */
bool bt_entry_time_is_valid(bt_str text);
/* True when it is a word that may be an item of `withheld`. */
bool bt_entry_withheld_is_valid(bt_str text);

/* True when an entry counts as one of the document that it names: not its redaction or a hold. */
bool bt_entry_is_about_document(const struct bt_entry *entry);

/* Set a member of refs by its name. BT_EINVAL: there is none of this name, or the value does not
 * fit. */
BT_MUST_USE enum bt_status bt_entry_ref_set(struct bt_entry *entry, bt_str name, bt_str value,
                                            struct bt_error *error);

enum { BT_ENTRY_TIME_BYTES = 24 };

/* YYYY-MM-DDThh:mm:ss.mmmZ; finer digits are truncated. `out` is followed by a NUL byte. */
void bt_entry_time_put(bt_instant instant, char out[BT_ENTRY_TIME_BYTES + 1]);

#endif
