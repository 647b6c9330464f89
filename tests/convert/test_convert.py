# SPDX-License-Identifier: Apache-2.0
"""test_convert.py BATON - baton convert: every member carried to its place, or named."""
import copy
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from handoffs import GOOD, at, text_of  # noqa: E402
from program import claim, equal, expect, finish, folder, report, run  # noqa: E402

NOW = ("--now", "2026-04-14T08:10:00Z", "--seed", "1")
TWO = {"handoff": {
    "version": "2.0", "timestamp": "2026-04-14T10:00:00.250+02:00",
    "source": {"skill": "perspective-swarm", "workflow_id": "swarm-1", "session_path": "work"},
    "target": {"skill": "patch-builder"},
    "context": {"original_prompt": "Which fix first?", "problem_type": "decision", "synthesis_summary": "Fix the parser first.",
                "reframed_challenge": {"a": 1.50}},
    "insights": {"convergent": ["parser"]}, "research_seeds": ["x"],
    "meta": {"convergence_level": "high", "perspectives_completed": 4, "user_feedback": None, "handoff_reason": "next",
             "handoff_chain": ["perspective-swarm"], "payload_hash": "sha256:" + "1" * 64, "payload_size_bytes": 3}}}
GOVERNED = {
    "handoff_id": "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4", "timestamp": "2026-04-14T10:00:00+02:00", "protocol_version": "1.0.0",
    "source_agent": {"agent_type": "domain", "agent_id": "planner", "agent_version": "1.0.0", "prompt_hash": "0" * 64},
    "target_agent": {"agent_type": "archetype", "agent_id": "builder", "agent_version": "1.0.0", "prompt_hash": "1" * 64},
    "context": {"request": {"type": "task", "description": "Build it.", "input_data": {"a": [1]}, "constraints": ["small"],
                            "expected_output": "it runs"},
                "state": {"conversation_history": [], "accumulated_context": {"k": "v"}, "decisions_made": [{}]}},
    "governance": {"source_agent_verified": True, "audit_trail": "t"}}
OWN = ("--workflow-id", "w", "--session-path", "work", "--phase", "p")
KIND = ("--problem-type", "implementation")
PLAN = """step,agent,action,inputs,outputs,status,notes,payload_schema_in,own
a,@scout,look,,,,,,
b, @builder ,build it,src/,,pending,soon,s/v1.schema.json,mine
,,,,,,,,
d,tester,test,,,,,,
"""


def contract(**changes):
    body = {"agent_status": {"plan_status": "COMPLETE", "agent_id": "a80177b959c721da1", "pending_steps": [], "next_action": "close the ticket"},
            "evidence_report": {"open_gaps": ["no load test", {"not": "a text"}], "verification": {"result": "pass"}},
            "consolidation_report": {"next_best_agent": "reviewer", "conflicts": []},
            "loop_state": {"iteration": 1, "max_iterations": 3, "metric": 1, "threshold": 2},
            "user_facing_summary": "The fix is in.", **changes}
    return {name: value for name, value in body.items() if value is not None}


def fenced(body):
    return "Done.\n\n```agent_contract_handoff\n" + json.dumps(body) + "\n```\n"


def two(**changes):
    """TWO with members changed: two(context={"insights": 1}); None removes one."""
    document = copy.deepcopy(TWO)
    for name, value in changes.items():
        place = document["handoff"]
        if isinstance(value, dict) and isinstance(place.get(name), dict):
            for inner, content in value.items():
                if content is None:
                    place[name].pop(inner, None)
                else:
                    place[name][inner] = content
        elif value is None:
            del place[name]
        else:
            place[name] = value
    return document


def convert(document, *args, code=0):
    text = document if isinstance(document, str) else json.dumps(document)
    result = expect(run("convert", "--to", "universal", "--no-refs", *NOW, "-f", "json", *args, "-", stdin=text), code)
    return report(result)["documents"][0]


def leaves(value, pointer=""):
    """Every member that has no members of its own."""
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from leaves(inner, pointer + "/" + name.replace("~", "~0").replace("/", "~1"))
    else:
        yield pointer


