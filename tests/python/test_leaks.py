# SPDX-License-Identifier: Apache-2.0
"""test_leaks.py TREE PROGRAM COUNTER - nothing is lost, however a call ends. COUNTER is preloaded and counts the blocks in use."""
import ctypes
import gc
import os
import pickle
import subprocess
import sys
import unittest

COUNTER = sys.argv[3]
ROUNDS, TURNS = 200, 8
NOW = "2026-05-04T09:30:00Z"

if os.environ.get("LD_PRELOAD") != COUNTER:  # the loader reads it when a program starts
    os.execve(sys.executable, [sys.executable, "-X", "dev", os.path.join(os.path.dirname(__file__), "run.py"), *sys.argv],
              {**os.environ, "LD_PRELOAD": COUNTER, "PYTHONMALLOC": "malloc"})

import baton  # noqa: E402
import samples  # noqa: E402

blocks_in_use = ctypes.CDLL(None).blocks_in_use
blocks_in_use.restype = ctypes.c_long
HANDOFF = samples.handoff()
KEPT = []
VALIDATOR = baton.schema.Validator({"type": "object", "required": ["a"]})


def refuse(function, *arguments, **options):
    try:
        function(*arguments, **options)
    except (baton.BatonError, OSError, RuntimeError, TypeError):
        return
    raise AssertionError("it was not refused")


def cycle():
    items = []
    items.append(items)
    try:
        refuse(baton.check, items, "universal")
    finally:
        items.clear()


WORK = {
    "check of bytes": lambda: baton.check(b"{}", "universal").findings,
    "check of a value": lambda: baton.check(HANDOFF, now=NOW).accepted,
    "check of bytes that are not UTF-8": lambda: baton.check(b"\xff" * 100, "universal"),
    "check of a text with a surrogate": lambda: baton.check("\ud800", "universal"),
    "repair": lambda: baton.repair(HANDOFF, now=NOW).text,
    "a problem": lambda: refuse(baton.check, b"{}", "universal", unknown=1),
    "not JSON": lambda: refuse(baton.check, {"a": [1, {"b": object()}]}, "universal"),
    "a key that is not a str": lambda: refuse(baton.check, {"a": [1, {1: 2}]}, "universal"),
    "a cycle": cycle,
    "an engine": lambda: baton.check(b"{}", "universal", engine=baton.Engine({"seed": 1})),
    "an engine with a wrong setting": lambda: refuse(baton.Engine, {"nothing": 1}),
    "an engine with a missing root": lambda: refuse(baton.Engine, roots={"a": "/nonexistent"}),
    "tokens": lambda: baton.tokens.count("one two three" * 100),
    "tokens of bytes": lambda: baton.tokens.within(bytearray(b"one two three"), 2),
    "tokens of what is not UTF-8": lambda: refuse(baton.tokens.count, b"\xff"),
    "tokens in an unknown encoding": lambda: refuse(baton.tokens.count, "a", "p50k"),
    "a validator": lambda: baton.schema.Validator({"$ref": "urn:a"}, documents={"urn:a": {"type": "string"}}).is_valid("x"),
    "a refused schema": lambda: refuse(baton.schema.Validator, {"type": "objekt"}),
    "a schema that is not JSON": lambda: refuse(baton.schema.Validator, b"{"),
    "a valid value": lambda: VALIDATOR.is_valid({"a": [1, "x", 1.5, None, 10**30]}),
    "a valid text": lambda: VALIDATOR.is_valid(b'{"a":[1,"x"]}'),
    "findings of a value": lambda: VALIDATOR.findings({"b": 1}),
    "findings of a text that is not JSON": lambda: VALIDATOR.findings(b"{"),
    "a value that is not JSON": lambda: refuse(VALIDATOR.is_valid, {"a": [object()]}),
    "a pickle": lambda: pickle.loads(pickle.dumps(baton.check(b"{}", "universal"))),
}


def growth(work):
    """How many blocks each round adds. What is lost is lost in every turn, so the least counts: caches fill only once."""
    least = float("inf")
    for _ in range(TURNS):
        gc.collect()
        before = blocks_in_use()
        for _ in range(ROUNDS):
            work()
        gc.collect()
        least = min(least, (blocks_in_use() - before) / ROUNDS)
    return least


class Leaks(unittest.TestCase):
    def test_no_call_loses_memory(self):
        for name, work in WORK.items():
            with self.subTest(work=name):
                self.assertLess(growth(work), 0.5)

    def test_a_block_that_is_kept_is_counted(self):
        self.assertGreaterEqual(growth(lambda: KEPT.append(bytearray(1000))), 1)
