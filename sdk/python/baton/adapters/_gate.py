# SPDX-License-Identifier: Apache-2.0
"""The gate that all adapters share: a brief becomes a handoff, is judged, recorded, and handed over or sent back.

Nothing here knows a framework. An adapter keeps one Run in the context of each run of its framework and calls `Gate.decide`.
"""
import asyncio
import contextlib
import dataclasses
import datetime
import hashlib
import json
import re
import threading
import time
import uuid

import baton
from baton._errors import BatonError, Problem, Rejected, Unavailable
from baton.handoff_payloads import load_payload_schema

FAILED_TEXT = "Baton could not judge this handoff; nothing was handed over. Try again later."
SUMMARY_CHARACTERS_MAX = 500
NAME_BYTES_MAX = 64
POLL_S = 1.0
# Findings that no model can correct: a person decides at once.
FOR_PEOPLE = frozenset(("CHAIN_NEEDS_APPROVAL", "PAYLOAD_HASH_MISMATCH"))
STAGES_FOR_PEOPLE = frozenset(("governance", "record"))
MEMBERS = {"summary": "summary", "problem_type": "problem_type", "working": "working", "known_gaps": "gap",
           "success_criteria": "criterion", "reason": "reason"}  # of a brief -> of newHandoff


def skill_of(name):
    """The name of an agent as a skill: lower case, other characters as one hyphen, at most 64 bytes; `agent` when nothing is left."""
    text = "".join(letter if letter in "abcdefghijklmnopqrstuvwxyz0123456789" else "-" for letter in _ascii_lower(str(name)))
    words = "-".join(word for word in text.split("-") if word)
    return words[:NAME_BYTES_MAX].rstrip("-") or "agent"


def _ascii_lower(text):
    return "".join(chr(ord(letter) + 32) if "A" <= letter <= "Z" else letter for letter in text)


@dataclasses.dataclass
class Run:
    """What a gate remembers of one run of a framework."""

    run_id: str
    attempts: int = 0
    last: dict | None = None  # the last handoff that was accepted
    refusals: dict = dataclasses.field(default_factory=dict)  # (source, target) -> how many
    is_approved: bool = False  # a person has approved the next handoff
    lock: threading.Lock = dataclasses.field(default_factory=threading.Lock, repr=False, compare=False)


@dataclasses.dataclass(frozen=True)
class Decision:
    """What a gate decided. `accepted`: the framework hands over; otherwise `text` goes back to the model."""

    accepted: bool
    text: str = ""
    report: object = None  # None: nothing could be judged
    document: dict | None = None
    ref: str | None = None
    seq: int | None = None
    stop: BaseException | None = None  # the run ends with it

    def facts(self):
        """What the framework's own context is told under `baton`."""
        return {"ref": self.ref, "seq": self.seq, "document": self.document}

    def handed(self, brief):
        """What the target is given: the handoff, or the brief itself when an observing gate lets it pass."""
        return json.dumps(self.document, ensure_ascii=False) if self.document is not None else json.dumps(brief, ensure_ascii=False)

    def or_stop(self):
        """The decision; an escalation that ends the run is raised."""
        if self.stop is not None:
            raise self.stop
        return self


