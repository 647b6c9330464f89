/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_entry.c - entries: the walk along their spelling beside the JSON Schema engine and the
 * canonical writer, and the rules beyond.
 */
#include "test.h"

#include <baton/check.h>
#include <baton/json.h>
#include <baton/schema.h>

#include "ledger/entry_template.h"
#include "log.h"
#include "schema/builtin.h"
#include "schema/options.h"

#define SHA "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
#define RAW                                                                                        \
    "{\"actor\":\"cli\",\"codes\":[],\"dialect\":\"raw\",\"document\":{\"kept\":true,\"sha256\":"  \
    "\"" SHA                                                                                       \
    "\",\"size\":6},\"kind\":\"raw\",\"seq\":0,\"time\":\"2026-02-11T00:45:02.000Z\",\"v\":1,"     \
    "\"verdict\":\"recorded\"}"
#define RICH                                                                                       \
    "{\"actor\":\"serve/"                                                                          \
    "x\",\"attest\":{\"boundaries_respected\":true,\"composition_valid\":false,"                   \
    "\"source_agent_verified\":true,\"target_agent_verified\":true},\"codes\":[\"AB\",\"AC_1\"],"  \
    "\"dialect\":\"governed\",\"document\":{\"kept\":false,\"sha256\":\"" SHA                      \
    "\",\"size\":9007199254740991,\"truncated\":true},\"handoff_id\":\"h-1\",\"kind\":"            \
    "\"handoff\","                                                                                 \
    "\"refs\":{\"attempts\":3,\"lock\":\"" SHA "\",\"parent\":6,\"reason\":\"two words, or 3\"},"  \
    "\"seq\":7,\"source\":\"a\",\"time\":\"2026-02-11T00:45:02.000Z\",\"v\":1,"                    \
    "\"verdict\":\"rejected\",\"withheld\":[\"target\",\"trace_id\"]}"

#define RICH_2                                                                                     \
    "{\"actor\":\"serve/x\",\"codes\":[],\"deliver\":[\"h7\",\"w7\"],"                             \
    "\"dialect\":\"universal\",\"document\":{\"kept\":true,\"sha256\":\"" SHA                      \
    "\",\"size\":6},\"judge\":{\"rules\":\"" SHA "\",\"version\":\"0.2.0\"},\"kind\":\"handoff\"," \
    "\"n\":{\"actor\":3,\"client\":9,\"source\":2,\"trace\":1},\"refs\":{\"policy\":\"" SHA        \
    "\"},\"seq\":7,\"source\":\"a\",\"target\":\"b\","                                             \
    "\"time\":\"2026-02-11T00:45:02.000Z\",\"trace_id\":\"t\",\"v\":2,\"verdict\":\"accepted\"}"
#define BEAT_2                                                                                     \
    "{\"actor\":\"serve\",\"codes\":[],\"dialect\":\"baton\",\"kind\":\"heartbeat\","              \
    "\"n\":{\"actor\":1},\"refs\":{\"event\":\"start\",\"message\":\"run-1\"},"                    \
    "\"seq\":0,\"time\":\"2026-02-11T00:45:02.000Z\",\"v\":2,\"verdict\":\"recorded\"}"

enum { ARENA_BYTES = 64 << 20, MUTATIONS = 20000 };

/* The schemas of entries, compiled: of each version. */
struct judge {
    struct bt_arena arena;
    struct bt_schema *schemas[BT_ENTRY_VERSION_MAX];
    struct bt_schema_runner *runner;
};

static struct bt_schema *compile_builtin(struct judge *judge, bt_str name)
{
    struct bt_schema *schema = NULL;
    for (size_t i = 0; i < bt_schema_builtin_count(); i++) {
        if (bt_str_eq(bt_schema_builtin_at(i)->name, name)) {
            struct bt_json_read_result read = {0};
            assert_int_equal(
                bt_json_read(&judge->arena, bt_schema_builtin_at(i)->text, NULL, &read), BT_OK);
            assert_int_equal(bt_schema_compile(read.document, NULL, NULL, &schema), BT_OK);
        }
    }
    assert_non_null(schema);
    return schema;
}

