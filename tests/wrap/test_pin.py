# SPDX-License-Identifier: Apache-2.0
"""test_pin.py BATON - baton wrap pin and baton wrap diff: what is written, what is found, and what is refused."""
import copy
import hashlib
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import BATON, claim, environment, equal, expect, finish, folder, report, run, until  # noqa: E402

SERVER = [sys.executable, str(pathlib.Path(__file__).parent / "lister.py")]
TOOL = {"name": "pay", "title": "Pay", "description": "Pay an invoice.",
        "inputSchema": {"type": "object", "properties": {"invoice": {"type": "string"}}, "required": ["invoice"]},
        "outputSchema": {"type": "object", "properties": {"paid": {"type": "boolean"}}, "required": ["paid"]},
        "annotations": {"destructiveHint": True}, "execution": {"taskSupport": "optional"}, "_meta": {"ui": "app://x"}, "x-later": [1]}


def show(place, **shown):
    pathlib.Path(place, "shown.json").write_text(json.dumps(shown), encoding="utf-8")


def pin(place, *flags, code=0, err=None):
    return expect(run("wrap", "pin", "--name", "s", *flags, "-f", "json", "--", *SERVER, cwd=place), code, err=err)


def diff(place, code, *flags):
    return report(expect(run("wrap", "diff", "--name", "s", *flags, "-f", "json", "--", *SERVER, cwd=place), code))["documents"][0]


def lock(place):
    return json.loads(pathlib.Path(place, "baton.mcp.lock").read_text(encoding="utf-8"))


def found(document):
    return [(finding["code"], finding["pointer"]) for finding in document["findings"]]


@claim
def every_member_of_a_definition_counts_and_icons_do_not():
    with folder({}) as place:
        show(place, tools=[TOOL])
        pin(place)
        equal(diff(place, 0)["facts"], {"same": 1, "changed": 0, "added": 0, "removed": 0})
        show(place, tools=[{**TOOL, "icons": [{"src": "https://example.org/i.png"}]}])
        equal(diff(place, 0)["findings"], [])
        for member in [name for name in TOOL if name != "name"] + ["new"]:
            changed = copy.deepcopy(TOOL)
            changed[member] = {"changed": True}
            show(place, tools=[changed])
            finding = diff(place, 1)["findings"][0]
            equal((finding["code"], finding["severity"], finding["pointer"], finding["params"]["members"]),
                  ("WRAP_PIN_CHANGED", "HARD", "/tools/pay", [member]))
            changed.pop(member)
            show(place, tools=[changed])
            equal(diff(place, 0 if member == "new" else 1)["facts"]["changed"], 0 if member == "new" else 1)


@claim
def a_changed_schema_has_a_verdict_and_a_counterexample():
    rows = (({"required": ["invoice", "account"], "properties": {"invoice": {"type": "string"}, "account": {"type": "string"}}}, "incompatible", "incompatible"),
            ({"required": [], "properties": {"invoice": {"type": "string"}}}, "compatible", "incompatible"),
            ({"required": ["invoice"], "properties": {"invoice": {"type": "string", "maxLength": 3}}}, "incompatible", "compatible"),
            ({"required": ["invoice"], "properties": {"invoice": {"type": "string", "title": "I"}}}, "compatible", "compatible"),
            ({"$ref": "https://example.org/none"}, "undecided", "undecided"), ({"type": "nonsense"}, "undecided", "undecided"))
    with folder({}) as place:
        show(place, tools=[TOOL])
        pin(place)
        for members, backward, forward in rows:
            changed = {**TOOL, "inputSchema": {"type": "object", **members}}
            show(place, tools=[changed])
            told = diff(place, 1)["findings"][0]["params"]["input"]
            equal((told["backward"], told["forward"]), (backward, forward))
            equal(sorted(told["counterexamples"]), [name for name, answer in (("backward", backward), ("forward", forward)) if answer == "incompatible"])


