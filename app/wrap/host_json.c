/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_json.c - the MCP servers in settings that are JSON, for one host with comments and trailing
 * commas.
 *
 * Those are overwritten with spaces before the text is read, so that every value is at the same
 * place in both texts, and changes of the original leave them alone.
 */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "edit/edit.h"
#include "wrap/host_file.h"

enum { VALUE_BYTES_MAX = 1 << 24 };

/* ---- Comments -------------------------------------------------------------------------------- */

/* The offset behind the string that begins at `at`, or the length of the text. */
static size_t skip_string(bt_str text, size_t at)
{
    for (at++; at < text.len && text.ptr[at] != '"'; at++) {
        at += text.ptr[at] == '\\' ? 1 : 0;
    }
    return at < text.len ? at + 1 : text.len;
}

/* The offset behind the comment that begins at `at`; `at` when none does. */
static size_t skip_comment(bt_str text, size_t at)
{
    const bt_str rest = bt_str_slice(text, at, text.len);
    if (bt_str_starts_with(rest, BT_STR("//"))) {
        return bt_str_find_byte(text, '\n', at);
    }
    if (!bt_str_starts_with(rest, BT_STR("/*"))) {
        return at;
    }
    const bt_str inner = bt_str_slice(rest, 2, rest.len);
    const size_t end = bt_str_find(inner, BT_STR("*/"));
    return end < inner.len ? at + 2 + end + 2 : at; /* without an end it stays, and is refused */
}

static bool is_white(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* Overwrite comments and trailing commas with spaces. */
static enum bt_status blank_comments(struct bt_arena *arena, bt_str text, bt_str *out)
{
    char *made = bt_arena_alloc(arena, text.len + 1);
    size_t comma = SIZE_MAX; /* the last byte that counts, if that is a comma after a value */
    char before = '[';
    if (!made) {
        return BT_ENOMEM;
    }
    memcpy(made, text.ptr, text.len);
    for (size_t at = 0; at < text.len;) {
        const size_t end = skip_comment(text, at);
        if (end > at) {
            memset(made + at, ' ', end - at);
            at = end;
            continue;
        }
        const char byte = text.ptr[at];
        if ((byte == ']' || byte == '}') && comma < text.len) {
            made[comma] = ' ';
        }
        if (!is_white(byte)) {
            comma = byte == ',' && !strchr("[{,:", before) ? at : SIZE_MAX;
            before = byte;
        }
        at = byte == '"' ? skip_string(text, at) : at + 1;
    }
    *out = (bt_str){made, text.len};
    return BT_OK;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static const bt_json_value *member_of(const struct wrap_host_text *text,
                                      const struct wrap_host_server *server, const char *name)
{
    return bt_json_get(text->document, &server->member->value, bt_str_of(name));
}

/* The text of a member, or "". */
static bt_str text_of(const struct wrap_host_text *text, const struct wrap_host_server *server,
                      const char *name)
{
    const bt_json_value *value = member_of(text, server, name);
    return value ? bt_json_text(value) : BT_STR("");
}

/* Read a list of texts. False when it is something else. */
static bool take_texts(struct bt_arena *arena, const bt_json_value *list, struct bt_str_list *out)
{
    const size_t count = bt_json_count(list);
    bt_str *items = BT_NEW_ARRAY(arena, bt_str, count + 1);
    if (bt_json_type(list) != BT_JSON_ARRAY || !items) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (bt_json_type(&bt_json_items(list)[i]) != BT_JSON_STRING) {
            return false;
        }
        items[i] = bt_json_text(&bt_json_items(list)[i]);
    }
    *out = (struct bt_str_list){items, count};
    return true;
}

/* Read an object of texts. False when it is something else. */
static bool take_pairs(struct bt_arena *arena, const bt_json_value *object,
                       struct wrap_host_server *server)
{
    const size_t count = bt_json_count(object);
    struct wrap_pair *pairs = BT_NEW_ARRAY(arena, struct wrap_pair, count + 1);
    if (bt_json_type(object) != BT_JSON_OBJECT || !pairs) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct bt_json_member *member = &bt_json_members(object)[i];
        if (bt_json_type(&member->value) != BT_JSON_STRING) {
            return false;
        }
        pairs[i] = (struct wrap_pair){bt_json_name(member), bt_json_text(&member->value)};
    }
    server->headers = pairs;
    server->header_count = count;
    return true;
}

