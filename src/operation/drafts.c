/* SPDX-License-Identifier: Apache-2.0 */
/* drafts.c - make a universal handoff from its parts, and judge it. */
#include "base/micros.h"
#include "operation/operation.h"
#include "report/members.h"

#include "json/options.h"

/* ---- Parts ----------------------------------------------------------------------------------- */

/* True when an argument is given and not null. */
static bool is_given(const struct bt_args *args, size_t place)
{
    const struct bt_arg *arg = bt_args_at(args, place);
    return arg && bt_json_type(arg->json) != BT_JSON_NULL;
}

static void take_texts(const struct bt_args *args, struct bt_universal_draft *draft)
{
    const struct bt_op_draft_text {
        size_t place;
        bt_str *member;
    } rows[] = {
        {BT_ARG_HANDOFF_CREATE_SOURCE, &draft->source},
        {BT_ARG_HANDOFF_CREATE_TARGET, &draft->target},
        {BT_ARG_HANDOFF_CREATE_SUMMARY, &draft->summary},
        {BT_ARG_HANDOFF_CREATE_SESSION_PATH, &draft->session_path},
        {BT_ARG_HANDOFF_CREATE_WORKFLOW_ID, &draft->workflow_id},
        {BT_ARG_HANDOFF_CREATE_PHASE, &draft->phase},
        {BT_ARG_HANDOFF_CREATE_PROBLEM_TYPE, &draft->problem_type},
        {BT_ARG_HANDOFF_CREATE_ORIGINAL_PROMPT, &draft->original_prompt},
        {BT_ARG_HANDOFF_CREATE_CATEGORY, &draft->category},
        {BT_ARG_HANDOFF_CREATE_INVOCATION, &draft->invocation},
        {BT_ARG_HANDOFF_CREATE_EXPECTED_PHASE, &draft->expected_phase},
        {BT_ARG_HANDOFF_CREATE_CONFIDENCE, &draft->confidence},
        {BT_ARG_HANDOFF_CREATE_REASON, &draft->reason},
        {BT_ARG_HANDOFF_CREATE_EXPIRES_AT, &draft->expires_at},
        {BT_ARG_HANDOFF_CREATE_TRACE_ID, &draft->trace_id},
        {BT_ARG_HANDOFF_CREATE_PARENT_SPAN, &draft->parent_span},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (is_given(args, rows[i].place)) {
            *rows[i].member = bt_args_text(args, rows[i].place);
        }
    }
    draft->approved = bt_args_bool(args, BT_ARG_HANDOFF_CREATE_APPROVED);
    draft->no_seal = bt_args_bool(args, BT_ARG_HANDOFF_CREATE_NO_SEAL);
    draft->pretty = bt_str_eq(bt_args_text(args, BT_ARG_HANDOFF_CREATE_STYLE), BT_STR("pretty"));
}

static enum bt_status take_lists(struct bt_call *call, const struct bt_args *args,
                                 struct bt_universal_draft *draft)
{
    BT_TRY(bt_args_texts(args, BT_ARG_HANDOFF_CREATE_FOCUS, call->arena, &draft->focus_areas));
    BT_TRY(bt_args_texts(args, BT_ARG_HANDOFF_CREATE_GAP, call->arena, &draft->known_gaps));
    return bt_args_texts(args, BT_ARG_HANDOFF_CREATE_CRITERION, call->arena,
                         &draft->success_criteria);
}

/* Take a part that is a value of JSON. A request may be larger than the documents in it. */
static enum bt_status take_value(struct bt_call *call, const struct bt_args *args, size_t place,
                                 bt_str *out)
{
    const struct bt_json_options options = bt_json_options_from_env(call->service->env);
    struct bt_json_read_result read = {0};
    if (!bt_args_has(args, place)) {
        return BT_OK;
    }
    *out = bt_args_source(args, place);
    /* from: caller */
    BT_TRY(bt_json_read(call->arena, *out, &options, &read));
    return read.document ? BT_OK
                         : bt_result_refuse_argument(call, args->operation->params[place].name,
                                                     "it is larger than a document may be");
}

static enum bt_status take_values(struct bt_call *call, const struct bt_args *args,
                                  struct bt_universal_draft *draft)
{
    BT_TRY(take_value(call, args, BT_ARG_HANDOFF_CREATE_WORKING, &draft->working));
    BT_TRY(take_value(call, args, BT_ARG_HANDOFF_CREATE_SESSION, &draft->session));
    return take_value(call, args, BT_ARG_HANDOFF_CREATE_REFERENCES, &draft->references);
}

static enum bt_status take_tags(struct bt_call *call, const struct bt_args *args,
                                struct bt_universal_draft *draft)
{
    const struct bt_arg *object = bt_args_at(args, BT_ARG_HANDOFF_CREATE_TAG);
    const size_t count = object ? bt_json_count(object->json) : 0;
    struct bt_universal_tag *tags = BT_NEW_ARRAY(call->arena, struct bt_universal_tag, count + 1);
    if (!tags) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        const struct bt_json_member *member = &bt_json_members(object->json)[i];
        if (bt_json_type(&member->value) != BT_JSON_STRING) {
            return bt_result_refuse_argument(call, BT_STR("tag"), "its values are not all texts");
        }
        tags[i] = (struct bt_universal_tag){bt_json_name(member), bt_json_text(&member->value)};
    }
    draft->tags = tags;
    draft->tag_count = count;
    return BT_OK;
}

