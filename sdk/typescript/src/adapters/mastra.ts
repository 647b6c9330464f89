// SPDX-License-Identifier: Apache-2.0
// mastra.ts - Mastra: hooks of a run that look at each delegation to another agent. What a run remembers is kept in the hooks of that run. Nothing of the
// framework is imported.

import type { BatonError } from "../errors.js";
import { briefOf, Gate as BaseGate, handed } from "./gate.js";

export type { GateOptions } from "./gate.js";

interface DelegationStart {
  primitiveId: string;
  prompt: string;
  runId: string;
  parentAgentId: string;
  parentAgentName: string;
}

interface Runnable {
  generate(messages: any, options: any): Promise<any>;
}

/** A gate for delegations of agents. */
export class Gate extends BaseGate {
  /** For `delegation` of generate() and stream(); call it for each run. After the last refusal every delegation of the run is stopped with Rejected, which
   * Mastra tells the model as a failed tool; generate() of this gate ends the run. */
  delegation(onStop: (stop: BatonError) => void = () => undefined): any {
    const run = this.begin();
    let stop: BatonError | null = null;
    return {
      hookErrorStrategy: "throw", // by default a delegation passes when its hook fails
      onDelegationStart: async (context: DelegationStart) => {
        if (stop) throw stop;
        const brief = briefOf(context.prompt);
        const decision = await this.decide(brief, context.parentAgentId || context.parentAgentName, context.primitiveId, run, context);
        if (decision.stop) {
          stop = decision.stop;
          onStop(stop);
          throw stop;
        }
        return decision.accepted ? { proceed: true, modifiedPrompt: handed(decision, brief) } : { proceed: false, rejectionReason: decision.text };
      },
    };
  }

  /** `agent.generate(messages, options)` with this gate. Rejected: a handoff was refused for the last time, and the run was ended. */
  async generate(agent: Runnable, messages: unknown, options: Record<string, unknown> = {}): Promise<any> {
    const controller = new AbortController();
    const given = options["abortSignal"] as AbortSignal | undefined;
    let stopped: BatonError | null = null;
    const stop = (why: BatonError): void => {
      stopped = why;
      controller.abort(why);
    };
    const abort = (): void => controller.abort(given!.reason);
    if (given?.aborted) abort();
    given?.addEventListener("abort", abort, { once: true });
    try {
      const result = await agent.generate(messages, { ...options, abortSignal: controller.signal, delegation: this.delegation(stop) });
      if (!stopped) return result;
    } catch (why) {
      if (!stopped) throw why;
    } finally {
      given?.removeEventListener("abort", abort);
    }
    throw stopped;
  }
}
