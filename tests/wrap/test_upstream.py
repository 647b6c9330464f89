# SPDX-License-Identifier: Apache-2.0
"""test_upstream.py BATON - baton wrap --upstream: a Streamable HTTP server of either era behind a proxy on standard input and output."""
import contextlib
import hashlib
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from http_server import META, serve  # noqa: E402
from program import BATON, SANITIZED, claim, environment, equal, expect, finish, folder, report, run, until  # noqa: E402

HANDSHAKE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "lab", "version": "1"}}}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
MODERN = {META + "protocolVersion": "2026-07-28", META + "clientInfo": {"name": "lab", "version": "1"}, META + "clientCapabilities": {}}
FAILURES = {"fail": {"status": 500}, "redirect": {"status": 302}, "accepted": {"status": 202}, "other_id": {"status": 400}, "html": {"reason": "the answer is neither JSON nor an event stream"},
            "wrong": {"reason": "the body is not the answer to the request"}, "cut": {"reason": "the connection was lost"}, "silent": {"reason": "the stream ended without an answer"},
            "twice": {"reason": "the answer is not HTTP"}}


def call(number, name, **more):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, **more}}


def lines(*messages):
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def reported(place, name):
    """The document of a report, without the note that nothing is pinned."""
    document = json.loads(pathlib.Path(place, name).read_text())["documents"][0]
    document["findings"] = [finding for finding in document["findings"] if finding["code"] != "WRAP_UNPINNED"]
    return document


class Client:
    """A client that talks step by step. Calls are not checked, so that the proxy has nothing to list before them."""

    def __init__(self, place, *flags, env=None):
        pathlib.Path(place, "unchecked.yaml").write_text("wrap: {arguments: off, results: off}\n", encoding="utf-8")
        self.process = subprocess.Popen([BATON, "wrap", "--name", "s", "--config", "unchecked.yaml", "--report", "report.json", *flags], cwd=place, env=environment(**(env or {})),
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.place = place

    def send(self, *messages):
        self.process.stdin.write(lines(*messages))
        self.process.stdin.flush()

    def read(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, *messages):
        self.send(*messages)
        return self.read()

    def end(self, code=0):
        rest, errors = self.process.communicate(timeout=60)
        equal((self.process.returncode, errors if self.process.returncode != code else b""), (code, b""))
        return [json.loads(line) for line in rest.splitlines()]

    def report(self):
        return reported(self.place, "report.json")


@contextlib.contextmanager
def session(server, *flags, env=None):
    """A legacy session after its handshake."""
    with folder({}) as place:
        client = Client(place, "--upstream", server.url(), *flags, env=env)
        try:
            equal(client.ask(HANDSHAKE)["result"]["protocolVersion"], "2025-06-18")
            client.send(INITIALIZED)
            yield client
        finally:
            client.process.kill()
            client.process.communicate()


@claim
def a_legacy_session_names_version_and_session_and_is_ended():
    with serve() as server, session(server) as client:
        equal(client.ask(call(1, "json"))["result"], {"content": [], "value": "a\nb"})
        equal(client.ask({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})["result"], {"tools": server.tools})
        client.end()
        posts = server.requests()
        equal([(seen["fields"].get("mcp-protocol-version"), seen["fields"].get("mcp-session-id")) for seen in posts], [(None, None)] + [("2025-06-18", "session-1")] * 3)
        equal({(seen["path"], seen["fields"]["accept"], seen["fields"]["content-type"]) for seen in posts}, {("/mcp", "application/json, text/event-stream", "application/json")})
        equal([seen["fields"]["mcp-session-id"] for seen in server.requests("DELETE")], ["session-1"])
        equal(len(server.requests("GET")), 1)  # 405: there is none
        facts = client.report()["facts"]
        equal((facts["era"], facts["protocol"], facts["server"], client.report()["findings"]), ("legacy", "2025-06-18", {"name": "http", "version": "2"}, []))
    with serve(session=False) as server, session(server) as client:  # the control: a server without sessions
        client.end()
        equal(([seen for seen in server.seen if "mcp-session-id" in seen["fields"]], server.requests("DELETE")), ([], []))


@claim
def answers_of_every_form_pass():
    with serve() as server, session(server) as client:
        equal(client.ask(call(1, "sse"))["method"], "notifications/progress")
        equal(client.read()["id"], 1)
        equal(client.ask(call(2, "close"))["id"], 2)
        question = client.ask(call(3, "ask"))
        equal((question["method"], question["id"]), ("elicitation/create", "q1"))
        equal(client.ask({"jsonrpc": "2.0", "id": "q1", "result": {"action": "decline"}})["id"], 3)
        equal(client.end(), [])
        equal(client.report()["findings"], [])


@claim
def errors_of_the_server_pass_and_failures_are_answered():
    with serve() as server, session(server) as client:
        equal(client.ask(call(1, "error")), {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "no"}})
        equal(client.ask(call(2, "noid")), {"jsonrpc": "2.0", "id": 2, "error": {"code": -32099, "message": "forbidden"}})
        for number, name in enumerate(FAILURES, 10):
            answer = client.ask(call(number, name))
            equal((answer["id"], answer["error"]["code"], answer["error"]["data"]), (number, -31002, {"baton": {"code": "WRAP_UPSTREAM"}}))
        equal(client.ask(call(99, "json"))["id"], 99)
        client.end()
        equal([(finding["code"], finding["params"]) for finding in client.report()["findings"]], [("WRAP_UPSTREAM", params) for params in FAILURES.values()])
        equal([seen["path"] for seen in server.seen if seen["path"] != "/mcp"], [])  # no redirection was followed


