# SPDX-License-Identifier: Apache-2.0
"""test_fix.py BATON - baton check --fix: in place, with the old bytes kept, or only shown."""
import json
import os
import pathlib
import random
import subprocess

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
def safe_fixes_are_made_in_place_and_change_nothing_else():
    for text in (compact(LATE), json.dumps(LATE, indent=4)):
        with folder({"h.json": text}) as place:
            found = report(expect(fix(place, "-f", "json", "h.json"), 0))["documents"][0]
            first = found["facts"]["changes"][0]
            equal((first["op"], first["path"], first["value"], first["was"], first["why"]),
                  ("replace", "/handoff/timestamp", "2026-04-14T08:30:00Z", "2026-04-14T10:30:00+02:00",
                   "TIMESTAMP_NOT_UTC"))
            now = read(place, "h.json")
            equal(json.loads(now)["handoff"]["timestamp"], "2026-04-14T08:30:00Z")
            equal(now, text.replace("2026-04-14T10:30:00+02:00", "2026-04-14T08:30:00Z")
                  .replace('128', str(json.loads(now)["handoff"]["meta"]["token_count"])))
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
    expect(run("check", "--as", "universal", *NOW, "--diff", "-", stdin=compact(LATE)), 0, out="+++ b/<stdin>\n")
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


def diff_of(place, *words):
    return run("check", *NOW, "--no-refs", "--diff", *words, cwd=place).stdout


