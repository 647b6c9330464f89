#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_operations.py header|source|storeless-source|core-source OUTPUT ROOT FILE... - C from *.ops.

The header has the enum of all operations, the places of their arguments and the functions that run them. The source has their rows, the orders in which they are shown, and the JSON Schemas
of bodies and arguments. The storeless source is for builds without a store: no operation that needs one runs. The core source is the same without what only servers show or run. FILEs are named from ROOT, so that what is made does not depend on where the tree lies.
"""
import json
import pathlib
import sys

from operation_table import Table
from table_text import TableError, write_output

HEAD = "/* SPDX-License-Identifier: Apache-2.0 */\n/* %s - made by tools/gen_operations.py from *.ops; do not edit. */\n"
KEY_PATTERN = "^[A-Za-z0-9._:-]{1,128}$"


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def literal(text):
    return "NULL" if text is None else json.dumps(text)


def init(text):
    return f"BT_STR_INIT({json.dumps(text)})"


def c_name(name):
    return name.replace(".", "_")


def enum_of(operation):
    return "BT_OPERATION_" + c_name(operation.name).upper()


def bits(prefix, words):
    return " | ".join(f"{prefix}{word.upper()}" for word in words) or "0"


# ---- JSON Schemas ---------------------------------------------------------------------------------------------------------


def bounds_of(param):
    return {long: param.bounds[short] for short, long in (("min", "minimum"), ("max", "maximum")) if short in param.bounds}


def type_schema(param, place):
    """The JSON Schema of one value of a parameter in a body or a tool."""
    if param.type == "list":
        return object_schema([(member.name, member) for member in param.members], "body")
    if param.type == "integer":
        return {"type": "integer", **bounds_of(param)}
    if param.type == "word":
        return {"enum": param.choices}
    if param.type == "json":
        return {"type": param.choices[0] if len(param.choices) == 1 else param.choices} if param.choices else {}
    if param.type in ("document", "schema"):
        return {"type": ["string", "object"]} if place == "tool" else {}
    if param.type == "bool":
        return {"type": "boolean"}
    if place == "tool" and param.type == "id":
        return {"type": ["string", "integer"], "minLength": 1, "minimum": 0}
    if place == "tool" and param.type == "name":
        return {"type": "string", "minLength": 1}
    return {"type": "string", "pattern": KEY_PATTERN} if param.type == "key" else {"type": "string"}


def param_schema(param, place):
    schema = type_schema(param, place)
    if param.repeated or param.type == "list":
        return {"type": "array", "items": schema}
    return {**schema, "description": param.help} if place == "tool" and param.help else schema


def object_schema(params, place):
    return {"type": "object", "additionalProperties": False, "required": [name for name, param in params if param.required or param.expected],
            "properties": {name: param_schema(param, place) for name, param in params}}


def takes_object(operation):
    """True when the body is a JSON object of parameters, and not the content of one."""
    return bool(operation.rest.lists["takes"]) and not operation.params_in("content")


def body_schema(operation):
    """The schema of a body of JSON: what the content is, else a closed object of members."""
    content = operation.params_in("content")
    if not operation.rest.lists["takes"]:
        return None
    return compact(param_schema(content[0][1], "body") if content and content[0][1].type == "json" else {} if content
                   else object_schema(operation.params_in("body"), "body"))


def tool_input(operation):
    """The members `properties` and `required` of the schema of a tool's arguments."""
    params = operation.params_in("tool")
    text = '"properties":' + compact({name: param_schema(param, "tool") for name, param in params})
    required = [name for name, param in params if param.required]
    return text + (',"required":' + compact(required) if required else "")


# ---- C --------------------------------------------------------------------------------------------------------------------


def make_header(table):
    out = [HEAD % "operation_ids.h", "#ifndef BATON_SRC_OPERATION_OPERATION_IDS_H\n#define BATON_SRC_OPERATION_OPERATION_IDS_H\n\n#include <baton/base.h>\n\n"]
    out.append("/* Every operation. The value is that of this build: nothing stores it. */\nenum bt_operation_id {\n")
    out.extend(f"    {enum_of(operation)}, /* {operation.block.path}:{operation.block.line} */\n" for operation in table.operations)
    out.append("    BT_OPERATION__MAX,\n};\n\nenum {\n")
    out.extend(f"    BT_OPERATIONS_{name.upper()}_COUNT = {len(rows)},\n" for name, rows in table.lists.items())
    out.append("};\n\nstruct bt_call;\nstruct bt_args;\n\n/* Runs an operation with arguments that fit its row, and sets the result of the call. */\n")
    out.append("typedef enum bt_status bt_operation_fn(struct bt_call *call, const struct bt_args *args);\n\n")
    for operation in table.operations:
        slots = operation.slots()
        if slots:
            out.append("enum {\n" + "".join(f"    BT_ARG_{c_name(operation.name).upper()}_{name.upper()} = {number},\n" for name, number in slots.items()) + "};\n")
    out.append("\n")
    out.extend(f"bt_operation_fn {run};\n" for run in sorted({operation.run for operation in table.operations if operation.run}))
    out.append("\n#endif\n")
    return "".join(out)


