/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup.c - asks the system for addresses in the background, because names are found by asking
 * other machines, and those may take their time.
 */
#define _GNU_SOURCE /* getaddrinfo_a() */
#include "door/lookup.h"

#include <string.h>

enum { HOST_BYTES_MAX = 256, PORT_BYTES_MAX = 8, LOOKUP_BYTES_MAX = 4096 };

struct bt_lookup {
    struct bt_arena arena; /* holds the lookup itself */
    char host[HOST_BYTES_MAX];
    char port[PORT_BYTES_MAX];
    struct addrinfo wanted;
    struct gaicb request;
    bool is_digits; /* nobody had to be asked */
};

static void lookup_free(struct bt_lookup *lookup)
{
    struct bt_arena arena = lookup->arena;
    bt_arena_free(&arena);
}

static bool is_asked(struct bt_lookup *lookup)
{
    struct gaicb *requests[] = {&lookup->request};
    lookup->wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    lookup->is_digits =
        getaddrinfo(lookup->host, lookup->port, &lookup->wanted, &lookup->request.ar_result) == 0;
    if (lookup->is_digits) {
        return true;
    }
    lookup->request.ar_result = NULL;
    lookup->wanted.ai_flags = AI_NUMERICSERV;
    return getaddrinfo_a(GAI_NOWAIT, requests, 1, NULL) == 0;
}

enum bt_status bt_lookup_begin(bt_str host, bt_str port, struct bt_lookup **out)
{
    if (host.len >= HOST_BYTES_MAX || port.len >= PORT_BYTES_MAX) {
        return BT_EIO;
    }
    struct bt_arena arena;
    bt_arena_init(&arena, LOOKUP_BYTES_MAX);
    struct bt_lookup *lookup = BT_NEW(&arena, struct bt_lookup);
    if (!lookup) {
        return BT_ENOMEM;
    }
    lookup->arena = arena;
    memcpy(lookup->host, host.ptr, host.len);
    memcpy(lookup->port, port.ptr, port.len);
    lookup->wanted = (struct addrinfo){.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    lookup->request = (struct gaicb){
        .ar_name = lookup->host, .ar_service = lookup->port, .ar_request = &lookup->wanted};
    if (!is_asked(lookup)) {
        lookup_free(lookup);
        return BT_EIO;
    }
    *out = lookup;
    return BT_OK;
}

bool bt_lookup_is_over(struct bt_lookup *lookup, const struct addrinfo **out)
{
    const int state = lookup->is_digits ? 0 : gai_error(&lookup->request);
    if (state == EAI_INPROGRESS) {
        return false;
    }
    *out = state == 0 ? lookup->request.ar_result : NULL;
    return true;
}

void bt_lookup_end(struct bt_lookup *lookup)
{
    if (!lookup) {
        return;
    }
    if (!lookup->is_digits && gai_cancel(&lookup->request) == EAI_NOTCANCELED) {
        return; /* the system will still write to it, so it belongs to the system now */
    }
    if (lookup->request.ar_result) {
        freeaddrinfo(lookup->request.ar_result);
    }
    lookup_free(lookup);
}
