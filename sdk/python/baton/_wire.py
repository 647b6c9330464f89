# SPDX-License-Identifier: Apache-2.0
"""_wire.py - what the two clients share: where a server is, what is sent, when it is sent again, and what an answer means.

Nothing here opens a connection. `exchange` is a generator: it yields a request to send or a pause to make, and is given the answer, or the
Lost that was raised; so both clients keep the same rules.
"""
from __future__ import annotations

import base64
import dataclasses
import email.utils
import hashlib
import http
import ipaddress
import json
import os
import random
import re
import time
import urllib.parse
import uuid
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any, Union

from ._errors import Incompatible, Problem, Rejected, Unavailable
from ._types import Finding, Outcome, Report, finding_of, int_of, number_of

Document = Union[bytes, bytearray, memoryview, str, "os.PathLike[str]", Mapping[str, Any], Sequence[Any]]

ENVELOPE = "application/vnd.baton.request+json"
PROBLEM = "application/problem+json"
ANSWER_BYTES_MAX = 1 << 30
DOCUMENT_BYTES_MAX = 8 << 20
EVENT_BYTES_MAX = 4 << 20
RETRY_S_MAX = 30.0
STREAM_SILENCE_S = 60.0  # a server sends a comment every 15 s
KEY = re.compile(r"[A-Za-z0-9._:-]{1,128}")
TOKEN = re.compile(r"[\x21-\x7e]+")
UNSUITABLE = re.compile(r"[\x00-\x20\x7f-\x9f]")
# Operations for which the version of the server is not asked first.
UNVERSIONED = ("version", "healthz", "readyz", "metrics", "openapi", "problem")
# Statuses for which the same request may succeed later; the others tell that it cannot be used.
LATER = (408, 429, 500, 502, 503, 504)


@dataclasses.dataclass(frozen=True)
class Operation:
    """One row of the table in generated/operations.py."""
    id: str
    method: str
    path: str
    body: str
    media: str
    answer: str
    accept: tuple[str, ...]
    keyed: bool
    records: bool


@dataclasses.dataclass(frozen=True)
class Target:
    """Where a server is."""
    scheme: str  # http, https or unix
    host: str
    port: int
    authority: str  # for the field Host
    prefix: str  # of every path
    socket: str  # path of a Unix socket, or ""

    @property
    def is_local(self) -> bool:
        if self.scheme == "unix" or self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def _parse_unix(url: str) -> Target:
    path = url[len("unix:"):]
    path = path[2:] if path.startswith("//") else path
    if not path.startswith("/") or "#" in path or "?" in path:
        raise ValueError("a URL that begins with unix: goes on with the absolute path of a socket")
    return Target("unix", "localhost", 0, "localhost", "", path)


def parse_target(url: str, token: str | None, insecure: bool) -> Target:
    """Where a URL leads. ValueError: it is not one that a client uses, or the token would be readable on the way."""
    # A URL may hold a password by mistake, so no message repeats it.
    if not isinstance(url, str) or UNSUITABLE.search(url):
        raise ValueError("a URL is a text without spaces and control characters")
    if token is not None and not TOKEN.fullmatch(token):
        raise ValueError("a token is a text of visible ASCII characters")
    if url.startswith("unix:"):
        return _parse_unix(url)
    if not url.isascii():
        raise ValueError("a URL has ASCII characters alone; others are written as %XX, in a host as xn--")
    try:
        parts = urllib.parse.urlsplit(url)
        number = parts.port
    except ValueError:
        raise ValueError("a URL has a host and a port from 1 to 65535") from None
    if parts.scheme not in ("http", "https"):
        raise ValueError("a URL begins with http:, https: or unix:")
    if "@" in parts.netloc or "#" in url or "?" in url or not parts.hostname:
        raise ValueError("a URL has a host, and neither a user nor a query nor a fragment; a token is given as token=")
    port = number if number is not None else (443 if parts.scheme == "https" else 80)
    target = Target(parts.scheme, parts.hostname, port, parts.netloc, parts.path.rstrip("/"), "")
    if token is not None and parts.scheme == "http" and not target.is_local and not insecure:
        raise ValueError(f"the token would go to {parts.hostname} unencrypted; use https:, or insecure=True where the way there is trusted")
    return target


