# SPDX-License-Identifier: Apache-2.0
"""test_lsp.py BATON - baton lsp: phases, errors, documents, every request, each dialect, and what it must never do."""
import json
import os
import pathlib
import shutil
import signal
import subprocess

from client import END, Server, about, answer, at, changed, frame, initialize, note, opened, published, request, talk, unframe
from program import BATON, ROOT, claim, environment, equal, expect, finish, folder, run  # noqa: E402

NOW = ("--now", "2026-04-14T09:00:00Z", "--today", "2026-08-01", "--seed", "7")
EXAMPLES = ROOT / "examples"


def example(name):
    return (EXAMPLES / name).read_text(encoding="utf-8")


def labels(result):
    return [item["label"] for item in result["items"]]


def complete(uri, text, mark="|", flags=NOW, cwd=None):
    """The labels at the mark, which is not part of the text."""
    before, _, after = text.partition(mark)
    line = before.count("\n")
    character = len(before.rpartition("\n")[2].encode("utf-16-le")) // 2
    return answer(talk(opened(uri, before + after), at(1, "completion", uri, line, character), flags=flags, cwd=cwd), 1)


def define(uri, text, mark="|", flags=NOW, cwd=None, first=None):
    before, _, after = text.partition(mark)
    line = before.count("\n")
    character = len(before.rpartition("\n")[2].encode("utf-16-le")) // 2
    return answer(talk(opened(uri, before + after), at(1, "definition", uri, line, character), flags=flags, cwd=cwd, first=first), 1)


# ---- Phases and errors ---------------------------------------------------------------------------


def errors(*messages, code=0):
    done = run("lsp", stdin=b"".join(frame(message) for message in messages))
    equal(done.returncode, code)
    return [(message["id"], message["error"]["code"]) for message in unframe(done.stdout) if "error" in message]


@claim
def messages_that_are_refused():
    ready = (initialize(), note("initialized"))
    for message, expected in (
            (b"{", (None, -32700)), (b"[]", (None, -32600)), (b"5", (None, -32600)), (b"{\"a\":1,\"a\":2}", (None, -32700)),
            ({"id": 1, "method": "shutdown"}, (None, -32600)), ({"jsonrpc": "1.0", "id": 1, "method": "shutdown"}, (None, -32600)),
            ({"jsonrpc": "2.0", "id": {}, "method": "shutdown"}, (None, -32600)), ({"jsonrpc": "2.0", "id": 1.5, "method": "shutdown"}, (None, -32600)),
            ({"jsonrpc": "2.0", "id": 1, "method": 5}, (None, -32600)), (request(1, "no/such"), (1, -32601)),
            (request("x", "textDocument/didOpen"), ("x", -32601)), ({"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover", "params": 5}, (1, -32602)),
            (request(1, "textDocument/hover"), (1, -32602)), (at(1, "hover", "file:///w/x", 0, 0), (1, -32602)),
            (at(1, "hover", 5, 0, 0), (1, -32602)), (at(1, "hover", "file:///w/x", -1, 0), (1, -32602)), (at(1, "hover", "file:///w/x", "0", 0), (1, -32602)),
            (initialize(), (0, -32600))):
        equal((message, errors(*ready, message, *END)), (message, [expected]))


@claim
def messages_that_are_ignored():
    equal(errors(initialize(), note("no/such"), note("$/setTrace", value="off"), note("textDocument/didOpen", textDocument=5),
                 note("textDocument/didChange", textDocument={"uri": "file:///none", "version": 1}, contentChanges=[]),
                 note("textDocument/didClose", textDocument={"uri": "file:///none"}), note("textDocument/hover"),
                 {"jsonrpc": "2.0", "id": 9, "result": None}, {"jsonrpc": "2.0", "method": "initialized", "params": None}, *END), [])


@claim
def the_order_of_phases_is_kept():
    equal(errors(request(1, "shutdown"), request(2, "no/such"), note("exit"), code=1), [(1, -32002), (2, -32002)])
    equal(errors(initialize(), request(1, "shutdown"), request(2, "shutdown"), request(3, "no/such"), note("exit")), [(2, -32600), (3, -32600)])
    equal(errors(initialize(rootUri=5) if False else request(1, "initialize", processId="x"), *END, code=1), [(1, -32602), ("end", -32002)])
    equal(errors(initialize(), note("exit"), code=1), [])


