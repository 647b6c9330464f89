// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { commandsOf, countText, factsOf } from "../src/consent";
import type { Approval } from "../src/types";

const PAYLOAD = {
    operation: "list files",
    exact_content: "ls",
    scope: "staging",
    risk_level: "LOW",
    rollback: null,
    verification: null,
};

function approval(payload: Record<string, unknown>, more: Partial<Approval> = {}): Approval {
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
        ...more,
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
            ["Fingerprint", "f0"],
        ],
    );
    const more = factsOf(approval({ ...PAYLOAD, rollback: { run: "undo" }, tool_sha256: "00", command_set: ["rm a"] }));
    assert.deepEqual(
        more.slice(3).map((fact) => [fact.title, fact.text]),
        [
            ["Rollback", '{\n  "run": "undo"\n}'],
            ["Verification", ""],
            ["Fingerprint", "f0"],
            ["exact_content, which is not what is granted", "ls"],
            ["tool_sha256", "00"],
        ],
    );
});

test("the question names how many", () => {
    assert.equal(countText(["a"]), "this command");
    assert.equal(countText(["a", "b"]), "these 2 commands");
});
