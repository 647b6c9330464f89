# SPDX-License-Identifier: Apache-2.0
"""test_policy.py BATON - what is recorded is judged by the policy of the server: options of requests tighten it, and its digest covers them."""
import hashlib
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from block import envelope, fenced  # noqa: E402
from catalogues import Catalogue  # noqa: E402
from handoffs import handoff, text_of  # noqa: E402
from mcp_client import call  # noqa: E402
from program import PATIENT, claim, equal, expect, finish, report, run  # noqa: E402
from server import serving  # noqa: E402

JSON = {"Content-Type": "application/json"}
ENVELOPE = {"Content-Type": "application/vnd.baton.request+json"}
MCP = {**JSON, "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "submit_handoff"}
WISH = "urn:baton:a2a:handoff:v1"
CONFIG = ("check: {budget: 1500, fail_level: WARN}\ncontract: {max_rejections: 2}\nroots: {open: ., shut: .}\nsubmit: {roots: [open]}\n" + PATIENT)

# Option, a value, what the server says of it when it is not allowed: the policy.
ROWS = [
    ("budget", 1500, None), ("budget", 1400, None), ("budget", 1501, 1500), ("budget", 999999, 1500),
    ("section_limit", "working=500", None), ("section_limit", "session=10", None), ("section_limit", "context=100", None),
    ("section_limit", "working=501", {"working": 500, "session": 1000, "references": 500}),
    ("max_rejections", 2, None), ("max_rejections", 1, None), ("max_rejections", 3, 2),
    ("fail_level", "WARN", None), ("fail_level", "INFO", None), ("fail_level", "HARD", "WARN"),
    ("strict_expiry", True, None), ("strict_expiry", False, None), ("chain", "head", None), ("chain", "head-or-tail", None),
    ("semantics", "error", None), ("semantics", "warn", "error"), ("tokens", "o200k_base", None), ("tokens", "chars4", "o200k_base"),
    ("edges", "rows", None), ("edges", "deps", "rows"), ("structure_only", True, False),
    ("root", "open", None), ("root", "shut", "null"),
]


def text(number):
    return text_of(handoff(source={"skill": "intake-clerk"}, target={"skill": "tax-writer"}, context={"summary": f"Number {number}"}))


def query(value):
    return str(value).lower() if isinstance(value, bool) else value


def size(server):
    return report(expect(run("ledger", "checkpoint", "--store", "s.db", "-f", "json", cwd=server.folder), 0))["size"]


def rest(server, document, option, value, path="/v1/handoffs"):
    answer = server.ask("POST", f"{path}?{option}={query(value)}", document, JSON)
    return answer.status < 300, answer.json()


def in_envelope(server, document, option, value):
    answer = server.ask("POST", "/v1/handoffs", {"documents": [{"text": document}], "options": {option: value}}, ENVELOPE)
    return answer.status < 300, answer.json()


def mcp(server, document, option, value):
    said = server.ask("POST", "/mcp", call("submit_handoff", {"document": document, "options": {option: value}}), MCP).json()["result"]
    return not said["isError"], said


def a2a(server, document, option, value):
    sent = {"messageId": hashlib.sha256(f"{document} {option} {value}".encode()).hexdigest(), "role": "ROLE_USER", "parts": [{"text": document}],
            "metadata": {WISH: {"operation": "submit", "options": {option: value}}}}
    said = server.ask("POST", "/a2a", {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": sent}}, {**JSON, "A2A-Version": "1.0"}).json()
    return "result" in said and said["result"]["task"]["status"]["state"] == "TASK_STATE_SUBMITTED", said


@claim
def an_option_may_tighten_the_policy_and_never_relax_it():
    with serving(config=CONFIG) as server:
        number, before = 0, size(server)
        for option, value, policy in ROWS:
            for door in (rest, in_envelope, mcp, a2a):
                number += 1
                is_done, said = door(server, text(number), option, value)
                row = (door.__name__, option, value)
                equal((row, is_done, said if is_done != (policy is None) else None), (row, policy is None, None))
                before += is_done
                if is_done:
                    continue
                if door in (rest, in_envelope):
                    finding = said["findings"][0]
                    shown = query(value) if door is rest or option == "root" else value
                    equal((row, said["status"], said["code"], len(said["findings"]), finding["pointer"]), (row, 400, "PARAMETER_INVALID", 1, f"/{option}"))
                    equal((row, finding["params"]), (row, {"reason": "relaxes", "value": str(shown) if door is rest else shown,
                                                           "policy": None if policy == "null" else policy}))
                elif door is mcp:
                    equal((row, "structuredContent" in said, f"/{option}: " in said["content"][0]["text"]), (row, False, True))
                else:
                    equal((row, said["error"]["code"], [len(part["fieldViolations"]) for part in said["error"]["data"] if "fieldViolations" in part]), (row, -32602, [1]))
        equal(size(server), before)  # what was refused is neither judged nor recorded
        # What records nothing may be judged by any option.
        for option, value in (("budget", 999999), ("semantics", "warn"), ("root", "shut"), ("tokens", "chars4"), ("fail_level", "HARD")):
            equal((option, server.ask("POST", f"/v1/check?{option}={value}", text(0), JSON).status), (option, 200))


def hop(number, left):
    made = handoff(source={"skill": "intake-clerk"}, target={"skill": "tax-writer"}, context={"summary": f"Number {number}"})
    made["handoff"]["trace_id"] = "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4"
    made["handoff"]["meta"]["baton_budget"] = {"v": 1, "tokens": {"limit": 1000, "left": left}}
    return text_of(made)


@claim
def the_budget_of_a_chain_only_shrinks_whatever_records_it():
    with serving(config=PATIENT) as server:
        for number, (door, left, is_done) in enumerate(((rest, 900, True), (mcp, 901, False), (mcp, 800, True), (rest, 801, False), (a2a, 801, False), (in_envelope, 801, False), (rest, 700, True))):
            made, said = door(server, hop(number, left), "chain", "head-or-tail")
            equal((number, made, "BUDGET_GREW" in json.dumps(said)), (number, is_done, not is_done))


@claim
def governed_documents_have_the_catalogue_of_the_server_and_are_kept():
    with tempfile.TemporaryDirectory(prefix="baton-policy-") as root:
        catalogue = Catalogue()
        catalogue.write(root)
        config = f"governed: {{root: {root}}}\nroots: {{other: {root}}}\nsubmit: {{roots: [other]}}\n" + PATIENT
        with serving(config=config) as server:
            document = json.dumps(catalogue.handoff(number=1))
            for path in ("/v1/handoffs", "/v1/govern/submit"):
                for option, value in (("root", "other"), ("document", "drop"), ("structure_only", "true")):
                    is_done, said = rest(server, document, option, value, path)
                    equal((path, option, is_done, said["findings"][0]["pointer"], said["findings"][0]["params"]["reason"]), (path, option, False, f"/{option}", "relaxes"))
            answers = [rest(server, json.dumps(catalogue.response(number=2, answers=1)), "root", "other", path)[1] for path in ("/v1/handoffs", "/v1/govern/respond")]
            equal([said["findings"][0]["params"]["reason"] for said in answers], ["relaxes"] * 2)
            equal(size(server), 0)
            # A document of another dialect need not be kept.
            equal(rest(server, text(1), "document", "drop")[0], True)


@claim
def the_digest_of_the_policy_is_that_of_the_options_in_force():
    with serving(config=CONFIG) as server:
        options = ["", "budget=1500", "budget=1400", "section_limit=working=400", "chain=head", "strict_expiry=true", "fail_level=INFO", "root=open", "workspace=w", "id=x1"]
        for number, option in enumerate(options):
            answer = server.ask("POST", f"/v1/handoffs?{option}", text(number), JSON)
            equal((option, answer.status), (option, 201))
        entries = report(expect(run("ledger", "tail", "--store", "s.db", "-f", "json", cwd=server.folder), 0))["entries"]
        found = dict(zip(options, (item["entry"]["refs"]["policy"] for item in entries)))
        same = [option for option in options if found[option] == found[""]]
        equal((same, len(set(found.values()))), (["", "budget=1500", "workspace=w", "id=x1"], 7))
        blocks = [fenced(envelope(status="COMPLETE")).replace("a80177b959c721da1", f"a{number:016x}") for number in (1, 2)]
        for block, option in zip(blocks, ("", "max_rejections=1")):
            equal(server.ask("POST", f"/v1/handoffs?{option}", block, {"Content-Type": "text/markdown"}).status, 201)
        entries = report(expect(run("ledger", "tail", "--store", "s.db", "-f", "json", "-n", "2", cwd=server.folder), 0))["entries"]
        equal([item["entry"]["refs"]["policy"] == found[""] for item in entries if item["entry"]["kind"] == "handoff"], [True, False])
        event = {"session_id": "s", "agent_id": "a0000000000000003", "last_assistant_message": blocks[0].replace("a0000000000000001", "a0000000000000003")}
        equal(server.ask("POST", "/v1/hooks/claude", event, JSON).json(), {})
        last = report(expect(run("ledger", "tail", "--store", "s.db", "-f", "json", "-n", "1", cwd=server.folder), 0))["entries"][0]["entry"]
        equal((last["kind"], last["refs"]["policy"]), ("handoff", found[""]))
        # Its members, as an auditor builds them from the configuration.
        shown = report(expect(run("config", "show", "--config", "baton.yaml", "-f", "json", cwd=server.folder), 0))["config"]
        check = {"budget": 1400, "chain": "head-or-tail", "edges": "rows", "fail_level": "WARN", "section_limit": {"working": 500, "session": 1000, "references": 500},
                 "semantics": "error", "skill_names": "kebab", "strict_expiry": False, "tokens": "o200k_base"}
        policy = {"approvals": shown["approvals"], "budget": None, "check": check, "contract": shown["contract"], "evidence": None, "gate": None, "governed": shown["governed"],
                  "limits": {name: shown["limits"][name] for name in ("document_bytes", "members", "nesting", "string_bytes")}, "root": None}
        text_of_it = json.dumps(policy, separators=(",", ":"), sort_keys=True)
        equal(found["budget=1400"], hashlib.sha256(text_of_it.encode()).hexdigest())


sys.exit(finish())
