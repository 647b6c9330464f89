// SPDX-License-Identifier: Apache-2.0
// baton.ts - judge documents in this process, with the WebAssembly module. load() finds the module and makes a Baton.

import { VERSION } from "../generated/operations.js";
import { BatonError, Problem } from "./errors.js";
import { toJSON } from "./json.js";
import type { Doc } from "./json.js";
import { compile, Instance } from "./module.js";
import type { ModuleSource } from "./module.js";
import { webCrypto } from "./platform.js";
import { Outcome, Report } from "./report.js";
import type { Format } from "./report.js";
import { Validator } from "./validator.js";
import type { StandardJSONSchemaV1 } from "./validator.js";

export { BatonError, Incompatible, NotJSON, Problem, Rejected, Unavailable } from "./errors.js";
export { Outcome, Report } from "./report.js";
export type { Finding, Format, JudgedDocument } from "./report.js";
export { Validator } from "./validator.js";
export type { StandardIssue, StandardJSONSchemaV1, StandardResult } from "./validator.js";
export type { Doc } from "./json.js";

export type Encoding = "o200k_base" | "cl100k_base" | "chars4";
/** Merge lists of encodings, as `baton-handoff-tokens` has them. */
export type Tables = { o200k_base?: BufferSource; cl100k_base?: BufferSource };
/** Keys of baton.yaml that affect judging, nested as there, and `now`, `seed`, `actor`, `scopes`, `agents`, `workspace`, `session`. */
export type Settings = Record<string, unknown>;

/** Options of every judgement, by the names of the HTTP API. */
export interface Options {
  path?: string;
  root?: string;
  now?: string;
  tokens?: Encoding;
  budget?: number;
  [option: string]: unknown;
}
export interface CheckOptions extends Options {
  /** The dialect; without it the document is recognised. */
  dialect?: string;
  /** The INPUT of a contract message. */
  input?: Doc;
  fail_level?: "HARD" | "WARN" | "INFO";
}
export interface RepairOptions extends CheckOptions {
  answer?: string;
}
export type CompressOptions = Options;
export interface ConvertOptions extends Options {
  source_dialect?: string;
}
/** The members of newHandoff. */
export interface Draft {
  source: string;
  target: string;
  summary: string;
  /** What the chain of handoffs may spend. A cost is a text such as "40.00". */
  budget_tokens?: number;
  budget_cost?: string;
  /** What this hop spent of the budget that it carries on. */
  spent_tokens?: number;
  spent_cost?: string;
  [member: string]: unknown;
}

/** A reply as it came. */
export interface Reply {
  status: number;
  json: string;
  /** What was asked for happened. */
  done: boolean;
  value: any;
}

export interface LoadOptions {
  wasm?: ModuleSource;
  tokens?: Tables | false;
  settings?: Settings;
}

interface Signature {
  key: string;
  message: string;
  signature: string;
}

function bytesOf(source: BufferSource): Uint8Array {
  return source instanceof ArrayBuffer ? new Uint8Array(source) : new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
}

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let from = 0; from < bytes.length; from += 32768) text += String.fromCharCode(...bytes.subarray(from, from + 32768));
  return btoa(text);
}

/** A document as an envelope has it. */
function contentOf(document: Doc): object {
  return document instanceof Uint8Array ? { base64: toBase64(document) } : { text: typeof document === "string" ? document : toJSON(document) };
}

