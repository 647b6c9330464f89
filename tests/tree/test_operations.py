# SPDX-License-Identifier: Apache-2.0
"""test_operations.py ROOT - *.ops are read as the grammar says, and each kind of fault is refused at its line."""
import json
import pathlib
import sys

import gen_operations
import tap
from operation_table import Table
from table_text import TableError

ROOT = pathlib.Path(sys.argv[1])

GOOD = """# A comment.
group delivery
  param message text required body

operation inbox.finish
  summary Say how deliveries ended
  about
    One line,
    and the next.
  scopes submit operate
  effects records
  param agent name required path tool
  use options
  param items list(delivery) required body
  param max integer min 1 max 100 body tool : at most so many
  param outcome word(delivered|failed) tool
  param what json(string|object) tool
  rest POST /v1/inbox/{agent}/finish finishHandoffs takes both
  outcomes unprocessable
  tool finish_handoff scopes submit : Say how it ended.
  skill finish Finish a handoff : says how it ended
  result thing

operation inbox.look
  summary Look
  scopes none
  rest GET /v1/inbox look gives text/plain
"""
INDEX = """group options
  param dialect dialect query=as

media both
  types application/json text/plain

result baton
  openapi {}

result thing
  openapi {"type": "object"}
  tool report

tag inbox
  about Inboxes.
  under inbox

list rest
  rows inbox.look inbox.finish

list tools
  rows inbox.finish

list skills
  rows inbox.finish
"""


def read(text=GOOD, index=INDEX):
    return Table({"inbox.ops": text.encode(), "index.ops": index.encode()})


def changed(old, new, text=GOOD):
    assert old in text, old
    return text.replace(old, new, 1)


def line_of(words, text):
    return next(number for number, line in enumerate(text.split("\n"), 1) if words in line)


def expect_fault(old, new, words, where=None, is_index=False):
    """Refused with these words, at the line that has `where`, by default what is new."""
    text = changed(old, new, INDEX if is_index else GOOD)
    try:
        read(*((GOOD, text) if is_index else (text,)))
    except TableError as why:
        at = f"{'index' if is_index else 'inbox'}.ops:{line_of(where or new, text)}: "
        if not str(why).startswith(at) or words not in str(why):
            raise AssertionError(f"expected {at!r} and {words!r}, got: {why}") from None
        return
    raise AssertionError(f"nothing refused; expected {words!r}")


@tap.claim
def a_row_is_read_with_all_its_parts():
    finish, look = read().operations
    assert (finish.name, finish.about, finish.scopes, finish.effects) == ("inbox.finish", "One line, and the next.", ["submit", "operate"], ["records"])
    assert [(param.name, param.type, param.places) for param in finish.params][:3] == [
        ("agent", "name", {"path": "agent", "tool": "agent"}), ("dialect", "dialect", {"query": "as"}), ("items", "list", {"body": "items"})]
    assert (finish.rest.method, finish.rest.path, finish.rest.lists) == ("POST", "/v1/inbox/{agent}/finish", {"takes": ["application/json", "text/plain"], "gives": []})
    assert (finish.tool, finish.tool_scopes, finish.skill, finish.skill_name) == ("finish_handoff", ["submit"], "finish", "Finish a handoff")
    assert finish.result == ('{"type":"object"}', None) and look.result[0] == "{}"
    assert (look.scopes, look.rest.lists["gives"], look.tool) == ([], ["text/plain"], None)
    assert [row.name for row in read().lists["rest"]] == ["inbox.look", "inbox.finish"]
    assert (finish.run, finish.cache) == ("bt_op_inbox_finish", "none")


