/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.h - JSON Schema: compile once, validate many documents in bounded time.
 *
 *     struct bt_schema *schema = NULL;
 *     struct bt_schema_runner *runner = NULL;
 *     if (bt_schema_compile(schema_document, NULL, findings, &schema) == BT_OK && schema &&
 *         bt_schema_runner_create(NULL, &runner) == BT_OK &&
 *         bt_schema_validate(schema, runner, document, findings, NULL) == BT_OK) {
 *         ... it is valid when nothing was found
 *     }
 *     bt_schema_runner_destroy(runner);
 *     bt_schema_destroy(schema);
 *
 * Drafts 3, 4, 6, 7, 2019-09, 2020-12 and v1, all keywords, vocabularies and dynamic references.
 * Nothing is fetched: a reference leads to a part of the schema, to a document that the caller
 * supplies, or to a built-in meta-schema.
 *
 * Numbers are exact decimals. The work of a run is bounded by a number of steps and, with a clock,
 * by time. A run that reaches a limit gives BT_SCHEMA_UNDECIDED, neither valid nor invalid, also
 * below `not`.
 *
 * Threads: a compiled schema is immutable and may be used by many threads; a runner by one at a
 * time.
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
    bt_str uri; /* by which references name it, without fragment; its own $id works as well */
    const struct bt_json_doc *document;
};

BT_SIZE_IS(struct bt_schema_document, 24, 12);

/*
 * Find the document that `uri` (absolute unless the schema has no base, without fragment) names.
 * BT_OK with *out_document NULL: there is none. The document must live until bt_schema_compile()
 * returns. Any other status ends the compilation with that status.
 */
typedef enum bt_status bt_schema_resolve_fn(void *context, bt_str uri,
                                            const struct bt_json_doc **out_document);

/*
 * How a schema is compiled: a sized struct. Every zero means the default that the comment names. A
 * schema above any of the limits is rejected with SCHEMA_BUDGET.
 */
struct bt_schema_options {
    uint32_t size;                  /* of this struct; 0: that of version 0.1 */
    enum bt_schema_draft draft;     /* used where $schema is absent; 2020-12 */
    bt_str uri;                     /* where the schema came from; "": unknown */
    const struct bt_engine *engine; /* whose limits and seed are used for texts; may be NULL */
    /* of the documents to be validated: documents with another seed are slower; both zero: that of
     * the engine or, without one, random bytes of the system */
    uint64_t hash_seed[2];
    const struct bt_schema_document *documents; /* that references may lead to */
    size_t documents_count;
    bt_schema_resolve_fn *resolve; /* called when nothing else has the document; may be NULL */
    void *resolve_context;
    uint32_t documents_max;    /* that references lead to; 64 */
    uint32_t nodes_max;        /* schemas within all documents; 1,000,000 */
    uint32_t instructions_max; /* of the program; 2,000,000 */
    uint32_t regex_states_max; /* of one pattern, see struct bt_regex_options; 20,000 */
    uint64_t memory_bytes_max; /* of the schema, and as much again while compiling; 512 MiB */
    bool assert_formats;       /* validate `format`; in draft 7 also the content keywords */
    bool skip_metaschema;      /* do not check the schema against its meta-schema first */
};

/*
 * Compile `schema`. BT_OK means that it was checked: either *out_schema is set, or the findings
 * give the reasons, with pointers and offsets into the schema: SCHEMA_* where it breaks its
 * meta-schema, SCHEMA_REF_UNRESOLVED, SCHEMA_CYCLE, PATTERN_INVALID, PATTERN_TOO_COMPLEX,
 * SCHEMA_BUDGET. `options` may be NULL for the defaults; `findings` may be NULL. The compiled
 * schema owns all it needs, so `schema` and its source need not outlive the call; destroy it with
 * bt_schema_destroy(). BT_ENOMEM: the system has no memory. BT_EINVAL: an option is out of range,
 * or the size of a struct is wrong.
 */
BT_API BT_MUST_USE enum bt_status bt_schema_compile(const struct bt_json_doc *schema,
                                                    const struct bt_schema_options *options,
                                                    struct bt_findings *findings,
                                                    struct bt_schema **out_schema);
/* Free it. NULL is allowed. Runners that have run the schema must be destroyed first. */
BT_API void bt_schema_destroy(struct bt_schema *schema);

/* ---- Running --------------------------------------------------------------------------------- */

/* A monotonic clock in nanoseconds, from any fixed point in time. */
typedef uint64_t bt_clock_ns_fn(void *context);

/* The limits of a run: a sized struct. Every zero means the default that the comment names. */
struct bt_schema_limits {
    uint32_t size;         /* of this struct; 0: that of version 0.1 */
    uint32_t findings_max; /* of one explanation; 1000 */
    uint64_t work_max;     /* units of work: a schema applied, a value compared, ...; 100,000,000 */
    uint64_t time_ns;      /* with a clock: the longest time of one run; 2 s */
    uint64_t memory_bytes; /* working memory of one run; 48 MiB */
    bt_clock_ns_fn *clock; /* NULL: the time is not limited */
    void *clock_context;
};

/* Working memory for runs; it is reused from run to run. */
struct bt_schema_runner;

/*
 * Make a runner. `limits` may be NULL for the defaults. On BT_OK the caller destroys *out with
 * bt_schema_runner_destroy(). BT_EINVAL: the size of the limits is wrong. BT_ENOMEM: no memory.
 */
BT_API BT_MUST_USE enum bt_status bt_schema_runner_create(const struct bt_schema_limits *limits,
                                                          struct bt_schema_runner **out);
