// SPDX-License-Identifier: Apache-2.0
// wasm.mjs PACKAGE NODE_MODULES - the WebAssembly modules in Node beside ajv, on the same schemas and values: ratios, and where ajv is faster.

import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, modules] = process.argv.slice(2);
const { load } = await import(pathToFileURL(resolve(folder, "esm/src/baton.js")).href);
const require = createRequire(resolve(modules, "x.js"));
const Ajv = require("ajv/dist/2020").default;
const schemas = await import(pathToFileURL(resolve(folder, "esm/src/schema.js")).href);
const baton = await load();
const engine = await schemas.load();
const ROUNDS = 7;

let used = 0; // results that nobody uses would not be computed

/** Microseconds of processor time for so many runs; other programs do not count. */
function timeRuns(run, count) {
  const begin = process.cpuUsage();
  for (let i = 0; i < count; i++) used += run() ? 1 : 0;
  const took = process.cpuUsage(begin);
  return took.user + took.system;
}

/** The fastest of some rounds, in microseconds for one run. */
function measure(run) {
  let count = 1;
  while (timeRuns(run, count) < 20_000) count *= 2;
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) best = Math.min(best, timeRuns(run, count) / count);
  return best;
}

const universal = JSON.parse(baton.call("getSchema", { name: "universal" }).json).schema ?? JSON.parse(baton.call("getSchema", { name: "universal" }).json);
const handoff = baton.newHandoff({ source: "code-reader", target: "patch-builder", summary: "Fix the parser", options: { now: "2026-02-11T00:45:02Z" } });
const records = Array.from({ length: 100 }, (_, index) => ({ id: index, name: `record ${index}`, tags: ["a", "b"], score: index / 7, active: index % 2 === 0 }));
const recordSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "array",
  items: {
    type: "object",
    required: ["id", "name"],
    additionalProperties: false,
    properties: { id: { type: "integer", minimum: 0 }, name: { type: "string", maxLength: 80 }, tags: { type: "array", items: { type: "string" } }, score: { type: "number" }, active: { type: "boolean" } },
  },
};
const sets = [
  ["a small object", { type: "object", required: ["n"], properties: { n: { type: "integer" } } }, { n: 1 }],
  ["a universal handoff", universal, JSON.parse(handoff.text)],
  ["100 records", recordSchema, records],
];

console.log("microseconds of processor time for one value; ratio: ours / ajv, above 1 ajv is faster. schema: schema.wasm, compiled once; baton: baton.wasm, an operation for each value");
for (const [name, schema, value] of sets) {
  const text = JSON.stringify(value);
  const validator = baton.validator(schema);
  const compiled = engine.validator(schema);
  const peer = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  if (!validator.isValid(value) || !compiled.isValid(value) || !peer(value)) throw new Error(`${name}: refused`);
  const [value_us, text_us] = [measure(() => peer(value)), measure(() => peer(JSON.parse(text)))];
  const rows = [
    ["schema, value", measure(() => compiled.isValid(value)), value_us],
    ["schema, text", measure(() => compiled.isValidText(text)), text_us],
    ["baton, value", measure(() => validator.isValid(value)), value_us],
    ["baton, text", measure(() => validator.isValidText(text)), text_us],
  ];
  for (const [form, ours, theirs] of rows) console.log(`${name} (${text.length} bytes), ${form}: ${ours.toFixed(2)} beside ${theirs.toFixed(2)}, ratio ${(ours / theirs).toFixed(2)}`);
}
const bytes = new TextEncoder().encode(handoff.text);
console.log(`check of that handoff, bytes to report: ${measure(() => baton.check(bytes)).toFixed(1)}`);
