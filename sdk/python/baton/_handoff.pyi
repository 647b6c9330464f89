# SPDX-License-Identifier: Apache-2.0
from dataclasses import dataclass
from typing import Any, Literal, Self

from ._judge import _AnyDocument, Engine
from ._types import Outcome

@dataclass(kw_only=True)
class Handoff:
    source: str
    target: str
    summary: str
    session_path: str | None = None
    workflow_id: str | None = None
    phase: str | None = None
    problem_type: str | None = None
    working: Any = None
    session: Any = None
    references: Any = None
    original_prompt: str | None = None
    focus: list[str] | None = None
    gap: list[str] | None = None
    criterion: list[str] | None = None
    category: str | None = None
    invocation: str | None = None
    expected_phase: str | None = None
    confidence: str | None = None
    reason: str | None = None
    approved: bool | None = None
    expires_at: str | None = None
    trace_id: str | None = None
    parent_span: str | None = None
    tag: dict[str, str] | None = None
    no_seal: bool | None = None
    style: Literal["minified", "pretty"] | None = None
    budget_tokens: int | None = None
    budget_cost: str | None = None
    spent_tokens: int | None = None
    spent_cost: str | None = None
    continue_: Any = None
    options: dict[str, Any] | None = None
    def continue_from(self, handoff: _AnyDocument) -> Self: ...
    def build(self, *, engine: Engine | None = None) -> Outcome: ...
