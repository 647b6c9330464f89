// test/text.test.ts
import assert from "node:assert/strict";
import { test } from "node:test";

// src/diff.ts
var EDITS_MAX = 2e3;
function walk(a, b) {
  const limit = Math.min(a.length + b.length, EDITS_MAX);
  const reach = new Int32Array(2 * limit + 3);
  const middle = limit + 1;
  const history2 = [];
  for (let edits = 0; edits <= limit; edits++) {
    history2.push(reach.slice());
    for (let k = -edits; k <= edits; k += 2) {
      const down = k === -edits || k !== edits && reach[middle + k - 1] < reach[middle + k + 1];
      let x = down ? reach[middle + k + 1] : reach[middle + k - 1] + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) {
        x++;
      }
      reach[middle + k] = x;
      if (x >= a.length && x - k >= b.length) {
        return history2;
      }
    }
  }
  return null;
}
function diff(before, after) {
  const history2 = walk(before, after);
  if (!history2) {
    return [
      ...before.map((text, i) => ({ kind: "gone", text, before: i + 1 })),
      ...after.map((text, i) => ({ kind: "new", text, after: i + 1 }))
    ];
  }
  const found = [];
  let x = before.length;
  let y = after.length;
  for (let edits = history2.length - 1; edits >= 0; edits--) {
    const reach = history2[edits];
    const middle = (reach.length - 1) / 2;
    const k = x - y;
    const down = k === -edits || k !== edits && reach[middle + k - 1] < reach[middle + k + 1];
    const fromK = down ? k + 1 : k - 1;
    const fromX = edits === 0 ? 0 : reach[middle + fromK];
    const fromY = edits === 0 ? 0 : fromX - fromK;
    while (x > (edits === 0 ? 0 : down ? fromX : fromX + 1) && y > (edits === 0 ? 0 : down ? fromY + 1 : fromY)) {
      found.push({ kind: "same", text: before[x - 1], before: x, after: y });
      x--;
      y--;
    }
    if (edits > 0) {
      found.push(
        down ? { kind: "new", text: after[fromY], after: fromY + 1 } : { kind: "gone", text: before[fromX], before: fromX + 1 }
      );
      x = fromX;
      y = fromY;
    }
  }
  return found.reverse();
}
function hunks(all, around = 3) {
  const near = all.map(() => false);
  all.forEach((line, i) => {
    if (line.kind !== "same") {
      near.fill(true, Math.max(0, i - around), i + around + 1);
    }
  });
  const shown = [];
  all.forEach((line, i) => {
    if (near[i]) {
      shown.push(line);
    } else if (shown[shown.length - 1] !== null) {
      shown.push(null);
    }
  });
  return shown;
}

// src/stream.ts
var EventReader = class {
  rest = "";
  id = "";
  event = "";
  data = [];
  retryMs = 2e3;
  push(piece) {
    const found = [];
    this.rest += piece;
    for (let end = this.rest.search(/\r\n|\n|\r(?!$)/); end >= 0; end = this.rest.search(/\r\n|\n|\r(?!$)/)) {
      const line = this.rest.slice(0, end);
      this.rest = this.rest.slice(end + (this.rest.startsWith("\r\n", end) ? 2 : 1));
      if (line !== "") {
        this.take(line);
      } else if (this.data.length > 0) {
        found.push({ id: this.id, event: this.event || "message", data: this.data.join("\n") });
        this.event = "";
        this.data = [];
      }
    }
    return found;
  }
  take(line) {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") {
      this.data.push(value);
    } else if (name === "id") {
      this.id = value;
    } else if (name === "event") {
      this.event = value;
    } else if (name === "retry" && /^[0-9]{1,6}$/.test(value)) {
      this.retryMs = Number(value);
    }
  }
};

