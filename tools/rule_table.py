# SPDX-License-Identifier: Apache-2.0
"""rule_table.py - *.rules -> rules: what each key means, and what is refused.

A file begins with `dialect NAME`, the dialect of its rules, and may say what their good example is; then come blocks `rule CODE`. The keys are in KEYS. A rule with
`status` is a problem, which answers a request and is never a finding: its keys are in PROBLEM_KEYS.
"""
import re

from table_text import Block, TableError, read_blocks

SEVERITIES = ("HARD", "WARN", "INFO", "none")
STAGES = ("read", "schema", "budget", "semantics", "governance", "record", "deliver", "none")
FIXES = ("none", "safe", "unsafe")
NEEDS = ("store", "caller", "root")  # what a rule looks at beyond the document
NOTES = ("none", "tampering", "leak")  # what text reports add about its findings
REFUSALS = ("malformed", "unprocessable", "forbidden", "conflict", "too_large", "unavailable", "gone")
NOT_DIALECTS = ("http", "hook", "baseline")  # names of rules that are not about documents; all others are in enum bt_dialect_id
TYPES = ("text", "name", "number", "integer", "bool", "texts", "json")
FORMS = {"raw": ("text", "texts"), "cut": ("text",), "long": ("text",), "list": ("texts",), "words": ("texts",), "or": ("texts",)}
FORM_KEYS = {"form", "params", "message", "hint"}
KEYS = FORM_KEYS | {"severity", "stage", "meaning", "explain", "dialect", "fix", "security", "needs", "note", "refusal", "bad", "good", "no-example"}
PROBLEM_KEYS = {"status", "title", "detail", "explain"}
REQUIRED = ("severity", "stage", "meaning", "explain")
REPEATABLE = ("refusal", "message", "hint")

CODE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
NAME = re.compile(r"[a-z][a-z0-9_]*")
WORD = re.compile(r"[a-z0-9][A-Za-z0-9_.-]*")
PARAM = re.compile(r"([a-z][a-z0-9_]*):([a-z]+)(?:\(([^()\s]*)\))?(\?(?:null)?)?((?:![a-z]+)*)")
HOLE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
# Names of parameters that every function has, and words of C.
TAKEN = {"findings", "severity", "fix", "security", "dialect", "at", "composed", "args", "added"} | set("auto bool break case char const continue default do double else enum extern float for goto if inline int long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while".split())


class Param:
    """A parameter of a rule: `name:type`, then `?` or `?null`, then `!topology`, `!message` and `!cut`."""

    def __init__(self, entry, text):
        match = PARAM.fullmatch(text)
        if not match:
            entry.fail(f"`{text}` is not `name:type`, `name:type?` or `name:type?null` with `!topology`, `!message` or `!cut`")
        self.name, self.type, words, optional, marks = match.groups()
        self.is_optional = optional is not None
        self.is_null = optional == "?null"
        self.words = words.split("|") if words is not None else []
        marks = marks.split("!")[1:]
        for mark in marks:
            if mark not in ("topology", "message", "cut"):
                entry.fail(f"`!{mark}` is not a mark; marks are !topology, !message and !cut")
        self.is_topology = "topology" in marks
        self.is_hidden = "message" in marks  # in the texts of the finding alone
        self.is_cut = "cut" in marks  # in params; the texts of the finding show it by their own rules
        self._check_type(entry)
        if self.is_cut and self.type != "text":
            entry.fail(f"only a text is cut, not `{self.type}`")

    def _check_type(self, entry):
        if self.type == "word":
            if not self.words or any(not WORD.fullmatch(word) for word in self.words):
                entry.fail(f"`{self.name}` lists its words as word(a|b|c), in letters and digits with . _ -, the first not a capital")
            if len({c_name(word) for word in self.words}) != len(self.words):
                entry.fail(f"two words of `{self.name}` have the same name in C")
        elif self.type not in TYPES:
            entry.fail(f"`{self.type}` is not a type; types are {', '.join(TYPES)} and word(a|b|c)")
        elif self.words:
            entry.fail(f"only word has a list of words, not `{self.type}`")
        self.c_name = self.name + "_" if self.name in TAKEN else self.name


