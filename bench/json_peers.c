/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_peers.c - the packaged C libraries cJSON and json-c.
 */
#include "json_peers.h"

#include <cjson/cJSON.h>
#include <json-c/json.h>

static void *open_nothing(void)
{
    return NULL;
}

static void close_nothing(void *state)
{
    (void)state;
}

static bool parse_cjson(void *state, const char *text, size_t size)
{
    (void)state;
    cJSON *root = cJSON_ParseWithLength(text, size);
    const bool parsed = root != NULL;
    cJSON_Delete(root);
    return parsed;
}

static void *open_jsonc(void)
{
    struct json_tokener *tokener = json_tokener_new();
    if (tokener) {
        json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    }
    return tokener;
}

static bool parse_jsonc(void *state, const char *text, size_t size)
{
    struct json_tokener *tokener = state;
    json_tokener_reset(tokener);
    /* With the NUL byte, so that a number at the end is seen to end. */
    struct json_object *root = json_tokener_parse_ex(tokener, text, (int)size + 1);
    const bool parsed = json_tokener_get_error(tokener) == json_tokener_success;
    json_object_put(root);
    return parsed;
}

static void close_jsonc(void *state)
{
    json_tokener_free(state);
}

const struct peer peer_cjson = {"cJSON", open_nothing, parse_cjson, close_nothing};
const struct peer peer_jsonc = {"json-c", open_jsonc, parse_jsonc, close_jsonc};
