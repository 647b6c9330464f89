# SPDX-License-Identifier: Apache-2.0
"""test_scripts.py ROOT - the scripts a newcomer types: they parse, they refuse nonsense, and the count
at the end of a test run is the truth."""
import json
import os
import pathlib
import subprocess
import sys

import count_tests
import tap

ROOT = pathlib.Path(sys.argv[1])
SCRIPTS = ["bootstrap", "console", "run", "test", "lint", "bench", "fuzz", "interop"]


def log(*tests):
    """A log as `meson test` writes it: one JSON object per line."""
    lines = [json.dumps({"name": name, "result": result, "stdout": out, "returncode": 0 if len(more) == 0 else more[0]})
             for name, result, out, *more in tests]
    return "\n".join(lines) + "\n"


def count(text, *broken):
    with tap.sample({"testlog.json": text}) as tree:
        return count_tests.count([pathlib.Path(tree) / "testlog.json"], list(broken), print_line=lambda line: None)


@tap.claim
def every_script_parses_as_posix_shell():
    for name in [*("script/" + s for s in SCRIPTS), "script/lib.sh", ".ci/run"]:
        subprocess.run(["sh", "-n", str(ROOT / name)], check=True)
        if not name.endswith(".sh") and not os.access(ROOT / name, os.X_OK):
            raise AssertionError(f"{name} is not executable")


@tap.claim
def every_script_refuses_words_it_does_not_know():
    for name in SCRIPTS:
        done = subprocess.run([str(ROOT / "script" / name), "--no-such-word"], capture_output=True, text=True)
        if done.returncode != 2 or "usage: script/" + name not in done.stderr:
            raise AssertionError(f"{name}: exit {done.returncode}, {done.stderr!r}")


@tap.claim
def every_subtest_counts():
    text = log(("a", "OK", "TAP version 13\n1..3\nok 1 - x\nok 2 - y\nok 3 - z # SKIP no data\n"), ("b", "OK", ""))
    if count(text) != (3, 0, 1):
        raise AssertionError(count(text))


@tap.claim
def a_failed_subtest_counts_once():
    text = log(("a", "FAIL", "1..2\nok 1 - x\nnot ok 2 - y\n# why\n"))
    if count(text) != (1, 1, 0):
        raise AssertionError(count(text))


@tap.claim
def a_program_that_dies_is_a_failure_though_its_subtests_passed():
    for result in ("ERROR", "FAIL", "TIMEOUT", "INTERRUPT"):
        text = log(("a", result, "1..2\nok 1 - x\n"))
        if count(text) != (1, 1, 0):
            raise AssertionError((result, count(text)))


@tap.claim
def a_skipped_program_is_skipped_and_a_broken_build_is_a_failure():
    if count(log(("a", "SKIP", "1..0 # SKIP no node\n")), "build-x") != (0, 1, 1):
        raise AssertionError(count(log(("a", "SKIP", "1..0 # SKIP no node\n")), "build-x"))


@tap.claim
def a_skip_as_cmocka_spells_it_is_no_failure_unless_the_program_died():
    told = "1..2\nok 1 - x\nnot ok 2 # SKIP y\n# ok - tests\n"
    if count(log(("a", "FAIL", told))) != (1, 0, 1) or count(log(("a", "FAIL", told, -6))) != (1, 1, 1):
        raise AssertionError(count(log(("a", "FAIL", told))))


@tap.claim
def a_log_that_is_missing_or_empty_is_a_failure():
    if count("") != (0, 1, 0) or count_tests.count([pathlib.Path("no/such")], [], lambda line: None) != (0, 1, 0):
        raise AssertionError("a run without tests must not look like a pass")


sys.exit(tap.run())
