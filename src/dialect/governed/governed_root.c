/* SPDX-License-Identifier: Apache-2.0 */
/*
 * governed_root.c - manifest and lock -> agents in agent order: domains, archetypes, orchestrators,
 * each by id in byte order.
 */
#include "dialect/governed/governed_root.h"

#include <assert.h>
#include <stdlib.h>

#include "base/buf.h"
#include "json/get.h"
#include "json/write.h"

enum { NUMBERS = 100, NUMBER_AT = sizeof("domain-") - 1 };

static const bt_str type_names[BT_GOVERNED_AGENT_TYPE__MAX] = {
    BT_STR_INIT("domain"),
    BT_STR_INIT("archetype"),
    BT_STR_INIT("orchestrator"),
};
static const bt_str section_names[BT_GOVERNED_AGENT_TYPE__MAX] = {
    BT_STR_INIT("domains"),
    BT_STR_INIT("archetypes"),
    BT_STR_INIT("orchestrators"),
};

bt_str bt_governed_agent_type_name(enum bt_governed_agent_type type)
{
    assert(type < BT_GOVERNED_AGENT_TYPE__MAX);
    return type_names[type];
}

bt_str bt_governed_agent_section(enum bt_governed_agent_type type)
{
    assert(type < BT_GOVERNED_AGENT_TYPE__MAX);
    return section_names[type];
}

size_t bt_governed_root_find(const struct bt_governed_root *governed_root, bt_str id)
{
    for (size_t i = 0; i < governed_root->count; i++) {
        if (bt_str_eq(governed_root->agents[i].id, id)) {
            return i;
        }
    }
    return BT_NO_AGENT;
}

size_t bt_governed_root_domain(const struct bt_governed_root *governed_root, int number)
{
    for (size_t i = 0; i < governed_root->counts[BT_GOVERNED_AGENT_TYPE_DOMAIN]; i++) {
        if (governed_root->agents[i].number == number) {
            return i;
        }
    }
    return BT_NO_AGENT;
}

void bt_governed_root_put_ids(const struct bt_governed_root *governed_root, struct bt_emit *emit)
{
    for (size_t i = 0; i < governed_root->count; i++) {
        bt_emit_string(emit, governed_root->agents[i].id);
    }
}

enum bt_status bt_governed_root_ids(const struct bt_governed_root *governed_root,
                                    const size_t *agents, size_t count, struct bt_str_list *out)
{
    bt_str *ids = BT_NEW_ARRAY(governed_root->arena, bt_str, count + 1);
    BT_TRY(ids ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        ids[i] = governed_root->agents[agents ? agents[i] : i].id;
    }
    *out = (struct bt_str_list){ids, count};
    return BT_OK;
}

enum bt_status bt_governed_root_composition(const struct bt_governed_root *governed_root,
                                            const struct bt_governed_agent *agent, bt_str *out)
{
    *out = BT_STR("{}");
    if (!agent->composition || bt_json_type(agent->composition) != BT_JSON_OBJECT) {
        return BT_OK;
    }
    return bt_json_write_text(governed_root->manifest.document, agent->composition,
                              BT_JSON_FORM_COMPACT, governed_root->arena, out);
}

static bt_str text_of(const struct bt_governed_root *governed_root, const bt_json_value *entry,
                      bt_str name)
{
    return bt_json_get_text(governed_root->manifest.document, entry, name);
}

bt_str bt_governed_file_text(const struct bt_governed_file_document *file, bt_str name)
{
    return bt_json_get_text(file->document, file->root, name);
}

bt_str bt_governed_locked_text(const struct bt_governed_root *governed_root,
                               const struct bt_governed_agent *agent, bt_str name)
{
    return bt_json_get_text(governed_root->lock.document, agent->locked, name);
}

static int compare_agents(const void *a_pointer, const void *b_pointer)
{
    const struct bt_governed_agent *a = a_pointer;
    const struct bt_governed_agent *b = b_pointer;
    return a->type != b->type ? (a->type > b->type) - (a->type < b->type)
                              : bt_str_compare(a->id, b->id);
}

/* The schema has seen to it that the id is domain-NN-... */
static int number_of(bt_str id)
{
    return (id.ptr[NUMBER_AT] - '0') * 10 + (id.ptr[NUMBER_AT + 1] - '0');
}

static void add_agent(struct bt_governed_root *governed_root, enum bt_governed_agent_type type,
                      const struct bt_json_member *member)
{
    const bt_str id = bt_json_name(member);
    governed_root->agents[governed_root->count++] = (struct bt_governed_agent){
        .id = id,
        .type = type,
        .entry = &member->value,
        .name = text_of(governed_root, &member->value, BT_STR("name")),
        .file = text_of(governed_root, &member->value, BT_STR("file")),
        .version = text_of(governed_root, &member->value, BT_STR("version")),
        .number = type == BT_GOVERNED_AGENT_TYPE_DOMAIN ? number_of(id) : -1,
        .composition =
            bt_json_get(governed_root->manifest.document, &member->value, BT_STR("composition")),
        .accepts = bt_json_get(governed_root->manifest.document, &member->value, BT_STR("accepts")),
    };
    governed_root->counts[type]++;
}

