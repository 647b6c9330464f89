/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fix.c - the changes that would settle findings, made.
 *
 * A body that cannot be read hides what is wrong inside it, so judging and changing take turns:
 * first the fence, then the syntax, then the values. Each round changes only the bytes that its
 * findings name.
 */
#include <assert.h>
#include <string.h>

#include "dialect/contract/envelope.h"
#include "report/sort.h"

enum { ROUNDS_MAX = 8 };

static int compare_places(const void *context, size_t a, size_t b)
{
    const struct bt_mend *mends = context;
    return (mends[a].begin > mends[b].begin) - (mends[a].begin < mends[b].begin);
}

/* The text with the changes made, which are in order and do not overlap. */
static enum bt_status rewrite(struct bt_turn *turn, const size_t *order, size_t count, bt_str *out)
{
    struct bt_buf buf;
    size_t from = 0;
    bt_buf_init(&buf, SIZE_MAX);
    for (size_t i = 0; i < count; i++) {
        const struct bt_mend *mend = &turn->mends.items[order[i]];
        assert(mend->begin >= from);
        bt_buf_put(&buf, bt_str_slice(turn->text, from, mend->begin));
        bt_buf_put(&buf, mend->text);
        from = mend->end;
    }
    bt_buf_put(&buf, bt_str_slice(turn->text, from, turn->text.len));
    const enum bt_status status = bt_buf_keep(&buf, turn->arena, out);
    bt_buf_free(&buf);
    return status;
}

static enum bt_status append(struct bt_arena *arena, struct bt_mends *fixed,
                             const struct bt_mends *more)
{
    struct bt_mend *items = BT_NEW_ARRAY(arena, struct bt_mend, fixed->count + more->count + 1);
    if (!items) {
        return BT_ENOMEM;
    }
    if (fixed->count > 0) {
        memcpy(items, fixed->items, fixed->count * sizeof(*items));
    }
    if (more->count > 0) {
        memcpy(items + fixed->count, more->items, more->count * sizeof(*items));
    }
    fixed->items = items;
    fixed->count += more->count;
    return BT_OK;
}

/* Keep the changes that may be made. */
static void choose(struct bt_mends *mends, bool unsafe)
{
    size_t kept = 0;
    for (size_t i = 0; i < mends->count; i++) {
        if (mends->items[i].kind == BT_FIX_SAFE || unsafe) {
            mends->items[kept++] = mends->items[i];
        }
    }
    mends->count = kept;
}

enum bt_status bt_mends_apply(struct bt_turn *turn, bt_str *out)
{
    const size_t count = turn->mends.count;
    size_t *order = BT_NEW_ARRAY(turn->arena, size_t, count);
    size_t *scratch = BT_NEW_ARRAY(turn->arena, size_t, count);
    if (!order || !scratch) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        order[i] = i;
    }
    bt_sort(order, scratch, count, compare_places, turn->mends.items);
    return rewrite(turn, order, count, out);
}

/* An INPUT envelope has nothing that could be fixed. */
static enum bt_status leave_alone(struct bt_turn *turn, bt_str path, struct bt_contract_fixed *out)
{
    struct bt_contract_fixed result = {.text = turn->text, .before = turn->text};
    result.judged = (struct bt_judged){.path = path,
                                       .dialect = BT_STR("contract"),
                                       .source = turn->text,
                                       .findings = turn->findings};
    BT_TRY(bt_envelope_judge(turn, &result.judged.facts));
    BT_TRY(bt_findings_finish(turn->findings, turn->text));
    result.judged.verdict = bt_verdict_of(turn->findings, BT_HARD);
    *out = result;
    return BT_OK;
}

static enum bt_status finish(struct bt_turn *turn, bt_str path, const struct bt_mends *fixed,
                             struct bt_contract_fixed *out)
{
    struct bt_contract_fixed result = {.text = turn->text, .count = fixed->count};
    BT_TRY(bt_turn_conclude(turn, path, fixed, &result.judged));
    result.judged.fixed = fixed->count;
    *out = result;
    return BT_OK;
}

enum bt_status bt_contract_fix(struct bt_contract *contract, struct bt_arena *arena,
                               const struct bt_contract_document *document, bool unsafe,
                               struct bt_contract_fixed *out)
{
    assert(contract);
    assert(arena);
    assert(document);
    assert(out);
    static const struct bt_contract_options defaults = {.host_id = {"", 0}};
    struct bt_mends fixed = {0};
    bt_str text = document->text;
    bt_str before = document->text;
    for (size_t round = 0;; round++) {
        struct bt_turn turn = {.contract = contract,
                               .options = document->options ? document->options : &defaults,
                               .findings = bt_findings_new(arena),
                               .text = text,
                               .wants_mends = true};
        if (!turn.findings) {
            return BT_ENOMEM;
        }
        if (turn.options->direction == BT_CONTRACT_INPUT) {
            return leave_alone(&turn, document->path, out);
        }
        BT_TRY(bt_turn_judge(&turn));
        if (round == 0) {
            BT_TRY(bt_turn_shown(&turn, &before));
        }
        choose(&turn.mends, unsafe);
        if (turn.mends.count == 0 || round == ROUNDS_MAX) {
            BT_TRY(finish(&turn, document->path, &fixed, out));
            out->before = before;
            return BT_OK;
        }
        BT_TRY(bt_mends_apply(&turn, &text));
        BT_TRY(append(arena, &fixed, &turn.mends));
    }
}