def expect_applied(place, names_of_files, diff):
    """git apply and patch -p1 make of the files what --fix makes of them."""
    wanted = {}
    with folder({}) as fixed:
        for name in names_of_files:
            target = pathlib.Path(fixed, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(pathlib.Path(place, name).read_bytes())
        run("check", *NOW, "--no-refs", "--fix", "--unsafe-fixes", "--", *names_of_files, cwd=fixed)
        wanted = {name: pathlib.Path(fixed, name).read_bytes() for name in names_of_files}
    for tool in (["git", "apply", "-"], ["patch", "-p1", "--batch", "--silent"]):
        with folder({}) as patched:
            for name in names_of_files:
                target = pathlib.Path(patched, name)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(pathlib.Path(place, name).read_bytes())
            done = subprocess.run(tool, input=diff, cwd=patched, capture_output=True, check=False)
            equal((tool[0], done.returncode, done.stderr), (tool[0], 0, b""))
            for name in names_of_files:
                equal((tool[0], name, pathlib.Path(patched, name).read_bytes()), (tool[0], name, wanted[name]))


PRETTY = json.dumps(EXTRA, indent=2)
TEXTS = {
    "compact": compact(EXTRA), "pretty": PRETTY + "\n", "no final line end": PRETTY, "CRLF": PRETTY.replace("\n", "\r\n") + "\r\n",
    "tabs": json.dumps(EXTRA, indent="\t") + "\n\n", "UTF-8": json.dumps(handoff(note="\u00e9\u202e\U0001f600\u009b", timestamp="2026-04-14T10:30:00+02:00"), indent=1, ensure_ascii=False),
    "lines apart": "\n" * 40 + json.dumps(EXTRA, indent=2) + "\n" * 40,
}


@claim
def a_diff_is_taken_by_git_apply_and_by_patch():
    for kind, text in TEXTS.items():
        with folder({}) as place:
            pathlib.Path(place, "h.handoff.json").write_bytes(text.encode())
            diff = diff_of(place, "--unsafe-fixes", "h.handoff.json")
            equal((kind, diff.startswith(b"--- a/h.handoff.json\n+++ b/h.handoff.json\n@@ ")), (kind, True))
            equal((kind, b"\\ No newline at end of file" in diff), (kind, not text.endswith("\n")))
            equal(pathlib.Path(place, "h.handoff.json").read_bytes(), text.encode())
            expect_applied(place, ["h.handoff.json"], diff)
            found = json.loads(diff_of(place, "--unsafe-fixes", "-f", "json", "h.handoff.json"))["documents"][0]
            equal((found["diff"].encode(), found["verdict"]), (diff, "accepted"))


@claim
def paths_of_a_diff_can_be_read_whatever_they_are():
    odd = ["a b.handoff.json", 'q"uote.handoff.json', "back\\slash.handoff.json", "t\tab.handoff.json", "\u00e9.handoff.json", "sub/-x.handoff.json"]
    for name in odd:
        with folder({}) as place:
            target = pathlib.Path(place, name)
            target.parent.mkdir(exist_ok=True)
            target.write_text(PRETTY)
            expect_applied(place, [name], diff_of(place, "--unsafe-fixes", name))
            whole = diff_of(place, "--unsafe-fixes", str(target))
            equal(whole, diff_of(place, "--unsafe-fixes", "./" + name))
            expect_applied(place, [name], whole)


@claim
def a_diff_shows_many_documents_of_many_dialects():
    plan = "step_id,agent,action,notes\n1,a,do it,one, two\n2,b,do it\n"
    report_block = 'Done.\n```agent_contract_handoff\n{"agent_status":{"plan_status":"complete.","agent_id":"a1b2c3d4e5f","pending_steps":[],"next_action":"done",},}\n```\n'
    files = {"a.handoff.json": PRETTY, "p.steps.csv": plan, "r.contract.md": report_block}
    with folder(files) as place:
        expect_applied(place, list(files), diff_of(place, "--unsafe-fixes", *files))
        equal({name: read(place, name) for name in files}, files)


@claim
def a_document_without_changes_has_an_empty_diff():
    for text in (compact(GOOD), "\ufeff" + compact(LATE)):
        with folder({"h.handoff.json": text}) as place:
            equal(diff_of(place, "h.handoff.json"), b"")
            equal(json.loads(diff_of(place, "-f", "json", "h.handoff.json"))["documents"][0]["diff"], "")


@claim
def a_diff_of_many_changes_leads_to_the_fixed_document():
    rng = random.Random(7)
    for size in (1, 30, 400, 3000):
        tags = {f"k{i}": rng.choice(["x", 7, None]) for i in range(size)}
        with folder({"h.handoff.json": json.dumps(handoff(tracing={"tags": tags}, note=1), indent=2)}) as place:
            expect_applied(place, ["h.handoff.json"], diff_of(place, "--unsafe-fixes", "--budget", "100000", "h.handoff.json"))


# ---- What is reported


def lines_of(place, *words):
    return run("check", *NOW, "--no-refs", "--fix", *words, cwd=place).stdout.decode().splitlines()


@claim
def text_output_begins_with_what_was_changed_and_ends_with_what_is_left():
    for form in ((), ("-f", "concise")):
        with folder({"a.handoff.json": json.dumps(EXTRA, indent=1), "b.handoff.json": compact(LATE)}) as place:
            lines = lines_of(place, *form, "a.handoff.json", "b.handoff.json")
            equal(lines[0], "fixed a.handoff.json")
            equal(lines[1], '  5:16  TIMESTAMP_NOT_UTC  "2026-04-14T10:30:00+02:00" -> "2026-04-14T08:30:00Z"')
            equal(lines[2].split()[1:], ["recount", "128", "->", lines[2].split()[-1]])
            equal(lines[3], "fixed b.handoff.json")
            equal(lines[-1], "fixed 2 findings in 2 documents; 1 left, 1 of them with --unsafe-fixes")
            lines = lines_of(place, *form, "--unsafe-fixes", "a.handoff.json")
            equal(lines[0], "fixed a.handoff.json")
            equal([line for line in lines if "SCHEMA_UNEVALUATED_PROPERTIES" in line], ['  33:11  SCHEMA_UNEVALUATED_PROPERTIES  "x"'])
            equal(lines[-1], "fixed 1 finding in 1 document; 0 left, 0 of them with --unsafe-fixes")
            equal(lines_of(place, *form, "a.handoff.json")[-1], "fixed 0 findings in 0 documents; 0 left, 0 of them with --unsafe-fixes")


@claim
def long_values_are_cut_and_control_characters_escaped():
    text = handoff(context={"summary": "s", "problem_type": "  " + "IMPLEMENTATION" + " " * 60}, note="\x1b[31mred")
    with folder({"h.handoff.json": json.dumps(text)}) as place:
        lines = lines_of(place, "--unsafe-fixes", "h.handoff.json")
        shown = [line.split("SCHEMA_ENUM  ")[1] for line in lines if "SCHEMA_ENUM" in line][0]
        equal(shown, '"  IMPLEMENTATION' + " " * 23 + '... -> "implementation"')
        equal(any("\x1b" in line for line in lines), False)


@claim
def every_dialect_reports_its_fixes():
    files = {
        "p.steps.csv": "step_id,agent,action,notes\n1,a,do it,x,,\n",
        "r.contract.md": 'Done.\n```agent_contract_handoff\n{"agent_status":{"plan_status":"complete.","agent_id":"a1b2c3d4e5f","pending_steps":[],"next_action":"done"}}\n```\n',
        "g.json": '{"handoff_id":"x","source_agent":{}}',
    }
    wanted = {"p.steps.csv": ("  2:12  CSV_RAGGED_ROW  ,,", 1),
              "r.contract.md": ('  3:32  CONTRACT_SPELLING  "complete." -> "COMPLETE"', 1), "g.json": (None, 0)}
    for name, (line, count) in wanted.items():
        with folder(files) as place:
            options = ("--structure-only",) if name == "g.json" else ()
            lines = lines_of(place, *options, name)
            equal((name, line is None or line in lines), (name, True))
            equal(lines[-1].startswith(f"fixed {count} finding"), True)
        with folder(files) as place:
            found = json.loads("\n".join(lines_of(place, "-f", "json", *options, name)))
            equal(found["summary"]["fixed"], count)


@claim
def a_secret_is_not_shown_by_the_fix_that_removes_it():
    body = {"agent_status": {"plan_status": "COMPLETE", "agent_id": "a1b2c3d4e5f", "pending_steps": [], "next_action": "done"},
            "update_contracts": [{"contract": "s", "payload": {"a": "https://user:hunter2secret@github.com/o/r:tf/net"}}]}
    with folder({"r.contract.md": "x\n```agent_contract_handoff\n" + json.dumps(body, indent=1) + "\n```\n"}) as place:
        shown = diff_of(place, "r.contract.md").decode() + "\n".join(lines_of(place, "r.contract.md"))
        equal(("CROSS_REPO_REF" in shown, "hunter2secret" in shown), (True, False))
        equal("hunter2secret" in read(place, "r.contract.md"), False)


@claim
def a_folder_that_cannot_be_written_is_a_failure_and_changes_nothing():
    with public_folder({"shut/h.json": compact(LATE)}) as place:
        shut = pathlib.Path(place, "shut")
        shut.chmod(0o555)
        expect(run_as_nobody(place, "check", "--as", "universal", *NOW, "--fix", "shut/h.json"), 2, err="cannot write shut/h.json")
        equal((shut / "h.json").read_text(), compact(LATE))
        shut.chmod(0o755)  # so that it can be removed


finish()
