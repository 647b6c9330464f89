# SPDX-License-Identifier: Apache-2.0
"""test_resets.py BATON - clients that ask for streams and go away: resets, half-closes, HEAD, parts of requests, while the server reloads and stops.

BATON_CONNECTIONS is how many connections there are, BATON_SEED where the random numbers begin. In the suite `threads`, so that it runs under
the sanitizer for threads as well: what a sanitizer finds ends the server with another code than 0."""
import contextlib
import json
import os
import pathlib
import random
import select
import signal
import socket
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from handoffs import handoff  # noqa: E402
from mcp_client import ask, old, opening  # noqa: E402
from program import TIMEOUT_S, claim, equal, finish, until  # noqa: E402
from raw_server import Connection, serving  # noqa: E402

CONNECTIONS = int(os.environ.get("BATON_CONNECTIONS", "800"))
SEED = int(os.environ.get("BATON_SEED", "1"))
WAVE = 64  # connections at once, so that requests wait for a worker while their clients go
STREAMS_MAX = 2 * WAVE
CONNECTIONS_A_LIFE = 2000  # after so many the server is stopped under load, and another one is started
CONFIG = (f"log: {{level: error}}\nrate: {{check: 0, submit: 0}}\nshutdown: {{timeout_s: 2}}\n"
          f"limits: {{streams_per_principal: {STREAMS_MAX}, record_deadline_ms: 60000}}\n")
ABORT = struct.pack("ii", 1, 0)  # SO_LINGER: closing resets the connection
MCP = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
A2A = {"A2A-Version": "1.0", "Content-Type": "application/a2a+json"}
LISTEN = ask("subscriptions/listen", {"notifications": {"resourceSubscriptions": ["baton://ledger/checkpoint"]}}, "s")
ENDS = ("reset", "reset", "part", "half", "head", "event", "hold")


def request(server, method, path, body=None, **fields):
    data = b"" if body is None else json.dumps(body).encode()
    lines = {"Host": server.host, **({"Content-Length": str(len(data))} if body is not None else {}), **fields}
    return f"{method} {path} HTTP/1.1\r\n{''.join(f'{name}: {value}' + chr(13) + chr(10) for name, value in lines.items())}\r\n".encode() + data


def message(number):
    text = json.dumps(handoff(context={"summary": f"number {number}"}))
    return {"message": {"messageId": f"m{number}", "role": "ROLE_USER", "parts": [{"text": text}]}}


def listen(server):
    return request(server, "POST", "/mcp", LISTEN, **MCP, **{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": LISTEN["method"]})


def requests_for(server, rng):
    """What begins a stream: a list of functions that make a request."""
    opened = server.ask("POST", "/mcp", json.dumps(opening(elicitation={})).encode(), accept=MCP["Accept"])
    session = {"Mcp-Session-Id": opened.fields["mcp-session-id"]}
    question = old("tools/call", {"name": "test_elicitation", "arguments": {"message": "?"}}, 7)
    task = server.ask("POST", "/a2a/message:send", json.dumps(message("first")).encode(), a2a_version="1.0", content_type=A2A["Content-Type"])
    follow = f"/a2a/tasks/{task.json['task']['id']}:subscribe"
    return [lambda: listen(server), lambda: listen(server),
            lambda: request(server, "POST", "/mcp", question, **MCP, **session),
            lambda: request(server, "POST", "/a2a/message:stream", message(rng.getrandbits(64)), **A2A),
            lambda: request(server, rng.choice(("GET", "HEAD")), follow, **A2A),
            lambda: request(server, rng.choice(("GET", "HEAD")), "/v1/handoffs/stream")]


class Client:
    """One connection: a request, and the way in which it ends."""

    def __init__(self, server, data, end, rng):
        self.socket = socket.create_connection(server.place, TIMEOUT_S)
        self.end = end
        if end == "part":
            data = data[:rng.randrange(1, len(data))]
        self.socket.sendall(data)
        if end in ("reset", "part"):
            self.abort()
        elif end == "half":
            self.socket.shutdown(socket.SHUT_WR)

    def abort(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)
        self.socket.close()

    def finish(self, until_s):
        """Read as much as this one wants to, and go. A stream may have nothing to tell: what need not come is waited for until a moment of the clock.
        False when nothing came that had to."""
        if self.end in ("reset", "part"):
            return True
        try:
            wanted = {"head": lambda said: said, "event": lambda said: b"data: " in said}.get(self.end, lambda said: False)
            said = b""
            while not wanted(said) and (self.end in ("head", "half") or select.select([self.socket], [], [], max(0, until_s - time.monotonic()))[0]):
                part = self.socket.recv(65536)
                if not part:
                    break
                said += part
        except socket.timeout:
            return False
        except ConnectionResetError:
            pass
        self.abort()
        return True


def wave(server, makers, rng, count):
    clients = []
    for _ in range(count):
        clients.append(Client(server, rng.choice(makers)(), rng.choice(ENDS), rng))
    rng.shuffle(clients)
    return clients


def end_wave(clients):
    until_s = time.monotonic() + 0.05
    if not all([client.finish(until_s) for client in clients]):
        raise AssertionError("a request was never answered")


def is_at_rest(server, before):
    said = server.as_admin("GET", "/metrics").body.decode()
    open_streams = [line for line in said.splitlines() if line.startswith("baton_streams") and not line.endswith(" 0")]
    return not open_streams and server.descriptors() == before


def prove_rest(server, before):
    """Nothing is left of all the clients: no stream, no descriptor; and as many streams as are allowed can be opened."""
    until(lambda: is_at_rest(server, before), "the end of all streams")
    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(Connection(server.place)).send(listen(server)) for _ in range(STREAMS_MAX)]
        equal({connection.answer().status for connection in held}, {200})
    until(lambda: is_at_rest(server, before), "the end of all streams")


@contextlib.contextmanager
def explained(server):
    """When the server has died, say what it said at the end."""
    try:
        yield
    except OSError as why:
        raise AssertionError(f"{why}; the server {'lives' if server.process.poll() is None else 'has ended'}: {server.log()[-6000:]}") from why


def live(rng, count, ending):
    """One life of a server with so many clients, the last of which see it stop."""
    with serving("--conformance-fixtures", store=True, files={"baton.yaml": CONFIG}) as server, explained(server):
        makers = requests_for(server, rng)
        before = server.descriptors_at_rest()
        for first in range(0, count, WAVE):
            clients = wave(server, makers, rng, min(WAVE, count - first))
            if rng.random() < 0.25:
                server.signal(signal.SIGHUP)
            end_wave(clients)
        prove_rest(server, before)
        clients = wave(server, makers, rng, WAVE)
        for _ in range(ending):
            server.signal(signal.SIGTERM)
        server.process.wait(TIMEOUT_S)
        end_wave(clients)
    return count + WAVE


@claim
def clients_that_go_leave_nothing_behind():
    rng = random.Random(SEED)
    done = 0
    lives = 0
    while done < CONNECTIONS:
        lives += 1
        done += live(rng, min(CONNECTIONS_A_LIFE, max(WAVE, CONNECTIONS - done - WAVE)), 1 + lives % 2)
    print(f"# seed {SEED}: {done} connections in {lives} lives of the server, 0 findings")


sys.exit(finish())
