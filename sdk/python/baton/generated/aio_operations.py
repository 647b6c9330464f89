# SPDX-License-Identifier: Apache-2.0
"""aio_operations.py - made by tools/gen_clients.py from the OpenAPI document of `baton serve`; do not edit."""
from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from .._wire import Document, Operation, Outcome, Report, Submission
from .operations import OPERATIONS


class Operations:
    """One coroutine for each operation of the server."""

    async def _run(self, operation: Operation, **call: Any) -> Any:
        raise NotImplementedError

    def _events(self, operation: Operation, **call: Any) -> AsyncIterator[dict[str, Any]]:
        raise NotImplementedError

    async def healthz(self) -> dict[str, Any]:
        """Whether the server is alive. GET /healthz; scope: none."""
        return await self._run(OPERATIONS["healthz"])

    async def readyz(self) -> dict[str, Any]:
        """Whether the server can do its work. GET /readyz; scope: none."""
        return await self._run(OPERATIONS["readyz"])

    async def metrics(self) -> Any:
        """Figures to watch, in the text form of Prometheus. GET /metrics; scope: operate."""
        return await self._run(OPERATIONS["metrics"])

    async def problem(self, code: str) -> Any:
        """What a problem means and what to do. GET /problems/{code}; scope: none."""
        return await self._run(OPERATIONS["problem"], at={"code": code})

    async def check(
            self, document: Document, /, dialect: str | None = None, *, path: str | None = None, fail_level: str | None = None,
            fail_fast: bool | None = None, root: str | None = None, today: str | None = None, now: str | None = None, tokens: str | None = None,
            budget: int | None = None, section_limit: str | None = None, semantics: str | None = None, chain: str | None = None,
            strict_expiry: bool | None = None, edges: str | None = None, direction: str | None = None, bare: bool | None = None,
            runtime_agent_id: str | None = None, structure_only: bool | None = None, input: Any | None = None, **options: Any) -> Report:
        """Judge documents. POST /v1/check; scope: check."""
        return await self._run(
                OPERATIONS["check"], query={"as": dialect, "path": path, "fail_level": fail_level, "fail_fast": fail_fast, "root": root,
                "today": today, "now": now, "tokens": tokens, "budget": budget, "section_limit": section_limit, "semantics": semantics,
                "chain": chain, "strict_expiry": strict_expiry, "edges": edges, "direction": direction, "bare": bare,
                "runtime_agent_id": runtime_agent_id, "structure_only": structure_only, **options}, body=document, members={"input": input})

    async def view(
            self, document: Document, /, dialect: str | None = None, *, path: str | None = None, fail_level: str | None = None,
            fail_fast: bool | None = None, root: str | None = None, today: str | None = None, now: str | None = None, tokens: str | None = None,
            budget: int | None = None, section_limit: str | None = None, semantics: str | None = None, chain: str | None = None,
            strict_expiry: bool | None = None, **options: Any) -> dict[str, Any]:
        """Show a universal handoff as its receiver should read it. POST /v1/view; scope: check."""
        return await self._run(
                OPERATIONS["view"], query={"as": dialect, "path": path, "fail_level": fail_level, "fail_fast": fail_fast, "root": root,
                "today": today, "now": now, "tokens": tokens, "budget": budget, "section_limit": section_limit, "semantics": semantics,
                "chain": chain, "strict_expiry": strict_expiry, **options}, body=document)

    async def repair(
            self, document: Document, /, dialect: str | None = None, *, path: str | None = None, root: str | None = None, today: str | None = None,
            now: str | None = None, tokens: str | None = None, budget: int | None = None, section_limit: str | None = None,
            semantics: str | None = None, chain: str | None = None, strict_expiry: bool | None = None, attempt: int | None = None,
            literal: bool | None = None, emit_prompt: bool | None = None, prompt: str | None = None, edges: str | None = None,
            bare: bool | None = None, runtime_agent_id: str | None = None, max_rejections: int | None = None, answer: Any | None = None,
            **options: Any) -> Outcome:
        """Repair a document. POST /v1/repair; scope: check."""
        return await self._run(
                OPERATIONS["repair"], query={"as": dialect, "path": path, "root": root, "today": today, "now": now, "tokens": tokens,
                "budget": budget, "section_limit": section_limit, "semantics": semantics, "chain": chain, "strict_expiry": strict_expiry,
                "attempt": attempt, "literal": literal, "emit_prompt": emit_prompt, "prompt": prompt, "edges": edges, "bare": bare,
                "runtime_agent_id": runtime_agent_id, "max_rejections": max_rejections, **options}, body=document, members={"answer": answer})

    async def compress(
            self, document: Document, /, dialect: str | None = None, *, path: str | None = None, root: str | None = None, today: str | None = None,
            now: str | None = None, tokens: str | None = None, budget: int | None = None, section_limit: str | None = None,
            semantics: str | None = None, chain: str | None = None, strict_expiry: bool | None = None, literal: bool | None = None, **options: Any) -> Outcome:
        """Shorten a universal handoff to its budget. POST /v1/compress; scope: check."""
        return await self._run(
                OPERATIONS["compress"], query={"as": dialect, "path": path, "root": root, "today": today, "now": now, "tokens": tokens,
                "budget": budget, "section_limit": section_limit, "semantics": semantics, "chain": chain, "strict_expiry": strict_expiry,
                "literal": literal, **options}, body=document)

    async def convert(
            self, document: Document, /, dialect: str | None = None, *, path: str | None = None, root: str | None = None, today: str | None = None,
            now: str | None = None, tokens: str | None = None, budget: int | None = None, section_limit: str | None = None,
            semantics: str | None = None, chain: str | None = None, strict_expiry: bool | None = None, to: str | None = None,
            source_dialect: str | None = None, step: str | None = None, **options: Any) -> Outcome:
        """Convert a document to a universal handoff. POST /v1/convert; scope: check."""
        return await self._run(
                OPERATIONS["convert"], query={"as": dialect, "path": path, "root": root, "today": today, "now": now, "tokens": tokens,
                "budget": budget, "section_limit": section_limit, "semantics": semantics, "chain": chain, "strict_expiry": strict_expiry, "to": to,
                "from": source_dialect, "step": step, **options}, body=document)

    async def seal_handoff(
            self, document: Document, /, dialect: str | None = None, *, path: str | None = None, root: str | None = None, today: str | None = None,
            now: str | None = None, tokens: str | None = None, budget: int | None = None, section_limit: str | None = None,
            semantics: str | None = None, chain: str | None = None, strict_expiry: bool | None = None, reseal: bool | None = None, **options: Any) -> Outcome:
        """Set hash, size and token count of a universal handoff. POST /v1/seal; scope: check."""
        return await self._run(
                OPERATIONS["sealHandoff"], query={"as": dialect, "path": path, "root": root, "today": today, "now": now, "tokens": tokens,
                "budget": budget, "section_limit": section_limit, "semantics": semantics, "chain": chain, "strict_expiry": strict_expiry,
                "reseal": reseal, **options}, body=document)

    async def new_handoff(
            self, source: str, target: str, summary: str, session_path: str | None = None, workflow_id: str | None = None, phase: str | None = None,
            problem_type: str | None = None, working: Any | None = None, session: Any | None = None, references: Any | None = None,
            original_prompt: str | None = None, focus: Sequence[str] | None = None, gap: Sequence[str] | None = None,
            criterion: Sequence[str] | None = None, category: str | None = None, invocation: str | None = None, expected_phase: str | None = None,
            confidence: str | None = None, reason: str | None = None, approved: bool | None = None, expires_at: str | None = None,
            trace_id: str | None = None, continue_: Any | None = None, parent_span: str | None = None, tag: Any | None = None,
            no_seal: bool | None = None, style: str | None = None, budget_tokens: int | None = None, budget_cost: str | None = None,
            spent_tokens: int | None = None, spent_cost: str | None = None, options: Any | None = None) -> Outcome:
        """Make a universal handoff from its parts. POST /v1/new; scope: check."""
        return await self._run(
                OPERATIONS["newHandoff"], members={"source": source, "target": target, "summary": summary, "session_path": session_path,
                "workflow_id": workflow_id, "phase": phase, "problem_type": problem_type, "working": working, "session": session,
                "references": references, "original_prompt": original_prompt, "focus": focus, "gap": gap, "criterion": criterion,
                "category": category, "invocation": invocation, "expected_phase": expected_phase, "confidence": confidence, "reason": reason,
                "approved": approved, "expires_at": expires_at, "trace_id": trace_id, "continue": continue_, "parent_span": parent_span, "tag": tag,
                "no_seal": no_seal, "style": style, "budget_tokens": budget_tokens, "budget_cost": budget_cost, "spent_tokens": spent_tokens,
                "spent_cost": spent_cost, "options": options})

    async def retry_text(self, report: Any, attempt: int | None = None, limit: int | None = None) -> dict[str, Any]:
        """Write what a model must correct. POST /v1/retry-text; scope: check."""
        return await self._run(OPERATIONS["retryText"], members={"report": report, "attempt": attempt, "limit": limit})

    async def render_report(self, report: Any, format: str, documents: Any | None = None) -> dict[str, Any]:
        """Render a report in another format. POST /v1/render; scope: check."""
        return await self._run(OPERATIONS["renderReport"], members={"report": report, "format": format, "documents": documents})

    async def count_tokens(self, body: Document, *, tokens: str | None = None, encoding: str | None = None) -> dict[str, Any]:
        """Count the tokens of a text. POST /v1/tokens; scope: check."""
        return await self._run(OPERATIONS["countTokens"], query={"tokens": tokens, "encoding": encoding}, body=body)

    async def plan_audit(
            self, document: Document, /, dialect: str | None = None, *, path: str | None = None, fail_level: str | None = None,
            fail_fast: bool | None = None, root: str | None = None, today: str | None = None, now: str | None = None, tokens: str | None = None,
            budget: int | None = None, section_limit: str | None = None, semantics: str | None = None, chain: str | None = None,
            strict_expiry: bool | None = None, edges: str | None = None, **options: Any) -> Report:
        """Compare what each step gives with what the next one takes. POST /v1/plan/audit; scope: check."""
        return await self._run(
                OPERATIONS["planAudit"], query={"as": dialect, "path": path, "fail_level": fail_level, "fail_fast": fail_fast, "root": root,
                "today": today, "now": now, "tokens": tokens, "budget": budget, "section_limit": section_limit, "semantics": semantics,
                "chain": chain, "strict_expiry": strict_expiry, "edges": edges, **options}, body=document)

    async def plan_waves(self, document: Document, /, *, path: str | None = None, remaining: bool | None = None, **options: Any) -> Report:
        """Find which steps can run at the same time. POST /v1/plan/waves; scope: check."""
        return await self._run(OPERATIONS["planWaves"], query={"path": path, "remaining": remaining, **options}, body=document)

    async def plan_trajectory(
            self, run: Any, plan: str | None = None, chains: Sequence[str] | None = None, returns_to: str | None = None, root: str | None = None) -> Report:
        """Compare a recorded run with what was planned. POST /v1/plan/trajectory; scope: check."""
        return await self._run(
                OPERATIONS["planTrajectory"], members={"run": run, "plan": plan, "chains": chains, "returns_to": returns_to, "root": root})

    async def plan_validate(self, schema: Any, payload: Any, root: str | None = None) -> Report:
        """Judge a payload by its payload schema. POST /v1/plan/validate; scope: check."""
        return await self._run(OPERATIONS["planValidate"], members={"schema": schema, "payload": payload, "root": root})

    async def schema_validate(self, schema: Any, instance: Any) -> Report:
        """Judge a document by a JSON Schema. POST /v1/schema/validate; scope: check."""
        return await self._run(OPERATIONS["schemaValidate"], members={"schema": schema, "instance": instance})

    async def schema_compat(self, old: Any, new: Any, mode: str | None = None, root: str | None = None) -> Report:
        """Compare two versions of a payload schema. POST /v1/schema/compat; scope: check."""
        return await self._run(OPERATIONS["schemaCompat"], members={"old": old, "new": new, "mode": mode, "root": root})

    async def contract_check(
            self, document: Document, /, *, path: str | None = None, fail_level: str | None = None, root: str | None = None,
            today: str | None = None, now: str | None = None, direction: str | None = None, bare: bool | None = None,
            runtime_agent_id: str | None = None, input: Any | None = None, **options: Any) -> Report:
        """Judge the contract block of a message. POST /v1/contract/check; scope: check."""
        return await self._run(
                OPERATIONS["contractCheck"], query={"path": path, "fail_level": fail_level, "root": root, "today": today, "now": now,
                "direction": direction, "bare": bare, "runtime_agent_id": runtime_agent_id, **options}, body=document, members={"input": input})

    async def contract_repair_prompt(
            self, document: Document, /, *, path: str | None = None, root: str | None = None, today: str | None = None, now: str | None = None,
            attempt: int | None = None, bare: bool | None = None, runtime_agent_id: str | None = None, max_rejections: int | None = None,
            input: Any | None = None, **options: Any) -> Report:
        """Say what an agent must change about its contract block. POST /v1/contract/repair-prompt; scope: check."""
        return await self._run(
                OPERATIONS["contractRepairPrompt"], query={"path": path, "root": root, "today": today, "now": now, "attempt": attempt, "bare": bare,
                "runtime_agent_id": runtime_agent_id, "max_rejections": max_rejections, **options}, body=document, members={"input": input})

    async def contract_merge(self, stored: Any, payload: Any) -> Report:
        """Merge the payload of an update into a section. POST /v1/contract/merge; scope: check."""
        return await self._run(OPERATIONS["contractMerge"], members={"stored": stored, "payload": payload})

    async def contract_template(
            self, *, status: str | None = None, agent_id: str | None = None, consolidation_required: bool | None = None, guide: bool | None = None) -> dict[str, Any]:
        """Make a block to be filled in. GET /v1/contract/template; scope: check."""
        return await self._run(
                OPERATIONS["contractTemplate"], query={"status": status, "agent_id": agent_id, "consolidation_required": consolidation_required,
                "guide": guide})

    async def verify_receipt(
            self, receipt: Any, vkey: Sequence[str], document: str | None = None, document_base64: str | None = None,
            witness_key: Sequence[str] | None = None, require_witness: int | None = None, any_verdict: bool | None = None) -> Report:
        """Verify a receipt. POST /v1/ledger/verify-receipt; scope: check."""
        return await self._run(
                OPERATIONS["verifyReceipt"], members={"receipt": receipt, "vkey": vkey, "document": document, "document_base64": document_base64,
                "witness_key": witness_key, "require_witness": require_witness, "any_verdict": any_verdict})

    async def list_rules(self) -> dict[str, Any]:
        """List the rules. GET /v1/rules; scope: check."""
        return await self._run(OPERATIONS["listRules"])

    async def get_rule(self, code: str) -> dict[str, Any]:
        """Show what a code means. GET /v1/rules/{code}; scope: check."""
        return await self._run(OPERATIONS["getRule"], at={"code": code})

    async def list_schemas(self) -> dict[str, Any]:
        """List the schemas of what Baton reads. GET /v1/schemas; scope: check."""
        return await self._run(OPERATIONS["listSchemas"])

    async def get_schema(self, name: str, *, accept: str | None = None) -> dict[str, Any]:
        """Get a schema. GET /v1/schemas/{name}; scope: check."""
        return await self._run(OPERATIONS["getSchema"], at={"name": name}, accept=accept)

    async def whoami(self) -> dict[str, Any]:
        """Tell who the caller is, and what it may do. GET /v1/whoami; scope: check."""
        return await self._run(OPERATIONS["whoami"])

    async def version(self) -> dict[str, Any]:
        """Tell the version of the server. GET /v1/version; scope: check."""
        return await self._run(OPERATIONS["version"])

    def stream_handoffs(
            self, *, dialect: str | None = None, verdict: str | None = None, kind: str | None = None, handoff_id: str | None = None,
            trace_id: str | None = None, source: str | None = None, target: str | None = None, agent: str | None = None, code: str | None = None,
            event: str | None = None, since: str | None = None, until: str | None = None, after: int | None = None) -> AsyncIterator[dict[str, Any]]:
        """Follow entries of the ledger as they are committed. GET /v1/handoffs/stream; scope: submit."""
        return self._events(
                OPERATIONS["streamHandoffs"], query={"dialect": dialect, "verdict": verdict, "kind": kind, "handoff_id": handoff_id,
                "trace_id": trace_id, "source": source, "target": target, "agent": agent, "code": code, "event": event, "since": since,
                "until": until, "after": after})

    async def submit_handoff(
            self, document: Document, /, dialect: str | None = None, *, path: str | None = None, fail_level: str | None = None,
            fail_fast: bool | None = None, root: str | None = None, tokens: str | None = None, budget: int | None = None,
            section_limit: str | None = None, semantics: str | None = None, chain: str | None = None, strict_expiry: bool | None = None,
            edges: str | None = None, runtime_agent_id: str | None = None, max_rejections: int | None = None, id: str | None = None,
            workspace: str | None = None, session: str | None = None, withhold: str | None = None, structure_only: bool | None = None,
            input: Any | None = None, key: str | None = None, **options: Any) -> Submission:
        """Judge, record and deliver a handoff. POST /v1/handoffs; scope: submit."""
        return await self._run(
                OPERATIONS["submitHandoff"], query={"as": dialect, "path": path, "fail_level": fail_level, "fail_fast": fail_fast, "root": root,
                "tokens": tokens, "budget": budget, "section_limit": section_limit, "semantics": semantics, "chain": chain,
                "strict_expiry": strict_expiry, "edges": edges, "runtime_agent_id": runtime_agent_id, "max_rejections": max_rejections, "id": id,
                "workspace": workspace, "session": session, "withhold": withhold, "structure_only": structure_only, **options}, body=document,
                members={"input": input}, key=key)

    async def list_handoffs(
            self, *, dialect: str | None = None, verdict: str | None = None, kind: str | None = None, handoff_id: str | None = None,
            trace_id: str | None = None, source: str | None = None, target: str | None = None, agent: str | None = None, code: str | None = None,
            event: str | None = None, since: str | None = None, until: str | None = None, after: int | None = None, order: str | None = None,
            limit: int | None = None) -> dict[str, Any]:
        """List entries of the ledger, newest first. GET /v1/handoffs; scope: submit."""
        return await self._run(
                OPERATIONS["listHandoffs"], query={"dialect": dialect, "verdict": verdict, "kind": kind, "handoff_id": handoff_id,
                "trace_id": trace_id, "source": source, "target": target, "agent": agent, "code": code, "event": event, "since": since,
                "until": until, "after": after, "order": order, "limit": limit})

    async def dispatch(self, body: Document, *, key: str | None = None) -> dict[str, Any]:
        """Dispatch a governed handoff. POST /v1/dispatch; scope: submit."""
        return await self._run(OPERATIONS["dispatch"], body=body, key=key)

    async def govern_submit(
            self, document: Document, /, *, path: str | None = None, root: str | None = None, withhold: str | None = None,
            structure_only: bool | None = None, key: str | None = None, **options: Any) -> Submission:
        """Submit a governed handoff. POST /v1/govern/submit; scope: submit."""
        return await self._run(
                OPERATIONS["governSubmit"], query={"path": path, "root": root, "withhold": withhold, "structure_only": structure_only, **options},
                body=document, key=key)

    async def govern_respond(
            self, document: Document, /, *, path: str | None = None, root: str | None = None, withhold: str | None = None,
            structure_only: bool | None = None, key: str | None = None, **options: Any) -> Submission:
        """Submit the response to a governed handoff. POST /v1/govern/respond; scope: submit."""
        return await self._run(
                OPERATIONS["governRespond"], query={"path": path, "root": root, "withhold": withhold, "structure_only": structure_only, **options},
                body=document, key=key)

    async def get_stats(
            self, *, since: str | None = None, until: str | None = None, bucket: int | None = None, by: str | None = None) -> dict[str, Any]:
        """Count entries of the ledger in buckets of time. GET /v1/stats; scope: submit."""
        return await self._run(OPERATIONS["getStats"], query={"since": since, "until": until, "bucket": bucket, "by": by})

    async def get_handoff(self, id: str) -> dict[str, Any]:
        """Show one handoff. GET /v1/handoffs/{id}; scope: submit."""
        return await self._run(OPERATIONS["getHandoff"], at={"id": id})

    async def get_document(self, id: str) -> bytes:
        """Get the document of a handoff as it came. GET /v1/handoffs/{id}/document; scope: submit."""
        return await self._run(OPERATIONS["getDocument"], at={"id": id})

    async def get_report(self, id: str) -> Report:
        """Judge the document of a handoff again. GET /v1/handoffs/{id}/report; scope: submit."""
        return await self._run(OPERATIONS["getReport"], at={"id": id})

    async def get_repair(self, id: str) -> Report:
        """Show what repair would make of the document of a handoff. GET /v1/handoffs/{id}/repair; scope: submit."""
        return await self._run(OPERATIONS["getRepair"], at={"id": id})

    async def get_receipt(self, id: str, *, format: str | None = None, predicate: str | None = None, accept: str | None = None) -> Any:
        """Get the receipt of a handoff. GET /v1/handoffs/{id}/receipt; scope: submit."""
        return await self._run(OPERATIONS["getReceipt"], at={"id": id}, query={"format": format, "predicate": predicate}, accept=accept)

    async def list_inboxes(self) -> dict[str, Any]:
        """List what waits in the inboxes of all agents. GET /v1/inboxes; scope: operate."""
        return await self._run(OPERATIONS["listInboxes"])

    async def retry_delivery(self, message: str, *, key: str | None = None) -> dict[str, Any]:
        """Deliver an item again that was given up. POST /v1/deliveries/{message}/retry; scope: operate."""
        return await self._run(OPERATIONS["retryDelivery"], at={"message": message}, key=key)

    async def take_handoffs(
            self, agent: str, max: int | None = None, lease_s: int | None = None, wait_s: int | None = None, receipts: bool | None = None, *,
            key: str | None = None) -> dict[str, Any]:
        """Take what waits for an agent, under a lease. POST /v1/inbox/{agent}/take; scope: submit."""
        return await self._run(
                OPERATIONS["takeHandoffs"], at={"agent": agent}, members={"max": max, "lease_s": lease_s, "wait_s": wait_s, "receipts": receipts},
                key=key)

    async def finish_handoffs(self, agent: str, items: Any, *, key: str | None = None) -> dict[str, Any]:
        """Say how deliveries ended. POST /v1/inbox/{agent}/finish; scope: submit."""
        return await self._run(OPERATIONS["finishHandoffs"], at={"agent": agent}, members={"items": items}, key=key)

    async def list_blocked(self) -> dict[str, Any]:
        """List the agents that are blocked. GET /v1/govern/blocked; scope: operate."""
        return await self._run(OPERATIONS["listBlocked"])

    async def govern_path(self, *, from_: str | None = None, to: str | None = None) -> dict[str, Any]:
        """Find the shortest allowed way from one agent to another. GET /v1/govern/path; scope: operate."""
        return await self._run(OPERATIONS["governPath"], query={"from": from_, "to": to})

    async def verify_root(self) -> Report:
        """Judge the whole catalogue of agents. GET /v1/govern/root; scope: operate."""
        return await self._run(OPERATIONS["verifyRoot"])

    async def unblock(self, agent: str, reason: str, *, key: str | None = None) -> dict[str, Any]:
        """Lift the block of an agent, with a reason. POST /v1/govern/unblock; scope: operate."""
        return await self._run(OPERATIONS["unblock"], members={"agent": agent, "reason": reason}, key=key)

    async def contract_state(self, *, workspace: str | None = None, session: str | None = None, agent: str | None = None) -> dict[str, Any]:
        """Show what agents reported last. GET /v1/contract/state; scope: submit."""
        return await self._run(OPERATIONS["contractState"], query={"workspace": workspace, "session": session, "agent": agent})

    async def clear_contract_state(self, *, workspace: str | None = None, session: str | None = None, agent: str | None = None) -> dict[str, Any]:
        """Forget what an agent reported. DELETE /v1/contract/state; scope: operate."""
        return await self._run(OPERATIONS["clearContractState"], query={"workspace": workspace, "session": session, "agent": agent})

    async def contract_resume(
            self, agent: str | None = None, workspace: str | None = None, session: str | None = None, *, key: str | None = None) -> dict[str, Any]:
        """Let an agent go on after an answer or a new task. POST /v1/contract/resume; scope: operate."""
        return await self._run(OPERATIONS["contractResume"], members={"agent": agent, "workspace": workspace, "session": session}, key=key)

    async def store_contract_input(
            self, body: Document, *, workspace: str | None = None, session: str | None = None, agent: str | None = None,
            agent_type: str | None = None) -> dict[str, Any]:
        """Keep an INPUT for an agent or a type of agents. PUT /v1/contract/input; scope: operate."""
        return await self._run(
                OPERATIONS["storeContractInput"], query={"workspace": workspace, "session": session, "agent": agent, "agent_type": agent_type},
                body=body)

    async def contract_sections(self, *, workspace: str | None = None, name: str | None = None, history: bool | None = None) -> dict[str, Any]:
        """Show the sections that reports have updated. GET /v1/contract/sections; scope: submit."""
        return await self._run(OPERATIONS["contractSections"], query={"workspace": workspace, "name": name, "history": history})

    async def list_approvals(self, *, status: str | None = None) -> dict[str, Any]:
        """List requests for consent. GET /v1/approvals; scope: approve."""
        return await self._run(OPERATIONS["listApprovals"], query={"status": status})

    async def use_approval(
            self, command: str | None = None, command_base64: str | None = None, id: str | None = None, agent: str | None = None,
            workspace: str | None = None, *, key: str | None = None) -> dict[str, Any]:
        """Use a grant for a command, once. POST /v1/approvals/use; scope: submit."""
        return await self._run(
                OPERATIONS["useApproval"], members={"command": command, "command_base64": command_base64, "id": id, "agent": agent,
                "workspace": workspace}, key=key)

    async def get_approval(self, id: str) -> dict[str, Any]:
        """Get one request for consent. GET /v1/approvals/{id}; scope: submit."""
        return await self._run(OPERATIONS["getApproval"], at={"id": id})

    async def show_approval(self, id: str, *, key: str | None = None) -> dict[str, Any]:
        """Show a request to a person. POST /v1/approvals/{id}/show; scope: approve."""
        return await self._run(OPERATIONS["showApproval"], at={"id": id}, key=key)

    async def grant_approval(self, id: str, fingerprint: str, ttl: str | None = None, *, key: str | None = None) -> dict[str, Any]:
        """Grant what was shown. POST /v1/approvals/{id}/grant; scope: approve."""
        return await self._run(OPERATIONS["grantApproval"], at={"id": id}, members={"fingerprint": fingerprint, "ttl": ttl}, key=key)

    async def deny_approval(self, id: str, reason: str | None = None, *, key: str | None = None) -> dict[str, Any]:
        """Deny a request. POST /v1/approvals/{id}/deny; scope: approve."""
        return await self._run(OPERATIONS["denyApproval"], at={"id": id}, members={"reason": reason}, key=key)

    async def revoke_approval(self, id: str, reason: str | None = None, *, key: str | None = None) -> dict[str, Any]:
        """Revoke a grant or request. POST /v1/approvals/{id}/revoke; scope: approve."""
        return await self._run(OPERATIONS["revokeApproval"], at={"id": id}, members={"reason": reason}, key=key)

    async def list_traces(self, *, limit: int | None = None) -> dict[str, Any]:
        """List the newest traces. GET /v1/traces; scope: submit."""
        return await self._run(OPERATIONS["listTraces"], query={"limit": limit})

    async def get_trace(self, trace_id: str) -> dict[str, Any]:
        """Show the handoffs of a trace. GET /v1/traces/{trace_id}; scope: submit."""
        return await self._run(OPERATIONS["getTrace"], at={"trace_id": trace_id})

    async def get_trace_graph(self, trace_id: str, *, format: str | None = None, accept: str | None = None) -> bytes:
        """Draw the way of a trace from agent to agent. GET /v1/traces/{trace_id}/graph; scope: submit."""
        return await self._run(OPERATIONS["getTraceGraph"], at={"trace_id": trace_id}, query={"format": format}, accept=accept)

    async def get_ledger(self) -> dict[str, Any]:
        """Show the newest checkpoint. GET /v1/ledger; scope: check."""
        return await self._run(OPERATIONS["getLedger"])

    async def prove_consistency(self, *, old: int | None = None, size: int | None = None) -> dict[str, Any]:
        """Prove that the log extends an older state of it. GET /v1/ledger/proof/consistency; scope: check."""
        return await self._run(OPERATIONS["proveConsistency"], query={"old": old, "size": size})

    async def prove_inclusion(self, *, seq: int | None = None, size: int | None = None) -> dict[str, Any]:
        """Prove that an entry is in the log. GET /v1/ledger/proof/inclusion; scope: submit."""
        return await self._run(OPERATIONS["proveInclusion"], query={"seq": seq, "size": size})

    async def list_entries(
            self, *, from_: str | None = None, limit: int | None = None, kind: str | None = None, verdict: str | None = None) -> dict[str, Any]:
        """List entries of any kind. GET /v1/ledger/entries; scope: operate."""
        return await self._run(OPERATIONS["listEntries"], query={"from": from_, "limit": limit, "kind": kind, "verdict": verdict})

    async def get_entry(self, seq: int) -> dict[str, Any]:
        """Show one entry. GET /v1/ledger/entries/{seq}; scope: operate."""
        return await self._run(OPERATIONS["getEntry"], at={"seq": seq})

    async def list_peers(self) -> dict[str, Any]:
        """Show the peers that cosign this log. GET /v1/ledger/peers; scope: operate."""
        return await self._run(OPERATIONS["listPeers"])

    async def ledger_keys(self) -> dict[str, Any]:
        """Show the public keys of the log in every form. GET /v1/ledger/keys; scope: check."""
        return await self._run(OPERATIONS["ledgerKeys"])

    async def audit_ledger(
            self, *, from_: str | None = None, to: str | None = None, max_silence: str | None = None, max_open: str | None = None) -> Report:
        """Look for what is missing. GET /v1/ledger/audit; scope: operate."""
        return await self._run(OPERATIONS["auditLedger"], query={"from": from_, "to": to, "max_silence": max_silence, "max_open": max_open})

    async def list_holds(self) -> dict[str, Any]:
        """List what is kept from being deleted. GET /v1/ledger/holds; scope: operate."""
        return await self._run(OPERATIONS["listHolds"])

    async def set_hold(
            self, reason: str, trace: str | None = None, handoff: str | None = None, document: str | None = None, *, key: str | None = None) -> dict[str, Any]:
        """Keep documents from being deleted, and record that. POST /v1/ledger/holds; scope: admin."""
        return await self._run(OPERATIONS["setHold"], members={"reason": reason, "trace": trace, "handoff": handoff, "document": document}, key=key)

    async def release_hold(
            self, reason: str, trace: str | None = None, handoff: str | None = None, document: str | None = None, *, key: str | None = None) -> dict[str, Any]:
        """Let documents be deleted again, and record that. POST /v1/ledger/holds/release; scope: admin."""
        return await self._run(
                OPERATIONS["releaseHold"], members={"reason": reason, "trace": trace, "handoff": handoff, "document": document}, key=key)

    async def add_cosignatures(self, body: Document, *, witness_key: str | None = None, key: str | None = None) -> dict[str, Any]:
        """Keep cosignatures of the newest checkpoint. POST /v1/ledger/cosignatures; scope: operate."""
        return await self._run(OPERATIONS["addCosignatures"], query={"witness_key": witness_key}, body=body, key=key)

    async def make_bundle(
            self, from_: Any | None = None, to: Any | None = None, handoff: str | None = None, trace: str | None = None, agent: str | None = None,
            no_documents: bool | None = None, max_document: int | None = None, title: str | None = None, *, accept: str | None = None) -> dict[str, Any]:
        """Put a case into one file. POST /v1/ledger/bundle; scope: operate."""
        return await self._run(
                OPERATIONS["makeBundle"], members={"from": from_, "to": to, "handoff": handoff, "trace": trace, "agent": agent,
                "no_documents": no_documents, "max_document": max_document, "title": title}, accept=accept)

    async def redact_document(self, reason: str, seq: int | None = None, sha256: str | None = None, *, key: str | None = None) -> dict[str, Any]:
        """Delete the bytes of a document, and record that. POST /v1/ledger/redact; scope: admin."""
        return await self._run(OPERATIONS["redactDocument"], members={"reason": reason, "seq": seq, "sha256": sha256}, key=key)

    async def tlog_checkpoint(self) -> Any:
        """The newest checkpoint as a signed note. GET /ledger/checkpoint; scope: operate."""
        return await self._run(OPERATIONS["tlogCheckpoint"])

    async def tlog_tile(self, path: str) -> bytes:
        """A tile or bundle of entries of the log. GET /ledger/tile/{path}; scope: operate."""
        return await self._run(OPERATIONS["tlogTile"], at={"path": path})

    async def scitt_register(self, body: Document, *, key: str | None = None) -> bytes:
        """Register a signed statement. POST /entries; scope: submit."""
        return await self._run(OPERATIONS["scittRegister"], body=body, key=key)

    async def scitt_receipt(self, seq: int) -> bytes:
        """The COSE receipt of an entry. GET /entries/{seq}; scope: submit."""
        return await self._run(OPERATIONS["scittReceipt"], at={"seq": seq})

    async def scitt_key(self, kid: str) -> bytes:
        """One public key of the log as COSE_Key. GET /.well-known/scitt-keys/{kid}; scope: none."""
        return await self._run(OPERATIONS["scittKey"], at={"kid": kid})

    async def scitt_keys(self) -> bytes:
        """The public keys of the log as a COSE Key Set. GET /.well-known/scitt-keys; scope: none."""
        return await self._run(OPERATIONS["scittKeys"])

    async def witness_add_checkpoint(self, body: Document) -> dict[str, Any]:
        """Ask this server's witness to cosign a checkpoint. POST /witness/add-checkpoint; scope: none."""
        return await self._run(OPERATIONS["witnessAddCheckpoint"], body=body)

    async def witness_checkpoint(self, origin_hash: str) -> Any:
        """The checkpoint that the witness has cosigned. GET /witness/{origin_hash}/checkpoint; scope: none."""
        return await self._run(OPERATIONS["witnessCheckpoint"], at={"origin_hash": origin_hash})

    async def hook(
            self, host: str, body: Document, *, observe: bool | None = None, fail_closed: bool | None = None, agents: str | None = None,
            workspace: str | None = None) -> dict[str, Any]:
        """Answer an event of an agent host. POST /v1/hooks/{host}; scope: submit."""
        return await self._run(
                OPERATIONS["hook"], at={"host": host}, query={"observe": observe, "fail_closed": fail_closed, "agents": agents,
                "workspace": workspace}, body=body)

    async def admin_config(self) -> dict[str, Any]:
        """Show the configuration in force. GET /v1/admin/config; scope: admin."""
        return await self._run(OPERATIONS["adminConfig"])

    async def admin_reload(self) -> dict[str, Any]:
        """Read configuration, tokens and certificates again. POST /v1/admin/reload; scope: admin."""
        return await self._run(OPERATIONS["adminReload"])

    async def new_log(self, name: str, origin: str, entries: int | None = None) -> dict[str, Any]:
        """Make a log below the root. POST /v1/admin/logs; scope: admin."""
        return await self._run(OPERATIONS["newLog"], members={"name": name, "origin": origin, "entries": entries})

    async def list_logs(self) -> dict[str, Any]:
        """List the logs that the caller may use. GET /v1/admin/logs; scope: operate."""
        return await self._run(OPERATIONS["listLogs"])

    async def pump_send(self, body: Document, *, key: str | None = None) -> dict[str, Any]:
        """Send a message to the pump. POST /v1/pump/send; scope: submit."""
        return await self._run(OPERATIONS["pumpSend"], body=body, key=key)

    async def pump_replies(self, thread: str) -> dict[str, Any]:
        """Read what the pump delivered to the caller's thread. GET /v1/pump/threads/{thread}/replies; scope: submit."""
        return await self._run(OPERATIONS["pumpReplies"], at={"thread": thread})

    async def pump_status(self) -> dict[str, Any]:
        """Tell how the pump is doing. GET /v1/pump/status; scope: operate."""
        return await self._run(OPERATIONS["pumpStatus"])

    async def pump_listeners(self) -> dict[str, Any]:
        """List the listeners. GET /v1/pump/listeners; scope: operate."""
        return await self._run(OPERATIONS["pumpListeners"])

    async def pump_graph(self, *, format: str | None = None) -> dict[str, Any]:
        """Show who may call whom. GET /v1/pump/graph; scope: operate."""
        return await self._run(OPERATIONS["pumpGraph"], query={"format": format})

    async def pump_thread(
            self, thread: str, *, client: str | None = None, limit: int | None = None, offset: str | None = None, payloads: str | None = None) -> dict[str, Any]:
        """Show the history of a thread. GET /v1/pump/threads/{thread}; scope: operate."""
        return await self._run(
                OPERATIONS["pumpThread"], at={"thread": thread}, query={"client": client, "limit": limit, "offset": offset, "payloads": payloads})

    def pump_events(self, *, after: int | None = None) -> AsyncIterator[dict[str, Any]]:
        """Follow the events of the pump. GET /v1/pump/events; scope: operate."""
        return self._events(OPERATIONS["pumpEvents"], query={"after": after})

    async def list_wrapped(self) -> dict[str, Any]:
        """List wrapped MCP servers, and what they did since the server started. GET /v1/wrap/servers; scope: operate."""
        return await self._run(OPERATIONS["listWrapped"])

    async def wrap_diff(self, name: str) -> Report:
        """Compare what a wrapped MCP server shows with its lock. GET /v1/wrap/servers/{name}/diff; scope: operate."""
        return await self._run(OPERATIONS["wrapDiff"], at={"name": name})

    async def wrap_stats(self, *, server: str | None = None, since: str | None = None, until: str | None = None) -> dict[str, Any]:
        """Count recorded calls of wrapped MCP servers by server and tool. GET /v1/wrap/stats; scope: operate."""
        return await self._run(OPERATIONS["wrapStats"], query={"server": server, "since": since, "until": until})

    async def list_calls(
            self, *, server: str | None = None, tool: str | None = None, event: str | None = None, session: str | None = None,
            since: str | None = None, until: str | None = None, after: str | None = None, limit: int | None = None) -> dict[str, Any]:
        """List recorded calls of wrapped MCP servers. GET /v1/wrap/calls; scope: submit."""
        return await self._run(
                OPERATIONS["listCalls"], query={"server": server, "tool": tool, "event": event, "session": session, "since": since, "until": until,
                "after": after, "limit": limit})

    async def get_call(self, seq: int) -> dict[str, Any]:
        """Show one recorded call of a wrapped MCP server. GET /v1/wrap/calls/{seq}; scope: submit."""
        return await self._run(OPERATIONS["getCall"], at={"seq": seq})

    async def openapi(self) -> dict[str, Any]:
        """This document. GET /openapi.json; scope: none."""
        return await self._run(OPERATIONS["openapi"])
