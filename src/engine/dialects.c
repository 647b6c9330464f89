/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialects.c - the table of dialects, and how the dialect of a document is found.
 *
 * Exact names come first, so that a broken file in its well-known place is reported as a broken
 * handoff; then the content, in the order of the table; then usual names. No two rows may have
 * exact names that match the same path, so only the content depends on the order.
 *
 * A new dialect is one row here and one folder with its checks.
 */
#include "engine/dialect.h"

#include <assert.h>

#include "dialect/contract/detect.h"
#include "dialect/governed/detect.h"
#include "dialect/plan/detect.h"
#include "dialect/universal/detect.h"
#include "dialect/xml/detect.h"
#include "engine/pattern.h"

/* clang-format off */
static const bt_str plan_exact_names[] = {
    BT_STR_INIT("*.steps.csv"),
    BT_STR_INIT(""),
};
static const bt_str universal_exact_names[] = {
    BT_STR_INIT("handoffs/*-to-*.json"),
    BT_STR_INIT(""),
};
static const bt_str universal_usual[] = {
    BT_STR_INIT("*.handoff.json"),
    BT_STR_INIT("handoffs/*.json"),
    BT_STR_INIT(""),
};
static const bt_str contract_exact_names[] = {
    BT_STR_INIT("*.contract.md"),
    BT_STR_INIT(""),
};

static const bt_str xml_exact_names[] = {
    BT_STR_INIT("*.xml"),
    BT_STR_INIT(""),
};
static const bt_str organism_exact_names[] = {
    BT_STR_INIT("organism.yaml"),
    BT_STR_INIT(""),
};

static const struct bt_dialect dialects[] = {
    {
        .name = BT_STR_INIT("governed"),
        .summary = BT_STR_INIT("the governed handoff 1.0.0: prompts pinned by hash, boundaries"),
        .recognise = bt_governed_checker_recognise,
        .judge = bt_governed_judge_document,
    },
    {
        .name = BT_STR_INIT("response"),
        .summary = BT_STR_INIT("the answer to a governed handoff"),
        .recognise = bt_governed_recognise_response,
        .judge = bt_governed_judge_response,
    },
    {
        .name = BT_STR_INIT("universal"),
        .summary = BT_STR_INIT("the universal JSON handoff envelope, version 3.0"),
        .exact_names = universal_exact_names,
        .usual_names = universal_usual,
        .recognise = bt_universal_checker_recognise,
        .judge = bt_universal_judge_document,
    },
    {
        .name = BT_STR_INIT("contract"),
        .summary = BT_STR_INIT("the agent_contract_handoff block that ends the turn of an agent"),
        .exact_names = contract_exact_names,
        .recognise = bt_contract_checker_recognise,
        .judge = bt_contract_judge_document,
    },
    {
        .name = BT_STR_INIT("xml"),
        .summary = BT_STR_INIT("messages of the XML pump"),
        .exact_names = xml_exact_names,
        .recognise = bt_message_recognise,
        .judge = bt_message_judge_document,
    },
    {
        .name = BT_STR_INIT("organism"),
        .reported = BT_STR_INIT("xml"),
        .summary = BT_STR_INIT("the organism of an XML pump"),
        .exact_names = organism_exact_names,
        .judge = bt_organism_judge_document,
    },
    {
        .name = BT_STR_INIT("plan"),
        .summary = BT_STR_INIT("a plan in CSV whose steps hand typed payloads to each other"),
        .exact_names = plan_exact_names,
        .recognise = bt_plan_check_recognise,
        .judge = bt_plan_judge_document,
    },
    /* Only when named explicitly. */
    {
        .name = BT_STR_INIT("manifest"),
        .summary = BT_STR_INIT("the agents of a governed catalogue"),
        .judge = bt_governed_judge_manifest,
    },
    {
        .name = BT_STR_INIT("lock"),
        .summary = BT_STR_INIT("the digests of a governed catalogue"),
        .judge = bt_governed_judge_lock,
    },
    {
        .name = BT_STR_INIT("boundaries"),
        .summary = BT_STR_INIT("who has listed whom in a governed catalogue"),
        .judge = bt_governed_judge_boundaries,
    },
    {
        .name = BT_STR_INIT("prompt"),
        .summary = BT_STR_INIT("a prompt file of a governed catalogue"),
        .judge = bt_governed_judge_prompt,
    },
    {
        .name = BT_STR_INIT("json"),
        .summary = BT_STR_INIT("plain JSON: is it well-formed, unambiguous and within bounds?"),
        .judge = bt_json_judge_document,
    },
    {
        .name = BT_STR_INIT("config"),
        .summary = BT_STR_INIT("baton.yaml, the configuration"),
        .judge = bt_config_judge_document,
    },
};
/* clang-format on */

enum { DIALECTS = sizeof(dialects) / sizeof(dialects[0]) };

size_t bt_dialects_count(void)
{
    return DIALECTS;
}

const struct bt_dialect *bt_dialects_at(size_t index)
{
    assert(index < DIALECTS);
    return &dialects[index];
}

bt_str bt_dialect_name(const struct bt_dialect *dialect)
{
    assert(dialect);
    return dialect->name;
}

bt_str bt_dialect_summary(const struct bt_dialect *dialect)
{
    assert(dialect);
    return dialect->summary;
}

const struct bt_dialect *bt_dialect_find(bt_str name)
{
    for (size_t i = 0; i < DIALECTS; i++) {
        if (bt_str_eq(dialects[i].name, name)) {
            return &dialects[i];
        }
    }
    return NULL;
}

static bool is_like_one_of(const bt_str *patterns, bt_str path)
{
    for (; patterns && patterns->len > 0; patterns++) {
        if (bt_pattern_matches(*patterns, path)) {
            return true;
        }
    }
    return false;
}

static const struct bt_dialect *find_by_exact_name(bt_str path)
{
    for (size_t i = 0; i < DIALECTS; i++) {
        if (is_like_one_of(dialects[i].exact_names, path)) {
            return &dialects[i];
        }
    }
    return NULL;
}

static const struct bt_dialect *by_content(bt_str content)
{
    for (size_t i = 0; i < DIALECTS; i++) {
        if (dialects[i].recognise && dialects[i].recognise(content)) {
            return &dialects[i];
        }
    }
    return NULL;
}

static const struct bt_dialect *by_usual_name(bt_str path)
{
    for (size_t i = 0; i < DIALECTS; i++) {
        if (is_like_one_of(dialects[i].usual_names, path)) {
            return &dialects[i];
        }
    }
    return NULL;
}

const struct bt_dialect *bt_dialect_for_path(bt_str path)
{
    const struct bt_dialect *found = find_by_exact_name(path);
    return found ? found : by_usual_name(path);
}

const struct bt_dialect *bt_dialect_recognise(bt_str path, bt_str content)
{
    const struct bt_dialect *found = find_by_exact_name(path);
    found = found ? found : by_content(content);
    return found ? found : by_usual_name(path);
}
