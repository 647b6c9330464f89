// SPDX-License-Identifier: Apache-2.0
// ed25519.ts - verify signatures (RFC 8032 section 5.1.7), without the factor 8, as libcrypto does. Nothing here is
// secret, so nothing has to take constant time.
import { join, same, type Bytes } from "../verify/bytes";
import { sha512 } from "./sha";

const P = (1n << 255n) - 19n;
const L = (1n << 252n) + 27742317777372353535851937790883648493n; // the order of the base point
const TOP = 1n << 255n;

function mod(n: bigint): bigint {
    const rest = n % P;
    return rest < 0n ? rest + P : rest;
}

function power(base: bigint, exponent: bigint): bigint {
    let result = 1n;
    let square = base;
    for (let left = exponent; left > 0n; left >>= 1n) {
        if ((left & 1n) === 1n) {
            result = (result * square) % P;
        }
        square = (square * square) % P;
    }
    return result;
}

const D = mod(-121665n * power(121666n, P - 2n));
const ROOT = power(2n, (P - 1n) / 4n); // of -1

// X/Z, Y/Z and T = XY/Z.
type Point = readonly [bigint, bigint, bigint, bigint];

const ZERO: Point = [0n, 1n, 1n, 0n];

function sum(p: Point, q: Point): Point {
    const a = (p[0] * q[0]) % P;
    const b = (p[1] * q[1]) % P;
    const c = (((p[3] * q[3]) % P) * D) % P;
    const d = (p[2] * q[2]) % P;
    const e = mod((p[0] + p[1]) * (q[0] + q[1]) - a - b);
    const f = mod(d - c);
    const g = d + c;
    const h = b + a;
    return [(e * f) % P, (g * h) % P, (f * g) % P, (e * h) % P];
}

function times(point: Point, factor: bigint): Point {
    let result = ZERO;
    let double = point;
    for (let left = factor; left > 0n; left >>= 1n) {
        if ((left & 1n) === 1n) {
            result = sum(result, double);
        }
        double = sum(double, double);
    }
    return result;
}

function fromBytes(bytes: Uint8Array): bigint {
    return bytes.reduceRight((number, byte) => (number << 8n) | BigInt(byte), 0n);
}

function toBytes(number: bigint): Bytes {
    return Uint8Array.from({ length: 32 }, (_, i) => Number((number >> BigInt(8 * i)) & 255n)) as Bytes;
}

function decoded(bytes: Uint8Array): Point | null {
    const number = fromBytes(bytes);
    const y = number % TOP;
    const isOdd = number >= TOP;
    if (y >= P) {
        return null;
    }
    const u = mod(y * y - 1n);
    const v = mod(D * y * y + 1n);
    let x = (u * power(v, 3n) * power(u * power(v, 7n), (P - 5n) / 8n)) % P;
    if (mod(v * x * x) !== u) {
        x = (x * ROOT) % P;
    }
    if (mod(v * x * x) !== u || (x === 0n && isOdd)) {
        return null;
    }
    const chosen = (x & 1n) === 1n === isOdd ? x : mod(-x);
    return [chosen, y, 1n, (chosen * y) % P];
}

function encoded([x, y, z]: Point): Bytes {
    const inverse = power(z, P - 2n);
    return toBytes(((y * inverse) % P) | (((x * inverse) % P & 1n) << 255n));
}

const BASE = decoded(toBytes(mod(4n * power(5n, P - 2n)))) as Point;

export function isSignature(signature: Bytes, message: Bytes, key: Bytes): boolean {
    if (signature.length !== 64 || key.length !== 32) {
        return false;
    }
    const point = decoded(key);
    const s = fromBytes(signature.slice(32));
    if (!point || s >= L) {
        return false;
    }
    const first = signature.slice(0, 32);
    const h = fromBytes(sha512(join(first, key, message))) % L;
    const minus: Point = [mod(-point[0]), point[1], 1n, mod(-point[3])];
    return same(encoded(sum(times(BASE, s), times(minus, h))), first);
}
