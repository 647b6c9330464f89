# SPDX-License-Identifier: Apache-2.0
"""test_pump_tools.py BATON - the tools around a pump: init, test, keys, the refusals of send, huhs that are read, and what comes from the original."""
import pathlib
import subprocess
import tempfile

from program import BATON, claim, codes, environment, equal, finish, report, run, until
from pump_place import Place, listener, message, organism, thread

HANDLER = '''import asyncio
import os
from dataclasses import dataclass
from baton import xmlify, HandlerMetadata

@xmlify
@dataclass
class AddPayload:
    a: int
    b: int

async def add(payload: AddPayload, metadata: HandlerMetadata) -> bytes:
    print("thread", metadata.thread_id)
    case = payload.a
    if case == 1:
        raise ValueError("one")
    if case == 2:
        os._exit(3)
    if case == 3:
        await asyncio.sleep(60)
    if case == 4:
        return b"<result>1</result><no.such/>"
    if case == 5:
        return b"sure: <result>5</result>"
    if case == 6:
        return b'<halt xmlns="https://xml-pipeline.org/ns/core/v1"/><result>6</result>'
    if case == 7:
        return b"<result>7"
    if case == 8:
        return None
    return f"<result>{payload.a + payload.b}</result>".encode()

async def talk(payload: AddPayload, metadata: HandlerMetadata) -> bytes:
    return f"<calc.addpayload><a>{payload.a}</a><b>{payload.b}</b></calc.addpayload><thought>{metadata.own_name}</thought>".encode()
'''


def try_one(place, what, *more, code):
    place.write("tools/calc.py", HANDLER)
    result = run("pump", "test", what, *more, "-f", "json", cwd=place.top)
    equal((result.returncode, result.stdout[:1]), (code, b"{" if code < 2 else b""))
    return report(result) if code < 2 else result


def fields(a, b):
    return "--field", f"a={a}", "--field", f"b={b}"


# ---- init and keys ----


@claim
def a_first_organism_passes_and_answers_and_is_never_overwritten():
    with tempfile.TemporaryDirectory() as top:
        made = run("pump", "init", "a b/demo", cwd=top)
        equal((made.returncode, made.stdout.decode()),
              (0, "baton pump check 'a b/demo/organism.yaml'\nbaton pump run 'a b/demo/organism.yaml' --once --in 'a b/demo/hello.xml' --out -\n"))
        checked = run("pump", "check", "a b/demo/organism.yaml", "-f", "json", cwd=top)
        equal((checked.returncode, codes(checked)), (0, []))
        pasted = [subprocess.run(["sh", "-c", line.replace("baton", BATON, 1)], cwd=top, env=environment(), capture_output=True, check=True).stdout
                  for line in made.stdout.decode().splitlines()]  # as a person would paste them
        equal(b'<result xmlns="">hello, world</result>' in pasted[1], True)
        before = (pathlib.Path(top) / "a b/demo/organism.yaml").read_bytes()
        for name in ("organism.yaml", "tools/hello.py", "hello.xml"):
            again = run("pump", "init", "a b/demo", cwd=top)
            equal((again.returncode, b"exists" in again.stderr), (2, True))
            (pathlib.Path(top) / "a b/demo" / name).unlink()
        equal((run("pump", "init", "a b/demo", cwd=top).returncode, (pathlib.Path(top) / "a b/demo/organism.yaml").read_bytes()), (0, before))


