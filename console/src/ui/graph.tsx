// SPDX-License-Identifier: Apache-2.0
// graph.tsx - boxes and arrows, laid out by dagre, drawn as SVG that follows the theme.
import { graphlib, layout } from "@dagrejs/dagre";
import { useMemo } from "preact/hooks";
import type { Graph } from "../types";
import { Text } from "./basic";

const HEIGHT = 34;
const CHARACTER = 7.4;
const NAME_MAX = 30;
const LABEL_HEIGHT = 16;
const LOOP = 34;
const LOOP_STEP = 16; // between two loops of one box
const NARROW = "(max-width: 600px)"; // here boxes stand below each other

type Direction = "LR" | "TB";

interface Box {
    name: string;
    kind: string;
    x: number;
    y: number;
    width: number;
    note: string; // below the name
}

interface Arrow {
    path: string;
    label: string;
    tone: string;
    width?: number | undefined;
    share?: number | undefined; // of it that was rejected, from 0 to 1
    href?: string | undefined;
    at: { x: number; y: number };
}

interface Drawing {
    top: number; // below zero when loops rise above the boxes
    width: number;
    height: number;
    boxes: Box[];
    arrows: Arrow[];
}

function short(name: string): string {
    return name.length > NAME_MAX ? `${name.slice(0, NAME_MAX - 1)}…` : name;
}

function labelWidth(label: string): number {
    return label ? label.length * CHARACTER + 4 : 0;
}

// A smooth line through the points that dagre found.
function curve(points: { x: number; y: number }[]): string {
    const [first, ...rest] = points;
    if (!first) {
        return "";
    }
    const parts = [`M${first.x},${first.y}`];
    rest.forEach((point, i) => {
        const next = rest[i + 1];
        parts.push(
            next
                ? `Q${point.x},${point.y} ${(point.x + next.x) / 2},${(point.y + next.y) / 2}`
                : `L${point.x},${point.y}`,
        );
    });
    return parts.join(" ");
}

// From a box back to itself, on the side where no other arrow is; each further one around the one before.
function loop(box: Box, edge: Graph["edges"][number], number: number, direction: Direction): Arrow {
    const far = LOOP + number * LOOP_STEP * (4 / 3); // a curve reaches three quarters of the way to its handles
    const isAbove = direction === "LR";
    const [foot, handle] = isAbove ? [16 + 8 * number, 30 + 12 * number] : [6 + 4 * number, 14 + 8 * number];
    const edgeAt = isAbove ? box.y - HEIGHT / 2 : box.x + box.width / 2;
    const point = (along: number, away: number) =>
        isAbove ? `${box.x + along},${edgeAt - away}` : `${edgeAt + away},${box.y - along}`;
    const label = edge.label ?? "";
    return {
        path: `M${point(foot, 0)} C${point(handle, far)} ${point(-handle, far)} ${point(-foot, 0)}`,
        label,
        tone: edge.tone ?? "",
        width: edge.width,
        share: edge.share,
        href: edge.href,
        at: isAbove
            ? { x: box.x, y: edgeAt - far * 0.75 }
            : { x: edgeAt + far * 0.75 + labelWidth(label) / 2, y: box.y },
    };
}

function loopsOf(graph: Graph, boxes: Box[], direction: Direction): Arrow[] {
    return boxes.flatMap((box) =>
        graph.edges
            .filter((edge) => edge.from === box.name && edge.to === box.name)
            .map((edge, i) => loop(box, edge, i, direction)),
    );
}

function draw(graph: Graph, direction: Direction): Drawing {
    const plan = new graphlib.Graph({ multigraph: true });
    const hasLoops = graph.edges.some((edge) => edge.from === edge.to);
    plan.setGraph({
        rankdir: direction,
        nodesep: 22 + (hasLoops ? LOOP : 0),
        ranksep: 40,
        edgesep: 22,
        marginx: 8,
        marginy: 8,
    });
    plan.setDefaultEdgeLabel(() => ({}));
    graph.nodes.forEach((node) =>
        plan.setNode(node.name, {
            width: Math.max(short(node.name).length, (node.note ?? "").length * 0.85) * CHARACTER + 28,
            height: HEIGHT,
            note: node.note ?? "",
            kind: node.agent ? "agent" : (node.kind ?? ""),
        }),
    );
    graph.edges.forEach(
        (edge, i) =>
            edge.from === edge.to ||
            plan.setEdge(
                edge.from,
                edge.to,
                {
                    width: labelWidth(edge.label ?? "") + 8,
                    height: LABEL_HEIGHT,
                    labelpos: "c",
                    label: edge.label ?? "",
                    tone: edge.tone ?? "",
                    thick: edge.width,
                    share: edge.share,
                    href: edge.href,
                },
                String(i),
            ),
    );
    layout(plan);
    const size = plan.graph() as { width?: number; height?: number };
    const boxes = plan.nodes().map((name): Box => {
        const { x, y, width, kind, note } = plan.node(name) as unknown as Box;
        return { name, x, y, width, kind, note };
    });
    const arrows = plan.edges().map((edge): Arrow => {
        const found = plan.edge(edge) as unknown as {
            points: { x: number; y: number }[];
            label: string;
            tone: string;
            thick?: number;
            share?: number;
            href?: string;
            x?: number;
            y?: number;
        };
        const middle = found.points[Math.floor(found.points.length / 2)] ?? { x: 0, y: 0 };
        return {
            path: curve(found.points),
            label: found.label,
            tone: found.tone,
            width: found.thick,
            share: found.share,
            href: found.href,
            at: { x: found.x ?? middle.x, y: found.y ?? middle.y },
        };
    });
    const around = loopsOf(graph, boxes, direction);
    const right = Math.max(size.width ?? 10, ...around.map(({ at, label }) => at.x + labelWidth(label) / 2 + 8));
    const top = Math.min(0, ...around.map((arrow) => arrow.at.y - 12));
    return {
        top,
        width: right,
        height: Math.max(size.height ?? 0, 10) - top,
        boxes,
        arrows: [...arrows, ...around],
    };
}

