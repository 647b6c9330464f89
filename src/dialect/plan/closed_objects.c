/* SPDX-License-Identifier: Apache-2.0 */
/*
 * closed_objects.c - a payload schema is closed: the payload meta-schema, keywords that re-open the
 * root or change the meaning of a reference, and the schema's own name.
 */
#include <assert.h>

#include "dialect/plan/payload.h"
#include "json/value_pointer.h"

static bool is_one_of(bt_str name, const bt_str *words)
{
    while (words->len > 0 && !bt_str_eq(*words, name)) {
        words++;
    }
    return words->len > 0;
}

/* The first token of a pointer; enough for members of the root, whose names need no escapes. */
static bt_str first_token(bt_str pointer)
{
    return bt_str_slice(pointer, 1, bt_str_find_byte(pointer, '/', 1));
}

bt_str bt_json_pointer_last_token(bt_str pointer)
{
    size_t begin = pointer.len;
    while (begin > 0 && pointer.ptr[begin - 1] != '/') {
        begin--;
    }
    return bt_str_slice(pointer, begin, pointer.len);
}

static bt_str code_for(bt_str pointer)
{
    static const bt_str reopening[] = {BT_STR_INIT("patternProperties"),
                                       BT_STR_INIT("unevaluatedProperties"), BT_STR_INIT("$ref"),
                                       BT_STR_INIT("")};
    static const bt_str keywords[] = {BT_STR_INIT("$dynamicRef"), BT_STR_INIT("$recursiveRef"),
                                      BT_STR_INIT("$vocabulary"), BT_STR_INIT("")};
    const bt_str name = first_token(pointer);
    if (is_one_of(name, reopening)) {
        return BT_STR("PAYLOAD_SCHEMA_REOPENED");
    }
    if (is_one_of(name, keywords)) {
        return BT_STR("PAYLOAD_SCHEMA_KEYWORD");
    }
    return bt_str_eq(name, BT_STR("$schema")) ? BT_STR("PAYLOAD_SCHEMA_DIALECT")
                                              : BT_STR("PAYLOAD_SCHEMA_META");
}

static bt_str hint_for(bt_str code)
{
    if (bt_str_eq(code, BT_STR("PAYLOAD_SCHEMA_REOPENED"))) {
        return BT_STR("remove it; declare properties by name");
    }
    if (bt_str_eq(code, BT_STR("PAYLOAD_SCHEMA_KEYWORD"))) {
        return BT_STR("use #/$defs/... and $ref");
    }
    return BT_STR("a payload schema has $id, type object, named properties, required, and "
                  "additionalProperties false");
}

/* A member of the params of a finding, which are JSON. */
static enum bt_status find_param(struct bt_payload *payload, const struct bt_finding *finding,
                                 const char *name, bt_str *out)
{
    struct bt_json_read_result read;
    *out = BT_STR("");
    if (finding->params.len == 0) {
        return BT_OK;
    }
    BT_TRY(bt_json_read(payload->arena, finding->params, NULL, &read));
    const bt_json_value *value =
        read.document ? bt_json_get(read.document, bt_json_root(read.document), bt_str_of(name))
                      : NULL;
    *out = value ? bt_json_text(value) : BT_STR("");
    return BT_OK;
}

/* What the meta-schema said, in the words of this chapter. */
static enum bt_status add_metaschema_finding(struct bt_payload *payload,
                                             const struct bt_finding *meta_finding)
{
    struct bt_finding_builder remark;
    bt_str keyword;
    bt_str property;
    const bt_str code = code_for(meta_finding->pointer);
    BT_TRY(find_param(payload, meta_finding, "keyword", &keyword));
    BT_TRY(find_param(payload, meta_finding, "property", &property));
    bt_finding_builder_begin(&remark, bt_plan_rule(code));
    bt_buf_put(&remark.pointer, meta_finding->pointer);
    remark.finding.offset = meta_finding->offset;
    if (bt_str_eq(code, BT_STR("PAYLOAD_SCHEMA_REOPENED"))) {
        bt_buf_printf(&remark.message, "the root has %.*s, which re-opens it",
                      BT_STR_ARG(first_token(meta_finding->pointer)));
    } else {
        bt_buf_put(&remark.message, meta_finding->message);
    }
    remark.finding.hint = hint_for(code);
    const bool is_false = bt_str_eq(meta_finding->rule->code, BT_STR("SCHEMA_FALSE"));
    bt_emit_member_string(&remark.emit, "keyword",
                          is_false ? BT_STR("false") : bt_json_pointer_last_token(keyword));
    if (property.len > 0) {
        bt_emit_member_string(&remark.emit, "property", property);
    }
    return bt_finding_builder_end(&remark, payload->findings);
}

static enum bt_status check_meta(struct bt_payload *payload)
{
    struct bt_plan_checker *plans = payload->plans;
    struct bt_findings *found = bt_findings_new(payload->arena);
    if (!found) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_schema_validate(plans->meta, plans->runner, payload->document, found, NULL));
    for (size_t i = 0; i < bt_findings_count(found); i++) {
        const struct bt_finding *meta_finding = bt_findings_at(found, i);
        BT_TRY(bt_str_eq(meta_finding->rule->code, BT_STR("SCHEMA_BUDGET"))
                   ? bt_findings_add(payload->findings, meta_finding)
                   : add_metaschema_finding(payload, meta_finding));
    }
    return BT_OK;
}

