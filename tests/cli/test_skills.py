# SPDX-License-Identifier: Apache-2.0
"""test_skills.py BATON - baton discover, registry lint, registry sync and check --skills."""
import json
import os
import pathlib
import sys

from program import ROOT, claim, equal, expect, finish, folder, report, run


def skill(name, handoff=None, **top):
    """A SKILL.md; values are written as JSON, which is YAML."""
    lines = ["---", f"name: {name}", "description: Does a --- b"]
    if handoff is not None:
        lines += ["handoff:", *(f"  {key}: {json.dumps(value)}" for key, value in handoff.items())]
    lines += [f"{key}: {json.dumps(value)}" for key, value in top.items()]
    return "\n".join([*lines, "---", f"# {name}", ""])


def takes(*names, **more):
    return {"accepts_from": list(names), "provides_to": [], "schema_version": "3.0", **more}


def skills(**texts):
    """Files of a folder `skills`; a_b is the skill a-b."""
    return {f"skills/{name.replace('_', '-')}/SKILL.md": text for name, text in texts.items()}


def discover(files, *flags, code=0):
    with folder(files) as place:
        return report(expect(run("discover", "--skills", "skills", "-f", "json", *flags, cwd=place), code))


def names(shown):
    return [candidate["name"] for candidate in shown["candidates"]]


def lint(files, *flags, code=0):
    """(path, code, severity, pointer) of every finding."""
    with folder(files) as place:
        shown = report(expect(run("registry", "lint", "--skills", "skills", "-f", "json", *flags, cwd=place), code))
    for document in shown["documents"]:
        equal(document["dialect"], "skill")
    return [(document["path"], finding["code"], finding["severity"], finding["pointer"])
            for document in shown["documents"] for finding in document["findings"]]


def told(files, *flags, code=0):
    return [(code_, pointer) for _, code_, _, pointer in lint(files, *flags, code=code)]


HANDOFF = {"handoff": {
    "version": "3.0", "schema_type": "universal", "timestamp": "2026-04-14T08:30:00Z",
    "trace_id": "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4",
    "source": {"skill": "a", "workflow_id": "w", "session_path": "work", "phase": "p"},
    "target": {"skill": "b"}, "context": {"summary": "s", "problem_type": "analytical"},
    "payload": {"working": {}}, "meta": {"token_count": 100, "confidence": "high"}}}


def handoff(**changes):
    """A handoff with members replaced; a__b is /handoff/a/b, None removes."""
    made = json.loads(json.dumps(HANDOFF))
    for name, value in changes.items():
        *path, last = name.split("__")
        place = made["handoff"]
        for step in path:
            place = place.setdefault(step, {})
        if value is None:
            del place[last]
        else:
            place[last] = value
    return made


def govern(files, document, *flags, code=0):
    with folder({**files, "h.json": json.dumps(document)}) as place:
        shown = report(expect(run("check", "--as", "universal", "-f", "json", "--no-refs", "--skills", "skills", "--now",
                                  "2026-04-14T09:00:00Z", *flags, "h.json", cwd=place), code))
    return [(finding["code"], finding["severity"], finding["pointer"], finding.get("params"))
            for finding in shown["documents"][0]["findings"] if finding["stage"] == "governance"]


# ---- discovery ----

@claim
def every_part_of_a_score_has_its_points():
    rows = [
        ({}, ["--category", "c-d"], dict(categories=["c-d"]), "category", 40),
        ({}, ["--category", "c-d"], dict(categories=["x", "d-e"]), "category", 20),
        ({}, ["--category", "c-d"], dict(categories=["cd", "c_d"]), "category", 0),
        ({}, ["--category", "c-d"], dict(categories=["-"]), "category", 0),
        ({}, [], dict(categories=["c"]), "category", 0),
        ({"schema_version": "3.0"}, [], {}, "schema", 20),
        ({"schema_version": "2.0"}, [], {}, "schema", 10),
        ({"schema_type": "universal"}, [], {}, "schema", 10),
        ({"schema_version": "2.0", "schema_type": "internal"}, [], {}, "schema", 0),
        ({"schema_version": "3.0", "schema_type": "internal"}, [], {}, "schema", 20),
        ({}, [], {}, "schema", 0),
        ({}, ["--input", "x", "--input", "y"], dict(input_requirements=["y", "x"]), "input", 20),
        ({}, ["--input", "x", "--input", "y"], dict(input_requirements=["y"]), "input", 10),
        ({}, ["--input", "x"], dict(input_requirements=["y"]), "input", 0),
        ({}, [], dict(input_requirements=["y"]), "input", 0),
        ({}, ["--chain", "z,b"], {}, "loop", -30),
        ({}, ["--chain", " B "], {}, "loop", -30),
        ({}, ["--chain", "a"], {}, "loop", 0),
    ]
    for fields, flags, top, part, points in rows:
        shown = discover(skills(b=skill("b", {"accepts_from": ["*"], **fields}, **top)), "--from", "a", *flags)
        candidate = shown["candidates"][0]
        equal((part, flags, candidate["parts"][part]), (part, flags, points))
        equal(candidate["score"], sum(candidate["parts"].values()))


