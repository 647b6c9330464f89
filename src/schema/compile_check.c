/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile_check.c - a schema judged by its own meta-schema, which is a schema like any other.
 */
#include <assert.h>

#include <baton/report.h>

#include "base/error.h"
#include "schema/compile.h"
#include "schema/options.h"
#include "schema/uri.h"

/* The document that $schema names, or the draft's own. */
static enum bt_status find_meta(const struct bt_schema_frame *frame,
                                const struct bt_json_doc *source, struct bt_schema_frame *meta,
                                size_t *out_number)
{
    const bt_json_value *named = bt_json_get(source, bt_json_root(source), BT_STR("$schema"));
    const struct bt_schema_dialect *dialect = &frame->resources.items[0].dialect;
    struct bt_schema_dialect builtin;
    bt_str uri = bt_schema_draft_uri(dialect->draft);
    if (named && bt_json_type(named) == BT_JSON_STRING &&
        !bt_schema_dialect_find(bt_json_text(named), &builtin)) {
        uri = bt_schema_uri_split(bt_json_text(named)).whole;
    }
    return bt_schema_frame_fetch(meta, uri, out_number);
}

static enum bt_status run_meta(const struct bt_schema *schema, const struct bt_json_doc *source,
                               struct bt_schema_compile_errors *problems)
{
    struct bt_schema_runner *runner = bt_schema_runner_with(NULL);
    if (!runner) {
        return BT_ENOMEM;
    }
    enum bt_status status = BT_OK;
    if (bt_schema_run(schema, runner, source) != BT_SCHEMA_VALID) {
        problems->count++;
        if (problems->findings) {
            status = bt_schema_explain(schema, runner, source, problems->findings, NULL);
        }
    }
    bt_schema_runner_destroy(runner);
    return status;
}

/* A meta-schema of the caller that cannot be compiled itself. */
static enum bt_status refuse_meta(const struct bt_json_doc *source,
                                  struct bt_schema_compile_errors *problems)
{
    const bt_json_value *at = bt_json_get(source, bt_json_root(source), BT_STR("$schema"));
    const struct bt_schema_compile_error problem = {
        .add = bt_add_schema_ref_unresolved,
        .document = source,
        .uri = BT_STR(""),
        .at = at ? at : bt_json_root(source),
        .ref = at ? bt_json_text(at) : BT_STR(""),
        .reason = "the meta-schema is not a valid schema itself"};
    return bt_schema_compile_errors_add(problems, &problem);
}

enum bt_status bt_schema_compile_check(const struct bt_schema_frame *frame,
                                       const struct bt_json_doc *source,
                                       struct bt_schema_compile_errors *problems)
{
    /* A frame of its own, only to find the document. */
    struct bt_schema_frame meta = {.arena = frame->scratch,
                                   .scratch = frame->scratch,
                                   .options = frame->options,
                                   .problems = problems};
    size_t number = 0;
    BT_TRY(find_meta(frame, source, &meta, &number));
    if (number == meta.documents.count) {
        return BT_OK; /* unknown, which has been reported */
    }
    struct bt_schema_options options = *frame->options;
    options.skip_metaschema = true;
    options.assert_formats = false;
    options.uri = meta.documents.items[number].uri;
    struct bt_schema *schema = NULL;
    BT_TRY(bt_schema_compile(meta.documents.items[number].document, &options, NULL, &schema));
    if (!schema) {
        return refuse_meta(source, problems);
    }
    const enum bt_status status = run_meta(schema, source, problems);
    bt_schema_destroy(schema);
    return status;
}
