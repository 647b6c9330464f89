# SPDX-License-Identifier: Apache-2.0
"""crewai_handoff.py [URL] - a reader hands its result to a tax writer with CrewAI; Baton checks the handoff. No key, no network.

With URL the handoffs are recorded by that `baton serve`.
"""
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
        self.asked.append(messages if isinstance(messages, str) else "\n".join(str(m.get("content")) for m in messages))
        return self.answers.pop(0)


def main(url=None):
    client = None
    if url:
        from baton import Client
        client = Client(url)
    gate = Gate(client)
    # The first brief has a member that no brief has: it is refused, and the model corrects itself.
    model = StubModel(model="stub", answers=['Thought: done\nFinal Answer: {"summary": "Figures of 2025.", "approved": true}',
                                             'Thought: done\nFinal Answer: {"summary": "Figures of 2025.", "working": {"total": 41}}'])
    writer = StubModel(model="stub", answers=["Thought: done\nFinal Answer: Written."])
    reader = Agent(role="reader", goal="read", backstory="reads", llm=model)
    tax = Agent(role="tax", goal="write", backstory="writes", llm=writer)
    read = Task(description="Read the figures.", expected_output="a brief", agent=reader, guardrail=gate.guardrail("tax"), guardrail_max_retries=3)
    check = Task(description="Write the return.", expected_output="a return", agent=tax, context=[read])
    with gate.delegation():
        result = Crew(agents=[reader, tax], tasks=[read, check], verbose=False).kickoff()
    print(model.asked[1][model.asked[1].index("Baton refused"):].split("hand over again.")[0] + "hand over again.")
    print("the writer said:", result.raw)


if __name__ == "__main__":
    main(*sys.argv[1:])
