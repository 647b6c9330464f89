# SPDX-License-Identifier: Apache-2.0
"""langgraph_handoff.py [URL] - a planner hands work to a builder in LangGraph; Baton checks the handoff. Needs langgraph, no key and no network.

With URL the handoffs are recorded by that `baton serve`.
"""
import sys

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.graph import START, StateGraph

from baton.adapters.langgraph import BatonState, Gate, handoff_tool


class StubModel(GenericFakeChatModel):
    """A model that says what it is told to, and takes tools."""

    def bind_tools(self, tools, **_):
        return self


def stub(*briefs):
    calls = [AIMessage(content="", tool_calls=[{"name": "transfer_to_builder", "args": brief, "id": f"call-{i}"}]) for i, brief in enumerate(briefs)]
    return StubModel(messages=iter(calls))


def main(url=None):
    client = None
    if url:
        from baton import Client
        client = Client(url)
    gate = Gate(client)
    # The first brief has no summary: it is refused, and the model corrects itself.
    model = stub({"working": {"release": "1.4"}}, {"summary": "Build release 1.4.", "working": {"release": "1.4"}})
    planner = create_agent(model, name="planner", tools=[handoff_tool("builder", gate)], middleware=[gate.middleware()])
    builder = create_agent(StubModel(messages=iter([AIMessage(content="Built.")])), name="builder")
    graph = StateGraph(BatonState).add_node("planner", planner).add_node("builder", builder).add_edge(START, "planner").compile()
    result = graph.invoke({"messages": [("user", "Plan the release")], "baton": []})
    for message in result["messages"]:
        print(f"{type(message).__name__}: {str(message.content)[:100]}")
    print("accepted:", [item["document"]["handoff"]["target"]["skill"] for item in result["baton"]])


if __name__ == "__main__":
    main(*sys.argv[1:])
