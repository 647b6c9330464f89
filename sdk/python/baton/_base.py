# SPDX-License-Identifier: Apache-2.0
"""_base.py - the client of a server without its connections: what client.py and aio.py share.

A call is a generator of steps. It yields an Attempt, and is given the answer or the Lost that was raised, or it yields a Pause. client.py carries
the steps out by itself, aio.py with await. What only passes a call on stands here for both: one gives the result, the other something to await.
"""
from __future__ import annotations

import dataclasses
import os
import ssl
import time
from collections.abc import Generator, Iterator
from typing import Any

from . import _wire
from ._errors import Unavailable
from ._wire import Answer, Document, Lost, Operation, Pause, Place, Request, Target
from .generated.operations import OPERATIONS, VERSION

READ_BYTES = 1 << 16
EMPTY_PAUSE_S = 1.0


@dataclasses.dataclass(frozen=True)
class Attempt:
    """A request to send, and until when its answer counts."""
    request: Request
    deadline: float


def make_context(target: Target, tls: ssl.SSLContext | str | os.PathLike[str] | None) -> ssl.SSLContext | None:
    """The TLS settings for a server: given, or those of the system; a path names the certificates to trust."""
    if target.scheme != "https":
        if tls is not None:
            raise ValueError("tls= is for a URL that begins with https:")
        return None
    if isinstance(tls, ssl.SSLContext):
        return tls
    return ssl.create_default_context(cafile=os.fspath(tls) if tls is not None else None)


class BaseClient:
    """Settings of a client, and the steps of its calls."""

    _transport_class: Any

    def __init__(self, url: str = "http://127.0.0.1:8420", *, token: str | None = None, timeout: float = 30.0, retries: int = 3,
                 tls: ssl.SSLContext | str | os.PathLike[str] | None = None, insecure: bool = False):
        target = _wire.parse_target(url, token, insecure)
        self._timeout, self._retries = _wire.check_limits(timeout, retries)
        self._transport = self._transport_class(target, make_context(target, tls), _wire.own_headers(token, VERSION))
        self._is_known = False

    def __reduce__(self) -> Any:
        raise TypeError("a client has connections and cannot be pickled")

    # ---- steps ----

    def _deadline(self, extra_s: float = 0.0) -> float:
        return time.monotonic() + self._timeout + extra_s

    def _exchange(self, request: Request, deadline: float) -> Generator[Attempt | Pause, Answer, Answer]:
        steps = _wire.exchange(request, self._retries, deadline)
        given: Any = None
        while True:
            try:
                step = steps.throw(given) if isinstance(given, Lost) else steps.send(given)
            except StopIteration as done:
                return done.value
            try:
                given = yield step if isinstance(step, Pause) else Attempt(step, deadline)
            except Lost as lost:
                given = lost

    def _check_server(self, deadline: float) -> Generator[Attempt | Pause, Answer, None]:
        """Ask for the server's version before the first request."""
        if not self._is_known:
            request = _wire.make_request(OPERATIONS["version"])
            _wire.check_version(request, (yield from self._exchange(request, deadline)), VERSION)
            self._is_known = True

    def _call(self, operation: Operation, extra_s: float = 0.0, **call: Any) -> Generator[Attempt | Pause, Answer, Any]:
        """The steps of an operation; their result is what the operation gives."""
        deadline = self._deadline(extra_s)
        request = _wire.make_request(operation, **call)
        if operation.id not in _wire.UNVERSIONED:
            yield from self._check_server(deadline)
        return _wire.interpret(request, (yield from self._exchange(request, deadline)))

    def _take(self, agent: str, max: int, lease_s: int, wait_s: int) -> Generator[Attempt | Pause, Answer, Any]:
        return self._call(OPERATIONS["takeHandoffs"], float(wait_s), at={"agent": agent}, members={"max": max, "lease_s": lease_s, "wait_s": wait_s})

    def _end(self, item: _wire.Item, outcome: str) -> Generator[Attempt | Pause, Answer, str]:
        members = {"items": [{"message": item.message, "lease": item.lease, "outcome": outcome}]}
        answer = yield from self._call(OPERATIONS["finishHandoffs"], at={"agent": item.agent}, members=members)
        items = answer.get("items")
        if not isinstance(items, list) or not items or not isinstance(items[0], dict) or not isinstance(items[0].get("result"), str):
            raise Unavailable("the answer does not say what became of the item", "unknown")
        return str(items[0]["result"])

    # ---- calls that are passed on ----

    def _carry_out(self, steps: Generator[Attempt | Pause, Answer, Any]) -> Any:
        """Carry out steps; their result, or what to await for it."""
        raise NotImplementedError

    def _run(self, operation: Operation, **call: Any) -> Any:
        return self._carry_out(self._call(operation, **call))

    def _finish(self, item: _wire.Item, outcome: str) -> Any:
        return self._carry_out(self._end(item, outcome))

    def submit(self, document: Document, /, *, key: str | None = None, **options: Any) -> Any:
        """Check, record and deliver a handoff. Rejected: it was refused, which is recorded, too."""
        return self.submit_handoff(document, key=key, **options)  # type: ignore[attr-defined]

    def use_approval(self, command: str | bytes | None = None, command_base64: str | None = None, id: str | None = None, agent: str | None = None,
                     workspace: str | None = None, *, key: str | None = None) -> Any:
        """Use a grant up for exactly this command. Problem: it may not run."""
        return super().use_approval(*_wire.command_members(command, command_base64), id, agent, workspace, key=key)  # type: ignore[misc]


