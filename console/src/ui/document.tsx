// SPDX-License-Identifier: Apache-2.0
// document.tsx - a document with every finding at its line.
import { useMemo, useState } from "preact/hooks";
import { indexOfColumn, lines } from "../text";
import type { Finding } from "../types";
import { Text } from "./basic";
import { FindingNote } from "./finding";

const WHOLE_MAX = 600;
const AROUND = 12;
const LINE_MAX = 6000;
const MORE = 500;

interface Segment {
    text: string;
    style: string;
}

const JSON_PARTS = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\b\d[\d.eE+-]*\b|\b(?:true|false|null)\b/g;

// Names, strings and other values of JSON, each with its colour; anything else as it is.
function coloured(line: string): Segment[] {
    const found: Segment[] = [];
    let at = 0;
    for (const match of line.matchAll(JSON_PARTS)) {
        const text = match[1] ?? match[0];
        found.push({ text: line.slice(at, match.index), style: "" });
        found.push({ text, style: match[1] ? (match[2] ? "name" : "string") : "value" });
        at = match.index + text.length;
    }
    found.push({ text: line.slice(at), style: "" });
    return found.filter((segment) => segment.text !== "");
}

// Where the value begins that a finding is about, and where it ends.
function markOf(line: string, column: number): [number, number] {
    const start = Math.min(indexOfColumn(line, column), Math.max(0, line.length - 1));
    const token = /^(?:"(?:[^"\\]|\\.)*"|[\w.+-]+|.)/.exec(line.slice(start));
    return [start, start + (token?.[0].length ?? 1)];
}

// Cut the segments where marks begin and end.
function marked(segments: Segment[], marks: [number, number][]): (Segment & { isMarked: boolean })[] {
    const found: (Segment & { isMarked: boolean })[] = [];
    let at = 0;
    for (const { text, style } of segments) {
        const cuts = [0, text.length, ...marks.flat().map((cut) => cut - at)].filter(
            (cut) => cut >= 0 && cut <= text.length,
        );
        const sorted = [...new Set(cuts)].sort((a, b) => a - b);
        for (let i = 0; i + 1 < sorted.length; i++) {
            const [from, to] = [sorted[i] as number, sorted[i + 1] as number];
            const isMarked = marks.some(([start, end]) => start <= at + from && at + to <= end);
            found.push({ text: text.slice(from, to), style, isMarked });
        }
        at += text.length;
    }
    return found;
}

function Line({
    number,
    text,
    findings,
    isJson,
}: {
    number: number;
    text: string;
    findings: Finding[];
    isJson: boolean;
}) {
    const [isWhole, setWhole] = useState(false);
    const marks = findings.filter((finding) => finding.column).map((finding) => markOf(text, finding.column as number));
    // A very long line keeps what its marks are about.
    const end = isWhole ? text.length : Math.max(LINE_MAX, ...marks.map((mark) => mark[1] + 200));
    const cut = text.slice(0, end);
    const worst = findings.some((finding) => finding.severity === "HARD") ? "bad" : findings.length ? "warn" : "";
    return (
        <>
            <div class={`line ${worst}`}>
                <span class="number" aria-hidden="true">
                    {number}
                </span>
                <code>
                    {marked(isJson ? coloured(cut) : [{ text: cut, style: "" }], marks).map((segment) =>
                        segment.isMarked ? (
                            <mark class={segment.style}>
                                <Text>{segment.text}</Text>
                            </mark>
                        ) : (
                            <span class={segment.style}>
                                <Text>{segment.text}</Text>
                            </span>
                        ),
                    )}
                    {end < text.length && (
                        <button type="button" class="quiet" onClick={() => setWhole(true)}>
                            … {text.length - end} characters more
                        </button>
                    )}
                </code>
            </div>
            {findings.map((finding) => (
                <FindingNote finding={finding} />
            ))}
        </>
    );
}

// Which lines are shown of a long document: its beginning, and the surroundings of findings.
function firstShown(count: number, findings: Finding[]): boolean[] {
    const shown = new Array<boolean>(count).fill(count <= WHOLE_MAX);
    shown.fill(true, 0, Math.min(count, 100));
    for (const { line } of findings) {
        if (line) {
            shown.fill(true, Math.max(0, line - 1 - AROUND), Math.min(count, line + AROUND));
        }
    }
    return shown;
}

export function DocumentView({ text, findings, dialect }: { text: string; findings: Finding[]; dialect: string }) {
    const all = useMemo(() => lines(text), [text]);
    const [more, setMore] = useState<[number, number][]>([]);
    const shown = useMemo(() => {
        const first = firstShown(all.length, findings);
        more.forEach(([from, to]) => first.fill(true, from, to));
        return first;
    }, [all, findings, more]);
    const rows = [];
    for (let i = 0; i < all.length; i++) {
        if (!shown[i]) {
            const from = i;
            while (i + 1 < all.length && !shown[i + 1]) {
                i++;
            }
            const to = Math.min(i + 1, from + MORE);
            rows.push(
                <button type="button" class="fold" onClick={() => setMore([...more, [from, to]])}>
                    {i + 1 - from} lines not shown; show {to - from}
                </button>,
            );
            continue;
        }
        const here = findings.filter((finding) => finding.line === i + 1);
        rows.push(
            <Line
                key={i}
                number={i + 1}
                text={all[i] as string}
                findings={here}
                isJson={dialect !== "plan" && dialect !== "xml"}
            />,
        );
    }
    const nowhere = findings.filter((finding) => !finding.line || finding.line > all.length);
    return (
        <div class="document" role="region" aria-label="Document" tabIndex={0}>
            {nowhere.map((finding) => (
                <FindingNote finding={finding} />
            ))}
            {rows}
        </div>
    );
}
