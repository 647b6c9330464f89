/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_findings.c - what is said about organism files: code, place, message, hint and params.
 */
#include "params.h"
#include "test.h"

#include <baton/json.h>

#include "organism/organism.h"

#define LISTENER(more)                                                                             \
    "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- name: a\n"       \
    "  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: int}\n" more
#define RESULT "  result: int\n"

static const struct sample {
    const char *text;
    const char *code;
    const char *pointer;
    const char *message;
    const char *hint;
    const char *params;
} samples[] = {
    {"a: b: c\n", "YAML_SYNTAX", "", "invalid nested block mapping on the same line",
     "correct the file where the position is; indentation, quotes and brackets are common causes",
     ""},
    {"- 1\n", "YAML_SYNTAX", "",
     "an organism file is a mapping with the keys organism and listeners",
     "correct the file where the position is; indentation, quotes and brackets are common causes",
     ""},
    {"organism: {name: a, name: b}\nlisteners: []\n", "YAML_DUPLICATE_KEY", "/organism",
     "the mapping has this key already", "remove one of the two", "{\"key\":\"name\"}"},
    {"organism: &o {name: a}\nlisteners: []\n", "YAML_UNSUPPORTED", "",
     "this part of YAML is not used here", "write the value out plainly",
     "{\"feature\":\"anchor\"}"},
    {"organism: {name: demo, nmae: x}\nlisteners: []\n", "PUMP_KEY_UNKNOWN", "/organism/nmae",
     "the key \"nmae\" is not known here", "did you mean \"name\"?",
     "{\"key\":\"nmae\",\"nearest\":\"name\"}"},
    {"organism: {name: demo}\nlisteners: []\nllm: x\n", "PUMP_KEY_UNKNOWN", "/llm",
     "the key \"llm\" is not known here: Baton calls no model; handlers do",
     "correct or remove it; `baton pump keys` lists the keys",
     "{\"key\":\"llm\",\"reason\":\"Baton calls no model; handlers do\"}"},
    {"organism: {name: demo, port: \"1\"}\nlisteners: []\n", "PUMP_KEY_TYPE", "/organism/port",
     "\"1\" is not what is expected here: integer",
     "write integer; `baton pump keys` lists what each key takes", "{\"expected\":\"integer\"}"},
    {"organism: {name: demo, port: []}\nlisteners: []\n", "PUMP_KEY_TYPE", "/organism/port",
     "this is not what is expected here: integer",
     "write integer; `baton pump keys` lists what each key takes", "{\"expected\":\"integer\"}"},
    {"organism: {name: demo, port: 70000}\nlisteners: []\n", "PUMP_KEY_VALUE", "/organism/port",
     "\"70000\" is not what is expected here: 0..65535", "choose one that is allowed: 0..65535",
     "{\"expected\":\"0..65535\"}"},
    {"organism: {name: demo}\nlisteners: []\nsandbox: no\n", "PUMP_KEY_VALUE", "/sandbox",
     "\"no\" is not what is expected here: available, required",
     "choose one that is allowed: available, required", "{\"expected\":\"available, required\"}"},
    {"organism: {name: demo}\nlisteners: []\n"
     "gateways: [{name: g, remote_url: ftp, trusted_identity: k}]\n",
     "PUMP_KEY_VALUE", "/gateways/0/remote_url",
     "a value is outside of its range, pattern or list: \"tls://HOST:PORT or unix:PATH\"",
     "choose one that is allowed", "{\"expected\":\"tls://HOST:PORT or unix:PATH\"}"},
    {"organism: {name: demo, tls: {cert: c}}\nlisteners: []\n", "PUMP_KEY_CONFLICT",
     "/organism/tls", "these do not go together: cert", "keep one of them",
     "{\"keys\":[\"cert\"]}"},
    {LISTENER("  xsd: x\n" RESULT), "PUMP_KEY_CONFLICT", "/listeners/0",
     "these do not go together: payload_type fields xsd", "keep one of them",
     "{\"keys\":[\"payload_type\",\"fields\",\"xsd\"]}"},
    {"organism: {}\nlisteners: []\n", "PUMP_KEY_MISSING", "/organism",
     "a required key is absent: \"name\"",
     "add \"name\"; `baton pump keys` lists the keys and what each takes", "{\"key\":\"name\"}"},
    {LISTENER(""), "PUMP_RESULT_UNDECLARED", "/listeners/0",
     "a listener does not say what it answers",
     "say what it answers: `result: str` (int, float, bool), `result_fields`, `result_class` or "
     "`result_xsd`; `result: any` switches checking off, `result: none` means no reply",
     ""},
    {LISTENER(RESULT "  replies: {\"q.x\": int}\n"), "PUMP_REPLY_TAG", "/listeners/0/replies/q.x",
     "a reply has a tag that no reply may have: \"q.x\"",
     "choose a tag without a dot that is neither reserved nor declared already",
     "{\"tag\":\"q.x\"}"},
    {LISTENER(RESULT "  peers: [b]\n"), "PUMP_PEER_UNKNOWN", "/listeners/0/peers/0",
     "peers or may_call names an unknown listener: \"b\"",
     "name a listener, group or gateway of this file; clients may also have \"*\"",
     "{\"name\":\"b\"}"},
    {LISTENER(RESULT "- {name: a, description: d, handler: m.h, payload_type: Q, fields: {}, "
                     "result: int}\n"),
     "PUMP_NAME_DUPLICATE", "/listeners/1/name", "a name is taken already: \"a\"",
     "rename one of them: clients, gateways, listeners and groups share one space of names",
     "{\"name\":\"a\"}"},
    {"organism: {name: demo}\nlisteners: []\ngateways: [{name: g, remote_url: 'unix:s', "
     "trusted_identity: k, capabilities: [{name: 2, payload_type: P, fields: {}, result: int}]}]\n",
     "PUMP_KEY_TYPE", "/gateways/0/capabilities/0/name",
     "\"2\" is not what is expected here: string",
     "write string; `baton pump keys` lists what each key takes", "{\"expected\":\"string\"}"},
    {"organism: {name: demo}\nlisteners: []\ngateways: [{name: g, remote_url: 'unix:s', "
     "trusted_identity: k, capabilities: [{name: '2', payload_type: P, fields: {}, result: "
     "int}]}]\n",
     "PUMP_NAME_INVALID", "/gateways/0/capabilities/0/name",
     "a listener, group or gateway has a malformed name: \"2\"",
     "begin each part between dots with a letter or underscore, then letters, digits, _ and -; 64 "
     "bytes at most",
     "{\"name\":\"2\"}"},
    {LISTENER(RESULT "  env: {API_KEY: x}\n"), "PUMP_SECRET_INLINE", "/listeners/0/env/API_KEY",
     "a secret stands in the file",
     "name the variable in `env_from`, and set it in the environment of the pump", ""},
    {LISTENER(RESULT "  read: [/etc]\n"), "PUMP_PATH", "/listeners/0/read/0",
     "a path leaves the organism directory",
     "move the file below the folder of the organism file, and name it relative to that", ""},
};

