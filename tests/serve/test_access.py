# SPDX-License-Identifier: Apache-2.0
"""test_access.py BATON - who may see and do what: every route, tool and method against every kind of token; what is not theirs is not there.

The rows are compared with the OpenAPI document, with tools/list and with the tables of the A2A routes and methods: one without a row fails.
"""
import datetime
import json
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from block import REQUEST, envelope, fenced  # noqa: E402
from catalogues import Catalogue  # noqa: E402
from handoffs import handoff, text_of  # noqa: E402
from mcp_client import FORMS, ask, call  # noqa: E402
from program import PATIENT, claim, equal, expect, finish, report, run  # noqa: E402
from server import bearer, make_token, serving  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
JSON = {"Content-Type": "application/json"}
SAME = {"X-Request-Id": "same"}
TEXT = {"Content-Type": "text/plain"}
MARKDOWN = {"Content-Type": "text/markdown"}
MCP = {**JSON, "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28"}
A2A = {**JSON, "A2A-Version": "1.0"}
CONFIG = "rate: {auth_failures: 10000, check: 0, submit: 0}\n" + PATIENT

A, B = "a80177b959c721da1", "a00000000000000b2"
SECRET = "sesame"  # stands in everything that is A's
MISSING = {"seq": "999999", "approval": "P-" + "0" * 32, "granted": "P-" + "0" * 32, "trace": "f" * 32, "task": "00000000-0000-4000-8000-000000000000", "section": "no-such-section"}

SCOPES = ("check", "submit", "approve", "operate", "admin")
NOBODY = ("none", "wrong", "expired", "revoked")
BOUND = ("a", "b")  # check and submit, for one agent each
FOREIGN = ("b", "other", "check", "submit")  # neither A's nor an operator's; other: check and submit, for anybody
PUBLIC = ()


TRACE = "5e5a3e5e-5a3e-45a3-a5a3-e5e5a3e5e5a3"


def text(number, source="intake-clerk", target="review-desk", **more):
    if source == "intake-clerk":
        more = {"trace_id": TRACE, **more}
    return text_of(handoff(source={"skill": source}, target={"skill": target}, context={"summary": f"{SECRET} {number}"}, **more))


