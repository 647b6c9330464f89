// SPDX-License-Identifier: Apache-2.0
// receipt.ts - what this browser can prove about one entry, step by step.
//
// The entry that a page shows is the one inside the receipt; it is believed only because its hash is
// what the proof proves and a key that we knew before has signed the root.
import { fromBase64, fromHex, fromUtf8, Malformed, same, sha256, toHex, type Bytes } from "./bytes";
import { isSigned, readCheckpoint, type Checkpoint, type LogKey } from "./note";
import { leafHash, rootFromInclusion, type PathStep } from "./tree";

const RECEIPT_MAX = 262144;

export interface Receipt {
    index: bigint;
    entry: Bytes;
    proof: Bytes[];
    checkpoint: Checkpoint;
}

// From the text of the JSON form: a closed object, so that nothing in it goes unread.
export function readReceipt(text: string): Receipt {
    if (text.length > RECEIPT_MAX) {
        throw new Malformed("the receipt is too large");
    }
    let value: Record<string, unknown>;
    try {
        value = JSON.parse(text) as Record<string, unknown>;
    } catch {
        throw new Malformed("the receipt is not JSON");
    }
    const { baton_receipt: version, index, entry, proof, checkpoint, ...rest } = value;
    if (version !== 1 || typeof index !== "number" || !Number.isSafeInteger(index) || index < 0) {
        throw new Malformed("the receipt has no index");
    }
    if (typeof entry !== "string" || typeof checkpoint !== "string" || Object.keys(rest).length > 0) {
        throw new Malformed("the receipt is not of the known form");
    }
    if (!Array.isArray(proof) || !proof.every((hash) => typeof hash === "string" && hash.length === 64)) {
        throw new Malformed("the proof of the receipt is not a list of hashes");
    }
    return {
        index: BigInt(index),
        entry: fromBase64(entry),
        proof: proof.map(fromHex),
        checkpoint: readCheckpoint(checkpoint),
    };
}

export type State = "holds" | "fails" | "unknown";

export interface Step {
    name: string;
    state: State;
    detail: string;
}

export interface Proof {
    state: State; // holds: every step holds; fails: one fails
    steps: Step[];
    entry: Record<string, unknown> | null; // only when it is proven
    way: Way | null; // null: the receipt cannot be read
}

// From the hash of the entry to the root that the checkpoint signs, as it was computed here.
export interface Way {
    leaf: Bytes;
    path: PathStep[];
    root: Bytes;
}

// What a page shows beside the receipt, and wants covered by it.
export interface Shown {
    seq: number;
    leafHash: string;
    canonical: string;
    entry: unknown;
    document: Bytes | null; // null: the bytes are not kept
}

// The same value, whatever the order of members.
function isEqual(a: unknown, b: unknown): boolean {
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
        return a === b;
    }
    const left = Object.entries(a);
    return (
        Array.isArray(a) === Array.isArray(b) &&
        left.length === Object.keys(b).length &&
        left.every(([name, value]) => Object.hasOwn(b, name) && isEqual(value, (b as Record<string, unknown>)[name]))
    );
}

function asEntry(text: string): Record<string, unknown> | null {
    try {
        const value: unknown = JSON.parse(text);
        return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
    } catch {
        return null;
    }
}

export function entryOf(receipt: Receipt): Record<string, unknown> | null {
    return asEntry(fromUtf8(receipt.entry));
}

async function entryStep(receipt: Receipt, shown: Shown, leaf: Bytes): Promise<Step> {
    const name = "Entry hash";
    const text = fromUtf8(receipt.entry);
    const entry = asEntry(text);
    if (toHex(leaf) !== shown.leafHash || text !== shown.canonical || !isEqual(entry, shown.entry)) {
        return { name, state: "fails", detail: "the entry on this page is not the one in the receipt" };
    }
    if (receipt.index !== BigInt(shown.seq) || entry?.["seq"] !== shown.seq) {
        return { name, state: "fails", detail: "the receipt is for another place in the ledger" };
    }
    return { name, state: "holds", detail: toHex(leaf) };
}

async function inclusionStep(receipt: Receipt, leaf: Bytes, path?: PathStep[]): Promise<Step> {
    const { size, root } = receipt.checkpoint;
    const found = await rootFromInclusion(leaf, receipt.index, size, receipt.proof, path);
    return found && same(found, root)
        ? { name: "Inclusion proof", state: "holds", detail: `entry ${receipt.index} of a tree of ${size}` }
        : { name: "Inclusion proof", state: "fails", detail: "the hashes do not lead to the root of the checkpoint" };
}

async function signatureStep(receipt: Receipt, key: LogKey): Promise<Step> {
    const name = "Signature";
    switch (await isSigned(receipt.checkpoint, key)) {
        case "valid":
            return { name, state: "holds", detail: `Ed25519, ${key.name}+${toHex(key.id)}` };
        case "invalid":
            return { name, state: "fails", detail: "the signature is not by the key that this browser trusts" };
        case "unsigned":
            return { name, state: "fails", detail: "no signature by the key that this browser trusts" };
        case "unsupported":
            return { name, state: "unknown", detail: "this browser has no Ed25519" };
    }
}

async function documentStep(entry: unknown, document: Bytes | null): Promise<Step> {
    const name = "Document digest";
    const recorded = (entry as { document?: { sha256?: string; size?: number } } | null)?.document;
    if (!recorded) {
        return { name, state: "holds", detail: "the entry names no document" };
    }
    if (!document) {
        return { name, state: "holds", detail: "the bytes are not here; the entry keeps their digest" };
    }
    const digest = toHex(await sha256(document));
    return digest === recorded.sha256 && document.length === recorded.size
        ? { name, state: "holds", detail: digest }
        : { name, state: "fails", detail: "the document on this page is not the one that was judged" };
}

// Whether the key has signed a tree that holds the receipt's entry.
export async function isCovered(receipt: Receipt, key: LogKey): Promise<boolean> {
    const steps = [await inclusionStep(receipt, await leafHash(receipt.entry)), await signatureStep(receipt, key)];
    return steps.every((step) => step.state === "holds");
}

export function isCryptoHere(): boolean {
    return typeof crypto !== "undefined" && typeof crypto.subtle !== "undefined";
}

// Verify the text of a receipt against what is shown and a key that is known already.
export async function prove(text: string, shown: Shown, key: LogKey): Promise<Proof> {
    let steps: Step[];
    let way: Way | null = null;
    try {
        const receipt = readReceipt(text);
        const leaf = await leafHash(receipt.entry);
        way = { leaf, path: [], root: receipt.checkpoint.root };
        steps = [
            await entryStep(receipt, shown, leaf),
            await inclusionStep(receipt, leaf, way.path),
            await signatureStep(receipt, key),
            await documentStep(shown.entry, shown.document),
        ];
    } catch (error) {
        if (!(error instanceof Malformed)) {
            throw error;
        }
        steps = [{ name: "Receipt", state: "fails", detail: error.message }];
    }
    const fails = steps.some((step) => step.state === "fails");
    const state = fails ? "fails" : steps.every((step) => step.state === "holds") ? "holds" : "unknown";
    return { state, steps, entry: state === "holds" ? asEntry(shown.canonical) : null, way };
}
