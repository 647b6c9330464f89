// SPDX-License-Identifier: Apache-2.0
// reference.mjs - what forms_tool answers, by JavaScript's own means: documents, one per line of
// standard input -> RFC 8785 form, tab, JSON.stringify form; "!" where there is none.
import { readFileSync, writeSync } from "node:fs";

const lone = /\p{Surrogate}/u;

function leaf(value) {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError("beyond doubles");
  if (typeof value === "string" && lone.test(value)) throw new RangeError("lone surrogate");
  return JSON.stringify(value);
}

function canonical(value) {
  if (value === null || typeof value !== "object") return leaf(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  // Without a function to compare by, sort() compares UTF-16 code units.
  const members = Object.keys(value).sort().map((name) => `${leaf(name)}:${canonical(value[name])}`);
  return `{${members.join(",")}}`;
}

function forms(line) {
  let value;
  try {
    value = JSON.parse(line);
  } catch {
    return "!";
  }
  let text;
  try {
    text = canonical(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    text = "!";
  }
  return `${text}\t${JSON.stringify(value)}`;
}

const lines = readFileSync(0, "utf8").split("\n").slice(0, -1);
const output = Buffer.from(lines.map((line) => `${forms(line)}\n`).join(""));
for (let done = 0; done < output.length;) {
  done += writeSync(1, output, done);
}
