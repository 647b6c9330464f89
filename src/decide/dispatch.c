/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dispatch.c - decisions as responses of POST /v1/dispatch: a success, or an RFC 9457 problem.
 *
 * No response contains a digest of a prompt, and a problem has none of the members of a success.
 */
#include <assert.h>

#include "decide/governed_decide.h"
#include "json/emit.h"
#include "report/rules.h"

#define PROBLEM BT_STR("application/problem+json")

static enum bt_status put_simple(struct bt_arena *arena, unsigned status, enum bt_code code,
                                 const char *detail, struct bt_dispatch_response *out)
{
    const struct bt_rule *rule = bt_rule_of_dialect(code, BT_DIALECT_GOVERNED);
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_raw(&emit, "type", BT_STR("\"/problems/"));
    bt_buf_printf(&buf, "%.*s\"", BT_STR_ARG(rule->code));
    bt_emit_member_string(&emit, "title", rule->meaning);
    bt_emit_member_u64(&emit, "status", status);
    bt_emit_member_string(&emit, "detail", bt_str_of(detail));
    bt_emit_member_string(&emit, "code", rule->code);
    bt_emit_member_bool(&emit, "security_flag", false);
    bt_emit_end(&emit);
    *out = (struct bt_dispatch_response){
        .status = status, .allow = BT_STR(""), .retry_after = BT_STR(""), .content_type = PROBLEM};
    return bt_buf_finish(&buf, arena, &out->body);
}

static bt_str trim_space(bt_str text)
{
    size_t begin = 0;
    size_t end = text.len;
    while (begin < end && bt_ascii_is_all_space(bt_str_slice(text, begin, begin + 1))) {
        begin++;
    }
    while (end > begin && bt_ascii_is_all_space(bt_str_slice(text, end - 1, end))) {
        end--;
    }
    return bt_str_slice(text, begin, end);
}

/* True when the text equals `word` (in lower case), ignoring the case of ASCII letters. */
static bool is_word(bt_str text, bt_str word)
{
    bool same = text.len == word.len;
    for (size_t i = 0; same && i < word.len; i++) {
        const char byte = text.ptr[i];
        same = (byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte) == word.ptr[i];
    }
    return same;
}

/* A parameter of the media type: a charset must be UTF-8, others do not matter. */
static bool is_parameter_fine(bt_str parameter)
{
    const size_t equals = bt_str_find_byte(parameter, '=', 0);
    bt_str value = trim_space(bt_str_slice(parameter, equals + 1, parameter.len));
    if (!is_word(trim_space(bt_str_slice(parameter, 0, equals)), BT_STR("charset"))) {
        return true;
    }
    if (value.len >= 2 && value.ptr[0] == '"' && value.ptr[value.len - 1] == '"') {
        value = bt_str_slice(value, 1, value.len - 1);
    }
    return is_word(value, BT_STR("utf-8"));
}

static bool is_json(bt_str content_type)
{
    size_t from = bt_str_find_byte(content_type, ';', 0);
    if (!is_word(trim_space(bt_str_slice(content_type, 0, from)), BT_STR("application/json"))) {
        return false;
    }
    while (from < content_type.len) {
        const size_t end = bt_str_find_byte(content_type, ';', from + 1);
        if (!is_parameter_fine(trim_space(bt_str_slice(content_type, from + 1, end)))) {
            return false;
        }
        from = end;
    }
    return true;
}

enum bt_status bt_dispatch_check_request(struct bt_arena *arena, bt_str method, bt_str content_type,
                                         struct bt_dispatch_response *out, bool *out_refused)
{
    assert(arena);
    assert(out);
    assert(out_refused);
    *out_refused = true;
    if (!bt_str_eq(method, BT_STR("POST"))) {
        BT_TRY(put_simple(arena, 405, BT_CODE_METHOD_NOT_ALLOWED,
                          "handoffs are dispatched with POST", out));
        out->allow = BT_STR("POST");
        return BT_OK;
    }
    if (!is_json(content_type)) {
        return put_simple(arena, 415, BT_CODE_UNSUPPORTED_MEDIA_TYPE,
                          "a handoff is application/json in UTF-8", out);
    }
    *out_refused = false;
    return BT_OK;
}

