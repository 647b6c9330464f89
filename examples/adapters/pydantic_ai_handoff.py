# SPDX-License-Identifier: Apache-2.0
"""pydantic_ai_handoff.py [URL] - a planner hands work to a builder with Pydantic AI; Baton checks the handoff. Needs no key and no network.

With URL the handoffs are recorded by that `baton serve`.
"""
import asyncio
import sys

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from baton.adapters.pydantic_ai import Gate, guarded_output


def stub(*parts):
    """A model that says what it is told to, and the list of what it was asked."""
    left, asked = list(parts), []

    def answer(messages, _info):
        asked.append("\n".join(str(getattr(part, "content", "")) for message in messages for part in message.parts))
        return ModelResponse(parts=[left.pop(0)])

    return FunctionModel(answer), asked


def play(gate, briefs):
    """A run in which the model writes these briefs. What the model was asked, what the builder was given, and its answer."""
    model, asked = stub(*(ToolCallPart("transfer_to_builder", brief) for brief in briefs))
    taker, given = stub(TextPart("Built."))
    builder = Agent(taker, name="builder")
    planner = Agent(model, name="planner", output_type=[guarded_output(builder, gate), str])
    result = asyncio.run(planner.run("Plan the release"))
    return asked, "\n".join(given), result.output


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
