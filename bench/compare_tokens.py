#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare_tokens.py FILE...: the lines of bench_tokens and token_peers.mjs as one table with ratios to tiktoken.

An engine that counts other tokens than Baton is shown as a dash."""
import json
import sys

COLUMNS = ["baton cold", "baton stream", "baton warm", "tiktoken", "gpt-tokenizer cold", "gpt-tokenizer warm"]


def load(paths):
    rows = {}
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                rows.setdefault(row["encoding"], {}).setdefault(row["set"], {})[row["engine"]] = row
    return rows


def cell(row, ours):
    if row is None or row["tokens"] != ours["tokens"]:
        return f"{'-':>20}"
    return f"{row['mbps']:20.4f}" if row["mbps"] < 1 else f"{row['mbps']:20.1f}"


def main():
    rows = load(sys.argv[1:])
    if not rows:
        sys.exit("compare_tokens.py: no lines")
    for encoding, sets in rows.items():
        print(f"\n{encoding + ', MB/s':20}" + "".join(f"{name:>20}" for name in COLUMNS) + f"{'cold / tiktoken':>20}")
        for name, engines in sets.items():
            ours, peer = engines["baton cold"], engines.get("tiktoken")
            ratio = f"{ours['mbps'] / peer['mbps']:18,.1f} x" if peer and peer["tokens"] == ours["tokens"] else f"{'-':>20}"
            print(f"{name:20}" + "".join(cell(engines.get(column), ours) for column in COLUMNS) + ratio)


if __name__ == "__main__":
    main()
