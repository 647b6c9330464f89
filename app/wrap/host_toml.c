/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_toml.c - the MCP servers in settings that are TOML: the tables [mcp_servers.NAME].
 *
 * Tables, comments, strings and brackets are told apart everywhere; of values only those of the
 * keys below are read. The text of a server is the lines from the first to the last of these keys.
 */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "edit/edit.h"
#include "wrap/host_file.h"

enum {
    PARTS_MAX = 16,
    WORDS_MAX = 4096,
    VALUE_BYTES_MAX = 1 << 24,
};

/* The keys that a change concerns. */
enum toml_key {
    KEY_COMMAND,
    KEY_ARGS,
    KEY_URL,
    KEY_BEARER,
    KEY_ENV_VARS,
    KEY_HEADERS,
    KEY_ENV_HEADERS,
    KEY__MAX
};

static const bt_str key_names[KEY__MAX] = {BT_STR_INIT("command"),
                                           BT_STR_INIT("args"),
                                           BT_STR_INIT("url"),
                                           BT_STR_INIT("bearer_token_env_var"),
                                           BT_STR_INIT("env_vars"),
                                           BT_STR_INIT("http_headers"),
                                           BT_STR_INIT("env_http_headers")};

/* A key of a table and its value. */
struct toml_place {
    size_t begin; /* of the key; end 0: the table lacks it */
    size_t value;
    size_t end;
};

struct wrap_toml_table {
    struct toml_place keys[KEY__MAX];
    bool has_headers; /* as a table of its own, or dotted */
};

struct toml_reader {
    struct wrap_host_text *text;
    bt_str source;
    size_t at;
    BT_VEC(bt_str) early_headers; /* names of servers whose headers stand before their table */
    struct bt_error *error;
};

/* A key as it is written, perhaps with dots. */
struct toml_path {
    bt_str parts[PARTS_MAX];
    size_t count;
};

/* ---- White space and strings ----------------------------------------------------------------- */

static char byte_at(const struct toml_reader *reader)
{
    return reader->at < reader->source.len ? reader->source.ptr[reader->at] : '\0';
}

static bool stands_here(const struct toml_reader *reader, const char *word)
{
    return bt_str_starts_with(bt_str_slice(reader->source, reader->at, reader->source.len),
                              bt_str_of(word));
}

static enum bt_status refuse_text(const struct toml_reader *reader, const char *why)
{
    const struct bt_position at = bt_position_at(reader->source, reader->at);
    return bt_error_set(reader->error, BT_EINVAL, "line %u: %s", at.line, why);
}

static void skip_blanks(struct toml_reader *reader)
{
    while (byte_at(reader) == ' ' || byte_at(reader) == '\t') {
        reader->at++;
    }
}

static void skip_comment(struct toml_reader *reader)
{
    if (byte_at(reader) == '#') {
        reader->at = bt_str_find_byte(reader->source, '\n', reader->at);
    }
}

/* Skip white space, line ends and comments. */
static void skip_space(struct toml_reader *reader)
{
    size_t before = 0;
    do {
        before = reader->at;
        skip_blanks(reader);
        skip_comment(reader);
        if (byte_at(reader) == '\n' || stands_here(reader, "\r\n")) {
            reader->at += byte_at(reader) == '\n' ? 1 : 2;
        }
    } while (reader->at > before);
}

/* The end of a statement: a comment, and the end of the line or the text. */
static enum bt_status end_line(struct toml_reader *reader)
{
    skip_blanks(reader);
    skip_comment(reader);
    if (reader->at < reader->source.len && byte_at(reader) != '\n' &&
        !stands_here(reader, "\r\n")) {
        return refuse_text(reader, "something stands behind the end of a statement");
    }
    return BT_OK;
}

static bool is_quote(char byte)
{
    return byte == '"' || byte == '\'';
}

