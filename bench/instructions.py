# SPDX-License-Identifier: Apache-2.0
"""instructions.py - count the instructions of a program with callgrind, which a loaded machine does not change. System calls are not counted."""
import re
import shutil
import subprocess
import sys

TRIES = 9
CALLGRIND = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]


def can_count():
    """Whether valgrind is installed; otherwise one line says that nothing is counted."""
    if shutil.which("valgrind"):
        return True
    print("valgrind is not installed; no instructions counted")
    return False


def collected(text, what):
    """The count in what callgrind printed."""
    match = re.search(r"Collected : (\d+)", text)
    if not match or int(match[1]) == 0:
        sys.exit(f"{what}: valgrind counted nothing:\n{text[-2000:]}")
    return int(match[1])


def count(command, function="main", answers=None, **options):
    """The instructions of a run of the command, within one function. `answers` tells whether its output is the expected one: valgrind makes programs so slow
    that a deadline may pass, and then the run is repeated; None: it passed in every try."""
    for _ in range(TRIES):
        done = subprocess.run([*CALLGRIND, f"--toggle-collect={function}", *map(str, command)], capture_output=True, text=True, **options)
        if not answers or answers(done.stdout):
            return collected(done.stderr, " ".join(map(str, command)))
    return None
