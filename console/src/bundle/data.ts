// SPDX-License-Identifier: Apache-2.0
// data.ts - the data of a bundle, read as a closed object at every level: nothing in it goes unread.
import { Malformed } from "../verify/bytes";

export interface Document {
    sha256: string;
    size: number;
    state: "included" | "redacted" | "not_kept" | "left_out";
    text?: string;
    base64?: string;
    redaction?: Record<string, unknown>;
}

export interface Rule {
    code: string;
    severity: string;
    meaning: string;
}

export interface Bundle {
    made: { time: string; program: string; title: string };
    log: { origin: string; vkeys: string[]; checkpoint: string };
    selection: { from: number | null; to: number | null; by: string; value: string | null };
    entries: { seq: number; entry: string }[];
    proof: string[];
    documents: Document[];
    rules: Rule[];
    policies: { sha256: string; state: string; text?: string }[];
    audit: Record<string, unknown> | null;
}

type Check = (value: unknown, at: string) => void;

function fits(is: (value: unknown) => boolean, what: string): Check {
    return (value, at) => {
        if (!is(value)) {
            throw new Malformed(`${at}: it is not ${what}`);
        }
    };
}

const text = fits((value) => typeof value === "string", "a text");
const truth = fits((value) => typeof value === "boolean", "true or false");
const count = fits((value) => Number.isSafeInteger(value) && (value as number) >= 0, "a number");
const hash = fits((value) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value), "a hash");
const one = fits((value) => value === 1, "1");

function word(...words: string[]): Check {
    return fits((value) => words.includes(value as string), `one of ${words.join(", ")}`);
}

function orNull(check: Check): Check {
    return (value, at) => value === null || check(value, at);
}

function list(check: Check, max: number): Check {
    return (value, at) => {
        fits((found) => Array.isArray(found) && found.length <= max, `a list of at most ${max}`)(value, at);
        (value as unknown[]).forEach((item, i) => check(item, `${at}/${i}`));
    };
}

function closed(members: Record<string, Check>, optional: Record<string, Check> = {}): Check {
    return (value, at) => {
        fits((found) => typeof found === "object" && found !== null && !Array.isArray(found), "an object")(value, at);
        const object = value as Record<string, unknown>;
        for (const [name, check] of Object.entries(members)) {
            if (!Object.hasOwn(object, name)) {
                throw new Malformed(`${at}: the member ${name} is missing`);
            }
            check(object[name], `${at}/${name}`);
        }
        for (const name of Object.keys(object).filter((found) => !Object.hasOwn(members, found))) {
            const check = Object.hasOwn(optional, name) ? optional[name] : undefined;
            if (!check) {
                throw new Malformed(`${at}: the member ${name} is not known`);
            }
            check(object[name], `${at}/${name}`);
        }
    };
}

const receipt = closed({ baton_receipt: one, index: count, entry: text, proof: list(hash, 63), checkpoint: text });

const documentForm = closed(
    { sha256: hash, size: count, state: word("included", "redacted", "not_kept", "left_out") },
    { text, base64: text, redaction: receipt },
);

const document: Check = (value, at) => {
    documentForm(value, at);
    const found = value as Document;
    const extra = [found.text, found.base64, found.redaction].filter((part) => part !== undefined).length;
    const fitting = found.state === "included" ? (found.text ?? found.base64) : found.redaction;
    const wanted = found.state === "included" || found.state === "redacted" ? 1 : 0;
    if (extra !== wanted || (wanted === 1 && fitting === undefined)) {
        throw new Malformed(`${at}: its content does not fit its state`);
    }
};

const counts = Object.fromEntries(
    "entries handoffs refused promised delivered dead cancelled open failed_attempts approvals_used heartbeats"
        .split(" ")
        .map((name) => [name, count]),
);

const bundle = closed({
    baton_bundle: one,
    made: closed({ time: text, program: text, title: text }),
    log: closed({ origin: text, vkeys: list(text, 1000), checkpoint: text }),
    selection: closed({
        from: orNull(count),
        to: orNull(count),
        by: word("all", "handoff", "trace", "agent"),
        value: orNull(text),
    }),
    entries: list(closed({ seq: count, entry: text }), 100000),
    proof: list(hash, 4000000),
    documents: list(document, 100000),
    rules: list(
        closed({
            code: text,
            severity: text,
            stage: text,
            meaning: text,
            fix: orNull(text),
            security: truth,
            lowest: orNull(text),
            needs: list(text, 10),
            dialects: list(text, 100),
        }),
        10000,
    ),
    policies: list(closed({ sha256: hash, state: word("included", "unknown") }, { text }), 100000),
    audit: orNull(
        closed({
            ...counts,
            from: orNull(count),
            to: orNull(count),
            silences: list(closed({ from: text, to: text, seconds: count, attested: truth }), 10000),
            unproven: list(text, 100),
        }),
    ),
    mapping: one,
});

export function readBundle(json: string): Bundle {
    let value: unknown;
    try {
        value = JSON.parse(json);
    } catch {
        throw new Malformed("the data is not JSON");
    }
    bundle(value, "");
    return value as Bundle;
}

// What this page reads of an entry.
export interface Entry {
    seq: number;
    v: number;
    time: string;
    kind: string;
    verdict: string;
    codes: string[];
    source?: string;
    target?: string;
    trace_id?: string;
    handoff_id?: string;
    document?: { sha256: string; size: number; kept: boolean };
    n?: { actor: number; source?: number; trace?: number };
    refs?: { policy?: string; event?: string };
}

// RFC 8785 for what entries hold: plain ASCII and whole numbers.
function canonical(value: unknown): string {
    if (Array.isArray(value)) {
        return `[${value.map(canonical).join(",")}]`;
    }
    if (typeof value === "object" && value !== null) {
        const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
        return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
    }
    return JSON.stringify(value);
}

const parsed = new Map<string, Entry | null>();

// Null: it is not the one text of an entry that this page knows.
export function readEntry(text: string): Entry | null {
    const known = parsed.get(text);
    if (known !== undefined) {
        return known;
    }
    let entry: Entry | null = null;
    try {
        const value = JSON.parse(text) as Partial<Entry>;
        const isWhole =
            Number.isSafeInteger(value.seq) &&
            (value.v === 1 || value.v === 2) &&
            [value.time, value.kind, value.verdict].every((member) => typeof member === "string") &&
            Array.isArray(value.codes) &&
            canonical(value) === text;
        entry = isWhole ? (value as Entry) : null;
    } catch {
        entry = null;
    }
    parsed.set(text, entry);
    return entry;
}
