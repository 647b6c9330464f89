# SPDX-License-Identifier: Apache-2.0
"""wrapped.py - sessions of `baton wrap` with a store, for the tests beside it."""
import contextlib
import hashlib
import json
import pathlib
import sqlite3
import subprocess
import sys

from program import BATON, environment, equal, expect, folder, report, run, until

SERVER = [sys.executable, str(pathlib.Path(__file__).parent / "lister.py")]
OTHER = [sys.executable, str(pathlib.Path(__file__).parent / "server.py")]
READ = {"name": "read", "description": "Reads.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
SEND = {"name": "send", "description": "Sends.", "inputSchema": {"type": "object"}}
HELLO = {"jsonrpc": "2.0", "id": "hello", "method": "initialize",
         "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "lab", "version": "1"}}}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": "list", "method": "tools/list"}
QUICK = {"limits": {"record_deadline_ms": 3000}}


def call(number, name, **arguments):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def lines(*messages):
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


@contextlib.contextmanager
def place_with(*tools, **files):
    with folder({"shown.json": json.dumps({"tools": tools or [READ, SEND]}), "quick.json": json.dumps(QUICK), **files}) as place:
        yield place


def talk(place, *messages, flags=(), code=0, store="s.db"):
    """The answers by id, and the facts of the session."""
    result = run("wrap", "--name", "s", *(["--store", store] if store else []), "--report", "r.json", *flags, "--", *SERVER,
                 stdin=lines(HELLO, READY, LIST, *messages), cwd=place)
    equal((result.returncode, result.stderr if result.returncode != code else b""), (code, b""))
    answers = {message.get("id"): message for message in map(json.loads, result.stdout.splitlines())}
    return answers, json.loads(pathlib.Path(place, "r.json").read_text(encoding="utf-8"))["documents"][0]["facts"]


class Session:
    """A session that is talked to step by step."""

    def __init__(self, place, *flags, env=None, config=None, hello=HELLO):
        self.errors = pathlib.Path(place, "errors")
        self.process = subprocess.Popen([BATON, "wrap", "--name", "s", "--store", "s.db", "--report", "r.json", *(config or ["--config", "quick.json"]), *flags, "--", *SERVER],
                                        cwd=place, env=environment(**(env or {})), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors.open("wb"))
        self.place = place
        self.say(hello, READY, LIST)
        self.hear()
        self.hear()

    def say(self, *messages):
        self.process.stdin.write(lines(*messages))
        self.process.stdin.flush()

    def hear(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, *message, **arguments):
        self.say(call(*message, **arguments))
        return self.hear()

    def await_failure(self):
        until(lambda: b"the store failed" in self.errors.read_bytes(), "the failure")

    def end(self, code=0):
        self.process.stdin.close()
        rest = self.process.stdout.read()
        self.process.stdout.close()
        equal(self.process.wait(60), code)
        facts = json.loads(pathlib.Path(self.place, "r.json").read_text(encoding="utf-8"))["documents"][0]["facts"]
        return facts, rest


@contextlib.contextmanager
def locked(place):
    """A store that takes no writes."""
    connection = sqlite3.connect(pathlib.Path(place, "s.db"), isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


def entries(place, count=1000):
    return [item["entry"] for item in report(expect(run("ledger", "tail", "-n", str(count), "--store", "s.db", "-f", "json", cwd=place), 0))["entries"]]


def record(place, seq):
    return json.loads(expect(run("ledger", "show", str(seq), "--document", "--store", "s.db", cwd=place), 0).stdout)


def logged(place, *flags):
    return report(expect(run("wrap", "log", "--store", "s.db", "-f", "json", *flags, cwd=place), 0))["calls"]


def canonical(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()).hexdigest()


def refusal(answer):
    return answer["result"].get("_meta", {}).get("baton/refusal", {}).get("code")
