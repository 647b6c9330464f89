# SPDX-License-Identifier: Apache-2.0
"""sessions.py - run the first minutes in starts/: what a new user types and sees, in their project, with a clone of Baton beside it."""
import os
import pathlib

import page_runner

ROOT = pathlib.Path(__file__).resolve().parents[2]
SESSIONS = sorted((pathlib.Path(__file__).parent / "starts").glob("*.txt"))
INSTALL = "../baton/script/install"


def run_session(text, baton, bare=None, clone=None):
    """Run what a session types; the number of its commands. PageError: something else happens.

    In the bare root `bare` the clone is `clone`, a path in it, and everything is run. Otherwise the program is `baton`, and nothing is installed.
    """
    found = page_runner.commands(0, text.splitlines())
    place = page_runner.Page(baton, uses_port=f":{page_runner.PORT}" in text, root=bare)
    try:
        os.symlink(clone or ROOT, place.folder.parent / "baton")
        for file in (ROOT / "examples/adopt/handoffs").iterdir():
            place.make(f"handoffs/{file.name}", file.read_text(encoding="utf-8").splitlines())
        place.make("CLAUDE.md", ["# Notes for Claude Code"])
        for command in found:
            if bare or command.text != INSTALL:
                place.check(command)
    finally:
        place.close()
    return len(found)
