/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tighten.c - a request that records is judged by the policy of the server: its options may only
 * make that stricter.
 */
#include <inttypes.h>

#include "json/emit.h"
#include "operation/operation.h"

enum { PARAMS_BYTES_MAX = 1 << 20 };

static bool fits_budget(const struct bt_check_request *policy,
                        const struct bt_check_request *requested)
{
    return requested->universal.budget <= policy->universal.budget;
}

static void put_budget(struct bt_emit *emit, const struct bt_check_request *request)
{
    bt_emit_u64(emit, request->universal.budget);
}

static bool fits_ceilings(const struct bt_check_request *policy,
                          const struct bt_check_request *requested)
{
    for (size_t i = 0; i < BT_UNIVERSAL_SECTION__MAX; i++) {
        if (requested->universal.section_limits[i] > policy->universal.section_limits[i]) {
            return false;
        }
    }
    return true;
}

static void put_ceilings(struct bt_emit *emit, const struct bt_check_request *request)
{
    bt_emit_begin_object(emit);
    for (size_t i = 0; i < BT_UNIVERSAL_SECTION__MAX; i++) {
        if (request->universal.section_limits[i] != BT_UNIVERSAL_SECTION_UNLIMITED) {
            bt_emit_name_str(emit, bt_universal_section_name((enum bt_universal_section)i));
            bt_emit_u64(emit, request->universal.section_limits[i]);
        }
    }
    bt_emit_end(emit);
}

static bool fits_rejections(const struct bt_check_request *policy,
                            const struct bt_check_request *requested)
{
    return requested->max_rejections <= policy->max_rejections;
}

static void put_rejections(struct bt_emit *emit, const struct bt_check_request *request)
{
    bt_emit_u64(emit, request->max_rejections);
}

/* The lower the severity that fails, the stricter. */
static bool fits_fail_level(const struct bt_check_request *policy,
                            const struct bt_check_request *requested)
{
    return requested->fail_level <= policy->fail_level;
}

static void put_fail_level(struct bt_emit *emit, const struct bt_check_request *request)
{
    bt_emit_string(emit, bt_severity_name(request->fail_level));
}

static bool fits_expiry(const struct bt_check_request *policy,
                        const struct bt_check_request *requested)
{
    return requested->universal.strict_expiry || !policy->universal.strict_expiry;
}

static void put_expiry(struct bt_emit *emit, const struct bt_check_request *request)
{
    bt_emit_bool(emit, request->universal.strict_expiry);
}

static bool fits_semantics(const struct bt_check_request *policy,
                           const struct bt_check_request *requested)
{
    return requested->universal.semantics_warn == policy->universal.semantics_warn;
}

static void put_semantics(struct bt_emit *emit, const struct bt_check_request *request)
{
    bt_emit_string(emit, request->universal.semantics_warn ? BT_STR("warn") : BT_STR("error"));
}

static bool fits_tokens(const struct bt_check_request *policy,
                        const struct bt_check_request *requested)
{
    return requested->universal.encoding == policy->universal.encoding;
}

static void put_tokens(struct bt_emit *emit, const struct bt_check_request *request)
{
    bt_emit_string(emit, bt_encoding_name(request->universal.encoding));
}

static bool fits_edges(const struct bt_check_request *policy,
                       const struct bt_check_request *requested)
{
    return requested->plan.by_dependencies == policy->plan.by_dependencies;
}

static void put_edges(struct bt_emit *emit, const struct bt_check_request *request)
{
    bt_emit_string(emit, request->plan.by_dependencies ? BT_STR("deps") : BT_STR("rows"));
}

/* Both modes only warn. */
static bool fits_chain(const struct bt_check_request *policy,
                       const struct bt_check_request *requested)
{
    (void)policy;
    (void)requested;
    return true;
}

static void put_chain(struct bt_emit *emit, const struct bt_check_request *request)
{
    bt_emit_string(emit, request->universal.chain_head ? BT_STR("head") : BT_STR("head-or-tail"));
}

static bool fits_structure(const struct bt_check_request *policy,
                           const struct bt_check_request *requested)
{
    (void)policy;
    return !requested->structure_only;
}

static void put_structure(struct bt_emit *emit, const struct bt_check_request *request)
{
    bt_emit_bool(emit, request->structure_only);
}

