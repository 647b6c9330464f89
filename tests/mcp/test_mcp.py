# SPDX-License-Identifier: Apache-2.0
"""test_mcp.py BATON - baton mcp: two eras, tools, resources, prompts, and clients that make mistakes."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from handoffs import handoff  # noqa: E402
from mcp_client import META, ask, call, old, one, opening, talk, tool  # noqa: E402
from program import claim, equal, expect, finish, folder, report, run  # noqa: E402

PARSE, REQUEST, METHOD, PARAMS, VERSION = -32700, -32600, -32601, -32602, -32022


def code(answer):
    return answer["error"]["code"]


@claim
def what_is_no_message_is_refused_and_the_conversation_goes_on():
    for line, expected, number in (
            ("{", PARSE, None), ("\"x\"", REQUEST, None), ("[]", REQUEST, None), ("5", REQUEST, None),
            ('{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', PARSE, None),
            (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', PARSE, None),
            ('{"id":1,"method":"ping"}', REQUEST, 1), ('{"jsonrpc":"1.0","id":1,"method":"ping"}', REQUEST, 1),
            ('{"jsonrpc":"2.0","id":1}', REQUEST, 1), ('{"jsonrpc":"2.0","id":1,"method":5}', REQUEST, 1),
            ('{"jsonrpc":"2.0","id":null,"method":"ping"}', REQUEST, None), ('{"jsonrpc":"2.0","id":true,"method":"ping"}', REQUEST, None),
            ('{"jsonrpc":"2.0","id":1.5,"method":"ping"}', REQUEST, None), ('{"jsonrpc":"2.0","id":{},"method":"ping"}', REQUEST, None)):
        first, second = talk(line, ask("server/discover", number="after"))
        equal((line, code(first), first.get("id")), (line, expected, number))
        equal(second["id"], "after")


@claim
def notifications_responses_and_blank_lines_are_not_answered():
    equal(talk("", "   ", '{"jsonrpc":"2.0","method":"notifications/whatever"}', '{"jsonrpc":"2.0","id":"baton-9","result":{}}',
               '{"jsonrpc":"2.0","id":4,"error":{"code":1,"message":""}}', '{"jsonrpc":"2.0","method":"tools/list"}'), [])


@claim
def the_last_line_needs_no_end_and_a_carriage_return_is_dropped():
    line = json.dumps(ask("server/discover"))
    for text in (line, line + "\r\n", "\n\n" + line + "\n"):
        result = expect(run("mcp", stdin=text), 0)
        equal(json.loads(result.stdout)["id"], 1)


@claim
def a_line_that_is_too_long_is_refused_and_skipped():
    long = b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (32 << 20) + b'"}\n'
    lines = expect(run("mcp", stdin=long + json.dumps(ask("server/discover", number=2)).encode()), 0).stdout.splitlines()
    equal([(answer.get("id"), "error" in answer) for answer in map(json.loads, lines)], [(None, True), (2, False)])
    equal(code(json.loads(lines[0])), REQUEST)


@claim
def a_modern_request_says_its_version_and_what_its_client_can_do():
    version, capabilities = META
    for meta, missing in (({}, [version, capabilities]), ({version: 5, capabilities: {}}, [version]),
                          ({version: "2026-07-28", capabilities: []}, [capabilities])):
        answer = one(ask("server/discover", meta=meta))
        equal((code(answer), answer["error"]["data"]["missing"]), (PARAMS, missing))
    everything = ["2026-07-28", "2025-11-25", "2025-06-18"]
    for asked, supported in (("2031-01-01", everything), ("", everything), ("2025-11-25", everything[:1]), ("2025-06-18", everything[:1])):
        answer = one(ask("server/discover", meta={**META, version: asked}))
        equal((code(answer), answer["error"]["data"]), (VERSION, {"supported": supported, "requested": asked}))
    for method in ("initialize", "ping", "logging/setLevel", "resources/subscribe", "no/such"):
        equal((method, code(one(ask(method)))), (method, METHOD))


@claim
def the_version_is_judged_before_the_method_and_the_metadata_before_the_version():
    version = "io.modelcontextprotocol/protocolVersion"
    equal(code(one(ask("no/such", meta={**META, version: "1999-01-01"}))), VERSION)
    equal(code(one(ask("no/such", meta={version: "1999-01-01"}))), PARAMS)


@claim
def a_legacy_client_gets_its_version_or_the_newest_legacy_one():
    for asked, given in (("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"), ("2024-11-05", "2025-11-25"), ("x", "2025-11-25")):
        result = one(opening(asked))["result"]
        equal(result["protocolVersion"], given)
        equal(list(result), ["protocolVersion", "capabilities", "serverInfo"])
    equal(code(one(old("initialize", {}))), PARAMS)
    first, second = talk(opening(), opening())
    equal((("result" in first), code(second)), (True, REQUEST))


@claim
def legacy_results_have_no_modern_members():
    methods = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
    answers = talk(opening(), *(old(method, {}, index) for index, method in enumerate(methods)), old("ping"),
                   old("resources/read", {"uri": "baton://rules"}), old("server/discover", {}))
    for answer in answers[1:-1]:
        equal({"resultType", "ttlMs", "cacheScope", "_meta"} & set(answer["result"]), set())
    equal(answers[-3]["result"], {})
    equal(code(answers[-1]), METHOD)


@claim
def both_eras_are_served_in_one_conversation():
    first, second, third = talk(opening(), ask("tools/list", number=2), old("tools/list", {}, 3))
    equal((first["id"], second["result"]["resultType"], "resultType" in third["result"]), (0, "complete", False))


@claim
def lists_have_one_page():
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
        equal(code(one(ask(method, {"cursor": "x"}))), PARAMS)


@claim
def results_say_how_long_they_may_be_kept():
    for message, kept in ((ask("tools/list"), (300000, "private")), (ask("resources/list"), (300000, "private")),
                          (ask("prompts/list"), (300000, "private")), (ask("resources/templates/list"), (300000, "public")),
                          (ask("resources/read", {"uri": "baton://rules"}), (3600000, "public")),
                          (ask("server/discover"), (3600000, "public"))):
        result = one(message)["result"]
        equal((result["ttlMs"], result["cacheScope"]), kept)


@claim
def every_tool_has_closed_schemas_that_compile_and_hints():
    for item in one(ask("tools/list"))["result"]["tools"]:
        equal((item["inputSchema"]["type"], item["inputSchema"]["additionalProperties"]), ("object", False))
        equal(set(item["inputSchema"].get("required", [])) <= set(item["inputSchema"]["properties"]), True)
        equal(item["annotations"], {"readOnlyHint": True, "destructiveHint": False})
        for name in ("inputSchema", "outputSchema"):
            expect(run("schema", "check", "-", stdin=json.dumps(item[name])), 0)


@claim
def what_is_no_call_is_an_error_of_the_protocol():
    for params in ({}, {"name": 5}, {"name": "nope", "arguments": {}}, {"name": "check_handoff", "arguments": []},
                   {"name": "submit_handoff", "arguments": {"document": "{}"}}):
        equal((params, code(one(ask("tools/call", params)))), (params, PARAMS))


@claim
def a_root_that_is_not_there_ends_the_start():
    expect(run("mcp", "--root", "not-there"), 2, out="", err="not-there")


@claim
def arguments_that_do_not_fit_are_told_to_the_model():
    for arguments, words in (({}, "SCHEMA_REQUIRED"), ({"document": 5}, 'SCHEMA_TYPE at "/document"'),
                             ({"document": "{}", "x": 1}, 'SCHEMA_ADDITIONAL_PROPERTIES at "/x"'),
                             ({"document": "{}", "dialect": "klingon"}, "dialect"), ({"document": "hello"}, "dialect"),
                             ({"document": "{}", "dialect": "json", "options": {"fly": 1}}, "/options/fly: unknown option"),
                             ({"document": "{}", "dialect": "json", "options": {"budget": "x"}}, "/options/budget"),
                             ({"document": "{}", "dialect": "json", "options": {"root": "x"}}, "root"),
                             ({"document": "{}", "dialect": "contract", "input": {"project_knowledge": 5}}, "/input")):
        result = tool("check_handoff", arguments)
        equal((arguments, result["isError"], "structuredContent" in result), (arguments, True, False))
        equal((words, words in result["content"][0]["text"]), (words, True))
    for name, arguments, words in (("compress_handoff", {"document": "{}", "tokens": "x"}, "at /tokens:"), ("audit_plan", {"plan": "x", "today": "x"}, "at /today:")):
        equal((words, words in tool(name, arguments)["content"][0]["text"]), (words, True))


@claim
def a_check_is_the_check_of_the_command_line():
    text = json.dumps(handoff())
    with folder({"document": text}) as place:
        for now in ("2026-04-14T09:00:00Z", "2031-01-01T00:00:00Z"):
            said = report(run("check", "document", "--as", "universal", "-f", "json", "--no-refs", "--now", now, cwd=place))
            result = tool("check_handoff", {"document": text, "dialect": "universal"}, flags=["--now", now])
            equal(result["structuredContent"], said)
            equal(json.loads(result["content"][0]["text"]), said)
            pinned = tool("check_handoff", {"document": text, "dialect": "universal", "options": {"now": now}})
            equal(pinned["structuredContent"], said)


@claim
def options_of_a_check_are_obeyed():
    text = json.dumps(handoff())
    low = tool("check_handoff", {"document": text, "options": {"budget": 10}})["structuredContent"]
    equal("TOKENS_OVER_BUDGET" in [finding["code"] for finding in low["documents"][0]["findings"]], True)
    named = tool("check_handoff", {"document": text, "path": "handoffs/a-to-b.json"})["structuredContent"]
    equal(named["documents"][0]["path"], "handoffs/a-to-b.json")


@claim
def governed_handoffs_are_judged_without_a_root_by_their_structure_and_never_mended():
    document = {"handoff_id": "x", "source_agent": {}}
    with folder({"document": json.dumps(document)}) as place:
        said = report(run("check", "document", "--as", "governed", "--structure-only", "-f", "json", cwd=place))
    shown = tool("check_handoff", {"document": json.dumps(document), "dialect": "governed"})["structuredContent"]
    equal(shown, said)
    same = tool("check_handoff", {"document": json.dumps(document), "options": {"structure_only": True}})["structuredContent"]
    equal(same["documents"][0]["findings"], said["documents"][0]["findings"])
    mended = tool("repair_handoff", {"document": json.dumps(document), "dialect": "governed"})["structuredContent"]
    equal(mended["documents"][0]["outcome"], "escalated")


@claim
def the_other_tools_answer_as_their_commands_do():
    text = json.dumps(handoff())
    with folder({"document": text}) as place:
        said = report(run("repair", "document", "-f", "json", "--no-refs", cwd=place))
    mended = tool("repair_handoff", {"document": text})["structuredContent"]
    equal(mended["documents"][0]["findings"], said["documents"][0]["findings"])
    equal(mended["documents"][0]["outcome"], said["documents"][0]["outcome"])
    equal(tool("compress_handoff", {"document": text})["structuredContent"]["documents"][0]["outcome"], "unchanged")
    equal(tool("convert_handoff", {"document": text})["structuredContent"]["documents"][0]["outcome"], "unchanged")
    equal(tool("count_tokens", {"text": "hello world"})["structuredContent"],
          {"baton": 1, "tokens": {"encoding": "o200k_base", "exact": 2, "estimate": 2, "bytes": 11}})
    equal(tool("count_tokens", {"text": "x", "encoding": "no"})["isError"], True)
    equal(tool("explain_code", {"code": "JSON_SYNTAX"})["structuredContent"],
          report(run("explain", "JSON_SYNTAX", "-f", "json")))
    plan = "step_id,description,status\n1,a,pending\n"
    equal("audit" in tool("audit_plan", {"plan": plan})["structuredContent"], True)


@claim
def payloads_are_judged_by_a_schema_in_the_arguments():
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "a/v1.schema.json", "title": "A", "type": "object",
              "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}
    for payload, verdict in (({"n": 1}, "accepted"), ({"n": "x"}, "rejected")):
        shown = tool("validate_payload", {"schema": schema, "payload": payload})["structuredContent"]
        equal((shown["documents"][0]["verdict"], "validate" in shown), (verdict, True))
    equal("ROOT_NOT_CONFIGURED" in tool("validate_payload", {"schema": "a/v1.schema.json", "payload": 1})["content"][0]["text"], True)
    newer = {**schema, "properties": {"n": {"type": "string"}}}
    shown = tool("compare_schemas", {"old": schema, "new": newer})["structuredContent"]
    equal(("compat" in shown, shown["documents"][-1]["verdict"]), (True, "rejected"))
    equal(tool("compare_schemas", {"old": schema, "new": newer, "mode": "sideways"})["isError"], True)


@claim
def a_receipt_needs_a_key():
    equal(tool("verify_receipt", {"receipt": "x"})["isError"], True)
    equal(tool("verify_receipt", {"receipt": "x", "vkey": ["nonsense"]})["isError"], True)


@claim
def scopes_decide_what_there_is():
    equal(one(ask("tools/list"), flags=["--scopes", "approve"])["result"]["tools"], [])
    equal(one(ask("resources/list"), flags=["--scopes", "approve"])["result"]["resources"], [])
    for words in (["--scopes", "check,fly"], ["--scopes", ""], ["--agent", "a b"], ["--actor", "a b"], ["--frobnicate"],
                  *(["--agent", "a", "--scopes", f"check,{scope}"] for scope in ("approve", "operate", "admin"))):
        equal(expect(run("mcp", *words, stdin=""), 2, err="").stdout, b"")


@claim
def resources_are_listed_read_and_refused():
    listed = [item["uri"] for item in one(ask("resources/list"))["result"]["resources"]]
    equal((listed[0], "baton://schemas/universal" in listed, "baton://ledger/checkpoint" in listed), ("baton://rules", True, False))
    templates = [item["uriTemplate"] for item in one(ask("resources/templates/list"))["result"]["resourceTemplates"]]
    equal(templates, ["baton://rules/{code}", "baton://schemas/{name}"])
    for uri, kind, words in (("baton://rules", "application/json", '"JSON_SYNTAX"'), ("baton://rules/SELF_LOOP", "text/markdown", "## SELF_LOOP"),
                             ("baton://schemas/universal", "application/schema+json", "$id")):
        item = one(ask("resources/read", {"uri": uri}))["result"]["contents"][0]
        equal((item["uri"], item["mimeType"], words in item["text"]), (uri, kind, True))
    for uri in ("baton://rules/NOPE", "baton://schemas/", "baton://ledger/checkpoint", "file:///etc/passwd", ""):
        answer = one(ask("resources/read", {"uri": uri}))
        equal((code(answer), answer["error"]["data"]), (PARAMS, {"uri": uri}))
    equal(code(talk(opening(), old("resources/read", {"uri": "x"}))[1]), -32002)


@claim
def prompts_are_listed_made_and_refused():
    equal([item["name"] for item in one(ask("prompts/list"))["result"]["prompts"]], ["repair_handoff", "write_contract_block"])

    def text(name, **arguments):
        return one(ask("prompts/get", {"name": name, "arguments": arguments}))["result"]["messages"][0]["content"]["text"]
    equal(text("repair_handoff", document=json.dumps(handoff())), "nothing to repair")
    broken = handoff()
    del broken["handoff"]["trace_id"]
    broken["handoff"]["target"]["skill"] = broken["handoff"]["source"]["skill"]
    equal("SELF_LOOP" in text("repair_handoff", document=json.dumps(broken)), True)
    equal("agent_contract_handoff" in text("write_contract_block", status="BLOCKED"), True)
    for params in ({"name": "nope"}, {"name": "repair_handoff"}, {"name": "repair_handoff", "arguments": {"document": "x"}},
                   {"name": "write_contract_block", "arguments": {"status": "x"}}):
        equal(code(one(ask("prompts/get", params))), PARAMS)


@claim
def arguments_are_completed_by_prefix_in_order():
    def words(ref, name, value):
        return one(ask("completion/complete", {"ref": ref, "argument": {"name": name, "value": value}}))["result"]["completion"]
    equal(words({"type": "ref/prompt", "name": "write_contract_block"}, "status", "B"), {"values": ["BLOCKED"], "total": 1, "hasMore": False})
    codes = words({"type": "ref/resource", "uri": "baton://rules/{code}"}, "code", "")
    equal((len(codes["values"]), codes["total"] > 100, codes["hasMore"], codes["values"] == sorted(set(codes["values"]))), (100, True, True, True))
    equal("universal" in words({"type": "ref/prompt", "name": "repair_handoff"}, "dialect", "u")["values"], True)
    equal(words({"type": "ref/prompt", "name": "nope"}, "x", "")["values"], [])
    equal(code(one(ask("completion/complete", {}))), PARAMS)


@claim
def a_result_that_is_too_large_ends_the_call_and_not_the_server():
    lacking = handoff(timestamp=None)
    lacking["handoff"]["context"]["summary"] += "x" * (2046 - len(json.dumps(lacking, separators=(",", ":"))))
    text = json.dumps(lacking, separators=(",", ":"))
    with folder({"baton.yaml": "limits: {document_bytes: 2048}\n"}) as place:
        first, second = talk(call("repair_handoff", {"document": text}), call("count_tokens", {"text": "a"}, 2), cwd=place)
        equal((first["result"]["isError"], first["result"]["content"][0]["text"].split(":")[0]), (True, "BODY_TOO_LARGE"))
        equal(second["result"]["isError"], False)


sys.exit(finish())
