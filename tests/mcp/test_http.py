# SPDX-License-Identifier: Apache-2.0
"""test_http.py BATON - POST /mcp of a live server: eras, headers, statuses, sessions, streams, questions."""
import base64
import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from handoffs import handoff  # noqa: E402
from mcp_client import FORMS, META, ask, call, old, opening  # noqa: E402
from program import claim, equal, finish  # noqa: E402
from server import bearer, serving  # noqa: E402
from block import REQUEST, envelope, fenced  # noqa: E402

JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
MODERN = {"MCP-Protocol-Version": "2026-07-28"}


def headers(message, **more):
    """What a modern request says in its headers."""
    params = message["params"]
    name = params.get("name", params.get("uri"))
    return {**JSON, **MODERN, "Mcp-Method": message["method"], **({"Mcp-Name": name} if name else {}), **more}


def modern(server, message, **more):
    return server.ask("POST", "/mcp", message, headers(message, **more))


def legacy(server, message, **more):
    return server.ask("POST", "/mcp", message, {**JSON, **more})


def code(answer):
    return answer.json()["error"]["code"]


def session(server, version="2025-11-25", token=None, **capabilities):
    answer = legacy(server, opening(version, **capabilities), **(bearer(token) if token else {}))
    equal((answer.status, answer.json()["result"]["protocolVersion"]), (200, version))
    return answer.headers["mcp-session-id"]


@claim
def only_posts_of_json_are_messages():
    with serving(store=False) as server:
        for method in ("GET", "DELETE"):
            answer = server.ask(method, "/mcp", headers=JSON)
            equal((method, answer.status, answer.headers["allow"]), (method, 405, "POST"))
        equal(server.ask("POST", "/mcp", "{}", {"Content-Type": "text/plain"}).status, 415)
        for accept, status in (("image/png", 406), ("application/json;q=0, text/event-stream;q=0", 406), ("application/json", 200), ("text/event-stream", 200), ("*/*", 200)):
            equal((accept, modern(server, ask("server/discover"), Accept=accept).status), (accept, status))
        equal(modern(server, ask("server/discover")).status, 200)


@claim
def errors_of_a_modern_request_have_their_status():
    with serving(store=False) as server:
        for body, expected in (("{", (400, -32700)), ("[]", (400, -32600)), ('{"jsonrpc":"2.0","id":1}', (400, -32600))):
            answer = server.ask("POST", "/mcp", body, {**JSON, **MODERN})
            equal((body, answer.status, code(answer)), (body, *expected))
        lacks = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        for more in ({}, MODERN, {"MCP-Protocol-Version": "1999-01-01"}):
            answer = server.ask("POST", "/mcp", lacks, {**JSON, **more})
            equal((answer.status, code(answer)), (400, -32602))
        wrong = ask("tools/list", meta={**META, "io.modelcontextprotocol/protocolVersion": "1999-01-01"})
        answer = modern(server, wrong, **{"MCP-Protocol-Version": "1999-01-01"})
        equal((answer.status, code(answer), answer.json()["error"]["data"]["requested"]), (400, -32022, "1999-01-01"))
        for method in ("nothing/here", "ping", "initialize", "logging/setLevel", "resources/subscribe"):
            answer = modern(server, ask(method))
            equal((method, answer.status, code(answer)), (method, 404, -32601))
        answer = modern(server, call("no_such_tool", {}))
        equal((answer.status, code(answer)), (200, -32602))
        equal(modern(server, call("count_tokens", {"text": "a"})).json()["result"]["isError"], False)


@claim
def headers_must_say_what_the_body_says():
    message = call("count_tokens", {"text": "a"})
    with serving(store=False) as server:
        for name, value in (("Mcp-Method", "tools/list"), ("Mcp-Method", "TOOLS/CALL"), ("Mcp-Name", "explain_code"), ("Mcp-Name", None),
                            ("Mcp-Method", None), ("MCP-Protocol-Version", None), ("MCP-Protocol-Version", "2027-01-01"),
                            ("Mcp-Name", "=?base64?Y291bnR?="), ("Mcp-Name", "=?base64?!!!!?=")):
            sent = headers(message)
            sent.pop(name)
            answer = server.ask("POST", "/mcp", message, {**sent, **({name: value} if value else {})})
            equal((name, value, answer.status, code(answer)), (name, value, 400, -32020))
        wrapped = "=?base64?" + base64.b64encode(b"count_tokens").decode() + "?="
        for value in ("count_tokens", "  count_tokens  ", wrapped):
            equal(modern(server, message, **{"Mcp-Name": value}).status, 200)
        equal(modern(server, ask("resources/read", {"uri": "baton://rules"})).status, 200)
        equal(modern(server, ask("resources/read", {"uri": "baton://rules"}), **{"Mcp-Name": "baton://schemas/x"}).status, 400)


