/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.h - JSON Schema: compile once, judge many documents, never slowly.
 *
 *     struct bt_schema *schema = NULL;
 *     struct bt_schema_options options = bt_schema_options_default();
 *     if (bt_schema_compile(schema_document, &options, findings, &schema) == BT_OK && schema) {
 *         struct bt_schema_runner *runner = bt_schema_runner_create(NULL);
 *         if (runner && bt_schema_validate(schema, runner, document, findings, NULL) == BT_OK) {
 *             ... it is valid when there is no finding
 *         }
 *         bt_schema_runner_destroy(runner);
 *     }
 *     bt_schema_destroy(schema);
 *
 * Drafts 3, 4, 6, 7, 2019-09, 2020-12 and v1, all keywords, vocabularies and dynamic references.
 * Nothing is fetched: a reference leads to a part of the schema, to a document that the caller
 * hands over, or to one of the built-in meta-schemas.
 *
 * Numbers are exact decimals. The work of a run is bounded by fuel and, with a clock, by time; what
 * could not be decided within the bounds is BT_SCHEMA_UNDECIDED, never valid and never invalid,
 * also not below `not`.
 *
 * Threads: a compiled schema is immutable and may be used by many; a runner by one at a time.
 */
#ifndef BATON_SCHEMA_H
#define BATON_SCHEMA_H

#include <baton/json.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bt_findings; /* see report.h */

/* ---- Compiling ------------------------------------------------------------------------------- */

/* In the order of their publication, so that drafts can be compared. */
enum bt_schema_draft {
    BT_SCHEMA_DRAFT_3 = 3,
    BT_SCHEMA_DRAFT_4 = 4,
    BT_SCHEMA_DRAFT_6 = 6,
    BT_SCHEMA_DRAFT_7 = 7,
    BT_SCHEMA_DRAFT_2019_09 = 8,
    BT_SCHEMA_DRAFT_2020_12 = 9,
    BT_SCHEMA_DRAFT_V1 = 10,
};

/* A compiled schema; see bt_schema_compile(). */
struct bt_schema;

/* A document that references may lead to. */
struct bt_schema_document {
    bt_str uri; /* under which it is found, without fragment; its own $id counts as well */
    const struct bt_json_doc *document;
};

/*
 * Find the document that `uri` (absolute unless the schema has no base, without fragment) names.
 * BT_OK with *out_document NULL: there is none. Whatever is returned needs to live only until
 * bt_schema_compile() returns. Any other status ends the compilation with that status.
 */
typedef enum bt_status bt_schema_resolve_fn(void *context, bt_str uri,
                                            const struct bt_json_doc **out_document);

struct bt_schema_options {
    enum bt_schema_draft draft; /* where $schema does not say */
    bool assert_formats;        /* `format` decides; in draft 7 the content keywords do too */
    bool skip_metaschema;       /* do not judge the schema by its own meta-schema first */
    bt_str uri;                 /* where the schema came from; "" when unknown */
    uint64_t hash_seed[2];      /* of the documents to be judged; others are judged slower */
    const struct bt_schema_document *documents;
    size_t documents_count;
    bt_schema_resolve_fn *resolve; /* asked last; may be NULL */
    void *resolve_context;

    /* Bounds. Beyond any of them the schema is refused with SCHEMA_BUDGET. */
    uint32_t documents_max;    /* that references lead to */
    uint32_t nodes_max;        /* schemas within all documents */
    uint32_t instructions_max; /* of the program */
    uint64_t memory_bytes_max; /* of the compiled schema, and as much again while compiling */
    uint32_t regex_states_max; /* of one pattern, see struct bt_regex_options */
};

/* 2020-12, no formats, checked, no seed, nothing to refer to; 64 documents, 1,000,000 schemas,
 * 2,000,000 instructions, 512 MiB, 20,000 states. */
BT_API struct bt_schema_options bt_schema_options_default(void);

/*
 * Compile `schema`. BT_OK means that it was judged: either *out_schema is set, or findings were
 * added that say why not, with pointers and offsets into the schema: SCHEMA_* where it breaks its
 * meta-schema, SCHEMA_REF_UNRESOLVED, SCHEMA_CYCLE, PATTERN_INVALID, PATTERN_TOO_COMPLEX,
 * SCHEMA_BUDGET. `options` may be NULL for the defaults; `findings` may be NULL when the reasons do
 * not matter. The result owns all it needs: `schema` and its source may end before it.
 * BT_ENOMEM: the system has no memory; BT_EINVAL: an option is out of range.
 */
BT_API BT_MUST_USE enum bt_status bt_schema_compile(const struct bt_json_doc *schema,
                                                    const struct bt_schema_options *options,
                                                    struct bt_findings *findings,
                                                    struct bt_schema **out_schema);
/* NULL is allowed. Runners that have run the schema must be destroyed before it. */
BT_API void bt_schema_destroy(struct bt_schema *schema);

/* What the compiled form takes. */
struct bt_schema_size {
    uint64_t bytes;
    uint32_t instructions;
    uint32_t schemas;
};

BT_API struct bt_schema_size bt_schema_get_size(const struct bt_schema *schema);

/* ---- Running --------------------------------------------------------------------------------- */

/* Nanoseconds from any fixed point in time. */
typedef uint64_t bt_clock_ns_fn(void *context);

struct bt_schema_limits {
    uint64_t work_max;     /* units of work: a schema applied, a value compared, ... */
    uint64_t time_ns;      /* with a clock: how long one run may take */
    bt_clock_ns_fn *clock; /* NULL: time is not measured */
    void *clock_context;
    uint64_t memory_bytes; /* working memory of one run */
    uint32_t findings_max; /* of one explanation; 0 counts as 1 */
};

