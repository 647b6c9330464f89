/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_differential.c - every mode gives the same answer, on schemas and instances made at random
 * and on real ones with mutations.
 *
 * BATON_ROUNDS in the environment multiplies the number of tries, for long runs outside of CI;
 * BATON_LONG stands for BATON_ROUNDS=4.
 */
#include <dirent.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/str.h"
#include "documents.h"
#include "modes.h"
#include "mutate.h"
#include "random_schema.h"

/* Our own sets of schemas and instances, and larger ones of others that may lie beside the tree. */
#define OWN_SETS BATON_SCHEMA_TESTS "/real"
#define BENCH_SETS BATON_SHARED_DATA "/schema-bench"
#define MORE_BENCH_SETS BATON_SHARED_DATA "/schema-bench-2"
#define TEXT_BYTES_MAX ((size_t)64 << 20)

#ifndef SEEDS
#define SEEDS 400 /* schemas of one draft */
#endif

enum {
    MUTATIONS = 6,         /* of one instance */
    BENCH_INSTANCES = 8,   /* of one real schema */
    BENCH_BYTES = 1 << 16, /* of one real instance */
};

static const enum bt_schema_draft drafts[] = {
    BT_SCHEMA_DRAFT_3,       BT_SCHEMA_DRAFT_4,       BT_SCHEMA_DRAFT_6,  BT_SCHEMA_DRAFT_7,
    BT_SCHEMA_DRAFT_2019_09, BT_SCHEMA_DRAFT_2020_12, BT_SCHEMA_DRAFT_V1,
};

static const char *const verdict_names[] = {"none", "invalid", "valid"};

/* One schema, opened in every mode, and what became of the questions about it. */
struct contest {
    const struct bt_json_doc *schema;
    void *opened[8];
    size_t verdicts[3];
    size_t refused; /* instances that are not documents */
};

static size_t rounds(void)
{
    const char *text = getenv("BATON_ROUNDS");
    uint64_t number = getenv("BATON_LONG") ? 4 : 1;
    if (text) {
        assert_int_equal(bt_str_to_u64(bt_str_of(text), &number), BT_OK);
    }
    return (size_t)number;
}

static void open_all(struct contest *contest, const struct bt_json_doc *schema,
                     const struct judge_options *options)
{
    assert_true(modes_count <= COUNT_OF(contest->opened));
    contest->schema = schema;
    for (size_t i = 0; i < modes_count; i++) {
        contest->opened[i] = modes[i].open(schema, options);
        assert_non_null(contest->opened[i]);
    }
}

static void close_all(struct contest *contest)
{
    for (size_t i = 0; i < modes_count; i++) {
        modes[i].close(contest->opened[i]);
    }
}

/*
 * Ask every mode twice; all must say what the first said first. Where that one has no answer, a
 * faster one may have: it does every piece of work as often as the schema asks for it.
 */
static enum verdict ask_all(struct contest *contest, const struct bt_json_doc *instance)
{
    const enum verdict verdict = modes[0].judge(contest->opened[0], instance);
    contest->verdicts[verdict]++;
    for (size_t i = 0; verdict != VERDICT_NONE && i < 2 * modes_count; i++) {
        const size_t mode = i % modes_count;
        const enum verdict other = modes[mode].judge(contest->opened[mode], instance);
        if (other != verdict) {
            const bt_str schema = bt_json_source(contest->schema);
            const bt_str text = bt_json_source(instance);
            fail_msg("%s says %s (%s), %s says %s (%s)\n%.*s\n%.*s", modes[0].name,
                     verdict_names[verdict], modes[0].reason(contest->opened[0]), modes[mode].name,
                     verdict_names[other], modes[mode].reason(contest->opened[mode]),
                     BT_STR_ARG(schema), BT_STR_ARG(text));
        }
    }
    return verdict;
}

/* Ask about the instance and about mutations of it, each of which may be mutated further. */
static void ask_mutations(struct contest *contest, const struct bt_json_doc *instance,
                          uint64_t seed, size_t count)
{
    struct bt_arena arena;
    struct bt_buf buf;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    const struct bt_json_doc *current = instance;
    for (size_t i = 0; i < count; i++) {
        bt_str text;
        bt_buf_clear(&buf);
        mutate(&buf, current, seed * 1000 + i);
        assert_int_equal(bt_buf_copy(&buf, &arena, &text), BT_OK);
        const struct bt_json_doc *mutant = read_document(&arena, text);
        if (!mutant) {
            contest->refused++;
            continue;
        }
        (void)ask_all(contest, mutant);
        current = i % 3 == 2 ? instance : mutant;
    }
    bt_buf_free(&buf);
    bt_arena_free(&arena);
}

