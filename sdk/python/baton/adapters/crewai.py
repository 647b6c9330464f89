# SPDX-License-Identifier: Apache-2.0
"""CrewAI: a guardrail for the output of a task that another agent takes, and hooks for delegation.

What a run remembers belongs to the `with gate.delegation():` block around the crew; outside of one, to the guardrail in its thread.
"""
import contextlib
import contextvars
import json

from baton._errors import Rejected, Unavailable

from . import need
from ._gate import FAILED_TEXT, SUMMARY_CHARACTERS_MAX
from ._gate import Gate as BaseGate

need("crewai", "crewai", "1.15")

from crewai.hooks import (  # noqa: E402
    HookAborted,
    register_after_tool_call_hook,
    register_before_tool_call_hook,
    unregister_after_tool_call_hook,
    unregister_before_tool_call_hook,
)

__all__ = ["Gate"]

DELEGATION = "delegate_work_to_coworker"
_runs = contextvars.ContextVar("baton_crew_runs", default=None)


def _brief_in(text):
    """A brief written as a JSON object, else the beginning of the text as its summary."""
    with contextlib.suppress(ValueError):
        value = json.loads(text)
        if isinstance(value, dict):
            return value
    return {"summary": text.strip()[:SUMMARY_CHARACTERS_MAX]}


class Gate(BaseGate):
    """A gate for tasks and delegation of a crew; see baton.adapters."""

    def guardrail(self, to):
        """For Task(guardrail=..., guardrail_max_retries=gate.limit): the output of the task is handed to the agent `to`."""
        self.skill(to)
        key = object()

        def check(output):
            runs = _runs.get()
            if runs is None:
                runs = {}
                _runs.set(runs)
            run = runs.get(self) or runs.setdefault(key, self.begin())
            decision = self.decide(output.json_dict or _brief_in(output.raw), output.agent or "agent", to, run, output)
            if decision.accepted or decision.stop is not None:
                runs.pop(key, None)
            decision.or_stop()
            return (True, output) if decision.accepted else (False, decision.text)

        return check

    @contextlib.contextmanager
    def delegation(self):
        """While the block lasts, delegated work is checked. CrewAI's hooks are global: calls of other threads are left alone."""
        runs = {**(_runs.get() or {}), self: self.begin()}
        token = _runs.set(runs)
        told = {}

        def before(context):
            if context.tool_name.replace(" ", "_").lower() != DELEGATION or _runs.get() is not runs:
                return None
            try:
                text = self._check_delegation(context, runs[self])
            except (Rejected, Unavailable) as stop:
                raise HookAborted(str(stop), source=self) from stop
            except Exception:  # CrewAI would let the call pass
                text = FAILED_TEXT
            if text is None:
                return None
            told[id(context.tool_input)] = text
            return False

        def after(context):
            return told.pop(id(context.tool_input), None)

        register_before_tool_call_hook(before)
        register_after_tool_call_hook(after)
        try:
            yield self
        except HookAborted as aborted:
            if aborted.source is self:
                raise aborted.__cause__ from None
            raise
        finally:
            unregister_before_tool_call_hook(before)
            unregister_after_tool_call_hook(after)
            _runs.reset(token)

    def _check_delegation(self, context, run):
        """The text for the model, or None when the work may be delegated."""
        given = context.tool_input
        brief = _brief_in(str(given.get("context") or ""))
        if "summary" not in brief or not brief["summary"]:
            brief = {"summary": str(given.get("task") or "")[:SUMMARY_CHARACTERS_MAX]}
        source = getattr(context.agent, "role", None) or "agent"
        decision = self.decide(brief, source, self.named(given.get("coworker") or "agent"), run, context).or_stop()
        return None if decision.accepted else decision.text
