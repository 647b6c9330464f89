#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed_console.py OUTPUT [BUNDLE DEPFILE] [--module FILE] - the files of console/bundle as a C table, the page first. Without a bundle:
a page that says that the program was built without the console. The module is baton.wasm, for the playground.

A file is stored compressed with gzip, and with brotli and zstd where these programs are found. Where zstd is, it is not stored as it is:
the server makes that from zstd. Of the module only zstd is stored, since it is as large as all the rest."""
import argparse
import gzip
import pathlib
import shutil
import subprocess

HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/*
 * console_files.c - made by tools/embed_console.py from console/bundle; do not edit.
 */
#include "serve/console.h"

"""
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".svg": "image/svg+xml", ".wasm": "application/wasm"}
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


def array(name, body):
    rows = ",\n    ".join(", ".join(str(byte) for byte in body[i:i + 24]) for i in range(0, len(body), 24))
    return f"static const unsigned char {name}[] = {{\n    {rows},\n}};\n\n"


def run(body, program, *options):
    """The bytes as a program compresses them; b"" where it is not found."""
    if not shutil.which(program):
        return b""
    return subprocess.run([program, *options, "-c"], input=body, capture_output=True, check=True).stdout


def forms(body, suffix):
    """{coding: bytes}, the same in every build; only what is shorter than the bytes themselves."""
    made = {"ZSTD": run(body, "zstd", "--ultra", "-22", "-q", f"--stream-size={len(body)}")}
    if suffix != ".wasm" or not made["ZSTD"]:
        made |= {"BR": run(body, "brotli", "-q", "11"), "GZIP": gzip.compress(body, 9, mtime=0)}
    made = {coding: packed for coding, packed in made.items() if packed and len(packed) < len(body)}
    return made if "ZSTD" in made else {"IDENTITY": body, **made}


def embed(index, path, body, suffix):
    """The arrays of a file, and its row."""
    arrays = {coding: (f"file_{index}_{coding.lower()}", packed) for coding, packed in forms(body, suffix).items()}
    fields = "".join(f"\n      [CODING_{coding}] = {{(const char *){name}, sizeof({name})}}," for coding, (name, _) in arrays.items())
    row = f'    {{BT_STR_INIT("{path}"), "{TYPES[suffix]}", {len(body)},\n     {{{fields}\n     }}}},\n'
    return "".join(array(name, packed) for name, packed in arrays.values()), row


def source(files):
    made = [embed(index, *file) for index, file in enumerate(files)]
    return (HEAD + "".join(arrays for arrays, _ in made) + "const struct serve_console_file console_files[] = {\n" + "".join(row for _, row in made) + "};\n\n"
            "const size_t console_file_count = sizeof(console_files) / sizeof(console_files[0]);\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("bundle", type=pathlib.Path, nargs="?")
    parser.add_argument("depfile", type=pathlib.Path, nargs="?")
    parser.add_argument("--module", type=pathlib.Path)
    asked = parser.parse_args()
    files = built(asked.bundle) if asked.bundle else [("/", PLAIN, ".html")]
    files += [("/assets/baton.wasm", asked.module.read_bytes(), ".wasm")] if asked.module else []
    text = source(files)
    if asked.depfile:
        # The folder too: a file that comes or goes changes it.
        paths = [asked.bundle / "index.html", asked.bundle / "assets", *sorted((asked.bundle / "assets").iterdir())]
        asked.depfile.write_text(f"{asked.output.name}: " + " ".join(str(path).replace(" ", "\\ ") for path in paths) + "\n")
    if not asked.output.is_file() or asked.output.read_text() != text:
        asked.output.write_text(text)


if __name__ == "__main__":
    main()
