// SPDX-License-Identifier: Apache-2.0
// schema.mjs - node schema.mjs BATON MODULES DATA: documents of the data sets, mutated, judged by Baton
// and by others. Prints every disagreement; exits 1 when one is not among those that are known.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [baton, modules, data] = process.argv.slice(2);
const require = createRequire(join(resolve(modules), "x.js"));
const INSTANCES = 8; // of a set
const MUTATIONS = 12; // of an instance

// Who is wrong, about what, and why; the two others agree with Baton there.
const KNOWN = [
  { set: "openapi-SUBST", engine: "ajv", why: "it refuses valid documents; it documents that it knows $dynamicRef in its simplest form only" },
];

const folder = join(data, "schema-bench");
const scratch = mkdtempSync(join(tmpdir(), "baton-interop-"));

function makeChance(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const OTHERS = [null, true, 0, -1, 1.5, "", "x", "a longer text of several words", [], {}, [1], { a: 1 }];

// All places of a document: [holder, key] pairs.
function places(value, found = []) {
  if (value !== null && typeof value === "object") {
    for (const key of Object.keys(value)) {
      found.push([value, key]);
      places(value[key], found);
    }
  }
  return found;
}

// One change: a value of another type, a member or item dropped, renamed, added or repeated, a number or
// a text pushed.
function mutate(document, rng) {
  const root = { root: structuredClone(document) };
  const all = places(root);
  const [holder, key] = all[rng(all.length)];
  const value = holder[key];
  const kind = rng(6);
  if (kind === 0 || holder === root) holder[key] = OTHERS[rng(OTHERS.length)];
  else if (kind === 1 && Array.isArray(holder)) holder.splice(Number(key), 1);
  else if (kind === 1) delete holder[key];
  else if (kind === 2 && Array.isArray(holder)) holder.push(structuredClone(value));
  else if (kind === 2) holder[`${key}x`] = value;
  else if (typeof value === "number") holder[key] = value + [1, -1, 0.5, 1000][rng(4)];
  else if (typeof value === "string") holder[key] = [value + "x", value.slice(1), value.toUpperCase()][rng(3)];
  else holder[key] = OTHERS[rng(OTHERS.length)];
  return root.root;
}

function mutants(name) {
  const lines = readFileSync(join(folder, name, "instances.jsonl"), "utf8").split("\n").filter((l) => l && l.length < 1 << 16);
  const rng = makeChance(name.length * 7919 + lines.length);
  const made = [];
  for (let i = 0; i < Math.min(INSTANCES, lines.length); i++) {
    let current = JSON.parse(lines[Math.floor((i * lines.length) / INSTANCES) % lines.length]);
    for (let k = 0; k < MUTATIONS; k++) {
      made.push(current);
      current = mutate(current, rng);
    }
  }
  return made;
}

function run(command, args) {
  try {
    return execFileSync(command, args, { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] }).toString();
  } catch (failed) {
    return String(failed.stdout);
  }
}

// Each answers with a list of true and false, or throws.
const judges = {
  baton(schema, file) {
    const lines = run(baton, ["schema", "validate", "--jsonl", "-f", "jsonl", schema, file]).trim().split("\n").map(JSON.parse);
    return lines.filter((line) => "verdict" in line).map((line) => line.verdict === "accepted");
  },
  ajv(schema, file, documents) {
    const json = JSON.parse(readFileSync(schema, "utf8"));
    const dialect = String(json.$schema ?? "2020-12");
    const Ajv = require(/20(19-09|20-12)/.test(dialect) ? `ajv/dist/${dialect.match(/20(19|20)/)[0]}.js` : "ajv").default;
    const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false });
    if (dialect.includes("draft-06")) ajv.addMetaSchema(require("ajv/dist/refs/json-schema-draft-06.json"));
    return documents.map(ajv.compile(json));
  },
  async hyperjump(schema, file, documents) {
    const url = (name) => pathToFileURL(require.resolve(name)).href;
    const drafts = ["draft-2020-12", "draft-2019-09", "draft-07", "draft-06", "draft-04"];
    const [{ registerSchema, unregisterSchema, validate }] =
      await Promise.all(drafts.map((draft) => import(url(`@hyperjump/json-schema/${draft}`))));
    const json = JSON.parse(readFileSync(schema, "utf8"));
    delete json.$id; // it would be looked for there
    registerSchema(json, "https://baton.example/s", "https://json-schema.org/draft/2020-12/schema");
    try {
      const compiled = await validate("https://baton.example/s");
      return documents.map((document) => compiled(document).valid);
    } finally {
      unregisterSchema("https://baton.example/s");
    }
  },
  blaze(schema, file) {
    const command = join(resolve(modules), "@sourcemeta/jsonschema/build/github-releases/jsonschema-linux-x86_64");
    const out = run(command, ["validate", "--fast", "--continue", "--benchmark", "--loop", "1",
      "--default-dialect", "https://json-schema.org/draft/2020-12/schema", schema, file]);
    const answers = []; // its lines are numbered, and in no order
    for (const [, number, word] of out.matchAll(/\[(\d+)\]: (PASS|FAIL) [0-9.]+ \+- /g)) answers[number - 1] = word === "PASS";
    return answers;
  },
};

const totals = { compared: 0, silent: 0, known: 0, unknown: 0 };

function compare(name, engine, ours, theirs, documents) {
  const known = KNOWN.find((row) => row.engine === engine && row.set === name);
  let differ = 0;
  for (let i = 0; i < ours.length; i++) {
    totals.compared++;
    if (ours[i] === theirs[i]) continue;
    differ++;
    totals[known ? "known" : "unknown"]++;
    if (!known && differ <= 3) {
      console.log(`${name}: baton says ${ours[i]}, ${engine} ${theirs[i]}: ${JSON.stringify(documents[i]).slice(0, 400)}`);
    }
  }
  if (known && differ > 0) console.log(`${name}: ${engine} differs on ${differ} of ${ours.length}: ${known.why}`);
}

const file = join(scratch, "instances.jsonl");
for (const name of readdirSync(folder).sort()) {
  const schema = ["schema.json", "schema-noformat.json"].map((f) => join(folder, name, f)).find(existsSync);
  const documents = mutants(name);
  writeFileSync(file, documents.map((document) => JSON.stringify(document)).join("\n") + "\n");
  const ours = judges.baton(schema, file);
  if (ours.length !== documents.length) throw new Error(`${name}: baton judged ${ours.length} of ${documents.length}`);
  for (const engine of ["ajv", "hyperjump", "blaze"]) {
    try {
      const theirs = await judges[engine](schema, file, documents);
      if (theirs.length !== ours.length) throw new Error(`judged ${theirs.length} of ${ours.length}`);
      compare(name, engine, ours, theirs, documents);
    } catch (why) {
      totals.silent++;
      console.log(`${name}: ${engine} does not answer: ${String(why).split("\n")[0].slice(0, 120)}`);
    }
  }
}
rmSync(scratch, { recursive: true });
console.log(`${totals.compared} compared, ${totals.unknown} disagreements, ${totals.known} known ones, ${totals.silent} without an answer`);
process.exit(totals.unknown > 0 ? 1 : 0);
