# SPDX-License-Identifier: Apache-2.0
"""test_wrap.py BATON - POST /wrap/{name}/mcp: wrapped servers for many clients; who may use them, who gets which answer, and how processes come and go."""
import contextlib
import http.client
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))
sys.path.append(str(pathlib.Path(__file__).parent.parent / "wrap"))

from http_server import serve as serve_http  # noqa: E402
from mcp_client import META, ask, call, old, opening  # noqa: E402
from program import PATIENT, claim, equal, expect, finish, report, run, until  # noqa: E402
from server import bearer, serving  # noqa: E402

TALKER = [sys.executable, str(pathlib.Path(__file__).parent / "talker.py")]
JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
MODERN = {**JSON, "MCP-Protocol-Version": "2026-07-28"}
TOKENS = {"ann": "submit", "bob": "submit", "eve": "submit", "boss": "approve,operate", "judge": "check"}
PATH = "/wrap/t/mcp"


def settings(servers, **keys):
    """The configuration of a server; the patient one has limits for slow machines."""
    return PATIENT + json.dumps({"wrap": {"servers": servers, **keys}})[1:-1].replace('"wrap"', "wrap", 1) + "\n"


class Place:
    def __init__(self, server):
        self.server, self.folder = server, server.folder

    def post(self, who, message, path=PATH, headers=None, **fields):
        """A modern request, with the header fields that it needs."""
        params = message.get("params", {})
        named = {"Mcp-Name": params.get("name", params.get("uri", ""))} if message.get("method") in ("tools/call", "prompts/get", "resources/read") else {}
        return self.server.ask("POST", path, message, {**(headers or MODERN), "Mcp-Method": message.get("method", ""), **named, **fields, **self.who(who)})

    def who(self, name):
        return bearer(self.server.tokens[name]) if name else {}

    def text(self, who, tool, number=1, path=PATH, **arguments):
        """What a tool says."""
        answer = self.post(who, call(tool, arguments, number), path)
        equal((answer.status, answer.json().get("id")), (200, number))
        return answer.json()["result"]["content"][0]["text"]

    def stream(self, who, message, **fields):
        return self.server.stream("POST", PATH, message, {**MODERN, "Mcp-Method": message["method"], "Mcp-Name": message["params"].get("name", ""), **fields, **self.who(who)})

    def received(self):
        """What the server was told so far, one list for all its processes."""
        file = self.folder / "received"
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []

    def later(self, who, *messages):
        """Requests at the same time, each on a connection of its own: a function that waits for the answers."""
        answers = [None] * len(messages)

        def send(index):
            answers[index] = self.post(who, messages[index])
        threads = [threading.Thread(target=send, args=(index,)) for index in range(len(messages))]
        for thread in threads:
            thread.start()

        def wait():
            for thread in threads:
                thread.join(60)
            return answers
        return wait

    def entries(self):
        return [item["entry"] for item in report(expect(run("ledger", "tail", "-n", "100", "--store", "s.db", "-f", "json", cwd=self.folder), 0))["entries"]]


class Legacy:
    """A legacy session."""

    def __init__(self, place, who, path=PATH):
        self.place, self.path = place, path
        self.fields = {**JSON, **place.who(who)}
        answer = self.send(opening())
        equal((answer.status, answer.json()["result"]["serverInfo"]["name"]), (200, "talker"))
        self.session = answer.headers["mcp-session-id"]
        self.fields = {**self.fields, "Mcp-Session-Id": self.session, "MCP-Protocol-Version": "2025-11-25"}
        equal(self.send({"jsonrpc": "2.0", "method": "notifications/initialized"}).status, 202)

    def send(self, message, **fields):
        return self.place.server.ask("POST", self.path, message, {**self.fields, **fields})

    def stream(self, message):
        return self.place.server.stream("POST", self.path, message, self.fields)

    def text(self, tool, number=1, **arguments):
        return self.send(old("tools/call", {"name": tool, "arguments": arguments}, number)).json()["result"]["content"][0]["text"]


@contextlib.contextmanager
def wrapping(*flags, servers=None, store=True, entry=None, env=None, **keys):
    """A server with one wrapped server, `t`, for everybody."""
    servers = servers or {"t": {"command": TALKER, "serve": True, **(entry or {})}}
    with serving("--config", "baton.yaml", *flags, tokens=TOKENS, store=store, config=settings(servers, **keys), env=env) as server:
        yield Place(server)


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


# ---- Who may use a server ---------------------------------------------------------------------

