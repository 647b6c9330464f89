# SPDX-License-Identifier: Apache-2.0
import datetime
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import baton

_T = TypeVar("_T")

PAYLOAD_UNTYPED_HARD_DATE: datetime.date
MAX_DEPTH: int
VALIDATE_TIMEOUT_SECONDS: float

class PayloadSchemaError(ValueError):
    findings: list[baton.Finding]
    def __init__(self, message: str, findings: Iterable[baton.Finding] = ()) -> None: ...

class SchemaInvalid(RuntimeError):
    outcome: str
    findings: list[baton.Finding]
    def __init__(self, message: str, outcome: str = "nonconforming", findings: Iterable[baton.Finding] = ()) -> None: ...

@dataclass(frozen=True)
class Finding:
    code: str
    severity: Literal["HARD", "WARN"]
    message: str

def load_payload_schema(value: str, repo_root: str | os.PathLike[str], *, strict: bool = True) -> dict[str, Any]: ...
def strip_llm_visible_text(schema: _T) -> _T: ...
def validate(payload: Any, schema: Mapping[str, Any], *, timeout: float = 2.0, _worker: None = None) -> None: ...
def audit_handoff_chain(steps: Iterable[Mapping[str, Any]], *, today: datetime.date | None = None) -> list[Finding]: ...
