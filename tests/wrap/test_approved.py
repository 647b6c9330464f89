# SPDX-License-Identifier: Apache-2.0
"""test_approved.py BATON - calls that a person must approve: asked outside or in the client, granted once, for exactly one call."""
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import STRIDE, claim, equal, expect, finish, report, run  # noqa: E402
from wrapped import HELLO, READ, SEND, SERVER, Session, call, entries, lines, place_with, record, refusal, talk  # noqa: E402

APPROVE = ["--approve", "send", "--workspace", "w"]
FORMS = {**HELLO, "params": {**HELLO["params"], "capabilities": {"elicitation": {}}}}
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": {"name": "mod", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}}
YES = {"action": "accept", "content": {"decision": "approve"}}
NO = {"action": "accept", "content": {"decision": "deny"}}


def approvals(place, *flags):
    return report(expect(run("approvals", "list", "--store", "s.db", "-f", "json", *flags, cwd=place), 0))["approvals"]


def grant(place, approval):
    expect(run("approvals", "grant", approval["id"], "--fingerprint", approval["fingerprint"], "--actor", "boss", "--store", "s.db", cwd=place), 0)


def passed(place, name="send"):
    """The calls that reached the server."""
    received = [json.loads(line) for line in pathlib.Path(place, "received").read_text(encoding="utf-8").splitlines()]
    return [message for message in received if message.get("method") == "tools/call" and message["params"]["name"] == name]


def events(place):
    return [entry["refs"]["event"] for entry in entries(place) if entry["kind"] == "approval"]


def modern(number, name, more=None, **arguments):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments, "_meta": META, **(more or {})}}


@claim
def a_grant_is_for_one_call_with_exactly_these_arguments():
    with place_with() as place:
        session = Session(place, *APPROVE)
        refused = session.ask(1, "send", to="a")
        equal(refusal(refused), "WRAP_APPROVAL_REQUIRED")
        asked = approvals(place)[0]
        equal((asked["id"] in refused["result"]["content"][0]["text"], "baton approvals" in refused["result"]["content"][0]["text"]), (True, False))
        grant(place, asked)
        others = [session.ask(2, "send", to="b"), session.ask(3, "send", to="a "), session.ask(4, "send", to="a", cc="a")]
        equal([refusal(answer) for answer in others], ["WRAP_APPROVAL_REQUIRED"] * 3)
        equal(refusal(session.ask(5, "send", to="a")), None)
        equal(refusal(session.ask(6, "send", to="a")), "WRAP_APPROVAL_REQUIRED")
        equal(refusal(session.ask(7, "read")), None)
        session.end()
        equal([message["id"] for message in passed(place)], [5])
        consumed = next(entry for entry in entries(place) if entry["refs"]["event"] == "CONSUMED")
        returned = next(entry for entry in entries(place) if entry["refs"]["event"] == "returned" and entry["target"] == "s/send")
        equal((returned["refs"]["approval"], returned["refs"]["fingerprint"], returned["refs"]["parent"]), (asked["id"], asked["fingerprint"], consumed["seq"]))
        equal((record(place, returned["seq"])["approval"], consumed["seq"] < returned["seq"]), (asked["id"], True))
        expect(run("ledger", "verify", "--store", "s.db", cwd=place), 0)


@claim
def another_definition_of_the_tool_needs_another_grant():
    with place_with() as place:
        session = Session(place, *APPROVE)
        session.ask(1, "send", to="a")
        session.end()
        grant(place, approvals(place)[0])
        pathlib.Path(place, "shown.json").write_text(json.dumps({"tools": [READ, {**SEND, "description": "Sends, and copies."}]}), encoding="utf-8")
        session = Session(place, *APPROVE)
        equal(refusal(session.ask(1, "send", to="a")), "WRAP_APPROVAL_REQUIRED")
        session.end()
        # The control: the definition that was shown when the grant was given.
        pathlib.Path(place, "shown.json").write_text(json.dumps({"tools": [READ, SEND]}), encoding="utf-8")
        session = Session(place, *APPROVE)
        equal(refusal(session.ask(1, "send", to="a")), None)
        session.end()