@claim
def a_parameter_that_a_header_repeats_must_be_the_same():
    message = call("test_custom_headers", {"region": "north"})
    with serving("--conformance-fixtures", store=False) as server:
        for value, status in (("north", 200), ("=?base64?bm9ydGg=?=", 200), ("south", 400), (None, 400), ("=?base64?bm9ydGg?=", 400)):
            answer = modern(server, message, **({"Mcp-Param-Region": value} if value else {}))
            equal((value, answer.status), (value, status))


@claim
def a_legacy_client_speaks_with_or_without_its_session():
    with serving(store=False) as server:
        token = session(server)
        listed = {"Mcp-Session-Id": token, "MCP-Protocol-Version": "2025-11-25"}
        for more in (listed, {"Mcp-Session-Id": token}, {"MCP-Protocol-Version": "2025-06-18"}):
            answer = legacy(server, old("tools/list"), **more)
            equal((answer.status, "resultType" in answer.json()["result"]), (200, False))
        equal(legacy(server, old("ping"), **listed).json(), {"jsonrpc": "2.0", "id": 1, "result": {}})
        unknown = legacy(server, old("resources/subscribe", {"uri": "baton://rules"}), **listed)
        equal((unknown.status, code(unknown)), (200, -32601))
        note = legacy(server, {"jsonrpc": "2.0", "method": "notifications/initialized"}, **listed)
        equal((note.status, note.body), (202, b""))
        answered = legacy(server, {"jsonrpc": "2.0", "id": "baton-1", "result": {}}, **listed)
        equal((answered.status, answered.body), (202, b""))
        equal(legacy(server, opening(), **{"Mcp-Session-Id": token}).status, 200)
        equal(legacy(server, opening("1999-01-01")).json()["result"]["protocolVersion"], "2025-11-25")


@claim
def a_session_that_is_not_the_callers_is_not_there():
    with serving(store=False, tokens={"a": "check", "b": "check"}) as server:
        mine = session(server, token=server.tokens["a"])
        flipped = [mine[:i] + ("A" if mine[i] != "A" else "B") + mine[i + 1:] for i in range(0, len(mine), 7)]
        for who, text, status in (("a", mine, 200), ("b", mine, 404), ("a", "x", 404), ("a", mine[:-1], 404), *(("a", text, 404) for text in flipped)):
            answer = legacy(server, old("ping"), **{"Mcp-Session-Id": text}, **bearer(server.tokens[who]))
            equal((who, text, answer.status), (who, text, status))
        answer = modern(server, ask("server/discover"), **{"Mcp-Session-Id": "x"}, **bearer(server.tokens["a"]))
        equal(answer.status, 200)  # a modern request has none
    with serving(store=False) as other:
        equal(legacy(other, old("ping"), **{"Mcp-Session-Id": mine}).status, 404)


@claim
def a_session_ends_and_so_do_streams_beyond_the_limit():
    listen = ask("subscriptions/listen", {"notifications": {"resourceSubscriptions": ["baton://ledger/checkpoint"]}}, "s")
    with serving(config="mcp:\n  session_ttl: 1s\nlimits:\n  streams_per_principal: 1\n") as server:
        token = session(server)
        deadline = time.monotonic() + 60
        while legacy(server, old("ping"), **{"Mcp-Session-Id": token}).status != 404:
            if time.monotonic() > deadline:
                raise AssertionError("the session does not end")
        first = server.stream("POST", "/mcp", listen, headers(listen))
        equal(first.event()["method"], "notifications/subscriptions/acknowledged")
        refused = modern(server, listen)
        equal((refused.status, refused.headers["retry-after"]), (429, "1"))
        first.close()