/* Skip a string of any of the four kinds; *out_is_line tells whether it stands on one line. */
static enum bt_status skip_string(struct toml_reader *reader, bool *out_is_line)
{
    const char quote = byte_at(reader);
    const bool is_long = stands_here(reader, quote == '"' ? "\"\"\"" : "'''");
    *out_is_line = !is_long;
    reader->at += is_long ? 3 : 1;
    while (reader->at < reader->source.len) {
        if (is_long && stands_here(reader, quote == '"' ? "\"\"\"" : "'''")) {
            reader->at += 3;
            while (byte_at(reader) == quote) { /* up to two quotes may stand before the last ones */
                reader->at++;
            }
            return BT_OK;
        }
        if (!is_long && byte_at(reader) == '\n') {
            break;
        }
        if (!is_long && byte_at(reader) == quote) {
            reader->at++;
            return BT_OK;
        }
        reader->at += quote == '"' && byte_at(reader) == '\\' ? 2 : 1;
    }
    return refuse_text(reader, "a string has no end");
}

/* The value of hexadecimal digits; SIZE_MAX when they are none. */
static size_t read_hex(bt_str digits)
{
    size_t value = 0;
    for (size_t i = 0; i < digits.len; i++) {
        const char *alphabet = "0123456789abcdef";
        const char byte = digits.ptr[i];
        const char lower = (char)(byte >= 'A' && byte <= 'F' ? byte - 'A' + 'a' : byte);
        const char *digit = lower != '\0' ? strchr(alphabet, lower) : NULL;
        if (!digit) {
            return SIZE_MAX;
        }
        value = value * 16 + (size_t)(digit - alphabet);
    }
    return value;
}

/* Put what an escape stands for; *at is behind the backslash. False: TOML has no such escape. */
static bool put_escape(struct bt_buf *buf, bt_str text, size_t *at)
{
    static const char names[] = "btnfre\"\\";
    static const char bytes[] = "\b\t\n\f\r\x1b\"\\";
    char encoded[4];
    const char byte = *at < text.len ? text.ptr[*at] : '\0';
    const char *name = byte != '\0' ? strchr(names, byte) : NULL;
    *at += 1;
    if (name) {
        bt_buf_put_char(buf, bytes[name - names]);
        return true;
    }
    const size_t size = byte == 'u' ? 4 : byte == 'U' ? 8 : 0;
    const size_t code = size > 0 && *at + size <= text.len
                            ? read_hex(bt_str_slice(text, *at, *at + size))
                            : SIZE_MAX;
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
        return false;
    }
    *at += size;
    bt_buf_put(buf, (bt_str){encoded, bt_utf8_encode((uint32_t)code, encoded)});
    return true;
}

/* Read a string on one line. BT_EINVAL: it is something else. */
static enum bt_status read_string(struct toml_reader *reader, bt_str *out)
{
    const size_t begin = reader->at;
    bool is_line = false;
    struct bt_buf buf;
    if (!is_quote(byte_at(reader))) {
        return refuse_text(reader, "a string in quotes is wanted");
    }
    BT_TRY(skip_string(reader, &is_line));
    if (!is_line) {
        return refuse_text(reader, "a string on one line is wanted");
    }
    const bt_str inner = bt_str_slice(reader->source, begin + 1, reader->at - 1);
    if (reader->source.ptr[begin] == '\'') {
        return bt_arena_copy(reader->text->arena, inner, out);
    }
    bt_buf_init(&buf, VALUE_BYTES_MAX);
    for (size_t at = 0; at < inner.len;) {
        if (inner.ptr[at] != '\\') {
            bt_buf_put_char(&buf, inner.ptr[at++]);
            continue;
        }
        at++;
        if (!put_escape(&buf, inner, &at)) {
            bt_buf_free(&buf);
            return refuse_text(reader, "an unknown escape");
        }
    }
    return bt_buf_finish(&buf, reader->text->arena, out);
}

/* ---- Statements ------------------------------------------------------------------------------ */

