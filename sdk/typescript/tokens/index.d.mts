// SPDX-License-Identifier: Apache-2.0
/** Where the merge lists are. */
export declare const urls: { o200k_base: URL; cl100k_base: URL };
/** Both merge lists, for `load({ tokens })` of baton-handoff. */
export declare function load(): Promise<{ o200k_base: Uint8Array; cl100k_base: Uint8Array }>;
