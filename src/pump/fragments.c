/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fragments.c - a result is read leniently, and every fragment is judged by a table, of which the
 * first matching row counts. Only what the emitter itself may use is looked up, never the list of
 * all listeners.
 */
#include "pump/fragments.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "dialect/xml/message_check.h"
#include "json/emit.h"

enum { PARAMS_BYTES_MAX = 1 << 16, NAME_SHOWN = 200 };

#define EMPTY_HALT "<halt xmlns=\"https://xml-pipeline.org/ns/core/v1\"></halt>"

/* One fragment that is being judged. */
struct pump_fragment_state {
    const struct bt_pump_fragment_reader *reader;
    const struct bt_organism_listener *emitter;
    struct bt_arena *arena;
    const struct bt_xml_document *document;
    struct bt_xml_node *element;
    struct bt_pump_fragment *out;
};

/* Put the codes of findings, each once. They are sorted, as the enum is. */
static void put_codes(struct bt_emit *emit, const struct bt_findings *findings)
{
    bool is_found[BT_CODE__MAX] = {false};
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        is_found[bt_findings_at(findings, i)->code] = true;
    }
    bt_emit_member_array(emit, "codes");
    for (unsigned code = 0; code < BT_CODE__MAX; code++) {
        if (is_found[code]) {
            bt_emit_string(emit, bt_code_name(code));
        }
    }
    bt_emit_end(emit);
}

static enum bt_status put_param(struct bt_arena *arena, const char *name, bt_str value,
                                const struct bt_findings *findings, bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, PARAMS_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, name, bt_str_slice(value, 0, NAME_SHOWN));
    if (findings) {
        put_codes(&emit, findings);
    }
    bt_emit_end(&emit);
    return bt_buf_finish(&buf, arena, out);
}

static enum bt_status set_fragment_error(struct pump_fragment_state *state, enum bt_code code,
                                         const char *name)
{
    state->out->action = BT_PUMP_FRAGMENT_ACTION_REJECT;
    state->out->code = code;
    return put_param(state->arena, name, state->element->name, NULL, &state->out->params);
}

/* Whether an element fits a type; *out_findings say what does not. */
static enum bt_status check_type(const struct pump_fragment_state *state,
                                 struct bt_xml_node *element, const struct bt_payload_type *type,
                                 bool *out, struct bt_findings **out_findings)
{
    static const struct bt_message_options none = {.client = {"", 0}};
    struct bt_message_check message = {.env = state->reader->env,
                                       .options = &none,
                                       .findings = bt_findings_new(state->arena),
                                       .arena = state->arena,
                                       .document = state->document};
    if (!message.findings) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_message_check_value(&message, element, type));
    *out = !bt_message_has_hard(&message);
    *out_findings = message.findings;
    return BT_OK;
}

static enum bt_status take_value(struct pump_fragment_state *state,
                                 const struct bt_payload_type *type,
                                 enum bt_pump_fragment_action action)
{
    bool is_fit = false;
    struct bt_findings *findings = NULL;
    BT_TRY(check_type(state, state->element, type, &is_fit, &findings));
    state->out->action = is_fit ? action : BT_PUMP_FRAGMENT_ACTION_REJECT;
    state->out->code = is_fit ? BT_CODE_NONE : BT_CODE_PUMP_CALL_INVALID;
    return is_fit ? BT_OK
                  : put_param(state->arena, "tag", state->element->name, findings,
                              &state->out->params);
}

/* Whether `element` may go to the caller; *out_findings say what is wrong with it. */
static enum bt_status is_reply(const struct pump_fragment_state *state, struct bt_xml_node *element,
                               bool *out, struct bt_findings **out_findings)
{
    const struct bt_organism_capability *takes = &state->emitter->takes;
    *out_findings = bt_findings_new(state->arena);
    *out = false;
    if (!*out_findings) {
        return BT_ENOMEM;
    }
    if (element->space.len > 0 || bt_organism_name_is_reserved(element->name) ||
        bt_str_find_byte(element->name, '.', 0) < element->name.len) {
        return BT_OK;
    }
    if (takes->replying == BT_ORGANISM_REPLIES_ANY) {
        *out = true;
        return BT_OK;
    }
    for (size_t i = 0; i < takes->replies_count; i++) {
        if (bt_str_eq(takes->replies[i].tag, element->name)) {
            return check_type(state, element, takes->replies[i].type, out, out_findings);
        }
    }
    return BT_OK;
}

