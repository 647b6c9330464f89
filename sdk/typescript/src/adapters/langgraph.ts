// SPDX-License-Identifier: Apache-2.0
// langgraph.ts - LangGraph.js: a tool that hands over, and a middleware for tools that jump to another agent themselves. What a run remembers stands in
// the state of the graph: accepted handoffs in its list `baton`, refusals in the tool messages.

import { langchain, langgraph } from "./langgraph.framework.js";
import { factsOf, Gate as BaseGate, handed, orStop } from "./gate.js";
import type { ApprovalDecision, ApprovalQuestion, Decision, Run } from "./gate.js";

export type { GateOptions } from "./gate.js";

interface Message {
  name?: string;
  tool_calls?: { id?: string; name: string }[];
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

function marksOf(messages: Message[]): { run: string; refused: [string, string] }[] {
  return messages.map(refusedIn).filter((mark): mark is { run: string; refused: [string, string] } => mark !== null);
}

/** What the state remembers of the run in which a tool is called. Refusals count since the user last said something. */
function readRun(gate: Gate, state: State, callId: string): Run {
  const messages = state.messages ?? [];
  const marks = marksOf(messages);
  const accepted = state.baton ?? [];
  const run = gate.begin(accepted[0]?.run ?? marks[0]?.run);
  const said = messages.filter((message) => langchain.AIMessage.isInstance(message)).pop();
  // Calls of one message do not see each other's results.
  const beside = (said?.tool_calls ?? []).filter(({ id, name }) => gate.tools.has(name) || id === callId).map(({ id }) => id);
  run.attempts = accepted.length + marks.length + Math.max(0, beside.indexOf(callId));
  run.last = accepted[accepted.length - 1]?.document ?? null;
  const begin = messages.map((message) => langchain.HumanMessage.isInstance(message)).lastIndexOf(true);
  for (const { refused } of marksOf(messages.slice(Math.max(0, begin)))) run.refusals.set(refused.join(" "), (run.refusals.get(refused.join(" ")) ?? 0) + 1);
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

/** The nodes that a part of a result jumps to: of one name, a Send, or several of them. */
function targetsOf(part: any): string[] {
  const goto: unknown = langgraph.isCommand(part) ? part.goto ?? [] : [];
  const names = (Array.isArray(goto) ? goto : [goto]).map((place: unknown) => (place instanceof langgraph.Send ? place.node : String(place)));
  return names.filter((name) => name !== "" && !name.startsWith("__"));
}

/** A Command with the handoffs in its update. */
function withFacts(command: any, handed: Handed[]): any {
  const { graph, goto, resume, update } = command;
  const more = Array.isArray(update) ? [...update, ["baton", handed]] : { ...update, baton: [...(update?.baton ?? []), ...handed] };
  return new langgraph.Command({ graph, goto, resume, update: more });
}

/** A gate for graphs. */
export class Gate extends BaseGate {
  /** @internal Names of the tools of handoffTool(). */
  readonly tools = new Set<string>();

  /** For createAgent: refusals at the limit end the run, and what another tool hands over with a Command is checked, too. */
  middleware(): any {
    return langchain.createMiddleware({ name: "Baton", stateSchema: new langgraph.StateSchema({ baton: handedOver }), wrapToolCall: this.wrapToolCall.bind(this) });
  }

  /** For a ToolNode: `wrapToolCall`. */
  async wrapToolCall(request: ToolRequest, handler: (request: ToolRequest) => Promise<any>): Promise<any> {
    const result = await handler(request);
    const parts: any[] = Array.isArray(result) ? result : [result];
    if (request.tool?.metadata?.baton || parts.every((part) => targetsOf(part).length === 0)) return result;
    const run = readRun(this, request.state, request.toolCall.id);
    const source = sourceOf(request.state);
    const gone: any[] = [];
    for (const part of parts) {
      const baton: Handed[] = [];
      for (const target of targetsOf(part)) { // when one of them is refused, the tool jumps nowhere
        const decision = orStop(await this.decide({ ...request.toolCall.args }, source, target, run, request));
        if (!decision.accepted) return refusal(this, decision, run, [source, target], request.toolCall);
        baton.push({ run: run.runId, ...factsOf(decision) });
      }
      gone.push(baton.length === 0 ? part : withFacts(part, baton));
    }
    return Array.isArray(result) ? gone : gone[0];
  }

  /** Interrupt the graph until a person has decided; the value given to `new Command({ resume })` is the answer. `key` names this question in its run: a
   * node runs again from its beginning when the graph goes on, and must not ask twice. */
  ask(operation: string, exactContent: string, question: ApprovalQuestion & { key: string }): Promise<boolean> {
    return this.approval(operation, exactContent, question, (request): ApprovalDecision => langgraph.interrupt({
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
  gate.tools.add(name);
  const transfer = async (brief: Record<string, unknown>, config: any): Promise<any> => {
    const state: State = config.state ?? {};
    const call: ToolCall = { id: config.toolCallId ?? config.toolCall?.id, name, args: brief };
    const run = readRun(gate, state, call.id);
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
