/* SPDX-License-Identifier: Apache-2.0 */
/* op_handoff.c - entries, receipts and documents that the caller may see. */
#include <inttypes.h>
#include <string.h>

#include "json/emit.h"
#include "json/options.h"
#include "ledger/entry.h"
#include "ledger/figures.h"
#include "operation/entry_fields.h"
#include "operation/ledger_json.h"
#include "operation/pump.h"
#include "operation/shown_json.h"

enum { ENTRY_SCAN_MAX = 100000 };
#define YEAR_9999_S INT64_C(253370764800)

bool bt_entry_fields_read(const struct bt_env *env, struct bt_arena *arena, bt_str text,
                          struct bt_entry_fields *out)
{
    struct bt_json_options options = bt_json_options_default();
    struct bt_json_read_result read = {0};
    memcpy(options.hash_seed, env->hash_seed, sizeof(options.hash_seed));
    /* from: store */
    if (bt_json_read(arena, text, &options, &read) != BT_OK || !read.document) {
        return false;
    }
    *out = (struct bt_entry_fields){read.document, bt_json_root(read.document)};
    return true;
}

bt_str bt_entry_fields_text(const struct bt_entry_fields *entry, const char *name)
{
    const bt_json_value *value = bt_json_get(entry->document, entry->root, bt_str_of(name));
    return value ? bt_json_text(value) : BT_STR("");
}

bool bt_entry_fields_visible_to(const struct bt_call *work, const struct bt_entry_fields *entry)
{
    const struct bt_caller *caller = work->caller;
    const bool is_bound = caller->agent_count > 0;
    return bt_scopes_hold(caller->scopes, BT_SCOPE_OPERATE) ||
           (bt_scopes_hold(caller->scopes, BT_SCOPE_APPROVE) &&
            bt_str_eq(bt_entry_fields_text(entry, "kind"), BT_STR("approval"))) ||
           bt_str_eq(bt_entry_fields_text(entry, "actor"), caller->actor) ||
           (is_bound && (bt_caller_represents(caller, bt_entry_fields_text(entry, "source")) ||
                         bt_caller_represents(caller, bt_entry_fields_text(entry, "target"))));
}

static bool may_see_entry(const struct bt_call *work, bt_str text)
{
    struct bt_entry_fields entry;
    return bt_entry_fields_read(work->service->env, work->arena, text, &entry) &&
           bt_entry_fields_visible_to(work, &entry);
}

/* The number of an entry, from a number or a handoff id. */
static bool find_number(struct bt_call *work, bt_str id, uint64_t *out)
{
    struct bt_error error;
    return bt_str_to_u64(id, out) == BT_OK ||
           bt_ledger_find_handoff(work->service->ledger, id, out, &error) == BT_OK;
}

bool bt_entry_fields_find(struct bt_call *work, bt_str id, struct bt_ledger_entry_view *out)
{
    struct bt_findings *alarms = bt_findings_new(work->arena);
    struct bt_error error;
    uint64_t seq = 0;
    return alarms && find_number(work, id, &seq) &&
           bt_ledger_get_entry(work->service->ledger, work->arena, seq, alarms, out, &error) ==
               BT_OK &&
           bt_findings_count(alarms) == 0 && may_see_entry(work, out->entry.text);
}

bool bt_entry_fields_find_number(struct bt_call *work, bt_str id, uint64_t *out)
{
    struct bt_findings *alarms = bt_findings_new(work->arena);
    struct bt_error error;
    struct bt_ledger_entry entry;
    return alarms && find_number(work, id, out) &&
           bt_ledger_read_entry(work->service->ledger, work->arena, *out, alarms, &entry, &error) ==
               BT_OK &&
           bt_findings_count(alarms) == 0 && may_see_entry(work, entry.text);
}

enum bt_status bt_op_handoff(struct bt_call *work, bt_str id)
{
    struct bt_ledger_entry_view shown;
    if (!bt_entry_fields_find(work, id, &shown)) {
        return bt_result_set_problem(work, BT_PROBLEM_NOT_FOUND, BT_STR(""), "handoff not found");
    }
    bt_emit_entry_view(&work->answer->body, bt_ledger_origin(work->service->ledger), &shown);
    return bt_result_set_done(work);
}

