# SPDX-License-Identifier: Apache-2.0
"""test_plan_type.py BATON - plan type: drafts that their samples pass, slugs, and nothing that is overwritten."""
import json
import pathlib
import random
import tempfile

from program import STRIDE, claim, equal, expect, finish, report, run

HEAD = "step,agent,action,inputs,outputs,status,notes"
TODAY = ("--today", "2026-06-01")
ROWS = ["1,@a,collect,,out/changes.json,pending,", "2,@b,write,out/changes.json,docs/notes.md,pending,", "3,@c,send,docs/notes.md,,pending,"]


class Place:
    def __init__(self, top, rows=ROWS, head=HEAD, end="\n"):
        self.folder = pathlib.Path(top)
        self.plan = self.folder / "p.steps.csv"
        self.plan.write_bytes((end.join([head, *rows]) + end).encode())

    def put(self, name, value):
        (self.folder / name).write_text(value if isinstance(value, str) else json.dumps(value))
        return name

    def run(self, *words):
        return run("plan", "type", "p.steps.csv", *TODAY, "-f", "json", *words, cwd=self.folder)

    def type(self, *words, code=0):
        return report(expect(self.run(*words), code))["type"]


def place(test):
    def wrapped():
        with tempfile.TemporaryDirectory(prefix="baton-type-") as top:
            test(top)
    wrapped.__name__ = test.__name__
    return claim(wrapped)


def random_value(dice, depth):
    kind = dice.choice(["object", "array", "text", "whole", "broken", "true", "null"] if depth < 3 else ["text", "whole", "true"])
    if kind == "object":
        return {dice.choice("abcd\u00e9"): random_value(dice, depth + 1) for _ in range(dice.randint(0, 3))}
    if kind == "array":
        return [random_value(dice, depth + 1) for _ in range(dice.randint(0, 3))]
    return {"text": "x", "whole": dice.choice([1, 2.0, 10**30]), "broken": 1.5, "true": dice.random() < 0.5, "null": None}[kind]


ORDER = ["object", "array", "string", "integer", "number", "boolean", "null"]


def kind(value):
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "integer" if value == int(value) else "number"
    return {dict: "object", list: "array", str: "string", type(None): "null"}[type(value)]


def draft(values, is_root=False):
    """The chapter's D, in Python."""
    kinds = {kind(value) for value in values}
    if "number" in kinds:
        kinds.discard("integer")
    kinds = [one for one in ORDER if one in kinds]
    made = {"type": kinds[0] if len(kinds) == 1 else kinds}
    objects = [value for value in values if isinstance(value, dict)]
    if objects:
        names = list(dict.fromkeys(name for value in objects for name in value))
        required = [name for name in names if all(name in value for value in objects)]
        if required or is_root:
            made["required"] = required
        made["additionalProperties"] = False
        made["properties"] = {name: draft([value[name] for value in objects if name in value]) for name in names}
    items = [item for value in values if isinstance(value, list) for item in value]
    if items:
        made["items"] = draft(items)
    return made


