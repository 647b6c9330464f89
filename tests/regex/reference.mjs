// SPDX-License-Identifier: Apache-2.0
// reference.mjs - what JavaScript's own RegExp says. Reads [[pattern, [subject...]]...] as JSON from
// standard input; writes for each pattern null (refused), or {u: bool, answers: [bool...]}.
import { readFileSync } from "node:fs";

function compile(pattern) {
  for (const flags of ["uy", "y"]) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Annex B is tried next.
    }
  }
  return null;
}

// Search as ECMA-262 does, one character after the other: V8's own search also tries the middle of a
// surrogate pair, where \B and look-behinds hold that hold nowhere else.
function occurs(regexp, subject) {
  for (let at = 0; at <= subject.length; at += subject.codePointAt(at) > 0xffff && regexp.unicode ? 2 : 1) {
    regexp.lastIndex = at;
    if (regexp.test(subject)) {
      return true;
    }
  }
  return false;
}

const cases = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(([pattern, subjects]) => {
  const regexp = compile(pattern);
  return regexp && { u: regexp.unicode, answers: subjects.map((subject) => occurs(regexp, subject)) };
})));
