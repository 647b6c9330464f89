/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.c - the head of a request, line by line; where its body begins and how long it is.
 *
 * A line is checked when it is complete, a byte when it arrives, so that a client which waits for a
 * response to a malformed request gets one.
 */
#include "http/reader.h"

#include <assert.h>
#include <string.h>

#include "base/ascii.h"
#include "base/str.h"
#include "base/vec.h"
#include "http/chars.h"

enum {
    AROUND_TARGET = 64,      /* bytes of a request line besides its target */
    BODY_AT_ONCE = 64 << 10, /* a body up to this size gets its memory at once ... */
    BODY_BEGUN = 4,          /* ... when one in so many of its bytes has arrived */
    LENGTH_DIGITS_MAX = 19,
};

unsigned http_error_status(enum http_error error)
{
    static const unsigned statuses[] = {
        [HTTP_ERROR_BAD_REQUEST] = 400,     [HTTP_ERROR_TIMEOUT] = 408,
        [HTTP_ERROR_BODY_TOO_LARGE] = 413,  [HTTP_ERROR_TARGET_TOO_LONG] = 414,
        [HTTP_ERROR_EXPECTATION] = 417,     [HTTP_ERROR_HEAD_TOO_LARGE] = 431,
        [HTTP_ERROR_NOT_IMPLEMENTED] = 501, [HTTP_ERROR_OVERLOADED] = 503,
        [HTTP_ERROR_VERSION] = 505,
    };
    return statuses[error];
}

void http_reader_begin(struct http_reader *reader, const struct http_limits *limits)
{
    struct bt_buf head = reader->head;
    struct bt_buf body = reader->body;
    head.max = limits->target_bytes + AROUND_TARGET + limits->header_bytes + 8;
    body.max = (size_t)limits->body_bytes;
    bt_buf_clear(&head);
    bt_buf_clear(&body);
    *reader = (struct http_reader){
        .limits = limits, .stage = HTTP_READS_HEAD, .head = head, .body = body};
}

void http_reader_free(struct http_reader *reader)
{
    bt_buf_free(&reader->head);
    bt_buf_free(&reader->body);
}

static void set_error(struct http_reader *reader, enum http_error error)
{
    reader->stage = HTTP_REFUSED;
    reader->error = error;
    reader->keeps = false;
}

static bt_str head_slice(const struct http_reader *reader, size_t from, size_t to)
{
    return (bt_str){reader->head.ptr + from, to - from};
}

static bool is_version(bt_str text)
{
    return text.len == 8 && bt_str_starts_with(text, BT_STR("HTTP/")) &&
           bt_ascii_is_digit(text.ptr[5]) && text.ptr[6] == '.' && bt_ascii_is_digit(text.ptr[7]);
}

static bool is_target(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] <= ' ' || text.ptr[i] > '~' || text.ptr[i] == '#') {
            return false;
        }
    }
    return text.len > 0;
}

static enum http_method method_named(bt_str name)
{
    for (enum http_method method = HTTP_GET; method <= HTTP_OPTIONS; method++) {
        if (bt_str_eq(name, http_method_name(method))) {
            return method;
        }
    }
    return 0;
}

static void take_request_line(struct http_reader *reader, bt_str line)
{
    const size_t first = bt_str_find_byte(line, ' ', 0);
    const size_t second = bt_str_find_byte(line, ' ', first + 1);
    const bt_str method = bt_str_slice(line, 0, first);
    const bt_str target = bt_str_slice(line, first + 1, second);
    const bt_str version = bt_str_slice(line, second + 1, line.len);
    if (!http_is_token_text(method) || !is_target(target) || !is_version(version)) {
        set_error(reader, HTTP_ERROR_BAD_REQUEST);
        return;
    }
    reader->is_http_1_0 = bt_str_eq(version, BT_STR("HTTP/1.0"));
    if (!reader->is_http_1_0 && !bt_str_eq(version, BT_STR("HTTP/1.1"))) {
        set_error(reader, HTTP_ERROR_VERSION);
        return;
    }
    reader->method = method_named(method);
    if (reader->method == 0) {
        set_error(reader, HTTP_ERROR_NOT_IMPLEMENTED);
        return;
    }
    if (target.len > reader->limits->target_bytes) {
        set_error(reader, HTTP_ERROR_TARGET_TOO_LONG);
        return;
    }
    reader->target.begin = (size_t)(target.ptr - reader->head.ptr);
    reader->target.end = reader->target.begin + target.len;
}

