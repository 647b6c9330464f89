// SPDX-License-Identifier: Apache-2.0
// module.ts - an instance of baton.wasm: texts in, replies out. It judges nothing itself. And what both modules share: finding, compiling, instantiating.

import { BatonError, Incompatible, Unavailable } from "./errors.js";
import { base } from "./locate.js";

/** Where a module comes from. */
export type ModuleSource = BufferSource | WebAssembly.Module | URL;

/** What a call gave: the status of HTTP, and the text of the reply. */
export interface ModuleReply {
  status: number;
  text: string;
}

type Reply = number;
type Engine = number;

interface Exports {
  memory: WebAssembly.Memory;
  bt_wasm_alloc(size: number): number;
  bt_wasm_free(at: number): void;
  bt_wasm_version(): number;
  bt_wasm_engine(at: number, size: number): Reply;
  bt_wasm_engine_end(engine: Engine): void;
  bt_wasm_root_file(engine: Engine, at: number, name: number, path: number, content: number): Reply;
  bt_wasm_table(engine: Engine, at: number, name: number, table: number): Reply;
  bt_wasm_call(engine: Engine, at: number, operation: number, request: number): Reply;
  bt_wasm_receipt_begin(engine: Engine, at: number, size: number): Reply;
  bt_wasm_receipt_end(engine: Engine, at: number, size: number): Reply;
  bt_wasm_reply_status(reply: Reply): number;
  bt_wasm_reply_ptr(reply: Reply): number;
  bt_wasm_reply_size(reply: Reply): number;
  bt_wasm_reply_end(reply: Reply): void;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const RANDOM_BYTES_MAX = 65536;

/** The bytes of a text. A lone surrogate becomes the three bytes that UTF-8 does not allow, so that it is found and not replaced. */
export function encode(text: string | Uint8Array): Uint8Array {
  if (typeof text !== "string") return text;
  const bytes = encoder.encode(text);
  if (!/[\ud800-\udfff]/.test(text) || !/(?:[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff])/.test(text)) return bytes;
  const parts: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0)!;
    if (code >= 0xd800 && code <= 0xdfff) parts.push(0xed, 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
    else parts.push(...encoder.encode(character));
  }
  return Uint8Array.from(parts);
}

function imports(memory: () => WebAssembly.Memory, crypto: Crypto): WebAssembly.Imports {
  return {
    baton: {
      now_ms: () => Date.now(),
      random: (at: number, size: number) => {
        const bytes = new Uint8Array(size >>> 0);
        for (let from = 0; from < bytes.length; from += RANDOM_BYTES_MAX) crypto.getRandomValues(bytes.subarray(from, from + RANDOM_BYTES_MAX));
        new Uint8Array(memory().buffer, at >>> 0, size >>> 0).set(bytes);
      },
    },
  };
}

