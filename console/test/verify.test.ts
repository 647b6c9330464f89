// SPDX-License-Identifier: Apache-2.0
// Receipts, checkpoints and proofs that baton made (test/made.json), and every byte of them altered.
import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fromHex, toUtf8, type Bytes } from "../src/verify/bytes";
import { isSigned, readCheckpoint, readKey, type LogKey } from "../src/verify/note";
import { follow, pinned, trust, type Memory } from "../src/verify/pin";
import { prove, type Shown } from "../src/verify/receipt";
import { rotatedIn, successor, type Handover } from "../src/verify/rotation";
import { isConsistent } from "../src/verify/tree";

// Node 18 has WebCrypto, but not where browsers have it.
if (!("crypto" in globalThis)) {
    Object.defineProperty(globalThis, "crypto", { value: webcrypto });
}

interface Made {
    vkey: string;
    other_vkey: string;
    receipts: {
        text: string;
        show: { seq: number; leaf_hash: string; canonical: string; entry: unknown };
        document: string;
    }[];
    checkpoints: string[];
    consistency: { old: number; new: number; proof: string[] }[];
    rotations: { seq: number; old: string; new: string; receipt: string; late: string }[];
}

const made = JSON.parse(readFileSync("test/made.json", "utf8")) as Made;

function shownOf(receipt: Made["receipts"][number]): Shown {
    const { seq, leaf_hash: leafHash, canonical, entry } = receipt.show;
    return { seq, leafHash, canonical, entry, document: toUtf8(receipt.document) };
}

function emptyMemory(): Memory {
    const kept = new Map<string, string>();
    return { get: (name) => kept.get(name) ?? null, set: (name, value) => void kept.set(name, value) };
}

function handoverOf({ seq, receipt, new: next }: Made["rotations"][number]): Handover {
    return { seq, receipt, document: toUtf8(`${next}\n`) };
}

test("every receipt that baton made holds, step by step", async () => {
    const key = await readKey(made.vkey);
    assert.ok(made.receipts.length >= 5);
    for (const receipt of made.receipts) {
        const proof = await prove(receipt.text, shownOf(receipt), key);
        assert.deepEqual(
            proof.steps.map((step) => [step.name, step.state]),
            [
                ["Entry hash", "holds"],
                ["Inclusion proof", "holds"],
                ["Signature", "holds"],
                ["Document digest", "holds"],
            ],
        );
        assert.equal(proof.state, "holds");
        assert.equal(proof.entry?.["seq"], receipt.show.seq);
    }
});

test("no byte of a receipt can be altered", async () => {
    const key = await readKey(made.vkey);
    const receipt = made.receipts[2]!;
    for (let i = 0; i < receipt.text.length - 1; i++) {
        const other = receipt.text[i] === "7" ? "8" : "7";
        const altered = receipt.text.slice(0, i) + other + receipt.text.slice(i + 1);
        const proof = await prove(altered, shownOf(receipt), key);
        assert.notEqual(proof.state, "holds", `byte ${i}`);
        assert.equal(proof.entry, null);
    }
});

test("what is shown beside the receipt cannot be altered either", async () => {
    const key = await readKey(made.vkey);
    const receipt = made.receipts[3]!;
    const good = shownOf(receipt);
    const entry = good.entry as Record<string, unknown>;
    const bad: Partial<Shown>[] = [
        { seq: good.seq + 1 },
        { leafHash: good.leafHash.replace(/^./, (c) => (c === "0" ? "1" : "0")) },
        { canonical: good.canonical.replace("cli", "cly") },
        { entry: { ...entry, verdict: entry["verdict"] === "accepted" ? "rejected" : "accepted" } },
        { entry: { ...entry, extra: 1 } },
        { entry: Object.fromEntries(Object.entries(entry).slice(1)) },
        { document: toUtf8(`${receipt.document} `) },
    ];
    for (const change of bad) {
        const proof = await prove(receipt.text, { ...good, ...change }, key);
        assert.equal(proof.state, "fails", JSON.stringify(change).slice(0, 60));
    }
});

test("another key proves nothing, and a changed key is noticed", async () => {
    const receipt = made.receipts[0]!;
    const proof = await prove(receipt.text, shownOf(receipt), await readKey(made.other_vkey));
    assert.equal(proof.state, "fails");
    const memory = emptyMemory();
    assert.deepEqual(pinned(made.vkey, memory), {
        vkey: made.vkey,
        how: "first",
        rotation: null,
        shown: made.vkey,
        isChanged: false,
    });
    assert.equal(pinned(made.vkey, memory).isChanged, false);
    const changed = pinned(made.other_vkey, memory);
    assert.deepEqual([changed.vkey, changed.isChanged], [made.vkey, true]);
    trust(made.other_vkey, "pasted", memory);
    assert.deepEqual(pinned(made.other_vkey, memory), {
        vkey: made.other_vkey,
        how: "pasted",
        rotation: null,
        shown: made.other_vkey,
        isChanged: false,
    });
});