def check_complete(document, shown):
    """Everything that was given is named, and what is named as carried is where it is said to be."""
    facts = shown["facts"]
    named = [entry["from"] for entry in facts["carried"]] + [entry["pointer"] for entry in facts["not_carried"]]
    missing = [leaf for leaf in leaves(document)
               if not any(leaf == pointer or leaf.startswith(pointer + "/") for pointer in named)]
    equal(missing, [])
    both = {entry["from"] for entry in facts["carried"]} & {entry["pointer"] for entry in facts["not_carried"]}
    equal(both, set())
    equal([f["pointer"] for f in shown["findings"] if f["code"] == "NOT_CARRIED"],
          sorted(entry["pointer"] for entry in facts["not_carried"]))
    for entry in facts["carried"] if "document" in shown else []:
        if at(shown["document"], entry["to"]) is None and at(document, entry["from"]) is not None:
            raise AssertionError(f"nothing is at {entry['to']}")


@claim
def an_hour_after_any_time_that_a_document_may_have_can_be_written():
    for time, end in (("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"), ("9999-12-31T23:59:59-23:00", "9999-12-31T23:59:59Z"), ("1969-12-31T23:30:00Z", "1970-01-01T00:30:00Z"),
                      ("0000-01-01T00:00:00Z", "0000-01-01T01:00:00Z"), ("0000-01-01T00:00:00+23:00", "0000-01-01T01:00:00Z")):
        result = run("convert", "--to", "universal", "--no-refs", *NOW, "-f", "json", "-", stdin=json.dumps({"handoff": {**TWO["handoff"], "timestamp": time}}))
        equal((time, result.returncode in (0, 1)), (time, True))
        made = report(result)["documents"][0].get("document", {"handoff": {"expires_at": end}})
        equal((time, made["handoff"]["expires_at"]), (time, end))


@claim
def a_document_of_version_two_finds_its_places():
    shown = convert(TWO)
    made = shown["document"]["handoff"]
    check_complete(TWO, shown)
    equal((shown["outcome"], shown["verdict"]), ("converted", "accepted"))
    equal([(f["code"], f["pointer"]) for f in shown["findings"]],
          [("NOT_CARRIED", "/handoff/meta/payload_hash"), ("NOT_CARRIED", "/handoff/meta/payload_size_bytes"),
           ("TRACE_ID_GENERATED", "/handoff/trace_id")])
    equal((made["version"], made["timestamp"], made["expires_at"]), ("3.0", "2026-04-14T08:00:00.250Z", "2026-04-14T09:00:00.25Z"))
    equal(made["source"], {**TWO["handoff"]["source"], "phase": "unknown"})
    equal((made["context"]["summary"], made["context"]["original_prompt"]), ("Fix the parser first.", "Which fix first?"))
    equal(made["payload"]["working"], {"reframed_challenge": {"a": 1.50}, "insights": {"convergent": ["parser"]}, "research_seeds": ["x"],
                                       "convergence_level": "high", "perspectives_completed": 4, "user_feedback": None})
    equal((made["meta"]["confidence"], made["meta"]["handoff_reason"], made["meta"]["handoff_chain"]),
          ("high", "next", ["perspective-swarm"]))
    equal((made["tracing"], shown["facts"]["payload"]["sealed"]), ({"tags": {"converted_from": "universal 2.0"}}, "yes"))


@claim
def the_result_is_minified_sealed_and_counted():
    with folder({"old.json": json.dumps(TWO, indent=4)}) as place:
        expect(run("convert", "--to", "universal", "--no-refs", *NOW, "-f", "json", "-o", "new.json", "old.json", cwd=place), 0)
        text = pathlib.Path(place, "new.json").read_text()
        equal(text, text_of(json.loads(text)))
        spelled = run("convert", "--to", "universal", *NOW, "-", stdin=json.dumps(TWO).replace("1.5", "1.50")).stdout
        equal(b'{"a":1.50}' in spelled, True)
        expect(run("convert", "--to", "universal", *NOW, "-o", "new.json", "old.json", cwd=place), 2, err="exists")


@claim
def the_change_is_the_whole_for_the_whole():
    shown = convert(TWO)
    equal(shown["facts"]["changes"], [{"op": "replace", "path": "", "value": shown["document"], "was": TWO, "why": "convert"}])