// src/text.ts
var NAMES = {
  9: "tab",
  10: "line feed",
  160: "no-break space",
  173: "soft hyphen",
  1564: "Arabic letter mark",
  8203: "zero width space",
  8204: "zero width non-joiner",
  8205: "zero width joiner",
  8206: "left-to-right mark",
  8207: "right-to-left mark",
  8232: "line separator",
  8233: "paragraph separator",
  8234: "left-to-right embedding",
  8235: "right-to-left embedding",
  8236: "pop directional formatting",
  8237: "left-to-right override",
  8238: "right-to-left override",
  8288: "word joiner",
  8294: "left-to-right isolate",
  8295: "right-to-left isolate",
  8296: "first strong isolate",
  8297: "pop directional isolate",
  12644: "Hangul filler",
  65279: "byte order mark",
  65533: "not UTF-8 here"
};
var HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2800\ufff9-\ufffd]|\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Cs}/gu;
var HIDDEN_IN_COMMAND = new RegExp(`${HIDDEN.source}|[\\t\\n]|(?! )\\p{Zs}`, "gu");
function nameOf(code) {
  const hex = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  const name = NAMES[code] ?? (code < 160 ? "control character" : code >= 917504 ? "tag character" : "invisible character");
  return `${hex} ${name}`;
}
function visible(text, isCommand = false) {
  const pieces = [];
  let at = 0;
  for (const match of text.matchAll(isCommand ? HIDDEN_IN_COMMAND : HIDDEN)) {
    const code = match[0].codePointAt(0);
    if (match.index > at) {
      pieces.push({ text: text.slice(at, match.index) });
    }
    pieces.push({ text: code.toString(16).toUpperCase().padStart(4, "0"), mark: nameOf(code) });
    if (match[0] === "\n") {
      pieces.push({ text: "\n" });
    }
    at = match.index + match[0].length;
  }
  if (at < text.length) {
    pieces.push({ text: text.slice(at) });
  }
  return pieces;
}
function lines(text) {
  const found = text.split("\n").map((line) => line.replace(/\r$/, ""));
  return found.length > 1 && found[found.length - 1] === "" ? found.slice(0, -1) : found;
}
function indexOfColumn(line, column) {
  let bytes = 0;
  let index = 0;
  for (const character of line) {
    if (bytes >= column - 1) {
      break;
    }
    const code = character.codePointAt(0);
    bytes += code < 128 ? 1 : code < 2048 ? 2 : code < 65536 ? 3 : 4;
    index += character.length;
  }
  return index;
}
function shellWord(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
function receiptCommand(seq, vkey, verdict) {
  const any = verdict === "accepted" ? "" : " --any-verdict";
  return `baton ledger verify-receipt ${seq}.tlog-proof --vkey ${shellWord(vkey)}${any}`;
}

// test/text.test.ts
test("what cannot be seen is marked", () => {
  for (const hidden of [
    "\u202E",
    "\u200B",
    "\0",
    "\x1B",
    "\u2066",
    "\u{E0041}",
    "\uFEFF",
    "\x85",
    "\uD800",
    "\u034F",
    "\u3164",
    "\u115F",
    "\u2800",
    "\uFE0F",
    "\u{E0100}",
    "\u0605"
  ]) {
    const pieces = visible(`a${hidden}b`);
    assert.deepEqual(
      pieces.map((piece) => piece.mark !== void 0),
      [false, true, false],
      JSON.stringify(hidden)
    );
  }
  assert.deepEqual(visible("plain	text, \xE4, \u6F22, \u{1F44D}"), [{ text: "plain	text, \xE4, \u6F22, \u{1F44D}" }]);
  assert.deepEqual(visible(""), []);
});
test("in a command every odd space is marked, and a line feed still ends the line", () => {
  const shown = (text) => visible(text, true).map((piece) => piece.mark ? `[${piece.text}]` : piece.text);
  assert.deepEqual(shown("rm -r\xA0a	b\n2. ls"), ["rm -r", "[00A0]", "a", "[0009]", "b", "[000A]", "\n", "2. ls"]);
  assert.deepEqual(shown("a\u3000b\u202Ec"), ["a", "[3000]", "b", "[202E]", "c"]);
  assert.deepEqual(shown("plain text, \xE4, \u6F22"), ["plain text, \xE4, \u6F22"]);
});
test("columns count bytes", () => {
  assert.equal(indexOfColumn("\xE4b", 3), 1);
  assert.equal(indexOfColumn("\u{1F44D}b", 5), 2);
  assert.equal(indexOfColumn("abc", 2), 1);
  assert.equal(indexOfColumn("abc", 99), 3);
  assert.deepEqual(lines("a\r\nb\n"), ["a", "b"]);
  assert.deepEqual(lines(""), [""]);
});
test("a diff applied to the old text gives the new one", () => {
  const cases = [
    ["", "a"],
    ["a", ""],
    ["abc", "abc"],
    ["abcabba", "cbabac"],
    ["abcdef", "abXdeYf"],
    ["xaxbxc", "abc"],
    ["aaaa", "bbbb"]
  ];
  for (const [before, after] of cases) {
    const found = diff([...before], [...after]);
    assert.equal(
      found.filter((line) => line.kind !== "new").map((line) => line.text).join(""),
      before
    );
    assert.equal(
      found.filter((line) => line.kind !== "gone").map((line) => line.text).join(""),
      after
    );
    for (const line of found) {
      assert.equal(line.kind === "new" || before[line.before - 1] === line.text, true);
      assert.equal(line.kind === "gone" || after[line.after - 1] === line.text, true);
    }
  }
  assert.equal(diff([..."abcabba"], [..."cbabac"]).filter((line) => line.kind !== "same").length, 5);
  const far = hunks(diff([..."abcdefghijklmnop"], [..."abcdefghXjklmnop"]), 1);
  assert.deepEqual(
    far.map((line) => line?.text ?? null),
    [null, "h", "i", "X", "j", null]
  );
});
test("events are read however they are cut", () => {
  const text = 'retry: 50\n\n: hello\nid: 1\nevent: entry\ndata: {"a":1}\n\nid: 2\r\nevent: entry\r\ndata: x\r\ndata: y\r\n\r\nevent: lost\ndata: z';
  for (let size = 1; size < text.length; size++) {
    const reader = new EventReader();
    const found = [];
    for (let at = 0; at < text.length; at += size) {
      found.push(...reader.push(text.slice(at, at + size)));
    }
    assert.deepEqual(found, [
      { id: "1", event: "entry", data: '{"a":1}' },
      { id: "2", event: "entry", data: "x\ny" }
    ]);
    assert.equal(reader.retryMs, 50);
  }
});
test("a command is printed so that it runs as it stands", () => {
  assert.equal(shellWord("a'b c"), "'a'\\''b c'");
  assert.equal(
    receiptCommand(7, "log.example/x+1+k", "accepted"),
    "baton ledger verify-receipt 7.tlog-proof --vkey 'log.example/x+1+k'"
  );
  assert.ok(receiptCommand(7, "k", "rejected").endsWith("'k' --any-verdict"));
  assert.ok(receiptCommand(7, "k", "recorded").endsWith("'k' --any-verdict"));
});
