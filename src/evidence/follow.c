/* SPDX-License-Identifier: Apache-2.0 */
/* follow.c - read a transcript on from where it was read before. */
#include "evidence/follow.h"

#include <assert.h>
#include <inttypes.h>

#include "base/pack.h"

bt_str bt_evidence_reading_name(enum bt_evidence_reading reading)
{
    static const bt_str names[] = {BT_STR_INIT("none"), BT_STR_INIT("unreadable"),
                                   BT_STR_INIT("partial"), BT_STR_INIT("read")};
    return names[reading];
}

static void begin_index(struct bt_evidence_follow *follow)
{
    const struct bt_evidence_index_options options = {.agent = follow->source.agent,
                                                      .doc_paths = follow->source.doc_paths,
                                                      .hash_seed = follow->env->hash_seed};
    bt_evidence_index_init(&follow->index, &follow->arena, &options);
}

void bt_evidence_follow_init(struct bt_evidence_follow *follow, const struct bt_env *env,
                             const struct bt_evidence_source *source)
{
    assert(follow);
    assert(env);
    assert(source);
    *follow =
        (struct bt_evidence_follow){.env = env,
                                    .source = *source,
                                    .mark = BT_STR(""),
                                    .slice_mark = BT_STR(""),
                                    .spent = {BT_STR_INIT(""), BT_STR_INIT(""), BT_STR_INIT("")}};
    bt_arena_init(&follow->arena, BT_EVIDENCE_INDEX_BYTES_MAX);
    begin_index(follow);
}

void bt_evidence_follow_free(struct bt_evidence_follow *follow)
{
    assert(follow);
    bt_transcript_close(follow->reader);
    follow->reader = NULL;
    bt_evidence_index_free(&follow->index);
    bt_arena_free(&follow->arena);
}

/* ---- Going on -------------------------------------------------------------------------------- */

/* The digest of everything besides the file that the index depends on. */
static enum bt_status digest_settings(const struct bt_evidence_source *source,
                                      uint8_t out[BT_SHA256_BYTES])
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_pack_text(&buf, source->path);
    bt_pack_text(&buf, source->agent);
    for (size_t i = 0; i < source->doc_paths.count; i++) {
        bt_pack_text(&buf, source->doc_paths.items[i]);
    }
    const enum bt_status status =
        buf.status == BT_OK ? bt_sha256(bt_buf_str(&buf), out) : buf.status;
    bt_buf_free(&buf);
    return status;
}

/* Write which file it is as it is kept. */
static enum bt_status describe_file(struct bt_evidence_follow *follow,
                                    const struct bt_transcript_file *file,
                                    struct bt_evidence_kept *out)
{
    BT_TRY(bt_arena_printf(&follow->arena, &out->device, "%" PRIu64, file->device));
    BT_TRY(bt_arena_printf(&follow->arena, &out->inode, "%" PRIu64, file->inode));
    return bt_arena_copy(&follow->arena, (bt_str){(const char *)file->last, file->last_size},
                         &out->last_bytes);
}

/* Whether the file still is the one that was read before, up to the kept offset. */
static enum bt_status is_same_file(struct bt_evidence_follow *follow,
                                   const struct bt_evidence_kept *kept, bool *out)
{
    struct bt_transcript_file file;
    struct bt_evidence_kept now;
    *out = false;
    if (!kept || !kept->is_there ||
        bt_transcript_identify(follow->reader, kept->read_to, &file) != BT_OK) {
        return BT_OK;
    }
    BT_TRY(describe_file(follow, &file, &now));
    *out = bt_str_eq(now.device, kept->device) && bt_str_eq(now.inode, kept->inode) &&
           bt_str_eq(now.last_bytes, kept->last_bytes);
    return BT_OK;
}

/* Go on at the kept offset. False: what was kept is of no use. */
static bool restore_reading(struct bt_evidence_follow *follow, const struct bt_evidence_kept *kept)
{
    uint8_t settings[BT_SHA256_BYTES];
    return digest_settings(&follow->source, settings) == BT_OK &&
           bt_str_eq((bt_str){(const char *)settings, sizeof(settings)}, kept->settings) &&
           bt_evidence_index_unpack(&follow->index, kept->calls) == BT_OK &&
           bt_transcript_resume(follow->reader, kept->slice) == BT_OK;
}

static enum bt_status open_reader(struct bt_evidence_follow *follow)
{
    const struct bt_transcript_options options = {.hash_seed = follow->env->hash_seed,
                                                  .owned_only = follow->source.owned_only,
                                                  .deadline_ms = follow->source.deadline_ms};
    bt_transcript_close(follow->reader);
    follow->reader = NULL;
    if (follow->source.path.len == 0) {
        return BT_OK;
    }
    const enum bt_status status =
        bt_transcript_open(follow->source.path, &options, &follow->reader, NULL);
    follow->reading =
        status == BT_ENOENT ? BT_EVIDENCE_READING_NONE : BT_EVIDENCE_READING_UNREADABLE;
    return status == BT_ENOMEM ? status : BT_OK;
}

/* Read from the start: the index is empty, and the slice begins where the last one ended. */
static enum bt_status restart_reading(struct bt_evidence_follow *follow, uint64_t from)
{
    bt_evidence_index_free(&follow->index);
    begin_index(follow);
    BT_TRY(open_reader(follow));
    if (follow->reader) {
        bt_transcript_set_from(follow->reader, from);
    }
    return BT_OK;
}

