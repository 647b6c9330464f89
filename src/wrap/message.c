/* SPDX-License-Identifier: Apache-2.0 */
/* message.c - strict JSON, then the three forms of JSON-RPC. */
#include "wrap/message.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "json/emit.h"
#include "json/get.h"
#include "json/options.h"
#include "json/peek.h"

static const bt_str ID_MAX = BT_STR_INIT("9007199254740991");
static const bt_str ID_MIN = BT_STR_INIT("-9007199254740991");

bt_str bt_wrap_reason_text(enum bt_wrap_reason reason)
{
    static const bt_str texts[] = {
        [BT_WRAP_REASON_NONE] = BT_STR_INIT(""),
        [BT_WRAP_REASON_SYNTAX] = BT_STR_INIT("it is not JSON"),
        [BT_WRAP_REASON_UTF8] = BT_STR_INIT("it is not UTF-8"),
        [BT_WRAP_REASON_DUPLICATE] = BT_STR_INIT("a member name is repeated"),
        [BT_WRAP_REASON_LIMIT] = BT_STR_INIT("it is nested too deeply or has too many members"),
        [BT_WRAP_REASON_SIZE] = BT_STR_INIT("it is too long"),
        [BT_WRAP_REASON_BATCH] = BT_STR_INIT("it is a batch"),
        [BT_WRAP_REASON_FORM] = BT_STR_INIT(
            "it is neither a request nor a notification nor a response of JSON-RPC 2.0"),
        [BT_WRAP_REASON_ID] =
            BT_STR_INIT("its id is neither a string of at most 256 bytes nor an integer"),
        [BT_WRAP_REASON_ID_IN_USE] = BT_STR_INIT("its id is that of an open request"),
        [BT_WRAP_REASON_ID_RESERVED] = BT_STR_INIT("ids that begin with baton- are reserved"),
        [BT_WRAP_REASON_UNMATCHED] = BT_STR_INIT("it answers no open request"),
        [BT_WRAP_REASON_NOISE] = BT_STR_INIT("it is not a message"),
    };
    return texts[reason];
}

/* ---- Ids ------------------------------------------------------------------------------------- */

bool bt_wrap_id_read(const struct bt_json_doc *document, const bt_json_value *value,
                     struct bt_wrap_id *out)
{
    const bt_str text = bt_json_text(value);
    *out = (struct bt_wrap_id){.is_text = bt_json_type(value) == BT_JSON_STRING};
    if (out->is_text && text.len <= BT_WRAP_ID_BYTES_MAX) {
        memcpy(out->text, text.ptr, text.len);
        out->size = (uint16_t)text.len;
        return true;
    }
    if (!bt_json_is_number(value)) {
        return false;
    }
    const bt_str number = bt_json_number_text(document, value);
    if (!bt_json_decimal_is_integer(number) || bt_json_decimal_compare(number, ID_MAX) > 0 ||
        bt_json_decimal_compare(number, ID_MIN) < 0) {
        return false;
    }
    out->number = (int64_t)bt_json_decimal_to_double(number);
    return true;
}

void bt_wrap_id_put(struct bt_buf *buf, const struct bt_wrap_id *id)
{
    if (id->is_text) {
        bt_json_put_string(buf, (bt_str){id->text, id->size});
    } else {
        bt_buf_printf(buf, "%lld", (long long)id->number);
    }
}

bool bt_wrap_ids_equal(const struct bt_wrap_id *a, const struct bt_wrap_id *b)
{
    return a->is_text == b->is_text &&
           (a->is_text ? bt_str_eq((bt_str){a->text, a->size}, (bt_str){b->text, b->size})
                       : a->number == b->number);
}

bool bt_wrap_id_is_reserved(const struct bt_wrap_id *id)
{
    return id->is_text && bt_str_starts_with((bt_str){id->text, id->size}, BT_STR("baton-"));
}

/* ---- Messages -------------------------------------------------------------------------------- */

static enum bt_wrap_reason reason_of(enum bt_json_error code)
{
    static const enum bt_wrap_reason reasons[] = {
        [BT_JSON_ERROR_NONE] = BT_WRAP_REASON_NONE,
        [BT_JSON_ERROR_SYNTAX] = BT_WRAP_REASON_SYNTAX,
        [BT_JSON_ERROR_UTF8] = BT_WRAP_REASON_UTF8,
        [BT_JSON_ERROR_DUPLICATE_KEY] = BT_WRAP_REASON_DUPLICATE,
        [BT_JSON_ERROR_TOO_DEEP] = BT_WRAP_REASON_LIMIT,
        [BT_JSON_ERROR_TOO_LARGE] = BT_WRAP_REASON_LIMIT,
    };
    return reasons[code];
}

