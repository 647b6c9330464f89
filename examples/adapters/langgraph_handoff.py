# SPDX-License-Identifier: Apache-2.0
"""langgraph_handoff.py [URL] - a planner hands work to a builder in LangGraph; Baton checks the handoff. Needs no key and no network.

With URL the handoffs are recorded by that `baton serve`.
"""
import sys

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.graph import START, StateGraph

from baton.adapters.langgraph import BatonState, Gate, handoff_tool


class StubModel(GenericFakeChatModel):
    """A model that says what it is told to, takes tools, and remembers what it was asked."""

    asked: list = []

    def bind_tools(self, tools, **_):
        return self

    def _generate(self, messages, *args, **how):
        self.asked.append("\n".join(str(message.content) for message in messages))
        return super()._generate(messages, *args, **how)


def play(gate, briefs):
    """A run in which the model writes these briefs. What the model was asked, what the builder was given, and its answer."""
    calls = [AIMessage(content="", tool_calls=[{"name": "transfer_to_builder", "args": brief, "id": f"call-{i}"}]) for i, brief in enumerate(briefs)]
    model, taker = StubModel(messages=iter(calls), asked=[]), StubModel(messages=iter([AIMessage(content="Built.")]), asked=[])
    planner = create_agent(model, name="planner", tools=[handoff_tool("builder", gate)], middleware=[gate.middleware()])
    builder = create_agent(taker, name="builder")
    graph = StateGraph(BatonState).add_node("planner", planner).add_node("builder", builder).add_edge(START, "planner").compile()
    result = graph.invoke({"messages": [("user", "Plan the release")], "baton": []})
    return model.asked, "\n".join(taker.asked), result["messages"][-1].content


def main(url=None):
    client = None
    if url:
        from baton import Client
        client = Client(url)
    # The first brief has no summary: it is refused, and the model corrects itself.
    asked, given, result = play(Gate(client), [{"working": {"release": "1.4"}}, {"summary": "Build release 1.4.", "working": {"release": "1.4"}}])
    text = asked[1]
    print(text[text.index("Baton refused"):text.index("hand over again.")] + "hand over again.")
    print("the builder said:", result)


if __name__ == "__main__":
    main(*sys.argv[1:])
