/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage.h - what agents spent, by model, from the events of one or more transcripts.
 *
 * A host tells the usage of one answer several times (claude), or running totals (codex). Every
 * answer counts once: of an answer the largest numbers, of totals their growth. Integers only.
 */
#ifndef BATON_SRC_TRANSCRIPT_USAGE_H
#define BATON_SRC_TRANSCRIPT_USAGE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "transcript/transcript.h"

enum {
    BT_USAGE_MESSAGES_MAX = 65536, /* the last answers that are remembered */
    BT_USAGE_BYTES_MAX = 32 << 20, /* for all that is remembered of answers and totals */
};

struct bt_usage_model {
    bt_str model;
    struct bt_token_usage count;
};

struct bt_usage_agent {
    bt_str agent;      /* "-": the main agent of its file */
    bool is_uncertain; /* it is not known what the agent spent and what its parent did */
    BT_VEC(struct bt_usage_model) models; /* in order of their first answer */
};

/* An answer, by a digest of its id, and what was counted for it. */
struct bt_usage_message {
    uint64_t id;
    uint32_t agent;
    uint32_t model;
    struct bt_token_usage count;
};

struct bt_usage {
    struct bt_arena *arena;
    uint64_t seed[2];
    BT_VEC(struct bt_usage_agent) agents; /* in order of their first answer */
    struct bt_map names;                  /* of agents -> their number in `agents` plus one */
    struct bt_arena remembered;           /* of the two maps below */
    struct bt_map ids;                    /* of answers -> their number in `messages` plus one */
    struct bt_map parent_totals;
    BT_VEC(struct bt_usage_message) messages;
    size_t oldest;               /* the message that the next one replaces when there are enough */
    uint64_t file;               /* from 1 */
    struct bt_token_usage total; /* codex: of the event before, in this file */
    bool has_parent;
    bool has_own_total; /* codex: in this file; what follows is not repeated from a parent */
};

/* Count nothing yet. Results live in the arena. */
void bt_usage_init(struct bt_usage *usage, struct bt_arena *arena, const uint64_t seed[2]);
/* Free what does not lie in the arena. */
void bt_usage_free(struct bt_usage *usage);

/* Remember the totals of the file that the next file was forked from. Statuses as for
 * bt_transcript_next(). */
BT_MUST_USE enum bt_status bt_usage_read_parent(struct bt_usage *usage,
                                                struct bt_transcript_reader *parent);
/* True when only the parent of a file tells which of its totals are repeated. */
bool bt_usage_needs_parent(const struct bt_usage *usage, const struct bt_transcript_state *state);
/* Count an event; those of other kinds are ignored. BT_ENOMEM: no memory. */
BT_MUST_USE enum bt_status bt_usage_add(struct bt_usage *usage,
                                        const struct bt_transcript_state *state,
                                        const struct bt_transcript_event *event);
/* Count everything that the reader has, as one file. Statuses as for bt_transcript_next(). */
BT_MUST_USE enum bt_status bt_usage_read(struct bt_usage *usage,
                                         struct bt_transcript_reader *reader);
/* Add numbers; a sum that does not fit is the largest number. */
void bt_token_usage_add(struct bt_token_usage *sum, const struct bt_token_usage *count);

#endif
