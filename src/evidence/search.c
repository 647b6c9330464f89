/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search.c - look in a transcript for texts that its index does not have.
 *
 * The file is read again. Where every text that is looked for has words that JSON does not escape,
 * only lines with all words of one of them are parsed.
 */
#include <assert.h>

#include "base/plain.h"
#include "evidence/facts.h"

enum {
    HELD_BYTES_MAX = 32 << 20, /* outputs that wait for the output of an earlier call */
    SHOWN_BYTES_MAX = 80,
    TEXTS_MAX = 16,
};

/* ---- Which lines ----------------------------------------------------------------------------- */

struct text_filter {
    struct bt_transcript_filter lines;
    bt_str texts[TEXTS_MAX];
    bool is_useless; /* a text has no word to look for, or there are too many texts */
};

static void add_text(struct text_filter *filter, bt_str text)
{
    size_t at = 0;
    if (bt_transcript_next_word(text, &at).len == 0 || filter->lines.text_count == TEXTS_MAX) {
        filter->is_useless = true;
        return;
    }
    filter->texts[filter->lines.text_count++] = text;
}

/* The lines of edits whose paths are needed. */
static enum bt_status add_offsets(struct bt_evidence_comparison *comparison,
                                  struct text_filter *filter)
{
    const struct bt_evidence_index *index = &comparison->follow->index;
    uint64_t *offsets = BT_NEW_ARRAY(&comparison->arena, uint64_t, index->unpacked_count + 1);
    BT_TRY(offsets ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; comparison->claims.files_changed && i < index->unpacked_count; i++) {
        if (index->calls.items[i].kind == BT_CALL_EDIT) {
            offsets[filter->lines.offset_count++] = index->calls.items[i].offset;
        }
    }
    filter->lines.offsets = offsets;
    return BT_OK;
}

/* Whether the key of a claim has to be looked for. */
static bool needs_key(const struct bt_command_claim *claim)
{
    return !claim->call && claim->has_form;
}

static enum bt_status make_filter(struct bt_evidence_comparison *comparison,
                                  struct text_filter *filter)
{
    const struct bt_claims *claims = &comparison->claims;
    for (size_t i = 0; i < claims->commands.count; i++) {
        if (needs_key(&claims->commands.items[i])) {
            add_text(filter, claims->commands.items[i].key.words[0]);
        }
    }
    for (size_t i = 0; i < claims->outputs.count; i++) {
        const struct bt_plain_text *text = &claims->outputs.items[i].quotation.text;
        for (size_t line = 0; line < text->count; line++) {
            add_text(filter, text->lines[line]);
        }
    }
    filter->lines.texts = filter->texts;
    return add_offsets(comparison, filter);
}

/* ---- Outputs --------------------------------------------------------------------------------- */

/* An output that waits, and the next one of the same call. */
struct held_output {
    struct bt_plain_text text;
    struct held_output *next;
};

struct held_list {
    struct held_output *first;
    struct held_output *last;
};

/* Outputs in the order of their calls: one that comes early waits for those before it. */
struct output_queue {
    struct bt_evidence_comparison *comparison;
    struct bt_arena arena;  /* of the outputs that wait */
    struct held_list *held; /* of each call */
    size_t next;            /* the call whose output is next */
    bool is_filtered;       /* some outputs never come: all wait for the end */
    bool is_full;
};

static void search_output(struct bt_evidence_comparison *comparison,
                          const struct bt_plain_text *output)
{
    for (size_t i = 0; i < comparison->claims.outputs.count; i++) {
        bt_quotation_search(&comparison->claims.outputs.items[i].quotation, output);
    }
}

/* Search the outputs of calls as long as they have come, or with `is_end` all that have. */
static void drain_queue(struct output_queue *queue, bool is_end)
{
    const struct bt_evidence_index *index = &queue->comparison->follow->index;
    while (
        queue->next < index->calls.count &&
        (is_end || !index->calls.items[queue->next].has_result || queue->held[queue->next].first)) {
        for (const struct held_output *held = queue->held[queue->next].first; held;
             held = held->next) {
            search_output(queue->comparison, &held->text);
        }
        queue->next++;
    }
}

/* Keep an output behind the others of its call. BT_ENOMEM: there are too many. */
static enum bt_status hold_output(struct output_queue *queue, size_t number, bt_str text)
{
    struct held_output *held = BT_NEW(&queue->arena, struct held_output);
    BT_TRY(held ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_plain_text_read(&queue->arena, text, &held->text));
    struct held_list *list = &queue->held[number];
    *(list->last ? &list->last->next : &list->first) = held;
    list->last = held;
    return BT_OK;
}

