// SPDX-License-Identifier: Apache-2.0
// judge_npm.mjs NODE_MODULES - COSE receipts judged by @transmute/cose, with @auth0/cose for the detached signature, and DSSE envelopes by
// @sigstore/core. Reads one JSON object per line (see make.py), and answers each with a line: accepted, or refused and why.
import fs from "node:fs";
import { createPublicKey } from "node:crypto";
import { createRequire } from "node:module";
import path from "node:path";
import readline from "node:readline";

const modules = path.resolve(process.argv[2]);
const load = createRequire(path.join(modules, "x.js"));
const transmute = load("@transmute/cose");
const { Sign1 } = load("@auth0/cose");
const { crypto, dsse } = load("@sigstore/core");
const PREFIX = Buffer.from("302a300506032b6570032100", "hex"); // RFC 8410

function versionOf(name) {
    return `${name} ${JSON.parse(fs.readFileSync(path.join(modules, name, "package.json"), "utf8")).version}`;
}

// The root is computed by one library and the signature over it verified by the other.
async function judgeReceipt({ receipt, entry }, key) {
    const bytes = Buffer.from(receipt, "base64");
    const leaf = transmute.receipt.leaf(new Uint8Array(Buffer.from(entry, "base64")));
    const verifier = {
        verify: ({ coseSign1, payload }) => Sign1.decode(new Uint8Array(coseSign1)).verify(key, { detachedPayload: new Uint8Array(payload) }),
    };
    await transmute.receipt.inclusion.verify({ entry: await leaf, receipt: bytes, verifier });
}

function judgeEnvelope({ envelope }, key) {
    const { payload, payloadType, signatures } = JSON.parse(envelope);
    const signed = dsse.preAuthEncoding(payloadType, Buffer.from(payload, "base64"));
    if (signatures.length === 0 || !signatures.every(({ sig }) => crypto.verify(signed, key, Buffer.from(sig, "base64")))) {
        throw new Error("signature");
    }
}

console.log(["@transmute/cose", "@auth0/cose", "@sigstore/core"].map(versionOf).join(", "));
for await (const line of readline.createInterface({ input: process.stdin })) {
    const given = JSON.parse(line);
    const key = createPublicKey({ key: Buffer.concat([PREFIX, Buffer.from(given.public, "base64")]), format: "der", type: "spki" });
    try {
        await (given.envelope ? judgeEnvelope(given, key) : judgeReceipt(given, key));
        console.log("accepted");
    } catch (why) {
        console.log(`refused: ${String(why).split("\n")[0].slice(0, 100)}`);
    }
}
