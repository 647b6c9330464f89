# SPDX-License-Identifier: Apache-2.0
"""test_render.py BATON CALL - renderReport makes of the JSON report of `baton check` what the command itself prints, in every format, for every example."""
import base64
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import ROOT, TIMEOUT_S, claim, equal, expect, finish, folder, run  # noqa: E402

CALL = str(pathlib.Path(sys.argv[2]).resolve())
FORMATS = ("full", "concise", "json", "jsonl", "github", "junit", "sarif", "markdown")
NOW = "2026-05-04T09:30:00Z"
HOSTILE = {"100%,a:b.json": '{"handoff":\n {"version":"3.0","\u202eevil\x1b[2J":\n"\U000e0041\xad"}}'.encode(), "bom.json": b'\xef\xbb\xbf{"a":\n1,}', "bytes.json": b'{"a":"\xff\xfe"}\n',
           "wide.json": '{"\u5b9b\U0001f600": 1, "handoff": {"target": {}}}'.encode(), "empty.json": b""}


def render(report, name, content):
    request = {"report": report, "format": name, "documents": [{"base64": base64.b64encode(content).decode()}]}
    done = subprocess.run([CALL, "renderReport"], input=json.dumps(request).encode(), capture_output=True, timeout=TIMEOUT_S, check=False)
    return json.loads(expect(done, 0).stdout)["render"]["text"]


def texts_of(path, place):
    """What the command prints about a file, by format; and its JSON report."""
    words = [word for name in FORMATS for word in ("-f", name, "-o", str(place / f"out.{name}"))]
    run("check", "--no-config", "--now", NOW, *words, str(path))
    return {name: (place / f"out.{name}").read_text(encoding="utf-8") for name in FORMATS}


@claim
def every_format_of_every_example_is_what_the_command_prints():
    with folder({}) as name:
        place = pathlib.Path(name)
        for name, content in HOSTILE.items():
            (place / name).write_bytes(content)
        examples = [path for kind in ("adopt", "contract", "governed", "json", "plan", "pump", "universal") for path in sorted((ROOT / "examples" / kind).rglob("*")) if path.suffix in (".json", ".csv", ".md", ".xml")]
        checked = 0
        for path in [*(place / name for name in HOSTILE), *examples]:
            texts = texts_of(path, place)
            report = json.loads(texts["json"])
            if len(report["documents"]) != 1:
                continue
            checked += 1
            for name in FORMATS:
                equal((path.name, name, render(report, name, path.read_bytes())), (path.name, name, texts[name]))
        equal(checked > 20, True)


@claim
def a_changed_report_is_rendered_differently():
    with folder({}) as name:
        place = pathlib.Path(name)
        texts = texts_of(ROOT / "examples/universal/loop.handoff.json", place)
        report = json.loads(texts["json"])
        report["documents"][0]["findings"][0]["message"] += "!"
        for name in FORMATS:
            equal((name, render(report, name, b"") == texts[name]), (name, False))


finish()
