# SPDX-License-Identifier: Apache-2.0
"""client.py - a client of `baton serve` on the standard library.

Requests, retries and the meaning of answers are in _wire.py, the steps of calls in _base.py; here are connections, and what carries the steps out.
"""
from __future__ import annotations

import contextlib
import http.client
import io
import os
import select
import socket
import ssl
import threading
import time
from collections.abc import Generator, Iterator
from typing import Any

from . import _wire
from ._base import EMPTY_PAUSE_S, READ_BYTES, Attempt, BaseClient, Stream, Taken, member_of, place_at_end, take_page
from ._wire import Answer, Item, Lost, Operation, Pause, Place, Request, Submission, Target
from .generated.operations import OPERATIONS, Operations

__all__ = ["Client", "Delivery", "Submission"]

IDLE_S_MAX = 15.0  # an older connection may be closed by the server while a request is on its way
IDLE_COUNT_MAX = 8


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
            body = bytearray()
            while part := response.read(READ_BYTES):  # what a field announces is not allocated before it comes
                body += part
                if len(body) > _wire.ANSWER_BYTES_MAX:
                    raise Lost("the answer is longer than 1 GiB", True)
            if (response.length or 0) > 0:
                raise Lost("the answer is cut", True)
        except (OSError, http.client.HTTPException) as why:
            connection.close()
            raise Lost(why, True) from why
        except BaseException:
            connection.close()
            raise
        answer = Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, bytes(body))
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


class Delivery(Item):
    """A handoff that was taken. As a context manager it is acknowledged on a normal exit and refused on an exception."""

    def __enter__(self) -> Delivery:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.ack()
            return
        with contextlib.suppress(Exception):  # the lease runs out, and the exception of the body is the one to raise
            self.nack()


class Client(BaseClient, Operations):
    """A client of a server. It may be shared by threads."""

    _transport_class = _Transport

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections that are kept open."""
        self._transport.close()

    def _carry_out(self, steps: Generator[Attempt | Pause, Answer, Any]) -> Any:
        with contextlib.closing(steps):
            try:
                step = next(steps)
                while True:
                    if isinstance(step, Pause):
                        time.sleep(step.seconds)
                        step = next(steps)
                        continue
                    try:
                        answer = self._transport.send(step.request, step.deadline)
                    except Lost as lost:
                        step = steps.throw(lost)
                    else:
                        step = steps.send(answer)
            except StopIteration as done:
                return done.value

    def _read_stream(self, stream: Stream) -> Iterator[dict[str, Any]]:
        """The events of one connection. Lost: it ended, and can be taken up again."""
        request = stream.request()
        connection, response = self._transport.open(request, self._deadline())
        try:
            body = b"" if response.status == 200 else response.read(READ_BYTES)
            stream.begin(request, Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, body))
            while True:
                connection.deadline = time.monotonic() + _wire.STREAM_SILENCE_S
                yield from stream.events(response.read1(READ_BYTES))
        except (OSError, http.client.HTTPException) as why:
            raise Lost(why, False) from why
        finally:
            response.close()
            connection.close()

    def _events(self, operation: Operation, *, place: Place | None = None, **call: Any) -> Iterator[dict[str, Any]]:
        self._carry_out(self._check_server(self._deadline()))
        stream = Stream(operation, call, place, self._retries)
        while True:
            try:
                yield from self._read_stream(stream)
            except Lost as lost:
                time.sleep(stream.pause_s(lost))

    # ---- what is more than one operation ----

    def inbox(self, agent: str, *, max: int = 10, lease_s: int = 60, wait_s: int = 30) -> Iterator[Delivery]:
        """Take what is for an agent, for ever. What is neither acknowledged nor refused is delivered again when its lease runs out."""
        while True:
            taken = Taken(self, Delivery, agent, lease_s)
            answer = self._carry_out(self._take(agent, max, lease_s, wait_s))
            yield from taken.items(answer)
            time.sleep(taken.pause_s(answer))

    def feed(self, after: int | None = None, **filters: Any) -> Iterator[dict[str, Any]]:
        """Entries of the ledger as they are committed, from the one after `after`, or from now on. A lost connection is made again, without
        a gap and without a repeat."""
        place = Place(after) if after is not None else place_at_end(self.list_handoffs(limit=1))
        while place.last is None:  # there is no entry to begin after
            yield from take_page(place, self.list_handoffs(order="asc", limit=500, **filters))
            time.sleep(EMPTY_PAUSE_S if place.last is None else 0)
        yield from self._events(OPERATIONS["streamHandoffs"], place=place, query=filters)

    def approvals(self, status: str | None = None) -> list[dict[str, Any]]:
        """The requests for consent, all or those of one status."""
        found: list[dict[str, Any]] = member_of(self.list_approvals(status=status), "approvals", list)
        return found
