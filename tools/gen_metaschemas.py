#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_metaschemas.py - write src/schema/metaschemas.jsonl: the meta-schemas of all drafts, minified, one a line, by URI.

The documents are published by the JSON Schema project (AFL-3.0 or BSD-3-Clause) and are taken from
two packages: drafts 3 to 2020-12 from the folder `schemas` of PyPI's jsonschema-specifications, v1
from npm's @hyperjump/json-schema (its modules are turned into JSON by node). Both are MIT. Debian's
python3-jsonschema would not do: it has drafts 3 and 4 with changes, and lacks format-assertion.

Usage: tools/gen_metaschemas.py SPECIFICATIONS_SCHEMAS_DIR HYPERJUMP_DIR > src/schema/metaschemas.jsonl
"""
import json
import pathlib
import subprocess
import sys

V1 = "https://json-schema.org/v1"


def drafts(folder):
    """(uri, document) of every file below the folder."""
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_file() and path.suffix in ("", ".json"):
            document = json.loads(path.read_text())
            yield document.get("$id", document.get("id")), document


def v1(folder):
    """(uri, document) of the modules of v1, which name no identifier of their own."""
    base = pathlib.Path(folder).resolve() / "v1"
    for path in [base / "schema.js", *sorted((base / "meta").glob("*.js"))]:
        program = f"import d from {json.dumps(str(path))}; console.log(JSON.stringify(d))"
        text = subprocess.run(["node", "--input-type=module", "-e", program], check=True,
                              capture_output=True, text=True).stdout
        uri = V1 if path.stem == "schema" else f"{V1}/meta/{path.stem}"
        yield uri, {"$id": uri, **json.loads(text)}


def main():
    rows = {}
    for uri, document in [*drafts(sys.argv[1]), *v1(sys.argv[2])]:
        rows[uri.rstrip("#")] = json.dumps(document, separators=(",", ":"), ensure_ascii=True)
    for _, text in sorted(rows.items()):
        print(text)


if __name__ == "__main__":
    main()
