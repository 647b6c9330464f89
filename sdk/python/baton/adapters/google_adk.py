# SPDX-License-Identifier: Apache-2.0
"""Google ADK: a tool that transfers with a brief, and a plugin that stops transfers without one.

What a run remembers is kept in the state of the session, under `baton`.
"""
import asyncio
import weakref

from . import need
from ._gate import Gate as BaseGate

need("google.adk", "google-adk", "1.38")

from google.adk.plugins.base_plugin import BasePlugin  # noqa: E402
from google.adk.tools import BaseTool  # noqa: E402
from google.genai import types  # noqa: E402

__all__ = ["Gate"]

STATE = "baton"
BARE_TOOL = "transfer_to_agent"
BARE_TEXT = "Use the tool {tool}: a handoff to another agent needs a brief."


def _read_run(gate, tool_context):
    """What the session remembers; refusals are those of this invocation."""
    kept = tool_context.state.get(STATE) or {}
    run = gate.begin(kept.get("run") or tool_context.invocation_id)
    run.attempts = kept.get("attempts", 0)
    run.last = kept["accepted"][-1]["document"] if kept.get("accepted") else None
    refusals = kept.get("refusals", {}) if kept.get("invocation") == tool_context.invocation_id else {}
    run.refusals = {tuple(pair.split(" ")): count for pair, count in refusals.items()}
    return run, list(kept.get("accepted", ()))


def _write_run(tool_context, run, accepted):
    tool_context.state[STATE] = {"run": run.run_id, "invocation": tool_context.invocation_id, "attempts": run.attempts, "accepted": accepted,
                                 "refusals": {" ".join(pair): count for pair, count in run.refusals.items()}}


class Gate(BaseGate):
    """A gate for transfers between agents; see baton.adapters."""

    def transfer_tool(self, names, *, name="hand_over"):
        """A tool with which an agent hands over to one of the agents `names`."""
        return _TransferTool(self, tuple(names), name)

    def plugin(self, *, tool="hand_over"):
        """For Runner(plugins=[...]): a bare transfer_to_agent is stopped."""
        return _Plugin(tool)


class _TransferTool(BaseTool):
    def __init__(self, gate, names, name):
        super().__init__(name=name, description=f"Hand the work over to another agent: {', '.join(names)}.")
        self._gate, self._names = gate, names
        self._turns = weakref.WeakValueDictionary()  # session -> the lock of its calls, which are made side by side
        for agent in names:
            gate.skill(agent)

    def _get_declaration(self):
        brief = self._gate.brief_schema()
        members = {"agent_name": {"type": "string", "enum": list(self._names)}, **brief["properties"]}
        return types.FunctionDeclaration(name=self.name, description=self.description,
                                         parameters_json_schema={"type": "object", "properties": members,
                                                                 "required": ["agent_name", *brief["required"]]})

    async def run_async(self, *, args, tool_context):
        brief = dict(args)
        target = brief.pop("agent_name", None)
        if target not in self._names:
            return {"error": f"agent_name must be one of: {', '.join(self._names)}."}
        async with self._turns.setdefault((tool_context.session.id, asyncio.get_running_loop()), asyncio.Lock()):
            return await self._hand_over(brief, target, tool_context)

    async def _hand_over(self, brief, target, tool_context):
        run, accepted = _read_run(self._gate, tool_context)
        decision = await self._gate.adecide(brief, tool_context.agent_name, target, run, tool_context)
        if decision.accepted:
            accepted.append(decision.facts())
        _write_run(tool_context, run, accepted)
        decision.or_stop()
        if not decision.accepted:
            return {"error": decision.text}
        tool_context.actions.transfer_to_agent = target
        return {"handoff": decision.document}


class _Plugin(BasePlugin):
    def __init__(self, tool):
        super().__init__(name="baton")
        self._tool = tool

    async def before_tool_callback(self, *, tool, tool_args, tool_context):
        return {"error": BARE_TEXT.format(tool=self._tool)} if tool.name == BARE_TOOL else None
