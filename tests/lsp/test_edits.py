# SPDX-License-Identifier: Apache-2.0
"""test_edits.py BATON - random changes of documents of each dialect: the diagnostics are the findings of `baton check` on the model's text."""
import json
import pathlib
import random
import re

from client import changed, initialize, opened, published, talk
from program import ROOT, SANITIZED, claim, equal, finish, folder, run  # noqa: E402

SEQUENCES = 125 if SANITIZED else 1000
SEED = 20260414
NOW = ("--now", "2026-04-14T09:00:00Z", "--today", "2026-08-01")
SEVERITIES = {"HARD": 1, "WARN": 2, "INFO": 3}
PIECES = ["", "", "x", "\"", "{", "}", ",", ":", "\n", "\r\n", "\r", " ", "\t", "é", "😀", "null", "0", "-", "#", "<", ">", "step", "\\", "\"a\": 1, ",
          "\u202e", "\ufeff", "'", "```", "1e5"]
EXAMPLES = ["universal/mendable.handoff.json", "universal/loop.handoff.json", "contract/done.contract.md", "contract/broken.contract.md",
            "plan/release.steps.csv", "plan/untyped.steps.csv", "governed/accepted.json", "governed/response.json", "pump/add.xml", "pump/wrong.xml",
            "pump/organism.yaml", "config/baton.yaml", "governed/catalogue/versions/prompt-manifest.json", "governed/catalogue/versions/prompt-lock.json"]


def lines_of(text):
    """The lines with their ends, as the protocol counts them."""
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)
    return lines if text else [""]


def position(text, offset, utf8):
    """Line and character of an offset in a Python string."""
    line = 0
    for part in lines_of(text):
        end = len(part.rstrip("\r\n")) if part.endswith(("\n", "\r")) else len(part)
        if offset <= end:
            before = part[:offset]
            units = len(before.encode()) if utf8 else len(before.encode("utf-16-le")) // 2
            return {"line": line, "character": units}
        offset -= len(part)
        line += 1
        if offset < 0:
            return None  # inside a line end
    return {"line": line, "character": 0}


def random_change(text, rng, utf8):
    """A change and the text after it."""
    while True:
        begin = rng.randint(0, len(text))
        end = min(len(text), begin + rng.choice([0, 0, 0, 1, 1, 2, 5, 40]))
        first, last = position(text, begin, utf8), position(text, end, utf8)
        if first and last:
            break
    by = rng.choice(PIECES)
    return {"range": {"start": first, "end": last}, "text": by}, text[:begin] + by + text[end:]


def names(count):
    """Names of files that keep what recognition sees in a name."""
    for index in range(count):
        example = EXAMPLES[index % len(EXAMPLES)]
        yield example, f"{index}/{pathlib.PurePath(example).name}"


def start_of(finding, text, utf8):
    """The position of a finding in the protocol."""
    if "line" not in finding:
        return {"line": 0, "character": 0}
    data = text.encode()
    mark = 3 if data.startswith(b"\xef\xbb\xbf") and finding["line"] == 1 else 0
    begin = 0
    for _ in range(finding["line"] - 1):
        begin = data.index(b"\n", begin) + 1
    offset = begin + mark + finding["column"] - 1
    return position(text, len(data[:offset].decode("utf-8", "ignore")), utf8)


def expected(findings, text, utf8):
    return [(finding["code"], SEVERITIES[finding["severity"]], finding["pointer"], finding["stage"], finding.get("fix"), start_of(finding, text, utf8))
            for finding in findings]


def shown(diagnostics):
    return [(item["code"], item["severity"], item["data"]["pointer"], item["data"]["stage"], item["data"].get("fix"), item["range"]["start"])
            for item in diagnostics]


def edit_all(place, utf8, rng, count):
    """Random changes of `count` documents in one server: the texts of the model, and the messages."""
    texts, messages = {}, []
    for example, name in names(count):
        path = pathlib.Path(place) / name
        path.parent.mkdir(parents=True)  # files that a document names are sought there
        text = (ROOT / "examples" / example).read_text(encoding="utf-8")
        uri = path.as_uri()
        messages.append(opened(uri, text))
        for version in range(2, 2 + rng.randint(1, 6)):
            changes = []
            for _ in range(rng.randint(1, 3)):
                change, text = random_change(text, rng, utf8)
                changes.append(change)
            messages.append(changed(uri, version, *changes))
        texts[name] = (uri, text)
    return texts, talk(*messages, flags=NOW, cwd=place, first=initialize(utf8=utf8))


def check_all(place, texts):
    """The findings of `baton check` by name; None: it is not a document."""
    for name, (_, text) in texts.items():
        (pathlib.Path(place) / name).write_text(text, encoding="utf-8", newline="")
    done = run("check", "-f", "json", "--structure-only", *NOW, *texts, cwd=place)
    report = json.loads(done.stdout)
    found = {name: None for name in texts}
    found.update({document["path"]: document["findings"] for document in report["documents"]})
    return found


@claim
def diagnostics_after_random_changes_are_the_findings_of_check():
    rng = random.Random(SEED)
    judged = findings = 0
    for utf8 in (False, True):
        with folder({}) as place:
            texts, messages = edit_all(place, utf8, rng, SEQUENCES // 2)
            for name, found in check_all(place, texts).items():
                uri, text = texts[name]
                diagnostics = published(messages, uri) or []
                equal((name, text, shown(diagnostics)), (name, text, expected(found or [], text, utf8)))
                judged += found is not None
                findings += len(diagnostics)
    # The changes are small enough that most documents are still documents, and large enough to be found.
    if judged < SEQUENCES * 3 // 4 or findings < SEQUENCES:
        raise AssertionError(f"{judged} of {SEQUENCES} were judged, with {findings} findings")


@claim
def a_model_that_differs_from_the_server_is_noticed():
    """The negative control: a change that the server did not see is a difference."""
    with folder({}) as place:
        texts, messages = edit_all(place, False, random.Random(SEED), len(EXAMPLES))
        name, (uri, _) = next((name, value) for name, value in texts.items() if name.endswith("loop.handoff.json"))
        texts[name] = (uri, "{\"handoff\": 5}")
        differs = expected(check_all(place, texts)[name], texts[name][1], False) != shown(published(messages, uri))
        equal(differs, True)


finish()
