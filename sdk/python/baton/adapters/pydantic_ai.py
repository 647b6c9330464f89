# SPDX-License-Identifier: Apache-2.0
"""Pydantic AI: an output function that hands over, and a capability for tools that delegate.

What a run remembers stands in its messages. An agent that is called with a handoff inherits the run of its caller.
"""
import contextvars

from . import need
from ._gate import FAILED_TEXT
from ._gate import Gate as BaseGate

need("pydantic_ai", "pydantic-ai-slim", "2.33")

from pydantic_ai import ModelRetry, RunContext, StructuredDict, ToolOutput  # noqa: E402
from pydantic_ai.capabilities import AbstractCapability  # noqa: E402
from pydantic_ai.exceptions import ApprovalRequired  # noqa: E402
from pydantic_ai.messages import ModelRequest, ToolCallPart  # noqa: E402

__all__ = ["Gate", "guarded_output"]

_caller = contextvars.ContextVar("baton_caller", default=None)  # the run of the agent that handed over to this one


class Gate(BaseGate):
    """A gate for agents that hand over by an output function or a tool; see baton.adapters."""

    def __init__(self, client=None, **how):
        super().__init__(client, **how)
        self.tools = set()  # names of those that hand over

    def run_of(self, ctx, source, target, tool):
        """What the messages of the run say about earlier attempts at this handoff."""
        caller = _caller.get()
        run = self.begin(caller.run_id if caller is not None else ctx.run_id)
        run.last = caller.last if caller is not None else None
        # A refusal is a RetryPromptPart, and in newer releases a ToolReturnPart that says that the call was retried.
        told = [part for message in ctx.messages if isinstance(message, ModelRequest) for part in message.parts
                if getattr(part, "tool_name", None) == tool and _is_ours(getattr(part, "content", None))]
        # Each call is an attempt of its own, also those of one message.
        calls = [part.tool_call_id for message in ctx.messages for part in message.parts if isinstance(part, ToolCallPart) and part.tool_name in self.tools]
        run.attempts = (calls.index(ctx.tool_call_id) if ctx.tool_call_id in calls else len(told)) + (caller.attempts if caller is not None else 0)
        run.refusals[(self.skill(source), self.skill(target))] = len(told)
        return run

    async def check(self, ctx, brief, target, tool):
        """The decision about a brief. ModelRetry: it was refused; Rejected: for the last time."""
        source = getattr(ctx.agent, "name", None) or "agent"
        run = self.run_of(ctx, source, target, tool)
        decision = (await self.adecide(dict(brief), source, target, run, ctx)).or_stop()
        if not decision.accepted:
            raise ModelRetry(decision.text)
        return decision, run

    def capability(self, targets):
        """For Agent(capabilities=[...]): calls of the tools in `targets` (tool -> agent) are checked before they run."""
        self.tools.update(targets)
        return _Delegation(self, dict(targets))

    def require_approval(self, ctx, operation, exact_content, **how):
        """For a tool: defer the call until a person has decided, then use the grant up."""
        if not ctx.tool_call_approved:
            request = self.request_approval(operation, exact_content, **{"agent": getattr(ctx.agent, "name", None) or "agent", **how})
            raise ApprovalRequired(metadata={"baton": "approval", **request})
        self.use_grant(exact_content, (ctx.tool_call_metadata or {}).get("id"))


def _is_ours(content):
    return isinstance(content, str) and (content.startswith("Baton refused this handoff (") or content == FAILED_TEXT)


class _Delegation(AbstractCapability):
    def __init__(self, gate, targets):
        self._gate, self._targets = gate, targets

    async def before_tool_execute(self, ctx, *, call, tool_def, args):
        if call.tool_name in self._targets:
            await self._gate.check(ctx, args, self._targets[call.tool_name], call.tool_name)
        return args


def guarded_output(agent, gate, *, name=None, description=None):
    """An output that hands over to `agent`: the model fills in the brief, and the result is that of the agent."""
    target = agent.name or "agent"
    tool = name or f"transfer_to_{target}"
    gate.skill(target)
    gate.tools.add(tool)
    brief_type = StructuredDict(gate.brief_schema(), name="Brief", description=f"Hand the work over to {target}.")

    async def hand_over(ctx, brief):
        decision, run = await gate.check(ctx, brief, target, tool)
        token = _caller.set(run)
        try:
            return (await agent.run(decision.handed(dict(brief)), deps=ctx.deps, usage=ctx.usage)).output
        finally:
            _caller.reset(token)

    hand_over.__annotations__ = {"ctx": RunContext, "brief": brief_type}
    return ToolOutput(hand_over, name=tool, description=description or f"Hand the work over to {target}.", max_retries=gate.limit)
