// test/consent.test.ts
import assert from "node:assert/strict";
import { test } from "node:test";

// src/consent.ts
var SHOWN = ["operation", "exact_content", "command_set", "scope", "risk_level", "rollback", "verification"];
function asText(value) {
  return typeof value === "string" ? value : value === void 0 || value === null ? "" : JSON.stringify(value, null, 2);
}
function commandsOf(approval2) {
  if (approval2.commands) {
    return approval2.commands;
  }
  const payload = approval2.payload ?? {};
  const set = payload["command_set"] ?? null;
  if (set !== null) {
    return (Array.isArray(set) ? set : [set]).map(asText);
  }
  const exact = asText(payload["exact_content"] ?? approval2.exact_content);
  return exact === "" ? [] : [exact];
}
function factsOf(approval2) {
  const payload = approval2.payload ?? {};
  const facts = [
    { title: "Operation", text: asText(payload["operation"]) },
    { title: "Scope", text: asText(payload["scope"]) },
    { title: "Risk", text: asText(payload["risk_level"]) },
    { title: "Rollback", text: asText(payload["rollback"]) },
    { title: "Verification", text: asText(payload["verification"]) },
    { title: "Fingerprint", text: approval2.fingerprint }
  ];
  const exact = asText(payload["exact_content"]);
  if (exact !== "" && !commandsOf(approval2).includes(exact)) {
    facts.push({ title: "exact_content, which is not what is granted", text: exact });
  }
  for (const [name, value] of Object.entries(payload)) {
    if (!SHOWN.includes(name)) {
      facts.push({ title: name, text: asText(value) });
    }
  }
  return facts;
}
function countText(commands) {
  return commands.length === 1 ? "this command" : `these ${commands.length} commands`;
}

// test/consent.test.ts
var PAYLOAD = {
  operation: "list files",
  exact_content: "ls",
  scope: "staging",
  risk_level: "LOW",
  rollback: null,
  verification: null
};
function approval(payload, more = {}) {
  return {
    id: "P-1",
    status: "pending",
    workspace: "w",
    session: "s",
    agent_id: "a1",
    fingerprint: "f0",
    exact_content: payload["exact_content"],
    requested_at: "2026-06-10T10:00:00Z",
    decided_at: null,
    expires_at: "2026-06-11T10:00:00Z",
    grant: null,
    payload,
    ...more
  };
}
test("what the server lists is what is granted", () => {
  assert.deepEqual(commandsOf(approval(PAYLOAD, { commands: ["a", "b"] })), ["a", "b"]);
  assert.deepEqual(commandsOf(approval(PAYLOAD, { commands: [] })), []);
});
test("a server that lists nothing: the payload tells, and a set replaces the single command", () => {
  assert.deepEqual(commandsOf(approval(PAYLOAD)), ["ls"]);
  const set = ["ls", "rm -rf /srv", "  "];
  assert.deepEqual(commandsOf(approval({ ...PAYLOAD, command_set: set })), set);
  assert.deepEqual(commandsOf(approval({ ...PAYLOAD, command_set: "rm -rf /" })), ["rm -rf /"]);
  assert.deepEqual(commandsOf(approval({ ...PAYLOAD, command_set: [["rm"], "ls"] })), ['[\n  "rm"\n]', "ls"]);
  assert.deepEqual(commandsOf(approval({})), []);
});
test("everything that is said is shown, in order, and what is not said is empty", () => {
  assert.deepEqual(
    factsOf(approval(PAYLOAD)).map((fact) => [fact.title, fact.text]),
    [
      ["Operation", "list files"],
      ["Scope", "staging"],
      ["Risk", "LOW"],
      ["Rollback", ""],
      ["Verification", ""],
      ["Fingerprint", "f0"]
    ]
  );
  const more = factsOf(approval({ ...PAYLOAD, rollback: { run: "undo" }, tool_sha256: "00", command_set: ["rm a"] }));
  assert.deepEqual(
    more.slice(3).map((fact) => [fact.title, fact.text]),
    [
      ["Rollback", '{\n  "run": "undo"\n}'],
      ["Verification", ""],
      ["Fingerprint", "f0"],
      ["exact_content, which is not what is granted", "ls"],
      ["tool_sha256", "00"]
    ]
  );
});
test("the question names how many", () => {
  assert.equal(countText(["a"]), "this command");
  assert.equal(countText(["a", "b"]), "these 2 commands");
});
