# SPDX-License-Identifier: Apache-2.0
"""test_gateway.py BATON - a pump that calls listeners of another one through a gateway."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from bus_client import free_port, make_certificate, make_key  # noqa: E402
from pump_place import INJECT, Place, listener, message, organism, payload, replied, thread  # noqa: E402
from program import claim, equal, finish, report, until  # noqa: E402


def capability(name, **more):
    return {"name": name, "payload_type": "AddPayload", "fields": {"a": "int", "b": "int"}, "result": "int", **more}


class Far(Place):
    """The pump at the other end; `front` is its client."""

    def __init__(self, *listeners, port=0, **proof):
        network = {"port": port, "tls": {"cert": "tls.crt", "key": "tls.key"}} if port else {}
        super().__init__({**organism(*listeners), "organism": {"name": "far", **network}, "clients": [{"name": "front", "may_call": ["*"], **proof}]})

    def __enter__(self):
        super().__enter__()
        make_certificate(self.top)
        return self


def near(url, *capabilities, **more):
    gateway = {"name": "far", "remote_url": url, "trusted_identity": "far.pub", "capabilities": list(capabilities) or [capability("calc")]}
    document = organism(listener("own", peers=["far"]), gateways=[gateway])
    return {**document, "organism": {"name": "Front", **more}}


class Near(Place):
    """The pump that has the gateway."""

    def __init__(self, document, trusted):
        super().__init__(document)
        self.trusted = trusted

    def __enter__(self):
        super().__enter__()
        self.write("far.pub", self.trusted)
        return self


def public_key(folder):
    return subprocess.run(["openssl", "x509", "-in", folder / "tls.crt", "-noout", "-pubkey"], check=True, capture_output=True, text=True).stdout


@claim
def a_call_goes_through_the_gateway_and_its_reply_comes_back():
    with Far(uid=os.getuid()) as far, far.pump() as other, Near(near(f"unix:{far.top}/.baton/bus.sock"), public_key(far.top)) as here:
        with here.pump():
            here.ask("inject", {"client": "alice", "payload": payload(20, 1, "far.calc"), "thread": thread(1)})
            equal(until(lambda: replied(here), "the reply"), ["<result>21</result>"])
            equal([(node["name"], node["kind"]) for node in here.ask("graph")["nodes"] if node["kind"] == "gateway"], [("far", "gateway")])
            other.stop()  # the call waits for the link, and is done when it is there again
            here.ask("inject", {"client": "alice", "payload": payload(5, 5, "far.calc"), "thread": thread(2)})
            with far.pump():
                equal(until(lambda: replied(here, 2), "the reply"), ["<result>10</result>"])


@claim
def a_name_is_looked_up_while_the_pump_works():
    port = free_port()
    with Far(port=port, public_key="front.pub") as far:
        key = make_key(far.top, "front")
        for host, is_there in (("localhost", True), ("no-such-machine.invalid", False)):
            with Near(near(f"tls://{host}:{port}", identity="front.pem"), public_key(far.top)) as here:
                here.write("front.pem", key.read_text())
                with far.pump() as other, here.pump():
                    here.ask("inject", {**INJECT, "payload": payload(1, 2, "own"), "thread": thread(2)})
                    equal(until(lambda: replied(here, 2), "the reply of its own listener"), ["<result>3</result>"])
                    here.ask("inject", {**INJECT, "payload": payload(1, 2, "far.calc")})
                    if is_there:
                        equal(until(lambda: replied(here), "the reply"), ["<result>3</result>"])
                    else:
                        equal(until(lambda: here.ask("status")["in_flight"] == 1, "the call"), True)
                    other.stop()


@claim
def over_tls_each_side_proves_who_it_is_by_its_key():
    port = free_port()
    with Far(port=port, public_key="front.pub") as far:
        key = make_key(far.top, "front")
        with Near(near(f"tls://127.0.0.1:{port}", identity="front.pem"), public_key(far.top)) as here:
            here.write("front.pem", key.read_text())
            with far.pump(), here.pump():
                here.ask("inject", {"client": "alice", "payload": payload(1, 2, "far.calc"), "thread": thread(1)})
                equal(until(lambda: replied(here), "the reply"), ["<result>3</result>"])
        make_key(far.top, "stranger")
        with Near(near(f"tls://127.0.0.1:{port}", identity="front.pem"), (far.top / "stranger.pub").read_text()) as here:
            here.write("front.pem", key.read_text())
            with far.pump() as other, here.pump():  # it is not who is trusted: nothing is said to it
                here.ask("inject", {"client": "alice", "payload": payload(1, 2, "far.calc"), "thread": thread(1)})
                until(lambda: here.ask("status")["in_flight"] == 1, "the call")
                equal(far.ask("status")["processed"], 1)
                equal(replied(here), [])
                other.stop()


@claim
def a_reply_that_is_not_as_declared_goes_to_nobody():
    with Far(listener("calc"), uid=os.getuid()) as far, far.pump():
        document = near(f"unix:{far.top}/.baton/bus.sock", capability("calc", result="bool"), capability("nosuch"))
        with Near(document, public_key(far.top)) as here, here.pump() as pump:
            here.ask("inject", {**INJECT, "payload": payload(20, 1, "far.calc")})
            equal("Invalid payload structure" in until(lambda: replied(here), "the huh")[0], True)
            equal("PUMP_REPLY_INVALID" in pump.said(), True)
            here.ask("inject", {**INJECT, "payload": payload(1, 1, "far.nosuch"), "thread": thread(2)})  # refused over there
            equal("Handler failed" in until(lambda: replied(here, 2), "the huh")[0], True)


# Says at once that it has begun, and the sum when it has asked itself.
TALKER = """from dataclasses import dataclass
from baton import xmlify, HandlerMetadata, TodoUntil

