/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy.c - everything that affects a judgement -> one digest, so that an auditor sees when two
 * requests were judged by different rules, on one node or on two.
 */
#include "json/builder.h"
#include "json/emit.h"
#include "json/write.h"
#include "operation/operation.h"

/* Groups of the configuration that count as a whole, the options that affect judging, and the
 * limits of every document. Limits of one format (`schema_*`, `csv_*`, `xml_*`) are not part of
 * it. */
static const char *const groups[] = {"approvals", "governed"};
static const char *const options[] = {"budget",        "chain",     "edges",         "fail_level",
                                      "section_limit", "semantics", "strict_expiry", "tokens"};
static const char *const limits[] = {"document_bytes", "members", "nesting", "string_bytes"};

static void copy_member(struct bt_json_builder *policy, const struct bt_json_doc *document,
                        const bt_json_value *object, const char *name)
{
    bt_emit_name(&policy->emit, name);
    bt_json_builder_copy(policy, (bt_ref){document, bt_json_get(document, object, bt_str_of(name))},
                         NULL);
}

static const bt_json_value *find_group(const struct bt_json_doc *all, const char *name)
{
    const bt_json_value *shown = bt_json_get(all, bt_json_root(all), BT_STR("config"));
    return bt_json_get(all, shown, bt_str_of(name));
}

/* The settings of universal handoffs and plans. */
static void put_check(struct bt_json_builder *policy, const struct bt_json_doc *all,
                      const struct bt_check_request *request)
{
    bt_emit_member_object(&policy->emit, "check");
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        bt_op_request_put_option(&policy->emit, request, options[i]);
    }
    copy_member(policy, all, find_group(all, "check"), "skill_names");
    bt_emit_end(&policy->emit);
}

/* The settings of contract blocks: the group, with the number of rejections in force. The
 * workspace says where states are stored and not how they are judged, so it is the configured
 * one. */
static void put_contract(struct bt_json_builder *policy, const struct bt_json_doc *all,
                         const struct bt_check_request *request)
{
    const bt_json_value *contract = find_group(all, "contract");
    bt_emit_member_object(&policy->emit, "contract");
    for (size_t i = 0; i < bt_json_count(contract); i++) {
        const struct bt_json_member *member = &bt_json_members(contract)[i];
        if (bt_str_eq(bt_json_name(member), BT_STR("max_rejections"))) {
            bt_op_request_put_option(&policy->emit, request, "max_rejections");
            continue;
        }
        bt_emit_name_str(&policy->emit, bt_json_name(member));
        bt_json_builder_copy(policy, (bt_ref){all, &member->value}, NULL);
    }
    bt_emit_end(&policy->emit);
}

/* The name of the root for file references, or null. */
static void put_root(struct bt_emit *emit, const struct bt_worker *service,
                     const struct bt_check_request *request)
{
    bool has_default =
        service->root.len > 0 || bt_op_memory_root_find(service->memory_roots, BT_STR("default"));
    for (size_t i = 0; i < bt_config_count(service->config, "roots"); i++) {
        has_default = has_default || bt_str_eq(bt_config_item_name(service->config, "roots", i),
                                               BT_STR("default"));
    }
    bt_emit_member_string_or_null(emit, "root",
                                  request->root_name.len > 0 ? request->root_name
                                  : has_default              ? BT_STR("default")
                                                             : BT_STR(""));
}

/* The configuration, as `config show` prints it. */
static enum bt_status build_config(struct bt_arena *arena, const struct bt_config *config,
                                   const struct bt_json_doc **out)
{
    struct bt_json_builder builder;
    struct bt_emit *emit = bt_json_builder_begin(&builder, arena, NULL);
    bt_emit_begin_object(emit);
    bt_config_emit(config, emit);
    bt_emit_end(emit);
    return bt_json_builder_finish(&builder, BT_OK, out);
}

/* A group that is null unless a file has it. */
static void put_configured(struct bt_json_builder *policy, const struct bt_json_doc *all,
                           const char *group, bool is_configured)
{
    if (is_configured) {
        copy_member(policy, all, bt_json_get(all, bt_json_root(all), BT_STR("config")), group);
    } else {
        bt_emit_member_null(&policy->emit, group);
    }
}

/* The whole policy. */
static enum bt_status build_policy(struct bt_arena *arena, const struct bt_worker *service,
                                   const struct bt_check_request *request,
                                   const struct bt_json_doc **out)
{
    const struct bt_json_doc *all = NULL;
    struct bt_json_builder policy;
    BT_TRY(build_config(arena, service->config, &all));
    struct bt_emit *emit = bt_json_builder_begin(&policy, arena, NULL);
    bt_emit_begin_object(emit);
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        copy_member(&policy, all, bt_json_get(all, bt_json_root(all), BT_STR("config")), groups[i]);
    }
    put_configured(&policy, all, "gate", bt_config_has_gate(service->config));
    put_configured(&policy, all, "budget", bt_config_has_budget(service->config));
    put_configured(&policy, all, "evidence", bt_config_has_group(service->config, "evidence"));
    put_check(&policy, all, request);
    put_contract(&policy, all, request);
    bt_emit_member_object(emit, "limits");
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        copy_member(&policy, all, find_group(all, "limits"), limits[i]);
    }
    bt_emit_end(emit);
    put_root(emit, service, request);
    bt_emit_end(emit);
    return bt_json_builder_finish(&policy, BT_OK, out);
}

enum bt_status bt_op_policy(struct bt_arena *arena, const struct bt_worker *service,
                            const struct bt_check_request *request, struct bt_policy *out)
{
    struct bt_check_request plain;
    const struct bt_json_doc *policy = NULL;
    struct bt_policy made;
    char hex[BT_SHA256_HEX_BYTES];
    bt_op_request_begin(service, &plain);
    BT_TRY(build_policy(arena, service, request ? request : &plain, &policy));
    BT_TRY(bt_json_write_text(policy, bt_json_root(policy), BT_JSON_FORM_CANONICAL, arena,
                              &made.text));
    BT_TRY(bt_sha256_hex(made.text, hex));
    BT_TRY(bt_arena_copy(arena, bt_str_of(hex), &made.sha256));
    *out = made;
    return BT_OK;
}
