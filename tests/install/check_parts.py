#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_parts.py PROGRAM PART... - a program that was built without these parts does not show them, and says so when they are used.

script/lint runs it on builds that the tests do not make.
"""
import pathlib
import subprocess
import sys
import tempfile

# What cannot be run without a part, and what the program shows only with it.
USES = {
    "server": [["serve"], ["token", "list"], ["help", "serve"], ["man", "token"]],
    "pump": [["pump", "check", "x"], ["handler-host"], ["help", "pump", "run"]],
    "store": [["ledger", "init", "--origin", "x"], ["store", "info"], ["approvals", "list"], ["doctor", "--store", "x"], ["hook", "claude"],
              ["help", "ledger", "append"], ["init", "--hook", "claude"]],
    "watch": [["check", "--watch"]],
    "postgres": [["store", "info", "--store", "postgresql://localhost/x"]],
}
WORDS = {"server": ["serve", "token"], "pump": ["pump", "handler-host"], "store": ["store", "approvals", "hook"], "watch": [], "postgres": []}
HANDOFF = '{"handoff":{"version":"3.0"}}\n'


class Program:
    def __init__(self, path):
        self.path, self.home = str(pathlib.Path(path).resolve()), tempfile.TemporaryDirectory()

    def run(self, *words, text=""):
        return subprocess.run([self.path, *words], input=text, capture_output=True, text=True, timeout=60, check=False, cwd=self.home.name,
                              env={"HOME": self.home.name, "PATH": "/usr/bin:/bin"})


def check(program, parts):
    faults = []
    for part in parts:
        for words in USES[part]:
            done = program.run(*words)
            if done.returncode != 2 or not done.stderr.startswith("baton: ") or f"this build has no {part}" not in done.stderr or done.stdout:
                faults.append(f"baton {' '.join(words)}: exit {done.returncode}, {done.stderr.strip()!r}")
    shown = program.run("help").stdout + program.run("complete", "--", "").stdout
    listed = {line.split()[0] for line in shown.splitlines() if line.strip()}
    faults += [f"help or completion shows {word}" for part in parts for word in WORDS[part] if word in listed]
    if "check" not in listed:
        faults.append("help does not show check")
    done = program.run("check", "--as", "universal", "-f", "concise", "-", text=HANDOFF)
    if done.returncode != 1 or "SCHEMA_REQUIRED" not in done.stdout:
        faults.append(f"check: exit {done.returncode}, {done.stdout[:200]!r} {done.stderr[:200]!r}")
    return faults


def main(arguments):
    if len(arguments) < 2 or not set(arguments[1:]) <= set(USES):
        print(f"usage: check_parts.py PROGRAM {'|'.join(USES)}...", file=sys.stderr)
        return 2
    faults = check(Program(arguments[0]), arguments[1:])
    print("\n".join(faults) or f"without {', '.join(arguments[1:])}: as it should be")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
