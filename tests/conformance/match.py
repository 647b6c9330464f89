# SPDX-License-Identifier: Apache-2.0
"""match.py - does what a program said agree with what a case expects?

Every function returns nothing when it does, and raises Mismatch with the place and reason when not.
"""
import json
import re

BLOCKING = ("HARD", "WARN")


class Mismatch(Exception):
    pass


def compact(anything):
    return json.dumps(anything, ensure_ascii=False, separators=(",", ":"))


def short(anything):
    return compact(anything)[:300]


def value(expected, actual, where):
    """Objects match member by member, arrays item by item, everything else when it is equal."""
    if isinstance(expected, dict) and len(expected) == 1 and next(iter(expected)) in OPERATORS:
        (name, operand), = expected.items()
        OPERATORS[name](operand, actual, where)
    elif isinstance(expected, dict):
        members(expected, actual, where)
    elif isinstance(expected, list):
        if not isinstance(actual, list) or len(actual) != len(expected):
            raise Mismatch(f"{where}: {short(actual)} instead of {short(expected)}")
        for index, (wanted, item) in enumerate(zip(expected, actual)):
            value(wanted, item, f"{where}/{index}")
    elif isinstance(expected, bool) != isinstance(actual, bool) or expected != actual:
        raise Mismatch(f"{where}: {short(actual)} instead of {short(expected)}")


def members(expected, actual, where):
    if not isinstance(actual, dict):
        raise Mismatch(f"{where}: {short(actual)} is not an object")
    for name, wanted in expected.items():
        if wanted == {"$absent": True}:
            if name in actual:
                raise Mismatch(f"{where}/{name} must be absent")
        elif name not in actual:
            raise Mismatch(f"{where}/{name} is missing")
        else:
            value(wanted, actual[name], f"{where}/{name}")


def _anything(_operand, _actual, _where):
    pass


def _pattern(operand, actual, where):
    if not isinstance(actual, str) or not re.search(operand, actual, re.S):
        raise Mismatch(f"{where}: {short(actual)} does not match /{operand}/")


def _length(operand, actual, where):
    if not isinstance(actual, (str, list, dict)) or len(actual) != operand:
        raise Mismatch(f"{where}: {short(actual)} has not the length {operand}")


def _contains(operand, actual, where):
    if not isinstance(actual, list):
        raise Mismatch(f"{where}: {short(actual)} is not an array")
    for wanted in operand:
        if not any(_fits(wanted, item) for item in actual):
            raise Mismatch(f"{where}: nothing in {short(actual)} matches {short(wanted)}")


def _fits(expected, actual):
    try:
        value(expected, actual, "")
    except Mismatch:
        return False
    return True


OPERATORS = {"$any": _anything, "$re": _pattern, "$len": _length, "$contains": _contains}


def text(expected, actual, where):
    """A string is a part of the text, an operator speaks about the whole."""
    if isinstance(expected, str):
        if expected not in actual:
            raise Mismatch(f"{where} does not hold {expected!r}")
    else:
        value(expected, actual, where)


def files(expected, folder):
    for name, wanted in expected.items():
        paths = sorted(folder.glob(name)) if set(name) & set("*?[") else [folder / name]
        paths = [path for path in paths if path.exists() or path.is_symlink()]
        if wanted == {"$absent": True}:
            if paths:
                raise Mismatch(f"{name} must not exist")
        elif not paths:
            raise Mismatch(f"{name} does not exist")
        elif wanted != {"$any": True}:
            content = paths[0].read_bytes().decode("utf-8", "replace")
            is_text = isinstance(wanted, str) or set(wanted) == {"$re"}
            value(wanted, content if is_text else json.loads(content), name)


def all_findings(report):
    """The items of every array called `findings`, outside facts and params."""
    if isinstance(report, list):
        for item in report:
            yield from all_findings(item)
    elif isinstance(report, dict):
        for name, member in report.items():
            if name == "findings" and isinstance(member, list):
                yield from (item for item in member if isinstance(item, dict))
            elif name not in ("facts", "params"):
                yield from all_findings(member)


class Wanted:
    """`CODE`, `CODE@HARD`, either followed by a blank and a pointer."""

    def __init__(self, words):
        self.words = words
        head, blank, pointer = words.partition(" ")
        self.code, _, self.severity = head.partition("@")
        self.pointer = pointer if blank else None

    def fits(self, finding):
        return (finding.get("code") == self.code
                and (not self.severity or finding.get("severity") == self.severity)
                and (self.pointer is None or finding.get("pointer") == self.pointer))


def _shown(some):
    return [f"{f.get('code')}@{f.get('severity')} {f.get('pointer')}" for f in some]


def findings(expect, report):
    """codes, only, not_codes and verdict of one expectation."""
    found = list(all_findings(report))
    left = list(found)
    wanted = [Wanted(words) for words in expect.get("codes", [])]
    for one in wanted:
        first = next((finding for finding in left if one.fits(finding)), None)
        if first is None:
            raise Mismatch(f"no finding {one.words!r} among {_shown(found)}")
        left.remove(first)
    if expect.get("only"):
        extra = [f for f in left if f.get("severity") in BLOCKING and not any(one.fits(f) for one in wanted)]
        if extra:
            raise Mismatch(f"unexpected findings {_shown(extra)}")
    for code in expect.get("not_codes", []):
        if any(finding.get("code") == code for finding in found):
            raise Mismatch(f"the finding {code} must not appear")
    if "verdict" in expect:
        documents = report.get("documents", []) if isinstance(report, dict) else []
        if len(documents) != 1:
            raise Mismatch(f"{len(documents)} documents in the report instead of one")
        value(expect["verdict"], documents[0].get("verdict"), "verdict")
