// SPDX-License-Identifier: Apache-2.0
// a2a.mjs BATON NODE_MODULES - the official SDK of the Agent2Agent protocol uses `baton serve`, through both bindings.
//
// It reads the card and verifies who signed it, sends, streams, gets, lists, cancels and lets a person consent. A client of version 0.3 is refused.
import path from "node:path";
import { pathToFileURL } from "node:url";
import { requestText, serve } from "./serve.mjs";
import { equal, finish } from "./tally.mjs";

const [baton, modules] = process.argv.slice(2).map((name) => path.resolve(name));
const { ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory, RestTransportFactory } = await import(
  pathToFileURL(path.join(modules, "@a2a-js/sdk/dist/client/index.js")));
const { Role, TaskState, verifyAgentCardSignature } = await import(pathToFileURL(path.join(modules, "@a2a-js/sdk/dist/index.js")));
const handoff = JSON.stringify({
  handoff: {
    version: "3.0", schema_type: "universal", timestamp: "2026-04-14T08:30:00Z", trace_id: "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4",
    source: { skill: "release-planner", workflow_id: "run-0412", session_path: "work", phase: "Triage" }, target: { skill: "tax-writer" },
    context: { summary: "Build the fix.", problem_type: "implementation" }, payload: { working: { ticket: "DP-118" } },
    meta: { token_count: 0, confidence: "high" },
  },
});

const WISH = "urn:baton:a2a:handoff:v1";
const CONSENT = "urn:baton:a2a:approval:v1";
let count = 0;

const part = (value) => ({ content: { $case: "text", value }, metadata: undefined, filename: "", mediaType: "" });

function message(text, metadata, more = {}) {
  count += 1;
  return {
    tenant: "", configuration: undefined, metadata: undefined,
    message: { messageId: `m${count}`, contextId: "", taskId: "", role: Role.ROLE_USER, parts: [part(text)], metadata, extensions: [], referenceTaskIds: [], ...more },
  };
}

const bearer = (token) => ({ serviceParameters: { Authorization: `Bearer ${token}` } });

async function use(name, client, server) {
  const agent = bearer(server.tokens.agent);
  const chief = bearer(server.tokens.chief);
  const checked = await client.sendMessage(message("{}", { [WISH]: { operation: "check", dialect: "universal" } }), agent);
  equal(`${name}: a bad document is checked`, [checked.status.state, checked.artifacts[0].parts[0].content.value.documents[0].verdict], [TaskState.TASK_STATE_COMPLETED, "rejected"]);
  const refused = await client.sendMessage(message("{}", { [WISH]: { dialect: "universal" } }), agent);
  equal(`${name}: a bad submission is refused`, refused.status.state, TaskState.TASK_STATE_REJECTED);
  const sent = await client.sendMessage(message(handoff), agent);
  equal(`${name}: a handoff is submitted`, sent.status.state, TaskState.TASK_STATE_SUBMITTED);
  const got = await client.getTask({ tenant: "", id: sent.id, historyLength: 1 }, agent);
  equal(`${name}: its task is found`, [got.id, got.history.length], [sent.id, 1]);
  const canceled = await client.cancelTask({ tenant: "", id: sent.id, metadata: undefined }, agent);
  equal(`${name}: it is cancelled`, canceled.status.state, TaskState.TASK_STATE_CANCELED);
  const listed = await client.listTasks({ tenant: "", contextId: "", status: 0, pageSize: 2, pageToken: "", statusTimestampAfter: undefined }, agent);
  equal(`${name}: tasks are listed`, [listed.tasks.length, listed.totalSize >= 3, listed.nextPageToken.length > 0], [2, true, true]);
  const next = await client.listTasks({ tenant: "", contextId: "", status: 0, pageSize: 2, pageToken: listed.nextPageToken, statusTimestampAfter: undefined }, agent);
  equal(`${name}: the next page begins after it`, next.tasks.some((task) => listed.tasks.some((other) => other.id === task.id)), false);
  await stream(name, client, agent, server);
  await consent(name, client, agent, chief);
  await missing(name, client, agent);
}

