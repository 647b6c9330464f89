// SPDX-License-Identifier: Apache-2.0
// use.ts - ask when a page opens or its question changes; forget answers that come too late.
import { useCallback, useEffect, useState } from "preact/hooks";
import { Problem } from "./api";
import { followStream } from "./stream";

export interface Asked<T> {
    data: T | null;
    problem: Problem | null;
    isLoading: boolean;
    again: () => void;
}

export function useAsk<T>(ask: (signal: AbortSignal) => Promise<T>, on: readonly unknown[]): Asked<T> {
    const [state, setState] = useState<{ data: T | null; problem: Problem | null; isLoading: boolean; key: string }>({
        data: null,
        problem: null,
        isLoading: true,
        key: "",
    });
    const [turn, setTurn] = useState(0);
    const again = useCallback(() => setTurn((n) => n + 1), []);
    const key = JSON.stringify(on);
    useEffect(() => {
        const stop = new AbortController();
        setState((was) => ({ ...was, data: was.key === key ? was.data : null, isLoading: true, key }));
        ask(stop.signal).then(
            (data) => stop.signal.aborted || setState({ data, problem: null, isLoading: false, key }),
            (error: unknown) => {
                if (!stop.signal.aborted) {
                    const problem =
                        error instanceof Problem ? error : new Problem(0, { code: "CONSOLE", detail: String(error) });
                    setState((was) => ({ ...was, problem, isLoading: false, key }));
                }
            },
        );
        return () => stop.abort();
    }, [key, turn]);
    return { ...state, again };
}

// Ask again soon after something happened, but once for many things that happen together.
export function useEvents(path: string, ms: number, again: () => void): void {
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
            onEvent: soon,
            onState: (state) => state === "live" && soon(),
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
