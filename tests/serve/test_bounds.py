# SPDX-License-Identifier: Apache-2.0
"""test_bounds.py BATON MODULE - nobody takes everything: bodies that are announced and do not come, answers that nobody reads, callers without credentials, requests one behind
the other; and calls that a signal interrupts (MODULE, for LD_PRELOAD), in clear and over TLS."""
import base64
import contextlib
import json
import pathlib
import random
import re
import signal
import socket
import struct
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import SANITIZED, TIMEOUT_S, claim, claim_if, equal, finish, until  # noqa: E402
from raw_server import CHECK, Connection, make_certificate, serving, trusting  # noqa: E402

MODULE = str(pathlib.Path(sys.argv[2]).resolve())
ELSEWHERE = "127.0.0.2"
FEW = "limits: {in_flight: 8}\nlog: {level: error}\n"
WAIT = json.dumps({"wait_s": 30}).encode()


def request(server, method, path, body=None, **fields):
    lines = {"host": server.host, **({} if body is None else {"content-length": str(len(body)), "content-type": "application/json"}), **fields}
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + (body or b"")


def sent_from(server, stack, source, data):
    """A connection from an address, on which these bytes were sent."""
    return stack.enter_context(server.connect(source=source)).send(data)


@claim
def a_body_that_does_not_come_keeps_nobody_out():
    for config, announced in ((FEW, "5"), ("limits: {body_memory_bytes: 1048576, body_bytes: 1048576, document_bytes: 1048576}\n", "1048576")):
        with serving(files={"baton.yaml": config}) as server, contextlib.ExitStack() as stack:
            post = request(server, "POST", "/v1/check", content_length=announced, content_type="application/json", expect="100-continue")
            for number in range(24):
                slow = sent_from(server, stack, ("127.0.0.1", ELSEWHERE)[number % 2], post)
                equal(slow.answer().status, 100)  # its head was read
            equal(server.ask("POST", "/v1/check?as=universal", CHECK).status, 200)


@claim
def a_body_where_none_is_taken_is_refused_at_once():
    with serving(store=True) as server:
        for method, path in (("GET", "/healthz"), ("HEAD", "/healthz"), ("GET", "/openapi.json"), ("GET", "/v1/rules"), ("DELETE", "/v1/contract/state")):
            for field in ({"content_length": "5"}, {"transfer_encoding": "chunked"}):
                data = request(server, method, path, **field, authorization=f"Bearer {server.token}")
                with server.connect() as connection:
                    answer = connection.send(data).answer(method == "HEAD")
                    equal((method, path, answer.status, connection.is_closed()), (method, path, 413, True))
                if method != "HEAD":
                    equal((answer.code, "without a body" in answer.json["detail"]), ("BODY_TOO_LARGE", True))
        equal(server.raw(request(server, "GET", "/healthz", content_length="0")).status, 200)


@claim
def who_resets_behind_a_bad_request_ends_nothing():
    with serving(files={"baton.yaml": "log: {level: error}\n"}) as server:
        for number in range(600):
            with server.connect() as connection:
                connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closing resets
                connection.socket.sendall(request(server, "GET", "/nothing") * (1 + number % 60) + b"BAD\r\n\r\n")
                time.sleep(number % 7 * 0.0002)
        equal(server.ask("GET", "/healthz").status, 200)


def waiting_calls(server, stack, source, **fields):
    """Ten calls that wait for something to take; the statuses of those that are answered at once."""
    calls = [sent_from(server, stack, source, request(server, "POST", "/v1/inbox/a/take", WAIT, **fields)) for _ in range(10)]
    refused = []

    def answered():
        for call in calls:
            call.socket.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                if call.socket.recv(1, socket.MSG_PEEK):
                    call.socket.setblocking(True)
                    refused.append(call.answer())
            call.socket.setblocking(True)
        calls[:] = [call for call in calls if not call.stream.closed and call not in refused]
        return len(refused) >= 4
    until(answered, "refusals")
    return [answer.status for answer in refused]


@claim
def callers_without_credentials_leave_room_for_others_and_so_does_an_address():
    for fields in ({}, {"authorization": "Bearer {token}"}):
        with serving(store=True, files={"baton.yaml": FEW}) as server, contextlib.ExitStack() as stack:
            own = {name: value.format(token=server.token) for name, value in fields.items()}
            equal(waiting_calls(server, stack, "127.0.0.1", **own)[:4], [503] * 4)
            other = request(server, "POST", "/v1/check?as=universal", CHECK, authorization=f"Bearer {server.token}")
            equal(sent_from(server, stack, ELSEWHERE, other).answer().status, 200)


@claim
def an_answer_that_nobody_reads_keeps_nobody_out():
    with serving(files={"baton.yaml": "limits: {in_flight: 2}\nlog: {level: error}\n"}) as server, contextlib.ExitStack() as stack:
        many = request(server, "GET", "/openapi.json") * 60
        for _ in range(6):
            deaf = stack.enter_context(Connection.__new__(Connection))
            deaf.socket = socket.socket()
            deaf.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.socket.settimeout(TIMEOUT_S)
            deaf.socket.connect(server.place)
            deaf.stream = deaf.socket.makefile("rb")
            deaf.send(many)
        def active():
            said = server.as_admin("GET", "/metrics")
            return int(said.body.decode().split('baton_http_connections{state="active"} ')[1].split("\n")[0]) if said.status == 200 else 0
        # All six hold an answer that does not go out: besides them there is the one that asks.
        until(lambda: active() >= 7, "answers that wait")
        for _ in range(5):
            equal(server.ask("GET", "/healthz").status, 200)


