// SPDX-License-Identifier: Apache-2.0
// wrap.mjs BATON NODE_MODULES - the official clients and servers of the Model Context Protocol, with `baton wrap` between them.
//
// Each client does the same with a server alone and behind the proxy, and must see the same. What passes before and behind the
// proxy is kept and must be equal byte by byte; a proxy that parses and writes again, the control, must be found out.
import { spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { check, equal, finish } from "./tally.mjs";

const [baton, modules] = process.argv.slice(2).map((name) => path.resolve(name));
const load = (file) => import(pathToFileURL(path.join(modules, "@modelcontextprotocol", file)));
const sdk = await load("sdk/dist/esm/client/index.js");
const sdkStdio = await load("sdk/dist/esm/client/stdio.js");
const sdkTypes = await load("sdk/dist/esm/types.js");
const modern = await load("client/dist/index.mjs");
const modernStdio = await load("client/dist/stdio.mjs");

const here = path.dirname(fileURLToPath(import.meta.url));
const tee = path.join(here, "tee_lines.py");
const bin = (name) => path.join(modules, "@modelcontextprotocol", name, "dist/index.js");
const place = fs.mkdtempSync(path.join(os.tmpdir(), "baton-wrap-"));
const shared = path.join(place, "shared");
fs.mkdirSync(shared);
fs.writeFileSync(path.join(shared, "a.txt"), "é \u2028 \"quoted\"\n");
const servers = {
  everything: [process.execPath, bin("server-everything"), "stdio"],
  filesystem: [process.execPath, bin("server-filesystem"), shared],
  modern: [process.execPath, path.join(here, "modern_server.mjs"), modules],
};
// What must fail, so that equal results are not equal failures.
const failing = { everything: ["unknown", "wrong"], filesystem: ["outside"], modern: ["unknown", "wrong"] };

// ---- What clients do ------------------------------------------------------------------------------------------------------

const info = { name: "interop", version: "1" };
const capabilities = { sampling: {}, elicitation: { form: {} }, roots: { listChanged: true } };
const answers = {
  sampling: async () => ({ model: "stub", role: "assistant", content: { type: "text", text: "sampled" }, stopReason: "endTurn" }),
  elicitation: async (request) => (request.params.message.startsWith("Deploy") ? { action: "accept", content: { go: true } } : { action: "decline" }),
  roots: async () => ({ roots: [{ uri: "file:///srv/interop", name: "interop" }] }),
};
const clients = {
  "sdk 1": () => {
    const client = new sdk.Client(info, { capabilities });
    client.setRequestHandler(sdkTypes.CreateMessageRequestSchema, answers.sampling);
    client.setRequestHandler(sdkTypes.ElicitRequestSchema, answers.elicitation);
    client.setRequestHandler(sdkTypes.ListRootsRequestSchema, answers.roots);
    return [client, (command) => new sdkStdio.StdioClientTransport({ ...command, stderr: "ignore" })];
  },
  ...Object.fromEntries([["legacy", "legacy"], ["auto", "auto"], ["pinned", { pin: "2026-07-28" }]].map(([era, mode]) => [`client 2 ${era}`, () => {
    const client = new modern.Client(info, { capabilities, versionNegotiation: { mode } });
    client.setRequestHandler("sampling/createMessage", answers.sampling);
    client.setRequestHandler("elicitation/create", answers.elicitation);
    client.setRequestHandler("roots/list", answers.roots);
    return [client, (command) => new modernStdio.StdioClientTransport({ ...command, stderr: "ignore" })];
  }])),
};

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const outcome = async (work) => {
  try {
    return await work;
  } catch (error) {
    return { error: String(error.code ?? error.name) };
  }
};

async function useEverything(client) {
  const seen = {};
  const call = (name, args = {}, options = undefined) => outcome(client.callTool({ name, arguments: args }, ...(client instanceof sdk.Client ? [undefined, options] : [options])));
  let progress = 0;
  await pause(700); // the server offers further tools when it has asked for roots
  seen.tools = (await client.listTools()).tools;
  seen.echo = await call("echo", { message: "é \u{1f600} \u2028" });
  seen.sum = await call("get-sum", { a: 0.1, b: 1e21 });
  seen.wrong = await call("get-sum", { a: "x" });
  seen.unknown = await call("no-such-tool");
  seen.structured = await call("get-structured-content", { location: "Chicago" });
  seen.image = await call("get-tiny-image");
  seen.links = await call("get-resource-links", { count: 2 });
  seen.sampled = await call("trigger-sampling-request", { prompt: "p", maxTokens: 5 });
  seen.asked = await call("trigger-elicitation-request");
  seen.roots = await call("get-roots-list");
  seen.long = await call("trigger-long-running-operation", { duration: 0.6, steps: 3 }, { onprogress: () => { progress += 1; } });
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 100);
  seen.cancelled = Boolean((await call("trigger-long-running-operation", { duration: 1, steps: 2 }, { signal: stop.signal })).error);
  seen.prompts = (await client.listPrompts()).prompts;
  seen.prompt = await client.getPrompt({ name: "args-prompt", arguments: { city: "Bern", state: "BE" } });
  seen.resources = (await client.listResources()).resources.length;
  seen.templates = (await client.listResourceTemplates()).resourceTemplates;
  seen.read = await client.readResource({ uri: "demo://resource/static/document/features.md" });
  seen.completed = await client.complete({ ref: { type: "ref/prompt", name: "completable-prompt" }, argument: { name: "department", value: "E" } });
  seen.level = await outcome(client.setLoggingLevel("warning"));
  seen.subscribed = await outcome(client.subscribeResource({ uri: "demo://resource/dynamic/text/1" }));
  seen.unsubscribed = await outcome(client.unsubscribeResource({ uri: "demo://resource/dynamic/text/1" }));
  return { seen, progress };
}

