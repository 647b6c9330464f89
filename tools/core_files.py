#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""core_files.py SRC - print the C files of the core profile, one per line and relative to SRC, as SRC/CORE says."""
import pathlib
import sys


class CoreError(Exception):
    """CORE names what is not there."""


def core_files(src):
    """The paths of the core profile's C files, relative to the folder `src`, in the order of CORE."""
    found = []
    for line in (src / "CORE").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        folder, sign, names = (line.partition("=") if "=" in line else line.partition(":"))
        present = {path.stem: f"{folder}/{path.name}" for path in sorted((src / folder).glob("*.c"))}
        listed = names.split()
        unknown = [name for name in listed if name not in present]
        if not sign or not present or unknown:
            raise CoreError(f"{src}/CORE: no such folder or file: {folder} {' '.join(unknown)}")
        found += [present[name] for name in listed] if sign == "=" else [path for name, path in present.items() if name not in listed]
    return found


def main():
    if len(sys.argv) != 2:
        print("usage: core_files.py SRC", file=sys.stderr)
        return 2
    try:
        print("\n".join(core_files(pathlib.Path(sys.argv[1]))))
    except CoreError as why:
        print(f"core_files.py: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