static void contend_by_rng(enum bt_schema_draft draft, uint64_t seed, struct contest *totals)
{
    struct bt_arena arena;
    struct bt_buf buf;
    bt_str text;
    const struct judge_options options = {.draft = draft, .assert_formats = seed % 2 == 0};
    struct contest contest = {0};
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    random_instance(&buf, seed);
    assert_int_equal(bt_buf_copy(&buf, &arena, &text), BT_OK);
    const struct bt_json_doc *instance = read_text(&arena, text);
    bt_buf_clear(&buf);
    random_schema(&buf, seed, draft, instance);
    assert_int_equal(bt_buf_copy(&buf, &arena, &text), BT_OK);
    open_all(&contest, read_text(&arena, text), &options);
    (void)ask_all(&contest, instance);
    ask_mutations(&contest, instance, seed, MUTATIONS);
    close_all(&contest);
    for (size_t i = 0; i < COUNT_OF(totals->verdicts); i++) {
        totals->verdicts[i] += contest.verdicts[i];
    }
    totals->refused += contest.refused;
    bt_buf_free(&buf);
    bt_arena_free(&arena);
}

static void all_modes_agree_on_schemas_made_by_rng(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(drafts); i++) {
        struct contest totals = {0};
        const size_t seeds = SEEDS * rounds();
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            contend_by_rng(drafts[i], seed, &totals);
        }
        fprintf(stderr, "draft %d: %zu valid, %zu invalid, %zu undecided, %zu no documents\n",
                (int)drafts[i], totals.verdicts[VERDICT_VALID], totals.verdicts[VERDICT_INVALID],
                totals.verdicts[VERDICT_NONE], totals.refused);
        /* Schemas to which everything is the same would show nothing. */
        assert_true(totals.verdicts[VERDICT_NONE] < seeds / 20);
        assert_true(totals.verdicts[VERDICT_VALID] > seeds / 2);
        assert_true(totals.verdicts[VERDICT_INVALID] > seeds / 2);
        assert_true(totals.refused < seeds);
    }
}

/* ---- Choices: what code_switch.c, patterns of properties and unique objects are about ---- */

/* An object with some of the members that the branches below speak of. */
static void put_object(struct bt_buf *out, struct rng *rng, size_t kinds, size_t depth)
{
    bt_buf_printf(out, "{\"end\":0");
    const size_t kind = rng_below(rng, 9);
    if (kind > 0) {
        bt_buf_printf(out,
                      kind == 1   ? ",\"kind\":%zu"
                      : kind == 2 ? ",\"kind\":\"k\",\"%zu\":0"
                                  : ",\"kind\":\"k%zu\"",
                      rng_below(rng, kinds + 1));
    }
    for (size_t i = 0; i < 4; i++) {
        if (rng_below(rng, 2) == 0) {
            bt_buf_printf(out, ",\"m%zu\":%zu", i, rng_below(rng, 3));
        }
    }
    if (rng_below(rng, 3) == 0) {
        bt_buf_printf(out, rng_below(rng, 3) == 0 ? ",\"x-1\":\"\"" : ",\"x-1\":1");
    }
    if (rng_below(rng, 3) == 0) {
        bt_buf_printf(out, ",\"list\":[0");
        for (size_t i = rng_below(rng, 20); i > 0; i--) {
            const size_t form = rng_below(rng, 9);
            bt_buf_printf(out,
                          form < 5   ? ",{\"a\":%zu,\"b\":%zu}"
                          : form < 8 ? ",{\"b\":%zu,\"a\":%zu}"
                                     : ",{\"a\":%zu,\"b\":[%zu]}",
                          rng_below(rng, 9), rng_below(rng, 9));
        }
        bt_buf_printf(out, "]");
    }
    if (depth > 0 && rng_below(rng, 2) == 0) {
        bt_buf_printf(out, ",\"next\":");
        put_object(out, rng, kinds, depth - 1);
    }
    bt_buf_printf(out, "}");
}

