/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mend_all.c - carry out mends: one step after the other, looking anew after each change.
 *
 * A change may bring to light what it hid: a member that gets its right name is judged under it, an
 * object that is filled in lacks members of its own. So the document is judged again after every
 * batch, lightly: no exact tokens, no file system.
 */
#include <assert.h>

#include "dialect/universal/mend.h"
#include "dialect/universal/stages.h"

/* A step may uncover more for itself, and, rarely, for one before it: a null member that goes makes
 * room for its misspelled twin. No chain of such changes is longer than this. */
enum { PASSES_MAX = 8 };

struct mending {
    struct bt_revision *revision;
    struct bt_universal_options options;
    const struct bt_universal_options *wanted; /* as they were given */
    enum bt_mend_scope scope;
    struct bt_arena scratch; /* of the present judgement */
    struct bt_handoff handoff;
    struct plan {
        struct bt_mend mend;
        const char *why;
    } * plans; /* what is to be done about it, in the order of the document */
    size_t plan_count;
    bool trace_id;
};

static bool is_wanted(const struct mending *mending, const struct bt_finding *finding,
                      const struct bt_mend *mend)
{
    switch (mending->scope) {
    case BT_MEND_SAFE:
        return mend->fix == BT_FIX_SAFE;
    case BT_MEND_ALL:
        return mend->fix != BT_FIX_NONE;
    case BT_MEND_LADDER:
        return mend->fix == BT_FIX_SAFE || finding->severity == BT_HARD ||
               (mend->step == BT_MEND_RENAME && mend->onto_required);
    case BT_MEND_NONE:
        break;
    }
    return false;
}

/* The quick check knows the estimate only. A declared count that equals the exact one needs no
 * fix. */
static enum bt_status is_exact(struct mending *mending, const struct bt_finding *finding, bool *out)
{
    const struct bt_handoff *handoff = &mending->handoff;
    uint64_t declared = 0;
    uint64_t exact = 0;
    bool is_known = false;
    *out = false;
    if (!bt_str_eq(finding->rule->code, BT_STR("TOKENS_DRIFT")) ||
        !bt_handoff_integer(handoff, bt_usable(handoff, handoff->meta, "token_count"), &declared)) {
        return BT_OK;
    }
    BT_TRY(bt_count_exactly(mending->revision->universal, mending->wanted, mending->revision->text,
                            &mending->scratch, &is_known, &exact));
    *out = is_known && !bt_count_is_off(declared, exact);
    return BT_OK;
}

/* Plan what to do about each finding; no place twice, and no name for two members. */
static enum bt_status plan(struct mending *mending)
{
    struct bt_mender mender = {.handoff = &mending->handoff};
    const struct bt_findings *findings = mending->handoff.findings;
    bt_str before = BT_STR("-"); /* several findings about one value follow each other */
    mending->plan_count = 0;
    mending->plans = BT_NEW_ARRAY(&mending->scratch, struct plan, bt_findings_count(findings) + 1);
    if (!mending->plans) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        struct plan plan = {.why = finding->rule->code.ptr};
        bool is_no_drift = false;
        BT_TRY(is_exact(mending, finding, &is_no_drift));
        BT_TRY(bt_mend_of(&mender, finding, &mending->scratch, &plan.mend));
        if (is_no_drift || plan.mend.step == BT_MEND_NOTHING ||
            !is_wanted(mending, finding, &plan.mend) || bt_str_eq(plan.mend.pointer, before)) {
            continue;
        }
        bt_mender_take(&mender, &plan.mend);
        before = plan.mend.pointer;
        mending->plans[mending->plan_count++] = plan;
    }
    return BT_OK;
}

/* Judge the document as it stands now. */
static enum bt_status look(struct mending *mending)
{
    bt_arena_reset(&mending->scratch);
    struct bt_findings *findings = bt_findings_new(&mending->scratch);
    if (!findings) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_handoff_judge(mending->revision->universal, mending->revision->text,
                            &mending->options, findings, &mending->handoff));
    BT_TRY(bt_findings_finish(findings, mending->revision->text)); /* in the document's order */
    return plan(mending);
}

/* What timestamp and trace_id get: the present time in whole seconds, and a new identifier. */
static enum bt_status make_default(struct mending *mending, bt_str pointer, bt_str *out)
{
    struct bt_env *env = mending->revision->universal->env;
    if (bt_str_eq(pointer, BT_STR("/handoff/timestamp"))) {
        char text[BT_INSTANT_TEXT_BYTES];
        bt_instant now = bt_env_now(env);
        now.nanos = 0;
        (void)bt_instant_format(now, text);
        return bt_arena_printf(&mending->scratch, out, "\"%s\"", text);
    }
    assert(bt_str_eq(pointer, BT_STR("/handoff/trace_id")));
    char uuid[BT_UUID_TEXT_BYTES];
    BT_TRY(bt_env_uuid(env, uuid));
    mending->trace_id = true;
    return bt_arena_printf(&mending->scratch, out, "\"%s\"", uuid);
}

