# SPDX-License-Identifier: Apache-2.0
"""google_adk_handoff.py [URL] - a planner hands work to a builder with the Google ADK; Baton checks the handoff. Needs no key and no network.

With URL the handoffs are recorded by that `baton serve`.
"""
import asyncio
import sys

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from baton.adapters.google_adk import Gate


class StubModel(BaseLlm):
    """A model that says what it is told to, and remembers what it was asked."""

    answers: list
    asked: list

    async def generate_content_async(self, llm_request, stream=False):
        parts = [part for content in llm_request.contents for part in content.parts]
        self.asked.append("\n".join(str(part.function_response.response.get("error", part.function_response.response))
                                    if part.function_response else part.text or "" for part in parts))
        yield LlmResponse(content=types.Content(role="model", parts=[self.answers.pop(0)]))


def play(gate, briefs):
    """A run in which the model writes these briefs. What the model was asked, what the builder was given, and its answer."""
    return asyncio.run(_play(gate, briefs))


async def _play(gate, briefs):
    calls = [types.Part(function_call=types.FunctionCall(name="hand_over", args={"agent_name": "builder", **brief})) for brief in briefs]
    model, taker = StubModel(model="stub", answers=calls, asked=[]), StubModel(model="stub", answers=[types.Part(text="Built.")], asked=[])
    builder = LlmAgent(name="builder", model=taker)
    root = LlmAgent(name="planner", model=model, sub_agents=[builder], tools=[gate.transfer_tool(["builder"])])
    sessions = InMemorySessionService()
    runner = Runner(app_name="demo", agent=root, session_service=sessions, plugins=[gate.plugin()])
    session = await sessions.create_session(app_name="demo", user_id="u")
    message = types.Content(role="user", parts=[types.Part(text="Plan the release")])
    texts = [part.text async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message)
             for part in (event.content.parts if event.content else ()) if part.text]
    return model.asked, "\n".join(taker.asked), texts[-1]


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
