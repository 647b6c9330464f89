/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xsd_match.c - the children of an element against a content model.
 *
 * XSD demands that a child is never claimed by two particles, so the first that fits is the one.
 * A sequence of elements alone is followed like declared fields, which can tell a child that came
 * too late from one that is not known; other models keep their place in each open group.
 */
#include <assert.h>

#include "base/arena.h"
#include "base/error.h"
#include "organism/xsd.h"

enum { OPEN_MAX = 2 * BT_TYPE_LEVELS_MAX };

/* A group that is open. */
struct organism_xsd_match_open {
    const struct bt_xsd_group *group;
    size_t next;    /* the particle that is due; of a choice: the one that was chosen */
    uint32_t times; /* how often it matched */
    bool is_chosen;
};

struct bt_xsd_match {
    const struct bt_xsd_group *content;
    bool is_flat;
    uint32_t *taken; /* flat: by particle */
    bool *passed;    /* flat: by particle: reported as out of order */
    size_t place;    /* flat: the particle that is due */
    struct organism_xsd_match_open open[OPEN_MAX];
    size_t depth;
};

static bool is_flat(const struct bt_xsd_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        if (group->particles[i].group) {
            return false;
        }
    }
    return !group->is_choice;
}

enum bt_status bt_xsd_match_begin(struct bt_arena *arena, const struct bt_xsd_group *content,
                                  struct bt_xsd_match **out)
{
    assert(content);
    struct bt_xsd_match *match = BT_NEW(arena, struct bt_xsd_match);
    uint32_t *taken = BT_NEW_ARRAY(arena, uint32_t, content->count);
    bool *passed = BT_NEW_ARRAY(arena, bool, content->count);
    BT_TRY(match && taken && passed ? BT_OK : BT_ENOMEM);
    *match = (struct bt_xsd_match){.content = content,
                                   .is_flat = is_flat(content),
                                   .taken = taken,
                                   .passed = passed,
                                   .open = {{.group = content}},
                                   .depth = 1};
    *out = match;
    return BT_OK;
}

/* True when a particle may be absent or end here. */
static bool may_skip(const struct bt_xsd_particle *particle, uint32_t times)
{
    return times >= particle->min || (particle->group && particle->group->may_be_empty);
}

/* Whether an element called `name` stands in the group: at its beginning, or anywhere. */
static bool has_element(const struct bt_xsd_group *group, bt_str name, bool at_beginning)
{
    struct organism_xsd_match_open stack[OPEN_MAX] = {{.group = group}};
    size_t depth = 1;
    while (depth > 0) {
        struct organism_xsd_match_open *top = &stack[depth - 1];
        if (top->next == top->group->count) {
            depth--;
            continue;
        }
        const struct bt_xsd_particle *particle = &top->group->particles[top->next++];
        if (at_beginning && !top->group->is_choice && !may_skip(particle, 0)) {
            top->next = top->group->count;
        }
        if (particle->group) {
            assert(depth < OPEN_MAX);
            stack[depth++] = (struct organism_xsd_match_open){.group = particle->group};
        } else if (particle->max > 0 && bt_str_eq(particle->element.name, name)) {
            return true;
        }
    }
    return false;
}

static bool can_begin_with(const struct bt_xsd_particle *particle, bt_str name)
{
    if (particle->max == 0) {
        return false;
    }
    return particle->group ? has_element(particle->group, name, true)
                           : bt_str_eq(particle->element.name, name);
}

static enum bt_xsd_match_result flat_child(struct bt_xsd_match *match, bt_str name,
                                           const struct bt_payload_type **out_type)
{
    const struct bt_xsd_group *content = match->content;
    size_t known = content->count;
    for (size_t i = 0; i < content->count; i++) {
        const struct bt_xsd_particle *particle = &content->particles[i];
        if (!bt_str_eq(particle->element.name, name)) {
            continue;
        }
        known = i;
        if (i >= match->place && match->taken[i] < particle->max) {
            match->place = i;
            match->taken[i]++;
            *out_type = particle->element.type;
            return BT_XSD_FITS;
        }
    }
    if (known == content->count) {
        return BT_XSD_UNDECLARED;
    }
    if (match->taken[known] > 0 || match->passed[known] || known >= match->place) {
        return BT_XSD_DUPLICATE;
    }
    match->passed[known] = true;
    return BT_XSD_ORDER;
}

