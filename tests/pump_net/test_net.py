# SPDX-License-Identifier: Apache-2.0
"""test_net.py BATON - a handler that may use the network is nobody to a server on the same machine."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import claim, equal, finish, report  # noqa: E402
from pump_place import Place, listener, message, organism  # noqa: E402
from server import bearer, serving  # noqa: E402

HANDLER = '''import urllib.error
import urllib.request
from dataclasses import dataclass
from baton import xmlify, HandlerMetadata

@xmlify
@dataclass
class AddPayload:
    a: int
    b: int

async def add(payload: AddPayload, metadata: HandlerMetadata) -> bytes:
    try:
        answer = urllib.request.urlopen(f"http://127.0.0.1:{payload.a}/v1/whoami", timeout=10)
        return f"<result>{answer.status}</result>".encode()
    except urllib.error.HTTPError as error:
        return f"<result>{error.code}</result>".encode()
    except OSError:
        return b"<result>0</result>"
'''


def asked(server):
    return server.ask("GET", "/v1/whoami").status


def from_handler(place, server):
    """The status that a handler gets in a batch."""
    place.write("tools/calc.py", HANDLER)
    place.write("m.xml", message(server.port, 0))
    return [d["payload"] for d in report(place.once("--in", "m.xml"))["pump"]["deliveries"]]


@claim
def a_handler_with_the_network_is_no_local_caller():
    with serving(store=False) as server:
        equal(asked(server), 200)
        with Place(organism(listener("calc", allow=["net"]))) as place:
            equal(from_handler(place, server), ["<result>401</result>"])
        equal(asked(server), 200)


@claim
def nobody_is_a_local_caller_while_such_a_handler_runs_and_tokens_go_on():
    with serving(store=False) as server:
        with Place(organism(listener("calc", allow=["net"]))) as place, place.pump() as pump:
            equal(asked(server), 401)
            equal(server.ask("GET", "/v1/whoami", headers=bearer(server.console)).status, 200)
            with Place(organism(listener("calc", allow=["net"]))) as other, other.pump() as second:  # the first may leave
                pump.stop()
                equal(asked(server), 401)
                second.stop()
        equal(asked(server), 200)


@claim
def a_handler_without_the_network_changes_nothing():
    with serving(store=False) as server:
        with Place() as place, place.pump():
            equal(asked(server), 200)
        with Place() as place:
            equal(from_handler(place, server), ["<result>0</result>"])


finish()
