/* SPDX-License-Identifier: Apache-2.0 */
/* reader.c - lines become objects, the first that fits tells the format, which makes the events. */
#include "transcript/reader.h"

#include <assert.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/str.h"
#include "json/options.h"
#include "json/walk.h"
#include "transcript/scan.h"

enum {
    OWN_BYTES_MORE = 4096, /* of the arena itself */
    KEPT_BYTES_MAX = 8 << 20,
    LINE_MEMORY_MAX = 192 << 20, /* of the longest line, all of it escapes */
    NODES_MAX = 4 << 20,
    DEPTH_MAX = 512,
};

bt_str bt_transcript_format_name(enum bt_transcript_format format)
{
    static const bt_str names[] = {BT_STR_INIT(""), BT_STR_INIT("claude"), BT_STR_INIT("codex")};
    return names[format];
}

bt_str bt_call_kind_name(enum bt_call_kind kind)
{
    static const bt_str names[] = {BT_STR_INIT("opaque"), BT_STR_INIT("command"),
                                   BT_STR_INIT("edit"), BT_STR_INIT("reading")};
    return names[kind];
}

bt_str bt_call_reason_name(enum bt_call_reason reason)
{
    static const bt_str names[] = {BT_STR_INIT(""), BT_STR_INIT("pending"), BT_STR_INIT("host"),
                                   BT_STR_INIT("background"), BT_STR_INIT("interrupted")};
    return names[reason];
}

/* ---- Values ---------------------------------------------------------------------------------- */

const bt_json_value *bt_transcript_get(const struct bt_transcript_reader *reader,
                                       const bt_json_value *object, const char *name)
{
    return bt_json_get(reader->object.document, object, bt_str_of(name));
}

bt_str bt_transcript_text(const struct bt_transcript_reader *reader, const bt_json_value *object,
                          const char *name)
{
    const bt_json_value *value = bt_transcript_get(reader, object, name);
    return value ? bt_json_text(value) : BT_STR("");
}

uint64_t bt_transcript_count(const struct bt_transcript_reader *reader, const bt_json_value *object,
                             const char *name)
{
    const bt_json_value *value = bt_transcript_get(reader, object, name);
    const bool is_count = value && bt_json_type(value) == BT_JSON_INTEGER && value->as.integer >= 0;
    return is_count ? (uint64_t)value->as.integer : 0;
}

bool bt_transcript_is_true(const struct bt_transcript_reader *reader, const bt_json_value *object,
                           const char *name)
{
    const bt_json_value *value = bt_transcript_get(reader, object, name);
    return value && bt_json_type(value) == BT_JSON_TRUE;
}

enum bt_status bt_transcript_join_text(struct bt_transcript_reader *reader,
                                       const bt_json_value *value, bool texts_only, bt_str *out)
{
    *out = value ? bt_json_text(value) : BT_STR("");
    if (!value || bt_json_type(value) != BT_JSON_ARRAY) {
        return BT_OK;
    }
    struct bt_buf buf;
    bt_buf_init(&buf, BT_TRANSCRIPT_LINE_BYTES_MAX);
    bool is_first = true;
    for (size_t i = 0; i < bt_json_count(value); i++) {
        const bt_json_value *item = &bt_json_items(value)[i];
        const bt_json_value *text = bt_transcript_get(reader, item, "text");
        const bool counts =
            !texts_only || bt_str_eq(bt_transcript_text(reader, item, "type"), BT_STR("text"));
        if (counts && text && bt_json_type(text) == BT_JSON_STRING) {
            bt_buf_put_text(&buf, is_first ? "" : "\n");
            bt_buf_put(&buf, bt_json_text(text));
            is_first = false;
        }
    }
    return bt_buf_finish(&buf, &reader->line, out);
}

enum bt_status bt_transcript_all_text(struct bt_transcript_reader *reader,
                                      const bt_json_value *value, bt_str *out)
{
    struct bt_buf buf;
    struct bt_json_walk walk;
    struct bt_json_walk_value at;
    *out = value ? bt_json_text(value) : BT_STR("");
    if (!value || bt_json_count(value) == 0) {
        return BT_OK;
    }
    bt_buf_init(&buf, BT_TRANSCRIPT_LINE_BYTES_MAX);
    bt_json_walk_begin(&walk, value);
    while (bt_json_walk_next(&walk, &at)) {
        if (bt_json_type(at.value) == BT_JSON_STRING) {
            bt_buf_put(&buf, bt_json_text(at.value));
            bt_buf_put_char(&buf, '\n');
        }
    }
    return bt_buf_finish(&buf, &reader->line, out);
}

