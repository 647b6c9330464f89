# SPDX-License-Identifier: Apache-2.0
"""test_rest_nodes.py BATON - two servers on one database: a request may go to either, and again to the other; what one sends to a webhook the other does not."""
import contextlib
import pathlib
import sys
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

import postgres_server  # noqa: E402
from handoffs import handoff, text_of  # noqa: E402
from program import claim, equal, expect, finish, folder, run, until  # noqa: E402
from receiver import HOLD, Receiver  # noqa: E402
from server import Server, bearer  # noqa: E402

JSON = {"Content-Type": "application/json"}


def submit(node, number, key):
    return node.ask("POST", "/v1/handoffs", text_of(handoff(context={"summary": f"Number {number}"})), {**JSON, "Idempotency-Key": key})


def take(node):
    return [item["message"] for item in node.ask("POST", "/v1/inbox/patch-builder/take", {}, JSON).json()["items"]]


@contextlib.contextmanager
def serving(count, config=""):
    """Servers on a ledger of their own."""
    name = f"d{uuid.uuid4().hex}"
    postgres_server.psql(DATABASE.url, f"CREATE DATABASE {name}")
    url = DATABASE.url.replace("@/postgres?", f"@/{name}?")
    with folder({"baton.yaml": config}) as place, contextlib.ExitStack() as stack:
        expect(run("ledger", "init", "--store", url, "--origin", "two.example/log", cwd=place), 0)
        nodes = [Server(place, "--store", url) for _ in range(count)]
        for node in nodes:
            node.store = url
            stack.callback(node.stop)
        yield nodes


@claim
def two_nodes_on_one_database_are_one_server():
    with serving(2) as nodes:
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


@contextlib.contextmanager
def sending(before=""):
    """Two nodes, of which one sends the first of eleven and waits for the answer, and the other has sent ten; and whom they send to."""
    with contextlib.closing(Receiver({"/in": [HOLD]})) as receiver:
        with serving(2, f"deliver: {{webhooks: [{{target: patch-builder, url: {receiver.url}/in}}]}}\n") as nodes:
            postgres_server.psql(nodes[0].store, before)
            equal(submit(nodes[0], 0, "k0").status, 201)
            until(lambda: receiver.holds() == 1)
            for number in range(1, 11):
                equal(submit(nodes[number % 2], number, f"k{number}").status, 201)
            until(lambda: len(receiver.posts) >= 11)
            yield nodes, receiver
            receiver.released.set()


def sent(receiver):
    return [headers["idempotency-key"] for headers, _ in receiver.at("/in")]


@claim
def what_one_node_is_sending_to_a_webhook_the_other_leaves_alone():
    with sending() as (nodes, receiver):  # the other looks at the oldest first, and has passed over the one that is being sent
        receiver.released.set()
        delivered = "/v1/handoffs?kind=delivery&limit=100"
        until(lambda: len(nodes[0].ask("GET", delivered, headers=bearer(nodes[0].console)).json()["entries"]) == 11)
        equal((len(set(sent(receiver))), len(sent(receiver))), (11, 11))


FORGET_LEASES = """
CREATE FUNCTION baton.forget() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.lease_until := 0; RETURN NEW; END';
CREATE TRIGGER forget BEFORE UPDATE ON baton.queue FOR EACH ROW EXECUTE FUNCTION baton.forget()"""


@claim
def without_its_lease_the_other_would_send_it_as_well():
    with sending(FORGET_LEASES) as (_, receiver):
        equal((receiver.holds(), sent(receiver)[1]), (1, sent(receiver)[0]))


@claim
def whoever_reads_does_not_wait_for_a_query_that_hangs():
    with serving(1, "limits: {write_timeout_s: 1}\n") as (node,):
        def read():
            return node.ask("GET", "/v1/handoffs", headers=bearer(node.console))

        equal((submit(node, 0, "k").status, read().status), (201, 200))
        with postgres_server.holding(node.store, "LOCK TABLE baton.ledger_entry IN ACCESS EXCLUSIVE MODE"):
            answer = read()  # within its deadline, whatever the database takes
            equal((answer.status, answer.json()["code"]), (503, "STORE_UNAVAILABLE"))
        until(lambda: read().status == 200)


if postgres_server.missing():
    print(f"1..0 # SKIP {postgres_server.missing()}")
    sys.exit(0)
with postgres_server.hosting() as DATABASE:
    sys.exit(finish())