@claim
def a_malformed_frame_ends_the_server():
    for bad in (b"Content-Length: 0\r\n\r\n", b"Content-Length: 5\n\nhello", b"X\r\n\r\n", b"Content-Length: 33554433\r\n\r\n", b"X: " + b"y" * 5000):
        done = run("lsp", stdin=frame(initialize()) + bad)
        expect(done, 2, out="capabilities", err="a frame is malformed")


@claim
def flags_that_name_nothing_are_refused():
    for flags, words in ((("--root", "/nonexistent"), "cannot use the root"), (("--organism", "/nonexistent.yaml"), "/nonexistent.yaml"),
                         (("--skills", "/nonexistent"), "cannot read the skills"), (("--input", "/nonexistent"), "/nonexistent"),
                         (("--config", "/nonexistent"), "/nonexistent"), (("--no-such",), "unknown flag"), (("operand",), "unexpected word")):
        done = run("lsp", *flags)
        equal(done.returncode, 2)
        equal(done.stdout, b"")
        equal(words in done.stderr.decode(), True)


@claim
def the_server_ends_with_the_process_that_started_it():
    with subprocess.Popen(["sleep", "1000"]) as parent, subprocess.Popen([BATON, "lsp"], env=environment(), stdin=subprocess.PIPE,
                                                                          stdout=subprocess.PIPE) as server:
        message = initialize()
        message["params"]["processId"] = parent.pid
        server.stdin.write(frame(message))
        server.stdin.flush()
        server.stdout.readline()
        equal(server.poll(), None)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        equal(server.wait(timeout=60), 1)


# ---- Documents -----------------------------------------------------------------------------------


@claim
def diagnostics_are_published_before_answers_and_without_a_delay():
    server = Server(*NOW)
    server.send(opened("file:///w/a.handoff.json", "{}"))
    first = server.receive()
    equal((first["method"], first["params"]["version"]), ("textDocument/publishDiagnostics", 1))
    equal([item["code"] for item in first["params"]["diagnostics"]], ["SCHEMA_REQUIRED"])
    server.send(changed("file:///w/a.handoff.json", 2, {"text": "{"}), about(1, "codeLens", "file:///w/a.handoff.json"))
    equal((server.receive()["params"]["version"], server.receive()["id"]), (2, 1))
    equal(server.end(), 0)


@claim
def ranges_cover_values():
    uri = "file:///w/a.handoff.json"
    text = example("universal/loop.handoff.json")
    for item in published(talk(opened(uri, text), flags=NOW), uri):
        start, end = item["range"]["start"], item["range"]["end"]
        line = text.split("\n")[start["line"]]
        value = line[start["character"]:end["character"]]
        equal((item["code"], start["line"] == end["line"] and (value in "{[" or json.loads(value) is not None)), (item["code"], True))
    plan = "step,agent,action,inputs,outputs,status,notes\n1,@a,Plan,,,\"pending, no\",\n"
    found = [item for item in published(talk(opened("file:///w/p.steps.csv", plan), flags=NOW), "file:///w/p.steps.csv")
             if item["data"]["pointer"].endswith("/status")]
    equal([item["range"] for item in found][:1], [{"start": {"line": 1, "character": 12}, "end": {"line": 1, "character": 25}}])


@claim
def at_most_1000_diagnostics_are_shown():
    uri = "file:///w/a.handoff.json"
    document = {"handoff": {"meta": {f"unknown_{index}": 1 for index in range(2500)}}}
    items = published(talk(opened(uri, json.dumps(document)), flags=NOW), uri)
    equal(len(items), 1000)
    equal(items[-1]["message"].endswith(" more findings are not shown"), True)
    total = len(json.loads(run("check", "-f", "json", *NOW, "--as", "universal", "-", stdin=json.dumps(document)).stdout)["documents"][0]["findings"])
    equal(int(items[-1]["message"].split()[0]), total - 999)


