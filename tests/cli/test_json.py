# SPDX-License-Identifier: Apache-2.0
"""test_json.py BATON - baton json: the forms, pointers, differences and patches from outside."""
import json
import sys

from program import claim, equal, expect, finish, folder, on_terminal, report, run

LOOSE = '{ "b" : 1.50, "a":[1, {}, [ ]],\n"10":"\\u00e9\\n", "2":1e2 }\n'

# What each command makes of LOOSE, byte for byte.
FORMS = {
    "fmt": '{\n  "b": 1.50,\n  "a": [\n    1,\n    {},\n    []\n  ],\n  "10": "é\\n",\n  "2": 1e2\n}\n',
    "min": '{"b":1.50,"a":[1,{},[]],"10":"é\\n","2":1e2}',
    "canon": '{"10":"é\\n","2":100,"a":[1,{},[]],"b":1.5}',
    "stringify": '{"2":100,"10":"é\\n","b":1.5,"a":[1,{},[]]}',
}


def written(command, form):
    def test():
        equal(expect(run("json", command, stdin=LOOSE), 0).stdout.decode(), form)
        equal(expect(run("json", command, "-", stdin=LOOSE), 0).stdout.decode(), form)
        with folder({"x.json": LOOSE}) as place:
            equal(expect(run("json", command, "x.json", cwd=place), 0).stdout.decode(), form)
    test.__name__ = f"{command}_writes_its_form_and_nothing_else"
    claim(test)


for command, form in FORMS.items():
    written(command, form)


@claim
def what_is_no_json_is_reported_as_check_reports_it():
    for words in (["fmt"], ["min"], ["canon"], ["stringify"], ["get", "/a"]):
        for form in ("full", "concise", "json", "sarif"):
            here = expect(run("json", *words, "-f", form, stdin="[1,]"), 1).stdout
            equal(here, run("check", "--as", "json", "-f", form, "-", stdin="[1,]").stdout)


@claim
def an_unreadable_file_is_a_failure_not_a_report():
    for words in (["fmt", "none"], ["get", "/a", "none"], ["fmt", "/"], ["fmt", "/dev/null"]):
        equal(expect(run("json", *words), 2, err="cannot read").stdout, b"")
    expect(run("json", "fmt", "-", "-"), 2, err="unexpected word -")


@claim
def on_a_terminal_a_file_must_be_named():
    for words in (["fmt"], ["get", "/a"]):
        code, output = on_terminal("json", *words)
        equal((code, b"give a FILE" in output), (2, True))


@claim
def limits_hold_here_too():
    expect(run("json", "min", "--limit", "depth=1", stdin="[[]]"), 1, out="JSON_TOO_DEEP")
    expect(run("json", "min", "--limit", "depth=2", stdin="[[]]"), 0)


@claim
def what_has_no_canonical_form_is_reported_at_its_place():
    for text, pointer, column, words in (
        ('[1,{"a/b":[1e400]}]', "/1/a~1b/0", 12, "the number 1e400 "), ('["x","y\\ud800"]', "/1", 6, 'the string "y'),
        ("-1e999", "", 1, "the number -1e999 "), ('{"a":{"b":1,"\\ud800":2}}', "/a/\ud800", 22, "the name "),
    ):
        found = report(expect(run("json", "canon", "-f", "json", stdin=text), 1))["documents"][0]
        finding = found["findings"][0]
        equal((found["dialect"], found["verdict"], found["path"]), ("json", "rejected", "<stdin>"))
        equal((finding["code"], finding["pointer"], finding["line"], finding["column"]),
              ("JSON_NOT_CANONICAL", pointer, 1, column))
        equal((text, finding["message"].startswith(words)), (text, True))


@claim
def the_stringify_form_keeps_half_pairs_and_forgets_large_numbers():
    equal(run("json", "stringify", stdin='["\\uD800",1e999]').stdout, b'["\\ud800",null]')


@claim
def get_prints_the_value_at_a_pointer():
    text = '{"a":{"b":[10,{"c":"x\\ty"}]},"":1,"m~n":2,"e/f":3,"n":1.50, "o" : { "p" : [ ] } }'
    for pointer, value in (("/a/b/0", "10"), ("/a/b/1/c", '"x\\ty"'), ("/", "1"), ("/m~0n", "2"), ("/e~1f", "3"),
                           ("/n", "1.50"), ("/o", '{"p":[]}'), ("/a/b", '[10,{"c":"x\\ty"}]')):
        equal(expect(run("json", "get", pointer, stdin=text), 0).stdout.decode(), value + "\n")
    equal(json.loads(expect(run("json", "get", "", stdin=text), 0).stdout), json.loads(text))


@claim
def get_prints_text_when_asked_for_it():
    equal(run("json", "get", "--raw", "/a", stdin='{"a":"x\\ty\\u00e9"}').stdout, "x\tyé\n".encode())
    equal(run("json", "get", "--raw", "/a", stdin='{"a":[1, 2]}').stdout, b"[1,2]\n")
    equal(expect(run("json", "get", "--raw", "", stdin='"\\ud800"'), 2, err="half of a surrogate pair").stdout, b"")
    equal(run("json", "get", "", stdin='"\\ud800"').stdout, b'"\\ud800"\n')


