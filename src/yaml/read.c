/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - bytes -> events of libfyaml -> a tree, or the first thing that is wrong.
 *
 * The only file that sees <libfyaml.h>. Its event interface is used because it is iterative, linear
 * in the text and knows positions; its document interface would resolve aliases and recurse. Errors
 * are collected, never displayed.
 */
#include "yaml/yaml.h"

#include <assert.h>

#include <libfyaml.h>

#include "base/buf.h"
#include "base/str.h"
#include "yaml/build.h"

enum { MESSAGE_SHOWN = 160 }; /* bytes of what the library says */

struct yaml_read_reader {
    struct bt_yaml_build build;
    bt_str source;
    struct fy_diag *diag;
    struct fy_parser *parser;
    size_t after; /* offset behind the last token; what follows is blanks, comments, indicators */
    bool begun;   /* a document has begun */
};

struct bt_yaml_options bt_yaml_options_default(void)
{
    return (struct bt_yaml_options){.bytes_max = 1 << 20, .nodes_max = 100000, .depth_max = 64};
}

/*
 * The first of two bytes between the last token and `end`, without comments, or `end`. Indicators
 * such as ? and | do not produce events, but nothing else can stand there.
 */
static size_t find_between(const struct yaml_read_reader *reader, size_t end, char one, char other)
{
    bool in_comment = false;
    for (size_t i = reader->after; i < end; i++) {
        const char byte = reader->source.ptr[i];
        const bool may_begin = i == 0 || bt_yaml_is_blank(reader->source.ptr[i - 1]);
        in_comment = !bt_yaml_is_break(byte) && (in_comment || (byte == '#' && may_begin));
        if (!in_comment && (byte == one || byte == other)) {
            return i;
        }
    }
    return end;
}

/* Where a token begins, what stands before its first character included. */
static size_t begin_of(const struct yaml_read_reader *reader, const struct fy_mark *mark,
                       size_t before)
{
    if (!mark || mark->input_pos > reader->source.len) {
        return reader->after;
    }
    return mark->input_pos >= before ? mark->input_pos - before : 0;
}

/* The library counts lines by any line break, and columns in characters; both from 1. */
static size_t offset_of(bt_str source, int line, int column)
{
    size_t at = 0;
    for (int i = 1; i < line && at < source.len; i++) {
        while (at < source.len && !bt_yaml_is_break(source.ptr[at])) {
            at++;
        }
        const bool is_pair =
            at + 1 < source.len && source.ptr[at] == '\r' && source.ptr[at + 1] == '\n';
        at += is_pair ? 2 : 1;
    }
    for (int i = 1; i < column && at < source.len; i++) {
        uint32_t code_point = 0;
        at += bt_utf8_decode(source, at, &code_point);
    }
    return at < source.len ? at : source.len;
}

static void refuse_feature(struct yaml_read_reader *reader, const char *feature, size_t offset)
{
    bt_yaml_build_set_error(&reader->build, BT_YAML_UNSUPPORTED, offset,
                            BT_STR("this part of YAML is not used here"));
    reader->build.result.feature = bt_str_of(feature);
}

/* The library begins the tokens of anchors and aliases behind their & or *. */
static void refuse_token(struct yaml_read_reader *reader, const char *feature,
                         struct fy_token *token, size_t before)
{
    refuse_feature(reader, feature, begin_of(reader, fy_token_start_mark(token), before));
}

/*
 * Refuse a directive that comes next: a % that begins a line, with nothing before it but blanks,
 * comments and the end of a document.
 */
static void reject_directive(struct yaml_read_reader *reader)
{
    const bt_str source = reader->source;
    size_t at = reader->after;
    bool in_comment = false;
    for (; at < source.len; at++) {
        const char byte = source.ptr[at];
        in_comment = !bt_yaml_is_break(byte) && (in_comment || byte == '#');
        if (!in_comment && !bt_yaml_is_blank(byte) && byte != '.') {
            break;
        }
    }
    if (at < source.len && source.ptr[at] == '%' &&
        (at == 0 || bt_yaml_is_break(source.ptr[at - 1]))) {
        refuse_feature(reader, "directive", at);
    }
}

/* Whether there is as much memory as the library may need for this text. */
static bool has_memory(const struct yaml_read_reader *reader)
{
    struct bt_arena arena;
    const size_t size = 64 * reader->source.len + (1 << 20);
    bt_arena_init(&arena, 2 * size);
    const bool given = bt_arena_alloc(&arena, size) != NULL;
    bt_arena_free(&arena);
    return given;
}

/* The library failed and does not say why: a directive of a version it does not know, some slips in
 * the first line of a block, or no memory. */
static enum bt_status judge_silence(struct yaml_read_reader *reader)
{
    reject_directive(reader);
    if (!fy_diag_got_error(reader->diag) || !has_memory(reader)) {
        return BT_ENOMEM;
    }
    bt_yaml_build_set_error(&reader->build, BT_YAML_SYNTAX, reader->after,
                            BT_STR("what follows cannot be read"));
    return BT_OK;
}

