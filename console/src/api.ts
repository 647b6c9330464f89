// SPDX-License-Identifier: Apache-2.0
// api.ts - asking the server, with the viewer's own token. What goes wrong is a Problem (RFC 9457).
import { fromUtf8, type Bytes } from "./verify/bytes";
import { token } from "./session";
import type { Finding } from "./types";

export interface ProblemBody {
    title?: string;
    status?: number;
    detail?: string;
    code?: string;
    scope?: string;
    instance?: string;
    findings?: Finding[];
}

export class Problem extends Error {
    constructor(
        readonly status: number, // 0: the server could not be reached
        readonly body: ProblemBody,
    ) {
        super(body.detail ?? body.title ?? `the server answered ${status}`);
    }

    get code(): string {
        return this.body.code ?? "";
    }
}

export interface Ask {
    method?: string;
    body?: BodyInit;
    type?: string;
    accept?: string;
    signal?: AbortSignal;
    headers?: Record<string, string>;
}

// Called when the server does not know the caller: the one place that asks to sign in listens.
let refused: () => void = () => undefined;
export function onRefused(listener: () => void): void {
    refused = listener;
}

async function problemOf(response: Response): Promise<Problem> {
    try {
        return new Problem(response.status, (await response.json()) as ProblemBody);
    } catch {
        return new Problem(response.status, {});
    }
}

function unreachable(error: unknown): never {
    if (error instanceof DOMException && error.name === "AbortError") {
        throw error;
    }
    throw new Problem(0, { code: "UNREACHABLE", detail: "the server cannot be reached" });
}

// By how much the clock of the server is ahead of the browser's, as its last answer said to the second.
let ahead_ms = 0;

// The time at the server, which counts and records by its own clock.
export function serverNow(): number {
    return Date.now() + ahead_ms;
}

function readClock(response: Response): void {
    const ms = Date.parse(response.headers.get("Date") ?? "");
    if (!Number.isNaN(ms) && Math.abs(ms - serverNow()) > 2000) {
        ahead_ms = ms - Date.now();
    }
}

export async function ask(path: string, options: Ask = {}): Promise<Response> {
    const headers: Record<string, string> = { ...options.headers, Accept: options.accept ?? "application/json" };
    const mine = token();
    if (mine) {
        headers["Authorization"] = `Bearer ${mine}`;
    }
    if (options.type) {
        headers["Content-Type"] = options.type;
    }
    const response = await fetch(path, {
        method: options.method ?? "GET",
        headers,
        body: options.body ?? null,
        signal: options.signal ?? null,
        credentials: "omit",
        cache: "no-store",
        redirect: "error",
    }).catch(unreachable);
    readClock(response);
    if (response.status === 401) {
        refused();
    }
    if (!response.ok) {
        throw await problemOf(response);
    }
    return response;
}

export async function askJson<T>(path: string, options: Ask = {}): Promise<T> {
    return (await (await ask(path, options)).json()) as T;
}

export async function askText(path: string, options: Ask = {}): Promise<string> {
    return fromUtf8(await askBytes(path, options));
}

export async function askBytes(path: string, options: Ask = {}): Promise<Bytes> {
    return new Uint8Array(await (await ask(path, options)).arrayBuffer());
}

export function post<T>(path: string, body: unknown): Promise<T> {
    return askJson<T>(path, { method: "POST", body: JSON.stringify(body), type: "application/json" });
}

export function query(values: Record<string, string | number | undefined>): string {
    const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== "");
    return given.length
        ? `?${given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&")}`
        : "";
}
