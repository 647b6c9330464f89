# SPDX-License-Identifier: Apache-2.0
"""clients_model.py - the operations of an OpenAPI document, as the makers of clients need them."""
import dataclasses
import re

ENVELOPE = "application/vnd.baton.request+json"
BYTES = "application/octet-stream"
# Operations whose answer has more than a report.
OUTCOMES = {"repair", "compress", "convert", "sealHandoff", "newHandoff"}
SUBMISSIONS = {"submitHandoff", "governSubmit", "governRespond"}
# Members of an envelope besides documents and options, where they mean something.
ENVELOPE_MEMBERS = {"check": ["input"], "repair": ["answer"], "submitHandoff": ["input"], "contractCheck": ["input"], "contractRepairPrompt": ["input"]}
# Bodies that the document cannot describe: a request to a witness has any media type, a receipt may be wrapped.
RAW_BODIES = {"witnessAddCheckpoint"}
RECEIPT = {"receipt": ({}, True), "vkey": ({"type": "array", "items": {"type": "string"}}, True), "document": ({"type": "string"}, False),
           "document_base64": ({"type": "string"}, False), "witness_key": ({"type": "array", "items": {"type": "string"}}, False),
           "require_witness": ({"type": "integer"}, False), "any_verdict": ({"type": "boolean"}, False)}
REST_PATHS = {"tlogTile"}  # the last parameter of the path may hold slashes


@dataclasses.dataclass
class Param:
    name: str
    type: str  # string, integer, boolean, strings (a list), json (any value)
    required: bool = False


@dataclasses.dataclass
class Operation:
    id: str
    method: str
    path: str
    summary: str
    scope: str
    at: list  # parameters of the path
    query: list
    body: str  # none, document, bytes, json, members
    members: list  # of the body, or of the envelope beside the document
    media: str  # of the body
    answer: str  # report, outcome, submission, object, text, bytes, events
    schema: str  # name of the component that the answer is, or ""
    accept: list  # media types of the answer
    keyed: bool
    records: bool

    @property
    def snake(self):
        return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: "_" + match[1].lower(), self.id)

    @property
    def pascal(self):
        return self.id[0].upper() + self.id[1:]


@dataclasses.dataclass
class Api:
    version: str
    operations: list
    schemas: dict


def type_of(schema):
    if schema.get("enum") == ["true", "false", "1", "0"] or schema.get("type") == "boolean":
        return "boolean"
    if schema.get("type") == "array" and schema.get("items") == {"type": "string"}:
        return "strings"
    if "enum" in schema:
        return "string"
    return schema["type"] if schema.get("type") in ("string", "integer") else "json"


def read_body(identifier, body):
    """Kind, members and media type of a request's body."""
    if not body:
        return ("bytes", [], BYTES) if identifier in RAW_BODIES else ("none", [], "")
    content = body["content"]
    if identifier == "verifyReceipt":
        return "members", [Param(name, type_of(schema), required) for name, (schema, required) in RECEIPT.items()], "application/json"
    if ENVELOPE in content:
        return "document", [Param(name, "json") for name in ENVELOPE_MEMBERS.get(identifier, [])], BYTES if BYTES in content else "application/json"
    if BYTES in content:
        return "bytes", [], BYTES
    if "application/json" not in content:
        return "bytes", [], next(iter(content))
    schema = content["application/json"]["schema"]
    if "properties" not in schema:
        return "json", [], "application/json"
    required = schema.get("required", [])
    members = [Param(name, type_of(part), name in required) for name, part in schema["properties"].items()]
    return "members", sorted(members, key=lambda member: not member.required), "application/json"


def read_answer(identifier, responses):
    """Kind, component and media types of the answer that means success."""
    status = next(status for status in responses if status.startswith("2"))
    content = responses[status]["content"]
    types = list(content)
    schema = content.get("application/json", {}).get("schema", {}).get("$ref", "").rsplit("/", 1)[-1]
    if types == ["text/event-stream"]:
        return "events", "", types
    if schema == "Report":
        return ("outcome" if identifier in OUTCOMES else "submission" if identifier in SUBMISSIONS else "report"), schema, types
    if "application/json" in content and len({"text/plain"} & set(types)) == 0:
        return "object", schema, types
    return ("text" if types[0].startswith("text/") else "bytes"), schema, types


def read_operation(path, method, spec):
    identifier = spec["operationId"]
    params = spec["parameters"]
    body, members, media = read_body(identifier, spec.get("requestBody"))
    answer, schema, accept = read_answer(identifier, spec["responses"])
    keyed = any(param["name"] == "Idempotency-Key" for param in params)
    return Operation(
        id=identifier, method=method.upper(), path=path, summary=spec["summary"], scope=spec["x-baton-scope"],
        at=[Param(param["name"], type_of(param["schema"]), True) for param in params if param["in"] == "path"],
        query=[Param(param["name"], type_of(param["schema"])) for param in params if param["in"] == "query"],
        body=body, members=members, media=media, answer=answer, schema=schema, accept=accept, keyed=keyed,
        records=method != "get" and spec["x-baton-scope"] != "check")


def read(document):
    operations = [read_operation(path, method, spec) for path, methods in document["paths"].items() for method, spec in methods.items()]
    return Api(document["info"]["version"], operations, document["components"]["schemas"])
