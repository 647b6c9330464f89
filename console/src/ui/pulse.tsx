// SPDX-License-Identifier: Apache-2.0
// pulse.tsx - the last five minutes in bars, and the figures in words beside them.
import { useEffect, useState } from "preact/hooks";
import type { Item } from "../types";

const BARS = 60;
const BAR_MS = 5000;
const HEIGHT = 36;

interface Bar {
    good: number;
    bad: number;
}

function bars(items: Item[], now: number): Bar[] {
    const found: Bar[] = Array.from({ length: BARS }, () => ({ good: 0, bad: 0 }));
    for (const { entry } of items) {
        const age = Math.floor((now - Date.parse(entry.time)) / BAR_MS);
        const bar = found[BARS - 1 - Math.max(0, age)];
        if (bar) {
            bar[entry.verdict === "rejected" ? "bad" : "good"]++;
        }
    }
    return found;
}

export function Pulse({ items, size }: { items: Item[]; size: number }) {
    const [now, setNow] = useState(Date.now());
    useEffect(() => {
        const timer = setInterval(() => document.hidden || setNow(Date.now()), BAR_MS);
        return () => clearInterval(timer);
    }, []);
    const found = bars(items, Math.max(now, Date.parse(items[0]?.entry.time ?? "") || 0));
    const top = Math.max(1, ...found.map((bar) => bar.good + bar.bad));
    const good = found.reduce((sum, bar) => sum + bar.good, 0);
    const bad = found.reduce((sum, bar) => sum + bar.bad, 0);
    return (
        <div class="pulse">
            <dl class="figures">
                <div>
                    <dt>entries in all</dt>
                    <dd>{size.toLocaleString("en")}</dd>
                </div>
                <div>
                    <dt>passed, 5 min</dt>
                    <dd>{good}</dd>
                </div>
                <div>
                    <dt>rejected, 5 min</dt>
                    <dd class={bad ? "bad-text" : ""}>{bad}</dd>
                </div>
            </dl>
            <svg
                class="bars"
                viewBox={`0 0 ${BARS * 6} ${HEIGHT}`}
                preserveAspectRatio="none"
                role="img"
                aria-label={`In the last five minutes ${good} passed and ${bad} rejected`}
            >
                {found.map((bar, i) => {
                    const goodHeight = (bar.good / top) * HEIGHT;
                    const badHeight = (bar.bad / top) * HEIGHT;
                    return (
                        <>
                            <rect class="base" x={i * 6} y={HEIGHT - 1} width="5" height="1" />
                            <rect class="good" x={i * 6} y={HEIGHT - goodHeight} width="5" height={goodHeight} />
                            <rect
                                class="bad"
                                x={i * 6}
                                y={HEIGHT - goodHeight - badHeight}
                                width="5"
                                height={badHeight}
                            />
                        </>
                    );
                })}
            </svg>
        </div>
    );
}
