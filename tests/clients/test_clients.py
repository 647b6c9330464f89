# SPDX-License-Identifier: Apache-2.0
"""test_clients.py BATON COMMAND... - one client against a real server, and against faults.

COMMAND starts a driver: a small program around the client of one language that reads commands as JSON, one a line. So every client is held to
the same claims.
"""
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from block import REQUEST, envelope, fenced
from fault_server import Proxy, Stub
from handoffs import handoff, text_of
from program import BATON, TIMEOUT_S, claim, claim_if, environment, equal, finish
from server import serving

COMMAND = [word for word in sys.argv[2:] if word not in ("-sanitized", "--without-unix")]
GOOD = text_of(handoff())
BAD = '{"handoff":{}}'
ACCOUNTS = {"agent": "check,submit,operate", "person": "approve", "chief": "admin"}
HAS_UNIX = "--without-unix" not in sys.argv


class Driver:
    """A client in a process of its own."""

    def __init__(self):
        self.process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "NODE_NO_WARNINGS": "1"})

    def send(self, **command):
        self.process.stdin.write(json.dumps(command).encode() + b"\n")
        self.process.stdin.flush()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f"the driver ended with {self.process.wait(TIMEOUT_S)}")
        return json.loads(line)

    def do(self, **command):
        self.send(**command)
        return self.read()

    def ok(self, **command):
        answer = self.do(**command)
        if "ok" not in answer:
            raise AssertionError(f"{command}: {answer}")
        return answer["ok"]

    def error(self, kind, **command):
        answer = self.do(**command)
        if answer.get("error") != kind:
            raise AssertionError(f"{command}: {answer} instead of {kind}")
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        if self.process.wait(TIMEOUT_S) != 0:
            raise AssertionError(f"the driver ended with {self.process.returncode}")


@contextlib.contextmanager
def using(url, **settings):
    """A driver whose client uses this server."""
    driver = Driver()
    driver.ok(do="new", url=url, **{"timeout": TIMEOUT_S, **settings})
    yield driver
    driver.close()


def address(server):
    return f"http://127.0.0.1:{server.port}"


def size_of(server):
    return server.ask("GET", "/v1/handoffs?limit=1", headers={"Authorization": f"Bearer {server.tokens['agent']}"}).json()["size"]


def submit(server, text=GOOD):
    answer = server.ask("POST", "/v1/handoffs", text, {"Authorization": f"Bearer {server.tokens['agent']}", "Content-Type": "application/json"})
    return answer.status


@claim
def a_document_is_judged_and_nothing_is_recorded():
    with serving(tokens=ACCOUNTS) as server, using(address(server), token=server.tokens["agent"]) as client:
        equal(client.ok(do="check", document=GOOD), {"verdict": "accepted", "codes": []})
        equal(client.ok(do="check", document=BAD), {"verdict": "rejected", "codes": ["SCHEMA_REQUIRED"]})
        equal(client.error("Problem", do="check", document="neither")["code"], "DIALECT_UNKNOWN")
        equal(client.error("Problem", do="check", document=GOOD, budget="many")["code"], "PARAMETER_INVALID")
        equal(client.ok(do="version")["version"].count("."), 2)
        equal(size_of(server), 0)


@claim
def a_handoff_is_recorded_with_its_receipt_and_a_refusal_with_its_record():
    with serving(tokens=ACCOUNTS) as server, using(address(server), token=server.tokens["agent"]) as client:
        equal(client.ok(do="submit", document=GOOD), {"seq": 0, "receipt": 0, "inbox": "patch-builder", "verdict": "accepted"})
        refused = client.error("Rejected", do="submit", document=BAD)
        equal((refused["seq"], refused["codes"]), (1, ["SCHEMA_REQUIRED"]))
        equal(client.ok(do="get", seq=0), {"verdict": "accepted", "document": GOOD})
        equal(client.ok(do="get", seq=1), {"verdict": "rejected", "document": BAD})
        equal(client.error("Problem", do="get", seq=77)["code"], "NOT_FOUND")
        problem = client.error("Problem", do="submit", document=GOOD, key="one", semantics="warn")
        equal((problem["code"], problem["status"]), ("PARAMETER_INVALID", 400))
        equal(size_of(server), 2)