@claim
def only_the_registry_says_who_is_autonomous():
    for said, wanted, points in (("true", "true", 10), ("false", "false", 10), ("true", "false", 0), ('"true"', "true", 0)):
        files = {**skills(b=skill("b", takes("*"))),
                 "r.yaml": f"workflows:\n  - name: b\n    meta: {{autonomous: {said}}}\n"}
        shown = discover(files, "--registry", "r.yaml", "--from", "a", "--autonomy", wanted)
        equal(shown["candidates"][0]["parts"]["autonomy"], points)
    equal(discover(skills(b=skill("b", takes("*"))), "--from", "a", "--autonomy", "false")["candidates"][0]["score"], 20)


@claim
def finished_work_counts():
    def line(event, workflow, second, trace="t1", **details):
        return json.dumps({"trace_id": trace, "timestamp": f"2026-04-14T08:00:{second:02}Z", "event_type": event,
                           "workflow": workflow, "details": details}) + "\n"
    sent = line("handoff_transmitted", "a", 1, target="b")
    rows = [
        (sent + line("handoff_processed", "b", 2), 10),
        (line("handoff_processed", "b", 0) + sent, 0),
        (sent + line("handoff_processed", "b", 2, trace="t2"), 0),
        (sent + line("handoff_received", "b", 2), 0),
        (line("handoff_transmitted", "c", 1, target="b") + line("handoff_processed", "b", 2), 0),
        ("no event\n" + sent + line("processed", "b", 2), 10),
        ("", 0),
    ]
    for log, points in rows:
        shown = discover({**skills(b=skill("b", takes("*"))), "log": log}, "--from", "a", "--history", "log")
        equal((log, shown["candidates"][0]["parts"]["success"]), (log, points))
    both = {**skills(b=skill("b", takes("*"))), "one": sent, "two": line("handoff_processed", "b", 2)}
    equal(discover(both, "--from", "a", "--history", "one", "--history", "two")["candidates"][0]["parts"]["success"], 10)


@claim
def candidates_accept_the_source_and_are_not_it():
    files = skills(a=skill("a", takes("*")), b=skill("b", takes("a")), c=skill("c", takes("d")), d=skill("d", takes()),
                   e=skill("e", takes(" A ")), mute=skill("mute"))
    shown = discover(files, "--from", "a")
    equal(names(shown), ["b", "e"])
    equal(shown["available"], ["a", "b", "c", "d", "e"])
    equal([candidate["provided"] for candidate in shown["candidates"]], [False, False])
    equal(names(discover(files, "--from", "A ")), ["b", "e"])
    equal([candidate["provided"] for candidate in discover(files, "--from", "x")["candidates"]], [None])
    equal(names(discover(files, "--from", "a", "--authorized", code=1)), [])


@claim
def authorized_means_named_by_the_source():
    files = skills(a=skill("a", takes("*", provides_to=["C"])), b=skill("b", takes("a")), c=skill("c", takes("a")))
    equal(names(discover(files, "--from", "a", "--authorized")), ["c"])
    equal(names(discover(files, "--from", "nobody", "--authorized", code=1)), [])


@claim
def the_best_come_first_and_only_so_many():
    files = skills(**{f"s{i}": skill(f"s{i}", takes("*", schema_version="3.0" if i == 5 else "1.0")) for i in range(8)})
    equal(names(discover(files, "--from", "a")), ["s5", "s0", "s1", "s2", "s3"])
    equal(names(discover(files, "--from", "a", "--top", "1")), ["s5"])
    equal(len(names(discover(files, "--from", "a", "--top", "100"))), 8)


