#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_headers.py ROOT CC CXX - each header compiles alone and has the guard of its path; stable headers hold what may last.

Public headers as C17 and as C++17 with warnings as errors, since strangers include them with their
own flags; headers inside src/ as C17. A *_body.h is code that several files include on purpose, and no
header.

In the stable headers, those below include/, nothing is transparent but the frozen structs, whose size they assert, sized structs,
whose first member is `uint32_t size`, enums, inline functions and macros. The head has a paragraph that begins `Threads:`, and every
declaration a comment that stands alone.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys

import csource
import header_reader

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
C17 = ["-x", "c", "-std=c17", "-D_POSIX_C_SOURCE=200809L", "-Wstrict-prototypes"]
CXX17 = ["-x", "c++", "-std=c++17"]

STABLE = {"baton.h", "version.h", "base.h", "json.h", "regex.h", "schema.h", "tokens.h", "report.h", "check.h", "call.h", "receipt.h", "handler.h"}
FROZEN = {"bt_str", "bt_error", "bt_position", "bt_json_value", "bt_json_member", "bt_json_span", "bt_schema_document", "baton_call", "bt_handler",
          "bt_handler_channel"}
SIZED = {"bt_json_options", "bt_json_read_result", "bt_json_patch_options", "bt_json_patch_result", "bt_schema_options", "bt_schema_limits",
         "bt_regex_options", "bt_regex_limits", "bt_regex_compile_result", "bt_report_render_options", "bt_receipt_verify_options", "bt_report_totals"}
CALLBACKS = {"bt_schema_resolve_fn", "bt_clock_ns_fn"}  # and those of handler.h
# Macros that take something; every other one is a constant or an attribute.
MACROS = {"BT_INIT", "BT_DEPRECATED", "BT_SIZE_IS", "BT_STR", "BT_STR_INIT", "BT_STR_ARG"}
CONSTANT = re.compile(r'(\d+u?|"[^"]*"|\([\w\s+*]+\)|__attribute__\(\(.*\)\))')
SYSTEM = {"<stdbool.h>", "<stddef.h>", "<stdint.h>", "<string.h>"}
FORBIDDEN = re.compile(r"\b(FILE|time_t|struct timespec|errno|va_list|size_t \*restrict)\b")


def guard_of(path, root):
    """include/baton/json.h: BATON_JSON_H; src/json/doc.h: BATON_SRC_JSON_DOC_H."""
    public = path.is_relative_to(root / "include")
    words = path.relative_to(root / "include") if public else "baton" / path.relative_to(root)
    return re.sub(r"\W", "_", words.as_posix()).upper()


def compile_alone(command, path, root, folders):
    """The first line of complaint, or None."""
    flags = [flag for folder in folders for flag in ("-I", str(root / folder))]
    # The declaration keeps a header of macros from being an empty translation unit.
    source = f'#include "{path}"\nextern int alone;\n'
    done = subprocess.run([*command, *WARNINGS, *flags, "-fsyntax-only", "-"], input=source,
                          capture_output=True, text=True, env=dict(os.environ, LC_ALL="C"))
    if done.returncode == 0:
        return None
    errors = [line for line in done.stderr.split("\n") if "error" in line]
    return (errors or done.stderr.split("\n"))[0]


def check_alone(root, cc, cxx):
    root = pathlib.Path(root).resolve()
    complaints = []
    for path in csource.files(root, ["include", "src"], {".h"}):
        name = path.relative_to(root).as_posix()
        if name.endswith("_body.h"):
            continue
        public = name.startswith("include/")
        runs = [("C17", [*cc, *C17])] + ([("C++17", [*cxx, *CXX17])] if public else [])
        for language, command in runs:
            error = compile_alone(command, path, root, ["include"] if public else ["include", "src"])
            if error:
                complaints.append(f"{name}:1: does not compile alone as {language}: {error}")
        guard = guard_of(path, root)
        if not re.search(rf"^#ifndef {guard}\n#define {guard}$", path.read_text(), re.M):
            complaints.append(f"{name}:1: the guard of its path is {guard}")
    return complaints