class Place:
    """A server with a token of each kind, and things that are A's."""

    def __init__(self, server):
        self.server = server
        token = {**server.tokens, "wrong": "bt_" + "A" * 43}
        self.who = {name: bearer(value) for name, value in token.items()}
        self.who["none"] = {}
        self.real = {}

    def ask(self, who, method, path, body=None, headers=None):
        return self.server.ask(method, path, body, {**JSON, **SAME, **(headers or {}), **self.who[who]})

    def fill(self):
        """What A has: handoffs, a trace, a section, requests for consent, a task."""
        given = {"write_permissions": {"writable_sections": [f"{SECRET}-section"]}, "project_knowledge": {"about": SECRET}}
        equal(self.ask("admin", "PUT", f"/v1/contract/input?agent={A}", given).status, 200)
        sent = self.ask("a", "POST", "/v1/handoffs", text(1))
        equal((sent.status, self.ask("a", "GET", "/v1/handoffs/1").status), (201, 200))
        self.real["seq"] = str(sent.json()["documents"][0]["record"]["seq"])
        self.real["trace"] = TRACE
        update = {"/update_contracts": [{"contract": f"{SECRET}-section", "payload": {"key": SECRET}}]}
        equal(self.ask("a", "POST", f"/v1/handoffs?session={SECRET}&runtime_agent_id={A}", fenced(envelope(update)), MARKDOWN).status, 201)
        self.real["section"] = f"{SECRET}-section"
        for name in ("granted", "approval"):
            asking = envelope({"/approval_request": {**REQUEST, "operation": f"{SECRET} {name}", "exact_content": f"open {SECRET} {name}"}}, "APPROVAL_REQUEST")
            made = self.ask("a", "POST", f"/v1/handoffs?session={name}", fenced(asking), MARKDOWN).json()["submit"]["approval"]
            self.real[name] = made["id"]
            if name == "granted":
                equal(self.ask("approve", "POST", f"/v1/approvals/{made['id']}/grant", {"fingerprint": made["fingerprint"]}).status, 200)
        task = self.rpc("a", "SendMessage", {"message": message("m1", text(2))})
        self.real["task"] = task["result"]["task"]["id"]

    def rpc(self, who, method, params):
        answer = self.ask(who, "POST", "/a2a", {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, A2A)
        return {"status": answer.status, **answer.json()}

    def tool(self, who, name, arguments):
        sent = call(name, arguments, meta=FORMS)
        answer = self.ask(who, "POST", "/mcp", sent, {**MCP, "Mcp-Method": "tools/call", "Mcp-Name": name})
        return answer.status, answer.json()


def message(number, document, **more):
    return {"messageId": number, "role": "ROLE_USER", "parts": [{"text": document}], **more}


def place():
    """A Place in a `with`."""
    tokens = {name: (name, "--pump-client", "c") if name == "submit" else name for name in SCOPES}
    tokens.update({"a": ("check,submit", "--agent", A, "--agent", "intake-clerk"), "b": ("check,submit", "--agent", B, "--agent", "tax-writer"),
                   "other": "check,submit", "expired": ("admin", "--now", "2020-01-01T00:00:00Z", "--expires", "2021-01-01T00:00:00Z")})
    return Opened(tokens)


class Opened:
    def __init__(self, tokens):
        self.tokens = tokens

    def __enter__(self):
        self.context = serving(tokens={**self.tokens, "revoked": "admin"}, config=CONFIG)
        server = self.context.__enter__()
        expect(run("token", "revoke", "revoked", "--tokens", "tokens.json", cwd=server.folder), 0)
        equal(server.ask("POST", "/v1/admin/reload", {}, {**JSON, **bearer(server.tokens["admin"])}).status, 200)
        made = Place(server)
        made.fill()
        return made

    def __exit__(self, *what):
        return self.context.__exit__(*what)


def hidden(body, ids):
    """The answer without the id that was asked for, which it may repeat."""
    for number in ids:
        body = body.replace(number.encode(), b"ID") if len(number) > 6 or number.startswith("/") else body
    return body


# ---- Routes -----------------------------------------------------------------------------------------------------------------


class Row:
    """Scopes of which one will do; the answer to who may, about what is missing; the request, in which {names} are things of A's."""

    def __init__(self, scopes, status, body=None, headers=None, query="", own=None, foreign=None, **params):
        self.scopes, self.status, self.body, self.headers, self.query, self.params = scopes, status, body, headers or {}, query, params
        self.own = own  # status of A's request about what is A's; None: the route is about nothing of A's
        self.foreign = foreign or FOREIGN

    def request(self, path, things):
        def fill(value):
            return re.sub(r"\{(\w+)\}", lambda found: things[found[1]], value)
        path = re.sub(r"\{(\w+)\}", lambda found: fill(self.params[found[1]]), path) + fill(self.query)
        body = self.body
        if isinstance(body, dict):
            body = {name: fill(value) if isinstance(value, str) else value for name, value in body.items()}
        return path, body


CHECK, SUBMIT, OPERATE, ADMIN, APPROVE = ("check",), ("submit",), ("operate",), ("admin",), ("approve",)
READ, LOOK, ENTRIES = ("submit", "operate"), ("check", "operate"), ("submit", "approve", "operate")
DOCUMENT = text(9, "nobody-known", "nobody-else").replace(SECRET, "plain")
PLAN = "step_id,action,depends_on\n1,go,\n"
ROUTES = {
    "healthz": Row(PUBLIC, 200), "readyz": Row(PUBLIC, 200), "openapi": Row(PUBLIC, 200), "problem": Row(PUBLIC, 200, code="NOT_FOUND"),
    "witnessAddCheckpoint": Row(PUBLIC, 404, body="x", headers=TEXT), "witnessCheckpoint": Row(PUBLIC, 404, origin_hash="0" * 64),
    "metrics": Row(OPERATE, 200),
    "check": Row(CHECK, 200, DOCUMENT, query="?as=universal"), "repair": Row(CHECK, 200, DOCUMENT, query="?as=universal"),
    "view": Row(CHECK, 200, DOCUMENT), "sealHandoff": Row(CHECK, 200, DOCUMENT), "newHandoff": Row(CHECK, 400, {}), "retryText": Row(CHECK, 400, {}), "renderReport": Row(CHECK, 400, {}),
    "compress": Row(CHECK, 200, DOCUMENT, query="?as=universal"), "convert": Row(CHECK, 200, DOCUMENT, query="?from=contract"),
    "countTokens": Row(CHECK, 200, "text", TEXT), "planAudit": Row(CHECK, 200, PLAN, {"Content-Type": "text/csv"}),
    "planWaves": Row(CHECK, 200, PLAN, {"Content-Type": "text/csv"}), "planTrajectory": Row(CHECK, 400, {}), "planValidate": Row(CHECK, 400, {}),
    "schemaValidate": Row(CHECK, 200, {"schema": {}, "instance": 1}), "schemaCompat": Row(CHECK, 400, {}),
    "contractCheck": Row(CHECK, 200, "no block", MARKDOWN), "contractRepairPrompt": Row(CHECK, 200, "no block", MARKDOWN),
    "contractMerge": Row(CHECK, 200, {"stored": {}, "payload": {}}), "verifyReceipt": Row(CHECK, 400, {}),
    "listRules": Row(CHECK, 200), "getRule": Row(CHECK, 200, code="NOT_FOUND"), "listSchemas": Row(CHECK, 200), "getSchema": Row(CHECK, 200, name="report"),
    "whoami": Row(SCOPES, 200), "version": Row(CHECK, 200), "getLedger": Row(LOOK, 200), "proveConsistency": Row(LOOK, 200, query="?old=1&size=2"),
    "submitHandoff": Row(SUBMIT, 422, DOCUMENT.replace('"summary"', '"sumary"'), query="?as=universal"),
    "streamHandoffs": Row(ENTRIES, 200), "getStats": Row(ENTRIES, 200, query="?by=agent"), "listHandoffs": Row(ENTRIES, 200, query="?limit=500", own=200),
    "dispatch": Row(SUBMIT, 503, {}), "governSubmit": Row(SUBMIT, 503, {}), "governRespond": Row(SUBMIT, 503, {}),
    "getHandoff": Row(READ, 404, id="{seq}", own=200), "getDocument": Row(READ, 404, id="{seq}", own=200),
    "getReport": Row(READ, 404, id="{seq}", own=200), "getRepair": Row(READ, 404, id="{seq}", own=200), "getReceipt": Row(READ, 404, id="{seq}", own=200),
    "takeHandoffs": Row(SUBMIT, 200, {}, agent="nobody-else"), "finishHandoffs": Row(SUBMIT, 200, {"items": [{"message": "h0", "lease": "x", "outcome": "failed"}]}, agent="nobody-else"),
    "contractSections": Row(SUBMIT, 404, query="?name={section}", own=200), "hook": Row(SUBMIT, 200, {"session_id": "s"}, host="claude"),
    "useApproval": Row(SUBMIT, 409, {"command": f"open {SECRET} granted", "id": "{granted}"}, own=200),
    "listTraces": Row(READ, 200, own=200), "getTrace": Row(READ, 404, trace_id="{trace}", own=200), "getTraceGraph": Row(READ, 404, trace_id="{trace}", query="?format=dot", own=200),
    "proveInclusion": Row(READ, 404, query="?seq={seq}", own=200),
    "pumpSend": Row(SUBMIT, 404, "x", {"Content-Type": "application/xml"}), "pumpReplies": Row(SUBMIT, 404, thread="t"),
    "contractState": Row(("submit", "operate"), 200, own=200),
    "getApproval": Row(("submit", "approve"), 404, id="{approval}", own=200),
    "listApprovals": Row(APPROVE, 200), "showApproval": Row(APPROVE, 404, {}, id="{approval}"),
    "grantApproval": Row(APPROVE, 404, {"fingerprint": "0" * 64}, id="{approval}"), "denyApproval": Row(APPROVE, 404, {}, id="{approval}"),
    "revokeApproval": Row(APPROVE, 404, {}, id="{approval}"),
    "listInboxes": Row(OPERATE, 200), "retryDelivery": Row(OPERATE, 404, message="h999"), "listBlocked": Row(OPERATE, 200), "governPath": Row(OPERATE, 503, query="?from=x&to=y"), "verifyRoot": Row(OPERATE, 503),
    "unblock": Row(OPERATE, 503, {"agent": "x", "reason": "y"}), "clearContractState": Row(OPERATE, 200, query="?agent=a0000000000000009"),
    "contractTemplate": Row(CHECK, 200), "contractResume": Row(OPERATE, 200, {"agent": "a0000000000000009"}), "storeContractInput": Row(OPERATE, 400, {}), "listEntries": Row(OPERATE, 200), "listPeers": Row(OPERATE, 200), "getEntry": Row(OPERATE, 404, seq="{seq}"),
    "addCosignatures": Row(OPERATE, 400, "x\n", TEXT), "tlogCheckpoint": Row(OPERATE, 200), "tlogTile": Row(OPERATE, 404, path="0/999"),
    "pumpStatus": Row(OPERATE, 404), "pumpListeners": Row(OPERATE, 404), "pumpGraph": Row(OPERATE, 404), "pumpThread": Row(OPERATE, 404, thread="t", query="?client=c"),
    "pumpEvents": Row(OPERATE, 404),
    "listWrapped": Row(OPERATE, 200), "wrapDiff": Row(OPERATE, 404, name="x"), "wrapStats": Row(OPERATE, 200),
    "listCalls": Row(READ, 200), "getCall": Row(READ, 404, seq="{seq}"),
    "ledgerKeys": Row(CHECK, 200), "scittRegister": Row(SUBMIT, 404, "x", {"Content-Type": "application/cose"}), "scittReceipt": Row(READ, 404, seq="{seq}", own=200), "scittKeys": Row(PUBLIC, 200), "scittKey": Row(PUBLIC, 404, kid="x"),
    "auditLedger": Row(OPERATE, 200), "listHolds": Row(OPERATE, 200), "setHold": Row(ADMIN, 400, {"trace": "nobody", "reason": "test"}), "releaseHold": Row(ADMIN, 400, {"trace": "nobody", "reason": "test"}),
    "makeBundle": Row(OPERATE, 400, {"trace": "nobody"}), "redactDocument": Row(ADMIN, 404, {"sha256": "0" * 64, "reason": "test"}), "adminConfig": Row(ADMIN, 200), "adminReload": Row(ADMIN, 200, {}), "newLog": Row(ADMIN, 404, {"name": "a", "origin": "x/a"}), "listLogs": Row(OPERATE, 404),
}


# Paths that only logs of statements have, and nobody else sees: tests/logs/test_statements.py asks there as every kind of caller.
ELSEWHERE = ("scittRegister",)


def routes():
    """(operationId, method, path, scope) of the OpenAPI document."""
    document = json.loads(expect(run("serve", "--print-openapi"), 0).stdout)
    return [(row["operationId"], method.upper(), path, row["x-baton-scope"]) for path, methods in document["paths"].items() for method, row in methods.items()]


@claim
def every_route_has_a_row():
    listed = routes()
    equal(sorted(ROUTES), sorted(name for name, *_ in listed))
    for name, _, _, scope in listed:
        equal((name, scope in (ROUTES[name].scopes or ("-",))), (name, True))


@claim
def every_route_is_for_its_scope_and_for_nobody_without_a_name():
    with place() as here:
        for name, method, path, _ in routes():
            row = ROUTES[name]
            where, body = row.request(path, MISSING)
            refused = set()
            for who in (*NOBODY, *SCOPES, *BOUND, "other"):
                if name == "streamHandoffs" or (name == "pumpEvents" and who in ("operate", "admin")):
                    stream = here.server.stream(method, where, body, {**JSON, **SAME, **here.who[who]})
                    answer, found = None, stream.status
                    stream.close()
                else:
                    answer = here.ask(who, method, where, body, row.headers)
                    found = answer.status
                holds = {"a": ("check", "submit"), "b": ("check", "submit"), "other": ("check", "submit"), "admin": SCOPES}.get(who, (who,))
                if not row.scopes or name in ELSEWHERE:
                    equal((name, who, found), (name, who, row.status))
                elif who in NOBODY:
                    refused.add((found, answer.body if answer else None))
                elif set(holds) & set(row.scopes):
                    needs_client = name in ("pumpSend", "pumpReplies") and who != "submit"
                    equal((name, who, found, answer and answer.body[:300]), (name, who, 403 if needs_client else row.status if who not in BOUND or name not in
                          ("takeHandoffs", "finishHandoffs") else 404, answer and answer.body[:300]))
                elif name.startswith("scitt"):  # its problems are in CBOR, without a code
                    equal((name, who, found, b"Scope missing" in answer.body), (name, who, 403, True))
                else:
                    equal((name, who, found, answer and answer.json()["code"]), (name, who, 403, answer and "SCOPE_MISSING"))
            is_asked = row.scopes and name not in ELSEWHERE
            equal((name, len(refused), {status for status, _ in refused}), (name, 1 if is_asked else 0, {401} if is_asked else set()))


@claim
def what_is_as_is_not_there_for_others():
    with place() as here:
        before = here.ask("approve", "GET", f"/v1/approvals/{here.real['granted']}").body
        for name, method, path, _ in routes():
            row = ROUTES[name]
            if name in ("streamHandoffs", "pumpEvents"):
                continue
            for who in row.foreign:
                there = here.ask(who, method, *row.request(path, here.real), row.headers)
                equal((name, who, SECRET.encode() in hidden(there.body, here.real.values()), A.encode() in there.body), (name, who, False, False))
                if row.own:
                    missing = here.ask(who, method, *row.request(path, MISSING), row.headers)
                    equal((name, who, there.status, hidden(there.body, here.real.values())), (name, who, missing.status, hidden(missing.body, MISSING.values())))
        # Nothing was touched, and nothing was noted about what they tried.
        equal(here.ask("approve", "GET", f"/v1/approvals/{here.real['granted']}").body, before)
        events = here.ask("approve", "POST", f"/v1/approvals/{here.real['granted']}/show", {}).json()["approval"]["events"]
        equal([event["type"] for event in events], ["REQUESTED", "APPROVED", "SHOWN"])
        # The same requests of A itself are answered.
        for name, method, path, _ in routes():
            row = ROUTES[name]
            if row.own:
                answer = here.ask("a", method, *row.request(path, here.real), row.headers)
                equal((name, answer.status, answer.body[:200] if answer.status != row.own else None), (name, row.own, None))
                if name not in ("getReceipt", "proveInclusion", "getTraceGraph", "getReport", "getRepair", "listTraces", "getTrace"):
                    equal((name, SECRET.encode() in answer.body or A.encode() in answer.body or b"intake-clerk" in answer.body), (name, True))


@claim
def who_approves_sees_the_entries_of_approvals_and_no_others():
    with place() as here:
        kinds = lambda who: {item["entry"]["kind"] for item in here.ask(who, "GET", "/v1/handoffs?limit=500").json()["entries"]}
        equal((kinds("approve"), kinds("operate") > {"approval"}, kinds("other")), ({"approval"}, True, set()))
        stream = here.server.stream("GET", "/v1/handoffs/stream?after=0", None, here.who["approve"])
        asked = envelope({"/approval_request": {**REQUEST, "exact_content": "ls"}}, "APPROVAL_REQUEST")
        equal(here.ask("a", "POST", "/v1/handoffs?session=live", fenced(asked), MARKDOWN).status, 201)
        seen = [stream.event()["entry"] for _ in range(4)]  # REQUESTED and APPROVED of the first, REQUESTED of the others
        equal({entry["kind"] for entry in seen}, {"approval"})
        stream.close()


@claim
def a_stream_tells_its_own():
    with place() as here:
        for who, source in (("b", "tax-writer"), ("other", "some-agent")):
            stream = here.server.stream("GET", "/v1/handoffs/stream?after=0", None, here.who[who])
            sent = here.ask(who, "POST", "/v1/handoffs", text(f"of {who}", source, "nobody-else"))
            equal((who, stream.event()["entry"]["source"], sent.status), (who, source, 201))
            stream.close()


# ---- Tools ------------------------------------------------------------------------------------------------------------------

# Scopes of which one will do, arguments about things of A's, whether that would be told to A.
TOOLS = {
    "check_handoff": (CHECK, {"document": "x"}, None), "repair_handoff": (CHECK, {"document": "x"}, None), "compress_handoff": (CHECK, {"document": "x"}, None),
    "convert_handoff": (CHECK, {"document": "x", "from": "contract"}, None), "count_tokens": (CHECK, {"text": "x"}, None), "explain_code": (CHECK, {"code": "JSON_UTF8"}, None),
    "audit_plan": (CHECK, {"plan": PLAN}, None), "validate_payload": (CHECK, {"schema": {}, "payload": 1}, None), "compare_schemas": (CHECK, {"old": {}, "new": {}}, None),
    "verify_receipt": (CHECK, {"receipt": "x"}, None), "submit_handoff": (SUBMIT, {"document": "x"}, None),
    "get_handoff": (READ, {"id": "{seq}"}, True), "get_receipt": (READ, {"id": "{seq}"}, True), "get_trace": (READ, {"trace_id": "{trace}"}, True),
    "receive_handoffs": (SUBMIT, {"agent": "nobody-else"}, None), "finish_handoff": (SUBMIT, {"agent": "nobody-else", "message": "h0", "lease": "x", "outcome": "failed"}, None),
    "list_approvals": (("submit", "approve"), {}, True), "use_approval": (SUBMIT, {"command": f"open {SECRET} granted", "id": "{granted}"}, True),
    "decide_approval": (APPROVE, {"id": "{approval}"}, None),
}


def tools_of(here, who):
    sent = ask("tools/list")
    return [tool["name"] for tool in here.ask(who, "POST", "/mcp", sent, {**MCP, "Mcp-Method": "tools/list"}).json()["result"]["tools"]]


def filled(arguments, things):
    return {name: re.sub(r"\{(\w+)\}", lambda found: things[found[1]], value) if isinstance(value, str) else value for name, value in arguments.items()}


@claim
def every_tool_is_for_its_scope_and_tells_others_nothing():
    with place() as here:
        equal(sorted(tools_of(here, "admin")), sorted(TOOLS))
        for who in NOBODY:
            equal((who, here.tool(who, "count_tokens", {"text": "x"})[0]), (who, 401))
        for who in (*SCOPES, *BOUND, "other"):
            holds = {"a": ("check", "submit"), "b": ("check", "submit"), "other": ("check", "submit"), "admin": SCOPES}.get(who, (who,))
            equal((who, sorted(tools_of(here, who))), (who, sorted(name for name, (scopes, *_) in TOOLS.items() if set(scopes) & set(holds))))
            unknown = here.tool(who, "no_such_tool", {})[1]["error"]
            for name, (scopes, arguments, _) in TOOLS.items():
                said = here.tool(who, name, filled(arguments, MISSING))[1]
                if set(scopes) & set(holds):
                    equal((who, name, "result" in said, said.get("error")), (who, name, True, None))
                else:
                    equal((who, name, json.dumps(said["error"]).replace(name, "X")), (who, name, json.dumps(unknown).replace("no_such_tool", "X")))
        for who in ("b", "other", "submit"):
            for name, (_, arguments, is_own) in TOOLS.items():
                there = hidden(json.dumps(here.tool(who, name, filled(arguments, here.real))[1]).encode(), here.real.values())
                equal((who, name, SECRET.encode() in there, A.encode() in there), (who, name, False, False))
                if is_own:
                    missing = hidden(json.dumps(here.tool(who, name, filled(arguments, MISSING))[1]).encode(), MISSING.values())
                    equal((who, name, there), (who, name, missing))
        for name, (_, arguments, is_own) in TOOLS.items():
            if is_own:
                equal((name, here.tool("a", name, filled(arguments, here.real))[1]["result"]["isError"]), (name, False))


@claim
def resources_are_for_their_scopes_and_owners():
    with place() as here:
        def read(who, uri):
            sent = ask("resources/read", {"uri": uri})
            return json.dumps(here.ask(who, "POST", "/mcp", sent, {**MCP, "Mcp-Method": "resources/read", "Mcp-Name": uri}).json()).encode()
        for uri in ("baton://handoffs/{seq}", "baton://receipts/{seq}"):
            for who in ("b", "other", "submit", "check", "approve"):
                there, missing = (hidden(read(who, uri.replace("{seq}", things["seq"])), [f"/{things['seq']}"]) for things in (here.real, MISSING))
                equal((who, uri, there), (who, uri, missing))
            equal((uri, b'"result"' in read("a", uri.replace("{seq}", here.real["seq"]))), (uri, True))
        for who in ("a", "b", "other", "submit", "check", "operate"):
            equal((who, b'"error"' in read(who, "baton://approvals/pending")), (who, True))
        equal(SECRET.encode() in read("approve", "baton://approvals/pending"), True)


# ---- A2A --------------------------------------------------------------------------------------------------------------------

# Params about A's task, what is said to those for whom there is none.
METHODS = {
    "SendMessage": ({"message": message("m2", text(3, "tax-writer"), taskId="{task}")}, -32001),
    "SendStreamingMessage": ({"message": message("m3", text(3, "tax-writer"), taskId="{task}")}, -32001),
    "GetTask": ({"id": "{task}"}, -32001), "ListTasks": ({"includeArtifacts": True, "historyLength": 10}, None), "CancelTask": ({"id": "{task}"}, -32001),
    "SubscribeToTask": ({"id": "{task}"}, -32001),
    "CreateTaskPushNotificationConfig": ({"taskId": "{task}"}, -32003), "GetTaskPushNotificationConfig": ({"taskId": "{task}"}, -32003),
    "ListTaskPushNotificationConfigs": ({"taskId": "{task}"}, -32003), "DeleteTaskPushNotificationConfig": ({"taskId": "{task}"}, -32003),
    "GetExtendedAgentCard": ({}, -32004),
}
# The same through HTTP+JSON: method, path, status for those for whom there is no task.
BINDING = {
    "a2aSend": ("POST", "/a2a/message:send", 404), "a2aStream": ("POST", "/a2a/message:stream", 404), "a2aListTasks": ("GET", "/a2a/tasks", 200),
    "a2aGetTask": ("GET", "/a2a/tasks/{task}", 404), "a2aCancelTask": ("POST", "/a2a/tasks/{task}:cancel", 404),
    "a2aSubscribe": ("POST", "/a2a/tasks/{task}:subscribe", 404), "a2aSubscribeGet": ("GET", "/a2a/tasks/{task}:subscribe", 404),
    "a2aCreatePush": ("POST", "/a2a/tasks/{task}/pushNotificationConfigs", 400), "a2aListPush": ("GET", "/a2a/tasks/{task}/pushNotificationConfigs", 400),
    "a2aGetPush": ("GET", "/a2a/tasks/{task}/pushNotificationConfigs/x", 400), "a2aDeletePush": ("DELETE", "/a2a/tasks/{task}/pushNotificationConfigs/x", 400),
    "a2aExtendedCard": ("GET", "/a2a/extendedAgentCard", 400), "a2aRpc": ("POST", "/a2a", 200),
}


def with_task(value, task):
    return json.loads(json.dumps(value).replace("{task}", task))


@claim
def every_method_of_a2a_tells_tasks_to_their_owner_alone():
    listed = re.findall(r'^    \{"(\w+)", A2A_', (ROOT / "app/a2a/operations.c").read_text(), re.M)
    equal(sorted(METHODS), sorted(listed))
    equal(sorted(BINDING), sorted(re.findall(r'"(a2a[A-Z]\w+)"', (ROOT / "app/serve/a2a_http.c").read_text())))
    with place() as here:
        for method, (params, code) in METHODS.items():
            for who in NOBODY:
                equal((method, who, here.rpc(who, method, with_task(params, here.real["task"]))["status"]), (method, who, 401))
            for who in ("b", "other", "submit", "operate", "admin"):
                there, missing = (here.rpc(who, method, with_task(params, things["task"])) for things in (here.real, MISSING))
                if code == -32001 and "message" in params and who == "operate":
                    equal((method, who, there["status"], missing["status"]), (method, who, 403, 403))
                    continue
                equal((method, who, hidden(json.dumps(there).encode(), [here.real["task"]])), (method, who, hidden(json.dumps(missing).encode(), [MISSING["task"]])))
                equal((method, who, there.get("error", {}).get("code"), SECRET in json.dumps(there)), (method, who, code, False))
        for name, (verb, path, status) in BINDING.items():
            body = {"message": METHODS["SendMessage"][0]["message"]} if "message" in path else None
            headers = {"Content-Type": "application/json" if name == "a2aRpc" else "application/a2a+json", "A2A-Version": "1.0"}
            for who in NOBODY:
                answer = here.ask(who, verb, path.replace("{task}", here.real["task"]), with_task(body, here.real["task"]), headers)
                equal((name, who, answer.status), (name, who, 401))
            for who in ("b", "other", "submit", "admin"):
                there, missing = (here.ask(who, verb, path.replace("{task}", things["task"]), with_task(body, things["task"]), headers) for things in (here.real, MISSING))
                equal((name, who, there.status, hidden(there.body, [here.real["task"]])), (name, who, status, hidden(missing.body, [MISSING["task"]])))
                equal((name, who, SECRET.encode() in there.body), (name, who, False))
        equal(here.rpc("a", "GetTask", {"id": here.real["task"]})["result"]["status"]["state"], "TASK_STATE_SUBMITTED")
        equal(len(here.rpc("a", "ListTasks", {})["result"]["tasks"]), 1)
        for who, operation, is_done in (("check", "submit", False), ("check", "check", True), ("submit", "submit", True), ("submit", "check", False)):
            said = here.rpc(who, "SendMessage", {"message": message(f"{who}-{operation}", text(4), metadata={"urn:baton:a2a:handoff:v1": {"operation": operation}})})
            equal((who, operation, said["status"], "result" in said), (who, operation, 200 if is_done else 403, is_done))


@claim
def the_actor_chain_has_no_hops_of_others():
    with place() as here:
        chain = {**A2A, "A2A-Extensions": "urn:baton:a2a:actor-chain:v1"}

        def hops(who, task):
            said = here.ask(who, "POST", "/a2a", {"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": task}}, chain).json()["result"]
            return [hop["source"] for artifact in said["artifacts"] for hop in artifact["metadata"]["urn:baton:a2a:actor-chain:v1"]["hops"]]
        # B joins the trace of A, as anybody can who knows its id.
        sent = here.rpc("b", "SendMessage", {"message": message("joined", text(5, "tax-writer", "nobody-else", trace_id=here.real["trace"]).replace(SECRET, "plain"))})
        equal(hops("b", sent["result"]["task"]["id"]), ["tax-writer"])
        equal(sorted(hops("a", here.real["task"])), ["intake-clerk"] * 2)