@claim
def configuration_is_found_from_the_workspace_folder():
    with folder({}) as place:
        place = pathlib.Path(place)
        (place / "inner").mkdir()
        (place / "baton.yaml").write_text("check: {budget: 10}\n")
        (place / "inner/baton.yaml").write_text("check: {budget: 20}\n")
        (place / "start").mkdir()
        uri = (place / "inner/a.handoff.json").as_uri()
        lens = lambda **first: answer(talk(opened(uri, example("universal/loop.handoff.json")), about(1, "codeLens", uri), flags=NOW,  # noqa: E731
                                           cwd=place / "start", first=initialize(**first)), 1)[0]["command"]["title"].split()[2]
        folders = lambda *paths: [{"uri": (place / path).as_uri(), "name": path} for path in paths]  # noqa: E731
        equal(lens(workspaceFolders=folders(".")), "10")
        equal(lens(workspaceFolders=folders(".", "inner")), "20")
        equal(lens(workspaceFolders=folders("start")), "2000")
        equal(lens(), "2000")


@claim
def configuration_is_read_again_when_a_document_is_saved():
    with folder({}) as place:
        path = pathlib.Path(place) / "a.handoff.json"
        server = Server(*NOW, cwd=place)
        server.send(opened(path.as_uri(), example("universal/planner-to-builder.handoff.json")))
        before = [item["code"] for item in server.receive()["params"]["diagnostics"]]
        (pathlib.Path(place) / "baton.yaml").write_text("check: {budget: 10}\n")
        server.send(note("textDocument/didSave", textDocument={"uri": path.as_uri()}))
        after = [item["code"] for item in server.receive()["params"]["diagnostics"]]
        equal(("TOKENS_OVER_BUDGET" in before, "TOKENS_OVER_BUDGET" in after), (False, True))
        (pathlib.Path(place) / "baton.yaml").write_text("check: {budget: many}\n")
        server.send(note("workspace/didChangeWatchedFiles", changes=[]))
        shown = server.receive()
        equal((shown["method"], "baton.yaml" in shown["params"]["message"]), ("window/showMessage", True))
        equal(server.receive()["params"]["diagnostics"], [])
        equal(server.end(), 0)


@claim
def settings_of_the_client_override_flags():
    uri = "file:///w/p.steps.csv"
    text = example("plan/release.steps.csv").replace(",", "|,", 1)
    payload = example("plan/release.steps.csv")
    line, column = next((number, row.index(".schema.json")) for number, row in enumerate(payload.split("\n")) if ".schema.json" in row)
    for first, flags, found in ((initialize(), NOW, False), (initialize(), (*NOW, "--root", str(EXAMPLES / "plan")), True),
                                (initialize(initializationOptions={"root": str(EXAMPLES / "plan"), "unknown": 1}), NOW, True),
                                (initialize(initializationOptions={"root": "/tmp"}), (*NOW, "--root", str(EXAMPLES / "plan")), False)):
        result = answer(talk(opened(uri, payload), at(1, "definition", uri, line, column), flags=flags, first=first), 1)
        equal((result is not None), found)
    result = answer(talk(opened(uri, payload), note("workspace/didChangeConfiguration", settings={"baton": {"root": str(EXAMPLES / "plan")}}),
                         at(1, "definition", uri, line, column), flags=NOW), 1)
    equal(result is not None, True)
    equal(errors(request(0, "initialize", processId=None, capabilities={}, initializationOptions={"skills": "x"}), note("exit"), code=1), [(0, -32602)])
    del text


# ---- Requests ------------------------------------------------------------------------------------


@claim
def hover_explains_findings_and_members():
    uri = "file:///w/a.handoff.json"
    text = example("universal/loop.handoff.json")
    lines = text.split("\n")
    line = next(number for number, row in enumerate(lines) if "\"token_count\"" in row)
    summary = next(number for number, row in enumerate(lines) if "\"summary\"" in row)
    messages = talk(opened(uri, text), at(1, "hover", uri, line, lines[line].index("token_count")),
                    at(2, "hover", uri, summary, lines[summary].index("summary") + 1), at(3, "hover", uri, len(lines), 0), flags=NOW)
    equal("tokens (o200k_base)" in answer(messages, 1)["contents"]["value"], True)
    equal(answer(messages, 2)["contents"]["value"].startswith("**summary** string"), True)
    equal(answer(messages, 3), None)
    loop = next(item for item in published(messages, uri) if item["code"] == "REENTRY_WITHOUT_REASON")
    result = answer(talk(opened(uri, text), at(1, "hover", uri, **loop["range"]["start"]), flags=NOW), 1)
    explained = run("explain", loop["code"], "-f", "markdown").stdout.decode()
    equal((result["contents"]["value"].strip() in explained, result["range"]), (True, loop["range"]))