def c_name(word):
    return re.sub(r"\W", "_", word)


class Condition:
    """`NAME` is there, `NAME=WORD` for a word, `NAME=true` or `NAME=false` for a bool, `pointer=""`."""

    def __init__(self, entry, text, params):
        self.name, has_value, self.value = text.partition("=")
        self.index = next((i for i, param in enumerate(params) if param.name == self.name), None)
        if self.index is None:
            entry.fail(f"`when {text}`: the rule has no parameter `{self.name}`")
        param = params[self.index]
        if not has_value:
            if not param.is_optional:
                entry.fail(f"`when {text}`: `{self.name}` is always there")
            self.choice = 0
        elif param.type == "word" and self.value in param.words:
            self.choice = param.words.index(self.value) + 1
        elif param.type == "bool" and self.value in ("true", "false"):
            self.choice = 1 if self.value == "true" else 2
        else:
            entry.fail(f"`when {text}`: `{self.value}` is not a value of `{self.name}`")


def split_when(text):
    """The conditions before a value, and the value."""
    if not text.startswith("when "):
        return [], text
    conditions, _, rest = text[len("when "):].partition(" ")
    return conditions.split(","), rest.strip()


class Template:
    """Literal texts with parameters between them, under some conditions."""

    def __init__(self, entry, params, meaning):
        conditions, text = split_when(entry.prose())
        if not text:
            entry.fail(f"`{entry.key}` has no text")
        self.line, self.text = entry.line, text
        self.conditions = [Condition(entry, condition, params) for condition in conditions]
        self.is_composed = entry.key == "message" and text == "composed"
        self.pieces = []  # (literal, index of the parameter after it or None, form)
        literal, at = "", 0
        for hole in HOLE.finditer(text):
            literal += text[at:hole.start()]
            at = hole.end()
            if hole[0] in ("{{", "}}"):
                literal += hole[0][0]
                continue
            if hole[1] is None:
                entry.fail("a brace in a text is written twice")
            if hole[1] == "meaning":
                literal += meaning
                continue
            index, form = self._find_param(entry, hole[1], params)
            self.pieces.append((literal, index, form))
            literal = ""
        literal += text[at:]
        if literal:
            self.pieces.append((literal, None, ""))

    def _find_param(self, entry, inside, params):
        name, _, form = inside.partition(":")
        index = next((i for i, param in enumerate(params) if param.name == name), None)
        if index is None:
            entry.fail(f"the rule has no parameter `{name}`")
        param = params[index]
        if param.type == "json":
            entry.fail(f"`{name}` is json and cannot stand in a text")
        if form and (form not in FORMS or param.type not in FORMS[form]):
            entry.fail(f"`{{{inside}}}`: `{form}` is not a form of {param.type}; forms are {', '.join(sorted(FORMS))}")
        if param.type == "texts" and form not in ("list", "words", "or"):
            entry.fail(f"a list is put as {{{name}:list}}, {{{name}:words}} or {{{name}:or}}")
        if param.is_optional and not any(condition.index == index for condition in self.conditions):
            entry.fail(f"`{name}` is optional; a text with it needs `when {name}`")
        return index, form


class Refusal:
    def __init__(self, entry, form):
        kind, _, rest = entry.one_line().partition(" ")
        if kind not in REFUSALS:
            entry.fail(f"`{kind}` is not a refusal; refusals are {', '.join(REFUSALS)}")
        self.kind, self.param, self.word = kind, None, ""
        if not rest:
            return
        conditions, rest = split_when(rest)
        if len(conditions) != 1 or rest or "=" not in conditions[0]:
            entry.fail("a refusal is `KIND` or `KIND when NAME=WORD`")
        self.param, _, self.word = conditions[0].partition("=")
        if self.param == "pointer":
            if self.word != '""':
                entry.fail('the only pointer that decides is `pointer=""`, the whole document')
            self.word = ""
        elif form.is_converted:
            Condition(entry, conditions[0], form.params)