enum bt_status bt_op_handoff_get(struct bt_call *call, const struct bt_args *args)
{
    return bt_op_handoff(call, bt_args_text(args, BT_ARG_HANDOFF_GET_ID));
}

enum bt_status bt_op_ledger_get_entry(struct bt_call *call, const struct bt_args *args)
{
    const bt_str number = bt_args_text(args, BT_ARG_LEDGER_GET_ENTRY_SEQ);
    uint64_t seq = 0;
    return bt_str_to_u64(number, &seq) == BT_OK
               ? bt_op_handoff(call, number)
               : bt_result_set_problem(call, BT_PROBLEM_NOT_FOUND, BT_STR(""), "entry not found");
}

static bool put_proof(struct bt_call *work, bt_str id, enum bt_receipt_format format,
                      struct bt_buf *buf)
{
    uint64_t seq = 0;
    struct bt_error error;
    return bt_entry_fields_find_number(work, id, &seq) &&
           bt_ledger_prove_inclusion(work->service->ledger, seq, BT_LEDGER_SEQ_NONE, format, buf,
                                     &error) == BT_OK;
}

bool bt_op_put_receipt(struct bt_call *work, bt_str id, struct bt_buf *buf)
{
    return put_proof(work, id, BT_RECEIPT_FORMAT_TEXT, buf);
}

/* End a proof in JSON; `is_put`: there is one. */
static enum bt_status set_proof_result(struct bt_call *call, bool is_put, const char *missing)
{
    struct bt_buf *body = &call->answer->body;
    if (!is_put) {
        bt_buf_clear(body);
        return bt_result_set_problem(call, BT_PROBLEM_NOT_FOUND, BT_STR(""), "%s", missing);
    }
    body->len -= body->len > 0 && body->ptr[body->len - 1] == '\n' ? 1 : 0;
    call->answer->kind = ANSWER_DONE;
    return body->status;
}

/* What a receipt that is asked for by a word is, and is sent as. */
static const struct {
    bt_str word;
    enum bt_receipt_format format;
    const char *media; /* NULL: application/json */
} receipt_forms[] = {{BT_STR_INIT("text"), BT_RECEIPT_FORMAT_TEXT, BT_MEDIA_TEXT},
                     {BT_STR_INIT("json"), BT_RECEIPT_FORMAT_JSON, NULL},
                     {BT_STR_INIT("dsse"), BT_RECEIPT_FORMAT_DSSE, BT_MEDIA_DSSE},
                     {BT_STR_INIT("cose"), BT_RECEIPT_FORMAT_COSE, BT_MEDIA_COSE}};

/* The place in receipt_forms: what was requested, else what Accept prefers. */
static size_t find_form(const struct bt_call *call, bt_str requested)
{
    const bt_str word = requested.len > 0  ? requested
                        : call->wants_cose ? BT_STR("cose")
                        : call->wants_text ? BT_STR("text")
                                           : BT_STR("json");
    size_t i = 0;
    while (!bt_str_eq(receipt_forms[i].word, word)) { /* ends, because the word is one of them */
        i++;
    }
    return i;
}

enum bt_status bt_op_set_receipt(struct bt_call *call, const struct bt_receipt_request *request,
                                 const char *missing)
{
    struct bt_receipt_result made;
    struct bt_error error;
    const enum bt_status status =
        bt_ledger_make_receipt(call->service->ledger, call->arena, request, &made, &error);
    if (status == BT_ENOENT) {
        return request->predicate == BT_PREDICATE_SVR
                   ? bt_result_set_problem(call, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/predicate"),
                                           "%s", error.text)
                   : bt_result_set_problem(call, BT_PROBLEM_NOT_FOUND, BT_STR(""), "%s", missing);
    }
    if (status == BT_EDENIED) {
        return bt_result_set_failed(call, BT_PROBLEM_LEDGER_READ_ONLY, "nothing is signed here");
    }
    if (status != BT_OK) {
        return bt_result_set_failed(call, BT_PROBLEM_STORE_UNAVAILABLE, "nothing was signed");
    }
    bt_buf_put(&call->answer->body, made.receipt);
    return bt_result_set_done(call);
}

