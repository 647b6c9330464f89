/* SPDX-License-Identifier: Apache-2.0 */
/*
 * env.c - the world that is passed in: the system's clock and randomness, or pinned ones.
 */
#define _DEFAULT_SOURCE /* getentropy() */
#include "base/env.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"

enum { ENTROPY_BYTES_MAX = 256 }; /* getentropy() refuses more in one call */

static bt_instant system_clock(void *context)
{
    (void)context;
    return bt_clock_now();
}

static bool system_random(void *context, void *out, size_t size)
{
    (void)context;
    char *bytes = out;
    while (size > 0) {
        const size_t part = size < ENTROPY_BYTES_MAX ? size : ENTROPY_BYTES_MAX;
        if (getentropy(bytes, part) != 0) {
            return false;
        }
        bytes += part;
        size -= part;
    }
    return true;
}

enum bt_status bt_env_make_seed(uint64_t out[2])
{
    return system_random(NULL, out, 2 * sizeof(out[0])) ? BT_OK : BT_EIO;
}

enum bt_status bt_env_init(struct bt_env *env)
{
    assert(env);
    struct bt_env made = {
        .clock = system_clock, .random = system_random, .limits = bt_limits_default()};
    if (!made.random(NULL, made.hash_seed, sizeof(made.hash_seed))) {
        return BT_EIO;
    }
    *env = made;
    return BT_OK;
}

void bt_env_pin_clock(struct bt_env *env, const bt_instant *now)
{
    assert(env);
    assert(now);
    env->clock = NULL;
    env->fixed_now = *now;
}

void bt_env_pin_seed(struct bt_env *env, uint64_t seed)
{
    assert(env);
    assert(seed < UINT64_C(1) << 53);
    env->ids_seeded = true;
    env->ids_seed = seed;
    env->ids_made = 0;
}

bt_instant bt_env_now(const struct bt_env *env)
{
    assert(env);
    return env->clock ? env->clock(env->context) : env->fixed_now;
}

enum bt_status bt_env_id_bytes(struct bt_env *env, uint8_t out[32])
{
    assert(env);
    assert(out);
    if (!env->ids_seeded) {
        if (!env->random(env->context, out, 32)) {
            return BT_EIO;
        }
    } else {
        char text[64];
        const int size = snprintf(text, sizeof(text), "baton-seed:%" PRIu64 ":%" PRIu64,
                                  env->ids_seed, env->ids_made);
        assert(size > 0);
        assert((size_t)size < sizeof(text));
        BT_TRY(bt_sha256((bt_str){text, (size_t)size}, out));
    }
    env->ids_made++;
    return BT_OK;
}

/* One row per limit: its name on the command line and where it lives. */
static const struct base_env_limit_row {
    bt_str name;
    size_t place;
} limit_rows[] = {
    {BT_STR_INIT("document_bytes"), offsetof(struct bt_limits, document_bytes)},
    {BT_STR_INIT("depth"), offsetof(struct bt_limits, depth)},
    {BT_STR_INIT("nodes"), offsetof(struct bt_limits, nodes)},
    {BT_STR_INIT("string_bytes"), offsetof(struct bt_limits, string_bytes)},
    {BT_STR_INIT("row_bytes"), offsetof(struct bt_limits, row_bytes)},
    {BT_STR_INIT("cell_bytes"), offsetof(struct bt_limits, cell_bytes)},
    {BT_STR_INIT("xml_bytes"), offsetof(struct bt_limits, xml_bytes)},
    {BT_STR_INIT("xml_depth"), offsetof(struct bt_limits, xml_depth)},
    {BT_STR_INIT("schema_depth"), offsetof(struct bt_limits, schema_depth)},
};

static_assert(sizeof(limit_rows) / sizeof(limit_rows[0]) ==
                  sizeof(struct bt_limits) / sizeof(uint64_t),
              "every limit can be lowered by its name");

struct bt_limits bt_limits_default(void)
{
    return (struct bt_limits){
        .document_bytes = 8U << 20,
        .depth = 128,
        .nodes = 1000000,
        .string_bytes = 4U << 20,
        .row_bytes = 1U << 20,
        .cell_bytes = 128U << 10,
        .xml_bytes = 1U << 20,
        .xml_depth = 128,
        .schema_depth = 32,
    };
}

static enum bt_status lower_limit(uint64_t *limit, bt_str name, bt_str number,
                                  struct bt_error *error)
{
    uint64_t wanted = 0;
    if (bt_str_to_u64(number, &wanted) != BT_OK || wanted == 0) {
        return bt_error_set(error, BT_EINVAL, "limit %.*s needs a whole number above 0",
                            BT_STR_ARG(name));
    }
    if (wanted > *limit) {
        return bt_error_set(error, BT_EINVAL,
                            "limit %.*s can only be lowered: %" PRIu64 " is in force",
                            BT_STR_ARG(name), *limit);
    }
    *limit = wanted;
    return BT_OK;
}

/* Say which names there are. */
static enum bt_status refuse_name(bt_str name, struct bt_error *error)
{
    struct bt_buf names;
    bt_buf_init(&names, sizeof(error->text));
    for (size_t i = 0; i < sizeof(limit_rows) / sizeof(limit_rows[0]); i++) {
        bt_buf_put_text(&names, i > 0 ? ", " : "");
        bt_buf_put(&names, limit_rows[i].name);
    }
    const bt_str all = bt_buf_str(&names);
    const enum bt_status status =
        bt_error_set(error, BT_EINVAL, "unknown limit '%.*s'; allowed: %.*s",
                     BT_STR_ARG(bt_str_slice(name, 0, 40)), BT_STR_ARG(all));
    bt_buf_free(&names);
    return status;
}

enum bt_status bt_limits_lower(struct bt_limits *limits, bt_str assignment, struct bt_error *error)
{
    assert(limits);
    const size_t equals = bt_str_find_byte(assignment, '=', 0);
    const bt_str name = bt_str_slice(assignment, 0, equals);
    const bt_str number = bt_str_slice(assignment, equals + 1, assignment.len);
    for (size_t i = 0; i < sizeof(limit_rows) / sizeof(limit_rows[0]); i++) {
        if (bt_str_eq(limit_rows[i].name, name)) {
            return lower_limit((uint64_t *)(void *)((char *)limits + limit_rows[i].place), name,
                               number, error);
        }
    }
    return refuse_name(name, error);
}
