/* SPDX-License-Identifier: Apache-2.0 */
/* index.c - the calls of one agent. */
#include "evidence/index.h"

#include <assert.h>
#include <string.h>

#include "base/str.h"
#include "shell/shell.h"

enum { SCRATCH_BYTES_MAX = 16 << 20 };

/* Ids are kept as hashes, so that an index has no text of the transcript. */
struct id_hash {
    char bytes[BT_EVIDENCE_ID_BYTES];
};

static struct id_hash hash_id(bt_str id)
{
    uint8_t digest[BT_SHA256_BYTES];
    struct id_hash hash = {{0}};
    if (bt_sha256(id, digest) == BT_OK) { /* it cannot fail: the plain function needs no memory */
        memcpy(hash.bytes, digest, sizeof(hash.bytes));
    }
    return hash;
}

static struct bt_map_key id_key(const struct id_hash *hash)
{
    return bt_map_text((bt_str){hash->bytes, sizeof(hash->bytes)});
}

/* The entry of an id, which is added if there is none. */
static enum bt_status add_id(struct bt_evidence_index *index, struct bt_map *map, bt_str id,
                             struct bt_map_entry **out)
{
    const struct id_hash hash = hash_id(id);
    bt_str kept;
    *out = bt_map_find(map, id_key(&hash));
    if (*out) {
        return BT_OK;
    }
    BT_TRY(bt_arena_copy(index->arena, id_key(&hash).text, &kept));
    return bt_map_add(map, bt_map_text(kept), out);
}

void bt_evidence_index_init(struct bt_evidence_index *index, struct bt_arena *arena,
                            const struct bt_evidence_index_options *options)
{
    static const uint64_t no_seed[2] = {0};
    assert(index);
    assert(arena);
    assert(options);
    *index = (struct bt_evidence_index){.arena = arena, .options = *options};
    const uint64_t *seed = options->hash_seed ? options->hash_seed : no_seed;
    bt_map_init(&index->ids, arena, seed);
    bt_map_init(&index->sessions, arena, seed);
    bt_arena_init(&index->scratch, SCRATCH_BYTES_MAX);
}

void bt_evidence_index_free(struct bt_evidence_index *index)
{
    assert(index);
    bt_arena_free(&index->scratch);
}

bool bt_evidence_index_wants(const struct bt_evidence_index *index, bt_str agent)
{
    return index->options.is_all || bt_str_eq(agent, index->options.agent);
}

struct bt_evidence_call *bt_evidence_index_find(const struct bt_evidence_index *index, bt_str id)
{
    const struct id_hash hash = hash_id(id);
    const struct bt_map_entry *entry = bt_map_find(&index->ids, id_key(&hash));
    return entry ? &index->calls.items[entry->value.number - 1] : NULL;
}

