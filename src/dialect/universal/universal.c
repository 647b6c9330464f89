/* SPDX-License-Identifier: Apache-2.0 */
/*
 * universal.c - the state that is created once and used for many handoffs: the compiled schema, a
 * runner, the token tables.
 */
#include <assert.h>
#include <string.h>

#include "dialect/universal/universal_check.h"
#include "json/options.h"
#include "schema/builtin.h"
#include "schema/options.h"

enum {
    OWN_BYTES_MAX = 4 << 20,
    PATH_BYTES_MAX = 4096,
    FINDINGS_MAX = 10000, /* of the schema; more are of no use to a reader */
};

/* Names as flags and facts spell them, in the order of enum bt_universal_section. */
static const bt_str section_names[BT_UNIVERSAL_SECTION__MAX] = {
    BT_STR_INIT("metadata"), BT_STR_INIT("endpoints"), BT_STR_INIT("context"),
    BT_STR_INIT("working"),  BT_STR_INIT("session"),   BT_STR_INIT("references"),
    BT_STR_INIT("meta"),
};

bt_str bt_universal_section_name(enum bt_universal_section section)
{
    assert(section < BT_UNIVERSAL_SECTION__MAX);
    return section_names[section];
}

enum bt_status bt_universal_section_parse(bt_str name, enum bt_universal_section *out)
{
    assert(out);
    for (size_t i = 0; i < BT_UNIVERSAL_SECTION__MAX; i++) {
        if (bt_str_eq(section_names[i], name)) {
            *out = (enum bt_universal_section)i;
            return BT_OK;
        }
    }
    return BT_EINVAL;
}

struct bt_universal_options bt_universal_options_default(void)
{
    struct bt_universal_options options = {.encoding = BT_ENCODING_O200K_BASE,
                                           .budget = 2000,
                                           .token_dir = BT_STR(""),
                                           .root = BT_STR(""),
                                           .chain_budget = {.warn_percent = 80}};
    for (size_t i = 0; i < BT_UNIVERSAL_SECTION__MAX; i++) {
        options.section_limits[i] = BT_UNIVERSAL_SECTION_UNLIMITED;
    }
    options.section_limits[BT_UNIVERSAL_SECTION_WORKING] = 500;
    options.section_limits[BT_UNIVERSAL_SECTION_SESSION] = 1000;
    options.section_limits[BT_UNIVERSAL_SECTION_REFERENCES] = 500;
    return options;
}

static enum bt_status compile_schema(struct bt_universal_checker *universal)
{
    struct bt_json_options reading = bt_json_options_default();
    struct bt_json_read_result read = {0};
    /* from: built-in text */
    BT_TRY(bt_json_read(&universal->arena, bt_schema_builtin_of("universal"), &reading, &read));
    assert(read.document);
    universal->schema_document = read.document;
    struct bt_schema_options options = bt_schema_options_default();
    options.skip_metaschema = true; /* a test judges it by its meta-schema */
    memcpy(options.hash_seed, universal->env->hash_seed, sizeof(options.hash_seed));
    BT_TRY(bt_schema_compile(read.document, &options, NULL, &universal->schema));
    assert(universal->schema);
    struct bt_schema_limits limits = bt_schema_limits_default();
    limits.findings_max = FINDINGS_MAX;
    universal->runner = bt_schema_runner_with(&limits);
    return universal->runner ? BT_OK : BT_ENOMEM;
}

enum bt_status bt_universal_checker_create(struct bt_env *env, struct bt_universal_checker **out)
{
    assert(env);
    assert(out);
    struct bt_arena arena;
    bt_arena_init(&arena, OWN_BYTES_MAX);
    struct bt_universal_checker *universal = BT_NEW(&arena, struct bt_universal_checker);
    BT_TRY(universal ? BT_OK : BT_ENOMEM);
    universal->env = env;
    universal->arena = arena;
    for (size_t i = 0; i < BT_ENCODING__MAX; i++) {
        bt_tokens_init(&universal->counters[i], (enum bt_encoding)i);
    }
    bt_buf_init(&universal->tables.dir, PATH_BYTES_MAX);
    const enum bt_status status = compile_schema(universal);
    if (status != BT_OK) {
        bt_universal_checker_destroy(universal);
        return status;
    }
    *out = universal;
    return BT_OK;
}

void bt_universal_checker_set_table(struct bt_universal_checker *universal,
                                    enum bt_encoding encoding, const struct bt_token_table *table)
{
    assert(universal);
    assert(encoding < BT_ENCODING_CHARS4);
    universal->counters[encoding].table = table;
}

void bt_universal_checker_destroy(struct bt_universal_checker *universal)
{
    if (!universal) {
        return;
    }
    for (size_t i = 0; i < BT_ENCODING__MAX; i++) {
        bt_tokens_free(&universal->counters[i]);
    }
    bt_buf_free(&universal->tables.dir);
    bt_schema_runner_destroy(universal->runner);
    bt_schema_destroy(universal->schema);
    struct bt_arena arena = universal->arena; /* this lies in it itself */
    bt_arena_free(&arena);
}
