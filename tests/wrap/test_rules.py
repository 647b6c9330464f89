# SPDX-License-Identifier: Apache-2.0
"""test_rules.py BATON - rules of one run: --enforce, --deny, results that are spilled, the sandbox of an entry, other methods on record, results that name their record."""
import json
import os
import pathlib
import stat
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import claim, claim_if, equal, expect, finish, folder, report, run, until  # noqa: E402
from wrapped import READ, SEND, SERVER, Session, call, canonical, entries, lines, locked, place_with, record, refusal, talk  # noqa: E402

TYPED = {**READ, "name": "typed", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}}
PROBER = pathlib.Path(__file__).parent / "prober.py"
PYTHON = f"{sys.base_prefix}/bin/python3"


def has_sandbox():
    with folder({}) as place:
        return b"WRAP_SANDBOX_MISSING" not in run("wrap", "--sandbox", "--", "/bin/true", cwd=place).stderr


@claim
def enforce_refuses_asks_and_waits_and_a_rule_lifts_it():
    wrong = call(1, "typed", n="x")
    with place_with(TYPED, SEND, **{"lift.json": json.dumps({"wrap": {"rules": [{"tools": ["send"], "approve": False}]}})}) as place:
        answers, facts = talk(place, wrong, call(2, "send"), flags=("--enforce",))
        equal((refusal(answers[1]), refusal(answers[2]), facts["calls"]["refused"]), ("SCHEMA_TYPE", "WRAP_APPROVAL_REQUIRED", 2))
        answers, _ = talk(place, call(2, "send"), flags=("--enforce", "--config", "lift.json"))
        equal(refusal(answers[2]), None)
        # The control: without the flag both pass.
        answers, facts = talk(place, wrong, call(2, "send"))
        equal((refusal(answers[1]), refusal(answers[2]), facts["calls"]["returned"]), (None, None, 2))
        for flag, err in (("--observe", "exclude each other"), ("--no-record", "need a store")):
            expect(run("wrap", "--name", "s", "--enforce", flag, "--", *SERVER, cwd=place), 2, err=err)


@claim
def a_denied_tool_never_reaches_the_server():
    with place_with() as place:
        answers, _ = talk(place, call(1, "send"), call(2, "read"), flags=("--deny", "s*"))
        received = pathlib.Path(place, "received").read_text(encoding="utf-8")
        equal((refusal(answers[1]), refusal(answers[2]), '"send"' in received, '"read"' in received), ("WRAP_DENIED", None, False, True))
        answers, _ = talk(place, call(1, "send"), flags=("--deny", "s*", "--observe"))
        equal((refusal(answers[1]), '"send"' in pathlib.Path(place, "received").read_text(encoding="utf-8")), (None, True))


@claim
def a_long_result_is_spilled_into_a_private_file_of_the_workspace():
    long = {**READ, "name": "word " * 40}
    rules = {"wrap": {"rules": [{"tools": ["word*"], "tokens": 5, "over": "spill"}]}}
    with place_with(long, READ, **{"rules.json": json.dumps(rules), "root/keep": ""}) as place:
        for root, flags in ((place, ()), (f"{place}/root", ("--root", "root"))):
            answers, _ = talk(place, call(1, long["name"]), call(2, "read"), flags=("--config", "rules.json", *flags))
            text, note, link = answers[1]["result"]["content"]
            files = list(pathlib.Path(root, ".baton/wrap/s").glob("*.txt"))
            equal((len(files), link["uri"], link["size"]), (1, "file://" + os.path.realpath(files[0]), len(long["name"])))
            equal((files[0].read_text(encoding="utf-8"), stat.S_IMODE(files[0].stat().st_mode)), (long["name"], 0o600))
            equal((long["name"].startswith(text["text"]), len(text["text"]) < len(long["name"]), os.path.realpath(files[0]) in note["text"]), (True, True, True))
            equal(answers[2]["result"]["content"], [{"type": "text", "text": "read"}])  # the control: one that fits is as it was
        equal(pathlib.Path(place, ".baton/wrap/s").stat().st_mode & 0o077, 0)


