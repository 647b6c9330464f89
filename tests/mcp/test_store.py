# SPDX-License-Identifier: Apache-2.0
"""test_store.py BATON - baton mcp with a store: submissions, inboxes, receipts, and a person who decides."""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from handoffs import handoff  # noqa: E402
from mcp_client import FORMS, META, ask, call, old, one, opening, talk, tool  # noqa: E402
from program import BATON, PATIENT, claim, environment, equal, expect, finish, folder, report, run  # noqa: E402

NOW = "2026-05-04T08:00:00Z"
STORE = ["--config", "mcp.yaml", "--store", "s.db", "--now", NOW]
PARAMS = -32602


def text(source="intake-clerk", target="tax-writer", **parts):
    document = handoff(**parts)
    document["handoff"]["source"]["skill"] = source
    document["handoff"]["target"]["skill"] = target
    document["handoff"]["meta"].pop("handoff_chain", None)
    return json.dumps(document, separators=(",", ":"))


def use(name, arguments, place, flags=(), now=NOW):
    return tool(name, arguments, flags=["--config", "mcp.yaml", "--store", "s.db", "--now", now, *flags], cwd=place)


def start(place):
    expect(run("ledger", "init", "--store", "s.db", "--origin", "a.example/log", cwd=place), 0)


def store():
    return folder({"mcp.yaml": PATIENT})


@claim
def a_submission_is_judged_recorded_proven_and_handed_on():
    with store() as place:
        start(place)
        document = text()
        said = use("submit_handoff", {"document": document, "id": "ho-1"}, place)
        shown = said["structuredContent"]
        equal((said["isError"], shown["documents"][0]["verdict"], shown["documents"][0]["record"]["seq"]), (False, "accepted", 0))
        equal(shown["delivery"], {"state": "queued", "inbox": "tax-writer", "message": "h0"})
        key = report(expect(run("ledger", "checkpoint", "--store", "s.db", "-f", "json", cwd=place), 0))
        with open(f"{place}/s.db.vkey", encoding="utf-8") as file:
            vkey = file.read().strip()
        proof = tool("verify_receipt", {"receipt": shown["receipt"], "vkey": [vkey], "document": document})
        equal(proof["structuredContent"]["documents"][0]["verdict"], "accepted")
        equal(key["size"], 1)
        entry = report(expect(run("ledger", "tail", "--store", "s.db", "-f", "json", cwd=place), 0))["entries"][0]["entry"]
        equal((entry["actor"], entry["handoff_id"], len(entry["refs"]["policy"])), ("mcp", "ho-1", 64))


@claim
def the_digest_of_the_policy_changes_with_the_rules_and_not_with_the_rest():
    rows = [("check: {budget: 1999}\n" + PATIENT, False), (PATIENT.replace("}", ", nesting: 127}"), False), ("log: {level: warn}\n" + PATIENT, True),
            (PATIENT.replace("}", ", schema_depth: 31}"), True)]
    with folder({"mcp.yaml": PATIENT, **{f"{number}.yaml": lines for number, (lines, _) in enumerate(rows)}}) as place:
        start(place)
        for flags in ([], *(["--config", f"{number}.yaml"] for number in range(len(rows)))):
            use("submit_handoff", {"document": text()}, place, flags)
        entries = report(run("ledger", "tail", "--store", "s.db", "-f", "json", cwd=place))["entries"]
        usual, *others = (item["entry"]["refs"]["policy"] for item in entries)
        equal([other == usual for other in others], [is_same for _, is_same in rows])


@claim
def a_rejected_submission_is_recorded_and_not_handed_on():
    with store() as place:
        start(place)
        said = use("submit_handoff", {"document": text("a", "a")}, place)
        equal((said["isError"], said["structuredContent"]["delivery"]), (True, {"state": "none"}))
        equal(said["structuredContent"]["documents"][0]["record"]["seq"], 0)
        equal(use("receive_handoffs", {"agent": "a"}, place)["structuredContent"]["items"], [])


