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

const OUTCOMES: Record<string, string> = {
    repaired: "Everything could be mended.",
    unchanged: "There is nothing to mend.",
    escalated: "A program may not mend this: somebody has to decide.",
};

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

export function RepairView({ text, made }: { text: string; made: Made }) {
    const { report } = made;
    const document = report.documents?.[0];
    const prompt = report.prompt ?? report.text;
    return (
        <div class="stack">
            {document && (
                <p>
                    <VerdictMark verdict={document.verdict} />{" "}
                    {document.outcome && (OUTCOMES[document.outcome] ?? document.outcome)}
                </p>
            )}
            {made.document !== null && <Diff before={layout(text)} after={layout(made.document)} />}
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
