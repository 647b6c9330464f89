#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_posix.py BUILD - a build of the profile check preprocesses no file with _GNU_SOURCE, and none includes a header of Linux."""
import json
import pathlib
import re
import shlex
import subprocess
import sys

SUSPECT = re.compile(r"_GNU_SOURCE|#include <(linux/|sys/(epoll|eventfd|inotify|prctl|signalfd|syscall|timerfd)\.h)")
HEADERS = re.compile(r"/linux/|/sys/(epoll|eventfd|inotify|prctl|signalfd|syscall|timerfd)\.h$")


def suspect_headers(root):
    """Names of our own headers that mention what is not POSIX."""
    return [path.name for folder in ("src", "app", "include") for path in (root / folder).rglob("*.h") if SUSPECT.search(path.read_text(encoding="utf-8"))]


def is_suspect(path, headers):
    text = path.read_text(encoding="utf-8", errors="replace")
    return bool(SUSPECT.search(text)) or any(f'{name}"' in text for name in headers)


def check(folder):
    complaints, seen = [], set()
    headers = suspect_headers(pathlib.Path(__file__).resolve().parent.parent)
    for row in json.loads((folder / "compile_commands.json").read_text(encoding="utf-8")):
        words = [word for word in shlex.split(row["command"]) if word not in ("-c", "-MD", "ccache")]
        for flag in ("-o", "-MQ", "-MF"):
            while flag in words:
                at = words.index(flag)
                del words[at:at + 2]
        if row["file"] in seen or "/tools/" in row["file"]:
            continue
        seen.add(row["file"])
        if not is_suspect(pathlib.Path(row["directory"]) / row["file"], headers):
            continue
        # -dM prints macros and -H the headers that are included from ours directly, one dot for each level.
        done = subprocess.run([*words, "-E", "-dM", "-H"], cwd=row["directory"], capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            complaints.append(f"{row['file']}: {done.stderr[-300:]}")
        if "#define _GNU_SOURCE" in done.stdout:
            complaints.append(f"{row['file']}: defines _GNU_SOURCE")
        complaints += [f"{row['file']}: includes {name}" for name in re.findall(r"^\. (.*)$", done.stderr, re.M) if HEADERS.search(name)]
    return complaints, len(seen)


def main(arguments):
    if len(arguments) != 1:
        print("usage: check_posix.py BUILD", file=sys.stderr)
        return 2
    complaints, count = check(pathlib.Path(arguments[0]))
    print("\n".join(complaints) or f"{count} files: no complaints")
    return 1 if complaints or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
