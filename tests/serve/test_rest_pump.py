# SPDX-License-Identifier: Apache-2.0
"""test_rest_pump.py BATON - the pump through REST: messages handed over, replies read, looked at; and when it does not run."""
import contextlib
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import claim, equal, finish, until  # noqa: E402
from pump_place import Place, listener, message, organism, thread  # noqa: E402
from server import bearer, serving  # noqa: E402

XML = {"Content-Type": "application/xml"}
JSON = {"Content-Type": "application/json"}
TOKENS = {"alice": ("submit", "--pump-client", "alice"), "other": "check,submit", "boss": "operate"}


@contextlib.contextmanager
def scene(running=True, document=None):
    with Place(document) as place:
        with place.pump() if running else contextlib.nullcontext():
            with serving("--organism", str(place.top / "organism.yaml"), tokens=TOKENS) as server:
                server.place = place
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
        for who in ("other", "boss"):
            equal((who, send(server, message(1, 2, on=3), who).status), (who, 403))


@claim
def a_client_speaks_only_for_itself_and_the_attempt_is_recorded():
    with scene() as server:
        for path in ("/v1/pump/send", "/v1/handoffs"):
            stray = send(server, message(1, 2, on=5, sender="mallory"), path=path)
            found = [one for one in stray.json()["findings"] if one["code"] == "AGENT_BINDING_MISMATCH"]
            equal((stray.status, stray.json()["code"]), (403, "AGENT_BINDING_MISMATCH"))
            equal((found[0]["pointer"], found[0]["params"], found[0]["security"]), ("/message/meta/from", {"claimed": "mallory"}, True))
            shown = server.ask("GET", f"/v1/handoffs/{stray.json()['record']['seq']}", headers=server.who["alice"]).json()["entry"]
            equal((shown["dialect"], shown["verdict"], shown["source"], shown["trace_id"]), ("xml", "rejected", "mallory", thread(5)))
        equal(server.ask("GET", f"/v1/pump/threads/{thread(5)}/replies", headers=server.who["alice"]).status, 404)


@claim
def a_rejected_message_is_judged_again_by_the_organism():
    """What the pump rejected says why, and repair does not call it accepted. The control: who may not see the organism is not told."""
    with Place() as place, serving("--organism", str(place.top / "organism.yaml"), tokens={**TOKENS, "plain": "submit"}) as server:
        with place.pump("--store", str(server.folder / "s.db")):
            server.who = {name: bearer(token) for name, token in server.tokens.items()}
            refused = send(server, message(1, 2, on=6, to="nobody"))
            code = refused.json()["code"]
            found = server.ask("GET", "/v1/handoffs?dialect=xml&verdict=rejected", headers=server.who["boss"]).json()["entries"]
            equal((refused.status >= 400, [item["entry"]["codes"] for item in found]), (True, [[code]]))
            for part in ("report", "repair"):
                answer = server.ask("GET", f"/v1/handoffs/{found[0]['seq']}/{part}", headers=server.who["boss"])
                document = answer.json()["documents"][0]
                equal((part, answer.status, document["verdict"], [one["code"] for one in document["findings"]]), (part, 200, "rejected", [code]))
        plain = server.ask("POST", "/v1/check?as=xml", message(1, 2, on=6, to="nobody"), {**XML, **server.who["other"]}).json()["documents"][0]
        equal(code in [one["code"] for one in plain["findings"]], False)


def a2a(server, number, text, who="alice"):
    document = {"messageId": number, "role": "ROLE_USER", "parts": [{"text": text, "mediaType": "application/xml"}]}
    return server.ask("POST", "/a2a/message:send", {"message": document}, {**JSON, "A2A-Version": "1.0", **server.who[who]})


@claim
def a_message_goes_to_the_pump_through_a2a():
    with scene() as server:
        told = a2a(server, "m1", message(3, 4, on=8, ident="n1")).json()["task"]
        equal((told["status"]["state"], told["artifacts"][0]["parts"][0]["data"]["messages"][0]["thread"]), ("TASK_STATE_COMPLETED", thread(8)))
        until(lambda: replies(server, 8), "a reply")
        equal(a2a(server, "m1", message(3, 4, on=8, ident="n1")).json()["task"]["id"], told["id"])
        equal(len(replies(server, 8)), 1)
        bad = a2a(server, "m2", message(3, 4, on=9, to="nobody")).json()["task"]
        finding = bad["artifacts"][0]["parts"][0]["data"]["documents"][0]["findings"][0]
        equal((bad["status"]["state"], finding["severity"]), ("TASK_STATE_REJECTED", "HARD"))
        stray = a2a(server, "m3", message(3, 4, on=9, sender="mallory")).json()["task"]
        equal(stray["status"]["state"], "TASK_STATE_REJECTED")
        refused = a2a(server, "m4", message(3, 4), "other")
        equal((refused.status, refused.json()["scope"]), (403, "pump_client"))


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


def sockets(server):
    """How many sockets the server has open."""
    folder = f"/proc/{server.child.pid}/fd"
    return sum(os.readlink(f"{folder}/{name}").startswith("socket:") for name in os.listdir(folder) if os.path.islink(f"{folder}/{name}"))


@claim
def who_only_asks_for_the_head_of_the_events_leaves_no_connection_to_the_pump():
    with scene() as server:
        before = sockets(server)
        for _ in range(8):
            equal(server.ask("HEAD", "/v1/pump/events", headers=server.who["boss"]).status, 200)
        until(lambda: sockets(server) == before, "the sockets to be closed")


def waiting(server):
    """Items that wait, by queue."""
    said = server.ask("GET", "/metrics", headers=server.who["boss"]).body.decode()
    return {queue: int(number) for queue, number in re.findall(r'^baton_queue_items{queue="(\w+)"} (\d+)$', said, re.M)}


@claim
def what_waits_in_the_pump_is_told_in_figures():
    with scene(document=organism(listener("calc", "slow"))) as server:
        equal(waiting(server), {"inbox": 0, "webhook": 0, "pump": 0})
        for number in range(2):
            equal(send(server, message(1, number, on=number)).status, 202)
        until(lambda: waiting(server) == {"inbox": 0, "webhook": 0, "pump": 2}, "two messages in the figures")
        server.place.write("tools/go", "")
        until(lambda: waiting(server) == {"inbox": 0, "webhook": 0, "pump": 0}, "none")
    with scene(running=False) as server:
        equal(waiting(server), {"inbox": 0, "webhook": 0})


@claim
def without_a_pump_that_runs_nothing_is_acknowledged():
    with scene(running=False) as server:
        for path in ("/v1/pump/send", "/v1/handoffs"):
            equal(send(server, message(1, 2), path=path).status, 503)
        equal(server.ask("GET", "/readyz").status, 200)  # it is not the store that failed
        equal(a2a(server, "m1", message(1, 2)).json()["error"]["status"], "UNAVAILABLE")
        equal(server.ask("GET", "/v1/pump/status", headers=server.who["boss"]).status, 503)
    with serving(tokens=TOKENS) as server:
        equal(server.ask("GET", "/v1/pump/status", headers=bearer(server.tokens["boss"])).status, 404)


sys.exit(finish())
