# SPDX-License-Identifier: Apache-2.0
"""test_redact.py BATON - what is redacted is nowhere in the store: every interface, every table, every column."""
import base64
import contextlib
import ctypes
import ctypes.util
import hashlib
import json
import os
import pathlib
import sqlite3
import sys
import tempfile

import postgres_server
from block import REQUEST, envelope, fenced
from bus_client import Bus
from handoffs import handoff, pretty
from ledger_tools import ORIGIN
from mcp_client import tool
from program import claim, claim_if, equal, expect, finish, run
from pump_place import Place, listener, message, organism
from server import PATIENT, Server, bearer, serving

JSON = {"Content-Type": "application/json"}
A2A = {**JSON, "A2A-Version": "1.0"}
WISH = "urn:baton:a2a:handoff:v1"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
zstd = ctypes.CDLL(ctypes.util.find_library("zstd"))
zstd.ZSTD_getFrameContentSize.restype = ctypes.c_ulonglong
zstd.ZSTD_decompress.restype = ctypes.c_size_t


# ---- Looking into a store ---------------------------------------------------------------------------------------------------


def unpacked(data):
    """The bytes of a cell, and what they are when zstd packed them."""
    if not data.startswith(ZSTD_MAGIC):
        return data
    size = zstd.ZSTD_getFrameContentSize(data, ctypes.c_size_t(len(data)))
    out = ctypes.create_string_buffer(size)
    equal(zstd.ZSTD_decompress(out, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data))), size)
    return data + out.raw


def spellings(marker):
    """The marker as it is, and the part of its base64 that does not depend on what stands around it."""
    return [marker.encode()] + [base64.b64encode(b"x" * shift + marker.encode())[4 if shift else 0:-4] for shift in range(3)]


class File:
    """A store in a file."""

    def __init__(self, folder, name="s.db"):
        self.path = pathlib.Path(folder) / name
        self.flags = ("--store", str(self.path))

    def cells(self):
        with contextlib.closing(sqlite3.connect(self.path)) as database:
            for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                for row in database.execute(f"SELECT * FROM {table}"):
                    for value in row:
                        yield table, value if isinstance(value, bytes) else str(value).encode()

    def leftovers(self):
        """What a table no longer shows can still be in the file."""
        return b"".join(path.read_bytes() for path in self.path.parent.glob(self.path.name + "*"))


class Schema:
    """A store in PostgreSQL."""

    def __init__(self, url):
        self.url, self.flags = url, ("--store", f"{url}&schema=redacted")

    def cells(self):
        names = "SELECT tablename FROM pg_tables WHERE schemaname = 'redacted'"
        for table in postgres_server.psql(self.url, names).split():
            rows = postgres_server.psql(self.url, f"SELECT row_to_json(t) FROM redacted.{table} t")
            for row in rows.splitlines():
                for value in json.loads(row).values():
                    packed = isinstance(value, str) and value.startswith("\\x")
                    yield table, bytes.fromhex(value[2:]) if packed else str(value).encode()

    def leftovers(self):
        return b""


def tables_with(store, marker):
    """The tables that hold the marker, in whatever spelling."""
    return {table for table, value in store.cells() if any(text in unpacked(value) for text in spellings(marker))}


# ---- The interfaces ---------------------------------------------------------------------------------------------------------


def universal(marker):
    return json.dumps(handoff(source={"skill": "intake-clerk"}, target={"skill": "tax-writer"}, context={"summary": f"all about {marker}"}))


def contract(marker, status="IN_PROGRESS", **more):
    return fenced(envelope({"/agent_status/next_action": f"go on with {marker}", **more}, status))


def through_cli(scene, marker):
    (scene.folder / "handoff.json").write_text(universal(marker))
    expect(run("ledger", "append", *scene.store.flags, "handoff.json", cwd=scene.folder), 0)
    return universal(marker), {"document"}


def submitted(scene, text, key, kind="application/json"):
    answer = scene.ask("POST", "/v1/handoffs", text, {"Content-Type": kind, "Idempotency-Key": key})
    equal(answer.status, 201)
    return answer.json()


def through_rest(scene, marker):
    submitted(scene, universal(marker), marker[:4])
    return universal(marker), {"document", "queue"}