@claim
def a_server_that_is_not_there_is_a_failure():
    with serve() as server:
        url = server.url()
    with folder({}) as place:
        result = run("wrap", "--name", "s", "--upstream", url, "--report", "r.json", stdin=lines(HANDSHAKE), cwd=place)
        equal((result.returncode, json.loads(result.stdout)["error"]["code"]), (0, -31002))
        equal([finding["params"] for finding in reported(place, "r.json")["findings"]], [{"reason": "no connection"}])


@claim
def a_lost_session_ends_the_proxy():
    with serve() as server, session(server) as client:
        client.send(call(1, "hold"))
        until(lambda: len(server.requests()) == 3)
        server.is_gone = True
        client.send(call(2, "json"))
        equal(sorted((answer["id"], answer["error"]["code"]) for answer in client.end(2)), [(1, -31003), (2, -31003)])


@claim
def the_stream_of_the_server_is_opened_again_behind_its_last_event():
    with serve(stream=True) as server, session(server) as client:
        equal([client.read()["params"]["data"], client.read()["params"]["data"]], [1, 2])
        gets = server.requests("GET")
        equal([seen["fields"].get("last-event-id") for seen in gets], [None, "e1"])
        equal({(seen["fields"]["mcp-session-id"], seen["fields"]["mcp-protocol-version"], seen["fields"]["accept"]) for seen in gets}, {("session-1", "2025-06-18", "text/event-stream")})
        client.end()
        equal(len(server.requests("DELETE")), 1)


@claim
def the_id_of_an_event_counts_as_soon_as_the_event_is_complete():
    with serve(stream=True, primes=True) as server, session(server) as client:
        until(lambda: len(server.requests("GET")) == 4)
        equal([seen["fields"].get("last-event-id") for seen in server.requests("GET")], [None, "p1", "p3", None])
        client.end()


@claim
def there_is_one_stream_of_the_server_and_it_belongs_to_its_session():
    with serve(stream=True) as server, session(server) as client:
        equal([client.read()["params"]["data"], client.read()["params"]["data"]], [1, 2])
        client.send(INITIALIZED, INITIALIZED)
        equal(client.ask(call(1, "json"))["id"], 1)
        equal(len(server.requests("GET")), 2)
        equal(client.ask({**HANDSHAKE, "id": "again"})["id"], "again")  # the control: a new session has a new stream, from its beginning
        client.send(INITIALIZED)
        equal(client.read()["params"]["data"], 1)
        equal([seen["fields"].get("last-event-id") for seen in server.requests("GET")], [None, "e1", None])
        client.end()


