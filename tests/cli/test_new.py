# SPDX-License-Identifier: Apache-2.0
"""test_new.py BATON - baton new: what all dialects share, contract blocks and messages."""
import hashlib
import json
import pathlib

from program import claim, equal, expect, finish, folder, on_terminal_with, report, run

ID = "a80177b959c721da1"
THREAD = "550e8400-e29b-41d4-a716-446655440000"
ORGANISM = """organism: {name: demo}
clients:
  - {name: client1, may_call: ["*"]}
listeners:
  - name: calculator.add
    description: adds two integers
    handler: tools/calc.py:add_handler
    payload_type: AddPayload
    fields: {a: int, b: int, note: "optional[str]"}
    result: int
"""
FILES = {"organism.yaml": ORGANISM, "tools/calc.py": "x = 1\n"}
UNIVERSAL = ("new", "universal", "--source", "planner", "--target", "builder", "--summary", "Build it.")
CONTRACT = ("new", "contract", "--agent-id", ID, "--next", "Run the tests")
XML = ("new", "xml", "--organism", "organism.yaml", "--client", "client1", "--call", "Calculator.Add")


def made(place, *words, code=0):
    return report(expect(run(*words, "-f", "json", cwd=place), code))["documents"][0]


def body(text):
    head, _, rest = text.partition("\n")
    equal((head, rest[-5:]), ("```agent_contract_handoff", "\n```\n"))
    return json.loads(rest[:-5])


@claim
def a_handoff_names_its_defaults_and_can_be_printed():
    with folder({}) as top:
        place = pathlib.Path(top)
        shown = made(place, *UNIVERSAL, "--dry-run", "--working", '{"a":1}')
        equal(shown["defaults"], {"session_path": ".", "workflow_id": "manual", "phase": "handoff", "problem_type": "implementation", "confidence": "medium"})
        equal("would_write" in shown, True)
        printed = expect(run(*UNIVERSAL, "--stdout", "--seed", "1", "--now", "2026-04-14T09:00:00Z", cwd=place), 0).stdout
        shown = made(place, *UNIVERSAL, "--stdout", "--seed", "1", "--now", "2026-04-14T09:00:00Z")
        equal((shown["written"], shown["document"]), (None, json.loads(printed)))
        equal(list(place.iterdir()), [])
        expect(run("check", "-", stdin=printed, cwd=place), 0)
        shown = made(place, *UNIVERSAL, "--target", "planner", "--stdout", code=1)
        equal((shown["written"], [finding["code"] for finding in shown["findings"]]), (None, ["SELF_LOOP"]))


@claim
def a_block_has_what_the_flags_say():
    with folder({}) as top:
        place = pathlib.Path(top)
        text = expect(run(*CONTRACT, "--pending", "one", "--pending", "two", "--file", "a.c", "--command", "make", "--output", "it builds", "--gap", "no tests",
                          "--status", "BLOCKED", "--verification", "fail", "--summary", "Stuck.", cwd=place), 0).stdout.decode()
        block = body(text)
        equal(block["agent_status"], {"plan_status": "BLOCKED", "agent_id": ID, "pending_steps": ["one", "two"], "next_action": "Run the tests"})
        equal(block["evidence_report"], {"patterns_checked": [], "files_checked": ["a.c"], "commands_run": ["make"], "key_outputs": ["it builds"],
                                         "verbatim_outputs": [], "cross_layer_impacts": [], "open_gaps": ["no tests"], "verification": {"result": "fail"}})
        equal((block["consolidation_report"], block["approval_request"], block["user_facing_summary"]), (None, None, "Stuck."))
        shown = made(place, *CONTRACT, "-o", "m.contract.md")
        text = (place / "m.contract.md").read_bytes()
        equal((shown["document"], shown["defaults"], shown["path"]), (text.decode(), {"plan_status": "IN_PROGRESS"}, "<new>"))
        equal(shown["written"], {"path": "m.contract.md", "bytes": len(text), "sha256": hashlib.sha256(text).hexdigest(), "fallback": False})
        equal(made(place, *CONTRACT, "--status", "NEEDS_INPUT")["defaults"], {})


@claim
def a_block_that_would_be_rejected_is_not_written():
    with folder({"demanding.json": '{"agent_contract_handoff":{"consolidation_required":true}}', "bad.json": "{"}) as top:
        place = pathlib.Path(top)
        for more in (["--agent-id", "Mine"], ["--next", " "], ["--status", "COMPLETE", "--verification", "passed"], ["--input", "demanding.json"]):
            shown = made(place, *CONTRACT, *more, "-o", "n.contract.md", code=1)
            equal((more, shown["written"], bool(shown["findings"])), (more, None, True))
        for more in (["--status", "DONE"], ["--input", "bad.json"], ["--next", b"\xff"], ["extra"]):
            equal((more, expect(run(*CONTRACT, *more, "-o", "n.contract.md", cwd=place), 2, err="baton: ").stdout), (more, b""))
        equal(sorted(path.name for path in place.iterdir()), ["bad.json", "demanding.json"])


