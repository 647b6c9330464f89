// SPDX-License-Identifier: Apache-2.0
// langgraph.ts - LangGraph.js: a tool that hands over, and a middleware for tools that jump to another agent themselves. What a run remembers stands in
// the state of the graph: accepted handoffs in its list `baton`, refusals in the tool messages.

import { langchain, langgraph } from "./langgraph.framework.js";
import { factsOf, Gate as BaseGate, handed, orStop } from "./gate.js";
import type { ApprovalDecision, ApprovalQuestion, Decision, Run } from "./gate.js";

export type { GateOptions } from "./gate.js";

interface Message {
  name?: string;
  artifact?: { baton?: { run: string; refused: [string, string] } };
}

interface Handed {
  run: string;
  ref: string | null;
  seq: number | null;
  document: Record<string, unknown> | null;
}

interface State {
  messages?: Message[];
  baton?: Handed[];
}

interface ToolCall {
  id: string;
  name: string;
  args: Record<string, unknown>;
}

interface ToolRequest {
  toolCall: ToolCall;
  tool?: { metadata?: { baton?: boolean } };
  state: State;
}

/** Any list, as a Standard Schema with its JSON Schema. */
const LIST = {
  "~standard": {
    version: 1,
    vendor: "baton",
    validate: (value: unknown) => ({ value: value ?? [] }),
    jsonSchema: { input: () => ({ type: "array" }), output: () => ({ type: "array" }) },
  },
};

const handedOver = new langgraph.ReducedValue(LIST, { inputSchema: LIST, reducer: (list: Handed[] | undefined, more: Handed[] | undefined) => [...(list ?? []), ...(more ?? [])] });

/** The state of a graph with messages and the list `baton` of the handoffs that were accepted. */
export const BatonState: any = new langgraph.StateSchema({ messages: langgraph.MessagesValue, baton: handedOver });

function refusedIn(message: Message): { run: string; refused: [string, string] } | null {
  return langchain.ToolMessage.isInstance(message) ? message.artifact?.baton ?? null : null;
}

/** What the state remembers of the run. */
function readRun(gate: BaseGate, state: State): Run {
  const marks = (state.messages ?? []).map(refusedIn).filter((mark): mark is { run: string; refused: [string, string] } => mark !== null);
  const accepted = state.baton ?? [];
  const run = gate.begin(accepted[0]?.run ?? marks[0]?.run);
  run.attempts = accepted.length + marks.length;
  run.last = accepted[accepted.length - 1]?.document ?? null;
  for (const { refused } of marks) run.refusals.set(refused.join(" "), (run.refusals.get(refused.join(" ")) ?? 0) + 1);
  return run;
}

/** The agent whose model made the call. */
function sourceOf(state: State, config?: { metadata?: { langgraph_node?: string } }): string {
  const said = [...(state.messages ?? [])].reverse().find((message) => langchain.AIMessage.isInstance(message));
  return said?.name ?? config?.metadata?.langgraph_node ?? "agent";
}

function refusal(gate: BaseGate, decision: Decision, run: Run, pair: [string, string], call: ToolCall): any {
  const refused = pair.map((name) => gate.skill(name));
  return new langchain.ToolMessage({ content: decision.text, tool_call_id: call.id, name: call.name, status: "error", artifact: { baton: { run: run.runId, refused } } });
}

/** A gate for graphs. */
export class Gate extends BaseGate {
  /** For createAgent: refusals at the limit end the run, and what another tool hands over with a Command is checked, too. */
  middleware(): any {
    return langchain.createMiddleware({ name: "Baton", stateSchema: new langgraph.StateSchema({ baton: handedOver }), wrapToolCall: this.wrapToolCall.bind(this) });
  }

  /** For a ToolNode: `wrapToolCall`. */
  async wrapToolCall(request: ToolRequest, handler: (request: ToolRequest) => Promise<any>): Promise<any> {
    const result = await handler(request);
    const goto = langgraph.isCommand(result) ? (Array.isArray(result.goto) && result.goto.length === 1 ? result.goto[0] : result.goto) : null;
    if (typeof goto !== "string" || goto === "" || goto.startsWith("__") || request.tool?.metadata?.baton) return result;
    const run = readRun(this, request.state);
    const source = sourceOf(request.state);
    const decision = orStop(await this.decide({ ...request.toolCall.args }, source, goto, run, request));
    if (!decision.accepted) return refusal(this, decision, run, [source, goto], request.toolCall);
    const baton = [...(result.update?.baton ?? []), { run: run.runId, ...factsOf(decision) }];
    return new langgraph.Command({ graph: result.graph, goto: result.goto, resume: result.resume, update: { ...result.update, baton } });
  }

  /** Interrupt the graph until a person has decided; the value given to `new Command({ resume })` is the answer. `key` names this question in its run: a
   * node runs again from its beginning when the graph goes on, and must not ask twice. */
  ask(agent: string, operation: string, exactContent: string, question: ApprovalQuestion & { key: string }): Promise<boolean> {
    return this.approval(agent, operation, exactContent, question, (request): ApprovalDecision => langgraph.interrupt({
      baton: "approval", id: request.id, fingerprint: request.fingerprint, commands: [exactContent], operation, risk_level: question.risk_level ?? "HIGH",
      rollback: question.rollback, verification: question.verification,
    }));
  }
}

/** A tool `transfer_to_TARGET` whose arguments are the brief. Refused: the model gets the text and goes on. */
export function handoffTool(target: string, gate: Gate, options: { description?: string } = {}): any {
  const name = `transfer_to_${target}`;
  const fields = { name, description: options.description ?? `Hand the work over to ${target}.`, metadata: { baton: true } };
  gate.skill(target);
  const transfer = async (brief: Record<string, unknown>, config: any): Promise<any> => {
    const state: State = config.state ?? {};
    const call: ToolCall = { id: config.toolCallId ?? config.toolCall?.id, name, args: brief };
    const run = readRun(gate, state);
    const source = sourceOf(state, config);
    const decision = orStop(await gate.decide(brief, source, target, run, config));
    if (!decision.accepted) return refusal(gate, decision, run, [source, target], call);
    const said = [...(state.messages ?? [])].reverse().find((message) => langchain.AIMessage.isInstance(message));
    const output = new langchain.ToolMessage({ content: handed(decision, brief), tool_call_id: call.id, name });
    return new langgraph.Command({ goto: target, graph: langgraph.Command.PARENT, update: { messages: [...(said ? [said] : []), output], baton: [{ run: run.runId, ...factsOf(decision) }] } });
  };
  // LangChain judges arguments by the schema of the tool, in words of its own. The model is shown the schema of the brief, and the gate judges by it.
  const open = langchain.tool(transfer, { ...fields, schema: { type: "object" } });
  const shown = langchain.tool(transfer, { ...fields, schema: gate.briefSchema() });
  shown.invoke = open.invoke.bind(open);
  return shown;
}
