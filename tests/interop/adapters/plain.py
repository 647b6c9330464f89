# SPDX-License-Identifier: Apache-2.0
"""plain.py - the program of each example without a gate: the control of trial.py. Whatever the model writes is handed over.

Each function takes the module of the example, for its stub model, and the brief; it returns what the builder was given, and its answer.
"""
import asyncio
import json


def langgraph(example, brief):
    from langchain.agents import AgentState, create_agent
    from langchain.tools import ToolRuntime
    from langchain_core.messages import AIMessage, ToolMessage
    from langchain_core.tools import StructuredTool
    from langgraph.graph import START, StateGraph
    from langgraph.types import Command

    def transfer(runtime: ToolRuntime, **given):
        handed = ToolMessage(content=json.dumps(given), tool_call_id=runtime.tool_call_id)
        return Command(goto="builder", graph=Command.PARENT, update={"messages": [*runtime.state["messages"], handed]})

    call = AIMessage(content="", tool_calls=[{"name": "transfer_to_builder", "args": brief, "id": "call-0"}])
    model, taker = example.StubModel(messages=iter([call]), asked=[]), example.StubModel(messages=iter([AIMessage(content="Built.")]), asked=[])
    tool = StructuredTool.from_function(transfer, name="transfer_to_builder", description="Hand over.", args_schema={"type": "object", "properties": {"working": {}}})
    graph = StateGraph(AgentState).add_node("planner", create_agent(model, name="planner", tools=[tool])).add_node("builder", create_agent(taker, name="builder"))
    result = graph.add_edge(START, "planner").compile().invoke({"messages": [("user", "Plan the release")]})
    return "\n".join(taker.asked), result["messages"][-1].content


def openai_agents(example, brief):
    from agents import Agent, Runner, handoff, set_tracing_disabled

    set_tracing_disabled(True)
    model, taker = example.StubModel(example.call(0, brief)), example.StubModel(example.text("Built."))
    builder, planner = Agent(name="builder", model=taker), Agent(name="planner", model=model)
    planner.handoffs.append(handoff(builder))
    result = asyncio.run(Runner.run(planner, "Plan the release"))
    return "\n".join(taker.asked), result.final_output


def pydantic_ai(example, brief):
    from pydantic_ai import Agent, RunContext, StructuredDict, ToolOutput
    from pydantic_ai.messages import TextPart, ToolCallPart

    model, _asked = example.stub(ToolCallPart("transfer_to_builder", brief))
    taker, given = example.stub(TextPart("Built."))
    builder = Agent(taker, name="builder")

    async def hand_over(ctx, brief):
        return (await builder.run(json.dumps(brief))).output

    hand_over.__annotations__ = {"ctx": RunContext, "brief": StructuredDict({"type": "object", "properties": {"working": {}}}, name="Brief")}
    planner = Agent(model, name="planner", output_type=[ToolOutput(hand_over, name="transfer_to_builder"), str])
    output = asyncio.run(planner.run("Plan the release")).output
    return "\n".join(given), output


def crewai(example, brief):
    model = example.StubModel(model="stub", answers=[f"Thought: done\nFinal Answer: {json.dumps(brief)}"], asked=[])
    taker = example.StubModel(model="stub", answers=["Thought: done\nFinal Answer: Built."], asked=[])
    planner = example.Agent(role="planner", goal="plan", backstory="plans", llm=model)
    builder = example.Agent(role="builder", goal="build", backstory="builds", llm=taker)
    plan = example.Task(description="Plan the release.", expected_output="a brief", agent=planner)
    build = example.Task(description="Build it.", expected_output="a release", agent=builder, context=[plan])
    result = example.Crew(agents=[planner, builder], tasks=[plan, build], verbose=False).kickoff()
    return "\n".join(taker.asked), result.raw


def agent_framework(example, brief):
    from agent_framework import Agent, Content
    from agent_framework.orchestrations import HandoffBuilder

    model, taker = example.StubModel(example.said(0, brief)), example.StubModel([Content.from_text("Built.")])
    planner = Agent(client=model, name="planner", id="planner", require_per_service_call_history_persistence=True)
    builder = Agent(client=taker, name="builder", id="builder", require_per_service_call_history_persistence=True)
    result = asyncio.run(example._run(HandoffBuilder(participants=[planner, builder]).with_start_agent(planner).build()))
    return "\n".join(taker.asked), result


def google_adk(example, brief):
    from google.genai import types

    async def run():
        call = types.Part(function_call=types.FunctionCall(name="transfer_to_agent", args={"agent_name": "builder"}))
        model, taker = example.StubModel(model="stub", answers=[call], asked=[]), example.StubModel(model="stub", answers=[types.Part(text="Built.")], asked=[])
        root = example.LlmAgent(name="planner", model=model, sub_agents=[example.LlmAgent(name="builder", model=taker)])
        sessions = example.InMemorySessionService()
        runner = example.Runner(app_name="demo", agent=root, session_service=sessions)
        session = await sessions.create_session(app_name="demo", user_id="u")
        message = types.Content(role="user", parts=[types.Part(text="Plan the release")])
        texts = [part.text async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message)
                 for part in (event.content.parts if event.content else ()) if part.text]
        return "\n".join(taker.asked), texts[-1]

    return asyncio.run(run())


def claude_agent_sdk(_example, brief):
    """Without hooks its client asks nobody: the prompt of the subagent is what the model wrote."""
    from claude_agent_sdk import ClaudeAgentOptions

    return (json.dumps(brief), "Built.") if not ClaudeAgentOptions().hooks else ("", "Stopped.")
