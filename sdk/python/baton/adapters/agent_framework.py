# SPDX-License-Identifier: Apache-2.0
"""Microsoft Agent Framework: a function middleware that checks the functions `handoff_to_ID` of a handoff workflow.

These functions have no arguments, so the brief is built from what the assistant said; a chat middleware listens to that. What a run remembers is
kept in the state of the agent's session; the runs of several agents share it through the first handoff that was accepted.
"""
import asyncio
import contextvars
import weakref

from . import need
from ._gate import SUMMARY_CHARACTERS_MAX
from ._gate import Gate as BaseGate

need("agent_framework", "agent-framework-core", "1.13 with agent-framework-orchestrations 1.0")

from agent_framework import ChatMiddleware, FunctionMiddleware, FunctionTool  # noqa: E402

__all__ = ["Gate", "last_message"]

PREFIX = "handoff_to_"
STATE = "baton"
_said = contextvars.ContextVar("baton_last_text", default="")


def last_message(_context):
    """The default `build`: the last text of the assistant is the summary."""
    return {"summary": _said.get().strip()[:SUMMARY_CHARACTERS_MAX]}


class Gate(BaseGate):
    """A gate for handoff workflows; see baton.adapters."""

    def __init__(self, client=None, *, build=last_message, **how):
        super().__init__(client, build=build, **how)
        self.stops = weakref.WeakKeyDictionary()  # session -> what ends its run
        self.turns = weakref.WeakKeyDictionary()  # session -> the lock of its calls, which are made side by side

    def function_middleware(self, source=None):
        """For Agent(middleware=[...]) with a `build` of your own. `source` is the agent's name."""
        return _Middleware(self, source)

    def middleware(self, source=None):
        """For Agent(middleware=[*...]): with the listener that the default `build` needs."""
        return [_Listener(self), self.function_middleware(source)]


class _Listener(ChatMiddleware):
    def __init__(self, gate):
        self._gate = gate

    async def process(self, context, call_next):
        stop = self._gate.stops.pop(context.session, None) if context.session is not None else None
        if stop is not None:
            raise stop  # what a function raises only becomes its result
        await call_next()
        messages = getattr(context.result, "messages", None) or ()
        texts = [message.text for message in messages if str(message.role) == "assistant" and message.text]
        if texts:
            _said.set(texts[-1])


class _Middleware(FunctionMiddleware):
    def __init__(self, gate, source):
        self._gate, self._source = gate, source

    def _read_run(self, session):
        kept = dict(session.state.get(STATE) or {}) if session is not None else {}
        run = self._gate.begin(kept.get("run"))
        run.attempts, run.last = kept.get("attempts", 0), kept.get("last")
        run.refusals = {tuple(pair.split(" ")): count for pair, count in kept.get("refusals", {}).items()}
        return run

    @staticmethod
    def _write_run(session, run):
        if session is not None:
            session.state[STATE] = {"run": run.run_id, "attempts": run.attempts, "last": run.last,
                                    "refusals": {" ".join(pair): count for pair, count in run.refusals.items()}}

    async def process(self, context, call_next):
        name = context.function.name
        if not name.startswith(PREFIX):
            await call_next()
            return
        turn = self._gate.turns.setdefault(context.session, asyncio.Lock()) if context.session is not None else asyncio.Lock()
        async with turn:
            run = self._read_run(context.session)
            decision = await self._gate.adecide(None, self._source or "agent", name[len(PREFIX):], run, context)
            self._write_run(context.session, run)
        if decision.stop is not None and context.session is not None:
            self._gate.stops[context.session] = decision.stop
        if decision.accepted:
            context.metadata["baton"] = decision.facts()
            await call_next()
        else:
            context.result = FunctionTool.parse_result(decision.text)
