# SPDX-License-Identifier: Apache-2.0
"""The functions that judge: each is one operation of the native engine."""
import base64
import dataclasses
import json
import os
from collections.abc import Mapping

import baton
from baton._errors import Incompatible, Problem
from baton._types import CallReply, Outcome, Report, Rule, finding_of, rule_of

try:
    from baton import _core
except ImportError as error:
    raise ImportError(f"the extension baton._core cannot be loaded ({error}); install the package baton-handoff for this Python") from error

if _core.version != baton.__version__:
    raise Incompatible(f"baton {baton.__version__} has an extension of version {_core.version}; install the package again")

_DEPTH_MAX = 128
_DOCUMENT_BYTES_MAX = 8 << 20
_AS_THEY_ARE = frozenset((bytes, str, dict, list, tuple))


class Engine:
    """Settings and roots for judging. Threads may share one: each call takes a native engine of a pool.

    `settings` are keys of baton.yaml that judge, and `now`, `seed`, `actor` and the like. `roots`
    names folders below which documents refer to files.
    """

    __slots__ = ("_native", "_document_bytes_max")

    def __init__(self, settings=None, *, roots=None):
        plain = dict(settings or {})
        limits = plain.get("limits")
        limits = limits if isinstance(limits, Mapping) else {}
        self._document_bytes_max = _limit_of(limits, "document_bytes", _DOCUMENT_BYTES_MAX)
        text = json.dumps(plain).encode() if plain else b""
        pairs = tuple((name, os.fsdecode(folder)) for name, folder in dict(roots or {}).items())
        self._native = _core.Engine(text, pairs, _limit_of(limits, "nesting", _DEPTH_MAX), self._document_bytes_max, "seed" in plain)

    def __reduce__(self):
        raise TypeError("an Engine cannot be pickled; make one in each process")

    __copy__ = __deepcopy__ = __reduce__


def _limit_of(limits, name, default):
    """A limit that the engine will accept or refuse; here only its own size matters."""
    value = limits.get(name, default)
    return value if isinstance(value, int) and 0 < value < 1 << 31 else default


_default = None


def _native_of(engine):
    global _default
    if engine is not None:
        return engine._native
    if _default is None:
        _default = Engine()  # two threads may both make one; the later stays, and the other is freed
    return _default._native


# ---- Requests ------------------------------------------------------------------------------------


def problem_of(raw):
    """The exception for the reply to a request that cannot be used."""
    members = json.loads(raw)
    return Problem(members["code"], members["status"], members.get("detail", ""), [finding_of(finding) for finding in members.get("findings", ())])


def request_raw(engine, operation, request):
    """The bytes of the reply to a request; Problem when it cannot be used."""
    status, _done, raw = _native_of(engine).call(operation, request)
    if status >= 300:
        raise problem_of(raw)
    return raw


def dumps(engine, value):
    """The compact JSON of a value, as bytes."""
    return _native_of(engine).dumps(value)


def value_of(document):
    """What JSON is made of: a mapping, dataclass or model as a dict, everything else as it is."""
    if isinstance(document, (dict, list, tuple)):
        return document
    if isinstance(document, Mapping):
        return dict(document)
    if dataclasses.is_dataclass(document) and not isinstance(document, type):
        return dataclasses.asdict(document)
    dump = getattr(document, "model_dump", None)
    if callable(dump) and not isinstance(document, type):
        return dump(mode="json") if hasattr(document, "model_dump_json") else dump()
    return document


def _resolve(document, path, engine):
    """A document of a less common type, and its path."""
    if isinstance(document, (str, bytes, bytearray)):
        return document, path
    if isinstance(document, memoryview):
        return document.tobytes(), path
    if isinstance(document, os.PathLike):
        limit = engine._document_bytes_max if engine is not None else _DOCUMENT_BYTES_MAX
        with open(document, "rb") as file:
            return file.read(limit + 1), os.fsdecode(document) if path is None else path
    return value_of(document), path


def _judge(engine, operation, document, dialect, path, members):
    if type(document) not in _AS_THEY_ARE:
        document, path = _resolve(document, path, engine)
    status, _done, raw = _native_of(engine).judge(operation, document, dialect, path, members)
    if status >= 300:
        raise problem_of(raw)
    return raw, document


def _members(engine, options, **others):
    """Further members of a request, each after a comma."""
    members = {name: value for name, value in others.items() if value is not None}
    if options:
        members["options"] = {name: value for name, value in options.items() if value is not None}
    return b"," + dumps(engine, members)[1:-1] if members else b""


