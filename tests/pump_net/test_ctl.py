# SPDX-License-Identifier: Apache-2.0
"""test_ctl.py BATON - the control channel of a running pump: what it answers, and what it does not let happen."""
import json
import os
import pathlib
import resource
import sqlite3
import stat
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from pump_place import INJECT, Place, history, listener, message, organism, payload, replied, thread  # noqa: E402
from program import claim, equal, expect, finish, run, until  # noqa: E402


@claim
def a_running_pump_is_asked_and_told():
    with Place() as place, place.pump() as pump:
        status = place.ask("status")
        equal((status["organism"], status["state"], status["listeners"], status["queued"], status["dead"]), ("t", "running", 1, 0, 0))
        shown = until(lambda: [one for one in place.ask("list")["listeners"] if one["state"] == "ready"], "the host")
        equal([(one["name"], one["tag"], one["host"], one["restarts"]) for one in shown], [("calc", "calc.addpayload", "python", 0)])
        equal(place.ask("inject", INJECT)["thread"], thread(1))
        until(lambda: replied(place), "the reply")
        equal([(one["kind"], one["from"], one["to"], one["payload"]) for one in history(place)],
              [("ingress", "alice", "calc", payload(1, 2)), ("egress", "calc", "alice", "<result>3</result>")])
        equal(place.ask("shutdown")["state"], "draining")
        equal(pump.process.wait(timeout=60), 0)
        equal("uid 0: inject" in pump.said() or f"uid {os.getuid()}: inject" in pump.said(), True)
        equal((place.top / ".baton/pump/oob.sock").exists(), False)
        equal(place.ctl("status")[0], 2)


@claim
def what_is_wrong_with_a_request_is_told_by_code():
    rows = [
        ({"jsonrpc": "2.0", "id": 7, "method": "nosuch"}, 7, -32601),
        ({"jsonrpc": "2.0", "id": "x", "method": "status", "params": [1]}, "x", -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "status", "params": {"formt": 1}}, 1, -32602),
        ({"jsonrpc": "1.0", "id": 2, "method": "status"}, 2, -32600),
        ({"jsonrpc": "2.0", "id": [], "method": "status"}, None, -32600),
        ({"jsonrpc": "2.0", "id": 3, "method": 4}, 3, -32600),
        ([], None, -32600),
        (b"{oops\n", None, -32700),
        (b"\xff\xfe\x00\n", None, -32700),
        ({"jsonrpc": "2.0", "id": 4, "method": "graph", "params": {"format": "png"}}, 4, -32602),
        ({"jsonrpc": "2.0", "id": 5, "method": "thread-history", "params": {"thread": thread(9)}}, 5, -32001),
        ({"jsonrpc": "2.0", "id": 6, "method": "shutdown", "params": {"mode": "now"}}, 6, -32602),
        ({"jsonrpc": "2.0", "id": 8, "method": "inject", "params": {"client": "alice"}}, 8, -32602),
    ]
    with Place() as place, place.pump() as pump, pump.connect() as line:
        for request, ident, code in rows:
            line.say(request)
            answer = line.hear()
            equal((answer["id"], answer["error"]["code"], "result" in answer), (ident, code, False))
        line.say({"jsonrpc": "2.0", "method": "status"})  # wants no answer
        equal(line.ask("status", ident=99)["id"], 99)


@claim
def a_message_that_is_refused_is_told_to_the_operator_alone():
    rows = [
        ({"client": "core", "payload": payload(1, 2)}, "XML_FROM_RESERVED", None),
        ({"client": "bob", "payload": payload(1, 2)}, "XML_FROM_UNKNOWN", None),
        ({"client": "alice", "payload": payload("x", 2)}, "XML_FIELD_TYPE", "Invalid payload structure"),
        ({"client": "alice", "payload": "<nosuch.p/>"}, "XML_CAPABILITY_UNKNOWN", "Invalid payload structure"),
        ({"client": "alice", "payload": payload(1, 2) + "</m:message><m:message>"}, "XML_SYNTAX", "Invalid payload structure"),
        ({"client": "alice", "message": message(1, 2, sender="bob")}, "XML_FROM_UNKNOWN", None),
        ({"client": "alice", "message_base64": "//4="}, "XML_ENCODING", "Invalid payload structure"),
    ]
    with Place() as place, place.pump():
        for params, code, words in rows:
            exit_code, said = place.ctl("inject", params)
            equal((exit_code, said["error"]["code"]), (1, -32602))
            equal((said["error"]["data"]["findings"][0]["code"], said["error"]["data"].get("error")), (code, words))
        equal(place.ask("status")["queued"], 0)
        equal(place.ask("inject", {"client": "alice", "message": message(2, 3, ident="a")})["duplicate"], False)
        equal(place.ask("inject", {"client": "alice", "message": message(2, 3, ident="a")})["duplicate"], True)
        until(lambda: replied(place), "the reply")
        equal(replied(place), ["<result>5</result>"])


