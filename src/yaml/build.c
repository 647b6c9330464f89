/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.c - nodes as they come -> a tree of bounded size and depth without repeated keys; and what
 * is read without the library: the text as bytes, and single-quoted scalars.
 */
#include "yaml/build.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <baton/json.h>

#include "base/buf.h"

enum {
    DEPTH_MAX = 1000,
    NODES_MAX = 10000000,
    POINTER_BYTES_MAX = 64 << 20,
};

static struct bt_yaml_entry *finished_entries(const struct bt_yaml_build *build)
{
    return (struct bt_yaml_entry *)(void *)build->finished.ptr;
}

static size_t finished_count(const struct bt_yaml_build *build)
{
    return build->finished.len / sizeof(struct bt_yaml_entry);
}

static struct bt_yaml_frame *get_top_frame(const struct bt_yaml_build *build)
{
    return build->depth > 0 ? &build->frames[build->depth - 1] : NULL;
}

enum bt_status bt_yaml_build_init(struct bt_yaml_build *build, struct bt_arena *arena,
                                  const struct bt_yaml_options *options)
{
    assert(build);
    assert(arena);
    *build = (struct bt_yaml_build){.arena = arena, .options = *options};
    if (options->depth_max == 0 || options->depth_max > DEPTH_MAX ||
        options->nodes_max > NODES_MAX) {
        return BT_EINVAL;
    }
    const size_t entries_max = (size_t)options->nodes_max + 1;
    bt_buf_init(&build->finished, entries_max * sizeof(struct bt_yaml_entry));
    bt_arena_init(&build->work, entries_max * sizeof(void *) + ((size_t)1 << 20));
    build->frames = BT_NEW_ARRAY(&build->work, struct bt_yaml_frame, options->depth_max);
    return build->frames ? BT_OK : BT_ENOMEM;
}

void bt_yaml_build_free(struct bt_yaml_build *build)
{
    assert(build);
    bt_buf_free(&build->finished);
    bt_arena_free(&build->work);
}

bool bt_yaml_build_wants_key(const struct bt_yaml_build *build)
{
    const struct bt_yaml_frame *frame = get_top_frame(build);
    return frame && frame->kind == BT_YAML_MAPPING && !frame->has_key;
}

bool bt_yaml_build_is_done(const struct bt_yaml_build *build)
{
    return build->result.root || build->result.code != BT_YAML_ERROR_NONE;
}

void bt_yaml_build_set_error(struct bt_yaml_build *build, enum bt_yaml_error code, size_t offset,
                             bt_str detail)
{
    assert(code != BT_YAML_ERROR_NONE);
    if (build->result.code == BT_YAML_ERROR_NONE) {
        build->result =
            (struct bt_yaml_read_result){.code = code, .offset = offset, .detail = detail};
    }
}

void bt_yaml_build_set_limit_error(struct bt_yaml_build *build, const char *name, uint64_t limit,
                                   size_t offset)
{
    if (build->result.code == BT_YAML_ERROR_NONE) {
        bt_yaml_build_set_error(build, BT_YAML_LIMIT, offset, BT_STR("there is too much of it"));
        build->result.limit = limit;
        build->result.limit_name = bt_str_of(name);
    }
}

void bt_yaml_build_key(struct bt_yaml_build *build, bt_str key, size_t offset)
{
    assert(bt_yaml_build_wants_key(build));
    struct bt_yaml_frame *frame = get_top_frame(build);
    frame->has_key = true;
    frame->key = key;
    frame->key_offset = offset;
}

/* A node is complete: it is the root, or it waits for its container to end. */
static enum bt_status add_node(struct bt_yaml_build *build, const struct bt_yaml_node *node)
{
    struct bt_yaml_frame *frame = get_top_frame(build);
    if (!frame) {
        struct bt_yaml_node *root = BT_NEW(build->arena, struct bt_yaml_node);
        BT_TRY(root ? BT_OK : BT_ENOMEM);
        *root = *node;
        build->result.root = root;
        return BT_OK;
    }
    assert(frame->kind == BT_YAML_SEQUENCE || frame->has_key);
    const struct bt_yaml_entry entry = {
        .key = frame->key, .key_offset = frame->key_offset, .value = *node};
    frame->has_key = false;
    bt_buf_put(&build->finished, (bt_str){(const char *)&entry, sizeof(entry)});
    return build->finished.status;
}