/* The entry of a name, which is copied when it is new. */
static enum bt_status keep_name(struct bt_transcript_reader *reader, bt_str name,
                                struct bt_map_entry **out)
{
    bt_str copy;
    *out = bt_map_find(&reader->names, bt_map_text(name));
    if (*out) {
        return BT_OK;
    }
    BT_TRY(bt_arena_copy(&reader->kept, name, &copy));
    return bt_map_add(&reader->names, bt_map_text(copy), out);
}

enum bt_status bt_transcript_keep_name(struct bt_transcript_reader *reader, bt_str name,
                                       bt_str *out)
{
    struct bt_map_entry *entry = NULL;
    BT_TRY(keep_name(reader, name, &entry));
    *out = entry->key.text;
    return BT_OK;
}

enum bt_status bt_transcript_add_agent(struct bt_transcript_reader *reader, bt_str name,
                                       bt_str *out)
{
    struct bt_map_entry *entry = NULL;
    BT_TRY(keep_name(reader, name, &entry));
    if (entry->value.number == 0) {
        BT_TRY(bt_vec_push_max(&reader->kept, &reader->agents, BT_TRANSCRIPT_AGENTS_MAX,
                               entry->key.text));
        entry->value.number = reader->agents.count;
        reader->state.agents = reader->agents.items;
        reader->state.agent_count = reader->agents.count;
    }
    *out = entry->key.text;
    return BT_OK;
}

/* ---- Opening --------------------------------------------------------------------------------- */

static enum bt_status begin_reading(struct bt_transcript_reader *reader)
{
    bt_arena_reset(&reader->kept);
    bt_map_init(&reader->names, &reader->kept, reader->json.hash_seed);
    reader->agents.items = NULL;
    reader->agents.count = 0;
    reader->agents.capacity = 0;
    reader->object = (struct bt_transcript_object){0};
    reader->at = (struct bt_transcript_line){0};
    reader->state = (struct bt_transcript_state){
        .own_agent = BT_STR("-"), .thread = BT_STR(""), .parent = BT_STR("")};
    reader->is_begun = false;
    reader->is_open = false;
    reader->codex = (struct bt_transcript_codex){.first_id = BT_STR(""), .model = BT_STR("")};
    return bt_sha256_begin(&reader->hash);
}

enum bt_status bt_transcript_open(bt_str path, const struct bt_transcript_options *options,
                                  struct bt_transcript_reader **out, struct bt_error *error)
{
    assert(options);
    assert(out);
    struct bt_transcript_lines lines;
    BT_TRY(bt_transcript_lines_open(path, options->owned_only, &lines, error));
    struct bt_arena own;
    bt_arena_init(&own, sizeof(struct bt_transcript_reader) + OWN_BYTES_MORE);
    struct bt_transcript_reader *reader = BT_NEW(&own, struct bt_transcript_reader);
    if (!reader) {
        bt_transcript_lines_close(&lines);
        return BT_ENOMEM;
    }
    reader->own = own;
    reader->lines = lines;
    reader->lines.deadline_ms = options->deadline_ms;
    bt_arena_init(&reader->kept, KEPT_BYTES_MAX);
    bt_arena_init(&reader->line, LINE_MEMORY_MAX);
    bt_arena_init(&reader->parse, LINE_MEMORY_MAX);
    reader->json = bt_json_options_default();
    reader->json.document_bytes_max = BT_TRANSCRIPT_LINE_BYTES_MAX;
    reader->json.string_bytes_max = BT_TRANSCRIPT_LINE_BYTES_MAX;
    reader->json.nodes_max = NODES_MAX;
    reader->json.depth_max = DEPTH_MAX;
    reader->json.duplicates_allowed = true;
    reader->json.scratch = &reader->parse;
    if (options->hash_seed) {
        memcpy(reader->json.hash_seed, options->hash_seed, sizeof(reader->json.hash_seed));
    }
    const enum bt_status status = begin_reading(reader);
    if (status != BT_OK) {
        bt_transcript_close(reader);
        return status;
    }
    *out = reader;
    return BT_OK;
}

