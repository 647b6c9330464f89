// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { readShared, shareOf } from "../src/share";

test("a text comes back from its link as it was", () => {
    for (const text of ["{}", "a\u0000\u202e\ud83d\ude80 ü\n", "x".repeat(12000)]) {
        assert.equal(readShared(shareOf(text) ?? ""), text);
    }
});

test("what is too long is not shared, and what is not a text is not read", () => {
    assert.equal(shareOf("x".repeat(12289)), null);
    for (const letters of ["", "a b", "/w==", "_w", "!", "A".repeat(16385)]) {
        assert.equal(readShared(letters), null);
    }
});
