# SPDX-License-Identifier: Apache-2.0
"""google_adk_handoff.py [URL] - a planner hands work to a builder with the Google ADK; Baton checks the handoff. No key, no network.

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

ASKED = []


class StubModel(BaseLlm):
    """A model that says what it is told to; what it was asked is in ASKED."""

    answers: list

    async def generate_content_async(self, llm_request, stream=False):
        ASKED.append(llm_request.contents)
        yield LlmResponse(content=types.Content(role="model", parts=[self.answers.pop(0)]))


def call(arguments):
    return types.Part(function_call=types.FunctionCall(name="hand_over", args=arguments))


async def main(url=None):
    client = None
    if url:
        from baton import Client
        client = Client(url)
    gate = Gate(client)
    # The first brief has no summary: it is refused, and the model corrects itself.
    model = StubModel(model="stub", answers=[call({"agent_name": "builder", "working": {"release": "1.4"}}),
                                             call({"agent_name": "builder", "summary": "Build release 1.4.", "working": {"release": "1.4"}})])
    builder = LlmAgent(name="builder", model=StubModel(model="stub", answers=[types.Part(text="Built.")]))
    root = LlmAgent(name="planner", model=model, sub_agents=[builder], tools=[gate.transfer_tool(["builder"])])
    sessions = InMemorySessionService()
    runner = Runner(app_name="demo", agent=root, session_service=sessions, plugins=[gate.plugin()])
    session = await sessions.create_session(app_name="demo", user_id="u")
    message = types.Content(role="user", parts=[types.Part(text="Plan the release")])
    async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message):
        for part in event.content.parts if event.content else ():
            if part.function_response and "error" in part.function_response.response:
                print(part.function_response.response["error"])
            elif part.text:
                print(f"{event.author}: {part.text}")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