/* Choose the particle that the child begins; false: there is none. */
static bool choose_particle(struct organism_xsd_match_open *top, bt_str name)
{
    for (size_t i = 0; i < top->group->count; i++) {
        if (can_begin_with(&top->group->particles[i], name)) {
            top->next = i;
            top->is_chosen = true;
            return true;
        }
    }
    return false;
}

/* Move within the innermost group until the child is due. False: it is not there, and the group may
 * end (*out_stuck is false) or may not. */
static bool move_to_child(struct organism_xsd_match_open *top, bt_str name, bool *out_stuck)
{
    const struct bt_xsd_group *group = top->group;
    *out_stuck = false;
    if (group->is_choice) {
        if (!top->is_chosen) {
            *out_stuck = !group->may_be_empty && group->count > 0;
            return choose_particle(top, name);
        }
        const struct bt_xsd_particle *chosen = &group->particles[top->next];
        *out_stuck = !may_skip(chosen, top->times);
        return top->times < chosen->max && can_begin_with(chosen, name);
    }
    for (; top->next < group->count; top->next++, top->times = 0) {
        const struct bt_xsd_particle *particle = &group->particles[top->next];
        if (top->times < particle->max && can_begin_with(particle, name)) {
            return true;
        }
        if (!may_skip(particle, top->times)) {
            *out_stuck = true;
            return false;
        }
    }
    return false;
}

static bool deep_child(struct bt_xsd_match *match, bt_str name,
                       const struct bt_payload_type **out_type)
{
    while (match->depth > 0) {
        struct organism_xsd_match_open *top = &match->open[match->depth - 1];
        bool is_stuck = false;
        if (!move_to_child(top, name, &is_stuck)) {
            if (is_stuck || match->depth == 1) {
                return false;
            }
            match->depth--;
            continue;
        }
        const struct bt_xsd_particle *particle = &top->group->particles[top->next];
        top->times++;
        if (!particle->group) {
            *out_type = particle->element.type;
            return true;
        }
        assert(match->depth < OPEN_MAX);
        match->open[match->depth++] = (struct organism_xsd_match_open){.group = particle->group};
    }
    return false;
}

enum bt_xsd_match_result bt_xsd_match_child(struct bt_xsd_match *match, bt_str name,
                                            const struct bt_payload_type **out_type)
{
    if (match->is_flat) {
        return flat_child(match, name, out_type);
    }
    const struct bt_xsd_match before = *match;
    if (deep_child(match, name, out_type)) {
        return BT_XSD_FITS;
    }
    *match = before;
    return has_element(match->content, name, false) ? BT_XSD_CHOICE : BT_XSD_UNDECLARED;
}

/* The name of a missing particle; "" for a group. */
static bt_str get_missing_name(const struct bt_xsd_particle *particle)
{
    return particle->group ? BT_STR("") : particle->element.name;
}

/* Find the index-th missing particle of a group, counting *index down. */
static bool find_missing(const struct organism_xsd_match_open *open, size_t *index, bt_str *out)
{
    const struct bt_xsd_group *group = open->group;
    if (group->is_choice) {
        const bool is_missing = open->is_chosen
                                    ? !may_skip(&group->particles[open->next], open->times)
                                    : !group->may_be_empty && group->count > 0;
        *out = open->is_chosen ? get_missing_name(&group->particles[open->next]) : BT_STR("");
        return is_missing && (*index)-- == 0;
    }
    for (size_t i = open->next; i < group->count; i++) {
        const uint32_t times = i == open->next ? open->times : 0;
        if (!may_skip(&group->particles[i], times) && (*index)-- == 0) {
            *out = get_missing_name(&group->particles[i]);
            return true;
        }
    }
    return false;
}

bool bt_xsd_match_missing(const struct bt_xsd_match *match, size_t index, bt_str *out)
{
    const struct bt_xsd_group *content = match->content;
    for (size_t i = 0; match->is_flat && i < content->count; i++) {
        if (match->taken[i] < content->particles[i].min && !match->passed[i] && index-- == 0) {
            *out = content->particles[i].element.name;
            return true;
        }
    }
    for (size_t i = match->depth; !match->is_flat && i > 0; i--) {
        if (find_missing(&match->open[i - 1], &index, out)) {
            return true;
        }
    }
    return false;
}
