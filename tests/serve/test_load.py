# SPDX-License-Identifier: Apache-2.0
"""test_load.py BATON - a server that does everything at once: many connections judge, submit, follow, take, ask for figures and reload, and webhooks are told.

In the suite `threads`, so that it runs under the sanitizer for threads as well: what that finds ends the server with another code than 0."""
import concurrent.futures
import contextlib
import json
import pathlib
import signal
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import claim, equal, finish, until  # noqa: E402
from raw_server import Connection, serving  # noqa: E402
from receiver import Receiver  # noqa: E402
from submitters import numbered  # noqa: E402

ROUNDS = 12
CLIENTS = 8
WAITING = 70  # more than the server has threads that may wait
CARD = {"a2a_version": "1.0"}
MCP = {"accept": "application/json, text/event-stream", "mcp_protocol_version": "2025-11-25"}
HELD = "log: {level: error}\nlimits: {record_deadline_ms: 60000}\n"
HASTY = "log: {level: error}\nlimits: {record_deadline_ms: 100}\n"
MESSAGE = {"role": "ROLE_USER", "parts": [{"text": "{}"}], "metadata": {"urn:baton:a2a:handoff:v1": {"operation": "check", "dialect": "universal"}}}
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()


def ping(server):
    return server.ask("POST", "/mcp", PING, **MCP)


def tool_call(number):
    """A submission through MCP: its path, body and headers."""
    call = {"name": "submit_handoff", "arguments": {"document": numbered(number).decode(), "idempotency_key": f"m{number}"}}
    body = json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}).encode()
    return "/mcp", body, MCP


def sent_message(number):
    """The same through A2A."""
    message = {"messageId": f"s{number}", "role": "ROLE_USER", "parts": [{"text": numbered(number).decode()}]}
    return "/a2a/message:send", json.dumps({"message": message}).encode(), {"content_type": "application/a2a+json", **CARD}


def seq_of(answer):
    """Where the record is that an answer tells of, whatever door it came through."""
    said = answer.json
    if "task" in said:
        artifacts = {item["artifactId"]: item for item in said["task"]["artifacts"]}
        said = artifacts["report"]["parts"][0]["data"]
    elif "result" in said:
        said = said["result"]["structuredContent"]
    return said["documents"][0]["record"]["seq"]


def begin(server, door, number):
    """A connection on which a submission was sent, and no answer was read."""
    path, body, headers = door(number)
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in {"content_type": "application/json", **headers}.items())
    return Connection(server.place).send(f"POST {path} HTTP/1.1\r\nHost: {server.host}\r\n{lines}Content-Length: {len(body)}\r\n\r\n".encode() + body)


def end(connection):
    """Its answer."""
    with connection:
        return connection.answer()


def read_feed(server):
    """Follow the feed until it has told of something."""
    with Connection(server.place) as connection:
        connection.send(f"GET /v1/handoffs/stream HTTP/1.1\r\nHost: {server.host}\r\nLast-Event-ID: 0\r\n\r\n".encode())
        return next(line for line in connection.stream if line.startswith(b"data: ")) != b""


def work(server, number):
    """A bit of everything; the statuses."""
    sent = json.dumps({"message": {"messageId": f"m{number}", **MESSAGE}}).encode()
    said = [server.ask("POST", "/v1/handoffs", numbered(number), idempotency_key=f"k{number // 2}"),
            server.ask("POST", "/v1/check?as=universal", b'{"handoff":{}}'),
            server.ask("POST", "/a2a/message:send", sent, content_type="application/a2a+json", **CARD),
            ping(server),
            server.ask("POST", "/v1/inbox/tax-writer/take", b'{"max":1}'),
            server.ask("GET", "/v1/handoffs?limit=5"),
            server.as_admin("GET", "/metrics"),
            server.ask("GET", "/readyz")]
    for first, door in ((10 ** 7, tool_call), (2 * 10 ** 7, sent_message)) if number % 4 == 0 else ():
        path, body, headers = door(first + number)
        said.append(server.ask("POST", path, body, **headers))
        seq_of(said[-1])
    if number % 10 == 0:
        server.signal(signal.SIGHUP)
        read_feed(server)
    return [answer.status for answer in said]


