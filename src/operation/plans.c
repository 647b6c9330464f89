/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plans.c - plans and the schemas of their payloads.
 */

#include "base/clock.h"
#include "operation/operation.h"

uint64_t bt_worker_clock_ns(void *context)
{
    (void)context;
    return bt_clock_monotonic_ns();
}

static enum bt_status audit_plan(struct bt_call *work, struct bt_check_request *request)
{
    const struct bt_plan_input input = {request->path, request->text, &request->plan};
    struct bt_plan_checker *plans = NULL;
    struct bt_plan_result result;
    if (!bt_op_request_root(work, request, BT_STR(""))) {
        return BT_OK;
    }
    BT_TRY(bt_checker_plan(work->service->checker, &plans));
    BT_TRY(bt_plan_audit(plans, work->arena, &input, &result));
    return bt_result_set_report(work, &result.judged, 1, result.members);
}

static enum bt_status audit_at_time(struct bt_call *work, struct bt_check_request *request)
{
    return bt_op_request_run(work, request, audit_plan);
}

enum bt_status bt_op_plan_audit(struct bt_call *call, const struct bt_args *args)
{
    return bt_op_run_document(call, args, OPTION_JUDGE, BT_DIALECT_NONE, audit_at_time);
}

static enum bt_status find_waves(struct bt_call *call, const struct bt_check_request *request,
                                 bool remaining)
{
    const struct bt_plan_input input = {request->path, request->text, &request->plan};
    struct bt_plan_checker *plans = NULL;
    struct bt_plan_result result;
    BT_TRY(bt_checker_plan(call->service->checker, &plans));
    BT_TRY(bt_plan_waves(plans, call->arena, &input, remaining, &result));
    return bt_result_set_report(call, &result.judged, 1, result.members);
}

enum bt_status bt_op_plan_waves(struct bt_call *call, const struct bt_args *args)
{
    const bt_str path = bt_args_text(args, BT_ARG_PLAN_WAVES_PATH);
    struct bt_check_request request;
    enum bt_status status = bt_op_request_read(call, args, OPTION_NONE, 0, &request);
    request.path = path.len > 0 ? path : request.path;
    if (status == BT_OK && call->answer->kind == 0) {
        status = find_waves(call, &request, bt_args_bool(args, BT_ARG_PLAN_WAVES_REMAINING));
    }
    bt_op_request_end(&request);
    return status;
}

/* Compare a run with a plan or chains; the request has the run and the root. */
static enum bt_status compare_trajectory(struct bt_call *work, struct bt_check_request *request,
                                         const struct bt_args *args, struct bt_str_list chains)
{
    const struct bt_plan_input plan = {
        BT_STR("plan"), bt_args_text(args, BT_ARG_PLAN_TRAJECTORY_PLAN), &request->plan};
    struct bt_plan_trajectory_input input = {
        .run = {request->path, request->text, &request->plan},
        .plan = bt_args_has(args, BT_ARG_PLAN_TRAJECTORY_PLAN) ? &plan : NULL,
        .chains = chains.items,
        .chains_count = chains.count,
        .returns_to = bt_args_text(args, BT_ARG_PLAN_TRAJECTORY_RETURNS_TO)};
    struct bt_plan_checker *plans = NULL;
    struct bt_plan_result result;
    struct bt_judgement both[2];
    if (!bt_op_request_root(work, request, BT_STR(""))) {
        return BT_OK;
    }
    BT_TRY(bt_checker_plan(work->service->checker, &plans));
    const enum bt_status status =
        bt_plan_compare_trajectory(plans, work->arena, &input, &result, &both[1]);
    if (status == BT_EINVAL) {
        return bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/plan"),
                                     "it has no column of agents");
    }
    BT_TRY(status);
    both[0] = result.judged;
    return bt_result_set_report(work, both, both[1].findings ? 2 : 1, result.members);
}

