/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.h - one call of a tool on its way to the server: a table of steps, of which the first that
 * refuses decides.
 */
#ifndef BATON_SRC_WRAP_CALL_H
#define BATON_SRC_WRAP_CALL_H

#include "wrap/session.h"

/* A call while it is judged. Everything is in the memory of the message. */
struct bt_wrap_call {
    struct bt_wrap_session *session;
    const struct bt_wrap_message *message;
    struct bt_wrap_request *request;
    bt_str line;
    bt_str name;                       /* of the tool */
    const bt_json_value *arguments;    /* NULL: absent */
    struct bt_wrap_tool *tool;         /* NULL: neither lock nor catalogue has it */
    struct bt_wrap_hints hints;        /* of a tool without definition; none: it is destructive */
    struct bt_wrap_tool_policy policy; /* what counts for the tool */
    struct bt_findings *findings;      /* about this call, with the pointers of the session */
};

/* What a step says. */
enum bt_wrap_step_result {
    BT_WRAP_STEP_NONE = 0,
    BT_WRAP_STEP_PASSED,   /* the next step decides */
    BT_WRAP_STEP_REFUSED,  /* the findings that the step added say why; see also `is_observing` */
    BT_WRAP_STEP_HELD,     /* the call waits; all steps are taken again when it is released */
    BT_WRAP_STEP_ANSWERED, /* the step has answered the request, or holds it */
};

typedef enum bt_status bt_wrap_step_fn(struct bt_wrap_call *call, enum bt_wrap_step_result *out);

/* The severity of a refusal: while a session observes, it is a warning. */
static inline enum bt_severity bt_wrap_refusal_severity(const struct bt_wrap_session *session)
{
    return session->settings->policy.is_observing ? BT_SEVERITY_WARN : BT_SEVERITY_HARD;
}

/* The pointer of a part of a call in reports: /calls/N/arguments for "arguments". BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_call_pointer(struct bt_wrap_session *session, uint64_t call,
                                                const char *part, bt_str *out);

/* Pass, refuse or hold a call of the client that was added to the open requests. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_call_take(struct bt_wrap_session *session,
                                             const struct bt_wrap_message *message,
                                             struct bt_wrap_request *request, bt_str line);

/*
 * Take the steps again that depend on the lock and the policy alone: hidden tools, rules that deny
 * and, when they are known, arguments. *out is BT_WRAP_STEP_PASSED or BT_WRAP_STEP_REFUSED, the
 * latter by the findings of *out_from on. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_call_review(struct bt_wrap_call *call, bool arguments_are_known,
                                               enum bt_wrap_step_result *out, size_t *out_from);

/* ---- Findings -------------------------------------------------------------------------------- */

/*
 * Copy findings about a value to other ones, with `pointer` before their pointers and with this
 * severity. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_add_below(struct bt_wrap_session *session,
                                             struct bt_findings *findings,
                                             const struct bt_findings *added, bt_str pointer,
                                             enum bt_severity severity);
/* Copy findings to those of the session. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_add_all(struct bt_wrap_session *session,
                                           const struct bt_findings *added);
/* A part of a call, for bt_wrap_call_pointer(), and its value; without a value it is absent. */
struct bt_wrap_call_part {
    uint64_t call;
    const char *name;
    bt_ref value;
};

/* Add WRAP_SECRET for every string in a part that holds a credential. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_check_secrets(struct bt_wrap_session *session,
                                                 const struct bt_wrap_call_part *part,
                                                 struct bt_findings *findings);
/* Add WRAP_SCHEMA_UNUSABLE, unless it was added before and does not refuse anything. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_add_unusable(struct bt_wrap_session *session,
                                                struct bt_wrap_tool *tool,
                                                enum bt_wrap_schema_kind kind,
                                                enum bt_wrap_judging judging,
                                                struct bt_findings *findings);

/* ---- Refusals -------------------------------------------------------------------------------- */

/*
 * Put a tool result that refuses a call or withholds a result: the text and the data are made from
 * the findings of `from` on that refuse. `is_modern`: of the request.
 */
void bt_wrap_put_refusal(struct bt_emit *emit, const struct bt_findings *findings, size_t from,
                         bool is_modern);
/* Put that result in its canonical form, without its metadata. */
void bt_wrap_put_refusal_canonical(struct bt_buf *out, bool is_modern,
                                   const struct bt_findings *findings, size_t from);
/* Answer a request with such a result, as one line. */
void bt_wrap_answer_refusal(struct bt_buf *out, const struct bt_wrap_id *id, bool is_modern,
                            const struct bt_findings *findings, size_t from);

#endif
