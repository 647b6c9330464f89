// SPDX-License-Identifier: Apache-2.0
// json.ts - values -> JSON, as JSON.stringify does, except that what JSON cannot hold is refused and a bigint is an integer.

import { NotJSON } from "./errors.js";

/** Text, bytes, or a value, which is judged in its minified form. */
export type Doc = string | Uint8Array | object;

const DEPTH_MAX = 128;

function put(value: unknown, pointer: string, depth: number): string {
  if (depth > DEPTH_MAX) throw new NotJSON("the nesting is too deep", pointer);
  if (typeof value === "object" && value !== null && typeof (value as { toJSON?: unknown }).toJSON === "function") {
    value = (value as { toJSON(name: string): unknown }).toJSON("");
  }
  if (value instanceof String || value instanceof Number || value instanceof Boolean) value = value.valueOf();
  switch (typeof value) {
    case "string":
    case "boolean":
      return JSON.stringify(value);
    case "number":
      if (!Number.isFinite(value)) throw new NotJSON(`${value} is not a number of JSON`, pointer);
      return JSON.stringify(value);
    case "bigint":
      return value.toString();
    case "object":
      break;
    default:
      throw new NotJSON(`a value of type ${typeof value} is not JSON`, pointer);
  }
  if (value === null) return "null";
  if (Array.isArray(value)) return "[" + Array.from(value, (item, index) => put(item, `${pointer}/${index}`, depth + 1)).join(",") + "]";
  const members = Object.entries(value as object).map(
    ([name, item]) => JSON.stringify(name) + ":" + put(item, pointer + "/" + name.replace(/~/g, "~0").replace(/\//g, "~1"), depth + 1));
  return "{" + members.join(",") + "}";
}

/** The minified JSON of a value. */
export function toJSON(value: unknown): string {
  return put(value, "", 0);
}

/** The bytes of a document. */
export function documentBytes(document: Doc): Uint8Array {
  if (document instanceof Uint8Array) return document;
  return new TextEncoder().encode(typeof document === "string" ? document : toJSON(document));
}
