// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { diff, hunks } from "../src/diff";
import { EventReader } from "../src/stream";
import { indexOfColumn, lines, visible, receiptCommand, shellWord } from "../src/text";

test("what cannot be seen is marked", () => {
    for (const hidden of [
        "\u202e",
        "\u200b",
        "\u0000",
        "\u001b",
        "\u2066",
        "\u{e0041}",
        "\ufeff",
        "\u0085",
        "\ud800",
        "\u034f",
        "\u3164",
        "\u115f",
        "\u2800",
        "\ufe0f",
        "\u{e0100}",
        "\u0605",
    ]) {
        const pieces = visible(`a${hidden}b`);
        assert.deepEqual(
            pieces.map((piece) => piece.mark !== undefined),
            [false, true, false],
            JSON.stringify(hidden),
        );
    }
    assert.deepEqual(visible("plain\ttext, ä, 漢, 👍"), [{ text: "plain\ttext, ä, 漢, 👍" }]);
    assert.deepEqual(visible(""), []);
});

test("in a command every odd space is marked, and a line feed still ends the line", () => {
    const shown = (text: string) => visible(text, true).map((piece) => (piece.mark ? `[${piece.text}]` : piece.text));
    assert.deepEqual(shown("rm -r\u00a0a\tb\n2. ls"), ["rm -r", "[00A0]", "a", "[0009]", "b", "[000A]", "\n", "2. ls"]);
    assert.deepEqual(shown("a\u3000b\u202ec"), ["a", "[3000]", "b", "[202E]", "c"]);
    assert.deepEqual(shown("plain text, ä, 漢"), ["plain text, ä, 漢"]);
});

test("columns count bytes", () => {
    assert.equal(indexOfColumn("äb", 3), 1);
    assert.equal(indexOfColumn("👍b", 5), 2);
    assert.equal(indexOfColumn("abc", 2), 1);
    assert.equal(indexOfColumn("abc", 99), 3);
    assert.deepEqual(lines("a\r\nb\n"), ["a", "b"]);
    assert.deepEqual(lines(""), [""]);
});

test("a diff applied to the old text gives the new one", () => {
    const cases: [string, string][] = [
        ["", "a"],
        ["a", ""],
        ["abc", "abc"],
        ["abcabba", "cbabac"],
        ["abcdef", "abXdeYf"],
        ["xaxbxc", "abc"],
        ["aaaa", "bbbb"],
    ];
    for (const [before, after] of cases) {
        const found = diff([...before], [...after]);
        assert.equal(
            found
                .filter((line) => line.kind !== "new")
                .map((line) => line.text)
                .join(""),
            before,
        );
        assert.equal(
            found
                .filter((line) => line.kind !== "gone")
                .map((line) => line.text)
                .join(""),
            after,
        );
        for (const line of found) {
            assert.equal(line.kind === "new" || before[line.before! - 1] === line.text, true);
            assert.equal(line.kind === "gone" || after[line.after! - 1] === line.text, true);
        }
    }
    assert.equal(diff([..."abcabba"], [..."cbabac"]).filter((line) => line.kind !== "same").length, 5);
    const far = hunks(diff([..."abcdefghijklmnop"], [..."abcdefghXjklmnop"]), 1);
    assert.deepEqual(
        far.map((line) => line?.text ?? null),
        [null, "h", "i", "X", "j", null],
    );
});

test("events are read however they are cut", () => {
    const text =
        'retry: 50\n\n: hello\nid: 1\nevent: entry\ndata: {"a":1}\n\nid: 2\r\nevent: entry\r\ndata: x\r\ndata: y\r\n\r\nevent: lost\ndata: z';
    for (let size = 1; size < text.length; size++) {
        const reader = new EventReader();
        const found = [];
        for (let at = 0; at < text.length; at += size) {
            found.push(...reader.push(text.slice(at, at + size)));
        }
        assert.deepEqual(found, [
            { id: "1", event: "entry", data: '{"a":1}' },
            { id: "2", event: "entry", data: "x\ny" },
        ]);
        assert.equal(reader.retryMs, 50);
    }
});

test("a command is printed so that it runs as it stands", () => {
    assert.equal(shellWord("a'b c"), "'a'\\''b c'");
    assert.equal(
        receiptCommand(7, "log.example/x+1+k", "accepted"),
        "baton ledger verify-receipt 7.tlog-proof --vkey 'log.example/x+1+k'",
    );
    assert.ok(receiptCommand(7, "k", "rejected").endsWith("'k' --any-verdict"));
    assert.ok(receiptCommand(7, "k", "recorded").endsWith("'k' --any-verdict"));
});