/* What keeps a server with a URL from being changed, or NULL. */
static const char *read_url(const struct wrap_host_text *text, struct wrap_host_server *server)
{
    static const bt_str http_types[] = {BT_STR_INIT(""), BT_STR_INIT("http"),
                                        BT_STR_INIT("streamable-http"),
                                        BT_STR_INIT("streamableHttp")};
    const bt_json_value *headers = member_of(text, server, "headers");
    const bt_json_value *env = member_of(text, server, "env");
    const bt_str type = text_of(text, server, "type");
    const bt_str plain = text_of(text, server, "url");
    const bt_str http = text_of(text, server, "httpUrl");
    server->transport = bt_str_is_one_of(type, http_types) ? WRAP_TRANSPORT_HTTP
                        : bt_str_eq(type, BT_STR("sse"))   ? WRAP_TRANSPORT_SSE
                                                           : WRAP_TRANSPORT_NONE;
    server->url = http.len > 0 ? http : plain;
    if (server->transport != WRAP_TRANSPORT_HTTP) {
        return "only servers on standard input and output or on Streamable HTTP can be wrapped";
    }
    if (plain.len > 0 && http.len > 0) {
        return "it has two URLs";
    }
    if (headers && !take_pairs(text->arena, headers, server)) {
        return "its headers are not texts";
    }
    return env && bt_json_type(env) != BT_JSON_OBJECT ? "its env is not an object" : NULL;
}

/* What keeps a server from being changed, or NULL. */
static const char *read_server(const struct wrap_host_text *text, struct wrap_host_server *server)
{
    const bt_json_value *args = member_of(text, server, "args");
    server->command = text_of(text, server, "command");
    if (bt_json_type(&server->member->value) != BT_JSON_OBJECT) {
        return "it is not an object";
    }
    if (args && !take_texts(text->arena, args, &server->args)) {
        return "its args are not a list of texts";
    }
    if (server->command.len == 0) {
        return text_of(text, server, "url").len > 0 || text_of(text, server, "httpUrl").len > 0
                   ? read_url(text, server)
                   : "it has neither a command nor a URL";
    }
    server->transport = WRAP_TRANSPORT_STDIO;
    return text_of(text, server, "url").len > 0 || text_of(text, server, "httpUrl").len > 0
               ? "it has a command and a URL"
               : NULL;
}

enum bt_status wrap_host_json_read(struct wrap_host_text *text, struct bt_error *error)
{
    struct bt_json_read_result read = {0};
    bt_str plain = text->text;
    if (text->host->has_comments) {
        BT_TRY(blank_comments(text->arena, text->text, &plain));
    }
    /* from: file */
    BT_TRY(bt_json_read(text->arena, plain, NULL, &read));
    if (!read.document || bt_json_type(bt_json_root(read.document)) != BT_JSON_OBJECT) {
        return bt_error_set(error, BT_EINVAL, "it is not a strict JSON object%s",
                            text->host->has_comments ? ", apart from comments" : "");
    }
    text->document = read.document;
    const bt_json_value *list =
        bt_json_get(read.document, bt_json_root(read.document), bt_str_of(text->host->member));
    if (list && bt_json_type(list) != BT_JSON_OBJECT) {
        return bt_error_set(error, BT_EINVAL, "its %s are not an object", text->host->member);
    }
    for (size_t i = 0; list && i < bt_json_count(list); i++) {
        const struct bt_json_member *member = &bt_json_members(list)[i];
        struct wrap_host_server server = {.name = bt_json_name(member),
                                          .span = bt_json_span(read.document, &member->value),
                                          .url = BT_STR(""),
                                          .bearer_env = BT_STR(""),
                                          .member = member};
        server.problem = read_server(text, &server);
        BT_TRY(wrap_host_add_server(text, &server));
    }
    return BT_OK;
}

/* ---- Changing -------------------------------------------------------------------------------- */

/* One change of a server. */
struct json_change {
    const struct wrap_host_text *text;
    const struct wrap_host_server *server;
    const struct wrap_host_change *wanted;
    struct bt_edit_list edits;
};

static enum bt_status replace_part(struct json_change *change, struct bt_json_span span,
                                   struct bt_buf *with)
{
    bt_str text;
    BT_TRY(bt_buf_finish(with, change->text->arena, &text));
    return wrap_host_add_edit(change->text, &change->edits, span, text);
}

static void put_texts(struct bt_buf *buf, struct bt_str_list texts)
{
    bt_buf_put_char(buf, '[');
    for (size_t i = 0; i < texts.count; i++) {
        bt_buf_put_text(buf, i > 0 ? ", " : "");
        bt_json_put_string(buf, texts.items[i]);
    }
    bt_buf_put_char(buf, ']');
}

static void put_variables(struct bt_buf *buf, const struct wrap_host_change *wanted)
{
    for (size_t i = 0; i < wanted->variable_count; i++) {
        bt_buf_put_text(buf, i > 0 ? ", " : "");
        bt_json_put_string(buf, wanted->variables[i].name);
        bt_buf_put_text(buf, ": ");
        bt_json_put_string(buf, wanted->variables[i].value);
    }
}

static const struct bt_json_member *find_member(const struct json_change *change, const char *name)
{
    return bt_json_member(change->text->document, &change->server->member->value, bt_str_of(name));
}

static struct bt_json_span value_span(const struct json_change *change,
                                      const struct bt_json_member *member)
{
    return bt_json_span(change->text->document, &member->value);
}