enum bt_status bt_op_plan_trajectory(struct bt_call *call, const struct bt_args *args)
{
    const struct bt_arg *run = bt_args_at(args, BT_ARG_PLAN_TRAJECTORY_RUN);
    struct bt_check_request request;
    struct bt_str_list chains;
    BT_TRY(bt_args_texts(args, BT_ARG_PLAN_TRAJECTORY_CHAINS, call->arena, &chains));
    for (size_t i = 0; i < chains.count; i++) {
        if (chains.items[i].len == 0) {
            return bt_result_set_problem(call, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/chains"),
                                         "it is not a list of texts");
        }
    }
    bt_op_request_begin(call->service, &request);
    request.root_name = bt_args_text(args, BT_ARG_PLAN_TRAJECTORY_ROOT);
    request.path = BT_STR("run");
    request.text =
        run && bt_json_type(run->json) == BT_JSON_STRING ? bt_arg_text(run) : bt_arg_source(run);
    const enum bt_status status = compare_trajectory(call, &request, args, chains);
    bt_op_request_end(&request);
    return status;
}

/* A payload schema: an object, or a reference below a root. */
struct bt_op_schema_ref {
    bt_str text;      /* of the object; "" for a reference */
    bt_str reference; /* ... */
    bt_str name;      /* of the argument, for reports */
};

/* An object as it was sent; from a tool without white space. */
static enum bt_status read_schema(struct bt_call *call, const struct bt_args *args, size_t place,
                                  struct bt_op_schema_ref *out)
{
    const struct bt_arg *arg = bt_args_at(args, place);
    *out = (struct bt_op_schema_ref){BT_STR(""), BT_STR(""), args->operation->params[place].name};
    if (bt_json_type(arg->json) == BT_JSON_STRING) {
        out->reference = bt_json_text(arg->json);
        return BT_OK;
    }
    out->text = bt_arg_source(arg);
    return args->is_tool ? bt_op_request_document(call, arg->document, arg->json, &out->text)
                         : BT_OK;
}

/* A reference needs a folder to start from. */
static bool has_place(struct bt_call *work, const struct bt_check_request *request,
                      const struct bt_op_schema_ref *schema)
{
    if (schema->text.len == 0 && !request->root) {
        (void)bt_result_set_problem(work, BT_PROBLEM_ROOT_NOT_CONFIGURED, BT_STR(""),
                                    "a reference to a schema needs a root; give the schema itself");
        return false;
    }
    return true;
}

static struct bt_payload_schema_input payload_of(const struct bt_check_request *request,
                                                 const struct bt_op_schema_ref *schema)
{
    const bool is_inline = schema->text.len > 0;
    return (struct bt_payload_schema_input){.path = is_inline ? schema->name : schema->reference,
                                            .root = is_inline ? NULL : request->root,
                                            .reference = is_inline ? BT_STR("") : schema->reference,
                                            .text = schema->text,
                                            .name = BT_STR("")};
}

static enum bt_status validate_payload(struct bt_call *work, struct bt_check_request *request,
                                       const struct bt_op_schema_ref *schema)
{
    const struct bt_config *config = work->service->config;
    struct bt_plan_checker *plans = NULL;
    struct bt_payload_schema *loaded = NULL;
    struct bt_plan_result result;
    if (!has_place(work, request, schema)) {
        return BT_OK;
    }
    BT_TRY(bt_checker_plan(work->service->checker, &plans));
    enum bt_status status =
        schema->text.len > 0
            ? bt_payload_schema_parse(plans, schema->text, &loaded)
            : bt_payload_schema_open(plans, request->root, schema->reference, &loaded);
    if (status == BT_EDENIED) {
        return bt_result_set_problem(work, BT_PROBLEM_NONE, BT_STR(""),
                                     "the schema may not be read");
    }
    BT_TRY(status);
    const struct bt_plan_validate_input input = {
        .payload = {request->path, request->text, &request->plan},
        .schema = loaded,
        .reference = schema->reference,
        .timeout_ns = bt_config_u64(config, "limits.schema_ms") * 1000000,
        .budget = bt_config_u64(config, "limits.schema_work"),
        .clock = bt_worker_clock_ns};
    status = bt_plan_validate_payload(plans, work->arena, &input, &result);
    if (status == BT_OK) {
        status = bt_result_set_report(work, &result.judged, 1, result.members);
    }
    bt_payload_schema_close(loaded);
    return status;
}

