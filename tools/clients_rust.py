# SPDX-License-Identifier: Apache-2.0
"""clients_rust.py - operations as Rust: a table, and one method of the client for each."""
TYPES = {"string": "&str", "integer": "i64", "boolean": "bool", "strings": "&[&str]", "json": "&Value"}
ANSWERS = {"report": "Report", "outcome": "Report", "submission": "Submission", "object": "Value", "text": "Vec<u8>", "bytes": "Vec<u8>", "events": "Events<'_>"}
RUNS = {"Report": "run_report", "Submission": "run_submission", "Value": "run_value", "Vec<u8>": "run_bytes", "Events<'_>": "run_events"}
RESERVED = {"type", "ref", "match", "move", "self", "use", "as", "in", "fn", "mod", "loop"}
WIDTH = 100


def local(name):
    return name + "_" if name in RESERVED else name


def optional_names(operation):
    """What the options of a method may hold, for its comment."""
    names = [param.name for param in operation.query] + [param.name for param in operation.members if not param.required]
    return names + (["key"] if operation.keyed else []) + (["accept"] if len(operation.accept) > 1 else [])


def constant(operation):
    return operation.snake.upper() + ("_OPERATION" if operation.id == "version" else "")


def row(operation):
    accept = ", ".join(operation.accept)
    return [f"pub(crate) const {constant(operation)}: Operation = Operation {{", f'    id: "{operation.id}",', f'    method: "{operation.method}",', f'    path: "{operation.path}",',
            f"    body: Body::{operation.body.capitalize()},", f'    media: "{operation.media}",', f'    accept: "{accept}",', f"    keyed: {str(operation.keyed).lower()},",
            f"    records: {str(operation.records).lower()},", f"    submits: {str(operation.answer == 'submission').lower()},", "};", ""]


def comment(text):
    """A documentation comment, in lines that are not too long."""
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + len(word) > WIDTH - 12:
            lines.append(line)
            line = ""
        line += (" " if line else "") + word
    return [f"    /// {line}" for line in [*lines, line]]


def method(operation):
    required = [param for param in operation.members if param.required]
    words = ["&self"] + [f"{local(param.name)}: {TYPES[param.type]}" for param in operation.at]
    if operation.body in ("document", "bytes", "json"):
        words.append(("document" if operation.body == "document" else "body") + ": &[u8]")
    words += [f"{local(param.name)}: {TYPES[param.type]}" for param in required]
    names = optional_names(operation)
    words += ["options: &Options"] if names else []
    answer = ANSWERS[operation.answer]
    about = f"{operation.summary[0].upper() + operation.summary[1:]}. `{operation.method} {operation.path}`; scope: {operation.scope.replace('-', 'none')}."
    if names:
        about += " Options: " + ", ".join(f"`{name}`" for name in names) + "."
    head = f"    pub fn {operation.snake}({', '.join(words)}) -> Result<{answer}> {{"
    if len(head) > WIDTH:
        head = "\n".join([f"    pub fn {operation.snake}(", *(f"        {word}," for word in words), f"    ) -> Result<{answer}> {{"])
    mutable = bool(operation.at) or operation.body in ("document", "bytes", "json") or bool(required)
    lines = [*comment(about), head]
    made = f"Call::new(&{constant(operation)}, {'options' if names else '&Options::new()'})"
    if not mutable:
        return lines + [f"        self.{RUNS[answer]}({made})", "    }", ""]
    lines.append(f"        let mut call = {made};")
    lines += [f'        call.set_path("{param.name}", {local(param.name)});' for param in operation.at]
    if operation.body in ("document", "bytes", "json"):
        lines.append(f"        call.set_body({'document' if operation.body == 'document' else 'body'});")
    lines += [f'        call.set_member("{param.name}", json!({local(param.name)}));' for param in required]
    return lines + [f"        self.{RUNS[answer]}(call)", "    }", ""]


def operations(api, notice):
    lines = ["// SPDX-License-Identifier: Apache-2.0", f"// operations.rs - {notice}", "", "use serde_json::{json, Value};", "",
             "use crate::call::{Body, Call, Operation, Options};", "use crate::{Client, Events, Report, Result, Submission};", "",
             "/// The version of the server whose operations these are.", f'pub const VERSION: &str = "{api.version}";', ""]
    for operation in api.operations:
        lines += row(operation)
    lines += ["/// The operations of the server.", "impl Client {"]
    for operation in api.operations:
        lines += method(operation)
    return "\n".join(lines).rstrip("\n") + "\n}\n"
