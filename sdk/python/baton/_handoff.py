# SPDX-License-Identifier: Apache-2.0
"""Make universal handoffs."""
import dataclasses
import typing

from baton._judge import dumps, request_raw, value_of
from baton._types import Outcome, Report


@dataclasses.dataclass(kw_only=True)
class Handoff:
    """A universal handoff that is to be made. A field that is None has the default of `baton new universal`.

        outcome = Handoff(source="planner", target="builder", summary="Build the fix.").build()
        outcome.raise_for_verdict()
        send(outcome.text)
    """

    source: str
    target: str
    summary: str
    session_path: typing.Optional[str] = None
    workflow_id: typing.Optional[str] = None
    phase: typing.Optional[str] = None
    problem_type: typing.Optional[str] = None
    working: typing.Any = None
    session: typing.Any = None
    references: typing.Any = None
    original_prompt: typing.Optional[str] = None
    focus: typing.Optional[list] = None
    gap: typing.Optional[list] = None
    criterion: typing.Optional[list] = None
    category: typing.Optional[str] = None
    invocation: typing.Optional[str] = None
    expected_phase: typing.Optional[str] = None
    confidence: typing.Optional[str] = None
    reason: typing.Optional[str] = None
    approved: typing.Optional[bool] = None
    expires_at: typing.Optional[str] = None
    trace_id: typing.Optional[str] = None
    parent_span: typing.Optional[str] = None
    tag: typing.Optional[dict] = None
    no_seal: typing.Optional[bool] = None
    style: typing.Optional[str] = None
    budget_tokens: typing.Optional[int] = None  # what the chain may spend
    budget_cost: typing.Optional[str] = None
    spent_tokens: typing.Optional[int] = None  # what this hop spent of the budget that it carries on
    spent_cost: typing.Optional[str] = None
    continue_: typing.Any = None  # the handoff that this one goes on from
    options: typing.Optional[dict] = None  # `now`, `tokens`, `budget`

    def continue_from(self, handoff):
        """Go on from an accepted handoff: its chain, trace and prompt are taken over. Returns self."""
        self.continue_ = handoff
        return self

    def build(self, *, engine=None):
        """Make and judge the handoff. The outcome has `document`, `text` and, in `defaults`, the values that were filled in."""
        request = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value is not None:
                request[field.name.rstrip("_")] = value
        if "continue" in request:
            request["continue"] = _document_of(request["continue"])
        return Outcome(request_raw(engine, "newHandoff", dumps(engine, request)), engine)


def _document_of(handoff):
    """The text or value of a handoff in any form; of an outcome, the document in it."""
    if isinstance(handoff, Report):
        text = getattr(handoff, "text", None)
        if text is None:
            raise TypeError("only an Outcome that has a document can be continued")
        return text
    if isinstance(handoff, (bytes, bytearray, memoryview)):
        return bytes(handoff).decode("utf-8", "surrogateescape")
    return value_of(handoff)
