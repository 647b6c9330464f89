/* SPDX-License-Identifier: Apache-2.0 */
/* gate.c - requests for prompts and resources, and the lists that held requests wait for. */
#include "wrap/gate.h"

#include <string.h>

#include "json/emit.h"
#include "json/get.h"
#include "wrap/call.h"
#include "wrap/session_internal.h"

enum { LIST_MS = 10000, OWN_PAGES_MAX = 1000, METADATA_BYTES_MAX = 1 << 20 };

static const bt_str METADATA_PREFIX = BT_STR_INIT("io.modelcontextprotocol/");

void bt_wrap_gate_init(struct bt_wrap_session *session)
{
    bt_object_pool_init(&session->held.pool, &session->arena, sizeof(struct bt_wrap_held));
}

void bt_wrap_gate_free(struct bt_wrap_session *session)
{
    for (struct bt_wrap_held *held = session->held.first; held; held = held->next) {
        bt_buf_destroy(held->line);
    }
}

/* ---- Refusals -------------------------------------------------------------------------------- */

enum bt_status bt_wrap_refuse_by_error(struct bt_wrap_session *session, enum bt_wrap_side from,
                                       struct bt_wrap_request *request,
                                       const struct bt_findings *findings)
{
    const uint64_t room = session->settings->policy.limits.buffer_bytes;
    const struct bt_wrap_answer answer = bt_wrap_refusal_answer(
        &request->id, bt_findings_at(findings, bt_findings_count(findings) - 1));
    BT_TRY(bt_wrap_call_refuse(session, request, findings, BT_WRAP_REFUSED_BY_ERROR));
    /* A server that does not read is not sent more answers than a direction may hold. */
    if (from == BT_WRAP_CLIENT || session->to[BT_WRAP_SERVER].len <= room) {
        bt_wrap_put_error(session, from, &answer);
    }
    bt_wrap_requests_remove(&session->open[from], request);
    return BT_OK;
}

/* Refuse a request that is not a call, and forget it. */
static enum bt_status refuse_with(struct bt_wrap_session *session, struct bt_wrap_request *request,
                                  struct bt_findings *findings)
{
    BT_TRY(bt_wrap_add_all(session, findings));
    return session->pins.must_block /* all open requests get the same error */
               ? BT_OK
               : bt_wrap_refuse_by_error(session, BT_WRAP_CLIENT, request, findings);
}

static enum bt_status refuse_hidden(struct bt_wrap_session *session,
                                    struct bt_wrap_request *request, bt_str key,
                                    enum bt_wrap_hidden hidden)
{
    struct bt_findings *findings = bt_findings_new(&session->message);
    bt_str pointer;
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_wrap_item_pointer(&session->message, request->kind, key, &pointer));
    BT_TRY(bt_add_wrap_tool_hidden(findings, bt_location_pointer(pointer, BT_OFFSET_NONE),
                                   (enum bt_wrap_tool_hidden_reason)hidden, key));
    return refuse_with(session, request, findings);
}

static enum bt_status refuse_unlisted(struct bt_wrap_session *session,
                                      struct bt_wrap_request *request)
{
    const unsigned reason = session->pins.kinds[request->kind].failure;
    struct bt_findings *findings = bt_findings_new(&session->message);
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_add_wrap_catalogue_missing(findings, BT_SEVERITY_HARD, bt_location_whole(),
                                         (enum bt_wrap_catalogue_missing_reason)reason));
    return refuse_with(session, request, findings);
}

/* ---- Our own lists --------------------------------------------------------------------------- */

/* Keep the metadata of a modern request for the lists that it needs. */
static enum bt_status save_metadata(struct bt_wrap_session *session,
                                    const struct bt_wrap_message *message)
{
    const struct bt_json_doc *document = message->document;
    const bt_json_value *metadata = bt_json_get(document, message->params, BT_STR("_meta"));
    const struct bt_json_member *members = metadata ? bt_json_members(metadata) : NULL;
    struct bt_emit emit;
    bt_buf_destroy(session->pins.metadata);
    session->pins.metadata = bt_buf_create(METADATA_BYTES_MAX);
    BT_TRY(session->pins.metadata ? BT_OK : BT_ENOMEM);
    bt_emit_init(&emit, session->pins.metadata, false);
    bt_emit_begin_object(&emit);
    for (size_t i = 0; members && i < bt_json_count(metadata); i++) {
        const bt_str name = bt_json_name(&members[i]);
        if (bt_str_starts_with(name, METADATA_PREFIX) &&
            !bt_str_ends_with(name, BT_STR("/logLevel"))) {
            bt_emit_name_str(&emit, name);
            bt_emit_value(&emit);
            BT_TRY(bt_json_write(session->pins.metadata, document, &members[i].value,
                                 BT_JSON_FORM_COMPACT, &session->message, NULL));
        }
    }
    bt_emit_end(&emit);
    return BT_OK;
}

