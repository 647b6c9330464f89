# SPDX-License-Identifier: Apache-2.0
"""test_rest.py BATON - the paths of REST on a live server: who may call them, and that they answer what the commands print."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from block import envelope, fenced  # noqa: E402
from handoffs import handoff, text_of  # noqa: E402
from program import ROOT, claim, equal, expect, finish, report, run  # noqa: E402
from server import bearer, serving  # noqa: E402

SCOPES = ("check", "submit", "approve", "operate", "admin")
EXAMPLES = ROOT / "examples"
JSON = "application/json"
ENVELOPE = "application/vnd.baton.request+json"
TRACE = "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4"
NOBODY = "P-" + "0" * 32
GOOD = text_of(handoff())
PLAN = (EXAMPLES / "plan/release.steps.csv").read_text()
COUNTS = ("documents", "accepted", "rejected", "hard", "warn", "info")
BLOCK = fenced(envelope(status="COMPLETE"))

# operation: method, path, media type and body, the scope, the status for whoever has it
ROWS = {
    "check": ("POST", "/v1/check", JSON, GOOD, "check", 200),
    "view": ("POST", "/v1/view", JSON, GOOD, "check", 200),
    "repair": ("POST", "/v1/repair", JSON, GOOD, "check", 200),
    "compress": ("POST", "/v1/compress", JSON, GOOD, "check", 200),
    "sealHandoff": ("POST", "/v1/seal", JSON, GOOD, "check", 200),
    "newHandoff": ("POST", "/v1/new", JSON, {"source": "a", "target": "b", "summary": "s"}, "check", 200),
    "renderReport": ("POST", "/v1/render", JSON, {"report": {"baton": 1, "documents": [], "summary": {name: 0 for name in COUNTS}}, "format": "junit"}, "check", 200),
    "retryText": ("POST", "/v1/retry-text", JSON, {"report": {"baton": 1, "documents": [], "summary": {name: 0 for name in COUNTS}}}, "check", 200),
    "convert": ("POST", "/v1/convert?from=plan&step=1", "text/csv", PLAN, "check", 200),
    "countTokens": ("POST", "/v1/tokens", "text/plain", "hello", "check", 200),
    "planAudit": ("POST", "/v1/plan/audit", "text/csv", PLAN, "check", 200),
    "planWaves": ("POST", "/v1/plan/waves", "text/csv", PLAN, "check", 200),
    "planTrajectory": ("POST", "/v1/plan/trajectory", JSON, {"run": {"edges": []}}, "check", 200),
    "planValidate": ("POST", "/v1/plan/validate", JSON, {"schema": {}, "payload": {}}, "check", 200),
    "schemaValidate": ("POST", "/v1/schema/validate", JSON, {"schema": {"type": "object"}, "instance": 1}, "check", 200),
    "schemaCompat": ("POST", "/v1/schema/compat", JSON, {"old": {}, "new": {}}, "check", 200),
    "contractCheck": ("POST", "/v1/contract/check", "text/markdown", BLOCK, "check", 200),
    "contractRepairPrompt": ("POST", "/v1/contract/repair-prompt", "text/markdown", BLOCK, "check", 200),
    "contractMerge": ("POST", "/v1/contract/merge", JSON, {"stored": {}, "payload": {}}, "check", 200),
    "verifyReceipt": ("POST", "/v1/ledger/verify-receipt", JSON, {"receipt": "x"}, "check", 200),
    "listRules": ("GET", "/v1/rules", None, None, "check", 200),
    "getRule": ("GET", "/v1/rules/EXPIRED", None, None, "check", 200),
    "listSchemas": ("GET", "/v1/schemas", None, None, "check", 200),
    "getSchema": ("GET", "/v1/schemas/report", None, None, "check", 200),
    "whoami": ("GET", "/v1/whoami", None, None, "check", 200),
    "version": ("GET", "/v1/version", None, None, "check", 200),
    "getLedger": ("GET", "/v1/ledger", None, None, "check", 200),
    "proveConsistency": ("GET", "/v1/ledger/proof/consistency?old=0", None, None, "check", 200),
    "submitHandoff": ("POST", "/v1/handoffs", JSON, GOOD, "submit", 201),
    "dispatch": ("POST", "/v1/dispatch", JSON, {}, "submit", 503),
    "governSubmit": ("POST", "/v1/govern/submit", JSON, {}, "submit", 503),
    "governRespond": ("POST", "/v1/govern/respond", JSON, {}, "submit", 503),
    "takeHandoffs": ("POST", "/v1/inbox/x/take", JSON, {}, "submit", 200),
    "finishHandoffs": ("POST", "/v1/inbox/x/finish", JSON, {"items": [{"message": "h9", "lease": "l", "outcome": "failed"}]}, "submit", 200),
    "getStats": ("GET", "/v1/stats", None, None, "submit", 200),
    "listHandoffs": ("GET", "/v1/handoffs", None, None, "submit", 200),
    "getHandoff": ("GET", "/v1/handoffs/999", None, None, "submit", 404),
    "getDocument": ("GET", "/v1/handoffs/999/document", None, None, "submit", 404),
    "getReport": ("GET", "/v1/handoffs/999/report", None, None, "submit", 404),
    "getRepair": ("GET", "/v1/handoffs/999/repair", None, None, "submit", 404),
    "getReceipt": ("GET", "/v1/handoffs/999/receipt", None, None, "submit", 404),
    "contractSections": ("GET", "/v1/contract/sections", None, None, "submit", 200),
    "hook": ("POST", "/v1/hooks/codex", JSON, {"hook_event_name": "Other"}, "submit", 200),
    "useApproval": ("POST", "/v1/approvals/use", JSON, {"command": "ls"}, "submit", 409),
    "pumpSend": ("POST", "/v1/pump/send", "application/xml", "<x/>", "submit", 403),
    "pumpReplies": ("GET", "/v1/pump/threads/t/replies", None, None, "submit", 403),
    "listTraces": ("GET", "/v1/traces", None, None, "submit", 200),
    "getTrace": ("GET", "/v1/traces/none", None, None, "submit", 404),
    "getTraceGraph": ("GET", "/v1/traces/none/graph", None, None, "submit", 404),
    "proveInclusion": ("GET", "/v1/ledger/proof/inclusion?seq=999", None, None, "submit", 404),
    "listApprovals": ("GET", "/v1/approvals", None, None, "approve", 200),
    "showApproval": ("POST", f"/v1/approvals/{NOBODY}/show", JSON, {}, "approve", 404),
    "grantApproval": ("POST", f"/v1/approvals/{NOBODY}/grant", JSON, {"fingerprint": "0" * 64}, "approve", 404),
    "denyApproval": ("POST", f"/v1/approvals/{NOBODY}/deny", JSON, {}, "approve", 404),
    "revokeApproval": ("POST", f"/v1/approvals/{NOBODY}/revoke", JSON, {}, "approve", 404),
    "listInboxes": ("GET", "/v1/inboxes", None, None, "operate", 200),
    "retryDelivery": ("POST", "/v1/deliveries/h9/retry", None, None, "operate", 404),
    "listBlocked": ("GET", "/v1/govern/blocked", None, None, "operate", 200),
    "governPath": ("GET", "/v1/govern/path?from=a&to=b", None, None, "operate", 503),
    "verifyRoot": ("GET", "/v1/govern/root", None, None, "operate", 503),
    "unblock": ("POST", "/v1/govern/unblock", JSON, {"agent": "a", "reason": "r"}, "operate", 503),
    "clearContractState": ("DELETE", "/v1/contract/state?agent=a12345", None, None, "operate", 200),
    "contractTemplate": ("GET", "/v1/contract/template?guide=true", None, None, "check", 200),
    "contractResume": ("POST", "/v1/contract/resume", JSON, {"agent": "a12345"}, "operate", 200),
    "storeContractInput": ("PUT", "/v1/contract/input?agent_type=t", JSON, json.loads((EXAMPLES / "contract/input.json").read_text()), "operate", 200),
    "listEntries": ("GET", "/v1/ledger/entries", None, None, "operate", 200),
    "getEntry": ("GET", "/v1/ledger/entries/999", None, None, "operate", 404),
    "addCosignatures": ("POST", "/v1/ledger/cosignatures", "text/plain", "x", "operate", 400),
    "pumpStatus": ("GET", "/v1/pump/status", None, None, "operate", 404),
    "pumpListeners": ("GET", "/v1/pump/listeners", None, None, "operate", 404),
    "pumpGraph": ("GET", "/v1/pump/graph", None, None, "operate", 404),
    "pumpThread": ("GET", "/v1/pump/threads/t", None, None, "operate", 404),
    "pumpEvents": ("GET", "/v1/pump/events", None, None, "operate", 404),
    "listWrapped": ("GET", "/v1/wrap/servers", None, None, "operate", 200),
    "wrapDiff": ("GET", "/v1/wrap/servers/x/diff", None, None, "operate", 404),
    "wrapStats": ("GET", "/v1/wrap/stats", None, None, "operate", 200),
    "listCalls": ("GET", "/v1/wrap/calls", None, None, "submit", 200),
    "getCall": ("GET", "/v1/wrap/calls/999", None, None, "submit", 404),
    "tlogCheckpoint": ("GET", "/ledger/checkpoint", None, None, "operate", 200),
    "tlogTile": ("GET", "/ledger/tile/0/000", None, None, "operate", 404),
    "listPeers": ("GET", "/v1/ledger/peers", None, None, "operate", 200),
    "metrics": ("GET", "/metrics", None, None, "operate", 200),
    "ledgerKeys": ("GET", "/v1/ledger/keys", None, None, "check", 200),
    "scittReceipt": ("GET", "/entries/999", None, None, "submit", 404),
    "auditLedger": ("GET", "/v1/ledger/audit?max_silence=7d", None, None, "operate", 200),
    "listHolds": ("GET", "/v1/ledger/holds", None, None, "operate", 200),
    "setHold": ("POST", "/v1/ledger/holds", JSON, {"trace": "t", "reason": "r"}, "admin", 400),
    "releaseHold": ("POST", "/v1/ledger/holds/release", JSON, {"trace": "t", "reason": "r"}, "admin", 400),
    "makeBundle": ("POST", "/v1/ledger/bundle", JSON, {"trace": "nobody"}, "operate", 400),
    "redactDocument": ("POST", "/v1/ledger/redact", JSON, {"seq": 999, "reason": "r"}, "admin", 404),
    "adminConfig": ("GET", "/v1/admin/config", None, None, "admin", 200),
    "adminReload": ("POST", "/v1/admin/reload", None, None, "admin", 200),
    "newLog": ("POST", "/v1/admin/logs", JSON, {"name": "a", "origin": "x/a"}, "admin", 404),
    "listLogs": ("GET", "/v1/admin/logs", None, None, "operate", 404),
}
# What takes any of several scopes, with one that will not do; and what is not in the table.
SHARED = {"whoami": None, "getLedger": "submit", "proveConsistency": "submit", **dict.fromkeys(
    ("getStats", "listHandoffs", "getHandoff", "getDocument", "getReport", "getRepair", "getReceipt", "listTraces", "getTrace", "getTraceGraph", "proveInclusion", "scittReceipt", "listCalls", "getCall"), "check")}
OTHERS = {"scittRegister", "scittKeys", "scittKey", "contractState", "getApproval", "streamHandoffs", "witnessAddCheckpoint", "witnessCheckpoint", "openapi", "problem", "healthz", "readyz"}


def ask(server, row, token=None, **headers):
    method, path, media, body = row[:4]
    return server.ask(method, path, body, {**({"Content-Type": media} if media else {}), **(bearer(token) if token else {}), **headers})


def post(server, path, body, media=JSON, **headers):
    return server.ask("POST", path, body, {"Content-Type": media, **headers})


def problem(answer, status, code):
    equal((answer.status, answer.headers["content-type"], answer.json()["code"]), (status, "application/problem+json", code))
    return answer.json()


def reported(*args, stdin=b"", code=0, cwd=None):
    return report(expect(run(*args, "-f", "json", stdin=stdin, cwd=cwd), code))


def named(found, path="document"):
    """A report as it would be about a document of that name."""
    for document in found["documents"]:
        document["path"] = path
    return found


@claim
def every_path_wants_its_scope_and_nothing_else():
    tokens = {scope: scope for scope in SCOPES}
    with serving(tokens={**tokens, "but-check": "submit,approve,operate", "but-submit": "check,approve,operate", "but-approve": "check,submit,operate",
                         "but-operate": "check,submit,approve"}) as server:
        for name, row in ROWS.items():
            scope = row[4]
            allowed = ask(server, row, server.tokens[scope])
            if allowed.status != row[5]:
                raise AssertionError(f"{name} with {scope}: {allowed.status} {allowed.body[:300]!r}")
            equal((name, ask(server, row, server.tokens["admin"]).status), (name, row[5]))
            others = [f"but-{scope}"] if scope != "admin" else ["but-check", "but-operate"]
            for other in filter(None, [SHARED[name]] if name in SHARED else others):
                if name.startswith("scitt"):  # in CBOR
                    equal(ask(server, row, server.tokens[other]).status, 403)
                    continue
                refused = problem(ask(server, row, server.tokens[other]), 403, "SCOPE_MISSING")
                equal((name, refused["scope"], "findings" in refused), (name, scope, False))
        for name in ("check", "submitHandoff", "tlogTile", "adminConfig"):
            problem(ask(server, ROWS[name], "bt_" + "x" * 43), 401, "UNAUTHENTICATED")


@claim
def the_document_names_every_path_and_the_table_above_has_them_all():
    described = report(expect(run("serve", "--print-openapi"), 0))
    found = {operation["operationId"]: operation["x-baton-scope"] for path in described["paths"].values() for operation in path.values()}
    known = {name: row[4] for name, row in ROWS.items()}
    equal({name: found[name] for name in known}, known)
    equal(set(found) - set(known) - OTHERS, set())
    equal(run("serve", "--print-openapi").stdout, run("serve", "--print-openapi").stdout)
    for name in ("Finding", "Report", "Record", "Receipt", "Entry", "Problem", "Approval", "Trace", "Envelope"):
        if name not in described["components"]["schemas"]:
            raise AssertionError(f"there is no schema {name}")


@claim
def judging_answers_what_the_commands_print():
    broken = (EXAMPLES / "universal/broken.handoff.json").read_bytes()
    mendable = (EXAMPLES / "universal/mendable.handoff.json").read_bytes()
    plan = (EXAMPLES / "plan/drifted.steps.csv").read_bytes()
    bad_block = (EXAMPLES / "contract/broken.contract.md").read_bytes()
    now = "2026-05-04T08:00:00Z"
    schema = {"type": "object", "required": ["a"]}
    with serving(store=False) as server:
        for path, body, media, command in (
                (f"/v1/check?as=universal&now={now}", broken, JSON, ["check", "--as", "universal", "--no-refs", "--now", now, "-"]),
                (f"/v1/compress?now={now}", GOOD.encode(), JSON, ["compress", "--no-refs", "--now", now, "-"]),
                ("/v1/contract/check", bad_block, "text/markdown", ["check", "--as", "contract", "-"]),
                ("/v1/contract/repair-prompt", bad_block, "text/markdown", ["contract", "repair-prompt", "-"]),
                ("/v1/plan/audit?today=2026-07-01", plan, "text/csv", ["plan", "audit", "--today", "2026-07-01", "-"]),
                ("/v1/plan/waves", plan, "text/csv", ["plan", "waves", "-"])):
            answer = post(server, path, body, media)
            result = run(*command, "-f", "json", stdin=body)
            equal((path, answer.status, named(answer.json())), (path, 200, named(report(result))))
        equal(post(server, "/v1/repair", mendable).json()["documents"][0]["verdict"], "accepted")
        equal(post(server, "/v1/tokens?tokens=cl100k_base", "hello world", "text/plain").json(), reported("tokens", "--tokens", "cl100k_base", "-", stdin=b"hello world"))
        said = post(server, "/v1/schema/validate", {"schema": schema, "instance": {}}).json()["documents"][0]
        equal((said["dialect"], [finding["code"] for finding in said["findings"]]), ("json", ["SCHEMA_REQUIRED"]))
        equal(server.ask("GET", "/v1/rules").json(), reported("rules"))
        equal(server.ask("GET", "/v1/rules/EXPIRED").json(), reported("explain", "EXPIRED"))
        equal(server.ask("GET", "/v1/schemas/report").body, run("schema", "print", "report").stdout)


@claim
def the_same_document_is_judged_alike_through_every_door():
    broken = (EXAMPLES / "universal/broken.handoff.json").read_text()
    with serving(store=False) as server:
        rest = post(server, "/v1/check?as=universal", broken)
        equal((rest.status, rest.headers["baton-verdict"]), (200, "rejected"))
        enveloped = post(server, "/v1/check", {"documents": [{"text": broken, "as": "universal"}]}, ENVELOPE).json()
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "check_handoff", "arguments": {"document": broken, "dialect": "universal"},
            "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}}
        mcp = post(server, "/mcp", call, **{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "check_handoff"}).json()
        command = report(run("check", "--as", "universal", "--no-refs", "-f", "json", "-", stdin=broken))
        equal(rest.json(), named(command))
        equal(enveloped, rest.json())
        equal(mcp["result"]["structuredContent"]["documents"][0]["findings"], rest.json()["documents"][0]["findings"])


@claim
def envelopes_are_closed_and_hold_several_documents():
    with serving(store=False) as server:
        both = post(server, "/v1/check", {"documents": [{"path": "a.handoff.json", "text": GOOD}, {"as": "plan", "text": PLAN}],
                                          "options": {"semantics": "warn"}}, ENVELOPE).json()
        equal([(document["path"], document["dialect"]) for document in both["documents"]], [("a.handoff.json", "universal"), ("document", "plan")])
        equal(post(server, "/v1/check", {"documents": [{"base64": "e30="}], "options": {"as": "universal"}}, ENVELOPE).status, 200)
        for body, pointer in (({"documents": []}, "/documents"), ({"documents": [{"text": "x"}], "more": 1}, "/more"),
                              ({"documents": [{"text": "{}", "base64": "e30="}]}, "/documents"), ({"documents": [{"text": "{}"}], "options": {"wish": 1}}, "/wish"),
                              ({"documents": [{"text": "{}"}], "options": {"budget": "many"}}, "/budget")):
            found = problem(post(server, "/v1/check", body, ENVELOPE), 400, "PARAMETER_INVALID")
            equal(found["findings"][0]["pointer"], pointer)
        equal(problem(post(server, "/v1/check?as=universal", {"documents": [{"text": "{}"}], "options": {"as": "plan"}}, ENVELOPE), 400,
                      "PARAMETER_INVALID")["findings"][0]["pointer"], "/as")
        equal(problem(post(server, "/v1/check?wish=1", GOOD), 400, "PARAMETER_INVALID")["findings"][0]["pointer"], "/wish")
        equal(problem(post(server, "/v1/check?budget=1&budget=2", GOOD), 400, "PARAMETER_INVALID")["findings"][0]["pointer"], "/budget")
        problem(post(server, "/v1/check", "just words", "text/plain"), 400, "DIALECT_UNKNOWN")
        problem(post(server, "/v1/check", GOOD, "image/png"), 415, "UNSUPPORTED_MEDIA_TYPE")
        found = problem(post(server, "/v1/schema/validate", b"{"), 400, "BAD_REQUEST")
        equal(found["findings"][0]["code"], "JSON_SYNTAX")


@claim
def what_must_be_a_list_is_one():
    with serving(tokens={"t": "check"}) as server:
        for path, body in (("/v1/plan/trajectory", {"run": {"edges": []}, "chains": {"a": 1}}), ("/v1/plan/trajectory", {"run": {"edges": []}, "chains": "a"}),
                           ("/v1/ledger/verify-receipt", {"receipt": "x", "vkey": {"a": 1}}), ("/v1/ledger/verify-receipt", {"receipt": "x", "vkey": 1})):
            said = problem(post(server, path, body, **bearer(server.tokens["t"])), 400, "PARAMETER_INVALID")
            equal(said["findings"][0]["pointer"], "/" + list(body)[1])


@claim
def the_ledger_answers_what_the_commands_print_and_its_tree_is_the_exported_one():
    with serving(tokens={"all": "check,submit,operate"}) as server:
        token = bearer(server.tokens["all"])
        for number in range(3):
            equal(post(server, "/v1/handoffs", text_of(handoff(context={"summary": f"Number {number}"})), **token).status, 201)
        place = server.folder
        here = ["--store", "s.db"]
        for path, command in (("/v1/ledger", ["ledger", "checkpoint"]), ("/v1/ledger/proof/consistency?old=1", ["ledger", "prove", "consistency", "1"]),
                              ("/v1/ledger/proof/inclusion?seq=1", ["ledger", "prove", "inclusion", "1"]), ("/v1/ledger/entries/1", ["ledger", "show", "1"]),
                              ("/v1/handoffs/2", ["ledger", "show", "2"]), ("/v1/ledger/entries?from=1&limit=1", ["ledger", "tail", "--from", "1", "-n", "1"])):
            equal((path, server.ask("GET", path, headers=token).json()), (path, reported(*command, *here, cwd=place)))
        expect(run("ledger", "export", "tree", *here, cwd=place), 0)
        for file in sorted(pathlib.Path(place, "tree").rglob("*")):
            if file.is_file():
                path = "/ledger/" + str(file.relative_to(pathlib.Path(place, "tree")))
                equal((path, server.ask("GET", path, headers=token).body), (path, file.read_bytes()))
        for path in ("0/0", "0/000", "0/000.p/0", "0/000.p/4", "0/000.p/256", "0/x000/000", "0/000.p/03", "9/000", "-1/000", "entries/000.p/x", "data/000", "1/000.p/1"):
            equal((path, server.ask("GET", "/ledger/tile/" + path, headers=token).status), (path, 404))
        text = server.ask("GET", "/v1/handoffs/0/receipt", headers=token)
        equal(text.body, run("ledger", "prove", "inclusion", "0", *here, cwd=place).stdout)
        vkey = pathlib.Path(place, "s.db.vkey").read_text().strip()
        checked = post(server, "/v1/ledger/verify-receipt", {"receipt": text.body.decode(), "vkey": [vkey]}, **token)
        equal(checked.json()["documents"][0]["verdict"], "accepted")


@claim
def a_document_that_is_indented_beyond_the_limit_is_repaired_minified():
    files = [{"path": f"src/f{number}.c"} for number in range(150000)]
    text = json.dumps(handoff(payload={"references": {"files": files}}))  # with white space, so that its style is the indented one
    with serving(store=False) as server:
        answer = post(server, "/v1/repair", text)
        equal((answer.status, answer.json()["documents"][0]["verdict"]), (200, "accepted"))


def full():
    """A document of 2,046 bytes that lacks something."""
    lacking = handoff(timestamp=None)
    room = 2046 - len(json.dumps(lacking, separators=(",", ":")))
    lacking["handoff"]["context"]["summary"] += "x" * room
    return json.dumps(lacking, separators=(",", ":"))


@claim
def what_would_be_repaired_beyond_the_limit_is_refused_as_too_large():
    with serving(store=False, config="limits: {document_bytes: 2048}\n") as server:
        said = problem(post(server, "/v1/repair", full()), 413, "BODY_TOO_LARGE")
        equal("what is to be made of it" in said["detail"], True)
        equal(post(server, "/v1/check", full()).status, 200)


@claim
def what_does_not_change_is_not_sent_twice():
    with serving(tokens={"all": "check,submit,operate"}) as server:
        token = bearer(server.tokens["all"])
        equal(post(server, "/v1/handoffs", GOOD, **token).status, 201)
        for path, cache in (("/v1/rules", "max-age=300"), ("/v1/schemas/report", "max-age=300"), ("/openapi.json", "max-age=300"),
                            ("/v1/ledger", "no-cache"), ("/v1/handoffs/0", "no-cache"), ("/ledger/checkpoint", "no-cache"),
                            ("/ledger/tile/0/000.p/1", "private, max-age=31536000, immutable"), ("/v1/whoami", "no-store")):
            first = server.ask("GET", path, headers=token)
            equal((path, first.status, first.headers["cache-control"]), (path, 200, cache))
            if cache != "no-store":
                again = server.ask("GET", path, headers={**token, "If-None-Match": first.headers["etag"]})
                equal((path, again.status, again.body), (path, 304, b""))
                equal(server.ask("GET", path, headers={**token, "If-None-Match": '"other"'}).status, 200)


sys.exit(finish())
