#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hostile.py BATON DATA: what pairs of schema and instance cost that were made to hurt.

First every pair below DATA/schema-hostile through the command: processor time and peak memory of the
whole process (memory is never less than that of this script, which the system counts in). Then families
of pairs whose size doubles twice: how much longer the fast run and the compilation take each time."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

WORST = 8  # pairs that are listed
TURNS = 3


def run_pair(baton, schema, instance):
    """Exit code, milliseconds of processor time, and MiB at most, of judging one pair."""
    with subprocess.Popen([baton, "schema", "validate", schema, instance], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, (usage.ru_utime + usage.ru_stime) * 1000, usage.ru_maxrss / 1024


def print_pairs(baton, folder):
    rows = []
    for schema in sorted(folder.glob("*.s.json")):
        instance = schema.with_name(schema.name.replace(".s.json", ".i.json"))
        code, ms, mib = min((run_pair(baton, schema, instance) for _ in range(TURNS)), key=lambda row: row[1])
        rows.append((schema.name.removesuffix(".s.json"), code, ms, mib))
    if not rows:
        print(f"no pairs in {folder}")
        return
    print(f"{'pair (the slowest first)':28}{'answer':>10}{'CPU ms':>10}{'peak MiB':>10}")
    answers = {0: "valid", 1: "invalid"}
    for name, code, ms, mib in sorted(rows, key=lambda row: -row[2])[:WORST]:
        print(f"{name:28}{answers.get(code, 'undecided'):>10}{ms:10.1f}{mib:10.1f}")
    print(f"{len(rows)} pairs: at most {max(row[2] for row in rows):.1f} ms of CPU, {max(row[3] for row in rows):.1f} MiB, "
          f"{sum(row[1] not in answers for row in rows)} undecided")


def recursive(word):
    array = {"type": "array", "items": {"$ref": "#/$defs/n"}}
    return {"$ref": "#/$defs/n", "$defs": {"n": {word: [dict(array, minItems=0), dict(array, maxItems=99)]}}}


def nested(depth, core):
    value = core
    for _ in range(depth):
        value = [value]
    return value


def doubling_references(size):
    definitions = {f"a{i}": {"allOf": [{"$ref": f"#/$defs/a{i + 1}"}] * 2} for i in range(size)}
    return {"$ref": "#/$defs/a0", "$defs": dict(definitions, **{f"a{size}": {"type": "integer"}})}


def numbered(size, value=1):
    return {f"k{i}": value for i in range(size)}


# Name, the first size, and what makes schema and instance of a size.
FAMILIES = [
    ("recursive anyOf", 14, lambda n: (recursive("anyOf"), nested(n, "x"))),
    ("recursive oneOf", 14, lambda n: (recursive("oneOf"), nested(n, "x"))),
    ("recursive allOf", 14, lambda n: (recursive("allOf"), nested(n, []))),
    ("references that double", 50, lambda n: (doubling_references(n), 1)),
    ("unique numbers", 2000, lambda n: ({"uniqueItems": True}, list(range(n)))),
    ("unique objects", 500, lambda n: ({"uniqueItems": True}, [{"a": {"b": [i, 1.5, "x"]}} for i in range(n)])),
    ("unevaluated members", 500, lambda n: (
        {"anyOf": [{"patternProperties": {"^k": True}}, {"properties": {"x": True}}], "unevaluatedProperties": False},
        numbered(n))),
    ("unevaluated items", 500, lambda n: (
        {"contains": {"type": "integer"}, "unevaluatedItems": False}, list(range(n)))),
    ("a pattern that explodes", 20000, lambda n: ({"not": {"pattern": "^(a+)+$"}}, "a" * n + "!")),
    ("a large enum", 1000, lambda n: (
        {"items": {"enum": [f"v{i}" for i in range(n)]}}, [f"v{i}" for i in range(n)])),
    ("many properties", 500, lambda n: (
        {"properties": numbered(n, {"type": "integer"}), "additionalProperties": False}, numbered(n))),
    ("many branches", 100, lambda n: (
        {"items": {"oneOf": [{"properties": {"t": {"const": i}}, "required": ["t"]} for i in range(n)]}},
        [{"t": n - 1}] * 50)),
    ("many patterns of names", 50, lambda n: (
        {"patternProperties": {f"^k{i}$": True for i in range(n)}, "additionalProperties": False}, {"k1": 1, "k2": 2})),
]


def measure(baton, folder, make, size):
    """Nanoseconds of compilation and of the fast run, the fastest of some turns."""
    schema, instance = make(size)
    paths = [folder / "schema.json", folder / "instance.json"]
    paths[0].write_text(json.dumps(schema), encoding="utf-8")
    paths[1].write_text(json.dumps(instance), encoding="utf-8")
    figures = []
    for _ in range(TURNS):
        out = subprocess.run([baton, "schema", "bench", "-f", "json", *paths], capture_output=True, check=True)
        figures.append(json.loads(out.stdout)["bench"])
    return min(f["compile_ns"] for f in figures), min(f["fast_ns"] for f in figures)


def print_growth(baton):
    print(f"\n{'when the size doubles':28}{'sizes':>22}{'fast us':>12}{'growth':>16}{'compile growth':>18}")
    with tempfile.TemporaryDirectory() as name:
        for title, size, make in FAMILIES:
            sizes = [size, 2 * size, 4 * size]
            times = [measure(baton, Path(name), make, each) for each in sizes]
            growth = [["%.2f" % (b[i] / a[i]) for a, b in zip(times, times[1:])] for i in range(2)]
            print(f"{title:28}{'/'.join(map(str, sizes)):>22}{times[-1][1] / 1000:12.1f}"
                  f"{' '.join(growth[1]):>16}{' '.join(growth[0]):>18}")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: hostile.py BATON DATA")
    print_pairs(sys.argv[1], Path(sys.argv[2]) / "schema-hostile")
    print_growth(sys.argv[1])


if __name__ == "__main__":
    main()
