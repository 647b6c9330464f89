# SPDX-License-Identifier: Apache-2.0
"""The host: frames in, one handler, frames out.

Calls are run by a few long-lived tasks. A handler that never waits is run to its end at once, so a
task is not made for it; one that waits keeps its task, and the next task goes on with the queue. A
handler cannot tell the difference: it always runs inside a task, in a context of its own.
"""
import asyncio
import collections
import contextvars
import json
import os
import struct
import sys
import traceback
import types

from baton import _load, _model, _xml

VERSION = "1"
HELLO, READY, CALL, RESULT, FAIL, CANCEL, BYE = range(1, 8)
_HEAD = struct.Struct(">IBQ")
_U32 = struct.Struct(">I")
_HEAD_BYTES = 13
_BODY_MAX = 2097152
_HELLO_MAX = 65536
_FAIL_MAX = 4096
_READ_BYTES = 65536
_FLUSH_BYTES = 262144


def frame(kind, call, body):
    return _HEAD.pack(9 + len(body), kind, call) + body


def _fail_body(kind, detail):
    detail = detail.encode("utf-8", "backslashreplace").decode()  # JSON has no lone surrogates
    for most in (1000, 300, 0):
        body = json.dumps({"kind": kind, "detail": detail[:most]}, ensure_ascii=False).encode()
        if len(body) <= _FAIL_MAX:
            return body
    raise AssertionError("a FAIL without detail is short")


def _name_of(error):
    kind = type(error)
    return kind.__qualname__ if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}.{kind.__qualname__}"


def _text_of(error):
    try:
        text = str(error)
    except Exception:
        text = "<its text cannot be made>"
    return f"{_name_of(error)}: {text}" if text else _name_of(error)


def _place_of(error, root):
    """Where the innermost frame of the handler's own code stood, or ""."""
    place = ""
    for frame_, line in traceback.walk_tb(error.__traceback__):
        code = frame_.f_code
        if code.co_filename.startswith(root + "/"):
            place = f" ({code.co_filename[len(root) + 1:]}:{line} in {code.co_name})"
    return place


def _detail_of(error, root):
    """The last line of a traceback, and where in the handler's code it came from."""
    place = _place_of(error, root).encode("utf-8", "backslashreplace")[:300]
    text = _text_of(error).encode("utf-8", "backslashreplace")[:1000 - len(place)]
    return text.decode("utf-8", "ignore") + place.decode("utf-8", "ignore")


@types.coroutine
def _go_on(context, coroutine, waited):
    """Await the rest of a coroutine that has begun to wait, in its own context."""
    while True:
        try:
            value = yield waited
        except BaseException as error:
            go, value = coroutine.throw, error
        else:
            go = coroutine.send
        try:
            waited = context.run(go, value)
        except StopIteration as stop:
            return stop.value


def _metadata(body):
    # What a handler that is not an agent gets has one form; anything else is read as JSON.
    if len(body) == 52 and body.startswith(b'{"thread_id":"') and body.endswith(b'"}'):
        return _model.HandlerMetadata(body[14:50].decode())
    known = json.loads(body)
    return _model.HandlerMetadata(known["thread_id"], known.get("own_name"))


