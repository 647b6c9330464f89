# SPDX-License-Identifier: Apache-2.0
"""surface.py - the commands and flags that the program's own help shows, for tests to compare with."""
import collections
import functools
import re

from program import expect, run

Flag = collections.namedtuple("Flag", "name letter argument")


@functools.lru_cache(maxsize=None)
def help_of(name):
    """What --help says about a command, given in full: "baton json fmt"."""
    return expect(run(*name.split()[1:], "--help"), 0).stdout.decode()


def _section(name, title):
    parts = help_of(name).split(f"\n{title}:\n")
    return parts[1].split("\n\n")[0] if len(parts) > 1 else ""


@functools.lru_cache(maxsize=None)
def flags_of(name):
    found = re.findall(r"^  (?:-(\w), |    )--([a-z0-9-]+)(?: ([^ ]+))?", _section(name, "Flags"), re.M)
    return [Flag(flag, letter, argument) for letter, flag, argument in found]


def _commands(name):
    yield name
    for part in re.findall(r"^  ([a-z-]+)  ", help_of(name).split("\nFlags:\n")[0], re.M):
        yield from _commands(f"{name} {part}")


COMMANDS = list(_commands("baton"))