/** The bytes of a URL: of a file where there are files, else by fetch. */
async function read(url: URL): Promise<BufferSource> {
  if (url.protocol !== "file:") {
    const answer = await fetch(url);
    if (!answer.ok) throw new Unavailable(`${url}: ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
  }
  const files = "node:fs/promises"; // not a constant in the call, so that bundlers for browsers leave it alone
  const { readFile } = await import(files);
  return readFile(url);
}

/** Compile a module; without a source, the file of this name next to the package. */
export async function compile(wasm: ModuleSource | undefined, name: string): Promise<WebAssembly.Module> {
  if (wasm instanceof WebAssembly.Module) return wasm;
  if (wasm === undefined && base === undefined) throw new Unavailable(`this platform has no files: import baton-handoff/${name} and give it to load() as wasm`);
  return WebAssembly.compile(wasm === undefined || wasm instanceof URL ? await read(wasm ?? new URL(`../${name}`, base)) : wasm);
}

/** An instance of a module of ours of this version, which has the function `mark`. */
export function instantiate<E extends { memory: WebAssembly.Memory; bt_wasm_version(): number }>(module: WebAssembly.Module, mark: keyof E, version: string, crypto: Crypto): E {
  let instance: WebAssembly.Instance;
  const memory = () => instance.exports["memory"] as WebAssembly.Memory;
  try {
    instance = new WebAssembly.Instance(module, imports(memory, crypto));
  } catch (why) {
    throw new Incompatible("this is not the WebAssembly module of Baton", { cause: why });
  }
  const exports = instance.exports as unknown as E;
  if (typeof exports.bt_wasm_version !== "function" || typeof exports[mark] !== "function") throw new Incompatible("this is not the WebAssembly module of Baton");
  const bytes = new Uint8Array(exports.memory.buffer);
  const at = exports.bt_wasm_version();
  const found = decoder.decode(bytes.slice(at, bytes.indexOf(0, at)));
  if (found !== version) throw new Incompatible(`the WebAssembly module has version ${found}, and this package ${version}`);
  return exports;
}

/** One instance with one engine. After a trap it must not be used again. */
export class Instance {
  private readonly exports: Exports;
  private readonly engine: Engine;
  isBroken = false;

  constructor(module: WebAssembly.Module, settings: string, version: string, crypto: Crypto) {
    this.exports = instantiate<Exports>(module, "bt_wasm_receipt_end", version, crypto);
    const reply = this.send([encode(settings)], (at, sizes) => this.exports.bt_wasm_engine(at, sizes[0]!));
    if (reply!.status === 0) throw new BatonError(reply!.text);
    this.engine = Number(reply!.text);
  }

  /** Copy the parts into the module, one behind the other, and run a function on them. Null: it gave no reply. */
  private send(parts: Uint8Array[], run: (at: number, sizes: number[]) => Reply): ModuleReply | null {
    const sizes = parts.map((part) => part.length);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    try {
      const at = this.exports.bt_wasm_alloc(total) >>> 0;
      if (at === 0) throw new Unavailable("no memory is left in the WebAssembly module");
      let to = at;
      for (const part of parts) {
        new Uint8Array(this.exports.memory.buffer, to, part.length).set(part);
        to += part.length;
      }
      const reply = run(at, sizes) >>> 0;
      const taken = reply === 0 ? null : this.take(reply);
      this.exports.bt_wasm_free(at);
      return taken;
    } catch (why) {
      if (why instanceof BatonError) throw why;
      this.isBroken = true;
      throw new Unavailable("the WebAssembly module ended in a trap; nothing was judged", "none", { cause: why });
    }
  }

  private take(reply: Reply): ModuleReply {
    const at = this.exports.bt_wasm_reply_ptr(reply) >>> 0;
    const size = this.exports.bt_wasm_reply_size(reply) >>> 0;
    const taken = { status: this.exports.bt_wasm_reply_status(reply), text: decoder.decode(new Uint8Array(this.exports.memory.buffer, at, size).slice()) };
    this.exports.bt_wasm_reply_end(reply);
    return taken;
  }

  rootFile(name: string, path: string, content: Uint8Array): void {
    const failed = this.send([encode(name), encode(path), content], (at, sizes) => this.exports.bt_wasm_root_file(this.engine, at, sizes[0]!, sizes[1]!, sizes[2]!));
    if (failed) throw new BatonError(`${path}: ${failed.text}`);
  }

  table(encoding: string, bytes: Uint8Array): void {
    const failed = this.send([encode(encoding), bytes], (at, sizes) => this.exports.bt_wasm_table(this.engine, at, sizes[0]!, sizes[1]!));
    if (failed) throw new Incompatible(`the table of ${encoding}: ${failed.text}`);
  }

  call(operation: string, request: string | Uint8Array): ModuleReply {
    return this.judged(this.send([encode(operation), encode(request)], (at, sizes) => this.exports.bt_wasm_call(this.engine, at, sizes[0]!, sizes[1]!)));
  }

  /** Begin to verify a receipt. A status of 0: the text has the signatures that have to be checked. */
  receiptBegin(request: string | Uint8Array): ModuleReply {
    return this.judged(this.send([encode(request)], (at, sizes) => this.exports.bt_wasm_receipt_begin(this.engine, at, sizes[0]!)), true);
  }

  /** Go on with the answers, in the order of the signatures. */
  receiptEnd(answers: boolean[]): ModuleReply {
    const bytes = Uint8Array.from(answers, (answer) => (answer ? 1 : 0));
    return this.judged(this.send([bytes], (at, sizes) => this.exports.bt_wasm_receipt_end(this.engine, at, sizes[0]!)), true);
  }

  private judged(reply: ModuleReply | null, mayAsk = false): ModuleReply {
    if (!reply) throw new Unavailable("no memory is left in the WebAssembly module");
    if (reply.status === 0 && !(mayAsk && reply.text.startsWith("{"))) throw new Unavailable(reply.text);
    return reply;
  }
}
