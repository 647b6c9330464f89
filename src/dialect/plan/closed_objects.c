/* SPDX-License-Identifier: Apache-2.0 */
/*
 * closed_objects.c - a payload schema is closed: the payload meta-schema, keywords that re-open the
 * root or change the meaning of a reference, and the schema's own name.
 */
#include <assert.h>

#include "base/str.h"
#include "dialect/plan/payload.h"
#include "report/rules.h"

/* The first token of a pointer; enough for members of the root, whose names need no escapes. */
static bt_str first_token(bt_str pointer)
{
    return bt_str_slice(pointer, 1, bt_str_find_byte(pointer, '/', 1));
}

typedef enum bt_status metaschema_finding_fn(struct bt_findings *findings, struct bt_location at,
                                             bt_str composed, bt_str keyword, bt_str property);

/* The finding about a member of the root, by its name. */
static metaschema_finding_fn *metaschema_finding(bt_str name)
{
    static const bt_str keywords[] = {BT_STR_INIT("$dynamicRef"), BT_STR_INIT("$recursiveRef"),
                                      BT_STR_INIT("$vocabulary"), BT_STR_INIT("")};
    if (bt_payload_is_listed(name, keywords)) {
        return bt_add_payload_schema_keyword_metaschema;
    }
    return bt_str_eq(name, BT_STR("$schema")) ? bt_add_payload_schema_dialect_metaschema
                                              : bt_add_payload_schema_meta_metaschema;
}

/* A text among the parameters of a finding, or an absent one. */
static bt_str find_param(const struct bt_finding *finding, const char *name)
{
    const struct bt_finding_arg *arg = bt_finding_arg(finding, bt_str_of(name));
    return arg ? arg->as.text : BT_STR_ABSENT;
}

/* Report what the meta-schema found by a rule of this dialect. */
static enum bt_status add_metaschema_finding(struct bt_payload *payload,
                                             const struct bt_finding *meta_finding)
{
    static const bt_str reopening[] = {BT_STR_INIT("patternProperties"),
                                       BT_STR_INIT("unevaluatedProperties"), BT_STR_INIT("$ref"),
                                       BT_STR_INIT("")};
    const struct bt_location at = bt_location_pointer(meta_finding->pointer, meta_finding->offset);
    const bt_str name = first_token(meta_finding->pointer);
    const bt_str property = find_param(meta_finding, "property");
    const bt_str keyword = meta_finding->code == BT_CODE_SCHEMA_FALSE
                               ? BT_STR("false")
                               : bt_str_after_last(find_param(meta_finding, "keyword"), '/');
    return bt_payload_is_listed(name, reopening)
               ? bt_add_payload_schema_reopened(payload->findings, at, keyword, property, name)
               : metaschema_finding(name)(payload->findings, at, meta_finding->message, keyword,
                                          property);
}

static enum bt_status check_meta(struct bt_payload *payload)
{
    struct bt_plan_checker *plans = payload->plans;
    struct bt_findings *found = bt_findings_new(payload->arena);
    BT_TRY(found ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_schema_validate(plans->meta, plans->runner, payload->document, found, NULL));
    for (size_t i = 0; i < bt_findings_count(found); i++) {
        const struct bt_finding *meta_finding = bt_findings_at(found, i);
        BT_TRY(meta_finding->code == BT_CODE_SCHEMA_BUDGET
                   ? bt_findings_add(payload->findings, meta_finding)
                   : add_metaschema_finding(payload, meta_finding));
    }
    return BT_OK;
}

