# SPDX-License-Identifier: Apache-2.0
"""Baton: check, repair and make handoffs between AI agents.

    import baton

    report = baton.check(b'{"handoff": ...}')
    if not report.accepted:
        print(report.retry_text(attempt=1, limit=3))

Everything is judged by the native engine, in this process; nothing is sent anywhere. The classes of
handlers of the pump (`xmlify`, `HandlerMetadata`, ...) are those of `baton.handler`.

Names are imported when they are first used, so a handler that only needs its own classes works with
Python 3.9 and without the extension.
"""
import importlib

__version__ = "0.1.0"

_MODULES = {
    "baton._errors": ("BatonError", "Incompatible", "NotJSON", "Problem", "Rejected", "Unavailable"),
    "baton._judge": ("Engine", "call", "check", "compress", "convert", "explain", "repair", "rules", "schema_text", "seal", "verify_receipt"),
    "baton._handoff": ("Handoff",),
    "baton._types": ("CallReply", "Document", "Finding", "Outcome", "Report", "Rule"),
    "baton.client": ("Client",),
    "baton.handler": ("Halt", "HandlerMetadata", "Huh", "Reply", "TodoUntil", "ready", "xmlify"),
    "baton.ledger": ("Ledger",),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}
_SUBMODULES = frozenset(("adapters", "aio", "client", "handler", "handoff_payloads", "ledger", "schema", "tokens"))

__all__ = sorted(_HOME)


def __getattr__(name):
    if name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
    elif name in _SUBMODULES:
        value = importlib.import_module("baton." + name)
    else:
        raise AttributeError(f"module 'baton' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted(set(globals()) | set(__all__) | _SUBMODULES)