@claim
def a_handoff_says_what_is_wanted_and_flags_override():
    kinds = {"implementation": "implementation", "research": "research", "verification": "verification",
             "creative": "creative", "analytical": "analysis", "strategic": "decision-support", "decision": "decision-support"}
    files = skills(b=skill("b", takes("*")))

    def query(document, *flags):
        with folder({**files, "h.json": json.dumps(document)}) as place:
            return report(expect(run("discover", "--skills", "skills", "-f", "json", "--for", "h.json", *flags, cwd=place), 0))["query"]
    for kind, category in kinds.items():
        equal(query(handoff(context__problem_type=kind))["category"], category)
    artifacts = [{"name": "n", "path": "p", "type": kind} for kind in ("code", "data", "code")]
    document = handoff(target__category="cooking", payload__session={"artifacts": artifacts}, meta__handoff_chain=["x", "a"])
    unknown = {"known": False, "nearest": []}
    equal(query(document), {"source": "a", "category": "cooking", "inputs": ["code", "data"], "chain": ["x", "a"], **unknown})
    equal(query(handoff()), {"source": "a", "category": "analysis", "inputs": [], "chain": ["a"], **unknown})
    equal(query(document, "--category", "research", "--input", "model", "--chain", "q,r"),
          {"source": "a", "category": "research", "inputs": ["model"], "chain": ["q", "r"], **unknown})


@claim
def versions_are_compatible_as_the_table_says():
    rows = [("3.0", "3.0", "yes"), ("3.0", "2.0", "partial"), ("3.0", "1.2", "no"), ("2.0", "3.0", "yes"),
            ("1.2", "3.0", "adapter"), ("1.1", "3.0", "unknown"), ("3.0", "4.0", "unknown"), ("2.0", "2.0", "unknown")]
    for sender, receiver, answer in rows:
        files = {**skills(b=skill("b", takes("*", schema_version=receiver))), "h.json": json.dumps(handoff(version=sender))}
        equal(discover(files, "--for", "h.json")["candidates"][0]["compatible"], answer)
    equal(discover(skills(b=skill("b", takes("*", schema_version="2.0"))), "--from", "a")["candidates"][0]["compatible"],
          "partial")


@claim
def a_handoff_that_cannot_be_used_is_told_of():
    for text, code in (("{", "JSON_SYNTAX"), (b"\xff", "JSON_UTF8"), ("{}", "SCHEMA_REQUIRED"), ("[]", "SCHEMA_TYPE"),
                       (json.dumps(handoff(source__skill=None)), "SCHEMA_REQUIRED"),
                       (json.dumps(handoff(source__skill=3)), "SCHEMA_TYPE")):
        files = {**skills(b=skill("b", takes("*"))), "h.json": text}
        shown = discover(files, "--for", "h.json", code=1)
        equal(sorted(shown), ["baton", "findings"])
        equal(code in [finding["code"] for finding in shown["findings"]], True)
        with folder(files) as place:
            expect(run("discover", "--skills", "skills", "--for", "h.json", cwd=place), 1, out=code)


@claim
def misuse_is_told_apart():
    with folder({**skills(b=skill("b", takes("*"))), "f": "x"}) as place:
        for words, err in ((["--from", "a"], "--skills"), (["--skills", "skills"], "--for HANDOFF or --from SKILL"),
                           (["--skills", "skills", "--from", "a", "--for", "h"], "--for HANDOFF or --from SKILL"),
                           (["--skills", "skills", "--from", "a", "--top", "0"], "--top"),
                           (["--skills", "skills", "--from", "a", "--top", "x"], "--top"),
                           (["--skills", "skills", "--from", "a", "--autonomy", "yes"], "--autonomy"),
                           (["--skills", "none", "--from", "a"], "none"), (["--skills", "f", "--from", "a"], "f"),
                           (["--skills", "skills", "--for", "missing"], "missing"),
                           (["--skills", "skills", "--from", "a", "--history", "missing"], "missing")):
            equal(expect(run("discover", *words, cwd=place), 2, err=err).stdout, b"")
        expect(run("registry", "lint", cwd=place), 2, err="--skills")
        expect(run("registry", "lint", "--skills", "none", cwd=place), 2, err="none")
        expect(run("registry", "sync", "--skills", "skills", cwd=place), 2, err="--registry")
        expect(run("registry", cwd=place), 2, err="registry needs a command")
        expect(run("check", "--registry", "f", "f", cwd=place), 2, err="--skills")


@claim
def people_get_a_table():
    with folder(skills(b=skill("b", takes("a")))) as place:
        result = expect(run("discover", "--skills", "skills", "--from", "a", cwd=place), 0, out="SCORE  NAME  CATEGORY  PROVIDED  COMPATIBLE\n", err="a is not in the catalogue")
        equal(result.stdout.split(b"\n")[1].split(), [b"20", b"b", b"-", b"-", b"yes"])
        result = expect(run("discover", "--skills", "skills", "--from", "z", cwd=place), 1, err="z is not in the catalogue")
        equal((result.stdout, b"No candidates: none of 1 discoverable skill takes" in result.stderr), (b"", True))
    evil = skill('"\\e[31m"', takes("*"))
    with folder(skills(evil=evil)) as place:
        equal(b"\x1b" in run("discover", "--skills", "skills", "--from", "a", cwd=place).stdout, False)


