# SPDX-License-Identifier: Apache-2.0
"""Two handlers of one payload, which the original called together."""
from dataclasses import dataclass

from xml_pipeline import HandlerMetadata, xmlify


@xmlify
@dataclass
class Query:
    text: str


async def web_handler(payload: Query, metadata: HandlerMetadata) -> bytes:
    return b"<hit>a page</hit>"


async def file_handler(payload: Query, metadata: HandlerMetadata) -> bytes:
    return b"<hit>a file</hit>"
