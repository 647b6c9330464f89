// SPDX-License-Identifier: Apache-2.0
// lsp.mjs BATON NODE_MODULES - the protocol library of Visual Studio Code uses `baton lsp`: diagnostics pushed and pulled, both
// encodings, every request, and random changes of each dialect (EDITS of each, 10,000 by default), compared with `baton check`.
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { equal, finish } from "./tally.mjs";

const [baton, modules] = process.argv.slice(2).map((name) => path.resolve(name));
const require = createRequire(path.join(modules, "x.js"));
const protocol = require("vscode-languageserver-protocol/node");
const EDITS = Number(process.env.EDITS ?? 10000);
const EVERY = 10; // changes between two comparisons
const REOPEN = 20; // changes after which a document begins anew, so that it stays like a document
const FLAGS = ["--now", "2026-04-14T09:00:00Z", "--today", "2026-08-01", "--seed", "7"];
const examples = path.resolve("examples");
const NAMES = ["universal/mendable.handoff.json", "contract/broken.contract.md", "plan/untyped.steps.csv", "governed/accepted.json", "governed/response.json",
  "pump/wrong.xml", "pump/organism.yaml", "config/baton.yaml"];
const SEVERITY = { HARD: 1, WARN: 2, INFO: 3 };
const read = (name) => fs.readFileSync(path.join(examples, name), "utf8");

/** A client with its server; `place` is the workspace folder. */
async function connect(place, { utf8 = false, pull = false } = {}) {
  const child = spawn(baton, ["lsp", ...FLAGS], { cwd: place, stdio: ["pipe", "pipe", "inherit"] });
  const connection = protocol.createProtocolConnection(new protocol.StreamMessageReader(child.stdout), new protocol.StreamMessageWriter(child.stdin));
  const published = new Map();
  const shown = [];
  connection.onNotification(protocol.PublishDiagnosticsNotification.type, (params) => published.set(params.uri, params));
  connection.onNotification(protocol.ShowMessageNotification.type, (params) => shown.push(params.message));
  connection.listen();
  const capabilities = { workspace: { workspaceEdit: { documentChanges: true } }, general: utf8 ? { positionEncodings: ["utf-8", "utf-16"] } : {},
    textDocument: pull ? { diagnostic: {} } : {} };
  const result = await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid, rootUri: null, workspaceFolders: [{ uri: pathToFileURL(place).href, name: "x" }], capabilities });
  await connection.sendNotification(protocol.InitializedNotification.type, {});
  const end = async () => {
    await connection.sendRequest(protocol.ShutdownRequest.type);
    await connection.sendNotification(protocol.ExitNotification.type);
    return new Promise((resolve) => child.on("exit", resolve));
  };
  return { connection, published, shown, result, end, utf8, pull };
}

const open = (client, uri, text, version = 1) => client.connection.sendNotification(protocol.DidOpenTextDocumentNotification.type,
  { textDocument: { uri, languageId: "x", version, text } });
const change = (client, uri, version, contentChanges) => client.connection.sendNotification(protocol.DidChangeTextDocumentNotification.type,
  { textDocument: { uri, version }, contentChanges });
const close = (client, uri) => client.connection.sendNotification(protocol.DidCloseTextDocumentNotification.type, { textDocument: { uri } });

/** The diagnostics of the present text, pushed or pulled. */
async function diagnostics(client, uri) {
  if (client.pull) {
    const report = await client.connection.sendRequest(protocol.DocumentDiagnosticRequest.type, { textDocument: { uri } });
    return report.items;
  }
  // Before a request about a document is answered, its diagnostics are published.
  await client.connection.sendRequest(protocol.CodeLensRequest.type, { textDocument: { uri } });
  return client.published.get(uri)?.diagnostics ?? [];
}

// ---- A naive model --------------------------------------------------------------------------------

/** The position of an index in a string, one code point at a time. null: inside CR LF. */
function positionOf(text, index, utf8) {
  let line = 0;
  let character = 0;
  for (let at = 0; at < index;) {
    const point = text.codePointAt(at);
    const size = point > 0xffff ? 2 : 1;
    const isCrlf = text[at] === "\r" && text[at + 1] === "\n";
    if (isCrlf && at + 1 === index) {
      return null;
    }
    if (text[at] === "\n" || text[at] === "\r") {
      line += 1;
      character = 0;
      at += isCrlf ? 2 : 1;
      continue;
    }
    character += utf8 ? Buffer.byteLength(String.fromCodePoint(point)) : size;
    at += size;
  }
  return { line, character };
}

let seed = 20260414;
const random = (limit) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return (seed >>> 8) % limit;
};
const PIECES = ["", "", "x", "\"", "{", "}", ",", ":", "\n", "\r\n", "\r", " ", "é", "😀", "null", "0", "<", ">", "#", "\"a\": 1, ", "```", "'"];
const isInside = (text, at) => /[\udc00-\udfff]/.test(text[at] ?? "") && /[\ud800-\udbff]/.test(text[at - 1] ?? "");

function randomChange(text, utf8) {
  for (;;) {
    const begin = random(text.length + 1);
    const end = Math.min(text.length, begin + [0, 0, 0, 1, 1, 2, 5, 30][random(8)]);
    const range = { start: positionOf(text, begin, utf8), end: positionOf(text, end, utf8) };
    if (range.start && range.end && !isInside(text, begin) && !isInside(text, end)) {
      const by = PIECES[random(PIECES.length)];
      return [{ range, text: by }, text.slice(0, begin) + by + text.slice(end)];
    }
  }
}

