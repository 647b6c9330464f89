# SPDX-License-Identifier: Apache-2.0
"""approvals.py - how each framework waits for a person: a command runs after a grant, once, and not after a denial.

Each function takes the gate and a client that may decide, and says for each decision whether the command ran.
"""
import asyncio
import threading
import time

ASKED = {"scope": "build/", "risk_level": "HIGH", "rollback": "git checkout build/", "verification": "ls build/"}
WAIT_S = 60


def langgraph(gate, _person):
    """By interrupt(): the graph stops, and the value given to Command(resume=...) is the decision."""
    from typing import TypedDict

    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import START, StateGraph
    from langgraph.types import Command

    class State(TypedDict, total=False):
        command: str
        ran: bool

    def work(state):
        return {"ran": gate.ask("clean the build", state["command"], agent="builder", **ASKED)}

    graph = StateGraph(State).add_node("work", work).add_edge(START, "work").compile(checkpointer=InMemorySaver())

    def decide(number, answer):
        thread = {"configurable": {"thread_id": f"thread-{number}"}}
        stopped = graph.invoke({"command": f"rm -r build/{number}"}, thread)["__interrupt__"][0].value
        if stopped["baton"] != "approval" or stopped["commands"] != [f"rm -r build/{number}"] or stopped["rollback"] != ASKED["rollback"]:
            raise AssertionError(f"the graph was interrupted with {stopped}")
        return graph.invoke(Command(resume=answer(stopped)), thread)["ran"]

    ran = {"approve": decide(1, lambda asked: {"decision": "approve", "fingerprint": asked["fingerprint"]}),
           "deny": decide(2, lambda asked: {"decision": "deny", "fingerprint": asked["fingerprint"]})}
    if decide(3, lambda _asked: {"decision": "approve", "fingerprint": "0" * 64}):
        raise AssertionError("a decision about another command was taken for this one")
    return ran, 3


def pydantic_ai(gate, person):
    """By ApprovalRequired: the run ends with a deferred call, and goes on with the decision."""
    from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, RunContext, ToolDenied
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    ran = {}

    async def decide(word):
        command, runs = f"rm -r build/{word}", []
        answers = [ToolCallPart("clean", {}), TextPart("Done.")]
        agent = Agent(FunctionModel(lambda _messages, _info: ModelResponse(parts=[answers.pop(0)])), name="builder", output_type=[str, DeferredToolRequests])

        @agent.tool
        def clean(ctx: RunContext) -> str:
            gate.require_approval(ctx, "clean the build", command, **ASKED)
            runs.append(command)
            return "cleaned"

        first = await agent.run("Clean the build")
        call = first.output.approvals[0]
        asked = first.output.metadata[call.tool_call_id]
        if word == "approve":
            person.grant_approval(asked["id"], asked["fingerprint"])
        else:
            person.deny_approval(asked["id"], asked["fingerprint"])
        decision = True if word == "approve" else ToolDenied("a person said no")
        results = DeferredToolResults(approvals={call.tool_call_id: decision}, metadata={call.tool_call_id: asked})
        await agent.run(message_history=first.all_messages(), deferred_tool_results=results)
        ran[word] = bool(runs)

    asyncio.run(decide("approve"))
    asyncio.run(decide("deny"))
    return ran, 2


def polled(gate, person):
    """By asking the server again and again, while a person decides elsewhere."""
    ran = {}
    for word, decide in (("approve", person.grant_approval), ("deny", person.deny_approval)):
        def wait_and_decide(decide=decide):
            deadline = time.monotonic() + WAIT_S
            while time.monotonic() < deadline:
                for asked in person.approvals("pending"):
                    decide(asked["id"], asked["fingerprint"])
                    return
                time.sleep(0.1)

        thread = threading.Thread(target=wait_and_decide)
        thread.start()
        ran[word] = gate.approval("clean the build", f"rm -r build/{word}", agent="builder", **ASKED)
        thread.join()
    return ran, 2
