# SPDX-License-Identifier: Apache-2.0
"""The modules that handlers of the original AgentServer import, made of the objects of `baton`.

They are offered after the handler's own code and before installed packages, so that a handler loads
unchanged, and so that a module which its author brought along is the one that is used.
"""
import importlib.machinery
import os
import sys
import types

from baton import _model


class Listener:
    """Can be imported, because handler files of the original do; listeners are not made in code."""

    def __init__(self, *_args, **_words):
        raise RuntimeError("listeners are declared in organism.yaml")


_METADATA = {"HandlerMetadata": _model.HandlerMetadata}
_XMLIFY = {"xmlify": _model.xmlify}
_MODULES = {
    "xmlable": _XMLIFY,
    "third_party": {},
    "third_party.xmlable": _XMLIFY,
    "xml_pipeline": {**_METADATA, **_XMLIFY, "Listener": Listener},
    "xml_pipeline.message_bus": {},
    "xml_pipeline.message_bus.message_state": _METADATA,
    "agentserver": {},
    "agentserver.message_bus": {},
    "agentserver.message_bus.message_state": _METADATA,
}


def _children(name):
    return {known[len(name) + 1:] for known in _MODULES if known.rpartition(".")[0] == name}


def _absent(module):
    """What a module says about a name that it does not have."""
    children = _children(module)

    def missing(name):
        if name.startswith("__") or name in children:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        if name == "HandlerResponse":
            raise ImportError("there is no HandlerResponse: handlers return bytes", name=module)
        raise ImportError(f"cannot import name {name!r} from {module!r}: Baton offers "
                          f"{', '.join(sorted(_MODULES[module])) or 'nothing here'}", name=module)
    return missing


class _Loader:
    """Fills a module with the objects of its row."""

    def create_module(self, spec):
        return types.ModuleType(spec.name)

    def exec_module(self, module):
        names = _MODULES[module.__name__]
        vars(module).update(names)
        module.__all__ = sorted(names)
        module.__getattr__ = _absent(module.__name__)


class _Finder:
    """Finds the modules above, except those that the handler's own code has."""

    def __init__(self, root, handler):
        file, colon, _ = handler.partition(":")
        self.folder = os.path.join(root, os.path.dirname(file)) if colon else root
        self.is_flat = bool(colon) and not os.path.dirname(file)  # only files of the folder are its own
        self.top = None if colon else handler.partition(".")[0]   # only this package is its own

    def _is_own(self, name):
        if self.top is not None and name.partition(".")[0] != self.top:
            return False
        base = os.path.join(self.folder, *name.split("."))
        return os.path.isfile(base + ".py") or not self.is_flat and os.path.isdir(base)

    def find_spec(self, name, path=None, target=None):
        if name not in _MODULES or self._is_own(name):
            return None
        return importlib.machinery.ModuleSpec(name, _Loader(), is_package=bool(_children(name)))


def offer(root, handler):
    """Offer the modules to a handler, whose own code comes first."""
    sys.meta_path.insert(0, _Finder(root, handler))
