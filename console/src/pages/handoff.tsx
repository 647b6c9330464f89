// SPDX-License-Identifier: Apache-2.0
// handoff.tsx - one entry: the document with its findings, and what this browser can prove of it.
import { useState } from "preact/hooks";
import type { PageProps } from "../app";
import { askBytes, askJson, askText, Problem } from "../api";
import { href } from "../route";
import { save } from "../save";
import { bytesText } from "../text";
import type { Entry, LedgerHead, Report, ShownEntry } from "../types";
import { Chip, Copy, Facts, Hash, Loading, Page, ProblemNote, Text, Time, VerdictMark, Way } from "../ui/basic";
import { BundleButton } from "../ui/bundle";
import { DocumentView } from "../ui/document";
import { FindingNote } from "../ui/finding";
import { ProofView } from "../ui/proof";
import { readMade, RepairView, type Made } from "../ui/repair";
import { useAsk } from "../use";
import type { Bytes } from "../verify/bytes";
import type { State } from "../verify/receipt";
import { may } from "../who";

export interface WholeEntry {
    shown: ShownEntry;
    document: Bytes | null;
    report: Report | null;
    receipt: string | null;
    head: LedgerHead | null;
}

function orNull<T>(answer: Promise<T>): Promise<T | null> {
    return answer.catch((error: unknown) => {
        if (error instanceof Problem && error.status !== 0) {
            return null; // the page does without
        }
        throw error;
    });
}

export async function loadEntry(id: string, signal: AbortSignal): Promise<WholeEntry> {
    const path = `/v1/handoffs/${encodeURIComponent(id)}`;
    const shown = await askJson<ShownEntry>(path, { signal });
    const own = `/v1/handoffs/${shown.seq}`;
    const isKept = shown.document.state === "kept";
    const isJudged = isKept && shown.entry.kind === "handoff";
    const [document, report, receipt, head] = await Promise.all([
        isKept ? orNull(askBytes(`${own}/document`, { signal, accept: "*/*" })) : null,
        isJudged ? orNull(askJson<Report>(`${own}/report`, { signal })) : null,
        orNull(askText(`${own}/receipt`, { signal })),
        orNull(askJson<LedgerHead>("/v1/ledger", { signal })),
    ]);
    return { shown, document, report, receipt, head };
}