@claim
def who_sends_many_requests_at_once_takes_turns_with_others():
    count = 3000
    with serving() as server, server.connect() as greedy, server.connect() as modest:
        for connection in (greedy, modest):
            equal(connection.send(request(server, "GET", "/healthz")).answer().status, 200)
        # Both have sent what they want before the server can look at either.
        server.signal(signal.SIGSTOP)
        greedy.send(request(server, "GET", "/nope", x_request_id="greedy") * count)
        modest.send(request(server, "GET", "/nope", x_request_id="modest"))
        server.signal(signal.SIGCONT)
        equal(modest.answer().status, 404)
        # Everything that was sent is answered, though no more bytes come to wake anybody.
        equal({greedy.answer().status for _ in range(count)}, {404})
        order = [event.get("request_id") for event in until(lambda: [e for e in [server.events()] if len(e) >= count + 3], "the log")[0]]
        before = order[:order.index("modest")].count("greedy")
        if before > count // 10:
            raise AssertionError(f"{before} requests of one client went before the one of another")


@contextlib.contextmanager
def serving_tls(**how):
    with tempfile.TemporaryDirectory(prefix="baton-tls-") as folder:
        make_certificate(folder, "cert")
        with serving("--tls-cert", f"{folder}/cert.pem", "--tls-key", f"{folder}/cert.key", **how) as server:
            server.tls = trusting(folder)
            yield server


def talk(server, tls):
    """Requests one by one and at once, small and large; everything is answered in full."""
    check = request(server, "POST", "/v1/check?as=universal", b'{"handoff":{"text":"' + b"x" * 300000 + b'"}}')
    document = server.ask("GET", "/openapi.json", tls=tls).body
    with server.connect(tls) as connection:
        for _ in range(3):
            equal(connection.send(request(server, "GET", "/healthz")).answer().status, 200)
        connection.send(request(server, "GET", "/nope") * 500)
        equal({connection.answer().status for _ in range(500)}, {404})
        equal(connection.send(check).answer().status, 200)
        connection.send(request(server, "GET", "/openapi.json") * 8)
        equal({connection.answer().body == document for _ in range(8)}, {True})


@claim
def what_is_sent_at_once_over_tls_is_answered_without_more_bytes():
    with serving_tls(files={"baton.yaml": "log: {level: error}\n"}) as server:
        talk(server, server.tls)


@claim_if(not SANITIZED, "the sanitizer wants to be loaded first")
def calls_that_are_interrupted_are_made_again():
    how = {"env": {"LD_PRELOAD": MODULE}, "files": {"baton.yaml": "log: {level: error}\n"}}
    with serving(**how) as server:
        talk(server, None)
    with serving_tls(**how) as server:
        talk(server, server.tls)


@claim
def the_log_says_where_an_attack_came_from_and_not_where_a_load_did():
    with serving(files={"baton.yaml": "log: {addresses: true}\nlimits: {connections_per_address: 1}\n"}) as server:
        with server.connect() as held:
            equal(held.send(request(server, "GET", "/healthz", origin="https://evil.example", x_request_id="evil")).answer().status, 403)
            equal(server.raw(b"").status, 503)
        server.stop()
        told = {event["codes"][0]: event.get("address") for event in server.events() if "codes" in event}
        equal(told, {"ORIGIN_NOT_ALLOWED": "127.0.0.1", "OVERLOADED": None})


STORED, STORED_BYTES, THREADS = 120, 60000, 32
GROWTH_KIB_MAX = THREADS * STORED * STORED_BYTES // 1024 // 2  # half of what the store would take in every thread


def memory_kib(server):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{server.process.pid}/status").read_text()).group(1))


@claim_if(not SANITIZED, "a sanitizer keeps memory that was given back")
def the_store_is_not_kept_in_memory_once_per_thread():
    with serving("--workers", str(THREADS), store=True, files={"baton.yaml": "rate: {check: 0, submit: 0}\nlog: {level: error}\n"}) as server:
        token = f"Bearer {server.token}"
        for number in range(STORED):  # refused, recorded and kept
            answer = server.ask("POST", "/v1/handoffs?as=contract", base64.b64encode(random.Random(number).randbytes(STORED_BYTES)), content_type="text/markdown", authorization=token)
            equal((answer.status, answer.code), (400, "CONTRACT_BLOCK_MISSING"))
        equal(sum(path.stat().st_size for path in (server.folder / ".baton").glob("store.db*")) > STORED * STORED_BYTES, True)
        before = memory_kib(server)
        wanted = b"".join(request(server, "HEAD", f"/v1/handoffs/{number}/document", authorization=token) for number in range(STORED))
        for _ in range(4):  # until every thread has read nearly everything
            with contextlib.ExitStack() as stack:
                readers = [stack.enter_context(server.connect()).send(wanted) for _ in range(16)]
                for reader in readers:
                    equal({reader.answer(head=True).status for _ in range(STORED)}, {200})
        growth = memory_kib(server) - before
        equal((growth, growth <= GROWTH_KIB_MAX), (growth, True))


sys.exit(finish())