/* Why a member of a schema is forbidden, or zero. */
static enum bt_payload_schema_keyword_why
why_forbidden(const struct bt_payload *payload, const struct bt_payload_schema_position *position,
              bool has_ref, bt_str name)
{
    static const bt_str never[] = {BT_STR_INIT("$dynamicAnchor"), BT_STR_INIT("$recursiveAnchor"),
                                   BT_STR_INIT("$anchor"), BT_STR_INIT("")};
    static const bt_str below[] = {
        BT_STR_INIT("$dynamicRef"), BT_STR_INIT("$recursiveRef"), BT_STR_INIT("$vocabulary"),
        BT_STR_INIT("$id"),         BT_STR_INIT("$schema"),       BT_STR_INIT(""),
    };
    static const bt_str unsupported[] = {BT_STR_INIT("$dynamicRef"), BT_STR_INIT("$recursiveRef"),
                                         BT_STR_INIT("$vocabulary"), BT_STR_INIT("")};
    static const bt_str ref_siblings[] = {
        BT_STR_INIT("$ref"),     BT_STR_INIT("$comment"),    BT_STR_INIT("title"),
        BT_STR_INIT("examples"), BT_STR_INIT("default"),     BT_STR_INIT("description"),
        BT_STR_INIT("$defs"),    BT_STR_INIT("definitions"), BT_STR_INIT(""),
    };
    /* At the root the meta-schema has reported it already. */
    if (bt_payload_is_listed(name, never) ||
        (!position->is_root && bt_payload_is_listed(name, below))) {
        return BT_PAYLOAD_SCHEMA_KEYWORD_WHY_REFERENCES;
    }
    if (payload->is_foreign && position->is_root && bt_payload_is_listed(name, unsupported)) {
        return BT_PAYLOAD_SCHEMA_KEYWORD_WHY_REFERENCES;
    }
    const bool is_ignored = payload->draft == BT_SCHEMA_DRAFT_7 && !position->is_root && has_ref &&
                            !bt_payload_is_listed(name, ref_siblings);
    return is_ignored ? BT_PAYLOAD_SCHEMA_KEYWORD_WHY_SIBLINGS
                      : BT_PAYLOAD_SCHEMA_KEYWORD_WHY__NONE;
}

static enum bt_status check_keywords(struct bt_payload *payload)
{
    for (size_t i = 0; i < payload->positions.count; i++) {
        const struct bt_payload_schema_position *position = &payload->positions.items[i];
        const struct bt_json_member *members = bt_json_members(position->schema);
        const bool has_ref =
            bt_json_member(payload->document, position->schema, BT_STR("$ref")) != NULL;
        for (size_t j = 0; members && j < bt_json_count(position->schema); j++) {
            const bt_str name = bt_json_name(&members[j]);
            const enum bt_payload_schema_keyword_why why =
                why_forbidden(payload, position, has_ref, name);
            if (why != BT_PAYLOAD_SCHEMA_KEYWORD_WHY__NONE) {
                BT_TRY(bt_add_payload_schema_keyword(
                    payload->findings, bt_payload_location(payload, &members[j].value), name, why));
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
        if (bt_json_type(&names[i]) == BT_JSON_STRING &&
            !bt_json_member(payload->document, properties, bt_json_text(&names[i]))) {
            BT_TRY(bt_add_payload_schema_required_undeclared(
                payload->findings, bt_payload_location(payload, &names[i]),
                bt_json_text(&names[i])));
        }
    }
    return BT_OK;
}

/* Check that the $id is the one that belongs to the name of the file. */
static enum bt_status check_id(struct bt_payload *payload)
{
    const bt_json_value *id =
        bt_json_get(payload->document, bt_json_root(payload->document), BT_STR("$id"));
    if (payload->id.len == 0 || !id || bt_json_type(id) != BT_JSON_STRING ||
        !bt_payload_reference_is_id(bt_json_text(id)) || bt_str_eq(bt_json_text(id), payload->id)) {
        return BT_OK;
    }
    return bt_add_ref_id_mismatch(payload->findings, bt_payload_location(payload, id), payload->id,
                                  bt_json_text(id));
}

enum bt_status bt_payload_check_closed(struct bt_payload *payload)
{
    if (payload->is_foreign) {
        return check_keywords(payload);
    }
    BT_TRY(check_meta(payload));
    BT_TRY(check_keywords(payload));
    BT_TRY(check_required(payload));
    return check_id(payload);
}
