// SPDX-License-Identifier: Apache-2.0
// work.ts - what a piece of work is called and how many tokens its documents have, from the documents themselves.
import { useEffect, useState } from "preact/hooks";
import { askJson, askText } from "./api";
import type { Item, Report } from "./types";
import { useAsk } from "./use";

export interface Work {
    title: string; // "": it does not say
    tokens: number | null; // null: not counted for its dialect
    budget: { limit: number; left: number } | null; // in tokens, of the chain that it belongs to
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
    ["context", "request", "description"],
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

export function budgetOf(report: Report): Work["budget"] {
    const [limit, left] = ["limit", "left"].map((name) => at(report.documents[0]?.facts, ["budget", "tokens", name]));
    return typeof limit === "number" && typeof left === "number" ? { limit, left } : null;
}

async function load(seq: number, signal: AbortSignal): Promise<[number, Work]> {
    const [text, report] = await Promise.all([
        askText(`/v1/handoffs/${seq}/document`, { signal, accept: "*/*" }).catch(() => ""),
        askJson<Report>(`/v1/handoffs/${seq}/report`, { signal }).catch(() => null),
    ]);
    return [seq, { title: titleOf(text), tokens: report && tokensOf(report), budget: report && budgetOf(report) }];
}

// By the number of the entry, for the first hops of a trace.
export function useWork(seqs: number[]): Map<number, Work> {
    const asked = seqs.slice(0, HOPS_MAX);
    const { data } = useAsk((signal) => Promise.all(asked.map((seq) => load(seq, signal))), ["work", asked]);
    return new Map(data ?? []);
}

// ---- Titles of many entries ----

const TITLED = ["universal", "governed"]; // dialects whose documents say what they are about
const SIZE_MAX = 65536; // of a document that is read for its title
const AT_ONCE = 6;
const ROWS_MAX = 60;
const PAUSE_MS = 400;
const KEPT_MAX = 2000;
const titles = new Map<number, string>(); // "": it has none

function hasTitle({ entry }: Item): boolean {
    return entry.kind === "handoff" && TITLED.includes(entry.dialect) && entry.document?.kept === true && entry.document.size <= SIZE_MAX;
}

// The titles of the first rows, a few at a time, so that a busy feed asks no more than a calm one.
export function useTitles(items: Item[]): Map<number, string> {
    const [, setTurn] = useState(0);
    const missing = items.slice(0, ROWS_MAX).filter((item) => hasTitle(item) && !titles.has(item.seq));
    const next = missing.slice(0, AT_ONCE).map((item) => item.seq);
    useEffect(() => {
        const stop = new AbortController();
        const timer = setTimeout(() => {
            const load = async (seq: number) => {
                const text = await askText(`/v1/handoffs/${seq}/document`, { signal: stop.signal, accept: "*/*" }).catch(() => "");
                if (!stop.signal.aborted) {
                    titles.set(seq, titleOf(text));
                }
            };
            void Promise.all(next.map(load)).then(() => stop.signal.aborted || setTurn((n) => n + 1));
        }, PAUSE_MS);
        while (titles.size > KEPT_MAX) {
            titles.delete(titles.keys().next().value as number);
        }
        return () => {
            stop.abort();
            clearTimeout(timer);
        };
    }, [next.join()]);
    return titles;
}

// Called when somebody else signs in, who may see other documents.
export function forgetTitles(): void {
    titles.clear();
}