FORMATS = ("full", "concise", "json", "jsonl", "github", "junit", "sarif", "markdown")


def render(engine, raw, format, source):
    """The text of a report in a format; `source` is what was judged, or None."""
    if format not in FORMATS:
        raise ValueError(f"format is one of {', '.join(FORMATS)}")
    documents = b""
    if source is not None:
        content = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
        documents = b',"documents":[{"base64":"%b"}]' % base64.b64encode(content)
    reply = request_raw(engine, "renderReport", b'{"report":%b,"format":"%b"%b}' % (raw, format.encode(), documents))
    return json.loads(reply)["render"]["text"]


# ---- Operations ----------------------------------------------------------------------------------


def check(document, /, dialect=None, *, path=None, input=None, engine=None, **options):
    """Judge a document: bytes, text, a path object, or a value that becomes JSON."""
    members = _members(engine, options, input=input) if options or input is not None else b""
    raw, judged = _judge(engine, "check", document, dialect, path, members)
    return Report(raw, engine, judged if isinstance(judged, (str, bytes)) else bytes(judged) if isinstance(judged, bytearray) else None)


def repair(document, /, dialect=None, *, path=None, answer=None, engine=None, **options):
    """Fix what can be fixed without guessing; `answer` is what a model wrote to `prompt`, as text or value."""
    if answer is not None and not isinstance(answer, str):
        answer = dumps(engine, value_of(answer)).decode()
    members = _members(engine, options, answer=answer)
    return Outcome(_judge(engine, "repair", document, dialect, path, members)[0], engine)


def compress(document, /, *, path=None, engine=None, **options):
    """Make a universal handoff fit into its budget."""
    return Outcome(_judge(engine, "compress", document, None, path, _members(engine, options))[0], engine)


def convert(document, /, *, source_dialect=None, path=None, engine=None, **options):
    """Make a universal handoff of a document of another dialect or version."""
    return Outcome(_judge(engine, "convert", document, source_dialect, path, _members(engine, options))[0], engine)


def seal(document, /, *, reseal=False, engine=None):
    """Put hash, size and token count into a universal handoff."""
    members = _members(engine, {"reseal": True} if reseal else {})
    return Outcome(_judge(engine, "sealHandoff", document, None, None, members)[0], engine)


def call(operation, request=None, /, *, engine=None):
    """Run any operation. The request is a value, or JSON as str or bytes. A refused request is a reply, too."""
    if request is None:
        request = b"{}"
    elif not isinstance(request, (str, bytes, bytearray, memoryview)):
        request = dumps(engine, value_of(request))
    return CallReply(*_native_of(engine).call(operation, request))


def explain(code):
    """The rule of a code. An unknown code is a Problem."""
    return rule_of(json.loads(request_raw(None, "getRule", dumps(None, {"code": code})))["rule"])


def rules():
    """All rules, sorted by code."""
    return [rule_of(rule) for rule in json.loads(request_raw(None, "listRules", b"{}"))["rules"]]


def schema_text(name):
    """The text of a JSON Schema of Baton: "universal", "contract", "report" and so on."""
    return request_raw(None, "getSchema", dumps(None, {"name": name})).decode()


def verify_receipt(receipt, vkey, *, document=None, witness_key=(), require_witness=0, any_verdict=False):
    """Verify a receipt offline with the ledger's public keys, and the document when it is given."""
    request = {"receipt": _text_of(receipt), "vkey": _list_of(vkey)}
    if document is not None:
        document, _path = _resolve(document, None, None)
        if isinstance(document, str):
            document = document.encode("utf-8", "surrogatepass")
        if not isinstance(document, (bytes, bytearray)):
            document = dumps(None, document)
        request["document_base64"] = base64.b64encode(document).decode()
    if witness_key:
        request["witness_key"] = _list_of(witness_key)
    if require_witness:
        request["require_witness"] = require_witness
    if any_verdict:
        request["any_verdict"] = True
    return Report(request_raw(None, "verifyReceipt", dumps(None, request)))


def _text_of(receipt):
    if isinstance(receipt, os.PathLike):
        with open(receipt, "rb") as file:
            receipt = file.read(_DOCUMENT_BYTES_MAX + 1)
    if isinstance(receipt, (bytes, bytearray, memoryview)):
        return bytes(receipt).decode("utf-8", "surrogateescape")
    return receipt if isinstance(receipt, str) else value_of(receipt)


def _list_of(keys):
    return [keys] if isinstance(keys, str) else list(keys)
