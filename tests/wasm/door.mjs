// SPDX-License-Identifier: Apache-2.0
// door.mjs PACKAGE [--root NAME=FOLDER]... - answer a line {"operation","request"} after the other with a line {"status","json"}, in Node. tests/conformance/parity.py
// asks it.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, ...words] = process.argv.slice(2);
const { load } = await import(pathToFileURL(join(folder, "esm/src/baton.js")).href);
const baton = await load();

function files(root, below = "") {
  return readdirSync(join(root, below)).flatMap((name) => {
    const path = below ? `${below}/${name}` : name;
    return statSync(join(root, path)).isDirectory() ? files(root, path) : [[path, new Uint8Array(readFileSync(join(root, path)))]];
  });
}
for (const word of words.filter((word) => word !== "--root")) {
  const equals = word.indexOf("=");
  baton.root(word.slice(0, equals), Object.fromEntries(files(word.slice(equals + 1))));
}
for await (const line of createInterface({ input: process.stdin })) {
  const { operation, request } = JSON.parse(line);
  const reply = operation === "verifyReceipt" ? await baton.callReceipt(request) : baton.call(operation, request);
  process.stdout.write(JSON.stringify({ status: reply.status, json: reply.json }) + "\n");
}
