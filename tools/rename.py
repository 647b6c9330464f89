#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rename.py BUILD TABLE... [--write] - rename identifiers and files of the tree by tables.

BUILD is a configured and compiled build folder (compile_commands.json); a TABLE has the format of GLOSSARY.md section 5, with two
kinds of rows more: `v FILE OLD NEW` for variables and parameters of a file, `c OLD NEW` for constants and macros. Needs
libclang and its Python module (Debian: python3-clang-14). Without --write only the plan is printed.

Declarations and references are found by libclang, so a static function, a member or a tag is renamed only where it is meant.
Bodies of macros, comments and files that are not C are renamed by word: in comments and other files only names that begin with
bt_ or BT_. String literals and #include lines of C stay, but for the paths of moved files.

What the tables do not list follows these rules: a type of src/ or app/ without a prefix gets the names of its module and file;
functions follow their type, enum constants their enum.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import clang.cindex as ci
from clang.cindex import CursorKind as K
from ctypes import POINTER, byref, c_uint

DIALECTS = {"bt_contract", "bt_plan", "bt_universal", "bt_governed", "bt_xml"}  # functions keep these prefixes
FOREIGN = {"evp_pkey_st", "ssl_st", "ssl_ctx_st", "ZSTD_CCtx_s", "sqlite3"}
MODULES = {"src/catalogue": "skill", "src/gate": "contract", "src/govern": "governed", "src/door": "pump_net", "src/regex": "re",
           "src/dialect/xml": "message", "src/verdict": "report", "app/gateway": "serve", "app/service": "bt_op"}
PREFIXED = re.compile(r"^(bt|cli|serve|mcp|a2a|hook|http)_")
WORD = re.compile(r"[A-Za-z_]\w*")
DECLARATIONS = {K.FUNCTION_DECL: "f", K.STRUCT_DECL: "t", K.UNION_DECL: "t", K.ENUM_DECL: "t", K.ENUM_CONSTANT_DECL: "c",
                K.FIELD_DECL: "m", K.TYPEDEF_DECL: "y", K.VAR_DECL: "v", K.PARM_DECL: "v", K.MACRO_DEFINITION: "d"}
REFERENCES = {K.TYPE_REF, K.DECL_REF_EXPR, K.MEMBER_REF_EXPR, K.MEMBER_REF, K.MACRO_INSTANTIATION}
Reference = collections.namedtuple("Reference", "path offset name kind is_static home parent")


class Tables:
    """The rows of the tables, by kind."""

    def __init__(self, paths):
        self.types, self.types_in_file, self.functions, self.statics = {}, {}, {}, {}
        self.public, self.groups, self.members, self.variables, self.moves, self.folders = {}, [], {}, {}, {}, []
        for path in paths:
            self._read(path)

    def _read(self, path):
        text = pathlib.Path(path).read_text()
        if "\n## 5. Renames" in text:
            text = text.split("\n## 5. Renames")[1].split("\n### 5.3")[0]
            text = "\n".join(re.findall(r"```\n(.*?)```", text, re.S))
        section = new_section = None
        for line in text.split("\n"):
            line = re.sub(r"\s*(^|\s)#.*$", "", line).rstrip()
            header = re.match(r"^\[(.*)\]$", line)
            if header:
                section, _, new_section = header[1].partition(" -> ")
            elif line and section is None:
                self.folders.append(tuple(word.rstrip("/") for word in line.split()))
            elif line and not line.startswith("i:"):
                self._add(section, line.split())

    def _add(self, section, words):
        file = words.pop()[1:] if words[-1].startswith("@") else None
        kind = words.pop(0) if words[0] in ("F", "T", "f", "m", "s", "v", "c") else None
        if kind in ("s", "v"):
            (self.statics if kind == "s" else self.variables)[(section, words[0], words[1])] = words[2]
            return
        old, new = words[0], words[1]
        if new == "-":
            return
        if kind == "F" and new == "=":
            self.moves.pop(f"{section}/{old}", None)
            return
        if kind == "F":
            self.moves[f"{section}/{old}"] = new if "/" in new else f"{section}/{new}"
        elif "." in old and new.startswith("."):
            self.members[(section, *old.split(".", 1))] = new[1:]
        elif old.endswith("*"):
            self.groups.append((old[:-1], new[:-1]))
        elif old.endswith("()"):
            self.functions[old[:-2]] = new
        elif kind == "T" and file:
            self.types_in_file[(section, file, old)] = new
        elif kind == "T":
            self.types[(section, old)] = new
        elif kind == "f":
            self.functions[old] = new
        else:
            self.types[(section, old)] = new
            self.public[old] = new

    def moved(self, path):
        """Where a file goes, folders included."""
        path = self.moves.get(path, path)
        for old, new in self.folders:
            if path.startswith(old + "/"):
                return new + path[len(old):]
        return path