@claim
def completion_of_json_members_and_values():
    uri = "file:///w/a.handoff.json"
    equal(labels(complete(uri, '{"handoff": {"context": {"summary": "x", |}}}'))[0], "problem_type")
    equal("summary" in labels(complete(uri, '{"handoff": {"context": {"summary": "x", |}}}')), False)
    equal(labels(complete(uri, '{"handoff": {"meta": {"confidence": "|"}}}')), ["high", "low", "medium"])
    equal(labels(complete(uri, '{"handoff": {"meta": {"user_approved": |}}}')), ["false", "true"])
    equal(labels(complete(uri, '{"handoff": {"payload": {"working": {"|"}}}}')), [])
    item = complete(uri, '{"handoff": {"meta": {"confidence": |}}}')["items"][0]
    equal((list(item), item["textEdit"]["newText"]), (["label", "kind", "detail", "textEdit"], '"high"'))
    item = complete(uri, '{"handoff": {"meta": {"confidence": "hi|gh"}}}')["items"][0]
    equal((item["textEdit"]["newText"], item["textEdit"]["range"]["start"]["character"], item["textEdit"]["range"]["end"]["character"]), ("high", 37, 41))
    equal(labels(complete("file:///w/x.contract.md", "```agent_contract_handoff\n{\"agent_status\": {\"plan_status\": \"|\"}}\n```\n"))[0], "APPROVAL_REQUEST")


@claim
def completion_and_definition_of_skills():
    skills = ("--skills", str(EXAMPLES / "universal/skills"))
    known = sorted(path.parent.name for path in (EXAMPLES / "universal/skills").glob("*/SKILL.md"))
    uri = (EXAMPLES / "universal/a.handoff.json").as_uri()
    found = labels(complete(uri, '{"handoff": {"target": {"skill": "|"}}}', flags=NOW + skills))
    equal((set(found) <= set(known), len(found) > 0), (True, True))
    first = initialize(workspaceFolders=[{"uri": EXAMPLES.as_uri(), "name": "x"}])
    result = define(uri, '{"handoff": {"target": {"skill": "|%s"}}}' % found[0], flags=NOW + skills, first=first)
    equal(result["uri"], (EXAMPLES / f"universal/skills/{found[0]}/SKILL.md").as_uri())
    equal(define(uri, '{"handoff": {"target": {"skill": "|nobody"}}}', flags=NOW + skills, first=first), None)


@claim
def definition_of_files_stays_inside_the_workspace():
    text = '{"handoff": {"source": {"session_path": "work"}, "payload": {"references": {"files": [{"path": "|%s"}]}}}}'
    with folder({}) as place:
        inside = pathlib.Path(place) / "inside"
        (inside / "work").mkdir(parents=True)
        (inside / "work/notes.md").write_text("x")
        (inside / "top.md").write_text("x")
        (pathlib.Path(place) / "outside.md").write_text("x")
        uri = (inside / "a.handoff.json").as_uri()
        goes = lambda path: define(uri, text % path, cwd=inside)  # noqa: E731
        equal(goes("notes.md")["uri"], (inside / "work/notes.md").as_uri())
        equal(goes("top.md")["uri"], (inside / "top.md").as_uri())
        for path in ("../../outside.md", str(pathlib.Path(place) / "outside.md"), "missing.md", "/etc/passwd"):
            equal((path, goes(path)), (path, None))


