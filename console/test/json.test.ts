// SPDX-License-Identifier: Apache-2.0
// JSON as text: laid out, and taken apart, without touching its numbers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { layout, textAt } from "../src/json";

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
        "ä\u202e\n",
    ]) {
        for (const blanks of [0, 1, 4]) {
            assert.equal(layout(JSON.stringify(value, null, blanks)), JSON.stringify(value, null, 2));
        }
    }
});

test("numbers are not rounded, and escapes are one text with what they stand for", () => {
    const text = '{"id":9007199254740993,"ratio":1.10,"far":1E400,"name":"\\u00e4\\/"}';
    assert.equal(layout(text), '{\n  "id": 9007199254740993,\n  "ratio": 1.10,\n  "far": 1E400,\n  "name": "ä/"\n}');
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
    const text =
        '{"baton":1,"documents":[{"path":"document","document":{"n":[1,2.50]}},{"document":null}],"document":"x","e":{"f":[]}}';
    const rows: [(string | number)[], string | null][] = [
        [["documents", 0, "document"], '{"n":[1,2.50]}'],
        [["documents", 0, "document", "n", 1], "2.50"],
        [["documents", 1, "document"], "null"],
        [["document"], '"x"'],
        [["e", "f"], "[]"],
        [["e", "f", 0], null],
        [["documents", 2, "document"], null],
        [["none"], null],
        [[], text],
    ];
    for (const [path, expected] of rows) {
        assert.equal(textAt(text, path), expected, JSON.stringify(path));
    }
});