@tap.claim
def a_row_names_its_function_and_the_places_of_its_arguments():
    text = changed("  result thing", "  result thing\n  cache minutes\n  run bt_op_finish", changed("  use options\n", "  use options\n  param root text option\n  param root text tool\n"))
    finish = read(text).operations[0]
    assert (finish.run, finish.cache) == ("bt_op_finish", "minutes")
    assert finish.slots() == {"agent": 0, "as": 1, "root": 3, "items": 4, "max": 5, "outcome": 6, "what": 7}
    header = gen_operations.make_header(read(text))
    assert "    BT_ARG_INBOX_FINISH_ROOT = 3,\n" in header and "bt_operation_fn bt_op_finish;\n" in header
    assert ".cache = BT_CACHE_MINUTES, .run = bt_op_finish,\n" in gen_operations.make_source(read(text))
    assert read(changed("  result thing", "  result thing\n  run none")).operations[0].run is None
    expect_fault("  result thing", "  result thing\n  cache often", "often", where="cache often")


@tap.claim
def calls_are_some_of_the_rows_with_a_path():
    table = read(changed("  use options\n", "  use options\n  param note text call\n"), changed("list skills", "list calls\n  rows inbox.look\n\nlist skills", INDEX))
    assert [row.name for row in table.lists["calls"]] == ["inbox.look"]
    assert "    BT_OPERATIONS_CALLS_COUNT = 1,\n" in gen_operations.make_header(table)
    assert '.name = BT_STR_INIT("note"), .type = BT_OPERATION_PARAM_TEXT, .places = BT_IN_CALL}' in gen_operations.make_source(table)
    assert "note" not in gen_operations.body_schema(table.operations[0]) + gen_operations.tool_input(table.operations[0])


@tap.claim
def schemas_are_made_from_parameters():
    finish = read().operations[0]
    body = json.loads(gen_operations.body_schema(finish))
    assert body == {"type": "object", "additionalProperties": False, "required": ["items"], "properties": {
        "items": {"type": "array", "items": {"type": "object", "additionalProperties": False, "required": ["message"], "properties": {"message": {"type": "string"}}}},
        "max": {"type": "integer", "minimum": 1, "maximum": 100}}}, body
    made = json.loads("{" + gen_operations.tool_input(finish) + "}")
    assert made == {"required": ["agent"], "properties": {
        "agent": {"type": "string", "minLength": 1}, "max": {"type": "integer", "minimum": 1, "maximum": 100, "description": "at most so many"},
        "outcome": {"enum": ["delivered", "failed"]}, "what": {"type": ["string", "object"]}}}, made


@tap.claim
def faults_of_blocks_are_refused_at_their_lines():
    expect_fault("group delivery", "grupp delivery", "`grupp` is not a block")
    expect_fault("  effects records", "  efects records", "`efects` is not a key of `operation`")
    expect_fault("  scopes none", "  scopes none\n  summary Again", "`summary` is given twice", "summary Again")
    expect_fault("  scopes none\n", "", "lacks the key `scopes`", "operation inbox.look")
    expect_fault("inbox.look", "Inbox", "`Inbox` is not NOUN.VERB")
    expect_fault("inbox.look", "ledger.look", "belongs in ledger.ops")
    expect_fault("  rest GET /v1/inbox look gives text/plain\n", "", "has no rest, tool or skill", "operation inbox.look")


@tap.claim
def faults_of_words_are_refused_at_their_lines():
    expect_fault("  scopes none", "  scopes everybody", "`everybody` is not a scope")
    expect_fault("  effects records", "  effects explodes", "`explodes` is not an effect")
    expect_fault("  outcomes unprocessable", "  outcomes luck", "`luck` is not an outcome")
    expect_fault("  result thing", "  result nothing", "there is no `result nothing`")
    expect_fault("  use options", "  use optins", "there is no group `optins`")
    expect_fault("list(delivery)", "list(delivry)", "there is no group `delivry`")


