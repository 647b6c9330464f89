/* SPDX-License-Identifier: Apache-2.0 */
/* history.c - entries and records of calls -> lists, comparisons, counts. */
#include "wrap/history.h"

#include <stdlib.h>
#include <string.h>

#include "json/emit.h"
#include "json/get.h"
#include "json/options.h"
#include "report/rules.h"

enum { TOOLS_MAX = 100000 };

static const bt_str MESSAGE_PREFIX = BT_STR_INIT("mcp:");
static const bt_str ACTOR_PREFIX = BT_STR_INIT("wrap/");

/* ---- One entry ----------------------------------------------------------------------------- */

static bt_str text_of(const struct bt_json_doc *document, const bt_json_value *object,
                      const char *name)
{
    return bt_json_get_text(document, object, bt_str_of(name));
}

/* Read a text of the ledger; *out is NULL when it is not JSON. */
static enum bt_status read_text(const struct bt_wrap_memory *memory, bt_str text,
                                const struct bt_json_doc **out)
{
    struct bt_json_options options = bt_json_options_from_env(memory->env);
    struct bt_json_read_result read = {0};
    options.document_bytes_max = text.len + 1;
    options.string_bytes_max = text.len + 1;
    /* from: store */
    BT_TRY(bt_json_read(memory->arena, text, &options, &read));
    *out = read.document;
    return BT_OK;
}

/* The server is what stands before the first slash: names of servers have none. */
static void split_target(bt_str target, struct bt_wrap_past_call *call)
{
    const size_t slash = bt_str_find_byte(target, '/', 0);
    call->server = bt_str_slice(target, 0, slash);
    call->tool = bt_str_slice(target, slash < target.len ? slash + 1 : slash, target.len);
}

/* Take what an entry says. False: it is not an entry of `baton wrap`. */
static bool take_entry(const struct bt_json_doc *document, struct bt_wrap_past_call *call)
{
    const bt_json_value *entry = bt_json_root(document);
    const bt_json_value *refs = bt_json_get(document, entry, BT_STR("refs"));
    const bt_str message = text_of(document, refs, "message");
    const bt_str actor = text_of(document, entry, "actor");
    if (!bt_str_eq(text_of(document, entry, "kind"), BT_STR("raw")) ||
        !bt_str_starts_with(message, MESSAGE_PREFIX)) {
        return false;
    }
    *call =
        (struct bt_wrap_past_call){.seq = call->seq,
                                   .time = text_of(document, entry, "time"),
                                   .method = bt_str_slice(message, MESSAGE_PREFIX.len, message.len),
                                   .event = bt_wrap_event_find(text_of(document, refs, "event")),
                                   .verdict = text_of(document, entry, "verdict"),
                                   .source = text_of(document, entry, "source"),
                                   .session = text_of(document, refs, "thread"),
                                   .trace_id = text_of(document, entry, "trace_id"),
                                   .approval = text_of(document, refs, "approval"),
                                   .actor = actor,
                                   .entry = document};
    split_target(text_of(document, entry, "target"), call);
    if (call->server.len == 0 && bt_str_starts_with(actor, ACTOR_PREFIX)) {
        call->server = bt_str_slice(actor, ACTOR_PREFIX.len, actor.len);
    }
    return true;
}

bool bt_wrap_past_call_is_call(const struct bt_wrap_past_call *call)
{
    return call->event != BT_WRAP_EVENT_CHANGED && call->event != BT_WRAP_EVENT_GAP &&
           bt_str_eq(call->method, BT_STR("tools/call"));
}

static uint64_t number_of(const bt_json_value *value)
{
    return value && bt_json_type(value) == BT_JSON_INTEGER && value->as.integer > 0
               ? (uint64_t)value->as.integer
               : 0;
}

/* Take what only the record has; names that an entry cannot have are there. */
static void take_record(struct bt_wrap_past_call *call)
{
    const struct bt_json_doc *record = call->record;
    const bt_json_value *root = bt_json_root(record);
    const bt_json_value *tokens = bt_json_get(record, root, BT_STR("tokens"));
    const uint64_t text = number_of(bt_json_get(record, tokens, BT_STR("text")));
    const uint64_t structured = number_of(bt_json_get(record, tokens, BT_STR("structured")));
    call->server = text_of(record, root, "server");
    call->tool = text_of(record, root, "name");
    call->ms = bt_json_get(record, root, BT_STR("ms"));
    call->cost = bt_json_get(record, root, BT_STR("cost"));
    call->has_tokens = tokens != NULL;
    call->tokens = text > structured ? text : structured;
}