@claim
def words_annotations_and_instructions_are_told():
    with folder({}) as place:
        show(place, tools=[TOOL], instructions="Be brief.")
        pin(place)
        show(place, tools=[{**TOOL, "description": "Pay an invoice now.", "annotations": {"readOnlyHint": True}}], instructions="Be long.")
        document = diff(place, 1)
        told = {finding["pointer"]: finding["params"] for finding in document["findings"]}
        equal(told["/tools/pay"]["text"], {"description": {"removed": ["invoice."], "added": ["invoice now."]}})
        equal(told["/tools/pay"]["annotations"], {"destructiveHint": [True, None], "readOnlyHint": [None, True]})
        equal(told["/instructions"]["text"], {"instructions": {"removed": ["brief."], "added": ["long."]}})
        message = next(finding["message"] for finding in document["findings"] if finding["pointer"] == "/tools/pay")
        equal(message, "pay changed: description, destructiveHint true to absent, readOnlyHint absent to true")


@claim
def added_removed_and_renamed_tools_are_told_apart():
    with folder({}) as place:
        other = {**TOOL, "name": "other", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}
        show(place, tools=[TOOL, other])
        pin(place)
        show(place, tools=[{**TOOL, "name": "pay_v2", "title": "New"}, other])
        document = diff(place, 1)
        equal(sorted(found(document)), [("WRAP_PIN_ADDED", "/tools/pay_v2"), ("WRAP_PIN_REMOVED", "/tools/pay")])
        equal(next(finding["params"]["renamed_from"] for finding in document["findings"] if finding["code"] == "WRAP_PIN_ADDED"), "pay")
        show(place, tools=[{**TOOL, "name": "pay_v2", "description": "Something else."}, other])
        equal(diff(place, 1)["findings"][0]["params"]["renamed_from"], "pay")  # the same schemas
        show(place, tools=[TOOL, other, {"name": "fresh", "inputSchema": {"type": "object"}}])
        equal("renamed_from" in diff(place, 1)["findings"][0]["params"], False)


@claim
def two_definitions_of_one_name_are_not_pinned():
    with folder({}) as place:
        show(place, tools=[TOOL, {**TOOL, "description": "Another."}], page=1)
        document = report(pin(place, code=1))["documents"][0]
        equal((found(document), document["verdict"], document["facts"]["written"]), ([("WRAP_NAME_DUPLICATE", "/tools/pay")], "rejected", False))
        equal(pathlib.Path(place, "baton.mcp.lock").exists(), False)


@claim
def prompts_templates_and_pages_are_pinned_and_resources_on_request():
    with folder({}) as place:
        tools = [{"name": f"t{number}", "inputSchema": {"type": "object"}} for number in range(7)]
        show(place, tools=tools, page=2, prompts=[{"name": "p"}], templates=[{"uriTemplate": "x://{a}", "name": "t"}], resources=[{"uri": "x://r", "name": "r"}])
        pin(place)
        entry = lock(place)["servers"]["s"]
        equal((sorted(entry["tools"]), list(entry["prompts"]), list(entry["resource_templates"]), entry["resources"]),
              ([f"t{number}" for number in range(7)], ["p"], ["x://{a}"], None))
        pin(place, "--resources")
        equal(list(lock(place)["servers"]["s"]["resources"]), ["x://r"])
        show(place, tools=tools, page=3, prompts=[{"name": "p"}], templates=[{"uriTemplate": "x://{a}", "name": "t"}], resources=[])
        for flags in ((), ("--resources",)):  # the lock has resources, so they are compared
            equal(found(diff(place, 1, *flags)), [("WRAP_PIN_REMOVED", "/resources/x:~1~1r")])
        pin(place)  # the control: it has none now
        show(place, tools=tools, prompts=[{"name": "p"}], templates=[{"uriTemplate": "x://{a}", "name": "t"}], resources=[{"uri": "x://s", "name": "s"}])
        equal(found(diff(place, 0, "--resources")), [])


@claim
def both_eras_give_the_same_lock():
    locks = []
    for modern in (False, True):
        with folder({}) as place:
            show(place, tools=[TOOL], instructions="Be brief.", modern=modern)
            pin(place)
            locks.append(lock(place)["servers"]["s"])
            expect(run("wrap", "pin", "--name", "s", "--era", "legacy", "--", *SERVER, cwd=place), 2 if modern else 0, err="an error" if modern else None)
    equal(locks[0], locks[1])


@claim
def what_the_server_asks_is_declined():
    with folder({}) as place:
        show(place, tools=[TOOL], asks=True)
        pin(place)
        answers = [json.loads(line) for line in pathlib.Path(place, "answers").read_text(encoding="utf-8").splitlines()]
        equal([(answer["id"], answer.get("result"), answer.get("error", {}).get("code")) for answer in answers[:5]],
              [(0, {"roots": []}, None), (1, {"action": "decline"}, None), (2, None, -1), (3, {}, None), (4, None, -32601)])