static void put_required(struct bt_buf *out, struct rng *rng)
{
    bt_buf_printf(out, "\"required\":[\"end\"");
    for (size_t i = 0; i < 4; i++) {
        if (rng_below(rng, 4) == 0) {
            bt_buf_printf(out, ",\"m%zu\"", i);
        }
    }
    bt_buf_printf(out, rng_below(rng, 2) == 0 ? ",\"kind\"]" : "]");
}

static void put_branch(struct bt_buf *out, struct rng *rng, size_t number, bool is_deep)
{
    bt_buf_printf(out, "{\"properties\":{\"m1\":{\"maximum\":1},\"list\":{\"uniqueItems\":true}");
    if (is_deep) {
        bt_buf_printf(out, ",\"next\":{\"$ref\":\"#\"}");
    }
    if (rng_below(rng, 8) != 0) {
        const size_t form = rng_below(rng, 12);
        bt_buf_printf(out,
                      form < 6    ? ",\"kind\":{\"const\":\"k%zu\"}"
                      : form < 11 ? ",\"kind\":{\"enum\":[\"k%zu\",\"k\"]}"
                                  : ",\"kind\":{\"enum\":[%zu,\"k\",[]]}",
                      number);
    }
    bt_buf_printf(out, "},");
    put_required(out, rng);
    if (rng_below(rng, 3) == 0) {
        bt_buf_printf(out, ",\"%s\":[{", rng_below(rng, 2) == 0 ? "anyOf" : "oneOf");
        put_required(out, rng);
        bt_buf_printf(out, "},{");
        put_required(out, rng);
        bt_buf_printf(out, "}]");
    }
    if (rng_below(rng, 2) == 0) {
        bt_buf_printf(out, ",\"patternProperties\":{\"%s\":{\"type\":\"integer\"}}",
                      rng_below(rng, 3) == 0 ? "1$" : "^x-");
    }
    if (rng_below(rng, 3) == 0) {
        bt_buf_printf(out, ",\"additionalProperties\":%s",
                      rng_below(rng, 2) == 0 ? "{\"type\":[\"integer\",\"string\"]}" : "false");
    }
    bt_buf_printf(out, "}");
}

static void contend_on_choice(uint64_t seed, struct contest *totals)
{
    struct rng rng = {seed};
    struct bt_arena arena;
    struct bt_buf buf;
    bt_str text;
    const struct judge_options options = {.draft = drafts[1 + seed % 5]};
    struct contest contest = {0};
    const size_t branches = rng_below(&rng, 6) == 0 ? 30 + rng_below(&rng, 60) : 2 + seed % 5;
    const bool is_deep = rng_below(&rng, 2) == 0;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    bt_buf_printf(&buf, "{\"%s\":[", rng_below(&rng, 2) == 0 ? "anyOf" : "oneOf");
    for (size_t i = 0; i < branches; i++) {
        bt_buf_put(&buf, i == 0 ? BT_STR("") : BT_STR(","));
        put_branch(&buf, &rng, i, is_deep);
    }
    bt_buf_printf(&buf, "]}");
    assert_int_equal(bt_buf_copy(&buf, &arena, &text), BT_OK);
    open_all(&contest, read_text(&arena, text), &options);
    for (size_t i = 0; i < 20; i++) {
        bt_buf_clear(&buf);
        put_object(&buf, &rng, branches, branches > 8 ? 1 : 2); /* the naive one tries them all */
        assert_int_equal(bt_buf_copy(&buf, &arena, &text), BT_OK);
        (void)ask_all(&contest, read_text(&arena, text));
    }
    close_all(&contest);
    for (size_t i = 0; i < COUNT_OF(totals->verdicts); i++) {
        totals->verdicts[i] += contest.verdicts[i];
    }
    bt_buf_free(&buf);
    bt_arena_free(&arena);
}

static void all_modes_agree_on_choices_made_by_rng(void **state)
{
    (void)state;
    struct contest totals = {0};
    const size_t seeds = SEEDS / 10 * rounds();
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        contend_on_choice(seed, &totals);
    }
    fprintf(stderr, "choices: %zu valid, %zu invalid, %zu undecided\n",
            totals.verdicts[VERDICT_VALID], totals.verdicts[VERDICT_INVALID],
            totals.verdicts[VERDICT_NONE]);
    assert_true(totals.verdicts[VERDICT_VALID] > seeds);
    assert_true(totals.verdicts[VERDICT_INVALID] > seeds);
    assert_int_equal(totals.verdicts[VERDICT_NONE], 0);
}

