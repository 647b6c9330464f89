# SPDX-License-Identifier: Apache-2.0
"""LangGraph: a tool that hands over, and a middleware for tools that jump to another agent themselves.

What a run remembers stands in the graph's own state: accepted handoffs in its list `baton`, refusals in the tool messages.
"""
import hashlib
import json
import operator
from typing import Annotated, Any

from . import need
from ._gate import Gate as BaseGate

need("langgraph.types", "langgraph", "1.2.11 with langgraph-prebuilt 1.1.0")
need("langchain.agents", "langchain", "1.4")

from langchain.agents import AgentState  # noqa: E402
from langchain.agents.middleware import AgentMiddleware  # noqa: E402
from langchain.tools import ToolRuntime  # noqa: E402
from langchain_core.messages import AIMessage, ToolMessage  # noqa: E402
from langchain_core.tools import StructuredTool  # noqa: E402
from langgraph.config import get_config  # noqa: E402
from langgraph.types import Command, interrupt  # noqa: E402

__all__ = ["BatonState", "Gate", "handoff_tool"]


class BatonState(AgentState):
    """The state of a graph with the list of handoffs that were accepted."""

    baton: Annotated[list[dict[str, Any]], operator.add]


def _read_run(gate, state):
    """What the state remembers of the run."""
    marks = [message.artifact["baton"] for message in state.get("messages", ()) if isinstance(message, ToolMessage)
             and isinstance(message.artifact, dict) and "baton" in message.artifact]
    accepted = list(state.get("baton") or ())
    known = [mark["run"] for mark in (*accepted, *marks)]
    run = gate.begin(known[0] if known else None)
    refused = [mark for mark in marks if "refused" in mark]
    run.attempts = len(accepted) + len(refused)
    run.last = accepted[-1]["document"] if accepted else None
    for mark in refused:
        pair = tuple(mark["refused"])
        run.refusals[pair] = run.refusals.get(pair, 0) + 1
    return run


def _source_of(state, runtime):
    """The agent whose model made the call."""
    said = [message for message in state.get("messages", ()) if isinstance(message, AIMessage)]
    named = said[-1].name if said else None
    return named or (runtime.config.get("metadata") or {}).get("langgraph_node") or "agent"


def _refusal(decision, run, pair, call_id, tool):
    return ToolMessage(content=decision.text, tool_call_id=call_id, name=tool, status="error",
                       artifact={"baton": {"run": run.run_id, "refused": list(pair)}})


class Gate(BaseGate):
    """A gate for graphs; see baton.adapters."""

    def middleware(self):
        """For create_agent: what another tool hands over with a Command is checked, too."""
        return _Middleware(self)

    def wrap_tool_call(self, request, handler):
        """For ToolNode(wrap_tool_call=...)."""
        return self._check_jump(request, handler(request))

    async def awrap_tool_call(self, request, handler):
        """For ToolNode(awrap_tool_call=...)."""
        return self._check_jump(request, await handler(request))

    def _check_jump(self, request, result):
        target = result.goto if isinstance(result, Command) else None
        if not isinstance(target, str) or not target or target.startswith("__") or (request.tool is not None and (request.tool.metadata or {}).get("baton")):
            return result
        run, source = _read_run(self, request.state), _source_of(request.state, request.runtime)
        decision = self.decide(dict(request.tool_call["args"]), source, target, run, request).or_stop()
        if not decision.accepted:
            return _refusal(decision, run, (self.skill(source), self.skill(target)), request.tool_call["id"], request.tool_call["name"])
        update = dict(result.update or {})
        update["baton"] = [*update.get("baton", ()), {"run": run.run_id, **decision.facts()}]
        return Command(graph=result.graph, goto=result.goto, resume=result.resume, update=update)

    def ask(self, agent, operation, exact_content, **how):
        """Interrupt the graph until a person has decided; the value given to Command(resume=...) is the answer."""
        def wait(request):
            return interrupt({"baton": "approval", "id": request["id"], "fingerprint": request["fingerprint"], "commands": [exact_content],
                              "operation": operation, "risk_level": how.get("risk_level", "HIGH"), "rollback": how.get("rollback"),
                              "verification": how.get("verification")})
        # The node runs again from its beginning when the graph goes on; the key makes both one request.
        place = get_config()["configurable"]
        key = hashlib.sha256(json.dumps([place["thread_id"], place.get("checkpoint_ns"), agent, operation, exact_content]).encode()).hexdigest()[:32]
        return self.approval(agent, operation, exact_content, wait=wait, key=key, **how)


class _Middleware(AgentMiddleware):
    state_schema = BatonState

    def __init__(self, gate):
        super().__init__()
        self._gate = gate

    def wrap_tool_call(self, request, handler):
        return self._gate.wrap_tool_call(request, handler)

    async def awrap_tool_call(self, request, handler):
        return await self._gate.awrap_tool_call(request, handler)


def handoff_tool(target, gate, *, description=None):
    """A tool `transfer_to_TARGET` whose arguments are the brief. Refused: the model gets the text and goes on."""
    name = f"transfer_to_{target}"
    skill = gate.skill(target)

    def transfer(runtime: ToolRuntime, **brief: Any):
        state, call_id = runtime.state, runtime.tool_call_id
        run, source = _read_run(gate, state), _source_of(state, runtime)
        decision = gate.decide(brief, source, target, run, runtime).or_stop()
        if not decision.accepted:
            return _refusal(decision, run, (gate.skill(source), skill), call_id, name)
        said = next(message for message in reversed(state["messages"]) if isinstance(message, AIMessage))
        handed = ToolMessage(content=decision.handed(brief), tool_call_id=call_id, name=name)
        return Command(goto=target, graph=Command.PARENT,
                       update={"messages": [said, handed], "baton": [{"run": run.run_id, **decision.facts()}]})

    return StructuredTool.from_function(transfer, name=name, description=description or f"Hand the work over to {target}.",
                                        args_schema=gate.brief_schema(), metadata={"baton": True})