def check_struct(row, header):
    """What is wrong with a struct that has members, or None."""
    if row.name in FROZEN:
        asserted = {other.name for other in header.declarations if other.text.startswith("BT_SIZE_IS")}
        return None if row.name in asserted else "is frozen, and its size is not asserted with BT_SIZE_IS"
    if row.name not in SIZED:
        return "is transparent, but neither in the list of frozen structs nor in that of sized ones"
    return None if re.search(r"\{\s*uint32_t size;", csource.blank(row.text)) else "is a sized struct, and its first member is not `uint32_t size`"


def check_kind(row, header):
    """What 2.2 of the chapter on SDKs does not allow in this declaration, or None."""
    code = csource.blank(row.text)
    if row.kind == "struct":
        return check_struct(row, header)
    if row.kind == "union" or row.kind == "other" and not row.text.startswith("BT_SIZE_IS"):
        return "is not something that a stable header may hold"
    if row.kind == "typedef" and row.name not in CALLBACKS and header.path.name != "handler.h":
        return "is a typedef or callback that is not in the list"
    if row.kind == "inline":
        touched = sorted(SIZED & set(re.findall(r"\w+", code)))
        return f"is inline and touches {touched[0]}, which may grow" if touched else None
    if row.kind == "function" and "(*" in code and header.path.name != "handler.h":
        return "takes a callback that has no name"
    if row.kind == "function" and header.path.name != "handler.h" and "BT_API" not in code:
        return "is not marked BT_API"
    if row.kind == "macro" and row.name not in MACROS:
        value = re.sub(r"^#define \w+", "", row.text)
        if value.startswith("(") or not CONSTANT.fullmatch(value.strip()):
            return "is a macro that is neither a constant nor an attribute"
    return None


def check_comment(row, header, known):
    """What is wrong with the comment of a declaration, or None."""
    if row.kind == "other":
        return None
    if row.kind == "opaque" and not row.comment:
        # Documented where it is at home: below in this header, or in another one that is named.
        if re.search(rf"^struct {row.name}; /\* see \w+\.h \*/$", header.text, re.M) or any(other.name == row.name and other.comment for other in header.declarations):
            return None
    if not row.comment:
        return "has no comment above it"
    if row.comment.startswith("The same"):
        return "has a comment that does not stand alone"
    if row.kind == "function" and re.search(r"\benum bt_status\s+bt_", csource.blank(row.text)) and not re.search(r"\bBT_E[A-Z]+|returned", row.comment):
        return "returns a status, and its comment names none"
    unknown = sorted(set(re.findall(r"\b(bt_\w+)\(\)", row.comment)) - known)
    return f"has a comment about {unknown[0]}(), which no stable header declares" if unknown else None


def check_stable(root):
    headers = header_reader.stable(root)
    names = {header.path.name for header in headers}
    complaints = [f"include/baton/{name}: is {'missing' if name in STABLE else 'not a stable header'}" for name in sorted(names ^ STABLE)]
    known = {row.name for header in headers for row in header.declarations}
    for header in headers:
        where = f"include/baton/{header.path.name}"
        if not re.search(r"(?m)^Threads: ", header.head):
            complaints.append(f"{where}:1: its head has no paragraph that begins `Threads:`")
        complaints += [f"{where}:1: includes {what}" for what in header.includes if what not in SYSTEM and what not in {f"<baton/{name}>" for name in STABLE}]
        for row in header.declarations:
            word = FORBIDDEN.search(csource.blank(row.text))
            faults = [f"uses {word[0]}" if word else None, check_kind(row, header), check_comment(row, header, known)]
            complaints += [f"{where}:{row.line}: {row.name} {fault}" for fault in faults if fault]
    return complaints


def check(root, cc, cxx):
    return check_alone(root, cc, cxx) + check_stable(root)


if __name__ == "__main__":
    sys.exit(csource.report(check(sys.argv[1], shlex.split(sys.argv[2]), shlex.split(sys.argv[3]))))
