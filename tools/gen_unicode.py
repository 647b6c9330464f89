#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_unicode.py [FOLDER] - write src/regex/unicode_data.inc: the Unicode properties that ECMA-262 names.

FOLDER holds the Unicode Character Database as Debian's package unicode-data installs it (the
default is where it does). Run by hand, the output is kept in the tree; a test compares.
Usage: tools/gen_unicode.py > src/regex/unicode_data.inc

Each set of code points is a run of bytes: for each range the gap since the last range and the
length of the range minus one, both in base 128, low digit first, high bit on all but the last.
"""
import pathlib
import re
import sys

DEFAULT = "/usr/share/unicode"
LIMIT = 0x110000

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


def encode(points):
    out, last, ordered = [], 0, sorted(points)
    i = 0
    while i < len(ordered):
        j = i
        while j + 1 < len(ordered) and ordered[j + 1] == ordered[j] + 1:
            j += 1
        out += number(ordered[i] - last) + number(j - i)
        last = ordered[j] + 1
        i = j + 1
    return bytes(out)


class Pool:
    """All encoded sets in one run of bytes, equal ones once."""

    def __init__(self):
        self.bytes = bytearray()
        self.spans = {}

    def add(self, points):
        code = encode(points)
        if code not in self.spans:
            self.spans[code] = (len(self.bytes), len(code))
            self.bytes += code
        offset, size = self.spans[code]
        return f"{{{offset}, {size}}}"


def emit_names(title, table):
    print(f"static const struct re_unicode_property {title}[] = {{")
    for name, spans in sorted(table, key=lambda row: row[0].encode()):
        print(f'    {{BT_STR_INIT("{name}"), {{{", ".join(spans)}}}}},')
    print("};\n")


def version(folder):
    return re.search(r"PropList-([0-9.]+)\.txt", (folder / "PropList.txt").read_text()).group(1)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else DEFAULT)
    pool = Pool()
    gc = categories(folder)
    sc = scripts(folder)
    binary = binaries(folder, set(range(LIMIT)) - gc["Cn"][1])
    print("/* SPDX-License-Identifier: Apache-2.0 AND Unicode-DFS-2016 */")
    print("/*")
    print(f" * unicode_data.inc - the properties of Unicode {version(folder)}; written by tools/gen_unicode.py.")
    print(" *")
    print(" * Derived from the Unicode Character Database, Copyright (c) 1991-2022 Unicode, Inc., used under")
    print(" * the Unicode License (https://www.unicode.org/license.txt). The data was re-encoded.")
    print(" */\n")
    emit_names("categories", [(name, [pool.add(points)]) for names, points in gc.values() for name in names])
    emit_names("scripts", [(name, [pool.add(plain), pool.add(extended)])
                           for names, plain, extended in sc.values() for name in names])
    emit_names("binaries", [(name, [pool.add(points)]) for names, points in binary.values() for name in names])
    print(f"static const uint8_t set_bytes[{len(pool.bytes)}] = {{")
    for i in range(0, len(pool.bytes), 24):
        print("    " + ",".join(str(byte) for byte in pool.bytes[i:i + 24]) + ",")
    print("};")


if __name__ == "__main__":
    main()
