# SPDX-License-Identifier: Apache-2.0
"""clients_typescript.py - operations as TypeScript: types of answers, a table, and a class with one method for each."""
import json
import re

TYPES = {"string": "string", "integer": "number", "boolean": "boolean", "strings": "string[]", "json": "unknown"}
ANSWERS = {"report": "Report", "outcome": "Outcome", "submission": "Submission", "text": "string", "bytes": "Uint8Array"}
# Types that the package defines by hand, or that only describe requests.
OWN = {"Problem", "Envelope", "Report", "Finding", "Document"}
RESERVED = {"new", "default", "delete", "in", "for", "with"}
WIDTH = 150


def local(name):
    return name + "_" if name in RESERVED else name


def member_name(name):
    return name if re.fullmatch(r"[A-Za-z_]\w*", name) else json.dumps(name)


def type_of(schema):
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[-1].replace("Document", "JudgedDocument")
    if "anyOf" in schema:
        return " | ".join(type_of(part) for part in schema["anyOf"])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(word) for word in schema["enum"])
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(type_of({**schema, "type": word}) for word in kind)
    if kind == "array":
        inner = type_of(schema.get("items", {}))
        return f"Array<{inner}>"
    if kind == "object" and "properties" in schema:
        return "{ " + "; ".join(members(schema)) + " }"
    return {"string": "string", "integer": "number", "boolean": "boolean", "null": "null", "object": "Record<string, unknown>"}.get(kind, "unknown")


def members(schema):
    required = schema.get("required", [])
    return [f"{member_name(name)}{'' if name in required else '?'}: {type_of(part)}" for name, part in schema.get("properties", {}).items()]


def interface(name, schema):
    about = schema.get("description", "")
    return [f"/** {about} */", f"export interface {name} {{", *(f"  {line};" for line in members(schema)), "}", ""]


def optional(operation):
    rows = [f"{member_name(param.name)}?: {TYPES[param.type]}" for param in operation.query]
    rows += [f"{member_name(param.name)}?: {TYPES[param.type]}" for param in operation.members if not param.required]
    rows += ["key?: string"] if operation.keyed else []
    return rows + (["accept?: string"] if len(operation.accept) > 1 else [])


def answer_of(operation):
    if operation.answer == "object":
        return operation.schema if operation.schema and operation.schema not in OWN else "Record<string, unknown>"
    return ANSWERS[operation.answer]


def wrapped(words, tail, head):
    line = f"  {head}({', '.join(words)}){tail}"
    if len(line) <= WIDTH:
        return [line]
    return [f"  {head}(", *(f"    {word}," for word in words), f"  ){tail}"]


def method(operation):
    required = [param for param in operation.members if param.required]
    rows = optional(operation)
    words = [f"{local(param.name)}: {TYPES[param.type]}" for param in operation.at]
    has_body = operation.body in ("document", "bytes", "json")
    words += [("document" if operation.body == "document" else "body") + ": Doc"] if has_body else []
    words += [f"{local(param.name)}: {TYPES[param.type]}" for param in required]
    words += [f"options: {operation.pascal}Options = {{}}"] if rows else []
    call = []
    if operation.at:
        call.append("at: { " + ", ".join(f"{param.name}: {local(param.name)}" for param in operation.at) + " }")
    if has_body:
        call.append("body: document" if operation.body == "document" else "body")
    if required:
        call.append("members: { " + ", ".join(f"{param.name}: {local(param.name)}" for param in required) + " }")
    call += ["options"] if rows else []
    made = "{ " + ", ".join(call) + " }" if call else "{}"
    about = f"  /** {operation.summary[0].upper() + operation.summary[1:]}. {operation.method} {operation.path}; scope: {operation.scope.replace('-', 'none')}. */"
    lines = []
    if rows:
        lines = [f"export interface {operation.pascal}Options {{", *(f"  {row};" for row in rows),
                 *(["  [name: string]: unknown;"] if operation.body == "document" else []), "}", ""]
    if operation.answer == "events":
        body = [about, *wrapped(words, ": AsyncGenerator<Record<string, unknown>> {", operation.id), f"    return this.events(OPERATIONS.{operation.id}, {made});", "  }", ""]
    else:
        body = [about, *wrapped(words, f": Promise<{answer_of(operation)}> {{", operation.id), f"    return this.run(OPERATIONS.{operation.id}, {made});", "  }", ""]
    return lines, body


def row(operation):
    accept = ", ".join(operation.accept)
    names = [param.name for param in operation.members]
    return (f'  {operation.id}: {{ id: "{operation.id}", method: "{operation.method}", path: "{operation.path}", body: "{operation.body}", media: "{operation.media}", '
            f'answer: "{operation.answer}", accept: "{accept}", keyed: {str(operation.keyed).lower()}, records: {str(operation.records).lower()}, members: {json.dumps(names)} }},')


HEAD = """import type { Doc } from "../src/json.js";
import type { Outcome, Report } from "../src/report.js";

/** One row of the table of operations. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  body: string;
  media: string;
  answer: string;
  accept: string;
  keyed: boolean;
  records: boolean;
  members: string[];
}

/** What one use of an operation is given. */
export interface Call {
  at?: Record<string, unknown>;
  body?: Doc;
  members?: Record<string, unknown>;
  options?: object;
}

/** What became of a handoff that was accepted. */
export interface Submission {
  record: Record_ | null;
  receipt: Receipt | null;
  delivery: Delivery | null;
  report: Report | null;
  answer: Record<string, unknown>;
}
"""


def operations(api, notice):
    lines = ["// SPDX-License-Identifier: Apache-2.0", f"// operations.ts - {notice}", "", HEAD, f'export const VERSION = "{api.version}";', ""]
    for name, schema in api.schemas.items():
        if name not in OWN:
            lines += interface("Record_" if name == "Record" else name, schema)
    lines += ["/** Keep the names of the rows while their type is checked. */", "function makeTable<T extends Record<string, Operation>>(rows: T): T {", "  return rows;", "}", "",
              "export const OPERATIONS = makeTable({", *(row(operation) for operation in api.operations), "});", ""]
    bodies = []
    for operation in api.operations:
        options, body = method(operation)
        lines += options
        bodies += body
    lines += ["/** One method for each operation of the server. */", "export abstract class Operations {",
              "  protected abstract run<T>(operation: Operation, call: Call): Promise<T>;",
              "  protected abstract events(operation: Operation, call: Call): AsyncGenerator<Record<string, unknown>>;", "", *bodies]
    return "\n".join(lines).rstrip("\n") + "\n}\n"
