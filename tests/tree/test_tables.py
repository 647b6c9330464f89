# SPDX-License-Identifier: Apache-2.0
"""test_tables.py ROOT - *.rules are read as the grammar says, and each kind of fault is refused at its line."""
import pathlib
import sys

import gen_tables
import rule_table
import tap
from table_text import TableError

ROOT = pathlib.Path(sys.argv[1])

GOOD = """# A comment.
dialect universal

rule SELF_LOOP
  severity HARD varies
  stage    semantics
  meaning  the target is the sender itself
  params   skill:text loop:texts why:word(old|too-new)? count:integer!message
  message  when why=too-new {skill} is {{new}} ({why})
  message  {skill} hands the work to itself {count} times
  hint     choose another
  explain
    One line,
    and the next.

    A paragraph.
  bad
      {"a":1}\\x0a

    # no comment\\xff\\x20
  good     {}
"""


def read(text, name="a.rules"):
    return rule_table.read_rules({name: text if isinstance(text, bytes) else text.encode()})


def changed(old, new, text=GOOD):
    assert old in text, old
    return text.replace(old, new)


def without(key, text=GOOD):
    return "".join(line for line in text.splitlines(True) if not line.startswith(f"  {key} "))


def expect_fault(text, where, words):
    try:
        read(text)
    except TableError as why:
        if not str(why).startswith(f"a.rules:{where}: ") or words not in str(why):
            raise AssertionError(f"expected a.rules:{where} and {words!r}, got: {why}") from None
        return
    raise AssertionError(f"nothing refused; expected {words!r}")


def row(key, value, line):
    """A file whose fault is in the key of one line."""
    lines = GOOD.split("\n")
    lines[line - 1] = f"  {key} {value}"
    return "\n".join(lines)


@tap.claim
def a_block_is_read_as_it_is_written():
    rule = read(GOOD)[0]
    assert (rule.code, rule.dialects, rule.severity, rule.severity_varies, rule.stage) == ("SELF_LOOP", ["universal"], "HARD", True, "semantics")
    assert (rule.fix, rule.security, rule.meaning) == ("none", "no", "the target is the sender itself")
    assert rule.explain == "One line, and the next.\n\nA paragraph."
    assert rule.bad == b'  {"a":1}\n\n\n# no comment\xff ', rule.bad
    assert rule.good == b"{}"
    assert [(param.name, param.type, param.is_optional, param.is_hidden) for param in rule.forms[0].params] == [
        ("skill", "text", False, False), ("loop", "texts", False, False), ("why", "word", True, False), ("count", "integer", False, True)]
    message = rule.forms[0].messages[0]
    assert message.pieces == [("", 0, ""), (" is {new} (", 2, ""), (")", None, "")], message.pieces
    assert message.conditions[0].choice == 2


@tap.claim
def white_space_and_encoding_are_checked():
    expect_fault(GOOD.encode()[:40] + b"\xff\n", 4, "not UTF-8")
    expect_fault(changed("meaning  the", "meaning  \tthe"), 7, "a tab")
    expect_fault(changed("choose another", "choose another "), 11, "blank at the end")
    expect_fault(changed("choose another", "choose another\r"), 11, "carriage return")
    expect_fault(GOOD[:-1], 21, "the last line has no end")


@tap.claim
def indentation_is_checked():
    expect_fault(changed("  stage", "   stage"), 6, "indented by two blanks")
    expect_fault(changed("  stage", "    stage"), 6, "indented by two blanks")
    expect_fault("  stage read\n", 1, "before the first block")
    expect_fault("dialect a\nrule\n", 2, "KEYWORD NAME")
    expect_fault(changed("  good     {}", "  good"), 21, "neither a value nor a text")
    expect_fault(row("meaning", "", 7).replace("  meaning \n", "  meaning\n    more\n"), 7, "on the same line")


@tap.claim
def the_file_begins_with_its_dialect():
    expect_fault("", 1, "the first line is `dialect NAME`")
    expect_fault(changed("dialect universal\n\n", ""), 2, "the first line is `dialect NAME`")
    expect_fault(changed("rule SELF_LOOP", "rules SELF_LOOP"), 4, "does not open a block")
    expect_fault(changed("rule SELF_LOOP", "rule Self"), 4, "is not a code")


@tap.claim
def unknown_repeated_and_missing_keys_are_refused():
    expect_fault(changed("  hint", "  hints"), 11, "`hints` is not a key")
    expect_fault(changed("  hint     choose another", "  stage read"), 11, "`stage` is given twice")
    for key in ("severity", "stage", "meaning"):
        expect_fault(without(key), 4, f"lacks the key `{key}`")
    expect_fault(without("good"), 4, "needs `bad` and `good`, or `no-example REASON`")
    expect_fault(changed("dialect universal\n", "dialect universal\n  bad {}\n"), 3, "`bad`")
    expect_fault(GOOD + "  no-example because\n", 22, "either an example or")


