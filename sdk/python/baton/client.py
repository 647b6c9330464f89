# SPDX-License-Identifier: Apache-2.0
"""client.py - a client of `baton serve` on the standard library.

Requests, retries and the meaning of answers are in _wire.py; here are connections, and what is more than one request: inboxes and streams.
"""
from __future__ import annotations

import http.client
import io
import json
import os
import select
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from typing import Any

from . import _wire
from ._errors import Unavailable
from ._wire import Answer, Document, Item, Lost, Operation, Place, Request, Submission, Target
from .generated.operations import OPERATIONS, VERSION, Operations

__all__ = ["Client", "Delivery", "Submission"]

IDLE_S_MAX = 15.0  # an older connection may be closed by the server while a request is on its way
IDLE_COUNT_MAX = 8
READ_BYTES = 1 << 16
EMPTY_PAUSE_S = 1.0


class _DeadlineReader(io.RawIOBase):
    """Reads of a socket that end at one deadline, however slowly the bytes come."""

    def __init__(self, connection: _Connection, raw: io.RawIOBase):
        super().__init__()
        self._connection, self._raw = connection, raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._connection.arm()
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _DeadlineSocket:
    """What http.client uses of a socket, with the deadline of the connection."""

    def __init__(self, connection: _Connection, sock: socket.socket):
        self._connection, self.sock = connection, sock

    def sendall(self, data: Any) -> None:
        self._connection.arm()
        self.sock.sendall(data)

    def makefile(self, mode: str, *_: Any) -> io.BufferedReader:
        return io.BufferedReader(_DeadlineReader(self._connection, self.sock.makefile(mode, buffering=0)))

    def close(self) -> None:
        self.sock.close()


