/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refs.c - the files that a handoff refers to: do they exist, and are artifacts unchanged?
 *
 * An absolute path is used as it is; a relative one is resolved against source.session_path, then
 * against the root. References are only tested for existence, following links. Artifacts are
 * opened, so they must lie below the root, which the kernel enforces.
 */
#include "base/file.h"

#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "base/path.h"
#include "dialect/universal/universal_check.h"
#include "dialect/universal/write_dir.h"
#include "report/rules.h"

static bool is_absolute(bt_str path)
{
    return bt_str_starts_with(path, BT_STR("/"));
}

static bool has_control(bt_str path)
{
    for (size_t i = 0; i < path.len; i++) {
        const unsigned char byte = (unsigned char)path.ptr[i];
        if (byte < 0x20 || byte == 0x7f) {
            return true;
        }
    }
    return false;
}

/* Whether a relative path leads above where it starts, wherever that is. */
static bool leads_above_start(bt_str path)
{
    size_t depth = 0;
    size_t at = 0;
    for (bt_str part; bt_path_next(path, &at, &part);) {
        if (bt_str_eq(part, BT_STR(".."))) {
            if (depth == 0) {
                return true;
            }
            depth--;
        } else if (!bt_str_eq(part, BT_STR("."))) {
            depth++;
        }
    }
    return false;
}

/* Whether an absolute path lies under /tmp/ once "." and ".." are worked out. */
static bool is_ephemeral(bt_str path)
{
    bt_str first = BT_STR("");
    size_t depth = 0;
    size_t at = 0;
    for (bt_str part; bt_path_next(path, &at, &part);) {
        if (bt_str_eq(part, BT_STR(".."))) {
            depth -= depth > 0;
        } else if (!bt_str_eq(part, BT_STR("."))) {
            first = depth == 0 ? part : first;
            depth++;
        }
    }
    return depth > 1 && bt_str_eq(first, BT_STR("tmp"));
}

/* Where a path may lie, in the order in which the places are tried. */
struct universal_ref_dirs {
    bt_str at[2];
    size_t count;
};

static enum bt_status join_paths(struct bt_arena *arena, bt_str folder, bt_str path, bt_str *out)
{
    if (folder.len == 0 || is_absolute(path)) {
        *out = path;
        return BT_OK;
    }
    char *text = bt_arena_alloc(arena, folder.len + 1 + path.len);
    BT_TRY(text ? BT_OK : BT_ENOMEM);
    memcpy(text, folder.ptr, folder.len);
    text[folder.len] = '/';
    memcpy(text + folder.len + 1, path.ptr, path.len);
    *out = (bt_str){text, folder.len + 1 + path.len};
    return BT_OK;
}

static enum bt_status add_place(struct universal_ref_dirs *places, struct bt_arena *arena,
                                bt_str folder, bt_str path)
{
    BT_TRY(join_paths(arena, folder, path, &places->at[places->count]));
    places->count++;
    return BT_OK;
}

/* The places of a path as it is seen from where we are. */
static enum bt_status find_places(const struct bt_universal_check *handoff, bt_str path,
                                  struct universal_ref_dirs *out)
{
    const bt_str root = handoff->options->root;
    bt_str session = BT_STR("");
    if (is_absolute(path)) {
        return add_place(out, handoff->arena, BT_STR(""), path);
    }
    if (bt_universal_check_usable_text(handoff, handoff->parts.source, "session_path", &session) &&
        session.len > 0 && !has_control(session)) {
        bt_str folder = BT_STR("");
        BT_TRY(join_paths(handoff->arena, root, session, &folder));
        BT_TRY(add_place(out, handoff->arena, folder, path));
    }
    return add_place(out, handoff->arena, root, path);
}

static bt_str root_path(const struct bt_universal_check *handoff)
{
    return handoff->options->root.len > 0 ? handoff->options->root : BT_STR(".");
}

/* Open the root, and find out once what it is really called; NULL: the options have it open. */
static enum bt_status open_root(struct bt_universal_check *handoff, struct bt_dir **out)
{
    if (handoff->options->dir) {
        return BT_OK;
    }
    BT_TRY(bt_path_real(handoff->arena, root_path(handoff), &handoff->real_root));
    return bt_dir_open(root_path(handoff), out, NULL);
}

/* A path as it is written from the root: absolute still where it lies elsewhere. */
static bt_str from_root(const struct bt_universal_check *handoff, bt_str path)
{
    bt_str rest = BT_STR("");
    if (!is_absolute(path) || !(bt_path_below(root_path(handoff), path, &rest) ||
                                bt_path_below(handoff->real_root, path, &rest))) {
        return path;
    }
    while (is_absolute(rest)) {
        rest = bt_str_slice(rest, 1, rest.len);
    }
    return rest.len > 0 ? rest : BT_STR(".");
}