static enum bt_status collect_agents(struct bt_governed_root *governed_root)
{
    const bt_json_value *sections[BT_GOVERNED_AGENT_TYPE__MAX];
    size_t total = 0;
    for (size_t type = 0; type < BT_GOVERNED_AGENT_TYPE__MAX; type++) {
        sections[type] = bt_json_get(governed_root->manifest.document, governed_root->manifest.root,
                                     section_names[type]);
        total += sections[type] ? bt_json_count(sections[type]) : 0;
    }
    if (total > BT_AGENTS_MAX) {
        return bt_error_set(&governed_root->governed->trouble, BT_ELIMIT,
                            "the manifest lists %zu agents, and more than %d cannot be judged",
                            total, BT_AGENTS_MAX);
    }
    governed_root->agents = BT_NEW_ARRAY(governed_root->arena, struct bt_governed_agent, total + 1);
    BT_TRY(governed_root->agents ? BT_OK : BT_ENOMEM);
    for (size_t type = 0; type < BT_GOVERNED_AGENT_TYPE__MAX; type++) {
        const size_t count = sections[type] ? bt_json_count(sections[type]) : 0;
        for (size_t i = 0; i < count; i++) {
            add_agent(governed_root, (enum bt_governed_agent_type)type,
                      &bt_json_members(sections[type])[i]);
        }
    }
    qsort(governed_root->agents, governed_root->count, sizeof(struct bt_governed_agent),
          compare_agents);
    return BT_OK;
}

static enum bt_status add_inconsistency_finding(const struct bt_governed_root *governed_root,
                                                struct bt_findings *findings,
                                                const struct bt_governed_agent *agent,
                                                enum bt_manifest_inconsistent_reason reason)
{
    const struct bt_json_doc *document = governed_root->manifest.document;
    const bt_json_value *at = reason == BT_MANIFEST_INCONSISTENT_REASON_CANONICAL_ID
                                  ? bt_json_get(document, agent->entry, BT_STR("canonical_id"))
                                  : agent->entry;
    return findings ? bt_add_manifest_inconsistent(findings, bt_location_value(document, at),
                                                   agent->id, reason)
                    : BT_OK;
}

static bool stands_before(const struct bt_governed_root *governed_root, size_t index)
{
    const struct bt_governed_agent *agent = &governed_root->agents[index];
    for (size_t i = 0; i < index; i++) {
        if (governed_root->agents[i].type < agent->type &&
            bt_str_eq(governed_root->agents[i].id, agent->id)) {
            return true;
        }
    }
    return false;
}

enum bt_status bt_governed_root_agents(struct bt_governed_root *governed_root,
                                       struct bt_findings *findings, bool *out_consistent)
{
    bool taken[NUMBERS] = {false};
    BT_TRY(collect_agents(governed_root));
    *out_consistent = true;
    for (size_t i = 0; i < governed_root->count; i++) {
        const struct bt_governed_agent *agent = &governed_root->agents[i];
        const bool differs =
            !bt_str_eq(text_of(governed_root, agent->entry, BT_STR("canonical_id")), agent->id);
        const bool is_double = stands_before(governed_root, i);
        const bool is_taken = agent->number >= 0 && taken[agent->number];
        if (agent->number >= 0) {
            taken[agent->number] = true;
        }
        if (differs) {
            BT_TRY(add_inconsistency_finding(governed_root, findings, agent,
                                             BT_MANIFEST_INCONSISTENT_REASON_CANONICAL_ID));
        }
        if (is_double) {
            BT_TRY(add_inconsistency_finding(governed_root, findings, agent,
                                             BT_MANIFEST_INCONSISTENT_REASON_DUPLICATE_ID));
        }
        if (is_taken) {
            BT_TRY(add_inconsistency_finding(governed_root, findings, agent,
                                             BT_MANIFEST_INCONSISTENT_REASON_DUPLICATE_NUMBER));
        }
        *out_consistent = *out_consistent && !differs && !is_double && !is_taken;
    }
    return BT_OK;
}

