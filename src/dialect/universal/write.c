/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - baton write: an accepted handoff goes to its place, and nowhere else.
 *
 *     judge -> (seal) -> names and folder -> verdict -> write -> report
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "dialect/universal/draft_check.h"
#include "dialect/universal/result.h"
#include "dialect/universal/revision.h"
#include "dialect/universal/write_dir.h"
#include "json/emit.h"
#include "report/rules.h"

struct universal_write_state {
    struct bt_universal_final_check ending;
    const struct bt_universal_write_options *how;
    struct bt_findings *notes;
    struct bt_universal_check handoff; /* what is to be written */
    struct bt_universal_revision sealed;
    bool is_sealed; /* `sealed` is to be ended */
    struct bt_universal_write_dir site;
    bool has_site;
    bool fallback;
    struct bt_error *error;
};

static enum bt_status check_document(struct universal_write_state *writing, bt_str text)
{
    struct bt_findings *findings = bt_findings_new(writing->ending.arena);
    return findings ? bt_universal_check_judge(writing->ending.universal, text,
                                               writing->ending.options, findings, &writing->handoff)
                    : BT_ENOMEM;
}

static bool is_accepted(const struct universal_write_state *writing)
{
    return bt_verdict_of(writing->handoff.findings, BT_SEVERITY_HARD) == BT_VERDICT_ACCEPTED &&
           bt_verdict_of(writing->notes, BT_SEVERITY_HARD) == BT_VERDICT_ACCEPTED;
}

static enum bt_status seal_document(struct universal_write_state *writing)
{
    BT_TRY(bt_universal_seal_begin(&writing->sealed, writing->ending.universal,
                                   writing->ending.arena, writing->handoff.text));
    writing->is_sealed = true;
    return check_document(writing, writing->sealed.text);
}

static enum bt_status find_site(struct universal_write_state *writing)
{
    bt_str path = BT_STR("");
    struct bt_error error;
    if (!bt_universal_check_usable_text(&writing->handoff, writing->handoff.parts.source,
                                        "session_path", &path)) {
        return BT_OK;
    }
    const enum bt_status status = bt_payload_reference_site_find(
        &writing->how->roots, path, writing->ending.arena, &writing->site, &error);
    writing->has_site = status == BT_OK;
    if (status == BT_EDENIED) {
        return bt_universal_add_unsafe_session_path(writing->notes, path, error.text);
    }
    return status == BT_OK ? BT_OK : bt_error_set(writing->error, status, "%s", error.text);
}

static enum bt_status find_place(struct universal_write_state *writing)
{
    BT_TRY(bt_universal_check_file_names(&writing->handoff, writing->notes));
    return find_site(writing);
}

/* YYYYMMDDThhmmssZ of the document's time in UTC. */
static enum bt_status put_time(const struct universal_write_state *writing, struct bt_buf *out)
{
    bt_str text = BT_STR("");
    struct bt_buf utc;
    const bool usable = bt_universal_check_usable_text(
        &writing->handoff, writing->handoff.parts.handoff, "timestamp", &text);
    assert(usable);
    bt_buf_init(&utc, SIZE_MAX);
    const enum bt_status status = usable ? bt_timestamp_to_utc(text, &utc) : BT_EINVAL;
    for (size_t i = 0; i < utc.len && utc.ptr[i] != '.' && utc.ptr[i] != 'Z'; i++) {
        if (utc.ptr[i] != '-' && utc.ptr[i] != ':') {
            bt_buf_put_char(out, utc.ptr[i]);
        }
    }
    bt_buf_put_char(out, 'Z');
    bt_buf_free(&utc);
    return status == BT_OK
               ? out->status
               : bt_error_set(writing->error, status,
                              "its timestamp lies outside the years 0000 to 9999 in UTC");
}

/* SOURCE-to-TARGET-TIME: both names are safe by now. */
static enum bt_status make_stem(const struct universal_write_state *writing, bt_str *out)
{
    const struct bt_universal_check *handoff = &writing->handoff;
    bt_str source = BT_STR("");
    bt_str target = BT_STR("");
    const bool named =
        bt_universal_check_usable_text(handoff, handoff->parts.source, "skill", &source) &&
        bt_universal_check_usable_text(handoff, handoff->parts.target, "skill", &target);
    assert(named && bt_universal_skill_name_is_safe(source, true) &&
           bt_universal_skill_name_is_safe(target, true));
    if (!named) {
        return BT_EINVAL;
    }
    struct bt_buf stem;
    bt_buf_init(&stem, 256);
    bt_buf_put(&stem, source);
    bt_buf_put_text(&stem, "-to-");
    bt_buf_put(&stem, target);
    bt_buf_put_char(&stem, '-');
    return bt_buf_finish_if(put_time(writing, &stem), &stem, writing->ending.arena, out);
}

/* The path that would be written now. */
static enum bt_status find_free_path(struct universal_write_state *writing, bt_str stem,
                                     bt_str *out_path)
{
    struct bt_arena *arena = writing->ending.arena;
    struct bt_dir *folder = NULL;
    bt_str name = BT_STR("");
    if (bt_payload_reference_site_open(&writing->site, false, &folder, NULL) == BT_ENOMEM) {
        return BT_ENOMEM;
    }
    enum bt_status status = BT_EEXIST;
    for (unsigned i = 1; i <= BT_SITE_NAMES_MAX && status == BT_EEXIST; i++) {
        status = bt_payload_reference_site_name(arena, stem, i, &name);
        if (status == BT_OK && folder &&
            bt_dir_compare_file(folder, name, BT_STR("")) != BT_FILE_COMPARED_ABSENT) {
            status = BT_EEXIST;
        }
    }
    bt_dir_close(folder);
    return status == BT_OK ? bt_payload_reference_site_path(&writing->site, arena, name, out_path)
                           : status;
}

