// SPDX-License-Identifier: Apache-2.0
// lanes.tsx - a trace in time: one lane for each agent, one arrow for each hop, down the page.
import { useMemo } from "preact/hooks";
import { href } from "../route";
import { gapText } from "../text";
import { exactTime } from "../time";
import type { Hop, Trace } from "../types";

const LEFT = 72;
const TOP = 44;
const STEP = 38;
const NAME_MAX = 22;
const LANE_MIN = 120;

// In the order in which they first had the work.
function order(trace: Trace): string[] {
    const named = trace.hops.flatMap((hop) => [hop.source, hop.target]).filter((name): name is string => !!name);
    return [...new Set([...named, ...trace.agents])];
}

function short(name: string): string {
    return name.length > NAME_MAX ? `${name.slice(0, NAME_MAX - 1)}…` : name;
}

interface RowProps {
    hop: Hop;
    y: number;
    place: (name: string | null | undefined) => number | null;
}

function HopRow({ hop, y, place }: RowProps) {
    const from = place(hop.source);
    const to = place(hop.target) ?? from;
    const tone = hop.verdict === "rejected" ? "bad" : "good";
    const sign = hop.verdict === "rejected" ? "✕" : "✓";
    const time = exactTime(Date.parse(hop.time)).slice(11, 19);
    const gap = hop.gap_ms == null ? "" : `+${gapText(hop.gap_ms)}`;
    // What is seen comes first, so that it can also be said to find the link.
    const words = `${[time, gap, sign].filter(Boolean).join(" ")} #${hop.seq} ${hop.source ?? "?"} to ${hop.target ?? "?"}, ${hop.verdict}`;
    return (
        <a href={href("handoff", hop.seq)} class={`hop ${tone}`} aria-label={words}>
            <rect class="hit" x="0" y={y - STEP / 2 + 2} width="100%" height={STEP - 4} rx="6" />
            <text class="hop-time" x="8" y={y - 1}>
                {time}
            </text>
            <text class="hop-gap" x="8" y={y + 12}>
                {gap}
            </text>
            {from !== null && to !== null && from !== to && (
                <path d={`M${from},${y} H${to + (to > from ? -7 : 7)}`} marker-end={`url(#hop-${tone})`} />
            )}
            {from !== null && from === to && (
                <path d={`M${from},${y - 7} h26 v14 h-19`} marker-end={`url(#hop-${tone})`} />
            )}
            {from !== null && <circle cx={from} cy={from === to ? y - 7 : y} r="4" />}
            {from !== null && to !== null && (
                <text
                    class="hop-sign"
                    x={from === to ? from + 34 : (from + to) / 2}
                    y={from === to ? y + 4 : y - 5}
                    text-anchor={from === to ? "start" : "middle"}
                >
                    {sign} #{hop.seq}
                </text>
            )}
        </a>
    );
}

export function Lanes({ trace }: { trace: Trace }) {
    const names = useMemo(() => order(trace), [trace]);
    const lane = Math.max(LANE_MIN, ...names.map((name) => short(name).length * 7.4 + 16));
    const width = LEFT + lane * names.length + 24;
    const height = TOP + STEP * trace.hops.length + 12;
    const place = (name: string | null | undefined) => (name ? LEFT + lane * (names.indexOf(name) + 0.5) : null);
    return (
        <div class="graph" role="region" aria-label="Timeline" tabIndex={0}>
            <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} class="lanes">
                <defs>
                    {["good", "bad"].map((tone) => (
                        <marker
                            id={`hop-${tone}`}
                            viewBox="0 0 8 8"
                            refX="2"
                            refY="4"
                            markerWidth="7"
                            markerHeight="7"
                            orient="auto"
                        >
                            <path class={`arrow-head ${tone}`} d="M0,0 8,4 0,8z" />
                        </marker>
                    ))}
                </defs>
                {names.map((name) => (
                    <g class="lane">
                        <text x={place(name) ?? 0} y="20" text-anchor="middle">
                            {short(name)}
                        </text>
                        <line x1={place(name) ?? 0} x2={place(name) ?? 0} y1="30" y2={height - 6} />
                    </g>
                ))}
                {trace.hops.map((hop, i) => (
                    <HopRow key={hop.seq} hop={hop} y={TOP + STEP * (i + 0.5)} place={place} />
                ))}
            </svg>
        </div>
    );
}
