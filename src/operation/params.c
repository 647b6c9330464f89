/* SPDX-License-Identifier: Apache-2.0 */
/* params.c - how a document is judged: the options of a request. A new option is one row. */

#include "base/file.h"

#include "operation/governed.h"
#include "operation/operation.h"

uint32_t bt_entry_field_parse(bt_str name)
{
    static const struct {
        bt_str name;
        enum bt_entry_field bit;
    } rows[] = {
        {BT_STR_INIT("handoff_id"), BT_ENTRY_FIELD_HANDOFF_ID},
        {BT_STR_INIT("source"), BT_ENTRY_FIELD_SOURCE},
        {BT_STR_INIT("target"), BT_ENTRY_FIELD_TARGET},
        {BT_STR_INIT("trace_id"), BT_ENTRY_FIELD_TRACE_ID},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (bt_str_eq(rows[i].name, name)) {
            return rows[i].bit;
        }
    }
    return 0;
}

uint32_t bt_config_withheld_fields(const struct bt_config *config)
{
    uint32_t names = 0;
    for (size_t i = 0; i < bt_config_count(config, "ledger.withhold"); i++) {
        names |= bt_entry_field_parse(bt_config_item(config, "ledger.withhold", i));
    }
    return names;
}

struct bt_contract_options bt_contract_options_from_config(const struct bt_config *config)
{
    static const char *const keys[BT_CONTRACT_SETTINGS] = {
        "contract.agent_ids", "contract.transitions", "contract.off_list", "contract.approval_ids"};
    struct bt_contract_options options = {.runtime_agent_id = BT_STR(""),
                                          .written_agent_id = BT_STR("")};
    for (size_t i = 0; i < BT_CONTRACT_SETTINGS; i++) {
        const bt_str name = bt_str_of(bt_contract_settings[i].name);
        if (!bt_contract_options_set(&options, name, bt_config_text(config, keys[i]))) {
            continue; /* the configuration was checked; the default is used */
        }
    }
    return options;
}

struct bt_universal_chain_budget bt_op_chain_budget(const struct bt_config *config)
{
    const struct bt_config_limit limit = bt_config_limit(config, "budget.chain");
    return (struct bt_universal_chain_budget){.tokens = limit.tokens,
                                              .cost = limit.cost,
                                              .warn_percent =
                                                  bt_config_u64(config, "budget.warn_percent")};
}

struct bt_worker_settings bt_worker_settings_from_config(const struct bt_config *config)
{
    struct bt_worker_settings keys = {
        .universal = bt_universal_options_default(),
        .contract = bt_contract_options_from_config(config),
        .plan = bt_plan_options_default(),
        .governed = bt_governed_options_default(),
        .max_rejections = bt_config_u64(config, "contract.max_rejections"),
        .record_deadline_ms = bt_config_u64(config, "limits.record_deadline_ms"),
        .withheld = bt_config_withheld_fields(config),
        .has_roots = bt_config_count(config, "roots") > 0,
#ifndef BT_PROFILE_CORE
        .has_peers = bt_config_count(config, "ledger.peers") > 0,
#endif
        .has_webhooks = bt_config_count(config, "deliver.webhooks") > 0};
    keys.universal.budget = bt_config_u64(config, "check.budget");
    keys.universal.relaxed_names =
        bt_str_eq(bt_config_text(config, "check.skill_names"), BT_STR("relaxed"));
    keys.universal.refs_within_root = true;
    keys.universal.chain_budget = bt_op_chain_budget(config);
    if (bt_encoding_parse(bt_config_text(config, "check.tokens"), &keys.universal.encoding) !=
            BT_OK ||
        bt_severity_parse(bt_config_text(config, "check.fail_level"), &keys.fail_level) != BT_OK) {
        keys.fail_level = BT_SEVERITY_HARD; /* the configuration was checked; this cannot happen */
    }
    return keys;
}

