// SPDX-License-Identifier: Apache-2.0
// consent.ts - what a person sees before deciding about a request: every text that the grant would
// cover, in full, and then what the agent says about it.
import type { Approval } from "./types";

export interface Fact {
    title: string;
    text: string; // "" when the request says nothing
}

const SHOWN = ["operation", "exact_content", "command_set", "scope", "risk_level", "rollback", "verification"];

export function asText(value: unknown): string {
    return typeof value === "string"
        ? value
        : value === undefined || value === null
          ? ""
          : JSON.stringify(value, null, 2);
}

// The texts that the grant covers. Where the server does not list them, the payload tells: a
// command_set replaces exact_content.
export function commandsOf(approval: Approval): string[] {
    if (approval.commands) {
        return approval.commands;
    }
    const payload = approval.payload ?? {};
    const set = payload["command_set"] ?? null;
    if (set !== null) {
        return (Array.isArray(set) ? set : [set]).map(asText);
    }
    const exact = asText(payload["exact_content"] ?? approval.exact_content);
    return exact === "" ? [] : [exact];
}

// What else the sealed payload says, in the order in which it is shown.
export function factsOf(approval: Approval): Fact[] {
    const payload = approval.payload ?? {};
    const facts = [
        { title: "Operation", text: asText(payload["operation"]) },
        { title: "Scope", text: asText(payload["scope"]) },
        { title: "Risk", text: asText(payload["risk_level"]) },
        { title: "Rollback", text: asText(payload["rollback"]) },
        { title: "Verification", text: asText(payload["verification"]) },
        { title: "Fingerprint", text: approval.fingerprint },
    ];
    const exact = asText(payload["exact_content"]);
    if (exact !== "" && !commandsOf(approval).includes(exact)) {
        facts.push({ title: "exact_content, which is not what is granted", text: exact });
    }
    for (const [name, value] of Object.entries(payload)) {
        if (!SHOWN.includes(name)) {
            facts.push({ title: name, text: asText(value) });
        }
    }
    return facts;
}

export function countText(commands: string[]): string {
    return commands.length === 1 ? "this command" : `these ${commands.length} commands`;
}

// "34 bytes", and the number of lines where there are several: what is long cannot look short.
export function sizeText(command: string): string {
    const bytes = new TextEncoder().encode(command).length;
    const lines = command.split("\n").length;
    return `${bytes} ${bytes === 1 ? "byte" : "bytes"}${lines > 1 ? `, ${lines} lines` : ""}`;
}

export type Order = "given" | "risk" | "expires";

const RISKS = ["LOW", "MEDIUM", "HIGH", "CRITICAL"];

// A risk that is not stated, or not known, is not a small one.
function riskOf(approval: Approval): number {
    const at = RISKS.indexOf(asText(approval.risk_level));
    return at < 0 ? RISKS.length : at;
}

// What waits stands before what is decided, however it is sorted; every word of the filter must be there.
export function arrange(approvals: Approval[], order: Order, filter: string): Approval[] {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
    const found = approvals.filter((approval) => {
        const text = [approval.id, approval.status, approval.agent_id, asText(approval.operation), asText(approval.risk_level)].join(" ").toLowerCase();
        return words.every((word) => text.includes(word));
    });
    const isDecided = (approval: Approval) => Number(approval.status !== "pending");
    const compare = {
        given: () => 0,
        risk: (a: Approval, b: Approval) => isDecided(a) - isDecided(b) || riskOf(b) - riskOf(a),
        expires: (a: Approval, b: Approval) => isDecided(a) - isDecided(b) || Date.parse(a.expires_at) - Date.parse(b.expires_at),
    }[order];
    return [...found].sort(compare);
}