@claim
def keys_are_listed_with_the_defaults_that_are_in_force():
    shown = {row["path"]: row for row in report(run("pump", "keys", "-f", "json"))["keys"]}
    equal([shown[path]["default"] for path in ("limits.depth", "listeners[].timeout_seconds", "organism.bind", "listeners[].peers", "oob.enabled", "listeners[].name")],
          [32, 30, "127.0.0.1", [], True, None])
    equal(("required" in shown["listeners[].name"]["rule"], "oob.port" in shown, "gateways[].capabilities[].payload_type" in shown), (True, False, True))
    for prefix, count in (("listeners", None), ("listeners[]", None), ("listeners.name", 1), ("listeners[].name", 1), ("organism.tls", 2), ("limits", 9)):
        rows = report(run("pump", "keys", prefix, "-f", "json"))["keys"]
        equal((len(rows) == count if count else len(rows) > 20, {row["path"].partition("[")[0].partition(".")[0] for row in rows}),
              (True, {prefix.partition("[")[0].partition(".")[0]}))
    for prefix in ("nothing", "listeners[].nam", "list"):
        equal(run("pump", "keys", prefix).returncode, 2)
    equal(b"listeners[].memory_mb  integer, default 1024" in run("pump", "keys").stdout, True)


@claim
def every_hard_finding_about_an_organism_has_a_hint():
    bad = {"organism": {"name": "t", "prot": 1, "port": "x", "": 1}, "clients": [{"name": "A", "may_cal": []}], "oob": {"port": 1, "bindd": 1},
           "listeners": [{"name": "a", "handler": "x", "llm": 1, "fields": {"2": "int", "b": "nope"}, "command": []}], "wholly-else": 1}
    with Place(bad) as place:
        findings = report(run("pump", "check", "organism.yaml", "--no-load", "-f", "json", cwd=place.top))["documents"][0]["findings"]
        equal(([f["code"] for f in findings if not f.get("hint")], len(findings) > 8), ([], True))
        unknown = {f["pointer"]: (f["params"].get("nearest"), f["hint"]) for f in findings if f["code"] == "PUMP_KEY_UNKNOWN"}
        equal(unknown["/organism/prot"], ("port", 'did you mean "port"?'))
        equal(unknown["/clients/0/may_cal"][0], "may_call")
        equal((unknown["/organism/"][0], unknown["/oob/bindd"][0], unknown["/listeners/0/llm"][0], unknown["/wholly-else"][0]), (None, None, None, None))
        equal("baton pump keys" in unknown["/wholly-else"][1], True)


# ---- test ----


@claim
def a_handler_is_called_once_and_nothing_is_recorded():
    with Place() as place:
        shown = try_one(place, "calc", "--payload", "<calc.addpayload><a>10</a><b>3</b></calc.addpayload>", "--thread", thread(7), code=0)
        test = shown["test"]
        equal((test["listener"], test["outcome"], test["result"], test["kind"], test["detail"], shown["findings"]),
              ("calc", "result", "<result>13</result>", None, None, []))
        equal((test["fragments"], test["output"]), ([{"root": "result", "goes": "parent", "to": None, "code": None}],
                                                    [{"listener": "calc", "stream": "stdout", "text": f"thread {thread(7)}"}]))
        equal((pathlib.Path(place.top) / ".baton").exists() or (pathlib.Path(place.top) / "schemas").exists(), False)


@claim
def fields_are_put_in_the_order_of_the_declaration_and_escaped():
    with Place(organism({**listener("calc"), "handler": "tools/calc.py:say"})) as place:
        place.write("tools/calc.py", HANDLER.replace("a: int\n    b: int", "a: str\n    b: str") + '''
async def say(payload: AddPayload, metadata: HandlerMetadata) -> bytes:
    return f"<result>{len(payload.a)}</result>".encode()
''')
        result = run("pump", "test", "calc", "--field", "b=x", "--field", "a=<&>=\"", "-f", "json", cwd=place.top)
        equal((result.returncode, report(result)["test"]["result"]), (0, "<result>5</result>"))


