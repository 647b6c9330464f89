# SPDX-License-Identifier: Apache-2.0
"""open_folder.py - temporary folders that other accounts can enter, wherever the checkout and TMPDIR lie."""
import os
import pathlib
import tempfile

PLACES = ("/tmp", "/var/tmp", "/dev/shm")


def lets_others_in(path):
    """May any account pass through every folder of the path?"""
    path = pathlib.Path(path).resolve()
    return all(folder.stat().st_mode & 0o001 for folder in (path, *path.parents))


def place(programs=True):
    """A folder for temporary folders; with `programs`, one from which they can be run."""
    for name in (tempfile.gettempdir(), *PLACES):
        if not os.access(name, os.W_OK | os.X_OK) or not lets_others_in(name):
            continue
        if not (programs and os.statvfs(name).f_flag & os.ST_NOEXEC):
            return name
    raise AssertionError(f"other accounts can use none of {tempfile.gettempdir()}, {', '.join(PLACES)}")


def make(prefix="baton-open-"):
    """A temporary folder that other accounts can enter. Use it in a `with` statement."""
    folder = tempfile.TemporaryDirectory(prefix=prefix, dir=place())
    os.chmod(folder.name, 0o755)
    return folder
