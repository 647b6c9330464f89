// SPDX-License-Identifier: Apache-2.0
// need.ts - what an adapter says when its framework is not installed. tools/make_typescript.py writes a file NAME.framework.js for each adapter, which
// imports the framework of that adapter alone.

import { Incompatible } from "../errors.js";

/** For catch(): Incompatible, which names the package and the version that the adapter needs. */
export function missing(name: string, version: string): (why: unknown) => never {
  return (why) => {
    throw new Incompatible(`this adapter needs ${name} ${version} or later: npm install ${name}`, { cause: why });
  };
}
