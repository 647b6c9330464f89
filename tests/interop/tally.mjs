// SPDX-License-Identifier: Apache-2.0
// tally.mjs - claims about others, one line each, and how many held.
const counts = { passed: 0, failed: 0 };

export function check(what, held, why = "") {
  counts[held ? "passed" : "failed"] += 1;
  console.log(`${held ? "ok" : "not ok"} - ${what}${held || why === "" ? "" : `: ${String(why).slice(0, 2000)}`}`);
}

export function equal(what, actual, expected) {
  check(what, JSON.stringify(actual) === JSON.stringify(expected), JSON.stringify(actual));
}

// Say how many, and end: with 0 when there were some and all held.
export function finish() {
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  process.exit(counts.passed > 0 && counts.failed === 0 ? 0 : 1);
}
