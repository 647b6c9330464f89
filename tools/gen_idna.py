#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_idna.py [FOLDER] - write src/schema/format_idna_data.inc: what IDNA 2008 asks about characters.

FOLDER holds the Unicode Character Database as Debian's package unicode-data installs it (the
default is where it does). Run by hand, the output is kept in the tree; a test compares.
Usage: tools/gen_idna.py > src/schema/format_idna_data.inc

These tables come out. `run_lengths` and `run_kinds` cut the code points into runs of one kind each;
`block_starts` has the first code point of every RUNS_PER_BLOCK-th run. `kinds` says what a kind is; kind 0 is every character that no
label may have, of which nothing else is asked. `pairs` has the canonical compositions of characters
that labels may have, sorted by both parts; `wholes` are the numbers of its rows in the order of the
composed character.
"""
import pathlib
import sys

from gen_unicode import DEFAULT, LIMIT, collect, rows, version

# RFC 5892 section 2.6.
EXCEPTIONS = {
    "PVALID": [0xdf, 0x3c2, 0x6fd, 0x6fe, 0xf0b, 0x3007],
    "CONTEXTO": [0xb7, 0x375, 0x5f3, 0x5f4, 0x30fb, *range(0x660, 0x66a), *range(0x6f0, 0x6fa)],
    "DISALLOWED": [0x640, 0x7fa, 0x302e, 0x302f, *range(0x3031, 0x3036), 0x303b],
}
LETTER_DIGITS = ["Ll", "Lu", "Lo", "Nd", "Lm", "Mn", "Mc"]
IGNORABLE_BLOCKS = ["Combining Diacritical Marks for Symbols", "Musical Symbols",
                    "Ancient Greek Musical Notation"]
RUNS_PER_BLOCK = 32  # keep in step with src/schema/format_idna.c
LENGTH_MAX = 65535
HYPHEN_DIGITS_LETTERS = [0x2d, *range(0x30, 0x3a), *range(0x61, 0x7b)]
BIDI = ["L", "R", "AL", "AN", "EN", "ES", "CS", "ET", "ON", "BN", "NSM"]
JOINING = {"L": "LEFT", "R": "RIGHT", "D": "DUAL", "T": "TRANSPARENT"}
SCRIPTS = {"Greek": "GREEK", "Hebrew": "HEBREW", "Hiragana": "JAPANESE", "Katakana": "JAPANESE",
           "Han": "JAPANESE"}


def first_field(folder, name):
    return collect(folder / name, lambda fields: fields[:1])


def derived_property(folder):
    """Code point -> class, for those that labels may have (RFC 5892 section 3)."""
    category = first_field(folder, "extracted/DerivedGeneralCategory.txt")
    props = first_field(folder, "PropList.txt")
    core = first_field(folder, "DerivedCoreProperties.txt")
    # Unstable(cp): changed by NFKC(casefold(NFKC(cp))).
    unstable = first_field(folder, "DerivedNormalizationProps.txt")["Changes_When_NFKC_Casefolded"]
    blocks = first_field(folder, "Blocks.txt")
    syllables = first_field(folder, "HangulSyllableType.txt")
    jamo = syllables["L"] | syllables["V"] | syllables["T"]
    ignorable = core["Default_Ignorable_Code_Point"] | props["White_Space"] | props["Noncharacter_Code_Point"]
    for name in IGNORABLE_BLOCKS:
        ignorable |= blocks[name]
    valid = set().union(*(category[name] for name in LETTER_DIGITS))
    valid -= jamo | unstable | ignorable
    valid |= set(HYPHEN_DIGITS_LETTERS)
    classes = {point: "VALID" for point in valid}
    classes.update((point, "JOINER") for point in props["Join_Control"])
    classes.update((point, "VALID") for point in EXCEPTIONS["PVALID"])
    classes.update((point, "CONTEXT") for point in EXCEPTIONS["CONTEXTO"])
    for point in EXCEPTIONS["DISALLOWED"]:
        classes.pop(point, None)
    return classes


def by_point(folder, name):
    """Code point -> the first field of its line."""
    found = {}
    for first, last, fields in rows(folder / name):
        for point in range(first, last + 1):
            found[point] = fields[0]
    return found


def describe(folder, classes):
    """Code point -> (class, bidi, joining, script, mark, combining class)."""
    bidi = by_point(folder, "extracted/DerivedBidiClass.txt")
    joining = by_point(folder, "extracted/DerivedJoiningType.txt")
    script = by_point(folder, "Scripts.txt")
    category = by_point(folder, "extracted/DerivedGeneralCategory.txt")
    combining = by_point(folder, "extracted/DerivedCombiningClass.txt")
    return {point: ("BT_IDNA_" + name,
                    "BT_BIDI_" + (bidi[point] if bidi[point] in BIDI else "OTHER"),
                    "BT_JOINING_" + JOINING.get(joining.get(point), "NONE"),
                    "BT_SCRIPT_" + SCRIPTS.get(script.get(point), "OTHER"),
                    "true" if category[point][0] == "M" else "false",
                    int(combining.get(point, 0)))
            for point, name in classes.items()}


def compositions(folder, classes):
    """(first, second, whole) of each composition whose last parts are all characters of labels."""
    excluded = first_field(folder, "DerivedNormalizationProps.txt")["Full_Composition_Exclusion"]
    parts = {}
    for line in (folder / "UnicodeData.txt").read_text(encoding="utf-8").splitlines():
        fields = line.split(";")
        mapping = fields[5].split()
        if len(mapping) == 2 and "<" not in fields[5] and int(fields[0], 16) not in excluded:
            parts[int(fields[0], 16)] = tuple(int(part, 16) for part in mapping)

    def ends(point):
        return ends(parts[point][0]) + [parts[point][1]] if point in parts else [point]

    found = [(*pair, whole) for whole, pair in parts.items() if all(end in classes for end in ends(whole))]
    # What the C code counts on: only the first part is composed itself, and not often.
    assert all(second not in parts for _, second, _ in found)
    assert all(len(ends(whole)) <= 4 for _, _, whole in found)
    # Syllables of Hangul are composed of jamo, which labels may not have.
    return sorted(found)


def emit(title, kind, cells, per_line):
    print(f"static const {kind} {title}[{len(cells)}] = {{")
    for i in range(0, len(cells), per_line):
        print("    " + " ".join(f"{cell}," for cell in cells[i:i + per_line]))
    print("};\n")


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else DEFAULT)
    classes = derived_property(folder)
    described = describe(folder, classes)
    pairs = compositions(folder, classes)
    nothing = ("BT_IDNA_NONE", "BT_BIDI_OTHER", "BT_JOINING_NONE", "BT_SCRIPT_OTHER", "false", 0)
    kinds = [nothing, *sorted(set(described.values()))]
    number = {kind: i for i, kind in enumerate(kinds)}
    runs = []
    last = None
    for point in range(LIMIT):
        kind = number[described.get(point, nothing)]
        if kind != last:
            runs.append((point, kind))
            last = kind
    runs = [(start, kind) for (first, kind), (end, _) in zip(runs, [*runs[1:], (LIMIT, 0)]) for start in range(first, end, LENGTH_MAX)]
    lengths = [end - start for (start, _), (end, _) in zip(runs, [*runs[1:], (LIMIT, 0)])]
    wholes = sorted(range(len(pairs)), key=lambda i: pairs[i][2])
    print("/* SPDX-License-Identifier: Apache-2.0 AND Unicode-DFS-2016 */")
    print("/*")
    print(f" * format_idna_data.inc - IDNA 2008 over Unicode {version(folder)}; written by tools/gen_idna.py.")
    print(" *")
    print(" * Derived from the Unicode Character Database, Copyright (c) 1991-2022 Unicode, Inc., used under")
    print(" * the Unicode License (https://www.unicode.org/license.txt). The data was re-encoded.")
    print(" */\n")
    emit("kinds", "struct bt_idna", [f"{{{', '.join(map(str, kind))}}}" for kind in kinds], 1)
    emit("run_lengths", "uint16_t", lengths, 24)
    emit("run_kinds", "uint8_t", [kind for _, kind in runs], 24)
    emit("block_starts", "uint32_t", [f"0x{start:x}" for start, _ in runs[::RUNS_PER_BLOCK]], 12)
    emit("pairs", "struct schema_format_idna_pair", [f"{{0x{a:x}, 0x{b:x}, 0x{c:x}}}" for a, b, c in pairs], 4)
    emit("wholes", "uint16_t", wholes, 20)


if __name__ == "__main__":
    main()
