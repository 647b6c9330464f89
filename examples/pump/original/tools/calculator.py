# SPDX-License-Identifier: Apache-2.0
"""A handler as it was written for the original AgentServer 2.1: its imports stay as they are."""
from dataclasses import dataclass

from third_party.xmlable import xmlify
from agentserver.message_bus.message_state import HandlerMetadata


@xmlify
@dataclass
class AddPayload:
    a: int = 0
    b: int = 0


async def add_handler(payload: AddPayload, metadata: HandlerMetadata) -> bytes:
    return f"<result>{payload.a + payload.b}</result>".encode("utf-8")