enum bt_status bt_op_handoff_receipt(struct bt_call *call, const struct bt_args *args)
{
    const bt_str id = bt_args_text(args, BT_ARG_HANDOFF_RECEIPT_ID);
    const bt_str predicate = bt_args_text(args, BT_ARG_HANDOFF_RECEIPT_PREDICATE);
    const size_t form = find_form(call, bt_args_text(args, BT_ARG_HANDOFF_RECEIPT_FORMAT));
    uint64_t seq = 0;
    const bool is_svr = bt_str_eq(predicate, BT_STR("svr"));
    if (predicate.len > 0 && receipt_forms[form].format != BT_RECEIPT_FORMAT_DSSE) {
        return bt_result_set_problem(call, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/predicate"),
                                     "only format=dsse has a predicate");
    }
    if (receipt_forms[form].format == BT_RECEIPT_FORMAT_JSON) {
        return set_proof_result(call,
                                put_proof(call, id, BT_RECEIPT_FORMAT_JSON, &call->answer->body),
                                "handoff not found");
    }
    if (!bt_entry_fields_find_number(call, id, &seq)) {
        return bt_result_set_problem(call, BT_PROBLEM_NOT_FOUND, BT_STR(""), "handoff not found");
    }
    call->answer->media = receipt_forms[form].media;
    const struct bt_receipt_request request = {.seq = seq,
                                               .size = BT_LEDGER_SEQ_NONE,
                                               .format = receipt_forms[form].format,
                                               .predicate = is_svr ? BT_PREDICATE_SVR
                                                                   : BT_PREDICATE_RECEIPT};
    return bt_op_set_receipt(call, &request, "handoff not found");
}

enum bt_status bt_op_ledger_prove_inclusion(struct bt_call *call, const struct bt_args *args)
{
    const uint64_t size =
        bt_args_number(args, BT_ARG_LEDGER_PROVE_INCLUSION_SIZE, BT_LEDGER_SEQ_NONE);
    uint64_t seq = 0;
    struct bt_error error;
    const bool is_put =
        bt_entry_fields_find_number(call, bt_args_text(args, BT_ARG_LEDGER_PROVE_INCLUSION_SEQ),
                                    &seq) &&
        bt_ledger_prove_inclusion(call->service->ledger, seq, size, BT_RECEIPT_FORMAT_JSON,
                                  &call->answer->body, &error) == BT_OK;
    return set_proof_result(call, is_put, "proof not found");
}

/* An entry whose document is stored; false: the result says why not. */
static bool find_kept(struct bt_call *work, bt_str id, struct bt_ledger_entry_view *out)
{
    if (!bt_entry_fields_find(work, id, out) ||
        (out->state != BT_DOCUMENT_STORED && out->state != BT_DOCUMENT_REDACTED)) {
        (void)bt_result_set_problem(work, BT_PROBLEM_NOT_FOUND, BT_STR(""), "document not found");
        return false;
    }
    if (out->state == BT_DOCUMENT_REDACTED) {
        (void)bt_result_set_problem(work, BT_PROBLEM_DOCUMENT_REDACTED, BT_STR(""),
                                    "its bytes were deleted");
        return false;
    }
    return true;
}

enum bt_status bt_op_handoff_document(struct bt_call *work, const struct bt_args *args)
{
    struct bt_ledger_entry_view shown;
    if (!find_kept(work, bt_args_text(args, BT_ARG_HANDOFF_DOCUMENT_ID), &shown)) {
        return BT_OK;
    }
    bt_buf_put(&work->answer->body, shown.bytes);
    work->answer->media = BT_MEDIA_BYTES;
    return bt_result_set_done(work);
}

/* The dialect that judged it. A response is recorded as `governed`. */
static enum bt_dialect_id dialect_of(const struct bt_entry_fields *entry, bt_str bytes)
{
    const enum bt_dialect_id recorded = bt_dialect_find(bt_entry_fields_text(entry, "dialect"));
    const bool is_response = recorded == BT_DIALECT_GOVERNED &&
                             bt_dialect_recognise(BT_STR("document"), bytes) == BT_DIALECT_RESPONSE;
    return is_response ? BT_DIALECT_RESPONSE : recorded;
}