@claim
def only_those_who_are_named_may_ask():
    for uids, code in (([os.getuid()], 0), ([12345], 2)):
        with Place(organism(oob={"admin_uids": uids})) as place, place.pump() as pump:
            equal(stat.S_IMODE((place.top / ".baton/pump/oob.sock").stat().st_mode), 0o600)
            equal(place.ctl("status")[0], code)
            equal("PUMP_OOB_DENIED" in pump.said(), code == 2)
            if code == 2:
                with pump.connect() as line:
                    equal(line.hear(), None)


@claim
def without_a_control_channel_nobody_is_asked():
    with Place(organism(oob={"enabled": False})) as place, place.pump() as pump:
        equal((place.top / ".baton/pump/oob.sock").exists(), False)
        expect(run("pump", "ctl", "status", cwd=place.top), 2, err="oob.enabled")
        equal(pump.stop(), 0)


@claim
def garbage_half_lines_and_crowds_hold_nobody_up():
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 4096), most))
    with Place() as place, place.pump() as pump:
        half = [pump.connect() for _ in range(20)]
        for number, line in enumerate(half):
            line.say(b'{"jsonrpc":"2.0","id":1,"method":"shutdown"}'[:3 + number])
        long = pump.connect()
        long.say(b"x" * (1 << 20))
        long.say(b"yy")
        equal(long.hear()["error"]["code"], -32600)
        equal(long.hear(), None)
        crowd = []
        for _ in range(1000):
            crowd.append(pump.connect())
        equal(crowd[-1].ask("status")["result"]["state"], "running")  # those who came last stay, and are heard
        equal(sum(is_open(line) for line in crowd) <= 64, True)
        equal(place.ask("inject", INJECT)["thread"], thread(1))
        until(lambda: replied(place), "the reply")
        for line in half + crowd + [long]:
            line.socket.close()
        equal(pump.stop(), 0)


def is_open(line):
    line.socket.setblocking(False)
    try:
        return line.socket.recv(1, 2) != b""  # MSG_PEEK
    except BlockingIOError:
        return True
    except ConnectionResetError:
        return False
    finally:
        line.socket.settimeout(60)


@claim
def one_who_takes_no_answer_is_not_heard_and_holds_nobody_up():
    with Place() as place, place.pump() as pump, pump.connect() as greedy:
        greedy.socket.setblocking(False)
        request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "graph"}).encode() + b"\n"
        sent, blocked = 0, False
        while not blocked and sent < 1 << 26:
            try:
                sent += greedy.socket.send(request * 100)
            except BlockingIOError:
                blocked = place.ask("status")["state"] == "running"
        equal(blocked, True)
        equal(place.ask("inject", INJECT)["thread"], thread(1))
        until(lambda: replied(place), "the reply")


@claim
def events_are_heard_as_they_happen_and_again_from_a_number():
    document = organism(listener("calc"), listener("bad", "broken"))
    with Place(document) as place:
        place.write("tools/calc.py", (place.top / "tools/calc.py").read_text() + "\nasync def broken(payload: AddPayload, metadata: HandlerMetadata) -> bytes:\n    return b'<no/>'\n")
        with place.pump() as pump, pump.connect() as first, pump.connect() as second:
            last = first.ask("events")["result"]["last"]
            for _ in range(3):
                place.ask("inject", {"client": "alice", "payload": payload(1, 2, "bad")})
            heard = [first.hear()["params"] for _ in range(3)]
            equal([one["code"] for one in heard], ["PUMP_REPLY_INVALID"] * 3)
            equal([one["n"] for one in heard], [last + 1, last + 2, last + 3])
            second.ask("events", {"after": last + 1})
            equal([second.hear()["params"] for _ in range(2)], heard[1:])


@claim
def a_pump_that_is_told_to_end_finishes_what_it_has_and_takes_nothing_new():
    with Place(organism(listener("calc", "slow"))) as place, place.pump() as pump:
        place.ask("inject", INJECT)
        equal(place.ask("shutdown", {"timeout_s": 60})["state"], "draining")
        equal(place.ctl("inject", INJECT)[1]["error"]["code"], -32004)
        equal(place.ask("status")["state"], "draining")
        place.write("tools/go", "")
        equal(pump.process.wait(timeout=60), 0)
        equal(json.loads(run("pump", "ctl", "status", "--offline", "-f", "json", cwd=place.top).stdout)["result"]["processed"], 1)
    with Place(organism(listener("calc", "slow"))) as place, place.pump() as pump:
        place.ask("inject", INJECT)
        equal(place.ask("shutdown", {"mode": "immediate"})["state"], "stopped")
        equal(pump.process.wait(timeout=60), 0)
        equal(json.loads(run("pump", "ctl", "status", "--offline", "-f", "json", cwd=place.top).stdout)["result"]["queued"], 1)


