// SPDX-License-Identifier: Apache-2.0
// basic.tsx - the small parts that every page is made of.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { exactTime, relativeTime, shortTime } from "../time";
import { useNow } from "../use";
import type { Problem } from "../api";
import { visible, type Piece } from "../text";
import type { Severity, Verdict } from "../types";

const VERDICTS: Record<Verdict, [string, string]> = {
    accepted: ["✓", "good"],
    rejected: ["✕", "bad"],
    recorded: ["•", "plain"],
};

// Text of strangers: only ever a text node, and nothing in it stays invisible.
export function Text({ children, isCommand }: { children: string; isCommand?: boolean }) {
    return <Pieces pieces={visible(children, isCommand)} />;
}

export function Pieces({ pieces }: { pieces: Piece[] }) {
    return (
        <>
            {pieces.map((piece) =>
                piece.mark ? (
                    <span class="hidden-mark" title={piece.mark}>
                        {piece.text}
                    </span>
                ) : (
                    piece.text
                ),
            )}
        </>
    );
}

export function VerdictMark({ verdict }: { verdict: Verdict }) {
    const [sign, tone] = VERDICTS[verdict] ?? ["?", "plain"];
    return (
        <span class={`badge ${tone}`}>
            <span aria-hidden="true">{sign}</span> {verdict}
        </span>
    );
}

export function SeverityMark({ severity }: { severity: Severity }) {
    const tone = { HARD: "bad", WARN: "warn", INFO: "plain" }[severity];
    return <span class={`badge ${tone}`}>{{ HARD: "✕ hard", WARN: "! warn", INFO: "i info" }[severity]}</span>;
}

export function Chip({ children }: { children: ComponentChildren }) {
    return <span class="chip">{children}</span>;
}

// In the zone of the reader: short in lists (which name the zone), in full with the zone, or as the distance from now.
// The exact time is always there for who points at it, in both zones.
export function Time({ at, full, ago }: { at: string; full?: boolean; ago?: boolean }) {
    const ms = Date.parse(at);
    const now = useNow(ago ? 5000 : 60000);
    const exact = Number.isNaN(ms) ? at : exactTime(ms);
    const words = Number.isNaN(ms)
        ? at
        : ago
          ? relativeTime(ms, now)
          : full
            ? exact
            : shortTime(ms, { zone: undefined, now });
    return (
        <time class={ago ? "nowrap" : "mono nowrap"} dateTime={at} title={`${exact} (${at})`}>
            {words}
        </time>
    );
}

// Copies a value in full, however short it is shown.
export function Copy({ value, name, isWhole }: { value: string; name: string; isWhole?: boolean }) {
    const [isCopied, setCopied] = useState(false);
    const copy = () =>
        void navigator.clipboard?.writeText(value).then(() => (setCopied(true), setTimeout(() => setCopied(false), 1500)));
    return (
        <button type="button" class="quiet copy" onClick={copy} aria-label={`${isCopied ? "copied" : "copy"} ${name}`}>
            {`${isCopied ? "copied" : "copy"}${isWhole ? ` ${name}` : ""}`}
        </button>
    );
}

export function Hash({ value, length = 12, name }: { value: string; length?: number; name?: string }) {
    return (
        <span class="nowrap">
            <span class="mono" title={value}>
                {value.slice(0, length)}
                {value.length > length ? "…" : ""}
            </span>
            {name && <Copy value={value} name={name} />}
        </span>
    );
}

export function Way({ source, target }: { source?: string | null | undefined; target?: string | null | undefined }) {
    if (!source && !target) {
        return <span class="muted">–</span>;
    }
    return (
        <span class="way">
            <Text>{source ?? "–"}</Text>
            {target && (
                <>
                    {" "}
                    <span class="muted" aria-label="to">
                        →
                    </span>{" "}
                    <Text>{target}</Text>
                </>
            )}
        </span>
    );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
    return (
        <div class="empty">
            <p class="empty-title">{title}</p>
            {children}
        </div>
    );
}

// A command to try, with a button that copies it.
export function Command({ children }: { children: string }) {
    const [isCopied, setCopied] = useState(false);
    const copy = () =>
        navigator.clipboard
            ?.writeText(children)
            .then(() => (setCopied(true), setTimeout(() => setCopied(false), 1500)));
    return (
        <div class="command">
            <code>{children}</code>
            <button type="button" class="quiet" onClick={copy} aria-label={`Copy: ${children}`}>
                {isCopied ? "copied" : "copy"}
            </button>
        </div>
    );
}

const ADVICE: Record<string, string> = {
    UNREACHABLE: "Is baton serve still running?",
    UNAUTHENTICATED:
        "The token is not known here, or its time is over. Sign in again.",
    SCOPE_MISSING:
        "Your token may not see this. Ask the operator for the scope, or open the address that baton serve printed.",
    NOT_FOUND: "There is nothing here, or nothing that you may see.",
    STORE_UNAVAILABLE: "The server has no store, or cannot use it now. baton serve --store DB gives it one.",
};

export function ProblemNote({ problem, again }: { problem: Problem; again?: () => void }) {
    return (
        <div class="notice bad" role="alert">
            <p>
                <strong>{problem.code || `Status ${problem.status}`}</strong> {problem.message}
                {problem.body.scope ? ` (scope ${problem.body.scope})` : ""}
            </p>
            {ADVICE[problem.code] && (
                <p>
                    {ADVICE[problem.code]}
                    {again && problem.code === "UNREACHABLE" && " The console tries again by itself."}
                </p>
            )}
            {again && (
                <button type="button" onClick={again}>
                    Try again
                </button>
            )}
        </div>
    );
}

export function Loading() {
    return <p class="muted loading">Loading…</p>;
}

export function Page({
    title,
    aside,
    children,
}: {
    title: string;
    aside?: ComponentChildren;
    children: ComponentChildren;
}) {
    return (
        <>
            <div class="page-head">
                <h1 tabIndex={-1} class="wrap">
                    <Text>{title}</Text>
                </h1>
                {aside && <div class="page-aside">{aside}</div>}
            </div>
            {children}
        </>
    );
}

// Values that a check measured: objects as lists of names, short lists in a line.
export function Facts({ value }: { value: unknown }) {
    if (Array.isArray(value)) {
        return value.length === 0 ? (
            <span class="muted">none</span>
        ) : (
            <ul class="facts-list">
                {value.map((item) => (
                    <li>
                        <Facts value={item} />
                    </li>
                ))}
            </ul>
        );
    }
    if (typeof value === "object" && value !== null) {
        const members = Object.entries(value);
        return members.length === 0 ? (
            <span class="muted">none</span>
        ) : (
            <dl class="facts">
                {members.map(([name, member]) => (
                    <>
                        <dt>{name}</dt>
                        <dd>
                            <Facts value={member} />
                        </dd>
                    </>
                ))}
            </dl>
        );
    }
    return value === null ? <span class="muted">null</span> : <Text>{String(value)}</Text>;
}