static enum bt_status refuse_reply(struct pump_fragment_state *state,
                                   const struct bt_findings *findings)
{
    state->out->action = BT_PUMP_FRAGMENT_ACTION_REJECT;
    state->out->code = BT_CODE_PUMP_REPLY_INVALID;
    return put_param(state->arena, "tag", state->element->name, findings, &state->out->params);
}

static enum bt_status take_reply(struct pump_fragment_state *state)
{
    bool is_fit = false;
    struct bt_findings *findings = NULL;
    BT_TRY(is_reply(state, state->element, &is_fit, &findings));
    if (!is_fit) {
        return refuse_reply(state, findings);
    }
    state->out->action = BT_PUMP_FRAGMENT_ACTION_REPLY;
    return BT_OK;
}

static bool has_only_condition(const struct bt_xml_node *element)
{
    return element->attributes_count == 0 ||
           (element->attributes_count == 1 && element->attributes[0].space.len == 0 &&
            bt_str_eq(element->attributes[0].name, BT_STR("condition")));
}

static enum bt_status take_todo(struct pump_fragment_state *state)
{
    struct bt_findings *none = bt_findings_new(state->arena);
    if (!none) {
        return BT_ENOMEM;
    }
    if (!has_only_condition(state->element)) {
        return refuse_reply(state, none);
    }
    state->out->action = BT_PUMP_FRAGMENT_ACTION_SELF;
    return BT_OK;
}

/* `return` holds one reply, `halt` one or nothing. */
static enum bt_status take_end(struct pump_fragment_state *state,
                               enum bt_pump_fragment_action action)
{
    struct bt_xml_node *element = state->element;
    struct bt_xml_node *inner = bt_xml_first(element);
    struct bt_findings *findings = bt_findings_new(state->arena);
    const bool is_plain = element->attributes_count == 0 && !element->has_text;
    bool is_fit = false;
    if (!findings) {
        return BT_ENOMEM;
    }
    if (is_plain && !inner && action == BT_PUMP_FRAGMENT_ACTION_HALT) {
        state->out->action = action;
        state->out->root = BT_STR("halt");
        state->out->payload = BT_STR(EMPTY_HALT);
        return BT_OK;
    }
    if (is_plain && inner && !bt_xml_next(inner)) {
        BT_TRY(is_reply(state, inner, &is_fit, &findings));
    }
    if (!is_fit) {
        return refuse_reply(state, findings);
    }
    state->out->action = action;
    state->out->root = inner->name;
    return bt_xml_canonical(state->arena, state->document, inner, SIZE_MAX, &state->out->payload);
}

enum bt_status bt_pump_target_numbers(const struct bt_organism *organism, struct bt_arena *arena,
                                      bt_str name, uint32_t but, const uint32_t **out,
                                      size_t *out_count)
{
    uint32_t *numbers = BT_NEW_ARRAY(arena, uint32_t, organism->listeners_count + 1);
    size_t count = 0;
    if (!numbers) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < organism->listeners_count; i++) {
        const struct bt_organism_listener *listener = &organism->listeners[i];
        const bool is_meant =
            bt_str_eq(listener->takes.name, name) || bt_str_eq(listener->group, name);
        if (is_meant && listener->number != but) {
            numbers[count++] = listener->number;
        }
    }
    for (size_t i = 0; i < organism->gateways_count; i++) {
        if (bt_str_eq(organism->gateways[i].name, name)) {
            numbers[count++] = organism->gateways[i].number;
        }
    }
    *out = numbers;
    *out_count = count;
    return BT_OK;
}

/* The capability of a peer that has this tag, or NULL. */
static const struct bt_organism_capability *capability_of(const struct bt_organism *organism,
                                                          bt_str peer, bt_str tag)
{
    const struct bt_organism_listener *listener = bt_organism_listener(organism, peer);
    const struct bt_organism_group *group = bt_organism_group(organism, peer);
    const struct bt_organism_gateway *gateway = bt_organism_gateway(organism, peer);
    if (listener) {
        return bt_str_eq(listener->takes.tag, tag) ? &listener->takes : NULL;
    }
    if (group) {
        return bt_str_eq(group->tag, tag) ? &group->first->takes : NULL;
    }
    for (size_t i = 0; gateway && i < gateway->capabilities_count; i++) {
        if (bt_str_eq(gateway->capabilities[i].tag, tag)) {
            return &gateway->capabilities[i];
        }
    }
    return NULL;
}

