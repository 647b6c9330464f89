#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_unicode.py [FOLDER] - write src/regex/unicode_data.inc: the Unicode properties that ECMA-262 names.

FOLDER holds the Unicode Character Database as Debian's package unicode-data installs it (the
default is where it does). Run by hand, the output is kept in the tree; a test compares.
Usage: tools/gen_unicode.py > src/regex/unicode_data.inc

A set of code points is given by its bounds: the first code point of each range, and the first one behind
it. Most properties differ little from others, so a set is kept as the sum of others before it and of a
rest: a code point is in the sum when it is in an odd number of them, and its bounds are those that an odd
number of them have. The bytes of a set are the number of the others, which they are, and the gaps between
the bounds of the rest, all in base 128, low digit first, high bit on all but the last.
"""
import pathlib
import re
import sys

DEFAULT = "/usr/share/unicode"
LIMIT = 0x110000
SAVED_MIN = 16  # bounds that another set must save; with fewer, sets are smaller and are sums of more

# Long and short names of the binary properties, from the table in ECMA-262 (22.2.1.4).
BINARY = """
ASCII: ; ASCII_Hex_Digit:AHex ; Alphabetic:Alpha ; Any: ; Assigned: ; Bidi_Control:Bidi_C ;
Bidi_Mirrored:Bidi_M ; Case_Ignorable:CI ; Cased: ; Changes_When_Casefolded:CWCF ;
Changes_When_Casemapped:CWCM ; Changes_When_Lowercased:CWL ; Changes_When_NFKC_Casefolded:CWKCF ;
Changes_When_Titlecased:CWT ; Changes_When_Uppercased:CWU ; Dash: ;
Default_Ignorable_Code_Point:DI ; Deprecated:Dep ; Diacritic:Dia ; Emoji: ; Emoji_Component:EComp ;
Emoji_Modifier:EMod ; Emoji_Modifier_Base:EBase ; Emoji_Presentation:EPres ;
Extended_Pictographic:ExtPict ; Extender:Ext ; Grapheme_Base:Gr_Base ; Grapheme_Extend:Gr_Ext ;
Hex_Digit:Hex ; IDS_Binary_Operator:IDSB ; IDS_Trinary_Operator:IDST ; ID_Continue:IDC ;
ID_Start:IDS ; Ideographic:Ideo ; Join_Control:Join_C ; Logical_Order_Exception:LOE ;
Lowercase:Lower ; Math: ; Noncharacter_Code_Point:NChar ; Pattern_Syntax:Pat_Syn ;
Pattern_White_Space:Pat_WS ; Quotation_Mark:QMark ; Radical: ; Regional_Indicator:RI ;
Sentence_Terminal:STerm ; Soft_Dotted:SD ; Terminal_Punctuation:Term ; Unified_Ideograph:UIdeo ;
Uppercase:Upper ; Variation_Selector:VS ; White_Space:space ; XID_Continue:XIDC ; XID_Start:XIDS
"""
BINARY_FILES = ["PropList.txt", "DerivedCoreProperties.txt", "DerivedNormalizationProps.txt",
                "extracted/DerivedBinaryProperties.txt", "emoji/emoji-data.txt"]
GROUPS = {"LC": ["Lu", "Ll", "Lt"], "C": ["Cc", "Cf", "Cs", "Co", "Cn"]}


def rows(path):
    """(first, last, fields) of each line of a file of the database."""
    for line in path.read_text(encoding="utf-8").split("\n"):
        fields = [field.strip() for field in line.split("#")[0].split(";")]
        match = re.fullmatch(r"([0-9A-F]+)(?:\.\.([0-9A-F]+))?", fields[0])
        if match and len(fields) > 1:
            first = int(match.group(1), 16)
            yield first, int(match.group(2) or match.group(1), 16), fields[1:]


def collect(path, pick):
    """Name -> set of code points, where pick(fields) gives the names that a line is about."""
    sets = {}
    for first, last, fields in rows(path):
        for name in pick(fields):
            sets.setdefault(name, set()).update(range(first, last + 1))
    return sets


def value_aliases(folder, wanted):
    """Canonical short name -> all names of the value, short one first."""
    found = {}
    for line in (folder / "PropertyValueAliases.txt").read_text(encoding="utf-8").split("\n"):
        fields = [field.strip() for field in line.split("#")[0].split(";")]
        if fields[0] == wanted:
            found[fields[1]] = list(dict.fromkeys(fields[1:]))
    return found


def categories(folder):
    sets = collect(folder / "extracted/DerivedGeneralCategory.txt", lambda fields: [fields[0]])
    names = value_aliases(folder, "gc")
    for short in names:
        if short not in sets:
            members = GROUPS.get(short) or [name for name in sets if len(name) == 2 and name[0] == short]
            sets[short] = set().union(*(sets[member] for member in members))
    return {short: (names[short], sets[short]) for short in names}


def scripts(folder):
    names = value_aliases(folder, "sc")
    short_of = {name: short for short, all_names in names.items() for name in all_names}
    plain = collect(folder / "Scripts.txt", lambda fields: [short_of[fields[0]]])
    written = set().union(*plain.values())
    plain["Zzzz"] = set(range(LIMIT)) - written
    extended = {short: set(points) for short, points in plain.items()}
    listed = collect(folder / "ScriptExtensions.txt", lambda fields: fields[0].split())
    moved = set().union(*listed.values())
    for short in extended:
        extended[short] -= moved
    for short, points in listed.items():
        extended[short] |= points
    # ECMA-262 takes the values of the database; a script without characters is none that is used.
    return {short: (names[short], points, extended[short]) for short, points in plain.items()
            if short != "Hrkt"}


def binaries(folder, assigned):
    sets = {"Any": set(range(LIMIT)), "ASCII": set(range(128)), "Assigned": assigned}
    for name in BINARY_FILES:
        for prop, points in collect(folder / name, lambda fields: fields[:1]).items():
            sets.setdefault(prop, points)
    pairs = [entry.strip().split(":") for entry in BINARY.split(";")]
    return {long: ([long] + ([short] if short else []), sets[long]) for long, short in pairs}


def number(value):
    out = []
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return out + [value]


def bounds_of(points):
    return frozenset(point for point in points if point - 1 not in points) | frozenset(point + 1 for point in points if point + 1 not in points)


class Pool:
    """All sets, equal ones once; those with few bounds come first."""

    def __init__(self, sets):
        self.sets = sorted({bounds_of(points) for points in sets}, key=lambda bounds: (len(bounds), sorted(bounds)))
        self.place_of = {bounds: place for place, bounds in enumerate(self.sets)}
        self.others, self.rests = [], []
        for place, bounds in enumerate(self.sets):
            self._divide(bounds, self.sets[:place])

    def _divide(self, rest, before):
        """Take away the set that leaves the fewest bounds, as long as that saves enough."""
        others = []
        while before:
            best = min(range(len(before)), key=lambda place: len(rest ^ before[place]))
            if len(rest ^ before[best]) + SAVED_MIN > len(rest):
                break
            others.append(best)
            rest ^= before[best]
        self.others.append(others)
        self.rests.append(sorted(rest))

    def place(self, points):
        return self.place_of[bounds_of(points)]

    def parts_max(self):
        """How many rests a set is the sum of, at most."""
        counts = []
        for place in range(len(self.sets)):
            is_part = [index == place for index in range(place + 1)]
            for index in range(place, -1, -1):
                for other in self.others[index] if is_part[index] else []:
                    is_part[other] = not is_part[other]
            counts.append(sum(is_part))
        return max(counts)

    def encode(self, place):
        gaps = [bound - before for before, bound in zip([0, *self.rests[place]], self.rests[place])]
        return bytes(digit for value in [len(self.others[place]), *self.others[place], *gaps] for digit in number(value))


def emit_names(title, table):
    print(f"static const struct re_unicode_property {title}[] = {{")
    for name, places in sorted(table, key=lambda row: row[0].encode()):
        print(f'    {{BT_STR_INIT("{name}"), {{{", ".join(map(str, places))}}}}},')
    print("};\n")


def emit_numbers(kind, title, size, numbers):
    print(f"static const {kind} {title}[{size}] = {{")
    for i in range(0, len(numbers), 24):
        print("    " + ",".join(map(str, numbers[i:i + 24])) + ",")
    print("};")


def version(folder):
    return re.search(r"PropList-([0-9.]+)\.txt", (folder / "PropList.txt").read_text()).group(1)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else DEFAULT)
    gc = categories(folder)
    sc = scripts(folder)
    binary = binaries(folder, set(range(LIMIT)) - gc["Cn"][1])
    pool = Pool([points for row in [*gc.values(), *sc.values(), *binary.values()] for points in row[1:]])
    print("/* SPDX-License-Identifier: Apache-2.0 AND Unicode-DFS-2016 */")
    print("/*")
    print(f" * unicode_data.inc - the properties of Unicode {version(folder)}; written by tools/gen_unicode.py.")
    print(" *")
    print(" * Derived from the Unicode Character Database, Copyright (c) 1991-2022 Unicode, Inc., used under")
    print(" * the Unicode License (https://www.unicode.org/license.txt). The data was re-encoded.")
    print(" */\n")
    for title, table in (("categories", gc), ("scripts", sc), ("binaries", binary)):
        emit_names(title, [(name, [pool.place(points) for points in sets]) for names, *sets in table.values() for name in names])
    codes = [pool.encode(place) for place in range(len(pool.sets))]
    print(f"/* How many sets there are, and of how many rests one is the sum, at most. */\nenum {{ SETS = {len(codes)}, PARTS_MAX = {pool.parts_max()} }};\n")
    print("/* Where the bytes of each set begin; the last number is where they end. */")
    emit_numbers("uint16_t", "set_starts", "SETS + 1", [sum(map(len, codes[:place])) for place in range(len(codes) + 1)])
    print()
    emit_numbers("uint8_t", "set_bytes", sum(map(len, codes)), list(b"".join(codes)))


if __name__ == "__main__":
    main()
