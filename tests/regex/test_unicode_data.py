#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_unicode_data.py ROOT - the kept tables are what tools/gen_unicode.py writes. Told in TAP."""
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path("/usr/share/unicode")


def main():
    root = pathlib.Path(sys.argv[1])
    kept = (root / "src/regex/unicode_data.inc").read_text()
    if not (FOLDER / "PropList.txt").is_file():
        print("1..0 # SKIP the package unicode-data is not installed")
        return 0
    made = subprocess.run([sys.executable, "-B", root / "tools/gen_unicode.py", FOLDER], capture_output=True,
                          check=True, text=True, timeout=120).stdout
    version = made.split("\n")[2]
    if version != kept.split("\n")[2]:
        print(f"1..0 # SKIP another version of Unicode is installed:{version}")
        return 0
    print("1..1")
    print(f"{'ok' if made == kept else 'not ok'} 1 - unicode_data.inc is what the package gives")
    return 0 if made == kept else 1


if __name__ == "__main__":
    sys.exit(main())