@claim
def a_key_makes_two_requests_one_decision():
    with store() as place:
        start(place)
        ask_for = {"document": text(), "idempotency_key": "k-1"}
        first = use("submit_handoff", ask_for, place)
        again = use("submit_handoff", ask_for, place)
        equal({name: first["structuredContent"][name] for name in ("documents", "delivery", "receipt", "summary")},
              {name: again["structuredContent"][name] for name in ("documents", "delivery", "receipt", "summary")})
        other = use("submit_handoff", {"document": text(target="b"), "idempotency_key": "k-1"}, place)
        equal((other["isError"], "structuredContent" in other, "IDEMPOTENCY_KEY_REUSED" in other["content"][0]["text"]), (True, False, True))
        equal(report(run("ledger", "tail", "--store", "s.db", "-f", "json", cwd=place))["size"], 1)
        late = use("submit_handoff", {"document": text(target="b"), "idempotency_key": "k-1"}, place, now="2026-05-05T08:00:00Z")
        equal(late["isError"], False)
        bad = {"document": text("a", "a"), "idempotency_key": "k-2"}
        equal([use("submit_handoff", bad, place)["isError"] for _ in range(2)], [True, True])
        equal(report(run("ledger", "tail", "--store", "s.db", "-f", "json", cwd=place))["size"], 3)
        equal(use("submit_handoff", {"document": text(), "idempotency_key": "a b"}, place)["isError"], True)


@claim
def an_item_is_taken_under_a_lease_and_finished_once():
    with store() as place:
        start(place)
        for number in range(3):
            use("submit_handoff", {"document": text(), "id": f"h-{number}"}, place)
        taken = use("receive_handoffs", {"agent": "tax-writer", "max": 2, "lease_s": 60}, place)["structuredContent"]["items"]
        equal([(item["message"], item["attempt"], item["lease_until"]) for item in taken],
              [("h0", 1, "2026-05-04T08:01:00Z"), ("h1", 1, "2026-05-04T08:01:00Z")])
        equal([item["message"] for item in use("receive_handoffs", {"agent": "tax-writer"}, place)["structuredContent"]["items"]], ["h2"])

        def end(item, outcome="delivered", agent="tax-writer", now=NOW, **more):
            said = use("finish_handoff", {"agent": agent, "message": item["message"], "lease": item["lease"], "outcome": outcome, **more}, place, now=now)
            return said["structuredContent"]["items"][0]["result"]
        equal(end(taken[0], lease="nonsense"), "lease_lost")
        equal(end(taken[0], message="h99"), "unknown")
        equal(end(taken[0], agent="other"), "unknown")
        equal(end(taken[0]), "ok")
        equal(end(taken[0]), "lease_lost")
        equal(end(taken[1], now="2026-05-04T08:02:00Z"), "lease_lost")
        later = use("receive_handoffs", {"agent": "tax-writer"}, place, now="2026-05-04T08:02:00Z")["structuredContent"]["items"]
        equal([(item["message"], item["attempt"]) for item in later], [("h1", 2), ("h2", 2)])
        equal(end(later[0], "failed", now="2026-05-04T08:02:01Z"), "ok")
        entries = report(run("ledger", "tail", "--store", "s.db", "--kind", "delivery", "-f", "json", cwd=place))["entries"]
        equal([(item["entry"]["refs"]["message"], item["entry"]["refs"]["event"]) for item in entries], [("h0", "delivered"), ("h1", "failed")])
        expect(run("ledger", "verify", "--store", "s.db", cwd=place), 0)
        expect(run("store", "check", "--store", "s.db", cwd=place), 0)


@claim
def an_item_that_is_never_delivered_dies():
    with folder({"mcp.yaml": PATIENT, "c.yaml": PATIENT + "deliver: {attempts: 2}\n"}) as place:
        start(place)
        flags = ["--config", "c.yaml"]
        use("submit_handoff", {"document": text()}, place)
        for minute in (1, 2):
            items = use("receive_handoffs", {"agent": "tax-writer", "lease_s": 10}, place, flags, f"2026-05-04T08:0{minute}:00Z")
            equal(len(items["structuredContent"]["items"]), 1)
        equal(use("receive_handoffs", {"agent": "tax-writer"}, place, flags, "2026-05-04T08:03:00Z")["structuredContent"]["items"], [])
        entries = report(run("ledger", "tail", "--store", "s.db", "--kind", "delivery", "-f", "json", cwd=place))["entries"]
        equal([item["entry"]["refs"]["event"] for item in entries], ["dead"])


