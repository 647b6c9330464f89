// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { agentsOf, barsOf, edgesOf, trend } from "../src/counts";
import { checkedTokensOf, latencyOf, waitingOf } from "../src/metrics";
import { instant, rangeOf, rangeParams, rangeQuery } from "../src/range";
import { href, readPlace } from "../src/route";
import type { Report, Stats } from "../src/types";
import { titleOf, tokensOf } from "../src/work";

const NOW = Date.parse("2026-06-10T12:00:00Z");

function stats(change: Partial<Stats>): Stats {
    const since = instant(NOW - 48 * 3600000);
    const until = instant(NOW);
    return { since, until, bucket: 3600, partial: false, complete_since: since, total: {}, others: 0, buckets: [], ...change };
}

test("an address has a page, an id and a filter, and is read as it was written", () => {
    const to = href("feed", "a/b", { code: "SELF_LOOP", agent: "x&y=z", verdict: "", kind: undefined });
    assert.deepEqual(readPlace(to), { page: "feed", id: "a/b", rest: "", query: { code: "SELF_LOOP", agent: "x&y=z" } });
    assert.deepEqual(readPlace("#/%ff?%ff=1").page, "");
});

test("a range is a length that ends now, or two instants of at most 31 days", () => {
    const hour = rangeOf({ range: "1h" }, NOW);
    assert.deepEqual(rangeQuery(hour), { range: "1h" });
    assert.deepEqual(rangeParams(hour), { since: "2026-06-10T11:00:00Z", until: undefined, bucket: 60 });
    const own = { since: "2026-06-01T00:00:00Z", until: "2026-06-02T00:00:00Z" };
    assert.deepEqual(rangeQuery(rangeOf(own, NOW)), own);
    for (const wrong of [{ range: "nonsense" }, { since: own.until, until: own.since }, { since: "2026-01-01T00:00:00Z", until: own.until }]) {
        assert.equal(rangeOf(wrong, NOW).name, "1h");
    }
});

test("bars stand where their time is, and empty ones are there", () => {
    const found = stats({ since: instant(NOW - 4 * 3600000), buckets: [{ at: instant(NOW - 2 * 3600000), counts: { rejected: 3 } }] });
    assert.deepEqual(barsOf(found, ({ counts }) => counts["rejected"] ?? 0)[1], [0, 0, 3, 0]);
});

test("an agent is compared with itself a day before", () => {
    const bucket = (hours: number, count: number, rejected: number) => ({
        at: instant(NOW - hours * 3600000),
        counts: { a: count, b: 1 },
        rejected: { a: rejected },
    });
    const [first, second] = agentsOf(stats({ buckets: [bucket(30, 10, 1), bucket(3, 10, 4)] }));
    assert.deepEqual([first?.name, first?.today, first?.yesterday], ["a", { count: 10, rejected: 4 }, { count: 10, rejected: 1 }]);
    assert.deepEqual([first && trend(first), second && trend(second)], ["worse", "same"]);
    assert.equal(trend({ today: { count: 1, rejected: 1 }, yesterday: { count: 0, rejected: 0 } }), "new");
    assert.equal(first?.rates.filter((rate) => rate !== null).length, 2);
});

test("edges are those of the range, or of one part of it", () => {
    const found = stats({
        total: { "a>b": 5, "b>c": 7 },
        rejected: { "a>b": 2 },
        buckets: [{ at: instant(NOW - 47 * 3600000), counts: { "a>b": 5 }, rejected: { "a>b": 2 } }],
    });
    assert.deepEqual(edgesOf(found, null).map(({ from, count }) => [from, count]), [["b", 7], ["a", 5]]);
    assert.deepEqual(edgesOf(found, 1), [{ from: "a", to: "b", count: 5, rejected: 2 }]);
    assert.deepEqual(edgesOf(found, 2), []);
});

test("latency is the bound that half of the requests keep", () => {
    const row = (bound: string, count: number, route = "/v1/handoffs") =>
        `baton_http_request_seconds_bucket{route="${route}",le="${bound}"} ${count}`;
    const text = [row("0.005", 6), row("0.1", 9), row("+Inf", 10), row("0.005", 0, "/healthz"), row("+Inf", 999, "/healthz")].join("\n");
    assert.deepEqual(latencyOf(text), { median: "5", p95: "more" });
    assert.equal(checkedTokensOf('baton_document_tokens_total{dialect="universal"} 12\nbaton_document_tokens_total{dialect="plan"} 0\n'), 12);
    assert.equal(checkedTokensOf(""), null);
    assert.equal(latencyOf(""), null);
    assert.equal(waitingOf('baton_queue_items{queue="inbox"} 12\nbaton_queue_items{queue="pump"} 3\n'), 12);
    assert.equal(waitingOf(""), null);
});

test("a piece of work is called what its document says, and costs what was counted", () => {
    assert.equal(titleOf('{"handoff":{"context":{"summary":" Fix it "},"payload":{"working":{"ticket":"DP-1"}}}}'), "Fix it");
    assert.equal(titleOf('{"handoff":{"context":{"summary":""},"payload":{"working":{"ticket":"DP-1"}}}}'), "DP-1");
    assert.deepEqual([titleOf("not JSON"), titleOf("[1]"), titleOf('{"handoff":null}')], ["", "", ""]);
    const report = (facts: Record<string, unknown>) => ({ documents: [{ facts }] }) as unknown as Report;
    assert.deepEqual([tokensOf(report({ tokens: { exact: 182 } })), tokensOf(report({}))], [182, null]);
});
