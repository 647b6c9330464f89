# SPDX-License-Identifier: Apache-2.0
"""openai_agents_handoff.py [URL] - a planner hands work to a builder with the OpenAI Agents SDK; Baton checks the handoff. Needs no key and no network.

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
        items = [{"content": input}] if isinstance(input, str) else input
        self.asked.append("\n".join(str(item.get("output") or item.get("content") or "") for item in items))
        return ModelResponse(output=[self.answers.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


def call(number, brief):
    return ResponseFunctionToolCall(type="function_call", name="transfer_to_builder", call_id=f"call-{number}", arguments=json.dumps(brief))


def text(words):
    return ResponseOutputMessage(id="m", type="message", role="assistant", status="completed",
                                 content=[ResponseOutputText(type="output_text", text=words, annotations=[])])


def play(gate, briefs):
    """A run in which the model writes these briefs. What the model was asked, what the builder was given, and its answer."""
    set_tracing_disabled(True)
    model, taker = StubModel(*(call(number, brief) for number, brief in enumerate(briefs))), StubModel(text("Built."))
    builder, planner = Agent(name="builder", model=taker), Agent(name="planner", model=model)
    planner.handoffs.append(guarded_handoff(planner, builder, gate))
    result = asyncio.run(Runner.run(planner, "Plan the release"))
    return model.asked, "\n".join(taker.asked), result.final_output


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