@claim
def every_way_to_fail_has_its_outcome():
    with Place(organism(listener("calc", timeout_seconds=0.5))) as place:
        shown = try_one(place, "calc", *fields(1, 1), code=1)
        equal((shown["test"]["outcome"], shown["test"]["kind"], shown["test"]["detail"], [f["code"] for f in shown["findings"]]),
              ("fail", "exception", "ValueError: one (tools/calc.py:16 in add)", ["PUMP_HANDLER_FAILED"]))
        shown = try_one(place, "calc", *fields(2, 1), code=1)
        equal((shown["test"]["outcome"], shown["test"]["detail"]), ("crashed", "exit 3"))
        shown = try_one(place, "calc", *fields(3, 1), code=1)
        equal((shown["test"]["outcome"], [f["code"] for f in shown["findings"]]), ("timeout", ["PUMP_HANDLER_TIMEOUT"]))
        shown = try_one(place, "calc", *fields(8, 1), code=1)
        equal((shown["test"]["kind"], [f["code"] for f in shown["findings"]]), ("none", ["PUMP_RESULT_NOT_BYTES"]))
        shown = try_one(place, "calc", "--field", "a=1", "--field", "c=1", code=1)
        equal((shown["test"]["outcome"], shown["test"]["result"], sorted(f["code"] for f in shown["findings"])),
              ("refused", None, ["XML_FIELD_MISSING", "XML_FIELD_UNEXPECTED"]))
        shown = try_one(place, "calc", "--payload", "<other.addpayload/>", code=1)
        equal([(f["code"], f["pointer"]) for f in shown["findings"]], [("XML_CAPABILITY_UNKNOWN", "/other.addpayload")])
        shown = try_one(place, "calc", "--payload", "<!DOCTYPE a><a/>", code=1)
        equal([f["code"] for f in shown["findings"]], ["XML_DTD"])


@claim
def a_result_is_judged_as_the_pump_would():
    with Place(organism(listener("calc"), listener("talk", "talk", agent=True, peers=["calc"], replies={"thought": "str"}))) as place:
        shown = try_one(place, "calc", *fields(4, 1), code=1)
        equal([(f["root"], f["goes"], f["code"]) for f in shown["test"]["fragments"]], [("result", "parent", None), ("no.such", "dropped", "PUMP_BLOCKED")])
        equal([(f["code"], f["pointer"], f["listener"]) for f in shown["findings"]], [("PUMP_BLOCKED", "/no.such", "calc")])
        shown = try_one(place, "calc", *fields(5, 1), code=0)
        equal([f["code"] for f in shown["findings"]], ["PUMP_RESULT_REPAIRED"])
        shown = try_one(place, "calc", *fields(6, 1), code=1)
        equal([(f["root"], f["goes"], f["code"]) for f in shown["test"]["fragments"]], [("halt", "parent", None), ("result", "dropped", "PUMP_PRUNED")])
        shown = try_one(place, "calc", *fields(7, 1), code=1)
        equal((shown["test"]["outcome"], shown["test"]["fragments"], [f["code"] for f in shown["findings"]]), ("result", [], ["PUMP_RESULT_SYNTAX"]))
        shown = try_one(place, "talk", *fields(4, 1), code=0)
        equal([(f["goes"], f["to"]) for f in shown["test"]["fragments"]], [("peer", "calc"), ("parent", None)])
        equal("<thought>talk</thought>" in shown["test"]["result"], True)


@claim
def a_handler_needs_no_organism():
    with Place() as place:
        (pathlib.Path(place.top) / "organism.yaml").unlink()
        for payload in (fields(10, 1), ("--payload", "<whatever.addpayload><a>10</a><b>1</b></whatever.addpayload>")):
            shown = try_one(place, "tools/calc.py:add", *payload, code=0)
            equal((shown["test"]["listener"], shown["test"]["result"]), (None, "<result>11</result>"))
        equal(try_one(place, "tools.calc.add", *fields(1, 1), code=1)["test"]["outcome"], "fail")
        equal([f["code"] for f in try_one(place, "tools/calc.py:add", "--payload", "<a.b/>", code=1)["findings"]], ["XML_CAPABILITY_UNKNOWN"])
        for what in ("nosuch", "tools/calc.py:nosuch", "/etc/passwd.py:x", "no/such.py:x"):
            equal(b"baton: " in try_one(place, what, *fields(1, 1), code=2).stderr, True)
        for words in (("tools/calc.py:add",), ("tools/calc.py:add", "--payload", "<a.b/>", *fields(1, 1)), ("tools/calc.py:add", "--field", "nothing"),
                      ("tools/calc.py:add", *fields(1, 1), "--thread", "x")):
            equal(run("pump", "test", *words, cwd=place.top).returncode, 2)