@claim
def a_target_that_no_inbox_can_have_is_told():
    with store() as place:
        start(place)
        said = use("submit_handoff", {"document": text(target="tax writer")}, place)["structuredContent"]
        equal((said["documents"][0]["verdict"], said["delivery"]), ("accepted", {"state": "none"}))
        equal([item["severity"] for item in said["documents"][0]["findings"] if item["code"] == "DELIVERY_UNADDRESSED"], ["INFO"])


@claim
def what_is_not_yours_is_not_there():
    with store() as place:
        start(place)
        use("submit_handoff", {"document": text()}, place)
        trace = json.loads(text())["handoff"]["trace_id"]
        mine = [("get_handoff", {"id": "0"}), ("get_receipt", {"id": "0"}), ("get_trace", {"trace_id": trace})]
        for flags, seen in (([], True), (["--actor", "other"], False), (["--actor", "other", "--agent", "tax-writer"], True),
                            (["--actor", "other", "--agent", "x"], False), (["--actor", "other", "--scopes", "submit,operate"], True)):
            for name, arguments in mine:
                equal((name, flags, use(name, arguments, place, flags)["isError"]), (name, flags, not seen))
        hidden = use("get_handoff", {"id": "0"}, place, ["--actor", "other"])
        equal(hidden, use("get_handoff", {"id": "99"}, place, ["--actor", "other"]))
        equal(use("receive_handoffs", {"agent": "tax-writer"}, place, ["--agent", "x"])["isError"], True)


@claim
def entries_receipts_and_traces_are_those_of_the_commands():
    with store() as place:
        start(place)
        use("submit_handoff", {"document": text(), "id": "ho-1"}, place)
        use("submit_handoff", {"document": text("tax-writer", "auditor")}, place, now="2026-05-04T08:00:02Z")
        shown = report(run("ledger", "show", "0", "--store", "s.db", "-f", "json", cwd=place))
        for name in ("0", 0, "ho-1"):
            equal(use("get_handoff", {"id": name}, place)["structuredContent"], shown)
            equal(use("get_receipt", {"id": name}, place)["structuredContent"]["index"], 0)
        trace = use("get_trace", {"trace_id": shown["entry"]["trace_id"]}, place)["structuredContent"]
        equal((trace["agents"], [hop["gap_ms"] is None for hop in trace["hops"]]), (["intake-clerk", "tax-writer", "auditor"], [True, False]))
        for uri, words in (("baton://handoffs/0", "ho-1"), ("baton://receipts/0", "tlog-proof"), ("baton://ledger/checkpoint", "a.example/log")):
            item = one(ask("resources/read", {"uri": uri}), flags=STORE, cwd=place)["result"]
            equal((words in item["contents"][0]["text"], item["ttlMs"], item["cacheScope"]), (True, 0, "private"))
        for uri in ("baton://handoffs/99", "baton://handoffs/ho-1", "baton://receipts/x", "baton://approvals/pending"):
            equal(one(ask("resources/read", {"uri": uri}), flags=STORE, cwd=place)["error"]["code"], PARAMS)


@claim
def a_watched_resource_tells_when_it_changes():
    with store() as place:
        start(place)
        said = talk(opening(), old("resources/subscribe", {"uri": "baton://ledger/checkpoint"}, 1),
                    old("tools/call", {"name": "submit_handoff", "arguments": {"document": text()}}, 2),
                    old("resources/unsubscribe", {"uri": "baton://ledger/checkpoint"}, 3),
                    old("tools/call", {"name": "submit_handoff", "arguments": {"document": text()}}, 4),
                    old("resources/subscribe", {"uri": "baton://rules"}, 5), flags=STORE, cwd=place)
        equal([item.get("id", item.get("method")) for item in said], [0, 1, 2, "notifications/resources/updated", 3, 4, 5])
        equal((said[1]["result"], said[3]["params"], said[-1]["error"]["code"]), ({}, {"uri": "baton://ledger/checkpoint"}, -32002))


