/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_address.h - socket addresses as text, and sockets that listen at or connect to them.
 *
 * All descriptors are non-blocking and close on exec. The system limits the address of a Unix
 * socket to about a hundred bytes; a longer path is reached through the descriptor of its folder.
 */
#ifndef BATON_SRC_NET_SOCKET_ADDRESS_H
#define BATON_SRC_NET_SOCKET_ADDRESS_H

#include <netinet/in.h>
#include <sys/types.h>
#include <sys/un.h>

#include <baton/base.h>

struct addrinfo; /* of <netdb.h> */

union bt_socket_address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    struct sockaddr_un local;
};

/* Write the IP address in digits, without the port. False: it is another kind of address. */
bool bt_socket_address_put_ip(const union bt_socket_address *address, char out[INET6_ADDRSTRLEN]);
/* 127.0.0.1:80, [::1]:80 or unix:/path. BT_EINVAL: it is another kind of address, or a Unix socket
 * without a name. */
BT_MUST_USE enum bt_status bt_socket_address_format(const union bt_socket_address *address,
                                                    struct bt_arena *arena, bt_str *out);
/* The port of an IP address. */
uint16_t bt_socket_address_port(const union bt_socket_address *address);

/* Listen at `path` with this mode, and replace a socket that is there. BT_EDENIED: something else
 * has this name. */
BT_MUST_USE enum bt_status bt_unix_listen(const char *path, mode_t mode, int *out_fd,
                                          struct bt_error *error);
/* Start to connect. BT_ENOENT: nothing listens there; BT_EDENIED: this user may not connect;
 * BT_ELIMIT: the other side accepts no more connections at the moment. */
BT_MUST_USE enum bt_status bt_unix_connect(const char *path, int *out_fd, struct bt_error *error);

struct bt_tcp_listen_options {
    const char *host; /* an IP address in digits */
    uint16_t port;
    bool is_ipv6_only; /* an IPv6 address takes no IPv4 connections */
    int backlog;
};

/* BT_EINVAL: `host` is not an IP address. BT_EIO: errno is the reason. */
BT_MUST_USE enum bt_status bt_tcp_listen(const struct bt_tcp_listen_options *options, int *out_fd);
/* Start to connect to one address. BT_EIO: errno is the reason. */
BT_MUST_USE enum bt_status bt_tcp_connect(const struct addrinfo *address, int *out_fd);

#endif
