# SPDX-License-Identifier: Apache-2.0
"""test_call_same.py BATON CALL RECEIPT - bt_call() answers with the bytes of REST: every operation is asked through `baton serve` and through examples/library/call.c."""
import base64
import datetime
import json
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from block import ID, REQUEST, envelope, fenced  # noqa: E402
from catalogues import Catalogue  # noqa: E402
from handoffs import handoff, text_of  # noqa: E402
from program import ROOT, TIMEOUT_S, claim, environment, equal, expect, finish, folder, run  # noqa: E402
from server import bearer, serving  # noqa: E402

CALL, RECEIPT = (str(pathlib.Path(name).resolve()) for name in sys.argv[2:4])
SCOPES = ["check", "submit", "approve", "operate"]
ENVELOPE = "application/vnd.baton.request+json"
PLAN = (ROOT / "examples/plan/release.steps.csv").read_text()
TRACE = "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4"
CARRYING = text_of(handoff(meta={"baton_budget": {"v": 1, "tokens": {"limit": 1000, "left": 800}, "cost": {"limit": "4", "left": "3", "currency": "EUR"}}}))
SCHEMA = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "rows/v1.schema.json", "type": "object", "properties": {"a": {"type": "integer"}}}
VKEY = "ledger.example/parity+fff57b17+AX44NPVgJYt8tuu+DkKinZ5nnrdmKZtR6Hf73aQKtcBV"
ASKING = fenced(envelope({"/approval_request": REQUEST}, "APPROVAL_REQUEST"))


def documents(text, path="document", **named):
    return {"documents": [{"text": text, "path": path, **named}]}


def paths():
    """operationId -> (method, path, names in the path, names in the query)"""
    page = json.loads(expect(run("serve", "--print-openapi"), 0).stdout)
    found = {}
    for path, methods in page["paths"].items():
        for method, row in methods.items():
            names = [(item["name"], item["in"]) for item in row.get("parameters", [])]
            found[row["operationId"]] = (method.upper(), path, *([name for name, place in names if place == where] for where in ("path", "query")))
    return found


PATHS = paths()


def by_rest(server, operation, request):
    """(status, body without its line feed and without what tells requests apart)"""
    method, path, in_path, in_query = PATHS[operation]
    members = dict(request)
    headers = {**bearer(server.tokens["same"]), "Accept": "application/json, */*;q=0.1"}
    body = None
    if "idempotency_key" in members:
        headers["Idempotency-Key"] = members.pop("idempotency_key")
    if operation == "planWaves" and "as" not in members["documents"][0]:
        document = members["documents"][0]
        members = {"path": document["path"], **{name: str(value).lower() for name, value in members.get("options", {}).items()}}
        headers["Content-Type"], body = "text/csv", document["text"]
    elif operation == "countTokens":
        headers["Content-Type"], body = "text/plain", base64.b64decode(members.pop("base64")) if "base64" in members else members.pop("text")
    elif "documents" in members:  # also of plans, whose text may be the body
        headers["Content-Type"], body, members = ENVELOPE, members, {}
    for name in in_path:
        path = path.replace(f"{{{name}}}", urllib.parse.quote(str(members.pop(name)), safe=""))
    query = {name: members.pop(name) for name in in_query if name in members}
    if method == "POST" and body is None:
        headers["Content-Type"], body = "application/json", members
    answer = server.ask(method, path + ("?" + urllib.parse.urlencode(query) if query else ""), body, headers)
    return answer.status, answer.body


def by_call(operation, request, *flags, settings=None, state=None):
    """(exit code, reply); with `state`, sizes of ledgers are remembered in that folder."""
    text = request if isinstance(request, str) else json.dumps(request)
    done = subprocess.run([CALL, "--settings", json.dumps({"scopes": SCOPES, "actor": "serve/same", **(settings or {})}), *flags, operation],
                          input=text.encode(), capture_output=True, timeout=TIMEOUT_S, check=False,
                          env=environment(**({"BATON_STATE_DIR": str(state)} if state else {})))
    if done.returncode == 2:
        raise AssertionError(f"{operation}: {done.stderr!r}")
    return done.returncode, done.stdout.removesuffix(b"\n")


