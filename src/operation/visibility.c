/* SPDX-License-Identifier: Apache-2.0 */
/*
 * visibility.c - remove from a result what would reveal agents to a caller who may not see them.
 *
 * The text is compact JSON that we wrote. It is copied; the values of revealing members are
 * replaced by empty ones, within the params of findings and within responses, where these names
 * have that meaning; hints of rules that name agents are replaced by plain ones.
 */
#include "operation/operation.h"
#include "report/rules.h"

enum { TEXT_BYTES_MAX = 256 << 20 };

/* The end of the string that begins at `at`. */
static size_t string_end(bt_str text, size_t at)
{
    size_t end = at + 1;
    while (end < text.len && text.ptr[end] != '"') {
        end += text.ptr[end] == '\\' ? 2 : 1;
    }
    return end + 1 < text.len ? end + 1 : text.len;
}

/* The end of the value that begins at `at`. */
static size_t value_end(bt_str text, size_t at)
{
    size_t depth = 0;
    size_t end = at;
    while (end < text.len) {
        const char byte = text.ptr[end];
        if (byte == '"') {
            end = string_end(text, end);
        } else {
            depth += byte == '{' || byte == '[' ? 1 : 0;
            if (depth == 0 && (byte == ',' || byte == '}' || byte == ']')) {
                return end; /* of a number or word */
            }
            depth -= byte == '}' || byte == ']' ? 1 : 0;
            end++;
        }
        if (depth == 0 && (end >= text.len || text.ptr[end] == ',' || text.ptr[end] == '}' ||
                           text.ptr[end] == ']')) {
            return end;
        }
    }
    return end;
}

/* Whether a member of params, or of a response, reveals agents. */
static bool is_topology_member(bt_str name)
{
    for (const bt_str *param = bt_topology_params; param->len > 0; param++) {
        if (bt_str_eq(name, *param)) {
            return true;
        }
    }
    return bt_str_eq(name, BT_STR("next_actions")) || bt_str_eq(name, BT_STR("suggested_agent"));
}

static bt_str empty_like(char first)
{
    return first == '[' ? BT_STR("[]") : first == '{' ? BT_STR("{}") : BT_STR("null");
}

/* Copy from `at` up to `end`, without revealing members. */
static void copy_hidden(struct bt_buf *out, bt_str text, size_t at, size_t end)
{
    while (at < end) {
        const size_t next = text.ptr[at] == '"' ? string_end(text, at) : at + 1;
        bt_buf_put(out, bt_str_slice(text, at, next));
        const bool is_name = text.ptr[at] == '"' && next < end && text.ptr[next] == ':';
        if (is_name && is_topology_member(bt_str_slice(text, at + 1, next - 1))) {
            bt_buf_put_char(out, ':');
            bt_buf_put(out, empty_like(text.ptr[next + 1]));
            at = value_end(text, next + 1);
        } else {
            at = next;
        }
    }
}

/* What is said instead of a hint that names agents, or that tells that there are none; "" when the
 * hint of this code may be shown. `token` is the code as a JSON string. */
static bt_str plain_hint(bt_str token)
{
    static const struct visibility_hint {
        enum bt_code code;
        bt_str text;
    } hints[] = {
        {BT_CODE_BOUNDARY_VIOLATION, BT_STR_INIT("use a suggested agent or an archetype")},
        {BT_CODE_COMPOSITION_VIOLATION, BT_STR_INIT("correct the shares; use a suggested agent")},
        {BT_CODE_INVALID_AGENT_REFERENCE,
         BT_STR_INIT("use the canonical id, see available_agents")},
        {BT_CODE_OUT_OF_SCOPE, BT_STR_INIT("use a suggested agent")},
    };
    const bt_str code = bt_str_slice(token, 1, token.len - 1);
    for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
        if (bt_str_eq(code, bt_code_name(hints[i].code))) {
            return hints[i].text;
        }
    }
    return BT_STR("");
}

/* Put a plain hint instead of the one that begins at `at`. Returns the end of that one. */
static size_t put_plain_hint(struct bt_buf *out, bt_str text, size_t at, bt_str hint)
{
    bt_buf_put_text(out, ":\"");
    bt_buf_put(out, hint);
    bt_buf_put_char(out, '"');
    return value_end(text, at);
}

static void copy_filtered(struct bt_buf *out, bt_str text)
{
    bt_str hint = BT_STR(""); /* for the finding at hand */
    for (size_t at = 0; at < text.len;) {
        const size_t next = text.ptr[at] == '"' ? string_end(text, at) : at + 1;
        const bt_str token = bt_str_slice(text, at, next);
        const bool is_name = text.ptr[at] == '"' && next < text.len && text.ptr[next] == ':';
        bt_buf_put(out, token);
        at = next;
        if (is_name &&
            (bt_str_eq(token, BT_STR("\"params\"")) || bt_str_eq(token, BT_STR("\"response\"")))) {
            const size_t end = value_end(text, next + 1);
            copy_hidden(out, text, next, end);
            at = end;
        } else if (is_name && bt_str_eq(token, BT_STR("\"code\"")) && text.ptr[next + 1] == '"') {
            hint = plain_hint(bt_str_slice(text, next + 1, string_end(text, next + 1)));
        } else if (is_name && hint.len > 0 && bt_str_eq(token, BT_STR("\"hint\""))) {
            at = put_plain_hint(out, text, next + 1, hint);
        }
    }
}

/* True when the caller may see other agents. */
static bool can_see_topology(const struct bt_call *work, bt_str source)
{
    const struct bt_caller *caller = work->caller;
    const bt_str word = bt_config_text(work->service->config, "auth.disclose_topology");
    if (!caller->hides_topology || bt_str_eq(word, BT_STR("all"))) {
        return true;
    }
    const bool is_bound = caller->agent_count > 0 && bt_caller_represents(caller, source);
    return bt_str_eq(word, BT_STR("bound")) &&
           (is_bound || bt_scopes_hold(caller->scopes, BT_SCOPE_OPERATE));
}

enum bt_status bt_result_hide_topology(struct bt_call *work, bt_str source, struct bt_buf *text)
{
    struct bt_buf shown;
    if (can_see_topology(work, source)) {
        return BT_OK;
    }
    bt_buf_init(&shown, TEXT_BYTES_MAX);
    copy_filtered(&shown, bt_buf_str(text));
    bt_buf_clear(text);
    bt_buf_put(text, bt_buf_str(&shown));
    const enum bt_status status = shown.status == BT_OK ? text->status : shown.status;
    bt_buf_free(&shown);
    return status;
}
