#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_data.py TOOL DATA - patterns of others: the JSON Schema suite's about ECMA-262, and those of real
schemas, which must compile. Told in TAP."""
import json
import pathlib
import subprocess
import sys


def ask(tool, requests):
    data = bytearray()
    for kind, text in requests:
        raw = text.encode("utf-8", "surrogatepass")
        data += f"{kind} {len(raw)}\n".encode() + raw
    done = subprocess.run([tool], input=bytes(data), capture_output=True, check=True, timeout=300)
    return done.stdout.decode().split("\n")[:len(requests)]


def pattern_cases(schema, tests):
    """(pattern, subject, whether it must match) for a schema that is only about patterns."""
    for test in tests:
        data, valid = test["data"], test["valid"]
        if "pattern" in schema and isinstance(data, str):
            yield schema["pattern"], data, valid
        elif "patternProperties" in schema and schema.get("additionalProperties") is False:
            if len(schema["patternProperties"]) == 1 and isinstance(data, dict) and len(data) == 1:
                yield next(iter(schema["patternProperties"])), next(iter(data)), valid


def check_suite(tool, data):
    requests, wanted = [], []
    for path in sorted((data / "json-schema-test-suite" / "tests").glob("*/**/ecmascript-regex.json")):
        for group in json.loads(path.read_text()):
            schema = group["schema"]
            for pattern, subject, valid in pattern_cases(schema, group["tests"]):
                requests += [("P", pattern), ("S", subject)]
                wanted += [(pattern, "ok"), (f"{pattern} on {subject!a}", "yes" if valid else "no")]
            for test in group["tests"] if schema.get("format") in ("regex", "ecmascript-regex") else []:
                requests.append(("U", test["data"]))
                wanted.append((test["data"], "ok" if test["valid"] else "invalid"))
    answers = ask(tool, requests)
    return len(requests), [f"{what}: {answer}, wanted {word}" for answer, (what, word) in zip(answers, wanted)
                           if answer.split(" ")[:1] != [word]]


def patterns_in(value, found):
    if isinstance(value, list):
        for item in value:
            patterns_in(item, found)
    if isinstance(value, dict):
        for name, item in value.items():
            if name == "pattern" and isinstance(item, str):
                found.add(item)
            if name == "patternProperties" and isinstance(item, dict):
                found.update(item)
            patterns_in(item, found)


def check_schemas(tool, data):
    found = set()
    for path in sorted((data / "schema-bench").glob("*/schema.json")):
        patterns_in(json.loads(path.read_text()), found)
    ordered = sorted(found)
    answers = ask(tool, [("P", pattern) for pattern in ordered])
    return len(ordered), [f"{pattern}: {answer}" for pattern, answer in zip(ordered, answers) if answer != "ok"]


def main():
    tool, data = sys.argv[1], pathlib.Path(sys.argv[2])
    checks = [("the suite's patterns get the suite's answers", check_suite),
              ("every pattern of real schemas compiles", check_schemas)]
    print(f"1..{len(checks)}")
    failed = False
    for number, (claim, check) in enumerate(checks, 1):
        count, complaints = check(tool, data) if data.is_dir() else (0, [])
        for complaint in complaints:
            print(f"# {complaint}")
        failed = failed or bool(complaints)
        skip = "" if count else " # SKIP the data is not here"
        print(f"{'not ok' if complaints else 'ok'} {number} - {claim} ({count}){skip}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