/** The findings of `baton check` on texts, by index; an empty list for what is not a document. */
function check(place, name, texts) {
  const files = texts.map((text, index) => {
    const file = path.join(String(index), path.basename(name));
    fs.mkdirSync(path.join(place, String(index)), { recursive: true });
    fs.writeFileSync(path.join(place, file), text);
    return file;
  });
  let output = "";
  try {
    output = execFileSync(baton, ["check", "-f", "json", "--structure-only", ...FLAGS, ...files], { cwd: place, maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    output = error.stdout;
  }
  const documents = new Map(JSON.parse(output).documents.map((document) => [document.path, document.findings]));
  return files.map((file) => documents.get(file) ?? []);
}

const brief = (items) => items.map((item) => [item.code, item.severity, item.data.pointer]);
const expected = (findings) => findings.map((item) => [item.code, SEVERITY[item.severity], item.pointer]);

async function editDialect(client, name, title) {
  const place = fs.mkdtempSync(path.join(os.tmpdir(), "baton-lsp-"));
  const original = read(name);
  const samples = [];
  const uri = pathToFileURL(path.join(place, "edited", path.basename(name))).href;
  fs.mkdirSync(path.join(place, "edited"));
  let text = original;
  for (let count = 1, version = 1; count <= EDITS; count += 1) {
    if (count % REOPEN === 1) {
      await close(client, uri);
      text = original;
      version = 1;
      await open(client, uri, text, version);
    }
    let edit = null;
    [edit, text] = randomChange(text, client.utf8);
    version += 1;
    await change(client, uri, version, [edit]);
    if (count % EVERY === 0) {
      samples.push([text, brief(await diagnostics(client, uri))]);
    }
  }
  await close(client, uri);
  let differences = 0;
  for (let from = 0; from < samples.length; from += 200) {
    const part = samples.slice(from, from + 200);
    check(place, name, part.map(([one]) => one)).forEach((findings, index) => {
      if (JSON.stringify(part[index][1]) !== JSON.stringify(expected(findings))) {
        differences += 1;
        if (differences === 1) {
          console.log(`# ${title}: ${JSON.stringify(part[index])} is not ${JSON.stringify(expected(findings))}`);
        }
      }
    });
  }
  fs.rmSync(place, { recursive: true });
  equal(`${title}: ${EDITS} changes, ${samples.length} comparisons, nothing differs`, [differences, client.shown.length], [0, 0]);
}

// ---- Every request --------------------------------------------------------------------------------

async function useEverything(client, title) {
  const uri = pathToFileURL(path.join(examples, "universal/edited.handoff.json")).href;
  const text = read("universal/mendable.handoff.json");
  const textDocument = { uri };
  await open(client, uri, text);
  const items = await diagnostics(client, uri);
  equal(`${title}: diagnostics come`, items.length > 0 && items.every((item) => item.source === "baton"), true);
  equal(`${title}: the encoding is the agreed one`, client.result.capabilities.positionEncoding, client.utf8 ? "utf-8" : "utf-16");
  const fixable = items.find((item) => item.data.fix === "safe");
  const hover = await client.connection.sendRequest(protocol.HoverRequest.type, { textDocument, position: fixable.range.start });
  equal(`${title}: hover explains a finding`, [hover.contents.kind, hover.contents.value.includes(fixable.code)], ["markdown", true]);
  const actions = await client.connection.sendRequest(protocol.CodeActionRequest.type, { textDocument, range: fixable.range, context: { diagnostics: [fixable] } });
  equal(`${title}: there are quick fixes and one for all`, [actions.some((item) => item.kind === "quickfix"), actions.at(-1).kind], [true, "source.fixAll.baton"]);
  const completion = await client.connection.sendRequest(protocol.CompletionRequest.type, { textDocument, position: { line: 1, character: 3 } });
  equal(`${title}: completion gives a list`, [completion.isIncomplete, Array.isArray(completion.items)], [false, true]);
  const lenses = await client.connection.sendRequest(protocol.CodeLensRequest.type, { textDocument });
  equal(`${title}: code lenses count tokens`, /^\d+ of 2000 tokens/.test(lenses[0].command.title), true);
  const edits = await client.connection.sendRequest(protocol.DocumentFormattingRequest.type, { textDocument, options: { tabSize: 4, insertSpaces: true } });
  equal(`${title}: formatting is one edit`, edits.length, 1);
  const target = await client.connection.sendRequest(protocol.DefinitionRequest.type, { textDocument, position: { line: 0, character: 0 } });
  equal(`${title}: nothing is defined at the first bracket`, target, null);
  if (client.pull) {
    const first = await client.connection.sendRequest(protocol.DocumentDiagnosticRequest.type, { textDocument });
    const second = await client.connection.sendRequest(protocol.DocumentDiagnosticRequest.type, { textDocument, previousResultId: first.resultId });
    equal(`${title}: what did not change is unchanged`, [first.kind, second.kind, client.published.size], ["full", "unchanged", 0]);
  }
  await close(client, uri);
}

for (const utf8 of [false, true]) {
  for (const pull of [false, true]) {
    const title = `${utf8 ? "UTF-8" : "UTF-16"}, ${pull ? "pulled" : "pushed"}`;
    const client = await connect(examples, { utf8, pull });
    await useEverything(client, title);
    equal(`${title}: the server ends well`, await client.end(), 0);
  }
}
for (const [index, name] of NAMES.entries()) {
  const client = await connect(os.tmpdir(), { utf8: index % 2 === 0, pull: index % 3 === 0 });
  await editDialect(client, name, path.basename(name));
  equal(`${name}: the server ends well`, await client.end(), 0);
}
finish();
