/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contract.c - the state that is created once and used for many messages: the compiled schema of
 * INPUT envelopes. It is compiled for the first envelope; messages of agents do not need it.
 */
#include <assert.h>
#include <string.h>

#include "dialect/contract/contract_check.h"
#include "schema/builtin.h"

enum {
    OWN_BYTES_MAX = 1 << 20,
    FINDINGS_MAX = 10000, /* of the schema; nobody reads more */
};

enum bt_status bt_contract_schema(struct bt_contract_checker *contract)
{
    if (contract->runner) {
        return BT_OK;
    }
    const struct bt_json_options reading = bt_json_options_default();
    struct bt_json_read_result read;
    /* from: built-in text */
    BT_TRY(bt_json_read(&contract->arena, bt_schema_builtin_of("contract-input"), &reading, &read));
    assert(read.document);
    struct bt_schema_options options = bt_schema_options_default();
    options.skip_metaschema = true; /* a test judges it by its meta-schema */
    memcpy(options.hash_seed, contract->env->hash_seed, sizeof(options.hash_seed));
    if (!contract->schema) {
        BT_TRY(bt_schema_compile(read.document, &options, NULL, &contract->schema));
    }
    assert(contract->schema);
    struct bt_schema_limits limits = bt_schema_limits_default();
    limits.findings_max = FINDINGS_MAX;
    contract->runner = bt_schema_runner_create(&limits);
    return contract->runner ? BT_OK : BT_ENOMEM;
}

enum bt_status bt_contract_checker_create(struct bt_env *env, struct bt_contract_checker **out)
{
    assert(env);
    assert(out);
    struct bt_arena arena;
    bt_arena_init(&arena, OWN_BYTES_MAX);
    struct bt_contract_checker *contract = BT_NEW(&arena, struct bt_contract_checker);
    if (!contract) {
        return BT_ENOMEM;
    }
    contract->env = env;
    contract->arena = arena;
    *out = contract;
    return BT_OK;
}

void bt_contract_checker_destroy(struct bt_contract_checker *contract)
{
    if (!contract) {
        return;
    }
    bt_schema_runner_destroy(contract->runner);
    bt_schema_destroy(contract->schema);
    struct bt_arena arena = contract->arena; /* this lies in it itself */
    bt_arena_free(&arena);
}
