// SPDX-License-Identifier: Apache-2.0
// ai-sdk.ts - Vercel AI SDK: a tool that hands over to an agent and returns its text. What a run remembers is kept with the message that began it;
// refusals are counted in the messages.

import { ai } from "./ai-sdk.framework.js";
import { BatonError } from "../errors.js";
import { FAILED_TEXT, Gate as BaseGate, handed } from "./gate.js";
import type { ApprovalQuestion, Run } from "./gate.js";

export type { GateOptions } from "./gate.js";

/** A handoff that was refused; the model gets the message. */
export class HandoffRefused extends Error {
  /** @param stop what the run ends with, where gate.stopWhen() is one of its conditions */
  constructor(text: string, readonly stop: BatonError | null) {
    super(text);
    this.name = "HandoffRefused";
  }

  /** The text alone: the AI SDK gives the model this form of an error. */
  override toString(): string {
    return this.message;
  }
}

interface Part {
  type: string;
  toolCallId?: string;
  output?: { type: string; value: unknown };
}

interface Message {
  role: string;
  content: string | Part[];
}

interface Execution {
  toolCallId: string;
  messages: Message[];
  abortSignal?: AbortSignal;
}

interface Step {
  content: { type: string; error?: unknown }[];
}

/** An agent that a handoff goes to, such as a ToolLoopAgent. */
export interface Target {
  id?: string;
  generate(options: { prompt: string; abortSignal?: AbortSignal }): PromiseLike<{ text: string }>;
}

function isOurs(part: Part): boolean {
  const value = part.output?.type === "error-text" ? part.output.value : null;
  return typeof value === "string" && (value.startsWith("Baton refused this handoff (") || value === FAILED_TEXT);
}

/** A gate for tools of generateText, streamText and agents. */
export class Gate extends BaseGate {
  private readonly calls = new WeakMap<object, Map<string, { run: Run; pair: string }>>();

  /** @internal What is kept of the run of a tool call: with its last message of a user, under the ids of the calls that were made since. */
  runOf(pair: string, { messages, toolCallId }: Execution): Run {
    const begin = messages.map((message) => message.role).lastIndexOf("user");
    const parts = messages.slice(begin + 1).flatMap((message) => (typeof message.content === "string" ? [] : message.content));
    const holder = messages[Math.max(begin, 0)] ?? {};
    if (!this.calls.has(holder)) this.calls.set(holder, new Map());
    const known = this.calls.get(holder)!;
    const callOf = (part: Part) => known.get(part.toolCallId ?? "");
    const run = parts.map(callOf).find((call) => call !== undefined)?.run ?? this.begin();
    known.set(toolCallId, { run, pair });
    run.refusals.set(pair, parts.filter((part) => isOurs(part) && callOf(part)?.pair === pair).length);
    return run;
  }

  /** Conditions for `stopWhen`: yours, and one that ends the run with Rejected after the last refusal. */
  stopWhen(...conditions: any[]): any[] {
    return [({ steps }: { steps: Step[] }) => {
      const errors = (steps[steps.length - 1]?.content ?? []).map((part) => part.error);
      const last = errors.find((error): error is HandoffRefused => error instanceof HandoffRefused && error.stop !== null);
      if (last) throw last.stop;
      return false;
    }, ...conditions];
  }

  /** A tool whose every call a person has to grant: `{ tool, toolApproval }`, the second for `toolApproval` under the tool's name. The call is shown as
   * `user-approval`; it runs when it is approved and a person has granted the request, and the grant is used up for exactly the command. */
  approvedTool(fields: { [field: string]: any; execute(input: any, options: any): unknown },
    question: ApprovalQuestion & { agent: string; operation: string; command(input: any): string }): { tool: any; toolApproval: (input: any, options: any) => Promise<object> } {
    const { operation, command, ...rest } = question;
    const request = (input: any, { toolCallId }: { toolCallId: string }) => this.requestApproval(operation, command(input), { ...rest, key: `ai-sdk:${toolCallId}`.replace(/[^A-Za-z0-9._:-]/g, "-").slice(0, 128) });
    return {
      tool: ai.tool({
        ...fields,
        execute: async (input: any, options: any) => {
          await this.useGrant(command(input), (await request(input, options)).id);
          return fields.execute(input, options);
        },
      }),
      toolApproval: async (input, options) => {
        const asked = await request(input, options);
        const shown = { baton: "approval", id: asked.id, fingerprint: asked.fingerprint, commands: [command(input)], operation, risk_level: rest.risk_level ?? "HIGH", rollback: rest.rollback, verification: rest.verification };
        return { type: "user-approval", reason: JSON.stringify(shown) };
      },
    };
  }
}

export interface HandoffToolOptions {
  target: Target;
  gate: Gate;
  /** The name of the target; default: its id. */
  name?: string;
  /** The name of the agent that hands over; default: "agent". */
  source?: string;
  description?: string;
}

/** A tool whose arguments are the brief: it hands over to `target` and returns its text. Refused: the model gets the text as an error and goes on. */
export function handoffTool(options: HandoffToolOptions): any {
  const { target, gate, source = "agent" } = options;
  const name = options.name ?? target.id;
  if (!name) throw new TypeError("the target has no id; give handoffTool() its name");
  const pair = `${gate.skill(source)} ${gate.skill(name)}`;
  return ai.tool({
    description: options.description ?? `Hand the work over to ${name}.`,
    inputSchema: ai.jsonSchema(gate.briefSchema()),
    execute: async (brief: unknown, execution: Execution) => {
      const run = gate.runOf(pair, execution);
      const decision = await gate.decide(brief, source, name, run, execution);
      if (!decision.accepted) throw new HandoffRefused(decision.text, decision.stop);
      return (await target.generate({ prompt: handed(decision, brief), ...(execution.abortSignal ? { abortSignal: execution.abortSignal } : {}) })).text;
    },
  });
}