enum bt_status bt_dispatch_write_unavailable(struct bt_arena *arena,
                                             struct bt_dispatch_response *out)
{
    assert(arena);
    assert(out);
    BT_TRY(put_simple(arena, 503, BT_CODE_STORE_UNAVAILABLE,
                      "nothing was decided, and the id is not used up", out));
    out->retry_after = BT_STR("5");
    return BT_OK;
}

static enum bt_status put_success(const struct bt_governed_state *govern,
                                  const struct bt_governed_submission *item, struct bt_emit *emit)
{
    const struct bt_governed_decision *decision = &item->decision;
    char id[BT_UUID_TEXT_BYTES];
    char now[BT_INSTANT_TEXT_BYTES];
    bt_instant second = bt_env_now(govern->env);
    second.nanos = 0;
    (void)bt_instant_format(second, now);
    BT_TRY(bt_env_uuid(govern->env, id));
    bt_emit_member_bool(emit, "success", true);
    bt_emit_member_bool(emit, "verified", true);
    bt_emit_member_string(emit, "dispatch_id", bt_str_of(id));
    bt_emit_member_string(emit, "handoff_id", decision->handoff_id);
    bt_emit_member_object(emit, "agent");
    bt_emit_member_string(emit, "agent_id", decision->target);
    bt_emit_member_string(emit, "type", decision->target_type);
    bt_emit_member_string(emit, "version", decision->target_version);
    bt_emit_end(emit);
    bt_emit_member_u64(emit, "pattern", decision->pattern);
    bt_emit_member_string(emit, "timestamp", bt_str_of(now));
    bt_emit_member_raw(emit, "record", item->submission->record_json);
    return BT_OK;
}

static enum bt_status put_problem(const struct bt_governed_submission *item, unsigned status,
                                  struct bt_emit *emit)
{
    const struct bt_governed_decision *decision = &item->decision;
    const struct bt_finding *primary = decision->primary;
    bt_emit_member_raw(emit, "type", BT_STR("\"/problems/"));
    bt_buf_printf(emit->buf, "%.*s\"", BT_STR_ARG(primary->rule->code));
    bt_emit_member_string(emit, "title", primary->rule->meaning);
    bt_emit_member_u64(emit, "status", status);
    bt_emit_member_string(emit, "detail", primary->message);
    bt_emit_member_raw(emit, "instance", BT_STR("\"urn:uuid:"));
    bt_buf_printf(emit->buf, "%s\"", item->response_id);
    bt_emit_member_string(emit, "code", primary->rule->code);
    bt_emit_member_bool(emit, "security_flag", decision->is_flagged);
    bt_emit_member_array(emit, "findings");
    bt_findings_emit(emit, decision->judged.findings);
    bt_emit_end(emit);
    bt_emit_member_raw(emit, "response", decision->response);
    bt_emit_member_raw(emit, "record", item->submission->record_json);
    return BT_OK;
}

enum bt_status bt_dispatch_write_response(const struct bt_governed_state *govern,
                                          const struct bt_governed_submission *item,
                                          struct bt_dispatch_response *out)
{
    assert(govern);
    assert(item->document.kind == BT_GOVERNED_SUBMISSION_HANDOFF);
    assert(item->submission->record_json.len > 0);
    assert(out);
    const struct bt_finding *primary = item->decision.primary;
    const unsigned status = primary ? bt_finding_http_status(primary) : 200;
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    enum bt_status done =
        primary ? put_problem(item, status, &emit) : put_success(govern, item, &emit);
    if (done == BT_OK) {
        bt_emit_end(&emit);
        *out = (struct bt_dispatch_response){
            .status = status,
            .allow = BT_STR(""),
            .retry_after = status == 503 ? BT_STR("5") : BT_STR(""),
            .content_type = primary ? PROBLEM : BT_STR("application/json"),
        };
        done = bt_buf_copy(&buf, item->arena, &out->body);
    }
    bt_buf_free(&buf);
    return done;
}