def plain(body):
    """A body of REST as the library gives it."""
    body = re.sub(rb'"instance":"urn:baton:request:[^"]*",', b"", body.removesuffix(b"\n"))
    return re.sub(rb'"elapsed_ms":[0-9.]+', b'"elapsed_ms":0', body)


def compare(server, operation, request, *flags, settings=None, status=200):
    """Ask both, which must answer with the same bytes; what REST said."""
    said, body = by_rest(server, operation, request)
    code, reply = by_call(operation, request, *flags, settings=settings)
    equal((operation, said, body[:800] if said != status else b""), (operation, status, b""))
    equal((operation, plain(reply), code), (operation, plain(body), 0 if said < 400 else 1))
    return json.loads(body)


@claim
def what_needs_no_store_has_the_same_bytes():
    later = {"now": "2031-01-01T00:00:00Z"}
    long = text_of(handoff(context={"original_prompt": "word " * 900}))
    rows = [
        ("check", {"documents": [{"text": text_of(handoff())}, {"text": PLAN, "as": "plan", "path": "p"}], "options": later}),
        ("check", documents("<message>", **{"as": "xml"})),
        ("repair", {**documents(text_of(handoff()).replace('"trace_id"', '"traceId"')), "options": {**later, "emit_prompt": True}}),
        ("repair", {**documents(text_of(handoff()).replace('"skill":"patch', '"skil":"patch')), "options": {**later, "emit_prompt": True, "prompt": "findings"}}),
        ("view", documents(text_of(handoff()))), ("view", documents("{}")),
        ("compress", {**documents(long), "options": later}),
        ("sealHandoff", {**documents(text_of(handoff())), "options": later}),
        ("newHandoff", {"source": "a", "target": "b", "summary": "s", "trace_id": TRACE, "working": {"rows": [1, 2.50]}, "options": later}),
        ("newHandoff", {"source": "a", "target": "b", "summary": "s", "trace_id": TRACE, "budget_tokens": 1000, "budget_cost": "4.00", "options": later}),
        ("newHandoff", {"source": "patch-builder", "target": "c", "summary": "s", "continue": CARRYING, "spent_tokens": 300, "spent_cost": "1.5", "budget_tokens": 900,
                        "options": later}),
        ("retryText", {"report": json.loads(expect(run("check", "--as", "universal", "-f", "json", "-", stdin="{}"), 1).stdout), "attempt": 2}),
        ("contractTemplate", {"status": "COMPLETE", "agent_id": ID}),
        ("convert", {**documents(PLAN, "x.steps.csv", **{"as": "plan"}), "options": {"step": "1", "tokens": "chars4", **later}}),
        ("planAudit", {**documents(PLAN, "x.steps.csv"), "options": later}),
        ("contractCheck", {**documents(ASKING), "options": {"runtime_agent_id": ID}}),
        ("contractRepairPrompt", documents("no block")),
        ("planWaves", documents(PLAN, "x.steps.csv")),
        ("planWaves", {**documents(PLAN, "x.steps.csv"), "options": {"remaining": True}}),
        ("planWaves", {**documents(PLAN, "x.steps.csv", **{"as": "plan"}), "options": {"remaining": True}}),
        ("countTokens", {"text": "The end.", "encoding": "cl100k_base"}),
        ("countTokens", {"base64": base64.b64encode("Ende – 終".encode()).decode()}),
        ("planTrajectory", {"run": [{"agent": "a"}], "chains": ["a"]}),
        ("planValidate", {"schema": SCHEMA, "payload": {"a": "x"}}),
        ("schemaValidate", {"schema": SCHEMA, "instance": {"a": 1}}),
        ("schemaCompat", {"old": SCHEMA, "new": {**SCHEMA, "required": ["a"]}, "mode": "full"}),
        ("contractMerge", {"stored": {"a": 1}, "payload": {"b": [2]}}),
        ("verifyReceipt", {"receipt": "x", "vkey": [VKEY], "document_base64": "eA==", "any_verdict": True}),
        ("getRule", {"code": "SELF_LOOP"}), ("getSchema", {"name": "universal"}), ("listRules", {}), ("listSchemas", {}), ("version", {}),
    ]
    problems = [("check", documents("x")), ("check", {**documents("{}"), "options": {"odd": 1}}), ("check", {**documents("{}"), "input": 5}),
                ("check", {**documents("{}", **{"as": "odd"}), "options": {"budget": "many"}}), ("check", {**documents("x"), "answer": "a"}),
                ("planWaves", {**documents(PLAN, **{"as": "plan"}), "options": {"budget": 1}}), ("planTrajectory", {"chains": ["a"]}), ("verifyReceipt", {}),
                ("verifyReceipt", {"vkey": ["x"]}), ("verifyReceipt", {"receipt": "x", "vkey": [VKEY], "witness_key": ["x"]}),
                ("verifyReceipt", {"receipt": "x", "vkey": [VKEY], "require_witness": -1}), ("retryText", {"report": {"baton": 1}}),
                ("newHandoff", {"source": "a", "target": "b"}), ("newHandoff", {"source": "a", "target": "b", "summary": "s", "options": {"root": "x"}}),
                ("newHandoff", {"source": "a", "target": "b", "summary": "s", "budget_tokens": 0}), ("newHandoff", {"source": "a", "target": "b", "summary": "s", "budget_cost": "4,0"}),
                ("newHandoff", {"source": "a", "target": "b", "summary": "s", "spent_tokens": -1}), ("newHandoff", {"source": "a", "target": "b", "summary": "s", "spent_cost": 4}),
                ("getRule", {"code": "NO SUCH"}), ("planTrajectory", {"chains": "a"}), ("countTokens", {"base64": "/w=="})]
    with serving(store=False, tokens={"same": ",".join(SCOPES)}) as server:
        for operation, request in rows:
            compare(server, operation, request)
        for operation, request in problems:
            compare(server, operation, request, status=404 if operation == "getRule" else 400)


