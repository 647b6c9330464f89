// SPDX-License-Identifier: Apache-2.0
// vectors.mjs WYCHEPROOF NIST - the page's own SHA-256, SHA-512 and Ed25519 against the published vectors of others: WYCHEPROOF is a folder with
// ed25519_test.json, NIST one with the response files of the SHA-2 tests. Node reads the sources of the page as they are.
import fs from "node:fs";
import { registerHooks } from "node:module";
import path from "node:path";
import { equal, finish } from "../tally.mjs";

registerHooks({
    resolve: (name, context, next) => next(/^\.{1,2}\//.test(name) && !path.extname(name) ? `${name}.ts` : name, context),
});
const { sha256, sha512 } = await import("../../../console/src/bundle/sha.ts");
const { isSignature } = await import("../../../console/src/bundle/ed25519.ts");
const [wycheproof, nist] = process.argv.slice(2);
const hex = (text) => new Uint8Array(Buffer.from(text, "hex"));
const flipped = (bytes, at = 0) => bytes.with(at, bytes[at] ^ 1);

// Each message of a response file: its length in bits, the message, its digest.
function* messages(name) {
    const text = fs.readFileSync(path.join(nist, name), "utf8");
    for (const [, bits, message, digest] of text.matchAll(/Len = (\d+)\s+Msg = ([0-9a-f]+)\s+MD = ([0-9a-f]+)/g)) {
        yield { message: hex(message).subarray(0, Number(bits) / 8), digest };
    }
}

for (const [hash, label] of [[sha256, "SHA256"], [sha512, "SHA512"]]) {
    for (const kind of ["ShortMsg", "LongMsg"]) {
        const all = [...messages(`${label}${kind}.rsp`)];
        const digests = (change) => all.map(({ message }) => Buffer.from(hash(change(message))).toString("hex"));
        const agreed = digests((message) => message).filter((digest, i) => digest === all[i].digest).length;
        equal(`${label} gives each of the ${all.length} digests of NIST's ${kind}`, [agreed, all.length > 60], [all.length, true]);
        const changed = digests((message) => (message.length > 0 ? flipped(message) : new Uint8Array(1)));
        equal(`control: with one bit flipped it gives none of them`, changed.filter((digest, i) => digest === all[i].digest).length, 0);
    }
}

const { testGroups, numberOfTests } = JSON.parse(fs.readFileSync(path.join(wycheproof, "ed25519_test.json"), "utf8"));
const tests = testGroups.flatMap(({ publicKey, tests }) => tests.map((test) => ({ ...test, key: hex(publicKey.pk) })));
const verified = ({ key, msg, sig }, change = (bytes) => bytes) => isSignature(change(hex(sig)), hex(msg), key);
const wrong = tests.filter((test) => verified(test) !== (test.result === "valid"));
equal(`Ed25519 answers each of the ${numberOfTests} tests of Wycheproof as published`, [wrong.map(({ tcId }) => tcId), tests.length], [[], numberOfTests]);
const valid = tests.filter(({ result }) => result === "valid");
equal(`control: each of the ${valid.length} valid ones is refused with one bit flipped`, valid.filter((test) => verified(test, flipped)).length, 0);
equal("control: some are valid and some are not", [valid.length > 50, tests.length - valid.length > 50], [true, true]);
finish();
