/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listener_text.c - the texts that are made from a listener: schemas, example, prompt.
 */

#include <assert.h>

#include "organism/organism.h"
#include "organism/xsd.h"

static enum bt_status put_schema(struct bt_buf *buf, const struct bt_organism_capability *takes)
{
    if (!takes->type) {
        return BT_EINVAL;
    }
    if (takes->xsd.len > 0) {
        bt_buf_put(buf, takes->xsd);
        return buf->status;
    }
    bt_xsd_put_begin(buf);
    bt_xsd_put_element(buf, takes->tag, takes->type);
    bt_xsd_put_end(buf);
    return buf->status;
}

static enum bt_status put_replies(struct bt_buf *buf, const struct bt_organism_capability *takes)
{
    if (takes->replying == BT_ORGANISM_REPLIES_ANY || takes->replies_count == 0) {
        return BT_EINVAL;
    }
    bt_xsd_put_begin(buf);
    for (size_t i = 0; i < takes->replies_count; i++) {
        const struct bt_organism_listener_reply *reply = &takes->replies[i];
        if (!reply->type) {
            return BT_EINVAL;
        }
        if (reply->xsd.len > 0) {
            bt_buf_put(buf, reply->xsd);
        } else {
            bt_xsd_put_element(buf, reply->tag, reply->type);
        }
    }
    bt_xsd_put_end(buf);
    return buf->status;
}

/* Trimmed, with line feeds as blanks. */
static void put_description(struct bt_buf *buf, bt_str description)
{
    const bt_str text = bt_str_trim(description);
    for (size_t i = 0; i < text.len; i++) {
        bt_buf_put_char(buf, text.ptr[i] == '\n' ? ' ' : text.ptr[i]);
    }
    bt_buf_put_char(buf, '\n');
}

static void put_fields(struct bt_buf *buf, const struct bt_payload_type *type)
{
    const struct bt_xsd_group *content = type->kind == BT_TYPE_XSD_COMPLEX ? type->content : NULL;
    const size_t count = content ? content->count : type->count;
    for (size_t i = 0; i < count; i++) {
        const struct bt_payload_field *field =
            content ? &content->particles[i].element : &type->parts[i];
        if (!field->type) {
            continue; /* a group inside a group is only shown by the example */
        }
        bt_buf_put_text(buf, "  ");
        bt_buf_put(buf, field->name);
        bt_buf_put_text(buf, ": ");
        bt_payload_type_put(buf, field);
        bt_buf_put_char(buf, '\n');
    }
}

static enum bt_status put_call(struct bt_buf *buf, struct bt_arena *arena,
                               const struct bt_organism_capability *takes, bt_str tag,
                               bool has_fields)
{
    if (!takes->type) {
        return BT_EINVAL;
    }
    bt_buf_put_text(buf, "call: ");
    BT_TRY(bt_organism_listener_put_example(buf, arena, tag, takes->type));
    bt_buf_put_char(buf, '\n');
    if (has_fields) {
        put_fields(buf, takes->type);
    }
    if (takes->replying == BT_ORGANISM_REPLIES_ANY) {
        bt_buf_put_text(buf, "reply: any\n");
    } else if (takes->replies_count == 0) {
        bt_buf_put_text(buf, "reply: none\n");
    }
    for (size_t i = 0; i < takes->replies_count; i++) {
        if (!takes->replies[i].type) {
            return BT_EINVAL;
        }
        bt_buf_put_text(buf, "reply: ");
        BT_TRY(bt_organism_listener_put_example(buf, arena, takes->replies[i].tag,
                                                takes->replies[i].type));
        bt_buf_put_char(buf, '\n');
    }
    return buf->status;
}

static enum bt_status put_fragment(struct bt_buf *buf, struct bt_arena *arena, bt_str description,
                                   bt_str name, bt_str tag,
                                   const struct bt_organism_capability *takes)
{
    bt_buf_put(buf, name);
    bt_buf_put_text(buf, " - ");
    put_description(buf, description);
    return put_call(buf, arena, takes, tag, true);
}