export function GraphView({ graph, label }: { graph: Graph; label: string }) {
    const direction = matchMedia(NARROW).matches ? "TB" : "LR";
    const { top, width, height, boxes, arrows } = useMemo(() => draw(graph, direction), [graph, direction]);
    return (
        <div class="graph" role="region" aria-label={label} tabIndex={0}>
            <svg
                viewBox={`0 ${top} ${width} ${height}`}
                width={width}
                height={height}
                role={graph.edges.some((edge) => edge.href) ? "group" : "img"}
                aria-label={`${label}: ${graph.nodes.length} boxes, ${graph.edges.length} arrows; the table below says the same`}
            >
                <defs>
                    {["", "good", "bad"].map((tone) => (
                        <marker
                            id={`arrow-${tone || "plain"}`}
                            viewBox="0 0 8 8"
                            refX="7"
                            refY="4"
                            markerWidth="7"
                            markerHeight="7"
                            orient="auto-start-reverse"
                        >
                            <path class={`arrow-head ${tone}`} d="M0,0 8,4 0,8z" />
                        </marker>
                    ))}
                    <marker
                        id="arrow-wide"
                        viewBox="0 0 8 8"
                        refX="7"
                        refY="4"
                        markerUnits="userSpaceOnUse"
                        markerWidth="18"
                        markerHeight="18"
                        orient="auto-start-reverse"
                    >
                        <path class="arrow-head" d="M0,0 8,4 0,8z" />
                    </marker>
                </defs>
                {arrows.map((arrow) => (
                    <g class={`arrow ${arrow.tone}`}>
                        <path
                            d={arrow.path}
                            stroke-width={arrow.width}
                            marker-end={`url(#arrow-${arrow.width ? "wide" : arrow.tone || "plain"})`}
                        />
                        {arrow.width && arrow.share ? (
                            <path class="share" d={arrow.path} stroke-width={Math.max(1, arrow.width * arrow.share)} />
                        ) : null}
                    </g>
                ))}
                {arrows
                    .filter((arrow) => arrow.label)
                    .map((arrow) => (
                        <g class={`arrow ${arrow.tone}`}>
                            <rect
                                x={arrow.at.x - labelWidth(arrow.label) / 2}
                                y={arrow.at.y - LABEL_HEIGHT / 2}
                                width={labelWidth(arrow.label)}
                                height={LABEL_HEIGHT}
                            />
                            {arrow.href ? (
                                <a href={arrow.href}>
                                    <text x={arrow.at.x} y={arrow.at.y + 4} text-anchor="middle">
                                        <Text>{arrow.label}</Text>
                                    </text>
                                </a>
                            ) : (
                                <text x={arrow.at.x} y={arrow.at.y + 4} text-anchor="middle">
                                    <Text>{arrow.label}</Text>
                                </text>
                            )}
                        </g>
                    ))}
                {boxes.map((box) => (
                    <g class={`box ${box.kind}`}>
                        <title>{box.name}</title>
                        <rect
                            x={box.x - box.width / 2}
                            y={box.y - HEIGHT / 2}
                            width={box.width}
                            height={HEIGHT}
                            rx="7"
                        />
                        <text x={box.x} y={box.y + (box.note ? -2 : 4.5)} text-anchor="middle">
                            {short(box.name)}
                        </text>
                        {box.note && (
                            <text class="box-note" x={box.x} y={box.y + 11} text-anchor="middle">
                                {box.note}
                            </text>
                        )}
                    </g>
                ))}
            </svg>
        </div>
    );
}
