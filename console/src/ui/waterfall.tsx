// SPDX-License-Identifier: Apache-2.0
// waterfall.tsx - a trace to scale: what happened, from its moment to its end, on one axis of time.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Span } from "../join";
import { href } from "../route";
import { gapText } from "../text";
import { Text } from "./basic";

const ROW = 30;
const TICKS = 5;
const LEAST = 3; // pixels of a bar

export function Waterfall({ spans }: { spans: Span[] }) {
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
    const start = Math.min(...spans.map((span) => span.from));
    const length = Math.max(1, Math.max(...spans.map((span) => span.to)) - start);
    const width = room * zoom;
    const x = (ms: number) => ((ms - start) / length) * (width - 12);
    const height = ROW * spans.length + 22;
    return (
        <div class="waterfall">
            <ol class="waterfall-names">
                {spans.map((span) => (
                    <li key={`${span.kind}/${span.seq}`} title={`${span.kind} ${span.name}`}>
                        <a href={href("handoff", span.seq)}>#{span.seq}</a> {span.kind !== "handoff" && <span class="chip">{span.kind}</span>}{" "}
                        <Text>{span.name}</Text>
                    </li>
                ))}
            </ol>
            <div class="waterfall-plot" ref={place} tabIndex={0} role="region" aria-label="Waterfall, to scale">
                <svg width={width} height={height} role="img" aria-label="To scale; the names beside it and the table below say the same">
                    {Array.from({ length: TICKS * zoom + 1 }, (_, i) => (
                        <g class="waterfall-tick">
                            <line x1={(i * (width - 12)) / (TICKS * zoom)} x2={(i * (width - 12)) / (TICKS * zoom)} y1="16" y2={height} />
                            <text
                                x={(i * (width - 12)) / (TICKS * zoom)}
                                y="11"
                                text-anchor={i === 0 ? "start" : i === TICKS * zoom ? "end" : "middle"}
                            >
                                {gapText(Math.round((length * i) / (TICKS * zoom)))}
                            </text>
                        </g>
                    ))}
                    {spans.map((span, i) => (
                        <g class={`${span.isBad ? "bad" : "good"} ${span.kind === "handoff" ? "" : "joined"}`}>
                            <title>{gapText(span.to - span.from)}</title>
                            <rect
                                x={x(span.from)}
                                y={22 + i * ROW + 6}
                                width={Math.max(LEAST, x(span.to) - x(span.from))}
                                height={ROW - 14}
                                rx="3"
                            />
                        </g>
                    ))}
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