@claim
def a_modern_subscription_is_acknowledged_told_and_ended():
    with store() as place:
        start(place)

        def listen(number, *uris):
            return ask("subscriptions/listen", {"notifications": {"resourceSubscriptions": list(uris)}}, number)
        checkpoint, key = "baton://ledger/checkpoint", "io.modelcontextprotocol/subscriptionId"
        submit = call("submit_handoff", {"document": text()}, 2)
        said = talk(listen("s-1", checkpoint, "baton://rules"), submit,
                    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "s-1"}}, submit, flags=STORE, cwd=place)
        equal([item.get("id", item.get("method")) for item in said],
              ["notifications/subscriptions/acknowledged", 2, "notifications/resources/updated", 2])
        equal(said[0]["params"], {"_meta": {key: "s-1"}, "notifications": {"resourceSubscriptions": [checkpoint]}})
        equal(said[2]["params"], {"_meta": {key: "s-1"}, "uri": checkpoint})
        last = talk(listen(7, checkpoint), flags=STORE, cwd=place)[-1]
        equal((last["id"], last["result"]["resultType"], last["result"]["_meta"][key]), (7, "complete", 7))
        equal(one(ask("subscriptions/listen", {}), flags=STORE, cwd=place)["error"]["code"], PARAMS)


# ---- Approvals ----

BLOCK = {"agent_status": {"plan_status": "APPROVAL_REQUEST", "agent_id": "a80177b959c721da1", "pending_steps": [], "next_action": "wait"},
         "evidence_report": {"patterns_checked": [], "files_checked": [], "commands_run": [], "key_outputs": [], "verbatim_outputs": [],
                             "cross_layer_impacts": [], "open_gaps": []},
         "consolidation_report": None,
         "approval_request": {"operation": "drop the staging table", "exact_content": "psql -c 'drop table staging'",
                              "scope": "staging database", "risk_level": "HIGH", "rollback": "restore the last dump",
                              "verification": "the table list no longer shows it"}}


def block(agent="a80177b959c721da1", **request):
    body = {**BLOCK, "agent_status": {**BLOCK["agent_status"], "agent_id": agent},
            "approval_request": {**BLOCK["approval_request"], **request}}
    return f"Report.\n\n```agent_contract_handoff\n{json.dumps(body)}\n```\n"


APPROVE = ["--store", "s.db", "--now", NOW, "--scopes", "approve", "--actor", "alice"]


def requested(place, **request):
    said = use("submit_handoff", {"document": block(**request), "dialect": "contract", "options": {"workspace": "w", "session": "s"}}, place)
    equal(said["isError"], False)
    return said["structuredContent"]["submit"]["approval"]["id"]


def events(place, number):
    shown = report(run("approvals", "show", number, "--store", "s.db", "--now", NOW, "-f", "json", cwd=place))
    return [event["type"] for event in shown["approval"]["events"]][:-1]


def decide(number, meta=FORMS, **more):
    return call("decide_approval", {"id": number}, meta=meta, **more)


@claim
def a_modern_client_is_asked_and_asks_again_with_the_answer():
    for decision, decided, status in (("approve", "approved", "approved"), ("deny", "rejected", "rejected")):
        with store() as place:
            start(place)
            number = requested(place)
            first = one(decide(number), flags=APPROVE, cwd=place)["result"]
            equal((first["resultType"], events(place, number)), ("input_required", ["REQUESTED", "SHOWN"]))
            question = first["inputRequests"]["approval"]["params"]
            for words in ("drop the staging table", "psql -c 'drop table staging'", "HIGH", "restore the last dump", "fingerprint: "):
                equal((words, words in question["message"]), (words, True))
            answer = {"approval": {"action": "accept", "content": {"decision": decision, "reason": "because"}}}
            second = one(decide(number, inputResponses=answer, requestState=first["requestState"]), flags=APPROVE, cwd=place)["result"]
            equal((second["structuredContent"]["decided"], second["structuredContent"]["approval"]["status"], second["isError"]), (decided, status, False))
            third = one(decide(number, inputResponses=answer, requestState=first["requestState"]), flags=APPROVE, cwd=place)["result"]
            equal((third["structuredContent"]["decided"], third["structuredContent"]["findings"][0]["code"], third["isError"]),
                  ("undecided", "APPROVAL_NOT_PENDING", True))