/* Blocks that a quick look stands in front of, and values at the edges of each. */
static const char *const quick_schemas[] = {
    "{\"minimum\":2,\"maximum\":5}",
    "{\"type\":\"integer\",\"exclusiveMinimum\":2,\"maximum\":5}",
    "{\"type\":[\"integer\",\"string\"],\"minimum\":2.5,\"minLength\":2,\"maxLength\":3}",
    "{\"maximum\":9223372036854775807,\"minimum\":-9223372036854775808}",
    "{\"minimum\":5,\"maximum\":2}",
    "{\"minLength\":3,\"maxLength\":2}",
    "{\"enum\":[\"ab\",\"abc\",\"sixteen bytes !!\",null,true,3]}",
    "{\"enum\":[\"ab\",\"a word of more than 16 bytes\",2]}",
    "{\"const\":\"ab\"}",
    "{\"type\":\"string\",\"enum\":[\"ab\",3,false]}",
    /* types behind other keywords */
    "{\"allOf\":[{\"type\":\"integer\",\"minimum\":2},{\"type\":\"string\",\"minLength\":2}]}",
    "{\"allOf\":[{\"minimum\":2},{\"type\":\"string\"}]}",
    "{\"allOf\":[{\"maxLength\":2},{\"type\":\"integer\"}]}",
    "{\"allOf\":[{\"enum\":[\"ab\",2]},{\"type\":\"string\"}]}",
};

#define QUICK_VALUES                                                                               \
    "1,2,3,5,6,2.0,2.5,2.0000000000000001,1.9999999999999999,5.0000000000000001,3e0,1e400,-1e400," \
    "9223372036854775807,9223372036854775808,-9223372036854775809,null,true,false,[],{},\"\","     \
    "\"a\",\"ab\",\"abc\",\"abd\",\"abcd\",\"\\u0061b\",\"\xc3\xa9\",\"\xc3\xa9\xc3\xa9\","        \
    "\"\xc3\xa9zz\","                                                                              \
    "\"sixteen bytes !!\",\"sixteen bytes !?\",\"a word of more than 16 bytes\",[2,3,7],[2,3]"

static enum verdict ask_text(struct contest *contest, struct bt_arena *arena, const char *text)
{
    bt_str copy;
    assert_int_equal(bt_arena_copy(arena, bt_str_of(text), &copy), BT_OK);
    return ask_all(contest, read_text(arena, copy));
}

/* Each value as an item by the schema: once far from the end of the source, and once near it. */
static void agree_on_items(const char *schema, bt_str values, size_t verdicts[VERDICT_VALID + 1])
{
    struct bt_arena arena;
    char text[512];
    const struct judge_options options = {.draft = BT_SCHEMA_DRAFT_2020_12};
    struct contest contest = {0};
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    const struct bt_json_doc *all = read_text(&arena, values);
    (void)snprintf(text, sizeof(text), "{\"items\":%s,\"prefixItems\":[true]}", schema);
    bt_str copy;
    assert_int_equal(bt_arena_copy(&arena, bt_str_of(text), &copy), BT_OK);
    open_all(&contest, read_text(&arena, copy), &options);
    const bt_json_value *items = bt_json_items(bt_json_root(all));
    for (size_t k = 0; k < bt_json_count(bt_json_root(all)); k++) {
        const struct bt_json_span span = bt_json_span(all, &items[k]);
        const bt_str value = bt_str_slice(bt_json_source(all), span.begin, span.end);
        (void)snprintf(text, sizeof(text), "[0,%.*s,%.*s]", BT_STR_ARG(value), BT_STR_ARG(value));
        verdicts[ask_text(&contest, &arena, text)]++;
        (void)snprintf(text, sizeof(text), "[\"%s\",%.*s,\"ab\"]", "0123456789abcdef",
                       BT_STR_ARG(value));
        verdicts[ask_text(&contest, &arena, text)]++;
    }
    close_all(&contest);
    bt_arena_free(&arena);
}

