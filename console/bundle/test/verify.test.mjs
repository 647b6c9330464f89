// test/verify.test.ts
import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";

// src/verify/bytes.ts
var Malformed = class extends Error {
};
function fromUtf8(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Malformed("the bytes are not UTF-8");
  }
}
function toUtf8(text) {
  return new TextEncoder().encode(text);
}
function fromHex(text) {
  if (!/^([0-9a-f]{2})*$/.test(text)) {
    throw new Malformed("a hash is not written in hex digits");
  }
  return Uint8Array.from({ length: text.length / 2 }, (_, i) => parseInt(text.slice(2 * i, 2 * i + 2), 16));
}
function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
function fromBase64(text) {
  let raw;
  try {
    raw = atob(text);
  } catch {
    throw new Malformed("a text is not base64");
  }
  if (btoa(raw) !== text) {
    throw new Malformed("a text is not base64 in its one form");
  }
  return Uint8Array.from(raw, (c) => c.charCodeAt(0));
}
function join(...parts) {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
function same(a, b) {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
async function sha256(bytes) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

// src/verify/note.ts
var LOG = 1;
var NOTE_MAX = 65536;
var LINES_MAX = 64;
var ID_BYTES = 4;
var KEY_BYTES = 32;
var SIGNATURE_BYTES = 64;
async function readKey(text) {
  const match = /^([A-Za-z0-9][A-Za-z0-9._/-]{0,199})\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text.trim());
  if (!match) {
    throw new Malformed("the key is not of the form NAME+ID+BASE64");
  }
  const [whole, name, id, coded] = match;
  const typed = fromBase64(coded);
  if (typed.length !== KEY_BYTES + 1 || typed[0] !== LOG) {
    throw new Malformed("the key is not an Ed25519 key of a log");
  }
  const digest = await sha256(join(toUtf8(`${name}
`), typed));
  if (toHex(digest.slice(0, ID_BYTES)) !== id) {
    throw new Malformed("the id of the key does not fit the key");
  }
  return { text: whole, name, id: digest.slice(0, ID_BYTES), bytes: typed.slice(1) };
}
function readSignature(line) {
  const match = /^\u2014 ([^ +]+) ([A-Za-z0-9+/=]+)$/.exec(line);
  if (!match) {
    throw new Malformed("a signature line of the checkpoint is not well-formed");
  }
  const bytes = fromBase64(match[2]);
  if (bytes.length <= ID_BYTES) {
    throw new Malformed("a signature of the checkpoint is too short");
  }
  return { name: match[1], id: bytes.slice(0, ID_BYTES), bytes: bytes.slice(ID_BYTES) };
}
function readCheckpoint(note) {
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
async function importKey(key) {
  try {
    return await crypto.subtle.importKey("raw", key.bytes, { name: "Ed25519" }, false, ["verify"]);
  } catch {
    return null;
  }
}
async function isSigned(checkpoint, key) {
  const ours = checkpoint.signatures.filter((s) => s.name === key.name && same(s.id, key.id));
  if (ours.length === 0 || checkpoint.origin !== key.name) {
    return "unsigned";
  }
  const usable = await importKey(key);
  if (!usable) {
    return "unsupported";
  }
  for (const signature of ours) {
    const isValid = signature.bytes.length === SIGNATURE_BYTES && await crypto.subtle.verify({ name: "Ed25519" }, usable, signature.bytes, toUtf8(checkpoint.text));
    if (!isValid) {
      return "invalid";
    }
  }
  return "valid";
}

// src/verify/pin.ts
var browserMemory = {
  get: (name) => localStorage.getItem(name),
  set: (name, value) => localStorage.setItem(name, value)
};
var KEY = "baton.vkey";
var HOW = "baton.vkey.how";
var ROTATION = "baton.vkey.rotation";
function pinned(vkey, memory = browserMemory) {
  const known = memory.get(KEY);
  if (known === null) {
    trust(vkey, "first", memory);
    return { vkey, how: "first", rotation: null, shown: vkey, isChanged: false };
  }
  const how = memory.get(HOW) === "pasted" ? "pasted" : "first";
  return { vkey: known, how, rotation: rotationIn(memory), shown: vkey, isChanged: known !== vkey };
}
function rotationIn(memory) {
  try {
    return JSON.parse(memory.get(ROTATION) ?? "");
  } catch {
    return null;
  }
}
function trust(vkey, how, memory = browserMemory) {
  memory.set(KEY, vkey);
  memory.set(HOW, how);
  memory.set(ROTATION, "");
}
function follow(pin, seq, memory = browserMemory) {
  const rotation = { from: pin.vkey, seq };
  trust(pin.shown, pin.how, memory);
  memory.set(ROTATION, JSON.stringify(rotation));
  return { ...pin, vkey: pin.shown, rotation, isChanged: false };
}

// src/verify/tree.ts
var PROOF_MAX = 63;
function leafHash(entry) {
  return sha256(join(new Uint8Array([0]), entry));
}
function nodeHash(left, right) {
  return sha256(join(new Uint8Array([1]), left, right));
}
async function rootFromInclusion(leaf, index, size, proof, path = []) {
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
async function isConsistent(older, newer, proof) {
  if (older.size > newer.size || proof.length > PROOF_MAX) {
    return false;
  }
  if (older.size === newer.size || older.size === 0n) {
    return proof.length === 0 && (older.size === 0n || same(older.root, newer.root));
  }
  const isPower = (older.size & older.size - 1n) === 0n;
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

// src/verify/receipt.ts
var RECEIPT_MAX = 262144;
function readReceipt(text) {
  if (text.length > RECEIPT_MAX) {
    throw new Malformed("the receipt is too large");
  }
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Malformed("the receipt is not JSON");
  }
  const { baton_receipt: version, index, entry, proof, checkpoint, ...rest } = value;
  if (version !== 1 || typeof index !== "number" || !Number.isSafeInteger(index) || index < 0) {
    throw new Malformed("the receipt has no index");
  }
  if (typeof entry !== "string" || typeof checkpoint !== "string" || Object.keys(rest).length > 0) {
    throw new Malformed("the receipt is not of the known form");
  }
  if (!Array.isArray(proof) || !proof.every((hash) => typeof hash === "string" && hash.length === 64)) {
    throw new Malformed("the proof of the receipt is not a list of hashes");
  }
  return {
    index: BigInt(index),
    entry: fromBase64(entry),
    proof: proof.map(fromHex),
    checkpoint: readCheckpoint(checkpoint)
  };
}
function isEqual(a, b) {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
    return a === b;
  }
  const left = Object.entries(a);
  return Array.isArray(a) === Array.isArray(b) && left.length === Object.keys(b).length && left.every(([name, value]) => Object.hasOwn(b, name) && isEqual(value, b[name]));
}
function asEntry(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : null;
  } catch {
    return null;
  }
}
function entryOf(receipt) {
  return asEntry(fromUtf8(receipt.entry));
}
async function entryStep(receipt, shown, leaf) {
  const name = "Entry hash";
  const text = fromUtf8(receipt.entry);
  const entry = asEntry(text);
  if (toHex(leaf) !== shown.leafHash || text !== shown.canonical || !isEqual(entry, shown.entry)) {
    return { name, state: "fails", detail: "the entry on this page is not the one in the receipt" };
  }
  if (receipt.index !== BigInt(shown.seq) || entry?.["seq"] !== shown.seq) {
    return { name, state: "fails", detail: "the receipt is for another place in the ledger" };
  }
  return { name, state: "holds", detail: toHex(leaf) };
}
async function inclusionStep(receipt, leaf, path) {
  const { size, root } = receipt.checkpoint;
  const found = await rootFromInclusion(leaf, receipt.index, size, receipt.proof, path);
  return found && same(found, root) ? { name: "Inclusion proof", state: "holds", detail: `entry ${receipt.index} of a tree of ${size}` } : { name: "Inclusion proof", state: "fails", detail: "the hashes do not lead to the root of the checkpoint" };
}
async function signatureStep(receipt, key) {
  const name = "Signature";
  switch (await isSigned(receipt.checkpoint, key)) {
    case "valid":
      return { name, state: "holds", detail: `Ed25519, ${key.name}+${toHex(key.id)}` };
    case "invalid":
      return { name, state: "fails", detail: "the signature is not by the key that this browser trusts" };
    case "unsigned":
      return { name, state: "fails", detail: "no signature by the key that this browser trusts" };
    case "unsupported":
      return { name, state: "unknown", detail: "this browser has no Ed25519" };
  }
}
async function documentStep(entry, document) {
  const name = "Document digest";
  const recorded = entry?.document;
  if (!recorded) {
    return { name, state: "holds", detail: "the entry names no document" };
  }
  if (!document) {
    return { name, state: "holds", detail: "the bytes are not here; the entry keeps their digest" };
  }
  const digest = toHex(await sha256(document));
  return digest === recorded.sha256 && document.length === recorded.size ? { name, state: "holds", detail: digest } : { name, state: "fails", detail: "the document on this page is not the one that was judged" };
}
async function isCovered(receipt, key) {
  const steps = [await inclusionStep(receipt, await leafHash(receipt.entry)), await signatureStep(receipt, key)];
  return steps.every((step) => step.state === "holds");
}
async function prove(text, shown, key) {
  let steps;
  let way = null;
  try {
    const receipt = readReceipt(text);
    const leaf = await leafHash(receipt.entry);
    way = { leaf, path: [], root: receipt.checkpoint.root };
    steps = [
      await entryStep(receipt, shown, leaf),
      await inclusionStep(receipt, leaf, way.path),
      await signatureStep(receipt, key),
      await documentStep(shown.entry, shown.document)
    ];
  } catch (error) {
    if (!(error instanceof Malformed)) {
      throw error;
    }
    steps = [{ name: "Receipt", state: "fails", detail: error.message }];
  }
  const fails = steps.some((step) => step.state === "fails");
  const state = fails ? "fails" : steps.every((step) => step.state === "holds") ? "holds" : "unknown";
  return { state, steps, entry: state === "holds" ? asEntry(shown.canonical) : null, way };
}

// src/verify/rotation.ts
var STEPS_MAX = 32;
async function successor(handover, from) {
  try {
    const receipt = readReceipt(handover.receipt);
    const entry = entryOf(receipt);
    const line = fromUtf8(handover.document);
    const next = await readKey(line);
    const isIt = entry?.kind === "key" && entry.seq === handover.seq && receipt.index === BigInt(handover.seq) && entry.refs?.old_key === toHex(from.id) && entry.refs.new_key === toHex(next.id) && entry.document?.sha256 === toHex(await sha256(handover.document)) && line === `${next.text}
` && next.name === from.name;
    return isIt && await isCovered(receipt, from) ? next : null;
  } catch (error) {
    if (error instanceof Malformed) {
      return null;
    }
    throw error;
  }
}
async function rotatedIn(from, to, find) {
  let key = await readKey(from);
  for (let step = 0; step < STEPS_MAX; step++) {
    const handover = await find(key);
    const next = handover && await successor(handover, key);
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

// test/verify.test.ts
if (!("crypto" in globalThis)) {
  Object.defineProperty(globalThis, "crypto", { value: webcrypto });
}
var made = JSON.parse(readFileSync("test/made.json", "utf8"));
function shownOf(receipt) {
  const { seq, leaf_hash: leafHash2, canonical, entry } = receipt.show;
  return { seq, leafHash: leafHash2, canonical, entry, document: toUtf8(receipt.document) };
}
function emptyMemory() {
  const kept = /* @__PURE__ */ new Map();
  return { get: (name) => kept.get(name) ?? null, set: (name, value) => void kept.set(name, value) };
}
function handoverOf({ seq, receipt, new: next }) {
  return { seq, receipt, document: toUtf8(`${next}
`) };
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
        ["Document digest", "holds"]
      ]
    );
    assert.equal(proof.state, "holds");
    assert.equal(proof.entry?.["seq"], receipt.show.seq);
  }
});
test("no byte of a receipt can be altered", async () => {
  const key = await readKey(made.vkey);
  const receipt = made.receipts[2];
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
  const receipt = made.receipts[3];
  const good = shownOf(receipt);
  const entry = good.entry;
  const bad = [
    { seq: good.seq + 1 },
    { leafHash: good.leafHash.replace(/^./, (c) => c === "0" ? "1" : "0") },
    { canonical: good.canonical.replace("cli", "cly") },
    { entry: { ...entry, verdict: entry["verdict"] === "accepted" ? "rejected" : "accepted" } },
    { entry: { ...entry, extra: 1 } },
    { entry: Object.fromEntries(Object.entries(entry).slice(1)) },
    { document: toUtf8(`${receipt.document} `) }
  ];
  for (const change of bad) {
    const proof = await prove(receipt.text, { ...good, ...change }, key);
    assert.equal(proof.state, "fails", JSON.stringify(change).slice(0, 60));
  }
});
test("another key proves nothing, and a changed key is noticed", async () => {
  const receipt = made.receipts[0];
  const proof = await prove(receipt.text, shownOf(receipt), await readKey(made.other_vkey));
  assert.equal(proof.state, "fails");
  const memory = emptyMemory();
  assert.deepEqual(pinned(made.vkey, memory), {
    vkey: made.vkey,
    how: "first",
    rotation: null,
    shown: made.vkey,
    isChanged: false
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
    isChanged: false
  });
});
test("a key that the known one handed over to is followed, over several rotations", async () => {
  const [first, second] = made.rotations;
  const find = async (old) => {
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
    isChanged: false
  });
  assert.equal(pinned(first.old, memory).isChanged, true, "the old key is trusted no more");
});
test("no rotation is believed that the old key has not signed", async () => {
  const [first, second] = made.rotations;
  const old = await readKey(first.old);
  const good = handoverOf(first);
  assert.equal((await successor(good, old))?.text, first.new, "control");
  const bad = [
    { receipt: first.late },
    // signed by the new key alone
    { receipt: second.receipt },
    { seq: first.seq + 1 },
    { document: toUtf8(first.new) },
    { document: toUtf8(`${made.other_vkey}
`) },
    { document: toUtf8(`${second.new}
`) },
    { receipt: made.receipts[0].text },
    { receipt: "{}" }
  ];
  for (const change of bad) {
    assert.equal(await successor({ ...good, ...change }, old), null, JSON.stringify(change).slice(0, 60));
  }
  assert.equal(await successor(good, await readKey(made.other_vkey)), null);
  const end = first.receipt.lastIndexOf(` ${old.name} `);
  for (let i = 0; i < end - 1; i++) {
    const other = first.receipt[i] === "7" ? "8" : "7";
    const altered = first.receipt.slice(0, i) + other + first.receipt.slice(i + 1);
    assert.equal(await successor({ ...good, receipt: altered }, old), null, `byte ${i}`);
  }
});
test("a browser without Ed25519 shows no tick, and no failure", async () => {
  const receipt = made.receipts[0];
  const subtle = crypto.subtle;
  const real = subtle.importKey.bind(subtle);
  subtle.importKey = () => Promise.reject(new DOMException("no", "NotSupportedError"));
  try {
    const proof = await prove(receipt.text, shownOf(receipt), await readKey(made.vkey));
    assert.equal(proof.state, "unknown");
    assert.deepEqual(
      proof.steps.map((step) => step.state),
      ["holds", "holds", "unknown", "holds"]
    );
  } finally {
    subtle.importKey = real;
  }
});
test("checkpoints are signed, and altered ones are not", async () => {
  const key = await readKey(made.vkey);
  for (const note of made.checkpoints) {
    assert.equal(await isSigned(readCheckpoint(note), key), "valid");
  }
  const last = made.checkpoints.at(-1);
  const larger = last.replace(/\n(\d+)\n/, (_, size) => `
${Number(size) + 1}
`);
  assert.equal(await isSigned(readCheckpoint(larger), key), "invalid");
  for (const broken of [
    last.slice(0, -1),
    last.replace("\n", "\r\n"),
    `${last}
`,
    last.replace(/\n(\d+)\n/, "\n0$1\n"),
    "",
    "\n\n"
  ]) {
    assert.throws(() => readCheckpoint(broken));
  }
});
test("every pair of sizes is consistent, and no altered proof is", async () => {
  const heads = made.checkpoints.map(readCheckpoint);
  const at = (size) => heads.find((head) => head.size === BigInt(size));
  assert.ok(made.consistency.length > 10);
  for (const { old, new: now, proof } of made.consistency) {
    const hashes = proof.map(fromHex);
    assert.equal(await isConsistent(at(old), at(now), hashes), true, `${old} to ${now}`);
    if (old === 0) {
      continue;
    }
    const forked = { size: at(old).size, root: at(old).root.map((byte, i) => i ? byte : byte ^ 1) };
    assert.equal(await isConsistent(forked, at(now), hashes), false, `fork at ${old}`);
    if (hashes.length > 0) {
      assert.equal(await isConsistent(at(old), at(now), hashes.slice(1)), false);
      assert.equal(await isConsistent(at(old), at(now), [...hashes, hashes[0]]), false);
    }
    if (old < now) {
      assert.equal(await isConsistent(at(now), at(old), hashes), false, "a rollback");
    }
  }
});
test("keys are read strictly", async () => {
  const id = made.vkey.split("+")[1];
  for (const bad of ["", "x", made.vkey.replace(id, "00000000"), made.vkey.replace("+A", "+B"), `${made.vkey}A`]) {
    await assert.rejects(readKey(bad));
  }
});
