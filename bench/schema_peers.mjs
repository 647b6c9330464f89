// SPDX-License-Identifier: Apache-2.0
// schema_peers.mjs - node schema_peers.mjs MODULES DATA [SET...]: other schema engines over the data
// sets, a JSON line per set and engine, as bench_schema.c prints them.
//
// MODULES is a node_modules folder with ajv, ata-validator, @exodus/schemasafe, @hyperjump/json-schema and
// @sourcemeta/jsonschema (Blaze behind its command). Each document is judged LOOPS times in a row. The
// native part of ata-validator needs glibc 2.38; with an older one its JavaScript is measured.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, data, ...wanted] = process.argv.slice(2);
const require = createRequire(join(resolve(modules), "x.js"));
const LOOPS = 100;
const TURNS = 2; // as many as bench_schema.c has
const TURN_NS = 2e8; // what takes longer than this is done fewer times
const now = () => Number(process.hrtime.bigint());

function sets() {
  const found = [];
  for (const group of ["schema-bench", "schema-bench-2", "handoffs"]) {
    const folder = join(data, group);
    for (const name of existsSync(folder) ? readdirSync(folder).sort() : []) {
      const file = ["schema.json", "schema-noformat.json"].map((f) => join(folder, name, f)).find(existsSync);
      if (file && (wanted.length === 0 || wanted.includes(name))) {
        const texts = readFileSync(join(folder, name, "instances.jsonl"), "utf8").split("\n").filter(Boolean);
        found.push({ name, file, texts, instances: join(folder, name, "instances.jsonl") });
      }
    }
  }
  return found;
}

// The mean of the documents' times, of each the fastest turn.
function meanOf(best) {
  return best.reduce((sum, ns) => sum + ns, 0) / best.length;
}

// How often to judge a value, of which one judging takes so long.
const loopsOf = (ns) => Math.max(1, Math.min(LOOPS, Math.floor(TURN_NS / ns)));

function timeOf(run) {
  const from = now();
  run();
  return now() - from;
}

// `judge` has become hot by the last turn.
function mean(texts, prepare, judge) {
  const best = texts.map(() => Infinity);
  for (let turn = 0; turn < TURNS; turn++) {
    texts.forEach((text, at) => {
      const value = prepare(text);
      const loops = loopsOf(timeOf(() => judge(value)));
      const from = now();
      for (let i = 0; i < loops; i++) judge(value);
      best[at] = Math.min(best[at], (now() - from) / loops);
    });
  }
  return meanOf(best);
}

// The same for a judge that remembers texts: each text is a new one, by the white space behind it.
function meanOfNew(texts, judge) {
  const best = texts.map(() => Infinity);
  const behind = (i) => [...i.toString(4).padStart(4, "0")].map((digit) => " \t\n\r"[digit]).join("");
  for (let turn = 0; turn < TURNS; turn++) {
    texts.forEach((text, at) => {
      const fresh = Array.from({ length: LOOPS + 1 }, (_, i) => Buffer.from(text + behind(turn * (LOOPS + 1) + i)).toString());
      const loops = loopsOf(timeOf(() => judge(fresh[LOOPS])));
      const from = now();
      for (let i = 0; i < loops; i++) judge(fresh[i]);
      best[at] = Math.min(best[at], (now() - from) / loops);
    });
  }
  return meanOf(best);
}

function measure(set, engine, make, judgeText) {
  const schema = JSON.parse(readFileSync(set.file, "utf8"));
  let from = now();
  const validate = make(schema);
  const compile_us = (now() - from) / 1000;
  const invalid = set.texts.filter((text) => !validate(JSON.parse(text))).length;
  const validate_ns = mean(set.texts, JSON.parse, validate);
  const parse_ns = mean(set.texts, (text) => text, JSON.parse);
  const verdict_ns = judgeText ? meanOfNew(set.texts, judgeText(validate)) : mean(set.texts, (text) => text, (text) => validate(JSON.parse(text)));
  return { set: set.name, engine, documents: set.texts.length, invalid, compile_us, parse_ns, validate_ns, verdict_ns };
}

