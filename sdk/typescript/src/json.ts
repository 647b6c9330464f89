// SPDX-License-Identifier: Apache-2.0
// json.ts - values -> JSON, as JSON.stringify does, except that what JSON cannot hold is refused and a bigint is an integer.

import { NotJSON } from "./errors.js";

/** Text, bytes, or a value, which is judged in its minified form. */
export type Doc = string | Uint8Array | object;

const DEPTH_MAX = 128;
const NODES_MAX = 10_000_000; // a value that holds itself many times has more

function refuse(why: string, path: (string | number)[]): never {
  throw new NotJSON(why, path.map((step) => "/" + String(step).replace(/~/g, "~0").replace(/\//g, "~1")).join(""));
}

/** How many values may still be read. */
interface Left {
  nodes: number;
}

/** `path` leads to the value; it becomes a pointer only when the value is refused. */
function put(value: unknown, path: (string | number)[], left: Left): string {
  if (path.length > DEPTH_MAX) refuse("the nesting is too deep", path);
  if ((left.nodes -= 1) < 0) refuse(`more than ${NODES_MAX} values`, []);
  if (typeof value === "object" && value !== null && typeof (value as { toJSON?: unknown }).toJSON === "function") {
    value = (value as { toJSON(name: string): unknown }).toJSON(String(path[path.length - 1] ?? ""));
  }
  if (value instanceof String || value instanceof Number || value instanceof Boolean) value = value.valueOf();
  switch (typeof value) {
    case "string":
    case "boolean":
      return JSON.stringify(value);
    case "number":
      if (!Number.isFinite(value)) refuse(`${value} is not a number of JSON`, path);
      return JSON.stringify(value);
    case "bigint":
      return value.toString();
    case "object":
      break;
    default:
      refuse(`a value of type ${typeof value} is not JSON`, path);
  }
  if (value === null) return "null";
  const parts: string[] = [];
  if (Array.isArray(value)) {
    const { length } = value; // as it is now: what is called below may add items
    for (let index = 0; index < length; index += 1) {
      path.push(index);
      parts.push(put(value[index], path, left));
      path.pop();
    }
    return `[${parts.join(",")}]`;
  }
  for (const [name, item] of Object.entries(value as object)) {
    path.push(name);
    parts.push(JSON.stringify(name) + ":" + put(item, path, left));
    path.pop();
  }
  return `{${parts.join(",")}}`;
}

/** Whether a value is made of plain objects, arrays, texts, finite numbers, booleans and null alone, which JSON.stringify writes as put() does. */
function isPlain(value: unknown, depth: number, left: Left): boolean {
  if ((left.nodes -= 1) < 0) return false;
  if (typeof value !== "object") return typeof value === "string" || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));
  if (value === null) return true;
  if (depth >= DEPTH_MAX || typeof (value as { toJSON?: unknown }).toJSON === "function") return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) if (!isPlain(value[index], depth + 1, left)) return false;
    return true;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  for (const name of Object.keys(value)) if (!isPlain((value as Record<string, unknown>)[name], depth + 1, left)) return false;
  return true;
}

/** The minified JSON of a value. What is plain is left to JSON.stringify, which is several times faster. */
export function toJSON(value: unknown): string {
  const left = { nodes: NODES_MAX };
  if (isPlain(value, 0, left)) return JSON.stringify(value);
  if (left.nodes < 0) refuse(`more than ${NODES_MAX} values`, []);
  return put(value, [], { nodes: NODES_MAX });
}

/** The bytes of a document. */
export function documentBytes(document: Doc): Uint8Array {
  if (document instanceof Uint8Array) return document;
  return new TextEncoder().encode(typeof document === "string" ? document : toJSON(document));
}
