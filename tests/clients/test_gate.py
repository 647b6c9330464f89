# SPDX-License-Identifier: Apache-2.0
"""test_gate.py BATON - the gate of the adapters without a framework: what is refused here is not accepted there, and no failure lets a handoff pass."""
import hashlib
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

import baton
import baton.client
from baton.adapters import _gate
from baton.handoff_payloads import PayloadSchemaError
from program import ROOT, claim, equal, finish
from server import serving

ACCOUNTS = {"agent": "check,submit,operate"}
GOOD = {"summary": "Build release 1.4.", "working": {"release": "1.4"}}
LONG = {"summary": "Build release 1.4.", "working": {"notes": "many words " * 400}}
SCHEMA = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "release/v1.schema.json", "type": "object", "required": ["release"],
          "additionalProperties": False, "properties": {"release": {"type": "string"}}}


def client_of(server):
    return baton.Client(f"http://127.0.0.1:{server.port}", token=server.tokens["agent"], retries=0)


def verdicts(client):
    return [item["entry"]["verdict"] for item in client.list_handoffs(order="asc")["entries"] if item["entry"]["kind"] == "handoff"]


def waiting(client):
    return client.take_handoffs("builder", wait_s=0)["items"]


@claim
def what_is_over_the_budget_here_is_refused_and_recorded_as_refused():
    with serving(tokens=ACCOUNTS) as server:
        client = client_of(server)
        gate = _gate.Gate(client, budget=500)
        refused = gate.decide(LONG, "planner", "builder", gate.begin())
        equal((refused.accepted, [finding.code for finding in refused.report.findings if finding.severity == "HARD"]), (False, ["TOKENS_OVER_BUDGET"]))
        equal((verdicts(client), waiting(client)), (["rejected"], []))
        wide = _gate.Gate(client, budget=5000)  # the server's own budget is 2000
        equal(wide.decide(LONG, "planner", "builder", wide.begin()).accepted, True)
        for words in (1200, 4000):
            equal(wide.decide({**LONG, "working": {"notes": "many words " * words}}, "planner", "builder", wide.begin()).report.findings[0].code, "TOKENS_OVER_BUDGET")
        equal(verdicts(client), ["rejected", "accepted", "rejected", "rejected"])


@claim
def what_the_payload_schema_refuses_is_recorded_as_refused_and_not_delivered():
    with serving(tokens=ACCOUNTS) as server:
        client = client_of(server)
        for schema, root in ((SCHEMA, None), ("release/v1.schema.json", server.folder)):
            folder = server.folder / "schemas/handoff-payloads"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "release.v1.schema.json").write_text(json.dumps(SCHEMA))
            gate = _gate.Gate(client, schema=schema, root=root)
            equal(gate.brief_schema()["properties"]["working"]["required"], ["release"])  # the model is told what is wanted
            gate._brief = json.loads(json.dumps(gate._brief).replace('"release": {"type": "string"}', '"release": {}'))  # as if the brief had let it pass
            run = gate.begin()
            refused = gate.decide({"summary": "Build it.", "working": {"release": 14}}, "planner", "builder", run)
            equal((refused.accepted, refused.text.splitlines()[0]), (False, "Baton refused this handoff (attempt 1 of 3)."))
            equal((verdicts(client)[-1], waiting(client)), ("rejected", []))
            equal(gate.decide(GOOD, "planner", "builder", run).accepted, True)
            equal((verdicts(client)[-2:], len(waiting(client))), (["rejected", "accepted"], 1))
    for schema, root in (("missing/v1.schema.json", ROOT), ("../outside.schema.json", ROOT)):
        try:
            _gate.Gate(schema=schema, root=root)
        except PayloadSchemaError:
            continue
        raise AssertionError(f"a gate was made with {schema}")


@claim
def names_that_differ_in_their_spelling_are_refused_without_an_exception():
    told = []
    gate = _gate.Gate(on_report=told.append, limit=2)
    gate.skill("The Builder")
    run = gate.begin()
    refused = gate.decide(GOOD, "planner", "the-builder", run)
    equal((refused.accepted, refused.text, refused.stop), (False, _gate.FAILED_TEXT, None))
    equal(type(gate.decide(GOOD, "planner", "the-builder", run).stop).__name__, "Unavailable")  # it counts
    equal([type(error).__name__ for error in told], ["ValueError", "ValueError"])
    equal(gate.named("THE builder"), "The Builder")  # what a model wrote
    equal(gate.decide(GOOD, "planner", gate.named("THE builder"), gate.begin()).accepted, True)
    equal(gate.named("somebody else"), "somebody else")


@claim
def a_callback_that_fails_lets_nothing_pass_and_stops_no_observer():
    def fail(_report):
        raise LookupError("of the callback")
    for brief in (GOOD, {}):
        gate = _gate.Gate(on_report=fail)
        equal(gate.decide(brief, "planner", "builder", gate.begin()).accepted, False)
        gate = _gate.Gate(on_report=fail, mode="observe")
        equal(gate.decide(brief, "planner", "builder", gate.begin()).accepted, True)


@claim
def the_id_of_an_agent_is_that_of_contract_blocks():
    uuid = "0198f2aa-7c1d-7e00-8000-5f1e0c3d2b1a"
    digest = hashlib.sha256("Grüner Planer".encode()).hexdigest()
    for name, agent in (("a0123f", "a0123f"), (uuid, "a" + uuid.replace("-", "")), ("BEEF5", "abeef5"), ("Grüner Planer", "a" + digest[:32]), ("a12", "a" + hashlib.sha256(b"a12").hexdigest()[:32])):
        equal((name, _gate._agent_id(name)), (name, agent))


@claim
def a_denial_has_no_reason_and_a_question_ends_when_it_expires():
    class Server:
        """What a gate asks about approvals, as it could be misused."""
        calls = []

        def submit(self, *_words, **_more):
            return baton.client.Submission(None, None, None, None, {"submit": {"approval": {"id": "P-1", "fingerprint": "f"}}})

        def get_approval(self, _id):
            return {"status": "pending", "expires_at": "2026-01-01T00:00:00Z"}

        def __getattr__(self, name):
            return lambda *words, **more: self.calls.append((name, words, more))

    server, about = Server(), {"scope": "s", "rollback": "none", "verification": "none"}
    gate = _gate.Gate(server, approver=server)
    equal(gate.approval("o", "c", agent="planner", wait=lambda request: None, **about), False)  # nobody decides
    equal(gate.approval("o", "c", agent="planner", wait=lambda request: {"decision": "deny", "fingerprint": "f"}, **about), False)
    equal(server.calls, [("deny_approval", ("P-1",), {})])


@claim
def without_a_fault_the_same_gates_accept():
    """The control: what the others refuse is refused for the fault alone."""
    with serving(tokens=ACCOUNTS) as server:
        client = client_of(server)
        for how in ({"budget": 500}, {"schema": SCHEMA}, {"on_report": lambda report: None}):
            gate = _gate.Gate(client, **how)
            equal(gate.decide(GOOD, "planner", "builder", gate.begin()).accepted, True)
        equal(verdicts(client), ["accepted"] * 3)
        equal(json.loads(waiting(client)[0]["text"])["handoff"]["payload"]["working"], GOOD["working"])


sys.exit(finish())
