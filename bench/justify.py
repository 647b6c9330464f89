# SPDX-License-Identifier: Apache-2.0
"""justify.py DEFAULT PLAIN DATA NAME - what one optimisation gives: the published figure with it and without it.

DEFAULT and PLAIN are two builds, the second with -Dplain=NAME. Instructions are counted by callgrind within one function; it
has neither AVX-512 nor threads, so what needs these is measured by processor time, in 7 alternating runs, or beside a peer.
"""
import itertools
import math
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

import evidence
import instructions

ROUNDS = 7
DOCUMENTS_MAX = 60
HANDOFF = "examples/universal/planner-to-builder.handoff.json"


def run(command, **options):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **options)


def count_instructions(build, function, words):
    return instructions.count([build / "app/cli/baton", *words], function)


def schema_instructions(build, data):
    """Instructions of the fast run for each set of documents."""
    counts = []
    with tempfile.TemporaryDirectory() as folder:
        for instances in sorted(data.glob("schema-bench*/*/instances.jsonl")):
            some = pathlib.Path(folder, "some.jsonl")
            with open(instances, encoding="utf-8") as lines:
                some.write_text("".join(itertools.islice(lines, DOCUMENTS_MAX)), encoding="utf-8")
            counts.append(count_instructions(build, "bt_schema_machine_run", ["schema", "validate", "--timeout", 600, "--jsonl", instances.parent / "schema.json", some]))
    return counts


def start_instructions(build, _data):
    return [count_instructions(build, "main", ["check", "-f", "json", "--now", "2026-03-01T12:00:00Z", HANDOFF])]


def token_us(build, _data):
    """Processor time of many texts; instructions do not tell what waiting for memory costs."""
    paths = sorted(str(path) for path in pathlib.Path(".").glob("docs/**/*.md")) * 40
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run([build / "app/cli/baton", "tokens", *paths])
    return [(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before) * 1e6]


def json_ratio(build, data):
    """Time of the reader beside simdjson, the geometric mean of all sets."""
    line = next(line for line in run([build / "bench/bench_json", data]).stdout.split("\n") if line.startswith("geometric mean"))
    numbers = [float(number) for number in line.split()[2:]]
    return [numbers[0] / numbers[1]]


def submission_us(build, _data):
    """Processor time of one durable submission, with 32 threads."""
    with tempfile.TemporaryDirectory(dir="build") as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        rate = float(run([build / "bench/bench_submit", folder, HANDOFF, 32, 2]).stdout)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return [(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / (2 * rate) * 1e6]


def evidence_ms(build, _data):
    """Processor time of a comparison of a quotation with a transcript of 10 MB."""
    with tempfile.TemporaryDirectory(dir="build") as name:
        folder = pathlib.Path(name)
        line = evidence.write(folder / "t.jsonl", 10_000_000)
        (folder / "block.md").write_text(evidence.report("make step1", verbatim_outputs=[line]), encoding="utf-8")
        return [evidence.run([build / "app/cli/baton", "evidence", "check", "--no-config", "--transcript", folder / "t.jsonl", folder / "block.md"])[1] * 1000]


SCHEMA = ("schema validation, instructions", schema_instructions, 1)
TOKENS = ("tokens/s, CPU", token_us, ROUNDS)
START = ("start of baton check, instructions", start_instructions, 1)
SUBMIT = ("POST /v1/handoffs, CPU of a submission", submission_us, ROUNDS)
ROWS = {  # name: figure, lines that exist only for it
    "head_thread": (SUBMIT, 75),
    "json_avx512": (("JSON parse, time beside simdjson", json_ratio, 3), 92),
    "json_numbers": (("JSON parse, time beside simdjson", json_ratio, 3), 100),
    "regex_chain": (START, 139),
    "regex_table": (SCHEMA, 35),
    "schema_switch": (SCHEMA, 300),
    "sqlite_vfs": (SUBMIT, 227),
    "token_lanes": (TOKENS, 100),
    "token_vectors": (TOKENS, 200),
    "transcript_filter": (("hook process with evidence, CPU", evidence_ms, ROUNDS), 95),
}


def main():
    default, plain, data = (pathlib.Path(word) for word in sys.argv[1:4])
    name = sys.argv[4]
    (figure, measure, rounds), lines = ROWS[name]
    sides = {default: [], plain: []}
    for number in range(rounds):
        for build in sides if number % 2 == 0 else reversed(sides):
            sides[build].append(measure(build, data))
    with_it, without = ([statistics.median(column) for column in zip(*rows)] for rows in sides.values())
    ratio = math.exp(statistics.mean(math.log(b / a) for a, b in zip(with_it, without)))
    worst = max(b / a for a, b in zip(with_it, without))
    gain = (ratio - 1) * 100
    print(f"{name:15} {gain:+7.1f} % without it (worst set {(worst - 1) * 100:+.1f} %), {lines:4} lines, {gain / lines * 100:+6.1f} % per 100 lines   {figure}")


if __name__ == "__main__":
    main()
