/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.h - the calls of one agent, in the order in which they were made: what each was, how it
 * ended, the files that it changed, and hashes by which claims find it. No other text of the
 * transcript is kept unless the caller wants it.
 */
#ifndef BATON_SRC_EVIDENCE_INDEX_H
#define BATON_SRC_EVIDENCE_INDEX_H

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "evidence/command.h"
#include "transcript/transcript.h"

/* Beyond these a transcript is partial. */
enum {
    BT_EVIDENCE_CALLS_MAX = 65536,
    BT_EVIDENCE_INDEX_BYTES_MAX = 48 << 20,
    BT_EVIDENCE_OUTPUT_BYTES_MAX = 2048, /* of an output that is kept */
};

enum { BT_EVIDENCE_ID_BYTES = 16 }; /* of the hash of an id */

struct bt_evidence_call_text {
    bt_str tool;
    bt_str command;
    bt_str output;
};

/* One call. */
struct bt_evidence_call {
    uint64_t line;
    uint64_t offset; /* of that line */
    uint32_t number; /* from 1, among the calls of its agent */
    uint32_t agent;  /* in state.agents, when the calls of all agents are kept */
    uint8_t kind;    /* enum bt_call_kind */
    uint8_t reason;  /* enum bt_call_reason */
    bool has_result;
    bool is_error;
    bool is_certain; /* the exit status comes from the host's own event */
    bool is_cut;
    bool is_understood;   /* the text of a command */
    bool is_reading;      /* a command that can change nothing */
    bool is_edit_by_exit; /* an edit that counts unless its exit status is not 0 */
    bool is_document;     /* an edit of documents alone */
    int64_t exit;
    uint32_t first_hash; /* of its segments */
    uint32_t hash_count;
    uint32_t continues; /* the number in `calls` plus one of the command that it continues, or 0 */
    struct bt_str_list paths;          /* of an edit; none when the index was unpacked */
    struct bt_evidence_call_text text; /* "" unless it is kept */
};

struct bt_evidence_index_options {
    bt_str agent;    /* whose calls; "": those of the agent that the file belongs to */
    bool is_all;     /* keep the calls of all agents */
    bool keeps_text; /* keep the names of tools and the commands */
    bool keeps_output;
    struct bt_str_list doc_paths; /* patterns of documents, which need no check */
    const uint64_t *hash_seed;
};

struct bt_evidence_index {
    struct bt_arena *arena;
    struct bt_evidence_index_options options;
    struct bt_map ids;      /* hashes of the ids of calls -> their number in `calls` plus one */
    struct bt_map sessions; /* of running commands -> the same */
    BT_VEC(struct bt_evidence_call) calls;
    BT_VEC(struct bt_segment_hash) hashes;
    BT_VEC(uint32_t) counts; /* calls of each agent, when all are kept */
    struct bt_arena scratch; /* of one event */
    bool is_full;            /* there were more calls than there is room for */
    size_t unpacked_count;   /* so many calls were unpacked, and have no paths */
};

/* Begin an empty index in the arena. */
void bt_evidence_index_init(struct bt_evidence_index *index, struct bt_arena *arena,
                            const struct bt_evidence_index_options *options);
void bt_evidence_index_free(struct bt_evidence_index *index);
/* Add a call or a result; other events are ignored. */
BT_MUST_USE enum bt_status bt_evidence_index_add(struct bt_evidence_index *index,
                                                 const struct bt_transcript_state *state,
                                                 const struct bt_transcript_event *event);
/* Add everything that the reader has. Statuses as for bt_transcript_next(); BT_ENOMEM also when
 * there are more calls than the arena has room for. */
BT_MUST_USE enum bt_status bt_evidence_index_read(struct bt_evidence_index *index,
                                                  struct bt_transcript_reader *reader);
/* The call of an id, or NULL. */
struct bt_evidence_call *bt_evidence_index_find(const struct bt_evidence_index *index, bt_str id);
/* Copy the paths of an edit into an index that was unpacked. */
BT_MUST_USE enum bt_status bt_evidence_index_keep_paths(struct bt_evidence_index *index,
                                                        const struct bt_transcript_call *from,
                                                        struct bt_evidence_call *call);
/* Whether an edit was made. */
bool bt_evidence_call_is_applied(const struct bt_evidence_call *call);
/* Whether the event belongs to the agent whose calls are kept. */
bool bt_evidence_index_wants(const struct bt_evidence_index *index, bt_str agent);

/*
 * Put an index of one agent's calls without any text: offsets, kinds, results, and hashes of ids
 * and of the words of commands.
 */
void bt_evidence_index_pack(const struct bt_evidence_index *index, struct bt_buf *buf);
/* Fill an empty index. BT_ECORRUPT: the bytes are not a packed index. BT_ENOMEM: the arena reached
 * its limit. The index must not be used then. */
BT_MUST_USE enum bt_status bt_evidence_index_unpack(struct bt_evidence_index *index, bt_str bytes);

#endif
