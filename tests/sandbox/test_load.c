/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_load.c - handlers are judged when they are loaded, and describe their classes.
 */
#include "organism.h"

#include <unistd.h>

#include "sandbox/private_dir.h"

static const char good[] = "from dataclasses import dataclass\n"
                           "from typing import Optional\n"
                           "from baton import xmlify, HandlerMetadata\n"
                           "@xmlify\n@dataclass\nclass Address:\n    street: str\n"
                           "@xmlify\n@dataclass\nclass P:\n    a: int\n"
                           "@xmlify\n@dataclass\nclass Q:\n    a: int\n"
                           "@dataclass\nclass Plain:\n    a: int\n"
                           "@xmlify\n@dataclass\nclass Odd:\n    a: complex\n"
                           "@xmlify\nclass Bare:\n    a: int\n"
                           "@xmlify\n@dataclass\nclass All:\n"
                           "    id: int\n    tags: list[str]\n    keys: set[int]\n"
                           "    map: dict[str, float]\n    pair: tuple[int, bool]\n"
                           "    note: Optional[str]\n    addr: Address\n    many: list[Address]\n";

/* One handler, written behind the classes above, and what is said about it. */
static const struct sample {
    const char *handler;
    const char *payload_class;
    const char *problem; /* "" when it is fine */
} samples[] = {
    {"async def h(payload: P, metadata: HandlerMetadata) -> bytes:\n    return b''\n", "P", ""},
    {"async def h(payload: 'P', metadata: 'HandlerMetadata') -> 'bytes':\n    return b''\n", "P",
     ""},
    {"async def h(payload: Bare, metadata: HandlerMetadata) -> bytes:\n    return b''\n", "Bare",
     ""},
    {"async def h(payload: P, metadata: HandlerMetadata) -> bytes:\n    return b''\n", "", ""},
    {"def h(payload: P, metadata: HandlerMetadata) -> bytes:\n    return b''\n", "P", "sync"},
    {"async def g(payload: P, metadata: HandlerMetadata) -> bytes:\n    return b''\n"
     "def h(payload: P, metadata: HandlerMetadata) -> bytes:\n    return g(payload, metadata)\n",
     "P", "sync"},
    {"async def h(payload: P, metadata: HandlerMetadata) -> bytes:\n    yield b''\n", "P",
     "signature"},
    {"async def h(payload: P) -> bytes:\n    return b''\n", "P", "signature"},
    {"async def h(metadata: HandlerMetadata, payload: P) -> bytes:\n    return b''\n", "P",
     "signature"},
    {"async def h(payload: P, metadata: HandlerMetadata, *more) -> bytes:\n    return b''\n", "P",
     "signature"},
    {"async def h(payload: P, meta: HandlerMetadata) -> bytes:\n    return b''\n", "P",
     "signature"},
    {"async def h(payload, metadata):\n    return b''\n", "P", "signature"},
    {"async def h(payload: P, metadata: HandlerMetadata = None) -> bytes:\n    return b''\n", "P",
     "signature"},
    {"async def h(payload: P, metadata: HandlerMetadata) -> str:\n    return ''\n", "P",
     "signature"},
    {"async def h(payload: P, metadata: dict) -> bytes:\n    return b''\n", "P", "signature"},
    {"async def h(payload: 'Nobody', metadata: HandlerMetadata) -> bytes:\n    return b''\n", "P",
     "signature"},
    {"async def h(payload: Plain, metadata: HandlerMetadata) -> bytes:\n    return b''\n", "Plain",
     "payload"},
    {"async def h(payload: Odd, metadata: HandlerMetadata) -> bytes:\n    return b''\n", "Odd",
     "payload"},
    {"async def h(payload: P, metadata: HandlerMetadata) -> bytes:\n    return b''\n", "Q",
     "payload"},
    {"async def h(payload: P, metadata: HandlerMetadata) -> bytes:\n    return b''\n", "Nobody",
     "payload"},
    {"h = 7\n", "P", "missing"},
    {"", "P", "missing"},
    {"import no_such_module_xyz\n", "P", "import"},
    {"raise SystemExit(0)\n", "P", "import"},
    {"import os; os._exit(3)\n", "P", "import"},
};

static void load(struct organism *organism, const struct bt_host_spec *specs, size_t count,
                 struct bt_handler_probe_result *results)
{
    struct bt_error error = {.text = ""};
    const struct bt_handler_probe request = {
        .specs = specs, .count = count, .temporary = bt_str_of(organism->folder)};
    if (organism_probe(organism, &request, results, &error) != BT_OK) {
        fail_msg("%s", error.text);
    }
}

