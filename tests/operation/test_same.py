# SPDX-License-Identifier: Apache-2.0
"""test_same.py BATON - one answer through every interface: the command, REST, MCP and A2A give the same report, byte by byte."""
import hashlib
import json
import pathlib
import sys
import tempfile
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from block import ID, envelope, fenced  # noqa: E402
from handoffs import changed, handoff, text_of  # noqa: E402
from mcp_client import call, talk, tool  # noqa: E402
from program import ROOT, claim, equal, expect, finish, run  # noqa: E402
from server import bearer, serving  # noqa: E402

LATER = "2031-01-01T00:00:00Z"
PLAN = (ROOT / "examples/plan/release.steps.csv").read_text()
CHAIN = ["a", "b", "c", "release-planner", "d", "e"]
LONG = {"working": {"log": "line of a log\n" * 300}, "session": {"state": {"notes": "kept for later " * 200}}}
TEXTS = {
    "expiring": text_of(handoff(expires_at="2030-01-01T00:00:00Z")),
    "large": text_of(handoff(context={"original_prompt": "word " * 900}, payload=LONG)),
    "chain": text_of(handoff(meta={"handoff_chain": CHAIN})),
    "loop": text_of(handoff(target={"skill": "release-planner"})),
    "misspelled": text_of(handoff()).replace('"trace_id"', '"traceId"'),
    "undated": json.dumps(changed({"context/focus_areas": "one", "source/phase": 4, "expires_at": "2030-01-01 00:00"})),
    "torn": '{"handoff": {"version": "3.0",',
    "not UTF-8": b'{"handoff": "\xff"}',
    "plan": PLAN,
    "ragged plan": PLAN.replace("\n", ",surplus\n", 2),
    "block": fenced(envelope(status="COMPLETE")),
    "bad block": fenced(envelope(status="COMPLETE", changes={"/agent_status/plan_status": "DONE"})),
    "xml": "<message>",
}
DIALECTS = {"plan": "plan", "ragged plan": "plan", "block": "contract", "bad block": "contract", "xml": "xml"}
# Options that each operation is tried with, by the dialect of the document.
OPTIONS = {
    ("check", "universal"): [{}, {"now": LATER}, {"now": LATER, "strict_expiry": True}, {"tokens": "chars4"}, {"tokens": "cl100k_base"},
                             {"budget": 100}, {"section_limit": "context=3"}, {"semantics": "warn"}, {"chain": "head"},
                             {"fail_level": "WARN"}, {"fail_fast": True}],
    ("check", "plan"): [{"today": "2026-06-30"}, {"today": "2026-07-01"}, {"now": LATER}, {"edges": "deps"}],
    ("check", "contract"): [{}, {"runtime_agent_id": ID}, {"runtime_agent_id": "b80177b959c721da1"}],
    ("check", "xml"): [{}],
    ("repair", "universal"): [{"now": LATER}, {"attempt": 1, "now": LATER}, {"tokens": "chars4"}, {"budget": 300}],
    ("compress", "universal"): [{"now": LATER}, {"budget": 1500}, {"tokens": "chars4"}],
    ("convert", "universal"): [{"now": LATER}, {"tokens": "chars4"}, {"budget": 100}],
    ("convert", "plan"): [{"step": "1", "tokens": "chars4", "now": LATER}, {"step": "99"}],
}
COMMANDS = {"check": ["check"], "repair": ["repair"], "compress": ["compress"], "convert": ["convert", "--to", "universal"]}
# Each operation takes some options as arguments of its tool, the others in `options`.
ARGUMENTS = {"repair": ("attempt", "emit_prompt"), "compress": ("budget", "tokens"), "convert": ("from",)}


def dialect_of(name):
    return DIALECTS.get(name, "universal")


def flags(options):
    words = []
    for name, value in options.items():
        words += [f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)])
    return words


def by_command(operation, dialect, text, options):
    """What the command prints about a file called `document`."""
    named = {"check": ["--as", dialect], "convert": ["--from", dialect]}.get(operation, [])
    # A server without a root looks at no files.
    unlooked = ["--no-refs"] if dialect == "universal" or operation == "convert" else []
    with tempfile.TemporaryDirectory(prefix="baton-same-") as name:
        (pathlib.Path(name) / "document").write_bytes(text)
        return run(*COMMANDS[operation], *named, *unlooked, *flags(options), "-f", "json", "document", cwd=name)