@claim
def a_server_is_there_only_for_its_principals():
    servers = {"t": {"command": TALKER, "serve": True, "principals": ["ann"]}, "off": {"command": TALKER}, "policy": {"record": "all"}}
    with wrapping(servers=servers) as place:
        equal(place.text("ann", "echo", x=1), json.dumps({"x": 1, "id": 1}))
        message = call("echo", {})
        same = {"X-Request-Id": "same", "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
        unknown = place.post("bob", message, "/wrap/nobody/mcp", **same)
        equal((unknown.status, unknown.json()["code"]), (404, "NOT_FOUND"))
        for who, path in (("bob", PATH), ("eve", PATH), ("ann", "/wrap/off/mcp"), ("ann", "/wrap/policy/mcp"), ("ann", "/wrap/nobody/mcp")):
            foreign = place.post(who, message, path, **same)
            equal((who, path, foreign.status, foreign.body), (who, path, 404, unknown.body))
        for who, status, code in ((None, 401, "UNAUTHENTICATED"), ("judge", 403, "SCOPE_MISSING"), ("boss", 403, "SCOPE_MISSING")):
            for path in (PATH, "/wrap/nobody/mcp"):
                refused = place.post(who, message, path)
                equal((who, path, refused.status, refused.json()["code"]), (who, path, status, code))
        for method in ("GET", "DELETE"):
            refused = place.server.ask(method, PATH, headers={**MODERN, **place.who("ann")})
            equal((refused.status, refused.headers["allow"]), (405, "POST"))
        equal(place.post("ann", message, headers={**MODERN, "Content-Type": "text/plain"}).status, 415)


@claim
def pages_of_others_other_names_and_other_methods_reach_no_server():
    with wrapping() as place:
        session = Legacy(place, "ann")
        until(lambda: len(place.received()) == 2, "the notice behind the handshake")
        seen = [(place.post("ann", call("echo", {}), **fields).status, session.send(old("ping"), **fields).status)
                for fields in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Host": "evil.example"})]
        equal(seen, [(403, 403), (403, 403), (421, 421)])
        equal([place.server.ask(method, PATH, None, {**session.fields}).status for method in ("GET", "DELETE", "PUT")], [405, 405, 405])
        stranger = {**place.who("bob"), **{name: value for name, value in session.fields.items() if name != "Authorization"}}
        for message in (old("ping"), {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}, {"jsonrpc": "2.0", "id": "q1", "result": {}}):
            answer = place.server.ask("POST", PATH, message, stranger)
            equal((message, answer.status), (message, 404 if message.get("method") != "notifications/cancelled" else 202))
        equal(session.send(old("ping")).status, 200)  # the control
        equal([message["method"] for message in place.received()], ["initialize", "notifications/initialized", "ping"])


@claim
def a_project_cannot_offer_servers():
    servers = {"t": {"command": TALKER, "serve": True}}
    with serving(config=settings(servers)) as server:
        equal(server.ask("POST", PATH, ask("tools/list"), {**MODERN, "Mcp-Method": "tools/list"}).status, 404)
        equal((server.folder / "received").exists(), False)
        equal(b"--config" in server.logged(), True)
    with serving("--config", "baton.yaml", config=settings(servers)) as server:
        equal(server.ask("POST", PATH, ask("tools/list"), {**MODERN, "Mcp-Method": "tools/list"}).status, 200)


@claim
def without_a_store_nothing_is_recorded_and_a_store_that_may_only_be_read_is_refused():
    with wrapping(store=False) as place:
        equal(place.text("ann", "echo"), json.dumps({"id": 1}))
    with wrapping("--read-only") as place:
        refused = place.post("ann", call("echo", {}))
        equal((refused.status, refused.json()["code"], place.received()), (503, "LEDGER_READ_ONLY", []))


# ---- Messages ---------------------------------------------------------------------------------

@claim
def a_message_that_two_readers_could_read_differently_reaches_no_server():
    with wrapping() as place:
        good = call("echo", {"a": "b"}, 7)
        for body, status, code in ((b"{", 400, -32700), (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 400, -32700), (b"[]", 400, -32600), (b'"x"', 400, -32600),
                                   (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600), (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600),
                                   (json.dumps({**good, "id": "baton-1"}).encode(), 400, -32600)):
            answer = place.server.ask("POST", PATH, body, {**MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "echo", **place.who("ann")})
            equal((body[:60], answer.status, answer.json()["error"]["code"]), (body[:60], status, code))
        for missing, left in ((["protocolVersion", "clientCapabilities"], {}), (["clientCapabilities"], {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}),
                              (["protocolVersion"], {"io.modelcontextprotocol/clientCapabilities": {}})):
            answer = place.post("ann", ask("tools/list", meta=left))
            equal((answer.status, answer.json()["error"]["code"], answer.json()["error"]["data"]), (400, -32602, {"missing": ["io.modelcontextprotocol/" + name for name in missing]}))
        for fields in ({"MCP-Protocol-Version": "2026-07-29"}, {"Mcp-Method": "tools/list"}, {"Mcp-Method": ""}, {"Mcp-Name": "hold"}, {"Mcp-Name": "=?base64?!?="}):
            answer = place.post("ann", good, **fields)
            equal((fields, answer.status, answer.json()["id"], answer.json()["error"]["code"]), (fields, 400, 7, -32020))
        equal(place.received(), [])
        equal(place.post("ann", good, **{"Mcp-Name": "=?base64?ZWNobw==?="}).status, 200)
        pretty = place.server.ask("POST", PATH, json.dumps(good, indent=2).replace("\n", "\r\n"), {**MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "echo", **place.who("ann")})
        equal(json.loads(pretty.json()["result"]["content"][0]["text"])["a"], "b")
        equal(place.post("ann", ask("nope")).status, 404)


@claim
def parameters_in_header_fields_are_compared_once_the_tool_is_known():
    with wrapping() as place:
        message = call("region", {"region": "west"})
        equal(place.post("ann", message, **{"Mcp-Param-Region": "east"}).status, 200)
        place.post("ann", ask("tools/list"))
        for fields, status in (({"Mcp-Param-Region": "east"}, 400), ({}, 400), ({"Mcp-Param-Region": "west"}, 200), ({"mcp-param-region": "=?base64?d2VzdA==?="}, 200)):
            equal((fields, place.post("ann", message, **fields).status), (fields, status))
        equal(place.post("ann", call("region", {}), **{"Mcp-Param-Region": "west"}).status, 400)


@claim
def two_clients_that_use_the_same_ids_get_their_own_answers():
    held = [call("hold", {"name": name}, 1) for name in ("first", "second", "third")]
    held[0]["params"]["_meta"] = held[1]["params"]["_meta"] = {**META, "progressToken": 1}
    with wrapping() as place:
        control = subprocess.run(TALKER, input="\n".join(map(json.dumps, [*held, call("release", {}, 1)])) + "\n", capture_output=True, text=True, cwd=place.folder, check=True)
        equal([json.loads(line)["id"] for line in control.stdout.splitlines()], [1] * 4)  # with the clients' own ids nobody could tell them apart
        (place.folder / "received").unlink()
        place.post("ann", ask("tools/list"))
        waits = [(name, place.later(who, *held)) for who, name in (("ann", "ann"), ("bob", "bob"))]
        until(lambda: sum(message.get("params", {}).get("name") == "hold" for message in place.received()) == 6, "all calls")
        for who in ("ann", "bob"):
            place.text(who, "release")
        for _, wait in waits:
            answers = [answer.json() for answer in wait()]
            equal([answer["id"] for answer in answers], [1, 1, 1])
            equal([json.loads(answer["result"]["content"][0]["text"])["name"] for answer in answers], ["first", "second", "third"])
        numbers = [message["id"] for message in place.received() if message.get("method") == "tools/call"]
        equal(len(set(numbers)), len(numbers))


@claim
def progress_comes_back_under_the_token_of_its_client():
    with wrapping() as place:
        for token in (1, "1", "mine"):
            message = call("progress", {"steps": 3}, "p")
            message["params"]["_meta"] = {**META, "progressToken": token}
            stream = place.stream("ann", message)
            equal((stream.status, stream.headers["content-type"]), (200, "text/event-stream"))
            events = [stream.event() for _ in range(5)]
            equal([event["params"]["progressToken"] for event in events[:3]], [token] * 3)
            equal((events[3]["id"], events[4]), ("p", None))
            stream.close()
        plain = place.post("ann", message, headers={**MODERN, "Accept": "application/json"})
        equal((plain.headers["content-type"], plain.json()["id"]), ("application/json", "p"))
        unasked = place.post("ann", call("progress", {"steps": 3}, "p"))  # a client without a token has asked for none
        equal((unasked.headers["content-type"], unasked.json()["id"]), ("application/json", "p"))


@claim
def a_message_as_long_as_the_limit_is_answered_whatever_its_id_becomes():
    with wrapping(limits={"message_bytes": 1024}) as place:
        message = call("echo", {"x": ""})
        for excess, status in ((0, 200), (1, 400)):
            message["params"]["arguments"]["x"] = "y" * (1024 + excess - len(json.dumps(call("echo", {"x": ""})).encode()))
            answer = place.post("ann", message)
            equal((excess, answer.status, answer.json().get("error", {}).get("code")), (excess, status, -32600 if excess else None))
        message["params"]["arguments"]["x"] = message["params"]["arguments"]["x"][1:]
        codes = [place.post("ann", message).json().get("error", {}).get("code") for _ in range(12)]  # ids of two digits replace one of one
        equal((codes[0], codes[-1]), (None, -32600))


@claim
def a_subscription_stays_open_under_the_id_of_its_client():
    with wrapping() as place:
        stream = place.stream("ann", ask("subscriptions/listen", {}, "mine"))
        equal(stream.event()["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "mine")
        number = next(message["id"] for message in place.received() if message["method"] == "subscriptions/listen")
        stream.close()
        until(lambda: any(message.get("params", {}).get("requestId") == number for message in place.received()), "the cancellation")


@claim
def a_long_answer_of_a_stream_arrives_whole():
    with wrapping() as place:
        stream = place.stream("ann", call("notify", {"size": 5000000}))
        equal(stream.event()["params"]["data"], "note")
        time.sleep(0.2)  # the answer is more than a socket takes
        equal(len(stream.event()["result"]["content"][0]["text"]), 5000000)
        stream.close()


@claim
def a_client_that_leaves_cancels_its_modern_request():
    with wrapping() as place:
        client = http.client.HTTPConnection("127.0.0.1", place.server.port, timeout=60)
        client.request("POST", PATH, json.dumps(call("hold", {"who": "ann"}, "gone")), {**MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "hold", **place.who("ann")})
        until(lambda: any(message.get("params", {}).get("name") == "hold" for message in place.received()), "the call")
        number = next(message["id"] for message in place.received() if message.get("params", {}).get("name") == "hold")
        client.close()
        until(lambda: {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}} in place.received(), "the cancellation")
        equal(json.loads(place.text("ann", "echo", 2, x=1))["x"], 1)


# ---- Legacy sessions --------------------------------------------------------------------------

@claim
def each_legacy_session_has_a_process_of_its_own():
    with wrapping() as place:
        sessions = [Legacy(place, "ann"), Legacy(place, "ann"), Legacy(place, "bob")]
        pids = [session.text("pid") for session in sessions]
        equal(len(set([*pids, place.text("ann", "pid")])), 4)
        equal([session.text("pid") for session in sessions], pids)
        for fields in ({"Mcp-Session-Id": sessions[2].session}, {"Mcp-Session-Id": "00000000-0000-4000-8000-000000000000"}, {"Mcp-Session-Id": ""}):
            answer = sessions[0].send(old("ping"), **fields)
            equal((answer.status, answer.json()["error"]["code"]), (404 if fields["Mcp-Session-Id"] else 400, -32600))
        without = place.server.ask("POST", PATH, old("ping"), {**JSON, "MCP-Protocol-Version": "2025-06-18", **place.who("ann")})
        equal((without.status, without.json()["error"]["code"]), (400, -32600))


@claim
def a_session_that_could_not_be_opened_leaves_no_process():
    with wrapping(entry={"processes": 1}) as place:
        answer = place.server.ask("POST", PATH, opening("1999-01-01"), {**JSON, **place.who("ann")})
        equal((answer.status, answer.json()["error"]["code"], "mcp-session-id" in answer.headers), (200, -32602, False))
        until(lambda: place.server.ask("POST", PATH, opening(), {**JSON, **place.who("bob")}).status == 200, "another session")


@claim
def a_question_of_the_server_goes_to_the_newest_open_request():
    with wrapping() as place:
        session = Legacy(place, "ann")
        held = threading.Thread(target=session.send, args=(old("tools/call", {"name": "hold", "arguments": {}}, "older"),))
        held.start()
        until(lambda: any(message.get("params", {}).get("name") == "hold" for message in place.received()), "the call")
        stream = session.stream(old("tools/call", {"name": "ask", "arguments": {}}, "newer"))
        question = stream.event()
        equal((question["id"], question["method"]), ("q1", "roots/list"))
        equal(session.send({"jsonrpc": "2.0", "id": "q1", "result": {"roots": []}}).status, 202)
        answer = stream.event()
        equal((answer["id"], json.loads(answer["result"]["content"][0]["text"])["result"]), ("newer", {"roots": []}))
        stream.close()
        session.text("release")
        held.join(60)


@claim
def what_a_server_says_outside_a_request_is_dropped_and_its_questions_are_refused():
    with wrapping() as place:
        session = Legacy(place, "ann")
        session.text("outside")
        until(lambda: any(message.get("id") == "o1" for message in place.received()), "the refusal")
        refusal = next(message for message in place.received() if message.get("id") == "o1")
        equal((refusal["error"]["code"], "result" in refusal), (-32601, False))
        place.text("bob", "outside")  # a modern server has no questions at all
        until(lambda: sum(message.get("id") == "o1" for message in place.received()) == 2, "the other refusal")


@claim
def a_legacy_client_cancels_under_its_own_id():
    with wrapping() as place:
        session = Legacy(place, "ann")
        held = threading.Thread(target=session.send, args=(old("tools/call", {"name": "hold", "arguments": {}}, "mine"),))
        held.start()
        until(lambda: any(message.get("params", {}).get("name") == "hold" for message in place.received()), "the call")
        number = next(message["id"] for message in place.received() if message.get("params", {}).get("name") == "hold")
        for request in ("other", "mine"):
            equal(session.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request}}).status, 202)
        until(lambda: any(message.get("method") == "notifications/cancelled" for message in place.received()), "the cancellation")
        equal([message["params"]["requestId"] for message in place.received() if message.get("method") == "notifications/cancelled"], [number])
        session.text("release")
        held.join(60)


