/* SPDX-License-Identifier: Apache-2.0 */
/* schema.c - stage schema: the schema itself, and rules about form that a schema cannot express. */
#include <assert.h>
#include <string.h>

#include "dialect/universal/subschema.h"
#include "dialect/universal/universal_check.h"
#include "report/findings.h"
#include "report/rules.h"
#include "schema/nearest.h"

/* Findings of the schema name the rows of this dialect, which say what can be fixed here. */
static enum bt_status apply_schema(struct bt_universal_check *handoff)
{
    handoff->schema_from = bt_findings_count(handoff->findings);
    struct bt_universal_checker *universal = handoff->universal;
    BT_TRY(bt_schema_validate(universal->schema, universal->runner, handoff->document,
                              handoff->findings, NULL));
    handoff->schema_failures = bt_findings_count(handoff->findings) - handoff->schema_from;
    for (size_t i = 0; i < handoff->schema_failures; i++) {
        struct bt_finding *finding = handoff->findings->items[handoff->schema_from + i];
        const struct bt_rule *own = bt_rule_of_dialect_or_null(finding->code, BT_DIALECT_UNIVERSAL);
        finding->rule = own ? own : finding->rule;
    }
    return BT_OK;
}

static enum bt_version_mismatch_route find_route(bt_str version)
{
    if (bt_str_eq(version, BT_STR("2.0"))) {
        return BT_VERSION_MISMATCH_ROUTE_CONVERT;
    }
    const bool is_old = bt_str_eq(version, BT_STR("1.1")) || bt_str_eq(version, BT_STR("1.2"));
    return is_old ? BT_VERSION_MISMATCH_ROUTE_ADAPTER : BT_VERSION_MISMATCH_ROUTE_NONE;
}

static enum bt_status check_version(struct bt_universal_check *handoff)
{
    const bt_json_value *version =
        bt_json_get(handoff->document, handoff->parts.handoff, BT_STR("version"));
    if (!version) {
        return BT_OK;
    }
    bt_str actual = bt_json_text(version);
    bool mismatch = bt_json_type(version) == BT_JSON_STRING && !bt_str_eq(actual, BT_STR("3.0"));
    if (bt_json_is_number(version)) {
        actual = bt_json_number_text(handoff->document, version);
        mismatch = bt_json_decimal_compare(actual, BT_STR("3")) != 0;
    }
    if (!mismatch) {
        return BT_OK;
    }
    struct bt_buf json;
    bt_buf_init(&json, SIZE_MAX);
    if (bt_json_is_number(version)) {
        bt_buf_put(&json, actual);
    } else {
        bt_json_put_string(&json, actual);
    }
    enum bt_status status = json.status;
    if (status == BT_OK) {
        status =
            bt_add_version_mismatch(handoff->findings, bt_universal_locate(handoff, version),
                                    BT_STR("3.0"), bt_buf_str(&json), find_route(actual), actual);
    }
    bt_buf_free(&json);
    return status;
}

static enum bt_status add_not_utc_finding(struct bt_universal_check *handoff,
                                          const bt_json_value *value)
{
    struct bt_buf utc;
    bt_buf_init(&utc, SIZE_MAX);
    enum bt_status status = bt_timestamp_to_utc(bt_json_text(value), &utc);
    if (status == BT_OK || status == BT_ELIMIT) { /* the limit is that of four-digit years */
        status = bt_add_timestamp_not_utc(handoff->findings, bt_universal_locate(handoff, value),
                                          bt_json_text(value),
                                          status == BT_OK ? bt_buf_str(&utc) : BT_STR_ABSENT);
    }
    bt_buf_free(&utc);
    return status;
}

