# SPDX-License-Identifier: Apache-2.0
"""An agent: answers questions such as "What is 7 + 35?" with the help of the calculator.

A model would think here; this one reads two numbers. What matters is the shape: an agent is called with a question, says a thought and
calls a tool in one result, is called again with the tool's reply, and answers. It never learns who asked, nor where its answer goes.
"""
import re
from dataclasses import dataclass
from xml.sax.saxutils import escape

from baton import HandlerMetadata, Huh, Reply, xmlify

_asked = {}  # thread -> what was asked on it: one question at a time, in order


@xmlify
@dataclass
class Question:
    text: str


async def ask_handler(payload: Question, metadata: HandlerMetadata) -> bytes:
    if isinstance(payload, Reply):
        return f"<result>{escape(_asked.pop(metadata.thread_id, '?'))} = {escape(payload.text)}</result>".encode()
    if isinstance(payload, Huh):
        return b"<result>I could not find out.</result>"
    numbers = re.findall(r"-?[0-9]{1,20}", payload.text)
    if len(numbers) != 2:
        return b"<result>I can only add two numbers.</result>"
    _asked[metadata.thread_id] = f"{numbers[0]} + {numbers[1]}"
    return (f"<thought>two numbers: somebody has to add them</thought>"
            f"<calculator.add.addpayload><a>{numbers[0]}</a><b>{numbers[1]}</b></calculator.add.addpayload>").encode()