@claim
def an_answer_that_a_legacy_client_did_not_wait_for_is_given_to_its_repetition():
    with wrapping(rules=[{"tools": ["hold", "echo"], "idempotent": True}]) as place:
        session = Legacy(place, "ann")
        hold = old("tools/call", {"name": "hold", "arguments": {"x": 1}}, "first")
        client = http.client.HTTPConnection("127.0.0.1", place.server.port, timeout=60)
        client.request("POST", PATH, json.dumps(hold), session.fields)
        until(lambda: any(message.get("params", {}).get("name") == "hold" for message in place.received()), "the call")
        client.close()
        until(lambda: get(place, "boss", "/v1/wrap/servers")[1]["servers"][0]["open"] == 0, "the client's leaving")
        session.text("release")
        again = session.send({**hold, "id": "again"}).json()
        equal((again["id"], json.loads(again["result"]["content"][0]["text"])["x"]), ("again", 1))
        for _ in range(2):  # the control: an answer that arrived is not given again
            session.text("echo", x=2)
        names = [message["params"]["name"] for message in place.received() if message.get("method") == "tools/call"]
        equal((names.count("hold"), names.count("echo"), "notifications/cancelled" in [message.get("method") for message in place.received()]), (1, 2, False))


# ---- Processes --------------------------------------------------------------------------------

