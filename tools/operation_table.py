# SPDX-License-Identifier: Apache-2.0
"""operation_table.py - what *.ops say: every operation that callers can ask for.

    operation NOUN.VERB   in the file NOUN.ops
      summary             one line without a full stop
      about               more than the summary says (the description in OpenAPI)
      scopes              any of check submit approve operate admin, of which one will do; none: for everybody
      effects             any of reads_store may_read_store records delivers streams waits brief
      param, use          parameters in their order: see Param, and groups of them
      rest                METHOD PATH OPERATION_ID [takes MEDIA...] [gives MEDIA...]; `takes` and `gives` name media types or
                          a `media` block; without `gives` it is application/json
      outcomes            any of created accepted conflict gone unprocessable, besides those that every path has
      tool                NAME [scopes SCOPE...] : description; scopes where they differ from those of the operation
      skill               ID NAME : description
      result              a `result` block; default: baton
      cache               how long a client may keep the answer: revalidate minutes forever; default: not at all
      run                 the C function that runs it; default: bt_op_NOUN_VERB; none: an adapter runs it itself
    group NAME            `param` lines, which `use` and the type list(NAME) name
    media NAME            `types`
    result NAME           `openapi`: the JSON Schema; `tool`: the same for MCP, or the name of a built-in schema
    tag NAME              a group of paths in OpenAPI: `about`, and the first parts of its paths in `under`
    list rest|tools|skills    `rows`: all operations that have the binding, in the order in which they are shown; for REST
                          also the order in which paths are compared
    list calls            `rows`: those with a path that bt_call() runs, in their order

    param NAME TYPE [MARK...] [min N] [max N] PLACE... [: help]

TYPE is one of TYPES, word(a|b), json(TYPE|TYPE) with types of JSON, or list(GROUP). MARK is required; expected, which is shown
as required, but the operation itself says what its absence means; repeated; or unchecked: the operation says what is wrong
with it. PLACE is path, query, option (in the query, or in the `options` of an envelope or a tool), body (a member of a JSON
object), content (the whole body), tool (an argument of the tool) or call (a member of the request of bt_call(), which also has
those of the path, the query and the body); option=OTHER is the same under another name. A name stands once in each place.
"""
import json
import pathlib
import re

from table_text import TableError, read_blocks

SCOPES = ("check", "submit", "approve", "operate", "admin")
EFFECTS = ("reads_store", "may_read_store", "records", "delivers", "streams", "waits", "brief")
CACHES = ("revalidate", "minutes", "forever")
OUTCOMES = ("created", "accepted", "conflict", "gone", "unprocessable")
METHODS = ("GET", "POST", "PUT", "DELETE")
PLACES = ("path", "query", "option", "body", "content", "tool", "call")
MARKS = ("required", "expected", "repeated", "unchecked")
TYPES = ("text", "name", "integer", "bool", "document", "schema", "json", "dialect", "severity", "encoding", "instant", "duration",
         "id", "key", "path", "seq", "verdict", "kind")
BINDINGS = {"rest": "rest", "tools": "tool", "skills": "skill", "calls": "rest"}
SELECTIONS = ("calls",)  # lists that need not have every row
OBJECT_OUTPUT = '{"type":"object","required":["baton"],"properties":{"baton":{"const":1}}}'
WORD = re.compile(r"[A-Za-z0-9._-]+")
KEYS = {
    "operation": ({"summary", "about", "scopes", "effects", "param", "use", "rest", "outcomes", "tool", "skill", "result", "cache", "run"}, ("summary", "scopes")),
    "group": ({"param"}, ("param",)),
    "media": ({"types"}, ("types",)),
    "result": ({"openapi", "tool"}, ("openapi",)),
    "tag": ({"about", "under"}, ("about", "under")),
    "list": ({"rows"}, ("rows",)),
}


def words_among(entry, allowed, what):
    words = entry.prose().split()
    for word in words:
        if word not in allowed:
            entry.fail(f"`{word}` is not {what}; there are {', '.join(allowed)}")
    return words


def split_text(entry):
    """What stands before and after ` : `."""
    before, colon, after = entry.one_line().partition(" : ")
    if not colon or not after.strip():
        entry.fail(f"`{entry.key}` needs ` : ` and a text")
    return before.split(), after.strip()


