/* SPDX-License-Identifier: Apache-2.0 */
/* explain_finding.c - what all findings of a diagnostic run begin and end with. */
#include <assert.h>

#include "json/emit.h"
#include "json/value_pointer.h"
#include "json/write.h"
#include "report/findings.h"
#include "schema/explain.h"

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

const bt_json_value *bt_schema_finding_keyword(const struct bt_schema_explain_run *explain,
                                               const struct bt_schema_instr *at, const char *name)
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

/* Put the beginning of a value that was built, as its compact text has it. */
static void put_beginning(struct bt_schema_explain_run *explain, const bt_json_value *value)
{
    struct bt_arena *arena = &explain->run->scratch;
    const struct bt_json_write_limits limits = {VALUE_SHOWN, UINT64_MAX, UINT64_MAX, UINT32_MAX};
    const struct bt_arena_mark mark = bt_arena_mark(arena);
    struct bt_buf *buf = &explain->keyword; /* which is put afterwards */
    struct bt_json_writer writer;
    bt_buf_clear(buf);
    bt_json_writer_init(&writer, buf, BT_JSON_FORM_COMPACT, &limits, arena);
    const enum bt_status status =
        bt_json_writer_put(&writer, (bt_ref){explain->run->document, value});
    bt_arena_rewind(arena, mark);
    if (status != BT_OK && status != BT_ELIMIT && explain->status == BT_OK) {
        explain->status = status;
    }
    bt_buf_put_printable(&explain->subject, bt_buf_str(buf), VALUE_SHOWN);
}

static void put_subject(struct bt_schema_explain_run *explain, const bt_json_value *value)
{
    const struct bt_json_doc *document = explain->run->document;
    bt_buf_clear(&explain->subject);
    if (value->spare != 0) {
        bt_buf_put_text(&explain->subject, "the name \"");
        bt_buf_put_printable(&explain->subject, bt_json_text(value), VALUE_SHOWN);
        bt_buf_put_char(&explain->subject, '"');
        return;
    }
    const bt_str source = bt_json_source(document);
    if (source.len > 0) {
        const struct bt_json_span span = bt_json_span(document, value);
        bt_buf_put_printable(&explain->subject, bt_str_slice(source, span.begin, span.end),
                             VALUE_SHOWN);
    } else {
        put_beginning(explain, value);
    }
}

static void put_keyword(struct bt_schema_explain_run *explain,
                        const struct bt_schema_finding_site *site)
{
    const struct bt_schema_origin *origin = origin_of(explain, site->at);
    const bt_str uri = explain->run->schema->documents[origin->document].uri;
    struct bt_buf *buf = &explain->keyword;
    bt_buf_clear(buf);
    if (uri.len > 0) {
        bt_buf_put(buf, uri);
        bt_buf_put_char(buf, '#');
    }
    bt_json_put_value_pointer(buf, document_of(explain, site->at), origin->schema);
    if (site->keyword) {
        bt_json_pointer_put(buf, bt_str_of(site->keyword));
    }
}

struct bt_schema_finding_head bt_schema_finding_begin(struct bt_schema_explain_run *explain,
                                                      const struct bt_schema_finding_site *site)
{
    put_subject(explain, site->value);
    put_keyword(explain, site);
    return (struct bt_schema_finding_head){
        .findings = explain->is_collecting ? explain->branch : explain->found,
        .at = bt_location_value(explain->run->document, get_located_value(site->value)),
        .keyword = bt_buf_str(&explain->keyword),
        .subject = bt_buf_str(&explain->subject),
    };
}

static bt_str put_json(struct bt_schema_explain_run *explain, size_t text,
                       const struct bt_json_doc *document, const bt_json_value *value)
{
    struct bt_buf *buf = &explain->texts[text];
    bt_buf_clear(buf);
    const enum bt_status status =
        bt_json_write(buf, document, value, BT_JSON_FORM_COMPACT, &explain->run->scratch, NULL);
    explain->status = explain->status == BT_OK ? status : explain->status;
    return bt_buf_str(buf);
}

bt_str bt_schema_finding_schema_json(struct bt_schema_explain_run *explain, size_t text,
                                     const struct bt_schema_instr *at, const bt_json_value *value)
{
    return put_json(explain, text, document_of(explain, at), value);
}

bt_str bt_schema_finding_value_json(struct bt_schema_explain_run *explain, size_t text,
                                    const bt_json_value *value)
{
    return put_json(explain, text, explain->run->document, value);
}

/* While branches are walked, what is wrong goes into the params of the alternative. */
static void move_to_branch(struct bt_schema_explain_run *explain)
{
    if (explain->branch_findings++ >= BRANCH_FINDINGS_MAX ||
        explain->branches.len > BRANCHES_BYTES_MAX || bt_findings_count(explain->branch) == 0) {
        return;
    }
    const struct bt_finding *finding = bt_findings_at(explain->branch, 0);
    if (explain->branch_findings > 1) {
        bt_buf_put_char(&explain->branches, ',');
    }
    struct bt_emit emit;
    bt_emit_init(&emit, &explain->branches, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "code", finding->rule->code);
    bt_emit_member_string(&emit, "pointer", finding->pointer);
    bt_finding_emit_params(finding, &emit);
    bt_emit_end(&emit);
}

void bt_schema_finding_end(struct bt_schema_explain_run *explain, enum bt_status status)
{
    const struct bt_buf *const bufs[] = {&explain->subject, &explain->keyword, &explain->texts[0],
                                         &explain->texts[1]};
    for (size_t i = 0; i < sizeof(bufs) / sizeof(bufs[0]) && status == BT_OK; i++) {
        status = bufs[i]->status;
    }
    explain->status = explain->status == BT_OK ? status : explain->status;
    if (explain->is_collecting) {
        move_to_branch(explain);
        bt_arena_reset(&explain->branch_arena);
        explain->branch->count = 0;
    } else {
        explain->count++;
    }
}
