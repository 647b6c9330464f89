// test/json.test.ts
import assert from "node:assert/strict";
import { test } from "node:test";

// src/json.ts
var TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
function isOpening(token) {
  return token === "{" || token === "[";
}
function isClosing(token) {
  return token === "}" || token === "]";
}
function layout(text) {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let out = "";
  let depth = 0;
  let previous = "";
  for (const [token] of text.matchAll(TOKEN)) {
    const isEmpty = isClosing(token) && isOpening(previous);
    depth -= isClosing(token) ? 1 : 0;
    if (!isEmpty && (isClosing(token) || isOpening(previous) || previous === ",")) {
      out += `
${"  ".repeat(depth)}`;
    }
    out += token === ":" ? ": " : token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token;
    depth += isOpening(token) ? 1 : 0;
    previous = token;
  }
  return out;
}
function textAt(text, path) {
  const place = [];
  let begin = -1;
  let previous = "";
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match;
    const last = place[place.length - 1];
    const isName = typeof last === "string" && (previous === "{" || previous === ",");
    if (token === ",") {
      place[place.length - 1] = typeof last === "number" ? last + 1 : "";
    } else if (token === ":") {
      place[place.length - 1] = JSON.parse(previous);
    } else if (isClosing(token)) {
      place.pop();
      if (begin >= 0 && place.length === path.length) {
        return text.slice(begin, match.index + 1);
      }
    } else if (!isName) {
      if (begin < 0 && place.length === path.length && place.every((step, i) => step === path[i])) {
        if (!isOpening(token)) {
          return token;
        }
        begin = match.index;
      }
      if (isOpening(token)) {
        place.push(token === "[" ? 0 : "");
      }
    }
    previous = token;
  }
  return null;
}

// test/json.test.ts
test("a layout is that of JSON.stringify, whatever the value", () => {
  for (const value of [
    null,
    1,
    'a"b\\{[,:]}',
    [],
    {},
    [[]],
    { a: {} },
    { a: [1, { b: "}" }], "c:": [true, null] },
    "\xE4\u202E\n"
  ]) {
    for (const blanks of [0, 1, 4]) {
      assert.equal(layout(JSON.stringify(value, null, blanks)), JSON.stringify(value, null, 2));
    }
  }
});
test("numbers are not rounded, and escapes are one text with what they stand for", () => {
  const text = '{"id":9007199254740993,"ratio":1.10,"far":1E400,"name":"\\u00e4\\/"}';
  assert.equal(layout(text), '{\n  "id": 9007199254740993,\n  "ratio": 1.10,\n  "far": 1E400,\n  "name": "\xE4/"\n}');
  assert.notEqual(JSON.stringify(JSON.parse(text)), text, "control: JavaScript rounds");
});
test("members stay where they stand", () => {
  assert.equal(layout('{"b":1,"2":2,"1":3}'), '{\n  "b": 1,\n  "2": 2,\n  "1": 3\n}');
});
test("what is no JSON stays as it is", () => {
  for (const text of ["", "{", '{"a":}', "plain text"]) {
    assert.equal(layout(text), text);
  }
});
test("a value is found by its path, as it is written", () => {
  const text = '{"baton":1,"documents":[{"path":"document","document":{"n":[1,2.50]}},{"document":null}],"document":"x","e":{"f":[]}}';
  const rows = [
    [["documents", 0, "document"], '{"n":[1,2.50]}'],
    [["documents", 0, "document", "n", 1], "2.50"],
    [["documents", 1, "document"], "null"],
    [["document"], '"x"'],
    [["e", "f"], "[]"],
    [["e", "f", 0], null],
    [["documents", 2, "document"], null],
    [["none"], null],
    [[], text]
  ];
  for (const [path, expected] of rows) {
    assert.equal(textAt(text, path), expected, JSON.stringify(path));
  }
});
