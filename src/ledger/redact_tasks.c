/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact_tasks.c - A2A tasks whose messages or artifacts hold a redacted document.
 *
 * A message carries a document as a JSON string (`text`), as base64 (`raw`) or as a JSON value
 * (`data`, whose white space was removed); artifacts may quote it in any string. The store selects
 * the rows that have some characteristic bytes of the document; those are read and compared.
 */
#include "ledger/redact_tasks.h"

#include <assert.h>
#include <string.h>

#include <baton/json.h>

#include "json/options.h"
#include "store/responses.h"

enum {
    PROBE_BYTES_MAX = 64,
    BASE64_GROUPS = 15,    /* of three bytes, at the beginning of the document */
    QUOTED_BYTES_MIN = 16, /* shorter texts occur everywhere by accident */
    TASK_BYTES_MAX = 1 << 30,
    DEPTH_MAX = 1000,
};

struct ledger_redact_tasks_search {
    struct bt_arena *arena; /* for ids */
    const struct bt_store_document *document;
    bt_str compact; /* the document as JSON without white space; "" when it is not JSON */
    struct bt_redacted_ids *found;
    enum bt_status status;
};

/* A value that is still to be compared. */
struct ledger_redact_tasks_item {
    const bt_json_value *value;
    bt_str name; /* name of the member, or "" */
};

static enum bt_status read_json(struct bt_arena *arena, bt_str text,
                                struct bt_json_read_result *out)
{
    struct bt_json_options options = bt_json_options_default();
    options.document_bytes_max = text.len + 1;
    options.string_bytes_max = text.len + 1;
    options.nodes_max = text.len + 1;
    options.depth_max = DEPTH_MAX;
    options.duplicates_allowed = true;
    /* from: store */
    return bt_json_read(arena, text, &options, out);
}

static bool text_contains(bt_str text, bt_str part)
{
    for (size_t at = 0; at + part.len <= text.len; at++) {
        at = bt_str_find_byte(text, part.ptr[0], at);
        if (at + part.len <= text.len && memcmp(text.ptr + at, part.ptr, part.len) == 0) {
            return true;
        }
    }
    return false;
}

/* True when the bytes are the document: compared directly, or by digest when its bytes are gone. */
static enum bt_status is_document(const struct ledger_redact_tasks_search *search, bt_str bytes,
                                  bool *out)
{
    const struct bt_store_document *document = search->document;
    uint8_t digest[BT_SHA256_BYTES];
    *out = false;
    if (bytes.len != document->size) {
        return BT_OK;
    }
    if (document->has_bytes) {
        *out = bt_str_eq(bytes, document->bytes);
        return BT_OK;
    }
    BT_TRY(bt_sha256(bytes, digest));
    *out = bt_str_eq(document->sha256, (bt_str){(const char *)digest, sizeof(digest)});
    return BT_OK;
}

static enum bt_status compare_base64(const struct ledger_redact_tasks_search *search,
                                     struct bt_arena *arena, bt_str text, bool *out)
{
    const size_t size = bt_base64_decoded_size(text);
    *out = false;
    if (size != search->document->size) {
        return BT_OK;
    }
    char *bytes = bt_arena_alloc(arena, size + 3);
    if (!bytes) {
        return BT_ENOMEM;
    }
    bt_base64_decode(text, bytes);
    return is_document(search, (bt_str){bytes, size}, out);
}

static enum bt_status compare_string(const struct ledger_redact_tasks_search *search,
                                     struct bt_arena *arena,
                                     const struct ledger_redact_tasks_item *item, bool *out)
{
    const bt_str text = bt_json_text(item->value);
    const struct bt_store_document *document = search->document;
    *out = document->has_bytes && document->size >= QUOTED_BYTES_MIN &&
           text_contains(text, document->bytes);
    if (!*out && bt_str_eq(item->name, BT_STR("text"))) {
        return is_document(search, text, out);
    }
    return !*out && bt_str_eq(item->name, BT_STR("raw")) ? compare_base64(search, arena, text, out)
                                                         : BT_OK;
}

/* A value of `data`, in JSON that has no white space. */
static enum bt_status compare_data(const struct ledger_redact_tasks_search *search,
                                   const struct bt_json_doc *json, const bt_json_value *value,
                                   bool *out)
{
    const struct bt_json_span span = bt_json_span(json, value);
    const bt_str source = bt_str_slice(bt_json_source(json), span.begin, span.end);
    *out = search->compact.len > 0 && bt_str_eq(source, search->compact);
    return *out ? BT_OK : is_document(search, source, out);
}

static size_t push_children(struct ledger_redact_tasks_item *stack, size_t depth,
                            const bt_json_value *value)
{
    const bt_json_value *items = bt_json_items(value);
    const struct bt_json_member *members = bt_json_members(value);
    for (size_t i = 0; i < bt_json_count(value); i++) {
        stack[depth++] =
            items ? (struct ledger_redact_tasks_item){&items[i], BT_STR("")}
                  : (struct ledger_redact_tasks_item){&members[i].value, bt_json_name(&members[i])};
    }
    return depth;
}