/* Count a node; false when it is one too many. */
static bool count_node(struct bt_yaml_build *build, size_t offset)
{
    if (build->depth > 0 && ++build->nodes > build->options.nodes_max) {
        bt_yaml_build_set_limit_error(build, "nodes", build->options.nodes_max, offset);
        return false;
    }
    return true;
}

enum bt_status bt_yaml_build_scalar(struct bt_yaml_build *build, const struct bt_yaml_node *scalar)
{
    assert(!bt_yaml_build_wants_key(build));
    return count_node(build, scalar->offset) ? add_node(build, scalar) : BT_OK;
}

void bt_yaml_build_begin(struct bt_yaml_build *build, enum bt_yaml_kind kind, size_t offset)
{
    assert(!bt_yaml_build_wants_key(build));
    if (!count_node(build, offset)) {
        return;
    }
    if (build->depth == build->options.depth_max) {
        bt_yaml_build_set_limit_error(build, "depth", build->options.depth_max, offset);
        return;
    }
    build->frames[build->depth++] =
        (struct bt_yaml_frame){.kind = kind, .offset = offset, .first = finished_count(build)};
}

/* The pointer of the innermost container, which the keys and counts of the others tell. */
static enum bt_status keep_pointer(struct bt_yaml_build *build, bt_str *out)
{
    struct bt_buf pointer;
    bt_buf_init(&pointer, POINTER_BYTES_MAX);
    for (size_t i = 0; i + 1 < build->depth; i++) {
        const struct bt_yaml_frame *frame = &build->frames[i];
        if (frame->kind == BT_YAML_MAPPING) {
            bt_json_pointer_put(&pointer, frame->key);
        } else {
            bt_json_pointer_put_index(&pointer, build->frames[i + 1].first - frame->first);
        }
    }
    return bt_buf_finish(&pointer, build->arena, out);
}

static int compare_keys(const void *a, const void *b)
{
    const struct bt_yaml_entry *const *left = a;
    const struct bt_yaml_entry *const *right = b;
    const int order = bt_str_compare((*left)->key, (*right)->key);
    return order != 0 ? order : ((*left)->key_offset > (*right)->key_offset ? 1 : -1);
}

/* Sorting finds equal keys whatever a hash would make of them. */
static enum bt_status refuse_repeated(struct bt_yaml_build *build,
                                      const struct bt_yaml_entry *entries, size_t count)
{
    const struct bt_arena_mark mark = bt_arena_mark(&build->work);
    const struct bt_yaml_entry **sorted =
        BT_NEW_ARRAY(&build->work, const struct bt_yaml_entry *, count);
    BT_TRY(sorted ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &entries[i];
    }
    qsort(sorted, count, sizeof(struct bt_yaml_entry *), compare_keys);
    const struct bt_yaml_entry *repeated = NULL;
    for (size_t i = 1; i < count; i++) {
        if (bt_str_eq(sorted[i - 1]->key, sorted[i]->key) &&
            (!repeated || sorted[i]->key_offset < repeated->key_offset)) {
            repeated = sorted[i];
        }
    }
    bt_arena_rewind(&build->work, mark);
    if (!repeated) {
        return BT_OK;
    }
    bt_yaml_build_set_error(build, BT_YAML_DUPLICATE_KEY, repeated->key_offset,
                            BT_STR("the mapping has this key already"));
    build->result.key = repeated->key;
    return keep_pointer(build, &build->result.pointer);
}

static enum bt_status keep_items(struct bt_yaml_build *build, const struct bt_yaml_entry *entries,
                                 struct bt_yaml_node *node)
{
    struct bt_yaml_node *items = BT_NEW_ARRAY(build->arena, struct bt_yaml_node, node->count);
    BT_TRY(items ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < node->count; i++) {
        items[i] = entries[i].value;
    }
    node->items = items;
    return BT_OK;
}

