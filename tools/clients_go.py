# SPDX-License-Identifier: Apache-2.0
"""clients_go.py - operations as Go: types of answers, a table, and a struct with one method for each."""
import re

TYPES = {"string": "string", "integer": "*int64", "boolean": "*bool", "strings": "[]string", "json": "any"}
REQUIRED = {**TYPES, "integer": "int64", "boolean": "bool"}
RENAMED = {"as": "Dialect"}
INITIALISMS = {"Id": "ID", "Ttl": "TTL", "Sha256": "SHA256", "Url": "URL"}
RESERVED = {"new", "len", "make", "type", "range", "func", "map", "var", "package", "import", "interface", "go", "select", "default"}
# Types that the client itself defines, or that only describe requests.
OWN = {"Problem", "Envelope", "Baton"}
TYPED = {"Entries", "ShownEntry", "Receipt", "ApprovalAnswer", "Approval", "Trace", "Checkpoint", "Inbox"}


def exported(name):
    words = [part[0].upper() + part[1:] for part in re.split(r"[_-]", name) if part]
    return "".join(INITIALISMS.get(word, word) for word in words)


def local(name):
    words = exported(name)
    made = words.lower() if words.isupper() else words[0].lower() + words[1:]
    return made + "_" if made in RESERVED else made


def is_pointer(type_name):
    return type_name.startswith(("*", "[]", "map")) or type_name == "any"


class Types:
    """Go types of JSON Schemas; nested objects get names of their own."""

    def __init__(self, schemas):
        self.lines = []
        for name, schema in schemas.items():
            if name not in OWN:
                self.add(name, schema)

    def type_of(self, schema, name):
        if "$ref" in schema:
            return schema["$ref"].rsplit("/", 1)[-1]
        if "anyOf" in schema:
            other = [part for part in schema["anyOf"] if part != {"type": "null"}]
            return "*" + self.type_of(other[0], name) if len(other) == 1 else "any"
        kind = schema.get("type")
        if isinstance(kind, list):
            plain = self.type_of({**schema, "type": next(word for word in kind if word != "null")}, name)
            return plain if is_pointer(plain) else "*" + plain
        if "enum" in schema or kind == "string":
            return "string"
        if kind == "integer" or isinstance(schema.get("const"), int) and not isinstance(schema.get("const"), bool):
            return "int64"
        if kind == "boolean" or isinstance(schema.get("const"), bool):
            return "bool"
        if kind == "array":
            return "[]" + self.type_of(schema.get("items", {}), name)
        if kind == "object" and "properties" in schema:
            self.add(name, schema)
            return name
        return "map[string]any" if kind == "object" else "any"

    def add(self, name, schema):
        fields = []
        for member, part in schema.get("properties", {}).items():
            plain = self.type_of(part, name + exported(member))
            is_required = member in schema.get("required", [])
            if not is_required and not is_pointer(plain) and plain not in ("string", "int64", "bool"):
                plain = "*" + plain  # other absent members are zero
            fields.append((exported(member), plain, f'`json:"{member}{"" if is_required else ",omitempty"}"`'))
        if name == "Report":
            fields.append(("Raw", "json.RawMessage", '`json:"-"` // the bytes of the answer'))
        about = schema.get("description", f"{name} is a part of an answer.").replace("\n", " ")
        self.lines += [f"// {name}: {about}", f"type {name} struct {{", *aligned(fields), "}", ""]


def aligned(rows):
    """Lines with columns as gofmt writes them."""
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(2)]
    return ["\t" + " ".join([row[0].ljust(widths[0]), row[1].ljust(widths[1]), row[2]]).rstrip() for row in rows]


def optional(operation):
    """Name, Go field, type of what a method takes in its options."""
    rows = [(param.name, RENAMED.get(param.name) or exported(param.name), TYPES[param.type], "query") for param in operation.query]
    rows += [(param.name, exported(param.name), TYPES[param.type], "member") for param in operation.members if not param.required]
    if operation.body == "document":
        rows.append(("", "More", "map[string]string", "more"))
    if operation.keyed:
        rows.append(("", "Key", "string", "key"))
    if len(operation.accept) > 1:
        rows.append(("", "Accept", "string", "accept"))
    return rows


ABOUT = {"key": "// of the call and all its retries; made when it is empty", "accept": "// media type of the answer", "more": "// further options by name"}


def options_type(operation, rows):
    fields = [(name, kind, ABOUT.get(place, "")) for _, name, kind, place in rows]
    return [f"// {operation.pascal}Options are what {operation.pascal} may be given besides.", f"type {operation.pascal}Options struct {{", *aligned(fields), "}", ""]


