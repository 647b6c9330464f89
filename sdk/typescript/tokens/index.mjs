// SPDX-License-Identifier: Apache-2.0
// index.mjs - the merge lists of o200k_base and cl100k_base, for load() of baton-handoff.

import { readFile } from "node:fs/promises";

/** Where the lists are; bundlers find them by these expressions. */
export const urls = {
  o200k_base: new URL("./o200k.bin", import.meta.url),
  cl100k_base: new URL("./cl100k.bin", import.meta.url),
};

/** Both lists. */
export async function load() {
  const [o200k_base, cl100k_base] = await Promise.all([readFile(urls.o200k_base), readFile(urls.cl100k_base)]);
  return { o200k_base, cl100k_base };
}
