// SPDX-License-Identifier: Apache-2.0
// ledger.mjs BATON NODE_MODULES - checkpoints and receipts of a growing ledger, judged by @sigstore/verify. At every
// interesting size it must find the root that Baton signed from the entry and its proof, and refuse what was changed.
import { spawnSync } from "node:child_process";
import { createHash, createPublicKey } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";

const [baton, modules] = process.argv.slice(2).map((word) => path.resolve(word));
const require = createRequire(path.join(modules, "x.js"));
const { verifyCheckpoint } = require(path.join(modules, "@sigstore/verify/dist/tlog/checkpoint.js"));
const { verifyMerkleInclusion } = require(path.join(modules, "@sigstore/verify/dist/tlog/merkle.js"));

const SIZES = [1, 2, 255, 256, 257, 65535, 65536, 65537, 70000];
const BATCH = 10000;
const folder = mkdtempSync(path.join(tmpdir(), "baton-interop-"));

function run(...words) {
  const result = spawnSync(baton, words, { cwd: folder, maxBuffer: 1 << 28 });
  if (result.status !== 0) {
    throw new Error(`baton ${words.slice(0, 4).join(" ")}: exit ${result.status}: ${result.stderr}`);
  }
  return result.stdout.toString();
}

// The log as the verifier knows logs: a key, its id, and a name.
function logOf(vkey) {
  const [name, id, encoded] = [vkey.slice(0, vkey.indexOf("+")), ...vkey.slice(vkey.indexOf("+") + 1).split(/\+(.*)/s)];
  const key = Buffer.from(encoded, "base64").subarray(1);
  const prefix = Buffer.from("302a300506032b6570032100", "hex"); // RFC 8410
  return {
    logID: Buffer.from(id, "hex"),
    baseURL: name,
    publicKey: createPublicKey({ key: Buffer.concat([prefix, key]), format: "der", type: "spki" }),
  };
}

function judge(receipt, log) {
  const entry = {
    canonicalizedBody: Buffer.from(receipt.entry, "base64"),
    inclusionProof: {
      logIndex: String(receipt.index),
      hashes: receipt.proof.map((hash) => Buffer.from(hash, "hex")),
      checkpoint: { envelope: receipt.checkpoint },
    },
  };
  const checkpoint = verifyCheckpoint(entry, [log]);
  verifyMerkleInclusion(entry, checkpoint);
  return checkpoint;
}

function isRefused(receipt, log) {
  try {
    judge(receipt, log);
  } catch {
    return true;
  }
  return false;
}

// One thing changed about a receipt, in every way that it has.
function* forgeries(receipt) {
  const entry = Buffer.from(receipt.entry, "base64");
  entry[entry.length >> 1] ^= 1;
  yield { ...receipt, entry: entry.toString("base64") };
  yield { ...receipt, index: receipt.index + 1 };
  yield { ...receipt, proof: [...receipt.proof, createHash("sha256").digest("hex")] };
  for (let i = 0; i < receipt.proof.length; i++) {
    const hash = Buffer.from(receipt.proof[i], "hex");
    hash[i] ^= 1 << i % 8;
    yield { ...receipt, proof: receipt.proof.with(i, hash.toString("hex")) };
    yield { ...receipt, proof: receipt.proof.toSpliced(i, 1) };
  }
  const signature = receipt.checkpoint.lastIndexOf(" ") + 20;
  const other = receipt.checkpoint[signature] === "A" ? "B" : "A";
  yield { ...receipt, checkpoint: receipt.checkpoint.slice(0, signature) + other + receipt.checkpoint.slice(signature + 1) };
  yield { ...receipt, checkpoint: receipt.checkpoint.replace("\n", "/x\n") };
}

function grow(size, next) {
  while (size < next) {
    const count = Math.min(BATCH, next - size);
    run("ledger", "append", ...Array(count).fill(["--raw", "a.txt"]).flat(), "--deadline", "60000", "-f", "concise", "-o", "log");
    size += count;
  }
  return next;
}

let size = 0;
let agreed = 0;
let refused = 0;
const trouble = [];
try {
  writeFileSync(path.join(folder, "a.txt"), "hello\n");
  const made = JSON.parse(run("ledger", "init", "--origin", "ledger.example/interop", "--seed", "1", "-f", "json"));
  const log = logOf(made.vkey);
  for (const next of SIZES) {
    size = grow(size, next);
    const root = JSON.parse(run("ledger", "checkpoint", "-f", "json")).root;
    for (const seq of new Set([0, size >> 1, size - 1])) {
      const receipt = JSON.parse(run("ledger", "prove", "inclusion", String(seq), "-f", "json"));
      const checkpoint = judge(receipt, log);
      const same = Number(checkpoint.logSize) === size && checkpoint.logHash.toString("hex") === root;
      same ? agreed++ : trouble.push(`size ${size}: another root`);
      for (const forgery of forgeries(receipt)) {
        isRefused(forgery, log) ? refused++ : trouble.push(`size ${size}, entry ${seq}: a forgery passes`);
      }
    }
  }
} catch (why) {
  trouble.push(String(why));
} finally {
  rmSync(folder, { recursive: true });
}
for (const line of trouble.slice(0, 20)) {
  console.log(line);
}
console.log(`${agreed} receipts at ${SIZES.length} sizes agreed on, ${refused} forgeries refused, ${trouble.length} differences`);
process.exit(trouble.length === 0 && agreed > 0 && refused > 0 ? 0 : 1);