@claim
def offline_nothing_is_made_and_a_running_pump_is_not_disturbed():
    with Place() as place:
        expect(run("pump", "ctl", "status", "--offline", cwd=place.top), 2, err="the store does not exist")
        expect(run("pump", "ctl", "graph", "--offline", cwd=place.top), 0)
        expect(run("pump", "ctl", "reload", "--offline", cwd=place.top), 2, err="offline")
        for where in (["--offline"], ["--socket", "not-there"]):
            expect(run("pump", "ctl", "graph", "{", *where, cwd=place.top), 2, out="", err="not JSON: {")
        equal((place.top / ".baton").exists(), False)
        with place.pump():
            expect(run("pump", "ctl", "status", "--offline", cwd=place.top), 2, err="a pump is running here")


@claim
def what_is_sent_goes_to_the_running_pump_or_into_its_store_with_the_same_words():
    rows = [
        (message(1, 2, ident="a"), {"index": 1, "state": "accepted", "thread": thread(1), "duplicate": False}, 0),
        (message(1, 2, ident="a"), {"index": 1, "state": "accepted", "thread": thread(1), "duplicate": True}, 0),
        (message(1, 3, ident="a"), {"index": 1, "state": "refused", "thread": thread(1), "error": "Invalid payload structure"}, 1),
        (message("x", 3), {"index": 1, "state": "refused", "thread": thread(1), "error": "Invalid payload structure"}, 1),
        (message(1, 2, sender="core"), {"index": 1, "state": "refused"}, 1),
    ]
    def send(place, text):
        (place.top / "m.xml").write_bytes(text if isinstance(text, bytes) else text.encode())
        result = run("pump", "send", "--in", "m.xml", "-f", "json", cwd=place.top)
        return result.returncode, json.loads(result.stdout)

    for running in (False, True):
        with Place() as place:
            def check():
                for text, told, code in rows:
                    exit_code, said = send(place, text)
                    known = said["messages"][0].pop("findings", None)  # who reads the store reads why
                    equal(bool(known), not running and told["state"] == "refused")
                    equal((exit_code, said["messages"], said["mode"]), (code, [told], "sent" if running else "stored"))
                odd = send(place, b"\xff\xfe<\x00")[1]["messages"]
                equal([finding["code"] for finding in odd[0].pop("findings", [])], [] if running else ["XML_ENCODING"])
                equal(odd, [{"index": 1, "state": "refused"}])
            if not running:
                check()
                continue
            with place.pump():
                check()
                until(lambda: replied(place), "the reply")
                equal(replied(place), ["<result>3</result>"])
    with Place(organism(listener("calc", "slow"), limits={"queue": 1})) as place, place.pump():
        equal(send(place, message(1, 2))[0], 0)
        equal(send(place, message(1, 2)), (2, {"baton": 1, "mode": "sent", "accepted": 0, "refused": 0, "messages": [
            {"index": 1, "state": "busy", "code": "PUMP_BUSY", "error": "Limit exceeded"}]}))


@claim
def what_is_over_is_forgotten_after_its_days_and_nothing_else():
    def once(day, *args):
        return expect(place.once("--now", f"2026-01-{day:02}T10:00:00Z", *args), 0)

    def told(number):
        result = run("pump", "ctl", "thread-history", json.dumps({"thread": thread(number), "client": "alice"}), "--offline", "-f", "json", cwd=place.top)
        return len(json.loads(result.stdout).get("result", {}).get("entries", []))

    with Place() as place:
        place.write("m.xml", message(1, 2, ident="one"))
        place.write("n.xml", message(1, 3, 2))
        once(1, "--in", "m.xml")
        place.write("waiting.xml", message(1, 4, 3))
        expect(run("pump", "run", "organism.yaml", "--once", "--now", "2026-01-01T11:00:00Z", "--in", "waiting.xml", cwd=place.top), 0)  # nobody takes it
        once(6, "--in", "n.xml", "--in", "m.xml")
        equal((told(1), told(2), told(3)), (2, 2, 2))
        once(9)
        equal((told(1), told(2), told(3)), (0, 2, 0))  # day 6 took what waited, so all of day 1 is over and old
        again = once(10, "--in", "m.xml")  # and its id is free
        equal([one["code"] for one in json.loads(again.stdout)["documents"][0]["findings"]], [])
        equal(told(1), 2)


@claim
def a_message_knows_what_it_came_of():
    with Place() as place:
        place.write("m.xml", message(1, 2))
        expect(place.once("--in", "m.xml"), 0)
        rows = sqlite3.connect(place.top / ".baton/pump/store.db").execute("SELECT n, kind, caused_by FROM pump_message ORDER BY n").fetchall()
        seq = sqlite3.connect(place.top / ".baton/pump/store.db").execute("SELECT seq FROM ledger_entry WHERE kind = 'handoff'").fetchall()
        equal(rows, [(1, "ingress", seq[0][0]), (2, "egress", 1)])


if __name__ == "__main__":
    sys.exit(finish())
