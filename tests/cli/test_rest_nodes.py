# SPDX-License-Identifier: Apache-2.0
"""test_rest_nodes.py BATON - two servers on one database: a request may go to either, and again to the other; what one sends to a webhook the other does not."""
import contextlib
import sys

import postgres_server
from handoffs import handoff, text_of
from program import claim, equal, expect, finish, folder, run, until
from receiver import HOLD, Receiver
from server import Server, bearer

JSON = {"Content-Type": "application/json"}


def submit(node, number, key):
    return node.ask("POST", "/v1/handoffs", text_of(handoff(context={"summary": f"Number {number}"})), {**JSON, "Idempotency-Key": key})


def take(node):
    return [item["message"] for item in node.ask("POST", "/v1/inbox/patch-builder/take", {}, JSON).json()["items"]]


@contextlib.contextmanager
def two_nodes(config=""):
    with folder({"baton.yaml": config}) as place, postgres_server.running() as url, contextlib.ExitStack() as stack:
        expect(run("ledger", "init", "--store", url, "--origin", "two.example/log", cwd=place), 0)
        nodes = [Server(place, "--store", url), Server(place, "--store", url)]
        for node in nodes:
            stack.callback(node.stop)
        yield nodes


@claim
def two_nodes_on_one_database_are_one_server():
    with two_nodes() as nodes:
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


@claim
def what_one_node_is_sending_to_a_webhook_the_other_leaves_alone():
    with contextlib.closing(Receiver({"/in": [HOLD]})) as receiver:
        with two_nodes(f"deliver: {{webhooks: [{{target: patch-builder, url: {receiver.url}/in}}]}}\n") as nodes:
            equal(submit(nodes[0], 0, "k0").status, 201)
            until(lambda: receiver.holds() == 1)
            for number in range(1, 11):
                equal(submit(nodes[number % 2], number, f"k{number}").status, 201)
            until(lambda: len(receiver.posts) == 11)  # the other node sends the rest, and passes over the first
            receiver.released.set()
            delivered = "/v1/handoffs?kind=delivery&limit=100"
            until(lambda: len(nodes[0].ask("GET", delivered, headers=bearer(nodes[0].console)).json()["entries"]) == 11)
            equal((len({headers["idempotency-key"] for headers, _ in receiver.at("/in")}), len(receiver.posts)), (11, 11))


if postgres_server.missing():
    print(f"1..0 # SKIP {postgres_server.missing()}")
    sys.exit(0)
sys.exit(finish())