@claim
def what_is_recorded_is_read_with_the_same_bytes():
    with serving(tokens={"same": ",".join(SCOPES)}) as server:
        store = ("--store", str(server.folder / "s.db"))
        texts = [text_of(handoff(source={"skill": "a"}, target={"skill": "b"}, context={"summary": f"Number {number}"})) for number in range(3)]
        for text in texts:
            equal(by_rest(server, "submitHandoff", documents(text))[0], 201)
        equal(by_rest(server, "submitHandoff", documents(text_of(handoff(target={"skill": "release-planner"}))))[0], 422)
        equal(by_rest(server, "submitHandoff", documents(ASKING))[0], 201)
        trace = json.loads(texts[0])["handoff"]["trace_id"]
        rows = [("getHandoff", {"id": "0"}), ("getReport", {"id": "3"}), ("getReceipt", {"id": "1"}), ("getTrace", {"trace_id": trace}),
                ("listHandoffs", {"limit": 2, "order": "asc", "verdict": "accepted"}), ("listHandoffs", {"since": "2026-01-01T00:00:00Z", "source": "a"}),
                ("listApprovals", {"status": "pending"}), ("getLedger", {}), ("listEntries", {"from": 1, "limit": 2}),
                ("proveInclusion", {"seq": 1}), ("proveConsistency", {"old": 1})]
        shown = {operation: compare(server, operation, request, *store) for operation, request in rows}
        compare(server, "getApproval", {"id": shown["listApprovals"]["approvals"][0]["id"]}, *store)
        receipt = {"receipt": shown["getReceipt"], "document": texts[1]}
        equal(compare(server, "verifyReceipt", receipt, *store)["documents"][0]["verdict"], "accepted")
        for operation, request, status in (("getHandoff", {"id": "99"}, 404), ("getDocument", {"id": "99"}, 404), ("getTrace", {"trace_id": "none"}, 404),
                                           ("listHandoffs", {"limit": 0}, 400), ("listHandoffs", {"kind": "odd"}, 400), ("proveInclusion", {"seq": 99}, 404)):
            compare(server, operation, request, *store, status=status)
        said = json.loads(by_call("getDocument", {"id": "0"}, *store)[1])
        equal((said["baton"], said["size"], base64.b64decode(said["base64"]).decode()), (1, len(texts[0].encode()), texts[0]))
        equal(by_rest(server, "getDocument", {"id": "0"})[1].decode(), texts[0])
        equal(json.loads(by_call("getHandoff", {"id": 0}, *store)[1])["entry"]["seq"], 0)


