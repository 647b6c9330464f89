// SPDX-License-Identifier: Apache-2.0
// parity_browser.mjs NODE_MODULES PACKAGE [--probe] [--root NAME=FOLDER]... - door.mjs of tests/wasm, with the module in a browser instead of Node. A server on loopback
// gives it the package. CHROMIUM names another browser than Debian's.

import { createServer } from "node:http";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join, normalize, resolve } from "node:path";
import { createInterface } from "node:readline";

const [modules, folder, ...words] = process.argv.slice(2);
const { chromium } = createRequire(resolve(modules, "x.js"))("playwright-core");
const base = resolve(folder, "..");
const kinds = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html", ".bin": "application/octet-stream" };

const server = createServer((request, response) => {
  const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
  if (path === "/") return response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>parity</title>");
  let content;
  try {
    content = readFileSync(join(base, path));
  } catch {
    return response.writeHead(404).end();
  }
  response.writeHead(200, { "Content-Type": kinds[extname(path)] ?? "application/octet-stream" }).end(content);
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });

function files(root, below = "") {
  return readdirSync(join(root, below)).flatMap((name) => {
    const path = below ? `${below}/${name}` : name;
    return statSync(join(root, path)).isDirectory() ? files(root, path) : [[path, [...readFileSync(join(root, path))]]];
  });
}

try {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  const verifies = await page.evaluate(() => crypto.subtle.generateKey({ name: "Ed25519" }, false, ["sign", "verify"]).then(() => true, () => false));
  if (words[0] === "--probe") {
    console.log(`Chromium ${browser.version()}, ${verifies ? "with" : "without"} Ed25519 in WebCrypto`);
  } else {
    const roots = words.filter((word) => word !== "--root").map((word) => [word.slice(0, word.indexOf("=")), files(word.slice(word.indexOf("=") + 1))]);
    await page.evaluate(async (given) => {
      const { load } = await import("/baton-handoff/esm/src/baton.js");
      const bytes = async (path) => new Uint8Array(await (await fetch(path)).arrayBuffer());
      const tokens = { o200k_base: await bytes("/baton-handoff-tokens/o200k.bin"), cl100k_base: await bytes("/baton-handoff-tokens/cl100k.bin") };
      globalThis.baton = await load({ wasm: new URL("/baton-handoff/baton.wasm", location.href), tokens });
      for (const [name, entries] of given) globalThis.baton.root(name, Object.fromEntries(entries.map(([path, content]) => [path, Uint8Array.from(content)])));
    }, roots);
    for await (const line of createInterface({ input: process.stdin })) {
      const reply = await page.evaluate(async ({ operation, request }) => {
        const got = operation === "verifyReceipt" ? await globalThis.baton.callReceipt(request) : globalThis.baton.call(operation, request);
        return { status: got.status, json: got.json };
      }, JSON.parse(line));
      process.stdout.write(JSON.stringify(reply) + "\n");
    }
  }
} finally {
  await browser.close();
  server.close();
}
