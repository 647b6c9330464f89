// SPDX-License-Identifier: Apache-2.0
// plain.mjs - the program of each example without a gate: the control of trial.mjs. Whatever the model writes is handed over. Each function takes the module
// of the example, for its stub model, and the brief; it gives what the builder was given, and its answer.

export const plain = {
  async "openai-agents"({ call, say, StubModel }, brief) {
    const { Agent, handoff, run } = await import("@openai/agents");
    const taker = new StubModel(say("Built."));
    const planner = new Agent({ name: "planner", model: new StubModel(call(0, brief)), handoffs: [handoff(new Agent({ name: "builder", model: taker }))] });
    const result = await run(planner, `Plan the release 1.4`);
    return { given: taker.asked.join("\n"), result: result.finalOutput };
  },

  async langgraph({ askedOf }, brief) {
    const { Command, MessagesAnnotation, START, StateGraph } = await import("@langchain/langgraph");
    const { AIMessage, createAgent, fakeModel, tool, ToolMessage } = await import("langchain");
    const model = fakeModel().respondWithTools([{ name: "transfer_to_builder", args: brief, id: "call-0" }]);
    const taker = fakeModel().respond(new AIMessage("Built."));
    const transfer = tool((given, { state, toolCallId }) => {
      const handed = new ToolMessage({ content: JSON.stringify(given), tool_call_id: toolCallId });
      return new Command({ goto: "builder", graph: Command.PARENT, update: { messages: [...state.messages, handed] } });
    }, { name: "transfer_to_builder", description: "Hand over.", schema: { type: "object", properties: { working: {} } } });
    const planner = createAgent({ model, name: "planner", tools: [transfer] });
    const builder = createAgent({ model: taker, name: "builder" });
    const graph = new StateGraph(MessagesAnnotation).addNode("planner", planner.graph, { ends: ["builder"] }).addNode("builder", builder.graph).addEdge(START, "planner").compile();
    const result = await graph.invoke({ messages: [{ role: "user", content: "Plan the release" }] });
    return { given: askedOf(taker).join("\n"), result: result.messages.at(-1).content };
  },

  async "ai-sdk"({ askedOf, call, stub }, brief) {
    const { generateText, isStepCount, jsonSchema, tool, ToolLoopAgent } = await import("ai");
    const taker = stub({ type: "text", text: "Built." });
    const agent = new ToolLoopAgent({ id: "builder", model: taker });
    const builder = tool({ description: "Hand over.", inputSchema: jsonSchema({ type: "object" }), execute: async (given) => (await agent.generate({ prompt: JSON.stringify(given) })).text });
    const result = await generateText({ model: stub(call(0, brief), { type: "text", text: "Done." }), prompt: "Plan the release", tools: { builder }, stopWhen: isStepCount(5) });
    return { given: askedOf(taker).join("\n"), result: result.steps.flatMap((step) => step.toolResults).map(({ output }) => output).join("\n") };
  },

  async mastra({ team }, brief) {
    const { model, planner, taker } = team([brief]);
    await planner.generate("Plan the release", { maxSteps: 5 });
    return { given: taker.asked.join("\n"), result: model.asked.at(-1) };
  },
};
