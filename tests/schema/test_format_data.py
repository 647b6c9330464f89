#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_format_data.py ROOT - the tables of IDNA are what their generator makes. Told in TAP."""
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / "tools"))
import gen_unicode  # noqa: E402

kept = (root / "src/schema/format_idna_data.inc").read_text(encoding="utf-8")
folder = pathlib.Path(gen_unicode.DEFAULT)
print("1..1")
if not (folder / "PropList.txt").exists():
    print("ok 1 # SKIP the package unicode-data is not installed")
    sys.exit(0)
if f"Unicode {gen_unicode.version(folder)};" not in kept:
    print("ok 1 # SKIP the package unicode-data is of another version")
    sys.exit(0)
made = subprocess.run([sys.executable, "-B", str(root / "tools/gen_idna.py")], stdout=subprocess.PIPE,
                      check=True, encoding="utf-8").stdout
fine = made == kept
print(f"{'' if fine else 'not '}ok 1 - src/schema/format_idna_data.inc is what tools/gen_idna.py prints")
sys.exit(0 if fine else 1)
