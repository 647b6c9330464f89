# SPDX-License-Identifier: Apache-2.0
"""pydantic_ai_handoff.py [URL] - a planner hands work to a builder with Pydantic AI; Baton checks the handoff. No key, no network.

With URL the handoffs are recorded by that `baton serve`.
"""
import asyncio
import sys

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, RetryPromptPart, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from baton.adapters.pydantic_ai import Gate, guarded_output


def stub(*parts):
    """A model that says what it is told to, and remembers what it was asked."""
    left, asked = list(parts), []

    def answer(messages, _info):
        asked.append(list(messages))
        return ModelResponse(parts=[left.pop(0)])

    model = FunctionModel(answer)
    model.asked = asked
    return model


async def main(url=None):
    client = None
    if url:
        from baton import Client
        client = Client(url)
    gate = Gate(client)
    # The first brief has no summary: it is refused, and the model corrects itself.
    model = stub(ToolCallPart("transfer_to_builder", {"working": {"release": "1.4"}}),
                 ToolCallPart("transfer_to_builder", {"summary": "Build release 1.4.", "working": {"release": "1.4"}}))
    builder = Agent(stub(TextPart("Built.")), name="builder")
    planner = Agent(model, name="planner", output_type=[guarded_output(builder, gate), str])
    result = await planner.run("Plan the release")
    for part in model.asked[1][-1].parts:
        if isinstance(part, RetryPromptPart):
            print(part.content)
    print("the builder said:", result.output)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
