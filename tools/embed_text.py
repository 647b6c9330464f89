# SPDX-License-Identifier: Apache-2.0
"""embed_text.py INPUT OUTPUT SYMBOL - a text file as a C array of characters, with a final NUL."""
import pathlib
import sys

WIDTH = 20


def main():
    source, target, symbol = sys.argv[1:4]
    data = pathlib.Path(source).read_bytes() + b"\0"
    rows = [", ".join(f"0x{byte:02x}" for byte in data[at:at + WIDTH]) for at in range(0, len(data), WIDTH)]
    body = ",\n    ".join(rows)
    text = f"/* Made from {pathlib.Path(source).name}. */\nextern const char {symbol}[];\n\nconst char {symbol}[] = {{\n    {body}}};\n"
    pathlib.Path(target).write_text(text, encoding="utf-8")


main()
