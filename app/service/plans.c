/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plans.c - plans and the schemas of their payloads.
 */

#include "base/clock.h"
#include "service/service.h"

uint64_t service_clock(void *context)
{
    (void)context;
    return bt_clock_monotonic_ns();
}

static enum bt_status audit(struct work *work, struct request *request)
{
    const struct bt_plan_input input = {request->path, request->text, &request->plan};
    struct bt_plans *plans = NULL;
    struct bt_plan_result result;
    if (!request_root(work, request, BT_STR(""))) {
        return BT_OK;
    }
    BT_TRY(bt_checker_plans(work->service->checker, &plans));
    BT_TRY(bt_plan_audit(plans, work->arena, &input, &result));
    return answer_report(work, &result.judged, 1, result.members);
}

enum bt_status op_plan_audit(struct work *work, struct request *request)
{
    return request_run(work, request, audit);
}

enum bt_status op_plan_waves(struct work *work, struct request *request, bool remaining)
{
    const struct bt_plan_input input = {request->path, request->text, &request->plan};
    struct bt_plans *plans = NULL;
    struct bt_plan_result result;
    BT_TRY(bt_checker_plans(work->service->checker, &plans));
    BT_TRY(bt_plan_waves(plans, work->arena, &input, remaining, &result));
    return answer_report(work, &result.judged, 1, result.members);
}

enum bt_status op_plan_trajectory(struct work *work, struct request *request,
                                  const struct trajectory_ask *ask)
{
    const struct bt_plan_input plan = {BT_STR("plan"), ask->plan, &request->plan};
    struct bt_trajectory_input input = {.run = {request->path, request->text, &request->plan},
                                        .plan = ask->has_plan ? &plan : NULL,
                                        .chains = ask->chains,
                                        .chains_count = ask->chain_count,
                                        .returns_to = ask->returns_to};
    struct bt_plans *plans = NULL;
    struct bt_plan_result result;
    struct bt_judged both[2];
    if (!request_root(work, request, BT_STR(""))) {
        return BT_OK;
    }
    BT_TRY(bt_checker_plans(work->service->checker, &plans));
    const enum bt_status status = bt_plan_trajectory(plans, work->arena, &input, &result, &both[1]);
    if (status == BT_EINVAL) {
        return answer_unusable(work, "PARAMETER_INVALID at /plan: it has no column of agents");
    }
    BT_TRY(status);
    both[0] = result.judged;
    return answer_report(work, both, both[1].findings ? 2 : 1, result.members);
}

/* A reference needs a folder to start from. */
static bool has_place(struct work *work, const struct request *request,
                      const struct schema_ref *schema)
{
    if (schema->text.len == 0 && !request->root) {
        (void)answer_unusable(work, "ROOT_NOT_CONFIGURED: a reference to a schema needs a root; "
                                    "give the schema itself");
        return false;
    }
    return true;
}

static struct bt_payload_input payload_of(const struct request *request,
                                          const struct schema_ref *schema)
{
    const bool is_inline = schema->text.len > 0;
    return (struct bt_payload_input){.path =
                                         is_inline ? bt_str_of(schema->name) : schema->reference,
                                     .root = is_inline ? NULL : request->root,
                                     .reference = is_inline ? BT_STR("") : schema->reference,
                                     .text = schema->text,
                                     .name = BT_STR("")};
}

enum bt_status op_validate(struct work *work, struct request *request,
                           const struct schema_ref *schema)
{
    const struct bt_config *config = work->service->config;
    struct bt_plans *plans = NULL;
    struct bt_payload_schema *loaded = NULL;
    struct bt_plan_result result;
    if (!has_place(work, request, schema)) {
        return BT_OK;
    }
    BT_TRY(bt_checker_plans(work->service->checker, &plans));
    enum bt_status status =
        schema->text.len > 0
            ? bt_payload_schema_read(plans, schema->text, &loaded)
            : bt_payload_schema_open(plans, request->root, schema->reference, &loaded);
    if (status == BT_EDENIED) {
        return answer_unusable(work, "the schema may not be read");
    }
    BT_TRY(status);
    const struct bt_validate_input input = {
        .payload = {request->path, request->text, &request->plan},
        .schema = loaded,
        .reference = schema->reference,
        .timeout_ns = bt_config_number(config, "limits.schema_ms") * 1000000,
        .budget = bt_config_number(config, "limits.schema_work"),
        .clock = service_clock};
    status = bt_plan_validate(plans, work->arena, &input, &result);
    if (status == BT_OK) {
        status = answer_report(work, &result.judged, 1, result.members);
    }
    bt_payload_schema_close(loaded);
    return status;
}

static bool mode_of(struct work *work, bt_str name, enum bt_compat_mode *out)
{
    static const bt_str names[] = {BT_STR_INIT("backward"), BT_STR_INIT("forward"),
                                   BT_STR_INIT("full")};
    *out = BT_COMPAT_BACKWARD;
    for (size_t i = 0; i < 3; i++) {
        if (bt_str_eq(name, names[i])) {
            *out = (enum bt_compat_mode)(i + 1);
            return true;
        }
    }
    if (name.len > 0) {
        (void)answer_unusable(work, "PARAMETER_INVALID at /mode: backward, forward or full");
    }
    return name.len == 0;
}

enum bt_status op_compat(struct work *work, struct request *request,
                         const struct schema_ref schemas[2], bt_str mode)
{
    struct bt_compat_input input;
    struct bt_plans *plans = NULL;
    struct bt_plan_result result;
    struct bt_judged both[2];
    if (!mode_of(work, mode, &input.mode) || !has_place(work, request, &schemas[0]) ||
        !has_place(work, request, &schemas[1])) {
        return BT_OK;
    }
    input.old_schema = payload_of(request, &schemas[0]);
    input.new_schema = payload_of(request, &schemas[1]);
    BT_TRY(bt_checker_plans(work->service->checker, &plans));
    const enum bt_status status = bt_payload_compat(plans, work->arena, &input, &result, &both[0]);
    if (status == BT_EDENIED) {
        return answer_unusable(work, "a schema may not be read");
    }
    BT_TRY(status);
    both[1] = result.judged;
    const size_t first = both[0].findings ? 0 : 1;
    return answer_report(work, both + first, 2 - first, result.members);
}
