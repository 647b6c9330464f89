# SPDX-License-Identifier: Apache-2.0
"""Canonical payload XML -> the objects that handlers get.

What arrives has been checked and is canonical: no comments, no CDATA, no attributes on payloads, an
empty element written with both tags. So a record of simple fields is one regular expression, whose
match means the same as parsing; whatever it does not match is parsed.
"""
import base64
import re
import xml.etree.ElementTree as ElementTree

from baton._model import Halt, Huh, Reply, TodoUntil

CORE = "{https://xml-pipeline.org/ns/core/v1}"
_BLANKS = " \t\r\n"
_PLAIN_REPLY = re.compile(rb"<([^<>/ .&=]+)>([^<&]*)</\1>")


def _bool(text):
    word = text.strip(_BLANKS)
    if word in ("true", "1"):
        return True
    if word in ("false", "0"):
        return False
    raise ValueError(f"{word[:40]!r} is not a boolean")


# int() and float() take the blanks around a number themselves.
_SIMPLE = {"int": int, "float": float, "bool": _bool, "str": str}
_SIMPLE_BYTES = {"int": int, "float": float, "bool": lambda text: _bool(text.decode()), "str": bytes.decode}


def _simple(kind):
    convert = _SIMPLE[kind]

    def decode(element):
        if len(element):
            raise ValueError(f"<{element.tag}> has children")
        return convert(element.text or "")
    return decode


def _pairs(parts, element):
    if len(parts) != len(element):
        raise ValueError(f"<{element.tag}> has {len(element)} items")
    return zip(parts, element)


def _decoder(shape):
    """A function that turns an element into a value of this shape."""
    if shape.kind in _SIMPLE:
        return _simple(shape.kind)
    if shape.kind == "record":
        return _record_decoder(shape)
    parts = [_decoder(part) for part in shape.parts]
    if shape.kind == "dict":
        key, value = parts
        return lambda element: {key(item[0]): value(item[1]) for item in element}
    if shape.kind == "tuple":
        return lambda element: tuple(part(item) for part, item in _pairs(parts, element))
    if shape.kind == "set":
        return lambda element: {parts[0](item) for item in element}
    return lambda element: [parts[0](item) for item in element]


def _record_decoder(shape):
    fields = []
    for name, part in zip(shape.names, shape.parts):
        optional = part.kind == "optional"
        fields.append((name, optional, _decoder(part.parts[0] if optional else part)))
    cls = shape.cls

    def decode(element):
        found = {child.tag: child for child in element}
        values = {}
        for name, optional, convert in fields:
            child = found.get(name)
            if child is None and not optional:
                raise ValueError(f"<{name}> is missing")
            values[name] = None if child is None else convert(child)
        return cls(**values)
    return decode


def _flat_decoder(shape):
    """The pattern and the constructor of a record of simple fields, or None."""
    pattern, words, names = [rb"<([^<>/ ]+)>"], [], {"cls": shape.cls}
    for index, (name, part) in enumerate(zip(shape.names, shape.parts)):
        optional = part.kind == "optional"
        kind = part.parts[0].kind if optional else part.kind
        if kind not in _SIMPLE_BYTES:
            return None
        tag = re.escape(name.encode())
        value = rb"<%s>([^<&]*)</%s>" % (tag, tag)
        pattern.append(rb"(?:%s)?" % value if optional else value)
        names[f"c{index}"] = _SIMPLE_BYTES[kind]
        word = f"c{index}(m[{index + 2}])"
        words.append(f"{name}=" + (f"None if m[{index + 2}] is None else {word}" if optional else word))
    pattern.append(rb"</\1>")
    # The text is made of indexes and of the names of Python fields.
    return re.compile(b"".join(pattern)).fullmatch, eval(f"lambda m: cls({', '.join(words)})", names)


def reader_of(shape):
    """A function from the bytes of a payload to what the handler gets."""
    slow = _decoder(shape)
    match, make = _flat_decoder(shape) or (lambda xml: None, None)
    plain_reply = _PLAIN_REPLY.fullmatch

    def read(xml):
        found = match(xml)
        if found and b"." in found[1]:
            return make(found)
        found = plain_reply(xml)
        if found:
            return Reply(found[1].decode(), found[2].decode(), xml)
        return _read_parsed(xml, slow)
    return read


def _read_parsed(xml, decode):
    root = ElementTree.fromstring(xml)
    if root.tag == CORE + "huh":
        attempt = root.findtext(CORE + "original-attempt") or ""
        return Huh(root.findtext(CORE + "error") or "", base64.b64decode(attempt))
    if root.tag in (CORE + "todo-until", CORE + "halt"):
        cls = TodoUntil if root.tag == CORE + "todo-until" else Halt
        return cls(root.get("condition"), "".join(root.itertext()), xml)
    if root.tag.startswith("{"):
        raise ValueError(f"{root.tag[:80]!r} is not known")
    if "." in root.tag:
        return decode(root)
    return Reply(root.tag, _text(root), xml)


def _text(element):
    return "" if len(element) else element.text or ""


def child_text(xml, name):
    for child in ElementTree.fromstring(xml):
        if child.tag == name:
            return _text(child)
    return None