@claim
def completion_and_definition_of_plans():
    header = "step,agent,action,inputs,outputs,status,notes,depends_on,payload_schema_in,payload_schema_out\n"
    uri, flags = "file:///w/p.steps.csv", (*NOW, "--root", str(EXAMPLES / "plan"))
    equal("in_progress" in labels(complete(uri, header + "1,@a,Plan,,,|pending,,,,\n")), True)
    equal(labels(complete(uri, header + "1,@a,Plan,,,pending,,,,\n2,@b,Build,,,pending,,1 |,,\n")), ["1", "2"])
    equal(labels(complete(uri, header + "1,@a,Plan,,,pending,,,,\n2,@|,Build,,,pending,,1,,\n")), ["@a"])
    equal(any(name.endswith(".schema.json") for name in labels(complete(uri, header + "1,@a,Plan,,,pending,,,,|\n", flags=flags))), True)
    equal("depends_on" in labels(complete(uri, "step,agent,action,inputs,outputs,status,notes,|\n")), True)
    result = define(uri, header + "1,@a,Plan,,,pending,,,,\n2,@b,Build,,,pending,,|1,,\n")
    equal(result, {"uri": uri, "range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 1}}})
    equal(define(uri, header + "1,@a,Plan,,,pending,,|9,,\n"), None)


@claim
def completion_and_definition_of_governed_documents():
    root = EXAMPLES / "governed/catalogue"
    flags = (*NOW, "--root", str(root))
    manifest = json.loads((root / "versions/prompt-manifest.json").read_text())
    agent = next(iter(manifest["domains"]))
    uri = "file:///w/g.json"
    text = '{"handoff_id": "x", "source_agent": {"agent_id": "%s", "prompt_hash": "%s"}}'
    found = labels(complete(uri, text % ("|", ""), flags=flags))
    equal(agent in found, True)
    lock = json.loads((root / "versions/prompt-lock.json").read_text())
    equal(labels(complete(uri, text % (agent, "|"), flags=flags)), [lock["prompts"][agent]["hash"]])
    result = define(uri, text % ("|" + agent, ""), flags=flags)
    equal(result["uri"], (root / "versions/prompt-manifest.json").as_uri())
    lines = (root / "versions/prompt-manifest.json").read_text().split("\n")
    equal(agent in lines[result["range"]["start"]["line"]], True)
    equal(define(uri, text % ("|nobody", ""), flags=flags), None)
    equal(labels(complete(uri, text % ("|", ""))), [])


@claim
def completion_and_definition_of_messages_and_organisms():
    organism = EXAMPLES / "pump/organism.yaml"
    flags = (*NOW, "--organism", str(organism))
    text = example("pump/add.xml")
    payload = text.rpartition("</meta>")[2] or text
    tag = payload.partition("<")[2].split(">")[0].split()[0]
    uri = "file:///w/m.xml"
    marked = text.replace(f"<{tag}", f"<|{tag}", 1)
    equal(tag in labels(complete(uri, marked, flags=flags)), True)
    result = define(uri, marked, flags=flags)
    equal(result["uri"], organism.as_uri())
    equal(define(uri, marked), None)
    own = "file:///w/organism.yaml"
    equal("listeners" in labels(complete(own, "organism:\n  name: x\nlisteners: []\n|")), True)
    equal("peers" in labels(complete(own, "organism:\n  name: x\nlisteners:\n- name: a\n  |")), True)
    two = "organism:\n  name: x\nlisteners:\n- name: first\n  peers: [second]\n- name: second\n  peers: [|]\n"
    equal(labels(complete(own, two)), ["first", "second"])
    result = define(own, two.replace("[second]", "[|second]").replace("[|]", "[]"))
    equal(result["range"]["start"], {"line": 5, "character": 8})


@claim
def completion_of_configurations():
    uri = "file:///w/baton.yaml"
    equal({"check", "limits"} <= set(labels(complete(uri, "|"))), True)
    equal("budget" in labels(complete(uri, "check:\n  |")), True)
    equal("mutual" in labels(complete(uri, "governed:\n  boundary_mode: |")), True)


@claim
def formatting_of_contract_blocks_changes_only_the_body():
    uri = "file:///w/x.contract.md"
    before = "Some words.\n\n```agent_contract_handoff\n{\"a\":[1,{}]}\n```\nMore.\n"
    options = {"tabSize": 4, "insertSpaces": True}
    edits = answer(talk(opened(uri, before), about(1, "formatting", uri, options=options), flags=NOW), 1)
    equal(edits, [{"range": {"start": {"line": 3, "character": 0}, "end": {"line": 4, "character": 0}},
                   "newText": "{\n    \"a\": [\n        1,\n        {}\n    ]\n}\n"}])
    plan = "file:///w/p.steps.csv"
    equal(answer(talk(opened(plan, "step,agent\n1,a\n"), about(1, "formatting", plan, options=options), flags=NOW), 1), None)


@claim
def code_lenses_count_tokens():
    uri = "file:///w/a.handoff.json"
    text = example("universal/planner-to-builder.handoff.json")
    lenses = answer(talk(opened(uri, text), about(1, "codeLens", uri), flags=NOW), 1)
    equal(lenses[0]["range"]["start"], {"line": 0, "character": 0})
    facts = json.loads(run("check", "-f", "json", *NOW, "-", "--as", "universal", stdin=text).stdout)["documents"][0]["facts"]["tokens"]
    equal(lenses[0]["command"], {"title": f"{facts['exact']} of 2000 tokens (o200k_base)", "command": ""})
    equal(f"{facts['sections']['working']} of 500 tokens" in [lens["command"]["title"] for lens in lenses], True)
    equal(answer(talk(opened("file:///w/p.steps.csv", "step,agent\n1,a\n"), about(1, "codeLens", "file:///w/p.steps.csv"), flags=NOW), 1), [])


def applied(text, edits):
    """A text with the edits of the protocol, whose offsets are those before all of them."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    offset = lambda place: starts[place["line"]] + place["character"]  # noqa: E731
    for edit in reversed(edits):
        text = text[:offset(edit["range"]["start"])] + edit["newText"] + text[offset(edit["range"]["end"]):]
    return text


def actions(uri, text, first=None, **context):
    lines = text.split("\n")
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
    return answer(talk(opened(uri, text, version=4), about(1, "codeAction", uri, range=everything, context={"diagnostics": [], **context}), flags=NOW,
                       first=first), 1)


@claim
def fix_all_gives_the_bytes_of_check_fix():
    for name, kept in (("universal/mendable.handoff.json", "a.handoff.json"), ("contract/broken.contract.md", "a.contract.md"),
                       ("plan/untyped.steps.csv", "a.steps.csv"), ("pump/wrong.xml", "a.xml"), ("universal/loop.handoff.json", "a.handoff.json")):
        text = example(name)
        with folder({kept: text}) as place:
            run("check", "--fix", *NOW, kept, cwd=place)
            fixed = (pathlib.Path(place) / kept).read_text(encoding="utf-8")
        found = [action for action in actions("file:///w/" + kept, text) if action["kind"] == "source.fixAll.baton"]
        edits = found[0]["edit"]["documentChanges"][0]["edits"] if found else []
        equal((name, applied(text, edits)), (name, fixed))


@claim
def a_quick_fix_changes_one_finding():
    uri, text = "file:///w/a.handoff.json", example("universal/mendable.handoff.json")
    fixes = [action for action in actions(uri, text) if action["kind"] == "quickfix"]
    equal(len(fixes) > 1, True)
    before = published(talk(opened(uri, text), flags=NOW), uri)
    for action in fixes:
        item = action["diagnostics"][0]
        equal(action["title"], f"Fix {item['code']} at {item['data']['pointer']}" + (" (unsafe)" if item["data"]["fix"] == "unsafe" else ""))
        equal((list(action), action["isPreferred"]), (["title", "kind", "diagnostics", "isPreferred", "edit"], item["data"]["fix"] == "safe"))
        changes = action["edit"]["documentChanges"][0]
        equal((changes["textDocument"], item in before), ({"uri": uri, "version": 4}, True))
        after = published(talk(opened(uri, applied(text, changes["edits"])), flags=NOW), uri)
        key = (item["code"], item["data"]["pointer"])
        equal((key, key in [(other["code"], other["data"]["pointer"]) for other in after]), (key, False))


@claim
def actions_are_filtered_and_take_the_form_of_the_client():
    uri, text = "file:///w/a.handoff.json", example("universal/mendable.handoff.json")
    kinds = lambda **context: {action["kind"] for action in actions(uri, text, **context)}  # noqa: E731
    equal(kinds(), {"quickfix", "source.fixAll.baton"})
    equal((kinds(only=["quickfix"]), kinds(only=["source"]), kinds(only=["source.fixAll"])), ({"quickfix"}, {"source.fixAll.baton"}, {"source.fixAll.baton"}))
    equal((kinds(only=["refactor"]), kinds(only=["source.fix"]), kinds(only=["quick"])), (set(), set(), set()))
    plain = actions(uri, text, first=initialize(changes=False))[0]["edit"]
    equal((list(plain), list(plain["changes"])), (["changes"], [uri]))


@claim
def levels_ignores_patterns_and_the_baseline_apply_as_in_check():
    text = example("universal/mendable.handoff.json")
    with folder({"old/a.handoff.json": text}) as place:
        uri = (pathlib.Path(place) / "old/a.handoff.json").as_uri()
        codes = lambda: {item["code"]: item["severity"] for item in published(talk(opened(uri, text), flags=NOW, cwd=place), uri) or []}  # noqa: E731
        before = codes()
        code = "SCHEMA_ENUM" if "SCHEMA_ENUM" in before else next(iter(before))
        settings = pathlib.Path(place) / "baton.yaml"
        settings.write_text(f"rules: {{{code}: warning}}\n")
        equal((before[code], codes()[code]), (1, 2))
        settings.write_text(f"ignore: [{{code: {code}, paths: [old/], reason: old, until: 2026-12-31}}]\n")
        equal(code in codes(), False)
        settings.write_text(f"ignore: [{{code: {code}, paths: [new/], reason: old, until: 2026-12-31}}]\n")
        equal(code in codes(), True)
        for patterns in ("exclude: [old/]", "include: [new/]"):
            settings.write_text(patterns + "\n")
            equal((patterns, codes()), (patterns, {}))
        settings.write_text("include: [old/]\n")
        equal(codes(), before)
        settings.write_text("paths: [{match: old/, check: {budget: 10}}]\n")
        equal("TOKENS_OVER_BUDGET" in codes(), True)
        settings.write_text("paths: [{match: old/, as: json}]\n")
        equal(codes(), {})


@claim
def fix_all_leaves_what_a_setting_suppresses():
    text = example("universal/mendable.handoff.json")
    with folder({"baton.yaml": "ignore: [{code: SCHEMA_CONST, paths: ['*.json'], reason: old, until: 2026-12-31}]\n", "a.handoff.json": text}) as place:
        uri = (pathlib.Path(place) / "a.handoff.json").as_uri()
        everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
        found = answer(talk(opened(uri, text), about(1, "codeAction", uri, range=everything, context={"diagnostics": [], "only": ["source"]}), flags=NOW, cwd=place), 1)
        fixed = applied(text, found[0]["edit"]["documentChanges"][0]["edits"])
        equal(("Universal" in fixed, "Implementation" in fixed), (True, False))
        run("check", "--fix", *NOW, "a.handoff.json", cwd=place)
        equal((pathlib.Path(place) / "a.handoff.json").read_text(encoding="utf-8"), fixed)


# ---- What it must never do -----------------------------------------------------------------------


@claim
def the_server_writes_nothing_and_starts_nothing():
    if not shutil.which("strace"):
        print("# strace is missing: the calls of the kernel are not looked at")
        return
    with folder({}) as place:
        trace = pathlib.Path(place) / "trace"
        sent = b"".join(frame(message) for message in (
            initialize(), opened("file:///w/organism.yaml", example("pump/organism.yaml")), opened("file:///w/a.xml", example("pump/add.xml")),
            opened("file:///w/a.handoff.json", example("universal/mendable.handoff.json")), about(1, "codeLens", "file:///w/a.handoff.json"), *END))
        done = subprocess.run(["strace", "-f", "-o", str(trace), "-e", "trace=process,network,openat,openat2,rename,renameat2,unlink,mkdir", BATON, "lsp",
                               "--organism", str(EXAMPLES / "pump/organism.yaml")], input=sent, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=environment(), check=False)
        if b"ptrace" in done.stderr or not trace.exists() or not trace.stat().st_size:
            print("# strace is not permitted here")
            return
        calls = [line for line in trace.read_text().splitlines() if "O_WRONLY" in line or "O_RDWR" in line or "O_CREAT" in line or
                 any(name in line for name in (" fork", " clone", " vfork", " socket(", " connect(", " rename", " unlink", " mkdir"))]
        equal(calls, [])
        equal(trace.read_text().count("execve("), 1)


@claim
def a_program_in_the_workspace_is_not_run():
    with folder({}) as place:
        for name in ("baton", "python3", "sh"):
            path = pathlib.Path(place) / name
            path.write_text("#!/bin/sh\ntouch ran\n")
            path.chmod(0o755)
        organism = example("pump/organism.yaml")
        (pathlib.Path(place) / "organism.yaml").write_text(organism)
        uri = (pathlib.Path(place) / "organism.yaml").as_uri()
        talk(opened(uri, organism), flags=NOW, cwd=place, env={"PATH": f"{place}:{os.environ['PATH']}"})
        equal((pathlib.Path(place) / "ran").exists(), False)


finish()
