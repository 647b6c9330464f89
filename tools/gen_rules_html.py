#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_rules_html.py BATON OUTPUT - the rules as one HTML page, with one anchor per code.

`output.docs_url` of the configuration leads to this page: a code is found at `rules.html#CODE`. The text is what
`baton rules -f markdown` prints, which is made from the rule tables.
"""
import html
import re
import subprocess
import sys

HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Baton: rules</title>
<style>
body { font-family: sans-serif; line-height: 1.5; max-width: 60em; margin: 2em auto; padding: 0 1em; }
pre { background: #f4f4f4; padding: 0.6em; overflow-x: auto; }
code, pre { font-family: monospace; }
section { border-top: 1px solid #ccc; }
</style>
</head>
<body>
<h1>Rules</h1>
"""
TITLE = re.compile(r"## ([A-Z0-9_]+) \(([a-z0-9_-]+)\)")


def inline(text):
    """A line of prose: `code` and *emphasis*."""
    text = html.escape(text, quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    return re.sub(r"^\*([^*]+)\*", r"<em>\1</em>", text)


def blocks(lines):
    """Paragraphs, and runs of lines that are indented by four spaces."""
    out, at = [], 0
    while at < len(lines):
        if lines[at].startswith("    "):
            end = at
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end]):
                end += 1
            code = "\n".join(line[4:] for line in lines[at:end]).rstrip("\n")
            out.append(f"<pre>{html.escape(code, quote=False)}</pre>")
            at = end
        else:
            if lines[at]:
                out.append(f"<p>{inline(lines[at])}</p>")
            at += 1
    return out


def convert(markdown):
    """The page; rules of one code, which are neighbours, share its anchor."""
    parts = re.split(r"(?m)^(?=## )", markdown)
    out, last = [], None
    for part in parts[1:]:
        title, *lines = part.splitlines()
        found = TITLE.fullmatch(title)
        if not found:
            raise SystemExit(f"gen_rules_html.py: not a rule: {title}")
        code, dialect = found.groups()
        if code != last:
            out += (["</section>"] if last else []) + [f'<section id="{code}">', f'<h2><a href="#{code}">{code}</a></h2>']
        last = code
        out += [f"<h3>{html.escape(dialect)}</h3>", *blocks(lines)]
    intro = blocks(parts[0].splitlines()[1:])
    return HEAD + "\n".join(intro + out + ["</section>", "</body>", "</html>", ""])


def main(baton, output):
    done = subprocess.run([baton, "rules", "-f", "markdown"], capture_output=True, check=True)
    with open(output, "w", encoding="utf-8") as file:
        file.write(convert(done.stdout.decode()))


if __name__ == "__main__":
    main(*sys.argv[1:3])
