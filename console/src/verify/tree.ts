// SPDX-License-Identifier: Apache-2.0
// tree.ts - the Merkle tree of RFC 6962, and proofs verified as RFC 9162 2.1.3.2 and 2.1.4.2 say.
import { join, same, sha256, type Bytes } from "./bytes";

const PROOF_MAX = 63;

export function leafHash(entry: Bytes): Promise<Bytes> {
    return sha256(join(new Uint8Array([0]), entry));
}

function nodeHash(left: Bytes, right: Bytes): Promise<Bytes> {
    return sha256(join(new Uint8Array([1]), left, right));
}

// One level of the way from a leaf to the root: the hash from the proof, and what both make.
export interface PathStep {
    sibling: Bytes;
    isLeft: boolean; // the sibling stands left
    made: Bytes;
}

// The root of a tree of `size` leaves in which `leaf` is number `index`; null when the proof does
// not fit that place. Each level is added to `path`.
export async function rootFromInclusion(
    leaf: Bytes,
    index: bigint,
    size: bigint,
    proof: Bytes[],
    path: PathStep[] = [],
): Promise<Bytes | null> {
    if (index < 0n || index >= size || proof.length > PROOF_MAX) {
        return null;
    }
    let at = index;
    let last = size - 1n;
    let root = leaf;
    for (const hash of proof) {
        if (last === 0n) {
            return null;
        }
        const isLeft = (at & 1n) === 1n || at === last;
        root = isLeft ? await nodeHash(hash, root) : await nodeHash(root, hash);
        path.push({ sibling: hash, isLeft, made: root });
        if (isLeft) {
            while ((at & 1n) === 0n && at !== 0n) {
                at >>= 1n;
                last >>= 1n;
            }
        }
        at >>= 1n;
        last >>= 1n;
    }
    return last === 0n ? root : null;
}

export interface Head {
    size: bigint;
    root: Bytes;
}

// Whether the newer tree has the older one as its beginning.
export async function isConsistent(older: Head, newer: Head, proof: Bytes[]): Promise<boolean> {
    if (older.size > newer.size || proof.length > PROOF_MAX) {
        return false;
    }
    if (older.size === newer.size || older.size === 0n) {
        return proof.length === 0 && (older.size === 0n || same(older.root, newer.root));
    }
    // A complete subtree is its own first hash.
    const isPower = (older.size & (older.size - 1n)) === 0n;
    const hashes = isPower ? [older.root, ...proof] : proof;
    const first = hashes[0];
    if (!first) {
        return false;
    }
    let at = older.size - 1n;
    let last = newer.size - 1n;
    while ((at & 1n) === 1n) {
        at >>= 1n;
        last >>= 1n;
    }
    let was = first;
    let now = first;
    for (const hash of hashes.slice(1)) {
        if (last === 0n) {
            return false;
        }
        if ((at & 1n) === 1n || at === last) {
            was = await nodeHash(hash, was);
            now = await nodeHash(hash, now);
            while ((at & 1n) === 0n && at !== 0n) {
                at >>= 1n;
                last >>= 1n;
            }
        } else {
            now = await nodeHash(now, hash);
        }
        at >>= 1n;
        last >>= 1n;
    }
    return last === 0n && same(was, older.root) && same(now, newer.root);
}