/* True when the caller may see who is in the organism: operators, and clients of its pump. */
static bool can_see_organism(const struct bt_caller *caller)
{
    return bt_scopes_hold(caller->scopes, BT_SCOPE_OPERATE) || caller->pump_client.len > 0;
}

/* Run an operation on the stored document of an entry, by the organism where it is a message. */
static enum bt_status run_on_entry(struct bt_call *work, bt_str id,
                                   enum bt_status (*run)(struct bt_call *work,
                                                         struct bt_check_request *request))
{
    struct bt_ledger_entry_view shown;
    struct bt_entry_fields entry;
    struct bt_check_request request;
    bt_str codes = BT_STR("[]");
    if (!find_kept(work, id, &shown) ||
        !bt_entry_fields_read(work->service->env, work->arena, shown.entry.text, &entry)) {
        return BT_OK;
    }
    const bt_json_value *list = bt_json_get(entry.document, entry.root, BT_STR("codes"));
    if (list) {
        const struct bt_json_span span = bt_json_span(entry.document, list);
        codes = bt_str_slice(bt_json_source(entry.document), span.begin, span.end);
    }
    bt_op_request_begin(work->service, &request);
    request.text = shown.bytes;
    request.dialect = dialect_of(&entry, shown.bytes);
    if (request.dialect == BT_DIALECT_XML && can_see_organism(work->caller)) {
        work->organism = bt_op_pump_organism(work);
    }
    BT_TRY(bt_arena_printf(work->arena, &request.members,
                           "\"rejudged\":true,\"recorded_codes\":%.*s", BT_STR_ARG(codes)));
    const enum bt_status status = run(work, &request);
    bt_op_request_end(&request);
    return status;
}

enum bt_status bt_op_handoff_report(struct bt_call *work, const struct bt_args *args)
{
    return run_on_entry(work, bt_args_text(args, BT_ARG_HANDOFF_REPORT_ID), bt_op_check);
}

enum bt_status bt_op_handoff_repair_entry(struct bt_call *work, const struct bt_args *args)
{
    return run_on_entry(work, bt_args_text(args, BT_ARG_HANDOFF_REPAIR_ENTRY_ID), bt_op_repair);
}

struct bt_op_handoff_selection {
    const struct bt_call *work;
    const struct bt_handoff_filter *filter;
    bool has_words; /* the filter has one that is compared here */
};

static bool is_wanted(bt_str wanted, bt_str text)
{
    return wanted.len == 0 || bt_str_eq(wanted, text);
}

static bool has_code(const struct bt_entry *entry, bt_str code)
{
    size_t i = 0;
    while (i < entry->codes.count && !bt_str_eq(entry->codes.items[i], code)) {
        i++;
    }
    return code.len == 0 || i < entry->codes.count;
}

static bool is_visible(const struct bt_call *work, bt_str text)
{
    return bt_scopes_hold(work->caller->scopes, BT_SCOPE_OPERATE) || may_see_entry(work, text);
}

static bool matches_filter(void *context, bt_str text)
{
    const struct bt_op_handoff_selection *selection = context;
    const struct bt_handoff_filter *filter = selection->filter;
    struct bt_entry entry;
    const bool is_match =
        !selection->has_words ||
        (bt_entry_read(text, &entry) && is_wanted(filter->dialect, entry.dialect) &&
         is_wanted(filter->source, entry.source) && is_wanted(filter->target, entry.target) &&
         (is_wanted(filter->agent, entry.source) || is_wanted(filter->agent, entry.target)) &&
         is_wanted(filter->event, entry.refs.event) && has_code(&entry, filter->code));
    return is_match && is_visible(selection->work, text);
}