static enum bt_status write_fallback(struct universal_write_state *writing, bt_str stem,
                                     bt_str *out_path)
{
    struct bt_arena *arena = writing->ending.arena;
    struct bt_universal_write_dir site;
    bt_str name = BT_STR("");
    bt_str wanted = BT_STR("");
    BT_TRY(bt_payload_reference_site_name(arena, stem, 1, &name));
    BT_TRY(bt_payload_reference_site_path(&writing->site, arena, name, &wanted));
    BT_TRY(bt_payload_reference_site_find_fallback(&writing->how->roots, arena, &site,
                                                   writing->error));
    const enum bt_status status = bt_universal_write_dir_create_file(
        &site, arena, stem, writing->handoff.text, out_path, writing->error);
    bt_payload_reference_site_close(&site);
    if (status != BT_OK) {
        return status;
    }
    writing->fallback = true;
    return bt_universal_write_dir_add_fallback_finding(writing->notes, wanted, *out_path);
}

static enum bt_status write_document(struct universal_write_state *writing, bt_str *out_path)
{
    bt_str stem = BT_STR("");
    BT_TRY(make_stem(writing, &stem));
    if (writing->how->dry_run) {
        return find_free_path(writing, stem, out_path);
    }
    enum bt_status status =
        bt_universal_write_dir_create_file(&writing->site, writing->ending.arena, stem,
                                           writing->handoff.text, out_path, writing->error);
    if (status == BT_ENOENT) {
        status = write_fallback(writing, stem, out_path);
    }
    if (status == BT_OK && writing->how->written) {
        status =
            writing->how->written(writing->how->context, writing->handoff.document, writing->notes);
    }
    return status;
}

static enum bt_status put_written(const struct universal_write_state *writing, bt_str path,
                                  struct bt_buf *buf)
{
    char hash[sizeof("sha256:") - 1 + BT_SHA256_HEX_BYTES] = "sha256:";
    struct bt_emit emit;
    if (writing->how->dry_run) {
        bt_json_put_string(buf, path);
        return buf->status;
    }
    BT_TRY(bt_sha256_hex(writing->handoff.text, hash + sizeof("sha256:") - 1));
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "path", path);
    bt_emit_member_u64(&emit, "bytes", writing->handoff.text.len);
    bt_emit_member_string(&emit, "sha256", bt_str_of(hash));
    bt_emit_member_bool(&emit, "fallback", writing->fallback);
    bt_emit_end(&emit);
    return buf->status;
}

static enum bt_status write_result(struct universal_write_state *writing, bt_str path,
                                   struct bt_universal_result *out)
{
    const struct bt_universal_result_parts parts = {
        .handoff = &writing->handoff,
        .revision = writing->is_sealed ? &writing->sealed : NULL,
        .document = writing->how->show_document,
    };
    writing->ending.notes = writing->notes;
    BT_TRY(bt_universal_final_check_free(&writing->ending, &writing->handoff, out));
    BT_TRY(bt_universal_result_finish(&parts, out));
    if (path.len == 0) {
        return BT_OK;
    }
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    enum bt_status status = put_written(writing, path, &buf);
    if (status == BT_OK) {
        status = bt_universal_result_add_member(writing->ending.arena,
                                                writing->how->dry_run ? "would_write" : "written",
                                                bt_buf_str(&buf), out);
    }
    bt_buf_free(&buf);
    out->written = path;
    return status;
}

static enum bt_status run(struct universal_write_state *writing, bt_str text,
                          struct bt_universal_result *out)
{
    bt_str path = BT_STR("");
    writing->notes = bt_findings_new(writing->ending.arena);
    BT_TRY(writing->notes ? BT_OK : BT_ENOMEM);
    BT_TRY(check_document(writing, text));
    if (writing->how->seal && is_accepted(writing)) {
        BT_TRY(seal_document(writing));
    }
    if (writing->handoff.document) {
        BT_TRY(find_place(writing));
    }
    if (is_accepted(writing)) {
        assert(writing->has_site);
        BT_TRY(write_document(writing, &path));
    }
    return write_result(writing, path, out);
}

enum bt_status bt_universal_write(struct bt_universal_checker *universal, struct bt_arena *arena,
                                  const struct bt_universal_input *input,
                                  const struct bt_universal_write_options *how,
                                  struct bt_universal_result *out, struct bt_error *error)
{
    assert(universal);
    assert(input);
    assert(how);
    assert(out);
    const struct bt_universal_options defaults = bt_universal_options_default();
    struct bt_error own = {.text = ""};
    struct bt_universal_result result = {.outcome = BT_UNIVERSAL_OUTCOME_NONE};
    struct universal_write_state writing = {
        .ending = {universal, arena, input->path, input->options ? input->options : &defaults,
                   NULL},
        .how = how,
        .error = &own,
    };
    const enum bt_status status = run(&writing, input->text, &result);
    bt_payload_reference_site_close(&writing.site);
    if (writing.is_sealed) {
        bt_universal_revision_end(&writing.sealed);
    }
    if (status != BT_OK) {
        return bt_error_set(error, status, "%s", own.text[0] ? own.text : bt_status_text(status));
    }
    *out = result;
    return BT_OK;
}
