/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex_peers.c - PCRE2 with its compiler to machine code.
 */
#include "regex_peers.h"

#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

struct pcre2_peer {
    pcre2_code *code;
    pcre2_match_data *data;
};

struct pcre2_peer *pcre2_peer_open(const char *pattern, size_t size)
{
    struct pcre2_peer *peer = calloc(1, sizeof(*peer));
    int code = 0;
    PCRE2_SIZE offset = 0;
    if (!peer) {
        return NULL;
    }
    peer->code = pcre2_compile((PCRE2_SPTR)pattern, size, PCRE2_UTF | PCRE2_NO_UTF_CHECK, &code,
                               &offset, NULL);
    peer->data = peer->code ? pcre2_match_data_create_from_pattern(peer->code, NULL) : NULL;
    if (!peer->data || pcre2_jit_compile(peer->code, PCRE2_JIT_COMPLETE) != 0) {
        pcre2_peer_close(peer);
        return NULL;
    }
    return peer;
}

bool pcre2_peer_match(struct pcre2_peer *peer, const char *subject, size_t size)
{
    /* The fast path of its manual: no checks of the arguments. */
    return pcre2_jit_match(peer->code, (PCRE2_SPTR)subject, size, 0, 0, peer->data, NULL) > 0;
}

void pcre2_peer_close(struct pcre2_peer *peer)
{
    if (peer) {
        pcre2_match_data_free(peer->data);
        pcre2_code_free(peer->code);
        free(peer);
    }
}
