// SPDX-License-Identifier: Apache-2.0
// langgraph_handoff.mjs [URL] - a planner hands work to a builder in LangGraph.js; Baton checks the handoff. Needs no key and no network.
// With URL the handoffs are recorded by that `baton serve`.

import { START, StateGraph } from "@langchain/langgraph";
import { createAgent, fakeModel, AIMessage } from "langchain";
import { load } from "baton-handoff";
import { BatonClient } from "baton-handoff/client";
import { BatonState, Gate, handoffTool } from "baton-handoff/adapters/langgraph";
import { fileURLToPath } from "node:url";

export { Gate };

/** What a model was asked, one text for each call. */
export const askedOf = (model) => model.calls.map(({ messages }) => messages.map((message) => String(message.content)).join("\n"));

/** A run in which the model writes these briefs. What the model was asked, what the builder was given, and its answer. */
export async function play(gate, briefs) {
  const model = fakeModel();
  briefs.forEach((args, index) => model.respondWithTools([{ name: "transfer_to_builder", args, id: `call-${index}` }]));
  const taker = fakeModel().respond(new AIMessage("Built."));
  const planner = createAgent({ model, name: "planner", tools: [handoffTool("builder", gate)], middleware: [gate.middleware()] });
  const builder = createAgent({ model: taker, name: "builder" });
  const graph = new StateGraph(BatonState).addNode("planner", planner.graph, { ends: ["builder"] }).addNode("builder", builder.graph).addEdge(START, "planner").compile();
  try {
    const result = await graph.invoke({ messages: [{ role: "user", content: "Plan the release" }], baton: [] });
    return { asked: askedOf(model), given: askedOf(taker).join("\n"), result: result.messages.at(-1).content };
  } catch (why) {
    why.given = askedOf(taker).join("\n");
    throw why;
  }
}

export async function main(url) {
  const gate = new Gate({ baton: await load(), client: url ? new BatonClient({ url }) : null });
  // The first brief has no summary: it is refused, and the model corrects itself.
  const { asked, result } = await play(gate, [{ working: { release: "1.4" } }, { summary: "Build release 1.4.", working: { release: "1.4" } }]);
  console.log(asked[1].slice(asked[1].indexOf("Baton refused")));
  console.log("the builder said:", result);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv[2]);
