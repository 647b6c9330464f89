#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scale_page.py [--take FILE...] [--check] - write docs/scale.md from bench/scale.txt.

A row of bench/scale.txt is `name value | bench | line | words`. `line` is what `script/bench NAME` prints, with {} where the value stands, ~ for another number and * for anything;
`given` rows are chosen, `derived` rows are calculated here from others. --take reads saved outputs of benches and replaces each value whose line is in one of
them; then the page is written. --check writes nothing, and exits 1 when the page is not the one of the figures.
"""
import argparse
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIGURES = ROOT / "bench/scale.txt"
PAGE = ROOT / "docs/scale.md"
DAY_S = 86400
BATCH = 256
DERIVED = {
    "instructions_us": lambda f: f["judge_4k_instructions"] / f["judge_4k_us"],
    "commit_us": lambda f: f["commit_instructions"] / f["instructions_us"],
    "rest_us": lambda f: max(1, f["submission_us"] - f["writer_us"] - f["commit_us"]),
}
ARRANGEMENTS = (("one", "one log, one node"), ("shared", "16 shared logs, 4 nodes"), ("few", "10,000 logs, 7 nodes"), ("many", "10,000 logs, 35 nodes"),
                ("postgres", "10,000 logs, 10 PostgreSQL"))


class Row:
    def __init__(self, line):
        head, self.bench, self.line, self.words = (part.strip() for part in line.split("|"))
        self.name, value = head.split()
        self.value = float(value)

    def find(self, text):
        """Take the value from the output of a bench; whether it is there."""
        parts = re.split(r"(\{\}|[*~]|\s+)", self.line)
        forms = {"{}": r"([0-9][0-9,.]*)", "~": r"[0-9][0-9,.]*", "*": ".*?"}
        pattern = "".join(forms.get(part) or (r"\s+" if part.isspace() else re.escape(part)) for part in parts if part)
        found = re.search(pattern, text, re.S)
        self.value = float(found[1].replace(",", "").rstrip(".")) if found else self.value
        return bool(found)

    def __str__(self):
        return f"{self.name} {self.value:.6g} | {self.bench} | {self.line} | {self.words}"


def read_rows(text):
    lines = text.splitlines()
    return [line for line in lines if line.startswith("#")], [Row(line) for line in lines if line and not line.startswith("#")]


def take(rows, texts):
    """Replace what the outputs have, and calculate the derived rows again."""
    taken = [row.name for row in rows if row.bench not in ("given", "derived") and any([row.find(text) for text in texts])]
    figures = {row.name: row.value for row in rows}
    for row in rows:
        if row.bench == "derived":
            figures[row.name] = row.value = DERIVED[row.name](figures)
    return taken


def number(value):
    """Three digits are enough for a reader; whole numbers above them."""
    if value >= 1000:
        digits = 10 ** (math.floor(math.log10(value)) - 2)
        return f"{round(value / digits) * digits:,.0f}"
    return f"{value:.3g}"


def storage(value):
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.0f} bytes"


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(row) + " |" for row in rows)])


def stages(f):
    bench = "`script/bench costs`"
    rows = [(words, number(f[name]), unit, bench) for words, name, unit in (
        ("check 560 bytes", "judge_instructions", "instructions"), ("check 4 KiB", "judge_4k_instructions", "instructions"),
        ("record it: entry, leaf, indexes, queue", "record_instructions", "instructions"), ("its commit: signature, checkpoint, transaction, shared by up to 256", "commit_instructions", "instructions"),
        ("all of it over HTTP, alone in its commit", "post_instructions", "instructions"), ("verify entry and document later", "verify_instructions", "instructions"),
        ("kept in the store", "entry_bytes", "bytes"), ("written to the disk for it", "written_bytes", "bytes"), ("written for its commit", "commit_bytes", "bytes"),
        ("syncs of a commit, with those of the head file", "all_syncs", "syncs"), ("its receipt, JSON", "receipt_json_bytes", "bytes"), ("its receipt, COSE", "receipt_cose_bytes", "bytes"))]
    return table(("stage of one handoff", "cost", "unit", "from"), rows)


def carries(f):
    logs, opened = number(f["logs_count"]), number(min(256, f["logs_count"]))
    core = 1e6 / (f["writer_us"] + f["rest_us"])
    rows = (("one log, appends by the library, group commit", f"{number(f['appends_s'])} a second", "`script/bench ledger`"),
            ("one log, submissions over HTTP", f"{number(f['submissions_s'])} a second", "`script/bench serve`"),
            ("one processor, submissions over HTTP in full groups", f"{number(core)} a second", f"1 / ({f['writer_us']:.3g} + {f['rest_us']:.3g} us)"),
            ("one log at most, by its one writer", f"{number(1e6 / f['writer_us'])} a second", f"1 / {f['writer_us']:.3g} us"),
            ("one PostgreSQL, one log", f"{number(f['postgres_appends_s'])} a second", "`script/bench ledger`"),
            ("one PostgreSQL, commits from many connections", f"{number(f['server_commits_s'])} a second", "`script/bench ledger`, pgbench"),
            ("replay of 4 KiB, one processor", f"{number(f['replay_s'])} a second", "`script/bench replay`"),
            ("a log that is known and closed", storage(f["idle_bytes"]) + " of memory", "`script/bench logs`"),
            ("a log that is open", f"{f['open_mib']:.3g} MiB of memory", "`script/bench logs`"),
            (f"start with {logs} logs", f"{number(f['start_ms'])} ms", "`script/bench logs`"),
            ("first request to a closed log", f"{number(f['first_ms'])} ms", "`script/bench logs`"),
            ("decisions in one log, 32 clients in Python", f"{number(f['one_log_s'])} a second", "`script/bench logs`"),
            (f"the same, over {opened} open logs", f"{number(f['open_logs_s'])} a second", "`script/bench logs`"),
            (f"the same, over {logs} logs of which {opened} are open", f"{number(f['all_logs_s'])} a second", "`script/bench logs`"))
    return table(("what", "carries or takes", "from"), rows)


def needs(f):
    mean = f["handoffs"] / DAY_S
    peak = mean * f["peak"]
    cpu = (f["writer_us"] + f["rest_us"]) * 1e-6
    alone = cpu + f["commit_us"] * 1e-6
    rows = (("handoffs a second, mean", number(mean), f"{number(f['handoffs'])} / 86,400 s"),
            ("handoffs a second, busiest", number(peak), f"{number(f['peak'])} x the mean, given"),
            ("processors at the peak, full groups", number(math.ceil(peak * cpu)), f"{number(peak)} x ({f['writer_us']:.3g} + {f['rest_us']:.3g} us)"),
            ("processors at the peak, each handoff alone in its commit", number(math.ceil(peak * alone)), f"with {f['commit_us']:.3g} us for a commit"),
            ("writers at the peak, so logs at least", number(math.ceil(peak * f["writer_us"] * 1e-6)), f"{number(peak)} x {f['writer_us']:.3g} us"),
            ("commits a second at least, full groups", number(peak / BATCH), f"{number(peak)} / {BATCH}"),
            ("disks at the peak, each handoff alone in its commit", number(math.ceil(peak * f["commit_syncs"] / f["syncs_s"])), f"{number(f['syncs_s'])} syncs a second each, given"),
            ("PostgreSQL servers at the peak, alone in its commit", number(math.ceil(peak / f["server_commits_s"])), f"{number(f['server_commits_s'])} commits a second each"),
            ("kept each day", storage(f["handoffs"] * f["entry_bytes"]), f"{number(f['entry_bytes'])} bytes each"),
            ("written each day, full groups", storage(f["handoffs"] * (f["written_bytes"] + f["commit_bytes"] / BATCH)), f"{number(f['written_bytes'])} bytes, and {number(f['commit_bytes'])} for 256"),
            ("to verify a day, one processor", f"{number(f['handoffs'] * f['verify_instructions'] / f['instructions_us'] / 3.6e9)} hours", f"{number(f['verify_instructions'])} instructions, {number(f['instructions_us'])} in a us"),
            ("to replay a day of 4 KiB, one processor", f"{number(f['handoffs'] / f['replay_s'] / 3600)} hours", f"{number(f['replay_s'])} a second"))
    return table(("what 10^9 a day needs", "figure", "calculated from"), rows)


def simulated(f):
    return table(("arrangement", "commits a second at the peak, each node", "disk or server busy over the day", "processors busy at the peak, each node", "commit, p99"),
                 [(words, number(f[f"day_{name}_commits"]), f"{number(f[f'day_{name}_busy'])} %", number(f[f"day_{name}_processors"]), f"{number(f[f'day_{name}_p99'])} ms")
                  for name, words in ARRANGEMENTS])


TEXT = """# Scale

