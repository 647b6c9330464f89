# SPDX-License-Identifier: Apache-2.0
"""test_scale.py - docs/scale.md is the page of bench/scale.txt, and each figure there is a line that a bench prints."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/tree"), str(ROOT / "tools")]

import scale_page  # noqa: E402
import tap  # noqa: E402

BENCHES = {"costs": ["costs.py"], "day": ["bench_day.c"], "growth": ["growth.py"], "ledger": ["bench_ledger.c", "ledger_postgres.py"], "logs": ["logs.py"],
           "replay": ["replay.py"], "serve": ["serve.py"]}
NOTES, ROWS = scale_page.read_rows(scale_page.FIGURES.read_text(encoding="utf-8"))
SAMPLE = """durable appends                12345 /s   (12000 to 13000), 20.5 us of processor each
10000 logs, 20000 decisions, 32 connections
memory of an open log, 256 open                      2.25 MiB                                     2.5 MiB
decisions a second over 10000 logs, 256 open         410, 0.10 of one log                         167 wanted
16 shared logs, 4 nodes
  for each node                            calculated      simulated   ratio
  commits a second at the peak               3571.9         3569.9    1.00
a commit                                               800000 instructions
   1,000,000 entries: submission 143.5 us of processor, 300 us by the clock
"""


def figures():
    return {row.name: row.value for row in scale_page.read_rows(scale_page.FIGURES.read_text(encoding="utf-8"))[1]}


@tap.claim
def the_page_is_that_of_the_figures():
    page = scale_page.PAGE.read_text(encoding="utf-8")
    assert page == scale_page.page(figures()), "tools/scale_page.py writes the page"
    for name, value in figures().items():  # the control: nearly every figure is on the page
        if name in ("entry_bytes", "writer_us", "first_ms", "peak", "day_many_p99"):
            assert page != scale_page.page({**figures(), name: value * 2 + 1}), name


@tap.claim
def every_figure_is_given_or_calculated_or_a_line_of_a_bench():
    names = [row.name for row in ROWS]
    assert len(names) == len(set(names)), names
    for row in ROWS:
        if row.bench == "given":
            continue
        if row.bench == "derived":
            assert row.name in scale_page.DERIVED, row.name
            continue
        text = " ".join((ROOT / "bench" / name).read_text(encoding="utf-8") for name in BENCHES[row.bench])
        pieces = [piece.strip() for piece in re.split(r"\{\}|[*~]", row.line)]
        longest = max(pieces, key=len)
        assert longest in text or longest.replace("%", "%%") in text or longest.rsplit(" ", 1)[0] in text, (row.name, longest)


@tap.claim
def new_outputs_replace_their_figures_and_no_others():
    rows = scale_page.read_rows(scale_page.FIGURES.read_text(encoding="utf-8"))[1]
    before = {row.name: row.value for row in rows}
    taken = scale_page.take(rows, [SAMPLE])
    after = {row.name: row.value for row in rows}
    expected = {"appends_s": 12345, "writer_us": 20.5, "logs_count": 10000, "open_mib": 2.25, "all_logs_s": 410, "day_shared_commits": 3569.9, "commit_instructions": 800000, "submission_us": 143.5}
    assert sorted(taken) == sorted(expected), taken
    assert {name: after[name] for name in expected} == expected, after
    assert after["commit_us"] == 800000 / after["instructions_us"], after["commit_us"]
    assert {name for name in before if before[name] != after[name]} <= {*expected, *scale_page.DERIVED}
    again = [scale_page.Row(str(row)) for row in rows]
    assert [(row.name, row.line) for row in again] == [(row.name, row.line) for row in ROWS]
    assert scale_page.take(rows, ["nothing of this"]) == []


sys.exit(tap.run())
