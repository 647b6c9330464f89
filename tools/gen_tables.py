#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_tables.py header|source|core-source|schema-source|problems-header|problems-source OUTPUT ROOT FILE... - C from *.rules.

The header has the enum of all codes, an enum for each parameter that is a word, and one function per form of
findings that the table describes. The source has the rows, sorted by code and dialect, and the functions. The enum of the
problems and their texts are separate. FILEs are named from ROOT, so that what is made does not depend on where the tree lies.
"""
import pathlib
import sys

from rule_table import NOT_DIALECTS, c_name, read_rules
from table_text import TableError, write_output

NOT_IN_CORE = (*(f"src/{folder}/" for folder in ("trace", "store", "skill", "decide", "evidence", "deliver", "organism", "pump", "wrap")), "src/ledger/log.rules")
NOT_EXPLAINED = (*NOT_IN_CORE, "src/config/", "src/operation/")  # what no document of the core profile is told
IN_SCHEMA = ("src/report/", "src/schema/")  # the tables whose rules schema.wasm has
HEAD = "/* SPDX-License-Identifier: Apache-2.0 */\n/* %s - made by tools/gen_tables.py from *.rules; do not edit. */\n"
C_TYPES = {"text": "bt_str ", "name": "bt_str ", "number": "bt_str ", "json": "bt_str ", "texts": "struct bt_str_list ",
           "integer": "uint64_t ", "bool": "bool "}
CONDITION, PARAM, END = "\1", "\2", "\3"  # enum bt_template_control
TEMPLATE_FORMS = ["plain", "raw", "cut", "long", "list", "words", "or"]  # enum bt_template_form
MEMBERS = {"integer": "integer", "bool": "truth", "texts": "texts", "word": "word"}


def literal(text):
    """A C string literal; what is not plain ASCII is written in octal, which cannot run on."""
    data = text if isinstance(text, bytes) else text.encode()
    plain = {ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n", ord("?"): "\\?"}
    return '"' + "".join(plain.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in data) + '"'


def init(text):
    return f"BT_STR_INIT({literal(text)})"


class Table:
    """All rows in order, and what C calls them."""

    def __init__(self, rules):
        self.rules = rules
        self.codes = sorted({rule.code for rule in rules})
        self.rows = sorted(((rule.code, dialect, rule) for rule in rules for dialect in rule.dialects), key=lambda row: row[:2])
        self.blocks_of = {}
        for rule in rules:
            self.blocks_of[rule.code] = self.blocks_of.get(rule.code, 0) + 1
        self.row_of = {row[:2]: number for number, row in enumerate(self.rows)}
        forms = [form for rule in rules for form in rule.forms]
        self.name_of = {form: f"form_{number}" for number, form in enumerate(forms)
                        if form.is_converted or form.hints or (form.rule.refusals and not form.name)}
        self.converted = [form for form in forms if form.is_converted]

    def stem(self, form):
        """What the names of a form are made of: the code, after the dialect where the code has several blocks, and its own name."""
        rule = form.rule
        dialect = "" if self.blocks_of[rule.code] == 1 else rule.dialects[0] + "_"
        return dialect + rule.code.lower() + ("_" + form.name if form.name else "")

    def enum_of(self, form, param):
        return f"bt_{self.stem(form)}_{param.name}"


def c_type(table, form, param):
    if param.type == "word":
        return f"enum {table.enum_of(form, param)} "
    if param.is_optional and param.type in ("integer", "bool"):
        return f"const {C_TYPES[param.type]}*"
    return C_TYPES[param.type]


def prototype(table, form):
    rule = form.rule
    parameters = ["struct bt_findings *findings"]
    parameters += ["enum bt_dialect_id dialect"] if len(rule.dialects) > 1 else []
    parameters += ["enum bt_severity severity"] if rule.severity_varies else []
    parameters += ["enum bt_fix fix"] if rule.fix_varies else []
    parameters += ["bool security"] if rule.security_varies else []
    parameters += ["struct bt_location at"]
    parameters += ["bt_str composed"] if form.is_composed else []
    parameters += [c_type(table, form, param) + param.c_name for param in form.params]
    return f"enum bt_status bt_add_{table.stem(form)}({', '.join(parameters)})"


def put_word_enum(out, table, form, param):
    name = table.enum_of(form, param)
    out.append(f"enum {name} {{\n    {name.upper()}__NONE = 0,\n")
    out.extend(f"    {name.upper()}_{c_name(word).upper()}, /* {word} */\n" for word in param.words)
    out.append("};\n")


def make_header(table):
    out = [HEAD % "rules.h", "#ifndef BATON_SRC_REPORT_RULES_H\n#define BATON_SRC_REPORT_RULES_H\n\n#include \"report/add.h\"\n\n"]
    out.append("/* Every code, sorted. The value is that of this build: nothing stores it. */\nenum bt_code {\n    BT_CODE_NONE = 0,\n")
    out.extend(f"    BT_CODE_{code},\n" for code in table.codes)
    out.append("    BT_CODE__MAX,\n};\n\n")
    out.append(f"enum {{ BT_RULES_COUNT = {len(table.rows)} }};\n\n")
    out.append("/* All rules, sorted by code, then dialect. */\nextern const struct bt_rule bt_rules[BT_RULES_COUNT];\n")
    out.append("/* The index of the first rule of each code; BT_RULES_COUNT for BT_CODE__MAX. */\nextern const uint16_t bt_rules_first[BT_CODE__MAX + 1];\n\n")
    out.append("/* Names of parameters that are hidden from callers who may not see agents, sorted; the last one is empty. */\n")
    out.append("extern const bt_str bt_topology_params[];\n\n")
    for form in table.converted:
        for param in form.params:
            if param.type == "word":
                put_word_enum(out, table, form, param)
    out.append("\n")
    for form in table.converted:
        rule = form.rule
        out.append(f"/* {rule.severity}, {rule.stage}: {rule.meaning} */\nBT_MUST_USE {prototype(table, form)};\n")
    out.append("\n#endif\n")
    return "".join(out)


def put_params(out, name, form):
    for number, param in enumerate(form.params):
        if param.type == "word":
            words = ", ".join(['BT_STR_INIT("")', *(init(word) for word in param.words)])
            out.append(f"static const bt_str {name}_words_{number}[] = {{{words}}};\n")
    if not form.params:
        return
    out.append(f"static const struct bt_rule_param {name}_params[] = {{\n")
    for number, param in enumerate(form.params):
        words = f", .words = {name}_words_{number}, .word_count = {len(param.words)}" if param.type == "word" else ""
        marks = "".join(f", .{mark} = true" for mark, is_set in (("is_null", param.is_null), ("is_optional", param.is_optional),
                                                                  ("is_hidden", param.is_hidden), ("is_topology", param.is_topology), ("is_cut", param.is_cut)) if is_set)
        out.append(f"    {{.name = {init(param.name)}, .type = BT_PARAM_{param.type.upper()}{marks}{words}}},\n")
    out.append("};\n")


def letter(number):
    """A small number as a template has it."""
    if not 0 <= number < 58:
        raise TableError(f"{number} is too large for a template")
    return chr(ord("A") + number)


def template_text(template):
    """One template, as src/report/add.h describes it."""
    if any(character < " " for text, _, _ in template.pieces for character in text):
        raise TableError(f"line {template.line}: a text has a control character")
    conditions = "".join(CONDITION + letter(condition.index) + letter(condition.choice) for condition in template.conditions)
    holes = ((text, "" if index is None else PARAM + letter(index) + letter(TEMPLATE_FORMS.index(form or "plain"))) for text, index, form in template.pieces)
    return conditions + "".join(text + hole for text, hole in holes) + END


def templates_text(templates):
    return "".join(template_text(template) for template in templates if not template.is_composed)


def put_form(out, name, form):
    put_params(out, name, form)
    refusals = [] if form.name else form.rule.refusals
    if refusals:
        out.append(f"static const struct bt_rule_refusal {name}_refusals[] = {{\n")
        for refusal in refusals:
            when = f", .param = {init(refusal.param)}, .word = {init(refusal.word)}" if refusal.param else ', .param = BT_STR_INIT(""), .word = BT_STR_INIT("")'
            out.append(f"    {{.kind = BT_REFUSAL_{refusal.kind.upper()}{when}}},\n")
        out.append("};\n")
    parts = [("params", "param_count", len(form.params)), ("refusals", "refusal_count", len(refusals))]
    members = "".join(f"\n    .{part} = {name}_{part}, .{count_name} = {count}," for part, count_name, count in parts if count)
    members += f"\n    .messages = {init(templates_text(form.messages))},\n    .hints = {init(templates_text(form.hints))},"
    out.append(f"static const struct bt_rule_form {name} = {{{members}\n}};\n\n")


def put_row(out, table, code, dialect, rule, is_core=False):
    """In a core build a row has no examples, no form of a folder that is left out there, and no explanation where no document needs one."""
    out.append(f"    [{table.row_of[code, dialect]}] = {{ /* {rule.block.path}:{rule.block.line} */\n")
    out.append(f"        .id = BT_CODE_{code}, .code = {init(code)}, .dialect = {init(dialect)}, .dialect_id = BT_DIALECT_{'NONE' if dialect in NOT_DIALECTS else dialect.upper()},\n")
    out.append(f"        .severity = BT_SEVERITY_{rule.severity.upper()}, .stage = BT_STAGE_{rule.stage.upper()}, .fix = BT_FIX_{rule.fix.upper()},")
    out.append(f" .security = {'true' if rule.security == 'yes' else 'false'}, .note = BT_RULE_NOTE_{rule.note.upper()},\n")
    needs = " | ".join(f"BT_RULE_NEED_{need.upper()}" for need in rule.needs)
    out.append(f"        .needs = {needs},\n" if needs else "")
    is_left_out = is_core and rule.block.path.startswith(NOT_IN_CORE)
    texts = {"meaning": rule.meaning, "explanation": "" if is_core and rule.block.path.startswith(NOT_EXPLAINED) else rule.explain, "bad": "" if is_core else rule.bad, "good": "" if is_core else rule.good}
    out.extend(f"        .{member} = {init(text)},\n" for member, text in texts.items())
    form = None if is_left_out else table.name_of.get(rule.forms[0])
    out.append(f"        .form = &{form},\n" if form else "")
    out.append("    },\n")


def argument(param):
    value = param.c_name
    absent = ""
    if param.is_optional:
        test = {"texts": f"!{value}.items", "integer": f"!{value}", "bool": f"!{value}", "word": f"{value} == 0"}.get(param.type, f"!{value}.ptr")
        absent = f".is_absent = {test}, "
        if param.type in ("integer", "bool"):
            value = f"{value} ? *{value} : 0"
    if param.type == "word":
        value = f"(unsigned){value}"
    return f"        {{{absent}.as.{MEMBERS.get(param.type, 'text')} = {value}}},\n"


def put_function(out, table, form):
    rule, name = form.rule, table.name_of[form]
    row = table.row_of[rule.code, sorted(rule.dialects)[0]]
    chosen = f"bt_rule_of_dialect(BT_CODE_{rule.code}, dialect)" if len(rule.dialects) > 1 else f"&bt_rules[{row}]"
    out.append(f"{prototype(table, form)}\n{{\n")
    if form.params:
        out.append("    struct bt_finding_arg args[] = {\n")
        out.extend(argument(param) for param in form.params)
        out.append("    };\n")
    varying = [key for key in ("severity", "fix", "security") if getattr(rule, key + "_varies")]
    if not varying and not form.is_composed:
        out.append(f"    return bt_findings_add_form(findings, {chosen}, {'&' + name if form.name else 'NULL'}, &at, {'args' if form.params else 'NULL'});\n}}\n\n")
        return
    out.append(f"    struct bt_new_finding added = bt_new_finding({chosen}, at);\n")
    out.append(f"    added.form = &{name};\n" if form.name else "")
    out.extend(f"    added.{key} = {key};\n" for key in varying)
    out.append("    added.message = composed;\n" if form.is_composed else "")
    out.append(f"    added.args = args;\n    added.arg_count = {len(form.params)};\n" if form.params else "")
    out.append("    return bt_findings_add_new(findings, &added);\n}\n\n")


def make_source(table, is_core=False, folders=""):
    """The rows of tables that do not lie in one of the folders are left empty."""
    out = [HEAD % "rules.c", "#include \"report/rules.h\"\n\n"]
    for form, name in table.name_of.items():
        put_form(out, name, form)
    out.append("const struct bt_rule bt_rules[BT_RULES_COUNT] = {\n")
    for code, dialect, rule in table.rows:
        if rule.block.path.startswith(folders):
            put_row(out, table, code, dialect, rule, is_core)
    out.append("};\n\nconst uint16_t bt_rules_first[BT_CODE__MAX + 1] = {\n    0,\n")
    firsts = {}
    for number, (code, _, _) in enumerate(table.rows):
        firsts.setdefault(code, number)
    out.extend(f"    [BT_CODE_{code}] = {firsts[code]},\n" for code in table.codes)
    out.append("    [BT_CODE__MAX] = BT_RULES_COUNT,\n};\n\n")
    names = sorted({param.name for form in table.converted for param in form.params if param.is_topology})
    out.append("const bt_str bt_topology_params[] = {\n" + "".join(f"    {init(name)},\n" for name in [*names, ""]) + "};\n\n")
    for form in table.converted:
        put_function(out, table, form)
    return "".join(out)


def make_problems_header(table):
    out = [HEAD % "problem_ids.h", "#ifndef BATON_SRC_OPERATION_PROBLEM_IDS_H\n#define BATON_SRC_OPERATION_PROBLEM_IDS_H\n\n"]
    out.append("/* Why a request could not be served; never a finding. */\nenum bt_problem {\n    BT_PROBLEM_NONE = 0,\n")
    out.extend(f"    BT_PROBLEM_{rule.code}, /* {rule.status}: {rule.title} */\n" for rule in table.rules if rule.is_problem)
    out.append("    BT_PROBLEM__MAX,\n};\n\n#endif\n")
    return "".join(out)


def make_problems_source(table):
    out = [HEAD % "problems.c", "#include \"operation/problem.h\"\n\nconst struct bt_problem_row bt_problems[BT_PROBLEM__MAX] = {\n"]
    out.append("    [BT_PROBLEM_NONE] = {BT_STR_INIT(\"\"), 0, BT_STR_INIT(\"\"), BT_STR_INIT(\"\")},\n")
    for rule in table.rules:
        if rule.is_problem:
            out.append(f"    [BT_PROBLEM_{rule.code}] = {{{init(rule.code)}, {rule.status}, {init(rule.title)},\n        {init(rule.detail)}}},\n")
    return "".join(out) + "};\n"


MAKERS = {"header": make_header, "source": make_source, "core-source": lambda table: make_source(table, True),
          "schema-source": lambda table: make_source(table, True, IN_SCHEMA), "problems-header": make_problems_header, "problems-source": make_problems_source}


def main(arguments):
    if len(arguments) < 3 or arguments[0] not in MAKERS:
        print(f"usage: gen_tables.py {'|'.join(MAKERS)} OUTPUT ROOT FILE...", file=sys.stderr)
        return 2
    kind, output, root = arguments[0], pathlib.Path(arguments[1]), pathlib.Path(arguments[2])
    try:
        table = Table(read_rules({name: (root / name).read_bytes() for name in arguments[3:]}))
    except TableError as why:
        print(why, file=sys.stderr)
        return 1
    write_output(output, MAKERS[kind](table))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