@claim
def only_the_state_that_was_handed_out_counts_for_whom_and_what_it_was_until_it_is_over():
    with store() as place:
        start(place)
        number, other = requested(place), requested(place, agent="a80177b959c721da2", exact_content="psql -c 'drop table other'")
        state = one(decide(number), flags=APPROVE, cwd=place)["result"]["requestState"]
        answer = {"approval": {"action": "accept", "content": {"decision": "approve"}}}
        flipped = [state[:place_] + ("A" if state[place_] != "A" else "B") + state[place_ + 1:] for place_ in range(len(state))]
        for bad in ("", "v1", "v1.1.x", "v1.e30.AAAA", state + "x", state[:-1], *flipped[::7]):
            said = one(decide(number, inputResponses=answer, requestState=bad), flags=APPROVE, cwd=place)
            equal((bad, said.get("error", {}).get("code")), (bad, PARAMS))
        equal(one(decide(number, inputResponses=answer), flags=APPROVE, cwd=place)["error"]["code"], PARAMS)
        equal(one(decide(other, inputResponses=answer, requestState=state), flags=APPROVE, cwd=place)["error"]["code"], PARAMS)
        for flags in ([*APPROVE[:-1], "bob"], ["--store", "s.db", "--now", "2026-05-04T08:10:01Z", *APPROVE[4:]]):
            equal(one(decide(number, inputResponses=answer, requestState=state), flags=flags, cwd=place)["error"]["code"], PARAMS)
        equal("APPROVED" in events(place, number), False)


@claim
def who_declines_or_says_nothing_decides_nothing():
    with store() as place:
        start(place)
        number = requested(place)
        state = one(decide(number), flags=APPROVE, cwd=place)["result"]["requestState"]
        for action in ("decline", "cancel"):
            said = one(decide(number, inputResponses={"approval": {"action": action}}, requestState=state), flags=APPROVE, cwd=place)["result"]
            equal((said["structuredContent"]["decided"], said["structuredContent"]["approval"]["status"]), ("undecided", "pending"))
        for responses in ({}, {"approval": 5}, {"approval": {"action": "accept"}}, {"approval": {"action": "accept", "content": {"decision": "maybe"}}},
                          {"approval": {"action": "accept", "content": {"decision": "approve", "reason": "x" * 201}}}):
            said = one(decide(number, inputResponses=responses, requestState=state), flags=APPROVE, cwd=place)["result"]
            equal(said["resultType"], "input_required")


@claim
def what_could_not_be_decided_is_refused_without_asking():
    with store() as place:
        start(place)
        number = requested(place)
        unknown = tool_result(one(decide("P-" + "0" * 32), flags=APPROVE, cwd=place))
        equal((unknown["structuredContent"]["decided"], unknown["structuredContent"]["approval"],
               unknown["structuredContent"]["findings"][0]["code"], unknown["isError"]), ("undecided", None, "APPROVAL_UNKNOWN", True))
        agent = tool_result(one(decide(number), flags=[*APPROVE[:-1], "mcp/a80177b959c721da1"], cwd=place))
        equal(agent["structuredContent"]["findings"][0]["code"], "APPROVAL_SELF")
        late = tool_result(one(decide(number), flags=["--store", "s.db", "--now", "2026-06-04T08:00:00Z", *APPROVE[4:]], cwd=place))
        equal(late["structuredContent"]["findings"][0]["code"], "APPROVAL_EXPIRED")


