#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""count_tests.py [--broken NAME]... TESTLOG... - add up test runs; the last line is "N passed, N failed".

A TESTLOG is meson's testlog.json. What counts is the single test inside a program, as TAP tells it.
A program that died counts one failure more than it could tell; a program without TAP counts one; a
log that is missing or empty is a failure, since no run must look like a good one. What was skipped is
listed at the end, grouped by reason; a skip without a reason is a failure. Conformance cases that wait
for a chapter are expected to fail and count for themselves.
"""
import argparse
import collections
import itertools
import json
import pathlib
import re
import sys

LINE = re.compile(r"^(ok|not ok)\b[ \d]*-?\s*(.*)$")
SKIP = re.compile(r"#\s*skip\S*\s*", re.I)
WAITING = re.compile(r"\s*#\s*TO" r"DO waits for (\S+)$")  # what TAP calls a failure that is expected
WHOLE = re.compile(r"^1\.\.0\s*#\s*skip\S*\s*(.*)$", re.I)
REASON = "# skipped: "  # on a comment line before the result, where cmocka leaves no room for it


class Totals:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.skips = collections.defaultdict(dict)    # reason -> test -> builds
        self.waiting = collections.defaultdict(set)   # chapter -> cases

    @property
    def waits(self):
        return sum(len(cases) for cases in self.waiting.values())

    def add_skip(self, test, build, reason, print_line):
        self.skipped += 1
        if reason:
            self.skips[reason].setdefault(test, []).append(build)
        else:
            self.failed += 1
            print_line(f"FAILED: {test}: skipped without a reason")


def is_excused(test, odd_skips):
    """cmocka 1.1.5 spells a skipped test `not ok # SKIP`, which meson takes for a failure."""
    return odd_skips > 0 and test["result"] == "FAIL" and test.get("returncode") == 0


def reason_of(words, before):
    """The test and why it was skipped: behind the word, or above. cmocka puts the test's name behind the word."""
    name, reason = SKIP.split(words, 1)
    if name.strip():
        return name.strip(), reason.strip()
    comments = itertools.takewhile(lambda line: line.startswith("#"), reversed(before))
    return reason.strip(), next((line[len(REASON):].strip() for line in comments if line.startswith(REASON)), "")


def count_lines(name, build, lines, totals, print_line):
    """The TAP lines of a program; how many were told, failed, and were skips that meson takes for failures."""
    told = failed = odd_skips = 0
    for i, line in enumerate(lines):
        match = LINE.match(line)
        if not match:
            continue
        told += 1
        waiting = WAITING.search(match[2])
        if SKIP.search(match[2]):
            odd_skips += match[1] != "ok"
            claim, reason = reason_of(match[2], lines[:i])
            totals.add_skip(f"{name}: {claim}", build, reason, print_line)
        elif match[1] == "ok":
            totals.passed += 1
        elif waiting:
            totals.waiting[waiting[1]].add(f"{name}: {match[2].split(' ')[0]}")
        else:
            failed += 1
            print_line(f"FAILED: {name}: {match[2]}")
            for shown in lines[i + 1:i + 40]:
                if not shown.startswith("#"):
                    break
                print_line("    " + shown)
    totals.failed += failed
    return told, failed, odd_skips


def count_program(test, build, totals, print_line):
    """One test program; failures are told."""
    name, result = test["name"], test["result"]
    lines = (test.get("stdout") or "").split("\n")
    told, failed, odd_skips = count_lines(name, build, lines, totals, print_line)
    if result == "SKIP" and not told:
        whole = next(filter(None, map(WHOLE.match, lines)), None)
        totals.add_skip(name, build, whole[1].strip() if whole else "", print_line)
    elif result not in ("OK", "SKIP", "EXPECTEDFAIL") and failed == 0 and not is_excused(test, odd_skips):
        totals.failed += 1
        print_line(f"FAILED: {name}: {result}")
        for shown in (lines + (test.get("stderr") or "").split("\n"))[-40:]:
            print_line("    " + shown)
    elif result == "OK" and not told:
        totals.passed += 1


def count(logs, broken, print_line=print):
    totals = Totals()
    totals.failed = len(broken)
    for name in broken:
        print_line(f"FAILED: {name}")
    for log in logs:
        tests = []
        if log.is_file():
            tests = [json.loads(line) for line in log.read_text().split("\n") if line.strip()]
        if not tests:
            totals.failed += 1
            print_line(f"FAILED: no test ran for {log}")
        build = log.parent.parent.name  # build/test/NAME/meson-logs/testlog.json
        for test in tests:
            count_program(test, build, totals, print_line)
    return totals


def print_summary(totals, print_line=print):
    """What was not tried, and why; the last line is the sum."""
    if totals.skipped:
        print_line("skipped, by reason:")
    for reason, tests in sorted(totals.skips.items()):
        print_line(f"  {reason}")
        for test, builds in tests.items():
            print_line(f"    {test} ({', '.join(dict.fromkeys(builds))})")
    if totals.waits:
        print_line("waiting for a chapter that is not implemented (tests/conformance/waiting.txt):")
        print_line("  " + ", ".join(f"{chapter} {len(cases)}" for chapter, cases in sorted(totals.waiting.items())))
    print_line(f"{totals.passed} passed, {totals.failed} failed"
               + (f", {totals.skipped} skipped" if totals.skipped else "")
               + (f", {totals.waits} waiting" if totals.waits else ""))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--broken", action="append", default=[])
    parser.add_argument("logs", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    totals = count(args.logs, args.broken)
    print_summary(totals)
    return 0 if totals.passed and not totals.failed else 1


if __name__ == "__main__":
    sys.exit(main())
