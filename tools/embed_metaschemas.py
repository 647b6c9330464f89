#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed_metaschemas.py OUTPUT METASCHEMAS.jsonl - the meta-schemas as a C table, in the order of the lines."""
import json
import pathlib
import sys

LITERAL_BYTES_MAX = 4095  # what every compiler must accept as one literal
HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metaschemas.c - made by tools/embed_metaschemas.py from src/schema/metaschemas.jsonl; do not edit.
 */
#include "schema/metaschemas.h"

const struct bt_metaschema bt_metaschemas[] = {
"""
TAIL = """};

const size_t bt_metaschemas_count = sizeof(bt_metaschemas) / sizeof(bt_metaschemas[0]);
"""


def row(text):
    document = json.loads(text)
    uri = document.get("$id", document.get("id")).rstrip("#")
    if not text.isascii() or len(text) > LITERAL_BYTES_MAX:
        raise SystemExit(f"{uri}: wants to be ASCII, and not longer than {LITERAL_BYTES_MAX} bytes")
    return f"    {{BT_STR_INIT({json.dumps(uri)}), BT_STR_INIT({json.dumps(text)})}},\n"


def main(output, metaschemas):
    rows = [row(text) for text in pathlib.Path(metaschemas).read_text().splitlines()]
    pathlib.Path(output).write_text(HEAD + "".join(rows) + TAIL)


if __name__ == "__main__":
    main(*sys.argv[1:])
