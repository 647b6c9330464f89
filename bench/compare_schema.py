#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare_schema.py FILE...: the lines of bench_schema and schema_peers.mjs as one table with ratios.

A set counts for an engine only when it judged every document as Baton did; an engine that answers
otherwise, or not at all, is shown as a dash and cannot be the best."""
import json
import math
import sys

PEERS = ["blaze", "ajv", "schemasafe", "hyperjump"]
TIMES = ["compile_us", "parse_ns", "validate_ns", "verdict_ns"]


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


def print_against(rows, title, key, peers, digits):
    """One time of Baton beside that of the peers that have it, and how many times slower the first is."""
    print(f"\n{title:28}{'baton':>10}" + "".join(f"{p:>12}" for p in peers) + f"{peers[0] + ' / baton':>16}")
    ratios = []
    for name, engines in rows.items():
        times = [engines.get(p, {}).get(key) for p in peers]
        ratio = times[0] / engines["baton"][key] if times[0] else None
        ratios += [ratio] if ratio else []
        print(f"{name:28}{cell(engines['baton'][key], 10, digits)}" + "".join(cell(t, 12, digits) for t in times)
              + (f"{ratio:14.1f} x" if ratio else f"{'-':>14}"))
    print(f"{'geometric mean of ratios':28}{'':{10 + 12 * len(peers)}}{geometric(ratios):14.1f} x")


def main():
    rows = {name: engines for name, engines in load(sys.argv[1:]).items() if "baton" in engines}
    if not rows:
        sys.exit("compare_schema.py: no line of baton")
    print_validate(rows)
    print_against(rows, "bytes to verdict, ns", "verdict_ns", ["ajv", "schemasafe"], 0)
    print_against(rows, "parse, ns (node: JSON.parse)", "parse_ns", ["ajv"], 0)
    print_against(rows, "compile, us", "compile_us", ["ajv", "schemasafe", "hyperjump"], 1)


if __name__ == "__main__":
    main()