static void take_field_line(struct http_reader *reader, struct bt_arena *arena, bt_str line)
{
    const size_t colon = bt_str_find_byte(line, ':', 0);
    const size_t at = (size_t)(line.ptr - reader->head.ptr);
    size_t from = colon + 1;
    size_t to = line.len;
    if (colon == line.len || !http_is_token_text(bt_str_slice(line, 0, colon))) {
        set_error(reader, HTTP_ERROR_BAD_REQUEST);
        return;
    }
    if (reader->lines.count == reader->limits->header_count) {
        set_error(reader, HTTP_ERROR_HEAD_TOO_LARGE);
        return;
    }
    if (bt_vec_grow(arena, (void *)&reader->lines.items, reader->lines.count,
                    &reader->lines.capacity, 1, sizeof(*reader->lines.items)) != BT_OK) {
        set_error(reader, HTTP_ERROR_OVERLOADED);
        return;
    }
    while (from < to && bt_ascii_is_blank(line.ptr[from])) {
        from++;
    }
    while (to > from && bt_ascii_is_blank(line.ptr[to - 1])) {
        to--;
    }
    for (size_t i = at; i < at + colon; i++) {
        reader->head.ptr[i] = bt_ascii_lower(reader->head.ptr[i]);
    }
    reader->lines.items[reader->lines.count++] =
        (struct http_line){at, at + colon, at + from, at + to};
}

/* Remove scheme and authority from an absolute target. False: it is not one, or differs from
 * Host. */
static bool take_authority(const struct http_reader *reader, bt_str *target)
{
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < 2; i++) {
        const bt_str scheme = bt_str_of(schemes[i]);
        if (!bt_ascii_equal_nocase(bt_str_slice(*target, 0, scheme.len), scheme)) {
            continue;
        }
        const bt_str rest = bt_str_slice(*target, scheme.len, target->len);
        const size_t slash = bt_str_find_byte(rest, '/', 0);
        const size_t mark = bt_str_find_byte(rest, '?', 0);
        const size_t end = slash < mark ? slash : mark;
        *target = bt_str_slice(rest, end, rest.len);
        return bt_ascii_equal_nocase(bt_str_slice(rest, 0, end), reader->url.host);
    }
    return false;
}

/* No segment may be empty, `.` or `..`, however it is encoded. */
static bool is_plain_path(bt_str path)
{
    for (size_t from = 1; path.len > 1 && from <= path.len;) {
        const size_t end = bt_str_find_byte(path, '/', from);
        const bt_str segment = bt_str_slice(path, from, end);
        if (segment.len == 0 || bt_str_eq(segment, BT_STR(".")) ||
            bt_str_eq(segment, BT_STR(".."))) {
            return false;
        }
        from = end + 1;
    }
    return true;
}

static void take_target(struct http_reader *reader, struct bt_arena *arena)
{
    bt_str target = head_slice(reader, reader->target.begin, reader->target.end);
    if (target.ptr[0] != '/' && !take_authority(reader, &target)) {
        set_error(reader, HTTP_ERROR_BAD_REQUEST);
        return;
    }
    const size_t mark = bt_str_find_byte(target, '?', 0);
    const bt_str raw = mark == 0 ? BT_STR("/") : bt_str_slice(target, 0, mark);
    reader->url.raw_path = raw;
    reader->url.query = bt_str_slice(target, mark + 1, target.len);
    const enum bt_status status = http_decode(arena, raw, false, &reader->url.path);
    if (status == BT_ENOMEM) {
        set_error(reader, HTTP_ERROR_OVERLOADED);
    } else if (status != BT_OK || !is_plain_path(reader->url.path)) {
        set_error(reader, HTTP_ERROR_BAD_REQUEST);
    }
}

