// SPDX-License-Identifier: Apache-2.0
// mcp.mjs BATON NODE_MODULES - the official clients of the Model Context Protocol, of both eras, use `baton mcp` and `/mcp` of
// `baton serve`.
//
// Each connects, lists, calls, reads, completes, and lets a person approve by a form. What a tool answers is judged by the
// client against the tool's own outputSchema.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { makeStore, serve } from "./serve.mjs";
import { equal, finish } from "./tally.mjs";

const [baton, modules] = process.argv.slice(2).map((name) => path.resolve(name));
const load = (file) => import(pathToFileURL(path.join(modules, "@modelcontextprotocol", file)));
// A store with one request for consent that waits for a person, and the words that open it.
function makePlace() {
  const { folder, store } = makeStore(baton);
  return { folder, args: ["mcp", "--store", store, "--scopes", "check,submit,approve", "--actor", "alice"] };
}

async function use(name, client, transport, version) {
  await client.connect(transport);
  equal(`${name}: the server says who it is`, client.getServerVersion().name, "baton");
  if (version) {
    equal(`${name}: the version is agreed on`, client.getNegotiatedProtocolVersion(), version);
  }
  const { tools } = await client.listTools();
  equal(`${name}: every tool is listed`, tools.length, 19);
  const counted = await client.callTool({ name: "count_tokens", arguments: { text: "hello world" } });
  equal(`${name}: a tool is called`, counted.structuredContent.tokens.exact, 2);
  const checked = await client.callTool({ name: "check_handoff", arguments: { document: "{}", dialect: "universal" } });
  equal(`${name}: a bad document is a good answer`, [checked.isError, checked.structuredContent.documents[0].verdict], [false, "rejected"]);
  const rule = await client.readResource({ uri: "baton://rules/SELF_LOOP" });
  equal(`${name}: a resource is read`, rule.contents[0].mimeType, "text/markdown");
  const { prompts } = await client.listPrompts();
  equal(`${name}: prompts are listed`, prompts.map((prompt) => prompt.name), ["repair_handoff", "write_contract_block"]);
  const completed = await client.complete({ ref: { type: "ref/prompt", name: "write_contract_block" }, argument: { name: "status", value: "B" } });
  equal(`${name}: an argument is completed`, completed.completion.values, ["BLOCKED"]);
  const listed = await client.callTool({ name: "list_approvals", arguments: { status: "pending" } });
  const decided = await client.callTool({ name: "decide_approval", arguments: { id: listed.structuredContent.approvals[0].id } });
  equal(`${name}: a person approves by a form`, decided.structuredContent.decided, "approved");
  await client.close();
}

const info = [{ name: "interop", version: "1" }, { capabilities: { elicitation: { form: {} } } }];
let asked = 0;
const approve = async (request) => {
  asked += request.params.message.includes("psql -c 'drop table t'") ? 1 : 0;
  return { action: "accept", content: { decision: "approve" } };
};

const sdk = await load("sdk/dist/esm/client/index.js");
const sdkStdio = await load("sdk/dist/esm/client/stdio.js");
const sdkTypes = await load("sdk/dist/esm/types.js");
const modern = await load("client/dist/index.mjs");
const modernStdio = await load("client/dist/stdio.mjs");
const sdkHttp = await load("sdk/dist/esm/client/streamableHttp.js");
const runs = [
  ["sdk 1", () => {
    const client = new sdk.Client(...info);
    client.setRequestHandler(sdkTypes.ElicitRequestSchema, approve);
    return client;
  }, sdkStdio, sdkHttp, null],
  ...[["legacy", "legacy", "2025-11-25"], ["auto", "auto", "2026-07-28"], ["pinned", { pin: "2026-07-28" }, "2026-07-28"]].map(([name, mode, version]) => [
    `client 2 ${name}`, () => {
      const client = new modern.Client(info[0], { ...info[1], versionNegotiation: { mode } });
      client.setRequestHandler("elicitation/create", approve);
      return client;
    }, modernStdio, modern, version]),
];
for (const [name, make, stdio, http, version] of runs) {
  const { folder, args } = makePlace();
  await use(`${name}, stdio`, make(), new stdio.StdioClientTransport({ command: baton, args }), version);
  fs.rmSync(folder, { recursive: true });
  const server = await serve(baton, { alice: "check,submit,approve" });
  const headers = { Authorization: `Bearer ${server.tokens.alice}` };
  await use(`${name}, http`, make(), new http.StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } }), version);
  equal(`${name}: the server ends well`, await server.stop(), 0);
}
equal("each person saw the exact command", asked, 2 * runs.length);

// Two that others built upon these clients: a program for the command line, and a library that gives the tools to a model.
const server = await serve(baton);
const inspector = path.join(modules, "@modelcontextprotocol/inspector");
const program = path.join(inspector, JSON.parse(fs.readFileSync(path.join(inspector, "package.json"))).bin["mcp-inspector"]);
const inspect = (...words) => JSON.parse(execFileSync(process.execPath, [program, "--cli", `${server.url}/mcp`, "--transport", "http", ...words]));
equal("inspector: tools are listed", inspect("--method", "tools/list").tools.length, 18);
const told = inspect("--method", "tools/call", "--tool-name", "count_tokens", "--tool-arg", "text=hello world");
equal("inspector: a tool is called", told.structuredContent.tokens.exact, 2);
const { MultiServerMCPClient } = await import(pathToFileURL(path.join(modules, "@langchain/mcp-adapters/dist/index.js")));
const adapters = new MultiServerMCPClient({ mcpServers: { baton: { transport: "http", url: `${server.url}/mcp` } } });
const tools = await adapters.getTools();
const counter = tools.find((tool) => tool.name.endsWith("count_tokens"));
const counted = await counter.invoke({ text: "hello world" });
equal("langchain: a tool is called", counted.structuredContent.tokens.exact, 2);
await adapters.close();
equal("the server ends well", await server.stop(), 0);
finish();