/* What the entries that the filter wants count for; first the names that few of them have. */
static enum bt_status find_places(struct bt_arena *arena, const struct bt_handoff_filter *filter,
                                  struct bt_figures_places *out)
{
    *out = (struct bt_figures_places){.has_range = filter->has_since || filter->has_until,
                                      .since_s = filter->has_since ? filter->since.seconds : 0,
                                      .until_s =
                                          filter->has_until ? filter->until.seconds : YEAR_9999_S};
    bt_figures_add_place(out, BT_FIGURE_CODE, filter->code);
    if (bt_str_eq(filter->verdict, BT_STR("rejected"))) {
        bt_figures_add_place(out, BT_FIGURE_REJECTED_AGENT, filter->source);
        bt_figures_add_place(out, BT_FIGURE_REJECTED_AGENT, filter->agent);
    }
    if (filter->source.len > 0 && filter->target.len > 0) {
        bt_str edge = BT_STR("");
        BT_TRY(bt_arena_printf(arena, &edge, "%.*s>%.*s", BT_STR_ARG(filter->source),
                               BT_STR_ARG(filter->target)));
        bt_figures_add_place(out, BT_FIGURE_EDGE, edge);
    }
    if (filter->kind.len > 0 && filter->event.len > 0) {
        bt_str event = BT_STR("");
        BT_TRY(bt_arena_printf(arena, &event, "%.*s/%.*s", BT_STR_ARG(filter->kind),
                               BT_STR_ARG(filter->event)));
        bt_figures_add_place(out, BT_FIGURE_EVENT, event);
    }
    bt_figures_add_place(out, BT_FIGURE_AGENT, filter->source);
    bt_figures_add_place(out, BT_FIGURE_AGENT, filter->target);
    bt_figures_add_place(out, BT_FIGURE_AGENT, filter->agent);
    bt_figures_add_place(out, BT_FIGURE_KIND, filter->kind);
    bt_figures_add_place(out, BT_FIGURE_DIALECT, filter->dialect);
    bt_figures_add_place(out, BT_FIGURE_VERDICT, filter->verdict);
    return BT_OK;
}

/* Accepted documents spell their trace id in lower case; otherwise every spelling is searched. */
static bool is_small(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] >= 'A' && text.ptr[i] <= 'Z') {
            return false;
        }
    }
    return true;
}

bool bt_op_read_handoffs(struct bt_call *work, const struct bt_handoff_filter *filter,
                         struct bt_ledger_entries *out)
{
    struct bt_op_handoff_selection selection = {work, filter,
                                                filter->dialect.len + filter->source.len +
                                                        filter->target.len + filter->agent.len +
                                                        filter->code.len + filter->event.len >
                                                    0};
    struct bt_figures_places places;
    struct bt_findings *alarms = bt_findings_new(work->arena);
    struct bt_error error;
    const struct bt_ledger_filter how = {
        .count = filter->limit,
        .from = !filter->is_rising  ? BT_LEDGER_SEQ_NONE
                : filter->has_after ? filter->after + 1
                                    : 0,
        .kind = filter->kind,
        .verdict = filter->verdict,
        .handoff_id = filter->handoff_id,
        .trace_id = filter->trace_id,
        .is_exact = is_small(filter->trace_id),
        .has_since = filter->has_since,
        .has_until = filter->has_until,
        .since = filter->since,
        .until = filter->until,
        .before = filter->has_after && !filter->is_rising ? filter->after : 0,
        .scan_max = ENTRY_SCAN_MAX,
        .places = &places,
        .accept = matches_filter,
        .context = &selection,
    };
    *out = (struct bt_ledger_entries){.last = BT_LEDGER_SEQ_NONE};
    if (filter->has_after && !filter->is_rising && filter->after == 0) {
        return true; /* only the first is needed */
    }
    if (alarms && find_places(work->arena, filter, &places) == BT_OK &&
        bt_ledger_list_entries(work->service->ledger, work->arena, &how, alarms, out, &error) ==
            BT_OK &&
        bt_findings_count(alarms) == 0) {
        return true;
    }
    (void)bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE, "the ledger cannot be read");
    return false;
}

static void put_list(struct bt_call *work, const struct bt_handoff_filter *filter,
                     const struct bt_ledger_head *head, const struct bt_ledger_entries *found)
{
    struct bt_emit emit;
    bt_emit_init(&emit, &work->answer->body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "origin", head->origin);
    bt_emit_member_u64(&emit, "size", head->size);
    bt_emit_name(&emit, "entries");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < found->count; i++) {
        bt_entry_fields_emit(&emit, &found->items[filter->is_rising ? i : found->count - 1 - i]);
    }
    bt_emit_end(&emit);
    bt_emit_name(&emit, "next");
    if (found->is_truncated) {
        bt_emit_u64(&emit, found->last);
    } else {
        bt_emit_null(&emit);
    }
    bt_emit_end(&emit);
    work->answer->kind = ANSWER_DONE;
}

