# SPDX-License-Identifier: Apache-2.0
"""test_house.py ROOT - the numbers that the design of the tree limits. A limit is lowered and never raised."""
import sys

import measure_house
import tap

ROOT = sys.argv[1]

LIMITS = {
    "lines in src and app": 295_250,  # with logs of statements, the amendments to all five dialects, the way in, evidence, budgets, --verbose, the profiles check and core, baton wrap and its place in baton serve, baton replay, renderReport, schema.wasm, tables that fit into baton.wasm, entries of version 2, watched logs and peers, bundles, many logs, and keys in an SSH agent, content codings, counters of what waits, and verification by templates and threads, verification by spans in threads, holds compared with their entries, texts cut where no token crosses, values of other languages in fewer instructions, replays in batches and white space taken out at once
    "files in app/cli": 90,
    "public functions": 194,
    "type tags defined more than once": 0,
    "one-word static functions": 0,
    "dialect names as text": 0,
    "rule codes quoted in C": 0,
    "bt_json_read without its source": 0,
    "structs over 20 members": 6,
    "files that call clock_gettime": 1,
    "folders without tests": 0,
}


def count(name, files):
    with tap.sample({"include/baton/x.h": "", **files}) as tree:
        return measure_house.measure(tree)[name][1]


def expect_count(name, files, wanted):
    found = count(name, files)
    if found != wanted:
        raise AssertionError(f"{name}: {found} instead of {wanted}")


@tap.claim
def every_number_is_within_its_limit():
    numbers = measure_house.measure(ROOT)
    over = [f"{name}: {numbers[name][1]} of {limit}" for name, limit in LIMITS.items() if numbers[name][1] > limit]
    tap.expect_clean(over + [f"{name} has no limit" for name in numbers if name not in LIMITS])


@tap.claim
def limits_follow_what_was_reached():
    """Lines may fall by a little before the limit is lowered; everything else is exact."""
    numbers = measure_house.measure(ROOT)
    slack = {"lines in src and app": 280_700}
    tap.expect_clean([f"{name}: lower the limit to {numbers[name][1]}" for name, limit in LIMITS.items() if numbers[name][1] < limit - slack.get(name, 0)])


@tap.claim
def tags_of_two_files_are_counted():
    expect_count("type tags defined more than once", {"src/base/a.c": "struct row {\n    int a;\n};\n", "src/base/b.c": "struct row {\n    int a;\n};\n"}, 1)
    expect_count("type tags defined more than once", {"src/base/a.c": "struct row {\n    int a;\n};\n", "src/base/b.c": "struct row;\n"}, 0)


@tap.claim
def static_functions_of_one_word_are_counted():
    text = "static int judge(int a)\n{\n    return a;\n}\n\nstatic int judge_input(int a)\n{\n    return a;\n}\n\nint run(void)\n{\n    return 0;\n}\n"
    expect_count("one-word static functions", {"src/base/a.c": text}, 1)


@tap.claim
def public_functions_are_counted():
    text = "BT_API enum bt_status bt_x(int a,\n                           int b);\nstatic inline int bt_y(void)\n{\n    return 0;\n}\nstruct bt_z;\n"
    expect_count("public functions", {"include/baton/y.h": text}, 2)


@tap.claim
def codes_and_dialects_in_code_are_counted():
    files = {"src/x/x.rules": 'dialect x\nrule A_CODE\n', "src/x/a.c": 'f("A_CODE", "OTHER_TEXT");\n/* "A_CODE" */\ng(BT_STR("universal"), BT_STR("other"));\n',
             "src/engine/dialects.c": 'BT_STR_INIT("plan")\n'}
    expect_count("rule codes quoted in C", files, 2)
    expect_count("dialect names as text", files, 1)


@tap.claim
def large_structs_and_clocks_are_counted():
    members = "".join(f"    int m{i};\n" for i in range(20))
    expect_count("structs over 20 members", {"src/x/a.c": f"struct bt_a {{\n{members}}};\n"}, 0)
    expect_count("structs over 20 members", {"src/x/a.c": f"struct bt_a {{\n{members}    int b, c;\n}};\n"}, 1)
    expect_count("files that call clock_gettime", {"src/x/a.c": "int f(void)\n{\n    return clock_gettime(0, 0);\n}\n", "src/x/b.c": "/* clock_gettime( */\n"}, 1)


@tap.claim
def reads_that_say_their_source_are_not_counted():
    read = "    return bt_json_read(a, b, c, d);\n"
    expect_count("bt_json_read without its source", {"src/x/a.c": read}, 1)
    expect_count("bt_json_read without its source", {"src/x/a.c": "    /* from: file */\n" + read}, 0)


@tap.claim
def a_folder_without_tests_is_counted():
    expect_count("folders without tests", {"src/x/a.c": "", "src/y/a.c": "", "tests/y/test_a.c": ""}, 1)


sys.exit(tap.run())
