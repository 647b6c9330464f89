#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""count_tests.py [--broken NAME]... TESTLOG... - add up test runs; the last line is "N passed, N failed".

A TESTLOG is meson's testlog.json. What counts is the single test inside a program, as TAP tells it.
A program that died counts one failure more than it could tell; a program without TAP counts one; a
log that is missing or empty is a failure, since no run must look like a good one.
"""
import argparse
import json
import pathlib
import re
import sys

LINE = re.compile(r"^(ok|not ok)\b[ \d]*-?\s*(.*)$")
SKIP = re.compile(r"#\s*skip", re.I)


def is_excused(test, odd_skips):
    """cmocka 1.1.5 spells a skipped test `not ok # SKIP`, which meson takes for a failure."""
    return odd_skips > 0 and test["result"] == "FAIL" and test.get("returncode") == 0


def count_program(test, print_line):
    """(passed, failed, skipped) of one test program; failures are told."""
    passed = failed = skipped = odd_skips = 0
    name, result = test["name"], test["result"]
    lines = (test.get("stdout") or "").split("\n")
    for i, line in enumerate(lines):
        match = LINE.match(line)
        if not match:
            continue
        if SKIP.search(match[2]):
            skipped += 1
            odd_skips += match[1] != "ok"
            print_line(f"skipped: {name}: {match[2]}")
        elif match[1] == "ok":
            passed += 1
        else:
            failed += 1
            print_line(f"FAILED: {name}: {match[2]}")
            for told in lines[i + 1:i + 40]:
                if not told.startswith("#"):
                    break
                print_line("    " + told)
    told_something = passed + failed + skipped > 0
    if result == "SKIP" and not told_something:
        skipped += 1
        print_line(f"skipped: {name}")
    elif result not in ("OK", "SKIP", "EXPECTEDFAIL") and failed == 0 and not is_excused(test, odd_skips):
        failed += 1
        print_line(f"FAILED: {name}: {result}")
        for told in (lines + (test.get("stderr") or "").split("\n"))[-40:]:
            print_line("    " + told)
    elif result == "OK" and not told_something:
        passed += 1
    return passed, failed, skipped


def count(logs, broken, print_line=print):
    totals = [0, len(broken), 0]
    for name in broken:
        print_line(f"FAILED: {name}")
    for log in logs:
        tests = []
        if log.is_file():
            tests = [json.loads(line) for line in log.read_text().split("\n") if line.strip()]
        if not tests:
            totals[1] += 1
            print_line(f"FAILED: no test ran for {log}")
        for test in tests:
            totals = [a + b for a, b in zip(totals, count_program(test, print_line))]
    return tuple(totals)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--broken", action="append", default=[])
    parser.add_argument("logs", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    passed, failed, skipped = count(args.logs, args.broken)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
