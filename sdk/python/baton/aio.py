# SPDX-License-Identifier: Apache-2.0
"""aio.py - the client of client.py with async, on the streams of asyncio.

Every request has a connection of its own, so that a cancelled one leaves nothing behind.
"""
from __future__ import annotations

import asyncio
import contextlib
import http.client
import io
import re
import ssl
import time
from collections.abc import AsyncIterator, Generator
from typing import Any

from . import _wire
from ._base import EMPTY_PAUSE_S, READ_BYTES, Attempt, BaseClient, Stream, Taken, member_of, place_at_end, take_page
from ._wire import Answer, Item, Lost, Operation, Pause, Place, Request, Submission, Target
from .generated.aio_operations import Operations
from .generated.operations import OPERATIONS

__all__ = ["Client", "Delivery", "Submission"]

HEAD_BYTES_MAX = 1 << 16
HEADS_MAX = 10  # an answer may begin with some of 100
BROKEN = (OSError, EOFError, ValueError, http.client.HTTPException, asyncio.LimitOverrunError)


class _Answering:
    """One connection while its answer is read."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self._reader, self._writer = reader, writer
        self.status, self.headers = 0, {}
        self._left: int | None = None  # bytes of the body, or of the chunk; None: until the end
        self._is_chunked = False

    async def read_head(self) -> None:
        for _ in range(HEADS_MAX):
            await self._read_head()
            if self.status != 100:
                return
        raise ValueError("the answer does not come to its end")

    async def _read_head(self) -> None:
        head = await self._reader.readuntil(b"\r\n\r\n")
        line, _, fields = head.partition(b"\r\n")
        match = re.fullmatch(rb"HTTP/1\.[01] ([0-9]{3})( .*)?", line)
        if not match:
            raise ValueError("the answer is not HTTP")
        self.status = int(match[1])
        parsed = http.client.parse_headers(io.BytesIO(fields))
        self.headers = {name.lower(): value for name, value in parsed.items()}
        self._is_chunked = self.headers.get("transfer-encoding", "").lower() == "chunked"
        length = self.headers.get("content-length", "")
        if self._is_chunked or self.status in (204, 304):
            self._left = 0
        elif re.fullmatch(r"[0-9]{1,19}", length):
            self._left = int(length)

    async def read_part(self) -> bytes:
        """The next bytes of the body; none at its end."""
        if self._is_chunked and self._left == 0:
            size = (await self._reader.readuntil(b"\r\n")).split(b";")[0].strip()
            if not re.fullmatch(rb"[0-9a-fA-F]{1,8}", size):
                raise ValueError("a chunk without its size")
            self._left = int(size, 16)
            if self._left == 0:
                await self._reader.readuntil(b"\r\n")
                return b""
        if self._left == 0:
            return b""
        data = await self._reader.read(READ_BYTES if self._left is None else min(READ_BYTES, self._left))
        if self._left is not None:
            if not data:
                raise EOFError("the answer is cut")
            self._left -= len(data)
            if self._is_chunked and self._left == 0:
                await self._reader.readexactly(2)
        return data

    async def read_body(self) -> bytes:
        parts, size = [], 0
        while data := await self.read_part():
            parts.append(data)
            size += len(data)
            if size > _wire.ANSWER_BYTES_MAX:
                raise ValueError("the answer is longer than 1 GiB")
        return b"".join(parts)

    def close(self) -> None:
        self._writer.transport.abort()


class _Transport:
    def __init__(self, target: Target, tls: ssl.SSLContext | None, headers: dict[str, str]):
        self.target, self._tls, self._headers = target, tls, headers

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self.target.socket:
            return await asyncio.open_unix_connection(self.target.socket, limit=HEAD_BYTES_MAX)
        return await asyncio.open_connection(self.target.host, self.target.port, ssl=self._tls, limit=HEAD_BYTES_MAX)

    def _text(self, request: Request) -> bytes:
        fields = {"Host": self.target.authority, "Connection": "close", **self._headers, **request.headers}
        if request.body is not None:
            fields["Content-Length"] = str(len(request.body))
        for value in fields.values():
            if _wire.UNSUITABLE.search(value.replace(" ", "")):
                raise ValueError("a field of the request holds a control character")
        head = f"{request.operation.method} {self.target.prefix + request.path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        return head.encode("latin-1") + b"\r\n" + (request.body or b"")

    async def open(self, request: Request, deadline: float) -> _Answering:
        """Send a request and read the head of its answer."""
        text = self._text(request)
        answering = None
        was_sent = False
        try:
            async with asyncio.timeout(max(0.001, deadline - time.monotonic())):
                reader, writer = await self._connect()
                answering = _Answering(reader, writer)
                was_sent = True
                writer.write(text)
                await writer.drain()
                await answering.read_head()
                return answering
        except BROKEN as why:
            if answering:
                answering.close()
            raise Lost(why, was_sent) from why
        except BaseException:
            if answering:
                answering.close()
            raise

    async def send(self, request: Request, deadline: float) -> Answer:
        answering = await self.open(request, deadline)
        try:
            async with asyncio.timeout(max(0.001, deadline - time.monotonic())):
                return Answer(answering.status, answering.headers, await answering.read_body())
        except BROKEN as why:
            raise Lost(why, True) from why
        finally:
            answering.close()


class Delivery(Item):
    """A handoff that was taken. As an async context manager it is acknowledged on a normal exit and refused on an exception."""

    async def __aenter__(self) -> Delivery:
        return self

    async def __aexit__(self, kind: object, *_: object) -> None:
        if kind is None:
            await self.ack()
            return
        with contextlib.suppress(Exception):  # the lease runs out, and the exception of the body is the one to raise
            await self.nack()


class Client(BaseClient, Operations):
    """A client of a server, for one event loop or several."""

    _transport_class = _Transport

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Nothing is kept open between requests; this is there so that both clients are used alike."""

    async def _carry_out(self, steps: Generator[Attempt | Pause, Answer, Any]) -> Any:
        given: Any = None
        with contextlib.closing(steps):
            while True:
                try:
                    step = steps.throw(given) if isinstance(given, Lost) else steps.send(given)
                except StopIteration as done:
                    return done.value
                given = await self._perform(step)

    async def _perform(self, step: Attempt | Pause) -> Answer | Lost | None:
        if isinstance(step, Pause):
            return await asyncio.sleep(step.seconds)
        try:
            return await self._transport.send(step.request, step.deadline)
        except Lost as lost:
            return lost

    async def _read_stream(self, stream: Stream) -> AsyncIterator[dict[str, Any]]:
        """The events of one connection. Lost: it ended, and can be taken up again."""
        request = stream.request()
        answering = await self._transport.open(request, self._deadline())
        try:
            body = b"" if answering.status == 200 else await answering.read_body()
            stream.begin(request, Answer(answering.status, answering.headers, body))
            while True:
                async with asyncio.timeout(_wire.STREAM_SILENCE_S):
                    data = await answering.read_part()
                for event in stream.events(data):
                    yield event
        except BROKEN as why:
            raise Lost(why, False) from why
        finally:
            answering.close()

    async def _events(self, operation: Operation, *, place: Place | None = None, **call: Any) -> AsyncIterator[dict[str, Any]]:
        await self._carry_out(self._check_server(self._deadline()))
        stream = Stream(operation, call, place, self._retries)
        while True:
            try:
                async for event in self._read_stream(stream):
                    yield event
            except Lost as lost:
                await asyncio.sleep(stream.pause_s(lost))

    # ---- what is more than one operation ----

    async def inbox(self, agent: str, *, max: int = 10, lease_s: int = 60, wait_s: int = 30) -> AsyncIterator[Delivery]:
        """Take what is for an agent, for ever. What is neither acknowledged nor refused is delivered again when its lease runs out."""
        while True:
            taken = Taken(self, Delivery, agent, lease_s)
            answer = await self._carry_out(self._take(agent, max, lease_s, wait_s))
            for delivery in taken.items(answer):
                yield delivery
            await asyncio.sleep(taken.pause_s(answer))

    async def feed(self, after: int | None = None, **filters: Any) -> AsyncIterator[dict[str, Any]]:
        """Entries of the ledger as they are committed, from the one after `after`, or from now on. A lost connection is made again, without
        a gap and without a repeat."""
        place = Place(after) if after is not None else place_at_end(await self.list_handoffs(limit=1))
        while place.last is None:  # there is no entry to begin after
            for entry in take_page(place, await self.list_handoffs(order="asc", limit=500, **filters)):
                yield entry
            await asyncio.sleep(EMPTY_PAUSE_S if place.last is None else 0)
        async for event in self._events(OPERATIONS["streamHandoffs"], place=place, query=filters):
            yield event

    async def approvals(self, status: str | None = None) -> list[dict[str, Any]]:
        """The requests for consent, all or those of one status."""
        found: list[dict[str, Any]] = member_of(await self.list_approvals(status=status), "approvals", list)
        return found
