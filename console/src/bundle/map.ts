// SPDX-License-Identifier: Apache-2.0
// map.ts - who handed to whom: a drawing with the agents on a circle, and the pairs as rows.
import { readEntry, type Bundle } from "./data";

const SVG = "http://www.w3.org/2000/svg";
const AGENTS_MAX = 24; // more would not be readable; the table has all
const WIDTH = 760;
const HEIGHT = 420;

export interface Pair {
    source: string;
    target: string;
    accepted: number;
    rejected: number;
    recorded: number;
}

function draw(name: string, attributes: Record<string, string | number>, text = ""): SVGElement {
    const made = document.createElementNS(SVG, name);
    for (const [attribute, value] of Object.entries(attributes)) {
        made.setAttribute(attribute, `${value}`);
    }
    made.append(text);
    return made;
}

function pairsOf(bundle: Bundle): Pair[] {
    const pairs = new Map<string, Pair>();
    for (const { entry: text } of bundle.entries) {
        const entry = readEntry(text);
        if (!entry?.source || !entry.target) {
            continue;
        }
        const { source, target, verdict } = entry;
        const key = `${source} ${target}`;
        const pair = pairs.get(key) ?? { source, target, accepted: 0, rejected: 0, recorded: 0 };
        pair[verdict === "accepted" ? "accepted" : verdict === "rejected" ? "rejected" : "recorded"]++;
        pairs.set(key, pair);
    }
    return [...pairs.values()];
}

function totalOf(pair: Pair): number {
    return pair.accepted + pair.rejected + pair.recorded;
}

export function graphOf(bundle: Bundle): { drawing: SVGElement; pairs: Pair[] } {
    const pairs = pairsOf(bundle);
    const agents = [...new Set(pairs.flatMap(({ source, target }) => [source, target]))].slice(0, AGENTS_MAX);
    const places = new Map(
        agents.map((name, i) => {
            const angle = (2 * Math.PI * i) / agents.length - Math.PI / 2;
            return [name, { x: WIDTH / 2 + 250 * Math.cos(angle), y: HEIGHT / 2 + 160 * Math.sin(angle) }];
        }),
    );
    const drawing = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${agents.length} agents and their handoffs; the table has the same` });
    const head = draw("marker", { id: "head", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto" });
    head.append(draw("path", { d: "M0,0 L8,4 L0,8 z" }));
    drawing.append(head);
    for (const pair of pairs) {
        const from = places.get(pair.source);
        const to = places.get(pair.target);
        if (!from || !to || from === to) {
            continue;
        }
        const length = Math.hypot(to.x - from.x, to.y - from.y);
        const dx = (to.x - from.x) / length;
        const dy = (to.y - from.y) / length;
        const line = draw("line", { x1: from.x + 8 * dx, y1: from.y + 8 * dy, x2: to.x - 10 * dx, y2: to.y - 10 * dy, "marker-end": "url(#head)" });
        const label = draw("text", { x: from.x + 0.62 * length * dx, y: from.y + 0.62 * length * dy - 4, class: "count" }, `${totalOf(pair)}`);
        drawing.append(line, label);
    }
    for (const [name, { x, y }] of places) {
        drawing.append(draw("circle", { cx: x, cy: y, r: 6 }));
        drawing.append(draw("text", { x, y: y < HEIGHT / 2 ? y - 12 : y + 22, "text-anchor": "middle" }, name));
    }
    return { drawing, pairs };
}