def through_rest_refused(scene, marker):
    """A report quotes what it refuses, and is kept for a repeat."""
    text = json.dumps(handoff(source={"skill": f"not a name: {marker}"}, target={"skill": f"not a name: {marker}"}))
    answer = scene.ask("POST", "/v1/handoffs", text, {**JSON, "Idempotency-Key": marker[:4]})
    equal(answer.status, 422)
    return text, {"document", "idempotency"}


def through_rest_with_a_request(scene, marker):
    text = contract("nothing", "APPROVAL_REQUEST", **{"/approval_request": {**REQUEST, "operation": f"apply {marker}"}})
    said = submitted(scene, text, marker[:4], "text/markdown")
    equal(scene.ask("POST", f"/v1/approvals/{said['submit']['approval']['id']}/show", {}, {**JSON, "Idempotency-Key": "show"}).status, 200)
    return text, {"document", "approval", "idempotency"}


def through_inbox(scene, marker):
    submitted(scene, universal(marker), marker[:4])
    taken = scene.ask("POST", "/v1/inbox/tax-writer/take", {"max": 100}, JSON).json()["items"]
    equal(any(marker in json.dumps(item) for item in taken), True)
    return universal(marker), {"document", "queue"}


def through_mcp(scene, marker):
    said = tool("submit_handoff", {"document": universal(marker), "idempotency_key": marker[:4]}, flags=scene.store.flags, cwd=scene.folder, notes=True)
    equal(said["isError"], False)
    return universal(marker), {"document", "queue"}


def send(scene, number, part, wish=None, **more):
    """A message of A2A; its task."""
    text = {"messageId": number, "role": "ROLE_USER", "parts": [part], **({"metadata": {WISH: wish}} if wish else {}), **more}
    answer = scene.ask("POST", "/a2a/message:send", {"message": text}, A2A)
    equal((number, answer.status), (number, 200))
    return answer.json()["task"]


def through_a2a(scene, marker):
    """The first of several messages in one task."""
    wish = {"dialect": "contract"}
    first = send(scene, "m1", {"text": contract(marker)}, wish)
    for number in (2, 3):
        send(scene, f"m{number}", {"text": contract(f"number {number}")}, wish, taskId=first["id"])
    return contract(marker), {"document", "a2a_task"}


def through_a2a_last(scene, marker):
    wish = {"dialect": "contract"}
    first = send(scene, "l1", {"text": contract("the first")}, wish)
    send(scene, "l2", {"text": contract(marker)}, wish, taskId=first["id"])
    return contract(marker), {"document", "a2a_task"}


def through_a2a_unrecorded(scene, marker):
    """What was only checked or repaired has no entry, and is the same document all the same."""
    document = json.loads(universal(marker))
    text = pretty(document)
    submitted(scene, text, marker[:4])
    for number, part in enumerate(({"text": text}, {"data": document}, {"raw": base64.b64encode(text.encode()).decode()})):
        for wish in ("check", "repair"):
            send(scene, f"{wish}{number}", part, {"operation": wish, "dialect": "universal"})
    return text, {"document", "queue", "a2a_task"}


WAYS = [through_cli, through_rest, through_rest_refused, through_rest_with_a_request, through_inbox, through_mcp, through_a2a, through_a2a_last,
        through_a2a_unrecorded]


class Scene:
    """A server on a store, and its folder."""

    def __init__(self, server, store):
        self.server, self.store, self.folder = server, store, server.folder

    def ask(self, method, path, body, headers):
        return self.server.ask(method, path, body, {**headers, **bearer(self.server.console)})

    def redact(self, text):
        body = {"sha256": hashlib.sha256(text.encode()).hexdigest(), "reason": "asked for"}
        answer = self.ask("POST", "/v1/ledger/redact", body, JSON)
        equal(answer.status, 200)
        return answer.json()


