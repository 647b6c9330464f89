// SPDX-License-Identifier: Apache-2.0
// index.cjs - the merge lists of o200k_base and cl100k_base, for load() of baton-handoff.
"use strict";

const { readFile } = require("node:fs/promises");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");

exports.urls = {
  o200k_base: pathToFileURL(join(__dirname, "o200k.bin")),
  cl100k_base: pathToFileURL(join(__dirname, "cl100k.bin")),
};

exports.load = async function load() {
  const [o200k_base, cl100k_base] = await Promise.all([readFile(exports.urls.o200k_base), readFile(exports.urls.cl100k_base)]);
  return { o200k_base, cl100k_base };
};
