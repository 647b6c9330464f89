/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.c - the hosts of a pump's listeners, and the organism that each was started with. A changed
 * listener gets a new host; the old one answers its pending calls.
 */
#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "json/emit.h"
#include "pump/organism_change.h"
#include "pump/output.h"

enum { STOP_MS_MAX = 12000 };

/* Find the interpreter when the first listener needs it. */
static enum bt_status find_python(struct bt_pump *pump, const struct bt_organism_listener *listener,
                                  const struct bt_organism *organism, struct bt_error *error)
{
    const struct bt_host_python_query question = {.name = organism->hosting.python,
                                                  .search_path = pump->launch.options.search_path,
                                                  .environment = pump->launch.options.environment};
    if (pump->launch.context.python || !bt_organism_listener_runs_python(organism, listener)) {
        return BT_OK;
    }
    BT_TRY(bt_host_python_query_run(&pump->memory, &question, &pump->launch.python, error));
    pump->launch.context.python = &pump->launch.python;
    return BT_OK;
}

static enum bt_status add_host(struct bt_pump *pump, const struct bt_organism_listener *listener,
                               bt_host_id *out, struct bt_error *error)
{
    struct bt_host_spec spec;
    struct bt_host_options how = {.in_flight_max =
                                      (uint32_t)(listener->limits.max_concurrent < BT_IN_FLIGHT_MAX
                                                     ? listener->limits.max_concurrent
                                                     : BT_IN_FLIGHT_MAX)};
    BT_TRY(bt_organism_listener_spec(&pump->arena, &pump->launch.options, listener, &spec));
    BT_TRY(bt_pump_work_of(pump, listener->takes.name, &how.work, error));
    return bt_host_pool_add(pump->hosting.pool, &pump->launch.context, &spec, &how, out, error);
}

enum bt_status bt_pump_start_host(struct bt_pump *pump, const struct bt_organism_listener *listener,
                                  struct bt_pump_generation *under, bt_host_id *out,
                                  struct bt_error *error)
{
    const struct bt_arena_mark mark = bt_arena_mark(&pump->arena);
    BT_TRY(find_python(pump, listener, under->organism, error));
    BT_TRY(bt_vec_reserve(&pump->memory, &pump->hosting.by_id, 1));
    const enum bt_status status = add_host(pump, listener, out, error);
    bt_arena_rewind(&pump->arena, mark);
    BT_TRY(status);
    assert(*out == pump->hosting.by_id.count);
    pump->hosting.by_id.items[pump->hosting.by_id.count++] =
        (struct bt_pump_host){.number = listener->number,
                              .listener = listener,
                              .under = under,
                              .state = BT_PUMP_HOST_SERVES};
    return BT_OK;
}

enum bt_status bt_pump_start_hosts(struct bt_pump *pump, struct bt_error *error)
{
    BT_TRY(bt_host_pool_open(NULL, &pump->hosting.pool, error));
    for (uint32_t i = 0; i < pump->core.listeners_count; i++) {
        struct bt_pump_slot *slot = &pump->hosting.slots[i];
        if (slot->listener) {
            BT_TRY(bt_pump_start_host(pump, slot->listener, slot->generation, &slot->host, error));
            slot->has_host = true;
        }
    }
    return BT_OK;
}

static bool is_json_number(struct bt_arena *arena, bt_str text)
{
    struct bt_json_read_result read = {0};
    /* from: organism file */
    return bt_json_read(arena, text, NULL, &read) == BT_OK && read.document &&
           bt_json_is_number(bt_json_root(read.document));
}

/* A scalar as JSON. Numbers that are not spelled as in JSON become strings. */
static void put_scalar(struct bt_arena *arena, const struct bt_yaml_node *node,
                       struct bt_emit *emit)
{
    const enum bt_yaml_type type = bt_yaml_type_of(node);
    const bool is_number = type == BT_YAML_TYPE_INTEGER || type == BT_YAML_TYPE_NUMBER;
    const bool is_word = type == BT_YAML_TYPE_TRUE || type == BT_YAML_TYPE_FALSE;
    if (is_word || (is_number && is_json_number(arena, node->text))) {
        bt_emit_raw(emit, node->text);
    } else if (type == BT_YAML_TYPE_NULL) {
        bt_emit_null(emit);
    } else {
        bt_emit_string(emit, node->text);
    }
}

/* The mapping `config` as JSON. */
static void put_config(struct bt_arena *arena, const struct bt_yaml_node *config,
                       struct bt_buf *buf)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    for (size_t i = 0; config && i < config->count; i++) {
        bt_emit_name_str(&emit, config->entries[i].key);
        put_scalar(arena, &config->entries[i].value, &emit);
    }
    bt_emit_end(&emit);
}

