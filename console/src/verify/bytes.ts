// SPDX-License-Identifier: Apache-2.0
// bytes.ts - bytes and their texts. Everything that reads is strict: a text has one reading or none.

export type Bytes = Uint8Array<ArrayBuffer>;

export class Malformed extends Error {}

export function fromUtf8(bytes: Bytes): string {
    try {
        return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
        throw new Malformed("the bytes are not UTF-8");
    }
}

export function toUtf8(text: string): Bytes {
    return new TextEncoder().encode(text) as Bytes;
}

export function fromHex(text: string): Bytes {
    if (!/^([0-9a-f]{2})*$/.test(text)) {
        throw new Malformed("a hash is not written in hex digits");
    }
    return Uint8Array.from({ length: text.length / 2 }, (_, i) => parseInt(text.slice(2 * i, 2 * i + 2), 16)) as Bytes;
}

export function toHex(bytes: Bytes): string {
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// With padding and without stray bits: writing it again must give the same text.
export function fromBase64(text: string): Bytes {
    let raw: string;
    try {
        raw = atob(text);
    } catch {
        throw new Malformed("a text is not base64");
    }
    if (btoa(raw) !== text) {
        throw new Malformed("a text is not base64 in its one form");
    }
    return Uint8Array.from(raw, (c) => c.charCodeAt(0)) as Bytes;
}

export function join(...parts: Bytes[]): Bytes {
    const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
    let at = 0;
    for (const part of parts) {
        whole.set(part, at);
        at += part.length;
    }
    return whole;
}

export function same(a: Bytes, b: Bytes): boolean {
    return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

export async function sha256(bytes: Bytes): Promise<Bytes> {
    return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}
