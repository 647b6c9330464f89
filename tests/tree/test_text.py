# SPDX-License-Identifier: Apache-2.0
"""test_text.py ROOT - licence lines, clean white space, and nothing that belongs to one machine."""
import sys

import check_text
import tap

ROOT = sys.argv[1]
HEAD = "/* SPDX-License-Identifier: Apache-2.0 */\n/* x.c - a sentence. */\n"

# Samples are spelled in halves, so that this file passes the check that it tests.
BAD = {
    "a_path_of_one_machine_is_refused": ("docs/x.md", "see /ho" "me/me/x\n", "x.md:1: a path of one machine"),
    "a_note_for_later_needs_a_number": ("src/base/x.c", HEAD + "/* TO" "DO tidy */\n", "x.c:3: a note for later"),
    "a_tab_is_refused": ("script/x.sh", "# SPDX-License-Identifier: Apache-2.0\n\ttrue\n", "x.sh:2: a tab"),
    "a_blank_at_the_end_is_refused": ("docs/x.md", "words \n", "x.md:1: a tab"),
    "a_carriage_return_is_refused": ("docs/x.md", "words\r\n", "x.md:1: a tab"),
    "a_missing_last_line_feed_is_refused": ("docs/x.md", "words", "the last line has no end"),
    "a_left_over_of_a_merge_is_refused": ("docs/x.md", "<" * 7 + " HEAD\n", "a left-over of a merge"),
    "an_old_word_on_a_page_is_refused": ("docs/x.md", "It men" "ds a handoff.\n", "x.md:1: \"men" "ds\": write fix"),
    "the_word_for_a_check_is_refused_in_help": ("app/cli/x.ops", "# SPDX-License-Identifier: Apache-2.0\n  summary jud" "ge it\n", "write check"),
    "bytes_that_are_no_text_are_refused": ("docs/x.md", b"\xff\n", "not UTF-8"),
    "code_without_a_licence_line_is_refused": ("src/base/x.c", "/* x.c - a sentence. */\n", "licence line"),
    "a_script_without_a_licence_line_is_refused": ("script/x", "#!/bin/sh\ntrue\n", "licence line"),
    "a_file_that_does_not_say_what_it_is_is_refused":
        ("src/base/x.c", "/* SPDX-License-Identifier: Apache-2.0 */\n\nint a;\n", "opening comment `x.c - ...`"),
    "a_file_with_the_opening_of_another_is_refused":
        ("src/base/y.c", HEAD, "opening comment `y.c - ...`"),
}


@tap.claim
def the_tree_is_clean():
    tap.expect_clean(check_text.check(ROOT))


@tap.claim
def a_good_sample_passes():
    with tap.sample({
        "src/base/x.c": HEAD + "/* TO" "DO(12): tidy */\n",
        "script/x": "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n",
        "fuzz/corpus/x/1": b"\xff\t\r",
    }) as tree:
        tap.expect_clean(check_text.check(tree))


def refuse(name, path, content, words):
    def test():
        with tap.sample({path: content}) as tree:
            tap.expect_complaint(check_text.check(tree), words)
    test.__name__ = name
    tap.claim(test)


for name, (path, content, words) in BAD.items():
    refuse(name, path, content, words)
sys.exit(tap.run())
