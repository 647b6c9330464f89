#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_binary.py FILE... - a program of a release needs only libc and libm, an old enough libc, and has the protections of the linker.

One line for each complaint; exit 1 when there is one. It asks readelf of binutils.
"""
import pathlib
import re
import subprocess
import sys

NEEDED = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
GLIBC_MAX = (2, 34)
BYTES_MAX = 20_000_000


def read_elf(path, option):
    done = subprocess.run(["readelf", "--wide", option, str(path)], capture_output=True, text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}, check=False)
    return "" if done.returncode or "Error:" in done.stderr else done.stdout


def check_dynamic(dynamic):
    """What the loader is told."""
    for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
        if name not in NEEDED:
            yield f"needs {name}"
    for name, value in re.findall(r"\((RPATH|RUNPATH)\).*\[(.*)\]", dynamic):
        yield f"has the run path {value} ({name})"
    flags = " ".join(re.findall(r"\(FLAGS(?:_1)?\)\s+(.*)", dynamic))
    if not re.search(r"\b(BIND_NOW|NOW)\b", flags):
        yield "does not bind at its start, so RELRO is not full"
    if "PIE" not in flags:
        yield "is not position independent"


def check_segments(segments):
    if "GNU_RELRO" not in segments:
        yield "has no RELRO"
    stack = re.search(r"GNU_STACK\s+(?:0x[0-9a-f]+\s+){5}([RWE ]+?)\s+0x", segments)
    if not stack or "E" in stack[1]:
        yield "has an executable stack"
    if re.search(r"LOAD\s+(?:0x[0-9a-f]+\s+){5}RWE", segments):
        yield "has a segment that can be written and executed"


def check_versions(versions):
    found = {tuple(map(int, number.split("."))) for number in re.findall(r"\bGLIBC_(\d+(?:\.\d+)+)\b", versions)}
    for number in sorted(found):
        if number > GLIBC_MAX:
            yield f"needs GLIBC_{'.'.join(map(str, number))}, above GLIBC_{'.'.join(map(str, GLIBC_MAX))}"


def check(path):
    """Complaints about one program."""
    dynamic, segments, versions = (read_elf(path, option) for option in ("--dynamic", "--program-headers", "--version-info"))
    if "INTERP" not in segments or "Dynamic section" not in dynamic:
        return [f"{path}: not a program that is linked dynamically"]
    complaints = [*check_dynamic(dynamic), *check_segments(segments), *check_versions(versions)]
    size = pathlib.Path(path).stat().st_size
    if size > BYTES_MAX:
        complaints.append(f"has {size} bytes; at most {BYTES_MAX} are allowed")
    return [f"{path}: {complaint}" for complaint in complaints]


def main(paths):
    if not paths or any(path.startswith("-") for path in paths):
        print("usage: check_binary.py FILE...", file=sys.stderr)
        return 2
    complaints = [complaint for path in paths for complaint in check(path)]
    print("\n".join(complaints) or "no complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
