# SPDX-License-Identifier: Apache-2.0
"""operations.py - made by tools/gen_clients.py from the OpenAPI document of `baton serve`; do not edit."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .._wire import Document, Operation, Outcome, Report, Submission

VERSION = "0.1.0"
OPERATIONS = {
    "healthz": Operation("healthz", "GET", "/healthz", "none", "", "object", ("application/json",), keyed=False, records=False),
    "readyz": Operation("readyz", "GET", "/readyz", "none", "", "object", ("application/json",), keyed=False, records=False),
    "metrics": Operation("metrics", "GET", "/metrics", "none", "", "text", ("text/plain",), keyed=False, records=False),
    "problem": Operation("problem", "GET", "/problems/{code}", "none", "", "text", ("text/plain",), keyed=False, records=False),
    "check": Operation("check", "POST", "/v1/check", "document", "application/octet-stream", "report", ("application/json",), keyed=False, records=False),
    "view": Operation("view", "POST", "/v1/view", "document", "application/octet-stream", "object", ("application/json",), keyed=False, records=False),
    "repair": Operation("repair", "POST", "/v1/repair", "document", "application/octet-stream", "outcome", ("application/json",), keyed=False, records=False),
    "compress": Operation("compress", "POST", "/v1/compress", "document", "application/octet-stream", "outcome", ("application/json",), keyed=False, records=False),
    "convert": Operation("convert", "POST", "/v1/convert", "document", "application/octet-stream", "outcome", ("application/json",), keyed=False, records=False),
    "sealHandoff": Operation("sealHandoff", "POST", "/v1/seal", "document", "application/octet-stream", "outcome", ("application/json",), keyed=False, records=False),
    "newHandoff": Operation("newHandoff", "POST", "/v1/new", "members", "application/json", "outcome", ("application/json",), keyed=False, records=False),
    "retryText": Operation("retryText", "POST", "/v1/retry-text", "members", "application/json", "object", ("application/json",), keyed=False, records=False),
    "renderReport": Operation("renderReport", "POST", "/v1/render", "members", "application/json", "object", ("application/json",), keyed=False, records=False),
    "countTokens": Operation("countTokens", "POST", "/v1/tokens", "bytes", "application/octet-stream", "object", ("application/json",), keyed=False, records=False),
    "planAudit": Operation("planAudit", "POST", "/v1/plan/audit", "document", "application/octet-stream", "report", ("application/json",), keyed=False, records=False),
    "planWaves": Operation("planWaves", "POST", "/v1/plan/waves", "document", "application/octet-stream", "report", ("application/json",), keyed=False, records=False),
    "planTrajectory": Operation("planTrajectory", "POST", "/v1/plan/trajectory", "members", "application/json", "report", ("application/json",), keyed=False, records=False),
    "planValidate": Operation("planValidate", "POST", "/v1/plan/validate", "members", "application/json", "report", ("application/json",), keyed=False, records=False),
    "schemaValidate": Operation("schemaValidate", "POST", "/v1/schema/validate", "members", "application/json", "report", ("application/json",), keyed=False, records=False),
    "schemaCompat": Operation("schemaCompat", "POST", "/v1/schema/compat", "members", "application/json", "report", ("application/json",), keyed=False, records=False),
    "contractCheck": Operation("contractCheck", "POST", "/v1/contract/check", "document", "application/octet-stream", "report", ("application/json",), keyed=False, records=False),
    "contractRepairPrompt": Operation("contractRepairPrompt", "POST", "/v1/contract/repair-prompt", "document", "application/octet-stream", "report", ("application/json",), keyed=False, records=False),
    "contractMerge": Operation("contractMerge", "POST", "/v1/contract/merge", "members", "application/json", "report", ("application/json",), keyed=False, records=False),
    "contractTemplate": Operation("contractTemplate", "GET", "/v1/contract/template", "none", "", "object", ("application/json",), keyed=False, records=False),
    "verifyReceipt": Operation("verifyReceipt", "POST", "/v1/ledger/verify-receipt", "members", "application/json", "report", ("application/json",), keyed=False, records=False),
    "listRules": Operation("listRules", "GET", "/v1/rules", "none", "", "object", ("application/json",), keyed=False, records=False),
    "getRule": Operation("getRule", "GET", "/v1/rules/{code}", "none", "", "object", ("application/json",), keyed=False, records=False),
    "listSchemas": Operation("listSchemas", "GET", "/v1/schemas", "none", "", "object", ("application/json",), keyed=False, records=False),
    "getSchema": Operation("getSchema", "GET", "/v1/schemas/{name}", "none", "", "object", ("application/schema+json", "application/json"), keyed=False, records=False),
    "whoami": Operation("whoami", "GET", "/v1/whoami", "none", "", "object", ("application/json",), keyed=False, records=False),
    "version": Operation("version", "GET", "/v1/version", "none", "", "object", ("application/json",), keyed=False, records=False),
    "streamHandoffs": Operation("streamHandoffs", "GET", "/v1/handoffs/stream", "none", "", "events", ("text/event-stream",), keyed=False, records=False),
    "submitHandoff": Operation("submitHandoff", "POST", "/v1/handoffs", "document", "application/octet-stream", "submission", ("application/json",), keyed=True, records=True),
    "listHandoffs": Operation("listHandoffs", "GET", "/v1/handoffs", "none", "", "object", ("application/json",), keyed=False, records=False),
    "dispatch": Operation("dispatch", "POST", "/v1/dispatch", "json", "application/json", "object", ("application/json",), keyed=True, records=True),
    "governSubmit": Operation("governSubmit", "POST", "/v1/govern/submit", "document", "application/octet-stream", "submission", ("application/json",), keyed=True, records=True),
    "governRespond": Operation("governRespond", "POST", "/v1/govern/respond", "document", "application/octet-stream", "submission", ("application/json",), keyed=True, records=True),
    "getStats": Operation("getStats", "GET", "/v1/stats", "none", "", "object", ("application/json",), keyed=False, records=False),
    "getHandoff": Operation("getHandoff", "GET", "/v1/handoffs/{id}", "none", "", "object", ("application/json",), keyed=False, records=False),
    "getDocument": Operation("getDocument", "GET", "/v1/handoffs/{id}/document", "none", "", "bytes", ("application/octet-stream",), keyed=False, records=False),
    "getReport": Operation("getReport", "GET", "/v1/handoffs/{id}/report", "none", "", "report", ("application/json",), keyed=False, records=False),
    "getRepair": Operation("getRepair", "GET", "/v1/handoffs/{id}/repair", "none", "", "report", ("application/json",), keyed=False, records=False),
    "getReceipt": Operation("getReceipt", "GET", "/v1/handoffs/{id}/receipt", "none", "", "text", ("text/plain", "application/json", "application/cose", "application/vnd.dsse.envelope.v1+json"), keyed=False, records=False),
    "listInboxes": Operation("listInboxes", "GET", "/v1/inboxes", "none", "", "object", ("application/json",), keyed=False, records=False),
    "retryDelivery": Operation("retryDelivery", "POST", "/v1/deliveries/{message}/retry", "none", "", "object", ("application/json",), keyed=True, records=True),
    "takeHandoffs": Operation("takeHandoffs", "POST", "/v1/inbox/{agent}/take", "members", "application/json", "object", ("application/json",), keyed=True, records=True),
    "finishHandoffs": Operation("finishHandoffs", "POST", "/v1/inbox/{agent}/finish", "members", "application/json", "object", ("application/json",), keyed=True, records=True),
    "listBlocked": Operation("listBlocked", "GET", "/v1/govern/blocked", "none", "", "object", ("application/json",), keyed=False, records=False),
    "governPath": Operation("governPath", "GET", "/v1/govern/path", "none", "", "object", ("application/json",), keyed=False, records=False),
    "verifyRoot": Operation("verifyRoot", "GET", "/v1/govern/root", "none", "", "report", ("application/json",), keyed=False, records=False),
    "unblock": Operation("unblock", "POST", "/v1/govern/unblock", "members", "application/json", "object", ("application/json",), keyed=True, records=True),
    "contractState": Operation("contractState", "GET", "/v1/contract/state", "none", "", "object", ("application/json",), keyed=False, records=False),
    "clearContractState": Operation("clearContractState", "DELETE", "/v1/contract/state", "none", "", "object", ("application/json",), keyed=False, records=True),
    "contractResume": Operation("contractResume", "POST", "/v1/contract/resume", "members", "application/json", "object", ("application/json",), keyed=True, records=True),
    "storeContractInput": Operation("storeContractInput", "PUT", "/v1/contract/input", "json", "application/json", "object", ("application/json",), keyed=False, records=True),
    "contractSections": Operation("contractSections", "GET", "/v1/contract/sections", "none", "", "object", ("application/json",), keyed=False, records=False),
    "listApprovals": Operation("listApprovals", "GET", "/v1/approvals", "none", "", "object", ("application/json",), keyed=False, records=False),
    "useApproval": Operation("useApproval", "POST", "/v1/approvals/use", "members", "application/json", "object", ("application/json",), keyed=True, records=True),
    "getApproval": Operation("getApproval", "GET", "/v1/approvals/{id}", "none", "", "object", ("application/json",), keyed=False, records=False),
    "showApproval": Operation("showApproval", "POST", "/v1/approvals/{id}/show", "members", "application/json", "object", ("application/json",), keyed=True, records=True),
    "grantApproval": Operation("grantApproval", "POST", "/v1/approvals/{id}/grant", "members", "application/json", "object", ("application/json",), keyed=True, records=True),
    "denyApproval": Operation("denyApproval", "POST", "/v1/approvals/{id}/deny", "members", "application/json", "object", ("application/json",), keyed=True, records=True),
    "revokeApproval": Operation("revokeApproval", "POST", "/v1/approvals/{id}/revoke", "members", "application/json", "object", ("application/json",), keyed=True, records=True),
    "listTraces": Operation("listTraces", "GET", "/v1/traces", "none", "", "object", ("application/json",), keyed=False, records=False),
    "getTrace": Operation("getTrace", "GET", "/v1/traces/{trace_id}", "none", "", "object", ("application/json",), keyed=False, records=False),
    "getTraceGraph": Operation("getTraceGraph", "GET", "/v1/traces/{trace_id}/graph", "none", "", "bytes", ("application/json", "text/plain", "text/vnd.graphviz", "image/svg+xml"), keyed=False, records=False),
    "getLedger": Operation("getLedger", "GET", "/v1/ledger", "none", "", "object", ("application/json",), keyed=False, records=False),
    "proveConsistency": Operation("proveConsistency", "GET", "/v1/ledger/proof/consistency", "none", "", "object", ("application/json",), keyed=False, records=False),
    "proveInclusion": Operation("proveInclusion", "GET", "/v1/ledger/proof/inclusion", "none", "", "object", ("application/json",), keyed=False, records=False),
    "listEntries": Operation("listEntries", "GET", "/v1/ledger/entries", "none", "", "object", ("application/json",), keyed=False, records=False),
    "getEntry": Operation("getEntry", "GET", "/v1/ledger/entries/{seq}", "none", "", "object", ("application/json",), keyed=False, records=False),
    "listPeers": Operation("listPeers", "GET", "/v1/ledger/peers", "none", "", "object", ("application/json",), keyed=False, records=False),
    "ledgerKeys": Operation("ledgerKeys", "GET", "/v1/ledger/keys", "none", "", "object", ("application/json",), keyed=False, records=False),
    "auditLedger": Operation("auditLedger", "GET", "/v1/ledger/audit", "none", "", "report", ("application/json",), keyed=False, records=False),
    "listHolds": Operation("listHolds", "GET", "/v1/ledger/holds", "none", "", "object", ("application/json",), keyed=False, records=False),
    "setHold": Operation("setHold", "POST", "/v1/ledger/holds", "members", "application/json", "object", ("application/json",), keyed=True, records=True),
    "releaseHold": Operation("releaseHold", "POST", "/v1/ledger/holds/release", "members", "application/json", "object", ("application/json",), keyed=True, records=True),
    "addCosignatures": Operation("addCosignatures", "POST", "/v1/ledger/cosignatures", "bytes", "application/octet-stream", "object", ("application/json",), keyed=True, records=True),
    "makeBundle": Operation("makeBundle", "POST", "/v1/ledger/bundle", "members", "application/json", "object", ("application/json", "text/html"), keyed=False, records=True),
    "redactDocument": Operation("redactDocument", "POST", "/v1/ledger/redact", "members", "application/json", "object", ("application/json",), keyed=True, records=True),
    "tlogCheckpoint": Operation("tlogCheckpoint", "GET", "/ledger/checkpoint", "none", "", "text", ("text/plain",), keyed=False, records=False),
    "tlogTile": Operation("tlogTile", "GET", "/ledger/tile/{path}", "none", "", "bytes", ("application/octet-stream",), keyed=False, records=False),
    "scittRegister": Operation("scittRegister", "POST", "/entries", "bytes", "application/cose", "bytes", ("application/cose",), keyed=True, records=True),
    "scittReceipt": Operation("scittReceipt", "GET", "/entries/{seq}", "none", "", "bytes", ("application/cose",), keyed=False, records=False),
    "scittKey": Operation("scittKey", "GET", "/.well-known/scitt-keys/{kid}", "none", "", "bytes", ("application/cbor",), keyed=False, records=False),
    "scittKeys": Operation("scittKeys", "GET", "/.well-known/scitt-keys", "none", "", "bytes", ("application/cbor",), keyed=False, records=False),
    "witnessAddCheckpoint": Operation("witnessAddCheckpoint", "POST", "/witness/add-checkpoint", "bytes", "application/octet-stream", "object", ("application/json",), keyed=False, records=True),
    "witnessCheckpoint": Operation("witnessCheckpoint", "GET", "/witness/{origin_hash}/checkpoint", "none", "", "text", ("text/plain",), keyed=False, records=False),
    "hook": Operation("hook", "POST", "/v1/hooks/{host}", "json", "application/json", "object", ("application/json",), keyed=False, records=True),
    "adminConfig": Operation("adminConfig", "GET", "/v1/admin/config", "none", "", "object", ("application/json",), keyed=False, records=False),
    "adminReload": Operation("adminReload", "POST", "/v1/admin/reload", "none", "", "object", ("application/json",), keyed=False, records=True),
    "newLog": Operation("newLog", "POST", "/v1/admin/logs", "members", "application/json", "object", ("application/json",), keyed=False, records=True),
    "listLogs": Operation("listLogs", "GET", "/v1/admin/logs", "none", "", "object", ("application/json",), keyed=False, records=False),
    "pumpSend": Operation("pumpSend", "POST", "/v1/pump/send", "bytes", "application/octet-stream", "object", ("application/json",), keyed=True, records=True),
    "pumpReplies": Operation("pumpReplies", "GET", "/v1/pump/threads/{thread}/replies", "none", "", "object", ("application/json",), keyed=False, records=False),
    "pumpStatus": Operation("pumpStatus", "GET", "/v1/pump/status", "none", "", "object", ("application/json",), keyed=False, records=False),
    "pumpListeners": Operation("pumpListeners", "GET", "/v1/pump/listeners", "none", "", "object", ("application/json",), keyed=False, records=False),
    "pumpGraph": Operation("pumpGraph", "GET", "/v1/pump/graph", "none", "", "object", ("application/json",), keyed=False, records=False),
    "pumpThread": Operation("pumpThread", "GET", "/v1/pump/threads/{thread}", "none", "", "object", ("application/json",), keyed=False, records=False),
    "pumpEvents": Operation("pumpEvents", "GET", "/v1/pump/events", "none", "", "events", ("text/event-stream",), keyed=False, records=False),
    "listWrapped": Operation("listWrapped", "GET", "/v1/wrap/servers", "none", "", "object", ("application/json",), keyed=False, records=False),
    "wrapDiff": Operation("wrapDiff", "GET", "/v1/wrap/servers/{name}/diff", "none", "", "report", ("application/json",), keyed=False, records=False),
    "wrapStats": Operation("wrapStats", "GET", "/v1/wrap/stats", "none", "", "object", ("application/json",), keyed=False, records=False),
    "listCalls": Operation("listCalls", "GET", "/v1/wrap/calls", "none", "", "object", ("application/json",), keyed=False, records=False),
    "getCall": Operation("getCall", "GET", "/v1/wrap/calls/{seq}", "none", "", "object", ("application/json",), keyed=False, records=False),
    "openapi": Operation("openapi", "GET", "/openapi.json", "none", "", "object", ("application/json",), keyed=False, records=False),
}


class Operations:
    """One method for each operation of the server."""

    def _run(self, operation: Operation, **call: Any) -> Any:
        raise NotImplementedError

    def _events(self, operation: Operation, **call: Any) -> Iterator[dict[str, Any]]:
        raise NotImplementedError

    def healthz(self) -> dict[str, Any]:
        """Whether the server is alive. GET /healthz; scope: none."""
        return self._run(OPERATIONS["healthz"])

    def readyz(self) -> dict[str, Any]:
        """Whether the server can do its work. GET /readyz; scope: none."""
        return self._run(OPERATIONS["readyz"])

    def metrics(self) -> Any:
        """Figures to watch, in the text form of Prometheus. GET /metrics; scope: operate."""
        return self._run(OPERATIONS["metrics"])

    def problem(self, code: str) -> Any:
        """What a problem means and what to do. GET /problems/{code}; scope: none."""
        return self._run(OPERATIONS["problem"], at={"code": code})

    def check(
            self, document: Document, /, dialect: str | None = None, *, path: str | None = None, fail_level: str | None = None,
            fail_fast: bool | None = None, root: str | None = None, today: str | None = None, now: str | None = None, tokens: str | None = None,
            budget: int | None = None, section_limit: str | None = None, semantics: str | None = None, chain: str | None = None,
            strict_expiry: bool | None = None, edges: str | None = None, direction: str | None = None, bare: bool | None = None,
            runtime_agent_id: str | None = None, structure_only: bool | None = None, input: Any | None = None, **options: Any) -> Report:
        """Judge documents. POST /v1/check; scope: check."""
        return self._run(
                OPERATIONS["check"], query={"as": dialect, "path": path, "fail_level": fail_level, "fail_fast": fail_fast, "root": root,
                "today": today, "now": now, "tokens": tokens, "budget": budget, "section_limit": section_limit, "semantics": semantics,
                "chain": chain, "strict_expiry": strict_expiry, "edges": edges, "direction": direction, "bare": bare,
                "runtime_agent_id": runtime_agent_id, "structure_only": structure_only, **options}, body=document, members={"input": input})

    def view(
            self, document: Document, /, dialect: str | None = None, *, path: str | None = None, fail_level: str | None = None,
            fail_fast: bool | None = None, root: str | None = None, today: str | None = None, now: str | None = None, tokens: str | None = None,
            budget: int | None = None, section_limit: str | None = None, semantics: str | None = None, chain: str | None = None,
            strict_expiry: bool | None = None, **options: Any) -> dict[str, Any]:
        """Show a universal handoff as its receiver should read it. POST /v1/view; scope: check."""
        return self._run(
                OPERATIONS["view"], query={"as": dialect, "path": path, "fail_level": fail_level, "fail_fast": fail_fast, "root": root,
                "today": today, "now": now, "tokens": tokens, "budget": budget, "section_limit": section_limit, "semantics": semantics,
                "chain": chain, "strict_expiry": strict_expiry, **options}, body=document)

    def repair(
            self, document: Document, /, dialect: str | None = None, *, path: str | None = None, root: str | None = None, today: str | None = None,
            now: str | None = None, tokens: str | None = None, budget: int | None = None, section_limit: str | None = None,
            semantics: str | None = None, chain: str | None = None, strict_expiry: bool | None = None, attempt: int | None = None,
            literal: bool | None = None, emit_prompt: bool | None = None, prompt: str | None = None, edges: str | None = None,
            bare: bool | None = None, runtime_agent_id: str | None = None, max_rejections: int | None = None, answer: Any | None = None,
            **options: Any) -> Outcome:
        """Repair a document. POST /v1/repair; scope: check."""
        return self._run(
                OPERATIONS["repair"], query={"as": dialect, "path": path, "root": root, "today": today, "now": now, "tokens": tokens,
                "budget": budget, "section_limit": section_limit, "semantics": semantics, "chain": chain, "strict_expiry": strict_expiry,
                "attempt": attempt, "literal": literal, "emit_prompt": emit_prompt, "prompt": prompt, "edges": edges, "bare": bare,
                "runtime_agent_id": runtime_agent_id, "max_rejections": max_rejections, **options}, body=document, members={"answer": answer})

    def compress(
            self, document: Document, /, dialect: str | None = None, *, path: str | None = None, root: str | None = None, today: str | None = None,
            now: str | None = None, tokens: str | None = None, budget: int | None = None, section_limit: str | None = None,
            semantics: str | None = None, chain: str | None = None, strict_expiry: bool | None = None, literal: bool | None = None, **options: Any) -> Outcome:
        """Shorten a universal handoff to its budget. POST /v1/compress; scope: check."""
        return self._run(
                OPERATIONS["compress"], query={"as": dialect, "path": path, "root": root, "today": today, "now": now, "tokens": tokens,
                "budget": budget, "section_limit": section_limit, "semantics": semantics, "chain": chain, "strict_expiry": strict_expiry,
                "literal": literal, **options}, body=document)

    def convert(
            self, document: Document, /, dialect: str | None = None, *, path: str | None = None, root: str | None = None, today: str | None = None,
            now: str | None = None, tokens: str | None = None, budget: int | None = None, section_limit: str | None = None,
            semantics: str | None = None, chain: str | None = None, strict_expiry: bool | None = None, to: str | None = None,
            source_dialect: str | None = None, step: str | None = None, **options: Any) -> Outcome:
        """Convert a document to a universal handoff. POST /v1/convert; scope: check."""
        return self._run(
                OPERATIONS["convert"], query={"as": dialect, "path": path, "root": root, "today": today, "now": now, "tokens": tokens,
                "budget": budget, "section_limit": section_limit, "semantics": semantics, "chain": chain, "strict_expiry": strict_expiry, "to": to,
                "from": source_dialect, "step": step, **options}, body=document)

    def seal_handoff(
            self, document: Document, /, dialect: str | None = None, *, path: str | None = None, root: str | None = None, today: str | None = None,
            now: str | None = None, tokens: str | None = None, budget: int | None = None, section_limit: str | None = None,
            semantics: str | None = None, chain: str | None = None, strict_expiry: bool | None = None, reseal: bool | None = None, **options: Any) -> Outcome:
        """Set hash, size and token count of a universal handoff. POST /v1/seal; scope: check."""
        return self._run(
                OPERATIONS["sealHandoff"], query={"as": dialect, "path": path, "root": root, "today": today, "now": now, "tokens": tokens,
                "budget": budget, "section_limit": section_limit, "semantics": semantics, "chain": chain, "strict_expiry": strict_expiry,
                "reseal": reseal, **options}, body=document)

    def new_handoff(
            self, source: str, target: str, summary: str, session_path: str | None = None, workflow_id: str | None = None, phase: str | None = None,
            problem_type: str | None = None, working: Any | None = None, session: Any | None = None, references: Any | None = None,
            original_prompt: str | None = None, focus: Sequence[str] | None = None, gap: Sequence[str] | None = None,
            criterion: Sequence[str] | None = None, category: str | None = None, invocation: str | None = None, expected_phase: str | None = None,
            confidence: str | None = None, reason: str | None = None, approved: bool | None = None, expires_at: str | None = None,
            trace_id: str | None = None, continue_: Any | None = None, parent_span: str | None = None, tag: Any | None = None,
            no_seal: bool | None = None, style: str | None = None, budget_tokens: int | None = None, budget_cost: str | None = None,
            spent_tokens: int | None = None, spent_cost: str | None = None, options: Any | None = None) -> Outcome:
        """Make a universal handoff from its parts. POST /v1/new; scope: check."""
        return self._run(
                OPERATIONS["newHandoff"], members={"source": source, "target": target, "summary": summary, "session_path": session_path,
                "workflow_id": workflow_id, "phase": phase, "problem_type": problem_type, "working": working, "session": session,
                "references": references, "original_prompt": original_prompt, "focus": focus, "gap": gap, "criterion": criterion,
                "category": category, "invocation": invocation, "expected_phase": expected_phase, "confidence": confidence, "reason": reason,
                "approved": approved, "expires_at": expires_at, "trace_id": trace_id, "continue": continue_, "parent_span": parent_span, "tag": tag,
                "no_seal": no_seal, "style": style, "budget_tokens": budget_tokens, "budget_cost": budget_cost, "spent_tokens": spent_tokens,
                "spent_cost": spent_cost, "options": options})

    def retry_text(self, report: Any, attempt: int | None = None, limit: int | None = None) -> dict[str, Any]:
        """Write what a model must correct. POST /v1/retry-text; scope: check."""
        return self._run(OPERATIONS["retryText"], members={"report": report, "attempt": attempt, "limit": limit})

    def render_report(self, report: Any, format: str, documents: Any | None = None) -> dict[str, Any]:
        """Render a report in another format. POST /v1/render; scope: check."""
        return self._run(OPERATIONS["renderReport"], members={"report": report, "format": format, "documents": documents})

    def count_tokens(self, body: Document, *, tokens: str | None = None, encoding: str | None = None) -> dict[str, Any]:
        """Count the tokens of a text. POST /v1/tokens; scope: check."""
        return self._run(OPERATIONS["countTokens"], query={"tokens": tokens, "encoding": encoding}, body=body)

    def plan_audit(
            self, document: Document, /, dialect: str | None = None, *, path: str | None = None, fail_level: str | None = None,
            fail_fast: bool | None = None, root: str | None = None, today: str | None = None, now: str | None = None, tokens: str | None = None,
            budget: int | None = None, section_limit: str | None = None, semantics: str | None = None, chain: str | None = None,
            strict_expiry: bool | None = None, edges: str | None = None, **options: Any) -> Report:
        """Compare what each step gives with what the next one takes. POST /v1/plan/audit; scope: check."""
        return self._run(
                OPERATIONS["planAudit"], query={"as": dialect, "path": path, "fail_level": fail_level, "fail_fast": fail_fast, "root": root,
                "today": today, "now": now, "tokens": tokens, "budget": budget, "section_limit": section_limit, "semantics": semantics,
                "chain": chain, "strict_expiry": strict_expiry, "edges": edges, **options}, body=document)

    def plan_waves(self, document: Document, /, *, path: str | None = None, remaining: bool | None = None, **options: Any) -> Report:
        """Find which steps can run at the same time. POST /v1/plan/waves; scope: check."""
        return self._run(OPERATIONS["planWaves"], query={"path": path, "remaining": remaining, **options}, body=document)

    def plan_trajectory(
            self, run: Any, plan: str | None = None, chains: Sequence[str] | None = None, returns_to: str | None = None, root: str | None = None) -> Report:
        """Compare a recorded run with what was planned. POST /v1/plan/trajectory; scope: check."""
        return self._run(OPERATIONS["planTrajectory"], members={"run": run, "plan": plan, "chains": chains, "returns_to": returns_to, "root": root})

    def plan_validate(self, schema: Any, payload: Any, root: str | None = None) -> Report:
        """Judge a payload by its payload schema. POST /v1/plan/validate; scope: check."""
        return self._run(OPERATIONS["planValidate"], members={"schema": schema, "payload": payload, "root": root})

    def schema_validate(self, schema: Any, instance: Any) -> Report:
        """Judge a document by a JSON Schema. POST /v1/schema/validate; scope: check."""
        return self._run(OPERATIONS["schemaValidate"], members={"schema": schema, "instance": instance})

    def schema_compat(self, old: Any, new: Any, mode: str | None = None, root: str | None = None) -> Report:
        """Compare two versions of a payload schema. POST /v1/schema/compat; scope: check."""
        return self._run(OPERATIONS["schemaCompat"], members={"old": old, "new": new, "mode": mode, "root": root})

    def contract_check(
            self, document: Document, /, *, path: str | None = None, fail_level: str | None = None, root: str | None = None,
            today: str | None = None, now: str | None = None, direction: str | None = None, bare: bool | None = None,
            runtime_agent_id: str | None = None, input: Any | None = None, **options: Any) -> Report:
        """Judge the contract block of a message. POST /v1/contract/check; scope: check."""
        return self._run(
                OPERATIONS["contractCheck"], query={"path": path, "fail_level": fail_level, "root": root, "today": today, "now": now,
                "direction": direction, "bare": bare, "runtime_agent_id": runtime_agent_id, **options}, body=document, members={"input": input})

    def contract_repair_prompt(
            self, document: Document, /, *, path: str | None = None, root: str | None = None, today: str | None = None, now: str | None = None,
            attempt: int | None = None, bare: bool | None = None, runtime_agent_id: str | None = None, max_rejections: int | None = None,
            input: Any | None = None, **options: Any) -> Report:
        """Say what an agent must change about its contract block. POST /v1/contract/repair-prompt; scope: check."""
        return self._run(
                OPERATIONS["contractRepairPrompt"], query={"path": path, "root": root, "today": today, "now": now, "attempt": attempt, "bare": bare,
                "runtime_agent_id": runtime_agent_id, "max_rejections": max_rejections, **options}, body=document, members={"input": input})

    def contract_merge(self, stored: Any, payload: Any) -> Report:
        """Merge the payload of an update into a section. POST /v1/contract/merge; scope: check."""
        return self._run(OPERATIONS["contractMerge"], members={"stored": stored, "payload": payload})

    def contract_template(
            self, *, status: str | None = None, agent_id: str | None = None, consolidation_required: bool | None = None, guide: bool | None = None) -> dict[str, Any]:
        """Make a block to be filled in. GET /v1/contract/template; scope: check."""
        return self._run(
                OPERATIONS["contractTemplate"], query={"status": status, "agent_id": agent_id, "consolidation_required": consolidation_required,
                "guide": guide})

    def verify_receipt(
            self, receipt: Any, vkey: Sequence[str], document: str | None = None, document_base64: str | None = None,
            witness_key: Sequence[str] | None = None, require_witness: int | None = None, any_verdict: bool | None = None) -> Report:
        """Verify a receipt. POST /v1/ledger/verify-receipt; scope: check."""
        return self._run(
                OPERATIONS["verifyReceipt"], members={"receipt": receipt, "vkey": vkey, "document": document, "document_base64": document_base64,
                "witness_key": witness_key, "require_witness": require_witness, "any_verdict": any_verdict})

    def list_rules(self) -> dict[str, Any]:
        """List the rules. GET /v1/rules; scope: check."""
        return self._run(OPERATIONS["listRules"])

    def get_rule(self, code: str) -> dict[str, Any]:
        """Show what a code means. GET /v1/rules/{code}; scope: check."""
        return self._run(OPERATIONS["getRule"], at={"code": code})

    def list_schemas(self) -> dict[str, Any]:
        """List the schemas of what Baton reads. GET /v1/schemas; scope: check."""
        return self._run(OPERATIONS["listSchemas"])

    def get_schema(self, name: str, *, accept: str | None = None) -> dict[str, Any]:
        """Get a schema. GET /v1/schemas/{name}; scope: check."""
        return self._run(OPERATIONS["getSchema"], at={"name": name}, accept=accept)

    def whoami(self) -> dict[str, Any]:
        """Tell who the caller is, and what it may do. GET /v1/whoami; scope: check."""
        return self._run(OPERATIONS["whoami"])

    def version(self) -> dict[str, Any]:
        """Tell the version of the server. GET /v1/version; scope: check."""
        return self._run(OPERATIONS["version"])

    def stream_handoffs(
            self, *, dialect: str | None = None, verdict: str | None = None, kind: str | None = None, handoff_id: str | None = None,
            trace_id: str | None = None, source: str | None = None, target: str | None = None, agent: str | None = None, code: str | None = None,
            event: str | None = None, since: str | None = None, until: str | None = None, after: int | None = None) -> Iterator[dict[str, Any]]:
        """Follow entries of the ledger as they are committed. GET /v1/handoffs/stream; scope: submit."""
        return self._events(
                OPERATIONS["streamHandoffs"], query={"dialect": dialect, "verdict": verdict, "kind": kind, "handoff_id": handoff_id,
                "trace_id": trace_id, "source": source, "target": target, "agent": agent, "code": code, "event": event, "since": since,
                "until": until, "after": after})

    def submit_handoff(
            self, document: Document, /, dialect: str | None = None, *, path: str | None = None, fail_level: str | None = None,
            fail_fast: bool | None = None, root: str | None = None, tokens: str | None = None, budget: int | None = None,
            section_limit: str | None = None, semantics: str | None = None, chain: str | None = None, strict_expiry: bool | None = None,
            edges: str | None = None, runtime_agent_id: str | None = None, max_rejections: int | None = None, id: str | None = None,
            workspace: str | None = None, session: str | None = None, withhold: str | None = None, structure_only: bool | None = None,
            input: Any | None = None, key: str | None = None, **options: Any) -> Submission:
        """Judge, record and deliver a handoff. POST /v1/handoffs; scope: submit."""
        return self._run(
                OPERATIONS["submitHandoff"], query={"as": dialect, "path": path, "fail_level": fail_level, "fail_fast": fail_fast, "root": root,
                "tokens": tokens, "budget": budget, "section_limit": section_limit, "semantics": semantics, "chain": chain,
                "strict_expiry": strict_expiry, "edges": edges, "runtime_agent_id": runtime_agent_id, "max_rejections": max_rejections, "id": id,
                "workspace": workspace, "session": session, "withhold": withhold, "structure_only": structure_only, **options}, body=document,
                members={"input": input}, key=key)

    def list_handoffs(
            self, *, dialect: str | None = None, verdict: str | None = None, kind: str | None = None, handoff_id: str | None = None,
            trace_id: str | None = None, source: str | None = None, target: str | None = None, agent: str | None = None, code: str | None = None,
            event: str | None = None, since: str | None = None, until: str | None = None, after: int | None = None, order: str | None = None,
            limit: int | None = None) -> dict[str, Any]:
        """List entries of the ledger, newest first. GET /v1/handoffs; scope: submit."""
        return self._run(
                OPERATIONS["listHandoffs"], query={"dialect": dialect, "verdict": verdict, "kind": kind, "handoff_id": handoff_id,
                "trace_id": trace_id, "source": source, "target": target, "agent": agent, "code": code, "event": event, "since": since,
                "until": until, "after": after, "order": order, "limit": limit})

    def dispatch(self, body: Document, *, key: str | None = None) -> dict[str, Any]:
        """Dispatch a governed handoff. POST /v1/dispatch; scope: submit."""
        return self._run(OPERATIONS["dispatch"], body=body, key=key)

    def govern_submit(
            self, document: Document, /, *, path: str | None = None, root: str | None = None, withhold: str | None = None,
            structure_only: bool | None = None, key: str | None = None, **options: Any) -> Submission:
        """Submit a governed handoff. POST /v1/govern/submit; scope: submit."""
        return self._run(
                OPERATIONS["governSubmit"], query={"path": path, "root": root, "withhold": withhold, "structure_only": structure_only, **options},
                body=document, key=key)

    def govern_respond(
            self, document: Document, /, *, path: str | None = None, root: str | None = None, withhold: str | None = None,
            structure_only: bool | None = None, key: str | None = None, **options: Any) -> Submission:
        """Submit the response to a governed handoff. POST /v1/govern/respond; scope: submit."""
        return self._run(
                OPERATIONS["governRespond"], query={"path": path, "root": root, "withhold": withhold, "structure_only": structure_only, **options},
                body=document, key=key)

    def get_stats(self, *, since: str | None = None, until: str | None = None, bucket: int | None = None, by: str | None = None) -> dict[str, Any]:
        """Count entries of the ledger in buckets of time. GET /v1/stats; scope: submit."""
        return self._run(OPERATIONS["getStats"], query={"since": since, "until": until, "bucket": bucket, "by": by})

    def get_handoff(self, id: str) -> dict[str, Any]:
        """Show one handoff. GET /v1/handoffs/{id}; scope: submit."""
        return self._run(OPERATIONS["getHandoff"], at={"id": id})

    def get_document(self, id: str) -> bytes:
        """Get the document of a handoff as it came. GET /v1/handoffs/{id}/document; scope: submit."""
        return self._run(OPERATIONS["getDocument"], at={"id": id})

    def get_report(self, id: str) -> Report:
        """Judge the document of a handoff again. GET /v1/handoffs/{id}/report; scope: submit."""
        return self._run(OPERATIONS["getReport"], at={"id": id})

    def get_repair(self, id: str) -> Report:
        """Show what repair would make of the document of a handoff. GET /v1/handoffs/{id}/repair; scope: submit."""
        return self._run(OPERATIONS["getRepair"], at={"id": id})

    def get_receipt(self, id: str, *, format: str | None = None, predicate: str | None = None, accept: str | None = None) -> Any:
        """Get the receipt of a handoff. GET /v1/handoffs/{id}/receipt; scope: submit."""
        return self._run(OPERATIONS["getReceipt"], at={"id": id}, query={"format": format, "predicate": predicate}, accept=accept)

    def list_inboxes(self) -> dict[str, Any]:
        """List what waits in the inboxes of all agents. GET /v1/inboxes; scope: operate."""
        return self._run(OPERATIONS["listInboxes"])

    def retry_delivery(self, message: str, *, key: str | None = None) -> dict[str, Any]:
        """Deliver an item again that was given up. POST /v1/deliveries/{message}/retry; scope: operate."""
        return self._run(OPERATIONS["retryDelivery"], at={"message": message}, key=key)

    def take_handoffs(
            self, agent: str, max: int | None = None, lease_s: int | None = None, wait_s: int | None = None, receipts: bool | None = None, *,
            key: str | None = None) -> dict[str, Any]:
        """Take what waits for an agent, under a lease. POST /v1/inbox/{agent}/take; scope: submit."""
        return self._run(
                OPERATIONS["takeHandoffs"], at={"agent": agent}, members={"max": max, "lease_s": lease_s, "wait_s": wait_s, "receipts": receipts},
                key=key)

    def finish_handoffs(self, agent: str, items: Any, *, key: str | None = None) -> dict[str, Any]:
        """Say how deliveries ended. POST /v1/inbox/{agent}/finish; scope: submit."""
        return self._run(OPERATIONS["finishHandoffs"], at={"agent": agent}, members={"items": items}, key=key)

    def list_blocked(self) -> dict[str, Any]:
        """List the agents that are blocked. GET /v1/govern/blocked; scope: operate."""
        return self._run(OPERATIONS["listBlocked"])

    def govern_path(self, *, from_: str | None = None, to: str | None = None) -> dict[str, Any]:
        """Find the shortest allowed way from one agent to another. GET /v1/govern/path; scope: operate."""
        return self._run(OPERATIONS["governPath"], query={"from": from_, "to": to})

    def verify_root(self) -> Report:
        """Judge the whole catalogue of agents. GET /v1/govern/root; scope: operate."""
        return self._run(OPERATIONS["verifyRoot"])

    def unblock(self, agent: str, reason: str, *, key: str | None = None) -> dict[str, Any]:
        """Lift the block of an agent, with a reason. POST /v1/govern/unblock; scope: operate."""
        return self._run(OPERATIONS["unblock"], members={"agent": agent, "reason": reason}, key=key)

    def contract_state(self, *, workspace: str | None = None, session: str | None = None, agent: str | None = None) -> dict[str, Any]:
        """Show what agents reported last. GET /v1/contract/state; scope: submit."""
        return self._run(OPERATIONS["contractState"], query={"workspace": workspace, "session": session, "agent": agent})

    def clear_contract_state(self, *, workspace: str | None = None, session: str | None = None, agent: str | None = None) -> dict[str, Any]:
        """Forget what an agent reported. DELETE /v1/contract/state; scope: operate."""
        return self._run(OPERATIONS["clearContractState"], query={"workspace": workspace, "session": session, "agent": agent})

    def contract_resume(
            self, agent: str | None = None, workspace: str | None = None, session: str | None = None, *, key: str | None = None) -> dict[str, Any]:
        """Let an agent go on after an answer or a new task. POST /v1/contract/resume; scope: operate."""
        return self._run(OPERATIONS["contractResume"], members={"agent": agent, "workspace": workspace, "session": session}, key=key)

    def store_contract_input(
            self, body: Document, *, workspace: str | None = None, session: str | None = None, agent: str | None = None,
            agent_type: str | None = None) -> dict[str, Any]:
        """Keep an INPUT for an agent or a type of agents. PUT /v1/contract/input; scope: operate."""
        return self._run(
                OPERATIONS["storeContractInput"], query={"workspace": workspace, "session": session, "agent": agent, "agent_type": agent_type},
                body=body)

    def contract_sections(self, *, workspace: str | None = None, name: str | None = None, history: bool | None = None) -> dict[str, Any]:
        """Show the sections that reports have updated. GET /v1/contract/sections; scope: submit."""
        return self._run(OPERATIONS["contractSections"], query={"workspace": workspace, "name": name, "history": history})

    def list_approvals(self, *, status: str | None = None) -> dict[str, Any]:
        """List requests for consent. GET /v1/approvals; scope: approve."""
        return self._run(OPERATIONS["listApprovals"], query={"status": status})

    def use_approval(
            self, command: str | None = None, command_base64: str | None = None, id: str | None = None, agent: str | None = None,
            workspace: str | None = None, *, key: str | None = None) -> dict[str, Any]:
        """Use a grant for a command, once. POST /v1/approvals/use; scope: submit."""
        return self._run(
                OPERATIONS["useApproval"], members={"command": command, "command_base64": command_base64, "id": id, "agent": agent,
                "workspace": workspace}, key=key)

    def get_approval(self, id: str) -> dict[str, Any]:
        """Get one request for consent. GET /v1/approvals/{id}; scope: submit."""
        return self._run(OPERATIONS["getApproval"], at={"id": id})

    def show_approval(self, id: str, *, key: str | None = None) -> dict[str, Any]:
        """Show a request to a person. POST /v1/approvals/{id}/show; scope: approve."""
        return self._run(OPERATIONS["showApproval"], at={"id": id}, key=key)

    def grant_approval(self, id: str, fingerprint: str, ttl: str | None = None, *, key: str | None = None) -> dict[str, Any]:
        """Grant what was shown. POST /v1/approvals/{id}/grant; scope: approve."""
        return self._run(OPERATIONS["grantApproval"], at={"id": id}, members={"fingerprint": fingerprint, "ttl": ttl}, key=key)

    def deny_approval(self, id: str, reason: str | None = None, *, key: str | None = None) -> dict[str, Any]:
        """Deny a request. POST /v1/approvals/{id}/deny; scope: approve."""
        return self._run(OPERATIONS["denyApproval"], at={"id": id}, members={"reason": reason}, key=key)

    def revoke_approval(self, id: str, reason: str | None = None, *, key: str | None = None) -> dict[str, Any]:
        """Revoke a grant or request. POST /v1/approvals/{id}/revoke; scope: approve."""
        return self._run(OPERATIONS["revokeApproval"], at={"id": id}, members={"reason": reason}, key=key)

    def list_traces(self, *, limit: int | None = None) -> dict[str, Any]:
        """List the newest traces. GET /v1/traces; scope: submit."""
        return self._run(OPERATIONS["listTraces"], query={"limit": limit})

    def get_trace(self, trace_id: str) -> dict[str, Any]:
        """Show the handoffs of a trace. GET /v1/traces/{trace_id}; scope: submit."""
        return self._run(OPERATIONS["getTrace"], at={"trace_id": trace_id})

    def get_trace_graph(self, trace_id: str, *, format: str | None = None, accept: str | None = None) -> bytes:
        """Draw the way of a trace from agent to agent. GET /v1/traces/{trace_id}/graph; scope: submit."""
        return self._run(OPERATIONS["getTraceGraph"], at={"trace_id": trace_id}, query={"format": format}, accept=accept)

    def get_ledger(self) -> dict[str, Any]:
        """Show the newest checkpoint. GET /v1/ledger; scope: check."""
        return self._run(OPERATIONS["getLedger"])

    def prove_consistency(self, *, old: int | None = None, size: int | None = None) -> dict[str, Any]:
        """Prove that the log extends an older state of it. GET /v1/ledger/proof/consistency; scope: check."""
        return self._run(OPERATIONS["proveConsistency"], query={"old": old, "size": size})

    def prove_inclusion(self, *, seq: int | None = None, size: int | None = None) -> dict[str, Any]:
        """Prove that an entry is in the log. GET /v1/ledger/proof/inclusion; scope: submit."""
        return self._run(OPERATIONS["proveInclusion"], query={"seq": seq, "size": size})

    def list_entries(
            self, *, from_: str | None = None, limit: int | None = None, kind: str | None = None, verdict: str | None = None) -> dict[str, Any]:
        """List entries of any kind. GET /v1/ledger/entries; scope: operate."""
        return self._run(OPERATIONS["listEntries"], query={"from": from_, "limit": limit, "kind": kind, "verdict": verdict})

    def get_entry(self, seq: int) -> dict[str, Any]:
        """Show one entry. GET /v1/ledger/entries/{seq}; scope: operate."""
        return self._run(OPERATIONS["getEntry"], at={"seq": seq})

    def list_peers(self) -> dict[str, Any]:
        """Show the peers that cosign this log. GET /v1/ledger/peers; scope: operate."""
        return self._run(OPERATIONS["listPeers"])

    def ledger_keys(self) -> dict[str, Any]:
        """Show the public keys of the log in every form. GET /v1/ledger/keys; scope: check."""
        return self._run(OPERATIONS["ledgerKeys"])

    def audit_ledger(self, *, from_: str | None = None, to: str | None = None, max_silence: str | None = None, max_open: str | None = None) -> Report:
        """Look for what is missing. GET /v1/ledger/audit; scope: operate."""
        return self._run(OPERATIONS["auditLedger"], query={"from": from_, "to": to, "max_silence": max_silence, "max_open": max_open})

    def list_holds(self) -> dict[str, Any]:
        """List what is kept from being deleted. GET /v1/ledger/holds; scope: operate."""
        return self._run(OPERATIONS["listHolds"])

    def set_hold(
            self, reason: str, trace: str | None = None, handoff: str | None = None, document: str | None = None, *, key: str | None = None) -> dict[str, Any]:
        """Keep documents from being deleted, and record that. POST /v1/ledger/holds; scope: admin."""
        return self._run(OPERATIONS["setHold"], members={"reason": reason, "trace": trace, "handoff": handoff, "document": document}, key=key)

    def release_hold(
            self, reason: str, trace: str | None = None, handoff: str | None = None, document: str | None = None, *, key: str | None = None) -> dict[str, Any]:
        """Let documents be deleted again, and record that. POST /v1/ledger/holds/release; scope: admin."""
        return self._run(OPERATIONS["releaseHold"], members={"reason": reason, "trace": trace, "handoff": handoff, "document": document}, key=key)

    def add_cosignatures(self, body: Document, *, witness_key: str | None = None, key: str | None = None) -> dict[str, Any]:
        """Keep cosignatures of the newest checkpoint. POST /v1/ledger/cosignatures; scope: operate."""
        return self._run(OPERATIONS["addCosignatures"], query={"witness_key": witness_key}, body=body, key=key)

    def make_bundle(
            self, from_: Any | None = None, to: Any | None = None, handoff: str | None = None, trace: str | None = None, agent: str | None = None,
            no_documents: bool | None = None, max_document: int | None = None, title: str | None = None, *, accept: str | None = None) -> dict[str, Any]:
        """Put a case into one file. POST /v1/ledger/bundle; scope: operate."""
        return self._run(
                OPERATIONS["makeBundle"], members={"from": from_, "to": to, "handoff": handoff, "trace": trace, "agent": agent,
                "no_documents": no_documents, "max_document": max_document, "title": title}, accept=accept)

    def redact_document(self, reason: str, seq: int | None = None, sha256: str | None = None, *, key: str | None = None) -> dict[str, Any]:
        """Delete the bytes of a document, and record that. POST /v1/ledger/redact; scope: admin."""
        return self._run(OPERATIONS["redactDocument"], members={"reason": reason, "seq": seq, "sha256": sha256}, key=key)

    def tlog_checkpoint(self) -> Any:
        """The newest checkpoint as a signed note. GET /ledger/checkpoint; scope: operate."""
        return self._run(OPERATIONS["tlogCheckpoint"])

    def tlog_tile(self, path: str) -> bytes:
        """A tile or bundle of entries of the log. GET /ledger/tile/{path}; scope: operate."""
        return self._run(OPERATIONS["tlogTile"], at={"path": path})

    def scitt_register(self, body: Document, *, key: str | None = None) -> bytes:
        """Register a signed statement. POST /entries; scope: submit."""
        return self._run(OPERATIONS["scittRegister"], body=body, key=key)

    def scitt_receipt(self, seq: int) -> bytes:
        """The COSE receipt of an entry. GET /entries/{seq}; scope: submit."""
        return self._run(OPERATIONS["scittReceipt"], at={"seq": seq})

    def scitt_key(self, kid: str) -> bytes:
        """One public key of the log as COSE_Key. GET /.well-known/scitt-keys/{kid}; scope: none."""
        return self._run(OPERATIONS["scittKey"], at={"kid": kid})

    def scitt_keys(self) -> bytes:
        """The public keys of the log as a COSE Key Set. GET /.well-known/scitt-keys; scope: none."""
        return self._run(OPERATIONS["scittKeys"])

    def witness_add_checkpoint(self, body: Document) -> dict[str, Any]:
        """Ask this server's witness to cosign a checkpoint. POST /witness/add-checkpoint; scope: none."""
        return self._run(OPERATIONS["witnessAddCheckpoint"], body=body)

    def witness_checkpoint(self, origin_hash: str) -> Any:
        """The checkpoint that the witness has cosigned. GET /witness/{origin_hash}/checkpoint; scope: none."""
        return self._run(OPERATIONS["witnessCheckpoint"], at={"origin_hash": origin_hash})

    def hook(
            self, host: str, body: Document, *, observe: bool | None = None, fail_closed: bool | None = None, agents: str | None = None,
            workspace: str | None = None) -> dict[str, Any]:
        """Answer an event of an agent host. POST /v1/hooks/{host}; scope: submit."""
        return self._run(
                OPERATIONS["hook"], at={"host": host}, query={"observe": observe, "fail_closed": fail_closed, "agents": agents,
                "workspace": workspace}, body=body)

    def admin_config(self) -> dict[str, Any]:
        """Show the configuration in force. GET /v1/admin/config; scope: admin."""
        return self._run(OPERATIONS["adminConfig"])

    def admin_reload(self) -> dict[str, Any]:
        """Read configuration, tokens and certificates again. POST /v1/admin/reload; scope: admin."""
        return self._run(OPERATIONS["adminReload"])

    def new_log(self, name: str, origin: str, entries: int | None = None) -> dict[str, Any]:
        """Make a log below the root. POST /v1/admin/logs; scope: admin."""
        return self._run(OPERATIONS["newLog"], members={"name": name, "origin": origin, "entries": entries})

    def list_logs(self) -> dict[str, Any]:
        """List the logs that the caller may use. GET /v1/admin/logs; scope: operate."""
        return self._run(OPERATIONS["listLogs"])

    def pump_send(self, body: Document, *, key: str | None = None) -> dict[str, Any]:
        """Send a message to the pump. POST /v1/pump/send; scope: submit."""
        return self._run(OPERATIONS["pumpSend"], body=body, key=key)

    def pump_replies(self, thread: str) -> dict[str, Any]:
        """Read what the pump delivered to the caller's thread. GET /v1/pump/threads/{thread}/replies; scope: submit."""
        return self._run(OPERATIONS["pumpReplies"], at={"thread": thread})

    def pump_status(self) -> dict[str, Any]:
        """Tell how the pump is doing. GET /v1/pump/status; scope: operate."""
        return self._run(OPERATIONS["pumpStatus"])

    def pump_listeners(self) -> dict[str, Any]:
        """List the listeners. GET /v1/pump/listeners; scope: operate."""
        return self._run(OPERATIONS["pumpListeners"])

    def pump_graph(self, *, format: str | None = None) -> dict[str, Any]:
        """Show who may call whom. GET /v1/pump/graph; scope: operate."""
        return self._run(OPERATIONS["pumpGraph"], query={"format": format})

    def pump_thread(
            self, thread: str, *, client: str | None = None, limit: int | None = None, offset: str | None = None, payloads: str | None = None) -> dict[str, Any]:
        """Show the history of a thread. GET /v1/pump/threads/{thread}; scope: operate."""
        return self._run(
                OPERATIONS["pumpThread"], at={"thread": thread}, query={"client": client, "limit": limit, "offset": offset, "payloads": payloads})

    def pump_events(self, *, after: int | None = None) -> Iterator[dict[str, Any]]:
        """Follow the events of the pump. GET /v1/pump/events; scope: operate."""
        return self._events(OPERATIONS["pumpEvents"], query={"after": after})

    def list_wrapped(self) -> dict[str, Any]:
        """List wrapped MCP servers, and what they did since the server started. GET /v1/wrap/servers; scope: operate."""
        return self._run(OPERATIONS["listWrapped"])

    def wrap_diff(self, name: str) -> Report:
        """Compare what a wrapped MCP server shows with its lock. GET /v1/wrap/servers/{name}/diff; scope: operate."""
        return self._run(OPERATIONS["wrapDiff"], at={"name": name})

    def wrap_stats(self, *, server: str | None = None, since: str | None = None, until: str | None = None) -> dict[str, Any]:
        """Count recorded calls of wrapped MCP servers by server and tool. GET /v1/wrap/stats; scope: operate."""
        return self._run(OPERATIONS["wrapStats"], query={"server": server, "since": since, "until": until})

    def list_calls(
            self, *, server: str | None = None, tool: str | None = None, event: str | None = None, session: str | None = None,
            since: str | None = None, until: str | None = None, after: str | None = None, limit: int | None = None) -> dict[str, Any]:
        """List recorded calls of wrapped MCP servers. GET /v1/wrap/calls; scope: submit."""
        return self._run(
                OPERATIONS["listCalls"], query={"server": server, "tool": tool, "event": event, "session": session, "since": since, "until": until,
                "after": after, "limit": limit})

    def get_call(self, seq: int) -> dict[str, Any]:
        """Show one recorded call of a wrapped MCP server. GET /v1/wrap/calls/{seq}; scope: submit."""
        return self._run(OPERATIONS["getCall"], at={"seq": seq})

    def openapi(self) -> dict[str, Any]:
        """This document. GET /openapi.json; scope: none."""
        return self._run(OPERATIONS["openapi"])