static void judge_open(struct judge *judge)
{
    bt_arena_init(&judge->arena, ARENA_BYTES);
    judge->schemas[0] = compile_builtin(judge, BT_STR("ledger-entry"));
    judge->schemas[1] = compile_builtin(judge, BT_STR("ledger-entry-v2"));
    judge->runner = bt_schema_runner_with(NULL);
    assert_non_null(judge->runner);
}

static void judge_close(struct judge *judge)
{
    bt_schema_runner_destroy(judge->runner);
    for (size_t i = 0; i < COUNT_OF(judge->schemas); i++) {
        bt_schema_destroy(judge->schemas[i]);
    }
    bt_arena_free(&judge->arena);
}

/* Whether the text is canonical JSON that the schema accepts: E1 and E0 the long way. */
static bool is_fine(struct judge *judge, bt_str text)
{
    struct bt_arena arena;
    struct bt_json_read_result read = {0};
    struct bt_buf buf;
    bool fine = false;
    bt_arena_init(&arena, ARENA_BYTES);
    bt_buf_init(&buf, ARENA_BYTES);
    assert_int_equal(bt_json_read(&arena, text, NULL, &read), BT_OK);
    if (read.document) {
        const enum bt_status status = bt_json_write(
            &buf, read.document, bt_json_root(read.document), BT_JSON_FORM_CANONICAL, &arena, NULL);
        for (size_t i = 0; i < COUNT_OF(judge->schemas) && !fine; i++) {
            fine =
                status == BT_OK && bt_str_eq(bt_buf_str(&buf), text) &&
                bt_schema_run(judge->schemas[i], judge->runner, read.document) == BT_SCHEMA_VALID;
        }
    }
    bt_buf_free(&buf);
    bt_arena_free(&arena);
    return fine;
}

static void entries_are_written_as_they_are_read(void **state)
{
    (void)state;
    static const bt_str texts[] = {BT_STR_INIT(RAW), BT_STR_INIT(RICH), BT_STR_INIT(RICH_2),
                                   BT_STR_INIT(BEAT_2)};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct bt_entry entry;
        struct bt_buf buf;
        bt_buf_init(&buf, BT_ENTRY_BYTES_MAX);
        assert_true(bt_entry_read(texts[i], &entry));
        bt_entry_put(&buf, &entry);
        assert_true(bt_str_eq(bt_buf_str(&buf), texts[i]));
        bt_buf_free(&buf);
    }
}

/* Cut, double, replace or flip a run of bytes, or exchange it for a word that stands elsewhere. */
static size_t mutate(char *text, size_t size, uint64_t *random)
{
    static const char *const words[] = {
        "\"\"",
        "[]",
        "{}",
        "1",
        "0",
        "-1",
        "true",
        "null",
        ",",
        "1.0",
        "\"a\"",
        "\"AB\"",
        "9007199254740992",
        "\"raw\"",
        "\"codes\"",
        "\\u0061",
        " ",
        "\"v\":1,",
    };
    const size_t at = log_random(random) % size;
    const size_t run = 1 + log_random(random) % 12;
    const size_t cut = at + run > size ? size - at : run;
    const char *word = words[log_random(random) % COUNT_OF(words)];
    switch (log_random(random) % 5) {
    case 0:
        text[at] = (char)(text[at] ^ (1 << log_random(random) % 8));
        return size;
    case 1:
        memmove(text + at, text + at + cut, size - at - cut);
        return size - cut;
    case 2:
        memmove(text + at + cut, text + at, size - at);
        return size + cut;
    case 3:
        memmove(text + at + strlen(word), text + at, size - at);
        memcpy(text + at, word, strlen(word));
        return size + strlen(word);
    default:
        text[at] = "{}[]\",:019azAZ_-. \\"[log_random(random) % 18];
        return size;
    }
}

static void the_walk_agrees_with_schema_and_canonical_form(void **state)
{
    (void)state;
    static const bt_str texts[] = {BT_STR_INIT(RAW), BT_STR_INIT(RICH), BT_STR_INIT(RICH_2),
                                   BT_STR_INIT(BEAT_2)};
    struct judge judge;
    struct bt_entry entry;
    uint64_t random = 3;
    size_t fine = 0;
    judge_open(&judge);
    for (size_t i = 0; i < MUTATIONS; i++) {
        char text[2000];
        const bt_str from = texts[i % COUNT_OF(texts)];
        memcpy(text, from.ptr, from.len);
        const size_t size = mutate(text, from.len, &random);
        const bt_str mutated = {text, size};
        const bool expected = is_fine(&judge, mutated);
        if (bt_entry_read(mutated, &entry) != expected) {
            fail_msg("the walk says %d: %.*s", !expected, BT_STR_ARG(mutated));
        }
        fine += expected;
    }
    assert_true(fine > 0); /* some mutations leave an entry: both answers were compared */
    assert_true(fine < MUTATIONS / 2);
    judge_close(&judge);
}

