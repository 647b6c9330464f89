// test/bundle.test.ts
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, randomBytes, sign, verify as verifyByNode } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";

// src/verify/bytes.ts
var Malformed = class extends Error {
};
function fromUtf8(bytes2) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes2);
  } catch {
    throw new Malformed("the bytes are not UTF-8");
  }
}
function toUtf8(text2) {
  return new TextEncoder().encode(text2);
}
function fromHex(text2) {
  if (!/^([0-9a-f]{2})*$/.test(text2)) {
    throw new Malformed("a hash is not written in hex digits");
  }
  return Uint8Array.from({ length: text2.length / 2 }, (_, i) => parseInt(text2.slice(2 * i, 2 * i + 2), 16));
}
function toHex(bytes2) {
  return Array.from(bytes2, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
function fromBase64(text2) {
  let raw;
  try {
    raw = atob(text2);
  } catch {
    throw new Malformed("a text is not base64");
  }
  if (btoa(raw) !== text2) {
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

// src/bundle/sha.ts
var primes = [];
for (let n = 2n; primes.length < 80; n++) {
  if (primes.every((prime) => n % prime !== 0n)) {
    primes.push(n);
  }
}
function rootOf(n, power2) {
  let low = 0n;
  let high = 1n << BigInt(Math.ceil(n.toString(2).length / Number(power2)) + 1);
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (middle ** power2 <= n) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}
function fraction(prime, power2) {
  return BigInt.asUintN(64, rootOf(prime << 64n * power2, power2));
}
var K = primes.map((prime) => fraction(prime, 3n));
var H = primes.slice(0, 8).map((prime) => fraction(prime, 2n));
var K32 = Int32Array.from(K.slice(0, 64), (word2) => Number(word2 >> 32n) | 0);
var H32 = Int32Array.from(H, (word2) => Number(word2 >> 32n) | 0);
function padded(message, block) {
  const whole = new Uint8Array(Math.ceil((message.length + 1 + block / 8) / block) * block);
  whole.set(message);
  whole[message.length] = 128;
  const view = new DataView(whole.buffer);
  view.setBigUint64(whole.length - 8, BigInt(message.length) * 8n);
  return view;
}
var w32 = new Int32Array(64);
function sha256(message) {
  const view = padded(message, 64);
  const state = H32.slice();
  for (let at = 0; at < view.byteLength; at += 64) {
    for (let i = 0; i < 16; i++) {
      w32[i] = view.getInt32(at + 4 * i);
    }
    for (let i = 16; i < 64; i++) {
      const x = w32[i - 15];
      const y = w32[i - 2];
      const s0 = (x >>> 7 | x << 25) ^ (x >>> 18 | x << 14) ^ x >>> 3;
      const s1 = (y >>> 17 | y << 15) ^ (y >>> 19 | y << 13) ^ y >>> 10;
      w32[i] = w32[i - 16] + s0 + w32[i - 7] + s1 | 0;
    }
    let a = state[0];
    let b = state[1];
    let c = state[2];
    let d = state[3];
    let e = state[4];
    let f = state[5];
    let g = state[6];
    let h = state[7];
    for (let i = 0; i < 64; i++) {
      const s1 = (e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7);
      const t1 = h + s1 + (e & f ^ ~e & g) + K32[i] + w32[i] | 0;
      const s0 = (a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10);
      const t2 = s0 + (a & b ^ a & c ^ b & c) | 0;
      h = g;
      g = f;
      f = e;
      e = d + t1 | 0;
      d = c;
      c = b;
      b = a;
      a = t1 + t2 | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((word2, i) => state[i] = state[i] + word2 | 0);
  }
  const out = new DataView(new ArrayBuffer(32));
  state.forEach((word2, i) => out.setInt32(4 * i, word2));
  return new Uint8Array(out.buffer);
}
function turned(word2, by) {
  return word2 >> by | BigInt.asUintN(64, word2 << 64n - by);
}
function sha512(message) {
  const view = padded(message, 128);
  const state = H.slice();
  const w = [];
  for (let at = 0; at < view.byteLength; at += 128) {
    for (let i = 0; i < 80; i++) {
      if (i < 16) {
        w[i] = view.getBigUint64(at + 8 * i);
        continue;
      }
      const x = w[i - 15];
      const y = w[i - 2];
      const s0 = turned(x, 1n) ^ turned(x, 8n) ^ x >> 7n;
      const s1 = turned(y, 19n) ^ turned(y, 61n) ^ y >> 6n;
      w[i] = BigInt.asUintN(64, w[i - 16] + s0 + w[i - 7] + s1);
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 80; i++) {
      const s1 = turned(e, 14n) ^ turned(e, 18n) ^ turned(e, 41n);
      const t1 = h + s1 + (e & f ^ BigInt.asUintN(64, ~e) & g) + K[i] + w[i];
      const s0 = turned(a, 28n) ^ turned(a, 34n) ^ turned(a, 39n);
      const t2 = s0 + (a & b ^ a & c ^ b & c);
      h = g;
      g = f;
      f = e;
      e = BigInt.asUintN(64, d + t1);
      d = c;
      c = b;
      b = a;
      a = BigInt.asUintN(64, t1 + t2);
    }
    [a, b, c, d, e, f, g, h].forEach((word2, i) => state[i] = BigInt.asUintN(64, state[i] + word2));
  }
  const out = new DataView(new ArrayBuffer(64));
  state.forEach((word2, i) => out.setBigUint64(8 * i, word2));
  return new Uint8Array(out.buffer);
}

// src/bundle/ed25519.ts
var P = (1n << 255n) - 19n;
var L = (1n << 252n) + 27742317777372353535851937790883648493n;
var TOP = 1n << 255n;
function mod(n) {
  const rest = n % P;
  return rest < 0n ? rest + P : rest;
}
function power(base, exponent) {
  let result = 1n;
  let square = base;
  for (let left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) {
      result = result * square % P;
    }
    square = square * square % P;
  }
  return result;
}
var D = mod(-121665n * power(121666n, P - 2n));
var ROOT = power(2n, (P - 1n) / 4n);
var ZERO = [0n, 1n, 1n, 0n];
function sum(p, q) {
  const a = p[0] * q[0] % P;
  const b = p[1] * q[1] % P;
  const c = p[3] * q[3] % P * D % P;
  const d = p[2] * q[2] % P;
  const e = mod((p[0] + p[1]) * (q[0] + q[1]) - a - b);
  const f = mod(d - c);
  const g = d + c;
  const h = b + a;
  return [e * f % P, g * h % P, f * g % P, e * h % P];
}
function times(point, factor) {
  let result = ZERO;
  let double = point;
  for (let left = factor; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) {
      result = sum(result, double);
    }
    double = sum(double, double);
  }
  return result;
}
function fromBytes(bytes2) {
  return bytes2.reduceRight((number, byte) => number << 8n | BigInt(byte), 0n);
}
function toBytes(number) {
  return Uint8Array.from({ length: 32 }, (_, i) => Number(number >> BigInt(8 * i) & 255n));
}
function decoded(bytes2) {
  const number = fromBytes(bytes2);
  const y = number % TOP;
  const isOdd = number >= TOP;
  if (y >= P) {
    return null;
  }
  const u = mod(y * y - 1n);
  const v = mod(D * y * y + 1n);
  let x = u * power(v, 3n) * power(u * power(v, 7n), (P - 5n) / 8n) % P;
  if (mod(v * x * x) !== u) {
    x = x * ROOT % P;
  }
  if (mod(v * x * x) !== u || x === 0n && isOdd) {
    return null;
  }
  const chosen = (x & 1n) === 1n === isOdd ? x : mod(-x);
  return [chosen, y, 1n, chosen * y % P];
}
function encoded([x, y, z]) {
  const inverse = power(z, P - 2n);
  return toBytes(y * inverse % P | (x * inverse % P & 1n) << 255n);
}
var BASE = decoded(toBytes(mod(4n * power(5n, P - 2n))));
function isSignature(signature, message, key) {
  if (signature.length !== 64 || key.length !== 32) {
    return false;
  }
  const point = decoded(key);
  const s = fromBytes(signature.slice(32));
  if (!point || s >= L) {
    return false;
  }
  const first = signature.slice(0, 32);
  const h = fromBytes(sha512(join(first, key, message))) % L;
  const minus = [mod(-point[0]), point[1], 1n, mod(-point[3])];
  return same(encoded(sum(times(BASE, s), times(minus, h))), first);
}

// src/bundle/trust.ts
var LOG = 1;
var WITNESS = 4;
var POLICY_MAX = 65536;
function readKey(text2) {
  const match = /^([^\s+]{1,200})\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text2.trim());
  if (!match) {
    throw new Malformed("a key is NAME+ID+BASE64");
  }
  const [, name, id, coded] = match;
  const typed = fromBase64(coded);
  const digest = sha256(join(toUtf8(`${name}
`), typed));
  if (toHex(digest.slice(0, 4)) !== id) {
    throw new Malformed("the id of the key does not fit the key");
  }
  return { name, id: digest.slice(0, 4), type: typed[0] ?? 0, bytes: typed.slice(1) };
}
function readLogKey(text2) {
  const key = readKey(text2);
  if (key.type !== LOG || key.bytes.length !== 32) {
    throw new Malformed("the key is not an Ed25519 key of a log");
  }
  return key;
}
function leastOf(word2, count2) {
  const least = word2 === "any" ? 1 : word2 === "all" ? count2 : /^[1-9][0-9]{0,3}$/.test(word2) ? Number(word2) : 0;
  if (least < 1 || least > count2) {
    throw new Malformed("a group needs any, all, or a number of its members");
  }
  return least;
}
function addLine(trust, words) {
  const [what, name = "", ...rest] = words;
  const isTaken = trust.witnesses.has(name) || trust.groups.has(name) || name === "none";
  if (what === "log" && words.length >= 2 && words.length <= 3) {
    trust.logs.push(readLogKey(name));
  } else if (what === "witness" && !isTaken && rest.length >= 1 && rest.length <= 2) {
    const key = readKey(rest[0]);
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
    trust.groups.set(name, { least: leastOf(rest[0], members.length), members });
  } else if (what === "quorum" && words.length === 2 && trust.quorum === "" && (isTaken || name === "none")) {
    trust.quorum = name;
  } else {
    throw new Malformed("it is not a line of a policy");
  }
}
function readPolicy(text2) {
  const trust = { logs: [], witnesses: /* @__PURE__ */ new Map(), groups: /* @__PURE__ */ new Map(), quorum: "" };
  text2.split("\n").forEach((line, i) => {
    const words = line.split(/[ \t\r]+/).filter((word2) => word2 !== "");
    if (words.length === 0 || words[0].startsWith("#")) {
      return;
    }
    try {
      addLine(trust, words);
    } catch (error) {
      throw new Malformed(`line ${i + 1} of the policy: ${error.message}`);
    }
  });
  if (trust.logs.length === 0 || trust.quorum === "") {
    throw new Malformed("a policy needs a log and a quorum");
  }
  return trust;
}
function trustKeys(lines) {
  return { logs: lines.map(readLogKey), witnesses: /* @__PURE__ */ new Map(), groups: /* @__PURE__ */ new Map(), quorum: "none" };
}
function readTrust(text2) {
  if (text2.length > POLICY_MAX) {
    throw new Malformed("it is longer than 64 KiB");
  }
  const lines = text2.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
  if (lines.length === 0) {
    throw new Malformed("enter a key or a policy");
  }
  return lines.some((line) => /^(log|witness|group|quorum)[ \t]/.test(line)) ? readPolicy(text2) : trustKeys(lines);
}
function isBy(line, key) {
  return line.name === key.name && same(line.id, key.id);
}
function faultOf(checkpoint, logs) {
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
function hasCosigned(checkpoint, key) {
  return key.type === WITNESS && checkpoint.signatures.some((line) => {
    if (!isBy(line, key) || line.bytes.length !== 72) {
      return false;
    }
    const time = new DataView(line.bytes.buffer, line.bytes.byteOffset).getBigUint64(0);
    const message = toUtf8(`cosignature/v1
time ${time}
${checkpoint.text}`);
    return isSignature(line.bytes.slice(8), message, key.bytes);
  });
}
function quorumOf(checkpoint, trust) {
  const met = /* @__PURE__ */ new Map([["none", true]]);
  const found = [];
  for (const [name, key] of trust.witnesses) {
    met.set(name, hasCosigned(checkpoint, key));
    if (met.get(name)) {
      found.push(name);
    }
  }
  for (const [name, group] of trust.groups) {
    met.set(name, group.members.filter((member) => met.get(member)).length >= group.least);
  }
  return { isMet: met.get(trust.quorum) ?? false, found };
}

// src/verify/note.ts
var NOTE_MAX = 65536;
var LINES_MAX = 64;
var ID_BYTES = 4;
var KEY_BYTES = 32;
function readSignature(line) {
  const match = /^\u2014 ([^ +]+) ([A-Za-z0-9+/=]+)$/.exec(line);
  if (!match) {
    throw new Malformed("a signature line of the checkpoint is not well-formed");
  }
  const bytes2 = fromBase64(match[2]);
  if (bytes2.length <= ID_BYTES) {
    throw new Malformed("a signature of the checkpoint is too short");
  }
  return { name: match[1], id: bytes2.slice(0, ID_BYTES), bytes: bytes2.slice(ID_BYTES) };
}
function readCheckpoint(note) {
  const split = note.lastIndexOf("\n\n");
  if (toUtf8(note).length > NOTE_MAX || split < 0 || !note.endsWith("\n") || /[\0-\t\v-\x1f\x7f]/.test(note)) {
    throw new Malformed("the checkpoint is not a signed note");
  }
  const text2 = note.slice(0, split + 1);
  const [origin, size, root, ...extensions] = text2.slice(0, -1).split("\n");
  if (!origin || !size || !/^(0|[1-9][0-9]{0,18})$/.test(size) || !root || extensions.includes("")) {
    throw new Malformed("the text of the checkpoint is not well-formed");
  }
  const lines = note.slice(split + 2, -1).split("\n");
  if (lines.length > LINES_MAX) {
    throw new Malformed("the checkpoint has too many signatures");
  }
  const hash2 = fromBase64(root);
  if (hash2.length !== KEY_BYTES) {
    throw new Malformed("the root of the checkpoint is not a SHA-256 hash");
  }
  return { text: text2, origin, size: BigInt(size), root: hash2, signatures: lines.map(readSignature) };
}

// src/bundle/data.ts
function fits(is, what) {
  return (value, at) => {
    if (!is(value)) {
      throw new Malformed(`${at}: it is not ${what}`);
    }
  };
}
var text = fits((value) => typeof value === "string", "a text");
var truth = fits((value) => typeof value === "boolean", "true or false");
var count = fits((value) => Number.isSafeInteger(value) && value >= 0, "a number");
var hash = fits((value) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value), "a hash");
var one = fits((value) => value === 1, "1");
function word(...words) {
  return fits((value) => words.includes(value), `one of ${words.join(", ")}`);
}
function orNull(check) {
  return (value, at) => value === null || check(value, at);
}
function list(check, max) {
  return (value, at) => {
    fits((found) => Array.isArray(found) && found.length <= max, `a list of at most ${max}`)(value, at);
    value.forEach((item, i) => check(item, `${at}/${i}`));
  };
}
function closed(members, optional = {}) {
  return (value, at) => {
    fits((found) => typeof found === "object" && found !== null && !Array.isArray(found), "an object")(value, at);
    const object = value;
    for (const [name, check] of Object.entries(members)) {
      if (!Object.hasOwn(object, name)) {
        throw new Malformed(`${at}: the member ${name} is missing`);
      }
      check(object[name], `${at}/${name}`);
    }
    for (const name of Object.keys(object).filter((found) => !Object.hasOwn(members, found))) {
      const check = Object.hasOwn(optional, name) ? optional[name] : void 0;
      if (!check) {
        throw new Malformed(`${at}: the member ${name} is not known`);
      }
      check(object[name], `${at}/${name}`);
    }
  };
}
var receipt = closed({ baton_receipt: one, index: count, entry: text, proof: list(hash, 63), checkpoint: text });
var documentForm = closed(
  { sha256: hash, size: count, state: word("included", "redacted", "not_kept", "left_out") },
  { text, base64: text, redaction: receipt }
);
var document = (value, at) => {
  documentForm(value, at);
  const found = value;
  const extra = [found.text, found.base64, found.redaction].filter((part) => part !== void 0).length;
  const fitting = found.state === "included" ? found.text ?? found.base64 : found.redaction;
  const wanted = found.state === "included" || found.state === "redacted" ? 1 : 0;
  if (extra !== wanted || wanted === 1 && fitting === void 0) {
    throw new Malformed(`${at}: its content does not fit its state`);
  }
};
var counts = Object.fromEntries(
  "entries handoffs refused promised delivered dead cancelled open failed_attempts approvals_used heartbeats".split(" ").map((name) => [name, count])
);
var bundle = closed({
  baton_bundle: one,
  made: closed({ time: text, program: text, title: text }),
  log: closed({ origin: text, vkeys: list(text, 1e3), checkpoint: text }),
  selection: closed({
    from: orNull(count),
    to: orNull(count),
    by: word("all", "handoff", "trace", "agent"),
    value: orNull(text)
  }),
  entries: list(closed({ seq: count, entry: text }), 1e5),
  proof: list(hash, 4e6),
  documents: list(document, 1e5),
  rules: list(
    closed({
      code: text,
      severity: text,
      stage: text,
      meaning: text,
      fix: orNull(text),
      security: truth,
      lowest: orNull(text),
      needs: list(text, 10),
      dialects: list(text, 100)
    }),
    1e4
  ),
  policies: list(closed({ sha256: hash, state: word("included", "unknown") }, { text }), 1e5),
  audit: orNull(
    closed({
      ...counts,
      from: orNull(count),
      to: orNull(count),
      silences: list(closed({ from: text, to: text, seconds: count, attested: truth }), 1e4),
      unproven: list(text, 100)
    })
  ),
  mapping: one
});
function readBundle(json) {
  let value;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Malformed("the data is not JSON");
  }
  bundle(value, "");
  return value;
}
function canonical(value) {
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join(",")}]`;
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
  }
  return JSON.stringify(value);
}
var parsed = /* @__PURE__ */ new Map();
function readEntry(text2) {
  const known = parsed.get(text2);
  if (known !== void 0) {
    return known;
  }
  let entry = null;
  try {
    const value = JSON.parse(text2);
    const isWhole = Number.isSafeInteger(value.seq) && (value.v === 1 || value.v === 2) && [value.time, value.kind, value.verdict].every((member) => typeof member === "string") && Array.isArray(value.codes) && canonical(value) === text2;
    entry = isWhole ? value : null;
  } catch {
    entry = null;
  }
  parsed.set(text2, entry);
  return entry;
}

// src/bundle/verify.ts
var LEAF = new Uint8Array([0]);
var NODE = new Uint8Array([1]);
function leafHash(entry) {
  return sha256(join(LEAF, entry));
}
function splitOf(n) {
  let k = 1;
  while (k * 2 < n) {
    k *= 2;
  }
  return k;
}
function rootOf2(leaves, proof, size) {
  let nextLeaf = 0;
  let nextHash = 0;
  const walk = (lo, hi) => {
    const found = leaves[nextLeaf];
    if (!found || found.seq >= hi) {
      const hash2 = proof[nextHash++];
      if (hash2 === void 0) {
        throw new Malformed("the proof has too few hashes");
      }
      return fromHex(hash2);
    }
    if (hi - lo === 1) {
      nextLeaf++;
      return found.leaf;
    }
    const middle = lo + splitOf(hi - lo);
    const left = walk(lo, middle);
    return sha256(join(NODE, left, walk(middle, hi)));
  };
  const root = size === 0 ? sha256(new Uint8Array(0)) : walk(0, size);
  if (nextLeaf !== leaves.length || nextHash !== proof.length) {
    throw new Malformed("the proof has too many hashes");
  }
  return root;
}
function rootOfPath(leaf, index, size, path) {
  let at = index;
  let last = size - 1;
  let root = leaf;
  if (index >= size) {
    return null;
  }
  for (const hash2 of path) {
    if (last === 0) {
      return null;
    }
    if (at % 2 === 1 || at === last) {
      root = sha256(join(NODE, fromHex(hash2), root));
      while (at % 2 === 0 && at !== 0) {
        at = Math.floor(at / 2);
        last = Math.floor(last / 2);
      }
    } else {
      root = sha256(join(NODE, root, fromHex(hash2)));
    }
    at = Math.floor(at / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 ? root : null;
}
function checkForm(bundle2) {
  const { from, to, by, value } = bundle2.selection;
  if (from === null !== (to === null) || from !== null && to !== null && from > to || by === "all" !== (value === null)) {
    throw new Malformed("the selection contradicts itself");
  }
  let last = -1;
  for (const { seq } of bundle2.entries) {
    if (from === null || to === null || seq < from || seq > to || seq <= last) {
      throw new Malformed("the entries are not in order, or not within the range");
    }
    last = seq;
  }
  checkList("document", bundle2.documents, bundle2.entries.map(({ entry }) => readEntry(entry)?.document?.sha256));
  checkList("policy", bundle2.policies, bundle2.entries.map(({ entry }) => readEntry(entry)?.refs?.policy));
  const sizes = new Map(bundle2.documents.map(({ sha256: digest, size }) => [digest, size]));
  for (const { entry } of bundle2.entries) {
    const named = readEntry(entry)?.document;
    if (named && sizes.get(named.sha256) !== named.size) {
      throw new Malformed("a document does not have the size that its entry says");
    }
  }
}
function checkList(what, listed, named) {
  const wanted = new Set(named.filter((digest) => digest !== void 0));
  listed.forEach(({ sha256: digest }, i) => {
    if (!wanted.delete(digest) || i > 0 && listed[i - 1].sha256 >= digest) {
      throw new Malformed(`a ${what} is listed that no entry names, or not in order`);
    }
  });
  if (wanted.size > 0) {
    throw new Malformed(`a ${what} that an entry names is not listed`);
  }
}
function checkEntries(bundle2) {
  for (const { seq, entry } of bundle2.entries) {
    const read = readEntry(entry);
    if (!read || read.seq !== seq) {
      throw new Malformed(`entry ${seq} is not the text of an entry with this number`);
    }
  }
}
function checkGaps(bundle2) {
  const { from, to, by, value } = bundle2.selection;
  if (by === "all" && from !== null && to !== null) {
    bundle2.entries.forEach(({ seq }, i) => {
      if (seq !== from + i) {
        throw new Malformed(`entry ${from + i} is missing`);
      }
    });
    if (bundle2.entries.length !== to - from + 1) {
      throw new Malformed(`entry ${from + bundle2.entries.length} is missing`);
    }
    return "every entry of the range is there";
  }
  if (by === "trace" || by === "agent") {
    return checkCounters(bundle2, by === "trace", value);
  }
  return "a selection by handoff has no counters";
}
function checkCounters(bundle2, isTrace, name) {
  let isKnown = bundle2.selection.from === 0;
  let last = 0;
  let counted = 0;
  for (const { seq, entry } of bundle2.entries) {
    const read = readEntry(entry);
    if (!read || (isTrace ? read.trace_id : read.source) !== name) {
      continue;
    }
    const number = isTrace ? read.n?.trace : read.n?.source;
    if (number === void 0) {
      last++;
      continue;
    }
    if (isKnown && number !== last + 1) {
      throw new Malformed(`before entry ${seq} the count goes from ${last} to ${number}: an entry is missing`);
    }
    isKnown = true;
    last = number;
    counted++;
  }
  return counted > 0 ? `${counted} counters have no gap` : "entries of version 1 have no counters";
}
function bytesOf(document2) {
  return document2.text !== void 0 ? toUtf8(document2.text) : fromBase64(document2.base64 ?? "");
}
function checkRedaction(document2, trust, origin) {
  const { index, entry, proof, checkpoint: note } = document2.redaction;
  const bytes2 = fromBase64(entry);
  const checkpoint = readCheckpoint(note);
  const root = rootOfPath(leafHash(bytes2), index, sizeOf(checkpoint), proof);
  const read = readEntry(fromUtf8(bytes2));
  const isIt = read?.kind === "redaction" && read.seq === index && read.document?.sha256 === document2.sha256;
  if (!isIt || !root || !same(root, checkpoint.root) || checkpoint.origin !== origin || faultOf(checkpoint, trust.logs)) {
    throw new Malformed(`the deletion of document ${document2.sha256} is not proven`);
  }
}
function checkDocuments(bundle2, trust) {
  for (const document2 of bundle2.documents) {
    if (document2.state === "included" && toHex(sha256(bytesOf(document2))) !== document2.sha256) {
      throw new Malformed(`the bytes of document ${document2.sha256} are others`);
    }
    if (document2.state === "redacted") {
      checkRedaction(document2, trust, bundle2.log.origin);
    }
  }
  for (const { sha256: digest, text: text2 } of bundle2.policies) {
    if (text2 !== void 0 && toHex(sha256(toUtf8(text2))) !== digest) {
      throw new Malformed(`the text of policy ${digest} is another`);
    }
  }
  const included = bundle2.documents.filter(({ state }) => state === "included").length;
  return `${included} of ${bundle2.documents.length} documents are here, with the recorded digests`;
}
function sizeOf(checkpoint) {
  if (checkpoint.size > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new Malformed("the log is larger than this page can count");
  }
  return Number(checkpoint.size);
}
var UNEDITED = "Ask for the file again, unedited.";
var FORGED = "Treat the file as forged.";
function verify(json, entered) {
  const lines = [];
  let bundle2 = null;
  let checkpoint = null;
  let trust = entered;
  const run = (name, advice, test2) => {
    if (lines.some(({ state }, i) => state !== "passed" && i < 4)) {
      lines.push({ name, state: "not run", detail: "an earlier test failed", advice: "" });
      return;
    }
    try {
      lines.push({ name, state: "passed", detail: test2(), advice: "" });
    } catch (error) {
      if (!(error instanceof Malformed)) {
        throw error;
      }
      lines.push({ name, state: "failed", detail: error.message, advice });
    }
  };
  run("Form", UNEDITED, () => {
    const read = readBundle(json);
    checkForm(read);
    bundle2 = read;
    return "the data has the form of a bundle";
  });
  const data = () => bundle2;
  const head = () => checkpoint;
  run("Checkpoint", FORGED, () => {
    const read = readCheckpoint(data().log.checkpoint);
    trust ??= trustKeys(data().log.vkeys);
    const fault = read.origin === data().log.origin ? faultOf(read, trust.logs) : "it is of another log";
    const { to } = data().selection;
    if (fault) {
      throw new Malformed(fault);
    }
    if (to === null ? sizeOf(read) > 0 : to >= sizeOf(read)) {
      throw new Malformed("the range is not one of this log");
    }
    checkpoint = read;
    return `signed by a key of ${read.origin} for ${read.size} entries`;
  });
  run("Proof", FORGED, () => {
    const leaves = data().entries.map(({ seq, entry }) => ({ seq, leaf: leafHash(toUtf8(entry)) }));
    if (!same(rootOf2(leaves, data().proof, sizeOf(head())), head().root)) {
      throw new Malformed("the entries do not lead to the signed root");
    }
    return `${leaves.length} entries lead to the signed root`;
  });
  run("Entries", FORGED, () => {
    checkEntries(data());
    return "every entry is well-formed and in its place";
  });
  run("Nothing left out", "Ask for the missing entry.", () => checkGaps(data()));
  run("Documents", "Do not rely on the document.", () => checkDocuments(data(), trust));
  run("Witnesses", "Ask for a checkpoint that enough witnesses have cosigned.", () => {
    const { isMet, found: found2 } = quorumOf(head(), trust);
    if (!isMet) {
      throw new Malformed(`the quorum is not met; found: ${found2.join(" ") || "none"}`);
    }
    return entered && entered.quorum !== "none" ? `cosigned by ${found2.join(" ")}` : "no witness is required";
  });
  const isPassed = lines.every(({ state }) => state === "passed");
  const found = checkpoint;
  return {
    result: !isPassed ? "failed" : entered ? "verified" : "consistent",
    lines,
    bundle: bundle2,
    root: found ? toHex(found.root) : ""
  };
}

// test/bundle.test.ts
var made = JSON.parse(readFileSync("test/bundle.json", "utf8")).bundle;
function bytes(buffer) {
  return Uint8Array.from(buffer);
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
      altered[at >> 3] ^= 1 << (at & 7);
      assert.ok(!isSignature(altered, message, raw), `bit ${at} of the signature`);
    }
    const other = message.slice();
    other[round] ^= 1;
    assert.ok(!isSignature(signature, other, raw));
    const key = raw.slice();
    key[0] ^= 1;
    assert.ok(!isSignature(signature, message, key));
  }
});
test("the first test vectors of RFC 8032 hold, and a signature with L added to its second half does not", () => {
  const hex = (text2) => bytes(Buffer.from(text2, "hex"));
  const key = hex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
  const signature = hex(
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
  );
  assert.ok(isSignature(signature, hex("72"), key));
  const order = (1n << 252n) + 27742317777372353535851937790883648493n;
  const second = Array.from(signature.slice(32)).reduceRight((number, byte) => number << 8n | BigInt(byte), 0n) + order;
  const malleable = signature.slice();
  for (let i = 0; i < 32; i++) {
    malleable[32 + i] = Number(second >> BigInt(8 * i) & 255n);
  }
  assert.ok(!isSignature(malleable, hex("72"), key));
});
test("a bundle of baton is consistent by itself and verified with a key or a policy from elsewhere", () => {
  for (const json of [made.all, made.trace]) {
    assert.equal(verify(json, null).result, "consistent");
    assert.equal(verify(json, readTrust(made.vkey)).result, "verified");
    assert.equal(verify(json, readTrust(`log ${made.vkey}
quorum none
`)).result, "verified");
    const witnessed = `log ${made.vkey}
witness w ${made.witness}
quorum w
`;
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
  const [checkpoint, entries] = parts;
  const end = parts[4];
  const selection = made.trace.indexOf('"selection":');
  assert.ok(checkpoint > 0 && selection > checkpoint && entries > selection && end > entries);
  for (let i = checkpoint; i < end; i += 61) {
    if (i >= selection && i < entries) {
      i += entries - selection;
    }
    const other = made.trace[i] === "7" ? "8" : "7";
    const altered = made.trace.slice(0, i) + other + made.trace.slice(i + 1);
    assert.equal(verify(altered, null).result, "failed", `byte ${i}: ${made.trace.slice(i - 20, i + 20)}`);
  }
});
test("keys and policies that are not well-formed are refused", () => {
  for (const text2 of ["", "x", made.vkey.replace("+", "-"), `log ${made.vkey}
`, "quorum none\n", `log ${made.vkey}
quorum w
`, made.witness]) {
    assert.throws(() => readTrust(text2), /./, text2);
  }
});
