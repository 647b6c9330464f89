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


HEADINGS = ["Input", "Rules", "Fixing", "Output", "Universal", "Contract", "Plan", "Governed", "XML", "Reproducible runs", "Common"]


@functools.lru_cache(maxsize=None)
def headings_of(name):
    """The headings of flags in the help of a command, in their order."""
    return [line[:-1] for line in help_of(name).splitlines() if line[:-1] in HEADINGS and line.endswith(":")]


@functools.lru_cache(maxsize=None)
def flags_of(name):
    """All flags, those with only a letter included, whose name is empty."""
    text = help_of(name).split("\nExamples:\n")[0]
    return listed_flags(text)


def listed_flags(text):
    """The flags that a text of help lists."""
    found = re.findall(r"^  (?:(?:-(\w), |    )--([a-zA-Z0-9-]+)|-(\w)(?!,))(?: ([^ ]+))?(?=  |$)", text, re.M)
    return [Flag(flag, letter or alone, argument) for letter, flag, alone, argument in found]


def _commands(name):
    yield name
    for part in re.findall(r"^  ([a-z-]+)  ", help_of(name).split("\nCommon:\n")[0], re.M):
        yield from _commands(f"{name} {part}")


COMMANDS = list(_commands("baton"))