# ---- the catalogue ----

@claim
def only_real_folders_and_exact_names_count():
    files = {"skills/a/SKILL.md": skill("a", takes("*")), "skills/.hidden/SKILL.md": skill("hidden", takes("*")),
             "skills/b/skill.md": skill("b", takes("*")), "skills/SKILL.md": skill("top", takes("*")),
             "skills/c/d/SKILL.md": skill("deep", takes("*")), "elsewhere/SKILL.md": skill("linked", takes("*")),
             "skills/e/README.md": "x", "skills/f/SKILL.md/x": "a folder"}
    with folder(files) as place:
        os.symlink("../elsewhere", pathlib.Path(place) / "skills" / "link")
        (pathlib.Path(place) / "skills" / "out").mkdir()
        os.symlink("../../elsewhere/SKILL.md", pathlib.Path(place) / "skills" / "out" / "SKILL.md")
        shown = report(expect(run("discover", "--skills", "skills", "-f", "json", "--from", "x", cwd=place), 0))
        equal(shown["available"], ["a"])
        equal([(finding["code"], finding["params"]["path"]) for finding in shown["findings"]],
              [("SKILL_UNREADABLE", "skills/f/SKILL.md"), ("SKILL_UNREADABLE", "skills/out/SKILL.md")])


@claim
def a_fifo_called_skill_md_does_not_hang():
    with folder(skills(a=skill("a", takes("*")))) as place:
        (pathlib.Path(place) / "skills" / "pipe").mkdir()
        os.mkfifo(pathlib.Path(place) / "skills" / "pipe" / "SKILL.md")
        shown = report(expect(run("discover", "--skills", "skills", "-f", "json", "--from", "x", cwd=place, timeout=20), 0))
        equal([finding["code"] for finding in shown["findings"]], ["SKILL_UNREADABLE"])


@claim
def front_matter_that_is_not_plain_is_skipped():
    good = "name: a\nhandoff:\n  accepts_from: ['*']\n"
    rows = ["", "name: a\n", "---\n" + good, "--- x\n" + good + "---\n", " ---\n" + good + "---\n", "\ufeff---\n" + good + "---\n",
            "---\n---\n", "---\nnot a mapping\n---\n", "---\n[a]\n---\n", "---\nname:\n---\n", "---\nname: ' '\n---\n",
            "---\nname: [a]\n---\n", "---\ndescription: a\n---\n", "---\nname: &x a\n---\n", "---\nname: a\nb: *x\n---\n",
            "---\nname: !!str a\n---\n", "---\nname: a\n<<: {b: c}\n---\n", "---\nname: a\nhandoff:\n\taccepts_from: []\n---\n",
            "---\nname: a\nname: b\n---\n", "---\nname: [unclosed\n---\n", "---\nname: a\n ---\n",
            "---\nname: a\nx: " + "[" * 100 + "]" * 100 + "\n---\n"]
    for text in rows:
        shown = discover(skills(a=text), "--from", "x", code=1)
        equal((text, [finding["code"] for finding in shown["findings"]]), (text, ["SKILL_UNREADABLE"]))
        equal([code for _, code, severity, _ in lint(skills(a=text)) if severity != "INFO"], ["SKILL_UNREADABLE"])
    for text in ("---\n" + good + "---\n", "---  \n" + good + "--- \t\nbody", "---\r\n" + good.replace("\n", "\r\n") + "---\r\n",
                 "---\n" + good + "note: a --- b\n---", "---\n" + good + "note: |\n  ---\n  x\n---\n", "---\n# c\n" + good + "---\n---\n"):
        equal(discover(skills(a=text), "--from", "x")["findings"], [])


@claim
def bytes_that_are_no_text_and_large_files_are_skipped():
    big = "---\nname: a\nhandoff:\n  accepts_from: ['*']\nnote: \"{}\"\n---\n"
    fits = big.format("x" * ((1 << 20) - len(big) + 2))
    equal(len(fits), 1 << 20)
    equal(discover(skills(a=fits), "--from", "x")["available"], ["a"])
    for text in (fits + "\n", b"---\nname: \xff\n---\n", b"---\nname: a\nx: \x00\n---\n"):
        equal([f["code"] for f in discover(skills(a=text), "--from", "x", code=1)["findings"]], ["SKILL_UNREADABLE"])
    many = skill("a", takes(*[f"s{i}" for i in range(50000)]))
    equal(discover(skills(a=many), "--from", "s49999")["available"], ["a"])