static bool take_length(struct http_reader *reader, bt_str value)
{
    if (reader->has_length || value.len == 0 || value.len > LENGTH_DIGITS_MAX ||
        bt_str_to_u64(value, &reader->length) != BT_OK) {
        return false;
    }
    reader->has_length = true;
    return true;
}

static bool is_host(bt_str value)
{
    for (size_t i = 0; i < value.len; i++) {
        if (!http_is_host(value.ptr[i])) {
            return false;
        }
    }
    return true;
}

/* True when a comma-separated list has this word. */
static bool has_word(bt_str list, bt_str word)
{
    for (size_t from = 0; from <= list.len;) {
        const size_t end = bt_str_find_byte(list, ',', from);
        if (bt_ascii_equal_nocase(bt_ascii_trim(bt_str_slice(list, from, end), bt_ascii_is_blank),
                                  word)) {
            return true;
        }
        from = end + 1;
    }
    return false;
}

/* What the fields say about the connection and the body. */
struct http_body_framing {
    size_t hosts;
    size_t codings;
    bt_str coding;
    size_t expects;
    bt_str expect;
};

static bool collect_framing(struct http_reader *reader, struct http_body_framing *framing)
{
    reader->keeps = !reader->is_http_1_0;
    for (size_t i = 0; i < reader->lines.count; i++) {
        const struct http_field *field = &reader->fields[i];
        if (bt_str_eq(field->name, BT_STR("host"))) {
            framing->hosts++;
            reader->url.host = field->value;
        } else if (bt_str_eq(field->name, BT_STR("content-length"))) {
            if (!take_length(reader, field->value)) {
                return false;
            }
        } else if (bt_str_eq(field->name, BT_STR("transfer-encoding"))) {
            framing->codings++;
            framing->coding = field->value;
        } else if (bt_str_eq(field->name, BT_STR("expect"))) {
            framing->expects++;
            framing->expect = field->value;
        } else if (bt_str_eq(field->name, BT_STR("connection"))) {
            reader->keeps = reader->keeps && !has_word(field->value, BT_STR("close"));
        }
    }
    return framing->hosts == 1 && is_host(reader->url.host);
}

static void take_framing(struct http_reader *reader)
{
    struct http_body_framing framing = {0};
    if (!collect_framing(reader, &framing) || framing.codings > 1 ||
        (framing.codings > 0 && (reader->has_length || reader->is_http_1_0))) {
        set_error(reader, HTTP_ERROR_BAD_REQUEST);
        return;
    }
    if (framing.codings > 0 && !bt_ascii_equal_nocase(framing.coding, BT_STR("chunked"))) {
        set_error(reader, HTTP_ERROR_NOT_IMPLEMENTED);
        return;
    }
    reader->is_chunked = framing.codings > 0;
    if (framing.expects > 1 ||
        (framing.expects > 0 && !bt_ascii_equal_nocase(framing.expect, BT_STR("100-continue")))) {
        set_error(reader, HTTP_ERROR_EXPECTATION);
        return;
    }
    const bool has_body = reader->is_chunked || reader->length > 0;
    reader->expects = framing.expects > 0 && !reader->is_http_1_0 && has_body;
}