static void all_modes_agree_at_the_edges_of_quick_looks(void **state)
{
    (void)state;
    size_t verdicts[VERDICT_VALID + 1] = {0};
    for (size_t i = 0; i < COUNT_OF(quick_schemas); i++) {
        agree_on_items(quick_schemas[i], BT_STR("[" QUICK_VALUES "]"), verdicts);
    }
    assert_true(verdicts[VERDICT_VALID] > 100 && verdicts[VERDICT_INVALID] > 100);
    assert_int_equal(verdicts[VERDICT_NONE], 0);
}

/* One for each way to judge members. */
static const char *const object_schemas[] = {
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":[\"a\"]}",
    "{\"type\":\"object\",\"properties\":{\"a\":{\"maximum\":3},\"b\":{\"items\":{\"type\":"
    "\"integer\"}}}}",
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":\"array\"},"
    "\"c\":{\"type\":\"null\"}},\"required\":[\"a\",\"c\"]}",
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":[\"b\"],"
    "\"additionalProperties\":{\"type\":\"array\"}}",
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":[\"b\"],"
    "\"anyOf\":[{\"properties\":{\"b\":{\"type\":\"array\"}}},{\"additionalProperties\":{\"type\":"
    "\"integer\"}}],\"unevaluatedProperties\":false}",
    "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}}",
    "{\"type\":\"array\",\"uniqueItems\":true}",
};

#define OBJECT_VALUES                                                                              \
    "{},{\"a\":1},{\"a\":\"x\"},{\"a\":4},{\"a\":1,\"b\":[1,2]},{\"b\":[1],\"a\":2},{\"b\":["      \
    "\"x\"]},"                                                                                     \
    "{\"b\":1},{\"a\":1,\"c\":null},{\"c\":null},{\"c\":1,\"a\":1},{\"aa\":1},{\"a\":1,\"d\":[]}," \
    "{\"\\u0061\":1},{\"\\u0061\":\"x\"},{\"a name of more than 16 bytes\":1,\"a\":1},"            \
    "{\"a name of more than 16 "                                                                   \
    "bytes\":[],\"b\":[]},1,null,[],[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}],"                        \
    "[{\"a\":1,\"b\":2},{\"b\":1,\"a\":2}],[{\"a\":1},{\"a\":1.0}],[{\"a\":1},{\"b\":1}],[1,1.0]," \
    "[1,"                                                                                          \
    "\"1\"],[\"ab\",\"ac\"],[\"ab\",\"ab\"],[\"ab\",\"\\u0061b\"],[[],{}],[[1],[1]],[null,null]"

static void all_modes_agree_on_lists_of_objects(void **state)
{
    (void)state;
    size_t verdicts[VERDICT_VALID + 1] = {0};
    for (size_t i = 0; i < COUNT_OF(object_schemas); i++) {
        agree_on_items(object_schemas[i], BT_STR("[" OBJECT_VALUES "]"), verdicts);
    }
    assert_true(verdicts[VERDICT_VALID] > 20 && verdicts[VERDICT_INVALID] > 20);
    assert_int_equal(verdicts[VERDICT_NONE], 0);
}

static bt_str take_line(bt_str *text)
{
    const size_t end = bt_str_find_byte(*text, '\n', 0);
    const bt_str line = bt_str_slice(*text, 0, end);
    *text = bt_str_slice(*text, end + 1, text->len);
    return line;
}

/* A few instances of a set, spread over all of it; they are valid as they stand, unless its name
 * says otherwise. */
static void contend_on_set(const char *folder, const char *name, struct contest *totals)
{
    char path[TEST_PATH_BYTES];
    struct bt_arena arena;
    bt_str text;
    const struct judge_options options = {.draft = BT_SCHEMA_DRAFT_2020_12};
    struct contest contest = {0};
    const bool is_invalid = strstr(name, "-invalid") != NULL;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    (void)snprintf(path, sizeof(path), "%s/%s/schema.json", folder, name);
    open_all(&contest, read_document_file(&arena, path), &options);
    (void)snprintf(path, sizeof(path), "%s/%s/instances.jsonl", folder, name);
    assert_int_equal(bt_file_read(&arena, bt_str_of(path), TEXT_BYTES_MAX, &text, NULL), BT_OK);
    const size_t step = text.len / (BENCH_INSTANCES * rounds()) + 1;
    for (size_t at = 0, next = 0; text.len > 0;) {
        const bt_str line = take_line(&text);
        const struct bt_json_doc *instance =
            at >= next && line.len < BENCH_BYTES ? read_document(&arena, line) : NULL;
        at += line.len + 1;
        if (instance) {
            next = at + step;
            if ((ask_all(&contest, instance) == VERDICT_VALID) == is_invalid) {
                fail_msg("%s: %s %.*s", name, modes[0].reason(contest.opened[0]), BT_STR_ARG(line));
            }
            ask_mutations(&contest, instance, at, 4 * MUTATIONS);
        }
    }
    close_all(&contest);
    fprintf(stderr, "%s: %zu valid, %zu invalid, %zu undecided\n", name,
            contest.verdicts[VERDICT_VALID], contest.verdicts[VERDICT_INVALID],
            contest.verdicts[VERDICT_NONE]);
    totals->verdicts[VERDICT_VALID] += contest.verdicts[VERDICT_VALID];
    totals->verdicts[VERDICT_INVALID] += contest.verdicts[VERDICT_INVALID];
    bt_arena_free(&arena);
}

