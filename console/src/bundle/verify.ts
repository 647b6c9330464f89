// SPDX-License-Identifier: Apache-2.0
// verify.ts - the tests of a bundle, in the order of `baton ledger bundle verify`.
import { fromBase64, fromHex, fromUtf8, join, Malformed, same, toHex, toUtf8, type Bytes } from "../verify/bytes";
import { readCheckpoint, type Checkpoint } from "../verify/note";
import { readBundle, readEntry, type Bundle, type Document } from "./data";
import { sha256 } from "./sha";
import { faultOf, quorumOf, trustKeys, type Trust } from "./trust";

export interface Line {
    name: string;
    state: "passed" | "failed" | "not run";
    detail: string;
    advice: string;
}

export interface Outcome {
    result: "verified" | "consistent" | "failed";
    lines: Line[];
    bundle: Bundle | null;
    root: string; // "" when the checkpoint could not be read
}

const LEAF = new Uint8Array([0]);
const NODE = new Uint8Array([1]);

function leafHash(entry: Bytes): Bytes {
    return sha256(join(LEAF, entry));
}

// The largest power of two below n > 1.
function splitOf(n: number): number {
    let k = 1;
    while (k * 2 < n) {
        k *= 2;
    }
    return k;
}

// The root over [lo, hi): entries that are shown, and hashes of the proof for everything between them.
function rootOf(leaves: { seq: number; leaf: Bytes }[], proof: string[], size: number): Bytes {
    let nextLeaf = 0;
    let nextHash = 0;
    const walk = (lo: number, hi: number): Bytes => { // at most 53 levels deep
        const found = leaves[nextLeaf];
        if (!found || found.seq >= hi) {
            const hash = proof[nextHash++];
            if (hash === undefined) {
                throw new Malformed("the proof has too few hashes");
            }
            return fromHex(hash);
        }
        if (hi - lo === 1) {
            nextLeaf++;
            return found.leaf;
        }
        const middle = lo + splitOf(hi - lo);
        const left = walk(lo, middle);
        return sha256(join(NODE, left, walk(middle, hi)));
    };
    const root = size === 0 ? sha256(new Uint8Array(0)) : walk(0, size);
    if (nextLeaf !== leaves.length || nextHash !== proof.length) {
        throw new Malformed("the proof has too many hashes");
    }
    return root;
}

// RFC 9162 section 2.1.3.2; null when the proof does not fit the place.
function rootOfPath(leaf: Bytes, index: number, size: number, path: string[]): Bytes | null {
    let at = index;
    let last = size - 1;
    let root = leaf;
    if (index >= size) {
        return null;
    }
    for (const hash of path) {
        if (last === 0) {
            return null;
        }
        if (at % 2 === 1 || at === last) {
            root = sha256(join(NODE, fromHex(hash), root));
            while (at % 2 === 0 && at !== 0) {
                at = Math.floor(at / 2);
                last = Math.floor(last / 2);
            }
        } else {
            root = sha256(join(NODE, root, fromHex(hash)));
        }
        at = Math.floor(at / 2);
        last = Math.floor(last / 2);
    }
    return last === 0 ? root : null;
}

function checkForm(bundle: Bundle): void {
    const { from, to, by, value } = bundle.selection;
    if ((from === null) !== (to === null) || (from !== null && to !== null && from > to) || (by === "all") !== (value === null)) {
        throw new Malformed("the selection contradicts itself");
    }
    let last = -1;
    for (const { seq } of bundle.entries) {
        if (from === null || to === null || seq < from || seq > to || seq <= last) {
            throw new Malformed("the entries are not in order, or not within the range");
        }
        last = seq;
    }
    checkList("document", bundle.documents, bundle.entries.map(({ entry }) => readEntry(entry)?.document?.sha256));
    checkList("policy", bundle.policies, bundle.entries.map(({ entry }) => readEntry(entry)?.refs?.policy));
    const sizes = new Map(bundle.documents.map(({ sha256: digest, size }) => [digest, size]));
    for (const { entry } of bundle.entries) {
        const named = readEntry(entry)?.document;
        if (named && sizes.get(named.sha256) !== named.size) {
            throw new Malformed("a document does not have the size that its entry says");
        }
    }
}