def by_rest(server, operation, dialect, text, options):
    named = {"from" if operation == "convert" else "as": dialect}
    query = urllib.parse.urlencode({name: "true" if value is True else value for name, value in {**named, **options}.items()})
    return server.ask("POST", f"/v1/{operation}?{query}", text, {"Content-Type": "application/octet-stream"})


def for_mcp(operation, dialect, text, options, number):
    arguments = {"document": text.decode(), **{name: value for name, value in options.items() if name in ARGUMENTS.get(operation, ())}}
    if operation in ("check", "repair"):
        arguments["dialect"] = dialect
    if operation == "convert":
        arguments["from"] = dialect
    rest = {name: value for name, value in options.items() if name not in arguments}
    return call(f"{operation}_handoff", {**arguments, **({"options": rest} if rest else {})}, number)


def by_a2a(server, operation, dialect, text, options, number):
    message = {"messageId": f"m{number}", "role": "ROLE_USER", "parts": [{"text": text.decode()}],
               "metadata": {"urn:baton:a2a:handoff:v1": {"operation": operation, "dialect": dialect, "options": options}}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}}
    said = server.ask("POST", "/a2a", body, {"Content-Type": "application/json", "A2A-Version": "1.0"}).json()
    artifacts = said["result"].get("task", said["result"])["artifacts"]
    return [item["parts"][0]["data"] for item in artifacts if item["artifactId"] == "report"][0]


def same(about, got, wanted):
    """Compare two texts, and show where they part."""
    if got != wanted:
        at = next((i for i, (a, b) in enumerate(zip(got, wanted)) if a != b), min(len(got), len(wanted)))
        start = max(0, at - 200)
        raise AssertionError(f"{about}: got ...{got[start:at + 200]!r}\nexpected ...{wanted[start:at + 200]!r}")


def without_spilled(answer):
    """A server hands back the files that a command writes; both describe them, one by the text and the other by its length."""
    def compact(value):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    for document in json.loads(answer).get("documents", []):
        for name in ("spilled", "spilled_text"):
            if name in document:
                spilled = document[name]
                equal((document["facts"][name], spilled["sha256"]), (spilled, "sha256:" + hashlib.sha256(spilled["text"].encode()).hexdigest()))
                answer = "".join(answer.rsplit(f',"{name}":' + compact(spilled), 1))  # it stands behind the facts
                told = {"path": spilled["path"], "bytes": len(spilled["text"].encode()), "sha256": spilled["sha256"]}
                answer = answer.replace(f'"{name}":' + compact(spilled), f'"{name}":' + compact(told), 1)
    return answer


def questions():
    for name, text in TEXTS.items():
        for (operation, dialect), all_options in OPTIONS.items():
            for options in all_options if dialect == dialect_of(name) else []:
                yield name, operation, dialect, text if isinstance(text, bytes) else text.encode(), options


@claim
def every_interface_gives_the_same_report():
    asked, expected = [], []
    with serving(store=False) as server:
        for name, operation, dialect, text, options in questions():
            about = f"{operation} of {name} with {options}"
            printed = by_command(operation, dialect, text, options)
            equal((about, printed.returncode in (0, 1), printed.stderr), (about, True, b""))
            answer = by_rest(server, operation, dialect, text, options)
            equal((about, answer.status), (about, 200))
            same(f"REST: {about}", without_spilled(answer.body.decode()), printed.stdout.decode())
            if name == "not UTF-8":
                continue  # cannot be written in a JSON string
            if operation in ("check", "repair"):
                said = json.dumps(by_a2a(server, operation, dialect, text, options, len(asked)), separators=(",", ":"), ensure_ascii=False)
                same(f"A2A: {about}", json.dumps(json.loads(without_spilled(said))), json.dumps(json.loads(printed.stdout)))
            asked.append(for_mcp(operation, dialect, text, options, len(asked)))
            expected.append((about, printed.stdout))
    equal(len(asked) > 60, True)
    for (about, printed), said in zip(expected, talk(*asked), strict=True):
        result = said["result"]
        text = result["content"][0]["text"]
        equal((about, result["isError"]), (about, False))
        same(f"MCP: {about}", without_spilled(text) + "\n", printed.decode())
        equal((about, result["structuredContent"]), (about, json.loads(text)))