@claim_if(has_sandbox(), "this kernel lacks a mechanism of the sandbox")
def the_sandbox_of_an_entry_confines_its_server():
    def attempt(place, sandbox):
        entry = {"command": [PYTHON, "-B", "-I", "tools/prober.py"], **({"sandbox": sandbox} if sandbox else {})}
        pathlib.Path(place, "c.json").write_text(json.dumps({"wrap": {"servers": {"s": entry}}}), encoding="utf-8")
        tries = [("read", f"{base}/secret.txt"), ("write", f"{base}/out/new.txt"), ("run", "/bin/true")]
        words = [{"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "value": value}} for number, (name, value) in enumerate(tries)]
        result = expect(run("wrap", "--quiet", "--config", "c.json", "s", stdin=lines(*words), cwd=place), 0)
        return ["refused" in str(json.loads(line)["result"]["outcome"]) for line in result.stdout.splitlines()]

    with folder({"tools/prober.py": PROBER.read_text(encoding="utf-8"), "secret.txt": "s", "out/old.txt": "old"}) as place:
        base = os.path.realpath(place)
        reads = [sys.base_prefix]
        equal(attempt(place, {"mode": "required", "read": reads, "write": ["out"]}), [True, False, True])
        equal(attempt(place, {"mode": "required", "read": [*reads, "secret.txt"], "write": ["out"], "allow": ["exec"]}), [False, False, False])
        equal(attempt(place, {"mode": "off"}), [False, False, False])
        equal(attempt(place, None), [False, False, False])


# ---- Records ----------------------------------------------------------------------------------

METHODS = {"wrap": {"record": "all", "methods": ["tools/call", "resources/read", "prompts/get", "sampling/createMessage", "elicitation/create"]}}
PROMPT = {"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": "ask", "arguments": {"topic": "t"}}}
RESOURCE = {"jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": {"uri": "note://1"}}


@claim
def requests_of_other_methods_are_recorded_when_they_are_named():
    with place_with(READ, **{"methods.json": json.dumps(METHODS)}) as place:
        talk(place, PROMPT, RESOURCE, call(3, "read"))
        equal([entry["refs"]["message"] for entry in entries(place)], ["mcp:tools/call"])  # the control: by default only calls are
        answers, facts = talk(place, PROMPT, RESOURCE, call(3, "read"), flags=("--config", "methods.json"), store="t.db")
        found = [item["entry"] for item in report(expect(run("ledger", "tail", "--store", "t.db", "-f", "json", cwd=place), 0))["entries"]]
        equal([(entry["refs"]["message"], entry.get("target"), entry["refs"]["event"], entry["verdict"]) for entry in found],
              [("mcp:prompts/get", "s/ask", "returned", "recorded"), ("mcp:resources/read", "s/note://1", "returned", "recorded"), ("mcp:tools/call", "s/read", "returned", "recorded")])
        kept = [json.loads(expect(run("ledger", "show", str(seq), "--document", "--store", "t.db", cwd=place), 0).stdout) for seq in (0, 1)]
        equal([(item["method"], item["name"], item["n"], item["class"], item.get("arguments")) for item in kept],
              [("prompts/get", "ask", 0, None, {"topic": "t"}), ("resources/read", "note://1", 0, None, None)])
        equal([item["request"]["sha256"] for item in kept], [canonical(PROMPT["params"]), canonical(RESOURCE["params"])])
        equal([item["result"] for item in kept], [answers[1]["result"], answers[2]["result"]])
        equal((facts["recorded"], facts["calls"]["total"]), (1, 1))
        stats = report(expect(run("wrap", "stats", "--store", "t.db", "-f", "json", cwd=place), 0))
        equal(stats["servers"][0]["calls"], 1)


@claim
def questions_of_the_server_are_recorded_with_what_the_client_said():
    shown = json.dumps({"tools": [READ], "asks": True})
    with folder({"shown.json": shown, "methods.json": json.dumps(METHODS), "refuse.json": json.dumps({"wrap": {**METHODS["wrap"], "from_server": {"sampling": "refuse"}}})}) as place:
        for config, expected in (("methods.json", [("elicitation/create", "returned"), ("sampling/createMessage", "failed")]),
                                 ("refuse.json", [("sampling/createMessage", "refused"), ("elicitation/create", "returned")])):
            session = Session(place, "--agent", config, config=["--config", config])
            replies = [{"jsonrpc": "2.0", "id": 1, "result": {"action": "decline"}}]
            if config == "methods.json":
                replies.append({"jsonrpc": "2.0", "id": 2, "error": {"code": -1, "message": "no"}})
            while session.hear().get("id") != "list":  # the answer that follows the questions
                pass
            session.say(*replies)
            session.end()
            mine = [(number, entry) for number, entry in enumerate(entries(place)) if entry["source"] == config]
            equal([(entry["refs"]["message"], entry["refs"]["event"]) for _, entry in mine], [("mcp:" + method, event) for method, event in expected])
            kept = record(place, next(number for number, entry in mine if entry["refs"]["message"] == "mcp:elicitation/create"))
            equal((kept["result"], kept["arguments"], "target" in mine[0][1]), ({"action": "decline"}, {}, False))


@claim
def a_closed_store_refuses_named_requests_by_an_error():
    closed = {"wrap": {**METHODS["wrap"], "fail": "closed", "wait": "durable"}, "limits": {"record_deadline_ms": 300}}
    with place_with(READ, **{"closed.json": json.dumps(closed), "open.json": json.dumps({**closed, "wrap": {**closed["wrap"], "fail": "open"}})}) as place:
        for config, code in (("closed.json", -31001), ("open.json", None)):
            session = Session(place, config=["--config", config])
            with locked(place):
                for request in (PROMPT, RESOURCE):  # the first is withheld when its commit failed, the second never sent
                    session.say(request)
                    heard = session.hear()
                    equal((config, heard["id"], heard.get("error", {}).get("code")), (config, request["id"], code))
                    equal(heard.get("error", {}).get("data"), {"baton": {"code": "WRAP_RECORD_FAILED"}} if code else None)
            session.end()
        received = [json.loads(line).get("method") for line in pathlib.Path(place, "received").read_text(encoding="utf-8").splitlines()]
        equal((received.count("prompts/get"), received.count("resources/read")), (2, 1))


@claim
def a_result_names_its_record_once_that_is_durable():
    policy = {"wrap": {"annotate": True, "wait": "durable"}}
    with place_with(READ, **{"annotate.json": json.dumps(policy), "late.json": json.dumps({"wrap": {"annotate": True}})}) as place:
        answers, _ = talk(place, call(1, "read"), call(2, "read"), flags=("--config", "annotate.json"))
        for seq, number in ((0, 1), (1, 2)):
            shown = report(expect(run("ledger", "show", str(seq), "--store", "s.db", "-f", "json", cwd=place), 0))
            named = answers[number]["result"]["_meta"]["baton/record"]
            equal((named["ref"].endswith(f"#{seq}"), named["leaf_hash"]), (True, shown["leaf_hash"]))
            equal((record(place, seq)["response"]["sha256"], "delivered" in record(place, seq)), (canonical({"content": [{"type": "text", "text": "read"}]}), False))
            equal(list(answers[number]["result"]), ["content", "_meta"])
        # The controls: an answer that does not wait cannot name a record, and by default none does.
        for flags in (("--config", "late.json"), ("--wait", "durable")):
            equal("_meta" in talk(place, call(1, "read"), flags=flags)[0][1]["result"], False)


def count_calls(place):
    return pathlib.Path(place, "received").read_text(encoding="utf-8").count("tools/call")


@claim
def a_client_that_is_faster_than_the_store_waits_and_loses_no_record():
    """While nothing can be committed, records fill a small buffer and the client is not read; the control has room for all of them."""
    for bytes_max, expected in ((65536, 50), (8388608, 100)):
        small = {"wrap": {"limits": {"buffer_bytes": bytes_max}}, "limits": {"record_deadline_ms": 60000}}
        with place_with(READ, **{"small.json": json.dumps(small)}) as place:
            session = Session(place, config=["--config", "small.json"])
            with locked(place):
                session.say(*(call(number, "read") for number in range(50)))
                heard = [session.hear()["id"] for _ in range(50)]
                session.say(*(call(number, "read") for number in range(50, 100)))
                until(lambda: count_calls(place) >= expected, "the calls")
                time.sleep(0.2)
                passed = count_calls(place)
            heard += [session.hear()["id"] for _ in range(50)]
            facts, _ = session.end()
            equal((heard, passed, facts["recorded"], facts["unrecorded"]), (list(range(100)), expected, 100, 0))


sys.exit(finish())