static void each_way_to_write_a_handler_has_its_answer(void **state)
{
    (void)state;
    static char text[8192];
    static struct bt_host_spec specs[COUNT_OF(samples)];
    static struct bt_handler_probe_result results[COUNT_OF(samples)];
    static char names[COUNT_OF(samples)][40];
    struct organism organism;
    organism_open(&organism);
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        char path[32];
        (void)snprintf(path, sizeof(path), "h/m%zu.py", i);
        (void)snprintf(names[i], sizeof(names[i]), "%s:h", path);
        (void)snprintf(text, sizeof(text), "%s%s", good, samples[i].handler);
        organism_write(&organism, path, text);
        specs[i] = python_spec(names[i], samples[i].payload_class);
    }
    load(&organism, specs, COUNT_OF(samples), results);
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        const bt_str problem = bt_host_hello_error_name(results[i].problem);
        if (!bt_str_eq(problem, bt_str_of(samples[i].problem))) {
            fail_msg("%s: got '%.*s', expected '%s'; %.*s %.*s", samples[i].handler,
                     BT_STR_ARG(problem), samples[i].problem, BT_STR_ARG(results[i].reason),
                     BT_STR_ARG(results[i].printed));
        }
        assert_int_equal(results[i].loaded, problem.len == 0);
        assert_int_equal(results[i].reason.len > 0, problem.len > 0);
    }
    organism_close(&organism);
}

static void classes_are_described_in_the_words_of_the_organism(void **state)
{
    (void)state;
    static char text[8192];
    struct organism organism;
    struct bt_handler_probe_result results[2];
    organism_open(&organism);
    (void)snprintf(text, sizeof(text),
                   "%sasync def h(payload: All, metadata: HandlerMetadata) -> bytes:\n"
                   "    return b''\n",
                   good);
    organism_write(&organism, "pack/mod.py", text);
    struct bt_host_spec specs[2] = {python_spec("pack.mod.h", "pack.mod.All"),
                                    python_spec("pack/mod.py:h", "All")};
    specs[1].result_class = BT_STR("Address");
    load(&organism, specs, 2, results);
    for (size_t i = 0; i < 2; i++) {
        if (!results[i].loaded) {
            fail_msg("%.*s %.*s", BT_STR_ARG(results[i].reason), BT_STR_ARG(results[i].printed));
        }
        const struct bt_host_hello *hello = &results[i].hello;
        assert_str(hello->payload.name, "All");
        struct bt_buf buf;
        bt_buf_init(&buf, 4096);
        assert_int_equal(bt_json_write(&buf, hello->document, hello->payload.fields,
                                       BT_JSON_FORM_COMPACT, &organism.arena, NULL),
                         BT_OK);
        assert_str(bt_buf_str(&buf),
                   "[[\"id\",\"int\"],[\"tags\",\"list[str]\"],[\"keys\",\"set[int]\"],"
                   "[\"map\",\"dict[str,float]\"],[\"pair\",\"tuple[int,bool]\"],"
                   "[\"note\",\"optional[str]\"],"
                   "[\"addr\",{\"record\":\"Address\",\"fields\":[[\"street\",\"str\"]]}],"
                   "[\"many\",{\"list\":{\"record\":\"Address\",\"fields\":"
                   "[[\"street\",\"str\"]]}}]]");
        bt_buf_free(&buf);
    }
    assert_str(results[0].hello.result.name, "");
    assert_str(results[1].hello.result.name, "Address");
    organism_close(&organism);
}

static void a_command_that_says_nothing_is_not_loaded(void **state)
{
    (void)state;
    const bt_str silent[] = {BT_STR("false")};
    const bt_str absent[] = {BT_STR("no-such-program-xyz")};
    const struct bt_host_spec specs[] = {command_spec(silent, 1), command_spec(absent, 1)};
    struct bt_handler_probe_result results[2];
    struct organism organism;
    organism_open(&organism);
    load(&organism, specs, 2, results);
    assert_int_equal(results[0].problem, BT_HELLO_IMPORT);
    assert_str(results[0].reason, "the host said no HELLO: exit code 1");
    assert_int_equal(results[1].problem, BT_HELLO_IMPORT);
    assert_str(results[1].reason, "the program is not on PATH");
    organism_close(&organism);
}

static void nothing_is_left_of_the_work_directories(void **state)
{
    (void)state;
    struct organism organism;
    struct bt_handler_probe_result result;
    organism_open(&organism);
    organism_write(&organism, "m.py",
                   "import os\n"
                   "for i in range(300):\n    os.mkdir('deep', 0o700); os.chdir('deep')\n"
                   "os.mkdir('shut', 0)\nopen('file', 'w').close()\nos.symlink('/etc', 'link')\n"
                   "raise ImportError('done')\n");
    const struct bt_host_spec spec = python_spec("m.py:h", "");
    load(&organism, &spec, 1, &result);
    /* The guard does not let folders stand so deep; whether it is quicker does not matter here. */
    if (!bt_str_eq(result.reason, BT_STR("the host said no HELLO: signal 9"))) {
        assert_str(result.reason, "ImportError: done");
    }
    assert_int_equal(rmdir(organism.work), 0);
    bt_private_dir_remove(bt_str_of(organism.root));
    /* Only what the test itself made was there. */
    assert_int_equal(rmdir(organism.folder), 0);
    organism_close(&organism);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_way_to_write_a_handler_has_its_answer),
        cmocka_unit_test(classes_are_described_in_the_words_of_the_organism),
        cmocka_unit_test(a_command_that_says_nothing_is_not_loaded),
        cmocka_unit_test(nothing_is_left_of_the_work_directories),
    };
    return RUN_TESTS(tests);
}
