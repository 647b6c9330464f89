# SPDX-License-Identifier: Apache-2.0
"""made_handoff.py - a universal handoff of an exact size, for benches."""
import json


def document(size, separators=None, **more):
    """A universal handoff of exactly so many bytes."""
    made = {"handoff": {"version": "3.0", "schema_type": "universal", "timestamp": "2026-04-14T08:30:00Z", "trace_id": "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4",
                        "source": {"skill": "release-planner", "workflow_id": "run-0412", "session_path": "work", "phase": "Triage"},
                        "target": {"skill": "patch-builder"}, "context": {"summary": "Build the fix for the date parser.", "problem_type": "implementation"},
                        "payload": {"working": {"steps": []}}, "meta": {"token_count": 1000, "confidence": "high"}, **more}}
    steps = made["handoff"]["payload"]["working"]["steps"]
    while len(json.dumps(made, separators=separators)) < size - 120:
        steps.append({"file": f"src/part{len(steps)}.c", "line": 37 * len(steps) % 911, "why": "the parser reads the zone twice"})
    steps.append("")
    rest = size - len(json.dumps(made, separators=separators))
    steps[-1] = ("the rule for leap years is in the next part " * (rest // 40 + 1))[:rest]
    text = json.dumps(made, separators=separators)
    assert len(text) == size, len(text)
    return text
