// SPDX-License-Identifier: Apache-2.0
// judging.ts - ask the WebAssembly core, in a worker that is started with the first question.
import { Problem, type ProblemBody } from "./api";
import type { JudgeAnswer, JudgeAsked } from "./judge";
import judgeUrl from "./judge?worker&url";
import type { Report } from "./types";

const DEADLINE_MS = 20000; // with the loading of the core

// The policy of the page takes the address of a script only from here.
interface Policies {
    createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}
const policies = (globalThis as { trustedTypes?: Policies }).trustedTypes;
const policy = policies?.createPolicy("judge", {
    createScriptURL: (url) => {
        if (url !== judgeUrl) {
            throw new TypeError("not the script of the core");
        }
        return url;
    },
});

let worker: Worker | null = null;
let last = 0;
let waiting = new Map<number, (answer: JudgeAnswer) => void>();

function stop(why: string): void {
    worker?.terminate();
    worker = null;
    const dropped = waiting;
    waiting = new Map();
    dropped.forEach((resolve, id) => resolve({ id, status: 0, text: why }));
}

function start(): Worker {
    const made = new Worker(policy ? policy.createScriptURL(judgeUrl) : judgeUrl);
    made.addEventListener("message", (event: MessageEvent<JudgeAnswer>) => {
        waiting.get(event.data.id)?.(event.data);
        waiting.delete(event.data.id);
        if (event.data.status === 0) {
            stop(event.data.text); // it may have trapped: the next question gets a new one
        }
    });
    made.addEventListener("error", () => stop("the WebAssembly core cannot be loaded"));
    return made;
}

function askCore(operation: string, request: string): Promise<JudgeAnswer> {
    worker = worker ?? start();
    const asked: JudgeAsked = { id: ++last, operation, request };
    const timer = setTimeout(() => stop("judging this takes too long in a browser"), DEADLINE_MS);
    return new Promise<JudgeAnswer>((resolve) => {
        waiting.set(asked.id, resolve);
        worker?.postMessage(asked);
    }).finally(() => clearTimeout(timer));
}

// The answer of an operation on one document, as the server would word it; a Problem where it has one.
export async function judgeHere(operation: string, text: string, dialect: string): Promise<string> {
    const request = {
        documents: [{ path: "document", ...(dialect ? { as: dialect } : {}), text }],
        ...(operation === "convert" ? { options: { to: "universal" } } : {}),
    };
    const answer = await askCore(operation, JSON.stringify(request));
    if (answer.status === 0) {
        throw new Problem(0, { code: "UNAVAILABLE", detail: answer.text });
    }
    if (answer.status >= 400) {
        throw new Problem(answer.status, JSON.parse(answer.text) as ProblemBody);
    }
    return answer.text;
}

// What two reports must have in common to be the same judgement.
export function judgementOf(report: Report): string {
    return JSON.stringify(
        report.documents.map(({ dialect, verdict, findings }) => [
            dialect,
            verdict,
            findings.map(({ code, severity, pointer, line, column, message }) => [code, severity, pointer, line, column, message]),
        ]),
    );
}
