// SPDX-License-Identifier: Apache-2.0
// time.ts - instants in the zone of the reader. An exact time names its zone; a short one has its date when that is
// not today's.

export interface Clock {
    zone: string | undefined; // undefined: that of the browser
    now: number;
}

// To make a format takes a hundred times as long as to use it, and a list has hundreds of times.
const formats = new Map<string | undefined, Intl.DateTimeFormat>();

function formatOf(zone: string | undefined): Intl.DateTimeFormat {
    const known = formats.get(zone);
    if (known) {
        return known;
    }
    const format = new Intl.DateTimeFormat("en-GB", {
        timeZone: zone,
        hourCycle: "h23",
        ...({ year: "numeric", month: "2-digit", day: "2-digit" } as const),
        ...({ hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short" } as const),
    });
    formats.set(zone, format);
    return format;
}

function partsOf(at: number, zone: string | undefined): Record<string, string> {
    return Object.fromEntries(formatOf(zone).formatToParts(at).map(({ type, value }) => [type, value]));
}

export function zoneName(zone?: string): string {
    return zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

// 2026-11-17 21:22:54 GMT+1
export function exactTime(at: number, zone?: string): string {
    const { year, month, day, hour, minute, second, timeZoneName } = partsOf(at, zone);
    return `${year}-${month}-${day} ${hour}:${minute}:${second} ${timeZoneName}`;
}

// 21:22:54, or 2026-11-16 21:22:54 on another day than now's.
export function shortTime(at: number, { zone, now }: Clock): string {
    const [date, time] = exactTime(at, zone).split(" ") as [string, string];
    return exactTime(now, zone).startsWith(date) ? time : `${date} ${time}`;
}

const UNITS: [number, string][] = [
    [86400, "d"],
    [3600, "h"],
    [60, "min"],
    [1, "s"],
];

// "3 min ago", "in 2 h", "now".
export function relativeTime(at: number, now: number): string {
    const seconds = Math.round(Math.abs(at - now) / 1000);
    const [size, unit] = UNITS.find(([least]) => seconds >= least) ?? [1, "s"];
    const words = `${Math.floor(seconds / size)} ${unit}`;
    return seconds === 0 ? "now" : at > now ? `in ${words}` : `${words} ago`;
}
