/* SPDX-License-Identifier: Apache-2.0 */
/* reader.h - what the readers of the formats share. */
#ifndef BATON_SRC_TRANSCRIPT_READER_H
#define BATON_SRC_TRANSCRIPT_READER_H

#include <baton/json.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "transcript/lines.h"
#include "transcript/transcript.h"

/* The line at hand. A line tells several things: `next` counts those that were returned. */
struct bt_transcript_object {
    const struct bt_json_doc *document;
    const bt_json_value *root;
    size_t next;
};

struct bt_transcript_codex {
    bt_str first_id;        /* of the file's thread; "" before its session_meta */
    bt_str model;           /* of the latest turn */
    uint64_t start_ordinal; /* lines below it are inherited; 0: none */
    bool is_in_history;     /* behind the session_meta of another thread */
};

struct bt_transcript_reader {
    struct bt_arena own; /* the reader lies in it */
    struct bt_transcript_lines lines;
    struct bt_transcript_state state;
    struct bt_sha256_state hash;
    struct bt_arena kept;  /* as long as the reader: names of agents and models */
    struct bt_arena line;  /* of the present line */
    struct bt_arena parse; /* working memory of the JSON reader */
    struct bt_json_options json;
    struct bt_map names; /* of agents and models */
    BT_VEC(bt_str) agents;
    struct bt_transcript_object object;
    struct bt_transcript_line at;
    bool is_begun;    /* claude: the first line of a user or assistant was seen */
    bool has_no_hash; /* the digest is not made again */
    const struct bt_transcript_filter *filter; /* NULL: every line is read */
    size_t filter_offset;                      /* the first of its offsets that is not yet passed */
    bool is_open; /* the last line that was read has no line feed yet */
    struct bt_transcript_codex codex;
};

/* Looking at the present line. `object` may be NULL or of another type, which gives NULL. */
const bt_json_value *bt_transcript_get(const struct bt_transcript_reader *reader,
                                       const bt_json_value *object, const char *name);
/* The text of a member that is a string, else "". */
bt_str bt_transcript_text(const struct bt_transcript_reader *reader, const bt_json_value *object,
                          const char *name);
/* A member that is an integer from 0 on, else 0. */
uint64_t bt_transcript_count(const struct bt_transcript_reader *reader, const bt_json_value *object,
                             const char *name);
bool bt_transcript_is_true(const struct bt_transcript_reader *reader, const bt_json_value *object,
                           const char *name);
/* The text of a value that is a string, or a list of items with `text`, joined with line feeds. */
BT_MUST_USE enum bt_status bt_transcript_join_text(struct bt_transcript_reader *reader,
                                                   const bt_json_value *value, bool texts_only,
                                                   bt_str *out);
/* The strings anywhere in a value, one per line. */
BT_MUST_USE enum bt_status bt_transcript_all_text(struct bt_transcript_reader *reader,
                                                  const bt_json_value *value, bt_str *out);
/* Keep a name as long as the reader: *out is a copy, the same for equal names. */
BT_MUST_USE enum bt_status bt_transcript_keep_name(struct bt_transcript_reader *reader, bt_str name,
                                                   bt_str *out);
/* Remember an agent. *out is its name, which lives as long as the reader. */
BT_MUST_USE enum bt_status bt_transcript_add_agent(struct bt_transcript_reader *reader, bt_str name,
                                                   bt_str *out);

/*
 * The next event of the line at hand; its kind is BT_TRANSCRIPT_END after the last. The line is
 * a whole object. Each format has these two functions.
 */
typedef enum bt_status bt_transcript_read_fn(struct bt_transcript_reader *reader,
                                             struct bt_transcript_event *out);
bt_transcript_read_fn bt_transcript_read_claude;
bt_transcript_read_fn bt_transcript_read_codex;
bool bt_transcript_is_claude(const struct bt_transcript_reader *reader);
bool bt_transcript_is_codex(const struct bt_transcript_reader *reader);

#endif
