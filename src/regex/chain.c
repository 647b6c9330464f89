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

/* Make the first `count` runs of a shape links. False when there are too many sets, or after a
 * failure. */
static bool make_links(struct bt_re_build *build, const struct re_chain_shape *shape,
                       uint32_t count, struct bt_re_chain **out)
{
    struct bt_re_chain *chain =
        bt_re_keep(build, 1, sizeof(*chain) + count * sizeof(chain->links[0]));
    if (!chain) {
        return false;
    }
    uint32_t sets_count = 0;
    chain->has_end = shape->has_end;
    chain->count = count;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t bit = find_bit(shape, chain, i, &sets_count);
        if (bit == 0) {
            return false;
        }
        chain->links[i] = (struct bt_re_link_of){bit, shape->runs[i].set->index, shape->runs[i].min,
                                                 shape->runs[i].max};
    }
    *out = chain;
#if BT_RE_HAS_FIXED
    return bt_re_fixed_make(build, chain);
#else
    return true;
#endif
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
    return make_links(build, shape, shape->count, out);
}

#if BT_RE_HAS_FIXED
bool bt_re_chain_make_prefix(struct bt_re_build *build, const struct bt_re_node *root,
                             struct bt_re_chain **out)
{
    struct re_chain_shape *shape = bt_re_scratch(build, 1, sizeof(*shape));
    if (!shape) {
        return false;
    }
    (void)find_shape(root, shape);
    uint32_t count = 0;
    while (count < shape->count && shape->runs[count].min == shape->runs[count].max) {
        count++;
    }
    const struct bt_arena_mark mark = bt_arena_mark(build->arena);
    struct bt_re_chain *chain = NULL;
    if (count == 0 || !make_links(build, shape, count, &chain) || !chain->fixed) {
        bt_arena_rewind(build->arena, mark);
        return !bt_re_is_failed(build);
    }
    *out = chain;
    return true;
}
#endif

#if defined(BT_PROFILE_CORE) /* which is to be small before fast */
#define READ_ASCII static __attribute__((noinline)) size_t
#else
#define READ_ASCII static inline size_t
#endif

/* Read bytes of a set from `at` on, before `end`. */
READ_ASCII read_ascii(const struct bt_re_chain *chain, const struct bt_re_link_of *link,
                      const unsigned char *bytes, size_t at, size_t end)
{
#if !defined(BT_PROFILE_CORE)
    /* Four at a time: the loads do not wait for each other. */
    while (end - at >= 4 &&
           (chain->sets[bytes[at]] & chain->sets[bytes[at + 1]] & chain->sets[bytes[at + 2]] &
            chain->sets[bytes[at + 3]] & link->bit) != 0) {
        at += 4;
    }
#endif
    while (at < end && (chain->sets[bytes[at]] & link->bit) != 0) {
        at++;
    }
    return at;
}

/* Where a run of at most `max` characters ends that begins, or goes on, with a byte above ASCII at
 * `at`, behind *count others; all are counted. */
static __attribute__((noinline)) size_t read_wide(const struct bt_re_chain *chain,
                                                  const struct bt_re_link_of *link,
                                                  const struct bt_re_alphabet *alphabet,
                                                  bt_str subject, size_t at, uint64_t *count)
{
    const unsigned char *bytes = (const unsigned char *)subject.ptr;
    while (at < subject.len && *count < link->max && bytes[at] >= 0x80) {
        uint32_t point = 0;
        const size_t length = bt_re_decode(bytes + at, subject.len - at, &point);
        if (!bt_re_alphabet_has(alphabet, link->set, bt_re_alphabet_symbol(alphabet, point))) {
            return at;
        }
        ++*count;
        const size_t start = at + length;
        const size_t room = subject.len - start;
        const uint64_t wanted = link->max - *count;
        at = read_ascii(chain, link, bytes, start, start + (room < wanted ? room : (size_t)wanted));
        *count += at - start;
    }
    return at;
}

/* Links from number `i` on, from `at` on. */
static inline __attribute__((always_inline)) bool match_links(const struct bt_re_chain *chain,
                                                              const struct bt_re_alphabet *alphabet,
                                                              bt_str subject, uint32_t i, size_t at)
{
    const unsigned char *bytes = (const unsigned char *)subject.ptr;
    for (; i < chain->count; i++) {
        const struct bt_re_link_of *link = &chain->links[i];
        const size_t room = subject.len - at;
        if (link->max == 1 && room > 0 && (chain->sets[bytes[at]] & link->bit) != 0) {
            at++; /* as most links of names do */
            continue;
        }
        const size_t end = at + (room < link->max ? room : link->max);
        const size_t start = at;
        at = read_ascii(chain, link, bytes, at, end);
        uint64_t count = at - start;
        if (at < end && bytes[at] >= 0x80) {
            at = read_wide(chain, link, alphabet, subject, at, &count);
        }
        if (count < link->min) {
            return false;
        }
    }
    return !chain->has_end || at == subject.len;
}

#if BT_RE_HAS_FIXED
static __attribute__((noinline)) bool
match_fixed(const struct bt_re_chain *chain, const struct bt_re_alphabet *alphabet, bt_str subject)
{
    if (!bt_re_fixed_match(chain->fixed, subject)) {
        return match_links(chain, alphabet, subject, 0, 0);
    }
    const uint32_t size = bt_re_fixed_size(chain->fixed);
    if (chain->fixed_count == chain->count) {
        return !chain->has_end || size == subject.len;
    }
    return match_links(chain, alphabet, subject, chain->fixed_count, size);
}
#endif

bool bt_re_chain_match(const struct bt_re_chain *chain, const struct bt_re_alphabet *alphabet,
                       bt_str subject)
{
#if BT_RE_HAS_FIXED
    if (chain->fixed) {
        return match_fixed(chain, alphabet, subject);
    }
#endif
    return match_links(chain, alphabet, subject, 0, 0);
}