/* The places of a path as seen from the root. Those that are absolute lie outside it. */
static enum bt_status find_places_beneath(const struct bt_universal_check *handoff, bt_str path,
                                          struct universal_ref_dirs *out)
{
    bt_str session = BT_STR("");
    if (is_absolute(path)) {
        return add_place(out, handoff->arena, BT_STR(""), from_root(handoff, path));
    }
    if (bt_universal_check_usable_text(handoff, handoff->parts.source, "session_path", &session) &&
        session.len > 0 && !has_control(session)) {
        BT_TRY(add_place(out, handoff->arena, from_root(handoff, session), path));
    }
    return add_place(out, handoff->arena, BT_STR(""), path);
}

static enum bt_ref_unresolved_reason reason_of_kind(enum bt_file_kind kind)
{
    switch (kind) {
    case BT_FILE_REGULAR:
        return BT_REF_UNRESOLVED_REASON__NONE;
    case BT_FILE_DIRECTORY:
        return BT_REF_UNRESOLVED_REASON_DIRECTORY;
    case BT_FILE_SPECIAL:
        return BT_REF_UNRESOLVED_REASON_SPECIAL;
    case BT_OUTSIDE_ROOT:
        return BT_REF_UNRESOLVED_REASON_OUTSIDE;
    case BT_FILE_NONE:
        break;
    }
    return BT_REF_UNRESOLVED_REASON_MISSING;
}

/* Why a path names no file wherever it starts, or NONE. */
static enum bt_ref_unresolved_reason reason_of_path(bt_str path)
{
    if (path.len == 0) {
        return BT_REF_UNRESOLVED_REASON_EMPTY;
    }
    if (has_control(path)) {
        return BT_REF_UNRESOLVED_REASON_CONTROL;
    }
    return !is_absolute(path) && leads_above_start(path) ? BT_REF_UNRESOLVED_REASON_CLIMBS
                                                         : BT_REF_UNRESOLVED_REASON__NONE;
}

/* Look a path up in its places. Gives the first that has a regular file, and otherwise the reason
 * of the first that has something, or of one that lies outside the root. */
static enum bt_status find_file(const struct bt_universal_check *handoff, const struct bt_dir *root,
                                bt_str path, bt_str *out_place,
                                enum bt_ref_unresolved_reason *out_reason)
{
    struct universal_ref_dirs places = {.count = 0};
    *out_reason = reason_of_path(path);
    if (*out_reason != BT_REF_UNRESOLVED_REASON__NONE) {
        return BT_OK;
    }
    BT_TRY(root ? find_places_beneath(handoff, path, &places)
                : find_places(handoff, path, &places));
    *out_reason = BT_REF_UNRESOLVED_REASON_MISSING;
    for (size_t i = 0; i < places.count && *out_reason != BT_REF_UNRESOLVED_REASON__NONE; i++) {
        const enum bt_ref_unresolved_reason reason = reason_of_kind(
            root ? bt_dir_file_kind_of(root, places.at[i]) : bt_file_kind_of(places.at[i]));
        const bool better = reason == BT_REF_UNRESOLVED_REASON__NONE ||
                            *out_reason == BT_REF_UNRESOLVED_REASON_MISSING;
        *out_reason = better ? reason : *out_reason;
        *out_place = places.at[i];
    }
    return BT_OK;
}

static enum bt_status check_ref(struct bt_universal_check *handoff, const struct bt_dir *root,
                                const bt_json_value *file)
{
    const bt_json_value *place = bt_universal_check_usable(handoff, file, "path");
    if (!place || bt_json_type(place) != BT_JSON_STRING) {
        return BT_OK;
    }
    const bt_str path = bt_json_text(place);
    const struct bt_location at = bt_universal_locate(handoff, place);
    enum bt_ref_unresolved_reason reason = BT_REF_UNRESOLVED_REASON__NONE;
    bt_str found = BT_STR("");
    BT_TRY(find_file(handoff, root, path, &found, &reason));
    if (reason == BT_REF_UNRESOLVED_REASON_OUTSIDE) {
        /* A remote caller must not learn that a link leads outside. */
        reason = BT_REF_UNRESOLVED_REASON_MISSING;
    }
    handoff->files.refs_checked++;
    if (reason != BT_REF_UNRESOLVED_REASON__NONE) {
        handoff->files.refs_missing++;
        BT_TRY(bt_add_ref_unresolved(handoff->findings, at, path, reason));
    }
    if (is_absolute(path) && is_ephemeral(path)) {
        handoff->files.refs_ephemeral++;
        BT_TRY(bt_add_ref_ephemeral(handoff->findings, at, path));
    }
    return BT_OK;
}

