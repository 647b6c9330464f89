// SPDX-License-Identifier: Apache-2.0
// client.ts - a client of `baton serve`. It works where fetch does, needs no WASM, and judges nothing itself.

import { Operations, OPERATIONS, VERSION } from "../generated/operations.js";
import type { Approval, Call, Entries, Inbox, Operation, Submission, SubmitHandoffOptions, UseApprovalOptions, ApprovalAnswer } from "../generated/operations.js";
import { BatonError, Incompatible, Problem, Rejected, Unavailable } from "./errors.js";
import { documentBytes, toJSON } from "./json.js";
import type { Doc } from "./json.js";
import { newKey, webCrypto } from "./platform.js";
import { Outcome, Report } from "./report.js";
import type { Finding } from "./report.js";

export { BatonError, Incompatible, NotJSON, Problem, Rejected, Unavailable } from "./errors.js";
export { Outcome, Report } from "./report.js";
export type { Finding, JudgedDocument } from "./report.js";
export type { Doc } from "./json.js";
export * from "../generated/operations.js";

type Undecided = "none" | "unknown";

export interface ClientOptions {
  /** http: or https:; default http://127.0.0.1:8420 */
  url?: string;
  /** Sent to this server only, over TLS or on this machine. */
  token?: string;
  /** Another fetch than the platform's. */
  fetch?: typeof fetch;
  /** Seconds that a call may take with all its retries; default 30. */
  timeout?: number;
  /** At most so many attempts after the first; default 3. */
  retries?: number;
  /** Allow the token over plain HTTP to another machine. */
  insecure?: boolean;
}

export interface InboxOptions {
  max?: number;
  lease_s?: number;
  wait_s?: number;
}

interface Request {
  operation: Operation;
  path: string;
  headers: Record<string, string>;
  body: Uint8Array | undefined;
  query: Record<string, string>;
}

interface Answer {
  status: number;
  headers: Headers;
  body: Uint8Array;
  isRedirect: boolean;
}

const ENVELOPE = "application/vnd.baton.request+json";
const UNVERSIONED = new Set(["version", "healthz", "readyz", "metrics", "openapi", "problem"]);
const LATER = new Set([408, 429, 500, 502, 503, 504]);
const NOT_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);
const ANSWER_BYTES_MAX = 1 << 30;
const EVENT_CHARS_MAX = 4 << 20;
const STREAM_SILENCE_MS = 60_000;
const EMPTY_PAUSE_MS = 1000;

/** No answer came. `wasSent`: the server may have acted on the request. */
class Lost extends Error {
  constructor(readonly reason: unknown, readonly wasSent: boolean) {
    super(describe(reason));
  }
}

function describe(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  const cause = (reason as { cause?: unknown }).cause;
  return cause instanceof Error ? `${reason.message}: ${cause.message}` : reason.message;
}

function wasSent(reason: unknown): boolean {
  const cause = (reason as { cause?: { code?: unknown; errors?: Array<{ code?: unknown }> } } | null)?.cause;
  const codes = [cause?.code, ...(cause?.errors ?? []).map((error) => error.code)].filter((code) => code !== undefined);
  return !(codes.length > 0 && codes.every((code) => NOT_SENT.has(String(code))));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}

/** The pause after an attempt, the first being 0: about 0.1, 0.4, 1.6 s and so on. */
function backoff(attempt: number): number {
  return Math.min(30_000, 100 * 4 ** Math.min(attempt, 8)) * (0.5 + Math.random());
}

function retryAfter(headers: Headers): number | null {
  const text = (headers.get("retry-after") ?? "").trim();
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1000;
  const when = Date.parse(text);
  return Number.isNaN(when) ? null : Math.max(0, when - Date.now());
}

