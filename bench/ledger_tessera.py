# SPDX-License-Identifier: Apache-2.0
"""ledger_tessera.py PROGRAM PEER FOLDER - durable appends to a ledger in SQLite beside a Tessera log in files, on one disk and in turns.

Both have 32 writers, each of which waits until its entry is on disk, and join what waits. A ledger signs a checkpoint at each commit; Tessera signs one
from time to time, so that its entries are durable before anybody can prove them."""
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 5


def rate(command):
    """Entries a second."""
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if result.returncode != 0:
        raise SystemExit(result.stderr)
    return float(result.stdout)


def main():
    program, peer, folder = sys.argv[1:]
    ours, theirs = [], []
    for _ in range(ROUNDS):
        place = pathlib.Path(tempfile.mkdtemp(dir=folder)).resolve()
        ours.append(rate([program, str(place), f"sqlite:{place}/store.db"]))
        theirs.append(rate([peer, str(place / "tessera")]))
    baton, tessera = statistics.median(ours), statistics.median(theirs)
    print(f"\nledger in SQLite, durable   {baton:10.0f} /s   ({min(ours):.0f} to {max(ours):.0f})")
    print(f"Tessera in files, durable   {tessera:10.0f} /s   ({min(theirs):.0f} to {max(theirs):.0f})")
    print(f"ratio                       {baton / tessera:10.2f}")


if __name__ == "__main__":
    main()
