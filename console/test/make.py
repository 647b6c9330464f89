#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make.py BATON OUTPUT - receipts, checkpoints and proofs made by baton, for the tests of the code that verifies
them in the browser. The same bytes on every run: key and times are pinned."""
import json
import pathlib
import subprocess
import sys
import tempfile

DOCUMENTS = ["hello\n", "world\n", "{\"a\": \"\u00e4\u202e\"}\n", "", "five\n", "six\n", "seven\n"]
ORIGIN = "ledger.example/console"


def main(baton, output):
    baton = str(pathlib.Path(baton).resolve())
    with tempfile.TemporaryDirectory() as place:
        def ask(*args):
            done = subprocess.run([baton, *args, "--store", "store.db"], cwd=place, capture_output=True, check=True)
            return done.stdout.decode()

        def init(name, seed):
            return json.loads(subprocess.run([baton, "ledger", "init", "--origin", ORIGIN, "--seed", seed, "--store", name, "-f", "json"],
                                             cwd=place, capture_output=True, check=True).stdout)

        first = init("store.db", "1")
        made = {"vkey": first["vkey"], "other_vkey": init("other.db", "2")["vkey"], "receipts": [], "checkpoints": [first["checkpoint"]],
                "consistency": []}
        for number, text in enumerate(DOCUMENTS):
            (pathlib.Path(place) / "raw").write_text(text)
            ask("ledger", "append", "--raw", "raw", "--now", f"2026-02-11T00:45:0{number}Z")
            made["checkpoints"].append(json.loads(ask("ledger", "checkpoint", "-f", "json"))["checkpoint"])
        for number, text in enumerate(DOCUMENTS):
            shown = json.loads(ask("ledger", "show", str(number), "-f", "json"))
            made["receipts"].append({"text": ask("ledger", "prove", "inclusion", str(number), "-f", "json"), "document": text,
                                     "show": {name: shown[name] for name in ("seq", "leaf_hash", "canonical", "entry")}})
        for new in range(len(DOCUMENTS) + 1):
            for old in range(new + 1):
                proof = json.loads(ask("ledger", "prove", "consistency", str(old), "--size", str(new), "-f", "json"))
                made["consistency"].append({"old": old, "new": new, "proof": proof["proof"]})
    pathlib.Path(output).write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
