# SPDX-License-Identifier: Apache-2.0
"""test_select.py BATON - which findings baton check shows: rules, paths, ignore, the baseline, --strict."""
import json
import pathlib

from program import claim, equal, expect, finish, folder, report, run

NOW = ("--now", "2026-04-14T09:00:00Z")


def handoff(**changes):
    """A universal handoff; `problem`, `target`, `when`, `hash` and `ref` bring findings into it."""
    text = {"handoff": {
        "version": "3.0", "schema_type": "universal", "timestamp": changes.get("when", "2026-04-14T08:30:00Z"), "trace_id": "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4",
        "source": {"skill": "release-planner", "workflow_id": "run-0412", "session_path": "work", "phase": "Triage"}, "target": {"skill": changes.get("target", "patch-builder")},
        "context": {"summary": "Build the fix for the date parser.", "problem_type": changes.get("problem", "implementation")},
        "payload": {"working": {"ticket": "DP-118"}}, "meta": {"token_count": 114, "confidence": "high"}}}
    if "hash" in changes:
        text["handoff"]["meta"]["payload_hash"] = "sha256:" + "0" * 64
    return json.dumps(text, separators=(",", ":"))


WRONG = handoff(problem="chore")  # SCHEMA_ENUM, HARD, not protected
LOOP = handoff(target="release-planner")  # SELF_LOOP, HARD, not protected
FORGED = handoff(hash=True)  # PAYLOAD_HASH_MISMATCH, HARD, protected
IGNORE = "ignore: [{code: '%s', paths: ['*.json'], reason: kept, until: 2026-12-31}]\n"
ENTRY = {"path": "a.handoff.json", "code": "SCHEMA_ENUM", "pointer": "/handoff/context/problem_type", "count": 1}


def judged(*args, cwd, code, err=None, stdin=b""):
    return report(expect(run("check", "-f", "json", *NOW, *args, cwd=cwd, stdin=stdin), code, err=err))


def refused(*args, cwd, err):
    """A mistake of the command line: nothing is printed but the error."""
    equal(expect(run("check", *args, cwd=cwd), 2, err=err).stdout, b"")


def codes(said, index=0):
    return {finding["code"]: finding["severity"] for finding in said["documents"][index]["findings"]}


def baseline(*entries):
    return json.dumps({"baton_baseline": 1, "findings": list(entries)})


@claim
def no_setting_hides_a_protected_rule_and_each_hides_another():
    """Each setting, tried on a protected rule and, as a control, on one that is not."""
    settings = {
        "prefix": ({"baton.yaml": "rules: {'*': off}\n"}, ()),
        "ignore": ({"baton.yaml": IGNORE % "*"}, ()),
        "edited baseline": ({"b.json": baseline(ENTRY, dict(ENTRY, code="PAYLOAD_HASH_MISMATCH", pointer="/handoff/meta/payload_hash"))}, ("--baseline-file", "b.json")),
        "written baseline": ({}, ("--baseline", "write")),
        "--rule": ({}, ("--rule", "*=info")),
    }
    for name, (files, flags) in settings.items():
        with folder({"a.handoff.json": WRONG, "f.handoff.json": FORGED, **files}) as place:
            forged = judged(*flags, "f.handoff.json", cwd=place, code=1)
            equal((name, codes(forged).get("PAYLOAD_HASH_MISMATCH")), (name, "HARD"))
            other = judged(*flags, "a.handoff.json", cwd=place, code=0)
            equal((name, codes(other).get("SCHEMA_ENUM") in (None, "WARN")), (name, True))
            equal((name, judged("--baseline", "off", "--no-config", "a.handoff.json", cwd=place, code=1)["documents"][0]["verdict"]), (name, "rejected"))