class Param:
    """One parameter as it stands in the table."""

    def __init__(self, entry):
        line, colon, self.help = entry.one_line().partition(" : ")
        words = line.split()
        if len(words) < 2 or (colon and not self.help.strip()):
            entry.fail("`param` is NAME TYPE [MARK...] [min N] [max N] PLACE... [: help]")
        self.entry, self.name = entry, words[0]
        self.required = self.expected = self.repeated = self.unchecked = False
        self.bounds = {}
        self.places = {}  # place -> name there
        self.members = []
        if not re.fullmatch(r"[a-z][a-z0-9_]*", self.name):
            entry.fail(f"`{self.name}` is not a name of a parameter: lower-case letters, digits and _")
        self.read_type(words[1])
        self.read_rest(words[2:])
        if not self.places:
            entry.fail(f"the parameter `{self.name}` has no place; places are {', '.join(PLACES)}")
        if self.bounds and self.type != "integer":
            entry.fail("only an integer has min and max")
        if self.bounds.get("min", 0) > self.bounds.get("max", 1 << 63):
            entry.fail("min is greater than max")

    def read_type(self, text):
        found = re.fullmatch(r"(word|json|list)\(([^()]*)\)", text)
        self.type, self.choices = (found[1], found[2].split("|")) if found else (text, [])
        if not found and text not in TYPES:
            self.entry.fail(f"`{text}` is not a type; types are {', '.join(TYPES)}, word(...), json(...) and list(...)")
        if found and not all(WORD.fullmatch(choice) for choice in self.choices):
            self.entry.fail(f"`{text}` needs words between | in the parentheses")

    def read_rest(self, words):
        at = 0
        while at < len(words):
            word, equals, other = words[at].partition("=")
            if word in MARKS and not equals and not getattr(self, word):
                setattr(self, word, True)
            elif word in ("min", "max") and not equals:
                if at + 1 == len(words) or not words[at + 1].isdigit():
                    self.entry.fail(f"`{word}` needs a whole number")
                self.bounds[word] = int(words[at + 1])
                at += 1
            elif word in PLACES and word not in self.places and (not equals or other):
                self.places[word] = other or self.name
            else:
                self.entry.fail(f"`{words[at]}` is not known here, or is there twice")
            at += 1

    def resolve(self, groups):
        if self.type == "list":
            if self.choices[0] not in groups:
                self.entry.fail(f"there is no group `{self.choices[0]}`")
            self.members = groups[self.choices[0]]


class Rest:
    def __init__(self, entry, media):
        words = entry.one_line().split()
        if len(words) < 3 or words[0] not in METHODS or not words[1].startswith("/"):
            entry.fail(f"`rest` is METHOD PATH OPERATION_ID [takes MEDIA...] [gives MEDIA...]; methods are {', '.join(METHODS)}")
        self.entry, self.method, self.path, self.operation_id = entry, words[0], words[1], words[2]
        self.lists = {"takes": [], "gives": []}
        into = None
        for word in words[3:]:
            if word in self.lists:
                into = self.lists[word]
            elif into is None or not ("/" in word or word in media):
                entry.fail(f"`{word}` is neither a media type nor a `media` block")
            else:
                into.extend(media.get(word, [word]))

    def path_names(self):
        return [name.removesuffix("...") for name in re.findall(r"\{([^}]*)\}", self.path)]


class Operation:
    def __init__(self, block, table):
        self.block, self.name = block, block.name
        if not re.fullmatch(r"[a-z][a-z_]*\.[a-z][a-z_]*", self.name):
            block.fail(f"`{self.name}` is not NOUN.VERB")
        if pathlib.PurePath(block.path).stem != self.name.split(".")[0]:
            block.fail(f"`{self.name}` belongs in {self.name.split('.')[0]}.ops")
        self.summary = block.get("summary").one_line()
        self.about = block.get("about").prose() if block.get("about") else None
        scopes = block.get("scopes")
        self.scopes = [] if scopes.one_line() == "none" else words_among(scopes, SCOPES, "a scope")
        self.effects = self.words("effects", EFFECTS, "an effect")
        self.outcomes = self.words("outcomes", OUTCOMES, "an outcome")
        self.result = table.find_result(block.get("result"))
        self.rest = Rest(block.get("rest"), table.media) if block.get("rest") else None
        self.read_tool()
        self.read_skill()
        if not (self.rest or self.tool or self.skill):
            block.fail(f"`{self.name}` has no rest, tool or skill")
        self.cache = (self.words("cache", CACHES, "a time") or ["none"])[0]
        run = block.get("run").one_line() if block.get("run") else "bt_op_" + self.name.replace(".", "_")
        self.run = None if run == "none" else run
        self.params = table.params_of(block)
        self.check_params()

    def words(self, key, allowed, what):
        entry = self.block.get(key)
        return words_among(entry, allowed, what) if entry else []

    def read_tool(self):
        entry = self.block.get("tool")
        self.tool = None
        if entry:
            words, self.tool_text = split_text(entry)
            self.tool_scopes = words[2:] or self.scopes
            if not words or (len(words) > 1 and (words[1] != "scopes" or not words[2:])) or set(words[2:]) - set(SCOPES):
                entry.fail("`tool` is NAME [scopes SCOPE...] : description")
            self.tool = words[0]

    def read_skill(self):
        entry = self.block.get("skill")
        self.skill = None
        if entry:
            words, self.skill_text = split_text(entry)
            if len(words) < 2:
                entry.fail("`skill` is ID NAME : description")
            self.skill, self.skill_name = words[0], " ".join(words[1:])

    def check_params(self):
        seen = set()
        for param in self.params:
            for place, name in param.places.items():
                if (place, name) in seen:
                    param.entry.fail(f"`{name}` is there twice in the {place} of `{self.name}`")
                seen.add((place, name))
                if place == "tool" and not self.tool or place != "tool" and not self.rest:
                    param.entry.fail(f"`{self.name}` has no {place}")
                if place in ("body", "content") and self.rest.method not in ("POST", "PUT"):
                    param.entry.fail(f"a {self.rest.method} has no body")
        in_path = {name for place, name in seen if place == "path"}
        if self.rest and in_path != set(self.rest.path_names()):
            self.rest.entry.fail(f"the names in {self.rest.path} and the parameters of the path differ: {', '.join(in_path ^ set(self.rest.path_names()))}")

    def slots(self):
        """The places of arguments: each name once, with its number among the rows of all names. Options have none."""
        names = [(spelled, [place for place, there in param.places.items() if there == spelled]) for param in self.params for spelled in dict.fromkeys(param.places.values())]
        slots = {}
        for number, (name, places) in enumerate(names):
            if places != ["option"]:
                slots.setdefault(name, number)
        return slots

    def params_in(self, place):
        return [(param.places[place], param) for param in self.params if place in param.places]


