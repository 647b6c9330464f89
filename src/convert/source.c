/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.c - one row per dialect: how it is recognised, how it is read, what goes where.
 */
#include "convert/source.h"

#include <assert.h>

#include "dialect/contract/contract.h"
#include "dialect/contract/contract_check.h"
#include "dialect/plan/plan.h"
#include "json/peek.h"

static bool is_universal(bt_str text)
{
    return bt_json_peek(text, BT_STR("handoff")) == '{';
}

static bool is_governed(bt_str text)
{
    return bt_json_peek(text, BT_STR("handoff_id")) != '\0' &&
           bt_json_peek(text, BT_STR("source_agent")) != '\0';
}

static enum bt_status read_json(struct bt_convert_source *source)
{
    const struct bt_json_options options = bt_json_options_from_env(source->env);
    struct bt_json_read_result read;
    /* from: caller */
    BT_TRY(bt_json_read(source->arena, source->text, &options, &read));
    if (read.document && bt_json_type(bt_json_root(read.document)) == BT_JSON_OBJECT) {
        source->document = read.document;
    }
    return BT_OK;
}

/* Version 3.0 is the wanted format, and any other version is rejected: both are left to the
 * checks of universal handoffs. */
static enum bt_status read_universal(struct bt_convert_source *source)
{
    BT_TRY(read_json(source));
    if (!source->document) {
        return BT_OK;
    }
    const bt_json_value *version = bt_json_resolve(source->document, bt_json_root(source->document),
                                                   BT_STR("/handoff/version"));
    if (!version || !bt_str_eq(bt_json_text(version), BT_STR("2.0"))) {
        source->document = NULL;
    }
    return BT_OK;
}

static bool is_security_event(const struct bt_findings *findings)
{
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        if (finding->security && finding->severity == BT_SEVERITY_HARD) {
            return true;
        }
    }
    return false;
}

/* The last block of a message. A credential in it would travel on, so such a block is refused. */
static enum bt_status take_block(struct bt_convert_source *source,
                                 struct bt_contract_checker *contract)
{
    static const struct bt_contract_options defaults = {.runtime_agent_id = {"", 0}};
    struct bt_contract_check turn = {.contract = contract,
                                     .options = &defaults,
                                     .findings = bt_findings_new(source->arena),
                                     .text = source->text,
                                     .fail_level = BT_SEVERITY_HARD};
    BT_TRY(turn.findings ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_contract_check_judge(&turn));
    source->is_refused =
        !turn.root || bt_json_type(turn.root) != BT_JSON_OBJECT || is_security_event(turn.findings);
    if (!source->is_refused) {
        source->document = turn.document;
        return BT_OK;
    }
    return bt_contract_check_finish(&turn, source->path, NULL, &source->refusal);
}

static enum bt_status read_contract(struct bt_convert_source *source)
{
    struct bt_contract_checker *contract = NULL;
    BT_TRY(bt_contract_checker_create(source->env, &contract));
    const enum bt_status status = take_block(source, contract);
    bt_contract_checker_destroy(contract);
    return status;
}

struct convert_source_kind {
    enum bt_dialect_id dialect;
    bool (*recognise)(bt_str text);
    enum bt_status (*read)(struct bt_convert_source *source);
    const struct bt_convert_table *table;
};

static const struct convert_source_kind kinds[] = {
    {BT_DIALECT_UNIVERSAL, is_universal, read_universal, &bt_carry_universal_2},
    {BT_DIALECT_GOVERNED, is_governed, read_json, &bt_carry_governed},
    {BT_DIALECT_CONTRACT, bt_contract_recognise, read_contract, &bt_carry_contract},
    {BT_DIALECT_PLAN, bt_plan_recognise, bt_convert_source_read_plan, &bt_carry_plan},
};

static const struct convert_source_kind *kind_of(enum bt_dialect_id dialect, bt_str text)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (dialect ? dialect == kinds[i].dialect : kinds[i].recognise(text)) {
            return &kinds[i];
        }
    }
    return NULL;
}

enum bt_dialect_id bt_convert_dialect(enum bt_dialect_id from, bt_str text)
{
    const struct convert_source_kind *kind = kind_of(from, text);
    return kind ? kind->dialect : BT_DIALECT_NONE;
}

enum bt_status bt_convert_source_read(struct bt_convert_source *source, enum bt_dialect_id dialect)
{
    assert(source);
    const struct convert_source_kind *kind = kind_of(dialect, source->text);
    if (kind) {
        source->table = kind->table;
        return kind->read(source);
    }
    return dialect ? bt_error_set(source->error, BT_EINVAL,
                                  "documents of dialect %.*s cannot be converted",
                                  BT_STR_ARG(bt_dialect_name(dialect)))
                   : bt_error_set(source->error, BT_ENOENT,
                                  "its dialect is not recognised; name it with --from");
}