@claim
def absent_members_are_filled_as_they_were_meant():
    made = convert(two(meta={"convergence_level": None}, context={"synthesis_summary": None}))["document"]["handoff"]
    equal((made["meta"]["confidence"], made["context"]["summary"]), ("medium", "Which fix first?"))
    equal(convert(two(meta={"convergence_level": "none"}))["document"]["handoff"]["meta"]["confidence"], "low")
    kept = convert(two(expires_at="2026-05-01T00:00:00+01:00"))["document"]["handoff"]
    equal(kept["expires_at"], "2026-04-30T23:00:00Z")


@claim
def a_long_summary_is_cut_and_kept_whole():
    for length, cut in ((500, False), (501, True), (900, True)):
        text = "\u00e9" * length
        made = convert(two(context={"synthesis_summary": text}), "--tokens", "chars4")["document"]["handoff"]
        equal(made["context"]["summary"], "\u00e9" * 497 + "..." if cut else text)
        equal(made["payload"]["working"].get("synthesis_summary"), text if cut else None)
    made = convert(two(context={"synthesis_summary": None, "original_prompt": "a\u0000" * 300}), "--tokens", "chars4")["document"]["handoff"]
    equal((made["context"]["summary"], made["context"]["original_prompt"]), (("a\u0000" * 249)[:497] + "...", "a\u0000" * 300))


@claim
def what_has_no_place_is_named():
    document = two(target={"mood": "calm", "a/b~": 1}, extra=[1], source={"phase": "Triage"}, trace_id="x")
    document["side"] = True
    shown = convert(document)
    check_complete(document, shown)
    equal(sorted(entry["pointer"] for entry in shown["facts"]["not_carried"]),
          ["/handoff/extra", "/handoff/meta/payload_hash", "/handoff/meta/payload_size_bytes", "/handoff/source/phase",
           "/handoff/target/a~1b~0", "/handoff/target/mood", "/handoff/trace_id", "/side"])


@claim
def the_same_member_in_two_places_is_carried_once():
    document = two(context={"insights": "other"})
    shown = convert(document)
    check_complete(document, shown)
    equal([entry["pointer"] for entry in shown["facts"]["not_carried"] if "insights" in entry["pointer"]], ["/handoff/insights"])


@claim
def members_of_the_wrong_kind_are_named():
    for changes, pointer in (({"source": {"workflow_id": 5}}, "/handoff/source/workflow_id"), ({"context": "text"}, "/handoff/context"),
                             ({"meta": {"handoff_chain": []}}, "/handoff/meta/handoff_chain"),
                             ({"meta": {"handoff_chain": [1]}}, "/handoff/meta/handoff_chain"), ({"timestamp": 7}, "/handoff/timestamp")):
        document = two(**changes)
        shown = convert(document, code=1 if pointer not in ("/handoff/meta/handoff_chain", "/handoff/timestamp") else 0)
        check_complete(document, shown)
        equal(pointer in [entry["pointer"] for entry in shown["facts"]["not_carried"]], True)


@claim
def strict_rejects_what_has_no_place():
    shown = convert(TWO, "--strict", code=1)
    equal((shown["outcome"], shown["verdict"], "document" in shown, shown["facts"]["changes"]), ("escalated", "rejected", False, []))
    equal({f["severity"] for f in shown["findings"] if f["code"] == "NOT_CARRIED"}, {"HARD"})
    equal(convert(two(meta={"payload_hash": None, "payload_size_bytes": None}), "--strict")["outcome"], "converted")


@claim
def the_rest_is_kept_on_request():
    document = two(target={"a/b~": {"c": 1}})
    shown = convert(document, "--keep-rest", "--strict")
    check_complete(document, shown)
    rest = at(shown["document"], "/handoff/payload/session/state/rest")
    equal((rest["/handoff/target/a~1b~0"], len(rest), shown["facts"]["not_carried"]), ({"c": 1}, 3, []))


@claim
def flags_fill_in_and_override():
    shown = convert(two(source={"workflow_id": None}), "--workflow-id", "w", "--summary", "Mine.", "--phase", "p", "--confidence", "low",
                    "--trace-id", "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4", "--working", '{"own":1}', "--tag", "converted_from=me")
    made = shown["document"]["handoff"]
    equal((made["source"]["workflow_id"], made["context"]["summary"], made["source"]["phase"], made["meta"]["confidence"],
           made["payload"]["working"], made["tracing"]["tags"]), ("w", "Mine.", "p", "low", {"own": 1}, {"converted_from": "me"}))
    equal("TRACE_ID_GENERATED" in [f["code"] for f in shown["findings"]], False)
    check_complete(two(source={"workflow_id": None}), shown)


