# SPDX-License-Identifier: Apache-2.0
"""What a handler of the Baton pump is written with.

    from dataclasses import dataclass
    from baton import xmlify, HandlerMetadata

    @xmlify
    @dataclass
    class AddPayload:
        a: int
        b: int

    async def add_handler(payload: AddPayload, metadata: HandlerMetadata) -> bytes:
        return f"<result>{payload.a + payload.b}</result>".encode("utf-8")

The pump brings this package along; nothing has to be installed for a handler to run.
"""
from baton._model import Halt, HandlerMetadata, Huh, Reply, TodoUntil, ready, xmlify

__all__ = ["Halt", "HandlerMetadata", "Huh", "Reply", "TodoUntil", "ready", "xmlify"]