@claim
def an_earlier_folder_shadows_a_later_one():
    files = {"one/x/SKILL.md": skill("a", takes("first")), "two/y/SKILL.md": skill("A", takes("second")),
             "two/z/SKILL.md": skill("z", takes("second"))}
    with folder(files) as place:
        for order, source, expected in ((("one", "two"), "second", ["z"]), (("two", "one"), "second", ["A", "z"]),
                                        (("one/", "two"), "first", ["a"])):
            words = [word for name in order for word in ("--skills", name)]
            shown = report(run("discover", *words, "-f", "json", "--from", source, cwd=place))
            equal((order, names(shown)), (order, expected))
        shown = report(run("discover", "--skills", "one/", "-f", "json", "--from", "first", cwd=place))
        equal(shown["candidates"][0]["path"], "one/x/SKILL.md")


@claim
def of_twins_neither_is_used_and_nobody_takes_their_place():
    files = {"one/x/SKILL.md": skill("twin", takes("*")), "one/y/SKILL.md": skill(" TWIN ", takes("*")),
             "two/z/SKILL.md": skill("twin", takes("*")), "r.yaml": "workflows: [{name: twin, handoff: {accepts_from: ['*']}}]"}
    with folder(files) as place:
        shown = report(expect(run("discover", "--skills", "one", "--skills", "two", "--registry", "r.yaml", "-f", "json",
                                  "--from", "a", cwd=place), 1))
        equal((shown["available"], shown["candidates"]), ([], []))
        equal([(f["code"], f["severity"], f["params"]["path"], f["params"]["other"]) for f in shown["findings"]],
              [("SKILL_DUPLICATE_NAME", "HARD", "one/x/SKILL.md", "one/y/SKILL.md"),
               ("SKILL_DUPLICATE_NAME", "HARD", "one/y/SKILL.md", "one/x/SKILL.md")])
        report(expect(run("registry", "lint", "--skills", "one", "-f", "json", cwd=place), 1))
        report(expect(run("registry", "lint", "--skills", "two", "-f", "json", cwd=place), 0))


@claim
def older_fields_are_read_as_newer_ones():
    rows = [
        ({"accepts_handoff": True}, {}, True, 0, "unknown"),
        ({"accepts_handoff": True, "protocol_version": "2.0"}, {}, True, 0, "partial"),
        ({"accepts_handoff": True, "protocol_version": "3.0"}, {}, True, 20, "yes"),
        ({"accepts_handoff": True, "protocol_version": "2.0", "schema_version": "3.0"}, {}, False, 20, "yes"),
        ({"accepts_handoff": True, "protocol_version": "2.0", "provides_to": []}, {}, False, 10, "partial"),
        ({"accepts_from": ["x"], "accepts_handoff": False}, {}, False, 0, "unknown"),
    ]
    for fields, top, legacy, schema, compatible in rows:
        candidate = discover(skills(b=skill("b", fields, **top)), "--from", "x")["candidates"][0]
        equal((fields, candidate["legacy"], candidate["parts"]["schema"], candidate["compatible"]),
              (fields, legacy, schema, compatible))
    for fields in ({"accepts_handoff": False}, {"accepts_handoff": "true"}, {"handoff_categories": ["a"]}, {"accepts_from": None}, {}):
        equal(discover(skills(b=skill("b", fields)), "--from", "x", code=1)["available"], [])
    old = {"accepts_handoff": True, "handoff_categories": ["c"]}
    equal(discover(skills(b=skill("b", old)), "--from", "x", "--category", "c")["candidates"][0]["parts"]["category"], 40)
    newer = skills(b=skill("b", old, categories=["d"]))
    equal(discover(newer, "--from", "x", "--category", "c")["candidates"][0]["parts"]["category"], 0)
    equal(discover(skills(b=skill("b", {"accepts_from": ["y"], **old})), "--from", "x", code=1)["candidates"], [])


# ---- the registry ----

@claim
def front_matter_wins_field_by_field_and_entries_survive():
    registry = """
workflows:
  - name: B
    skill_path: old/place
    handoff: {accepts_from: [nobody], provides_to: [c], schema_version: "1.2"}
    categories: [research]
  - name: only
    skill_path: some/where
    handoff: {accepts_from: ["*"], schema_version: 3.0}
  - name: mute
    handoff: {accepts_from: ["*"]}
"""
    files = {**skills(b=skill("b", {"accepts_from": ["*"], "schema_version": "3.0"}), mute=skill("mute")), "r.yaml": registry}
    shown = discover(files, "--registry", "r.yaml", "--from", "x", "--category", "research")
    equal([(c["name"], c["score"], c["compatible"], c["path"]) for c in shown["candidates"]],
          [("b", 60, "yes", "skills/b/SKILL.md"), ("only", 20, "yes", "some/where"), ("mute", 0, "unknown", "skills/mute/SKILL.md")])
    equal(discover(files, "--registry", "r.yaml", "--from", "b")["candidates"][0]["provided"], False)
    equal(discover(files, "--registry", "missing.yaml", "--from", "x")["available"], ["b"])
    for empty in ("", "# nothing\n", "workflows:\n", "{}"):
        equal(discover({**files, "r.yaml": empty}, "--registry", "r.yaml", "--from", "x")["findings"], [])