static void the_first_broken_rule_is_told(void **state)
{
    (void)state;
#define HEAD "{\"actor\":\"cli\",\"codes\":"
#define DOCUMENT "\"document\":{\"kept\":true,\"sha256\":\"" SHA "\",\"size\":6},"
#define TAIL "\"time\":\"2026-02-11T00:45:02.000Z\",\"v\":1,\"verdict\":\"recorded\"}"
    static const struct {
        const char *rule; /* NULL: fine */
        const char *text;
    } rows[] = {
        {NULL, RAW},
        {NULL, RICH},
        {"E1", "hello"},
        {"E1", ""},
        {"E1", "{\"b\":1,\"a\":1}"},
        {"E1", "{\"a\": 1}"},
        {"E1", "{\"v\":2.0}"},
        {"E1", "{\"v\":1,\"v\":2}"},
        {"E0", "{}"},
        {"E0", "[]"},
        {"E0", "2"},
        {"E0", "{\"v\":1}"},
        {"E0", "{\"v\":\"2\"}"},
        {"E0", "{\"v\":1.5}"},
        {"E2", HEAD "[],\"dialect\":\"raw\"," DOCUMENT "\"kind\":\"raw\",\"seq\":0,"
                    "\"time\":\"2026-02-30T00:45:02.000Z\",\"v\":1,\"verdict\":\"recorded\"}"},
        {"E2", HEAD "[],\"dialect\":\"raw\"," DOCUMENT "\"kind\":\"raw\",\"seq\":0,"
                    "\"time\":\"2026-02-11T24:45:02.000Z\",\"v\":1,\"verdict\":\"recorded\"}"},
        {"E3", HEAD "[\"AA\"],\"dialect\":\"raw\"," DOCUMENT "\"kind\":\"raw\",\"seq\":0," TAIL},
        {"E3", HEAD "[],\"dialect\":\"raw\"," DOCUMENT "\"kind\":\"raw\",\"seq\":0,"
                    "\"time\":\"2026-02-11T00:45:02.000Z\",\"v\":1,\"verdict\":\"rejected\"}"},
        {"E3", HEAD "[\"AB\",\"AA\"],\"dialect\":\"raw\"," DOCUMENT "\"kind\":\"raw\",\"seq\":0,"
                    "\"time\":\"2026-02-11T00:45:02.000Z\",\"v\":1,\"verdict\":\"rejected\"}"},
        {"E3", HEAD "[],\"dialect\":\"raw\"," DOCUMENT "\"kind\":\"raw\",\"seq\":0,\"time\":"
                    "\"2026-02-11T00:45:02.000Z\",\"v\":1,\"verdict\":\"recorded\",\"withheld\":"
                    "[\"target\",\"source\"]}"},
        {"E4", HEAD "[],\"dialect\":\"raw\",\"kind\":\"raw\",\"seq\":0," TAIL},
        {"E4", HEAD "[],\"dialect\":\"baton\"," DOCUMENT "\"kind\":\"raw\",\"seq\":0," TAIL},
        {"E4", HEAD "[],\"dialect\":\"raw\"," DOCUMENT "\"kind\":\"handoff\",\"seq\":0," TAIL},
        {"E4", HEAD "[],\"dialect\":\"plan\"," DOCUMENT "\"kind\":\"handoff\",\"seq\":0," TAIL},
        {"E4", HEAD "[],\"dialect\":\"baton\",\"kind\":\"block\",\"refs\":{\"agent\":\"a\"},"
                    "\"seq\":0," TAIL},
        {NULL, HEAD "[],\"dialect\":\"baton\",\"kind\":\"block\",\"refs\":{\"agent\":\"a\","
                    "\"reason\":\"r\"},\"seq\":0," TAIL},
        {"E5", HEAD "[],\"dialect\":\"raw\"," DOCUMENT "\"kind\":\"raw\",\"seq\":0,\"source\":"
                    "\"a\",\"time\":\"2026-02-11T00:45:02.000Z\",\"v\":1,\"verdict\":\"recorded\","
                    "\"withheld\":[\"source\"]}"},
        {"E6", HEAD "[],\"dialect\":\"raw\"," DOCUMENT "\"kind\":\"raw\",\"refs\":{\"parent\":4},"
                    "\"seq\":4," TAIL},
        {NULL, HEAD "[],\"dialect\":\"raw\"," DOCUMENT "\"kind\":\"raw\",\"refs\":{\"parent\":3},"
                    "\"seq\":4," TAIL},
        {"E7", "{\"actor\":\"cli\",\"attest\":{\"boundaries_respected\":true,\"composition_valid\":"
               "true,\"source_agent_verified\":true,\"target_agent_verified\":true},\"codes\":[],"
               "\"dialect\":\"raw\"," DOCUMENT "\"kind\":\"raw\",\"seq\":0," TAIL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_arena arena;
        struct bt_entry entry;
        struct bt_entry_check_result judged;
        bt_arena_init(&arena, ARENA_BYTES);
        assert_int_equal(bt_entry_check(&arena, bt_str_of(rows[i].text), &entry, &judged), BT_OK);
        if (!rows[i].rule) {
            assert_int_equal(judged.judgement, BT_ENTRY_FINE);
        } else {
            assert_int_equal(judged.judgement, BT_ENTRY_BROKEN);
            assert_string_equal(judged.rule, rows[i].rule);
        }
        bt_arena_free(&arena);
    }
}

/* An entry of version 2 in which one text is replaced by another. */
static void each_version_keeps_its_own_members_and_rules(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        const char *text;
        const char *was;
        const char *is;
    } rows[] = {
        {NULL, RICH_2, "x", "x"},
        {NULL, BEAT_2, "beat", "beat"},
        {"E0", RICH_2, "\"v\":2", "\"v\":1"},
        {"E0", BEAT_2, "\"kind\"", "\"kinds\""},
        {"E0", BEAT_2, "\"n\":{\"actor\":1},", ""},
        {"E0", BEAT_2, "\"actor\":1", "\"actor\":0"},
        {"E0", RAW, "\"kind\":\"raw\"", "\"kind\":\"policy\""},
        {"E8", RICH_2, ",\"source\":2", ""},
        {"E8", RICH_2, ",\"source\":\"a\"", ""},
        {"E8", RICH_2, ",\"trace\":1}", "}"},
        {"E8", RICH_2, "\"trace_id\":\"t\",", ""},
        {"E9", RICH_2, "\"h7\",\"w7\"", "\"h6\",\"w7\""},
        {"E9", RICH_2, "\"h7\",\"w7\"", "\"h7\",\"w07\""},
        {"E9", RICH_2, "\"h7\",\"w7\"", "\"w7\",\"h7\""},
        {"E9", RICH_2, "\"h7\",\"w7\"", "\"h7\",\"h7\""},
        {"E9", RICH_2, "\"codes\":[]", "\"codes\":[\"AB\"]"}, /* and the verdict, see below */
        {"E10", RICH_2, "\"judge\":{\"rules\":\"" SHA "\",\"version\":\"0.2.0\"},", ""},
        {"E10", BEAT_2, "\"kind\"", "\"judge\":{\"rules\":\"" SHA "\",\"version\":\"1\"},\"kind\""},
        {"E11", BEAT_2, "\"start\"", "\"tick\""},
        {"E11", BEAT_2, ",\"message\":\"run-1\"", ""},
        {"E11", BEAT_2, "\"heartbeat\"", "\"policy\""},
        {"E11", BEAT_2, "\"heartbeat\"", "\"hold\""},
        {"E11", BEAT_2,
         "\"kind\":\"heartbeat\",\"n\":{\"actor\":1},\"refs\":{\"event\":\"start\","
         "\"message\":\"run-1\"}",
         "\"handoff_id\":\"x\",\"kind\":\"hold\",\"n\":{\"actor\":1},\"refs\":{\"event\":\"start\","
         "\"reason\":\"r\"}"},
        {NULL, BEAT_2,
         "\"kind\":\"heartbeat\",\"n\":{\"actor\":1},\"refs\":{\"event\":\"start\","
         "\"message\":\"run-1\"}",
         "\"handoff_id\":\"x\",\"kind\":\"hold\",\"n\":{\"actor\":1},\"refs\":{\"event\":\"set\","
         "\"reason\":\"r\"}"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_arena arena;
        struct bt_entry entry;
        struct bt_entry_check_result judged;
        struct bt_buf text;
        const char *at = strstr(rows[i].text, rows[i].was);
        assert_non_null(at);
        bt_arena_init(&arena, ARENA_BYTES);
        bt_buf_init(&text, BT_ENTRY_BYTES_MAX);
        bt_buf_printf(&text, "%.*s%s%s", (int)(at - rows[i].text), rows[i].text, rows[i].is,
                      at + strlen(rows[i].was));
        const bool is_refusal = strstr(rows[i].is, "codes") != NULL;
        char *verdict = is_refusal ? strstr(text.ptr, "accepted") : NULL;
        if (verdict) {
            memcpy(verdict, "rejected", strlen("rejected"));
        }
        assert_int_equal(bt_entry_check(&arena, bt_buf_str(&text), &entry, &judged), BT_OK);
        if (rows[i].rule) {
            assert_int_equal(judged.judgement, BT_ENTRY_BROKEN);
            assert_string_equal(judged.rule, rows[i].rule);
        } else {
            assert_int_equal(judged.judgement, BT_ENTRY_FINE);
        }
        bt_buf_free(&text);
        bt_arena_free(&arena);
    }
}

static void a_newer_format_is_neither_fine_nor_broken(void **state)
{
    (void)state;
    static const char *const texts[] = {"{\"v\":3,\"whatever\":true}", "{\"v\":1e+21}"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct bt_arena arena;
        struct bt_entry entry;
        struct bt_entry_check_result judged;
        bt_arena_init(&arena, ARENA_BYTES);
        assert_int_equal(bt_entry_check(&arena, bt_str_of(texts[i]), &entry, &judged), BT_OK);
        assert_int_equal(judged.judgement, BT_ENTRY_NEWER);
        bt_arena_free(&arena);
    }
}

#define HANDOFF                                                                                    \
    "{\"actor\":\"cli\",\"codes\":[],\"dialect\":\"universal\",\"document\":{\"kept\":true,"       \
    "\"sha256\":\"" SHA                                                                            \
    "\",\"size\":60},\"handoff_id\":\"018f2b6c-7d1e-7a3c-9b42-0000000003e8\",\"kind\":"            \
    "\"handoff\",\"seq\":7,\"source\":\"a.b\",\"target\":\"c\","                                   \
    "\"time\":\"2024-02-29T23:59:59.000Z\",\"trace_id\":\"t\",\"v\":1,\"verdict\":\"accepted\"}"
#define RAW_7                                                                                      \
    "{\"actor\":\"cli\",\"codes\":[],\"dialect\":\"raw\",\"document\":{\"kept\":true,\"sha256\":"  \
    "\"" SHA                                                                                       \
    "\",\"size\":6},\"kind\":\"raw\",\"seq\":7,\"time\":\"2026-02-11T00:45:02.000Z\",\"v\":1,"     \
    "\"verdict\":\"recorded\"}"

/* Whatever matches a template must keep the rules, and must be the entry that the full reader
 * finds; returns whether it matched. */
static bool match_is_right(struct bt_entry_templates *templates, bt_str text, uint64_t seq)
{
    struct bt_arena arena;
    struct bt_entry entry;
    struct bt_buf again;
    struct bt_entry_check_result judged;
    const struct bt_entry *matched = bt_entry_templates_match(templates, text, seq);
    if (!matched) {
        return false;
    }
    bt_arena_init(&arena, ARENA_BYTES);
    bt_buf_init(&again, ARENA_BYTES);
    assert_int_equal(bt_entry_check(&arena, text, &entry, &judged), BT_OK);
    if (judged.judgement != BT_ENTRY_FINE || entry.seq != seq) {
        fail_msg("a template takes %.*s", BT_STR_ARG(text));
    }
    bt_entry_put(&again, matched);
    assert_true(bt_str_eq(bt_buf_str(&again), text));
    bt_buf_free(&again);
    bt_arena_free(&arena);
    return true;
}

static const bt_str template_texts[] = {BT_STR_INIT(RAW_7), BT_STR_INIT(HANDOFF),
                                        BT_STR_INIT(RICH_2)};

static void make_template(struct bt_entry_templates *templates, bt_str text)
{
    struct bt_entry entry;
    memset(templates, 0, sizeof(*templates));
    assert_true(bt_entry_read(text, &entry));
    bt_entry_templates_add(templates, text, &entry);
    assert_true(match_is_right(templates, text, entry.seq));
    assert_false(match_is_right(templates, text, entry.seq + 1));
}

static void a_template_takes_nothing_that_breaks_a_rule(void **state)
{
    (void)state;
    static struct bt_entry_templates templates;
    for (size_t i = 0; i < COUNT_OF(template_texts); i++) {
        char text[2000];
        size_t passed = 0;
        const bt_str mutated = {text, template_texts[i].len};
        make_template(&templates, template_texts[i]);
        memcpy(text, template_texts[i].ptr, mutated.len);
        for (size_t at = 0; at < mutated.len; at++) {
            for (int byte = 0; byte < 256; byte++) {
                text[at] = (char)byte;
                passed += match_is_right(&templates, mutated, 7);
            }
            text[at] = template_texts[i].ptr[at];
        }
        assert_true(passed > mutated.len);      /* every byte as it was, and other values ... */
        assert_true(passed < 40 * mutated.len); /* ... of few bytes */
    }
}

/* Replace, insert and delete bytes, some of them next to each other. */
static size_t change_length(char *text, size_t len, uint64_t *random)
{
    static const char bytes[] = "\"\"{}[],:0123456789abcdefhwtTZ-._@+ \x7f\x80";
    for (uint64_t count = 1 + log_random(random) % 3; count > 0; count--) {
        const size_t at = log_random(random) % len;
        const char byte = bytes[log_random(random) % (sizeof(bytes) - 1)];
        switch (log_random(random) % 4) {
        case 0:
            memmove(text + at, text + at + 1, len - at - 1);
            len--;
            break;
        case 1:
            memmove(text + at + 1, text + at, len - at);
            text[at] = byte;
            len++;
            break;
        case 2: /* a run, which can be longer than a name may be */
            memmove(text + at + 100, text + at, len - at);
            memset(text + at, byte, 100);
            len += 100;
            break;
        default:
            text[at] = byte;
            break;
        }
    }
    return len;
}

static void a_template_takes_values_of_any_length_that_the_rules_allow(void **state)
{
    (void)state;
    static struct bt_entry_templates templates;
    uint64_t random = 11;
    for (size_t i = 0; i < COUNT_OF(template_texts); i++) {
        size_t passed = 0;
        make_template(&templates, template_texts[i]);
        for (size_t turn = 0; turn < MUTATIONS; turn++) {
            /* Of its own size, so that a sanitizer sees a read beyond its end. */
            char room[2000];
            memcpy(room, template_texts[i].ptr, template_texts[i].len);
            const size_t len = change_length(room, template_texts[i].len, &random);
            char *text = malloc(len);
            assert_non_null(text);
            memcpy(text, room, len);
            passed += match_is_right(&templates, (bt_str){text, len}, 7);
            free(text);
        }
        assert_true(passed > MUTATIONS / 1000);
        assert_true(passed < MUTATIONS / 2);
    }
}

static void a_template_is_not_made_where_numbers_are_compared(void **state)
{
    (void)state;
    static const bt_str texts[] = {BT_STR_INIT(RICH), BT_STR_INIT(BEAT_2), BT_STR_INIT(RAW)};
    static struct bt_entry_templates templates;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct bt_entry entry;
        assert_true(bt_entry_read(texts[i], &entry));
        bt_entry_templates_add(&templates, texts[i], &entry);
        assert_null(bt_entry_templates_match(&templates, texts[i], entry.seq));
    }
}

