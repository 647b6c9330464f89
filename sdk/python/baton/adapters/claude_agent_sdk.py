# SPDX-License-Identifier: Apache-2.0
"""Claude Agent SDK: hooks that run `baton hook claude` for subagents, and check the brief in the prompt of one.

The program keeps what a run remembers, in its store.
"""
import asyncio
import json

from baton.ledger import Ledger

from . import need
from ._gate import FAILED_TEXT, SUMMARY_CHARACTERS_MAX
from ._gate import Gate as BaseGate

need("claude_agent_sdk", "claude-agent-sdk", "0.2")

from claude_agent_sdk import HookMatcher  # noqa: E402

__all__ = ["Gate"]

HOOK_S_MAX = 30.0
SESSIONS_MAX = 1000
EVENTS = ("SubagentStart", "SubagentStop")


class _Recorder:
    """What a gate needs of a client, done by the program."""

    def __init__(self, store, program):
        self._ledger = Ledger(store, program=program, timeout=HOOK_S_MAX)

    def submit(self, text, *, key=None, **options):
        return self._ledger.submit(text, options.get("as"))


class Gate(BaseGate):
    """A gate for subagents; `store` and `program` say where and by which program decisions are recorded."""

    def __init__(self, *, store=None, program="baton", workspace=None, **how):
        super().__init__(_Recorder(store, program) if store is not None else None, **how)
        self._command = [program, "hook", "claude"]
        for flag, value in (("--store", store), ("--workspace", workspace)):
            if value is not None:
                self._command += [flag, str(value)]
        self._runs = {}  # session -> its run; a gate lives as long as its client

    def _run_of(self, session):
        if session not in self._runs and len(self._runs) >= SESSIONS_MAX:
            del self._runs[next(iter(self._runs))]  # the oldest
        return self._runs.setdefault(session, self.begin(session))

    def hooks(self):
        """For ClaudeAgentOptions(hooks=...)."""
        events = {event: [HookMatcher(hooks=[self._run_program], timeout=HOOK_S_MAX)] for event in EVENTS}
        return {**events, "PreToolUse": [HookMatcher(matcher="Task|Agent", hooks=[self._check_prompt], on_failure="block")]}

    async def _run_program(self, event, _tool_use_id, _context):
        """What the program answers to the event. A program that fails lets nothing pass."""
        try:
            process = await asyncio.create_subprocess_exec(*self._command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
                                                           stderr=asyncio.subprocess.PIPE)
            output, _errors = await asyncio.wait_for(process.communicate(json.dumps(event).encode()), HOOK_S_MAX)
            if process.returncode != 0:
                raise OSError(f"baton hook ended with {process.returncode}")
            return json.loads(output) if output.strip() else {}
        except Exception as error:
            self._tell(None, error)
            is_start = event.get("hook_event_name") == "SubagentStart"
            return {} if is_start or self.mode == "observe" else {"decision": "block", "reason": FAILED_TEXT}

    async def _check_prompt(self, event, _tool_use_id, _context):
        given = event.get("tool_input") or {}
        prompt = str(given.get("prompt") or "")
        try:
            brief = json.loads(prompt)
        except ValueError:
            brief = None
        brief = brief if isinstance(brief, dict) else {"summary": prompt.strip()[:SUMMARY_CHARACTERS_MAX]}
        run = self._run_of(event.get("session_id"))
        decision = await self.adecide(brief, "main", self.named(given.get("subagent_type") or "agent"), run, event)
        if decision.accepted:
            return {}
        answer = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": decision.text}}
        return {**answer, "continue_": False, "stopReason": decision.text} if decision.stop is not None else answer
