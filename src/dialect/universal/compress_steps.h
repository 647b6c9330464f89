/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compress_steps.h - a compression in progress, for the files that share it: compress.c has the
 * steps, the original order and the reports, compress_levels.c the default order.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_COMPRESS_STEPS_H
#define BATON_SRC_DIALECT_UNIVERSAL_COMPRESS_STEPS_H

#include "dialect/universal/compress.h"

#define BT_COMPRESS_WHY "compress"
#define BT_COMPRESS_SESSION "/handoff/payload/session"
#define BT_COMPRESS_SUMMARY "/handoff/context/summary"
#define BT_COMPRESS_WORKING "/handoff/payload/working"
#define BT_COMPRESS_PROMPT "/handoff/context/original_prompt"

enum {
    BT_COMPRESS_TEXT_MAX = 500,       /* code points of a text that is never shortened */
    BT_COMPRESS_SUMMARY_TOKENS = 100, /* a shortened summary has fewer */
};

struct bt_universal_compress_run {
    struct bt_universal_revision *revision;
    const struct bt_universal_options *options;
    const struct bt_universal_compress_plan *how;
    struct bt_findings *notes;
    struct bt_tokens *counter;
    struct bt_universal_compress_outcome *out;
};

/* The default order. The revision's text does not fit. */
BT_MUST_USE enum bt_status bt_universal_compress_levels(struct bt_universal_compress_run *run);

const bt_json_value *bt_universal_compress_find(const struct bt_universal_compress_run *run,
                                                bt_str pointer);
/* The size of the revision's text as it is. */
BT_MUST_USE enum bt_status bt_universal_compress_measure(struct bt_universal_compress_run *run,
                                                         struct bt_universal_compress_size *out);
/* A step has been put: apply it and note its size. Only the last one stays settled. */
BT_MUST_USE enum bt_status bt_universal_compress_end_step(struct bt_universal_compress_run *run,
                                                          const char *name, bt_str pointer,
                                                          bool is_last);
BT_MUST_USE enum bt_status
bt_universal_compress_add_step(struct bt_universal_compress_run *run,
                               const struct bt_universal_compress_step *step);
BT_MUST_USE enum bt_status bt_universal_compress_replace_text(struct bt_universal_compress_run *run,
                                                              bt_str pointer, bt_str text);

/* Find the folder of the files. out->unsafe is set, and a note added, when it is not safe. */
BT_MUST_USE enum bt_status bt_universal_compress_find_site(struct bt_universal_compress_run *run);
/* Name the file STEM.json or the first of its names that is free or has this text already. */
BT_MUST_USE enum bt_status bt_universal_compress_name_file(struct bt_universal_compress_run *run,
                                                           bt_str stem, bt_str text,
                                                           struct bt_universal_compress_file *out);
/* Note that a file goes to the fallback, if it does. */
BT_MUST_USE enum bt_status
bt_universal_compress_note_fallback(struct bt_universal_compress_run *run,
                                    const struct bt_universal_compress_file *file);

#endif
