# SPDX-License-Identifier: Apache-2.0
"""The names of AgentTeams' module `handoff_payloads`, judged by Baton.

    from baton.handoff_payloads import audit_handoff_chain, load_payload_schema, strip_llm_visible_text, validate

Where Baton differs on purpose: a missing file is a PayloadSchemaError, a property that is named `title`
survives stripping, and validation runs in this process within a budget instead of in a worker.
"""
import csv
import dataclasses
import datetime
import io
import json
import math
import os

import baton
from baton._errors import NotJSON, Problem
from baton._judge import Engine, dumps, explain, problem_of, request_raw
from baton._types import Report

PAYLOAD_UNTYPED_HARD_DATE = datetime.date(2026, 7, 1)
MAX_DEPTH = 32
VALIDATE_TIMEOUT_SECONDS = 2.0

_TIMEOUT_MIN, _TIMEOUT_MAX = 0.001, 60.0
_FILE_BYTES_MAX = 8 << 20
_NODES_MAX = 1_000_000
_VISIBLE = ("description", "title", "$comment", "examples")
# What a keyword holds, when its value has that shape (plan chapter, section 3.6).
_ONE_SCHEMA = frozenset(("additionalProperties", "unevaluatedProperties", "propertyNames", "items", "additionalItems", "unevaluatedItems",
                         "contains", "not", "if", "then", "else", "contentSchema"))
_SCHEMA_LIST = frozenset(("allOf", "anyOf", "oneOf", "prefixItems", "items"))
_SCHEMA_MAP = frozenset(("properties", "patternProperties", "dependentSchemas", "$defs", "definitions", "dependencies"))
_COLUMNS = ("step", "agent", "action", "inputs", "outputs", "status", "notes", "payload_schema_in", "payload_schema_out")


class PayloadSchemaError(ValueError):
    """A payload schema, or a reference to one, that is refused. `findings` say why."""

    def __init__(self, message, findings=()):
        super().__init__(message, list(findings))
        self.findings = list(findings)

    def __str__(self):
        return self.args[0]


class SchemaInvalid(RuntimeError):
    """A payload that is not valid, or could not be judged. `outcome` says which; `findings` say why."""

    def __init__(self, message, outcome="nonconforming", findings=()):
        super().__init__(message, outcome, list(findings))
        self.outcome = outcome
        self.findings = list(findings)

    def __str__(self):
        return self.args[0]


@dataclasses.dataclass(frozen=True)
class Finding:
    """One statement about two neighbouring steps."""

    code: str
    severity: str
    message: str


def _text_of(findings):
    return "; ".join(f"{finding.code}: {finding.message}" for finding in findings)


# ---- Loading -------------------------------------------------------------------------------------


def load_payload_schema(value, repo_root, *, strict=True):
    """The payload schema that `value` names below `repo_root`. With strict=False only the reference and the JSON are checked."""
    if not isinstance(value, str):
        raise PayloadSchemaError(f"a reference is a str, not {type(value).__name__}")
    if not value:  # a request cannot hold an empty reference
        raise _refusal_of("REF_EMPTY")
    folder = os.fsdecode(repo_root)
    try:
        engine = Engine(roots={"repository": folder})
        judged = _judge_payload(engine, {"schema": value, "root": "repository", "payload": {}})
        _require_schema(judged, strict)
        file = judged.value["validate"]["schema"]["file"]
        with open(os.path.join(folder, file), "rb") as opened:
            text = opened.read(_FILE_BYTES_MAX + 1)
        schema = json.loads(text)
        if strict:
            # The file may have changed since it was judged, so what was read is judged as well.
            _require_schema(_judge_payload(engine, {"schema": schema, "payload": {}}), strict)
    except Problem as problem:
        raise PayloadSchemaError(str(problem), problem.findings) from problem
    except (OSError, ValueError, RecursionError) as error:
        if isinstance(error, PayloadSchemaError):
            raise
        raise PayloadSchemaError(f"{value}: {error}") from error
    return schema


def _refusal_of(code):
    rule = explain(code)
    finding = baton.Finding(code, rule.severity, rule.stage, "", rule.meaning, security=rule.security)
    return PayloadSchemaError(_text_of([finding]), [finding])


def _judge_payload(engine, request):
    return Report(request_raw(engine, "planValidate", dumps(engine, request)))


def _require_schema(judged, strict):
    """Raise unless steps 1 to 10, or 1 to 3, accepted the schema."""
    outcome = judged.value["validate"]["outcome"]
    if outcome not in ("reference_refused", "schema_invalid", "budget_spent"):
        return
    findings = judged.findings
    if not strict and outcome == "schema_invalid":
        findings = [finding for finding in findings if finding.code.startswith("JSON_")]
    if findings:
        raise PayloadSchemaError(_text_of(findings), findings)


# ---- Stripping -----------------------------------------------------------------------------------


