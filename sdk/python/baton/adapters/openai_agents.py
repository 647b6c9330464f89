# SPDX-License-Identifier: Apache-2.0
"""OpenAI Agents SDK: a handoff whose arguments are the brief.

What a run remembers is kept on the RunContextWrapper of the run.
"""
import contextvars
import json

from . import need
from ._gate import Gate as BaseGate

need("agents", "openai-agents", "0.22.0")

from agents import Handoff  # noqa: E402

__all__ = ["Gate", "GuardedHandoff", "guarded_handoff"]

_message = contextvars.ContextVar("baton_transfer_message")  # of the handoff that is being invoked


class Gate(BaseGate):
    """A gate for handoffs of agents; see baton.adapters."""

    def run_of(self, context):
        """What is kept of the run that a context wrapper belongs to."""
        runs = context.__dict__.setdefault("_baton_runs", {})
        return runs.setdefault(id(self), self.begin())


class GuardedHandoff(Handoff):
    """A handoff that goes through when the gate accepts its brief. Refused: the source agent goes on, and the text is the tool's output."""

    def get_transfer_message(self, agent):
        message = _message.get(None)
        return super().get_transfer_message(agent) if message is None else message


def _read_brief(arguments):
    try:
        value = json.loads(arguments or "{}")
    except ValueError:
        return {"summary": ""}  # refused by the schema of the brief
    return value if isinstance(value, dict) else {"summary": ""}


def guarded_handoff(source, target, gate, *, tool_name=None, tool_description=None, input_filter=None):
    """A handoff from `source` to `target` for source.handoffs."""
    gate.skill(source.name)
    gate.skill(target.name)

    async def invoke(context, arguments):
        brief = _read_brief(arguments)
        decision = (await gate.adecide(brief, source.name, target.name, gate.run_of(context), context)).or_stop()
        _message.set(decision.handed(brief) if decision.accepted else decision.text)
        return target if decision.accepted else source

    return GuardedHandoff(tool_name=tool_name or Handoff.default_tool_name(target),
                          tool_description=tool_description or Handoff.default_tool_description(target),
                          input_json_schema=gate.brief_schema(), on_invoke_handoff=invoke, agent_name=target.name,
                          input_filter=input_filter, strict_json_schema=False)