@claim
def a_line_that_ends_with_a_carriage_return_waits_for_nothing_more():
    with serve() as server, session(server) as client:
        equal(client.ask(call(1, "carriage")).get("result"), {"content": []})
        equal(client.ask(call(2, "capitals")).get("result"), {"content": []})
        client.end()


@claim
def a_part_of_an_event_that_is_too_long_is_not_an_answer():
    with serve() as server, folder({"small.json": json.dumps({"wrap": {"limits": {"message_bytes": 1024}, "arguments": "off", "results": "off"}})}) as place:
        result = run("wrap", "--name", "s", "--config", "small.json", "--upstream", server.url(), "--report", "r.json", stdin=lines(HANDSHAKE, INITIALIZED, call(1, "long")), cwd=place)
        answers = {message.get("id"): message for message in map(json.loads, result.stdout.splitlines())}
        equal((result.returncode, answers[1].get("error", {}).get("code")), (0, -31002))
        equal([finding["params"] for finding in reported(place, "r.json")["findings"]], [{"reason": "a message is too long"}])


@claim
def a_large_answer_arrives_whole_after_the_end_of_the_input():
    with serve() as server, folder({}) as place:
        result = run("wrap", "--name", "s", "--upstream", server.url(), stdin=lines(HANDSHAKE, INITIALIZED, call(1, "large")), cwd=place)
        answers = {message.get("id"): message for message in map(json.loads, result.stdout.splitlines())}
        equal((result.returncode, len(answers[1].get("result", {}).get("value", ""))), (0, 4 << 20))


def resident_kib(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.partition("VmRSS:")[2].split()[0])


def children(pid):
    return [int(number) for number in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()]


@claim
def many_answers_that_are_never_complete_take_little_memory():
    with serve() as server, session(server) as client:
        client.send(*[call(number, "part") for number in range(1, 33)])
        until(lambda: sum((seen["message"] or {}).get("method") == "tools/call" for seen in server.seen) == 32)
        for number in range(30):  # which gives it time to read what it reads
            equal(client.ask({"jsonrpc": "2.0", "id": f"ping {number}", "method": "ping"})["id"], f"ping {number}")
            server.stop.wait(0.05)
        # 32 times 4 MiB were offered, and 8 MiB and one answer may be kept
        equal([pid for pid in children(client.process.pid) if resident_kib(pid) > (SANITIZED and 400 or 80) << 10], [])
        client.process.terminate()
        equal(client.process.wait(60), 0)


@claim
def a_message_waits_for_the_notice_before_it():
    with serve() as server, folder({}) as place:
        client = Client(place, "--upstream", server.url())
        client.ask(HANDSHAKE)
        server.holds_notes = True
        client.send(INITIALIZED, call(1, "json"))
        until(lambda: len(server.requests()) == 2)
        equal([seen["message"]["method"] for seen in server.requests()], ["initialize", "notifications/initialized"])
        server.release()
        equal(client.read()["id"], 1)
        client.end()


@claim
def requests_do_not_wait_for_each_other():
    with serve() as server, session(server) as client:
        client.send(*[call(number, "hold") for number in range(1, 33)], call(99, "json"))
        equal(client.read()["id"], 99)
        server.release()
        equal(sorted(client.read()["id"] for _ in range(32)), list(range(1, 33)))
        client.end()


