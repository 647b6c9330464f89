# SPDX-License-Identifier: Apache-2.0
"""block.py - contract blocks for the tests beside it, and how they are judged."""
import copy
import json

from program import equal, report, run

ID = "a80177b959c721da1"
GONE = object()
KEYS = ("patterns_checked", "files_checked", "commands_run", "key_outputs", "verbatim_outputs", "cross_layer_impacts", "open_gaps")
CONSOLIDATION = {"ownership_assessment": "owned_here", "confirmed_findings": [], "suspected_findings": [], "conflicts": [],
                 "open_gaps": [], "next_best_agent": "platform"}
REQUEST = {"operation": "apply the plan", "exact_content": "terraform apply", "scope": "staging", "risk_level": "HIGH",
           "rollback": "terraform apply old", "verification": "no changes"}


def envelope(changes=None, status="IN_PROGRESS"):
    """An envelope in which nothing is found, with changes: {"/pointer": value}; GONE takes a member away."""
    made = {"agent_status": {"plan_status": status, "agent_id": ID, "pending_steps": [], "next_action": "go on"},
            "evidence_report": {key: [] for key in KEYS}}
    if status == "COMPLETE":
        made["evidence_report"]["verification"] = {"result": "pass"}
    if status == "BLOCKED":
        made["evidence_report"]["open_gaps"] = ["no access"]
    for pointer, value in (changes or {}).items():
        at = made
        *path, last = pointer.split("/")[1:]
        for name in path:
            at = at.setdefault(name, {})
        if value is GONE:
            del at[last]
        else:
            at[last] = copy.deepcopy(value)
    return made


def fenced(body):
    return "Report.\n\n```agent_contract_handoff\n" + (body if isinstance(body, str) else json.dumps(body)) + "\n```\n"


def judged(message, *flags, cwd=None):
    """The document that check reports."""
    result = run("check", "--as", "contract", "-f", "json", *flags, "-", stdin=message, cwd=cwd)
    if result.returncode == 2:
        raise AssertionError(result.stderr)
    found = report(result)["documents"][0]
    equal(result.returncode, 0 if found["verdict"] == "accepted" else 1)
    return found


def said(message, *flags, **more):
    """CODE@SEVERITY POINTER of every finding."""
    return [f"{finding['code']}@{finding['severity']} {finding['pointer']}" for finding in
            judged(message, *flags, **more)["findings"]]