def _kind_of_child(kind, name, value):
    """What a child of a value is: "schema", "list" or "map" of schemas, or "data"."""
    if kind in ("list", "map"):
        return "schema" if isinstance(value, (dict, bool)) else "data"
    if kind != "schema":
        return "data"
    if name in _ONE_SCHEMA and isinstance(value, (dict, bool)):
        return "schema"
    if name in _SCHEMA_LIST and isinstance(value, list):
        return "list"
    return "map" if name in _SCHEMA_MAP and isinstance(value, dict) else "data"


def strip_llm_visible_text(schema):
    """A copy without `description`, `title`, `$comment` and `examples` at every place that holds a schema."""
    result = [None]
    work = [(schema, "list" if isinstance(schema, list) else "schema", result, 0)]
    nodes = 0
    while work:
        value, kind, target, key = work.pop()
        nodes += 1
        if nodes > _NODES_MAX:
            raise PayloadSchemaError(f"the schema has more than {_NODES_MAX} values, or contains itself")
        if isinstance(value, dict):
            target[key] = made = dict.fromkeys(name for name in value if not (kind == "schema" and name in _VISIBLE))
            work.extend((value[name], _kind_of_child(kind, name, value[name]), made, name) for name in made)
        elif isinstance(value, list):
            target[key] = made = [None] * len(value)
            work.extend((item, _kind_of_child(kind, None, item), made, index) for index, item in enumerate(value))
        else:
            target[key] = value
    return result[0]


# ---- Validating ----------------------------------------------------------------------------------


def validate(payload, schema, *, timeout=VALIDATE_TIMEOUT_SECONDS, _worker=None):
    """Return None when the payload conforms to the schema, and raise SchemaInvalid otherwise."""
    if _worker is not None:
        raise TypeError("there is no worker process: validation runs in this process within a budget")
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not _TIMEOUT_MIN <= timeout <= _TIMEOUT_MAX:
        raise ValueError(f"timeout is a number of seconds from {_TIMEOUT_MIN} to {_TIMEOUT_MAX:g}")
    engine = Engine({"limits": {"schema_ms": math.ceil(timeout * 1000)}})
    members = {}
    for name, value, prefix, outcome in (("schema", schema, "SchemaError", "schema_invalid"), ("payload", payload, "ValidationError", "payload_unreadable")):
        try:
            members[name] = dumps(engine, value)
        except NotJSON as error:
            raise SchemaInvalid(f"{prefix}: {error}", outcome) from error
    if not isinstance(schema, dict):
        raise SchemaInvalid("SchemaError: a payload schema is an object", "schema_invalid")
    status, _done, raw = engine._native.call("planValidate", b'{"schema":%b,"payload":%b}' % (members["schema"], members["payload"]))
    if status >= 300:
        problem = problem_of(raw)
        raise SchemaInvalid(f"ValidationError: {problem}", "payload_unreadable", problem.findings)
    judged = Report(raw)
    outcome = judged.value["validate"]["outcome"]
    if outcome == "conforms" and judged.accepted:
        return
    if outcome == "budget_spent":
        raise SchemaInvalid(f"exceeded {float(timeout)}s", outcome, judged.findings)
    prefix = "SchemaError" if outcome in ("schema_invalid", "reference_refused") else "ValidationError"
    raise SchemaInvalid(f"{prefix}: {_text_of(judged.findings)}", outcome, judged.findings)


# ---- Auditing ------------------------------------------------------------------------------------


def audit_handoff_chain(steps, *, today=None):
    """Findings about neighbouring rows whose payload schemas are missing or differ, in the order of the pairs."""
    rows = list(steps)
    if len(rows) < 2:
        return []
    options = {"today": (today or datetime.date.today()).isoformat()}
    request = {"documents": [{"as": "plan", "path": "plan.steps.csv", "text": _csv_of(rows)}], "options": options}
    judged = Report(request_raw(None, "planAudit", dumps(None, request)))
    if "audit" not in judged.value:
        raise ValueError("the rows cannot be read as a plan: " + _text_of(judged.findings))
    return [Finding(finding.code, finding.severity, finding.message) for finding in judged.findings
            if finding.code in ("PAYLOAD_UNTYPED", "PAYLOAD_MISMATCH")]


def _cell_of(row, column):
    value = row.get(column)
    return "" if value is None else str(value)


def _csv_of(rows):
    """The plan of these rows. Rows are numbered where their ids would make the plan unreadable."""
    ids = [_cell_of(row, "step").strip() for row in rows]
    if len(set(ids)) < len(ids) or "" in ids:
        ids = [str(number) for number in range(1, len(rows) + 1)]
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(_COLUMNS)
    for identifier, row in zip(ids, rows):
        writer.writerow([identifier, *("" for _ in _COLUMNS[1:-2]), *(_cell_of(row, column) for column in _COLUMNS[-2:])])
    return text.getvalue()
