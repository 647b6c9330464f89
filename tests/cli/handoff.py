# SPDX-License-Identifier: Apache-2.0
"""handoff.py - a good universal handoff, and others made of it."""
import copy
import json

NOW = "2026-04-14T09:00:00Z"
GOOD = {"handoff": {
    "version": "3.0", "schema_type": "universal", "timestamp": "2026-04-14T08:30:00Z",
    "trace_id": "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4",
    "source": {"skill": "release-planner", "workflow_id": "run-0412", "session_path": "work", "phase": "Triage"},
    "target": {"skill": "patch-builder"},
    "context": {"summary": "Build the fix for the date parser; three customers are blocked.",
                "problem_type": "implementation"},
    "payload": {"working": {"ticket": "DP-118", "files": ["parse.c", "date.c"]}},
    "meta": {"token_count": 128, "confidence": "high"}}}
GONE = object()


def handoff(changes=None, **more):
    """A good handoff with members set by path: {"meta/token_count": 5}; GONE takes one away. It counts itself."""
    made = copy.deepcopy(GOOD)
    changes = {**(changes or {}), **more}
    for path, value in changes.items():
        place = made["handoff"]
        *folders, name = path.split("/")
        for folder in folders:
            place = place.setdefault(folder, {})
        if value is GONE:
            del place[name]
        else:
            place[name] = copy.deepcopy(value)
    if "meta/token_count" not in changes and isinstance(made["handoff"].get("meta"), dict):
        made["handoff"]["meta"]["token_count"] = min(2000, len(json.dumps(made)) // 4)
    return made