void bt_transcript_close(struct bt_transcript_reader *reader)
{
    if (!reader) {
        return;
    }
    bt_transcript_lines_close(&reader->lines);
    bt_arena_free(&reader->kept);
    bt_arena_free(&reader->line);
    bt_arena_free(&reader->parse);
    struct bt_arena own = reader->own; /* the reader lies in it */
    bt_arena_free(&own);
}

enum bt_status bt_transcript_rewind(struct bt_transcript_reader *reader,
                                    const struct bt_transcript_filter *filter)
{
    assert(reader);
    BT_TRY(bt_transcript_lines_seek(&reader->lines, 0));
    reader->has_no_hash = true;
    reader->filter = filter;
    reader->filter_offset = 0;
    return begin_reading(reader);
}

const struct bt_transcript_state *bt_transcript_state(const struct bt_transcript_reader *reader)
{
    assert(reader);
    return &reader->state;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* The line may be any bytes: it is not yet known to be UTF-8. */
static bool is_blank_line(bt_str line)
{
    size_t i = 0;
    while (i < line.len && bt_ascii_is_space(line.ptr[i])) {
        i++;
    }
    return i == line.len;
}

/* Printable ASCII without what JSON may escape. */
static bool is_word_byte(char byte)
{
    return byte > ' ' && byte < '\x7f' && byte != '"' && byte != '\\' && byte != '/';
}

bt_str bt_transcript_next_word(bt_str text, size_t *at)
{
    assert(at);
    while (*at < text.len && !is_word_byte(text.ptr[*at])) {
        (*at)++;
    }
    const size_t begin = *at;
    while (*at < text.len && is_word_byte(text.ptr[*at])) {
        (*at)++;
    }
    return bt_str_slice(text, begin, *at);
}

/* The longest word of a text, which the fewest lines have. */
static bt_str longest_word(bt_str text)
{
    size_t at = 0;
    bt_str longest = BT_STR("");
    for (bt_str word = bt_transcript_next_word(text, &at); word.len > 0;
         word = bt_transcript_next_word(text, &at)) {
        longest = word.len > longest.len ? word : longest;
    }
    return longest;
}

/* Whether the line has all words of a text. */
static bool has_words(bt_str line, bt_str text)
{
    size_t at = 0;
    const bt_str longest = longest_word(text);
    if (longest.len > 0 && !bt_transcript_may_have_word(line, longest)) {
        return false;
    }
    for (bt_str word = bt_transcript_next_word(text, &at); word.len > 0;
         word = bt_transcript_next_word(text, &at)) {
        if (!bt_transcript_may_have_word(line, word)) {
            return false;
        }
    }
    return true;
}

/* Whether the current line can matter to what is looked for. */
static bool is_wanted(struct bt_transcript_reader *reader)
{
    const struct bt_transcript_filter *filter = reader->filter;
    const bt_str line = reader->at.text;
    if (!filter || !reader->is_begun || reader->state.format == BT_TRANSCRIPT_FORMAT_NONE) {
        return true;
    }
    while (reader->filter_offset < filter->offset_count &&
           filter->offsets[reader->filter_offset] < reader->at.offset) {
        reader->filter_offset++;
    }
    if (reader->filter_offset < filter->offset_count &&
        filter->offsets[reader->filter_offset] == reader->at.offset) {
        return true;
    }
    for (size_t i = 0; i < filter->text_count; i++) {
        if (has_words(line, filter->texts[i])) {
            return true;
        }
    }
    return (filter->text_count > 0 && bt_transcript_has_hidden_text(line)) ||
           (reader->state.format == BT_TRANSCRIPT_CODEX &&
            bt_str_find(line, BT_STR("session_meta")) < line.len);
}

/* Read the current line. reader->object.document is NULL when it has no event. */
static enum bt_status read_object(struct bt_transcript_reader *reader)
{
    struct bt_json_read_result read = {0};
    bt_arena_reset(&reader->line);
    reader->object = (struct bt_transcript_object){0};
    if (is_blank_line(reader->at.text) || !is_wanted(reader)) {
        return BT_OK;
    }
    enum bt_status status = BT_OK;
    /* from: file */
    status = bt_json_read(&reader->line, reader->at.text, &reader->json, &read);
    if (status != BT_OK && status != BT_ENOMEM) {
        return status;
    }
    const bool is_object = status == BT_OK && read.document &&
                           bt_json_type(bt_json_root(read.document)) == BT_JSON_OBJECT;
    if (is_object) {
        reader->object.document = read.document;
        reader->object.root = bt_json_root(read.document);
    } else {
        reader->state.is_partial = true;
    }
    return BT_OK;
}

/* Go to the next line. BT_ENOENT: the file has ended. */
static enum bt_status next_line(struct bt_transcript_reader *reader)
{
    struct bt_transcript_state *state = &reader->state;
    const bool was_partial = state->is_partial;
    BT_TRY(bt_transcript_lines_next(&reader->lines, &reader->at));
    BT_TRY(read_object(reader));
    if (!reader->at.has_feed && !reader->object.document) {
        state->is_partial = was_partial; /* it is not yet written */
        return BT_ENOENT;
    }
    if (!reader->has_no_hash && reader->at.offset >= state->from) {
        const bt_str bytes = {reader->at.text.ptr, (size_t)(reader->at.end - reader->at.offset)};
        BT_TRY(bt_sha256_add(&reader->hash, bytes));
    }
    /* The line feed that was missing when the line was read belongs to that line. */
    state->lines += reader->is_open && reader->at.text.len == 0 ? 0 : 1;
    reader->is_open = !reader->at.has_feed;
    state->to = reader->at.end;
    return BT_OK;
}

static void find_format(struct bt_transcript_reader *reader)
{
    if (bt_transcript_is_codex(reader)) {
        reader->state.format = BT_TRANSCRIPT_CODEX;
    } else if (bt_transcript_is_claude(reader)) {
        reader->state.format = BT_TRANSCRIPT_CLAUDE;
    }
}

/* Whether the format should be known by now. */
static bool is_format_overdue(const struct bt_transcript_reader *reader)
{
    return reader->state.format == BT_TRANSCRIPT_FORMAT_NONE &&
           (reader->state.lines >= BT_TRANSCRIPT_HEAD_LINES_MAX ||
            reader->state.to >= BT_TRANSCRIPT_HEAD_BYTES_MAX);
}

static enum bt_status finish_reading(struct bt_transcript_reader *reader)
{
    reader->state.is_partial = reader->state.is_partial || reader->lines.is_partial;
    return bt_sha256_end(&reader->hash, reader->state.sha256);
}

enum bt_status bt_transcript_next(struct bt_transcript_reader *reader,
                                  struct bt_transcript_event *out)
{
    assert(reader);
    assert(out);
    for (;;) {
        *out = (struct bt_transcript_event){.kind = BT_TRANSCRIPT_END,
                                            .agent = BT_STR("-"),
                                            .id = BT_STR(""),
                                            .offset = reader->at.offset,
                                            .line = reader->state.lines};
        enum bt_status status = BT_OK;
        if (reader->object.document) {
            status = reader->state.format == BT_TRANSCRIPT_CODEX
                         ? bt_transcript_read_codex(reader, out)
                         : bt_transcript_read_claude(reader, out);
            if (status == BT_OK && out->kind != BT_TRANSCRIPT_END) {
                return BT_OK;
            }
        }
        /* A line with more than there is room for ends the reading like one that is too long. */
        reader->state.is_partial = reader->state.is_partial || status != BT_OK;
        status = status != BT_OK || is_format_overdue(reader) ? BT_ENOENT : next_line(reader);
        if (status == BT_ENOENT) {
            reader->object.document = NULL;
            return finish_reading(reader);
        }
        BT_TRY(status);
        if (reader->object.document && reader->state.format == BT_TRANSCRIPT_FORMAT_NONE) {
            find_format(reader);
        }
        if (reader->state.format == BT_TRANSCRIPT_FORMAT_NONE) {
            reader->state.skipped += reader->object.document ? 1 : 0;
            reader->object.document = NULL;
        }
    }
}