/** Where a URL leads: scheme, authority and prefix. TypeError: it is not one that a client uses, or the token would be readable on the way. */
function parseTarget(url: string, token: string | undefined, insecure: boolean): string {
  if (typeof url !== "string" || /[\u0000-\u0020\u007f-\u009f]/.test(url)) throw new TypeError("a URL is a text without spaces and control characters");
  if (token !== undefined && !/^[\u0021-\u007e]+$/.test(token)) throw new TypeError("a token is a text of visible ASCII characters");
  if (url.startsWith("unix:")) throw new TypeError("fetch has no Unix sockets; use http: on this machine");
  if (!/^https?:\/\//.test(url)) throw new TypeError("a URL begins with http: or https:");
  if (/[@#?\\]/.test(url)) throw new TypeError("a URL has neither a user nor a query nor a fragment; a token is given as token");
  const parsed = new URL(url);
  const host = parsed.hostname;
  const isLocal = host === "localhost" || host === "[::1]" || /^127\.[0-9]+\.[0-9]+\.[0-9]+$/.test(host);
  if (token !== undefined && parsed.protocol === "http:" && !isLocal && !insecure) {
    throw new TypeError(`the token would go to ${host} unencrypted; use https:, or insecure where the way there is trusted`);
  }
  return parsed.origin + parsed.pathname.replace(/\/+$/, "");
}

function queryText(name: string, value: unknown): string {
  if (typeof value === "string" || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value)) || typeof value === "bigint") return String(value);
  throw new TypeError(`${name} is a text, a number or a boolean`);
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** A document with its options as an envelope, which can also carry an input or an answer. */
function envelope(query: Record<string, unknown>, body: Uint8Array, members: Record<string, unknown>): string {
  const { path, as, ...options } = query;
  const document: Record<string, unknown> = {};
  if (path !== undefined) document["path"] = path;
  if (as !== undefined) document["as"] = as;
  try {
    document["text"] = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    document["base64"] = base64(body);
  }
  return toJSON({ documents: [document], options, ...members });
}

function makeRequest(operation: Operation, call: Call): Request {
  const { key, accept, dialect, ...given } = (call.options ?? {}) as Record<string, unknown>;
  if (dialect !== undefined && operation.body === "document") given["as"] ??= dialect;
  else if (dialect !== undefined) given["dialect"] = dialect;
  const members: Record<string, unknown> = { ...call.members };
  const query: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && value !== null) (operation.members.includes(name) ? members : query)[name] = value;
  }
  const headers: Record<string, string> = { Accept: typeof accept === "string" ? accept : operation.accept };
  const isWrapped = operation.body === "document" && Object.keys(members).length > 0;
  let body: Uint8Array | undefined;
  if (operation.body === "members") body = documentBytes(toJSON(members));
  else if (isWrapped) body = documentBytes(envelope(query, documentBytes(call.body!), members));
  else if (operation.body !== "none") body = documentBytes(call.body!);
  if (body) headers["Content-Type"] = isWrapped ? ENVELOPE : operation.media;
  if (operation.keyed) {
    headers["Idempotency-Key"] = key === undefined ? newKey() : String(key);
    if (!/^[A-Za-z0-9._:-]{1,128}$/.test(headers["Idempotency-Key"])) throw new TypeError("a key has 1 to 128 letters, digits and characters of . _ : -");
  }
  let path = operation.path;
  for (const [name, value] of Object.entries(call.at ?? {})) {
    const text = encodeURIComponent(queryText(name, value));
    path = path.replace(`{${name}}`, () => (operation.id === "tlogTile" ? text.replace(/%2F/g, "/") : text));
  }
  const texts = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, queryText(name, value)]));
  const search = new URLSearchParams(texts).toString();
  return { operation, path: search && !isWrapped ? `${path}?${search}` : path, headers, body, query: texts };
}

