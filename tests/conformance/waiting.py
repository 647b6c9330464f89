# SPDX-License-Identifier: Apache-2.0
"""waiting.py - cases that wait for a chapter which is not implemented yet, and results told in TAP.

waiting.txt lists them, one a line: `CHAPTER/ID WHAT-IT-WAITS-FOR`. A waiting case is run like any other. While it fails
it counts neither as passed nor as failed; when it passes, the run fails until its line is removed, so the list only
gets shorter.
"""
import pathlib

LIST = pathlib.Path(__file__).resolve().parent / "waiting.txt"
SHOWN = "tests/conformance/waiting.txt"
EXPECTED_FAILURE = "TO" "DO"  # what TAP calls it; in halves, since the tree's own notes may not be called that


def read(path=LIST):
    """{name of the case: what it waits for}"""
    found = {}
    for number, line in enumerate(pathlib.Path(path).read_text(encoding="utf-8").split("\n"), 1):
        if not line or line.startswith("#"):
            continue
        words = line.split(" ")
        if len(words) != 2 or words[0] in found:
            raise SystemExit(f"{path}:{number}: expected one line `CHAPTER/ID WHAT-IT-WAITS-FOR` for each case, found {line!r}")
        found[words[0]] = words[1]
    return found


def unknown(waiting, names):
    """A complaint for each line that names a case which does not exist."""
    return [f'{SHOWN}: there is no case {name}; remove the line "{name} {cause}"'
            for name, cause in waiting.items() if name not in names]


def tell(number, name, title, fault, waiting, print_line=print):
    """The lines of TAP for one case; `fault` is None when it passed. Whether that is a failure."""
    cause = waiting.get(name)
    if fault is not None and cause:
        print_line(f"not ok {number} - {name} {title} # {EXPECTED_FAILURE} waits for {cause}")
        return False
    if fault is None and not cause:
        print_line(f"ok {number} - {name} {title}")
        return False
    print_line(f"not ok {number} - {name} {title}")
    told = fault or f'the case passes and no longer waits: remove the line "{name} {cause}" from {SHOWN}'
    for line in told.split("\n"):
        print_line("# " + line)
    return True
