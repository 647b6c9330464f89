#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""join_library.py OBJCOPY AR ARCHIVE OUT COMPILER... - the static library that is installed, from the one of the build.

All of ARCHIVE becomes one relocatable object in which hidden symbols are local, so that a program can only use what the headers declare.
COMPILER is the command that joins objects, with its options.
"""
import os
import pathlib
import subprocess
import sys
import tempfile


def join(objcopy, ar, archive, out, compiler):
    # Thin archives name their objects relative to themselves.
    with tempfile.TemporaryDirectory(prefix="join-", dir=out.parent) as folder:
        whole = pathlib.Path(folder) / "baton.o"
        subprocess.run([*compiler, "-r", "-nostdlib", "-Wl,--whole-archive", archive, "-Wl,--no-whole-archive", "-o", whole], check=True)
        subprocess.run([objcopy, "--localize-hidden", whole], check=True)
        made = pathlib.Path(folder) / out.name
        subprocess.run([ar, "crsD", made, whole], check=True)
        os.replace(made, out)


if __name__ == "__main__":
    try:
        join(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4]), sys.argv[5:])
    except subprocess.CalledProcessError as why:
        sys.exit(f"join_library.py: {why.cmd[0]} failed with exit {why.returncode}")
