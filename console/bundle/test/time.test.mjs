// test/time.test.ts
import assert from "node:assert/strict";
import { test } from "node:test";

// src/time.ts
var formats = /* @__PURE__ */ new Map();
function formatOf(zone) {
  const known = formats.get(zone);
  if (known) {
    return known;
  }
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    ...{ year: "numeric", month: "2-digit", day: "2-digit" },
    ...{ hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short" }
  });
  formats.set(zone, format);
  return format;
}
function partsOf(at, zone) {
  return Object.fromEntries(formatOf(zone).formatToParts(at).map(({ type, value }) => [type, value]));
}
function exactTime(at, zone) {
  const { year, month, day, hour, minute, second, timeZoneName } = partsOf(at, zone);
  return `${year}-${month}-${day} ${hour}:${minute}:${second} ${timeZoneName}`;
}
function shortTime(at, { zone, now }) {
  const [date, time] = exactTime(at, zone).split(" ");
  return exactTime(now, zone).startsWith(date) ? time : `${date} ${time}`;
}
var UNITS = [
  [86400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"]
];
function relativeTime(at, now) {
  const seconds = Math.round(Math.abs(at - now) / 1e3);
  const [size, unit] = UNITS.find(([least]) => seconds >= least) ?? [1, "s"];
  const words = `${Math.floor(seconds / size)} ${unit}`;
  return seconds === 0 ? "now" : at > now ? `in ${words}` : `${words} ago`;
}

// test/time.test.ts
var AT = Date.parse("2026-11-17T23:30:05Z");
test("an exact time names the zone of the reader", () => {
  assert.equal(exactTime(AT, "UTC"), "2026-11-17 23:30:05 UTC");
  assert.equal(exactTime(AT, "Europe/Berlin"), "2026-11-18 00:30:05 CET");
  assert.equal(exactTime(AT, "Asia/Kolkata"), "2026-11-18 05:00:05 GMT+5:30");
});
test("a short time has its date when the reader's day is another", () => {
  assert.equal(shortTime(AT, { zone: "UTC", now: AT + 1e3 }), "23:30:05");
  assert.equal(shortTime(AT, { zone: "UTC", now: AT + 36e5 }), "2026-11-17 23:30:05");
  assert.equal(shortTime(AT, { zone: "Europe/Berlin", now: AT + 36e5 }), "00:30:05");
});
test("a relative time says which way", () => {
  const far = (ms) => relativeTime(AT + ms, AT);
  assert.deepEqual([far(0), far(-1e3), far(-59e3), far(-6e4)], ["now", "1 s ago", "59 s ago", "1 min ago"]);
  assert.deepEqual([far(-7199e3), far(72e5), far(-3 * 864e5)], ["1 h ago", "in 2 h", "3 d ago"]);
});
