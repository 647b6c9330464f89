// SPDX-License-Identifier: Apache-2.0
// operations.ts - made by tools/gen_clients.py from the OpenAPI document of `baton serve`; do not edit.

import type { Doc } from "../src/json.js";
import type { Outcome, Report } from "../src/report.js";

/** One row of the table of operations. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  body: string;
  media: string;
  answer: string;
  accept: string;
  keyed: boolean;
  records: boolean;
  members: string[];
}

/** What one use of an operation is given. */
export interface Call {
  at?: Record<string, unknown>;
  body?: Doc;
  members?: Record<string, unknown>;
  options?: object;
}

/** What became of a handoff that was accepted. */
export interface Submission {
  record: Record_ | null;
  receipt: Receipt | null;
  delivery: Delivery | null;
  report: Report | null;
  answer: Record<string, unknown>;
}

export const VERSION = "0.1.0";

/** Where a decision is recorded. */
export interface Record_ {
  seq: number;
  ref: string;
  time?: string;
  kind?: string;
  verdict?: string;
  document?: Record<string, unknown>;
  leaf_hash: string;
  tree_size?: number;
  root?: string;
}

/** Where an accepted handoff waits. */
export interface Delivery {
  state: "queued" | "none";
  inbox?: string;
  message?: string;
}

/** A proof that an entry is in the log; the text form is C2SP tlog-proof. */
export interface Receipt {
  baton_receipt: 1;
  index?: number;
  entry?: string;
  proof?: Array<string>;
  checkpoint?: string;
}

/** One entry of the ledger and the hash of its leaf. */
export interface Entry {
  seq: number;
  leaf_hash: string;
  entry: Record<string, unknown>;
}

/** One entry, and what became of its document. */
export interface ShownEntry {
  baton: 1;
  origin: string;
  seq: number;
  ref: string;
  leaf_hash: string;
  entry: Record<string, unknown>;
  canonical: string;
  document: { sha256?: string; size?: number; state: "none" | "kept" | "not_kept" | "redacted" };
}

/** Entries of the ledger; `next` is the `after` of the next page. */
export interface Entries {
  baton: 1;
  origin: string;
  size: number;
  root?: string;
  entries: Array<Entry>;
  next?: number | null;
}

/** A request for consent, and what became of it. */
export interface Approval {
  id: string;
  status: "pending" | "approved" | "rejected" | "revoked" | "expired";
  workspace: string;
  session: string;
  agent_id: string;
  fingerprint: string;
  commands: Array<string>;
  operation?: unknown;
  exact_content?: unknown;
  risk_level?: unknown;
  requested_at?: string;
  decided_at?: string | null;
  expires_at?: string;
  grant?: null | { status: string; expires_at?: string; used?: number; uses?: number };
  redacted?: true;
  payload?: Record<string, unknown> | null;
  events?: Array<Record<string, unknown>>;
}

/** A request for consent after an act. */
export interface ApprovalAnswer {
  baton: 1;
  granted?: boolean;
  approval: Approval;
}

/** The handoffs of one piece of work, in the order of the ledger. */
export interface Trace {
  baton: 1;
  trace_id: string;
  started: string;
  ended: string;
  agents: Array<string>;
  hops: Array<{ seq: number; time: string; dialect: string; source?: string | null; target?: string | null; verdict: string; codes: Array<string>; gap_ms?: number | null }>;
}

/** A signed state of the log. */
export interface Checkpoint {
  baton: 1;
  origin: string;
  size: number;
  root: string;
  vkey: string;
  checkpoint: string;
  signatures?: Array<Record<string, unknown>>;
}

/** What was taken from an inbox, under a lease. */
export interface Inbox {
  baton: 1;
  items: Array<{ message: string; lease: string; lease_until: string; attempt: number; seq: number; ref: string; dialect?: string | null; source?: string | null; trace_id?: string | null; traceparent?: string | null; sha256?: string; text?: string; base64?: string; receipt?: Record<string, unknown> }>;
}

/** An object of Baton; the command of the same name prints the same. */
export interface Baton {
  baton: 1;
}

/** Keep the names of the rows while their type is checked. */
function makeTable<T extends Record<string, Operation>>(rows: T): T {
  return rows;
}