/* Read an entry and its record. *out_is_call is false when it is another entry. */
static enum bt_status read_call(const struct bt_wrap_history *history,
                                const struct bt_ledger_entry *entry, struct bt_wrap_past_call *call,
                                bool *out_is_call, struct bt_error *error)
{
    const struct bt_json_doc *document = NULL;
    struct bt_ledger_entry_view view = {0};
    BT_TRY(read_text(&history->memory, entry->text, &document));
    call->seq = entry->seq;
    *out_is_call = document && take_entry(document, call);
    if (!*out_is_call) {
        return BT_OK;
    }
    BT_TRY(bt_ledger_get_entry(history->ledger, history->memory.arena, entry->seq, history->alarms,
                               &view, error));
    if (view.state == BT_DOCUMENT_STORED) {
        BT_TRY(read_text(&history->memory, view.bytes, &call->record));
    }
    if (call->record) {
        take_record(call);
    }
    return BT_OK;
}

/* ---- Lists --------------------------------------------------------------------------------- */

static bool is_match(bt_str wanted, bt_str text)
{
    return wanted.len == 0 || bt_str_eq(wanted, text);
}

static bool is_wanted(const struct bt_wrap_history_filter *filter,
                      const struct bt_wrap_past_call *call)
{
    return is_match(filter->server, call->server) && is_match(filter->tool, call->tool) &&
           is_match(filter->session, call->session) && is_match(filter->actor, call->actor) &&
           (filter->event == BT_WRAP_EVENT_NONE || filter->event == call->event);
}

/* What a list is made with. */
struct wrap_history_search {
    const struct bt_wrap_history *history;
    const struct bt_wrap_history_filter *filter;
    struct bt_arena scratch; /* for one entry at a time */
    enum bt_status status;
    struct bt_error *error;
};

/* True when an entry is a wanted call. Its record is read again for those that are listed. */
static bool accept_entry(void *context, bt_str text)
{
    struct wrap_history_search *search = context;
    struct bt_wrap_history history = *search->history;
    struct bt_wrap_past_call call = {0};
    const struct bt_json_doc *document = NULL;
    bt_arena_reset(&search->scratch);
    history.memory.arena = &search->scratch;
    if (search->status == BT_OK) {
        search->status = read_text(&history.memory, text, &document);
    }
    if (search->status != BT_OK || !document || !take_entry(document, &call)) {
        return false;
    }
    const bt_json_value *seq = bt_json_get(document, bt_json_root(document), BT_STR("seq"));
    const struct bt_ledger_entry entry = {.seq = number_of(seq), .text = text};
    bool is_call = false;
    /* An entry that withholds its target, or has none, has both names in its record. */
    if ((call.tool.len == 0 && search->filter->tool.len > 0) ||
        (call.server.len == 0 && search->filter->server.len > 0)) {
        search->status = read_call(&history, &entry, &call, &is_call, search->error);
    }
    return search->status == BT_OK && is_wanted(search->filter, &call);
}

static enum bt_status read_calls(const struct bt_wrap_history *history,
                                 const struct bt_ledger_entries *entries,
                                 struct bt_wrap_past_calls *out, struct bt_error *error)
{
    struct bt_wrap_past_call *calls =
        BT_NEW_ARRAY(history->memory.arena, struct bt_wrap_past_call, entries->count + 1);
    BT_TRY(calls ? BT_OK : BT_ENOMEM);
    *out = (struct bt_wrap_past_calls){.items = calls, .last = entries->last};
    for (size_t i = 0; i < entries->count; i++) {
        bool is_call = false;
        BT_TRY(read_call(history, &entries->items[i], &calls[out->count], &is_call, error));
        out->count += is_call;
    }
    return BT_OK;
}

enum bt_status bt_wrap_history_list(const struct bt_wrap_history *history,
                                    const struct bt_wrap_history_filter *filter,
                                    struct bt_wrap_past_calls *out, struct bt_error *error)
{
    struct wrap_history_search search = {.history = history, .filter = filter, .error = error};
    struct bt_ledger_filter entries_filter = filter->entries;
    struct bt_ledger_entries entries = {0};
    entries_filter.kind = BT_STR("raw");
    entries_filter.accept = accept_entry;
    entries_filter.context = &search;
    bt_arena_init(&search.scratch, SIZE_MAX);
    enum bt_status status = bt_ledger_list_entries(
        history->ledger, history->memory.arena, &entries_filter, history->alarms, &entries, error);
    bt_arena_free(&search.scratch);
    status = status == BT_OK ? search.status : status;
    return status == BT_OK ? read_calls(history, &entries, out, error) : status;
}

struct bt_wrap_history_filter
bt_wrap_history_first_page(const struct bt_wrap_history_filter *filter)
{
    struct bt_wrap_history_filter page = *filter;
    page.entries.count = BT_WRAP_HISTORY_PAGE;
    page.entries.from = 0;
    return page;
}