static enum bt_status take_output(struct output_queue *queue, const struct bt_evidence_call *call,
                                  bt_str text)
{
    const size_t number = (size_t)(call - queue->comparison->follow->index.calls.items);
    if (queue->comparison->claims.outputs.count == 0) {
        return BT_OK;
    }
    const struct bt_arena_mark mark = bt_arena_mark(&queue->arena);
    const bool waits = queue->is_filtered || number > queue->next;
    struct bt_plain_text plain;
    const enum bt_status status =
        waits ? hold_output(queue, number, text) : bt_plain_text_read(&queue->arena, text, &plain);
    if (status == BT_ENOMEM) {
        queue->is_full = true;
        return BT_OK;
    }
    BT_TRY(status);
    if (waits) {
        return BT_OK;
    }
    search_output(queue->comparison, &plain);
    bt_arena_rewind(&queue->arena, mark);
    if (number == queue->next) { /* else it is a second output of the call */
        queue->next++;
        drain_queue(queue, false);
    }
    return BT_OK;
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* Look for the keys of commands that matched no call. */
static enum bt_status search_keys(struct bt_evidence_comparison *comparison, bt_str text,
                                  bool is_understood_command)
{
    for (size_t i = 0; i < comparison->claims.commands.count; i++) {
        struct bt_command_claim *claim = &comparison->claims.commands.items[i];
        if (!needs_key(claim) || !bt_command_key_occurs(&claim->key, text)) {
            continue;
        }
        claim->is_mentioned = true;
        if (is_understood_command) {
            size_t size = text.len < SHOWN_BYTES_MAX ? text.len : SHOWN_BYTES_MAX;
            while (size < text.len && ((unsigned char)text.ptr[size] & 0xc0) == 0x80) {
                size--; /* not in the middle of a character */
            }
            claim->state = BT_CLAIM_OTHER_ARGUMENTS;
            BT_TRY(bt_arena_copy(comparison->view->arena, bt_str_slice(text, 0, size),
                                 &claim->nearest));
        }
    }
    return BT_OK;
}

/* Take the paths of an edit that was read by an earlier event of the agent. */
static enum bt_status take_paths(struct bt_evidence_comparison *comparison,
                                 const struct bt_transcript_call *from,
                                 struct bt_evidence_call *call)
{
    return call->kind == BT_CALL_EDIT && call->paths.count == 0
               ? bt_evidence_index_keep_paths(&comparison->follow->index, from, call)
               : BT_OK;
}

static enum bt_status search_event(struct output_queue *queue,
                                   const struct bt_transcript_event *event)
{
    struct bt_evidence_comparison *comparison = queue->comparison;
    struct bt_evidence_call *call = bt_evidence_index_find(&comparison->follow->index, event->id);
    if (!call || !bt_evidence_index_wants(&comparison->follow->index, event->agent)) {
        return BT_OK;
    }
    if (event->kind == BT_TRANSCRIPT_CALL) {
        BT_TRY(take_paths(comparison, &event->as.call, call));
        const bool is_command = event->as.call.kind == BT_CALL_COMMAND;
        return search_keys(comparison, is_command ? event->as.call.command : event->as.call.input,
                           is_command && call->is_understood);
    }
    if (event->kind == BT_TRANSCRIPT_RESULT) {
        BT_TRY(search_keys(comparison, event->as.result.text, false));
        return take_output(queue, call, event->as.result.text);
    }
    return BT_OK;
}

/* Go through the lines that were read before. */
static enum bt_status search_lines(struct output_queue *queue,
                                   const struct bt_transcript_filter *filter)
{
    struct bt_evidence_follow *follow = queue->comparison->follow;
    struct bt_transcript_event event = {.kind = BT_TRANSCRIPT_CALL};
    BT_TRY(bt_transcript_rewind(follow->reader, filter));
    while (event.kind != BT_TRANSCRIPT_END) {
        BT_TRY(bt_transcript_next(follow->reader, &event));
        if (event.kind != BT_TRANSCRIPT_END && event.offset < follow->state.to) {
            BT_TRY(search_event(queue, &event));
        }
    }
    return BT_OK;
}

enum bt_status bt_evidence_search_texts(struct bt_evidence_comparison *comparison)
{
    assert(comparison);
    struct text_filter filter = {.is_useless = false};
    struct output_queue queue = {.comparison = comparison};
    BT_TRY(make_filter(comparison, &filter));
    if (filter.lines.text_count == 0 && filter.lines.offset_count == 0 && !filter.is_useless) {
        return BT_OK; /* nothing is looked for */
    }
    queue.held = BT_NEW_ARRAY(&comparison->arena, struct held_list,
                              comparison->follow->index.calls.count + 1);
    BT_TRY(queue.held ? BT_OK : BT_ENOMEM);
    filter.is_useless = filter.is_useless || BT_PLAIN_TRANSCRIPT_FILTER;
    queue.is_filtered = !filter.is_useless;
    bt_arena_init(&queue.arena, HELD_BYTES_MAX);
    drain_queue(&queue, false);
    const enum bt_status status = search_lines(&queue, filter.is_useless ? NULL : &filter.lines);
    drain_queue(&queue, true);
    comparison->outputs_undecided = queue.is_full;
    bt_arena_free(&queue.arena);
    return status;
}
