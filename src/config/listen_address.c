/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listen_address.c - an address to listen at: text -> host and port, or a path.
 */
#include "config/config.h"

#include <arpa/inet.h>
#include <assert.h>
#include <string.h>
#include <sys/un.h>

enum { HOST_BYTES_MAX = INET6_ADDRSTRLEN };

/* The bytes of an IP address; false when the text is none. */
static bool to_address(int family, bt_str host, unsigned char out[sizeof(struct in6_addr)])
{
    char text[HOST_BYTES_MAX + 1];
    if (host.len == 0 || host.len > HOST_BYTES_MAX || memchr(host.ptr, '\0', host.len)) {
        return false;
    }
    memcpy(text, host.ptr, host.len);
    text[host.len] = '\0';
    return inet_pton(family, text, out) == 1;
}

static bool to_port(bt_str text, uint16_t *out)
{
    uint64_t number = 0;
    if (bt_str_to_u64(text, &number) != BT_OK || number > UINT16_MAX || text.len > 5) {
        return false;
    }
    *out = (uint16_t)number;
    return true;
}

static enum bt_status parse_path(bt_str path, struct bt_listen_address *out)
{
    enum { PATH_BYTES = sizeof(((struct sockaddr_un *)0)->sun_path) };
    if (path.len == 0 || path.len >= PATH_BYTES || memchr(path.ptr, '\0', path.len)) {
        return BT_EINVAL;
    }
    *out = (struct bt_listen_address){.kind = BT_LISTEN_UNIX, .is_local = true, .host = path};
    return BT_OK;
}

static enum bt_status parse_ipv6(bt_str text, struct bt_listen_address *out)
{
    static const unsigned char loopback[16] = {[15] = 1};
    unsigned char address[sizeof(struct in6_addr)];
    const size_t end = bt_str_find_byte(text, ']', 0);
    struct bt_listen_address listen = {.kind = BT_LISTEN_IPV6, .host = bt_str_slice(text, 1, end)};
    if (end + 1 >= text.len || text.ptr[end + 1] != ':' ||
        !to_address(AF_INET6, listen.host, address) ||
        !to_port(bt_str_slice(text, end + 2, text.len), &listen.port)) {
        return BT_EINVAL;
    }
    listen.is_local = memcmp(address, loopback, sizeof(loopback)) == 0;
    *out = listen;
    return BT_OK;
}

enum bt_status bt_listen_address_parse(bt_str text, struct bt_listen_address *out)
{
    assert(out);
    unsigned char address[sizeof(struct in6_addr)];
    const size_t colon = bt_str_find_byte(text, ':', 0);
    struct bt_listen_address listen = {.kind = BT_LISTEN_IPV4,
                                       .host = bt_str_slice(text, 0, colon)};
    if (bt_str_starts_with(text, BT_STR("unix:"))) {
        return parse_path(bt_str_slice(text, colon + 1, text.len), out);
    }
    if (bt_str_starts_with(text, BT_STR("["))) {
        return parse_ipv6(text, out);
    }
    if (bt_str_eq(listen.host, BT_STR("localhost"))) {
        listen.host = BT_STR("127.0.0.1");
    }
    if (!to_address(AF_INET, listen.host, address) ||
        !to_port(bt_str_slice(text, colon + 1, text.len), &listen.port)) {
        return BT_EINVAL;
    }
    listen.is_local = address[0] == 127;
    *out = listen;
    return BT_OK;
}
