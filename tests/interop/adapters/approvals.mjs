// SPDX-License-Identifier: Apache-2.0
// approvals.mjs - how each framework waits for a person: a command runs after a grant, once, and not after a denial. Each function takes the gate and a
// client that may decide; it says for each decision whether the command ran, and how many requests that makes.

const ASKED = { scope: "build/", risk_level: "HIGH", rollback: "git checkout build/", verification: "ls build/" };
const WAIT_MS = 60_000;

function expect(truth, what) {
  if (!truth) throw new Error(what);
}

async function decide(person, word, asked) {
  if (word === "approve") await person.grantApproval(asked.id, asked.fingerprint);
  else await person.denyApproval(asked.id);
}

/** By asking the server again and again, while a person decides elsewhere. */
export async function polled(gate, person) {
  const ran = {};
  for (const word of ["approve", "deny"]) {
    const waiting = gate.approval("clean the build", `rm -r build/${word}`, { ...ASKED, agent: "builder" });
    for (const end = Date.now() + WAIT_MS; Date.now() < end; await new Promise((done) => setTimeout(done, 100))) {
      const [asked] = await person.approvals("pending");
      if (asked) {
        await decide(person, word, asked);
        break;
      }
    }
    ran[word] = await waiting;
  }
  return { ran, requests: 2 };
}

export const waits = {
  /** By interrupt(): the graph stops, and the value given to Command({ resume }) is the decision. */
  async langgraph(gate) {
    const { Annotation, Command, MemorySaver, START, StateGraph } = await import("@langchain/langgraph");
    const State = Annotation.Root({ number: Annotation(), ran: Annotation() });
    const work = async ({ number }) => ({ ran: await gate.ask("clean the build", `rm -r build/${number}`, { ...ASKED, agent: "builder", key: `clean-${number}` }) });
    const graph = new StateGraph(State).addNode("work", work).addEdge(START, "work").compile({ checkpointer: new MemorySaver() });
    const answer = async (number, answerOf) => {
      const thread = { configurable: { thread_id: `thread-${number}` } };
      const stopped = (await graph.invoke({ number }, thread)).__interrupt__[0].value;
      expect(stopped.baton === "approval" && stopped.commands[0] === `rm -r build/${number}` && stopped.rollback === ASKED.rollback, JSON.stringify(stopped));
      return (await graph.invoke(new Command({ resume: answerOf(stopped) }), thread)).ran;
    };
    const ran = {
      approve: await answer(1, ({ fingerprint }) => ({ decision: "approve", fingerprint })),
      deny: await answer(2, ({ fingerprint }) => ({ decision: "deny", fingerprint })),
    };
    expect(!(await answer(3, () => ({ decision: "approve", fingerprint: "0".repeat(64) }))), "a decision about another command was taken for this one");
    return { ran, requests: 3 };
  },

  /** By toolApproval: the run ends with a request for approval, and goes on with the response. */
  async "ai-sdk"(gate, person) {
    const { generateText, isStepCount, jsonSchema } = await import("ai");
    const { stub } = await import("./ai_sdk_handoff.mjs");
    const ran = {};
    for (const word of ["approve", "deny"]) {
      ran[word] = false;
      const { tool, toolApproval } = gate.approvedTool(
        { description: "Clean.", inputSchema: jsonSchema({ type: "object", properties: { what: { type: "string" } } }), execute: () => ((ran[word] = true), "cleaned") },
        { ...ASKED, agent: "builder", operation: "clean the build", command: ({ what }) => `rm -r build/${what}` });
      const how = { tools: { clean: tool }, toolApproval: { clean: toolApproval }, stopWhen: isStepCount(3) };
      const call = { type: "tool-call", toolCallId: `clean-${word}`, toolName: "clean", input: JSON.stringify({ what: word }) };
      const messages = [{ role: "user", content: "Clean the build" }];
      const first = await generateText({ model: stub(call), messages, ...how });
      const request = first.content.find(({ type }) => type === "tool-approval-request");
      const asked = JSON.parse(request.reason);
      expect(asked.baton === "approval" && asked.commands[0] === `rm -r build/${word}` && !ran[word], `the run was stopped with ${JSON.stringify(request)}`);
      await decide(person, word, asked);
      messages.push(...first.response.messages, { role: "tool", content: [{ type: "tool-approval-response", approvalId: request.approvalId, approved: true }] });
      await generateText({ model: stub({ type: "text", text: "Done." }), messages, ...how });
    }
    return { ran, requests: 2 };
  },
};
