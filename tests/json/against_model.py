#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""against_model.py TOOL [COUNT [SEED]] - patches and differences, against the plainest RFC 6902.

The model copies the whole document for every operation. Half of the operations aim at something
that exists. Results must agree byte for byte, refusals in reason and place; and the difference that
patch_tool finds, applied by the model, must lead to the second document. Told in TAP.
"""
import copy
import json
import random
import re
import subprocess
import sys

COUNT = 4000
SEED = 6902
NAMES = ["a", "b", "c", "", "~", "/", "~1", "0", "-", "01", "\u00e9"]
INDEX = re.compile(r"0|[1-9][0-9]*\Z")


class Refused(Exception):
    pass


def tokens(pointer):
    if not isinstance(pointer, str) or (pointer and pointer[0] != "/") or re.search(r"~(?![01])", pointer):
        raise Refused("ILL_FORMED")
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def key_in(container, token, last=False):
    """The key of a child; with `last`, the place after the last item is one too."""
    if isinstance(container, dict):
        if token in container or last:
            return token
    elif isinstance(container, list):
        if last and token == "-":
            return len(container)
        if INDEX.fullmatch(token) and int(token) < len(container) + last:
            return int(token)
    raise Refused("NO_TARGET")


def find(document, path):
    for token in path:
        document = document[key_in(document, token)]
    return document


def add(document, path, value):
    if not path:
        return value
    parent = find(document, path[:-1])
    key = key_in(parent, path[-1], last=True)
    if isinstance(parent, list):
        parent.insert(key, value)
    else:
        parent[key] = value
    return document


def remove(document, path):
    parent = find(document, path[:-1])
    del parent[key_in(parent, path[-1])]
    return document


def same(a, b):
    """Equal as JSON: True is not 1."""
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


def step(document, operation):
    document = copy.deepcopy(document)
    if not isinstance(operation, dict) or operation.get("op") not in ("add", "remove", "replace", "move", "copy", "test"):
        raise Refused("ILL_FORMED")
    name, path = operation["op"], tokens(operation.get("path"))
    source = tokens(operation.get("from")) if name in ("move", "copy") else None
    if name in ("add", "replace", "test") and "value" not in operation:
        raise Refused("ILL_FORMED")
    value = copy.deepcopy(operation.get("value"))
    if name == "add":
        return add(document, path, value)
    if name == "remove":
        if not path:
            raise Refused("ILL_FORMED")
        return remove(document, path)
    if name == "replace":
        find(document, path)
        if not path:
            return value
        parent = find(document, path[:-1])
        parent[key_in(parent, path[-1])] = value
        return document
    if name == "test":
        if not same(find(document, path), value):
            raise Refused("TEST")
        return document
    if name == "move" and len(path) > len(source) and path[:len(source)] == source:
        raise Refused("ILL_FORMED")
    moved = copy.deepcopy(find(document, source))
    if name == "move":
        if path == source:
            return document
        document = remove(document, source)
    return add(document, path, moved)


def apply(document, patch):
    if not isinstance(patch, list):
        return "!ILL_FORMED 0"
    for index, operation in enumerate(patch):
        try:
            document = step(document, operation)
        except Refused as reason:
            return f"!{reason} {index}"
    return dump(document)


def dump(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def make(rng, depth):
    kind = rng.random()
    if depth == 0 or kind < 0.35:
        return rng.choice([0, 1, 2, -3, True, False, None, "", "a", "\u00e9\n", [], {}])
    if kind < 0.7:
        return [make(rng, depth - 1) for _ in range(rng.randrange(5))]
    return {name: make(rng, depth - 1) for name in rng.sample(NAMES, rng.randrange(5))}


def pointer_to(rng, document):
    """A pointer to something that exists, now and then a little wrong."""
    pointer = ""
    while isinstance(document, (dict, list)) and document and rng.random() < 0.75:
        key = rng.choice(list(document) if isinstance(document, dict) else range(len(document)))
        pointer += "/" + str(key).replace("~", "~0").replace("/", "~1")
        document = document[key]
    if rng.random() < 0.3:
        pointer += "/" + rng.choice(["-", "0", "1", "a", "x", "01", "~0", ""])
    if rng.random() < 0.01:
        pointer += "~"
    return pointer


def operation(rng, document):
    made = {"op": rng.choice(["add", "add", "remove", "replace", "move", "copy", "test"]),
            "path": pointer_to(rng, document)}
    if made["op"] in ("move", "copy"):
        made["from"] = pointer_to(rng, document)
    elif made["op"] == "test" and rng.random() < 0.9:
        try:
            made["value"] = copy.deepcopy(find(document, tokens(made["path"])))
        except Refused:
            made["value"] = make(rng, 1)
    elif made["op"] != "remove":
        made["value"] = make(rng, 2)
    if rng.random() < 0.01:
        del made[rng.choice(list(made))]
    return made


def patch_for(rng, document):
    patch = []
    for _ in range(rng.randrange(12)):
        made = operation(rng, document)
        try:
            document = step(document, made)
        except Refused:
            if rng.random() < 0.8:
                continue
        patch.append(made)
    return patch, document


def complaint(a, b, answer):
    patched, difference = answer.split("\t")
    expected = apply(a, b)
    if patched != expected:
        return f"patch\n#   {dump(a)}\n#   {dump(b)}\n#   model {expected}\n#   baton {patched}"
    there = apply(a, json.loads(difference))
    if there[:1] == "!" or not same(json.loads(there), b):
        return f"diff\n#   {dump(a)}\n#   {dump(b)}\n#   baton {difference}\n#   gives {there}"
    return None


def main():
    tool = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else COUNT
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else SEED)
    pairs = []
    for _ in range(count):
        document = make(rng, 4)
        patch, result = patch_for(rng, document)
        pairs += [(document, patch), (document, result)]
    text_in = "".join(f"{dump(a)}\t{dump(b)}\n" for a, b in pairs)
    run = subprocess.run([tool], input=text_in.encode("utf-8"), stdout=subprocess.PIPE, timeout=300, check=True)
    answers = run.stdout.decode("utf-8").split("\n")[:-1]
    found = [c for c in (complaint(a, b, answer) for (a, b), answer in zip(pairs, answers)) if c]
    if len(answers) != len(pairs):
        found.append(f"{len(pairs)} pairs, {len(answers)} answers")
    applied = sum(not answer.startswith("!") for answer in answers)
    if not len(pairs) // 5 < applied < len(pairs) * 4 // 5:
        found.append(f"{applied} of {len(pairs)} patches apply: too one-sided a sample")
    print("1..1")
    print(f"{'not ' if found else ''}ok 1 - {len(pairs)} pairs are patched and told apart as the model does")
    for text in found[:10]:
        print(f"# {text}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
