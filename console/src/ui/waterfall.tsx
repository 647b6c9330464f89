// SPDX-License-Identifier: Apache-2.0
// waterfall.tsx - a trace to scale: each hop from its moment to the next one, on one axis of time.
import { useEffect, useRef, useState } from "preact/hooks";
import { href } from "../route";
import { gapText } from "../text";
import type { Hop, Trace } from "../types";
import { Text } from "./basic";

const ROW = 30;
const TICKS = 5;
const LEAST = 3; // pixels of a bar

function nameOf(hop: Hop): string {
    return `${hop.source ?? "?"} → ${hop.target ?? "?"}`;
}

export function Waterfall({ trace }: { trace: Trace }) {
    const place = useRef<HTMLDivElement>(null);
    const [room, setRoom] = useState(600);
    const [zoom, setZoom] = useState(1);
    useEffect(() => {
        const element = place.current;
        if (!element) {
            return;
        }
        const observer = new ResizeObserver(() => setRoom(Math.max(200, element.clientWidth - 8)));
        observer.observe(element);
        return () => observer.disconnect();
    }, []);
    const times = trace.hops.map((hop) => Date.parse(hop.time));
    const start = Math.min(...times);
    const length = Math.max(1, Math.max(...times) - start);
    const width = room * zoom;
    const x = (ms: number) => ((ms - start) / length) * (width - 12);
    const height = ROW * trace.hops.length + 22;
    return (
        <div class="waterfall">
            <ol class="waterfall-names">
                {trace.hops.map((hop) => (
                    <li key={hop.seq} title={nameOf(hop)}>
                        <a href={href("handoff", hop.seq)}>#{hop.seq}</a> <Text>{nameOf(hop)}</Text>
                    </li>
                ))}
            </ol>
            <div class="waterfall-plot" ref={place} tabIndex={0} role="region" aria-label="Waterfall, to scale">
                <svg width={width} height={height} role="img" aria-label="Hops to scale; the table below says the same">
                    {Array.from({ length: TICKS * zoom + 1 }, (_, i) => (
                        <g class="waterfall-tick">
                            <line x1={(i * (width - 12)) / (TICKS * zoom)} x2={(i * (width - 12)) / (TICKS * zoom)} y1="16" y2={height} />
                            <text
                                x={(i * (width - 12)) / (TICKS * zoom)}
                                y="11"
                                text-anchor={i === 0 ? "start" : i === TICKS * zoom ? "end" : "middle"}
                            >
                                {gapText((length * i) / (TICKS * zoom))}
                            </text>
                        </g>
                    ))}
                    {trace.hops.map((hop, i) => {
                        const from = times[i] ?? start;
                        const to = times[i + 1] ?? from;
                        return (
                            <g class={hop.verdict === "rejected" ? "bad" : "good"}>
                                <rect
                                    x={x(from)}
                                    y={22 + i * ROW + 6}
                                    width={Math.max(LEAST, x(Math.max(from, to)) - x(from))}
                                    height={ROW - 14}
                                    rx="3"
                                />
                            </g>
                        );
                    })}
                </svg>
            </div>
            <label class="waterfall-zoom">
                zoom{" "}
                <input
                    type="range"
                    min={1}
                    max={10}
                    value={zoom}
                    onInput={(event) => setZoom(Number(event.currentTarget.value))}
                />
            </label>
        </div>
    );
}
