// SPDX-License-Identifier: Apache-2.0
// mastra_handoff.mjs [URL] - a planner delegates work to a builder in Mastra; Baton checks the handoff. Needs no key and no network.
// With URL the handoffs are recorded by that `baton serve`.

import { Agent } from "@mastra/core/agent";
import { load } from "baton-handoff";
import { BatonClient } from "baton-handoff/client";
import { Gate } from "baton-handoff/adapters/mastra";
import { fileURLToPath } from "node:url";

export { Gate };
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

/** A model that says what it is told to, and remembers what it was asked. */
export class StubModel {
  specificationVersion = "v2";
  provider = "stub";
  modelId = "stub";
  supportedUrls = {};
  asked = [];

  constructor(...answers) {
    this.answers = answers;
  }

  take({ prompt }) {
    const textOf = (part) => part.text ?? (typeof part.output?.value === "string" ? part.output.value : JSON.stringify(part.output?.value ?? ""));
    this.asked.push(prompt.flatMap(({ content }) => (typeof content === "string" ? [content] : content.map(textOf))).join("\n"));
    const content = this.answers.shift() ?? { type: "text", text: "Done." };
    return { content: [content], finishReason: content.type === "text" ? "stop" : "tool-calls", usage, warnings: [] };
  }

  async doGenerate(options) {
    return this.take(options);
  }

  async doStream(options) {
    const { content, finishReason } = this.take(options);
    const said = content[0].type === "text" ? [{ type: "text-start", id: "t" }, { type: "text-delta", id: "t", delta: content[0].text }, { type: "text-end", id: "t" }] : content;
    return { stream: ReadableStream.from([{ type: "stream-start", warnings: [] }, ...said, { type: "finish", finishReason, usage }]) };
  }
}

export const call = (number, brief) => ({ type: "tool-call", toolCallId: `call-${number}`, toolName: "agent-builder", input: JSON.stringify({ prompt: JSON.stringify(brief) }) });

/** The agents: a planner whose model writes these briefs, and a builder. */
export function team(briefs) {
  const [model, taker] = [new StubModel(...briefs.map((brief, index) => call(index, brief))), new StubModel({ type: "text", text: "Built." })];
  const builder = new Agent({ id: "builder", name: "builder", description: "Builds.", instructions: "Build.", model: taker });
  return { model, taker, planner: new Agent({ id: "planner", name: "planner", instructions: "Plan.", model, agents: { builder } }) };
}

/** A run in which the model writes these briefs. What the model was asked, what the builder was given, and its answer. */
export async function play(gate, briefs) {
  const { model, taker, planner } = team(briefs);
  try {
    await gate.generate(planner, "Plan the release", { maxSteps: 10 });
    return { asked: model.asked, given: taker.asked.join("\n"), result: model.asked.at(-1).includes("Built.") ? "Built." : "" };
  } catch (why) {
    why.given = taker.asked.join("\n");
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
