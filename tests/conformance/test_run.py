# SPDX-License-Identifier: Apache-2.0
"""test_run.py - the runner itself: a program of a few lines stands in for baton, so that each word of
the case format is seen to pass where it should and to fail where it should."""
import base64
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tree"))

import match
import run
import tap
import waiting

REPORT = ('{"documents":[{"path":"x","verdict":"rejected","findings":[{"code":"A","severity":"HARD","pointer":"/a"},'
          '{"code":"B","severity":"WARN","pointer":""},{"code":"C","severity":"INFO","pointer":""}],'
          '"facts":{"findings":[{"code":"F"}]}}],"n":1,"t":true,"list":[1,2]}')

# A stand-in: `echo TEXT`, `cat` (stdin to stdout), `read FILE`, `write FILE TEXT`, `fail CODE`, `env NAME`, `die`.
STAND_IN = f"""#!{sys.executable}
import os, pathlib, sys
word, args = sys.argv[1], sys.argv[2:]
if word == "echo": print(args[0])
elif word == "cat": sys.stdout.buffer.write(sys.stdin.buffer.read())
elif word == "read": sys.stdout.buffer.write(pathlib.Path(args[0]).read_bytes())
elif word == "write": pathlib.Path(args[0]).write_text(args[1])
elif word == "fail": print("sorry", file=sys.stderr); sys.exit(int(args[0]))
elif word == "env": print(os.environ.get(args[0], "unset"))
elif word == "die": os.abort()
"""

# (claim, case members that hold, case members that do not)
ROWS = [
    ("an_exit_code_is_compared", {"run": ["fail", "1"], "expect": {"exit": 1}},
     {"run": ["fail", "1"], "expect": {"exit": 0}}),
    ("a_crash_is_never_fine", {"run": ["fail", "2"]}, {"run": ["die"]}),
    ("stdout_holds_a_text", {"run": ["echo", "abc"], "expect": {"stdout": "b"}},
     {"run": ["echo", "abc"], "expect": {"stdout": "x"}}),
    ("stderr_matches_a_pattern", {"run": ["fail", "1"], "expect": {"stderr": {"$re": "^sor+y$"}}},
     {"run": ["fail", "1"], "expect": {"stderr": {"$re": "^glad$"}}}),
    ("a_text_may_be_forbidden", {"run": ["echo", "abc"], "expect": {"not_stdout": "x"}},
     {"run": ["echo", "abc"], "expect": {"not_stdout": "b"}}),
    ("stdin_is_json_when_it_is_no_string", {"run": ["cat"], "stdin": {"a": [1]}, "expect": {"json": {"a": [1]}}},
     {"run": ["cat"], "stdin": {"a": [1]}, "expect": {"json": {"a": [2]}}}),
    ("true_is_not_one", {"run": ["echo", REPORT], "expect": {"json": {"n": 1, "t": True}}},
     {"run": ["echo", REPORT], "expect": {"json": {"n": True}}}),
    ("arrays_have_equal_length", {"run": ["echo", REPORT], "expect": {"json": {"list": [1, 2]}}},
     {"run": ["echo", REPORT], "expect": {"json": {"list": [1]}}}),
    ("contains_wants_each_item_somewhere", {"run": ["echo", REPORT], "expect": {"json": {"list": {"$contains": [2]}}}},
     {"run": ["echo", REPORT], "expect": {"json": {"list": {"$contains": [3]}}}}),
    ("a_length_is_compared", {"run": ["echo", REPORT], "expect": {"json": {"list": {"$len": 2}}}},
     {"run": ["echo", REPORT], "expect": {"json": {"list": {"$len": 1}}}}),
    ("a_member_may_be_absent", {"run": ["echo", REPORT], "expect": {"json": {"m": {"$absent": True}}}},
     {"run": ["echo", REPORT], "expect": {"json": {"n": {"$absent": True}}}}),
    ("a_member_must_be_there", {"run": ["echo", REPORT], "expect": {"json": {"n": {"$any": True}}}},
     {"run": ["echo", REPORT], "expect": {"json": {"m": {"$any": True}}}}),
    ("codes_compare_severity_and_pointer", {"run": ["echo", REPORT], "expect": {"codes": ["A@HARD /a", "B@WARN "]}},
     {"run": ["echo", REPORT], "expect": {"codes": ["A@HARD /b"]}}),
    ("each_code_needs_a_finding_of_its_own", {"run": ["echo", REPORT], "expect": {"codes": ["A"]}},
     {"run": ["echo", REPORT], "expect": {"codes": ["A", "A"]}}),
    ("only_allows_no_other_blocking_finding", {"run": ["echo", REPORT], "expect": {"codes": ["A", "B"], "only": True}},
     {"run": ["echo", REPORT], "expect": {"codes": ["A"], "only": True}}),
    ("a_code_may_be_forbidden", {"run": ["echo", REPORT], "expect": {"not_codes": ["F"]}},
     {"run": ["echo", REPORT], "expect": {"not_codes": ["C"]}}),
    ("the_verdict_is_compared", {"run": ["echo", REPORT], "expect": {"verdict": "rejected"}},
     {"run": ["echo", REPORT], "expect": {"verdict": "accepted"}}),
    ("a_report_must_be_json", {"run": ["echo", "{}"], "expect": {"json": {}}},
     {"run": ["echo", "{"], "expect": {"json": {}}}),
    ("a_written_file_is_compared", {"run": ["write", "f.txt", "x"], "expect": {"files": {"f.*": "x"}}},
     {"run": ["write", "f.txt", "x"], "expect": {"files": {"f.txt": "y"}}}),
    ("a_file_must_not_exist", {"run": ["echo", ""], "expect": {"files": {"f": {"$absent": True}}}},
     {"run": ["write", "f", "x"], "expect": {"files": {"f": {"$absent": True}}}}),
    ("a_case_file_may_be_bytes", {"files": {"b": {"$base64": base64.b64encode(b"\xff").decode()}},
                                  "run": ["read", "b"], "expect": {"stdout": "\ufffd"}},
     {"files": {"b": "text"}, "run": ["read", "b"], "expect": {"stdout": "\ufffd"}}),
    ("a_case_file_may_be_a_link", {"files": {"d/a": "x", "l": {"$link": "d/a"}}, "run": ["read", "l"],
                                   "expect": {"stdout": "x"}},
     {"files": {"l": {"$link": "d/a"}}, "run": ["read", "l"], "expect": {"exit": 0}}),
    ("the_environment_is_ours", {"run": ["env", "NO_COLOR"], "env": {"X": "y"}, "expect": {"stdout": "1"}},
     {"run": ["env", "BATON_STORE"], "env": {"BATON_STORE": "y"}, "expect": {"stdout": "unset"}}),
    ("steps_share_a_folder",
     {"steps": [{"run": ["write", "f", "x"]}, {"run": ["read", "f"], "expect": {"stdout": "x"}}]},
     {"steps": [{"run": ["write", "f", "x"]}, {"run": ["read", "f"], "expect": {"stdout": "y"}}]}),
    ("a_misspelt_expectation_is_refused", {"run": ["echo", ""], "expect": {}},
     {"run": ["echo", ""], "expect": {"exitt": 0}}),
    ("a_slow_program_is_refused", {"run": ["echo", ""], "timeout_s": 30},
     {"run": ["echo", ""], "timeout_s": 0.0001}),
]


