// SPDX-License-Identifier: Apache-2.0
// ai_sdk_handoff.mjs [URL] - a planner hands work to a builder with the Vercel AI SDK; Baton checks the handoff. Needs no key and no network.
// With URL the handoffs are recorded by that `baton serve`.

import { generateText, isStepCount, ToolLoopAgent } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { load } from "baton-handoff";
import { BatonClient } from "baton-handoff/client";
import { Gate, handoffTool } from "baton-handoff/adapters/ai-sdk";
import { fileURLToPath } from "node:url";

export { Gate };
const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };

/** A model that says what it is told to; `doGenerateCalls` has what it was asked. */
export function stub(...answers) {
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const content = answers.shift();
      return { content: [content], finishReason: { unified: content.type === "text" ? "stop" : "tool-calls", raw: undefined }, usage, warnings: [] };
    },
  });
}

export const call = (number, brief) => ({ type: "tool-call", toolCallId: `call-${number}`, toolName: "builder", input: JSON.stringify(brief) });
const textOf = (part) => part.text ?? part.output?.value ?? "";
/** What a model was asked, one text for each call. */
export const askedOf = (model) => model.doGenerateCalls.map(({ prompt }) => prompt.flatMap(({ content }) => (typeof content === "string" ? [content] : content.map(textOf))).join("\n"));

/** A run in which the model writes these briefs. What the model was asked, what the builder was given, and its answer. */
export async function play(gate, briefs) {
  const taker = stub({ type: "text", text: "Built." });
  const builder = new ToolLoopAgent({ id: "builder", model: taker });
  const model = stub(...briefs.map((brief, index) => call(index, brief)), { type: "text", text: "The builder is done." });
  const result = await generateText({
    model, prompt: "Plan the release", tools: { builder: handoffTool({ target: builder, source: "planner", gate }) }, stopWhen: gate.stopWhen(isStepCount(10)),
  });
  const built = result.steps.flatMap((step) => step.toolResults).map(({ output }) => output).join("\n");
  return { asked: askedOf(model), given: askedOf(taker).join("\n"), result: built };
}

export async function main(url) {
  const gate = new Gate({ baton: await load(), client: url ? new BatonClient({ url }) : null });
  // The first brief has no summary: it is refused, and the model corrects itself.
  const { asked, result } = await play(gate, [{ working: { release: "1.4" } }, { summary: "Build release 1.4.", working: { release: "1.4" } }]);
  console.log(asked[1].slice(asked[1].indexOf("Baton refused")));
  console.log("the builder said:", result);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv[2]);
