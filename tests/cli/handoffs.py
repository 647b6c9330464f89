# SPDX-License-Identifier: Apache-2.0
"""handoffs.py - universal handoffs for tests, and what the format says about them, in Python."""
import copy
import hashlib
import json

GOOD = {"handoff": {
    "version": "3.0", "schema_type": "universal", "timestamp": "2026-04-14T08:30:00Z",
    "trace_id": "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4",
    "source": {"skill": "release-planner", "workflow_id": "run-0412", "session_path": "work", "phase": "Triage"},
    "target": {"skill": "patch-builder"},
    "context": {"summary": "Build the fix for the date parser.", "problem_type": "implementation"},
    "payload": {"working": {"ticket": "DP-118"}},
    "meta": {"token_count": 0, "confidence": "high"}}}


def minified(document):
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)


def pretty(document):
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def text_of(document, form=minified):
    """The document written with its token count."""
    document = copy.deepcopy(document)
    meta = document["handoff"]["meta"]
    meta["token_count"] = 0
    while True:
        count = len(form(document).encode()) // 4
        if count == meta["token_count"]:
            break
        meta["token_count"] = count
    meta["token_count"] = min(count, 2000)
    return form(document)


def seal(document):
    """Hash and size of the payload; only for payloads without numbers that JavaScript writes otherwise."""
    payload = minified(document["handoff"]["payload"]).encode()
    document["handoff"]["meta"]["payload_hash"] = "sha256:" + hashlib.sha256(payload).hexdigest()
    document["handoff"]["meta"]["payload_size_bytes"] = len(payload)
    return document


def handoff(sealed=False, **parts):
    """GOOD with members added or replaced: handoff(target={"skill": "x"}); None removes one."""
    document = copy.deepcopy(GOOD)
    for name, value in parts.items():
        if value is None:
            del document["handoff"][name]
        elif isinstance(value, dict) and isinstance(document["handoff"].get(name), dict):
            document["handoff"][name].update(copy.deepcopy(value))
        else:
            document["handoff"][name] = copy.deepcopy(value)
    return seal(document) if sealed else document


GONE = object()


def changed(changes=None):
    """GOOD with members set by path, {"meta/token_count": 5}, and counted unless that is one of them; GONE takes one away."""
    made = copy.deepcopy(GOOD)
    for path, value in (changes or {}).items():
        place = made["handoff"]
        *folders, name = path.split("/")
        for part in folders:
            place = place.setdefault(part, {})
        if value is GONE:
            del place[name]
        else:
            place[name] = copy.deepcopy(value)
    if "meta/token_count" not in (changes or {}) and isinstance(made["handoff"].get("meta"), dict):
        made["handoff"]["meta"]["token_count"] = min(2000, len(json.dumps(made)) // 4)
    return made


def _parts(pointer):
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def at(document, pointer):
    """The value at a pointer, or None."""
    for part in _parts(pointer):
        if isinstance(document, dict):
            document = document.get(part)
        elif isinstance(document, list) and part.isdigit() and int(part) < len(document):
            document = document[int(part)]
        else:
            return None
    return document


def patched(document, operations):
    """An RFC 6902 patch applied; what an operation says it was is checked on the way."""
    document = copy.deepcopy(document)
    for operation in operations:
        *outer, last = _parts(operation["path"])
        place = document
        for part in outer:
            place = place[int(part) if isinstance(place, list) else part]
        key = int(last) if isinstance(place, list) and last != "-" else last
        if operation["op"] in ("remove", "replace"):
            if place[key] != operation["was"]:
                raise AssertionError(f"was is not what was there: {operation}")
            del place[key]
        if operation["op"] in ("add", "replace"):
            if isinstance(place, list):
                place.insert(len(place) if last == "-" else key, operation["value"])
            else:
                place[key] = operation["value"]
    return document