class Rule:
    """One block. It makes one row for each of its dialects."""

    def __init__(self, block, dialect, good):
        if not CODE.fullmatch(block.name):
            block.fail(f"`{block.name}` is not a code; codes are in capitals, words joined by _")
        self.block, self.code, self.is_problem = block, block.name, bool(block.get("status"))
        if self.is_problem:
            self._read_problem(dialect)
            return
        block.check_keys(KEYS, REQUIRED, KEYS if block.get("form") else REPEATABLE)
        entry = block.get("dialect")
        self.dialects = entry.one_line().split() if entry else [dialect]
        if any(not NAME.fullmatch(name) for name in self.dialects) or len(set(self.dialects)) != len(self.dialects):
            (entry or block).fail("`dialect` lists names, each once")
        self.severity, self.severity_varies = self._choice("severity", SEVERITIES, None)
        self.stage = self._choice("stage", STAGES, None, varies=False)[0]
        self.fix, self.fix_varies = self._choice("fix", FIXES, "none")
        self.security, self.security_varies = self._choice("security", ("yes", "no"), "no")
        self.note = self._choice("note", NOTES, "none", varies=False)[0]
        self.needs = self._read_needs()
        self.meaning = block.get("meaning").one_line()
        self.explain = block.get("explain").prose()
        self._read_example(good)
        self._read_forms()
        self.refusals = [Refusal(entry, self.forms[0]) for entry in block.get_all("refusal")]

    def _read_problem(self, dialect):
        block = self.block
        block.check_keys(PROBLEM_KEYS, ("status", "title", "explain"))
        self.dialects, self.severity, self.stage, self.fix, self.security = [dialect], "none", "none", "none", "no"
        self.note, self.needs = "none", []
        self.status, self.title = block.get("status").one_line(), block.get("title").one_line()
        if not re.fullmatch(r"[45]\d\d", self.status):
            block.get("status").fail("`status` is an HTTP status from 400 to 599")
        self.meaning = f"HTTP {self.status}: {self.title[0].lower()}{self.title[1:]}"
        self.explain = block.get("explain").prose()
        self.detail = block.get("detail").one_line() if block.get("detail") else self.explain.partition(". ")[0].rstrip(".") + "."
        self.bad, self.good, self.no_example = b"", b"", "a problem answers a request; no document shows it"
        self.severity_varies = self.fix_varies = self.security_varies = False
        self.forms, self.refusals = [Form(self, [])], []

    def _choice(self, key, allowed, default, varies=True):
        entry = self.block.get(key)
        if entry is None:
            return default, False
        words = entry.one_line().split()
        if words[0] not in allowed or words[1:] not in ([], ["varies"] if varies else []):
            entry.fail(f"`{key}` is one of {', '.join(allowed)}" + (", and `varies` may follow" if varies else ""))
        return words[0], len(words) > 1

    def _read_needs(self):
        entry = self.block.get("needs")
        words = entry.one_line().split() if entry else []
        if any(word not in NEEDS for word in words) or len(set(words)) != len(words):
            entry.fail(f"`needs` lists some of {', '.join(NEEDS)}, each once")
        return words

    def _read_example(self, default):
        bad, good, none = (self.block.get(key) for key in ("bad", "good", "no-example"))
        good = good or (default if bad else None)
        if none and (bad or good):
            none.fail("a rule has either an example or `no-example REASON`")
        if not none and not (bad and good):
            self.block.fail(f"`rule {self.code}` needs `bad` and `good`, or `no-example REASON`")
        self.no_example = none.one_line() if none else None
        self.bad = bad.content() if bad else b""
        self.good = good.content() if good else b""

    def _read_forms(self):
        """What comes before the first `form NAME`, and each of these with the keys below it."""
        groups = [[]]
        for entry in self.block.entries:
            if entry.key == "form":
                groups.append([])
            groups[-1].append(entry)
        for entries in groups[1:]:
            for entry in entries:
                if entry.key not in FORM_KEYS:
                    entry.fail(f"`{entry.key}` stands before the first `form`; a form has {', '.join(sorted(FORM_KEYS - {'form'}))}")
        self.forms = [Form(self, entries) for entries in groups]
        if len(self.forms) > 1 and not self.forms[0].is_converted:
            self.block.fail("a rule with a `form` has `params` or `message` before it")
        if len({form.name for form in self.forms}) != len(self.forms):
            self.block.fail("two forms have the same name")