test("a key that the known one handed over to is followed, over several rotations", async () => {
    const [first, second] = made.rotations as [Made["rotations"][number], Made["rotations"][number]];
    const find = async (old: LogKey) => {
        const found = made.rotations.find((rotation) => rotation.old === old.text);
        return found ? handoverOf(found) : null;
    };
    assert.equal(await rotatedIn(first.old, first.new, find), first.seq);
    assert.equal(await rotatedIn(first.old, second.new, find), second.seq);
    assert.equal(await rotatedIn(second.old, second.new, find), second.seq);
    assert.equal(await rotatedIn(second.new, first.old, find), null, "there is no way back");
    assert.equal(await rotatedIn(first.old, made.other_vkey, find), null);
    const memory = emptyMemory();
    trust(first.old, "pasted", memory);
    const now = follow(pinned(first.new, memory), first.seq, memory);
    assert.deepEqual(pinned(first.new, memory), now);
    assert.deepEqual(now, {
        vkey: first.new,
        how: "pasted",
        rotation: { from: first.old, seq: first.seq },
        shown: first.new,
        isChanged: false,
    });
    assert.equal(pinned(first.old, memory).isChanged, true, "the old key is trusted no more");
});

test("no rotation is believed that the old key has not signed", async () => {
    const [first, second] = made.rotations as [Made["rotations"][number], Made["rotations"][number]];
    const old = await readKey(first.old);
    const good = handoverOf(first);
    assert.equal((await successor(good, old))?.text, first.new, "control");
    const bad: Partial<Handover>[] = [
        { receipt: first.late }, // signed by the new key alone
        { receipt: second.receipt },
        { seq: first.seq + 1 },
        { document: toUtf8(first.new) },
        { document: toUtf8(`${made.other_vkey}\n`) },
        { document: toUtf8(`${second.new}\n`) },
        { receipt: made.receipts[0]!.text },
        { receipt: "{}" },
    ];
    for (const change of bad) {
        assert.equal(await successor({ ...good, ...change }, old), null, JSON.stringify(change).slice(0, 60));
    }
    assert.equal(await successor(good, await readKey(made.other_vkey)), null);
    const end = first.receipt.lastIndexOf(` ${old.name} `); // the last line is the new key's, which proves nothing here
    for (let i = 0; i < end - 1; i++) {
        const other = first.receipt[i] === "7" ? "8" : "7";
        const altered = first.receipt.slice(0, i) + other + first.receipt.slice(i + 1);
        assert.equal(await successor({ ...good, receipt: altered }, old), null, `byte ${i}`);
    }
});

test("a browser without Ed25519 shows no tick, and no failure", async () => {
    const receipt = made.receipts[0]!;
    const subtle = crypto.subtle;
    const real = subtle.importKey.bind(subtle);
    subtle.importKey = () => Promise.reject(new DOMException("no", "NotSupportedError"));
    try {
        const proof = await prove(receipt.text, shownOf(receipt), await readKey(made.vkey));
        assert.equal(proof.state, "unknown");
        assert.deepEqual(
            proof.steps.map((step) => step.state),
            ["holds", "holds", "unknown", "holds"],
        );
    } finally {
        subtle.importKey = real as typeof subtle.importKey;
    }
});

test("checkpoints are signed, and altered ones are not", async () => {
    const key = await readKey(made.vkey);
    for (const note of made.checkpoints) {
        assert.equal(await isSigned(readCheckpoint(note), key), "valid");
    }
    const last = made.checkpoints.at(-1)!;
    const larger = last.replace(/\n(\d+)\n/, (_, size: string) => `\n${Number(size) + 1}\n`);
    assert.equal(await isSigned(readCheckpoint(larger), key), "invalid");
    for (const broken of [
        last.slice(0, -1),
        last.replace("\n", "\r\n"),
        `${last}\n`,
        last.replace(/\n(\d+)\n/, "\n0$1\n"),
        "",
        "\n\n",
    ]) {
        assert.throws(() => readCheckpoint(broken));
    }
});

test("every pair of sizes is consistent, and no altered proof is", async () => {
    const heads = made.checkpoints.map(readCheckpoint);
    const at = (size: number) => heads.find((head) => head.size === BigInt(size))!;
    assert.ok(made.consistency.length > 10);
    for (const { old, new: now, proof } of made.consistency) {
        const hashes = proof.map(fromHex);
        assert.equal(await isConsistent(at(old), at(now), hashes), true, `${old} to ${now}`);
        if (old === 0) {
            continue;
        }
        const forked = { size: at(old).size, root: at(old).root.map((byte, i) => (i ? byte : byte ^ 1)) as Bytes };
        assert.equal(await isConsistent(forked, at(now), hashes), false, `fork at ${old}`);
        if (hashes.length > 0) {
            assert.equal(await isConsistent(at(old), at(now), hashes.slice(1)), false);
            assert.equal(await isConsistent(at(old), at(now), [...hashes, hashes[0]!]), false);
        }
        if (old < now) {
            assert.equal(await isConsistent(at(now), at(old), hashes), false, "a rollback");
        }
    }
});

test("keys are read strictly", async () => {
    const id = made.vkey.split("+")[1]!;
    for (const bad of ["", "x", made.vkey.replace(id, "00000000"), made.vkey.replace("+A", "+B"), `${made.vkey}A`]) {
        await assert.rejects(readKey(bad));
    }
});
