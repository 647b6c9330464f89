# SPDX-License-Identifier: Apache-2.0
"""A program that mypy --strict must accept; test_types.py also plants mistakes in it."""
import datetime
import pathlib

import baton
from baton import Handoff, HandlerMetadata, handoff_payloads, schema, tokens, xmlify


def judge(path: pathlib.Path) -> list[str]:
    engine = baton.Engine({"check": {"budget": 100}}, roots={"work": path})
    report: baton.Report = baton.check(path, "universal", engine=engine, now="2026-05-04T09:30:00Z")
    if not report.accepted:
        return [f"{finding.line}:{finding.code}" for finding in report.findings]
    return [report.raise_for_verdict().retry_text(1, 3)]


def make() -> str:
    outcome: baton.Outcome = Handoff(source="a", target="b", summary="c", working={"n": 1}).build().raise_for_verdict()
    text = outcome.text
    if text is None:
        raise baton.Unavailable("nothing was made")
    return text


def count(text: str) -> int:
    return tokens.count(text) if tokens.within(text, 100) else baton.call("countTokens", {"text": text}).status


def validate(lines: list[bytes]) -> list[str]:
    validator = schema.Validator({"type": "object"}, draft="2020-12", formats=True, documents={"urn:a": True})
    try:
        validator.validate({"a": 1})
    except schema.ValidationError as error:
        return [finding.pointer for finding in error.findings]
    return [str(valid or validator.findings(line)) for valid, line in zip(validator.iter_valid(lines), lines)]


def audit() -> list[str]:
    return [finding.severity for finding in handoff_payloads.audit_handoff_chain([{"step": "1"}], today=datetime.date(2026, 7, 1))]


@xmlify
class Payload:
    a: int


async def handle(payload: Payload, metadata: HandlerMetadata) -> bytes:
    return f"<r>{payload.a} {metadata.thread_id}</r>".encode()