void bt_op_request_begin(const struct bt_worker *service, struct bt_check_request *out)
{
    const struct bt_worker_settings *keys = service->keys;
    *out = (struct bt_check_request){
        .path = BT_STR("document"),
        .universal = keys->universal,
        .contract = keys->contract,
        .plan = keys->plan,
        .fail_level = keys->fail_level,
        .max_rejections = keys->max_rejections,
        .rewrite = {.answer = BT_STR_INIT(""), .from = BT_STR_INIT(""), .step = BT_STR_INIT("")},
        .record = {.input_text = BT_STR_INIT(""),
                   .id = BT_STR_INIT(""),
                   .workspace = BT_STR_INIT(""),
                   .session = BT_STR_INIT(""),
                   .withheld = keys->withheld},
        .governed = keys->governed,
        .members = BT_STR(""),
        .root_name = BT_STR("")};
    out->universal.root = service->root;
    out->universal.no_refs = service->root.len == 0;
}

void bt_op_request_end(struct bt_check_request *request)
{
    bt_dir_close(request->root);
    bt_dir_close(request->catalogue);
    request->root = NULL;
    request->catalogue = NULL;
}

/* A root that requests can name: a folder, or files in memory. Neither: there is none. */
struct bt_op_root {
    bt_str folder;
    const struct bt_memory_files *files;
};

static bool is_root(const struct bt_op_root *root)
{
    return root->folder.len > 0 || root->files;
}

static enum bt_status open_root(const struct bt_op_root *root, struct bt_dir **out)
{
    struct bt_error error;
    return root->files ? bt_dir_open_memory(root->files, out, &error)
                       : bt_dir_open(root->folder, out, &error);
}

struct bt_op_memory_root *bt_op_memory_root_find(struct bt_op_memory_root *first, bt_str name)
{
    while (first && !bt_str_eq(first->name, name)) {
        first = first->next;
    }
    return first;
}

/* Find a named root, or the default one. False after bt_result_set_problem(). */
static bool find_root(struct bt_call *work, bt_str name, struct bt_op_root *out)
{
    const struct bt_worker *service = work->service;
    const bt_str wanted = name.len > 0 ? name : BT_STR("default");
    const size_t count = service->keys->has_roots ? bt_config_count(service->config, "roots") : 0;
    const struct bt_op_memory_root *memory = bt_op_memory_root_find(service->memory_roots, wanted);
    *out = (struct bt_op_root){.folder = bt_str_eq(wanted, BT_STR("default")) ? service->root
                                                                              : BT_STR(""),
                               .files = memory ? memory->files : NULL};
    for (size_t i = 0; !is_root(out) && i < count; i++) {
        if (bt_str_eq(bt_config_item_name(service->config, "roots", i), wanted) &&
            bt_config_item_path(service->config, "roots", i, work->arena, &out->folder) != BT_OK) {
            return false;
        }
    }
    if (!is_root(out) && name.len > 0) {
        (void)bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/root"),
                                    "unknown root");
        return false;
    }
    return true;
}

/* The catalogue of governed handoffs: the root that the caller named, that of the configuration,
 * or the default. */
static bool open_catalogue(struct bt_call *work, struct bt_check_request *request,
                           struct bt_op_root root)
{
    const struct bt_config *config = work->service->config;
    const bool is_configured =
        request->root_name.len == 0 && bt_config_has(config, "governed.root");
    struct bt_error error;
    root.files = is_configured ? NULL : root.files;
    if (bt_governed_options_from_config(config, work->arena, &request->governed, &error) != BT_OK ||
        (is_configured &&
         bt_config_path(config, "governed.root", work->arena, &root.folder) != BT_OK)) {
        (void)bt_result_set_failed(work, BT_PROBLEM_NONE, "%s", bt_status_text(BT_ENOMEM));
        return false;
    }
    if (is_root(&root) && !request->structure_only && !request->catalogue &&
        open_root(&root, &request->catalogue) != BT_OK) {
        (void)bt_result_set_failed(work, BT_PROBLEM_NONE,
                                   "the root of governed handoffs cannot be opened");
        return false;
    }
    request->governed.dir = request->catalogue;
    return true;
}

