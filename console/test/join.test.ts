// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { deliveryWord, join } from "../src/join";
import { leftText } from "../src/text";
import type { Item, ToolCall, Trace } from "../src/types";

const time = (s: number) => new Date(1.8e12 + s * 1000).toISOString();
const trace: Trace = {
    trace_id: "t",
    started: time(0),
    ended: time(4),
    agents: ["a", "b"],
    hops: [
        { seq: 3, time: time(0), dialect: "universal", source: "a", target: "b", verdict: "rejected", codes: ["SELF_LOOP"] },
        { seq: 5, time: time(4), dialect: "universal", source: "a", target: "b", verdict: "accepted", codes: [] },
    ],
};
const entry = (seq: number, s: number, kind: string, refs: Record<string, string | number>): Item => ({
    seq,
    leaf_hash: "",
    entry: { seq, time: time(s), kind, dialect: "baton", verdict: "recorded", codes: [], actor: "x", refs },
});
const call = (seq: number, s: number, trace_id: string): ToolCall => ({
    seq,
    time: time(s),
    server: "files",
    tool: "read",
    event: "returned",
    verdict: "recorded",
    codes: [],
    ms: 500,
    tokens: null,
    source: null,
    session: null,
    trace_id,
    approval: null,
});

test("what belongs to a trace is joined by its entries, and nothing else is", () => {
    const spans = join(
        trace,
        [entry(6, 5, "delivery", { parent: 5, event: "delivered", message: "h5" }), entry(7, 6, "delivery", { parent: 4, event: "delivered", message: "h4" })],
        [
            entry(9, 3, "approval", { approval: "P-1", event: "APPROVED" }),
            entry(8, 1, "approval", { approval: "P-1", event: "REQUESTED", parent: 3 }),
            entry(10, 3, "approval", { approval: "P-2", event: "REQUESTED", parent: 4 }),
        ],
        [call(11, 2, "t"), call(12, 2, "u")],
    );
    assert.deepEqual(
        spans.map((span) => [span.seq, span.kind, (span.from - 1.8e12) / 1000, (span.to - 1.8e12) / 1000, span.isBad]),
        [
            [3, "handoff", 0, 4, true],
            [9, "approval", 1, 3, false],
            [11, "tool call", 1.5, 2, false],
            [5, "handoff", 4, 4, false],
            [6, "delivery", 5, 5, false],
        ],
    );
});

test("a retry is not called a failure", () => {
    const words = [{ event: "failed", reason: "retried" }, { event: "failed" }, { event: "dead", reason: "retried" }];
    assert.deepEqual(words.map((refs) => deliveryWord(entry(1, 0, "delivery", refs).entry)), ["retried", "failed", "dead"]);
});

test("the time that is left is told to the second", () => {
    assert.deepEqual([0, 59_999, 65_000, 3_723_000, 3 * 86_400_000].map(leftText), ["0:00", "0:59", "1:05", "1:02:03", "3 d"]);
});