/* Read a JSON file of the catalogue and judge it by its schema. */
static enum bt_status read_document(struct bt_governed_root *governed_root,
                                    enum bt_governed_kind kind,
                                    struct bt_governed_file_document *out)
{
    struct bt_governed_checker *governed = governed_root->governed;
    BT_TRY(bt_governed_file_read(governed, governed_root->arena, governed_root->options, out->path,
                                 &out->file));
    out->fault = out->file.fault;
    if (out->fault != BT_ROOT_FINE) {
        return BT_OK;
    }
    BT_TRY(bt_governed_json(governed, governed_root->arena, out->file.bytes, NULL, &out->document));
    if (!out->document) {
        out->fault = BT_ROOT_SYNTAX;
        return BT_OK;
    }
    out->root = bt_json_root(out->document);
    BT_TRY(bt_governed_schema(governed, kind, out->document, NULL, &out->is_sound));
    out->fault = out->is_sound ? BT_ROOT_FINE : BT_ROOT_SCHEMA;
    return BT_OK;
}

static enum bt_status read_manifest(struct bt_governed_root *governed_root)
{
    bool consistent = false;
    BT_TRY(read_document(governed_root, BT_GOVERNED_MANIFEST, &governed_root->manifest));
    if (governed_root->manifest.fault != BT_ROOT_FINE) {
        return BT_OK;
    }
    BT_TRY(bt_governed_root_agents(governed_root, NULL, &consistent));
    if (!consistent) {
        governed_root->manifest.fault = BT_ROOT_INCONSISTENT;
        governed_root->count = 0;
        return BT_OK;
    }
    for (size_t i = 0; i < governed_root->count; i++) {
        BT_TRY(bt_governed_agent_composition(governed_root, &governed_root->agents[i], NULL));
    }
    return BT_OK;
}

static enum bt_status read_lock(struct bt_governed_root *governed_root)
{
    struct bt_governed_file_document *lock = &governed_root->lock;
    BT_TRY(read_document(governed_root, BT_GOVERNED_LOCK, lock));
    if (!lock->is_sound || governed_root->manifest.fault != BT_ROOT_FINE) {
        return BT_OK;
    }
    if (!bt_str_eq(bt_governed_file_text(&governed_root->manifest, BT_STR("version")),
                   bt_governed_file_text(lock, BT_STR("version")))) {
        lock->fault = BT_ROOT_VERSION;
    }
    const bt_json_value *prompts = bt_json_get(lock->document, lock->root, BT_STR("prompts"));
    for (size_t i = 0; i < governed_root->count; i++) {
        governed_root->agents[i].locked =
            bt_json_get(lock->document, prompts, governed_root->agents[i].id);
    }
    return BT_OK;
}

/* Whether the lock covers the boundaries file with this path, and if so, these bytes. */
static enum bt_governed_file_error find_coverage_error(const struct bt_governed_root *governed_root,
                                                       const bt_json_value *member)
{
    const struct bt_json_doc *document = governed_root->lock.document;
    const bt_str file = bt_json_get_text(document, member, BT_STR("file"));
    const bt_str hash = bt_json_get_text(document, member, BT_STR("hash"));
    if (!member || !bt_str_eq(file, governed_root->boundaries.path)) {
        return BT_ROOT_NOT_LOCKED;
    }
    return bt_str_eq(hash, bt_str_of(governed_root->boundaries.file.sha256))
               ? BT_ROOT_FINE
               : BT_ROOT_HASH_MISMATCH;
}

static enum bt_status read_boundaries(struct bt_governed_root *governed_root)
{
    struct bt_governed_file_document *boundaries = &governed_root->boundaries;
    const bt_json_value *member =
        bt_json_get(governed_root->lock.document, governed_root->lock.root, BT_STR("boundaries"));
    BT_TRY(read_document(governed_root, BT_GOVERNED_BOUNDARIES, boundaries));
    governed_root->lists_in_file = member || boundaries->fault != BT_ROOT_MISSING;
    if (!governed_root->lists_in_file) {
        governed_root->has_lists = true;
        return BT_OK;
    }
    if (boundaries->file.fault == BT_ROOT_FINE) {
        const enum bt_governed_file_error fault = find_coverage_error(governed_root, member);
        boundaries->fault = fault != BT_ROOT_FINE ? fault : boundaries->fault;
    }
    if (boundaries->fault == BT_ROOT_FINE) {
        BT_TRY(bt_governed_root_lists(governed_root, NULL));
    }
    governed_root->has_lists = boundaries->fault == BT_ROOT_FINE;
    return BT_OK;
}

enum bt_status bt_governed_root_read(struct bt_governed_root *governed_root)
{
    assert(governed_root->options->dir);
    governed_root->manifest.path = governed_root->options->manifest;
    governed_root->lock.path = governed_root->options->lock;
    governed_root->boundaries.path = governed_root->options->boundaries;
    BT_TRY(read_manifest(governed_root));
    BT_TRY(read_lock(governed_root));
    const bool can_read_boundaries =
        governed_root->manifest.fault == BT_ROOT_FINE && governed_root->lock.fault == BT_ROOT_FINE;
    return can_read_boundaries ? read_boundaries(governed_root) : BT_OK;
}
