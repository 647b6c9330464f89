#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare_schema.py FILE...: the lines of bench_schema and schema_peers.mjs as one table with ratios.

A set counts for an engine only when it judged every document as Baton did; an engine that answers
otherwise, or not at all, is shown as a dash and cannot be the best."""
import json
import math
import sys

PEERS = ["blaze", "ajv", "schemasafe", "hyperjump"]


def load(paths):
    rows = {}
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                rows.setdefault(row["set"], {})[row["engine"]] = row
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


def print_validate(rows):
    print(f"\n{'validate, ns per document':28}{'baton':>10}" + "".join(f"{p:>12}" for p in PEERS) + "   / blaze   / best")
    ratios, best_ratios = [], []
    for name, engines in rows.items():
        ours = engines["baton"]
        peers = {p: engines[p]["validate_ns"] if agrees(engines.get(p), ours) else None for p in PEERS}
        known = [ns for ns in peers.values() if ns]
        mine = ours["validate_ns"]
        ratio = mine / peers["blaze"] if peers["blaze"] else math.nan
        best = mine / min(known) if known else math.nan
        ratios += [ratio] if peers["blaze"] else []
        best_ratios += [best] if known else []
        print(f"{name:28}{cell(mine, 10, 1)}" + "".join(cell(ns, 12, 1) for ns in peers.values())
              + f"{ratio:9.2f} x{best:7.2f} x")
    print(f"{'geometric mean of ratios':28}{'':58}{geometric(ratios):9.2f} x{geometric(best_ratios):7.2f} x")


def print_verdict(rows):
    print(f"\n{'bytes to verdict, ns':28}{'baton':>10}{'ajv':>12}   ajv / baton"
          f"{'compile, us':>16}{'ajv':>12}   ajv / baton")
    verdicts, compiles = [], []
    for name, engines in rows.items():
        ours, ajv = engines["baton"], engines.get("ajv", {})
        if "verdict_ns" not in ajv:
            continue
        verdicts.append(ajv["verdict_ns"] / ours["verdict_ns"])
        compiles.append(ajv["compile_us"] / ours["compile_us"])
        print(f"{name:28}{cell(ours['verdict_ns'])}{cell(ajv['verdict_ns'], 12)}{verdicts[-1]:12.1f} x"
              f"{cell(ours['compile_us'], 16, 1)}{cell(ajv['compile_us'], 12)}{compiles[-1]:12.0f} x")
    print(f"{'geometric mean of ratios':28}{'':22}{geometric(verdicts):12.1f} x{'':28}{geometric(compiles):12.0f} x")


def main():
    rows = {name: engines for name, engines in load(sys.argv[1:]).items() if "baton" in engines}
    if not rows:
        sys.exit("compare_schema.py: no line of baton")
    print_validate(rows)
    print_verdict(rows)


if __name__ == "__main__":
    main()
