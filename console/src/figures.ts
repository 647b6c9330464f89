// SPDX-License-Identifier: Apache-2.0
// figures.ts - how many documents were accepted and rejected in the last five minutes. Entries about
// something else, such as deliveries, have no verdict and do not count.
import type { Item } from "./types";

export const BARS = 60;
export const BAR_MS = 5000;

export interface Bar {
    accepted: number;
    rejected: number;
}

export interface Figures {
    bars: Bar[]; // oldest first
    accepted: number;
    rejected: number;
    isPartial: boolean; // there are older entries of these minutes that were not loaded
}

function ageOf(item: Item, now: number): number {
    return Math.max(0, Math.floor((now - Date.parse(item.entry.time)) / BAR_MS));
}

// Items are newest first.
export function figuresOf(items: Item[], now: number): Figures {
    const bars: Bar[] = Array.from({ length: BARS }, () => ({ accepted: 0, rejected: 0 }));
    for (const item of items) {
        const bar = bars[BARS - 1 - ageOf(item, now)];
        const { verdict } = item.entry;
        if (bar && (verdict === "accepted" || verdict === "rejected")) {
            bar[verdict]++;
        }
    }
    const oldest = items.at(-1);
    return {
        bars,
        accepted: bars.reduce((sum, bar) => sum + bar.accepted, 0),
        rejected: bars.reduce((sum, bar) => sum + bar.rejected, 0),
        isPartial: oldest !== undefined && oldest.seq > 0 && ageOf(oldest, now) < BARS,
    };
}