@claim
def a_server_that_cannot_be_asked_is_an_error_and_nothing_is_written():
    for shown, told in (({"unstable": True}, "another list each time"), ({"broken": True}, "with an error")):
        with folder({}) as place:
            show(place, tools=[TOOL], **shown)
            pin(place, code=2, err=told)
            equal(pathlib.Path(place, "baton.mcp.lock").exists(), False)


@claim
def the_lock_keeps_other_servers_and_comes_out_the_same():
    with folder({}) as place:
        show(place, tools=[TOOL])
        pin(place)
        expect(run("wrap", "pin", "--name", "a", "--", *SERVER, cwd=place), 0)
        before = pathlib.Path(place, "baton.mcp.lock").read_bytes()
        stamp = pathlib.Path(place, "baton.mcp.lock").stat().st_mtime_ns
        pin(place)
        equal(pathlib.Path(place, "baton.mcp.lock").read_bytes(), before)
        equal(pathlib.Path(place, "baton.mcp.lock").stat().st_mtime_ns, stamp)
        equal(list(lock(place)["servers"]), ["a", "s"])
        equal(before.decode(), json.dumps(json.loads(before), indent=2, sort_keys=True, ensure_ascii=False) + "\n")


@claim
def a_lock_that_somebody_edited_is_not_used():
    with folder({}) as place:
        show(place, tools=[TOOL])
        pin(place)
        path = pathlib.Path(place, "baton.mcp.lock")
        good = path.read_text(encoding="utf-8")
        path.write_text(good.replace("Pay an invoice.", "Pay any invoice."), encoding="utf-8")
        pin(place, code=2, err="WRAP_LOCK_DIGEST")
        equal(("WRAP_LOCK_DIGEST", "/tools/pay") in found(diff(place, 1)), True)
        for text, told in (("{", "not JSON"), ('{"baton_mcp_lock":1}', "form of a lock"), (good.replace('"baton_mcp_lock": 1', '"baton_mcp_lock": 2'), "form of a lock")):
            path.write_text(text, encoding="utf-8")
            pin(place, code=2, err=told)
            expect(run("wrap", "diff", "--name", "s", "--", *SERVER, cwd=place), 2, err=told)
        path.unlink()
        expect(run("wrap", "diff", "--name", "s", "--", *SERVER, cwd=place), 2, err="the lock does not exist")


@claim
def pin_tool_takes_over_what_is_named():
    with folder({}) as place:
        other = {"name": "other", "inputSchema": {"type": "object"}}
        show(place, tools=[TOOL, other])
        pin(place, "--tool", "pay", code=2, err="pin all of it first")
        pin(place)
        show(place, tools=[{**TOOL, "description": "New."}, {"name": "fresh", "inputSchema": {"type": "object"}}])
        pin(place, "--tool", "pay", "--tool", "fresh")
        tools = lock(place)["servers"]["s"]["tools"]
        equal((tools["pay"]["definition"]["description"], sorted(tools)), ("New.", ["fresh", "other", "pay"]))
        pin(place, "--tool", "other")
        equal(sorted(lock(place)["servers"]["s"]["tools"]), ["fresh", "pay"])
        pin(place, "--tool", "nobody", code=2, err="neither the server nor the lock")


@claim
def another_command_or_version_is_a_warning():
    with folder({}) as place:
        show(place, tools=[TOOL])
        pin(place)
        show(place, tools=[TOOL], version="2")
        document = diff(place, 0)
        equal([(finding["code"], finding["severity"], finding["params"]) for finding in document["findings"]],
              [("WRAP_PIN_COMMAND", "WARN", {"what": "version", "old": "1", "new": "2"})])
        result = report(expect(run("wrap", "diff", "--name", "s", "-f", "json", "--", *SERVER, "more", cwd=place), 0))
        equal([finding["params"]["what"] for finding in result["documents"][0]["findings"]], ["command", "version"])


@claim
def a_secret_in_the_command_does_not_reach_the_lock():
    with folder({}) as place:
        show(place, tools=[TOOL])
        digests = []
        for secret in ("ghp_" + "a" * 36, "ghp_" + "b" * 36, "plain"):
            expect(run("wrap", "pin", "--name", "s", "--", *SERVER, secret, cwd=place), 0)
            text = pathlib.Path(place, "baton.mcp.lock").read_text(encoding="utf-8")
            equal(secret in text, False)
            digests.append(json.loads(text)["servers"]["s"]["command_sha256"])
        equal((digests[0] == digests[1], digests[0] == digests[2]), (True, False))


