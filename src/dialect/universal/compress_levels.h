/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compress_levels.h - the default order of compression, for the files that share it:
 * compress_parts.c finds what could be changed and puts the changes, compress_levels.c decides.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_COMPRESS_LEVELS_H
#define BATON_SRC_DIALECT_UNIVERSAL_COMPRESS_LEVELS_H

#include "dialect/universal/compress_steps.h"
#include "dialect/universal/shorten.h"

enum { BT_COMPRESS_REMOVABLE_MAX = 5 };

/* What is done to the minified document. */
struct bt_universal_compress_form {
    bool spills;      /* the session is moved out ... */
    size_t returned;  /* ... but for so many of its members, smallest first */
    size_t limit;     /* longer texts are shortened to it; SIZE_MAX: none is */
    bool keeps_texts; /* the whole of shortened texts is in the text file */
    unsigned removed; /* bit per removable member, the most important one first */
    size_t summary;   /* code points that it keeps at most; SIZE_MAX: all */
};

/* A member of the session that could be given back. */
struct bt_universal_compress_return {
    size_t index; /* in the session */
    uint64_t count;
};

struct bt_universal_compress_levels {
    struct bt_universal_compress_run *run;
    struct bt_universal_revision_mark base;       /* the minified document */
    const bt_json_value *session;                 /* NULL: none, or nothing may be moved out */
    struct bt_universal_compress_return *returns; /* in the order of giving back */
    struct bt_universal_long_texts texts;
    size_t longest; /* of them, in code points */
    bt_str removable
        [BT_COMPRESS_REMOVABLE_MAX]; /* those that are there, the most important one first */
    size_t removable_count;
    bt_str summary;
    size_t summary_length;
    size_t summary_min;    /* code points of its shortest form; SIZE_MAX: it stays whole */
    bool summary_is_first; /* it stands before the texts in the document */
};

/* Find all that could be changed, before anything is. run->out->unsafe is set when a file would be
 * needed and its folder is not safe. */
BT_MUST_USE enum bt_status
bt_universal_compress_find_parts(struct bt_universal_compress_levels *levels);

static inline bool
bt_universal_compress_is_shortened(const struct bt_universal_compress_levels *levels,
                                   const struct bt_universal_compress_form *form, size_t index)
{
    return levels->texts.items[index].code_points > form->limit;
}

static inline bool
bt_universal_compress_shortens_summary(const struct bt_universal_compress_form *form)
{
    return form->summary != SIZE_MAX;
}

/* Put the operations of one part of a form. Lengths are those of the shortened text. */
BT_MUST_USE enum bt_status
bt_universal_compress_put_session(struct bt_universal_compress_levels *levels,
                                  const struct bt_universal_compress_form *form);
BT_MUST_USE enum bt_status
bt_universal_compress_put_text(struct bt_universal_compress_levels *levels,
                               const struct bt_universal_compress_form *form, size_t index,
                               size_t *out_length);
BT_MUST_USE enum bt_status
bt_universal_compress_put_summary(struct bt_universal_compress_levels *levels,
                                  const struct bt_universal_compress_form *form,
                                  size_t *out_length);
/* Add the references to the files, which are "" where there is none, and what they stand in. */
BT_MUST_USE enum bt_status
bt_universal_compress_add_references(struct bt_universal_compress_run *run, bt_str session,
                                     bt_str texts);
/* The text file of a form; its path is "" when the form has none. */
BT_MUST_USE enum bt_status
bt_universal_compress_build_text_file(struct bt_universal_compress_levels *levels,
                                      const struct bt_universal_compress_form *form,
                                      struct bt_universal_compress_file *out);

#endif