def config(receiver):
    hooks = [f"{{target: {target}, url: {receiver.url}/in}}" for target in ("patch-builder", "b", "c", "d")]
    return f"log: {{level: error}}\ndeliver: {{webhooks: [{', '.join(hooks)}]}}\n"


@claim
def what_many_do_at_once_is_done_as_if_alone():
    with contextlib.closing(Receiver({"/in": [500]})) as receiver, serving(store=True, files={"baton.yaml": config(receiver)}) as server:
        first = server.ask("POST", "/v1/handoffs", numbered(10 ** 6))
        equal(first.status, 201)
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            rows = list(pool.map(lambda number: work(server, number), range(CLIENTS * ROUNDS)))
        # Every key was used for two documents: one is recorded, the other refused.
        equal(sorted({row[0] for row in rows}), [201, 422])
        equal(sum(row[0] == 201 for row in rows), CLIENTS * ROUNDS // 2)
        equal({status for row in rows for status in row[1:]}, {200})
        accepted = 1 + CLIENTS * ROUNDS // 2 + 2 * (CLIENTS * ROUNDS // 4)
        until(lambda: len({headers["idempotency-key"] for headers, _ in receiver.at("/in")}) == accepted)


@claim
def who_is_late_while_another_holds_the_store_is_told_so_and_decided_when_it_comes_again():
    def submit(number, wanted=None):
        answer = server.ask("POST", "/v1/handoffs", numbered(number), idempotency_key=f"k{number}")
        return answer if wanted in (None, answer.status) else None

    with serving(store=True, files={"baton.yaml": HASTY}) as server:
        other = sqlite3.connect(server.folder / ".baton/store.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            late = list(pool.map(submit, range(CLIENTS * 2)))
            equal({(answer.status, answer.json["code"], answer.json["outcome"]) for answer in late}, {(503, "STORE_UNAVAILABLE", "none")})
            equal(server.ask("POST", "/v1/check?as=universal", b'{"handoff":{}}').status, 200)
            other.close()
            again = list(pool.map(lambda number: until(lambda: submit(number, 201)), range(CLIENTS * 2)))
        equal(sorted(answer.json["documents"][0]["record"]["seq"] for answer in again), list(range(CLIENTS * 2)))


@claim
def what_comes_through_other_doors_keeps_no_thread_while_another_holds_the_store():
    for door in (tool_call, sent_message):
        with serving(store=True, files={"baton.yaml": HELD}) as server:
            other = sqlite3.connect(server.folder / ".baton/store.db", isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            waiting = [begin(server, door, number) for number in range(WAITING)]
            for _ in range(3):
                equal(ping(server).status, 200)  # in a thread that may wait
            other.close()
            equal(sorted(seq_of(end(connection)) for connection in waiting), list(range(WAITING)))


@claim
def who_is_late_at_another_door_is_told_that_nothing_was_recorded():
    with serving(store=True, files={"baton.yaml": HASTY}) as server:
        other = sqlite3.connect(server.folder / ".baton/store.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        tools, tasks = ([begin(server, door, number) for number in range(CLIENTS)] for door in (tool_call, sent_message))
        for result in (end(connection).json["result"] for connection in tools):
            equal((result["isError"], result["content"][0]["text"]), (True, "STORE_UNAVAILABLE: nothing was recorded"))
        for answer in map(end, tasks):
            equal((answer.status, "STORE_UNAVAILABLE" in answer.body.decode()), (503, True))
        other.close()
        equal(server.ask("GET", "/v1/handoffs?limit=1").json["entries"], [])
        for door in (tool_call, sent_message):
            until(lambda: "seq" in end(begin(server, door, 0)).body.decode())


sys.exit(finish())
