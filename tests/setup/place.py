# SPDX-License-Identifier: Apache-2.0
"""place.py - a folder for one test of init or doctor, and its content for comparisons."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

import program  # noqa: E402  (its folder is known only now)


def content(top):
    """Every file and link below a folder, with its bytes."""
    found = {}
    for path in sorted(pathlib.Path(top).rglob("*")):
        name = str(path.relative_to(top))
        if path.is_symlink():
            found[name] = ("link", str(path.readlink()))
        elif path.is_file():
            found[name] = path.read_bytes()
        else:
            found[name] = "folder" if path.is_dir() else "special"
    return found


def folder(files):
    return program.folder(files)
