// SPDX-License-Identifier: Apache-2.0
// chart.tsx - stacked bars over time, drawn by uPlot, which is loaded when the first chart is shown.
import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { exactTime } from "../time";

export interface Series {
    name: string;
    color: string; // a custom property of the style sheet
    values: number[];
}

interface Props {
    times: number[]; // seconds, the start of each bar
    series: Series[]; // from the bottom up
    bucket: number;
    label: string;
    onPick: (index: number) => void;
}

const HEIGHT = 200;

function colorOf(name: string): string {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// light-dark() is not resolved in a custom property: let the browser compute it.
function computed(name: string): string {
    const probe = document.createElement("span");
    probe.className = `probe ${name.slice(2)}`;
    document.body.append(probe);
    const color = getComputedStyle(probe).color;
    probe.remove();
    return color || colorOf(name);
}

// Each series on top of those below it; the topmost is drawn first.
function stack(series: Series[]): number[][] {
    const sums: number[][] = [];
    series.forEach(({ values }, i) => sums.push(values.map((value, at) => value + (sums[i - 1]?.[at] ?? 0))));
    return sums.reverse();
}

// As wide as the longest number needs.
function sizeOfLabels(_: uPlot, labels: string[] | null): number {
    return 20 + 8 * Math.max(3, ...(labels ?? []).map((label) => label.length));
}

function optionsOf(library: typeof uPlot, width: number, props: Props): uPlot.Options {
    const bars = library.paths.bars?.({ size: [0.9, 60], align: 1 });
    const soft = computed("--soft");
    const line = computed("--line");
    const isLong = props.bucket * props.times.length > 86400;
    const when = (_: uPlot, splits: number[]) =>
        splits.map((at) => {
            const [date, time] = exactTime(at * 1000).split(" ") as [string, string];
            return isLong && time.startsWith("00:00") ? date.slice(5) : isLong ? `${date.slice(5)} ${time.slice(0, 5)}` : time.slice(0, 5);
        });
    const axis = { stroke: soft, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
    return {
        width,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
        scales: { x: { time: true }, y: { range: (_, __, max) => [0, Math.max(1, max)] } },
        axes: [{ ...axis, values: when, space: isLong ? 90 : 50 }, { ...axis, size: sizeOfLabels, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6] }],
        series: [
            {},
            ...[...props.series].reverse().map(({ name, color }) => {
                const fill = computed(color);
                return { label: name, fill, stroke: fill, width: 0, points: { show: false }, ...(bars ? { paths: bars } : {}) };
            }),
        ],
    };
}

const load = () => Promise.all([import("uplot"), import("uplot/dist/uPlot.min.css")]);

// Called where a chart will be shown, so that its library comes while the server counts.
export function useChart(): void {
    useEffect(() => void load().catch(() => undefined), []); // a chart says what cannot be loaded
}

export function Chart(props: Props) {
    const place = useRef<HTMLDivElement>(null);
    const [library, setLibrary] = useState<typeof uPlot | null>(null);
    const latest = useRef(props);
    latest.current = props;
    useEffect(() => {
        void load().then(([found]) => setLibrary(() => found.default));
    }, []);
    const key = JSON.stringify([props.times, props.series]);
    useEffect(() => {
        const element = place.current;
        if (!library || !element || props.times.length === 0) {
            return;
        }
        const data = [props.times, ...stack(props.series)] as uPlot.AlignedData;
        const chart = new library(optionsOf(library, element.clientWidth, props), data, element);
        const pick = () => {
            const index = chart.cursor.idx;
            if (index != null) {
                latest.current.onPick(index);
            }
        };
        chart.over.addEventListener("click", pick);
        const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
        observer.observe(element);
        return () => {
            observer.disconnect();
            chart.destroy();
        };
    }, [library, key]);
    return <div class="chart" ref={place} role="img" aria-label={props.label} />;
}

// A rate in a few pixels, without a library: one line from left to right.
export function Sparkline({ values, label }: { values: (number | null)[]; label: string }) {
    const width = 96;
    const height = 22;
    const step = width / Math.max(1, values.length - 1);
    const top = Math.max(0.01, ...values.map((value) => value ?? 0));
    let isDown = false;
    const path = values
        .map((value, i) => {
            if (value === null) {
                isDown = false;
                return "";
            }
            const word = isDown ? "L" : "M";
            isDown = true;
            return `${word}${(i * step).toFixed(1)},${(height - 2 - (value / top) * (height - 4)).toFixed(1)}`;
        })
        .join("");
    return (
        <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label}>
            <path class="sparkline-base" d={`M0,${height - 1.5}H${width}`} />
            <path d={path} />
            {values.map((value, i) =>
                value !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null ? (
                    <circle cx={Math.min(i * step, width - 2)} cy={height - 2 - (value / top) * (height - 4)} r="2" />
                ) : null,
            )}
        </svg>
    );
}