@dataclasses.dataclass(frozen=True)
class Request:
    """What one attempt sends; every attempt of a call sends the same."""
    operation: Operation
    path: str
    headers: dict[str, str]
    body: bytes | None

    @property
    def may_repeat(self) -> bool:
        return self.operation.method == "GET" or "Idempotency-Key" in self.headers


@dataclasses.dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes

    @property
    def media(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


class Lost(Exception):
    """No answer came. `was_sent`: the server may have acted on the request."""

    def __init__(self, reason: object, was_sent: bool):
        super().__init__(str(reason) or type(reason).__name__)
        self.was_sent = was_sent


@dataclasses.dataclass(frozen=True)
class Pause:
    seconds: float


@dataclasses.dataclass(frozen=True)
class Submission:
    """What became of a handoff that was accepted."""
    record: dict[str, Any] | None
    receipt: dict[str, Any] | None
    delivery: dict[str, Any] | None
    report: Report | None  # None for a message of the pump, which is judged later
    answer: dict[str, Any]  # all that the server answered, with the members of the dialect's own command


def check_limits(timeout: float, retries: int) -> tuple[float, int]:
    if not 0 < timeout < 1e9 or not 0 <= retries <= 100:
        raise ValueError("timeout is a positive number of seconds, retries a number from 0 to 100")
    return float(timeout), int(retries)


def own_headers(token: str | None, version: str) -> dict[str, str]:
    """What every request carries."""
    headers = {"User-Agent": f"baton-python/{version}"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    return headers


# ---- Requests ----------------------------------------------------------------------------------


def to_json(value: Any) -> bytes:
    """The compact JSON of a value: by the engine, so that it is what `baton.check` would judge; where there is no engine, by the standard library."""
    try:
        from ._judge import dumps, value_of
    except ImportError:
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass")
    return bytes(dumps(None, value_of(value)))


def document_bytes(document: Any) -> bytes:
    """The bytes of a document, by the rules of `baton.check`: a text is never a path."""
    if isinstance(document, (bytes, bytearray, memoryview)):
        return bytes(document)
    if isinstance(document, str):
        return document.encode("utf-8", "surrogatepass")
    if isinstance(document, os.PathLike):
        with open(document, "rb") as file:
            return file.read(DOCUMENT_BYTES_MAX + 1)
    return to_json(document)


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int)):
        return str(value)
    raise TypeError(f"{name} is a text, a number or a boolean, not {type(value).__name__}")


def _path(operation: Operation, at: Mapping[str, Any]) -> str:
    path = operation.path
    for name, value in at.items():
        safe = "/" if operation.id == "tlogTile" else ""
        path = path.replace("{" + name + "}", urllib.parse.quote(_text(name, value), safe=safe))
    return path


def _envelope(query: dict[str, Any], body: bytes, members: dict[str, Any]) -> bytes:
    """A document with its options as an envelope, which can also carry an input or an answer."""
    options = dict(query)
    document = {name: options.pop(option) for name, option in (("path", "path"), ("as", "as")) if option in options}
    try:
        document["text"] = body.decode("utf-8")
    except UnicodeDecodeError:
        document["base64"] = base64.b64encode(body).decode("ascii")
    return to_json({"documents": [document], "options": options, **members})


def make_request(operation: Operation, *, at: Mapping[str, Any] | None = None, query: Mapping[str, Any] | None = None, body: Any = None,
                 members: Mapping[str, Any] | None = None, key: str | None = None, accept: str | None = None) -> Request:
    asked = {name: value for name, value in (query or {}).items() if value is not None}
    given = {name: value.value if isinstance(value, Report) else value for name, value in (members or {}).items() if value is not None}
    if operation.body == "document" and isinstance(body, os.PathLike):
        asked.setdefault("path", os.fsdecode(body))
    headers = {"Accept": accept or ", ".join(operation.accept)}
    data = None
    if operation.body == "document" and given:
        data, asked = _envelope(asked, document_bytes(body), given), {}
        headers["Content-Type"] = ENVELOPE
    elif operation.body in ("document", "bytes", "json"):
        data = document_bytes(body)
        headers["Content-Type"] = operation.media
    elif operation.body == "members":
        data = to_json(given)
        headers["Content-Type"] = operation.media
    elif operation.method == "POST":
        data = b""
    if key is not None and not KEY.fullmatch(key):
        raise ValueError("a key has 1 to 128 letters, digits and characters of . _ : -")
    if operation.keyed:
        headers["Idempotency-Key"] = key or str(uuid.uuid4())
    path = _path(operation, at or {})
    if asked:
        path += "?" + urllib.parse.urlencode({name: _text(name, value) for name, value in asked.items()}, quote_via=urllib.parse.quote)
    return Request(operation, path, headers, data)


