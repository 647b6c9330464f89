// SPDX-License-Identifier: Apache-2.0
// openapi.mjs BATON NODE_MODULES - the OpenAPI document of `baton serve`, judged by the linters of others, and used by a client
// that is generated from it: every operation is called, and every answer validated against the document.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { serve } from "./serve.mjs";
import { check, finish } from "./tally.mjs";

const [baton, modules] = process.argv.slice(2).map((name) => path.resolve(name));
const require = createRequire(path.join(modules, "x.js"));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "baton-openapi-"));
const file = path.join(folder, "openapi.json");
const examples = path.resolve("examples");
const read = (name) => fs.readFileSync(path.join(examples, name), "utf8");

// ---- Linters ----------------------------------------------------------------------------------------------------------------

fs.writeFileSync(file, execFileSync(baton, ["serve", "--print-openapi"]));
fs.writeFileSync(path.join(folder, ".spectral.yaml"), 'extends: ["spectral:oas"]\n');
const described = JSON.parse(fs.readFileSync(file));

function tool(name, ...args) {
  const result = spawnSync(path.join(modules, ".bin", name), args, { cwd: folder, encoding: "utf8" });
  return [result.status === 0, result.stdout + result.stderr];
}

check("redocly finds no error", ...tool("redocly", "lint", file));
check("spectral finds no error", ...tool("spectral", "lint", file));
const parser = require("@apidevtools/swagger-parser");
check("swagger-parser accepts it", await (parser.default ?? parser).validate(structuredClone(described)).then(() => true, (error) => (console.log(error.message), false)));
check("openapi-typescript makes a client of it", ...tool("openapi-typescript", file, "-o", "api.d.ts"));

