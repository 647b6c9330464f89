# SPDX-License-Identifier: Apache-2.0
"""test_fix.py BATON - baton check --fix: in place, with the old bytes kept, or only shown."""
import json
import os
import pathlib
import random

from program import claim, codes, equal, expect, finish, folder, public_folder, report, run, run_as_nobody

NOW = ("--now", "2026-04-14T09:00:00Z")
GOOD = {"handoff": {
    "version": "3.0", "schema_type": "universal", "timestamp": "2026-04-14T08:30:00Z",
    "trace_id": "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4",
    "source": {"skill": "release-planner", "workflow_id": "run-0412", "session_path": "work", "phase": "Triage"},
    "target": {"skill": "patch-builder"},
    "context": {"summary": "Build the fix for the date parser; three customers are blocked.",
                "problem_type": "implementation"},
    "payload": {"working": {"ticket": "DP-118", "files": ["parse.c", "date.c"]}},
    "meta": {"token_count": 128, "confidence": "high"}}}


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def handoff(**members):
    """GOOD with other members in handoff; None takes one away."""
    text = json.loads(json.dumps(GOOD))
    for name, value in members.items():
        text["handoff"].pop(name, None) if value is None else text["handoff"].update({name: value})
    return text


LATE = handoff(timestamp="2026-04-14T10:30:00+02:00")  # a safe fix mends it
EXTRA = handoff(timestamp="2026-04-14T10:30:00+02:00", note="x")  # an unsafe one as well


def fix(place, *words):
    return run("check", "--as", "universal", *NOW, "--fix", *words, cwd=place)


def read(place, name):
    return (pathlib.Path(place) / name).read_text(encoding="utf-8")


def names(place):
    return sorted(os.listdir(place))


@claim
def safe_fixes_are_made_in_place_and_in_the_style_of_the_document():
    for text in (compact(LATE), json.dumps(LATE, indent=4)):
        with folder({"h.json": text}) as place:
            found = report(expect(fix(place, "-f", "json", "h.json"), 0))["documents"][0]
            first = found["facts"]["changes"][0]
            equal((first["op"], first["path"], first["value"], first["was"], first["why"]),
                  ("replace", "/handoff/timestamp", "2026-04-14T08:30:00Z", "2026-04-14T10:30:00+02:00",
                   "TIMESTAMP_NOT_UTC"))
            now = read(place, "h.json")
            equal(json.loads(now)["handoff"]["timestamp"], "2026-04-14T08:30:00Z")
            equal(now, compact(json.loads(now)) if "\n" not in text else json.dumps(json.loads(now), indent=2) + "\n")
            equal(names(place), ["h.json"])


@claim
def what_only_an_unsafe_fix_mends_stays_and_is_told():
    with folder({"h.json": compact(EXTRA)}) as place:
        equal(codes(expect(fix(place, "-f", "json", "h.json"), 1)), ["SCHEMA_UNEVALUATED_PROPERTIES"])
        equal(json.loads(read(place, "h.json"))["handoff"]["note"], "x")


@claim
def unsafe_fixes_keep_the_old_bytes_and_never_overwrite_kept_ones():
    with folder({"h.json": compact(EXTRA), "h.json.orig": "mine"}) as place:
        os.chmod(pathlib.Path(place) / "h.json", 0o640)
        expect(fix(place, "--unsafe-fixes", "h.json"), 0)
        equal(names(place), ["h.json", "h.json.orig", "h.json.orig.2"])
        equal((read(place, "h.json.orig"), read(place, "h.json.orig.2")), ("mine", compact(EXTRA)))
        for name in ("h.json", "h.json.orig.2"):
            equal(os.stat(pathlib.Path(place) / name).st_mode & 0o777, 0o640)
        expect(fix(place, "--unsafe-fixes", "h.json"), 0)
        equal(names(place), ["h.json", "h.json.orig", "h.json.orig.2"])


@claim
def a_document_that_needs_nothing_is_not_touched():
    with folder({"h.json": compact(GOOD)}) as place:
        before = os.stat(pathlib.Path(place) / "h.json")
        found = report(expect(fix(place, "-f", "json", "h.json"), 0))["documents"][0]
        after = os.stat(pathlib.Path(place) / "h.json")
        equal((found["facts"]["changes"], before.st_ino), ([], after.st_ino))


