# SPDX-License-Identifier: Apache-2.0
"""JSON Schema: compile once, judge many values in bounded time.

    from baton.schema import Validator

    validator = Validator({"type": "object", "required": ["name"]})
    validator.is_valid({"name": "Ada"})     # a value
    validator.is_valid(b'{"name": "Ada"}')  # JSON text, which is faster
"""
import io
import json

from baton._errors import BudgetSpent, SchemaError, ValidationError
from baton._judge import _core, check, dumps, value_of
from baton._types import Finding

__all__ = ["BudgetSpent", "SchemaError", "ValidationError", "Validator"]

_DRAFTS = {None: 0, "3": 3, "4": 4, "6": 6, "7": 7, "2019-09": 8, "2020-12": 9, "v1": 10}
_TEXTS = (bytes, bytearray, memoryview)
_AS_THEY_ARE = frozenset((*_TEXTS, dict, list, tuple, str, int, float, bool, type(None)))


def _plain(value):
    return value if type(value) in _AS_THEY_ARE else value_of(value)


def _findings_of(rows):
    return [Finding(*row[:-1], json.loads(row[-1]) if row[-1] else {}) for row in rows]


def _reading_findings(value):
    """What is wrong with something that is not JSON, or too large."""
    if isinstance(value, _TEXTS):
        value = bytes(value)
    elif isinstance(value, str):
        value = dumps(None, value)
    return check(value, "json").findings


def _text_of(schema):
    return bytes(schema) if isinstance(schema, _TEXTS) else dumps(None, schema)


class Validator:
    """A compiled JSON Schema. Threads may share one.

    A schema and an instance are JSON text when they are bytes, and values otherwise: a `str` is a JSON string.
    `draft` (3, 4, 6, 7, 2019-09, 2020-12, v1) counts where `$schema` is absent. With `formats` the keyword
    `format` decides. `documents` maps URIs to schemas that references may lead to; nothing is fetched.
    """

    __slots__ = ("_native", "_recipe")

    def __init__(self, schema, *, draft=None, formats=False, documents=None):
        draft = draft if draft is None else str(draft)
        if draft not in _DRAFTS:
            raise ValueError("draft is one of " + ", ".join(filter(None, _DRAFTS)))
        sources = (("", _plain(schema)), *((uri, _plain(document)) for uri, document in dict(documents or {}).items()))
        made = _core.compile_schema(sources, _DRAFTS[draft], formats)
        if isinstance(made, int):
            raise SchemaError(_reading_findings(sources[made][1]))
        if isinstance(made, list):
            raise SchemaError(_findings_of(made))
        self._native = made
        # A copy is made from texts, because the values may change.
        schema, *others = (_text_of(source) for _uri, source in sources)
        self._recipe = schema, draft, bool(formats), {uri: text for (uri, _source), text in zip(sources[1:], others)}

    def is_valid(self, instance, /):
        """True when the instance is valid, False when it is not; BudgetSpent when that was not found out."""
        return self._native.is_valid(instance if type(instance) in _AS_THEY_ARE else value_of(instance))

    def findings(self, instance, /):
        """What is wrong with the instance; an empty list when it is valid."""
        instance = _plain(instance)
        rows = self._native.findings(instance)
        return _reading_findings(instance) if rows is None else _findings_of(rows)

    def validate(self, instance, /):
        """Raise ValidationError unless the instance is valid."""
        if not self.is_valid(instance):
            raise ValidationError(self.findings(instance))

    def iter_valid(self, lines, /):
        """For each line of JSON Lines, bytes or str, whether it is valid. A line that is not JSON is not.

        `lines` is a file or another iterable of lines, or the whole text.
        """
        is_valid = self._native.is_valid
        if isinstance(lines, str):
            lines = lines.encode("utf-8", "surrogatepass")
        if isinstance(lines, _TEXTS):
            lines = io.BytesIO(lines)
        for line in lines:
            yield is_valid(line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line)

    def __reduce__(self):
        return _make_again, self._recipe


def _make_again(schema, draft, formats, documents):
    return Validator(schema, draft=draft, formats=formats, documents=documents)