@claim
def version_three_passes_through_and_others_are_refused():
    text = text_of(GOOD) + "\n"
    shown = convert(text)
    equal((shown["outcome"], shown["document"], shown["facts"]["changes"]), ("unchanged", json.loads(text), []))
    with folder({"h.json": text}) as place:
        equal(run("convert", "--to", "universal", *NOW, "h.json", cwd=place).stdout.decode(), text)
    for version in ("1.1", "1.2", "4.0"):
        refused = convert(two(version=version), code=1)
        equal((refused["outcome"], "VERSION_MISMATCH" in [f["code"] for f in refused["findings"]]), ("escalated", True))
    equal(convert('{"handoff":{', code=1)["findings"][0]["code"], "JSON_SYNTAX")


@claim
def a_governed_handoff_finds_its_places():
    shown = convert(GOVERNED, *OWN)
    made = shown["document"]["handoff"]
    check_complete(GOVERNED, shown)
    equal((made["source"]["skill"], made["target"]["skill"], made["timestamp"]), ("planner", "builder", "2026-04-14T08:00:00Z"))
    equal(made["context"], {"summary": "Build it.", "problem_type": "implementation", "success_criteria": ["it runs"]})
    equal(made["payload"], {"working": {"input_data": {"a": [1]}, "constraints": ["small"]},
                            "session": {"state": GOVERNED["context"]["state"]}})
    equal(made["tracing"]["tags"], {"handoff_id": GOVERNED["handoff_id"], "converted_from": "governed"})
    equal(len([f for f in shown["findings"] if f["code"] == "NOT_CARRIED"]), 7)


@claim
def every_type_of_request_has_a_problem_type():
    for request, problem in (("query", "research"), ("task", "implementation"), ("analysis", "analytical"), ("decision", "decision")):
        document = copy.deepcopy(GOVERNED)
        document["context"]["request"]["type"] = request
        equal(at(convert(document, *OWN)["document"], "/handoff/context/problem_type"), problem)
    document["context"]["request"]["type"] = "rumour"
    shown = convert(document, *OWN, code=1)
    equal("/context/request/type" in [entry["pointer"] for entry in shown["facts"]["not_carried"]], True)


@claim
def an_attestation_is_not_even_kept_among_the_rest():
    document = {**copy.deepcopy(GOVERNED), "note": "n"}
    shown = convert(document, *OWN, "--keep-rest")
    check_complete(document, shown)
    equal(at(shown["document"], "/handoff/payload/session/state/rest"), {"/note": "n"})
    equal(len(shown["facts"]["not_carried"]), 7)


@claim
def a_governed_handoff_needs_what_only_flags_can_say():
    shown = convert(GOVERNED, code=1)
    equal((shown["outcome"], sorted(f["params"]["property"] for f in shown["findings"] if f["code"] == "SCHEMA_REQUIRED")),
          ("escalated", ["phase", "session_path", "workflow_id"]))


@claim
def a_contract_finds_its_places():
    body = contract()
    shown = convert(fenced(body), *OWN, *KIND, "--source", "worker")
    check_complete(body, shown)
    made = shown["document"]["handoff"]
    equal((shown["outcome"], made["source"]["skill"], made["target"]["skill"]), ("converted", "worker", "reviewer"))
    equal((made["context"]["summary"], made["context"]["known_gaps"]), ("The fix is in.", ["no load test"]))
    equal(made["payload"]["working"], {"agent_status": body["agent_status"], "evidence_report": body["evidence_report"]})
    equal(made["payload"]["session"], {"state": {"loop_state": body["loop_state"]}})
    equal(made["tracing"]["tags"], {"agent_id": "a80177b959c721da1", "converted_from": "contract"})
    equal(made["timestamp"], "2026-04-14T08:10:00Z")


@claim
def consent_is_not_carried_even_among_the_rest():
    body = contract(approval_request={"operation": "drop the table", "rollback": "restore", "verification": "count"})
    shown = convert(fenced(body), *OWN, *KIND, "--source", "worker", "--keep-rest")
    equal("drop the table" in json.dumps(shown["document"]), False)
    equal(shown["facts"]["not_carried"], [{"pointer": "/approval_request", "reason": "consent is not transferable"}])
    equal(set(shown["document"]["handoff"]["payload"]["session"]["state"]["rest"]), {"/consolidation_report/conflicts"})