// Each digest once, in order, and exactly those that entries name.
function checkList(what: string, listed: { sha256: string }[], named: (string | undefined)[]): void {
    const wanted = new Set(named.filter((digest) => digest !== undefined));
    listed.forEach(({ sha256: digest }, i) => {
        if (!wanted.delete(digest) || (i > 0 && (listed[i - 1] as { sha256: string }).sha256 >= digest)) {
            throw new Malformed(`a ${what} is listed that no entry names, or not in order`);
        }
    });
    if (wanted.size > 0) {
        throw new Malformed(`a ${what} that an entry names is not listed`);
    }
}

function checkEntries(bundle: Bundle): void {
    for (const { seq, entry } of bundle.entries) {
        const read = readEntry(entry);
        if (!read || read.seq !== seq) {
            throw new Malformed(`entry ${seq} is not the text of an entry with this number`);
        }
    }
}

function checkGaps(bundle: Bundle): string {
    const { from, to, by, value } = bundle.selection;
    if (by === "all" && from !== null && to !== null) {
        bundle.entries.forEach(({ seq }, i) => {
            if (seq !== from + i) {
                throw new Malformed(`entry ${from + i} is missing`);
            }
        });
        if (bundle.entries.length !== to - from + 1) {
            throw new Malformed(`entry ${from + bundle.entries.length} is missing`);
        }
        return "every entry of the range is there";
    }
    if (by === "trace" || by === "agent") {
        return checkCounters(bundle, by === "trace", value as string);
    }
    return "a selection by handoff has no counters";
}

function checkCounters(bundle: Bundle, isTrace: boolean, name: string): string {
    let isKnown = bundle.selection.from === 0;
    let last = 0;
    let counted = 0;
    for (const { seq, entry } of bundle.entries) {
        const read = readEntry(entry);
        if (!read || (isTrace ? read.trace_id : read.source) !== name) {
            continue;
        }
        const number = isTrace ? read.n?.trace : read.n?.source;
        if (number === undefined) {
            last++;
            continue;
        }
        if (isKnown && number !== last + 1) {
            throw new Malformed(`before entry ${seq} the count goes from ${last} to ${number}: an entry is missing`);
        }
        isKnown = true;
        last = number;
        counted++;
    }
    return counted > 0 ? `${counted} counters have no gap` : "entries of version 1 have no counters";
}

function bytesOf(document: Document): Bytes {
    return document.text !== undefined ? toUtf8(document.text) : fromBase64(document.base64 ?? "");
}

function checkRedaction(document: Document, trust: Trust, origin: string): void {
    const { index, entry, proof, checkpoint: note } = document.redaction as {
        index: number;
        entry: string;
        proof: string[];
        checkpoint: string;
    };
    const bytes = fromBase64(entry);
    const checkpoint = readCheckpoint(note);
    const root = rootOfPath(leafHash(bytes), index, sizeOf(checkpoint), proof);
    const read = readEntry(fromUtf8(bytes));
    const isIt = read?.kind === "redaction" && read.seq === index && read.document?.sha256 === document.sha256;
    if (!isIt || !root || !same(root, checkpoint.root) || checkpoint.origin !== origin || faultOf(checkpoint, trust.logs)) {
        throw new Malformed(`the deletion of document ${document.sha256} is not proven`);
    }
}