// For the eye; the digest is taken of the bytes.
function textOf(bytes: Bytes): string {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function EntryFacts({ shown }: { shown: ShownEntry }) {
    const { entry } = shown;
    return (
        <dl class="facts">
            <dt>ref</dt>
            <dd class="mono">
                <Text>{shown.ref}</Text>
                <Copy value={shown.ref} name="the reference" />
            </dd>
            <dt>time</dt>
            <dd>
                <Time at={entry.time} full />
            </dd>
            <dt>actor</dt>
            <dd>
                <Text>{entry.actor}</Text>
            </dd>
            <dt>kind</dt>
            <dd>{entry.kind}</dd>
            {(entry.source || entry.target) && (
                <>
                    <dt>way</dt>
                    <dd>
                        <Way source={entry.source} target={entry.target} />
                    </dd>
                </>
            )}
            {entry.trace_id && (
                <>
                    <dt>trace</dt>
                    <dd>
                        <a class="mono" href={href("traces", entry.trace_id)}>
                            <Text>{entry.trace_id}</Text>
                        </a>
                        <Copy value={entry.trace_id} name="the trace id" />
                    </dd>
                </>
            )}
            {entry.handoff_id && (
                <>
                    <dt>handoff id</dt>
                    <dd class="mono">
                        <Text>{entry.handoff_id}</Text>
                        <Copy value={entry.handoff_id} name="the handoff id" />
                    </dd>
                </>
            )}
            {entry.refs && (
                <>
                    <dt>refs</dt>
                    <dd>
                        <Facts value={entry.refs} />
                    </dd>
                </>
            )}
            {entry.withheld && (
                <>
                    <dt>withheld</dt>
                    <dd>{entry.withheld.join(", ")}</dd>
                </>
            )}
            {entry.document && (
                <>
                    <dt>document</dt>
                    <dd>
                        <Hash value={entry.document.sha256} length={16} name="the digest" /> {bytesText(entry.document.size)},{" "}
                        {shown.document.state.replace("_", " ")}
                    </dd>
                </>
            )}
            <dt>leaf</dt>
            <dd>
                <Hash value={shown.leaf_hash} length={16} name="the leaf hash" />
            </dd>
        </dl>
    );
}

// Of the stored document, by the server: a message of the pump is judged by its organism.
function Repair({ text, shown }: { text: string; shown: ShownEntry }) {
    const [made, setMade] = useState<Made | null>(null);
    const [problem, setProblem] = useState<Problem | null>(null);
    const start = () =>
        askText(`/v1/handoffs/${shown.seq}/repair`).then(
            (answer) => (setMade(readMade(answer)), setProblem(null)),
            (error: unknown) => setProblem(error instanceof Problem ? error : null),
        );
    return (
        <section aria-labelledby="repair">
            <h2 id="repair">Repair</h2>
            {problem && <ProblemNote problem={problem} />}
            {made && made.report.documents?.[0]?.verdict === "accepted" && shown.entry.codes.length > 0 && (
                <p class="notice warn">
                    It was rejected for <Text>{shown.entry.codes.join(", ")}</Text>. What follows is about the document
                    alone: where nothing would change, the reason lies in the moment or the store, and the same document is
                    rejected again.
                </p>
            )}
            {made ? (
                <RepairView text={text} made={made} />
            ) : (
                <p>
                    <button type="button" onClick={start}>
                        Show what repair would change
                    </button>{" "}
                    <span class="muted">Nothing is stored or sent.</span>
                </p>
            )}
        </section>
    );
}

const GONE: Record<ShownEntry["document"]["state"], string> = {
    kept: "The document could not be fetched.",
    not_kept: "The document was not kept; the entry holds its digest.",
    redacted: "The document was redacted; the entry and its proof stand.",
    none: "This entry names no document.",
};

function Document({ whole, proven }: { whole: WholeEntry; proven: State | "busy" }) {
    const { shown, document, report } = whole;
    const judged = report?.documents[0];
    if (!document) {
        return <p class="muted">{GONE[shown.document.state]}</p>;
    }
    const text = textOf(document);
    return (
        <>
            {proven === "fails" ? (
                <p class="notice bad" role="alert">
                    This document or its entry is not what was recorded: the receipt does not verify. Findings below are about the bytes on this
                    page.
                </p>
            ) : (
                proven === "holds" &&
                judged &&
                judged.findings.length === 0 &&
                shown.entry.verdict !== "rejected" && <p class="notice good">No finding: every check passed.</p>
            )}
            <NewlyJudged entry={shown.entry} report={report} />
            <DocumentView text={text} findings={judged?.findings ?? []} dialect={shown.entry.dialect} />
            {shown.entry.verdict === "rejected" && <Repair text={text} shown={shown} />}
        </>
    );
}

// Findings are judged anew, without the store: what only the store knew is named from the record.
function NewlyJudged({ entry, report }: { entry: Entry; report: Report | null }) {
    const found = new Set(report?.documents[0]?.findings.map((finding) => finding.code));
    const missing = entry.codes.filter((code) => !found.has(code));
    if (missing.length === 0) {
        return null;
    }
    return (
        <div class="stack">
            {missing.map((code) => (
                <FindingNote
                    finding={{
                        code,
                        severity: "HARD",
                        stage: "record",
                        pointer: "",
                        message:
                            "found when it was submitted; it depends on the moment or the store, so the document alone does not show it",
                    }}
                />
            ))}
        </div>
    );
}

function download(seq: number): void {
    void save(`/v1/handoffs/${seq}/receipt`, `${seq}.tlog-proof`, { accept: "text/plain" });
}

export function Handoff({ id, who }: PageProps) {
    const { data, problem, isLoading, again } = useAsk((signal) => loadEntry(id, signal), ["handoff", id]);
    const [proven, setProven] = useState<State | "busy">("busy");
    if (!data) {
        return (
            <Page title={`Entry ${id}`}>
                {problem && <ProblemNote problem={problem} again={again} />}
                {isLoading && <Loading />}
            </Page>
        );
    }
    const { shown, document, receipt, head, report } = data;
    const facts = report?.documents[0]?.facts;
    return (
        <Page
            title={`Entry ${shown.seq}`}
            aside={
                <>
                    {proven === "fails" ? <span class="badge bad">✕ does not verify</span> : <VerdictMark verdict={shown.entry.verdict} />}
                    <Chip>{shown.entry.dialect}</Chip>
                    <button type="button" onClick={() => download(shown.seq)}>
                        Download receipt
                    </button>
                    {may(who, "operate") && (
                        <BundleButton selection={{ from: shown.seq, to: shown.seq, title: `Entry ${shown.seq}` }} name={`entry-${shown.seq}`} />
                    )}
                    <a href={href("certificate", shown.seq)}>Certificate</a>
                </>
            }
        >
            <div class="columns">
                <section aria-label="Document and findings">
                    <Document whole={data} proven={proven} />
                </section>
                <div class="stack">
                    <ProofView shown={shown} document={document} receipt={receipt} head={head} onState={setProven} />
                    <section class="card" aria-labelledby="entry">
                        <h2 id="entry">Entry</h2>
                        <EntryFacts shown={shown} />
                    </section>
                    {facts && Object.keys(facts).length > 0 && (
                        <section class="card" aria-labelledby="facts">
                            <h2 id="facts">Facts</h2>
                            <Facts value={facts} />
                        </section>
                    )}
                </div>
            </div>
        </Page>
    );
}