enum bt_status bt_pump_send_ready(struct bt_host_pool *pool, bt_host_id host,
                                  struct bt_arena *arena, const struct bt_organism *organism,
                                  const struct bt_organism_listener *listener)
{
    struct bt_buf config;
    struct bt_buf prompt;
    bt_buf_init(&config, SIZE_MAX);
    bt_buf_init(&prompt, SIZE_MAX);
    put_config(arena, listener->config, &config);
    enum bt_status status = config.status;
    if (status == BT_OK && listener->is_agent) {
        status = bt_organism_put_text(&prompt, arena, organism, listener->takes.name,
                                      BT_ORGANISM_TEXT_PROMPT);
    }
    if (status == BT_OK) {
        const bt_str text = bt_buf_str(&prompt);
        status = bt_host_ready(pool, host, bt_buf_str(&config), listener->is_agent ? &text : NULL);
    }
    bt_buf_free(&config);
    bt_buf_free(&prompt);
    return status;
}

enum bt_status bt_pump_ready(struct bt_pump *pump, bt_host_id host)
{
    const struct bt_pump_host *known = &pump->hosting.by_id.items[host];
    return bt_pump_send_ready(pump->hosting.pool, host, &pump->arena, known->under->organism,
                              known->listener);
}

void bt_pump_retire_host(struct bt_pump *pump, bt_host_id host)
{
    assert(pump->hosting.by_id.items[host].state == BT_PUMP_HOST_SERVES);
    pump->hosting.by_id.items[host].state = BT_PUMP_HOST_LEAVES;
    pump->hosting.leaving++;
    bt_host_stop(pump->hosting.pool, host);
}

void bt_pump_host_ended(struct bt_pump *pump, bt_host_id host)
{
    struct bt_pump_host *known = &pump->hosting.by_id.items[host];
    if (known->state == BT_PUMP_HOST_LEAVES) {
        known->state = BT_PUMP_HOST_OVER;
    }
}

static void mark_needed(struct bt_pump_generation *generation)
{
    if (generation) {
        generation->is_needed = true;
    }
}

/* Free organisms that are not in force and that no host and no listener uses. */
static void forget_generations(struct bt_pump *pump)
{
    mark_needed(pump->generation);
    for (uint32_t i = 0; i < pump->core.listeners_count; i++) {
        mark_needed(pump->hosting.slots[i].generation);
    }
    for (size_t i = 0; i < pump->hosting.by_id.count; i++) {
        mark_needed(pump->hosting.by_id.items[i].under);
    }
    struct bt_pump_generation **at = &pump->generation;
    while (*at) {
        struct bt_pump_generation *generation = *at;
        if (generation->is_needed) {
            mark_needed(generation->base); /* older, so it comes later in the list */
            generation->is_needed = false;
            at = &generation->older;
            continue;
        }
        *at = generation->older;
        if (generation != &pump->first) {
            bt_pump_generation_free(generation);
        }
    }
}

void bt_pump_free_retired(struct bt_pump *pump)
{
    bool is_less = false;
    for (bt_host_id i = 0; pump->hosting.leaving > 0 && i < pump->hosting.by_id.count; i++) {
        struct bt_pump_host *known = &pump->hosting.by_id.items[i];
        if (known->state == BT_PUMP_HOST_OVER) {
            bt_host_pool_remove(pump->hosting.pool, i);
            *known = (struct bt_pump_host){.state = BT_PUMP_HOST_FORGOTTEN};
            pump->hosting.leaving--;
            is_less = true;
        }
    }
    if (is_less && pump->generation != &pump->first) {
        forget_generations(pump);
    }
}

bool bt_pump_cancel(struct bt_pump *pump, uint32_t number, uint64_t call)
{
    const struct bt_pump_slot *slot = &pump->hosting.slots[number];
    if (slot->gateway) {
        pump->endpoint.cancel(pump->endpoint.context, number, call);
        return true;
    }
    if (slot->has_host && bt_host_cancel(pump->hosting.pool, slot->host, call)) {
        return true;
    }
    for (bt_host_id i = 0; pump->hosting.leaving > 0 && i < pump->hosting.by_id.count; i++) {
        const struct bt_pump_host *known = &pump->hosting.by_id.items[i];
        if (known->state == BT_PUMP_HOST_LEAVES && known->number == number &&
            bt_host_cancel(pump->hosting.pool, i, call)) {
            return true;
        }
    }
    return false;
}

/* Stop the hosts, and wait for them as long as they may take. */
void bt_pump_stop_hosts(struct bt_pump *pump)
{
    const uint64_t from = bt_clock_monotonic_ms();
    struct bt_host_event event;
    size_t left = pump->hosting.leaving;
    for (bt_host_id i = 0; i < pump->hosting.by_id.count; i++) {
        if (pump->hosting.by_id.items[i].state == BT_PUMP_HOST_SERVES) {
            bt_host_stop(pump->hosting.pool, i);
            left++;
        }
    }
    while (left > 0 && bt_clock_monotonic_ms() - from < STOP_MS_MAX) {
        if (bt_host_pool_wait(pump->hosting.pool, 50, NULL) != BT_OK) {
            return;
        }
        while (bt_host_pool_next(pump->hosting.pool, &event)) {
            if (event.kind == BT_HOST_EVENT_LOG) {
                bt_output_take(pump, event.host, event.stream, event.body);
            } else if (event.kind == BT_HOST_EVENT_ENDED) {
                bt_output_end(pump, event.host);
                left -= left > 0;
            }
        }
    }
}