/* A message with a method is a request or a notification; another one must be a response. */
static enum bt_wrap_reason read_form(struct bt_wrap_message *message)
{
    const struct bt_json_doc *document = message->document;
    const bt_json_value *root = bt_json_root(document);
    const bt_json_value *id = bt_json_get(document, root, BT_STR("id"));
    const bt_json_value *method = bt_json_get(document, root, BT_STR("method"));
    message->params = bt_json_get(document, root, BT_STR("params"));
    message->result = bt_json_get(document, root, BT_STR("result"));
    message->error = bt_json_get(document, root, BT_STR("error"));
    const bool has_answer = message->result || message->error;
    if (bt_json_type(root) != BT_JSON_OBJECT ||
        !bt_str_eq(bt_json_get_text(document, root, BT_STR("jsonrpc")), BT_STR("2.0"))) {
        return BT_WRAP_REASON_FORM;
    }
    if (method && (bt_json_type(method) != BT_JSON_STRING || has_answer ||
                   bt_json_text(method).len > BT_WRAP_METHOD_BYTES_MAX)) {
        return BT_WRAP_REASON_FORM;
    }
    if (!method && (!id || !has_answer || (message->result && message->error))) {
        return BT_WRAP_REASON_FORM;
    }
    if (id && !bt_wrap_id_read(document, id, &message->id)) {
        return BT_WRAP_REASON_ID;
    }
    message->method = method ? bt_json_text(method) : BT_STR("");
    message->kind = !method ? BT_WRAP_MESSAGE_RESPONSE
                    : id    ? BT_WRAP_MESSAGE_REQUEST
                            : BT_WRAP_MESSAGE_NOTIFICATION;
    return BT_WRAP_REASON_NONE;
}

enum bt_status bt_wrap_message_read(struct bt_arena *arena, const struct bt_env *env, bt_str line,
                                    uint64_t bytes_max, struct bt_wrap_message *out)
{
    struct bt_json_options options = bt_json_options_from_env(env);
    struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
    options.document_bytes_max = bytes_max;
    options.string_bytes_max = bytes_max;
    *out = (struct bt_wrap_message){.method = BT_STR("")};
    if (line.len > bytes_max) {
        out->reason = BT_WRAP_REASON_SIZE;
        return BT_OK;
    }
    /* from: the client or the server */
    BT_TRY(bt_json_read(arena, line, &options, &read));
    out->reason = reason_of(read.code);
    out->document = read.document;
    if (read.document) {
        out->reason = bt_json_type(bt_json_root(read.document)) == BT_JSON_ARRAY
                          ? BT_WRAP_REASON_BATCH
                          : read_form(out);
    }
    return BT_OK;
}

/* ---- What is left of an unusable message ----------------------------------------------------- */

/* The offset behind the string that begins at `at`; the length of the text when it does not end. */
static size_t skip_string(bt_str text, size_t at)
{
    for (at++; at < text.len && text.ptr[at] != '"'; at++) {
        at += text.ptr[at] == '\\';
    }
    return at < text.len ? at + 1 : text.len;
}

static size_t skip_space(bt_str text, size_t at)
{
    while (at < text.len && bt_json_is_space(text.ptr[at])) {
        at++;
    }
    return at;
}

/* The offset of the comma or bracket behind the value that begins at `at`. */
static size_t skip_value(bt_str text, size_t at)
{
    size_t depth = 0;
    while (at < text.len) {
        const char byte = text.ptr[at];
        if (depth == 0 && (byte == ',' || byte == '}' || byte == ']')) {
            return at;
        }
        depth += byte == '{' || byte == '[';
        depth -= byte == '}' || byte == ']';
        at = byte == '"' ? skip_string(text, at) : at + 1;
    }
    return at;
}

/* The JSON value in a piece of the text, or NULL. */
static const struct bt_json_doc *read_piece(struct bt_arena *arena, const struct bt_env *env,
                                            bt_str piece)
{
    const struct bt_json_options options = bt_json_options_from_env(env);
    struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
    /* from: the client or the server */
    return bt_json_read(arena, piece, &options, &read) == BT_OK ? read.document : NULL;
}

static bool is_id_name(struct bt_arena *arena, const struct bt_env *env, bt_str name)
{
    const struct bt_json_doc *read = read_piece(arena, env, name);
    return read && bt_str_eq(bt_json_text(bt_json_root(read)), BT_STR("id"));
}

size_t bt_wrap_ids_scan(struct bt_arena *arena, const struct bt_env *env, bt_str line,
                        struct bt_wrap_id *out, size_t max)
{
    enum { ID_TEXT_BYTES_MAX = 8 * BT_WRAP_ID_BYTES_MAX, NAME_BYTES_MAX = 16 };
    size_t count = 0;
    size_t at = skip_space(line, 0);
    if (at >= line.len || line.ptr[at] != '{') {
        return 0;
    }
    at = skip_space(line, at + 1);
    while (count < max && at < line.len && line.ptr[at] == '"') {
        const size_t name_end = skip_string(line, at);
        const bt_str name = bt_str_slice(line, at, name_end);
        at = skip_space(line, name_end);
        if (at >= line.len || line.ptr[at] != ':') {
            break;
        }
        const size_t begin = skip_space(line, at + 1);
        const size_t end = skip_value(line, begin);
        /* A value that the end of the line cuts off is not an id. */
        const bool is_short = end < line.len && end - begin <= ID_TEXT_BYTES_MAX;
        if (is_short && name.len <= NAME_BYTES_MAX && is_id_name(arena, env, name)) {
            const struct bt_json_doc *value =
                read_piece(arena, env, bt_str_slice(line, begin, end));
            count += value && bt_wrap_id_read(value, bt_json_root(value), &out[count]);
        }
        at = end < line.len && line.ptr[end] == ',' ? skip_space(line, end + 1) : line.len;
    }
    return count;
}
