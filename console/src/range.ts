// SPDX-License-Identifier: Apache-2.0
// range.ts - a range of time as the address says it: a length that ends now, or two instants.
import type { Query } from "./route";

export interface Range {
    name: string; // "1h", or "" for two instants
    since: number;
    until: number;
    bucket: number; // seconds
}

// The length, its name, and that of a bar.
export const LENGTHS: [string, string, number, number][] = [
    ["15m", "15 minutes", 900, 30],
    ["1h", "1 hour", 3600, 60],
    ["6h", "6 hours", 21600, 300],
    ["24h", "24 hours", 86400, 3600],
    ["7d", "7 days", 604800, 10800],
    ["30d", "30 days", 2592000, 21600],
];
const DEFAULT = "1h";
const BARS = 120;
const DAYS_MAX = 31;

export function rangeOf(query: Query, now: number): Range {
    const since = Date.parse(query["since"] ?? "");
    const until = Date.parse(query["until"] ?? "");
    if (until > since && until - since <= DAYS_MAX * 86400000) {
        return { name: "", since, until, bucket: Math.max(1, Math.ceil((until - since) / 1000 / BARS)) };
    }
    const [name, , length, bucket] = (LENGTHS.find(([word]) => word === query["range"]) ??
        LENGTHS.find(([word]) => word === DEFAULT)) as (typeof LENGTHS)[number];
    return { name, since: now - length * 1000, until: now, bucket };
}

export function instant(ms: number): string {
    return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

// What the address of a view of this range has.
export function rangeQuery(range: Range): Query {
    return range.name ? { range: range.name } : { since: instant(range.since), until: instant(range.until) };
}

// What the server is asked for.
export function rangeParams(range: Range): Record<string, string | number | undefined> {
    return { since: instant(range.since), until: range.name ? undefined : instant(range.until), bucket: range.bucket };
}

export function rangeWords(range: Range): string {
    return range.name ? `the last ${LENGTHS.find(([word]) => word === range.name)?.[1] ?? ""}` : "this range";
}
