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
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage  # noqa: E402
from langchain_core.tools import StructuredTool  # noqa: E402
from langgraph.config import get_config  # noqa: E402
from langgraph.types import Command, Send, interrupt  # noqa: E402

__all__ = ["BatonState", "Gate", "handoff_tool"]


class BatonState(AgentState):
    """The state of a graph with the list of handoffs that were accepted."""

    baton: Annotated[list[dict[str, Any]], operator.add]


def _mark_of(message):
    """What a refusal left in a message, or None."""
    return message.artifact.get("baton") if isinstance(message, ToolMessage) and isinstance(message.artifact, dict) else None


def _read_run(gate, state, call):
    """What the state remembers of the run in which a tool is called. Refusals count since the user last said something."""
    messages = state.get("messages", ())
    marks = [mark for mark in map(_mark_of, messages) if mark]
    accepted = list(state.get("baton") or ())
    known = [mark["run"] for mark in (*accepted, *marks)]
    run = gate.begin(known[0] if known else None)
    said = [message for message in messages if isinstance(message, AIMessage)]
    # Calls of one message do not see each other's results.
    beside = [item["id"] for item in said[-1].tool_calls if item["name"] in gate.tools or item["id"] == call] if said else []
    run.attempts = len(accepted) + len([mark for mark in marks if "refused" in mark]) + (beside.index(call) if call in beside else 0)
    run.last = accepted[-1]["document"] if accepted else None
    begin = max((place for place, message in enumerate(messages) if isinstance(message, HumanMessage)), default=0)
    for mark in filter(None, map(_mark_of, messages[begin:])):
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


class _Jump:
    """Where the result of another tool leads, and what becomes of it."""

    def __init__(self, gate, request, result):
        is_own = request.tool is not None and (request.tool.metadata or {}).get("baton")
        self._gate, self._request, self.result, self._handed = gate, request, result, []
        self.targets = [] if is_own else [target for part in _parts_of(result) for target in _targets_of(part)]
        if self.targets:
            self._run, self._source = _read_run(gate, request.state, request.tool_call["id"]), _source_of(request.state, request.runtime)

    def question(self, target):
        """The arguments of Gate.decide."""
        return dict(self._request.tool_call["args"]), self._source, target, self._run, self._request

    def take(self, target, decision):
        """Whether the jump goes on. When one of its targets is refused, it goes nowhere."""
        call = self._request.tool_call
        if not decision.or_stop().accepted:
            self.result = _refusal(decision, self._run, (self._gate.skill(self._source), self._gate.skill(target)), call["id"], call["name"])
            return False
        self._handed.append({"run": self._run.run_id, **decision.facts()})
        if len(self._handed) == len(self.targets):
            parts = [self._with_facts(part) for part in _parts_of(self.result)]
            self.result = parts if isinstance(self.result, (list, tuple)) else parts[0]
        return True

    def _with_facts(self, part):
        """The part, with the handoffs in its update when it jumps."""
        count = len(_targets_of(part))
        if count == 0:
            return part
        handed, self._handed = self._handed[:count], self._handed[count:]
        update = dict(part.update or {})
        update["baton"] = [*update.get("baton", ()), *handed]
        return Command(graph=part.graph, goto=part.goto, resume=part.resume, update=update)


def _parts_of(result):
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _targets_of(part):
    """The nodes that a part of a result jumps to: of one name, a Send, or several of them."""
    goto = part.goto if isinstance(part, Command) else ()
    names = [place.node if isinstance(place, Send) else place for place in ([goto] if isinstance(goto, (str, Send)) else goto)]
    return [name for name in names if name and not str(name).startswith("__")]


class Gate(BaseGate):
    """A gate for graphs; see baton.adapters."""

    def __init__(self, client=None, **how):
        super().__init__(client, **how)
        self.tools = set()  # names of those of handoff_tool()

    def middleware(self):
        """For create_agent: what another tool hands over with a Command is checked, too."""
        return _Middleware(self)

    def wrap_tool_call(self, request, handler):
        """For ToolNode(wrap_tool_call=...)."""
        jump = _Jump(self, request, handler(request))
        for target in jump.targets:
            if not jump.take(target, self.decide(*jump.question(target))):
                break
        return jump.result

    async def awrap_tool_call(self, request, handler):
        """For ToolNode(awrap_tool_call=...)."""
        jump = _Jump(self, request, await handler(request))
        for target in jump.targets:
            if not jump.take(target, await self.adecide(*jump.question(target))):
                break
        return jump.result

    def ask(self, operation, exact_content, *, agent="agent", **how):
        """Interrupt the graph until a person has decided; the value given to Command(resume=...) is the answer."""
        def wait(request):
            return interrupt({"baton": "approval", "id": request["id"], "fingerprint": request["fingerprint"], "commands": [exact_content],
                              "operation": operation, "risk_level": how.get("risk_level", "HIGH"), "rollback": how.get("rollback"),
                              "verification": how.get("verification")})
        # The node runs again from its beginning when the graph goes on; the key makes both one request.
        place = get_config()["configurable"]
        key = hashlib.sha256(json.dumps([place["thread_id"], place.get("checkpoint_ns"), agent, operation, exact_content]).encode()).hexdigest()[:32]
        return self.approval(operation, exact_content, agent=agent, wait=wait, key=key, **how)


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
    gate.tools.add(name)

    def transfer(runtime: ToolRuntime, **brief: Any):
        state, call_id = runtime.state, runtime.tool_call_id
        run, source = _read_run(gate, state, call_id), _source_of(state, runtime)
        decision = gate.decide(brief, source, target, run, runtime).or_stop()
        if not decision.accepted:
            return _refusal(decision, run, (gate.skill(source), skill), call_id, name)
        said = next(message for message in reversed(state["messages"]) if isinstance(message, AIMessage))
        handed = ToolMessage(content=decision.handed(brief), tool_call_id=call_id, name=name)
        return Command(goto=target, graph=Command.PARENT,
                       update={"messages": [said, handed], "baton": [{"run": run.run_id, **decision.facts()}]})

    return StructuredTool.from_function(transfer, name=name, description=description or f"Hand the work over to {target}.",
                                        args_schema=gate.brief_schema(), metadata={"baton": True})