/* Report why the library gave no event. */
static enum bt_status take_error(struct yaml_read_reader *reader)
{
    void *cursor = NULL;
    const struct fy_diag_error *error = fy_diag_errors_iterate(reader->diag, &cursor);
    while (error && error->type != FYET_ERROR) {
        error = fy_diag_errors_iterate(reader->diag, &cursor);
    }
    if (!error) {
        return judge_silence(reader);
    }
    struct bt_buf message;
    bt_str detail;
    bt_buf_init(&message, (size_t)8 * MESSAGE_SHOWN);
    bt_buf_put_printable(&message, bt_str_of(error->msg), MESSAGE_SHOWN);
    const enum bt_status status = bt_buf_finish(&message, reader->build.arena, &detail);
    if (status == BT_OK) {
        bt_yaml_build_set_error(&reader->build, BT_YAML_SYNTAX,
                                offset_of(reader->source, error->line, error->column), detail);
    }
    return status;
}

static void take_document(struct yaml_read_reader *reader, struct fy_event *event)
{
    const size_t begin = begin_of(reader, fy_event_start_mark(event), 0);
    if (reader->begun) {
        refuse_feature(reader, "document", begin);
        return;
    }
    reader->begun = true;
    reject_directive(reader);
}

/* True when the node is allowed: no anchor, no tag and, as a key, only a plain key. */
static bool is_allowed(struct yaml_read_reader *reader, struct fy_event *event, size_t begin)
{
    struct fy_token *anchor = fy_event_get_anchor_token(event);
    struct fy_token *tag = fy_event_get_tag_token(event);
    if (anchor) {
        refuse_token(reader, "anchor", anchor, 1);
        return false;
    }
    if (tag) {
        refuse_token(reader, "tag", tag, 0);
        return false;
    }
    if (!bt_yaml_build_wants_key(&reader->build)) {
        return true;
    }
    const size_t question = find_between(reader, begin, '?', '?');
    if (event->type != FYET_SCALAR || question < begin) {
        refuse_feature(reader, "complex-key", question);
        return false;
    }
    return true;
}

static enum bt_yaml_style style_of(struct fy_token *token)
{
    switch (token ? fy_token_scalar_style(token) : FYSS_PLAIN) {
    case FYSS_SINGLE_QUOTED:
    case FYSS_DOUBLE_QUOTED:
        return BT_YAML_STYLE_QUOTED;
    case FYSS_LITERAL:
    case FYSS_FOLDED:
        return BT_YAML_STYLE_BLOCK;
    case FYSS_ANY:
    case FYSS_PLAIN:
    case FYSS_MAX:
        break;
    }
    return BT_YAML_STYLE_PLAIN;
}

/* Over pairs of quotes the library miscounts and leaks, so single-quoted scalars are read here. */
static enum bt_status keep_single_quoted(struct yaml_read_reader *reader, struct fy_token *token,
                                         bt_str *out)
{
    const struct fy_mark *begin = fy_token_start_mark(token);
    const struct fy_mark *end = fy_token_end_mark(token);
    struct bt_buf buf;
    bt_buf_init(&buf, reader->source.len + 1);
    if (begin && end) {
        bt_yaml_put_single_quoted(&buf,
                                  bt_str_slice(reader->source, begin->input_pos, end->input_pos));
    }
    return bt_buf_finish(&buf, reader->build.arena, out);
}

static enum bt_status keep_text(struct yaml_read_reader *reader, struct fy_token *token,
                                bt_str *out)
{
    bt_str text = BT_STR("");
    if (token && fy_token_scalar_style(token) == FYSS_SINGLE_QUOTED) {
        return keep_single_quoted(reader, token, out);
    }
    if (token) {
        text.ptr = fy_token_get_text(token, &text.len);
        BT_TRY(text.ptr ? BT_OK : BT_ENOMEM);
    }
    if (bt_utf8_check(text) < text.len) {
        bt_yaml_build_set_error(&reader->build, BT_YAML_SYNTAX, reader->after,
                                BT_STR("what follows is not Unicode text"));
    }
    return bt_arena_copy(reader->build.arena, text, out);
}

/* A quoted token begins behind its quote, and a block behind its first line. */
static size_t scalar_begin(const struct yaml_read_reader *reader, const struct fy_mark *mark,
                           enum bt_yaml_style style)
{
    const size_t begin = begin_of(reader, mark, style == BT_YAML_STYLE_QUOTED ? 1 : 0);
    return style == BT_YAML_STYLE_BLOCK ? find_between(reader, begin, '|', '>') : begin;
}

static enum bt_status take_scalar(struct yaml_read_reader *reader, struct fy_event *event)
{
    struct fy_token *token = event->scalar.value;
    const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
    struct bt_yaml_node node = {.kind = BT_YAML_SCALAR, .style = style_of(token)};
    node.offset = scalar_begin(reader, mark, node.style);
    if (!is_allowed(reader, event, node.offset)) {
        return BT_OK;
    }
    BT_TRY(keep_text(reader, token, &node.text));
    if (reader->build.result.code != BT_YAML_ERROR_NONE) {
        return BT_OK;
    }
    if (!bt_yaml_build_wants_key(&reader->build)) {
        return bt_yaml_build_scalar(&reader->build, &node);
    }
    if (node.style == BT_YAML_STYLE_PLAIN && bt_str_eq(node.text, BT_STR("<<"))) {
        refuse_feature(reader, "merge", node.offset);
        return BT_OK;
    }
    bt_yaml_build_key(&reader->build, node.text, node.offset);
    return BT_OK;
}

