#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed_console.py OUTPUT [--wanted] [DIST DEPFILE] - the files of the built console as a C table, the page first.
Without a built console the page says how to build it; with --wanted that is an error."""
import argparse
import pathlib

HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/*
 * console_files.c - made by tools/embed_console.py from the built console; do not edit.
 */
#include "gateway/console.h"

"""
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".svg": "image/svg+xml"}
PLAIN = b"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Baton</title></head>
<body>
<h1>Baton is running</h1>
<p>This program was built without its console. To have it, run <code>script/run</code>, or:</p>
<pre>script/bootstrap build npm
script/console
ninja -C YOUR-BUILD-FOLDER</pre>
<p>Everything that the console shows is also served below <code>/v1</code>; <a href="/openapi.json">/openapi.json</a> lists it.</p>
</body>
</html>
"""


def built(dist):
    """Path and bytes of each file; the page first, then its assets."""
    page = dist / "index.html"
    if not page.is_file():
        return None
    assets = sorted(path for path in (dist / "assets").iterdir() if path.is_file())
    return [("/", page.read_bytes(), ".html")] + [(f"/assets/{path.name}", path.read_bytes(), path.suffix) for path in assets]


def array(index, body):
    rows = ",\n    ".join(", ".join(str(byte) for byte in body[i:i + 24]) for i in range(0, len(body), 24))
    return f"static const unsigned char file_{index}[] = {{\n    {rows},\n}};\n\n"


def row(index, path, suffix):
    return f'    {{BT_STR_INIT("{path}"), "{TYPES[suffix]}", {{(const char *)file_{index}, sizeof(file_{index})}}}},\n'


def source(files):
    arrays = "".join(array(i, body) for i, (_, body, _) in enumerate(files))
    rows = "".join(row(i, path, suffix) for i, (path, _, suffix) in enumerate(files))
    return (HEAD + arrays + "const struct console_file console_files[] = {\n" + rows + "};\n\n"
            "const size_t console_file_count = sizeof(console_files) / sizeof(console_files[0]);\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("dist", type=pathlib.Path, nargs="?")
    parser.add_argument("depfile", type=pathlib.Path, nargs="?")
    parser.add_argument("--wanted", action="store_true")
    asked = parser.parse_args()
    files = built(asked.dist) if asked.dist else None
    if files is None and asked.wanted:
        raise SystemExit(f"{asked.dist}: there is no built console; script/console makes it")
    if asked.depfile:
        # A page that is not there yet makes the next build look again.
        paths = [asked.dist / "index.html", *sorted((asked.dist / "assets").glob("*"))]
        asked.depfile.write_text(f"{asked.output.name}: " + " ".join(str(path).replace(" ", "\\ ") for path in paths) + "\n")
    text = source(files or [("/", PLAIN, ".html")])
    if not asked.output.is_file() or asked.output.read_text() != text:
        asked.output.write_text(text)


if __name__ == "__main__":
    main()
