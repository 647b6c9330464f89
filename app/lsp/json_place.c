/* SPDX-License-Identifier: Apache-2.0 */
/* json_place.c - where an offset is in a text that should be JSON. */
#include "lsp/json_place.h"

#include <string.h>

#include "base/ascii.h"

/* ---- Tokens ---------------------------------------------------------------------------------- */

struct lsp_json_token {
    struct lsp_span span;
    char first; /* its first byte; '\0': the end of the text */
    bool is_closed;
};

/* The end of a string that begins at `at`; it ends with its line at the latest. */
static size_t find_string_end(bt_str text, size_t at, size_t end, bool *out_closed)
{
    size_t i = at + 1;
    *out_closed = false;
    while (i < end && text.ptr[i] != '\n' && text.ptr[i] != '\r') {
        if (text.ptr[i] == '"') {
            *out_closed = true;
            return i + 1;
        }
        i += text.ptr[i] == '\\' && i + 1 < end ? 2 : 1;
    }
    return i < end ? i : end;
}

static bool is_delimiter(char byte)
{
    return bt_ascii_is_space(byte) || (byte != '\0' && strchr("{}[]:,\"", byte));
}

static struct lsp_json_token read_token(bt_str text, size_t at, size_t end)
{
    while (at < end && bt_ascii_is_space(text.ptr[at])) {
        at++;
    }
    struct lsp_json_token token = {.span = {at, at}, .first = '\0'};
    if (at == end) {
        return token;
    }
    token.first = text.ptr[at];
    if (token.first == '"') {
        token.span.end = find_string_end(text, at, end, &token.is_closed);
        return token;
    }
    token.span.end = at + 1;
    while (!is_delimiter(token.first) && token.span.end < end &&
           !is_delimiter(text.ptr[token.span.end])) {
        token.span.end++;
    }
    return token;
}

/* ---- Containers ------------------------------------------------------------------------------ */

enum lsp_json_expectation {
    LSP_JSON_EXPECTS_VALUE = 0,
    LSP_JSON_EXPECTS_NAME,
    LSP_JSON_EXPECTS_COLON,
    LSP_JSON_EXPECTS_COMMA,
};

/* The containers that are open, and what comes next in each. Level 0 is the text itself. */
struct lsp_json_scan {
    bt_str text;
    struct lsp_json_level {
        struct lsp_json_step step; /* to the child that is being read */
        size_t open;
        enum lsp_json_expectation next;
        bool is_object;
    } levels[LSP_JSON_DEPTH_MAX + 1];
    size_t depth;    /* of the innermost */
    size_t too_deep; /* containers that are open beyond the limit */
};

static void open_container(struct lsp_json_scan *scan, const struct lsp_json_token *token)
{
    if (scan->too_deep > 0 || scan->depth == LSP_JSON_DEPTH_MAX) {
        scan->too_deep++;
        return;
    }
    const bool is_object = token->first == '{';
    scan->levels[++scan->depth] = (struct lsp_json_level){
        .open = token->span.begin,
        .next = is_object ? LSP_JSON_EXPECTS_NAME : LSP_JSON_EXPECTS_VALUE,
        .is_object = is_object,
    };
}

static void close_container(struct lsp_json_scan *scan)
{
    if (scan->too_deep > 0) {
        scan->too_deep--;
    } else if (scan->depth > 0) {
        scan->depth--;
        scan->levels[scan->depth].next = LSP_JSON_EXPECTS_COMMA;
    }
}

/* True when a scalar at this level is the name of a member; a comma may be missing before it. */
static bool takes_name(const struct lsp_json_level *level)
{
    return level->is_object &&
           (level->next == LSP_JSON_EXPECTS_NAME || level->next == LSP_JSON_EXPECTS_COMMA);
}

static bt_str slice_content(bt_str text, const struct lsp_json_token *token)
{
    const bool is_string = token->first == '"';
    return bt_str_slice(text, token->span.begin + is_string,
                        token->span.end - (is_string && token->is_closed));
}

static void take_scalar(struct lsp_json_scan *scan, const struct lsp_json_token *token)
{
    struct lsp_json_level *level = &scan->levels[scan->depth];
    if (takes_name(level)) {
        level->step.name = slice_content(scan->text, token);
        level->next = LSP_JSON_EXPECTS_COLON;
    } else {
        level->next = LSP_JSON_EXPECTS_COMMA;
    }
}

static void take_comma(struct lsp_json_level *level)
{
    level->next = level->is_object ? LSP_JSON_EXPECTS_NAME : LSP_JSON_EXPECTS_VALUE;
    level->step.index++;
}

static void take_token(struct lsp_json_scan *scan, const struct lsp_json_token *token)
{
    struct lsp_json_level *level = &scan->levels[scan->depth];
    if (token->first == '{' || token->first == '[') {
        open_container(scan, token);
    } else if (token->first == '}' || token->first == ']') {
        close_container(scan);
    } else if (scan->too_deep > 0) {
        return;
    } else if (token->first == ':') {
        level->next = LSP_JSON_EXPECTS_VALUE;
    } else if (token->first == ',') {
        take_comma(level);
    } else {
        take_scalar(scan, token);
    }
}