async function stream(name, client, agent, server) {
  const states = [];
  for await (const event of client.sendMessageStream(message(handoff), agent)) {
    const { $case, value } = event.payload ?? event;
    states.push(`${$case ?? event.kind} ${value?.status?.state ?? ""}`);
    if ($case === "task") {
      await fetch(`${server.url}/v1/inbox/tax-writer/take`, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ max: 1, lease_s: 60 }) })
        .then((answer) => answer.json())
        .then(({ items: [item] }) => fetch(`${server.url}/v1/inbox/tax-writer/finish`, {
          method: "POST", headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ items: [{ message: item.message, lease: item.lease, outcome: "delivered" }] }) }));
    }
  }
  equal(`${name}: a stream goes on to the end`, [states[0], states.at(-1)], [`task ${TaskState.TASK_STATE_SUBMITTED}`, `statusUpdate ${TaskState.TASK_STATE_COMPLETED}`]);
}

async function consent(name, client, agent, chief) {
  const asked = await client.sendMessage(message(requestText, { [WISH]: { dialect: "contract" } }), agent);
  equal(`${name}: consent is asked for`, asked.status.state, TaskState.TASK_STATE_AUTH_REQUIRED);
  const { approval } = asked.status.message.parts[1].content.value;
  const answer = { [CONSENT]: { decision: "approve", fingerprint: approval.fingerprint } };
  const decided = await client.sendMessage(message("approved", answer, { taskId: asked.id }), chief);
  equal(`${name}: a person consents`, decided.status.state, TaskState.TASK_STATE_WORKING);
}

async function missing(name, client, agent) {
  const why = await client.getTask({ tenant: "", id: "0b9ba4f4-5f5b-4e9b-8f4e-2f3f0d0c0b0a" }, agent).then(() => "found", (error) => error.reason);
  equal(`${name}: what is not there is told so`, why, "TASK_NOT_FOUND");
}

// Whether the card is signed by the ledger's key, says the SDK; it tells the console of each signature that does not fit.
async function verify(card, vkey) {
  console.debug = () => {};
  const [, name, encoded] = vkey.match(/^([^+]+\+[0-9a-f]{8})\+(.*)$/);
  const x = Buffer.from(encoded, "base64").subarray(1).toString("base64url");
  const verifier = verifyAgentCardSignature(async (kid) => {
    if (kid !== name) {
      throw new Error(`another key: ${kid}`);
    }
    return { kty: "OKP", crv: "Ed25519", alg: "EdDSA", x };
  });
  return verifier(card).then(() => true, (error) => error.message);
}

const server = await serve(baton, { agent: "check,submit", chief: "check,submit,approve" });
const card = await fetch(`${server.url}/.well-known/agent-card.json`).then((answer) => answer.json());
const changed = { ...card, name: `${card.name}.` };
equal("the card is signed", await verify(card, server.vkey), true);
equal("a card that was changed is not", await verify(changed, server.vkey), "No valid signatures found on agent card.");
for (const [name, transport] of [["JSONRPC", new JsonRpcTransportFactory()], ["HTTP+JSON", new RestTransportFactory()]]) {
  const factory = new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { transports: [transport], preferredTransports: [name] }));
  const client = await factory.createFromUrl(server.url);
  await use(name, client, server);
}
const { LegacyJsonRpcTransport } = await import(pathToFileURL(path.join(modules, "@a2a-js/sdk/dist/compat/v0_3/client/index.js")));
const old = new LegacyJsonRpcTransport({ endpoint: `${server.url}/a2a` });
const why = await old.sendMessage(message("{}"), {}).then(() => "answered", (error) => error.reason ?? error.message);
equal("a client of 0.3 is refused", why, "VERSION_NOT_SUPPORTED");
equal("the server ends well", await server.stop(), 0);
finish();