def put_params(out, name, params):
    """One row for each name that a parameter has, with the places where it has it."""
    for number, param in enumerate(params):
        if param.type in ("word", "json") and param.choices:
            out.append(f"static const bt_str {name}_words_{number}[] = {{{', '.join(init(word) for word in param.choices)}}};\n")
        if param.type == "list":
            put_params(out, f"{name}_members_{number}", param.members)
    out.append(f"static const struct bt_operation_param {name}[] = {{\n")
    count = 0
    for number, param in enumerate(params):
        for spelled in dict.fromkeys(param.places.values()):
            places = bits("BT_IN_", [place for place, there in param.places.items() if there == spelled])
            marks = "".join(f", .is_{mark} = true" for mark in ("required", "repeated", "unchecked") if getattr(param, mark))
            low, high = param.bounds.get("min", 0), param.bounds.get("max")
            limits = f", .min = {low}, .max = {high if high is not None else 'INT64_MAX'}" if param.type in ("integer", "seq") else ""
            extra = f", .words = {name}_words_{number}, .word_count = {len(param.choices)}" if param.type in ("word", "json") and param.choices else ""
            extra += f", .members = {name}_members_{number}, .member_count = {len(param.members)}" if param.type == "list" else ""
            out.append(f"    {{.name = {init(spelled)}, .type = BT_OPERATION_PARAM_{param.type.upper()}, .places = {places}{marks}{limits}{extra}}},\n")
            count += 1
    out.append("};\n")
    return count


def put_operation(out, operation, count, has_store, is_core=False):
    run = operation.run if has_store or not needs_store(operation) else None
    out.append(f"    [{enum_of(operation)}] = {{ /* {operation.block.path}:{operation.block.line} */\n")
    if not is_core:
        out.append(f"        .name = {literal(operation.name)}, .summary = {literal(operation.summary)},\n        .about = {literal(operation.about or operation.summary)},\n")
    out.append(f"        .scopes = {bits('BT_SCOPE_', operation.scopes)}, .effects = {bits('BT_EFFECT_', operation.effects)}, .outcomes = {bits('BT_OUTCOME_', operation.outcomes)},\n")
    out.append(f"        .cache = BT_CACHE_{operation.cache.upper()}, .run = {run or 'NULL'},\n")
    if count:
        out.append(f"        .params = params_{c_name(operation.name)}, .param_count = {count},\n")
    rest = operation.rest
    if rest and is_core:
        out.append(f"        .rest = {{.method = BT_REST_{rest.method}, .operation_id = {literal(rest.operation_id)}}},\n")
    elif rest:
        lists = ", ".join(f".{key} = {literal(' '.join(rest.lists[key]) or None)}" for key in ("takes", "gives"))
        out.append(f"        .rest = {{.method = BT_REST_{rest.method}, .path = {literal(rest.path)}, .operation_id = {literal(rest.operation_id)}, {lists},\n")
        out.append(f"                 .takes_object = {str(takes_object(operation)).lower()},\n")
        out.append(f"                 .body = {literal(body_schema(operation))}, .result = {literal(operation.result[0])}}},\n")
    if operation.tool and not is_core:
        out.append(f"        .tool = {{.name = {literal(operation.tool)}, .description = {literal(operation.tool_text)}, .scopes = {bits('BT_SCOPE_', operation.tool_scopes)},\n")
        out.append(f"                 .input = {literal(tool_input(operation))}, .output = {literal(operation.result[1])}}},\n")
    if operation.skill and not is_core:
        out.append(f"        .skill = {{.id = {literal(operation.skill)}, .name = {literal(operation.skill_name)}, .description = {literal(operation.skill_text)}}},\n")
    out.append("    },\n")


def needs_store(operation):
    return bool({"reads_store", "records"} & set(operation.effects)) or operation.name.startswith("witness.")


def make_source(table, has_store=True, is_core=False):
    out = [HEAD % "operations.c", '#include "operation/table.h"\n\n']
    counts = {}
    # bt_call() runs nothing else in a core build, and refuses what needs a store before it reads arguments.
    shown = [operation for operation in table.operations if not is_core or operation in table.lists["calls"]]
    for operation in shown:
        has_params = operation.params and not (is_core and needs_store(operation))
        counts[operation.name] = put_params(out, "params_" + c_name(operation.name), operation.params) if has_params else 0
    out.append("\nconst struct bt_operation bt_operations[BT_OPERATION__MAX] = {\n")
    for operation in shown:
        put_operation(out, operation, counts[operation.name], has_store, is_core)
    out.append("};\n")
    for name, rows in table.lists.items():
        out.append(f"\nconst enum bt_operation_id bt_operations_{name}[BT_OPERATIONS_{name.upper()}_COUNT] = {{\n")
        out.extend(f"    {enum_of(operation)},\n" for operation in rows)
        out.append("};\n")
    out.append("\nconst struct bt_operation_tag bt_operation_tags[] = {\n")
    out.extend(f"    {{{literal(name)}, {literal(about)}, {literal(' '.join(under))}}},\n" for name, about, under in table.tags[:1 if is_core else None])
    out.append(f"}};\n\nconst size_t bt_operation_tag_count = {1 if is_core else len(table.tags)};\n")
    return "".join(out)


def main(arguments):
    makers = {"header": make_header, "source": make_source, "storeless-source": lambda table: make_source(table, False),
              "core-source": lambda table: make_source(table, False, True)}
    if len(arguments) < 4 or arguments[0] not in makers:
        print("usage: gen_operations.py header|source|storeless-source|core-source OUTPUT ROOT FILE...", file=sys.stderr)
        return 2
    kind, output, root = arguments[0], pathlib.Path(arguments[1]), pathlib.Path(arguments[2])
    try:
        table = Table({name: (root / name).read_bytes() for name in arguments[3:]})
    except TableError as why:
        print(why, file=sys.stderr)
        return 1
    write_output(output, makers[kind](table))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