# ---- Retries -----------------------------------------------------------------------------------


def _retry_after(answer: Answer) -> float | None:
    text = answer.headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError, IndexError, OverflowError, OSError):
        return None


def backoff(attempt: int) -> float:
    """The pause after a failed attempt, the first being 0: about 0.1, 0.4, 1.6 s and so on."""
    return min(RETRY_S_MAX, 0.1 * 4 ** min(attempt, 8)) * random.uniform(0.5, 1.5)


def exchange(request: Request, retries: int, deadline: float) -> Generator[Request | Pause, Answer, Answer]:
    """Send a request until there is an answer that decides, as often as the rules allow."""
    in_doubt = False  # an earlier attempt may have been recorded
    for attempt in range(retries + 1):
        pause = None
        try:
            answer = yield request
        except Lost as lost:
            in_doubt = in_doubt or (lost.was_sent and request.operation.records)
            failure = Unavailable(f"no answer of the server: {lost}", "unknown" if in_doubt else "none")
            failure.__cause__ = lost
        else:
            if answer.status not in (429, 503):
                return answer
            in_doubt = in_doubt or (answer.status == 503 and _problem(answer).get("outcome") == "unknown")
            failure = _later(answer, "unknown" if in_doubt else "none")
            pause = _retry_after(answer)
            if _problem(answer).get("record") and not in_doubt and attempt == retries:
                return answer  # it was judged and refused, and that was recorded
        pause = backoff(attempt) if pause is None else pause
        if not request.may_repeat or attempt == retries or time.monotonic() + pause >= deadline:
            raise failure
        yield Pause(pause)
    raise AssertionError("unreachable")


# ---- Answers -----------------------------------------------------------------------------------


def parse_json(body: bytes) -> Any:
    """A JSON text, read strictly: a name that is repeated has two meanings."""
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError("a name is repeated")
        return found
    def refuse(constant: str) -> Any:
        raise ValueError(f"{constant} is not JSON")
    return json.loads(body.decode("utf-8"), object_pairs_hook=unique, parse_constant=refuse, parse_int=int_of, parse_float=number_of)


def _has_texts(value: Any, *names: str) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(name), str) for name in names)


def _is_finding(value: Any) -> bool:
    return _has_texts(value, "code", "severity", "stage", "pointer", "message")


def is_report(value: Any) -> bool:
    """Whether an answer is a report on one document or more. What is not is never an acceptance."""
    documents = value.get("documents") if isinstance(value, dict) else None
    return isinstance(documents, list) and bool(documents) and isinstance(value.get("summary"), dict) and all(
        _has_texts(document, "path", "dialect", "verdict") and isinstance(document.get("facts"), dict) and isinstance(document.get("findings"), list)
        and all(map(_is_finding, document["findings"])) for document in documents)


def _problem(answer: Answer) -> dict[str, Any]:
    if answer.media not in (PROBLEM, "application/json"):
        return {}
    try:
        value = parse_json(answer.body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) and isinstance(value.get("code"), str) else {}


def _later(answer: Answer, outcome: str) -> Unavailable:
    """The exception for an answer that asks to come again."""
    problem = _problem(answer)
    words = problem.get("detail") or problem.get("title") or _phrase(answer.status)
    failure = Unavailable(f"{problem.get('code') or answer.status}: {words}", outcome)
    if problem:
        failure.__cause__ = _as_problem(problem, answer.status)
    return failure


def _phrase(status: int) -> str:
    try:
        return http.HTTPStatus(status).phrase
    except ValueError:
        return "an answer that is not one of Baton"


