/* SPDX-License-Identifier: Apache-2.0 */
/* host_file.c - the hosts that know MCP servers, and what both formats of their settings share. */
#include "wrap/host_file.h"

#include <string.h>

#include "base/buf.h"
#include "base/vec.h"
#include "edit/edit.h"

static const struct wrap_host hosts[] = {
    {"claude", ".mcp.json", ".claude.json", "mcpServers", false},
    {"codex", ".codex/config.toml", ".codex/config.toml", NULL, false},
    {"cursor", ".cursor/mcp.json", ".cursor/mcp.json", "mcpServers", false},
    {"gemini", ".gemini/settings.json", ".gemini/settings.json", "mcpServers", false},
    {"vscode", ".vscode/mcp.json", NULL, "servers", true},
};

const struct wrap_host *wrap_host_at(size_t index)
{
    return index < BT_COUNT_OF(hosts) ? &hosts[index] : NULL;
}

const struct wrap_host *wrap_host_find(const char *name)
{
    for (size_t i = 0; i < BT_COUNT_OF(hosts); i++) {
        if (strcmp(hosts[i].name, name) == 0) {
            return &hosts[i];
        }
    }
    return NULL;
}

enum bt_status wrap_host_text_read(struct bt_arena *arena, const struct wrap_host *host,
                                   bt_str text, struct wrap_host_text *out, struct bt_error *error)
{
    *out = (struct wrap_host_text){.host = host, .arena = arena, .text = text};
    if (bt_utf8_check(text) < text.len) {
        return bt_error_set(error, BT_EINVAL, "it is not UTF-8");
    }
    return host->member ? wrap_host_json_read(out, error) : wrap_host_toml_read(out, error);
}

const struct wrap_host_server *wrap_host_text_find(const struct wrap_host_text *text, bt_str name)
{
    for (size_t i = 0; i < text->count; i++) {
        if (bt_str_eq(text->servers[i].name, name)) {
            return &text->servers[i];
        }
    }
    return NULL;
}

bool wrap_host_server_is_wrapped(const struct wrap_host_server *server)
{
    return bt_str_eq(bt_str_after_last(server->command, '/'), BT_STR("baton")) &&
           server->args.count > 0 && bt_str_eq(server->args.items[0], BT_STR("wrap"));
}

enum bt_status wrap_host_text_change(const struct wrap_host_text *text,
                                     const struct wrap_host_server *server,
                                     const struct wrap_host_change *change, bt_str *out)
{
    return text->host->member ? wrap_host_json_change(text, server, change, out)
                              : wrap_host_toml_change(text, server, change, out);
}

enum bt_status wrap_host_text_replace(const struct wrap_host_text *text,
                                      const struct wrap_host_server *server, bt_str part,
                                      bt_str *out)
{
    struct bt_edit edit = {server->span.begin, server->span.end, part};
    const struct bt_edit_list edits = {&edit, 1, 1};
    return bt_edit_list_apply(&edits, text->text, text->arena, out);
}

enum bt_status wrap_host_add_server(struct wrap_host_text *text,
                                    const struct wrap_host_server *server)
{
    if (text->count == text->capacity) {
        BT_TRY(bt_vec_grow(text->arena, (void *)&text->servers, text->count, &text->capacity, 1,
                           sizeof(*server)));
    }
    text->servers[text->count++] = *server;
    return BT_OK;
}

enum bt_status wrap_host_add_edit(const struct wrap_host_text *text, struct bt_edit_list *edits,
                                  struct bt_json_span span, bt_str with)
{
    return bt_vec_push(text->arena, edits, (struct bt_edit){span.begin, span.end, with});
}

enum bt_status wrap_host_apply_edits(const struct wrap_host_text *text,
                                     const struct wrap_host_server *server,
                                     struct bt_edit_list *edits, bt_str *out)
{
    const bt_str whole = text->text;
    bt_str changed;
    BT_TRY(bt_edit_list_sort(edits, text->arena));
    BT_TRY(bt_edit_list_apply(edits, whole, text->arena, &changed));
    /* What stands behind the span is as long as before. */
    *out = bt_str_slice(changed, server->span.begin, changed.len - (whole.len - server->span.end));
    return BT_OK;
}