// The generated types must let the calls below through that are right, and stop one that is wrong.
fs.writeFileSync(path.join(folder, "use.mts"), `import createClient from "openapi-fetch";
import type { paths } from "./api.d.ts";
const client = createClient<paths>({ baseUrl: "http://127.0.0.1" });
const { data } = await client.GET("/v1/handoffs/{id}", { params: { path: { id: "0" } } });
export const seq: number | undefined = data?.seq;
// @ts-expect-error there is no such path
await client.GET("/v1/nothing");
`);
fs.symlinkSync(modules, path.join(folder, "node_modules"));
check("a program that uses the generated client is well-typed",
  ...tool("tsc", "--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "--moduleResolution", "nodenext", "use.mts"));

// ---- The live server --------------------------------------------------------------------------------------------------------

const { default: made } = await import(pathToFileURL(require.resolve("openapi-fetch")));
const createClient = made.default ?? made;
const { default: Ajv } = await import(pathToFileURL(require.resolve("ajv/dist/2020.js")));
const server = await serve(baton, { all: "check,submit,approve,operate,admin" });
let last; // the newest answer, as it came
const client = createClient({
  baseUrl: server.url, headers: { Authorization: `Bearer ${server.tokens.all}` },
  fetch: async (request) => {
    const response = await fetch(request);
    last = response.clone();
    return response;
  },
});
const ajv = new (Ajv.default ?? Ajv)({ strict: false, allErrors: true });
ajv.addSchema({ $id: "doc", components: described.components });

const handoff = read("universal/planner-to-builder.handoff.json");
const nobody = `P-${"0".repeat(32)}`;
const text = (body, type) => ({ body, bodySerializer: (value) => value, headers: { "Content-Type": type } });
const json = (body) => ({ body });
const document = text(handoff, "application/json");
const how = {
  check: document, repair: document, compress: document, submitHandoff: document,
  convert: { ...text(read("plan/release.steps.csv"), "text/csv"), params: { query: { from: "plan", step: "1" } } },
  countTokens: text("hello", "text/plain"), planAudit: text(read("plan/release.steps.csv"), "text/csv"), planWaves: text(read("plan/release.steps.csv"), "text/csv"),
  planTrajectory: json({ run: JSON.parse(read("plan/run.json")) }), planValidate: json({ schema: {}, payload: {} }),
  schemaValidate: json({ schema: {}, instance: 1 }), schemaCompat: json({ old: {}, new: {} }),
  contractCheck: text(read("contract/done.contract.md"), "text/markdown"), contractRepairPrompt: text(read("contract/broken.contract.md"), "text/markdown"),
  contractMerge: json({ stored: {}, payload: {} }), verifyReceipt: json({}), dispatch: json({}), governSubmit: json({}), governRespond: json({}),
  takeHandoffs: json({ max: 1 }), finishHandoffs: json({ items: [{ message: "h9", lease: "l", outcome: "failed" }] }),
  unblock: json({ agent: "a", reason: "r" }), storeContractInput: { ...json(JSON.parse(read("contract/input.json"))), params: { query: { agent_type: "t" } } },
  clearContractState: { params: { query: { agent: "a12345" } } }, governPath: { params: { query: { from: "a", to: "b" } } },
  proveConsistency: { params: { query: { old: 0 } } }, proveInclusion: { params: { query: { seq: 0 } } },
  useApproval: json({ command: "ls" }), showApproval: json({}), grantApproval: json({ fingerprint: "0".repeat(64) }), denyApproval: json({}), revokeApproval: json({}),
  addCosignatures: text("x", "text/plain"), makeBundle: json({ trace: "nobody" }), setHold: json({ trace: "t", reason: "r" }), releaseHold: json({ trace: "t", reason: "r" }), redactDocument: json({ seq: 999, reason: "r" }), hook: json({ hook_event_name: "Other" }), newLog: json({ name: "a", origin: "x/a" }),
  pumpSend: text("<x/>", "application/xml"),
};
const values = { id: "0", trace_id: "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4", code: "EXPIRED", name: "report", agent: "patch-builder", host: "codex", seq: "0",
  path: "0/000.p/1", origin_hash: "0", thread: "t" };
const approvals = new Set(["getApproval", "showApproval", "grantApproval", "denyApproval", "revokeApproval"]);

async function call(operation, method, route) {
  const options = how[operation.operationId] ?? {};
  const names = (operation.parameters ?? []).filter((parameter) => parameter.in === "path").map((parameter) => parameter.name);
  const params = { ...options.params, path: Object.fromEntries(names.map((name) => [name, approvals.has(operation.operationId) ? nobody : values[name]])) };
  const controller = new AbortController();
  const { response } = await client[method.toUpperCase()](route, {
    ...options, params, parseAs: "stream", signal: controller.signal,
    ...(operation.operationId === "tlogTile" ? { pathSerializer: () => `${server.url}/ledger/tile/0/000.p/1` } : {}),
  });
  const type = (response.headers.get("content-type") ?? "").split(";")[0];
  const isStream = type === "text/event-stream";
  const body = isStream ? "" : await last.text();
  if (isStream) {
    controller.abort();
  }
  return { status: String(response.status), type, body };
}

function judge(operation, answer) {
  let told = operation.responses[answer.status];
  if (!told) {
    return `status ${answer.status} is not described`;
  }
  told = told.$ref ? described.components.responses.Problem : told;
  const media = told.content?.[answer.type];
  if (!media) {
    return `media type ${answer.type} of ${answer.status} is not described`;
  }
  if (!answer.type.endsWith("json")) {
    return "";
  }
  const schema = JSON.parse(JSON.stringify(media.schema).replaceAll('"#/components', '"doc#/components'));
  return ajv.validate(schema, JSON.parse(answer.body)) ? "" : JSON.stringify(ajv.errors).slice(0, 500);
}

for (const [route, operations] of Object.entries(described.paths)) {
  for (const [method, operation] of Object.entries(operations)) {
    const answer = await call(operation, method, route);
    const wrong = judge(operation, answer);
    check(`${operation.operationId} answers ${answer.status} as described`, wrong === "" && answer.status !== "500", `${wrong} ${answer.body}`);
  }
}
check("an answer that is not as described is noticed", judge(described.paths["/v1/ledger"].get, { status: "200", type: "application/json", body: "{}" }) !== "");
check("the server stops as it should", (await server.stop()) === 0);
fs.rmSync(folder, { recursive: true });
finish();
