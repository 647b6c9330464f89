// SPDX-License-Identifier: Apache-2.0
// trust.ts - what a reader trusts: a key of the log, or a C2SP policy with keys of logs and witnesses.
import { fromBase64, join, Malformed, same, toHex, toUtf8, type Bytes } from "../verify/bytes";
import type { Checkpoint, Signature } from "../verify/note";
import { isSignature } from "./ed25519";
import { sha256 } from "./sha";

const LOG = 1;
const WITNESS = 4;
const POLICY_MAX = 65536;

export interface Key {
    name: string;
    id: Bytes;
    type: number;
    bytes: Bytes;
}

export function readKey(text: string): Key {
    const match = /^([^\s+]{1,200})\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text.trim());
    if (!match) {
        throw new Malformed("a key is NAME+ID+BASE64");
    }
    const [, name, id, coded] = match as unknown as [string, string, string, string];
    const typed = fromBase64(coded);
    const digest = sha256(join(toUtf8(`${name}\n`), typed));
    if (toHex(digest.slice(0, 4)) !== id) {
        throw new Malformed("the id of the key does not fit the key");
    }
    return { name, id: digest.slice(0, 4), type: typed[0] ?? 0, bytes: typed.slice(1) };
}

export function readLogKey(text: string): Key {
    const key = readKey(text);
    if (key.type !== LOG || key.bytes.length !== 32) {
        throw new Malformed("the key is not an Ed25519 key of a log");
    }
    return key;
}

interface Group {
    least: number;
    members: string[];
}

export interface Trust {
    logs: Key[];
    witnesses: Map<string, Key>; // by their names in the policy
    groups: Map<string, Group>;
    quorum: string; // "none": no witness is needed
}

function leastOf(word: string, count: number): number {
    const least = word === "any" ? 1 : word === "all" ? count : /^[1-9][0-9]{0,3}$/.test(word) ? Number(word) : 0;
    if (least < 1 || least > count) {
        throw new Malformed("a group needs any, all, or a number of its members");
    }
    return least;
}

function addLine(trust: Trust, words: string[]): void {
    const [what, name = "", ...rest] = words;
    const isTaken = trust.witnesses.has(name) || trust.groups.has(name) || name === "none";
    if (what === "log" && words.length >= 2 && words.length <= 3) {
        trust.logs.push(readLogKey(name));
    } else if (what === "witness" && !isTaken && rest.length >= 1 && rest.length <= 2) {
        const key = readKey(rest[0] as string);
        if ([...trust.witnesses.values()].some((known) => same(known.bytes, key.bytes))) {
            throw new Malformed("this witness is listed before");
        }
        trust.witnesses.set(name, key);
    } else if (what === "group" && !isTaken && rest.length >= 2) {
        const members = rest.slice(1);
        if (members.some((member) => !trust.witnesses.has(member) && !trust.groups.has(member))) {
            throw new Malformed("a group has an unknown member");
        }
        const used = [...trust.groups.values()].flatMap((group) => group.members);
        if (members.some((member, i) => used.includes(member) || members.indexOf(member) !== i)) {
            throw new Malformed("a member is in a group before");
        }
        trust.groups.set(name, { least: leastOf(rest[0] as string, members.length), members });
    } else if (what === "quorum" && words.length === 2 && trust.quorum === "" && (isTaken || name === "none")) {
        trust.quorum = name;
    } else {
        throw new Malformed("it is not a line of a policy");
    }
}

function readPolicy(text: string): Trust {
    const trust: Trust = { logs: [], witnesses: new Map(), groups: new Map(), quorum: "" };
    text.split("\n").forEach((line, i) => {
        const words = line.split(/[ \t\r]+/).filter((word) => word !== "");
        if (words.length === 0 || (words[0] as string).startsWith("#")) {
            return;
        }
        try {
            addLine(trust, words);
        } catch (error) {
            throw new Malformed(`line ${i + 1} of the policy: ${(error as Error).message}`);
        }
    });
    if (trust.logs.length === 0 || trust.quorum === "") {
        throw new Malformed("a policy needs a log and a quorum");
    }
    return trust;
}

// Keys of a log, one on each line.
export function trustKeys(lines: string[]): Trust {
    return { logs: lines.map(readLogKey), witnesses: new Map(), groups: new Map(), quorum: "none" };
}

// What a person entered: vkeys, or a policy.
export function readTrust(text: string): Trust {
    if (text.length > POLICY_MAX) {
        throw new Malformed("it is longer than 64 KiB");
    }
    const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
    if (lines.length === 0) {
        throw new Malformed("enter a key or a policy");
    }
    return lines.some((line) => /^(log|witness|group|quorum)[ \t]/.test(line)) ? readPolicy(text) : trustKeys(lines);
}

function isBy(line: Signature, key: Key): boolean {
    return line.name === key.name && same(line.id, key.id);
}

// Null, or why the checkpoint cannot be trusted. Every line that claims to be by a known key must hold.
export function faultOf(checkpoint: Checkpoint, logs: Key[]): string | null {
    const known = logs.filter((key) => key.name === checkpoint.origin);
    if (known.length === 0) {
        return `no known key is of the log ${checkpoint.origin}`;
    }
    let isSigned = false;
    for (const key of known) {
        for (const line of checkpoint.signatures.filter((signature) => isBy(signature, key))) {
            if (!isSignature(line.bytes, toUtf8(checkpoint.text), key.bytes)) {
                return "the signature of the checkpoint does not fit";
            }
            isSigned = true;
        }
    }
    return isSigned ? null : "no known key has signed the checkpoint";
}

function hasCosigned(checkpoint: Checkpoint, key: Key): boolean {
    return (
        key.type === WITNESS &&
        checkpoint.signatures.some((line) => {
            if (!isBy(line, key) || line.bytes.length !== 72) {
                return false;
            }
            const time = new DataView(line.bytes.buffer, line.bytes.byteOffset).getBigUint64(0);
            const message = toUtf8(`cosignature/v1\ntime ${time}\n${checkpoint.text}`);
            return isSignature(line.bytes.slice(8), message, key.bytes);
        })
    );
}

export interface Quorum {
    isMet: boolean;
    found: string[]; // the names of witnesses that have cosigned
}

export function quorumOf(checkpoint: Checkpoint, trust: Trust): Quorum {
    const met = new Map<string, boolean>([["none", true]]);
    const found: string[] = [];
    for (const [name, key] of trust.witnesses) {
        met.set(name, hasCosigned(checkpoint, key));
        if (met.get(name)) {
            found.push(name);
        }
    }
    for (const [name, group] of trust.groups) { // members come before their group
        met.set(name, group.members.filter((member) => met.get(member)).length >= group.least);
    }
    return { isMet: met.get(trust.quorum) ?? false, found };
}
