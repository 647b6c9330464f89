# SPDX-License-Identifier: Apache-2.0
"""replay.py PROGRAM BATON FOLDER COUNT - baton replay of COUNT recorded handoffs of 4 KiB beside a bare loop over the judge, and beside
ledger verify and a check. PROGRAM is bench_replay. The loop does the same work: it leaves out the facts of a report, as a replay does; the
loop with facts is what `check` does. A tenth of the documents is expired: a planted rule change (--strict-expiry) must list exactly those."""
import json
import os
import pathlib
import resource
import subprocess
import sys

from made_handoff import document

PROGRAM, BATON, FOLDER, COUNT = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), int(sys.argv[4])
BYTES = 4096
EVERY = 10
FLAGS = ["--no-refs", "--no-config"]


def run(*words, code=0):
    """Processor time of a run in seconds, and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([BATON, *words], stdout=subprocess.PIPE, check=False, env={**os.environ, "BATON_STATE_DIR": str(FOLDER / "state")})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != code:
        sys.exit(f"{words}: exit {done.returncode}, not {code}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def main():
    store = ["--store", str(FOLDER / "ledger.db")]
    (FOLDER / "good.json").write_text(document(BYTES), encoding="utf-8")
    (FOLDER / "expired.json").write_text(document(BYTES, expires_at="2026-04-14T08:45:00Z"), encoding="utf-8")
    subprocess.run([PROGRAM, "make", FOLDER, FOLDER / "good.json", FOLDER / "expired.json", str(COUNT)], check=True)
    best = {}
    looped = min(COUNT, 100000)
    for _ in range(3):  # they take turns, and the fastest counts
        loop, facts = (float(subprocess.run([PROGRAM, words, FOLDER / "good.json", str(looped)], stdout=subprocess.PIPE, check=True).stdout) for words in ("loop", "facts"))
        replay, shown = run("replay", *store, *FLAGS, "--jobs", "1", "-f", "json")
        verify, _ = run("ledger", "verify", *store, "--no-config", "-f", "json")
        found = json.loads(shown)["replay"]
        assert (found["judged"], found["changed"]) == (COUNT, 0), found
        for name, taken in (("loop", loop / looped), ("facts", facts / looped), ("replay", replay / COUNT), ("verify", verify / COUNT)):
            best[name] = min(best.get(name, taken), taken)
    _, shown = run("replay", *store, *FLAGS, "--strict-expiry", "-f", "json", code=1)
    changes = [change["seq"] for change in json.loads(shown)["replay"]["changes"]]
    assert changes == list(range(0, COUNT, EVERY)), len(changes)
    print(f"documents of {BYTES} bytes                    {COUNT:>10}")
    for name, words in (("loop", "bare loop over the judge"), ("facts", "bare loop, with facts"), ("replay", "baton replay --jobs 1"), ("verify", "baton ledger verify")):
        print(f"{words:<32} {best[name] * 1e6:10.1f} us of processor time per document, {1 / best[name]:10.0f} a second")
    print(f"replay beside the bare loop, documents a second: {best['loop'] / best['replay']:.2f} (target of at least 0.80); beside the loop with facts {best['facts'] / best['replay']:.2f}")
    print(f"replay beside verify and a check together:       {best['replay'] / (best['verify'] + best['facts']):.2f} (gate of at most 1.30)")
    print(f"planted rule change: {len(changes)} changed verdicts, exactly those expected; without it none")


main()
