/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy.c - keys of the configuration -> a policy, and a policy -> canonical JSON.
 *
 * What a key may be and its default are in the table of keys (config/wrap_keys.c); the tables here
 * say where a value goes. They are sorted, because canonical JSON is.
 */
#include "wrap/policy.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "config/wrap_keys.h"
#include "json/emit.h"

enum { KEY_BYTES_MAX = 64, POLICY_BYTES_MAX = 4 << 20 };

struct wrap_policy_field {
    bt_str group; /* "" or the mapping that has the key */
    bt_str key;
    size_t offset;
};

#define FIELD(key_, member_)                                                                       \
    {                                                                                              \
        BT_STR_INIT(""), BT_STR_INIT(key_), offsetof(struct bt_wrap_policy, member_)               \
    }
#define MEMBER(group_, key_)                                                                       \
    {                                                                                              \
        BT_STR_INIT(#group_), BT_STR_INIT(#key_), offsetof(struct bt_wrap_policy, group_.key_)     \
    }
#define RULE_FIELD(key_, member_)                                                                  \
    {                                                                                              \
        BT_STR_INIT(""), BT_STR_INIT(key_), offsetof(struct bt_wrap_rule, member_)                 \
    }

static const struct wrap_policy_field policy_fields[] = {
    FIELD("annotate", annotate),
    FIELD("arguments", arguments),
    FIELD("ask", approval_form),
    FIELD("fail", fail),
    MEMBER(from_server, elicitation),
    MEMBER(from_server, roots),
    MEMBER(from_server, sampling),
    MEMBER(limits, buffer_bytes),
    MEMBER(limits, in_flight),
    MEMBER(limits, message_bytes),
    MEMBER(limits, pending),
    MEMBER(limits, queue_records),
    FIELD("methods", methods),
    MEMBER(pin, added),
    MEMBER(pin, changed),
    MEMBER(pin, command),
    MEMBER(pin, first_use),
    MEMBER(pin, removed),
    FIELD("record", record),
    FIELD("results", results),
    FIELD("rules", rules),
    FIELD("secrets", secrets),
    FIELD("shutdown_ms", shutdown_ms),
    MEMBER(spend, calls),
    MEMBER(spend, cost),
    MEMBER(spend, tokens),
    FIELD("texts", texts),
    FIELD("upstream_idle_s", upstream_idle_s),
    FIELD("wait", wait),
};

static const struct wrap_policy_field rule_fields[] = {
    RULE_FIELD("approve", approve),   RULE_FIELD("arguments", arguments),
    RULE_FIELD("bytes", bytes),       RULE_FIELD("class", tool_class),
    RULE_FIELD("cost", cost),         RULE_FIELD("deny", deny),
    RULE_FIELD("fail", fail),         RULE_FIELD("idempotent", idempotent),
    RULE_FIELD("over", over),         RULE_FIELD("rate", rate),
    RULE_FIELD("record", record),     RULE_FIELD("results", results),
    RULE_FIELD("tokens", tokens),     RULE_FIELD("tools", tools),
    RULE_FIELD("unpinned", unpinned), RULE_FIELD("wait", wait),
};

/* ---- Rows and places ------------------------------------------------------------------------- */

static const struct bt_config_row *find_row(const struct bt_config_row *rows, size_t count,
                                            bt_str name)
{
    size_t row = 0;
    while (!bt_str_eq(rows[row].name, name)) {
        row++;
        assert(row < count);
    }
    return &rows[row];
}

static const struct bt_config_row *row_of(const struct wrap_policy_field *field)
{
    const bool is_top = field->group.len == 0;
    const struct bt_config_row *row =
        find_row(bt_config_wrap_servers, BT_COUNT_OF(bt_config_wrap_servers),
                 is_top ? field->key : field->group);
    return is_top ? row : find_row(row->list.members, row->list.member_count, field->key);
}

static const struct bt_config_row *rule_row_of(const struct wrap_policy_field *field)
{
    return find_row(bt_config_wrap_rules, BT_COUNT_OF(bt_config_wrap_rules), field->key);
}

/* Enums and sets are as large as an unsigned int. */
static void set_unsigned(void *owner, const struct wrap_policy_field *field, unsigned value)
{
    static_assert(sizeof(enum bt_wrap_judging) == sizeof(unsigned), "words are stored as unsigned");
    memcpy((char *)owner + field->offset, &value, sizeof(value));
}

static unsigned get_unsigned(const void *owner, const struct wrap_policy_field *field)
{
    unsigned value = 0;
    memcpy(&value, (const char *)owner + field->offset, sizeof(value));
    return value;
}

static void set_number(void *owner, const struct wrap_policy_field *field, uint64_t value)
{
    memcpy((char *)owner + field->offset, &value, sizeof(value));
}

static uint64_t get_number(const void *owner, const struct wrap_policy_field *field)
{
    uint64_t value = 0;
    memcpy(&value, (const char *)owner + field->offset, sizeof(value));
    return value;
}

/* The index of a word, or the number of words. */
static unsigned index_of(const char *const *words, bt_str word)
{
    unsigned index = 0;
    while (words[index] && !bt_str_eq(bt_str_of(words[index]), word)) {
        index++;
    }
    return index;
}

static bool is_given(const struct bt_yaml_node *node)
{
    return node && bt_yaml_type_of(node) != BT_YAML_TYPE_NULL;
}

/* The set of the words in a list. */
static unsigned set_of(const struct bt_config_row *row, const struct bt_yaml_node *list)
{
    unsigned set = 0;
    for (size_t i = 0; i < list->count; i++) {
        set |= 1U << index_of(row->words, list->items[i].text);
    }
    return set;
}

/* Set a member of a policy or rule from a value that was checked; texts and rules are elsewhere. */
static void set_value(void *owner, const struct wrap_policy_field *field,
                      const struct bt_config_row *row, const struct bt_yaml_node *node)
{
    if (row->type == BT_CONFIG_NUMBER) {
        set_number(owner, field,
                   is_given(node) ? bt_config_text_number(node->text) : BT_WRAP_UNSET);
    } else if (row->type == BT_CONFIG_SWITCH) {
        const bool is_true = bt_yaml_type_of(node) == BT_YAML_TYPE_TRUE;
        set_unsigned(owner, field, is_true ? BT_WRAP_CHOICE_YES : BT_WRAP_CHOICE_NO);
    } else if (row->type == BT_CONFIG_TEXT) {
        set_unsigned(owner, field, 1 + index_of(row->words, node->text));
    } else {
        assert(row->type == BT_CONFIG_LIST && row->words);
        set_unsigned(owner, field, set_of(row, node));
    }
}

struct bt_wrap_policy bt_wrap_policy_default(void)
{
    struct bt_wrap_policy policy = {0};
    for (size_t i = 0; i < BT_COUNT_OF(policy_fields); i++) {
        const struct bt_config_row *row = row_of(&policy_fields[i]);
        if (row->type != BT_CONFIG_MAPPINGS) {
            set_value(&policy, &policy_fields[i], row, &row->otherwise);
        }
    }
    return policy;
}

struct bt_wrap_rule bt_wrap_rule_default(void)
{
    return (struct bt_wrap_rule){.rate = BT_WRAP_UNSET,
                                 .tokens = BT_WRAP_UNSET,
                                 .bytes = BT_WRAP_UNSET,
                                 .cost = BT_WRAP_UNSET};
}

/* ---- From the configuration ------------------------------------------------------------------ */

static enum bt_status copy_texts(struct bt_arena *arena, const struct bt_yaml_node *list,
                                 struct bt_str_list *out)
{
    bt_str *texts = BT_NEW_ARRAY(arena, bt_str, list->count + 1);
    BT_TRY(texts ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < list->count; i++) {
        texts[i] = list->items[i].text;
    }
    *out = (struct bt_str_list){texts, list->count};
    return BT_OK;
}

static enum bt_status read_rule(struct bt_arena *arena, const struct bt_yaml_node *node,
                                struct bt_wrap_rule *rule)
{
    *rule = bt_wrap_rule_default();
    for (size_t i = 0; i < BT_COUNT_OF(rule_fields); i++) {
        const struct wrap_policy_field *field = &rule_fields[i];
        const struct bt_config_row *row = rule_row_of(field);
        const struct bt_yaml_node *value = bt_yaml_get(node, field->key);
        if (!is_given(value)) {
            continue;
        }
        if (row->type == BT_CONFIG_LIST) {
            BT_TRY(copy_texts(arena, value,
                              (struct bt_str_list *)(void *)((char *)rule + field->offset)));
        } else {
            set_value(rule, field, row, value);
        }
    }
    return BT_OK;
}

static enum bt_status add_rules(struct bt_arena *arena, const struct bt_yaml_node *list,
                                struct bt_wrap_policy *policy)
{
    for (size_t i = 0; i < list->count; i++) {
        struct bt_wrap_rule rule;
        BT_TRY(read_rule(arena, &list->items[i], &rule));
        BT_TRY(bt_vec_push(arena, &policy->rules, rule));
    }
    return BT_OK;
}

/* A key for all servers. */
static const struct bt_yaml_node *value_for_all(const struct bt_config *config, bt_str name)
{
    char key[KEY_BYTES_MAX];
    const int length = snprintf(key, sizeof(key), "wrap.%.*s", BT_STR_ARG(name));
    assert(length > 0 && (size_t)length < sizeof(key));
    return bt_config_value(config, bt_config_row((bt_str){key, (size_t)length}));
}

/* Set one field from the mapping of a server, or else from the keys for all servers. */
static enum bt_status read_field(struct bt_arena *arena, const struct bt_config *config,
                                 const struct bt_yaml_node *server,
                                 const struct wrap_policy_field *field,
                                 struct bt_wrap_policy *policy)
{
    const struct bt_config_row *row = row_of(field);
    const bool is_top = field->group.len == 0;
    const bt_str outer = is_top ? field->key : field->group;
    const struct bt_yaml_node *all = value_for_all(config, outer);
    const struct bt_yaml_node *own = bt_yaml_get(server, outer);
    all = is_top ? all : bt_yaml_get(all, field->key);
    own = is_top ? own : bt_yaml_get(own, field->key);
    if (row->type != BT_CONFIG_MAPPINGS) {
        const struct bt_yaml_node *value = is_given(own) ? own : all;
        set_value(policy, field, row, is_given(value) ? value : &row->otherwise);
        return BT_OK;
    }
    BT_TRY(add_rules(arena, all, policy));
    return is_given(own) ? add_rules(arena, own, policy) : BT_OK;
}

enum bt_status bt_wrap_policy_read(struct bt_arena *arena, const struct bt_config *config,
                                   bt_str name, struct bt_wrap_policy *out)
{
    const struct bt_yaml_node *server = bt_yaml_get(value_for_all(config, BT_STR("servers")), name);
    struct bt_wrap_policy policy = {0};
    for (size_t i = 0; i < BT_COUNT_OF(policy_fields); i++) {
        BT_TRY(read_field(arena, config, server, &policy_fields[i], &policy));
    }
    *out = policy;
    return BT_OK;
}

bool bt_wrap_policy_is_given(const struct bt_config *config, bt_str name, bt_str key)
{
    const struct bt_yaml_node *server = bt_yaml_get(value_for_all(config, BT_STR("servers")), name);
    char full[KEY_BYTES_MAX];
    const int length = snprintf(full, sizeof(full), "wrap.%.*s", BT_STR_ARG(key));
    assert(length > 0 && (size_t)length < sizeof(full));
    return is_given(bt_yaml_get(server, key)) || bt_config_has(config, full);
}

/* ---- Flags ----------------------------------------------------------------------------------- */

enum bt_status bt_wrap_policy_set(struct bt_wrap_policy *policy, bt_str key, bt_str word)
{
    for (size_t i = 0; i < BT_COUNT_OF(policy_fields); i++) {
        const struct bt_config_row *row = row_of(&policy_fields[i]);
        if (policy_fields[i].group.len == 0 && bt_str_eq(policy_fields[i].key, key) && row->words &&
            row->words[index_of(row->words, word)]) {
            set_unsigned(policy, &policy_fields[i], 1 + index_of(row->words, word));
            return BT_OK;
        }
    }
    return BT_EINVAL;
}

enum bt_status bt_wrap_policy_add(struct bt_arena *arena, struct bt_wrap_policy *policy,
                                  bt_str pattern, const struct bt_wrap_rule *rule)
{
    bt_str *tool = BT_NEW(arena, bt_str);
    struct bt_wrap_rule added = *rule;
    BT_TRY(tool ? BT_OK : BT_ENOMEM);
    *tool = pattern;
    added.tools = (struct bt_str_list){tool, 1};
    return bt_vec_push(arena, &policy->rules, added);
}

enum bt_status bt_wrap_policy_enforce(struct bt_arena *arena, struct bt_wrap_policy *policy)
{
    struct bt_wrap_rule rule = bt_wrap_rule_default();
    struct bt_wrap_policy enforced = *policy;
    rule.approve = BT_WRAP_CHOICE_YES;
    enforced.rules.items = NULL;
    enforced.rules.count = 0;
    enforced.rules.capacity = 0;
    BT_TRY(bt_wrap_policy_add(arena, &enforced, BT_STR("@destructive"), &rule));
    for (size_t i = 0; i < policy->rules.count; i++) {
        BT_TRY(bt_vec_push(arena, &enforced.rules, policy->rules.items[i]));
    }
    enforced.arguments = BT_WRAP_JUDGING_REFUSE;
    enforced.results = BT_WRAP_JUDGING_REFUSE;
    enforced.texts = BT_WRAP_READING_HIDE;
    enforced.wait = BT_WRAP_WAITING_DURABLE;
    enforced.fail = BT_WRAP_FAILING_CLOSED;
    *policy = enforced;
    return BT_OK;
}

static enum bt_wrap_judging observe_judging(enum bt_wrap_judging judging)
{
    return judging == BT_WRAP_JUDGING_REFUSE ? BT_WRAP_JUDGING_WARN : judging;
}

/* What is switched off stays off. Rules that deny, approve or limit stay as they are: their users
 * only warn while `is_observing` is set. */
void bt_wrap_policy_observe(struct bt_wrap_policy *policy)
{
    policy->is_observing = true;
    policy->pin.changed = BT_WRAP_PINNING_WARN;
    policy->pin.added = BT_WRAP_PINNING_WARN;
    policy->pin.removed = BT_WRAP_PINNING_WARN;
    policy->pin.command = BT_WRAP_PINNING_WARN;
    policy->arguments = observe_judging(policy->arguments);
    policy->results = observe_judging(policy->results);
    policy->texts = policy->texts == BT_WRAP_READING_HIDE ? BT_WRAP_READING_WARN : policy->texts;
    policy->fail = BT_WRAP_FAILING_OPEN;
    for (size_t i = 0; i < policy->rules.count; i++) {
        struct bt_wrap_rule *rule = &policy->rules.items[i];
        rule->arguments = observe_judging(rule->arguments);
        rule->results = observe_judging(rule->results);
        rule->over = rule->over ? BT_WRAP_OVER_WARN : rule->over;
        rule->fail = rule->fail ? BT_WRAP_FAILING_OPEN : rule->fail;
    }
}

bool bt_wrap_policy_approves(const struct bt_wrap_policy *policy)
{
    bool approves = false;
    for (size_t i = 0; i < policy->rules.count; i++) {
        approves = approves || policy->rules.items[i].approve == BT_WRAP_CHOICE_YES;
    }
    return approves;
}

/* ---- Canonical JSON -------------------------------------------------------------------------- */

static void put_word(struct bt_emit *emit, const struct bt_config_row *row, unsigned value)
{
    if (row->type == BT_CONFIG_SWITCH) {
        bt_emit_bool(emit, value == BT_WRAP_CHOICE_YES);
    } else if (row->type == BT_CONFIG_TEXT) {
        bt_emit_string(emit, bt_str_of(row->words[value - 1]));
    } else {
        bt_emit_begin_array(emit);
        for (unsigned i = 0; row->words[i]; i++) {
            if (value & (1U << i)) {
                bt_emit_string(emit, bt_str_of(row->words[i]));
            }
        }
        bt_emit_end(emit);
    }
}

static void put_rule(struct bt_emit *emit, const struct bt_wrap_rule *rule)
{
    bt_emit_begin_object(emit);
    for (size_t i = 0; i < BT_COUNT_OF(rule_fields); i++) {
        const struct wrap_policy_field *field = &rule_fields[i];
        const struct bt_config_row *row = rule_row_of(field);
        if (row->type == BT_CONFIG_LIST) {
            const struct bt_str_list *list =
                (const struct bt_str_list *)(const void *)((const char *)rule + field->offset);
            if (list->count > 0) {
                bt_emit_member_texts(emit, field->key.ptr, list->items, list->count);
            }
        } else if (row->type == BT_CONFIG_NUMBER && get_number(rule, field) != BT_WRAP_UNSET) {
            bt_emit_member_u64(emit, field->key.ptr, get_number(rule, field));
        } else if (row->type != BT_CONFIG_NUMBER && get_unsigned(rule, field) != 0) {
            bt_emit_name_str(emit, field->key);
            put_word(emit, row, get_unsigned(rule, field));
        }
    }
    bt_emit_end(emit);
}

static void put_field(struct bt_emit *emit, const struct bt_wrap_policy *policy,
                      const struct wrap_policy_field *field)
{
    const struct bt_config_row *row = row_of(field);
    bt_emit_name_str(emit, field->key);
    if (row->type == BT_CONFIG_MAPPINGS) {
        bt_emit_begin_array(emit);
        for (size_t i = 0; i < policy->rules.count; i++) {
            put_rule(emit, &policy->rules.items[i]);
        }
        bt_emit_end(emit);
    } else if (row->type != BT_CONFIG_NUMBER) {
        put_word(emit, row, get_unsigned(policy, field));
    } else if (get_number(policy, field) == BT_WRAP_UNSET) {
        bt_emit_null(emit);
    } else {
        bt_emit_u64(emit, get_number(policy, field));
    }
}

void bt_wrap_policy_put(const struct bt_wrap_policy *policy, struct bt_buf *buf)
{
    bt_str group = BT_STR("");
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    for (size_t i = 0; i < BT_COUNT_OF(policy_fields); i++) {
        const struct wrap_policy_field *field = &policy_fields[i];
        if (!bt_str_eq(group, field->group)) {
            if (group.len > 0) {
                bt_emit_end(&emit);
            }
            group = field->group;
            if (group.len > 0) {
                bt_emit_member_object(&emit, group.ptr);
            }
        }
        put_field(&emit, policy, field);
    }
    bt_emit_end(&emit);
}

enum bt_status bt_wrap_policy_digest(const struct bt_wrap_policy *policy,
                                     char out[BT_SHA256_HEX_BYTES])
{
    struct bt_buf buf;
    bt_buf_init(&buf, POLICY_BYTES_MAX);
    bt_wrap_policy_put(policy, &buf);
    enum bt_status status = bt_buf_status(&buf);
    if (status == BT_OK) {
        status = bt_sha256_hex(bt_buf_str(&buf), out);
    }
    bt_buf_free(&buf);
    return status;
}
