# SPDX-License-Identifier: Apache-2.0
"""test_value.py - Python values become JSON exactly as documented."""
import collections
import decimal
import enum
import json
import math
import random
import unittest

import baton
from baton._judge import dumps


class Colour(enum.Enum):
    RED = "red"
    PAIR = (1, [2])


class Size(enum.IntEnum):
    SMALL = 1


class Text(str):
    def __str__(self):
        return "overridden"


class Number(int):
    def __repr__(self):
        return "overridden"


class Real(float):
    def __repr__(self):
        return "overridden"


class Pairs(dict):
    def items(self):
        raise AssertionError("the base value counts")

    def __len__(self):
        return 10**6


class Items(list):
    def __iter__(self):
        raise AssertionError("the base value counts")

    def __len__(self):
        return 10**6


def text_of(value):
    return dumps(None, value).decode()


class Values(unittest.TestCase):
    def test_each_type_has_its_text(self):
        rows = [
            (None, "null"), (True, "true"), (False, "false"), (0, "0"), (-7, "-7"), (2**63, str(2**63)), (-(2**63), str(-(2**63))), (10**30, "1" + "0" * 30),
            (1.0, "1.0"), (-0.0, "-0.0"), (0.1, "0.1"), (1e16, "1e+16"), (5e-324, "5e-324"), (1.7976931348623157e308, "1.7976931348623157e+308"),
            ("", '""'), ("a\"\\/\b\t\n\f\r\x00\x1f\x7f", '"a\\"\\\\/\\b\\t\\n\\f\\r\\u0000\\u001f\x7f"'), ("ä€\U0001f600\u2028", '"ä€\U0001f600\u2028"'),
            ("\ud800x\udfff", '"\\ud800x\\udfff"'), ("\ud7ff\ue000", '"\ud7ff\ue000"'),
            ([], "[]"), ({}, "{}"), ((), "[]"), ([[], {}, [1, (2, {"a": None})]], '[[],{},[1,[2,{"a":null}]]]'), ({"b": 1, "a": 2}, '{"b":1,"a":2}'),
            (decimal.Decimal("1.10"), "1.10"), (decimal.Decimal("1E+3"), "1E+3"), (decimal.Decimal("-0"), "-0"),
            (Colour.RED, '"red"'), (Colour.PAIR, "[1,[2]]"), (Size.SMALL, "1"), ({Text("k"): Text("v")}, '{"k":"v"}'),
            (Number(5), "5"), (Real(1.5), "1.5"), (Pairs(a=1), '{"a":1}'), (Items([1, 2]), "[1,2]"), (collections.OrderedDict(a=1), '{"a":1}'),
        ]
        for value, wanted in rows:
            with self.subTest(value=repr(value)):
                self.assertEqual(text_of(value), wanted)
                json.loads(wanted)

    def test_a_large_int_is_exact(self):
        value = 3**40000  # more digits than Python converts at once
        self.assertEqual(int(decimal.Decimal(text_of([value])[1:-1])), value)

    def test_what_json_cannot_hold_is_named_by_its_place(self):
        rows = [
            (math.nan, ""), ([1, math.inf], "/1"), ({"a": {"b/c~": -math.inf}}, "/a/b~1c~0"), ({"a": [0, {1: 2}]}, "/a/1"), ({"a": b"x"}, "/a"),
            ([{"a": {1, 2}}], "/0/a"), (object(), ""), ({"\ud800": object()}, "/\ud800"), ([decimal.Decimal("NaN")], "/0"), ([decimal.Decimal("Infinity")], "/0"),
            ({None: 1}, ""), ([range(3)], "/0"), ([1 + 2j], "/0"), ({"a": [baton.NotJSON]}, "/a/0"),
        ]
        for value, pointer in rows:
            with self.subTest(value=repr(value)):
                with self.assertRaises(baton.NotJSON) as caught:
                    baton.check([value] if value is rows[6][0] else {"x": value}, "universal")
                self.assertTrue(caught.exception.pointer.endswith(pointer))
                with self.assertRaises(TypeError):
                    text_of(value)

    def test_depth_ends_at_the_limit(self):
        def nested(depth):
            value = 1
            for _ in range(depth):
                value = [value]
            return value

        self.assertEqual(text_of(nested(128)), "[" * 128 + "1" + "]" * 128)
        for value in (nested(129), nested(100000)):
            with self.assertRaises(baton.NotJSON) as caught:
                text_of(value)
            self.assertEqual(caught.exception.pointer, "/0" * 128)
        engine = baton.Engine({"limits": {"nesting": 4}})
        self.assertNotIn("JSON_TOO_DEEP", [finding.code for finding in baton.check(nested(4), "universal", engine=engine).findings])
        with self.assertRaises(baton.NotJSON):
            baton.check(nested(5), "universal", engine=engine)

    def test_a_cycle_ends_at_the_limit(self):
        items = []
        items.append({"again": items})
        with self.assertRaises(baton.NotJSON):
            baton.check(items, "universal")

    def test_shared_items_that_multiply_end_at_the_document_limit(self):
        value = ["x"]
        for _ in range(60):
            value = [value] * 10
        self.assertEqual(baton.check(value, "universal").findings[0].code, "JSON_TOO_LARGE")

    def test_a_container_that_changes_meanwhile_is_a_runtime_error(self):
        for container in ({"a": None, "b": 1}, [None, 1]):
            class Changing(enum.Enum):
                ITEM = 1

                @property
                def value(self):
                    if isinstance(container, dict):
                        container["c%d" % len(container)] = 1
                    else:
                        container.append(1)
                    return 1

            container["a" if isinstance(container, dict) else 0] = Changing.ITEM
            with self.assertRaises(RuntimeError):
                baton.check(container, "universal")

    def test_a_member_that_goes_away_while_it_is_read_is_safe(self):
        container = {}

        class Vanishing(enum.Enum):
            ITEM = 1

            @property
            def value(self):
                container.clear()
                return {"a": [1, 2, 3]}

        container.update(a=Vanishing.ITEM, b=2)
        with self.assertRaises(RuntimeError):
            baton.check(container, "universal")

    def test_random_values_read_back_as_themselves(self):
        choose = random.Random(11)

        def value(depth):
            kind = choose.randrange(8 if depth else 6)
            if kind == 0:
                return choose.choice([None, True, False])
            if kind == 1:
                return choose.randrange(-10**choose.randrange(1, 40), 10**choose.randrange(1, 40))
            if kind == 2:
                return choose.uniform(-1, 1) * 10.0**choose.randrange(-300, 300)
            if kind < 6:
                return "".join(chr(choose.choice([choose.randrange(128), choose.randrange(0xD800), choose.randrange(0x10000, 0x110000)]))
                               for _ in range(choose.randrange(9)))
            if kind == 6:
                return [value(depth - 1) for _ in range(choose.randrange(5))]
            return {value_text(): value(depth - 1) for _ in range(choose.randrange(5))}

        def value_text():
            return "".join(choose.choice("ab~/\"\\é") for _ in range(choose.randrange(5)))

        for _ in range(500):
            made = value(5)
            self.assertEqual(json.loads(text_of(made)), made)
            self.assertEqual(text_of(made), json.dumps(made, ensure_ascii=False, separators=(",", ":")))