@claim
def get_says_when_nothing_is_there():
    for pointer in ("/b", "/a/0", "/a/b", "/list/2", "/list/-", "/list/01", "/list/x", "/a~1b"):
        result = expect(run("json", "get", pointer, stdin='{"a":1,"list":[1,2]}'), 1, err=f"nothing at {pointer}")
        equal(result.stdout, b"")


@claim
def get_refuses_what_is_no_pointer():
    for pointer in ("a", "/a~", "/a~2", "a/b", "#/a"):
        expect(run("json", "get", pointer, stdin="{}"), 2, err=f"{pointer} is not a JSON Pointer")
    expect(run("json", "get"), 2, err="json get needs POINTER")
    expect(run("json", "get", "/a", "x", "y"), 2, err="unexpected word y")


@claim
def a_difference_is_a_patch_that_leads_from_one_to_the_other():
    pairs = [('{"a":1}', '{"a":2,"b":[1]}'), ("[1,2,3,4]", "[2,3,5]"), ("1", '{"a":1}'), ('{"a":{"b":1}}', '{"a":{}}'),
             ('{"a~b/c":1}', '{"a~b/c":[{}]}'), ("[]", "[[],[]]"), ('{"a":1,"b":2}', '{"b":2,"a":1}')]
    for a, b in pairs:
        with folder({"a": a, "b": b}) as place:
            patch = expect(run("json", "diff", "a", "b", cwd=place), 0).stdout
            equal((patch[:1], patch[-2:]), (b"[", b"]\n"))
            patched = expect(run("json", "patch", "a", "-", stdin=patch, cwd=place), 0)
            equal(json.loads(patched.stdout), json.loads(b))


@claim
def equal_documents_have_no_difference():
    with folder({"a": '{"x":1.0,"y":[1e2]}', "b": '{ "y" : [100], "x":1 }', "c": '{"x":1,"y":[101]}'}) as place:
        equal(expect(run("json", "diff", "a", "b", cwd=place), 0).stdout, b"[]\n")
        equal(expect(run("json", "diff", "--exit-code", "a", "b", cwd=place), 0).stdout, b"[]\n")
        expect(run("json", "diff", "a", "c", cwd=place), 0, out="/y/0")
        expect(run("json", "diff", "--exit-code", "a", "c", cwd=place), 1, out="/y/0")
        expect(run("json", "diff", "--exit-code", "a", "-", stdin="{}", cwd=place), 1)


@claim
def two_documents_are_wanted_and_one_may_be_standard_input():
    with folder({"a": "{}"}) as place:
        for command in ("diff", "patch"):
            expect(run("json", command, "a", cwd=place), 2, err=" needs ")
            expect(run("json", command, "a", "a", "a", cwd=place), 2, err="unexpected word a")
            expect(run("json", command, "-", "-", stdin="[]", cwd=place), 2, err="only one of the two")


@claim
def both_documents_are_reported_when_both_are_broken():
    with folder({"a": "[", "b": "{"}) as place:
        for command in ("diff", "patch"):
            found = report(expect(run("json", command, "-f", "json", "a", "b", cwd=place), 1))
            equal([document["path"] for document in found["documents"]], ["a", "b"])


@claim
def a_patched_document_keeps_its_style():
    patch = '[{"op":"add","path":"/b","value":[1, {}]}]'
    for text, result in (('{"a":1.0}', '{"a":1.0,"b":[1,{}]}'), ('{"a":1.0}\n\n', '{"a":1.0,"b":[1,{}]}'),
                         ('{"a": 1.0}', '{\n  "a": 1.0,\n  "b": [\n    1,\n    {}\n  ]\n}\n')):
        with folder({"d": text, "p": patch}) as place:
            equal(expect(run("json", "patch", "d", "p", cwd=place), 0).stdout.decode(), result)


@claim
def a_refused_patch_is_reported_at_the_operation():
    for patch, pointer, line in (
        ('[{"op":"add","path":"/b","value":1},\n{"op":"remove","path":"/none"}]', "/1", 2),
        ('[{"op":"test","path":"/a","value":2}]', "/0", 1),
        ('[\n{"op":"fly","path":"/a"}]', "/0", 2),
        ('{"op":"add"}', "", 1),
    ):
        with folder({"d": '{"a":1}', "p": patch}) as place:
            found = report(expect(run("json", "patch", "-f", "json", "d", "p", cwd=place), 1))
            equal(len(found["documents"]), 1)
            document = found["documents"][0]
            finding = document["findings"][0]
            equal((document["path"], document["verdict"], finding["code"], finding["pointer"], finding["line"]),
                  ("p", "rejected", "JSON_PATCH_REFUSED", pointer, line))


@claim
def a_part_must_be_named_and_known():
    expect(run("json"), 2, err="json needs a command")
    expect(run("json", "fmat"), 2, err="unknown command fmat, did you mean fmt?")
    expect(run("json", "--raw"), 2, err="unknown flag --raw")
    expect(run("json", "fmt", "--raw"), 2, err="unknown flag --raw")
    expect(run("json", "get", "--raw=1", "/a"), 2, err="--raw takes no value")


sys.exit(finish())
