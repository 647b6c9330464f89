/* SPDX-License-Identifier: Apache-2.0 */
/* usage.c - events -> what was spent, each answer once. */
#include "transcript/usage.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

enum {
    NUMBERS = sizeof(struct bt_token_usage) / sizeof(uint64_t),
    MODELS_MAX = 256, /* of an agent; more are counted as unknown */
};

/* What is spent on an answer whose model the host does not tell. */
static const bt_str MODEL_UNKNOWN = BT_STR_INIT("unknown");

void bt_usage_init(struct bt_usage *usage, struct bt_arena *arena, const uint64_t seed[2])
{
    *usage = (struct bt_usage){.arena = arena};
    memcpy(usage->seed, seed, sizeof(usage->seed));
    bt_arena_init(&usage->remembered, BT_USAGE_BYTES_MAX);
    bt_map_init(&usage->names, arena, seed);
    bt_map_init(&usage->ids, &usage->remembered, seed);
    bt_map_init(&usage->parent_totals, arena, seed);
}

void bt_usage_free(struct bt_usage *usage)
{
    bt_arena_free(&usage->remembered);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* The four numbers one by one. */
static uint64_t *number_at(struct bt_token_usage *usage, size_t index)
{
    uint64_t *const numbers[NUMBERS] = {&usage->input, &usage->output, &usage->cache_read,
                                        &usage->cache_write};
    return numbers[index];
}

void bt_token_usage_add(struct bt_token_usage *sum, const struct bt_token_usage *count)
{
    struct bt_token_usage added = *count;
    for (size_t i = 0; i < NUMBERS; i++) {
        uint64_t *number = number_at(sum, i);
        if (__builtin_add_overflow(*number, *number_at(&added, i), number)) {
            *number = UINT64_MAX;
        }
    }
}

/* What `now` has more than `before`, number by number; not below 0. */
static struct bt_token_usage growth_of(struct bt_token_usage before, struct bt_token_usage now)
{
    for (size_t i = 0; i < NUMBERS; i++) {
        uint64_t *number = number_at(&now, i);
        const uint64_t less = *number_at(&before, i);
        *number = *number > less ? *number - less : 0;
    }
    return now;
}

static bool is_nothing(struct bt_token_usage usage)
{
    return (usage.input | usage.output | usage.cache_read | usage.cache_write) == 0;
}

/* ---- Agents ---------------------------------------------------------------------------------- */

/* The number of an agent. Main agents of different files are different agents. */
static enum bt_status find_agent(struct bt_usage *usage, bt_str name, size_t *out)
{
    const bool is_main = bt_str_eq(name, BT_STR("-"));
    struct bt_map_key key = {name, is_main ? usage->file : 0};
    struct bt_map_entry *entry = bt_map_find(&usage->names, key);
    if (!entry) {
        struct bt_usage_agent agent = {0};
        BT_TRY(bt_arena_copy(usage->arena, name, &agent.agent));
        BT_TRY(bt_vec_push(usage->arena, &usage->agents, agent));
        key.text = agent.agent;
        BT_TRY(bt_map_add(&usage->names, key, &entry));
        entry->value.number = usage->agents.count;
    }
    *out = entry->value.number - 1;
    return BT_OK;
}

static enum bt_status find_model(struct bt_usage *usage, size_t agent, bt_str name, size_t *out)
{
    struct bt_usage_agent *owner = &usage->agents.items[agent];
    const bool has_room = owner->models.count < MODELS_MAX;
    const bt_str model = name.len > 0 && has_room ? name : MODEL_UNKNOWN;
    for (*out = 0; *out < owner->models.count; (*out)++) {
        if (bt_str_eq(owner->models.items[*out].model, model)) {
            return BT_OK;
        }
    }
    struct bt_usage_model added = {0};
    BT_TRY(bt_arena_copy(usage->arena, model, &added.model));
    return bt_vec_push(usage->arena, &owner->models, added);
}

static enum bt_status add_count(struct bt_usage *usage, const struct bt_transcript_event *event,
                                const struct bt_token_usage *count)
{
    size_t agent = 0;
    size_t model = 0;
    BT_TRY(find_agent(usage, event->agent, &agent));
    BT_TRY(find_model(usage, agent, event->as.usage.model, &model));
    bt_token_usage_add(&usage->agents.items[agent].models.items[model].count, count);
    return BT_OK;
}

/* ---- Answers --------------------------------------------------------------------------------- */

static enum bt_status digest_id(bt_str id, uint64_t *out)
{
    uint8_t digest[BT_SHA256_BYTES];
    BT_TRY(bt_sha256(id, digest));
    memcpy(out, digest, sizeof(*out));
    return BT_OK;
}

/* The map also has ids of messages that were replaced. Make it anew when they are too many. */
static enum bt_status drop_old_ids(struct bt_usage *usage)
{
    if (usage->ids.count < 2 * BT_USAGE_MESSAGES_MAX) {
        return BT_OK;
    }
    bt_arena_reset(&usage->remembered);
    bt_map_init(&usage->ids, &usage->remembered, usage->seed);
    for (size_t i = 0; i < usage->messages.count; i++) {
        struct bt_map_entry *entry = NULL;
        BT_TRY(bt_map_add(&usage->ids, bt_map_number(usage->messages.items[i].id), &entry));
        entry->value.number = i + 1;
    }
    return BT_OK;
}

static enum bt_status remember_message(struct bt_usage *usage,
                                       const struct bt_usage_message *message)
{
    struct bt_map_entry *entry = NULL;
    size_t at = usage->oldest;
    BT_TRY(drop_old_ids(usage));
    if (usage->messages.count < BT_USAGE_MESSAGES_MAX) {
        at = usage->messages.count;
        BT_TRY(bt_vec_push(usage->arena, &usage->messages, *message));
    } else {
        usage->messages.items[at] = *message;
        usage->oldest = (at + 1) % BT_USAGE_MESSAGES_MAX;
    }
    BT_TRY(bt_map_add(&usage->ids, bt_map_number(message->id), &entry));
    entry->value.number = at + 1;
    return BT_OK;
}

/* Lines with the same id tell of one answer; the largest numbers count. */
static enum bt_status add_answer(struct bt_usage *usage, const struct bt_transcript_event *event)
{
    const struct bt_transcript_usage *reported = &event->as.usage;
    struct bt_usage_message added = {.count = reported->count};
    if (is_nothing(reported->count)) {
        return BT_OK;
    }
    if (reported->message_id.len == 0) {
        return add_count(usage, event, &reported->count);
    }
    BT_TRY(digest_id(reported->message_id, &added.id));
    const struct bt_map_entry *entry = bt_map_find(&usage->ids, bt_map_number(added.id));
    struct bt_usage_message *message =
        entry ? &usage->messages.items[entry->value.number - 1] : NULL;
    if (message && message->id == added.id) {
        const struct bt_token_usage growth = growth_of(message->count, reported->count);
        bt_token_usage_add(&message->count, &growth);
        bt_token_usage_add(&usage->agents.items[message->agent].models.items[message->model].count,
                           &growth);
        return BT_OK;
    }
    size_t agent = 0;
    size_t model = 0;
    BT_TRY(find_agent(usage, event->agent, &agent));
    BT_TRY(find_model(usage, agent, reported->model, &model));
    added.agent = (uint32_t)agent;
    added.model = (uint32_t)model;
    BT_TRY(remember_message(usage, &added));
    bt_token_usage_add(&usage->agents.items[agent].models.items[model].count, &reported->count);
    return BT_OK;
}

/* ---- Totals ---------------------------------------------------------------------------------- */

static bt_str bytes_of(const struct bt_token_usage *total)
{
    return (bt_str){(const char *)total, sizeof(*total)};
}

/* Of `input` a part was read from a cache, and a part written to one. */
static struct bt_token_usage without_cache(struct bt_token_usage usage)
{
    const uint64_t cached = usage.cache_read + usage.cache_write; /* each is below 2^63 */
    usage.input = usage.input > cached ? usage.input - cached : 0;
    return usage;
}

static bool has_fallen(const struct bt_token_usage *before, const struct bt_token_usage *now)
{
    return now->input < before->input || now->output < before->output ||
           now->cache_read < before->cache_read || now->cache_write < before->cache_write;
}

static enum bt_status mark_uncertain(struct bt_usage *usage, bt_str name)
{
    size_t agent = 0;
    BT_TRY(find_agent(usage, name, &agent));
    usage->agents.items[agent].is_uncertain = true;
    return BT_OK;
}

bool bt_usage_needs_parent(const struct bt_usage *usage, const struct bt_transcript_state *state)
{
    return state->parent.len > 0 && !state->has_parent_mark && !usage->has_own_total;
}

/* Running totals count by their growth; what a parent spent only moves the base. */
static enum bt_status add_total(struct bt_usage *usage, const struct bt_transcript_state *state,
                                const struct bt_transcript_event *event)
{
    const struct bt_transcript_usage *reported = &event->as.usage;
    const struct bt_token_usage before = usage->total;
    const bool needs_parent = bt_usage_needs_parent(usage, state);
    const bool is_parents =
        reported->is_inherited ||
        (needs_parent && usage->has_parent &&
         bt_map_find(&usage->parent_totals, bt_map_text(bytes_of(&reported->count))));
    usage->total = reported->count;
    if (is_parents) {
        return BT_OK;
    }
    if (needs_parent && !usage->has_parent) {
        return mark_uncertain(usage, event->agent);
    }
    const struct bt_token_usage grown =
        without_cache(has_fallen(&before, &reported->count) ? reported->last
                                                            : growth_of(before, reported->count));
    usage->has_own_total = true; /* what is repeated comes first */
    return is_nothing(grown) ? BT_OK : add_count(usage, event, &grown);
}

enum bt_status bt_usage_read_parent(struct bt_usage *usage, struct bt_transcript_reader *parent)
{
    struct bt_transcript_event event;
    usage->has_parent = true;
    for (;;) {
        BT_TRY(bt_transcript_next(parent, &event));
        if (event.kind == BT_TRANSCRIPT_END) {
            return BT_OK;
        }
        if (event.kind == BT_TRANSCRIPT_USAGE && event.as.usage.is_total) {
            struct bt_map_entry *entry = NULL;
            bt_str bytes;
            BT_TRY(bt_arena_copy(usage->arena, bytes_of(&event.as.usage.count), &bytes));
            BT_TRY(bt_map_add(&usage->parent_totals, bt_map_text(bytes), &entry));
        }
    }
}

enum bt_status bt_usage_add(struct bt_usage *usage, const struct bt_transcript_state *state,
                            const struct bt_transcript_event *event)
{
    if (event->kind != BT_TRANSCRIPT_USAGE) {
        return BT_OK;
    }
    return event->as.usage.is_total ? add_total(usage, state, event) : add_answer(usage, event);
}

enum bt_status bt_usage_read(struct bt_usage *usage, struct bt_transcript_reader *reader)
{
    struct bt_transcript_event event;
    const struct bt_transcript_state *state = bt_transcript_state(reader);
    usage->file++;
    usage->total = (struct bt_token_usage){0};
    usage->has_own_total = false;
    do {
        BT_TRY(bt_transcript_next(reader, &event));
        BT_TRY(bt_usage_add(usage, state, &event));
    } while (event.kind != BT_TRANSCRIPT_END);
    return BT_OK;
}