/* The list `name` of the member `of` of payload, or NULL. */
static const bt_json_value *list_in(const struct bt_universal_check *handoff, const char *of,
                                    const char *name)
{
    const bt_json_value *object = bt_universal_check_usable(handoff, handoff->parts.payload, of);
    const bt_json_value *list = object ? bt_universal_check_usable(handoff, object, name) : NULL;
    return list && bt_json_type(list) == BT_JSON_ARRAY ? list : NULL;
}

enum bt_status bt_universal_check_refs(struct bt_universal_check *handoff)
{
    const bt_json_value *files = list_in(handoff, "references", "files");
    if (!files) {
        return BT_OK;
    }
    struct bt_dir *root = NULL;
    if (handoff->options->refs_within_root) {
        BT_TRY(open_root(handoff, &root));
    }
    const struct bt_dir *dir = root ? root : handoff->options->dir;
    enum bt_status status = BT_OK;
    for (size_t i = 0; status == BT_OK && i < bt_json_count(files); i++) {
        status = check_ref(handoff, dir, &bt_json_items(files)[i]);
    }
    bt_dir_close(root);
    return status;
}

/* Compare the file of an artifact with its checksum. */
static enum bt_status compare_artifact(struct bt_universal_check *handoff,
                                       const struct bt_dir *root, const bt_json_value *checksum,
                                       bt_str place)
{
    uint8_t digest[BT_SHA256_BYTES];
    char actual[sizeof("sha256:") + BT_SHA256_HEX_BYTES] = "sha256:";
    char *hex = actual + sizeof("sha256:") - 1;
    BT_TRY(bt_dir_file_sha256(root, place, digest, NULL));
    bt_hex_put(digest, sizeof(digest), hex);
    hex[BT_SHA256_HEX_BYTES - 1] = '\0';
    return bt_str_eq(bt_str_of(actual), bt_json_text(checksum))
               ? BT_OK
               : bt_add_artifact_checksum_mismatch(handoff->findings,
                                                   bt_universal_locate(handoff, checksum),
                                                   bt_json_text(checksum), bt_str_of(actual));
}

/* An artifact with a checksum: its file is looked up like that of a reference, beneath the root. */
static enum bt_status check_artifact(struct bt_universal_check *handoff, const struct bt_dir *root,
                                     const bt_json_value *artifact)
{
    const bt_json_value *path = bt_universal_check_usable(handoff, artifact, "path");
    const bt_json_value *checksum = bt_universal_check_usable(handoff, artifact, "checksum");
    if (!checksum || bt_json_type(checksum) != BT_JSON_STRING || !path ||
        bt_json_type(path) != BT_JSON_STRING) {
        return BT_OK;
    }
    enum bt_ref_unresolved_reason reason = BT_REF_UNRESOLVED_REASON__NONE;
    bt_str place = BT_STR("");
    BT_TRY(find_file(handoff, root, bt_json_text(path), &place, &reason));
    handoff->files.artifacts_checked++;
    enum bt_status status = BT_OK;
    if (reason == BT_REF_UNRESOLVED_REASON__NONE) {
        status = compare_artifact(handoff, root, checksum, place);
        /* Gone or closed since it was looked up: it cannot be compared. */
        if (status == BT_ENOENT || status == BT_EDENIED) {
            reason = BT_REF_UNRESOLVED_REASON_MISSING;
        }
    }
    if (reason == BT_REF_UNRESOLVED_REASON__NONE) {
        return status;
    }
    handoff->files.artifacts_missing++;
    return bt_add_ref_unresolved(handoff->findings, bt_universal_locate(handoff, path),
                                 bt_json_text(path), reason);
}

bool bt_universal_check_has_checksum(const struct bt_universal_check *handoff)
{
    const bt_json_value *artifacts =
        handoff->document ? list_in(handoff, "session", "artifacts") : NULL;
    for (size_t i = 0; artifacts && i < bt_json_count(artifacts); i++) {
        if (bt_universal_check_usable(handoff, &bt_json_items(artifacts)[i], "checksum")) {
            return true;
        }
    }
    return false;
}

enum bt_status bt_universal_check_artifacts(struct bt_universal_check *handoff)
{
    const bt_json_value *artifacts = list_in(handoff, "session", "artifacts");
    if (!artifacts) {
        return BT_OK;
    }
    struct bt_dir *root = NULL;
    BT_TRY(open_root(handoff, &root));
    const struct bt_dir *dir = root ? root : handoff->options->dir;
    enum bt_status status = BT_OK;
    for (size_t i = 0; status == BT_OK && i < bt_json_count(artifacts); i++) {
        status = check_artifact(handoff, dir, &bt_json_items(artifacts)[i]);
    }
    bt_dir_close(root);
    return status;
}