static struct bt_json_span name_span(const struct json_change *change,
                                     const struct bt_json_member *member)
{
    return bt_json_member_name_span(change->text->document, member);
}

/* The command takes the place of the old one or of the URL; new arguments stand behind it. */
static enum bt_status set_command(struct json_change *change)
{
    const struct bt_json_member *args = find_member(change, "args");
    const struct bt_json_member *command = find_member(change, "command");
    const struct bt_json_member *url = find_member(change, "url");
    const struct bt_json_member *place = command ? command
                                         : url   ? url
                                                 : find_member(change, "httpUrl");
    struct bt_buf buf;
    bt_buf_init(&buf, VALUE_BYTES_MAX);
    if (!command) {
        BT_TRY(wrap_host_add_edit(change->text, &change->edits, name_span(change, place),
                                  BT_STR("\"command\"")));
    }
    bt_json_put_string(&buf, change->wanted->command);
    if (!args) {
        bt_buf_put_text(&buf, ", \"args\": ");
        put_texts(&buf, change->wanted->args);
    }
    BT_TRY(replace_part(change, value_span(change, place), &buf));
    if (!args) {
        return BT_OK;
    }
    put_texts(&buf, change->wanted->args);
    return replace_part(change, value_span(change, args), &buf);
}

/* Remove a member with the comma behind it or, for the last one, before it. Comments stay. */
static enum bt_status remove_member(struct json_change *change, const struct bt_json_member *member)
{
    const bt_str plain = bt_json_source(change->text->document);
    const bt_str original = change->text->text;
    struct bt_json_span span = {name_span(change, member).begin, value_span(change, member).end};
    size_t next = span.end;
    while (is_white(plain.ptr[next])) {
        next++;
    }
    if (plain.ptr[next] == ',') {
        next++;
        if (bt_str_eq(bt_str_slice(plain, span.end, next),
                      bt_str_slice(original, span.end, next))) {
            while (is_white(original.ptr[next])) {
                next++;
            }
            span.end = next;
            return wrap_host_add_edit(change->text, &change->edits, span, BT_STR(""));
        }
        BT_TRY(wrap_host_add_edit(change->text, &change->edits, span, BT_STR("")));
        return wrap_host_add_edit(change->text, &change->edits,
                                  (struct bt_json_span){next - 1, next}, BT_STR(""));
    }
    size_t comma = span.begin; /* an object with a URL and this member has one */
    while (plain.ptr[comma] != ',') {
        comma--;
    }
    if (bt_str_eq(bt_str_slice(plain, comma, span.begin),
                  bt_str_slice(original, comma, span.begin))) {
        span.begin = comma;
        return wrap_host_add_edit(change->text, &change->edits, span, BT_STR(""));
    }
    BT_TRY(wrap_host_add_edit(change->text, &change->edits, (struct bt_json_span){comma, comma + 1},
                              BT_STR("")));
    return wrap_host_add_edit(change->text, &change->edits, span, BT_STR(""));
}

/* Put the values of headers into the environment, in the place of the headers if it is new. */
static enum bt_status set_variables(struct json_change *change)
{
    const struct bt_json_member *headers = find_member(change, "headers");
    const struct bt_json_member *env = find_member(change, "env");
    struct bt_buf buf;
    if (!headers) {
        return BT_OK;
    }
    if (change->wanted->variable_count == 0) {
        return remove_member(change, headers);
    }
    bt_buf_init(&buf, VALUE_BYTES_MAX);
    if (!env) {
        bt_buf_put_char(&buf, '{');
        put_variables(&buf, change->wanted);
        bt_buf_put_char(&buf, '}');
        BT_TRY(wrap_host_add_edit(change->text, &change->edits, name_span(change, headers),
                                  BT_STR("\"env\"")));
        return replace_part(change, value_span(change, headers), &buf);
    }
    const size_t count = bt_json_count(&env->value);
    struct bt_json_span at = value_span(change, env);
    bt_buf_put_text(&buf, count > 0 ? ", " : "");
    put_variables(&buf, change->wanted);
    at.end =
        count > 0 ? value_span(change, &bt_json_members(&env->value)[count - 1]).end : at.begin + 1;
    BT_TRY(replace_part(change, (struct bt_json_span){at.end, at.end}, &buf));
    return remove_member(change, headers);
}

enum bt_status wrap_host_json_change(const struct wrap_host_text *text,
                                     const struct wrap_host_server *server,
                                     const struct wrap_host_change *wanted, bt_str *out)
{
    struct json_change change = {.text = text, .server = server, .wanted = wanted};
    const struct bt_json_member *type = find_member(&change, "type");
    BT_TRY(set_command(&change));
    if (server->url.len > 0) {
        if (type) {
            BT_TRY(wrap_host_add_edit(text, &change.edits, value_span(&change, type),
                                      BT_STR("\"stdio\"")));
        }
        BT_TRY(set_variables(&change));
    }
    return wrap_host_apply_edits(text, server, &change.edits, out);
}
