# SPDX-License-Identifier: Apache-2.0
"""Finding a handler and its classes, and judging whether it is written exactly as it has to be."""
import importlib
import importlib.machinery
import importlib.util
import inspect
import os
import sys
import types
import typing

from baton import _model, _original


class Problem(Exception):
    """Why a handler cannot serve: one of the words of HELLO, and a detail for the operator."""

    def __init__(self, word, detail):
        super().__init__(detail)
        self.word = word


class _OrganismFinder:
    """Finds top-level modules of the organism's folder by name, because nobody may list it."""

    def __init__(self, root):
        self.root = root

    def find_spec(self, name, path=None, target=None):
        if path is not None:
            return None
        base = os.path.join(self.root, name)
        package = os.path.join(base, "__init__.py")
        if os.path.isfile(package):
            return importlib.util.spec_from_file_location(name, package, submodule_search_locations=[base])
        if os.path.isfile(base + ".py"):
            return importlib.util.spec_from_file_location(name, base + ".py")
        if os.path.isdir(base):
            spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [base]
            return spec
        return None


def prepare_path(root, handler):
    """The file's folder leads; the organism's own folder is behind Python's, or leads when it is that."""
    finder = _OrganismFinder(root)
    folder = os.path.dirname(handler.partition(":")[0]) if ":" in handler else None
    if folder == "":
        sys.meta_path.insert(0, finder)
        return
    if folder:
        sys.path.insert(0, os.path.join(root, folder))
    sys.meta_path.append(finder)


def _one_line(error):
    return " ".join(f"{type(error).__name__}: {error}".split())[:1000]


def _module_of_file(root, path):
    full = os.path.join(root, path)
    name = os.path.splitext(os.path.basename(path))[0]
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) == full:
        return known
    if known is not None:
        name = "handler_" + name  # a file called like a module that is in use already
    spec = importlib.util.spec_from_file_location(name, full)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _find(root, named, module, word):
    """The object that a path names. `module` is where a bare name is looked for."""
    file, colon, name = named.partition(":")
    try:
        if colon:
            module = _module_of_file(root, file)
        elif "." in named:
            path, _, name = named.rpartition(".")
            module = importlib.import_module(path)
        else:
            name = named
    except BaseException as error:
        raise Problem("import" if word == "missing" else word, _one_line(error)) from error
    if module is None or not hasattr(module, name):
        raise Problem(word, f"there is no {name}")
    return module, getattr(module, name)


def _check_kind(function):
    if not isinstance(function, types.FunctionType):
        raise Problem("sync" if callable(function) else "missing", "it is not a function")
    flags = function.__code__.co_flags
    if flags & inspect.CO_ASYNC_GENERATOR:
        raise Problem("signature", "it is an asynchronous generator: return the bytes, do not yield")
    if not flags & inspect.CO_COROUTINE:
        raise Problem("sync", "it is not declared with async def")


def _check_parameters(function):
    code = function.__code__
    exact = (code.co_argcount == 2 and code.co_varnames[:2] == ("payload", "metadata")
             and code.co_posonlyargcount == 0 and code.co_kwonlyargcount == 0
             and not code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS))
    if not exact:
        raise Problem("signature", "the parameters are exactly payload and metadata")
    if function.__defaults__:
        raise Problem("signature", "the parameters have no defaults")


def _check_annotations(function):
    """The class that `payload` is annotated with."""
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except Exception as error:
        raise Problem("signature", f"an annotation cannot be resolved: {_one_line(error)}") from error
    if set(hints) != {"payload", "metadata", "return"}:
        raise Problem("signature", "payload, metadata and the result are annotated")
    if hints["metadata"] is not _model.HandlerMetadata:
        raise Problem("signature", "metadata is annotated with baton.HandlerMetadata")
    if hints["return"] is not bytes:
        raise Problem("signature", "the result is annotated with bytes")
    return hints["payload"]


def _shape(cls, word):
    try:
        return _model.shape_of(cls)
    except _model.Unsupported as error:
        raise Problem(word, str(error)) from error


def load(root, handler, payload_class, result_class):
    """(function, shape of the payload, shape of the result or None). Raises Problem."""
    prepare_path(root, handler)
    _original.offer(root, handler)
    module, function = _find(root, handler, None, "missing")
    _check_kind(function)
    _check_parameters(function)
    annotated = _check_annotations(function)
    if payload_class:
        declared = _find(root, payload_class, module, "payload")[1]
        if declared is not annotated:
            raise Problem("payload", f"the handler takes another class than {payload_class}")
    payload = _shape(annotated, "payload")
    result = None
    if result_class:
        result = _shape(_find(root, result_class, module, "result")[1], "result")
    return function, payload, result
