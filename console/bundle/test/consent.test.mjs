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
function sizeText(command) {
  const bytes = new TextEncoder().encode(command).length;
  const lines = command.split("\n").length;
  return `${bytes} ${bytes === 1 ? "byte" : "bytes"}${lines > 1 ? `, ${lines} lines` : ""}`;
}
var RISKS = ["LOW", "MEDIUM", "HIGH", "CRITICAL"];
function riskOf(approval2) {
  const at = RISKS.indexOf(asText(approval2.risk_level));
  return at < 0 ? RISKS.length : at;
}
function arrange(approvals, order, filter) {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const found = approvals.filter((approval2) => {
    const text = [approval2.id, approval2.status, approval2.agent_id, asText(approval2.operation), asText(approval2.risk_level)].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const isDecided = (approval2) => Number(approval2.status !== "pending");
  const compare = {
    given: () => 0,
    risk: (a, b) => isDecided(a) - isDecided(b) || riskOf(b) - riskOf(a),
    expires: (a, b) => isDecided(a) - isDecided(b) || Date.parse(a.expires_at) - Date.parse(b.expires_at)
  }[order];
  return [...found].sort(compare);
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
test("requests are sorted by risk or by the time that is left, and what waits comes first", () => {
  const row = (id, status, risk_level, hour) => approval(PAYLOAD, { id, status, risk_level, agent_id: `agent-${id}`, expires_at: `2026-06-11T0${hour}:00:00Z` });
  const all = [row("a", "approved", "CRITICAL", 1), row("b", "pending", "LOW", 3), row("c", "pending", "HIGH", 4), row("d", "pending", void 0, 5)];
  const ids = (order, filter = "") => arrange(all, order, filter).map(({ id }) => id).join("");
  assert.deepEqual([ids("given"), ids("risk"), ids("expires")], ["abcd", "dcba", "bcda"]);
  assert.deepEqual([ids("given", "PENDING high"), ids("given", "agent-a"), ids("given", "nothing")], ["c", "a", ""]);
});
test("the length of a command is told, in bytes and lines", () => {
  assert.deepEqual([sizeText("x"), sizeText("\xE9"), sizeText("ls\nrm x")], ["1 byte", "2 bytes", "7 bytes, 2 lines"]);
});