function fromBase64(text: string): BufferSource {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** What a judgement says; false for a text that the strict reader of the module refuses, such as one with a repeated name. */
function unlessUnreadable(judge: () => boolean): boolean {
  try {
    return judge();
  } catch (why) {
    if (why instanceof Problem && why.code === "BAD_REQUEST") return false;
    throw why;
  }
}

function isJSON(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The tables of baton-handoff-tokens, where it is installed. */
async function findTables(): Promise<Tables> {
  const name = "baton-handoff-tokens";
  let tokens;
  try {
    tokens = await import(name);
  } catch {
    return {};
  }
  return (tokens.load ?? tokens.default.load)();
}

/** Make a Baton. Without `wasm` the module next to this package is used; without `tokens`, the tables of baton-handoff-tokens where it is installed. */
export async function load(options: LoadOptions = {}): Promise<Baton> {
  const module = await compile(options.wasm, "baton.wasm");
  const tables = options.tokens === false ? {} : options.tokens ?? (await findTables());
  return new Baton(module, tables, toJSON(options.settings ?? {}), await webCrypto());
}

/** Judges documents. It is one engine: calls run one after the other. */
export class Baton {
  private instance: Instance | null = null;
  private readonly roots: [string, string, Uint8Array][] = [];
  private readonly tables: [string, Uint8Array][];

  /** @internal Use load(). */
  constructor(private readonly module: WebAssembly.Module, tables: Tables, private readonly settings: string, private readonly crypto: Crypto) {
    this.tables = Object.entries(tables).map(([name, bytes]) => [name, bytesOf(bytes!)]);
    this.ready();
  }

  /** The instance; a new one after a trap. */
  private ready(): Instance {
    if (this.instance && !this.instance.isBroken) return this.instance;
    const instance = new Instance(this.module, this.settings, VERSION, this.crypto);
    for (const [encoding, bytes] of this.tables) instance.table(encoding, bytes);
    for (const [name, path, content] of this.roots) instance.rootFile(name, path, content);
    this.instance = instance;
    return instance;
  }

  /** Run an operation of the HTTP API by its operationId. A text and bytes are the JSON of the request. */
  call(operation: string, request: object | string = {}): Reply {
    const reply = this.ready().call(operation, typeof request === "string" || request instanceof Uint8Array ? request : toJSON(request));
    return { status: reply.status, json: reply.text, done: reply.status < 400, value: JSON.parse(reply.text) };
  }

  /** The reply, or a Problem. */
  private ask(operation: string, request: object): Reply {
    return accept(this.call(operation, request));
  }

  /** A report as text; `document` is what it is about, whose lines `full` shows. */
  render(report: Report, format: Format = "concise", document?: Doc): string {
    return this.renderRaw(report.raw, format, document === undefined ? [] : [contentOf(document)]);
  }

  private renderRaw(raw: string, format: Format, documents: object[]): string {
    return accept(this.call("renderReport", `{"report":${raw},"format":${toJSON(format)},"documents":${toJSON(documents)}}`)).value.render.text;
  }

  /** An outcome whose text shows no lines, since the document may have been changed. */
  private outcome(operation: string, request: object): Outcome {
    const { json } = this.ask(operation, request);
    return new Outcome(json, (format) => this.renderRaw(json, format, []));
  }

  private envelope(document: Doc, given: Options, members: Record<string, unknown> = {}): object {
    const { path, dialect, input, answer, ...options } = given as RepairOptions;
    const content = contentOf(document);
    const inputText = input === undefined || typeof input === "string" ? input : input instanceof Uint8Array ? new TextDecoder().decode(input) : toJSON(input);
    return {
      documents: [{ path: path ?? "document", ...(dialect === undefined ? {} : { as: dialect }), ...content }],
      ...(Object.keys(options).length > 0 ? { options } : {}),
      ...(inputText === undefined ? {} : { input: inputText }),
      ...(answer === undefined ? {} : { answer }),
      ...members,
    };
  }

  check(document: Doc, options: CheckOptions = {}): Report {
    const request = this.envelope(document, options) as { documents: object[] };
    const { json } = this.ask("check", request);
    return new Report(json, (format) => this.renderRaw(json, format, request.documents));
  }

  repair(document: Doc, options: RepairOptions = {}): Outcome {
    return this.outcome("repair", this.envelope(document, options));
  }

  compress(document: Doc, options: CompressOptions = {}): Outcome {
    return this.outcome("compress", this.envelope(document, options));
  }

  convert(document: Doc, options: ConvertOptions = {}): Outcome {
    const { source_dialect, ...rest } = options;
    return this.outcome("convert", this.envelope(document, { to: "universal", ...(source_dialect === undefined ? {} : { dialect: source_dialect }), ...rest }));
  }

  newHandoff(draft: Draft): Outcome {
    return this.outcome("newHandoff", draft);
  }

  /** What a model must correct, in words. */
  retryText(report: Report, attempt = 1, limit = 3): string {
    const request = `{"report":${report.raw},"attempt":${toJSON(attempt)},"limit":${toJSON(limit)}}`;
    return accept(this.call("retryText", request)).value.retry.text;
  }

  countTokens(text: string, encoding: Encoding = "o200k_base"): number {
    const { tokens } = this.ask("countTokens", { text, encoding }).value;
    return tokens.exact ?? tokens.estimate;
  }

  /** Verify a receipt with the vkeys of logs. The platform checks the signatures. */
  async verifyReceipt(receipt: string | object, vkey: string[], document?: Doc): Promise<Report> {
    const content = document === undefined ? {} : document instanceof Uint8Array ? { document_base64: toBase64(document) } : { document: typeof document === "string" ? document : toJSON(document) };
    const { json } = accept(await this.callReceipt(toJSON({ receipt, vkey, ...content })));
    return new Report(json, (format) => this.renderRaw(json, format, []));
  }

  /** @internal verifyReceipt with any request. */
  async callReceipt(request: string | Uint8Array): Promise<Reply> {
    const instance = this.ready();
    let reply = instance.receiptBegin(request);
    while (reply.status === 0) {
      // Each round answers every question, and a receipt has a bounded number of signatures.
      const { signatures } = JSON.parse(reply.text) as { signatures: Signature[] };
      reply = instance.receiptEnd(await Promise.all(signatures.map((signature) => isValidSignature(signature, this.crypto))));
    }
    return { status: reply.status, json: reply.text, done: reply.status < 400, value: JSON.parse(reply.text) };
  }

  /** Compile a JSON Schema, or what has one, such as a schema of zod 4. Each value is judged by an operation, which reads the schema again;
   * `baton-handoff/schema` keeps it compiled. */
  validator<T = unknown>(schema: object | StandardJSONSchemaV1): Validator<T> {
    return new Validator<T>(schema, (compiled) => {
      const judge = (instance: string) => new Report(accept(this.call("schemaValidate", `{"schema":${compiled},"instance":${instance}}`)).json);
      const refused = judge("null").documents.find((document) => document.path === "schema" && document.verdict === "rejected");
      if (refused) throw new BatonError(refused.findings.map((finding) => `${finding.code} at ${finding.pointer}: ${finding.message}`).join("\n"));
      const findings = (instance: string) => {
        const report = judge(instance);
        const found = report.findings.filter((finding) => finding.severity === "HARD");
        if (found.some((finding) => finding.code === "SCHEMA_BUDGET")) throw new BatonError("a limit of the judgement was reached; the value is neither valid nor invalid");
        if (!report.accepted && found.length === 0) throw new BatonError("the value was refused without a finding");
        return report.accepted ? [] : found;
      };
      return { findings, isValid: (instance) => isJSON(instance) && unlessUnreadable(() => findings(instance).length === 0) };
    });
  }

  /** Add files to a root that lies in memory; options name it with `root`. */
  root(name: string, files: Record<string, string | Uint8Array>): void {
    for (const [path, content] of Object.entries(files)) {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      this.ready().rootFile(name, path, bytes);
      this.roots.push([name, path, bytes]);
    }
  }
}

function accept(reply: Reply): Reply {
  if (reply.done) return reply;
  const { code, detail, findings } = reply.value;
  throw new Problem(code ?? "UNKNOWN", reply.status, detail ?? "", findings ?? []);
}

async function isValidSignature(question: Signature, crypto: Crypto): Promise<boolean> {
  let key: CryptoKey;
  try {
    key = await crypto.subtle.importKey("raw", fromBase64(question.key), { name: "Ed25519" }, false, ["verify"]);
  } catch (why) {
    if (why instanceof Error && (why.name === "NotSupportedError" || why.name === "TypeError")) {
      throw new Problem("NOT_IMPLEMENTED", 501, "this platform has no Ed25519 in WebCrypto");
    }
    return false;
  }
  return crypto.subtle.verify({ name: "Ed25519" }, key, fromBase64(question.signature), fromBase64(question.message));
}
