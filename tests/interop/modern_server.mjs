// SPDX-License-Identifier: Apache-2.0
// modern_server.mjs NODE_MODULES [PORT] - a server on the official package, of both eras: on standard input and output, or over
// Streamable HTTP on a port of this machine.
import http from "node:http";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, port] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(path.join(modules, "@modelcontextprotocol/server/dist", file)));
const { McpServer, acceptedContent, createMcpHandler, fromJsonSchema, inputRequired } = await load("index.mjs");

function make() {
  const server = new McpServer({ name: "modern", version: "1" }, { capabilities: { tools: {}, prompts: {}, resources: {}, logging: {} } });
  const texts = (...names) => fromJsonSchema({ type: "object", properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])), required: names });
  server.registerTool("greet", { description: "Greet somebody.", inputSchema: texts("name") }, async ({ name }) => ({ content: [{ type: "text", text: `hello ${name}` }] }));
  const region = fromJsonSchema({ type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } }, required: ["region"] });
  server.registerTool("place", { description: "Tell a region.", inputSchema: region }, async (given) => ({ content: [{ type: "text", text: given.region }] }));
  server.registerTool("deploy", { description: "Ask first.", inputSchema: texts("env") }, async ({ env }, context) => {
    const confirmed = acceptedContent(context.mcpReq.inputResponses, "confirm");
    if (!confirmed) {
      return inputRequired({ inputRequests: { confirm: inputRequired.elicit({ message: `Deploy to ${env}?`, requestedSchema: { type: "object", properties: { go: { type: "boolean" } } } }) } });
    }
    return { content: [{ type: "text", text: `deployed to ${env}: ${confirmed.go}` }] };
  });
  server.registerResource("note", "note://1", { description: "A note." }, async (uri) => ({ contents: [{ uri: uri.href, text: "noted" }] }));
  server.registerPrompt("ask", { description: "Ask.", argsSchema: texts("topic") }, ({ topic }) => ({ messages: [{ role: "user", content: { type: "text", text: topic } }] }));
  return server;
}

if (!port) {
  const { serveStdio } = await load("stdio.mjs");
  serveStdio(make);
} else {
  const handler = createMcpHandler(make);
  http.createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) {
      parts.push(part);
    }
    const method = request.method;
    const answer = await handler.fetch(new Request(`http://${request.headers.host}${request.url}`, { method, headers: request.headers, body: method === "POST" ? Buffer.concat(parts) : undefined }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const part of answer.body ?? []) {
      response.write(part);
    }
    response.end();
  }).listen(Number(port), "127.0.0.1");
}