struct reading {
    struct bt_env env;
    struct bt_arena arena;
    struct bt_judgement judged;
    const struct bt_organism *organism;
};

static void read_text(struct reading *reading, const char *text, struct bt_organism_options options)
{
    const struct bt_organism_source source = {BT_STR("organism.yaml"), bt_str_of(text)};
    assert_int_equal(bt_env_init(&reading->env), BT_OK);
    bt_arena_init(&reading->arena, SIZE_MAX);
    assert_int_equal(bt_organism_read(&reading->env, &reading->arena, &source, &options,
                                      &reading->judged, &reading->organism),
                     BT_OK);
}

static const struct bt_finding *find_code(const struct reading *reading, const char *code)
{
    for (size_t i = 0; i < bt_findings_count(reading->judged.findings); i++) {
        const struct bt_finding *finding = bt_findings_at(reading->judged.findings, i);
        if (bt_str_eq(finding->rule->code, bt_str_of(code))) {
            return finding;
        }
    }
    fail_msg("%s is not among the findings", code);
    return NULL;
}

static void assert_text(const char *what, const char *text, bt_str actual, const char *wanted)
{
    if (!bt_str_eq(actual, bt_str_of(wanted))) {
        fail_msg("%s of\n%s\nis '%.*s', expected '%s'", what, text, BT_STR_ARG(actual), wanted);
    }
}

static void a_finding_says_what_is_wrong_and_where(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        const struct sample *sample = &samples[i];
        struct reading reading;
        read_text(&reading, sample->text, (struct bt_organism_options){0});
        const struct bt_finding *finding = find_code(&reading, sample->code);
        assert_text("pointer", sample->text, finding->pointer, sample->pointer);
        assert_text("message", sample->text, finding->message, sample->message);
        assert_text("hint", sample->text, finding->hint, sample->hint);
        assert_text("params", sample->text, test_params(finding), sample->params);
        assert_true(finding->position.line > 0);
        assert_null(reading.organism);
        bt_arena_free(&reading.arena);
    }
}

static void a_kernel_without_mechanisms_matters_where_they_are_required(void **state)
{
    (void)state;
    const struct bt_organism_options without = {.without_seccomp = true, .without_landlock = true};
    struct reading reading;
    read_text(&reading, LISTENER(RESULT), without);
    assert_int_equal(find_code(&reading, "PUMP_SANDBOX_MISSING")->severity, BT_SEVERITY_INFO);
    assert_non_null(reading.organism);
    bt_arena_free(&reading.arena);
    read_text(&reading, LISTENER(RESULT "sandbox: required\n"), without);
    const struct bt_finding *finding = find_code(&reading, "PUMP_SANDBOX_MISSING");
    assert_int_equal(finding->severity, BT_SEVERITY_HARD);
    assert_str(finding->pointer, "/sandbox");
    assert_null(reading.organism);
    bt_arena_free(&reading.arena);
}

