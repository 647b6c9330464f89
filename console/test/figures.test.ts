// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { BAR_S, BARS, figuresOf } from "../src/figures";
import type { Stats } from "../src/types";

const SINCE = Date.parse("2026-06-10T10:00:00Z");

function stats(change: Partial<Stats>): Stats {
    const since = new Date(SINCE).toISOString();
    return { since, until: since, bucket: BAR_S, partial: false, complete_since: since, total: {}, others: 0, buckets: [], ...change };
}

function at(bar: number): string {
    return new Date(SINCE + bar * BAR_S * 1000).toISOString();
}

test("figures are those of the server, and what was only recorded is not passed", () => {
    const { bars, accepted, rejected, isPartial } = figuresOf(
        stats({
            total: { accepted: 2, rejected: 1, recorded: 40 },
            buckets: [
                { at: at(0), counts: { recorded: 40, rejected: 1 } },
                { at: at(BARS - 1), counts: { accepted: 2 } },
            ],
        }),
    );
    assert.deepEqual([accepted, rejected, isPartial, bars.length], [2, 1, false, BARS]);
    assert.deepEqual([bars[0], bars.at(-1)], [{ accepted: 0, rejected: 1 }, { accepted: 2, rejected: 0 }]);
});

test("what the server did not count to the end is said", () => {
    assert.equal(figuresOf(stats({ partial: true })).isPartial, true);
});
