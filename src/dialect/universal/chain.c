/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain.c - who has held the work: loops, re-entry, length, the position of the source.
 *
 * Names are compared after trimming white space and lower-casing A to Z, so that spelling cannot
 * hide a loop.
 */
#include <assert.h>

#include "base/buf.h"
#include "dialect/universal/universal_check.h"
#include "report/rules.h"
#include "skill/skill.h"

enum {
    APPROVAL_FREE = 5, /* entries without a person's consent */
    CHAIN_GOOD = 10,
    KEEP_EACH = 5,       /* of the entries at either end that a cut keeps */
    DRAWN_NAME_MAX = 40, /* bytes */
    DRAWN_MAX = 20,
    DRAWN_EACH = 10,
};

/* Where `name` first stands in the chain, or its length. */
static size_t index_of(const struct bt_universal_check *handoff, bt_str name)
{
    size_t i = 0;
    while (i < handoff->chain.count && !bt_skill_name_equal(handoff->chain.names[i], name)) {
        i++;
    }
    return i;
}

struct universal_chain_drawing {
    const struct bt_universal_check *handoff;
    bt_str source;
    bt_str target;
    bool with_source; /* it occurs nowhere in the chain */
    bool with_target; /* it is known */
};

static size_t drawn_count(const struct universal_chain_drawing *drawing)
{
    return drawing->handoff->chain.count + drawing->with_source + drawing->with_target;
}

static bt_str drawn_at(const struct universal_chain_drawing *drawing, size_t index)
{
    if (index < drawing->handoff->chain.count) {
        return drawing->handoff->chain.names[index];
    }
    return drawing->with_source && index == drawing->handoff->chain.count ? drawing->source
                                                                          : drawing->target;
}

/* The longest beginning of at most `max` bytes that cuts no character. */
static bt_str truncate_text(bt_str text, size_t max)
{
    if (text.len <= max) {
        return text;
    }
    while (max > 0 && ((unsigned char)text.ptr[max] & 0xc0) == 0x80) {
        max--;
    }
    return bt_str_slice(text, 0, max);
}

static void put_name(struct bt_buf *buf, bt_str name, bt_str target)
{
    const bool is_target = target.len > 0 && bt_skill_name_equal(name, target);
    const bt_str shown = truncate_text(name, DRAWN_NAME_MAX);
    bt_buf_put_text(buf, is_target ? "[" : "");
    bt_buf_put(buf, shown);
    bt_buf_put_text(buf, shown.len < name.len ? "..." : "");
    bt_buf_put_text(buf, is_target ? "]" : "");
}

static void put_drawing(struct bt_buf *buf, const struct universal_chain_drawing *drawing)
{
    const size_t count = drawn_count(drawing);
    for (size_t i = 0; i < count; i++) {
        bt_buf_put_text(buf, i > 0 ? " -> " : "");
        if (count > DRAWN_MAX && i == DRAWN_EACH) {
            bt_buf_put_text(buf, "... -> ");
            i = count - DRAWN_EACH;
        }
        put_name(buf, drawn_at(drawing, i), drawing->target);
    }
}

/* The chain as a line of text, for people. */
static enum bt_status draw_chain(const struct universal_chain_drawing *drawing, bt_str *out)
{
    struct bt_buf picture;
    bt_buf_init(&picture, SIZE_MAX);
    put_drawing(&picture, drawing);
    return bt_buf_finish(&picture, drawing->handoff->arena, out);
}

static enum bt_severity loop_severity(const struct bt_universal_check *handoff)
{
    return handoff->options->semantics_warn ? BT_SEVERITY_WARN : BT_SEVERITY_HARD;
}

static enum bt_status add_reentry_finding(struct bt_universal_check *handoff,
                                          const struct universal_chain_drawing *drawing,
                                          struct bt_location at, size_t index, bt_str chain)
{
    bt_str reason = BT_STR("");
    const bool given =
        bt_universal_check_usable_text(handoff, handoff->parts.meta, "handoff_reason", &reason) &&
        !bt_str_is_blank(reason);
    return given ? bt_add_reentry_allowed(handoff->findings, at, drawing->target, index, chain)
                 : bt_add_reentry_without_reason(handoff->findings, loop_severity(handoff), at,
                                                 drawing->target, index, chain);
}

static enum bt_status check_loops(struct bt_universal_check *handoff,
                                  const struct universal_chain_drawing *drawing, bool source_known)
{
    const struct bt_location at = bt_universal_locate(
        handoff, bt_json_get(handoff->document, handoff->parts.target, BT_STR("skill")));
    const bool is_self = source_known && bt_skill_name_equal(drawing->source, drawing->target);
    const size_t index = index_of(handoff, drawing->target);
    bt_str chain = BT_STR("");
    if (!is_self && index == handoff->chain.count) {
        return BT_OK;
    }
    BT_TRY(draw_chain(drawing, &chain));
    return is_self ? bt_add_self_loop(handoff->findings, loop_severity(handoff), at,
                                      drawing->target, chain)
                   : add_reentry_finding(handoff, drawing, at, index, chain);
}

