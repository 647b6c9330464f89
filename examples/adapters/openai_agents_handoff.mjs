// SPDX-License-Identifier: Apache-2.0
// openai_agents_handoff.mjs [URL] - a planner hands work to a builder with the OpenAI Agents SDK; Baton checks the handoff. Needs no key and no network.
// With URL the handoffs are recorded by that `baton serve`.

import { Agent, run, setTracingDisabled, Usage } from "@openai/agents";
import { load } from "baton-handoff";
import { BatonClient } from "baton-handoff/client";
import { Gate, guardedHandoff } from "baton-handoff/adapters/openai-agents";
import { fileURLToPath } from "node:url";

export { Gate };
setTracingDisabled(true);

/** A model that says what it is told to, and remembers what it was asked. */
export class StubModel {
  asked = [];

  constructor(...answers) {
    this.answers = answers;
  }

  async getResponse(request) {
    this.asked.push(typeof request.input === "string" ? request.input : request.input.map((item) => item.output?.text ?? item.content ?? "").join("\n"));
    return { usage: new Usage(), output: [this.answers.shift()] };
  }

  async *getStreamedResponse() {
    throw new Error("this model does not stream");
  }
}

export const call = (number, brief) => ({ type: "function_call", callId: `call-${number}`, name: "transfer_to_builder", arguments: JSON.stringify(brief), status: "completed" });
export const say = (text) => ({ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text }] });

/** A run in which the model writes these briefs. What the model was asked, what the builder was given, and its answer. */
export async function play(gate, briefs) {
  const model = new StubModel(...briefs.map((brief, index) => call(index, brief)));
  const taker = new StubModel(say("Built."));
  const builder = new Agent({ name: "builder", model: taker });
  const planner = new Agent({ name: "planner", model });
  planner.handoffs.push(guardedHandoff(planner, builder, gate, { onNotice: () => undefined }));
  const result = await run(planner, "Plan the release");
  return { asked: model.asked, given: taker.asked.join("\n"), result: result.finalOutput };
}

export async function main(url) {
  const gate = new Gate({ baton: await load(), client: url ? new BatonClient({ url }) : null });
  // The first brief has no summary: it is refused, and the model corrects itself.
  const { asked, result } = await play(gate, [{ working: { release: "1.4" } }, { summary: "Build release 1.4.", working: { release: "1.4" } }]);
  console.log(asked[1].slice(asked[1].indexOf("Baton refused")));
  console.log("the builder said:", result);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv[2]);
