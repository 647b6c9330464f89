/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compress_levels.c - the default order of compression: move out before giving up, and give up as
 * little as the budget demands.
 *
 * A form says what is done to the minified document. Levels try forms, each on top of what the
 * levels before it changed; a try leaves nothing behind. The form that is chosen is carried out
 * step by step in the end, so that the report has the size after each of them.
 */
#include "dialect/universal/compress_levels.h"

#include "report/rules.h"

enum {
    RETURNS_ONE_BY_ONE = 64,    /* more members of a session are given back by bisection */
    HOPELESS_BYTES = 256 << 10, /* the smallest form of a larger document is tried first */
    WORK_BYTES_MAX = 512 << 20, /* that measuring each step may look at */
};

static const struct bt_universal_compress_form whole = {.limit = SIZE_MAX, .summary = SIZE_MAX};

/* ---- Trying ---------------------------------------------------------------------------------- */

/* Put all operations of a form. */
static enum bt_status put_form(struct bt_universal_compress_levels *levels,
                               const struct bt_universal_compress_form *form)
{
    struct bt_universal_compress_run *run = levels->run;
    struct bt_universal_compress_file texts;
    size_t length = 0;
    BT_TRY(bt_universal_compress_build_text_file(levels, form, &texts));
    if (form->spills) {
        BT_TRY(bt_universal_compress_put_session(levels, form));
    }
    for (size_t i = 0; i < levels->texts.count; i++) {
        if (bt_universal_compress_is_shortened(levels, form, i)) {
            BT_TRY(bt_universal_compress_put_text(levels, form, i, &length));
        }
    }
    for (size_t i = 0; i < levels->removable_count; i++) {
        if ((form->removed >> i & 1) != 0) {
            BT_TRY(
                bt_universal_revision_remove(run->revision, levels->removable[i], BT_COMPRESS_WHY));
        }
    }
    if (bt_universal_compress_shortens_summary(form)) {
        BT_TRY(bt_universal_compress_put_summary(levels, form, &length));
    }
    const bt_str session = form->spills ? run->out->session.spill.path : BT_STR("");
    return session.len > 0 || texts.spill.path.len > 0
               ? bt_universal_compress_add_references(run, session, texts.spill.path)
               : BT_OK;
}

/* The size that the document would have in a form; nothing stays changed. */
static enum bt_status measure_form(struct bt_universal_compress_levels *levels,
                                   const struct bt_universal_compress_form *form,
                                   struct bt_universal_compress_size *out)
{
    struct bt_universal_revision *revision = levels->run->revision;
    BT_TRY(put_form(levels, form));
    BT_TRY(bt_universal_revision_finish(revision, true));
    BT_TRY(bt_universal_compress_measure(levels->run, out));
    bt_universal_revision_roll_back(revision, &levels->base);
    return BT_OK;
}

static enum bt_status try_form(struct bt_universal_compress_levels *levels,
                               const struct bt_universal_compress_form *form, bool *out_fits)
{
    struct bt_universal_compress_size size;
    BT_TRY(measure_form(levels, form, &size));
    *out_fits = size.count <= levels->run->options->budget;
    return BT_OK;
}

/* The largest value of one member of a form that fits: `low` does, `high` does not. */
static enum bt_status grow_member(struct bt_universal_compress_levels *levels,
                                  struct bt_universal_compress_form *form, size_t *member,
                                  size_t low, size_t high)
{
    while (high - low > 1) {
        bool fits = false;
        *member = low + (high - low) / 2;
        BT_TRY(try_form(levels, form, &fits));
        *(fits ? &low : &high) = *member;
    }
    *member = low;
    return BT_OK;
}

/* ---- Levels ---------------------------------------------------------------------------------- */

/* Give members of the session back, smallest first, as long as the document fits. */
static enum bt_status give_back(struct bt_universal_compress_levels *levels,
                                struct bt_universal_compress_form *form)
{
    const size_t count = bt_json_count(levels->session);
    if (count > RETURNS_ONE_BY_ONE) {
        /* With all of them the document is larger than it was, since it has the reference too. */
        return grow_member(levels, form, &form->returned, 0, count);
    }
    bool fits = true;
    while (fits && form->returned < count) {
        form->returned++;
        BT_TRY(try_form(levels, form, &fits));
    }
    form->returned -= fits ? 0 : 1;
    return BT_OK;
}

