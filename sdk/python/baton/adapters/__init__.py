# SPDX-License-Identifier: Apache-2.0
"""Gates for agent frameworks: each module puts a Gate at the place where its framework hands work over.

A module imports its framework when it is imported itself, so none of them is needed for the others.
"""
import importlib


def need(module, package, version):
    """Import a module of a framework; ImportError names the package and the version that the adapter needs."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"this adapter needs {package} {version}: pip install '{package}' ({error})") from error
