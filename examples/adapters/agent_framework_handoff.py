# SPDX-License-Identifier: Apache-2.0
"""agent_framework_handoff.py [URL] - a planner hands work to a builder with the Microsoft Agent Framework; Baton checks the handoff. No key, no network.

With URL the handoffs are recorded by that `baton serve`.
"""
import asyncio
import sys

from agent_framework import Agent, BaseChatClient, ChatResponse, Content, FunctionInvocationLayer, Message
from agent_framework.orchestrations import HandoffBuilder

from baton.adapters.agent_framework import Gate


class StubModel(FunctionInvocationLayer, BaseChatClient):
    """A model that says what it is told to, and remembers what it was asked."""

    def __init__(self, *answers):
        super().__init__()
        self.answers, self.asked = list(answers), []

    def _inner_get_response(self, *, messages, stream, options, **_):
        self.asked.append(list(messages))
        contents = self.answers.pop(0)

        async def answer():
            return ChatResponse(messages=[Message(role="assistant", contents=contents)])

        return answer()


def call(number):
    return Content.from_function_call(call_id=f"call-{number}", name="handoff_to_builder", arguments="{}")


async def main(url=None):
    client = None
    if url:
        from baton import Client
        client = Client(url)
    briefs = iter([{"summary": ""}, {"summary": "Build release 1.4."}])
    gate = Gate(client, build=lambda context: next(briefs))
    # The first brief has an empty summary: it is refused, and the model tries again.
    model = StubModel([Content.from_text("I hand over."), call(1)], [Content.from_text("Build release 1.4."), call(2)])
    planner = Agent(client=model, name="planner", id="planner", middleware=[gate.function_middleware("planner")], require_per_service_call_history_persistence=True)
    builder = Agent(client=StubModel([Content.from_text("Built.")]), name="builder", id="builder", require_per_service_call_history_persistence=True)
    flow = HandoffBuilder(participants=[planner, builder]).with_start_agent(planner).build()
    result = await flow.run("Plan the release")
    for message in model.asked[1]:
        for content in message.contents:
            if content.type == "function_result":
                print(content.result)
    print([str(event.data)[:80] for event in result if event.type == "output"][-1:])


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
