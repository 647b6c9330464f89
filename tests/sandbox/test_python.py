#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_python.py TREE - the Python host by itself: both ways to read a payload agree, and classes that
cannot travel are told."""
import dataclasses
import pathlib
import random
import sys
import typing
import xml.etree.ElementTree as ElementTree
from xml.sax.saxutils import escape

TREE = pathlib.Path(sys.argv[1])
sys.path[:0] = [str(TREE / "sdk/python"), str(TREE / "tests/tree")]

import tap  # noqa: E402
from baton import Halt, HandlerMetadata, Huh, Reply, TodoUntil, _model, _xml, xmlify  # noqa: E402


@xmlify
@dataclasses.dataclass
class Flat:
    i: int
    f: float
    b: bool
    s: str
    o: typing.Optional[int]
    t: typing.Optional[str]


SHAPE = _model.shape_of(Flat)
CHARACTERS = "aZ09 .,;<>&'\"äß€\U0001f600\t\n"


def random_payload(rng):
    """A canonical payload: what the pump sends after it has checked and canonicalised."""
    blank = rng.choice(["", "", " ", "\n "])
    text = "".join(rng.choice(CHARACTERS) for _ in range(rng.randrange(12)))
    fields = [("i", blank + str(rng.randrange(-10**9, 10**9)) + blank), ("f", rng.choice(["1.5", "-.25", "7", "+3."])),
              ("b", rng.choice(["true", "false", "1", " 0 "])), ("s", escape(text))]
    if rng.random() < 0.5:
        fields.append(("o", "+7"))
    if rng.random() < 0.5:
        fields.append(("t", escape(text)))
    inner = "".join(f"<{name}>{value}</{name}>" for name, value in fields)
    return f"<a.flat>{inner}</a.flat>".encode()


def equal(got, expected):
    if got != expected or type(got) is not type(expected):
        raise AssertionError(f"got {got!r}, expected {expected!r}")


@tap.claim
def the_quick_way_to_read_a_payload_agrees_with_the_parser():
    rng = random.Random(7)
    read, parse = _xml.reader_of(SHAPE), _xml._decoder(SHAPE)
    match, _ = _xml._flat_decoder(SHAPE)
    quick = 0
    for _ in range(3000):
        payload = random_payload(rng)
        quick += match(payload) is not None
        equal(read(payload), parse(ElementTree.fromstring(payload)))
    if not 300 < quick < 3000:
        raise AssertionError(f"{quick} of 3000 took the quick way; both have to be tried")


@tap.claim
def what_the_quick_way_does_not_match_is_left_to_the_parser():
    read = _xml.reader_of(SHAPE)
    for payload in (b"<a.flat></a.flat>", b"<a.flat><i>1</i></a.flat>", b"<a.flat><i>1</i><f>1</f><b>x</b><s></s></a.flat>",
                    b"<a.flat><i>x</i><f>1</f><b>1</b><s></s></a.flat>", b"<a.flat>", b""):
        try:
            got = read(payload)
        except Exception:
            continue
        raise AssertionError(f"{payload!r} was read as {got!r}")


@tap.claim
def replies_and_diagnostics_are_told_from_payloads_by_their_root():
    read = _xml.reader_of(SHAPE)
    core = 'xmlns="https://xml-pipeline.org/ns/core/v1"'
    equal(read(b"<note>x</note>"), Reply("note", "x", b"<note>x</note>"))
    equal(read(b"<i>1</i>"), Reply("i", "1", b"<i>1</i>"))
    equal(read(b"<note><a>x</a></note>").text, "")
    equal(read(b"<note><a>x</a></note>").get("a"), "x")
    equal(read(f"<huh {core}><error>no</error><original-attempt></original-attempt></huh>".encode()), Huh("no", b""))
    todo = f'<todo-until {core} condition="c">a<b xmlns="">c</b></todo-until>'.encode()
    equal(read(todo), TodoUntil("c", "ac", todo))
    halt = f"<halt {core}></halt>".encode()
    equal(read(halt), Halt(None, "", halt))


@tap.claim
def metadata_and_replies_are_frozen():
    for thing in (HandlerMetadata("t"), Reply("a", "b", b"c"), Huh("a", b"b"), TodoUntil(None, "", b""), Halt(None, "", b"")):
        try:
            setattr(thing, dataclasses.fields(thing)[0].name, "x")
        except dataclasses.FrozenInstanceError:
            continue
        raise AssertionError(f"{thing} can be changed")
    equal([field.name for field in dataclasses.fields(HandlerMetadata)], ["thread_id", "own_name"])


def refused(hint):
    cls = xmlify(dataclasses.make_dataclass("Odd", [("a", hint)]))
    try:
        _model.shape_of(cls)
    except _model.Unsupported:
        return True
    return False


@tap.claim
def types_that_are_not_in_the_table_are_refused():
    taken = [int, str, typing.List[int], list[str], set[float], dict[int, list[str]], tuple[int, str],
             typing.Optional[list[int]], list[Flat], dict[str, Flat]]
    not_taken = [complex, bytes, object, typing.Any, list, dict, tuple, typing.Union[int, str],
                 list[typing.Optional[int]], dict[Flat, int], dict[list[int], int], tuple[int, ...], tuple[()],
                 frozenset[int], "Nobody", typing.Annotated[int, 1], None]
    equal([hint for hint in taken if refused(hint)], [])
    equal([hint for hint in not_taken if not refused(hint)], [])


@tap.claim
def a_class_that_contains_itself_or_is_not_marked_is_refused():
    @dataclasses.dataclass
    class Plain:
        a: int

    @xmlify
    class Child(Flat):
        more: int

    class Unmarked(Flat):
        pass

    equal(refused(Plain), True)
    equal(refused(Unmarked), True)
    equal([name for name, _ in _model.shape_of(Child).describe_fields()][-1], "more")
    loop = xmlify(dataclasses.make_dataclass("Loop", [("a", int)]))
    loop.__dataclass_fields__["a"].type = loop
    loop.__annotations__["a"] = loop
    try:
        _model.shape_of(loop)
    except _model.Unsupported as why:
        equal("itself" in str(why), True)
    else:
        raise AssertionError("a class may contain itself")


sys.exit(tap.run())