def answer_of(operation):
    """Type that a method gives, and the zero value to decode into."""
    if operation.answer in ("report", "outcome"):
        return "*Report"
    if operation.answer == "submission":
        return "*Submission"
    if operation.answer == "object":
        return "*" + operation.schema if operation.schema in TYPED else "map[string]any"
    return "*Events" if operation.answer == "events" else "[]byte"


def setting(rows):
    lines = []
    for wire, name, kind, place in rows:
        if place in ("query", "member"):
            function = {"string": "Text", "*int64": "Integer", "*bool": "Boolean", "[]string": "Strings", "any": "Value"}[kind]
            lines.append(f'\t\tcall.{"query" if place == "query" else "member"}{function}("{wire}", options.{name})')
        elif place == "more":
            lines += ["\t\tfor name, value := range options.More {", "\t\t\tcall.queryText(name, value)", "\t\t}"]
        else:
            lines.append(f"\t\tcall.{'Key' if place == 'key' else 'Accept'} = options.{name}")
    return lines


def method(operation):
    rows = optional(operation)
    required = [param for param in operation.members if param.required]
    words = ["ctx context.Context"] + [f"{local(param.name)} {REQUIRED[param.type]}" for param in operation.at]
    if operation.body in ("document", "bytes", "json"):
        words.append(("document" if operation.body == "document" else "body") + " []byte")
    words += [f"{local(param.name)} {REQUIRED[param.type]}" for param in required]
    words += [f"options *{operation.pascal}Options"] if rows else []
    answer = answer_of(operation)
    summary = operation.summary[0].lower() + operation.summary[1:]
    lines = options_type(operation, rows) if rows else []
    lines += [f"// {operation.pascal}: {summary}. {operation.method} {operation.path}; scope: {operation.scope.replace('-', 'none')}.",
              f"func (o Operations) {operation.pascal}({', '.join(words)}) ({answer}, error) {{", f"\tcall := newCall(&table.{operation.pascal})"]
    lines += [f'\tcall.at("{param.name}", {local(param.name)})' for param in operation.at]
    if operation.body in ("document", "bytes", "json"):
        lines.append(f"\tcall.Body = {'document' if operation.body == 'document' else 'body'}")
    lines += [f'\tcall.Members["{param.name}"] = {local(param.name)}' for param in required]
    lines += ["\tif options != nil {", *setting(rows), "\t}"] if rows else []
    if operation.answer == "events":
        return lines + ["\treturn o.Caller.Events(ctx, call)", "}", ""]
    if answer.startswith("*"):
        return lines + [f"\tout := new({answer[1:]})", "\tif err := o.Caller.Run(ctx, call, out); err != nil {", "\t\treturn nil, err", "\t}", "\treturn out, nil", "}", ""]
    return lines + [f"\tvar out {answer}", "\tif err := o.Caller.Run(ctx, call, &out); err != nil {", "\t\treturn nil, err", "\t}", "\treturn out, nil", "}", ""]


def row(operation, width):
    accept = ", ".join(f'"{word}"' for word in operation.accept)
    return ("\t" + f"{operation.pascal}:".ljust(width) + f' Operation{{"{operation.id}", "{operation.method}", "{operation.path}", "{operation.body}", "{operation.media}", '
            f'"{operation.answer}", []string{{{accept}}}, {str(operation.keyed).lower()}, {str(operation.records).lower()}}},')


def operations(api, notice):
    lines = ["// SPDX-License-Identifier: Apache-2.0", "", "// Code generated by tools/gen_clients.py from the OpenAPI document of `baton serve`. DO NOT EDIT.", "", "package generated", "",
             "import (", '\t"context"', '\t"encoding/json"', ")", "", "// Version is that of the server whose operations these are.", f'const Version = "{api.version}"', ""]
    lines += Types(api.schemas).lines
    width = max(len(operation.pascal) for operation in api.operations) + 1
    lines += ["var table = struct {", *(f"\t{operation.pascal.ljust(width - 1)} Operation" for operation in api.operations), "}{",
              *(row(operation, width) for operation in api.operations), "}", "",
              "// ByID are all operations by their operationId.", "var ByID = map[string]*Operation{",
              *("\t" + f'"{operation.id}":'.ljust(width + 2) + f" &table.{operation.pascal}," for operation in api.operations), "}", ""]
    for operation in api.operations:
        lines += method(operation)
    return "\n".join(lines).rstrip("\n") + "\n"