/* 100,000,000 units, 2 s without a clock, 48 MiB, 1000 findings. */
BT_API struct bt_schema_limits bt_schema_limits_default(void);

/* Working memory for runs, kept warm from one to the next. */
struct bt_schema_runner;

/* `limits` may be NULL for the defaults. NULL when the system has no memory. */
BT_API BT_MUST_USE struct bt_schema_runner *
bt_schema_runner_create(const struct bt_schema_limits *limits);
/* From now on judge within other limits; the memory that it may take stays as it was. */
BT_API void bt_schema_runner_set_limits(struct bt_schema_runner *runner,
                                        const struct bt_schema_limits *limits);
/* NULL is allowed. */
BT_API void bt_schema_runner_destroy(struct bt_schema_runner *runner);

/* Zero is no decision, so that cleared memory never reads as one. */
enum bt_schema_result {
    BT_SCHEMA_UNDECIDED = 0, /* undecided: a bound was reached; see bt_schema_limit_reached() */
    BT_SCHEMA_INVALID,
    BT_SCHEMA_VALID,
};

/* Judge `document`. Takes no memory beyond what the runner already has, unless the document needs
 * more than those before it. Every member of an object is judged, also one whose name repeats. */
BT_API BT_MUST_USE enum bt_schema_result bt_schema_run(const struct bt_schema *schema,
                                                       struct bt_schema_runner *runner,
                                                       const struct bt_json_doc *document);

/* What ended the runner's last run with BT_SCHEMA_UNDECIDED. */
enum bt_schema_limit_kind {
    BT_SCHEMA_LIMIT_NONE = 0,
    BT_SCHEMA_LIMIT_WORK,   /* fuel, or a bound of the regular expressions */
    BT_SCHEMA_LIMIT_TIME,   /* time_ns */
    BT_SCHEMA_LIMIT_MEMORY, /* memory_bytes */
    BT_SCHEMA_LIMIT_SYSTEM, /* the system has no memory: at another time there is an answer */
};

BT_API enum bt_schema_limit_kind bt_schema_limit_reached(const struct bt_schema_runner *runner);
/* Units of work that the last run took; of bt_schema_validate(), its fast run. */
BT_API uint64_t bt_schema_work_used(const struct bt_schema_runner *runner);

/*
 * Judge `document` and add a finding for everything that is wrong with it: pointer, offset and, in
 * the params, `keyword` (where the schema says so), what was found and what is allowed. No finding
 * is added when the document is valid; exactly one, SCHEMA_BUDGET, when a bound was reached.
 * *out_answer (may be NULL) agrees with bt_schema_run().
 * BT_ENOMEM: the system or the findings' arena has no memory.
 */
BT_API BT_MUST_USE enum bt_status bt_schema_explain(const struct bt_schema *schema,
                                                    struct bt_schema_runner *runner,
                                                    const struct bt_json_doc *document,
                                                    struct bt_findings *findings,
                                                    enum bt_schema_result *out_answer);

/*
 * The same, as fast as bt_schema_run() when the document is valid, and without a second run when a
 * bound was reached. A document that has no finding afterwards is valid: BT_EINTERNAL when the two
 * runs contradict each other.
 */
BT_API BT_MUST_USE enum bt_status bt_schema_validate(const struct bt_schema *schema,
                                                     struct bt_schema_runner *runner,
                                                     const struct bt_json_doc *document,
                                                     struct bt_findings *findings,
                                                     enum bt_schema_result *out_answer);

/* ---- Looking at schemas ---------------------------------------------------------------------- */

/*
 * Look for what is valid but hardly meant: add a SCHEMA_LINT warning for each, with params.rule one
 * of unbounded-unique-items, unbounded-pattern, unreachable-branch, required-without-property.
 * Documents that the schema refers to are followed, not looked at. Meant for schemas that compile;
 * what is wrong with others is not said again. `options` may be NULL for the defaults.
 * BT_ENOMEM, BT_EINVAL: as for bt_schema_compile().
 */
BT_API BT_MUST_USE enum bt_status bt_schema_lint(const struct bt_json_doc *schema,
                                                 const struct bt_schema_options *options,
                                                 struct bt_findings *findings);

/*
 * Put one schema that needs no other: every document that a reference leads to is embedded as a
 * resource of its own ($defs, or `definitions` before 2019-09) under its URI, and the result judges
 * as the schema does. Built-in meta-schemas are left out, everybody has them. References stay as
 * they are, unless one names a document by where it lies though it calls itself otherwise. The text
 * is pretty and ends in a line feed.
 * BT_OK: it was put; or a reference leads nowhere, and nothing was put: bt_schema_compile() says
 * which. BT_ENOMEM, BT_EINVAL: as for bt_schema_compile(). Failures of the buffer are returned.
 */
BT_API BT_MUST_USE enum bt_status bt_schema_bundle(struct bt_buf *buf,
                                                   const struct bt_json_doc *schema,
                                                   const struct bt_schema_options *options);

/* ---- The schemas of what Baton reads and writes ---------------------------------------------- */

struct bt_schema_builtin {
    bt_str name; /* "report" ... */
    bt_str text; /* a JSON Schema, laid out for reading, with a final line feed */
};

/* All of them, sorted by name. */
BT_API size_t bt_schema_builtin_count(void);
BT_API const struct bt_schema_builtin *bt_schema_builtin_at(size_t index);

#ifdef __cplusplus
}
#endif

#endif