static enum bt_status take_call(struct pump_fragment_state *state)
{
    const struct bt_organism *organism = state->reader->organism;
    const struct bt_organism_name_list *peers = &state->emitter->peers;
    const bt_str tag = state->element->name;
    for (size_t i = 0; i < peers->count; i++) {
        const struct bt_organism_listener *listener =
            bt_organism_listener(organism, peers->items[i]);
        const struct bt_organism_capability *takes = capability_of(organism, peers->items[i], tag);
        if (!takes) {
            continue;
        }
        BT_TRY(bt_pump_target_numbers(state->reader->now, state->arena, peers->items[i],
                                      state->emitter->number, &state->out->targets,
                                      &state->out->targets_count));
        if (state->out->targets_count == 0 && listener) {
            break; /* it was removed */
        }
        state->out->peer = peers->items[i];
        return take_value(state, takes->type, BT_PUMP_FRAGMENT_ACTION_CALL);
    }
    return set_fragment_error(state, BT_CODE_PUMP_BLOCKED, "tag");
}

static bool is_privileged(const struct bt_xml_node *top)
{
    for (const struct bt_xml_node *node = top; node; node = bt_xml_next_element(node, top)) {
        if (!node->is_text && bt_str_eq(node->space, BT_SPACE_PRIV)) {
            return true;
        }
        for (size_t i = 0; !node->is_text && i < node->attributes_count; i++) {
            if (bt_str_eq(node->attributes[i].space, BT_SPACE_PRIV)) {
                return true;
            }
        }
    }
    return false;
}

/* True when a name begins with `prefix`, ignoring case. */
static bool begins_with(bt_str name, const char *prefix)
{
    const size_t size = strlen(prefix);
    for (size_t i = 0; i < size; i++) {
        const char byte = i < name.len ? name.ptr[i] : '\0';
        if (bt_ascii_lower(byte) != prefix[i]) {
            return false;
        }
    }
    return true;
}

static bool is_system_space(bt_str space)
{
    return bt_str_eq(space, BT_SPACE_CORE) || bt_str_eq(space, BT_SPACE_META) ||
           bt_str_eq(space, BT_SPACE_SYS) || bt_str_eq(space, BT_SPACE_BATON);
}

static enum bt_status take_tag(struct pump_fragment_state *state)
{
    const struct bt_organism_capability *own = &state->emitter->takes;
    const bt_str tag = state->element->name;
    if (bt_str_find_byte(tag, '.', 0) == tag.len) {
        return take_reply(state);
    }
    if (state->emitter->is_agent && bt_str_eq(tag, own->tag)) {
        return take_value(state, own->type, BT_PUMP_FRAGMENT_ACTION_SELF);
    }
    return take_call(state);
}

static enum bt_status check_fragment(struct pump_fragment_state *state)
{
    const struct bt_xml_node *element = state->element;
    const bool is_reserved = element->space.len == 0 && bt_organism_name_is_reserved(element->name);
    if (is_privileged(element) || (is_reserved && begins_with(element->name, "privileged-"))) {
        return set_fragment_error(state, BT_CODE_PUMP_PRIVILEGED, "name");
    }
    if (bt_str_eq(element->space, BT_SPACE_ENV) ||
        (is_reserved && begins_with(element->name, "message"))) {
        return set_fragment_error(state, BT_CODE_PUMP_FORGED_ENVELOPE, "name");
    }
    if (bt_xml_is(element, BT_SPACE_CORE, BT_STR("todo-until"))) {
        return take_todo(state);
    }
    if (bt_xml_is(element, BT_SPACE_CORE, BT_STR("return"))) {
        return take_end(state, BT_PUMP_FRAGMENT_ACTION_RETURN);
    }
    if (bt_xml_is(element, BT_SPACE_CORE, BT_STR("halt"))) {
        return take_end(state, BT_PUMP_FRAGMENT_ACTION_HALT);
    }
    if (is_reserved || is_system_space(element->space)) {
        return set_fragment_error(state, BT_CODE_PUMP_RESERVED, "name");
    }
    return element->space.len > 0 ? set_fragment_error(state, BT_CODE_PUMP_BLOCKED, "tag")
                                  : take_tag(state);
}

