/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key_list.c - the keys of an organism file as a list for people, made from the table that judges
 * them.
 */
#include "base/buf.h"
#include "base/vec.h"
#include "organism/keys.h"

enum { LEVELS_MAX = 8, PATH_BYTES_MAX = 256, RULE_BYTES_MAX = 512 };

static const char *type_of(const struct bt_organism_key *key)
{
    static const char *const types[] = {
        [BT_ORGANISM_KEY_STRING] = "string",
        [BT_ORGANISM_KEY_BOOL] = "boolean",
        [BT_ORGANISM_KEY_INTEGER] = "integer",
        [BT_ORGANISM_KEY_NUMBER] = "number",
        [BT_ORGANISM_KEY_WORD] = "string",
        [BT_ORGANISM_KEY_STRINGS] = "list of strings",
        [BT_ORGANISM_KEY_INTEGERS] = "list of integers",
        [BT_ORGANISM_KEY_WORDS] = "list of strings",
        [BT_ORGANISM_KEY_SCALARS] = "mapping to scalars",
        [BT_ORGANISM_KEY_TEXTS] = "mapping to strings",
        [BT_ORGANISM_KEY_MAPPING] = "mapping",
        [BT_ORGANISM_KEY_MAPPINGS] = "list of mappings",
        [BT_ORGANISM_KEY_FIELDS] = "mapping of fields",
        [BT_ORGANISM_KEY_REPLIES] = "mapping of replies",
    };
    return types[key->kind];
}

static void put_part(struct bt_buf *buf, const char *part)
{
    if (part) {
        bt_buf_printf(buf, "%s%s", buf->len > 0 ? "; " : "", part);
    }
}

/* What a value of the key must be, and what it is for. */
static enum bt_status put_rule(struct bt_arena *arena, const struct bt_organism_key *key,
                               bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, RULE_BYTES_MAX);
    put_part(&buf, key->is_required ? "required" : NULL);
    put_part(&buf, key->expected);
    for (size_t i = 0; key->words && key->words[i]; i++) {
        bt_buf_printf(&buf, "%s%s", i > 0 ? ", " : buf.len > 0 ? "; " : "", key->words[i]);
    }
    put_part(&buf, key->about);
    return bt_buf_finish(&buf, arena, out);
}

/* A mapping of keys that is being listed. */
struct organism_key_level {
    const struct bt_organism_key *next;
    size_t path_bytes; /* of the path before its keys */
};

/* Whether `path` is the prefix or below it. Marks of lists may be left out of the prefix. */
static bool is_below(bt_str path, bt_str prefix)
{
    size_t at = 0;
    for (size_t i = 0; i < prefix.len; i++) {
        if (at + 2 <= path.len && path.ptr[at] == '[' && prefix.ptr[i] != '[') {
            at += 2;
        }
        if (at == path.len || path.ptr[at++] != prefix.ptr[i]) {
            return false;
        }
    }
    return prefix.len == 0 || at == path.len || path.ptr[at] == '.' || path.ptr[at] == '[';
}

/* The list while it is made; `path` is of the key that is being listed. */
struct organism_key_writer {
    struct bt_arena *arena;
    bt_str prefix;
    struct bt_buf path;
    BT_VEC(struct bt_organism_key_view) rows;
};

static enum bt_status add_row(struct organism_key_writer *writer, const struct bt_organism_key *key)
{
    struct bt_organism_key_view row = {.type = bt_str_of(type_of(key)),
                                       .standard = bt_str_of(key->standard)};
    BT_TRY(writer->path.status);
    BT_TRY(bt_arena_copy(writer->arena, bt_buf_str(&writer->path), &row.path));
    BT_TRY(put_rule(writer->arena, key, &row.rule));
    return bt_vec_push(writer->arena, &writer->rows, row);
}

static enum bt_status list_keys(struct organism_key_writer *writer)
{
    struct organism_key_level levels[LEVELS_MAX] = {{.next = bt_organism_key_table.rows}};
    for (size_t depth = 1; depth > 0;) { /* ends, because the table is a tree */
        struct organism_key_level *top = &levels[depth - 1];
        const struct bt_organism_key *key = top->next++;
        if (key->name.len == 0) {
            depth--;
            continue;
        }
        writer->path.len = top->path_bytes;
        bt_buf_put(&writer->path, key->name);
        if (key->kind != BT_ORGANISM_KEY_MAPPING && key->kind != BT_ORGANISM_KEY_NETWORK &&
            is_below(bt_buf_str(&writer->path), writer->prefix)) {
            BT_TRY(add_row(writer, key));
        }
        if (key->keys) {
            bt_buf_put_text(&writer->path, key->kind == BT_ORGANISM_KEY_MAPPINGS ? "[]." : ".");
            levels[depth++] = (struct organism_key_level){key->keys->rows, writer->path.len};
        }
    }
    return BT_OK;
}

enum bt_status bt_organism_list_keys(struct bt_arena *arena, bt_str prefix,
                                     const struct bt_organism_key_view **out, size_t *out_count)
{
    struct organism_key_writer writer = {.arena = arena, .prefix = prefix};
    bt_buf_init(&writer.path, PATH_BYTES_MAX);
    const enum bt_status status = list_keys(&writer);
    bt_buf_free(&writer.path);
    BT_TRY(status);
    *out = writer.rows.items;
    *out_count = writer.rows.count;
    return BT_OK;
}
