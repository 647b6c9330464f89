// SPDX-License-Identifier: Apache-2.0
// repair.tsx - what repair would do to a document, as a diff, a list of changes, or a prompt.
import { layout, textAt } from "../json";
import type { Report, ReportDocument } from "../types";
import { FindingNote } from "./finding";
import { Diff } from "./diff";
import { Text, VerdictMark } from "./basic";

interface Change {
    op: string;
    path: string;
    from?: string;
    why?: string;
}

// What a command made of a document: its report, and the made document as it is written.
export interface Made {
    report: Report;
    document: string | null;
}

// From the text of an answer, so that no number is rounded on the way.
export function readMade(answer: string): Made {
    const written = textAt(answer, ["documents", 0, "document"]) ?? textAt(answer, ["document"]);
    const isText = written?.startsWith('"');
    return {
        report: JSON.parse(answer) as Report,
        document: !written || written === "null" ? null : isText ? (JSON.parse(written) as string) : layout(written),
    };
}

function Changes({ document }: { document: ReportDocument }) {
    const changes = document.facts["changes"];
    if (!Array.isArray(changes) || changes.length === 0) {
        return null;
    }
    return (
        <ul class="changes" aria-label="Changes">
            {(changes as Change[]).map((change) => (
                <li>
                    <span class="chip">{change.op}</span>{" "}
                    <span class="mono">
                        <Text>{change.from ? `${change.from} → ${change.path}` : change.path}</Text>
                    </span>{" "}
                    {change.why && <span class="muted">{change.why}</span>}
                </li>
            ))}
        </ul>
    );
}

interface Attempt {
    attempt: number;
    action: string;
    changes: number;
    verdict: string;
    remaining: { code: string }[];
}

// What came of each operation, in its own words.
const OUTCOMES: Record<string, Record<string, string>> = {
    repair: {
        repaired: "Everything could be mended.",
        unchanged: "There is nothing to mend.",
        escalated: "A program may not mend this: somebody has to decide.",
    },
    compress: {
        compressed: "It now fits its budget of tokens.",
        unchanged: "It fits its budget of tokens already.",
        escalated: "It cannot be made to fit: shorten it, or mend its other faults first.",
    },
    convert: {
        converted: "Written as a handoff of the universal dialect.",
        unchanged: "It is a handoff of the universal dialect already.",
        escalated: "It cannot be converted: somebody has to mend it first.",
    },
};

interface Size {
    count: number;
    bytes: number;
}

interface Compressed {
    before: Size;
    after: Size;
    steps: { step: string; pointer: string | null; count: number; bytes: number }[];
}

// How much each step of a compression saved.
function Steps({ document }: { document: ReportDocument }) {
    const made = document.facts["compress"] as Compressed | undefined;
    if (!made?.before || !made.after) {
        return null;
    }
    return (
        <>
            <p>
                {made.before.count} tokens, {made.before.bytes} bytes before; {made.after.count} tokens, {made.after.bytes}{" "}
                bytes after.
            </p>
            {made.steps.length > 0 && (
                <ol class="changes" aria-label="Steps">
                    {made.steps.map((step) => (
                        <li>
                            <span class="chip">{step.step}</span>{" "}
                            {step.pointer && (
                                <span class="mono">
                                    <Text>{step.pointer}</Text>
                                </span>
                            )}{" "}
                            <span class="muted">
                                then {step.count} tokens, {step.bytes} bytes
                            </span>
                        </li>
                    ))}
                </ol>
            )}
        </>
    );
}

function Attempts({ document }: { document: ReportDocument }) {
    const attempts = document.facts["attempts"];
    if (!Array.isArray(attempts) || attempts.length === 0) {
        return null;
    }
    return (
        <ol class="changes" aria-label="Attempts">
            {(attempts as Attempt[]).map((attempt) => (
                <li>
                    {attempt.attempt}. {attempt.action}: {attempt.changes} changes, {attempt.verdict}
                    {attempt.remaining.length > 0 && (
                        <span class="muted">
                            , left{" "}
                            <Text>{[...new Set(attempt.remaining.map((finding) => finding.code))].join(", ")}</Text>
                        </span>
                    )}
                </li>
            ))}
        </ol>
    );
}

interface Carried {
    from: string;
    to: string;
}

interface Left {
    pointer: string;
    reason: string;
}

// Which members a conversion took along, and which the other dialect has no place for.
function Carrying({ document }: { document: ReportDocument }) {
    const { carried, not_carried: left } = document.facts as { carried?: Carried[]; not_carried?: Left[] };
    if (!Array.isArray(carried)) {
        return null;
    }
    return (
        <>
            <ul class="changes" aria-label="Carried over">
                {carried.map(({ from, to }) => (
                    <li>
                        <span class="mono">
                            <Text>{`${from} → ${to}`}</Text>
                        </span>
                    </li>
                ))}
            </ul>
            {Array.isArray(left) && left.length > 0 && (
                <>
                    <p>Not carried over:</p>
                    <ul class="changes" aria-label="Not carried over">
                        {left.map(({ pointer, reason }) => (
                            <li>
                                <span class="mono">
                                    <Text>{pointer}</Text>
                                </span>{" "}
                                <span class="muted">
                                    <Text>{reason}</Text>
                                </span>
                            </li>
                        ))}
                    </ul>
                </>
            )}
        </>
    );
}

export function RepairView({ text, made, act = "repair" }: { text: string; made: Made; act?: string }) {
    const { report } = made;
    const document = report.documents?.[0];
    const prompt = report.prompt ?? report.text;
    return (
        <div class="stack">
            {document && (
                <p>
                    <VerdictMark verdict={document.verdict} />{" "}
                    {document.outcome && (OUTCOMES[act]?.[document.outcome] ?? document.outcome)}
                </p>
            )}
            {made.document !== null && <Diff before={layout(text)} after={layout(made.document)} />}
            {document && <Steps document={document} />}
            {document && <Carrying document={document} />}
            {document && <Changes document={document} />}
            {document && <Attempts document={document} />}
            {prompt && (
                <>
                    <p class="muted">What to send back to the agent:</p>
                    <pre class="document" tabIndex={0} role="region" aria-label="Prompt">
                        <Text>{prompt}</Text>
                    </pre>
                </>
            )}
            {document?.findings.map((finding) => (
                <FindingNote finding={finding} />
            ))}
        </div>
    );
}