@claim
def the_budget_of_a_chain_only_shrinks():
    with serving(tokens=ACCOUNTS) as server, using(address(server), token=server.tokens["agent"]) as client:
        def make(source, target, **more):
            made = client.ok(do="make", source=source, target=target, summary="Build the fix.", **more)
            return made["document"], json.loads(made["document"])["handoff"]["meta"].get("baton_budget")
        first, budget = make("planner", "builder", budget_tokens=1000, budget_cost="4.00")
        equal(budget, {"v": 1, "tokens": {"limit": 1000, "left": 1000}, "cost": {"limit": "4.000000", "left": "4.000000", "currency": "USD"}})
        second, budget = make("builder", "checker", spent_tokens=300, spent_cost="1.5", **{"continue": first})
        equal(budget, {"v": 1, "tokens": {"limit": 1000, "left": 700}, "cost": {"limit": "4.000000", "left": "2.500000", "currency": "USD"}})
        raised, budget = make("checker", "writer", budget_tokens=5000, spent_tokens=100, **{"continue": second})
        equal(budget["tokens"], {"limit": 1000, "left": 600})  # a larger limit changes nothing
        equal([client.ok(do="submit", document=text)["verdict"] for text in (first, second)], ["accepted", "accepted"])
        again, budget = make("builder", "checker", **{"continue": first})  # what was spent is not taken off
        equal(budget["tokens"]["left"], 1000)
        equal(client.error("Rejected", do="submit", document=again)["codes"], ["BUDGET_GREW"])
        equal(client.ok(do="submit", document=raised)["verdict"], "accepted")
        equal(make("planner", "builder")[1], None)
        for more in ({"budget_cost": "4,00"}, {"budget_cost": "0"}, {"spent_cost": "-1"}):
            equal((more, client.error("Problem", do="make", source="a", target="b", summary="s", **more)["code"]), (more, "PARAMETER_INVALID"))


@claim
def a_call_whose_answer_was_lost_is_repeated_with_its_key_and_recorded_once():
    for when in ("before", "after"):
        with serving(tokens=ACCOUNTS) as server, Proxy(server.port, cuts=2, when=when) as proxy, using(proxy.url, token=server.tokens["agent"]) as client:
            equal(client.ok(do="submit", document=GOOD)["seq"], 0)
            keys = [key for first, key, _ in proxy.seen if first.startswith("POST")]
            equal((when, len(keys), len(set(keys)), None in keys), (when, 3, 1, False))
            equal(client.ok(do="submit", document=GOOD)["seq"], 1)  # another call has another key
            equal(size_of(server), 2)


@claim
def without_a_retry_the_outcome_is_unknown():
    """The negative control: what the retries are for."""
    with serving(tokens=ACCOUNTS) as server, Proxy(server.port, cuts=1) as proxy, using(proxy.url, token=server.tokens["agent"], retries=0) as client:
        equal(client.error("Unavailable", do="submit", document=GOOD)["outcome"], "unknown")
        equal(size_of(server), 1)
        equal(client.ok(do="submit", document=GOOD)["seq"], 1)  # the same handoff, twice in the ledger


@claim
def what_records_nothing_and_has_no_key_is_sent_once():
    with serving(tokens=ACCOUNTS) as server, Proxy(server.port, cuts=1, only="POST /v1/check") as proxy, using(proxy.url, token=server.tokens["agent"]) as client:
        equal(client.error("Unavailable", do="check", document=GOOD)["outcome"], "none")
        equal([first for first, *_ in proxy.seen if first.startswith("POST")], ["POST /v1/check HTTP/1.1"])
    with serving(tokens=ACCOUNTS) as server, Proxy(server.port, cuts=2, only="GET /v1/handoffs/0 ") as proxy, using(proxy.url, token=server.tokens["agent"]) as client:
        submit(server)
        equal(client.ok(do="get", seq=0)["verdict"], "accepted")


@claim
def no_server_is_no_acceptance():
    stub = Stub(lambda *_: None)
    stub.close()
    with using(stub.url, timeout=5, retries=1) as client:
        equal(client.error("Unavailable", do="submit", document=GOOD)["outcome"], "none")
        equal(client.error("Unavailable", do="check", document=GOOD)["outcome"], "none")


def problem(status, code, **members):
    body = json.dumps({"type": f"/problems/{code}", "title": code, "status": status, "code": code, **members}).encode()
    return status, {"Content-Type": "application/problem+json"}, body