@claim
def modern_requests_repeat_themselves_in_headers():
    with serve(modern=True) as server, folder({}) as place:
        client = Client(place, "--upstream", server.url(path="/a/b/?x=1"))
        ask = lambda number, method, **params: client.ask({"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": MODERN}})  # noqa: E731
        equal(ask(1, "server/discover")["result"]["supportedVersions"], ["2026-07-28"])
        ask(2, "tools/list")
        ask(3, "tools/call", name="json", arguments={"region": "west", "count": 3})
        ask(4, "tools/call", name="json", arguments={"region": " é"})
        ask(5, "resources/read", uri="file:///a")
        ask(6, "tools/call", name="json", arguments={"region": "=?base64?x?="})
        client.end()
        fields = [{name: value for name, value in seen["fields"].items() if name.startswith("mcp-")} for seen in server.requests()]
        common = {"mcp-protocol-version": "2026-07-28"}
        equal(fields, [{**common, "mcp-method": "server/discover"}, {**common, "mcp-method": "tools/list"},
                       {**common, "mcp-method": "tools/call", "mcp-name": "json", "mcp-param-region": "west", "mcp-param-count": "3"},
                       {**common, "mcp-method": "tools/call", "mcp-name": "json", "mcp-param-region": "=?base64?IMOp?="},
                       {**common, "mcp-method": "resources/read", "mcp-name": "file:///a"},
                       {**common, "mcp-method": "tools/call", "mcp-name": "json", "mcp-param-region": "=?base64?PT9iYXNlNjQ/eD89?="}])
        equal({seen["path"] for seen in server.seen}, {"/a/b/?x=1"})
        equal((server.requests("GET"), server.requests("DELETE"), client.report()["facts"]["era"]), ([], [], "modern"))


