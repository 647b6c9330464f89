# SPDX-License-Identifier: Apache-2.0
"""test_commands.py ROOT - the tables of the commands are read as tools/gen_commands.py says, and faults are refused at their line."""
import pathlib
import sys

import gen_commands
import tap
from table_text import TableError

ROOT = pathlib.Path(sys.argv[1])

GOOD = """# A comment.
kinds all
  words style short long
  computed code

flags every
  flag --help parsed common : show help
  flag --style STYLE style output : how to print

flags two
  use style
  flag dry_run.two --dry-run : change nothing

command baton
  summary work
  example baton do it : do it
  parts do
  heading do All
  run cmd_baton
  bare yes

command baton do
  summary do it
  about
    One line,
    and the next.

    A paragraph.
  operands 1 many code : CODE...
  missing do what?
  group two
  flag --dry-run-too FILE file : something else
  example baton do it --style short : shortly
  needs dry_run_too
  config decides
  begin begin_it
"""


PARTS = GOOD.replace("heading do All", "heading do All\n  parts serve look").replace("flags two\n", "flags two\n  requires store\n") + """
command baton serve
  summary serve
  requires server
  example baton serve : serve
  parts more

command baton serve more
  summary serve more
  example baton serve more : more

command baton look
  summary look
  group two
  example baton look --dry-run : look
  example baton look : look twice
"""


def read(text, without=()):
    return gen_commands.Table({"app/cli/x.ops": text.encode()}, without)


@tap.claim
def a_table_becomes_rows():
    table = read(GOOD)
    header, source = gen_commands.make_header(table), gen_commands.make_source(table)
    for wanted in ("    CLI_STYLE,\n", "bt_str cli_word_code(size_t index);", "extern const struct cli_flag flag_dry_run;", "bool cli_take_help(",
                   "int cmd_baton(const struct cli_options *options);", "int cmd_do(struct cli_run *run);"):
        if wanted not in header:
            raise AssertionError(f"the header lacks {wanted!r}")
    for wanted in ("cli_flag_rows[] = {NULL, &flag_help, &flag_style, &flag_dry_run, &flag_dry_run_too};", "cli_baton_do_flags[] = {3, 4, 2, 1, 0};", '"One line, and the next.\\nA paragraph.\\n"',
                   ".operands_max = SIZE_MAX, .operand_kind = CLI_CODE", ".config = {BT_CONFIG_DECIDES, false, false}", "cli_begin_fn begin_it;", ".needs = {cli_baton_do_needed, NULL, false}"):
        if wanted not in source:
            raise AssertionError(f"the source lacks {wanted!r}")


@tap.claim
def what_requires_an_absent_part_is_left_out():
    whole = gen_commands.make_source(read(PARTS))
    for wanted in ("&cli_baton_serve, ", "&cli_baton_serve_more, ", '"baton look --dry-run"', "cli_absent[] = {\n    {NULL, NULL, NULL}}"):
        if wanted not in whole:
            raise AssertionError(f"the whole lacks {wanted!r}")
    less = gen_commands.make_source(read(PARTS, ("server", "store")))
    for wanted in ('{"baton serve", NULL, "server"}', '{"baton look", "dry-run", "store"}', "cli_baton_look_flags[] = {2, 1, 0}", '{"baton look", "look twice"}'):
        if wanted not in less:
            raise AssertionError(f"the rest lacks {wanted!r}")
    for unwanted in ("cli_baton_serve", "baton serve more", '"baton look --dry-run"', "cmd_serve"):
        if unwanted in less:
            raise AssertionError(f"the rest has {unwanted!r}")


@tap.claim
def every_fault_is_refused_at_its_line():
    for old, new, line, words in (
            ("computed code", "computed style", 4, "is a kind already"),
            ("--style STYLE style", "--style STYLE stile", 8, "is not a kind"),
            ("use style", "use stile", 11, "is not shared"),
            ("group two", "group too", 31, "is not shared"),
            ("flag --dry-run-too FILE", "flag --style FILE", 22, "twice"),
            ("flag --dry-run-too FILE", "flag dry_run --dry FILE", 32, "is another flag"),
            ("parts do", "parts does", 14, "there is no `command baton does`"),
            (" : do it", "", 16, "needs ` : `"),
            ("needs dry_run_too", "needs dry_run_to", 34, "has no flag"),
            ("output : how", "output rules : how", 8, "one heading"),
            ("operands 1 many code", "operands 1 many code more", 29, "operands are"),
            ("missing", "mising", 30, "is not a key"),
            ("  needs dry", "  requires stor\n  needs dry", 34, "is not a part"),
            ("command baton do", "comand baton do", 22, "is not one of")):
        try:
            gen_commands.make_source(read(GOOD.replace(old, new, 1)))
        except TableError as why:
            if not str(why).startswith(f"app/cli/x.ops:{line}: ") or words not in str(why):
                raise AssertionError(f"{new}: {why}") from None
        else:
            raise AssertionError(f"{new} was taken")


@tap.claim
def the_tables_of_the_program_are_read():
    files = sorted((ROOT / "app/cli").glob("*.ops"))
    table = gen_commands.Table({path.name: path.read_bytes() for path in files})
    if "baton" not in table.commands or len(table.commands) < 100:
        raise AssertionError(f"{len(table.commands)} commands")


sys.exit(tap.run())