@claim
def a_door_that_is_closed_is_not_there():
    with serving(store=False, config="mcp:\n  enabled: false\na2a:\n  enabled: false\n") as server:
        equal(modern(server, ask("server/discover")).status, 404)
        for verb, path in (("GET", "/.well-known/agent-card.json"), ("GET", "/a2a/tasks")):
            equal((path, server.ask(verb, path, headers={"A2A-Version": "1.0"}).status), (path, 404))
        # Neither another method nor a wrong token tells that there could be one.
        for verb, path in (("GET", "/mcp"), ("POST", "/mcp"), ("PUT", "/a2a"), ("POST", "/a2a/message:send"), ("DELETE", "/.well-known/agent-card.json")):
            equal((path, server.ask(verb, path, headers=bearer("bt_wrong")).status), (path, 404))


@claim
def nodes_with_the_same_ledger_know_each_others_sessions():
    from server import Server
    with serving() as first:
        token = session(first)
        second = Server(first.folder, "--store", "s.db")
        try:
            equal(legacy(second, old("ping"), **{"Mcp-Session-Id": token}).status, 200)
        finally:
            second.stop()


@claim
def strangers_get_nothing():
    with serving(store=False, tokens={"a": "check"}) as server:
        equal(modern(server, ask("server/discover"), Authorization="Bearer bt_nothing").status, 401)
        equal(modern(server, ask("server/discover"), Origin="http://evil.example", **bearer(server.tokens["a"])).status, 403)
        tools = modern(server, ask("tools/list"), **bearer(server.tokens["a"])).json()["result"]["tools"]
        equal([tool["name"] for tool in tools if tool["name"] == "submit_handoff"], [])


@claim
def the_same_engine_answers_and_records():
    text = json.dumps(handoff())
    with serving() as server:
        said = modern(server, call("submit_handoff", {"document": text})).json()["result"]
        equal((said["isError"], said["structuredContent"]["documents"][0]["record"]["seq"]), (False, 0))
        again = modern(server, call("submit_handoff", {"document": "{}", "dialect": "universal"})).json()["result"]
        equal((again["isError"], again["structuredContent"]["documents"][0]["record"]["seq"]), (True, 1))


@claim
def progress_comes_as_a_stream_and_only_to_those_who_take_one():
    message = call("test_tool_with_progress", {}, meta={**META, "progressToken": "p"})
    with serving("--conformance-fixtures", store=False) as server:
        answer = modern(server, message)
        equal(answer.headers["content-type"], "text/event-stream")
        events = [json.loads(line[6:]) for line in answer.body.decode().split("\n") if line.startswith("data: ")]
        equal([event.get("method", event.get("id")) for event in events], ["notifications/progress"] * 3 + [1])
        equal(modern(server, message, Accept="application/json").status, 406)
        equal(modern(server, call("test_tool_with_progress", {}), Accept="application/json").status, 200)


@claim
def a_subscription_is_a_stream_that_tells_of_changes():
    message = ask("subscriptions/listen", {"notifications": {"resourceSubscriptions": ["baton://ledger/checkpoint"]}}, "s")
    with serving() as server:
        stream = server.stream("POST", "/mcp", message, headers(message))
        equal((stream.status, stream.event()["method"]), (200, "notifications/subscriptions/acknowledged"))
        modern(server, call("submit_handoff", {"document": json.dumps(handoff())}))
        event = stream.event()
        equal((event["method"], event["params"]["uri"]), ("notifications/resources/updated", "baton://ledger/checkpoint"))
        equal(event["params"]["_meta"], {"io.modelcontextprotocol/subscriptionId": "s"})
        stream.close()


@claim
def tools_that_record_are_as_limited_as_submissions_are():
    text = json.dumps(handoff())
    submit, check = call("submit_handoff", {"document": text}), call("check_handoff", {"document": text})
    bare = old("tools/call", {"name": "submit_handoff", "arguments": {"document": text}})
    with serving(tokens={"a": "check,submit", "b": "check,submit"}, config="rate: {submit: 1}\n") as server:
        a, b = bearer(server.tokens["a"]), bearer(server.tokens["b"])
        for say in (lambda: modern(server, submit, **a), lambda: legacy(server, bare, **a, **{"MCP-Protocol-Version": "2025-11-25"})):
            said = next(answer for answer in (say() for _ in range(100)) if answer.status != 200)
            equal((said.status, said.headers["retry-after"], said.json()["code"]), (429, "1", "RATE_LIMITED"))
        equal(modern(server, check, **a).status, 200)
        equal(modern(server, submit, **b).json()["result"]["isError"], False)


