/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.h - the normal form of a shell command, in which a claim is compared with a call, and
 * what the exit status of a call proves about each part of it.
 */
#ifndef BATON_SRC_EVIDENCE_COMMAND_H
#define BATON_SRC_EVIDENCE_COMMAND_H

#include <baton/base.h>

enum { BT_EVIDENCE_CLAIM_BYTES_MAX = 65536 };

/* Where a segment stands in its text: what the exit status of the whole text tells about it. */
enum bt_segment_place {
    BT_SEGMENT_NESTED = 0, /* in a group, a substitution or another shell: nothing */
    BT_SEGMENT_PIPED,      /* its status is lost in a pipe */
    BT_SEGMENT_LISTED,     /* its status is lost in a list */
    BT_SEGMENT_AND,        /* it succeeded if the text did; else it is not known */
    BT_SEGMENT_LAST,       /* its status is that of the text */
};

/* A simple command that does something: words without assignments, redirections and runners. */
struct bt_segment {
    const bt_str *words; /* at least one */
    size_t word_count;
    enum bt_segment_place place;
};

struct bt_command_form {
    bool is_understood;
    bool is_reading; /* it can change nothing */
    const struct bt_segment *segments;
    size_t segment_count; /* 0: it has no normal form */
};

/* Read the text of a claim or a call. BT_ENOMEM: the arena reached its limit. */
BT_MUST_USE enum bt_status bt_command_form_read(struct bt_arena *arena, bt_str text,
                                                struct bt_command_form *out);

/* The words by which a claim that matches nothing is looked for: one or two. */
struct bt_command_key {
    bt_str words[2];
    size_t count;
};

/* The key of a normal form that has segments. */
struct bt_command_key bt_command_key_of(const struct bt_command_form *form);
/* Whether the words of the key stand in a text as whole words, next to each other. */
bool bt_command_key_occurs(const struct bt_command_key *key, bt_str text);

/* Identifies the words of a segment. */
struct bt_segment_hash {
    uint8_t bytes[15];
    uint8_t place; /* enum bt_segment_place */
};

BT_MUST_USE enum bt_status bt_segment_hash(const struct bt_segment *segment,
                                           struct bt_segment_hash *out);

#endif
