// SPDX-License-Identifier: Apache-2.0
// counts.ts - what pages make of the figures of the server: bars, agents, edges.
import type { Stats } from "./types";

const DAY_S = 86400;

export function number(value: number): string {
    return value.toLocaleString("en");
}

export function percent(part: number, whole: number): string {
    return whole === 0 ? "–" : `${((100 * part) / whole).toFixed(part * 10 < whole ? 1 : 0)} %`;
}

// Bars of equal length from the first to the last moment of the range; the server leaves out empty ones.
export function barsOf(stats: Stats, pick: (bucket: Stats["buckets"][number]) => number): [number[], number[]] {
    const since = Date.parse(stats.since) / 1000;
    const count = Math.max(1, Math.ceil((Date.parse(stats.until) / 1000 - since) / stats.bucket));
    const times = Array.from({ length: count }, (_, i) => since + i * stats.bucket);
    const values = times.map(() => 0);
    for (const bucket of stats.buckets) {
        const at = Math.floor((Date.parse(bucket.at) / 1000 - since) / stats.bucket);
        values[at] = (values[at] ?? 0) + pick(bucket);
    }
    return [times, values];
}

export interface Agent {
    name: string;
    today: Share;
    yesterday: Share;
    rates: (number | null)[]; // by hour, oldest first; null: nothing
}

export interface Share {
    count: number;
    rejected: number;
}

// The last 24 hours against the 24 before, from one answer.
export function agentsOf(stats: Stats): Agent[] {
    const until = Date.parse(stats.until);
    const hours = Math.max(1, Math.round((until - Date.parse(stats.since)) / 3600000));
    const agents = new Map<string, Agent>();
    for (const bucket of stats.buckets) {
        const at = Date.parse(bucket.at);
        const isToday = at >= until - DAY_S * 1000;
        for (const [name, count] of Object.entries(bucket.counts)) {
            const agent = agents.get(name) ?? {
                name,
                today: { count: 0, rejected: 0 },
                yesterday: { count: 0, rejected: 0 },
                rates: Array.from({ length: hours }, () => null),
            };
            const rejected = bucket.rejected?.[name] ?? 0;
            const share = isToday ? agent.today : agent.yesterday;
            share.count += count;
            share.rejected += rejected;
            agent.rates[Math.floor((at - Date.parse(stats.since)) / 3600000)] = rejected / count;
            agents.set(name, agent);
        }
    }
    return [...agents.values()].sort((a, b) => rate(b.today) - rate(a.today) || b.today.count - a.today.count);
}

export function rate({ count, rejected }: Share): number {
    return count > 0 ? rejected / count : 0;
}

export function words(share: Share): string {
    return share.count === 0 ? "–" : `${(100 * rate(share)).toFixed(1)} % of ${number(share.count)}`;
}

// Worse by more than a tenth of a percentage point, better, or the same.
export function trend({ today, yesterday }: Pick<Agent, "today" | "yesterday">): "worse" | "better" | "same" | "new" {
    if (yesterday.count === 0) {
        return "new";
    }
    const difference = rate(today) - rate(yesterday);
    return difference > 0.001 ? "worse" : difference < -0.001 ? "better" : "same";
}

export interface Edge {
    from: string;
    to: string;
    count: number;
    rejected: number;
}

// The busiest edges of the whole range, or of one part of it.
export function edgesOf(stats: Stats, part: number | null): Edge[] {
    const at = part === null ? null : Date.parse(stats.since) + part * stats.bucket * 1000;
    const bucket = at === null ? null : stats.buckets.find((found) => Date.parse(found.at) === at);
    const counts = at === null ? stats.total : (bucket?.counts ?? {});
    const rejected = at === null ? stats.rejected : bucket?.rejected;
    return Object.entries(counts)
        .map(([name, count]) => {
            const cut = name.indexOf(">");
            return { from: name.slice(0, cut), to: name.slice(cut + 1), count, rejected: rejected?.[name] ?? 0 };
        })
        .sort((a, b) => b.count - a.count);
}
