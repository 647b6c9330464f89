# SPDX-License-Identifier: Apache-2.0
"""test_rest_pump.py BATON - the pump through REST: messages handed over, replies read, looked at; and when it does not run."""
import contextlib
import sys

from program import claim, equal, finish
from pump_place import Place, message, thread, until
from server import bearer, serving

XML = {"Content-Type": "application/xml"}
TOKENS = {"alice": ("submit", "--pump-client", "alice"), "other": "check,submit", "boss": "operate"}


@contextlib.contextmanager
def scene(running=True):
    with Place() as place:
        with place.pump() if running else contextlib.nullcontext():
            with serving("--organism", str(place.top / "organism.yaml"), tokens=TOKENS) as server:
                server.who = {name: bearer(token) for name, token in server.tokens.items()}
                yield server


def send(server, text, who="alice", path="/v1/pump/send"):
    return server.ask("POST", path, text, {**XML, **server.who[who]})


def replies(server, number):
    return [entry["payload"] for entry in server.ask("GET", f"/v1/pump/threads/{thread(number)}/replies", headers=server.who["alice"]).json()["replies"]]


@claim
def a_message_is_handed_over_and_its_reply_can_be_read():
    with scene() as server:
        for number, path in ((1, "/v1/pump/send"), (2, "/v1/handoffs")):
            answer = send(server, message(number, 2, on=number, ident=f"m{number}"), path=path)
            equal((answer.status, answer.json()["accepted"], answer.json()["messages"][0]["state"]), (202, 1, "accepted"))
            until(lambda n=number: replies(server, n), "a reply")
            equal([f">{number + 2}<" in text for text in replies(server, number)], [True])
        again = send(server, message(1, 2, on=1, ident="m1"))
        equal((again.status, again.json()["messages"][0]["duplicate"]), (202, True))
        refused = send(server, "<no")
        equal((refused.status, refused.headers["content-type"]), (400, "application/problem+json"))
        stray = send(server, message(1, 2, on=5, sender="mallory"))
        equal(stray.status >= 400, True)
        for who in ("other", "boss"):
            equal((who, send(server, message(1, 2, on=3), who).status), (who, 403))


@claim
def operators_look_at_the_pump_and_follow_it():
    with scene() as server:
        who = server.who["boss"]
        equal(server.ask("GET", "/v1/pump/status", headers=who).json()["result"]["state"], "running")
        equal([one["name"] for one in server.ask("GET", "/v1/pump/listeners", headers=who).json()["result"]["listeners"]], ["calc"])
        equal({node["name"] for node in server.ask("GET", "/v1/pump/graph", headers=who).json()["result"]["nodes"]} >= {"alice", "calc"}, True)
        equal("text" in server.ask("GET", "/v1/pump/graph?format=mermaid", headers=who).json()["result"], True)
        equal(server.ask("GET", "/v1/pump/graph?format=svg", headers=who).status, 400)
        equal(send(server, message(1, 2, on=7)).status, 202)
        until(lambda: replies(server, 7), "a reply")
        kinds = [entry["kind"] for entry in server.ask("GET", f"/v1/pump/threads/{thread(7)}?client=alice", headers=who).json()["result"]["entries"]]
        equal((kinds[0], "egress" in kinds), ("ingress", True))
        stream = server.stream("GET", "/v1/pump/events", headers=who)
        equal((stream.status, stream.headers["content-type"]), (200, "text/event-stream"))
        stream.close()


@claim
def without_a_pump_that_runs_nothing_is_acknowledged():
    with scene(running=False) as server:
        equal(send(server, message(1, 2)).status, 503)
        equal(server.ask("GET", "/v1/pump/status", headers=server.who["boss"]).status, 503)
    with serving(tokens=TOKENS) as server:
        equal(server.ask("GET", "/v1/pump/status", headers=bearer(server.tokens["boss"])).status, 404)


sys.exit(finish())
