#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_abi.py OLD NEW - whether programs that were made for the description OLD work with the library of NEW, exit 0 or 1.

Both are made by tools/describe_abi.py. Every old symbol must be there with its version and type, and every old type of the stable
headers with the same members at the same offsets. Growth is allowed at the end of sized structs, whose first member is `uint32_t
size`, and of enums.
"""
import pathlib
import sys
import xml.etree.ElementTree

import csource

STABLE = "include/baton/"
DEPTH_MAX = 32  # pointers, arrays and functions inside one another


class Description:
    def __init__(self, text):
        root = xml.etree.ElementTree.fromstring(text)
        self.symbols = {f"{row.get('name')}@{row.get('version')}" for row in root.iter("elf-symbol")}
        self.types, self.functions = {}, {}
        for row in root.iter():
            known = self.types.get(row.get("id"))
            if row.get("id") and (known is None or known.get("is-declaration-only") == "yes"):
                self.types[row.get("id")] = row
            if row.tag == "function-decl" and row.get("elf-symbol-id"):
                self.functions[row.get("elf-symbol-id").replace("@@", "@")] = row

    def stable(self):
        """{name: rows} of the types that the stable headers define; more than one row when files of the library disagree."""
        found = {}
        for row in self.types.values():
            if (row.get("filepath") or "").startswith(STABLE) and row.tag in ("class-decl", "union-decl", "enum-decl", "typedef-decl") and \
                    row.get("is-declaration-only") != "yes" and row.get("is-anonymous") != "yes":
                found.setdefault(f"{row.tag.split('-')[0]} {row.get('name')}", []).append(row)
        return found

    def name(self, identity, depth=0):
        """A type as text. Named structs, unions, enums and typedefs stand for themselves; their own rows are compared."""
        row = self.types.get(identity)
        if row is None:
            return "void"
        if depth > DEPTH_MAX:
            return "..."
        if row.tag == "pointer-type-def":
            return self.name(row.get("type-id"), depth + 1) + " *"
        if row.tag == "qualified-type-def":
            words = [word for word in ("const", "volatile", "restrict") if row.get(word) == "yes"]
            return " ".join([self.name(row.get("type-id"), depth + 1), *words])
        if row.tag == "array-type-def":
            return self.name(row.get("type-id"), depth + 1) + "".join(f"[{part.get('length')}]" for part in row.findall("subrange"))
        if row.tag == "function-type":
            return self.signature(row, depth + 1)
        if row.get("is-anonymous") == "yes":
            return f"{row.tag} {self.layout(row, depth + 1)}"
        return row.get("name")

    def signature(self, row, depth=0):
        types = [self.name(part.get("type-id"), depth) for part in row.findall("parameter")]
        return f"{self.name(row.find('return').get('type-id'), depth)} ({', '.join(types)})"

    def layout(self, row, depth=0):
        """(offset in bits, name, type) of each member."""
        members = [(part.get("layout-offset-in-bits", "0"), part.find("var-decl")) for part in row.findall("data-member")]
        return [(int(offset), member.get("name"), self.name(member.get("type-id"), depth)) for offset, member in members]


def compare_enums(name, old, new):
    before, after = ({part.get("name"): part.get("value") for part in row.findall("enumerator")} for row in (old, new))
    complaints = [f"{name}: {value} is {after.get(value, 'missing')} instead of {number}" for value, number in before.items() if after.get(value) != number]
    taken = set(before.values())
    return complaints + [f"{name}: the new value {value} has the number of another" for value, number in after.items() if value not in before and number in taken]


def compare_structs(name, old, new, before, after):
    """Rows of two descriptions, and their layouts."""
    complaints = [f"{name}: member {member[1]} at bit {member[0]} of type {member[2]} is not there" for member in before if member not in after]
    is_sized = before[:1] == [(0, "size", "uint32_t")]
    added = [member for member in after if member not in before]
    if not is_sized and (added or old.get("size-in-bits") != new.get("size-in-bits")):
        complaints.append(f"{name}: it is not a sized struct, and its size or its members changed")
    end = int(old.get("size-in-bits"))
    complaints += [f"{name}: member {member[1]} is not at the end: bit {member[0]} is below {end}" for member in added if is_sized and member[0] < end]
    if int(new.get("size-in-bits")) < end:
        complaints.append(f"{name}: it shrank from {end} to {new.get('size-in-bits')} bits")
    return complaints


def compare_types(name, old, before, new, after):
    """Rows of two descriptions."""
    if before.tag == "enum-decl":
        return compare_enums(name, before, after)
    if before.tag == "typedef-decl":
        types = old.name(before.get("type-id")), new.name(after.get("type-id"))
        return [f"{name}: {types[1]} instead of {types[0]}"] if types[0] != types[1] else []
    return compare_structs(name, before, after, old.layout(before), new.layout(after))


def check(old_text, new_text):
    old, new = Description(old_text), Description(new_text)
    complaints = [f"{symbol}: the symbol is gone" for symbol in sorted(old.symbols - new.symbols)]
    for symbol, row in sorted(old.functions.items()):
        if symbol in new.functions and old.signature(row) != new.signature(new.functions[symbol]):
            complaints.append(f"{symbol}: {new.signature(new.functions[symbol])} instead of {old.signature(row)}")
        elif symbol in new.symbols and symbol not in new.functions:
            complaints.append(f"{symbol}: its type is not described")
    types = new.stable()
    for name, rows in sorted(old.stable().items()):
        complaints += [f"{name}: the type is gone from the stable headers"] if name not in types else []
        for before in rows:
            for after in types.get(name, []):
                complaints += compare_types(name, old, before, new, after)
    if not old.symbols or not old.stable():
        complaints.append("the old description has no symbols or no types")
    return complaints


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: check_abi.py OLD NEW")
    sys.exit(csource.report(check(*(pathlib.Path(name).read_text(encoding="utf-8") for name in sys.argv[1:3]))))
