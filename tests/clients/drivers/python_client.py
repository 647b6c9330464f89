# SPDX-License-Identifier: Apache-2.0
"""python_client.py [--aio] - reads commands, one JSON object a line, and uses a Python client as they say; prints one object for each."""
import asyncio
import inspect
import json
import sys

import baton.aio
from baton import Client, Incompatible, Problem, Rejected, Unavailable

LOOP = asyncio.new_event_loop()


class Waiting:
    """An object with coroutines, used as if it had functions."""

    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        member = getattr(self.inner, name)
        return waited(member) if callable(member) else member

    def __enter__(self):
        LOOP.run_until_complete(self.inner.__aenter__())
        return self

    def __exit__(self, *what):
        return LOOP.run_until_complete(self.inner.__aexit__(*what))


def waited(function):
    def run(*arguments, **named):
        made = function(*arguments, **named)
        if inspect.iscoroutine(made):
            return LOOP.run_until_complete(made)
        return iterated(made) if inspect.isasyncgen(made) else made
    return run


def iterated(items):
    while True:
        try:
            item = LOOP.run_until_complete(items.__anext__())
        except StopAsyncIteration:
            return
        yield Waiting(item) if isinstance(item, baton.aio.Delivery) else item


class Driver:
    def __init__(self, is_async):
        self.client, self.is_async = None, is_async

    def new(self, url, **settings):
        self.client = Waiting(baton.aio.Client(url, **settings)) if self.is_async else Client(url, **settings)
        return {}

    def check(self, document, **options):
        report = self.client.check(document, **options)
        return {"verdict": report.verdict, "codes": codes(report)}

    def make(self, source, target, summary, **options):
        if "continue" in options:
            options["continue_"] = options.pop("continue")
        made = self.client.new_handoff(source, target, summary, **options)
        return {"verdict": made.verdict, "codes": codes(made), "document": made.text}

    def submit(self, document, **options):
        done = self.client.submit(document, **options)
        return {"seq": done.record["seq"], "receipt": done.receipt["index"], "inbox": done.delivery["inbox"], "verdict": done.report.verdict}

    def get(self, seq):
        return {"verdict": self.client.get_handoff(str(seq))["entry"]["verdict"], "document": self.client.get_document(str(seq)).decode()}

    def version(self):
        return {"version": self.client.version()["version"]}

    def reload(self):
        return self.client.admin_reload()

    def inbox(self, agent, acts, **options):
        found = []
        for delivery in self.client.inbox(agent, **options):
            act = acts[len(found)]
            found.append({"seq": delivery.seq, "attempt": delivery.attempt, "source": delivery.source, "result": None,
                          "document": delivery.document.decode()})
            if act == "ack":
                found[-1]["result"] = delivery.ack()
            elif act == "nack":
                found[-1]["result"] = delivery.nack()
            else:
                handle(delivery, act)
            if len(found) == len(acts):
                return {"items": found}

    def feed(self, count, after=None, **filters):
        found = []
        for entry in self.client.feed(after, **filters):
            found.append(entry["seq"])
            if len(found) == 1:
                print(json.dumps({"event": entry["seq"]}), flush=True)
            if len(found) == count:
                return {"seqs": found}

    def approvals(self, **options):
        return {"approvals": [{"id": item["id"], "status": item["status"], "fingerprint": item["fingerprint"]} for item in self.client.approvals(**options)]}

    def show(self, id):
        return status(self.client.show_approval(id))

    def grant(self, id, fingerprint):
        return status(self.client.grant_approval(id, fingerprint))

    def deny(self, id, reason):
        return status(self.client.deny_approval(id, reason))

    def revoke(self, id, reason):
        return status(self.client.revoke_approval(id, reason))

    def use(self, command):
        return {"granted": self.client.use_approval(command)["granted"]}


def handle(delivery, act):
    """Leave a delivery as a context manager: on a normal exit, or by an exception."""
    try:
        with delivery:
            if act == "raise":
                raise LookupError("of the handler")
    except LookupError:
        pass


def codes(report):
    return sorted({finding.code for finding in report.findings})


def status(answer):
    return {"status": answer["approval"]["status"]}


def run(driver, command):
    try:
        return {"ok": getattr(driver, command.pop("do"))(**command)}
    except Rejected as why:
        return {"error": "Rejected", "seq": why.record["seq"], "codes": codes(why.report)}
    except Problem as why:
        return {"error": "Problem", "code": why.code, "status": why.status}
    except Unavailable as why:
        return {"error": "Unavailable", "outcome": why.outcome, "text": str(why)}
    except Incompatible as why:
        return {"error": "Incompatible", "text": str(why)}
    except ValueError as why:
        return {"error": "Invalid", "text": str(why)}


if __name__ == "__main__":
    it = Driver("--aio" in sys.argv)
    for line in sys.stdin:
        print(json.dumps(run(it, json.loads(line))), flush=True)
