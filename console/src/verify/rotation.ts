// SPDX-License-Identifier: Apache-2.0
// rotation.ts - from a key that this browser trusts to the one that the ledger signs with now.
//
// A rotation is an entry of kind `key` whose document is the new key, as a line; the old key signs the
// checkpoint that covers it. So a reader who trusts the old key can see that it named its successor itself.
import { fromUtf8, Malformed, sha256, toHex, type Bytes } from "./bytes";
import { readKey, type LogKey } from "./note";
import { entryOf, isCovered, readReceipt } from "./receipt";

const STEPS_MAX = 32;

// What the ledger has about one rotation.
export interface Handover {
    seq: number;
    receipt: string; // to the checkpoint that was signed with the entry
    document: Bytes;
}

interface KeyEntry {
    seq?: unknown;
    kind?: unknown;
    document?: { sha256?: unknown };
    refs?: { old_key?: unknown; new_key?: unknown };
}

// The key that `from` handed over to; null when that is not proven.
export async function successor(handover: Handover, from: LogKey): Promise<LogKey | null> {
    try {
        const receipt = readReceipt(handover.receipt);
        const entry = entryOf(receipt) as KeyEntry | null;
        const line = fromUtf8(handover.document);
        const next = await readKey(line);
        const isIt =
            entry?.kind === "key" &&
            entry.seq === handover.seq &&
            receipt.index === BigInt(handover.seq) &&
            entry.refs?.old_key === toHex(from.id) &&
            entry.refs.new_key === toHex(next.id) &&
            entry.document?.sha256 === toHex(await sha256(handover.document)) &&
            line === `${next.text}\n` &&
            next.name === from.name;
        return isIt && (await isCovered(receipt, from)) ? next : null;
    } catch (error) {
        if (error instanceof Malformed) {
            return null;
        }
        throw error;
    }
}

// The entry in which the chain of keys that begins with `from` reaches `to`; null when it is not proven
// that it does. `find` looks for the rotation away from a key.
export async function rotatedIn(
    from: string,
    to: string,
    find: (old: LogKey) => Promise<Handover | null>,
): Promise<number | null> {
    let key = await readKey(from);
    for (let step = 0; step < STEPS_MAX; step++) {
        const handover = await find(key);
        const next = handover && (await successor(handover, key));
        if (!handover || !next) {
            return null;
        }
        if (next.text === to) {
            return handover.seq;
        }
        key = next;
    }
    return null;
}
