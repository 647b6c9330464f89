# SPDX-License-Identifier: Apache-2.0
"""Documents that the tests judge."""
import copy

_HANDOFF = {"handoff": {
    "version": "3.0", "schema_type": "universal", "timestamp": "2026-05-04T09:00:00Z",
    "trace_id": "3f2b8c1e-7a5d-4e90-9b1f-5c0d2e8a4711",
    "source": {"skill": "ledger-reader", "workflow_id": "close-2026-03", "session_path": "sessions/close-2026-03", "phase": "read"},
    "target": {"skill": "tax-checker"},
    "context": {"summary": "The March ledger is read; check the tax codes.", "problem_type": "analytical"},
    "payload": {"working": {"accounts": ["4400", "4800"], "rows": 212}},
    "meta": {"token_count": 133, "confidence": "high", "handoff_chain": ["ledger-reader"]}}}


def handoff(**changes):
    """An accepted universal handoff; `target` changes the skill that gets it."""
    made = copy.deepcopy(_HANDOFF)
    if "target" in changes:
        made["handoff"]["target"]["skill"] = changes["target"]
    return made
