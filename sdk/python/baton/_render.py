# SPDX-License-Identifier: Apache-2.0
"""Reports as lines of text, in the words of the program.

The reply of the engine writes every character that a person cannot see as an escape. Such an escape is kept as a text, `\\u{202e}`, so nothing
hidden reaches a terminal or a log.
"""
import json
import re

PATH_BYTES_MAX, SENTENCE_BYTES_MAX = 1024, 2048
_ESCAPE = re.compile(r"\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|\\u([0-9a-f]{4})|\\.", re.IGNORECASE)
_CONTROLS = {**{code: f"\\x{code:02x}" for code in (*range(0x20), 0x7F)}, 10: "\\n", 13: "\\r", 9: "\\t"}
_WORDS = {"HARD": ("error", "error"), "WARN": ("warning", "warning"), "INFO": ("info", "notice")}  # of concise and of github


def _mark(match):
    if match[1]:
        code = 0x10000 + (int(match[1], 16) - 0xD800 << 10) + int(match[2], 16) - 0xDC00
    else:
        code = int(match[3], 16) if match[3] else 0
    return f"\\\\u{{{code:x}}}" if code >= 0x80 else match[0]


def _visible(text, bytes_max):
    shown = text.translate(_CONTROLS)
    if len(shown.encode("utf-8", "surrogatepass")) <= bytes_max:
        return shown
    kept, left = [], bytes_max
    for letter in text:
        unit = letter.translate(_CONTROLS)
        left -= len(unit.encode("utf-8", "surrogatepass"))
        if left < 0:
            break
        kept.append(unit)
    return "".join(kept) + "..."


def _read(report):
    value = json.loads(_ESCAPE.sub(_mark, report.raw.decode("utf-8", "surrogatepass")))
    return value["documents"], value.get("failures", [])


def _concise(report):
    documents, failures = _read(report)
    for document in documents:
        for finding in document["findings"]:
            place = f":{finding['line']}:{finding['column']}" if finding.get("line") else ""
            yield (f"{_visible(document['path'], PATH_BYTES_MAX)}{place}: {_WORDS[finding['severity']][0]}: {finding['code']} "
                   f"{_visible(finding['message'], SENTENCE_BYTES_MAX)}\n")
    for failure in failures:
        yield f"{_visible(failure['path'], PATH_BYTES_MAX)}: not judged: {_visible(failure['message'], SENTENCE_BYTES_MAX)}\n"


def _data(text):
    return _visible(text, SENTENCE_BYTES_MAX).replace("%", "%25")


def _property(text):
    return _visible(text, PATH_BYTES_MAX).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")


def _github(report):
    documents, failures = _read(report)
    for document in documents:
        for finding in document["findings"]:
            place = f",line={finding['line']},col={finding['column']}" if finding.get("line") else ""
            help_text = f"%0Ahelp: {_data(finding['hint'])}" if finding.get("hint") else ""
            yield (f"::{_WORDS[finding['severity']][1]} file={_property(document['path'])}{place},title={_property(finding['code'])}::"
                   f"{_data(finding['message'])}{help_text}\n")
    for failure in failures:
        yield f"::error file={_property(failure['path'])},title=baton {failure['reason']}::{_data(failure['message'])}\n"


def _items(text, name):
    """The texts of the items of an array of the report, and where the array ends."""
    at = text.index(f'"{name}":[') + len(name) + 4
    items = []
    while text[at] != "]":
        _value, end = json.JSONDecoder().raw_decode(text, at)
        items.append(text[at:end])
        at = end + (text[end] == ",")
    return items, at


def _jsonl(report):
    text = report.raw.decode("utf-8", "surrogatepass")
    documents, end = _items(text, "documents")
    failures, failures_end = _items(text[end:], "failures") if '"failures":[' in text[end:] else ([], 0)
    yield from (document + "\n" for document in documents)
    yield from (f'{{"failure":{failure}}}\n' for failure in failures)
    yield '{"baton":1' + text[end + failures_end + 1:] + "\n"


FORMATS = {"concise": _concise, "github": _github, "json": lambda report: [report.raw.decode("utf-8", "surrogatepass") + "\n"], "jsonl": _jsonl}


def render(report, format):
    if format not in FORMATS:
        raise ValueError(f"format is one of {', '.join(FORMATS)}; the program baton writes full, junit, sarif and markdown")
    return "".join(FORMATS[format](report))
