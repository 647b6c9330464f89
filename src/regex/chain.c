/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain.c - sets repeated one after the other, where the longest run is always the right one.
 *
 * That is so when no run can read what may follow it: then a run ends where it must, and nothing is
 * ever tried twice.
 */
#include <string.h>

#include "regex/chain.h"
#include "regex/run.h"

#define RUNS_MAX 512
#define SETS_MAX 8

/* A pattern that is a list of repeated sets behind ^. */
struct re_chain_run {
    const struct bt_re_node *set;
    uint32_t min;
    uint32_t max;
};

struct re_chain_shape {
    bool has_end;
    uint32_t count;
    struct re_chain_run runs[RUNS_MAX];
};

static bool add_run(const struct bt_re_node *node, struct re_chain_shape *out)
{
    const bool is_repeat = node->kind == BT_RE_REPEAT;
    const struct bt_re_node *set = is_repeat ? node->child : node;
    if (set->kind != BT_RE_SET || out->count == RUNS_MAX) {
        return false;
    }
    out->runs[out->count++] =
        (struct re_chain_run){set, is_repeat ? node->min : 1, is_repeat ? node->max : 1};
    return true;
}

/* The shape of a pattern that begins with ^ and has nothing but runs up to its end. */
static bool find_shape(const struct bt_re_node *root, struct re_chain_shape *out)
{
    const struct bt_re_node *node = root->kind == BT_RE_CAT ? root->child : root;
    if (node->kind != BT_RE_BEGIN) {
        return false;
    }
    node = node->next;
    while (node && add_run(node, out)) {
        node = node->next;
    }
    out->has_end = node && node->kind == BT_RE_END;
    return !node || (out->has_end && !node->next);
}

/* Whether a run that could read on must stop where the next one begins. */
static bool is_decided(const struct re_chain_shape *shape, uint32_t index)
{
    const struct re_chain_run *run = &shape->runs[index];
    if (run->min == run->max) {
        return true;
    }
    for (uint32_t next = index + 1; next < shape->count; next++) {
        if (bt_re_set_meets(&run->set->set, &shape->runs[next].set->set)) {
            return false;
        }
        if (shape->runs[next].min > 0) {
            return true;
        }
    }
    return true;
}

/* The bit of a run's set among the distinct ones; 0 when there are too many. */
static uint8_t find_bit(const struct re_chain_shape *shape, struct bt_re_chain *chain,
                        uint32_t index, uint32_t *sets_count)
{
    const uint32_t set = shape->runs[index].set->index;
    for (uint32_t i = 0; i < index; i++) {
        if (chain->links[i].set == set) {
            return chain->links[i].bit;
        }
    }
    if (*sets_count == SETS_MAX) {
        return 0;
    }
    const uint8_t bit = (uint8_t)(1U << (*sets_count)++);
    for (uint32_t byte = 0; byte < 128; byte++) {
        chain->sets[byte] |= bt_re_set_has(&shape->runs[index].set->set, byte) ? bit : 0;
    }
    return bit;
}

bool bt_re_chain_make(struct bt_re_build *build, const struct bt_re_node *root,
                      struct bt_re_chain **out)
{
    struct re_chain_shape *shape = bt_re_scratch(build, 1, sizeof(*shape));
    if (!shape || !find_shape(root, shape)) {
        return false;
    }
    for (uint32_t i = 0; i < shape->count; i++) {
        if (!is_decided(shape, i)) {
            return false;
        }
    }
    struct bt_re_chain *chain =
        bt_re_keep(build, 1, sizeof(*chain) + shape->count * sizeof(chain->links[0]));
    if (!chain) {
        return false;
    }
    uint32_t sets_count = 0;
    chain->has_end = shape->has_end;
    chain->count = shape->count;
    for (uint32_t i = 0; i < shape->count; i++) {
        const uint8_t bit = find_bit(shape, chain, i, &sets_count);
        if (bit == 0) {
            return false;
        }
        chain->links[i] = (struct bt_re_link_of){bit, shape->runs[i].set->index, shape->runs[i].min,
                                                 shape->runs[i].max};
    }
    *out = chain;
    return true;
}

/* Read at most `max` characters of a set from `at`; how many there were is added to *count. */
static size_t read_run(const struct bt_re_chain *chain, const struct bt_re_link_of *link,
                       const struct bt_re_alphabet *alphabet, bt_str subject, size_t at,
                       uint64_t *count)
{
    const unsigned char *bytes = (const unsigned char *)subject.ptr;
    for (;;) {
        const size_t room = subject.len - at;
        const uint64_t wanted = link->max - *count;
        const size_t end = at + (room < wanted ? room : (size_t)wanted);
        const size_t start = at;
        /* Four at a time: the loads do not wait for each other. */
        while (end - at >= 4 &&
               (chain->sets[bytes[at]] & chain->sets[bytes[at + 1]] & chain->sets[bytes[at + 2]] &
                chain->sets[bytes[at + 3]] & link->bit) != 0) {
            at += 4;
        }
        while (at < end && (chain->sets[bytes[at]] & link->bit) != 0) {
            at++;
        }
        *count += at - start;
        if (at == end || bytes[at] < 0x80) {
            return at;
        }
        uint32_t point = 0;
        const size_t length = bt_re_decode(bytes + at, subject.len - at, &point);
        if (!bt_re_alphabet_has(alphabet, link->set, bt_re_alphabet_symbol(alphabet, point))) {
            return at;
        }
        at += length;
        ++*count;
    }
}

bool bt_re_chain_match(const struct bt_re_chain *chain, const struct bt_re_alphabet *alphabet,
                       bt_str subject)
{
    size_t at = 0;
    for (uint32_t i = 0; i < chain->count; i++) {
        uint64_t count = 0;
        at = read_run(chain, &chain->links[i], alphabet, subject, at, &count);
        if (count < chain->links[i].min) {
            return false;
        }
    }
    return !chain->has_end || at == subject.len;
}