/* An option that affects judging: whether it is as strict as the policy, and its value. */
static const struct bt_op_tighten_rule {
    const char *name;
    bool (*fits)(const struct bt_check_request *policy, const struct bt_check_request *requested);
    void (*put)(struct bt_emit *emit, const struct bt_check_request *request);
} rules[] = {
    {"budget", fits_budget, put_budget},
    {"chain", fits_chain, put_chain},
    {"edges", fits_edges, put_edges},
    {"fail_level", fits_fail_level, put_fail_level},
    {"max_rejections", fits_rejections, put_rejections},
    {"section_limit", fits_ceilings, put_ceilings},
    {"semantics", fits_semantics, put_semantics},
    {"strict_expiry", fits_expiry, put_expiry},
    {"structure_only", fits_structure, put_structure},
    {"tokens", fits_tokens, put_tokens},
};

static const struct bt_op_tighten_rule *find_rule(bt_str name)
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (bt_str_eq(bt_str_of(rules[i].name), name)) {
            return &rules[i];
        }
    }
    return NULL;
}

void bt_op_request_put_option(struct bt_emit *emit, const struct bt_check_request *request,
                              const char *name)
{
    const struct bt_op_tighten_rule *rule = find_rule(bt_str_of(name));
    bt_emit_name(emit, name);
    if (rule) {
        rule->put(emit, request);
    } else {
        bt_emit_null(emit);
    }
}

static void put_value(struct bt_emit *emit, const struct bt_arg *value)
{
    if (!value->document) {
        bt_emit_string(emit, value->text);
        return;
    }
    const struct bt_json_span span = bt_json_span(value->document, value->json);
    bt_emit_raw(emit, bt_str_slice(bt_json_source(value->document), span.begin, span.end));
}

/* Set the problem that an option would relax the policy, which is a JSON value. Returns false. */
static bool set_option_problem(struct bt_call *work, bt_str name, const struct bt_arg *value,
                               bt_str policy)
{
    const bool is_option = value->document && !value->is_argument;
    struct bt_emit emit;
    struct bt_buf params;
    bt_buf_init(&params, PARAMS_BYTES_MAX);
    bt_emit_init(&emit, &params, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "reason", BT_STR("relaxes"));
    bt_emit_name(&emit, "value");
    put_value(&emit, value);
    bt_emit_name(&emit, "policy");
    bt_emit_raw(&emit, policy);
    bt_emit_end(&emit);
    (void)bt_result_set_problem(
        work, BT_PROBLEM_PARAMETER_INVALID,
        bt_result_pointer(work, "%s/%.*s", is_option ? "/options" : "", BT_STR_ARG(name)),
        "it would relax the policy of the server, "
        "which is %.*s; what is recorded may only be judged more strictly",
        BT_STR_ARG(bt_str_slice(policy, 0, 200)));
    if (bt_buf_copy(&params, work->arena, &work->answer->params) != BT_OK) {
        work->answer->params = BT_STR("");
    }
    bt_buf_free(&params);
    return false;
}

bool bt_op_request_tightens(struct bt_call *work, struct bt_check_request *request, bt_str name,
                            const struct bt_arg *value)
{
    const struct bt_op_tighten_rule *rule = find_rule(name);
    struct bt_check_request policy;
    if (!rule) {
        return true;
    }
    request->has_options = true;
    bt_op_request_begin(work->service, &policy);
    if (rule->fits(&policy, request)) {
        return true;
    }
    struct bt_emit emit;
    struct bt_buf text;
    bt_buf_init(&text, PARAMS_BYTES_MAX);
    bt_emit_init(&emit, &text, false);
    rule->put(&emit, &policy);
    const bool fits = set_option_problem(work, name, value, bt_buf_str(&text));
    bt_buf_free(&text);
    return fits;
}

bool bt_op_request_may_record(struct bt_call *work, const struct bt_check_request *request)
{
    const struct bt_config *config = work->service->config;
    const bool is_governed =
        request->dialect == BT_DIALECT_GOVERNED || request->dialect == BT_DIALECT_RESPONSE;
    bool is_listed = request->root_name.len == 0;
    if (is_governed && request->record.omit_document) {
        const struct bt_arg drop = {.text = BT_STR("drop")};
        return set_option_problem(work, BT_STR("document"), &drop, BT_STR("\"keep\""));
    }
    for (size_t i = 0; !is_governed && i < bt_config_count(config, "submit.roots"); i++) {
        is_listed =
            is_listed || bt_str_eq(request->root_name, bt_config_item(config, "submit.roots", i));
    }
    if (is_listed) {
        return true;
    }
    const struct bt_arg root = {.text = request->root_name};
    return set_option_problem(work, BT_STR("root"), &root, BT_STR("null"));
}
