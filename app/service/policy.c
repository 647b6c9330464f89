/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy.c - the settings that judge -> one digest, so that an auditor sees when two nodes judged
 * by different rules.
 */
#include "service/service.h"

enum { CONFIG_BYTES_MAX = 4 << 20 };

/*
 * Groups that count as a whole, and the limits that do: those of every document. Limits of one form
 * alone (`schema_*`, `csv_*`, `xml_*`) are no part of refs.policy as it is defined; a name more
 * would give every node that is brought up to date another digest for the same rules.
 */
static const char *const groups[] = {"approvals", "check", "contract", "governed"};
static const char *const limits[] = {"document_bytes", "members", "nesting", "string_bytes"};

static void copy(struct bt_emit *emit, const struct bt_doc *document, const bt_value *object,
                 const char *name)
{
    const bt_value *value = bt_json_get(document, object, bt_str_of(name));
    const struct bt_json_span span = bt_json_span(document, value);
    bt_emit_name(emit, name);
    bt_emit_raw(emit, bt_str_slice(bt_json_source(document), span.begin, span.end));
}

static enum bt_status read_back(struct bt_arena *arena, const struct bt_buf *buf,
                                const struct bt_doc **out)
{
    struct bt_json_result read;
    bt_str text;
    BT_TRY(bt_buf_keep(buf, arena, &text));
    BT_TRY(bt_json_read(arena, text, NULL, &read));
    *out = read.document;
    return read.document ? BT_OK : BT_ENOMEM;
}

/* The part that counts, as an object in `buf`. */
static enum bt_status select_part(struct bt_arena *arena, const struct bt_config *config,
                                  struct bt_buf *buf)
{
    const struct bt_doc *all = NULL;
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_object(&emit);
    bt_config_emit(config, &emit);
    bt_emit_end(&emit);
    BT_TRY(read_back(arena, buf, &all));
    const bt_value *shown = bt_json_get(all, bt_json_root(all), BT_STR("config"));
    bt_buf_clear(buf);
    bt_emit_init(&emit, buf, false);
    bt_emit_object(&emit);
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        copy(&emit, all, shown, groups[i]);
    }
    bt_emit_name(&emit, "limits");
    bt_emit_object(&emit);
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        copy(&emit, all, bt_json_get(all, shown, BT_STR("limits")), limits[i]);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    return buf->status;
}

static enum bt_status digest(struct bt_arena *arena, const struct bt_config *config,
                             struct bt_buf *buf, bt_str *out)
{
    const struct bt_doc *part = NULL;
    char hex[BT_SHA256_HEX_BYTES];
    BT_TRY(select_part(arena, config, buf));
    BT_TRY(read_back(arena, buf, &part));
    bt_buf_clear(buf);
    BT_TRY(bt_json_write(buf, part, bt_json_root(part), BT_JSON_CANONICAL, arena, NULL));
    BT_TRY(bt_sha256_hex(bt_buf_str(buf), hex));
    return bt_arena_copy(arena, bt_str_of(hex), out);
}

enum bt_status service_policy(struct bt_arena *arena, const struct bt_config *config, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, CONFIG_BYTES_MAX);
    const enum bt_status status = digest(arena, config, &buf, out);
    bt_buf_free(&buf);
    return status;
}
