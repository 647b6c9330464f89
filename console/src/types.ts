// SPDX-License-Identifier: Apache-2.0
// types.ts - the shapes of answers, as far as the pages use them.

export type Verdict = "accepted" | "rejected" | "recorded";
export type Severity = "HARD" | "WARN" | "INFO";

export interface Finding {
    code: string;
    severity: Severity;
    stage: string;
    pointer: string;
    line?: number;
    column?: number;
    message: string;
    hint?: string;
    security?: boolean;
    fix?: "safe" | "unsafe";
    params?: Record<string, unknown>;
}

export interface ReportDocument {
    path: string;
    dialect: string;
    verdict: Verdict;
    findings: Finding[];
    facts: Record<string, unknown>;
    outcome?: string;
}

export interface Report {
    documents: ReportDocument[];
    summary: Record<string, number>;
    rejudged?: boolean;
    recorded_codes?: string[];
    prompt?: string | null;
    text?: string;
}

export interface Entry {
    seq: number;
    time: string;
    kind: string;
    dialect: string;
    verdict: Verdict;
    codes: string[];
    actor: string;
    handoff_id?: string;
    trace_id?: string;
    source?: string;
    target?: string;
    withheld?: string[];
    document?: { sha256: string; size: number; kept: boolean };
    refs?: Record<string, string | number>;
}

export interface Item {
    seq: number;
    leaf_hash: string;
    entry: Entry;
}

export interface Listing {
    origin: string;
    size: number;
    entries: Item[];
    next: number | null;
}

// Figures of a range of time; empty buckets are left out.
export interface Stats {
    since: string;
    until: string;
    bucket: number; // seconds
    partial: boolean;
    complete_since: string;
    total: Record<string, number>;
    rejected?: Record<string, number>; // of agents, dialects and edges
    others: number;
    buckets: { at: string; counts: Record<string, number>; rejected?: Record<string, number> }[];
}

export interface Inbox {
    agent: string;
    queue: "inbox" | "webhook";
    waiting: number;
    leased: number;
    dead: number;
    attempts: number;
    oldest: { seq: number; time: string } | null;
}

export interface ShownEntry extends Item {
    origin: string;
    ref: string;
    canonical: string;
    document: { sha256?: string; size?: number; state: "kept" | "not_kept" | "redacted" | "none" };
}

export interface Who {
    principal: string;
    scopes: string[];
    agents: string[];
    anonymous: boolean;
}

export interface Hop {
    seq: number;
    time: string;
    dialect: string;
    source?: string | null;
    target?: string | null;
    verdict: Verdict;
    codes: string[];
    gap_ms?: number | null;
}

export interface Trace {
    trace_id: string;
    started: string;
    ended: string;
    agents: string[];
    hops: Hop[];
}

export interface Grant {
    status: string;
    expires_at: string;
    used: number;
    uses: number;
}

export interface Approval {
    id: string;
    status: string;
    workspace: string;
    session: string;
    agent_id: string;
    fingerprint: string;
    commands?: string[];
    operation?: unknown;
    exact_content?: unknown;
    risk_level?: unknown;
    requested_at: string;
    decided_at: string | null;
    expires_at: string;
    grant: Grant | null;
    payload?: Record<string, unknown>;
    events?: { type: string; at: string; actor: string; code?: string }[];
}

export interface LedgerHead {
    origin: string;
    size: number;
    root: string;
    vkey: string;
    checkpoint: string;
    signatures: { name: string; key_id: string; type: "log" | "witness"; time?: number }[];
}

export interface ConsistencyProof {
    old: number;
    new: number;
    old_root: string;
    new_root: string;
    proof: string[];
    checkpoint: string;
}

export interface Graph {
    nodes: { name: string; kind?: string; agent?: boolean; note?: string }[];
    edges: {
        from: string;
        to: string;
        label?: string;
        count?: number;
        tone?: string;
        width?: number; // of the line
        share?: number; // of it that was rejected, from 0 to 1
        href?: string;
    }[];
}

export interface PumpStatus {
    organism: string;
    state: string;
    uptime_s: number;
    listeners: number;
    threads: number;
    queued: number;
    in_flight: number;
    processed: number;
    dead: number;
    sandbox?: Record<string, unknown>;
}

export interface PumpEvent {
    n: number;
    at?: string;
    code: string;
    severity: Severity;
    listener: string | null;
    message: string;
    params?: Record<string, unknown>;
}

export interface PumpListener {
    name: string;
    tag: string;
    agent: boolean;
    host: string;
    state: string;
    in_flight: number;
    queued: number;
    restarts: number;
}

// A wrapped MCP server: its lock, and what this node counted since it started.
export interface WrappedServer {
    name: string;
    transport: "stdio" | "http";
    serve: boolean;
    pinned: boolean;
    items?: { kind: string; name: string; sha256: string }[]; // what its entry of the lock has
    processes: number;
    open: number;
    hidden: number;
    calls: Record<string, number>;
    unrecorded: number;
    dropped: number;
}

export interface WrapStats {
    servers: {
        server: string;
        calls: number;
        returned: number;
        failed: number;
        refused: number;
        tokens: number;
        cost: number;
        tools: {
            tool: string;
            calls: number;
            failed: number;
            refused: number;
            ms_p50: number | null;
            ms_p95: number | null;
            tokens: number;
        }[];
    }[];
}

export interface ToolCall {
    seq: number;
    time: string;
    server: string | null;
    tool: string | null;
    event: string;
    verdict: Verdict;
    codes: string[];
    ms: number | null;
    tokens: number | null;
    source: string | null;
    session: string | null;
    trace_id: string | null;
    approval: string | null;
}
