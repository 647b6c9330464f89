// SPDX-License-Identifier: Apache-2.0
// join.ts - what belongs to a trace besides its handoffs: deliveries, calls of wrapped tools, requests for consent.
import { askJson, query } from "./api";
import type { Entry, Item, Listing, ToolCall, Trace } from "./types";
import { useAsk } from "./use";

export interface Span {
    seq: number; // of the entry that it leads to
    kind: "handoff" | "delivery" | "tool call" | "approval";
    name: string;
    from: number; // milliseconds
    to: number;
    isBad: boolean;
}

const LIMIT = 500;

// How a delivery ended; a retry is recorded as a failure with that reason.
export function deliveryWord({ refs }: Entry): string {
    return refs?.["event"] === "failed" && refs["reason"] === "retried" ? "retried" : String(refs?.["event"] ?? "");
}

function refOf({ entry }: Item, name: string): string {
    return String(entry.refs?.[name] ?? "");
}

// A handoff lasts until the next one.
function handoffsOf({ hops }: Trace): Span[] {
    return hops.map((hop, i) => {
        const from = Date.parse(hop.time);
        return {
            seq: hop.seq,
            kind: "handoff",
            name: `${hop.source ?? "?"} → ${hop.target ?? "?"}`,
            from,
            to: Math.max(from, Date.parse(hops[i + 1]?.time ?? hop.time)),
            isBad: hop.verdict === "rejected",
        };
    });
}

// One for each request of the trace, from the request to what was decided.
function approvalsOf(entries: Item[], parents: Set<string>): Span[] {
    const ids = new Set(entries.filter((item) => parents.has(refOf(item, "parent"))).map((item) => refOf(item, "approval")));
    return [...ids].flatMap((id) => {
        const events = entries.filter((item) => refOf(item, "approval") === id);
        const [first, last] = [events[0], events.at(-1)];
        return first && last
            ? [
                  {
                      seq: last.seq,
                      kind: "approval" as const,
                      name: refOf(last, "event").toLowerCase(),
                      from: Date.parse(first.entry.time),
                      to: Date.parse(last.entry.time),
                      isBad: ["REJECTED", "EXPIRED", "REVOKED"].includes(refOf(last, "event")),
                  },
              ]
            : [];
    });
}

// In the order of time; entries may come in any order.
export function join(trace: Trace, deliveries: Item[], approvals: Item[], calls: ToolCall[]): Span[] {
    const parents = new Set(trace.hops.map((hop) => String(hop.seq)));
    const bySeq = (a: Item, b: Item) => a.seq - b.seq;
    const spans: Span[] = [
        ...handoffsOf(trace),
        ...deliveries
            .filter((item) => parents.has(refOf(item, "parent")))
            .map((item): Span => {
                const at = Date.parse(item.entry.time);
                const word = deliveryWord(item.entry);
                const name = `#${refOf(item, "parent")} ${word}`;
                return { seq: item.seq, kind: "delivery", name, from: at, to: at, isBad: ["failed", "dead"].includes(word) };
            }),
        ...approvalsOf([...approvals].sort(bySeq), parents),
        ...calls
            .filter((call) => call.trace_id === trace.trace_id)
            .map((call): Span => {
                const to = Date.parse(call.time);
                const name = `${[call.server, call.tool].filter(Boolean).join("/")} ${call.event}`;
                return { seq: call.seq, kind: "tool call", name, from: to - (call.ms ?? 0), to, isBad: !["returned", "replayed"].includes(call.event) };
            }),
    ];
    return spans.sort((a, b) => a.from - b.from || a.seq - b.seq);
}

// What cannot be asked for, because the viewer may not see it, is left out.
export function useJoined(trace: Trace | null, news: unknown): Span[] {
    const { data } = useAsk(
        async (signal) => {
            if (!trace) {
                return [];
            }
            const since = new Date(Date.parse(trace.started) - 1000).toISOString();
            const list = (kind: string) =>
                askJson<Listing>(`/v1/handoffs${query({ kind, since, order: "asc", limit: LIMIT })}`, { signal })
                    .then(({ entries }) => entries)
                    .catch(() => []);
            const calls = askJson<{ calls: ToolCall[] }>(`/v1/wrap/calls${query({ since, limit: LIMIT })}`, { signal })
                .then((found) => found.calls)
                .catch(() => []);
            return join(trace, ...(await Promise.all([list("delivery"), list("approval"), calls])));
        },
        ["joined", trace?.trace_id, trace?.hops.length],
        news,
    );
    return data ?? (trace ? join(trace, [], [], []) : []);
}
