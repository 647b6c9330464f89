/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context.c - the content of a handoff: empty requests, messages that would override the pinned
 * prompt, invisible characters, phrases that try to take over. Stage semantics.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/ascii.h"
#include "base/uninitialized.h"
#include "dialect/governed/governed_check.h"
#include "json/walk.h"

static enum bt_status judge_blank(struct bt_governed_check *check, const char *name)
{
    const bt_json_value *request = bt_governed_check_at(check, BT_STR("/context/request"));
    const bt_json_value *value = bt_json_get(check->document, request, bt_str_of(name));
    return bt_ascii_is_all_space(bt_json_text(value))
               ? bt_add_insufficient_context(
                     check->findings, bt_location_value(check->document, value), bt_str_of(name))
               : BT_OK;
}

static bool is_system(bt_str role)
{
    const bt_str word = bt_ascii_trim(role, bt_ascii_is_space);
    return bt_ascii_equal_nocase(word, BT_STR("system")) ||
           bt_ascii_equal_nocase(word, BT_STR("developer"));
}

static enum bt_status judge_history(struct bt_governed_check *check)
{
    const bt_str where = BT_STR("/context/state/conversation_history");
    const bt_json_value *history = bt_governed_check_at(check, where);
    for (size_t i = 0; i < bt_json_count(history); i++) {
        const bt_json_value *message = &bt_json_items(history)[i];
        const bt_json_value *role = bt_json_get(check->document, message, BT_STR("role"));
        if (role && is_system(bt_json_text(role))) {
            BT_TRY(bt_add_context_system_message(check->findings, check->options->system_messages,
                                                 bt_location_value(check->document, message),
                                                 bt_json_text(role)));
        }
    }
    return BT_OK;
}

enum { CODE_POINT_BYTES = sizeof("U+10FFFF"), INJECTION_LIST = 1 };

static bool is_hidden(uint32_t point)
{
    static const uint32_t ranges[][2] = {
        {0x0000, 0x0008}, {0x000B, 0x000C}, {0x000E, 0x001F},   {0x007F, 0x009F},
        {0x202A, 0x202E}, {0x2066, 0x2069}, {0xE0000, 0xE007F},
    };
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        if (point >= ranges[i][0] && point <= ranges[i][1]) {
            return true;
        }
    }
    return false;
}

/* The first hidden character; false when there is none. */
static bool find_hidden(bt_str text, uint32_t *out)
{
    for (size_t at = 0; at < text.len;) {
        at += bt_utf8_decode(text, at, out);
        if (is_hidden(*out)) {
            return true;
        }
    }
    return false;
}

static enum bt_status check_hidden_text(struct bt_governed_check *check, bt_str text,
                                        const bt_json_value *at)
{
    uint32_t point = 0;
    if (!find_hidden(text, &point)) {
        return BT_OK;
    }
    char name[CODE_POINT_BYTES];
    (void)snprintf(name, sizeof(name), "U+%04" PRIX32, point);
    return bt_add_context_hidden_text(check->findings, check->options->hidden_text,
                                      bt_location_value(check->document, at), bt_str_of(name));
}

static enum bt_status check_injection(struct bt_governed_check *check, bt_str text,
                                      const bt_json_value *at)
{
    const enum bt_severity severity = check->options->injection_text;
    bt_str phrase = BT_STR("");
    if (severity != BT_SEVERITY_NONE) {
        BT_TRY(bt_governed_find_injection(check->arena, text, &phrase));
    }
    return phrase.len > 0 ? bt_add_context_injection_phrase(check->findings, severity,
                                                            bt_location_value(check->document, at),
                                                            phrase, INJECTION_LIST)
                          : BT_OK;
}

static enum bt_status check_text(struct bt_governed_check *check, bt_str text,
                                 const bt_json_value *at)
{
    BT_TRY(check_hidden_text(check, text, at));
    return check_injection(check, text, at);
}

/* Check every text below a pointer, names of members among them. */
static enum bt_status judge_texts(struct bt_governed_check *check, bt_str below)
{
    const bt_json_value *value = bt_governed_check_at(check, below);
    if (!value) {
        return BT_OK;
    }
    BT_UNCLEARED struct bt_json_walk walk;
    struct bt_json_walk_value walked;
    BT_TRY(check_text(check, bt_json_text(value), value));
    bt_json_walk_begin(&walk, value);
    while (bt_json_walk_next(&walk, &walked)) {
        if (walked.member) {
            BT_TRY(check_text(check, bt_json_name(walked.member), walked.value));
        }
        BT_TRY(check_text(check, bt_json_text(walked.value), walked.value));
    }
    return BT_OK;
}

enum bt_status bt_governed_check_context_step(struct bt_governed_check *check)
{
    if (check->kind == BT_GOVERNED_RESPONSE) {
        return judge_texts(check, BT_STR("/response/content/data"));
    }
    BT_TRY(judge_blank(check, "description"));
    BT_TRY(judge_blank(check, "expected_output"));
    if (check->options->system_messages != BT_SEVERITY_NONE) {
        BT_TRY(judge_history(check));
    }
    return judge_texts(check, BT_STR("/context"));
}
