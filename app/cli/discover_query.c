/* SPDX-License-Identifier: Apache-2.0 */
/*
 * discover_query.c - the query of `baton discover`: from its flags and, where these are absent,
 * from a handoff.
 */
#include "discover_query.h"

#include <string.h>

#include <baton/json.h>

#include "dialect/universal/universal.h"
#include "input.h"
#include "output.h"

enum { TOP_USUAL = 5 };

struct cli_discover_reader {
    const struct cli_options *options;
    struct bt_env *env;
    struct bt_arena *arena;
    const struct bt_json_doc *document;
    struct cli_discover_query *query;
};

/* The string at a pointer, or "". */
static bt_str text_at(const struct cli_discover_reader *reader, const char *pointer)
{
    const bt_json_value *value =
        bt_json_resolve(reader->document, bt_json_root(reader->document), bt_str_of(pointer));
    return value ? bt_json_text(value) : BT_STR("");
}

static bool has_text(const struct bt_optional_str_list *texts, bt_str text)
{
    for (size_t i = 0; i < texts->count; i++) {
        if (bt_str_eq(texts->items[i], text)) {
            return true;
        }
    }
    return false;
}

/* The strings of an array: the items, or their member `name`; each once. */
static enum bt_status strings_of(const struct cli_discover_reader *reader, const char *pointer,
                                 const char *name, struct bt_optional_str_list *out)
{
    const bt_json_value *array =
        bt_json_resolve(reader->document, bt_json_root(reader->document), bt_str_of(pointer));
    const bt_json_value *items = array ? bt_json_items(array) : NULL;
    const size_t count = items ? bt_json_count(array) : 0;
    bt_str *texts = BT_NEW_ARRAY(reader->arena, bt_str, count);
    if (!texts) {
        return BT_ENOMEM;
    }
    *out = (struct bt_optional_str_list){texts, 0, items != NULL};
    for (size_t i = 0; i < count; i++) {
        const bt_json_value *item =
            name ? bt_json_get(reader->document, &items[i], bt_str_of(name)) : &items[i];
        if (item && bt_json_type(item) == BT_JSON_STRING &&
            !(name && has_text(out, bt_json_text(item)))) {
            texts[out->count++] = bt_json_text(item);
        }
    }
    return BT_OK;
}

static bt_str category_of(const struct cli_discover_reader *reader)
{
    static const struct cli_discover_input_kind {
        const char *problem;
        const char *category;
    } kinds[] = {
        {"implementation", "implementation"}, {"research", "research"},
        {"verification", "verification"},     {"creative", "creative"},
        {"analytical", "analysis"},           {"strategic", "decision-support"},
        {"decision", "decision-support"},
    };
    const bt_str category = text_at(reader, "/handoff/target/category");
    const bt_str problem = text_at(reader, "/handoff/context/problem_type");
    for (size_t i = 0; category.len == 0 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (bt_str_eq(bt_str_of(kinds[i].problem), problem)) {
            return bt_str_of(kinds[i].category);
        }
    }
    return category;
}

/* Without a chain, the source alone is the chain. */
static enum bt_status chain_of(const struct cli_discover_reader *reader,
                               struct bt_optional_str_list *out)
{
    BT_TRY(strings_of(reader, "/handoff/meta/handoff_chain", NULL, out));
    if (out->given) {
        return BT_OK;
    }
    bt_str *source = BT_NEW_ARRAY(reader->arena, bt_str, 1);
    if (!source) {
        return BT_ENOMEM;
    }
    source[0] = reader->query->wanted.source;
    *out = (struct bt_optional_str_list){source, 1, true};
    return BT_OK;
}

/* Judge a handoff that cannot be read or does not name its source, as `check` does. */
static enum bt_status judge_unusable(struct cli_discover_reader *reader,
                                     const struct cli_input *input)
{
    struct bt_universal_options universal = bt_universal_options_default();
    universal.no_refs = true;
    const struct bt_check_options options = {.dialect = BT_DIALECT_UNIVERSAL,
                                             .universal = &universal};
    reader->query->is_unusable = true;
    return bt_check(reader->env, reader->arena, input->path, input->content, &options,
                    &reader->query->judged);
}