async function useFilesystem(client) {
  const seen = {};
  const call = (name, args) => outcome(client.callTool({ name, arguments: args }));
  seen.tools = (await client.listTools()).tools;
  seen.allowed = await call("list_allowed_directories", {});
  seen.read = await call("read_text_file", { path: path.join(shared, "a.txt") });
  seen.wrote = await call("write_file", { path: path.join(shared, "b.txt"), content: "b" });
  seen.edited = await call("edit_file", { path: path.join(shared, "b.txt"), edits: [{ oldText: "b", newText: "c" }] });
  seen.listed = await call("list_directory", { path: shared });
  seen.outside = await call("read_text_file", { path: "/etc/passwd" });
  fs.rmSync(path.join(shared, "b.txt"), { force: true });
  return { seen, progress: 0 };
}

async function useModern(client) {
  const seen = {};
  const call = (name, args) => outcome(client.callTool({ name, arguments: args }));
  seen.tools = (await client.listTools()).tools;
  seen.greeted = await call("greet", { name: "é \u{1f600}" });
  seen.placed = await call("place", { region: " é" });
  seen.wrong = await call("greet", {});
  seen.unknown = await call("none", {});
  seen.deployed = await call("deploy", { env: "lab" });
  seen.resources = (await client.listResources()).resources;
  seen.read = await client.readResource({ uri: "note://1" });
  seen.prompts = (await client.listPrompts()).prompts;
  seen.prompt = await client.getPrompt({ name: "ask", arguments: { topic: "t" } });
  return { seen, progress: 0 };
}