static enum bt_status set_fault(struct bt_pump_fragments *out, struct bt_arena *arena,
                                enum bt_code code, const char *name, const char *value)
{
    *out = (struct bt_pump_fragments){.fault = code};
    return name ? put_param(arena, name, bt_str_of(value), NULL, &out->params) : BT_OK;
}

static const char *reason_of(enum bt_xml_error code)
{
    switch (code) {
    case BT_XML_ENCODING:
        return "encoding";
    case BT_XML_DTD:
        return "dtd";
    case BT_XML_NAMESPACE:
        return "namespace";
    case BT_XML_TOO_DEEP:
        return "depth";
    case BT_XML_TOO_MANY_ATTRIBUTES:
        return "attributes";
    case BT_XML_CUT:
        return "cut";
    case BT_XML_FINE:
    case BT_XML_TOO_LARGE:
    case BT_XML_PI:
    case BT_XML_SYNTAX:
    case BT_XML_REPAIRED_LEAF:
        break;
    }
    return "markup";
}

static enum bt_status put_repairs(struct bt_arena *arena, unsigned repairs, bt_str *out)
{
    bt_str names[BT_XML_REPAIRS_MAX];
    const size_t count = bt_xml_repair_names(repairs, names);
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, PARAMS_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_array(&emit, "repairs");
    for (size_t i = 0; i < count; i++) {
        bt_emit_string(&emit, names[i]);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    return bt_buf_finish(&buf, arena, out);
}

static enum bt_status judge_all(const struct bt_pump_fragment_reader *reader,
                                struct bt_arena *arena, const struct bt_xml_document *document,
                                struct bt_pump_fragments *out)
{
    const struct bt_organism *organism = reader->organism;
    struct bt_pump_fragment *items = BT_NEW_ARRAY(arena, struct bt_pump_fragment, document->roots);
    size_t count = 0;
    if (!items) {
        return BT_ENOMEM;
    }
    for (struct bt_xml_node *root = document->root; root; root = root->next) {
        if (root->is_text) {
            continue;
        }
        assert(count < document->roots);
        struct bt_pump_fragment *item = &items[count++];
        struct pump_fragment_state state = {.reader = reader,
                                            .emitter = reader->emitter,
                                            .arena = arena,
                                            .document = document,
                                            .element = root,
                                            .out = item};
        BT_TRY(bt_xml_canonical(arena, document, root, SIZE_MAX, &item->canonical));
        if (item->canonical.len > organism->limits.result_bytes) {
            return set_fault(out, arena, BT_CODE_PUMP_LIMIT, "limit", "result_bytes");
        }
        item->root = root->name;
        item->payload = item->canonical;
        BT_TRY(check_fragment(&state));
    }
    out->items = items;
    out->count = count;
    return BT_OK;
}

enum bt_status bt_pump_fragments_read(const struct bt_pump_fragment_reader *reader,
                                      struct bt_arena *arena, bt_str bytes,
                                      struct bt_pump_fragments *out)
{
    assert(reader->emitter);
    const struct bt_organism_limits *limits = &reader->organism->limits;
    const struct bt_xml_options options = {
        .mode = BT_XML_LENIENT_RESULT,
        .bytes_max = limits->result_bytes,
        .depth_max = BT_XML_DEPTH_MAX,
        .seed = {reader->env->hash_seed[0], reader->env->hash_seed[1]}};
    struct bt_xml_result read;
    *out = (struct bt_pump_fragments){0};
    BT_TRY(bt_xml_read(arena, bytes, &options, &read));
    if (read.code == BT_XML_TOO_LARGE) {
        return set_fault(out, arena, BT_CODE_PUMP_LIMIT, "limit", "result_bytes");
    }
    if (read.code != BT_XML_FINE) {
        BT_TRY(set_fault(out, arena, BT_CODE_PUMP_RESULT_SYNTAX, "reason", reason_of(read.code)));
        out->is_attack = read.code == BT_XML_DTD;
        return BT_OK;
    }
    if (read.document->roots == 0) {
        return set_fault(out, arena, BT_CODE_PUMP_RESULT_EMPTY, NULL, NULL);
    }
    if (read.document->roots > limits->fragments) {
        return set_fault(out, arena, BT_CODE_PUMP_LIMIT, "limit", "fragments");
    }
    if (read.repairs != 0) {
        BT_TRY(put_repairs(arena, read.repairs, &out->repairs));
    }
    return judge_all(reader, arena, read.document, out);
}