@xmlify
@dataclass
class AddPayload:
    a: int
    b: int

asked = []

async def add(payload: AddPayload, metadata: HandlerMetadata) -> bytes:
    if isinstance(payload, TodoUntil):
        return f"<result>{sum(asked)}</result><result>no number</result>".encode()
    asked[:] = [payload.a, payload.b]
    return b'<thought>two numbers</thought><todo-until xmlns="https://xml-pipeline.org/ns/core/v1">add</todo-until>'
"""


@claim
def every_reply_of_a_conversation_comes_through_the_gateway():
    talker = listener("calc", agent=True, result="any")
    del talker["payload_class"]
    talker |= {"payload_type": "AddPayload", "fields": {"a": "int", "b": "int"}}
    with Far(talker, uid=os.getuid()) as far:
        far.write("tools/calc.py", TALKER)
        address = f"unix:{far.top}/.baton/bus.sock"
        with far.pump(), Near(near(address, capability("calc", result="any")), public_key(far.top)) as here, here.pump():
            here.ask("inject", {**INJECT, "payload": payload(20, 1, "far.calc")})
            said = until(lambda: len(replied(here)) == 3 and replied(here), "three replies")
            equal(said, ["<thought>two numbers</thought>", "<result>21</result>", "<result>no number</result>"])
        with far.pump(), Near(near(address), public_key(far.top)) as here, here.pump() as pump:
            here.ask("inject", {**INJECT, "payload": payload(20, 2, "far.calc")})
            said = until(lambda: len(replied(here)) == 3 and replied(here), "three replies")
            equal([("<huh" in one, "<result>22" in one) for one in said], [(True, False), (False, True), (True, False)])
            equal(pump.said().count("PUMP_REPLY_INVALID"), 2)


@claim
def a_batch_uses_the_gateway_as_well():
    with Far(uid=os.getuid()) as far, far.pump(), Near(near(f"unix:{far.top}/.baton/bus.sock"), public_key(far.top)) as here:
        here.write("m.xml", message(3, 4, to="far.calc"))
        shown = report(here.once("--in", "m.xml"))["pump"]
        equal([one["payload"] for one in shown["deliveries"]], ["<result>7</result>"])
        equal(shown["calls"], {"own": 0})  # a gateway is not a listener


if __name__ == "__main__":
    sys.exit(finish())