@claim
def only_the_listener_and_its_peers_are_loaded():
    with Place(organism(listener("calc"), {**listener("broken"), "handler": "tools/broken.py:x"})) as place:
        place.write("tools/broken.py", "raise SystemExit(1)\n")
        equal(try_one(place, "calc", *fields(10, 1), code=0)["test"]["result"], "<result>11</result>")
        equal(b"PUMP_HANDLER_LOAD" in try_one(place, "broken", *fields(10, 1), code=2).stderr, True)


# ---- run and send ----


@claim
def every_step_is_logged_with_verbose_and_none_without():
    with Place() as place:
        name = place.write("m.xml", message(1, 2, on=9))
        bad = place.write("bad.xml", message("x", 2, on=8))
        log = run("pump", "run", "organism.yaml", "--once", "--in", name, "--in", bad, "--verbose", "-f", "json", cwd=place.top).stderr.decode()
        steps = [line.split()[2:] for line in log.splitlines() if " ms" in line]
        first = thread(9)[:8]
        equal([step[:4] for step in steps], [["[calc]", "accepted", first, "calc.addpayload"], ["[calc]", "refused", first, "calc.addpayload"],
                                             ["[core]", "delivery", first, "huh"], ["[calc]", "call", first, "calc.addpayload"],
                                             ["[calc]", "result", first, "result"], ["[calc]", "delivery", first, "result"]])
        equal(" ms" in run("pump", "run", "organism.yaml", "--once", "--in", name, "-f", "json", cwd=place.top).stderr.decode(), False)


@claim
def a_huh_is_read_and_its_wire_form_stays():
    with Place() as place:
        place.write("bad.xml", message("x", 2) .replace("</message>", "<!-- \u00e9 --></message>"))
        (pathlib.Path(place.top) / "odd.xml").write_bytes(message(1, 2).encode().replace(b"<a>1", b"<a>\xff"))
        shown = report(run("pump", "run", "organism.yaml", "--once", "--client", "alice", "--in", "bad.xml", "--in", "odd.xml", "-f", "json", cwd=place.top))["pump"]["deliveries"]
        equal([delivery["huh"]["error"] for delivery in shown], ["Invalid payload structure", "Invalid payload structure"])
        equal(("<a>x</a>" in shown[0]["huh"]["attempt"], "\u00e9" in shown[0]["huh"]["attempt"], "<a>\\xff</a>" in shown[1]["huh"]["attempt"]), (True, True, True))
        equal("<original-attempt>" in shown[0]["payload"], True)
        good = place.write("good.xml", message(1, 2, on=2))
        text = run("pump", "run", "organism.yaml", "--once", "--in", "bad.xml", "--in", good, cwd=place.top).stdout.decode()
        equal(("huh: Invalid payload structure\n    <message" in text, "<result>3</result>" in text, "original-attempt" in text), (True, True, False))
        taken = run("pump", "run", "organism.yaml", "--once", "--out", "-", cwd=place.top)  # what was only listed still waits
        equal((taken.stdout.count(b"<result"), taken.stdout.count(b"<huh")), (1, 1))


