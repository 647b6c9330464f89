// SPDX-License-Identifier: Apache-2.0
// use.ts - ask when a page opens or its question changes; forget answers that come too late.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Problem } from "./api";
import { followStream } from "./stream";

export interface Asked<T> {
    data: T | null;
    problem: Problem | null;
    isLoading: boolean;
    again: () => void;
}

const NEWS_MS = 500; // the least time between two questions because of news
const REST = 9; // times as long as the last answer took: a question that is costly is asked less often
const RETRY_MS = 2000; // the first time between two tries; it doubles
const RETRY_MS_MAX = 15000;

// `on` is what the question is about: when it changes, the old answer is gone. `news` is a value that changes when the
// answer may have changed: then it is asked again, not while an answer is under way, at most every NEWS_MS and for at most
// a tenth of the time, and the old answer stays until the new one is here. What cannot be reached is tried again.
export function useAsk<T>(ask: (signal: AbortSignal) => Promise<T>, on: readonly unknown[], news?: unknown): Asked<T> {
    const [state, setState] = useState<{ data: T | null; problem: Problem | null; isLoading: boolean; key: string }>({
        data: null,
        problem: null,
        isLoading: true,
        key: "",
    });
    const [turn, setTurn] = useState(0);
    const again = useCallback(() => setTurn((n) => n + 1), []);
    const key = JSON.stringify(on);
    const known = useRef({ news, latest: news, isBusy: true, failures: 0, next_ms: 0 });
    known.current.latest = news;
    useEffect(() => {
        const stop = new AbortController();
        let timer: ReturnType<typeof setTimeout> | undefined;
        const now = known.current;
        const begin_ms = performance.now();
        const end = () => {
            const taken_ms = performance.now() - begin_ms;
            now.next_ms = begin_ms + taken_ms * (1 + REST);
            now.isBusy = false;
        };
        now.news = now.latest;
        now.isBusy = true;
        setState((was) => ({ ...was, data: was.key === key ? was.data : null, isLoading: true, key }));
        ask(stop.signal).then(
            (data) => {
                if (!stop.signal.aborted) {
                    end();
                    now.failures = 0;
                    setState({ data, problem: null, isLoading: false, key });
                }
            },
            (error: unknown) => {
                if (!stop.signal.aborted) {
                    const problem =
                        error instanceof Problem ? error : new Problem(0, { code: "CONSOLE", detail: String(error) });
                    end();
                    if (problem.code === "UNREACHABLE") {
                        timer = setTimeout(again, Math.min(RETRY_MS * 2 ** now.failures++, RETRY_MS_MAX));
                    }
                    setState((was) => ({ ...was, problem, isLoading: false, key }));
                }
            },
        );
        return () => {
            stop.abort();
            clearTimeout(timer);
        };
    }, [key, turn]);
    useEffect(() => {
        const timer = setInterval(() => {
            const { news: asked, latest, isBusy, next_ms } = known.current;
            if (asked !== latest && !isBusy && performance.now() >= next_ms && !document.hidden) {
                again();
            }
        }, NEWS_MS);
        return () => clearInterval(timer);
    }, []);
    return { ...state, again };
}

// Ask again soon after something happened, but once for many things that happen together.
export function useEvents(path: string, ms: number, again: () => void): void {
    useFollow(path, ms, again);
}

// The same, and each event is passed on.
export function useFollow(path: string, ms: number, again: () => void, onData?: (data: string) => void): void {
    const taker = useRef(onData);
    taker.current = onData;
    useEffect(() => {
        const stop = new AbortController();
        let timer: ReturnType<typeof setTimeout> | undefined;
        const soon = () => {
            timer ??= setTimeout(() => {
                timer = undefined;
                again();
            }, ms);
        };
        void followStream({
            path: () => path,
            after: null,
            signal: stop.signal,
            onEvent: (event) => {
                taker.current?.(event.data);
                soon();
            },
            onState: (state) => (state === "live" || state === "lost") && soon(),
        });
        return () => {
            stop.abort();
            clearTimeout(timer);
        };
    }, [path, ms, again]);
}

// Ask again every so often, while the page can be seen.
export function useEvery(ms: number, again: () => void): void {
    useEffect(() => {
        const timer = setInterval(() => document.hidden || again(), ms);
        return () => clearInterval(timer);
    }, [ms, again]);
}

// The time, as it goes on.
export function useNow(ms: number): number {
    const [now, setNow] = useState(Date.now);
    useEvery(
        ms,
        useCallback(() => setNow(Date.now()), []),
    );
    return now;
}
