// SPDX-License-Identifier: Apache-2.0
// live.ts - the one stream of entries that all pages look at. It begins behind the newest entry that
// was listed, so that between list and stream nothing is lost.
import { useEffect, useState } from "preact/hooks";
import { askJson, Problem, query } from "./api";
import { followStream, type Connection } from "./stream";
import type { Item, Listing } from "./types";

export const KEPT_MAX = 1000;
const BATCH_MS = 400; // each batch draws the list anew, which takes the time of several frames
const FIRST = 100;

export interface Live {
    items: Item[]; // newest first
    size: number; // of the ledger, as far as seen
    listed: number; // size when the stream began
    seen: number; // entries that came by it
    state: Connection;
    problem: Problem | null;
    isLoaded: boolean;
}

const nothing: Live = { items: [], size: 0, listed: 0, seen: 0, state: "connecting", problem: null, isLoaded: false };

class LiveStore {
    private now: Live = nothing;
    private waiting: Item[] = [];
    private timer: ReturnType<typeof setTimeout> | null = null;
    private stop: AbortController | null = null;
    private readonly listeners = new Set<(live: Live) => void>();

    get current(): Live {
        return this.now;
    }

    subscribe(listener: (live: Live) => void): () => void {
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
    }

    // Begin again, as the principal of the present token.
    restart(): void {
        this.stop?.abort();
        this.stop = new AbortController();
        this.waiting = [];
        this.set(nothing);
        void this.run(this.stop.signal);
    }

    private set(change: Partial<Live>): void {
        this.now = { ...this.now, ...change };
        this.listeners.forEach((listener) => listener(this.now));
    }

    private async list(signal: AbortSignal): Promise<Listing | null> {
        for (let wait = 1000; !signal.aborted; wait = Math.min(wait * 2, 15000)) {
            try {
                return await askJson<Listing>(`/v1/handoffs${query({ limit: FIRST })}`, { signal });
            } catch (error) {
                if (signal.aborted) {
                    return null;
                }
                const problem = error instanceof Problem ? error : null;
                const isFinal = problem !== null && [400, 401, 403, 404].includes(problem.status);
                this.set({ state: isFinal ? "refused" : "lost", problem });
                if (isFinal) {
                    return null;
                }
            }
            await new Promise((resolve) => setTimeout(resolve, wait));
        }
        return null;
    }

    private async run(signal: AbortSignal): Promise<void> {
        const listing = await this.list(signal);
        if (!listing || signal.aborted) {
            return;
        }
        this.set({ items: listing.entries, size: listing.size, listed: listing.size, isLoaded: true, problem: null });
        // An empty ledger has no entry to begin behind: what came before the stream began is listed again.
        let isBlind = listing.size === 0;
        await followStream({
            path: (after) => `/v1/handoffs/stream${query({ after: after ?? undefined })}`,
            after: listing.size > 0 ? String(listing.size - 1) : null,
            signal,
            onState: (state, problem) => {
                if (signal.aborted) {
                    return;
                }
                this.set({ state, problem: problem ?? null });
                if (state === "live" && isBlind) {
                    isBlind = false;
                    void this.list(signal).then((late) => late && this.add(late.entries));
                }
            },
            onEvent: (event) => event.event === "entry" && this.take(event.data),
        });
    }

    private take(data: string): void {
        this.waiting.push(JSON.parse(data) as Item);
        this.timer ??= setTimeout(() => this.flush(), BATCH_MS);
    }

    private flush(): void {
        this.timer = null;
        const fresh = this.waiting;
        this.waiting = [];
        this.add(fresh);
    }

    // Each entry once, newest first, whichever way it came.
    private add(fresh: Item[]): void {
        const known = new Set(this.now.items.map((item) => item.seq));
        const added = fresh.filter((item) => !known.has(item.seq));
        if (added.length > 0) {
            const items = [...added, ...this.now.items].sort((a, b) => b.seq - a.seq).slice(0, KEPT_MAX);
            this.set({
                items,
                size: Math.max(this.now.size, (items[0] as Item).seq + 1),
                seen: this.now.seen + added.length,
            });
        }
    }
}

export const live = new LiveStore();

export function useLive(): Live {
    const [now, setNow] = useState(live.current);
    useEffect(() => {
        setNow(live.current);
        return live.subscribe(setNow);
    }, []);
    return now;
}

// A number that grows whenever an entry of this kind comes, for pages that show what it changes.
export function useArrivals(kind: string): number {
    const { items } = useLive();
    return items.find((item) => item.entry.kind === kind)?.seq ?? -1;
}
