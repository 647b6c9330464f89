// SPDX-License-Identifier: Apache-2.0
// playground.tsx - paste a document and see what is said about it; nothing is stored.
import { useEffect, useRef, useState } from "preact/hooks";
import type { PageProps } from "../app";
import { askText, Problem, query } from "../api";
import { judgeHere, judgementOf } from "../judging";
import { href, usePlace } from "../route";
import { readShared, shareOf } from "../share";
import { Copy, Empty, Facts, Page, ProblemNote, VerdictMark } from "../ui/basic";
import { DocumentView } from "../ui/document";
import { readMade, RepairView, type Made } from "../ui/repair";
import { SAMPLES } from "./samples";

const DIALECTS = ["", "universal", "contract", "governed", "plan", "xml"];
const PAUSE_MS = 300;
const NUMBERS_MAX = 100000;

interface Asked {
    text: string; // that the answer is about
    made: Made | null;
    problem: Problem | null;
    by: string; // who judged, in words
}

const NOTHING: Asked = { text: "", made: null, problem: null, by: "" };
const BROWSER = "judged in this browser";

async function take(text: string, by: string, answer: Promise<string>): Promise<Asked> {
    try {
        return { text, made: readMade(await answer), problem: null, by };
    } catch (error) {
        const problem = error instanceof Problem ? error : new Problem(0, { detail: String(error) });
        return { text, made: null, problem, by };
    }
}

function judgeThere(operation: string, text: string, dialect: string, signal?: AbortSignal): Promise<Asked> {
    const path = `/v1/${operation}${query({ as: dialect })}`;
    const options = { method: "POST", body: text, type: "application/octet-stream" };
    return take(text, "judged by the server", askText(path, signal ? { ...options, signal } : options));
}

// The server cannot be reached, or may not be asked: what this browser says is all there is.
function isWithoutServer(asked: Asked): boolean {
    return asked.problem !== null && [0, 401, 403].includes(asked.problem.status);
}

const WITHOUT: Record<number, string> = {
    0: "the server cannot be reached",
    401: "the server wants you to sign in",
    403: "the server does not judge for this token",
};

// The server has the last word, since its settings count; where there is none, this browser has it.
function settle(here: Asked, there: Asked): Asked {
    if (isWithoutServer(there)) {
        const why = WITHOUT[there.problem?.status ?? 0] ?? "";
        return here.problem?.status === 0 ? there : { ...here, by: `${BROWSER}; ${why}` };
    }
    if (here.made && there.made) {
        const isSame = judgementOf(here.made.report) === judgementOf(there.made.report);
        const agreed = "judged in this browser and by the server: the same";
        return { ...there, by: isSame ? agreed : "judged by the server, whose settings are not those of this browser" };
    }
    return there;
}

async function judge(operation: string, text: string, dialect: string): Promise<Asked> {
    const there = await judgeThere(operation, text, dialect);
    return isWithoutServer(there) ? settle(await take(text, BROWSER, judgeHere(operation, text, dialect)), there) : there;
}

// At each key in this browser, and by the server when the typing has paused; an answer to an older text is dropped.
function useCheck(text: string, dialect: string): Asked {
    const [asked, setAsked] = useState<Asked>(NOTHING);
    useEffect(() => {
        if (text === "") {
            setAsked(NOTHING);
            return undefined;
        }
        const stop = new AbortController();
        const here = take(text, BROWSER, judgeHere("check", text, dialect));
        void here.then((found) => stop.signal.aborted || found.problem?.status === 0 || setAsked(found));
        const timer = setTimeout(() => {
            void Promise.all([here, judgeThere("check", text, dialect, stop.signal)]).then(
                ([mine, theirs]) => stop.signal.aborted || setAsked(settle(mine, theirs)),
            );
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
                </span>{" "}
                <span class="chip judge">{asked.by}</span>
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

// The text with a number at each line. Lines are not wrapped, so that each number stands beside its own.
function Editor({ text, change }: { text: string; change: (text: string) => void }) {
    const numbers = useRef<HTMLDivElement>(null);
    const count = Math.min(text.split("\n").length, NUMBERS_MAX);
    return (
        <label class="editor">
            <span>Document</span>
            <div class="numbered">
                <div class="numbers" aria-hidden="true" ref={numbers}>
                    {Array.from({ length: count }, (_, i) => i + 1).join("\n")}
                </div>
                <textarea
                    value={text}
                    wrap="off"
                    spellcheck={false}
                    autocomplete="off"
                    placeholder="Paste a handoff, or choose a sample above"
                    onInput={(event) => change(event.currentTarget.value)}
                    onScroll={(event) => {
                        if (numbers.current) {
                            numbers.current.scrollTop = event.currentTarget.scrollTop;
                        }
                    }}
                />
            </div>
        </label>
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
                <Editor text={text} change={change} />
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
                            {done.made && <RepairView text={done.text} made={done.made} act={done.act} />}
                            <p class="muted">{done.by}</p>
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
