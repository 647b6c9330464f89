# SPDX-License-Identifier: Apache-2.0
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn, Self, TypeAlias

from ._judge import Engine

_Severity: TypeAlias = Literal["HARD", "WARN", "INFO"]
_Verdict: TypeAlias = Literal["accepted", "rejected", "recorded"]

@dataclass(frozen=True)
class Finding:
    code: str
    severity: _Severity
    stage: str
    pointer: str
    message: str
    line: int | None = None
    column: int | None = None
    hint: str | None = None
    security: bool = False
    fix: Literal["safe", "unsafe"] | None = None
    params: dict[str, Any] = field(default_factory=dict)

@dataclass(frozen=True)
class Document:
    path: str
    dialect: str
    verdict: _Verdict
    findings: list[Finding]
    facts: dict[str, Any]
    members: dict[str, Any]
    @property
    def accepted(self) -> bool: ...

class Report:
    def __init__(self, raw: bytes, engine: Engine | None = None) -> None: ...
    @property
    def raw(self) -> bytes: ...
    @property
    def value(self) -> dict[str, Any]: ...
    @property
    def verdict(self) -> _Verdict: ...
    @property
    def accepted(self) -> bool: ...
    @property
    def documents(self) -> list[Document]: ...
    @property
    def summary(self) -> dict[str, int]: ...
    @property
    def findings(self) -> list[Finding]: ...
    @property
    def facts(self) -> dict[str, Any]: ...
    def retry_text(self, attempt: int = 1, limit: int = 3) -> str: ...
    def render(self, format: Literal["full", "concise", "json", "jsonl", "github", "junit", "sarif", "markdown"] = "concise") -> str: ...
    def raise_for_verdict(self) -> Self: ...
    # A report is never taken for a verdict: read .accepted.
    def __bool__(self) -> NoReturn: ...

class Outcome(Report):
    @property
    def outcome(self) -> str | None: ...
    @property
    def document(self) -> Any: ...
    @property
    def text(self) -> str | None: ...
    @property
    def changes(self) -> list[dict[str, Any]]: ...
    @property
    def spilled(self) -> dict[str, str] | None: ...
    @property
    def prompt(self) -> dict[str, Any] | None: ...

@dataclass(frozen=True)
class Rule:
    code: str
    severity: _Severity | None
    stage: str | None
    meaning: str
    fix: Literal["safe", "unsafe"] | None
    security: bool
    dialects: tuple[str, ...]
    lowest: str | None = None

@dataclass(frozen=True)
class CallReply:
    status: int
    done: bool
    json: bytes
    @property
    def value(self) -> Any: ...

def finding_of(members: Mapping[str, Any]) -> Finding: ...
def rule_of(members: Mapping[str, Any]) -> Rule: ...
