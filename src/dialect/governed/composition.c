/* SPDX-License-Identifier: Apache-2.0 */
/*
 * composition.c - the composition of archetypes: two to four domains with integer percentages that
 * sum to 100.
 */
#include <assert.h>

#include "dialect/governed/governed_root.h"

enum { PERCENT_MAX = 100, DOMAINS_MIN = 2, PRIMARY_MIN = 40, PRIMARY_MAX = 60 };

static const bt_str problem_names[BT_GOVERNED_COMPOSITION_ERROR__MAX] = {
    [BT_COMPOSITION_MISSING] = BT_STR_INIT("composition_missing"),
    [BT_PERCENT_NOT_INTEGER] = BT_STR_INIT("percent_not_integer"),
    [BT_SUM_NOT_100] = BT_STR_INIT("sum_not_100"),
    [BT_TOO_FEW_DOMAINS] = BT_STR_INIT("too_few_domains"),
    [BT_TOO_MANY_DOMAINS] = BT_STR_INIT("too_many_domains"),
    [BT_UNKNOWN_DOMAIN] = BT_STR_INIT("unknown_domain"),
    [BT_WRONG_PRIMARY] = BT_STR_INIT("wrong_primary"),
};

/* The reasons of findings are numbered like the problems, from 1. */
_Static_assert((int)BT_COMPOSITION_VIOLATION_REASON_WRONG_PRIMARY == (int)BT_WRONG_PRIMARY + 1,
               "a problem has no reason");

bt_str bt_governed_composition_error_name(enum bt_governed_composition_error problem)
{
    assert(problem < BT_GOVERNED_COMPOSITION_ERROR__MAX);
    return problem_names[problem];
}

/* What the shares say when all of them are whole. */
struct governed_shares {
    const struct bt_governed_root *governed_root;
    struct bt_governed_agent *agent;
    struct bt_findings *findings;
    bool is_whole;
    uint64_t sum;
    unsigned largest;
    size_t largest_count;
    bt_str largest_name;
};

/* The percentage from 1 to 100, or 0 when the value is not one. */
static unsigned percent_of(const struct bt_json_doc *document, const bt_json_value *value)
{
    if (!bt_json_is_number(value)) {
        return 0;
    }
    const bt_str text = bt_json_number_text(document, value);
    const bool fits = bt_json_decimal_is_integer(text) &&
                      bt_json_decimal_compare(text, BT_STR("1")) >= 0 &&
                      bt_json_decimal_compare(text, BT_STR("100")) <= 0;
    return fits ? (unsigned)bt_json_to_double(value) : 0;
}

/* Note a problem, and add a finding where findings are wanted. */
static enum bt_status add_composition_finding(struct governed_shares *shares,
                                              enum bt_governed_composition_error problem,
                                              const bt_json_value *at)
{
    struct bt_governed_agent *agent = shares->agent;
    agent->problems |= 1U << problem;
    return shares->findings ? bt_add_composition_violation(
                                  shares->findings,
                                  bt_location_value(shares->governed_root->manifest.document, at),
                                  agent->id, (enum bt_composition_violation_reason)(problem + 1))
                            : BT_OK;
}

/* There are a hundred domains at most. */
static size_t find_domain(const struct bt_governed_root *governed_root, bt_str id)
{
    for (size_t i = 0; i < governed_root->counts[BT_GOVERNED_AGENT_TYPE_DOMAIN]; i++) {
        if (bt_str_eq(governed_root->agents[i].id, id)) {
            return i;
        }
    }
    return BT_NO_AGENT;
}

static enum bt_status take_share(struct governed_shares *shares,
                                 const struct bt_json_member *member)
{
    const struct bt_governed_root *governed_root = shares->governed_root;
    const bt_str name = bt_json_name(member);
    const unsigned percent = percent_of(governed_root->manifest.document, &member->value);
    const size_t domain = find_domain(governed_root, name);
    if (percent == 0) {
        shares->is_whole = false;
        BT_TRY(add_composition_finding(shares, BT_PERCENT_NOT_INTEGER, &member->value));
    }
    shares->sum += percent;
    if (percent > shares->largest) {
        shares->largest = percent;
        shares->largest_name = name;
        shares->largest_count = 0;
    }
    shares->largest_count += percent == shares->largest;
    if (domain == BT_NO_AGENT) {
        return add_composition_finding(shares, BT_UNKNOWN_DOMAIN, &member->value);
    }
    if (shares->agent->share_count < BT_SHARES_MAX) {
        shares->agent->shares[shares->agent->share_count++] = domain;
    }
    return BT_OK;
}

static enum bt_status judge_whole(struct governed_shares *shares)
{
    const struct bt_governed_agent *agent = shares->agent;
    const bt_json_value *primary =
        bt_json_get(shares->governed_root->manifest.document, agent->entry, BT_STR("primary"));
    if (!shares->is_whole) {
        return BT_OK;
    }
    if (shares->sum != PERCENT_MAX) {
        BT_TRY(add_composition_finding(shares, BT_SUM_NOT_100, agent->composition));
    }
    if (primary &&
        (shares->largest_count != 1 || !bt_str_eq(bt_json_text(primary), shares->largest_name))) {
        BT_TRY(add_composition_finding(shares, BT_WRONG_PRIMARY, primary));
    }
    return BT_OK;
}

/* COMPOSITION_UNUSUAL: nothing is wrong, but it is rarely intended. */
static enum bt_status add_unusual_finding(const struct governed_shares *shares,
                                          enum bt_composition_unusual_reason reason)
{
    return bt_add_composition_unusual(
        shares->findings,
        bt_location_value(shares->governed_root->manifest.document, shares->agent->composition),
        shares->agent->id, reason, shares->largest);
}

static enum bt_status judge_usual(const struct governed_shares *shares)
{
    if (!shares->findings || !shares->is_whole || shares->largest_count == 0) {
        return BT_OK;
    }
    if (shares->largest < PRIMARY_MIN || shares->largest > PRIMARY_MAX) {
        BT_TRY(add_unusual_finding(shares, BT_COMPOSITION_UNUSUAL_REASON_PRIMARY_OUTSIDE_40_60));
    }
    return shares->largest_count > 1
               ? add_unusual_finding(shares, BT_COMPOSITION_UNUSUAL_REASON_PRIMARY_TIED)
               : BT_OK;
}

enum bt_status bt_governed_agent_composition(const struct bt_governed_root *governed_root,
                                             struct bt_governed_agent *agent,
                                             struct bt_findings *findings)
{
    struct governed_shares shares = {
        .governed_root = governed_root, .agent = agent, .findings = findings, .is_whole = true};
    if (agent->type != BT_GOVERNED_AGENT_TYPE_ARCHETYPE) {
        return BT_OK;
    }
    agent->problems = 0;
    agent->share_count = 0;
    if (!agent->composition || bt_json_type(agent->composition) != BT_JSON_OBJECT) {
        return add_composition_finding(&shares, BT_COMPOSITION_MISSING, agent->entry);
    }
    const size_t count = bt_json_count(agent->composition);
    if (count < DOMAINS_MIN || count > BT_SHARES_MAX) {
        BT_TRY(add_composition_finding(
            &shares, count < DOMAINS_MIN ? BT_TOO_FEW_DOMAINS : BT_TOO_MANY_DOMAINS,
            agent->composition));
    }
    for (size_t i = 0; i < count; i++) {
        BT_TRY(take_share(&shares, &bt_json_members(agent->composition)[i]));
    }
    BT_TRY(judge_whole(&shares));
    return judge_usual(&shares);
}