static enum bt_status add_keyword_finding(struct bt_payload *payload,
                                          const struct bt_json_member *member, const char *why)
{
    struct bt_finding_builder remark;
    bt_payload_remark(payload, &remark, "PAYLOAD_SCHEMA_KEYWORD", &member->value);
    bt_buf_put_quoted(&remark.message, bt_json_name(member));
    bt_buf_put_char(&remark.message, ' ');
    bt_buf_put_text(&remark.message, why);
    remark.finding.hint = BT_STR("use #/$defs/..., and wrap a draft-07 $ref in allOf");
    bt_emit_member_string(&remark.emit, "keyword", bt_json_name(member));
    return bt_finding_builder_end(&remark, payload->findings);
}

/* Why a member of a schema is forbidden, or NULL. */
static const char *why_forbidden(const struct bt_payload *payload,
                                 const struct bt_payload_schema_position *position, bool has_ref,
                                 bt_str name)
{
    static const bt_str never[] = {BT_STR_INIT("$dynamicAnchor"), BT_STR_INIT("$recursiveAnchor"),
                                   BT_STR_INIT("$anchor"), BT_STR_INIT("")};
    static const bt_str below[] = {
        BT_STR_INIT("$dynamicRef"), BT_STR_INIT("$recursiveRef"), BT_STR_INIT("$vocabulary"),
        BT_STR_INIT("$id"),         BT_STR_INIT("$schema"),       BT_STR_INIT(""),
    };
    static const bt_str ref_siblings[] = {
        BT_STR_INIT("$ref"),     BT_STR_INIT("$comment"),    BT_STR_INIT("title"),
        BT_STR_INIT("examples"), BT_STR_INIT("default"),     BT_STR_INIT("description"),
        BT_STR_INIT("$defs"),    BT_STR_INIT("definitions"), BT_STR_INIT(""),
    };
    /* At the root the meta-schema has said so already. */
    if (is_one_of(name, never) || (!position->is_root && is_one_of(name, below))) {
        return "may not stand in a payload schema: it changes what references mean";
    }
    if (payload->draft == BT_SCHEMA_DRAFT_7 && !position->is_root && has_ref &&
        !is_one_of(name, ref_siblings)) {
        return "stands beside a $ref, where draft-07 ignores it";
    }
    return NULL;
}

static enum bt_status check_keywords(struct bt_payload *payload)
{
    for (size_t i = 0; i < payload->positions.count; i++) {
        const struct bt_payload_schema_position *position = &payload->positions.items[i];
        const struct bt_json_member *members = bt_json_members(position->schema);
        const bool has_ref =
            bt_json_member(payload->document, position->schema, BT_STR("$ref")) != NULL;
        for (size_t j = 0; members && j < bt_json_count(position->schema); j++) {
            const char *why = why_forbidden(payload, position, has_ref, bt_json_name(&members[j]));
            if (why) {
                BT_TRY(add_keyword_finding(payload, &members[j], why));
            }
        }
    }
    return BT_OK;
}

static enum bt_status check_required(struct bt_payload *payload)
{
    const bt_json_value *root = bt_json_root(payload->document);
    const bt_json_value *required = bt_json_get(payload->document, root, BT_STR("required"));
    const bt_json_value *properties = bt_json_get(payload->document, root, BT_STR("properties"));
    const bt_json_value *names = required ? bt_json_items(required) : NULL;
    const bool is_declared = properties && bt_json_type(properties) == BT_JSON_OBJECT;
    for (size_t i = 0; names && is_declared && i < bt_json_count(required); i++) {
        struct bt_finding_builder remark;
        if (bt_json_type(&names[i]) != BT_JSON_STRING ||
            bt_json_member(payload->document, properties, bt_json_text(&names[i]))) {
            continue;
        }
        bt_payload_remark(payload, &remark, "PAYLOAD_SCHEMA_REQUIRED_UNDECLARED", &names[i]);
        bt_buf_put_text(&remark.message, "the required name ");
        bt_buf_put_quoted(&remark.message, bt_json_text(&names[i]));
        bt_buf_put_text(&remark.message, " is not declared, so no payload can pass");
        remark.finding.hint = BT_STR("declare it in properties");
        bt_emit_member_string(&remark.emit, "property", bt_json_text(&names[i]));
        BT_TRY(bt_finding_builder_end(&remark, payload->findings));
    }
    return BT_OK;
}

/* Whether the name it gives itself is the one that belongs to its file. */
static enum bt_status check_id(struct bt_payload *payload)
{
    const bt_json_value *id =
        bt_json_get(payload->document, bt_json_root(payload->document), BT_STR("$id"));
    struct bt_finding_builder remark;
    if (payload->id.len == 0 || !id || bt_json_type(id) != BT_JSON_STRING ||
        !bt_payload_reference_is_id(bt_json_text(id)) || bt_str_eq(bt_json_text(id), payload->id)) {
        return BT_OK;
    }
    bt_payload_remark(payload, &remark, "REF_ID_MISMATCH", id);
    bt_buf_put_text(&remark.message, "the schema calls itself ");
    bt_buf_put_quoted(&remark.message, bt_json_text(id));
    bt_buf_put_text(&remark.message, ", its file name says ");
    bt_buf_put_quoted(&remark.message, payload->id);
    remark.finding.hint = BT_STR("correct the $id, or rename the file");
    bt_emit_member_string(&remark.emit, "expected", payload->id);
    bt_emit_member_string(&remark.emit, "actual", bt_json_text(id));
    return bt_finding_builder_end(&remark, payload->findings);
}

enum bt_status bt_payload_check_closed(struct bt_payload *payload)
{
    BT_TRY(check_meta(payload));
    BT_TRY(check_keywords(payload));
    BT_TRY(check_required(payload));
    return check_id(payload);
}
