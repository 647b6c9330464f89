/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_wrap_host.c - any bytes at all, as the settings of a host with MCP servers. The first byte
 * chooses the host.
 *
 * Promises: settings are refused, or each of their servers that can be changed gets another
 * command, which is what a second reading finds; the other servers keep their commands, nothing
 * outside of the server's text changes, and its old text brings the settings back byte for byte.
 */
#include "base/str.h"

#include "fuzz.h"
#include "wrap/host_file.h"

static bool equal_args(struct bt_str_list a, struct bt_str_list b)
{
    for (size_t i = 0; i < a.count && i < b.count; i++) {
        if (!bt_str_eq(a.items[i], b.items[i])) {
            return false;
        }
    }
    return a.count == b.count;
}

/* The servers but one have the same names, commands and places in both texts. */
static void others_stay(const struct wrap_host_text *before, const struct wrap_host_text *after,
                        size_t changed)
{
    PROMISE(before->count == after->count);
    for (size_t i = 0; i < before->count; i++) {
        const struct wrap_host_server *old = &before->servers[i];
        const struct wrap_host_server *new = &after->servers[i];
        PROMISE(bt_str_eq(old->name, new->name));
        PROMISE(i == changed ||
                (bt_str_eq(old->command, new->command) && equal_args(old->args, new->args) &&
                 bt_str_eq(old->url, new->url)));
    }
}

static void change_is_sound(const struct wrap_host_text *text, size_t index)
{
    static bt_str words[] = {BT_STR_INIT("wrap"), BT_STR_INIT("--name"),
                             BT_STR_INIT("\"quoted\\ \xc3\xa9\n"), BT_STR_INIT("--")};
    const struct wrap_host_server *server = &text->servers[index];
    const struct wrap_host_change change = {.command = BT_STR("baton"),
                                            .args = {words, BT_COUNT_OF(words)}};
    const struct bt_json_span span = server->span;
    struct wrap_host_text again;
    struct bt_error error;
    bt_str part;
    bt_str whole;
    bt_str back;
    PROMISE(span.begin <= span.end && span.end <= text->text.len);
    PROMISE(wrap_host_text_change(text, server, &change, &part) == BT_OK);
    PROMISE(wrap_host_text_replace(text, server, part, &whole) == BT_OK);
    PROMISE(whole.len == text->text.len - (span.end - span.begin) + part.len);
    PROMISE(bt_str_eq(bt_str_slice(whole, 0, span.begin), bt_str_slice(text->text, 0, span.begin)));
    PROMISE(bt_str_eq(bt_str_slice(whole, span.begin + part.len, whole.len),
                      bt_str_slice(text->text, span.end, text->text.len)));
    PROMISE(wrap_host_text_read(text->arena, text->host, whole, &again, &error) == BT_OK);
    others_stay(text, &again, index);
    const struct wrap_host_server *changed = &again.servers[index];
    PROMISE(wrap_host_server_is_wrapped(changed));
    PROMISE(equal_args(changed->args, change.args));
    PROMISE(changed->transport == WRAP_TRANSPORT_STDIO);
    PROMISE(bt_str_eq(bt_str_slice(whole, changed->span.begin, changed->span.end), part));
    PROMISE(wrap_host_text_replace(&again, changed, bt_str_slice(text->text, span.begin, span.end),
                                   &back) == BT_OK);
    PROMISE(bt_str_eq(back, text->text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t hosts = 0;
    struct wrap_host_text text;
    struct bt_arena arena;
    struct bt_error error;
    while (wrap_host_at(hosts)) {
        hosts++;
    }
    if (size == 0) {
        return 0;
    }
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    const struct wrap_host *host = wrap_host_at(data[0] % hosts);
    const enum bt_status status =
        wrap_host_text_read(&arena, host, fuzz_text(data + 1, size - 1), &text, &error);
    PROMISE(status == BT_OK || status == BT_EINVAL);
    for (size_t i = 0; status == BT_OK && i < text.count && i < 8; i++) {
        if (!text.servers[i].problem && text.servers[i].transport == WRAP_TRANSPORT_STDIO) {
            change_is_sound(&text, i);
        }
    }
    bt_arena_free(&arena);
    return 0;
}
