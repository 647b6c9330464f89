#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare_schema.py FILE...: the lines of bench_schema, schema_peers.mjs and bench/rust as one table with ratios.

A set counts for an engine only when it judged every document as Baton did; an engine that answers
otherwise, or not at all, is shown as a dash and cannot be the best.

Blaze's times are of judgings that are timed alone, those of the others of a hundred in a row; Baton is
measured both ways and compared with each in its way. The last column compares Baton's times in a row,
the larger ones, with whatever the best peer has."""
import json
import math
import sys

PEERS = ["blaze", "jsonschema-rs", "boon", "ajv", "ata", "schemasafe", "hyperjump"]
COMPILED = "jsonschema-rs compiled"
TIMES = ["compile_us", "parse_ns", "validate_ns", "alone_ns", "verdict_ns"]


def load(paths):
    """Rows by set and engine; of several for the same the fastest times count."""
    rows = {}
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                known = rows.setdefault(row["set"], {}).setdefault(row["engine"], row)
                for key in TIMES:
                    if key in row:
                        known[key] = min(known[key], row[key])
    return rows


def agrees(row, ours):
    if row is None or "failed" in row:
        return False
    return row["documents"] != ours["documents"] or row["invalid"] == ours["invalid"]


def geometric(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def cell(value, width=10, digits=0):
    return f"{'-':>{width}}" if value is None else f"{value:>{width},.{digits}f}"


def like_of(row):
    """How an engine's judgings were timed."""
    return "alone_ns" if "validate_ns" not in row else "validate_ns"


def print_validate(rows):
    print(f"\n{'validate, ns per document':28}{'baton':>10}{'alone':>10}" + "".join(f"{p:>14}" for p in PEERS)
          + "   / blaze   / best  in a row / best")
    ratios = {"blaze": [], "best": [], "row": []}
    for name, engines in rows.items():
        ours = engines["baton"]
        known = {p: engines[p] for p in PEERS if agrees(engines.get(p), ours)}
        times = {p: row[like_of(row)] for p, row in known.items()}
        like = {p: ours[like_of(row)] / times[p] for p, row in known.items()}
        best = min(times, key=times.get, default=None)
        shown = {"blaze": like.get("blaze"), "best": like.get(best),
                 "row": ours["validate_ns"] / times[best] if best else None}
        for key, ratio in shown.items():
            ratios[key] += [ratio] if ratio else []
        print(f"{name:28}{cell(ours['validate_ns'], 10, 1)}{cell(ours['alone_ns'], 10, 1)}"
              + "".join(cell(times.get(p), 14, 1) for p in PEERS)
              + "".join(f"{cell(ratio, width, 2)} x" for ratio, width in zip(shown.values(), (9, 7, 16))))
    print(f"{'geometric mean of ratios':28}{'':{20 + 14 * len(PEERS)}}"
          + "".join(f"{cell(geometric(ratios[key]), width, 2)} x" for key, width in zip(ratios, (9, 7, 16))))


def print_against(rows, title, key, peers, digits):
    """One time of Baton beside that of the peers that have it; the ratios say how many times slower a peer is."""
    peers = [p for p in peers if any(key in engines.get(p, {}) for engines in rows.values())]
    print(f"\n{title:28}{'baton':>10}" + "".join(f"{p:>24}" for p in peers))
    ratios = {p: [] for p in peers}
    for name, engines in rows.items():
        ours = engines["baton"]
        cells = ""
        for p in peers:
            row = engines.get(p)
            time = row.get(key) if agrees(row, ours) else None
            ratios[p] += [time / ours[key]] if time else []
            cells += f"{cell(time, 14, digits)} {time / ours[key]:7.2f} x" if time else f"{'-':>24}"
        if any(p in engines for p in peers):
            print(f"{name:28}{cell(ours[key], 10, digits)}{cells}")
    print(f"{'geometric mean of ratios':28}{'':10}" + "".join(f"{geometric(ratios[p]):22.2f} x" for p in peers))


def main():
    rows = {name: engines for name, engines in load(sys.argv[1:]).items() if "baton" in engines}
    if not rows:
        sys.exit("compare_schema.py: no line of baton")
    print_validate(rows)
    print_against(rows, "validate, ns", "validate_ns", ["jsonschema-rs", "boon", "ajv"], 1)
    print_against({name: engines for name, engines in rows.items() if COMPILED in engines}, "validate, generated code, ns", "validate_ns",
                  [COMPILED, "jsonschema-rs"], 1)
    print_against(rows, "bytes to verdict, ns", "verdict_ns", ["ajv", "ata", "schemasafe", "jsonschema-rs", "boon"], 0)
    print_against(rows, "parse, ns (node: JSON.parse)", "parse_ns", ["ajv"], 0)
    print_against(rows, "compile, us", "compile_us", ["ajv", "ata", "schemasafe", "hyperjump", "jsonschema-rs", "boon"], 1)


if __name__ == "__main__":
    main()