const dialectOf = (schema) => String(schema.$schema ?? "");

function makeAjv(schema) {
  const dialect = dialectOf(schema);
  const path = dialect.includes("2020-12") ? "ajv/dist/2020.js" : dialect.includes("2019-09") ? "ajv/dist/2019.js" : "ajv";
  const Ajv = require(path).default;
  const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false });
  if (dialect.includes("draft-06")) ajv.addMetaSchema(require("ajv/dist/refs/json-schema-draft-06.json"));
  return ajv.compile(schema);
}

function makeAta(schema) {
  const { Validator } = require("ata-validator");
  const validator = new Validator(schema, { assertFormat: false });
  return Object.assign((value) => validator.isValidObject(value), { validator });
}

function makeSchemasafe(schema) {
  return require("@exodus/schemasafe").validator(schema, {
    mode: "lax", allowUnusedKeywords: true, requireSchema: false, formatAssertion: false, requireValidation: false,
  });
}

async function measureHyperjump(set) {
  const url = (name) => pathToFileURL(require.resolve(name)).href;
  for (const dialect of ["draft-2020-12", "draft-2019-09", "draft-07", "draft-06", "draft-04"]) {
    await import(url(`@hyperjump/json-schema/${dialect}`));
  }
  const { registerSchema, unregisterSchema, validate } = await import(url("@hyperjump/json-schema/draft-2020-12"));
  const schema = JSON.parse(readFileSync(set.file, "utf8"));
  const uri = `https://baton.example/${set.name}`;
  delete schema.$id; // it would be looked for there
  registerSchema(schema, uri, "https://json-schema.org/draft/2020-12/schema");
  const from = now();
  const compiled = await validate(uri);
  const compile_us = (now() - from) / 1000;
  const judge = (value) => compiled(value).valid;
  const texts = set.texts.slice(0, 50); // it is slow, and a mean over fifty tells as much
  const row = {
    set: set.name, engine: "hyperjump", documents: texts.length, compile_us,
    invalid: texts.filter((text) => !judge(JSON.parse(text))).length,
    validate_ns: mean(texts.slice(0, 20), JSON.parse, judge),
  };
  unregisterSchema(uri);
  return row;
}

// The command prints one line per document: PASS 0.019 +- 0.015 us. It times each judging alone and
// takes off what the clock costs; see bench_schema.c.
function measureBlaze(set) {
  const folder = join(resolve(modules), "@sourcemeta/jsonschema/build/github-releases");
  const command = join(folder, "jsonschema-linux-x86_64");
  const args = ["validate", "--fast", "--continue", "--benchmark", "--loop", String(LOOPS),
    "--default-dialect", "http://json-schema.org/draft-07/schema#", set.file, set.instances];
  let best = [], invalid = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    let out = "";
    try {
      out = execFileSync(command, args, { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] }).toString();
    } catch (failed) {
      out = `${failed.stdout}${failed.stderr}`;
    }
    const times = [...out.matchAll(/: (PASS|FAIL) ([0-9.]+) \+- /g)];
    invalid = times.filter((t) => t[1] === "FAIL").length;
    best = times.map((t, at) => Math.min(1000 * Number(t[2]), best[at] ?? Infinity));
  }
  if (best.length === 0) throw new Error("no times in the output");
  return { set: set.name, engine: "blaze", documents: best.length, invalid, alone_ns: meanOf(best) };
}

const engines = {
  ajv: (set) => measure(set, "ajv", makeAjv),
  ata: (set) => measure(set, "ata", makeAta, ({ validator }) => (text) => validator.isValidJSON(text)),
  schemasafe: (set) => measure(set, "schemasafe", makeSchemasafe),
  hyperjump: measureHyperjump,
  blaze: measureBlaze,
};

for (const set of sets()) {
  for (const [engine, run] of Object.entries(engines)) {
    try {
      console.log(JSON.stringify(await run(set)));
    } catch (why) {
      console.log(JSON.stringify({ set: set.name, engine, failed: String(why).slice(0, 120) }));
    }
  }
}
