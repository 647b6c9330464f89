/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex_peers.h - PCRE2 with its compiler to machine code, behind three functions.
 */
#ifndef BENCH_REGEX_PEERS_H
#define BENCH_REGEX_PEERS_H

#include <stdbool.h>
#include <stddef.h>

struct pcre2_peer;

/* NULL when PCRE2 cannot compile the pattern. */
struct pcre2_peer *pcre2_peer_open(const char *pattern, size_t size);
bool pcre2_peer_match(struct pcre2_peer *peer, const char *subject, size_t size);
void pcre2_peer_close(struct pcre2_peer *peer);

#endif
