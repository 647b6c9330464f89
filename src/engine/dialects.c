/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialects.c - the table of dialects, and how the dialect of a document is found.
 *
 * Exact names come first; then signs in the content, in the order of the table; then usual names,
 * so that a broken file in its usual place is reported as a broken handoff; then a first byte `<`.
 * No two rows may have exact names that match the same path, so only signs depend on the order.
 *
 * A new dialect is one row here and one folder with its checks.
 */
#include "engine/dialect.h"

#include <assert.h>

#include "decide/contract_decide.h"
#include "decide/governed_decide.h"
#include "decide/hop_budget.h"
#include "dialect/contract/contract.h"
#include "dialect/governed/governed.h"
#include "dialect/plan/plan.h"
#include "dialect/universal/universal.h"
#include "dialect/xml/message.h"
#include "engine/pattern.h"
#include "engine/recognise.h"
#include "json/peek.h"
#include "report/dialect_names.h"

/* The judge of a dialect that is written in YAML; NULL: this build cannot read it. */
#if defined(BT_PROFILE_CORE) || defined(BT_WITHOUT_YAML)
#define YAML_JUDGE(function) NULL
#else
#define YAML_JUDGE(function) function
#endif

/* clang-format off */
static const bt_str plan_exact_names[] = {
    BT_STR_INIT("*.steps.csv"),
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

static const bt_str xml_usual_names[] = {
    BT_STR_INIT("*.xml"),
    BT_STR_INIT(""),
};
static const bt_str organism_exact_names[] = {
    BT_STR_INIT("organism.yaml"),
    BT_STR_INIT("organism.yml"),
    BT_STR_INIT(""),
};
static const bt_str config_exact_names[] = {
    BT_STR_INIT("baton.yaml"),
    BT_STR_INIT("baton.yml"),
    BT_STR_INIT(""),
};
static const bt_str manifest_exact_names[] = {
    BT_STR_INIT("prompt-manifest.json"),
    BT_STR_INIT(""),
};
static const bt_str lock_exact_names[] = {
    BT_STR_INIT("prompt-lock.json"),
    BT_STR_INIT(""),
};
static const bt_str prompt_exact_names[] = {
    BT_STR_INIT("*.system.prompt.md"),
    BT_STR_INIT(""),
};

/* What other documents are least likely to have comes first. */
static const struct bt_dialect_member governed_members[] = {
    {BT_STR_INIT("source_agent"), '\0'},
    {BT_STR_INIT("handoff_id"), '\0'},
    {BT_STR_INIT(""), '\0'},
};
static const struct bt_dialect_member response_members[] = {
    {BT_STR_INIT("response_id"), '\0'},
    {BT_STR_INIT("agent"), '\0'},
    {BT_STR_INIT(""), '\0'},
};
static const struct bt_dialect_member universal_members[] = {
    {BT_STR_INIT("handoff"), '{'},
    {BT_STR_INIT(""), '\0'},
};
static const struct bt_dialect_member manifest_members[] = {
    {BT_STR_INIT("archetypes"), '\0'},
    {BT_STR_INIT("taxonomy"), '\0'},
    {BT_STR_INIT("domains"), '\0'},
    {BT_STR_INIT(""), '\0'},
};
static const struct bt_dialect_member lock_members[] = {
    {BT_STR_INIT("lockfileVersion"), '\0'},
    {BT_STR_INIT("prompts"), '\0'},
    {BT_STR_INIT(""), '\0'},
};

static const struct bt_dialect dialects[BT_DIALECT__MAX] = {
    [BT_DIALECT_GOVERNED] = {
        .name = BT_STR_INIT("governed"),
        .summary = BT_STR_INIT("the governed handoff 1.0.0: prompts pinned by hash, boundaries"),
        .members = governed_members,
        .judge = bt_governed_judge_document,
        .decide = bt_governed_decide,
        .deliverable = BT_DELIVERABLE_INBOX,
    },
    [BT_DIALECT_RESPONSE] = {
        .name = BT_STR_INIT("response"),
        .summary = BT_STR_INIT("the answer to a governed handoff"),
        .members = response_members,
        .judge = bt_governed_judge_document,
        .governed_kind = BT_GOVERNED_RESPONSE,
        .decide = bt_governed_decide,
    },
    [BT_DIALECT_UNIVERSAL] = {
        .name = BT_STR_INIT("universal"),
        .summary = BT_STR_INIT("the universal JSON handoff envelope, version 3.0"),
        .usual_names = universal_usual,
        .members = universal_members,
        .judge = bt_universal_judge_document,
        .compare = bt_hop_budget_check,
        .fix = bt_universal_fix_document,
        .source_pointer = BT_STR_INIT("/handoff/source/skill"),
        .deliverable = BT_DELIVERABLE_INBOX,
    },
    [BT_DIALECT_CONTRACT] = {
        .name = BT_STR_INIT("contract"),
        .summary = BT_STR_INIT("the agent_contract_handoff block that ends the turn of an agent"),
        .exact_names = contract_exact_names,
        .recognise = bt_contract_recognise,
        .judge = bt_contract_judge_document,
        .fix = bt_contract_fix_document,
        .decide = bt_contract_decide,
        .source_pointer = BT_STR_INIT("/agent_status/agent_id"),
    },
    [BT_DIALECT_XML] = {
        .name = BT_STR_INIT("xml"),
        .summary = BT_STR_INIT("messages of the XML pump"),
        .usual_names = xml_usual_names,
        .recognise = bt_sign_envelope,
        .judge = bt_message_judge_document,
        .fix = bt_message_fix_document,
        .source_pointer = BT_STR_INIT("/message/meta/from"),
        .deliverable = BT_DELIVERABLE_PUMP,
    },
    [BT_DIALECT_ORGANISM] = {
        .name = BT_STR_INIT("organism"),
        .reported_as = BT_DIALECT_XML,
        .summary = BT_STR_INIT("the organism of an XML pump"),
        .exact_names = organism_exact_names,
        .recognise = bt_sign_organism,
        .judge = YAML_JUDGE(bt_organism_judge_document),
    },
    [BT_DIALECT_PLAN] = {
        .name = BT_STR_INIT("plan"),
        .summary = BT_STR_INIT("a plan in CSV whose steps hand typed payloads to each other"),
        .exact_names = plan_exact_names,
        .recognise = bt_plan_recognise,
        .judge = bt_plan_judge_document,
        .fix = bt_plan_fix_document,
    },
    [BT_DIALECT_MANIFEST] = {
        .name = BT_STR_INIT("manifest"),
        .summary = BT_STR_INIT("the agents of a governed catalogue"),
        .exact_names = manifest_exact_names,
        .members = manifest_members,
        .judge = bt_governed_judge_file,
        .governed_kind = BT_GOVERNED_MANIFEST,
    },
    [BT_DIALECT_LOCK] = {
        .name = BT_STR_INIT("lock"),
        .summary = BT_STR_INIT("the digests of a governed catalogue"),
        .exact_names = lock_exact_names,
        .members = lock_members,
        .judge = bt_governed_judge_file,
        .governed_kind = BT_GOVERNED_LOCK,
    },
    [BT_DIALECT_BOUNDARIES] = {
        .name = BT_STR_INIT("boundaries"),
        .summary = BT_STR_INIT("who has listed whom in a governed catalogue"),
        .judge = bt_governed_judge_file,
        .governed_kind = BT_GOVERNED_BOUNDARIES,
    },
    [BT_DIALECT_PROMPT] = {
        .name = BT_STR_INIT("prompt"),
        .summary = BT_STR_INIT("a prompt file of a governed catalogue"),
        .exact_names = prompt_exact_names,
        .judge = bt_governed_judge_file,
        .governed_kind = BT_GOVERNED_KIND__MAX, /* it has no schema */
    },
    [BT_DIALECT_JSON] = {
        .name = BT_STR_INIT("json"),
        .summary = BT_STR_INIT("plain JSON: is it well-formed, unambiguous and within bounds?"),
        .judge = bt_json_judge_document,
    },
    [BT_DIALECT_CONFIG] = {
        .name = BT_STR_INIT("config"),
        .summary = BT_STR_INIT("baton.yaml, the configuration"),
        .exact_names = config_exact_names,
        .judge = YAML_JUDGE(bt_config_judge_document),
    },
    /* Not documents to check: what entries and reports can be about. */
    [BT_DIALECT_RAW] = {.name = BT_STR_INIT("raw")},
    [BT_DIALECT_BATON] = {.name = BT_STR_INIT("baton")},
    [BT_DIALECT_SCHEMA] = {.name = BT_STR_INIT("schema")},
    [BT_DIALECT_SKILL] = {.name = BT_STR_INIT("skill")},
    [BT_DIALECT_STORE] = {.name = BT_STR_INIT("store")},
    [BT_DIALECT_LEDGER] = {.name = BT_STR_INIT("ledger")},
    [BT_DIALECT_CHECKPOINT] = {.name = BT_STR_INIT("checkpoint")},
    [BT_DIALECT_RECEIPT] = {.name = BT_STR_INIT("receipt")},
    [BT_DIALECT_MCP] = {.name = BT_STR_INIT("mcp")},
    [BT_DIALECT_BUNDLE] = {.name = BT_STR_INIT("bundle")},
};
/* clang-format on */

const bt_str bt_dialect_recordable_names[] = {
    BT_STR_INIT("plan"), BT_STR_INIT("contract"), BT_STR_INIT("universal"), BT_STR_INIT("governed"),
    BT_STR_INIT("xml"),  BT_STR_INIT("raw"),      BT_STR_INIT("baton"),     BT_STR_INIT(""),
};

const struct bt_dialect *bt_dialect_row(enum bt_dialect_id dialect)
{
    assert(dialect < BT_DIALECT__MAX);
    return &dialects[dialect];
}

size_t bt_dialects_count(void)
{
    return BT_DIALECT__CHECKABLE_MAX - 1;
}

enum bt_dialect_id bt_dialects_at(size_t index)
{
    assert(index < bt_dialects_count());
    return (enum bt_dialect_id)(index + 1);
}

bt_str bt_dialect_name(enum bt_dialect_id dialect)
{
    return dialect ? bt_dialect_row(dialect)->name : BT_STR("");
}

bt_str bt_dialect_summary(enum bt_dialect_id dialect)
{
    return bt_dialect_row(dialect)->summary;
}

enum bt_dialect_id bt_dialect_find(bt_str name)
{
    enum bt_dialect_id dialect = BT_DIALECT__CHECKABLE_MAX - 1;
    while (dialect && !bt_str_eq(dialects[dialect].name, name)) {
        dialect--;
    }
    return dialect;
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

static enum bt_dialect_id find_by_exact_name(bt_str path)
{
    for (enum bt_dialect_id dialect = 1; dialect < BT_DIALECT__CHECKABLE_MAX; dialect++) {
        if (is_like_one_of(dialects[dialect].exact_names, path)) {
            return dialect;
        }
    }
    return BT_DIALECT_NONE;
}

static bool has_members(const struct bt_dialect_member *members, bt_str content)
{
    for (; members && members->name.len > 0; members++) {
        const char first = bt_json_peek(content, members->name);
        if (first == '\0' || (members->first != '\0' && first != members->first)) {
            return false;
        }
    }
    return members != NULL;
}

/* The dialect that has a sign in one end of a document. */
static enum bt_dialect_id find_by_sign(bt_str content)
{
    for (enum bt_dialect_id dialect = 1; dialect < BT_DIALECT__CHECKABLE_MAX; dialect++) {
        const struct bt_dialect *row = &dialects[dialect];
        if (row->recognise ? row->recognise(content) : has_members(row->members, content)) {
            return dialect;
        }
    }
    return BT_DIALECT_NONE;
}

/* The end of a text from a line on. Only a contract block is looked for there. */
static bool has_block_at_end(bt_str tail)
{
    const size_t line = bt_str_find_byte(tail, '\n', 0);
    return line < tail.len && bt_contract_recognise(bt_str_slice(tail, line + 1, tail.len));
}

static enum bt_dialect_id find_by_signs(bt_str head, bt_str tail)
{
    const enum bt_dialect_id found = find_by_sign(head);
    return !found && has_block_at_end(tail) ? BT_DIALECT_CONTRACT : found;
}

static enum bt_dialect_id by_usual_name(bt_str path)
{
    for (enum bt_dialect_id dialect = 1; dialect < BT_DIALECT__CHECKABLE_MAX; dialect++) {
        if (is_like_one_of(dialects[dialect].usual_names, path)) {
            return dialect;
        }
    }
    return BT_DIALECT_NONE;
}

bool bt_recognise_needs_end(bt_str path)
{
    static const bt_str names[] = {BT_STR_INIT("*.md"), BT_STR_INIT("*.markdown"),
                                   BT_STR_INIT("*.txt"), BT_STR_INIT("")};
    return is_like_one_of(names, path);
}

enum bt_dialect_id bt_dialect_for_path(bt_str path)
{
    const enum bt_dialect_id found = find_by_exact_name(path);
    return found ? found : by_usual_name(path);
}

enum bt_dialect_id bt_dialect_recognise(bt_str path, bt_str content)
{
    const bt_str head = bt_str_slice(content, 0, BT_RECOGNISE_BYTES);
    const bool has_tail = content.len > BT_RECOGNISE_BYTES && bt_recognise_needs_end(path);
    const bt_str tail = has_tail
                            ? bt_str_slice(content, content.len - BT_RECOGNISE_BYTES, content.len)
                            : BT_STR("");
    enum bt_dialect_id found = find_by_exact_name(path);
    found = found ? found : find_by_signs(head, tail);
    found = found ? found : by_usual_name(path);
    return !found && bt_message_recognise(head) ? BT_DIALECT_XML : found;
}

/* ---- Walks ----------------------------------------------------------------------------------- */

bool bt_walk_accepts_name(bt_str path)
{
    static const bt_str names[] = {
        BT_STR_INIT("*.json"), BT_STR_INIT("*.md"),        BT_STR_INIT("*.markdown"),
        BT_STR_INIT("*.txt"),  BT_STR_INIT("*.xml"),       BT_STR_INIT("*.yaml"),
        BT_STR_INIT("*.yml"),  BT_STR_INIT("*.steps.csv"), BT_STR_INIT(""),
    };
    return is_like_one_of(names, path);
}

bool bt_walk_has_ending_of(bt_str path, enum bt_dialect_id dialect)
{
    static const bt_str json[] = {BT_STR_INIT("*.json"), BT_STR_INIT("")};
    static const bt_str texts[] = {BT_STR_INIT("*.md"), BT_STR_INIT("*.markdown"),
                                   BT_STR_INIT("*.txt"), BT_STR_INIT("")};
    static const bt_str csv[] = {BT_STR_INIT("*.csv"), BT_STR_INIT("")};
    static const bt_str yaml[] = {BT_STR_INIT("*.yaml"), BT_STR_INIT("*.yml"), BT_STR_INIT("")};
    static const bt_str *const endings[BT_DIALECT__CHECKABLE_MAX] = {
        [BT_DIALECT_UNIVERSAL] = json, [BT_DIALECT_GOVERNED] = json,
        [BT_DIALECT_RESPONSE] = json,  [BT_DIALECT_MANIFEST] = json,
        [BT_DIALECT_LOCK] = json,      [BT_DIALECT_BOUNDARIES] = json,
        [BT_DIALECT_JSON] = json,      [BT_DIALECT_CONTRACT] = texts,
        [BT_DIALECT_PROMPT] = texts,   [BT_DIALECT_XML] = xml_usual_names,
        [BT_DIALECT_PLAN] = csv,       [BT_DIALECT_ORGANISM] = yaml,
        [BT_DIALECT_CONFIG] = yaml,
    };
    assert(dialect < BT_DIALECT__CHECKABLE_MAX);
    return is_like_one_of(endings[dialect], path);
}

enum bt_walk_choice bt_walk_choose(bt_str path, bt_str head, bt_str tail,
                                   enum bt_dialect_id *out_dialect)
{
    static const bt_str handoffs[] = {BT_STR_INIT("*.handoff.json"),
                                      BT_STR_INIT("handoffs/*-to-*.json"), BT_STR_INIT("")};
    if (is_like_one_of(plan_exact_names, path) || is_like_one_of(organism_exact_names, path)) {
        *out_dialect = find_by_exact_name(path);
        return BT_WALK_JUDGE;
    }
    enum bt_dialect_id found = find_by_signs(head, tail);
    if (found == BT_DIALECT_PLAN) {
        found = BT_DIALECT_NONE; /* its header counts only in a file of its name */
    }
    if (!found && is_like_one_of(handoffs, path)) {
        found = BT_DIALECT_UNIVERSAL; /* a broken handoff must not hide */
    }
    if (found) {
        const enum bt_dialect_id exact = find_by_exact_name(path);
        *out_dialect = exact ? exact : found;
        return BT_WALK_JUDGE;
    }
    if (is_like_one_of(contract_exact_names, path)) {
        return BT_WALK_NO_BLOCK;
    }
    return is_like_one_of(xml_usual_names, path) ? BT_WALK_NO_ENVELOPE : BT_WALK_PASS;
}