def created(seq=5):
    record = {"seq": seq, "ref": f"x#{seq}", "leaf_hash": "0" * 64}
    body = {"baton": 1, "documents": [{"path": "document", "dialect": "universal", "verdict": "accepted", "findings": [], "facts": {}, "record": record}],
            "summary": {"documents": 1, "accepted": 1, "rejected": 0, "hard": 0, "warn": 0, "info": 0}, "receipt": {"baton_receipt": 1, "index": seq},
            "delivery": {"state": "queued", "inbox": "patch-builder", "message": f"h{seq}"}}
    return 201, {"Content-Type": "application/json"}, json.dumps(body).encode()


def answering(*answers):
    """Answers one after the other; the last one again and again."""
    rest = list(answers)
    return lambda *_: rest.pop(0) if len(rest) > 1 else rest[0]


def with_field(answer, name, value):
    return answer[0], {**answer[1], name: value}, answer[2]


@claim
def a_busy_server_is_asked_again_after_the_time_that_it_names():
    busy = with_field(problem(429, "RATE_LIMITED"), "Retry-After", "0")
    down = with_field(problem(503, "STORE_UNAVAILABLE", outcome="none"), "Retry-After", "0")
    with Stub(answering(busy, down, created())) as stub, using(stub.url) as client:
        equal(client.ok(do="submit", document=GOOD)["seq"], 5)
        equal((len(stub.requests), len({fields["idempotency-key"] for _, fields, _ in stub.requests})), (3, 1))
    far = with_field(problem(503, "OVERLOADED", outcome="none"), "Retry-After", "3600")
    with Stub(answering(far)) as stub, using(stub.url) as client:
        equal(client.error("Unavailable", do="submit", document=GOOD)["outcome"], "none")
        equal(len(stub.requests), 1)  # beyond the time that the call has


@claim
def an_outcome_that_stays_unknown_is_said_to_be_unknown():
    unknown = with_field(problem(503, "OUTCOME_UNKNOWN", outcome="unknown"), "Retry-After", "0")
    down = with_field(problem(503, "STORE_UNAVAILABLE", outcome="none"), "Retry-After", "0")
    with Stub(answering(unknown, created())) as stub, using(stub.url) as client:
        equal(client.ok(do="submit", document=GOOD)["seq"], 5)
    for answers, outcome in (((unknown,), "unknown"), ((unknown, down), "unknown"), ((down,), "none")):
        with Stub(answering(*answers)) as stub, using(stub.url) as client:
            equal(client.error("Unavailable", do="submit", document=GOOD)["outcome"], outcome)
            equal(len(stub.requests), 4)


@claim
def a_redirect_is_refused_and_the_token_stays():
    with Stub(answering(created())) as elsewhere:
        for status in (301, 302, 303, 307, 308):
            with Stub(lambda *_: (status, {"Location": f"{elsewhere.url}/v1/handoffs"}, b"")) as stub, using(stub.url, token="bt_secret") as client:
                client.error("Unavailable", do="submit", document=GOOD)
                client.error("Unavailable", do="check", document=GOOD)
                client.error("Unavailable", do="get", seq=0)
                equal({fields["authorization"] for _, fields, _ in stub.requests}, {"Bearer bt_secret"})
        equal(elsewhere.count, 0)


@claim
def an_answer_that_is_not_of_baton_is_no_acceptance():
    page = 200, {"Content-Type": "text/html"}, b"<p>welcome"
    for answer in (page, (201, {"Content-Type": "application/json"}, b"{"), (502, {"Content-Type": "text/html"}, b"bad gateway"),
                   (500, {}, b""), (201, {"Content-Type": "application/json", "Content-Length": "1000"}, b'{"baton":1')):
        def cut(*_, answer=answer):
            return answer
        with Stub(cut) as stub, using(stub.url, timeout=2, retries=1) as client:
            equal((answer, client.error("Unavailable", do="submit", document=GOOD)["outcome"]), (answer, "unknown"))
            equal((answer, client.error("Unavailable", do="check", document=GOOD)["outcome"]), (answer, "none"))


def as_json(value, status=201):
    return status, {"Content-Type": "application/json"}, json.dumps(value).encode()


