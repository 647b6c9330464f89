// test/share.test.ts
import assert from "node:assert/strict";
import { test } from "node:test";

// src/share.ts
var LINK_MAX = 16384;
function shareOf(text) {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > LINK_MAX * 3 / 4) {
    return null;
  }
  const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return letters.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
function readShared(letters) {
  if (letters === "" || letters.length > LINK_MAX || !/^[A-Za-z0-9_-]+$/.test(letters)) {
    return null;
  }
  try {
    const bytes = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
  } catch {
    return null;
  }
}

// test/share.test.ts
test("a text comes back from its link as it was", () => {
  for (const text of ["{}", "a\0\u202E\u{1F680} \xFC\n", "x".repeat(12e3)]) {
    assert.equal(readShared(shareOf(text) ?? ""), text);
  }
});
test("what is too long is not shared, and what is not a text is not read", () => {
  assert.equal(shareOf("x".repeat(12289)), null);
  for (const letters of ["", "a b", "/w==", "_w", "!", "A".repeat(16385)]) {
    assert.equal(readShared(letters), null);
  }
});
