# SPDX-License-Identifier: Apache-2.0
"""test_scripts.py ROOT - the scripts a newcomer types: they parse, they refuse nonsense, and the count
at the end of a test run is the truth."""
import json
import os
import pathlib
import subprocess
import sys
import time

import count_tests
import tap

ROOT = pathlib.Path(sys.argv[1])
SCRIPTS = ["bootstrap", "console", "run", "test", "lint", "bench", "fuzz", "interop", "release"]


# A program that only notes that it was called; bootstrap waits while there is a pipe named hold.
STUB = """#!/bin/sh
echo "${0##*/} $*" >>calls
[ "${0##*/} ${1:-}" != "meson setup" ] || mkdir -p "$2"
[ "${0##*/}" != bootstrap ] || [ ! -p hold ] || cat hold || :
"""
WAIT_S = 60


def stubbed():
    """script/run in a tree of its own, with nothing around it but stubs."""
    real = {f"script/{name}": (ROOT / "script" / name).read_text() for name in ("run", "lib.sh")}
    tree = tap.sample({**real, "script/bootstrap": STUB, "script/console": STUB, "calls": "",
                       **{f"bin/{name}": STUB for name in ("meson", "ninja", "python3", "npm", "node")}})
    for name in ("script/run", "script/bootstrap", "script/console", *(f"bin/{path.name}" for path in pathlib.Path(tree.name).glob("bin/*"))):
        (pathlib.Path(tree.name) / name).chmod(0o755)
    return tree


def start_run(tree, *args):
    return subprocess.Popen(["script/run", *args], cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "PATH": f"{tree}/bin:{os.environ['PATH']}"})


def calls(tree):
    return (pathlib.Path(tree) / "calls").read_text().splitlines()


def log(*tests):
    """A log as `meson test` writes it: one JSON object per line."""
    lines = [json.dumps({"name": name, "result": result, "stdout": out, "returncode": 0 if len(more) == 0 else more[0]})
             for name, result, out, *more in tests]
    return "\n".join(lines) + "\n"


def count(text, *broken):
    with tap.sample({"testlog.json": text}) as tree:
        totals = count_tests.count([pathlib.Path(tree) / "testlog.json"], list(broken), print_line=lambda line: None)
        return totals.passed, totals.failed, totals.skipped


def summary(*outputs):
    """What is told at the end about programs with this output, in a build called `plain`."""
    text = log(*((f"p{i}", "OK", output) for i, output in enumerate(outputs)))
    lines = []
    with tap.sample({"plain/meson-logs/testlog.json": text}) as tree:
        totals = count_tests.count([pathlib.Path(tree) / "plain/meson-logs/testlog.json"], [], lines.append)
    count_tests.print_summary(totals, lines.append)
    return lines


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
def run_and_test_take_no_npm_and_run_hands_its_options_on():
    with stubbed() as tree:
        done = start_run(tree, "--port", "9000", "--check")
        told = done.communicate(timeout=WAIT_S)
        names = [line.split()[0] for line in calls(tree)]
        if done.returncode != 0 or names != ["bootstrap", "meson", "ninja", "python3"] or "npm" in calls(tree)[0]:
            raise AssertionError((done.returncode, told, calls(tree)))
        if calls(tree)[-1] != "python3 -B examples/demo/run.py build/run/app/cli/baton build/demo --check --port 9000":
            raise AssertionError(calls(tree)[-1])
    words = (ROOT / "script/test").read_text()
    if "npm" in words or "script/console" in words:
        raise AssertionError("script/test takes npm or builds the console")


@tap.claim
def a_second_run_is_refused_before_its_first_step_and_names_the_first():
    with stubbed() as tree:
        hold = pathlib.Path(tree) / "hold"
        os.mkfifo(hold)
        first = start_run(tree)
        try:
            deadline = time.monotonic() + WAIT_S
            while not calls(tree) and time.monotonic() < deadline:
                time.sleep(0.02)
            second = start_run(tree)
            told = second.communicate(timeout=WAIT_S)
            if second.returncode != 1 or f"as process {first.pid}." not in told[1] or f"kill {first.pid}\n" not in told[1]:
                raise AssertionError((second.returncode, told))
            if calls(tree) != ["bootstrap build run"]:
                raise AssertionError(calls(tree))
        finally:
            hold_end = os.open(hold, os.O_RDWR)  # never waits for a reader
            hold.unlink()
            os.close(hold_end)
            told = first.communicate(timeout=WAIT_S)
        if first.returncode != 0:
            raise AssertionError((first.returncode, told))
        third = start_run(tree)
        if third.wait(timeout=WAIT_S) != 0:
            raise AssertionError(third.communicate())


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
    told = "1..2\nok 1 - x\n# skipped: no data\nnot ok 2 # SKIP y\n# ok - tests\n"
    if count(log(("a", "FAIL", told))) != (1, 0, 1) or count(log(("a", "FAIL", told, -6))) != (1, 1, 1):
        raise AssertionError(count(log(("a", "FAIL", told))))


@tap.claim
def a_log_that_is_missing_or_empty_is_a_failure():
    if count("") != (0, 1, 0) or count_tests.count([pathlib.Path("no/such")], [], lambda line: None).failed != 1:
        raise AssertionError("a run without tests must not look like a pass")


@tap.claim
def a_skip_without_a_reason_is_a_failure():
    for text in (log(("a", "OK", "1..2\nok 1 - x\nok 2 - y # SKIP\n")), log(("a", "FAIL", "1..1\nok 1 - x\nnot ok 2 # SKIP y\n")),
                 log(("b", "OK", "ok 1 - x\n"), ("a", "SKIP", "1..0 # SKIP\n"))):
        if count(text) != (1, 1, 1):
            raise AssertionError((text, count(text)))


@tap.claim
def skips_are_listed_by_reason_at_the_end():
    lines = summary("1..2\nok 1 - x # SKIP no data\nok 2 - y # SKIP no root\n", "1..2\nok 1 - w\n# skipped: no data\n# and more\nok 2 # SKIP z\n")
    if lines != ["skipped, by reason:", "  no data", "    p0: x (plain)", "    p1: z (plain)", "  no root", "    p0: y (plain)",
                 "1 passed, 0 failed, 3 skipped"]:
        raise AssertionError(lines)


@tap.claim
def a_case_that_waits_is_neither_passed_nor_failed():
    waits = "# TO" "DO waits for"
    lines = summary(f"1..3\nok 1 - a/1 x\nnot ok 2 - a/2 y {waits} wrap\nnot ok 3 - a/3 z {waits} proof\n")
    if lines[-2:] != ["  proof 1, wrap 1", "1 passed, 0 failed, 2 waiting"]:
        raise AssertionError(lines)


sys.exit(tap.run())
