# SPDX-License-Identifier: Apache-2.0
"""What comes back: reports, findings, outcomes, rules, replies."""
import dataclasses
import decimal
import json
import math
import typing

from baton._errors import Rejected

_ACCEPTED = ("accepted", "recorded")


@dataclasses.dataclass(frozen=True)
class Finding:
    """One statement about one document."""

    code: str
    severity: str
    stage: str
    pointer: str
    message: str
    line: typing.Optional[int] = None
    column: typing.Optional[int] = None
    hint: typing.Optional[str] = None
    security: bool = False
    fix: typing.Optional[str] = None
    params: dict = dataclasses.field(default_factory=dict, hash=False)

    def __str__(self):
        place = self.pointer or "the whole document"
        return f"{self.severity} {self.code} at {place}: {self.message}"


def finding_of(members):
    return Finding(
        members["code"], members["severity"], members["stage"], members["pointer"], members["message"],
        members.get("line"), members.get("column"), members.get("hint"), members.get("security", False),
        members.get("fix"), members.get("params", {}))


@dataclasses.dataclass(frozen=True)
class Document:
    """What was found out about one document."""

    path: str
    dialect: str
    verdict: str
    findings: list = dataclasses.field(hash=False)
    facts: dict = dataclasses.field(hash=False)
    members: dict = dataclasses.field(hash=False, repr=False)  # all members, as the reply has them

    @property
    def accepted(self):
        return self.verdict in _ACCEPTED


def _document_of(members):
    return Document(members["path"], members["dialect"], members["verdict"],
                    [finding_of(finding) for finding in members["findings"]], members["facts"], members)


@dataclasses.dataclass(frozen=True, init=False, eq=False, repr=False)
class Report:
    """The judgement of one or more documents. Read `.accepted`; the report itself has no truth value.

    It is made from the bytes of a reply, which are parsed when a member is first read.
    """

    raw: bytes
    verdict: str
    documents: list
    summary: dict
    findings: list
    facts: dict
    accepted: bool

    def __init__(self, raw, engine=None, source=None):
        members = self.__dict__
        members["raw"] = raw
        members["_engine"] = engine
        members["_source"] = source  # the text or bytes that were judged, for render()

    def __getattr__(self, name):
        # Called once for each member, because what it gives is kept.
        compute = _COMPUTED.get(name)
        if compute is None or name not in self._computed:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        value = self.__dict__[name] = compute(self)
        return value

    _computed = frozenset(("value", "verdict", "documents", "summary", "findings", "facts", "accepted"))

    def __bool__(self):
        raise TypeError(f"a {type(self).__name__} has no truth value; read .accepted")

    def __eq__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return self.raw == other.raw

    def __hash__(self):
        return hash((type(self), self.raw))

    def __repr__(self):
        return f"<{type(self).__name__} {self.verdict}: {len(self.findings)} findings>"

    def __reduce__(self):
        return type(self), (self.raw, None, self._source)

    def retry_text(self, attempt=1, limit=3):
        """The text that asks a model to correct what was refused."""
        from baton._judge import request_raw

        request = b'{"report":%b,"attempt":%d,"limit":%d}' % (self.raw, attempt, limit)
        return json.loads(request_raw(self._engine, "retryText", request))["retry"]["text"]

    def render(self, format="concise"):
        """The report as text, in one of the formats of the program, with its bytes: full, concise, json, jsonl, github, junit, sarif, markdown.

        `full` shows the lines of a document that was given as bytes, text or a path.
        """
        from baton._judge import render

        return render(self._engine, self.raw, format, self._source)

    def raise_for_verdict(self):
        """Raise Rejected unless every document is accepted. Returns the report."""
        if not self.accepted:
            raise Rejected(self)
        return self


class Outcome(Report):
    """A report on a document that was changed or made."""

    _computed = Report._computed | {"outcome", "document", "text", "changes", "spilled", "prompt"}


def _all_findings(report):
    return [finding for document in report.documents for finding in document.findings]


def _facts_of(report):
    return report.documents[0].facts if len(report.documents) == 1 else {}


def _verdict_of(report):
    verdicts = [document.verdict for document in report.documents]
    if verdicts and all(verdict == verdicts[0] for verdict in verdicts):
        return verdicts[0]
    return "accepted" if report.accepted else "rejected"


def _is_accepted(report):
    documents = report.value["documents"]  # no finding needs to be read
    return bool(documents) and all(document["verdict"] in _ACCEPTED for document in documents)


def _only_members(report):
    return report.documents[0].members if len(report.documents) == 1 else {}


def int_of(text):
    """Python limits the digits of an int that is read from a text, but not those of a Decimal."""
    try:
        return int(text)
    except ValueError:
        return int(decimal.Decimal(text))


def number_of(text):
    number = float(text)
    return number if math.isfinite(number) else decimal.Decimal(text)


_DECODER = json.JSONDecoder(parse_int=int_of, parse_float=number_of)


def _find_member(text, at, name):
    """Where the value of a member begins in the compact JSON of the object at `at`; None when there is none."""
    while text[at] != "}":
        member, end = json.decoder.scanstring(text, at + 2)
        if member == name:
            return end + 1
        at = _DECODER.raw_decode(text, end + 1)[1]
    return None


def _document_text(report):
    document = report.document
    if document is None or isinstance(document, str):
        return document
    # The text as it stands in the reply: a number that is read and written again may be another one.
    text = report.raw.decode()
    begin = _find_member(text, _find_member(text, 0, "documents") + 1, "document")
    return text[begin:_DECODER.raw_decode(text, begin)[1]]


_COMPUTED = {
    "value": lambda report: _DECODER.decode(report.raw.decode()),
    "documents": lambda report: [_document_of(members) for members in report.value["documents"]],
    "summary": lambda report: report.value["summary"],
    "findings": _all_findings,
    "facts": _facts_of,
    "verdict": _verdict_of,
    "accepted": _is_accepted,
    "outcome": lambda report: _only_members(report).get("outcome"),
    "document": lambda report: _only_members(report).get("document"),
    "text": _document_text,
    "changes": lambda report: report.facts.get("changes", report.facts.get("fixed", [])),
    "spilled": lambda report: _only_members(report).get("spilled"),
    "prompt": lambda report: _only_members(report).get("prompt", report.value.get("repair")),
}


@dataclasses.dataclass(frozen=True)
class Rule:
    """A rule that findings name. Those of the HTTP API have neither severity nor stage."""

    code: str
    severity: typing.Optional[str]
    stage: typing.Optional[str]
    meaning: str
    fix: typing.Optional[str]
    security: bool
    dialects: tuple
    lowest: typing.Optional[str] = None


def rule_of(members):
    return Rule(members["code"], members["severity"], members["stage"], members["meaning"], members["fix"], members["security"],
                tuple(members["dialects"]), members.get("lowest"))


@dataclasses.dataclass(frozen=True)
class CallReply:
    """The reply of an operation. `json` has the bytes that the server would send."""

    status: int
    done: bool
    json: bytes

    @property
    def value(self):
        return _DECODER.decode(self.json.decode())