@claim
def processes_are_limited_and_end_when_nobody_uses_them():
    with wrapping(entry={"processes": 1, "idle": "1s"}) as place:
        pid = int(place.text("ann", "pid"))
        equal(int(place.text("ann", "pid")), pid)
        refused = place.post("bob", call("pid", {}))
        equal((refused.status, refused.json()["code"], refused.headers["retry-after"]), (503, "OVERLOADED", "1"))
        until(lambda: not is_running(pid), "the end of the process")
        until(lambda: place.post("bob", call("pid", {})).status == 200, "room")


@claim
def a_server_that_ends_leaves_no_request_unanswered_and_starts_again():
    with wrapping() as place:
        pid = place.text("ann", "pid")
        held = place.later("ann", call("hold", {}, "h"))
        until(lambda: any(message.get("params", {}).get("name") == "hold" for message in place.received()), "the call")
        ended = place.post("ann", call("exit", {"status": 3}, "e"))
        equal((ended.status, ended.json()["id"], ended.json()["error"]["code"]), (200, "e", -31003))
        equal((held()[0].json()["id"], held()[0].json()["error"]["code"]), ("h", -31003))
        until(lambda: place.post("ann", call("pid", {})).json().get("result", {"content": [{"text": pid}]})["content"][0]["text"] != pid, "another process")
        session = Legacy(place, "ann")
        equal(session.send(old("tools/call", {"name": "exit", "arguments": {"status": 0}})).json()["error"]["code"], -31003)
        until(lambda: session.send(old("ping")).status == 404, "the end of the session")


