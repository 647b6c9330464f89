#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""against_tiktoken.py TOOL ROOT [TEXTS [SEED]] - counts of token_tool against npm's tiktoken, told in TAP.

Skipped unless tiktoken is installed: in the folder that BATON_NODE_MODULES names, or where
`script/bench tokens` puts it. BATON_TOKEN_TEXTS in the environment asks for more texts.
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

TEXTS = 10000
SEED = 200
SHOWN = 10

WORDS = """the of and a to in handoff token Schema JSON HTTPServer getElementById don't we'RE I'LL it's O'Brien x's naive
release-planner 2026-04-14T08:30:00Z 192.168.0.1 $1,234.56 0xDEADBEEF foo_bar.c https://example.org/a/b?c=d#e
<|endoftext|> {"a":[1,2,{"b":null}]} \t \n \r\n ... --- === /* */ // ## **bold** `code` (x) [y] 50% C++ e.g. i.e.""".split(" ")
# Characters of every class, and those that are easily taken for others.
ODD = list("'\u2019\u017f\u212as tSTdDmMlLrRvVeE019/\r\n\t \u00a0\u0085\u3000\u2028\u200b\u200d\ufeff\ufe0f\u20e3")
RANGES = [(0x20, 0x7e), (0xa0, 0x17f), (0x300, 0x36f), (0x370, 0x52f), (0x590, 0x6ff), (0x900, 0x97f), (0xe00, 0xe7f), (0x1100, 0x11ff),
          (0x1f00, 0x1fff), (0x2000, 0x206f), (0x2100, 0x218f), (0x3040, 0x30ff), (0x4e00, 0x9fff), (0xac00, 0xd7a3), (0xff00, 0xffef),
          (0x1d400, 0x1d7ff), (0x1f300, 0x1faff), (0x20000, 0x2a6df), (0x0, 0xd7ff), (0xe000, 0x10ffff)]


def character(rng):
    return chr(rng.randint(*rng.choice(RANGES)))


def part(rng):
    kind = rng.randrange(10)
    if kind < 4:
        return rng.choice(["", " ", " ", "\n", "  "]) + rng.choice(WORDS)
    if kind < 6:
        return "".join(rng.choice(ODD) for _ in range(rng.randint(1, 6)))
    if kind < 8:
        first, last = rng.choice(RANGES)
        letters = [chr(rng.randint(first, last)) for _ in range(3)]
        return "".join(rng.choice(letters) for _ in range(rng.randint(1, 12)))
    if kind < 9:
        return "".join(character(rng) for _ in range(rng.randint(1, 5)))
    return rng.choice("a-=_ .\n#*0~\u4e2d\U0001f600") * rng.choice([2, 3, 5, 16, 17, 63, 65, 130, 300])


def texts(count, seed):
    rng = random.Random(seed)
    made = ["".join(part(rng) for _ in range(rng.randint(1, 12))) for _ in range(count)]
    return [text.encode("utf-8", "replace").decode() for text in made]


def modules(root):
    places = [os.environ.get("BATON_NODE_MODULES", ""), str(pathlib.Path(root) / "build/bench/peers/node_modules")]
    return next((place for place in places if place and (pathlib.Path(place) / "tiktoken").is_dir()), None)


def ask(command, given):
    done = subprocess.run(command, input=json.dumps(given).encode(), stdout=subprocess.PIPE, check=True, timeout=600)
    return done.stdout.decode().splitlines()


def main():
    tool, root = sys.argv[1:3]
    place = modules(root)
    if not place or not shutil.which("node"):
        print("1..0 # SKIP npm's tiktoken is not installed; script/bench tokens does that")
        return 0
    count = int(sys.argv[3] if len(sys.argv) > 3 else os.environ.get("BATON_TOKEN_TEXTS", TEXTS))
    given = texts(count, int(sys.argv[4]) if len(sys.argv) > 4 else SEED)
    ours = ask([tool], given)
    theirs = ask(["node", str(pathlib.Path(__file__).parent / "reference.mjs"), place], given)
    other = [i for i in range(count) if ours[i] != theirs[i]] if len(ours) == len(theirs) == count else range(count)
    print("1..1")
    for i in list(other)[:SHOWN]:
        print(f"# {ours[i]} instead of {theirs[i]}: {given[i]!r}")
    print(f"{'not ok' if other else 'ok'} 1 - {count}_texts_count_what_tiktoken_counts ({len(other)} differ)")
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(main())
