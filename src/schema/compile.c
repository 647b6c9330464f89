/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile.c - the public functions of compiling: frame, check, code, link.
 */
#include <assert.h>

#include <baton/schema.h>

#include "json/doc.h"
#include "schema/code.h"
#include "schema/compile.h"
#include "schema/frame.h"
#include "schema/problems.h"

struct bt_schema_options bt_schema_options_default(void)
{
    return (struct bt_schema_options){
        .draft = BT_SCHEMA_DRAFT_2020_12,
        .documents_max = 64,
        .nodes_max = 1000000,
        .instructions_max = 2000000,
        .memory_bytes_max = UINT64_C(512) << 20,
        .regex_states_max = 20000,
    };
}

void bt_schema_destroy(struct bt_schema *schema)
{
    if (schema) {
        struct bt_arena arena = schema->arena; /* the schema lies in it itself */
        bt_arena_free(&arena);
    }
}

struct bt_schema_size bt_schema_get_size(const struct bt_schema *schema)
{
    assert(schema);
    return (struct bt_schema_size){.bytes = schema->arena.taken,
                                   .instructions = schema->code_count,
                                   .schemas = schema->nodes_count};
}

/* One compilation. */
struct schema_compile_job {
    const struct bt_json_doc *source;
    const struct bt_schema_options *options;
    struct bt_schema_compile_errors problems;
    struct bt_arena scratch;
    struct bt_schema *schema;
};

/* What explanations need of the frame. */
static enum bt_status keep_documents(const struct bt_schema_frame *frame, struct bt_schema *schema)
{
    struct bt_schema_program_document *documents =
        BT_NEW_ARRAY(&schema->arena, struct bt_schema_program_document, frame->documents.count);
    if (!documents) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < frame->documents.count; i++) {
        documents[i] = (struct bt_schema_program_document){
            .uri = i == 0 ? BT_STR("") : frame->documents.items[i].uri,
            .document = frame->documents.items[i].document};
    }
    schema->documents = documents;
    schema->seed[0] = documents[0].document->seed[0];
    schema->seed[1] = documents[0].document->seed[1];
    schema->nodes_count = (uint32_t)frame->nodes.count;
    return BT_OK;
}

static enum bt_status build_schema(struct schema_compile_job *job)
{
    struct bt_schema *schema = job->schema;
    struct bt_schema_frame frame = {.arena = &schema->arena,
                                    .scratch = &job->scratch,
                                    .options = job->options,
                                    .problems = &job->problems};
    BT_TRY(bt_schema_frame_build(&frame, job->source));
    if (!job->options->skip_metaschema) {
        const size_t before = job->problems.count;
        BT_TRY(bt_schema_compile_check(&frame, job->source, &job->problems));
        if (job->problems.count > before) {
            return BT_OK; /* what breaks its meta-schema is not looked into further */
        }
    }
    struct bt_schema_coder coder = {.frame = &frame,
                                    .arena = &schema->arena,
                                    .scratch = &job->scratch,
                                    .problems = &job->problems,
                                    .options = job->options};
    BT_TRY(bt_schema_code_all(&coder, schema));
    return keep_documents(&frame, schema);
}

/* Bounds of our own are findings about the schema; an exhausted system is not. */
static enum bt_status judge_limits(struct schema_compile_job *job, enum bt_status status)
{
    const size_t limit = job->schema->arena.limit;
    const bool is_full = job->schema->arena.taken > limit / 2 || job->scratch.taken > limit / 2;
    if (status != BT_ELIMIT && !(status == BT_ENOMEM && is_full)) {
        return status;
    }
    const struct bt_schema_compile_error problem = {
        .add = bt_add_schema_budget,
        .document = job->source,
        .at = bt_json_root(job->source),
        .reason = "the schema, with all it refers to, is larger than it may be",
    };
    return bt_schema_compile_errors_add(&job->problems, &problem);
}

static bool is_valid_draft(enum bt_schema_draft draft)
{
    return draft >= BT_SCHEMA_DRAFT_3 && draft <= BT_SCHEMA_DRAFT_V1 && draft != 5;
}

enum bt_status bt_schema_compile(const struct bt_json_doc *schema,
                                 const struct bt_schema_options *options,
                                 struct bt_findings *findings, struct bt_schema **out_schema)
{
    assert(schema);
    assert(out_schema);
    const struct bt_schema_options defaults = bt_schema_options_default();
    options = options ? options : &defaults;
    if (!is_valid_draft(options->draft)) {
        return BT_EINVAL;
    }
    struct bt_arena arena;
    bt_arena_init(&arena, options->memory_bytes_max);
    struct schema_compile_job job = {.source = schema,
                                     .options = options,
                                     .problems = {.findings = findings},
                                     .schema = BT_NEW(&arena, struct bt_schema)};
    if (!job.schema) {
        return BT_ENOMEM;
    }
    job.schema->arena = arena;
    bt_arena_init(&job.scratch, options->memory_bytes_max);
    enum bt_status status = build_schema(&job);
    status = status == BT_OK ? BT_OK : judge_limits(&job, status);
    bt_arena_free(&job.scratch);
    if (status != BT_OK || job.problems.count > 0) {
        bt_schema_destroy(job.schema);
        job.schema = NULL;
    }
    if (status == BT_OK) {
        *out_schema = job.schema;
    }
    return status;
}