@claim
def a_receipt_is_verified_by_the_library():
    with serving(tokens={"same": ",".join(SCOPES)}) as server:
        text = text_of(handoff(source={"skill": "a"}, target={"skill": "b"}))
        equal(by_rest(server, "submitHandoff", documents(text))[0], 201)
        shown = json.loads(by_rest(server, "getReceipt", {"id": "0"})[1])
        vkey = json.loads(by_rest(server, "getLedger", {})[1])["vkey"]
        files = {"receipt.json": json.dumps(shown), "good": text, "bad": text + " ", "broken.json": json.dumps({**shown, "index": 7})}
        for name, content in files.items():
            (server.folder / name).write_text(content)
        rows = [(vkey, "receipt.json", "good", 0), (vkey, "receipt.json", "bad", 1), (vkey, "broken.json", "good", 1), ("x", "receipt.json", "good", 2),
                (vkey, "none.json", "good", 2)]
        for key, receipt, document, code in rows:
            done = subprocess.run([RECEIPT, key, receipt, document], cwd=server.folder, capture_output=True, timeout=TIMEOUT_S, env=environment(), check=False)
            equal((receipt, document, done.returncode, done.stdout.decode().split("\n")[-2:-1]),
                  (receipt, document, code, [["accepted"], ["rejected"], []][code]))


@claim
def the_library_remembers_the_size_of_a_ledger():
    with folder({}) as place:
        place = pathlib.Path(place)
        store, state = place / "s.db", place / "state"
        expect(run("ledger", "init", "--store", str(store), "--origin", "ledger.example/state", cwd=place, env={"BATON_STATE_DIR": str(state)}), 0)
        flags = ("--store", str(store))
        older = place / "older"
        shutil.copytree(place, older, ignore=shutil.ignore_patterns("older", "state"))
        equal(by_call("submitHandoff", documents(text_of(handoff(source={"skill": "a"}, target={"skill": "b"}))), *flags, state=state)[0], 0)
        equal(len(list((state / "heads").iterdir())), 1)
        for path in older.iterdir():  # put the ledger back to what it was, its head file included
            shutil.copy2(path, place)
        try:
            by_call("getLedger", {}, *flags, state=state)
            raise RuntimeError("an older ledger was used")
        except AssertionError as why:
            equal("LEDGER_" in str(why), True)
        equal(by_call("getLedger", {}, *flags, state=place / "other")[0], 0)  # where nothing is remembered


