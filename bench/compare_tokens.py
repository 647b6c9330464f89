#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare_tokens.py FILE...: the lines of bench_tokens, token_peers.mjs and bench/rust as one table with ratios to tiktoken and to the best peer.

An engine that counts other tokens than Baton is shown as a dash."""
import json
import sys

OURS = ["baton cold", "baton stream", "baton warm"]
PEERS = ["tiktoken", "tiktoken-rs", "bpe-openai", "gpt-tokenizer cold", "gpt-tokenizer warm"]


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


def ratio(ours, mbps):
    return f"{ours['mbps'] / mbps:18,.1f} x" if mbps else f"{'-':>20}"


def main():
    rows = load(sys.argv[1:])
    if not rows:
        sys.exit("compare_tokens.py: no lines")
    for encoding, sets in rows.items():
        print(f"\n{encoding + ', MB/s':20}" + "".join(f"{name:>20}" for name in OURS + PEERS) + f"{'cold / tiktoken':>20}{'cold / best':>20}")
        for name, engines in sets.items():
            ours = engines["baton cold"]
            exact = {peer: engines[peer]["mbps"] for peer in PEERS if engines.get(peer, {}).get("tokens") == ours["tokens"]}
            print(f"{name:20}" + "".join(cell(engines.get(column), ours) for column in OURS + PEERS)
                  + ratio(ours, exact.get("tiktoken")) + ratio(ours, max(exact.values(), default=None)))


if __name__ == "__main__":
    main()
