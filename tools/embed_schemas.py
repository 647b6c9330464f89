#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed_schemas.py OUTPUT SCHEMA.json... - the schemas that `baton schema print` shows, as a C table sorted by name."""
import json
import pathlib
import sys

HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_texts.c - made by tools/embed_schemas.py from src/schema/texts/; do not edit.
 */
#include "schema/builtin.h"

"""
TABLE = """const struct bt_schema_builtin bt_schema_texts[] = {
"""
TAIL = """};

const size_t bt_schema_texts_count = sizeof(bt_schema_texts) / sizeof(bt_schema_texts[0]);
"""


def array(index, text):
    """The bytes of a text; C promises string literals of 4095 bytes only."""
    lines = [text[i:i + 16] for i in range(0, len(text), 16)]
    rows = ",\n    ".join(", ".join(str(ord(c)) for c in line) for line in lines)
    return f"static const char text_{index}[] = {{\n    {rows},\n}};\n\n"


def read(path):
    text = path.read_text()
    if not text.isascii() or not text.endswith("\n"):
        raise SystemExit(f"{path}: wants to be ASCII and to end in a line feed")
    json.loads(text)
    return text


def main(output, *schemas):
    paths = sorted(map(pathlib.Path, schemas), key=lambda path: path.stem)
    arrays = [array(i, read(path)) for i, path in enumerate(paths)]
    rows = [f"    {{BT_STR_INIT({json.dumps(path.stem)}), {{text_{i}, sizeof(text_{i})}}}},\n" for i, path in enumerate(paths)]
    pathlib.Path(output).write_text(HEAD + "".join(arrays) + TABLE + "".join(rows) + TAIL)


if __name__ == "__main__":
    main(*sys.argv[1:])
