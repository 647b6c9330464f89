// SPDX-License-Identifier: Apache-2.0
// note.ts - verifier keys and signed checkpoints (C2SP signed-note), read strictly.
import { fromBase64, join, Malformed, same, sha256, toHex, toUtf8, type Bytes } from "./bytes";
import type { Head } from "./tree";

const LOG = 1;
const NOTE_MAX = 65536;
const LINES_MAX = 64;
const ID_BYTES = 4;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

export interface LogKey {
    text: string; // NAME+ID+BASE64, as it was given
    name: string;
    id: Bytes;
    bytes: Bytes;
}

export async function readKey(text: string): Promise<LogKey> {
    const match = /^([A-Za-z0-9][A-Za-z0-9._/-]{0,199})\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text.trim());
    if (!match) {
        throw new Malformed("the key is not of the form NAME+ID+BASE64");
    }
    const [whole, name, id, coded] = match as unknown as [string, string, string, string];
    const typed = fromBase64(coded);
    if (typed.length !== KEY_BYTES + 1 || typed[0] !== LOG) {
        throw new Malformed("the key is not an Ed25519 key of a log");
    }
    const digest = await sha256(join(toUtf8(`${name}\n`), typed));
    if (toHex(digest.slice(0, ID_BYTES)) !== id) {
        throw new Malformed("the id of the key does not fit the key");
    }
    return { text: whole, name, id: digest.slice(0, ID_BYTES), bytes: typed.slice(1) };
}

export interface Signature {
    name: string;
    id: Bytes;
    bytes: Bytes; // what follows the id
}

export interface Checkpoint extends Head {
    text: string; // what is signed
    origin: string;
    signatures: Signature[];
}

function readSignature(line: string): Signature {
    const match = /^\u2014 ([^ +]+) ([A-Za-z0-9+/=]+)$/.exec(line);
    if (!match) {
        throw new Malformed("a signature line of the checkpoint is not well-formed");
    }
    const bytes = fromBase64(match[2] as string);
    if (bytes.length <= ID_BYTES) {
        throw new Malformed("a signature of the checkpoint is too short");
    }
    return { name: match[1] as string, id: bytes.slice(0, ID_BYTES), bytes: bytes.slice(ID_BYTES) };
}

export function readCheckpoint(note: string): Checkpoint {
    const split = note.lastIndexOf("\n\n");
    if (toUtf8(note).length > NOTE_MAX || split < 0 || !note.endsWith("\n") || /[\0-\t\v-\x1f\x7f]/.test(note)) {
        throw new Malformed("the checkpoint is not a signed note");
    }
    const text = note.slice(0, split + 1);
    const [origin, size, root, ...extensions] = text.slice(0, -1).split("\n");
    if (!origin || !size || !/^(0|[1-9][0-9]{0,18})$/.test(size) || !root || extensions.includes("")) {
        throw new Malformed("the text of the checkpoint is not well-formed");
    }
    const lines = note.slice(split + 2, -1).split("\n");
    if (lines.length > LINES_MAX) {
        throw new Malformed("the checkpoint has too many signatures");
    }
    const hash = fromBase64(root);
    if (hash.length !== KEY_BYTES) {
        throw new Malformed("the root of the checkpoint is not a SHA-256 hash");
    }
    return { text, origin, size: BigInt(size), root: hash, signatures: lines.map(readSignature) };
}

export type Signed = "valid" | "invalid" | "unsigned" | "unsupported";

async function importKey(key: LogKey): Promise<CryptoKey | null> {
    try {
        return await crypto.subtle.importKey("raw", key.bytes, { name: "Ed25519" }, false, ["verify"]);
    } catch {
        return null; // this browser has no Ed25519
    }
}

// Whether the log's key signed the checkpoint. Every line that claims to be by that key must hold.
export async function isSigned(checkpoint: Checkpoint, key: LogKey): Promise<Signed> {
    const ours = checkpoint.signatures.filter((s) => s.name === key.name && same(s.id, key.id));
    if (ours.length === 0 || checkpoint.origin !== key.name) {
        return "unsigned";
    }
    const usable = await importKey(key);
    if (!usable) {
        return "unsupported";
    }
    for (const signature of ours) {
        const isValid =
            signature.bytes.length === SIGNATURE_BYTES &&
            (await crypto.subtle.verify({ name: "Ed25519" }, usable, signature.bytes, toUtf8(checkpoint.text)));
        if (!isValid) {
            return "invalid";
        }
    }
    return "valid";
}