static enum bt_status check_time(struct bt_universal_check *handoff, const char *name,
                                 struct bt_universal_time *out)
{
    const bt_json_value *value = bt_universal_check_usable(handoff, handoff->parts.handoff, name);
    if (!value || bt_json_type(value) != BT_JSON_STRING) {
        return BT_OK;
    }
    const bt_str text = bt_json_text(value);
    if (bt_timestamp_parse(text, &out->instant) != BT_TIMESTAMP_KIND_VALID) {
        return bt_add_timestamp_invalid(handoff->findings, bt_universal_locate(handoff, value),
                                        text);
    }
    out->known = true;
    return bt_str_ends_with(text, BT_STR("Z")) ? BT_OK : add_not_utc_finding(handoff, value);
}

static enum bt_status check_events(struct bt_universal_check *handoff)
{
    const bt_json_value *events =
        bt_universal_check_usable(handoff, handoff->parts.tracing, "events");
    for (size_t i = 0; events && i < bt_json_count(events); i++) {
        const bt_json_value *event = bt_json_items(events) ? &bt_json_items(events)[i] : NULL;
        const bt_json_value *time =
            event ? bt_json_get(handoff->document, event, BT_STR("timestamp")) : NULL;
        bt_instant instant;
        if (time && bt_json_type(time) == BT_JSON_STRING &&
            bt_timestamp_parse(bt_json_text(time), &instant) != BT_TIMESTAMP_KIND_VALID) {
            BT_TRY(bt_add_event_timestamp_invalid(
                handoff->findings, bt_universal_locate(handoff, time), bt_json_text(time)));
        }
    }
    return BT_OK;
}

static enum bt_status check_trace_id(struct bt_universal_check *handoff)
{
    const bt_json_value *id =
        bt_universal_check_usable(handoff, handoff->parts.handoff, "trace_id");
    if (!id || bt_json_type(id) != BT_JSON_STRING || bt_uuid_is_v4(bt_json_text(id))) {
        return BT_OK;
    }
    return bt_add_trace_id_not_v4(handoff->findings, bt_universal_locate(handoff, id),
                                  bt_json_text(id));
}

static bt_str name_at(const void *names, size_t index)
{
    return bt_json_name(&bt_json_members(names)[index]);
}

static enum bt_status add_unknown_member_finding(struct bt_universal_check *handoff,
                                                 const struct bt_json_member *member,
                                                 const bt_json_value *names)
{
    const bt_str name = bt_json_name(member);
    const size_t nearest = bt_nearest_word(name, name_at, names, bt_json_count(names));
    return bt_add_unknown_member(
        handoff->findings, bt_universal_locate(handoff, &member->value), name,
        nearest < bt_json_count(names) ? name_at(names, nearest) : BT_STR_ABSENT);
}

/* What the number is to a reader that keeps doubles, as section 5 writes it; "null" if too large.*/
static bt_str as_double(bt_str text, char out[BT_DOUBLE_TEXT_BYTES])
{
    const double nearest = bt_json_decimal_to_double(text);
    const bool finite = nearest - nearest == 0;
    return finite ? (bt_str){out, bt_double_format(nearest, out)} : BT_STR("null");
}

/* Doubles keep every number of so many digits, except at the ends of their range; so does
 * bt_json_has_long_number() count. */
enum { KEPT_DIGITS_MAX = 15 };

static enum bt_status check_number(struct bt_universal_check *handoff, const bt_json_value *number)
{
    static const int64_t exact_max = INT64_C(1) << 53;
    if (bt_json_type(number) == BT_JSON_INTEGER && number->as.integer <= exact_max &&
        number->as.integer >= -exact_max) {
        return BT_OK;
    }
    const bt_str text = bt_json_number_text(handoff->document, number);
    if (text.len <= KEPT_DIGITS_MAX && bt_str_find_byte(text, 'e', 0) == text.len &&
        bt_str_find_byte(text, 'E', 0) == text.len) {
        return BT_OK;
    }
    char buffer[BT_DOUBLE_TEXT_BYTES];
    const bt_str becomes = as_double(text, buffer);
    if (!bt_str_eq(becomes, BT_STR("null")) && bt_json_decimal_compare(text, becomes) == 0) {
        return BT_OK;
    }
    return bt_add_number_not_portable(handoff->findings, bt_universal_locate(handoff, number), text,
                                      becomes);
}

