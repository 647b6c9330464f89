/* SPDX-License-Identifier: Apache-2.0 */
/* errors.c - results and errors in the form of each binding; one row per error. */
#include <assert.h>
#include <string.h>

#include "a2a/a2a_internal.h"
#include "operation/problem.h"

#define TYPE "type.googleapis.com/google.rpc."

struct a2a_error_row {
    enum a2a_code code;
    unsigned status; /* HTTP status */
    const char *reason;
    const char *name;
};

#define ROW(code, status, reason, name)                                                            \
    {                                                                                              \
        code, status, #reason, #name                                                               \
    }

static const struct a2a_error_row errors[] = {
    ROW(A2A_PARSE_ERROR, BT_HTTP_BAD_REQUEST, PARSE_ERROR, INVALID_ARGUMENT),
    ROW(A2A_INVALID_REQUEST, BT_HTTP_BAD_REQUEST, INVALID_REQUEST, INVALID_ARGUMENT),
    ROW(A2A_UNKNOWN_METHOD, BT_HTTP_NOT_FOUND, METHOD_NOT_FOUND, NOT_FOUND),
    ROW(A2A_INVALID_PARAMS, BT_HTTP_BAD_REQUEST, INVALID_PARAMS, INVALID_ARGUMENT),
    ROW(A2A_INTERNAL, BT_HTTP_UNAVAILABLE, INTERNAL_ERROR, UNAVAILABLE),
    ROW(A2A_TASK_UNKNOWN, BT_HTTP_NOT_FOUND, TASK_NOT_FOUND, NOT_FOUND),
    ROW(A2A_NOT_CANCELABLE, BT_HTTP_BAD_REQUEST, TASK_NOT_CANCELABLE, FAILED_PRECONDITION),
    ROW(A2A_NO_PUSH, BT_HTTP_BAD_REQUEST, PUSH_NOTIFICATION_NOT_SUPPORTED, FAILED_PRECONDITION),
    ROW(A2A_UNSUPPORTED, BT_HTTP_BAD_REQUEST, UNSUPPORTED_OPERATION, FAILED_PRECONDITION),
    ROW(A2A_CONTENT_TYPE, BT_HTTP_BAD_REQUEST, CONTENT_TYPE_NOT_SUPPORTED, INVALID_ARGUMENT),
    ROW(A2A_VERSION, BT_HTTP_BAD_REQUEST, VERSION_NOT_SUPPORTED, FAILED_PRECONDITION),
};

static const struct a2a_error_row *error_of(enum a2a_code code)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        if (errors[i].code == code) {
            return &errors[i];
        }
    }
    assert(false);
    return &errors[0];
}

/* ---- Details --------------------------------------------------------------------------------- */

/* What an error has besides its row. */
struct a2a_error_detail {
    const char *message;
    const char *field; /* the invalid field, or NULL */
    bt_str why;
    bt_str reason; /* "": that of the row */
};

static void put_details(struct bt_emit *emit, const struct a2a_error_row *error,
                        const struct a2a_error_detail *detail)
{
    bt_emit_begin_array(emit);
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "@type", BT_STR(TYPE "ErrorInfo"));
    bt_emit_member_string(emit, "reason",
                          detail->reason.len > 0 ? detail->reason : bt_str_of(error->reason));
    bt_emit_member_string(emit, "domain", BT_STR("a2a-protocol.org"));
    bt_emit_end(emit);
    if (detail->field) {
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "@type", BT_STR(TYPE "BadRequest"));
        bt_emit_member_array(emit, "fieldViolations");
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "field", bt_str_of(detail->field));
        bt_emit_member_string(emit, "description", detail->why);
        bt_emit_end(emit);
        bt_emit_end(emit);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

/* Put an error in the form of the binding. */
static void put_error(const struct a2a_request *request, const struct a2a_error_row *error,
                      const struct a2a_error_detail *detail)
{
    const bool is_rpc = request->binding == A2A_JSONRPC;
    struct bt_emit emit;
    bt_emit_init(&emit, request->a2a->out, false);
    bt_emit_begin_object(&emit);
    if (is_rpc) {
        bt_emit_member_string(&emit, "jsonrpc", BT_STR("2.0"));
        bt_emit_member_raw(&emit, "id", request->id.len > 0 ? request->id : BT_STR("null"));
    }
    bt_emit_member_object(&emit, "error");
    bt_emit_name(&emit, "code");
    bt_emit_i64(&emit, is_rpc ? (int64_t)error->code : (int64_t)error->status);
    if (!is_rpc) {
        bt_emit_member_string(&emit, "status", bt_str_of(error->name));
    }
    bt_emit_member_string(&emit, "message", bt_str_of(detail->message));
    bt_emit_name(&emit, is_rpc ? "data" : "details");
    put_details(&emit, error, detail);
    bt_emit_end(&emit);
    bt_emit_end(&emit);
}

static enum bt_status write_error(struct a2a_request *request, enum a2a_code code,
                                  const struct a2a_error_detail *detail)
{
    const struct a2a_error_row *error = error_of(code);
    struct a2a_outcome *outcome = &request->a2a->outcome;
    bt_buf_clear(request->a2a->out);
    outcome->stream.is_on = false;
    outcome->is_refused = true;
    outcome->status = request->binding == A2A_JSONRPC ? BT_HTTP_OK : error->status;
    put_error(request, error, detail);
    bt_buf_put_char(request->a2a->out, '\n');
    request->is_answered = true;
    return BT_OK;
}

enum bt_status a2a_respond_error(struct a2a_request *request, enum a2a_code code,
                                 const char *message)
{
    const struct a2a_error_detail detail = {
        .message = message, .why = BT_STR(""), .reason = BT_STR("")};
    return write_error(request, code, &detail);
}

enum bt_status a2a_respond_field_error(struct a2a_request *request, const char *field, bt_str why)
{
    const struct a2a_error_detail detail = {.message = "the parameters are not well formed",
                                            .field = field,
                                            .why = why,
                                            .reason = BT_STR("")};
    return write_error(request, A2A_INVALID_PARAMS, &detail);
}

enum bt_status a2a_respond_scope_error(struct a2a_request *request, const char *scope)
{
    request->a2a->outcome.scope = scope;
    request->a2a->outcome.is_refused = true;
    request->is_answered = true;
    return BT_OK;
}

enum bt_status a2a_respond_result_error(struct a2a_request *request, const struct bt_result *answer)
{
    const bt_str text = bt_buf_str(&answer->body);
    if (answer->problem == BT_PROBLEM_SCOPE_MISSING) {
        return a2a_respond_scope_error(request,
                                       /* the only scope that an operation itself checks */
                                       "pump_client");
    }
    if (answer->kind == ANSWER_UNUSABLE) {
        return a2a_respond_field_error(request, "message", text);
    }
    const struct a2a_error_detail detail = {.message = "Baton could not do its work",
                                            .why = BT_STR(""),
                                            .reason = bt_problems[answer->problem].code};
    return write_error(request, A2A_INTERNAL, &detail);
}

/* ---- Results --------------------------------------------------------------------------------- */

void a2a_put_result(struct a2a *a2a, enum a2a_binding binding, bt_str id, bt_str result)
{
    struct bt_buf *out = a2a->out;
    if (binding == A2A_JSONRPC) {
        bt_buf_put_text(out, "{\"jsonrpc\":\"2.0\",\"id\":");
        bt_buf_put(out, id);
        bt_buf_put_text(out, ",\"result\":");
        bt_buf_put(out, result);
        bt_buf_put_char(out, '}');
    } else {
        bt_buf_put(out, result);
    }
    bt_buf_put_char(out, '\n');
}