@claim
def without_a_summary_the_next_action_is_one():
    shown = convert(fenced(contract(user_facing_summary=None)), *OWN, *KIND, "--source", "worker")
    equal(shown["document"]["handoff"]["context"]["summary"], "close the ticket")
    equal({"from": "/agent_status/next_action", "to": "/handoff/context/summary"} in shown["facts"]["carried"], True)
    shown = convert(fenced(contract(user_facing_summary=None)), *OWN, *KIND, "--source", "worker", "--summary", "mine")
    equal(shown["document"]["handoff"]["context"]["summary"], "mine")


@claim
def a_message_that_cannot_be_read_is_refused_in_its_own_words():
    for text, code in (("no block here", "CONTRACT_BLOCK_MISSING"), ("```agent_contract_handoff\n{\n```\n", "JSON_SYNTAX"),
                       ("```agent_contract_handoff\n[]\n```\n", "CONTRACT_NOT_OBJECT")):
        shown = convert(text, "--from", "contract", code=1)
        equal((shown["dialect"], shown["outcome"], "document" in shown), ("contract", "escalated", False))
        equal(code in [f["code"] for f in shown["findings"]], True)


@claim
def one_step_of_a_plan_finds_its_places():
    shown = convert(PLAN, *OWN, *KIND, "--step", "b")
    made = shown["document"]["handoff"]
    equal((made["source"]["skill"], made["target"]["skill"], made["context"]["summary"]), ("builder", "tester", "build it"))
    equal(made["payload"], {"working": {"inputs": "src/", "notes": "soon"}, "session": {"state": {"status": "pending"}}})
    equal(made["tracing"]["tags"], {"step": "b", "converted_from": "plan"})
    equal({entry["from"] for entry in shown["facts"]["carried"]},
          {"/2/step", "/2/agent", "/2/action", "/2/inputs", "/2/notes", "/2/status", "/4/agent"})
    equal(shown["facts"]["not_carried"], [{"pointer": "/2/payload_schema_in", "reason": "it is a promise within the plan"},
                                          {"pointer": "/2/own", "reason": "it has no place in a universal handoff"}])


@claim
def the_last_step_of_a_plan_needs_a_target():
    shown = convert(PLAN, *OWN, *KIND, "--step", "d", code=1)
    equal([f["pointer"] for f in shown["findings"] if f["code"] == "SCHEMA_REQUIRED"], ["/handoff/target"])
    equal(convert(PLAN, *OWN, *KIND, "--step", "d", "--target", "archivist")["document"]["handoff"]["target"]["skill"], "archivist")


@claim
def a_step_that_is_not_there_is_refused():
    for step, text, code in (("x", PLAN, "PLAN_STEP_NOT_FOUND"), ("a", PLAN + "a,,,,,,,,\n", "PLAN_DUPLICATE_STEP"), ("a", PLAN + '"', "CSV_QUOTE_UNTERMINATED")):
        shown = convert(text, *OWN, *KIND, "--step", step, code=1)
        equal((shown["dialect"], shown["outcome"], [f["code"] for f in shown["findings"] if f["severity"] == "HARD"]), ("plan", "escalated", [code]))


@claim
def wrong_usage_is_a_failure():
    with folder({"two.json": json.dumps(TWO), "x.json": "[]", "handoffs/a-to-b.json": "{"}) as place:
        for words, what in ((["two.json"], "convert needs --to"), (["--to", "governed", "two.json"], "--to: unknown dialect governed"),
                            (["--to", "universal", "--from", "word", "two.json"], "--from: unknown dialect word"),
                            (["--to", "universal", "x.json"], "not recognised"), (["--to", "universal", "none.json"], "cannot read"),
                            (["--to", "universal", "--from", "plan", "x.json"], "name it with --step"),
                            (["--to", "universal", "--from", "xml", "x.json"], "cannot be converted")):
            equal(expect(run("convert", *words, cwd=place), 2, err=what).stdout, b"")
        expect(run("convert", "--to", "universal", "handoffs/a-to-b.json", cwd=place), 1, out="JSON_SYNTAX")
        equal(sorted(os.listdir(place)), ["handoffs", "two.json", "x.json"])


sys.exit(finish())
