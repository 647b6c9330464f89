// SPDX-License-Identifier: Apache-2.0
// api.mjs - the package in Node, as an ES module: what it promises, in TAP. Run where baton-handoff is installed.

import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { BatonError, Incompatible, load, NotJSON, Outcome, Problem, Rejected, Report, Unavailable } from "baton-handoff";
import { BatonClient } from "baton-handoff/client";
import * as schemas from "baton-handoff/schema";
import { brotliCompressSync, constants } from "node:zlib";

const require = createRequire(import.meta.url);
const wasmPath = require.resolve("baton-handoff/baton.wasm");
const module = await WebAssembly.compile(readFileSync(wasmPath));
const NOW = "2026-02-11T00:45:02Z";
const draft = { source: "code-reader", target: "patch-builder", summary: "Fix the parser", options: { now: NOW } };

const EXPORTS = ["memory", ...["alloc", "free", "engine", "engine_end", "root_file", "table", "call", "reply_status", "reply_ptr", "reply_size", "reply_end",
  "receipt_begin", "receipt_end", "version"].map((name) => "bt_wasm_" + name)];

const SCHEMA_EXPORTS = ["memory", ...["alloc", "free", "version", "schema", "schema_end", "is_compiled", "judge", "explain", "findings_ptr", "findings_size"].map((name) => "bt_wasm_" + name)];
const FORMATS = ["full", "concise", "json", "jsonl", "github", "junit", "sarif", "markdown"];
/** An array in so many arrays. */
const nest = (count) => (count === 0 ? [] : [nest(count - 1)]);
// Kilobytes at most, as it is and compressed by brotli.
const SIZES = { "baton.wasm": [1150, 360], "schema.wasm": [420, 145] };

