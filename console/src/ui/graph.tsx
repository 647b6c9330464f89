// SPDX-License-Identifier: Apache-2.0
// graph.tsx - boxes and arrows, laid out by dagre, drawn as SVG that follows the theme.
import { graphlib, layout } from "@dagrejs/dagre";
import { useMemo } from "preact/hooks";
import type { Graph } from "../types";
import { Text } from "./basic";

const HEIGHT = 34;
const CHARACTER = 7.4;
const NAME_MAX = 30;
const LOOP = 34;

interface Box {
    name: string;
    kind: string;
    x: number;
    y: number;
    width: number;
}

interface Arrow {
    path: string;
    label: string;
    tone: string;
    at: { x: number; y: number };
}

interface Drawing {
    width: number;
    height: number;
    boxes: Box[];
    arrows: Arrow[];
}

function short(name: string): string {
    return name.length > NAME_MAX ? `${name.slice(0, NAME_MAX - 1)}…` : name;
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

// From a box back to itself, above it.
function loop(box: Box, label: string, tone: string): Arrow {
    const top = box.y - HEIGHT / 2;
    const path = `M${box.x + 16},${top} C${box.x + 30},${top - LOOP} ${box.x - 30},${top - LOOP} ${box.x - 16},${top}`;
    return { path, label, tone, at: { x: box.x, y: top - LOOP * 0.75 } };
}

function draw(graph: Graph, direction: "LR" | "TB"): Drawing {
    const plan = new graphlib.Graph({ multigraph: true });
    const loops = graph.edges.filter((edge) => edge.from === edge.to);
    plan.setGraph({
        rankdir: direction,
        nodesep: 22 + (loops.length ? LOOP : 0),
        ranksep: 56,
        edgesep: 16,
        marginx: 8,
        marginy: loops.length ? LOOP + 6 : 8,
    });
    plan.setDefaultEdgeLabel(() => ({}));
    graph.nodes.forEach((node) =>
        plan.setNode(node.name, {
            width: short(node.name).length * CHARACTER + 28,
            height: HEIGHT,
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
                    width: (edge.label ?? "").length * 6.5,
                    height: 14,
                    labelpos: "c",
                    label: edge.label ?? "",
                    tone: edge.tone ?? "",
                },
                String(i),
            ),
    );
    layout(plan);
    const size = plan.graph() as { width?: number; height?: number };
    const boxes = plan.nodes().map((name): Box => {
        const { x, y, width, kind } = plan.node(name) as unknown as Box;
        return { name, x, y, width, kind };
    });
    const arrows = plan.edges().map((edge): Arrow => {
        const found = plan.edge(edge) as unknown as {
            points: { x: number; y: number }[];
            label: string;
            tone: string;
            x?: number;
            y?: number;
        };
        const middle = found.points[Math.floor(found.points.length / 2)] ?? { x: 0, y: 0 };
        return {
            path: curve(found.points),
            label: found.label,
            tone: found.tone,
            at: { x: found.x ?? middle.x, y: found.y ?? middle.y },
        };
    });
    const around = loops.map((edge) =>
        loop(boxes.find((box) => box.name === edge.from) as Box, edge.label ?? "", edge.tone ?? ""),
    );
    return {
        width: Math.max(size.width ?? 0, 10),
        height: Math.max(size.height ?? 0, 10),
        boxes,
        arrows: [...arrows, ...around],
    };
}

export function GraphView({
    graph,
    label,
    direction = "LR",
}: {
    graph: Graph;
    label: string;
    direction?: "LR" | "TB";
}) {
    const drawing = useMemo(() => draw(graph, direction), [graph, direction]);
    const { width, height, boxes, arrows } = drawing;
    return (
        <div class="graph" role="region" aria-label={label} tabIndex={0}>
            <svg
                viewBox={`0 0 ${width} ${height}`}
                width={width}
                height={height}
                role="img"
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
                </defs>
                {arrows.map((arrow) => (
                    <g class={`arrow ${arrow.tone}`}>
                        <path d={arrow.path} marker-end={`url(#arrow-${arrow.tone || "plain"})`} />
                        {arrow.label && (
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
                        <text x={box.x} y={box.y + 4.5} text-anchor="middle">
                            {short(box.name)}
                        </text>
                    </g>
                ))}
            </svg>
        </div>
    );
}
