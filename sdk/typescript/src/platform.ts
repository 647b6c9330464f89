// SPDX-License-Identifier: Apache-2.0
// platform.ts - what some platforms keep in a module and others in a global.

/** WebCrypto: the global, or the module of Node 18, which has no such global. */
export async function webCrypto(): Promise<Crypto> {
  if (globalThis.crypto) return globalThis.crypto;
  const name = "node:crypto"; // not a constant in the call, so that bundlers for browsers leave it alone
  return (await import(name)).webcrypto;
}