/* True when the document may be judged against a catalogue. */
static bool needs_catalogue(const struct bt_check_request *request)
{
    return request->dialect != BT_DIALECT_UNIVERSAL && request->dialect != BT_DIALECT_PLAN &&
           request->dialect != BT_DIALECT_CONTRACT && request->dialect != BT_DIALECT_XML;
}

bool bt_op_request_root(struct bt_call *work, struct bt_check_request *request, bt_str name)
{
    struct bt_op_root root;
    request->root_name = name.len > 0 ? name : request->root_name;
    if (!find_root(work, request->root_name, &root)) {
        return false;
    }
    if (is_root(&root) && !request->root && open_root(&root, &request->root) != BT_OK) {
        (void)bt_result_set_failed(work, BT_PROBLEM_NONE, "the root cannot be opened");
        return false;
    }
    request->universal.root = root.folder;
    request->universal.dir = root.files ? request->root : NULL;
    request->universal.no_refs = !is_root(&root);
    request->plan.dir = request->root;
    return !needs_catalogue(request) || open_catalogue(work, request, root);
}

/* Takes the value of an option. False: it is not a valid value. */
typedef bool take_fn(struct bt_call *work, struct bt_check_request *request,
                     const struct bt_arg *value);

static bool to_text(const struct bt_arg *value, bt_str *out)
{
    if (value->document && bt_json_type(value->json) != BT_JSON_STRING) {
        return false;
    }
    *out = value->document ? bt_json_text(value->json) : value->text;
    return out->len > 0;
}

static bool to_number(const struct bt_arg *value, uint64_t *out)
{
    bt_str text = value->text;
    if (value->document) {
        if (bt_json_type(value->json) != BT_JSON_INTEGER) {
            return false;
        }
        text = bt_json_number_text(value->document, value->json);
    }
    return bt_str_to_u64(text, out) == BT_OK;
}

static bool to_switch(const struct bt_arg *value, bool *out)
{
    if (value->document) {
        const enum bt_json_type type = bt_json_type(value->json);
        *out = type == BT_JSON_TRUE;
        return type == BT_JSON_TRUE || type == BT_JSON_FALSE;
    }
    *out = bt_str_eq(value->text, BT_STR("true"));
    return *out || bt_str_eq(value->text, BT_STR("false"));
}

/* One of two words; *out: it is the second. */
static bool to_choice(const struct bt_arg *value, const char *first, const char *second, bool *out)
{
    bt_str text;
    if (!to_text(value, &text)) {
        return false;
    }
    *out = bt_str_eq(text, bt_str_of(second));
    return *out || bt_str_eq(text, bt_str_of(first));
}

static bool take_fail_level(struct bt_call *work, struct bt_check_request *request,
                            const struct bt_arg *value)
{
    bt_str text;
    (void)work;
    return to_text(value, &text) && bt_severity_parse(text, &request->fail_level) == BT_OK;
}

static bool take_fail_fast(struct bt_call *work, struct bt_check_request *request,
                           const struct bt_arg *value)
{
    (void)work;
    return to_switch(value, &request->universal.fail_fast);
}

/* It is opened when all options are known. */
static bool take_root(struct bt_call *work, struct bt_check_request *request,
                      const struct bt_arg *value)
{
    struct bt_op_root root;
    const bool is_text = to_text(value, &request->root_name);
    const bool is_known = is_text && find_root(work, request->root_name, &root);
    if (is_text && !is_known && !value->is_argument) {
        (void)bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/options/root"),
                                    "unknown root");
    }
    return is_known;
}

