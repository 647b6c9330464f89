#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hostile.py FOLDER | hostile.py FOLDER TEST - write pairs of schema and instance that make validators slow, crash or
answer wrongly, as FOLDER/NAME.{s,i}.json; or write them into an empty folder below FOLDER and run TEST on it."""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def hexadecimal(rng, digits):
    return f"{rng.getrandbits(4 * digits):0{digits}x}"


def patterns():
    """Patterns on which a backtracking matcher takes exponential or cubic time, or one too many frames."""
    for length in (28, 40, 100):
        tail = "a" * length + "!"
        yield f"redos1_{length}", {"pattern": "^(a+)+$"}, tail
        yield f"redos2_{length}", {"pattern": "^([a-zA-Z0-9]+\\s?)*$"}, tail
        yield f"redos3_{length}", {"pattern": "^(a|aa)+$"}, tail
        yield f"redos4_{length}", {"pattern": "^(.*,){11}P$"}, ",".join(map(str, range(length)))
        yield f"redos5_{length}", {"pattern": "(x+x+)+y"}, "x" * length
    yield "redos_not", {"not": {"pattern": "^(a|aa)+$|^(a|aa)+!$"}}, "a" * 60 + "!"
    for length in (1000, 10000, 100000):
        yield f"long{length}", {"pattern": "^(?:a|b)*$"}, "ab" * (length // 2)
        yield f"longg{length}", {"pattern": "^(a|b|[cd])+$"}, "ab" * (length // 2)
    yield "dotnl", {"pattern": "^.*$"}, "a\nb"
    yield "dotnl2", {"pattern": "^a.b$"}, "a\nb"
    yield "dotplus", {"pattern": "^.+$"}, "\n"


def numbers():
    """Numbers that a double cannot hold; instances are texts, since Python's would not hold them either."""
    yield "bigint_max", {"maximum": 18446744073709551615}, "18446744073709551616"
    yield "eqbig", {"const": 9007199254740993}, "9007199254740992"
    yield "eqbig2", {"const": 9007199254740993}, "9007199254740992.0"
    yield "exphuge", {"multipleOf": 7}, "1e100000000"
    yield "intbig", {"type": "integer"}, "123456789012345678901234567890"
    yield "intfloat", {"type": "integer"}, "1e400"
    yield "mult", {"multipleOf": 0.0001}, "0.0075"
    yield "mult2", {"multipleOf": 0.01}, "4.35"


def nested():
    """Depth, and two branches at every level, which is exponential for whoever tries both again."""
    for depth in (50, 90, 120, 200):
        yield (f"depth{depth}", {"type": "object", "properties": {"c": {"$ref": "#"}}, "additionalProperties": False},
               '{"c":' * depth + "{}" + "}" * depth)
    for depth in (10, 16, 20, 22):
        array = {"type": "array", "items": {"$ref": "#/$defs/n"}}
        both = {"anyOf": [{**array, "minItems": 0}, {**array, "maxItems": 99}]}
        yield f"exp{depth}", {"$ref": "#/$defs/n", "$defs": {"n": both}}, "[" * depth + '"x"' + "]" * depth


def large(rng):
    """Many members, items, alternatives: quadratic for whoever compares each with all others."""
    yield "bigenum", {"enum": [hexadecimal(rng, 16) for _ in range(2000)]}, "z" * 16
    yield "bigenum_arr", {"items": {"enum": [*(hexadecimal(rng, 50) for _ in range(2000)), 1]}}, [1] * 10000
    names = {f"property_{i}": i for i in range(2000)}
    yield "bigobj", {"type": "object", "properties": {name: {"type": "integer"} for name in names}, "additionalProperties": False}, names
    for count in (100, 1000):
        either = [{"patternProperties": {"^a": True}}, {"patternProperties": {"^b": True}}]
        yield f"uneval{count}", {"anyOf": either, "unevaluatedProperties": False}, {f"{'ab'[i % 2]}{i}": i for i in range(count)}
    for count in (100, 1000, 5000):
        either = [{"prefixItems": [True]}, {"contains": {"type": "integer"}}]
        yield f"unevalitems{count}", {"anyOf": either, "unevaluatedItems": False}, list(range(count))
    unique = {"uniqueItems": True}
    for count in (1000, 10000, 30000):
        yield f"uniq_int{count}", unique, rng.sample(range(10**9), count)
        yield f"uniq_str{count}", unique, [hexadecimal(rng, 16) for _ in range(count)]
    for count in (1000, 10000):
        yield f"uniq_obj{count}", unique, [{"id": hexadecimal(rng, 16), "v": i % 7} for i in range(count)]


def pairs():
    """(name, schema, the instance's text)"""
    texts = {name for name, *_ in (*numbers(), *nested())}
    for name, schema, instance in (*patterns(), *numbers(), *nested(), *large(random.Random(1))):
        yield name, {**schema, "$schema": DRAFT}, instance if name in texts else json.dumps(instance)
    yield "dupkeys", {"type": "object", "properties": {"a": {"type": "integer"}}, "maxProperties": 1, "$schema": DRAFT}, '{"a":"x","a":1}'


def write(folder):
    for name, schema, text in pairs():
        (folder / f"{name}.s.json").write_text(json.dumps(schema))
        (folder / f"{name}.i.json").write_text(text)


def main():
    if len(sys.argv) == 2:
        return write(pathlib.Path(sys.argv[1]))
    with tempfile.TemporaryDirectory(prefix="hostile-", dir=sys.argv[1]) as folder:
        write(pathlib.Path(folder))
        return subprocess.run([sys.argv[2], folder], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
