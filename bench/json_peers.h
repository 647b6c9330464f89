/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_peers.h - the JSON parsers that ours is measured against, behind one function each.
 */
#ifndef BATON_BENCH_JSON_PEERS_H
#define BATON_BENCH_JSON_PEERS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Parse a text into a tree in memory and let it go; `text` has 64 readable bytes behind its end and
 * a NUL there. Each keeps its own reusable state behind `state`. */
struct peer {
    const char *name;
    void *(*open)(void);
    bool (*parse)(void *state, const char *text, size_t size);
    void (*close)(void *state);
};

extern const struct peer peer_simdjson;
extern const struct peer peer_rapidjson;
extern const struct peer peer_cjson;
extern const struct peer peer_jsonc;
extern const struct peer peer_jansson;

#ifdef __cplusplus
}
#endif

#endif
