# SPDX-License-Identifier: Apache-2.0
"""test_plan.py BATON - plans at the command line: what is written, what is refused, and what several writers do to one file."""
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from program import BATON, claim, codes, environment, equal, expect, finish, report, run

HEAD = "step,agent,action,inputs,outputs,status,notes\n"
CHAIN = "step,agent,action,inputs,outputs,status,notes,payload_schema_in,payload_schema_out\n"
SCHEMA = {"$id": "s/v1.schema.json", "type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"],
          "additionalProperties": False}


TOPS = []


def folder(**files):
    """A folder with these files, `__` in a name standing for a dot; it is gone when the tests are over."""
    TOPS.append(tempfile.TemporaryDirectory(prefix="baton-plan-"))
    top = pathlib.Path(TOPS[-1].name)
    for name, content in files.items():
        (top / name.replace("__", ".")).write_bytes(content if isinstance(content, bytes) else content.encode())
    return top


@claim
def a_plan_is_recognised_by_its_name_or_its_header():
    top = folder(p__steps__csv=HEAD + "1,@a,do,,,,\n", other__txt=HEAD + "1,@a,do,,,,\n", json__steps__csv="{}")
    equal(report(run("check", "-f", "json", "p.steps.csv", cwd=top))["documents"][0]["dialect"], "plan")
    equal(report(run("check", "-f", "json", "other.txt", cwd=top))["documents"][0]["dialect"], "plan")
    equal(codes(run("check", "-f", "json", "json.steps.csv", cwd=top)), ["PLAN_NO_STEP_COLUMN"])
    equal(report(run("check", "-f", "json", "-", stdin=HEAD))["documents"][0]["dialect"], "plan")


@claim
def a_byte_order_mark_is_not_counted_in_a_column():
    top = folder(p__steps__csv=b"\xef\xbb\xbfstep,Agent,action,inputs,outputs,status,notes\n1,@a,do,,,,\n")
    found = report(run("check", "-f", "json", "p.steps.csv", cwd=top))["documents"][0]["findings"]
    equal([(f["line"], f["column"]) for f in found if f["code"] == "PLAN_COLUMN_NEAR_MISS"], [(1, 6)])


@claim
def limits_are_lowered_by_name():
    rows = [("document_bytes", "document", ""), ("row_bytes", "row", "/1"), ("cell_bytes", "cell", "/1/action"), ("nodes", "cells", "")]
    text = "step,action\n1," + "a" * 40 + "\n"
    for (name, limit, pointer), value in zip(rows, (40, 30, 30, 3)):
        result = run("check", "--as", "plan", "-f", "json", "--limit", f"{name}={value}", "-", stdin=text)
        found = report(result)["documents"][0]["findings"]
        equal([(f["code"], f["params"]["limit"], f["pointer"]) for f in found], [("CSV_TOO_LARGE", limit, pointer)])


@claim
def an_audit_draws_the_whole_chain_for_people_alone():
    rows = "1,,,,,,,,a/v1.schema.json\n2,,,,,,,a/v1.schema.json,b/v1.schema.json\n3,,,,,,,b/v2.schema.json,\n4,,,,,,,c/v1.schema.json,\n"
    top = folder(p__steps__csv=CHAIN + rows)
    drawn = b"ok 1 -> 2  a/v1.schema.json\nx  2 -> 3  b/v1.schema.json | b/v2.schema.json\n?  3 -> 4  nothing | c/v1.schema.json\n\n"
    equal(run("plan", "audit", "p.steps.csv", cwd=top).stdout[:len(drawn)], drawn)
    for form in ("json", "concise", "github"):
        equal(b"1 -> 2" in run("plan", "audit", "-f", form, "p.steps.csv", cwd=top).stdout, False)


@claim
def a_status_is_set_through_a_link_and_the_mode_is_kept():
    top = folder(real__steps__csv=HEAD + "1,@a,do,,,pending,\n")
    (top / "real.steps.csv").chmod(0o640)
    (top / "link.steps.csv").symlink_to("real.steps.csv")
    expect(run("plan", "status", "set", "link.steps.csv", "1", "done", cwd=top), 0)
    equal((top / "real.steps.csv").read_text(), HEAD + "1,@a,do,,,done,\n")
    equal((top / "link.steps.csv").is_symlink(), True)
    equal((top / "real.steps.csv").stat().st_mode & 0o777, 0o640)
    equal(sorted(path.name for path in top.iterdir()), ["link.steps.csv", "real.steps.csv"])


