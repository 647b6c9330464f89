// SPDX-License-Identifier: Apache-2.0
/** The part of `@openai/agents` that the adapter uses. */
export declare const agents: { handoff(agent: unknown, config: object): { clone(overrides: object): any } };