static enum bt_status set_default(struct mending *mending, const struct bt_mend *mend,
                                  const char *why)
{
    const struct bt_doc *document = mending->revision->document;
    bt_str value = mend->value;
    if (value.len == 0) {
        BT_TRY(make_default(mending, mend->pointer, &value));
    }
    return bt_json_point(document, bt_json_root(document), mend->pointer)
               ? bt_revision_replace(mending->revision, mend->pointer, value, why)
               : bt_revision_add(mending->revision, mend->pointer, value, why);
}

static enum bt_status carry_out(struct mending *mending, const struct bt_mend *mend,
                                const char *why)
{
    struct bt_revision *revision = mending->revision;
    switch (mend->step) {
    case BT_MEND_RENAME:
        return bt_revision_move(revision, mend->pointer, mend->to, why);
    case BT_MEND_NULL:
    case BT_MEND_REMOVE:
        return bt_revision_remove(revision, mend->pointer, why);
    case BT_MEND_DEFAULT:
        return set_default(mending, mend, why);
    case BT_MEND_CONVERT:
        return bt_revision_replace(revision, mend->pointer, mend->value, why);
    case BT_MEND_RECOUNT: /* comes last, whatever else was done */
    case BT_MEND_NOTHING:
        break;
    }
    return BT_OK;
}

/* Put the operations of one step; they wait in the revision. */
static enum bt_status take_step(struct mending *mending, enum bt_mend_step step, bool *out_any)
{
    *out_any = false;
    for (size_t i = 0; i < mending->plan_count; i++) {
        const struct plan *plan = &mending->plans[i];
        if (plan->mend.step == step) {
            *out_any = true;
            BT_TRY(carry_out(mending, &plan->mend, plan->why));
        }
    }
    return BT_OK;
}

/* Take a step until nothing is left for it. */
static enum bt_status finish_step(struct mending *mending, enum bt_mend_step step)
{
    for (size_t pass = 0; pass < PASSES_MAX; pass++) {
        bool any = false;
        BT_TRY(take_step(mending, step, &any));
        if (!any) {
            break;
        }
        BT_TRY(bt_revision_apply(mending->revision));
        BT_TRY(look(mending));
    }
    return BT_OK;
}

static enum bt_status mend(struct mending *mending)
{
    bool recount = false;
    size_t before = SIZE_MAX;
    BT_TRY(look(mending));
    for (size_t round = 0; round < PASSES_MAX && mending->revision->count != before; round++) {
        before = mending->revision->count;
        for (unsigned step = BT_MEND_RENAME; step < BT_MEND_RECOUNT; step++) {
            BT_TRY(finish_step(mending, (enum bt_mend_step)step));
        }
    }
    BT_TRY(take_step(mending, BT_MEND_RECOUNT, &recount));
    return bt_revision_settle(mending->revision, recount);
}

static enum bt_status say_trace_id(const struct bt_revision *revision, struct bt_findings *notes)
{
    static const char place[] = "/handoff/trace_id";
    const bt_value *made =
        bt_json_point(revision->document, bt_json_root(revision->document), bt_str_of(place));
    struct bt_remark remark;
    bt_remark_begin(&remark, bt_universal_rule("TRACE_ID_GENERATED"));
    bt_buf_put_text(&remark.pointer, place);
    bt_buf_put_text(&remark.message, "the trace begins here: ");
    bt_put_quoted(&remark.message, made ? bt_json_text(made) : BT_STR(""));
    bt_buf_put_text(&remark.message, " was made up, because the document had no trace_id");
    remark.finding.hint = BT_STR("if the work belongs to a trace, put that trace's id here");
    return bt_remark_end(&remark, notes);
}

enum bt_status bt_mend_all(struct bt_revision *revision, const struct bt_universal_options *options,
                           enum bt_mend_scope scope, struct bt_findings *notes)
{
    assert(revision);
    assert(notes);
    struct mending mending = {
        .revision = revision, .options = *options, .wanted = options, .scope = scope};
    mending.options.encoding = BT_CHARS4;
    mending.options.token_dir = BT_STR("");
    mending.options.fail_fast = false;
    mending.options.no_refs = true;
    mending.options.verify_artifacts = false;
    mending.options.catalogue = NULL;
    bt_arena_init(&mending.scratch, revision->arena->limit);
    enum bt_status status = mend(&mending);
    bt_arena_free(&mending.scratch);
    if (status == BT_OK && mending.trace_id) {
        status = say_trace_id(revision, notes);
    }
    return status;
}