@claim
def a_registry_that_cannot_be_read_is_ignored_and_never_overwritten():
    for text in ("workflows: [unclosed\n", "- a\n", "workflows: 3\n", "workflows: [3]\n", "workflows: [{a: b}]\n",
                 "workflows: [{name: a}, {name: A}]\n", "a: &x b\n", b"\xff\n", "a: 1\na: 2\n"):
        files = {**skills(b=skill("b", takes("*"))), "r.yaml": text}
        with folder(files) as place:
            shown = report(expect(run("discover", "--skills", "skills", "--registry", "r.yaml", "-f", "json", "--from", "x", cwd=place), 0))
            equal((text, [f["code"] for f in shown["findings"]], shown["available"]), (text, ["REGISTRY_UNREADABLE"], ["b"]))
            expect(run("registry", "sync", "--skills", "skills", "--registry", "r.yaml", cwd=place), 2, err="left as it is")
            equal((pathlib.Path(place) / "r.yaml").read_bytes(), text if isinstance(text, bytes) else text.encode())
            shown = report(expect(run("registry", "lint", "--skills", "skills", "--registry", "r.yaml", "-f", "json", cwd=place), 0))
            equal([(d["path"], f["code"]) for d in shown["documents"] for f in d["findings"]], [("r.yaml", "REGISTRY_UNREADABLE")])


def sync(place, *flags, code=0):
    return report(expect(run("registry", "sync", "--skills", "skills", "--registry", "r.yaml", "-f", "json", "--now",
                             "2026-04-14T09:00:00Z", *flags, cwd=place), code))


@claim
def sync_adds_updates_and_keeps():
    registry = """version: 2
updated_at: "2020-01-01T00:00:00Z"
workflows:
  - {name: zeta, version: 1.0, custom: [1, "two", {three: null}], meta: {autonomous: true, complexity: low}}
  - name: b
    handoff: {accepts_from: "*", note: kept}
    meta: {estimated_duration: "2h"}
meta: {discovery_mode: manual, extra: 1}
extra: {a: b}
"""
    files = {**skills(b=skill("b", takes("c")), c=skill("c", takes("*")), mute=skill("mute")), "r.yaml": registry}
    with folder(files) as place:
        file = pathlib.Path(place) / "r.yaml"
        wanted = {"path": "r.yaml", "total": 3, "added": ["c"], "updated": ["b"], "kept": ["zeta"]}
        equal(sync(place, "--dry-run"), {"baton": 1, "registry": wanted, "findings": []})
        equal(file.read_text(), registry)
        equal(sync(place)["registry"], wanted)
        text = file.read_text()
        for part in ('name: "b"', 'accepts_from: ["c"]', '"note": "kept"', '"estimated_duration": "2h"', '"autonomous": true',
                     '"complexity": "low"', '"custom": [1, "two", {"three": null}]', 'discovery_mode: "manual"', '"extra": 1',
                     '"extra": {"a": "b"}', "version: 2\n", 'version: "1.0"', "total_workflows: 3", 'updated_at: "2026-04-14T09:00:00Z"'):
            equal((part, part in text), (part, True))
        equal([text.index(f'name: "{name}"') for name in ("b", "c", "zeta")],
              sorted(text.index(f'name: "{name}"') for name in ("b", "c", "zeta")))
        equal("mute" in text, False)
        again = sync(place)
        equal((again["registry"]["added"], again["registry"]["updated"], again["registry"]["kept"]), ([], [], ["zeta"]))
        equal(file.read_text(), text)
        os.unlink(pathlib.Path(place) / "skills/c/SKILL.md")
        equal(sync(place)["registry"]["kept"], ["c", "zeta"])
        equal(sorted(os.listdir(place)), ["r.yaml", "skills"])


@claim
def what_sync_wrote_reads_as_the_skills_did():
    strange = 'a "b" \\ c: # d\n\te\u2028é'
    files = skills(b=skill("b", takes("*", requires=["context.summary"], handoff_trigger=strange), categories=["x"]),
                   old=skill("old", {"accepts_handoff": True, "handoff_categories": ["x"], "protocol_version": "2.0"}),
                   one=skill("one", {"accepts_from": "*", "schema_version": 3.0}))
    with folder(files) as place:
        flags = ("discover", "--skills", "skills", "-f", "json", "--from", "a", "--category", "x", "--registry", "r.yaml")
        before = report(run(*flags, cwd=place))
        equal(sync(place)["registry"]["added"], ["b", "old", "one"])
        equal(report(run(*flags, cwd=place)), before)
        (pathlib.Path(place) / "none").mkdir()
        alone = report(run(*[word if word != "skills" else "none" for word in flags], cwd=place))
        equal(alone["candidates"], before["candidates"])