function mediaOf(answer: Answer): string {
  return (answer.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
}

function decode(body: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
}

function problemOf(answer: Answer): Record<string, unknown> | null {
  if (!["application/problem+json", "application/json"].includes(mediaOf(answer))) return null;
  try {
    const value = JSON.parse(decode(answer.body)) as unknown;
    return typeof value === "object" && value !== null && typeof (value as { code?: unknown }).code === "string" ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function isFinding(value: unknown): boolean {
  const { code, severity, stage, pointer, message } = (value ?? {}) as Record<string, unknown>;
  return [code, severity, stage, pointer, message].every((member) => typeof member === "string");
}

function isDocument(value: unknown): boolean {
  const { path, dialect, verdict, findings, facts } = (value ?? {}) as Record<string, unknown>;
  return [path, dialect].every((member) => typeof member === "string") && ["accepted", "rejected", "recorded"].includes(verdict as string) && Array.isArray(findings) && findings.every(isFinding)
    && typeof facts === "object" && facts !== null;
}

function isReport(value: unknown): boolean {
  const { documents } = (value ?? {}) as Record<string, unknown>;
  return Array.isArray(documents) && documents.length > 0 && documents.every(isDocument);
}

/** The findings of a problem; those that are not of Baton are left out. */
function findingsOf(problem: Record<string, unknown>): Finding[] {
  const findings = problem["findings"];
  return Array.isArray(findings) ? findings.filter(isFinding) : [];
}

function asProblem(problem: Record<string, unknown>, status: number): Problem {
  return new Problem(String(problem["code"]), status, String(problem["detail"] ?? problem["title"] ?? ""), findingsOf(problem));
}

/** The error for an answer that asks to come again. */
function later(answer: Answer, problem: Record<string, unknown> | null, outcome: Undecided): Unavailable {
  if (!problem) return new Unavailable(`the server answered with ${answer.status}`, outcome);
  const cause = asProblem(problem, answer.status);
  return new Unavailable(cause.message, outcome, { cause });
}

function refusal(request: Request, problem: Record<string, unknown>): Rejected {
  const findings = findingsOf(problem);
  const count = (severity: string): number => findings.filter((finding) => finding.severity === severity).length;
  const document = { path: request.query["path"] ?? "document", dialect: request.query["as"] ?? "", verdict: "rejected", findings, facts: {}, record: problem["record"] };
  const summary = { documents: 1, accepted: 0, rejected: 1, hard: count("HARD"), warn: count("WARN"), info: count("INFO") };
  return new Rejected(new Report(JSON.stringify({ baton: 1, documents: [document], summary })), problem["record"] as Record<string, unknown>);
}

/** Throw what an answer other than a success means. */
function checkStatus(request: Request, answer: Answer): void {
  if (answer.status >= 200 && answer.status < 300 && !answer.isRedirect) return;
  const doubt: Undecided = request.operation.records ? "unknown" : "none";
  if (answer.isRedirect) {
    throw new Unavailable(`the server answered with ${answer.status || "a redirect"}, and a redirect is never followed: give the URL of the server itself`,
      answer.status === 303 || answer.status === 0 ? doubt : "none");
  }
  const problem = problemOf(answer);
  if (problem?.["record"] && request.operation.answer === "submission") throw refusal(request, problem);
  if (problem && !LATER.has(answer.status)) throw asProblem(problem, answer.status);
  const told = problem?.["outcome"];
  throw later(answer, problem, told === "none" || told === "unknown" ? told : answer.status === 408 || answer.status === 429 ? "none" : doubt);
}

/** Accepted is a handoff with a record (201), or a message that was handed to the pump (202). */
function makeSubmission(text: string, status: number, value: Record<string, unknown>): Submission {
  const report = isReport(value) ? new Report(text) : null;
  const record = (report?.documents[0]!.record ?? null) as Submission["record"];
  if (report && !report.accepted) throw new Rejected(report, record as Record<string, unknown> | null);
  if (status === 202 ? report !== null || value["baton"] !== 1 : typeof record !== "object" || record === null) throw new Unavailable("the answer does not say what was recorded", "unknown");
  return { record, receipt: (value["receipt"] ?? null) as Submission["receipt"], delivery: (value["delivery"] ?? null) as Submission["delivery"], report, answer: value };
}

/** What an operation gives back, or the error that its answer means. */
function interpret(request: Request, answer: Answer): unknown {
  checkStatus(request, answer);
  const { answer: kind, records } = request.operation;
  const media = mediaOf(answer);
  const doubt: Undecided = records ? "unknown" : "none";
  if (media !== "application/json" && media !== "application/schema+json") {
    if (["report", "outcome", "submission", "object"].includes(kind)) throw new Unavailable(`the answer is ${media || "of no type"}, not JSON`, doubt);
    return media.startsWith("text/") || media.endsWith("+xml") ? decode(answer.body) : answer.body;
  }
  let text: string;
  let value: unknown;
  try {
    text = decode(answer.body);
    value = JSON.parse(text);
  } catch (cause) {
    throw new Unavailable("the answer is not JSON", doubt, { cause });
  }
  if (kind === "object" && (typeof value !== "object" || value === null || Array.isArray(value))) throw new Unavailable("the answer is not an object", doubt);
  if (kind === "submission") return makeSubmission(text, answer.status, (value ?? {}) as Record<string, unknown>);
  if (kind !== "report" && kind !== "outcome") return value;
  if (!isReport(value)) throw new Unavailable("the answer is not a report", doubt);
  return kind === "outcome" ? new Outcome(text) : new Report(text);
}

/** A server that does not tell this principal its version is taken at its word. */
function checkVersion(request: Request, answer: Answer): void {
  if (answer.status === 403) return;
  if (answer.status !== 200 && (answer.isRedirect || LATER.has(answer.status) || problemOf(answer))) checkStatus(request, answer);
  let version: unknown;
  try {
    const value = JSON.parse(decode(answer.body)) as { baton?: unknown; version?: unknown };
    version = answer.status === 200 && value.baton === 1 ? value.version : undefined;
  } catch {
    version = undefined;
  }
  if (typeof version !== "string") throw new Incompatible("the server does not tell a version of Baton; is this its URL?");
  if (version.split(".")[0] !== VERSION.split(".")[0]) {
    throw new Incompatible(`the server has version ${version}, this client ${VERSION}: the major versions differ`);
  }
}

/** A handoff that was taken from an inbox, under a lease. What is neither acknowledged nor refused is delivered again. */
export class Delivery {
  readonly #finish: (outcome: string) => Promise<string>;

  constructor(
    finish: (outcome: string) => Promise<string>,
    readonly document: Uint8Array, readonly seq: number, readonly ref: string, readonly source: string | null, readonly trace_id: string | null,
    readonly attempt: number, readonly lease_until: string) {
    this.#finish = finish;
  }

  /** Say that it was handled. `ok`, or `lease_lost` when it was delivered to somebody else meanwhile, or `unknown`. */
  ack(): Promise<string> {
    return this.#finish("delivered");
  }

  /** Say that it was not handled; it is delivered again. */
  nack(): Promise<string> {
    return this.#finish("failed");
  }

  /** Run a function, and acknowledge the delivery, or refuse it when the function throws. */
  async handle<T>(work: (delivery: Delivery) => T | Promise<T>): Promise<T> {
    let done: T;
    try {
      done = await work(this);
    } catch (why) {
      await this.nack().catch(() => undefined); // if that fails, the lease runs out
      throw why;
    }
    await this.ack();
    return done;
  }
}

function parseEvent(text: string): Record<string, unknown> {
  try {
    const entry = JSON.parse(text) as unknown;
    if (typeof entry === "object" && entry !== null && !Array.isArray(entry)) return entry as Record<string, unknown>;
  } catch {
    // it is not JSON
  }
  throw new Unavailable("an event of the stream is not an object of JSON");
}

/** The bytes of an answer, of which at most so many are kept. */
async function readBody(response: Response): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let part = await reader?.read(); part && !part.done; part = await reader!.read()) {
    parts.push(part.value as Uint8Array);
    size += (part.value as Uint8Array).length;
    if (size > ANSWER_BYTES_MAX) throw new Error("the answer is longer than 1 GiB");
  }
  const body = new Uint8Array(size);
  let to = 0;
  for (const part of parts) {
    body.set(part, to);
    to += part.length;
  }
  return body;
}

/** Splits the text of an event stream into events. */
class EventReader {
  private rest = "";

  *feed(text: string): Generator<{ name: string; id: string | null; data: string }> {
    this.rest += text;
    const blocks = this.rest.split("\n\n");
    this.rest = blocks.pop()!;
    if (this.rest.length > EVENT_CHARS_MAX) throw new Lost("an event is longer than 4 MiB", false);
    for (const block of blocks) {
      let name = "message";
      let id: string | null = null;
      const data: string[] = [];
      for (const line of block.split("\n")) {
        const colon = line.indexOf(":");
        const field = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (field === "event") name = value;
        if (field === "id") id = value;
        if (field === "data") data.push(value);
      }
      if (data.length > 0) yield { name, id, data: data.join("\n") };
    }
  }
}

/** A client of one server. */
export class BatonClient extends Operations {
  private readonly base: string;
  readonly #token: string | undefined; // not shown by console.log() and JSON.stringify()
  private readonly send_: typeof fetch;
  private readonly timeoutMs: number;
  private readonly retries: number;
  private known: Promise<void> | null = null;

  constructor(options: ClientOptions = {}) {
    super();
    const { url = "http://127.0.0.1:8420", token, timeout = 30, retries = 3, insecure = false } = options;
    this.base = parseTarget(url, token, insecure);
    this.#token = token;
    if (!(timeout > 0 && timeout < 1e6) || !(Number.isInteger(retries) && retries >= 0 && retries <= 100)) {
      throw new TypeError("timeout is a positive number of seconds, retries a number from 0 to 100");
    }
    this.timeoutMs = timeout * 1000;
    this.retries = retries;
    this.send_ = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  private open(request: Request, signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { ...request.headers };
    if (this.#token !== undefined) headers["Authorization"] = `Bearer ${this.#token}`;
    return this.send_(this.base + request.path, {
      method: request.operation.method, headers, body: (request.body ?? null) as BodyInit | null, redirect: "manual", signal, cache: "no-store", credentials: "omit",
    });
  }

  private async attempt(request: Request, deadline: number): Promise<Answer> {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(new Error("no answer in time")), Math.max(0, deadline - Date.now()));
    try {
      const response = await this.open(request, controller.signal);
      const isRedirect = response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400);
      return { status: response.status, headers: response.headers, body: await readBody(response), isRedirect };
    } catch (why) {
      throw new Lost(why, wasSent(why));
    } finally {
      clearTimeout(timer);
      controller.abort();
    }
  }

  /** Send a request until there is an answer that decides, as often as the rules allow. */
  private async exchange(request: Request, deadline: number): Promise<Answer> {
    let inDoubt = false; // an earlier attempt may have been recorded
    for (let attempt = 0; ; attempt++) {
      let wait = backoff(attempt);
      let failure: Unavailable;
      try {
        const answer = await this.attempt(request, deadline);
        if (answer.status !== 429 && answer.status !== 503) return answer;
        const problem = problemOf(answer);
        inDoubt ||= problem?.["outcome"] === "unknown";
        if (problem?.["record"] && !inDoubt && attempt === this.retries) return answer; // judged and refused, and that was recorded
        failure = later(answer, problem, inDoubt ? "unknown" : "none");
        wait = retryAfter(answer.headers) ?? wait;
      } catch (why) {
        if (!(why instanceof Lost)) throw why;
        inDoubt ||= why.wasSent && request.operation.records;
        failure = new Unavailable(`no answer of the server: ${why.message}`, inDoubt ? "unknown" : "none", { cause: why.reason });
      }
      const mayRepeat = request.operation.method === "GET" || request.operation.keyed;
      if (!mayRepeat || attempt === this.retries || Date.now() + wait >= deadline) throw failure;
      await pause(wait);
    }
  }

  /** Ask for the server's version before the first request. */
  private checkServer(deadline: number): Promise<void> {
    this.known ??= (async () => {
      const request = makeRequest(OPERATIONS.version, {});
      checkVersion(request, await this.exchange(request, deadline));
    })().catch((why: unknown) => {
      this.known = null;
      throw why;
    });
    return this.known;
  }

  protected run<T>(operation: Operation, call: Call): Promise<T> {
    return this.runFor(operation, call, 0);
  }

  private async runFor<T>(operation: Operation, call: Call, extraMs: number): Promise<T> {
    const deadline = Date.now() + this.timeoutMs + extraMs;
    const request = makeRequest(operation, call);
    if (!UNVERSIONED.has(operation.id)) await this.checkServer(deadline);
    return interpret(request, await this.exchange(request, deadline)) as T;
  }

  /** The events of one connection; null first, when it is open. Lost: it ended, and can be taken up again. */
  private async *readStream(request: Request): AsyncGenerator<{ name: string; id: string | null; data: string } | null> {
    const controller = new AbortController();
    let timer = setTimeout(() => controller.abort(), this.timeoutMs);
    try {
      const response = await this.open(request, controller.signal);
      const isRedirect = response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400);
      if (response.status === 429 || response.status === 503) throw new Lost(`the server answered with ${response.status}`, false);
      if (response.status !== 200 || isRedirect || !response.body) {
        checkStatus(request, { status: response.status, headers: response.headers, body: await readBody(response), isRedirect });
        throw new Lost("there is no stream", false);
      }
      yield null;
      const reader = response.body.getReader();
      const decoder = new TextDecoder();
      const events = new EventReader();
      for (;;) {
        clearTimeout(timer);
        timer = setTimeout(() => controller.abort(), STREAM_SILENCE_MS);
        const { done, value } = await reader.read();
        if (done) throw new Lost("the stream ended", false);
        yield* events.feed(decoder.decode(value, { stream: true }));
      }
    } catch (why) {
      throw why instanceof BatonError || why instanceof Lost ? why : new Lost(why, false);
    } finally {
      clearTimeout(timer);
      controller.abort();
    }
  }

  protected async *events(operation: Operation, call: Call): AsyncGenerator<Record<string, unknown>> {
    const { after, ...options } = (call.options ?? {}) as Record<string, unknown>;
    yield* this.eventsAfter(operation, { ...call, options }, typeof after === "number" ? after : null);
  }

  private async *eventsAfter(operation: Operation, call: Call, after: number | null): AsyncGenerator<Record<string, unknown>> {
    await this.checkServer(Date.now() + this.timeoutMs);
    let last = after;
    for (let failures = 0; ; ) {
      const request = makeRequest(operation, call);
      if (last !== null) request.headers["Last-Event-ID"] = String(last);
      try {
        for await (const event of this.readStream(request)) {
          failures = 0;
          if (!event || event.name === "lagged") continue;
          const number = event.id !== null && /^[0-9]{1,16}$/.test(event.id) ? Number(event.id) : null;
          if (number !== null && last !== null && number <= last) continue;
          const entry = parseEvent(event.data);
          last = number ?? last;
          yield entry;
        }
      } catch (why) {
        if (!(why instanceof Lost)) throw why;
        if (++failures > this.retries + 1) throw new Unavailable(`the stream cannot be taken up again: ${why.message}`, "none", { cause: why.reason });
        await pause(backoff(failures - 1));
      }
    }
  }

  /** What became of a delivery whose end was told. */
  private async finish(agent: string, message: string, lease: string, outcome: string): Promise<string> {
    const answer = (await this.finishHandoffs(agent, [{ message, lease, outcome }])) as unknown as { items?: Array<{ result?: unknown }> };
    const result = Array.isArray(answer.items) ? answer.items[0]?.result : undefined;
    if (typeof result !== "string") throw new Unavailable("the answer does not say what became of the item", "unknown");
    return result;
  }

  // ---- what is more than one operation ----

  /** Judge, record and deliver a handoff. Rejected: it was refused, which is recorded, too. */
  submit(document: Doc, options: SubmitHandoffOptions = {}): Promise<Submission> {
    return this.submitHandoff(document, options);
  }

  /** Take what is for an agent, for ever. */
  async *inbox(agent: string, options: InboxOptions = {}): AsyncGenerator<Delivery> {
    const { max = 10, lease_s = 60, wait_s = 30 } = options;
    for (;;) {
      const begun = Date.now();
      const taken = await this.runFor<Inbox>(OPERATIONS.takeHandoffs, { at: { agent }, members: { max, lease_s, wait_s } }, wait_s * 1000);
      if (!Array.isArray(taken.items)) throw new Unavailable("the answer has no items");
      for (const item of taken.items) {
        if (Date.now() - begun >= lease_s * 1000) continue; // another one may have it by now
        const document = item.base64 === undefined ? new TextEncoder().encode(item.text ?? "") : fromBase64(item.base64);
        await checkDigest(document, item.sha256 ?? "", item.ref);
        yield new Delivery((outcome) => this.finish(agent, item.message, item.lease, outcome), document, item.seq, item.ref, item.source ?? null, item.trace_id ?? null, item.attempt, item.lease_until);
      }
      if (taken.items.length === 0) await pause(begun + EMPTY_PAUSE_MS - Date.now());
    }
  }

  /** Entries of the ledger as they are committed, from the one after `after`, or from now on. A lost connection is made again, without a gap and
   * without a repeat. */
  async *feed(after?: number | null, filters: Record<string, string> = {}): AsyncGenerator<Entries["entries"][number]> {
    let last = after ?? null;
    if (last === null) {
      const { size } = await this.listHandoffs({ limit: 1 });
      last = size > 0 ? size - 1 : null;
    }
    while (last === null) { // there is no entry to begin after
      const page = await this.listHandoffs({ order: "asc", limit: 500, ...filters });
      for (const entry of page.entries) {
        last = entry.seq;
        yield entry;
      }
      if (last === null && page.size > 0) last = page.size - 1;
      if (last === null) await pause(EMPTY_PAUSE_MS);
    }
    for await (const event of this.eventsAfter(OPERATIONS.streamHandoffs, { options: filters }, last)) {
      yield event as unknown as Entries["entries"][number];
    }
  }

  /** The requests for consent, all or those of one status. */
  async approvals(status?: string): Promise<Approval[]> {
    const answer = await this.listApprovals(status === undefined ? {} : { status });
    return (answer as unknown as { approvals: Approval[] }).approvals;
  }

  /** Use a grant up for exactly this command, given as text or as bytes. Problem: it may not run. */
  override useApproval(options: UseApprovalOptions | string | Uint8Array = {}): Promise<ApprovalAnswer> {
    if (typeof options === "string") return super.useApproval({ command: options });
    return super.useApproval(options instanceof Uint8Array ? { command_base64: base64(options) } : options);
  }
}

/** Compare a document with the digest that was recorded, where the platform can. */
async function checkDigest(document: Uint8Array, sha256: string, ref: string): Promise<void> {
  const subtle = (await webCrypto()).subtle;
  if (!subtle) return; // a page without HTTPS
  const digest = new Uint8Array(await subtle.digest("SHA-256", document as BufferSource));
  if (Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("") !== sha256) {
    throw new Unavailable(`the bytes of ${ref} are not those that were recorded`);
  }
}