What Baton costs as logs, entries and nodes grow, and what 10^9 handoffs a day need. Every figure of this page is a row of [bench/scale.txt](../bench/scale.txt), which
names the bench and the line that prints it, or is calculated from such rows as the last column says. `tools/scale_page.py` writes the page; after
new runs, `tools/scale_page.py --take OUTPUT...` takes the figures from their outputs.

## One handoff
{stages}

Instructions are those that callgrind counts, without system calls, and without the SHA instructions that most processors have. A handoff has {handoff_bytes} bytes unless the row says otherwise. A server's writer waits for
one sync a commit; the others are of the head file, which a thread of its own replaces.

## What one machine carries
{carries}

Logs below a root ([logs.md](logs.md)) share nothing but processes; `logs.open` (256) of them are open at a time, with 3 open files each when they are only written and 5 when they are also read. On paper 256 open logs
take 640 MiB and 10,000 known ones 2 MB; one decision for each log and minute is 167 commits and 500 syncs a second, and an NVMe disk does {syncs_s}. A first request to a closed log opens it, with the checks of the
start: SQLite within 10 ms, PostgreSQL in 5 exchanges. Two things cost more when decisions go to more logs than are open: each of them closes another log (its head file, and a
checkpoint of SQLite's log) before it opens its own, and a group commit holds one decision. So raise `logs.open` above the number of logs that are busy within a minute, or route names to several nodes. A
new store takes about 0.5 MB on the disk, 5 GB for 10,000. The rows of `script/bench logs` are of a folder in memory (`BATON_LOGS_FOLDER=/dev/shm/logs`) on a machine that was not idle: they show what Baton takes, to which a disk adds its syncs.

`script/torture logs` submits 100,000 decisions to 10,000 logs by two nodes on one PostgreSQL, and counts those that are lost or in another log; its negative control chooses the log by the connection and must find strays.

## 10^9 handoffs a day
{needs}

The two extremes are full groups of 256, as in a few shared logs, and one handoff in each commit, as in many quiet logs. What lies between them depends on how handoffs meet in time, so `script/bench day` simulates a day: random arrivals whose busiest
moment has {peak} times the mean, one commit at a time for each log, and commits that take turns at the disk of their node. It compares each figure with a formula (mean value analysis of a closed network) and fails when they differ by a tenth.

{simulated}

**What follows.** One log is bounded by its writer; at the peak that is {logs} at least, with nothing to spare. With 16 shared logs group commit
absorbs the peak: a commit takes {shared_p99} ms at the 99th percentile, and {processors} processors do the work. With 10,000 tenant logs a commit holds few handoffs, so syncs decide: {disks} disks at the peak if no two
handoffs met. 7 nodes get through the day, but wait {few_p99} ms at its busiest; 35 nodes wait {many_p99} ms. A cluster grows by routing names of logs to nodes; nothing is shared between them. The day takes {stored} of storage. Entries
are permanent: `store retain` removes documents, not entries.

**What is not in these figures**: networks and load balancers, replication of PostgreSQL, backups, agents that sign outside the process ([ADR 0092](decisions/0092-keys-in-an-agent.md)), and readers. A disk that syncs more slowly changes the
rows with syncs in proportion.
"""


def page(f):
    peak = f["handoffs"] / DAY_S * f["peak"]
    return TEXT.format(stages=stages(f), carries=carries(f), needs=needs(f), simulated=simulated(f), handoff_bytes=number(f["handoff_bytes"]), peak=number(f["peak"]),
                       syncs_s=number(f["syncs_s"]), logs=math.ceil(peak * f["writer_us"] * 1e-6), processors=math.ceil(peak * (f["writer_us"] + f["rest_us"]) * 1e-6),
                       disks=math.ceil(peak * f["commit_syncs"] / f["syncs_s"]), stored=storage(f["handoffs"] * f["entry_bytes"]),
                       **{f"{name}_p99": number(f[f"day_{name}_p99"]) for name in ("shared", "few", "many")})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--take", type=pathlib.Path, nargs="+", default=[])
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    notes, rows = read_rows(FIGURES.read_text(encoding="utf-8"))
    if args.take:
        taken = take(rows, [path.read_text(encoding="utf-8") for path in args.take])
        print("taken:", *taken)
        FIGURES.write_text("\n".join([*notes, *map(str, rows)]) + "\n", encoding="utf-8")
    text = page({row.name: row.value for row in rows})
    if args.check:
        if PAGE.read_text(encoding="utf-8") == text:
            return 0
        print("docs/scale.md is not the page of bench/scale.txt; tools/scale_page.py writes it")
        return 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
