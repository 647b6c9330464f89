# SPDX-License-Identifier: Apache-2.0
from collections.abc import Iterable
from typing import Any

from ._types import Finding, Report

class BatonError(Exception): ...

class Problem(BatonError):
    code: str
    status: int
    detail: str
    findings: list[Finding]
    def __init__(self, code: str, status: int, detail: str = "", findings: Iterable[Finding] = ()) -> None: ...

class Rejected(BatonError):
    report: Report
    record: dict[str, Any] | None
    def __init__(self, report: Report, record: dict[str, Any] | None = None) -> None: ...

class NotJSON(BatonError, TypeError):
    message: str
    pointer: str
    def __init__(self, message: str, pointer: str = "") -> None: ...

class Unavailable(BatonError):
    outcome: str  # "none" or "unknown"
    def __init__(self, message: str, outcome: str = "none") -> None: ...

class SchemaError(BatonError, ValueError):
    findings: list[Finding]
    def __init__(self, findings: Iterable[Finding]) -> None: ...

class ValidationError(BatonError, ValueError):
    findings: list[Finding]
    def __init__(self, findings: Iterable[Finding]) -> None: ...

class BudgetSpent(BatonError):
    limit: str  # "work", "time" or "memory"
    def __init__(self, limit: str) -> None: ...

class Incompatible(BatonError): ...

def from_status(status: int, name: str, text: str) -> Exception: ...