@claim
def a_refused_message_is_told_with_its_reason():
    with Place() as place:
        typed = place.write("typed.xml", message("x", 2))
        nobody = place.write("nobody.xml", message(1, 2, sender="nobody"))
        good = place.write("good.xml", message(1, 2))
        result = run("pump", "send", "--in", typed, "--in", nobody, "--in", good, cwd=place.top)
        lines = result.stderr.decode().splitlines()
        equal((result.returncode, lines[0], "XML_FIELD_TYPE" in lines[1], lines[2], "XML_FROM_UNKNOWN" in lines[3], len(lines)),
              (1, "baton: typed.xml: refused: Invalid payload structure", True, "baton: nobody.xml: refused, and no reason is given to this sender", True, 4))
        shown = report(run("pump", "send", "--in", typed, "--in", good, "-f", "json", cwd=place.top))["messages"]
        equal(([f["code"] for f in shown[0]["findings"]], "findings" in shown[1]), (["XML_FIELD_TYPE"], False))
        with place.pump():
            result = run("pump", "send", "--in", typed, "-f", "json", cwd=place.top)
            equal((report(result)["mode"], "findings" in report(result)["messages"][0], result.stderr), ("sent", False, b"baton: typed.xml: refused: Invalid payload structure\n"))


# ---- From the original ----

ORIGINAL = '''from xmlable import xmlify
from third_party.xmlable import xmlify as again
from dataclasses import dataclass
from xml_pipeline import Listener, HandlerMetadata
from agentserver.message_bus.message_state import HandlerMetadata as A
from xml_pipeline.message_bus.message_state import HandlerMetadata as B
import xml_pipeline.message_bus

assert again is xmlify and A is B is HandlerMetadata
for name, word in (("HandlerResponse", "bytes"), ("Nothing", "Nothing")):
    try:
        exec(f"from xml_pipeline import {name}")
    except ImportError as error:
        assert word in str(error), error
    else:
        raise AssertionError(name)
try:
    Listener(name="x")
except RuntimeError as error:
    assert str(error) == "listeners are declared in organism.yaml"
else:
    raise AssertionError("Listener")

@xmlify
@dataclass
class AddPayload:
    a: int = 0
    b: int = 0

async def add(payload: AddPayload, metadata: HandlerMetadata) -> bytes:
    return f"<result>{payload.a * payload.b}</result>".encode("utf-8")
'''


@claim
def handlers_of_the_original_load_with_their_own_imports():
    with Place() as place:
        place.write("tools/calc.py", ORIGINAL)
        result = run("pump", "test", "calc", *fields(6, 7), "-f", "json", cwd=place.top)
        equal((result.returncode, result.stderr, report(result)["test"]["result"]), (0, b"", "<result>42</result>"))
        place.write("tools/xmlable.py", "from baton import xmlify as _x\ndef xmlify(c):\n    print('own')\n    return _x(c)\n")
        place.write("tools/calc.py", ORIGINAL.replace("again is xmlify and ", ""))
        result = run("pump", "test", "calc", *fields(6, 7), cwd=place.top)
        equal((result.returncode, b"[calc] own" in result.stderr), (0, True))


OLD = '''organism:
  name: "Swarm-01"
  port: 8765
oob: {enabled: true, bind: "127.0.0.1", port: 8766}
thread_scheduling: "breadth-first"
listeners:
  - name: add
    payload_class: examples.calculator:AddPayload
    handler: examples.calculator:add_handler
    description: "Adds: two integers."
    cpu_bound: true
    odd_key: {deep: 1}
  - name: researcher
    payload_class: agents.researcher.ResearchPayload
    handler: agents/researcher.py:research_handler
    description: "Reasons."
    agent: true
    peers: [add, WEB]
    prompt: |
      Be brief.

        Indented, and "quoted".
  - {name: search.one, payload_class: s.Payload, handler: s.one, description: One., broadcast: true}
  - {name: search.two, payload_class: s.Payload, handler: s.two, description: Two., broadcast: true, result: int}
  - {name: lone.one, payload_class: s.Payload, handler: s.three, description: Three., broadcast: true}
gateways:
  - {name: web, remote_url: "wss://node.example", trusted_identity: k.pub}
llm: {strategy: failover}
'''


