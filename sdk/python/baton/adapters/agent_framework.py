# SPDX-License-Identifier: Apache-2.0
"""Microsoft Agent Framework: a function middleware that checks the functions `handoff_to_ID` of a handoff workflow.

These functions have no arguments, so the brief is built from the conversation. What a run remembers is kept in the middleware of each agent,
by the session or, without one, by the task that runs the workflow.
"""
import contextvars

from . import need
from ._gate import SUMMARY_CHARACTERS_MAX
from ._gate import Gate as BaseGate

need("agent_framework", "agent-framework-core", "1.13 with agent-framework-orchestrations 1.0")

from agent_framework import FunctionMiddleware, FunctionTool  # noqa: E402

__all__ = ["Gate", "last_message"]

PREFIX = "handoff_to_"
_runs = contextvars.ContextVar("baton_workflow_runs", default=None)


def last_message(context):
    """The default `build`: the last text of the assistant is the summary."""
    messages = (getattr(context, "kwargs", None) or {}).get("messages") or getattr(getattr(context, "session", None), "messages", None) or ()
    for message in reversed(list(messages)):
        text = getattr(message, "text", "")
        if str(getattr(message, "role", "")) == "assistant" and text.strip():
            return {"summary": text.strip()[:SUMMARY_CHARACTERS_MAX]}
    return {}


class Gate(BaseGate):
    """A gate for handoff workflows; see baton.adapters."""

    def __init__(self, client=None, *, build=last_message, **how):
        super().__init__(client, build=build, **how)

    def function_middleware(self, source=None):
        """For Agent(middleware=[...]). `source` is the agent's name, when the workflow does not tell it."""
        return _Middleware(self, source)


class _Middleware(FunctionMiddleware):
    def __init__(self, gate, source):
        self._gate, self._source = gate, source

    def _run(self):
        runs = _runs.get()
        if runs is None:
            runs = {}
            _runs.set(runs)
        return runs.setdefault(self._gate, self._gate.begin())

    async def process(self, context, call_next):
        name = context.function.name
        if not name.startswith(PREFIX):
            await call_next()
            return
        source = self._source or getattr(getattr(context, "agent", None), "name", None) or "agent"
        decision = (await self._gate.adecide(None, source, name[len(PREFIX):], self._run(), context)).or_stop()
        if decision.accepted:
            context.metadata["baton"] = decision.facts()
            await call_next()
        else:
            context.result = FunctionTool.parse_result(decision.text)