_Static_assert((int)BT_ARG_HANDOFF_STREAM_AFTER == (int)BT_ARG_HANDOFF_LIST_AFTER,
               "a list and a stream have the same filters in the same order");

void bt_handoff_filter_read(const struct bt_args *args, struct bt_handoff_filter *out)
{
    *out = (struct bt_handoff_filter){
        .dialect = bt_args_text(args, BT_ARG_HANDOFF_LIST_DIALECT),
        .verdict = bt_args_text(args, BT_ARG_HANDOFF_LIST_VERDICT),
        .kind = bt_args_text(args, BT_ARG_HANDOFF_LIST_KIND),
        .handoff_id = bt_args_text(args, BT_ARG_HANDOFF_LIST_HANDOFF_ID),
        .trace_id = bt_args_text(args, BT_ARG_HANDOFF_LIST_TRACE_ID),
        .source = bt_args_text(args, BT_ARG_HANDOFF_LIST_SOURCE),
        .target = bt_args_text(args, BT_ARG_HANDOFF_LIST_TARGET),
        .agent = bt_args_text(args, BT_ARG_HANDOFF_LIST_AGENT),
        .code = bt_args_text(args, BT_ARG_HANDOFF_LIST_CODE),
        .event = bt_args_text(args, BT_ARG_HANDOFF_LIST_EVENT),
        .has_after = bt_args_has(args, BT_ARG_HANDOFF_LIST_AFTER),
        .after = bt_args_number(args, BT_ARG_HANDOFF_LIST_AFTER, 0),
        .limit = bt_args_number(args, BT_ARG_HANDOFF_LIST_LIMIT, BT_LIST_LIMIT_DEFAULT),
        .is_rising = bt_str_eq(bt_args_text(args, BT_ARG_HANDOFF_LIST_ORDER), BT_STR("asc"))};
    out->has_since = bt_args_instant(args, BT_ARG_HANDOFF_LIST_SINCE, &out->since);
    out->has_until = bt_args_instant(args, BT_ARG_HANDOFF_LIST_UNTIL, &out->until);
}

enum bt_status bt_op_handoff_list(struct bt_call *work, const struct bt_args *args)
{
    struct bt_handoff_filter filter;
    struct bt_ledger_entries found;
    struct bt_ledger_head head;
    bt_handoff_filter_read(args, &filter);
    if (!bt_op_read_head(work, &head) || !bt_op_read_handoffs(work, &filter, &found)) {
        return BT_OK;
    }
    put_list(work, &filter, &head, &found);
    return work->answer->body.status;
}

/* ---- Submissions ----------------------------------------------------------------------------- */

/* Submit the document of a call; a dialect takes the place of that in the arguments. */
static enum bt_status submit_as(struct bt_call *call, const struct bt_args *args,
                                enum bt_dialect_id dialect)
{
    struct bt_check_request request;
    enum bt_status status = bt_op_request_read(call, args, OPTION_SUBMIT, 0, &request);
    if (status == BT_OK && call->answer->kind == 0) {
        request.dialect = dialect ? dialect : request.dialect;
        status = bt_op_handoff_submit(call, &request);
    }
    bt_op_request_end(&request);
    return status;
}

enum bt_status bt_op_submit(struct bt_call *call, const struct bt_args *args)
{
    return submit_as(call, args, BT_DIALECT_NONE);
}

enum bt_status bt_op_submit_governed(struct bt_call *call, const struct bt_args *args)
{
    return submit_as(call, args, BT_DIALECT_GOVERNED);
}

enum bt_status bt_op_submit_response(struct bt_call *call, const struct bt_args *args)
{
    return submit_as(call, args, BT_DIALECT_RESPONSE);
}

enum bt_status bt_op_submit_message(struct bt_call *call, const struct bt_args *args)
{
    return submit_as(call, args, BT_DIALECT_XML);
}

enum bt_status bt_op_dispatch(struct bt_call *call, const struct bt_args *args)
{
    return bt_op_run_document(call, args, OPTION_SUBMIT, BT_DIALECT_NONE, bt_op_governed_dispatch);
}
