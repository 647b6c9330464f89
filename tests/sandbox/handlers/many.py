# SPDX-License-Identifier: Apache-2.0
"""A handler with many ways to answer; the payload says which."""
import asyncio
import contextvars
import sys
from dataclasses import dataclass
from typing import Optional

from baton import Halt, HandlerMetadata, Huh, Reply, TodoUntil, ready, xmlify

seen = contextvars.ContextVar("seen", default="new")
gate = {}


@xmlify
@dataclass
class Address:
    street: str


@xmlify
@dataclass
class Do:
    what: str
    number: Optional[int]
    truth: bool


@xmlify
@dataclass
class All:
    id: int
    tags: list[str]
    keys: set[int]
    map: dict[str, float]
    pair: tuple[int, bool]
    note: Optional[str]
    addr: Address
    many: list[Address]


def said(value):
    return repr(value).encode()


async def wait_for(name):
    gate[name] = asyncio.get_running_loop().create_future()
    try:
        return await gate[name]
    finally:
        del gate[name]


async def stubborn():
    try:
        await wait_for("stubborn")
    except asyncio.CancelledError:
        return b"<result>late</result>"


async def timed():
    try:
        await asyncio.wait_for(asyncio.sleep(60), 0.01)
    except asyncio.TimeoutError:
        return b"timed out"


async def in_thread():
    return await asyncio.get_running_loop().run_in_executor(None, lambda: b"from a thread")


async def special(payload, metadata):
    what = payload.what
    if what == "wait":
        return await wait_for("wait")
    if what == "open":
        gate["wait"].set_result(b"<result>opened</result>")
        return b"<result>open</result>"
    if what == "stubborn":
        return await stubborn()
    if what == "timed":
        return await timed()
    if what == "thread":
        return await in_thread()
    if what == "context":
        before = seen.get()
        seen.set("old")
        await asyncio.sleep(0)
        return said((before, seen.get()))
    if what == "task":
        return said(asyncio.current_task() is not None)
    if what == "raise":
        raise ValueError("a secret")
    if what == "exit":
        sys.exit(3)
    if what == "cancel":
        raise asyncio.CancelledError()
    if what == "block":
        import time
        time.sleep(60)
    if what == "limits":
        import resource
        wanted = (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE)
        return said((*map(resource.getrlimit, wanted), resource.getrlimit(resource.RLIMIT_AS)[1]))
    if what == "print":
        print("x" * (payload.number - 1), flush=True)
    if what == "die":
        import os
        os._exit(payload.number)
    return None


VALUES = {"none": None, "str": "<a/>", "bytearray": bytearray(b"<a/>"), "int": 7, "empty": b"",
          "large": b"x" * 3000000}


async def do(payload: Do, metadata: HandlerMetadata) -> bytes:
    if isinstance(payload, (Reply, Huh, TodoUntil, Halt)):
        extra = said(payload.get("a")) if isinstance(payload, Reply) else b""
        return said(payload) + extra
    if payload.what == "self":
        return said((payload, metadata, dict(ready), dict(ready["config"])))
    if payload.what in VALUES:
        return VALUES[payload.what]
    return await special(payload, metadata)


async def everything(payload: All, metadata: HandlerMetadata) -> bytes:
    return said(payload)
