# SPDX-License-Identifier: Apache-2.0
"""crewai_handoff.py [URL] - a planner hands its result to a builder with CrewAI; Baton checks the handoff. Needs no key and no network.

With URL the handoffs are recorded by that `baton serve`.
"""
import json
import os
import sys

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_TRACING_ENABLED="false")

from crewai import Agent, Crew, Task  # noqa: E402
from crewai.llms.base_llm import BaseLLM  # noqa: E402

from baton.adapters.crewai import Gate  # noqa: E402


class StubModel(BaseLLM):
    """A model that says what it is told to, and remembers what it was asked."""

    answers: list = []
    asked: list = []

    def call(self, messages, *_, **__):
        self.asked.append(messages if isinstance(messages, str) else "\n".join(str(message.get("content")) for message in messages))
        return self.answers.pop(0)


def play(gate, briefs):
    """A run in which the model writes these briefs. What the model was asked, what the builder was given, and its answer."""
    model = StubModel(model="stub", answers=[f"Thought: done\nFinal Answer: {json.dumps(brief)}" for brief in briefs], asked=[])
    taker = StubModel(model="stub", answers=["Thought: done\nFinal Answer: Built."], asked=[])
    planner = Agent(role="planner", goal="plan", backstory="plans", llm=model)
    builder = Agent(role="builder", goal="build", backstory="builds", llm=taker)
    plan = Task(description="Plan the release.", expected_output="a brief", agent=planner, guardrail=gate.guardrail("builder"),
                guardrail_max_retries=gate.limit)
    build = Task(description="Build it.", expected_output="a release", agent=builder, context=[plan])
    with gate.delegation():
        result = Crew(agents=[planner, builder], tasks=[plan, build], verbose=False).kickoff()
    return model.asked, "\n".join(taker.asked), result.raw


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