static void a_copy_is_the_same_entry(void **state)
{
    (void)state;
    static const char *const texts[] = {RAW, RICH, RICH_2, BEAT_2};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct bt_entry entry;
        struct bt_entry copy;
        struct bt_buf buf;
        memset(&copy, 0xa5, sizeof(copy));
        bt_buf_init(&buf, BT_ENTRY_BYTES_MAX);
        assert_true(bt_entry_read(bt_str_of(texts[i]), &entry));
        bt_entry_copy(&copy, &entry);
        bt_entry_put(&buf, &copy);
        assert_true(bt_str_eq(bt_buf_str(&buf), bt_str_of(texts[i])));
        bt_buf_free(&buf);
    }
}

/* Each byte at each place of a name that is otherwise fine, of every length. */
static void names_and_texts_are_of_the_bytes_of_their_patterns(void **state)
{
    (void)state;
    enum { LENGTH_MAX = 200 };
    static const char marks[] = "._:/@+-";
    char text[LENGTH_MAX + 1];
    memset(text, 'a', sizeof(text));
    for (size_t length = 0; length <= sizeof(text); length++) {
        const bool fits = length > 0 && length <= LENGTH_MAX;
        assert_int_equal(bt_entry_name_is_valid((bt_str){text, length}), fits);
        assert_int_equal(bt_entry_text_is_valid((bt_str){text, length}), fits);
    }
    for (size_t i = 0; i < (size_t)256 * LENGTH_MAX; i++) {
        const char byte = (char)(i % 256);
        const size_t place = i / 256;
        const bool is_plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                              (byte >= '0' && byte <= '9');
        const bool is_mark = place > 0 && byte != '\0' && strchr(marks, byte);
        const bool is_gap = place > 0 && (byte == ' ' || byte == ',');
        const size_t length = place + 1 + i % (LENGTH_MAX - place);
        text[place] = byte;
        assert_int_equal(bt_entry_name_is_valid((bt_str){text, length}), is_plain || is_mark);
        assert_int_equal(bt_entry_text_is_valid((bt_str){text, length}),
                         is_plain || is_mark || is_gap);
        text[place] = 'a';
    }
}

