# SPDX-License-Identifier: Apache-2.0
"""openai_agents_handoff.py [URL] - a planner hands work to a builder with the OpenAI Agents SDK; Baton checks the handoff. No key, no network.

With URL the handoffs are recorded by that `baton serve`.
"""
import asyncio
import json
import sys

from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from baton.adapters.openai_agents import Gate, guarded_handoff


class StubModel(Model):
    """A model that says what it is told to, and remembers what it was asked."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    async def get_response(self, system_instructions, input, *_, **__):
        self.asked.append(json.loads(json.dumps(input, default=str)))
        return ModelResponse(output=[self.answers.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


def call(tool, number, arguments):
    return ResponseFunctionToolCall(type="function_call", name=tool, call_id=f"call-{number}", arguments=json.dumps(arguments))


def text(words):
    return ResponseOutputMessage(id="m", type="message", role="assistant", status="completed",
                                 content=[ResponseOutputText(type="output_text", text=words, annotations=[])])


async def main(url=None):
    set_tracing_disabled(True)
    client = None
    if url:
        from baton import Client
        client = Client(url)
    gate = Gate(client)
    # The first brief has no summary: it is refused, and the model corrects itself.
    model = StubModel(call("transfer_to_builder", 1, {"working": {"release": "1.4"}}),
                      call("transfer_to_builder", 2, {"summary": "Build release 1.4.", "working": {"release": "1.4"}}))
    builder, planner = Agent(name="builder", model=StubModel(text("Built."))), Agent(name="planner", model=model)
    planner.handoffs.append(guarded_handoff(planner, builder, gate))
    result = await Runner.run(planner, "Plan the release")
    for item in model.asked[1]:
        if item.get("type") == "function_call_output":
            print(item["output"])
    print("ended with", result.last_agent.name, "-", result.final_output)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
