#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// call.mjs [--settings JSON] [--root NAME=FOLDER]... OPERATION - any operation, with the request on standard input and the reply on standard output.
// Exits with 0 when the operation is done, with 1 when it is not, and with 2 without a reply. The files of roots are read into memory, which has
// no symbolic links: they are left out.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "../esm/src/baton.js";

const FILES_MAX = 100000;

function addFolder(baton, name, folder, below = "") {
  for (const found of readdirSync(join(folder, below), { withFileTypes: true })) {
    const path = below ? `${below}/${found.name}` : found.name;
    if (found.isDirectory()) addFolder(baton, name, folder, path);
    else if (found.isFile() && addFolder.count++ < FILES_MAX) baton.root(name, { [path]: new Uint8Array(readFileSync(join(folder, path))) });
  }
}
addFolder.count = 0;

async function main(words) {
  const operation = words.pop();
  const given = (flag) => words.flatMap((word, index) => (index % 2 === 0 && word === flag ? [words[index + 1]] : []));
  const known = words.every((word, index) => index % 2 === 1 || word === "--root" || word === "--settings");
  if (!operation || words.length % 2 !== 0 || !known) throw new Error("usage: call.mjs [--settings JSON] [--root NAME=FOLDER]... OPERATION < REQUEST");
  const baton = await load({ settings: JSON.parse(given("--settings")[0] ?? "{}") });
  for (const root of given("--root")) addFolder(baton, root.slice(0, root.indexOf("=")), root.slice(root.indexOf("=") + 1));
  const request = new Uint8Array(readFileSync(0));
  const reply = operation === "verifyReceipt" ? await baton.callReceipt(request) : baton.call(operation, request);
  process.stdout.write(reply.json + "\n");
  return reply.done ? 0 : 1;
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (why) => {
    console.error(`call.mjs: ${why.message}`);
    process.exitCode = 2;
  },
);
