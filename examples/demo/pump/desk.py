# SPDX-License-Identifier: Apache-2.0
"""The handlers of the demo: a calculator, an archive, and a clerk who asks both."""
import asyncio
import re
from dataclasses import dataclass

from baton import HandlerMetadata, Reply, xmlify


@xmlify
@dataclass
class Sum:
    a: int
    b: int


@xmlify
@dataclass
class Note:
    text: str


@xmlify
@dataclass
class Question:
    text: str


async def add(payload: Sum, metadata: HandlerMetadata) -> bytes:
    await asyncio.sleep(0.2)
    return f"<result>{payload.a + payload.b}</result>".encode()


async def keep(payload: Note, metadata: HandlerMetadata) -> bytes:
    return b"<result>filed</result>"


async def answer(payload: Question, metadata: HandlerMetadata) -> bytes:
    if isinstance(payload, Reply) and payload.text.isdigit():
        return f"<archive.note><text>The sum is {payload.text}.</text></archive.note>".encode()
    if isinstance(payload, Reply):
        return b"<result>It is done and filed.</result>"
    numbers = re.findall(r"\d+", payload.text)[:2]
    if len(numbers) < 2:
        return b"<result>I only do sums.</result>"
    a, b = numbers
    return f"<calculator.add.sum><a>{a}</a><b>{b}</b></calculator.add.sum>".encode()