@claim
def what_cannot_be_read_is_left_alone():
    with folder({"h.json": '{"handoff":'}) as place:
        equal(codes(expect(fix(place, "-f", "json", "--unsafe-fixes", "h.json"), 1)), ["JSON_SYNTAX"])
        equal((names(place), read(place, "h.json")), (["h.json"], '{"handoff":'))


@claim
def only_universal_handoffs_are_changed():
    with folder({"x.json": '{"a": 1}', "handoffs/a-to-b.json": compact(LATE)}) as place:
        expect(run("check", "--as", "json", "--fix", "x.json", cwd=place), 0)
        equal(read(place, "x.json"), '{"a": 1}')
        expect(run("check", "--fix", *NOW, "handoffs", cwd=place), 0)
        equal("+02:00" in read(place, "handoffs/a-to-b.json"), False)


@claim
def standard_input_can_be_shown_but_not_fixed():
    equal(expect(run("check", "--as", "universal", "--fix", "-", stdin=compact(LATE)), 2, err="--fix").stdout, b"")
    expect(run("check", "--as", "universal", *NOW, "--diff", "-", stdin=compact(LATE)), 0, out="+++ <stdin>\n")
    expect(run("check", "--unsafe-fixes", "x.json"), 2, err="--unsafe-fixes")


@claim
def the_fail_level_decides_about_the_fixed_document():
    with folder({"h.json": compact(LATE)}) as place:
        expect(run("check", "--as", "universal", *NOW, "--fail-level", "WARN", "h.json", cwd=place), 1)
        expect(fix(place, "--fail-level", "WARN", "h.json"), 0)


def apply_diff(lines, diff):
    """The lines after a unified diff, checked against those before."""
    out, at = [], 0
    for line in diff:
        if line.startswith("@@"):
            start = line.split()[1][1:].split(",")
            first = int(start[0]) - (0 if len(start) > 1 and start[1] == "0" else 1)
            out += lines[at:first]
            at = first
        elif line[0] in " -":
            equal(lines[at], line[1:])
            at += 1
            out += [line[1:]] if line[0] == " " else []
        elif line[0] == "+":
            out.append(line[1:])
    return out + lines[at:]


@claim
def a_diff_leads_from_one_pretty_form_to_the_other_and_nothing_is_written():
    chance = random.Random(7)
    for size in (0, 1, 30, 400, 3000):
        tags = {f"k{i}": chance.choice(["x", 7, None]) for i in range(size)}
        given = handoff(tracing={"tags": tags}, note=1)
        with folder({"h.json": compact(given)}) as place:
            shown = run("check", "--as", "universal", *NOW, "--no-refs", "--budget", "100000", "--unsafe-fixes",
                        "--diff", "h.json", cwd=place)
            equal((names(place), read(place, "h.json")), (["h.json"], compact(given)))
            lines = shown.stdout.decode().splitlines()
            equal(lines[:2], ["--- h.json", "+++ h.json"])
            before = json.dumps(given, indent=2).splitlines()
            after = "\n".join(apply_diff(before, lines[2:]))
            fix(place, "--unsafe-fixes", "--no-refs", "--budget", "100000", "h.json")
            equal(json.loads(after), json.loads(read(place, "h.json")))
            equal(after, json.dumps(json.loads(after), indent=2))


@claim
def a_diff_is_short_when_little_changed():
    with folder({"h.json": compact(LATE)}) as place:
        lines = expect(fix(place, "--diff", "h.json"), 0).stdout.decode().splitlines()
        equal([line for line in lines if line[0] in "-+"][2:],
              ['-    "timestamp": "2026-04-14T10:30:00+02:00",', '+    "timestamp": "2026-04-14T08:30:00Z",'])
        found = report(expect(fix(place, "--diff", "-f", "json", "h.json"), 0))["documents"][0]
        equal(found["diff"].splitlines(), lines)


@claim
def a_folder_that_cannot_be_written_is_a_failure_and_changes_nothing():
    with public_folder({"shut/h.json": compact(LATE)}) as place:
        shut = pathlib.Path(place, "shut")
        shut.chmod(0o555)
        expect(run_as_nobody(place, "check", "--as", "universal", *NOW, "--fix", "shut/h.json"), 2, err="cannot write shut/h.json")
        equal((shut / "h.json").read_text(), compact(LATE))
        shut.chmod(0o755)  # so that it can be removed


finish()
