#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_clients.py OPENAPI ROOT [--check] - the operations of the HTTP clients, from the OpenAPI document of the server.

    baton serve --print-openapi | python3 tools/gen_clients.py - .

OPENAPI is a file, or - for standard input. One file for each language is written; with --check nothing is written, files that differ are
named, and the exit status is 1. What a client does around an operation (connections, retries, errors) is written by hand beside it.
"""
import json
import pathlib
import sys

import clients_go
import clients_model
import clients_python
import clients_rust
import clients_typescript

NOTICE = "made by tools/gen_clients.py from the OpenAPI document of `baton serve`; do not edit."
LANGUAGES = {
    "sdk/python/baton/generated/operations.py": clients_python.operations,
    "sdk/python/baton/generated/aio_operations.py": clients_python.aio_operations,
    "sdk/typescript/generated/operations.ts": clients_typescript.operations,
    "sdk/go/generated/operations.go": clients_go.operations,
    "sdk/rust/generated/operations.rs": clients_rust.operations,
}


def generate(document):
    """{path: text} of every generated file."""
    api = clients_model.read(document)
    return {path: make(api, NOTICE) for path, make in LANGUAGES.items()}


def differing(root, files):
    """The paths of files that are not as they would be made."""
    return [path for path, text in files.items() if not (root / path).is_file() or (root / path).read_text(encoding="utf-8") != text]


def main(arguments):
    is_check = "--check" in arguments
    words = [word for word in arguments if word != "--check"]
    if len(words) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    text = sys.stdin.read() if words[0] == "-" else pathlib.Path(words[0]).read_text(encoding="utf-8")
    root = pathlib.Path(words[1])
    files = generate(json.loads(text))
    changed = differing(root, files)
    for path in changed:
        if is_check:
            print(f"{path}: differs from what tools/gen_clients.py makes")
            continue
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(files[path], encoding="utf-8")
    return 1 if is_check and changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
