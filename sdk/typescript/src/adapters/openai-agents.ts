// SPDX-License-Identifier: Apache-2.0
// openai-agents.ts - OpenAI Agents SDK: a handoff whose arguments are the brief. What a run remembers is kept on the RunContext of the run.

import { agents } from "./openai-agents.framework.js";
import { Gate as BaseGate, handed, orStop } from "./gate.js";
import type { Run } from "./gate.js";

export type { GateOptions } from "./gate.js";

const KEPT = Symbol("baton");
const NOTICE = "Baton replaces the output of handoffs by a filter; the Agents SDK allows no filter together with conversationId or previousResponseId.";

/** What is kept of one run, and what became of the handoff that was invoked last. */
interface Kept {
  run: Run;
  output: string;
  isAccepted: boolean;
}

interface Named {
  name: string;
}

interface HandoffItem {
  type: string;
  rawItem: { type?: string; output?: unknown };
}

interface FilterData {
  newItems: HandoffItem[];
  runContext?: object;
}

/** A gate for handoffs of agents. */
export class Gate extends BaseGate {
  private hasTold = false;

  /** @internal What is kept of the run that a RunContext belongs to. */
  keptOf(context: object): Kept {
    const holder = context as { [KEPT]?: Map<Gate, Kept> };
    if (!holder[KEPT]) Object.defineProperty(holder, KEPT, { value: new Map() });
    const all = holder[KEPT]!;
    if (!all.has(this)) all.set(this, { run: this.begin(), output: "", isAccepted: false });
    return all.get(this)!;
  }

  /** @internal Say once what a filter excludes. */
  tellNotice(tell: (notice: string) => void): void {
    if (!this.hasTold) tell(NOTICE);
    this.hasTold = true;
  }
}

export interface GuardedHandoffOptions {
  toolNameOverride?: string;
  toolDescriptionOverride?: string;
  isEnabled?: unknown;
  /** Runs after the gate has put the handoff into its output item. */
  inputFilter?: (data: any) => any;
  /** Is told once what handoffs with a filter exclude; default: console.warn. */
  onNotice?: (notice: string) => void;
}

function readBrief(text: string): unknown {
  try {
    return JSON.parse(text || "{}");
  } catch {
    return {}; // refused by the schema of the brief
  }
}

/** Put `text` into the output of the handoff of this turn. */
function replaceOutput(data: FilterData, text: string): void {
  for (const item of data.newItems) {
    if (item.type === "handoff_output_item") item.rawItem.output = { type: "text", text };
  }
}

/** A handoff from `source` to `target` for source.handoffs. Refused: the source agent goes on, and the text is the output of the handoff. It has a filter,
 * and the framework allows none together with `conversationId` and `previousResponseId`. */
export function guardedHandoff(source: Named, target: Named, gate: Gate, options: GuardedHandoffOptions = {}): any {
  const { inputFilter, onNotice = console.warn, ...config } = options;
  gate.skill(source.name);
  gate.skill(target.name);
  gate.tellNotice(onNotice);
  return agents.handoff(target, config).clone({
    inputJsonSchema: gate.briefSchema(),
    strictJsonSchema: false,
    onInvokeHandoff: async (context: object, text: string) => {
      const kept = gate.keptOf(context);
      const brief = readBrief(text);
      const decision = orStop(await gate.decide(brief, source.name, target.name, kept.run, context));
      kept.isAccepted = decision.accepted;
      kept.output = decision.accepted ? handed(decision, brief) : decision.text;
      return decision.accepted ? target : source;
    },
    inputFilter: (data: FilterData) => {
      const kept = gate.keptOf(data.runContext!);
      replaceOutput(data, kept.output);
      return kept.isAccepted && inputFilter ? inputFilter(data) : data;
    },
  });
}
