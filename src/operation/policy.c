/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy.c - everything that affects a judgement -> one digest, so that an auditor sees when two
 * requests were judged by different rules, on one node or on two.
 */
#include "operation/operation.h"

enum { CONFIG_BYTES_MAX = 4 << 20 };

/* Groups of the configuration that count as a whole, the options that affect judging, and the
 * limits of every document. Limits of one format (`schema_*`, `csv_*`, `xml_*`) are not part of
 * it. */
static const char *const groups[] = {"approvals", "governed"};
static const char *const options[] = {"budget",        "chain",     "edges",         "fail_level",
                                      "section_limit", "semantics", "strict_expiry", "tokens"};
static const char *const limits[] = {"document_bytes", "members", "nesting", "string_bytes"};
static const char *const absent[] = {"budget", "evidence"}; /* not configurable */

static void copy_member(struct bt_emit *emit, const struct bt_json_doc *document,
                        const bt_json_value *object, const char *name)
{
    const bt_json_value *value = bt_json_get(document, object, bt_str_of(name));
    const struct bt_json_span span = bt_json_span(document, value);
    bt_emit_name(emit, name);
    bt_emit_raw(emit, bt_str_slice(bt_json_source(document), span.begin, span.end));
}

static enum bt_status read_back(struct bt_arena *arena, const struct bt_buf *buf,
                                const struct bt_json_doc **out)
{
    struct bt_json_read_result read;
    bt_str text;
    BT_TRY(bt_buf_copy(buf, arena, &text));
    BT_TRY(bt_json_read(arena, text, NULL, &read));
    *out = read.document;
    return read.document ? BT_OK : BT_ENOMEM;
}

static const bt_json_value *find_group(const struct bt_json_doc *all, const char *name)
{
    const bt_json_value *shown = bt_json_get(all, bt_json_root(all), BT_STR("config"));
    return bt_json_get(all, shown, bt_str_of(name));
}

/* The settings of universal handoffs and plans. */
static void put_check(struct bt_emit *emit, const struct bt_json_doc *all,
                      const struct bt_check_request *request)
{
    bt_emit_name(emit, "check");
    bt_emit_begin_object(emit);
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        bt_op_request_put_option(emit, request, options[i]);
    }
    copy_member(emit, all, find_group(all, "check"), "skill_names");
    bt_emit_end(emit);
}

/* The settings of contract blocks: the group, with the number of rejections in force. The
 * workspace says where states are stored and not how they are judged, so it is the configured
 * one. */
static void put_contract(struct bt_emit *emit, const struct bt_json_doc *all,
                         const struct bt_check_request *request)
{
    const bt_json_value *contract = find_group(all, "contract");
    bt_emit_name(emit, "contract");
    bt_emit_begin_object(emit);
    for (size_t i = 0; i < bt_json_count(contract); i++) {
        const struct bt_json_member *member = &bt_json_members(contract)[i];
        if (bt_str_eq(bt_json_name(member), BT_STR("max_rejections"))) {
            bt_op_request_put_option(emit, request, "max_rejections");
            continue;
        }
        const struct bt_json_span span = bt_json_span(all, &member->value);
        bt_emit_name_str(emit, bt_json_name(member));
        bt_emit_raw(emit, bt_str_slice(bt_json_source(all), span.begin, span.end));
    }
    bt_emit_end(emit);
}

/* The name of the root for file references, or null. */
static void put_root(struct bt_emit *emit, const struct bt_worker *service,
                     const struct bt_check_request *request)
{
    bool has_default = service->root.len > 0;
    for (size_t i = 0; i < bt_config_count(service->config, "roots"); i++) {
        has_default = has_default || bt_str_eq(bt_config_item_name(service->config, "roots", i),
                                               BT_STR("default"));
    }
    bt_emit_member_string_or_null(emit, "root",
                                  request->root_name.len > 0 ? request->root_name
                                  : has_default              ? BT_STR("default")
                                                             : BT_STR(""));
}

/* The whole policy, as an object in `buf`. */
static enum bt_status put_policy(struct bt_arena *arena, const struct bt_worker *service,
                                 const struct bt_check_request *request, struct bt_buf *buf)
{
    const struct bt_json_doc *all = NULL;
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_config_emit(service->config, &emit);
    bt_emit_end(&emit);
    BT_TRY(read_back(arena, buf, &all));
    bt_buf_clear(buf);
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        copy_member(&emit, all, bt_json_get(all, bt_json_root(all), BT_STR("config")), groups[i]);
    }
    if (bt_config_has_gate(service->config)) {
        copy_member(&emit, all, bt_json_get(all, bt_json_root(all), BT_STR("config")), "gate");
    } else {
        bt_emit_name(&emit, "gate");
        bt_emit_null(&emit);
    }
    for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
        bt_emit_name(&emit, absent[i]);
        bt_emit_null(&emit);
    }
    put_check(&emit, all, request);
    put_contract(&emit, all, request);
    bt_emit_name(&emit, "limits");
    bt_emit_begin_object(&emit);
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        copy_member(&emit, all, find_group(all, "limits"), limits[i]);
    }
    bt_emit_end(&emit);
    put_root(&emit, service, request);
    bt_emit_end(&emit);
    return buf->status;
}

static enum bt_status build_policy_digest(struct bt_arena *arena, const struct bt_worker *service,
                                          const struct bt_check_request *request,
                                          struct bt_buf *buf, bt_str *out)
{
    const struct bt_json_doc *policy = NULL;
    char hex[BT_SHA256_HEX_BYTES];
    BT_TRY(put_policy(arena, service, request, buf));
    BT_TRY(read_back(arena, buf, &policy));
    bt_buf_clear(buf);
    BT_TRY(bt_json_write(buf, policy, bt_json_root(policy), BT_JSON_FORM_CANONICAL, arena, NULL));
    BT_TRY(bt_sha256_hex(bt_buf_str(buf), hex));
    return bt_arena_copy(arena, bt_str_of(hex), out);
}

enum bt_status bt_op_policy(struct bt_arena *arena, const struct bt_worker *service,
                            const struct bt_check_request *request, bt_str *out)
{
    struct bt_check_request plain;
    struct bt_buf buf;
    bt_op_request_begin(service, &plain);
    bt_buf_init(&buf, CONFIG_BYTES_MAX);
    const enum bt_status status =
        build_policy_digest(arena, service, request ? request : &plain, &buf, out);
    bt_buf_free(&buf);
    return status;
}
