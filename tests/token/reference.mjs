// SPDX-License-Identifier: Apache-2.0
// reference.mjs - node reference.mjs MODULES: what npm's tiktoken counts. Reads an array of strings as
// JSON from standard input; writes for each a line with its tokens in o200k_base and cl100k_base.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const require = createRequire(join(resolve(process.argv[2]), "x.js"));
const { get_encoding } = require("tiktoken");
const encodings = ["o200k_base", "cl100k_base"].map((name) => get_encoding(name));
const texts = JSON.parse(readFileSync(0, "utf8"));
const lines = texts.map((text) => encodings.map((encoding) => encoding.encode_ordinary(text).length).join(" "));
process.stdout.write(lines.map((line) => line + "\n").join(""));
