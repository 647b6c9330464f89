#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""against_node.py TOOL [COUNT [SEED]] - the forms that forms_tool writes, against JavaScript's own.

Documents are generated as text, so that every spelling of numbers and strings occurs. The canonical
and the JSON.stringify form must agree with node's byte for byte; the compact form must keep what
was written and mean the same. Told in TAP.
"""
import fractions
import json
import pathlib
import random
import shutil
import struct
import subprocess
import sys

COUNT = 6000
SEED = 8785

NUMBERS = """
0 -0 0.0 -0.0 0e5 -0e-5 1 -1 1.0 1e0 1E+2 1e-2 10 100 0.1 0.30 1.50 123e-2 5e-324 4e-324 3e-324 2e-324
2.4703282292062327e-324 2.4703282292062328e-324 1e-323 2.2250738585072011e-308 2.2250738585072014e-308
2.225073858507201e-308 1.7976931348623157e308 1.7976931348623158e308 1.7976931348623159e308 1e308 1e309
-1e309 1e400 1e-400 -1e-400 1e99999999999999999999 1e-99999999999999999999 0e99999999999999999999
9007199254740991 9007199254740992 9007199254740993 9007199254740993.0 9007199254740994 -9007199254740993
9007199254740992.5 9007199254740993.00000000000000000000001 18014398509481985 18014398509481987
9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809
18446744073709551615 18446744073709551616 12345678901234567890 123456789012345680000
1e20 1e21 1e22 1e23 999999999999999999999 999999999999999999999.9 1000000000000000000000 1e-5 1e-6 1e-7
0.000001 0.0000001 0.00000123 123456.789e-10 5e-7 4.35 0.3 2.675 1.005 8.41e21 9.5e21 2e-3
333333333.3333333 333333333.33333329 1e27 4.50 2e-3 0.000000000000000000000000001 6.02214076e23
1.7976931348623158079372897140530341507993413271003782693617377898044497
""".split()

CHARACTERS = ["a", "b", "Z", "0", " ", "/", "~", "\u007f", "\u0080", "\u00e9", "\u2028", "\u2029", "\ud7ff",
              "\ue000", "\ufb33", "\uffff", "\U00010000", "\U0001f600", "\U0010ffff"]
SPECIAL = ['"', "\\", "\b", "\f", "\n", "\r", "\t", "\0", "\x1f", "\ud800", "\udbff", "\udc00", "\udfff"]
NAMES = ["", "a", "b", "aa", "0", "1", "2", "9", "10", "01", "-1", "1.5", "4294967294", "4294967295", "4294967296",
         "__proto__", "constructor", "toJSON", "length", "\u20ac", "\r", "\ufb33", "\U0001f600", "\u0080",
         "\u00f6", "abcd", "abcde", "abcd\uffff", "abcd\U00010000"]


def halfway(rng):
    """The exact middle between two doubles, or a hair beside it."""
    bits = rng.getrandbits(62) if rng.random() < 0.7 else rng.getrandbits(rng.randrange(1, 54))
    low, high = (struct.unpack("<d", struct.pack("<Q", b))[0] for b in (bits, bits + 1))
    middle = (fractions.Fraction(low) + fractions.Fraction(high)) / 2
    places = middle.denominator.bit_length() - 1
    digits = str(middle.numerator * 5 ** places)
    tail = rng.choice(["", "", "0" * 20, "0" * 30 + "1"])
    return f"{digits}{tail}e{-places - len(tail)}"


def number(rng):
    kind = rng.randrange(7)
    if kind == 0:
        return rng.choice(NUMBERS)
    if kind == 1:
        return halfway(rng)
    if kind == 2:
        return str(rng.randrange(-2 ** rng.randrange(1, 70), 2 ** rng.randrange(1, 70)))
    if kind == 3:
        digits = "".join(rng.choice("0123456789") for _ in range(rng.randrange(1, 40)))
        return f"{rng.choice(['', '-'])}{rng.randrange(10)}.{digits}e{rng.choice(['', '+', '-'])}{rng.randrange(330)}"
    if kind == 4:
        return f"{rng.randrange(1000)}.{rng.randrange(1000)}"
    value = struct.unpack("<d", struct.pack("<Q", rng.getrandbits(64)))[0]
    if value != value or abs(value) == float("inf"):
        return "0.5"
    return repr(value) if kind == 5 else f"{value:.{rng.randrange(10, 25)}e}"


def escaped(unit, rng):
    return "\\u" + format(unit, rng.choice(["04x", "04X"]))


def units(character):
    raw = character.encode("utf-16-be", "surrogatepass")
    return struct.unpack(f">{len(raw) // 2}H", raw)


def spell(text, rng):
    """A string literal for the text, in one of its many spellings."""
    short = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    literal = ""
    for character in text:
        must = character in SPECIAL
        if character in short and rng.random() < 0.5:
            literal += short[character]
        elif must or rng.random() < 0.2:
            literal += "".join(escaped(unit, rng) for unit in units(character))
        else:
            literal += character
    return f'"{literal}"'


def text(rng):
    pool = CHARACTERS + (SPECIAL[:9] if rng.random() < 0.4 else []) + (SPECIAL[9:] if rng.random() < 0.05 else [])
    long = rng.random() < 0.02
    joined = "".join(rng.choice(pool) for _ in range(rng.randrange(2000 if long else 12)))
    # A high and a low surrogate side by side are one character, whichever way they came together.
    return joined.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")


def blank(rng):
    return rng.choice(["", "", "", " ", "\t", "  \r"])


def name(rng):
    kind = rng.random()
    if kind < 0.5:
        return rng.choice(NAMES)
    return str(rng.getrandbits(rng.randrange(1, 34))) if kind < 0.7 else text(rng)


def value(rng, depth):
    kind = rng.random()
    if depth == 0 or kind < 0.45:
        return rng.choice([lambda: number(rng), lambda: number(rng), lambda: spell(text(rng), rng),
                           lambda: rng.choice(["null", "true", "false", "[]", "{}"])])()
    inner = [value(rng, depth - 1) for _ in range(rng.randrange(20 if rng.random() < 0.05 else 6))]
    if kind < 0.65:
        return "[" + ",".join(blank(rng) + item + blank(rng) for item in inner) + "]"
    names = {name(rng): item for item in inner}
    return "{" + ",".join(f"{blank(rng)}{spell(key, rng)}{blank(rng)}:{blank(rng)}{item}{blank(rng)}"
                          for key, item in names.items()) + "}"


def documents(count, rng):
    yield from NUMBERS
    for _ in range(count - len(NUMBERS)):
        yield blank(rng) + value(rng, rng.randrange(7)) + blank(rng)


def lines_of(command, text_in):
    run = subprocess.run(command, input=text_in, stdout=subprocess.PIPE, timeout=300, check=True)
    return run.stdout.decode("utf-8").split("\n")[:-1]


def kept(document):
    """The document without blanks, as Python reads it: numbers by their letters, order and all."""
    return json.loads(document, parse_int=str, parse_float=str, object_pairs_hook=list)


def complaints(inputs, ours, theirs):
    if not len(inputs) == len(ours) == len(theirs):
        yield f"{len(inputs)} documents, {len(ours)} answers, {len(theirs)} expected"
        return
    for document, answer, expected in zip(inputs, ours, theirs):
        forms = answer.split("\t")
        if forms[:2] != expected.split("\t") or len(forms) != 3:
            yield f"document {document!r}\n#   node  {expected!r}\n#   baton {answer!r}"
        elif kept(forms[2]) != kept(document):
            yield f"document {document!r}\n#   compact {forms[2]!r}"


def main():
    tool = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else COUNT
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else SEED
    node = shutil.which("node")
    if not node:
        print("1..0 # SKIP node is not installed")
        return 0
    inputs = list(documents(count, random.Random(seed)))
    text_in = "".join(document + "\n" for document in inputs).encode("utf-8")
    reference = pathlib.Path(__file__).with_name("reference.mjs")
    found = list(complaints(inputs, lines_of([tool], text_in), lines_of([node, str(reference)], text_in)))
    print("1..1")
    print(f"{'not ' if found else ''}ok 1 - {len(inputs)} documents have the forms that node gives them")
    for complaint in found[:10]:
        print(f"# {complaint}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