class Table:
    def __init__(self, files):
        self.groups, self.media, self.results, self.tags, self.lists, self.operations = {}, {}, {}, [], {}, []
        blocks = [block for path in sorted(files) for block in read_blocks(path, files[path])]
        for block in blocks:
            if block.keyword not in KEYS:
                block.fail(f"`{block.keyword}` is not a block; blocks are {', '.join(KEYS)}")
            block.check_keys(*KEYS[block.keyword], repeatable=("param", "use"))
        self.check_names(blocks)
        self.read_shared(blocks)
        self.operations = [Operation(block, self) for block in blocks if block.keyword == "operation"]
        self.check_unique()
        for block in blocks:
            if block.keyword == "list":
                self.read_list(block)
        for name in BINDINGS:
            if name not in self.lists and name not in SELECTIONS and any(getattr(operation, BINDINGS[name]) for operation in self.operations):
                raise TableError(f"{sorted(files)[0]}:1: no file has `list {name}`")

    @staticmethod
    def check_names(blocks):
        seen = {}
        for block in blocks:
            if (block.keyword, block.name) in seen:
                block.fail(f"`{block.keyword} {block.name}` is in {seen[block.keyword, block.name]}, too")
            seen[block.keyword, block.name] = f"{block.path}:{block.line}"

    def read_shared(self, blocks):
        for block in blocks:
            if block.keyword == "group":
                self.groups[block.name] = [Param(entry) for entry in block.entries]
            elif block.keyword == "media":
                self.media[block.name] = block.get("types").prose().split()
            elif block.keyword == "result":
                tool = block.get("tool")
                self.results[block.name] = (self.read_json(block.get("openapi")), OBJECT_OUTPUT if not tool else None if tool.value == "report" else self.read_json(tool))
            elif block.keyword == "tag":
                self.tags.append((block.name, block.get("about").prose(), block.get("under").prose().split()))
        for params in self.groups.values():
            for param in params:
                param.resolve(self.groups)

    @staticmethod
    def read_json(entry):
        try:
            return json.dumps(json.loads(entry.one_line()), separators=(",", ":"))
        except ValueError as why:
            return entry.fail(f"`{entry.key}` is not JSON: {why}")

    def find_result(self, entry):
        name = entry.one_line() if entry else "baton"
        if name not in self.results:
            (entry.fail if entry else self.fail)(f"there is no `result {name}`")
        return self.results[name]

    @staticmethod
    def fail(message):
        raise TableError(f"index.ops:1: {message}")

    def params_of(self, block):
        params = []
        for entry in block.entries:
            if entry.key == "param":
                params.append(Param(entry))
                params[-1].resolve(self.groups)
            elif entry.key == "use":
                for name in entry.one_line().split():
                    if name not in self.groups:
                        entry.fail(f"there is no group `{name}`")
                    params.extend(self.groups[name])
        return params

    def check_unique(self):
        seen = set()
        for operation in self.operations:
            rest = operation.rest
            names = [("path", f"{rest.method} {rest.path}"), ("operationId", rest.operation_id)] if rest else []
            names += [(key, name) for key, name in (("tool", operation.tool), ("skill", operation.skill)) if name]
            for name in names:
                if name in seen:
                    operation.block.fail(f"another operation has the {name[0]} `{name[1]}`, too")
                seen.add(name)

    def read_list(self, block):
        if block.name not in BINDINGS:
            block.fail(f"`{block.name}` is not a list; lists are {', '.join(BINDINGS)}")
        entry = block.get("rows")
        names = entry.prose().split()
        wanted = {operation.name: operation for operation in self.operations if getattr(operation, BINDINGS[block.name])}
        for name in names:
            if name not in wanted or names.count(name) > 1:
                entry.fail(f"`{name}` has no {BINDINGS[block.name]}, or is there twice")
        for name in wanted:
            if name not in names and block.name not in SELECTIONS:
                entry.fail(f"`{name}` is missing")
        self.lists[block.name] = [wanted[name] for name in names]