static enum bt_status take_continue(struct bt_call *call, const struct bt_args *args,
                                    struct bt_universal_draft *draft)
{
    const struct bt_arg *from = bt_args_at(args, BT_ARG_HANDOFF_CREATE_CONTINUE);
    struct bt_universal_checker *universal = NULL;
    struct bt_error error;
    bt_str text;
    if (!is_given(args, BT_ARG_HANDOFF_CREATE_CONTINUE)) {
        return BT_OK;
    }
    BT_TRY(bt_checker_universal(call->service->checker, &universal));
    BT_TRY(bt_op_request_document(call, from->document, from->json, &text));
    const enum bt_status status =
        bt_universal_draft_continue(universal, call->arena, text, draft, &error);
    return status == BT_EINVAL ? bt_result_refuse_argument(call, BT_STR("continue"), error.text)
                               : status;
}

/* Take a cost, in millionths. */
static enum bt_status take_cost(struct bt_call *call, const struct bt_args *args, size_t place,
                                uint64_t least, uint64_t *out)
{
    if (!is_given(args, place) ||
        (bt_micros_parse(bt_args_text(args, place), out) == BT_OK && *out >= least)) {
        return BT_OK;
    }
    return bt_result_refuse_argument(
        call, args->operation->params[place].name,
        least > 0 ? "it is not a decimal above 0 with up to six places, such as 40.00"
                  : "it is not a decimal with up to six places, such as 40.00");
}

/* Begin or lower the budget of the chain, and take off what was spent. */
static enum bt_status take_budget(struct bt_call *call, const struct bt_args *args,
                                  struct bt_universal_draft *draft)
{
    struct bt_universal_spending spending = {
        .tokens = bt_args_number(args, BT_ARG_HANDOFF_CREATE_BUDGET_TOKENS, 0),
        .spent_tokens = bt_args_number(args, BT_ARG_HANDOFF_CREATE_SPENT_TOKENS, 0),
        .currency = bt_config_text(call->service->config, "budget.currency"),
        .unpriced = BT_STR("")};
    BT_TRY(take_cost(call, args, BT_ARG_HANDOFF_CREATE_BUDGET_COST, 1, &spending.cost));
    BT_TRY(take_cost(call, args, BT_ARG_HANDOFF_CREATE_SPENT_COST, 0, &spending.spent_cost));
    bt_universal_budget_spend(&draft->budget, &spending);
    return BT_OK;
}

static enum bt_status take_draft(struct bt_call *call, const struct bt_args *args,
                                 struct bt_universal_draft *out)
{
    *out = (struct bt_universal_draft){0};
    take_texts(args, out);
    BT_TRY(take_lists(call, args, out));
    BT_TRY(take_values(call, args, out));
    BT_TRY(take_tags(call, args, out));
    BT_TRY(take_continue(call, args, out));
    return take_budget(call, args, out);
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* Take the options that a new handoff may have. */
static enum bt_status take_options(struct bt_call *call, const struct bt_args *args,
                                   struct bt_check_request *request)
{
    static const bt_str names[] = {BT_STR_INIT("now"), BT_STR_INIT("tokens"),
                                   BT_STR_INIT("budget")};
    const struct bt_arg *object = bt_args_at(args, BT_ARG_HANDOFF_CREATE_OPTIONS);
    for (size_t i = 0; object && i < bt_json_count(object->json); i++) {
        const struct bt_json_member *member = &bt_json_members(object->json)[i];
        const struct bt_arg value = {.document = object->document, .json = &member->value};
        const bt_str name = bt_json_name(member);
        if (!bt_str_eq(name, names[0]) && !bt_str_eq(name, names[1]) &&
            !bt_str_eq(name, names[2])) {
            return bt_result_refuse_argument(call, name, "unknown option");
        }
        if (!bt_op_request_option(call, request, OPTION_JUDGE, name, &value)) {
            return BT_EINVAL;
        }
    }
    return BT_OK;
}

static enum bt_status make_handoff(struct bt_call *work, struct bt_check_request *request)
{
    struct bt_universal_draft *draft = request->rewrite.draft;
    struct bt_universal_input input = {request->path, BT_STR(""), &request->universal};
    struct bt_universal_checker *universal = NULL;
    struct bt_universal_result result;
    struct bt_error error;
    bt_str defaults;
    BT_TRY(bt_checker_universal(work->service->checker, &universal));
    BT_TRY(bt_universal_draft_complete(draft, work->arena, &defaults));
    BT_TRY(bt_universal_draft_write(universal, work->arena, draft, &input.text, &error));
    BT_TRY(bt_universal_draft_check(universal, work->arena, &input, &result));
    BT_TRY(bt_judgement_add_member(&result.judged, work->arena, "defaults", defaults));
    return bt_result_set_report(work, &result.judged, 1, BT_STR(""));
}

enum bt_status bt_op_handoff_create(struct bt_call *call, const struct bt_args *args)
{
    struct bt_check_request request;
    struct bt_universal_draft draft;
    bt_op_request_begin(call->service, &request);
    request.universal.root = BT_STR("");
    request.universal.no_refs = true;
    request.rewrite.draft = &draft;
    enum bt_status status = take_options(call, args, &request);
    status = status == BT_OK ? take_draft(call, args, &draft) : status;
    status = status == BT_OK ? bt_op_request_run(call, &request, make_handoff) : status;
    bt_op_request_end(&request);
    return call->answer->kind != 0 && status == BT_EINVAL ? BT_OK : status;
}