/* False when there is no such folder. */
static bool contend_on_sets(const char *path, struct contest *totals)
{
    DIR *folder = opendir(path);
    if (!folder) {
        return false;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        /* The naive interpreter does not come to an end with this one. */
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "recursive") != 0) {
            contend_on_set(path, entry->d_name, totals);
        }
    }
    assert_int_equal(closedir(folder), 0);
    return true;
}

static void sets_agree(const char *path, size_t more_than)
{
    struct contest totals = {0};
    assert_true(contend_on_sets(path, &totals));
    assert_true(totals.verdicts[VERDICT_VALID] > more_than);
    assert_true(totals.verdicts[VERDICT_INVALID] > more_than);
}

static void all_modes_agree_on_mutations_of_real_instances(void **state)
{
    (void)state;
    sets_agree(OWN_SETS, 100);
}

static void all_modes_agree_on_mutations_of_benchmark_instances(void **state)
{
    (void)state;
    sets_agree(BENCH_SETS, 100);
    sets_agree(MORE_BENCH_SETS, 10); /* most of these have one document */
}

/* Whatever is changed, the result can be read, or repeats a name. */
static void a_mutation_is_json_unless_it_repeats_a_name(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_buf buf;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    size_t changed = 0;
    for (uint64_t seed = 0; seed < 5000; seed++) {
        bt_str text;
        struct bt_json_read_result read = {0};
        bt_arena_reset(&arena);
        bt_buf_clear(&buf);
        random_instance(&buf, seed / 5);
        assert_int_equal(bt_buf_copy(&buf, &arena, &text), BT_OK);
        const struct bt_json_doc *instance = read_text(&arena, text);
        bt_buf_clear(&buf);
        mutate(&buf, instance, seed);
        assert_int_equal(bt_json_read(&arena, bt_buf_str(&buf), NULL, &read), BT_OK);
        if (read.code != BT_JSON_ERROR_NONE && read.code != BT_JSON_ERROR_DUPLICATE_KEY) {
            fail_msg("%s: %.*s", read.detail, BT_STR_ARG(bt_buf_str(&buf)));
        }
        changed += !bt_str_eq(text, bt_buf_str(&buf));
    }
    assert_true(changed > 4000);
    bt_buf_free(&buf);
    bt_arena_free(&arena);
}

/* Our own questions, or with the argument `public` those of the public benchmark. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mutation_is_json_unless_it_repeats_a_name),
        cmocka_unit_test(all_modes_agree_on_schemas_made_by_rng),
        cmocka_unit_test(all_modes_agree_on_choices_made_by_rng),
        cmocka_unit_test(all_modes_agree_at_the_edges_of_quick_looks),
        cmocka_unit_test(all_modes_agree_on_lists_of_objects),
        cmocka_unit_test(all_modes_agree_on_mutations_of_real_instances),
    };
    const struct CMUnitTest benchmark[] = {
        cmocka_unit_test(all_modes_agree_on_mutations_of_benchmark_instances),
    };
    if (argc < 2 || strcmp(argv[1], "public") != 0) {
        return RUN_TESTS(tests);
    }
    if (access(BENCH_SETS, R_OK) != 0) {
        (void)printf(
            "1..0 # SKIP the public benchmark data is not in ../shared/data/schema-bench\n");
        return 0;
    }
    return RUN_TESTS(benchmark);
}