@claim
def an_organism_of_the_original_becomes_one_of_ours():
    with tempfile.TemporaryDirectory() as top:
        old = pathlib.Path(top) / "old.yaml"
        old.write_text(OLD)
        result = run("convert", "--to", "organism", "old.yaml", "-o", "organism.yaml", "-f", "json", cwd=top)
        document = report(result)["documents"][0]
        left = {(row["pointer"], row["reason"]) for row in document["facts"]["not_carried"]}
        equal((result.returncode, document["outcome"], left), (0, "converted", {
            ("/oob/bind", "unix_socket_only"), ("/oob/port", "unix_socket_only"), ("/listeners/0/cpu_bound", "not_here"), ("/listeners/0/odd_key", "unknown"),
            ("/listeners/1/peers/1", "other_protocol"), ("/listeners/4/broadcast", "no_group"), ("/gateways/0", "other_protocol"), ("/llm", "not_here")}))
        equal({f["pointer"] for f in document["findings"] if f["code"] == "NOT_CARRIED"}, {pointer for pointer, _ in left})
        equal({"from": "/listeners/2/broadcast", "to": "/listeners/2/group"} in document["facts"]["carried"], True)
        equal((pathlib.Path(top) / "organism.yaml").read_text(), '''organism:
  name: "Swarm-01"
  port: 8765
oob:
  enabled: true
thread_scheduling: "breadth-first"
clients:
  - name: console
    may_call: ["*"]
listeners:
  - name: add
    payload_class: examples.calculator.AddPayload
    handler: examples.calculator.add_handler
    description: "Adds: two integers."
    result: any
  - name: researcher
    payload_class: agents.researcher.ResearchPayload
    handler: "agents/researcher.py:research_handler"
    description: "Reasons."
    agent: true
    peers: ["add"]
    prompt: |
      Be brief.

        Indented, and "quoted".
    result: any
  - name: search.one
    payload_class: s.Payload
    handler: s.one
    description: One.
    group: search
    result: any
  - name: search.two
    payload_class: s.Payload
    handler: s.two
    description: Two.
    group: search
    result: int
  - name: lone.one
    payload_class: s.Payload
    handler: s.three
    description: Three.
    result: any
''')
        again = run("convert", "--to", "organism", "organism.yaml", "-f", "json", cwd=top)
        equal((again.returncode, report(again)["documents"][0]["outcome"]), (0, "unchanged"))
        same = run("convert", "--to", "organism", "organism.yaml", cwd=top)
        equal(same.stdout, (pathlib.Path(top) / "organism.yaml").read_bytes())
        strict = run("convert", "--to", "organism", "old.yaml", "--strict", "-o", "other.yaml", "-f", "json", cwd=top)
        equal((strict.returncode, (pathlib.Path(top) / "other.yaml").exists()), (1, False))


@claim
def what_cannot_become_an_organism_is_told_and_not_written():
    with tempfile.TemporaryDirectory() as top:
        for text, code in (("a: [", "YAML_SYNTAX"), ("", "YAML_SYNTAX"), ("organism: {name: x}\nlisteners: [{name: a, handler: m.f, payload_class: P}]\n", "PUMP_DESCRIPTION_MISSING"),
                           ("organism: {name: x}\nlisteners: [3]\n", "PUMP_KEY_TYPE"), ("listeners: []\nodd: 1\n", "PUMP_KEY_MISSING")):
            (pathlib.Path(top) / "old.yaml").write_text(text)
            result = run("convert", "--to", "organism", "old.yaml", "-o", "new.yaml", "-f", "json", cwd=top)
            equal((result.returncode, code in codes(result), report(result)["documents"][0]["outcome"], (pathlib.Path(top) / "new.yaml").exists()), (1, True, "escalated", False))


finish()