static bool is_bare(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '-';
}

static enum bt_status read_path(struct toml_reader *reader, struct toml_path *out)
{
    *out = (struct toml_path){.count = 0};
    for (;;) { /* ends, because every turn takes a part */
        skip_blanks(reader);
        const size_t begin = reader->at;
        while (is_bare(byte_at(reader))) {
            reader->at++;
        }
        if (out->count == PARTS_MAX) {
            return refuse_text(reader, "a key has too many parts");
        }
        bt_str *part = &out->parts[out->count++];
        *part = bt_str_slice(reader->source, begin, reader->at);
        if (part->len == 0) {
            BT_TRY(read_string(reader, part));
        }
        skip_blanks(reader);
        if (byte_at(reader) != '.') {
            return BT_OK;
        }
        reader->at++;
    }
}

/* Skip a value: what stands before the end of the line or a comment, outside brackets. */
static enum bt_status skip_value(struct toml_reader *reader, size_t *out_end)
{
    const size_t begin = reader->at;
    size_t depth = 0;
    bool is_line = false;
    *out_end = begin;
    while (reader->at < reader->source.len) {
        const char byte = byte_at(reader);
        if (depth == 0 && (byte == '\n' || byte == '#')) {
            break;
        }
        if (byte == '#') {
            skip_comment(reader);
            continue;
        }
        if ((byte == ']' || byte == '}') && depth == 0) {
            return refuse_text(reader, "a bracket was not opened");
        }
        depth += byte == '[' || byte == '{' ? 1 : 0;
        depth -= byte == ']' || byte == '}' ? 1 : 0;
        if (is_quote(byte)) {
            BT_TRY(skip_string(reader, &is_line));
        } else {
            reader->at++;
        }
        *out_end = byte == ' ' || byte == '\t' || byte == '\r' ? *out_end : reader->at;
    }
    return depth > 0           ? refuse_text(reader, "a bracket is not closed")
           : *out_end == begin ? refuse_text(reader, "a key has no value")
                               : BT_OK;
}

/* ---- Servers --------------------------------------------------------------------------------- */

static struct wrap_host_server *find_server(const struct toml_reader *reader, bt_str name)
{
    struct wrap_host_text *text = reader->text;
    for (size_t i = 0; i < text->count; i++) {
        if (bt_str_eq(text->servers[i].name, name)) {
            return &text->servers[i];
        }
    }
    return NULL;
}

/* A server that is not written as a table of its own. */
static enum bt_status add_other_form(struct toml_reader *reader, bt_str name)
{
    struct wrap_host_server *known = find_server(reader, name);
    const struct wrap_host_server server = {
        .name = name,
        .command = BT_STR(""),
        .url = BT_STR(""),
        .problem = "it is written in a dotted or inline form, not as a table [mcp_servers.NAME]"};
    if (known) {
        known->problem = server.problem;
        return BT_OK;
    }
    return wrap_host_add_server(reader->text, &server);
}

static enum bt_status add_table(struct toml_reader *reader, bt_str name)
{
    struct wrap_toml_table *table = BT_NEW_ARRAY(reader->text->arena, struct wrap_toml_table, 1);
    const struct wrap_host_server server = {.name = name,
                                            .command = BT_STR(""),
                                            .url = BT_STR(""),
                                            .bearer_env = BT_STR(""),
                                            .table = table};
    if (find_server(reader, name)) {
        return refuse_text(reader, "a server is defined twice");
    }
    if (table) {
        table->has_headers =
            bt_str_index_in(name, reader->early_headers.items, reader->early_headers.count) <
            reader->early_headers.count;
    }
    return table ? wrap_host_add_server(reader->text, &server) : BT_ENOMEM;
}

static bool names_servers(bt_str part)
{
    return bt_str_eq(part, BT_STR("mcp_servers"));
}