static bool take_structure_only(struct bt_call *work, struct bt_check_request *request,
                                const struct bt_arg *value)
{
    (void)work;
    return to_switch(value, &request->structure_only);
}

static bool take_today(struct bt_call *work, struct bt_check_request *request,
                       const struct bt_arg *value)
{
    bt_str text;
    (void)work;
    request->plan.today_given =
        to_text(value, &text) && bt_date_parse(text, &request->plan.today) == BT_OK;
    request->plan.is_pinned = request->plan.today_given;
    return request->plan.today_given;
}

static bool take_now(struct bt_call *work, struct bt_check_request *request,
                     const struct bt_arg *value)
{
    bt_str text;
    (void)work;
    request->time.is_given =
        to_text(value, &text) && bt_instant_parse(text, &request->time.now) == BT_OK;
    request->plan.is_pinned = request->plan.is_pinned || request->time.is_given;
    return request->time.is_given;
}

static bool take_tokens(struct bt_call *work, struct bt_check_request *request,
                        const struct bt_arg *value)
{
    bt_str text;
    (void)work;
    return to_text(value, &text) && bt_encoding_parse(text, &request->universal.encoding) == BT_OK;
}

static bool take_budget(struct bt_call *work, struct bt_check_request *request,
                        const struct bt_arg *value)
{
    (void)work;
    return to_number(value, &request->universal.budget) && request->universal.budget > 0;
}

/* NAME=N, or a list of them. */
static bool take_section_limit(struct bt_call *work, struct bt_check_request *request,
                               const struct bt_arg *value)
{
    const bool is_list = value->document && bt_json_type(value->json) == BT_JSON_ARRAY;
    const size_t count = is_list ? bt_json_count(value->json) : 1;
    (void)work;
    for (size_t i = 0; i < count; i++) {
        struct bt_arg item = *value;
        item.json = is_list ? &bt_json_items(value->json)[i] : value->json;
        enum bt_universal_section section = BT_UNIVERSAL_SECTION_METADATA;
        uint64_t limit = 0;
        bt_str text;
        if (!to_text(&item, &text)) {
            return false;
        }
        const size_t equals = bt_str_find_byte(text, '=', 0);
        if (bt_universal_section_parse(bt_str_slice(text, 0, equals), &section) != BT_OK ||
            bt_str_to_u64(bt_str_slice(text, equals + 1, text.len), &limit) != BT_OK) {
            return false;
        }
        request->universal.section_limits[section] = limit;
    }
    return true;
}

static bool take_semantics(struct bt_call *work, struct bt_check_request *request,
                           const struct bt_arg *value)
{
    (void)work;
    return to_choice(value, "error", "warn", &request->universal.semantics_warn);
}

static bool take_chain(struct bt_call *work, struct bt_check_request *request,
                       const struct bt_arg *value)
{
    (void)work;
    return to_choice(value, "head-or-tail", "head", &request->universal.chain_head);
}

static bool take_strict_expiry(struct bt_call *work, struct bt_check_request *request,
                               const struct bt_arg *value)
{
    (void)work;
    return to_switch(value, &request->universal.strict_expiry);
}

static bool take_attempt(struct bt_call *work, struct bt_check_request *request,
                         const struct bt_arg *value)
{
    (void)work;
    return to_number(value, &request->rewrite.attempt) && request->rewrite.attempt > 0 &&
           request->rewrite.attempt <= 100;
}

static bool take_literal(struct bt_call *work, struct bt_check_request *request,
                         const struct bt_arg *value)
{
    (void)work;
    return to_switch(value, &request->rewrite.original_order);
}

static bool take_emit_prompt(struct bt_call *work, struct bt_check_request *request,
                             const struct bt_arg *value)
{
    (void)work;
    return to_switch(value, &request->rewrite.emit_prompt);
}