@claim
def a_server_that_ends_before_it_answers_is_told_with_its_end():
    with folder({"deaf.sh": "exec 1>&-\nsleep 60\n"}) as place:
        for command, told in ((["/bin/true"], "ended with status 0"), (["/bin/sh", "-c", "exit 3"], "ended with status 3"),
                              (["/bin/sh", "-c", "kill -9 $$"], "ended with signal 9"), (["/bin/sh", "deaf.sh"], "is its command an MCP server")):
            equal(told in expect(run("wrap", "pin", "--", *command, cwd=place), 2, err="").stderr.decode(), True)
        equal(b"no connection" in expect(run("wrap", "pin", "--upstream", "http://127.0.0.1:1/", cwd=place), 2, err="").stderr, True)
        equal(pathlib.Path(place, "baton.mcp.lock").exists(), False)


@claim
def one_of_two_definitions_is_not_pinned_by_its_name():
    with folder({}) as place:
        show(place, tools=[TOOL])
        pin(place)
        before = lock(place)
        show(place, tools=[{**TOOL, "title": "Other"}, {**TOOL, "title": "Third"}])
        document = report(pin(place, "--tool", "pay", code=1))["documents"][0]
        equal(("WRAP_NAME_DUPLICATE", "/tools/pay") in found(document), True)
        equal(lock(place), before)


@claim
def what_others_write_into_the_lock_meanwhile_stays():
    with folder({}) as place:
        show(place, tools=[TOOL])
        pin(place)
        entry = lock(place)["servers"]["s"]
        entry["server"]["title"] = "a member of later versions"
        pathlib.Path(place, "baton.mcp.lock").write_text(json.dumps({"baton_mcp_lock": 1, "servers": {"old": entry}}), encoding="utf-8")
        names = [f"s{number}" for number in range(6)]
        started = [subprocess.Popen([BATON, "wrap", "pin", "--name", name, "--", *SERVER], cwd=place, env=environment(), stdout=subprocess.DEVNULL) for name in names]
        equal([process.wait(60) for process in started], [0] * 6)
        equal(sorted(lock(place)["servers"]), ["old", *names])
        equal(lock(place)["servers"]["old"], entry)


@claim
def servers_pinned_at_their_first_use_do_not_lose_each_other():
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "lab", "version": "1"}}}
    said = [hello, {"jsonrpc": "2.0", "method": "notifications/initialized"}, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}]
    with folder({"rules.json": json.dumps({"wrap": {"pin": {"first_use": True}}})}) as place:
        show(place, tools=[TOOL])
        names = [f"s{number}" for number in range(6)]
        started = [subprocess.Popen([BATON, "wrap", "--config", "rules.json", "--quiet", "--name", name, "--", *SERVER], cwd=place, env=environment(),
                                    stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) for name in names]
        for process in started:
            process.stdin.write(b"".join(json.dumps(message).encode() + b"\n" for message in said))
            process.stdin.flush()
        until(lambda: pathlib.Path(place, "baton.mcp.lock").exists() and sorted(lock(place)["servers"]) == names, "all entries")
        for process in started:
            process.stdin.close()
        equal([process.wait(60) for process in started], [0] * 6)


@claim
def a_program_is_found_in_the_folder_where_it_runs():
    servers = {"a": {"cwd": "sub", "command": ["./run.sh"]}, "b": {"cwd": "sub", "command": ["sh", "run.sh"]}}
    script = f"#!/bin/sh\nexec {SERVER[0]} {SERVER[1]}\n"
    with folder({"c.json": json.dumps({"wrap": {"servers": servers}}), "sub/run.sh": script, "sub/shown.json": json.dumps({"tools": [TOOL]})}) as place:
        pathlib.Path(place, "sub/run.sh").chmod(0o755)
        for name in servers:
            expect(run("wrap", "pin", "--config", "c.json", name, cwd=place), 0)
            equal(lock(place)["servers"][name]["program"], {"path": "sub/run.sh", "sha256": hashlib.sha256(script.encode()).hexdigest()})


sys.exit(finish())
