/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handler.c - the forms in which a handler, a class and another pump are named.
 */
#include "organism/organism.h"

static bool is_identifier(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        if (byte != '_' && !(i == 0 ? bt_ascii_is_alpha(byte) : bt_ascii_is_alnum(byte))) {
            return false;
        }
    }
    return text.len > 0;
}

/* Two or more identifiers, joined by dots. */
static bool is_dotted(bt_str text)
{
    size_t parts = 0;
    for (size_t from = 0; from <= text.len; parts++) {
        const size_t dot = bt_str_find_byte(text, '.', from);
        if (!is_identifier(bt_str_slice(text, from, dot))) {
            return false;
        }
        from = dot + 1;
    }
    return parts >= 2;
}

struct bt_organism_listener_handler bt_organism_listener_handler_parse(bt_str handler)
{
    struct bt_organism_listener_handler form = {.file = BT_STR(""), .function = BT_STR("")};
    const size_t colon = bt_str_find_byte(handler, ':', 0);
    const bt_str before = bt_str_slice(handler, 0, colon);
    if (colon < handler.len) {
        form.function = bt_str_slice(handler, colon + 1, handler.len);
        form.file = before;
        form.host = bt_str_ends_with(before, BT_STR(".py")) && before.len > sizeof(".py") - 1 &&
                            is_identifier(form.function)
                        ? BT_HOST_PYTHON
                        : 0;
    } else if (bt_str_ends_with(handler, BT_STR(".so")) && handler.len > sizeof(".so") - 1) {
        form.file = handler;
        form.host = BT_HOST_C;
    } else if (is_dotted(handler)) {
        form.host = BT_HOST_PYTHON;
    }
    return form;
}

bt_str bt_organism_listener_class_name(bt_str path)
{
    size_t from = 0;
    for (size_t i = 0; i < path.len; i++) {
        if (path.ptr[i] == '.' || path.ptr[i] == ':') {
            from = i + 1;
        }
    }
    return bt_str_slice(path, from, path.len);
}

enum { HOST_BYTES_MAX = 253, PORT_MAX = 65535, PORT_DIGITS_MAX = 5 };

static bool is_port(bt_str text)
{
    uint64_t value = 0;
    return text.len <= PORT_DIGITS_MAX && bt_str_to_u64(text, &value) == BT_OK && value >= 1 &&
           value <= PORT_MAX;
}

/* A name or address; blanks and marks of other parts of a URL belong to neither. */
static bool is_host(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (c <= ' ' || c == '/' || c == '@' || c == '?' || c == '#' || c == '[' || c == ']') {
            return false;
        }
    }
    return text.len > 0 && text.len <= HOST_BYTES_MAX;
}

bool bt_organism_gateway_url_read(bt_str url, struct bt_organism_gateway_url *out)
{
    const bt_str local = BT_STR("unix:");
    const bt_str network = BT_STR("tls://");
    if (bt_str_starts_with(url, local)) {
        *out = (struct bt_organism_gateway_url){.path = bt_str_slice(url, local.len, url.len)};
        return out->path.len > 0;
    }
    if (!bt_str_starts_with(url, network)) {
        return false;
    }
    size_t colon = url.len - 1;
    while (url.ptr[colon] != ':') { /* there is one, in the scheme */
        colon--;
    }
    bt_str host = bt_str_slice(url, network.len, colon > network.len ? colon : network.len);
    const bool is_bracketed =
        bt_str_starts_with(host, BT_STR("[")) && bt_str_ends_with(host, BT_STR("]"));
    if (is_bracketed) {
        host = bt_str_slice(host, 1, host.len - 1);
    }
    *out = (struct bt_organism_gateway_url){.host = host,
                                            .port = bt_str_slice(url, colon + 1, url.len)};
    return is_host(host) && is_port(out->port) &&
           (is_bracketed || bt_str_find_byte(host, ':', 0) == host.len);
}
