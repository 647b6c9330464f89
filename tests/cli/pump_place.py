# SPDX-License-Identifier: Apache-2.0
"""pump_place.py - a folder with an organism, and a pump that runs in it, for the tests beside it."""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile

from program import BATON, environment, run, until

ENVELOPE = "https://xml-pipeline.org/ns/envelope/v1"
PATIENCE_S = 60
CALC = '''import asyncio
import os
from dataclasses import dataclass
from baton import xmlify, HandlerMetadata

@xmlify
@dataclass
class AddPayload:
    a: int
    b: int

async def add(payload: AddPayload, metadata: HandlerMetadata) -> bytes:
    return f"<result>{payload.a + payload.b}</result>".encode()

async def count(payload: AddPayload, metadata: HandlerMetadata) -> bytes:
    with open(os.path.abspath("calls"), "a+", encoding="utf-8") as calls:  # in the work directory
        calls.write("x")
        calls.seek(0)
        return f"<result>{len(calls.read())}</result>".encode()

async def slow(payload: AddPayload, metadata: HandlerMetadata) -> bytes:
    while not os.path.exists(os.path.dirname(__file__) + "/go"):
        await asyncio.sleep(0.01)
    return f"<result>{payload.a + payload.b}</result>".encode()
'''


def listener(name, function="add", **more):
    return {"name": name, "description": "adds", "handler": f"tools/calc.py:{function}", "payload_class": "AddPayload", "result": "int", **more}


def organism(*listeners, **more):
    return {"organism": {"name": "t"}, "clients": [{"name": "alice", "may_call": ["*"]}], "listeners": list(listeners) or [listener("calc")], **more}


def thread(number):
    return f"550e8400-e29b-41d4-a716-{number:012d}"


def payload(a, b, to="calc"):
    return f"<{to}.addpayload><a>{a}</a><b>{b}</b></{to}.addpayload>"


def message(a, b, on=1, to="calc", sender="alice", ident=None):
    mark = f'<id xmlns="urn:baton:pump:1">{ident}</id>' if ident else ""
    inner = payload(a, b, to).replace(">", ' xmlns="">', 1)
    return f'<message xmlns="{ENVELOPE}"><meta><from>{sender}</from><thread>{thread(on)}</thread>{mark}</meta>{inner}</message>'


INJECT = {"client": "alice", "payload": payload(1, 2), "thread": thread(1)}


def history(place, number=1):
    return place.ask("thread-history", {"thread": thread(number), "client": "alice", "payloads": True})["entries"]


def replied(place, number=1):
    return [entry["payload"] for entry in history(place, number) if entry["kind"] == "egress"]


class Place:
    """A folder with an organism; `with Place(...) as place, place.pump(): ...`"""

    def __init__(self, document=None, below=None):
        self.document = document or organism()
        self.below = below

    def __enter__(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="baton-pump-", dir=self.below))
        (self.top / "tools").mkdir()
        self.write("tools/calc.py", CALC)
        self.write("organism.yaml", json.dumps(self.document))
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.top, ignore_errors=True)

    def write(self, name, text):
        (self.top / name).write_text(text)
        return name

    def once(self, *args):
        return run("pump", "run", "organism.yaml", "--once", "-f", "json", *args, cwd=self.top)

    def pump(self, *args):
        return Pump(self, args)

    def ctl(self, method, params=None, *args):
        """Exit code and what is told in the answer."""
        words = ["pump", "ctl", method] + ([json.dumps(params)] if params is not None else [])
        result = run(*words, *args, "-f", "json", cwd=self.top)
        return result.returncode, json.loads(result.stdout) if result.stdout else result.stderr.decode()

    def ask(self, method, params=None):
        """The result of a question that is answered."""
        code, said = self.ctl(method, params)
        if code != 0:
            raise AssertionError(f"{method}: exit {code}, {said}")
        return said["result"]


class Pump:
    """A pump that runs, and is ready to be asked."""

    def __init__(self, place, args):
        self.place, self.args = place, args

    def __enter__(self):
        self.log = open(self.place.top / "log", "wb")
        self.process = subprocess.Popen([BATON, "pump", "run", "organism.yaml", *self.args], cwd=self.place.top, stdout=self.log, stderr=self.log,
                                        env=environment(), preexec_fn=os.setpgrp)
        until(self.is_up, "the pump")
        return self

    def is_up(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the pump ended: {self.said()}")
        return b"pump is ready" in (self.place.top / "log").read_bytes()

    def said(self):
        return (self.place.top / "log").read_bytes().decode()

    def stop(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(timeout=PATIENCE_S)

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(timeout=PATIENCE_S)
        self.log.close()

    def connect(self):
        """A connection to the control socket."""
        return Line(self.place.top / ".baton/pump/oob.sock")


class Line:
    """A connection of one who knows the protocol, or pretends to."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(PATIENCE_S)
        here = os.open(path.parent, os.O_PATH)
        try:
            until(lambda: self.connected(f"/proc/self/fd/{here}/{path.name}"), "a place in the line")
        finally:
            os.close(here)
        self.rest = b""

    def connected(self, name):
        try:
            self.socket.connect(name)
        except BlockingIOError:  # others stand there as well
            return False
        return True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def say(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else json.dumps(data).encode() + b"\n")

    def hear(self):
        """The next line; None: hung up."""
        while b"\n" not in self.rest:
            try:
                more = self.socket.recv(65536)
            except ConnectionResetError:
                more = b""
            if not more:
                return None
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def ask(self, method, params=None, ident=1):
        self.say({"jsonrpc": "2.0", "id": ident, "method": method, **({"params": params} if params is not None else {})})
        return self.hear()
