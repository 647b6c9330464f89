#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed_schemas.py OUTPUT SCHEMA.json... - the schemas that `baton schema print` shows, as a C table sorted by name."""
import json
import pathlib
import sys

HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_texts.c - made by tools/embed_schemas.py from src/engine/schemas/; do not edit.
 */
#include "engine/schema_texts.h"

const struct bt_schema_text bt_schema_texts[] = {
"""
TAIL = """};

const size_t bt_schema_texts_count = sizeof(bt_schema_texts) / sizeof(bt_schema_texts[0]);
"""


def literal(text):
    """One C string literal per line of text."""
    lines = [json.dumps(line, ensure_ascii=True) for line in text.splitlines(keepends=True)]
    return "\n        ".join(lines)


def row(path):
    text = path.read_text()
    if not text.isascii() or not text.endswith("\n"):
        raise SystemExit(f"{path}: wants to be ASCII and to end in a line feed")
    json.loads(text)
    return f"    {{BT_STR_INIT({json.dumps(path.stem)}),\n     BT_STR_INIT({literal(text)})}},\n"


def main(output, *schemas):
    rows = [row(path) for path in sorted(map(pathlib.Path, schemas), key=lambda path: path.stem)]
    pathlib.Path(output).write_text(HEAD + "".join(rows) + TAIL)


if __name__ == "__main__":
    main(*sys.argv[1:])
