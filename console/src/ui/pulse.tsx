// SPDX-License-Identifier: Apache-2.0
// pulse.tsx - the last five minutes in bars, and the figures in words beside them.
import { useEffect, useState } from "preact/hooks";
import { BAR_MS, BARS, figuresOf } from "../figures";
import type { Item } from "../types";

const HEIGHT = 36;

export function Pulse({ items, size, isAll }: { items: Item[]; size: number; isAll: boolean }) {
    const [now, setNow] = useState(Date.now());
    useEffect(() => {
        const timer = setInterval(() => document.hidden || setNow(Date.now()), BAR_MS);
        return () => clearInterval(timer);
    }, []);
    const { bars, accepted, rejected, isPartial } = figuresOf(
        items,
        Math.max(now, Date.parse(items[0]?.entry.time ?? "") || 0),
    );
    const top = Math.max(1, ...bars.map((bar) => bar.accepted + bar.rejected));
    const least = isPartial ? "at least " : "";
    return (
        <div class="pulse">
            <dl class="figures">
                {isAll && (
                    <div>
                        <dt>entries in all</dt>
                        <dd>{size.toLocaleString("en")}</dd>
                    </div>
                )}
                <div>
                    <dt>accepted, last 5 min</dt>
                    <dd>
                        {least}
                        {accepted}
                    </dd>
                </div>
                <div>
                    <dt>rejected, last 5 min</dt>
                    <dd class={rejected ? "bad-text" : ""}>
                        {least}
                        {rejected}
                    </dd>
                </div>
            </dl>
            <svg
                class="bars"
                viewBox={`0 0 ${BARS * 6} ${HEIGHT}`}
                preserveAspectRatio="none"
                role="img"
                aria-label={`In the last five minutes ${least}${accepted} accepted and ${rejected} rejected`}
            >
                {bars.map((bar, i) => {
                    const goodHeight = (bar.accepted / top) * HEIGHT;
                    const badHeight = (bar.rejected / top) * HEIGHT;
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
