# SPDX-License-Identifier: Apache-2.0
"""test_rest_nodes.py BATON - two servers on one database: a request may go to either, and again to the other."""
import sys

import postgres_server
from handoffs import handoff, text_of
from program import claim, equal, expect, finish, folder, run
from server import Server

JSON = {"Content-Type": "application/json"}


def submit(node, number, key):
    return node.ask("POST", "/v1/handoffs", text_of(handoff(context={"summary": f"Number {number}"})), {**JSON, "Idempotency-Key": key})


def take(node):
    return [item["message"] for item in node.ask("POST", "/v1/inbox/patch-builder/take", {}, JSON).json()["items"]]


@claim
def two_nodes_on_one_database_are_one_server():
    with folder({}) as place, postgres_server.running() as url:
        expect(run("ledger", "init", "--store", url, "--origin", "two.example/log", cwd=place), 0)
        nodes = [Server(place, "--store", url), Server(place, "--store", url)]
        try:
            live = nodes[1].stream("GET", "/v1/handoffs/stream")
            first = submit(nodes[0], 0, "k")
            equal((first.status, live.event()["seq"]), (201, 0))
            again = submit(nodes[1], 0, "k")
            equal((again.body, again.headers["idempotency-replayed"]), (first.body, "true"))
            equal(submit(nodes[1], 1, "k").status, 422)
            equal(submit(nodes[1], 1, "l").status, 201)
            equal(live.event()["seq"], 1)
            equal((take(nodes[1]), take(nodes[0])), (["h0", "h1"], []))
            live.close()
        finally:
            for node in nodes:
                node.stop()


if postgres_server.missing():
    print(f"1..0 # SKIP {postgres_server.missing()}")
    sys.exit(0)
sys.exit(finish())