/* The empty line was read. */
static void end_head(struct http_reader *reader, struct bt_arena *arena)
{
    struct http_field *fields = BT_NEW_ARRAY(arena, struct http_field, reader->lines.count + 1);
    if (!fields) {
        set_error(reader, HTTP_ERROR_OVERLOADED);
        return;
    }
    for (size_t i = 0; i < reader->lines.count; i++) {
        const struct http_line *line = &reader->lines.items[i];
        fields[i].name = head_slice(reader, line->name, line->name_end);
        fields[i].value = head_slice(reader, line->value, line->value_end);
    }
    reader->fields = fields;
    reader->stage = HTTP_HAS_HEAD;
    take_framing(reader);
    if (reader->stage != HTTP_REFUSED) {
        take_target(reader, arena);
    }
}

static void end_line(struct http_reader *reader, struct bt_arena *arena)
{
    const size_t end = reader->head.len - 2; /* without CR and LF */
    const bt_str line = head_slice(reader, reader->line, end);
    if (reader->target.end == 0) {
        take_request_line(reader, line);
        reader->fields_at = reader->head.len;
    } else if (line.len == 0) {
        end_head(reader, arena);
    } else {
        take_field_line(reader, arena, line);
    }
    reader->line = reader->head.len;
}

/* True when the head has become too large with its last byte. */
static bool is_over(struct http_reader *reader)
{
    if (reader->target.end == 0 &&
        reader->head.len > reader->limits->target_bytes + AROUND_TARGET) {
        set_error(reader, HTTP_ERROR_TARGET_TOO_LONG);
        return true;
    }
    if (reader->target.end != 0 &&
        reader->head.len - reader->fields_at > reader->limits->header_bytes) {
        set_error(reader, HTTP_ERROR_HEAD_TOO_LARGE);
        return true;
    }
    return false;
}

/* How many bytes the head may grow by before is_over() has to be called. */
static size_t head_room(const struct http_reader *reader)
{
    const bool has_line = reader->target.end != 0;
    const size_t max = has_line ? reader->fields_at + reader->limits->header_bytes
                                : reader->limits->target_bytes + AROUND_TARGET;
    const size_t end = max < reader->head.max ? max : reader->head.max;
    return end > reader->head.len ? end - reader->head.len : 0;
}

/* Take the bytes within a line that need no further check. Returns how many they are. */
static size_t take_run(struct http_reader *reader, bt_str bytes)
{
    const size_t room = reader->after_cr ? 0 : head_room(reader);
    const size_t max = bytes.len < room ? bytes.len : room;
    size_t count = 0;
    while (count < max && !http_is_control(bytes.ptr[count])) {
        count++;
    }
    bt_buf_put(&reader->head, bt_str_slice(bytes, 0, count));
    if (reader->head.status != BT_OK) {
        set_error(reader, HTTP_ERROR_OVERLOADED);
    }
    return count;
}

static size_t take_head(struct http_reader *reader, struct bt_arena *arena, bt_str bytes)
{
    size_t i = 0;
    while (i < bytes.len && reader->stage == HTTP_READS_HEAD) {
        i += take_run(reader, bt_str_slice(bytes, i, bytes.len));
        if (i == bytes.len || reader->stage != HTTP_READS_HEAD) {
            break;
        }
        const char byte = bytes.ptr[i++];
        bt_buf_put_char(&reader->head, byte);
        if (reader->head.status != BT_OK) {
            set_error(reader, reader->head.status == BT_ENOMEM ? HTTP_ERROR_OVERLOADED
                                                               : HTTP_ERROR_HEAD_TOO_LARGE);
        } else if (reader->after_cr != (byte == '\n') ||
                   (byte != '\r' && byte != '\n' && http_is_control(byte))) {
            set_error(reader, HTTP_ERROR_BAD_REQUEST);
        } else if (byte == '\n') {
            end_line(reader, arena);
        } else {
            (void)is_over(reader);
        }
        reader->after_cr = byte == '\r';
    }
    return i;
}