class Gate:
    """Checks, records and sends back handoffs. Made once; see docs/adapters.md for its parameters."""

    def __init__(self, client=None, *, build=None, schema=None, root=None, budget=2000, problem_type="implementation", limit=3, mode="enforce",
                 record="all", session_path=".", on_report=None, on_escalate=None, approver=None, agents=()):
        if mode not in ("enforce", "observe"):
            raise ValueError("mode is enforce or observe")
        if record not in ("all", "accepted", "none"):
            raise ValueError("record is all, accepted or none")
        if not isinstance(limit, int) or not 1 <= limit <= 100:
            raise ValueError("limit is a number from 1 to 100")
        self.client, self.build, self.schema, self.approver = client, build, schema, approver
        self.budget, self.problem_type, self.limit, self.mode, self.record = budget, problem_type, limit, mode, record
        self.session_path, self.on_report, self.on_escalate = session_path, on_report, on_escalate
        self._engine = baton.Engine(roots={"default": root}) if root is not None else None
        self._has_root = root is not None
        self._skills = {}
        self._lock = threading.Lock()
        self._brief = self._make_brief(root)
        for name in agents:
            self.skill(name)

    def __reduce__(self):
        raise TypeError("a Gate cannot be pickled; make one in each process")

    # ---- Names and briefs ------------------------------------------------------------------------

    def skill(self, name):
        """The skill of an agent's name. ValueError: another agent of this gate has the same."""
        skill = skill_of(name)
        with self._lock:
            other = self._skills.setdefault(skill, str(name))
        if other != str(name):
            raise ValueError(f"the agents {other!r} and {name!r} are both called {skill} in handoffs; give one another name")
        return skill

    def named(self, written):
        """The agent of this gate that a model means, however it spells the name; else the text itself."""
        with self._lock:
            return self._skills.get(skill_of(written), str(written))

    def _make_brief(self, root):
        schema = json.loads(baton.schema_text("brief"))
        payload = load_payload_schema(self.schema, root) if isinstance(self.schema, str) and root is not None else self.schema
        if isinstance(payload, dict):
            schema["properties"]["working"] = {key: value for key, value in payload.items() if key not in ("$schema", "$id")}
            schema["required"] = ["summary", "working"]
        return schema

    def brief_schema(self):
        """The JSON Schema of what a model fills in; without members that tools of models do not take."""
        return {key: value for key, value in self._brief.items() if key not in ("$schema", "$id")}

    def begin(self, run_id=None):
        """What to keep in the context of a run."""
        return Run(str(run_id) if run_id else str(uuid.uuid4()))

    # ---- Deciding --------------------------------------------------------------------------------

    def decide(self, brief, source, target, run, context=None):
        """Decide about one handoff of a run; `context` is for `build`. Never raises for what a model wrote."""
        with run.lock:
            run.attempts += 1
            try:
                decision = self._judge(brief, self.skill(source), self.skill(target), run, context)
            except Exception as error:  # whatever failed, nothing is handed over
                with contextlib.suppress(Exception):  # it may be on_report that failed
                    self._tell(None, error)
                decision = Decision(False, FAILED_TEXT)
            if self.mode == "observe":
                return dataclasses.replace(decision, accepted=True, text="", stop=None)
            return decision if decision.accepted else self._send_back(decision, (skill_of(source), skill_of(target)), run)

    async def adecide(self, brief, source, target, run, context=None):
        """The same without blocking the event loop."""
        return await asyncio.to_thread(self.decide, brief, source, target, run, context)

    def _tell(self, report, error=None):
        if self.on_report is not None:
            self.on_report(report if report is not None else error)

    def _judge(self, brief, source, target, run, context):
        if self.build is not None:
            brief = self.build(context)
        if not isinstance(brief, dict):
            brief = {"summary": str(brief)[:SUMMARY_CHARACTERS_MAX]} if brief is not None else {}
        report = self._validate(brief)
        if not report.accepted:
            return self._refuse(report, json.dumps(brief, ensure_ascii=False), run)
        outcome = self._make(brief, source, target, run)
        if not outcome.accepted:
            return self._refuse(outcome, outcome.text, run)
        if self.schema is not None:
            report = self._validate_payload(outcome.document["handoff"]["payload"].get("working"))
            if not report.accepted:  # a server does not know the schema, and would accept the handoff
                return self._refuse(report, json.dumps(brief, ensure_ascii=False), run)
        return self._accept(outcome, run)

    def _validate(self, brief):
        reply = baton.call("schemaValidate", {"schema": self._brief, "instance": brief}, engine=self._engine)
        return baton.Report(reply.json)

    def _validate_payload(self, working):
        request = {"schema": self.schema, "payload": working if working is not None else {}}
        if self._has_root:
            request["root"] = "default"
        return baton.Report(baton.call("planValidate", request, engine=self._engine).json)

    def _make(self, brief, source, target, run):
        parts = {MEMBERS[name]: value for name, value in brief.items()}
        parts.setdefault("problem_type", self.problem_type)
        if run.last is not None:
            parts["continue_"] = run.last
        return baton.Handoff(source=source, target=target, session_path=self.session_path, workflow_id=run.run_id, approved=run.is_approved or None,
                             options={"budget": self.budget}, **parts).build(engine=self._engine)

    # ---- Recording -------------------------------------------------------------------------------

    def _submit(self, text, run, **options):
        key = hashlib.sha256(f"{run.run_id}-{run.attempts}".encode()).hexdigest()[:32]
        return self.client.submit(text, key=key, **{"as": "universal", **options})

    def _submit_refused(self, text, run):
        """Submit what is over the budget of this gate with that budget, so that a server with a larger one refuses it, too."""
        try:
            self._submit(text, run, budget=self.budget)
        except Problem as problem:
            if problem.code != "PARAMETER_INVALID":
                raise
            self._submit(text, run)  # the server's budget is the smaller one

    def _accept(self, outcome, run):
        ref = seq = None
        if self.client is not None and self.record != "none":
            try:
                submission = self._submit(outcome.text, run)
            except Rejected as rejected:
                self._tell(rejected.report)
                return Decision(False, report=rejected.report)
            ref, seq = submission.record["ref"], submission.record["seq"]
        self._tell(outcome)
        run.last, run.is_approved = outcome.document, False
        return Decision(True, report=outcome, document=outcome.document, ref=ref, seq=seq)

    def _refuse(self, report, text, run):
        """What this process refused; with record="all" the refusal goes into the ledger, too."""
        if self.client is not None and self.record == "all":
            try:
                self._submit_refused(text, run)
            except Rejected:
                pass
            else:
                raise BatonError("the server accepted what was refused here")
        self._tell(report)
        return Decision(False, report=report)

    # ---- Sending back ----------------------------------------------------------------------------

    def _send_back(self, decision, pair, run):
        count = run.refusals[pair] = run.refusals.get(pair, 0) + 1
        if decision.report is None:  # nothing was judged; the model may try again, up to the limit
            stop = Unavailable(FAILED_TEXT) if count >= self.limit else None
            return dataclasses.replace(decision, stop=stop)
        text = decision.report.retry_text(min(count, self.limit), self.limit)
        if count < self.limit and not self._is_for_people(decision.report):
            return dataclasses.replace(decision, text=text)
        what = self.on_escalate(decision.report) if self.on_escalate is not None else "stop"
        if what == "approve":
            run.is_approved = self.is_granted(decision.report, run)
            if run.is_approved:
                run.refusals[pair] = 0
                return dataclasses.replace(decision, text=text)
        return dataclasses.replace(decision, text=text, stop=Rejected(decision.report))

    @staticmethod
    def _is_for_people(report):
        findings = [finding for document in report.documents for finding in document.findings]
        return any(finding.severity == "HARD" and (finding.code in FOR_PEOPLE or finding.stage in STAGES_FOR_PEOPLE) for finding in findings)

    # ---- Approvals -------------------------------------------------------------------------------

    def request_approval(self, operation, exact_content, *, scope, risk_level="HIGH", rollback, verification, agent="agent", key=None):
        """Ask a person, by a contract block of status APPROVAL_REQUEST. Returns the request with `id` and `fingerprint`.

        Requests with the same `key` are one request.
        """
        block = {"agent_status": {"plan_status": "APPROVAL_REQUEST", "agent_id": _agent_id(agent), "pending_steps": [operation], "next_action": "wait"},
                 "evidence_report": {name: [] for name in ("patterns_checked", "files_checked", "commands_run", "key_outputs", "verbatim_outputs",
                                                            "cross_layer_impacts", "open_gaps")},
                 "consolidation_report": None,
                 "approval_request": {"operation": operation, "exact_content": exact_content, "scope": scope, "risk_level": risk_level,
                                      "rollback": rollback, "verification": verification}}
        message = f"```agent_contract_handoff\n{json.dumps(block)}\n```\n"
        submission = self.client.submit(message, key=key, **{"as": "contract"})
        return dict(submission.answer["submit"]["approval"])

    def approval(self, operation, exact_content, *, scope, risk_level="HIGH", rollback, verification, agent="agent", wait=None, key=None):
        """Ask a person and wait, for the agent of this name. True: the grant was used up for exactly these bytes, and the command may run once.

        `wait(request)` is the framework's own way to wait; it returns {"decision": "approve"|"deny", "fingerprint"}, or None when the
        decision is made elsewhere.
        """
        request = self.request_approval(operation, exact_content, scope=scope, risk_level=risk_level, rollback=rollback,
                                        verification=verification, agent=agent, key=key)
        answer = wait(request) if wait is not None else None
        if answer is not None and self.approver is not None and answer.get("fingerprint") == request["fingerprint"]:
            if answer.get("decision") == "approve":
                self.approver.grant_approval(request["id"], request["fingerprint"])
            else:
                self.approver.deny_approval(request["id"])
        elif answer is not None:
            return False
        if not self._wait_for_grant(request):
            return False
        self.use_grant(exact_content, request["id"])
        return True

    def use_grant(self, exact_content, request_id):
        """Use a grant up for exactly these bytes. Problem: there is none, or it is about others, and the command must not run."""
        if self.client.use_approval(exact_content, id=request_id).get("granted") is not True:
            raise BatonError("the grant cannot be used; nothing was run")

    def _wait_for_grant(self, request):
        while True:
            found = self.client.get_approval(request["id"])
            if found["status"] != "pending" or time.time() > datetime.datetime.fromisoformat(found["expires_at"]).timestamp():
                return found["status"] == "approved"
            time.sleep(POLL_S)

    def is_granted(self, report, run):
        """Whether a person grants what was refused; adapters replace the way of waiting."""
        if self.client is None:
            return False
        codes = sorted({finding.code for document in report.documents for finding in document.findings})
        return self.approval("hand over", f"run {run.run_id}: {' '.join(codes)}", scope=run.run_id, rollback="none",
                             verification="the next handoff is judged again", agent="-")


def _agent_id(name):
    """An agent id as contract blocks have it: one that has their form, hexadecimal digits with an `a` before them, else a digest."""
    text = str(name)
    digits = _ascii_lower(text.replace("-", ""))
    if re.fullmatch(r"a[0-9a-f]{5,127}", text):
        return text
    return "a" + (digits if re.fullmatch(r"[0-9a-f]{5,127}", digits) else hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32])