@claim
def a_registry_that_cannot_be_written_stays_as_it_was():
    with folder({**skills(b=skill("b", takes("*"))), "r.yaml/x": ""}) as place:
        expect(run("registry", "sync", "--skills", "skills", "--registry", "r.yaml", cwd=place), 2, err="r.yaml")
        expect(run("registry", "sync", "--skills", "skills", "--registry", "no/r.yaml", cwd=place), 2, err="no/r.yaml")


@claim
def people_are_told_what_changed():
    with folder(skills(b=skill("b", takes("*")))) as place:
        words = ("registry", "sync", "--skills", "skills", "--registry", "r.yaml")
        expect(run(*words, "--dry-run", cwd=place), 0, out="added    b\nr.yaml would have 1 skill: 1 added, 0 updated, 0 kept\n")
        expect(run(*words, cwd=place), 0, out="added    b\nr.yaml has 1 skill: 1 added")
        equal(expect(run(*words, cwd=place), 0).stdout, b"r.yaml has 1 skill: 0 added, 0 updated, 0 kept\n")


# ---- lint ----

@claim
def lint_points_into_the_front_matter():
    good = skills(a=skill("a", takes("b", provides_to=["b"]), categories=["research"]),
                  b=skill("b", takes("a", provides_to=["A"]), categories=["integration"]))
    equal(told(good), [])
    rows = [
        (dict(c=skill("c", takes("*", accepts_from="*"))), [("SKILL_FIELD_TYPE", "/handoff/accepts_from")]),
        (dict(c=skill("c", takes("*", provides_to="b"))), [("SKILL_FIELD_TYPE", "/handoff/provides_to"), ("SKILL_ONE_WAY_EDGE", "/handoff/provides_to")]),
        (dict(c=skill("c", takes("*", schema_version=3.0))), [("SKILL_FIELD_TYPE", "/handoff/schema_version")]),
        (dict(c=skill("c", takes("*"), categories="research")), [("SKILL_FIELD_TYPE", "/categories")]),
        (dict(c=skill("c", takes("*"), output_types={"a": 1})), [("SKILL_FIELD_TYPE", "/output_types")]),
        (dict(c=skill("c", takes("*"), input_requirements=[["x"]])), [("SKILL_FIELD_TYPE", "/input_requirements")]),
        (dict(c=skill("c", takes("*", schema_type="odd"))), [("SKILL_TYPE_UNKNOWN", "/handoff/schema_type")]),
        (dict(c=skill("c", takes("*", schema_type="internal"))), []),
        (dict(c=skill("c", takes("*", "b", "ghost"))), [("SKILL_DANGLING_EDGE", "/handoff/accepts_from/2")]),
        (dict(c=skill("c", takes("mute")), mute=skill("mute")), [("SKILL_DANGLING_EDGE", "/handoff/accepts_from/0"), ("SKILL_NO_HANDOFF", "")]),
        (dict(c=skill("c", takes("*", provides_to=["*", "a", "d"])), d=skill("d", takes("*"))), [("SKILL_ONE_WAY_EDGE", "/handoff/provides_to/1")]),
        (dict(c=skill("c", takes("*", requires=["payload.working.x", "handoff.context", "meta", "x"]))),
         [("SKILL_REQUIRES_IMPOSSIBLE", "/handoff/requires/1"), ("SKILL_REQUIRES_IMPOSSIBLE", "/handoff/requires/3")]),
        (dict(c=skill("c")), [("SKILL_NO_HANDOFF", "")]),
        (dict(c=skill("c", {"accepts_handoff": True})), [("SKILL_LEGACY", "/handoff")]),
        (dict(c=skill("c", {"accepts_handoff": True, "handoff_categories": ["own"]})),
         [("SKILL_LEGACY", "/handoff"), ("SKILL_CATEGORY_UNKNOWN", "/handoff/handoff_categories/0")]),
        (dict(c=skill("c", {"accepts_handoff": "yes"})), [("SKILL_NO_HANDOFF", ""), ("SKILL_FIELD_TYPE", "/handoff/accepts_handoff")]),
        (dict(c=skill("c", takes("*"), categories=["research", "own"])), [("SKILL_CATEGORY_UNKNOWN", "/categories/1")]),
    ]
    for more, expected in rows:
        equal((more, told({**good, **skills(**more)})), (more, expected))
    equal(told({**good, "skills/c/Skill.MD": "x"}), [("SKILL_FILE_NAME", "")])