static bool take_prompt(struct bt_call *work, struct bt_check_request *request,
                        const struct bt_arg *value)
{
    (void)work;
    return to_choice(value, "document", "findings", &request->rewrite.prompts_findings);
}

static bool take_reseal(struct bt_call *work, struct bt_check_request *request,
                        const struct bt_arg *value)
{
    (void)work;
    return to_switch(value, &request->rewrite.reseal);
}

static bool take_to(struct bt_call *work, struct bt_check_request *request,
                    const struct bt_arg *value)
{
    bt_str text;
    (void)work;
    (void)request;
    return to_text(value, &text) && bt_dialect_find(text) == BT_DIALECT_UNIVERSAL;
}

static bool take_from(struct bt_call *work, struct bt_check_request *request,
                      const struct bt_arg *value)
{
    (void)work;
    return to_text(value, &request->rewrite.from);
}

static bool take_edges(struct bt_call *work, struct bt_check_request *request,
                       const struct bt_arg *value)
{
    (void)work;
    return to_choice(value, "rows", "deps", &request->plan.by_dependencies);
}

static bool take_step(struct bt_call *work, struct bt_check_request *request,
                      const struct bt_arg *value)
{
    (void)work;
    return to_text(value, &request->rewrite.step);
}

static bool take_direction(struct bt_call *work, struct bt_check_request *request,
                           const struct bt_arg *value)
{
    bool is_input = false;
    (void)work;
    const bool known = to_choice(value, "output", "input", &is_input);
    request->contract.direction = is_input ? BT_CONTRACT_INPUT : BT_CONTRACT_OUTPUT;
    return known;
}

static bool take_bare(struct bt_call *work, struct bt_check_request *request,
                      const struct bt_arg *value)
{
    (void)work;
    return to_switch(value, &request->contract.no_fence);
}

static bool take_host_id(struct bt_call *work, struct bt_check_request *request,
                         const struct bt_arg *value)
{
    bt_str text;
    if (!to_text(value, &text) || !bt_caller_represents(work->caller, text) ||
        bt_contract_agent_id_from_runtime(text, request->host_id) != BT_OK) {
        return false;
    }
    request->contract.runtime_agent_id = bt_str_of(request->host_id);
    request->contract.written_agent_id = text;
    return true;
}

static bool take_max_rejections(struct bt_call *work, struct bt_check_request *request,
                                const struct bt_arg *value)
{
    (void)work;
    return to_number(value, &request->max_rejections) && request->max_rejections > 0 &&
           request->max_rejections <= 100;
}

static bool take_id(struct bt_call *work, struct bt_check_request *request,
                    const struct bt_arg *value)
{
    (void)work;
    return to_text(value, &request->record.id) && bt_entry_name_is_valid(request->record.id);
}

static bool take_workspace(struct bt_call *work, struct bt_check_request *request,
                           const struct bt_arg *value)
{
    (void)work;
    return to_text(value, &request->record.workspace);
}

static bool take_session(struct bt_call *work, struct bt_check_request *request,
                         const struct bt_arg *value)
{
    (void)work;
    return to_text(value, &request->record.session);
}

/* A list of words, or words separated by commas. */
static bool take_withhold(struct bt_call *work, struct bt_check_request *request,
                          const struct bt_arg *value)
{
    const bool is_list = value->document && bt_json_type(value->json) == BT_JSON_ARRAY;
    bt_str text = BT_STR("");
    (void)work;
    if (!is_list && !to_text(value, &text)) {
        return false;
    }
    size_t from = 0;
    for (size_t i = 0; is_list ? i < bt_json_count(value->json) : from <= text.len; i++) {
        const size_t end = bt_str_find_byte(text, ',', from);
        const bt_str word =
            is_list ? bt_json_text(&bt_json_items(value->json)[i]) : bt_str_slice(text, from, end);
        const uint32_t bit = bt_entry_field_parse(word);
        if (bit == 0) {
            return false;
        }
        request->record.withheld |= bit;
        from = end + 1;
    }
    return true;
}