@claim
def a_server_that_cannot_be_started_is_an_error_and_no_hang():
    with wrapping(servers={"t": {"command": ["/nonexistent/program"], "serve": True}}) as place:
        for _ in range(2):
            answer = place.post("ann", call("echo", {}))
            equal((answer.status, answer.json()["error"]["code"], answer.json()["error"]["data"]), (200, -31003, {"baton": {"code": "WRAP_SERVER_ENDED"}}))
        equal(b"/nonexistent/program" in place.server.logged(), True)


@claim
def no_process_outlives_the_server():
    with wrapping() as place:
        pids = [int(place.text("ann", "pid")), int(Legacy(place, "bob").text("pid"))]
    equal([is_running(pid) for pid in pids], [False, False])
    with serving("--config", "baton.yaml", tokens=TOKENS, config=settings({"t": {"command": TALKER, "serve": True}})) as server:
        pid = int(Place(server).text("ann", "pid"))
        os.kill(server.child.pid, signal.SIGKILL)
        until(lambda: not is_running(pid), "the end of the process")
        server.child.wait(60)
        server.child.returncode = 0


@claim
def a_new_configuration_ends_what_runs_under_the_old_one():
    servers = {"t": {"command": TALKER, "serve": True}}
    with wrapping(servers=servers) as place:
        pid, session = place.text("ann", "pid"), Legacy(place, "ann")
        (place.folder / "baton.yaml").write_text(settings(servers) + "log: {level: warn}\n")
        place.server.child.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        equal((place.text("ann", "pid"), session.send(old("ping")).status), (pid, 200))  # nothing about wrap has changed
        (place.folder / "baton.yaml").write_text(settings(servers, rules=[{"tools": ["echo"], "deny": True}]))
        place.server.child.send_signal(signal.SIGHUP)
        until(lambda: place.text("ann", "pid") != pid, "another process")
        equal((refusal(place.post("ann", call("echo", {}))), session.send(old("ping")).status), ("WRAP_DENIED", 404))
        until(lambda: not is_running(int(pid)), "the end of the old process")
        (place.folder / "baton.yaml").write_text(settings({}))
        place.server.child.send_signal(signal.SIGHUP)
        until(lambda: place.post("ann", call("pid", {})).status == 404, "no server")


