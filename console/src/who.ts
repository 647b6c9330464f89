// SPDX-License-Identifier: Apache-2.0
// who.ts - what the viewer may do.
import type { Who } from "./types";

export function may(who: Who, scope: string): boolean {
    return who.scopes.includes(scope) || who.scopes.includes("admin");
}
