/* SPDX-License-Identifier: Apache-2.0 */
/* explain_finding.c - write findings: pointer, message, params. */
#include <assert.h>

#include "json/value_pointer.h"
#include "schema/explain.h"
#include "schema/rules.h"

enum {
    VALUE_SHOWN = 80,          /* bytes of an offending value in a message */
    BRANCH_FINDINGS_MAX = 8,   /* findings about one branch */
    BRANCHES_BYTES_MAX = 16384 /* of all branches of one alternative, about */
};

static const struct bt_schema_origin *origin_of(const struct bt_schema_explain_run *explain,
                                                const struct bt_schema_instr *at)
{
    const struct bt_schema *schema = explain->run->schema;
    assert(at >= schema->code && at < schema->code + schema->code_count);
    return &schema->origins[at - schema->code];
}

static const struct bt_json_doc *document_of(const struct bt_schema_explain_run *explain,
                                             const struct bt_schema_instr *at)
{
    return explain->run->schema->documents[origin_of(explain, at)->document].document;
}

const bt_json_value *bt_schema_finding_put_keyword(const struct bt_schema_explain_run *explain,
                                                   const struct bt_schema_instr *at,
                                                   const char *name)
{
    return bt_json_get(document_of(explain, at), origin_of(explain, at)->schema, bt_str_of(name));
}

/* The value itself; a name stands where its member stands. */
static const bt_json_value *get_located_value(const bt_json_value *value)
{
    return value->spare == 0
               ? value
               : &((const struct bt_schema_name_value *)(const void *)value)->member->value;
}

static void put_source(struct bt_schema_explain_run *explain, const bt_json_value *value)
{
    const struct bt_json_doc *document = explain->run->document;
    if (value->spare != 0) {
        bt_buf_put_text(&explain->message, "the name \"");
        bt_buf_put_printable(&explain->message, bt_json_text(value), VALUE_SHOWN);
        bt_buf_put_char(&explain->message, '"');
        return;
    }
    const struct bt_json_span span = bt_json_span(document, value);
    const bt_str source = bt_json_source(document);
    bt_buf_put_printable(&explain->message, bt_str_slice(source, span.begin, span.end),
                         VALUE_SHOWN);
}

void bt_schema_finding_begin(struct bt_schema_explain_run *explain,
                             const struct bt_schema_finding_site *site)
{
    const struct bt_json_doc *document = explain->run->document;
    explain->finding = bt_finding_from_rule(bt_schema_rule(bt_str_of(site->code)));
    bt_buf_clear(&explain->pointer);
    bt_buf_clear(&explain->message);
    bt_buf_clear(&explain->params);
    bt_json_put_value_pointer(&explain->pointer, document, get_located_value(site->value));
    explain->finding.offset = bt_json_span(document, get_located_value(site->value)).begin;
    put_source(explain, site->value);
    bt_emit_init(&explain->emit, &explain->params, false);
    bt_emit_begin_object(&explain->emit);

    const struct bt_schema_origin *origin = origin_of(explain, site->at);
    struct bt_buf place;
    bt_buf_init(&place, SIZE_MAX);
    const bt_str uri = explain->run->schema->documents[origin->document].uri;
    if (uri.len > 0) {
        bt_buf_put(&place, uri);
        bt_buf_put_char(&place, '#');
    }
    bt_json_put_value_pointer(&place, document_of(explain, site->at), origin->schema);
    if (site->keyword) {
        bt_json_pointer_put(&place, bt_str_of(site->keyword));
    }
    bt_emit_member_string(&explain->emit, "keyword", bt_buf_str(&place));
    if (place.status != BT_OK) {
        explain->status = place.status;
    }
    bt_buf_free(&place);
}

static void put_json(struct bt_schema_explain_run *explain, const char *name,
                     const struct bt_json_doc *document, const bt_json_value *value)
{
    struct bt_buf text;
    bt_buf_init(&text, SIZE_MAX);
    const enum bt_status status =
        bt_json_write(&text, document, value, BT_JSON_FORM_COMPACT, &explain->run->scratch, NULL);
    if (status == BT_OK) {
        bt_emit_name(&explain->emit, name);
        bt_emit_raw(&explain->emit, bt_buf_str(&text));
    } else {
        explain->status = status;
    }
    bt_buf_free(&text);
}

void bt_schema_finding_put_schema_value(struct bt_schema_explain_run *explain, const char *name,
                                        const struct bt_schema_instr *at,
                                        const bt_json_value *value)
{
    put_json(explain, name, document_of(explain, at), value);
}

void bt_schema_finding_put_value(struct bt_schema_explain_run *explain, const char *name,
                                 const bt_json_value *value)
{
    put_json(explain, name, explain->run->document, value);
}

/* While branches are walked, what is wrong goes into the params of the alternative. */
static void add_to_branch(struct bt_schema_explain_run *explain)
{
    if (explain->branch_findings++ >= BRANCH_FINDINGS_MAX ||
        explain->branches.len > BRANCHES_BYTES_MAX) {
        return;
    }
    if (explain->branch_findings > 1) {
        bt_buf_put_char(&explain->branches, ',');
    }
    struct bt_emit emit;
    bt_emit_init(&emit, &explain->branches, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "code", explain->finding.rule->code);
    bt_emit_member_string(&emit, "pointer", bt_buf_str(&explain->pointer));
    bt_emit_name(&emit, "params");
    bt_emit_raw(&emit, bt_buf_str(&explain->params));
    bt_emit_end(&emit);
}

static enum bt_status add_finding(struct bt_schema_explain_run *explain)
{
    BT_TRY(explain->pointer.status);
    BT_TRY(explain->message.status);
    BT_TRY(explain->params.status);
    if (!explain->found) {
        explain->found = bt_findings_new(&explain->arena);
    }
    if (!explain->found) {
        return BT_ENOMEM;
    }
    explain->finding.pointer = bt_buf_str(&explain->pointer);
    explain->finding.message = bt_buf_str(&explain->message);
    explain->finding.params = bt_buf_str(&explain->params);
    return bt_findings_add(explain->found, &explain->finding);
}

void bt_schema_finding_end(struct bt_schema_explain_run *explain)
{
    bt_emit_end(&explain->emit);
    if (explain->is_collecting) {
        add_to_branch(explain);
        return;
    }
    explain->count++;
    if (explain->status == BT_OK) {
        explain->status = add_finding(explain);
    }
}