def _as_problem(problem: dict[str, Any], status: int) -> Problem:
    return Problem(problem["code"], status, str(problem.get("detail") or problem.get("title") or ""), _findings(problem))


def _findings(problem: dict[str, Any]) -> list[Finding]:
    return [finding_of(finding) for finding in _own_findings(problem)]


def _own_findings(problem: dict[str, Any]) -> list[dict[str, Any]]:
    """The findings of a problem; those that are not of Baton are left out."""
    findings = problem.get("findings")
    return [finding for finding in findings if _is_finding(finding)] if isinstance(findings, list) else []


def _refusal(request: Request, problem: dict[str, Any]) -> Rejected:
    """A refused submission: the report says what the problem says."""
    findings = _own_findings(problem)
    counts = {level: sum(1 for finding in findings if finding.get("severity") == level) for level in ("HARD", "WARN", "INFO")}
    asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(request.path).query))
    document = {"path": asked.get("path", "document"), "dialect": asked.get("as", ""), "verdict": "rejected", "findings": findings, "facts": {},
                "record": problem["record"]}
    summary = {"documents": 1, "accepted": 0, "rejected": 1, "hard": counts["HARD"], "warn": counts["WARN"], "info": counts["INFO"]}
    report = Report(json.dumps({"baton": 1, "documents": [document], "summary": summary}, separators=(",", ":")).encode())
    return Rejected(report, problem["record"])


def check_status(request: Request, answer: Answer) -> None:
    """Raise what an answer that is not a success means."""
    if 200 <= answer.status < 300:
        return
    outcome = "unknown" if request.operation.records else "none"
    if 300 <= answer.status < 400:
        raise Unavailable(f"the server answered with {answer.status}, a redirect, which is never followed: give the URL of the server itself",
                          outcome if answer.status == 303 else "none")
    problem = _problem(answer)
    if isinstance(problem.get("record"), dict) and request.operation.answer == "submission":
        raise _refusal(request, problem)
    if not problem or answer.status in LATER:
        told = problem.get("outcome")
        raise _later(answer, told if told in ("none", "unknown") else "none" if answer.status in (408, 429) else outcome)
    raise _as_problem(problem, answer.status)


def _submission(answer: Answer, value: Any) -> Submission:
    """Accepted is a handoff with a record (201), or a message that was handed to the pump (202)."""
    report = Report(answer.body) if is_report(value) else None
    record = value["documents"][0].get("record") if report is not None else None
    if report is not None and not report.accepted:
        raise Rejected(report, record)
    is_handed_over = answer.status == 202 and report is None and isinstance(value, dict) and value.get("baton") == 1
    if not is_handed_over and not isinstance(record, dict):
        raise Unavailable("the answer does not say what was recorded", "unknown")
    return Submission(record, value.get("receipt"), value.get("delivery"), report, value)


def interpret(request: Request, answer: Answer) -> Any:
    """What an operation gives back, or the exception that its answer means."""
    check_status(request, answer)
    kind = request.operation.answer
    if answer.media not in ("application/json", "application/schema+json"):
        if kind in ("report", "outcome", "submission", "object"):
            raise Unavailable(f"the answer is {answer.media or 'of no type'}, not JSON", "unknown" if request.operation.records else "none")
        return answer.body.decode("utf-8", "replace") if answer.media.startswith("text/") or answer.media.endswith("+xml") else answer.body
    try:
        value = parse_json(answer.body)
    except (ValueError, RecursionError) as why:
        raise Unavailable(f"the answer is not JSON: {why}", "unknown" if request.operation.records else "none") from why
    if kind in ("report", "outcome") and not is_report(value) or kind == "object" and not isinstance(value, dict):
        raise Unavailable("the answer is not a report" if kind != "object" else "the answer is not an object", "unknown" if request.operation.records else "none")
    if kind == "submission":
        return _submission(answer, value)
    if kind in ("report", "outcome"):
        return Outcome(answer.body) if kind == "outcome" else Report(answer.body)
    return value