/* Each node from `node` on, whose pointer is `path`, is found at its pointer. */
static void assert_located(struct bt_organism_reader *reader, const struct bt_yaml_node *node,
                           bt_str path, size_t depth)
{
    assert_true(depth < 8);
    const struct bt_location at = bt_organism_locate(reader, node);
    if (!bt_str_eq(at.pointer, path) || at.offset != node->offset || at.status != BT_OK) {
        fail_msg("'%.*s' is found at '%.*s'", BT_STR_ARG(path), BT_STR_ARG(at.pointer));
    }
    for (size_t i = 0; i < node->count; i++) {
        struct bt_buf below;
        bt_buf_init(&below, SIZE_MAX);
        bt_buf_put(&below, path);
        if (node->kind == BT_YAML_MAPPING) {
            bt_json_pointer_put(&below, node->entries[i].key);
        } else {
            bt_json_pointer_put_index(&below, i);
        }
        assert_located(reader,
                       node->kind == BT_YAML_MAPPING ? &node->entries[i].value : &node->items[i],
                       bt_buf_str(&below), depth + 1);
        bt_buf_free(&below);
    }
}

static void every_node_is_found_by_its_offset(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{}\n",
        "{a: {b,: [c]}, f,: }\n",
        "a:\nb: []\nc:\n  -\n  -\n    - x\n    - - y\n      -\n  - {q: ~, r: {}}\n"
        "  -\n    s:\n      t:\nd: {}\n",
        "- {a: [1, {b: 2}], c: 3}\n- - - z\n- a: |\n    text\n  'b/~': >-\n    more\n"
        "  c: \"x\"\n- e\n",
        "# c\na: # d\n  - b # e\n  # f\n  - c:\n      d: e\n    f:\n\n  -\ng:\n  h:\n    i:\n",
        LISTENER("  peers:\n    - a\n    -\n  replies:\n    x:\n" RESULT),
    };
    struct bt_arena arena;
    bt_arena_init(&arena, SIZE_MAX);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct bt_yaml_read_result read;
        assert_int_equal(bt_yaml_read(&arena, bt_str_of(texts[i]), NULL, &read), BT_OK);
        if (!read.root) {
            fail_msg("%s: %.*s", texts[i], BT_STR_ARG(read.detail));
        }
        struct bt_organism_reader reader = {.document = read.root};
        bt_buf_init(&reader.path, SIZE_MAX);
        assert_located(&reader, read.root, BT_STR(""), 0);
        bt_buf_free(&reader.path);
    }
    bt_arena_free(&arena);
}

/* A listener that is registered is judged with the others, whose findings do not count. */
static void only_findings_below_a_prefix_end_the_run(void **state)
{
    (void)state;
    static const struct bt_organism_options options = {0};
    struct bt_env env;
    struct bt_arena arena;
    bt_str facts = BT_STR("");
    assert_int_equal(bt_env_init(&env), BT_OK);
    bt_arena_init(&arena, SIZE_MAX);
    for (size_t i = 0; i < 2; i++) {
        struct bt_organism_reader reader = {.env = &env,
                                            .options = &options,
                                            .findings = bt_findings_new(&arena),
                                            .only = i == 0 ? BT_STR("/listeners/0")
                                                           : BT_STR("/listeners/1")};
        assert_int_equal(bt_organism_judge(&reader, BT_STR("o.yaml"),
                                           BT_STR(LISTENER(RESULT "  peers: [nobody]\n")), &facts),
                         BT_OK);
        assert_int_equal(bt_organism_reader_has_hard(&reader), i == 0);
    }
    bt_arena_free(&arena);
}

static void running_out_of_memory_gives_no_judgement(void **state)
{
    (void)state;
    static const char text[] = LISTENER(RESULT "  peers: [nobody]\n  bogus: 1\n");
    const struct bt_organism_source source = {BT_STR("organism.yaml"), bt_str_of(text)};
    const struct bt_organism_options options = {0};
    struct bt_env env;
    struct bt_judgement judged;
    enum bt_status status = BT_ENOMEM;
    size_t tries = 0;
    assert_int_equal(bt_env_init(&env), BT_OK);
    for (size_t limit = 16; status != BT_OK; limit += 64) {
        struct bt_arena arena;
        const struct bt_organism *organism = NULL;
        bt_arena_init(&arena, limit);
        status = bt_organism_read(&env, &arena, &source, &options, &judged, &organism);
        assert_true(status == BT_OK || status == BT_ENOMEM);
        assert_null(organism);
        assert_int_equal(status == BT_OK ? judged.verdict : BT_VERDICT_REJECTED,
                         BT_VERDICT_REJECTED);
        bt_arena_free(&arena);
        tries++;
    }
    assert_true(tries > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finding_says_what_is_wrong_and_where),
        cmocka_unit_test(a_kernel_without_mechanisms_matters_where_they_are_required),
        cmocka_unit_test(every_node_is_found_by_its_offset),
        cmocka_unit_test(only_findings_below_a_prefix_end_the_run),
        cmocka_unit_test(running_out_of_memory_gives_no_judgement),
    };
    return RUN_TESTS(tests);
}
