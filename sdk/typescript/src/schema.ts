// SPDX-License-Identifier: Apache-2.0
// schema.ts - JSON Schema alone, with schema.wasm: a schema is compiled once and judges many values. load() finds the module and makes a SchemaEngine.

import { VERSION } from "../generated/operations.js";
import { BatonError, Unavailable } from "./errors.js";
import { compile, encode, instantiate } from "./module.js";
import type { ModuleSource } from "./module.js";
import { webCrypto } from "./platform.js";
import type { Finding } from "./report.js";
import { Validator } from "./validator.js";
import type { Compiled, StandardJSONSchemaV1 } from "./validator.js";

export { BatonError, Incompatible, NotJSON, Unavailable } from "./errors.js";
export type { Finding } from "./report.js";
export { Validator } from "./validator.js";
export type { StandardIssue, StandardJSONSchemaV1, StandardResult } from "./validator.js";

const DRAFTS = { "3": 3, "4": 4, "6": 6, "7": 7, "2019-09": 8, "2020-12": 9, v1: 10 };
const INPUT_BYTES_MIN = 4096;
const [VALID, INVALID, UNDECIDED] = [1, 2, 3];

export interface ValidatorOptions {
  /** The draft where `$schema` is absent; default 2020-12. */
  draft?: keyof typeof DRAFTS;
  /** Whether `format` decides; default false. */
  formats?: boolean;
}

/** A schema that was refused. */
export class SchemaError extends BatonError {
  constructor(readonly findings: Finding[]) {
    super(findings.map((finding) => `${finding.code} at ${finding.pointer}: ${finding.message}`).join("\n"));
  }
}

/** A judgement that reached a limit of work, time or memory: the value is neither valid nor invalid. */
export class BudgetSpent extends BatonError {}

type Handle = number;

interface Exports {
  memory: WebAssembly.Memory;
  bt_wasm_alloc(size: number): number;
  bt_wasm_free(at: number): void;
  bt_wasm_version(): number;
  bt_wasm_schema(at: number, size: number, draft: number, formats: number): Handle;
  bt_wasm_schema_end(schema: Handle): void;
  bt_wasm_is_compiled(schema: Handle): number;
  bt_wasm_judge(schema: Handle, at: number, size: number): number;
  bt_wasm_explain(schema: Handle, at: number, size: number): number;
  bt_wasm_findings_ptr(schema: Handle): number;
  bt_wasm_findings_size(schema: Handle): number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** One instance, and the place in its memory where texts are put. After a trap it is not used again. */
class Memory {
  readonly exports: Exports;
  isBroken = false;
  private at = 0;
  private size = 0;

  constructor(module: WebAssembly.Module, crypto: Crypto) {
    this.exports = instantiate<Exports>(module, "bt_wasm_explain", VERSION, crypto);
  }

  private reserve(size: number): void {
    if (size <= this.size) return;
    if (this.at !== 0) this.exports.bt_wasm_free(this.at);
    this.size = 0;
    this.at = this.exports.bt_wasm_alloc(size) >>> 0;
    if (this.at === 0) throw new Unavailable("no memory is left in the WebAssembly module");
    this.size = size;
  }

  /** Put a text into memory and run a function on it. */
  run<T>(text: string, use: (at: number, size: number) => T): T {
    try {
      this.reserve(Math.max(INPUT_BYTES_MIN, text.length * 3));
      const place = new Uint8Array(this.exports.memory.buffer, this.at, this.size);
      const { read, written } = encoder.encodeInto(text, place);
      if (read !== text.length) throw new Unavailable("the text does not fit into the WebAssembly module");
      // What encodeInto() writes for half of a surrogate pair would not be found.
      if (hasReplacement(place.subarray(0, written!))) {
        const bytes = encode(text);
        place.set(bytes);
        return use(this.at, bytes.length);
      }
      return use(this.at, written!);
    } catch (why) {
      if (why instanceof BatonError) throw why;
      this.isBroken = true;
      throw new Unavailable("the WebAssembly module ended in a trap; nothing was judged", "none", { cause: why });
    }
  }

