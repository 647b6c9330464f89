// test/figures.test.ts
import assert from "node:assert/strict";
import { test } from "node:test";

// src/figures.ts
var BARS = 60;
var BAR_MS = 5e3;
function ageOf(item2, now) {
  return Math.max(0, Math.floor((now - Date.parse(item2.entry.time)) / BAR_MS));
}
function figuresOf(items, now) {
  const bars = Array.from({ length: BARS }, () => ({ accepted: 0, rejected: 0 }));
  for (const item2 of items) {
    const bar = bars[BARS - 1 - ageOf(item2, now)];
    const { verdict } = item2.entry;
    if (bar && (verdict === "accepted" || verdict === "rejected")) {
      bar[verdict]++;
    }
  }
  const oldest = items.at(-1);
  return {
    bars,
    accepted: bars.reduce((sum, bar) => sum + bar.accepted, 0),
    rejected: bars.reduce((sum, bar) => sum + bar.rejected, 0),
    isPartial: oldest !== void 0 && oldest.seq > 0 && ageOf(oldest, now) < BARS
  };
}

// test/figures.test.ts
var NOW = Date.parse("2026-06-10T10:00:00Z");
function item(seq, verdict, ageMs) {
  return { seq, entry: { verdict, time: new Date(NOW - ageMs).toISOString() } };
}
test("accepted and rejected documents are counted, and nothing else is", () => {
  const items = [item(3, "recorded", 0), item(2, "accepted", 1), item(1, "rejected", BAR_MS), item(0, "accepted", -5)];
  const { bars, accepted, rejected, isPartial } = figuresOf(items, NOW);
  assert.deepEqual([accepted, rejected, isPartial], [2, 1, false]);
  assert.deepEqual(bars.slice(-2), [
    { accepted: 0, rejected: 1 },
    { accepted: 2, rejected: 0 }
  ]);
  assert.deepEqual(figuresOf([], NOW).accepted, 0);
});
test("what is older does not count, and what may be missing is told", () => {
  const old = item(7, "accepted", BARS * BAR_MS);
  assert.deepEqual([figuresOf([old], NOW).accepted, figuresOf([old], NOW).isPartial], [0, false]);
  assert.equal(figuresOf([item(7, "accepted", 0)], NOW).isPartial, true);
  assert.equal(figuresOf([item(0, "accepted", 0)], NOW).isPartial, false);
});
