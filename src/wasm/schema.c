/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.c - what schema.wasm exports: JSON Schemas, compiled once, that judge JSON texts. Texts
 * come in as an address and a size in its memory. The host frees what it allocated and ends what it
 * began.
 */
#include <baton/baton.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/env.h"
#include "json/emit.h"
#include "report/findings.h"
#include "report/json_rules.h"

#define EXPORT(name) __attribute__((export_name("bt_wasm_" #name)))

enum {
    ARENA_BYTES_MAX = 256 << 20,
    FINDINGS_BYTES_MAX = 64 << 20,
    TIME_MS = 2000,
};

/* What a judgement is. Zero is none. */
enum wasm_schema_answer {
    ANSWER_NONE = 0, /* no memory */
    ANSWER_VALID,
    ANSWER_INVALID,
    ANSWER_UNDECIDED, /* a limit of work, time or memory was reached */
};

/* A compiled schema, and what judging needs. */
struct wasm_schema {
    struct bt_schema *schema;
    struct bt_schema_runner *runner;
    struct bt_arena arena;          /* of one document and its findings */
    struct bt_json_options reading; /* has the seed that the schema was compiled with */
    struct bt_buf findings;         /* of the last text: a JSON array */
};

static bt_str text_at(const char *at, size_t size)
{
    return size > 0 ? (bt_str){at, size} : BT_STR("");
}

/* NULL: no memory. */
EXPORT(alloc) void *schema_alloc(size_t size)
{
    return bt_handle_create(size > 0 ? size : 1);
}

EXPORT(free) void schema_free(void *memory)
{
    bt_handle_destroy(memory);
}

EXPORT(version) const char *schema_version(void)
{
    return bt_version();
}

/* ---- Judging --------------------------------------------------------------------------------- */

static uint64_t read_clock(void *context)
{
    (void)context;
    return bt_clock_monotonic_ns();
}

/* Keep the findings, finished by the text that they are about. */
static enum bt_status keep_findings(struct wasm_schema *schema, struct bt_findings *findings,
                                    bt_str text)
{
    struct bt_emit emit;
    BT_TRY(bt_findings_finish(findings, text));
    bt_buf_clear(&schema->findings);
    bt_emit_init(&emit, &schema->findings, false);
    bt_emit_begin_array(&emit);
    bt_findings_emit(&emit, findings);
    bt_emit_end(&emit);
    return schema->findings.status;
}

/* Read a text; *out is NULL, and a finding says why, when it cannot be read. */
static enum bt_status read_text(struct wasm_schema *schema, bt_str text,
                                struct bt_findings *findings, const struct bt_json_doc **out)
{
    struct bt_json_read_result result = BT_INIT(struct bt_json_read_result);
    /* from: caller */
    BT_TRY(bt_json_read(&schema->arena, text, &schema->reading, &result));
    *out = result.document;
    return result.document || !findings ? BT_OK : bt_findings_add_json(findings, &result, text);
}

/* Judge a text. With findings, they say what is wrong with it. */
static enum bt_status judge_text(struct wasm_schema *schema, bt_str text,
                                 struct bt_findings *findings, enum bt_schema_result *out)
{
    const struct bt_json_doc *document = NULL;
    BT_TRY(read_text(schema, text, findings, &document));
    *out = BT_SCHEMA_INVALID;
    if (document && findings) {
        return bt_schema_validate(schema->schema, schema->runner, document, findings, out);
    }
    if (document) {
        *out = bt_schema_run(schema->schema, schema->runner, document);
    }
    return BT_OK;
}

static enum wasm_schema_answer answer_of(const struct wasm_schema *schema, enum bt_status status,
                                         enum bt_schema_result result)
{
    if (status != BT_OK || (result == BT_SCHEMA_UNDECIDED &&
                            bt_schema_limit_reached(schema->runner) == BT_SCHEMA_LIMIT_SYSTEM)) {
        return ANSWER_NONE;
    }
    return result == BT_SCHEMA_VALID     ? ANSWER_VALID
           : result == BT_SCHEMA_INVALID ? ANSWER_INVALID
                                         : ANSWER_UNDECIDED;
}

