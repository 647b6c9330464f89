#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""against_node.py TOOL [PAIRS [SEED]] - answers of regex_tool against JavaScript's own RegExp.

Patterns are generated as trees, which also give subjects that nearly match them, and as plain noise,
which is about syntax. BATON_REGEX_PAIRS in the environment asks for more pairs. Told in TAP.
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

PAIRS = 5000
SEED = 262
SUBJECTS = 8
BATCH = 200
SUBJECT_LETTERS_MAX = 14  # node goes exponential on some of the patterns
NODE_SECONDS_MAX = 10

LETTERS = ["a", "b", "c", "A", "0", "1", "_", "-", " ", "\n", "\u00e9", "\u03b1", "\u2028", "\u4e2d", "\U0001f600"]
WEIGHTS = [12, 8, 4, 2, 3, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1]
SETS = {
    r"\d": "019", r"\D": "ab-", r"\w": "ab0_", r"\W": "- \u00e9", r"\s": " \n\u2028", r"\S": "ab1", ".": "ab0\u00e9",
    "[ab]": "ab", "[^ab]": "c0-", "[a-c]": "abc", "[^a-c0]": "1-_", "[]": "", "[^]": "ab\n", r"[\d-]": "01-",
    r"[\w\-]": "a_-", r"[^\s\d]": "ab", r"[\u00e0-\u4fff]": "\u00e9\u03b1\u4e2d", r"[\u{1F600}-\u{1F64F}a]": "\U0001f600a",
    r"[-a]": "-a", r"[a\]]": "a]", r"[\b]": "\b", r"[^\n]": "ab", r"[\x61-\x63]": "abc", r"[\0-\cZ]": "\n\b",
}
PROPERTIES = {
    r"\p{L}": "ab\u00e9\u03b1\u4e2d", r"\P{L}": "01-", r"\p{Lu}": "A", r"\p{Script=Greek}": "\u03b1",
    r"\p{sc=Han}": "\u4e2d", r"\p{scx=Latn}": "ab\u00e9", r"\p{Emoji}": "01\U0001f600", r"\p{Nd}": "01",
    r"\p{ASCII}": "ab0", r"\p{White_Space}": " \n\u2028", r"[\p{Ll}\d]": "ab0\u00e9", r"[^\p{L}\p{N}]": "-_ ",
    r"\p{Any}": "a\n", r"\p{ID_Continue}": "ab0_\u00e9", r"\p{gc=Ll}": "ab\u00e9", r"\p{Uppercase}": "A",
}
LOOSE = [r"\-", r"\_", r"\a", r"{", "}", "]", "{,3}", "a{2", r"\c", r"\cz", r"[\w-a]", r"\07", r"\101", r"\8", r"\z",
         r"\p", r"\u", r"\u{2}", r"\x1", r"[\c1]", r"[\1]", "(?=a)?", "(?!b)*", r"\k", r"\e", "{}", r"\00"]
NOISE = list("aab01(())[]{}^$|*+?.,-\\\\:=!<>&/") + ["(?", "(?:", "(?=", "(?!", "(?<", "(?<=", "(?<n>", "\\k<n>", "\\b", "\\d", "\\1",
         "\\u{61}", "\\u0061", "\\x61", "\\cA", "{1}", "{1,2}", "{2,1}", "{0,}", "[^", "a-", "\\p{L}", "\\0", "\u00e9", "\\ud83d\\ude00"]


class Maker:
    """Random patterns; each part comes with a function that makes text which it may match."""

    def __init__(self, rng):
        self.rng = rng
        self.groups = 0
        self.names = []
        self.loose = rng.random() < 0.2
        self.refers = rng.random() < 0.12

    def letter(self):
        return self.rng.choices(LETTERS, WEIGHTS)[0]

    def literal(self):
        text = self.letter()
        ways = [text, text]
        if ord(text) < 0x10000:
            ways.append("\\u%04x" % ord(text))
        if ord(text) < 0x100:
            ways.append("\\x%02x" % ord(text))
        if not self.loose:
            ways.append("\\u{%x}" % ord(text))
        return self.rng.choice(ways), lambda: text

    def one_of(self, table):
        source = self.rng.choice(list(table))
        return source, lambda: self.rng.choice(table[source] or "a")

    def group(self, depth):
        kind = self.rng.randrange(10)
        if kind < 4:
            self.groups += 1
            name = ""
            if self.rng.random() < 0.2:
                name = f"?<n{self.groups}>"
                self.names.append(f"n{self.groups}")
            source, sample = self.alternatives(depth - 1)
            return f"({name}{source})", sample
        source, sample = self.alternatives(depth - 1)
        if kind < 8:
            return f"(?:{source})", sample
        opening = self.rng.choice(["(?=", "(?!", "(?<=", "(?<!"])
        # What a look-ahead wants may well come next.
        return f"{opening}{source})", (sample if self.rng.random() < 0.3 else lambda: "")

    def reference(self):
        if self.names and self.rng.random() < 0.4:
            return f"\\k<{self.rng.choice(self.names)}>", lambda: self.letter()
        return f"\\{self.rng.randrange(1, self.groups + 1)}", lambda: self.rng.choice(["", "a", "ab", self.letter()])

    def atom(self, depth):
        roll = self.rng.random()
        if self.refers and self.groups and roll < 0.25:
            return self.reference()
        if depth > 0 and roll < 0.35:
            return self.group(depth)
        if roll < 0.62:
            return self.literal()
        if roll < 0.82:
            return self.one_of(SETS)
        if roll < 0.88 and not self.loose:
            return self.one_of(PROPERTIES)
        if roll < 0.94 and self.loose:
            source = self.rng.choice(LOOSE)
            return source, lambda: self.letter()
        return self.rng.choice(["^", "$", "\\b", "\\B"]), lambda: ""

    def term(self, depth):
        source, sample = self.atom(depth)
        fixed = source in ("^", "$", "\\b", "\\B") or source.startswith(("(?=", "(?!", "(?<=", "(?<!"))
        if fixed or self.rng.random() < 0.6:
            return source, sample
        low = self.rng.randrange(3)
        if len(source) < 9 and not source.startswith("(") and self.rng.random() < 0.2:
            low += 4  # enough to be counted instead of written out, where instructions are scarce
        suffix, least, most = self.rng.choice([
            ("*", 0, 3), ("+", 1, 3), ("?", 0, 1), ("{%d}" % low, low, low), ("{%d,}" % low, low, low + 2),
            ("{%d,%d}" % (low, low + 3), low, low + 3)])
        lazy = "?" if self.rng.random() < 0.2 else ""
        return source + suffix + lazy, lambda: "".join(sample() for _ in range(self.rng.randint(least, most)))

    def sequence(self, depth):
        terms = [self.term(depth) for _ in range(self.rng.choice([0, 1, 1, 2, 2, 3, 4]))]
        return "".join(source for source, _ in terms), lambda: "".join(sample() for _, sample in terms)

    def alternatives(self, depth):
        parts = [self.sequence(depth) for _ in range(self.rng.choice([1, 1, 1, 2, 3]))]
        return "|".join(source for source, _ in parts), lambda: self.rng.choice(parts)[1]()

    def pattern(self):
        source, sample = self.alternatives(3)
        if self.rng.random() < 0.5:
            source = f"^(?:{source})$" if self.rng.random() < 0.5 else f"^{source}$"
        return source, sample