@claim
def the_flag_for_a_rule_is_checked_before_anything_is_judged():
    with folder({"a.handoff.json": WRONG}) as place:
        for value, said in {"PAYLOAD_HASH_MISMATCH=off": "below error; baton explain PAYLOAD_HASH_MISMATCH says why", "SELF_LOOP=info": "below warning; baton explain SELF_LOOP says why", "SELF_LOOP": "CODE=LEVEL", "SELF_LOOP=low": "off, info, warning or error",
                            "NO_SUCH=off": "unknown code NO_SUCH", "=off": "unknown code", "RATE_LIMITED=off": "unknown code"}.items():
            refused("--rule", value, "a.handoff.json", cwd=place, err=said)
        equal(codes(judged("--rule", "SCHEMA_ENUM=Warn", "a.handoff.json", cwd=place, code=0)), {"SCHEMA_ENUM": "WARN"})
        said = judged("--rule", "SCHEMA_*=info", "--rule", "SCHEMA_ENUM=error", "a.handoff.json", cwd=place, code=1)
        equal(codes(said), {"SCHEMA_ENUM": "HARD"})
        equal("default_severity" in said["documents"][0]["findings"][0], False)


@claim
def a_flag_that_sets_a_severity_is_not_changed_by_a_file():
    with folder({"a.handoff.json": LOOP, "baton.yaml": "rules: {SELF_LOOP: error}\n"}) as place:
        equal(codes(judged("--semantics", "warn", "a.handoff.json", cwd=place, code=0)), {"SELF_LOOP": "WARN"})
        equal(codes(judged("--semantics", "warn", "--rule", "SELF_LOOP=error", "a.handoff.json", cwd=place, code=1)), {"SELF_LOOP": "HARD"})


@claim
def a_suppressed_finding_is_counted_and_its_reason_is_told():
    with folder({"a.handoff.json": WRONG, "baton.yaml": IGNORE % "SCHEMA_ENUM"}) as place:
        said = judged("a.handoff.json", cwd=place, code=0)
        equal(said["documents"][0]["facts"]["suppressed"], [{"code": "SCHEMA_ENUM", "by": "ignore", "count": 1, "reason": "kept"}])
        equal((said["summary"]["suppressed"], said["summary"]["hard"]), (1, 0))
        equal(said["config"], {"files": [{"path": "baton.yaml", "kind": "project"}], "findings": []})
        expect(run("check", *NOW, "a.handoff.json", cwd=place), 0, out="1 accepted, 0 rejected (0 errors, 0 warnings); 1 suppressed")
        ended = expect(run("check", "--today", "2027-01-01", "a.handoff.json", cwd=place), 1, err="note: baton.yaml: IGNORE_EXPIRED")
        equal(b"suppressed" in ended.stdout, False)
        said = judged("--no-config", "a.handoff.json", cwd=place, code=1)
        equal(("config" in said, "suppressed" in said["documents"][0]["facts"]), (False, False))


@claim
def sarif_keeps_what_was_ignored_and_what_the_baseline_lists():
    with folder({"a.handoff.json": WRONG, "b.handoff.json": LOOP, "c.handoff.json": handoff(target="release-planner", problem="chore"), "b.json": baseline(ENTRY),
                 "baton.yaml": "ignore: [{code: SELF_LOOP, paths: [b.handoff.json], reason: kept, until: 2026-12-31}]\n"}) as place:
        def results(*flags):
            printed = expect(run("check", "-f", "sarif", *NOW, *flags, "a.handoff.json", "b.handoff.json", "c.handoff.json", cwd=place), 1).stdout
            found = json.loads(printed)["runs"][0]
            rules = [rule["id"] for rule in found["tool"]["driver"]["rules"]]
            return [(one["ruleId"], rules[one["ruleIndex"]], one.get("baselineState"), [item["justification"] for item in one.get("suppressions", [])]) for one in found["results"]]
        enum, loop = ("SCHEMA_ENUM",) * 2, ("SELF_LOOP",) * 2
        equal(results(), [(*enum, None, []), (*loop, None, ["kept"]), (*enum, None, []), (*loop, None, [])])
        equal(results("--baseline-file", "b.json"), [(*enum, "unchanged", ["baseline"]), (*loop, "new", ["kept"]), (*enum, "new", []), (*loop, "new", [])])
        equal(results("--rule", "SCHEMA_ENUM=warning", "--strict-expiry")[0][0], "SCHEMA_ENUM")