void http_reader_continue(struct http_reader *reader)
{
    assert(reader->stage == HTTP_HAS_HEAD);
    if (reader->length > reader->limits->body_bytes) {
        set_error(reader, HTTP_ERROR_BODY_TOO_LARGE);
        return;
    }
    if (!reader->is_chunked && reader->length == 0) {
        reader->stage = HTTP_COMPLETE;
        return;
    }
    reader->stage = HTTP_READS_BODY;
}

static size_t take_plain(struct http_reader *reader, bt_str bytes)
{
    const uint64_t left = reader->length - reader->body.len;
    const size_t count = bytes.len < left ? bytes.len : (size_t)left;
    const bool is_known = reader->body.len == 0 && reader->length <= BODY_AT_ONCE;
    if (is_known && count >= reader->length / BODY_BEGUN &&
        !bt_buf_reserve(&reader->body, (size_t)reader->length)) {
        set_error(reader, HTTP_ERROR_OVERLOADED);
        return count;
    }
    bt_buf_put(&reader->body, bt_str_slice(bytes, 0, count));
    if (reader->body.status != BT_OK) {
        set_error(reader, HTTP_ERROR_OVERLOADED);
    } else if (reader->body.len == reader->length) {
        reader->stage = HTTP_COMPLETE;
    }
    return count;
}

static size_t take_chunks(struct http_reader *reader, bt_str bytes)
{
    size_t taken = 0;
    while (taken < bytes.len && reader->stage == HTTP_READS_BODY) {
        enum http_chunk_result outcome = HTTP_CHUNK_RESULT_MORE;
        taken += http_chunks_take(&reader->chunks, bt_str_slice(bytes, taken, bytes.len),
                                  reader->limits, &reader->body, &outcome);
        switch (outcome) {
        case HTTP_CHUNK_RESULT_MORE:
            break;
        case HTTP_CHUNK_RESULT_END:
            reader->stage = HTTP_COMPLETE;
            break;
        case HTTP_CHUNK_RESULT_BAD:
            set_error(reader, HTTP_ERROR_BAD_REQUEST);
            break;
        case HTTP_CHUNK_RESULT_LARGE:
            set_error(reader, HTTP_ERROR_BODY_TOO_LARGE);
            break;
        case HTTP_CHUNK_RESULT_TRAILER:
            set_error(reader, HTTP_ERROR_HEAD_TOO_LARGE);
            break;
        case HTTP_CHUNK_RESULT_NO_MEMORY:
            set_error(reader, HTTP_ERROR_OVERLOADED);
            break;
        }
    }
    return taken;
}

size_t http_reader_take(struct http_reader *reader, struct bt_arena *arena, bt_str bytes)
{
    assert(reader->limits);
    if (reader->stage == HTTP_READS_HEAD) {
        return take_head(reader, arena, bytes);
    }
    if (reader->stage == HTTP_READS_BODY) {
        return reader->is_chunked ? take_chunks(reader, bytes) : take_plain(reader, bytes);
    }
    return 0;
}

void http_reader_request(const struct http_reader *reader, struct http_request *out)
{
    const bool has_target = reader->target.end > 0;
    const bool has_fields = reader->fields != NULL;
    *out = (struct http_request){
        .method = reader->method,
        .is_http_1_0 = reader->is_http_1_0,
        .target =
            has_target ? head_slice(reader, reader->target.begin, reader->target.end) : BT_STR(""),
        .path = reader->url.path.ptr ? reader->url.path : BT_STR(""),
        .raw_path = reader->url.raw_path.ptr ? reader->url.raw_path : BT_STR(""),
        .query = reader->url.query.ptr ? reader->url.query : BT_STR(""),
        .host = reader->url.host.ptr ? reader->url.host : BT_STR(""),
        .fields = reader->fields,
        .field_count = has_fields ? reader->lines.count : 0,
        .has_body = reader->is_chunked || reader->length > 0,
        .body = bt_buf_str(&reader->body),
        .peer = out->peer,
    };
}
