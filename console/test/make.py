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
        def ask(*args, store="store.db"):
            done = subprocess.run([baton, *args, "--store", store], cwd=place, capture_output=True, check=True)
            return done.stdout.decode()

        def init(name, seed):
            return json.loads(ask("ledger", "init", "--origin", ORIGIN, "--seed", seed, "-f", "json", store=name))

        def rotate(seed):
            """Another key, recorded and then signing alone: the receipt is the one that was signed with the entry."""
            now = ("--now", "2026-02-11T00:46:00Z")
            done = json.loads(ask("ledger", "rotate-key", "--seed", seed, *now, "-f", "json", store="rotated.db"))
            ask("ledger", "rotate-key", "--end", *now, store="rotated.db")
            seq = done["record"]["seq"]
            (pathlib.Path(place) / "raw").write_text("signed by the new key alone")
            ask("ledger", "append", "--raw", "raw", *now, store="rotated.db")
            return {"seq": seq, "old": done["old"], "new": done["new"],
                    "receipt": ask("ledger", "prove", "inclusion", str(seq), "--size", str(seq + 1), "-f", "json", store="rotated.db"),
                    "late": ask("ledger", "prove", "inclusion", str(seq), "-f", "json", store="rotated.db")}

        first = init("store.db", "1")
        made = {"vkey": first["vkey"], "other_vkey": init("other.db", "2")["vkey"], "receipts": [], "checkpoints": [first["checkpoint"]],
                "consistency": []}
        init("rotated.db", "1")
        made["rotations"] = [rotate("3"), rotate("4")]
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
