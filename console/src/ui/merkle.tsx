// SPDX-License-Identifier: Apache-2.0
// merkle.tsx - the way from an entry to the root, level by level, as this browser computed it.
import { same, toHex } from "../verify/bytes";
import type { Way } from "../verify/receipt";
import { Copy } from "./basic";

const SHOWN = 10; // digits of a hash in a box
const WIDTH = 340;
const BOX = 104; // three of them stand side by side
const ROW = 46;
const DELAY_MS = 110; // between two levels that light up

function Box({ x, y, hash, kind, title, at }: { x: number; y: number; hash: string; kind: string; title: string; at: number }) {
    return (
        <g class={`merkle-box ${kind}`} style={{ animationDelay: `${at * DELAY_MS}ms` }}>
            <title>{`${title}: ${hash}`}</title>
            <rect x={x} y={y} width={BOX} height="26" rx="5" />
            <text x={x + BOX / 2} y={y + 17} text-anchor="middle">
                {hash.slice(0, SHOWN)}…
            </text>
        </g>
    );
}

// The hash of the entry at the bottom; at each level its sibling from the proof, and above both what they make.
export function MerklePath({ way }: { way: Way }) {
    const levels = way.path.length;
    const height = (levels + 1) * ROW + 4;
    const y = (level: number) => height - 30 - level * ROW;
    const middle = (WIDTH - BOX) / 2;
    const made = way.path.at(-1)?.made ?? way.leaf;
    const isRight = same(made, way.root);
    const root = toHex(way.root);
    return (
        <figure class="merkle">
            <svg viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={`${levels} levels from the entry to the root, which ${isRight ? "is" : "is not"} the one that is signed`}>
                {way.path.map((step, i) => {
                    const side = step.isLeft ? 0 : WIDTH - BOX;
                    const kind = i === levels - 1 ? (isRight ? "good" : "bad") : "made";
                    return (
                        <g key={i}>
                            <path
                                class={`merkle-line ${kind}`}
                                d={`M${middle + BOX / 2},${y(i)} V${y(i + 1) + 26} M${side + BOX / 2},${y(i)} L${middle + BOX / 2},${y(i + 1) + 28}`}
                                style={{ animationDelay: `${(i + 1) * DELAY_MS}ms` }}
                            />
                            <Box x={side} y={y(i)} hash={toHex(step.sibling)} kind="sibling" title="from the proof" at={i} />
                            <Box x={middle} y={y(i + 1)} hash={toHex(step.made)} kind={kind} title={i === levels - 1 ? "root" : "computed"} at={i + 1} />
                        </g>
                    );
                })}
                <Box x={middle} y={y(0)} hash={toHex(way.leaf)} kind={levels === 0 ? (isRight ? "good" : "bad") : "made"} title="hash of the entry" at={0} />
            </svg>
            <figcaption class="muted small">
                {isRight ? "The top is the root that is signed" : "The top is not the root that is signed"}: <span class="mono">{root.slice(0, 16)}…</span>{" "}
                <Copy value={root} name="the root" />
            </figcaption>
        </figure>
    );
}