@claim
def writers_at_the_same_time_lose_nothing():
    rows = 24
    top = folder(p__steps__csv=HEAD + "".join(f"{i},@a,do,,,pending,\n" for i in range(rows)))
    running = [subprocess.Popen([BATON, "plan", "status", "set", "p.steps.csv", str(i), "done"], cwd=top, env=environment(),
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for i in range(rows)]
    equal([process.wait(60) for process in running], [0] * rows)
    equal((top / "p.steps.csv").read_text(), HEAD + "".join(f"{i},@a,do,,,done,\n" for i in range(rows)))


@claim
def of_several_who_take_a_step_one_gets_it():
    top = folder(p__steps__csv=HEAD + "1,@a,do,,,pending,\n")
    running = [subprocess.Popen([BATON, "plan", "status", "set", "p.steps.csv", "1", "in_progress", "--from", "pending"], cwd=top,
                                env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(8)]
    equal(sorted(process.wait(60) for process in running), [0] + [1] * 7)


@claim
def a_mistake_in_the_words_changes_nothing():
    text = HEAD + "1,@a,do,,,pending,\n"
    top = folder(p__steps__csv=text)
    expect(run("plan", "status", "set", "p.steps.csv", "1", "don", cwd=top), 2, err="unknown status don, did you mean done?")
    expect(run("plan", "status", "set", "nope.steps.csv", "1", "done", cwd=top), 2, err="cannot change nope.steps.csv")
    expect(run("plan", "status", "set", "-", "1", "done", cwd=top), 2, err="standard input")
    expect(run("plan", "validate", "--schema", "s/v1.schema.json", "x.json", cwd=top), 2, err="--root")
    for timeout in ("0", "0.0001", "61", "abc", "1.", "-1"):
        expect(run("plan", "validate", "--schema", "s/v1.schema.json", "--root", ".", "--timeout", timeout, "x", cwd=top), 2, err="--timeout")
    for budget in ("0", "1000000000001", "x"):
        expect(run("plan", "validate", "--schema", "s/v1.schema.json", "--root", ".", "--budget", budget, "x", cwd=top), 2, err="--budget")
    equal((top / "p.steps.csv").read_text(), text)


@claim
def a_fix_follows_a_link_and_shows_its_diff():
    top = folder(real__steps__csv=HEAD + "1,@a,do,,,,,,\n")
    (top / "link.steps.csv").symlink_to("real.steps.csv")
    shown = run("check", "--diff", "link.steps.csv", cwd=top)
    equal(b"-1,@a,do,,,,,," in shown.stdout and b"+1,@a,do,,,," in shown.stdout, True)
    result = run("check", "--fix", "-f", "json", "link.steps.csv", cwd=top)
    equal(report(result)["documents"][0]["facts"]["fixed"], [{"code": "CSV_RAGGED_ROW", "pointer": "/1"}])
    equal((top / "real.steps.csv").read_text(), HEAD + "1,@a,do,,,,\n")
    equal((top / "link.steps.csv").is_symlink(), True)


@claim
def surplus_cells_without_content_are_dropped_quoted_or_not():
    for surplus in (",", ",,,", ',""', ',"",'):
        for last in ("n", '"n"'):
            top = folder(p__steps__csv=HEAD + f"1,@a,do,,,,{last}{surplus}\n")
            equal(report(run("check", "-f", "json", "p.steps.csv", cwd=top))["documents"][0]["findings"][0]["fix"], "safe")
            expect(run("check", "--fix", "p.steps.csv", cwd=top), 0)
            equal((top / "p.steps.csv").read_text(), HEAD + f"1,@a,do,,,,{last}\n")


@claim
def a_schema_that_breaks_its_draft_is_told_by_the_name_of_the_assertion():
    rows = [({"minProperties": "x"}, "type"), ({"minProperties": -1}, "minimum"), ({"allOf": []}, "minItems"), ({"not": []}, "type"),
            ({"dependentRequired": {"x": "y"}}, "type")]
    for more, keyword in rows:
        found = report(run("plan", "schema", "lint", "-f", "json", "-", stdin=json.dumps({**SCHEMA, **more})))["documents"][0]["findings"]
        equal([(f["code"], f["params"]["keyword"]) for f in found], [("PAYLOAD_SCHEMA_META", keyword)])


@claim
def the_file_and_a_flag_say_how_deep_a_schema_may_be_and_how_much_work_a_payload():
    top = folder(p__json='{"x":1}', shallow__yaml="limits: {schema_depth: 3}\n", deep__yaml="limits: {schema_depth: 128}\n",
                 busy__yaml="limits: {schema_work: 1}\n")
    shallow, deep, flag = ("--config", "shallow.yaml"), ("--config", "deep.yaml"), ("--limit", "schema_depth=3")
    for depth, words, limit in ((32, (), None), (33, (), 32), (33, deep, None), (100, deep, None), (3, shallow, None), (4, shallow, 3), (3, flag, None), (4, flag, 3)):
        nested = {"enum": json.loads("[" * (depth - 2) + "]" * (depth - 2))}  # the outermost list stands at depth 3
        text = json.dumps({**SCHEMA, "properties": {"x": nested}})
        found = report(run("plan", "schema", "lint", "-f", "json", *words, "-", stdin=text, cwd=top))["documents"][0]["findings"]
        equal([(f["params"]["max"], f["params"]["actual"]) for f in found if f["code"] == "PAYLOAD_SCHEMA_DEPTH"], [(limit, depth)] if limit else [])
    (top / "schemas/handoff-payloads").mkdir(parents=True)
    (top / "schemas/handoff-payloads/s.v1.schema.json").write_text(json.dumps({**SCHEMA, "properties": {"x": {"type": "integer"}}}))
    words = ("plan", "validate", "-f", "json", "--schema", "s/v1.schema.json", "--root", ".", "--config", "busy.yaml", "p.json")
    equal(codes(run(*words, cwd=top)), ["SCHEMA_BUDGET"])
    equal(codes(run(*words, "--budget", "1000", cwd=top)), [])


@claim
def text_that_strip_leaves_is_told_wherever_it_stands():
    rows = [("x y", ""), (["x y"], "/0"), ([["x y"]], "/0/0"), ({"allOf": {"title": "x y"}}, "/allOf/title"), ({"not": [{"title": "x y"}]}, "/not/0/title"),
            ({"items": "x y"}, "/items"), ({"if": ["x y"]}, "/if/0")]
    for schema, pointer in rows:
        shown = report(run("plan", "schema", "strip", "-f", "json", "-", stdin=json.dumps(schema)))
        equal([(f["code"], f["pointer"], f["params"]) for f in shown["documents"][0]["findings"]],
              [("PAYLOAD_SCHEMA_TEXT", pointer, {"where": "keyword"})])
        equal((shown["schema"], shown["removed"]), (schema, 0))


@claim
def a_counterexample_has_as_many_members_as_the_old_schema_wants():
    old = {**SCHEMA, "properties": {"x": {"type": "object", "minProperties": 2}}}
    new = {**old, "$id": "s/v2.schema.json", "properties": {"x": {"type": "object", "required": ["a"]}}}
    top = folder(old__json=json.dumps(old), new__json=json.dumps(new))
    shown = report(run("schema", "compat", "-f", "json", "old.json", "new.json", cwd=top))["compat"]
    equal((shown["backward"], len(shown["counterexamples"]["backward"]["x"])), ("incompatible", 2))


def touches(a, b):
    a, b = a.split("/") if a else [], b.split("/") if b else []
    return a[:len(b)] == b or b[:len(a)] == a


def model(steps):
    """Waves by comparing all pairs: (reads, writes, dependencies) of each step, in row order."""
    waves, placed, left = {}, [], list(range(len(steps)))
    while left:
        at = next(i for i in left if all(d in waves for d in steps[i][2]))
        left.remove(at)
        reads, writes, needs = steps[at]
        before = [waves[d] for d in needs]
        for other in placed:
            o_reads, o_writes, _ = steps[other]
            alone = not (reads or writes) or not (o_reads or o_writes)
            hit = any(touches(x, y) for x, y in itertools.chain(itertools.product(writes, o_reads + o_writes),
                                                                itertools.product(reads, o_writes)))
            if alone or hit:
                before.append(waves[other])
        waves[at] = 1 + max(before, default=0)
        placed.append(at)
    return [waves[i] for i in range(len(steps))]


@claim
def waves_are_those_of_a_plain_model():
    rng = random.Random(7)
    paths = ["a/b", "a/b/c", "a/d", "e/f", "e/f/g", "h/i", "h2/i", "j/k"]
    for _ in range(60):
        count = rng.randrange(1, 14)
        steps = [(rng.sample(paths, rng.randrange(0, 3)), rng.sample(paths, rng.randrange(0, 2)),
                  sorted(rng.sample(range(i), rng.randrange(0, min(i, 2) + 1)))) for i in range(count)]
        text = HEAD.strip() + ",depends_on\n" + "".join(
            f"{i},@a,do,{' '.join(r)},{' '.join(w)},,,{' '.join(map(str, d))}\n" for i, (r, w, d) in enumerate(steps))
        shown = report(run("plan", "waves", "-f", "json", "-", stdin=text))["schedule"]
        equal((text, [step["wave"] for step in shown["steps"]]), (text, model(steps)))


@claim
def the_commands_need_no_more_than_they_say():
    top = folder(p__steps__csv=CHAIN + "1,@a,do,,,,,,s/v1.schema.json\n2,@b,do,,,,,s/v1.schema.json,\n")
    os.makedirs(top / "schemas/handoff-payloads")
    (top / "schemas/handoff-payloads/s.v1.schema.json").write_text(json.dumps(SCHEMA))
    expect(run("plan", "audit", "--root", ".", "--today", "2026-07-01", "p.steps.csv", cwd=top), 0)
    expect(run("plan", "schema", "load", "s/v1.schema.json", "--root", ".", cwd=top), 0, out='"additionalProperties": false')
    expect(run("plan", "waves", "p.steps.csv", cwd=top), 0, out="wave 1: 1\nwave 2: 2\n")
    expect(run("plan", "schema", "load", "s/v1.schema.json", cwd=top), 2, err="--root")
    expect(run("plan", "audit", "--edges", "sideways", "p.steps.csv", cwd=top), 2, err="--edges")


sys.exit(finish())
