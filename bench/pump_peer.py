# SPDX-License-Identifier: Apache-2.0
"""pump_peer.py RESULTS [MESSAGES] - the peer of bench_pump: a pump in one Python process.

It does for each message what a pipeline in Python does whose handlers share its process: parse, put into canonical form, check the
envelope and the payload, make the payload's object, await the handler, wrap and parse its result, check it, put it into an envelope,
and let that envelope take the same way to its client. Python's own parser does the XML; nothing is kept on disk, and nothing is
isolated. RESULTS is what bench_pump printed; both are shown side by side, with the ratio of messages a CPU second.
"""
import asyncio
import dataclasses
import re
import sys
import time
import uuid
import xml.etree.ElementTree as ElementTree

ENV = "https://xml-pipeline.org/ns/envelope/v1"
TAG = "calculator.add.addpayload"
INT = re.compile(r"[+-]?[0-9]{1,24}")


@dataclasses.dataclass
class AddPayload:
    a: int
    b: int


async def add_handler(payload, metadata):
    return f"<result>{payload.a + payload.b}</result>".encode("utf-8")


def envelope(sender, target, thread, payload):
    root = ElementTree.Element(f"{{{ENV}}}message")
    meta = ElementTree.SubElement(root, f"{{{ENV}}}meta")
    for name, value in (("from", sender), ("to", target), ("thread", thread)):
        ElementTree.SubElement(meta, f"{{{ENV}}}{name}").text = value
    root.append(payload)
    return ElementTree.tostring(root)


def checked(raw):
    """(sender, thread, payload) of a message that is as it has to be."""
    root = ElementTree.fromstring(ElementTree.canonicalize(raw, strip_text=True))
    if root.tag != f"{{{ENV}}}message" or len(root) != 2 or root[0].tag != f"{{{ENV}}}meta":
        raise ValueError("no envelope")
    meta = {child.tag.partition("}")[2]: child.text for child in root[0]}
    uuid.UUID(meta["thread"])
    return meta["from"], meta["thread"], root[1]


def add_payload(element):
    names = [child.tag for child in element]
    if element.tag != TAG or names != ["a", "b"] or not all(INT.fullmatch(child.text or "") for child in element):
        raise ValueError("no payload")
    return AddPayload(int(element[0].text), int(element[1].text))


class Pump:
    def __init__(self):
        self.queue = asyncio.Queue()
        self.delivered = 0
        self.threads = {}

    async def take(self, raw):
        sender, thread, payload = checked(raw)
        if payload.tag == "result":
            if not INT.fullmatch(payload.text or ""):
                raise ValueError("no result")
            self.threads.pop(thread)
            self.delivered += 1
            return
        value = add_payload(payload)
        self.threads[thread] = sender
        result = await add_handler(value, {"thread_id": thread})
        for fragment in ElementTree.fromstring(b"<dummy>" + result + b"</dummy>"):
            await self.queue.put(envelope("calculator.add", sender, thread, fragment))

    async def work(self, count):
        while self.delivered < count:
            await self.take(await self.queue.get())
            self.queue.task_done()


async def run(count):
    pump = Pump()
    for number in range(count):
        payload = ElementTree.fromstring(f"<{TAG}><a>{number}</a><b>0</b></{TAG}>")
        pump.queue.put_nowait(envelope("bench", "calculator.add", f"550e8400-e29b-41d4-a716-{number:012d}", payload))
    began = time.process_time()
    await pump.work(count)
    return count / (time.process_time() - began)


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    rate = max(asyncio.run(run(count)) for _ in range(3))
    for line in open(sys.argv[1], encoding="utf-8"):
        ours = re.search(r"([0-9]+) a CPU second", line)
        print(line.rstrip() + (f"  {float(ours[1]) / rate:5.1f} x peer" if ours else ""))
    print(f"peer     {rate:8.0f} messages a CPU second: one Python process, asyncio and its own XML parser, not durable, not isolated")


if __name__ == "__main__":
    main()
