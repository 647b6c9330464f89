# SPDX-License-Identifier: Apache-2.0
"""test_layers.py ROOT - includes go one way, and the checker would notice if they did not."""
import sys

import check_layers
import tap

ROOT = sys.argv[1]
GOOD = {
    "src/LAYERS": "# who\npublic base.h: base\npublic json.h: json\n\nbase:\njson: base\n",
    "include/baton/base.h": "#include <stddef.h>\n",
    "include/baton/json.h": "#include <baton/base.h>\n",
    "src/base/a.h": "",
    "src/base/a.c": '#include "base/a.h"\n#include <baton/base.h>\n',
    "src/json/b.c": '#include <baton/json.h>\n#include "base/a.h"\n',
    "app/cli/main.c": '#include <stdio.h>\n#include <baton/json.h>\n#include "base/a.h"\n#include "cmd.h"\n',
    "app/cli/cmd.h": "",
}

# What is added to the good tree, and what the checker must say about it.
BAD = {
    "a_lower_folder_may_not_include_a_higher_one":
        ({"src/json/b.h": "", "src/base/x.c": '#include "json/b.h"\n'}, "base may not include json"),
    "a_public_header_counts_as_its_folder":
        ({"src/base/x.c": "#include <baton/json.h>\n"}, "base may not include json"),
    "a_public_header_may_not_reach_up":
        ({"include/baton/base.h": "#include <baton/json.h>\n"}, "base may not include json"),
    "a_public_header_may_not_see_the_inside":
        ({"include/baton/json.h": '#include "base/a.h"\n'}, "installed headers only"),
    "a_program_may_not_see_the_inside":
        ({"src/json/b.h": "", "app/cli/x.c": '#include "json/b.h"\n'}, "is not below app/"),
    "a_program_may_not_climb_out":
        ({"app/cli/x.c": '#include "../../src/base/a.h"\n'}, "is not below app/"),
    "a_program_names_real_headers":
        ({"app/cli/x.c": "#include <baton/secret.h>\n"}, "is not a public header"),
    "a_path_without_a_folder_is_refused":
        ({"src/base/x.c": '#include "a.h"\n'}, "is not a path from src/"),
    "a_path_that_climbs_is_refused":
        ({"src/json/x.c": '#include "base/../base/a.h"\n'}, "is not a path from src/"),
    "a_header_that_is_not_there_is_refused":
        ({"src/base/x.c": '#include "base/none.h"\n'}, "there is no src/base/none.h"),
    "a_computed_include_is_refused":
        ({"src/base/x.c": "#define H <a.h>\n#include H\n"}, "cannot be checked"),
    "a_folder_that_is_not_listed_is_refused":
        ({"src/extra/x.c": ""}, "is not in src/LAYERS"),
    "a_public_header_that_is_not_listed_is_refused":
        ({"include/baton/extra.h": ""}, "gives it no folder"),
    "a_cycle_cannot_be_written_down":
        ({"src/LAYERS": GOOD["src/LAYERS"].replace("base:\n", "base: json\n")}, "does not stand above it"),
}


@tap.claim
def the_tree_keeps_its_layers():
    tap.expect_clean(check_layers.check(ROOT))


@tap.claim
def a_good_sample_passes():
    with tap.sample(GOOD) as tree:
        tap.expect_clean(check_layers.check(tree))


@tap.claim
def an_include_in_a_comment_does_not_count():
    with tap.sample({**GOOD, "src/base/x.c": '/*\n#include "json/b.h"\n*/\n'}) as tree:
        tap.expect_clean(check_layers.check(tree))


@tap.claim
def a_header_that_the_build_makes_is_there():
    made = {"src/base/meson.build": "configure_file(output: 'made.h')\n", "src/base/x.c": '#include "base/made.h"\n'}
    with tap.sample({**GOOD, **made}) as tree:
        tap.expect_clean(check_layers.check(tree))


def refuse(name, files, words):
    def test():
        with tap.sample({**GOOD, **files}) as tree:
            tap.expect_complaint(check_layers.check(tree), words)
    test.__name__ = name
    tap.claim(test)


for name, (files, words) in BAD.items():
    refuse(name, files, words)
sys.exit(tap.run())
