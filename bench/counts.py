# SPDX-License-Identifier: Apache-2.0
"""counts.py BUILD DATA FILE [--check|--write] - instructions of reading and judging the data sets, counted by callgrind: one line `SET COUNT` each.

json/SET is per 1,000 bytes, schema/SET per document, universal/SET per document without SHA-256, tokens/SET-ENCODING per 1,000 bytes, with a fresh counter for
each document. FILE has the accepted counts: --check ends with 1 when a set is more than 3 % above its line, or has none, or when a line has no set; --write
writes the file. Callgrind has neither AVX-512 nor the instructions for SHA-256, so these are counts of the AVX2 paths. BUILD is a release build without link-time optimisation, in which functions stay whole.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import token_corpora

ALLOWED = 1.03
PROGRAMS = {
    "bench_schema": ["--toggle-collect=read_counted", "--dump-after=read_counted", "--toggle-collect=judge_counted", "--dump-after=judge_counted"],
    "bench_universal": ["--toggle-collect=check_counted", "--dump-after=check_counted"],
}
TOKENS_OPTIONS = ["--toggle-collect=count_counted", "--dump-after=count_counted"]
TOKENS_SETS = ["cjk", "emoji"]  # the others are made from files that change
TOKENS_BYTES = 250_000
HEAD = """# Instructions that callgrind counts, AVX2 paths: json/SET and tokens/SET per 1,000 bytes, schema/SET and universal/SET per document. Written by `{command}`.
"""


class Refused(Exception):
    """Counting is not possible here; the text says why."""


def require_avx2():
    flags = re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace"), re.M)
    if not flags or "avx2" not in flags[1].split():
        raise Refused("this processor has no AVX2, and the accepted counts are of the AVX2 paths")
    if not shutil.which("valgrind"):
        raise Refused("valgrind is not installed; script/bootstrap test installs it")


def sum_costs(lines):
    """The instructions in a file of callgrind, without those of libcrypto."""
    total, is_counted, is_call = 0, True, False
    for line in lines:
        if line.startswith("ob="):
            is_counted = "libcrypto" not in line
        elif line[:1].isdigit() and not is_call and is_counted:
            total += int(line.split()[1])
        is_call = line.startswith("calls=")  # then the next line has what the callee took
    return total


def count_program(program, options, data):
    """The counts of one program: {set: count}. It prints a line for each count, and callgrind writes a file for each."""
    with tempfile.TemporaryDirectory(prefix="baton-counts-") as folder:
        out = pathlib.Path(folder, "out")
        done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--compress-strings=no", "--compress-pos=no", *options, str(program), str(data), "--count"],
                              capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"]})  # MALLOC_PERTURB_ would be counted
        rows = [line.split() for line in done.stdout.splitlines()]
        files = [pathlib.Path(f"{out}.{number}") for number in range(1, len(rows) + 1)]
        if done.returncode != 0 or not rows or not all(path.exists() for path in files) or pathlib.Path(f"{out}.{len(rows) + 1}").exists():
            raise RuntimeError(f"{program}: exit {done.returncode}, {len(rows)} sets\n{done.stderr[-2000:]}")
        totals = [sum_costs(path.read_text(encoding="utf-8").splitlines()) for path in files]
    return {name: round(total / float(divisor)) for (name, divisor), total in zip(rows, totals)}


def count_all(build, data):
    require_avx2()
    counts = {}
    for name, options in PROGRAMS.items():
        counts.update(count_program(build / name, options, data))
    with tempfile.TemporaryDirectory(prefix="baton-texts-") as folder:
        token_corpora.write_sets(data, pathlib.Path(folder), TOKENS_SETS, TOKENS_BYTES)
        counts.update(count_program(build / "bench_tokens", TOKENS_OPTIONS, folder))
    return counts


def read_counts(text):
    lines = (line.split() for line in text.splitlines() if line and not line.startswith("#"))
    return {name: int(count) for name, count in lines}


def write_counts(counts, command):
    return HEAD.format(command=command) + "".join(f"{name} {count}\n" for name, count in counts.items())


def complaints(counts, accepted):
    """What is wrong with the counts: a list of sentences."""
    found = []
    for name, count in counts.items():
        if name not in accepted:
            found.append(f"{name}: no accepted count; {count} instructions now")
        elif count > accepted[name] * ALLOWED:
            found.append(f"{name}: {count} instructions are {count / accepted[name] - 1:.1%} more than the accepted {accepted[name]}; at most 3 % are allowed")
    return found + [f"{name}: has an accepted count and was not counted" for name in accepted if name not in counts]


def main():
    build, data, file = (pathlib.Path(word) for word in sys.argv[1:4])
    mode = sys.argv[4] if len(sys.argv) > 4 else ""
    try:
        counts = count_all(build, data)
    except Refused as why:
        sys.exit(f"counts: {why}")
    accepted = read_counts(file.read_text(encoding="utf-8")) if file.exists() else {}
    for name, count in counts.items():
        print(f"{name} {count}" + (f" {count / accepted[name] - 1:+.1%}" if mode and accepted.get(name) else ""))
    if mode == "--write":
        file.write_text(write_counts(counts, "script/bench counts --write"), encoding="utf-8")
    found = complaints(counts, accepted) if mode == "--check" else []
    for sentence in found:
        print(sentence, file=sys.stderr)
    if found:
        print("counts: find out why; a change that is meant to cost this much writes its counts by script/bench counts --write", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
