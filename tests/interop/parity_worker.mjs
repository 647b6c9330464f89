// SPDX-License-Identifier: Apache-2.0
// parity_worker.mjs WORKERD PACKAGE [--root NAME=FOLDER]... - door.mjs of tests/wasm, with the module in workerd instead of Node. A worker has no files and may not compile
// WebAssembly, so both modules and the tables are parts of its configuration; it is asked by HTTP on loopback.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const START_MS_MAX = 20000;
const WORKER = `
import { load } from "./esm/src/baton.js";
import wasm from "./baton.wasm";
import o200k from "./o200k.bin";
import cl100k from "./cl100k.bin";
let baton;
const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
export default {
  async fetch(request) {
    const asked = await request.json();
    baton ??= await load({ wasm, tokens: { o200k_base: o200k, cl100k_base: cl100k } });
    if (asked.root !== undefined) {
      baton.root(asked.root, Object.fromEntries(asked.files.map(([path, content]) => [path, bytes(content)])));
      return Response.json({});
    }
    const reply = asked.operation === "verifyReceipt" ? await baton.callReceipt(asked.request) : baton.call(asked.operation, asked.request);
    return Response.json({ status: reply.status, json: reply.json });
  },
};
`;

const [workerd, folder, ...words] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), "baton-worker-"));

function files(root, below = "") {
  return readdirSync(join(root, below)).flatMap((name) => {
    const path = below ? `${below}/${name}` : name;
    return statSync(join(root, path)).isDirectory() ? files(root, path) : [path];
  });
}

/** A port of loopback that was free a moment ago. */
async function freePort() {
  const server = createServer();
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address();
  await new Promise((ready) => server.close(ready));
  return port;
}

function configure(port) {
  symlinkSync(resolve(folder), join(work, "package"));
  symlinkSync(resolve(folder, "../baton-handoff-tokens"), join(work, "tokens"));
  writeFileSync(join(work, "worker.js"), WORKER);
  const scripts = files(join(folder, "esm")).filter((path) => path.endsWith(".js") && !path.startsWith("src/adapters/"));
  const modules = [
    '(name = "worker.js", esModule = embed "worker.js")',
    ...scripts.map((path) => `(name = "esm/${path}", esModule = embed "package/esm/${path}")`),
    '(name = "baton.wasm", wasm = embed "package/baton.wasm")',
    ...["o200k", "cl100k"].map((name) => `(name = "${name}.bin", data = embed "tokens/${name}.bin")`),
  ];
  writeFileSync(join(work, "config.capnp"), `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (modules = [${modules.join(", ")}], compatibilityDate = "2025-01-01"))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
`);
}

const port = await freePort();
configure(port);
const worker = spawn(resolve(workerd), ["serve", join(work, "config.capnp")], { stdio: ["ignore", "ignore", "inherit"] });

async function ask(asked) {
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: JSON.stringify(asked) });
  if (!answer.ok) throw new Error(`the worker answered with ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

async function start() {
  for (const end = Date.now() + START_MS_MAX; ; ) {
    try {
      return await ask({ operation: "version", request: "{}" });
    } catch (why) {
      if (Date.now() > end || worker.exitCode !== null || !(why instanceof TypeError)) throw why;
      await new Promise((ready) => setTimeout(ready, 100));
    }
  }
}

try {
  await start();
  for (const word of words.filter((word) => word !== "--root")) {
    const root = word.slice(word.indexOf("=") + 1);
    await ask({ root: word.slice(0, word.indexOf("=")), files: files(root).map((path) => [path, readFileSync(join(root, path)).toString("base64")]) });
  }
  for await (const line of createInterface({ input: process.stdin })) process.stdout.write(JSON.stringify(await ask(JSON.parse(line))) + "\n");
} finally {
  worker.kill();
  rmSync(work, { recursive: true });
}
