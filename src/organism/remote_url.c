/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_url.c - where another pump is: tls://HOST:PORT or unix:PATH -> its parts.
 */
#include "organism/organism.h"

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