static void times_are_real_as_instants_are(void **state)
{
    (void)state;
    uint64_t random = 11;
    size_t real = 0;
    for (size_t i = 0; i < 10 * MUTATIONS; i++) {
        char text[BT_ENTRY_TIME_BYTES + 1] = "2024-02-29T23:59:59.000Z";
        bt_instant instant;
        for (int j = 0; j < 2; j++) {
            text[log_random(&random) % BT_ENTRY_TIME_BYTES] =
                "0123456789-:TZ."[log_random(&random) % (i % 2 == 0 ? 10 : 15)];
        }
        const bt_str time = {text, BT_ENTRY_TIME_BYTES};
        const bool is_form = text[4] == '-' && text[7] == '-' && text[10] == 'T' &&
                             text[19] == '.' && text[23] == 'Z';
        const bool expected = is_form && bt_instant_parse(time, &instant) == BT_OK;
        assert_int_equal(bt_entry_time_is_valid(time), expected);
        real += expected;
    }
    assert_true(real > MUTATIONS);
    assert_true(real < 9 * MUTATIONS);
}

static void times_are_cut_to_milliseconds(void **state)
{
    (void)state;
    static const struct {
        const char *instant;
        const char *text;
    } rows[] = {
        {"2026-02-11T00:45:02Z", "2026-02-11T00:45:02.000Z"},
        {"2026-02-11T02:00:00.123956+01:00", "2026-02-11T01:00:00.123Z"},
        {"1970-01-01T00:00:00.009Z", "1970-01-01T00:00:00.009Z"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bt_instant instant;
        char text[BT_ENTRY_TIME_BYTES + 1];
        assert_int_equal(bt_instant_parse(bt_str_of(rows[i].instant), &instant), BT_OK);
        bt_entry_time_put(instant, text);
        assert_string_equal(text, rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_written_as_they_are_read),
        cmocka_unit_test(the_walk_agrees_with_schema_and_canonical_form),
        cmocka_unit_test(the_first_broken_rule_is_told),
        cmocka_unit_test(each_version_keeps_its_own_members_and_rules),
        cmocka_unit_test(a_newer_format_is_neither_fine_nor_broken),
        cmocka_unit_test(a_template_takes_nothing_that_breaks_a_rule),
        cmocka_unit_test(a_template_takes_values_of_any_length_that_the_rules_allow),
        cmocka_unit_test(a_template_is_not_made_where_numbers_are_compared),
        cmocka_unit_test(a_copy_is_the_same_entry),
        cmocka_unit_test(names_and_texts_are_of_the_bytes_of_their_patterns),
        cmocka_unit_test(times_are_real_as_instants_are),
        cmocka_unit_test(times_are_cut_to_milliseconds),
    };
    return RUN_TESTS(tests);
}
