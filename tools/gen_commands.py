#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_commands.py header|source OUTPUT ROOT [--without PART]... FILE... - C from app/cli/*.ops, the commands of the program and their flags.

With --without, what requires that part of Baton is not in the rows: help, manual pages and completions do not show it, and its
use is an error that names the part.

    kinds NAME              kinds of values and operands, besides any, file and folder
      words KIND WORD...    a closed list; a word that ends in = is followed by a value
      computed KIND         a closed list that the C function cli_word_KIND knows
      open KIND             words that the C function knows, besides others
      files KIND SUFFIX...  files whose names end that way
      named KIND            names that only completion looks up, in files or in a store
      called KIND WORD      what errors call a value; default: the last word of KIND
    headers NAME            `include`: C headers that declare the constants
    flags NAME              flags that commands share; the block is also a group
      flag                  [ID] [-x] [--NAME] [ARGUMENT [KIND]] [MARK...] : help; ID is the name unless it is given. Flags with
                            one ID are the same to C; where several that are shared have other texts, the ID stands before a
                            dot. Marks: `parsed`: the C function cli_take_ID checks and stores the value; `short`: -h shows it;
                            one of input rules fixing output universal contract plan governed xml reproducible common: its
                            heading in help (default input, or the dialect with which the text begins)
                            Besides, `requires=PART`: a flag that only a build with this part has
      use                   single flags of other blocks
      group                 all flags of other blocks
      requires              the part of Baton that all flags of the block need: store server pump watch
    command WORDS           a command, named in full; the flags of the block `every` are added where they are not named
      summary               one line without a full stop
      about                 paragraphs
      operands              MIN MAX|many [KIND] : as usage shows them; default: none, or COMMAND for one with parts
      missing               the error for too few operands; default: made from `operands`
      flag, use, group      as above
      example               the command line : its meaning
      parts                 the last words of its sub-commands, in the order of help
      heading               PART WORDS: a heading above this part
      needs                 flags that must be given; the first example shows them all
      waives                the C function that says which of them may be left out now
      prompts               yes: on a terminal, values of missing flags are asked for
      without               flags of the block `every` that it does not have
      config                what a project's file may set: decides decides_storeless; default: as for judging
      misused               the exit code of usage errors; default: 2
      reports_failures      yes: it writes its report even when the configuration cannot be used
      begin                 the C function that is called first
      run                   the C function of the command; default: cmd_WORDS, none for one that has parts and no operands
      variant               a C constant for a function that several commands share
      bare                  yes: the function gets the options and makes its own run
      requires              the part of Baton that it and its sub-commands need