static bool is_headers(bt_str part)
{
    return bt_str_eq(part, key_names[KEY_HEADERS]) || bt_str_eq(part, key_names[KEY_ENV_HEADERS]);
}

/* Read [PATH] or [[PATH]]; *out is the table that the following keys belong to. */
static enum bt_status read_header(struct toml_reader *reader, struct toml_path *out)
{
    const bool is_list = stands_here(reader, "[[");
    reader->at += is_list ? 2 : 1;
    BT_TRY(read_path(reader, out));
    if (!stands_here(reader, is_list ? "]]" : "]")) {
        return refuse_text(reader, "the name of a table is not closed");
    }
    reader->at += is_list ? 2 : 1;
    BT_TRY(end_line(reader));
    if (!names_servers(out->parts[0]) || out->count < 2) {
        return BT_OK;
    }
    if (out->count > 2) {
        struct wrap_host_server *server = find_server(reader, out->parts[1]);
        if (!is_headers(out->parts[2])) {
            return BT_OK;
        }
        if (!server) {
            return bt_vec_push(reader->text->arena, &reader->early_headers, out->parts[1]);
        }
        if (server->table) {
            server->table->has_headers = true;
        }
        return BT_OK;
    }
    return is_list ? add_other_form(reader, out->parts[1]) : add_table(reader, out->parts[1]);
}

/* Note a key of a server's own table. */
static enum bt_status note_key(struct toml_reader *reader, bt_str server_name,
                               const struct toml_path *key, const struct toml_place *place)
{
    struct wrap_host_server *server = find_server(reader, server_name);
    const size_t index = bt_str_index_in(key->parts[0], key_names, KEY__MAX);
    if (!server || !server->table || index == KEY__MAX) {
        return BT_OK;
    }
    struct toml_place *known = &server->table->keys[index];
    if (key->count > 1 && is_headers(key->parts[0])) {
        server->table->has_headers = true;
        return BT_OK;
    }
    if (key->count > 1) {
        return add_other_form(reader, server_name);
    }
    if (known->end > 0) {
        return refuse_text(reader, "a key is defined twice");
    }
    *known = *place;
    return BT_OK;
}