/* Keep the digest of the params of a list request. */
static enum bt_status note_list_params(struct bt_wrap_catalogue *catalogue,
                                       const bt_json_value *cursor)
{
    struct bt_buf buf;
    bt_buf_init(&buf, METADATA_BYTES_MAX);
    bt_buf_put_char(&buf, '{');
    if (cursor) {
        bt_buf_put_text(&buf, "\"cursor\":");
        bt_json_put_string(&buf, bt_json_text(cursor));
    }
    bt_buf_put_char(&buf, '}');
    const enum bt_status status =
        buf.status == BT_OK ? bt_wrap_part_set_text(&catalogue->list_params, bt_buf_str(&buf))
                            : buf.status;
    bt_buf_free(&buf);
    return status;
}

static enum bt_status put_list_request(struct bt_wrap_session *session, enum bt_wrap_kind kind,
                                       const bt_json_value *cursor)
{
    struct bt_wrap_catalogue *catalogue = &session->pins.kinds[kind];
    struct bt_buf *out = &session->to[BT_WRAP_SERVER];
    const struct bt_buf *metadata = session->pins.metadata;
    struct bt_emit emit;
    BT_TRY(note_list_params(catalogue, cursor));
    catalogue->request = ++session->pins.requests;
    catalogue->pages++;
    bt_emit_init(&emit, out, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "jsonrpc", BT_STR("2.0"));
    bt_emit_name(&emit, "id");
    bt_emit_value(&emit);
    bt_buf_printf(out, "\"baton-%llu\"", (unsigned long long)catalogue->request);
    bt_emit_member_string(&emit, "method", bt_wrap_kind_names(kind)->method);
    bt_emit_member_object(&emit, "params");
    if (cursor) {
        bt_emit_member_string(&emit, "cursor", bt_json_text(cursor));
    }
    if (metadata) {
        bt_emit_member_raw(&emit, "_meta", bt_buf_str(metadata));
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_buf_put_char(out, '\n');
    return BT_OK;
}

enum bt_status bt_wrap_gate_list(struct bt_wrap_session *session, enum bt_wrap_kind kind)
{
    struct bt_wrap_catalogue *catalogue = &session->pins.kinds[kind];
    const bool is_modern = session->facts.era == BT_WRAP_ERA_MODERN;
    if (catalogue->listing == BT_WRAP_LISTING) {
        return BT_OK;
    }
    if (is_modern ? !session->pins.metadata : !session->pins.is_initialized) {
        /* A later request may find the session initialized, so this is not remembered. */
        catalogue->failure = BT_WRAP_CATALOGUE_MISSING_REASON_UNINITIALIZED;
        return BT_OK;
    }
    catalogue->listing = BT_WRAP_LISTING;
    catalogue->pages = 0;
    catalogue->deadline_ms = session->now_ms + LIST_MS;
    return put_list_request(session, kind, NULL);
}

enum bt_status bt_wrap_gate_begin_list(struct bt_wrap_session *session,
                                       const struct bt_wrap_message *message,
                                       const struct bt_wrap_request *request)
{
    if (session->pins.kinds[request->kind].listing != BT_WRAP_UNLISTED) {
        return BT_OK;
    }
    if (request->is_modern) {
        BT_TRY(save_metadata(session, message));
    }
    return bt_wrap_gate_list(session, request->kind);
}

/* ---- Held requests --------------------------------------------------------------------------- */

enum bt_status bt_wrap_gate_hold(struct bt_wrap_session *session, struct bt_wrap_request *request,
                                 bt_str line, struct bt_wrap_held **out)
{
    struct bt_wrap_queue *queue = &session->held;
    struct bt_wrap_held *held = bt_object_pool_acquire(&queue->pool);
    BT_TRY(held ? BT_OK : BT_ENOMEM);
    held->line = bt_buf_create(line.len + 1);
    BT_TRY(held->line ? BT_OK : BT_ENOMEM);
    bt_buf_put(held->line, line);
    BT_TRY(bt_buf_status(held->line));
    held->id = request->id;
    held->kind = request->kind;
    request->is_held = true;
    *(queue->last ? &queue->last->next : &queue->first) = held;
    queue->last = held;
    queue->count++;
    queue->bytes += line.len;
    *out = held;
    return BT_OK;
}

static void drop_held(struct bt_wrap_session *session, struct bt_wrap_held *held)
{
    session->held.count--;
    session->held.questions -= held->question > 0 && !held->is_repeated;
    session->held.bytes -= held->line->len;
    bt_buf_destroy(held->line);
    bt_object_pool_release(&session->held.pool, held);
}

/* Decide about every request that waited for this list or question, in their order. */
static enum bt_status release_held(struct bt_wrap_session *session, enum bt_wrap_kind kind,
                                   uint64_t question)
{
    struct bt_wrap_held *held = session->held.first;
    enum bt_status status = BT_OK;
    session->held.first = NULL;
    session->held.last = NULL;
    while (held) {
        struct bt_wrap_held *next = held->next;
        held->next = NULL;
        struct bt_wrap_request *request =
            bt_wrap_requests_find(&session->open[BT_WRAP_CLIENT], &held->id);
        if (held->kind != kind || held->question != question || status != BT_OK) { /* it waits on */
            *(session->held.last ? &session->held.last->next : &session->held.first) = held;
            session->held.last = held;
        } else {
            struct bt_wrap_message message;
            bt_str line;
            status = bt_arena_copy(&session->message, bt_buf_str(held->line), &line);
            drop_held(session, held);
            if (status == BT_OK) {
                status =
                    bt_wrap_message_read(&session->message, session->env, line,
                                         session->settings->policy.limits.message_bytes, &message);
            }
            if (status == BT_OK && request) {
                request->is_held = false;
                status = bt_wrap_gate_request(session, &message, request, line);
            }
        }
        held = next;
    }
    return status;
}

struct bt_wrap_held *bt_wrap_gate_find_question(const struct bt_wrap_session *session,
                                                uint64_t number)
{
    struct bt_wrap_held *held = session->held.first;
    while (held && (held->question != number || held->is_repeated)) {
        held = held->next;
    }
    return held;
}

enum bt_status bt_wrap_gate_release_question(struct bt_wrap_session *session, uint64_t number)
{
    return release_held(session, BT_WRAP_TOOL, number);
}

enum bt_status bt_wrap_gate_release_repeated(struct bt_wrap_session *session, const char *digest)
{
    const uint64_t newest = session->pins.requests; /* those that are held again wait on */
    struct bt_wrap_held *held = session->held.first;
    while (held) { /* ends, because each turn releases one that was held before */
        if (held->is_repeated && held->question <= newest &&
            strcmp(held->fingerprint, digest) == 0) {
            BT_TRY(bt_wrap_gate_release_question(session, held->question));
            held = session->held.first;
        } else {
            held = held->next;
        }
    }
    return BT_OK;
}

enum bt_status bt_wrap_session_client_ended(struct bt_wrap_session *session)
{
    struct bt_wrap_held *held = session->held.first;
    while (held) {
        struct bt_wrap_held *next = held->next;
        struct bt_wrap_request *request =
            held->question > 0 && !held->is_repeated
                ? bt_wrap_requests_find(&session->open[BT_WRAP_CLIENT], &held->id)
                : NULL;
        if (request) {
            request->is_cancelled = true;
            session->open[BT_WRAP_CLIENT].unawaited++;
            bt_wrap_gate_cancel(session, request);
            BT_TRY(bt_wrap_lose_request(session, request));
        }
        held = next;
    }
    return BT_OK;
}

void bt_wrap_gate_cancel(struct bt_wrap_session *session, const struct bt_wrap_request *request)
{
    struct bt_wrap_held *before = NULL;
    struct bt_wrap_held *held = session->held.first;
    while (held && (held->id.is_text != request->id.is_text ||
                    held->id.number != request->id.number || held->id.size != request->id.size ||
                    memcmp(held->id.text, request->id.text, held->id.size) != 0)) {
        before = held;
        held = held->next;
    }
    if (held) {
        *(before ? &before->next : &session->held.first) = held->next;
        session->held.last = session->held.last == held ? before : session->held.last;
        drop_held(session, held);
    }
}

/* ---- Requests -------------------------------------------------------------------------------- */

/* Pass a request that is not a call on, unless it must be recorded and cannot be. */
static enum bt_status pass_request(struct bt_wrap_session *session, struct bt_wrap_request *request,
                                   bt_str line)
{
    struct bt_findings *findings = bt_findings_new(&session->message);
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    if (bt_wrap_call_needs_store(session, request)) {
        BT_TRY(bt_wrap_refuse_unrecorded(session, findings, false));
        return refuse_with(session, request, findings);
    }
    bt_wrap_pass(session, BT_WRAP_SERVER, line);
    return BT_OK;
}

/* Requests for prompts and resources that are pinned. */
static enum bt_status take_use(struct bt_wrap_session *session,
                               const struct bt_wrap_message *message,
                               struct bt_wrap_request *request, bt_str key, bt_str line)
{
    const bool is_shown = bt_wrap_pins_find(session, request->kind, key) != NULL;
    const struct bt_wrap_items *locked = &session->entry->items[request->kind];
    const enum bt_wrap_pinning added = session->settings->policy.pin.added;
    struct bt_wrap_catalogue *catalogue = &session->pins.kinds[request->kind];
    if (!bt_wrap_items_find(locked, key) && added != BT_WRAP_PINNING_WARN) {
        session->pins.must_block = session->pins.must_block || added == BT_WRAP_PINNING_BLOCK;
        return refuse_hidden(session, request, key, BT_WRAP_HIDDEN_ADDED);
    }
    /* Reviewed; if it is not shown, the server says so. */
    if (!is_shown && catalogue->listing != BT_WRAP_LISTED &&
        !session->settings->policy.is_observing) {
        struct bt_wrap_held *held = NULL;
        BT_TRY(bt_wrap_gate_begin_list(session, message, request));
        return catalogue->listing == BT_WRAP_LISTING
                   ? bt_wrap_gate_hold(session, request, line, &held)
                   : refuse_unlisted(session, request);
    }
    return pass_request(session, request, line);
}

enum bt_status bt_wrap_gate_request(struct bt_wrap_session *session,
                                    const struct bt_wrap_message *message,
                                    struct bt_wrap_request *request, bt_str line)
{
    const struct bt_wrap_entry *entry = session->entry;
    if (request->method == BT_WRAP_METHOD_CALL) {
        return bt_wrap_call_take(session, message, request, line);
    }
    if (request->uses_item) {
        const bt_str key = bt_json_get_text(message->document, message->params,
                                            bt_wrap_kind_names(request->kind)->key);
        const struct bt_wrap_known *known = bt_wrap_pins_find(session, request->kind, key);
        if (known && known->hidden != BT_WRAP_VISIBLE) { /* without a lock for its texts */
            return refuse_hidden(session, request, key, known->hidden);
        }
        if (entry && (request->kind != BT_WRAP_RESOURCE || entry->has_resources)) {
            return take_use(session, message, request, key, line);
        }
    }
    if (session->pins.first_use.phase == BT_WRAP_FIRST_USE_TOOLS && request->is_list &&
        request->is_modern) {
        BT_TRY(save_metadata(session, message));
    }
    return pass_request(session, request, line);
}

/* ---- Answers and time ------------------------------------------------------------------------ */

static enum bt_status fail_list(struct bt_wrap_session *session, enum bt_wrap_kind kind,
                                enum bt_wrap_catalogue_missing_reason reason)
{
    session->pins.kinds[kind].listing = BT_WRAP_LIST_FAILED;
    session->pins.kinds[kind].failure = reason;
    BT_TRY(bt_wrap_first_use_advance(session));
    return release_held(session, kind, 0);
}

static enum bt_status take_page(struct bt_wrap_session *session,
                                const struct bt_wrap_message *message, enum bt_wrap_kind kind)
{
    struct bt_wrap_catalogue *catalogue = &session->pins.kinds[kind];
    const struct bt_wrap_page page = {
        .kind = kind, .walker = BT_WRAP_WALKER_OWN, .is_first = catalogue->pages == 1};
    const bool *hidden = NULL;
    if (!message->result) {
        return fail_list(session, kind, BT_WRAP_CATALOGUE_MISSING_REASON_ERROR);
    }
    const size_t before = bt_findings_count(session->findings);
    BT_TRY(bt_wrap_pins_compare(session, message, &page, &hidden));
    BT_TRY(bt_wrap_call_record_own_list(session, message, kind, before));
    const bt_json_value *next =
        bt_json_get(message->document, message->result, BT_STR("nextCursor"));
    if (next && bt_json_type(next) == BT_JSON_STRING) {
        if (catalogue->pages == OWN_PAGES_MAX) {
            return fail_list(session, kind, BT_WRAP_CATALOGUE_MISSING_REASON_ERROR);
        }
        return put_list_request(session, kind, next);
    }
    catalogue->listing = BT_WRAP_LISTED;
    BT_TRY(bt_wrap_first_use_advance(session));
    return session->pins.must_block ? BT_OK : release_held(session, kind, 0);
}

enum bt_status bt_wrap_gate_take_answer(struct bt_wrap_session *session,
                                        const struct bt_wrap_message *message, bool *out_is_ours)
{
    const bt_str prefix = BT_STR("baton-");
    const bt_str id = {message->id.text, message->id.size};
    uint64_t number = 0;
    *out_is_ours = message->id.is_text && bt_str_starts_with(id, prefix) &&
                   bt_str_to_u64(bt_str_slice(id, prefix.len, id.len), &number) == BT_OK;
    for (size_t i = 0; *out_is_ours && i < BT_WRAP_KINDS; i++) {
        const struct bt_wrap_catalogue *catalogue = &session->pins.kinds[i];
        if (catalogue->listing == BT_WRAP_LISTING && catalogue->request == number) {
            return take_page(session, message, (enum bt_wrap_kind)i);
        }
    }
    *out_is_ours = false;
    return BT_OK;
}

void bt_wrap_gate_note_change(struct bt_wrap_session *session, bt_str method)
{
    static const bt_str methods[BT_WRAP_KINDS] = {
        [BT_WRAP_TOOL] = BT_STR_INIT("notifications/tools/list_changed"),
        [BT_WRAP_PROMPT] = BT_STR_INIT("notifications/prompts/list_changed"),
        [BT_WRAP_TEMPLATE] = BT_STR_INIT("notifications/resources/list_changed"),
        [BT_WRAP_RESOURCE] = BT_STR_INIT("notifications/resources/list_changed"),
    };
    for (size_t i = 0; i < BT_WRAP_KINDS; i++) {
        struct bt_wrap_catalogue *catalogue = &session->pins.kinds[i];
        if (bt_str_eq(method, methods[i]) && catalogue->listing != BT_WRAP_LISTING) {
            catalogue->listing = BT_WRAP_UNLISTED;
            catalogue->failure_is_reported = false;
        }
    }
}

uint64_t bt_wrap_session_deadline(const struct bt_wrap_session *session)
{
    uint64_t deadline = bt_wrap_calls_deadline(session);
    for (size_t i = 0; i < BT_WRAP_KINDS; i++) {
        const struct bt_wrap_catalogue *catalogue = &session->pins.kinds[i];
        if (catalogue->listing == BT_WRAP_LISTING && catalogue->deadline_ms < deadline) {
            deadline = catalogue->deadline_ms;
        }
    }
    return deadline;
}

enum bt_status bt_wrap_session_expire(struct bt_wrap_session *session)
{
    const size_t before = bt_findings_count(session->findings);
    enum bt_status status = BT_OK;
    bt_arena_reset(&session->message);
    for (size_t i = 0; status == BT_OK && i < BT_WRAP_KINDS; i++) {
        const struct bt_wrap_catalogue *catalogue = &session->pins.kinds[i];
        if (catalogue->listing == BT_WRAP_LISTING && session->now_ms >= catalogue->deadline_ms) {
            status =
                fail_list(session, (enum bt_wrap_kind)i, BT_WRAP_CATALOGUE_MISSING_REASON_DEADLINE);
        }
    }
    status = status == BT_OK ? bt_wrap_block_if_needed(session) : status;
    BT_TRY(bt_wrap_log_findings(session, before, status));
    return bt_wrap_session_status(session);
}