def member_of(answer: dict[str, Any], name: str, kind: type) -> Any:
    """A member of an answer. Unavailable: it is not there."""
    if not isinstance(answer.get(name), kind):
        raise Unavailable(f"the answer has no {name}")
    return answer[name]


class Taken:
    """What one request took from an inbox, while it is given out."""

    def __init__(self, client: Any, kind: Any, agent: str, lease_s: int):
        self._client, self._kind, self._agent, self._lease_s = client, kind, agent, lease_s
        self._begun = time.monotonic()

    def items(self, answer: dict[str, Any]) -> Iterator[Any]:
        for item in member_of(answer, "items", list):
            if time.monotonic() - self._begun < self._lease_s:  # else another one may have it by now
                yield _wire.make_item(self._kind, self._client, self._agent, item)

    def pause_s(self, answer: dict[str, Any]) -> float:
        """How long to wait before the next request."""
        return 0.0 if answer.get("items") else max(0.0, self._begun + EMPTY_PAUSE_S - time.monotonic())


class Stream:
    """The reading of a stream of events, over the connections that it takes."""

    def __init__(self, operation: Operation, call: dict[str, Any], place: Place | None, retries: int):
        self.place = place or Place(call.get("query", {}).get("after"))
        self._operation, self._call, self._retries = operation, call, retries
        self._failures = 0
        self._reader = _wire.EventReader()

    def request(self) -> Request:
        """The request of the next connection."""
        self._reader = _wire.EventReader()
        return _wire.stream_request(self._operation, self._call, self.place)

    def begin(self, request: Request, answer: Answer) -> None:
        """Check the head of the answer."""
        if answer.status in (429, 503):
            raise Lost(f"the server answered with {answer.status}", False)
        _wire.check_status(request, answer)
        self._failures = 0

    def events(self, data: bytes) -> Iterator[dict[str, Any]]:
        """The new events in the bytes that came."""
        if not data:
            raise Lost("the stream ended", False)
        for name, number, text in self._reader.feed(data):
            if name == "lagged":
                continue
            event = read_event(text)
            if self.place.take(number):
                self._failures = 0
                yield event

    def pause_s(self, lost: Lost) -> float:
        """How long to wait until it is taken up again. Unavailable: it was tried often enough."""
        self._failures += 1
        if self._failures > self._retries + 1:
            raise Unavailable(f"the stream cannot be taken up again: {lost}") from lost
        return _wire.backoff(self._failures - 1)


def read_event(text: str) -> dict[str, Any]:
    """An event of a stream. Unavailable: it cannot be read, and is not passed over."""
    try:
        event = _wire.parse_json(text.encode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        raise Unavailable("an event of the stream is not an object of JSON")
    return event


def place_at_end(page: dict[str, Any]) -> Place:
    """The place behind the last entry of a ledger, of which this is a page."""
    size = member_of(page, "size", int)
    return Place(size - 1 if size > 0 else None)


def take_page(place: Place, page: dict[str, Any]) -> list[dict[str, Any]]:
    """The entries of a ledger that was empty when the reading began. The place is set when there is an entry to go on after."""
    entries: list[dict[str, Any]] = member_of(page, "entries", list)
    size = member_of(page, "size", int)
    for entry in entries:
        place.take(str(entry.get("seq")) if isinstance(entry, dict) else None)
    if place.last is None and size > 0:
        place.last = size - 1
    return entries