@claim
def a_baseline_is_written_the_same_whatever_the_threads_and_the_folder():
    files = {f"d/{n}.handoff.json": WRONG if n % 2 else LOOP for n in range(20)}
    with folder({".git/HEAD": "", "sub/x": "", **files}) as place:
        written = set()
        for jobs, start, target in (("1", ".", "d"), ("8", ".", "d"), ("3", "sub", "../d")):
            said = judged("--jobs", jobs, "--baseline", "write", target, cwd=f"{place}/{start}", code=0)
            equal((said["baseline"]["entries"], said["baseline"]["used"], said["baseline"]["refused"]), (20, 20, 0))
            written.add(pathlib.Path(place, "baton-baseline.json").read_bytes())
        equal(len(written), 1)
        equal((said["baseline"]["added"], said["baseline"]["removed"]), (0, 0))
        equal(said["baseline"]["path"], f"{pathlib.Path(place).resolve()}/baton-baseline.json")
        pathlib.Path(place, "d/1.handoff.json").unlink()
        said = judged("--baseline", "write", "d/2.handoff.json", cwd=place, code=0)
        equal((said["baseline"]["entries"], said["baseline"]["removed"]), (19, 1))
        expect(run("check", *NOW, "--baseline", "write", "d", cwd=place), 0, err="baton-baseline.json has 19 entries: 0 added, 0 removed")


@claim
def a_baseline_that_cannot_be_used_is_a_failure_and_nothing_is_judged():
    for content, message in ((None, "No such file"), ("[]", "baton_baseline"), ("{", "not JSON"), (baseline(dict(ENTRY, path="/a")), "/findings/0")):
        with folder({"a.handoff.json": WRONG, "baton.yaml": "baseline: b.json\n", **({} if content is None else {"b.json": content})}) as place:
            said = judged("a.handoff.json", cwd=place, code=2, err=message)
            equal((said["documents"], said["failures"][0]["path"], said["failures"][0]["reason"]), ([], "b.json", "config"))
            if content:  # a file that is not a baseline is not replaced
                expect(run("check", *NOW, "--baseline", "write", "a.handoff.json", cwd=place), 2, err=message)
                equal(pathlib.Path(place, "b.json").read_text(), content)
            judged("--baseline", "off", "a.handoff.json", cwd=place, code=1)
    with folder({"a.handoff.json": WRONG, "b.json/x": ""}) as place:
        judged("--baseline", "write", "--baseline-file", "b.json", "a.handoff.json", cwd=place, code=2, err="folder")
        judged("--baseline", "write", "--baseline-file", "gone/b.json", "a.handoff.json", cwd=place, code=2, err="folder does not exist")
        refused("--baseline", "read", "a.handoff.json", cwd=place, err="read")


@claim
def entries_of_paths_count_for_walks_named_files_and_standard_input():
    config = "paths:\n  - {match: '*.note', as: universal, check: {budget: 50}}\n  - {match: [loud/], check: {fail_level: info}, rules: {SCHEMA_ENUM: warning}}\n"
    with folder({"in/a.note": handoff(), "loud/a.handoff.json": WRONG, "baton.yaml": config}) as place:
        said = judged(".", cwd=place, code=1)
        equal([(document["path"], document["verdict"]) for document in said["documents"]], [("in/a.note", "rejected"), ("loud/a.handoff.json", "rejected")])
        equal((codes(said), codes(said, 1)), ({"TOKENS_OVER_BUDGET": "HARD"}, {"SCHEMA_ENUM": "WARN"}))
        equal(codes(judged("in/a.note", cwd=place, code=1)), {"TOKENS_OVER_BUDGET": "HARD"})
        equal(codes(judged("--stdin-filename", "no/such/folder/x.note", "-", cwd=place, code=1, stdin=handoff().encode())), {"TOKENS_OVER_BUDGET": "HARD"})
        equal(codes(judged("-", cwd=place, code=0, stdin=handoff().encode())), {})
        equal(codes(judged("--budget", "2000", "in/a.note", cwd=place, code=0)), {})
        equal(codes(judged("--fail-level", "error", "loud", cwd=place, code=0)), {"SCHEMA_ENUM": "WARN"})
        equal(judged("--as", "json", "in/a.note", cwd=place, code=0)["documents"][0]["dialect"], "json")


