// SPDX-License-Identifier: Apache-2.0
// token_peers.mjs - node token_peers.mjs MODULES FOLDER: npm's tiktoken and gpt-tokenizer over the sets
// that token_corpora.py wrote, a JSON line per set, encoding and engine, as bench_tokens.c prints them.
//
// gpt-tokenizer keeps the pieces it has met: "cold" clears that before each document, "warm" does not.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [modules, folder] = process.argv.slice(2);
const require = createRequire(join(resolve(modules), "x.js"));
const { get_encoding } = require("tiktoken");
const TURNS = 7;
const SLOW_MS = 4000;
const now = () => Number(process.hrtime.bigint()) / 1e6;

function engines(encoding) {
  const wasm = get_encoding(encoding);
  const js = require(`gpt-tokenizer/encoding/${encoding}`);
  const ordinary = { disallowedSpecial: new Set() };
  return {
    tiktoken: (text) => wasm.encode_ordinary(text).length,
    "gpt-tokenizer cold": (text) => (js.clearMergeCache?.(), js.countTokens(text, ordinary)),
    "gpt-tokenizer warm": (text) => js.countTokens(text, ordinary),
  };
}

// Milliseconds of the fastest turn of each text, summed up.
function measure(texts, count) {
  const best = texts.map(() => Infinity);
  let tokens = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    const begun = now();
    tokens = 0;
    texts.forEach((text, i) => {
      const from = now();
      tokens += count(text);
      best[i] = Math.min(best[i], now() - from);
    });
    if (now() - begun > SLOW_MS) break; // a turn that takes seconds is not noise
  }
  return { tokens, ms: best.reduce((sum, ms) => sum + ms, 0) };
}

for (const encoding of ["o200k_base", "cl100k_base"]) {
  const all = engines(encoding);
  for (const set of ["prose", "json", "code", "cjk", "emoji", "letters"]) {
    const path = join(folder, `${set}.jsonl`);
    if (!existsSync(path)) continue;
    const texts = readFileSync(path, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    for (const [engine, count] of Object.entries(all)) {
      const { tokens, ms } = measure(texts, count);
      console.log(JSON.stringify({ set, engine, encoding, bytes, tokens, mbps: bytes / ms / 1e3 }));
    }
  }
}