@claim
def a_draft_is_what_its_samples_have_in_common_and_they_pass_it():
    dice = random.Random(11)
    for _ in range(40 // STRIDE):
        samples = [{"id": random_value(dice, 1), **random_value_object(dice)} for _ in range(dice.randint(1, 4))]
        with tempfile.TemporaryDirectory(prefix="baton-type-") as top:
            at = Place(top)
            flags = [word for number, sample in enumerate(samples) for word in ("--artifact", f"1={at.put(f's{number}.json', sample)}")]
            at.type(*flags, "--write")
            text = (at.folder / "schemas/handoff-payloads/changes.v1.schema.json").read_text()
            made = json.loads(text)
            equal(list(made)[:6], ["$schema", "$id", "type", "required", "additionalProperties", "properties"])
            equal((made.pop("$schema"), made.pop("$id")), ("https://json-schema.org/draft/2020-12/schema", "changes/v1.schema.json"))
            equal(made, draft(samples, True))
            shown = expect(run("plan", "schema", "load", "changes/v1.schema.json", "--root", ".", cwd=top), 0).stdout.decode()
            equal(shown, text)
            for number in range(len(samples)):
                expect(run("plan", "validate", "--schema", "changes/v1.schema.json", "--root", ".", f"s{number}.json", cwd=top), 0)


def random_value_object(dice):
    return {dice.choice("abcd"): random_value(dice, 1) for _ in range(dice.randint(0, 3))}


@place
def the_report_tells_the_same_before_and_after_writing(top):
    at = Place(top)
    at.put("s.json", {"a": 1})
    before = report(expect(at.run("--artifact", "1=s.json"), 0))
    equal(at.plan.read_text(), "\n".join([HEAD, *ROWS]) + "\n")
    after = report(expect(at.run("--artifact", "1=s.json", "--write"), 0))
    equal((before["type"].pop("written"), after["type"].pop("written")), (False, True))
    equal(before, after)
    equal([finding["code"] for finding in after["documents"][0]["findings"]], ["PAYLOAD_UNTYPED"])
    again = at.type("--artifact", "1=s.json", "--write")
    equal((again["cells"], again["schemas"], again["written"]), ([], [], False))
    equal(sorted(path.name for path in at.folder.iterdir()), ["p.steps.csv", "p.steps.csv.orig", "s.json", "schemas"])


@place
def the_other_side_of_a_filled_cell_gets_the_same_id(top):
    at = Place(top, [row + end for row, end in zip(ROWS, (",,schemas/handoff-payloads/a.v2.schema.json", ",\"\",", ",b/v1.schema.json,"))],
               HEAD + ",payload_schema_in,payload_schema_out", "\r\n")
    found = at.type("--write")
    equal(found["columns"], [])
    equal(found["cells"], [{"pointer": "/2/payload_schema_in", "value": "a/v2.schema.json"}, {"pointer": "/2/payload_schema_out", "value": "b/v1.schema.json"}])
    lines = at.plan.read_bytes().decode().split("\r\n")
    equal(lines[2], ROWS[1] + ',"a/v2.schema.json",b/v1.schema.json')  # quoted stays quoted
    equal(len(lines), 5)


@place
def one_missing_column_is_appended_and_blank_rows_keep_their_shape(top):
    at = Place(top, [ROWS[0] + ",", ",,,,,,,", ROWS[1] + ",x/v1.schema.json"], HEAD + ",payload_schema_in")
    equal(at.type("--write")["columns"], ["payload_schema_out"])
    equal(at.plan.read_text().splitlines()[1:], [ROWS[0] + ",,x/v1.schema.json", ",,,,,,,,", ROWS[1] + ",x/v1.schema.json,"])


@place
def slugs_come_from_flags_paths_and_ids_and_never_collide(top):
    rows = ["1,@a,x,,out/Change_List.json,pending,", "2,@b,x,,docs/my.md,pending,", "3,@c,x,,other/MY.tar.gz,pending,", "A_9,@d,x,,,pending,", "5,@e,x,,,pending,"]
    at = Place(top, rows)
    at.put("s.json", {"a": 1})
    ids = [schema["id"] for schema in at.type(*(word for step in ("1", "2", "3", "A_9") for word in ("--artifact", f"{step}=s.json")))["schemas"]]
    equal(ids, ["change-list/v1.schema.json", "my/v1.schema.json", "my-2/v1.schema.json", "step-a-9/v1.schema.json"])
    ids = [schema["id"] for schema in at.type("--artifact", "1=s.json", "--slug", "1=--So  wie_SO--")["schemas"]]
    equal(ids, ["so-wie-so/v1.schema.json"])


@place
def what_cannot_be_drafted_stops_everything(top):
    at = Place(top)
    deep = {"a": 1}
    for _ in range(20):
        deep = {"a": deep}
    for reason, samples in (("not_json", ["{"]), ("not_json", ['{"a":1,"a":2}']), ("not_object", ["[1]"]), ("no_common_member", ['{"a":1}', '{"b":1}']),
                            ("no_common_member", ["{}"]), ("too_deep", ['{"a":1}', json.dumps(deep)])):
        flags = [word for number, sample in enumerate(samples) for word in ("--artifact", f"1={at.put(f's{number}.json', sample)}")]
        found = report(expect(at.run(*flags, "--write"), 1))
        finding = found["documents"][0]["findings"][0]
        path = f"s{len(samples) - 1}.json" if reason == "too_deep" else "s0.json"
        equal((finding["code"], finding["pointer"], finding["params"]), ("PLAN_SAMPLE_UNUSABLE", "", {"step": "1", "path": path, "reason": reason}))
        equal("type" in found, False)
        equal((at.folder / "schemas").exists(), False)
    equal(at.plan.read_text(), "\n".join([HEAD, *ROWS]) + "\n")
    expect(at.run("--artifact", "1"), 2, err="STEP=PATH")
    expect(run("plan", "type", "-", "--write", cwd=top), 2, err="standard input")


@place
def a_schema_just_deep_enough_passes(top):
    at = Place(top)
    deep = 1
    for _ in range(15):
        deep = {"a": deep}
    at.put("s.json", {"a": deep})
    equal(report(at.run("--artifact", "1=s.json"))["documents"][0]["findings"][0]["code"], "PLAN_SAMPLE_UNUSABLE")
    at.put("s.json", deep)
    at.type("--artifact", "1=s.json", "--write")
    expect(run("plan", "schema", "load", "changes/v1.schema.json", "--root", ".", cwd=top), 0)


@place
def an_existing_schema_is_used_or_in_the_way(top):
    at = Place(top)
    at.put("s.json", {"a": 1})
    at.type("--artifact", "1=s.json", "--write")
    schema = at.folder / "schemas/handoff-payloads/changes.v1.schema.json"
    old = schema.read_bytes()
    at.plan.write_text("\n".join([HEAD, *ROWS]) + "\n")
    equal([one["state"] for one in at.type("--artifact", "1=s.json")["schemas"]], ["present"])  # the same content
    equal([(one["state"], one["samples"]) for one in at.type("--slug", "1=changes")["schemas"]], [("present", [])])
    at.put("s.json", {"b": 1})
    found = report(expect(at.run("--artifact", "1=s.json", "--write"), 1))["documents"][0]["findings"]
    equal([(f["code"], f["params"]) for f in found], [("PLAN_TYPE_CONFLICT", {"file": "schemas/handoff-payloads/changes.v1.schema.json"})])
    equal(schema.read_bytes(), old)
    equal(at.type("--slug", "1=nothing-there")["open"][0], {"from_step": "1", "to_step": "2"})


@place
def a_new_plan_is_typed_and_its_schema_is_made_when_it_is_absent(top):
    folder = pathlib.Path(top)
    new = ("new", "plan", "--step", 'ann=Plan, then "wait"', "--step", "bob=Build", "--step", "cy=Send", "--payload", "work")
    text = expect(run(*new, cwd=top), 0).stdout.decode()
    equal(text.splitlines()[1:], ['1,ann,"Plan, then ""wait""",,,pending,,,work/v1.schema.json', "2,bob,Build,,,pending,,work/v1.schema.json,work/v1.schema.json",
                                  "3,cy,Send,,,pending,,work/v1.schema.json,"])
    equal(list(folder.iterdir()), [])
    expect(run(*new, "--root", ".", "-f", "concise", cwd=top), 1, out="REF_MISSING")  # a root is looked at
    document = report(expect(run(*new, "--write-schema", "-o", "p.steps.csv", "-f", "json", "--today", "2026-08-01", cwd=top), 0))["documents"][0]
    equal((document["path"], document["document"], document["written"]["bytes"], document["defaults"], document["facts"]["typed"]), ("<new>", text, len(text), {}, 2))
    schema = folder / "schemas/handoff-payloads/work.v1.schema.json"
    equal(json.loads(schema.read_text())["properties"], {"summary": {"type": "string"}})
    schema.write_text(schema.read_text().replace('"string"', '["string", "null"]'))
    before = schema.read_bytes()
    expect(run(*new, "--write-schema", "-o", "q.steps.csv", cwd=top), 0)
    equal((schema.read_bytes(), (folder / "q.steps.csv").read_text()), (before, text))
    expect(run(*new, "-o", "q.steps.csv", cwd=top), 2, err="exists already")
    expect(run("new", "plan", "--step", "ann=Plan", "--step", "bob=x", "--payload", "No Slug", "-o", "r.steps.csv", "-f", "concise", cwd=top), 1, out="REF_PATTERN")
    equal((folder / "r.steps.csv").exists(), False)
    expect(run("new", "plan", cwd=top), 2, err="new plan needs --step")
    expect(run("new", "plan", "--step", "ann", cwd=top), 2, err="AGENT=ACTION")
    expect(run("new", "plan", "--step", "a=b", cwd=top), 0)


@place
def people_read_what_is_open_and_how_to_go_on(top):
    at = Place(top)
    at.put("s.json", {"a": 1})
    result = expect(run("plan", "type", "p.steps.csv", *TODAY, "--artifact", "1=s.json", cwd=top), 0, out="nothing was written; --write does it")
    for words in (b"drafted  schemas/handoff-payloads/changes.v1.schema.json", b"open     2 -> 3: give a sample of it with --artifact"):
        equal((words, words in result.stdout), (words, True))


@place
def dependencies_pair_producer_and_consumer(top):
    rows = ["1,@a,x,,a.json,pending,,", "2,@b,x,,b.json,pending,,", "3,@c,x,,c.json,pending,,1 2"]
    at = Place(top, rows, HEAD + ",depends_on")
    at.put("s.json", {"a": 1})
    found = at.type("--edges", "deps", "--artifact", "1=s.json")
    equal([cell["pointer"] for cell in found["cells"]], ["/1/payload_schema_out", "/2/payload_schema_out", "/3/payload_schema_in"])


finish()