@tap.claim
def values_outside_their_list_are_refused():
    expect_fault(row("severity", "hard", 5), 5, "is one of HARD, WARN, INFO, none")
    expect_fault(row("severity", "HARD sometimes", 5), 5, "`varies` may follow")
    expect_fault(row("stage", "last", 6), 6, "`stage` is one of")
    expect_fault(GOOD + "  fix maybe\n", 22, "`fix` is one of none, safe, unsafe")
    expect_fault(GOOD + "  security maybe\n", 22, "`security` is one of yes, no")
    expect_fault(GOOD + "  refusal never\n", 22, "is not a refusal")
    expect_fault(GOOD + "  refusal gone when why=older\n", 22, "is not a value of `why`")
    expect_fault(GOOD + "  refusal gone when pointer=/a\n", 22, "the whole document")
    expect_fault(GOOD + "  dialect a a\n", 22, "each once")
    expect_fault(GOOD + "  needs time\n", 22, "`needs` lists some of store, caller, root")
    expect_fault(GOOD + "  needs root root\n", 22, "each once")
    assert read(GOOD + "  needs store root\n")[0].needs == ["store", "root"]
    expect_fault(changed("HARD varies", "none"), 4, "never a finding")


@tap.claim
def the_good_example_of_a_file_is_that_of_rules_without_one():
    old, new = "dialect universal\n", "dialect universal\n  good []\n"
    assert read(changed(old, new, without("good")))[0].good == b"[]"
    assert read(changed(old, new))[0].good == b"{}", "its own example comes first"


@tap.claim
def params_are_checked():
    for params, words in (("skill", "is not `name:type`"), ("skill:blob", "is not a type"), ("skill:text!secret", "is not a mark"),
                          ("skill:text(a|b)", "only word has a list"), ("skill:word", "lists its words"), ("skill:word(a|)", "lists its words"),
                          ("skill:word(a-b|a_b)", "the same name in C"), ("skill:text skill:text", "the same name")):
        expect_fault(row("params", params, 8), 8, words)


@tap.claim
def templates_are_checked():
    for message, words in (("{other}", "no parameter `other`"), ("{skill:loud}", "is not a form"), ("a { b", "written twice"), ("{loop}", "{loop:list}"),
                           ("{why}", "needs `when why`"), ("when why=new x", "is not a value"), ("when skill x", "always there"), ("when other x", "no parameter"),
                           ("when why=old", "has no text")):
        expect_fault(row("message", message, 10), 10, words)
    expect_fault(row("message", "always", 9), 9, "comes last")
    expect_fault(row("message", "composed", 10), 4, "has no variants")
    expect_fault(changed("skill:text", "skill:json"), 9, "cannot stand in a text")


@tap.claim
def a_code_has_one_row_per_dialect_one_severity_and_one_stage():
    again = GOOD.split("\n\n", 1)[1]
    expect_fault(GOOD + again, 22, "is defined in a.rules:4 already")
    other = again + "  dialect plan\n"
    assert len(read(GOOD + other)) == 2
    expect_fault(GOOD + changed("HARD varies", "WARN", other), 22, "another `severity` in a.rules:4")
    expect_fault(GOOD + changed("semantics", "read", other), 22, "another `stage` in a.rules:4")
    expect_fault(GOOD + other + "  needs root\n", 22, "another `needs` in a.rules:4")


@tap.claim
def names_carry_the_dialect_where_a_code_has_several_blocks():
    text = gen_tables.make_header(gen_tables.Table(read(GOOD)))
    assert "bt_add_self_loop(struct bt_findings *findings, enum bt_severity severity, struct bt_location at, bt_str skill, struct bt_str_list loop, enum bt_self_loop_why why, uint64_t count);" in text, text
    assert "BT_SELF_LOOP_WHY_TOO_NEW, /* too-new */" in text
    both = GOOD + GOOD.split("\n\n", 1)[1] + "  dialect plan xml\n"
    text = gen_tables.make_header(gen_tables.Table(read(both)))
    assert "bt_add_universal_self_loop(struct bt_findings *findings, enum bt_severity" in text
    assert "bt_add_plan_self_loop(struct bt_findings *findings, enum bt_dialect_id dialect, enum bt_severity" in text


@tap.claim
def the_meaning_stands_in_a_text_and_a_text_is_cut_in_params():
    rule = read(changed("skill:text", "skill:text!cut", changed("{skill} hands the work", "{meaning}: {skill}")))[0]
    assert rule.forms[0].params[0].is_cut and not rule.forms[0].params[1].is_cut
    assert rule.forms[0].messages[1].pieces[0] == ("the target is the sender itself: ", 0, "")
    assert ".is_cut = true}" in gen_tables.make_source(gen_tables.Table([rule]))
    expect_fault(changed("count:integer!message", "count:integer!cut"), 8, "only a text is cut")