/*
 * Use other limits from now on, except that the memory limit stays. `limits` may be NULL for the
 * defaults. BT_EINVAL: their size is wrong, and the limits stay as they are.
 */
BT_API BT_MUST_USE enum bt_status
bt_schema_runner_set_limits(struct bt_schema_runner *runner, const struct bt_schema_limits *limits);
/* Free it. NULL is allowed. */
BT_API void bt_schema_runner_destroy(struct bt_schema_runner *runner);

/* Zero means undecided, so that cleared memory never reads as a result. */
enum bt_schema_result {
    BT_SCHEMA_UNDECIDED = 0, /* a limit was reached; see bt_schema_limit_reached() */
    BT_SCHEMA_INVALID,
    BT_SCHEMA_VALID,
};

/*
 * Validate `document`. Allocates only when the document needs more memory than the runner already
 * has. Every member of an object is validated, including members with a repeated name.
 */
BT_API BT_MUST_USE enum bt_schema_result bt_schema_run(const struct bt_schema *schema,
                                                       struct bt_schema_runner *runner,
                                                       const struct bt_json_doc *document);

/* Why the runner's last run gave BT_SCHEMA_UNDECIDED. */
enum bt_schema_limit_kind {
    BT_SCHEMA_LIMIT_NONE = 0,
    BT_SCHEMA_LIMIT_WORK,   /* work_max, or a limit of the regular expressions */
    BT_SCHEMA_LIMIT_TIME,   /* time_ns */
    BT_SCHEMA_LIMIT_MEMORY, /* memory_bytes */
    BT_SCHEMA_LIMIT_SYSTEM, /* the system has no memory; a later run may succeed */
};

/* Why the last run gave BT_SCHEMA_UNDECIDED; BT_SCHEMA_LIMIT_NONE if it did not. */
BT_API enum bt_schema_limit_kind bt_schema_limit_reached(const struct bt_schema_runner *runner);
/* Units of work that the last run took; after bt_schema_validate(), of its first run. */
BT_API uint64_t bt_schema_work_used(const struct bt_schema_runner *runner);

/*
 * Validate `document` and add a finding for every error, with pointer, offset and, in the params,
 * `keyword` (the place in the schema), what was found and what is allowed. A valid document gets no
 * finding; when a limit was reached, exactly one is added, SCHEMA_BUDGET. *out_answer (may be NULL)
 * equals the result of bt_schema_run(). BT_ENOMEM: the system or the findings' arena has no memory.
 */
BT_API BT_MUST_USE enum bt_status bt_schema_explain(const struct bt_schema *schema,
                                                    struct bt_schema_runner *runner,
                                                    const struct bt_json_doc *document,
                                                    struct bt_findings *findings,
                                                    enum bt_schema_result *out_answer);

/*
 * Validate `document` with bt_schema_run() and, only if it is invalid, add findings like
 * bt_schema_explain(). This is as fast as bt_schema_run() for a valid document. When a limit was
 * reached, exactly one finding is added, SCHEMA_BUDGET. *out_answer may be NULL. BT_ENOMEM: the
 * system or the findings' arena has no memory. BT_EINTERNAL: the two runs contradict each other, so
 * a document without findings is always valid.
 */
BT_API BT_MUST_USE enum bt_status bt_schema_validate(const struct bt_schema *schema,
                                                     struct bt_schema_runner *runner,
                                                     const struct bt_json_doc *document,
                                                     struct bt_findings *findings,
                                                     enum bt_schema_result *out_answer);

/* ---- Lint and bundle ------------------------------------------------------------------------- */

/*
 * Add a SCHEMA_LINT warning for everything that is valid but probably a mistake, with params.rule
 * one of unbounded-unique-items, unbounded-pattern, unreachable-branch, required-without-property.
 * Documents that the schema refers to are not checked themselves. Meant for schemas that compile;
 * other errors are not reported here. `options` may be NULL for the defaults. BT_ENOMEM, BT_EINVAL:
 * as for bt_schema_compile().
 */
BT_API BT_MUST_USE enum bt_status bt_schema_lint(const struct bt_json_doc *schema,
                                                 const struct bt_schema_options *options,
                                                 struct bt_findings *findings);

/*
 * Put one self-contained schema: every document that a reference leads to is embedded as a resource
 * of its own ($defs, or `definitions` before 2019-09) under its URI, and the result validates like
 * the schema. Built-in meta-schemas are not embedded, because every validator has them. References
 * are unchanged, unless one names a document by its location and the document has a different $id.
 * The text is pretty-printed and ends in a line feed. `options` may be NULL for the defaults.
 *
 * BT_OK: it was put; or a reference could not be resolved, and nothing was put: bt_schema_compile()
 * says which. BT_ENOMEM, BT_EINVAL: as for bt_schema_compile(). Failures of the buffer are
 * returned.
 */
BT_API BT_MUST_USE enum bt_status bt_schema_bundle(struct bt_buf *buf,
                                                   const struct bt_json_doc *schema,
                                                   const struct bt_schema_options *options);

/* ---- Built-in schemas ------------------------------------------------------------------------ */

/* The number of schemas of the formats that Baton reads and writes. */
BT_API size_t bt_schema_builtin_count(void);
/* The name of the schema with this index, such as "report"; they are sorted by name. A constant. */
BT_API bt_str bt_schema_builtin_name(size_t index);
/* The schema with this index: JSON, pretty-printed, with a final line feed. A constant. */
BT_API bt_str bt_schema_builtin_text(size_t index);

#ifdef __cplusplus
}
#endif

#endif
