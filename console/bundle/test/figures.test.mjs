// test/figures.test.ts
import assert from "node:assert/strict";
import { test } from "node:test";

// src/figures.ts
var BARS = 60;
var BAR_S = 5;
function figuresOf(stats2) {
  const bars = Array.from({ length: BARS }, () => ({ accepted: 0, rejected: 0 }));
  for (const { at: at2, counts } of stats2.buckets) {
    const bar = bars[Math.floor((Date.parse(at2) - Date.parse(stats2.since)) / 1e3 / stats2.bucket)];
    if (bar) {
      bar.accepted += counts["accepted"] ?? 0;
      bar.rejected += counts["rejected"] ?? 0;
    }
  }
  return {
    bars,
    accepted: stats2.total["accepted"] ?? 0,
    rejected: stats2.total["rejected"] ?? 0,
    isPartial: stats2.partial
  };
}

// test/figures.test.ts
var SINCE = Date.parse("2026-06-10T10:00:00Z");
function stats(change) {
  const since = new Date(SINCE).toISOString();
  return { since, until: since, bucket: BAR_S, partial: false, complete_since: since, total: {}, others: 0, buckets: [], ...change };
}
function at(bar) {
  return new Date(SINCE + bar * BAR_S * 1e3).toISOString();
}
test("figures are those of the server, and what was only recorded is not passed", () => {
  const { bars, accepted, rejected, isPartial } = figuresOf(
    stats({
      total: { accepted: 2, rejected: 1, recorded: 40 },
      buckets: [
        { at: at(0), counts: { recorded: 40, rejected: 1 } },
        { at: at(BARS - 1), counts: { accepted: 2 } }
      ]
    })
  );
  assert.deepEqual([accepted, rejected, isPartial, bars.length], [2, 1, false, BARS]);
  assert.deepEqual([bars[0], bars.at(-1)], [{ accepted: 0, rejected: 1 }, { accepted: 2, rejected: 0 }]);
});
test("what the server did not count to the end is said", () => {
  assert.equal(figuresOf(stats({ partial: true })).isPartial, true);
});