/* Let the common limit of texts grow from the shortest, which fits. */
static enum bt_status grow_limit(struct bt_universal_compress_levels *levels,
                                 struct bt_universal_compress_form *form, bool whole_may_fit)
{
    bool fits = false;
    if (form->limit == SIZE_MAX) {
        return BT_OK;
    }
    if (whole_may_fit) {
        form->limit = SIZE_MAX;
        BT_TRY(try_form(levels, form, &fits));
        if (fits) {
            return BT_OK;
        }
    }
    return grow_member(levels, form, &form->limit, BT_COMPRESS_TEXT_MAX, levels->longest);
}

/* Level C. The step is taken when it makes the document smaller than `before`. */
static enum bt_status shorten_texts(struct bt_universal_compress_levels *levels,
                                    struct bt_universal_compress_form *form, uint64_t before,
                                    bool *out_fits)
{
    struct bt_universal_compress_form tried = *form;
    struct bt_universal_compress_size size;
    if (levels->texts.count == 0) {
        return BT_OK;
    }
    tried.limit = BT_COMPRESS_TEXT_MAX;
    BT_TRY(measure_form(levels, &tried, &size));
    if (size.count >= before) {
        return BT_OK;
    }
    *form = tried;
    *out_fits = size.count <= levels->run->options->budget;
    return *out_fits ? grow_limit(levels, form, false) : BT_OK;
}

/* Level D. The sets that keep more important members come first. */
static enum bt_status remove_members(struct bt_universal_compress_levels *levels,
                                     struct bt_universal_compress_form *form, bool *out_fits)
{
    const size_t count = levels->removable_count;
    const unsigned all = (1U << count) - 1;
    for (unsigned kept = all; kept > 0 && !*out_fits; kept--) {
        const unsigned keeps = kept - 1; /* the most important member is its highest bit */
        form->removed = 0;
        for (size_t i = 0; i < count; i++) {
            form->removed |= (keeps >> (count - 1 - i) & 1) == 0 ? 1U << i : 0;
        }
        BT_TRY(try_form(levels, form, out_fits));
    }
    return *out_fits ? grow_limit(levels, form, true) : BT_OK;
}

/* Level E, with every removable member removed. */
static enum bt_status cut_summary(struct bt_universal_compress_levels *levels,
                                  struct bt_universal_compress_form *form, bool *out_fits)
{
    if (levels->summary_min == SIZE_MAX) {
        return BT_OK;
    }
    form->summary = levels->summary_min;
    BT_TRY(try_form(levels, form, out_fits));
    return *out_fits ? grow_member(levels, form, &form->summary, levels->summary_min,
                                   levels->summary_length)
                     : BT_OK;
}

/* Levels C to E, on top of a form of the size `before`. */
static enum bt_status give_up(struct bt_universal_compress_levels *levels,
                              struct bt_universal_compress_form *form, uint64_t before,
                              bool *out_fits)
{
    BT_TRY(shorten_texts(levels, form, before, out_fits));
    if (!*out_fits) {
        BT_TRY(remove_members(levels, form, out_fits));
    }
    return *out_fits ? BT_OK : cut_summary(levels, form, out_fits);
}

/* Level B. The step is taken when it makes the document smaller than *count. */
static enum bt_status move_out_session(struct bt_universal_compress_levels *levels,
                                       struct bt_universal_compress_form *form, uint64_t *count,
                                       bool *out_fits)
{
    struct bt_universal_compress_form tried = *form;
    struct bt_universal_compress_size size;
    if (!levels->session) {
        return BT_OK;
    }
    tried.spills = true;
    BT_TRY(measure_form(levels, &tried, &size));
    if (size.count >= *count) {
        return BT_OK;
    }
    *count = size.count;
    *form = tried;
    *out_fits = size.count <= levels->run->options->budget;
    return *out_fits ? give_back(levels, form) : BT_OK;
}

