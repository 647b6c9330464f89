// SPDX-License-Identifier: Apache-2.0
// figures.ts - how many documents were accepted and rejected in the last five minutes, as the server counted them by
// its own clock. Entries about something else, such as deliveries, are recorded and do not count.
import type { Stats } from "./types";

export const BARS = 60;
export const BAR_S = 5;

export interface Bar {
    accepted: number;
    rejected: number;
}

export interface Figures {
    bars: Bar[]; // oldest first
    accepted: number;
    rejected: number;
    isPartial: boolean; // there are more entries than the server counts for one question: at least so many
}

export function figuresOf(stats: Stats): Figures {
    const bars: Bar[] = Array.from({ length: BARS }, () => ({ accepted: 0, rejected: 0 }));
    for (const { at, counts } of stats.buckets) {
        const bar = bars[Math.floor((Date.parse(at) - Date.parse(stats.since)) / 1000 / stats.bucket)];
        if (bar) {
            bar.accepted += counts["accepted"] ?? 0;
            bar.rejected += counts["rejected"] ?? 0;
        }
    }
    return {
        bars,
        accepted: stats.total["accepted"] ?? 0,
        rejected: stats.total["rejected"] ?? 0,
        isPartial: stats.partial,
    };
}
