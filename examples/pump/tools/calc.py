# SPDX-License-Identifier: Apache-2.0
"""Two handlers: a tool that adds, and an agent that asks it."""
from dataclasses import dataclass

from baton import HandlerMetadata, Reply, xmlify


@xmlify
@dataclass
class AddPayload:
    a: int
    b: int


@xmlify
@dataclass
class Question:
    text: str


async def add_handler(payload: AddPayload, metadata: HandlerMetadata) -> bytes:
    return f"<result>{payload.a + payload.b}</result>".encode("utf-8")


async def ask_handler(payload: Question, metadata: HandlerMetadata) -> bytes:
    if isinstance(payload, Reply):
        return f"<result>it is {payload.text}</result>".encode("utf-8")
    return (b"<thought>that can be added up</thought>"
            b"<calculator.add.addpayload><a>7</a><b>35</b></calculator.add.addpayload>")
