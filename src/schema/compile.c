/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile.c - the public functions of compiling: frame, check, code, link.
 */
#include <assert.h>

#include <baton/schema.h>

#include "base/env.h"
#include "base/sized.h"
#include "json/doc.h"
#include "report/findings.h"
#include "schema/code.h"
#include "schema/compile.h"
#include "schema/frame.h"
#include "schema/options.h"
#include "schema/problems.h"

struct bt_schema_options bt_schema_options_default(void)
{
    return (struct bt_schema_options){
        .size = sizeof(struct bt_schema_options),
        .hash_seed = {1, 0},
        .draft = BT_SCHEMA_DRAFT_2020_12,
        .documents_max = 64,
        .nodes_max = 1000000,
        .instructions_max = 2000000,
        .memory_bytes_max = UINT64_C(512) << 20,
        .regex_states_max = 20000,
    };
}

static bool is_valid_draft(enum bt_schema_draft draft)
{
    return draft >= BT_SCHEMA_DRAFT_3 && draft <= BT_SCHEMA_DRAFT_V1 && draft != 5;
}

static void set_default(uint32_t *member, uint32_t value)
{
    *member = *member > 0 ? *member : value;
}

enum bt_status bt_schema_options_complete(const struct bt_schema_options *given,
                                          struct bt_schema_options *out)
{
    const struct bt_schema_options usual = bt_schema_options_default();
    BT_TRY(bt_sized_read(given, BT_SIZED_FIRST(struct bt_schema_options), out));
    out->draft = out->draft ? out->draft : usual.draft;
    out->uri = out->uri.ptr ? out->uri : BT_STR("");
    set_default(&out->documents_max, usual.documents_max);
    set_default(&out->nodes_max, usual.nodes_max);
    set_default(&out->instructions_max, usual.instructions_max);
    set_default(&out->regex_states_max, usual.regex_states_max);
    out->memory_bytes_max =
        out->memory_bytes_max > 0 ? out->memory_bytes_max : usual.memory_bytes_max;
    if (out->engine && out->hash_seed[0] == 0 && out->hash_seed[1] == 0) {
        memcpy(out->hash_seed, bt_engine_env(out->engine)->hash_seed, sizeof(out->hash_seed));
    }
    if (out->hash_seed[0] == 0 && out->hash_seed[1] == 0) {
        BT_TRY(bt_env_make_seed(out->hash_seed));
    }
    return is_valid_draft(out->draft) ? BT_OK : BT_EINVAL;
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

enum bt_status bt_schema_compile(const struct bt_json_doc *schema,
                                 const struct bt_schema_options *options,
                                 struct bt_findings *findings, struct bt_schema **out_schema)
{
    assert(schema);
    assert(out_schema);
    struct bt_schema_options known;
    BT_TRY(bt_schema_options_complete(options, &known));
    options = &known;
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
    status = status == BT_OK ? bt_findings_publish_own(findings, bt_json_source(schema)) : status;
    if (status != BT_OK || job.problems.count > 0) {
        bt_schema_destroy(job.schema);
        job.schema = NULL;
    }
    if (status == BT_OK) {
        *out_schema = job.schema;
    }
    return status;
}
