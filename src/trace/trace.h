/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.h - trace events of handoffs: append them to a log, and turn logs into traces.
 *
 * A log is JSON Lines, one event per line. Any number of processes may append to it at once.
 * Reading is lenient: a line that is not an event is skipped with a finding, and three forms of
 * lines are accepted.
 *
 *     struct bt_trace_set *traces = bt_trace_set_new(&env, &arena);
 *     bt_trace_set_read(traces, path, text); // once for each log
 *     bt_trace_set_group(traces, BT_STR("")); // events -> traces, workflows, phases, hops
 *     bt_trace_set_render(traces, &options, &buf);
 *
 * In this header a text whose `ptr` is NULL is absent, which JSON writes as null.
 */
#ifndef BATON_SRC_TRACE_TRACE_H
#define BATON_SRC_TRACE_TRACE_H

#include <baton/json.h>
#include <baton/report.h>
#include "base/env.h"
#include "report/report.h"

/* ---- Events ---------------------------------------------------------------------------------- */

enum bt_trace_event_type {
    BT_TRACE_EVENT_UNKNOWN = 0, /* kept, with the name from the log */
    BT_TRACE_EVENT_WORKFLOW_STARTED,
    BT_TRACE_EVENT_PHASE_STARTED,
    BT_TRACE_EVENT_PHASE_COMPLETED,
    BT_TRACE_EVENT_HANDOFF_CREATED,
    BT_TRACE_EVENT_HANDOFF_VALIDATED,
    BT_TRACE_EVENT_HANDOFF_TRANSMITTED,
    BT_TRACE_EVENT_HANDOFF_RECEIVED,
    BT_TRACE_EVENT_HANDOFF_PROCESSED,
    BT_TRACE_EVENT_ERROR,
    BT_TRACE_EVENT_WORKFLOW_COMPLETED,
    BT_TRACE_EVENT__MAX,
};

/* "workflow_started" and so on; "" for BT_TRACE_EVENT_UNKNOWN. A constant. */
bt_str bt_trace_event_type_name(enum bt_trace_event_type type);
/*
 * Parse a name, or the short name that `tracing.events` of a handoff uses: "created" is
 * "handoff_created". BT_TRACE_EVENT_UNKNOWN for any other text.
 */
enum bt_trace_event_type bt_trace_event_type_parse(bt_str name);

/* One event. Texts live as long as what they were read from. */
struct bt_trace_event {
    bt_str trace_id;
    bt_str span_id;        /* may be absent */
    bt_str parent_span_id; /* may be absent */
    bt_instant at;
    enum bt_trace_event_type type;
    bt_str type_name; /* as the log has it; set only for BT_TRACE_EVENT_UNKNOWN */
    bt_str workflow;
    bt_str phase;                       /* may be absent */
    bt_str details;                     /* a JSON object; may be absent */
    const struct bt_json_doc *declared; /* `details` as a document, when a handoff declares them */
    bool has_duration;
    double duration_ms; /* finite, not negative */
    uint32_t log;       /* index of the log it was read from */
    uint32_t line;      /* from 1 */
};

/* ---- Appending ------------------------------------------------------------------------------- */

#define BT_TRACE_LINE_BYTES_MAX ((size_t)1 << 20) /* longer lines are neither written nor read */
#define BT_TRACE_WAIT_MS_MAX 5000                 /* the default for wait_ms_max */

/*
 * Append one line to the log at `path`, which is created (mode 0600) if necessary, and make it
 * durable. The line is written in one write under an exclusive lock; an incomplete last line of
 * another writer is ended first. When the write fails part-way, the written part is removed.
 *
 * BT_ELIMIT: the lock was not free within wait_ms_max, or the line is too long. BT_EDENIED: no
 * permission, a symbolic link, or not a regular file. BT_ENOENT: the directory does not exist.
 * BT_EINVAL: the event has no trace_id or workflow, an unknown type, or a time outside the years
 * 0000 to 9999. BT_EIO: writing failed. BT_ENOMEM: no memory. `error` (may be NULL) gives the
 * reason without the path.
 */
BT_MUST_USE enum bt_status bt_trace_append(bt_str path, const struct bt_trace_event *event,
                                           uint32_t wait_ms_max, struct bt_error *error);