function checkDocuments(bundle: Bundle, trust: Trust): string {
    for (const document of bundle.documents) {
        if (document.state === "included" && toHex(sha256(bytesOf(document))) !== document.sha256) {
            throw new Malformed(`the bytes of document ${document.sha256} are others`);
        }
        if (document.state === "redacted") {
            checkRedaction(document, trust, bundle.log.origin);
        }
    }
    for (const { sha256: digest, text } of bundle.policies) {
        if (text !== undefined && toHex(sha256(toUtf8(text))) !== digest) {
            throw new Malformed(`the text of policy ${digest} is another`);
        }
    }
    const included = bundle.documents.filter(({ state }) => state === "included").length;
    return `${included} of ${bundle.documents.length} documents are here, with the recorded digests`;
}

function sizeOf(checkpoint: Checkpoint): number {
    if (checkpoint.size > BigInt(Number.MAX_SAFE_INTEGER)) {
        throw new Malformed("the log is larger than this page can count");
    }
    return Number(checkpoint.size);
}

const UNEDITED = "Ask for the file again, unedited.";
const FORGED = "Treat the file as forged.";

// Verify with what the reader entered, or (null) with the keys inside the file.
export function verify(json: string, entered: Trust | null): Outcome {
    const lines: Line[] = [];
    let bundle: Bundle | null = null;
    let checkpoint: Checkpoint | null = null;
    let trust = entered;
    const run = (name: string, advice: string, test: () => string): void => {
        if (lines.some(({ state }, i) => state !== "passed" && i < 4)) {
            lines.push({ name, state: "not run", detail: "an earlier test failed", advice: "" });
            return;
        }
        try {
            lines.push({ name, state: "passed", detail: test(), advice: "" });
        } catch (error) {
            if (!(error instanceof Malformed)) {
                throw error;
            }
            lines.push({ name, state: "failed", detail: error.message, advice });
        }
    };
    run("Form", UNEDITED, () => {
        const read = readBundle(json);
        checkForm(read);
        bundle = read;
        return "the data has the form of a bundle";
    });
    const data = (): Bundle => bundle as Bundle;
    const head = (): Checkpoint => checkpoint as Checkpoint;
    run("Checkpoint", FORGED, () => {
        const read = readCheckpoint(data().log.checkpoint);
        trust ??= trustKeys(data().log.vkeys);
        const fault = read.origin === data().log.origin ? faultOf(read, trust.logs) : "it is of another log";
        const { to } = data().selection;
        if (fault) {
            throw new Malformed(fault);
        }
        if (to === null ? sizeOf(read) > 0 : to >= sizeOf(read)) {
            throw new Malformed("the range is not one of this log");
        }
        checkpoint = read;
        return `signed by a key of ${read.origin} for ${read.size} entries`;
    });
    run("Proof", FORGED, () => {
        const leaves = data().entries.map(({ seq, entry }) => ({ seq, leaf: leafHash(toUtf8(entry)) }));
        if (!same(rootOf(leaves, data().proof, sizeOf(head())), head().root)) {
            throw new Malformed("the entries do not lead to the signed root");
        }
        return `${leaves.length} entries lead to the signed root`;
    });
    run("Entries", FORGED, () => {
        checkEntries(data());
        return "every entry is well-formed and in its place";
    });
    run("Nothing left out", "Ask for the missing entry.", () => checkGaps(data()));
    run("Documents", "Do not rely on the document.", () => checkDocuments(data(), trust as Trust));
    run("Witnesses", "Ask for a checkpoint that enough witnesses have cosigned.", () => {
        const { isMet, found } = quorumOf(head(), trust as Trust);
        if (!isMet) {
            throw new Malformed(`the quorum is not met; found: ${found.join(" ") || "none"}`);
        }
        return entered && entered.quorum !== "none" ? `cosigned by ${found.join(" ")}` : "no witness is required";
    });
    const isPassed = lines.every(({ state }) => state === "passed");
    const found = checkpoint as Checkpoint | null;
    return {
        result: !isPassed ? "failed" : entered ? "verified" : "consistent",
        lines,
        bundle,
        root: found ? toHex(found.root) : "",
    };
}