bool bt_wrap_history_turn_page(const struct bt_wrap_history *history,
                               const struct bt_wrap_past_calls *calls,
                               struct bt_wrap_history_filter *page)
{
    page->entries.from = calls->count > 0 ? calls->items[calls->count - 1].seq + 1 : 0;
    return calls->count == BT_WRAP_HISTORY_PAGE && bt_findings_count(history->alarms) == 0;
}

enum bt_status bt_wrap_history_get(const struct bt_wrap_history *history, uint64_t seq,
                                   struct bt_wrap_past_call *out, struct bt_error *error)
{
    struct bt_ledger_entry entry;
    bool is_call = false;
    BT_TRY(bt_ledger_read_entry(history->ledger, history->memory.arena, seq, history->alarms,
                                &entry, error));
    if (bt_findings_count(history->alarms) > 0) {
        return BT_OK;
    }
    *out = (struct bt_wrap_past_call){0};
    BT_TRY(read_call(history, &entry, out, &is_call, error));
    return is_call ? BT_OK
                   : bt_error_set(error, BT_EINVAL, "the entry is not a call of a wrapped server");
}

/* ---- Output -------------------------------------------------------------------------------- */

static void put_text_or_null(struct bt_emit *emit, const char *name, bt_str text)
{
    if (text.len > 0) {
        bt_emit_member_string(emit, name, text);
    } else {
        bt_emit_member_null(emit, name);
    }
}

static void put_codes(struct bt_emit *emit, const struct bt_json_doc *entry)
{
    const bt_json_value *codes = bt_json_get(entry, bt_json_root(entry), BT_STR("codes"));
    bt_emit_member_array(emit, "codes");
    for (size_t i = 0; codes && i < bt_json_count(codes); i++) {
        bt_emit_string(emit, bt_json_text(&bt_json_items(codes)[i]));
    }
    bt_emit_end(emit);
}

void bt_wrap_past_call_emit(struct bt_emit *emit, const struct bt_wrap_past_call *call)
{
    bt_emit_begin_object(emit);
    bt_emit_member_u64(emit, "seq", call->seq);
    bt_emit_member_string(emit, "time", call->time);
    put_text_or_null(emit, "server", call->server);
    put_text_or_null(emit, "tool", call->tool);
    bt_emit_member_string(emit, "event", bt_wrap_event_name(call->event));
    bt_emit_member_string(emit, "verdict", call->verdict);
    put_codes(emit, call->entry);
    bt_emit_member_u64_or_null(emit, "ms", call->ms != NULL, number_of(call->ms));
    bt_emit_member_u64_or_null(emit, "tokens", call->has_tokens, call->tokens);
    put_text_or_null(emit, "source", call->source);
    put_text_or_null(emit, "session", call->session);
    put_text_or_null(emit, "trace_id", call->trace_id);
    put_text_or_null(emit, "approval", call->approval);
    bt_emit_end(emit);
}

/* ---- Comparisons --------------------------------------------------------------------------- */

enum bt_status bt_wrap_past_call_compare(const struct bt_wrap_past_call *call,
                                         enum bt_wrap_compared which,
                                         const struct bt_json_doc *given,
                                         struct bt_findings *findings, bool *out_is_known)
{
    static const struct {
        const char *names[2]; /* what the client got, when the server answered nothing */
        bt_str pointer;
    } parts[] = {
        [BT_WRAP_COMPARED_REQUEST] = {{"request", NULL}, BT_STR_INIT("/request")},
        [BT_WRAP_COMPARED_RESPONSE] = {{"response", "delivered"}, BT_STR_INIT("/response")}};
    const bt_json_value *root = call->record ? bt_json_root(call->record) : NULL;
    const bt_json_value *part = NULL;
    struct bt_wrap_part actual;
    *out_is_known = call->record != NULL;
    for (size_t i = 0; root && i < 2 && parts[which].names[i] && !(part && bt_json_members(part));
         i++) {
        part = bt_json_get(call->record, root, bt_str_of(parts[which].names[i]));
    }
    if (!*out_is_known) {
        return BT_OK;
    }
    BT_TRY(bt_wrap_part_of(bt_findings_arena(findings), given, bt_json_root(given), &actual));
    const bt_str recorded = bt_json_get_text(call->record, part, BT_STR("sha256"));
    if (bt_str_eq(recorded, bt_str_of(actual.sha256))) {
        return BT_OK;
    }
    return bt_add_receipt_document_mismatch(
        findings, bt_location_pointer(parts[which].pointer, BT_OFFSET_NONE),
        recorded.len > 0 ? recorded : BT_STR_ABSENT, bt_str_of(actual.sha256),
        BT_RECEIPT_DOCUMENT_MISMATCH_SUBJECT_DOCUMENT);
}

