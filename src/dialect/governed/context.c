/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context.c - the content of a handoff: empty requests, messages that would override the pinned
 * prompt, invisible characters. Stage semantics.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "dialect/governed/governed_check.h"

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
    static const bt_str words[] = {BT_STR_INIT("system"), BT_STR_INIT("developer")};
    size_t begin = 0;
    size_t end = role.len;
    while (begin < end && bt_ascii_is_all_space(bt_str_slice(role, begin, begin + 1))) {
        begin++;
    }
    while (end > begin && bt_ascii_is_all_space(bt_str_slice(role, end - 1, end))) {
        end--;
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        bool same = end - begin == words[i].len;
        for (size_t k = 0; same && k < words[i].len; k++) {
            same = bt_ascii_lower(role.ptr[begin + k]) == words[i].ptr[k];
        }
        if (same) {
            return true;
        }
    }
    return false;
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

enum { CODE_POINT_BYTES = sizeof("U+10FFFF") };

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

/* A container whose children are being looked at. */
struct governed_context_level {
    const bt_json_value *value;
    size_t next;
    size_t pointer_len; /* of the pointer to it */
};

struct governed_context_walk {
    struct bt_governed_check *check;
    struct governed_context_level *levels;
    size_t depth;
    struct bt_buf pointer; /* to the child that is being looked at */
};

static enum bt_status check_hidden_text(struct governed_context_walk *walk, bt_str text,
                                        const bt_json_value *at)
{
    struct bt_governed_check *check = walk->check;
    uint32_t point = 0;
    if (!find_hidden(text, &point)) {
        return BT_OK;
    }
    char name[CODE_POINT_BYTES];
    (void)snprintf(name, sizeof(name), "U+%04" PRIX32, point);
    BT_TRY(walk->pointer.status);
    struct bt_location place = bt_location_value(check->document, at);
    place.pointer = bt_buf_str(&walk->pointer);
    return bt_add_context_hidden_text(check->findings, check->options->hidden_text, place,
                                      bt_str_of(name));
}

/* Look at one value; containers wait on the stack. A document is at most so deep. */
static enum bt_status check_value(struct governed_context_walk *walk, const bt_json_value *value)
{
    if (bt_json_type(value) == BT_JSON_STRING) {
        return check_hidden_text(walk, bt_json_text(value), value);
    }
    if (bt_json_count(value) > 0) {
        assert(walk->depth < walk->check->governed->env->limits.depth);
        walk->levels[walk->depth++] = (struct governed_context_level){value, 0, walk->pointer.len};
    }
    return BT_OK;
}

static enum bt_status check_next_child(struct governed_context_walk *walk)
{
    struct governed_context_level *level = &walk->levels[walk->depth - 1];
    const size_t index = level->next++;
    walk->pointer.len = level->pointer_len;
    if (bt_json_type(level->value) == BT_JSON_ARRAY) {
        bt_json_pointer_put_index(&walk->pointer, index);
        return check_value(walk, &bt_json_items(level->value)[index]);
    }
    const struct bt_json_member *member = &bt_json_members(level->value)[index];
    bt_json_pointer_put(&walk->pointer, bt_json_name(member));
    BT_TRY(check_hidden_text(walk, bt_json_name(member), &member->value));
    return check_value(walk, &member->value);
}

/* Look at every text below a pointer. */
static enum bt_status judge_hidden(struct bt_governed_check *check, bt_str below)
{
    const bt_json_value *value = bt_governed_check_at(check, below);
    struct governed_context_walk walk = {
        .check = check,
        .levels = BT_NEW_ARRAY(check->arena, struct governed_context_level,
                               check->governed->env->limits.depth + 1),
    };
    if (!value || !walk.levels) {
        return value ? BT_ENOMEM : BT_OK;
    }
    bt_buf_init(&walk.pointer, SIZE_MAX);
    bt_buf_put(&walk.pointer, below);
    enum bt_status status = check_value(&walk, value);
    while (walk.depth > 0 && status == BT_OK) {
        const struct governed_context_level *level = &walk.levels[walk.depth - 1];
        if (level->next == bt_json_count(level->value)) {
            walk.depth--;
        } else {
            status = check_next_child(&walk);
        }
    }
    status = status == BT_OK ? walk.pointer.status : status;
    bt_buf_free(&walk.pointer);
    return status;
}

enum bt_status bt_governed_check_context_step(struct bt_governed_check *check)
{
    if (check->kind == BT_GOVERNED_RESPONSE) {
        return judge_hidden(check, BT_STR("/response/content/data"));
    }
    BT_TRY(judge_blank(check, "description"));
    BT_TRY(judge_blank(check, "expected_output"));
    if (check->options->system_messages != BT_SEVERITY_NONE) {
        BT_TRY(judge_history(check));
    }
    return judge_hidden(check, BT_STR("/context"));
}
