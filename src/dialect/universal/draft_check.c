/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draft_check.c - judge a handoff that was made of parts, and whether it can become a file: by
 * names alone, so that the result is the same on every machine.
 */
#include "dialect/universal/draft_check.h"

#include <assert.h>

#include "base/path.h"
#include "dialect/universal/result.h"
#include "report/rules.h"

enum { SESSION_PATH_BYTES_MAX = 4096 };

static bool has_control(bt_str path)
{
    for (size_t i = 0; i < path.len; i++) {
        const unsigned char byte = (unsigned char)path.ptr[i];
        if (byte < 0x20 || byte == 0x7f) {
            return true;
        }
        /* U+0080 to U+009F, which terminals obey as well. */
        if (byte == 0xc2 && i + 1 < path.len && (unsigned char)path.ptr[i + 1] < 0xa0) {
            return true;
        }
    }
    return false;
}

const char *bt_universal_session_path_error(bt_str path)
{
    if (path.len == 0) {
        return "the path is empty";
    }
    if (path.len > SESSION_PATH_BYTES_MAX) {
        return "the path is longer than 4096 bytes";
    }
    if (has_control(path)) {
        return "the path holds control characters";
    }
    return bt_path_has_parent(path) ? "the path climbs with .." : NULL;
}

enum bt_status bt_universal_add_unsafe_session_path(struct bt_findings *notes, bt_str session_path,
                                                    const char *reason)
{
    return bt_add_session_path_unsafe(
        notes, bt_location_pointer(BT_STR("/handoff/source/session_path"), BT_OFFSET_NONE),
        session_path, bt_str_of(reason));
}

static enum bt_status check_name(const struct bt_universal_check *handoff, const bt_json_value *end,
                                 const char *pointer, struct bt_findings *notes)
{
    bt_str name = BT_STR("");
    if (!bt_universal_check_usable_text(handoff, end, "skill", &name) ||
        bt_universal_skill_name_is_safe(name, handoff->options->relaxed_names)) {
        return BT_OK;
    }
    return bt_add_unsafe_skill_name(notes, bt_location_pointer(bt_str_of(pointer), BT_OFFSET_NONE),
                                    name, bt_universal_skill_name_is_safe(name, true));
}

enum bt_status bt_universal_check_file_names(const struct bt_universal_check *handoff,
                                             struct bt_findings *notes)
{
    BT_TRY(check_name(handoff, handoff->parts.source, "/handoff/source/skill", notes));
    return check_name(handoff, handoff->parts.target, "/handoff/target/skill", notes);
}

static enum bt_status check_session_path(const struct bt_universal_check *handoff,
                                         struct bt_findings *notes)
{
    bt_str path = BT_STR("");
    const char *reason =
        bt_universal_check_usable_text(handoff, handoff->parts.source, "session_path", &path)
            ? bt_universal_session_path_error(path)
            : NULL;
    return reason ? bt_universal_add_unsafe_session_path(notes, path, reason) : BT_OK;
}

enum bt_status bt_universal_draft_check(struct bt_universal_checker *universal,
                                        struct bt_arena *arena,
                                        const struct bt_universal_input *input,
                                        struct bt_universal_result *out)
{
    assert(universal);
    assert(input);
    assert(out);
    const struct bt_universal_options defaults = bt_universal_options_default();
    struct bt_findings *notes = bt_findings_new(arena);
    struct bt_findings *findings = bt_findings_new(arena);
    const struct bt_universal_final_check ending = {
        universal, arena, input->path, input->options ? input->options : &defaults, notes};
    struct bt_universal_result result = {.outcome = BT_UNIVERSAL_OUTCOME_NONE};
    struct bt_universal_check handoff;
    BT_TRY(notes && findings ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_universal_check_judge(universal, input->text, ending.options, findings, &handoff));
    if (handoff.document) {
        BT_TRY(bt_universal_check_file_names(&handoff, notes));
        BT_TRY(check_session_path(&handoff, notes));
    }
    const struct bt_universal_result_parts parts = {.handoff = &handoff, .document = true};
    BT_TRY(bt_universal_final_check_free(&ending, &handoff, &result));
    BT_TRY(bt_universal_result_finish(&parts, &result));
    *out = result;
    return BT_OK;
}