def printed(*words, **files):
    """What a command prints about files of these names."""
    with tempfile.TemporaryDirectory(prefix="baton-same-") as name:
        for file, text in files.items():
            (pathlib.Path(name) / file).write_text(text)
        return json.loads(run(*words, "-f", "json", cwd=name).stdout)


@claim
def schemas_and_plans_are_answered_alike():
    broken = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:x:a:v1", "type": "object"}
    old, new = json.dumps(broken), json.dumps({**broken, "$id": "urn:x:a:v2"})
    bodies = {"old": broken, "new": {**broken, "$id": "urn:x:a:v2"}}
    schema, instance = '{"type": "object", "required": ["a"]}', '{"b": 1}'
    with serving(store=False) as server:
        def posted(path, body, media="application/json"):
            return server.ask("POST", path, body, {"Content-Type": media}).json()
        wanted = printed("schema", "compat", "old", "new", old=old, new=new)
        equal([(d["path"], d["verdict"]) for d in wanted["documents"]], [("old", "rejected"), ("new", "rejected")])
        equal(posted("/v1/schema/compat", f'{{"old":{old},"new":{new}}}'), wanted)
        compact = {name: json.dumps(value, separators=(",", ":")) for name, value in bodies.items()}
        equal(tool("compare_schemas", bodies)["structuredContent"], printed("schema", "compat", "old", "new", **compact))
        equal(posted("/v1/schema/validate", f'{{"schema":{schema},"instance":{instance}}}'),
              printed("schema", "validate", "schema", "instance", schema=schema, instance=instance))
        for name in ("plan", "ragged plan"):
            for options in ({}, {"today": "2026-06-30"}, {"today": "2026-07-01"}, {"edges": "deps"}):
                wanted = printed("plan", "audit", *flags(options), "document", document=TEXTS[name])
                equal(posted("/v1/plan/audit?" + urllib.parse.urlencode(options), TEXTS[name], "text/csv"), wanted)
                equal(tool("audit_plan", {"plan": TEXTS[name], **options})["structuredContent"], wanted)
            equal(posted("/v1/plan/audit?now=" + LATER, TEXTS[name], "text/csv"), printed("plan", "audit", "--now", LATER, "document", document=TEXTS[name]))
        for attempt in (1, 3):
            wanted = printed("contract", "repair-prompt", "--attempt", str(attempt), "document", document=TEXTS["bad block"])
            equal(posted(f"/v1/repair?as=contract&attempt={attempt}", TEXTS["bad block"], "text/markdown"), wanted)
            equal(tool("repair_handoff", {"document": TEXTS["bad block"], "dialect": "contract", "attempt": attempt})["structuredContent"], wanted)


@claim
def the_estimate_is_never_called_exact():
    wanted = {"encoding": "chars4", "exact": None, "estimate": 3, "bytes": 13}
    text = "thirteen byte"
    equal(json.loads(run("tokens", "--tokens", "chars4", "-f", "json", "-", stdin=text).stdout), {"baton": 1, "tokens": wanted})
    equal(tool("count_tokens", {"text": text, "encoding": "chars4"})["structuredContent"]["tokens"], wanted)
    for config, query in ((None, "?tokens=chars4"), (None, "?encoding=chars4"), ("check: {tokens: chars4}\n", "")):
        with serving(store=False, config=config) as server:
            equal(server.ask("POST", f"/v1/tokens{query}", text, {"Content-Type": "text/plain"}).json()["tokens"], wanted)
            found = server.ask("POST", "/v1/check" + query.replace("encoding", "tokens"), TEXTS["expiring"], {"Content-Type": "application/json"})
            facts = found.json()["documents"][0]["facts"]["tokens"]
            equal((facts["encoding"], facts["exact"]), ("chars4", None))