@claim
def cancelling_a_modern_request_closes_its_stream():
    with serve(modern=True) as server, folder({}) as place:
        client = Client(place, "--upstream", server.url())
        equal(client.ask({"jsonrpc": "2.0", "id": 7, "method": "subscriptions/listen", "params": {"_meta": MODERN}})["method"], "notifications/listening")
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})
        until(lambda: any(seen["message"] == {"closed": 7} for seen in server.seen))
        equal([seen["message"].get("method") for seen in server.requests() if "method" in seen["message"]], ["subscriptions/listen"])
        client.end()
    with serve() as server, session(server) as client:  # the control: a legacy server is told
        client.send(call(1, "hold"), {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        until(lambda: any((seen["message"] or {}).get("method") == "notifications/cancelled" for seen in server.seen))
        server.release()
        client.end()


@claim
def headers_come_from_the_environment():
    env = {"MY_KEY": "k1", "MY_TOKEN": "t1", "http_proxy": "http://127.0.0.1:1", "HTTP_PROXY": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1"}
    with serve() as server, session(server, "--header-env", "X-Key=MY_KEY", "--bearer-env", "MY_TOKEN", env=env) as client:
        client.end()
        equal({(seen["fields"].get("x-key"), seen["fields"].get("authorization")) for seen in server.seen}, {("k1", "Bearer t1")})
    with serve() as server, session(server, env=env) as client:
        client.end()
        equal({(seen["fields"].get("x-key"), seen["fields"].get("authorization")) for seen in server.seen}, {(None, None)})


@claim
def bad_use_opens_no_connection():
    with serve() as server, folder({}) as place:
        url = server.url()
        rows = ((("--upstream", "http://mcp.example.org/mcp"), "http is for this machine only"), (("--upstream", "http://127.0.0.1.example.org/mcp"), "http is for this machine only"),
                (("--upstream", "ftp://127.0.0.1/"), "http or https"), (("--upstream", url.replace("//", "//u:p@")), "a user in the URL"), (("--upstream", url, "--", "true"), "exclude each other"),
                (("--upstream", url, "--header-env", "X-Key"), "NAME=VARIABLE"), (("--upstream", url, "--header-env", "X Key=A"), "NAME=VARIABLE"), (("--upstream", url, "--header-env", "X-Key=NOT_SET"), "NOT_SET"),
                (("--upstream", url, "--header-env", "Mcp-Session-Id=HOME"), "set by Baton"), (("--upstream", url, "--bearer-env", "NOT_SET"), "NOT_SET"), (("--upstream", url, "--bearer-env", "TWO_LINES"), "control"),
                (("--upstream", url, "--upstream-ca", "x"), "for https"), (("--upstream", url, "--sandbox"), "started here"), (("--upstream", url, "--env", "A"), "started here"),
                (("--bearer-env", "HOME", "--", "true"), "for --upstream"), (("--upstream", "https://127.0.0.1:1/", "--upstream-ca", "none.pem"), "none.pem"))
        for words, err in rows:
            result = expect(run("wrap", *words, cwd=place, stdin=lines(HANDSHAKE), env={"TWO_LINES": "a\nb"}), 2, err=err)
            equal(result.stdout, b"")
        equal(server.seen, [])


def certify(place, *names):
    """A certificate for these names that vouches for itself: its file and that of its key."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=lab",
                    "-addext", "subjectAltName=" + ",".join(names)], cwd=place, check=True, capture_output=True, timeout=60)
    return str(pathlib.Path(place, "cert.pem")), str(pathlib.Path(place, "key.pem"))


@claim
def certificates_are_verified():
    with folder({}) as keys, folder({}) as place:
        certificate = certify(keys, "IP:127.0.0.1")
        with serve(certificate) as server:
            for host, trusted, is_good in (("127.0.0.1", True, True), ("127.0.0.1", False, False), ("localhost", True, False)):
                flags, env = (("--upstream-ca", certificate[0]), {}) if trusted else ((), {"SSL_CERT_DIR": place})  # a system may have no authorities
                result = run("wrap", "--name", "s", "--upstream", server.url(host), *flags, stdin=lines(HANDSHAKE), cwd=place, env=env)
                answer = json.loads(result.stdout)
                equal((result.returncode, "result" in answer, answer.get("error", {}).get("code")), (0, is_good, None if is_good else -31002))
            equal(len(server.requests()), 1)


@claim
def pin_and_diff_ask_over_http_in_both_eras():
    locks = []
    with folder({}) as place:
        for modern in (False, True):
            with serve(modern=modern) as server:
                pinned = report(expect(run("wrap", "pin", "--name", "s", "--upstream", server.url(), "-f", "json", cwd=place), 0))["documents"][0]
                equal((pinned["facts"]["written"], pinned["facts"]["tools"]), (True, 1))
                entry = json.loads(pathlib.Path(place, "baton.mcp.lock").read_text())["servers"]["s"]
                equal((entry["command_sha256"], entry["package"], entry["program"]), (hashlib.sha256(json.dumps([server.url()]).encode()).hexdigest(), None, None))
                locks.append(entry["tools"])
                expect(run("wrap", "diff", "--name", "s", "--upstream", server.url(), "-f", "json", cwd=place), 0)
                server.tools = [{**server.tools[0], "description": "Other."}]
                changed = report(expect(run("wrap", "diff", "--name", "s", "--upstream", server.url(), "-f", "json", cwd=place), 1))["documents"][0]
                equal([finding["code"] for finding in changed["findings"]], ["WRAP_PIN_CHANGED"])
                # And the proxy hides what is not pinned.
                if not modern:
                    result = run("wrap", "--name", "s", "--upstream", server.url(), "--quiet", cwd=place, stdin=lines(HANDSHAKE, INITIALIZED, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}))
                    equal([json.loads(line)["result"].get("tools") for line in result.stdout.splitlines()], [None, []])
    equal(locks[0], locks[1])


@claim
def the_name_is_the_host():
    with serve() as server, folder({}) as place:
        result = run("wrap", "--upstream", server.url(), "--report", "r.json", stdin=lines(HANDSHAKE), cwd=place)
        equal(result.returncode, 0)
        equal(reported(place, "r.json")["path"], "127.0.0.1")


@claim
def an_answer_that_stays_away_ends_after_the_time_of_the_configuration():
    with serve() as server, folder({"idle.json": json.dumps({"wrap": {"upstream_idle_s": 1, "arguments": "off", "results": "off"}})}) as place:
        result = run("wrap", "--name", "s", "--config", "idle.json", "--upstream", server.url(), stdin=lines(HANDSHAKE, INITIALIZED, call(1, "hold")), cwd=place)
        answers = {message.get("id"): message for message in map(json.loads, result.stdout.splitlines())}
        equal((result.returncode, answers[1]["error"]["code"], answers[1]["error"]["data"]), (0, -31002, {"baton": {"code": "WRAP_UPSTREAM"}}))
        server.release()


sys.exit(finish())