const tests = {
  "the module imports two functions and exports what is listed": () => {
    assert.deepEqual(WebAssembly.Module.imports(module).map((one) => `${one.module}.${one.name}`).sort(), ["baton.now_ms", "baton.random"]);
    assert.deepEqual(WebAssembly.Module.exports(module).map((one) => one.name).sort(), [...EXPORTS].sort());
  },
  "the schema module imports two functions and exports what is listed": async () => {
    const small = await WebAssembly.compile(readFileSync(require.resolve("baton-handoff/schema.wasm")));
    assert.deepEqual(WebAssembly.Module.imports(small).map((one) => `${one.module}.${one.name}`).sort(), ["baton.now_ms", "baton.random"]);
    assert.deepEqual(WebAssembly.Module.exports(small).map((one) => one.name).sort(), [...SCHEMA_EXPORTS].sort());
  },
  "the modules are as small as they must be": () => {
    for (const [name, most] of Object.entries(SIZES)) {
      const bytes = readFileSync(require.resolve(`baton-handoff/${name}`));
      const small = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
      const sizes = [bytes.length, small.length].map((size) => size / 1000);
      console.log(`# ${name}: ${sizes[0].toFixed(1)} KB of ${most[0]}, ${sizes[1].toFixed(1)} KB of ${most[1]} by brotli`);
      assert.ok(sizes.every((size, index) => size <= most[index]), `${name} has ${sizes} KB`);
    }
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
    for (const [value, pointer] of [[{ a: undefined }, "/a"], [{ a: [1, Number.NaN] }, "/a/1"], [{ "x/y": () => 0 }, "/x~1y"], [[Symbol("s")], "/0"], [{ n: Infinity }, "/n"], [[1, , 2], "/1"], [nest(129), "/0".repeat(129)]]) {
      assert.throws(() => baton.check(value), (why) => why instanceof NotJSON && why.pointer === pointer);
    }
    const report = baton.check({ big: 123456789012345678901234567890n, date: { toJSON: () => "text" } }, { dialect: "json" });
    assert.ok(report.accepted, report.raw);
    const same = baton.validator({ const: { a: "x", n: 1, list: [true, null] } });
    class Own { a = new String("x"); n = new Number(1); list = [true, null]; }
    for (const value of [{ a: "x", n: 1, list: [true, null] }, Object.assign(Object.create(null), new Own()), new Own(), { toJSON: () => new Own() }]) assert.ok(same.isValid(value));
    assert.ok(!same.isValid({ a: "x", n: 1, list: [true, false] }));
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
  "a report is rendered in every format": async () => {
    const baton = await load({ settings: { now: NOW } });
    const text = '{"handoff":\n  {"version": "3.0"}}';
    const report = baton.check(text, { dialect: "universal" });
    const texts = FORMATS.map((format) => report.render(format));
    assert.equal(new Set(texts).size, FORMATS.length);
    assert.equal(report.render("json"), report.raw + "\n");
    assert.match(report.render("full"), /\n2 \|   \{"version": "3\.0"\}\}\n  \|   \^\n/);
    assert.equal(JSON.parse(report.render("sarif")).runs[0].results.length, report.findings.length);
    assert.ok(JSON.parse(report.render("sarif")).runs[0].tool.driver.rules.every((rule) => rule.fullDescription.text.length > 20));
    assert.equal(baton.check(new TextEncoder().encode(text), { dialect: "universal" }).render("full"), report.render("full"));
    assert.equal(baton.render(new Report(report.raw), "full", text), report.render("full"));
    assert.equal(baton.newHandoff(draft).render(), "");
    assert.throws(() => new Report(report.raw).render(), BatonError);
    assert.throws(() => report.render("html"), (why) => why instanceof Problem && why.code === "PARAMETER_INVALID");
  },
  "a schema is compiled once and judges values and texts": async () => {
    const engine = await schemas.load();
    const schema = { type: "object", required: ["n"], properties: { n: { type: "integer" }, "a/b": { type: "string" } } };
    const validator = engine.validator(schema);
    const other = (await load({ tokens: false })).validator(schema);
    const values = [{ n: 1 }, { n: "1" }, {}, [], null, { n: 1, "a/b": 2 }, { n: 12345678901234567890n }, { n: 1.5, x: "\u{1f600}\ufffd" }];
    for (const value of values) {
      assert.equal(validator.isValid(value), other.isValid(value));
      assert.deepEqual(validator.findings(value), other.findings(value));
    }
    for (const text of ['{"n":1}', '{"n":1', "", '{"n":1}},"schema":{}', '{"n":1,"n":"x"}', '{"n":1,"x":"\ud800"}']) assert.equal(validator.isValidText(text), other.isValidText(text), text);
    assert.deepEqual(validator["~standard"].validate({ n: 1, "a/b": 2 }).issues.map((issue) => issue.path), [["a/b"]]);
    assert.equal(validator.isValidText(JSON.stringify({ n: 1, text: "x".repeat(1 << 20) })), true);
    assert.throws(() => engine.validator({ type: 5 }), (why) => why instanceof schemas.SchemaError && why.findings.length > 0 && why.findings[0].code.startsWith("SCHEMA_"));
    assert.equal(engine.validator({ format: "date" }).isValid("soon"), true);
    assert.equal(engine.validator({ format: "date" }, { formats: true }).isValid("soon"), false);
    assert.equal(engine.validator({ properties: { a: { required: true } } }, { draft: "3" }).isValid({}), false);
    assert.throws(() => engine.validator({}, { draft: "5" }), TypeError);
    engine.memory.exports = { ...engine.memory.exports, bt_wasm_judge: () => 3, bt_wasm_explain: () => 0 };
    assert.throws(() => validator.isValid({}), schemas.BudgetSpent);
    assert.throws(() => validator.findings({}), schemas.Unavailable);
  },
  "a trap of the schema module makes a new instance": async () => {
    const engine = await schemas.load();
    const validator = engine.validator({ type: "integer" });
    const broken = engine.memory;
    broken.exports = { ...broken.exports, bt_wasm_judge: () => { throw new WebAssembly.RuntimeError("unreachable"); } };
    assert.throws(() => validator.isValid(1), (why) => why instanceof schemas.Unavailable && why.outcome === "none");
    assert.equal(validator.isValid(1), true);
    assert.equal(validator.isValid("1"), false);
    assert.notEqual(engine.memory, broken);
    await assert.rejects(schemas.load({ wasm: module }), schemas.Incompatible);
  },
  "an adapter without its framework says what it needs": async () => {
    for (const [name, wanted] of [["openai-agents", /needs @openai\/agents 0\.20 or later: npm install @openai\/agents/], ["langgraph", /needs @langchain\/langgraph 1\.4/], ["ai-sdk", /needs ai 7\.0/]]) {
      await assert.rejects(import(`baton-handoff/adapters/${name}`), (why) => wanted.test(why.message));
      assert.throws(() => require(`baton-handoff/adapters/${name}`), (why) => wanted.test(why.message));
    }
  },
  "a gate sends a bad brief back, hands a good one over, and stops at its limit": async () => {
    const { Gate } = await import("baton-handoff/adapters/mastra");
    const baton = await load({ settings: { now: NOW } });
    const told = [];
    const gate = new Gate({ baton, limit: 2, onReport: (report) => told.push(report), agents: ["The Planner!", "builder"] });
    assert.throws(() => gate.skill("the planner"), TypeError);
    assert.throws(() => new Gate({ baton, limit: 0 }), TypeError);
    assert.throws(() => new Gate({}), TypeError);
    const { onDelegationStart, hookErrorStrategy } = gate.delegation();
    const ask = (prompt) => onDelegationStart({ prompt, parentAgentId: "The Planner!", primitiveId: "builder" });
    assert.equal(hookErrorStrategy, "throw");
    const refused = await ask('{"working":{}}');
    assert.equal(refused.proceed, false);
    assert.equal(refused.rejectionReason, baton.retryText(told[0], 1, 2));
    const accepted = await ask("Build it.");
    assert.equal(JSON.parse(accepted.modifiedPrompt).handoff.source.skill, "the-planner");
    await assert.rejects(ask('{"summary":"x","token":"secret"}'), Rejected);
    await assert.rejects(ask("Build it."), Rejected, "the run has ended");
    assert.equal((await gate.delegation().onDelegationStart({ prompt: "Build it.", parentAgentId: "a", primitiveId: "builder" })).proceed, true);
    const failing = new Gate({ baton, limit: 3, build: () => { throw new Error("no"); } });
    assert.match((await failing.decide({}, "a", "b", failing.begin())).text, /^Baton could not judge this handoff/);
  },
  "the text of an outcome has the numbers as they were written": async () => {
    const baton = await load({ settings: { now: NOW } });
    const made = baton.newHandoff({ ...draft, working: { x: 1 } }).text;
    for (const number of ["1.10", "1E5", "1e400", "-0", "12345678901234567890123", "123456789.123456789123"]) {
      const sealed = baton.call("sealHandoff", { documents: [{ path: "document", text: made.replace('{"x":1}', `{"x":${number}}`) }], options: { reseal: true } });
      const outcome = new Outcome(sealed.json);
      assert.ok(outcome.text.includes(`"working":{"x":${number}}`), outcome.text);
      assert.ok(baton.check(outcome.text).accepted);
    }
    const quoted = baton.newHandoff({ ...draft, summary: 'A "document":{} and \\ in a text.', working: { document: [{ "}": "]" }] } });
    assert.deepEqual(JSON.parse(quoted.text), quoted.document);
  },
  "a value that holds itself often is refused, and toJSON is told the name": async () => {
    const baton = await load({ tokens: false });
    let often = [1];
    for (let depth = 0; depth < 100; depth += 1) often = [often, often];
    assert.throws(() => baton.check({ often }), NotJSON);
    const names = [];
    const told = { toJSON: (name) => names.push(name) };
    baton.validator({}).isValid({ a: [told], told });
    baton.validator({}).isValid(told);
    assert.deepEqual(names, ["0", "told", ""]);
  },
  "a value that could not be judged in time is neither valid nor invalid": async () => {
    const baton = await load({ tokens: false });
    const validator = baton.validator({ items: { type: "string" } });
    assert.ok(validator.isValid(["x"]));
    const call = baton.call.bind(baton);
    baton.call = (operation, request) => {
      const spent = call(operation, request).json.replaceAll("SCHEMA_TYPE", "SCHEMA_BUDGET");
      return { status: 200, json: spent, done: true, value: JSON.parse(spent) };
    };
    assert.throws(() => validator.isValid([1]), (why) => why instanceof BatonError && /neither valid nor invalid/.test(why.message));
  },
  "a token is not shown, and a gate whose callback fails lets nothing pass": async () => {
    const client = new BatonClient({ token: "bt_sesame" });
    const { inspect } = await import("node:util");
    assert.ok(!`${inspect(client, { depth: 9, showHidden: true })}${JSON.stringify(client)}`.includes("sesame"));
    const { agentId } = await import(new URL("./node_modules/baton-handoff/esm/src/adapters/gate.js", import.meta.url));
    assert.equal(await agentId("0198F2AA-7c1d-7e00-8000-5f1e0c3d2b1a"), "a0198f2aa7c1d7e0080005f1e0c3d2b1a");
    assert.match(await agentId("planner"), /^a[0-9a-f]{32}$/);
    const { Gate } = await import("baton-handoff/adapters/mastra");
    const baton = await load({ settings: { now: NOW } });
    for (const [mode, accepted] of [["enforce", false], ["observe", true]]) {
      const gate = new Gate({ baton, mode, onReport: () => { throw new Error("no"); } });
      assert.equal((await gate.decide({ summary: "Build it." }, "a", "b", gate.begin())).accepted, accepted);
    }
    const gate = new Gate({ baton, agents: ["The Builder"] });
    assert.equal((await gate.decide({ summary: "Build it." }, "a", "the-builder", gate.begin())).accepted, false);
  },
  "what a gate refuses is submitted so that the server refuses it, too": async () => {
    const { Gate } = await import("baton-handoff/adapters/mastra");
    const baton = await load({ settings: { now: NOW } });
    const schema = { $id: "release/v1.schema.json", type: "object", additionalProperties: false, required: ["release"], properties: { release: { type: "string" } } };
    baton.root("schemas", { "schemas/handoff-payloads/release.v1.schema.json": JSON.stringify(schema) });
    const sent = [];
    const client = { submit: async (text, options) => { sent.push([JSON.parse(text), options]); throw new Rejected(baton.check("{}", { dialect: "universal" })); } };
    const long = { summary: "Build it.", working: { notes: "many words ".repeat(400) } };
    const budget = new Gate({ baton, client, budget: 500 });
    assert.equal((await budget.decide(long, "a", "b", budget.begin())).accepted, false);
    assert.deepEqual([sent[0][1].budget, sent[0][0].handoff.target.skill], [500, "b"]);
    const payload = new Gate({ baton, client, schema: "release/v1.schema.json", root: "schemas" });
    assert.equal((await payload.decide({ summary: "Build it.", working: { release: 14 } }, "a", "b", payload.begin())).accepted, false);
    assert.deepEqual(sent[1][0], { summary: "Build it.", working: { release: 14 } });
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
