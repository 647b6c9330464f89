# SPDX-License-Identifier: Apache-2.0
"""test_bus.py BATON - the bus of a running pump: proofs, messages, receipts, deliveries, and whoever does not keep to the rules."""
import hashlib
import json
import os
import pathlib
import stat
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from bus_client import ACK, BYE, CHALLENGE, DELIVER, HELLO, SEND, TAKEN, WELCOME, Bus, frame, free_port, make_certificate, make_key  # noqa: E402
from pump_place import Place, listener, message, organism, thread  # noqa: E402
from program import claim, equal, finish, until  # noqa: E402

TOKEN = "a token of many letters"
WELCOMED = (WELCOME, 0, b"")


def clients(**more):
    return [{"name": "alice", "may_call": ["*"], "uid": os.getuid(), **more}, {"name": "bob", "may_call": ["calc"], "token_sha256": hashlib.sha256(TOKEN.encode()).hexdigest()},
            {"name": "carol", "may_call": ["*"], "public_key": "keys/carol.pub"}, {"name": "dora", "may_call": ["*"], "uid": os.getuid() + 1}]


class House(Place):
    """A place whose clients can prove who they are."""

    def __init__(self, *listeners, port=0, tls=False, **more):
        self.port, self.tls = port, tls
        network = {"port": port} if port else {}
        if tls:
            network["tls"] = {"cert": "keys/tls.crt", "key": "keys/tls.key"}
        super().__init__({**organism(*listeners, **more), "organism": {"name": "t", **network}, "clients": clients()})

    def __enter__(self):
        super().__enter__()
        (self.top / "keys").mkdir()
        self.key = make_key(self.top / "keys", "carol")
        if self.tls:
            make_certificate(self.top / "keys")
        return self

    def bus(self):
        return Bus(self.top / ".baton/bus.sock")

    def alice(self):
        bus = self.bus()
        equal(bus.hello("alice"), WELCOMED)
        return bus


def result(text):
    return text.split('<result xmlns="">')[1].split("<")[0]


@claim
def a_client_sends_is_acknowledged_and_takes_its_reply():
    with House() as house, house.pump():
        equal(stat.S_IMODE((house.top / ".baton/bus.sock").stat().st_mode), 0o666)
        with house.alice() as alice:
            equal(alice.send(message(1, 2)), (True, {"thread": thread(1), "duplicate": False}))
            ident, told = alice.take()
            equal((ident, result(told), f"<to>alice</to><thread>{thread(1)}</thread>" in told), (1, "3", True))
            equal(alice.send(message(2, 2, ident="x"))[1]["duplicate"], False)
            equal(alice.send(message(2, 2, ident="x"))[1]["duplicate"], True)
            equal(alice.take()[0], 2)
            alice.say(BYE)
            equal(alice.hear(), None)
        until(lambda: [e["state"] for e in house.ask("thread-history", {"thread": thread(1), "client": "alice"})["entries"]] == ["done"] * 4, "what was taken")


@claim
def each_proof_opens_the_door_and_a_wrong_one_gets_no_word():
    port = free_port()
    with House(port=port) as house, house.pump() as pump:
        other = make_key(house.top / "keys", "other")
        for where in (house.top / ".baton/bus.sock", port):
            for name, proof in (("bob", {"token": TOKEN}), ("carol", {"key": house.key})):
                with Bus(where) as bus:
                    equal(bus.hello(name, **proof), WELCOMED)
                    equal(bus.send(message(1, 2, sender=name))[0], True)
        with Bus(port) as bus:  # a uid is known only on this machine's own socket
            equal(bus.hello("alice"), None)
        for name, proof in (("bob", {"token": TOKEN + "x"}), ("dora", {}), ("carol", {"key": other}), ("alice", {"token": "none"})):
            with house.bus() as bus:
                equal(bus.hello(name, **proof), None)
        with house.bus() as bus:
            equal(bus.hello("\x1b[31m" + "n" * 100), None)
        said = [line for line in pump.said().splitlines() if " refused: " in line]
        equal(said, ["baton: client alice refused: uid", "baton: client bob refused: token", "baton: client dora refused: uid",
                     "baton: client carol refused: signature", "baton: client alice refused: token",
                     "baton: client \\x1b[31m" + "n" * 59 + " refused: name"])


@claim
def an_address_that_fails_five_times_is_shut_out_and_others_are_not():
    port = free_port()
    with House(port=port) as house, house.pump() as pump:
        for _ in range(5):
            with Bus(port) as bus:
                equal(bus.hello("bob", token="guess"), None)
        with Bus(port) as bus:
            equal(bus.hear(), None)  # not even a challenge, whatever comes now
        until(lambda: "baton: client 127.0.0.1 refused: blocked\n" in pump.said(), "the line about it")
        with house.alice() as alice:
            equal(alice.send(message(1, 2))[0], True)


@claim
def a_refused_message_is_answered_by_its_huh_and_a_forger_is_sent_away():
    with House() as house, house.pump():
        with house.alice() as alice:
            good, told = alice.send(message("x", 2))
            equal((good, "<error>Invalid payload structure</error>" in told, f"<to>alice</to><thread>{thread(1)}</thread>" in told), (False, True, True))
            equal(alice.send("no message at all")[0], False)
            equal(alice.send(message(1, 2))[0], True)
            equal(alice.take()[0], 1)  # the huh is not delivered again
        for forged in (message(1, 2, sender="bob"), message(1, 2, sender="core")):
            with house.alice() as alice:
                equal(alice.send(forged), (False, ""))
                equal(alice.hear(), None)