@claim
def fields_stand_in_the_order_of_the_listener():
    with folder(FILES) as top:
        place = pathlib.Path(top)
        text = expect(run(*XML, "--field", "note=1 < 2 & more", "--field", "b=2", "--field", "a=1", "--thread", THREAD, "--id", "k-1", cwd=place), 0).stdout.decode()
        equal(text, f'<message xmlns="https://xml-pipeline.org/ns/envelope/v1"><meta><from>client1</from><thread>{THREAD}</thread>'
                    '<id xmlns="urn:baton:pump:1">k-1</id></meta><calculator.add.addpayload xmlns=""><a>1</a><b>2</b>'
                    '<note>1 &lt; 2 &amp; more</note></calculator.add.addpayload></message>\n')
        shown = made(place, *XML, "--field", "a=1", "--field", "b=2", "--seed", "1", "-o", "m.xml")
        equal((shown["document"], f"<thread>{shown['defaults']['thread']}</thread>" in shown["document"]), ((place / "m.xml").read_text(), True))
        equal(shown["defaults"], made(place, *XML, "--field", "a=1", "--field", "b=2", "--seed", "1")["defaults"])
        expect(run("check", "--organism", "organism.yaml", "m.xml", cwd=place), 0)


@claim
def a_message_that_would_be_refused_is_not_written():
    with folder(FILES) as top:
        place = pathlib.Path(top)
        for more, code in ((["--field", "a=one", "--field", "b=2"], "XML_FIELD_TYPE"), (["--field", "a=1"], "XML_FIELD_MISSING"),
                           (["--field", "a=1", "--field", "b=2", "--field", "c=3"], "XML_FIELD_UNEXPECTED")):
            shown = made(place, *XML, *more, "-o", "m.xml", code=1)
            equal((code, code in [finding["code"] for finding in shown["findings"]], shown["written"]), (code, True, None))
        whole = ["--field", "a=1", "--field", "b=2"]
        equal(made(place, *XML, *whole, "--client", "stranger", "-o", "m.xml", code=1)["written"], None)
        result = expect(run(*XML, *whole, "--call", "calculator.sub", "-o", "m.xml", cwd=place), 2, err="allowed: calculator.add")
        equal(result.stdout, b"")
        for more in (["--field", "a"], ["--field", "=1"], ["--field", "1x=1"], ["--field", "xmlns=1"], ["--thread", "t1"], ["--organism", "none.yaml"]):
            equal((more, expect(run(*XML, *whole, *more, "-o", "m.xml", cwd=place), 2, err="baton: ").stdout), (more, b""))
        equal((place / "m.xml").exists(), False)


@claim
def an_existing_file_is_never_overwritten():
    with folder({**FILES, "old": "mine"}) as top:
        place = pathlib.Path(top)
        (place / "link").symlink_to("nowhere")
        for words in (CONTRACT, (*XML, "--field", "a=1", "--field", "b=2"), ("new", "plan", "--step", "a=b")):
            for name in ("old", "link", "tools"):
                expect(run(*words, "-o", name, cwd=place), 2, err="exists already")
            expect(run(*words, "-o", f"free-{words[1]}", cwd=place), 0)
        equal((place / "old").read_text(), "mine")


@claim
def all_missing_flags_are_named_at_once():
    with folder(FILES) as top:
        place = pathlib.Path(top)
        for words, missing in ((("universal",), ("source", "target", "summary")), (("contract", "--next", "x"), ("agent-id",)), (("xml",), ("organism", "client", "call"))):
            result = expect(run("new", *words, cwd=place), 2, err=f"baton: new {words[0]} needs --{missing[0]}")
            lines = result.stderr.decode().splitlines()
            equal([line.split()[0] for line in lines[1:-1]], [f"--{name}" for name in missing])
            equal((lines[-1].startswith(f"       example: baton new {words[0]} --"), result.stdout), (True, b""))


@claim
def a_terminal_is_asked_for_each_missing_flag():
    with folder({**FILES, "out": ""}) as top:
        place = pathlib.Path(top)
        code, output = on_terminal_with("planner\nbuilder\nBuild it.\n", "new", "universal", "--stdout", cwd=place)
        equal((code, [output.count(question) for question in (b"--source SKILL, who sends it: ", b"--target SKILL, who receives it: ", b"--summary TEXT, ")]), (0, [1, 1, 1]))
        equal(b'"skill":"builder"' in output.replace(b'": "', b'":"'), True)
        code, output = on_terminal_with("Plan it\n", "new", "contract", "--agent-id", ID, "-o", "block.md", cwd=place)
        equal((code, b"--agent-id ID" in output, b"--next TEXT, what happens next: " in output), (0, False, True))
        equal(body((place / "block.md").read_text())["agent_status"]["next_action"], "Plan it")
        code, output = on_terminal_with("ann=Plan\n", "new", "plan", "-o", "p.steps.csv", cwd=place)
        equal((code, b"--payload" in output), (0, False))


@claim
def an_answer_that_does_not_come_writes_nothing():
    with folder({}) as place:
        for keys in ("\x04", "\n", "planner\n\x04", "planner\nbuilder\n\n"):
            code, output = on_terminal_with(keys, "new", "universal", cwd=place)
            equal((keys, code, b"no answer for --" in output, list(pathlib.Path(place).iterdir())), (keys, 2, True, []))
        code, output = on_terminal_with("planner\n", "new", "universal", "--no-input", cwd=place)
        equal((code, b"new universal needs --source, --target and --summary" in output), (2, True))


finish()
