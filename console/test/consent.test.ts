// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { arrange, commandsOf, countText, factsOf, sizeText } from "../src/consent";
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

test("requests are sorted by risk or by the time that is left, and what waits comes first", () => {
    const row = (id: string, status: string, risk_level: string | undefined, hour: number) =>
        approval(PAYLOAD, { id, status, risk_level, agent_id: `agent-${id}`, expires_at: `2026-06-11T0${hour}:00:00Z` });
    const all = [row("a", "approved", "CRITICAL", 1), row("b", "pending", "LOW", 3), row("c", "pending", "HIGH", 4), row("d", "pending", undefined, 5)];
    const ids = (order: "given" | "risk" | "expires", filter = "") => arrange(all, order, filter).map(({ id }) => id).join("");
    assert.deepEqual([ids("given"), ids("risk"), ids("expires")], ["abcd", "dcba", "bcda"]);
    assert.deepEqual([ids("given", "PENDING high"), ids("given", "agent-a"), ids("given", "nothing")], ["c", "a", ""]);
});

test("the length of a command is told, in bytes and lines", () => {
    assert.deepEqual([sizeText("x"), sizeText("é"), sizeText("ls\nrm x")], ["1 byte", "2 bytes", "7 bytes, 2 lines"]);
});