@claim
def what_is_not_taken_is_delivered_again_with_the_same_number():
    with House() as house:
        with house.pump(), house.alice() as alice:
            for number in (1, 2, 3):
                equal(alice.send(message(number, 0, number))[0], True)
            first = [alice.take(told=number == 0) for number in range(3)]
            equal([ident for ident, _ in first], [1, 2, 3])
            with house.alice() as again:  # the newest connection gets what is left
                equal([again.take(told=False) for _ in range(2)], first[1:])
            equal([alice.take(told=False) for _ in range(2)], first[1:])  # and then who is left
        with house.pump(), house.alice() as alice:  # and another pump knows it as well
            equal([alice.take() for _ in range(2)], first[1:])
            alice.say(BYE)
            equal(alice.hear(), None)
        with house.pump(), house.alice() as alice:
            equal(alice.send(message(9, 0, 9))[0], True)
            equal(alice.take()[0], 4)


@claim
def anything_out_of_place_ends_the_connection_and_nobody_else_notices():
    def spoken(*said, known=True):
        bus = house.alice() if known else house.bus()
        if not known:
            equal(bus.hear()[0], CHALLENGE)
        for data in said:
            bus.socket.sendall(data)
        heard = bus.hear()
        bus.socket.close()
        return heard

    with House() as house, house.pump() as pump, house.alice() as steady:
        equal(spoken(frame(SEND, 1, b"x"), known=False), None)  # before WELCOME
        equal(spoken(frame(HELLO, 7, b"{}"), known=False), None)  # HELLO has no number
        equal(spoken(frame(HELLO, 0, b"x" * 100000), known=False), None)  # too long for a stranger
        equal(spoken(frame(HELLO, 0, b"{}")), None)  # twice
        equal(spoken(frame(TAKEN, 5)), None)  # nothing of this number
        equal(spoken(frame(0x99, 0)), None)
        equal(spoken(frame(DELIVER, 1, b"x")), None)  # the pump's own word
        equal(spoken(struct.pack(">I", 3) + b"abc" * 10), None)  # a length below nine
        equal(spoken(struct.pack(">I", 1 << 30) + b"abc" * 10), None)
        equal(spoken(b"GET / HTTP/1.1\r\n\r\n", known=False), None)
        equal(steady.send(message(1, 2))[0], True)  # the negative control
        equal(result(steady.take()[1]), "3")
        equal(pump.process.poll(), None)
        equal((pump.said().count("client alice refused: order\n"), pump.said().count(f"client uid {os.getuid()} refused: order\n")), (6, 4))


@claim
def a_crowd_of_strangers_and_half_frames_hold_no_client_up():
    with House() as house, house.pump(), house.alice() as alice:
        crowd = [house.bus() for _ in range(300)]
        for number, bus in enumerate(crowd):
            try:
                bus.socket.sendall(frame(HELLO, 0, b'{"protocol":1,"client":"alice"}')[:1 + number % 20])
            except BrokenPipeError:
                pass  # it had to make room
        equal(alice.send(message(1, 2))[0], True)
        equal(result(alice.take()[1]), "3")
        with house.alice() as other:
            equal(other.send(message(2, 2))[0], True)
        for bus in crowd:
            bus.socket.close()


@claim
def one_who_takes_nothing_gets_no_more_than_the_window_and_others_go_on():
    with House(listener("calc"), max_concurrent_handlers=50) as house, house.pump():
        with house.alice() as lazy:
            for number in range(100):
                equal(lazy.send(message(number, 0, number))[0], True)
            until(lambda: house.ask("status")["processed"] == 100, "the calls")
            with house.bus() as bob:
                equal(bob.hello("bob", token=TOKEN), WELCOMED)
                equal(bob.send(message(5, 5, sender="bob"))[0], True)
                equal(result(bob.take()[1]), "10")
            lazy.socket.setblocking(False)
            held = [one for one in lazy.waiting if one[0] == DELIVER]
            equal(len(held) <= 32, True)
            lazy.socket.settimeout(60)
            taken = [lazy.take()[0] for _ in range(100)]
            equal(taken, list(range(1, 101)))


@claim
def when_there_is_no_room_senders_wait_and_nothing_is_refused():
    with House(listener("calc", "slow"), limits={"queue": 2}) as house, house.pump():
        with house.alice() as alice:
            for number in range(1, 6):
                alice.say(SEND, number, message(number, 0, number))
            for number in (1, 2):
                equal(alice.await_kind(ACK)[1], number)
            status = house.ask("status")
            equal(status["in_flight"] + status["queued"], 2)
            house.write("tools/go", "")
            equal([alice.await_kind(ACK)[1] for _ in range(3)], [3, 4, 5])
            equal(sorted(result(alice.take()[1]) for _ in range(5)), ["1", "2", "3", "4", "5"])


@claim
def over_tls_the_same_is_said_and_in_the_clear_nothing():
    port = free_port()
    with House(port=port, tls=True) as house, house.pump():
        for number in (1, 2, 3):
            with Bus(port, trusted=house.top / "keys/tls.crt") as bus:
                equal(bus.hello("carol", key=house.key), WELCOMED)
                long = message(1, 2, number, sender="carol").replace("<a>", "<a>" + " " * 300000)
                equal(bus.send(long)[0], True)
                equal(result(bus.take()[1]), "3")
        with Bus(port) as bus:
            bus.socket.sendall(frame(HELLO, 0, json.dumps({"protocol": 1, "client": "bob", "token": TOKEN}).encode()))
            equal((bus.hear() or (None,))[0] in (None, CHALLENGE + 1000), True)


if __name__ == "__main__":
    sys.exit(finish())