bool bt_evidence_call_is_applied(const struct bt_evidence_call *call)
{
    assert(call);
    const bool failed = call->is_edit_by_exit
                            ? call->reason == BT_CALL_EXIT_KNOWN && call->exit != 0
                            : call->is_error;
    return call->kind == BT_CALL_EDIT && call->has_result && !failed;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* A pattern with a slash is compared with the whole path, another with its last part. */
static bool is_document(const struct bt_evidence_index *index, bt_str path)
{
    for (size_t i = 0; i < index->options.doc_paths.count; i++) {
        const bt_str pattern = index->options.doc_paths.items[i];
        const bool is_whole = bt_str_find_byte(pattern, '/', 0) < pattern.len;
        if (bt_str_glob_matches(pattern, is_whole ? path : bt_str_after_last(path, '/'),
                                BT_GLOB_ANY)) {
            return true;
        }
    }
    return false;
}

static enum bt_status read_command(struct bt_evidence_index *index, bt_str text,
                                   struct bt_evidence_call *call)
{
    struct bt_command_form form;
    bt_arena_reset(&index->scratch);
    BT_TRY(bt_command_form_read(&index->scratch, text, &form));
    call->is_understood = form.is_understood;
    call->is_reading = form.is_reading;
    call->first_hash = (uint32_t)index->hashes.count;
    call->hash_count = (uint32_t)form.segment_count;
    BT_TRY(bt_vec_reserve(index->arena, &index->hashes, form.segment_count));
    for (size_t i = 0; i < form.segment_count; i++) {
        BT_TRY(bt_segment_hash(&form.segments[i], &index->hashes.items[index->hashes.count++]));
    }
    return BT_OK;
}

/* The number of an agent, which counts its own calls. */
static enum bt_status number_call(struct bt_evidence_index *index,
                                  const struct bt_transcript_state *state, bt_str agent,
                                  struct bt_evidence_call *call)
{
    size_t number = 0;
    while (index->options.is_all && number + 1 < state->agent_count &&
           !bt_str_eq(state->agents[number], agent)) {
        number++;
    }
    while (index->counts.count <= number) {
        BT_TRY(bt_vec_push(index->arena, &index->counts, 0));
    }
    call->agent = (uint32_t)number;
    call->number = ++index->counts.items[number];
    return BT_OK;
}

enum bt_status bt_evidence_index_keep_paths(struct bt_evidence_index *index,
                                            const struct bt_transcript_call *from,
                                            struct bt_evidence_call *call)
{
    if (from->path_count == 0) {
        return BT_OK;
    }
    bt_str *paths = BT_NEW_ARRAY(index->arena, bt_str, from->path_count);
    BT_TRY(paths ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < from->path_count; i++) {
        BT_TRY(bt_arena_copy(index->arena, from->paths[i], &paths[i]));
    }
    call->paths = (struct bt_str_list){paths, from->path_count};
    return BT_OK;
}

static enum bt_status add_call(struct bt_evidence_index *index,
                               const struct bt_transcript_state *state,
                               const struct bt_transcript_event *event)
{
    const struct bt_transcript_call *from = &event->as.call;
    struct bt_map_entry *entry = NULL;
    struct bt_evidence_call call = {.line = event->line,
                                    .offset = event->offset,
                                    .kind = (uint8_t)from->kind,
                                    .reason = BT_CALL_PENDING,
                                    .is_edit_by_exit = from->is_edit_by_exit,
                                    .is_document = from->kind == BT_CALL_EDIT,
                                    .text = {BT_STR_INIT(""), BT_STR_INIT(""), BT_STR_INIT("")}};
    if (bt_evidence_index_find(index, event->id)) {
        return BT_OK; /* a line that repeats the call */
    }
    if (index->calls.count == BT_EVIDENCE_CALLS_MAX) {
        index->is_full = true;
        return BT_OK;
    }
    for (size_t i = 0; i < from->path_count; i++) {
        call.is_document = call.is_document && is_document(index, from->paths[i]);
    }
    if (from->kind == BT_CALL_COMMAND) {
        BT_TRY(read_command(index, from->command, &call));
    }
    BT_TRY(bt_evidence_index_keep_paths(index, from, &call));
    if (index->options.keeps_text) {
        BT_TRY(bt_arena_copy(index->arena, from->tool, &call.text.tool));
        BT_TRY(bt_arena_copy(index->arena, from->command, &call.text.command));
    }
    BT_TRY(number_call(index, state, event->agent, &call));
    BT_TRY(add_id(index, &index->ids, event->id, &entry));
    entry->value.number = index->calls.count + 1;
    if (from->session.len > 0) {
        /* It continues a command: its results are that command's. */
        const struct id_hash session = hash_id(from->session);
        const struct bt_map_entry *running = bt_map_find(&index->sessions, id_key(&session));
        call.continues = running ? (uint32_t)running->value.number : 0;
    }
    return bt_vec_push(index->arena, &index->calls, call);
}

/* ---- Results --------------------------------------------------------------------------------- */

static enum bt_status keep_output(struct bt_evidence_index *index, bt_str text,
                                  struct bt_evidence_call *call)
{
    size_t size = text.len < BT_EVIDENCE_OUTPUT_BYTES_MAX ? text.len : BT_EVIDENCE_OUTPUT_BYTES_MAX;
    while (size < text.len && size > 0 && ((unsigned char)text.ptr[size] & 0xc0) == 0x80) {
        size--; /* not in the middle of a character */
    }
    return bt_arena_copy(index->arena, bt_str_slice(text, 0, size), &call->text.output);
}

static void take_exit(struct bt_evidence_call *call, const struct bt_transcript_result *result)
{
    if (!call->is_certain || result->is_certain) {
        call->reason = (uint8_t)result->reason;
        call->exit = result->exit;
        call->is_certain = result->is_certain;
    }
}

static enum bt_status add_result(struct bt_evidence_index *index,
                                 const struct bt_transcript_event *event)
{
    const struct bt_transcript_result *result = &event->as.result;
    struct bt_evidence_call *call = bt_evidence_index_find(index, event->id);
    if (!call) {
        return BT_OK;
    }
    const bool is_first = !call->has_result;
    call->has_result = true;
    call->is_error = call->is_error || result->is_error;
    call->is_cut = call->is_cut || result->is_cut;
    take_exit(call, result);
    if (result->session.len > 0) {
        struct bt_map_entry *entry = NULL;
        BT_TRY(add_id(index, &index->sessions, result->session, &entry));
        entry->value.number = (uint64_t)(call - index->calls.items) + 1;
    }
    if (call->continues > 0 && result->reason == BT_CALL_EXIT_KNOWN) {
        take_exit(&index->calls.items[call->continues - 1], result);
    }
    return index->options.keeps_output && is_first ? keep_output(index, result->text, call) : BT_OK;
}

enum bt_status bt_evidence_index_add(struct bt_evidence_index *index,
                                     const struct bt_transcript_state *state,
                                     const struct bt_transcript_event *event)
{
    assert(index);
    assert(state);
    assert(event);
    if (!bt_evidence_index_wants(index, event->agent)) {
        return BT_OK;
    }
    if (event->kind == BT_TRANSCRIPT_CALL) {
        return add_call(index, state, event);
    }
    return event->kind == BT_TRANSCRIPT_RESULT ? add_result(index, event) : BT_OK;
}

enum bt_status bt_evidence_index_read(struct bt_evidence_index *index,
                                      struct bt_transcript_reader *reader)
{
    const struct bt_transcript_state *state = bt_transcript_state(reader);
    struct bt_transcript_event event;
    do {
        BT_TRY(bt_transcript_next(reader, &event));
        if (index->options.agent.len == 0) { /* the first event tells whose file it is */
            BT_TRY(bt_arena_copy(index->arena, state->own_agent, &index->options.agent));
        }
        if (event.kind != BT_TRANSCRIPT_END) {
            BT_TRY(bt_evidence_index_add(index, state, &event));
        }
    } while (event.kind != BT_TRANSCRIPT_END);
    return BT_OK;
}
