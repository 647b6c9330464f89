// SPDX-License-Identifier: Apache-2.0
// platform.ts - what some platforms keep in a module and others in a global.

/** WebCrypto: the global, or the module of Node 18, which has no such global. */
export async function webCrypto(): Promise<Crypto> {
  if (globalThis.crypto) return globalThis.crypto;
  const name = "node:crypto"; // not a constant in the call, so that bundlers for browsers leave it alone
  return (await import(name)).webcrypto;
}

/** A text unlike all others, as a key or the name of a run. */
export function newKey(): string {
  const source = globalThis.crypto as { randomUUID?: () => string; getRandomValues?: (bytes: Uint8Array) => Uint8Array } | undefined;
  if (source?.randomUUID) return source.randomUUID();
  const bytes = new Uint8Array(16);
  if (source?.getRandomValues) source.getRandomValues(bytes);
  else bytes.forEach((_, index) => (bytes[index] = Math.floor(Math.random() * 256))); // a key must be unlike others, not secret
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
