// SPDX-License-Identifier: Apache-2.0
// The hashes and signatures of the page of a bundle beside those of Node, and a bundle whose every part is altered.
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, randomBytes, sign, verify as verifyByNode } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isSignature } from "../src/bundle/ed25519";
import { sha256, sha512 } from "../src/bundle/sha";
import { readTrust } from "../src/bundle/trust";
import { verify } from "../src/bundle/verify";
import { toHex, type Bytes } from "../src/verify/bytes";

interface Made {
    bundle: { vkey: string; witness: string; all: string; trace: string; gap: string };
}

const made = (JSON.parse(readFileSync("test/bundle.json", "utf8")) as Made).bundle;

function bytes(buffer: Uint8Array): Bytes {
    return Uint8Array.from(buffer) as Bytes;
}

test("SHA-256 and SHA-512 are those of Node for every length up to two blocks, and for a long text", () => {
    for (const length of [...Array.from({ length: 260 }, (_, i) => i), 100001]) {
        const message = bytes(randomBytes(length));
        assert.equal(toHex(sha256(message)), createHash("sha256").update(message).digest("hex"), `${length}`);
        assert.equal(toHex(sha512(message)), createHash("sha512").update(message).digest("hex"), `${length}`);
    }
});

test("signatures of Node hold, and no bit of them, of the key or of the message can be altered", () => {
    for (let round = 0; round < 2; round++) {
        const { publicKey, privateKey } = generateKeyPairSync("ed25519");
        const raw = bytes(publicKey.export({ type: "spki", format: "der" }).subarray(-32));
        const message = bytes(randomBytes(40));
        const signature = bytes(sign(null, message, privateKey));
        assert.ok(verifyByNode(null, message, publicKey, signature));
        assert.ok(isSignature(signature, message, raw));
        for (let bit = 0; bit < 6; bit++) {
            const at = (bit * 97 + round) % 512;
            const altered = signature.slice();
            altered[at >> 3]! ^= 1 << (at & 7);
            assert.ok(!isSignature(altered, message, raw), `bit ${at} of the signature`);
        }
        const other = message.slice();
        other[round]! ^= 1;
        assert.ok(!isSignature(signature, other, raw));
        const key = raw.slice();
        key[0]! ^= 1;
        assert.ok(!isSignature(signature, message, key));
    }
});

test("the first test vectors of RFC 8032 hold, and a signature with L added to its second half does not", () => {
    const hex = (text: string): Bytes => bytes(Buffer.from(text, "hex"));
    const key = hex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
    const signature = hex(
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    );
    assert.ok(isSignature(signature, hex("72"), key));
    const order = (1n << 252n) + 27742317777372353535851937790883648493n;
    const second = Array.from(signature.slice(32)).reduceRight((number, byte) => (number << 8n) | BigInt(byte), 0n) + order;
    const malleable = signature.slice();
    for (let i = 0; i < 32; i++) {
        malleable[32 + i] = Number((second >> BigInt(8 * i)) & 255n);
    }
    assert.ok(!isSignature(malleable, hex("72"), key));
});

test("a bundle of baton is consistent by itself and verified with a key or a policy from elsewhere", () => {
    for (const json of [made.all, made.trace]) {
        assert.equal(verify(json, null).result, "consistent");
        assert.equal(verify(json, readTrust(made.vkey)).result, "verified");
        assert.equal(verify(json, readTrust(`log ${made.vkey}\nquorum none\n`)).result, "verified");
        const witnessed = `log ${made.vkey}\nwitness w ${made.witness}\nquorum w\n`;
        const missing = verify(json, readTrust(witnessed));
        assert.equal(missing.result, "failed");
        assert.equal(missing.lines[6]?.state, "failed");
    }
});

test("an entry that was left out is found", () => {
    const outcome = verify(made.gap, null);
    assert.equal(outcome.result, "failed");
    assert.equal(outcome.lines[4]?.state, "failed");
    assert.match(outcome.lines[4]?.detail ?? "", /missing/);
});

test("no byte of entries, proof, documents and checkpoint can be altered: every 61st is tried", () => {
    const parts = ['"checkpoint":', '"entries":', '"proof":', '"documents":', '"rules":'].map((name) => made.trace.indexOf(name));
    const [checkpoint, entries] = parts as [number, number];
    const end = parts[4] as number;
    const selection = made.trace.indexOf('"selection":');
    assert.ok(checkpoint > 0 && selection > checkpoint && entries > selection && end > entries);
    for (let i = checkpoint; i < end; i += 61) {
        if (i >= selection && i < entries) {
            i += entries - selection; // what was selected is not in the log
        }
        const other = made.trace[i] === "7" ? "8" : "7";
        const altered = made.trace.slice(0, i) + other + made.trace.slice(i + 1);
        assert.equal(verify(altered, null).result, "failed", `byte ${i}: ${made.trace.slice(i - 20, i + 20)}`);
    }
});

test("keys and policies that are not well-formed are refused", () => {
    for (const text of ["", "x", made.vkey.replace("+", "-"), `log ${made.vkey}\n`, "quorum none\n", `log ${made.vkey}\nquorum w\n`, made.witness]) {
        assert.throws(() => readTrust(text), /./, text);
    }
});