/*
 * Fill in what a handoff says about an event of `type`: trace_id, workflow (the target for received
 * and processed, else the source), phase (source side only), parent_span_id (received, processed)
 * and details: target, schema_version and token_count as declared, and `passed` as validation. What
 * the document does not contain stays absent. `handoff` is any document, or NULL when it could not
 * be read. The caller sets time, span and duration. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_trace_event_from_handoff(struct bt_arena *arena,
                                                       const struct bt_json_doc *handoff,
                                                       enum bt_trace_event_type type, bool passed,
                                                       struct bt_trace_event *out);

/* The event that `--trace LOG` appends for a handoff that was judged or written. */
struct bt_trace_handoff_options {
    bt_str log;
    enum bt_trace_event_type type;     /* handoff_validated, handoff_created */
    const struct bt_json_doc *handoff; /* NULL when it could not be read */
    bool passed;
};

/*
 * Append the event with the current time and a new span. A failure to log does not stop the work:
 * it becomes the finding TRACE_WRITE_FAILED, added to `findings`, which must not be finished yet.
 * BT_ENOMEM, or BT_EIO when there is no randomness: not even that was possible.
 */
BT_MUST_USE enum bt_status bt_trace_log_handoff(struct bt_env *env,
                                                const struct bt_trace_handoff_options *note,
                                                struct bt_findings *findings);

/*
 * Append the event of a document that was already judged (judged->document); an accepted document
 * has passed. If the event could not be logged, judged->findings becomes a new finished
 * list in the arena that also has TRACE_WRITE_FAILED. The verdict does not change; a caller whose
 * fail level is WARN must call bt_verdict_of() again. BT_ENOMEM, BT_EIO: as for
 * bt_trace_log_handoff().
 */
BT_MUST_USE enum bt_status bt_trace_log_judgement(struct bt_env *env, struct bt_arena *arena,
                                                  bt_str log, enum bt_trace_event_type type,
                                                  struct bt_judgement *judged);

/* ---- Reading --------------------------------------------------------------------------------- */

#define BT_TRACE_LOG_BYTES_MAX ((uint64_t)256 << 20) /* of one log */
#define BT_TRACE_LINES_MAX 1000000                   /* of all logs */

struct bt_trace_set; /* the events of some logs, in an arena */

/*
 * Make an empty set, which lives in the arena. `env` gives limits and the hash seed and must
 * outlive it. NULL when the arena is exhausted.
 */
BT_MUST_USE struct bt_trace_set *bt_trace_set_new(const struct bt_env *env, struct bt_arena *arena);

/*
 * Read one log. `path` is its name in messages; both texts must outlive the set. Lines that are not
 * events become findings. BT_ELIMIT: the log or the number of lines exceeds its maximum. BT_ENOMEM:
 * the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_trace_set_read(struct bt_trace_set *traces, bt_str path, bt_str text);

/* The number of logs that were read. */
size_t bt_trace_set_log_count(const struct bt_trace_set *traces);
/* The log with this index: its path, text and finished findings. */
const struct bt_judgement *bt_trace_set_log_at(const struct bt_trace_set *traces, size_t index);
/* The number of events that could be read. */
size_t bt_trace_set_event_count(const struct bt_trace_set *traces);

/* ---- Traces ---------------------------------------------------------------------------------- */

/* A phase_started and the next phase_completed of the same workflow and phase. */
struct bt_trace_phase {
    const struct bt_trace_event *started;
    const struct bt_trace_event *completed; /* NULL: unfinished */
    double duration_ms;                     /* from the completed line, or else the difference */
};

struct bt_trace_workflow {
    bt_str name;
    const struct bt_trace_event *first;
    const struct bt_trace_event *last;
    const struct bt_trace_phase *phases; /* in the order of their starts */
    size_t phase_count;
    const struct bt_trace_event *const *errors; /* in order */
    size_t error_count;
};

/*
 * A value of details: as JSON, "null" when it is absent, and as text for people, "" for values that
 * are neither string nor number.
 */
struct bt_trace_hop_value {
    bt_str json;
    bt_str text;
};

/* A handoff_transmitted: its workflow handed something to `target`. */
struct bt_trace_hop {
    const struct bt_trace_event *transmitted;
    const struct bt_trace_event
        *received; /* the first later handoff_received of the target, or NULL */
    const struct bt_trace_event *processed; /* the first later handoff_processed of it, or NULL */
    struct bt_trace_hop_value target;
    struct bt_trace_hop_value schema_version;
    struct bt_trace_hop_value token_count;
    struct bt_trace_hop_value validation;
};