/* ---- Places ---------------------------------------------------------------------------------- */

/* True when the offset is on a scalar: in a string, or at either end of a word. */
static bool is_on_token(const struct lsp_json_token *token, size_t offset)
{
    if (token->first == '\0' || strchr("{}[]:,", token->first) || offset < token->span.begin) {
        return false;
    }
    const bool has_end = token->first == '"' && token->is_closed;
    return has_end ? offset < token->span.end : offset <= token->span.end;
}

static void set_place(const struct lsp_json_scan *scan, struct lsp_json_place *out)
{
    const struct lsp_json_level *level = &scan->levels[scan->depth];
    if (scan->too_deep > 0) {
        return;
    }
    const bool is_name =
        level->is_object &&
        (level->next == LSP_JSON_EXPECTS_NAME ||
         (level->next == LSP_JSON_EXPECTS_COMMA && out->token.end > out->token.begin));
    out->role = is_name                                 ? LSP_JSON_NAME
                : level->next == LSP_JSON_EXPECTS_VALUE ? LSP_JSON_VALUE
                                                        : LSP_JSON_NOWHERE;
    out->container = level->open;
    for (size_t i = 1; i <= scan->depth; i++) {
        struct lsp_json_step step = scan->levels[i].step;
        if (!scan->levels[i].is_object) {
            step.name = (bt_str){NULL, 0};
        }
        out->path[i - 1] = step;
    }
    out->depth = scan->depth;
    if (is_name) {
        out->depth--;
        out->path[out->depth].name =
            bt_str_slice(scan->text, out->token.begin + out->is_string,
                         out->token.end - (out->is_string && out->is_closed));
    }
}

void lsp_json_place_find(bt_str text, struct lsp_span body, size_t offset,
                         struct lsp_json_place *out)
{
    struct lsp_json_scan scan = {.text = text};
    *out = (struct lsp_json_place){.token = {offset, offset}};
    for (size_t at = body.begin;;) { /* ends, because every token but the last moves `at` */
        const struct lsp_json_token token = read_token(text, at, body.end);
        if (is_on_token(&token, offset)) {
            out->token = token.span;
            out->is_string = token.first == '"';
            out->is_closed = token.is_closed;
            break;
        }
        if (token.first == '\0' || token.span.begin >= offset) {
            break;
        }
        take_token(&scan, &token);
        at = token.span.end;
    }
    set_place(&scan, out);
}

bool lsp_json_place_is(const struct lsp_json_place *place, size_t drop, const char *const *names,
                       size_t count)
{
    bool is_equal = place->depth == count + drop;
    for (size_t i = 0; is_equal && i < count; i++) {
        const struct lsp_json_step *step = &place->path[i];
        is_equal = step->name.ptr ? bt_str_eq(step->name, bt_str_of(names[i]))
                                  : strcmp(names[i], "*") == 0;
    }
    return is_equal;
}

struct lsp_span lsp_json_content(const struct lsp_json_place *place)
{
    struct lsp_span span = place->token;
    span.begin += place->is_string;
    span.end -= place->is_string && place->is_closed;
    return span;
}

/* ---- Members --------------------------------------------------------------------------------- */

/*
 * Look through the members of an object for one of this name, other than the token at `except`;
 * *out_value is the token after its colon.
 */
static bool find_member(bt_str text, struct lsp_span body, size_t container, bt_str name,
                        size_t except, struct lsp_json_token *out_value)
{
    struct lsp_json_scan scan = {.text = text};
    bool is_found = false;
    for (size_t at = container;;) { /* ends, because every token but the last moves `at` */
        const struct lsp_json_token token = read_token(text, at, body.end);
        const bool is_own = scan.depth == 1 && scan.too_deep == 0;
        if (is_found && token.first != ':') {
            *out_value = token;
            return true;
        }
        if (is_own && takes_name(&scan.levels[1]) && token.first == '"') {
            is_found = token.span.begin != except && bt_str_eq(slice_content(text, &token), name);
        }
        take_token(&scan, &token);
        at = token.span.end;
        if (token.first == '\0' || scan.depth == 0) {
            return is_found;
        }
    }
}

bt_str lsp_json_sibling(bt_str text, struct lsp_span body, size_t container, bt_str name)
{
    struct lsp_json_token value = {.first = '\0'};
    return find_member(text, body, container, name, SIZE_MAX, &value) && value.first == '"'
               ? slice_content(text, &value)
               : BT_STR("");
}

bool lsp_json_has_member(bt_str text, struct lsp_span body, size_t container, bt_str name,
                         size_t except)
{
    struct lsp_json_token value = {.first = '\0'};
    return find_member(text, body, container, name, except, &value);
}