static enum bt_status compare_value(const struct ledger_redact_tasks_search *search,
                                    struct bt_arena *arena, const struct bt_json_doc *json,
                                    const struct ledger_redact_tasks_item *item, bool *out)
{
    *out = false;
    if (bt_str_eq(item->name, BT_STR("data"))) {
        BT_TRY(compare_data(search, json, item->value, out));
    }
    return !*out && bt_json_type(item->value) == BT_JSON_STRING
               ? compare_string(search, arena, item, out)
               : BT_OK;
}

/* Set *out when a JSON text holds the document. A text that cannot be read counts as holding it. */
static enum bt_status find_document(const struct ledger_redact_tasks_search *search,
                                    struct bt_arena *arena, bt_str text, bool *out)
{
    struct bt_json_read_result read = {0};
    size_t depth = 0;
    *out = false;
    if (text.len == 0) {
        return BT_OK;
    }
    BT_TRY(read_json(arena, text, &read));
    if (!read.document) {
        *out = search->document->has_bytes;
        return BT_OK;
    }
    struct ledger_redact_tasks_item *stack =
        BT_NEW_ARRAY(arena, struct ledger_redact_tasks_item, bt_json_node_count(read.document) + 1);
    if (!stack) {
        return BT_ENOMEM;
    }
    stack[depth++] = (struct ledger_redact_tasks_item){bt_json_root(read.document), BT_STR("")};
    while (depth > 0 && !*out) {
        const struct ledger_redact_tasks_item item = stack[--depth];
        BT_TRY(compare_value(search, arena, read.document, &item, out));
        depth = push_children(stack, depth, item.value);
    }
    return BT_OK;
}

static bool see_task(void *context, const struct bt_store_task *task)
{
    struct ledger_redact_tasks_search *search = context;
    struct bt_arena arena;
    bool is_held = false;
    bt_arena_init(&arena, TASK_BYTES_MAX);
    search->status = find_document(search, &arena, task->history, &is_held);
    if (search->status == BT_OK && !is_held) {
        search->status = find_document(search, &arena, task->artifacts, &is_held);
    }
    bt_arena_free(&arena);
    if (search->status == BT_OK && is_held) {
        search->status = bt_redacted_ids_add(search->found, search->arena, task->id);
    }
    return search->status == BT_OK;
}

/* The longest run of letters and digits, which JSON spells in only one form; "": there is none. */
static bt_str plain_run(bt_str text)
{
    bt_str best = BT_STR("");
    for (size_t at = 0; at < text.len && best.len < PROBE_BYTES_MAX; at++) {
        const size_t from = at;
        while (at < text.len && at - from < PROBE_BYTES_MAX && bt_ascii_is_alnum(text.ptr[at])) {
            at++;
        }
        best = at - from > best.len ? bt_str_slice(text, from, at) : best;
    }
    return best;
}

static enum bt_status base64_of(struct bt_arena *arena, bt_str bytes, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    const size_t whole = (size_t)BASE64_GROUPS * 3;
    bt_base64_put(&buf, bt_str_slice(bytes, 0, whole));
    return bt_buf_finish(&buf, arena, out);
}

/* Set search->compact. */
static enum bt_status write_compact(struct ledger_redact_tasks_search *search)
{
    struct bt_json_read_result read = {0};
    struct bt_buf buf;
    search->compact = BT_STR("");
    BT_TRY(read_json(search->arena, search->document->bytes, &read));
    if (!read.document) {
        return BT_OK;
    }
    bt_buf_init(&buf, SIZE_MAX);
    enum bt_status status = bt_json_write(&buf, read.document, bt_json_root(read.document),
                                          BT_JSON_FORM_COMPACT, search->arena, NULL);
    status = status == BT_OK ? bt_buf_copy(&buf, search->arena, &search->compact) : status;
    bt_buf_free(&buf);
    return status;
}

enum bt_status bt_redacted_tasks_find(const struct bt_ledger_transaction *recording,
                                      const struct bt_store_document *document,
                                      struct bt_redacted_ids *out, struct bt_error *error)
{
    assert(document);
    assert(out);
    struct ledger_redact_tasks_search search = {.arena = recording->arena,
                                                .document = document,
                                                .compact = BT_STR(""),
                                                .found = out,
                                                .status = BT_OK};
    bt_str probes[2] = {BT_STR(""), BT_STR("")};
    *out = (struct bt_redacted_ids){0};
    if (document->size == 0) {
        return BT_OK;
    }
    if (document->has_bytes) {
        BT_TRY(write_compact(&search));
        probes[0] = plain_run(document->bytes);
        BT_TRY(base64_of(recording->arena, document->bytes, &probes[1]));
    }
    BT_TRY(bt_store_task_having(recording->ledger->store, probes, see_task, &search, error));
    return search.status;
}

enum bt_status bt_redacted_tasks_empty(struct bt_ledger_transaction *recording,
                                       const struct bt_redacted_ids *found, uint64_t redaction,
                                       struct bt_error *error)
{
    for (size_t i = 0; i < found->count; i++) {
        BT_TRY(bt_store_task_redact(recording->ledger->store, found->items[i], redaction, error));
    }
    return BT_OK;
}
