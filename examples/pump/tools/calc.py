# SPDX-License-Identifier: Apache-2.0
"""A tool: adds two integers."""
from dataclasses import dataclass

from baton import HandlerMetadata, xmlify


@xmlify
@dataclass
class AddPayload:
    a: int
    b: int


async def add_handler(payload: AddPayload, metadata: HandlerMetadata) -> bytes:
    return f"<result>{payload.a + payload.b}</result>".encode("utf-8")