/* Put the capabilities of one name in `peers`. */
static enum bt_status put_peer(struct bt_buf *buf, struct bt_arena *arena,
                               const struct bt_organism *organism, bt_str name)
{
    const struct bt_organism_listener *peer = bt_organism_listener(organism, name);
    const struct bt_organism_group *group = bt_organism_group(organism, name);
    const struct bt_organism_gateway *gateway = bt_organism_gateway(organism, name);
    if (peer) {
        return put_fragment(buf, arena, peer->description, name, peer->takes.tag, &peer->takes);
    }
    if (group) {
        return put_fragment(buf, arena, group->first->description, name, group->tag,
                            &group->first->takes);
    }
    for (size_t i = 0; gateway && i < gateway->capabilities_count; i++) {
        const struct bt_organism_capability *takes = &gateway->capabilities[i];
        BT_TRY(put_fragment(buf, arena, gateway->description, takes->name, takes->tag, takes));
    }
    return BT_OK;
}

static enum bt_status put_agent(struct bt_buf *buf, struct bt_arena *arena,
                                const struct bt_organism *organism,
                                const struct bt_organism_listener *agent)
{
    bt_buf_put_text(buf, "You are ");
    bt_buf_put(buf, agent->takes.name);
    bt_buf_put_text(buf, " - ");
    put_description(buf, agent->description);
    if (agent->has_prompt) {
        bt_buf_put(buf, agent->prompt);
        bt_buf_put_text(buf, bt_str_ends_with(agent->prompt, BT_STR("\n")) ? "" : "\n");
    }
    bt_buf_put_text(buf, agent->peers.count > 0 ? "You may call:\n" : "You may call nobody.\n");
    for (size_t i = 0; i < agent->peers.count; i++) {
        BT_TRY(put_peer(buf, arena, organism, agent->peers.items[i]));
    }
    BT_TRY(put_call(buf, arena, &agent->takes, agent->takes.tag, false));
    bt_buf_put_text(buf, "Finish sub-tasks first: return and halt end every call you have open.\n");
    return buf->status;
}

static enum bt_status get_listener(const struct bt_organism *organism, struct bt_arena *arena,
                                   bt_str name, const struct bt_organism_listener **out)
{
    bt_str folded;
    BT_TRY(bt_ascii_lower_copy(arena, name, &folded));
    *out = bt_organism_listener(organism, folded);
    return *out ? BT_OK : BT_ENOENT;
}

enum bt_status bt_organism_find_listener(const struct bt_organism *organism, struct bt_arena *arena,
                                         bt_str name, struct bt_listener_view *out)
{
    assert(organism);
    assert(out);
    const struct bt_organism_listener *listener = NULL;
    BT_TRY(get_listener(organism, arena, name, &listener));
    *out = (struct bt_listener_view){listener->takes.name, listener->takes.tag};
    return BT_OK;
}

enum bt_status bt_organism_put_text(struct bt_buf *buf, struct bt_arena *arena,
                                    const struct bt_organism *organism, bt_str name,
                                    enum bt_organism_text text)
{
    assert(buf);
    assert(organism);
    const struct bt_organism_listener *listener = NULL;
    BT_TRY(get_listener(organism, arena, name, &listener));
    const struct bt_organism_capability *takes = &listener->takes;
    switch (text) {
    case BT_ORGANISM_TEXT_SCHEMA:
        return put_schema(buf, takes);
    case BT_ORGANISM_TEXT_RESULT:
        return put_replies(buf, takes);
    case BT_ORGANISM_TEXT_EXAMPLE:
        if (!takes->type) {
            return BT_EINVAL;
        }
        BT_TRY(bt_organism_listener_put_example(buf, arena, takes->tag, takes->type));
        bt_buf_put_char(buf, '\n');
        return buf->status;
    case BT_ORGANISM_TEXT_PROMPT:
        return listener->is_agent ? put_agent(buf, arena, organism, listener)
                                  : put_fragment(buf, arena, listener->description, takes->name,
                                                 takes->tag, takes);
    }
    return BT_EINVAL;
}
