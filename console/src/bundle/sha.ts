// SPDX-License-Identifier: Apache-2.0
// sha.ts - SHA-256 and SHA-512 (FIPS 180-4). The page of a bundle is opened from a file, where browsers need not offer
// their own, and its result must not depend on the browser.
import type { Bytes } from "../verify/bytes";

const primes: bigint[] = [];
for (let n = 2n; primes.length < 80; n++) {
    if (primes.every((prime) => n % prime !== 0n)) {
        primes.push(n);
    }
}

// The largest x with x^power <= n.
function rootOf(n: bigint, power: bigint): bigint {
    let low = 0n;
    let high = 1n << BigInt(Math.ceil(n.toString(2).length / Number(power)) + 1);
    while (high - low > 1n) {
        const middle = (low + high) / 2n;
        if (middle ** power <= n) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// The first 64 bits of the fraction of a root of a prime.
function fraction(prime: bigint, power: bigint): bigint {
    return BigInt.asUintN(64, rootOf(prime << (64n * power), power));
}

const K = primes.map((prime) => fraction(prime, 3n));
const H = primes.slice(0, 8).map((prime) => fraction(prime, 2n));
const K32 = Int32Array.from(K.slice(0, 64), (word) => Number(word >> 32n) | 0);
const H32 = Int32Array.from(H, (word) => Number(word >> 32n) | 0);

// The message with its padding: a bit, zeros, and its length in bits in the last 8 bytes of the last block.
function padded(message: Uint8Array, block: number): DataView {
    const whole = new Uint8Array(Math.ceil((message.length + 1 + block / 8) / block) * block);
    whole.set(message);
    whole[message.length] = 0x80;
    const view = new DataView(whole.buffer);
    view.setBigUint64(whole.length - 8, BigInt(message.length) * 8n);
    return view;
}

const w32 = new Int32Array(64);

export function sha256(message: Uint8Array): Bytes {
    const view = padded(message, 64);
    const state = H32.slice();
    for (let at = 0; at < view.byteLength; at += 64) {
        for (let i = 0; i < 16; i++) {
            w32[i] = view.getInt32(at + 4 * i);
        }
        for (let i = 16; i < 64; i++) {
            const x = w32[i - 15]!;
            const y = w32[i - 2]!;
            const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
            const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
            w32[i] = (w32[i - 16]! + s0 + w32[i - 7]! + s1) | 0;
        }
        let a = state[0]!;
        let b = state[1]!;
        let c = state[2]!;
        let d = state[3]!;
        let e = state[4]!;
        let f = state[5]!;
        let g = state[6]!;
        let h = state[7]!;
        for (let i = 0; i < 64; i++) {
            const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
            const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K32[i]! + w32[i]!) | 0;
            const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
            const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
            h = g;
            g = f;
            f = e;
            e = (d + t1) | 0;
            d = c;
            c = b;
            b = a;
            a = (t1 + t2) | 0;
        }
        [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = (state[i]! + word) | 0));
    }
    const out = new DataView(new ArrayBuffer(32));
    state.forEach((word, i) => out.setInt32(4 * i, word));
    return new Uint8Array(out.buffer);
}

function turned(word: bigint, by: bigint): bigint {
    return (word >> by) | BigInt.asUintN(64, word << (64n - by));
}

// Only signatures need it, so it may be slow.
export function sha512(message: Uint8Array): Bytes {
    const view = padded(message, 128);
    const state = H.slice();
    const w: bigint[] = [];
    for (let at = 0; at < view.byteLength; at += 128) {
        for (let i = 0; i < 80; i++) {
            if (i < 16) {
                w[i] = view.getBigUint64(at + 8 * i);
                continue;
            }
            const x = w[i - 15]!;
            const y = w[i - 2]!;
            const s0 = turned(x, 1n) ^ turned(x, 8n) ^ (x >> 7n);
            const s1 = turned(y, 19n) ^ turned(y, 61n) ^ (y >> 6n);
            w[i] = BigInt.asUintN(64, w[i - 16]! + s0 + w[i - 7]! + s1);
        }
        let [a, b, c, d, e, f, g, h] = state as [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint];
        for (let i = 0; i < 80; i++) {
            const s1 = turned(e, 14n) ^ turned(e, 18n) ^ turned(e, 41n);
            const t1 = h + s1 + ((e & f) ^ (BigInt.asUintN(64, ~e) & g)) + K[i]! + w[i]!;
            const s0 = turned(a, 28n) ^ turned(a, 34n) ^ turned(a, 39n);
            const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
            h = g;
            g = f;
            f = e;
            e = BigInt.asUintN(64, d + t1);
            d = c;
            c = b;
            b = a;
            a = BigInt.asUintN(64, t1 + t2);
        }
        [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = BigInt.asUintN(64, state[i]! + word)));
    }
    const out = new DataView(new ArrayBuffer(64));
    state.forEach((word, i) => out.setBigUint64(8 * i, word));
    return new Uint8Array(out.buffer);
}
