# SPDX-License-Identifier: Apache-2.0
"""agent_framework_handoff.py [URL] - a planner hands work to a builder with the Microsoft Agent Framework; Baton checks the handoff. Needs no key and no network.

With URL the handoffs are recorded by that `baton serve`.
"""
import asyncio
import sys

from agent_framework import Agent, BaseChatClient, ChatMiddlewareLayer, ChatResponse, Content, FunctionInvocationLayer, Message
from agent_framework.orchestrations import HandoffBuilder

from baton.adapters.agent_framework import Gate


class StubModel(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    """A model that says what it is told to, and remembers what it was asked."""

    def __init__(self, *answers):
        super().__init__()
        self.answers, self.asked = list(answers), []

    def _inner_get_response(self, *, messages, stream, options, **_):
        parts = [content for message in messages for content in message.contents]
        self.asked.append("\n".join(str(part.result if part.type == "function_result" else part.text or "") for part in parts))
        contents = self.answers.pop(0)

        async def answer():
            return ChatResponse(messages=[Message(role="assistant", contents=contents)])

        return answer()


def said(number, brief):
    """What the model says before it hands over is the summary of the brief."""
    words = [Content.from_text(brief["summary"])] if brief.get("summary") else []
    return [*words, Content.from_function_call(call_id=f"call-{number}", name="handoff_to_builder", arguments="{}")]


def play(gate, briefs):
    """A run in which the model writes these briefs. What the model was asked, what the builder was given, and its answer."""
    model, taker = StubModel(*(said(number, brief) for number, brief in enumerate(briefs))), StubModel([Content.from_text("Built.")])
    planner = Agent(client=model, name="planner", id="planner", middleware=gate.middleware("planner"), require_per_service_call_history_persistence=True)
    builder = Agent(client=taker, name="builder", id="builder", require_per_service_call_history_persistence=True)
    flow = HandoffBuilder(participants=[planner, builder]).with_start_agent(planner).build()
    result = asyncio.run(_run(flow))
    return model.asked, "\n".join(taker.asked), result


async def _run(flow):
    outputs = [str(event.data) for event in await flow.run("Plan the release") if event.type == "output"]
    return outputs[-1]


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