"""
import pathlib
import re
import sys

from gen_tables import literal
from table_text import TableError, read_blocks, write_output

HEAD = "/* SPDX-License-Identifier: Apache-2.0 */\n/* %s - made by tools/gen_commands.py from the *.ops of app/cli; do not edit. */\n"
FLAG_KEYS = {"flag", "use", "group", "requires"}
PARTS = ("store", "server", "pump", "watch")  # of Baton, that a build can be without
REPEATABLE = ("flag", "use", "group", "example", "heading", "words", "computed", "open", "files", "named", "called", "parts", "include", "needs")
KEYS = {
    "kinds": ({"words", "computed", "open", "files", "named", "called"}, ()),
    "headers": ({"include"}, ("include",)),
    "flags": (FLAG_KEYS, ()),
    "command": (FLAG_KEYS | {"summary", "about", "operands", "missing", "example", "parts", "heading", "config", "misused", "reports_failures",
                             "begin", "run", "variant", "bare", "needs", "waives", "prompts", "without"}, ("summary", "example")),
}
FLAG = re.compile(r"(?:(?P<label>[a-z_0-9.]+) )?(?:-(?P<letter>\w)(?: |$))?(?:--(?P<name>[a-zA-Z0-9-]+)(?: |$))?(?P<rest>.*)")
DIALECTS = ("universal", "contract", "plan", "governed", "xml")
HEADINGS = ("input", "rules", "fixing", "output", *DIALECTS, "reproducible", "common")  # in the order of help


def c_words(text):
    return re.sub(r"[ -]", "_", text)


def split_text(entry):
    before, colon, after = entry.one_line().partition(" : ")
    if not colon or not after.strip():
        entry.fail(f"`{entry.key}` needs ` : ` and a text")
    return before, after


def part_of(entry):
    """The part that an entry `requires` names; None: there is no such entry."""
    if entry and entry.one_line() not in PARTS:
        entry.fail(f"`{entry.one_line()}` is not a part; there are {', '.join(PARTS)}")
    return entry.one_line() if entry else None


class Flag:
    """One flag with its texts. `variable` is what C calls it, `part` what a build must have for it."""

    def __init__(self, entry, kinds, part=None):
        words, self.help = split_text(entry)
        match = FLAG.fullmatch(words)
        if not match or not (match["name"] or match["letter"] and match["label"]):
            entry.fail("a flag is `[ID] [-x] [--NAME] [ARGUMENT [KIND]] [MARK...] : help`, with an ID where it has no NAME")
        self.entry, self.name, self.letter = entry, match["name"] or "", match["letter"]
        rest, marks = match["rest"].split(), set()
        self.part = part
        while rest and rest[-1] in ("parsed", "short", *HEADINGS, *(f"requires={known}" for known in PARTS)):
            marks.add(rest.pop())
            self.part = next((known for known in PARTS if f"requires={known}" in marks), part)
        self.is_parsed, self.is_short = "parsed" in marks, "short" in marks
        dialect = self.help.partition(": ")[0]
        self.help = self.help.partition(": ")[2] if dialect in DIALECTS else self.help
        headings = [heading for heading in HEADINGS if heading in marks or heading == dialect]
        if len(headings) > 1:
            entry.fail("a flag has one heading")
        self.heading = headings[0] if headings else "input"
        self.argument = rest[0] if rest else None
        self.kind = rest[1] if len(rest) > 1 else "any"
        if len(rest) > 2 or self.kind not in kinds:
            entry.fail(f"`{self.kind}` is not a kind")
        self.label = match["label"] or c_words(self.name)
        self.id = self.label.split(".")[0]
        self.variable = None


class Table:
    """All kinds, flags and commands."""

    def __init__(self, files, without=()):
        self.without = frozenset(without)
        self.absent = []  # (command, flag or None, part), for errors
        blocks = [block for name, data in files.items() for block in read_blocks(name, data)]
        self.kinds = {"any": None, "file": None, "folder": None}
        self.nouns, self.open, self.suffixes = {}, set(), {}  # what errors call a value of a kind; kinds that are not closed; of files
        self.flags, self.shared, self.groups, self.commands = [], {}, {}, {}
        self.headers = []
        for block in blocks:
            if block.keyword not in KEYS:
                block.fail(f"`{block.keyword}` is not one of {', '.join(KEYS)}")
            block.check_keys(*KEYS[block.keyword], REPEATABLE)
            if block.keyword == "kinds":
                self.add_kinds(block)
        for block in blocks:
            self.add_flags(block)
        ids = {}
        for flag in self.flags:
            first = ids.setdefault(flag.id, flag)
            flag.variable = f"flag_{flag.id}" if flag is first else f"flag_{flag.id}_{len([f for f in self.flags if f.id == flag.id and f.variable]) + 1}"
            if flag.name != first.name:
                flag.entry.fail(f"`{flag.id}` is another flag at {first.entry.path}:{first.entry.line}")
        self.ids = ids
        for command in self.commands.values():
            self.check_command(command)
        self.leave_out()

    def leave_out(self):
        """Take away what requires an absent part, and note it for errors."""
        everything = self.everything = self.commands
        self.commands = {name: block for name, block in everything.items() if not self.absent_part(everything, name)}
        for name in everything:
            part, parent = self.absent_part(everything, name), name.rpartition(" ")[0]
            if part and not self.absent_part(everything, parent):
                self.absent.append((name, None, part))
        for block in self.commands.values():
            self.absent += [(block.name, flag.name, flag.part) for flag in self.all_flags_of(block, False) if flag.part in self.without]
        self.used = {flag.variable for block in self.commands.values() for flag in self.all_flags_of(block)}
        self.numbers = {flag.variable: number for number, flag in enumerate((flag for flag in self.flags if flag.variable in self.used), 1)}

    def absent_part(self, commands, name):
        """The absent part that a command or one above it requires, or None."""
        words = name.split()
        for end in range(1, len(words) + 1):
            block = commands.get(" ".join(words[:end]))
            part = part_of(block.get("requires")) if block else None
            if part in self.without:
                return part
        return None

    def examples_of(self, block):
        """The examples that this build can run; of a command without such an example, the first of its parts."""
        names = [name for name, flag, _ in self.absent if not flag]
        flags = [flag for name, flag, _ in self.absent if flag and name == block.name]
        pairs = [split_text(entry) for entry in block.get_all("example")]
        kept = [pair for pair in pairs if not any(re.search(rf"\b{re.escape(name)}\b(?!-)", pair[0]) for name in names)
                and not any(f" --{flag}" in pair[0] for flag in flags)]
        return kept or next((self.examples_of(self.commands[part])[:1] for part in parts_of(block) if part in self.commands), [])

    def add_kinds(self, block):
        for entry in block.entries:
            name, *words = entry.one_line().split()
            if entry.key == "called":
                self.nouns[name] = words[0]
                continue
            if entry.key == "open":
                self.open.add(name)
            if entry.key == "files":
                self.suffixes[name] = words
            if entry.key in ("files", "named"):
                self.kinds[name] = None
                continue
            if name in self.kinds or bool(words) != (entry.key == "words"):
                entry.fail(f"`{name}` is a kind already, or its words are wrong")
            self.kinds[name] = words

    def add_flags(self, block):
        if block.keyword in ("kinds", "headers"):
            self.headers += [entry.one_line() for entry in block.get_all("include")]
            return
        named = self.groups if block.keyword == "flags" else self.commands
        if block.name in named:
            block.fail(f"`{block.keyword} {block.name}` stands twice")
        named[block.name] = block
        block.flags = {}
        for entry in block.get_all("flag"):
            flag = Flag(entry, self.kinds, part_of(block.get("requires")) if block.keyword == "flags" else None)
            block.flags[entry.line] = flag
            self.flags.append(flag)
            if block.keyword == "flags":
                if flag.label in self.shared:
                    entry.fail(f"`{flag.label}` is shared already")
                self.shared[flag.label] = flag

    def flags_of(self, block, depth=0):
        """All flags of a block, in order."""
        out = []
        for entry in block.entries:
            if entry.key == "flag":
                out.append(block.flags[entry.line])
            elif entry.key in ("use", "group"):
                for name in entry.one_line().split():
                    if name not in (self.shared if entry.key == "use" else self.groups) or depth > 8:
                        entry.fail(f"`{name}` is not shared")
                    out += [self.shared[name]] if entry.key == "use" else self.flags_of(self.groups[name], depth + 1)
        return out

    def all_flags_of(self, block, present=True):
        """The flags of a command under their headings, with those of every command that it does not name itself; those of this build, or all."""
        out = [flag for flag in self.flags_of(block) if not (present and flag.part in self.without)]
        names = {flag.name for flag in out if flag.name}
        without = block.get("without").one_line().split() if block.get("without") else []
        for flag in self.flags_of(self.groups["every"]):
            if (flag.name and flag.name in names) or flag.label in without or (flag.id == "as_json" and "output-format" not in names):
                continue
            out.append(flag)
        return sorted(out, key=lambda flag: HEADINGS.index(flag.heading))

    def check_command(self, block):
        flags = self.all_flags_of(block)
        names = [flag.name for flag in flags if flag.name]
        letters = [flag.letter for flag in flags if flag.letter]
        for words in (names, letters):
            for word in words:
                if words.count(word) > 1:
                    block.fail(f"`{block.name}` has the flag `{word}` twice")
        for entry in block.get_all("needs"):
            for name in entry.one_line().split():
                if name not in [flag.label for flag in flags]:
                    entry.fail(f"`{block.name}` has no flag `{name}`")
        for part in parts_of(block):
            if part not in self.commands:
                block.fail(f"there is no `command {part}`")


def parts_of(block):
    return [f"{block.name} {word}" for entry in block.get_all("parts") for word in entry.one_line().split()]


def row_of(name):
    return "cli_" + c_words(name)


def run_of(block):
    """The function of a command; None: one of its parts must be named."""
    if block.get("run"):
        return block.get("run").one_line()
    return None if block.get_all("parts") and not block.get("operands") else "cmd_" + c_words(block.name.partition(" ")[2])


def make_header(table):
    out = [HEAD % "commands.h", "#ifndef BATON_APP_CLI_COMMANDS_H\n#define BATON_APP_CLI_COMMANDS_H\n\n#include <baton/base.h>\n\n"]
    out.append("struct cli_command;\nstruct cli_flag;\nstruct cli_options;\nstruct cli_run;\n\n")
    out.append("/*\n * The kind of a value or operand: completion offers its words, and a mistyped word is compared with\n * them.\n */\nenum cli_kind {\n")
    out.extend(f"    CLI_{kind.upper()},\n" for kind in table.kinds)
    out.append("    CLI_KIND__MAX,\n};\n\n")
    out.append("/* The headings of flags in help, in their order. */\nenum cli_flag_heading {\n")
    out.extend(f"    CLI_UNDER_{heading.upper()},\n" for heading in HEADINGS)
    out.append("    CLI_UNDER__MAX,\n};\n\n")
    out.extend(f"bt_str cli_word_{kind}(size_t index);\n" for kind, words in table.kinds.items() if words == [])
    out.append("\n")
    out.append("/* Flags by their ids. Where commands have several flags with one id, only its name is that of all of them. */\n")
    out.extend(f"extern const struct cli_flag flag_{name};\n" for name in sorted(table.ids))
    out.append("\n")
    out.extend(f"bool cli_take_{name}(struct cli_options *options, const char *value);\n" for name in sorted({flag.id for flag in table.flags if flag.is_parsed}))
    out.append("\n")
    runs = {run_of(block): "const struct cli_options *options" if block.get("bare") else "struct cli_run *run" for block in table.everything.values()}
    out.extend(f"int {name}({parameter});\n" for name, parameter in runs.items() if name)
    waivers = sorted({block.get("waives").one_line() for block in table.everything.values() if block.get("waives")})
    out.extend(f"bool {name}(const struct cli_options *options, const struct cli_flag *flag);\n" for name in waivers)
    out.append("\n#endif\n")
    return "".join(out)


def put_flag(out, flag, number, is_used):
    """One row. C asks for a flag that no command of this build has, too: then it was not given."""
    is_first = flag.variable == f"flag_{flag.id}"
    if not is_used and not is_first:
        return
    letter = f"'{flag.letter}'" if flag.letter else "0"
    take = f"cli_take_{flag.id}" if flag.is_parsed and is_used else "NULL"
    argument = literal(flag.argument) if flag.argument else "NULL"
    out.append(f"{'' if is_first else 'static '}const struct cli_flag {flag.variable} = {{\n    {literal(flag.name)}, {letter}, {argument}, CLI_{flag.kind.upper()}, "
               f"{literal(flag.help)}, {take}, {number}, CLI_UNDER_{flag.heading.upper()}, {'true' if flag.is_short else 'false'}}};\n")


def operands_of(block, table):
    """(usage, min, max, kind)"""
    entry = block.get("operands")
    if not entry:
        return "COMMAND" if block.get_all("parts") else "", "0", "0", "any"
    words, usage = split_text(entry)
    low, high, kind, *rest = *words.split(), *([] if len(words.split()) > 2 else ["any"])
    if rest or kind not in table.kinds:
        entry.fail("operands are `MIN MAX [KIND] : usage`")
    return usage, low, "SIZE_MAX" if high == "many" else high, kind


def missing_text(block, usage):
    """The error for too few operands: what the command needs."""
    words = block.name.partition(" ")[2]
    if block.get_all("parts") and not block.get("operands"):
        return f"{words or block.name} needs a command"
    return f"{words} needs {usage.removesuffix('|-')}{', or - for standard input' if usage.endswith('|-') else ''}"


def headings_of(table, block):
    """(part, words) for each heading, at the first part below it that this build has."""
    words_at = {f"{block.name} {part}": words for part, _, words in (entry.one_line().partition(" ") for entry in block.get_all("heading"))}
    out, pending = [], None
    for part in parts_of(block):
        pending = words_at.get(part, pending)
        if pending and part in table.commands:
            out.append((part, pending))
            pending = None
    return out


def put_command(out, table, block):
    row = row_of(block.name)
    one = {key: block.get(key).prose() if block.get(key) else "" for key in ("summary", "about", "missing", "config", "misused", "begin", "variant", "waives")}
    about = one["about"].replace("\n\n", "\n") + ("\n" if one["about"] else "")
    usage, low, high, kind = operands_of(block, table)
    missing = one["missing"] or missing_text(block, usage)
    all_flags = table.all_flags_of(block)
    flags = "".join(f"{table.numbers[flag.variable]}, " for flag in all_flags)
    needed = [next(flag for flag in all_flags if flag.label == name) for entry in block.get_all("needs") for name in entry.one_line().split()]
    uses_config = "config" in [flag.id for flag in table.flags_of(block)]
    out.append(f"static const uint16_t {row}_flags[] = {{{flags}0}};\nstatic const struct cli_example {row}_examples[] = {{\n")
    out.extend("    {%s, %s},\n" % tuple(map(literal, pair)) for pair in table.examples_of(block))
    out.append("    {NULL, NULL}};\n")
    if needed:
        out.append(f"static const uint16_t {row}_needed[] = {{{''.join(f'{table.numbers[flag.variable]}, ' for flag in needed)}0}};\n")
    parts = [part for part in parts_of(block) if part in table.commands]
    if parts:
        out.append(f"static const struct cli_command *const {row}_parts[] = {{{''.join(f'&{row_of(part)}, ' for part in parts)}NULL}};\n")
    headings = headings_of(table, block)
    if headings:
        out.append(f"static const struct cli_heading {row}_headings[] = {{\n")
        out.extend(f"    {{&{row_of(part)}, {literal(words)}}},\n" for part, words in headings)
        out.append("    {NULL, NULL}};\n")
    out.append(f"{'' if row == 'cli_baton' else 'static '}const struct cli_command {row} = {{\n    .name = {literal(block.name)}, .operands = {literal(usage)}, .summary = {literal(one['summary'])},\n")
    out.append(f"    .about = {literal(about)},\n    .missing = {literal(missing)},\n")
    out.append(f"    .operands_min = {low}, .operands_max = {high}, .operand_kind = CLI_{kind.upper()}, .flags = {row}_flags, .examples = {row}_examples,\n")
    out.append(f"    .parts = {row + '_parts' if parts else 'NULL'}, .headings = {row + '_headings' if headings else 'NULL'},\n")
    out.append(f"    .misused = {one['misused'] or 0}, .variant = {one['variant'] or 0},\n")
    out.append(f"    .needs = {{{row + '_needed' if needed else 'NULL'}, {one['waives'] or 'NULL'}, {'true' if block.get('prompts') else 'false'}}},\n")
    use = "BT_CONFIG_" + one["config"].upper() if one["config"] else "0"
    reports_failures = "true" if block.get("reports_failures") else "false"
    out.append(f"    .config = {{{use}, {'true' if uses_config else 'false'}, {reports_failures}}}, .begin = {one['begin'] or 'NULL'},\n")
    out.append(f"    .{'run' if block.get('bare') else 'work'} = {run_of(block) or 'NULL'}}};\n\n")


def make_source(table):
    out = [HEAD % "command_table.c", '#include "cli.h"\n', *(f'#include "{name}"\n' for name in table.headers), "\n"]
    for kind, words in table.kinds.items():
        if words:
            out.append(f"static const bt_str {kind}_words[] = {{{', '.join(f'BT_STR_INIT({literal(word)})' for word in [*words, ''])}}};\n")
    for kind, words in table.suffixes.items():
        out.append(f"static const bt_str {kind}_suffixes[] = {{{', '.join(f'BT_STR_INIT({literal(word)})' for word in [*words, ''])}}};\n")
    out.append("\nconst struct cli_kind_words cli_kinds[CLI_KIND__MAX] = {\n")
    for kind, words in table.kinds.items():
        noun = literal(table.nouns.get(kind, kind.rpartition("_")[2]))
        values = "NULL, NULL" if words is None else f"{kind}_words, NULL" if words else f"NULL, cli_word_{kind}"
        out.append(f"    [CLI_{kind.upper()}] = {{{values}, {noun}, {'true' if kind in table.open else 'false'}, {f'{kind}_suffixes' if kind in table.suffixes else 'NULL'}}},\n")
    out.append("};\n\n")
    numbers = {name: number for number, name in enumerate(sorted(table.ids), 1)}
    for flag in table.flags:
        put_flag(out, flag, numbers[flag.id], flag.variable in table.used)
    out.append(f"\nconst struct cli_flag *const cli_flag_rows[] = {{NULL, {', '.join('&' + name for name in table.numbers)}}};\n\n")
    out.extend(f"cli_begin_fn {name};\n" for name in sorted({block.get("begin").one_line() for block in table.commands.values() if block.get("begin")}))
    out.append("\n")
    out.extend(f"static const struct cli_command {row_of(name)};\n" for name in table.commands if name != "baton")
    out.append("\n")
    for block in table.commands.values():
        put_command(out, table, block)
    out.append("const struct cli_absent cli_absent[] = {\n")
    out.extend(f"    {{{literal(name)}, {literal(flag) if flag else 'NULL'}, {literal(part)}}},\n" for name, flag, part in table.absent)
    out.append("    {NULL, NULL, NULL}};\n")
    return "".join(out)


def main(arguments):
    without, rest = [], list(arguments[3:])
    while len(rest) > 1 and rest[0] == "--without":
        without.append(rest[1])
        del rest[:2]
    if not rest or arguments[0] not in ("header", "source") or not set(without) <= set(PARTS):
        print(f"usage: gen_commands.py header|source OUTPUT ROOT [--without {'|'.join(PARTS)}]... FILE...", file=sys.stderr)
        return 2
    kind, output, root = arguments[0], pathlib.Path(arguments[1]), pathlib.Path(arguments[2])
    try:
        table = Table({name: (root / name).read_bytes() for name in rest}, without)
        write_output(output, make_header(table) if kind == "header" else make_source(table))
    except TableError as why:
        print(why, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