/* Whether a large document cannot be made to fit at all, and then its smallest form. Trying a form
 * costs a look at all of it. */
static enum bt_status is_hopeless(struct bt_universal_compress_levels *levels,
                                  struct bt_universal_compress_form *form, bool *out)
{
    const struct bt_universal_compress_form smallest = {.spills = levels->session != NULL,
                                                        .limit = BT_COMPRESS_TEXT_MAX,
                                                        .removed =
                                                            (1U << levels->removable_count) - 1,
                                                        .summary = levels->summary_min};
    bool fits = true;
    if (levels->run->revision->text.len > HOPELESS_BYTES) {
        BT_TRY(try_form(levels, &smallest, &fits));
    }
    *out = !fits;
    *form = fits ? *form : smallest;
    return BT_OK;
}

/* Find the form that gives up the least. *out_form is the smallest one when none fits. */
static enum bt_status choose_form(struct bt_universal_compress_levels *levels, uint64_t count,
                                  struct bt_universal_compress_form *out_form, bool *out_fits)
{
    struct bt_universal_compress_form form = whole;
    bool is_lost = false;
    BT_TRY(move_out_session(levels, &form, &count, out_fits));
    BT_TRY(*out_fits ? BT_OK : is_hopeless(levels, &form, &is_lost));
    *out_form = form;
    if (!*out_fits && !is_lost && !levels->run->how->no_files) {
        out_form->keeps_texts = true;
        BT_TRY(give_up(levels, out_form, count, out_fits));
    }
    /* Better without the text file than not at all: its reference counts, too. */
    if (!*out_fits && !is_lost) {
        *out_form = form;
        BT_TRY(give_up(levels, out_form, count, out_fits));
    }
    return BT_OK;
}

/* ---- Carrying out ---------------------------------------------------------------------------- */

/* The steps of a form that are left; the last one stays settled. */
struct universal_compress_progress {
    size_t left;
    bool fits;
};

static enum bt_status end_step(struct bt_universal_compress_levels *levels,
                               struct universal_compress_progress *progress, const char *name,
                               bt_str pointer)
{
    if (!progress->fits) {
        return BT_OK; /* the steps of a form that fails are neither measured nor listed */
    }
    progress->left--;
    return bt_universal_compress_end_step(levels->run, name, pointer, progress->left == 0);
}

static size_t count_steps(const struct bt_universal_compress_levels *levels,
                          const struct bt_universal_compress_form *form)
{
    size_t count = form->spills;
    count += bt_universal_compress_shortens_summary(form);
    for (size_t i = 0; i < levels->texts.count; i++) {
        count += bt_universal_compress_is_shortened(levels, form, i);
    }
    for (size_t i = 0; i < levels->removable_count; i++) {
        count += form->removed >> i & 1;
    }
    return count;
}

static enum bt_status note_shortened(struct bt_universal_compress_levels *levels, bt_str pointer,
                                     size_t from, size_t to)
{
    const struct bt_universal_compress_run *run = levels->run;
    const struct bt_location at = bt_location_pointer(pointer, BT_OFFSET_NONE);
    const bt_str file = run->out->texts.spill.path;
    return file.len > 0
               ? bt_add_compress_shortened(run->notes, at, pointer, from, to, file)
               : bt_add_compress_lossy(run->notes, at, pointer, BT_COMPRESS_LOSSY_CHANGE_SHORTENED);
}

static enum bt_status carry_out_texts(struct bt_universal_compress_levels *levels,
                                      const struct bt_universal_compress_form *form,
                                      struct universal_compress_progress *progress)
{
    struct bt_universal_compress_run *run = levels->run;
    BT_TRY(bt_universal_compress_build_text_file(levels, form, &run->out->texts));
    bt_str file = run->out->texts.spill.path;
    for (size_t i = 0; i < levels->texts.count; i++) {
        const struct bt_universal_long_text *text = &levels->texts.items[i];
        size_t length = 0;
        if (!bt_universal_compress_is_shortened(levels, form, i)) {
            continue;
        }
        if (file.len > 0) {
            BT_TRY(bt_universal_compress_add_references(run, BT_STR(""), file));
            BT_TRY(bt_universal_compress_note_fallback(run, &run->out->texts));
            file = BT_STR("");
        }
        BT_TRY(bt_universal_compress_put_text(levels, form, i, &length));
        BT_TRY(note_shortened(levels, text->pointer, text->code_points, length));
        BT_TRY(end_step(levels, progress, "shorten", text->pointer));
    }
    return BT_OK;
}

