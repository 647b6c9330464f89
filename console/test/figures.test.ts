// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { BAR_MS, BARS, figuresOf } from "../src/figures";
import type { Item } from "../src/types";

const NOW = Date.parse("2026-06-10T10:00:00Z");

function item(seq: number, verdict: string, ageMs: number): Item {
    return { seq, entry: { verdict, time: new Date(NOW - ageMs).toISOString() } } as Item;
}

test("accepted and rejected documents are counted, and nothing else is", () => {
    const items = [item(3, "recorded", 0), item(2, "accepted", 1), item(1, "rejected", BAR_MS), item(0, "accepted", -5)];
    const { bars, accepted, rejected, isPartial } = figuresOf(items, NOW);
    assert.deepEqual([accepted, rejected, isPartial], [2, 1, false]);
    assert.deepEqual(bars.slice(-2), [
        { accepted: 0, rejected: 1 },
        { accepted: 2, rejected: 0 },
    ]);
    assert.deepEqual(figuresOf([], NOW).accepted, 0);
});

test("what is older does not count, and what may be missing is told", () => {
    const old = item(7, "accepted", BARS * BAR_MS);
    assert.deepEqual([figuresOf([old], NOW).accepted, figuresOf([old], NOW).isPartial], [0, false]);
    assert.equal(figuresOf([item(7, "accepted", 0)], NOW).isPartial, true);
    assert.equal(figuresOf([item(0, "accepted", 0)], NOW).isPartial, false);
});