static enum bt_status read_assignment(struct toml_reader *reader, const struct toml_path *table)
{
    struct toml_place place = {.begin = reader->at};
    struct toml_path key;
    BT_TRY(read_path(reader, &key));
    if (byte_at(reader) != '=') {
        return refuse_text(reader, "a key is not followed by =");
    }
    reader->at++;
    skip_blanks(reader);
    place.value = reader->at;
    BT_TRY(skip_value(reader, &place.end));
    BT_TRY(end_line(reader));
    if (table->count == 0 && names_servers(key.parts[0])) {
        return key.count == 1 ? refuse_text(reader, "mcp_servers is not written as tables")
                              : add_other_form(reader, key.parts[1]);
    }
    if (table->count == 0 || !names_servers(table->parts[0])) {
        return BT_OK;
    }
    return table->count == 1   ? add_other_form(reader, key.parts[0])
           : table->count == 2 ? note_key(reader, table->parts[1], &key, &place)
                               : BT_OK;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* Read the value of a key as a string on one line; "" when the table lacks it. */
static bool take_string(struct toml_reader *reader, const struct toml_place *place, bt_str *out)
{
    *out = BT_STR("");
    reader->at = place->value;
    return place->end == 0 || (read_string(reader, out) == BT_OK && reader->at == place->end);
}

/* Read the value of a key as an array of such strings. */
static bool take_strings(struct toml_reader *reader, const struct toml_place *place,
                         struct bt_str_list *out)
{
    bt_str *items = BT_NEW_ARRAY(reader->text->arena, bt_str, WORDS_MAX);
    size_t count = 0;
    reader->at = place->value;
    if (place->end == 0) {
        return true;
    }
    if (!items || byte_at(reader) != '[') {
        return false;
    }
    do {
        reader->at++;
        skip_space(reader);
        if (byte_at(reader) == ']') {
            break;
        }
        if (count == WORDS_MAX || read_string(reader, &items[count]) != BT_OK) {
            return false;
        }
        count++;
        skip_space(reader);
    } while (byte_at(reader) == ',');
    *out = (struct bt_str_list){items, count};
    return byte_at(reader) == ']' && reader->at + 1 == place->end;
}

/* What keeps a server from being changed, or NULL. */
static const char *read_server(struct toml_reader *reader, struct wrap_host_server *server)
{
    const struct wrap_toml_table *table = server->table;
    const struct toml_place *keys = table->keys;
    if (!take_string(reader, &keys[KEY_COMMAND], &server->command)) {
        return "its command is not a string on one line";
    }
    if (!take_strings(reader, &keys[KEY_ARGS], &server->args)) {
        return "its args are not an array of strings on one line each";
    }
    if (!take_string(reader, &keys[KEY_URL], &server->url) ||
        !take_string(reader, &keys[KEY_BEARER], &server->bearer_env)) {
        return "its url or bearer_token_env_var is not a string on one line";
    }
    server->transport = server->command.len > 0 ? WRAP_TRANSPORT_STDIO
                        : server->url.len > 0   ? WRAP_TRANSPORT_HTTP
                                                : WRAP_TRANSPORT_NONE;
    if ((server->command.len > 0) == (server->url.len > 0)) {
        return server->url.len > 0 ? "it has a command and a URL"
                                   : "it has neither a command nor a URL";
    }
    if (server->url.len > 0 &&
        (table->has_headers || keys[KEY_HEADERS].end > 0 || keys[KEY_ENV_HEADERS].end > 0)) {
        return "it has headers, which can only be passed by bearer_token_env_var";
    }
    return server->url.len > 0 && keys[KEY_ENV_VARS].end + keys[KEY_ARGS].end > 0
               ? "it has a URL and args or env_vars"
               : NULL;
}

/* The lines from the first to the last key that a change concerns. */
static struct bt_json_span find_lines(bt_str source, const struct wrap_toml_table *table)
{
    struct bt_json_span span = {SIZE_MAX, 0};
    for (size_t i = 0; i < KEY__MAX; i++) {
        const struct toml_place *place = &table->keys[i];
        if (place->end > 0) {
            span.begin = place->begin < span.begin ? place->begin : span.begin;
            span.end = place->end > span.end ? place->end : span.end;
        }
    }
    if (span.end == 0) {
        return (struct bt_json_span){0, 0};
    }
    while (span.begin > 0 && source.ptr[span.begin - 1] != '\n') {
        span.begin--;
    }
    span.end = bt_str_find_byte(source, '\n', span.end);
    span.end -= span.end < source.len && source.ptr[span.end - 1] == '\r' ? 1 : 0;
    return span;
}

enum bt_status wrap_host_toml_read(struct wrap_host_text *text, struct bt_error *error)
{
    struct toml_reader reader = {.text = text, .source = text->text, .error = error};
    struct toml_path table = {.count = 0};
    for (skip_space(&reader); reader.at < reader.source.len; skip_space(&reader)) {
        BT_TRY(byte_at(&reader) == '[' ? read_header(&reader, &table)
                                       : read_assignment(&reader, &table));
    }
    reader.error = NULL;
    for (size_t i = 0; i < text->count; i++) {
        struct wrap_host_server *server = &text->servers[i];
        if (server->table && !server->problem) {
            server->problem = read_server(&reader, server);
            server->span = find_lines(text->text, server->table);
        }
    }
    return BT_OK;
}

/* ---- Changing -------------------------------------------------------------------------------- */

/* Put a basic string. */
static void put_string(struct bt_buf *buf, bt_str text)
{
    bt_buf_put_char(buf, '"');
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char byte = (unsigned char)text.ptr[i];
        if (byte == '"' || byte == '\\') {
            bt_buf_put_char(buf, '\\');
            bt_buf_put_char(buf, (char)byte);
        } else if (byte < ' ' || byte == 0x7F) {
            bt_buf_printf(buf, "\\u%04X", byte);
        } else {
            bt_buf_put_char(buf, (char)byte);
        }
    }
    bt_buf_put_char(buf, '"');
}