@claim
def severities_are_those_of_the_table():
    files = {**skills(a=skill("a", takes("ghost")), b=skill("b"), c=skill("b")), "skills/d/skill.md": ""}
    equal(sorted({(code, severity) for _, code, severity, _ in lint(files, code=1)}),
          [("SKILL_DANGLING_EDGE", "WARN"), ("SKILL_DUPLICATE_NAME", "HARD"), ("SKILL_FILE_NAME", "WARN"), ("SKILL_NO_HANDOFF", "INFO")])


@claim
def the_registry_joins_the_edges():
    files = {**skills(a=skill("a", takes("far"))), "r.yaml": "workflows: [{name: far, handoff: {accepts_from: []}}]"}
    equal(told(files), [("SKILL_DANGLING_EDGE", "/handoff/accepts_from/0")])
    equal(told(files, "--registry", "r.yaml"), [])


@claim
def lint_shows_where():
    with folder(skills(a=skill("a", takes("ghost")))) as place:
        expect(run("registry", "lint", "--skills", "skills", "-f", "concise", cwd=place), 0, out="skills/a/SKILL.md:5:18: warning: SKILL_DANGLING_EDGE")
        shown = report(run("registry", "lint", "--skills", "skills", "-f", "json", cwd=place))
        equal(shown["documents"][0]["findings"][0]["params"], {"name": "ghost", "nearest": []})
        equal(shown["summary"], {"documents": 1, "accepted": 1, "rejected": 0, "hard": 0, "warn": 1, "info": 0, "failures": 0, "suppressed": 0, "fixed": 0})


@claim
def the_shipped_skills_are_in_order():
    result = expect(run("registry", "lint", "--skills", str(ROOT / "examples/universal/skills"), "-f", "json"), 0)
    equal([document["findings"] for document in report(result)["documents"]], [[], [], []])


# ---- governance ----

@claim
def governance_says_who_may_hand_what_to_whom():
    files = skills(a=skill("a", takes("*", provides_to=["b", "old"])), b=skill("b", takes("a")), closed=skill("closed", takes("x")),
                   old=skill("old", {"accepts_handoff": True, "protocol_version": "2.0"}), mute=skill("mute"),
                   picky=skill("picky", takes("*", requires=["context.original_prompt", "context.summary", "payload.working.x.y"])))
    place = "/handoff/target/skill"
    available = ["a", "b", "closed", "old", "picky"]
    equal(govern(files, handoff()), [])
    equal(govern(files, handoff(target__skill=" B ", source__skill="A")), [])
    for name in ("nobody", "mute"):
        equal(govern(files, handoff(target__skill=name), code=1),
              [("TARGET_NOT_FOUND", "HARD", place, {"target": name, "nearest": [], "available": available}),
               ("TARGET_NOT_PROVIDED", "WARN", place, {"target": name, "source": "a"})])
    equal(govern(files, handoff(target__skill="closed", source__skill="stranger"), code=1),
          [("TARGET_REFUSES_SOURCE", "HARD", place, {"target": "closed", "source": "stranger"})])
    equal(govern(files, handoff(target__skill="old")),
          [("TARGET_INCOMPATIBLE", "WARN", place, {"target": "old", "compatible": "partial", "version": "2.0"})])
    equal(govern(files, handoff(target__skill="picky", source__skill="x", payload__working={"x": 1})),
          [("TARGET_REQUIRES_MISSING", "WARN", "/handoff", {"target": "picky", "path": "context.original_prompt"}),
           ("TARGET_REQUIRES_MISSING", "WARN", "/handoff", {"target": "picky", "path": "payload.working.x.y"})])
    equal(govern(files, handoff(target__skill="picky", source__skill="x", payload__working={"x": {"y": False}},
                                context__original_prompt="p")), [])


@claim
def at_most_twenty_names_are_offered():
    files = skills(**{f"s{i:02}": skill(f"s{i:02}", takes("*")) for i in range(30)})
    equal(govern(files, handoff(target__skill="x"), code=1)[0][3]["available"], [f"s{i:02}" for i in range(20)])


@claim
def check_does_not_tell_of_broken_skills():
    files = skills(a=skill("a", takes("*", provides_to=["*"])), b=skill("b", takes("*")), broken="x", c=skill("c"), d=skill("c"))
    equal(govern(files, handoff()), [])
    with folder({**files, "h.json": json.dumps(handoff())}) as place:
        expect(run("check", "--skills", "none", "h.json", cwd=place), 2, err="none")


sys.exit(finish())