class Host:
    def __init__(self, fd, root, handler, shape):
        self.fd = fd
        self.root = root
        self.handler = handler
        self.read_payload = _xml.reader_of(shape)
        self.loop = asyncio.new_event_loop()
        self.tail = b""
        self.queue = collections.deque()
        self.idle = []       # futures of tasks that have nothing to do
        self.waiting = {}    # call -> the task whose handler waits
        self.cancelled = set()
        self.running = 0
        self.leaving = False
        self.out = []
        self.out_bytes = 0
        self.unsent = b""

    # ---- In ----

    def on_readable(self):
        try:
            chunk = os.read(self.fd, _READ_BYTES)
        except BlockingIOError:
            return
        if not chunk:
            self.loop.stop()
            return
        data = self.tail + chunk if self.tail else chunk
        at, end = 0, len(data)
        while end - at >= _HEAD_BYTES:
            length, kind, call = _HEAD.unpack_from(data, at)
            after = at + 4 + length
            if after > end:
                break
            if kind == CALL:
                self.queue.append((call, data[at + _HEAD_BYTES:after]))
            else:
                self.on_other(kind, call, data[at + _HEAD_BYTES:after])
            at = after
        self.tail = data[at:]
        if self.queue:
            self.wake()

    def on_other(self, kind, call, body):
        if kind == READY:
            known = json.loads(body)
            if isinstance(known.get("config"), dict):
                known["config"] = types.MappingProxyType(known["config"])
            _model._ready.update(known)
        elif kind == CANCEL:
            self.cancel(call)
        elif kind == BYE:
            self.leaving = True
            self.leave_if_done()

    def cancel(self, call):
        for item in self.queue:
            if item[0] == call:
                self.queue.remove(item)
                self.fail(call, "cancelled", "before it began")
                self.flush()
                return
        task = self.waiting.get(call)
        if task:
            self.cancelled.add(call)
            task.cancel()

    # ---- Calls ----

    def wake(self):
        if self.idle:
            self.idle.pop().set_result(None)
        else:
            self.loop.create_task(self.work())

    async def work(self):
        """One of the tasks: run what is queued, then wait for more."""
        queue = self.queue
        while True:
            while queue:
                call, body = queue.popleft()
                self.running += 1
                begun = self.begin(call, body)
                if begun and await self.finish(call, *begun):
                    self.running -= 1
                    self.settle()
                    return  # a task that was cancelled is not used again
                self.running -= 1
            self.settle()
            rest = self.loop.create_future()
            self.idle.append(rest)
            await rest

    def begin(self, call, body):
        """Run a handler until it ends (None) or waits (what finish() needs)."""
        try:
            size = _U32.unpack_from(body)[0]
            metadata = _metadata(body[4:4 + size])
            payload = self.read_payload(body[4 + size:])
        except Exception as error:
            self.fail(call, "payload", f"{type(error).__name__}: {error}")
            return None
        context = contextvars.copy_context()
        try:
            coroutine = self.handler(payload, metadata)
            waited = context.run(coroutine.send, None)
        except StopIteration as stop:
            self.answer(call, stop.value)
        except BaseException as error:
            self.fail_with(call, error)
        else:
            return context, coroutine, waited
        return None

    async def finish(self, call, context, coroutine, waited):
        """Await a handler; whether this task was cancelled meanwhile."""
        self.waiting[call] = asyncio.current_task()
        if self.queue:
            self.wake()
        self.flush()
        try:
            self.answer(call, await _go_on(context, coroutine, waited))
        except BaseException as error:
            self.fail_with(call, error)
        del self.waiting[call]
        was_cancelled = call in self.cancelled
        self.cancelled.discard(call)
        return was_cancelled

    # ---- Out ----

    def put(self, kind, call, body):
        self.out.append(_HEAD.pack(9 + len(body), kind, call))
        self.out.append(body)
        self.out_bytes += len(body)
        if self.out_bytes > _FLUSH_BYTES:
            self.flush()

    def answer(self, call, value):
        if isinstance(value, bytes):
            # What fits no frame is over every limit; the pump refuses what it gets of it.
            self.put(RESULT, call, value if len(value) <= _BODY_MAX else value[:_BODY_MAX])
        elif value is None:
            self.fail(call, "none", "it returned None")
        else:
            self.fail(call, "not-bytes", f"it returned {type(value).__name__}")

    def fail(self, call, kind, detail):
        self.put(FAIL, call, _fail_body(kind, detail))

    def fail_with(self, call, error):
        if isinstance(error, asyncio.CancelledError) and call in self.cancelled:
            self.fail(call, "cancelled", "")
        else:
            self.fail(call, "exception", _detail_of(error, self.root))

    def flush(self):
        if self.out:
            self.unsent += b"".join(self.out)
            self.out.clear()
            self.out_bytes = 0
        if not self.unsent:
            return
        try:
            sent = os.write(self.fd, self.unsent)
        except BlockingIOError:
            sent = 0
        except OSError:
            self.loop.stop()
            return
        self.unsent = self.unsent[sent:]
        if self.unsent:
            self.loop.add_writer(self.fd, self.on_writable)

    def on_writable(self):
        self.loop.remove_writer(self.fd)
        self.settle()

    def settle(self):
        self.flush()
        self.leave_if_done()

    def leave_if_done(self):
        if self.leaving and not self.running and not self.queue and not self.out and not self.unsent:
            self.loop.stop()

    def serve(self):
        os.set_blocking(self.fd, False)
        asyncio.set_event_loop(self.loop)
        self.loop.add_reader(self.fd, self.on_readable)
        self.loop.run_forever()


def _hello(known):
    return json.dumps({"protocol": 1, "host": "baton-python " + VERSION, **known}).encode()


def _described(shape):
    return {"name": shape.cls.__name__, "fields": shape.describe_fields()}


def _introduce(root, handler, payload_class, result_class):
    """(HELLO, handler, shape); the last two are None when the handler cannot serve."""
    try:
        function, payload, result = _load.load(root, handler, payload_class, result_class)
        known = {"ok": True, "payload": _described(payload)}
        if result:
            known["result"] = _described(result)
        hello = _hello(known)
        if len(hello) > _HELLO_MAX:
            raise _load.Problem("payload", "its description is longer than 65536 bytes")
        return hello, function, payload
    except _load.Problem as problem:
        hello = _hello({"ok": False, "problem": problem.word, "detail": str(problem)[:2000]})
        return hello, None, None


def main(words):
    root, handler, payload_class, result_class = words
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    sys.stdout.reconfigure(line_buffering=True)
    sys.stderr.reconfigure(line_buffering=True)
    fd = int(os.environ["BATON_FD"])
    hello, function, shape = _introduce(root, handler, payload_class, result_class)
    os.write(fd, frame(HELLO, 0, hello))
    if function is None:
        return 1
    Host(fd, root, function, shape).serve()
    sys.stdout.flush()
    return 0