def scrubbed(value):
    """A reply without times, digests, signatures and made-up names, which differ between two ledgers, and without the trace of an HTTP request."""
    if isinstance(value, dict):
        return {name: scrubbed(item) for name, item in value.items() if name != "traceparent"}
    if isinstance(value, list):
        return [scrubbed(item) for item in value]
    if isinstance(value, str):
        for pattern, word in ((r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME"), (r"\b[0-9a-f]{32,64}\b", "DIGEST"), (r"(?s)^ledger\.example/live\n.*", "NOTE"),
                              (r"^[A-Za-z0-9+/]{40,}=*$", "BASE64")):
            value = re.sub(pattern, word, value)
    return value


class Twins:
    """A server, and a copy of its store for the library: what one does, the other does."""

    def __init__(self, server, settings):
        self.server, self.settings = server, settings
        self.folder = server.folder / "twin"
        self.folder.mkdir()
        for path in server.folder.glob("s.db*"):
            shutil.copy2(path, self.folder)

    def do(self, operation, here, there=None, status=200):
        """Ask both, each with its own request; both answers."""
        said, body = by_rest(self.server, operation, here)
        code, reply = by_call(operation, here if there is None else there, "--store", str(self.folder / "s.db"), settings=self.settings,
                              state=self.folder / "state")
        equal((operation, said, body[:800] if said != status else b""), (operation, status, b""))
        equal((operation, code), (operation, 0 if said < 400 else 1))
        pair = json.loads(plain(body)), json.loads(reply)
        equal((operation, json.dumps(scrubbed(pair[1]))), (operation, json.dumps(scrubbed(pair[0]))))
        return pair


@claim
def what_records_answers_alike():
    catalogue = Catalogue()
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    with folder({}) as place:
        catalogue.write(place)
        with serving(tokens={"same": ",".join(SCOPES)}, config=f"limits: {{record_deadline_ms: 60000}}\ngoverned: {{root: {place}}}\n") as server:
            twins = Twins(server, {"governed": {"root": str(place)}})
            good = {**documents(text_of(handoff(source={"skill": "a"}, target={"skill": "b"}))), "idempotency_key": "k-1"}
            first = twins.do("submitHandoff", good, status=201)
            again = twins.do("submitHandoff", good, status=201)
            equal(again, first)  # the same answer, with its time
            other = {**documents(text_of(handoff(source={"skill": "a"}, target={"skill": "c"}))), "idempotency_key": "k-1"}
            twins.do("submitHandoff", other, status=422)
            looped = {**documents(text_of(handoff(target={"skill": "release-planner"}))), "idempotency_key": "k-2"}
            refused = twins.do("submitHandoff", looped, status=422)
            equal(twins.do("submitHandoff", looped, status=422), refused)
            twins.do("submitHandoff", {**documents("{}", **{"as": "universal"}), "options": {"budget": 999999}}, status=400)
            taken = twins.do("takeHandoffs", {"agent": "b", "max": 5})
            twins.do("takeHandoffs", {"agent": "b", "wait_s": 1})
            ends = [{"agent": "b", "items": [{"message": item["message"], "lease": item["lease"], "outcome": "delivered"} for item in said["items"]]} for said in taken]
            twins.do("finishHandoffs", *ends)
            twins.do("finishHandoffs", {"agent": "b", "items": []}, status=400)
            ids = [said["submit"]["approval"] for said in twins.do("submitHandoff", documents(ASKING), status=201)]
            named = [{"id": item["id"]} for item in ids]
            twins.do("showApproval", *named)
            twins.do("grantApproval", *({"id": item["id"], "fingerprint": "0" * 64} for item in ids), status=409)
            twins.do("grantApproval", *({"id": item["id"], "fingerprint": item["fingerprint"], "ttl": "5m"} for item in ids))
            twins.do("useApproval", *({**item, "command": REQUEST["exact_content"]} for item in named))
            twins.do("useApproval", *({**item, "command_base64": base64.b64encode(REQUEST["exact_content"].encode()).decode()} for item in named), status=409)
            twins.do("denyApproval", *({**item, "reason": "late"} for item in named), status=409)
            more = [{"id": said["submit"]["approval"]["id"]} for said in twins.do("submitHandoff", documents(ASKING.replace(ID, "a90177b959c721da1")), status=201)]
            twins.do("revokeApproval", *({**item, "reason": "no"} for item in more))
            more = [{"id": said["submit"]["approval"]["id"]} for said in twins.do("submitHandoff", documents(ASKING.replace(ID, "a70177b959c721da1")), status=201)]
            twins.do("denyApproval", *({**item, "reason": "no"} for item in more))
            governed = json.dumps(catalogue.handoff(number=1, timestamp=now))
            twins.do("governSubmit", documents(governed), status=201)
            twins.do("governSubmit", documents(governed), status=409)
            twins.do("governRespond", documents(json.dumps(catalogue.response(answers=1, timestamp=now))), status=201)
            # Both go on with one ledger, which is a fork: the memory of sizes would find it.
            expect(run("ledger", "verify", "--store", str(twins.folder / "s.db"), cwd=server.folder, env={"BATON_STATE_DIR": str(twins.folder / "state")}), 0)


finish()
