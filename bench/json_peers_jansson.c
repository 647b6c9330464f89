/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_peers_jansson.c - jansson, alone because its header and json-c's name the same things.
 */
#include "json_peers.h"

#include <jansson.h>

static void *open_nothing(void)
{
    return NULL;
}

static void close_nothing(void *state)
{
    (void)state;
}

static bool parse_jansson(void *state, const char *text, size_t size)
{
    (void)state;
    json_error_t error;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    const bool parsed = root != NULL;
    json_decref(root);
    return parsed;
}

const struct peer peer_jansson = {"jansson", open_nothing, parse_jansson, close_nothing};