static void take_begin(struct yaml_read_reader *reader, struct fy_event *event,
                       enum bt_yaml_kind kind)
{
    const size_t begin = begin_of(reader, fy_event_start_mark(event), 0);
    if (is_allowed(reader, event, begin)) {
        bt_yaml_build_begin(&reader->build, kind, begin);
    }
}

/* An empty text has no document. It is taken for one that says nothing. */
static enum bt_status take_stream_end(struct yaml_read_reader *reader)
{
    const struct bt_yaml_node nothing = {
        .kind = BT_YAML_SCALAR, .style = BT_YAML_STYLE_PLAIN, .offset = reader->source.len};
    reject_directive(reader);
    return bt_yaml_build_is_done(&reader->build) ? BT_OK
                                                 : bt_yaml_build_scalar(&reader->build, &nothing);
}

static enum bt_status take_event(struct yaml_read_reader *reader, struct fy_event *event)
{
    switch (event->type) {
    case FYET_DOCUMENT_START:
        take_document(reader, event);
        return BT_OK;
    case FYET_MAPPING_START:
        take_begin(reader, event, BT_YAML_MAPPING);
        return BT_OK;
    case FYET_SEQUENCE_START:
        take_begin(reader, event, BT_YAML_SEQUENCE);
        return BT_OK;
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        return bt_yaml_build_end(&reader->build);
    case FYET_SCALAR:
        return take_scalar(reader, event);
    case FYET_ALIAS:
        refuse_token(reader, "alias", event->alias.anchor, 1);
        return BT_OK;
    case FYET_STREAM_END:
        return take_stream_end(reader);
    case FYET_NONE:
    case FYET_STREAM_START:
    case FYET_DOCUMENT_END:
        break;
    }
    return BT_OK;
}

/* Each event eats at least a byte, or ends something that did: the loop is bounded by the text. */
static enum bt_status read_events(struct yaml_read_reader *reader)
{
    bool more = true;
    while (more && reader->build.result.code == BT_YAML_ERROR_NONE) {
        struct fy_event *event = fy_parser_parse(reader->parser);
        if (!event) {
            return take_error(reader);
        }
        const enum bt_status status = take_event(reader, event);
        const struct fy_mark *end = fy_event_end_mark(event);
        if (end && end->input_pos <= reader->source.len && end->input_pos > reader->after) {
            reader->after = end->input_pos;
        }
        more = event->type != FYET_STREAM_END;
        fy_parser_event_free(reader->parser, event);
        BT_TRY(status);
    }
    return BT_OK;
}

static enum bt_status open_parser(struct yaml_read_reader *reader)
{
    struct fy_diag_cfg diag;
    fy_diag_cfg_default(&diag);
    diag.fp = NULL;
    diag.colorize = false;
    reader->diag = fy_diag_create(&diag);
    BT_TRY(reader->diag ? BT_OK : BT_ENOMEM);
    fy_diag_set_collect_errors(reader->diag, true);
    /* Depth is ours to bound: the events need no stack, and our bound has a name. */
    const struct fy_parse_cfg config = {
        .search_path = "",
        .flags =
            FYPCF_QUIET | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE | FYPCF_DISABLE_DEPTH_LIMIT,
        .diag = reader->diag,
    };
    reader->parser = fy_parser_create(&config);
    if (!reader->parser ||
        fy_parser_set_string(reader->parser, reader->source.ptr, reader->source.len) != 0) {
        return BT_ENOMEM;
    }
    return BT_OK;
}

static enum bt_status read_source(struct yaml_read_reader *reader)
{
    bt_yaml_check_bytes(&reader->build, reader->source);
    if (bt_yaml_build_is_done(&reader->build)) {
        return BT_OK;
    }
    BT_TRY(open_parser(reader));
    return read_events(reader);
}

enum bt_status bt_yaml_read(struct bt_arena *arena, bt_str source,
                            const struct bt_yaml_options *options,
                            struct bt_yaml_read_result *out_result)
{
    assert(arena);
    assert(out_result);
    const struct bt_yaml_options by_default = bt_yaml_options_default();
    struct yaml_read_reader reader = {.source = source};
    enum bt_status status =
        bt_yaml_build_init(&reader.build, arena, options ? options : &by_default);
    if (status == BT_OK) {
        status = read_source(&reader);
    }
    fy_parser_destroy(reader.parser);
    fy_diag_destroy(reader.diag);
    if (status == BT_OK) {
        assert(bt_yaml_build_is_done(&reader.build));
        *out_result = reader.build.result;
    }
    bt_yaml_build_free(&reader.build);
    return status;
}