def tool_result(answer):
    if "result" not in answer:
        raise AssertionError(f"an error: {answer}")
    return answer["result"]


@claim
def a_client_without_forms_cannot_ask():
    with store() as place:
        start(place)
        number = requested(place)
        for meta in (META, {**META, "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"url": {}}}}):
            error = one(decide(number, meta=meta), flags=APPROVE, cwd=place)["error"]
            equal((error["code"], error["data"]), (-32021, {"requiredCapabilities": {"elicitation": {}}}))
        said = talk(opening(), old("tools/call", {"name": "decide_approval", "arguments": {"id": number}}), flags=APPROVE, cwd=place)[1]["result"]
        equal((said["isError"], "structuredContent" in said), (True, False))
        equal(events(place, number), ["REQUESTED"])


@claim
def hidden_characters_are_written_out_and_long_texts_are_not_shown_in_part():
    with store() as place:
        start(place)
        number = requested(place, operation="a\u202eb\u0007c\U000e0041d")
        message = one(decide(number), flags=APPROVE, cwd=place)["result"]["inputRequests"]["approval"]["params"]["message"]
        equal("operation: a\\u202eb\\u0007c\\udb40\\udc41d\n" in message, True)
        long = requested(place, agent="a80177b959c721da2", exact_content="x" * 4001)
        said = one(decide(long), flags=APPROVE, cwd=place)["result"]
        equal((said["isError"], "structuredContent" in said), (True, False))


@claim
def a_form_shows_every_command_that_it_grants_or_is_not_shown():
    with store() as place:
        start(place)
        number = requested(place, exact_content="git status", command_set=["rm -rf /srv\u2066", "git push --force"], scope=None)
        forms = talk(opening(elicitation={}), old("tools/call", {"name": "decide_approval", "arguments": {"id": number}}, 5), flags=APPROVE, cwd=place)
        modern = one(decide(number), flags=APPROVE, cwd=place)["result"]["inputRequests"]["approval"]["params"]["message"]
        for message in (modern, forms[1]["params"]["message"]):
            equal(("  1. rm -rf /srv\\u2066\n  2. git push --force\noperation: " in message, "scope: none given\n" in message,
                   "git status" in message), (True, True, False))
        for agent, size, fits in (("a80177b959c721da2", 2000, True), ("a80177b959c721da3", 2001, False)):
            number = requested(place, agent=agent, command_set=["x" * 2000, "y" * size])
            said = one(decide(number), flags=APPROVE, cwd=place)["result"]
            equal((size, said.get("isError", False), "inputRequests" in said), (size, not fits, fits))
            equal("SHOWN" in events(place, number), fits)
        listed = use("list_approvals", {}, place)["structuredContent"]["approvals"]
        equal(sorted(item["commands"][0][:6] for item in listed), ["rm -rf", "xxxxxx", "xxxxxx"])


@claim
def a_legacy_call_waits_for_the_person_while_others_are_answered():
    with store() as place:
        start(place)
        number = requested(place)
        forms = opening(elicitation={})
        ask_it = old("tools/call", {"name": "decide_approval", "arguments": {"id": number}}, 5)

        def reply(question, **result):
            return {"jsonrpc": "2.0", "id": question, "result": result}
        said = talk(forms, ask_it, old("ping", number=6), reply("baton-7", action="accept", content={"decision": "approve"}),
                    reply("baton-1", action="accept", content={"decision": "maybe"}),
                    reply("baton-2", action="accept", content={"decision": "approve"}),
                    reply("baton-2", action="accept", content={"decision": "deny"}), flags=APPROVE, cwd=place)
        equal([(item.get("id"), item.get("method")) for item in said],
              [(0, None), ("baton-1", "elicitation/create"), (6, None), ("baton-2", "elicitation/create"), (5, None)])
        equal(said[-1]["result"]["structuredContent"]["decided"], "approved")


@claim
def a_call_that_is_cancelled_or_left_waiting_decides_nothing():
    with store() as place:
        start(place)
        number = requested(place)
        forms = opening(elicitation={"form": {}})
        ask_it = old("tools/call", {"name": "decide_approval", "arguments": {"id": number}}, 5)
        grant = {"jsonrpc": "2.0", "id": "baton-1", "result": {"action": "accept", "content": {"decision": "approve"}}}
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}
        equal(len(talk(forms, ask_it, cancel, grant, flags=APPROVE, cwd=place)), 2)
        equal(len(talk(forms, ask_it, flags=APPROVE, cwd=place)), 2)
        failed = talk(forms, ask_it, {"jsonrpc": "2.0", "id": "baton-1", "error": {"code": -1, "message": "no"}}, flags=APPROVE, cwd=place)
        equal((failed[2]["id"], failed[2]["result"]["isError"]), (5, True))
        equal("APPROVED" in events(place, number), False)


@claim
def a_question_passes_baton_wrap_under_another_id():
    with store() as place:
        start(place)
        number = requested(place)
        command = [BATON, "wrap", "--no-record", "--no-lock", "--quiet", "--", BATON, "mcp", *APPROVE]
        with subprocess.Popen(command, cwd=place, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as wrap:
            def tell(message):
                wrap.stdin.write(json.dumps(message).encode() + b"\n")
                wrap.stdin.flush()
                return json.loads(wrap.stdout.readline())
            tell(opening(elicitation={}))
            question = tell(old("tools/call", {"name": "decide_approval", "arguments": {"id": number}}, 5))
            equal((question["id"], question["method"]), ("question-1", "elicitation/create"))
            said = tell({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"decision": "approve"}}})
            equal((said["id"], said["result"]["structuredContent"]["decided"]), (5, "approved"))
            wrap.stdin.close()
        equal(events(place, number).count("APPROVED"), 1)


