#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_data.py TOOL PATTERNS SCHEMAS DATA SUITE... - patterns as they are met: the JSON Schema suite's about ECMA-262, in
each edition, and those of real schemas, which must compile: the lines of PATTERNS, and the schemas below SCHEMAS and
below DATA/schema-bench where that is there. Told in TAP."""
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


# The edition of 2022 calls it invalid, newer ones do not: ECMA-262 has look-behind since 2018.
WITHDRAWN = "(?<=foo)bar"


def check_suite(tool, suite):
    requests, wanted = [], []
    for path in sorted((suite / "tests").glob("*/**/ecmascript-regex.json")):
        for group in json.loads(path.read_text()):
            schema = group["schema"]
            for pattern, subject, valid in pattern_cases(schema, group["tests"]):
                requests += [("P", pattern), ("S", subject)]
                wanted += [(pattern, "ok"), (f"{pattern} on {subject!a}", "yes" if valid else "no")]
            for test in group["tests"] if schema.get("format") in ("regex", "ecmascript-regex") else []:
                if test["data"] != WITHDRAWN:
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


def check_patterns(tool, patterns):
    answers = ask(tool, [("P", pattern) for pattern in patterns])
    return len(patterns), [f"{pattern}: {answer}" for pattern, answer in zip(patterns, answers) if answer != "ok"]


def check_lines(tool, path):
    return check_patterns(tool, [line for line in path.read_text().split("\n") if line and not line.startswith("# ")])


def check_schemas(tool, folder):
    found = set()
    for path in sorted(folder.glob("*/schema.json")):
        patterns_in(json.loads(path.read_text()), found)
    return check_patterns(tool, sorted(found))


def main():
    tool = sys.argv[1]
    patterns, schemas, data, *suites = map(pathlib.Path, sys.argv[2:])
    no_suite = "the JSON Schema test suite is not installed; Debian has it in the package libtest-json-schema-acceptance-perl"
    checks = [("every common pattern compiles", check_lines, patterns, ""),
              ("every pattern of our schemas compiles", check_schemas, schemas, ""),
              ("every pattern of the benchmark's schemas compiles", check_schemas, data / "schema-bench",
               "the public benchmark data is not in ../shared/data/schema-bench"),
              *(("the suite's patterns get the suite's answers", check_suite, suite, no_suite) for suite in suites)]
    print(f"1..{len(checks)}")
    failed = False
    for number, (claim, check, place, missing) in enumerate(checks, 1):
        if missing and not place.is_dir():
            print(f"ok {number} - {claim} # SKIP {missing}")
            continue
        count, complaints = check(tool, place)
        for complaint in complaints:
            print(f"# {complaint}")
        failed = failed or bool(complaints) or count == 0
        print(f"{'not ok' if complaints or count == 0 else 'ok'} {number} - {claim} ({count})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
