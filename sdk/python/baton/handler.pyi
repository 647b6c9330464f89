# SPDX-License-Identifier: Apache-2.0
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

_Class = TypeVar("_Class", bound=type[Any])

ready: Mapping[str, Any]

def xmlify(cls: _Class) -> _Class: ...

@dataclass(frozen=True)
class HandlerMetadata:
    thread_id: str
    own_name: str | None = None

@dataclass(frozen=True)
class Reply:
    tag: str
    text: str
    xml: bytes
    def get(self, name: str) -> str | None: ...

@dataclass(frozen=True)
class Huh:
    error: str
    original_attempt: bytes

@dataclass(frozen=True)
class TodoUntil:
    condition: str | None
    text: str
    xml: bytes

@dataclass(frozen=True)
class Halt:
    condition: str | None
    text: str
    xml: bytes