@claim
def a_grant_is_used_once():
    with store() as place:
        start(place)
        number = requested(place)
        state = one(decide(number), flags=APPROVE, cwd=place)["result"]["requestState"]
        one(decide(number, inputResponses={"approval": {"action": "accept", "content": {"decision": "approve"}}}, requestState=state),
            flags=APPROVE, cwd=place)
        command = {"command": "psql -c 'drop table staging'", "id": number}
        equal([use("use_approval", command, place)["isError"] for _ in range(2)], [False, True])
        equal(use("use_approval", {**command, "id": "x"}, place)["isError"], True)
        equal(len(use("list_approvals", {}, place, ["--actor", "orchestrator"])["structuredContent"]["approvals"]), 1)  # the store is theirs
        equal(use("use_approval", command, place, ["--agent", "a80177b959c721da2"])["structuredContent"]["granted"], False)
        equal(len(use("list_approvals", {}, place)["structuredContent"]["approvals"]), 1)
        equal(use("list_approvals", {}, place, ["--agent", "other"])["structuredContent"]["approvals"], [])
        equal(use("list_approvals", {"status": "nope"}, place)["isError"], True)


@claim
def a_bound_caller_cannot_report_for_another_agent():
    with store() as place:
        start(place)
        for agent, refused in (("a80177b959c721da1", False), ("b", True)):
            said = use("submit_handoff", {"document": block(), "dialect": "contract"}, place, ["--agent", agent])
            equal((agent, said["isError"]), (agent, refused))
        equal(said["structuredContent"]["documents"][0]["findings"][-1]["code"], "AGENT_BINDING_MISMATCH")
        state = report(run("contract", "state", "--store", "s.db", "-f", "json", cwd=place))
        equal(len(state["agents"] if "agents" in state else state["states"]), 1)


@claim
def a_store_that_is_named_is_made_and_one_that_is_broken_stops_the_server():
    with folder({"text.db": "this is not a database"}) as place:
        said = talk(ask("tools/list"), flags=["--store", "new.db"], cwd=place, notes=True)
        equal(len(said[0]["result"]["tools"]), 18)
        expect(run("mcp", "--store", "text.db", cwd=place, stdin=""), 2, err="")
        expect(run("mcp", "--store", "no/such/folder/s.db", cwd=place, stdin=""), 2, err="")


sys.exit(finish())
