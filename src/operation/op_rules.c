/* SPDX-License-Identifier: Apache-2.0 */
/* op_rules.c - token counts, rules and schemas: operations without a document. */
#include <baton/schema.h>

#include "json/emit.h"
#include "operation/args_read.h"
#include "operation/rule_text.h"
#include "schema/builtin.h"
#include "token/tokens.h"

static enum bt_status put_token_count(struct bt_call *work, struct bt_tokens *counter, bt_str text)
{
    struct bt_emit emit;
    uint64_t exact = 0;
    BT_TRY(bt_tokens_count(counter, text, &exact));
    bt_emit_init(&emit, &work->answer->body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_name(&emit, "tokens");
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "encoding", bt_encoding_name(counter->encoding));
    bt_emit_name(&emit, "exact");
    if (counter->encoding == BT_ENCODING_CHARS4) {
        bt_emit_null(&emit); /* the encoding only estimates */
    } else {
        bt_emit_u64(&emit, exact);
    }
    bt_emit_member_u64(&emit, "estimate", bt_tokens_estimate(text));
    bt_emit_member_u64(&emit, "bytes", text.len);
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    work->answer->kind = ANSWER_DONE;
    return work->answer->body.status;
}

/* A text that is not UTF-8 has no tokens; the finding says where. */
static enum bt_status refuse_text(struct bt_call *work, bt_str text)
{
    const struct bt_check_options how = {.dialect = BT_DIALECT_JSON};
    struct bt_env env = *work->service->env;
    struct bt_judgement judged;
    env.limits.document_bytes = text.len + 1; /* a text has no limit but that of the request */
    BT_TRY(bt_check_document(&env, work->arena, BT_STR("text"), text, &how, &judged));
    return bt_result_set_unreadable(work, judged.findings, "the text is not UTF-8");
}

enum bt_status bt_op_tokens_count(struct bt_call *work, const struct bt_args *args)
{
    const bt_str tokens = bt_args_text(args, BT_ARG_TOKENS_COUNT_TOKENS);
    const bt_str encoding =
        tokens.len > 0 ? tokens : bt_args_text(args, BT_ARG_TOKENS_COUNT_ENCODING);
    enum bt_encoding which = BT_ENCODING_O200K_BASE;
    struct bt_tokens counter;
    bt_str text;
    const bt_str name =
        encoding.len > 0 ? encoding : bt_config_text(work->service->config, "check.tokens");
    if (bt_args_read_bytes(work, args, BT_ARG_TOKENS_COUNT_TEXT, BT_ARG_TOKENS_COUNT_BASE64,
                           &text) != BT_OK) {
        return BT_OK;
    }
    if (bt_encoding_parse(name, &which) != BT_OK) {
        return bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/encoding"),
                                     "o200k_base, cl100k_base or chars4");
    }
    if (bt_utf8_check(text) != text.len) {
        return refuse_text(work, text);
    }
    bt_tokens_init(&counter, which);
    if (!bt_tokens_has_table(&counter)) {
        counter.table = work->service->token_tables[which];
    }
    if (!bt_tokens_has_table(&counter)) {
        return bt_result_set_problem(work, BT_PROBLEM_NOT_IMPLEMENTED, BT_STR(""),
                                     "this build has no tokens");
    }
    const enum bt_status status = put_token_count(work, &counter, text);
    bt_tokens_free(&counter);
    return status;
}

void bt_rules_put(struct bt_buf *buf)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_name(&emit, "rules");
    bt_rule_emit_all(&emit);
    bt_emit_end(&emit);
}

enum bt_status bt_op_rule_list(struct bt_call *call, const struct bt_args *args)
{
    (void)args;
    bt_rules_put(&call->answer->body);
    return bt_result_set_done(call);
}

enum bt_status bt_op_rule_get(struct bt_call *work, const struct bt_args *args)
{
    const bt_str code = bt_args_text(args, BT_ARG_RULE_GET_CODE);
    struct bt_emit emit;
    if (bt_rules_find(code) == bt_rules_count()) {
        BT_TRY(bt_result_set_problem(work, BT_PROBLEM_NONE, BT_STR(""),
                                     "unknown code; baton://rules lists all codes"));
        work->answer->problem = BT_PROBLEM_NOT_FOUND; /* which the text does not begin with */
        return BT_OK;
    }
    bt_emit_init(&emit, &work->answer->body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_name(&emit, "rule");
    bt_rule_emit_group(&emit, bt_rules_find(code));
    bt_emit_end(&emit);
    work->answer->kind = ANSWER_DONE;
    return work->answer->body.status;
}

bt_str bt_schema_builtin_named(bt_str name)
{
    for (size_t i = 0; i < bt_schema_builtin_count(); i++) {
        if (bt_str_eq(bt_schema_builtin_at(i)->name, name)) {
            return bt_schema_builtin_at(i)->text;
        }
    }
    return BT_STR("");
}

enum bt_status bt_op_schema_get(struct bt_call *call, const struct bt_args *args)
{
    const bt_str text = bt_schema_builtin_named(bt_args_text(args, BT_ARG_SCHEMA_GET_NAME));
    if (text.len == 0) {
        return bt_result_set_problem(call, BT_PROBLEM_NOT_FOUND, BT_STR(""), "unknown schema");
    }
    bt_buf_put(&call->answer->body, text);
    call->answer->media = "application/schema+json";
    return bt_result_set_done(call);
}

enum bt_status bt_op_schema_list(struct bt_call *call, const struct bt_args *args)
{
    struct bt_emit emit;
    (void)args;
    bt_emit_init(&emit, &call->answer->body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_name(&emit, "schemas");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < bt_schema_builtin_count(); i++) {
        bt_emit_string(&emit, bt_schema_builtin_at(i)->name);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    return bt_result_set_done(call);
}