@claim
def a_text_that_is_not_utf8_is_told_as_the_command_tells_it():
    text = b"fine so far\nthen \xff"
    printed = json.loads(expect(run("tokens", "-f", "json", "-", stdin=text), 1).stdout)
    equal([(f["code"], f["line"], f["column"]) for f in printed["findings"]], [("JSON_UTF8", 2, 6)])
    with serving(store=False, config="limits: {document_bytes: 1024, body_bytes: 9437184}\n") as server:
        for body in (text, b"x" * 5000 + text):
            answer = server.ask("POST", "/v1/tokens", body, {"Content-Type": "text/plain"})
            told = answer.json()
            equal((answer.status, answer.headers["content-type"], told["code"], told["status"]),
                  (400, "application/problem+json", "JSON_UTF8", 400))
            equal(told["findings"], printed["findings"])
        equal(server.ask("GET", told["type"]).status, 200)
        # A body of JSON, and one that is judged, say the same.
        told = server.ask("POST", "/v1/contract/merge", b'{"stored":"\xff"}', {"Content-Type": "application/json"}).json()
        equal([f["code"] for f in told["findings"]], ["JSON_UTF8"])
        for path, media, code in (("/v1/check?as=universal", "application/json", "JSON_UTF8"), ("/v1/check?as=contract", "text/markdown", "JSON_UTF8"),
                                  ("/v1/plan/waves", "text/csv", "CSV_UTF8"), ("/v1/plan/audit", "text/csv", "CSV_UTF8")):
            answer = server.ask("POST", path, b"\xff" + text, {"Content-Type": media})
            equal((path, answer.status, answer.json()["documents"][0]["verdict"]), (path, 200, "rejected"))
            equal((path, [f["code"] for f in answer.json()["documents"][0]["findings"]]), (path, [code]))
    result = tool("count_tokens", {"text": "\ud800"})
    equal((result["isError"], result["content"][0]["text"].startswith("JSON_UTF8")), (True, True))


@claim
def the_record_says_whether_the_bytes_are_kept_whoever_submits():
    def told(document):
        return (document["kept"], "truncated" in document)
    wanted = [(False, False), (True, False), (True, False)]
    acts = ("drop", "keep", "drop")
    with serving() as server:
        def submitted(act, text):
            return server.ask("POST", f"/v1/handoffs?document={act}", text, {"Content-Type": "application/json"}).json()["documents"][0]["record"]
        text = text_of(handoff(context={"summary": "Sent through REST."}))
        equal([told(submitted(act, text)["document"]) for act in acts], wanted)
        text = text_of(handoff(context={"summary": "Sent through MCP."}))
        asked = [call("submit_handoff", {"document": text, "options": {"document": act}}, number) for number, act in enumerate(acts)]
        said = talk(*asked, flags=["--store", "s.db"], cwd=server.folder, notes=True)
        equal([told(item["result"]["structuredContent"]["documents"][0]["record"]["document"]) for item in said], wanted)
        (server.folder / "h.json").write_text(text_of(handoff(context={"summary": "Sent by the command."})))
        for act, expected in zip(acts, wanted, strict=True):
            result = run("ledger", "append", "--store", "s.db", *(["--no-document"] if act == "drop" else []), "--no-refs", "-f", "json", "h.json", cwd=server.folder)
            equal(told(json.loads(result.stdout)["documents"][0]["record"]["document"]), expected)


@claim
def what_is_looked_up_below_a_root_is_found_alike():
    examples = ROOT / "examples/governed"
    with tempfile.TemporaryDirectory(prefix="baton-same-") as name:
        root = pathlib.Path(name)
        (root / "work").mkdir()
        (root / "work/a.txt").write_text("a")
        (root / "b.txt").write_text("b")
        paths = ["a.txt", "b.txt", "../b.txt", "gone", "", "work", f"{root}/b.txt", f"{root}/gone", "/tmp/gone"]
        refers = text_of(handoff(payload={"working": {}, "references": {"files": [{"path": path} for path in paths]}}))
        questions = [(root, "universal", refers, {})]
        for document, dialect in (("accepted", "governed"), ("refused", "governed"), ("response", "response")):
            for options in ({}, {"now": LATER}, {"structure_only": True}):
                questions.append((examples / "catalogue", dialect, (examples / f"{document}.json").read_text(), options))
        for place, dialect, text, options in questions:
            wanted = printed("check", "--as", dialect, "--root", str(place), *flags(options), "document", document=text)
            about = f"{dialect} below {place.name} with {options}"
            with serving("--root", str(place), store=False, tokens={"all": "check,operate"}) as server:
                query = urllib.parse.urlencode({"as": dialect, **{name: "true" if value is True else value for name, value in options.items()}})
                answer = server.ask("POST", f"/v1/check?{query}", text, {"Content-Type": "application/json", **bearer(server.tokens["all"])})
                equal((about, answer.json()), (about, wanted))
            said = tool("check_handoff", {"document": text, "dialect": dialect, "options": options}, flags=["--root", str(place)])
            equal((about, said["structuredContent"]), (about, wanted))