enum bt_status bt_evidence_follow_open(struct bt_evidence_follow *follow,
                                       const struct bt_evidence_kept *kept)
{
    assert(follow);
    assert(!follow->reader);
    bool is_same = false;
    if (kept && kept->is_there) {
        follow->spent = kept->spent;
    }
    BT_TRY(open_reader(follow));
    if (!follow->reader) {
        follow->is_ended = true;
        return BT_OK;
    }
    BT_TRY(is_same_file(follow, kept, &is_same));
    if (!is_same) {
        return BT_OK;
    }
    follow->is_resumed = restore_reading(follow, kept);
    if (follow->is_resumed) {
        return BT_OK;
    }
    const uint64_t from = bt_transcript_mark_from(kept->slice);
    return restart_reading(follow, from <= kept->read_to ? from : 0);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Find out by which name the lines of the wanted agent go. */
static enum bt_status name_agent(struct bt_evidence_follow *follow)
{
    const struct bt_transcript_state *state = bt_transcript_state(follow->reader);
    bt_str *agent = &follow->index.options.agent;
    if (state->format == BT_TRANSCRIPT_CODEX && bt_str_eq(*agent, state->thread)) {
        *agent = BT_STR("-"); /* the file of a thread has its lines alone */
    }
    return agent->len == 0 ? bt_arena_copy(&follow->arena, state->own_agent, agent) : BT_OK;
}

/* Whether a line of the file belongs to the agent. */
static bool has_agent(const struct bt_evidence_follow *follow)
{
    const struct bt_transcript_state *state = bt_transcript_state(follow->reader);
    return bt_str_index_in(follow->index.options.agent, state->agents, state->agent_count) <
           state->agent_count;
}

/* Put a mark into the arena. */
static enum bt_status copy_mark(struct bt_evidence_follow *follow, bool begins_slice, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    return bt_buf_finish_if(bt_transcript_put_mark(follow->reader, begins_slice, &buf), &buf,
                            &follow->arena, out);
}

static enum bt_status finish_reading(struct bt_evidence_follow *follow)
{
    const struct bt_transcript_state *state = bt_transcript_state(follow->reader);
    follow->is_ended = true;
    follow->state = *state;
    if (state->format == BT_TRANSCRIPT_FORMAT_NONE || !has_agent(follow)) {
        return BT_OK; /* it stays unreadable */
    }
    follow->reading = state->is_partial || follow->index.is_full ? BT_EVIDENCE_READING_PARTIAL
                                                                 : BT_EVIDENCE_READING_WHOLE;
    BT_TRY(copy_mark(follow, false, &follow->mark));
    return copy_mark(follow, true, &follow->slice_mark);
}

enum bt_status bt_evidence_follow_next(struct bt_evidence_follow *follow,
                                       struct bt_transcript_event *out)
{
    assert(follow);
    assert(out);
    *out = (struct bt_transcript_event){.kind = BT_TRANSCRIPT_END};
    if (follow->is_ended) {
        return BT_OK;
    }
    enum bt_status status = bt_transcript_next(follow->reader, out);
    if (status == BT_EIO) {
        follow->is_ended = true; /* it stays unreadable */
        *out = (struct bt_transcript_event){.kind = BT_TRANSCRIPT_END};
        return BT_OK;
    }
    BT_TRY(status);
    BT_TRY(name_agent(follow));
    if (out->kind == BT_TRANSCRIPT_END) {
        return finish_reading(follow);
    }
    if (!follow->index.is_full) {
        status = bt_evidence_index_add(&follow->index, bt_transcript_state(follow->reader), out);
        follow->index.is_full = follow->index.is_full || status == BT_ENOMEM;
    }
    return status == BT_ENOMEM ? BT_OK : status;
}

enum bt_status bt_evidence_follow_read(struct bt_evidence_follow *follow)
{
    struct bt_transcript_event event;
    do {
        BT_TRY(bt_evidence_follow_next(follow, &event));
    } while (event.kind != BT_TRANSCRIPT_END);
    return BT_OK;
}

enum bt_status bt_evidence_follow_keep(struct bt_evidence_follow *follow, bool begins_slice,
                                       struct bt_evidence_kept *out)
{
    assert(follow);
    assert(out);
    struct bt_transcript_file file;
    struct bt_evidence_kept kept = {.is_there = true,
                                    .read_to = follow->state.to,
                                    .slice = begins_slice ? follow->slice_mark : follow->mark,
                                    .spent = follow->spent};
    uint8_t settings[BT_SHA256_BYTES];
    struct bt_buf buf;
    if (follow->reading < BT_EVIDENCE_READING_PARTIAL ||
        bt_transcript_identify(follow->reader, kept.read_to, &file) != BT_OK) {
        return BT_ENOENT;
    }
    BT_TRY(digest_settings(&follow->source, settings));
    BT_TRY(bt_arena_copy(&follow->arena, (bt_str){(const char *)settings, sizeof(settings)},
                         &kept.settings));
    BT_TRY(describe_file(follow, &file, &kept));
    bt_buf_init(&buf, BT_EVIDENCE_INDEX_BYTES_MAX);
    bt_evidence_index_pack(&follow->index, &buf);
    BT_TRY(bt_buf_finish(&buf, &follow->arena, &kept.calls));
    *out = kept;
    return BT_OK;
}