static void put_args(struct bt_buf *buf, struct bt_str_list args)
{
    bt_buf_put_text(buf, "args = [");
    for (size_t i = 0; i < args.count; i++) {
        bt_buf_put_text(buf, i > 0 ? ", " : "");
        put_string(buf, args.items[i]);
    }
    bt_buf_put_char(buf, ']');
}

/* Begin a line below that of `place`, as far to the right. */
static void put_line_break(struct bt_buf *buf, bt_str source, const struct toml_place *place)
{
    size_t begin = place->begin;
    const size_t end = bt_str_find_byte(source, '\n', place->end);
    while (begin > 0 && source.ptr[begin - 1] != '\n') {
        begin--;
    }
    bt_buf_put_text(buf, end < source.len && source.ptr[end - 1] == '\r' ? "\r\n" : "\n");
    bt_buf_put(buf, bt_str_slice(source, begin, place->begin));
}

/* Replace a span by the content of a buffer, which is freed. */
static enum bt_status replace_part(const struct wrap_host_text *text, struct bt_edit_list *edits,
                                   struct bt_json_span span, struct bt_buf *buf)
{
    bt_str with;
    BT_TRY(bt_buf_finish(buf, text->arena, &with));
    return wrap_host_add_edit(text, edits, span, with);
}

static enum bt_status set_args(const struct wrap_host_text *text, const struct toml_place *keys,
                               struct bt_str_list args, struct bt_edit_list *edits)
{
    const struct toml_place *place =
        keys[KEY_COMMAND].end > 0 ? &keys[KEY_COMMAND] : &keys[KEY_URL];
    struct bt_json_span span = {keys[KEY_ARGS].begin, keys[KEY_ARGS].end};
    struct bt_buf buf;
    bt_buf_init(&buf, VALUE_BYTES_MAX);
    if (span.end == 0) { /* below the command, behind its comment */
        put_line_break(&buf, text->text, place);
        const size_t end = bt_str_find_byte(text->text, '\n', place->end);
        span.begin = end - (end < text->text.len && text->text.ptr[end - 1] == '\r' ? 1 : 0);
        span.end = span.begin;
    }
    put_args(&buf, args);
    return replace_part(text, edits, span, &buf);
}

enum bt_status wrap_host_toml_change(const struct wrap_host_text *text,
                                     const struct wrap_host_server *server,
                                     const struct wrap_host_change *change, bt_str *out)
{
    const struct toml_place *keys = server->table->keys;
    const struct toml_place *place =
        keys[KEY_COMMAND].end > 0 ? &keys[KEY_COMMAND] : &keys[KEY_URL];
    const struct toml_place *bearer = &keys[KEY_BEARER];
    struct bt_edit_list edits = {0};
    struct bt_buf buf;
    bt_buf_init(&buf, VALUE_BYTES_MAX);
    bt_buf_put_text(&buf, "command = ");
    put_string(&buf, change->command);
    BT_TRY(replace_part(text, &edits, (struct bt_json_span){place->begin, place->end}, &buf));
    BT_TRY(set_args(text, keys, change->args, &edits));
    if (server->url.len > 0 && bearer->end > 0) {
        bt_buf_put_text(&buf, "env_vars = [");
        put_string(&buf, server->bearer_env);
        bt_buf_put_char(&buf, ']');
        BT_TRY(replace_part(text, &edits, (struct bt_json_span){bearer->begin, bearer->end}, &buf));
    }
    return wrap_host_apply_edits(text, server, &edits, out);
}