def both_ways(name, good, bad):
    def test():
        with tap.sample({"baton": STAND_IN}) as folder:
            baton = pathlib.Path(folder) / "baton"
            baton.chmod(0o755)
            run.run_case({"id": "1", "title": "t", **good}, str(baton))
            try:
                run.run_case({"id": "1", "title": "t", **bad}, str(baton))
            except match.Mismatch:
                return
            raise AssertionError(f"passed though it must not: {bad}")
    test.__name__ = name
    tap.claim(test)


for row in ROWS:
    both_ways(*row)

CASES = pathlib.Path(__file__).resolve().parent / "cases"
LISTED = {"a/1": "later"}


def told(name, fault):
    """(is it a failure, what was told)"""
    lines = []
    return waiting.tell(1, name, "t", fault, LISTED, lines.append), "\n".join(lines)


@tap.claim
def a_waiting_case_may_fail_and_others_may_not():
    is_failure, text = told("a/1", "why")
    if is_failure or not text.endswith("waits for later"):
        raise AssertionError(text)
    if told("b/1", None) != (False, "ok 1 - b/1 t") or told("b/1", "why") != (True, "not ok 1 - b/1 t\n# why"):
        raise AssertionError((told("b/1", None), told("b/1", "why")))


@tap.claim
def a_waiting_case_that_passes_fails_the_run_and_names_the_line_to_remove():
    is_failure, text = told("a/1", None)
    if not is_failure or not text.startswith("not ok 1 - a/1 t\n") or 'remove the line "a/1 later" from tests/conformance/waiting.txt' not in text:
        raise AssertionError(text)


@tap.claim
def a_line_without_a_case_is_told():
    tap.expect_complaint(waiting.unknown({"a/1": "later", "a/2": "later"}, {"a/1"}), 'remove the line "a/2 later"')
    tap.expect_clean(waiting.unknown({"a/1": "later"}, {"a/1"}))


@tap.claim
def every_line_of_the_list_names_a_case():
    names = {name for path in CASES.glob("*.json") for name in run.read_chapter(path)}
    names |= {f"parity/{case['id']}" for case in json.loads((CASES.parent / "parity.json").read_text(encoding="utf-8"))["cases"]}
    tap.expect_clean(waiting.unknown(waiting.read(), names))


@tap.claim
def a_list_that_cannot_be_read_is_refused():
    for text in ("a/1\n", "a/1 later\na/1 later\n", "a/1 much later\n"):
        with tap.sample({"list": text}) as folder:
            try:
                waiting.read(pathlib.Path(folder) / "list")
            except SystemExit:
                continue
            raise AssertionError(f"read though it must not be: {text!r}")


@tap.claim
def every_chapter_is_run():
    chapters = (CASES.parent / "meson.build").read_text()
    missing = [path.name for path in CASES.iterdir() if f"'{path.stem}'" not in chapters]
    tap.expect_clean([f"{name} is not in meson.build" for name in missing])


sys.exit(tap.run())