@claim
def a_receipt_is_verified_alike():
    document = text_of(handoff())
    with serving() as server:
        made = server.ask("POST", "/v1/handoffs", document, {"Content-Type": "application/json"}).json()
        vkey = (server.folder / "s.db.vkey").read_text().strip()
        good = json.dumps(made["receipt"], separators=(",", ":"))
        text = server.ask("GET", "/v1/handoffs/0/receipt").body.decode()
        for receipt in (good, text, good.replace('"index":0', '"index":1'), text.replace("index 0", "index 00"), "{}", "no receipt"):
            for given in ({}, {"document": document}, {"document": document + " "}):
                words = ["ledger", "verify-receipt", "receipt", "--vkey", vkey, *(["--document", "document"] if given else [])]
                wanted = printed(*words, receipt=receipt, **given)
                about = f"{receipt[:40]!r} with {bool(given)}"
                answer = server.ask("POST", "/v1/ledger/verify-receipt", {"receipt": receipt, "vkey": [vkey], **given}, {"Content-Type": "application/json"})
                equal((about, answer.json()), (about, wanted))
                equal((about, tool("verify_receipt", {"receipt": receipt, "vkey": [vkey], **given})["structuredContent"]), (about, wanted))


@claim
def what_is_missing_is_named():
    receipt = "c2sp.org/tlog-proof@v1\n"
    with serving(store=False) as server:
        def told(path, text, media):
            answer = server.ask("POST", path, text, {"Content-Type": media})
            finding = answer.json()["findings"][0]
            equal((path, answer.status, answer.json()["code"], finding["code"]), (path, 400, "PARAMETER_INVALID", "PARAMETER_INVALID"))
            return finding["pointer"]
        for query in ("?from=plan", "?as=plan", "", "?path=x.steps.csv"):
            equal((query, told(f"/v1/convert{query}", PLAN, "text/csv")), (query, "/step"))
        enveloped = {"documents": [{"path": "x.steps.csv", "text": PLAN}]}
        equal(told("/v1/convert", json.dumps(enveloped), "application/vnd.baton.request+json"), "/step")
        equal(told("/v1/convert?from=xml", PLAN, "text/csv"), "/from")
        equal(told("/v1/ledger/verify-receipt", receipt, "text/plain"), "/vkey")
        equal(told("/v1/ledger/verify-receipt", json.dumps({"receipt": receipt}), "application/json"), "/vkey")
        equal(server.ask("POST", "/v1/convert", "what?", {"Content-Type": "text/plain"}).json()["code"], "DIALECT_UNKNOWN")
        equal(told("/v1/check?as=universal&root=nowhere", TEXTS["expiring"], "application/json"), "/root")
        equal(told("/v1/plan/validate", '{"schema":"a","payload":{},"root":"nowhere"}', "application/json"), "/root")
    for name, arguments, pointer in (("convert_handoff", {"document": PLAN}, "/options/step"),
                                     ("convert_handoff", {"document": PLAN, "from": "plan"}, "/options/step"),
                                     ("convert_handoff", {"document": PLAN, "from": "xml"}, "/from"),
                                     ("check_handoff", {"document": PLAN, "options": {"root": "nowhere"}}, "/options/root"),
                                     ("audit_plan", {"plan": PLAN, "root": "nowhere"}, "/root"),
                                     ("verify_receipt", {"receipt": receipt}, "/vkey")):
        result = tool(name, arguments)
        equal((result["isError"], "structuredContent" in result), (True, False))
        equal(result["content"][0]["text"].split(":")[0], f"PARAMETER_INVALID at {pointer}")
    with tempfile.TemporaryDirectory(prefix="baton-same-") as name:
        (pathlib.Path(name) / "x.steps.csv").write_text(PLAN)
        (pathlib.Path(name) / "r").write_text(receipt)
        expect(run("convert", "--to", "universal", "x.steps.csv", cwd=name), 2, err="--step")
        expect(run("ledger", "verify-receipt", "r", cwd=name), 2, err="--vkey")


sys.exit(finish())