static enum bt_status read_handoff(struct cli_discover_reader *reader,
                                   const struct cli_input *input)
{
    const struct bt_json_options options = bt_json_options_from_env(reader->env);
    struct bt_skill_query *wanted = &reader->query->wanted;
    struct bt_json_read_result result;
    /* from: file */
    BT_TRY(bt_json_read(reader->arena, input->content, &options, &result));
    reader->document = result.document;
    if (!result.document || text_at(reader, "/handoff/source/skill").len == 0) {
        return judge_unusable(reader, input);
    }
    wanted->source = text_at(reader, "/handoff/source/skill");
    wanted->version = text_at(reader, "/handoff/version");
    wanted->category = category_of(reader);
    BT_TRY(chain_of(reader, &wanted->chain));
    return strings_of(reader, "/handoff/payload/session/artifacts", "type", &wanted->inputs);
}

static bool take_source(struct cli_discover_reader *reader)
{
    const char *file = cli_given(reader->options, &flag_discover_for);
    const char *from = cli_given(reader->options, &flag_discover_from);
    struct cli_input input;
    if (!file == !from) {
        return cli_refuse_usage(reader->options, "say for whom: --for HANDOFF or --from SKILL");
    }
    if (from) {
        reader->query->wanted.source = bt_str_of(from);
        reader->query->wanted.version = BT_STR("3.0");
        return true;
    }
    if (!cli_input_read(reader->arena, file, reader->env->limits.document_bytes, &input)) {
        return false;
    }
    const enum bt_status status = read_handoff(reader, &input);
    return status == BT_OK || cli_refuse("cannot read %s: %s", file, bt_status_text(status));
}

static bool take_inputs(struct cli_discover_reader *reader)
{
    size_t count = 0;
    while (cli_given_at(reader->options, &flag_discover_input, count)) {
        count++;
    }
    bt_str *inputs = BT_NEW_ARRAY(reader->arena, bt_str, count);
    if (!inputs) {
        return cli_refuse_status(BT_ENOMEM);
    }
    struct bt_optional_str_list taken = {inputs, 0, true};
    for (size_t i = 0; i < count; i++) {
        const bt_str type = bt_str_of(cli_given_at(reader->options, &flag_discover_input, i));
        if (!has_text(&taken, type)) {
            inputs[taken.count++] = type;
        }
    }
    if (count > 0) {
        reader->query->wanted.inputs = taken;
    }
    return true;
}

/* Read names separated by commas. */
static bool take_chain(struct cli_discover_reader *reader)
{
    const char *given = cli_given(reader->options, &flag_discover_chain);
    const bt_str text = bt_str_of(given);
    bt_str *names = BT_NEW_ARRAY(reader->arena, bt_str, text.len + 1);
    if (!names) {
        return cli_refuse_status(BT_ENOMEM);
    }
    struct bt_optional_str_list chain = {names, 0, true};
    for (size_t from = 0; from < text.len;) {
        const size_t comma = bt_str_find_byte(text, ',', from);
        if (comma > from) {
            names[chain.count++] = bt_str_slice(text, from, comma);
        }
        from = comma + 1;
    }
    if (given) {
        reader->query->wanted.chain = chain;
    }
    return true;
}

static bool take_autonomy(struct cli_discover_reader *reader)
{
    const char *given = cli_given(reader->options, &flag_discover_autonomy);
    const bool is_true = given && strcmp(given, "true") == 0;
    if (given && !is_true && strcmp(given, "false") != 0) {
        return cli_refuse_usage(reader->options, "--autonomy wants true or false, not %s", given);
    }
    if (given) {
        reader->query->wanted.autonomy = is_true ? BT_SKILL_ANSWER_YES : BT_SKILL_ANSWER_NO;
    }
    return true;
}

static bool take_top(struct cli_discover_reader *reader)
{
    const char *given = cli_given(reader->options, &flag_discover_top);
    uint64_t top = TOP_USUAL;
    if (given && (bt_str_to_u64(bt_str_of(given), &top) != BT_OK || top == 0)) {
        return cli_refuse_usage(reader->options, "--top wants a whole number from 1, not %s",
                                given);
    }
    reader->query->wanted.top = (size_t)top;
    return true;
}

bool discover_query_read(const struct cli_options *options, struct bt_env *env,
                         struct bt_arena *arena, struct cli_discover_query *out)
{
    *out = (struct cli_discover_query){0};
    struct cli_discover_reader reader = {
        .options = options, .env = env, .arena = arena, .query = out};
    if (!take_top(&reader) || !take_autonomy(&reader) || !take_source(&reader) ||
        !take_inputs(&reader) || !take_chain(&reader)) {
        return false;
    }
    const char *category = cli_given(options, &flag_discover_category);
    if (category) {
        out->wanted.category = bt_str_of(category);
    }
    out->wanted.authorized = cli_given(options, &flag_discover_authorized) != NULL;
    return true;
}