def redact_all(scene):
    """Each interface leaves its document in the tables that it should, and in none once it is redacted."""
    made = []
    for number, way in enumerate(WAYS):
        marker = f"{number:04d}-open-sesame-{way.__name__.replace('_', '-')}"
        text, tables = way(scene, marker)
        found = tables_with(scene.store, marker)
        if not found >= tables:
            raise AssertionError(f"{way.__name__}: only in {found}, not in {tables}")
        made.append((way, marker, text))
    for way, marker, text in made:
        equal((way.__name__, scene.redact(text)["already"]), (way.__name__, False))
        equal((way.__name__, tables_with(scene.store, marker)), (way.__name__, set()))
        equal((way.__name__, marker.encode() in scene.store.leftovers()), (way.__name__, False))
        equal((way.__name__, scene.redact(text)["already"]), (way.__name__, True))
    expect(run("ledger", "verify", *scene.store.flags, cwd=scene.folder), 0)


# ---- The claims -------------------------------------------------------------------------------------------------------------


@claim
def nothing_that_is_redacted_is_left_in_a_file():
    with serving() as server:
        redact_all(Scene(server, File(server.folder)))


@claim_if(postgres_server.missing() is None, postgres_server.missing())
def nothing_that_is_redacted_is_left_in_postgresql():
    with postgres_server.running() as url, tempfile.TemporaryDirectory(prefix="baton-redact-") as folder:
        store = Schema(url)
        expect(run("ledger", "init", *store.flags, "--origin", ORIGIN, cwd=folder), 0)
        (pathlib.Path(folder) / "baton.yaml").write_text(PATIENT)
        server = Server(folder, *store.flags)
        try:
            redact_all(Scene(server, store))
        finally:
            server.stop()


@claim
def what_comes_again_after_its_redaction_can_be_redacted_again():
    with serving() as server:
        scene = Scene(server, File(server.folder))
        text = universal("a-marker-of-its-own")
        for key in ("first", "second"):
            submitted(scene, text, key)
            send(scene, key, {"text": text}, {"operation": "check", "dialect": "universal"})
            equal(tables_with(scene.store, "a-marker-of-its-own") >= {"queue", "a2a_task"}, True)
            equal(scene.redact(text)["already"], False)
            equal(tables_with(scene.store, "a-marker-of-its-own"), set())
        equal(scene.redact(text)["already"], True)
        expect(run("ledger", "verify", *scene.store.flags, cwd=scene.folder), 0)


@claim
def tasks_that_hold_something_else_are_left_alone():
    with serving() as server:
        scene = Scene(server, File(server.folder))
        other = send(scene, "other", {"text": universal("another-marker")}, {"operation": "check", "dialect": "universal"})
        for number, text in enumerate(("{}", "ok", universal("a-marker-of-its-own"))):
            (server.folder / "raw.txt").write_text(text)
            expect(run("ledger", "append", *scene.store.flags, "--raw", "raw.txt", cwd=server.folder), 0)
            send(scene, f"m{number}", {"text": text}, {"operation": "check", "dialect": "universal"})
            scene.redact(text)
        with contextlib.closing(sqlite3.connect(scene.store.path)) as database:
            left = database.execute("SELECT id FROM a2a_task WHERE history IS NOT NULL AND artifacts IS NOT NULL").fetchall()
        equal(left, [(other["id"],)])


@claim
def what_handlers_made_of_a_redacted_message_is_redacted_too():
    """A sum with nothing repeats the number that was sent."""
    document = {**organism(listener("calc", "slow")), "clients": [{"name": "alice", "may_call": ["*"], "uid": os.getuid()}]}
    with Place(document) as place:
        text = message(739182645, 0)
        with place.pump() as pump, Bus(place.top / ".baton/bus.sock") as alice:
            alice.hello("alice")
            alice.send(text)
            alice.send(message(1, 2, on=2))  # the last entry when the handlers answer
            place.write("tools/go", "")
            equal(sum("739182645" in str(alice.take()[1]) for _ in range(2)), 1)
            equal(pump.stop(), 0)
        store = File(place.top, ".baton/pump/store.db")
        equal([table for table, value in store.cells() if b"739182645" in unpacked(value)].count("pump_message") > 1, True)
        digest = hashlib.sha256(text.encode()).hexdigest()
        expect(run("ledger", "redact", *store.flags, f"sha256:{digest}", "--reason", "asked for", cwd=place.top), 0, err="keep their copies")
        equal(tables_with(store, "739182645"), set())


sys.exit(finish())
