// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { exactTime, relativeTime, shortTime } from "../src/time";

const AT = Date.parse("2026-11-17T23:30:05Z");

test("an exact time names the zone of the reader", () => {
    assert.equal(exactTime(AT, "UTC"), "2026-11-17 23:30:05 UTC");
    assert.equal(exactTime(AT, "Europe/Berlin"), "2026-11-18 00:30:05 CET");
    assert.equal(exactTime(AT, "Asia/Kolkata"), "2026-11-18 05:00:05 GMT+5:30");
});

test("a short time has its date when the reader's day is another", () => {
    assert.equal(shortTime(AT, { zone: "UTC", now: AT + 1000 }), "23:30:05");
    assert.equal(shortTime(AT, { zone: "UTC", now: AT + 3600e3 }), "2026-11-17 23:30:05");
    assert.equal(shortTime(AT, { zone: "Europe/Berlin", now: AT + 3600e3 }), "00:30:05");
});

test("a relative time says which way", () => {
    const far = (ms: number) => relativeTime(AT + ms, AT);
    assert.deepEqual([far(0), far(-1000), far(-59e3), far(-60e3)], ["now", "1 s ago", "59 s ago", "1 min ago"]);
    assert.deepEqual([far(-7199e3), far(7200e3), far(-3 * 86400e3)], ["1 h ago", "in 2 h", "3 d ago"]);
});