enum bt_status bt_op_plan_validate(struct bt_call *call, const struct bt_args *args)
{
    struct bt_check_request request;
    struct bt_op_schema_ref schema;
    enum bt_status status = read_schema(call, args, BT_ARG_PLAN_VALIDATE_SCHEMA, &schema);
    bt_op_request_begin(call->service, &request);
    request.path = BT_STR("payload");
    request.text = bt_args_source(args, BT_ARG_PLAN_VALIDATE_PAYLOAD);
    if (status == BT_OK &&
        bt_op_request_root(call, &request, bt_args_text(args, BT_ARG_PLAN_VALIDATE_ROOT))) {
        status = validate_payload(call, &request, &schema);
    }
    bt_op_request_end(&request);
    return status;
}

static bool mode_of(struct bt_call *work, bt_str name, enum bt_payload_compat_mode *out)
{
    static const bt_str names[] = {BT_STR_INIT("backward"), BT_STR_INIT("forward"),
                                   BT_STR_INIT("full")};
    *out = BT_PAYLOAD_COMPAT_BACKWARD;
    for (size_t i = 0; i < 3; i++) {
        if (bt_str_eq(name, names[i])) {
            *out = (enum bt_payload_compat_mode)(i + 1);
            return true;
        }
    }
    if (name.len > 0) {
        (void)bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/mode"),
                                    "backward, forward or full");
    }
    return name.len == 0;
}

static enum bt_status compare_schemas(struct bt_call *work, struct bt_check_request *request,
                                      const struct bt_op_schema_ref schemas[2], bt_str mode)
{
    struct bt_payload_compat_input input;
    struct bt_plan_checker *plans = NULL;
    struct bt_plan_result result;
    struct bt_judgement both[2];
    if (!mode_of(work, mode, &input.mode) || !has_place(work, request, &schemas[0]) ||
        !has_place(work, request, &schemas[1])) {
        return BT_OK;
    }
    input.old_schema = payload_of(request, &schemas[0]);
    input.new_schema = payload_of(request, &schemas[1]);
    BT_TRY(bt_checker_plan(work->service->checker, &plans));
    const enum bt_status status =
        bt_payload_schema_compare(plans, work->arena, &input, &result, &both[0]);
    if (status == BT_EDENIED) {
        return bt_result_set_problem(work, BT_PROBLEM_NONE, BT_STR(""), "a schema may not be read");
    }
    BT_TRY(status);
    both[1] = result.judged;
    const size_t first = both[0].findings ? 0 : 1;
    return bt_result_set_report(work, both + first, 2 - first, result.members);
}

enum bt_status bt_op_payload_schema_compare(struct bt_call *call, const struct bt_args *args)
{
    struct bt_check_request request;
    struct bt_op_schema_ref schemas[2];
    BT_TRY(read_schema(call, args, BT_ARG_PAYLOAD_SCHEMA_COMPARE_OLD, &schemas[0]));
    BT_TRY(read_schema(call, args, BT_ARG_PAYLOAD_SCHEMA_COMPARE_NEW, &schemas[1]));
    enum bt_status status = BT_OK;
    bt_op_request_begin(call->service, &request);
    if (bt_op_request_root(call, &request,
                           bt_args_text(args, BT_ARG_PAYLOAD_SCHEMA_COMPARE_ROOT))) {
        status = compare_schemas(call, &request, schemas,
                                 bt_args_text(args, BT_ARG_PAYLOAD_SCHEMA_COMPARE_MODE));
    }
    bt_op_request_end(&request);
    return status;
}
