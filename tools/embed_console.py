#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed_console.py OUTPUT [BUNDLE DEPFILE] - the files of console/bundle as a C table, the page first. Without a bundle:
a page that says that the program was built without the console."""
import argparse
import gzip
import pathlib

HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/*
 * console_files.c - made by tools/embed_console.py from console/bundle; do not edit.
 */
#include "serve/console.h"

"""
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".svg": "image/svg+xml"}
PLAIN = b"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Baton</title></head>
<body>
<h1>Baton is running</h1>
<p>This program was built without its console (<code>-Dconsole=disabled</code>). To have it, build with:</p>
<pre>meson configure -Dconsole=auto YOUR-BUILD-FOLDER
ninja -C YOUR-BUILD-FOLDER</pre>
<p>Everything that the console shows is also served below <code>/v1</code>; <a href="/openapi.json">/openapi.json</a> lists it.</p>
</body>
</html>
"""


def built(bundle):
    """Path and bytes of each file; the page first, then its assets."""
    page = bundle / "index.html"
    if not page.is_file():
        raise SystemExit(f"{page}: missing; it is part of the source, and script/console makes it anew")
    assets = sorted(path for path in (bundle / "assets").iterdir() if path.is_file())
    return [("/", page.read_bytes(), ".html")] + [(f"/assets/{path.name}", path.read_bytes(), path.suffix) for path in assets]


def array(index, body):
    rows = ",\n    ".join(", ".join(str(byte) for byte in body[i:i + 24]) for i in range(0, len(body), 24))
    return f"static const unsigned char file_{index}[] = {{\n    {rows},\n}};\n\n"


def packed(body):
    """The bytes compressed, the same in every build; b"" when that saves nothing."""
    small = gzip.compress(body, 9, mtime=0)
    return small if len(small) < len(body) else b""


def field(index, body):
    return f"{{(const char *)file_{index}, sizeof(file_{index})}}" if body else 'BT_STR_INIT("")'


def row(index, count, path, body, suffix):
    return f'    {{BT_STR_INIT("{path}"), "{TYPES[suffix]}", {field(index, body)}, {field(count + index, packed(body))}}},\n'


def source(files):
    arrays = "".join(array(i, body) for i, (_, body, _) in enumerate(files))
    arrays += "".join(array(len(files) + i, packed(body)) for i, (_, body, _) in enumerate(files) if packed(body))
    rows = "".join(row(i, len(files), path, body, suffix) for i, (path, body, suffix) in enumerate(files))
    return (HEAD + arrays + "const struct serve_console_file console_files[] = {\n" + rows + "};\n\n"
            "const size_t console_file_count = sizeof(console_files) / sizeof(console_files[0]);\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("bundle", type=pathlib.Path, nargs="?")
    parser.add_argument("depfile", type=pathlib.Path, nargs="?")
    asked = parser.parse_args()
    text = source(built(asked.bundle) if asked.bundle else [("/", PLAIN, ".html")])
    if asked.depfile:
        # The folder too: a file that comes or goes changes it.
        paths = [asked.bundle / "index.html", asked.bundle / "assets", *sorted((asked.bundle / "assets").iterdir())]
        asked.depfile.write_text(f"{asked.output.name}: " + " ".join(str(path).replace(" ", "\\ ") for path in paths) + "\n")
    if not asked.output.is_file() or asked.output.read_text() != text:
        asked.output.write_text(text)


if __name__ == "__main__":
    main()