export const OPERATIONS = makeTable({
  healthz: { id: "healthz", method: "GET", path: "/healthz", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  readyz: { id: "readyz", method: "GET", path: "/readyz", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  metrics: { id: "metrics", method: "GET", path: "/metrics", body: "none", media: "", answer: "text", accept: "text/plain", keyed: false, records: false, members: [] },
  problem: { id: "problem", method: "GET", path: "/problems/{code}", body: "none", media: "", answer: "text", accept: "text/plain", keyed: false, records: false, members: [] },
  check: { id: "check", method: "POST", path: "/v1/check", body: "document", media: "application/octet-stream", answer: "report", accept: "application/json", keyed: false, records: false, members: ["input"] },
  view: { id: "view", method: "POST", path: "/v1/view", body: "document", media: "application/octet-stream", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  repair: { id: "repair", method: "POST", path: "/v1/repair", body: "document", media: "application/octet-stream", answer: "outcome", accept: "application/json", keyed: false, records: false, members: ["answer"] },
  compress: { id: "compress", method: "POST", path: "/v1/compress", body: "document", media: "application/octet-stream", answer: "outcome", accept: "application/json", keyed: false, records: false, members: [] },
  convert: { id: "convert", method: "POST", path: "/v1/convert", body: "document", media: "application/octet-stream", answer: "outcome", accept: "application/json", keyed: false, records: false, members: [] },
  sealHandoff: { id: "sealHandoff", method: "POST", path: "/v1/seal", body: "document", media: "application/octet-stream", answer: "outcome", accept: "application/json", keyed: false, records: false, members: [] },
  newHandoff: { id: "newHandoff", method: "POST", path: "/v1/new", body: "members", media: "application/json", answer: "outcome", accept: "application/json", keyed: false, records: false, members: ["source", "target", "summary", "session_path", "workflow_id", "phase", "problem_type", "working", "session", "references", "original_prompt", "focus", "gap", "criterion", "category", "invocation", "expected_phase", "confidence", "reason", "approved", "expires_at", "trace_id", "continue", "parent_span", "tag", "no_seal", "style", "budget_tokens", "budget_cost", "spent_tokens", "spent_cost", "options"] },
  retryText: { id: "retryText", method: "POST", path: "/v1/retry-text", body: "members", media: "application/json", answer: "object", accept: "application/json", keyed: false, records: false, members: ["report", "attempt", "limit"] },
  renderReport: { id: "renderReport", method: "POST", path: "/v1/render", body: "members", media: "application/json", answer: "object", accept: "application/json", keyed: false, records: false, members: ["report", "format", "documents"] },
  countTokens: { id: "countTokens", method: "POST", path: "/v1/tokens", body: "bytes", media: "application/octet-stream", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  planAudit: { id: "planAudit", method: "POST", path: "/v1/plan/audit", body: "document", media: "application/octet-stream", answer: "report", accept: "application/json", keyed: false, records: false, members: [] },
  planWaves: { id: "planWaves", method: "POST", path: "/v1/plan/waves", body: "document", media: "application/octet-stream", answer: "report", accept: "application/json", keyed: false, records: false, members: [] },
  planTrajectory: { id: "planTrajectory", method: "POST", path: "/v1/plan/trajectory", body: "members", media: "application/json", answer: "report", accept: "application/json", keyed: false, records: false, members: ["run", "plan", "chains", "returns_to", "root"] },
  planValidate: { id: "planValidate", method: "POST", path: "/v1/plan/validate", body: "members", media: "application/json", answer: "report", accept: "application/json", keyed: false, records: false, members: ["schema", "payload", "root"] },
  schemaValidate: { id: "schemaValidate", method: "POST", path: "/v1/schema/validate", body: "members", media: "application/json", answer: "report", accept: "application/json", keyed: false, records: false, members: ["schema", "instance"] },
  schemaCompat: { id: "schemaCompat", method: "POST", path: "/v1/schema/compat", body: "members", media: "application/json", answer: "report", accept: "application/json", keyed: false, records: false, members: ["old", "new", "mode", "root"] },
  contractCheck: { id: "contractCheck", method: "POST", path: "/v1/contract/check", body: "document", media: "application/octet-stream", answer: "report", accept: "application/json", keyed: false, records: false, members: ["input"] },
  contractRepairPrompt: { id: "contractRepairPrompt", method: "POST", path: "/v1/contract/repair-prompt", body: "document", media: "application/octet-stream", answer: "report", accept: "application/json", keyed: false, records: false, members: ["input"] },
  contractMerge: { id: "contractMerge", method: "POST", path: "/v1/contract/merge", body: "members", media: "application/json", answer: "report", accept: "application/json", keyed: false, records: false, members: ["stored", "payload"] },
  contractTemplate: { id: "contractTemplate", method: "GET", path: "/v1/contract/template", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  verifyReceipt: { id: "verifyReceipt", method: "POST", path: "/v1/ledger/verify-receipt", body: "members", media: "application/json", answer: "report", accept: "application/json", keyed: false, records: false, members: ["receipt", "vkey", "document", "document_base64", "witness_key", "require_witness", "any_verdict"] },
  listRules: { id: "listRules", method: "GET", path: "/v1/rules", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  getRule: { id: "getRule", method: "GET", path: "/v1/rules/{code}", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  listSchemas: { id: "listSchemas", method: "GET", path: "/v1/schemas", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  getSchema: { id: "getSchema", method: "GET", path: "/v1/schemas/{name}", body: "none", media: "", answer: "object", accept: "application/schema+json, application/json", keyed: false, records: false, members: [] },
  whoami: { id: "whoami", method: "GET", path: "/v1/whoami", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  version: { id: "version", method: "GET", path: "/v1/version", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  streamHandoffs: { id: "streamHandoffs", method: "GET", path: "/v1/handoffs/stream", body: "none", media: "", answer: "events", accept: "text/event-stream", keyed: false, records: false, members: [] },
  submitHandoff: { id: "submitHandoff", method: "POST", path: "/v1/handoffs", body: "document", media: "application/octet-stream", answer: "submission", accept: "application/json", keyed: true, records: true, members: ["input"] },
  listHandoffs: { id: "listHandoffs", method: "GET", path: "/v1/handoffs", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  dispatch: { id: "dispatch", method: "POST", path: "/v1/dispatch", body: "json", media: "application/json", answer: "object", accept: "application/json", keyed: true, records: true, members: [] },
  governSubmit: { id: "governSubmit", method: "POST", path: "/v1/govern/submit", body: "document", media: "application/octet-stream", answer: "submission", accept: "application/json", keyed: true, records: true, members: [] },
  governRespond: { id: "governRespond", method: "POST", path: "/v1/govern/respond", body: "document", media: "application/octet-stream", answer: "submission", accept: "application/json", keyed: true, records: true, members: [] },
  getStats: { id: "getStats", method: "GET", path: "/v1/stats", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  getHandoff: { id: "getHandoff", method: "GET", path: "/v1/handoffs/{id}", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  getDocument: { id: "getDocument", method: "GET", path: "/v1/handoffs/{id}/document", body: "none", media: "", answer: "bytes", accept: "application/octet-stream", keyed: false, records: false, members: [] },
  getReport: { id: "getReport", method: "GET", path: "/v1/handoffs/{id}/report", body: "none", media: "", answer: "report", accept: "application/json", keyed: false, records: false, members: [] },
  getRepair: { id: "getRepair", method: "GET", path: "/v1/handoffs/{id}/repair", body: "none", media: "", answer: "report", accept: "application/json", keyed: false, records: false, members: [] },
  getReceipt: { id: "getReceipt", method: "GET", path: "/v1/handoffs/{id}/receipt", body: "none", media: "", answer: "text", accept: "text/plain, application/json, application/cose, application/vnd.dsse.envelope.v1+json", keyed: false, records: false, members: [] },
  listInboxes: { id: "listInboxes", method: "GET", path: "/v1/inboxes", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  retryDelivery: { id: "retryDelivery", method: "POST", path: "/v1/deliveries/{message}/retry", body: "none", media: "", answer: "object", accept: "application/json", keyed: true, records: true, members: [] },
  takeHandoffs: { id: "takeHandoffs", method: "POST", path: "/v1/inbox/{agent}/take", body: "members", media: "application/json", answer: "object", accept: "application/json", keyed: true, records: true, members: ["max", "lease_s", "wait_s", "receipts"] },
  finishHandoffs: { id: "finishHandoffs", method: "POST", path: "/v1/inbox/{agent}/finish", body: "members", media: "application/json", answer: "object", accept: "application/json", keyed: true, records: true, members: ["items"] },
  listBlocked: { id: "listBlocked", method: "GET", path: "/v1/govern/blocked", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  governPath: { id: "governPath", method: "GET", path: "/v1/govern/path", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  verifyRoot: { id: "verifyRoot", method: "GET", path: "/v1/govern/root", body: "none", media: "", answer: "report", accept: "application/json", keyed: false, records: false, members: [] },
  unblock: { id: "unblock", method: "POST", path: "/v1/govern/unblock", body: "members", media: "application/json", answer: "object", accept: "application/json", keyed: true, records: true, members: ["agent", "reason"] },
  contractState: { id: "contractState", method: "GET", path: "/v1/contract/state", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  clearContractState: { id: "clearContractState", method: "DELETE", path: "/v1/contract/state", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: true, members: [] },
  contractResume: { id: "contractResume", method: "POST", path: "/v1/contract/resume", body: "members", media: "application/json", answer: "object", accept: "application/json", keyed: true, records: true, members: ["agent", "workspace", "session"] },
  storeContractInput: { id: "storeContractInput", method: "PUT", path: "/v1/contract/input", body: "json", media: "application/json", answer: "object", accept: "application/json", keyed: false, records: true, members: [] },
  contractSections: { id: "contractSections", method: "GET", path: "/v1/contract/sections", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  listApprovals: { id: "listApprovals", method: "GET", path: "/v1/approvals", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  useApproval: { id: "useApproval", method: "POST", path: "/v1/approvals/use", body: "members", media: "application/json", answer: "object", accept: "application/json", keyed: true, records: true, members: ["command", "command_base64", "id", "agent", "workspace"] },
  getApproval: { id: "getApproval", method: "GET", path: "/v1/approvals/{id}", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  showApproval: { id: "showApproval", method: "POST", path: "/v1/approvals/{id}/show", body: "members", media: "application/json", answer: "object", accept: "application/json", keyed: true, records: true, members: [] },
  grantApproval: { id: "grantApproval", method: "POST", path: "/v1/approvals/{id}/grant", body: "members", media: "application/json", answer: "object", accept: "application/json", keyed: true, records: true, members: ["fingerprint", "ttl"] },
  denyApproval: { id: "denyApproval", method: "POST", path: "/v1/approvals/{id}/deny", body: "members", media: "application/json", answer: "object", accept: "application/json", keyed: true, records: true, members: ["reason"] },
  revokeApproval: { id: "revokeApproval", method: "POST", path: "/v1/approvals/{id}/revoke", body: "members", media: "application/json", answer: "object", accept: "application/json", keyed: true, records: true, members: ["reason"] },
  listTraces: { id: "listTraces", method: "GET", path: "/v1/traces", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  getTrace: { id: "getTrace", method: "GET", path: "/v1/traces/{trace_id}", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  getTraceGraph: { id: "getTraceGraph", method: "GET", path: "/v1/traces/{trace_id}/graph", body: "none", media: "", answer: "bytes", accept: "application/json, text/plain, text/vnd.graphviz, image/svg+xml", keyed: false, records: false, members: [] },
  getLedger: { id: "getLedger", method: "GET", path: "/v1/ledger", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  proveConsistency: { id: "proveConsistency", method: "GET", path: "/v1/ledger/proof/consistency", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  proveInclusion: { id: "proveInclusion", method: "GET", path: "/v1/ledger/proof/inclusion", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  listEntries: { id: "listEntries", method: "GET", path: "/v1/ledger/entries", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  getEntry: { id: "getEntry", method: "GET", path: "/v1/ledger/entries/{seq}", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  listPeers: { id: "listPeers", method: "GET", path: "/v1/ledger/peers", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  ledgerKeys: { id: "ledgerKeys", method: "GET", path: "/v1/ledger/keys", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  auditLedger: { id: "auditLedger", method: "GET", path: "/v1/ledger/audit", body: "none", media: "", answer: "report", accept: "application/json", keyed: false, records: false, members: [] },
  listHolds: { id: "listHolds", method: "GET", path: "/v1/ledger/holds", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  setHold: { id: "setHold", method: "POST", path: "/v1/ledger/holds", body: "members", media: "application/json", answer: "object", accept: "application/json", keyed: true, records: true, members: ["reason", "trace", "handoff", "document"] },
  releaseHold: { id: "releaseHold", method: "POST", path: "/v1/ledger/holds/release", body: "members", media: "application/json", answer: "object", accept: "application/json", keyed: true, records: true, members: ["reason", "trace", "handoff", "document"] },
  addCosignatures: { id: "addCosignatures", method: "POST", path: "/v1/ledger/cosignatures", body: "bytes", media: "application/octet-stream", answer: "object", accept: "application/json", keyed: true, records: true, members: [] },
  makeBundle: { id: "makeBundle", method: "POST", path: "/v1/ledger/bundle", body: "members", media: "application/json", answer: "object", accept: "application/json, text/html", keyed: false, records: true, members: ["from", "to", "handoff", "trace", "agent", "no_documents", "max_document", "title"] },
  redactDocument: { id: "redactDocument", method: "POST", path: "/v1/ledger/redact", body: "members", media: "application/json", answer: "object", accept: "application/json", keyed: true, records: true, members: ["reason", "seq", "sha256"] },
  tlogCheckpoint: { id: "tlogCheckpoint", method: "GET", path: "/ledger/checkpoint", body: "none", media: "", answer: "text", accept: "text/plain", keyed: false, records: false, members: [] },
  tlogTile: { id: "tlogTile", method: "GET", path: "/ledger/tile/{path}", body: "none", media: "", answer: "bytes", accept: "application/octet-stream", keyed: false, records: false, members: [] },
  scittRegister: { id: "scittRegister", method: "POST", path: "/entries", body: "bytes", media: "application/cose", answer: "bytes", accept: "application/cose", keyed: true, records: true, members: [] },
  scittReceipt: { id: "scittReceipt", method: "GET", path: "/entries/{seq}", body: "none", media: "", answer: "bytes", accept: "application/cose", keyed: false, records: false, members: [] },
  scittKey: { id: "scittKey", method: "GET", path: "/.well-known/scitt-keys/{kid}", body: "none", media: "", answer: "bytes", accept: "application/cbor", keyed: false, records: false, members: [] },
  scittKeys: { id: "scittKeys", method: "GET", path: "/.well-known/scitt-keys", body: "none", media: "", answer: "bytes", accept: "application/cbor", keyed: false, records: false, members: [] },
  witnessAddCheckpoint: { id: "witnessAddCheckpoint", method: "POST", path: "/witness/add-checkpoint", body: "bytes", media: "application/octet-stream", answer: "object", accept: "application/json", keyed: false, records: true, members: [] },
  witnessCheckpoint: { id: "witnessCheckpoint", method: "GET", path: "/witness/{origin_hash}/checkpoint", body: "none", media: "", answer: "text", accept: "text/plain", keyed: false, records: false, members: [] },
  hook: { id: "hook", method: "POST", path: "/v1/hooks/{host}", body: "json", media: "application/json", answer: "object", accept: "application/json", keyed: false, records: true, members: [] },
  adminConfig: { id: "adminConfig", method: "GET", path: "/v1/admin/config", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  adminReload: { id: "adminReload", method: "POST", path: "/v1/admin/reload", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: true, members: [] },
  newLog: { id: "newLog", method: "POST", path: "/v1/admin/logs", body: "members", media: "application/json", answer: "object", accept: "application/json", keyed: false, records: true, members: ["name", "origin", "entries"] },
  listLogs: { id: "listLogs", method: "GET", path: "/v1/admin/logs", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  pumpSend: { id: "pumpSend", method: "POST", path: "/v1/pump/send", body: "bytes", media: "application/octet-stream", answer: "object", accept: "application/json", keyed: true, records: true, members: [] },
  pumpReplies: { id: "pumpReplies", method: "GET", path: "/v1/pump/threads/{thread}/replies", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  pumpStatus: { id: "pumpStatus", method: "GET", path: "/v1/pump/status", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  pumpListeners: { id: "pumpListeners", method: "GET", path: "/v1/pump/listeners", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  pumpGraph: { id: "pumpGraph", method: "GET", path: "/v1/pump/graph", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  pumpThread: { id: "pumpThread", method: "GET", path: "/v1/pump/threads/{thread}", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  pumpEvents: { id: "pumpEvents", method: "GET", path: "/v1/pump/events", body: "none", media: "", answer: "events", accept: "text/event-stream", keyed: false, records: false, members: [] },
  listWrapped: { id: "listWrapped", method: "GET", path: "/v1/wrap/servers", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  wrapDiff: { id: "wrapDiff", method: "GET", path: "/v1/wrap/servers/{name}/diff", body: "none", media: "", answer: "report", accept: "application/json", keyed: false, records: false, members: [] },
  wrapStats: { id: "wrapStats", method: "GET", path: "/v1/wrap/stats", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  listCalls: { id: "listCalls", method: "GET", path: "/v1/wrap/calls", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  getCall: { id: "getCall", method: "GET", path: "/v1/wrap/calls/{seq}", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
  openapi: { id: "openapi", method: "GET", path: "/openapi.json", body: "none", media: "", answer: "object", accept: "application/json", keyed: false, records: false, members: [] },
});

export interface CheckOptions {
  as?: string;
  path?: string;
  fail_level?: string;
  fail_fast?: boolean;
  root?: string;
  today?: string;
  now?: string;
  tokens?: string;
  budget?: number;
  section_limit?: string;
  semantics?: string;
  chain?: string;
  strict_expiry?: boolean;
  edges?: string;
  direction?: string;
  bare?: boolean;
  runtime_agent_id?: string;
  structure_only?: boolean;
  input?: unknown;
  [name: string]: unknown;
}

export interface ViewOptions {
  as?: string;
  path?: string;
  fail_level?: string;
  fail_fast?: boolean;
  root?: string;
  today?: string;
  now?: string;
  tokens?: string;
  budget?: number;
  section_limit?: string;
  semantics?: string;
  chain?: string;
  strict_expiry?: boolean;
  [name: string]: unknown;
}

export interface RepairOptions {
  as?: string;
  path?: string;
  root?: string;
  today?: string;
  now?: string;
  tokens?: string;
  budget?: number;
  section_limit?: string;
  semantics?: string;
  chain?: string;
  strict_expiry?: boolean;
  attempt?: number;
  literal?: boolean;
  emit_prompt?: boolean;
  prompt?: string;
  edges?: string;
  bare?: boolean;
  runtime_agent_id?: string;
  max_rejections?: number;
  answer?: unknown;
  [name: string]: unknown;
}

export interface CompressOptions {
  as?: string;
  path?: string;
  root?: string;
  today?: string;
  now?: string;
  tokens?: string;
  budget?: number;
  section_limit?: string;
  semantics?: string;
  chain?: string;
  strict_expiry?: boolean;
  literal?: boolean;
  [name: string]: unknown;
}

export interface ConvertOptions {
  as?: string;
  path?: string;
  root?: string;
  today?: string;
  now?: string;
  tokens?: string;
  budget?: number;
  section_limit?: string;
  semantics?: string;
  chain?: string;
  strict_expiry?: boolean;
  to?: string;
  from?: string;
  step?: string;
  [name: string]: unknown;
}

export interface SealHandoffOptions {
  as?: string;
  path?: string;
  root?: string;
  today?: string;
  now?: string;
  tokens?: string;
  budget?: number;
  section_limit?: string;
  semantics?: string;
  chain?: string;
  strict_expiry?: boolean;
  reseal?: boolean;
  [name: string]: unknown;
}

export interface NewHandoffOptions {
  session_path?: string;
  workflow_id?: string;
  phase?: string;
  problem_type?: string;
  working?: unknown;
  session?: unknown;
  references?: unknown;
  original_prompt?: string;
  focus?: string[];
  gap?: string[];
  criterion?: string[];
  category?: string;
  invocation?: string;
  expected_phase?: string;
  confidence?: string;
  reason?: string;
  approved?: boolean;
  expires_at?: string;
  trace_id?: string;
  continue?: unknown;
  parent_span?: string;
  tag?: unknown;
  no_seal?: boolean;
  style?: string;
  budget_tokens?: number;
  budget_cost?: string;
  spent_tokens?: number;
  spent_cost?: string;
  options?: unknown;
}

export interface RetryTextOptions {
  attempt?: number;
  limit?: number;
}

export interface RenderReportOptions {
  documents?: unknown;
}

export interface CountTokensOptions {
  tokens?: string;
  encoding?: string;
}

export interface PlanAuditOptions {
  as?: string;
  path?: string;
  fail_level?: string;
  fail_fast?: boolean;
  root?: string;
  today?: string;
  now?: string;
  tokens?: string;
  budget?: number;
  section_limit?: string;
  semantics?: string;
  chain?: string;
  strict_expiry?: boolean;
  edges?: string;
  [name: string]: unknown;
}

export interface PlanWavesOptions {
  path?: string;
  remaining?: boolean;
  [name: string]: unknown;
}

export interface PlanTrajectoryOptions {
  plan?: string;
  chains?: string[];
  returns_to?: string;
  root?: string;
}

export interface PlanValidateOptions {
  root?: string;
}

export interface SchemaCompatOptions {
  mode?: string;
  root?: string;
}

export interface ContractCheckOptions {
  path?: string;
  fail_level?: string;
  root?: string;
  today?: string;
  now?: string;
  direction?: string;
  bare?: boolean;
  runtime_agent_id?: string;
  input?: unknown;
  [name: string]: unknown;
}

export interface ContractRepairPromptOptions {
  path?: string;
  root?: string;
  today?: string;
  now?: string;
  attempt?: number;
  bare?: boolean;
  runtime_agent_id?: string;
  max_rejections?: number;
  input?: unknown;
  [name: string]: unknown;
}

export interface ContractTemplateOptions {
  status?: string;
  agent_id?: string;
  consolidation_required?: boolean;
  guide?: boolean;
}

export interface VerifyReceiptOptions {
  document?: string;
  document_base64?: string;
  witness_key?: string[];
  require_witness?: number;
  any_verdict?: boolean;
}

export interface GetSchemaOptions {
  accept?: string;
}

export interface StreamHandoffsOptions {
  dialect?: string;
  verdict?: string;
  kind?: string;
  handoff_id?: string;
  trace_id?: string;
  source?: string;
  target?: string;
  agent?: string;
  code?: string;
  event?: string;
  since?: string;
  until?: string;
  after?: number;
}

export interface SubmitHandoffOptions {
  as?: string;
  path?: string;
  fail_level?: string;
  fail_fast?: boolean;
  root?: string;
  tokens?: string;
  budget?: number;
  section_limit?: string;
  semantics?: string;
  chain?: string;
  strict_expiry?: boolean;
  edges?: string;
  runtime_agent_id?: string;
  max_rejections?: number;
  id?: string;
  workspace?: string;
  session?: string;
  withhold?: string;
  document?: string;
  structure_only?: boolean;
  input?: unknown;
  key?: string;
  [name: string]: unknown;
}

export interface ListHandoffsOptions {
  dialect?: string;
  verdict?: string;
  kind?: string;
  handoff_id?: string;
  trace_id?: string;
  source?: string;
  target?: string;
  agent?: string;
  code?: string;
  event?: string;
  since?: string;
  until?: string;
  after?: number;
  order?: string;
  limit?: number;
}

export interface DispatchOptions {
  key?: string;
}

export interface GovernSubmitOptions {
  path?: string;
  root?: string;
  withhold?: string;
  document?: string;
  structure_only?: boolean;
  key?: string;
  [name: string]: unknown;
}

export interface GovernRespondOptions {
  path?: string;
  root?: string;
  withhold?: string;
  document?: string;
  structure_only?: boolean;
  key?: string;
  [name: string]: unknown;
}

export interface GetStatsOptions {
  since?: string;
  until?: string;
  bucket?: number;
  by?: string;
}

export interface GetReceiptOptions {
  format?: string;
  predicate?: string;
  accept?: string;
}

export interface RetryDeliveryOptions {
  key?: string;
}

export interface TakeHandoffsOptions {
  max?: number;
  lease_s?: number;
  wait_s?: number;
  receipts?: boolean;
  key?: string;
}

export interface FinishHandoffsOptions {
  key?: string;
}

export interface GovernPathOptions {
  from?: string;
  to?: string;
}

export interface UnblockOptions {
  key?: string;
}

export interface ContractStateOptions {
  workspace?: string;
  session?: string;
  agent?: string;
}

export interface ClearContractStateOptions {
  workspace?: string;
  session?: string;
  agent?: string;
}

export interface ContractResumeOptions {
  agent?: string;
  workspace?: string;
  session?: string;
  key?: string;
}

export interface StoreContractInputOptions {
  workspace?: string;
  session?: string;
  agent?: string;
  agent_type?: string;
}

export interface ContractSectionsOptions {
  workspace?: string;
  name?: string;
  history?: boolean;
}

export interface ListApprovalsOptions {
  status?: string;
}

export interface UseApprovalOptions {
  command?: string;
  command_base64?: string;
  id?: string;
  agent?: string;
  workspace?: string;
  key?: string;
}

export interface ShowApprovalOptions {
  key?: string;
}

export interface GrantApprovalOptions {
  ttl?: string;
  key?: string;
}

export interface DenyApprovalOptions {
  reason?: string;
  key?: string;
}

export interface RevokeApprovalOptions {
  reason?: string;
  key?: string;
}

export interface ListTracesOptions {
  limit?: number;
}

export interface GetTraceGraphOptions {
  format?: string;
  accept?: string;
}

export interface ProveConsistencyOptions {
  old?: number;
  size?: number;
}

export interface ProveInclusionOptions {
  seq?: number;
  size?: number;
}

export interface ListEntriesOptions {
  from?: string;
  limit?: number;
  kind?: string;
  verdict?: string;
}

export interface AuditLedgerOptions {
  from?: string;
  to?: string;
  max_silence?: string;
  max_open?: string;
}

export interface SetHoldOptions {
  trace?: string;
  handoff?: string;
  document?: string;
  key?: string;
}

export interface ReleaseHoldOptions {
  trace?: string;
  handoff?: string;
  document?: string;
  key?: string;
}

export interface AddCosignaturesOptions {
  witness_key?: string;
  key?: string;
}

export interface MakeBundleOptions {
  from?: unknown;
  to?: unknown;
  handoff?: string;
  trace?: string;
  agent?: string;
  no_documents?: boolean;
  max_document?: number;
  title?: string;
  accept?: string;
}

export interface RedactDocumentOptions {
  seq?: number;
  sha256?: string;
  key?: string;
}

export interface ScittRegisterOptions {
  key?: string;
}

export interface HookOptions {
  observe?: boolean;
  fail_closed?: boolean;
  agents?: string;
  workspace?: string;
}

export interface NewLogOptions {
  entries?: number;
}

export interface PumpSendOptions {
  key?: string;
}

export interface PumpGraphOptions {
  format?: string;
}

export interface PumpThreadOptions {
  client?: string;
  limit?: number;
  offset?: string;
  payloads?: string;
}

export interface PumpEventsOptions {
  after?: number;
}

export interface WrapStatsOptions {
  server?: string;
  since?: string;
  until?: string;
}

export interface ListCallsOptions {
  server?: string;
  tool?: string;
  event?: string;
  session?: string;
  since?: string;
  until?: string;
  after?: string;
  limit?: number;
}

/** One method for each operation of the server. */
export abstract class Operations {
  protected abstract run<T>(operation: Operation, call: Call): Promise<T>;
  protected abstract events(operation: Operation, call: Call): AsyncGenerator<Record<string, unknown>>;

  /** Whether the server is alive. GET /healthz; scope: none. */
  healthz(): Promise<Record<string, unknown>> {
    return this.run(OPERATIONS.healthz, {});
  }

  /** Whether the server can do its work. GET /readyz; scope: none. */
  readyz(): Promise<Record<string, unknown>> {
    return this.run(OPERATIONS.readyz, {});
  }

  /** Figures to watch, in the text form of Prometheus. GET /metrics; scope: operate. */
  metrics(): Promise<string> {
    return this.run(OPERATIONS.metrics, {});
  }

  /** What a problem means and what to do. GET /problems/{code}; scope: none. */
  problem(code: string): Promise<string> {
    return this.run(OPERATIONS.problem, { at: { code: code } });
  }

  /** Judge documents. POST /v1/check; scope: check. */
  check(document: Doc, options: CheckOptions = {}): Promise<Report> {
    return this.run(OPERATIONS.check, { body: document, options });
  }

  /** Show a universal handoff as its receiver should read it. POST /v1/view; scope: check. */
  view(document: Doc, options: ViewOptions = {}): Promise<Record<string, unknown>> {
    return this.run(OPERATIONS.view, { body: document, options });
  }

  /** Repair a document. POST /v1/repair; scope: check. */
  repair(document: Doc, options: RepairOptions = {}): Promise<Outcome> {
    return this.run(OPERATIONS.repair, { body: document, options });
  }

  /** Shorten a universal handoff to its budget. POST /v1/compress; scope: check. */
  compress(document: Doc, options: CompressOptions = {}): Promise<Outcome> {
    return this.run(OPERATIONS.compress, { body: document, options });
  }

  /** Convert a document to a universal handoff. POST /v1/convert; scope: check. */
  convert(document: Doc, options: ConvertOptions = {}): Promise<Outcome> {
    return this.run(OPERATIONS.convert, { body: document, options });
  }

  /** Set hash, size and token count of a universal handoff. POST /v1/seal; scope: check. */
  sealHandoff(document: Doc, options: SealHandoffOptions = {}): Promise<Outcome> {
    return this.run(OPERATIONS.sealHandoff, { body: document, options });
  }

  /** Make a universal handoff from its parts. POST /v1/new; scope: check. */
  newHandoff(source: string, target: string, summary: string, options: NewHandoffOptions = {}): Promise<Outcome> {
    return this.run(OPERATIONS.newHandoff, { members: { source: source, target: target, summary: summary }, options });
  }

  /** Write what a model must correct. POST /v1/retry-text; scope: check. */
  retryText(report: unknown, options: RetryTextOptions = {}): Promise<Record<string, unknown>> {
    return this.run(OPERATIONS.retryText, { members: { report: report }, options });
  }

  /** Render a report in another format. POST /v1/render; scope: check. */
  renderReport(report: unknown, format: string, options: RenderReportOptions = {}): Promise<Record<string, unknown>> {
    return this.run(OPERATIONS.renderReport, { members: { report: report, format: format }, options });
  }

  /** Count the tokens of a text. POST /v1/tokens; scope: check. */
  countTokens(body: Doc, options: CountTokensOptions = {}): Promise<Baton> {
    return this.run(OPERATIONS.countTokens, { body, options });
  }

  /** Compare what each step gives with what the next one takes. POST /v1/plan/audit; scope: check. */
  planAudit(document: Doc, options: PlanAuditOptions = {}): Promise<Report> {
    return this.run(OPERATIONS.planAudit, { body: document, options });
  }

  /** Find which steps can run at the same time. POST /v1/plan/waves; scope: check. */
  planWaves(document: Doc, options: PlanWavesOptions = {}): Promise<Report> {
    return this.run(OPERATIONS.planWaves, { body: document, options });
  }

  /** Compare a recorded run with what was planned. POST /v1/plan/trajectory; scope: check. */
  planTrajectory(run: unknown, options: PlanTrajectoryOptions = {}): Promise<Report> {
    return this.run(OPERATIONS.planTrajectory, { members: { run: run }, options });
  }

  /** Judge a payload by its payload schema. POST /v1/plan/validate; scope: check. */
  planValidate(schema: unknown, payload: unknown, options: PlanValidateOptions = {}): Promise<Report> {
    return this.run(OPERATIONS.planValidate, { members: { schema: schema, payload: payload }, options });
  }

  /** Judge a document by a JSON Schema. POST /v1/schema/validate; scope: check. */
  schemaValidate(schema: unknown, instance: unknown): Promise<Report> {
    return this.run(OPERATIONS.schemaValidate, { members: { schema: schema, instance: instance } });
  }

  /** Compare two versions of a payload schema. POST /v1/schema/compat; scope: check. */
  schemaCompat(old: unknown, new_: unknown, options: SchemaCompatOptions = {}): Promise<Report> {
    return this.run(OPERATIONS.schemaCompat, { members: { old: old, new: new_ }, options });
  }

  /** Judge the contract block of a message. POST /v1/contract/check; scope: check. */
  contractCheck(document: Doc, options: ContractCheckOptions = {}): Promise<Report> {
    return this.run(OPERATIONS.contractCheck, { body: document, options });
  }

  /** Say what an agent must change about its contract block. POST /v1/contract/repair-prompt; scope: check. */
  contractRepairPrompt(document: Doc, options: ContractRepairPromptOptions = {}): Promise<Report> {
    return this.run(OPERATIONS.contractRepairPrompt, { body: document, options });
  }

  /** Merge the payload of an update into a section. POST /v1/contract/merge; scope: check. */
  contractMerge(stored: unknown, payload: unknown): Promise<Report> {
    return this.run(OPERATIONS.contractMerge, { members: { stored: stored, payload: payload } });
  }

  /** Make a block to be filled in. GET /v1/contract/template; scope: check. */
  contractTemplate(options: ContractTemplateOptions = {}): Promise<Baton> {
    return this.run(OPERATIONS.contractTemplate, { options });
  }

  /** Verify a receipt. POST /v1/ledger/verify-receipt; scope: check. */
  verifyReceipt(receipt: unknown, vkey: string[], options: VerifyReceiptOptions = {}): Promise<Report> {
    return this.run(OPERATIONS.verifyReceipt, { members: { receipt: receipt, vkey: vkey }, options });
  }

  /** List the rules. GET /v1/rules; scope: check. */
  listRules(): Promise<Baton> {
    return this.run(OPERATIONS.listRules, {});
  }

  /** Show what a code means. GET /v1/rules/{code}; scope: check. */
  getRule(code: string): Promise<Baton> {
    return this.run(OPERATIONS.getRule, { at: { code: code } });
  }

  /** List the schemas of what Baton reads. GET /v1/schemas; scope: check. */
  listSchemas(): Promise<Baton> {
    return this.run(OPERATIONS.listSchemas, {});
  }

  /** Get a schema. GET /v1/schemas/{name}; scope: check. */
  getSchema(name: string, options: GetSchemaOptions = {}): Promise<Record<string, unknown>> {
    return this.run(OPERATIONS.getSchema, { at: { name: name }, options });
  }

  /** Tell who the caller is, and what it may do. GET /v1/whoami; scope: check. */
  whoami(): Promise<Baton> {
    return this.run(OPERATIONS.whoami, {});
  }

  /** Tell the version of the server. GET /v1/version; scope: check. */
  version(): Promise<Baton> {
    return this.run(OPERATIONS.version, {});
  }

  /** Follow entries of the ledger as they are committed. GET /v1/handoffs/stream; scope: submit. */
  streamHandoffs(options: StreamHandoffsOptions = {}): AsyncGenerator<Record<string, unknown>> {
    return this.events(OPERATIONS.streamHandoffs, { options });
  }

  /** Judge, record and deliver a handoff. POST /v1/handoffs; scope: submit. */
  submitHandoff(document: Doc, options: SubmitHandoffOptions = {}): Promise<Submission> {
    return this.run(OPERATIONS.submitHandoff, { body: document, options });
  }

  /** List entries of the ledger, newest first. GET /v1/handoffs; scope: submit. */
  listHandoffs(options: ListHandoffsOptions = {}): Promise<Entries> {
    return this.run(OPERATIONS.listHandoffs, { options });
  }

  /** Dispatch a governed handoff. POST /v1/dispatch; scope: submit. */
  dispatch(body: Doc, options: DispatchOptions = {}): Promise<Record<string, unknown>> {
    return this.run(OPERATIONS.dispatch, { body, options });
  }

  /** Submit a governed handoff. POST /v1/govern/submit; scope: submit. */
  governSubmit(document: Doc, options: GovernSubmitOptions = {}): Promise<Submission> {
    return this.run(OPERATIONS.governSubmit, { body: document, options });
  }

  /** Submit the response to a governed handoff. POST /v1/govern/respond; scope: submit. */
  governRespond(document: Doc, options: GovernRespondOptions = {}): Promise<Submission> {
    return this.run(OPERATIONS.governRespond, { body: document, options });
  }

  /** Count entries of the ledger in buckets of time. GET /v1/stats; scope: submit. */
  getStats(options: GetStatsOptions = {}): Promise<Record<string, unknown>> {
    return this.run(OPERATIONS.getStats, { options });
  }

  /** Show one handoff. GET /v1/handoffs/{id}; scope: submit. */
  getHandoff(id: string): Promise<ShownEntry> {
    return this.run(OPERATIONS.getHandoff, { at: { id: id } });
  }

  /** Get the document of a handoff as it came. GET /v1/handoffs/{id}/document; scope: submit. */
  getDocument(id: string): Promise<Uint8Array> {
    return this.run(OPERATIONS.getDocument, { at: { id: id } });
  }

  /** Judge the document of a handoff again. GET /v1/handoffs/{id}/report; scope: submit. */
  getReport(id: string): Promise<Report> {
    return this.run(OPERATIONS.getReport, { at: { id: id } });
  }

  /** Show what repair would make of the document of a handoff. GET /v1/handoffs/{id}/repair; scope: submit. */
  getRepair(id: string): Promise<Report> {
    return this.run(OPERATIONS.getRepair, { at: { id: id } });
  }

  /** Get the receipt of a handoff. GET /v1/handoffs/{id}/receipt; scope: submit. */
  getReceipt(id: string, options: GetReceiptOptions = {}): Promise<string> {
    return this.run(OPERATIONS.getReceipt, { at: { id: id }, options });
  }

  /** List what waits in the inboxes of all agents. GET /v1/inboxes; scope: operate. */
  listInboxes(): Promise<Record<string, unknown>> {
    return this.run(OPERATIONS.listInboxes, {});
  }

  /** Deliver an item again that was given up. POST /v1/deliveries/{message}/retry; scope: operate. */
  retryDelivery(message: string, options: RetryDeliveryOptions = {}): Promise<Baton> {
    return this.run(OPERATIONS.retryDelivery, { at: { message: message }, options });
  }

  /** Take what waits for an agent, under a lease. POST /v1/inbox/{agent}/take; scope: submit. */
  takeHandoffs(agent: string, options: TakeHandoffsOptions = {}): Promise<Inbox> {
    return this.run(OPERATIONS.takeHandoffs, { at: { agent: agent }, options });
  }

  /** Say how deliveries ended. POST /v1/inbox/{agent}/finish; scope: submit. */
  finishHandoffs(agent: string, items: unknown, options: FinishHandoffsOptions = {}): Promise<Baton> {
    return this.run(OPERATIONS.finishHandoffs, { at: { agent: agent }, members: { items: items }, options });
  }

  /** List the agents that are blocked. GET /v1/govern/blocked; scope: operate. */
  listBlocked(): Promise<Baton> {
    return this.run(OPERATIONS.listBlocked, {});
  }

  /** Find the shortest allowed way from one agent to another. GET /v1/govern/path; scope: operate. */
  governPath(options: GovernPathOptions = {}): Promise<Baton> {
    return this.run(OPERATIONS.governPath, { options });
  }

  /** Judge the whole catalogue of agents. GET /v1/govern/root; scope: operate. */
  verifyRoot(): Promise<Report> {
    return this.run(OPERATIONS.verifyRoot, {});
  }

  /** Lift the block of an agent, with a reason. POST /v1/govern/unblock; scope: operate. */
  unblock(agent: string, reason: string, options: UnblockOptions = {}): Promise<Baton> {
    return this.run(OPERATIONS.unblock, { members: { agent: agent, reason: reason }, options });
  }

  /** Show what agents reported last. GET /v1/contract/state; scope: submit. */
  contractState(options: ContractStateOptions = {}): Promise<Baton> {
    return this.run(OPERATIONS.contractState, { options });
  }

  /** Forget what an agent reported. DELETE /v1/contract/state; scope: operate. */
  clearContractState(options: ClearContractStateOptions = {}): Promise<Baton> {
    return this.run(OPERATIONS.clearContractState, { options });
  }

  /** Let an agent go on after an answer or a new task. POST /v1/contract/resume; scope: operate. */
  contractResume(options: ContractResumeOptions = {}): Promise<Baton> {
    return this.run(OPERATIONS.contractResume, { options });
  }

  /** Keep an INPUT for an agent or a type of agents. PUT /v1/contract/input; scope: operate. */
  storeContractInput(body: Doc, options: StoreContractInputOptions = {}): Promise<Baton> {
    return this.run(OPERATIONS.storeContractInput, { body, options });
  }

  /** Show the sections that reports have updated. GET /v1/contract/sections; scope: submit. */
  contractSections(options: ContractSectionsOptions = {}): Promise<Baton> {
    return this.run(OPERATIONS.contractSections, { options });
  }

  /** List requests for consent. GET /v1/approvals; scope: approve. */
  listApprovals(options: ListApprovalsOptions = {}): Promise<Record<string, unknown>> {
    return this.run(OPERATIONS.listApprovals, { options });
  }

  /** Use a grant for a command, once. POST /v1/approvals/use; scope: submit. */
  useApproval(options: UseApprovalOptions = {}): Promise<ApprovalAnswer> {
    return this.run(OPERATIONS.useApproval, { options });
  }

  /** Get one request for consent. GET /v1/approvals/{id}; scope: submit. */
  getApproval(id: string): Promise<Approval> {
    return this.run(OPERATIONS.getApproval, { at: { id: id } });
  }

  /** Show a request to a person. POST /v1/approvals/{id}/show; scope: approve. */
  showApproval(id: string, options: ShowApprovalOptions = {}): Promise<ApprovalAnswer> {
    return this.run(OPERATIONS.showApproval, { at: { id: id }, options });
  }

  /** Grant what was shown. POST /v1/approvals/{id}/grant; scope: approve. */
  grantApproval(id: string, fingerprint: string, options: GrantApprovalOptions = {}): Promise<ApprovalAnswer> {
    return this.run(OPERATIONS.grantApproval, { at: { id: id }, members: { fingerprint: fingerprint }, options });
  }

  /** Deny a request. POST /v1/approvals/{id}/deny; scope: approve. */
  denyApproval(id: string, options: DenyApprovalOptions = {}): Promise<ApprovalAnswer> {
    return this.run(OPERATIONS.denyApproval, { at: { id: id }, options });
  }

  /** Revoke a grant or request. POST /v1/approvals/{id}/revoke; scope: approve. */
  revokeApproval(id: string, options: RevokeApprovalOptions = {}): Promise<ApprovalAnswer> {
    return this.run(OPERATIONS.revokeApproval, { at: { id: id }, options });
  }

  /** List the newest traces. GET /v1/traces; scope: submit. */
  listTraces(options: ListTracesOptions = {}): Promise<Baton> {
    return this.run(OPERATIONS.listTraces, { options });
  }

  /** Show the handoffs of a trace. GET /v1/traces/{trace_id}; scope: submit. */
  getTrace(trace_id: string): Promise<Trace> {
    return this.run(OPERATIONS.getTrace, { at: { trace_id: trace_id } });
  }

  /** Draw the way of a trace from agent to agent. GET /v1/traces/{trace_id}/graph; scope: submit. */
  getTraceGraph(trace_id: string, options: GetTraceGraphOptions = {}): Promise<Uint8Array> {
    return this.run(OPERATIONS.getTraceGraph, { at: { trace_id: trace_id }, options });
  }

  /** Show the newest checkpoint. GET /v1/ledger; scope: check. */
  getLedger(): Promise<Checkpoint> {
    return this.run(OPERATIONS.getLedger, {});
  }

  /** Prove that the log extends an older state of it. GET /v1/ledger/proof/consistency; scope: check. */
  proveConsistency(options: ProveConsistencyOptions = {}): Promise<Baton> {
    return this.run(OPERATIONS.proveConsistency, { options });
  }

  /** Prove that an entry is in the log. GET /v1/ledger/proof/inclusion; scope: submit. */
  proveInclusion(options: ProveInclusionOptions = {}): Promise<Receipt> {
    return this.run(OPERATIONS.proveInclusion, { options });
  }

  /** List entries of any kind. GET /v1/ledger/entries; scope: operate. */
  listEntries(options: ListEntriesOptions = {}): Promise<Entries> {
    return this.run(OPERATIONS.listEntries, { options });
  }

  /** Show one entry. GET /v1/ledger/entries/{seq}; scope: operate. */
  getEntry(seq: number): Promise<ShownEntry> {
    return this.run(OPERATIONS.getEntry, { at: { seq: seq } });
  }

  /** Show the peers that cosign this log. GET /v1/ledger/peers; scope: operate. */
  listPeers(): Promise<Record<string, unknown>> {
    return this.run(OPERATIONS.listPeers, {});
  }

  /** Show the public keys of the log in every form. GET /v1/ledger/keys; scope: check. */
  ledgerKeys(): Promise<Baton> {
    return this.run(OPERATIONS.ledgerKeys, {});
  }

  /** Look for what is missing. GET /v1/ledger/audit; scope: operate. */
  auditLedger(options: AuditLedgerOptions = {}): Promise<Report> {
    return this.run(OPERATIONS.auditLedger, { options });
  }

  /** List what is kept from being deleted. GET /v1/ledger/holds; scope: operate. */
  listHolds(): Promise<Baton> {
    return this.run(OPERATIONS.listHolds, {});
  }

  /** Keep documents from being deleted, and record that. POST /v1/ledger/holds; scope: admin. */
  setHold(reason: string, options: SetHoldOptions = {}): Promise<Baton> {
    return this.run(OPERATIONS.setHold, { members: { reason: reason }, options });
  }

  /** Let documents be deleted again, and record that. POST /v1/ledger/holds/release; scope: admin. */
  releaseHold(reason: string, options: ReleaseHoldOptions = {}): Promise<Baton> {
    return this.run(OPERATIONS.releaseHold, { members: { reason: reason }, options });
  }

  /** Keep cosignatures of the newest checkpoint. POST /v1/ledger/cosignatures; scope: operate. */
  addCosignatures(body: Doc, options: AddCosignaturesOptions = {}): Promise<Checkpoint> {
    return this.run(OPERATIONS.addCosignatures, { body, options });
  }

  /** Put a case into one file. POST /v1/ledger/bundle; scope: operate. */
  makeBundle(options: MakeBundleOptions = {}): Promise<Record<string, unknown>> {
    return this.run(OPERATIONS.makeBundle, { options });
  }

  /** Delete the bytes of a document, and record that. POST /v1/ledger/redact; scope: admin. */
  redactDocument(reason: string, options: RedactDocumentOptions = {}): Promise<Baton> {
    return this.run(OPERATIONS.redactDocument, { members: { reason: reason }, options });
  }

  /** The newest checkpoint as a signed note. GET /ledger/checkpoint; scope: operate. */
  tlogCheckpoint(): Promise<string> {
    return this.run(OPERATIONS.tlogCheckpoint, {});
  }

  /** A tile or bundle of entries of the log. GET /ledger/tile/{path}; scope: operate. */
  tlogTile(path: string): Promise<Uint8Array> {
    return this.run(OPERATIONS.tlogTile, { at: { path: path } });
  }

  /** Register a signed statement. POST /entries; scope: submit. */
  scittRegister(body: Doc, options: ScittRegisterOptions = {}): Promise<Uint8Array> {
    return this.run(OPERATIONS.scittRegister, { body, options });
  }

  /** The COSE receipt of an entry. GET /entries/{seq}; scope: submit. */
  scittReceipt(seq: number): Promise<Uint8Array> {
    return this.run(OPERATIONS.scittReceipt, { at: { seq: seq } });
  }

  /** One public key of the log as COSE_Key. GET /.well-known/scitt-keys/{kid}; scope: none. */
  scittKey(kid: string): Promise<Uint8Array> {
    return this.run(OPERATIONS.scittKey, { at: { kid: kid } });
  }

  /** The public keys of the log as a COSE Key Set. GET /.well-known/scitt-keys; scope: none. */
  scittKeys(): Promise<Uint8Array> {
    return this.run(OPERATIONS.scittKeys, {});
  }

  /** Ask this server's witness to cosign a checkpoint. POST /witness/add-checkpoint; scope: none. */
  witnessAddCheckpoint(body: Doc): Promise<Baton> {
    return this.run(OPERATIONS.witnessAddCheckpoint, { body });
  }

  /** The checkpoint that the witness has cosigned. GET /witness/{origin_hash}/checkpoint; scope: none. */
  witnessCheckpoint(origin_hash: string): Promise<string> {
    return this.run(OPERATIONS.witnessCheckpoint, { at: { origin_hash: origin_hash } });
  }

  /** Answer an event of an agent host. POST /v1/hooks/{host}; scope: submit. */
  hook(host: string, body: Doc, options: HookOptions = {}): Promise<Record<string, unknown>> {
    return this.run(OPERATIONS.hook, { at: { host: host }, body, options });
  }

  /** Show the configuration in force. GET /v1/admin/config; scope: admin. */
  adminConfig(): Promise<Baton> {
    return this.run(OPERATIONS.adminConfig, {});
  }

  /** Read configuration, tokens and certificates again. POST /v1/admin/reload; scope: admin. */
  adminReload(): Promise<Baton> {
    return this.run(OPERATIONS.adminReload, {});
  }

  /** Make a log below the root. POST /v1/admin/logs; scope: admin. */
  newLog(name: string, origin: string, options: NewLogOptions = {}): Promise<Record<string, unknown>> {
    return this.run(OPERATIONS.newLog, { members: { name: name, origin: origin }, options });
  }

  /** List the logs that the caller may use. GET /v1/admin/logs; scope: operate. */
  listLogs(): Promise<Record<string, unknown>> {
    return this.run(OPERATIONS.listLogs, {});
  }

  /** Send a message to the pump. POST /v1/pump/send; scope: submit. */
  pumpSend(body: Doc, options: PumpSendOptions = {}): Promise<Baton> {
    return this.run(OPERATIONS.pumpSend, { body, options });
  }

  /** Read what the pump delivered to the caller's thread. GET /v1/pump/threads/{thread}/replies; scope: submit. */
  pumpReplies(thread: string): Promise<Baton> {
    return this.run(OPERATIONS.pumpReplies, { at: { thread: thread } });
  }

  /** Tell how the pump is doing. GET /v1/pump/status; scope: operate. */
  pumpStatus(): Promise<Baton> {
    return this.run(OPERATIONS.pumpStatus, {});
  }

  /** List the listeners. GET /v1/pump/listeners; scope: operate. */
  pumpListeners(): Promise<Baton> {
    return this.run(OPERATIONS.pumpListeners, {});
  }

  /** Show who may call whom. GET /v1/pump/graph; scope: operate. */
  pumpGraph(options: PumpGraphOptions = {}): Promise<Baton> {
    return this.run(OPERATIONS.pumpGraph, { options });
  }

  /** Show the history of a thread. GET /v1/pump/threads/{thread}; scope: operate. */
  pumpThread(thread: string, options: PumpThreadOptions = {}): Promise<Baton> {
    return this.run(OPERATIONS.pumpThread, { at: { thread: thread }, options });
  }

  /** Follow the events of the pump. GET /v1/pump/events; scope: operate. */
  pumpEvents(options: PumpEventsOptions = {}): AsyncGenerator<Record<string, unknown>> {
    return this.events(OPERATIONS.pumpEvents, { options });
  }

  /** List wrapped MCP servers, and what they did since the server started. GET /v1/wrap/servers; scope: operate. */
  listWrapped(): Promise<Record<string, unknown>> {
    return this.run(OPERATIONS.listWrapped, {});
  }

  /** Compare what a wrapped MCP server shows with its lock. GET /v1/wrap/servers/{name}/diff; scope: operate. */
  wrapDiff(name: string): Promise<Report> {
    return this.run(OPERATIONS.wrapDiff, { at: { name: name } });
  }

  /** Count recorded calls of wrapped MCP servers by server and tool. GET /v1/wrap/stats; scope: operate. */
  wrapStats(options: WrapStatsOptions = {}): Promise<Record<string, unknown>> {
    return this.run(OPERATIONS.wrapStats, { options });
  }

  /** List recorded calls of wrapped MCP servers. GET /v1/wrap/calls; scope: submit. */
  listCalls(options: ListCallsOptions = {}): Promise<Record<string, unknown>> {
    return this.run(OPERATIONS.listCalls, { options });
  }

  /** Show one recorded call of a wrapped MCP server. GET /v1/wrap/calls/{seq}; scope: submit. */
  getCall(seq: number): Promise<Record<string, unknown>> {
    return this.run(OPERATIONS.getCall, { at: { seq: seq } });
  }

  /** This document. GET /openapi.json; scope: none. */
  openapi(): Promise<Record<string, unknown>> {
    return this.run(OPERATIONS.openapi, {});
  }
}