@tap.claim
def faults_of_parameters_are_refused_at_their_lines():
    row = "  param what json(string|object) tool"
    for new, words in (
            ("  param what", "`param` is NAME TYPE"),
            ("  param What text tool", "`What` is not a name of a parameter"),
            ("  param what texts tool", "`texts` is not a type"),
            ("  param what word() tool", "`word()` needs words"),
            ("  param what text", "has no place"),
            ("  param what text elsewhere", "`elsewhere` is not known here"),
            ("  param what text tool tool", "`tool` is not known here, or is there twice"),
            ("  param what integer min tool", "`min` needs a whole number"),
            ("  param what integer min 2 max 1 tool", "min is greater than max"),
            ("  param what text min 1 tool", "only an integer has min and max"),
            ("  param outcome text tool", "`outcome` is there twice in the tool"),
            ("  param what text path", "the names in /v1/inbox/{agent}/finish and the parameters of the path differ: what")):
        expect_fault(row, new, words, "rest POST" if "differ" in words else new)
    expect_fault("  scopes none", "  scopes none\n  param what text body", "a GET has no body", "param what text body")
    expect_fault("  scopes none", "  scopes none\n  param what text tool", "`inbox.look` has no tool", "param what text tool")


@tap.claim
def faults_of_bindings_are_refused_at_their_lines():
    expect_fault("  rest GET /v1/inbox look", "  rest FETCH /v1/inbox look", "`rest` is METHOD PATH OPERATION_ID")
    expect_fault("gives text/plain", "gives plain", "`plain` is neither a media type nor a `media` block")
    expect_fault("/v1/inbox look", "/v1/inbox finishHandoffs", "another operation has the operationId `finishHandoffs`", "operation inbox.look")
    expect_fault("  rest GET /v1/inbox look gives text/plain", "  tool finish_handoff : Look.", "another operation has the tool `finish_handoff`", "operation inbox.look")
    expect_fault("tool finish_handoff scopes submit :", "tool finish_handoff scopes :", "`tool` is NAME [scopes SCOPE...] : description")
    expect_fault(" : Say how it ended.", "", "`tool` needs ` : ` and a text", "tool finish_handoff")
    expect_fault("skill finish Finish a handoff :", "skill finish :", "`skill` is ID NAME : description")


@tap.claim
def faults_of_what_is_shared_are_refused_at_their_lines():
    expect_fault("rows inbox.look inbox.finish", "rows inbox.look", "`inbox.finish` is missing", "  rows inbox.look", is_index=True)
    expect_fault("rows inbox.look inbox.finish", "rows inbox.look inbox.look inbox.finish", "`inbox.look` has no rest, or is there twice", is_index=True)
    expect_fault("list tools", "list commands", "`commands` is not a list", is_index=True)
    expect_fault('openapi {"type": "object"}', 'openapi {"type"}', "`openapi` is not JSON", is_index=True)
    expect_fault("tag inbox\n", "tag inbox\n  abowt x\n", "`abowt` is not a key of `tag`", "abowt", is_index=True)


@tap.claim
def the_same_name_twice_is_refused():
    for text, index, words in ((GOOD + "\noperation inbox.look\n  summary x\n  scopes none\n  rest GET /x x\n", INDEX, "inbox.ops:29: `operation inbox.look` is in inbox.ops:24, too"),
                               (GOOD, INDEX + "\nresult baton\n  openapi {}\n", "index.ops:27: `result baton` is in index.ops:7, too")):
        try:
            read(text, index)
        except TableError as why:
            assert str(why) == words, why
        else:
            raise AssertionError("nothing refused")


@tap.claim
def the_rows_of_the_tree_are_made_the_same_each_time():
    files = {f"src/operation/{path.name}": path.read_bytes() for path in sorted((ROOT / "src/operation").glob("*.ops"))}
    first, second = Table(files), Table(dict(reversed(files.items())))
    assert gen_operations.make_source(first) == gen_operations.make_source(second)
    assert gen_operations.make_header(first) == gen_operations.make_header(second)


@tap.claim
def every_table_of_the_folder_is_built():
    build = (ROOT / "src/operation/meson.build").read_text()
    missing = [path.name for path in (ROOT / "src/operation").glob("*.ops") if f"'{path.stem}'" not in build]
    assert not missing, missing


sys.exit(tap.run())