class _Connection(http.client.HTTPConnection):
    def __init__(self, target: Target, tls: ssl.SSLContext | None):
        super().__init__(target.host, target.port or None)
        self._target, self._tls = target, tls
        self.deadline = 0.0
        self.idle_since = 0.0
        self.plain: socket.socket | None = None

    def arm(self) -> None:
        """Let the next call of the system end at the deadline."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("no answer in time")
        assert self.plain is not None
        self.plain.settimeout(left)

    def connect(self) -> None:
        left = max(0.001, self.deadline - time.monotonic())
        if self._target.socket:
            sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            sock.settimeout(left)
            try:
                sock.connect(self._target.socket)
            except BaseException:
                sock.close()
                raise
        else:
            sock = socket.create_connection((self._target.host, self._target.port), left)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._tls is not None:
            sock = self._tls.wrap_socket(sock, server_hostname=self._target.host)
        self.plain = sock
        self.sock = _DeadlineSocket(self, sock)

    def is_stale(self) -> bool:
        """True when the server closed the connection, or may do so soon, or said something that nobody asked for."""
        if self.plain is None or time.monotonic() - self.idle_since > IDLE_S_MAX:
            return True
        return bool(select.select([self.plain], [], [], 0)[0])


class _Transport:
    """Connections to one server. Safe for threads; a child process begins with none."""

    def __init__(self, target: Target, tls: ssl.SSLContext | None, headers: dict[str, str]):
        self.target, self._tls, self._headers = target, tls, headers
        self._lock = threading.Lock()
        self._idle: list[_Connection] = []
        self._pid = os.getpid()

    def _take(self) -> _Connection:
        with self._lock:
            if self._pid != os.getpid():
                self._pid, self._idle = os.getpid(), []
            while self._idle:
                connection = self._idle.pop()
                if not connection.is_stale():
                    return connection
                connection.close()
        return _Connection(self.target, self._tls)

    def _give_back(self, connection: _Connection) -> None:
        connection.idle_since = time.monotonic()
        with self._lock:
            if len(self._idle) < IDLE_COUNT_MAX and self._pid == os.getpid():
                self._idle.append(connection)
                return
        connection.close()

    def open(self, request: Request, deadline: float) -> tuple[_Connection, http.client.HTTPResponse]:
        """Send a request and read the head of its answer."""
        connection = self._take()
        connection.deadline = deadline
        was_sent = False
        try:
            if connection.plain is None:
                connection.connect()
            was_sent = True
            fields = {"Host": self.target.authority, **self._headers, **request.headers}
            connection.request(request.operation.method, self.target.prefix + request.path, request.body, fields)
            return connection, connection.getresponse()
        except (OSError, http.client.HTTPException) as why:
            connection.close()
            raise Lost(why, was_sent) from why
        except BaseException:
            connection.close()
            raise

    def send(self, request: Request, deadline: float) -> Answer:
        connection, response = self.open(request, deadline)
        try:
            body = response.read(_wire.ANSWER_BYTES_MAX + 1)
            is_cut = len(body) > _wire.ANSWER_BYTES_MAX or (response.length or 0) > 0
            if is_cut:
                raise Lost("the answer is cut, or longer than 1 GiB", True)
        except (OSError, http.client.HTTPException) as why:
            connection.close()
            raise Lost(why, True) from why
        except BaseException:
            connection.close()
            raise
        answer = Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, body)
        if response.will_close or not response.isclosed():
            connection.close()
        else:
            self._give_back(connection)
        return answer

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()


def make_context(target: Target, tls: ssl.SSLContext | str | os.PathLike[str] | None) -> ssl.SSLContext | None:
    """The TLS settings for a server: given, or those of the system; a path names the certificates to trust."""
    if target.scheme != "https":
        if tls is not None:
            raise ValueError("tls= is for a URL that begins with https:")
        return None
    if isinstance(tls, ssl.SSLContext):
        return tls
    return ssl.create_default_context(cafile=os.fspath(tls) if tls is not None else None)


class Delivery(Item):
    """A handoff that was taken. As a context manager it is acknowledged on a normal exit and refused on an exception."""
    def ack(self) -> str:
        """Say that it was handled. `ok`, or `lease_lost` when it was delivered to somebody else meanwhile, or `unknown`."""
        return self._client._finish(self, "delivered")

    def nack(self) -> str:
        """Say that it was not handled; it is delivered again. The words are those of ack()."""
        return self._client._finish(self, "failed")

    def __enter__(self) -> Delivery:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.ack()
            return
        try:
            self.nack()
        except Exception:  # the lease runs out, and the exception of the body is the one to raise
            pass


class Client(Operations):
    """A client of a server. It may be shared by threads."""

    def __init__(self, url: str = "http://127.0.0.1:8420", *, token: str | None = None, timeout: float = 30.0, retries: int = 3,
                 tls: ssl.SSLContext | str | os.PathLike[str] | None = None, insecure: bool = False):
        target = _wire.parse_target(url, token, insecure)
        self._timeout, self._retries = _wire.check_limits(timeout, retries)
        self._transport = _Transport(target, make_context(target, tls), _wire.own_headers(token, VERSION))
        self._is_known = False
        self._lock = threading.Lock()

    def __reduce__(self) -> Any:
        raise TypeError("a client has connections and cannot be pickled")

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections that are kept open."""
        self._transport.close()

    def _exchange(self, request: Request, deadline: float) -> Answer:
        steps = _wire.exchange(request, self._retries, deadline)
        step = next(steps)
        while True:
            try:
                if isinstance(step, _wire.Pause):
                    time.sleep(step.seconds)
                    step = next(steps)
                    continue
                try:
                    answer = self._transport.send(step, deadline)
                except Lost as lost:
                    step = steps.throw(lost)
                else:
                    step = steps.send(answer)
            except StopIteration as done:
                return done.value

    def _check_server(self, deadline: float) -> None:
        """Ask for the server's version before the first request."""
        if not self._is_known:
            request = _wire.make_request(OPERATIONS["version"])
            _wire.check_version(request, self._exchange(request, deadline), VERSION)
            self._is_known = True

    def _run(self, operation: Operation, *, extra_s: float = 0.0, **call: Any) -> Any:
        deadline = time.monotonic() + self._timeout + extra_s
        request = _wire.make_request(operation, **call)
        if operation.id not in _wire.UNVERSIONED:
            self._check_server(deadline)
        return _wire.interpret(request, self._exchange(request, deadline))

    def _read_stream(self, request: Request, place: Place) -> Iterator[dict[str, Any]]:
        """The events of one connection. Lost: it ended, and can be taken up again."""
        connection, response = self._transport.open(request, time.monotonic() + self._timeout)
        try:
            answer = Answer(response.status, {name.lower(): value for name, value in response.getheaders()},
                            b"" if response.status == 200 else response.read(READ_BYTES))
            if answer.status in (429, 503):
                raise Lost(f"the server answered with {answer.status}", False)
            _wire.check_status(request, answer)
            yield {}  # it is open
            reader = _wire.EventReader()
            while True:
                connection.deadline = time.monotonic() + _wire.STREAM_SILENCE_S
                data = response.read1(READ_BYTES)
                if not data:
                    raise Lost("the stream ended", False)
                for name, number, text in reader.feed(data):
                    if name != "lagged" and place.take(number):
                        yield json.loads(text)
        except (OSError, http.client.HTTPException) as why:
            raise Lost(why, False) from why
        finally:
            response.close()
            connection.close()

    def _events(self, operation: Operation, *, place: Place | None = None, **call: Any) -> Iterator[dict[str, Any]]:
        self._check_server(time.monotonic() + self._timeout)
        place = place or Place(call.get("query", {}).get("after"))
        failures = 0
        while True:
            request = _wire.stream_request(operation, call, place)
            try:
                for event in self._read_stream(request, place):
                    failures = 0
                    if event:
                        yield event
            except Lost as lost:
                failures += 1
                if failures > self._retries + 1:
                    raise Unavailable(f"the stream cannot be taken up again: {lost}") from lost
                time.sleep(_wire.backoff(failures - 1))

    def _finish(self, item: Item, outcome: str) -> str:
        answer = self.finish_handoffs(item.agent, [{"message": item.message, "lease": item.lease, "outcome": outcome}])
        return str(answer["items"][0]["result"])

    # ---- what is more than one operation ----

    def submit(self, document: Document, /, *, key: str | None = None, **options: Any) -> Submission:
        """Judge, record and deliver a handoff. Rejected: it was refused, which is recorded, too."""
        return self.submit_handoff(document, key=key, **options)

    def inbox(self, agent: str, *, max: int = 10, lease_s: int = 60, wait_s: int = 30) -> Iterator[Delivery]:
        """Take what is for an agent, for ever. What is neither acknowledged nor refused is delivered again when its lease runs out."""
        while True:
            begun = time.monotonic()
            taken = self._run(OPERATIONS["takeHandoffs"], at={"agent": agent}, members={"max": max, "lease_s": lease_s, "wait_s": wait_s},
                              extra_s=float(wait_s))
            for item in taken["items"]:
                if time.monotonic() - begun < lease_s:  # else another one may have it by now
                    yield _wire.make_item(Delivery, self, agent, item)
            if not taken["items"]:
                time.sleep(max_of(0.0, begun + EMPTY_PAUSE_S - time.monotonic()))

    def feed(self, after: int | None = None, **filters: Any) -> Iterator[dict[str, Any]]:
        """Entries of the ledger as they are committed, from the one after `after`, or from now on. A lost connection is made again, without
        a gap and without a repeat."""
        place = Place(after)
        if after is None:
            size = self.list_handoffs(limit=1)["size"]
            place = Place(size - 1 if size > 0 else None)
        if place.last is None:  # there is no entry to begin after
            yield from self._first_entries(place, filters)
        yield from self._events(OPERATIONS["streamHandoffs"], place=place, query=filters)

    def _first_entries(self, place: Place, filters: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The entries of a ledger that was empty when the reading began, until there is one to go on after."""
        while place.last is None:
            page = self.list_handoffs(order="asc", limit=500, **filters)
            for entry in page["entries"]:
                place.take(str(entry["seq"]))
                yield entry
            if place.last is None and page["size"] > 0:
                place.last = page["size"] - 1
            if place.last is None:
                time.sleep(EMPTY_PAUSE_S)

    def approvals(self, status: str | None = None) -> list[dict[str, Any]]:
        """The requests for consent, all or those of one status."""
        return self.list_approvals(status=status)["approvals"]

    def use_approval(self, command: str | bytes | None = None, command_base64: str | None = None, id: str | None = None, agent: str | None = None,
                     workspace: str | None = None, *, key: str | None = None) -> dict[str, Any]:
        """Use a grant up for exactly this command. Problem: it may not run."""
        return super().use_approval(*_wire.command_members(command, command_base64), id, agent, workspace, key=key)


max_of = max  # `max` is also the name of a parameter