def mutate(rng, text):
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        at = rng.randint(0, len(text))
        letter = rng.choices(LETTERS, WEIGHTS)[0]
        text = rng.choice([text[:at] + letter + text[at:], text[:at] + text[at + 1:], text[:at] + letter + text[at + 1:]])
    return text


def make_case(rng):
    if rng.random() < 0.1:
        pattern = "".join(rng.choice(NOISE) for _ in range(rng.randrange(1, 9)))
        return pattern, ["".join(rng.choices(LETTERS, WEIGHTS, k=rng.randrange(6))) for _ in range(2)]
    pattern, sample = Maker(rng).pattern()
    subjects = [mutate(rng, sample()) for _ in range(SUBJECTS - 2)]
    subjects += ["".join(rng.choices(LETTERS, WEIGHTS, k=rng.randrange(8))), ""]
    if rng.random() < 0.1:
        subjects.append(rng.choice(["a\ud800", "\udc00", "\ud83d", "b\udfffa"]))
    return pattern, [subject[:SUBJECT_LETTERS_MAX] for subject in subjects]


def ask_node(cases):
    """What node says, or None when it does not come back."""
    reference = pathlib.Path(__file__).with_name("reference.mjs")
    try:
        done = subprocess.run(["node", reference], input=json.dumps(cases).encode(), capture_output=True, check=True,
                              timeout=NODE_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout)


def ask_tool(tool, cases):
    request = bytearray()
    for pattern, subjects in cases:
        for kind, text in [("P", pattern)] + [("S", subject) for subject in subjects]:
            data = text.encode("utf-8", "surrogatepass")
            request += f"{kind} {len(data)}\n".encode() + data
    done = subprocess.run([tool], input=bytes(request), capture_output=True, check=True, timeout=600)
    return iter(done.stdout.decode().split("\n"))


def is_basic(text):
    return all(ord(letter) < 0xd800 or 0xdfff < ord(letter) < 0x10000 for letter in text)


def compare(cases, expected, lines, complaints):
    """The number of pairs that were compared."""
    pairs = 0
    for (pattern, subjects), truth in zip(cases, expected):
        verdict = next(lines)
        if (verdict == "ok") != (truth is not None) and not verdict.startswith("complex"):
            complaints.append(f"{pattern!r}: {verdict}, but node {'takes' if truth else 'refuses'} it")
        for index, subject in enumerate(subjects):
            answer = next(lines)
            # Without its flag JavaScript sees halves of characters, and we never do.
            if not truth or verdict != "ok" or not (truth["u"] or (is_basic(subject) and is_basic(pattern))):
                continue
            pairs += 1
            wanted = "yes" if truth["answers"][index] else "no"
            if answer not in (wanted, "limit"):
                complaints.append(f"{pattern!r} on {subject!r}: {answer}, but node says {wanted}")
    return pairs


def main():
    tool = sys.argv[1]
    wanted = int(sys.argv[2] if len(sys.argv) > 2 else os.environ.get("BATON_REGEX_PAIRS", PAIRS))
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else SEED
    if not shutil.which("node"):
        print("1..0 # SKIP node is not installed")
        return 0
    rng = random.Random(seed)
    complaints, pairs = [], 0
    while pairs < wanted:
        cases = [make_case(rng) for _ in range(BATCH)]
        expected = ask_node(cases)
        if expected is None:
            print(f"# {BATCH} patterns are skipped: node did not come back")
            continue
        pairs += compare(cases, expected, ask_tool(tool, cases), complaints)
    for complaint in complaints[:50]:
        print(f"# {complaint}")
    print("1..1")
    print(f"{'not ok' if complaints else 'ok'} 1 - {pairs} pairs get the answer that node gives (seed {seed})")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
