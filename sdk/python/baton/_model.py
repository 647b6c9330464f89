# SPDX-License-Identifier: Apache-2.0
"""The classes that handlers see, and the words in which payload classes are described."""
import dataclasses
import re
import types
import typing

_FIELD_NAME = re.compile(r"(?![xX][mM][lL])[A-Za-z_][A-Za-z0-9_-]{0,63}")
_TYPE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_SIMPLE = {int: "int", float: "float", bool: "bool", str: "str"}
_RECORDS_DEEP_MAX = 32
_MARK = "__baton_xmlify__"

_ready = {}
ready = types.MappingProxyType(_ready)


def xmlify(cls):
    """Mark a dataclass as a payload or result; a plain class becomes a dataclass."""
    if "__dataclass_fields__" not in cls.__dict__:
        cls = dataclasses.dataclass(cls)
    setattr(cls, _MARK, cls)
    return cls


def is_xmlified(thing):
    """A class that bears the mark itself; a subclass has to be marked again."""
    return isinstance(thing, type) and thing.__dict__.get(_MARK) is thing


@dataclasses.dataclass(frozen=True)
class HandlerMetadata:
    """What a handler knows of its caller: nothing but the conversation."""
    thread_id: str
    own_name: typing.Optional[str] = None


@dataclasses.dataclass(frozen=True)
class Reply:
    """The answer of a listener that was called before."""
    tag: str
    text: str
    xml: bytes

    def get(self, name):
        """The text of the first child of this name, or None."""
        from baton import _xml
        return _xml.child_text(self.xml, name)


@dataclasses.dataclass(frozen=True)
class Huh:
    """The pump's word that something this handler wrote was not accepted."""
    error: str
    original_attempt: bytes


@dataclasses.dataclass(frozen=True)
class TodoUntil:
    """A reminder that this handler sent to itself."""
    condition: typing.Optional[str]
    text: str
    xml: bytes


@dataclasses.dataclass(frozen=True)
class Halt:
    """The end of the work of a listener that was called before."""
    condition: typing.Optional[str]
    text: str
    xml: bytes


class Unsupported(Exception):
    """A class that cannot travel as XML; the text says why."""


class Shape:
    """A type as it travels: its name on the wire, its description, and its parts.

    kind is int, float, bool, str, list, set, dict, tuple, optional or record.
    """

    def __init__(self, kind, parts=(), cls=None, names=()):
        self.kind = kind
        self.parts = parts
        self.cls = cls
        self.names = names

    @property
    def tag(self):
        """What an item of this type is called in a list or set."""
        return self.cls.__name__.lower() if self.kind == "record" else self.kind

    def describe(self):
        """The type as HELLO writes it: text where that is possible, else an object."""
        if self.kind == "record":
            return {"record": self.cls.__name__, "fields": self.describe_fields()}
        if not self.parts:
            return self.kind
        parts = [part.describe() for part in self.parts]
        if all(isinstance(part, str) for part in parts):
            return f"{self.kind}[{','.join(parts)}]"
        return {self.kind: parts if self.kind in ("dict", "tuple") else parts[0]}

    def describe_fields(self):
        return [[name, part.describe()] for name, part in zip(self.names, self.parts)]


def shape_of(cls):
    """The shape of a marked dataclass. Raises Unsupported."""
    return _record(cls, ())


def _record(cls, around):
    if not is_xmlified(cls):
        raise Unsupported(f"{_name(cls)} is no @xmlify dataclass")
    if cls in around:
        raise Unsupported(f"{_name(cls)} contains itself")
    if len(around) == _RECORDS_DEEP_MAX:
        raise Unsupported(f"records are nested deeper than {_RECORDS_DEEP_MAX}")
    if not _TYPE_NAME.fullmatch(cls.__name__):
        raise Unsupported(f"{cls.__name__!r} is not a name of a type")
    try:
        hints = typing.get_type_hints(cls, include_extras=True)
    except Exception as error:
        raise Unsupported(f"an annotation of {_name(cls)} cannot be resolved: {error}") from error
    names, parts = [], []
    for field in dataclasses.fields(cls):
        if not _FIELD_NAME.fullmatch(field.name):
            raise Unsupported(f"{field.name!r} of {_name(cls)} is not a name of a field")
        if not field.init:
            raise Unsupported(f"{field.name!r} of {_name(cls)} is not set by its constructor")
        names.append(field.name)
        parts.append(_field(hints[field.name], around + (cls,)))
    return Shape("record", tuple(parts), cls, tuple(names))


def _field(hint, around):
    """A field's own type, which alone may be optional."""
    origin = typing.get_origin(hint)
    if origin is typing.Union or origin is getattr(types, "UnionType", typing.Union):
        rest = [part for part in typing.get_args(hint) if part is not type(None)]
        if len(rest) != 1 or len(typing.get_args(hint)) != 2:
            raise Unsupported(f"{hint} is not a supported type")
        return Shape("optional", (_type(rest[0], around),))
    return _type(hint, around)


def _type(hint, around):
    if isinstance(hint, type) and hint in _SIMPLE:
        return Shape(_SIMPLE[hint])
    if is_xmlified(hint):
        return _record(hint, around)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (list, set) and len(args) == 1:
        return Shape(origin.__name__, (_type(args[0], around),))
    if origin is dict and len(args) == 2:
        key = _type(args[0], around)
        if key.kind in ("int", "float", "bool", "str"):
            return Shape("dict", (key, _type(args[1], around)))
    if origin is tuple and args and Ellipsis not in args and args != ((),):
        return Shape("tuple", tuple(_type(arg, around) for arg in args))
    raise Unsupported(f"{_name(hint)} is not a supported type")


def _name(thing):
    return getattr(thing, "__qualname__", None) or str(thing)