static bool take_retention(struct bt_call *work, struct bt_check_request *request,
                           const struct bt_arg *value)
{
    (void)work;
    return to_choice(value, "keep", "drop", &request->record.omit_document);
}

struct bt_param {
    const char *name;
    unsigned use;
    take_fn *take;
};

enum {
    JUDGING = OPTION_JUDGE | OPTION_SUBMIT,
    ANY = JUDGING | OPTION_REPAIR | OPTION_CONVERT | OPTION_SEAL,
};

static const struct bt_param options[] = {
    {"fail_level", JUDGING, take_fail_level},
    {"fail_fast", JUDGING, take_fail_fast},
    {"root", ANY, take_root},
    {"structure_only", JUDGING, take_structure_only},
    {"today", ANY & ~(unsigned)OPTION_SUBMIT, take_today},
    {"now", ANY & ~(unsigned)OPTION_SUBMIT, take_now},
    {"tokens", ANY, take_tokens},
    {"budget", ANY, take_budget},
    {"section_limit", ANY, take_section_limit},
    {"semantics", ANY, take_semantics},
    {"chain", ANY, take_chain},
    {"strict_expiry", ANY, take_strict_expiry},
    {"attempt", OPTION_REPAIR, take_attempt},
    {"literal", OPTION_REPAIR, take_literal},
    {"emit_prompt", OPTION_REPAIR, take_emit_prompt},
    {"prompt", OPTION_REPAIR, take_prompt},
    {"reseal", OPTION_SEAL, take_reseal},
    {"to", OPTION_CONVERT, take_to},
    {"from", OPTION_CONVERT, take_from},
    {"edges", JUDGING | OPTION_REPAIR, take_edges},
    {"step", OPTION_CONVERT, take_step},
    {"direction", OPTION_JUDGE, take_direction},
    {"bare", OPTION_JUDGE | OPTION_REPAIR, take_bare},
    {"runtime_agent_id", JUDGING | OPTION_REPAIR, take_host_id},
    {"max_rejections", OPTION_REPAIR | OPTION_SUBMIT, take_max_rejections},
    {"id", OPTION_SUBMIT, take_id},
    {"workspace", OPTION_SUBMIT, take_workspace},
    {"session", OPTION_SUBMIT, take_session},
    {"withhold", OPTION_SUBMIT, take_withhold},
    {"document", OPTION_SUBMIT, take_retention},
};

bool bt_op_option_is_valid(unsigned use, bt_str name, bt_str text)
{
    static const struct bt_caller anybody;
    const struct bt_arg value = {.text = text, .is_argument = true};
    struct bt_call work = {.caller = &anybody};
    struct bt_check_request request = {0};
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        if ((options[i].use & use) && bt_str_eq(bt_str_of(options[i].name), name)) {
            return options[i].take == take_root ? text.len > 0
                                                : options[i].take(&work, &request, &value);
        }
    }
    return false;
}

bool bt_op_request_option(struct bt_call *work, struct bt_check_request *request, unsigned use,
                          bt_str name, const struct bt_arg *value)
{
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        if (!(options[i].use & use) || !bt_str_eq(bt_str_of(options[i].name), name)) {
            continue;
        }
        if (options[i].take(work, request, value)) {
            return !(use & OPTION_SUBMIT) || bt_op_request_tightens(work, request, name, value);
        }
        if (work->answer->kind == 0) {
            (void)bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID,
                                        bt_result_pointer(work, "%s/%s",
                                                          value->is_argument ? "" : "/options",
                                                          options[i].name),
                                        "no such value");
        }
        return false;
    }
    (void)bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID,
                                bt_entry_name_is_valid(name)
                                    ? bt_result_pointer(work, "/options/%.*s", BT_STR_ARG(name))
                                    : BT_STR("/options"),
                                "unknown option");
    return false;
}
