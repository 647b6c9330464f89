#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare_json.py TABLE LINES: the readers of bench/rust beside the table that bench_json printed."""
import json
import math
import sys

READERS = ["sonic-rs", "simd-json", "serde_json"]


def main():
    peers = {}
    with open(sys.argv[2], encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            known = peers.setdefault((row["set"], row["engine"]), row.get("ns_per_byte"))
            if known:
                peers[row["set"], row["engine"]] = min(known, row["ns_per_byte"])
    print(f"\n{'ns per byte':24}{'baton':>10}" + "".join(f"{name:>12}{'baton /':>10}" for name in READERS))
    ratios = {name: [] for name in READERS}
    with open(sys.argv[1], encoding="utf-8") as table:
        for line in table:
            words = line.split()
            if len(words) < 2 or (words[0], READERS[0]) not in peers:
                continue
            ours, cells = float(words[1]), ""
            for name in READERS:
                theirs = peers.get((words[0], name))
                ratios[name] += [ours / theirs] if theirs else []
                cells += f"{theirs:12.3f}{ours / theirs:8.2f} x" if theirs else f"{'-':>12}{'-':>10}"
            print(f"{words[0]:24}{ours:10.3f}{cells}")
    means = {name: math.exp(sum(map(math.log, found)) / len(found)) for name, found in ratios.items() if found}
    print(f"{'geometric mean':24}{'':10}" + "".join(f"{'':12}{means.get(name, math.nan):8.2f} x" for name in READERS))


if __name__ == "__main__":
    main()
