/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repair.h - a repair in progress, for the files that share it: repair.c applies fixes, prompt.c
 * writes the question to a model, model_answer.c judges the answer, and what is left goes to a
 * person.
 *
 * All share one revision. The *base* is the document after the first attempt; when the fixes fail,
 * the revision goes back to it, and answers are applied to it.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_REPAIR_H
#define BATON_SRC_DIALECT_UNIVERSAL_REPAIR_H

#include "dialect/universal/compress.h"
#include "dialect/universal/result.h"

enum {
    BT_ATTEMPTS_MAX = 3,
    BT_TRIES_MAX = 100, /* of a model; more are not listed */
};

/* One attempt of the ladder, as the facts show it. */
struct bt_universal_repair_attempt {
    size_t changes;
    bool accepted;
    bt_str remaining; /* JSON: the HARD findings that are left */
};

/* The attempts of the ladder. */
struct bt_universal_repair_attempts {
    struct bt_universal_repair_attempt items[BT_ATTEMPTS_MAX];
    size_t count;
};

/* The answers of a model. */
struct bt_universal_repair_tries {
    enum bt_universal_answer_result items[BT_TRIES_MAX];
    size_t count;
};

struct bt_universal_repair_run {
    struct bt_arena arena;   /* of this itself and all it notes */
    struct bt_arena texts;   /* of the revision alone, so that it can go back */
    struct bt_arena scratch; /* of one judgement or one answer */
    struct bt_universal_checker *universal;
    struct bt_universal_input input;
    struct bt_universal_options options;
    struct bt_universal_repair_options how;
    bool readable; /* `revision` was begun */
    bool accepted;
    struct bt_universal_revision revision;
    struct bt_universal_revision_mark base;
    bool beyond_base;               /* the revision went on from there */
    struct bt_findings *notes;      /* on what was done to the base */
    struct bt_findings *more_notes; /* and on what was done beyond it */
    struct bt_findings *refusals;   /* of answers */
    struct bt_universal_compress_outcome compressed;
    bool compress_open; /* `compressed` is to be ended */
    struct bt_universal_repair_attempts attempts;
    struct bt_universal_repair_tries tries;
};

/* What a judgement of the revision's text says about what can be done. */
struct bt_universal_repair_state {
    bool accepted;
    bool too_large; /* and nothing else blocks */
    bool tampered;  /* a security event of the document itself is among what blocks */
    enum bt_encoding encoding;
    bt_str remaining;
};

/* Judge the revision's text; out->remaining lives in repair->arena. */
BT_MUST_USE enum bt_status bt_universal_repair_update_state(struct bt_universal_repair_run *repair,
                                                            struct bt_universal_repair_state *out);

/* Give up what was done beyond the base. */
void bt_universal_repair_reset(struct bt_universal_repair_run *repair);

#endif