static enum bt_status carry_out_removals(struct bt_universal_compress_levels *levels,
                                         const struct bt_universal_compress_form *form,
                                         struct universal_compress_progress *progress)
{
    struct bt_universal_compress_run *run = levels->run;
    for (size_t i = levels->removable_count; i > 0; i--) {
        const bt_str pointer = levels->removable[i - 1];
        if ((form->removed >> (i - 1) & 1) == 0) {
            continue;
        }
        BT_TRY(bt_universal_revision_remove(run->revision, pointer, BT_COMPRESS_WHY));
        BT_TRY(bt_add_compress_removed(run->notes, bt_location_pointer(pointer, BT_OFFSET_NONE),
                                       pointer));
        BT_TRY(end_step(levels, progress, "remove", pointer));
    }
    return BT_OK;
}

static enum bt_status carry_out(struct bt_universal_compress_levels *levels,
                                const struct bt_universal_compress_form *form, bool fits)
{
    struct bt_universal_compress_run *run = levels->run;
    struct universal_compress_progress progress = {count_steps(levels, form), fits};
    if (fits && progress.left > WORK_BYTES_MAX / (run->revision->text.len / 2 + 1)) {
        return BT_ELIMIT;
    }
    if (form->spills) {
        BT_TRY(bt_universal_compress_put_session(levels, form));
        BT_TRY(bt_universal_compress_add_references(run, run->out->session.spill.path, BT_STR("")));
        BT_TRY(bt_universal_compress_note_fallback(run, &run->out->session));
        BT_TRY(end_step(levels, &progress, "spill", BT_STR(BT_COMPRESS_SESSION)));
    } else {
        run->out->session = (struct bt_universal_compress_file){.name = BT_STR("")};
    }
    BT_TRY(carry_out_texts(levels, form, &progress));
    BT_TRY(carry_out_removals(levels, form, &progress));
    if (bt_universal_compress_shortens_summary(form)) {
        const bt_str pointer = BT_STR(BT_COMPRESS_SUMMARY);
        size_t length = 0;
        BT_TRY(bt_universal_compress_put_summary(levels, form, &length));
        BT_TRY(note_shortened(levels, pointer, levels->summary_length, length));
        BT_TRY(end_step(levels, &progress, "shorten", pointer));
    }
    return bt_universal_revision_apply(run->revision);
}

enum bt_status bt_universal_compress_levels(struct bt_universal_compress_run *run)
{
    const struct bt_universal_compress_step minify = {.step = "minify"};
    struct bt_universal_compress_levels levels = {.run = run};
    struct bt_universal_compress_form form = whole;
    struct bt_universal_compress_outcome *out = run->out;
    bool fits = false;
    BT_TRY(bt_universal_revision_rewrite(run->revision, BT_JSON_FORM_COMPACT));
    BT_TRY(bt_universal_compress_add_step(run, &minify));
    levels.base = bt_universal_revision_mark(run->revision);
    BT_TRY(measure_form(&levels, &form, &out->steps[0].size));
    fits = out->steps[0].size.count <= run->options->budget;
    out->after = out->steps[0].size;
    if (!fits) {
        BT_TRY(bt_universal_compress_find_parts(&levels));
        levels.base = bt_universal_revision_mark(run->revision);
        BT_TRY(out->unsafe ? BT_OK : choose_form(&levels, out->steps[0].size.count, &form, &fits));
    }
    out->fits = fits;
    if (out->unsafe) {
        return BT_OK;
    }
    if (count_steps(&levels, &form) == 0) {
        return fits ? bt_universal_revision_finish(run->revision, true) : BT_OK;
    }
    return carry_out(&levels, &form, fits);
}
