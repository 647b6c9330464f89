# SPDX-License-Identifier: Apache-2.0
"""test_serve_load.py BATON - a server that does everything at once: many connections judge, submit, follow, take, ask for figures and reload, and webhooks are told.

In the suite `threads`, so that it runs under the sanitizer for threads as well: what that finds ends the server with another code than 0."""
import concurrent.futures
import contextlib
import json
import signal
import sqlite3
import sys

from program import claim, equal, finish, until
from raw_server import Connection, serving
from receiver import Receiver
from submitters import numbered

ROUNDS = 12
CLIENTS = 8
CARD = {"a2a_version": "1.0"}
MESSAGE = {"role": "ROLE_USER", "parts": [{"text": "{}"}], "metadata": {"urn:baton:a2a:handoff:v1": {"operation": "check", "dialect": "universal"}}}
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()


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
            server.ask("POST", "/mcp", PING, accept="application/json, text/event-stream", mcp_protocol_version="2025-11-25"),
            server.ask("POST", "/v1/inbox/tax-writer/take", b'{"max":1}'),
            server.ask("GET", "/v1/handoffs?limit=5"),
            server.as_admin("GET", "/metrics"),
            server.ask("GET", "/readyz")]
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
        equal({tuple(row[1:]) for row in rows}, {(200,) * 7})
        accepted = 1 + CLIENTS * ROUNDS // 2
        until(lambda: len({headers["idempotency-key"] for headers, _ in receiver.at("/in")}) == accepted)


@claim
def who_is_late_while_another_holds_the_store_is_told_so_and_decided_when_it_comes_again():
    def submit(number, wanted=None):
        answer = server.ask("POST", "/v1/handoffs", numbered(number), idempotency_key=f"k{number}")
        return answer if wanted in (None, answer.status) else None

    with serving(store=True, files={"baton.yaml": "log: {level: error}\nlimits: {record_deadline_ms: 100}\n"}) as server:
        other = sqlite3.connect(server.folder / ".baton/store.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            late = list(pool.map(submit, range(CLIENTS * 2)))
            equal({(answer.status, answer.json["code"], answer.json["outcome"]) for answer in late}, {(503, "STORE_UNAVAILABLE", "none")})
            equal(server.ask("POST", "/v1/check?as=universal", b'{"handoff":{}}').status, 200)
            other.close()
            again = list(pool.map(lambda number: until(lambda: submit(number, 201)), range(CLIENTS * 2)))
        equal(sorted(answer.json["documents"][0]["record"]["seq"] for answer in again), list(range(CLIENTS * 2)))


sys.exit(finish())