@claim
def an_answer_that_does_not_say_what_was_recorded_is_no_acceptance():
    whole = json.loads(created()[2])
    document = whole["documents"][0]
    bodies = [{}, [], None, "accepted", 5, True, {"baton": 1}, {**whole, "documents": []}, {**whole, "documents": [1]}, {**whole, "documents": {}}]
    bodies += [{**whole, "documents": [{**document, **wrong}]} for wrong in ({"verdict": None}, {"verdict": "fine"}, {"record": None}, {"record": "x#5"}, {"findings": [1]}, {"findings": 5})]
    bodies += [{**whole, "documents": [{name: value for name, value in document.items() if name != left}]} for left in ("record", "verdict")]
    for body in bodies:
        for status in (200, 201):
            with Stub(answering(as_json(body, status))) as stub, using(stub.url, timeout=5, retries=0) as client:
                found = client.do(do="submit", document=GOOD)
                if found.get("error") not in ("Unavailable", "Rejected") or found.get("outcome", "unknown") != "unknown":
                    raise AssertionError(f"{status} {body}: {found}")
    for body in bodies[:11]:
        with Stub(answering(as_json(body, 200))) as stub, using(stub.url, timeout=5, retries=0) as client:
            equal((body, client.error("Unavailable", do="check", document=GOOD)["outcome"]), (body, "none"))
    with Stub(answering(created())) as stub, using(stub.url, timeout=5, retries=0) as client:  # the control
        equal(client.ok(do="submit", document=GOOD)["seq"], 5)


@claim
def a_problem_with_members_of_other_types_is_an_error_all_the_same():
    finding = {"code": "SCHEMA_REQUIRED", "severity": "HARD", "stage": "schema", "pointer": "", "message": "it is missing"}
    for members in ({"findings": 5}, {"findings": [1, None]}, {"findings": {"a": 1}}, {"findings": [{"code": 1}]}, {"findings": [finding, {}]}, {"detail": [1]}, {"record": True},
                    {"record": {"seq": 3, "ref": "x#3"}, "findings": [1]}, {"record": {"seq": 3, "ref": "x#3"}, "findings": 7}, {"outcome": 7}, {"outcome": "perhaps"}, {"code": 5}):
        for status in (422, 500, 503):
            with Stub(answering(problem(status, "SCHEMA_REQUIRED", **members) if "code" not in members else (status, {"Content-Type": "application/problem+json"}, b'{"code":5}'))) as stub, \
                    using(stub.url, timeout=5, retries=0) as client:
                found = client.do(do="submit", document=GOOD)
                if found.get("error") not in ("Problem", "Unavailable", "Rejected") or found.get("outcome", "none") not in ("none", "unknown"):
                    raise AssertionError(f"{status} {members}: {found}")


@claim
def a_retry_after_that_cannot_be_read_is_left_out_and_a_far_one_ends_the_call():
    for text, expected in (("18446744073709551615", None), ("99999999999999999999999", None), ("-1", None), ("1e3", None), ("0x10", None), ("soon", None), ("Wed, 21 Oct 2015 07:28:00 GMT", 2),
                           ("Fri, 31 Dec 9999 23:59:59 GMT", 1), ("Fri, 31 Dec 99999 23:59:59 +9999", None), (",", None), ("1970-01-01", None)):
        with Stub(answering(with_field(problem(503, "OVERLOADED", outcome="none"), "Retry-After", text))) as stub, using(stub.url, timeout=20, retries=1) as client:
            equal((text, client.error("Unavailable", do="submit", document=GOOD)["outcome"]), (text, "none"))
            if expected is not None or len(stub.requests) not in (1, 2):
                equal((text, len(stub.requests)), (text, expected))


