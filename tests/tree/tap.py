# SPDX-License-Identifier: Apache-2.0
"""tap.py - claims about the tree, told in TAP; and small trees made to break them.

A checker that never complains proves nothing, so each is also run on samples that it must refuse,
and has to name the reason.
"""
import pathlib
import sys
import tempfile
import traceback

_claims = []


class Skip(Exception):
    """Raised by a test that cannot run here; its text is the reason."""


def claim(function):
    """Register a test; its name is the claim."""
    _claims.append(function)
    return function


def sample(files):
    """A temporary tree with these files: {path: content}. Use it in a `with` statement."""
    folder = tempfile.TemporaryDirectory(prefix="baton-tree-")
    write(folder.name, files)
    return folder


def write(folder, files):
    for name, content in files.items():
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def expect_clean(complaints):
    if complaints:
        raise AssertionError("\n".join(complaints))


def expect_complaint(complaints, words):
    if not any(words in complaint for complaint in complaints):
        raise AssertionError(f"no complaint says {words!r}; got {complaints}")


def run():
    """Run the claims in order; the exit status is 0 only when all hold."""
    print(f"1..{len(_claims)}")
    failed = 0
    for number, function in enumerate(_claims, 1):
        try:
            function()
            print(f"ok {number} - {function.__name__}")
        except Skip as why:
            print(f"ok {number} - {function.__name__} # SKIP {why}")
        except Exception as why:  # a broken test is a failed one
            failed += 1
            print(f"not ok {number} - {function.__name__}")
            told = str(why) if isinstance(why, AssertionError) else traceback.format_exc()
            print("\n".join("# " + line for line in told.split("\n")))
        sys.stdout.flush()
    return 1 if failed else 0