# ---- Rules and records ------------------------------------------------------------------------

def refusal(answer):
    return answer.json()["result"].get("_meta", {}).get("baton/refusal", {}).get("code")


@claim
def calls_are_judged_and_recorded_as_in_baton_wrap():
    with wrapping(rules=[{"tools": ["remove"], "deny": True}], record="arguments") as place:
        place.text("ann", "echo", x=1)
        Legacy(place, "bob").text("echo", y=2)
        equal(refusal(place.post("ann", call("remove", {}))), "WRAP_DENIED")
        until(lambda: len(place.entries()) == 3, "the records")
        entries = place.entries()
        equal([(entry["actor"], entry["target"], entry["refs"]["event"], entry["verdict"]) for entry in entries],
              [("serve/ann", "t/echo", "returned", "recorded"), ("serve/bob", "t/echo", "returned", "recorded"), ("serve/ann", "t/remove", "refused", "rejected")])
        equal((entries[0]["refs"]["thread"] == entries[2]["refs"]["thread"], entries[0]["refs"]["thread"] == entries[1]["refs"]["thread"]), (True, False))
        document = json.loads(expect(run("ledger", "show", "0", "--document", "--store", "s.db", cwd=place.folder), 0).stdout)
        equal((document["arguments"], document["server"], document["era"]), ({"x": 1}, "t", "modern"))


@claim
def the_lock_hides_what_was_not_reviewed():
    with wrapping() as place:
        expect(run("wrap", "pin", "--no-config", "--lock", "t.lock", "--name", "t", "--", *TALKER, cwd=place.folder), 0)
        lock = json.loads((place.folder / "t.lock").read_text())
    del lock["servers"]["t"]["tools"]["hold"]
    with wrapping(lock="t.lock") as place:
        (place.folder / "t.lock").write_text(json.dumps(lock))
        equal("hold" in [tool["name"] for tool in place.post("ann", ask("tools/list")).json()["result"]["tools"]], False)
        equal(refusal(place.post("ann", call("hold", {}))), "WRAP_TOOL_HIDDEN")
        equal(place.post("ann", call("region", {"region": "west"}), **{"Mcp-Param-Region": "east"}).status, 400)  # known from the lock
        for server, events in (("t", ["changed", "refused"]), ("u", [])):  # the first has its server in its record only
            until(lambda: [item["event"] for item in get(place, "boss", f"/v1/wrap/calls?server={server}")[1]["calls"]] == events, f"entries of {server}")