  findings(schema: Handle): Finding[] {
    const at = this.exports.bt_wasm_findings_ptr(schema) >>> 0;
    const size = this.exports.bt_wasm_findings_size(schema) >>> 0;
    return JSON.parse(decoder.decode(new Uint8Array(this.exports.memory.buffer, at, size).slice()));
  }
}

/** Whether bytes hold U+FFFD, which stands for what cannot be encoded. */
function hasReplacement(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(0xef); at >= 0; at = bytes.indexOf(0xef, at + 1)) {
    if (bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) return true;
  }
  return false;
}

function isValidOf(answer: number): boolean {
  if (answer === UNDECIDED) throw new BudgetSpent("a limit of the judgement was reached; the value is neither valid nor invalid");
  if (answer !== VALID && answer !== INVALID) throw new Unavailable("no memory is left in the WebAssembly module");
  return answer === VALID;
}

/** Compiles schemas. Calls run one after the other. */
export class SchemaEngine {
  private memory: Memory;
  private readonly ended = new FinalizationRegistry<[Memory, Handle]>(([memory, handle]) => {
    if (!memory.isBroken) memory.exports.bt_wasm_schema_end(handle);
  });

  /** @internal Use load(). */
  constructor(private readonly module: WebAssembly.Module, private readonly crypto: Crypto) {
    this.memory = new Memory(module, crypto);
  }

  /** Compile a JSON Schema, or what has one, such as a schema of zod 4. SchemaError: it was refused. */
  validator<T = unknown>(schema: object | StandardJSONSchemaV1, options: ValidatorOptions = {}): Validator<T> {
    const { draft, formats = false } = options;
    if (draft !== undefined && !Object.hasOwn(DRAFTS, draft)) throw new TypeError(`draft is one of ${Object.keys(DRAFTS).join(", ")}`);
    return new Validator<T>(schema, (text) => this.compile(text, draft === undefined ? 0 : DRAFTS[draft], formats));
  }

  private begin(text: string, draft: number, formats: boolean): [Memory, Handle] {
    if (this.memory.isBroken) this.memory = new Memory(this.module, this.crypto);
    const memory = this.memory;
    const handle = memory.run(text, (at, size) => memory.exports.bt_wasm_schema(at, size, draft, formats ? 1 : 0)) >>> 0;
    if (handle === 0) throw new Unavailable("no memory is left in the WebAssembly module");
    if (memory.exports.bt_wasm_is_compiled(handle) === 0) {
      const findings = memory.findings(handle);
      memory.exports.bt_wasm_schema_end(handle);
      throw new SchemaError(findings);
    }
    return [memory, handle];
  }

  private compile(schema: string, draft: number, formats: boolean): Compiled {
    let [memory, handle] = this.begin(schema, draft, formats);
    const ready = (): void => {
      if (!memory.isBroken) return;
      [memory, handle] = this.begin(schema, draft, formats);
      this.ended.register(compiled, [memory, handle]);
    };
    const compiled: Compiled = {
      isValid: (text) => {
        ready();
        return isValidOf(memory.run(text, (at, size) => memory.exports.bt_wasm_judge(handle, at, size)));
      },
      findings: (text) => {
        ready();
        return isValidOf(memory.run(text, (at, size) => memory.exports.bt_wasm_explain(handle, at, size))) ? [] : memory.findings(handle);
      },
    };
    this.ended.register(compiled, [memory, handle]);
    return compiled;
  }
}

/** Make a SchemaEngine. Without `wasm`, schema.wasm next to this package is used. */
export async function load(options: { wasm?: ModuleSource } = {}): Promise<SchemaEngine> {
  return new SchemaEngine(await compile(options.wasm, "schema.wasm"), await webCrypto());
}