enum { DEPTH_MAX = 1000 }; /* no document is nested deeper */

struct universal_schema_walk {
    struct bt_universal_check *handoff;
    size_t depth;
    struct bt_universal_visit *visits; /* DEPTH_MAX of them */
};

static enum bt_status visit_value(struct universal_schema_walk *walk, const bt_json_value *value,
                                  const bt_json_value *subschema)
{
    assert(value);
    if (bt_json_is_number(value)) {
        return check_number(walk->handoff, value);
    }
    /* Where any name will do, only long numbers are looked for. */
    const bool is_free = !subschema && !bt_json_has_long_number(walk->handoff->document);
    if (bt_json_count(value) == 0 || is_free) {
        return BT_OK;
    }
    const struct bt_universal_children judges = bt_universal_subschema_children(subschema);
    const bool is_open =
        bt_json_type(value) == BT_JSON_OBJECT && !judges.is_closed && !judges.others;
    assert(walk->depth < DEPTH_MAX);
    walk->visits[walk->depth++] = (struct bt_universal_visit){
        .container = value, .judges = judges, .names = is_open ? judges.properties : NULL};
    return BT_OK;
}

static enum bt_status visit_member(struct universal_schema_walk *walk,
                                   const struct bt_universal_visit *in,
                                   const struct bt_json_member *member)
{
    const bt_json_value *judge = NULL;
    if (in->names || bt_json_count(&member->value) > 0) {
        judge =
            bt_universal_child_called(walk->handoff->universal, &in->judges, bt_json_name(member));
    }
    /* The budget of the chain is judged by stage budget; no name is ever taken for it. */
    if (in->names && !judge &&
        !(in->container == walk->handoff->parts.meta &&
          bt_str_eq(bt_json_name(member), BT_STR("baton_budget")))) {
        BT_TRY(add_unknown_member_finding(walk->handoff, member, in->names));
    }
    return visit_value(walk, &member->value, judge);
}

static enum bt_status walk_all(struct universal_schema_walk *walk)
{
    const struct bt_universal_checker *universal = walk->handoff->universal;
    BT_TRY(visit_value(walk, bt_json_root(walk->handoff->document),
                       bt_json_root(universal->schema_document)));
    while (walk->depth > 0) {
        struct bt_universal_visit *in = &walk->visits[walk->depth - 1];
        if (in->next == bt_json_count(in->container)) {
            walk->depth--;
            continue;
        }
        const size_t index = in->next++;
        if (bt_json_type(in->container) == BT_JSON_OBJECT) {
            BT_TRY(visit_member(walk, in, &bt_json_members(in->container)[index]));
        } else {
            BT_TRY(visit_value(walk, &bt_json_items(in->container)[index], in->judges.items));
        }
    }
    return BT_OK;
}

static enum bt_status check_members(struct bt_universal_check *handoff)
{
    struct bt_universal_checker *universal = handoff->universal;
    if (!universal->visits) {
        /* Not cleared: hardly any document needs more than the first of them. */
        universal->visits =
            bt_arena_alloc(&universal->arena, DEPTH_MAX * sizeof(*universal->visits));
    }
    struct universal_schema_walk walk = {.handoff = handoff, .visits = universal->visits};
    return walk.visits ? walk_all(&walk) : BT_ENOMEM;
}

enum bt_status bt_universal_stage_schema(struct bt_universal_check *handoff)
{
    BT_TRY(apply_schema(handoff));
    BT_TRY(check_version(handoff));
    BT_TRY(check_time(handoff, "timestamp", &handoff->times.timestamp));
    BT_TRY(check_time(handoff, "expires_at", &handoff->times.expires_at));
    BT_TRY(check_events(handoff));
    BT_TRY(check_trace_id(handoff));
    return check_members(handoff);
}
