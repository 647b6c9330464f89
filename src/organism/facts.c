/* SPDX-License-Identifier: Apache-2.0 */
/* facts.c - the facts about an organism, as members of its report. */
#include <assert.h>
#include <stdlib.h>

#include <baton/json.h>

#include "base/buf.h"
#include "json/emit.h"
#include "organism/organism.h"

static int compare_texts(const void *a, const void *b)
{
    const bt_str *left = a;
    const bt_str *right = b;
    return bt_str_compare(*left, *right);
}

/* Put names, sorted, as an array. */
static enum bt_status put_sorted(struct bt_emit *emit, struct bt_arena *arena, const bt_str *names,
                                 size_t count)
{
    bt_str *sorted = BT_NEW_ARRAY(arena, bt_str, count);
    BT_TRY(sorted ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = names[i];
    }
    qsort(sorted, count, sizeof(sorted[0]), compare_texts);
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < count; i++) {
        bt_emit_string(emit, sorted[i]);
    }
    bt_emit_end(emit);
    return BT_OK;
}

static enum bt_status put_replies(struct bt_emit *emit, struct bt_arena *arena,
                                  const struct bt_organism_capability *takes)
{
    bt_emit_name(emit, "replies");
    if (takes->replying == BT_ORGANISM_REPLIES_ANY) {
        bt_emit_string(emit, BT_STR("any"));
        return BT_OK;
    }
    bt_str *tags = BT_NEW_ARRAY(arena, bt_str, takes->replies_count);
    BT_TRY(tags ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < takes->replies_count; i++) {
        tags[i] = takes->replies[i].tag;
    }
    return put_sorted(emit, arena, tags, takes->replies_count);
}

enum { PROMPT_DIGITS = 16 };

static enum bt_status put_prompt(struct bt_emit *emit, const struct bt_organism_listener *listener)
{
    char digest[BT_SHA256_HEX_BYTES];
    bt_emit_name(emit, "prompt_sha256_16");
    if (!listener->has_prompt) {
        bt_emit_null(emit);
        return BT_OK;
    }
    BT_TRY(bt_sha256_hex(listener->prompt, digest));
    bt_emit_string(emit, (bt_str){digest, PROMPT_DIGITS});
    return BT_OK;
}

bt_str bt_organism_listener_host_name(const struct bt_organism_listener *listener)
{
    static const char *const names[] = {
        [BT_HOST_PYTHON] = "python", [BT_HOST_C] = "c", [BT_HOST_COMMAND] = "command"};
    return bt_str_of(names[listener->host]);
}

static enum bt_status put_listener(struct bt_emit *emit, struct bt_arena *arena,
                                   const struct bt_organism_listener *listener)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "name", listener->takes.name);
    bt_emit_member_string(emit, "tag", listener->takes.tag);
    bt_emit_member_bool(emit, "agent", listener->is_agent);
    bt_emit_member_string(emit, "host", bt_organism_listener_host_name(listener));
    bt_emit_name(emit, "peers");
    BT_TRY(put_sorted(emit, arena, listener->peers.items, listener->peers.count));
    bt_emit_member_string_or_null(emit, "group", listener->group);
    bt_emit_member_string(emit, "payload", listener->takes.type_name);
    BT_TRY(put_replies(emit, arena, &listener->takes));
    BT_TRY(put_prompt(emit, listener));
    bt_emit_end(emit);
    return BT_OK;
}

static void put_groups(struct bt_emit *emit, const struct bt_organism *organism)
{
    bt_emit_member_object(emit, "groups");
    for (size_t i = 0; i < organism->groups_count; i++) {
        const struct bt_organism_group *group = &organism->groups[i];
        bt_emit_name_str(emit, group->name);
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "tag", group->tag);
        bt_emit_member_array(emit, "members");
        for (size_t j = 0; j < organism->listeners_count; j++) {
            if (bt_str_eq(organism->listeners[j].group, group->name)) {
                bt_emit_string(emit, organism->listeners[j].takes.name);
            }
        }
        bt_emit_end(emit);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

static enum bt_status put_clients(struct bt_emit *emit, struct bt_arena *arena,
                                  const struct bt_organism *organism)
{
    bt_str *names = BT_NEW_ARRAY(arena, bt_str, organism->clients_count);
    BT_TRY(names ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < organism->clients_count; i++) {
        names[i] = organism->clients[i].name;
    }
    bt_emit_name(emit, "clients");
    return put_sorted(emit, arena, names, organism->clients_count);
}

static enum bt_status put_facts(struct bt_emit *emit, const struct bt_organism_reader *reader)
{
    const struct bt_organism *organism = reader->organism;
    bt_emit_member_string(emit, "organism", organism->name);
    bt_emit_member_array(emit, "listeners");
    for (size_t i = 0; i < organism->listeners_count; i++) {
        BT_TRY(put_listener(emit, reader->arena, &organism->listeners[i]));
    }
    bt_emit_end(emit);
    put_groups(emit, organism);
    BT_TRY(put_clients(emit, reader->arena, organism));
    bt_sandbox_put(emit, &reader->sandbox);
    return BT_OK;
}

enum bt_status bt_organism_facts(const struct bt_organism_reader *reader, bt_str *out)
{
    assert(reader->organism);
    struct bt_object_text text;
    struct bt_emit *emit = bt_object_text_begin(&text, SIZE_MAX, NULL);
    return bt_object_text_finish(&text, put_facts(emit, reader), reader->arena, out);
}