def check_version(request: Request, answer: Answer, own: str) -> None:
    """Raise Incompatible unless the server has our major version. A server that does not tell this principal is taken at its word."""
    if answer.status == 403:
        return
    if answer.status != 200 and (answer.status in LATER or answer.status < 400 or _problem(answer)):
        check_status(request, answer)
    try:
        value = parse_json(answer.body) if answer.status == 200 else None
    except (ValueError, RecursionError):
        value = None
    version = value.get("version") if isinstance(value, dict) and value.get("baton") == 1 else None
    if not isinstance(version, str):
        raise Incompatible("the server does not tell a version of Baton; is this its URL?")
    if version.split(".")[0] != own.split(".")[0]:
        raise Incompatible(f"the server has version {version}, this client {own}: the major versions differ")


# ---- Streams -----------------------------------------------------------------------------------


class EventReader:
    """The bytes of an event stream -> (name, id, data) of each event."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[tuple[str, str | None, str]]:
        self._rest += data
        if len(self._rest) > EVENT_BYTES_MAX and b"\n\n" not in self._rest:
            raise Lost("an event is longer than 4 MiB", False)
        *blocks, self._rest = self._rest.split(b"\n\n")
        for block in blocks:
            name, number, lines = "message", None, []
            for line in block.decode("utf-8", "replace").split("\n"):
                field, _, value = line.partition(":")
                value = value[1:] if value.startswith(" ") else value
                name = value if field == "event" else name
                number = value if field == "id" else number
                if field == "data":
                    lines.append(value)
            if lines:
                yield name, number, "\n".join(lines)


class Place:
    """How far a reader of a stream has come: no entry is given twice, and none is left out."""

    def __init__(self, after: int | None):
        self.last = after

    def take(self, number: str | None) -> bool:
        """Whether the event with this id is a new one."""
        if number is None or not re.fullmatch(r"[0-9]{1,19}", number):
            return True
        if self.last is not None and int(number) <= self.last:
            return False
        self.last = int(number)
        return True


def stream_request(operation: Operation, call: Mapping[str, Any], place: Place) -> Request:
    """The request for a stream, from where its reader is."""
    query = {name: value for name, value in call.get("query", {}).items() if name != "after"}
    request = make_request(operation, **{**call, "query": query})
    if place.last is not None:
        request.headers["Last-Event-ID"] = str(place.last)
    return request


# ---- Inboxes -----------------------------------------------------------------------------------


@dataclasses.dataclass
class Item:
    """A handoff that was taken from an inbox, under a lease."""
    agent: str
    message: str
    lease: str = dataclasses.field(repr=False)
    document: bytes
    seq: int
    ref: str
    source: str | None
    trace_id: str | None
    attempt: int
    lease_until: str
    _client: Any = dataclasses.field(repr=False, compare=False)

    def ack(self) -> Any:
        """Say that it was handled. `ok`, or `lease_lost` when it was delivered to somebody else meanwhile, or `unknown`; of an async client, to be awaited."""
        return self._client._finish(self, "delivered")

    def nack(self) -> Any:
        """Say that it was not handled; it is delivered again. The words are those of ack()."""
        return self._client._finish(self, "failed")


def make_item(kind: Any, client: Any, agent: str, item: Any) -> Any:
    if not _has_texts(item, "message", "lease", "sha256", "ref", "lease_until", "base64" if "text" not in item else "text"):
        raise Unavailable("the answer has an item that is not a delivery")
    try:
        document = item["text"].encode("utf-8") if "text" in item else base64.b64decode(item["base64"], validate=True)
    except ValueError:
        raise Unavailable(f"the document of {item['ref']} cannot be read") from None
    if hashlib.sha256(document).hexdigest() != item["sha256"]:
        raise Unavailable(f"the bytes of {item['ref']} are not those that were recorded")
    return kind(agent, item["message"], item["lease"], document, item.get("seq"), item["ref"], item.get("source"), item.get("trace_id"), item.get("attempt"),
                item["lease_until"], client)


def command_members(command: str | bytes | None, encoded: str | None) -> tuple[str | None, str | None]:
    """A command as members of a body: text, or base64 where it is given as bytes."""
    if isinstance(command, bytes):
        return None, base64.b64encode(command).decode("ascii")
    return command, encoded
