// SPDX-License-Identifier: Apache-2.0
// keys.ts - the key that a page verifies with, followed through the rotations that the ledger records.
import { useEffect, useState } from "preact/hooks";
import { askBytes, askJson, askText, Problem, query } from "./api";
import type { LedgerHead, Listing } from "./types";
import { Malformed, toHex } from "./verify/bytes";
import type { LogKey } from "./verify/note";
import { follow, pinned, type Pin } from "./verify/pin";
import { isCryptoHere } from "./verify/receipt";
import { rotatedIn, type Handover } from "./verify/rotation";

// The rotation away from a key, with the receipt to the checkpoint that was signed with it: later ones need not
// be signed by the old key any more.
async function findRotation(old: LogKey): Promise<Handover | null> {
    const { entries } = await askJson<Listing>(`/v1/handoffs${query({ kind: "key", limit: 500 })}`);
    const found = entries.find(({ entry }) => entry.refs?.["old_key"] === toHex(old.id));
    if (!found) {
        return null;
    }
    const { seq } = found;
    const [receipt, document] = await Promise.all([
        askText(`/v1/ledger/proof/inclusion${query({ seq, size: seq + 1 })}`),
        askBytes(`/v1/handoffs/${seq}/document`, { accept: "*/*" }),
    ]);
    return { seq, receipt, document };
}

// What is not proven stays a changed key, whatever the reason.
async function followed(pin: Pin): Promise<Pin> {
    try {
        const seq = isCryptoHere() ? await rotatedIn(pin.vkey, pin.shown, findRotation) : null;
        return seq === null ? pin : follow(pin, seq);
    } catch (error) {
        if (error instanceof Problem || error instanceof Malformed) {
            return pin;
        }
        throw error;
    }
}

// The pin of the ledger whose head this is; null until it is known. `again` looks anew after a key was given.
export function usePin(head: LedgerHead | null): { pin: Pin | null; again: () => void } {
    const [turn, setTurn] = useState(0);
    const [pin, setPin] = useState<Pin | null>(null);
    const vkey = head?.vkey ?? null;
    useEffect(() => {
        let isLate = false;
        const known = vkey === null ? null : pinned(vkey);
        setPin(known?.isChanged ? null : known);
        if (known?.isChanged) {
            void followed(known).then((now) => isLate || setPin(now));
        }
        return () => {
            isLate = true;
        };
    }, [vkey, turn]);
    return { pin, again: () => setTurn((n) => n + 1) };
}
