# SPDX-License-Identifier: Apache-2.0
"""test_first_day.py BATON - what somebody meets who has just begun: a terminal of some width, and things that are not there."""
import json
import os
import re
import socket
import sys

from program import ROOT, claim, equal, expect, finish, folder, on_terminal_with, public_folder, run, run_as_nobody

LONG = "examples/contract/broken.contract.md"
GOOD = "examples/json/review.handoff.json"
BAD = "examples/universal/loop.handoff.json"


def shown(*paths, columns):
    """What a person sees, line by line, without colours."""
    _, output = on_terminal_with("", "check", *paths, columns=columns, cwd=ROOT)
    return re.sub(r"\x1b\[[0-9;]*m|\x1b\]8;;[^\x1b]*\x1b\\", "", output.decode()).split("\r\n")


def is_place(line):
    """A path is never broken, so that it can be copied."""
    return line.lstrip().startswith("-->")


@claim
def a_report_keeps_to_the_width_of_its_terminal():
    for columns in (70, 80, 120):
        wide = [line for line in shown(LONG, BAD, columns=columns) if len(line) > columns and not is_place(line)]
        equal((columns, [line for line in wide if " " in line.strip()]), (columns, []))


@claim
def nothing_is_wrapped_where_no_width_is_known():
    plain = run("check", LONG, cwd=ROOT).stdout.decode().split("\n")
    equal(shown(LONG, columns=0), plain)
    equal(shown(LONG, columns=5)[:4], plain[:4])  # too narrow for any good
    equal(max(map(len, plain)) > 100, True)


@claim
def a_wide_terminal_shows_more_of_a_line():
    narrow, wide = (max(len(line) for line in shown(LONG, columns=columns) if re.match(r"\d+ \|", line)) for columns in (80, 200))
    equal((narrow <= 80, 100 < wide <= 200), (True, True))


@claim
def the_caret_stands_below_its_place_at_any_width():
    for columns in (60, 80, 200):
        lines = shown("--off-list", "reject", LONG, columns=columns)
        source = next(i for i, line in enumerate(lines) if "public_ip" in line and line.startswith("20 |") and lines[i - 2].endswith("public_ip)"))
        caret = lines[source + 1].index("^")
        equal((columns, lines[source][caret:caret + 13]), (columns, '"203.0.113.7"'))


@claim
def what_passed_stands_apart_from_findings():
    lines = shown(GOOD, GOOD, BAD, columns=80)
    equal((lines[0], lines[1], lines[2], lines[3][:6]), (f"ok {GOOD} (universal)", f"ok {GOOD} (universal)", "", "error["))


@claim
def what_is_not_there_is_named_with_what_to_do():
    with folder({}) as place:
        for words, said, advice in (
            (["ledger", "verify"], "the store does not exist", "baton ledger init --origin NAME makes it; --store URL names another"),
            (["serve", "--store", "x.db"], "the store does not exist", "baton ledger init --origin NAME --store x.db makes it"),
            (["check", "."], "it holds no document", "name the document itself"),
        ):
            result = expect(run(*words, cwd=place), 2, err=said)
            lines = result.stderr.decode().splitlines()
            equal((words, len(lines), lines[-1].startswith(f"       {advice}")), (words, 2, True))


@claim
def the_end_of_a_ledger_is_a_table():
    with folder({"bad\x1b]0;x.handoff.json": (ROOT / BAD).read_text()}) as place:
        expect(run("ledger", "init", "--origin", "a.example/log", cwd=place), 0)
        _, nothing = on_terminal_with("", "ledger", "tail", cwd=place)
        equal(nothing.startswith(b"No entries. "), True)
        result = expect(run("ledger", "append", "bad\x1b]0;x.handoff.json", cwd=place), 1)
        equal(result.stdout.decode().splitlines()[-1], "recorded a.example/log#0: rejected universal release-planner -> patch-builder")
        _, seen = on_terminal_with("", "ledger", "tail", cwd=place, columns=200)
        head, row = seen.decode().splitlines()
        equal(head.split(), ["SEQ", "TIME", "VERDICT", "KIND", "DIALECT", "FROM", "TO", "CODES"])
        equal(re.fullmatch(r"  0  \d+ (s|min) ago +rejected  handoff  universal  release-planner  patch-builder  REENTRY_WITHOUT_REASON", row) is not None, True)
        piped = run("ledger", "tail", cwd=place).stdout.decode().splitlines()[1]
        equal(re.fullmatch(r"  0  \d{4}-\d\d-\d\dT\S+Z +rejected .* REENTRY_WITHOUT_REASON", piped) is not None, True)
        _, line = on_terminal_with("", "ledger", "tail", "-f", "jsonl", cwd=place)
        equal(json.loads(line)["seq"], 0)


@claim
def tables_keep_to_the_width_of_a_terminal():
    whole = run("rules", "JSON_").stdout.decode().splitlines()
    for columns in (40, 80, 200):
        _, seen = on_terminal_with("", "rules", "JSON_", columns=columns)
        lines = seen.decode().splitlines()
        equal((columns, len(lines), [line.split()[0] for line in lines][:1]), (columns, len(whole), ["CODE"]))
        equal((columns, [line for line in lines if line != line.rstrip()]), (columns, []))
        equal((columns, max(map(len, lines)) <= max(columns, 60)), (columns, True))
        equal((columns, any("…" in line for line in lines)), (columns, columns < 200))
    equal(any("…" in line for line in whole), False)


@claim
def a_port_in_use_leads_to_one_that_is_free():
    with folder({}) as place, socket.create_server(("127.0.0.1", 0)) as taken:
        expect(run("ledger", "init", "--origin", "a.example/log", cwd=place), 0)
        where = f"127.0.0.1:{taken.getsockname()[1]}"
        expect(run("serve", "--listen", where, cwd=place), 2, err=f"cannot listen at {where}: Address already in use; port 0 takes any that is free")


@claim
def a_folder_without_rights_is_named():
    with public_folder({}) as place:
        os.mkdir(f"{place}/shut", 0o555)
        result = run_as_nobody(place, "ledger", "init", "--origin", "a.example/log", "--store", "shut/x.db")
        expect(result, 2, err="cannot write shut/x.db.key: Permission denied")


sys.exit(finish())