const uses = { everything: useEverything, filesystem: useFilesystem, modern: useModern };
const failed = (seen) => Object.keys(seen).filter((name) => seen[name]?.error || seen[name]?.isError).sort();
// What differs from run to run: times, and the time an operation took.
const plain = (seen) => JSON.stringify(seen).replace(/\d\d:\d\d:\d\d[^"]*|\d+(\.\d+)? seconds/g, "TIME");

async function run(name, which, words) {
  const [client, transport] = clients[name]();
  await client.connect(transport({ command: words[0], args: words.slice(1), cwd: place, env: { ...process.env } }));
  const version = client.getServerVersion();
  const result = await uses[which](client);
  const began = process.hrtime.bigint();
  await client.close();
  return { ...result, version, closeMs: Number(process.hrtime.bigint() - began) / 1e6 };
}

// ---- Byte by byte ---------------------------------------------------------------------------------------------------------

const kept = (log, side) => fs.readFileSync(path.join(place, `${log}.${side}`));
const between = (proxy, words) => ["python3", "-B", tee, path.join(place, "outer"), "--", ...proxy, "python3", "-B", tee, path.join(place, "inner"), "--", ...words];
// The proxy asks for the tools itself when a call comes before they are listed; nobody else sees that.
const isOwn = (line) => /^baton-\d+$/.test(line && JSON.parse(line).id);
const passed = (log, side) => kept(log, side).toString("latin1").split("\n").filter((line) => log === "outer" || !isOwn(line)).join("\n");
const equalBytes = () => ["in", "out"].map((side) => passed("outer", side) === passed("inner", side));
const proxy = [baton, "wrap", "--name", "s", "--no-config", "--no-lock", "--no-record", "--quiet", "--"];
let lines = 0;

const talks = (name, which) => which === "modern" || name !== "client 2 pinned"; // a pinned client wants a modern server
for (const name of Object.keys(clients)) {
  for (const which of Object.keys(servers).filter((server) => talks(name, server))) {
    const alone = await run(name, which, servers[which]);
    const behind = await run(name, which, between(proxy, servers[which]));
    lines += kept("outer", "in").toString().split("\n").length + kept("outer", "out").toString().split("\n").length - 2;
    equal(`${name}, ${which}: the server says who it is`, behind.version, alone.version);
    equal(`${name}, ${which}: everything is as without the proxy`, plain(behind.seen), plain(alone.seen));
    equal(`${name}, ${which}: what must fail fails, and nothing else`, failed(behind.seen), failing[which]);
    check(`${name}, ${which}: at least as much progress is told`, behind.progress >= alone.progress, `${behind.progress} of ${alone.progress}`);
    equal(`${name}, ${which}: all lines are equal byte by byte in both directions`, equalBytes(), [true, true]);
  }
}
console.log(`# ${lines} lines compared`);

// The control: the bytes of a proxy that parses and writes again are not those that came.
await run("sdk 1", "filesystem", between(["python3", "-B", tee, path.join(place, "rewritten"), "--rewrite", "--"], servers.filesystem));
equal("control: a proxy that writes messages again is found out", equalBytes(), [false, false]);

// ---- Over HTTP ------------------------------------------------------------------------------------------------------------

const freePort = () => new Promise((done) => {
  const free = net.createServer().listen(0, "127.0.0.1", () => {
    const number = free.address().port;
    free.close(() => done(number));
  });
});
const opens = (port) => new Promise((done) => {
  const socket = net.connect(port, "127.0.0.1").on("connect", () => done(socket.destroy() && true)).on("error", () => done(false));
});
for (const which of ["everything", "modern"]) {
  const port = await freePort();
  const words = which === "modern" ? [...servers.modern.slice(1), String(port)] : [bin("server-everything"), "streamableHttp"];
  const http = spawn(process.execPath, words, { env: { ...process.env, PORT: String(port) }, stdio: "ignore" });
  for (let turn = 0; turn < 100 && !(await opens(port)); turn += 1) {
    await pause(100);
  }
  // Over HTTP this server cannot ask a legacy client for anything.
  const talking = which === "modern" ? ["client 2 auto", "client 2 pinned"] : Object.keys(clients).filter((client) => talks(client, which));
  for (const name of talking) {
    const alone = await run(name, which, servers[which]);
    const behind = await run(name, which, [...proxy.slice(0, -1), "--upstream", `http://127.0.0.1:${port}/mcp`]);
    equal(`${name}, ${which} over HTTP: everything is as on standard input and output`, plain(behind.seen), plain(alone.seen));
  }
  http.kill();
}
fs.rmSync(place, { recursive: true, force: true });
finish();