@tap.claim
def parameters_that_reveal_agents_are_listed_by_name():
    text = changed("loop:texts", "loop:texts!topology", GOOD) + "  form again\n  params loop:text!topology another:text!topology\n"
    source = gen_tables.make_source(gen_tables.Table(read(text)))
    listed = source.split("bt_topology_params[] = {\n")[1].split("}")[0]
    assert listed.split() == ['BT_STR_INIT("another"),', 'BT_STR_INIT("loop"),', 'BT_STR_INIT(""),'], listed


@tap.claim
def each_form_of_a_rule_has_its_function():
    text = GOOD + "  form alone\n  params why:word(a|b) all:texts\n  message {all:words}\n  form bare\n  params none\n"
    assert [form.name for form in read(text)[0].forms] == ["", "alone", "bare"]
    header = gen_tables.make_header(gen_tables.Table(read(text)))
    start = "(struct bt_findings *findings, enum bt_severity severity, struct bt_location at"
    assert f"bt_add_self_loop_alone{start}, enum bt_self_loop_alone_why why, struct bt_str_list all);" in header, header
    assert f"bt_add_self_loop_bare{start});" in header
    source = gen_tables.make_source(gen_tables.Table(read(text)))
    assert source.count(".form = &form_0") == 1 and source.count("added.form = &form_1;") == 1, source
    expect_fault(text + "  form bare\n  params none\n", 4, "two forms have the same name")
    expect_fault(text + "  form No\n", 27, "is not the name of a form")
    expect_fault(text + "  stage read\n", 27, "`stage` stands before the first `form`")
    expect_fault(text + "  params none\n", 27, "`params` is given twice")
    without_first = without("params", without("message", GOOD)) + "  form alone\n  params none\n"
    expect_fault(without_first, 4, "`params` or `message` before it")


@tap.claim
def templates_become_texts_with_control_characters():
    source = gen_tables.make_source(gen_tables.Table(read(GOOD)))
    message = r'\001CC\002AA is {new} (\002CA)\003\002AA hands the work to itself \002DA times\003'
    assert f'.messages = BT_STR_INIT("{message}"),' in source, source
    assert r'.hints = BT_STR_INIT("choose another\003"),' in source, source
    for broken in (lambda: gen_tables.make_source(gen_tables.Table(read(changed("choose another", "choose\2another", GOOD)))), lambda: gen_tables.letter(58)):
        try:
            broken()
        except TableError:
            continue
        raise AssertionError("this cannot be written as a template")


@tap.claim
def rows_are_sorted_and_carry_the_bytes():
    early = GOOD.split("\n\n", 1)[1].replace("SELF_LOOP", "A_CODE")
    source = gen_tables.make_source(gen_tables.Table(read(GOOD + early)))
    assert source.index("{ /* a.rules:22 */") < source.index("{ /* a.rules:4 */")
    assert '.bad = BT_STR_INIT("  {\\"a\\":1}\\n\\n\\n# no comment\\377 ")' in source


PROBLEM = """dialect http
rule HTTP_VERSION
  status 505
  title HTTP version not supported
  explain
    Only HTTP/1.1 and HTTP/1.0 are spoken. Use one
    of them.
"""


@tap.claim
def a_problem_has_a_status_and_texts():
    table = gen_tables.Table(read(PROBLEM + "rule OTHER\n  status 404\n  title Other\n  detail Said shortly.\n  explain Said. At length.\n"))
    assert [rule.meaning for rule in table.rules] == ["HTTP 505: hTTP version not supported", "HTTP 404: other"]
    assert "    BT_PROBLEM_HTTP_VERSION, /* 505: HTTP version not supported */\n" in gen_tables.make_problems_header(table)
    source = gen_tables.make_problems_source(table)
    assert '505, BT_STR_INIT("HTTP version not supported"),\n        BT_STR_INIT("Only HTTP/1.1 and HTTP/1.0 are spoken.")}' in source
    assert 'BT_STR_INIT("Said shortly.")' in source


@tap.claim
def a_problem_is_never_a_finding():
    expect_fault(PROBLEM.replace("505", "200"), 3, "HTTP status")
    expect_fault(PROBLEM.replace("  title", "  severity HARD\n  title"), 4, "severity")
    expect_fault(PROBLEM.replace("  title HTTP version not supported\n", ""), 2, "title")


@tap.claim
def a_fault_ends_the_build_with_its_place():
    with tap.sample({"a.rules": "dialect a\nrule b\n"}) as folder:
        output = pathlib.Path(folder) / "out.h"
        assert gen_tables.main(["header", str(output), folder, "a.rules"]) == 1
        assert not output.exists()


@tap.claim
def every_table_of_the_tree_is_read():
    paths = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "src").rglob("*.rules"))
    rule_table.read_rules({path: (ROOT / path).read_bytes() for path in paths})


sys.exit(tap.run())
