// SPDX-License-Identifier: Apache-2.0
// playground.tsx - paste a document and see what is said about it; nothing is stored.
import { useEffect, useState } from "preact/hooks";
import type { PageProps } from "../app";
import { askText, Problem, query } from "../api";
import { href, usePlace } from "../route";
import { readShared, shareOf } from "../share";
import { Copy, Empty, Facts, Page, ProblemNote, VerdictMark } from "../ui/basic";
import { DocumentView } from "../ui/document";
import { readMade, RepairView, type Made } from "../ui/repair";
import { SAMPLES } from "./samples";

const DIALECTS = ["", "universal", "contract", "governed", "plan", "xml"];
const PAUSE_MS = 300;

interface Asked {
    text: string; // that the answer is about
    made: Made | null;
    problem: Problem | null;
}

const NOTHING: Asked = { text: "", made: null, problem: null };

async function judge(path: string, text: string, dialect: string, signal?: AbortSignal): Promise<Asked> {
    try {
        const answer = await askText(`/v1/${path}${query({ as: dialect })}`, {
            method: "POST",
            body: text,
            type: "application/octet-stream",
            ...(signal ? { signal } : {}),
        });
        return { text, made: readMade(answer), problem: null };
    } catch (error) {
        return {
            text,
            made: null,
            problem: error instanceof Problem ? error : new Problem(0, { detail: String(error) }),
        };
    }
}

// Check when the typing has paused; an answer to an older text is dropped.
function useCheck(text: string, dialect: string): Asked {
    const [asked, setAsked] = useState<Asked>(NOTHING);
    useEffect(() => {
        if (text === "") {
            setAsked(NOTHING);
            return undefined;
        }
        const stop = new AbortController();
        const timer = setTimeout(() => {
            void judge("check", text, dialect, stop.signal).then((found) => stop.signal.aborted || setAsked(found));
        }, PAUSE_MS);
        return () => {
            clearTimeout(timer);
            stop.abort();
        };
    }, [text, dialect]);
    return asked;
}

function Outcome({ asked }: { asked: Asked }) {
    const judged = asked.made?.report.documents[0];
    if (asked.problem) {
        const isUnknown = asked.problem.code === "DIALECT_UNKNOWN";
        return isUnknown ? (
            <p class="notice warn">Which dialect is this? Choose one above, or go on typing.</p>
        ) : (
            <ProblemNote problem={asked.problem} />
        );
    }
    if (!judged) {
        return null;
    }
    const { hard = 0, warn = 0, info = 0 } = asked.made?.report.summary ?? {};
    return (
        <>
            <p role="status">
                <VerdictMark verdict={judged.verdict} /> <span class="chip">{judged.dialect}</span>{" "}
                <span class="muted">
                    {hard} hard, {warn} warnings, {info} infos
                </span>
            </p>
            <DocumentView text={asked.text} findings={judged.findings} dialect={judged.dialect} />
            {Object.keys(judged.facts).length > 0 && (
                <details>
                    <summary>Facts</summary>
                    <Facts value={judged.facts} />
                </details>
            )}
        </>
    );
}

export function Playground(_: PageProps) {
    const place = usePlace();
    const [text, setText] = useState("");
    const [dialect, setDialect] = useState("");
    // A link has the text in its fragment, which browsers send to no server.
    useEffect(() => {
        const shared = readShared(place.query["text"] ?? "");
        if (shared !== null) {
            setText(shared);
            setDialect(DIALECTS.includes(place.query["as"] ?? "") ? (place.query["as"] ?? "") : "");
        }
    }, [place.query["text"], place.query["as"]]);
    const share = shareOf(text);
    const [done, setDone] = useState<(Asked & { act: string }) | null>(null);
    const asked = useCheck(text, dialect);
    const seen = asked.made?.report.documents[0]?.dialect ?? dialect;
    const act = (name: string) =>
        void judge(name, text, name === "convert" ? "" : seen).then((found) => setDone({ ...found, act: name }));
    const change = (value: string) => {
        setText(value);
        setDone(null);
    };
    const document = done?.made?.document ?? null;
    return (
        <Page
            title="Playground"
            aside={
                <>
                    <span class="muted">nothing is stored</span>
                    {text !== "" &&
                        (share === null ? (
                            <span class="muted">too long for a link</span>
                        ) : (
                            <Copy value={`${location.origin}/${href("playground", "", { as: dialect, text: share })}`} name="a link to this text" isWhole />
                        ))}
                </>
            }
        >
            <div class="filters">
                <label>
                    <span>dialect</span>
                    <select value={dialect} onChange={(event) => setDialect(event.currentTarget.value)}>
                        {DIALECTS.map((word) => (
                            <option value={word}>{word || "recognise it"}</option>
                        ))}
                    </select>
                </label>
                <div class="buttons" role="group" aria-label="Samples">
                    {SAMPLES.map((sample) => (
                        <button type="button" onClick={() => (setDialect(""), change(sample.text))}>
                            {sample.name}
                        </button>
                    ))}
                </div>
                <div class="buttons" role="group" aria-label="Do">
                    {["repair", "compress", "convert"].map((name) => (
                        <button type="button" disabled={text === ""} onClick={() => act(name)}>
                            {name}
                        </button>
                    ))}
                </div>
            </div>
            <div class="columns even">
                <label class="editor">
                    <span>Document</span>
                    <textarea
                        value={text}
                        spellcheck={false}
                        autocomplete="off"
                        placeholder="Paste a handoff, or choose a sample above"
                        onInput={(event) => change(event.currentTarget.value)}
                    />
                </label>
                <section aria-label="Result" class="stack">
                    {done ? (
                        <>
                            <div class="buttons">
                                <strong>{done.act}</strong>
                                <button type="button" onClick={() => setDone(null)}>
                                    Back to the check
                                </button>
                                {document !== null && (
                                    <button type="button" onClick={() => change(`${document.trimEnd()}\n`)}>
                                        Take this text
                                    </button>
                                )}
                            </div>
                            {done.problem && <ProblemNote problem={done.problem} />}
                            {done.made && <RepairView text={done.text} made={done.made} />}
                        </>
                    ) : text === "" ? (
                        <Empty title="Findings appear here as you type.">
                            <p>
                                Each names its rule, its place and what to do. The same judgement comes from the command
                                line:
                            </p>
                            <p>
                                <code>baton check FILE</code>
                            </p>
                        </Empty>
                    ) : (
                        <Outcome asked={asked} />
                    )}
                </section>
            </div>
        </Page>
    );
}