class Index:
    """Every use of a name that the tree declares."""

    def __init__(self, build):
        self.root = pathlib.Path(build).resolve()
        while not (self.root / "meson_options.txt").is_file():
            self.root = self.root.parent
        self.references, self.visited, self.texts, self.paths = set(), set(), {}, {}
        for name in ("clang_getFileLocation", "clang_getSpellingLocation"):
            getattr(ci.conf.lib, name).argtypes = [ci.SourceLocation, POINTER(ci.c_object_p)] + [POINTER(c_uint)] * 3
        self.clang = ci.Index.create()
        done = set()
        for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text()):
            path = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
            if path in done or not path.endswith(".c") or not os.path.exists(path):
                continue
            done.add(path)
            self._read_unit(path, entry)
        self._find_definitions()

    def _read_unit(self, path, entry):
        self.cwd, self.paths = entry["directory"], {}
        flags = [word for word in shlex.split(entry["command"]) if word.startswith(("-I", "-D", "-std", "-m"))]
        flags = ["-I" + os.path.normpath(os.path.join(self.cwd, word[2:])) if word.startswith("-I") else word for word in flags]
        resources = subprocess.run(["clang", "-print-resource-dir"], capture_output=True, text=True, check=True).stdout.strip() if not hasattr(self, "resources") else self.resources
        self.resources = resources
        unit = self.clang.parse(path, [*flags, f"-I{resources}/include"], options=ci.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        errors = [str(problem) for problem in unit.diagnostics if problem.severity >= 3]
        if errors:
            sys.exit(f"{path}: {errors[0]}")
        met = set()
        for cursor in unit.cursor.get_children():
            where = self._path(cursor.location.file)
            if not where or where in self.visited:
                continue
            if where != path:
                met.add(where)
            self._walk(cursor)
        self.visited |= met

    def _path(self, file):
        if not file:
            return None
        if file.name not in self.paths:
            path = os.path.normpath(os.path.join(self.cwd, file.name))
            self.paths[file.name] = path if path.startswith(f"{self.root}/") else None
        return self.paths[file.name]

    def _walk(self, cursor):
        stack = [cursor]
        while stack:
            cursor = stack.pop()
            if cursor.kind in DECLARATIONS:
                self._add(cursor, cursor)
            elif cursor.kind in REFERENCES and cursor.referenced is not None:
                self._add(cursor, cursor.referenced)
            stack.extend(cursor.get_children())

    def _places(self, location):
        """Where the word stands: as an argument of a macro, or in the macro's body."""
        for locate in (ci.conf.lib.clang_getFileLocation, ci.conf.lib.clang_getSpellingLocation):
            file, line, column, offset = ci.c_object_p(), c_uint(), c_uint(), c_uint()
            locate(location, byref(file), byref(line), byref(column), byref(offset))
            path = self._path(ci.File(file)) if file else None
            if path:
                yield path, offset.value

    def _stands_at(self, name, path, offset):
        if path not in self.texts:
            self.texts[path] = pathlib.Path(path).read_bytes()
        match = re.compile(rb"\w+").match(self.texts[path], offset)
        return bool(match) and match[0] == name.encode()

    def _add(self, cursor, declared):
        kind = DECLARATIONS.get(declared.kind)
        name = declared.spelling
        if not kind or not name or not self._path(declared.location.file):
            return
        place = next((p for p in self._places(cursor.location) if self._stands_at(name, *p)), None)
        if not place:
            return
        is_defined = True
        if kind == "t":
            is_defined = declared.get_definition() is not None
            declared = declared.get_definition() or declared
        home = self._path(declared.location.file)
        if not home:
            return
        parent = self._parent(declared) if kind in "mc" else ""
        is_static = kind in "fv" and declared.storage_class == ci.StorageClass.STATIC
        self.references.add(Reference(self._short(place[0]), place[1], name, kind, is_static, ("" if is_defined else "?") + self._short(home), parent))

    @staticmethod
    def _parent(declared):
        parent = declared.semantic_parent
        while parent is not None and not parent.spelling and parent.kind in (K.STRUCT_DECL, K.UNION_DECL):
            parent = parent.semantic_parent
        return parent.spelling if parent is not None and parent.kind in (K.STRUCT_DECL, K.UNION_DECL, K.ENUM_DECL) else ""

    def _short(self, path):
        return path[len(str(self.root)) + 1:]

    def _find_definitions(self):
        """A tag that is only declared where it is used belongs to its one definition, or the nearest."""
        self.definitions = collections.defaultdict(set)
        for use in self.references:
            if use.kind == "t" and not use.home.startswith("?"):
                self.definitions[use.name].add(use.home)
        self.references = {use._replace(home=self._nearest(use)) if use.home.startswith("?") else use for use in self.references}

    def _nearest(self, use):
        home = use.home[1:]
        found = [d for d in self.definitions[use.name] if not d.startswith(("tests/", "fuzz/", "bench/"))] or sorted(self.definitions[use.name])
        if len(found) <= 1:
            return found[0] if found else home
        near = [d for d in found if os.path.dirname(d) == os.path.dirname(home)] or [d for d in found if pathlib.Path(home).stem in d]
        return near[0] if near else home


class Names:
    """What each name becomes."""

    def __init__(self, tables, index):
        self.tables, self.index = tables, index
        self.known, self.made_types, self.derived = {}, {}, {}
        prefixes = [(old + "_", new + "_") for (_, old), new in tables.types.items()
                    if old.startswith("bt_") and old not in DIALECTS and old in index.definitions]
        self.prefixes = sorted(prefixes, key=lambda row: -len(row[0]))

    def new(self, use):
        if use.kind == "t":
            return self.tag(use.name, use.home)
        if use.kind == "f":
            return self._function(use)
        if use.kind == "c":
            return self._constant(use)
        if use.kind == "m":
            return self._member(use)
        if use.kind == "y":
            return self.tag(use.name, use.home) if PREFIXED.match(use.name) or (os.path.dirname(use.home), use.name) in self.tables.types else None
        if use.kind == "v":
            return self.tables.variables.get((*os.path.split(use.home), use.name)) or self.tables.public.get(use.name)
        return self.tables.public.get(use.name) or self.tables.functions.get(use.name)

    def tag(self, name, home):
        if (name, home) not in self.known:
            self.known[(name, home)] = self._tag(name, home)
        return self.known[(name, home)]

    def _tag(self, name, home):
        folder, base = os.path.split(home)
        types = self.tables.types
        if (folder, base, name) in self.tables.types_in_file:
            return self.tables.types_in_file[(folder, base, name)]
        for key in ((home, name), (folder, name)):
            if key in types:
                return types[key]
        found = {new for (_, old), new in types.items() if old == name}
        if len(found) == 1 and len(self.index.definitions[name]) <= 1 and PREFIXED.match(name):
            return found.pop()
        if not home.startswith(("src/", "app/")) or PREFIXED.match(name) or name in FOREIGN:
            return None
        stem = pathlib.Path(self.tables.moved(home)).stem.replace("cmd_", "").replace("inside", "")
        words = []
        for word in "_".join((MODULES.get(folder, folder.split("/")[-1]), stem, name)).split("_"):
            if word and word not in words:
                words.append(word)
        self.made_types[(home, name)] = "_".join(words)
        return self.made_types[(home, name)]

    def _function(self, use):
        tables = self.tables
        if use.is_static:
            folder, base = os.path.split(use.home)
            return tables.statics.get((folder, base, use.name)) or (tables.functions.get(use.name) if PREFIXED.match(use.name) else None)
        if use.name in tables.functions or use.name in tables.public:
            return tables.functions.get(use.name) or tables.public[use.name]
        for old, new in tables.groups + self.prefixes:
            if use.name.startswith(old):
                self.derived[use.name] = new + use.name[len(old):]
                return self.derived[use.name]
        return None

    def _constant(self, use):
        if use.name in self.tables.public:
            return self.tables.public[use.name]
        for old, new in self.tables.groups:
            if old.isupper() and use.name.startswith(old):
                return new + use.name[len(old):]
        new = self.tag(use.parent, use.home) if use.parent else None
        if new and use.name.startswith(use.parent.upper() + "_"):
            return new.upper() + use.name[len(use.parent):]
        return None

    def _member(self, use):
        folder = os.path.dirname(use.home)
        found = {section: new for (section, tag, member), new in self.tables.members.items() if (tag, member) == (use.parent, use.name)}
        return found.get(folder) or found.get(use.home) or (next(iter(found.values())) if len(found) == 1 else None)


class Plan:
    """Edits of C files by offset, the names that are renamed everywhere, and what looks wrong."""

    def __init__(self, names, index):
        self.index, self.edits, self.used = index, collections.defaultdict(dict), collections.Counter()
        self.everywhere, self.tags, self.problems = {}, collections.defaultdict(dict), []
        after = collections.defaultdict(set)
        for use in sorted(index.references):
            new = names.new(use)
            if use.kind == "f":
                after[(use.path if use.is_static else "", new or use.name)].add(use.name)
            if not new or new == use.name or use.path.startswith("build/"):
                continue
            self.edits[use.path][use.offset] = (use.name, new)
            self.used[(use.kind, use.name, new)] += 1
            if use.kind == "t":
                self.tags[use.name][use.home] = new
            elif use.kind in "fcyd" and not use.is_static:
                self.everywhere[use.name] = new
        for name, rows in self.tags.items():  # definitions of the same tag that keep it count where they are near
            for home in index.definitions[name]:
                rows.setdefault(home, name)
        for (path, name), old in after.items():
            if len(old) > 1:
                self.problems.append(f"{path or 'tree'}: {' and '.join(sorted(old))} become {name}")
        for (kind, _, tag), _ in list(self.used.items()):
            homes = {(old, home) for old, rows in self.tags.items() for home, new in rows.items() if kind == "t" and new == tag}
            if len(homes) > 1:
                self.problems.append(f"tag {tag} is made twice: {sorted(homes)}")

    def word(self, name, before, path):
        """What a word becomes where libclang cannot tell: in a macro's body, a comment or another file."""
        if re.search(r"\b(struct|union|enum)\s+$", before) and name in self.tags:
            rows = self.tags[name]
            near = [new for home, new in rows.items() if os.path.dirname(home) == os.path.dirname(path)]
            return near[0] if near else next(iter(rows.values())) if len(set(rows.values())) == 1 else name
        if re.search(r"(\.|->)\s*$", before):
            return name
        return self.everywhere.get(name, name)


def c_text(plan, path, text):
    """A C file with its edits, its macro bodies and its comments renamed. Offsets count bytes."""
    edits, data, out, last = plan.edits.get(path, {}), text.encode(), [], 0
    for offset in sorted(edits):
        old, new = edits[offset]
        out += [data[last:offset], b"\0", new.encode(), b"\0"]
        last = offset + len(old.encode())
    text = b"".join([*out, data[last:]]).decode()

    def by_word(piece, only_prefixed):
        def replace(match):
            name = match[0]
            if only_prefixed and not re.match(r"(bt|BT)_", name):
                return name
            return plan.word(name, piece[max(0, match.start() - 20):match.start()].replace("\0", ""), path)
        return "\0".join(part if i % 2 else WORD.sub(replace, part) for i, part in enumerate(piece.split("\0")))

    pieces = re.split(r'(/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^[ \t]*#[ \t]*define\b(?:\\\n|[^\n])*)', text, flags=re.S | re.M)
    for i in range(1, len(pieces), 2):
        if pieces[i].startswith("/*"):
            pieces[i] = by_word(pieces[i], True)
        elif not pieces[i].startswith('"'):
            parts = re.split(r'("(?:\\.|[^"\\\n])*")', pieces[i])
            pieces[i] = "".join(part if j % 2 else by_word(part, False) for j, part in enumerate(parts))
    return "".join(pieces).replace("\0", "")


def include_paths(tables, root, path, text):
    """#include lines with the paths of moved files."""
    bases = (os.path.dirname(path), "src", "app", "include", "tests", os.path.dirname(os.path.dirname(path)))

    def replace(match):
        for base in bases:
            found = os.path.normpath(os.path.join(base, match[2]))
            if (root / found).is_file() and tables.moved(found) != found:
                moved, here = tables.moved(found), os.path.dirname(tables.moved(path))
                for top in ("src/", "app/"):
                    if moved.startswith(top) and base in ("src", "app"):
                        return f'{match[1]}{moved[len(top):]}{match[3]}'
                return f"{match[1]}{os.path.relpath(moved, here)}{match[3]}"
        return match[0]
    return re.sub(r'^(\s*#\s*include\s+")([^"]+)(")', replace, text, flags=re.M)


def guard(path):
    """The guard of a header, as check_headers.py wants it."""
    return re.sub(r"\W", "_", path[len("include/"):] if path.startswith("include/") else "baton/" + path).upper()


def guard_text(tables, path, text):
    """A header with the guard of the place where it goes."""
    return re.sub(rf"\b{guard(path)}\b", guard(tables.moved(path)), text)


def build_text(tables, path, text):
    """A meson.build with the names of moved files of its own folder."""
    folder = os.path.dirname(path)

    def replace(match):
        moved = tables.moved(f"{folder}/{match[1]}")
        return f"'{os.path.basename(moved)}'" if os.path.dirname(moved) == os.path.dirname(tables.moved(f"{folder}/x")) else match[0]
    return re.sub(r"'([\w.-]+\.[ch])'", replace, text)


def own_name(tables, path, text):
    """A C file whose first comment names it, with its new name."""
    old, new = os.path.basename(path), os.path.basename(tables.moved(path))
    return text.replace(f"\n * {old} - ", f"\n * {new} - ", 1) if old != new else text


def mentioned_paths(tables, path, text):
    """Any text with the new paths of moved files: whole paths, and bare names in the page of their folder."""
    for old in sorted(tables.all_moves, key=len, reverse=True):
        new = tables.all_moves[old]
        text = re.sub(rf"(?<![\w/]){re.escape(old)}\b", new, text)
        if os.path.basename(path) == "README.md" and os.path.dirname(path) == os.path.dirname(old):
            text = text.replace(f"`{os.path.basename(old)}`", f"`{os.path.basename(new)}`")
    for old, new in tables.folders:
        text = re.sub(rf"(?<![\w/]){re.escape(old)}(?=[/`'\"\s,.)]|$)", new, text)
    return text


def move(root, tables):
    """Move files and folders, and change every mention of their paths."""
    files = tracked(root)
    tables.all_moves = {path: tables.moved(path) for path in files if tables.moved(path) != path}
    for path in files:
        file = root / path
        if file.is_symlink() or path == "CHANGELOG.md" or path.startswith("tools/rename"):
            continue
        if path.endswith((".c", ".h", ".inc")):
            old = file.read_text()
            new = own_name(tables, path, guard_text(tables, path, include_paths(tables, root, path, old)))
        elif path.endswith((".py", ".md", ".build", ".sh", ".txt")) or path in ("src/LAYERS",) or path.startswith("script/"):
            old = file.read_text()
            new = build_text(tables, path, old) if path.endswith("meson.build") else old
        else:
            continue
        new = mentioned_paths(tables, path, new)
        if new != old:
            file.write_text(new)
    for old, new in tables.all_moves.items():
        (root / new).parent.mkdir(parents=True, exist_ok=True)
        if (root / new).exists():
            print(f"problem: {new} exists, {old} stays")
            continue
        subprocess.run(["git", "mv", old, new], cwd=root, check=True)


def tracked(root):
    return subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout.split("\n")[:-1]


def write(root, plan, tables):
    words = re.compile(r"\b(?:bt|BT)_\w+")
    indexed = {use.path for use in plan.index.references}
    for path in tracked(root):
        file = root / path
        if file.is_symlink():
            continue
        if path.endswith((".h", ".inc")) or path in indexed:
            old = file.read_text()
            new = guard_text(tables, path, include_paths(tables, root, path, c_text(plan, path, old)))
        elif path.endswith((".c", ".cpp", ".py", ".md", ".mjs", ".build", ".sh")) and path not in ("CHANGELOG.md", "tools/rename.py"):
            old = file.read_text()
            new = words.sub(lambda m: plan.everywhere.get(m[0]) or (next(iter(set(plan.tags[m[0]].values()))) if len(set(plan.tags.get(m[0], {}).values())) == 1 else m[0]), old)
            new = build_text(tables, path, new) if path.endswith("meson.build") else new
        else:
            continue
        if new != old:
            file.write_text(new)
    for path in tracked(root):
        target = tables.moved(path)
        if target != path:
            (root / target).parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(["git", "mv", path, target], cwd=root, check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--no-moves", action="store_true")
    parser.add_argument("--only-moves", action="store_true", help="BUILD is the root of the tree")
    args = parser.parse_args()
    tables = Tables(args.tables)
    if args.only_moves:
        move(pathlib.Path(args.build), tables)
        return 0
    index = Index(args.build)
    if args.no_moves:
        tables.moves, tables.folders = {}, []
    names = Names(tables, index)
    plan = Plan(names, index)
    for (kind, old, new), count in sorted(plan.used.items()):
        print(f"{kind} {old} -> {new} ({count})")
    for (home, old), new in sorted(names.made_types.items()):
        print(f"made: {home} {old} -> {new}")
    for problem in plan.problems:
        print(f"problem: {problem}")
    if args.write:
        write(index.root, plan, tables)
    return 0


if __name__ == "__main__":
    sys.exit(main())