struct bt_trace {
    bt_str id;
    const struct bt_trace_event *events; /* by instant, then by log and line */
    size_t event_count;
    const struct bt_trace_workflow *workflows; /* in the order of their first events */
    size_t workflow_count;
    const struct bt_trace_hop *hops; /* in the order of transmission */
    size_t hop_count;
    size_t error_count;
};

/* Milliseconds from one event to a later one, as a whole number. */
double bt_trace_ms_between(const struct bt_trace_event *from, const struct bt_trace_event *to);

/*
 * Group all events that were read or, if `only` is not "", those of one trace. Call it once, after
 * the last log. Takes n log n time for any log. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_trace_set_group(struct bt_trace_set *traces, bt_str only);

/* The number of traces; 0 before bt_trace_set_group(). */
size_t bt_trace_set_count(const struct bt_trace_set *traces);
/* The trace with this index, in the order of their first events. */
const struct bt_trace *bt_trace_set_at(const struct bt_trace_set *traces, size_t index);

/*
 * True when a trace has a handoff_transmitted by `source` that names `target`, and a later
 * handoff_processed by `target`. Names are compared byte by byte. Takes time linear in the number
 * of hops.
 */
bool bt_trace_set_has_success(const struct bt_trace_set *traces, bt_str source, bt_str target);

/* ---- Views ----------------------------------------------------------------------------------- */

enum bt_trace_view {
    BT_TRACE_VIEW_TIMELINE = 0, /* workflows and phases as bars over time */
    BT_TRACE_VIEW_CHAIN,        /* hops from workflow to workflow */
    BT_TRACE_VIEW__MAX,
};

enum bt_trace_format {
    BT_TRACE_FORMAT_TEXT = 0, /* for a terminal */
    BT_TRACE_FORMAT_MERMAID,
    BT_TRACE_FORMAT_DOT,  /* Graphviz */
    BT_TRACE_FORMAT_SVG,  /* one self-contained picture, without scripts or links */
    BT_TRACE_FORMAT_JSON, /* one object with both views and the findings */
    BT_TRACE_FORMAT__MAX,
};

/*
 * "timeline", "chain"; "text", "mermaid", "dot", "svg", "json"; "" for any other number. Constants.
 */
bt_str bt_trace_view_name(enum bt_trace_view view);
bt_str bt_trace_format_name(enum bt_trace_format form);

struct bt_trace_render_options {
    enum bt_trace_view view;
    enum bt_trace_format form;
    size_t columns; /* of the terminal; 0 means 80 */
    bool colour;    /* ANSI colours, text only */
};

/*
 * Render the grouped traces. Names from logs are untrusted and are escaped for the format. The
 * result ends in a line feed. Failures stick to the buffer and are returned.
 */
BT_MUST_USE enum bt_status bt_trace_set_render(const struct bt_trace_set *traces,
                                               const struct bt_trace_render_options *options,
                                               struct bt_buf *buf);

/* ---- W3C trace context ----------------------------------------------------------------------- */

#define BT_TRACEPARENT_TEXT_BYTES 56

/* The parts of a `traceparent` header. All texts end in NUL. */
struct bt_traceparent {
    char text[BT_TRACEPARENT_TEXT_BYTES]; /* 00-TRACE-PARENT-01 */
    char trace_id[BT_UUID_TEXT_BYTES];    /* with hyphens */
    char parent_id[17];
    char flags[3];
};

/*
 * The header that the receiver of a handoff sends on: its trace_id and the first 16 hexadecimal
 * digits of tracing.parent_span_id. When the handoff lacks these, `findings` gets
 * TRACEPARENT_UNAVAILABLE and *out_made is false. BT_ENOMEM: the findings' arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_traceparent_from_handoff(const struct bt_json_doc *handoff,
                                                       struct bt_findings *findings, bool *out_made,
                                                       struct bt_traceparent *out);
/*
 * Parse a header's value: version 00, lower-case digits, no identifier that is all zero. Otherwise
 * `findings` gets TRACEPARENT_INVALID and *out_made is false. BT_ENOMEM: the findings' arena
 * reached its limit.
 */
BT_MUST_USE enum bt_status bt_traceparent_parse(bt_str value, struct bt_findings *findings,
                                                bool *out_made, struct bt_traceparent *out);

#endif