static enum bt_status keep_entries(struct bt_yaml_build *build, const struct bt_yaml_entry *entries,
                                   struct bt_yaml_node *node)
{
    BT_TRY(refuse_repeated(build, entries, node->count));
    if (build->result.code != BT_YAML_ERROR_NONE) {
        return BT_OK;
    }
    struct bt_yaml_entry *kept = BT_NEW_ARRAY(build->arena, struct bt_yaml_entry, node->count);
    BT_TRY(kept ? BT_OK : BT_ENOMEM);
    memcpy(kept, entries, node->count * sizeof(*kept));
    node->entries = kept;
    return BT_OK;
}

enum bt_status bt_yaml_build_end(struct bt_yaml_build *build)
{
    assert(build->depth > 0);
    const struct bt_yaml_frame *frame = get_top_frame(build);
    struct bt_yaml_node node = {.kind = frame->kind,
                                .offset = frame->offset,
                                .count = finished_count(build) - frame->first};
    const size_t first = frame->first;
    if (node.count > 0) {
        const struct bt_yaml_entry *entries = &finished_entries(build)[first];
        BT_TRY(node.kind == BT_YAML_MAPPING ? keep_entries(build, entries, &node)
                                            : keep_items(build, entries, &node));
    }
    build->finished.len = first * sizeof(struct bt_yaml_entry);
    build->depth--;
    return build->result.code == BT_YAML_ERROR_NONE ? add_node(build, &node) : BT_OK;
}

/* In a row; inside a scalar the library takes quadratic time for them. */
enum { BLANK_LINES_MAX = 256 };

/*
 * No control characters, and no desert of blank lines. A carriage return must belong to the end of
 * a line: alone it makes lines that hardly any editor shows, and the library loses bytes over it.
 */
static void check_characters(struct bt_yaml_build *build, bt_str source)
{
    size_t breaks = 0;
    for (size_t i = 0; i < source.len; i++) {
        const char byte = source.ptr[i];
        if ((unsigned char)byte < ' ' && !bt_yaml_is_blank(byte)) {
            bt_yaml_build_set_error(build, BT_YAML_SYNTAX, i,
                                    BT_STR("there is a control character"));
            return;
        }
        if (byte == '\r' && (i + 1 == source.len || source.ptr[i + 1] != '\n')) {
            bt_yaml_build_set_error(build, BT_YAML_SYNTAX, i,
                                    BT_STR("there is a carriage return without a line feed"));
            return;
        }
        breaks = bt_yaml_is_blank(byte) ? breaks + (byte == '\n') : 0;
        if (breaks > BLANK_LINES_MAX + 1) {
            bt_yaml_build_set_limit_error(build, "blank_lines", BLANK_LINES_MAX, i);
            return;
        }
    }
}

void bt_yaml_check_bytes(struct bt_yaml_build *build, bt_str source)
{
    const size_t bad = source.len <= build->options.bytes_max ? bt_utf8_check(source) : 0;
    if (source.len > build->options.bytes_max) {
        bt_yaml_build_set_limit_error(build, "bytes", build->options.bytes_max,
                                      (size_t)build->options.bytes_max);
    } else if (bad < source.len) {
        bt_yaml_build_set_error(build, BT_YAML_SYNTAX, bad, BT_STR("the text is not UTF-8"));
    } else if (bt_str_starts_with(source, BT_STR("\xef\xbb\xbf"))) {
        bt_yaml_build_set_error(build, BT_YAML_SYNTAX, 0, BT_STR("there is a byte order mark"));
    } else {
        check_characters(build, source);
    }
}

void bt_yaml_put_single_quoted(struct bt_buf *buf, bt_str raw)
{
    for (size_t i = 0; i < raw.len;) {
        size_t breaks = 0;
        size_t end = i;
        for (; end < raw.len && bt_yaml_is_blank(raw.ptr[end]); end++) {
            breaks += raw.ptr[end] == '\n';
        }
        if (breaks == 1) {
            bt_buf_put_char(buf, ' ');
        } else if (breaks > 1) {
            bt_buf_put_repeat(buf, '\n', breaks - 1);
        } else {
            bt_buf_put(buf, bt_str_slice(raw, i, end));
        }
        if (end < raw.len) {
            bt_buf_put_char(buf, raw.ptr[end]);
            end += raw.ptr[end] == '\'' ? 2 : 1;
        }
        i = end;
    }
}