class Form:
    """Parameters and texts of the findings that one function makes. The first of a rule has no name."""

    def __init__(self, rule, entries):
        block = Block(rule.block.path, rule.block.line, "rule", rule.code)
        block.entries = entries
        block.check_keys(KEYS, (), REPEATABLE)
        self.rule = rule
        entry = block.get("form")
        self.name = entry.one_line() if entry else ""
        if entry and not NAME.fullmatch(self.name):
            entry.fail(f"`{self.name}` is not the name of a form; names are of lower-case letters, digits and _")
        entry = block.get("params")
        text = entry.one_line() if entry else "none"
        self.params = [Param(entry, word) for word in text.split()] if text != "none" else []
        if len({param.name for param in self.params}) != len(self.params):
            entry.fail("two parameters have the same name")
        messages = block.get_all("message")
        self.is_converted = bool(entry or messages)  # a hint alone describes no finding
        if self.is_converted and rule.severity == "none":
            block.fail("a code without a severity is never a finding and has no texts")
        self.messages = self._read_templates(messages)
        self.hints = self._read_templates(block.get_all("hint"))
        self.is_composed = any(template.is_composed for template in self.messages)
        if self.is_composed and len(self.messages) > 1:
            block.fail("a composed message has no variants")

    def _read_templates(self, entries):
        """Those with conditions in order, the one without last."""
        templates = [Template(entry, self.params, self.rule.meaning) for entry in entries]
        for entry, template in list(zip(entries, templates))[:-1]:
            if not template.conditions:
                entry.fail(f"a `{entry.key}` without `when` comes last")
        return templates


def read_file(path, data):
    blocks = read_blocks(path, data)
    if not blocks or blocks[0].keyword != "dialect" or not NAME.fullmatch(blocks[0].name):
        raise TableError(f"{path}:{blocks[0].line if blocks else 1}: the first line is `dialect NAME`")
    for block in blocks[1:]:
        if block.keyword != "rule":
            block.fail(f"`{block.keyword}` does not open a block of rules; `rule CODE` does")
    blocks[0].check_keys({"good"}, ())
    return [Rule(block, blocks[0].name, blocks[0].get("good")) for block in blocks[1:]]


def check_together(rules):
    """Between blocks: no row twice, one severity, one stage and the same needs for a code."""
    rows, first = {}, {}
    for rule in rules:
        for dialect in rule.dialects:
            other = rows.setdefault((rule.code, dialect), rule)
            if other is not rule:
                rule.block.fail(f"{rule.code} of dialect {dialect} is defined in {other.block.path}:{other.block.line} already")
        other = first.setdefault(rule.code, rule)
        for key in ("severity", "stage", "needs"):
            if getattr(other, key) != getattr(rule, key):
                rule.block.fail(f"{rule.code} has another `{key}` in {other.block.path}:{other.block.line}")


def read_rules(files):
    """The rules of all files, {path: bytes}."""
    rules = [rule for path, data in sorted(files.items()) for rule in read_file(path, data)]
    check_together(rules)
    return rules
