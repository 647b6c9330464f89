#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_pow5.py ROOT - the table of powers is what its generator makes. Told in TAP."""
import pathlib
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
made = subprocess.run([sys.executable, "-B", str(root / "tools/gen_pow5.py")], stdout=subprocess.PIPE, check=True).stdout
fine = made == (root / "src/json/pow5.c").read_bytes()
print("1..1")
print(f"{'' if fine else 'not '}ok 1 - src/json/pow5.c is what tools/gen_pow5.py prints")
sys.exit(0 if fine else 1)
