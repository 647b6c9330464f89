// SPDX-License-Identifier: Apache-2.0
// work.ts - what a piece of work is called and how many tokens its documents have, from the documents themselves.
import { askJson, askText } from "./api";
import type { Report } from "./types";
import { useAsk } from "./use";

export interface Work {
    title: string; // "": it does not say
    tokens: number | null; // null: not counted for its dialect
}

const HOPS_MAX = 40;
const TITLE_MAX = 120;

function at(value: unknown, path: string[]): unknown {
    return path.reduce<unknown>((now, name) => (typeof now === "object" && now !== null ? (now as Record<string, unknown>)[name] : undefined), value);
}

// The words with which a document says what it is about.
const TITLES = [
    ["handoff", "context", "summary"],
    ["handoff", "payload", "working", "ticket"],
    ["request", "description"],
    ["request", "task", "description"],
];

export function titleOf(text: string): string {
    try {
        const document = JSON.parse(text) as unknown;
        const found = TITLES.map((path) => at(document, path)).find((word) => typeof word === "string" && word.trim() !== "");
        return typeof found === "string" ? found.trim().slice(0, TITLE_MAX) : "";
    } catch {
        return "";
    }
}

export function tokensOf(report: Report): number | null {
    const exact = at(report.documents[0]?.facts, ["tokens", "exact"]);
    return typeof exact === "number" ? exact : null;
}

async function load(seq: number, signal: AbortSignal): Promise<[number, Work]> {
    const [text, report] = await Promise.all([
        askText(`/v1/handoffs/${seq}/document`, { signal, accept: "*/*" }).catch(() => ""),
        askJson<Report>(`/v1/handoffs/${seq}/report`, { signal }).catch(() => null),
    ]);
    return [seq, { title: titleOf(text), tokens: report ? tokensOf(report) : null }];
}

// By the number of the entry, for the first hops of a trace.
export function useWork(seqs: number[]): Map<number, Work> {
    const asked = seqs.slice(0, HOPS_MAX);
    const { data } = useAsk((signal) => Promise.all(asked.map((seq) => load(seq, signal))), ["work", asked]);
    return new Map(data ?? []);
}