@claim
def who_decides_about_a_task_sees_no_document_of_it():
    with place() as here:
        asking = envelope({"/approval_request": {**REQUEST, "operation": "apply"}}, "APPROVAL_REQUEST")
        sent = here.rpc("a", "SendMessage", {"message": message("asks", fenced(asking), metadata={"urn:baton:a2a:handoff:v1": {"dialect": "contract"}})})["result"]["task"]
        shown = sent["status"]["message"]["parts"][1]["data"]["approval"]
        decided = {"urn:baton:a2a:approval:v1": {"decision": "approve", "fingerprint": shown["fingerprint"]}}
        said = here.rpc("admin", "SendMessage", {"message": message("yes", "decided", taskId=sent["id"], metadata=decided)})["result"]["task"]
        equal((said["status"]["state"], said["history"], "artifacts" in said), ("TASK_STATE_WORKING", [], False))
        equal(len(here.rpc("a", "GetTask", {"id": sent["id"]})["result"]["history"]), 2)


@claim
def other_agents_are_told_to_nobody_outside_by_no_door():
    with tempfile.TemporaryDirectory(prefix="baton-access-") as root:
        catalogue = Catalogue()
        catalogue.write(root)
        tokens = {"other": "check,submit", "chief": "submit,operate", "bound": ("submit", "--agent", "domain-05-product")}
        with serving(tokens=tokens, config=f"governed: {{root: {root}}}\n" + CONFIG) as server:
            here = Place(server)

            def tells(answer):
                return re.findall(r"domain-0[1234]-\w+|product-thinker", json.dumps(answer).replace("domain-09-nobody", ""))
            for number, (who, is_told) in enumerate((("other", False), ("chief", True), ("bound", True))):
                stamp = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
                documents = [json.dumps({**catalogue.handoff(number=3 * number + door + 1, timestamp=stamp),
                                         "target_agent": {**catalogue.agent("domain-02-analysis"), "agent_id": "domain-09-nobody"}}) for door in range(3)]
                doors = [here.ask(who, "POST", "/v1/handoffs?as=governed", documents[0]).json(),
                         here.tool(who, "submit_handoff", {"document": documents[1], "dialect": "governed"})[1],
                         here.rpc(who, "SendMessage", {"message": message(f"m{number}", documents[2], metadata={"urn:baton:a2a:handoff:v1": {"dialect": "governed"}})})]
                for door, answer in zip(("rest", "mcp", "a2a"), doors):
                    if door == "a2a" and "result" in answer:
                        answer["result"]["task"]["history"] = []  # what was sent
                    equal((who, door, "available_agents" in json.dumps(answer), bool(tells(answer))), (who, door, True, is_told))


sys.exit(finish())