/* ---- Counting ------------------------------------------------------------------------------ */

struct wrap_counting {
    struct bt_arena *arena;
    struct bt_map by_name; /* SERVER/TOOL -> index */
    BT_VEC(struct bt_wrap_tool_stats) tools;
};

static enum bt_status find_tool(struct wrap_counting *counting,
                                const struct bt_wrap_past_call *call,
                                struct bt_wrap_tool_stats **out)
{
    struct bt_map_entry *entry = NULL;
    struct bt_wrap_tool_stats made = {0};
    bt_str key;
    BT_TRY(bt_arena_printf(counting->arena, &key, "%.*s/%.*s", BT_STR_ARG(call->server),
                           BT_STR_ARG(call->tool)));
    const uint32_t known = counting->by_name.count;
    BT_TRY(bt_map_add(&counting->by_name, bt_map_text(key), &entry));
    if (counting->by_name.count > known) {
        made.server = bt_str_slice(key, 0, call->server.len);
        made.tool = bt_str_slice(key, call->server.len + 1, key.len);
        entry->value.number = counting->tools.count;
        BT_TRY(bt_vec_push_max(counting->arena, &counting->tools, TOOLS_MAX, made));
    }
    *out = &counting->tools.items[entry->value.number];
    return BT_OK;
}

static enum bt_status count_call(struct wrap_counting *counting,
                                 const struct bt_wrap_past_call *call)
{
    struct bt_wrap_tool_stats *stats = NULL;
    if (!bt_wrap_past_call_is_call(call)) {
        return BT_OK;
    }
    BT_TRY(find_tool(counting, call, &stats));
    stats->calls++;
    stats->returned += call->event == BT_WRAP_EVENT_RETURNED;
    stats->failed += call->event == BT_WRAP_EVENT_FAILED;
    stats->refused += call->event == BT_WRAP_EVENT_REFUSED;
    stats->tokens += call->tokens;
    stats->cost += number_of(call->cost);
    return call->ms ? bt_vec_push(counting->arena, &stats->ms, number_of(call->ms)) : BT_OK;
}

static int compare_stats(const void *a, const void *b)
{
    const struct bt_wrap_tool_stats *one = a;
    const struct bt_wrap_tool_stats *other = b;
    const int by_server = bt_str_compare(one->server, other->server);
    return by_server != 0 ? by_server : bt_str_compare(one->tool, other->tool);
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a;
    const uint64_t other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

static void sort_counts(struct wrap_counting *counting)
{
    for (size_t i = 0; i < counting->tools.count; i++) {
        struct bt_wrap_tool_stats *stats = &counting->tools.items[i];
        if (stats->ms.count > 1) {
            qsort(stats->ms.items, stats->ms.count, sizeof(uint64_t), compare_numbers);
        }
    }
    if (counting->tools.count > 1) {
        qsort(counting->tools.items, counting->tools.count, sizeof(struct bt_wrap_tool_stats),
              compare_stats);
    }
}

enum bt_status bt_wrap_history_count(const struct bt_wrap_history *history,
                                     const struct bt_wrap_history_filter *filter,
                                     struct bt_wrap_tool_stats **out, size_t *out_count,
                                     struct bt_error *error)
{
    struct wrap_counting counting = {.arena = history->memory.arena};
    struct bt_wrap_history page_history = *history;
    struct bt_wrap_history_filter page = bt_wrap_history_first_page(filter);
    struct bt_wrap_past_calls calls = {0};
    struct bt_arena scratch;
    enum bt_status status = BT_OK;
    bt_map_init(&counting.by_name, counting.arena, history->memory.env->hash_seed);
    bt_arena_init(&scratch, SIZE_MAX);
    page_history.memory.arena = &scratch;
    do { /* ends with the log: each page begins behind the one before */
        bt_arena_reset(&scratch);
        status = bt_wrap_history_list(&page_history, &page, &calls, error);
        for (size_t i = 0; status == BT_OK && i < calls.count; i++) {
            status = count_call(&counting, &calls.items[i]);
        }
    } while (status == BT_OK && bt_wrap_history_turn_page(history, &calls, &page));
    bt_arena_free(&scratch);
    sort_counts(&counting);
    *out = counting.tools.items;
    *out_count = counting.tools.count;
    return status;
}

uint64_t bt_wrap_percentile(const uint64_t *sorted, size_t count, unsigned percent)
{
    const size_t rank = (count * percent + 99) / 100;
    return sorted[rank > 0 ? rank - 1 : 0];
}