@claim
def an_answer_that_never_ends_is_no_answer():
    head = b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n"
    for text in (b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 201 Created\r\nX: y\r\n", head + b"Content-Length: 100000000\r\n\r\n" + b" " * 100_000_000, head + b"\r\n" + b" " * 100_000_000):
        with Stub(answering(text)) as stub, using(stub.url, timeout=2, retries=0) as client:
            equal(client.error("Unavailable", do="submit", document=GOOD)["outcome"], "unknown")


@claim
def an_event_that_cannot_be_read_is_not_passed_over():
    for data in ("{", "5", "[1]", "NaN", '"text"'):
        text = f'id: 1\nevent: entry\ndata: {data}\n\nid: 2\nevent: entry\ndata: {{"seq": 2}}\n\n'.encode()
        with Stub(answering((200, {"Content-Type": "text/event-stream"}, text))) as stub, using(stub.url, timeout=5, retries=0) as client:
            equal((data, client.do(do="feed", after=0, count=1).get("error")), (data, "Unavailable"))


@claim
def a_password_in_a_url_is_not_repeated_in_the_error():
    driver = Driver()
    for url in ("ftp://user:sesame@127.0.0.1", "http://user:sesame@127.0.0.1:1", "http://user:sesame@127.0.0.1:port", "http://user:sesame@[::1", "user:sesame@127.0.0.1", "unix:user:sesame@x",
                "unix:/user:sesame@x?y", "http://user:sesame @127.0.0.1", "http://user:%zz-sesame@127.0.0.1", "http://[sesame]/", "http://127.0.0.1:sesame/"):
        told = driver.error("Invalid", do="new", url=url)["text"]
        if "sesame" in told:
            raise AssertionError(f"{url}: {told}")
    driver.close()


@claim
def a_server_of_another_major_version_is_not_used():
    for version in ("1.0.0", "99.1.2"):
        with Stub(answering(created()), version=version) as stub, using(stub.url) as client:
            client.error("Incompatible", do="submit", document=GOOD)
            client.error("Incompatible", do="check", document=GOOD)
            equal(stub.requests, [])
    with Stub(lambda *_: (200, {"Content-Type": "application/json"}, b"{}"), version=None) as stub, using(stub.url) as client:
        client.error("Incompatible", do="submit", document=GOOD)


@claim
def an_unsuitable_url_is_refused_and_a_token_does_not_travel_in_clear():
    driver = Driver()
    for url in ("ftp://127.0.0.1", "http://user@127.0.0.1:1", "http://user:word@127.0.0.1:1", "http://127.0.0.1:1/#part", "http://127.0.0.1:1/?a=b",
                "127.0.0.1:8420", "http://", "http://127.0.0.1:99999", "http://127.0.0.1 :1", "http://a\nb:1", ""):
        driver.error("Invalid", do="new", url=url)
    for url in ("http://192.0.2.1:8420", "http://baton.example", "http://localhost.example:8420", "http://127.example:1", "http://[2001:db8::1]:8420"):
        driver.error("Invalid", do="new", url=url, token="bt_secret")
        driver.ok(do="new", url=url)
        driver.ok(do="new", url=url, token="bt_secret", insecure=True)
        driver.ok(do="new", url=url.replace("http:", "https:"), token="bt_secret")
    for url in ("http://127.0.0.1:8420", "http://127.9.9.9:8420", "http://localhost:8420", "http://[::1]:8420"):
        driver.ok(do="new", url=url, token="bt_secret")
    driver.error("Invalid", do="new", url="http://127.0.0.1:8420", token="two\r\nlines")
    driver.close()


@claim_if(HAS_UNIX, "fetch has no Unix sockets")
def a_unix_socket_is_a_server_too():
    with serving(tokens=ACCOUNTS) as server:
        other = subprocess.Popen([BATON, "serve", "--listen", "unix:s.sock", "--store", "s.db", "--tokens", "tokens.json", "-f", "json"],
                                 cwd=server.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment())
        other.stdout.readline()
        try:
            with using(f"unix:{server.folder.resolve() / 's.sock'}", token=server.tokens["agent"]) as client:
                equal(client.ok(do="submit", document=GOOD)["seq"], 0)
        finally:
            other.terminate()
            other.communicate(timeout=TIMEOUT_S)


@claim
def what_is_taken_is_acknowledged_or_delivered_again():
    with serving(tokens=ACCOUNTS) as server, using(address(server), token=server.tokens["agent"]) as client:
        for _ in range(3):
            submit(server)
        acts = ["nack", "ack", "leave", "raise", "leave"]
        found = client.ok(do="inbox", agent="patch-builder", acts=acts, max=1, lease_s=60, wait_s=2)["items"]
        equal([(item["seq"], item["attempt"], item["result"]) for item in found],
              [(0, 1, "ok"), (0, 2, "ok"), (1, 1, None), (2, 1, None), (2, 2, None)])
        equal({(item["source"], item["document"]) for item in found}, {("release-planner", GOOD)})
        entries = server.ask("GET", "/v1/handoffs?kind=delivery&order=asc", headers={"Authorization": f"Bearer {server.tokens['agent']}"}).json()["entries"]
        equal([(entry["entry"]["refs"]["event"], entry["entry"]["refs"]["message"]) for entry in entries],
              [("failed", "h0"), ("delivered", "h0"), ("delivered", "h1"), ("failed", "h2"), ("delivered", "h2")])


@claim
def an_inbox_waits_for_what_comes():
    with serving(tokens=ACCOUNTS) as server, using(address(server), token=server.tokens["agent"]) as client:
        client.send(do="inbox", agent="patch-builder", acts=["ack"], max=10, lease_s=60, wait_s=1)
        time.sleep(1.5)  # longer than one take waits
        submit(server)
        equal([item["seq"] for item in client.read()["ok"]["items"]], [0])


@claim
def a_stream_goes_on_without_a_gap_and_without_a_repeat():
    with serving(tokens=ACCOUNTS) as server, Proxy(server.port, events=2) as proxy, using(proxy.url, token=server.tokens["agent"]) as client:
        for _ in range(4):
            submit(server)
        client.send(do="feed", after=0, count=7)
        equal(client.read(), {"event": 1})
        for _ in range(4):
            submit(server)
        equal(client.read()["ok"]["seqs"], [1, 2, 3, 4, 5, 6, 7])
        streams = [last for first, _, last in proxy.seen if "/stream" in first]
        if len(streams) < 4 or streams[:4] != ["0", "2", "4", "6"]:
            raise AssertionError(f"the stream was taken up after {streams}")


@claim
def a_stream_that_begins_now_begins_with_the_next_entry():
    with serving(tokens=ACCOUNTS) as server, using(address(server), token=server.tokens["agent"]) as client:
        client.send(do="feed", count=2)  # the ledger is empty
        threading.Timer(1.5, submit, [server]).start()
        equal(client.read(), {"event": 0})
        submit(server)
        equal(client.read()["ok"]["seqs"], [0, 1])
        client.send(do="feed", count=1, verdict="rejected")
        time.sleep(1)
        submit(server)
        submit(server, BAD)
        equal(client.read(), {"event": 3})
        equal(client.read()["ok"]["seqs"], [3])


@claim
def an_approval_is_shown_granted_used_denied_and_revoked():
    with serving(tokens=ACCOUNTS) as server, using(address(server), token=server.tokens["person"]) as person, \
            using(address(server), token=server.tokens["agent"]) as agent:
        def ask(command):
            text = fenced(envelope({"/approval_request": {**REQUEST, "exact_content": command}}, "APPROVAL_REQUEST"))
            headers = {"Authorization": f"Bearer {server.tokens['agent']}", "Content-Type": "text/markdown"}
            return server.ask("POST", "/v1/handoffs", text, headers).json()["submit"]["approval"]["id"]
        first = ask("terraform apply")
        pending = person.ok(do="approvals", status="pending")["approvals"]
        equal([item["id"] for item in pending], [first])
        equal(person.error("Problem", do="grant", id=first, fingerprint="0" * 64)["code"], "APPROVAL_TAMPERED")
        equal(person.ok(do="show", id=first), {"status": "pending"})
        equal(person.ok(do="grant", id=first, fingerprint=pending[0]["fingerprint"]), {"status": "approved"})
        equal(agent.error("Problem", do="use", command="terraform destroy")["status"], 409)
        equal(agent.ok(do="use", command="terraform apply"), {"granted": True})
        equal(agent.error("Problem", do="use", command="terraform apply")["status"], 409)
        equal(agent.error("Problem", do="grant", id=first, fingerprint=pending[0]["fingerprint"])["code"], "SCOPE_MISSING")
        equal(person.ok(do="deny", id=ask("rm -r one"), reason="no"), {"status": "rejected"})
        second = ask("rm -r two")
        fingerprint = [item["fingerprint"] for item in person.ok(do="approvals")["approvals"] if item["id"] == second][0]
        person.ok(do="show", id=second)
        person.ok(do="grant", id=second, fingerprint=fingerprint)
        equal(person.ok(do="revoke", id=second, reason="changed my mind"), {"status": "revoked"})
        equal(person.error("Problem", do="show", id="P-" + "0" * 32)["status"], 404)


sys.exit(finish())
