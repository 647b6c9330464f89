# SPDX-License-Identifier: Apache-2.0
"""aio.py - the client of client.py with async, on the streams of asyncio.

Every request has a connection of its own, so that a cancelled one leaves nothing behind.
"""
from __future__ import annotations

import asyncio
import http.client
import io
import json
import os
import re
import ssl
import time
from collections.abc import AsyncIterator
from typing import Any

from . import _wire
from ._errors import Unavailable
from ._wire import Answer, Document, Item, Lost, Operation, Place, Request, Submission, Target
from .client import EMPTY_PAUSE_S, READ_BYTES, make_context, max_of
from .generated.aio_operations import Operations
from .generated.operations import OPERATIONS, VERSION

__all__ = ["Client", "Delivery", "Submission"]

HEAD_BYTES_MAX = 1 << 16
BROKEN = (OSError, EOFError, ValueError, http.client.HTTPException, asyncio.LimitOverrunError)


class _Answering:
    """One connection while its answer is read."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self._reader, self._writer = reader, writer
        self.status, self.headers = 0, {}
        self._left: int | None = None  # bytes of the body, or of the chunk; None: until the end
        self._is_chunked = False

    async def read_head(self) -> None:
        head = await self._reader.readuntil(b"\r\n\r\n")
        line, _, fields = head.partition(b"\r\n")
        match = re.fullmatch(rb"HTTP/1\.[01] ([0-9]{3})( .*)?", line)
        if not match:
            raise ValueError("the answer is not HTTP")
        self.status = int(match[1])
        if self.status == 100:
            return await self.read_head()
        parsed = http.client.parse_headers(io.BytesIO(fields))
        self.headers = {name.lower(): value for name, value in parsed.items()}
        self._is_chunked = self.headers.get("transfer-encoding", "").lower() == "chunked"
        length = self.headers.get("content-length", "")
        if self._is_chunked or self.status in (204, 304):
            self._left = 0
        elif re.fullmatch(r"[0-9]{1,19}", length):
            self._left = int(length)
        return None

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
            async with asyncio.timeout(max_of(0.001, deadline - time.monotonic())):
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
            async with asyncio.timeout(max_of(0.001, deadline - time.monotonic())):
                return Answer(answering.status, answering.headers, await answering.read_body())
        except BROKEN as why:
            raise Lost(why, True) from why
        finally:
            answering.close()


class Delivery(Item):
    """A handoff that was taken. As an async context manager it is acknowledged on a normal exit and refused on an exception."""

    async def ack(self) -> str:
        """Say that it was handled. `ok`, or `lease_lost` when it was delivered to somebody else meanwhile, or `unknown`."""
        return await self._client._finish(self, "delivered")

    async def nack(self) -> str:
        """Say that it was not handled; it is delivered again. The words are those of ack()."""
        return await self._client._finish(self, "failed")

    async def __aenter__(self) -> Delivery:
        return self

    async def __aexit__(self, kind: object, *_: object) -> None:
        if kind is None:
            await self.ack()
            return
        try:
            await self.nack()
        except Exception:  # the lease runs out, and the exception of the body is the one to raise
            pass


class Client(Operations):
    """A client of a server, for one event loop or several."""

    def __init__(self, url: str = "http://127.0.0.1:8420", *, token: str | None = None, timeout: float = 30.0, retries: int = 3,
                 tls: ssl.SSLContext | str | os.PathLike[str] | None = None, insecure: bool = False):
        target = _wire.parse_target(url, token, insecure)
        self._timeout, self._retries = _wire.check_limits(timeout, retries)
        self._transport = _Transport(target, make_context(target, tls), _wire.own_headers(token, VERSION))
        self._is_known = False

    def __reduce__(self) -> Any:
        raise TypeError("a client cannot be pickled")

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Nothing is kept open between requests; this is there so that both clients are used alike."""

    async def _exchange(self, request: Request, deadline: float) -> Answer:
        steps = _wire.exchange(request, self._retries, deadline)
        step = next(steps)
        while True:
            try:
                if isinstance(step, _wire.Pause):
                    await asyncio.sleep(step.seconds)
                    step = next(steps)
                    continue
                try:
                    answer = await self._transport.send(step, deadline)
                except Lost as lost:
                    step = steps.throw(lost)
                else:
                    step = steps.send(answer)
            except StopIteration as done:
                return done.value

    async def _check_server(self, deadline: float) -> None:
        """Ask for the server's version before the first request."""
        if not self._is_known:
            request = _wire.make_request(OPERATIONS["version"])
            _wire.check_version(request, await self._exchange(request, deadline), VERSION)
            self._is_known = True

    async def _run(self, operation: Operation, *, extra_s: float = 0.0, **call: Any) -> Any:
        deadline = time.monotonic() + self._timeout + extra_s
        request = _wire.make_request(operation, **call)
        if operation.id not in _wire.UNVERSIONED:
            await self._check_server(deadline)
        return _wire.interpret(request, await self._exchange(request, deadline))

    async def _read_stream(self, request: Request, place: Place) -> AsyncIterator[dict[str, Any]]:
        """The events of one connection. Lost: it ended, and can be taken up again."""
        answering = await self._transport.open(request, time.monotonic() + self._timeout)
        try:
            if answering.status in (429, 503):
                raise Lost(f"the server answered with {answering.status}", False)
            _wire.check_status(request, Answer(answering.status, answering.headers, b"" if answering.status == 200 else await answering.read_body()))
            yield {}  # it is open
            reader = _wire.EventReader()
            while True:
                async with asyncio.timeout(_wire.STREAM_SILENCE_S):
                    data = await answering.read_part()
                if not data:
                    raise Lost("the stream ended", False)
                for name, number, text in reader.feed(data):
                    if name != "lagged" and place.take(number):
                        yield json.loads(text)
        except BROKEN as why:
            raise Lost(why, False) from why
        finally:
            answering.close()

    async def _events(self, operation: Operation, *, place: Place | None = None, **call: Any) -> AsyncIterator[dict[str, Any]]:
        await self._check_server(time.monotonic() + self._timeout)
        place = place or Place(call.get("query", {}).get("after"))
        failures = 0
        while True:
            request = _wire.stream_request(operation, call, place)
            try:
                async for event in self._read_stream(request, place):
                    failures = 0
                    if event:
                        yield event
            except Lost as lost:
                failures += 1
                if failures > self._retries + 1:
                    raise Unavailable(f"the stream cannot be taken up again: {lost}") from lost
                await asyncio.sleep(_wire.backoff(failures - 1))

    async def _finish(self, item: Item, outcome: str) -> str:
        answer = await self.finish_handoffs(item.agent, [{"message": item.message, "lease": item.lease, "outcome": outcome}])
        return str(answer["items"][0]["result"])

    # ---- what is more than one operation ----

    async def submit(self, document: Document, /, *, key: str | None = None, **options: Any) -> Submission:
        """Judge, record and deliver a handoff. Rejected: it was refused, which is recorded, too."""
        return await self.submit_handoff(document, key=key, **options)

    async def inbox(self, agent: str, *, max: int = 10, lease_s: int = 60, wait_s: int = 30) -> AsyncIterator[Delivery]:
        """Take what is for an agent, for ever. What is neither acknowledged nor refused is delivered again when its lease runs out."""
        while True:
            begun = time.monotonic()
            taken = await self._run(OPERATIONS["takeHandoffs"], at={"agent": agent}, members={"max": max, "lease_s": lease_s, "wait_s": wait_s},
                                    extra_s=float(wait_s))
            for item in taken["items"]:
                if time.monotonic() - begun < lease_s:  # else another one may have it by now
                    yield _wire.make_item(Delivery, self, agent, item)
            if not taken["items"]:
                await asyncio.sleep(max_of(0.0, begun + EMPTY_PAUSE_S - time.monotonic()))

    async def feed(self, after: int | None = None, **filters: Any) -> AsyncIterator[dict[str, Any]]:
        """Entries of the ledger as they are committed, from the one after `after`, or from now on. A lost connection is made again, without
        a gap and without a repeat."""
        place = Place(after)
        if after is None:
            size = (await self.list_handoffs(limit=1))["size"]
            place = Place(size - 1 if size > 0 else None)
        while place.last is None:  # there is no entry to begin after
            page = await self.list_handoffs(order="asc", limit=500, **filters)
            for entry in page["entries"]:
                place.take(str(entry["seq"]))
                yield entry
            if place.last is None and page["size"] > 0:
                place.last = page["size"] - 1
            if place.last is None:
                await asyncio.sleep(EMPTY_PAUSE_S)
        async for event in self._events(OPERATIONS["streamHandoffs"], place=place, query=filters):
            yield event

    async def approvals(self, status: str | None = None) -> list[dict[str, Any]]:
        """The requests for consent, all or those of one status."""
        return (await self.list_approvals(status=status))["approvals"]

    async def use_approval(self, command: str | bytes | None = None, command_base64: str | None = None, id: str | None = None,
                           agent: str | None = None, workspace: str | None = None, *, key: str | None = None) -> dict[str, Any]:
        """Use a grant up for exactly this command. Problem: it may not run."""
        return await super().use_approval(*_wire.command_members(command, command_base64), id, agent, workspace, key=key)
