// SPDX-License-Identifier: Apache-2.0
// api.mjs - the package in Node, as an ES module: what it promises, in TAP. Run where baton-handoff is installed.

import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { BatonError, Incompatible, load, NotJSON, Outcome, Problem, Rejected, Report, Unavailable } from "baton-handoff";
import { BatonClient } from "baton-handoff/client";

const require = createRequire(import.meta.url);
const wasmPath = require.resolve("baton-handoff/baton.wasm");
const module = await WebAssembly.compile(readFileSync(wasmPath));
const NOW = "2026-02-11T00:45:02Z";
const draft = { source: "code-reader", target: "patch-builder", summary: "Fix the parser", options: { now: NOW } };

const EXPORTS = ["memory", ...["alloc", "free", "engine", "engine_end", "root_file", "table", "call", "reply_status", "reply_ptr", "reply_size", "reply_end",
  "receipt_begin", "receipt_end", "version"].map((name) => "bt_wasm_" + name)];

const tests = {
  "the module imports two functions and exports what is listed": () => {
    assert.deepEqual(WebAssembly.Module.imports(module).map((one) => `${one.module}.${one.name}`).sort(), ["baton.now_ms", "baton.random"]);
    assert.deepEqual(WebAssembly.Module.exports(module).map((one) => one.name).sort(), [...EXPORTS].sort());
  },
  "a handoff is made, checked and refused": async () => {
    const baton = await load({ settings: { now: NOW } });
    const made = baton.newHandoff(draft);
    assert.ok(made instanceof Outcome && made.accepted, made.raw);
    const report = baton.check(made.text);
    assert.ok(report instanceof Report && report.accepted);
    assert.equal(baton.check(new TextEncoder().encode(made.text)).raw, report.raw);
    assert.equal(baton.check(JSON.parse(made.text)).raw, report.raw);
    const bad = JSON.parse(made.text);
    bad.handoff.target.skill = bad.handoff.source.skill;
    const refused = baton.check(bad);
    assert.equal(refused.verdict, "rejected");
    assert.ok(refused.findings.some((finding) => finding.code === "SELF_LOOP"), refused.raw);
    assert.throws(() => refused.raiseForVerdict(), Rejected);
    assert.match(baton.retryText(refused, 1, 3), /^Baton refused this handoff \(attempt 1 of 3\)\.\n1\. /);
    assert.equal(baton.repair(made.text).accepted, true);
    assert.equal(baton.compress(made.text).accepted, true);
  },
  "the budget of a chain only shrinks": async () => {
    const baton = await load({ settings: { now: NOW } });
    const budget = (made) => made.document.handoff.meta.baton_budget;
    const first = baton.newHandoff({ ...draft, budget_tokens: 1000, budget_cost: "4.00" });
    assert.deepEqual(budget(first).tokens, { limit: 1000, left: 1000 });
    const next = { ...draft, source: "patch-builder", target: "tester", continue: first.text };
    const second = baton.newHandoff({ ...next, spent_tokens: 300, spent_cost: "1.5", budget_tokens: 5000 });
    assert.deepEqual(budget(second), { v: 1, tokens: { limit: 1000, left: 700 }, cost: { limit: "4.000000", left: "2.500000", currency: "USD" } });
    assert.equal(baton.newHandoff({ ...next, spent_tokens: 2000 }).findings[0].code, "BUDGET_SPENT");
    assert.throws(() => baton.newHandoff({ ...draft, budget_cost: "4,00" }), (why) => why instanceof Problem && why.code === "PARAMETER_INVALID");
  },
  "a request that cannot be used is a problem": async () => {
    const baton = await load();
    assert.throws(() => baton.check("{}", { nonsense: 1 }), (why) => why instanceof Problem && why.code === "PARAMETER_INVALID" && why.status === 400 && why.findings.length === 1);
    assert.throws(() => baton.check("plain words"), (why) => why instanceof Problem && why.code === "DIALECT_UNKNOWN");
    assert.throws(() => baton.check("a: 1\n", { dialect: "config" }), (why) => why instanceof Problem && why.status === 501 && why.detail === "this build has no yaml");
    assert.equal(baton.call("submitHandoff", {}).done, false);
    assert.equal(baton.call("nothing").status, 404);
  },
  "values that JSON cannot hold are refused with their place": async () => {
    const baton = await load();
    for (const [value, pointer] of [[{ a: undefined }, "/a"], [{ a: [1, Number.NaN] }, "/a/1"], [{ "x/y": () => 0 }, "/x~1y"], [[Symbol("s")], "/0"], [{ n: Infinity }, "/n"]]) {
      assert.throws(() => baton.check(value), (why) => why instanceof NotJSON && why.pointer === pointer);
    }
    const report = baton.check({ big: 123456789012345678901234567890n, date: { toJSON: () => "text" } }, { dialect: "json" });
    assert.ok(report.accepted, report.raw);
  },
  "a lone surrogate is found and not replaced": async () => {
    const baton = await load();
    assert.equal(baton.call("check", '{"documents":[{"path":"d","as":"json","text":"\\ud800"}]}').done, true);
    assert.equal(baton.call("check", "{\"documents\":[{\"path\":\"d\",\"as\":\"json\",\"text\":\"\ud800\"}]}").status, 400);
  },
  "settings that are wrong are named": async () => {
    await assert.rejects(load({ settings: { check: { budgett: 1 } } }), (why) => why instanceof BatonError && /^CONFIG_KEY_UNKNOWN at \/check\/budgett: /.test(why.message));
  },
  "tokens are counted with the tables, and not without": async () => {
    assert.equal((await load()).countTokens("hello world, how are you?"), 7);
    assert.equal((await load()).countTokens("hello world", "cl100k_base"), 2);
    const without = await load({ tokens: false });
    assert.equal(without.countTokens("hello world!", "chars4"), 3);
    assert.throws(() => without.countTokens("hello"), (why) => why instanceof Problem && why.detail === "this build has no tokens");
    await assert.rejects(load({ tokens: { o200k_base: new Uint8Array(500) } }), Incompatible);
  },
  "a root in memory is used": async () => {
    const baton = await load();
    baton.root("default", { "schemas/a.json": '{"type":"object"}' });
    assert.throws(() => baton.root("default", { "schemas/a.json": "x" }), BatonError);
    const reply = baton.call("planValidate", { schema: "schemas/a.json", payload: 5, root: "default" });
    assert.equal(reply.status, 200, reply.json);
  },
  "a validator is a Standard Schema": async () => {
    const baton = await load();
    const schema = { type: "object", required: ["n"], properties: { n: { type: "integer" }, "a/b": { type: "string" } } };
    const validator = baton.validator(schema);
    assert.equal(validator.isValid({ n: 1 }), true);
    assert.equal(validator.isValid({ n: "1" }), false);
    assert.equal(validator.isValidText('{"n":1}'), true);
    assert.equal(validator.isValidText('{"n":1'), false);
    assert.equal(validator.isValidText('{"n":1}},"schema":{}'), false);
    const result = validator["~standard"].validate({ n: 1, "a/b": 2 });
    assert.deepEqual(result.issues.map((issue) => issue.path), [["a/b"]]);
    assert.deepEqual(validator["~standard"].validate({ n: 1 }), { value: { n: 1 } });
    assert.equal(validator["~standard"].version, 1);
    assert.deepEqual(validator["~standard"].jsonSchema.input(), schema);
    assert.equal(baton.validator(validator).isValid({ n: 2 }), true);
    assert.throws(() => baton.validator({ type: 5 }), BatonError);
  },
  "a trap ends the instance, and the next call has a new one": async () => {
    const baton = await load({ tokens: false });
    baton.root("default", { "a.json": "{}" });
    const raw = baton.check("{}", { dialect: "json" }).raw;
    const broken = baton.instance;
    broken.exports = { ...broken.exports, bt_wasm_call: () => { throw new WebAssembly.RuntimeError("unreachable"); } };
    assert.throws(() => baton.check("{}", { dialect: "json" }), (why) => why instanceof Unavailable && why.outcome === "none");
    assert.equal(baton.check("{}", { dialect: "json" }).raw, raw);
    assert.notEqual(baton.instance, broken);
    assert.throws(() => baton.root("default", { "a.json": "{}" }), BatonError, "the files of the root are there again");
  },
  "a module that is not ours is incompatible": async () => {
    await assert.rejects(load({ wasm: new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]) }), Incompatible);
  },
  "the module can be given as bytes, as a module and as a URL": async () => {
    const url = new URL("file://" + wasmPath);
    for (const wasm of [readFileSync(wasmPath), module, url]) assert.ok((await load({ wasm, tokens: false })).check("{}", { dialect: "json" }).accepted);
  },
  "the package can be required": async () => {
    const required = require("baton-handoff");
    const baton = await required.load();
    assert.equal(baton.countTokens("hello world"), 2);
    assert.ok(baton.check("{}", { dialect: "json" }) instanceof required.Report);
    assert.equal(typeof require("baton-handoff/client").BatonClient, "function");
  },
  "a platform whose WebCrypto is a module is served, as Node 18 is": async () => {
    const own = Object.getOwnPropertyDescriptor(globalThis, "crypto");
    Object.defineProperty(globalThis, "crypto", { value: undefined, configurable: true });
    try {
      for (const kind of [load, require("baton-handoff").load]) assert.ok((await kind({ tokens: false })).check("{}", { dialect: "json" }).accepted);
    } finally {
      if (own) Object.defineProperty(globalThis, "crypto", own);
      else delete globalThis.crypto;
    }
  },
  "the client is in the package": () => assert.equal(typeof BatonClient, "function"),
};

console.log(`1..${Object.keys(tests).length}`);
let number = 0;
for (const [title, run] of Object.entries(tests)) {
  number += 1;
  try {
    await run();
    console.log(`ok ${number} - ${title}`);
  } catch (why) {
    process.exitCode = 1;
    console.log(`not ok ${number} - ${title}\n${String(why.stack ?? why).replace(/^/gm, "# ")}`);
  }
}