def request_consent(server, **more):
    """A contract block that asks for consent; the id of the request."""
    text = fenced({**envelope(status="APPROVAL_REQUEST"), "approval_request": REQUEST})
    said = modern(server, call("submit_handoff", {"document": text, "dialect": "contract"}), **more).json()["result"]
    return said["structuredContent"]["submit"]["approval"]["id"]


@claim
def a_person_approves_in_both_eras():
    with serving(tokens={"agent": "check,submit", "chief": "check,submit,approve"}) as server:
        chief, agent = bearer(server.tokens["chief"]), bearer(server.tokens["agent"])
        number = request_consent(server, **agent)
        message = call("decide_approval", {"id": number}, meta=FORMS)
        asked = modern(server, message, **chief).json()["result"]
        equal(asked["resultType"], "input_required")
        answered = {"approval": {"action": "accept", "content": {"decision": "approve"}}}
        for state, expected in ((asked["requestState"] + "x", -32602), (asked["requestState"], None)):
            repeat = call("decide_approval", {"id": number}, meta=FORMS, inputResponses=answered, requestState=state)
            said = modern(server, repeat, **chief).json()
            equal(said.get("error", {}).get("code"), expected)
        equal(said["result"]["structuredContent"]["decided"], "approved")


@claim
def a_legacy_call_waits_in_its_stream_for_the_person():
    with serving(tokens={"agent": "check,submit", "chief": "check,submit,approve", "other": "check,submit,approve"}) as server:
        chief, agent, other = (bearer(server.tokens[name]) for name in ("chief", "agent", "other"))
        number = request_consent(server, **agent)
        mine = {"Mcp-Session-Id": session(server, token=server.tokens["chief"], elicitation={})}
        stream = server.stream("POST", "/mcp", old("tools/call", {"name": "decide_approval", "arguments": {"id": number}}, 7), {**JSON, **mine, **chief})
        question = stream.event()
        equal(question["method"], "elicitation/create")
        reply = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"decision": "deny", "reason": "no"}}}
        equal(legacy(server, reply, **other, **{"MCP-Protocol-Version": "2025-11-25"}).status, 202)  # who was not asked is not heard
        approve = {**reply, "result": {"action": "accept", "content": {"decision": "approve"}}}
        equal(legacy(server, approve, **mine, **chief).status, 202)
        result = stream.event()
        equal((result["id"], result["result"]["structuredContent"]["decided"]), (7, "approved"))
        equal(stream.event(), None)
        stream.close()
        bare = legacy(server, old("tools/call", {"name": "decide_approval", "arguments": {"id": number}}), **chief, **{"MCP-Protocol-Version": "2025-11-25"})
        equal(bare.json()["result"]["isError"], True)  # without a session nobody knows that it has forms


@claim
def what_is_read_only_refuses_every_tool_that_records():
    text = json.dumps(handoff())
    writing = {"submit_handoff": {"document": text}, "receive_handoffs": {"agent": "a"}, "use_approval": {"command": "x"}, "decide_approval": {"id": "P-" + "0" * 32},
               "finish_handoff": {"agent": "a", "message": "h0", "lease": "x", "outcome": "delivered"}}
    with serving("--read-only") as server:
        who = bearer(server.console)
        listed = modern(server, ask("tools/list"), **who).json()["result"]["tools"]
        equal({tool["name"] for tool in listed if not tool["annotations"]["readOnlyHint"]}, set(writing))
        for name, arguments in writing.items():
            result = modern(server, call(name, arguments, meta=FORMS), **who).json()["result"]
            equal((name, result["isError"], result["content"][0]["text"].split(":")[0]), (name, True, "LEDGER_READ_ONLY"))
        # The control: what only reads is answered.
        equal(modern(server, call("list_approvals", {}), **who).json()["result"]["isError"], False)


sys.exit(finish())
