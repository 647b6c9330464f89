// SPDX-License-Identifier: Apache-2.0
// share.ts - a text in an address: base64url of its bytes, in the fragment.
const LINK_MAX = 16384; // letters of the text in a link

export function shareOf(text: string): string | null {
    const bytes = new TextEncoder().encode(text);
    if (bytes.length > (LINK_MAX * 3) / 4) {
        return null;
    }
    const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    return letters.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

// null: it is not such a text.
export function readShared(letters: string): string | null {
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
