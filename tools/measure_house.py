#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""measure_house.py ROOT [--list NUMBER] - count what the design of the tree limits.

Prints one line `NAME COUNT` for each number; --list prints the places that were counted for one of them. The tree is
formatted by clang-format, so declarations are found by their shape and not by a parser.
"""
import argparse
import collections
import pathlib
import re
import sys

import csource

LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')
DIALECTS = ("plan universal contract governed response xml organism manifest lock boundaries prompt config").split()
DIALECT_TEXT = r'BT_STR(?:_INIT)?\("(' + "|".join(DIALECTS) + r')"\)'
RULE_LOOKUP = re.compile(r"(^|/)(rules|governed_record_rules)\.c$")
NOT_CODES = {("src/dialect/contract/text.c", "APPROVAL_REQUEST")}  # the status of a plan, on the wire
MEMBERS_MAX = 20
TAG = re.compile(r"^\s*(?:static const |static |typedef |const )?(struct|union|enum) (\w+) \{", re.M)


class Tree:
    """The C files of src/ and app/, and the public headers, read once."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.sources = {self._short(p): p.read_text() for p in csource.files(root, ["src", "app"], {".c", ".h"})}
        self.public = {self._short(p): p.read_text() for p in csource.files(root, ["include"], {".h"})}
        self.code = {name: csource.blank(text) for name, text in {**self.sources, **self.public}.items()}

    def _short(self, path):
        return path.relative_to(self.root).as_posix()

    def grep(self, pattern, texts, skip=()):
        """path:line of every match, with the text that matched."""
        for name, text in texts.items():
            if name in skip:
                continue
            for match in re.finditer(pattern, text, re.M):
                yield f"{name}:{csource.line_of(text, match.start())}: {match.group(0).strip()}"


def lines(tree):
    tables = csource.files(tree.root, ["src", "app"], {".rules", ".ops"})
    counts = [(name, text.count("\n")) for name, text in tree.sources.items()]
    counts += [(path.name, path.read_text().count("\n")) for path in tables]
    return [f"{name}: {count}" for name, count in counts], sum(count for _, count in counts)


def command_files(tree):
    return [name for name in tree.sources if name.startswith("app/cli/")]


def public_functions(tree):
    declared = r"^(?:BT_API|static inline)\b[^;{]*?\b(\w+)\("
    return [place for place in tree.grep(declared, {n: t for n, t in tree.code.items() if n in tree.public})]


def duplicate_tags(tree):
    homes = collections.defaultdict(list)
    for name, text in tree.code.items():
        for match in TAG.finditer(text):
            homes[match[2]].append(f"{name}:{csource.line_of(text, match.start())}")
    return [f"{tag}: {' '.join(places)}" for tag, places in sorted(homes.items()) if len(places) > 1]


def one_word_statics(tree):
    found = []
    for name, text in tree.code.items():
        for function, first, last in csource.functions(tree.sources.get(name, "")):
            head = " ".join(text.split("\n")[first - 1:last])
            if head.startswith("static") and "_" not in function and function not in ("main", "run"):
                found.append(f"{name}:{first}: {function}")
    return found


# Texts that are spelled like a dialect and mean something else: members of documents, references of entries, file names,
# reserved words of XML, values of a skill's schema_type.
NOT_DIALECTS = {
    ("src/decide/governed_decide.c", "lock"), ("src/decide/governed_decide.c", "manifest"),
    ("src/dialect/governed/governed_root.c", "boundaries"), ("src/dialect/governed/lock_update.c", "boundaries"),
    ("src/dialect/governed/options.c", "manifest"), ("src/dialect/governed/options.c", "lock"),
    ("src/dialect/governed/options.c", "boundaries"), ("src/dialect/plan/footprint.c", "lock"),
    ("src/dialect/plan/trajectory.c", "plan"), ("src/dialect/universal/draft.c", "universal"),
    ("src/operation/plans.c", "plan"), ("src/operation/policy.c", "config"),
    ("src/organism/files.c", "organism"), ("src/organism/governance.c", "organism"),
    ("src/pump/introspect.c", "prompt"), ("src/report/report.c", "config"),
    ("src/skill/discover.c", "universal"), ("src/skill/lint.c", "universal"), ("src/skill/skill.c", "universal"),
    ("src/xml/namespaces.c", "xml"), ("src/xml/tag.c", "xml"),
}


def dialect_texts(tree):
    skip = {name for name in tree.sources if name == "src/engine/dialects.c" or RULE_LOOKUP.search(name)}
    found = tree.grep(DIALECT_TEXT, tree.sources, skip)
    return [place for place in found if (place.split(":")[0], place.split('"')[1]) not in NOT_DIALECTS]


def known_codes(tree):
    texts = [path.read_text() for path in csource.files(tree.root, ["src", "app"], {".rules"})]
    return {code for text in texts for code in re.findall(r"^rule (\w+)$", text, re.M) if "_" in code}


def quoted_codes(tree):
    """Codes in C, outside the tables that they are made from."""
    codes = known_codes(tree)
    found = []
    for name, text in tree.sources.items():
        for match in LITERAL.finditer(text):
            if match[1] in codes and (name, match[1]) not in NOT_CODES:
                found.append(f"{name}:{csource.line_of(text, match.start())}: {match[1]}")
    return found


def unexplained_reads(tree):
    """Calls of bt_json_read() that do not say where their text comes from."""
    found = []
    for name, text in tree.sources.items():
        for match in re.finditer(r"\bbt_json_read\(", tree.code[name]):
            line = csource.line_of(text, match.start())
            if name.startswith("src/json/") or "/* from:" in "\n".join(text.split("\n")[line - 2:line + 2]):
                continue
            found.append(f"{name}:{line}")
    return found


def large_structs(tree):
    found = []
    for name, text in tree.code.items():
        for match in re.finditer(r"^(?:typedef )?struct (\w*) ?\{\n(.*?)^\}", text, re.M | re.S):
            members = sum(line.count(",") + 1 for line in match[2].split("\n") if line.rstrip().endswith(";"))
            if members > MEMBERS_MAX:
                found.append(f"{name}:{csource.line_of(text, match.start())}: {match[1]} has {members}")
    return found


def clock_files(tree):
    return [name for name, text in tree.code.items() if "clock_gettime(" in text]


def folders_without_tests(tree):
    folders = {name.rsplit("/", 1)[0] for name in tree.sources}
    tests = {p.parent.relative_to(tree.root / "tests").as_posix() for p in (tree.root / "tests").rglob("test_*")}
    return sorted(folder for folder in folders if folder.split("/", 1)[1] not in tests and folder != "src/token/tables")


NUMBERS = {
    "files in app/cli": command_files,
    "public functions": public_functions,
    "type tags defined more than once": duplicate_tags,
    "one-word static functions": one_word_statics,
    "dialect names as text": dialect_texts,
    "rule codes quoted in C": quoted_codes,
    "bt_json_read without its source": unexplained_reads,
    "structs over 20 members": large_structs,
    "files that call clock_gettime": clock_files,
    "folders without tests": folders_without_tests,
}


def measure(root):
    """Each number with the places that it counts."""
    tree = Tree(root)
    return {"lines in src and app": lines(tree), **{name: (found, len(found)) for name, found in ((n, count(tree)) for n, count in NUMBERS.items())}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("--list")
    args = parser.parse_args()
    numbers = measure(args.root)
    if args.list:
        print("\n".join(numbers[args.list][0]))
    else:
        for name, (_, count) in numbers.items():
            print(f"{count:7,}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