/* Judge a text, an enum wasm_schema_answer. */
EXPORT(judge)
enum wasm_schema_answer schema_judge(struct wasm_schema *schema, const char *text, size_t size)
{
    enum bt_schema_result result = BT_SCHEMA_UNDECIDED;
    const enum bt_status status = judge_text(schema, text_at(text, size), NULL, &result);
    bt_arena_reset(&schema->arena);
    return answer_of(schema, status, result);
}

/* Judge a text and keep its findings, an enum wasm_schema_answer. */
EXPORT(explain)
enum wasm_schema_answer schema_explain(struct wasm_schema *schema, const char *text, size_t size)
{
    enum bt_schema_result result = BT_SCHEMA_UNDECIDED;
    struct bt_findings *findings = bt_findings_new(&schema->arena);
    enum bt_status status =
        findings ? judge_text(schema, text_at(text, size), findings, &result) : BT_ENOMEM;
    if (status == BT_OK) {
        status = keep_findings(schema, findings, text_at(text, size));
    }
    bt_arena_reset(&schema->arena);
    return answer_of(schema, status, result);
}

/* The findings of the text that was explained last, or of the schema: a JSON array. */
EXPORT(findings_ptr) const char *schema_findings_ptr(const struct wasm_schema *schema)
{
    return bt_buf_str(&schema->findings).ptr;
}

EXPORT(findings_size) size_t schema_findings_size(const struct wasm_schema *schema)
{
    return schema->findings.len;
}

/* ---- Schemas --------------------------------------------------------------------------------- */

EXPORT(schema_end) void schema_end(struct wasm_schema *schema)
{
    if (schema) {
        bt_schema_runner_destroy(schema->runner);
        bt_schema_destroy(schema->schema);
        bt_arena_free(&schema->arena);
        bt_buf_free(&schema->findings);
        bt_handle_destroy(schema);
    }
}

/* True when it was compiled; its findings say why not. */
EXPORT(is_compiled) bool schema_is_compiled(const struct wasm_schema *schema)
{
    return schema->schema != NULL;
}

static enum bt_status compile_text(struct wasm_schema *schema, bt_str text,
                                   enum bt_schema_draft draft, bool assert_formats)
{
    struct bt_schema_options options = BT_INIT(struct bt_schema_options);
    struct bt_findings *findings = bt_findings_new(&schema->arena);
    const struct bt_json_doc *document = NULL;
    if (!findings) {
        return BT_ENOMEM;
    }
    options.draft = draft;
    options.assert_formats = assert_formats;
    options.hash_seed[0] = schema->reading.hash_seed[0];
    options.hash_seed[1] = schema->reading.hash_seed[1];
    BT_TRY(read_text(schema, text, findings, &document));
    if (document) {
        BT_TRY(bt_schema_compile(document, &options, findings, &schema->schema));
    }
    return keep_findings(schema, findings, text);
}

/* Compile a schema. The draft counts where $schema is absent; 0: 2020-12. NULL: no memory. */
EXPORT(schema)
struct wasm_schema *schema_begin(const char *text, size_t size, unsigned draft, bool assert_formats)
{
    struct bt_schema_limits limits = BT_INIT(struct bt_schema_limits);
    struct wasm_schema *schema = bt_handle_create(sizeof(*schema));
    if (!schema) {
        return NULL;
    }
    limits.clock = read_clock;
    limits.time_ns = (uint64_t)TIME_MS * 1000000;
    bt_arena_init(&schema->arena, ARENA_BYTES_MAX);
    bt_buf_init(&schema->findings, FINDINGS_BYTES_MAX);
    schema->reading = (struct bt_json_options)BT_INIT(struct bt_json_options);
    enum bt_status status = bt_env_make_seed(schema->reading.hash_seed);
    status = status == BT_OK ? bt_schema_runner_create(&limits, &schema->runner) : status;
    if (status == BT_OK) {
        status =
            compile_text(schema, text_at(text, size), (enum bt_schema_draft)draft, assert_formats);
    }
    bt_arena_reset(&schema->arena);
    if (status != BT_OK) {
        schema_end(schema);
        return NULL;
    }
    return schema;
}