static enum bt_status check_approval(struct bt_universal_check *handoff,
                                     const struct universal_chain_drawing *drawing,
                                     const bt_json_value *place)
{
    if (handoff->chain.count <= APPROVAL_FREE || handoff->approved) {
        return BT_OK;
    }
    bt_str chain = BT_STR("");
    BT_TRY(draw_chain(drawing, &chain));
    return bt_add_chain_needs_approval(handoff->findings, loop_severity(handoff),
                                       bt_universal_locate(handoff, place), handoff->chain.count,
                                       APPROVAL_FREE, chain);
}

static enum bt_status check_length(struct bt_universal_check *handoff, const bt_json_value *place)
{
    const size_t count = handoff->chain.count;
    if (count <= CHAIN_GOOD) {
        return BT_OK;
    }
    bt_str keep[2 * KEEP_EACH];
    for (size_t i = 0; i < KEEP_EACH; i++) {
        keep[i] = handoff->chain.names[i];
        keep[KEEP_EACH + i] = handoff->chain.names[count - KEEP_EACH + i];
    }
    return bt_add_chain_too_long(handoff->findings, bt_universal_locate(handoff, place), count,
                                 CHAIN_GOOD, (struct bt_str_list){keep, 2 * KEEP_EACH});
}

static enum bt_status check_place_of_source(struct bt_universal_check *handoff, bt_str source,
                                            const bt_json_value *place)
{
    const bool head = handoff->options->chain_head;
    const bt_str *chain = handoff->chain.names;
    const bool fits = bt_skill_name_equal(chain[0], source) ||
                      (!head && bt_skill_name_equal(chain[handoff->chain.count - 1], source));
    if (fits) {
        return BT_OK;
    }
    return bt_add_chain_source_misplaced(
        handoff->findings, bt_universal_locate(handoff, place), source,
        head ? BT_CHAIN_SOURCE_MISPLACED_MODE_HEAD : BT_CHAIN_SOURCE_MISPLACED_MODE_HEAD_OR_TAIL);
}

/* The names of a list in which every item is a string; out stays untouched otherwise. */
static enum bt_status names_of(struct bt_universal_check *handoff, const bt_json_value *list)
{
    const size_t count = bt_json_count(list);
    bt_str *names = BT_NEW_ARRAY(handoff->arena, bt_str, count);
    BT_TRY(names ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        const bt_json_value *item = &bt_json_items(list)[i];
        if (bt_json_type(item) != BT_JSON_STRING) {
            return BT_OK;
        }
        names[i] = bt_json_text(item);
    }
    handoff->chain.names = names;
    handoff->chain.count = count;
    return BT_OK;
}

/* What is written, or [source] where nothing is. */
static enum bt_status find_chain(struct bt_universal_check *handoff, const bt_json_value *written)
{
    if (written) {
        const bt_json_value *list =
            bt_universal_check_usable(handoff, handoff->parts.meta, "handoff_chain");
        const bool usable = list && bt_json_items(list) && bt_json_count(list) > 0;
        return usable ? names_of(handoff, list) : BT_OK;
    }
    bt_str source = BT_STR("");
    if (!bt_universal_check_usable_text(handoff, handoff->parts.source, "skill", &source)) {
        return BT_OK;
    }
    bt_str *names = BT_NEW_ARRAY(handoff->arena, bt_str, 1);
    BT_TRY(names ? BT_OK : BT_ENOMEM);
    names[0] = source;
    handoff->chain.names = names;
    handoff->chain.count = 1;
    return BT_OK;
}

enum bt_status bt_universal_check_chain(struct bt_universal_check *handoff)
{
    const bt_json_value *written =
        bt_json_get(handoff->document, handoff->parts.meta, BT_STR("handoff_chain"));
    const bt_json_value *approval =
        bt_universal_check_usable(handoff, handoff->parts.meta, "user_approved");
    handoff->approved = approval && bt_json_type(approval) == BT_JSON_TRUE;
    BT_TRY(find_chain(handoff, written));
    struct universal_chain_drawing drawing = {.handoff = handoff};
    const bool source_known =
        bt_universal_check_usable_text(handoff, handoff->parts.source, "skill", &drawing.source);
    drawing.with_target =
        bt_universal_check_usable_text(handoff, handoff->parts.target, "skill", &drawing.target);
    drawing.with_source = source_known && index_of(handoff, drawing.source) == handoff->chain.count;
    if (drawing.with_target) {
        BT_TRY(check_loops(handoff, &drawing, source_known));
    }
    if (!handoff->chain.names || !written) {
        return BT_OK;
    }
    BT_TRY(check_approval(handoff, &drawing, written));
    BT_TRY(check_length(handoff, written));
    return source_known ? check_place_of_source(handoff, drawing.source, written) : BT_OK;
}
