# SPDX-License-Identifier: Apache-2.0
"""clients_python.py - operations as Python: a table, and a class with one method for each."""
import keyword

TYPES = {"string": "str", "integer": "int", "boolean": "bool", "strings": "Sequence[str]", "json": "Any"}
ANSWERS = {"report": "Report", "outcome": "Outcome", "submission": "Submission", "object": "dict[str, Any]", "text": "Any", "bytes": "bytes",
           "events": "Iterator[dict[str, Any]]"}
RENAMED = {"as": "dialect"}
RENAMED_IN = {"convert": {"from": "source_dialect"}}
WIDTH = 150


def name_of(operation, param):
    name = RENAMED_IN.get(operation.id, {}).get(param.name) or RENAMED.get(param.name, param.name)
    return name + "_" if keyword.iskeyword(name) else name


def optional(operation, param):
    return f"{name_of(operation, param)}: {TYPES[param.type]} | None = None"


def parameters(operation):
    """The parameters of a method, after self."""
    query = [param for param in operation.query if param.name != "document"]  # the document itself has that name
    given = [f"{name_of(operation, param)}: {TYPES[param.type]}" for param in operation.at]
    named = []
    if operation.body == "document":
        given += ["document: Document", "/"]
        leading = [param for param in query if param.name == "as"]
        given += [optional(operation, param) for param in leading]
        named = [optional(operation, param) for param in query if param not in leading] + [optional(operation, param) for param in operation.members]
    else:
        if operation.body in ("bytes", "json"):
            given += ["body: Document"]
        for member in operation.members:
            given.append(f"{name_of(operation, member)}: {TYPES[member.type]}" if member.required else optional(operation, member))
        named = [optional(operation, param) for param in query]
    if operation.keyed:
        named.append("key: str | None = None")
    if len(operation.accept) > 1:
        named.append("accept: str | None = None")
    extra = ["**options: Any"] if operation.body == "document" else []
    return given + (["*"] + named if named else []) + extra


def pairs(operation, params):
    return "{" + ", ".join(f'"{param.name}": {name_of(operation, param)}' for param in params) + "}"


def arguments(operation):
    """What the method hands on."""
    query = [param for param in operation.query if not (operation.body == "document" and param.name == "document")]
    words = [f'OPERATIONS["{operation.id}"]']
    if operation.at:
        words.append(f"at={pairs(operation, operation.at)}")
    if operation.body == "document":
        words.append("query={" + "".join(f'"{param.name}": {name_of(operation, param)}, ' for param in query) + "**options}")
    elif query:
        words.append(f"query={pairs(operation, query)}")
    if operation.body == "document":
        words.append("body=document")
    elif operation.body in ("bytes", "json"):
        words.append("body=body")
    if operation.members:
        words.append(f"members={pairs(operation, operation.members)}")
    if operation.keyed:
        words.append("key=key")
    if len(operation.accept) > 1:
        words.append("accept=accept")
    return words


def packed(text, width):
    """Lines of at most so many characters, broken after commas."""
    lines = [""]
    for part in text.split(", "):
        if lines[-1] and len(lines[-1]) + len(part) + 2 > width:
            lines.append("")
        lines[-1] += part + ", "
    return [line.rstrip() for line in lines]


def wrapped(head, words, tail, indent):
    """`head(words)tail` on one line, or on several."""
    line = f"{indent}{head}({', '.join(words)}){tail}"
    if len(line) <= WIDTH:
        return line
    inner = packed(", ".join(words), WIDTH - len(indent) - 8)
    return "\n".join([f"{indent}{head}(", *(f"{indent}        {part}" for part in inner)])[:-1] + f"){tail}"


def method(operation, is_async):
    answer = ANSWERS[operation.answer]
    waits = is_async and operation.answer != "events"
    if is_async:
        answer = answer.replace("Iterator", "AsyncIterator")
    run = "_events" if operation.answer == "events" else "_run"
    head = ("async def " if waits else "def ") + operation.snake
    returned = ("return await " if waits else "return ") + f"self.{run}"
    lines = [wrapped(head, ["self", *parameters(operation)], f" -> {answer}:", "    "),
             f'        """{operation.summary[0].upper() + operation.summary[1:]}. {operation.method} {operation.path}; scope: {operation.scope.replace("-", "none")}."""',
             wrapped(returned, arguments(operation), "", "        ")]
    return "\n".join(lines) + "\n"


def row(operation):
    return (f'    "{operation.id}": Operation("{operation.id}", "{operation.method}", "{operation.path}", "{operation.body}", "{operation.media}", '
            f'"{operation.answer}", {tuple(operation.accept)!r}, keyed={operation.keyed}, records={operation.records}),').replace("'", '"')


HEAD = '''# SPDX-License-Identifier: Apache-2.0
"""{name} - {notice}"""
from __future__ import annotations

from collections.abc import {abstract}
from typing import Any
'''


def methods(api, is_async):
    run = "async def _run" if is_async else "def _run"
    lines = ["    " + run + "(self, operation: Operation, **call: Any) -> Any:", "        raise NotImplementedError", "",
             f"    def _events(self, operation: Operation, **call: Any) -> {'AsyncIterator' if is_async else 'Iterator'}[dict[str, Any]]:",
             "        raise NotImplementedError", ""]
    return "\n".join(lines) + "\n" + "\n".join(method(operation, is_async) for operation in api.operations)


def operations(api, notice):
    return (HEAD.format(name="operations.py", notice=notice, abstract="Iterator, Sequence") + "\nfrom .._wire import Document, Operation, Outcome, Report, Submission\n\n"
            + f'VERSION = "{api.version}"\n' + "OPERATIONS = {\n" + "\n".join(row(operation) for operation in api.operations) + "\n}\n\n\n"
            + 'class Operations:\n    """One method for each operation of the server."""\n\n' + methods(api, False))


def aio_operations(api, notice):
    return (HEAD.format(name="aio_operations.py", notice=notice, abstract="AsyncIterator, Sequence") + "\nfrom .._wire import Document, Operation, Outcome, Report, Submission\n"
            + "from .operations import OPERATIONS\n\n\n" + 'class Operations:\n    """One coroutine for each operation of the server."""\n\n' + methods(api, True))