@claim
def a_fix_changes_nothing_that_a_setting_suppresses():
    """TIMESTAMP_NOT_UTC and TOKENS_DRIFT have safe fixes; the second is always made, as a control."""
    text = handoff(when="2026-04-14T10:30:00+02:00").replace('"token_count":114', '"token_count":9999')
    entry = dict(ENTRY, code="TIMESTAMP_NOT_UTC", pointer="/handoff/timestamp")
    settings = {
        "nothing": ({}, ()),
        "rules": ({"baton.yaml": "rules: {TIMESTAMP_NOT_UTC: off}\n"}, ()),
        "ignore": ({"baton.yaml": IGNORE % "TIMESTAMP_NOT_UTC"}, ()),
        "baseline": ({"b.json": baseline(entry)}, ("--baseline-file", "b.json")),
        "--rule": ({}, ("--rule", "TIMESTAMP_NOT_UTC=off")),
        "written baseline": ({"b.json": baseline(entry)}, ("--baseline-file", "b.json", "--baseline", "write")),
    }
    for name, (files, flags) in settings.items():
        with folder({"a.handoff.json": text, **files}) as place:
            said = judged("--fix", *flags, "a.handoff.json", cwd=place, code=0)
            fixed = pathlib.Path(place, "a.handoff.json").read_text()
            kept = name not in ("nothing", "written baseline")
            equal((name, "+02:00" in fixed, "9999" in fixed), (name, kept, False))
            equal((name, said["summary"]["suppressed"]), (name, int(kept)))


@claim
def strict_leaves_out_what_files_choose_and_nothing_else():
    with folder({"a.handoff.json": WRONG, "v/b.handoff.json": LOOP, "b.json": baseline(ENTRY),
                 "baton.yaml": "exclude: [v/]\nbaseline: b.json\nrules: {SELF_LOOP: warning}\ncheck: {budget: 50}\n"}) as place:
        equal(len(judged(".", cwd=place, code=1)["documents"]), 1)
        said = judged("--strict", ".", cwd=place, code=1)
        equal([codes(said, n) for n in range(2)], [{"SCHEMA_ENUM": "HARD", "TOKENS_OVER_BUDGET": "HARD"}, {"SELF_LOOP": "HARD", "TOKENS_OVER_BUDGET": "HARD"}])
        equal(("baseline" in said, said["summary"]["suppressed"]), (False, 0))
        for flag in (("--rule", "SELF_LOOP=warning"), ("--baseline", "off"), ("--baseline-file", "b.json")):
            refused("--strict", *flag, ".", cwd=place, err="exclude each other")


@claim
def no_other_command_uses_the_settings():
    with folder({".git/HEAD": "", "l.handoff.json": LOOP, "baton.yaml": "rules: {SELF_LOOP: warning}\nbaseline: gone.json\n" + IGNORE % "SELF_LOOP"}) as place:
        expect(run("ledger", "init", "--origin", "baton.test/s", "--store", "s.db", cwd=place), 0)
        said = report(expect(run("ledger", "append", "--store", "s.db", "-f", "json", *NOW, "l.handoff.json", cwd=place), 1))
        equal((said["documents"][0]["verdict"], codes(said)), ("rejected", {"SELF_LOOP": "HARD"}))
        repaired = report(expect(run("repair", "-f", "json", *NOW, "l.handoff.json", cwd=place), 1))
        equal("SELF_LOOP" in json.dumps(repaired), True)
        judged("--baseline", "off", "l.handoff.json", cwd=place, code=0)  # the control


@claim
def config_path_lists_the_files_in_order_of_precedence():
    with folder({".git/HEAD": "", "baton.yaml": "", "c.yaml": "", "home/baton/config.yaml": ""}) as place:
        mine = {"XDG_CONFIG_HOME": f"{place}/home"}
        equal(expect(run("config", "path", cwd=place, env=mine), 0).stdout, b"project baton.yaml\nuser home/baton/config.yaml\n")
        equal(expect(run("config", "path", "--config", "c.yaml", cwd=place, env=mine), 0).stdout, b"file c.yaml\n")
        none = run("config", "path", "--no-config", cwd=place, env=mine)
        equal((none.returncode, none.stdout, b"No configuration file" in none.stderr), (0, b"", True))


finish()