@claim
def a_call_that_is_repeated_makes_one_request_and_the_number_of_requests_is_bounded():
    with place_with(**{"few.json": json.dumps({"wrap": {"limits": {"pending": 2}}})}) as place:
        session = Session(place, *APPROVE, config=["--config", "few.json"])
        equal({refusal(session.ask(number, "send", to="a")) for number in range(100 // STRIDE)}, {"WRAP_APPROVAL_REQUIRED"})
        equal(len(approvals(place)), 1)
        equal([refusal(session.ask(number, "send", to=number)) for number in (1, 2)], ["WRAP_APPROVAL_REQUIRED", "WRAP_APPROVAL_LIMIT"])
        equal(refusal(session.ask(3, "send", to="x" * 300000)), "WRAP_APPROVAL_LIMIT")
        session.say({**call(4, "send"), "params": {"name": "send", "arguments": {"cents": 9007199254740993}}})
        equal(refusal(session.hear()), "JSON_NOT_CANONICAL")
        session.end()
        equal((len(approvals(place)), passed(place)), (2, []))


@claim
def a_denied_call_is_not_asked_for_again_at_once():
    with place_with() as place:
        session = Session(place, *APPROVE)
        session.ask(1, "send", to="a")
        expect(run("approvals", "deny", approvals(place)[0]["id"], "--actor", "boss", "--store", "s.db", cwd=place), 0)
        equal(refusal(session.ask(2, "send", to="a")), "WRAP_APPROVAL_DENIED")
        session.end()
        equal((len(approvals(place)), passed(place)), (1, []))


def race(sessions, *recipients):
    """How many of two processes pass a call that both make at the same moment."""
    for session, to in zip(sessions, recipients):
        session.say(call(9, "send", to=to))
    return [refusal(session.hear()) for session in sessions].count(None)


@claim
def two_processes_that_race_for_one_grant_pass_one_call():
    """BATON_WRAP_GRANTS is how often. Whoever comes second asks for the next grant. The control: with two grants both pass."""
    rounds = int(os.environ.get("BATON_WRAP_GRANTS", str(max(24 // STRIDE, 4))))
    with place_with() as place:
        sessions = [Session(place, *APPROVE) for _ in range(2)]
        equal(refusal(sessions[0].ask(1, "send", to=0)), "WRAP_APPROVAL_REQUIRED")
        for number in range(rounds):
            asked = approvals(place, "--status", "pending")
            equal((number, "pending", len(asked)), (number, "pending", 1))
            grant(place, asked[0])
            equal((number, "passed", race(sessions, 0, 0)), (number, "passed", 1))
        equal(len(passed(place)), rounds)
        equal(refusal(sessions[1].ask(2, "send", to=1)), "WRAP_APPROVAL_REQUIRED")
        for asked in approvals(place, "--status", "pending"):
            grant(place, asked)
        equal(race(sessions, 0, 1), 2)
        for session in sessions:
            session.end()
        equal(len(passed(place)), rounds + 2)


@claim
def a_rule_that_wants_approvals_needs_a_store():
    with place_with() as place:
        expect(run("wrap", "--name", "s", "--approve", "send", "--", *SERVER, cwd=place), 2, err="need a store")
        equal(pathlib.Path(place, "received").exists(), False)
        answers, _ = talk(place, call(1, "send"), flags=["--observe", "--approve", "send"])
        equal(refusal(answers[1]), None)


# ---- In the client


@claim
def a_person_decides_in_a_form_of_the_client():
    with place_with() as place:
        session = Session(place, *APPROVE, hello=FORMS)
        session.say(call(1, "send", to="a"), call(2, "read"))
        question = session.hear()
        equal((question["method"], question["params"]["mode"], "\"to\":\"a\"" in question["params"]["message"]), ("elicitation/create", "form", True))
        equal((session.hear()["id"], passed(place)), (2, []))  # what stands behind it passes
        session.say({"jsonrpc": "2.0", "id": question["id"], "result": YES})
        equal(session.hear()["result"]["content"][0]["text"], "send")
        session.say(call(3, "send", to="b"))
        session.say({"jsonrpc": "2.0", "id": session.hear()["id"], "result": NO})
        equal(refusal(session.hear()), "WRAP_APPROVAL_DENIED")
        session.say(call(4, "send", to="c"))
        for answer in ({"result": {"action": "cancel"}}, {"result": {"action": "accept", "content": {"decision": "maybe"}}}, {"error": {"code": -1, "message": "no"}}):
            session.say({"jsonrpc": "2.0", "id": session.hear()["id"], **answer})
            equal(refusal(session.hear()), "WRAP_APPROVAL_REQUIRED")
            session.say(call(4, "send", to="c"))
        last = session.hear()["id"]
        session.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 4}}, {"jsonrpc": "2.0", "id": last, "result": YES}, call(5, "read"))
        equal(session.hear()["id"], 5)
        session.end()
        equal([message["id"] for message in passed(place)], [1])
        equal(events(place)[:4], ["REQUESTED", "SHOWN", "APPROVED", "CONSUMED"])
        actors = {entry["actor"] for entry in entries(place) if entry["refs"]["event"] in ("SHOWN", "APPROVED", "REJECTED")}
        equal(actors, {"wrap/s/elicitation"})


@claim
def a_call_that_waits_for_a_person_is_dropped_at_the_end():
    with place_with() as place:
        session = Session(place, *APPROVE, hello=FORMS)
        session.say(call(1, "send", to="a"))
        equal(session.hear()["method"], "elicitation/create")
        facts, rest = session.end()
        equal((rest, passed(place), facts["calls"]["cancelled"]), (b"", [], 1))
        equal([entry["refs"]["event"] for entry in entries(place)], ["REQUESTED", "SHOWN", "cancelled"])


@claim
def a_client_is_not_asked_what_is_too_large_to_show_or_where_that_is_off():
    with place_with(**{"outside.json": json.dumps({"wrap": {"ask": "outside"}})}) as place:
        session = Session(place, *APPROVE, hello=FORMS)
        equal(refusal(session.ask(1, "send", to="x" * 4000)), "WRAP_APPROVAL_REQUIRED")
        session.end()
        session = Session(place, *APPROVE, hello=FORMS, config=["--config", "outside.json"])
        equal(refusal(session.ask(1, "send", to="a")), "WRAP_APPROVAL_REQUIRED")
        session.end()


@claim
def a_modern_client_repeats_the_call_with_the_answer_and_the_seal():
    with place_with() as place:
        session = Session(place, *APPROVE)
        session.say(modern(1, "send", to="a"))
        asked = session.hear()["result"]
        equal((asked["resultType"], asked["inputRequests"]["baton-approval"]["method"]), ("input_required", "elicitation/create"))
        carried = {"requestState": asked["requestState"], "inputResponses": {"baton-approval": YES, "other": {"x": 1}}}
        session.say(modern(2, "send", more=carried, to="b"))
        equal(refusal(session.hear()), "WRAP_APPROVAL_REQUIRED")
        forged = asked["requestState"][:-2] + ("AA" if asked["requestState"][-2:] != "AA" else "BB")
        session.say(modern(3, "send", more={**carried, "requestState": forged}, to="a"))
        equal(refusal(session.hear()), "WRAP_APPROVAL_REQUIRED")
        equal(passed(place), [])
        session.say(modern(4, "send", more=carried, to="a"))
        equal(session.hear()["result"]["content"][0]["text"], "send")
        session.say(modern(5, "send", more=carried, to="a"))
        equal(refusal(session.hear()), "WRAP_APPROVAL_REQUIRED")
        session.end()
        reached = passed(place)
        equal([message["id"] for message in reached], [4])
        equal(("requestState" in reached[0]["params"], reached[0]["params"]["inputResponses"]), (False, {"other": {"x": 1}}))


@claim
def a_question_of_the_server_itself_needs_no_second_approval():
    with place_with(**{"shown.json": json.dumps({"tools": [READ, SEND], "question": {"requestState": "of the server"}})}) as place:
        session = Session(place, *APPROVE)
        session.say(modern(1, "send", to="a"))
        first = session.hear()["result"]
        session.say(modern(2, "send", more={"requestState": first["requestState"], "inputResponses": {"baton-approval": YES}}, to="a"))
        second = session.hear()["result"]
        equal((second["resultType"], second["requestState"] == "of the server", "baton-approval" in second["inputRequests"]), ("input_required", False, False))
        session.say(modern(3, "send", more={"requestState": second["requestState"], "inputResponses": {"q": {}}}, to="b"))
        equal(refusal(session.hear()), "WRAP_APPROVAL_REQUIRED")
        session.say(modern(4, "send", more={"requestState": second["requestState"], "inputResponses": {"q": {}}}, to="a"))
        equal(session.hear()["result"]["content"][0]["text"], "send")
        session.end()
        equal([(message["id"], message["params"].get("requestState")) for message in passed(place)], [(2, None), (4, "of the server")])
        equal(events(place).count("CONSUMED"), 1)


@claim
def an_answer_to_a_question_of_the_server_is_passed_once():
    """The control: the next question of the server is another one, although it has the same state."""
    with place_with(**{"shown.json": json.dumps({"tools": [READ, SEND], "question": {"requestState": "s"}, "questions": 2})}) as place:
        session = Session(place, *APPROVE)
        session.say(modern(1, "send", to="a"))
        first = session.hear()["result"]
        session.say(modern(2, "send", more={"requestState": first["requestState"], "inputResponses": {"baton-approval": YES}}, to="a"))
        states = [session.hear()["result"]["requestState"]]
        for number in (3, 4):
            session.say(modern(number, "send", more={"requestState": states[-1], "inputResponses": {"q": {}}}, to="a"))
            result = session.hear()["result"]
            states += [result["requestState"]] if "requestState" in result else []
        equal((len(set(states)), result["content"][0]["text"]), (2, "send"))
        session.end()
        session = Session(place, *APPROVE)  # a later session does not forget it
        for number, state in enumerate(states):
            session.say(modern(number, "send", more={"requestState": state, "inputResponses": {"q": {}}}, to="a"))
            equal(refusal(session.hear()), "WRAP_APPROVAL_REQUIRED")
        session.end()
        equal([message["id"] for message in passed(place)], [2, 3, 4])


sys.exit(finish())