@claim
def a_name_that_another_server_shows_is_reported():
    def shadowed():
        text = place.server.ask("GET", "/metrics", headers=place.who("boss")).body.decode()
        return sum(int(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith('baton_findings_total{code="WRAP_NAME_SHADOWED"'))
    with wrapping(servers={name: {"command": TALKER, "serve": True} for name in "tu"}) as place:
        for who in ("ann", "bob"):  # two sessions of one server do not shadow each other
            place.post(who, ask("tools/list"))
        equal(shadowed(), 0)
        tools = place.post("ann", ask("tools/list"), "/wrap/u/mcp").json()["result"]["tools"]
        equal(shadowed(), len(tools))


@claim
def what_a_principal_spends_counts_in_all_its_sessions():
    with wrapping(spend={"calls": 3}) as place:
        place.text("ann", "echo")
        session = Legacy(place, "ann")
        session.text("echo")
        session.text("echo")
        equal([refusal(place.post("ann", call("echo", {}))), refusal(session.send(old("tools/call", {"name": "echo", "arguments": {}})))], ["WRAP_SPEND"] * 2)
        place.text("bob", "echo")


@claim
def a_person_approves_a_call_outside_of_its_client():
    with wrapping(rules=[{"tools": ["remove"], "approve": True}]) as place:
        forms = {**META, "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}}
        message = call("remove", {"path": "/a"}, meta=forms)
        equal(refusal(place.post("ann", message)), "WRAP_APPROVAL_REQUIRED")
        waiting = place.server.ask("GET", "/v1/approvals", headers=place.who("boss")).json()["approvals"]
        equal([item["agent_id"] for item in waiting], ["serve/ann"])
        granted = place.server.ask("POST", f"/v1/approvals/{waiting[0]['id']}/grant", {"fingerprint": waiting[0]["fingerprint"]}, {**JSON, **place.who("boss")})
        equal(granted.status, 200)
        equal(refusal(place.post("bob", message)), "WRAP_APPROVAL_REQUIRED")  # it is ann's
        equal(refusal(place.post("ann", call("remove", {"path": "/b"}, meta=forms))), "WRAP_APPROVAL_REQUIRED")
        equal(json.loads(place.post("ann", message).json()["result"]["content"][0]["text"])["path"], "/a")
        equal(refusal(place.post("ann", message)), "WRAP_APPROVAL_REQUIRED")


@claim
def a_repeated_call_of_a_principal_gets_the_recorded_answer():
    with wrapping() as place:
        message = call("remove", {}, meta={**META, "baton/idempotency-key": "k1"})
        first = place.post("ann", message).json()
        equal(place.post("ann", {**message, "id": 2}).json()["result"]["content"], first["result"]["content"])
        equal(place.post("bob", message).json()["result"]["content"] == first["result"]["content"], False)
        equal(sum(item.get("params", {}).get("name") == "remove" for item in place.received()), 2)


@claim
def folder_variables_and_urls_of_an_entry_are_used():
    with serve_http(modern=True) as upstream:
        servers = {"t": {"command": TALKER, "serve": True, "cwd": "sub", "env": {"COLOUR": "red"}, "env_from": ["KEPT"]},
                   "far": {"url": upstream.url(), "serve": True, "bearer_env": "FAR_TOKEN"}}
        with wrapping(servers=servers, env={"KEPT": "yes", "LOST": "no", "FAR_TOKEN": "sesame"}) as place:
            (place.folder / "sub").mkdir()
            equal([place.text("ann", "variable", name=name) for name in ("COLOUR", "KEPT", "LOST", "BATON_STORE")], ["red", "yes", "", ""])
            equal(place.text("ann", "where"), str((place.folder / "sub").resolve()))
            for number in (1, 2):
                far = place.post("ann", call("json", {}, number), "/wrap/far/mcp")
                equal((far.status, far.json()["id"]), (200, number))
            equal({seen["fields"].get("authorization") for seen in upstream.seen}, {"Bearer sesame"})
            missing = place.post("ann", call("fail", {}), "/wrap/far/mcp")
            equal((missing.status, missing.json()["error"]["code"]), (200, -31002))


# ---- REST -------------------------------------------------------------------------------------

def get(place, who, path):
    answer = place.server.ask("GET", path, headers={"X-Request-Id": "same", **place.who(who)})
    return answer.status, answer.json()


@claim
def calls_are_listed_for_operators_and_to_their_callers():
    with wrapping(rules=[{"tools": ["remove"], "deny": True}]) as place:
        for who, number in (("ann", 1), ("bob", 2), ("ann", 3)):
            place.text(who, "echo", x=number)
        place.post("ann", call("remove", {}))
        until(lambda: len(place.entries()) == 4, "the records")
        expected = json.loads(expect(run("wrap", "log", "--store", "s.db", "-f", "json", cwd=place.folder), 0).stdout)["calls"]
        status, all_calls = get(place, "boss", "/v1/wrap/calls")
        equal((status, all_calls["calls"], all_calls["next"]), (200, expected, None))
        equal([item["seq"] for item in get(place, "ann", "/v1/wrap/calls")[1]["calls"]], [0, 2, 3])
        equal([item["seq"] for item in get(place, "bob", "/v1/wrap/calls")[1]["calls"]], [1])
        equal(get(place, "eve", "/v1/wrap/calls")[1]["calls"], [])
        for query, found in (("event=refused", [3]), ("tool=echo&limit=2", [1, 2]), ("server=nobody", []), ("session=" + expected[1]["session"], [1]), ("since=2999-01-01T00:00:00Z", [])):
            equal((query, [item["seq"] for item in get(place, "boss", "/v1/wrap/calls?" + query)[1]["calls"]]), (query, found))
        page = get(place, "ann", "/v1/wrap/calls?after=0&limit=1")[1]
        equal(([item["seq"] for item in page["calls"]], page["next"]), ([2], 2))
        equal(get(place, "boss", "/v1/wrap/calls?event=unheard")[0], 400)
        shown = json.loads(expect(run("wrap", "show", "1", "--store", "s.db", "-f", "json", cwd=place.folder), 0).stdout)
        equal([get(place, who, "/v1/wrap/calls/1") for who in ("boss", "bob")], [(200, shown)] * 2)
        missing = get(place, "ann", "/v1/wrap/calls/999")
        equal((missing[0], get(place, "ann", "/v1/wrap/calls/1"), get(place, "eve", "/v1/wrap/calls/0")), (404, missing, missing))
        stats = json.loads(expect(run("wrap", "stats", "--store", "s.db", "-f", "json", cwd=place.folder), 0).stdout)
        equal(get(place, "boss", "/v1/wrap/stats"), (200, stats))
        for who, path, status in ((None, "calls", 401), ("judge", "calls", 403), ("ann", "stats", 403), ("ann", "servers", 403), ("ann", "servers/t/diff", 403)):
            equal((who, path, get(place, who, "/v1/wrap/" + path)[0]), (who, path, status))


@claim
def what_is_not_a_number_names_no_call():
    with wrapping() as place:
        place.text("ann", "echo")
        until(lambda: get(place, "ann", "/v1/wrap/calls/0")[0] == 200, "the record")
        equal([get(place, "ann", "/v1/wrap/calls/" + word)[0] for word in ("x", "-1", "0x0", "1", "18446744073709551616")], [404] * 5)


@claim
def servers_are_listed_with_counters_and_compared_with_their_lock():
    with serve_http(modern=True) as upstream:
        servers = {"t": {"command": TALKER, "serve": True}, "far": {"url": upstream.url()}, "broken": {"command": ["/nonexistent/program"]}, "policy": {"record": "all"}}
        with wrapping(servers=servers, rules=[{"tools": ["remove"], "deny": True}, {"tools": ["echo"], "unpinned": ["description"]}]) as place:
            equal(get(place, "boss", "/v1/wrap/servers/t/diff")[0], 404)  # without a lock
            for name, words in (("t", TALKER), ("far", ["--upstream", upstream.url()])):
                expect(run("wrap", "pin", "--no-config", "--name", name, *(["--", *words] if name == "t" else words), cwd=place.folder), 0)
            held = place.later("ann", call("hold", {}))
            place.text("ann", "echo")
            place.post("ann", call("remove", {}))
            until(lambda: any(message.get("params", {}).get("name") == "hold" for message in place.received()), "the call")
            listed = {item["name"]: item for item in get(place, "boss", "/v1/wrap/servers")[1]["servers"]}
            equal((sorted(listed), listed["far"]["transport"], listed["far"]["pinned"], listed["broken"]["pinned"]), (["broken", "far", "t"], "http", True, False))
            mine = listed["t"]
            equal((mine["transport"], mine["serve"], mine["pinned"], mine["processes"], mine["open"], mine["hidden"], mine["unrecorded"], mine["dropped"]), ("stdio", True, True, 1, 1, 0, 0, 0))
            equal((mine["calls"]["returned"], mine["calls"]["refused"], mine["calls"]["total"]), (1, 1, 2))
            equal([(item["kind"], item["sha256"]) for item in mine["items"] if item["name"] == "echo"], [("tools", json.loads((place.folder / "baton.mcp.lock").read_text())["servers"]["t"]["tools"]["echo"]["sha256"])])
            equal(listed["broken"]["items"], [])
            place.text("ann", "release")
            held()
            for name in ("t", "far"):
                status, same = get(place, "boss", f"/v1/wrap/servers/{name}/diff")
                equal((name, status, same["documents"][0]["verdict"], same["documents"][0]["findings"]), (name, 200, "accepted", []))
            lock = json.loads((place.folder / "baton.mcp.lock").read_text())
            expect(run("wrap", "diff", "--config", "baton.yaml", "t", cwd=place.folder), 0)
            del lock["servers"]["t"]["tools"]["hold"]
            (place.folder / "baton.mcp.lock").write_text(json.dumps(lock))
            changed = get(place, "boss", "/v1/wrap/servers/t/diff")[1]["documents"][0]
            equal((changed["verdict"], [(finding["code"], finding["pointer"]) for finding in changed["findings"]]), ("rejected", [("WRAP_PIN_ADDED", "/tools/hold")]))
            equal([get(place, "boss", f"/v1/wrap/servers/{name}/diff")[0] for name in ("broken", "policy", "nobody")], [503, 404, 404])


@claim
def metrics_have_one_series_for_each_server_of_the_configuration():
    servers = {"t": {"command": TALKER, "serve": True}, "unused": {"command": TALKER, "serve": True}, "off": {"command": TALKER}}
    with wrapping(servers=servers, rules=[{"tools": ["remove"], "deny": True}]) as place:
        place.text("ann", "echo")
        place.post("ann", call("remove", {}))
        place.post("ann", call("echo", {}), "/wrap/made-up/mcp")
        text = place.server.ask("GET", "/metrics", headers=place.who("boss")).body.decode()
        values = dict(line.rsplit(" ", 1) for line in text.splitlines() if line.startswith("baton_wrap_"))
        equal([values[name] for name in ('baton_wrap_calls_total{server="t",event="returned"}', 'baton_wrap_calls_total{server="t",event="refused"}', 'baton_wrap_call_seconds_count{server="t"}',
                                         'baton_wrap_added_seconds_bucket{server="t",le="+Inf"}', 'baton_wrap_processes{server="t"}', 'baton_wrap_processes{server="unused"}', 'baton_wrap_open{server="t"}',
                                         'baton_wrap_hidden{server="t"}', 'baton_wrap_unrecorded_total{server="t"}', 'baton_wrap_dropped_total{server="t"}')],
              ["1", "1", "1", "1", "1", "0", "0", "0", "0", "0"])
        equal(("made-up" in text, 'server="off"' in text), (False, False))
        equal('baton_findings_total{code="WRAP_DENIED",severity="HARD"} 1' in text, True)


sys.exit(finish())
