// SPDX-License-Identifier: Apache-2.0
// operations.rs - made by tools/gen_clients.py from the OpenAPI document of `baton serve`; do not edit.

use serde_json::{json, Value};

use crate::call::{Body, Call, Operation, Options};
use crate::{Client, Events, Report, Result, Submission};

/// The version of the server whose operations these are.
pub const VERSION: &str = "0.1.0";

pub(crate) const HEALTHZ: Operation = Operation {
    id: "healthz",
    method: "GET",
    path: "/healthz",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const READYZ: Operation = Operation {
    id: "readyz",
    method: "GET",
    path: "/readyz",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const METRICS: Operation = Operation {
    id: "metrics",
    method: "GET",
    path: "/metrics",
    body: Body::None,
    media: "",
    accept: "text/plain",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const PROBLEM: Operation = Operation {
    id: "problem",
    method: "GET",
    path: "/problems/{code}",
    body: Body::None,
    media: "",
    accept: "text/plain",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const CHECK: Operation = Operation {
    id: "check",
    method: "POST",
    path: "/v1/check",
    body: Body::Document,
    media: "application/octet-stream",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const VIEW: Operation = Operation {
    id: "view",
    method: "POST",
    path: "/v1/view",
    body: Body::Document,
    media: "application/octet-stream",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const REPAIR: Operation = Operation {
    id: "repair",
    method: "POST",
    path: "/v1/repair",
    body: Body::Document,
    media: "application/octet-stream",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const COMPRESS: Operation = Operation {
    id: "compress",
    method: "POST",
    path: "/v1/compress",
    body: Body::Document,
    media: "application/octet-stream",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const CONVERT: Operation = Operation {
    id: "convert",
    method: "POST",
    path: "/v1/convert",
    body: Body::Document,
    media: "application/octet-stream",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const SEAL_HANDOFF: Operation = Operation {
    id: "sealHandoff",
    method: "POST",
    path: "/v1/seal",
    body: Body::Document,
    media: "application/octet-stream",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const NEW_HANDOFF: Operation = Operation {
    id: "newHandoff",
    method: "POST",
    path: "/v1/new",
    body: Body::Members,
    media: "application/json",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const RETRY_TEXT: Operation = Operation {
    id: "retryText",
    method: "POST",
    path: "/v1/retry-text",
    body: Body::Members,
    media: "application/json",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const RENDER_REPORT: Operation = Operation {
    id: "renderReport",
    method: "POST",
    path: "/v1/render",
    body: Body::Members,
    media: "application/json",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const COUNT_TOKENS: Operation = Operation {
    id: "countTokens",
    method: "POST",
    path: "/v1/tokens",
    body: Body::Bytes,
    media: "application/octet-stream",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const PLAN_AUDIT: Operation = Operation {
    id: "planAudit",
    method: "POST",
    path: "/v1/plan/audit",
    body: Body::Document,
    media: "application/octet-stream",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const PLAN_WAVES: Operation = Operation {
    id: "planWaves",
    method: "POST",
    path: "/v1/plan/waves",
    body: Body::Document,
    media: "application/octet-stream",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const PLAN_TRAJECTORY: Operation = Operation {
    id: "planTrajectory",
    method: "POST",
    path: "/v1/plan/trajectory",
    body: Body::Members,
    media: "application/json",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const PLAN_VALIDATE: Operation = Operation {
    id: "planValidate",
    method: "POST",
    path: "/v1/plan/validate",
    body: Body::Members,
    media: "application/json",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const SCHEMA_VALIDATE: Operation = Operation {
    id: "schemaValidate",
    method: "POST",
    path: "/v1/schema/validate",
    body: Body::Members,
    media: "application/json",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const SCHEMA_COMPAT: Operation = Operation {
    id: "schemaCompat",
    method: "POST",
    path: "/v1/schema/compat",
    body: Body::Members,
    media: "application/json",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const CONTRACT_CHECK: Operation = Operation {
    id: "contractCheck",
    method: "POST",
    path: "/v1/contract/check",
    body: Body::Document,
    media: "application/octet-stream",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const CONTRACT_REPAIR_PROMPT: Operation = Operation {
    id: "contractRepairPrompt",
    method: "POST",
    path: "/v1/contract/repair-prompt",
    body: Body::Document,
    media: "application/octet-stream",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const CONTRACT_MERGE: Operation = Operation {
    id: "contractMerge",
    method: "POST",
    path: "/v1/contract/merge",
    body: Body::Members,
    media: "application/json",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const CONTRACT_TEMPLATE: Operation = Operation {
    id: "contractTemplate",
    method: "GET",
    path: "/v1/contract/template",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const VERIFY_RECEIPT: Operation = Operation {
    id: "verifyReceipt",
    method: "POST",
    path: "/v1/ledger/verify-receipt",
    body: Body::Members,
    media: "application/json",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const LIST_RULES: Operation = Operation {
    id: "listRules",
    method: "GET",
    path: "/v1/rules",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const GET_RULE: Operation = Operation {
    id: "getRule",
    method: "GET",
    path: "/v1/rules/{code}",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const LIST_SCHEMAS: Operation = Operation {
    id: "listSchemas",
    method: "GET",
    path: "/v1/schemas",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const GET_SCHEMA: Operation = Operation {
    id: "getSchema",
    method: "GET",
    path: "/v1/schemas/{name}",
    body: Body::None,
    media: "",
    accept: "application/schema+json, application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const WHOAMI: Operation = Operation {
    id: "whoami",
    method: "GET",
    path: "/v1/whoami",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const VERSION_OPERATION: Operation = Operation {
    id: "version",
    method: "GET",
    path: "/v1/version",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const STREAM_HANDOFFS: Operation = Operation {
    id: "streamHandoffs",
    method: "GET",
    path: "/v1/handoffs/stream",
    body: Body::None,
    media: "",
    accept: "text/event-stream",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const SUBMIT_HANDOFF: Operation = Operation {
    id: "submitHandoff",
    method: "POST",
    path: "/v1/handoffs",
    body: Body::Document,
    media: "application/octet-stream",
    accept: "application/json",
    keyed: true,
    records: true,
    submits: true,
};

pub(crate) const LIST_HANDOFFS: Operation = Operation {
    id: "listHandoffs",
    method: "GET",
    path: "/v1/handoffs",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const DISPATCH: Operation = Operation {
    id: "dispatch",
    method: "POST",
    path: "/v1/dispatch",
    body: Body::Json,
    media: "application/json",
    accept: "application/json",
    keyed: true,
    records: true,
    submits: false,
};

pub(crate) const GOVERN_SUBMIT: Operation = Operation {
    id: "governSubmit",
    method: "POST",
    path: "/v1/govern/submit",
    body: Body::Document,
    media: "application/octet-stream",
    accept: "application/json",
    keyed: true,
    records: true,
    submits: true,
};

pub(crate) const GOVERN_RESPOND: Operation = Operation {
    id: "governRespond",
    method: "POST",
    path: "/v1/govern/respond",
    body: Body::Document,
    media: "application/octet-stream",
    accept: "application/json",
    keyed: true,
    records: true,
    submits: true,
};

pub(crate) const GET_STATS: Operation = Operation {
    id: "getStats",
    method: "GET",
    path: "/v1/stats",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const GET_HANDOFF: Operation = Operation {
    id: "getHandoff",
    method: "GET",
    path: "/v1/handoffs/{id}",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const GET_DOCUMENT: Operation = Operation {
    id: "getDocument",
    method: "GET",
    path: "/v1/handoffs/{id}/document",
    body: Body::None,
    media: "",
    accept: "application/octet-stream",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const GET_REPORT: Operation = Operation {
    id: "getReport",
    method: "GET",
    path: "/v1/handoffs/{id}/report",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const GET_REPAIR: Operation = Operation {
    id: "getRepair",
    method: "GET",
    path: "/v1/handoffs/{id}/repair",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const GET_RECEIPT: Operation = Operation {
    id: "getReceipt",
    method: "GET",
    path: "/v1/handoffs/{id}/receipt",
    body: Body::None,
    media: "",
    accept: "text/plain, application/json, application/cose, application/vnd.dsse.envelope.v1+json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const LIST_INBOXES: Operation = Operation {
    id: "listInboxes",
    method: "GET",
    path: "/v1/inboxes",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const RETRY_DELIVERY: Operation = Operation {
    id: "retryDelivery",
    method: "POST",
    path: "/v1/deliveries/{message}/retry",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: true,
    records: true,
    submits: false,
};

pub(crate) const TAKE_HANDOFFS: Operation = Operation {
    id: "takeHandoffs",
    method: "POST",
    path: "/v1/inbox/{agent}/take",
    body: Body::Members,
    media: "application/json",
    accept: "application/json",
    keyed: true,
    records: true,
    submits: false,
};

pub(crate) const FINISH_HANDOFFS: Operation = Operation {
    id: "finishHandoffs",
    method: "POST",
    path: "/v1/inbox/{agent}/finish",
    body: Body::Members,
    media: "application/json",
    accept: "application/json",
    keyed: true,
    records: true,
    submits: false,
};

pub(crate) const LIST_BLOCKED: Operation = Operation {
    id: "listBlocked",
    method: "GET",
    path: "/v1/govern/blocked",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const GOVERN_PATH: Operation = Operation {
    id: "governPath",
    method: "GET",
    path: "/v1/govern/path",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const VERIFY_ROOT: Operation = Operation {
    id: "verifyRoot",
    method: "GET",
    path: "/v1/govern/root",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const UNBLOCK: Operation = Operation {
    id: "unblock",
    method: "POST",
    path: "/v1/govern/unblock",
    body: Body::Members,
    media: "application/json",
    accept: "application/json",
    keyed: true,
    records: true,
    submits: false,
};

pub(crate) const CONTRACT_STATE: Operation = Operation {
    id: "contractState",
    method: "GET",
    path: "/v1/contract/state",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const CLEAR_CONTRACT_STATE: Operation = Operation {
    id: "clearContractState",
    method: "DELETE",
    path: "/v1/contract/state",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: true,
    submits: false,
};

pub(crate) const CONTRACT_RESUME: Operation = Operation {
    id: "contractResume",
    method: "POST",
    path: "/v1/contract/resume",
    body: Body::Members,
    media: "application/json",
    accept: "application/json",
    keyed: true,
    records: true,
    submits: false,
};

pub(crate) const STORE_CONTRACT_INPUT: Operation = Operation {
    id: "storeContractInput",
    method: "PUT",
    path: "/v1/contract/input",
    body: Body::Json,
    media: "application/json",
    accept: "application/json",
    keyed: false,
    records: true,
    submits: false,
};

pub(crate) const CONTRACT_SECTIONS: Operation = Operation {
    id: "contractSections",
    method: "GET",
    path: "/v1/contract/sections",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const LIST_APPROVALS: Operation = Operation {
    id: "listApprovals",
    method: "GET",
    path: "/v1/approvals",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const USE_APPROVAL: Operation = Operation {
    id: "useApproval",
    method: "POST",
    path: "/v1/approvals/use",
    body: Body::Members,
    media: "application/json",
    accept: "application/json",
    keyed: true,
    records: true,
    submits: false,
};

pub(crate) const GET_APPROVAL: Operation = Operation {
    id: "getApproval",
    method: "GET",
    path: "/v1/approvals/{id}",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const SHOW_APPROVAL: Operation = Operation {
    id: "showApproval",
    method: "POST",
    path: "/v1/approvals/{id}/show",
    body: Body::Members,
    media: "application/json",
    accept: "application/json",
    keyed: true,
    records: true,
    submits: false,
};

pub(crate) const GRANT_APPROVAL: Operation = Operation {
    id: "grantApproval",
    method: "POST",
    path: "/v1/approvals/{id}/grant",
    body: Body::Members,
    media: "application/json",
    accept: "application/json",
    keyed: true,
    records: true,
    submits: false,
};

pub(crate) const DENY_APPROVAL: Operation = Operation {
    id: "denyApproval",
    method: "POST",
    path: "/v1/approvals/{id}/deny",
    body: Body::Members,
    media: "application/json",
    accept: "application/json",
    keyed: true,
    records: true,
    submits: false,
};

pub(crate) const REVOKE_APPROVAL: Operation = Operation {
    id: "revokeApproval",
    method: "POST",
    path: "/v1/approvals/{id}/revoke",
    body: Body::Members,
    media: "application/json",
    accept: "application/json",
    keyed: true,
    records: true,
    submits: false,
};

pub(crate) const LIST_TRACES: Operation = Operation {
    id: "listTraces",
    method: "GET",
    path: "/v1/traces",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const GET_TRACE: Operation = Operation {
    id: "getTrace",
    method: "GET",
    path: "/v1/traces/{trace_id}",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const GET_TRACE_GRAPH: Operation = Operation {
    id: "getTraceGraph",
    method: "GET",
    path: "/v1/traces/{trace_id}/graph",
    body: Body::None,
    media: "",
    accept: "application/json, text/plain, text/vnd.graphviz, image/svg+xml",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const GET_LEDGER: Operation = Operation {
    id: "getLedger",
    method: "GET",
    path: "/v1/ledger",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const PROVE_CONSISTENCY: Operation = Operation {
    id: "proveConsistency",
    method: "GET",
    path: "/v1/ledger/proof/consistency",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const PROVE_INCLUSION: Operation = Operation {
    id: "proveInclusion",
    method: "GET",
    path: "/v1/ledger/proof/inclusion",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const LIST_ENTRIES: Operation = Operation {
    id: "listEntries",
    method: "GET",
    path: "/v1/ledger/entries",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const GET_ENTRY: Operation = Operation {
    id: "getEntry",
    method: "GET",
    path: "/v1/ledger/entries/{seq}",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const LIST_PEERS: Operation = Operation {
    id: "listPeers",
    method: "GET",
    path: "/v1/ledger/peers",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const LEDGER_KEYS: Operation = Operation {
    id: "ledgerKeys",
    method: "GET",
    path: "/v1/ledger/keys",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const AUDIT_LEDGER: Operation = Operation {
    id: "auditLedger",
    method: "GET",
    path: "/v1/ledger/audit",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const LIST_HOLDS: Operation = Operation {
    id: "listHolds",
    method: "GET",
    path: "/v1/ledger/holds",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const SET_HOLD: Operation = Operation {
    id: "setHold",
    method: "POST",
    path: "/v1/ledger/holds",
    body: Body::Members,
    media: "application/json",
    accept: "application/json",
    keyed: true,
    records: true,
    submits: false,
};

pub(crate) const RELEASE_HOLD: Operation = Operation {
    id: "releaseHold",
    method: "POST",
    path: "/v1/ledger/holds/release",
    body: Body::Members,
    media: "application/json",
    accept: "application/json",
    keyed: true,
    records: true,
    submits: false,
};

pub(crate) const ADD_COSIGNATURES: Operation = Operation {
    id: "addCosignatures",
    method: "POST",
    path: "/v1/ledger/cosignatures",
    body: Body::Bytes,
    media: "application/octet-stream",
    accept: "application/json",
    keyed: true,
    records: true,
    submits: false,
};

pub(crate) const MAKE_BUNDLE: Operation = Operation {
    id: "makeBundle",
    method: "POST",
    path: "/v1/ledger/bundle",
    body: Body::Members,
    media: "application/json",
    accept: "application/json, text/html",
    keyed: false,
    records: true,
    submits: false,
};

pub(crate) const REDACT_DOCUMENT: Operation = Operation {
    id: "redactDocument",
    method: "POST",
    path: "/v1/ledger/redact",
    body: Body::Members,
    media: "application/json",
    accept: "application/json",
    keyed: true,
    records: true,
    submits: false,
};

pub(crate) const TLOG_CHECKPOINT: Operation = Operation {
    id: "tlogCheckpoint",
    method: "GET",
    path: "/ledger/checkpoint",
    body: Body::None,
    media: "",
    accept: "text/plain",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const TLOG_TILE: Operation = Operation {
    id: "tlogTile",
    method: "GET",
    path: "/ledger/tile/{path}",
    body: Body::None,
    media: "",
    accept: "application/octet-stream",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const SCITT_REGISTER: Operation = Operation {
    id: "scittRegister",
    method: "POST",
    path: "/entries",
    body: Body::Bytes,
    media: "application/cose",
    accept: "application/cose",
    keyed: true,
    records: true,
    submits: false,
};

pub(crate) const SCITT_RECEIPT: Operation = Operation {
    id: "scittReceipt",
    method: "GET",
    path: "/entries/{seq}",
    body: Body::None,
    media: "",
    accept: "application/cose",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const SCITT_KEY: Operation = Operation {
    id: "scittKey",
    method: "GET",
    path: "/.well-known/scitt-keys/{kid}",
    body: Body::None,
    media: "",
    accept: "application/cbor",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const SCITT_KEYS: Operation = Operation {
    id: "scittKeys",
    method: "GET",
    path: "/.well-known/scitt-keys",
    body: Body::None,
    media: "",
    accept: "application/cbor",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const WITNESS_ADD_CHECKPOINT: Operation = Operation {
    id: "witnessAddCheckpoint",
    method: "POST",
    path: "/witness/add-checkpoint",
    body: Body::Bytes,
    media: "application/octet-stream",
    accept: "application/json",
    keyed: false,
    records: true,
    submits: false,
};

pub(crate) const WITNESS_CHECKPOINT: Operation = Operation {
    id: "witnessCheckpoint",
    method: "GET",
    path: "/witness/{origin_hash}/checkpoint",
    body: Body::None,
    media: "",
    accept: "text/plain",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const HOOK: Operation = Operation {
    id: "hook",
    method: "POST",
    path: "/v1/hooks/{host}",
    body: Body::Json,
    media: "application/json",
    accept: "application/json",
    keyed: false,
    records: true,
    submits: false,
};

pub(crate) const ADMIN_CONFIG: Operation = Operation {
    id: "adminConfig",
    method: "GET",
    path: "/v1/admin/config",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const ADMIN_RELOAD: Operation = Operation {
    id: "adminReload",
    method: "POST",
    path: "/v1/admin/reload",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: true,
    submits: false,
};

pub(crate) const NEW_LOG: Operation = Operation {
    id: "newLog",
    method: "POST",
    path: "/v1/admin/logs",
    body: Body::Members,
    media: "application/json",
    accept: "application/json",
    keyed: false,
    records: true,
    submits: false,
};

pub(crate) const LIST_LOGS: Operation = Operation {
    id: "listLogs",
    method: "GET",
    path: "/v1/admin/logs",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const PUMP_SEND: Operation = Operation {
    id: "pumpSend",
    method: "POST",
    path: "/v1/pump/send",
    body: Body::Bytes,
    media: "application/octet-stream",
    accept: "application/json",
    keyed: true,
    records: true,
    submits: false,
};

pub(crate) const PUMP_REPLIES: Operation = Operation {
    id: "pumpReplies",
    method: "GET",
    path: "/v1/pump/threads/{thread}/replies",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const PUMP_STATUS: Operation = Operation {
    id: "pumpStatus",
    method: "GET",
    path: "/v1/pump/status",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const PUMP_LISTENERS: Operation = Operation {
    id: "pumpListeners",
    method: "GET",
    path: "/v1/pump/listeners",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const PUMP_GRAPH: Operation = Operation {
    id: "pumpGraph",
    method: "GET",
    path: "/v1/pump/graph",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const PUMP_THREAD: Operation = Operation {
    id: "pumpThread",
    method: "GET",
    path: "/v1/pump/threads/{thread}",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const PUMP_EVENTS: Operation = Operation {
    id: "pumpEvents",
    method: "GET",
    path: "/v1/pump/events",
    body: Body::None,
    media: "",
    accept: "text/event-stream",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const LIST_WRAPPED: Operation = Operation {
    id: "listWrapped",
    method: "GET",
    path: "/v1/wrap/servers",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const WRAP_DIFF: Operation = Operation {
    id: "wrapDiff",
    method: "GET",
    path: "/v1/wrap/servers/{name}/diff",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const WRAP_STATS: Operation = Operation {
    id: "wrapStats",
    method: "GET",
    path: "/v1/wrap/stats",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const LIST_CALLS: Operation = Operation {
    id: "listCalls",
    method: "GET",
    path: "/v1/wrap/calls",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const GET_CALL: Operation = Operation {
    id: "getCall",
    method: "GET",
    path: "/v1/wrap/calls/{seq}",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

pub(crate) const OPENAPI: Operation = Operation {
    id: "openapi",
    method: "GET",
    path: "/openapi.json",
    body: Body::None,
    media: "",
    accept: "application/json",
    keyed: false,
    records: false,
    submits: false,
};

/// The operations of the server.
impl Client {
    /// Whether the server is alive. `GET /healthz`; scope: none.
    pub fn healthz(&self) -> Result<Value> {
        self.run_value(Call::new(&HEALTHZ, &Options::new()))
    }

    /// Whether the server can do its work. `GET /readyz`; scope: none.
    pub fn readyz(&self) -> Result<Value> {
        self.run_value(Call::new(&READYZ, &Options::new()))
    }

    /// Figures to watch, in the text form of Prometheus. `GET /metrics`; scope: operate.
    pub fn metrics(&self) -> Result<Vec<u8>> {
        self.run_bytes(Call::new(&METRICS, &Options::new()))
    }

    /// What a problem means and what to do. `GET /problems/{code}`; scope: none.
    pub fn problem(&self, code: &str) -> Result<Vec<u8>> {
        let mut call = Call::new(&PROBLEM, &Options::new());
        call.set_path("code", code);
        self.run_bytes(call)
    }

    /// Judge documents. `POST /v1/check`; scope: check. Options: `as`, `path`, `fail_level`,
    /// `fail_fast`, `root`, `today`, `now`, `tokens`, `budget`, `section_limit`, `semantics`,
    /// `chain`, `strict_expiry`, `edges`, `direction`, `bare`, `runtime_agent_id`,
    /// `structure_only`, `input`.
    pub fn check(&self, document: &[u8], options: &Options) -> Result<Report> {
        let mut call = Call::new(&CHECK, options);
        call.set_body(document);
        self.run_report(call)
    }

    /// Show a universal handoff as its receiver should read it. `POST /v1/view`; scope: check.
    /// Options: `as`, `path`, `fail_level`, `fail_fast`, `root`, `today`, `now`, `tokens`,
    /// `budget`, `section_limit`, `semantics`, `chain`, `strict_expiry`.
    pub fn view(&self, document: &[u8], options: &Options) -> Result<Value> {
        let mut call = Call::new(&VIEW, options);
        call.set_body(document);
        self.run_value(call)
    }

    /// Repair a document. `POST /v1/repair`; scope: check. Options: `as`, `path`, `root`,
    /// `today`, `now`, `tokens`, `budget`, `section_limit`, `semantics`, `chain`,
    /// `strict_expiry`, `attempt`, `literal`, `emit_prompt`, `prompt`, `edges`, `bare`,
    /// `runtime_agent_id`, `max_rejections`, `answer`.
    pub fn repair(&self, document: &[u8], options: &Options) -> Result<Report> {
        let mut call = Call::new(&REPAIR, options);
        call.set_body(document);
        self.run_report(call)
    }

    /// Shorten a universal handoff to its budget. `POST /v1/compress`; scope: check. Options:
    /// `as`, `path`, `root`, `today`, `now`, `tokens`, `budget`, `section_limit`, `semantics`,
    /// `chain`, `strict_expiry`, `literal`.
    pub fn compress(&self, document: &[u8], options: &Options) -> Result<Report> {
        let mut call = Call::new(&COMPRESS, options);
        call.set_body(document);
        self.run_report(call)
    }

    /// Convert a document to a universal handoff. `POST /v1/convert`; scope: check. Options:
    /// `as`, `path`, `root`, `today`, `now`, `tokens`, `budget`, `section_limit`, `semantics`,
    /// `chain`, `strict_expiry`, `to`, `from`, `step`.
    pub fn convert(&self, document: &[u8], options: &Options) -> Result<Report> {
        let mut call = Call::new(&CONVERT, options);
        call.set_body(document);
        self.run_report(call)
    }

    /// Set hash, size and token count of a universal handoff. `POST /v1/seal`; scope: check.
    /// Options: `as`, `path`, `root`, `today`, `now`, `tokens`, `budget`, `section_limit`,
    /// `semantics`, `chain`, `strict_expiry`, `reseal`.
    pub fn seal_handoff(&self, document: &[u8], options: &Options) -> Result<Report> {
        let mut call = Call::new(&SEAL_HANDOFF, options);
        call.set_body(document);
        self.run_report(call)
    }

    /// Make a universal handoff from its parts. `POST /v1/new`; scope: check. Options:
    /// `session_path`, `workflow_id`, `phase`, `problem_type`, `working`, `session`,
    /// `references`, `original_prompt`, `focus`, `gap`, `criterion`, `category`, `invocation`,
    /// `expected_phase`, `confidence`, `reason`, `approved`, `expires_at`, `trace_id`,
    /// `continue`, `parent_span`, `tag`, `no_seal`, `style`, `budget_tokens`, `budget_cost`,
    /// `spent_tokens`, `spent_cost`, `options`.
    pub fn new_handoff(
        &self,
        source: &str,
        target: &str,
        summary: &str,
        options: &Options,
    ) -> Result<Report> {
        let mut call = Call::new(&NEW_HANDOFF, options);
        call.set_member("source", json!(source));
        call.set_member("target", json!(target));
        call.set_member("summary", json!(summary));
        self.run_report(call)
    }

    /// Write what a model must correct. `POST /v1/retry-text`; scope: check. Options: `attempt`,
    /// `limit`.
    pub fn retry_text(&self, report: &Value, options: &Options) -> Result<Value> {
        let mut call = Call::new(&RETRY_TEXT, options);
        call.set_member("report", json!(report));
        self.run_value(call)
    }

    /// Render a report in another format. `POST /v1/render`; scope: check. Options: `documents`.
    pub fn render_report(&self, report: &Value, format: &str, options: &Options) -> Result<Value> {
        let mut call = Call::new(&RENDER_REPORT, options);
        call.set_member("report", json!(report));
        call.set_member("format", json!(format));
        self.run_value(call)
    }

    /// Count the tokens of a text. `POST /v1/tokens`; scope: check. Options: `tokens`,
    /// `encoding`.
    pub fn count_tokens(&self, body: &[u8], options: &Options) -> Result<Value> {
        let mut call = Call::new(&COUNT_TOKENS, options);
        call.set_body(body);
        self.run_value(call)
    }

    /// Compare what each step gives with what the next one takes. `POST /v1/plan/audit`; scope:
    /// check. Options: `as`, `path`, `fail_level`, `fail_fast`, `root`, `today`, `now`,
    /// `tokens`, `budget`, `section_limit`, `semantics`, `chain`, `strict_expiry`, `edges`.
    pub fn plan_audit(&self, document: &[u8], options: &Options) -> Result<Report> {
        let mut call = Call::new(&PLAN_AUDIT, options);
        call.set_body(document);
        self.run_report(call)
    }

    /// Find which steps can run at the same time. `POST /v1/plan/waves`; scope: check. Options:
    /// `path`, `remaining`.
    pub fn plan_waves(&self, document: &[u8], options: &Options) -> Result<Report> {
        let mut call = Call::new(&PLAN_WAVES, options);
        call.set_body(document);
        self.run_report(call)
    }

    /// Compare a recorded run with what was planned. `POST /v1/plan/trajectory`; scope: check.
    /// Options: `plan`, `chains`, `returns_to`, `root`.
    pub fn plan_trajectory(&self, run: &Value, options: &Options) -> Result<Report> {
        let mut call = Call::new(&PLAN_TRAJECTORY, options);
        call.set_member("run", json!(run));
        self.run_report(call)
    }

    /// Judge a payload by its payload schema. `POST /v1/plan/validate`; scope: check. Options:
    /// `root`.
    pub fn plan_validate(
        &self,
        schema: &Value,
        payload: &Value,
        options: &Options,
    ) -> Result<Report> {
        let mut call = Call::new(&PLAN_VALIDATE, options);
        call.set_member("schema", json!(schema));
        call.set_member("payload", json!(payload));
        self.run_report(call)
    }

    /// Judge a document by a JSON Schema. `POST /v1/schema/validate`; scope: check.
    pub fn schema_validate(&self, schema: &Value, instance: &Value) -> Result<Report> {
        let mut call = Call::new(&SCHEMA_VALIDATE, &Options::new());
        call.set_member("schema", json!(schema));
        call.set_member("instance", json!(instance));
        self.run_report(call)
    }

    /// Compare two versions of a payload schema. `POST /v1/schema/compat`; scope: check.
    /// Options: `mode`, `root`.
    pub fn schema_compat(&self, old: &Value, new: &Value, options: &Options) -> Result<Report> {
        let mut call = Call::new(&SCHEMA_COMPAT, options);
        call.set_member("old", json!(old));
        call.set_member("new", json!(new));
        self.run_report(call)
    }

    /// Judge the contract block of a message. `POST /v1/contract/check`; scope: check. Options:
    /// `path`, `fail_level`, `root`, `today`, `now`, `direction`, `bare`, `runtime_agent_id`,
    /// `input`.
    pub fn contract_check(&self, document: &[u8], options: &Options) -> Result<Report> {
        let mut call = Call::new(&CONTRACT_CHECK, options);
        call.set_body(document);
        self.run_report(call)
    }

    /// Say what an agent must change about its contract block. `POST
    /// /v1/contract/repair-prompt`; scope: check. Options: `path`, `root`, `today`, `now`,
    /// `attempt`, `bare`, `runtime_agent_id`, `max_rejections`, `input`.
    pub fn contract_repair_prompt(&self, document: &[u8], options: &Options) -> Result<Report> {
        let mut call = Call::new(&CONTRACT_REPAIR_PROMPT, options);
        call.set_body(document);
        self.run_report(call)
    }

    /// Merge the payload of an update into a section. `POST /v1/contract/merge`; scope: check.
    pub fn contract_merge(&self, stored: &Value, payload: &Value) -> Result<Report> {
        let mut call = Call::new(&CONTRACT_MERGE, &Options::new());
        call.set_member("stored", json!(stored));
        call.set_member("payload", json!(payload));
        self.run_report(call)
    }

    /// Make a block to be filled in. `GET /v1/contract/template`; scope: check. Options:
    /// `status`, `agent_id`, `consolidation_required`, `guide`.
    pub fn contract_template(&self, options: &Options) -> Result<Value> {
        self.run_value(Call::new(&CONTRACT_TEMPLATE, options))
    }

    /// Verify a receipt. `POST /v1/ledger/verify-receipt`; scope: check. Options: `document`,
    /// `document_base64`, `witness_key`, `require_witness`, `any_verdict`.
    pub fn verify_receipt(
        &self,
        receipt: &Value,
        vkey: &[&str],
        options: &Options,
    ) -> Result<Report> {
        let mut call = Call::new(&VERIFY_RECEIPT, options);
        call.set_member("receipt", json!(receipt));
        call.set_member("vkey", json!(vkey));
        self.run_report(call)
    }

    /// List the rules. `GET /v1/rules`; scope: check.
    pub fn list_rules(&self) -> Result<Value> {
        self.run_value(Call::new(&LIST_RULES, &Options::new()))
    }

    /// Show what a code means. `GET /v1/rules/{code}`; scope: check.
    pub fn get_rule(&self, code: &str) -> Result<Value> {
        let mut call = Call::new(&GET_RULE, &Options::new());
        call.set_path("code", code);
        self.run_value(call)
    }

    /// List the schemas of what Baton reads. `GET /v1/schemas`; scope: check.
    pub fn list_schemas(&self) -> Result<Value> {
        self.run_value(Call::new(&LIST_SCHEMAS, &Options::new()))
    }

    /// Get a schema. `GET /v1/schemas/{name}`; scope: check. Options: `accept`.
    pub fn get_schema(&self, name: &str, options: &Options) -> Result<Value> {
        let mut call = Call::new(&GET_SCHEMA, options);
        call.set_path("name", name);
        self.run_value(call)
    }

    /// Tell who the caller is, and what it may do. `GET /v1/whoami`; scope: check.
    pub fn whoami(&self) -> Result<Value> {
        self.run_value(Call::new(&WHOAMI, &Options::new()))
    }

    /// Tell the version of the server. `GET /v1/version`; scope: check.
    pub fn version(&self) -> Result<Value> {
        self.run_value(Call::new(&VERSION_OPERATION, &Options::new()))
    }

    /// Follow entries of the ledger as they are committed. `GET /v1/handoffs/stream`; scope:
    /// submit. Options: `dialect`, `verdict`, `kind`, `handoff_id`, `trace_id`, `source`,
    /// `target`, `agent`, `code`, `event`, `since`, `until`, `after`.
    pub fn stream_handoffs(&self, options: &Options) -> Result<Events<'_>> {
        self.run_events(Call::new(&STREAM_HANDOFFS, options))
    }

    /// Judge, record and deliver a handoff. `POST /v1/handoffs`; scope: submit. Options: `as`,
    /// `path`, `fail_level`, `fail_fast`, `root`, `tokens`, `budget`, `section_limit`,
    /// `semantics`, `chain`, `strict_expiry`, `edges`, `runtime_agent_id`, `max_rejections`,
    /// `id`, `workspace`, `session`, `withhold`, `document`, `structure_only`, `input`, `key`.
    pub fn submit_handoff(&self, document: &[u8], options: &Options) -> Result<Submission> {
        let mut call = Call::new(&SUBMIT_HANDOFF, options);
        call.set_body(document);
        self.run_submission(call)
    }

    /// List entries of the ledger, newest first. `GET /v1/handoffs`; scope: submit. Options:
    /// `dialect`, `verdict`, `kind`, `handoff_id`, `trace_id`, `source`, `target`, `agent`,
    /// `code`, `event`, `since`, `until`, `after`, `order`, `limit`.
    pub fn list_handoffs(&self, options: &Options) -> Result<Value> {
        self.run_value(Call::new(&LIST_HANDOFFS, options))
    }

    /// Dispatch a governed handoff. `POST /v1/dispatch`; scope: submit. Options: `key`.
    pub fn dispatch(&self, body: &[u8], options: &Options) -> Result<Value> {
        let mut call = Call::new(&DISPATCH, options);
        call.set_body(body);
        self.run_value(call)
    }

    /// Submit a governed handoff. `POST /v1/govern/submit`; scope: submit. Options: `path`,
    /// `root`, `withhold`, `document`, `structure_only`, `key`.
    pub fn govern_submit(&self, document: &[u8], options: &Options) -> Result<Submission> {
        let mut call = Call::new(&GOVERN_SUBMIT, options);
        call.set_body(document);
        self.run_submission(call)
    }

    /// Submit the response to a governed handoff. `POST /v1/govern/respond`; scope: submit.
    /// Options: `path`, `root`, `withhold`, `document`, `structure_only`, `key`.
    pub fn govern_respond(&self, document: &[u8], options: &Options) -> Result<Submission> {
        let mut call = Call::new(&GOVERN_RESPOND, options);
        call.set_body(document);
        self.run_submission(call)
    }

    /// Count entries of the ledger in buckets of time. `GET /v1/stats`; scope: submit. Options:
    /// `since`, `until`, `bucket`, `by`.
    pub fn get_stats(&self, options: &Options) -> Result<Value> {
        self.run_value(Call::new(&GET_STATS, options))
    }

    /// Show one handoff. `GET /v1/handoffs/{id}`; scope: submit.
    pub fn get_handoff(&self, id: &str) -> Result<Value> {
        let mut call = Call::new(&GET_HANDOFF, &Options::new());
        call.set_path("id", id);
        self.run_value(call)
    }

    /// Get the document of a handoff as it came. `GET /v1/handoffs/{id}/document`; scope:
    /// submit.
    pub fn get_document(&self, id: &str) -> Result<Vec<u8>> {
        let mut call = Call::new(&GET_DOCUMENT, &Options::new());
        call.set_path("id", id);
        self.run_bytes(call)
    }

    /// Judge the document of a handoff again. `GET /v1/handoffs/{id}/report`; scope: submit.
    pub fn get_report(&self, id: &str) -> Result<Report> {
        let mut call = Call::new(&GET_REPORT, &Options::new());
        call.set_path("id", id);
        self.run_report(call)
    }

    /// Show what repair would make of the document of a handoff. `GET /v1/handoffs/{id}/repair`;
    /// scope: submit.
    pub fn get_repair(&self, id: &str) -> Result<Report> {
        let mut call = Call::new(&GET_REPAIR, &Options::new());
        call.set_path("id", id);
        self.run_report(call)
    }

    /// Get the receipt of a handoff. `GET /v1/handoffs/{id}/receipt`; scope: submit. Options:
    /// `format`, `predicate`, `accept`.
    pub fn get_receipt(&self, id: &str, options: &Options) -> Result<Vec<u8>> {
        let mut call = Call::new(&GET_RECEIPT, options);
        call.set_path("id", id);
        self.run_bytes(call)
    }

    /// List what waits in the inboxes of all agents. `GET /v1/inboxes`; scope: operate.
    pub fn list_inboxes(&self) -> Result<Value> {
        self.run_value(Call::new(&LIST_INBOXES, &Options::new()))
    }

    /// Deliver an item again that was given up. `POST /v1/deliveries/{message}/retry`; scope:
    /// operate. Options: `key`.
    pub fn retry_delivery(&self, message: &str, options: &Options) -> Result<Value> {
        let mut call = Call::new(&RETRY_DELIVERY, options);
        call.set_path("message", message);
        self.run_value(call)
    }

    /// Take what waits for an agent, under a lease. `POST /v1/inbox/{agent}/take`; scope:
    /// submit. Options: `max`, `lease_s`, `wait_s`, `receipts`, `key`.
    pub fn take_handoffs(&self, agent: &str, options: &Options) -> Result<Value> {
        let mut call = Call::new(&TAKE_HANDOFFS, options);
        call.set_path("agent", agent);
        self.run_value(call)
    }

    /// Say how deliveries ended. `POST /v1/inbox/{agent}/finish`; scope: submit. Options: `key`.
    pub fn finish_handoffs(&self, agent: &str, items: &Value, options: &Options) -> Result<Value> {
        let mut call = Call::new(&FINISH_HANDOFFS, options);
        call.set_path("agent", agent);
        call.set_member("items", json!(items));
        self.run_value(call)
    }

    /// List the agents that are blocked. `GET /v1/govern/blocked`; scope: operate.
    pub fn list_blocked(&self) -> Result<Value> {
        self.run_value(Call::new(&LIST_BLOCKED, &Options::new()))
    }

    /// Find the shortest allowed way from one agent to another. `GET /v1/govern/path`; scope:
    /// operate. Options: `from`, `to`.
    pub fn govern_path(&self, options: &Options) -> Result<Value> {
        self.run_value(Call::new(&GOVERN_PATH, options))
    }

    /// Judge the whole catalogue of agents. `GET /v1/govern/root`; scope: operate.
    pub fn verify_root(&self) -> Result<Report> {
        self.run_report(Call::new(&VERIFY_ROOT, &Options::new()))
    }

    /// Lift the block of an agent, with a reason. `POST /v1/govern/unblock`; scope: operate.
    /// Options: `key`.
    pub fn unblock(&self, agent: &str, reason: &str, options: &Options) -> Result<Value> {
        let mut call = Call::new(&UNBLOCK, options);
        call.set_member("agent", json!(agent));
        call.set_member("reason", json!(reason));
        self.run_value(call)
    }

    /// Show what agents reported last. `GET /v1/contract/state`; scope: submit. Options:
    /// `workspace`, `session`, `agent`.
    pub fn contract_state(&self, options: &Options) -> Result<Value> {
        self.run_value(Call::new(&CONTRACT_STATE, options))
    }

    /// Forget what an agent reported. `DELETE /v1/contract/state`; scope: operate. Options:
    /// `workspace`, `session`, `agent`.
    pub fn clear_contract_state(&self, options: &Options) -> Result<Value> {
        self.run_value(Call::new(&CLEAR_CONTRACT_STATE, options))
    }

    /// Let an agent go on after an answer or a new task. `POST /v1/contract/resume`; scope:
    /// operate. Options: `agent`, `workspace`, `session`, `key`.
    pub fn contract_resume(&self, options: &Options) -> Result<Value> {
        self.run_value(Call::new(&CONTRACT_RESUME, options))
    }

    /// Keep an INPUT for an agent or a type of agents. `PUT /v1/contract/input`; scope: operate.
    /// Options: `workspace`, `session`, `agent`, `agent_type`.
    pub fn store_contract_input(&self, body: &[u8], options: &Options) -> Result<Value> {
        let mut call = Call::new(&STORE_CONTRACT_INPUT, options);
        call.set_body(body);
        self.run_value(call)
    }

    /// Show the sections that reports have updated. `GET /v1/contract/sections`; scope: submit.
    /// Options: `workspace`, `name`, `history`.
    pub fn contract_sections(&self, options: &Options) -> Result<Value> {
        self.run_value(Call::new(&CONTRACT_SECTIONS, options))
    }

    /// List requests for consent. `GET /v1/approvals`; scope: approve. Options: `status`.
    pub fn list_approvals(&self, options: &Options) -> Result<Value> {
        self.run_value(Call::new(&LIST_APPROVALS, options))
    }

    /// Use a grant for a command, once. `POST /v1/approvals/use`; scope: submit. Options:
    /// `command`, `command_base64`, `id`, `agent`, `workspace`, `key`.
    pub fn use_approval(&self, options: &Options) -> Result<Value> {
        self.run_value(Call::new(&USE_APPROVAL, options))
    }

    /// Get one request for consent. `GET /v1/approvals/{id}`; scope: submit.
    pub fn get_approval(&self, id: &str) -> Result<Value> {
        let mut call = Call::new(&GET_APPROVAL, &Options::new());
        call.set_path("id", id);
        self.run_value(call)
    }

    /// Show a request to a person. `POST /v1/approvals/{id}/show`; scope: approve. Options:
    /// `key`.
    pub fn show_approval(&self, id: &str, options: &Options) -> Result<Value> {
        let mut call = Call::new(&SHOW_APPROVAL, options);
        call.set_path("id", id);
        self.run_value(call)
    }

    /// Grant what was shown. `POST /v1/approvals/{id}/grant`; scope: approve. Options: `ttl`,
    /// `key`.
    pub fn grant_approval(&self, id: &str, fingerprint: &str, options: &Options) -> Result<Value> {
        let mut call = Call::new(&GRANT_APPROVAL, options);
        call.set_path("id", id);
        call.set_member("fingerprint", json!(fingerprint));
        self.run_value(call)
    }

    /// Deny a request. `POST /v1/approvals/{id}/deny`; scope: approve. Options: `reason`, `key`.
    pub fn deny_approval(&self, id: &str, options: &Options) -> Result<Value> {
        let mut call = Call::new(&DENY_APPROVAL, options);
        call.set_path("id", id);
        self.run_value(call)
    }

    /// Revoke a grant or request. `POST /v1/approvals/{id}/revoke`; scope: approve. Options:
    /// `reason`, `key`.
    pub fn revoke_approval(&self, id: &str, options: &Options) -> Result<Value> {
        let mut call = Call::new(&REVOKE_APPROVAL, options);
        call.set_path("id", id);
        self.run_value(call)
    }

    /// List the newest traces. `GET /v1/traces`; scope: submit. Options: `limit`.
    pub fn list_traces(&self, options: &Options) -> Result<Value> {
        self.run_value(Call::new(&LIST_TRACES, options))
    }

    /// Show the handoffs of a trace. `GET /v1/traces/{trace_id}`; scope: submit.
    pub fn get_trace(&self, trace_id: &str) -> Result<Value> {
        let mut call = Call::new(&GET_TRACE, &Options::new());
        call.set_path("trace_id", trace_id);
        self.run_value(call)
    }

    /// Draw the way of a trace from agent to agent. `GET /v1/traces/{trace_id}/graph`; scope:
    /// submit. Options: `format`, `accept`.
    pub fn get_trace_graph(&self, trace_id: &str, options: &Options) -> Result<Vec<u8>> {
        let mut call = Call::new(&GET_TRACE_GRAPH, options);
        call.set_path("trace_id", trace_id);
        self.run_bytes(call)
    }

    /// Show the newest checkpoint. `GET /v1/ledger`; scope: check.
    pub fn get_ledger(&self) -> Result<Value> {
        self.run_value(Call::new(&GET_LEDGER, &Options::new()))
    }

    /// Prove that the log extends an older state of it. `GET /v1/ledger/proof/consistency`;
    /// scope: check. Options: `old`, `size`.
    pub fn prove_consistency(&self, options: &Options) -> Result<Value> {
        self.run_value(Call::new(&PROVE_CONSISTENCY, options))
    }

    /// Prove that an entry is in the log. `GET /v1/ledger/proof/inclusion`; scope: submit.
    /// Options: `seq`, `size`.
    pub fn prove_inclusion(&self, options: &Options) -> Result<Value> {
        self.run_value(Call::new(&PROVE_INCLUSION, options))
    }

    /// List entries of any kind. `GET /v1/ledger/entries`; scope: operate. Options: `from`,
    /// `limit`, `kind`, `verdict`.
    pub fn list_entries(&self, options: &Options) -> Result<Value> {
        self.run_value(Call::new(&LIST_ENTRIES, options))
    }

    /// Show one entry. `GET /v1/ledger/entries/{seq}`; scope: operate.
    pub fn get_entry(&self, seq: i64) -> Result<Value> {
        let mut call = Call::new(&GET_ENTRY, &Options::new());
        call.set_path("seq", seq);
        self.run_value(call)
    }

    /// Show the peers that cosign this log. `GET /v1/ledger/peers`; scope: operate.
    pub fn list_peers(&self) -> Result<Value> {
        self.run_value(Call::new(&LIST_PEERS, &Options::new()))
    }

    /// Show the public keys of the log in every form. `GET /v1/ledger/keys`; scope: check.
    pub fn ledger_keys(&self) -> Result<Value> {
        self.run_value(Call::new(&LEDGER_KEYS, &Options::new()))
    }

    /// Look for what is missing. `GET /v1/ledger/audit`; scope: operate. Options: `from`, `to`,
    /// `max_silence`, `max_open`.
    pub fn audit_ledger(&self, options: &Options) -> Result<Report> {
        self.run_report(Call::new(&AUDIT_LEDGER, options))
    }

    /// List what is kept from being deleted. `GET /v1/ledger/holds`; scope: operate.
    pub fn list_holds(&self) -> Result<Value> {
        self.run_value(Call::new(&LIST_HOLDS, &Options::new()))
    }

    /// Keep documents from being deleted, and record that. `POST /v1/ledger/holds`; scope:
    /// admin. Options: `trace`, `handoff`, `document`, `key`.
    pub fn set_hold(&self, reason: &str, options: &Options) -> Result<Value> {
        let mut call = Call::new(&SET_HOLD, options);
        call.set_member("reason", json!(reason));
        self.run_value(call)
    }

    /// Let documents be deleted again, and record that. `POST /v1/ledger/holds/release`; scope:
    /// admin. Options: `trace`, `handoff`, `document`, `key`.
    pub fn release_hold(&self, reason: &str, options: &Options) -> Result<Value> {
        let mut call = Call::new(&RELEASE_HOLD, options);
        call.set_member("reason", json!(reason));
        self.run_value(call)
    }

    /// Keep cosignatures of the newest checkpoint. `POST /v1/ledger/cosignatures`; scope:
    /// operate. Options: `witness_key`, `key`.
    pub fn add_cosignatures(&self, body: &[u8], options: &Options) -> Result<Value> {
        let mut call = Call::new(&ADD_COSIGNATURES, options);
        call.set_body(body);
        self.run_value(call)
    }

    /// Put a case into one file. `POST /v1/ledger/bundle`; scope: operate. Options: `from`,
    /// `to`, `handoff`, `trace`, `agent`, `no_documents`, `max_document`, `title`, `accept`.
    pub fn make_bundle(&self, options: &Options) -> Result<Value> {
        self.run_value(Call::new(&MAKE_BUNDLE, options))
    }

    /// Delete the bytes of a document, and record that. `POST /v1/ledger/redact`; scope: admin.
    /// Options: `seq`, `sha256`, `key`.
    pub fn redact_document(&self, reason: &str, options: &Options) -> Result<Value> {
        let mut call = Call::new(&REDACT_DOCUMENT, options);
        call.set_member("reason", json!(reason));
        self.run_value(call)
    }

    /// The newest checkpoint as a signed note. `GET /ledger/checkpoint`; scope: operate.
    pub fn tlog_checkpoint(&self) -> Result<Vec<u8>> {
        self.run_bytes(Call::new(&TLOG_CHECKPOINT, &Options::new()))
    }

    /// A tile or bundle of entries of the log. `GET /ledger/tile/{path}`; scope: operate.
    pub fn tlog_tile(&self, path: &str) -> Result<Vec<u8>> {
        let mut call = Call::new(&TLOG_TILE, &Options::new());
        call.set_path("path", path);
        self.run_bytes(call)
    }

    /// Register a signed statement. `POST /entries`; scope: submit. Options: `key`.
    pub fn scitt_register(&self, body: &[u8], options: &Options) -> Result<Vec<u8>> {
        let mut call = Call::new(&SCITT_REGISTER, options);
        call.set_body(body);
        self.run_bytes(call)
    }

    /// The COSE receipt of an entry. `GET /entries/{seq}`; scope: submit.
    pub fn scitt_receipt(&self, seq: i64) -> Result<Vec<u8>> {
        let mut call = Call::new(&SCITT_RECEIPT, &Options::new());
        call.set_path("seq", seq);
        self.run_bytes(call)
    }

    /// One public key of the log as COSE_Key. `GET /.well-known/scitt-keys/{kid}`; scope: none.
    pub fn scitt_key(&self, kid: &str) -> Result<Vec<u8>> {
        let mut call = Call::new(&SCITT_KEY, &Options::new());
        call.set_path("kid", kid);
        self.run_bytes(call)
    }

    /// The public keys of the log as a COSE Key Set. `GET /.well-known/scitt-keys`; scope: none.
    pub fn scitt_keys(&self) -> Result<Vec<u8>> {
        self.run_bytes(Call::new(&SCITT_KEYS, &Options::new()))
    }

    /// Ask this server's witness to cosign a checkpoint. `POST /witness/add-checkpoint`; scope:
    /// none.
    pub fn witness_add_checkpoint(&self, body: &[u8]) -> Result<Value> {
        let mut call = Call::new(&WITNESS_ADD_CHECKPOINT, &Options::new());
        call.set_body(body);
        self.run_value(call)
    }

    /// The checkpoint that the witness has cosigned. `GET /witness/{origin_hash}/checkpoint`;
    /// scope: none.
    pub fn witness_checkpoint(&self, origin_hash: &str) -> Result<Vec<u8>> {
        let mut call = Call::new(&WITNESS_CHECKPOINT, &Options::new());
        call.set_path("origin_hash", origin_hash);
        self.run_bytes(call)
    }

    /// Answer an event of an agent host. `POST /v1/hooks/{host}`; scope: submit. Options:
    /// `observe`, `fail_closed`, `agents`, `workspace`.
    pub fn hook(&self, host: &str, body: &[u8], options: &Options) -> Result<Value> {
        let mut call = Call::new(&HOOK, options);
        call.set_path("host", host);
        call.set_body(body);
        self.run_value(call)
    }

    /// Show the configuration in force. `GET /v1/admin/config`; scope: admin.
    pub fn admin_config(&self) -> Result<Value> {
        self.run_value(Call::new(&ADMIN_CONFIG, &Options::new()))
    }

    /// Read configuration, tokens and certificates again. `POST /v1/admin/reload`; scope: admin.
    pub fn admin_reload(&self) -> Result<Value> {
        self.run_value(Call::new(&ADMIN_RELOAD, &Options::new()))
    }

    /// Make a log below the root. `POST /v1/admin/logs`; scope: admin. Options: `entries`.
    pub fn new_log(&self, name: &str, origin: &str, options: &Options) -> Result<Value> {
        let mut call = Call::new(&NEW_LOG, options);
        call.set_member("name", json!(name));
        call.set_member("origin", json!(origin));
        self.run_value(call)
    }

    /// List the logs that the caller may use. `GET /v1/admin/logs`; scope: operate.
    pub fn list_logs(&self) -> Result<Value> {
        self.run_value(Call::new(&LIST_LOGS, &Options::new()))
    }

    /// Send a message to the pump. `POST /v1/pump/send`; scope: submit. Options: `key`.
    pub fn pump_send(&self, body: &[u8], options: &Options) -> Result<Value> {
        let mut call = Call::new(&PUMP_SEND, options);
        call.set_body(body);
        self.run_value(call)
    }

    /// Read what the pump delivered to the caller's thread. `GET
    /// /v1/pump/threads/{thread}/replies`; scope: submit.
    pub fn pump_replies(&self, thread: &str) -> Result<Value> {
        let mut call = Call::new(&PUMP_REPLIES, &Options::new());
        call.set_path("thread", thread);
        self.run_value(call)
    }

    /// Tell how the pump is doing. `GET /v1/pump/status`; scope: operate.
    pub fn pump_status(&self) -> Result<Value> {
        self.run_value(Call::new(&PUMP_STATUS, &Options::new()))
    }

    /// List the listeners. `GET /v1/pump/listeners`; scope: operate.
    pub fn pump_listeners(&self) -> Result<Value> {
        self.run_value(Call::new(&PUMP_LISTENERS, &Options::new()))
    }

    /// Show who may call whom. `GET /v1/pump/graph`; scope: operate. Options: `format`.
    pub fn pump_graph(&self, options: &Options) -> Result<Value> {
        self.run_value(Call::new(&PUMP_GRAPH, options))
    }

    /// Show the history of a thread. `GET /v1/pump/threads/{thread}`; scope: operate. Options:
    /// `client`, `limit`, `offset`, `payloads`.
    pub fn pump_thread(&self, thread: &str, options: &Options) -> Result<Value> {
        let mut call = Call::new(&PUMP_THREAD, options);
        call.set_path("thread", thread);
        self.run_value(call)
    }

    /// Follow the events of the pump. `GET /v1/pump/events`; scope: operate. Options: `after`.
    pub fn pump_events(&self, options: &Options) -> Result<Events<'_>> {
        self.run_events(Call::new(&PUMP_EVENTS, options))
    }

    /// List wrapped MCP servers, and what they did since the server started. `GET
    /// /v1/wrap/servers`; scope: operate.
    pub fn list_wrapped(&self) -> Result<Value> {
        self.run_value(Call::new(&LIST_WRAPPED, &Options::new()))
    }

    /// Compare what a wrapped MCP server shows with its lock. `GET
    /// /v1/wrap/servers/{name}/diff`; scope: operate.
    pub fn wrap_diff(&self, name: &str) -> Result<Report> {
        let mut call = Call::new(&WRAP_DIFF, &Options::new());
        call.set_path("name", name);
        self.run_report(call)
    }

    /// Count recorded calls of wrapped MCP servers by server and tool. `GET /v1/wrap/stats`;
    /// scope: operate. Options: `server`, `since`, `until`.
    pub fn wrap_stats(&self, options: &Options) -> Result<Value> {
        self.run_value(Call::new(&WRAP_STATS, options))
    }

    /// List recorded calls of wrapped MCP servers. `GET /v1/wrap/calls`; scope: submit. Options:
    /// `server`, `tool`, `event`, `session`, `since`, `until`, `after`, `limit`.
    pub fn list_calls(&self, options: &Options) -> Result<Value> {
        self.run_value(Call::new(&LIST_CALLS, options))
    }

    /// Show one recorded call of a wrapped MCP server. `GET /v1/wrap/calls/{seq}`; scope:
    /// submit.
    pub fn get_call(&self, seq: i64) -> Result<Value> {
        let mut call = Call::new(&GET_CALL, &Options::new());
        call.set_path("seq", seq);
        self.run_value(call)
    }

    /// This document. `GET /openapi.json`; scope: none.
    pub fn openapi(&self) -> Result<Value> {
        self.run_value(Call::new(&OPENAPI, &Options::new()))
    }
}
